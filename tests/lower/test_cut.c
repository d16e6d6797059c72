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

int main(void) {
  TCase *tests = test_case("cut", 120);
  tcase_add_loop_test(tests, sums_maxima_products, 0, (int)(sizeof product / sizeof *product));
  tcase_add_loop_test(tests, online_softmax, 0, (int)(sizeof keys / sizeof *keys));
  tcase_add_test(tests, shared_by_blocks);
  tcase_add_test(tests, without_tensor_cores);
  return test_run("lower_cut", tests);
}
