#include "cli.h"
#include "semantics/numbers.h"
#include "src/base/mem.h"
#include <stdio.h>

typedef int (*command_function)(const cli_opts *opts); /* gives the exit status */

static const command_function run[] = {
#define COMMAND_FUNCTION(name, ...) cli_##name,
    CLI_COMMANDS(COMMAND_FUNCTION)
#undef COMMAND_FUNCTION
};

int main(int argc, char **argv) {
  cli_opts opts;
  int status = AS_OK;
  as_memory_keep();
  as_numbers_keep();
  int command = cli_parse(argc, argv, &opts, &status);
  if (command >= 0)
    status = run[command](&opts);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fputs("assay: cannot write to standard output\n", stderr);
    status = AS_BAD_INPUT;
  }
  cli_opts_clear(&opts);
  return status;
}
