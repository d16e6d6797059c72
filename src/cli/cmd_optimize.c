/* `assay optimize`: search, certify, lower; only what is certified is lowered. */
#include "cli.h"
#include "search/search.h"
#include "src/base/interrupt.h"
#include "src/base/progress.h"
#include "src/lower/lower.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
  as_candidate *cand; /* the search's */
  as_judged judged;
  as_report_words words;
  as_lowered low;
  bool lowered;
} choice;

static void choice_clear(choice *x) {
  if (x->lowered)
    as_lowered_clear(&x->low);
  as_report_words_clear(&x->words);
}

static bool lowers(void *arg, const as_graph *cand, as_err *err) {
  const as_lower_opts *plan = arg;
  as_lowered low;
  as_lowered_init(&low);
  bool ok = as_lower_cuda(cand, plan, &low, err);
  as_lowered_clear(&low);
  return ok;
}

/* The first candidate, in order of cost, that is certified when the solvers have been asked as
 * well: the search has proved each, and a tiling of it lowers. */
static bool choose(const cli_opts *o, const as_job *job, const as_target *target,
                   as_search_result *found, choice *x, as_err *err) {
  as_lower_opts plan = {.target = target};
  char *why = NULL;
  for (uint32_t i = 0; i < found->n && !x->lowered; i++) {
    x->cand = &found->cand[i];
    as_verdict *v = &x->cand->verdict;
    as_judged program = as_job_judged(job);
    x->judged = as_search_judged(job->program, &program.given, x->cand);
    as_search_select(x->cand, x->cand->chosen);
    as_judge_ask(&x->judged, &o->policy, v);
    as_report_words_clear(&x->words);
    as_report_words_of(v, true, &x->words);
    as_verdict_release(v);
    if (v->certified) {
      as_lowered_init(&x->low);
      x->lowered = true;
      if (!as_lower_cuda(x->cand->graph, &plan, &x->low, err))
        return false;
    } else if (why == NULL) {
      why = as_strdup(v->why ? v->why : "no reason given");
    }
  }
  if (!x->lowered)
    as_err_set(err, AS_UNKNOWN, "no candidate is certified: %s", why ? why : "none was found");
  free(why);
  return x->lowered;
}

static json_t *extra_json(const as_search_result *found, const choice *x, const as_target *target) {
  const as_search_stats *s = &found->stats;
  json_t *tiling = json_object();
  json_t *kernels = json_array();
  if (x->cand->n_tiling) {
    const as_tiling *t = &x->cand->tiling[x->cand->chosen];
    for (uint32_t i = 0; i < t->n; i++) {
      json_object_set_new(tiling, as_size_name(x->cand->graph->sizes, t->size[i]),
                          json_integer(t->value[i]));
    }
    json_object_set_new(tiling, "model_us", json_real(t->us));
  }
  for (uint32_t i = 0; i < x->low.n_kernel; i++) {
    const as_lower_kernel *l = &x->low.kernel[i];
    json_array_append_new(kernels, json_pack("{s:s, s:I, s:I, s:i, s:i, s:i, s:b}", "name", l->name,
                                             "shared_bytes", (json_int_t)l->bytes_smem, "blocks",
                                             (json_int_t)l->blocks, "warps", l->warps, "stages",
                                             l->stages, "barriers_in_loop", l->barriers_loop,
                                             "validated", l->validated));
  }
  return json_pack("{s:s, s:s, s:o, s:{s:I, s:I, s:I, s:I, s:I, s:f}, s:o, s:o, s:i}", "target",
                   target->gpu, "arch", target->arch, "statistics", as_report_stats_json(),
                   "search", "states", (json_int_t)s->states, "candidates",
                   (json_int_t)s->candidates, "tested", (json_int_t)s->tested, "certified",
                   (json_int_t)s->certified, "failed_late",
                   (json_int_t)(s->unproved + s->replay_failed), "seconds", s->seconds, "tiling",
                   tiling, "kernels", kernels, "kernel_count", (int)x->cand->kernels);
}

static uint32_t operators(const as_graph *g) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->n; i++)
    n += g->node[i].kind == AS_N_OP;
  return n;
}

