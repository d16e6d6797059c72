/* `assay explain`: the theorem, and the proof step by step as mathematics, routine steps folded. */
#include "cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool interesting(const char *rule) { return strcmp(rule, "arith") && strcmp(rule, "cong") && strcmp(rule, "hyp"); }

static const char *meaning(const char *rule) {
  static const char *const table[][2] = {
      {"use", "instance of an assumption"}, {"inst", "instance of a lemma"}, {"cases", "case split"}, {"foldcong", "equal steps, equal folds"},
      {"antisym", "both orders"}, {"int", "integers differ by one at least"}, {"law", "law"}, {"zero", "a fold over nothing is its base"},
      {"succ", "one step of a fold"}, {"induct", "induction"}, {"arith", "arithmetic"}, {"cong", "equals for equals"}, {"hyp", "assumption"}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i][0], rule) == 0) return table[i][1];
  return rule;
}

typedef struct { const cli_opts *o; uint32_t folded; } printer;

static void print_step(printer *p, uint32_t s, const char *rule, ck_terms *T, ck_proof *P) {
  if (!p->o->verbose && !interesting(rule)) {
    p->folded++;
    return;
  }
  if (p->folded) printf("      (%u routine steps)\n", p->folded);
  p->folded = 0;
  uint32_t nh;
  const ck_id *h = ck_thm_hyps(P, s, &nh);
  char *f = ck_show(T, ck_thm_formula(P, s));
  printf("%5u  %s\n       by %s", s, f, meaning(rule));
  free(f);
  for (uint32_t i = 0; i < nh && p->o->verbose; i++) {
    char *x = ck_show(T, h[i]);
    printf("%s%s", i ? ", " : "; assuming ", x);
    free(x);
  }
  if (nh && !p->o->verbose) printf("; under %u assumption%s", nh, nh == 1 ? "" : "s");
  putchar('\n');
}

static void on_step(void *arg, uint32_t s, const char *rule, ck_terms *T, ck_proof *P) { print_step(arg, s, rule, T, P); }

int cli_explain(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  int status = AS_INTERNAL;
  cli_place at;
  cli_place_init(&at, o);
  cli_case c;
  size_t len;
  char *text = NULL;
  bool ok = o->n_arg != 2 || as_err_set(&err, AS_BAD_INPUT, "explain needs a result directory, or a program, a candidate and a certificate");
  memset(&c, 0, sizeof c);
  if (ok) ok = cli_load(&at.opts, at.prog, NULL, &c, &err);
  if (ok) ok = (text = as_read_file(at.cert, &len, &err)) != NULL;
  if (ok) {
    uint32_t n;
    const char *const *files = as_oplib_files(c.lib, &n);
    ck_terms *T = ck_terms_new();
    ck_msg msg = {0};
    ck_claim *claim = ck_claim_read(T, at.prog, at.cand, files, n, &msg);
    if (claim == NULL)
      as_err_set(&err, AS_BAD_INPUT, "%s:%d:%d: %s", msg.file ? msg.file : at.cand, msg.line, msg.col, msg.text ? msg.text : "cannot be read");
    else {
      printf("%s\n\nProof\n", claim->theorem);
      printer p = {o, 0};
      ck_usage use;
      char *why = NULL;
      bool accepted = ck_cert_trace(T, claim->goals, claim->n_goals, text, len, &use, &why, on_step, &p);
      if (p.folded) printf("      (%u routine steps)\n", p.folded);
      printf("\n%s%s%s\n", accepted ? "accepted: " : "REJECTED: ", accepted ? "every goal follows" : why, "");
      status = accepted ? AS_OK : AS_NO;
      free(why);
    }
    ck_claim_free(claim);
    ck_terms_free(T);
    free(msg.text), free(msg.file);
  }
  if (err.status != AS_OK) status = cli_fail(&err);
  if (c.lib) cli_case_clear(&c);
  cli_place_clear(&at);
  free(text);
  as_err_clear(&err);
  return status;
}
