/* `assay explain`: the theorem and its proof as mathematics, routine steps folded; or the
 * counterexample of a refuted result, evaluated again. */
#include "cli.h"
#include "proofs/explain/outline.h"
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
static int explain_certificate(const cli_opts *o, const as_verdict *v, const char *text, size_t len,
                               as_err *err) {
  ck_usage use;
  char *why = NULL;
  bool accepted =
      ck_cert_check(v->terms, v->claim->goals, v->claim->n_goals, text, len, &use, &why);
  as_explain_outline *out =
      as_explain_new(v->terms, v->claim, text, len, o->full || o->verbose, err);
  if (out)
    print(o, out, accepted, why);
  int status = out && accepted ? AS_OK : AS_NO;
  as_explain_free(out);
  free(why);
  return status;
}

/* A result without a certificate and without a counterexample: what was left to show, found again.
 */
static int explain_unknown(const cli_opts *o, const as_judged *judged) {
  as_verdict v;
  as_verdict_init(&v);
  as_policy policy = o->policy;
  as_policy_ask_nobody(&policy);
  as_judge(judged, &policy, &v);
  as_report_words words;
  as_report_words_of(&v, false, &words);
  if (words.theorem)
    printf("To be shown:\n%s\n", words.theorem);
  as_report_print(&v, &words, false);
  as_report_words_clear(&words);
  as_status status = as_verdict_status(&v);
  as_verdict_clear(&v);
  return status == AS_UNKNOWN ? AS_OK : (int)status;
}

static int explain_proof(const cli_opts *o, const cli_place *at, as_err *err) {
  as_verdict v;
  as_verdict_init(&v);
  as_job job;
  as_job_init(&job, cli_library(&at->opts, err));
  bool rule = ends_with(at->prog, ".rule");
  size_t len = 0;
  char *text = NULL;
  int status = AS_INTERNAL;
  bool read = job.lib && (rule ? as_job_read_rules(&job, at->prog, err)
                               : as_job_read_program(&job, at->prog, err) &&
                                     as_job_read_candidate(&job, at->cand, err));
  if (read && o->n_arg == 1 && !as_exists(at->cert)) {
    as_judged judged = as_job_judged(&job);
    status = explain_unknown(o, &judged);
  } else if (read && (text = as_read_file(at->cert, &len, err)) != NULL) {
    as_judged judged = rule ? as_job_judged_rule(&job, 0, false, at->cand) : as_job_judged(&job);
    if (as_judge_read(&judged, &v))
      status = explain_certificate(o, &v, text, len, err);
    else
      as_err_set(err, AS_BAD_INPUT, "%s", v.why);
  }
  as_verdict_clear(&v);
  as_job_clear(&job);
  free(text);
  return status;
}

/* The report's counterexample at its sizes and inputs, evaluated now.  0: it stands, 1: it does
 * not. */
static int show_refutation(const cli_opts *o, const as_judged *judged, const as_cex *told,
                           as_err *err) {
  as_cex now;
  as_cex_init(&now);
  as_err why;
  as_err_init(&why);
  as_status s = as_cex_replay(judged->program, judged->graph, told, &why);
  if (s == AS_NO)
    s = as_report_cex_again(judged, told, &now, &why);
  bool stands = s == AS_NO;
  char *words = as_cex_print(judged->program, stands ? &now : told);
  if (s == AS_BAD_INPUT || s == AS_INTERNAL) {
    as_err_set(err, s, "%s", why.text ? why.text : "the counterexample cannot be evaluated");
  } else if (o->json) {
    json_t *j = json_pack("{s:b, s:o}", "replayed", stands, "counterexample",
                          as_report_cex_json(judged, stands ? &now : told));
    json_dumpf(j, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(j);
  } else {
    printf("REFUTED: %s does not refine %s\n\n%s\nEvaluated again just now: ", judged->graph->name,
           judged->program->name, words);
    if (stands)
      puts("the two differ as shown.");
    else
      printf("NOT CONFIRMED, %s.\n", why.text ? why.text : "the two agree there");
  }
  free(words);
  as_err_clear(&why);
  as_cex_clear(&now);
  return stands ? AS_OK : s == AS_OK || s == AS_UNKNOWN ? AS_NO : (int)s;
}

static int explain_refutation(const cli_opts *o, const cli_place *at, json_t *kept, as_err *err) {
  as_cex told;
  as_cex_init(&told);
  as_job job;
  as_job_init(&job, cli_library(&at->opts, err));
  int status = AS_INTERNAL;
  if (job.lib && as_job_read_program(&job, at->prog, err) &&
      as_job_read_candidate(&job, at->cand, err)) {
    as_judged judged = as_job_judged(&job);
    if (as_report_cex_read(kept, &judged, &told, err))
      status = show_refutation(o, &judged, &told, err);
  }
  as_cex_clear(&told);
  as_job_clear(&job);
  return status;
}

static void print_rule(const char *name, const as_verdict *v) {
  if (v->answer == AS_ANSWER_REFUTED)
    printf("REFUTED: rule %s\n\n%s\nEvaluated twice from the rule's text: the two sides differ as "
           "shown.\n",
           name, v->cex_words);
  else if (v->answer == AS_ANSWER_PROVED)
    printf("PROVED: rule %s; explain its certificate to see the proof\n", name);
  else
    printf("%s: rule %s: %s\n", as_answer_word(v->answer), name, v->why ? v->why : "");
}

/* `FILE.rule NAME`, no certificate: the counterexample that the search finds, and evaluates again
 * from the rule's text */
static int explain_rule(const cli_opts *o, as_err *err) {
  const char *name = o->arg[1];
  as_job job;
  as_job_init(&job, cli_library(o, err));
  bool reverse = false;
  bool ok = job.lib && as_job_read_rules(&job, o->arg[0], err);
  uint32_t i = ok ? as_job_rule_named(&job, name, &reverse) : 0;
  if (ok && i == as_rulefile_count(job.rules))
    ok = as_err_set(err, AS_BAD_INPUT, "%s has no rule %s", o->arg[0], name);
  int status = AS_INTERNAL;
  if (ok) {
    as_verdict v;
    as_verdict_init(&v);
    as_policy policy = o->policy;
    as_policy_ask_nobody(&policy);
    as_judged judged = as_job_judged_rule(&job, i, reverse, name);
    as_judge(&judged, &policy, &v);
    print_rule(name, &v);
    bool told = v.answer == AS_ANSWER_REFUTED || v.answer == AS_ANSWER_PROVED;
    status = told ? AS_OK : (int)as_verdict_status(&v);
    as_verdict_clear(&v);
  }
  as_job_clear(&job);
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
