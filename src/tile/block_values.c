/* Values of a kernel as nodes of its block graph. */
#include "blocks_build.h"
#include <stdlib.h>
#include <string.h>

/* ---- values of a tv_kernel */
static as_node_id bad(tv_builder *b, const as_tile_stmt *stmt, const char *what) {
  tv_fail(b->p, stmt, what);
  return AS_NONE;
}

as_size tv_substituted(const tv_builder *b, as_size size) {
  const tv_kernel *k = b->at;
  for (int i = 0; i < 2 && k->retiled && size != AS_SIZE_BAD; i++)
    size = as_size_subst(b->graph->sizes, size, k->from[i], k->to[i]);
  if (k->divided && size != AS_SIZE_BAD)
    size = as_size_subst(b->graph->sizes, size, k->may_divide, k->to[1]);
  return size;
}

/* an axis d of this extent in the text, where one more axis of the grid divides such axes */
bool tv_divide(const tv_builder *b, as_size extent, uint32_t d, int map[4]) {
  const tv_kernel *k = b->at;
  if (!k->divided || extent != k->may_divide)
    return true;
  if (map[k->n_grid] >= 0)
    return as_err_set(b->p->err, AS_BAD_INPUT, "two axes of one tile would be divided at once");
  map[k->n_grid] = (int)d;
  return true;
}

static uint64_t code_of(const tv_builder *b, uint32_t loop) {
  uint64_t code = 0;
  for (; loop != AS_NONE; loop = TV_LOOP(b->p, loop)->parent)
    code = code * 8 + (uint64_t)(b->axis_of[loop] + 1);
  return code;
}

static void keep_extent(tv_builder *b, int axis, as_size tile) {
  tv_extents *all = &b->tiles[axis];
  for (uint32_t i = 0; i < all->n; i++) {
    if (all->tile[i] == tile)
      return;
  }
  if (all->n < TV_MOST_EXTENTS)
    all->tile[all->n++] = tile;
}

static const as_opdef *operator_named(const tv_builder *b, const char *name) {
  const as_opdef *op = as_oplib_find(b->graph->lib, name);
  if (op == NULL)
    as_err_set(b->p->err, AS_BAD_INPUT, "there is no operator `%s`", name);
  return op;
}

/* op(x, axis), or op(x, y) where y is not AS_NONE */
as_node_id tv_apply(tv_builder *b, const char *name, as_node_id x, as_node_id y, int axis) {
  const as_opdef *op = operator_named(b, name);
  as_node_id arg[2] = {x, y};
  if (op == NULL || x == AS_NONE)
    return AS_NONE;
  as_attr attr;
  as_attr_init(&attr);
  attr.is_size = true;
  attr.size = as_size_int(b->graph->sizes, axis);
  as_node_id node = as_graph_op(b->graph, b->block, NULL, op, arg, y == AS_NONE ? 1 : 2,
                                op->nattrs ? &attr : NULL, b->p->err);
  as_attr_clear(&attr);
  return node;
}

/* the kernel's axes that divide an axis of a tensor; false: not in the order of the kernel's */
bool tv_map_part(tv_builder *b, const tv_part *part, uint32_t d, int map[4]) {
  int last = -1;
  for (uint32_t i = 0; i < part->n; i++) {
    int axis = b->axis_of[part->loop[i]];
    if (axis <= last || map[axis] >= 0)
      return false;
    map[axis] = (int)d;
    last = axis;
  }
  return true;
}

static as_node_id load_from(tv_builder *b, const tv_value *value, as_node_id from) {
  tv_part part[AS_MAX_RANK];
  as_size tile[AS_MAX_RANK];
  int map[4] = {-1, -1, -1, -1};
  uint32_t rank = value->stmt->n_place;
  if (!tv_place(b->p, value->stmt, part))
    return bad(b, value->stmt, "not a tile of the loops around, lane by lane");
  for (uint32_t d = 0; d < rank; d++) {
    tile[d] = tv_substituted(b, part[d].tile);
    if (!tv_map_part(b, &part[d], d, map))
      return bad(b, value->stmt, "the loops divide the tensor in another order");
    if (!tv_divide(b, part[d].tile, d, map))
      return AS_NONE;
    for (uint32_t i = 0; i < part[d].n; i++)
      keep_extent(b, b->axis_of[part[d].loop[i]], tile[d]);
  }
  as_node_id node = as_graph_load(b->graph, b->block, NULL, from, tile, map, b->p->err);
  for (uint32_t d = rank; d-- > 0 && node != AS_NONE;) {
    if (!part[d].has_lane)
      node = tv_apply(b, "squeeze", node, AS_NONE, (int)d);
  }
  return node;
}

