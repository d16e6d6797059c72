#include "cli.h"
#include "src/base/file.h"
#include <stdlib.h>

static char *part(const cli_opts *o, const char *name, uint32_t k) {
  return o->n_arg == 1 ? as_format("%s/%s", o->arg[0], name)
                       : as_strdup(k < o->n_arg ? o->arg[k] : "");
}

void cli_place_init(cli_place *p, const cli_opts *o) {
  bool dir = o->n_arg == 1;
  *p = (cli_place){part(o, "program.tp", 0),
                   part(o, "candidate.mug", 1),
                   part(o, "certificate.cert", 2),
                   as_format("%s/semantics", o->arg[0]),
                   *o,
                   false};
  static const char *const others[] = {"candidate.tile", "candidate.tp"};
  for (size_t i = 0; dir && i < 2 && !as_exists(p->cand); i++) {
    free(p->cand);
    p->cand = part(o, others[i], 1);
  }
  p->own_sem = dir && o->sem.n == 0 && as_exists(p->sem);
  if (p->own_sem) {
    as_vec_init(&p->opts.sem, sizeof(char *));
    as_vec_push(&p->opts.sem, &p->sem);
  }
}

void cli_place_clear(cli_place *p) {
  if (p->own_sem)
    as_vec_clear(&p->opts.sem);
  free(p->prog);
  free(p->cand);
  free(p->cert);
  free(p->sem);
}
