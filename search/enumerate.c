/* The block-level enumerator.  For one plan it builds, in canonical order (the program's own values
 * first, then the cheapest), every tile-level tensor whose abstract expression is a subexpression
 * of the program's, each once, with all ways to compute it.  Graphs are then read off backwards
 * from the outputs (extract.c), so that no tensor is ever computed in vain. */
#include "sg_space.h"
#include "src/base/hash.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include "src/base/trace.h"
#include <stdlib.h>
#include <string.h>

#define VALUE(s, i) (&AS_VEC_AT(&(s)->values, sg_value, i))

enum {
  MOST_WAYS = 24, /* derivations kept of one tensor */
  MOST_COST = 1 << 20,
  /* states behind the one that completes a first block graph, or as many as it took to get there */
  LEAST_BEYOND = 30000
};

#define DERIV(s, i) (&AS_VEC_AT(&(s)->derivs, sg_deriv, i))

static uint64_t key_hash(ax_id expr, const sg_axes *axes, uint32_t phase, uint32_t run) {
  struct {
    uint32_t e;
    uint32_t phase;
    uint32_t run;
    uint32_t rank;
    sg_label l[AS_MAX_RANK];
  } key;

  memset(&key, 0, sizeof key);
  key.e = expr;
  key.phase = phase;
  key.run = run;
  key.rank = axes->rank;
  memcpy(key.l, axes->ax, axes->rank);
  return as_hash(&key, sizeof key, 1);
}

static uint32_t lookup(const sg_space *space, ax_id expr, const sg_axes *axes, uint32_t phase,
                       uint32_t run) {
  as_index_walk walk = as_index_start(&space->by_key, key_hash(expr, axes, phase, run));
  for (uint32_t id; (id = as_index_next(&walk)) != AS_NONE;) {
    const sg_value *value = VALUE(space, id);
    if (value->expr == expr && value->phase == phase && value->run == run &&
        sg_axes_eq(&value->axes, axes))
      return id;
  }
  return AS_NONE;
}

static void drop_units(sg_axes *axes) {
  uint32_t n_kept = 0;
  for (uint32_t i = 0; i < axes->rank; i++) {
    if (axes->ax[i] != SG_UNIT)
      axes->ax[n_kept++] = axes->ax[i];
  }
  axes->rank = n_kept;
}

/* whether the smallest tile of these axes fits the shared memory of a block */
static bool fits(const sg_space *space, const sg_axes *axes) {
  double bytes = 2;
  for (uint32_t i = 0; i < axes->rank; i++)
    bytes *= space->least[axes->ax[i]];
  return bytes <= space->limits->shared_block;
}

/* the targets that e is a part of, as bits (the last bit stands for all targets from the 63rd on);
 * targets are closed under arguments */
static uint64_t parts_of(sg_space *space, ax_id expr) {
  if (expr == AX_BAD)
    return 0;
  if (ax_is_unit(space->ctx.A, expr))
    return UINT64_MAX;
  while (space->verdict.n <= expr)
    as_vec_push(&space->verdict, NULL);
  sg_verdict *verdict = &AS_VEC_AT(&space->verdict, sg_verdict, expr);
  if (verdict->known)
    return verdict->in;
  uint64_t in = 0;
  if (space->limits->z3 && !space->z3)
    space->z3 = sg_z3_new();
  for (uint32_t i = 0; i < space->n_target; i++) {
    uint64_t bit = 1ull << (i < 63 ? i : 63);
    if (!(in & bit) &&
        (space->limits->z3 ? sg_z3_part_of(space->z3, space->ctx.A, expr, space->target[i]) != 0
                           : ax_sub_top(space->ctx.A, expr, space->target[i])))
      in |= bit;
  }
  while (space->verdict.n <= expr)
    as_vec_push(&space->verdict, NULL);
  verdict = &AS_VEC_AT(&space->verdict, sg_verdict, expr);
  verdict->known = true;
  verdict->in = in;
  return in;
}

static uint64_t inverse_parts_of(sg_space *space, ax_id expr) {
  while (space->verdict.n <= expr)
    as_vec_push(&space->verdict, NULL);
  if (!AS_VEC_AT(&space->verdict, sg_verdict, expr).inverse_known) {
    uint64_t in = parts_of(space, ax_inv(space->ctx.A, expr));
    sg_verdict *verdict = &AS_VEC_AT(&space->verdict, sg_verdict, expr);
    verdict->inverse_known = true;
    verdict->inverse_in = in;
  }
  return AS_VEC_AT(&space->verdict, sg_verdict, expr).inverse_in;
}