static as_node_id forwarded(tv_builder *b, const tv_store *store, const tv_renaming *renaming) {
  int before[TV_MOST_LOOPS];
  memcpy(before, b->axis_of, sizeof before);
  for (uint32_t i = 0; i < renaming->n; i++)
    b->axis_of[renaming->from[i]] = before[renaming->to[i]];
  as_node_id node = tv_make_value(b, store->value);
  memcpy(b->axis_of, before, sizeof before);
  return node;
}

static as_node_id make_load(tv_builder *b, const tv_value *value) {
  const tv_store *store;
  tv_renaming renaming;
  const as_tile_tensor *tensor = &b->p->program->tensor[value->stmt->tensor];
  if (tv_forwards(b->p, value, &store, &renaming))
    return forwarded(b, store, &renaming);
  uint32_t source = value->source;
  as_node_id from =
      source == AS_NONE ? as_graph_find(b->graph, AS_NONE, tensor->name) : b->stored[source];
  if (from == AS_NONE)
    return bad(b, value->stmt, "the tensor is made by no kernel before");
  return load_from(b, value, from);
}

static as_node_id load_cut(tv_builder *b, uint32_t number) {
  const tv_cut *own = TV_CUT(b->p, number);
  as_size tile[AS_MAX_RANK];
  int map[4] = {-1, -1, -1, -1};
  if (own->node == AS_NONE)
    return bad(b, TV_VALUE(b->p, number)->stmt, "what is stored between kernels is not there yet");
  const as_node *node = &b->graph->node[own->node];
  for (uint32_t d = 0; d < node->rank; d++)
    tile[d] = tv_substituted(b, own->tile[d]);
  for (uint32_t i = 0; i < b->p->loops.n; i++) {
    if (own->axis[i] < 0)
      continue;
    if (b->axis_of[i] < 0)
      return bad(b, TV_VALUE(b->p, number)->stmt, "a loop is missing where its value is loaded");
    map[b->axis_of[i]] = own->axis[i];
  }
  for (int axis = 0; axis < 4; axis++) {
    if (map[axis] >= 0)
      keep_extent(b, axis, tile[map[axis]]);
  }
  for (uint32_t d = 0; d < node->rank; d++) {
    if (!tv_divide(b, own->tile[d], d, map))
      return AS_NONE;
  }
  as_node_id loaded = as_graph_load(b->graph, b->block, NULL, own->node, tile, map, b->p->err);
  for (uint32_t i = 0; i < own->bare && loaded != AS_NONE; i++)
    loaded = tv_apply(b, "squeeze", loaded, AS_NONE, 0);
  return loaded;
}

bool tv_set_attributes(tv_builder *b, const tv_value *value, as_attr *attr) {
  const as_tile_expr *call = value->expr;
  for (uint32_t k = 0; k < call->op->nattrs; k++) {
    const as_tile_attr *given = &call->attr[k];
    if (given->scalar) {
      attr[k].is_size = true;
      attr[k].size = tv_substituted(b, tv_size(b->p, given->scalar));
      if (attr[k].size == AS_SIZE_BAD)
        return tv_fail(b->p, value->stmt, "an attribute is no size of the program");
    } else if (given->number) {
      attr[k].is_size = false;
      mpq_set(attr[k].num, *given->number);
    } else {
      as_attr_set(&attr[k], &call->op->attr_default[k]);
    }
  }
  return true;
}

/* the axis along which the loop that sums divides a tile: of one of its tiles' tv_extents */
static int looped_axis(const tv_builder *b, as_node_id id) {
  const as_node *node = &b->graph->node[id];
  for (uint32_t d = node->rank; d-- > 0;) {
    for (uint32_t i = 0; i < b->tiles[TV_LOOP_AXIS].n; i++) {
      if (node->dim[d] == b->tiles[TV_LOOP_AXIS].tile[i])
        return (int)d;
    }
  }
  return -1;
}

