/* From a recipe to a block of a muGraph: new sizes and their relations, loads with imap and fmap,
 * operators with the axes that broadcasting wants, accumulators, epilogue, stores. */
#include "builder.h"
#include "cost_model.h"
#include "search.h"
#include "src/base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* sizes, tensors and kernels of a muGraph and of its program: one name means one thing */
static bool sg_name_is_taken(const as_graph *graph, const char *name) {
  for (const as_graph *outer = graph; outer; outer = outer->program) {
    for (uint32_t i = 0; i < outer->n_own_size; i++) {
      if (!strcmp(as_size_name(graph->sizes, outer->own_size[i]), name))
        return true;
    }
  }
  for (uint32_t i = 0; i < graph->n_block; i++) {
    if (!strcmp(graph->block[i].name, name))
      return true;
  }
  for (uint32_t i = 0; i < graph->n; i++) {
    if (graph->node[i].name && !strcmp(graph->node[i].name, name))
      return true;
  }
  for (uint32_t i = 0; i < graph->program->n; i++) {
    if (graph->program->node[i].name && !strcmp(graph->program->node[i].name, name))
      return true;
  }
  return false;
}

static as_size new_size(sg_builder *to, const char *stem, long least) {
  char name[32];
  as_size size = AS_SIZE_BAD;
  for (int k = 0;; k++) {
    if (k)
      snprintf(name, sizeof name, "%s%d", stem, k);
    else
      snprintf(name, sizeof name, "%s", stem);
    if (!sg_name_is_taken(to->graph, name))
      break;
  }
  return as_graph_declare(to->graph, name, least, -1, &size, to->err) ? size : AS_SIZE_BAD;
}

static bool multiplies(const sg_part *part) {
  for (uint32_t i = part->n_leaf; i < part->n; i++) {
    if (sg_cost_is_contraction(&part->g->node[part->tensor[i]]))
      return true;
  }
  return false;
}

/* No tile worth having divides the extent, so that tiles are to reach beyond it.  All classes with
 * as many tiles have that extent: two numbers of tiles are not stated to be the same.  A part of an
 * axis makes up that axis with the other part.  Of an extent that is left to run time only tiles of
 * one row divide every value: those that take several rows reach beyond it, which products need. */
static bool to_be_cut(const sg_builder *to, uint32_t cls) {
  const sg_class *classes = to->part->classes;
  int64_t extent;
  for (uint32_t other = 0; other < to->part->n_classes; other++) {
    bool part = classes[other].outer == cls || classes[other].inner == cls;
    if (part || (to->plan->lead[other] == cls && classes[other].extent != classes[cls].extent))
      return false;
  }
  if (sg_is_left_to_run_time(to->graph->sizes, classes[cls].extent))
    return as_size_nmono(to->graph->sizes, classes[cls].extent) == 1 &&
           (to->plan->mode[cls] == SG_LOOP || multiplies(to->part));
  return as_size_nmono(to->graph->sizes, classes[cls].extent) == 1 &&
         as_graph_concrete(to->graph, classes[cls].extent, &extent) &&
         !as_tiles_divide((long)extent);
}

/* the relation between a class's extent, the number of its tiles and theirs */
static bool relate(sg_builder *to, uint32_t cls) {
  as_sizes *sizes = to->graph->sizes;
  as_size whole = to->part->classes[cls].extent;
  as_size tile = to->tile[cls];
  if (!to->cut[cls])
    return as_graph_where(to->graph, whole, AS_REL_EQ, as_size_mul(sizes, to->count[cls], tile),
                          to->err);
  as_size most = as_size_sub(sizes, as_size_add(sizes, whole, tile), AS_SIZE_ONE);
  return as_graph_where(to->graph, as_size_div(sizes, most, tile), AS_REL_EQ, to->count[cls],
                        to->err);
}

/* the sizes of a class that has as many tiles as its lead, which comes before it: equal extents
 * have equal tiles */
