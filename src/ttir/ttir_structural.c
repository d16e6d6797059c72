/* Shapes, program ids, memory. */
#include "ttir_control.h"
#include "ttir_lift.h"
#include <stdlib.h>
#include <string.h>

/* ---- shapes: the result's element at its lanes is the operand's at others */

static bool view_result(ttir_lift *lift, const as_ttir_op *op, ttir_node *const *lane) {
  lift->value[op->result[0]] = ttir_view_lifted(lift, ttir_operand(lift, op, 0), lane);
  return true;
}

static bool misfit(ttir_lift *lift, const as_ttir_op *op) {
  return ttir_refuse(lift, op, "its operands and results do not fit together");
}

static bool lift_range(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  int64_t from;
  int64_t to;
  if (!as_ttir_number_of(op, "start", &from) || !as_ttir_number_of(op, "end", &to))
    return ttir_refuse(lift, op, "without a start or an end");
  const as_ttir_type *type = ttir_type_of(lift, op->result[0]);
  bool are_short = from >= INT32_MIN && to <= INT32_MAX && from <= to;
  if (!are_short || type->rank != 1 || to - from != type->dim[0])
    return ttir_refuse(lift, op, "of another extent than its type says");
  ttir_node *lane[AS_TTIR_MAX_RANK];
  ttir_own_lanes(lift, type, lane);
  return ttir_result(lift, op,
                     ttir_arith(lift->mem, TTIR_N_ADD, ttir_integer(lift->mem, from), lane[0]));
}

static bool lift_splat(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  if (ttir_type_of(lift, op->operand[0])->rank > 0)
    return misfit(lift, op);
  return view_result(lift, op, NULL);
}

static bool lift_expand(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  const as_ttir_type *type = ttir_type_of(lift, op->result[0]);
  int64_t axis;
  if (!as_ttir_number_of(op, "axis", &axis) || axis < 0 || axis >= type->rank)
    return ttir_refuse(lift, op, "an axis that the result does not have");
  const as_ttir_type *from = ttir_type_of(lift, op->operand[0]);
  ttir_node *own[AS_TTIR_MAX_RANK];
  ttir_node *lane[AS_TTIR_MAX_RANK];
  ttir_own_lanes(lift, type, own);
  uint32_t n = 0;
  bool fits = type->dim[axis] == 1 && from->rank + 1 == type->rank;
  for (uint32_t i = 0; fits && i < type->rank; i++) {
    if (i == axis)
      continue;
    fits = from->dim[n] == type->dim[i];
    lane[n++] = own[i];
  }
  if (!fits)
    return misfit(lift, op);
  return view_result(lift, op, lane);
}

static bool lift_broadcast(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  const as_ttir_type *from = ttir_type_of(lift, op->operand[0]);
  const as_ttir_type *to = ttir_type_of(lift, op->result[0]);
  if (from->rank != to->rank)
    return ttir_refuse(lift, op, "between different numbers of axes");
  ttir_node *lane[AS_TTIR_MAX_RANK];
  ttir_own_lanes(lift, to, lane);
  for (uint32_t i = 0; i < to->rank; i++) {
    if (from->dim[i] != to->dim[i] && from->dim[i] != 1)
      return ttir_refuse(lift, op, "of an axis of several elements");
    if (from->dim[i] == 1)
      lane[i] = ttir_integer(lift->mem, 0);
  }
  return view_result(lift, op, lane);
}

static bool lift_transpose(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  const char *order = as_ttir_attribute_of(op, "order");
  const as_ttir_type *type = ttir_type_of(lift, op->result[0]);
  const as_ttir_type *from = ttir_type_of(lift, op->operand[0]);
  order = order ? strchr(order, ':') : NULL;
  if (!order || from->rank != type->rank)
    return ttir_refuse(lift, op, "without an order");
  ttir_node *own[AS_TTIR_MAX_RANK];
  ttir_node *lane[AS_TTIR_MAX_RANK] = {0};
  ttir_own_lanes(lift, type, own);
  for (uint32_t i = 0; i < type->rank; i++) {
    char *end;
    unsigned long axis = strtoul(order + 1, &end, 10);
    if (end == order + 1 || axis >= type->rank || lane[axis] || from->dim[axis] != type->dim[i])
      return ttir_refuse(lift, op, "its order is no order of the axes");
    lane[axis] = own[i];
    order = end;
  }
  return view_result(lift, op, lane);
}