static as_node_id exponential_below(tv_builder *b, const tv_value *value, as_node_id x,
                                    as_node_id maximum) {
  as_node_id low = maximum == AS_NONE ? AS_NONE : tv_apply(b, "sub", x, maximum, 0);
  return low == AS_NONE
             ? AS_NONE
             : as_graph_op(b->graph, b->block, NULL, value->expr->op, &low, 1, NULL, b->p->err);
}

/* exp(x) as exp(x - m), m the maximum so far, or that of the loop that was run before */
static as_node_id make_shifted(tv_builder *b, uint32_t number, as_node_id x) {
  const tv_value *value = TV_VALUE(b->p, number);
  uint32_t most = b->p->most[number];
  bool here = b->at->sums == TV_VALUE(b->p, most)->of && b->axis_of[value->loop] == TV_LOOP_AXIS;
  as_node_id maximum;
  int axis;
  if (here) {
    axis = looped_axis(b, x);
    if (axis < 0)
      return bad(b, value->stmt, "no axis of the exponential is the loop's");
    tv_shift own = {.value = number};
    own.most = as_graph_acc(b->graph, b->block, NULL, AS_ACC_MAX,
                            tv_apply(b, "max", x, AS_NONE, axis), AS_NONE, 0, b->p->err);
    own.running =
        own.most == AS_NONE ? AS_NONE : as_graph_run(b->graph, b->block, NULL, own.most, b->p->err);
    as_vec_push(&b->shifts, &own);
    TV_CUT(b->p, most)->folded = axis;
    maximum = own.running;
  } else {
    maximum = load_cut(b, most);
    axis = TV_CUT(b->p, most)->folded;
  }
  if (maximum == AS_NONE)
    return AS_NONE;
  return exponential_below(b, value, x, tv_apply(b, "expand_dims", maximum, AS_NONE, axis));
}

static as_node_id make_call(tv_builder *b, uint32_t number) {
  const tv_value *value = TV_VALUE(b->p, number);
  as_node_id arg[AS_MAX_ARGS];
  as_attr attr[AS_MAX_ATTRS];
  if (tv_is_move(value)) {
    tv_shaped out = tv_shape_value(b, number);
    return out.node == AS_NONE ? AS_NONE : tv_with_ones(b, &out);
  }
  for (uint32_t i = 0; i < value->n_arg; i++) {
    if ((arg[i] = tv_make_value(b, value->arg[i])) == AS_NONE)
      return AS_NONE;
  }
  if (b->p->most[number] != AS_NONE)
    return make_shifted(b, number, arg[0]);
  if (b->p->along[number] != TV_NOT_ALONG)
    return exponential_below(b, value, arg[0],
                             tv_apply(b, "max_keep", arg[0], AS_NONE, b->p->along[number]));
  for (uint32_t k = 0; k < value->expr->op->nattrs; k++)
    as_attr_init(&attr[k]);
  as_node_id node = AS_NONE;
  if (tv_set_attributes(b, value, attr))
    node =
        as_graph_op(b->graph, b->block, NULL, value->expr->op, arg, value->n_arg, attr, b->p->err);
  for (uint32_t k = 0; k < value->expr->op->nattrs; k++)
    as_attr_clear(&attr[k]);
  return node;
}

/* the exponential that a value of the loop is made of: its number in `shifts`, AS_NONE: of none;
 * false: of several */
static bool shift_of(const tv_builder *b, as_node_id id, uint32_t *number) {
  const as_node *node = &b->graph->node[id];
  if (node->kind == AS_N_RUN) {
    for (uint32_t i = 0; i < b->shifts.n; i++) {
      if (AS_VEC_AT(&b->shifts, tv_shift, i).running != id)
        continue;
      if (*number != AS_NONE && *number != i)
        return false;
      *number = i;
    }
    return true;
  }
  if (node->kind != AS_N_OP)
    return true;
  for (uint32_t i = 0; i < node->nargs; i++) {
    if (!shift_of(b, node->arg[i], number))
      return false;
  }
  return true;
}

