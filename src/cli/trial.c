#include "trial.h"
#include "lowered.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void leave_untried(as_trial *trial, const char *why) {
  trial->end = AS_TRIAL_NOT_TRIED;
  trial->words = as_format("not tried: %s", why);
}

/* false with err: the kernels are wrong, or cannot be tried for a reason of this machine's */
static bool try_kernels(const cli_opts *opts, const as_lowered *lowered, const as_target *target,
                        as_trial *trial, as_err *err) {
  const char *unwanted = getenv("ASSAY_NO_TRY");
  if (opts->no_try || (unwanted && *unwanted)) {
    leave_untried(trial, opts->no_try ? "--no-try" : "ASSAY_NO_TRY is set");
    return true;
  }
  if (lowered->trial == NULL) {
    leave_untried(trial, "the kernels of tile programs of any form have no trial");
    return true;
  }
  char *emulation = cli_emulation_dir();
  as_rt_opts how = {.target = target, .emu_dir = emulation};
  bool ok = as_rt_try(&lowered, 1, &how, trial, err);
  free(emulation);
  if (ok && trial->end == AS_TRIAL_WRONG)
    ok = as_err_set(err, AS_INTERNAL,
                    "the program is certified, and its kernels are wrong under the emulation, so "
                    "they are not handed out; please report this, with the program:\n%s",
                    trial->words);
  return ok;
}

bool cli_try(const cli_opts *opts, const as_lowered *lowered, const as_target *target,
             as_trial *trial, as_err *err) {
  memset(trial, 0, sizeof *trial);
  if (!try_kernels(opts, lowered, target, trial, err))
    return false;
  if (opts->require_trial && trial->end == AS_TRIAL_NOT_TRIED)
    return as_err_set(err, AS_UNKNOWN, "a trial of the kernels is required, and they were %s",
                      trial->words);
  return true;
}

void *cli_trial_json(const as_trial *trial) {
  return json_pack("{s:b, s:s, s:I, s:I}", "tried", trial->end == AS_TRIAL_RIGHT, "words",
                   trial->words, "kernels", (json_int_t)trial->kernels, "elements",
                   (json_int_t)trial->compared);
}
