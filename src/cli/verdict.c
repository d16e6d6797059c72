/* One claim, every verdict: prover, checker's replay, random test, counterexample search, solvers.
 */
#include "verdict.h"
#include "proofs/explain/outline.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_verdicts_init(cli_verdicts *v) {
  memset(v, 0, sizeof *v);
  as_cex_init(&v->cex);
}

void cli_verdicts_clear(cli_verdicts *v) {
  as_proof_result_clear(&v->proof);
  for (uint32_t i = 0; i < v->n_relied; i++) {
    free(v->relied[i].name);
    free(v->relied[i].sha256);
  }
  if (v->field_ran)
    as_field_report_clear(&v->field);
  as_cex_clear(&v->cex);
  if (v->z3_asked)
    as_smt_result_clear(&v->z3);
  if (v->cvc5_asked)
    as_smt_result_clear(&v->cvc5);
  free(v->relied);
  free(v->reason);
  free(v->theorem);
  free(v->theorem_shown);
  free(v->check_why);
  free(v->field_words);
  free(v->cex_words);
  free(v->smt_text);
  free(v->smt_why);
  free(v->outline);
  memset(v, 0, sizeof *v);
}

bool cli_sem_texts(const as_oplib *lib, cli_texts *t, as_err *err) {
  uint32_t n;
  const char *const *file = as_oplib_files(lib, &n);
  t->text = as_calloc(n + 1, sizeof *t->text);
  for (t->n = 0; t->n < n; t->n++) {
    size_t len;
    char *s = as_read_file(file[t->n], &len, err);
    if (s == NULL)
      return false;
    t->text[t->n] = (ck_text){file[t->n], s, len};
  }
  return true;
}

void cli_texts_clear(cli_texts *t) {
  for (uint32_t i = 0; i < t->n; i++)
    free((char *)t->text[i].text);
  free(t->text);
}

bool cli_bad_claim(const ck_msg *msg, const ck_text *spec, const ck_text *cand, as_err *err) {
  const ck_text *in = NULL;
  if (msg->file && strcmp(msg->file, spec->name) == 0)
    in = spec;
  if (msg->file && strcmp(msg->file, cand->name) == 0)
    in = cand;
  /* the checker's message brings the line of text along; ours is shown by as_err_at */
  if (msg->file && in) {
    return as_err_at(err, msg->file, in->text, in->len, msg->line, msg->col, "%.*s",
                     (int)strcspn(msg->text, "\n"), msg->text);
  }
  if (msg->file)
    return as_err_at(err, msg->file, NULL, 0, msg->line, msg->col, "%s", msg->text);
  return as_err_set(err, AS_BAD_INPUT, "%s", msg->text ? msg->text : "the claim cannot be read");
}

static void msg_clear(ck_msg *m) {
  free(m->text);
  free(m->file);
}

static bool asks(const char *list, const char *who) {
  return strstr(list, who) != NULL || strcmp(list, "both") == 0;
}

void cli_ask_solvers(const cli_opts *o, ck_terms *T, const ck_claim *claim, cli_verdicts *v) {
  v->z3_asked = asks(o->solvers, "z3") || strstr(o->require, "z3");
  v->cvc5_asked = asks(o->solvers, "cvc5") || strstr(o->require, "cvc5");
  if (!v->z3_asked && !v->cvc5_asked && !o->smt)
    return;
  as_err err;
  as_err_init(&err);
  as_smt_set set;
  as_status st = as_smt_obligations(T, claim->goals, claim->n_goals, v->proof.cert,
                                    v->proof.cert_len, &set, &err);
  if (st != AS_OK) {
    v->smt_disputes = st == AS_NO; /* the second reader of certificates does not find the proof that
                                      the first accepted */
    v->smt_why = as_err_format(&err);
    as_err_clear(&err);
    v->z3_asked = v->cvc5_asked = false;
    return;
  }
  v->smt_ran = true;
  v->smt_queries = set.n;
  if (o->smt)
    v->smt_text = as_smt_text(&set);
  as_smt_opts s = {.total_ms = (unsigned)(o->solver_seconds * 1000)};
  if (v->z3_asked)
    as_smt_z3(&set, &s, &v->z3);
  if (v->cvc5_asked)
    as_smt_cvc5(&set, &s, &v->cvc5);
  as_smt_set_clear(&set);
}

