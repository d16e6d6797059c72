/* Which GPU a command is about. */
#include "cli.h"
#include <jansson.h>
#include <stdlib.h>

const as_target *cli_target(const cli_opts *opts, const char *dir, as_err *err) {
  if (opts->arch)
    return as_target_find(opts->arch, err);
  if (!dir)
    return as_target_default();
  char *path = as_format("%s/report.json", dir);
  json_t *report = json_load_file(path, 0, NULL);
  const char *recorded = json_string_value(json_object_get(report, "target"));
  const as_target *target = recorded ? as_target_find(recorded, err) : as_target_default();
  json_decref(report);
  free(path);
  return target;
}