static __int128 elements_of(const as_ttir_type *type) {
  __int128 elements = 1;
  for (uint32_t i = 0; i < type->rank && elements < TTIR_MOST; i++)
    elements *= type->dim[i];
  return elements;
}

/* the position of an element in a row-major tensor of this type */
static ttir_node *row_major(ttir_lift *lift, const as_ttir_type *type, ttir_node *const *lane) {
  ttir_node *position = ttir_integer(lift->mem, 0);
  for (uint32_t i = 0; i < type->rank; i++) {
    ttir_node *extent = ttir_integer(lift->mem, type->dim[i]);
    position = ttir_arith(lift->mem, TTIR_N_MUL, position, extent);
    position = ttir_arith(lift->mem, TTIR_N_ADD, position, lane[i]);
  }
  return position;
}

/* Is the value read by reductions of its only axis alone, for which the order of its elements is
 * nothing? */
static bool is_only_reduced(const ttir_lift *lift, uint32_t value, const as_ttir_region *region) {
  for (uint32_t i = 0; i < region->n_op; i++) {
    const as_ttir_op *op = region->op[i];
    for (uint32_t k = 0; k < op->n_operand; k++) {
      if (op->operand[k] == value && !ttir_is_in_any_order(lift, op))
        return false;
    }
    for (uint32_t k = 0; k < op->n_region; k++) {
      if (!is_only_reduced(lift, value, &op->region[k]))
        return false;
    }
  }
  return true;
}

static bool lift_reshape(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  const as_ttir_type *from = ttir_type_of(lift, op->operand[0]);
  const as_ttir_type *to = ttir_type_of(lift, op->result[0]);
  bool reorders = as_ttir_attribute_of(op, "allow_reorder") != NULL;
  for (uint32_t i = 0; i < op->n_word; i++)
    reorders |= strcmp(op->word[i], "allow_reorder") == 0;
  bool any = to->rank == 1 && is_only_reduced(lift, op->result[0], &lift->kernel->body);
  if (reorders && !any)
    return ttir_refuse(lift, op, "in an order that is left open");
  if (elements_of(from) != elements_of(to))
    return misfit(lift, op);
  ttir_node *own[AS_TTIR_MAX_RANK];
  ttir_node *lane[AS_TTIR_MAX_RANK];
  ttir_own_lanes(lift, to, own);
  ttir_node *position = row_major(lift, to, own);
  for (uint32_t i = from->rank; i-- > 0;) {
    ttir_node *extent = ttir_integer(lift->mem, from->dim[i]);
    lane[i] = ttir_arith(lift->mem, TTIR_N_MOD, position, extent);
    position = ttir_arith(lift->mem, TTIR_N_DIV, position, extent);
  }
  return view_result(lift, op, lane);
}

/* is the one type the other with a last axis of two elements? */
static bool is_pair(const as_ttir_type *pair, const as_ttir_type *of) {
  as_ttir_type without = *pair;
  without.rank = pair->rank > 0 ? pair->rank - 1 : 0;
  return pair->rank > 0 && pair->dim[without.rank] == 2 && ttir_same_type(&without, of);
}

