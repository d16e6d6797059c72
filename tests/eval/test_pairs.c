/* Pairs that differ in one way each, and equal pairs that are hard for a test over finite fields.
 */
#include "../../verify/field/field.h"
#include "load.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static as_oplib *lib;
#include "pairs.inc"

static void check_row(const row *r) {
  as_sizes *sizes = as_sizes_new();
  as_graph *other = load_text(r->given, sizes, lib, NULL);
  as_graph *graph = load_text(r->cand, sizes, lib, other);
  as_err err;
  as_err_init(&err);
  as_field_report f;
  as_status status = as_field_test(other, graph, NULL, &f, &err);
  as_cex cex;
  as_refute_budget budget = as_refute_default;
  budget.total_ops = 2000000;
  if (r->e != WRONG)
    budget.max_size = 2;
  as_status q = as_refute(other, graph, &budget, &cex, &err);
  if (q == AS_NO) {
    char *text = as_cex_print(other, &cex);
    printf("%s: field %d, refuter %d: %s", r->what, (int)status, (int)q, text);
    free(text);
  } else {
    printf("%s: field %d (%llu same, %llu close, %llu unexplained), refuter %d\n", r->what,
           (int)status, (unsigned long long)f.same, (unsigned long long)f.close,
           (unsigned long long)f.unexplained, (int)q);
  }
  if (r->e == WRONG) {
    /* the field test draws no zeros and no empty sizes: definedness at such points is the refuter's
     */
    ck_assert_msg(status == AS_NO || r->kind == AS_CEX_UNDEFINED, "%s: the field test says %d",
                  r->what, (int)status);
    ck_assert_msg(q == AS_NO, "%s: not refuted (%s)", r->what, err.text ? err.text : "");
    ck_assert_msg(cex.kind == r->kind, "%s: a counterexample of kind %d", r->what, (int)cex.kind);
    ck_assert_int_eq(as_cex_replay(other, graph, &cex, &err), AS_NO);
    ck_assert_int_ne(as_cex_replay(other, other, &cex, &err), AS_NO);
  } else {
    ck_assert_msg(status != AS_NO && q == AS_UNKNOWN, "%s: an equal pair is rejected", r->what);
    ck_assert_msg(status == AS_OK || r->e == NOT_REJECTED, "%s: the field test says %d (%s)",
                  r->what, (int)status, err.text ? err.text : "");
    if (r->e == SAME)
      ck_assert_msg(f.same > 0, "%s: nothing compared in the field", r->what);
    if (r->e == CLOSE)
      ck_assert_msg(f.close > 0 && f.bound >= 1, "%s: a bound without field values", r->what);
    for (uint64_t seed = 100; seed < 110; seed++) {
      as_field_report field;
      as_field_options options = as_field_default;
      options.seed = seed;
      options.p = f.p;
      options.q = f.q;
      ck_assert_msg(as_field_test(other, graph, &options, &field, &err) != AS_NO,
                    "%s: rejected with seed %d", r->what, (int)seed);
      as_field_report_clear(&field);
    }
  }
  as_cex_clear(&cex);
  as_field_report_clear(&f);
  as_err_clear(&err);
  as_graph_free(graph);
  as_graph_free(other);
  as_sizes_free(sizes);
}

START_TEST(pairs) {
  check_row(&rows[_i]);
}

END_TEST

/* refutes cand, and says whether the difference is one that floating-point arithmetic keeps */
static bool refuted_faintly(const char *given, const char *cand) {
  as_sizes *sizes = as_sizes_new();
  as_graph *program = load_text(given, sizes, lib, NULL);
  as_graph *candidate = load_text(cand, sizes, lib, program);
  as_err err;
  as_err_init(&err);
  as_cex cex;
  as_status status = as_refute(program, candidate, NULL, &cex, &err);
  ck_assert_msg(status == AS_NO, "not refuted: %s", err.text ? err.text : "");
  ck_assert_int_eq(as_cex_replay(program, candidate, &cex, &err), AS_NO);
  bool faint = cex.faint;
  as_cex_clear(&cex);
  as_err_clear(&err);
  as_graph_free(candidate);
  as_graph_free(program);
  as_sizes_free(sizes);
  return faint;
}

/* large inputs saturate the gate: the first difference that is met is 1e-16 of the value */
START_TEST(a_counterexample_that_can_be_seen) {
  ck_assert(!refuted_faintly(HEAD "output Z = silu(X * Y * 9) * Y\n",
                             HEAD "output Z = X * Y * 9 * sigmoid(Y * Y * 9) * Y\n"));
}

END_TEST

START_TEST(a_faint_counterexample_is_one) {
  ck_assert(refuted_faintly(HEAD "output Z = exp(X * X + 1)\n",
                            HEAD "output Z = exp(X * X + 1) * (1 + 1/1000000000000)\n"));
}

END_TEST

/* Whether a test says anything is seen without an evaluation: of sizes that may be small it does,
 * of extents that are large numbers it does not. */
START_TEST(out_of_reach) {
  static const struct {
    const char *text;
    bool out;
  } programs[] = {
      {"program p\nsizes N = 4096\ninput X: f32[N, N]\ninput Y: f32[N, N]\noutput Z = X @ Y\n",
       false},
      {"program p\ninput X: f32[64, 64]\ninput Y: f32[64, 64]\noutput Z = X @ Y\n", false},
      {"program p\ninput X: f32[4096, 4096]\ninput Y: f32[4096, 4096]\noutput Z = X @ Y\n", true},
      {"program p\nsizes N = 4096\ninput X: f32[N, 4096]\ninput Y: f32[4096, 4096]\n"
       "output Z = X @ Y\n",
       false},
  };

  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    as_sizes *sizes = as_sizes_new();
    as_graph *program = load_text(programs[i].text, sizes, lib, NULL);
    ck_assert_msg(as_field_is_out_of_reach(program, NULL) == programs[i].out, "%s",
                  programs[i].text);
    as_graph_free(program);
    as_sizes_free(sizes);
  }
}

END_TEST

int main(void) {
  lib = test_operators();
  TCase *tests = test_case("pairs", 60);
  tcase_add_loop_test(tests, pairs, 0, (int)(sizeof rows / sizeof *rows));
  tcase_add_test(tests, a_counterexample_that_can_be_seen);
  tcase_add_test(tests, a_faint_counterexample_is_one);
  tcase_add_test(tests, out_of_reach);
  int status = test_run("pairs", tests);
  as_oplib_free(lib);
  return status;
}
