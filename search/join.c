/* A loop over an axis along which two tensors are joined, as keys of a cache and new keys are.
 *
 * No tile of a loop lies in both tensors, so a block that joins them keeps the axis whole.  But
 * what is folded over the joined axis is folded over either tensor's part of it by the same
 * operators with that tensor in the other's place.  So both are searched as segments of their own;
 * where both have a graph whose loop goes over its part, with accumulators that are used alike
 * after the loop, there are three kernels: the states of either, and one that combines them
 * (split.c).  Nothing is assumed of it: what is made is proved like anything else.
 *
 * It is tried where an axis is made by such joins alone, of two tensors each, is in no input and no
 * output, and every product has it: elsewhere the search of the parts would be in vain. */
#include "cost_model.h"
#include "segment.h"
#include "src/base/id.h"
#include "src/base/trace.h"
#include <stdlib.h>
#include <string.h>

enum {
  MOST_TRIED = 6,     /* graphs of either side that are put together */
  MOST_JOINED = 4,    /* graphs kept */
  SHARE_OF_STATES = 8 /* a side's plan gets this part of the states of a plan */
};

/* --- which operators join two tensors */
static bool is_name(const as_expr *expr, const char *name) {
  return expr->kind == AS_E_NAME && strcmp(expr->name, name) == 0;
}

static bool reads_operand(const as_opdef *op, const as_expr *expr, uint32_t which) {
  return expr->kind == AS_E_ACCESS && strcmp(expr->name, op->arg[which].name) == 0;
}

/* `if(k < m, x[.., k, ..], y[.., k - m, ..])`, m being x's extent there */
static bool is_join(const as_opdef *op) {
  const as_expr *body = op->let[op->nlet - 1].body;
  if (op->nargs != 2 || op->nlet != 1 || body->kind != AS_E_IF ||
      !reads_operand(op, body->kid[1], 0) || !reads_operand(op, body->kid[2], 1) ||
      body->kid[1]->n != op->arg[0].n || body->kid[2]->n != op->arg[0].n)
    return false;
  uint32_t shifted = 0;
  for (uint32_t i = 0; i < op->arg[0].n; i++) {
    const as_dim *dim = &op->arg[0].dim[i];
    const as_expr *first = body->kid[1]->kid[i];
    const as_expr *second = body->kid[2]->kid[i];
    if (body->kid[1]->acc[i] != AS_IX_SCALAR)
      continue;
    bool is_shifted = dim->kind == AS_D_SIZE && dim->size->kind == AS_E_NAME &&
                      first->kind == AS_E_NAME && second->kind == AS_E_SUB &&
                      is_name(second->kid[0], first->name) &&
                      is_name(second->kid[1], dim->size->name);
    shifted += is_shifted;
    if (!is_shifted)
      return false;
  }
  return shifted == 1;
}

/* the axis along which the call joins its operands: the one that is longer; AS_NONE: none is */
static uint32_t joined_axis(const as_graph *graph, const as_node *call) {
  const as_node *first = &graph->node[call->arg[0]];
  uint32_t axis = AS_NONE;
  for (uint32_t k = 0; k < call->rank; k++) {
    if (call->dim[k] == first->dim[k])
      continue;
    if (axis != AS_NONE)
      return AS_NONE;
    axis = k;
  }
  return axis;
}

/* --- the joins along one class of axes of a segment */
typedef struct {
  sg_segment *segment;
  const sg_cut *cut;
  uint32_t cls;
  uint32_t *join; /* nodes of the whole program */
  uint32_t n_joins;
} joining;

/* the class of the axis along which the operator joins its operands; SG_NO_CLASS: it is no join */
static uint32_t class_of_join(const joining *work, uint32_t main_node) {
  const as_node *node = &work->cut->graph->node[main_node];
  uint32_t axis = is_join(node->op) ? joined_axis(work->cut->graph, node) : AS_NONE;
  return axis == AS_NONE ? SG_NO_CLASS : sg_segment_class(work->segment, main_node, axis);
}

/* no input and no output has the axis: it is made by the joins and folded */
static bool is_inner(const sg_part *part, uint32_t cls) {
  bool inner = !part->classes[cls].in_inputs;
  for (uint32_t i = 0; i < part->n_output; i++) {
    const sg_axes *axes = &part->axes[part->output[i]];
    for (uint32_t k = 0; k < axes->rank; k++)
      inner = inner && !sg_label_has(part, axes->ax[k], cls);
  }
  return inner;
}

/* Another operator that joins what is joined would have either part beside all of its other
 * operand: three tensors are not searched apart. */