/* the number or the ratio of terms is final: some target has exactly these terms */
static bool is_exact(sg_space *space, ax_id expr) {
  ax_id unit;
  for (uint32_t i = 0; i < space->n_target; i++) {
    if (expr == space->target[i] ||
        (ax_ratio(space->ctx.A, expr, space->target[i], &unit) && unit == AX_ONE))
      return true;
  }
  return false;
}

/* every axis of a tensor matters to its value; broadcasting for nothing is left to the operator
 * that needs it */
static bool is_tight(const sg_space *space, ax_id expr, const sg_axes *axes) {
  uint64_t dep = ax_dep(space->ctx.A, expr);
  uint32_t i = 0;
  while (i < axes->rank && (dep & sg_class_dep(space->part, SG_CLASS(axes->ax[i]))))
    i++;
  return i == axes->rank;
}

static bool is_program_tensor(const sg_space *space, ax_id expr) {
  uint32_t i = 0;
  while (i < space->part->n && space->program_expr[i] != expr)
    i++;
  return i < space->part->n;
}

/* numbers and sizes in front of e are those of the place in the program where it fits; 1 is always
 * allowed.  Without this every tensor would come with all its multiples. */
static bool is_natural(sg_space *space, ax_id expr) {
  return ax_natural(space->ctx.A, expr, NULL, 0) ||
         ax_natural(space->ctx.A, expr, space->target, space->n_target) || is_exact(space, expr);
}

/* counts a value that is not worth having, and why; gives AS_NONE */
static uint32_t pruned(sg_space *space, uint64_t *count, ax_id expr, const char *why) {
  ++*count;
  if (AS_TRACE_ON(PRUNE)) {
    char *shown = expr == AX_BAD ? as_strdup("a value") : ax_print(space->ctx.A, expr);
    AS_TRACE(PRUNE, "%s: %s", shown, why);
    free(shown);
  }
  return AS_NONE;
}

/* of computing it, where nothing is shared */
static uint32_t cost_of(const sg_space *space, const sg_deriv *deriv) {
  uint32_t cost = deriv->weight;
  for (uint32_t i = 0; i < deriv->nargs; i++)
    cost += VALUE(space, deriv->arg[i])->cost;
  return cost < MOST_COST ? cost : MOST_COST;
}

/* operators and accumulators of this way, where nothing is shared */
static uint32_t ops_of(const sg_space *space, const sg_deriv *deriv) {
  uint32_t ops = deriv->kind != SG_D_LOAD && deriv->kind != SG_D_CONST;
  for (uint32_t i = 0; i < deriv->nargs; i++)
    ops += VALUE(space, deriv->arg[i])->ops;
  return ops;
}

/* Rules of thumb beyond abstract expressions; one that strikes is counted as a limit is.  NULL: the
 * value is worth having. */
static const char *rule_of_thumb(sg_space *space, ax_id expr, const sg_axes *axes) {
  uint64_t *struck = space->stats->struck;
  if (axes->rank > space->part->max_rank) {
    struck[AS_LIMIT_RANK]++;
    return "more axes than any tensor of the program";
  }
  if (is_program_tensor(space, expr))
    return NULL;
  if (!is_tight(space, expr, axes)) {
    struck[AS_LIMIT_IDLE]++;
    return "an axis of no use";
  }
  if (ax_is_negative(space->ctx.A, expr)) { /* subtraction does without */
    struck[AS_LIMIT_SIGN]++;
    return "one negative term";
  }
  if (!is_natural(space, expr)) {
    struck[AS_LIMIT_UNITS]++;
    return "numbers or sizes in front that fit nowhere";
  }
  return NULL;
}

/* why the value is not worth having; NULL: it is, or nothing is pruned */
static const char *reason_to_prune(sg_space *space, ax_id expr, const sg_axes *axes, bool number,
                                   uint64_t **count) {
  if (space->limits->most_ops > 0 || number)
    return NULL;
  *count = &space->stats->abstract;
  if (ax_is_unit(space->ctx.A, expr) || !parts_of(space, expr))
    return "no part of the program's expressions";
  *count = &space->stats->unit;
  return rule_of_thumb(space, expr, axes);
}

