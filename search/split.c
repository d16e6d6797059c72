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

typedef struct {
  sg_builder first;
  sg_builder second;
  const sg_recipe *recipe;
  bool *in_loop;   /* by derivation of the recipe: wanted for a state */
  bool *in_second; /* wanted behind the states */
} splitting;

static uint32_t place_of(const splitting *work, uint32_t value) {
  for (uint32_t i = 0; i < work->recipe->n; i++) {
    if (sg_space_deriv(work->first.space, work->recipe->deriv[i])->value == value)
      return i;
  }
  return AS_NONE;
}

static const sg_deriv *deriv_at(const splitting *work, uint32_t place) {
  return sg_space_deriv(work->first.space, work->recipe->deriv[place]);
}

static void want_in_loop(splitting *work, uint32_t value) {
  uint32_t place = place_of(work, value);
  if (place == AS_NONE || work->in_loop[place])
    return;
  work->in_loop[place] = true;
  for (uint32_t i = 0; i < deriv_at(work, place)->nargs; i++)
    want_in_loop(work, deriv_at(work, place)->arg[i]);
}

static void want_in_second(splitting *work, uint32_t value) {
  uint32_t place = place_of(work, value);
  if (place == AS_NONE || work->in_second[place])
    return;
  const sg_deriv *deriv = deriv_at(work, place);
  work->in_second[place] = true;
  if (deriv->kind == SG_D_ACC) {
    want_in_loop(work, value);
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
  const sg_space *space = work->first.space;
  for (uint32_t i = 0; i < work->recipe->n; i++) {
    const sg_deriv *deriv = deriv_at(work, i);
    if (!work->in_second[i])
      continue;
    if (has_twice(&sg_space_value(space, deriv->value)->axes, cls))
      return false;
    bool reads = false;
    for (uint32_t k = 0; k < deriv->nargs; k++)
      reads = reads || has_class(&sg_space_value(space, deriv->arg[k])->axes, cls);
    if (reads && deriv->kind == SG_D_OP && !work->first.vocab->inst[deriv->inst].pointwise)
      return false;
  }
  return true;
}

static bool may_be_divided(const splitting *work, uint32_t cls) {
  const sg_part *part = work->first.part;
  const sg_plan *plan = work->first.plan;
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

  const sg_part *part = work->first.part;
  const sg_axes *axes = &part->axes[part->output[0]];
  uint8_t best = SG_NO_CLASS;
  int64_t longest = 1;
  if (work->first.plan->n_grid == 3)
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

/* stores a state of the first kernel behind an axis of blocks, and loads all of them in the second;
 * axes: of the state, without axes of extent 1.  AS_NONE with err */
static as_node_id hand_over(splitting *work, const sg_made_node *state, const sg_axes *axes) {
  sg_builder *first = &work->first;
  sg_builder *second = &work->second;
  as_size tile[AS_MAX_RANK] = {AS_SIZE_ONE};
  as_size upto[AS_MAX_RANK] = {AS_SIZE_BAD};
  int map[4];
  as_node_id id = sg_builder_adapt(first, state, axes);
  if (id != AS_NONE)
    id = sg_builder_call(first, "expand_dims", &id, 1, 0, first->err);
  if (id == AS_NONE)
    return AS_NONE;
  sg_builder_map(first, axes, false, map);
  for (int i = 0; i < 3; i++)
    map[i] += map[i] >= 0;
  map[first->plan->n_grid] = 0;
  sg_builder_tile(first, axes, tile + 1, upto + 1);
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
  uint32_t tile; /* of the running maximum */
  as_node_id states;
  as_node_id maximum;
  as_node_id weight; /* exp(states - maximum); AS_NONE: not asked for yet */
} combined_max;

typedef struct {
  combined_max *list;
  uint32_t n;
} maxima;

static combined_max *combine_max(splitting *work, maxima *made, uint32_t tile) {
  for (uint32_t i = 0; i < made->n; i++) {
    if (made->list[i].tile == tile)
      return &made->list[i];
  }
  const sg_axes *axes = &sg_space_value(work->first.space, tile)->axes;
  sg_made_node state = {sg_builder_max(&work->first, tile), *axes};
  combined_max *added = &made->list[made->n];
  *added = (combined_max){tile, AS_NONE, AS_NONE, AS_NONE};
  if (state.id != AS_NONE)
    added->states = hand_over(work, &state, axes);
  added->maximum = unary(&work->second, "max", added->states, 0);
  if (added->maximum == AS_NONE)
    return NULL;
  made->n++;
  return added;
}

/* weights by which states of the given rank are multiplied: exp(m_b - m), with axes of extent 1
 * behind those of the maximum */
static as_node_id weights(splitting *work, combined_max *of, uint32_t max_rank, uint32_t rank) {
  sg_builder *second = &work->second;
  if (of->weight == AS_NONE)
    of->weight = unary(second, "exp", binary(second, "sub", of->states, of->maximum), 0);
  as_node_id weight = of->weight;
  for (uint32_t k = max_rank; k < rank; k++)
    weight = unary(second, "expand_dims", weight, (long)k + 1);
  return weight;
}

static bool combine(splitting *work, maxima *made, const sg_deriv *deriv) {
  sg_builder *second = &work->second;
  const sg_axes *axes = &sg_space_value(work->first.space, deriv->value)->axes;
  sg_made_node *result = &second->nodes[deriv->value];
  result->real = *axes;
  if (deriv->acc == AS_ACC_MAX) {
    const combined_max *maximum = combine_max(work, made, deriv->arg[0]);
    result->id = maximum ? maximum->maximum : AS_NONE;
    return maximum != NULL;
  }
  as_node_id states = hand_over(work, &work->first.nodes[deriv->value], axes);
  if (deriv->acc == AS_ACC_RESCALE) {
    const sg_deriv *run = deriv_at(work, place_of(work, deriv->arg[1]));
    combined_max *maximum = combine_max(work, made, run->arg[0]);
    if (!maximum)
      return false;
    uint32_t max_rank = sg_space_value(work->first.space, run->arg[0])->axes.rank;
    states = binary(second, "mul", states, weights(work, maximum, max_rank, axes->rank));
  }
  result->id = unary(second, "sum", states, 0);
  return result->id != AS_NONE;
}

static bool combine_all(splitting *work) {
  maxima made = {.list = as_malloc((work->recipe->n + 1) * sizeof *made.list)};
  bool combined = true;
  for (uint32_t i = 0; i < work->recipe->n && combined; i++) {
    if (work->in_second[i] && deriv_at(work, i)->kind == SG_D_ACC)
      combined = combine(work, &made, deriv_at(work, i));
  }
  free(made.list);
  return combined;
}

/* what the second kernel computes that no loop varies: loads and operators on them */
static bool make_still(splitting *work, const as_node_id *node) {
  for (uint32_t i = 0; i < work->recipe->n; i++) {
    const sg_deriv *deriv = deriv_at(work, i);
    if (work->in_second[i] && sg_space_value(work->first.space, deriv->value)->phase == SG_STILL &&
        !sg_builder_value(&work->second, deriv, node))
      return false;
  }
  return true;
}

bool sg_build_split(as_graph *graph, const sg_space *space, const sg_part *part,
                    const sg_plan *plan, const sg_vocab *vocab, const sg_recipe *recipe,
                    as_node_id *node, as_err *err) {
  sg_plan without_loop = *plan;
  without_loop.mode[plan->loop] = SG_WHOLE;
  without_loop.loop = -1;
  if (!sg_settle_parts(part, &without_loop))
    return as_err_set(err, AS_INTERNAL, "search: an axis with parts that nothing divides");
  sg_builder builder = {.graph = graph,
                        .space = space,
                        .part = part,
                        .plan = plan,
                        .vocab = vocab,
                        .more = SG_NO_CLASS,
                        .err = err};
  splitting work = {.first = builder, .second = builder, .recipe = recipe};
  work.first.divides_loop = true;
  work.second.plan = &without_loop;
  work.in_loop = as_calloc(recipe->n + 1, sizeof *work.in_loop);
  work.in_second = as_calloc(recipe->n + 1, sizeof *work.in_second);
  for (uint32_t out = 0; out < recipe->n_goal; out++)
    want_in_second(&work, recipe->goal[out]);
  work.second.more = choose_more(&work);
  sg_builder_init(&work.first);
  sg_builder_init(&work.second);
  bool built =
      sg_builder_sizes(&work.first) &&
      sg_builder_stages(&work.first, recipe, work.in_loop, SG_STAGE_LOAD, SG_STAGE_ACC, node) &&
      sg_builder_sizes(&work.second);
  work.second.tile[plan->loop] = work.first.tile[plan->loop];
  work.second.count[plan->loop] = work.first.count[plan->loop];
  built = built && make_still(&work, node) && combine_all(&work) &&
          sg_builder_stages(&work.second, recipe, work.in_second, SG_STAGE_AFTER, SG_STAGE_AFTER,
                            node) &&
          sg_builder_store_outputs(&work.second, recipe, node);
  sg_builder_clear(&work.first);
  sg_builder_clear(&work.second);
  free(work.in_loop);
  free(work.in_second);
  return built;
}
