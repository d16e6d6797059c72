/* Orders of a program's operators: reductions before what need not wait for them, terms that are
 * one number, and what only looks like either. */
#include "read_program.h"
#include "search/variant.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

/* of the package for PyTorch, which has windows */
static const char operators[] = "python/assay/torch_ops.sem";

static double cost(const as_graph *graph) {
  double us = 0;
  for (uint32_t i = 0; i < graph->n; i++) {
    if (graph->node[i].kind == AS_N_OP)
      us += as_cost_operator(graph, i, as_target_default());
  }
  return us;
}

/* the cheapest order by what its operators cost apart, as a part of the program's cost; 1: none */
static double cheapest(const read_program *p) {
  uint64_t struck[AS_LIMIT_N] = {0};
  uint32_t n;
  as_graph **found = sg_variants(p->graph, as_target_default(), true, 3, &n, struck);
  double best = 1;
  for (uint32_t i = 0; i < n; i++) {
    double part = cost(found[i]) / cost(p->graph);
    best = part < best ? part : best;
    as_graph_free(found[i]);
  }
  free(found);
  return best;
}

#define LINEAR                                                                                     \
  "program p\nsizes B = 1024, D = 4096, F = 2048\ninput X: f32[B, D]\ninput W: f32[F, D]\n"        \
  "input b: f32[F]\ninput c: f32[B, F]\nh = X @ transpose(W, axis=0)\n"
#define SQUARE                                                                                     \
  "program p\nsizes D = 2048\ninput X: f32[D, D]\ninput W: f32[D, D]\nh = X @ transpose(W, "       \
  "axis=0)\n"

/* A product with the sum of a matrix is a small part of one with the matrix. */
static const char *const less_work[] = {
    LINEAR "output y = sum(h, axis=1)\n",
    LINEAR "output y = sum(h, axis=0)\n",
    LINEAR "output y = mean(h, axis=-1)\n",
    LINEAR "output y = sum(h / 2, axis=1) * 1.5\n",
    LINEAR "output y = sum(h + b, axis=1)\n",
    LINEAR "output y = exp(sum((h - b) * 3, axis=1))\n",
    /* two axes of one extent: the right one is taken */
    SQUARE "output y = sum(h, axis=1)\n",
    SQUARE "output y = sum(h, axis=0)\n",
    /* some of the columns */
    LINEAR "output y = relu(torch_window_sum(h, axis=1, k=16, s=16))\n",
    LINEAR "output y = relu(torch_window_sum(h + b, axis=1, k=16, s=16))\n",
    /* through what puts an axis elsewhere */
    LINEAR "output y = relu(torch_window_sum(expand_dims(h, axis=1), axis=2, k=8, s=8))\n",
    /* one number everywhere */
    LINEAR "m = max(h, axis=1)\noutput y = exp(m - m)\n",
    LINEAR "m = max(h, axis=1)\noutput y = exp(m / m)\n",
    LINEAR "output y = maximum(minimum(h, 2), 2)\n",
    LINEAR "output y = minimum(maximum(h, 1.5), 1.5) + b\n",
};

/* What does not go through: a sum of what is not a sum, of what has the axis twice, a largest
 * element, windows of what is bent; and numbers that are not one. */
static const char *const as_much[] = {
    LINEAR "output y = sum(relu(h), axis=1)\n",
    LINEAR "output y = sum(h * c, axis=1)\n",
    LINEAR "output y = sum(h * b * h, axis=1)\n",
    LINEAR "output y = max(h, axis=1)\n",
    LINEAR "output y = torch_window_sum(relu(h), axis=1, k=16, s=16)\n",
    LINEAR "output y = torch_window_sum(h * c, axis=1, k=16, s=16)\n",
    LINEAR "output y = torch_window_max(h, axis=1, k=16, s=16)\n",
    LINEAR "m = max(h, axis=1)\noutput y = exp(m + m)\n",
    LINEAR "output y = maximum(minimum(h, 2), 1.9)\n",
    LINEAR "output y = maximum(maximum(h, 2), 2)\n",
    LINEAR "output y = minimum(minimum(h, 2), 1)\n",
};

