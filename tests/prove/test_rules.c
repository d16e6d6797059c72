/* Rewrite rules from files: those expected to be proved are proved and accepted by the checker on a
 * claim read afresh, the others stay unproved.  With arguments FILE [NAME..]: shows what becomes of
 * them, one line each (-v before: with the normal forms left). */
#include "proofs/checker/ck_cert.h"
#include "src/base/err.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include "tests/source_dir.h"
#include "tests/suite.h"
#include "verify/prove/prove.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *file;
  char *name;
  char expect[16];
} rule;

static as_vec rules; /* rule */
static char **sems;
static size_t n_sem;

static void find_sems(void) {
  char *pat = as_format("%s/semantics/*.sem", test_source_dir());
  glob_t g;
  if (glob(pat, 0, NULL, &g) == 0) {
    sems = as_calloc(g.gl_pathc, sizeof *sems);
    for (n_sem = 0; n_sem < g.gl_pathc; n_sem++)
      sems[n_sem] = as_strdup(g.gl_pathv[n_sem]);
    globfree(&g);
  }
  free(pat);
}

/* the rules of a file: a line that starts with the word `rule`; its `expect` is the next one before
 * another rule */
static void add_file(const char *path) {
  char *text;
  char line[512];
  char word[128];
  size_t len;
  as_err err;
  const char *s;
  as_err_init(&err);
  text = as_read_file(path, &len, &err);
  if (!text) {
    printf("%s: not read\n", path);
    as_err_clear(&err);
    return;
  }
  for (s = text; *s;) {
    size_t n = strcspn(s, "\n");
    size_t m = n < sizeof line - 1 ? n : sizeof line - 1;
    memcpy(line, s, m);
    line[m] = 0;
    if (sscanf(line, "rule %127s", word) == 1) {
      rule r = {as_strdup(path), as_strdup(word), ""};
      as_vec_push(&rules, &r);
    } else if (rules.n && sscanf(line, " expect %127s", word) == 1) {
      snprintf(AS_VEC_AT(&rules, rule, rules.n - 1).expect, 16, "%.15s", word);
    }
    s += n + (s[n] == '\n');
  }
  free(text);
  as_err_clear(&err);
}

static void add_glob(const char *where) {
  char *pat = as_format("%s/%s", test_source_dir(), where);
  glob_t g;
  if (glob(pat, 0, NULL, &g) == 0) {
    for (size_t i = 0; i < g.gl_pathc; i++)
      add_file(g.gl_pathv[i]);
    globfree(&g);
  }
  free(pat);
}

/* A twentieth of the usual effort: for what is wrong, which no effort may prove, and what is known
 * to be undecided. */
static const as_prove_opts little = {.max_steps = 3000, .all_steps = 6000};

/* proved: 1, not: 0, not read: -1, certificate refused: -2; *why malloc'ed */
static int prove_rule(const rule *r, const as_prove_opts *opts, char **why, double *seconds,
                      as_proof_result *res, bool wide) {
  ck_terms *T = ck_terms_new();
  ck_terms *terms = ck_terms_new();
  ck_msg msg = {0};
  ck_usage use;
  char *no = NULL;
  int v;
  double start;
  ck_claim *claim =
      as_claim_of_files(T, r->file, r->name, (const char *const *)sems, (uint32_t)n_sem, &msg);
  ck_claim *other;
  *seconds = 0;
  memset(res, 0, sizeof *res);
  if (!claim) {
    *why = as_format("%s:%d: %s", msg.file ? msg.file : "?", msg.line, msg.text ? msg.text : "?");
    free(msg.text);
    free(msg.file);
    ck_terms_free(T);
    ck_terms_free(terms);
    return -1;
  }
  start = as_now();
  as_prove_claim(T, claim, opts, res);
  *seconds = as_now() - start;
  v = res->verdict == AS_PROVED;
  if (v) {
    other = as_claim_of_files(terms, r->file, r->name, (const char *const *)sems, (uint32_t)n_sem,
                              &msg);
    if (!other ||
        !ck_cert_check(terms, other->goals, other->n_goals, res->cert, res->cert_len, &use, &no)) {
      v = -2;
      *why = as_format("refused: %s", no ? no : "?");
    } else {
      *why = as_format("%u steps, %u terms", res->steps, res->terms);
    }
    free(no);
    if (other)
      ck_claim_free(other);
  } else if (wide && getenv("AS_SHOW_HYPS")) {
    for (uint32_t i = 0; i < claim->n_goals; i++) {
      for (uint32_t j = 0;
           !strcmp(claim->goals[i].name, res->goal) && j < claim->goals[i].n_allowed; j++) {
        char *h = ck_show(T, claim->goals[i].allowed[j]);
        printf("    H %s\n", h);
        free(h);
      }
    }
  }
  if (v == 0) {
    *why = wide ? as_format("%s: %s\n    L %s\n    R %s", res->goal, res->reason, res->left,
                            res->right ? res->right : "")
                : as_format("%s: %s", res->goal, res->reason);
  }
  ck_claim_free(claim);
  ck_terms_free(T);
  ck_terms_free(terms);
  return v;
}