void cli_replay(const ck_text *spec, const ck_text *cand, const cli_texts *sem, cli_verdicts *v) {
  double t0 = as_now();
  ck_terms *T = ck_terms_new();
  ck_msg msg = {0};
  ck_claim *claim = ck_claim_texts(T, spec, cand, sem->text, sem->n, &msg);
  if (claim) {
    v->checked = ck_cert_check(T, claim->goals, claim->n_goals, v->proof.cert, v->proof.cert_len,
                               &v->usage, &v->check_why);
  } else {
    v->check_why = as_strdup(msg.text ? msg.text : "the claim cannot be read");
  }
  ck_claim_free(claim);
  ck_terms_free(T);
  msg_clear(&msg);
  v->check_seconds = as_now() - t0;
}

static void random_test(const cli_opts *o, const cli_case *c, cli_verdicts *v) {
  as_err err;
  as_err_init(&err);
  as_field_options fo = as_field_default;
  fo.seed = o->seed;
  as_status s = as_field_test(c->spec, c->cand, &fo, &v->field, &err);
  v->field_ran = s != AS_BAD_INPUT && s != AS_INTERNAL;
  if (v->field_ran) {
    v->field_words = as_field_report_print(&v->field);
  } else {
    v->field_words = as_err_format(&err);
    as_field_report_clear(&v->field);
  }
  as_err_clear(&err);
}

/* The smallest counterexample that the search finds, replayed; otherwise the one that the random
 * test met. */
static void refute(const cli_opts *o, const cli_case *c, cli_verdicts *v) {
  as_err err;
  as_err_init(&err);
  as_refute_budget b = as_refute_default;
  b.seed = o->seed;
  v->cex_found = as_refute(c->spec, c->cand, &b, &v->cex, &err) == AS_NO &&
                 as_cex_replay(c->spec, c->cand, &v->cex, &err) == AS_NO;
  if (v->cex_found) {
    v->cex_words = as_cex_print(c->spec, &v->cex);
  } else if (v->field_ran && v->field.verdict == AS_NO &&
             as_cex_replay(c->spec, c->cand, &v->field.cex, &err) == AS_NO) {
    v->cex_found = true;
    as_cex_clear(&v->cex);
    v->cex = v->field.cex;
    as_cex_init(&v->field.cex);
    v->cex_words = as_cex_print(c->spec, &v->cex);
  }
  as_err_clear(&err);
}

static void decide(const cli_opts *o, cli_verdicts *v) {
  const char *why = NULL;
  if (v->cex_found) {
    v->answer = CLI_REFUTED;
    if (v->checked) { /* a proof and a counterexample: one of them is wrong, and nothing may be
                         called certified */
      v->reason =
          as_strdup("internal contradiction: a checked proof and a confirmed counterexample");
      return;
    }
    v->reason = as_strdup("a counterexample was found");
    return;
  }
  v->answer = v->checked ? CLI_PROVED : CLI_UNKNOWN;
  if (v->proof.verdict != AS_PROVED)
    why = v->proof.reason ? v->proof.reason : "no proof was found";
  else if (!v->checked)
    why = v->check_why;
  else if (v->smt_disputes)
    why = v->smt_why;
  else if (v->z3_asked && v->z3.verdict == AS_SMT_DISAGREES)
    why = v->z3.reason;
  else if (v->cvc5_asked && v->cvc5.verdict == AS_SMT_DISAGREES)
    why = v->cvc5.reason;
  else if (strstr(o->require, "field") && !(v->field_ran && v->field.verdict == AS_OK))
    why = "the random test was required to agree and is inconclusive";
  else if (strstr(o->require, "z3") && !(v->z3_asked && v->z3.verdict == AS_SMT_AGREES))
    why = "z3 was required to agree and did not";
  else if (strstr(o->require, "cvc5") && !(v->cvc5_asked && v->cvc5.verdict == AS_SMT_AGREES))
    why = "cvc5 was required to agree and did not";
  v->certified = v->checked && why == NULL;
  if (why)
    v->reason = as_strdup(why);
}