static bool is_joined_again(const joining *work, uint32_t cls) {
  const sg_cut *cut = work->cut;
  for (uint32_t i = 0; i < cut->n; i++) {
    const as_node *node = &cut->graph->node[cut->op[i]];
    uint32_t axis = is_join(node->op) ? joined_axis(cut->graph, node) : AS_NONE;
    for (uint32_t k = 0; axis != AS_NONE && k < node->nargs; k++) {
      if (sg_segment_class(work->segment, node->arg[k], axis) == cls)
        return true;
    }
  }
  return false;
}

static bool has_class(const joining *work, uint32_t main_node, uint32_t cls) {
  bool found = false;
  for (uint32_t k = 0; k < work->cut->graph->node[main_node].rank; k++)
    found = found || sg_segment_class(work->segment, main_node, k) == cls;
  return found;
}

/* Has every product of the segment the joined axis?  The loop goes over that one, so each block
 * would do all of another product, which is better a kernel before or behind. */
static bool have_products_axis(const joining *work, uint32_t cls) {
  const as_graph *graph = work->cut->graph;
  for (uint32_t i = 0; i < work->cut->n; i++) {
    uint32_t product = work->cut->op[i];
    const as_node *node = &graph->node[product];
    bool has = !sg_cost_is_contraction(node) || has_class(work, product, cls);
    for (uint32_t k = 0; k < node->nargs; k++)
      has = has || has_class(work, node->arg[k], cls);
    if (!has)
      return false;
  }
  return true;
}

/* all joins along the first class that is made by joins and folded; false: there is none */
static bool find_joins(joining *work) {
  const sg_cut *cut = work->cut;
  work->n_joins = 0;
  for (uint32_t i = 0; i < cut->n; i++) {
    uint32_t cls = class_of_join(work, cut->op[i]);
    if (cls == SG_NO_CLASS || (work->n_joins && cls != work->cls) ||
        !is_inner(&work->segment->part, cls) || is_joined_again(work, cls) ||
        !have_products_axis(work, cls))
      continue;
    work->cls = cls;
    work->join[work->n_joins++] = cut->op[i];
  }
  return work->n_joins > 0;
}

/* --- a side: the segment with one operand of each join in the join's place */
static void mark_needed(const joining *work, const uint32_t *instead, uint32_t node, bool *needed) {
  node = instead[node];
  if (needed[node])
    return;
  needed[node] = true;
  bool inside = false;
  for (uint32_t i = 0; i < work->cut->n; i++)
    inside |= work->cut->op[i] == node;
  for (uint32_t k = 0; inside && k < work->cut->graph->node[node].nargs; k++)
    mark_needed(work, instead, work->cut->graph->node[node].arg[k], needed);
}

static bool has_same_outputs(const sg_segment *segment, const sg_segment *side) {
  const as_graph *sub = segment->sub;
  if (!side->has_part || sub->n_output != side->sub->n_output)
    return false;
  for (uint32_t i = 0; i < sub->n_output; i++) {
    const as_node *own = &side->sub->node[side->sub->output[i]];
    const as_node *whole = &sub->node[sub->output[i]];
    if (side->to_main[side->sub->output[i]] != segment->to_main[sub->output[i]] ||
        own->rank != whole->rank || memcmp(own->dim, whole->dim, own->rank * sizeof *own->dim) != 0)
      return false;
  }
  return true;
}

/* the class of the side's part of the joined axis; SG_NO_CLASS: it is not one axis there */
static uint32_t class_of_side(const joining *work, uint32_t which) {
  const sg_segment *side = &work->segment->side[which];
  const as_graph *graph = work->cut->graph;
  uint32_t found = SG_NO_CLASS;
  for (uint32_t i = 0; i < work->n_joins; i++) {
    const as_node *join = &graph->node[work->join[i]];
    uint32_t own = sg_segment_class(side, join->arg[which], joined_axis(graph, join));
    if (own == SG_NO_CLASS || (found != SG_NO_CLASS && own != found))
      return SG_NO_CLASS;
    found = own;
  }
  return found;
}