/* a new last axis of two elements: the first operand, the second */
static bool lift_join(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  const as_ttir_type *type = ttir_type_of(lift, op->result[0]);
  bool truth = ttir_is_truth(type);
  for (uint32_t i = 0; i < 2; i++) {
    if (!is_pair(type, ttir_type_of(lift, op->operand[i])))
      return misfit(lift, op);
  }
  if (type->kind == AS_TTIR_POINTER &&
      ttir_operand(lift, op, 0)->argument != ttir_operand(lift, op, 1)->argument)
    return ttir_refuse(lift, op, "of pointers to different arguments");
  ttir_node *lane[AS_TTIR_MAX_RANK];
  ttir_own_lanes(lift, type, lane);
  ttir_node *first =
      ttir_compare(lift->mem, TTIR_N_EQUAL, lane[type->rank - 1], ttir_integer(lift->mem, 0));
  lift->value[op->result[0]] =
      ttir_choose(lift, first, ttir_operand(lift, op, 0), ttir_operand(lift, op, 1), truth);
  return true;
}

static bool lift_split(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  for (uint32_t part = 0; part < 2; part++) {
    const as_ttir_type *type = ttir_type_of(lift, op->result[part]);
    if (!is_pair(ttir_type_of(lift, op->operand[0]), type))
      return misfit(lift, op);
    ttir_node *lane[AS_TTIR_MAX_RANK];
    ttir_own_lanes(lift, type, lane);
    lane[type->rank] = ttir_integer(lift->mem, part);
    lift->value[op->result[part]] = ttir_view_lifted(lift, ttir_operand(lift, op, 0), lane);
  }
  return true;
}

/* ---- the grid */

static int axis_of(const as_ttir_op *op) {
  return op->n_word > 0 && strlen(op->word[0]) == 1 ? op->word[0][0] - 'x' : -1;
}

static bool lift_program_id(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  int axis = axis_of(op);
  if (axis < 0 || axis > 2)
    return ttir_refuse(lift, op, "an axis that a grid does not have");
  ttir_node *count = ttir_grid(lift, axis);
  if (!count)
    return false;
  if (ttir_is_integer(count, 1))
    return ttir_result(lift, op, ttir_integer(lift->mem, 0));
  char *name = as_format("pid%d", axis);
  ttir_node *id = ttir_name(lift->mem, name, 0, count->hi - 1);
  id->below = ttir_arith(lift->mem, TTIR_N_SUB, count, ttir_integer(lift->mem, 1));
  free(name);
  id = ttir_in_type(lift, op, id, 32);
  return id && ttir_result(lift, op, id);
}

static bool lift_num_programs(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  int axis = axis_of(op);
  if (axis < 0 || axis > 2)
    return ttir_refuse(lift, op, "an axis that a grid does not have");
  ttir_node *count = ttir_grid(lift, axis);
  count = count ? ttir_in_type(lift, op, count, 32) : NULL;
  return count && ttir_result(lift, op, count);
}

/* ---- memory */

static bool lift_pointer(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  ttir_lifted moved = *ttir_operand(lift, op, 0);
  moved.value = ttir_arith(lift->mem, TTIR_N_ADD, moved.value, ttir_operand(lift, op, 1)->value);
  lift->value[op->result[0]] = moved;
  return true;
}

/* `X[position]` where the mask holds, in a tensor of several axes by its dense strides; lives in
 * the arena */
static const char *place(ttir_lift *lift, uint32_t argument, ttir_node *position, ttir_node *mask) {
  const char *own = lift->kernel->value[lift->kernel->body.argument[argument]].name;
  const as_ttir_argument *given = ttir_launched(lift, own);
  as_str text;
  as_str_init(&text);
  as_str_printf(&text, "%s[", lift->tensor[argument]);
  ttir_node *at[AS_TTIR_MAX_RANK];
  for (uint32_t i = given->rank; i-- > 0;) {
    ttir_node *extent = ttir_size(lift, given->dim[i], given->name);
    ttir_node *quotient = NULL;
    if (i == 0) {
      at[i] = position;
    } else if (ttir_split_place(lift->mem, position, extent, mask, &quotient, &at[i])) {
      position = quotient;
    } else {
      at[i] = ttir_arith(lift->mem, TTIR_N_MOD, position, extent);
      position = ttir_arith(lift->mem, TTIR_N_DIV, position, extent);
    }
  }
  for (uint32_t i = 0; i < given->rank; i++)
    as_str_printf(&text, "%s%s", i ? ", " : "", ttir_print(lift->mem, at[i]));
  as_str_add(&text, "]");
  char *whole = as_str_take(&text);
  const char *kept = as_arena_strdup(lift->mem, whole);
  free(whole);
  return kept;
}

