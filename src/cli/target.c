/* Which GPU a command is about. */
#include "cli.h"
#include <jansson.h>
#include <stdlib.h>

/* what a report says of itself under that key; NULL: nothing */
static const char *recorded(json_t *report, const char *key) {
  return json_string_value(json_object_get(report, key));
}

const as_target *cli_target(const cli_opts *opts, const char *dir, as_err *err) {
  char *path = dir ? as_format("%s/report.json", dir) : NULL;
  json_t *report = path ? json_load_file(path, 0, NULL) : NULL;
  const char *name = opts->arch ? opts->arch : recorded(report, "target");
  const char *word = opts->library ? opts->library : recorded(report, "library");
  const as_target *target = name ? as_target_find(name, err) : as_target_default();
  as_library_use use = AS_LIBRARY_NEVER;
  if (target && word && !as_library_use_find(word, &use)) {
    as_err_set(err, AS_BAD_INPUT, "%s: calls of a library: `%s` is none of " AS_LIBRARY_WORDS, path,
               word);
    target = NULL;
  }
  json_decref(report);
  free(path);
  return target ? as_target_using(target, use) : NULL;
}