static bool search_side(joining *work, uint32_t which, const as_search_opts *opts,
                        const as_search_deadline *deadline, as_search_stats *total) {
  const sg_cut *whole = work->cut;
  const as_graph *graph = whole->graph;
  sg_segment *side = &work->segment->side[which];
  uint32_t *instead = as_malloc((graph->n + 1) * sizeof *instead);
  bool *needed = as_calloc(graph->n + 1, sizeof *needed);
  uint32_t *op = as_malloc((whole->n + 1) * sizeof *op);
  sg_cut cut = {.graph = graph,
                .op = op,
                .kernel = whole->kernel,
                .n_kernel = whole->n_kernel,
                .instead = instead};
  for (uint32_t i = 0; i < graph->n; i++)
    instead[i] = i;
  for (uint32_t i = 0; i < work->n_joins; i++)
    instead[work->join[i]] = graph->node[work->join[i]].arg[which];
  cut.loop_node = instead[work->join[0]];
  cut.loop_axis = joined_axis(graph, &graph->node[work->join[0]]);
  const as_graph *sub = work->segment->sub;
  for (uint32_t i = 0; i < sub->n_output; i++)
    mark_needed(work, instead, work->segment->to_main[sub->output[i]], needed);
  for (uint32_t i = 0; i < whole->n; i++) {
    if (needed[whole->op[i]])
      op[cut.n++] = whole->op[i];
  }
  as_err err;
  as_err_init(&err);
  bool searched = cut.n > 0 && sg_segment_search(side, &cut, opts, deadline, total, &err) &&
                  has_same_outputs(work->segment, side);
  as_err_clear(&err);
  free(instead);
  free(needed);
  free(op);
  return searched;
}

/* --- whether two recipes go on alike behind their loops */
typedef struct {
  const sg_segment *side;
  const sg_space *space;
  const sg_plan *plan;
  const sg_recipe *recipe;
} sided;

typedef struct {
  sided of[2];
  uint32_t *twin; /* by value of the first: the second's; AS_NONE: not met */
} pairing;

static const sg_deriv *deriv_of(const sided *of, uint32_t value) {
  for (uint32_t i = 0; i < of->recipe->n; i++) {
    const sg_deriv *deriv = sg_space_deriv(of->space, of->recipe->deriv[i]);
    if (deriv->value == value)
      return deriv;
  }
  return NULL;
}

/* which grid axis divides the axis; -1: none */
static int grid_axis(const sided *of, sg_label label) {
  for (uint32_t i = 0; i < of->plan->n_grid && SG_IS_TILE(label); i++) {
    if (of->plan->grid[i] == of->plan->lead[SG_CLASS(label)])
      return (int)i;
  }
  return -1;
}

/* axes of the same extents, divided alike */
static bool same_axes(const pairing *work, uint32_t left, uint32_t right) {
  const sided *first = &work->of[0];
  const sided *second = &work->of[1];
  const sg_axes *one = &sg_space_value(first->space, left)->axes;
  const sg_axes *other = &sg_space_value(second->space, right)->axes;
  if (one->rank != other->rank)
    return false;
  for (uint32_t k = 0; k < one->rank; k++) {
    if (one->ax[k] == SG_UNIT || other->ax[k] == SG_UNIT) {
      if (one->ax[k] != other->ax[k])
        return false;
      continue;
    }
    if (first->side->part.classes[SG_CLASS(one->ax[k])].extent !=
            second->side->part.classes[SG_CLASS(other->ax[k])].extent ||
        grid_axis(first, one->ax[k]) != grid_axis(second, other->ax[k]))
      return false;
  }
  return true;
}

static bool same_factor(const pairing *work, ax_id left, ax_id right) {
  enum { MOST = 16 };

  int64_t num[2];
  int64_t den[2];
  uint32_t sym[2][MOST];
  int exps[2][MOST];
  uint32_t n[2];
  ax_id factor[2] = {left, right};
  for (uint32_t i = 0; i < 2; i++) {
    if (!ax_unit(sg_space_store((sg_space *)work->of[i].space), factor[i], &num[i], &den[i], sym[i],
                 exps[i], MOST, &n[i]))
      return left == right && left == AX_ZERO;
  }
  bool same = num[0] == num[1] && den[0] == den[1] && n[0] == n[1];
  for (uint32_t i = 0; same && i < n[0]; i++) /* no tiles and counts, which differ */
    same = sym[0][i] == sym[1][i] && exps[0][i] == exps[1][i] && sym[0][i] < SG_TILE_SYM(0);
  return same;
}

static bool same_call(const pairing *work, const sg_deriv *left, const sg_deriv *right) {
  const sg_inst *one = &work->of[0].side->vocab.inst[left->inst];
  const sg_inst *other = &work->of[1].side->vocab.inst[right->inst];
  bool same = one->op == other->op && left->nargs == right->nargs;
  for (uint32_t i = 0; same && i < one->op->nattrs; i++)
    same = sg_attr_same(&one->attr[i], &other->attr[i]);
  return same;
}