/* ` where c`, or nothing where the mask always holds */
static const char *where(ttir_lift *lift, const ttir_node *mask) {
  if (mask->kind == TTIR_N_TRUE)
    return "";
  char *text = as_format(" where %s", ttir_print(lift->mem, mask));
  const char *kept = as_arena_strdup(lift->mem, text);
  free(text);
  return kept;
}

/* a truth as the number that it is stored as */
static ttir_node *stored_number(ttir_lift *lift, ttir_node *value) {
  if (value && value->sort != TTIR_TRUTH)
    return value;
  return ttir_if(lift->mem, value, ttir_integer(lift->mem, 1), ttir_integer(lift->mem, 0));
}

/* Where the mask holds and the position is computed beyond its type the kernel goes elsewhere: what
 * is loaded or stored there has no value.  The position within its type, and where it is not. */
static ttir_node *position_in_type(ttir_lift *lift, ttir_node *position, ttir_node *mask,
                                   ttir_node **leaves) {
  *leaves = ttir_and(lift->mem, mask, ttir_leaves_type(lift->mem, position));
  return *leaves ? ttir_in_types(lift->mem, position) : position;
}

/* What is loaded where the mask holds, and `other` elsewhere; NULL: no value there. */
static bool load(ttir_lift *lift, const as_ttir_op *op, uint32_t argument, ttir_node *position,
                 ttir_node *mask, const ttir_lifted *other) {
  const as_ttir_value *of = &lift->kernel->value[op->result[0]];
  const as_ttir_type *type = ttir_extents(lift, &of->type);
  bool real = of->type.kind == AS_TTIR_FLOAT;
  ttir_lifted *result = &lift->value[op->result[0]];
  ttir_node *leaves = NULL;
  lift->loaded[argument] = true;
  if (mask)
    position = position_in_type(lift, position, mask, &leaves);
  if (mask)
    ttir_happens(lift, TTIR_LOADS, op, argument, position, mask, type);
  if (!mask) { /* never: nothing is read */
    *result = other ? *other : (ttir_lifted){.known = false};
    return true;
  }
  const char *name = ttir_fresh(lift, of->name);
  bool masked = mask->kind != TTIR_N_TRUE;
  if (masked)
    position = ttir_under(lift->mem, position, mask);
  bool unread = masked && !other && ttir_lanes_unread(lift, op);
  /* a given program says itself where it has no value; of another that is asked */
  bool none = masked && !other && !unread && lift->launch->given;
  ttir_node *lacks = masked && other ? ttir_lacks(lift, other->value) : NULL;
  ttir_node *elsewhere = lacks             ? stored_number(lift, ttir_filled(lift, other->value))
                         : masked && other ? stored_number(lift, other->value)
                                           : NULL;
  const char *instead = elsewhere ? ttir_print(lift->mem, elsewhere) : unread || none ? "0" : "";
  ttir_line(lift, "load %s%s = %s%s%s%s", name, ttir_over(lift, type),
            place(lift, argument, position, mask), where(lift, mask), *instead ? " else " : "",
            instead);
  ttir_sort sort = real ? TTIR_REAL : TTIR_INTEGER;
  ttir_node *tile = ttir_element(lift, sort, name, type);
  tile->absent = (masked && !other && !unread && !none) || ttir_reads_absent(position) ||
                 ttir_reads_absent(mask) || (masked && other && ttir_reads_absent(other->value));
  *result = (ttir_lifted){.value = tile, .known = true};
  if (!real) {
    uint32_t bits = of->type.bits;
    tile->lo = bits >= 63 ? TTIR_LEAST : -((int64_t)1 << (bits - 1));
    tile->hi = bits >= 63 ? TTIR_MOST : ((int64_t)1 << (bits - 1)) - 1;
    if (bits == 1)
      result->value = ttir_compare(lift->mem, TTIR_N_EQUAL, tile, ttir_integer(lift->mem, 1));
  }
  result->value = ttir_lacking(lift, result->value, leaves);
  if (none)
    result->value = ttir_lacking(lift, result->value, ttir_not(lift->mem, mask));
  if (lacks)
    result->value =
        ttir_lacking(lift, result->value, ttir_and(lift->mem, ttir_not(lift->mem, mask), lacks));
  if (other && masked) {
    ttir_node *outside = ttir_not(lift->mem, mask);
    result->low = ttir_and(lift->mem, outside, other->low);
    result->high = ttir_and(lift->mem, outside, other->high);
  }
  return true;
}

