/* `assay bench`: lowers, compiles, checks against the program's own reference and times on a GPU.
 */
#include "cli.h"
#include "lowered.h"
#include "src/base/file.h"
#include "src/check/check.h"
#include "src/optimize/tune.h"
#include "src/runtime/rt.h"
#include "trial.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int bench_candidate(const cli_opts *given, const as_job *job, const as_target *target,
                           const char *dir, as_err *err) {
  char *work = as_format("%s/bench", dir);
  as_lowered low;
  as_lowered_init(&low);
  as_rt_result result = {0};
  as_trial trial = {0};
  as_lower_opts plan = {.target = target};
  as_rt_opts opts = {.dir = work, .target = target, .timed = true, .seed = given->seed};
  as_kernels_of texts = as_check_texts(job);
  const char *name = as_kernels_name(&texts);
  bool ok = mkdir(work, 0777) == 0 || as_exists(work) ||
            as_err_set(err, AS_BAD_INPUT, "%s: cannot be made", work);
  ok = ok && as_kernels_lower(&texts, &plan, &low, err) &&
       (given->n_arg != 1 || as_check_planned(dir, target, &low, err)) &&
       cli_try(given, &low, target, &trial, err) && as_rt_run(&low, name, &opts, &result, err);
  if (ok && given->json && result.json)
    printf("%s\n", result.json);
  if (ok && !given->json) {
    printf("%s: relative error %.3g, %.2f us hot, %.2f us cold: %s\n", name, result.rel_error,
           result.hot_us, result.cold_us, result.ok ? "correct" : "WRONG");
  }
  int status = ok && !result.ok ? AS_NO : AS_OK;
  as_rt_result_clear(&result);
  as_trial_clear(&trial);
  as_lowered_clear(&low);
  free(work);
  return status;
}

static int tune_candidate(const cli_opts *given, const as_job *job, const as_target *target,
                          const char *dir, as_err *err) {
  char *emulation = cli_emulation_dir();
  as_tune_how how = {.by = strcmp(given->tune, "host") == 0    ? AS_TUNE_EMULATED
                           : strcmp(given->tune, "model") == 0 ? AS_TUNE_MODEL
                                                               : AS_TUNE_GPU,
                     .seed = given->seed,
                     .emulation = emulation,
                     .fast_floats = given->fast_floats,
                     .json = given->json};
  int status = as_tune(job, target, &how, dir, err);
  free(emulation);
  return status;
}

int cli_bench(const cli_opts *given) {
  as_err err;
  as_err_init(&err);
  as_job job;
  cli_place at;
  cli_place_init(&at, given);
  const char *dir = given->n_arg == 1 ? given->arg[0] : given->out ? given->out : ".";
  as_job_init(&job, cli_place_is_there(&at, given, &err) ? cli_library(&at.opts, &err) : NULL);
  job.any_tile = true;
  bool ok = job.lib && as_job_read_program(&job, at.prog, &err) &&
            as_job_read_candidate(&job, at.cand, &err);
  as_judged judged = as_job_judged(&job);
  if (ok && given->n_arg == 1)
    ok = as_check_proves(&judged, dir, at.cert, &err);
  const as_target *target = ok ? cli_target(given, given->n_arg == 1 ? dir : NULL, &err) : NULL;
  int status = AS_OK;
  if (target && given->tune && job.graph == NULL) {
    as_err_set(&err, AS_BAD_INPUT, "%s: a tile program of this form has no tilings to choose from",
               dir);
  } else if (target)
    status = given->tune ? tune_candidate(given, &job, target, dir, &err)
                         : bench_candidate(given, &job, target, dir, &err);
  if (err.status != AS_OK)
    status = as_err_tell(&err);
  as_job_clear(&job);
  cli_place_clear(&at);
  as_err_clear(&err);
  return status;
}
