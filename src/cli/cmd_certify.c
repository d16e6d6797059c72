/* `assay certify`: one candidate of a program; files of rules, and of candidates that another
 * program wrote, are batches. */
#include "cli.h"
#include "src/base/str.h"
#include "src/batch/batch.h"
#include "src/batch/tiles.h"
#include "src/floats/guard.h"
#include "src/report/junit.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static as_batch_how batch_how(const cli_opts *opts) {
  return (as_batch_how){.policy = &opts->policy,
                        .threads = (unsigned)opts->threads,
                        .forward = opts->forward,
                        .backward = opts->backward,
                        .json = opts->json,
                        .quiet = opts->quiet,
                        .verbose = opts->verbose,
                        .stats = opts->stats,
                        .out = opts->out,
                        .force = opts->force,
                        .junit = opts->junit};
}

static as_batch_export *new_export(const cli_opts *opts) {
  return opts->to
             ? as_batch_export_new(as_import_format_named(opts->to), opts->arg[2], &opts->policy)
             : NULL;
}

static int certify_rules(const cli_opts *opts) {
  as_err err;
  as_err_init(&err);
  const as_batch_how how = batch_how(opts);
  as_oplib *library = NULL;
  bool place = opts->out == NULL || as_report_dir_place(opts->out, opts->force, &err);
  if (place)
    library = cli_library(opts, &err);
  int status = library ? as_batch_rules(&how, library, (const char *const *)opts->arg, opts->n_arg)
                       : as_err_tell(&err);
  as_oplib_free(library);
  as_err_clear(&err);
  return status;
}

static int certify_graphs(const cli_opts *opts) {
  as_err err;
  as_err_init(&err);
  const as_batch_how how = batch_how(opts);
  as_batch_export *written = new_export(opts);
  as_job job;
  as_job_init(&job, cli_library(opts, &err));
  int status =
      job.lib && as_job_read_program(&job, opts->arg[0], &err)
          ? as_batch_graphs(&how, &job, as_import_format_named(opts->from), opts->arg[1], written)
          : as_err_tell(&err);
  as_job_clear(&job);
  as_batch_export_free(written);
  as_err_clear(&err);
  return status;
}

static void show(const cli_opts *opts, const as_judged *judged, const as_verdict *verdict,
                 const as_report_words *words, void *extra) {
  if (opts->json) {
    char *json = as_report_json(judged, verdict, words, NULL, extra);
    fputs(json, stdout);
    free(json);
  } else if (opts->quiet) {
    as_report_print_word(verdict);
  } else {
    as_report_print(verdict, words, opts->verbose);
    if (opts->verbose || opts->stats)
      as_report_print_stats();
  }
}

/* what the float test says of the candidate: no part of the verdict */
static void test_floats(const cli_opts *opts, const as_judged *judged, as_floats_result *floats) {
  as_guard *guard = as_guard_new(judged->program, as_target_default(), opts->fast_floats, true);
  as_guard_test(guard, judged->graph, floats);
  as_guard_free(guard);
}

static int tell(const cli_opts *opts, const as_judged *judged, as_verdict *verdict, as_err *err) {
  as_report_words words;
  as_floats_result floats = {.outcome = AS_FLOATS_OFF};
  as_report_words_of(verdict, opts->out != NULL, &words);
  if (verdict->answer == AS_ANSWER_PROVED && judged->graph) {
    test_floats(opts, judged, &floats);
    words.floats = &floats;
  }
  as_verdict_release(verdict);
  json_t *extra = json_pack("{s:o}", "statistics", as_report_stats_json());
  as_batch_export *export = new_export(opts);
  bool written = as_batch_export_add(export, judged, verdict);
  bool ok = (opts->out == NULL || as_report_package(opts->out, opts->force, judged, verdict, &words,
                                                    NULL, extra, err)) &&
            as_batch_export_write(export, err) &&
            as_report_junit_alone(opts->junit, opts->arg[0], opts->arg[1], verdict, err);
  as_batch_export_free(export);
  if (ok)
    show(opts, judged, verdict, &words, extra);
  json_decref(extra);
  as_report_words_clear(&words);
  as_floats_result_clear(&floats);
  int status = as_verdict_status(verdict);
  return !ok ? as_err_tell(err) : status == AS_OK && !written ? AS_BAD_INPUT : status;
}