static bool twin_sizes(sg_builder *to, uint32_t cls) {
  const sg_class *classes = to->part->classes;
  uint32_t lead = to->plan->lead[cls];
  to->count[cls] = to->count[lead];
  to->cut[cls] = to->cut[lead];
  for (uint32_t other = 0; other < cls; other++) {
    if (to->plan->lead[other] == lead && classes[other].extent == classes[cls].extent) {
      to->tile[cls] = to->tile[other];
      return true;
    }
  }
  to->tile[cls] = new_size(to, "U", 1);
  if (to->tile[cls] == AS_SIZE_BAD)
    return false;
  return relate(to, cls);
}

/* the tile of an axis with parts: that of the outer one times that, or all, of the inner one */
static void sizes_of_parts(sg_builder *to, uint32_t cls) {
  const sg_class *of = &to->part->classes[cls];
  if (of->outer == SG_NO_CLASS || to->plan->mode[cls] == SG_WHOLE)
    return;
  sizes_of_parts(to, of->outer);
  to->tile[cls] = as_size_mul(to->graph->sizes, to->tile[of->outer], to->tile[of->inner]);
  to->count[cls] = to->count[of->outer];
}

bool sg_builder_sizes(sg_builder *to) {
  as_size grid[3] = {AS_SIZE_ONE, AS_SIZE_ONE, AS_SIZE_ONE};
  as_size loop = AS_SIZE_ONE;
  for (uint32_t cls = 0; cls < to->part->n_classes; cls++) {
    to->tile[cls] = to->part->classes[cls].extent;
    to->count[cls] = AS_SIZE_ONE;
    to->cut[cls] = false;
    sg_mode mode = cls == to->more ? SG_GRID : to->plan->mode[cls];
    if (sg_has_parts(to->part, cls))
      continue;
    if (mode == SG_GRID_ONE) {
      to->tile[cls] = AS_SIZE_ONE;
      to->count[cls] = to->part->classes[cls].extent;
    }
    if (mode != SG_GRID && mode != SG_LOOP)
      continue;
    if (to->plan->lead[cls] != cls) {
      if (!twin_sizes(to, cls))
        return false;
      continue;
    }
    /* an extent that may be 0 has no tiles then: the relation must not make it positive */
    to->count[cls] =
        new_size(to, mode == SG_GRID ? "J" : "L", to->part->classes[cls].may_be_empty ? 0 : 1);
    to->tile[cls] = new_size(to, mode == SG_GRID ? "U" : "T", 1);
    if (to->count[cls] == AS_SIZE_BAD || to->tile[cls] == AS_SIZE_BAD)
      return false;
    if (mode == SG_LOOP && to->divides_loop) {
      loop = to->count[cls];
      to->sharers = new_size(to, "S", 1);
      if (to->sharers == AS_SIZE_BAD)
        return false;
      to->count[cls] = as_size_mul(to->graph->sizes, to->sharers, loop);
    }
    to->cut[cls] = to_be_cut(to, cls);
    if (!relate(to, cls))
      return as_err_set(to->err, AS_INTERNAL, "search: relation refused");
  }
  for (uint32_t cls = 0; cls < to->part->n_classes; cls++)
    sizes_of_parts(to, cls);
  for (uint32_t i = 0; i < to->plan->n_grid; i++)
    grid[i] = to->count[to->plan->grid[to->plan->n_grid - 1 - i]];
  if (to->more != SG_NO_CLASS)
    grid[to->plan->n_grid] = to->count[to->more];
  if (to->divides_loop)
    grid[to->plan->n_grid] = to->sharers;
  else if (to->plan->loop >= 0)
    loop = to->count[to->plan->loop];
  char name[24];
  for (uint32_t k = to->graph->n_block;; k++) {
    snprintf(name, sizeof name, "k%u", k);
    if (!sg_name_is_taken(to->graph, name))
      break;
  }
  to->block = as_graph_block(to->graph, name, grid, loop, to->plan->loop >= 0);
  return true;
}

