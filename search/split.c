/* A loop whose axis several blocks share: `extent = sharers * count * tile`.
 *
 * The first kernel is the recipe up to its accumulators, with one more grid axis: each block goes
 * over its part of the axis and stores the state that it ends with.  The second combines as many
 * states and goes on with what the recipe does after the loop:
 *
 *   acc s = sum t              s = sum over blocks of s_b
 *   acc m = max t              m = max over blocks of m_b
 *   acc s = sum t rescale m    s = sum over blocks of s_b * exp(m_b - m)
 *
 * which is split-K for a product and flash decoding for attention.  The second divides one axis
 * more than the first where it can, since all that it does is to wait for its loads.  Nothing is
 * assumed of it: the two kernels are proved like any other. */
#include "builder.h"
#include "src/base/mem.h"
#include <stdlib.h>

/* one kernel of states: of all of the axis, or of one part of an axis that joins two tensors' */
typedef struct {
  sg_builder builder;
  const sg_recipe *recipe;
  const as_node_id *node; /* of the part's inputs */
  bool *in_loop;          /* by derivation of the recipe: wanted for a state */
  const uint32_t *twin;   /* by value of the first side, this side's; NULL: the same */
} side;

typedef struct {
  side sides[2];
  uint32_t n_sides;
  sg_builder second; /* combines the states, and goes on with the recipe of the first side */
  bool *in_second;   /* by derivation of that recipe: wanted behind the states */
} splitting;

static uint32_t place_of(const side *of, uint32_t value) {
  for (uint32_t i = 0; i < of->recipe->n; i++) {
    if (sg_space_deriv(of->builder.space, of->recipe->deriv[i])->value == value)
      return i;
  }
  return AS_NONE;
}

static const sg_deriv *deriv_at(const side *of, uint32_t place) {
  return sg_space_deriv(of->builder.space, of->recipe->deriv[place]);
}

/* the side's value for one of the first side */
static uint32_t own(const side *of, uint32_t value) {
  return of->twin ? of->twin[value] : value;
}

static void want_in_loop(side *of, uint32_t value) {
  uint32_t place = place_of(of, value);
  if (place == AS_NONE || of->in_loop[place])
    return;
  of->in_loop[place] = true;
  for (uint32_t i = 0; i < deriv_at(of, place)->nargs; i++)
    want_in_loop(of, deriv_at(of, place)->arg[i]);
}

static void want_in_second(splitting *work, uint32_t value) {
  const side *of = &work->sides[0];
  uint32_t place = place_of(of, value);
  if (place == AS_NONE || work->in_second[place])
    return;
  const sg_deriv *deriv = deriv_at(of, place);
  work->in_second[place] = true;
  if (deriv->kind == SG_D_ACC) {
    for (uint32_t i = 0; i < work->n_sides; i++)
      want_in_loop(&work->sides[i], own(&work->sides[i], value));
    return;
  }
  for (uint32_t i = 0; i < deriv->nargs; i++)
    want_in_second(work, deriv->arg[i]);
}

/* whether each block has a state of its own: the axes of one must have all axes of the grid */
static bool is_of_block(const sg_plan *plan, const sg_axes *state) {
  for (uint32_t i = 0; i < plan->n_grid; i++) {
    bool has = false;
    for (uint32_t k = 0; k < state->rank; k++)
      has |= plan->lead[SG_CLASS(state->ax[k])] == plan->grid[i];
    if (!has)
      return false;
  }
  return true;
}

bool sg_can_split(const sg_space *space, const sg_part *part, const sg_plan *plan,
                  const sg_recipe *recipe) {
  if (plan->loop < 0 || plan->n_grid == 3 || part->classes[plan->loop].in_outputs)
    return false;
  for (uint32_t cls = 0; cls < part->n_classes; cls++) {
    if (sg_loops_within(part, plan, cls))
      return false; /* the grid divides its axis already */
  }
  for (uint32_t i = 0; i < recipe->n; i++) {
    const sg_deriv *deriv = sg_space_deriv(space, recipe->deriv[i]);
    const sg_value *value = sg_space_value(space, deriv->value);
    if (deriv->kind != SG_D_ACC)
      continue;
    if (deriv->acc == AS_ACC_CONCAT || value->axes.rank + 1 > AS_MAX_RANK ||
        !is_of_block(plan, &value->axes))
      return false;
    for (uint32_t k = 0; k < value->axes.rank; k++) {
      if (sg_is_looped(plan, SG_CLASS(value->axes.ax[k])))
        return false; /* a state as wide as a tile of the loop */
    }
  }
  return true;
}

