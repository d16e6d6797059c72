/* `assay regress`: which certified facts a change of specifications, programs or candidates
 * breaks. */
#include "cli.h"
#include "src/baseline/regress.h"

int cli_regress(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  /* specifications that cannot be read are bad input, not a change of every fact */
  as_oplib *library = cli_library(o, &err);
  as_baseline_asked asked = {.baseline = o->baseline,
                             .library = library,
                             .path = (const char *const *)o->arg,
                             .n_path = o->n_arg,
                             .policy = &o->policy,
                             .threads = (unsigned)o->threads,
                             .forward = o->forward,
                             .backward = o->backward,
                             .all = o->all,
                             .update = o->update,
                             .json = o->json,
                             .quiet = o->quiet,
                             .verbose = o->verbose,
                             .junit = o->junit};
  int status = library ? as_baseline_regress(&asked, &err) : AS_BAD_INPUT;
  if (err.status != AS_OK)
    status = as_err_tell(&err);
  as_oplib_free(library);
  as_err_clear(&err);
  return status;
}