static void map_class(const sg_builder *to, uint32_t cls, int axis, bool with_loop, int map[4]) {
  const sg_class *of = &to->part->classes[cls];
  if (sg_loops_within(to->part, to->plan, cls) || sg_grids_within(to->part, to->plan, cls))
    /* and another grid axis takes the outer part */
    map_class(to, of->outer, axis, with_loop, map);
  if (sg_is_looped(to->plan, cls)) {
    if (with_loop)
      map[3] = axis;
    if (with_loop && to->divides_loop)
      map[to->plan->n_grid] = axis;
    return;
  }
  for (uint32_t i = 0; i < to->plan->n_grid; i++) {
    if (to->plan->grid[to->plan->n_grid - 1 - i] == to->plan->lead[cls])
      map[i] = axis;
  }
  if (cls == to->more)
    map[to->plan->n_grid] = axis;
}

/* whether a tensor of the block has a tile of the axis, not all of it */
static bool is_tile(const sg_builder *to, sg_label label) {
  return label != SG_UNIT && (SG_IS_TILE(label) || SG_CLASS(label) == to->more);
}

/* which axis of the tensor each grid axis and the loop divide */
void sg_builder_map(const sg_builder *to, const sg_axes *axes, bool with_loop, int map[4]) {
  for (int i = 0; i < 4; i++)
    map[i] = -1;
  for (uint32_t axis = 0; axis < axes->rank; axis++) {
    if (!is_tile(to, axes->ax[axis]))
      continue;
    map_class(to, SG_CLASS(axes->ax[axis]), (int)axis, with_loop, map);
  }
}

void sg_builder_tile(const sg_builder *to, const sg_axes *axes, as_size *tile, as_size *upto) {
  for (uint32_t k = 0; k < axes->rank; k++) {
    bool unit = axes->ax[k] == SG_UNIT;
    uint32_t cls = unit ? 0 : SG_CLASS(axes->ax[k]);
    bool divided = is_tile(to, axes->ax[k]);
    as_size whole = unit ? AS_SIZE_ONE : to->part->classes[cls].extent;
    tile[k] = divided ? to->tile[cls] : whole;
    upto[k] = divided && to->cut[cls] ? whole : AS_SIZE_BAD;
  }
}

/* an operator of one tensor and one attribute whose body is exactly `x * attr` (or `x / attr`):
 * found by what it means, not by its name */
static const as_opdef *find_scaling(const as_oplib *lib, bool divides) {
  for (uint32_t i = 0; i < as_oplib_count(lib); i++) {
    const as_opdef *op = as_oplib_nth(lib, i);
    const as_expr *body = op->let[op->nlet - 1].body;
    if (as_oplib_knows(lib, op) && op->nargs == 1 && op->nattrs == 1 && op->nlet == 1 &&
        !op->nreq && sg_op_is_pointwise(op) && body->kind == (divides ? AS_E_FDIV : AS_E_MUL) &&
        body->kid[0]->kind == AS_E_ACCESS && body->kid[1]->kind == AS_E_NAME &&
        !strcmp(body->kid[1]->name, op->attr[0]))
      return op;
  }
  return NULL;
}

static as_node_id scaled(sg_builder *to, as_node_id of, bool divides, as_size by) {
  const as_opdef *op = find_scaling(to->graph->lib, divides);
  as_attr attr[AS_MAX_ATTRS];
  if (!op) {
    as_err_set(to->err, AS_BAD_INPUT,
               "the search needs an operator `x %c attribute`, which no specification defines",
               divides ? '/' : '*');
    return AS_NONE;
  }
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_init(&attr[i]);
  attr[0].is_size = true;
  attr[0].size = by;
  as_node_id result = as_graph_op(to->graph, to->block, NULL, op, &of, 1, attr, to->err);
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_clear(&attr[i]);
  return result;
}

