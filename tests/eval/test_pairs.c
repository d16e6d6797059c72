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
  as_sizes *S = as_sizes_new();
  as_graph *a = load_text(r->given, S, lib, NULL);
  as_graph *b = load_text(r->cand, S, lib, a);
  as_err e;
  as_err_init(&e);
  as_field_report f;
  as_status s = as_field_test(a, b, NULL, &f, &e);
  as_cex c;
  as_refute_budget budget = as_refute_default;
  budget.seconds = 2;
  if (r->e != WRONG)
    budget.max_size = 2;
  as_status q = as_refute(a, b, &budget, &c, &e);
  if (q == AS_NO) {
    char *t = as_cex_print(a, &c);
    printf("%s: field %d, refuter %d: %s", r->what, (int)s, (int)q, t);
    free(t);
  } else {
    printf("%s: field %d (%llu same, %llu close, %llu unexplained), refuter %d\n", r->what, (int)s,
           (unsigned long long)f.same, (unsigned long long)f.close,
           (unsigned long long)f.unexplained, (int)q);
  }
  if (r->e == WRONG) {
    /* the field test draws no zeros and no empty sizes: definedness at such points is the refuter's
     */
    ck_assert_msg(s == AS_NO || r->kind == AS_CEX_UNDEFINED, "%s: the field test says %d", r->what,
                  (int)s);
    ck_assert_msg(q == AS_NO, "%s: not refuted (%s)", r->what, e.text ? e.text : "");
    ck_assert_msg(c.kind == r->kind, "%s: a counterexample of kind %d", r->what, (int)c.kind);
    ck_assert_int_eq(as_cex_replay(a, b, &c, &e), AS_NO);
    ck_assert_int_ne(as_cex_replay(a, a, &c, &e), AS_NO);
  } else {
    ck_assert_msg(s != AS_NO && q == AS_UNKNOWN, "%s: an equal pair is rejected", r->what);
    ck_assert_msg(s == AS_OK || r->e == NOT_REJECTED, "%s: the field test says %d (%s)", r->what,
                  (int)s, e.text ? e.text : "");
    if (r->e == SAME)
      ck_assert_msg(f.same > 0, "%s: nothing compared in the field", r->what);
    if (r->e == CLOSE)
      ck_assert_msg(f.close > 0 && f.bound >= 1, "%s: a bound without field values", r->what);
    for (uint64_t seed = 100; seed < 110; seed++) {
      as_field_report f2;
      as_field_options o = as_field_default;
      o.seed = seed;
      o.p = f.p;
      o.q = f.q;
      ck_assert_msg(as_field_test(a, b, &o, &f2, &e) != AS_NO, "%s: rejected with seed %d", r->what,
                    (int)seed);
      as_field_report_clear(&f2);
    }
  }
  as_cex_clear(&c);
  as_field_report_clear(&f);
  as_err_clear(&e);
  as_graph_free(b);
  as_graph_free(a);
  as_sizes_free(S);
}

START_TEST(pairs) {
  check_row(&rows[_i]);
}

END_TEST

int main(void) {
  lib = test_operators();
  TCase *tests = test_case("pairs", 60);
  tcase_add_loop_test(tests, pairs, 0, (int)(sizeof rows / sizeof *rows));
  int status = test_run("pairs", tests);
  as_oplib_free(lib);
  return status;
}
