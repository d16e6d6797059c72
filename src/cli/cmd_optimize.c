/* `assay optimize`: search, certify, lower; only what is certified is lowered. */
#include "cli.h"
#include "search/search.h"
#include "src/base/interrupt.h"
#include "src/base/progress.h"
#include "src/batch/improve.h"
#include "src/lower/lower.h"
#include "src/optimize/about.h"
#include "src/optimize/candidates.h"
#include "src/optimize/choice.h"
#include "src/optimize/kept.h"
#include "src/optimize/offered.h"
#include "src/optimize/saturated.h"
#include "src/optimize/shard.h"
#include "trial.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
  as_lower_opts plan;
  as_err fault; /* the first fault of the program itself: none of the candidate */
} lowering;

static bool lowers(void *arg, const as_graph *cand, as_routes *routes, as_err *err) {
  lowering *how = arg;
  bool ok = as_lowers(&how->plan, cand, routes, err);
  if (!ok && err->status == AS_INTERNAL)
    as_err_set(&how->fault, AS_INTERNAL, "%s", err->text);
  return ok;
}

static uint32_t operators(const as_graph *graph) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < graph->n; i++)
    n += graph->node[i].kind == AS_N_OP;
  return n;
}

/* how the candidate was come by */
static void print_search(const as_job *job, const as_search_stats *stats, const as_kept *kept) {
  printf("%s: %u operators; ", job->program->name, operators(job->program));
  if (kept->hit) {
    printf("from the cache, kept there after a search of %.1f s; %s\n\n", stats->seconds,
           kept->renamed ? "proved anew, since names are others" : "its certificate was replayed");
  } else {
    printf("%llu states visited, %llu candidates tested, %llu certified in %.1f s\n\n",
           (unsigned long long)stats->states, (unsigned long long)stats->tested,
           (unsigned long long)stats->certified, stats->seconds);
  }
}

static void print_choice(const cli_opts *opts, const as_job *job, const as_search_result *found,
                         const as_choice *chosen, const as_target *target, const as_kept *kept,
                         const as_trial *trial, const char *dir) {
  if (opts->quiet) {
    puts(dir);
    return;
  }
  print_search(job, &found->stats, kept);
  printf("%s\n", chosen->cand ? chosen->cand->text : chosen->tile.job.candidate.text);
  as_report_print(chosen->verdict, &chosen->words, opts->verbose);
  printf("target    %s (%s)\n", target->arch, target->gpu);
  for (uint32_t i = 0; i < chosen->low.n_kernel; i++) {
    const as_lower_kernel *kernel = &chosen->low.kernel[i];
    char *words = as_report_kernel_words(kernel);
    printf("kernel    %s: %s\n", kernel->name, words);
    free(words);
  }
  printf("trial     %s\n", trial->words);
  if (opts->all && chosen->cand)
    as_list_candidates(found, chosen->cand);
  char *said = as_search_said(found, opts->verbose);
  printf("%s%s%s", said ? "search    " : "", said ? said : "", said ? "\n" : "");
  free(said);
  if (opts->verbose && chosen->low.notes)
    fputs(chosen->low.notes, stdout);
  for (uint32_t i = 0; opts->verbose && i < found->n_log; i++)
    printf("note      %s\n", found->log[i]);
  if (opts->verbose || opts->stats)
    as_report_print_stats();
  printf("%s\n", dir);
}

static void show_progress(void *arg, const char *stage, const as_search_stats *stats, double done) {
  as_progress *progress = arg;
  if (!as_progress_due(progress, stage, done))
    return;
  uint64_t pruned = stats->pruned_shape + stats->pruned_abstract + stats->pruned_unit +
                    stats->pruned_repeat + stats->pruned_memory;
  fprintf(stderr, "%s: %llu states visited, %llu pruned, %llu tested, %llu certified, ", stage,
          (unsigned long long)stats->states, (unsigned long long)pruned,
          (unsigned long long)stats->tested, (unsigned long long)stats->certified);
  if (stats->best_us > 0)
    fprintf(stderr, "best %.2f us, ", stats->best_us);
  fprintf(stderr, "%.1f s%s", progress->last - progress->start, progress->terminal ? "" : "\n");
  fflush(stderr);
}