/* --- an axis that the second kernel's grid divides beside those of the first */
static bool has_class(const sg_axes *axes, uint32_t cls) {
  for (uint32_t k = 0; k < axes->rank; k++) {
    if (axes->ax[k] != SG_UNIT && SG_CLASS(axes->ax[k]) == cls)
      return true;
  }
  return false;
}

static bool has_twice(const sg_axes *axes, uint32_t cls) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < axes->rank; k++)
    n += axes->ax[k] != SG_UNIT && SG_CLASS(axes->ax[k]) == cls;
  return n > 1;
}

/* whether what the second kernel computes at one index of the axis reads no other */
static bool is_passed_on(const splitting *work, uint32_t cls) {
  const side *of = &work->sides[0];
  const sg_space *space = of->builder.space;
  for (uint32_t i = 0; i < of->recipe->n; i++) {
    const sg_deriv *deriv = deriv_at(of, i);
    if (!work->in_second[i])
      continue;
    if (has_twice(&sg_space_value(space, deriv->value)->axes, cls))
      return false;
    bool reads = false;
    for (uint32_t k = 0; k < deriv->nargs; k++)
      reads = reads || has_class(&sg_space_value(space, deriv->arg[k])->axes, cls);
    if (reads && deriv->kind == SG_D_OP && !of->builder.vocab->inst[deriv->inst].pointwise)
      return false;
  }
  return true;
}

static bool may_be_divided(const splitting *work, uint32_t cls) {
  const sg_part *part = work->sides[0].builder.part;
  const sg_plan *plan = work->sides[0].builder.plan;
  const sg_class *of = &part->classes[cls];
  bool free_class = plan->mode[cls] == SG_WHOLE && !of->rigid && !sg_has_parts(part, cls) &&
                    !of->is_outer && !of->is_inner;
  for (uint32_t other = 0; other < part->n_classes; other++)
    free_class = free_class && (other == cls) == (plan->lead[other] == cls);
  for (uint32_t out = 0; out < part->n_output; out++) {
    const sg_axes *axes = &part->axes[part->output[out]];
    free_class = free_class && has_class(axes, cls) && !has_twice(axes, cls);
  }
  return free_class && is_passed_on(work, cls);
}

/* Of the axes of all outputs that no block of the first kernel divides the first one that makes
 * enough blocks, which leaves rows together, or else the longest; SG_NO_CLASS: none, or no room in
 * the grid. */
static uint8_t choose_more(const splitting *work) {
  enum { ENOUGH = 16 };

  const sg_part *part = work->sides[0].builder.part;
  const sg_axes *axes = &part->axes[part->output[0]];
  uint8_t best = SG_NO_CLASS;
  int64_t longest = 1;
  if (work->sides[0].builder.plan->n_grid == 3)
    return SG_NO_CLASS;
  for (uint32_t k = 0; k < axes->rank && longest < ENOUGH; k++) {
    int64_t extent = INT64_MAX; /* where the program states none */
    if (axes->ax[k] == SG_UNIT)
      continue;
    uint32_t cls = SG_CLASS(axes->ax[k]);
    as_graph_concrete(part->g, part->classes[cls].extent, &extent);
    if (extent > longest && may_be_divided(work, cls)) {
      best = (uint8_t)cls;
      longest = extent;
    }
  }
  return best;
}

/* Stores a state of a first kernel behind an axis of blocks, and loads all of them in the second;
 * own_axes, axes: of the state for each of the two, without axes of extent 1.  AS_NONE with err. */
static as_node_id hand_over(splitting *work, side *of, const sg_made_node *state,
                            const sg_axes *own_axes, const sg_axes *axes) {
  sg_builder *first = &of->builder;
  sg_builder *second = &work->second;
  as_size tile[AS_MAX_RANK] = {AS_SIZE_ONE};
  as_size upto[AS_MAX_RANK] = {AS_SIZE_BAD};
  int map[4];
  as_node_id id = sg_builder_adapt(first, state, own_axes);
  if (id != AS_NONE)
    id = sg_builder_call(first, "expand_dims", &id, 1, 0, first->err);
  if (id == AS_NONE)
    return AS_NONE;
  sg_builder_map(first, own_axes, false, map);
  for (int i = 0; i < 3; i++)
    map[i] += map[i] >= 0;
  map[first->plan->n_grid] = 0;
  sg_builder_tile(first, own_axes, tile + 1, upto + 1);
  id = as_graph_store_upto(first->graph, first->block, NULL, id, tile, upto, map, first->err);
  if (id == AS_NONE)
    return AS_NONE;
  sg_builder_map(second, axes, false, map);
  for (int i = 0; i < 3; i++)
    map[i] += map[i] >= 0;
  tile[0] = first->sharers;
  sg_builder_tile(second, axes, tile + 1, upto + 1);
  return as_graph_load_upto(second->graph, second->block, NULL, id, tile, upto, map, second->err);
}

