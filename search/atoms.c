/* Operators that no partition into kernels does well to part, so that it is not asked whether to.
 *
 * Joined to the operator that reads it is a map (each result is made of one element of each
 * operand) that nothing else reads, where the reader is a map too, and where it
 *   - has as many results as that, and no more than one operand of more than a few elements.  A
 *     kernel border behind it would store and read as much as one before it, and so would leave its
 *     work to either side;
 *   - or has few results, or is an index tensor, which takes no memory: its kernel would be a
 * launch and little else. Moves right before what reads them (order.c) are joined to that as ever.
 */
#include "cost_model.h"
#include "cuts.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include <stdlib.h>

/* results of an operator, over those of what is few beside them */
static const double FEW = 64;

typedef struct {
  const as_graph *graph;
  uint32_t *owner;  /* by node: the last operator of its atom; AS_NONE: none yet */
  double *elements; /* by node */
  bool *is_index;   /* by node: index tensors, which are no kernels */
  bool *is_map;     /* by node */
} joining;

static bool is_map(const joining *work, const as_node *node, double elements) {
  if (node->kind != AS_N_OP || node->op->nlet != 1 || sg_has_reduction(node->op->let[0].body))
    return false;
  for (uint32_t k = 0; k < node->nargs; k++) {
    if (work->elements[node->arg[k]] > elements)
      return false;
  }
  return true;
}

static void read_nodes(joining *work) {
  const as_graph *graph = work->graph;
  sg_cost_model model = {.graph = graph};
  sg_cost_set_env(&model);
  for (uint32_t i = 0; i < graph->n; i++) {
    work->elements[i] = sg_cost_elements(&model, &graph->node[i]);
    work->is_map[i] = is_map(work, &graph->node[i], work->elements[i]);
  }
  sg_cost_clear(&model);
}

/* has no more than one operand that is not few beside its results */
static bool has_one_operand(const joining *work, uint32_t id) {
  const as_node *node = &work->graph->node[id];
  uint32_t n = 0;
  for (uint32_t k = 0; k < node->nargs; k++) {
    bool again = false;
    for (uint32_t j = 0; j < k; j++)
      again |= node->arg[j] == node->arg[k];
    n += !again && !work->is_index[node->arg[k]] &&
         work->elements[node->arg[k]] * FEW > work->elements[id];
  }
  return n <= 1;
}

static bool belongs_to(const joining *work, uint32_t id, uint32_t root) {
  if (!work->is_map[id] || !work->is_map[root])
    return false;
  if (work->is_index[id] || work->elements[id] * FEW <= work->elements[root])
    return true;
  return work->elements[id] == work->elements[root] && has_one_operand(work, id);
}

/* the atom of all that read the node; AS_NONE: they are of several, or it is stored for others */
static uint32_t atom_of_readers(const joining *work, uint32_t id) {
  const as_graph *graph = work->graph;
  uint32_t atom = AS_NONE;
  for (uint32_t i = 0; i < graph->n_output; i++) {
    if (graph->output[i] == id)
      return AS_NONE;
  }
  for (uint32_t reader = id + 1; reader < graph->n; reader++) {
    const as_node *node = &graph->node[reader];
    for (uint32_t k = 0; k < node->nargs && node->kind == AS_N_OP; k++) {
      if (node->arg[k] != id)
        continue;
      if (atom != AS_NONE && atom != work->owner[reader])
        return AS_NONE;
      atom = work->owner[reader];
    }
  }
  return atom;
}

uint32_t *sg_atom_roots(const sg_variant *variant, const bool *apart) {
  const as_graph *graph = variant->graph;
  joining work = {.graph = graph,
                  .owner = as_malloc((graph->n + 1) * sizeof *work.owner),
                  .elements = as_calloc(graph->n + 1, sizeof *work.elements),
                  .is_index = as_graph_index_tensors(graph, false),
                  .is_map = as_calloc(graph->n + 1, sizeof *work.is_map)};
  for (uint32_t i = 0; i < graph->n; i++)
    work.owner[i] = AS_NONE;
  read_nodes(&work);
  bool join_maps = sg_has_values(graph);
  for (uint32_t i = variant->n_ops; i-- > 0;) { /* readers come first */
    uint32_t id = variant->ops[i];
    uint32_t atom = atom_of_readers(&work, id);
    bool maps_join = join_maps && atom != AS_NONE && !apart[atom];
    bool joins =
        atom != AS_NONE && (variant->is_late[id] || (maps_join && belongs_to(&work, id, atom)));
    work.owner[id] = joins ? atom : id;
  }
  free(work.elements);
  free(work.is_index);
  free(work.is_map);
  return work.owner;
}
