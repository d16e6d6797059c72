/* `assay bench --tune`: the tilings of a candidate that the cost model puts first, each lowered,
 * compiled, checked and timed; what was seen of each, and the choice, go into the directory. */
#include "tune.h"
#include "search/search.h"
#include "src/base/file.h"
#include "src/floats/guard.h"
#include "src/lower/lower.h"
#include "src/runtime/rt.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TRIED = 8, TRIED_BY_EMULATION = 2 }; /* which compiles for seconds */

typedef struct {
  bool lowered;
  as_floats_result floats;
  as_rt_result result;
  char *why; /* it could not be lowered or run; NULL: it was run */
} trial;

typedef struct {
  const as_tune_how *how;
  const as_job *job;
  const as_target *target;
  as_guard *guard; /* NULL: no float test */
  const char *dir;
  as_tiling *tiling;
  uint32_t n;
  trial trial[TRIED];
} tuning;

static void take_sizes(const tuning *tune, uint32_t which) {
  as_sizes *sizes = tune->job->graph->sizes;
  for (uint32_t i = 0; i < tune->tiling[which].n; i++)
    as_size_set_value(sizes, tune->tiling[which].size[i], tune->tiling[which].value[i]);
}

static bool run_lowered(tuning *tune, const as_lowered *low, uint32_t which, as_err *err) {
  char *work = as_format("%s/tune-%u", tune->dir, which + 1);
  as_rt_opts opts = {.dir = work,
                     .target = tune->target,
                     .emulate = tune->how->by == AS_TUNE_EMULATED,
                     .emu_dir = tune->how->emulation,
                     .seed = tune->how->seed};
  opts.timed = !opts.emulate;
  bool ok = mkdir(work, 0777) == 0 || as_exists(work) ||
            as_err_set(err, AS_BAD_INPUT, "%s: cannot be made", work);
  ok = ok && as_rt_run(low, tune->job->program->name, &opts, &tune->trial[which].result, err);
  free(work);
  return ok;
}

/* whether the candidate with these tiles computes no worse in floats than the program given */
static bool is_safe(tuning *tune, uint32_t which, as_err *err) {
  as_floats_result *floats = &tune->trial[which].floats;
  if (as_guard_test(tune->guard, tune->job->graph, floats))
    return true;
  char *why = as_floats_print(floats);
  as_err_set(err, AS_NO, "worse in floats than the program given: %s", why);
  free(why);
  return false;
}

/* by the model, as it is lowered */
static double price(const tuning *tune, const as_routes *routes) {
  as_routes priced;
  double us = as_cost_lowered(tune->job->graph, tune->target, routes, &priced, NULL);
  as_routes_clear(&priced);
  return us;
}

static void try_one(tuning *tune, uint32_t which) {
  as_err err;
  as_err_init(&err);
  as_lowered low;
  as_lowered_init(&low);
  as_lower_opts plan = {.target = tune->target};
  take_sizes(tune, which);
  bool ok = is_safe(tune, which, &err) && as_lower_cuda(tune->job->graph, &plan, &low, &err);
  tune->trial[which].lowered = ok;
  if (ok)
    tune->tiling[which].us = price(tune, &low.routes);
  if (ok && tune->how->by != AS_TUNE_MODEL)
    ok = run_lowered(tune, &low, which, &err);
  if (!ok)
    tune->trial[which].why = as_strdup(err.text ? err.text : "no reason given");
  as_lowered_clear(&low);
  as_err_clear(&err);
}

static bool was_timed(const trial *of) {
  return !of->why && of->result.ran && of->result.ok && of->result.cold_us > 0;
}

static bool was_wrong(const trial *of) {
  return !of->why && of->result.ran && !of->result.ok;
}

/* The fastest that is right; where nothing was timed, the model's first of those that lower and are
 * not wrong.  False: there is none. */
static bool choose(const tuning *tune, uint32_t *chosen, bool *timed) {
  bool any = false;
  *timed = false;
  for (uint32_t i = 0; i < tune->n; i++) {
    const trial *here = &tune->trial[i];
    double best = any && *timed ? tune->trial[*chosen].result.cold_us : 0;
    bool faster = was_timed(here) && (!*timed || here->result.cold_us < best);
    bool first = !any && here->lowered && !was_wrong(here);
    if (faster || first)
      *chosen = i;
    any = any || faster || first;
    *timed = *timed || faster;
  }
  return any;
}