/* adds a way to compute (e, axes, phase, run); the value's id, or AS_NONE when it is not worth
 * having */
static uint32_t add(sg_space *space, ax_id expr, sg_axes axes, uint32_t phase, uint32_t run,
                    sg_deriv deriv) {
  space->stats->states++;
  drop_units(&axes);
  bool number = deriv.kind == SG_D_CONST; /* 0 is one, too: minimum(x, 0) */
  if (expr == AX_BAD || (expr == AX_ZERO && !number))
    return pruned(space, &space->stats->shape, expr, "has no abstract expression");
  bool all = space->limits->most_ops > 0;
  uint32_t ops = ops_of(space, &deriv);
  if (all && ops > space->limits->most_ops)
    return AS_NONE;
  uint64_t *count;
  const char *reason = reason_to_prune(space, expr, &axes, number, &count);
  if (reason)
    return pruned(space, count, expr, reason);
  if (!fits(space, &axes))
    return pruned(space, &space->stats->memory, expr, "does not fit into shared memory");
  uint32_t id = lookup(space, expr, &axes, phase, run);
  if (!all && id == AS_NONE && phase == SG_AFTER &&
      lookup(space, expr, &axes, SG_STILL, AS_NONE) != AS_NONE)
    return pruned(space, &space->stats->repeat, expr, "known before the loop");
  if (id != AS_NONE) {
    space->stats->repeat++;
    sg_value *value = VALUE(space, id);
    for (uint32_t i = 0; i < value->derivs.n; i++) {
      const sg_deriv *other = DERIV(space, AS_VEC_AT(&value->derivs, uint32_t, i));
      /* also by another operator: the same value of the same operands is the same function */
      if (other->kind == deriv.kind && other->nargs == deriv.nargs &&
          !memcmp(other->arg, deriv.arg, deriv.nargs * sizeof *deriv.arg))
        return id;
    }
    for (uint32_t i = 0; i < deriv.nargs; i++) {
      if (deriv.arg[i] == id)
        return id;
    }
    if (!all && value->derivs.n >= MOST_WAYS) {
      space->stats->struck[AS_LIMIT_WAYS]++;
      return id;
    }
  } else {
    if (space->values.n >= space->limits->max_values) {
      space->full = true;
      return AS_NONE;
    }
    sg_value value = {.expr = expr,
                      .axes = axes,
                      .axes_id = sg_labels_id(&space->labels, &axes),
                      .phase = (uint8_t)phase,
                      .run = run,
                      .cost = cost_of(space, &deriv),
                      .ops = ops,
                      .of_program = as_id_among(space->target, space->n_target, expr)};
    as_vec_init(&value.derivs, sizeof(uint32_t));
    id = (uint32_t)space->values.n;
    as_vec_push(&space->values, &value);
    as_index_add(&space->by_key, key_hash(expr, &axes, phase, run), id);
  }
  deriv.value = id;
  if (cost_of(space, &deriv) < VALUE(space, id)->cost)
    VALUE(space, id)->cost = cost_of(space, &deriv);
  if (ops < VALUE(space, id)->ops)
    VALUE(space, id)->ops = ops;
  uint32_t deriv_id = (uint32_t)space->derivs.n;
  as_vec_push(&space->derivs, &deriv);
  as_vec_push(&VALUE(space, id)->derivs, &deriv_id);
  return id;
}

/* --- steps */
static bool join(const sg_value *left, const sg_value *right, uint32_t *phase, uint32_t *run) {
  if ((left->phase == SG_VARYING && right->phase == SG_AFTER) ||
      (left->phase == SG_AFTER && right->phase == SG_VARYING))
    return false;
  if (left->run != AS_NONE && right->run != AS_NONE && left->run != right->run)
    return false;
  *phase = left->phase > right->phase ? left->phase : right->phase;
  *run = left->run != AS_NONE ? left->run : right->run;
  return true;
}

/* work of one operator: composite ones and what is repeated in every iteration weigh more */
static uint32_t weigh(const sg_inst *inst, uint32_t phase) {
  uint32_t weight = inst->pointwise ? 4 : 6;
  if (inst->op->nlet > 1)
    weight += 4 * inst->op->nlet;
  return phase == SG_VARYING ? weight + weight / 2 : weight;
}