/* with --all; partitions up to so much of the best one's cost */
enum { ALL_KEPT = 64, ALL_TESTED = 256, ALL_PARTITIONS = 16, ALL_REACH = 2 };

/* solvers are asked of the one that is chosen */
static as_policy policy_of_candidates(const cli_opts *opts) {
  as_policy policy = opts->policy;
  as_policy_without_solvers(&policy);
  policy.stop_early = true;
  return policy;
}

static bool saturate(const cli_opts *opts, const as_job *job, const as_search_opts *options,
                     const char *dir, as_search_result *found, as_saturated_tile *tile,
                     as_err *err) {
  bool silent = opts->quiet || opts->json;
  as_saturated_how how = {(long)opts->tile, opts->nodes, dir, silent ? NULL : stdout};
  return as_saturated_add(job, &how, options, found, tile, err);
}

/* the user's own candidates */
static bool offer(const cli_opts *opts, const as_job *job, const as_search_opts *options,
                  as_search_result *found, as_err *err) {
  const as_import_tile_options read = cli_tile_options(opts);
  FILE *told = opts->quiet || opts->json ? NULL : stdout;
  return as_offer_files(job, options, &read, opts->offer.data, opts->offer.n, told, found, err);
}

static bool status_of_share(as_status status, as_progress *progress, const as_search_result *found,
                            as_err *err) {
  as_progress_end(progress);
  return status == AS_OK ||
         as_err_set(err, status, "%s", found->message ? found->message : "no reason given");
}

/* whether nobody sees, or asks a solver about, more than the first certified candidate */
static bool wants_only_first(const cli_opts *opts) {
  bool asks = opts->policy.keep_queries;
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++)
    asks |= opts->policy.ask[i] || opts->policy.agree[i];
  return opts->quiet && !opts->all && !asks;
}

/* record: NULL, or what is known of plans; shard: which share of them, {0}: all; tile: what
 * saturation finds, where that is asked for */
static bool search(const cli_opts *opts, const as_job *job, const as_target *target,
                   as_guard *guard, const char *dir, as_search_record *record, as_shard shard,
                   as_search_result *found, as_saturated_tile *tile, as_err *err) {
  as_progress progress;
  as_progress_init(&progress, opts->quiet);
  lowering how = {.plan = {.target = target}};
  as_err_init(&how.fault);
  as_policy policy = policy_of_candidates(opts);
  as_search_opts options = as_search_default;
  options.threads = (unsigned)opts->threads;
  options.seed = opts->seed;
  options.max_seconds = (double)opts->seconds;
  /* a share has so much less to look at, which it does not know of the others' */
  options.max_group_states = shard.of ? opts->budget / shard.of + 1 : opts->budget;
  if (opts->all) {
    options.keep = ALL_KEPT;
    options.max_tested = ALL_TESTED;
    options.max_partitions = ALL_PARTITIONS;
    options.reach = ALL_REACH;
  }
  options.only_first = wants_only_first(opts);
  options.fast_floats = opts->fast_floats;
  options.z3 = strcmp(opts->prune, "z3") == 0;
  options.no_prune = (uint32_t)opts->no_prune;
  options.record = record;
  options.shard = shard.number;
  options.n_shards = shard.of;
  options.target = target;
  options.concrete = true;
  options.stop = as_interrupt_catch();
  options.policy = shard.number ? NULL : &policy; /* the merge judges */
  options.given = as_job_judged(job).given;
  options.lowers = lowers;
  options.lowers_arg = &how;
  options.floats = guard ? as_guard_test : NULL;
  options.floats_arg = guard;
  options.progress = show_progress;
  options.progress_arg = &progress;
  if (shard.number) /* the record is the result */
    return status_of_share(as_search(job->program, &options, found), &progress, found, err);
  bool both = strcmp(opts->search, "both") == 0;
  bool enumerates = both || strcmp(opts->search, "enumerate") == 0;
  bool saturates = both || strcmp(opts->search, "saturate") == 0;
  as_status status = enumerates ? as_search(job->program, &options, found) : AS_UNKNOWN;
  as_progress_end(&progress);
  if (how.fault.status != AS_OK) { /* another candidate would hide it */
    as_err_set(err, AS_INTERNAL, "%s", how.fault.text);
    as_err_clear(&how.fault);
    return false;
  }
  if (!offer(opts, job, &options, found, err) ||
      (saturates && !saturate(opts, job, &options, dir, found, tile, err)))
    return false;
  return found->n > 0 || tile->found ||
         as_err_set(err, status, "%s",
                    found->message ? found->message
                                   : "no certified candidate of a form that is lowered was found");
}