static int certify_one(const cli_opts *opts) {
  as_err err;
  as_err_init(&err);
  as_verdict verdict;
  as_verdict_init(&verdict);
  as_job job;
  as_job_init(&job, cli_library(opts, &err));
  int status = AS_BAD_INPUT;
  bool place = opts->out == NULL || as_report_dir_place(opts->out, opts->force, &err);
  if (place && job.lib && as_job_read_program(&job, opts->arg[0], &err) &&
      as_job_read_candidate(&job, opts->arg[1], &err)) {
    as_judged judged = as_job_judged(&job);
    as_judge(&judged, &opts->policy, &verdict);
    status = verdict.answer == AS_ANSWER_UNREADABLE ? as_err_tell(&verdict.err)
                                                    : tell(opts, &judged, &verdict, &err);
  } else {
    status = as_err_tell(&err);
  }
  as_verdict_clear(&verdict);
  as_job_clear(&job);
  as_err_clear(&err);
  return status;
}

static int judge_tiles(const cli_opts *opts, const as_import_tile_format *from, bool blocks) {
  as_err err;
  as_err_init(&err);
  as_batch_tiles_how how = {.from = from,
                            .options = cli_tile_options(opts),
                            .generalise = opts->generalise,
                            .seed = opts->seed,
                            .json = opts->json,
                            .quiet = opts->quiet,
                            .verbose = opts->verbose,
                            .stats = opts->stats,
                            .refute_only = blocks,
                            .out = blocks ? NULL : opts->out,
                            .force = opts->force,
                            .junit = blocks ? NULL : opts->junit,
                            .written = blocks ? NULL : new_export(opts),
                            .proof_steps = (uint32_t)opts->proof_steps,
                            .policy = &opts->policy};
  as_oplib *library = cli_library(opts, &err);
  int status =
      library ? as_batch_tiles(&how, library, opts->arg[0], opts->arg[1]) : as_err_tell(&err);
  as_batch_export_free(how.written);
  as_oplib_free(library);
  as_err_clear(&err);
  return status;
}

/* Evaluation first.  What is of block form is then judged as the block graph that it is; of others
 * the claim of the texts is proved. */
static int certify_tiles(const cli_opts *opts, const as_import_tile_format *from) {
  as_err unsaid;
  as_err_init(&unsaid);
  as_oplib *known = from ? NULL : cli_library(opts, &unsaid);
  bool blocks = known && as_batch_tiles_are_blocks(known, opts->arg[0], opts->arg[1]);
  as_oplib_free(known);
  as_err_clear(&unsaid);
  int status = judge_tiles(opts, from, blocks);
  return blocks && status == AS_UNKNOWN ? certify_one(opts) : status;
}

int cli_certify(const cli_opts *opts) {
  const as_import_tile_format *tiles = opts->from ? as_import_tile_format_named(opts->from) : NULL;
  if (opts->generalise && !tiles) {
    fputs("assay: --generalise is of launches, which --from names the form of\n", stderr);
    return AS_BAD_INPUT;
  }
  if ((opts->n_arg > 1 || strcmp(opts->arg[0], "-") != 0) && /* alone, `-` is rules */
      !as_ends_with(opts->arg[0], ".rule")) {
    if (opts->n_arg < 2 || opts->n_arg > 3 || (opts->n_arg == 3) != (opts->to != NULL)) {
      fputs("usage: assay certify [options] RULES .. | PROGRAM CANDIDATE [--to: FILE]\n", stderr);
      return AS_BAD_INPUT;
    }
    if (tiles || (opts->from == NULL && as_batch_tiles_are(opts->arg[0], opts->arg[1])))
      return certify_tiles(opts, tiles);
    return opts->from ? certify_graphs(opts) : certify_one(opts);
  }
  uint32_t n = 1;
  while (n < opts->n_arg && as_ends_with(opts->arg[n], ".rule"))
    n++;
  if (n == opts->n_arg)
    return certify_rules(opts);
  fprintf(stderr, "assay: %s: no file of rules (.rule), as the first one is\n", opts->arg[n]);
  return AS_BAD_INPUT;
}
