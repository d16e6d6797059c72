#include "validate.h"
#include "den.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const as_tg *g;
  const as_block_ref *b;
  bool over[2]; /* for the compute warps and the producer: have they waited for what is before? */
  const char *why;
} dependence;

/* is the tile read from an input of the program, which no kernel of it writes? */
static bool is_input(const dependence *d, const as_tg_tile *t) {
  const as_block *block = &d->b->graph->block[d->b->block];
  for (uint32_t i = 0; i < block->n && !t->output; i++) {
    const as_node *load = &d->b->graph->node[block->nodes[i]];
    as_block_place at;
    if (load->kind == AS_N_LOAD && !strcmp(load->name, t->name))
      return as_block_place_of(d->b, load->arg[0], &at, NULL) &&
             d->b->graph->node[at.base].kind == AS_N_INPUT;
  }
  return false;
}

static void touches(void *arg, as_tg_op *op) {
  dependence *d = arg;
  bool memory = op->kind == AS_TG_CPASYNC || op->kind == AS_TG_BULK || op->kind == AS_TG_LDG ||
                op->kind == AS_TG_STG;
  bool over = (op->who == 'p' || d->over[0]) && (op->who == 'c' || d->over[1]);
  if (op->kind == AS_TG_GRIDWAIT)
    d->why = "a wait for the kernels before that is not each thread's once";
  else if (memory && !over && !is_input(d, &d->g->tile[op->tile]))
    d->why = "memory of other kernels is touched before they are over";
}

static bool is_wait(const as_tg_op *op) {
  return op->kind == AS_TG_GRIDWAIT;
}

/* Condition 19: a kernel that is launched while others still run waits for them before it touches
 * anything but the program's inputs. */
static bool dependence_validate(const as_tg *g, const as_block_ref *b, const char **why) {
  dependence d = {.g = g, .b = b};
  bool beside = false;
  for (unsigned i = 0; i < g->top.n_body; i++)
    beside = beside || is_wait(g->top.body[i]);
  d.over[0] = d.over[1] = !beside; /* launched as usual, when all before it is over */
  for (unsigned i = 0; i < g->top.n_body && !d.why; i++) {
    as_tg_op *op = g->top.body[i];
    if (is_wait(op)) {
      d.over[0] = d.over[0] || op->who != 'p';
      d.over[1] = d.over[1] || op->who != 'c';
      continue;
    }
    touches(&d, op);
    as_tg_walk(op, touches, &d);
  }
  if (!d.why && !d.over[0])
    d.why = "a kernel that may be over before those before it";
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
    ok = as_cut_schedules(A, &reason) && dependence_validate(g, b, &reason) &&
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
