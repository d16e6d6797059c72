#include "cli.h"
#include "src/report/operators.h"

static bool is_there(const as_oplib *library, const char *name, as_err *err) {
  if (as_oplib_find(library, name))
    return true;
  const char *near = as_oplib_suggest(library, name);
  return as_err_set(err, AS_BAD_INPUT, "unknown operator `%s`%s%s%s", name,
                    near ? " (did you mean `" : "", near ? near : "", near ? "`?)" : "");
}

int cli_ops(const cli_opts *opts) {
  as_err err;
  as_err_init(&err);
  as_oplib *library = cli_library(opts, &err);
  as_report_operators how = {.name = opts->n_arg == 1 ? opts->arg[0] : NULL,
                             .seed = opts->seed,
                             .threads = (unsigned)opts->threads,
                             .json = opts->json,
                             .quiet = opts->quiet};
  int status = AS_BAD_INPUT;
  if (library == NULL || (how.name && !is_there(library, how.name, &err)))
    status = as_err_tell(&err);
  else
    status = (int)(opts->check ? as_report_operators_check(&how, library)
                               : as_report_operators_list(&how, library));
  as_oplib_free(library);
  as_err_clear(&err);
  return status;
}