static as_node_id binary(sg_builder *to, const char *op, as_node_id left, as_node_id right) {
  as_node_id arg[2] = {left, right};
  if (left == AS_NONE || right == AS_NONE)
    return AS_NONE;
  return sg_builder_call(to, op, arg, 2, 0, to->err);
}

static as_node_id unary(sg_builder *to, const char *op, as_node_id of, long axis) {
  return of == AS_NONE ? AS_NONE : sg_builder_call(to, op, &of, 1, axis, to->err);
}

/* the states of a maximum, in the second kernel: one load each for all that is rescaled by it */
typedef struct {
  uint32_t tile; /* of the first side's running maximum */
  as_node_id states[2];
  as_node_id maximum;
  as_node_id weight[2]; /* exp(states - maximum); AS_NONE: not asked for yet */
} combined_max;

typedef struct {
  combined_max *list;
  uint32_t n;
} maxima;

/* two sides' results, or the only one's */
static as_node_id of_sides(splitting *work, const char *op, const as_node_id result[2]) {
  return work->n_sides == 1 ? result[0] : binary(&work->second, op, result[0], result[1]);
}

static const sg_axes *axes_of(const side *of, uint32_t value) {
  return &sg_space_value(of->builder.space, value)->axes;
}

static combined_max *combine_max(splitting *work, maxima *made, uint32_t tile) {
  for (uint32_t i = 0; i < made->n; i++) {
    if (made->list[i].tile == tile)
      return &made->list[i];
  }
  const sg_axes *axes = axes_of(&work->sides[0], tile);
  combined_max *added = &made->list[made->n];
  as_node_id most[2];
  *added = (combined_max){tile, {AS_NONE, AS_NONE}, AS_NONE, {AS_NONE, AS_NONE}};
  for (uint32_t i = 0; i < work->n_sides; i++) {
    side *of = &work->sides[i];
    const sg_axes *own_axes = axes_of(of, own(of, tile));
    sg_made_node state = {sg_builder_max(&of->builder, own(of, tile)), *own_axes};
    if (state.id != AS_NONE)
      added->states[i] = hand_over(work, of, &state, own_axes, axes);
    most[i] = unary(&work->second, "max", added->states[i], 0);
    if (most[i] == AS_NONE)
      return NULL;
  }
  added->maximum = of_sides(work, "maximum", most);
  if (added->maximum == AS_NONE)
    return NULL;
  made->n++;
  return added;
}

/* weights by which a side's states of the given rank are multiplied: exp(m_b - m), with axes of
 * extent 1 behind those of the maximum */
static as_node_id weights(splitting *work, combined_max *of, uint32_t which, uint32_t max_rank,
                          uint32_t rank) {
  sg_builder *second = &work->second;
  if (of->weight[which] == AS_NONE)
    of->weight[which] =
        unary(second, "exp", binary(second, "sub", of->states[which], of->maximum), 0);
  as_node_id weight = of->weight[which];
  for (uint32_t k = max_rank; k < rank; k++)
    weight = unary(second, "expand_dims", weight, (long)k + 1);
  return weight;
}

static bool combine(splitting *work, maxima *made, const sg_deriv *deriv) {
  sg_builder *second = &work->second;
  const side *main = &work->sides[0];
  const sg_axes *axes = axes_of(main, deriv->value);
  sg_made_node *result = &second->nodes[deriv->value];
  combined_max *maximum = NULL;
  uint32_t max_rank = 0;
  as_node_id states[2];
  as_node_id sums[2];
  result->real = *axes;
  if (deriv->acc == AS_ACC_MAX) {
    maximum = combine_max(work, made, deriv->arg[0]);
    result->id = maximum ? maximum->maximum : AS_NONE;
    return maximum != NULL;
  }
  for (uint32_t i = 0; i < work->n_sides; i++) {
    side *of = &work->sides[i];
    uint32_t value = own(of, deriv->value);
    states[i] = hand_over(work, of, &of->builder.nodes[value], axes_of(of, value), axes);
  }
  if (deriv->acc == AS_ACC_RESCALE) {
    const sg_deriv *run = deriv_at(main, place_of(main, deriv->arg[1]));
    max_rank = axes_of(main, run->arg[0])->rank;
    maximum = combine_max(work, made, run->arg[0]);
    if (!maximum)
      return false;
  }
  for (uint32_t i = 0; i < work->n_sides; i++) {
    if (maximum)
      states[i] = binary(second, "mul", states[i], weights(work, maximum, i, max_rank, axes->rank));
    sums[i] = unary(second, "sum", states[i], 0);
  }
  result->id = of_sides(work, "add", sums);
  return result->id != AS_NONE;
}

