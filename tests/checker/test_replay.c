/* Every example certificate is accepted against its own goals; no mutant of it is accepted against
 * goals made false. */
#include "goals.h"
#include "tests/source_dir.h"
#include "tests/suite.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *data_path(const char *name, const char *ext) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/tests/checker/data/%s%s", test_source_dir(), name, ext);
  return path;
}

static const char *const names[] = {"a_concat",
                                    "a_exchange",
                                    "a_reverse",
                                    "a_split",
                                    "a_sum_add",
                                    "a_sum_scale",
                                    "b_rmsnorm",
                                    "c1_softmax_defer",
                                    "c2_safe_to_plain_deferred",
                                    "c3_safe_deferred",
                                    "c4_plain_to_safe_deferred",
                                    "d2_mutual",
                                    "d_online_softmax",
                                    "e_lora",
                                    "f_gated_mlp",
                                    "g_layernorm",
                                    "h1_relu_abs",
                                    "h2_max_assoc",
                                    "h3_max_min",
                                    "h4_relu_scale",
                                    "h5_max_split",
                                    "i2_flatten",
                                    "i_slice_pad",
                                    "j_divs"};

enum { N = sizeof names / sizeof *names };

static uint64_t state;

static uint64_t rnd(uint64_t n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % n;
}

static bool verdict(const char *goals_text, const char *cert, size_t len, int spoil, char **why) {
  ck_terms *terms = ck_terms_new();
  ck_goal *goal;
  uint32_t n;
  ck_usage usage;
  ck_assert(goals_read(terms, goals_text, &goal, &n));
  if (spoil) { /* a false goal: both sides of the equality made to differ by one */
    ck_id id = goal[0].formula;
    ck_id term = ck_kid(terms, id, 1);
    goal[0].formula =
        ck_mk2(terms, ck_head(terms, id), ck_kid(terms, id, 0),
               ck_mk2(terms, CK_ADD, term, ck_int(terms, ck_head(terms, id) == CK_EQ ? 1 : -1000)));
  }
  bool ok = ck_cert_check(terms, goal, n, cert, len, &usage, why);
  free(goal);
  ck_terms_free(terms);
  return ok;
}

START_TEST(accepts) {
  size_t len;
  size_t glen;
  char *goals = slurp(data_path(names[_i], ".goals"), &glen);
  char *cert = slurp(data_path(names[_i], ".cert"), &len);
  char *why;
  ck_assert(goals && cert);
  bool ok = verdict(goals, cert, len, 0, &why);
  ck_assert_msg(ok, "%s: %s", names[_i], why);
  ck_assert(!verdict(goals, cert, len - 1, 0, &why)); /* last line not ended */
  free(why);
  ck_assert(!verdict(goals, cert, len, 1, &why));
  free(why);
  free(goals);
  free(cert);
}

END_TEST

/* changes one token of one line, or drops, doubles or swaps lines */
static char *mutate(const char *cert, size_t len, size_t *out) {
  char *m = malloc(len + 256);
  size_t at = 15 + rnd(len - 16);
  memcpy(m, cert, len);
  *out = len;
  static const char digits[] = "0123456789";
  switch (rnd(4)) {
  case 0: /* another digit somewhere after this place */
    while (at < len && !strchr(digits, m[at]))
      at++;
    if (at < len)
      m[at] = digits[rnd(10)];
    break;
  case 1: { /* drop a line */
    while (at > 14 && m[at - 1] != '\n')
      at--;
    size_t end = at;
    while (end < len && m[end] != '\n')
      end++;
    if (end + 1 <= len) {
      memmove(m + at, m + end + 1, len - end - 1);
      *out = len - (end + 1 - at);
    }
    break;
  }
  case 2: /* another relation or operator */
    while (at < len && !strchr("<=#+*", m[at]))
      at++;
    if (at < len)
      m[at] = "<=#+*"[rnd(5)];
    break;
  default:
    m[at] = (char)(32 + rnd(95));
    break;
  }
  return m;
}

START_TEST(mutants) {
  size_t len;
  size_t glen;
  size_t n;
  char *goals = slurp(data_path(names[_i], ".goals"), &glen);
  char *cert = slurp(data_path(names[_i], ".cert"), &len);
  char *why;
  const char *count = getenv("ASSAY_MUTANTS");
  long per = count ? atol(count) : 60;
  for (long i = 0; i < per; i++) {
    char *m = mutate(cert, len, &n);
    bool ok = verdict(goals, m, n, 1, &why);
    ck_assert_msg(!ok, "%s: a mutant was accepted against a false goal:\n%.*s", names[_i], (int)n,
                  m);
    free(why);
    free(m);
  }
  free(goals);
  free(cert);
}

END_TEST

int main(void) {
  const char *seed = getenv("ASSAY_SEED");
  state = seed ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
  printf("test_replay: seed %llu (ASSAY_SEED)\n", (unsigned long long)state);
  TCase *tests = test_case("certificates", 120);
  tcase_add_loop_test(tests, accepts, 0, N);
  tcase_add_loop_test(tests, mutants, 0, N);
  return test_run("replay", tests);
}
