/* Setting up one enumeration: sizes of the plan as expressions, the program's expressions, what may
 * be computed. */
#include "cost_model.h"
#include "sg_space.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

bool sg_inst_is_call(const sg_inst *inst, const as_node *node) {
  if (inst->op != node->op)
    return false;
  for (uint32_t i = 0; i < inst->op->nattrs; i++) {
    if (!sg_attr_same(&inst->attr[i], &node->attr[i]))
      return false;
  }
  return true;
}

sg_space *sg_space_new(const sg_part *part, const sg_plan *plan, const sg_vocab *vocab,
                       const sg_limits *limits) {
  sg_space *space = as_calloc(1, sizeof *space);
  space->part = part;
  space->plan = plan;
  space->vocab = vocab;
  space->limits = limits;
  space->program_expr = as_calloc(part->n + 1, sizeof *space->program_expr);
  space->program_axes = as_calloc(part->n + 1, sizeof *space->program_axes);
  space->replayed = as_calloc(part->n + 1, sizeof *space->replayed);
  space->goal = as_calloc(part->n_output + 1, sizeof *space->goal);
  as_vec_init(&space->values, sizeof(sg_value));
  as_vec_init(&space->derivs, sizeof(sg_deriv));
  as_vec_init(&space->verdict, sizeof(sg_verdict));
  space->ctx = (sg_ctx){.A = ax_new(), .part = part, .plan = plan, .sizes = part->g->sizes};
  return space;
}

void sg_space_free(sg_space *space) {
  if (!space)
    return;
  for (uint32_t i = 0; i < space->values.n; i++)
    as_vec_clear(&AS_VEC_AT(&space->values, sg_value, i).derivs);
  as_vec_clear(&space->values);
  as_vec_clear(&space->derivs);
  as_vec_clear(&space->verdict);
  if (space->z3)
    sg_z3_free(space->z3);
  sg_labels_clear(&space->labels);
  ax_places_free(space->places);
  ax_free(space->ctx.A);
  free(space->program_expr);
  free(space->program_axes);
  free(space->replayed);
  free(space->goal);
  as_index_clear(&space->by_key);
  free(space->target);
  free(space->usable);
  free(space->done);
  free(space);
}

/* numbers and sizes are all that building a block asks the store for: they move to a new one */
static void keep_factors_only(sg_space *space) {
  ax_store *store = ax_new();
  for (uint32_t i = 0; i < space->derivs.n; i++) {
    sg_deriv *deriv = &AS_VEC_AT(&space->derivs, sg_deriv, i);
    if (deriv->kind == SG_D_CONST || deriv->kind == SG_D_SCALE)
      deriv->factor = ax_copy_unit(store, space->ctx.A, deriv->factor);
  }
  ax_free(space->ctx.A);
  space->ctx.A = store;
}

void sg_space_settle(sg_space *space) {
  as_index_clear(&space->by_key);
  sg_labels_clear(&space->labels);
  ax_places_free(space->places);
  space->places = NULL;
  as_vec_clear(&space->verdict);
  as_vec_init(&space->verdict, sizeof(sg_verdict));
  if (space->z3)
    sg_z3_free(space->z3);
  space->z3 = NULL;
  keep_factors_only(space);
}

const sg_value *sg_space_value(const sg_space *space, uint32_t i) {
  return &AS_VEC_AT(&space->values, sg_value, i);
}

const sg_deriv *sg_space_deriv(const sg_space *space, uint32_t i) {
  return &AS_VEC_AT(&space->derivs, sg_deriv, i);
}

ax_store *sg_space_store(sg_space *space) {
  return space->ctx.A;
}

bool sg_has_values(const as_graph *graph) {
  bool all = true;
  for (uint32_t i = 0; i < graph->n_own_size; i++)
    all &= as_size_value(graph->sizes, graph->own_size[i]) >= 0;
  return all;
}

double sg_concrete_extent(const as_sizes *sizes, as_size size) {
  uint32_t n = as_size_count(sizes);
  int64_t *env = as_malloc((n + 1) * sizeof *env);
  for (uint32_t i = 0; i < n; i++)
    env[i] = 0;
  for (uint32_t i = 0; as_size_nth_sym(sizes, i) != AS_SIZE_BAD; i++) {
    long value = as_size_value(sizes, as_size_nth_sym(sizes, i));
    env[as_size_nth_sym(sizes, i)] = value < 0 ? 1 : value;
  }
  int64_t value = as_size_eval(sizes, size, env);
  free(env);
  return value == INT64_MIN ? 1 : (double)value;
}

