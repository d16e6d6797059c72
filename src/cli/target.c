/* Which GPU a command is about. */
#include "cli.h"
#include "src/optimize/about.h"

const as_target *cli_target(const cli_opts *opts, const char *dir, as_err *err) {
  return as_about_target(dir, opts->arch, opts->library, opts->tf32, err);
}
