/* The field test and the refuter on programs and muGraphs: equal pairs and mutants. */
#include "../../verify/field/field.h"
#include "load.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static as_oplib *lib;

START_TEST(equal_pairs_pass) {
  for (int i = 0; load_examples[i]; i++) {
    load_pair p;
    load_pair_init(&p, load_examples[i], lib);
    double start = as_now();
    as_field_report r;
    as_err e;
    as_err_init(&e);
    as_status s = as_field_test(p.tp, p.mug, NULL, &r, &e);
    char *text = as_field_report_print(&r);
    printf("%s (%.3f s)\n%s", load_examples[i], as_now() - start, text);
    ck_assert_msg(s == AS_OK, "%s: %s", load_examples[i], e.text ? e.text : "");
    ck_assert_uint_ge(r.same + r.close, r.needed);
    free(text);
    as_field_report_clear(&r);
    /* never rejected, whatever the seed */
    for (uint64_t seed = 2; seed < 12; seed++) {
      as_field_options o = as_field_default;
      o.seed = seed;
      s = as_field_test(p.tp, p.mug, &o, &r, &e);
      ck_assert_msg(s == AS_OK, "%s, seed %d: %d (%s)", load_examples[i], (int)seed, (int)s,
                    e.text ? e.text : "");
      as_field_report_clear(&r);
      s = as_field_test(p.tp, p.tp, &o, &r, &e);
      ck_assert_int_eq(s, AS_OK);
      as_field_report_clear(&r);
    }
    as_refute_budget b = as_refute_default;
    b.seconds = 1;
    b.max_size = 2;
    as_cex c;
    s = as_refute(p.tp, p.mug, &b, &c, &e);
    if (s == AS_NO) {
      char *t = as_cex_print(p.tp, &c);
      printf("%s", t);
      free(t);
    }
    ck_assert_int_eq(s, AS_UNKNOWN);
    as_cex_clear(&c);
    as_err_clear(&e);
    load_pair_clear(&p);
  }
}

END_TEST

/* Sizes that the text forces to be large: no verdict, and not the machine's memory either. */
START_TEST(forced_sizes) {
  static const char *const name[] = {"forced_sizes", "forced_size"};
  for (int i = 0; i < 2; i++) {
    char *path = load_path("tests/regress", name[i], ".tp");
    as_sizes *S = as_sizes_new();
    as_graph *g = load_tp(path, S, lib);
    as_field_report r;
    as_err e;
    as_err_init(&e);
    double start = as_now();
    as_field_options o = as_field_default;
    o.max_ops = 1000000;
    as_status s = as_field_test(g, g, &o, &r, &e);
    ck_assert_msg(s == AS_UNKNOWN, "%s: %d (%s)", name[i], (int)s, e.text ? e.text : "");
    printf("%s: inconclusive (%s), %.3f s\n", name[i], e.text ? e.text : "", as_now() - start);
    as_field_report_clear(&r);
    as_cex c;
    as_refute_budget b = as_refute_default;
    b.seconds = 1;
    ck_assert_int_eq(as_refute(g, g, &b, &c, NULL), AS_UNKNOWN);
    as_cex_clear(&c);
    as_err_clear(&e);
    as_graph_free(g);
    as_sizes_free(S);
    free(path);
  }
}

END_TEST

/* --- wrong candidates */
typedef struct {
  int parsed;
  int wrong;
  int equal;
  int open;
  int refuted;
} tally;

static void judge(const load_pair *p, const as_graph *m, const char *text, bool search, tally *t) {
  as_field_report r;
  as_err e;
  as_err_init(&e);
  as_status s = as_field_test(p->tp, m, NULL, &r, &e);
  t->parsed++;
  t->wrong += s == AS_NO;
  t->equal += s == AS_OK;
  t->open += s == AS_UNKNOWN;
  ck_assert_msg(s != AS_BAD_INPUT && s != AS_INTERNAL, "%s:\n%s", e.text ? e.text : "", text);
  if (s == AS_NO) {
    ck_assert_int_eq(as_cex_replay(p->tp, m, &r.cex, &e), AS_NO);
    ck_assert_int_ne(as_cex_replay(p->tp, p->mug, &r.cex, &e), AS_NO);
  }
  as_field_report_clear(&r);
  if (search) {
    as_cex c;
    as_refute_budget b = as_refute_default;
    b.seconds = 1;
    as_status q = as_refute(p->tp, m, &b, &c, &e);
    ck_assert_msg(!(s == AS_OK && q == AS_NO),
                  "the field test passes what the refuter refutes:\n%s", text);
    if (q == AS_NO) {
      t->refuted++;
      ck_assert_int_eq(as_cex_replay(p->tp, m, &c, &e), AS_NO);
    }
    as_cex_clear(&c);
  }
  as_err_clear(&e);
}

START_TEST(mutants) {
  as_rng rng;
  as_rng_seed(&rng, 11);
  for (int i = 0; load_examples[i]; i++) {
    load_pair p;
    load_pair_init(&p, load_examples[i], lib);
    tally n = {0};
    for (int t = 0; t < 60; t++) {
      char *text = load_mutate(p.mug_text, &rng);
      as_graph *m = strcmp(text, p.mug_text) ? load_mug_text(text, p.tp) : NULL;
      if (m)
        judge(&p, m, text, t % 4 == 0, &n);
      as_graph_free(m);
      free(text);
    }
    printf("%s: %d mutants parse: %d wrong, %d the same, %d open; %d refuted from scratch\n",
           load_examples[i], n.parsed, n.wrong, n.equal, n.open, n.refuted);
    ck_assert_int_gt(n.wrong, 3);
    ck_assert_int_gt(n.refuted, 0);
    load_pair_clear(&p);
  }
}

END_TEST

int main(void) {
  lib = test_operators();
  TCase *tests = test_case("graphs", 240);
  tcase_add_test(tests, equal_pairs_pass);
  tcase_add_test(tests, forced_sizes);
  tcase_add_test(tests, mutants);
  int status = test_run("graphs", tests);
  as_oplib_free(lib);
  return status;
}
