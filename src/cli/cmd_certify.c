/* `assay certify PROGRAM.tp CANDIDATE`: one candidate; files of rules, and of candidates of another
 * program, have files of their own. */
#include "export.h"
#include "src/report/junit.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_rules(const char *path) {
  size_t n = strlen(path);
  return n > 5 && strcmp(path + n - 5, ".rule") == 0;
}

static bool leave_junit(const cli_opts *o, const as_verdict *v, as_err *err) {
  if (o->junit == NULL)
    return true;
  as_report_junit *j = as_report_junit_new(o->arg[0]);
  as_report_junit_judged(j, o->arg[0], o->arg[1], v->prove_seconds + v->check_seconds, NULL, v);
  bool ok = as_report_junit_write(j, o->junit, err);
  as_report_junit_free(j);
  return ok;
}

static void show(const cli_opts *o, const as_judged *judged, const as_verdict *v,
                 const as_report_words *words, void *extra) {
  if (o->json) {
    char *json = as_report_json(judged, v, words, NULL, extra);
    fputs(json, stdout);
    free(json);
  } else if (o->quiet) {
    puts(as_answer_word(v->answer));
  } else {
    as_report_print(v, words, o->verbose);
    if (o->verbose || o->stats)
      as_report_print_stats();
  }
}

/* gives the exit status */
static int tell(const cli_opts *o, const as_judged *judged, as_verdict *v, as_err *err) {
  as_report_words words;
  as_report_words_of(v, o->out != NULL, &words);
  as_verdict_release(v);
  json_t *extra = json_pack("{s:o}", "statistics", as_report_stats_json());
  cli_export *x = cli_export_new(o);
  bool written = cli_export_add(x, judged, v);
  bool ok = (o->out == NULL ||
             as_report_package(o->out, o->force, judged, v, &words, NULL, extra, err)) &&
            cli_export_write(x, err) && leave_junit(o, v, err);
  cli_export_free(x);
  if (ok)
    show(o, judged, v, &words, extra);
  json_decref(extra);
  as_report_words_clear(&words);
  as_status status = as_verdict_status(v);
  return !ok ? cli_fail(err) : status == AS_OK && !written ? AS_BAD_INPUT : (int)status;
}

static int certify_one(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  as_verdict v;
  as_verdict_init(&v);
  as_job job;
  as_job_init(&job, cli_library(o, &err));
  int status = AS_BAD_INPUT;
  bool place = o->out == NULL || as_report_dir_place(o->out, o->force, &err);
  if (place && job.lib && as_job_read_program(&job, o->arg[0], &err) &&
      as_job_read_candidate(&job, o->arg[1], &err)) {
    as_judged judged = as_job_judged(&job);
    as_judge(&judged, &o->policy, &v);
    status = v.answer == AS_ANSWER_UNREADABLE ? cli_fail(&v.err) : tell(o, &judged, &v, &err);
  } else {
    status = cli_fail(&err);
  }
  as_verdict_clear(&v);
  as_job_clear(&job);
  as_err_clear(&err);
  return status;
}

int cli_certify(const cli_opts *o) {
  if (!is_rules(o->arg[0])) {
    if (o->n_arg < 2 || o->n_arg > 3 || (o->n_arg == 3) != (o->to != NULL)) {
      fprintf(stderr, "usage: assay certify [options] FILE.rule ... | PROGRAM.tp CANDIDATE [and "
                      "with --to, only then: the file to write]\n");
      return AS_BAD_INPUT;
    }
    return o->from ? cli_import(o) : certify_one(o);
  }
  for (uint32_t i = 1; i < o->n_arg; i++) {
    if (!is_rules(o->arg[i])) {
      fprintf(stderr, "assay: %s: no file of rules (.rule), as the first one is\n", o->arg[i]);
      return AS_BAD_INPUT;
    }
  }
  return cli_certify_rules(o);
}
