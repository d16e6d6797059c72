#include "export.h"
#include "src/base/file.h"
#include "verify/judge/job.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct as_batch_export {
  const char *path;
  const as_policy *policy;
  as_import *file;
};

as_batch_export *as_batch_export_new(const as_import_format *format, const char *path,
                                     const as_policy *policy) {
  as_batch_export *export = as_malloc(sizeof *export);
  *export = (as_batch_export){path, policy, as_import_new(format)};
  return export;
}

void as_batch_export_free(as_batch_export *export) {
  if (export == NULL)
    return;
  as_import_free(export->file);
  free(export);
}

/* What was written is what was proved only if it says so when it is read: the graph added last,
 * read back and judged like any other, but for the solvers. */
static bool reads_back(as_batch_export *export, const as_judged *judged, as_err *err) {
  as_policy policy = *export->policy;
  as_policy_ask_nobody(&policy);
  as_verdict verdict;
  as_verdict_init(&verdict);
  as_job job;
  as_job_init(&job, as_oplib_again(judged->lib, err));
  job.any_tile = true;
  bool ok = job.lib && as_job_take_program(&job, judged->given.name, as_strdup(judged->given.text),
                                           judged->given.len, err);
  char *mug =
      ok ? as_import_mug(export->file, as_import_count(export->file) - 1, job.program, false, err)
         : NULL;
  ok = mug && as_job_take_candidate(&job, "the graph written", mug, strlen(mug), err);
  if (ok) {
    as_judged again = as_job_judged(&job);
    policy.field = policy.field && again.program;
    as_judge(&again, &policy, &verdict);
    ok = verdict.certified ||
         as_err_set(err, AS_UNKNOWN, "what was written is not certified when read back: %s",
                    verdict.why ? verdict.why : "");
  }
  as_verdict_clear(&verdict);
  as_job_clear(&job);
  return ok;
}

static bool can_be_written(const as_judged *judged, const as_verdict *verdict, as_err *err) {
  if (!verdict->certified)
    return as_err_set(err, AS_NO, "only what is certified is written");
  if (judged->graph->program == NULL)
    return as_err_set(err, AS_BAD_INPUT,
                      "%s is a program; only muGraphs can be written in another format",
                      judged->graph->name);
  return true;
}

bool as_batch_export_add(as_batch_export *export, const as_judged *judged,
                         const as_verdict *verdict) {
  if (export == NULL)
    return true;
  as_err err;
  as_err_init(&err);
  bool added =
      can_be_written(judged, verdict, &err) && as_import_add(export->file, judged->graph, &err);
  bool ok = added && (!as_import_can_read(export->file) || reads_back(export, judged, &err));
  if (added && !ok)
    as_import_drop(export->file);
  if (!ok) {
    char *why = as_err_format(&err);
    fprintf(stderr, "assay: %s is not written: %s\n", judged->candidate.name, why);
    free(why);
  }
  as_err_clear(&err);
  return ok;
}

bool as_batch_export_tile(as_batch_export *export, const as_tile_program *tile, const char *text,
                          as_err *err) {
  return as_import_add_tile(export->file, tile, text, err);
}

bool as_batch_export_write(const as_batch_export *export, as_err *err) {
  if (export == NULL || as_import_count(export->file) == 0)
    return true;
  char *text = as_import_text(export->file);
  bool ok = as_write_file(export->path, text, strlen(text), err);
  free(text);
  return ok;
}
