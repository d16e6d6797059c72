/* Folds over windows, under the emulation against the evaluator: every kind of fold, along one to
 * three axes, with strides, distances between taps and zeros around, at extents of 1, of odd ones,
 * of ones that vectors divide, and windows that are larger than what they move over. */
#include "case.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

/* Windows in one to three axes: s stride, d distance of taps, p zeros in front and behind.  Maxima
 * move what is outside to the nearest element inside. */
static const char operators[] =
    "op taps1(x[n, c, w], f[c, k]; s = 1, d = 1, p = 0) -> [n, c,\n"
    "    (w + 2 * p - d * (k - 1) - 1) div s + 1]\n"
    "  require 1 <= s\n"
    "  let at[i, q, r] = if(0 <= r and r < w, x[i, q, r], 0)\n"
    "  out[i, q, z] = (sum(a < k) at[i, q, z * s + a * d - p] * f[q, a])\n"
    "op taps2(x[n, c, h, w], f[o, ci, kh, kw]; sh = 1, dh = 1, ph = 0, sw = 1, dw = 1, pw = 0) -> "
    "[n, o,\n"
    "    (h + 2 * ph - dh * (kh - 1) - 1) div sh + 1,\n"
    "    (w + 2 * pw - dw * (kw - 1) - 1) div sw + 1]\n"
    "  require 1 <= ci\n  require ci <= c\n  require c mod ci = 0\n"
    "  require o mod (c div ci) = 0\n  require 1 <= sh\n  require 1 <= sw\n"
    "  let at[i, q, r, t] = if(0 <= r and r < h and 0 <= t and t < w, x[i, q, r, t], 0)\n"
    "  out[i, q, y, z] = (sum(p < ci) sum(a < kh) sum(b < kw)\n"
    "    at[i, (q div (o div (c div ci))) * ci + p, y * sh + a * dh - ph, z * sw + b * dw - pw]\n"
    "    * f[q, p, a, b])\n"
    "op up(x[n, c, w], f[c, k]; s = 2, p = 0) -> [n, c, (w - 1) * s - 2 * p + k]\n"
    "  require 1 <= s\n  require 1 <= w\n"
    "  let at[i, q, r] = if(0 <= r and r mod s = 0 and r div s < w, x[i, q, r div s], 0)\n"
    "  out[i, q, z] = sum(b < k) at[i, q, z + p - b] * f[q, b]\n"
    "op most(x[..a@axis, n, ..b]; axis, k, s = 1, p = 0, d = 1) -> [..a,\n"
    "    (n + 2 * p - d * (k - 1) - 1) div s + 1, ..b]\n"
    "  require 1 <= k\n  require 1 <= s\n  require 1 <= d\n  require 0 <= p\n"
    "  require 2 * p <= d * (k - 1) + 1\n  require d * (k - 1) + 1 <= n + 2 * p\n"
    "  out[..a, i, ..b] = (max(t < k)\n"
    "    x[..a, i * s + d * max(min(t, (n - 1 - i * s + p) div d), (p - i * s + d - 1) div d) - p,"
    " ..b])\n"
    "op least(x[..a@axis, n, ..b]; axis, k, s = 1) -> [..a, (n - k) div s + 1, ..b]\n"
    "  require 1 <= k\n  require k <= n\n  require 1 <= s\n"
    "  out[..a, i, ..b] = min(t < k) x[..a, i * s + t, ..b]\n"
    "op total(x[..a@axis, n, ..b]; axis, k, s = 1, p = 0) -> [..a,\n"
    "    (n + 2 * p - k) div s + 1, ..b]\n"
    "  require 1 <= k\n  require 1 <= s\n  require 0 <= p\n"
    "  out[..a, i, ..b] = (sum(t < k) if(p <= i * s + t and i * s + t - p < n, x[..a, i * s + t - "
    "p,"
    " ..b], 0))\n";