as_node_id sg_builder_call(sg_builder *to, const char *op, const as_node_id *arg, uint32_t nargs,
                           long axis, as_err *err) {
  const as_opdef *found = as_oplib_find(to->graph->lib, op);
  as_attr attr[AS_MAX_ATTRS];
  if (!found) {
    as_err_set(err, AS_BAD_INPUT,
               "the search needs an operator `%s`, which no specification defines", op);
    return AS_NONE;
  }
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_init(&attr[i]);
  if (found->nattrs) {
    attr[0].is_size = true;
    attr[0].size = as_size_int(to->graph->sizes, axis);
  }
  as_node_id result = as_graph_op(to->graph, to->block, NULL, found, arg, nargs, attr, err);
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_clear(&attr[i]);
  return result;
}

enum { NO_LABEL = SG_UNIT - 1 };

/* the same tensor with axes of extent 1 put in or taken out until it has the axes `want` */
as_node_id sg_builder_adapt(sg_builder *to, const sg_made_node *from, const sg_axes *want) {
  as_node_id id = from->id;
  sg_axes have = from->real;
  for (uint32_t i = 0; i < want->rank || i < have.rank;) {
    sg_label has = i < have.rank ? sg_flat_label(to->part, to->plan, have.ax[i]) : NO_LABEL;
    sg_label wanted = i < want->rank ? sg_flat_label(to->part, to->plan, want->ax[i]) : NO_LABEL;
    if (has == wanted) {
      i++;
      continue;
    }
    if (has == SG_UNIT) {
      id = sg_builder_call(to, "squeeze", &id, 1, (long)i, to->err);
      memmove(have.ax + i, have.ax + i + 1, have.rank - i - 1);
      have.rank--;
    } else if (wanted == SG_UNIT && have.rank < AS_MAX_RANK) {
      id = sg_builder_call(to, "expand_dims", &id, 1, (long)i, to->err);
      memmove(have.ax + i + 1, have.ax + i, have.rank - i);
      have.ax[i] = SG_UNIT;
      have.rank++;
    } else {
      as_err_set(to->err, AS_INTERNAL, "search: axes of a tile do not fit its use");
      return AS_NONE;
    }
    if (id == AS_NONE)
      return AS_NONE;
  }
  return id;
}

/* axes that make `own` align with `all` from the right */
static sg_axes aligned(const sg_axes *own, const sg_axes *all) {
  sg_axes padded = {0, {0}};
  uint32_t next = 0;
  for (uint32_t i = 0; i < all->rank; i++) {
    bool has = next < own->rank && own->ax[next] == all->ax[i];
    if (has)
      next++;
    else if (!padded.rank)
      continue;
    padded.ax[padded.rank++] = has ? all->ax[i] : SG_UNIT;
  }
  return padded;
}

/* the axes of both operands of a batched operator, with axes of extent 1 where one lacks a batch
 * axis
 */
static bool align_batches(const sg_builder *to, const as_opdef *op, sg_axes axes[2]) {
  sg_axes batch[2];
  sg_axes all;
  uint32_t own[2];
  for (uint32_t i = 0; i < 2; i++) {
    own[i] = op->arg[i].n - 1;
    if (axes[i].rank < own[i])
      return false;
    batch[i] = axes[i];
    batch[i].rank -= own[i];
  }
  if (!sg_merge(to->part, &batch[0], &batch[1], &all))
    return false;
  for (uint32_t i = 0; i < 2; i++) {
    sg_axes padded = aligned(&batch[i], &all);
    if (padded.rank + own[i] > AS_MAX_RANK)
      return false;
    memcpy(padded.ax + padded.rank, axes[i].ax + batch[i].rank, own[i]);
    padded.rank += own[i];
    axes[i] = padded;
  }
  return true;
}