static bool is_const(const sg_space *space, uint32_t value) {
  return DERIV(space, AS_VEC_AT(&VALUE(space, value)->derivs, uint32_t, 0))->kind == SG_D_CONST;
}

/* Whether what the operator makes of the operands may be a part of a target, asked before anything
 * is made: a product or a sum is one only if both operands are, of the same target and at the same
 * place. */
static bool may_fit(sg_space *space, const sg_inst *applied, ax_id left, ax_id right) {
  if (applied->linear && !(parts_of(space, left) & parts_of(space, right)))
    return false;
  if (applied->divides && !(parts_of(space, left) & inverse_parts_of(space, right)))
    return false;
  if (applied->adds && !space->has_sum)
    return false;
  if (space->limits->z3)
    return true; /* Z3 has the word */
  if (applied->sign[0])
    return ax_sum_may_fit(space->places, left, right, applied->sign);
  if (applied->divides)
    return ax_quotient_may_fit(space->places, left, right, applied->summed);
  return !applied->linear || applied->adds ||
         ax_product_may_fit(space->places, left, right, applied->summed);
}

/* counts a step that leads nowhere, and why */
static void no_step(sg_space *space, uint64_t *count) {
  space->stats->states++;
  ++*count;
}

static void try_op(sg_space *space, uint32_t inst, uint32_t left, uint32_t right) {
  const sg_inst *applied = &space->vocab->inst[inst];
  const sg_value *left_value = VALUE(space, left);
  const sg_value *right_value = VALUE(space, right);
  bool all = space->limits->most_ops > 0;
  uint32_t phase;
  uint32_t run;
  if (all && 1 + left_value->ops + (applied->op->nargs > 1 ? right_value->ops : 0) >
                 space->limits->most_ops)
    return;
  if (!join(left_value, right_value, &phase, &run)) {
    space->stats->shape++;
    return;
  }
  if (!sg_labels_fit(space, inst, left_value->axes_id, right_value->axes_id)) {
    no_step(space, &space->stats->shape);
    return;
  }
  if (!all && !may_fit(space, applied, left_value->expr, right_value->expr)) {
    no_step(space, &space->stats->abstract);
    return;
  }
  sg_axes axes[2] = {left_value->axes, right_value->axes};
  sg_axes out;
  ax_id exprs[2] = {left_value->expr, right_value->expr};
  ax_id result;
  if (!sg_apply(&space->ctx, applied->op, applied->attr, applied->op->nargs, axes, exprs, &out,
                &result)) {
    no_step(space, &space->stats->shape);
    return;
  }
  if (!all && applied->op->nargs == 2 && (is_const(space, left) || is_const(space, right)) &&
      !is_exact(space, result)) {
    no_step(space, &space->stats->abstract);
    return;
  }
  sg_deriv deriv = {.kind = SG_D_OP,
                    .inst = inst,
                    .nargs = applied->op->nargs,
                    .arg = {left, right},
                    .weight = weigh(applied, phase)};
  add(space, result, out, phase, run, deriv);
}