/* is it what a pointer of this type points to? */
static bool is_pointed_to(const as_ttir_type *pointer, const as_ttir_type *type) {
  bool floating = type->kind == AS_TTIR_FLOAT;
  return (floating || type->kind == AS_TTIR_INT) && floating == pointer->floating &&
         type->bits == pointer->bits && type->brain == pointer->brain &&
         ttir_same_shape(type, pointer);
}

/* is operand number `i`, if there is one, a truth for each lane? */
static bool is_mask(const ttir_lift *lift, const as_ttir_op *op, uint32_t i,
                    const as_ttir_type *type) {
  const as_ttir_type *mask = i < op->n_operand ? ttir_type_of(lift, op->operand[i]) : NULL;
  return !mask || (ttir_is_truth(mask) && ttir_same_shape(mask, type));
}

static bool lift_load(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  if (op->n_operand == 0 || ttir_type_of(lift, op->operand[0])->kind != AS_TTIR_POINTER)
    return ttir_refuse(lift, op, "of something that is no pointer");
  const as_ttir_type *type = ttir_type_of(lift, op->result[0]);
  if (op->n_operand > 3 || !is_pointed_to(ttir_type_of(lift, op->operand[0]), type) ||
      !is_mask(lift, op, 1, type) ||
      (op->n_operand > 2 && !ttir_same_type(ttir_type_of(lift, op->operand[2]), type)))
    return misfit(lift, op);
  const ttir_lifted *pointer = ttir_operand(lift, op, 0);
  ttir_node *mask = op->n_operand > 1 ? ttir_operand(lift, op, 1)->value : ttir_true(lift->mem);
  return load(lift, op, pointer->argument, pointer->value, ttir_and(lift->mem, mask, lift->guard),
              op->n_operand > 2 ? ttir_operand(lift, op, 2) : NULL);
}

static bool store(ttir_lift *lift, const as_ttir_op *op, const as_ttir_type *type,
                  uint32_t argument, ttir_node *position, ttir_node *mask,
                  const ttir_lifted *value) {
  lift->stored[argument] = true;
  if (!mask)
    return true;
  ttir_node *leaves;
  position = position_in_type(lift, position, mask, &leaves);
  ttir_happens(lift, TTIR_STORES, op, argument, position, mask, type);
  ttir_node *number = ttir_lacking(lift, stored_number(lift, ttir_finite(lift, value)), leaves);
  if (mask->kind != TTIR_N_TRUE)
    position = ttir_under(lift->mem, position, mask);
  if (mask->kind != TTIR_N_TRUE && ttir_is_partial(number))
    number = ttir_under(lift->mem, number, mask);
  ttir_line(lift, "store %s = %s over %s%s", place(lift, argument, position, mask),
            ttir_print(lift->mem, number), ttir_over(lift, type), where(lift, mask));
  return true;
}