START_TEST(with_less_work) {
  read_program p = read_program_text(less_work[_i], operators);
  double part = cheapest(&p);
  ck_assert_msg(part < 0.5, "%s\n%g of it", less_work[_i], part);
  read_program_done(&p);
}

END_TEST

START_TEST(with_as_much) {
  read_program p = read_program_text(as_much[_i], operators);
  double part = cheapest(&p);
  ck_assert_msg(part > 0.5, "%s\n%g of it", as_much[_i], part);
  read_program_done(&p);
}

END_TEST

/* What is behind a change has the value that it had, and so the program's name for it: by names the
 * prover knows which tensors may be the program's. */
START_TEST(names_are_kept) {
  read_program p = read_program_text(
      LINEAR "s = sum(h + b, axis=1)\nr = relu(s)\nq = r * r\noutput y = exp(q)\n", operators);
  uint64_t struck[AS_LIMIT_N] = {0};
  uint32_t n;
  as_graph **found = sg_variants(p.graph, as_target_default(), true, 3, &n, struck);
  static const char *const kept[] = {"s", "r", "q", "y"};
  ck_assert_uint_gt(n, 0);
  for (uint32_t i = 0; i < n; i++) {
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
      uint32_t times = 0;
      for (uint32_t node = 0; node < found[i]->n; node++)
        times += found[i]->node[node].name && strcmp(found[i]->node[node].name, kept[k]) == 0;
      ck_assert_msg(times == 1, "%s: %u times", kept[k], times);
    }
    as_graph_free(found[i]);
  }
  free(found);
  read_program_done(&p);
}

END_TEST

/* tiles that reach beyond an extent that is a number: what is searched is read back and proved */
START_TEST(numbers_are_covered) {
  read_program p = read_program_text("program p\nsizes N = 4096\ninput X: f32[N, 120]\n"
                                     "input c: f32[120]\noutput y = exp(X * c + X)\n",
                                     operators);
  as_search_opts options = as_search_default;
  as_search_result found;
  options.threads = 2;
  ck_assert_int_eq(as_search(p.graph, &options, &found), AS_OK);
  ck_assert_uint_eq(found.stats.unproved, 0);
  ck_assert_uint_eq(found.cand[0].kernels, 1);
  as_search_result_clear(&found);
  read_program_done(&p);
}

END_TEST

/* what a search for one candidate makes of it, which is certified */
static as_search_result search_certified(const as_graph *graph) {
  as_search_opts options = as_search_default;
  as_search_result found;
  options.threads = 2;
  options.keep = 1;
  ck_assert_int_eq(as_search(graph, &options, &found), AS_OK);
  ck_assert(found.cand[0].verdict.certified);
  return found;
}

/* what the search makes of it is certified, and no block waits for the product's rows */
START_TEST(certified) {
  read_program p = read_program_text(LINEAR "output y = relu(sum(h + b, axis=1))\n", operators);
  as_search_result found = search_certified(p.graph);
  ck_assert(as_cost(found.cand[0].graph, as_target_default(), NULL) < cost(p.graph) / 4);
  as_search_result_clear(&found);
  read_program_done(&p);
}

END_TEST

/* a program without what depends on its inputs is still one */
START_TEST(of_no_input) {
  read_program p =
      read_program_text(LINEAR "m = max(h, axis=1)\noutput y = exp(m - m)\n", operators);
  as_search_result found = search_certified(p.graph);
  for (uint32_t i = 0; i < found.cand[0].graph->n; i++) {
    const as_node *node = &found.cand[0].graph->node[i];
    for (uint32_t k = 0; k < node->nargs; k++)
      ck_assert(found.cand[0].graph->node[node->arg[k]].kind != AS_N_INPUT);
  }
  as_search_result_clear(&found);
  read_program_done(&p);
}

END_TEST

int main(void) {
  TCase *tests = test_case("variant", 240);
  tcase_add_loop_test(tests, with_less_work, 0, sizeof less_work / sizeof *less_work);
  tcase_add_loop_test(tests, with_as_much, 0, sizeof as_much / sizeof *as_much);
  tcase_add_test(tests, names_are_kept);
  tcase_add_test(tests, numbers_are_covered);
  tcase_add_test(tests, certified);
  tcase_add_test(tests, of_no_input);
  return test_run("variant", tests);
}