static void print_choice(const cli_opts *o, const as_job *job, const as_search_result *found,
                         const choice *x, const as_target *target, const char *dir) {
  if (o->quiet) {
    puts(dir);
    return;
  }
  const as_search_stats *s = &found->stats;
  printf("%s: %u operators; %llu states visited, %llu candidates tested, %llu certified in %.1f "
         "s\n\n%s\n",
         job->program->name, operators(job->program), (unsigned long long)s->states,
         (unsigned long long)s->tested, (unsigned long long)s->certified, s->seconds,
         x->cand->text);
  as_report_print(&x->cand->verdict, &x->words, o->verbose);
  printf("target    %s (%s)\n", target->arch, target->gpu);
  for (uint32_t i = 0; i < x->low.n_kernel; i++) {
    const as_lower_kernel *k = &x->low.kernel[i];
    printf("kernel    %s: %ld blocks of %d warps, %ld bytes of shared memory, %d stages%s\n",
           k->name, k->blocks, k->warps, k->bytes_smem, k->stages,
           k->validated ? "; thread graph validated" : "");
  }
  char *said = as_search_said(found, o->verbose);
  printf("%s%s%s", said ? "search    " : "", said ? said : "", said ? "\n" : "");
  free(said);
  if (o->verbose && x->low.notes)
    fputs(x->low.notes, stdout);
  for (uint32_t i = 0; o->verbose && i < found->n_log; i++)
    printf("note      %s\n", found->log[i]);
  if (o->verbose || o->stats)
    as_report_print_stats();
  printf("%s\n", dir);
}

static void show_progress(void *arg, const char *stage, const as_search_stats *stats, double done) {
  as_progress *progress = arg;
  if (!as_progress_due(progress, stage, done))
    return;
  uint64_t pruned = stats->pruned_shape + stats->pruned_abstract + stats->pruned_unit +
                    stats->pruned_repeat + stats->pruned_memory;
  fprintf(stderr, "%s: %llu states visited, %llu pruned, %llu tested, %llu certified, %.1f s%s",
          stage, (unsigned long long)stats->states, (unsigned long long)pruned,
          (unsigned long long)stats->tested, (unsigned long long)stats->certified,
          progress->last - progress->start, progress->terminal ? "" : "\n");
  fflush(stderr);
}

static bool search(const cli_opts *o, const as_job *job, const as_target *target,
                   as_search_result *found, as_err *err) {
  as_progress progress;
  as_progress_init(&progress, o->quiet);
  as_lower_opts plan = {.target = target};
  as_policy policy = o->policy;
  as_policy_without_solvers(&policy); /* they are asked of the one that is chosen */
  policy.stop_early = true;
  as_search_opts so = as_search_default;
  so.threads = (unsigned)o->threads;
  so.seed = o->seed;
  so.max_seconds = (double)o->seconds;
  so.z3 = strcmp(o->prune, "z3") == 0;
  so.target = target;
  so.concrete = true;
  so.stop = as_interrupt_catch();
  so.policy = &policy;
  so.given = as_job_judged(job).given;
  so.lowers = lowers;
  so.lowers_arg = &plan;
  so.progress = show_progress;
  so.progress_arg = &progress;
  as_status status = as_search(job->program, &so, found);
  as_progress_end(&progress);
  return status == AS_OK ||
         as_err_set(err, status, "%s",
                    found->message ? found->message
                                   : "no certified candidate was found within the limits");
}

static bool leave(const cli_opts *o, const as_job *job, const as_search_result *found,
                  const choice *x, const as_target *target, const char *dir, as_err *err) {
  json_t *extra = extra_json(found, x, target);
  char *said = as_search_said(found, false);
  json_object_set_new(extra, "search_said", json_string(said ? said : ""));
  free(said);
  bool ok = as_report_package(dir, o->force, &x->judged, &x->cand->verdict, &x->words, x->low.cuda,
                              extra, err);
  if (ok && o->json) {
    json_object_set_new(extra, "directory", json_string(dir));
    char *json = as_report_json(&x->judged, &x->cand->verdict, &x->words, NULL, extra);
    fputs(json, stdout);
    free(json);
  } else if (ok) {
    print_choice(o, job, found, x, target, dir);
  }
  json_decref(extra);
  return ok;
}

int cli_optimize(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  choice x = {0};
  as_search_result found = {0};
  char *dir = NULL;
  as_job job;
  as_job_init(&job, cli_library(o, &err));
  const as_target *target = cli_target(o, NULL, &err);
  bool ok = job.lib && target && as_job_read_program(&job, o->arg[0], &err);
  if (ok) {
    dir = o->out ? as_strdup(o->out) : as_format("%s.assay", job.program->name);
    ok = as_report_dir_place(dir, o->force, &err) && /* before the work, not after it */
         search(o, &job, target, &found, &err) && choose(o, &job, target, &found, &x, &err) &&
         leave(o, &job, &found, &x, target, dir, &err);
  }
  int status = ok ? AS_OK : as_err_tell(&err);
  choice_clear(&x);
  as_search_result_clear(&found);
  as_job_clear(&job);
  free(dir);
  as_err_clear(&err);
  return status;
}