static bool combine_all(splitting *work) {
  const side *main = &work->sides[0];
  maxima made = {.list = as_malloc((main->recipe->n + 1) * sizeof *made.list)};
  bool combined = true;
  for (uint32_t i = 0; i < main->recipe->n && combined; i++) {
    if (work->in_second[i] && deriv_at(main, i)->kind == SG_D_ACC)
      combined = combine(work, &made, deriv_at(main, i));
  }
  free(made.list);
  return combined;
}

/* what the second kernel computes that no loop varies: loads and operators on them */
static bool make_still(splitting *work) {
  const side *main = &work->sides[0];
  for (uint32_t i = 0; i < main->recipe->n; i++) {
    const sg_deriv *deriv = deriv_at(main, i);
    if (work->in_second[i] &&
        sg_space_value(main->builder.space, deriv->value)->phase == SG_STILL &&
        !sg_builder_value(&work->second, deriv, main->node))
      return false;
  }
  return true;
}

static bool build_states(side *of) {
  return sg_builder_sizes(&of->builder) && sg_builder_stages(&of->builder, of->recipe, of->in_loop,
                                                             SG_STAGE_LOAD, SG_STAGE_ACC, of->node);
}

static bool build_second(splitting *work, as_node_id *node) {
  const side *main = &work->sides[0];
  sg_builder *second = &work->second;
  if (!sg_builder_sizes(second))
    return false;
  second->tile[main->builder.plan->loop] = main->builder.tile[main->builder.plan->loop];
  second->count[main->builder.plan->loop] = main->builder.count[main->builder.plan->loop];
  return make_still(work) && combine_all(work) &&
         sg_builder_stages(second, main->recipe, work->in_second, SG_STAGE_AFTER, SG_STAGE_AFTER,
                           main->node) &&
         sg_builder_store_outputs(second, main->recipe, node);
}

bool sg_build_states(as_graph *graph, const sg_found *found, uint32_t n_found, const uint32_t *twin,
                     as_node_id *node, as_err *err) {
  sg_plan without_loop = *found[0].plan;
  without_loop.mode[without_loop.loop] = SG_WHOLE;
  without_loop.loop = -1;
  if (!sg_settle_parts(found[0].part, &without_loop))
    return as_err_set(err, AS_INTERNAL, "search: an axis with parts that nothing divides");
  splitting work = {.n_sides = n_found};
  for (uint32_t i = 0; i < n_found; i++) {
    side *of = &work.sides[i];
    of->builder = (sg_builder){.graph = graph,
                               .space = found[i].space,
                               .part = found[i].part,
                               .plan = found[i].plan,
                               .vocab = found[i].vocab,
                               .divides_loop = true,
                               .more = SG_NO_CLASS,
                               .err = err};
    of->recipe = found[i].recipe;
    of->node = i ? found[i].node : node;
    of->twin = i ? twin : NULL;
    of->in_loop = as_calloc(of->recipe->n + 1, sizeof *of->in_loop);
    sg_builder_init(&of->builder);
  }
  work.second = work.sides[0].builder;
  work.second.plan = &without_loop;
  work.second.divides_loop = false;
  work.in_second = as_calloc(found[0].recipe->n + 1, sizeof *work.in_second);
  for (uint32_t out = 0; out < found[0].recipe->n_goal; out++)
    want_in_second(&work, found[0].recipe->goal[out]);
  work.second.more = choose_more(&work);
  sg_builder_init(&work.second);
  bool built = true;
  for (uint32_t i = n_found; i-- > 0 && built;)
    built = build_states(&work.sides[i]);
  built = built && build_second(&work, node);
  sg_builder_clear(&work.second);
  for (uint32_t i = 0; i < n_found; i++) {
    sg_builder_clear(&work.sides[i].builder);
    free(work.sides[i].in_loop);
  }
  free(work.in_second);
  return built;
}

bool sg_build_split(as_graph *graph, const sg_space *space, const sg_part *part,
                    const sg_plan *plan, const sg_vocab *vocab, const sg_recipe *recipe,
                    as_node_id *node, as_err *err) {
  sg_found found = {space, part, plan, vocab, recipe, node};
  return sg_build_states(graph, &found, 1, NULL, node, err);
}
