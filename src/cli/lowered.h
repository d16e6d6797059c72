/* A certified program of a result directory, lowered.  Private to src/cli. */
#ifndef AS_CLI_LOWERED_H
#define AS_CLI_LOWERED_H
#include "cli.h"
#include "src/runtime/library.h"

typedef struct {
  cli_place at;
  as_job job;       /* tile programs of any form are taken */
  const char *name; /* of the given program */
  const as_target *target;
  as_lowered low;
  as_rt_interface ports; /* of low */
} cli_lowered;

void cli_lowered_init(cli_lowered *c, const cli_opts *opts);
void cli_lowered_clear(cli_lowered *c);
/* Reads what the arguments name and lowers it for the GPU that is meant.  Of a result directory
 * nothing is lowered but what its certificate proves, by the checker's own code. */
bool cli_lower(cli_lowered *c, const cli_opts *opts, as_err *err);
/* The same for a launch at the sizes left to run time that some of the words say, NAME=VALUE;
 * others have their bounds. */
bool cli_lower_at(cli_lowered *c, const cli_opts *opts, char *const *words, uint32_t n_words,
                  as_err *err);
/* the folder of the emulation's header, installed or in the source tree; malloc'ed */
char *cli_emulation_dir(void);
#endif
