/* Kernels over memory that share a launch, under the emulation against the evaluator: which ones
 * do, and those that look as if they could, but wait for another kernel. */
#include "batch.h"
#include "case.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "tests/suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* the GPU of the tests, with a grid of so many blocks at most (0: its own), where contractions may
 * be rounded */
static as_target target_of(int64_t blocks, const char *rounded) {
  as_target target = *as_target_rounding(as_target_default(), rounded);
  if (blocks)
    target.grid[0] = blocks;
  return target;
}

/* whose inputs are integers that no rounding changes: results are exactly the evaluator's */
static void check_exactly(const lower_case *of, const char *program, as_lowered *lowered) {
  batch_item item;
  as_tensor inputs[8];
  as_tensor out[8];
  as_err err;
  unsigned state = 12345;
  int64_t *env = as_env_new(of->S);
  as_err_init(&err);
  batch_item_init(&item, lowered);
  for (uint32_t i = 0; i < of->prog->n_input; i++) {
    const as_node *node = &of->prog->node[of->prog->input[i]];
    int64_t dim[AS_MAX_RANK];
    for (uint32_t axis = 0; axis < node->rank; axis++)
      dim[axis] = as_size_eval(of->S, node->dim[axis], env);
    as_tensor_init(&inputs[i], &as_domain_double, dim, node->rank);
    for (size_t k = 0; k < inputs[i].n; k++) {
      state = state * 1664525u + 1013904223u;
      item.in[i][k] = (double)((long)(state >> 8) % 9 - 4);
    }
    memcpy(inputs[i].data, item.in[i], inputs[i].n * sizeof(double));
  }
  char dir[] = "beside-test-XXXXXX";
  ck_assert(mkdtemp(dir) != NULL);
  ck_assert_msg(batch_run(&item, 1, dir) && item.ran, "%s: see %s/log", program, dir);
  char *command = as_format("rm -r %s", dir);
  ck_assert_int_eq(system(command), 0);
  free(command);
  ck_assert_int_eq(as_eval_graph(of->prog, &as_domain_double, env, inputs, out, &err), AS_OK);
  for (uint32_t i = 0; i < of->prog->n_output; i++) {
    for (size_t e = 0; e < out[i].n; e++) {
      double exact = *(double *)as_tensor_at(&out[i], e);
      ck_assert_msg(fabs(item.out[i][e] - exact) <= 0, "%s: output %u, %zu: %g, not %g", program, i,
                    e, item.out[i][e], exact);
    }
    as_tensor_clear(&out[i]);
  }
  for (uint32_t i = 0; i < of->prog->n_input; i++)
    as_tensor_clear(&inputs[i]);
  batch_item_clear(&item);
  free(env);
}

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
  check_exactly(&of, program, &lowered);
  case_close(&of);
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

int main(void) {
  TCase *tests = test_case("beside", 240);
  tcase_add_test(tests, maps);
  tcase_add_test(tests, what_waits);
  tcase_add_test(tests, weights);
  tcase_add_test(tests, weights_that_wait);
  tcase_add_test(tests, few_elements);
  tcase_add_test(tests, roundings);
  tcase_add_test(tests, grids);
  return test_run("lower_beside", tests);
}