/* right, and not proved yet: tests/rules/undecided.txt, one name a line */
static bool undecided(const char *name) {
  char *path = as_format("%s/tests/rules/undecided.txt", test_source_dir());
  char *text;
  char *s;
  size_t len;
  size_t n = strlen(name);
  bool found = false;
  as_err err;
  as_err_init(&err);
  text = as_read_file(path, &len, &err);
  for (s = text; s && *s && !found; s += strcspn(s, "\n"), s += *s != 0)
    found = !strncmp(s, name, n) && (s[n] == '\n' || !s[n]);
  free(text);
  free(path);
  as_err_clear(&err);
  return found;
}

START_TEST(one) {
  const rule *r = &AS_VEC_AT(&rules, rule, _i);
  char *why = NULL;
  double s;
  as_proof_result res;
  bool wrong = !strcmp(r->expect, "refuted");
  bool hopeless = wrong || undecided(r->name);
  int v = prove_rule(r, hopeless && !getenv("AS_LONG") ? &little : NULL, &why, &s, &res, true);
  ck_assert_msg(v >= -1, "%s: %s", r->name, why);
  if (!strcmp(r->expect, "proved"))
    ck_assert_msg(v == 1 || (v == 0 && undecided(r->name)), "%s: %.400s", r->name, why);
  if (wrong)
    ck_assert_msg(v != 1, "%s: proved, but wrong", r->name);
  free(why);
  as_proof_result_clear(&res);
}

END_TEST

static int show(int argc, char **argv) {
  bool wide = argc > 1 && !strcmp(argv[1], "-v");
  int first = wide ? 2 : 1;
  int n[3] = {0};
  add_file(argv[first]);
  for (size_t i = 0; i < rules.n; i++) {
    const rule *r = &AS_VEC_AT(&rules, rule, i);
    char *why = NULL;
    double s;
    as_proof_result res;
    bool wanted = argc == first + 1;
    for (int j = first + 1; j < argc; j++)
      wanted = wanted || !strcmp(argv[j], r->name);
    if (!wanted)
      continue;
    int v = prove_rule(r, NULL, &why, &s, &res, wide);
    const char *word = v == 1 ? "proved" : v == 0 ? "unknown" : v == -1 ? "BAD" : "REFUSED";
    printf("%-22s %-8s %s %6.3f s %6u tried  %s\n", r->name, word,
           !*r->expect                                ? " "
           : !strcmp(r->expect, "proved") == (v == 1) ? "="
                                                      : "!",
           s, res.steps_tried, why);
    n[v == 1 ? 0 : v == 0 ? 1 : 2]++;
    free(why);
    as_proof_result_clear(&res);
  }
  printf("%d proved, %d unknown, %d bad\n", n[0], n[1], n[2]);
  return 0;
}

/* a chain of maxima that is huge when it is written out: refused at once, and no matter how deep */
START_TEST(huge) {
  enum { DEEP = 60 };

  as_str out;
  as_proof_result result;
  ck_msg msg = {0};
  static const char sem[] =
      "op maximum(x[..a], y[..a]) -> [..a]\n  out[..a] = max(x[..a], y[..a])\n";
  as_str_init(&out);
  as_str_add(&out, "program p\nsizes N = 4\ninput X: f16[N]\ninput Y: f16[N]\nT0 = X\n");
  for (int i = 0; i < DEEP; i++)
    as_str_printf(&out, "T%d = maximum(T%d, Y)\n", i + 1, i);
  as_str_printf(&out, "output Z = T%d\n", DEEP);
  static const char cand[] = "mugraph c\nZ = maximum(X, Y)\n";
  ck_text spec = {"p.tp", out.s, strlen(out.s)};
  ck_text source = {"c.mug", cand, sizeof cand - 1};
  ck_text text = {"o.sem", sem, sizeof sem - 1};
  ck_assert_msg(as_prove_texts(&spec, &source, &text, 1, NULL, &result, &msg), "%s", msg.text);
  ck_assert_int_eq(result.verdict, AS_UNPROVED);
  ck_assert(strstr(result.reason, "too large"));
  as_proof_result_clear(&result);
  as_str_clear(&out);
}

END_TEST

int main(int argc, char **argv) {
  as_vec_init(&rules, sizeof(rule));
  find_sems();
  if (argc > 1)
    return show(argc, argv);
  add_glob("examples/rules/*.rule");
  add_glob("tests/prove/cases/*.rule");
  TCase *tests = test_case("rules", 60);
  tcase_add_loop_test(tests, one, 0, (int)rules.n);
  tcase_add_test(tests, huge);
  return test_run("prove_rules", tests);
}
