#include "cli.h"
#include "src/base/file.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static char *part(const cli_opts *opts, const char *name, uint32_t k) {
  return opts->n_arg == 1 ? as_format("%s/%s", opts->arg[0], name)
                          : as_strdup(k < opts->n_arg ? opts->arg[k] : "");
}

void cli_place_init(cli_place *place, const cli_opts *opts) {
  bool dir = opts->n_arg == 1;
  *place = (cli_place){part(opts, "program.tp", 0),
                       part(opts, "candidate.mug", 1),
                       part(opts, "certificate.cert", 2),
                       as_format("%s/semantics", opts->arg[0]),
                       *opts,
                       false};
  static const char *const others[] = {"candidate.tile", "candidate.tp"};
  if (dir && !as_exists(place->prog)) {
    free(place->prog);
    place->prog = part(opts, "program.tile", 0);
  }
  for (size_t i = 0; dir && i < 2 && !as_exists(place->cand); i++) {
    free(place->cand);
    place->cand = part(opts, others[i], 1);
  }
  place->own_sem = dir && opts->sem.n == 0 && as_exists(place->sem);
  if (place->own_sem) {
    as_vec_init(&place->opts.sem, sizeof(char *));
    as_vec_push(&place->opts.sem, &place->sem);
  }
}

void cli_place_clear(cli_place *place) {
  if (place->own_sem)
    as_vec_clear(&place->opts.sem);
  free(place->prog);
  free(place->cand);
  free(place->cert);
  free(place->sem);
}

bool cli_place_is_there(const cli_place *place, const cli_opts *opts, as_err *err) {
  if (opts->n_arg != 1 || as_exists(place->prog))
    return true;
  return as_err_set(err, AS_BAD_INPUT,
                    as_exists(opts->arg[0])
                        ? "%s: no result directory: it has no program.tp and no program.tile"
                        : "%s: there is no such directory",
                    opts->arg[0]);
}

/* one operator that the result relies on, by its name */
static void tell_where_other(const char *dir, const char *name, const as_oplib *own,
                             const as_oplib *yours) {
  char *text = as_oplib_text(own, name);
  char *other = as_oplib_text(yours, name);
  if (text && other && strcmp(text, other) != 0)
    fprintf(stderr, "assay: note: %s: specification %s: the result's is not yours\n", dir, name);
  free(text);
  free(other);
}

void cli_place_tell_others(const cli_place *place, const cli_opts *opts, const as_oplib *own) {
  if (!place->own_sem)
    return;
  as_err unsaid; /* without specifications of yours there is nothing to compare */
  as_err_init(&unsaid);
  json_t *report = as_report_dir_json(opts->arg[0]);
  as_oplib *yours = cli_library(opts, &unsaid);
  const char *name;
  json_t *hash;
  json_object_foreach(json_object_get(report, "specifications"), name, hash) {
    if (yours)
      tell_where_other(opts->arg[0], name, own, yours);
  }
  as_oplib_free(yours);
  as_err_clear(&unsaid);
  json_decref(report);
}