static bool same_tensor(const pairing *work, const sg_deriv *left, const sg_deriv *right) {
  const sg_segment *one = work->of[0].side;
  const sg_segment *other = work->of[1].side;
  return one->to_main[one->part.tensor[left->inst]] ==
         other->to_main[other->part.tensor[right->inst]];
}

static bool pair_tiles(pairing *work, uint32_t left, uint32_t right) {
  if (!same_axes(work, left, right) || (work->twin[left] != AS_NONE && work->twin[left] != right))
    return false;
  work->twin[left] = right;
  return true;
}

static bool pair_states(pairing *work, const sg_deriv *left, const sg_deriv *right) {
  if (left->acc != right->acc)
    return false;
  if (left->acc == AS_ACC_MAX)
    return pair_tiles(work, left->arg[0], right->arg[0]);
  if (left->acc != AS_ACC_RESCALE)
    return left->acc == AS_ACC_SUM;
  const sg_deriv *run = deriv_of(&work->of[0], left->arg[1]);
  const sg_deriv *other = deriv_of(&work->of[1], right->arg[1]);
  return run && other && run->kind == SG_D_RUN && other->kind == SG_D_RUN &&
         pair_tiles(work, run->arg[0], other->arg[0]);
}

static bool pair_values(pairing *work, uint32_t left, uint32_t right) {
  const sg_deriv *one = deriv_of(&work->of[0], left);
  const sg_deriv *other = deriv_of(&work->of[1], right);
  if (work->twin[left] != AS_NONE)
    return work->twin[left] == right;
  if (!one || !other || one->kind != other->kind || one->kind == SG_D_RUN ||
      !same_axes(work, left, right))
    return false;
  work->twin[left] = right;
  if (one->kind == SG_D_ACC)
    return pair_states(work, one, other);
  if (one->kind == SG_D_LOAD)
    return same_tensor(work, one, other);
  if (one->kind == SG_D_CONST)
    return same_factor(work, one->factor, other->factor);
  bool same = one->kind == SG_D_SCALE
                  ? same_factor(work, one->factor, other->factor) && one->nargs == other->nargs
                  : same_call(work, one, other);
  for (uint32_t i = 0; same && i < one->nargs; i++)
    same = pair_values(work, one->arg[i], other->arg[i]);
  return same;
}

/* twins by value of the first side's graph; NULL: they do not go on alike.  Malloc'ed. */
static uint32_t *pair_graphs(const sg_segment *segment, const sg_rank *joined) {
  const uint32_t plan[2] = {joined->plan, joined->other_plan};
  const uint32_t recipe[2] = {joined->recipe, joined->other_recipe};
  pairing work;
  uint32_t most = 0;
  for (uint32_t i = 0; i < 2; i++) {
    const sg_segment *side = &segment->side[i];
    work.of[i] = (sided){side, side->space[plan[i]], &side->plan[plan[i]],
                         &side->recipe[plan[i]][recipe[i]]};
  }
  const sg_recipe *first = work.of[0].recipe;
  for (uint32_t i = 0; i < first->n; i++) {
    uint32_t value = sg_space_deriv(work.of[0].space, first->deriv[i])->value;
    most = value > most ? value : most;
  }
  work.twin = as_malloc((most + 1) * sizeof *work.twin);
  memset(work.twin, 255, (most + 1) * sizeof *work.twin);
  bool alike = first->n_goal == work.of[1].recipe->n_goal;
  for (uint32_t i = 0; i < first->n_goal && alike; i++)
    alike = pair_values(&work, first->goal[i], work.of[1].recipe->goal[i]);
  if (alike)
    return work.twin;
  free(work.twin);
  return NULL;
}

/* --- graphs of both */
bool sg_join_build(const sg_segment *segment, const sg_rank *chosen, as_graph *graph,
                   as_node_id *node, as_err *err) {
  const uint32_t plan[2] = {chosen->plan, chosen->other_plan};
  const uint32_t recipe[2] = {chosen->recipe, chosen->other_recipe};
  uint32_t *twin = pair_graphs(segment, chosen);
  as_node_id *local[2];
  sg_found found[2];
  if (!twin)
    return as_err_set(err, AS_INTERNAL, "search: graphs of two sides that do not fit together");
  for (uint32_t i = 0; i < 2; i++) {
    const sg_segment *side = &segment->side[i];
    local[i] = as_malloc((side->part.n + 1) * sizeof *local[i]);
    for (uint32_t k = 0; k < side->part.n; k++)
      local[i][k] = k < side->part.n_input ? node[side->to_main[side->part.tensor[k]]] : AS_NONE;
    found[i] = (sg_found){side->space[plan[i]],
                          &side->part,
                          &side->plan[plan[i]],
                          &side->vocab,
                          &side->recipe[plan[i]][recipe[i]],
                          local[i]};
  }
  bool built = sg_build_states(graph, found, 2, twin, local[0], err);
  const sg_segment *first = &segment->side[0];
  for (uint32_t i = 0; i < first->part.n_output && built; i++) {
    uint32_t tensor = first->part.output[i];
    node[first->to_main[first->part.tensor[tensor]]] = local[0][tensor];
  }
  free(local[0]);
  free(local[1]);
  free(twin);
  return built;
}