static json_t *described(const tuning *tune, uint32_t which) {
  const trial *of = &tune->trial[which];
  json_t *sizes = json_object();
  for (uint32_t i = 0; i < tune->tiling[which].n; i++) {
    const char *name = as_size_name(tune->job->graph->sizes, tune->tiling[which].size[i]);
    json_object_set_new(sizes, name, json_integer(tune->tiling[which].value[i]));
  }
  json_t *object = json_pack("{s:o, s:f}", "sizes", sizes, "model_us", tune->tiling[which].us);
  char *floats = as_floats_print(&of->floats);
  json_object_set_new(object, "floats", json_string(floats));
  free(floats);
  if (of->why)
    json_object_set_new(object, "failed", json_string(of->why));
  if (!of->why && of->result.ran) {
    json_object_set_new(object, "right", json_boolean(of->result.ok));
    json_object_set_new(object, "relative_error", json_real(of->result.rel_error));
  }
  if (was_timed(of)) {
    json_object_set_new(object, "cold_us", json_real(of->result.cold_us));
    json_object_set_new(object, "hot_us", json_real(of->result.hot_us));
  }
  return object;
}

static bool write_in(const tuning *tune, const char *name, const char *text, as_err *err) {
  char *path = as_format("%s/%s", tune->dir, name);
  bool ok = as_write_file(path, text, strlen(text), err);
  free(path);
  return ok;
}

static bool write_results(const tuning *tune, uint32_t chosen, bool timed, as_err *err) {
  json_t *tilings = json_array();
  for (uint32_t i = 0; i < tune->n; i++)
    json_array_append_new(tilings, described(tune, i));
  json_t *all = json_pack("{s:s, s:s, s:s, s:i, s:o}", "program", tune->job->program->name, "gpu",
                          tune->target->gpu, "chosen_by", timed ? "time" : "model", "chosen",
                          (int)chosen + 1, "tilings", tilings);
  char *evidence = json_dumps(all, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
  take_sizes(tune, chosen);
  char *graph = as_print_mug(tune->job->graph);
  bool ok = write_in(tune, "tune.json", evidence, err) && write_in(tune, "tuned.mug", graph, err);
  if (ok && tune->how->json)
    printf("%s\n", evidence);
  free(graph);
  free(evidence);
  json_decref(all);
  return ok;
}

static void print_trials(const tuning *tune, uint32_t chosen, bool timed) {
  for (uint32_t i = 0; i < tune->n; i++) {
    const trial *of = &tune->trial[i];
    printf("%c tiling %u: %.2f us by the model", i == chosen ? '*' : ' ', i + 1,
           tune->tiling[i].us);
    if (was_timed(of))
      printf(", %.2f us cold, %.2f us hot", of->result.cold_us, of->result.hot_us);
    else if (of->why)
      printf("; %s", of->why);
    else if (of->result.ran)
      printf(", %s", of->result.ok ? "right" : "WRONG");
    printf("\n");
  }
  printf("tiling %u is chosen by %s: %s/tuned.mug, %s/tune.json\n", chosen + 1,
         timed ? "time" : "the model", tune->dir, tune->dir);
}

as_status as_tune(const as_job *job, const as_target *target, const as_tune_how *how,
                  const char *dir, as_err *err) {
  tuning tune = {.how = how, .job = job, .target = target, .dir = dir};
  tune.guard = as_guard_new(job->program, target, how->fast_floats, false);
  char *why = NULL;
  uint32_t chosen = 0;
  bool timed = false;
  bool wrong = false;
  bool emulated = how->by == AS_TUNE_EMULATED;
  tune.tiling =
      as_tilings(job->graph, target, emulated ? TRIED_BY_EMULATION : TRIED, &tune.n, &why);
  bool ok =
      tune.n > 0 || as_err_set(err, AS_BAD_INPUT, "nothing to tune: %s", why ? why : "no tilings");
  for (uint32_t i = 0; ok && i < tune.n; i++) {
    try_one(&tune, i);
    wrong = wrong || was_wrong(&tune.trial[i]);
  }
  if (ok && !choose(&tune, &chosen, &timed))
    ok = as_err_set(err, AS_UNKNOWN, "no tiling could be lowered and is right; the first: %s",
                    tune.trial[0].why ? tune.trial[0].why : "wrong");
  ok = ok && write_results(&tune, chosen, timed, err);
  if (ok && !how->json)
    print_trials(&tune, chosen, timed);
  for (uint32_t i = 0; i < tune.n; i++) {
    as_rt_result_clear(&tune.trial[i].result);
    as_floats_result_clear(&tune.trial[i].floats);
    free(tune.trial[i].why);
    free(tune.tiling[i].size);
    free(tune.tiling[i].value);
  }
  free(tune.tiling);
  as_guard_free(tune.guard);
  free(why);
  return ok && wrong ? AS_NO : AS_OK;
}
