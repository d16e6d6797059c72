/* The example programs with their hand-written muGraphs, and variants and wrong variants of them in
 * this folder: proved and accepted by the checker on a claim read afresh, or left unproved.  With
 * arguments SPEC CANDIDATE [CERT]: shows one proof (and writes it). */
#include "proofs/checker/ck_cert.h"
#include "src/base/err.h"
#include "src/base/file.h"
#include "src/base/str.h"
#include "tests/source_dir.h"
#include "tests/suite.h"
#include "verify/prove/prove.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *file_in(const char *dir, const char *name) {
  return as_format("%s/%s", dir, name);
}

static const char *const sems[] = {"elementwise.sem", "linear.sem", "normalize.sem",
                                   "reduce.sem",      "shape.sem",  "window.sem"};

enum { N_SEM = 6 };

static ck_claim *read_claim(ck_terms *terms, const char *spec, const char *cand) {
  char *path[N_SEM];
  ck_msg msg = {0};
  ck_claim *claim;
  for (int i = 0; i < N_SEM; i++)
    path[i] = as_format("%s/semantics/%s", test_source_dir(), sems[i]);
  claim = as_claim_of_files(terms, spec, cand, (const char *const *)path, N_SEM, &msg);
  if (!claim) {
    printf("%s:%d:%d: %s\n", msg.file ? msg.file : "?", msg.line, msg.col,
           msg.text ? msg.text : "?");
  }
  for (int i = 0; i < N_SEM; i++)
    free(path[i]);
  free(msg.text);
  free(msg.file);
  return claim;
}

/* proves; then checks on a fresh claim.  Gives the verdict, -1 if the files are bad; *accepted is
 * the checker's */
static int prove_files(const char *spec, const char *cand, bool show, const char *out,
                       bool *accepted) {
  ck_terms *T = ck_terms_new();
  ck_terms *terms = ck_terms_new();
  as_proof_result result;
  ck_usage use;
  char *why = NULL;
  int v;
  double start;
  double t1;
  double t2;
  ck_claim *claim = read_claim(T, spec, cand);
  ck_claim *other = NULL;
  *accepted = false;
  if (!claim) {
    ck_terms_free(T);
    ck_terms_free(terms);
    return -1;
  }
  start = as_now();
  as_prove_claim(T, claim, NULL, &result);
  t1 = as_now();
  v = (int)result.verdict;
  if (v == AS_PROVED) {
    other = read_claim(terms, spec, cand);
    t2 = as_now();
    *accepted = other && ck_cert_check(terms, other->goals, other->n_goals, result.cert,
                                       result.cert_len, &use, &why);
    if (show) {
      printf("%s: %u goals, proved in %.3f s (%u steps tried), certificate %u steps %u terms %zu "
             "bytes, checked in %.3f s: %s\n",
             cand, result.goals, t1 - start, result.steps_tried, result.steps, result.terms,
             result.cert_len, as_now() - t2, *accepted ? "accepted" : why);
    }
    if (out) {
      as_err err;
      as_err_init(&err);
      as_write_file(out, result.cert, result.cert_len, &err);
      as_err_clear(&err);
    }
  } else if (show) {
    printf("%s: not proved in %.3f s (%u steps): %u of %u goals; %s: %s\n  L %s\n  R %s\n", cand,
           t1 - start, result.steps_tried, result.goals_proved, result.goals, result.goal,
           result.reason, result.left, result.right ? result.right : "");
  }
  free(why);
  as_proof_result_clear(&result);
  ck_claim_free(claim);
  if (other)
    ck_claim_free(other);
  ck_terms_free(T);
  ck_terms_free(terms);
  return v;
}

static const struct {
  const char *dir;
  const char *spec;
  const char *cand;
  bool proved;
} list[] = {

#include "examples.inc"
};