/* Builds, runs and compares what has a window.  Gives how many kernels there are. */
static uint32_t run(const char *inputs, const char *text, const as_lower_opts *options) {
  lower_case j;
  as_lowered lowered;
  char *program = as_format("program p\n%s\n%s\n", inputs, text);
  case_open(&j);
  ck_assert_msg(as_oplib_parse(j.lib, "own.sem", operators, strlen(operators), &j.err), "%s",
                j.err.text);
  case_read(&j, program, NULL);
  ck_assert_msg(as_lower_cuda(j.prog, options, &lowered, &j.err), "%s: %s", program, j.err.text);
  uint32_t kernels = lowered.n_kernel;
  ck_assert_msg(strstr(lowered.notes, ": window ") != NULL, "%s\n%s", program, lowered.notes);
  as_lowered_clear(&lowered);
  case_check(&j, NULL, options, 1);
  free(program);
  return kernels;
}

static void check(const char *inputs, const char *text, uint32_t kernels) {
  uint32_t n = run(inputs, text, NULL);
  ck_assert_msg(n == kernels, "%u kernels, not %u: %s", n, kernels, text);
}

typedef struct {
  const char *inputs;
  const char *text;
} windowed;

static const windowed programs[] = {
    /* rows that vectors divide, and rows that they do not; the last chunk is not whole */
    {"input X: f32[3, 5, 1024]\ninput F: f32[5, 8]", "output Y = taps1(X, F, p = 4)"},
    {"input X: f32[3, 5, 1021]\ninput F: f32[5, 8]", "output Y = taps1(X, F, p = 3)"},
    {"input X: f32[3, 5, 1024]\ninput F: f32[5, 8]", "output Y = taps1(X, F)"},
    {"input X: f32[7, 5, 515]\ninput F: f32[5, 3]", "output Y = taps1(X, F, s = 2, d = 3, p = 2)"},
    {"input X: f32[1, 1, 9000]\ninput F: f32[1, 2]", "output Y = taps1(X, F)"},
    /* every result reads beyond the tensor */
    {"input X: f32[900, 2, 3]\ninput F: f32[2, 7]", "output Y = taps1(X, F, p = 5)"},
    {"input X: f32[800, 5, 1]\ninput F: f32[5, 3]", "output Y = taps1(X, F, p = 2)"},
    {"input X: f32[300, 3, 4]\ninput F: f32[3, 2]", "output Y = taps1(X, F, d = 3, p = 9)"},
    /* two axes, in groups of one and of two channels, more results than channels */
    {"input X: f32[2, 3, 34, 64]\ninput F: f32[3, 1, 3, 3]", "output Y = taps2(X, F)"},
    {"input X: f32[2, 3, 33, 64]\ninput F: f32[3, 1, 3, 3]",
     "output Y = taps2(X, F, ph = 1, pw = 1)"},
    {"input X: f32[2, 4, 19, 36]\ninput F: f32[4, 2, 3, 5]",
     "output Y = taps2(X, F, ph = 2, pw = 2, sh = 1, dh = 2)"},
    {"input X: f32[3, 4, 41, 40]\ninput F: f32[8, 1, 3, 3]",
     "output Y = relu(taps2(X, F, ph = 1, pw = 1, sh = 2, sw = 2))"},
    {"input X: f32[2, 3, 40, 41]\ninput F: f32[3, 1, 3, 1]", "output Y = taps2(X, F)"},
    {"input X: f32[2, 3, 40, 41]\ninput F: f32[3, 1, 1, 5]", "output Y = taps2(X, F, pw = 2)"},
    {"input X: f32[2, 3, 30, 30]\ninput F: f32[3, 1, 7, 7]",
     "output Y = taps2(X, F, ph = 3, pw = 3)"},
    {"input X: f32[700, 3, 2, 2]\ninput F: f32[3, 1, 3, 3]",
     "output Y = taps2(X, F, ph = 1, pw = 1)"},
    /* between elements there are zeros */
    {"input X: f32[5, 3, 300]\ninput F: f32[3, 3]", "output Y = up(X, F)"},
    {"input X: f32[5, 3, 301]\ninput F: f32[3, 4]", "output Y = up(X, F, p = 1)"},
    {"input X: f32[5, 3, 150]\ninput F: f32[3, 7]", "output Y = up(X, F, s = 4, p = 2)"},
    {"input X: f32[5, 3, 201]\ninput F: f32[3, 2]", "output Y = up(X, F, s = 3)"},
    /* extrema */
    {"input X: f32[5, 2048]", "output Y = most(X, axis = 1, k = 8, p = 4, d = 3)"},
    {"input X: f32[5, 2049]", "output Y = most(X, axis = 1, k = 3, p = 1, s = 2)"},
    {"input X: f32[9, 40, 43]", "output Y = most(most(X, axis=1, k=3, p=1), axis=2, k=3, p=1)"},
    {"input X: f32[9, 44, 44]",
     "output Y = most(most(X, axis=1, k=4, p=1), axis=2, k=4, p=1, d = 2)"},
    {"input X: f32[1500, 2, 3]", "output Y = most(most(X, axis=1, k=2), axis=2, k=5, p=2)"},
    {"input X: f32[9, 33, 36]", "output Y = least(least(X, axis=1, k=3, s=2), axis=2, k=2)"},
    /* along an axis that is not the last, and along all three */
    {"input X: f32[6, 70, 20]", "output Y = total(X, axis = 1, k = 5, p = 2) / 5"},
    {"input X: f32[67, 6, 21]", "output Y = total(X, axis = 0, k = 3, p = 1, s = 1) * 2"},
    {"input X: f32[2, 3, 20, 22, 24]",
     "output Y = total(total(total(X, axis=2, k=3, s=2, p=1), axis=3, k=3, s=2, p=1), axis=4,"
     " k=3, s=2, p=1) / 27"},
    {"input X: f32[4, 18, 19, 21]",
     "output Y = total(total(total(X, axis=1, k=2), axis=2, k=3, p=1), axis=3, k=4, p = 2)"},
    {"input X: f32[12, 187, 187]",
     "output Y = total(total(X, axis=1, k=11, s=11), axis=2, k=11, s=11) / 121"},
    {"input X: f32[26, 165, 170]",
     "output Y = total(total(X, axis=1, k=11, s=11), axis=2, k=11, s=11) / 121"},
    /* what follows element by element reads other tensors */
    {"input X: f32[2, 3, 34, 65]\ninput F: f32[3, 1, 3, 3]\ninput B: f32[3]\n"
     "input R: f32[2, 3, 34, 65]\ninput C: f32[65]",
     "T = taps2(X, F, ph = 1, pw = 1) + expand_dims(expand_dims(B, axis=1), axis=2)\n"
     "output Y = relu(T) * C + R"},
    /* what precedes does too */
    {"input X: f32[3, 5, 1024]\ninput F: f32[5, 8]\ninput G: f32[3, 5, 1024]",
     "output Y = taps1(relu(X) * G, F, p = 4)"},
    {"input X: f32[3, 5, 64, 10]", "output Y = total(exp(X[:, :, 1:63, :]), axis=2, k=3)"}};