/* a tile's axis as two, as long as the tiles of the parts are; cls: of the axis */
static as_node_id split_tile(sg_builder *to, const sg_inst *inst, const as_node_id *arg,
                             uint32_t cls) {
  const sg_class *of = &to->part->classes[cls];
  as_size extent[2] = {to->tile[of->outer], to->tile[of->inner]};
  as_attr attr[AS_MAX_ATTRS];
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++) {
    as_attr_init(&attr[i]);
    as_attr_set(&attr[i], &inst->attr[i]);
    for (uint32_t k = 0; k < 2 && i < inst->op->nattrs; k++) {
      if (!strcmp(inst->op->attr[i], inst->op->out[k + 1].size->name))
        attr[i].size = extent[k];
    }
  }
  as_node_id made = as_graph_op(to->graph, to->block, NULL, inst->op, arg, 1, attr, to->err);
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_clear(&attr[i]);
  return made;
}

/* the class of the axis that a view splits: the one that its result does not have */
static uint32_t split_class(const sg_axes *from, const sg_axes *made) {
  for (uint32_t k = 0; k < from->rank; k++) {
    bool kept = false;
    for (uint32_t i = 0; i < made->rank; i++)
      kept |= made->ax[i] == from->ax[k];
    if (!kept && from->ax[k] != SG_UNIT && SG_IS_TILE(from->ax[k]))
      return SG_CLASS(from->ax[k]);
  }
  return SG_NO_CLASS;
}

/* an operator that moves, splits or merges axes of which a block has one index each */
static bool moves_units_only(const sg_builder *to, const sg_inst *inst, const sg_deriv *deriv) {
  const as_opdef *op = inst->op;
  if (op->nargs != 1 || op->nlet != 1 || op->let[0].body->kind != AS_E_ACCESS)
    return false;
  const sg_value *from = sg_space_value(to->space, deriv->arg[0]);
  const sg_value *made = sg_space_value(to->space, deriv->value);
  return from->expr == made->expr && from->axes.rank > 0 &&
         sg_same_but_units(to->part, to->plan, &from->axes, &made->axes);
}

static as_node_id make_op(sg_builder *to, const sg_deriv *deriv, sg_axes *real) {
  const sg_inst *inst = &to->vocab->inst[deriv->inst];
  if (moves_units_only(to, inst, deriv)) { /* where it is used, its axes are given to it */
    *real = to->nodes[deriv->arg[0]].real;
    return to->nodes[deriv->arg[0]].id;
  }
  as_node_id arg[AS_MAX_ARGS];
  sg_axes axes[AS_MAX_ARGS];
  sg_axes all;
  const sg_value *values[AS_MAX_ARGS];
  for (uint32_t i = 0; i < deriv->nargs; i++) {
    values[i] = sg_space_value(to->space, deriv->arg[i]);
    axes[i] = values[i]->axes;
  }
  if (inst->broadcasts && deriv->nargs == 2) {
    if (!sg_merge(to->part, &values[0]->axes, &values[1]->axes, &all)) {
      as_err_set(to->err, AS_INTERNAL, "search: axes do not merge");
      return AS_NONE;
    }
    for (uint32_t i = 0; i < 2; i++)
      axes[i] = aligned(&values[i]->axes, &all);
  } else if (sg_op_batches(inst->op)) {
    if (!align_batches(to, inst->op, axes)) {
      as_err_set(to->err, AS_INTERNAL, "search: batch axes do not merge");
      return AS_NONE;
    }
  } else if (inst->pointwise && deriv->nargs == 1) {
    axes[0] = to->nodes[deriv->arg[0]].real;
  }
  for (uint32_t i = 0; i < deriv->nargs; i++) {
    arg[i] = sg_builder_adapt(to, &to->nodes[deriv->arg[i]], &axes[i]);
    if (arg[i] == AS_NONE)
      return AS_NONE;
  }
  sg_ctx ctx = to->space->ctx;
  ax_id none;
  ctx.A = NULL;
  ctx.strict_ones = true;
  if (!sg_apply(&ctx, inst->op, inst->attr, deriv->nargs, axes, NULL, real, &none))
    *real = sg_space_value(to->space, deriv->value)->axes;
  uint32_t split =
      sg_op_view(inst->op) == SG_VIEW_SPLIT ? split_class(&axes[0], real) : SG_NO_CLASS;
  if (split != SG_NO_CLASS)
    return split_tile(to, inst, arg, split);
  return as_graph_op(to->graph, to->block, NULL, inst->op, arg, deriv->nargs, inst->attr, to->err);
}

