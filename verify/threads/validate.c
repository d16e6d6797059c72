#include "validate.h"
#include "den.h"
#include "src/base/str.h"
#include <stdlib.h>

typedef struct {
  const as_tg *g;
  const char *why;
} dependence;

static void waits_first(void *arg, as_tg_op *op) {
  dependence *d = arg;
  if (op->kind == AS_TG_GRIDWAIT && (op != d->g->top.body[0] || op->who != 'a'))
    d->why = "a wait for the kernels before that is not the first thing that all threads do";
}

/* Condition 19: a kernel that is launched while others still run waits for them before it touches
 * anything. */
static bool dependence_validate(const as_tg *g, const char **why) {
  dependence d = {g, NULL};
  as_tg_walk(&g->top, waits_first, &d);
  *why = d.why;
  return !d.why;
}

/* Condition 24: registers are handed over by whole warpgroups, in eights.  (That there are so many
 * is what src/target says of the GPU; with fewer the kernel would stand still.) */
static bool registers_validate(const as_tg *g, const char **why) {
  int compute = g->compute_registers;
  int copy = g->copy_registers;
  bool none = !compute && !copy;
  bool whole = g->producer && g->warp_bits >= 2 && compute % 8 == 0 && copy % 8 == 0;
  if (none || (whole && copy >= 24 && copy <= compute && compute <= 256))
    return true;
  *why = "registers that warpgroups cannot hand over";
  return false;
}

bool as_threads_validate(const as_tg *g, const as_isa *isa, const as_block_ref *b, char **why) {
  as_err err;
  as_err_init(&err);
  unsigned n = (unsigned)g->value.n;
  as_algebra *A = as_calloc(1, sizeof *A);
  A->g = g;
  A->isa = isa;
  A->b = b;
  A->t = as_terms_new();
  A->n_value = n;
  A->val = as_calloc(n + 1, sizeof *A->val);
  A->known = as_calloc(n + 1, sizeof *A->known);
  A->state = as_calloc(n + 1, sizeof *A->state);
  A->owner = as_calloc(n + 1, sizeof *A->owner);
  A->level = as_calloc(n + 1, sizeof *A->level);
  A->type = as_calloc(n + 1, sizeof *A->type);
  A->region = as_calloc(AS_DEN_PARTS, sizeof *A->region);
  for (unsigned i = 0; i < n; i++)
    A->type[i] = -1;
  const char *reason = NULL;
  bool ok = as_den_tiles(A, &err) && as_den_loads(A) && as_cut_counts(A) && as_den_run(A);
  if (!ok)
    reason = A->why ? A->why : "not understood";
  else
    ok = as_cut_schedules(A, &reason) && dependence_validate(g, &reason) &&
         registers_validate(g, &reason);
  if (!ok && why)
    *why = err.text ? as_format("%s (%s)", reason, err.text) : as_strdup(reason);
  as_terms_free(A->t);
  free(A->val);
  free(A->known);
  free(A->state);
  free(A->owner);
  free(A->level);
  free(A->type);
  free(A->region);
  free(A->runs);
  free(A);
  as_err_clear(&err);
  return ok;
}
