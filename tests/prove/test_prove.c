/* Small equalities and their near misses: what is proved is replayed by the checker in a fresh
 * table, what is wrong stays unproved. */
#include "proofs/checker/ck_cert.h"
#include "sexp.h"
#include "src/base/base.h"
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
  ck_id x = *(const ck_id *)a;
  ck_id y = *(const ck_id *)b;
  return x < y ? -1 : x > y;
}

static void make_goal(ck_terms *T, const item *it, ck_goal *g) {
  const char *s = it->hyps;
  ck_id allowed[64];
  uint32_t n = 0;
  for (;;) {
    while (*s == ' ')
      s++;
    if (!*s)
      break;
    allowed[n++] = sexp_read(T, &s);
  }
  qsort(allowed, n, sizeof *allowed, id_cmp);
  ck_ids kept = ck_members(T, ck_set(T, allowed, n));
  s = it->goal;
  *g = (ck_goal){"g", kept.x, kept.n, sexp_read(T, &s)};
}

static void run(const item *it, bool verbose) {
  ck_terms *T = ck_terms_new();
  ck_goal g;
  as_proof_result r;
  double t0 = as_now();
  make_goal(T, it, &g);
  as_prove_goals(T, &g, 1, NULL, &r);
  double t1 = as_now();
  if (verbose) {
    printf("%-28s %s %.3fs tried %u lines %u+%u\n", it->name,
           r.verdict == AS_PROVED ? "proved" : "UNKNOWN", t1 - t0, r.steps_tried, r.steps, r.terms);
    if (r.verdict != AS_PROVED)
      printf("    %s\n    L %s\n    R %s\n", r.reason, r.left, r.right ? r.right : "");
  }
  ck_terms_free(T);
  if (verbose) {
    as_proof_result_clear(&r);
    return;
  }
  ck_assert_msg((r.verdict == AS_PROVED) == it->proved, "%s: %s\n  %s\n  %s", it->name,
                it->proved ? "not proved" : "proved, but wrong", r.left ? r.left : "",
                r.right ? r.right : "");
  if (r.verdict == AS_PROVED) {
    ck_terms *F = ck_terms_new();
    ck_usage use;
    char *why = NULL;
    make_goal(F, it, &g);
    ck_assert_msg(ck_cert_check(F, &g, 1, r.cert, r.cert_len, &use, &why), "%s: rejected: %s",
                  it->name, why ? why : "");
    ck_terms_free(F);
  }
  as_proof_result_clear(&r);
}

START_TEST(equalities) {
  run(&items[_i], false);
}

END_TEST

START_TEST(same_bytes) {
  char *cert[2];
  size_t len[2];
  for (int i = 0; i < 2; i++) {
    ck_terms *T = ck_terms_new();
    ck_goal g;
    as_proof_result r;
    make_goal(T, &items[0], &g);
    as_prove_goals(T, &g, 1, NULL, &r);
    cert[i] = as_strdup(r.cert);
    len[i] = r.cert_len;
    as_proof_result_clear(&r);
    ck_terms_free(T);
  }
  ck_assert(len[0] == len[1] && !memcmp(cert[0], cert[1], len[0]));
  free(cert[0]);
  free(cert[1]);
}

END_TEST

START_TEST(effort_limit) {
  ck_terms *T = ck_terms_new();
  ck_goal g;
  as_proof_result r;
  as_prove_opts o = {.max_steps = 5};
  item it = {"assoc", SIZES,
             "(= (sum k K (* (sum l L (* (X i l) (Y l k))) (Z k j))) (sum l L (* (X i l) (sum k K "
             "(* (Y l k) (Z k j))))))",
             false};
  make_goal(T, &it, &g);
  as_prove_goals(T, &g, 1, &o, &r);
  ck_assert_int_eq(r.verdict, AS_UNPROVED);
  ck_assert_str_eq(r.goal, "g");
  ck_assert(strstr(r.reason, "effort") && r.left && r.right && !r.cert);
  as_proof_result_clear(&r);
  ck_terms_free(T);
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
  ck_text w = {"w.mug", wrong, sizeof wrong - 1};
  ck_text m = {"o.sem", sem, sizeof sem - 1};
  as_proof_result r;
  ck_msg msg = {0};
  ck_assert_msg(as_prove_texts(&s, &c, &m, 1, NULL, &r, &msg), "%s", msg.text);
  ck_assert_int_eq(r.verdict, AS_PROVED);
  as_proof_result_clear(&r);
  ck_assert(as_prove_texts(&s, &w, &m, 1, NULL, &r, &msg));
  ck_assert_int_eq(r.verdict, AS_UNPROVED);
  as_proof_result_clear(&r);
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
  tcase_add_test(tests, from_texts);
  return test_run("prove", tests);
}
