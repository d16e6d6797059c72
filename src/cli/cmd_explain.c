/* `assay explain`: the theorem and its proof as mathematics, routine steps folded; or the
 * counterexample of a refuted result, evaluated again. */
#include "cli.h"
#include "src/base/file.h"
#include "src/base/str.h"
#include "src/report/explain.h"
#include <jansson.h>
#include <stdlib.h>

static as_explaining explaining(const cli_opts *opts) {
  return (as_explaining){
      .policy = &opts->policy, .json = opts->json, .full = opts->full || opts->verbose};
}

static int explain_program(const cli_opts *opts, const cli_place *at, const as_job *job,
                           as_err *err) {
  const as_explaining how = explaining(opts);
  const as_judged judged = as_job_judged(job);
  if (opts->n_arg == 1 && !as_exists(at->cert))
    return as_explain_open(&how, &judged);
  size_t length = 0;
  char *text = as_read_file(at->cert, &length, err);
  int status = text ? as_explain_certificate(&how, &judged, text, length, err) : AS_INTERNAL;
  free(text);
  return status;
}

/* `FILE.rule NAME CERT`, or, without a certificate, the counterexample that the search finds and
 * evaluates again from the rule's text */
static int explain_rule(const cli_opts *opts, as_err *err) {
  const as_explaining how = explaining(opts);
  const char *name = opts->arg[1];
  size_t length = 0;
  char *text = NULL;
  int status = AS_INTERNAL;
  bool reverse = false;
  as_job job;
  as_job_init(&job, cli_library(opts, err));
  if (job.lib && as_job_read_rules(&job, opts->arg[0], err)) {
    uint32_t number = as_job_rule_named(&job, name, &reverse);
    bool known = number < as_rulefile_count(job.rules);
    if (!known)
      as_err_set(err, AS_BAD_INPUT, "%s has no rule %s", opts->arg[0], name);
    as_judged judged = known ? as_job_judged_rule(&job, number, reverse, name) : (as_judged){0};
    if (known && opts->n_arg == 2)
      status = as_explain_rule(&how, &judged);
    else if (known && (text = as_read_file(opts->arg[2], &length, err)) != NULL)
      status = as_explain_certificate(&how, &judged, text, length, err);
  }
  free(text);
  as_job_clear(&job);
  return status;
}

/* the directory of a batch has no claim of its own */
static bool is_batch(const cli_opts *opts, as_err *err) {
  char *list = as_format("%s/batch", opts->arg[0]);
  bool yes = opts->n_arg == 1 && as_exists(list);
  free(list);
  if (yes) {
    as_err_set(err, AS_BAD_INPUT,
               "%s holds the results of a batch: explain one of its directories, or a certificate "
               "with its rule",
               opts->arg[0]);
  }
  return yes;
}

/* report.json's counterexample, where the directory holds no certificate; NULL: none */
static json_t *refutation(const cli_opts *opts, const cli_place *at) {
  if (opts->n_arg != 1 || as_exists(at->cert))
    return NULL;
  json_t *report = as_report_dir_json(opts->arg[0]);
  json_t *kept = report ? json_incref(json_object_get(report, "replay")) : NULL;
  json_decref(report);
  return kept;
}

/* a result directory, or a program, a candidate and a certificate */
static int explain_result(const cli_opts *opts, as_err *err) {
  cli_place at;
  cli_place_init(&at, opts);
  json_t *kept = refutation(opts, &at);
  int status = AS_INTERNAL;
  as_job job;
  as_job_init(&job, cli_place_is_there(&at, opts, err) ? cli_library(&at.opts, err) : NULL);
  job.any_tile = true;
  if (job.lib && as_job_read_program(&job, at.prog, err) &&
      as_job_read_candidate(&job, at.cand, err)) {
    cli_place_tell_others(&at, opts, job.lib);
    const as_explaining how = explaining(opts);
    const as_judged judged = as_job_judged(&job);
    status = kept ? as_explain_refutation(&how, &judged, kept, err)
                  : explain_program(opts, &at, &job, err);
    if (!opts->json && opts->n_arg == 1)
      as_explain_calls(opts->arg[0]);
  }
  as_job_clear(&job);
  json_decref(kept);
  cli_place_clear(&at);
  return status;
}

int cli_explain(const cli_opts *opts) {
  as_err err;
  as_err_init(&err);
  bool rule = as_ends_with(opts->arg[0], ".rule");
  int status = AS_BAD_INPUT;
  if (rule ? opts->n_arg == 1 : opts->n_arg == 2) {
    as_err_set(&err, AS_BAD_INPUT,
               "explain needs a result directory, or a program, a candidate and a certificate, or "
               "a file of rules, a rule's "
               "name and a certificate");
  } else if (!is_batch(opts, &err)) {
    status = rule ? explain_rule(opts, &err) : explain_result(opts, &err);
  }
  if (err.status != AS_OK)
    status = as_err_tell(&err);
  as_err_clear(&err);
  return status;
}