static void accumulate(sg_space *space, uint32_t tile) {
  const sg_value value = *VALUE(space, tile);
  uint32_t cls = (uint32_t)space->plan->loop;
  sg_deriv deriv = {.kind = SG_D_ACC, .acc = AS_ACC_SUM, .nargs = 1, .arg = {tile}, .weight = 3};
  for (uint32_t k = 0; k < value.axes.rank; k++) {
    if (value.axes.ax[k] == SG_LABEL(cls, 1))
      deriv.weight += 8; /* a whole tile of state where its sum would do */
  }
  if (value.run != AS_NONE) { /* reads a running maximum: only a rescaled sum is right */
    const sg_value maximum = *VALUE(space, value.run);
    if (value.run == tile || maximum.axes.rank > value.axes.rank ||
        memcmp(maximum.axes.ax, value.axes.ax, maximum.axes.rank) ||
        !ax_rescalable(space->ctx.A, value.expr, maximum.expr))
      return;
    deriv.acc = AS_ACC_RESCALE;
    deriv.nargs = 2;
    deriv.arg[1] = value.run;
    deriv.weight += 2;
    add(space,
        ax_sum(space->ctx.A, value.expr, cls, AX_LOOP, space->ctx.tile[cls], space->ctx.loop[cls]),
        value.axes, SG_AFTER, AS_NONE, deriv);
    return;
  }
  add(space,
      ax_sum(space->ctx.A, value.expr, cls, AX_LOOP, space->ctx.tile[cls], space->ctx.loop[cls]),
      value.axes, SG_AFTER, AS_NONE, deriv);
  if (space->has_max || space->limits->most_ops > 0) {
    deriv.acc = AS_ACC_MAX;
    ax_id running = ax_extremum(space->ctx.A, true, value.expr, cls, AX_LOOP);
    uint32_t maximum = add(space, running, value.axes, SG_AFTER, AS_NONE, deriv);
    uint32_t next = (uint32_t)space->values.n;
    sg_deriv run = {.kind = SG_D_RUN, .nargs = 1, .arg = {tile}, .weight = 1};
    bool known = false;
    for (uint32_t j = 0; maximum != AS_NONE && j < next && !known; j++) {
      known = VALUE(space, j)->run == j && VALUE(space, j)->expr == running &&
              sg_axes_eq(&VALUE(space, j)->axes, &value.axes);
    }
    if (maximum != AS_NONE && !known)
      add(space, running, value.axes, SG_VARYING, next, run);
  }
  if (space->part->classes[cls].in_outputs) {
    sg_axes whole = value.axes;
    uint32_t times = 0;
    for (uint32_t k = 0; k < whole.rank; k++) {
      if (whole.ax[k] == SG_LABEL(cls, 1)) {
        whole.ax[k] = SG_LABEL(cls, 0);
        times++;
      }
    }
    deriv.acc = AS_ACC_CONCAT;
    deriv.weight += 8;
    if (times == 1)
      add(space, value.expr, whole, SG_AFTER, AS_NONE, deriv);
  }
}

/* numbers and sizes in front: only those with which the tensor fits into something that the program
 * computes */
static void rescale_units(sg_space *space, uint32_t which) {
  const sg_value value = *VALUE(space, which);
  ax_id factors[8];
  if (value.phase == SG_VARYING || is_const(space, which))
    return;
  uint32_t n_factors =
      ax_factors(space->ctx.A, value.expr, space->target, space->n_target, factors, 8);
  for (uint32_t k = 0; k < n_factors; k++) {
    sg_deriv deriv = {
        .kind = SG_D_SCALE, .nargs = 1, .arg = {which}, .factor = factors[k], .weight = 4};
    int64_t num;
    int64_t den;
    uint32_t sym[16];
    uint32_t n_syms;
    int exps[16];
    if (!ax_unit(space->ctx.A, factors[k], &num, &den, sym, exps, 16, &n_syms))
      continue;
    for (uint32_t q = 0; q < n_syms; q++) {
      deriv.weight += exps[q] > 1 || exps[q] < -1
                          ? 2
                          : 0; /* a mean is kinder to the numbers than a square over a square */
    }
    add(space, ax_mul(space->ctx.A, value.expr, factors[k]), value.axes, value.phase, value.run,
        deriv);
  }
}

/* the axes of a tensor of the program in a block; in_loop: of one iteration's tile */
static sg_axes tile_axes(const sg_space *space, sg_axes whole, bool in_loop) {
  for (uint32_t k = 0; k < whole.rank; k++) {
    if (whole.ax[k] != SG_UNIT && space->plan->mode[SG_CLASS(whole.ax[k])] != SG_WHOLE &&
        (in_loop || !sg_is_looped(space->plan, SG_CLASS(whole.ax[k]))))
      whole.ax[k] |= 1;
  }
  return whole;
}

static bool has_loop_axis(const sg_space *space, const sg_axes *axes) {
  for (uint32_t k = 0; k < axes->rank; k++) {
    if (axes->ax[k] != SG_UNIT && SG_IS_TILE(axes->ax[k]) &&
        sg_is_looped(space->plan, SG_CLASS(axes->ax[k])))
      return true;
  }
  return false;
}

/* a value that is the program's tensor on these axes, up to the newest; AS_NONE: none yet.  What
 * varies in the loop is its tile only where it has the loop's axis. */