static as_node_id make_number(sg_builder *to, long num, long den) {
  mpq_t value;
  mpq_init(value);
  mpq_set_si(value, num, (unsigned long)den);
  as_node_id node = as_graph_const(to->graph, value);
  mpq_clear(value);
  return node;
}

/* a number of the program: a constant, or the number that a size is */
static as_node_id make_leaf_number(sg_builder *to, ax_id factor) {
  int64_t num;
  int64_t den;
  uint32_t sym[1];
  uint32_t n;
  int exps[1];
  if (factor == AX_ZERO)
    return make_number(to, 0, 1);
  bool unit = ax_unit(to->space->ctx.A, factor, &num, &den, sym, exps, 1, &n);
  if (unit && n == 0)
    return make_number(to, num, den);
  /* part.c: sizes with a letter of an axis class in place of the symbol are never leaves */
  if (unit && num == 1 && den == 1 && exps[0] == 1 && sym[0] < 0x80000000u)
    return as_graph_size_const(to->graph, sym[0]);
  mpq_t value;
  mpq_init(value);
  as_node_id node = AS_NONE;
  if (ax_long_number(to->space->ctx.A, factor, value))
    node = as_graph_const(to->graph, value);
  else
    as_err_set(to->err, AS_INTERNAL, "search: no number");
  mpq_clear(value);
  return node;
}

/* multiplication by a number and powers of sizes */
static as_node_id make_scale(sg_builder *to, const sg_deriv *deriv) {
  int64_t num;
  int64_t den;
  uint32_t sym[16];
  uint32_t n;
  int exps[16];
  as_size up = AS_SIZE_ONE;
  as_size down = AS_SIZE_ONE;
  as_sizes *sizes = to->graph->sizes;
  if (!ax_unit(to->space->ctx.A, deriv->factor, &num, &den, sym, exps, 16, &n)) {
    as_err_set(to->err, AS_INTERNAL, "search: no unit");
    return AS_NONE;
  }
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++) /* tile times count is the size itself */
    {
      while (sym[i] >= 0x80000000u && sym[j] == (sym[i] | 1) && i != j && exps[i] && exps[j] &&
             (exps[i] > 0) == (exps[j] > 0)) {
        as_size whole = to->part->classes[(sym[i] & 0x7fffffffu) / 2].extent;
        if (exps[i] > 0) {
          up = as_size_mul(sizes, up, whole);
          exps[i]--;
          exps[j]--;
        } else {
          down = as_size_mul(sizes, down, whole);
          exps[i]++;
          exps[j]++;
        }
      }
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t cls = (sym[i] & 0x7fffffffu) / 2;
    as_size size = sym[i] < 0x80000000u ? sym[i] : sym[i] & 1 ? to->count[cls] : to->tile[cls];
    for (int k = 0; k < exps[i]; k++)
      up = as_size_mul(sizes, up, size);
    for (int k = 0; k > exps[i]; k--)
      down = as_size_mul(sizes, down, size);
  }
  as_node_id id = to->nodes[deriv->arg[0]].id;
  if (num != 1 || (den != 1 && down != AS_SIZE_ONE)) {
    as_node_id args[2] = {id, make_number(to, num, den)};
    id = sg_builder_call(to, "mul", args, 2, 0, to->err);
    den = 1;
  }
  if (up != AS_SIZE_ONE && id != AS_NONE)
    id = scaled(to, id, false, up);
  if (down != AS_SIZE_ONE && id != AS_NONE)
    id = scaled(to, id, true, down);
  if (den != 1 && id != AS_NONE) {
    as_node_id args[2] = {id, make_number(to, den, 1)};
    id = sg_builder_call(to, "div", args, 2, 0, to->err);
  }
  return id;
}

