/* Kernel-level operators that are no kernels: what they compute is written out where it is read.  A
 * view (other axes, a part, zeros around) costs nothing there; a short computation is repeated only
 * by operators that read each element about once.  An index tensor is no kernel whoever reads it:
 * a block computes the elements of its tile from where the tile lies. */
#include "through.h"
#include "src/base/id.h"
#include <stdlib.h>

/* nodes of an expression that is written out rather than stored */
#define MOST_WRITTEN_OUT 48

lo_readers *lo_readers_of(lo_job *job) {
  const as_graph *graph = job->graph;
  lo_readers *of = as_arena_alloc(job->arena, (graph->n + 1) * sizeof *of);
  bool *is_index = as_graph_index_tensors(graph, true);
  for (uint32_t id = 0; id < graph->n; id++)
    of[id] = (lo_readers){.kernel_level = graph->node[id].block == AS_NONE,
                          .of_index_tensor = is_index[id]};
  free(is_index);
  for (uint32_t id = 0; id < graph->n; id++) {
    const as_node *node = &graph->node[id];
    bool operator= node->kind == AS_N_OP && node->block == AS_NONE;
    for (uint32_t i = 0; i < node->nargs; i++) {
      lo_readers *readers = &of[node->arg[i]];
      readers->n++;
      readers->kernel_level &= operator;
      readers->reduce |= operator&& as_opdef_folds(node->op);
    }
  }
  for (uint32_t i = 0; i < graph->n_output; i++)
    of[graph->output[i]].kernel_level = false;
  return of;
}

/* An element of one tensor, or a number beside it.  views: what is read may be such a choice too,
 * as where zeros are written around and between elements axis by axis. */
static bool is_view(const lx *body, bool views) {
  if (body->op != LX_IF)
    return body->op == LX_REF;
  return body->kid[2]->op == LX_NUM && (body->kid[1]->op == LX_REF || views) &&
         is_view(body->kid[1], views);
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

bool lo_is_read_through(const lo_job *job, const lo_value *value, const lo_readers *readers) {
  if (readers->of_index_tensor)
    return value->kind == LV_MAP;
  if (value->kind != LV_MAP || readers->n == 0 || !readers->kernel_level)
    return false;
  /* On tensor cores a contraction is divided by remainders, which a chain of views decides; by
   * register tiles it would compute the chain for each element again. */
  if (is_view(value->body, job->options->target->rounded != NULL))
    return true;
  return !readers->reduce && has_data(value->body) && lx_size(value->body) <= MOST_WRITTEN_OUT &&
         (readers->n == 1 || !lx_costly(value->body));
}
