/* Contractions by register tiles under the host emulation: products and convolutions of fixed and
 * random shapes against the evaluators, what is such a contraction and what is not. */
#include "case.h"
#include "convolutions.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_case(lower_case *j, const char *text) {
  case_open(j);
  ck_assert_msg(as_oplib_parse(j->lib, "own.sem", own_operators, strlen(own_operators), &j->err),
                "%s", j->err.text);
  case_read(j, text, NULL);
}

/* is the program right, and is a kernel of it a contraction by register tiles? */
static void check(const char *text, const as_lower_opts *options, bool contraction) {
  lower_case j;
  as_lowered lowered;
  read_case(&j, text);
  ck_assert_msg(as_lower_cuda(j.prog, options, &lowered, &j.err), "%s\n%s", text, j.err.text);
  bool found = strstr(lowered.notes, ": contraction ") != NULL;
  ck_assert_msg(found == contraction, "%s\n%s", text, lowered.notes);
  as_lowered_clear(&lowered);
  case_check(&j, NULL, options, 1);
}

static void check_output(const char *inputs, const char *output, bool contraction) {
  char *text = as_format("program p\n%s\noutput O = %s\n", inputs, output);
  check(text, NULL, contraction);
  free(text);
}

START_TEST(products) {
  check_output("input A: f32[64, 48]\ninput B: f32[48, 96]", "A @ B", true);
  check_output("input A: f32[130, 33]\ninput B: f32[33, 67]", "A @ B", true);
  check_output("input A: f32[48, 64]\ninput B: f32[20, 48]", "transpose(A) @ transpose(B)", true);
  check_output("input A: f32[3, 17, 40]\ninput B: f32[3, 40, 36]", "A @ B", true);
  check_output("input A: f32[3, 5, 24]\ninput B: f32[24, 12]", "A @ B", true);
  check_output("input A: f32[5, 2]\ninput B: f32[2, 7]", "A @ B", true);
}

END_TEST

/* too few rows or columns, no terms, or factors that do not fall apart */
START_TEST(other_sums) {
  check_output("input A: f32[1, 48]\ninput B: f32[48, 96]", "A @ B", false);
  check_output("input A: f32[0, 48]\ninput B: f32[48, 96]", "A @ B", false);
  check_output("input A: f32[8, 0]\ninput B: f32[0, 9]", "A @ B", false);
  check_output("input A: f32[5, 1]\ninput B: f32[1, 7]", "A @ B", false);
  check_output("input A: f32[8, 9, 12]", "sum(A * A, axis=2)", false);
}

END_TEST
START_TEST(convolutions) {
  check_output("input X: f32[2, 3, 11, 9]\ninput F: f32[8, 3, 3, 3]",
               "conv2d(X, F, top = 1, left = 1, bottom = 1, right = 1)", true);
  check_output("input X: f32[1, 5, 23, 17]\ninput F: f32[6, 5, 5, 4]",
               "conv2d(X, F, stride_h = 2, stride_w = 3, top = 2, right = 1)", true);
  check_output("input X: f32[2, 8, 30]\ninput F: f32[8, 12, 3]",
               "conv(X, F, low = 2, high = 1, window_dilation = 2)", true);
  check_output("input X: f32[1, 3, 5, 7, 6]\ninput F: f32[5, 3, 2, 2, 3]", "conv3(X, F)", true);
}

END_TEST

/* channels in groups: an axis is two; a group for each channel has no rows to share */
START_TEST(channels_in_groups) {
  check_output("input X: f32[2, 8, 7, 6]\ninput F: f32[24, 2, 3, 2]", "conv2d(X, F)", true);
  check_output("input X: f32[2, 6, 9]\ninput F: f32[6, 5, 3]", "up2(X, F, groups = 2)", true);
  check_output("input X: f32[2, 6, 9]\ninput F: f32[6, 5, 3]", "up2(X, F)", true);
  check_output("input X: f32[2, 8, 7, 6]\ninput F: f32[8, 1, 3, 2]", "conv2d(X, F)", false);
}

END_TEST
START_TEST(narrow_types) {
  const as_lower_opts scalar = {.no_mma = true};
  check("program p\ninput A: f16[20, 36]\ninput B: f16[36, 24]\noutput O = A @ B\n", &scalar, true);
  check("program p\ninput A: bf16[20, 36]\ninput B: bf16[36, 23]\noutput O = A @ B\n", &scalar,
        true);
  check("program p\ninput X: f16[2, 4, 9, 8]\ninput F: f16[8, 4, 3, 3]\noutput O = conv2d(X, F)\n",
        NULL, true);
}

END_TEST
static long below(unsigned *state, long most) {
  *state = *state * 1664525u + 1013904223u;
  return (long)(*state >> 8) % most;
}

static char *random_product(unsigned *state) {
  long rows = 4 + below(state, 80);
  long depth = 2 + below(state, 60);
  long columns = 4 + below(state, 80);
  bool left = below(state, 2);
  bool right = below(state, 2);
  return as_format("program p\ninput A: f32[%ld, %ld]\ninput B: f32[%ld, %ld]\n"
                   "output O = %s @ %s\n",
                   left ? depth : rows, left ? rows : depth, right ? columns : depth,
                   right ? depth : columns, left ? "transpose(A)" : "A",
                   right ? "transpose(B)" : "B");
}

static char *random_convolution(unsigned *state) {
  long groups = 1 + below(state, 2);
  long inputs = 2 + below(state, 5);
  long outputs = 4 + below(state, 20);
  long window[2] = {1 + below(state, 4), 1 + below(state, 4)};
  return as_format("program p\ninput X: f32[%ld, %ld, %ld, %ld]\n"
                   "input F: f32[%ld, %ld, %ld, %ld]\n"
                   "output O = conv2d(X, F, stride_h = %ld, stride_w = %ld, top = %ld, left = %ld, "
                   "right = %ld)\n",
                   1 + below(state, 3), inputs * groups, window[0] + 3 + below(state, 9),
                   window[1] + 3 + below(state, 9), outputs * groups, inputs, window[0], window[1],
                   1 + below(state, 3), 1 + below(state, 3), below(state, 3), below(state, 3),
                   below(state, 3));
}

/* four elements at once begin at a multiple of four: numbers in indices count */
START_TEST(where_vectors_begin) {
  check_output("input X: f32[8, 4, 5]\ninput W: f32[4, 8]", "squeeze(X[:, 1:2, 0:4], axis=1) @ W",
               true);
  check_output("input X: f32[8, 4, 6]\ninput W: f32[4, 8]", "squeeze(X[:, 2:3, 0:4], axis=1) @ W",
               true);
  check_output("input X: f16[8, 2, 12]\ninput W: f16[8, 8]",
               "squeeze(X[:, 1:2, 2:10], axis=1) @ W * 2", true);
}

END_TEST
START_TEST(random_shapes) {
  const char *cases = getenv("SIMT_CASES");
  unsigned seed = 20261123;
  for (long i = 0; i < (cases ? atol(cases) : 6); i++) {
    char *text = i % 2 ? random_convolution(&seed) : random_product(&seed);
    check(text, NULL, true);
    free(text);
  }
}

END_TEST

int main(void) {
  TCase *tests = test_case("register_tiles", 240);
  tcase_add_test(tests, products);
  tcase_add_test(tests, other_sums);
  tcase_add_test(tests, convolutions);
  tcase_add_test(tests, channels_in_groups);
  tcase_add_test(tests, narrow_types);
  tcase_add_test(tests, where_vectors_begin);
  tcase_add_test(tests, random_shapes);
  return case_test_run("register_tiles", tests, 300);
}
