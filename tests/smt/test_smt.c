/* Solver verdicts: real proofs agree in both solvers, planted errors are disputed, broken solvers
 * are reported and never pass. */
#include "src/base/mem.h"
#include "src/base/str.h"
#include "tests/source_dir.h"
#include "tests/suite.h"
#include "verify/prove/prove.h"
#include "verify/smt/smt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const sems[] = {"elementwise", "linear", "normalize", "reduce", "shape"};

typedef struct {
  ck_terms *T;
  ck_claim *c;
  as_proof_result r;
  as_smt_set s;
  char *path[5];
} proved;

static void prove_example(proved *theorem, const char *name) {
  const char *top = test_source_dir();
  ck_msg m = {0};
  char *spec = as_format("%s/examples/%s.tp", top, name);
  char *cand = as_format("%s/examples/%s.mug", top, name);
  for (int i = 0; i < 5; i++)
    theorem->path[i] = as_format("%s/semantics/%s.sem", top, sems[i]);
  theorem->T = ck_terms_new();
  theorem->c = as_claim_of_files(theorem->T, spec, cand, (const char *const *)theorem->path, 5, &m);
  ck_assert_msg(theorem->c != NULL, "%s: %s", name, m.text ? m.text : "?");
  as_prove_claim(theorem->T, theorem->c, NULL, &theorem->r);
  ck_assert_msg(theorem->r.verdict == AS_PROVED, "%s: %s", name,
                theorem->r.reason ? theorem->r.reason : "?");
  as_err err;
  as_err_init(&err);
  as_status status = as_smt_obligations(theorem->T, theorem->c->goals, theorem->c->n_goals,
                                        theorem->r.cert, theorem->r.cert_len, &theorem->s, &err);
  ck_assert_msg(status == AS_OK, "%s: %s", name, err.text ? err.text : "?");
  as_err_clear(&err);
  free(spec);
  free(cand);
}

static void done(proved *theorem) {
  as_smt_set_clear(&theorem->s);
  as_proof_result_clear(&theorem->r);
  ck_claim_free(theorem->c);
  ck_terms_free(theorem->T);
  for (int i = 0; i < 5; i++)
    free(theorem->path[i]);
}

static void both_agree(const char *name) {
  proved theorem;
  as_smt_result z;
  as_smt_result result;
  prove_example(&theorem, name);
  ck_assert_uint_gt(theorem.s.n, 0);
  as_smt_ask(AS_SMT_Z3, &theorem.s, NULL, &z);
  as_smt_ask(AS_SMT_CVC5, &theorem.s, NULL, &result);
  printf("%s: %u queries of %u steps (%u of folds and instances); z3 %s %u in %.2f s; cvc5 %s %u "
         "in %.2f s %s\n",
         name, theorem.s.n, theorem.s.steps, theorem.s.schema, as_smt_verdict_name(z.verdict),
         z.agreed, z.seconds, as_smt_verdict_name(result.verdict), result.agreed, result.seconds,
         result.reason ? result.reason : "");
  ck_assert_msg(z.verdict == AS_SMT_AGREES && z.agreed == theorem.s.n, "z3 on %s: %s", name,
                z.reason ? z.reason : "?");
  if (result.verdict != AS_SMT_MISSING) {
    ck_assert_msg(result.verdict == AS_SMT_AGREES && result.agreed == theorem.s.n, "cvc5 on %s: %s",
                  name, result.reason ? result.reason : "?");
  }
  as_smt_result_clear(&z);
  as_smt_result_clear(&result);
  done(&theorem);
}

START_TEST(examples) {
  static const char *const name[] = {"rmsnorm_linear",   "gated_mlp",  "lora", "gqa",
                                     "layernorm_linear", "gated_mixer"};
  both_agree(name[_i]);
}

END_TEST

/* The conclusion of each query is dropped in turn from what is denied: without its denial, or with
 * a premise taken out, queries must not all stay unsat. */
