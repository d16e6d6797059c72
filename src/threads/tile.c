/* Tiles of a thread graph: the loads and stores of the block graph, with axes that have names. */
#include "lowering.h"
#include <stdlib.h>
#include <string.h>

static bool find_tile(const as_tg *g, const as_node *n, bool output, unsigned *out) {
  for (unsigned i = 0; i < g->n_tile; i++) {
    if (g->tile[i].output != output || strcmp(g->tile[i].name, n->name) != 0)
      continue;
    *out = i;
    return true;
  }
  return false;
}

bool as_plan_named_tile(as_plan *p, as_tg *g, as_node_id node,
                        const as_plan_axis *const axis[AS_MAX_RANK], unsigned *out) {
  const as_graph *graph = p->b->graph;
  const as_node *n = &graph->node[node];
  bool output = n->kind == AS_N_STORE;
  long tile[AS_MAX_RANK];
  as_block_place at;
  as_node_id tensor = output ? node : n->arg[0];
  if (find_tile(g, n, output, out))
    return true;
  if (g->n_tile == sizeof g->tile / sizeof *g->tile || n->rank > AS_TG_AXES)
    return as_plan_fail(p, "too many tiles or axes");
  if (!as_block_dims(p->b, output ? n->arg[0] : node, tile, NULL))
    return as_plan_fail(p, "a size of a tile");
  if (!as_block_place_of(p->b, tensor, &at, NULL))
    return as_plan_fail(p, "a tile of a tensor that is not in memory");
  as_tg_tile *t = &g->tile[g->n_tile];
  memset(t, 0, sizeof *t);
  t->name = as_arena_strdup(g->mem, n->name);
  t->type = as_block_tensor_type(p->b, tensor);
  t->output = output;
  t->n_axis = n->rank;
  t->origin = at.origin;
  for (uint32_t d = n->rank; d-- > 0;) {
    as_tg_axis *a = &t->axis[d];
    bool looped = !output && n->map[3] == (int)d;
    a->grid = -1;
    for (int k = 0; k < 3; k++) {
      if (n->map[k] != (int)d)
        continue;
      if (a->grid >= 0)
        return as_plan_fail(p, "an axis that two grid axes divide");
      a->grid = k;
    }
    a->live = tile[d];
    a->stride = at.stride[d];
    a->grid_step = a->grid < 0 ? 0 : tile[d] * (looped ? p->trip : 1);
    a->loop_step = looped ? tile[d] : 0;
    if (axis[d]) {
      memcpy(a->name, axis[d]->name, sizeof a->name);
      a->bits = axis[d]->bits;
    } else {
      a->name[0] = 'o';
      a->name[1] = (char)('0' + d);
    }
  }
  *out = g->n_tile++;
  return true;
}

static const as_plan_axis *axis_of(const as_plan *p, int32_t index) {
  return index == AS_INDEX_ZERO                      ? NULL
         : index == p->wide.index                    ? &p->wide
         : index == p->batch.index                   ? &p->batch
         : index == p->k.index                       ? &p->k
         : p->n_tail && index == p->inner_axis.index ? &p->inner_axis
                                                     : NULL;
}

/* the indices under which a load is read, of those that the plan knows */
static bool indices_of(const as_plan *p, as_node_id load, int32_t index[AS_MAX_RANK]) {
  for (uint32_t i = 0; i < as_terms_atoms(p->t); i++) {
    const as_atom *a = as_term_atom(p->t, i);
    bool ok = a->kind == AS_ATOM_LOAD && a->node == load && a->n == p->b->graph->node[load].rank;
    for (uint32_t d = 0; ok && d < a->n; d++)
      ok = a->index[d] == AS_INDEX_ZERO || axis_of(p, a->index[d]);
    if (!ok)
      continue;
    memcpy(index, a->index, a->n * sizeof *index);
    return true;
  }
  return false;
}

bool as_plan_tile(as_plan *p, as_tg *g, as_node_id node, unsigned *out) {
  const as_node *n = &p->b->graph->node[node];
  bool output = n->kind == AS_N_STORE;
  long tile[AS_MAX_RANK];
  int32_t index[AS_MAX_RANK];
  const as_plan_axis *axis[AS_MAX_RANK];
  bool batch_seen = false;
  if (!as_block_dims(p->b, output ? n->arg[0] : node, tile, NULL))
    return as_plan_fail(p, "a size of a tile");
  for (uint32_t d = 0; output && d < n->rank; d++)
    index[d] = tile[d] == 1 ? AS_INDEX_ZERO : (int32_t)d;
  if (!output && !indices_of(p, node, index))
    return as_plan_fail(p, "a load that is read at other indices");
  for (uint32_t d = n->rank; d-- > 0;) {
    axis[d] = axis_of(p, index[d]);
    if (!axis[d] && p->batch.index == AS_INDEX_ZERO && !batch_seen && tile[d] == 1 &&
        (output || node == p->batch_load)) { /* a batch of one row, padded */
      axis[d] = &p->batch;
      batch_seen = true;
    }
  }
  return as_plan_named_tile(p, g, node, axis, out);
}
