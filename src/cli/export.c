#include "export.h"
#include "src/import/import.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cli_export {
  const cli_opts *o;
  as_import *file;
};

const char *cli_export_path(const cli_opts *o) {
  return o->to && o->n_arg == 3 ? o->arg[2] : NULL;
}

cli_export *cli_export_new(const cli_opts *o) {
  if (o->to == NULL)
    return NULL;
  cli_export *x = as_malloc(sizeof *x);
  *x = (cli_export){o, as_import_new(as_import_format_named(o->to))};
  return x;
}

void cli_export_free(cli_export *x) {
  if (x == NULL)
    return;
  as_import_free(x->file);
  free(x);
}

/* What was written is what was proved only if it says so when it is read: the graph added last,
 * read back and judged like any other, but for the solvers. */
static bool reads_back(cli_export *x, const as_judged *judged, as_err *err) {
  as_policy policy = x->o->policy;
  as_policy_ask_nobody(&policy);
  as_verdict v;
  as_verdict_init(&v);
  as_job job;
  as_job_init(&job, as_oplib_again(judged->lib, err));
  bool ok = job.lib && as_job_take_program(&job, judged->given.name, as_strdup(judged->given.text),
                                           judged->given.len, err);
  char *mug = ok ? as_import_mug(x->file, as_import_count(x->file) - 1, job.program, err) : NULL;
  ok = mug && as_job_take_candidate(&job, "the graph written", mug, strlen(mug), err);
  if (ok) {
    as_judged again = as_job_judged(&job);
    as_judge(&again, &policy, &v);
    ok = v.certified ||
         as_err_set(err, AS_UNKNOWN, "what was written is not certified when read back: %s",
                    v.why ? v.why : "");
  }
  as_verdict_clear(&v);
  as_job_clear(&job);
  return ok;
}

static bool can_be_written(const as_judged *judged, const as_verdict *v, as_err *err) {
  if (!v->certified)
    return as_err_set(err, AS_NO, "only what is certified is written");
  if (judged->graph->program == NULL)
    return as_err_set(err, AS_BAD_INPUT,
                      "%s is a program; muGraphs can be written in Mirage's format",
                      judged->graph->name);
  return true;
}

bool cli_export_add(cli_export *x, const as_judged *judged, const as_verdict *v) {
  if (x == NULL)
    return true;
  as_err err;
  as_err_init(&err);
  bool added = can_be_written(judged, v, &err) && as_import_add(x->file, judged->graph, &err);
  bool ok = added && reads_back(x, judged, &err);
  if (added && !ok)
    as_import_drop(x->file);
  if (!ok) {
    char *why = as_err_format(&err);
    fprintf(stderr, "assay: %s is not written: %s\n", judged->candidate.name, why);
    free(why);
  }
  as_err_clear(&err);
  return ok;
}

bool cli_export_write(const cli_export *x, as_err *err) {
  if (x == NULL || as_import_count(x->file) == 0)
    return true;
  char *text = as_import_text(x->file);
  bool ok = as_write_file(cli_export_path(x->o), text, strlen(text), err);
  free(text);
  return ok;
}