START_TEST(premises_matter) {
  proved theorem;
  prove_example(&theorem, "lora");
  uint32_t disputed = 0;
  uint32_t tried = 0;
  for (uint32_t i = 0; i < theorem.s.n; i++) {
    as_smt_query *query = &theorem.s.q[i];
    char *last = NULL;
    for (char *at = query->text; (at = strstr(at, "\n(assert (=> ")); at++)
      last = at;
    if (!last)
      continue;
    char *end = strchr(last + 1, '\n');
    memset(last + 1, ';', 1); /* the last premise becomes a comment */
    ck_assert_ptr_nonnull(end);
    tried++;
    as_smt_set one = {.q = query, .n = 1};
    as_smt_result z;
    as_smt_result result;
    as_smt_ask(AS_SMT_Z3, &one, NULL, &z);
    as_smt_ask(AS_SMT_CVC5, &one, NULL, &result);
    if (z.verdict == AS_SMT_DISAGREES)
      disputed++;
    if (result.verdict == AS_SMT_AGREES || result.verdict == AS_SMT_DISAGREES)
      ck_assert_int_eq(z.verdict, result.verdict);
    as_smt_result_clear(&z);
    as_smt_result_clear(&result);
    if (tried == 20)
      break;
  }
  ck_assert_uint_gt(tried, 0);
  ck_assert_uint_gt(disputed, tried / 4);
  done(&theorem);
}

END_TEST

static as_smt_set planted(as_smt_query query[3], const char *second) {
  query[0] = (as_smt_query){
      as_strdup("one"),
      as_strdup("(set-logic QF_AUFLIRA)\n(declare-fun x () Int)\n(assert (< x x))\n(check-sat)\n"),
      true};
  query[1] = (as_smt_query){as_strdup("two"), as_strdup(second), true};
  query[2] = (as_smt_query){as_strdup("three"), as_strdup(query[0].text), true};
  return (as_smt_set){.q = query, .n = 3};
}

static void drop(as_smt_query *query) {
  for (int i = 0; i < 3; i++) {
    free(query[i].name);
    free(query[i].text);
  }
}

START_TEST(verdicts_of_real_solvers) {
  static const struct {
    const char *text;
    as_smt_verdict v;
  } t[] = {
      {"(set-logic QF_AUFLIRA)\n(declare-fun x () Int)\n(assert (< x 3))\n(check-sat)\n",
       AS_SMT_DISAGREES},
      {"(set-logic QF_AUFLIRA)\n(assert (< y 3))\n(check-sat)\n", AS_SMT_UNKNOWN}, /* unreadable */
      {"(set-logic QF_AUFLIRA)\n(assert (< 1 0))\n(check-sat)\n", AS_SMT_AGREES}};

  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    as_smt_query query[3];
    as_smt_set queries = planted(query, t[i].text);
    as_smt_result z;
    as_smt_result result;
    as_smt_ask(AS_SMT_Z3, &queries, NULL, &z);
    as_smt_ask(AS_SMT_CVC5, &queries, NULL, &result);
    ck_assert_int_eq(z.verdict, t[i].v);
    ck_assert_msg(result.verdict == AS_SMT_MISSING || result.verdict == t[i].v ||
                      (t[i].v == AS_SMT_UNKNOWN && result.verdict == AS_SMT_DIED),
                  "%zu: cvc5 %s", i, as_smt_verdict_name(result.verdict));
    as_smt_result_clear(&z);
    as_smt_result_clear(&result);
    drop(query);
  }
}

END_TEST

