#include "cli.h"
#include <stdio.h>

typedef int (*command_function)(const cli_opts *o); /* gives the exit status */

static const command_function run[] = {
#define COMMAND_FUNCTION(name, ...) cli_##name,
    CLI_COMMANDS(COMMAND_FUNCTION)
#undef COMMAND_FUNCTION
};

int main(int argc, char **argv) {
  cli_opts o;
  int status = AS_OK;
  int command = cli_parse(argc, argv, &o, &status);
  if (command >= 0)
    status = run[command](&o);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fputs("assay: cannot write to standard output\n", stderr);
    status = AS_BAD_INPUT;
  }
  cli_opts_clear(&o);
  return status;
}
