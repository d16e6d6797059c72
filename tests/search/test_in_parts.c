/* Results of which only parts are read: when they are computed of parts of the inputs, that the
 * parts are no kernels, and when they are left as they are. */
#include "read_program.h"
#include "search/driver.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

/* the parts of inputs that the program reads once its results are computed in parts */
static uint32_t parts_of_inputs(const as_graph *graph) {
  sg_slices slices;
  as_graph *divided = sg_divided(graph);
  as_graph *read = sg_parts_as_inputs(divided ? divided : graph, &slices);
  uint32_t n = slices.n;
  if (read) {
    ck_assert_uint_eq(read->n_input, graph->n_input + n);
    ck_assert_uint_eq(read->n_output, graph->n_output);
    as_graph_free(read);
  }
  if (divided)
    as_graph_free(divided);
  sg_slices_clear(&slices);
  return n;
}

typedef struct {
  const char *text;
  uint32_t parts; /* of inputs */
} case_of;

#define GATES "program p\nsizes B = 4, D = 64, F = 32\ninput X: f16[B, D]\ninput W: f16[D, 2*F]\n"

static const case_of divided[] = {
    {GATES "h = X @ W\noutput Y = silu(h[:, 0:F]) * h[:, F:2*F]\n", 2},
    /* through a bias and an operator on each element */
    {GATES "input b: f16[2*F]\nh = silu(X @ W + b)\noutput Y = h[:, 0:F] * h[:, F:2*F]\n", 4},
    /* the axis has another place in the weight */
    {"program p\nsizes B = 2, S = 3, D = 64, F = 32\ninput X: f16[B, S, D]\n"
     "input W: f16[D, 2*F]\nh = X @ W\noutput Y = h[:, :, 0:F] + h[:, :, F:2*F]\n",
     2},
    /* rows of the first operand, and only some of them */
    {GATES "h = X @ W\noutput Y = h[0:1] * h[2:3]\n", 2},
    /* one part, read twice */
    {GATES "h = X @ W\noutput Y = h[:, 0:F] * h[:, 0:F]\n", 1},
    /* an axis that is reduced beside the one that is divided */
    {GATES "h = softmax(X @ W, axis=0)\noutput Y = h[:, 0:F] + h[:, F:2*F]\n", 2},
    /* parts of an input as they are */
    {GATES "output Y = X @ W[:, F:2*F]\n", 1},
    /* an input with an axis written as two, and one that is made of a part */
    {"program p\nsizes G = 2, R = 4, M = 8\ninput X: f16[1, G*R, M]\n"
     "output Y = silu(split_axis(squeeze(X, axis=0), axis=0, outer=G, inner=R))\n",
     2},
    /* batches and heads as one axis; with groups of heads apart from them */
    {"program p\nsizes B = 2, G = 3, M = 8\ninput X: f16[B, G, M]\n"
     "output Y = silu(merge_axes(X, axis=0))\n",
     1},
    {"program p\nsizes B = 2, G = 3, R = 4, S = 5, M = 8\ninput X: f16[B, G*R, S, M]\n"
     "output Y = silu(merge_axes(split_axis(X, axis=1, outer=G, inner=R), axis=0))\n",
     2},
    /* heads before positions: rows are rows still */
    {"program p\nsizes B = 2, S = 3, H = 4, M = 8\ninput X: f16[B, S, H, M]\n"
     "output Y = silu(transpose(X, axis=1))\n",
     1},
    /* of these, batches and heads do not lie as one axis */
    {"program p\nsizes B = 2, S = 3, H = 4, M = 8\ninput X: f16[B, S, H, M]\n"
     "output Y = silu(merge_axes(transpose(X, axis=1), axis=0))\n",
     1},
};

START_TEST(computed_in_parts) {
  read_program p = read_program_text(divided[_i].text, NULL);
  ck_assert_uint_eq(parts_of_inputs(p.graph), divided[_i].parts);
  read_program_done(&p);
}

END_TEST

static const char *const whole[] = {
    /* all of it is an output, or read */
    GATES "output h = X @ W\noutput Y = silu(h[:, 0:F]) * h[:, F:2*F]\n",
    GATES "h = X @ W\noutput Z = sum(h)\noutput Y = silu(h[:, 0:F]) * h[:, F:2*F]\n",
    /* parts that overlap would be computed twice */
    GATES "h = X @ W\noutput Y = h[:, 0:F + 1] * h[:, F - 1:2*F]\n",
    /* parts along two axes */
    GATES "h = X @ W\noutput Y = h[0:2, 0:4] \noutput Z = h[:, 0:2]\noutput V = h[0:2]\n",
    /* the operator reduces what is divided: its parts are no sums of parts */
    GATES "h = softmax(X @ W)\noutput Y = h[:, 0:F] * h[:, F:2*F]\n",
    GATES "h = cumsum(X @ W, axis=1)\noutput Y = h[:, 0:F] * h[:, F:2*F]\n",
    /* something else reads the operand */
    GATES "g = X @ W\nh = silu(g)\noutput Y = h[:, 0:F] * h[:, F:2*F]\noutput Z = sum(g)\n",
    /* an output is a part of an input */
    GATES "output Y = W[:, 0:F]\n",
    /* heads of rows, which blocks see where they read them, only exchanged axes, what is computed
     */
    "program p\nsizes H = 2, E = 4, M = 8\ninput X: f16[M, H*E]\n"
    "output Y = silu(split_axis(X, axis=1, outer=H, inner=E))\n",
    GATES "output Y = X @ transpose(transpose(W))\n",
    "program p\nsizes G = 2, R = 4, M = 8\ninput X: f16[G*R, M]\n"
    "output Y = split_axis(silu(X), axis=0, outer=G, inner=R)\n",
    /* backwards, and no part of memory */
    GATES "output Y = X @ reverse(W, axis=1)\n",
};

START_TEST(left_whole) {
  read_program p = read_program_text(whole[_i], NULL);
  ck_assert_uint_eq(parts_of_inputs(p.graph), 0);
  read_program_done(&p);
}

END_TEST

/* The candidate has a kernel for the product and what goes on with its parts; the parts are counted
 * as none. */
START_TEST(one_kernel) {
  read_program p = read_program_text(
      "program gates\nsizes B = 16, D = 512, F = 1024\ninput X: f16[B, D]\n"
      "input W: f16[D, 2*F]\nh = X @ W\noutput Y = silu(h[:, 0:F]) * h[:, F:2*F]\n",
      NULL);
  as_search_opts options = as_search_default;
  as_search_result found;
  options.threads = 2;
  options.keep = 1;
  ck_assert_int_eq(as_search(p.graph, &options, &found), AS_OK);
  ck_assert(found.cand[0].verdict.certified);
  ck_assert_uint_eq(found.cand[0].kernels, 1);
  ck_assert_uint_eq(found.cand[0].graph->n_block, 1);
  as_search_result_clear(&found);
  read_program_done(&p);
}

END_TEST

int main(void) {
  TCase *tests = test_case("in_parts", 120);
  tcase_add_loop_test(tests, computed_in_parts, 0, sizeof divided / sizeof *divided);
  tcase_add_loop_test(tests, left_whole, 0, sizeof whole / sizeof *whole);
  tcase_add_test(tests, one_kernel);
  return test_run("in_parts", tests);
}
