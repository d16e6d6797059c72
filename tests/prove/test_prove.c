/* Small equalities and their near misses: what is proved is replayed by the checker in a fresh
 * table, what is wrong stays unproved. */
#include "proofs/checker/ck_cert.h"
#include "sexp.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "tests/suite.h"
#include "verify/prove/prove.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name;
  const char *hyps;
  const char *goal;
  bool proved;
} item;

#define SIZES "(< 0 K) (< 0 L) (< 0 T) (< 0 M) (< 0 N) (< 0 J) (< 0 U) "
#define TILED SIZES "(= K (* L T)) (= N (* J U)) (<= 0 i) (< i M) (<= 0 j) (< j N) "
static const item items[] = {
#include "items.inc"
};

static int id_cmp(const void *a, const void *b) {
  ck_id id = *(const ck_id *)a;
  ck_id term = *(const ck_id *)b;
  return id < term ? -1 : id > term;
}

static void make_goal(ck_terms *terms, const item *each, ck_goal *goal) {
  const char *text = each->hyps;
  ck_id allowed[64];
  uint32_t n = 0;
  for (;;) {
    while (*text == ' ')
      text++;
    if (!*text)
      break;
    allowed[n++] = sexp_read(terms, &text);
  }
  qsort(allowed, n, sizeof *allowed, id_cmp);
  ck_ids kept = ck_members(terms, ck_set(terms, allowed, n));
  text = each->goal;
  *goal = (ck_goal){
      .name = "g", .allowed = kept.x, .n_allowed = kept.n, .formula = sexp_read(terms, &text)};
}

static void run(const item *each, bool verbose) {
  ck_terms *T = ck_terms_new();
  ck_goal goal;
  as_proof_result result;
  double start = as_now();
  make_goal(T, each, &goal);
  as_prove_goals(T, &goal, 1, NULL, &result);
  double t1 = as_now();
  if (verbose) {
    printf("%-28s %s %.3fs tried %u lines %u+%u\n", each->name,
           result.verdict == AS_PROVED ? "proved" : "UNKNOWN", t1 - start, result.steps_tried,
           result.steps, result.terms);
    if (result.verdict != AS_PROVED)
      printf("    %s\n    L %s\n    R %s\n", result.reason, result.left,
             result.right ? result.right : "");
  }
  ck_terms_free(T);
  if (verbose) {
    as_proof_result_clear(&result);
    return;
  }
  ck_assert_msg((result.verdict == AS_PROVED) == each->proved, "%s: %s\n  %s\n  %s", each->name,
                each->proved ? "not proved" : "proved, but wrong", result.left ? result.left : "",
                result.right ? result.right : "");
  if (result.verdict == AS_PROVED) {
    ck_terms *terms = ck_terms_new();
    ck_usage use;
    char *why = NULL;
    make_goal(terms, each, &goal);
    ck_assert_msg(ck_cert_check(terms, &goal, 1, result.cert, result.cert_len, &use, &why),
                  "%s: rejected: %s", each->name, why ? why : "");
    ck_terms_free(terms);
  }
  as_proof_result_clear(&result);
}

START_TEST(equalities) {
  run(&items[_i], false);
}

END_TEST

START_TEST(same_bytes) {
  char *cert[2];
  size_t len[2];
  for (int i = 0; i < 2; i++) {
    ck_terms *terms = ck_terms_new();
    ck_goal goal;
    as_proof_result result;
    make_goal(terms, &items[0], &goal);
    as_prove_goals(terms, &goal, 1, NULL, &result);
    cert[i] = as_strdup(result.cert);
    len[i] = result.cert_len;
    as_proof_result_clear(&result);
    ck_terms_free(terms);
  }
  ck_assert(len[0] == len[1] && !memcmp(cert[0], cert[1], len[0]));
  free(cert[0]);
  free(cert[1]);
}

END_TEST

START_TEST(effort_limit) {
  ck_terms *terms = ck_terms_new();
  ck_goal goal;
  as_proof_result result;
  as_prove_opts o = {.max_steps = 5};
  item each = {
      "assoc", SIZES,
      "(= (sum k K (* (sum l L (* (X i l) (Y l k))) (Z k j))) (sum l L (* (X i l) (sum k K "
      "(* (Y l k) (Z k j))))))",
      false};
  make_goal(terms, &each, &goal);
  as_prove_goals(terms, &goal, 1, &o, &result);
  ck_assert_int_eq(result.verdict, AS_UNPROVED);
  ck_assert_str_eq(result.goal, "g");
  ck_assert(strstr(result.reason, "effort") && result.left && result.right && !result.cert);
  as_proof_result_clear(&result);
  ck_terms_free(terms);
}