/* an axis with parts has the product of their sizes */
static void set_sizes_of_parts(sg_space *space, uint32_t cls) {
  const sg_class *of = &space->part->classes[cls];
  sg_ctx *ctx = &space->ctx;
  if (of->outer == SG_NO_CLASS || ctx->whole[cls] != AX_BAD)
    return;
  set_sizes_of_parts(space, of->outer);
  set_sizes_of_parts(space, of->inner);
  ctx->whole[cls] = ax_mul(ctx->A, ctx->whole[of->outer], ctx->whole[of->inner]);
  ctx->tile[cls] = ax_mul(ctx->A, ctx->tile[of->outer], ctx->tile[of->inner]);
  ctx->loop[cls] = ax_mul(ctx->A, ctx->loop[of->outer], ctx->loop[of->inner]);
  space->least[SG_LABEL(cls, 1)] =
      space->least[SG_LABEL(of->outer, 1)] *
      space->least[SG_LABEL(of->inner, space->plan->mode[of->inner] != SG_WHOLE)];
}

/* no tile of the grid or the loop is smaller: where tensor cores have work, 8; tiling.c has it so
 */
static double least_tile(const sg_space *space, uint32_t cls) {
  const sg_part *part = space->part;
  double whole = sg_concrete_extent(part->g->sizes, part->classes[cls].extent);
  bool by_rows = space->plan->mode[cls] == SG_GRID;
  for (uint32_t i = part->n_leaf; i < part->n && by_rows; i++)
    by_rows = !sg_cost_is_contraction(&part->g->node[part->tensor[i]]);
  return space->plan->mode[cls] == SG_GRID_ONE || by_rows ? 1 : whole < 8 ? whole : 8;
}

static void set_sizes(sg_space *space) {
  for (uint32_t cls = 0; cls < AX_MAX_CLASS; cls++)
    space->ctx.whole[cls] = space->ctx.tile[cls] = space->ctx.loop[cls] = AX_BAD;
  for (uint32_t cls = 0; cls < space->part->n_classes; cls++) {
    double whole = sg_concrete_extent(space->part->g->sizes, space->part->classes[cls].extent);
    bool split = !sg_has_parts(space->part, cls) &&
                 (space->plan->mode[cls] == SG_GRID || space->plan->mode[cls] == SG_LOOP);
    space->least[SG_LABEL(cls, 0)] = whole;
    space->least[SG_LABEL(cls, 1)] = least_tile(space, cls);
    if (!split)
      continue;
    space->ctx.tile[cls] = ax_size(space->ctx.A, SG_TILE_SYM(cls));
    space->ctx.loop[cls] = ax_size(space->ctx.A, SG_COUNT_SYM(cls));
    space->ctx.whole[cls] = ax_mul(space->ctx.A, space->ctx.tile[cls], space->ctx.loop[cls]);
  }
  for (uint32_t cls = 0; cls < space->part->n_classes; cls++) {
    if (space->ctx.whole[cls] != AX_BAD || sg_has_parts(space->part, cls))
      continue;
    space->ctx.whole[cls] = sg_size_expr(&space->ctx, space->part->classes[cls].extent);
    space->ctx.tile[cls] = space->plan->mode[cls] == SG_GRID_ONE ? AX_ONE : space->ctx.whole[cls];
    space->ctx.loop[cls] = space->plan->mode[cls] == SG_GRID_ONE ? space->ctx.whole[cls] : AX_ONE;
  }
  for (uint32_t cls = 0; cls < space->part->n_classes; cls++)
    set_sizes_of_parts(space, cls);
}

static void add_target(sg_space *space, ax_id expr, uint32_t *room) {
  for (uint32_t i = 0; i < space->n_target; i++) {
    if (space->target[i] == expr)
      return;
  }
  if (space->n_target == *room)
    space->target =
        as_realloc(space->target, (*room = *room ? 2 * *room : 32) * sizeof *space->target);
  space->target[space->n_target++] = expr;
}

static void add_number(sg_space *space, ax_id expr) {
  for (uint32_t i = 0; i < space->n_number; i++) {
    if (space->number[i] == expr)
      return;
  }
  if (space->n_number == sizeof space->number / sizeof *space->number)
    space->stats->struck[AS_LIMIT_NUMBERS]++;
  else
    space->number[space->n_number++] = expr;
}

