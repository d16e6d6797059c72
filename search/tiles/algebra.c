/* Equations between tiles (algebra.rule), from left to right, wherever the tiles of a class are an
 * instance: the operators, the same tile for the same name, and the extents that the rule states.
 */
#include "patterns.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 24 };

typedef struct {
  const tl_patterns *patterns;
  const as_rule *rule;
  tl_graph *graph;
  uint32_t root;
  as_vec *found; /* instance */
} tile_matcher;

typedef struct {
  uint32_t root;
  uint32_t cls[MOST_NODES]; /* of each input of the rule, AS_NONE elsewhere */
} instance;

/* parts of the left side that are still to be matched with classes */
typedef struct {
  as_node_id part[MOST_NODES];
  uint32_t cls[MOST_NODES];
  uint32_t n;
} agenda;

static void match_rest(const tile_matcher *m, instance one, agenda rest);

static bool is_number(const tile_matcher *m, const as_node *part, uint32_t cls) {
  for (uint32_t n = tl_first(m->graph, cls); n != AS_NONE; n = tl_next(m->graph, n)) {
    const tl_node *node = tl_node_at(m->graph, n);
    if (node->kind != TL_NUMBER)
      continue;
    const as_node *number = &m->graph->accesses->program->node[node->item];
    if (number->kind == AS_N_CONST && part->kind == AS_N_CONST &&
        mpq_equal(number->value, part->value))
      return true;
  }
  return false;
}

/* do the extents fit what the rule's tensors declare? */
static bool shapes_fit(const tile_matcher *m, const instance *one, tl_bound_sizes *bound) {
  const as_graph *side = m->rule->lhs;
  const tl_accesses *all = m->graph->accesses;
  bound->n = 0;
  for (uint32_t i = 0; i < side->n_input; i++) {
    uint32_t cls = one->cls[side->input[i]];
    uint32_t rank;
    if (cls == AS_NONE)
      continue; /* on the right side alone: found out where it is built */
    const as_size *dim = tl_shape_dims(all, tl_class_at(m->graph, cls)->shape, &rank);
    if (!tl_bind_shape(bound, m->rule, &side->node[side->input[i]], all->sizes, dim, rank))
      return false;
  }
  return true;
}

static void match_calls(const tile_matcher *m, const as_node *part, uint32_t cls,
                        const instance *one, const agenda *rest) {
  const as_opdef *op = tl_patterns_op(m->patterns, part->op);
  for (uint32_t n = tl_first(m->graph, cls); n != AS_NONE; n = tl_next(m->graph, n)) {
    const tl_node *node = tl_node_at(m->graph, n);
    if (node->kind != TL_CALL)
      continue;
    const tl_operator *call = tl_operator_at(m->graph->accesses, node->item);
    agenda next = *rest;
    if (call->op != op || !tl_same_attributes(m->rule, part, m->graph->accesses->sizes, call->attr))
      continue;
    for (uint32_t k = 0; k < part->nargs && next.n < MOST_NODES; k++) {
      next.part[next.n] = part->arg[k];
      next.cls[next.n++] = tl_kid(m->graph, n, k);
    }
    match_rest(m, *one, next);
  }
}

static void match_rest(const tile_matcher *m, instance one, agenda rest) {
  tl_bound_sizes bound;
  if (rest.n == 0) {
    if (shapes_fit(m, &one, &bound))
      as_vec_push(m->found, &one);
    return;
  }
  as_node_id id = rest.part[--rest.n];
  uint32_t cls = rest.cls[rest.n];
  const as_node *part = &m->rule->lhs->node[id];
  if (part->kind == AS_N_OP) {
    match_calls(m, part, cls, &one, &rest);
  } else if (part->kind == AS_N_INPUT) {
    if (one.cls[id] != AS_NONE && one.cls[id] != cls)
      return;
    one.cls[id] = cls;
    match_rest(m, one, rest);
  } else if (is_number(m, part, cls)) {
    match_rest(m, one, rest);
  }
}

/* the right side; AS_NONE: its shapes do not fit, or there is no room */
static uint32_t build(const tile_matcher *m, const instance *one) {
  const as_graph *side = m->rule->rhs;
  uint32_t made[MOST_NODES];
  for (uint32_t i = 0; i < side->n; i++) {
    const as_node *part = &side->node[i];
    uint32_t kid[AS_MAX_ARGS];
    made[i] = AS_NONE;
    if (part->kind == AS_N_CONST) {
      as_node_id number = as_graph_const(m->graph->accesses->program, part->value);
      made[i] = tl_add(m->graph, TL_NUMBER, number, NULL, 0);
    }
    for (uint32_t k = 0; part->kind == AS_N_INPUT && k < m->rule->lhs->n_input; k++) {
      const as_node *input = &m->rule->lhs->node[m->rule->lhs->input[k]];
      if (strcmp(input->name, part->name) == 0)
        made[i] = one->cls[m->rule->lhs->input[k]];
    }
    if (part->kind != AS_N_OP)
      continue;
    for (uint32_t k = 0; k < part->nargs; k++)
      kid[k] = made[part->arg[k]];
    as_attr attr[AS_MAX_ATTRS];
    if (!tl_take_attributes(m->rule, part, m->graph->accesses->sizes, attr))
      return AS_NONE;
    uint32_t op = tl_add_operator(m->graph->accesses, tl_patterns_op(m->patterns, part->op), attr);
    tl_drop_attributes(part->op, attr);
    made[i] = tl_add(m->graph, TL_CALL, op, kid, part->nargs);
  }
  return made[side->output[0]];
}

static uint64_t apply(const tl_patterns *patterns, const as_rule *rule, tl_graph *graph) {
  as_vec found;
  uint64_t unions = 0;
  as_vec_init(&found, sizeof(instance));
  tile_matcher m = {.patterns = patterns, .rule = rule, .graph = graph, .found = &found};
  uint32_t n_class = (uint32_t)graph->parent.n;
  for (uint32_t cls = 0; cls < n_class; cls++) {
    if (tl_find(graph, cls) != cls || tl_class_at(graph, cls)->shape == AS_NONE)
      continue;
    instance nothing;
    memset(&nothing, 0xff, sizeof nothing);
    nothing.root = cls;
    agenda whole = {{rule->lhs->output[0]}, {cls}, 1};
    match_rest(&m, nothing, whole);
  }
  for (uint32_t i = 0; i < found.n && !graph->full; i++) {
    const instance *one = &AS_VEC_AT(&found, instance, i);
    uint32_t made = build(&m, one);
    bool same_shape =
        made != AS_NONE && tl_class_at(graph, made)->shape == tl_class_at(graph, one->root)->shape;
    unions += same_shape && tl_union(graph, one->root, made);
  }
  as_vec_clear(&found);
  tl_rebuild(graph);
  return unions;
}

uint64_t tl_algebra_apply(const tl_patterns *patterns, tl_graph *graph) {
  uint64_t unions = 0;
  for (uint32_t i = 0; i < patterns->n && !graph->full; i++) {
    const as_rule *rule = patterns->rule[i];
    if (rule->n_output == 1 && rule->lhs->n <= MOST_NODES && rule->rhs->n <= MOST_NODES)
      unions += apply(patterns, rule, graph);
  }
  return unions;
}
