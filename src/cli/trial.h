/* What is done before kernels are handed out: a trial of them, and what becomes of it.  Private to
 * src/cli. */
#ifndef AS_CLI_TRIAL_H
#define AS_CLI_TRIAL_H
#include "cli.h"
#include "src/runtime/trial.h"

/* Tries the kernels, unless --no-try or ASSAY_NO_TRY is given; trial->words says what was done or
 * why nothing was.  trial: initialised here, cleared by the caller.  false with err: they are
 * wrong, and not to be handed out (AS_INTERNAL). */
bool cli_try(const cli_opts *opts, const as_lowered *lowered, const as_target *target,
             as_trial *trial, as_err *err);
/* whether it was tried, and the words; new */
void *cli_trial_json(const as_trial *trial);
#endif
