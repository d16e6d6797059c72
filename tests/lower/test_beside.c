/* Kernels over memory that share a launch, under the emulation against the evaluator: which ones
 * do, and those that look as if they could, but wait for another kernel. */
#include "gather.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

/* the GPU of the tests, with a grid of so many blocks at most (0: its own), where contractions may
 * be rounded */
static as_target target_of(int64_t blocks, const char *rounded) {
  as_target target = *as_target_rounding(as_target_default(), rounded);
  if (blocks)
    target.grid[0] = blocks;
  return target;
}

/* what all tests lower: inputs are integers that no rounding changes, and results exactly the
 * evaluator's */
static gathering all_of;

/* names of the kernels in the order of their launches, with a blank between */
static char *launches_of(const as_lowered *lowered) {
  as_str names;
  as_str_init(&names);
  for (uint32_t i = 0; i < lowered->n_kernel; i++)
    as_str_printf(&names, "%s%s", i ? " " : "", lowered->kernel[i].name);
  return as_str_take(&names);
}

static void check_with(const as_lower_opts *options, const char *program, const char *launches) {
  lower_case of;
  as_lowered lowered;
  case_open(&of);
  case_read(&of, program, NULL);
  ck_assert_msg(as_lower_cuda(of.prog, options, &lowered, &of.err), "%s", of.err.text);
  char *found = launches_of(&lowered);
  ck_assert_msg(strcmp(found, launches) == 0, "%s: launches %s, not %s", program, found, launches);
  gather_add(&all_of, &of, program, &lowered, 0);
  free(found);
}

static void check_on(const as_target *target, const char *program, const char *launches) {
  const as_lower_opts options = {.target = target};
  check_with(&options, program, launches);
}

static void check(const char *program, const char *launches) {
  as_target target = target_of(0, "conv,conv2d,matmul");
  check_on(&target, program, launches);
}

/* of any extents, an element among them, none among others */
START_TEST(maps) {
  check("program p\ninput X: f32[7, 33]\ninput Y: f32[129, 64]\ninput S: f32[]\n"
        "output A = X * 2\noutput B = transpose(Y) + 1\noutput C = S - 3\n"
        "output D = concat(X, X * 3, axis=0)\n",
        "A+B+C+D");
  check("program p\nsizes N >= 0 = 0\ninput X: f32[N]\ninput Y: f32[5, 1]\n"
        "output A = X * 2\noutput B = Y + 1\noutput C = Y[0:1, 0:1] - 1\n",
        "A B+C");
}

END_TEST

/* What another kernel computes is waited for, by whichever way it is read; what needs nothing of it
 * may wait with those that do. */
START_TEST(what_waits) {
  check("program p\ninput X: f32[5, 300]\ninput Y: f32[300]\noutput A = X * 2\n"
        "output R = sum(X * X, axis=0)\noutput B = concat(Y, R, axis=0)\noutput C = Y - 1\n",
        "A+R+C B");
  check("program p\ninput X: f32[6, 300]\ninput Y: f32[299]\noutput A = Y * 2\n"
        "output R = sum(X, axis=0)\noutput B = concat(Y, R[1:], axis=0)\n"
        "output C = concat(R[:299], Y, axis=0)\n",
        "A+R B+C");
  /* one waits for the other by way of a kernel between them */
  check("program p\ninput X: f32[4, 6]\ninput Y: f32[9]\noutput A = concat(Y, Y, axis=0)\n"
        "output R = sum(concat(A, A * 2, axis=0), axis=0)\noutput B = expand_dims(R, axis=0) + X\n",
        "A R B");
  /* of three the middle one may be with either of the others, which may not be together */
  check("program p\ninput X: f32[6, 40]\ninput Y: f32[9]\noutput A = X - 1\n"
        "output R = sum(A, axis=0)\noutput B = Y * 2\noutput C = concat(R, Y, axis=0)\n",
        "A+B R C");
  check(
      "program p\ninput X: f32[6, 40]\noutput R = sum(X, axis=0)\noutput A = concat(R, R, axis=0)\n"
      "output S = sum(expand_dims(A, axis=0) * 2, axis=1)\noutput B = concat(S, R, axis=0)\n"
      "output T = sum(X, axis=1)\noutput C = concat(T, T, axis=0)\n",
      "T R+C A S B");
}

END_TEST

/* weights are put in order together, wherever they are used, and one tensor is multiplied by
 * several in one launch */