/* What a result depends on.  Shares of a search do not depend on how candidates are judged: policy
 * NULL. */
static void key_of(const cli_opts *opts, const as_policy *policy, const as_job *job,
                   const as_target *target, char key[AS_CACHE_KEY]) {
  as_policy any;
  as_policy_init(&any);
  char *options = as_format("budget %llu prune %s %llu floats %d", (unsigned long long)opts->budget,
                            opts->prune, (unsigned long long)opts->no_prune, !opts->fast_floats);
  as_kept_key(options, policy ? policy : &any, job, target, key);
  free(options);
}

/* what others have enumerated (`merge`); false with err */
static bool read_shares(const cli_opts *opts, const char *key, as_search_record *record,
                        as_err *err) {
  char *missing;
  bool read = as_shard_read(opts->arg + 1, opts->n_arg - 1, key, record, &missing, err);
  if (missing)
    fprintf(stderr, "assay: what is missing is enumerated here: %s\n", missing);
  free(missing);
  return read;
}

/* whether a candidate from the cache passes the float test still */
static bool is_safe(as_guard *guard, as_candidate *cand, as_err *err) {
  if (as_guard_test(guard, cand->graph, &cand->floats))
    return true;
  char *why = as_floats_print(&cand->floats);
  as_err_set(err, AS_UNKNOWN, "it is worse in floats than the program given: %s", why);
  free(why);
  return false;
}

/* from the cache, or else by a search, or from shares of one */
static bool find(const cli_opts *opts, const as_job *job, const as_target *target, as_guard *guard,
                 const char *dir_out, as_kept *kept, as_search_result *found, as_choice *chosen,
                 as_err *err) {
  as_policy policy = policy_of_candidates(opts);
  char key[AS_CACHE_KEY] = "";
  bool merge = opts->n_arg > 1;
  /* with --all, and beside tile programs: what is not chosen is not kept */
  bool whole = opts->all || opts->offer.n || strcmp(opts->search, "enumerate") != 0;
  char *dir = opts->no_cache || whole || merge ? NULL
              : opts->cache                    ? as_strdup(opts->cache)
                                               : as_cache_default();
  if (dir || merge)
    key_of(opts, merge ? NULL : &opts->policy, job, target, key);
  as_kept_open(dir, key, kept);
  free(dir);
  if (as_kept_find(kept, job, &policy, found)) {
    if (is_safe(guard, found->cand, err) &&
        as_choose(job, &opts->policy, target, guard, found, chosen, err))
      return true;
    as_kept_refuse(kept, err->text ? err->text : "no reason given");
    as_err_clear(err);
    as_search_result_clear(found);
    as_choice_clear(chosen);
    *chosen = (as_choice){0};
  }
  as_search_record *record = merge ? as_search_record_new() : NULL;
  bool ok =
      (!merge || read_shares(opts, key, record, err)) &&
      search(opts, job, target, guard, dir_out, record, (as_shard){0}, found, &chosen->tile, err) &&
      as_choose(job, &opts->policy, target, guard, found, chosen, err);
  as_search_record_free(record);
  if (ok && chosen->cand)
    as_kept_keep(kept, job, found, chosen->cand);
  return ok;
}

