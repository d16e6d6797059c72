/* Contractions on tensor cores with factors rounded to TF32, under the host emulation: products and
 * convolutions of fixed and random shapes against the evaluators; what may be rounded and what may
 * not; sums that no rounding changes are exact. */
#include "case.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* operators that the library lacks: convolutions in groups, transposed, in three dimensions */
static const char own_operators[] =
    "op up(x[n, c, h], f[c, oi, k]; groups = 1, s = 2, d = 1, e = 0) -> [n, oi * groups,\n"
    "    (h - 1) * s + d * (k - 1) - 2 * e + 1]\n"
    "  require 1 <= groups\n"
    "  require c mod groups = 0\n"
    "  require 1 <= s\n"
    "  let at[i, m, t] = if(0 <= t and t mod s = 0 and t div s < h, x[i, m, t div s], 0)\n"
    "  out[i, q, z] = (sum(m < c div groups) sum(b < k)\n"
    "    at[i, (q div oi) * (c div groups) + m, z + e - d * b] *\n"
    "    f[(q div oi) * (c div groups) + m, q mod oi, b])\n"
    "op up2(x[n, c, h, w], f[c, o, k, l]) -> [n, o, (h - 1) * 2 + k, (w - 1) * 3 + l]\n"
    "  let at[i, m, r, t] = if(0 <= r and r mod 2 = 0 and r div 2 < h and 0 <= t and t mod 3 = 0\n"
    "    and t div 3 < w, x[i, m, r div 2, t div 3], 0)\n"
    "  out[i, q, y, z] = (sum(m < c) sum(a < k) sum(b < l) at[i, m, y - a, z - b] * f[m, q, a, b])\n"
    "op conv3(x[n, c, d, h, w], f[o, c, kd, kh, kw]) -> [n, o, d, h, w]\n"
    "  let at[i, p, t, r, s] = if(0 <= t and t < d and 0 <= r and r < h and 0 <= s and s < w,\n"
    "    x[i, p, t, r, s], 0)\n"
    "  out[i, q, u, y, z] = (sum(p < c) sum(e < kd) sum(a < kh) sum(b < kw)\n"
    "    at[i, p, u + e - 1, y + 2 * a - 2, z + b - 1] * f[q, p, e, a, b])\n";

static const char all[] = "conv,conv2d,conv3,up,up2,matmul";

static void read_case(lower_case *j, const char *text) {
  case_open(j);
  ck_assert_msg(as_oplib_parse(j->lib, "own.sem", own_operators, strlen(own_operators), &j->err),
                "%s", j->err.text);
  case_read(j, text, NULL);
}

/* is the program right, and is a kernel of it a contraction on tensor cores? */
static void check(const char *text, const char *rounded, bool contraction) {
  lower_case j;
  as_lowered lowered;
  const as_lower_opts options = {.target = as_target_rounding(as_target_default(), rounded)};
  read_case(&j, text);
  ck_assert_msg(as_lower_cuda(j.prog, &options, &lowered, &j.err), "%s\n%s", text, j.err.text);
  bool found = strstr(lowered.notes, ": contraction in TF32 ") != NULL;
  ck_assert_msg(found == contraction, "%s\n%s", text, lowered.notes);
  if (getenv("TF32_NOTES"))
    printf("%s%s", text, lowered.notes);
  as_lowered_clear(&lowered);
  case_check(&j, NULL, &options, 1);
}

static void check_output(const char *inputs, const char *output, bool contraction) {
  char *text = as_format("program p\n%s\noutput O = %s\n", inputs, output);
  check(text, all, contraction);
  free(text);
}

START_TEST(convolutions) {
  check_output("input X: f32[2, 16, 11, 9]\ninput F: f32[40, 16, 3, 3]",
               "conv2d(X, F, top = 1, left = 1, bottom = 1, right = 1)", true);
  check_output("input X: f32[1, 3, 23, 17]\ninput F: f32[6, 3, 5, 4]",
               "conv2d(X, F, stride_h = 2, stride_w = 3, top = 2, right = 1)", true);
  check_output("input X: f32[2, 20, 8, 8]\ninput F: f32[16, 20, 1, 1]", "conv2d(X, F)", true);
  check_output("input X: f32[2, 8, 30]\ninput F: f32[8, 12, 3]",
               "conv(X, F, low = 2, high = 1, window_dilation = 2)", true);
  check_output("input X: f32[1, 3, 5, 7, 6]\ninput F: f32[5, 3, 2, 2, 3]", "conv3(X, F)", true);
}

END_TEST