START_TEST(limits) {
  proved theorem;
  as_smt_result result;
  prove_example(&theorem, "lora");
  as_smt_opts o = {.rlimit = 1};
  as_smt_ask(AS_SMT_Z3, &theorem.s, &o, &result);
  ck_assert_int_eq(result.verdict, AS_SMT_UNKNOWN);
  ck_assert_ptr_nonnull(result.reason);
  as_smt_result_clear(&result);
  as_smt_set none = {0};
  as_smt_ask(AS_SMT_Z3, &none, NULL, &result);
  ck_assert_int_eq(result.verdict, AS_SMT_UNKNOWN); /* nothing asked is nothing agreed */
  as_smt_result_clear(&result);
  as_smt_ask(AS_SMT_CVC5, &none, NULL, &result);
  ck_assert_int_ne(result.verdict, AS_SMT_AGREES);
  as_smt_result_clear(&result);
  done(&theorem);
}

END_TEST

START_TEST(broken_solvers) {
  static const struct {
    const char *prog;
    as_smt_verdict v;
  } t[] = {{"hang", AS_SMT_UNKNOWN},      {"crash", AS_SMT_DIED},    {"exit", AS_SMT_DIED},
           {"garbage", AS_SMT_DIED},      {"sat", AS_SMT_DISAGREES}, {"unknown", AS_SMT_UNKNOWN},
           {"not_there", AS_SMT_MISSING}, {"lies", AS_SMT_UNSOUND}};

  const char *top = test_source_dir();
  as_smt_query query[3];
  as_smt_set queries = planted(
      query, "(set-logic QF_AUFLIRA)\n(declare-fun x () Int)\n(assert (< x 3))\n(check-sat)\n");
  char *path = as_format("%s/tests/smt/fake_cvc5_%s.sh", top, t[_i].prog);
  as_smt_opts o = {.query_ms = 200, .total_ms = 4000, .program = path};
  as_smt_result result;
  as_smt_ask(AS_SMT_CVC5, &queries, &o, &result);
  ck_assert_msg(result.verdict == t[_i].v, "%s: %s (%s)", t[_i].prog,
                as_smt_verdict_name(result.verdict), result.reason ? result.reason : "?");
  ck_assert_ptr_nonnull(result.reason);
  ck_assert_uint_lt(result.agreed, 4);
  ck_assert(result.seconds < 8);
  as_smt_result_clear(&result);
  free(path);
  drop(query);
}

END_TEST

START_TEST(wrong_certificates) {
  proved theorem;
  as_err err;
  as_smt_set queries;
  prove_example(&theorem, "lora");
  for (size_t cut = 0; cut < theorem.r.cert_len;
       cut += theorem.r.cert_len / 40 + 1) { /* truncated */
    as_err_init(&err);
    ck_assert_int_eq(as_smt_obligations(theorem.T, theorem.c->goals, theorem.c->n_goals,
                                        theorem.r.cert, cut, &queries, &err),
                     AS_NO);
    ck_assert_uint_eq(queries.n, 0);
    as_err_clear(&err);
  }
  char *bad = as_malloc(theorem.r.cert_len + 1);
  for (size_t at = 20; at < theorem.r.cert_len;
       at += theorem.r.cert_len / 60 + 1) { /* a byte that no certificate has */
    memcpy(bad, theorem.r.cert, theorem.r.cert_len);
    bad[at] = '\001';
    as_err_init(&err);
    as_status status = as_smt_obligations(theorem.T, theorem.c->goals, theorem.c->n_goals, bad,
                                          theorem.r.cert_len, &queries, &err);
    ck_assert(status == AS_NO || status == AS_OK); /* OK: a word that is only a name */
    as_smt_set_clear(&queries);
    as_err_clear(&err);
  }
  free(bad);
  done(&theorem);
}

END_TEST

int main(void) {
  TCase *tests = test_case("smt", 120);
  tcase_add_loop_test(tests, examples, 0, 6);
  tcase_add_test(tests, premises_matter);
  tcase_add_test(tests, verdicts_of_real_solvers);
  tcase_add_test(tests, limits);
  tcase_add_loop_test(tests, broken_solvers, 0, 8);
  tcase_add_test(tests, wrong_certificates);
  return test_run("smt", tests);
}