/* `--shard`: enumerates one share of the plans, and leaves what became of them */
static bool leave_share(const cli_opts *opts, const as_job *job, const as_target *target,
                        as_err *err) {
  as_shard shard = {0};
  char key[AS_CACHE_KEY];
  as_search_result found = {0};
  as_search_record *record = as_search_record_new();
  bool ok = as_shard_parse(opts->shard, &shard, err);
  char *path = opts->out
                   ? as_strdup(opts->out)
                   : as_format("%s.%u-of-%u.shard", job->program->name, shard.number, shard.of);
  key_of(opts, NULL, job, target, key);
  ok = ok && search(opts, job, target, NULL, NULL, record, shard, &found, NULL, err) &&
       as_shard_write(path, key, shard, record, err);
  char *limits = as_search_limits_print(&found.stats, false);
  if (ok && limits && !opts->quiet)
    printf("limits that struck: %s\n", limits);
  if (ok)
    puts(path);
  free(limits);
  free(path);
  as_search_result_clear(&found);
  as_search_record_free(record);
  return ok;
}

static bool leave(const cli_opts *opts, const as_job *job, const as_search_result *found,
                  as_choice *chosen, const as_target *target, const as_kept *kept,
                  const as_trial *trial, const char *dir, as_err *err) {
  json_t *extra = chosen->cand ? as_about_search(found, chosen->cand, &chosen->low, target)
                               : as_about_tile(&chosen->tile, &chosen->low, target);
  if (kept->dir)
    json_object_set_new(extra, "cache", as_kept_json(kept));
  json_object_set_new(extra, "trial", cli_trial_json(trial));
  chosen->words.untried = trial->end == AS_TRIAL_RIGHT ? "" : trial->words;
  char *said = as_search_said(found, false);
  json_object_set_new(extra, "search_said", json_string(said ? said : ""));
  free(said);
  bool ok = as_report_package(dir, opts->force, &chosen->judged, chosen->verdict, &chosen->words,
                              &chosen->low, extra, err);
  if (ok && opts->json) {
    json_object_set_new(extra, "directory", json_string(dir));
    char *json = as_report_json(&chosen->judged, chosen->verdict, &chosen->words, NULL, extra);
    fputs(json, stdout);
    free(json);
  } else if (ok) {
    print_choice(opts, job, found, chosen, target, kept, trial, dir);
  }
  json_decref(extra);
  return ok;
}

int cli_merge(const cli_opts *opts) {
  return cli_optimize(opts);
}

int cli_optimize(const cli_opts *opts) {
  as_err err;
  as_err_init(&err);
  if (opts->from) {
    const as_batch_improve_how how = {
        opts->from, cli_tile_options(opts), &opts->policy, opts->out, opts->force, opts->json,
        opts->quiet};
    return as_batch_improve(&how, cli_library(opts, &err), opts->arg[0], &err);
  }
  as_choice chosen = {0};
  as_search_result found = {0};
  as_kept kept = {0};
  as_guard *guard = NULL;
  as_trial trial = {0};
  char *dir = NULL;
  as_job job;
  as_job_init(&job, cli_library(opts, &err));
  const as_target *target = cli_target(opts, NULL, &err);
  bool ok = job.lib && target && as_job_read_program(&job, opts->arg[0], &err);
  if (ok && opts->shard) {
    ok = leave_share(opts, &job, target, &err);
  } else if (ok) {
    dir = opts->out ? as_strdup(opts->out) : as_format("%s.assay", job.program->name);
    guard = as_guard_new(job.program, target, opts->fast_floats, false);
    ok = as_report_dir_place(dir, opts->force, &err) && /* before the work, not after it */
         find(opts, &job, target, guard, dir, &kept, &found, &chosen, &err) &&
         cli_try(opts, &chosen.low, target, &trial, &err) &&
         leave(opts, &job, &found, &chosen, target, &kept, &trial, dir, &err);
  }
  int status = ok ? AS_OK : as_err_tell(&err);
  as_trial_clear(&trial);
  as_choice_clear(&chosen);
  as_search_result_clear(&found);
  as_guard_free(guard);
  as_kept_clear(&kept);
  as_job_clear(&job);
  free(dir);
  as_err_clear(&err);
  return status;
}
