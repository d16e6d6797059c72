/* `assay build`: a certified program as a library for other programs. */
#include "lowered.h"
#include "src/base/file.h"
#include "trial.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int cli_build(const cli_opts *given) {
  as_err err;
  as_err_init(&err);
  cli_lowered lowered;
  cli_lowered_init(&lowered, given);
  char *made = given->out ? as_strdup(given->out) : as_format("%s/build", given->arg[0]);
  char *emulation = cli_emulation_dir();
  as_trial trial = {0};
  bool ok = cli_lower(&lowered, given, &err) &&
            cli_try(given, &lowered.low, lowered.target, &trial, &err);
  if (ok && mkdir(made, 0777) != 0 && !as_exists(made))
    ok = as_err_set(&err, AS_BAD_INPUT, "%s: cannot be made", made);
  as_rt_opts opts = {.dir = made,
                     .target = lowered.target,
                     .emulate = strcmp(given->device, "cuda") != 0,
                     .emu_dir = emulation};
  ok = ok && as_rt_library_build(&lowered.low, lowered.name, &lowered.ports, &opts, &err);
  if (ok && trial.end == AS_TRIAL_NOT_TRIED)
    fprintf(stderr, "assay: note: the kernels were %s\n", trial.words);
  if (ok)
    printf("%s/libassay_%s.so\n", made, lowered.name);
  int status = ok ? AS_OK : as_err_tell(&err);
  as_trial_clear(&trial);
  free(emulation);
  free(made);
  cli_lowered_clear(&lowered);
  as_err_clear(&err);
  return status;
}