/* constant terms of a sum, and arguments that are numbers */
static void find_numbers(sg_space *space, ax_id expr) {
  int64_t num;
  int64_t den;
  uint32_t sym[8];
  uint32_t n;
  int exps[8];
  if (ax_unit(space->ctx.A, expr, &num, &den, sym, exps, 8, &n)) {
    if (!n)
      add_number(space, expr);
    return;
  }
  for (uint32_t i = 0; i < ax_n_terms(space->ctx.A, expr); i++) {
    ax_factor factors[1];
    if (ax_term(space->ctx.A, expr, i, &num, &den, factors, 1))
      continue;
    mpq_t number;
    mpq_init(number);
    mpq_set_si(number, num, (unsigned long)den);
    add_number(space, ax_const(space->ctx.A, number));
    mpq_clear(number);
  }
}

enum { MOST_ARGUMENTS = 128 };

/* an axis of the result that no operand has, and of which a block has a tile: the call says how
 * long all of it is */
static bool makes_divided_axis(const sg_space *space, uint32_t tensor, const sg_axes *arg) {
  const as_node *node = &space->part->g->node[space->part->tensor[tensor]];
  sg_carried carried;
  if (!sg_carry(&space->ctx, node->op, node->attr, node->nargs, arg, &carried))
    return false;
  for (uint32_t k = 0; k < carried.out.rank; k++) {
    sg_label label = space->part->axes[tensor].ax[k];
    if (carried.is_new[k] && label != SG_UNIT && space->plan->mode[SG_CLASS(label)] != SG_WHOLE)
      return true;
  }
  return false;
}

bool sg_space_prepare(sg_space *space) {
  const sg_part *part = space->part;
  uint32_t room = 0;
  ax_id inside[MOST_ARGUMENTS];
  set_sizes(space);
  space->ctx.strict_ones = true;
  if (!sg_program_exprs(&space->ctx, space->program_expr, space->program_axes))
    return false;
  for (uint32_t i = part->n_leaf; i < part->n; i++) {
    const as_node *node = &part->g->node[part->tensor[i]];
    sg_axes arg[AS_MAX_ARGS];
    sg_axes out;
    ax_id arg_expr[AS_MAX_ARGS];
    ax_id result;
    for (uint32_t j = 0; j < node->nargs; j++) {
      uint32_t from = 0;
      while (part->tensor[from] != node->arg[j])
        from++;
      arg[j] = space->program_axes[from];
      arg_expr[j] = space->program_expr[from];
    }
    if (!sg_apply(&space->ctx, node->op, node->attr, node->nargs, arg, arg_expr, &out, &result))
      space->replayed[i] = makes_divided_axis(space, i, arg) ? SG_REPLAY_NEVER : SG_REPLAY_TILES;
    else if (node->nargs > 2) /* of tiles only where each element is one of each operand */
      space->replayed[i] = sg_op_is_pointwise(node->op) ? SG_REPLAY_TILES : SG_REPLAY_WHOLE;
  }
  space->ctx.strict_ones = false;
  for (uint32_t tensor = part->n; tensor-- > 0;) { /* outputs first: most queries end there */
    if (tensor >= part->n_input && tensor < part->n_leaf) {
      add_number(space, space->program_expr[tensor]);
      continue;
    }
    add_target(space, space->program_expr[tensor], &room);
    find_numbers(space, space->program_expr[tensor]);
    uint32_t n = ax_arguments(space->ctx.A, space->program_expr[tensor], inside, MOST_ARGUMENTS);
    space->stats->struck[AS_LIMIT_ARGUMENTS] += n == MOST_ARGUMENTS;
    for (uint32_t i = 0; i < n; i++) {
      add_target(space, inside[i], &room);
      find_numbers(space, inside[i]);
    }
  }
  space->places = ax_places_new(space->ctx.A, space->target, space->n_target);
  space->usable = sg_vocab_usable(space->vocab, space->ctx.A, space->target, space->n_target);
  for (uint32_t target = 0; target < space->n_target; target++) {
    space->has_sum |= ax_n_terms(space->ctx.A, space->target[target]) > 1;
    for (uint32_t i = 0; i < ax_n_terms(space->ctx.A, space->target[target]); i++) {
      ax_factor factors[24];
      int64_t num;
      int64_t den;
      uint32_t n = ax_term(space->ctx.A, space->target[target], i, &num, &den, factors, 24);
      for (uint32_t j = 0; j < n; j++)
        space->has_max |= factors[j].kind == AX_MAXR;
    }
  }
  return true;
}