static bool lift_store(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  if (op->n_operand < 2 || ttir_type_of(lift, op->operand[0])->kind != AS_TTIR_POINTER)
    return ttir_refuse(lift, op, "to something that is no pointer");
  const as_ttir_type *type = ttir_type_of(lift, op->operand[1]);
  if (op->n_operand > 3 || !is_pointed_to(ttir_type_of(lift, op->operand[0]), type) ||
      !is_mask(lift, op, 2, type))
    return misfit(lift, op);
  const ttir_lifted *pointer = ttir_operand(lift, op, 0);
  ttir_node *mask = op->n_operand > 2 ? ttir_operand(lift, op, 2)->value : ttir_true(lift->mem);
  if (op->n_operand > 2) {
    ttir_mask *seen = &lift->mask[op->operand[2]];
    bool always = mask && mask->kind == TTIR_N_TRUE && *seen != TTIR_SOMETIMES;
    *seen = always ? TTIR_ALWAYS : TTIR_SOMETIMES;
  }
  return store(lift, op, type, pointer->argument, pointer->value,
               ttir_and(lift->mem, mask, lift->guard), ttir_operand(lift, op, 1));
}

static bool is_index(const ttir_lift *lift, const as_ttir_op *op, uint32_t i) {
  const as_ttir_type *type = ttir_type_of(lift, op->operand[i]);
  return type->kind == AS_TTIR_INT && !ttir_is_truth(type) && type->rank == 0;
}

/* is the block's type what the descriptor says, and are its indices integers? */
static bool is_block(const ttir_lift *lift, const as_ttir_op *op, const as_ttir_type *type) {
  as_ttir_type of = *ttir_type_of(lift, op->operand[0]);
  bool fits = of.floating == (type->kind == AS_TTIR_FLOAT) && of.bits == type->bits &&
              of.brain == type->brain && ttir_same_shape(&of, type);
  for (uint32_t i = 0; fits && i < type->rank; i++)
    fits = is_index(lift, op, 1 + i);
  return fits;
}

static bool lift_descriptor(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  uint32_t rank = ttir_type_of(lift, op->result[0])->rank;
  for (uint32_t i = 1; i < op->n_operand; i++) {
    if (!is_index(lift, op, i))
      return misfit(lift, op);
  }
  if (op->n_operand != 1 + 2 * rank)
    return ttir_refuse(lift, op, "of another form than base, extents, strides");
  int64_t padding = 1;
  if (as_ttir_attribute_of(op, "padding") &&
      (!as_ttir_number_of(op, "padding", &padding) || padding != 1))
    return ttir_refuse(lift, op, "with something else than zeros outside of its extents");
  ttir_lifted descriptor = *ttir_operand(lift, op, 0);
  descriptor.descriptor = op;
  lift->value[op->result[0]] = descriptor;
  return true;
}

/* position and mask of the block at the indices that are operands first.. of `op` */
static ttir_node *block_position(ttir_lift *lift, const as_ttir_op *op, const as_ttir_type *type,
                                 uint32_t first, ttir_node **mask) {
  const ttir_lifted *descriptor = ttir_operand(lift, op, 0);
  const as_ttir_op *made = descriptor->descriptor;
  ttir_node *lane[AS_TTIR_MAX_RANK];
  ttir_own_lanes(lift, type, lane);
  ttir_node *position = descriptor->value;
  *mask = lift->guard;
  for (uint32_t i = 0; i < type->rank; i++) {
    ttir_node *extent = ttir_operand(lift, made, 1 + i)->value;
    ttir_node *stride = ttir_operand(lift, made, 1 + type->rank + i)->value;
    ttir_node *start = ttir_operand(lift, op, first + i)->value;
    ttir_node *at = ttir_arith(lift->mem, TTIR_N_ADD, start, lane[i]);
    ttir_node *zero = ttir_integer(lift->mem, 0);
    *mask = ttir_and(lift->mem, *mask, ttir_compare(lift->mem, TTIR_N_AT_MOST, zero, at));
    *mask = ttir_and(lift->mem, *mask, ttir_compare(lift->mem, TTIR_N_LESS, at, extent));
    position =
        ttir_arith(lift->mem, TTIR_N_ADD, position, ttir_arith(lift->mem, TTIR_N_MUL, at, stride));
  }
  return position;
}