END_TEST

START_TEST(time_limit) {
  const double until[] = {as_now() - 1, as_now() + 1000};
  item each = {"square", SIZES, "(= (* (X i l) (X i l)) (* 1 (* (X i l) (X i l))))", false};
  for (int i = 0; i < 2; i++) {
    ck_terms *terms = ck_terms_new();
    ck_goal goal;
    as_proof_result result;
    as_prove_opts limits = {.until = until[i]};
    make_goal(terms, &each, &goal);
    as_prove_goals(terms, &goal, 1, &limits, &result);
    ck_assert_int_eq(result.verdict, i ? AS_PROVED : AS_UNPROVED);
    ck_assert_int_eq(result.why, i ? AS_PROOF_FOUND : AS_PROOF_TIME);
    ck_assert(!result.cert == !i);
    as_proof_result_clear(&result);
    ck_terms_free(terms);
  }
}

END_TEST

/* nobody wants a proof any more: none is made, though it would be found */
START_TEST(stopped) {
  item each = {"square", SIZES, "(= (* (X i l) (X i l)) (* 1 (* (X i l) (X i l))))", false};
  for (int i = 0; i < 2; i++) {
    ck_terms *terms = ck_terms_new();
    ck_goal goal;
    as_proof_result result;
    atomic_bool stop = i == 0;
    as_prove_opts limits = {.stop = &stop};
    make_goal(terms, &each, &goal);
    as_prove_goals(terms, &goal, 1, &limits, &result);
    ck_assert_int_eq(result.verdict, i ? AS_PROVED : AS_UNPROVED);
    ck_assert(!result.cert == !i);
    as_proof_result_clear(&result);
    ck_terms_free(terms);
  }
}

END_TEST

START_TEST(from_texts) {
  static const char spec[] = "program p\nsizes N = 4\ninput X: f16[N]\noutput Y = dbl(X) + X\n";
  static const char cand[] = "mugraph c\nY = trp(X)\n";
  static const char wrong[] = "mugraph c\nY = dbl(X)\n";
  static const char sem[] =
      "op add(x[..a], y[..b]) -> [broadcast(a, b) as o]\n  out[..o] = x[~o] + y[~o]\n"
      "op dbl(x[..a]) -> [..a]\n  out[..a] = 2 * x[..a]\n"
      "op trp(x[..a]) -> [..a]\n  out[..a] = 3 * x[..a]\n";
  ck_text s = {"p.tp", spec, sizeof spec - 1};
  ck_text c = {"c.mug", cand, sizeof cand - 1};
  ck_text source = {"w.mug", wrong, sizeof wrong - 1};
  ck_text text = {"o.sem", sem, sizeof sem - 1};
  as_proof_result result;
  ck_msg msg = {0};
  ck_assert_msg(as_prove_texts(&s, &c, &text, 1, NULL, &result, &msg), "%s", msg.text);
  ck_assert_int_eq(result.verdict, AS_PROVED);
  as_proof_result_clear(&result);
  ck_assert(as_prove_texts(&s, &source, &text, 1, NULL, &result, &msg));
  ck_assert_int_eq(result.verdict, AS_UNPROVED);
  as_proof_result_clear(&result);
}

END_TEST

int main(int argc, char **argv) {
  size_t n = sizeof items / sizeof *items;
  if (argc > 1) { /* one item by name, shown */
    for (size_t i = 0; i < n; i++) {
      if (!strcmp(argv[1], "all") || !strcmp(argv[1], items[i].name))
        run(&items[i], true);
    }
    return 0;
  }
  TCase *tests = test_case("equalities", 60);
  tcase_add_loop_test(tests, equalities, 0, (int)n);
  tcase_add_test(tests, same_bytes);
  tcase_add_test(tests, effort_limit);
  tcase_add_test(tests, time_limit);
  tcase_add_test(tests, stopped);
  tcase_add_test(tests, from_texts);
  return test_run("prove", tests);
}