static uint32_t find_tensor(const sg_space *space, uint32_t tensor, bool in_loop, uint32_t newest) {
  sg_axes want = tile_axes(space, space->part->axes[tensor], in_loop);
  bool varies = in_loop && has_loop_axis(space, &want);
  for (uint32_t k = 0; k < want.rank; k++) {
    if (want.ax[k] == SG_UNIT)
      return AS_NONE;
  }
  for (uint32_t id = 0; id <= newest; id++) {
    const sg_value *value = VALUE(space, id);
    if (value->expr == space->program_expr[tensor] && value->run == AS_NONE &&
        (value->phase == SG_VARYING) == varies && sg_axes_eq(&value->axes, &want))
      return id;
  }
  return AS_NONE;
}

static uint32_t position_of(const sg_part *part, uint32_t node) {
  uint32_t from = 0;
  while (part->tensor[from] != node)
    from++;
  return from;
}

static void replay_call(sg_space *space, uint32_t tensor, bool in_loop, uint32_t newest) {
  const sg_part *part = space->part;
  const as_node *node = &part->g->node[part->tensor[tensor]];
  sg_deriv deriv = {.kind = SG_D_OP, .nargs = node->nargs};
  bool uses = false;
  uint32_t phase = SG_STILL;
  for (uint32_t j = 0; j < node->nargs; j++) {
    deriv.arg[j] = find_tensor(space, position_of(part, node->arg[j]), in_loop, newest);
    if (deriv.arg[j] == AS_NONE)
      return;
    uses |= deriv.arg[j] == newest;
    uint32_t own = VALUE(space, deriv.arg[j])->phase;
    if ((phase == SG_VARYING && own == SG_AFTER) || (phase == SG_AFTER && own == SG_VARYING))
      return;
    phase = own > phase ? own : phase;
  }
  if (!uses || (in_loop && phase != SG_VARYING))
    return;
  while (space->vocab->inst[deriv.inst].op != node->op ||
         !sg_inst_is_call(&space->vocab->inst[deriv.inst], node))
    deriv.inst++;
  deriv.weight = weigh(&space->vocab->inst[deriv.inst], phase);
  add(space, space->program_expr[tensor], tile_axes(space, part->axes[tensor], in_loop), phase,
      AS_NONE, deriv);
}

/* calls of the program that the step above does not try (three operands and more, elements at
 * computed places), on the same tensors */
static void replay(sg_space *space, uint32_t newest) {
  for (uint32_t i = space->part->n_leaf; i < space->part->n; i++) {
    if (space->replayed[i] == SG_REPLAY_NEVER)
      continue;
    replay_call(space, i, false, newest);
    if (space->replayed[i] == SG_REPLAY_TILES && space->plan->loop >= 0)
      replay_call(space, i, true, newest);
  }
}

/* the values that the block stores; false: not all are made yet */
static bool find_goals(sg_space *space) {
  const sg_part *part = space->part;
  for (uint32_t output = 0; output < part->n_output; output++) {
    sg_axes want = part->axes[part->output[output]];
    drop_units(&want);
    for (uint32_t k = 0; k < want.rank; k++) {
      if (space->plan->mode[SG_CLASS(want.ax[k])] != SG_WHOLE &&
          !sg_is_looped(space->plan, SG_CLASS(want.ax[k])))
        want.ax[k] |= 1;
    }
    space->goal[output] = lookup(space, space->program_expr[part->output[output]], &want,
                                 space->plan->loop >= 0 ? SG_AFTER : SG_STILL, AS_NONE);
    if (space->goal[output] == AS_NONE)
      return false;
  }
  return true;
}

/* Where nothing is pruned: values of few operators first, so that no shorter way is found later.  A
 * step from a value takes more operators than the value, so one walk over all is enough for each
 * number of them.  What has all the operators that are allowed leads nowhere. */
static uint32_t next_unpruned(sg_space *space) {
  for (; space->level < space->limits->most_ops; space->level++, space->next = 0) {
    while (space->next < space->values.n) {
      const sg_value *value = VALUE(space, space->next++);
      if (!value->done && value->ops == space->level)
        return space->next - 1;
    }
  }
  return AS_NONE;
}

/* The value to go on from: one that the program computes itself, or else the cheapest; AS_NONE:
 * steps were tried from all. */
