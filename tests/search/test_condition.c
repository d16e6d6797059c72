/* Risks in floats, found and not found; forms that are safer, and programs that have none. */
#include "read_program.h"
#include "search/condition.h"
#include "search/safe.h"
#include "search/search.h"
#include "tests/suite.h"
#include <stdlib.h>

#define ROWS "program p\nsizes B = 64, D = 128, N = 32\ninput X: f32[B, D]\n"
#define MEAN "M = mean(X, axis=-1)[:, none]\n"
#define LINEAR                                                                                     \
  "program p\nsizes B = 64, D = 128, N = 32\ninput X: f32[B, D]\ninput W: f32[D, N]\n" MEAN
#define THREE                                                                                      \
  "program p\nsizes N = 64\ninput A: f32[N]\ninput P: f32[N]\ninput Q: f32[N]\noutput Y = "
#define ATTENTION                                                                                  \
  "program p\nsizes M = 64, E = 32\ninput Q: f16[M, E]\ninput K: f16[E, M]\ninput V: f16[M, E]\n"  \
  "I = iota(size=M)\nKeep = less_equal(I[none, :], I[:, none])\nS = matmul(Q, K)\n"

static const struct {
  const char *text;
  uint32_t n[AS_N_RISK]; /* exponential, difference, offset, divisor */
} risks[] = {
    {ROWS "output Y = exp(X)\n", {1, 0, 0, 0}},
    {ROWS "E = exp(X)\noutput Y = E / sum(E, axis=-1)[:, none]\n", {1, 0, 0, 0}},
    {ROWS "E = exp(X - max(X, axis=-1)[:, none])\noutput Y = E / sum(E, axis=-1)[:, none]\n",
     {0, 0, 0, 0}},
    /* the maximum of something else bounds nothing */
    {ROWS "output Y = exp(X - max(2 * X, axis=-1)[:, none])\n", {1, 0, 0, 0}},
    {ROWS "output Y = exp(max(X, axis=-1)[:, none] - X)\n", {1, 0, 0, 0}},
    {ROWS "output Y = softmax(X)\n", {0, 0, 0, 0}},
    {ROWS "output Y = softmax(X * 0.125)\n", {0, 0, 0, 0}},
    {ROWS "output Y = exp(-abs(X))\n", {0, 0, 0, 0}},
    {ROWS "output Y = exp(-(X * X))\n", {0, 0, 0, 0}},
    {ROWS "output Y = exp(X * X)\n", {1, 0, 0, 0}},
    {ROWS "output Y = exp(tanh(X))\n", {0, 0, 0, 0}},
    /* one more than an exponential is right where it is infinite */
    {ROWS "output Y = silu(X) + sigmoid(X) * tanh(X)\n", {0, 0, 0, 0}},
    {ROWS "output Y = log(1 + exp(X))\n", {0, 0, 0, 0}},
    {ROWS "output Y = log(X * X + exp(X))\n", {1, 0, 0, 0}},
    {ROWS "output Y = mean(X * X, axis=-1) - mean(X, axis=-1) * mean(X, axis=-1)\n", {0, 1, 0, 0}},
    {ROWS MEAN "C = X - M\noutput Y = mean(C * C, axis=-1)\n", {0, 0, 0, 0}},
    {ROWS MEAN "C = X - M\noutput Y = mean(C * X, axis=-1)\n", {0, 0, 1, 0}},
    {ROWS "output Y = layer_norm(X)\n", {0, 0, 0, 0}},
    {LINEAR "output Y = (X - M) @ W\n", {0, 0, 0, 0}},
    {LINEAR "output Y = X @ W - M * sum(W, axis=0)[none, :]\n", {0, 1, 0, 0}},
    {LINEAR "output Y = X @ W + (-2 * M) * sum(W, axis=0)[none, :]\n", {0, 1, 0, 0}},
    {LINEAR "output Y = X @ W + M * sum(W, axis=0)[none, :]\n", {0, 0, 0, 0}},
    {THREE "A / P / Q\n", {0, 0, 0, 0}},
    {THREE "A / (P * Q)\n", {0, 0, 0, 1}},
    {THREE "A / (P * tanh(Q))\n", {0, 0, 0, 0}},
    {THREE "A / (P * P)\n", {0, 0, 0, 0}},
};

START_TEST(risks_of_programs) {
  read_program p = read_program_text(risks[_i].text, NULL);
  as_condition found;
  as_condition_of(p.graph, &found);
  for (as_risk risk = 0; risk < AS_N_RISK; risk++)
    ck_assert_msg(found.n[risk] == risks[_i].n[risk], "%u at risk by %s, not %u: %s", found.n[risk],
                  as_risk_name(risk), risks[_i].n[risk], risks[_i].text);
  read_program_done(&p);
}

END_TEST