static bool lift_block_load(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  const as_ttir_type *type = ttir_type_of(lift, op->result[0]);
  if (op->n_operand != 1 + type->rank || !ttir_operand(lift, op, 0)->descriptor)
    return ttir_refuse(lift, op, "of another form than a descriptor and its indices");
  if (!is_block(lift, op, type))
    return misfit(lift, op);
  ttir_node *mask;
  ttir_node *position = block_position(lift, op, type, 1, &mask);
  bool real = type->kind == AS_TTIR_FLOAT;
  ttir_node *none = real ? ttir_real(lift->mem, "0") : ttir_integer(lift->mem, 0);
  ttir_lifted zero = {.value = none, .known = true};
  return load(lift, op, ttir_operand(lift, op, 0)->argument, position, mask, &zero);
}

static bool lift_block_store(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  /* the value is printed last: `descriptor_store d[i, j], v` */
  uint32_t last = op->n_operand - 1;
  const as_ttir_type *type = ttir_type_of(lift, op->operand[last]);
  if (op->n_operand != 2 + type->rank || !ttir_operand(lift, op, 0)->descriptor)
    return ttir_refuse(lift, op, "of another form than a descriptor, its indices, a value");
  if (!is_block(lift, op, type))
    return misfit(lift, op);
  ttir_node *mask;
  ttir_node *position = block_position(lift, op, type, 1, &mask);
  return store(lift, op, type, ttir_operand(lift, op, 0)->argument, position, mask,
               ttir_operand(lift, op, last));
}

/* A tile that has values where the assertion holds: where it fails the kernel is not defined. */
static bool lift_assert(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  ttir_node *fails =
      ttir_and(lift->mem, lift->guard, ttir_not(lift->mem, ttir_operand(lift, op, 0)->value));
  if (!fails)
    return true;
  ttir_node *zero = ttir_real(lift->mem, "0");
  ttir_node *divisor = ttir_if(lift->mem, fails, zero, ttir_real(lift->mem, "1"));
  ttir_make(lift, "asserted", ttir_type_of(lift, op->operand[0]),
            ttir_arith(lift->mem, TTIR_N_DIVIDE, zero, divisor));
  return true;
}

static bool lift_barrier(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  if (lift->guard->kind == TTIR_N_TRUE) /* in a branch it may not be executed */
    ttir_happens(lift, TTIR_WAITS, op, 0, NULL, NULL, NULL);
  return true;
}

static bool lift_nothing(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)lift;
  (void)op;
  (void)code;
  return true;
}

/* A sum into memory of which nobody reads what was there: in whatever order instances add, over
 * real numbers the sum is the same, so they are taken one after another (ttir_lift.c). */
static bool lift_atomic(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  bool adds = strcmp(op->name, "tt.atomic_rmw") == 0 && op->n_word > 0 &&
              strcmp(op->word[0], "fadd") == 0 && op->n_result == 1 &&
              lift->kernel->value[op->result[0]].uses == 0;
  if (!adds)
    return ttir_refuse(lift, op, "updates by several instances in an order that is left open");
  const as_ttir_type *type = ttir_type_of(lift, op->result[0]);
  if (op->n_operand < 2 || op->n_operand > 3 || type->kind != AS_TTIR_FLOAT ||
      !is_pointed_to(ttir_type_of(lift, op->operand[0]), type) ||
      !ttir_same_type(ttir_type_of(lift, op->operand[1]), type) || !is_mask(lift, op, 2, type))
    return misfit(lift, op);
  const ttir_lifted *pointer = ttir_operand(lift, op, 0);
  const ttir_lifted *more = ttir_operand(lift, op, 1);
  ttir_node *mask = op->n_operand > 2 ? ttir_operand(lift, op, 2)->value : ttir_true(lift->mem);
  mask = ttir_and(lift->mem, mask, lift->guard);
  lift->updated[pointer->argument] = true;
  lift->update = op;
  if (!mask)
    return true;
  ttir_node *leaves;
  ttir_node *position = position_in_type(lift, pointer->value, mask, &leaves);
  ttir_happens(lift, TTIR_STORES, op, pointer->argument, position, mask, type);
  position = ttir_under(lift->mem, position, mask);
  const char *here = place(lift, pointer->argument, position, mask);
  const char *before = ttir_fresh(lift, "before");
  ttir_line(lift, "load %s%s = %s%s", before, ttir_over(lift, type), here, where(lift, mask));
  ttir_node *old = ttir_element(lift, TTIR_REAL, before, type);
  ttir_node *sum = ttir_arith(lift->mem, TTIR_N_ADD, old, ttir_finite(lift, more));
  sum = ttir_lacking(lift, sum, leaves);
  ttir_line(lift, "store %s = %s over %s%s", here, ttir_print(lift->mem, sum),
            ttir_over(lift, type), where(lift, mask));
  return true;
}

