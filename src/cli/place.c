#include "cli.h"
#include "src/base/file.h"
#include <stdlib.h>

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