static uint32_t next_value(sg_space *space) {
  uint32_t best = AS_NONE;
  if (space->limits->most_ops > 0)
    return next_unpruned(space);
  for (uint32_t i = 0; i < space->values.n; i++) {
    const sg_value *value = VALUE(space, i);
    const sg_value *other = best == AS_NONE ? NULL : VALUE(space, best);
    if (!value->done && (other == NULL || value->of_program > other->of_program ||
                         (value->of_program == other->of_program && value->cost < other->cost)))
      best = i;
  }
  return best;
}

/* whether a step from the two may have no more operators than are allowed */
static bool may_join(const sg_space *space, uint32_t left, uint32_t right) {
  uint32_t most = space->limits->most_ops;
  return most == 0 || 1 + VALUE(space, left)->ops + VALUE(space, right)->ops <= most;
}

/* all steps from one value and those that were looked at before it */
static void extend(sg_space *space, uint32_t i) {
  VALUE(space, i)->done = true;
  space->done[space->n_done++] = i;
  for (uint32_t k = 0; k < space->vocab->n; k++) {
    const sg_inst *inst = &space->vocab->inst[k];
    if (!space->usable[k] && space->limits->most_ops == 0)
      continue;
    if (inst->op->nargs == 1 && !is_const(space, i))
      try_op(space, k, i, i);
    if (inst->op->nargs != 2)
      continue;
    /* where nothing is pruned those of few operators are first */
    for (uint32_t n = 0; n < space->n_done && may_join(space, i, space->done[n]); n++) {
      uint32_t j = space->done[n];
      uint32_t later = i > j ? i : j;
      uint32_t earlier = i > j ? j : i;
      try_op(space, k, later, earlier);
      if (!inst->commutes && earlier < later)
        try_op(space, k, earlier, later);
    }
  }
  if (VALUE(space, i)->phase == SG_VARYING)
    accumulate(space, i);
  rescale_units(space, i);
  replay(space, i);
}

bool sg_space_enumerate(sg_space *space, sg_stats *stats) {
  space->stats = stats;
  if (!sg_space_prepare(space))
    return false;
  const sg_part *part = space->part;
  for (uint32_t i = 0; i < part->n_input; i++) {
    sg_axes axes = part->axes[i];
    uint32_t phase = SG_STILL;
    for (uint32_t k = 0; k < axes.rank; k++) {
      if (axes.ax[k] == SG_UNIT || space->plan->mode[SG_CLASS(axes.ax[k])] == SG_WHOLE)
        continue;
      if (sg_is_looped(space->plan, SG_CLASS(axes.ax[k])))
        phase = SG_VARYING;
      axes.ax[k] |= 1;
    }
    sg_deriv deriv = {.kind = SG_D_LOAD, .inst = i, .weight = 1};
    if (add(space, space->program_expr[i], axes, phase, AS_NONE, deriv) == AS_NONE)
      return false; /* an input of which no tile fits: nothing can be computed without it */
  }
  for (uint32_t i = 0; i < space->n_number; i++) {
    sg_deriv deriv = {.kind = SG_D_CONST, .factor = space->number[i]};
    add(space, space->number[i], (sg_axes){0, {0}}, SG_STILL, AS_NONE, deriv);
  }
  as_search_limit why;
  uint32_t i = 0;
  uint64_t till = space->limits->max_states;
  bool reached = false;
  space->done = as_malloc((space->limits->max_values + 1) * sizeof *space->done);
  while ((i = next_value(space)) != AS_NONE && stats->states < till) {
    if (as_search_is_late(&space->limits->deadline, &why)) {
      stats->struck[why]++;
      return false;
    }
    extend(space, i);
    if (!reached && space->limits->most_ops == 0 && find_goals(space)) {
      reached = true;
      till = stats->states + (stats->states > LEAST_BEYOND ? stats->states : LEAST_BEYOND);
      if (till > space->limits->max_states)
        till = space->limits->max_states;
    }
  }
  stats->values += space->values.n;
  if (i != AS_NONE)
    stats->struck[till < space->limits->max_states ? AS_LIMIT_BEYOND : AS_LIMIT_STATES]++;
  stats->struck[AS_LIMIT_VALUES] += space->full;
  stats->struck[AS_LIMIT_TERMS] += ax_refused(space->ctx.A) > 0;
  return find_goals(space);
}