static bool lift_bits(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  return ttir_refuse(lift, op, "random numbers: the bits of a product have no meaning here");
}

const ttir_row ttir_structural[] = {
    {"tt.make_range", lift_range, 0, "", "i", TTIR_OTHER},
    {"tt.splat", lift_splat, 0, ".", "=", TTIR_MOVES},
    {"tt.expand_dims", lift_expand, 0, ".", "=", TTIR_MOVES},
    {"tt.broadcast", lift_broadcast, 0, ".", "=", TTIR_MOVES},
    {"tt.trans", lift_transpose, 0, ".", "=", TTIR_MOVES},
    {"tt.reshape", lift_reshape, 0, ".", "=", TTIR_MOVES},
    {"tt.join", lift_join, 0, ".=", "=", TTIR_MOVES},
    {"tt.split", lift_split, 0, ".", "==", TTIR_MOVES},
    {"tt.get_program_id", lift_program_id, 0, "", "i", TTIR_OTHER},
    {"tt.get_num_programs", lift_num_programs, 0, "", "i", TTIR_OTHER},
    {"tt.addptr", lift_pointer, 0, "pn", "=", TTIR_LANE_WISE},
    {"tt.load", lift_load, 0, ".*", ".", TTIR_GETS},
    {"tt.store", lift_store, 0, ".*", "", TTIR_PUTS},
    {"tt.make_tensor_descriptor", lift_descriptor, 0, "p*", "d", TTIR_OTHER},
    {"tt.descriptor_load", lift_block_load, 0, "d*", ".", TTIR_OTHER},
    {"tt.descriptor_store", lift_block_store, 0, "d*", "", TTIR_OTHER},
    {"tt.assert", lift_assert, 0, "t", "", TTIR_ASSERTS},
    {"gpu.barrier", lift_barrier, 0, "", "", TTIR_OTHER},
    {"tt.print", lift_nothing, 0, "*", "", TTIR_OTHER},
    {"tt.return", lift_nothing, 0, "", "", TTIR_OTHER},
    {"tt.atomic_rmw", lift_atomic, 0, "*", "*", TTIR_UPDATES},
    {"tt.atomic_cas", lift_atomic, 0, "*", "*", TTIR_OTHER},
    {"tt.mulhiui", lift_bits, 0, "*", "*", TTIR_OTHER},
    {"tt.dot", ttir_lift_dot, 0, "...", ".", TTIR_MULTIPLIES},
    {"tt.reduce", ttir_lift_reduce, 0, ".*", ".*", TTIR_FOLDS},
    {"tt.scan", ttir_lift_scan, 0, ".*", ".*", TTIR_FOLDS},
    {"scf.for", ttir_lift_for, 0, "n==*", "*", TTIR_REPEATS},
    {"scf.if", ttir_lift_if, 0, "t", "*", TTIR_OTHER},
    {"scf.yield", lift_nothing, 0, "*", "", TTIR_OTHER},
    {"tt.reduce.return", lift_nothing, 0, "*", "", TTIR_OTHER},
    {"tt.scan.return", lift_nothing, 0, "*", "", TTIR_OTHER},
    {NULL, NULL, 0, NULL, NULL, TTIR_OTHER},
};