static const char *const safer[] = {
    ROWS "E = exp(X)\noutput Y = E / sum(E, axis=-1)[:, none]\n",
    ROWS "E = exp(X)\noutput Y = E / sum(E, axis=0)[none, :]\n",
    ROWS "output Y = log(sum(exp(X), axis=-1))\n",
    ROWS "output Y = 2 * log(sum_keep(exp(X), axis=1)) - X\n",
    ROWS "output Y = mean(X * X, axis=-1) - square(mean(X, axis=-1))\n",
    ROWS "output Y = mean_keep(square(X), axis=0) - square(mean_keep(X, axis=0))\n",
    ATTENTION "W = exp(S)\noutput O = matmul(W / sum(W, axis=-1)[:, none], V)\n",
    ATTENTION "W = exp(S)\noutput O = matmul(W, V) / sum(W, axis=-1)[:, none]\n",
    ATTENTION "W = exp(S) * Keep\noutput O = matmul(W, V) / sum(W, axis=-1)[:, none]\n",
};

START_TEST(safer_forms) {
  read_program p = read_program_text(safer[_i], NULL);
  as_condition found;
  as_graph *form = sg_safe_form(p.graph);
  ck_assert_msg(form != NULL, "no form of %s", safer[_i]);
  as_condition_of(form, &found);
  for (as_risk risk = 0; risk < AS_N_RISK; risk++)
    ck_assert_msg(found.n[risk] == 0, "still at risk by %s: %s", as_risk_name(risk), safer[_i]);
  as_graph_free(form);
  read_program_done(&p);
}

END_TEST

/* Something of a shift would be left, or nothing is at risk. */
static const char *const none[] = {
    ROWS "output Y = exp(X)\n",
    ROWS "output Y = sum(exp(X), axis=-1)\n",
    ROWS "E = exp(X)\noutput Y = E / (1 + sum(E, axis=-1)[:, none])\n",
    ROWS "E = exp(X)\noutput Y = E / (E + 1)\n",
    ROWS "E = exp(X)\noutput Y = sum(E, axis=0)[none, :] / sum(E, axis=-1)[:, none]\n",
    ROWS "E = exp(X)\noutput Y = E * sum(E, axis=-1)[:, none]\n",
    ROWS "Z = sum(exp(X), axis=-1)\noutput Y = square(log(Z)) + Z\n",
    ROWS "output Y = softmax(X)\n",
    ROWS "output Y = mean(X * X, axis=-1) - square(mean(2 * X, axis=-1))\n",
    ROWS "output Y = mean(X * X, axis=-1) - square(sum(X, axis=-1))\n",
    ATTENTION "W = exp(S)\noutput O = transpose(V, axis=0) @ W\n",
};

START_TEST(no_safer_form) {
  read_program p = read_program_text(none[_i], NULL);
  as_graph *form = sg_safe_form(p.graph);
  ck_assert_msg(form == NULL, "a form of %s", none[_i]);
  read_program_done(&p);
}

END_TEST

/* What is chosen takes no risk: for programs that take some and have a safer form, and for programs
 * that take none, whatever is cheaper. */
static const char *const chosen[] = {
    ROWS "E = exp(X)\noutput Y = E / sum(E, axis=-1)[:, none]\n",
    ROWS "output Y = log(sum(exp(X), axis=-1))\n",
    ROWS "output Y = mean(X * X, axis=-1) - square(mean(X, axis=-1))\n",
    ATTENTION "W = exp(S)\noutput O = matmul(W, V) / sum(W, axis=-1)[:, none]\n",
    ROWS MEAN "C = X - M\noutput Y = C / sqrt(mean(C * C, axis=-1) + 0.00001)[:, none]\n",
    LINEAR "output Y = (X - M) @ W\n",
};

START_TEST(chosen_is_safe) {
  read_program p = read_program_text(chosen[_i], NULL);
  as_search_opts options = as_search_default;
  as_search_result result;
  as_condition found;
  options.keep = 1;
  ck_assert_int_eq(as_search(p.graph, &options, &result), AS_OK);
  ck_assert(result.cand[0].verdict.certified);
  as_condition_of(result.cand[0].graph, &found);
  for (as_risk risk = 0; risk < AS_N_RISK; risk++)
    ck_assert_msg(found.n[risk] == 0, "%s: %s", as_risk_meaning(risk), result.cand[0].text);
  as_search_result_clear(&result);
  read_program_done(&p);
}

END_TEST

int main(void) {
  TCase *tests = test_case("condition", 60);
  tcase_add_loop_test(tests, risks_of_programs, 0, (int)(sizeof risks / sizeof *risks));
  tcase_add_loop_test(tests, safer_forms, 0, (int)(sizeof safer / sizeof *safer));
  tcase_add_loop_test(tests, no_safer_form, 0, (int)(sizeof none / sizeof *none));
  tcase_add_loop_test(tests, chosen_is_safe, 0, (int)(sizeof chosen / sizeof *chosen));
  return test_run("condition", tests);
}