START_TEST(weights) {
  check("program p\ninput X: f32[2, 16, 9, 7]\ninput F: f32[24, 16, 3, 3]\n"
        "input G: f32[40, 24, 1, 1]\ninput H: f32[8, 20, 5, 2]\n"
        "a = conv2d(X, F, top=1, left=1, bottom=1, right=1)\nc = minimum(maximum(a, -4), 4)\n"
        "b = conv2d(c, G)\nd = minimum(maximum(b, -4), 4)\n"
        "output Z = conv2d(d, H, stride_h=2, stride_w=3, top=2)\n",
        "a_rows+b_rows+Z_rows c d Z");
  check("program p\ninput X: f32[2, 16, 9, 7]\ninput F: f32[24, 16, 1, 1]\n"
        "input G: f32[20, 16, 1, 1]\ninput B: f32[20]\noutput A = conv2d(X, F)\n"
        "output C = conv2d(X, G) + expand_dims(expand_dims(B, axis=1), axis=2)\n",
        "A_rows+t2_rows A+C");
  /* one channel, a window larger than what it is over, groups, dilation */
  check(
      "program p\ninput X: f32[3, 1, 5, 4]\ninput F: f32[12, 1, 7, 6]\ninput G: f32[32, 6, 2, 2]\n"
      "a = conv2d(X, F, top=3, left=3, bottom=3, right=2)\nb = minimum(maximum(a, -4), 4)\n"
      "output Z = conv2d(b, G)\n",
      "a_0_rows+Z_rows a_0 b Z");
  check("program p\ninput X: f32[2, 16, 40]\ninput F: f32[16, 24, 3]\ninput G: f32[24, 9, 5]\n"
        "a = conv(X, F, low=2, window_dilation=3)\nb = minimum(maximum(a, -4), 4)\n"
        "output Z = conv(b, G, stride=2, high=3)\n",
        "a_rows+Z_rows b Z");
}

END_TEST

/* weights that a kernel computes are put in order behind it; what is multiplied by them is later */
START_TEST(weights_that_wait) {
  check("program p\ninput X: f32[2, 16, 9, 7]\ninput F: f32[24, 16, 3, 3]\n"
        "input V: f32[40, 24, 300]\na = conv2d(X, F)\nb = minimum(maximum(a, -4), 4)\n"
        "g = max(V, axis=2)\nw = expand_dims(expand_dims(g, axis=2), axis=3)\noutput W = w * 2\n"
        "output Z = conv2d(b, w)\n",
        "a_rows+g b W+Z_rows Z");
  check("program p\ninput X: f32[2, 24, 9, 7]\ninput F: f32[24, 24, 1, 1]\n"
        "input V: f32[24, 24, 300]\noutput A = conv2d(X, F)\ng = max(V, axis=2)\n"
        "w = expand_dims(expand_dims(g, axis=2), axis=3)\noutput Z = conv2d(X, w)\n",
        "A_rows+g Z_rows A+Z");
}

END_TEST

/* a few elements are put in order by the threads of a window or reduction; many are not */
START_TEST(few_elements) {
  check("program p\ninput X: f32[2, 16, 9, 7]\ninput F: f32[24, 16, 1, 1]\n"
        "output P = max(X, axis=3)\noutput Z = conv2d(X, F)\n",
        "P+Z_rows Z");
  check("program p\ninput X: f32[3, 70]\ninput Y: f32[300, 301]\noutput S = cumsum(X)\n"
        "output A = transpose(Y)\noutput T = max(Y, axis=0)\noutput U = cumsum(X, axis=0)\n"
        "output B = X + 1\noutput R = reverse(X, axis=0)\noutput M = max(Y, axis=1)\n",
        "S+A+B+R T_parts T U M");
  check("program p\ninput X: f32[2, 3, 9, 10]\ninput Y: f32[70]\noutput A = Y * 2\n"
        "output P = conv2d(X, X[:1, :, :3, :3])\n",
        "A+P");
  check("program p\ninput X: f32[8, 70]\ninput Y: f32[1025, 1024]\noutput S = sum(X, axis=1)\n"
        "output A = transpose(Y)\noutput B = X + 1\n",
        "S+B A");
}

END_TEST

/* A kernel's factors are taken in one way, which is reported of it. */
START_TEST(roundings) {
  static const char program[] = "program p\ninput X: f32[2, 16, 8, 8]\ninput Y: f32[2, 16, 64]\n"
                                "input F: f32[24, 16, 1, 1]\ninput G: f32[16, 24, 1]\n"
                                "output A = conv2d(X, F)\noutput B = conv(Y, G)\n";

  static const struct {
    const char *rounded;
    const char *launches;
  } way[] = {{"conv2d,conv", "A_rows+B_rows A+B"},
             {"conv2d:3,conv:3", "A_rows+B_rows A+B"},
             {"conv2d:3,conv", "A_rows+B_rows A B"}};

  for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
    as_target target = target_of(0, way[i].rounded);
    const as_lower_opts options = {.target = &target, .warps = 4};
    check_with(&options, program, way[i].launches);
  }
}

END_TEST

/* a grid has room for one of them only, or for two */
START_TEST(grids) {
  static const char program[] = "program p\ninput X: f32[4096]\ninput Y: f32[4095]\n"
                                "output A = X * 2\noutput B = Y + 1\noutput C = X - 1\n";
  as_target target = target_of(3, "");
  check_on(&target, program, "A B C");
  target = target_of(11, "");
  check_on(&target, program, "A+B C");
}

END_TEST

START_TEST(all_are_right) {
  gather_run(&all_of);
}

END_TEST

int main(void) {
  TCase *tests = test_case("beside", 240);
  tcase_add_test(tests, maps);
  tcase_add_test(tests, what_waits);
  tcase_add_test(tests, weights);
  tcase_add_test(tests, weights_that_wait);
  tcase_add_test(tests, few_elements);
  tcase_add_test(tests, roundings);
  tcase_add_test(tests, grids);
  tcase_add_test(tests, all_are_right); /* the last */
  return case_test_run("lower_beside", tests, 240);
}