/* One accumulator gives both the running and the final maximum.  It has no axes of extent 1: what
 * is rescaled by it must have its axes first. */
as_node_id sg_builder_max(sg_builder *to, uint32_t tile) {
  const sg_axes *axes = &sg_space_value(to->space, tile)->axes;
  if (to->maximum[tile] == AS_NONE) {
    as_node_id source = sg_builder_adapt(to, &to->nodes[tile], axes);
    if (source != AS_NONE) {
      to->maximum[tile] =
          as_graph_acc(to->graph, to->block, NULL, AS_ACC_MAX, source, AS_NONE, 0, to->err);
    }
  }
  return to->maximum[tile];
}

/* real: the axes of the accumulator */
static as_node_id accumulated(sg_builder *to, const sg_deriv *deriv, sg_axes *real) {
  const sg_made_node *source = &to->nodes[deriv->arg[0]];
  int axis = 0;
  *real = source->real;
  for (uint32_t k = 0; k < real->rank; k++) {
    if (deriv->acc == AS_ACC_CONCAT && real->ax[k] == SG_LABEL(to->plan->loop, 1)) {
      axis = (int)k;
      real->ax[k] = SG_LABEL(to->plan->loop, 0);
    }
  }
  return as_graph_acc(to->graph, to->block, NULL, deriv->acc, source->id, AS_NONE, axis, to->err);
}

static as_node_id rescaled(sg_builder *to, const sg_deriv *deriv) {
  const sg_axes *axes = &sg_space_value(to->space, deriv->value)->axes;
  as_node_id source = sg_builder_adapt(to, &to->nodes[deriv->arg[0]], axes);
  if (source == AS_NONE)
    return AS_NONE;
  return as_graph_acc(to->graph, to->block, NULL, AS_ACC_RESCALE, source,
                      to->nodes[deriv->arg[1]].id, 0, to->err);
}

bool sg_builder_value(sg_builder *to, const sg_deriv *deriv, const as_node_id *node) {
  sg_made_node *made = &to->nodes[deriv->value];
  const sg_value *value = sg_space_value(to->space, deriv->value);
  made->real = value->axes;
  switch (deriv->kind) {
  case SG_D_LOAD: {
    int map[4];
    as_size tile[AS_MAX_RANK];
    as_size upto[AS_MAX_RANK];
    made->real = to->part->axes[deriv->inst];
    for (uint32_t k = 0; k < made->real.rank; k++) {
      if (made->real.ax[k] != SG_UNIT && to->plan->mode[SG_CLASS(made->real.ax[k])] != SG_WHOLE)
        made->real.ax[k] |= 1;
    }
    sg_builder_tile(to, &made->real, tile, upto);
    sg_builder_map(to, &made->real, true, map);
    made->id =
        as_graph_load_upto(to->graph, to->block, NULL, node[deriv->inst], tile, upto, map, to->err);
    break;
  }
  case SG_D_CONST:
    made->id = make_leaf_number(to, deriv->factor);
    break;
  case SG_D_OP:
    made->id = make_op(to, deriv, &made->real);
    break;
  case SG_D_SCALE:
    made->id = make_scale(to, deriv);
    made->real = to->nodes[deriv->arg[0]].real;
    break;
  case SG_D_RUN:
    made->id = sg_builder_max(to, deriv->arg[0]);
    if (made->id != AS_NONE)
      made->id = as_graph_run(to->graph, to->block, NULL, made->id, to->err);
    break;
  case SG_D_ACC:
    if (deriv->acc == AS_ACC_MAX)
      made->id = sg_builder_max(to, deriv->arg[0]);
    else if (deriv->acc == AS_ACC_RESCALE)
      made->id = rescaled(to, deriv);
    else
      made->id = accumulated(to, deriv, &made->real);
    break;
  }
  return made->id != AS_NONE;
}

