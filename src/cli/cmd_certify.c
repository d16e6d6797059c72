/* `assay certify`: one candidate of a program; files of rules, and of candidates that another
 * program wrote, are batches. */
#include "cli.h"
#include "src/base/str.h"
#include "src/batch/batch.h"
#include "src/batch/tiles.h"
#include "src/report/junit.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static as_batch_how batch_how(const cli_opts *o) {
  return (as_batch_how){.policy = &o->policy,
                        .threads = (unsigned)o->threads,
                        .forward = o->forward,
                        .backward = o->backward,
                        .json = o->json,
                        .quiet = o->quiet,
                        .verbose = o->verbose,
                        .stats = o->stats,
                        .out = o->out,
                        .force = o->force,
                        .junit = o->junit};
}

/* where --to writes; NULL: nothing is to be written */
static as_batch_export *new_export(const cli_opts *o) {
  return o->to ? as_batch_export_new(as_import_format_named(o->to), o->arg[2], &o->policy) : NULL;
}

static int certify_rules(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  const as_batch_how how = batch_how(o);
  as_oplib *library = NULL;
  bool place = o->out == NULL || as_report_dir_place(o->out, o->force, &err);
  if (place)
    library = cli_library(o, &err);
  int status = library ? as_batch_rules(&how, library, (const char *const *)o->arg, o->n_arg)
                       : as_err_tell(&err);
  as_oplib_free(library);
  as_err_clear(&err);
  return status;
}

static int certify_graphs(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  const as_batch_how how = batch_how(o);
  as_batch_export *written = new_export(o);
  as_job job;
  as_job_init(&job, cli_library(o, &err));
  int status =
      job.lib && as_job_read_program(&job, o->arg[0], &err)
          ? as_batch_graphs(&how, &job, as_import_format_named(o->from), o->arg[1], written)
          : as_err_tell(&err);
  as_job_clear(&job);
  as_batch_export_free(written);
  as_err_clear(&err);
  return status;
}

static bool leave_junit(const cli_opts *o, const as_verdict *v, as_err *err) {
  if (o->junit == NULL)
    return true;
  as_report_junit *suite = as_report_junit_new(o->arg[0]);
  as_report_junit_judged(suite, o->arg[0], o->arg[1], v->prove_seconds + v->check_seconds, NULL, v);
  bool ok = as_report_junit_write(suite, o->junit, err);
  as_report_junit_free(suite);
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
  as_batch_export *export = new_export(o);
  bool written = as_batch_export_add(export, judged, v);
  bool ok = (o->out == NULL ||
             as_report_package(o->out, o->force, judged, v, &words, NULL, extra, err)) &&
            as_batch_export_write(export, err) && leave_junit(o, v, err);
  as_batch_export_free(export);
  if (ok)
    show(o, judged, v, &words, extra);
  json_decref(extra);
  as_report_words_clear(&words);
  as_status status = as_verdict_status(v);
  return !ok ? as_err_tell(err) : status == AS_OK && !written ? AS_BAD_INPUT : (int)status;
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
    status = v.answer == AS_ANSWER_UNREADABLE ? as_err_tell(&v.err) : tell(o, &judged, &v, &err);
  } else {
    status = as_err_tell(&err);
  }
  as_verdict_clear(&v);
  as_job_clear(&job);
  as_err_clear(&err);
  return status;
}

/* no claim is made of a tile program: what a certificate would be about is refused */
static int certify_tiles(const cli_opts *o, const as_import_tile_format *from) {
  if (o->out || o->to || o->junit) {
    fprintf(stderr, "assay: tile programs are judged by evaluation alone: there is nothing for "
                    "--out, --to and --junit to write\n");
    return AS_BAD_INPUT;
  }
  as_err err;
  as_err_init(&err);
  as_batch_tiles_how how = {.from = from,
                            .options = cli_tile_options(o),
                            .seed = o->seed,
                            .json = o->json,
                            .quiet = o->quiet,
                            .verbose = o->verbose};
  as_oplib *library = cli_library(o, &err);
  int status = library ? as_batch_tiles(&how, library, o->arg[0], o->arg[1]) : as_err_tell(&err);
  as_oplib_free(library);
  as_err_clear(&err);
  return status;
}

int cli_certify(const cli_opts *o) {
  if (!as_ends_with(o->arg[0], ".rule")) {
    if (o->n_arg < 2 || o->n_arg > 3 || (o->n_arg == 3) != (o->to != NULL)) {
      fprintf(stderr, "usage: assay certify [options] FILE.rule ... | PROGRAM.tp CANDIDATE [and "
                      "with --to, only then: the file to write]\n");
      return AS_BAD_INPUT;
    }
    const as_import_tile_format *tiles = o->from ? as_import_tile_format_named(o->from) : NULL;
    if (tiles || (o->from == NULL && as_batch_tiles_are(o->arg[0], o->arg[1])))
      return certify_tiles(o, tiles);
    return o->from ? certify_graphs(o) : certify_one(o);
  }
  for (uint32_t i = 1; i < o->n_arg; i++) {
    if (!as_ends_with(o->arg[i], ".rule")) {
      fprintf(stderr, "assay: %s: no file of rules (.rule), as the first one is\n", o->arg[i]);
      return AS_BAD_INPUT;
    }
  }
  return certify_rules(o);
}