START_TEST(example) {
  char *dir = as_format("%s/%s", test_source_dir(), list[_i].dir);
  char *text = file_in(dir, list[_i].spec);
  char *c = file_in(dir, list[_i].cand);
  bool ok;
  int v = prove_files(text, c, true, NULL, &ok);
  ck_assert_msg(v >= 0, "%s: not read", list[_i].cand);
  ck_assert_msg((v == AS_PROVED) == list[_i].proved, "%s: %s", list[_i].cand,
                v == AS_PROVED ? "proved, but wrong" : "not proved");
  ck_assert_msg(v != AS_PROVED || ok, "%s: certificate rejected", list[_i].cand);
  free(dir);
  free(text);
  free(c);
}

END_TEST

/* efforts that are tried: from 1 to most, each so many more; most is enough for a proof, the first
 * by little (326 are needed: that an order is read in one more way is not to cost more) */
static const struct {
  const char *spec;
  const char *cand;
  uint32_t most;
  uint32_t more;
} efforts[] = {
    {"../../../examples/axon/maxpool.tp", "windows.mug", 400, 1},
    {"cut.tp", "cut.mug", 3801, 38},
};

/* Wherever the effort is spent, the answer is one: a proof, or that there is none.  `make
 * check-fast` tries one effort in ten, and the most. */
START_TEST(any_effort) {
  uint32_t more = efforts[_i].more * (test_slow("nine efforts in ten") ? 1 : 10);
  char *dir = as_format("%s/tests/prove/cases", test_source_dir());
  char *spec = file_in(dir, efforts[_i].spec);
  char *cand = file_in(dir, efforts[_i].cand);
  bool proved = false;
  for (uint32_t steps = 1; steps <= efforts[_i].most; steps += more) {
    ck_terms *terms = ck_terms_new();
    ck_claim *claim = read_claim(terms, spec, cand);
    as_prove_opts limit = {.max_steps = steps};
    as_proof_result result;
    ck_assert_ptr_nonnull(claim);
    as_prove_claim(terms, claim, &limit, &result);
    proved = result.verdict == AS_PROVED;
    ck_assert(proved || result.why == AS_PROOF_EFFORT);
    as_proof_result_clear(&result);
    ck_claim_free(claim);
    ck_terms_free(terms);
  }
  ck_assert_msg(proved, "%s: not proved", efforts[_i].cand);
  free(dir);
  free(spec);
  free(cand);
}

END_TEST

/* what the proof of that candidate of the pooled program takes */
static uint64_t work_for(const char *cand) {
  char *spec = as_format("%s/tests/prove/cases/pooled.tp", test_source_dir());
  char *path = as_format("%s/tests/prove/cases/%s", test_source_dir(), cand);
  ck_terms *terms = ck_terms_new();
  ck_claim *claim = read_claim(terms, spec, path);
  as_proof_result result;
  ck_assert_ptr_nonnull(claim);
  as_prove_claim(terms, claim, NULL, &result);
  uint64_t work = result.work;
  ck_assert_msg(result.verdict == AS_PROVED, "%s: not proved", cand);
  as_proof_result_clear(&result);
  ck_claim_free(claim);
  ck_terms_free(terms);
  free(path);
  free(spec);
  return work;
}

/* A tensor that is the given program's rests on the sizes that matter to it: those by which other
 * kernels divide the same extents cost its proof nothing to speak of.  (With them it took 1.7 times
 * as much, and of longer programs more than there is.) */
START_TEST(sizes_of_other_kernels) {
  double alone = (double)work_for("pooled.mug");
  double among_others = (double)work_for("pooled_among_others.mug");
  ck_assert_msg(among_others < 1.3 * alone, "%g, %g", among_others, alone);
}

END_TEST

int main(int argc, char **argv) {
  bool ok;
  if (argc > 2) {
    prove_files(argv[1], argv[2], true, argc > 3 ? argv[3] : NULL, &ok);
    return ok ? 0 : 1;
  }
  TCase *tests = test_case("examples", 60);
  tcase_add_loop_test(tests, example, 0, (int)(sizeof list / sizeof *list));
  tcase_add_loop_test(tests, any_effort, 0, (int)(sizeof efforts / sizeof *efforts));
  tcase_add_test(tests, sizes_of_other_kernels);
  return test_run("prove_examples", tests);
}
