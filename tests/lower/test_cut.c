/* Tiles that are cut off where their tensor ends, lowered and run under the emulation: copies and
 * stores stay inside (the emulation sees what does not), reductions stop at what is left. */
#include "case.h"
#include "src/base/file.h"
#include "src/base/str.h"
#include "tests/source_dir.h"
#include "tests/suite.h"
#include <stdlib.h>

static char *text_of(const char *name, const char *ending) {
  char *path = as_format("%s/tests/prove/cases/%s%s", test_source_dir(), name, ending);
  as_err err;
  as_err_init(&err);
  size_t length;
  char *text = as_read_file(path, &length, &err);
  ck_assert_msg(text != NULL, "%s", path);
  free(path);
  return text;
}

static void check_pair(const char *given, const char *graph, const case_size *size,
                       const as_lower_opts *options) {
  lower_case j;
  char *program = text_of(given, ".tp");
  char *candidate = text_of(graph, ".mug");
  case_open(&j);
  case_read(&j, program, candidate);
  case_check(&j, size, options, 1);
  free(program);
  free(candidate);
}

/* K around a tile of 32, M around 16, N around 24; the last row divides: nothing is cut off */
static const long product[][9] = {
    {1, 16, 1, 1, 32, 1, 1, 24, 1},    {15, 16, 1, 31, 32, 1, 23, 24, 1},
    {17, 16, 2, 33, 32, 2, 25, 24, 2}, {7, 4, 2, 67, 32, 3, 53, 24, 3},
    {19, 16, 2, 64, 32, 2, 50, 24, 3}, {32, 16, 2, 96, 32, 3, 48, 24, 2},
};

START_TEST(sums_maxima_products) {
  static const char *const name[] = {"M", "U", "G", "K", "T", "L", "N", "V", "J"};
  case_size size[10] = {{NULL, 0}};
  for (int i = 0; i < 9; i++)
    size[i] = (case_size){name[i], product[_i][i]};
  check_pair("cut", "cut", size, NULL);
}

END_TEST

static const long keys[][9] = {
    {5, 16, 1, 1, 32, 1, 16, 16},  {16, 16, 1, 31, 32, 1, 16, 16}, {17, 16, 2, 33, 32, 2, 32, 16},
    {19, 16, 2, 101, 32, 4, 9, 7}, {33, 16, 3, 64, 32, 2, 32, 32},
};

START_TEST(online_softmax) {
  static const char *const name[] = {"Q", "U", "G", "N", "T", "L", "H", "V"};
  case_size size[9] = {{NULL, 0}};
  for (int i = 0; i < 8; i++)
    size[i] = (case_size){name[i], keys[_i][i]};
  check_pair("online", "online", size, NULL);
}

END_TEST

START_TEST(shared_by_blocks) {
  const case_size size[] = {{"Q", 16}, {"N", 83}, {"T", 16}, {"S", 2},
                            {"L", 3},  {"H", 32}, {"V", 16}, {NULL, 0}};
  check_pair("online", "flash", size, NULL);
}

END_TEST

START_TEST(without_tensor_cores) {
  const as_lower_opts options = {.no_mma = true, .warps = 2, .stages = 1};
  const case_size size[] = {{"Q", 19}, {"U", 16}, {"G", 2}, {"N", 53}, {"T", 32},
                            {"L", 2},  {"H", 8},  {"V", 8}, {NULL, 0}};
  check_pair("online", "online", size, &options);
}

END_TEST

/* What a block computes beyond what is left of its tile reads no place outside of it. */
static const struct {
  const char *output;
  const char *body;
} places[] = {
    {"X @ W", "r = reverse(t, axis=1)\nq = reverse(w, axis=0)\np = r @ q\n"},
    {"X @ W", "r = reverse(exp(t), axis=1)\nq = reverse(w, axis=0)\np = log(r) @ q\n"},
    {"expand_dims(sum(X, axis=1), axis=1) + sum(W, axis=0)",
     "r = reverse(exp(t), axis=1)\ne = log(r) + r - r\nq = reverse(w, axis=0)\n"
     "p = sum_keep(e, axis=1) + sum(q * 1, axis=0)\n"},
    {"X @ W",
     "c = concat(t, exp(t), axis=1)\nd = concat(reverse(w, axis=0), w * 0, axis=0)\n"
     "r = concat(reverse(t, axis=1), reverse(t, axis=1), axis=1)\np = r @ d + (c - c) @ d\n"},
};

START_TEST(places_within_what_is_left) {
  char *program = as_format("program p\nsizes N = 23\ninput X: f32[8, N]\n"
                            "input W: f32[N, 8]\noutput Z = %s\n",
                            places[_i].output);
  char *graph = as_format("mugraph q\nsizes T = 16, L = 2\nwhere L = (N + T - 1) div T\n"
                          "kernel k\nloop l = L\nload t [8, T upto N] = X loop -> 1\n"
                          "load w [T upto N, 8] = W loop -> 0\n%sacc a = sum p\n"
                          "store Z [8, 8] = a\nend\n",
                          places[_i].body);
  lower_case j;
  case_open(&j);
  case_read(&j, program, graph);
  case_check(&j, NULL, NULL, 1);
  free(program);
  free(graph);
}

END_TEST

int main(void) {
  TCase *tests = test_case("cut", 120);
  tcase_add_loop_test(tests, places_within_what_is_left, 0, (int)(sizeof places / sizeof *places));
  tcase_add_loop_test(tests, sums_maxima_products, 0, (int)(sizeof product / sizeof *product));
  tcase_add_loop_test(tests, online_softmax, 0, (int)(sizeof keys / sizeof *keys));
  tcase_add_test(tests, shared_by_blocks);
  tcase_add_test(tests, without_tensor_cores);
  return case_test_run("lower_cut", tests, 240);
}