static sg_stage stage(const sg_space *space, const sg_deriv *deriv) {
  if (deriv->kind == SG_D_LOAD)
    return SG_STAGE_LOAD;
  if (deriv->kind == SG_D_ACC)
    return deriv->acc == AS_ACC_MAX ? SG_STAGE_BODY : SG_STAGE_ACC;
  return sg_space_value(space, deriv->value)->phase == SG_AFTER ? SG_STAGE_AFTER : SG_STAGE_BODY;
}

void sg_builder_init(sg_builder *to) {
  to->nodes = as_calloc(to->space->values.n + 1, sizeof *to->nodes);
  to->maximum = as_malloc((to->space->values.n + 1) * sizeof *to->maximum);
  for (uint32_t i = 0; i < to->space->values.n; i++)
    to->nodes[i].id = to->maximum[i] = AS_NONE;
}

void sg_builder_clear(sg_builder *to) {
  free(to->nodes);
  free(to->maximum);
}

bool sg_builder_stages(sg_builder *to, const sg_recipe *recipe, const bool *wanted, sg_stage first,
                       sg_stage last, const as_node_id *node) {
  for (sg_stage now = first; now <= last; now++) {
    for (uint32_t i = 0; i < recipe->n; i++) {
      const sg_deriv *deriv = sg_space_deriv(to->space, recipe->deriv[i]);
      if (stage(to->space, deriv) == now && (wanted == NULL || wanted[i]) &&
          !sg_builder_value(to, deriv, node))
        return false;
    }
  }
  return true;
}

bool sg_builder_store_outputs(sg_builder *to, const sg_recipe *recipe, as_node_id *node) {
  const sg_part *part = to->part;
  for (uint32_t out = 0; out < recipe->n_goal; out++) {
    uint32_t tensor = part->output[out];
    sg_axes want = part->axes[tensor];
    int map[4];
    for (uint32_t k = 0; k < want.rank; k++) {
      if (want.ax[k] != SG_UNIT && to->plan->mode[SG_CLASS(want.ax[k])] != SG_WHOLE &&
          !sg_is_looped(to->plan, SG_CLASS(want.ax[k])))
        want.ax[k] |= 1;
    }
    as_node_id id = sg_builder_adapt(to, &to->nodes[recipe->goal[out]], &want);
    if (id == AS_NONE)
      return false;
    as_size tile[AS_MAX_RANK];
    as_size upto[AS_MAX_RANK];
    sg_builder_tile(to, &want, tile, upto);
    sg_builder_map(to, &want, false, map);
    node[tensor] =
        as_graph_store_upto(to->graph, to->block, part->g->node[part->tensor[tensor]].name, id,
                            tile, upto, map, to->err);
    if (node[tensor] == AS_NONE)
      return false;
  }
  return true;
}

bool sg_build_block(as_graph *graph, const sg_space *space, const sg_part *part,
                    const sg_plan *plan, const sg_vocab *vocab, const sg_recipe *recipe,
                    as_node_id *node, as_err *err) {
  sg_builder to = {.graph = graph,
                   .space = space,
                   .part = part,
                   .plan = plan,
                   .vocab = vocab,
                   .more = SG_NO_CLASS,
                   .err = err};
  if (!sg_builder_sizes(&to))
    return false;
  sg_builder_init(&to);
  bool built = sg_builder_stages(&to, recipe, NULL, SG_STAGE_LOAD, SG_STAGE_AFTER, node) &&
               sg_builder_store_outputs(&to, recipe, node);
  sg_builder_clear(&to);
  return built;
}
