/* `assay regress`: which certified facts a change of specifications, programs or candidates
 * breaks. */
#include "cli.h"
#include "src/baseline/regress.h"

int cli_regress(const cli_opts *opts) {
  as_err err;
  as_err_init(&err);
  /* specifications that cannot be read are bad input, not a change of every fact */
  as_oplib *library = cli_library(opts, &err);
  as_baseline_asked asked = {.baseline = opts->baseline,
                             .library = library,
                             .path = (const char *const *)opts->arg,
                             .n_path = opts->n_arg,
                             .policy = &opts->policy,
                             .threads = (unsigned)opts->threads,
                             .forward = opts->forward,
                             .backward = opts->backward,
                             .all = opts->all,
                             .update = opts->update,
                             .json = opts->json,
                             .quiet = opts->quiet,
                             .verbose = opts->verbose,
                             .junit = opts->junit,
                             .page = opts->page};
  int status = library ? as_baseline_regress(&asked, &err) : AS_BAD_INPUT;
  if (err.status != AS_OK)
    status = as_err_tell(&err);
  as_oplib_free(library);
  as_err_clear(&err);
  return status;
}