/* remainders of places are batches of their own, taps that reach nothing there are left out */
START_TEST(transposed) {
  check_output("input X: f32[2, 16, 9]\ninput F: f32[16, 5, 3]", "up(X, F)", true);
  check_output("input X: f32[2, 16, 9]\ninput F: f32[16, 5, 4]", "up(X, F, s = 3, d = 2, e = 1)",
               true);
  check_output("input X: f32[1, 16, 7, 6]\ninput F: f32[16, 12, 3, 4]", "up2(X, F)", true);
  check_output("input X: f32[1, 16, 6, 8]\ninput F: f32[16, 24, 2, 3]", "up2(X, F)", true);
}

END_TEST

START_TEST(channels_in_groups) {
  check_output("input X: f32[2, 32, 7, 6]\ninput F: f32[24, 16, 3, 2]", "conv2d(X, F)", true);
  check_output("input X: f32[2, 6, 9]\ninput F: f32[6, 5, 3]", "up(X, F, groups = 2)", true);
  check_output("input X: f32[2, 8, 7, 6]\ninput F: f32[8, 1, 3, 2]", "conv2d(X, F)", false);
}

END_TEST

START_TEST(products) {
  check_output("input A: f32[64, 48]\ninput B: f32[48, 96]", "A @ B", true);
  check_output("input A: f32[130, 33]\ninput B: f32[33, 67]", "A @ B", true);
  check_output("input A: f32[48, 64]\ninput B: f32[20, 48]", "transpose(A) @ transpose(B)", true);
  check_output("input A: f32[3, 17, 40]\ninput B: f32[3, 40, 36]", "A @ B", true);
}

END_TEST

/* only what was permitted, by whole names; sizes left to run time go another way */
START_TEST(what_may_be_rounded) {
  static const char product[] =
      "program p\ninput A: f32[64, 48]\ninput B: f32[48, 96]\noutput O = A @ B\n";
  check(product, "matmul", true);
  check(product, "conv,matmul,up", true);
  check(product, NULL, false);
  check(product, "", false);
  check(product, "conv2d", false);
  check(product, "matmu,matmuls,xmatmul", false);
  check("program p\nsizes B <= 64\ninput A: f32[B, 48]\ninput C: f32[48, 96]\noutput O = A @ C\n",
        "matmul", false);
}

END_TEST

/* how many kernels there are, of which one is a contraction; both kinds of tiles */
static void check_kernels(const char *text, uint32_t kernels) {
  for (int rounded = 0; rounded < 2; rounded++) {
    lower_case j;
    as_lowered lowered;
    const as_lower_opts options = {
        .target = as_target_rounding(as_target_default(), rounded ? all : NULL)};
    read_case(&j, text);
    ck_assert_msg(as_lower_cuda(j.prog, &options, &lowered, &j.err), "%s\n%s", text, j.err.text);
    bool packs = strstr(lowered.notes, "contraction in TF32") != NULL;
    ck_assert_msg(strstr(lowered.notes, ": contraction") && packs == (rounded > 0), "%s\n%s", text,
                  lowered.notes);
    ck_assert_msg(lowered.n_kernel == kernels + rounded, "%s: %u kernels\n%s", text,
                  lowered.n_kernel, lowered.notes);
    as_lowered_clear(&lowered);
    case_check(&j, NULL, &options, 1);
  }
}

static const char convolution[] = "program p\ninput X: f32[2, 16, 9, 9]\n"
                                  "input F: f32[24, 16, 3, 3]\ninput B: f32[24, 1, 1]\n"
                                  "input R: f32[2, 24, 7, 7]\nC = conv2d(X, F)\n";

static void check_behind(const char *lines, uint32_t kernels) {
  char *text = as_format("%s%s", convolution, lines);
  check_kernels(text, kernels);
  free(text);
}

START_TEST(written_out_behind) {
  check_behind("output Y = relu(C + B)\n", 1);
  check_behind("D = C + B\noutput Y = D * sigmoid(D) + R\n", 1);
  check_behind("D = tanh(C * 2)\nE = maximum(D, R)\noutput Y = E - C\n", 1);
}

END_TEST

/* Results that something else reads too, at other places or as an output, are stored. */
START_TEST(stored_in_between) {
  check_behind("output C2 = C * 2\noutput Y = sum(C, axis=3)\n", 3);
  check_behind("output Y = C + R\noutput Z = C * 2\n", 3);
  check_behind("output Y = C + transpose(C)\n", 2);
  check_behind("output Y = C + reverse(C, axis=3)\n", 2);
  check_behind("output Y = sum(C, axis=1)\n", 2);
}

END_TEST

int main(void) {
  TCase *tests = test_case("tf32", 240);
  tcase_add_test(tests, convolutions);
  tcase_add_test(tests, transposed);
  tcase_add_test(tests, channels_in_groups);
  tcase_add_test(tests, products);
  tcase_add_test(tests, what_may_be_rounded);
  tcase_add_test(tests, written_out_behind);
  tcase_add_test(tests, stored_in_between);
  return test_run("tf32", tests);
}