/* on a GPU that these programs fill, so that each thread has several results */
START_TEST(windows) {
  as_target small = *as_target_default();
  const as_lower_opts options = {.target = &small};
  small.multiprocessors = 1;
  run(programs[_i].inputs, programs[_i].text, &options);
}

END_TEST

/* one result each */
START_TEST(windows_alone) {
  static const int some[] = {1, 9, 16, 20, 23, 28};
  run(programs[some[_i]].inputs, programs[some[_i]].text, NULL);
}

END_TEST

/* windows over windows are one kernel, and so is what follows */
START_TEST(one_kernel) {
  check("input X: f32[2, 3, 20, 22, 24]",
        "output Y = total(total(total(X, axis=2, k=3, s=2, p=1), axis=3, k=3, s=2, p=1), axis=4,"
        " k=3, s=2, p=1) / 27",
        1);
  check("input X: f32[2, 3, 34, 64]\ninput F: f32[3, 1, 3, 3]", "output Y = relu(taps2(X, F))", 1);
  /* the first is a result too */
  check("input X: f32[9, 40, 43]",
        "output Z = most(X, axis=1, k=3, p=1)\noutput Y = most(Z, axis=2, k=3, p=1)", 2);
  /* a sum of maxima is no fold of one kind */
  check("input X: f32[9, 40, 43]", "output Y = total(most(X, axis=1, k=3, p=1), axis=2, k=3)", 2);
}

END_TEST

int main(void) {
  TCase *tests = test_case("window", 600);
  tcase_add_loop_test(tests, windows, 0, (int)(sizeof programs / sizeof *programs));
  tcase_add_loop_test(tests, windows_alone, 0, 6);
  tcase_add_test(tests, one_kernel);
  return case_test_run("lower_window", tests, 300);
}