ck_claim *cli_take_claim(ck_terms *T, const as_oplib *lib, const ck_text *spec, const ck_text *cand,
                         cli_texts *sem, cli_verdicts *v, as_err *err) {
  ck_msg msg = {0};
  ck_claim *claim =
      cli_sem_texts(lib, sem, err) ? ck_claim_texts(T, spec, cand, sem->text, sem->n, &msg) : NULL;
  if (claim) {
    v->theorem = as_strdup(claim->theorem ? claim->theorem : "");
    v->theorem_shown = as_explain_theorem(T, claim);
    v->n_relied = claim->n_relied;
    v->relied = as_calloc(claim->n_relied + 1, sizeof *v->relied);
    for (uint32_t i = 0; i < claim->n_relied; i++) {
      v->relied[i].name = as_strdup(claim->relied[i].name);
      v->relied[i].sha256 = as_strdup(claim->relied[i].sha256);
    }
  } else {
    cli_bad_claim(&msg, spec, cand, err);
  }
  msg_clear(&msg);
  return claim;
}

bool cli_judge(const cli_opts *o, const cli_case *c, const ck_text *spec, const ck_text *cand,
               cli_verdicts *v, as_err *err) {
  cli_texts sem = {0};
  ck_terms *T = ck_terms_new();
  ck_claim *claim = cli_take_claim(T, c->lib, spec, cand, &sem, v, err);
  bool ok = claim != NULL;
  if (ok) {
    double t0 = as_now();
    as_prove_claim(T, claim, NULL, &v->proof);
    v->prove_seconds = as_now() - t0;
    if (v->proof.verdict == AS_PROVED)
      cli_replay(spec, cand, &sem, v);
    random_test(o, c, v);
    if (!v->checked || v->field.verdict == AS_NO)
      refute(o, c, v);
    if (v->checked)
      cli_ask_solvers(o, T, claim, v);
    as_explain_outline *out = v->checked && o->out ? as_explain_new(T, claim, v->proof.cert,
                                                                    v->proof.cert_len, false, NULL)
                                                   : NULL;
    if (out)
      v->outline = as_explain_html(out);
    as_explain_free(out);
    decide(o, v);
  }
  ck_claim_free(claim);
  ck_terms_free(T);
  cli_texts_clear(&sem);
  return ok;
}

static void print_solver(const char *name, bool asked, const as_smt_result *r) {
  if (!asked)
    return;
  printf("%-9s %s: %u of %u obligations in %.2f s%s%s\n", name, as_smt_verdict_name(r->verdict),
         r->agreed, r->asked, r->seconds, r->reason ? "; " : "", r->reason ? r->reason : "");
}

void cli_print_verdicts(const cli_verdicts *v, bool verbose) {
  static const char *const words[] = {"PROVED", "REFUTED", "UNKNOWN"};
  if (v->theorem_shown && v->answer == CLI_PROVED)
    printf("%s\n", v->theorem_shown);
  if (v->proof.verdict == AS_PROVED) {
    printf("proof     %u steps, %u terms, found in %.3f s\n", v->proof.steps, v->proof.terms,
           v->prove_seconds);
  } else {
    printf("proof     none: %s (%u of %u goals proved)\n",
           v->proof.reason ? v->proof.reason : "not found", v->proof.goals_proved, v->proof.goals);
  }
  if (v->proof.verdict != AS_PROVED && v->proof.goal) {
    printf("          goal %s\n", v->proof.goal);
    if (v->proof.left)
      printf("          %s\n", v->proof.left);
    if (v->proof.right)
      printf("          %s\n", v->proof.right);
  }
  if (v->proof.verdict == AS_PROVED) {
    printf("checker   %s%s%s in %.3f s\n", v->checked ? "accepts" : "REJECTS",
           v->check_why ? ": " : "", v->check_why ? v->check_why : "", v->check_seconds);
  }
  if (v->field_words)
    printf("random    %s\n", v->field_words);
  print_solver("z3", v->z3_asked, &v->z3);
  print_solver("cvc5", v->cvc5_asked, &v->cvc5);
  if (v->smt_why)
    printf("solvers   not asked: %s\n", v->smt_why);
  if (v->cex_words)
    printf("%s\n", v->cex_words);
  if (verbose) {
    for (uint32_t i = 0; i < v->n_relied; i++)
      printf("relies on %s %s\n", v->relied[i].name, v->relied[i].sha256);
  }
  printf("%s%s%s%s\n", words[v->answer],
         v->answer == CLI_PROVED && !v->certified ? ", NOT CERTIFIED" : "", v->reason ? ": " : "",
         v->reason ? v->reason : "");
}
