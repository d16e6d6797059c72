/* Kernel-level operators that are no kernels: what they compute is written out where it is read.  A
 * view (other axes, a part, zeros around) costs nothing there; a short computation is repeated only
 * by operators that read each element about once. */
#include "through.h"
#include "src/base/id.h"
#include <stdlib.h>

/* nodes of an expression that is written out rather than stored */
#define MOST_WRITTEN_OUT 48

static bool has_fold(const as_expr *expr) {
  bool fold = expr->kind == AS_E_SUM || expr->kind == AS_E_PROD || expr->kind == AS_E_MAXR ||
              expr->kind == AS_E_MINR;
  for (uint32_t i = 0; i < expr->n && !fold; i++)
    fold = expr->kid[i] && has_fold(expr->kid[i]);
  return fold;
}

static bool reduces(const as_opdef *op) {
  for (uint32_t i = 0; i < op->nlet; i++) {
    if (has_fold(op->let[i].body))
      return true;
  }
  return false;
}

lo_readers *lo_readers_of(lo_job *job) {
  const as_graph *graph = job->graph;
  lo_readers *of = as_arena_alloc(job->arena, (graph->n + 1) * sizeof *of);
  for (uint32_t id = 0; id < graph->n; id++)
    of[id] = (lo_readers){.kernel_level = graph->node[id].block == AS_NONE};
  for (uint32_t id = 0; id < graph->n; id++) {
    const as_node *node = &graph->node[id];
    bool operator= node->kind == AS_N_OP && node->block == AS_NONE;
    for (uint32_t i = 0; i < node->nargs; i++) {
      lo_readers *readers = &of[node->arg[i]];
      readers->n++;
      readers->kernel_level &= operator;
      readers->reduce |= operator&& reduces(node->op);
    }
  }
  for (uint32_t i = 0; i < graph->n_output; i++)
    of[graph->output[i]].kernel_level = false;
  return of;
}

/* an element of one tensor, or 0 beside it */
static bool is_view(const lx *body) {
  if (body->op == LX_IF)
    return body->kid[1]->op == LX_REF && body->kid[2]->op == LX_NUM;
  return body->op == LX_REF;
}

static void count_ref(void *arg, const lx *ref) {
  (void)ref;
  ++*(int *)arg;
}

/* A number that is not exact decides no condition between numbers, where it would be read. */
static bool has_data(const lx *body) {
  int refs = 0;
  lx_refs(body, count_ref, &refs);
  return refs > 0;
}

bool lo_is_read_through(const lo_value *value, const lo_readers *readers) {
  if (value->kind != LV_MAP || readers->n == 0 || !readers->kernel_level)
    return false;
  if (is_view(value->body))
    return true;
  return !readers->reduce && has_data(value->body) && lx_size(value->body) <= MOST_WRITTEN_OUT &&
         (readers->n == 1 || !lx_costly(value->body));
}