static as_node_id make_total(tv_builder *b, const tv_value *value) {
  if (b->at->sums != value->of)
    return bad(b, value->stmt, "a sum over another loop than the kernel's");
  int before = b->axis_of[value->of];
  b->axis_of[value->of] = TV_LOOP_AXIS;
  as_node_id term = tv_make_value(b, value->arg[0]);
  b->axis_of[value->of] = before;
  uint32_t number = AS_NONE;
  if (term == AS_NONE)
    return AS_NONE;
  if (!shift_of(b, term, &number))
    return bad(b, value->stmt, "a sum of products of exponentials");
  if (number == AS_NONE)
    return as_graph_acc(b->graph, b->block, NULL, AS_ACC_SUM, term, AS_NONE, 0, b->p->err);
  return as_graph_acc(b->graph, b->block, NULL, AS_ACC_RESCALE, term,
                      AS_VEC_AT(&b->shifts, tv_shift, number).running, 0, b->p->err);
}

/* of an exponential that is summed in this tv_kernel */
static as_node_id make_most(tv_builder *b, const tv_value *value) {
  uint32_t of = value->arg[0];
  uint32_t around[2] = {value->of, TV_VALUE(b->p, of)->loop};
  int before[2] = {b->axis_of[around[0]], b->axis_of[around[1]]};
  b->axis_of[around[0]] = b->axis_of[around[1]] = TV_LOOP_AXIS;
  as_node_id exponential = tv_make_value(b, of);
  b->axis_of[around[1]] = before[1];
  b->axis_of[around[0]] = before[0];
  for (uint32_t i = 0; i < b->shifts.n && exponential != AS_NONE; i++) {
    const tv_shift *own = &AS_VEC_AT(&b->shifts, tv_shift, i);
    if (own->value == of)
      return own->most;
  }
  return exponential == AS_NONE ? AS_NONE : bad(b, value->stmt, "the maximum is of another kernel");
}

static as_node_id make_update(tv_builder *b, const tv_value *value) {
  as_node_id arg[2];
  for (uint32_t i = 0; i < 2; i++) {
    if ((arg[i] = tv_make_value(b, value->arg[i])) == AS_NONE)
      return AS_NONE;
  }
  const as_opdef *op = operator_named(b, "dynamic_update_slice");
  if (op == NULL)
    return AS_NONE;
  as_attr attr[2];
  for (uint32_t i = 0; i < 2; i++) {
    as_attr_init(&attr[i]);
    attr[i].is_size = true;
  }
  attr[0].size = as_size_int(b->graph->sizes, (long)value->axis);
  attr[1].size = tv_substituted(b, value->start);
  as_node_id node = as_graph_op(b->graph, b->block, NULL, op, arg, 2, attr, b->p->err);
  for (uint32_t i = 0; i < 2; i++)
    as_attr_clear(&attr[i]);
  return node;
}

static as_node_id make_number(tv_builder *b, const tv_value *value) {
  if (value->expr->kind == AS_TILE_NUMBER)
    return as_graph_const(b->graph, value->expr->number->num);
  as_size size = tv_tied(b->p, (as_size)value->expr->id);
  return as_graph_size_const(b->graph, tv_substituted(b, size));
}

as_node_id tv_make_value(tv_builder *b, uint32_t number) {
  const tv_value *value = TV_VALUE(b->p, number);
  uint64_t code = code_of(b, value->loop);
  for (uint32_t i = 0; i < b->made.n; i++) {
    const tv_made *known = &AS_VEC_AT(&b->made, tv_made, i);
    if (known->value == number && known->code == code)
      return known->node;
  }
  tv_made result = {number, code, AS_NONE};
  if (TV_CUT(b->p, number)->is && !tv_is_own(b, false, number))
    result.node = load_cut(b, number);
  else if (value->kind == TV_NUMBER)
    result.node = make_number(b, value);
  else if (value->kind == TV_LOAD)
    result.node = make_load(b, value);
  else if (value->kind == TV_CALL)
    result.node = make_call(b, number);
  else if (value->kind == TV_TOTAL)
    result.node = make_total(b, value);
  else if (value->kind == TV_UPDATE)
    result.node = make_update(b, value);
  else if (value->kind == TV_MOST)
    result.node = make_most(b, value);
  else
    bad(b, value->stmt, "this has no form in a block graph");
  as_vec_push(&b->made, &result);
  return result.node;
}
