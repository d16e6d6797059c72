/* `assay explain`: the theorem and its proof as mathematics, routine steps folded; or the
 * counterexample of a refuted result, evaluated again. */
#include "cli.h"
#include "proofs/explain/outline.h"
#include "rule_verdict.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *s, const char *end) {
  size_t n = strlen(s);
  size_t m = strlen(end);
  return n >= m && strcmp(s + n - m, end) == 0;
}

static void print(const cli_opts *o, as_explain_outline *out, bool accepted, const char *why) {
  if (o->json) {
    json_t *j = as_explain_json(out);
    json_object_set_new(j, "accepted", json_boolean(accepted));
    if (!accepted)
      json_object_set_new(j, "why", json_string(why));
    json_dumpf(j, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(j);
    return;
  }
  char *text = as_explain_text(out);
  printf("%s\n%s%s\n", text,
         accepted ? "The checker accepts: every goal follows" : "The checker REJECTS: ",
         accepted ? "" : why);
  free(text);
}

/* What is printed is read off the certificate by code that nobody has to trust; whether it is a
 * proof, the checker says. */
static int explain_proof(const cli_opts *o, const cli_place *at, as_err *err) {
  cli_case c = {0};
  size_t len = 0;
  bool rule = ends_with(at->prog, ".rule");
  char *text = NULL;
  int status = AS_INTERNAL;
  if (cli_load(&at->opts, rule ? NULL : at->prog, NULL, &c, err) &&
      (text = as_read_file(at->cert, &len, err)) != NULL) {
    uint32_t n;
    const char *const *files = as_oplib_files(c.lib, &n);
    ck_terms *T = ck_terms_new();
    ck_msg msg = {0};
    ck_claim *claim = as_claim_of_files(T, at->prog, at->cand, files, n, &msg);
    if (claim == NULL) {
      as_err_set(err, AS_BAD_INPUT, "%s:%d:%d: %s", msg.file ? msg.file : at->cand, msg.line,
                 msg.col, msg.text ? msg.text : "cannot be read");
    } else {
      ck_usage use;
      char *why = NULL;
      bool accepted = ck_cert_check(T, claim->goals, claim->n_goals, text, len, &use, &why);
      as_explain_outline *out = as_explain_new(T, claim, text, len, o->full || o->verbose, err);
      if (out)
        print(o, out, accepted, why);
      status = out && accepted ? AS_OK : AS_NO;
      as_explain_free(out);
      free(why);
    }
    ck_claim_free(claim);
    ck_terms_free(T);
    free(msg.text);
    free(msg.file);
  }
  cli_case_clear(&c);
  free(text);
  return status;
}

/* The report's counterexample at its sizes and inputs, evaluated now.  0: it stands, 1: it does
 * not. */
static int explain_refutation(const cli_opts *o, const cli_place *at, json_t *kept, as_err *err) {
  cli_case c = {0};
  as_cex told;
  as_cex now;
  as_cex_init(&told);
  as_cex_init(&now);
  int status = AS_INTERNAL;
  if (cli_load(&at->opts, at->prog, at->cand, &c, err) &&
      as_report_cex_read(kept, &c, &told, err)) {
    as_err why;
    as_err_init(&why);
    as_status s = as_cex_replay(c.spec, c.cand, &told, &why);
    if (s == AS_NO)
      s = as_report_cex_again(&c, &told, &now, &why);
    char *words = as_cex_print(c.spec, s == AS_NO ? &now : &told);
    if (s == AS_BAD_INPUT || s == AS_INTERNAL) {
      as_err_set(err, s, "%s", why.text ? why.text : "the counterexample cannot be evaluated");
    } else if (o->json) {
      json_t *j = json_pack("{s:b, s:o}", "replayed", s == AS_NO, "counterexample",
                            as_report_cex_json(&c, s == AS_NO ? &now : &told));
      json_dumpf(j, stdout, JSON_INDENT(1));
      putchar('\n');
      json_decref(j);
    } else {
      printf("REFUTED: %s does not refine %s\n\n%s\nEvaluated again just now: %s%s%s\n",
             c.cand->name, c.spec->name, words,
             s == AS_NO ? "the two differ as shown." : "NOT CONFIRMED, ",
             s == AS_NO ? ""
             : why.text ? why.text
                        : "the two agree there",
             s == AS_NO ? "" : ".");
    }
    status = s == AS_NO ? AS_OK : s == AS_OK || s == AS_UNKNOWN ? AS_NO : (int)s;
    free(words);
    as_err_clear(&why);
  }
  as_cex_clear(&told);
  as_cex_clear(&now);
  cli_case_clear(&c);
  return status;
}

/* `FILE.rule NAME`, no certificate: the counterexample that the search finds, and evaluates again
 * from the rule's text */
static int explain_rule(const cli_opts *o, as_err *err) {
  const char *name = o->arg[1];
  bool reverse = ends_with(name, ".reverse");
  size_t len = strlen(name) - (reverse ? strlen(".reverse") : 0);
  cli_rules s;
  bool ok = cli_rules_open(o, o->arg[0], &s, err);
  uint32_t n = ok ? as_rulefile_count(s.file) : 0;
  uint32_t i = 0;
  int status = AS_INTERNAL;
  while (i < n && (strlen(as_rulefile_name(s.file, i)) != len ||
                   strncmp(as_rulefile_name(s.file, i), name, len) != 0))
    i++;
  if (ok && i == n)
    ok = as_err_set(err, AS_BAD_INPUT, "%s has no rule %.*s", o->arg[0], (int)len, name);
  if (ok) {
    cli_rule_verdict r;
    cli_rule_judge(o, &s, i, reverse, &r);
    if (r.answer == CLI_RULE_REFUTED) {
      printf("REFUTED: rule %s\n\n%s\nEvaluated twice from the rule's text: the two sides differ "
             "as shown.\n",
             name, r.cex_words);
    } else {
      printf("%s: rule %s%s%s\n", cli_rule_words[r.answer], name,
             r.answer == CLI_RULE_PROVED ? "; explain its certificate to see the proof" : ": ",
             r.answer == CLI_RULE_PROVED ? ""
             : r.error                   ? r.error
             : r.v.reason                ? r.v.reason
                                         : "");
    }
    status = r.answer == CLI_RULE_REFUTED || r.answer == CLI_RULE_PROVED ? AS_OK
             : r.answer == CLI_RULE_BAD                                  ? AS_BAD_INPUT
                                                                         : AS_UNKNOWN;
    cli_rule_clear(&r);
  }
  cli_rules_close(&s);
  return status;
}

/* the directory of a batch has no claim of its own */
static bool is_batch(const cli_opts *o, as_err *err) {
  char *list = as_format("%s/batch", o->arg[0]);
  bool yes = o->n_arg == 1 && as_exists(list);
  free(list);
  if (yes) {
    as_err_set(err, AS_BAD_INPUT,
               "%s holds the results of a batch: explain one of its directories, or a certificate "
               "with its rule",
               o->arg[0]);
  }
  return yes;
}

/* report.json's counterexample, where the directory holds no certificate; NULL: none */
static json_t *refutation(const cli_opts *o, const cli_place *at) {
  if (o->n_arg != 1 || as_exists(at->cert))
    return NULL;
  char *path = as_format("%s/report.json", o->arg[0]);
  json_t *report = json_load_file(path, 0, NULL);
  json_t *kept = report ? json_incref(json_object_get(report, "replay")) : NULL;
  json_decref(report);
  free(path);
  return kept;
}

int cli_explain(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  cli_place at;
  cli_place_init(&at, o);
  json_t *kept = refutation(o, &at);
  int status = AS_BAD_INPUT;
  if (o->n_arg == 2 && !ends_with(o->arg[0], ".rule")) {
    as_err_set(&err, AS_BAD_INPUT,
               "explain needs a result directory, or a program, a candidate and a certificate, or "
               "a file of rules, a rule's "
               "name and a certificate");
  } else if (!is_batch(o, &err)) {
    status = o->n_arg == 2 ? explain_rule(o, &err)
             : kept        ? explain_refutation(o, &at, kept, &err)
                           : explain_proof(o, &at, &err);
  }
  if (err.status != AS_OK)
    status = cli_fail(&err);
  json_decref(kept);
  cli_place_clear(&at);
  as_err_clear(&err);
  return status;
}