/* the best graphs of a side whose loop goes over its part of the joined axis and may be shared */
static uint32_t graphs_of_side(joining *work, uint32_t which, sg_rank *list) {
  sg_segment *side = &work->segment->side[which];
  uint32_t cls = class_of_side(work, which);
  uint32_t n = 0;
  as_err err;
  as_err_init(&err);
  for (uint32_t i = 0; i < side->n_rank && n < MOST_TRIED && cls != SG_NO_CLASS; i++) {
    const sg_rank *rank = &side->rank[i];
    if (rank->split && side->plan[rank->plan].loop == (int)cls &&
        sg_segment_make_graphs(side, rank, &err))
      list[n++] = *rank;
  }
  as_err_clear(&err);
  return n;
}

static bool rank_joined(const joining *work, const as_search_opts *opts, sg_rank *joined) {
  const sg_segment *segment = work->segment;
  const sg_plan *plan = &segment->side[0].plan[joined->plan];
  as_graph *sub = as_graph_copy(segment->sub); /* with sizes of its own */
  sub->sizes = as_sizes_copy(segment->sub->sizes);
  as_graph *graph = sg_segment_of_inputs(segment, sub, joined);
  bool tiled = false;
  if (graph) {
    joined->us = sg_segment_us(graph, opts->target, plan->n_grid + 3, &tiled);
    as_graph_free(graph);
  }
  as_sizes_free(sub->sizes);
  as_graph_free(sub);
  return tiled;
}

static void add_joined(joining *work, const as_search_opts *opts, as_search_stats *total) {
  sg_segment *segment = work->segment;
  sg_rank first[MOST_TRIED];
  sg_rank second[MOST_TRIED];
  uint32_t n_first = graphs_of_side(work, 0, first);
  uint32_t n_second = graphs_of_side(work, 1, second);
  uint32_t n_joined = 0;
  segment->rank =
      as_realloc(segment->rank, (segment->n_rank + MOST_JOINED + 1) * sizeof *segment->rank);
  for (uint32_t both = 0; both < n_first + n_second; both++) { /* the best of either first */
    for (uint32_t i = 0; i <= both && i < n_first; i++) {
      if (both - i >= n_second)
        continue;
      if (n_joined == MOST_JOINED) {
        total->struck[AS_LIMIT_GRAPHS]++;
        continue;
      }
      const sg_rank *one = &first[i];
      const sg_rank *other = &second[both - i];
      sg_rank joined = {.plan = one->plan,
                        .recipe = one->recipe,
                        .joined = true,
                        .other_plan = other->plan,
                        .other_recipe = other->recipe,
                        .weight = one->weight + other->weight};
      uint32_t *twin = pair_graphs(segment, &joined);
      if (twin && rank_joined(work, opts, &joined)) {
        segment->rank[segment->n_rank++] = joined;
        n_joined++;
      }
      free(twin);
    }
  }
  AS_TRACE(SEARCH, "an axis that joins two tensors: %u and %u graphs of either, %u of both",
           n_first, n_second, n_joined);
}

/* is there a graph of the side whose loop blocks may share? */
static bool has_shared_loop(const joining *work, uint32_t which) {
  const sg_segment *side = &work->segment->side[which];
  bool shared = false;
  for (uint32_t i = 0; i < side->n_rank; i++)
    shared = shared || side->rank[i].split;
  return shared;
}

void sg_join_sides(sg_segment *segment, const sg_cut *cut, const as_search_opts *opts,
                   const as_search_deadline *deadline, as_search_stats *total) {
  joining work = {.segment = segment, .cut = cut};
  work.join = as_malloc((cut->n + 1) * sizeof *work.join);
  if (find_joins(&work)) {
    segment->side = as_calloc(2, sizeof *segment->side);
    bool searched = true;
    for (uint32_t i = 0; i < 2 && searched; i++)
      searched = search_side(&work, i, opts, deadline, total) && has_shared_loop(&work, i);
    if (searched)
      add_joined(&work, opts, total);
  }
  free(work.join);
}
