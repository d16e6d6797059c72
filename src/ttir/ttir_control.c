/* Loops become loops that carry tiles, branches become choices, reductions become reductions where
 * what they combine by is known, and loops where it is not. */
#include "ttir_control.h"
#include <stdlib.h>
#include <string.h>

/* ---- what a loop carries */

enum { MOST_CARRIED = 64 };

/* A value that goes from one iteration to the next: up to three tiles. */
typedef struct {
  ttir_node *value;
  ttir_node *low;
  ttir_node *high;
} carried;

static void carry(ttir_lift *lift, const char *name, const as_ttir_type *type, ttir_node *first,
                  ttir_node **tile, as_str *text) {
  type = ttir_extents(lift, type);
  const ttir_node *made = ttir_make(lift, name, type, first);
  const char *own = ttir_fresh(lift, name);
  *tile = ttir_element(lift, made->sort, own, type);
  as_str_printf(text, "%*scarry %s = %s\n", 2 * lift->depth + 2, "", own, made->text);
}

/* the tiles of one carried value; those of infinities where it may be infinite */
static carried carry_value(ttir_lift *lift, const char *name, const as_ttir_type *type,
                           const ttir_lifted *first, bool low, bool high, as_str *text) {
  carried tiles = {0};
  carry(lift, name, type, first->value, &tiles.value, text);
  if (low)
    carry(lift, name, type, first->low, &tiles.low, text);
  if (high)
    carry(lift, name, type, first->high, &tiles.high, text);
  return tiles;
}

static const as_ttir_op *last_op(const as_ttir_region *region) {
  return region->n_op > 0 ? region->op[region->n_op - 1] : NULL;
}

/* `next` of all that is carried is computed before any of it changes, so the tiles of all come
 * first */
static void write_next(ttir_lift *lift, uint32_t n, const as_ttir_type *const *type,
                       const carried *tiles, const ttir_lifted *yielded) {
  const ttir_node *made[3 * MOST_CARRIED];
  uint32_t k = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ttir_node *of[3] = {tiles[i].value, tiles[i].low, tiles[i].high};
    const ttir_node *value[3] = {yielded[i].value, yielded[i].low, yielded[i].high};
    for (int part = 0; part < 3; part++) {
      if (of[part])
        made[k++] = ttir_make(lift, of[part]->text, type[i], value[part]);
    }
  }
  k = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ttir_node *of[3] = {tiles[i].value, tiles[i].low, tiles[i].high};
    for (int part = 0; part < 3; part++) {
      if (of[part])
        ttir_line(lift, "next %s = %s", of[part]->text, made[k++]->text);
    }
  }
}

/* how much has been written: to go back to when a loop has to be written again */
typedef struct {
  size_t out;
  size_t assumptions;
} mark;

static mark mark_here(const ttir_lift *lift) {
  return (mark){lift->out.n, lift->assumptions.n};
}

static void go_back(ttir_lift *lift, mark to) {
  lift->out.n = to.out;
  lift->assumptions.n = to.assumptions;
  if (lift->out.s)
    lift->out.s[to.out] = 0;
  if (lift->assumptions.s)
    lift->assumptions.s[to.assumptions] = 0;
}

/* One attempt at a loop; `low` and `high` say which carried values may be infinite, and are widened
 * by what the body yields.  *again: they were. */
static bool write_for(ttir_lift *lift, const as_ttir_op *op, bool *low, bool *high, bool *again) {
  const as_ttir_region *body = &op->region[0];
  const as_ttir_kernel *kernel = lift->kernel;
  uint32_t n = body->n_argument - 1;
  carried tiles[MOST_CARRIED];
  const as_ttir_type *type[MOST_CARRIED];
  ttir_lifted yielded[MOST_CARRIED];
  as_str carries;
  as_str_init(&carries);
  for (uint32_t i = 0; i < n; i++) {
    const as_ttir_value *of = &kernel->value[body->argument[i + 1]];
    type[i] = &of->type;
    const ttir_lifted *first = ttir_operand(lift, op, i + 3);
    tiles[i] = carry_value(lift, of->name, &of->type, first, low[i], high[i], &carries);
    ttir_lifted *inside = &lift->value[body->argument[i + 1]];
    *inside = *first;
    inside->value = tiles[i].value;
    inside->low = tiles[i].low;
    inside->high = tiles[i].high;
  }
  const ttir_node *bound[3];
  for (uint32_t i = 0; i < 3; i++)
    bound[i] = ttir_operand(lift, op, i)->value;
  const char *variable = ttir_fresh(lift, kernel->value[body->argument[0]].name);
  ttir_line(lift, "for %s = %s to %s step %s", variable, ttir_print(lift->mem, bound[0]),
            ttir_print(lift->mem, bound[1]), ttir_print(lift->mem, bound[2]));
  as_str_add(&lift->out, carries.s ? carries.s : "");
  as_str_clear(&carries);
  lift->depth++;
  int64_t last = bound[1]->hi == TTIR_MOST ? TTIR_MOST : bound[1]->hi - 1;
  lift->value[body->argument[0]] =
      (ttir_lifted){.value = ttir_name(lift->mem, variable, bound[0]->lo, last), .known = true};
  if (!ttir_lift_region(lift, body))
    return false;
  const as_ttir_op *yield = last_op(body);
  *again = false;
  for (uint32_t i = 0; i < n; i++) {
    if (!yield || yield->n_operand != n)
      return ttir_refuse(lift, op, "its body does not yield what it carries");
    yielded[i] = *ttir_operand(lift, yield, i);
    if (type[i]->kind == AS_TTIR_POINTER &&
        yielded[i].argument != ttir_operand(lift, op, i + 3)->argument)
      return ttir_refuse(lift, op, "a carried pointer changes its argument");
    *again |= (yielded[i].low && !low[i]) || (yielded[i].high && !high[i]);
    low[i] |= yielded[i].low != NULL;
    high[i] |= yielded[i].high != NULL;
  }
  if (!*again)
    write_next(lift, n, type, tiles, yielded);
  lift->depth--;
  ttir_line(lift, "end");
  for (uint32_t i = 0; i < n; i++) {
    ttir_lifted *result = &lift->value[op->result[i]];
    *result = *ttir_operand(lift, op, i + 3);
    result->value = tiles[i].value;
    result->low = tiles[i].low;
    result->high = tiles[i].high;
  }
  return true;
}

bool ttir_lift_for(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  uint32_t n = op->region[0].n_argument - 1;
  if (n > MOST_CARRIED || op->n_operand != n + 3 || op->n_result != n)
    return ttir_refuse(lift, op, "of another form than bounds and what it carries");
  if (ttir_operand(lift, op, 2)->value->lo <= 0)
    return ttir_refuse(lift, op, "its step is not shown to be positive");
  if (lift->guard->kind != TTIR_N_TRUE)
    return ttir_refuse(lift, op, "a loop in a branch");
  bool low[MOST_CARRIED];
  bool high[MOST_CARRIED];
  for (uint32_t i = 0; i < n; i++) {
    low[i] = ttir_operand(lift, op, i + 3)->low != NULL;
    high[i] = ttir_operand(lift, op, i + 3)->high != NULL;
  }
  mark start = mark_here(lift);
  int depth = lift->depth;
  for (bool again = true; again;) {
    go_back(lift, start);
    lift->depth = depth;
    if (!write_for(lift, op, low, high, &again))
      return false;
  }
  return true;
}

/* ---- branches: both are computed; loads and stores happen where their condition holds */

static bool lift_branch(ttir_lift *lift, const as_ttir_region *region, ttir_node *condition) {
  ttir_node *outer = lift->guard;
  lift->guard = ttir_and(lift->mem, outer, condition);
  bool fine = true;
  if (lift->guard)
    fine = ttir_lift_region(lift, region);
  lift->guard = outer;
  return fine;
}

bool ttir_lift_if(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  ttir_node *condition = ttir_operand(lift, op, 0)->value;
  ttir_node *opposite = ttir_not(lift->mem, condition);
  if (!lift_branch(lift, &op->region[0], condition))
    return false;
  if (op->n_region > 1 && !lift_branch(lift, &op->region[1], opposite))
    return false;
  for (uint32_t i = 0; i < op->n_result; i++) {
    const as_ttir_op *then = last_op(&op->region[0]);
    const as_ttir_op *other = op->n_region > 1 ? last_op(&op->region[1]) : NULL;
    if (!then || !other || then->n_operand != op->n_result || other->n_operand != op->n_result)
      return ttir_refuse(lift, op, "its branches do not yield its results");
    const as_ttir_type *type = ttir_type_of(lift, op->result[i]);
    bool truth = type->kind == AS_TTIR_INT && type->bits == 1;
    const ttir_lifted *a = ttir_operand(lift, then, i);
    const ttir_lifted *b = ttir_operand(lift, other, i);
    if (!condition || !opposite)
      lift->value[op->result[i]] = condition ? *a : *b;
    else if (type->kind == AS_TTIR_POINTER && a->argument != b->argument)
      return ttir_refuse(lift, op, "between pointers to different arguments");
    else
      lift->value[op->result[i]] = ttir_choose(lift, condition, a, b, truth);
  }
  return true;
}

/* ---- reductions */

typedef enum { SUM, PRODUCT, LARGEST, SMALLEST, ALL, ANY, OTHER } combination;

static bool is_of_arguments(const as_ttir_op *op, const as_ttir_region *region) {
  return op->n_operand == 2 &&
         ((op->operand[0] == region->argument[0] && op->operand[1] == region->argument[1]) ||
          (op->operand[0] == region->argument[1] && op->operand[1] == region->argument[0]));
}

/* `select(a > b or a != a, a, b)`: Triton's maximum that keeps what is not a number; and with `<`
 */
static combination comparison_chain(const as_ttir_region *region) {
  uint32_t a = region->argument[0];
  uint32_t b = region->argument[1];
  const as_ttir_op *const *op = (const as_ttir_op *const *)region->op;
  if (region->n_op != 5 || strcmp(op[3]->name, "arith.select") != 0 ||
      strcmp(op[2]->name, "arith.ori") != 0)
    return OTHER;
  bool chosen =
      op[3]->operand[0] == op[2]->result[0] && op[3]->operand[1] == a && op[3]->operand[2] == b;
  bool ordered = strcmp(op[0]->name, "arith.cmpf") == 0 && op[0]->operand[0] == a &&
                 op[0]->operand[1] == b && op[0]->n_word > 0;
  bool itself = strcmp(op[1]->name, "arith.cmpf") == 0 && op[1]->operand[0] == a &&
                op[1]->operand[1] == a && op[1]->n_word > 0 && strcmp(op[1]->word[0], "une") == 0;
  bool either = op[2]->n_operand == 2 &&
                ((op[2]->operand[0] == op[0]->result[0] && op[2]->operand[1] == op[1]->result[0]) ||
                 (op[2]->operand[1] == op[0]->result[0] && op[2]->operand[0] == op[1]->result[0]));
  if (!chosen || !ordered || !itself || !either)
    return OTHER;
  const char *order = op[0]->word[0];
  return strcmp(order, "ogt") == 0 ? LARGEST : strcmp(order, "olt") == 0 ? SMALLEST : OTHER;
}

static combination combination_of(const ttir_lift *lift, const as_ttir_region *region) {
  static const struct {
    const char *name;
    combination is;
  } known[] = {{"arith.addf", SUM},       {"arith.addi", SUM},         {"arith.mulf", PRODUCT},
               {"arith.muli", PRODUCT},   {"arith.maxnumf", LARGEST},  {"arith.maximumf", LARGEST},
               {"arith.maxsi", LARGEST},  {"arith.minnumf", SMALLEST}, {"arith.minimumf", SMALLEST},
               {"arith.minsi", SMALLEST}, {"arith.andi", ALL},         {"arith.ori", ANY}};

  if (region->n_argument != 2 || region->n_op < 2)
    return OTHER;
  const as_ttir_op *returned = region->op[region->n_op - 1];
  const as_ttir_op *result = region->op[region->n_op - 2];
  if (returned->n_operand != 1 || result->n_result != 1 ||
      returned->operand[0] != result->result[0])
    return OTHER;
  const as_ttir_type *type = ttir_type_of(lift, result->result[0]);
  bool truth = type->kind == AS_TTIR_INT && type->bits == 1;
  for (size_t i = 0; region->n_op == 2 && i < sizeof known / sizeof *known; i++) {
    bool logical = known[i].is == ALL || known[i].is == ANY;
    if (strcmp(known[i].name, result->name) == 0 && is_of_arguments(result, region) &&
        logical == truth)
      return known[i].is;
  }
  return comparison_chain(region);
}

/* the type without the axis */
static as_ttir_type without(const as_ttir_type *type, uint32_t axis) {
  as_ttir_type result = *type;
  result.rank--;
  for (uint32_t i = axis; i < result.rank; i++)
    result.dim[i] = type->dim[i + 1];
  return result;
}

/* a node of the operand's type where the axis is at `at`, as one of the outer lanes */
static ttir_node *along(ttir_lift *lift, ttir_node *node, const as_ttir_type *type, uint32_t axis,
                        ttir_node *at) {
  ttir_node *outer[AS_TTIR_MAX_RANK];
  ttir_node *lane[AS_TTIR_MAX_RANK];
  as_ttir_type rest = without(type, axis);
  ttir_own_lanes(lift, &rest, outer);
  for (uint32_t i = 0; i < type->rank; i++)
    lane[i] = i == axis ? at : outer[i < axis ? i : i - 1];
  return ttir_view(lift->mem, node, lane);
}

/* the operand's element number `at` of the axis, as a value of the other axes */
static ttir_lifted slice_at(ttir_lift *lift, const ttir_lifted *of, const as_ttir_type *type,
                            uint32_t axis, ttir_node *at) {
  ttir_lifted slice = *of;
  slice.value = along(lift, of->value, type, axis, at);
  slice.low = along(lift, of->low, type, axis, at);
  slice.high = along(lift, of->high, type, axis, at);
  return slice;
}

/* a reduction's variable, which runs over the axis */
static ttir_node *counter_of(ttir_lift *lift, const as_ttir_type *type, uint32_t axis) {
  return ttir_name(lift->mem, ttir_counter(lift), 0, type->dim[axis] - 1);
}

/* writes `make NAME[outer] = WORD(k < extent) (body)`; an element of it */
static ttir_node *reduced(ttir_lift *lift, const char *wish, const as_ttir_type *rest,
                          int64_t extent, const char *word, const ttir_node *counter,
                          const ttir_node *body) {
  const char *name = ttir_fresh(lift, wish);
  ttir_line(lift, "make %s%s = %s(%s < %lld) (%s)", name, ttir_over(lift, rest), word,
            counter->text, (long long)extent, ttir_print(lift->mem, body));
  return ttir_element(lift, body->sort, name, rest);
}

/* does the truth, which speaks of the counter, hold for all (or any) of its values? */
static ttir_node *truth_over(ttir_lift *lift, const char *wish, const as_ttir_type *rest,
                             int64_t extent, bool all, const ttir_node *counter, ttir_node *truth) {
  if (!truth || truth->kind == TTIR_N_TRUE)
    return truth;
  ttir_node *one = ttir_integer(lift->mem, 1);
  ttir_node *number = ttir_if(lift->mem, truth, one, ttir_integer(lift->mem, 0));
  const char *word = all ? "min" : "max";
  ttir_node *made = reduced(lift, wish, rest, extent, word, counter, number);
  return ttir_compare(lift->mem, TTIR_N_EQUAL, made, one);
}

/* A maximum of numbers some of which may be below all numbers: over those that are not, where there
 * are any.  Others are stood in for by the first that is not. */
static ttir_lifted extreme_along(ttir_lift *lift, const char *name, const as_ttir_type *type,
                                 uint32_t axis, bool most, const ttir_lifted *of) {
  as_arena *mem = lift->mem;
  const char *word = most ? "max" : "min";
  ttir_node *yields = most ? of->low : of->high;
  ttir_node *wins = most ? of->high : of->low;
  ttir_node *k = counter_of(lift, type, axis);
  ttir_node *here = along(lift, yields, type, axis, k);
  ttir_node *body = along(lift, of->value, type, axis, k);
  ttir_node *none = NULL;
  ttir_node *zero = ttir_integer(mem, 0);
  as_ttir_type rest = without(type, axis);
  int64_t elements = type->dim[axis];
  ttir_lifted result = {.known = true};
  if (here && !along(lift, yields, type, axis, zero)) { /* the first element is a number */
    body = ttir_if(mem, here, along(lift, of->value, type, axis, zero), body);
  } else if (here) {
    ttir_node *extent = ttir_integer(mem, type->dim[axis]);
    ttir_node *first =
        reduced(lift, "first", &rest, elements, "min", k, ttir_if(mem, here, extent, k));
    first->lo = 0;
    first->hi = type->dim[axis];
    none = ttir_compare(mem, TTIR_N_EQUAL, first, extent);
    ttir_node *any = ttir_lane(mem, TTIR_FREE_LANE, 0, type->dim[axis] - 1);
    none->implied = along(lift, yields, type, axis, any);
    ttir_node *there = along(lift, of->value, type, axis, first);
    body = ttir_if(mem, none, ttir_as_real(mem, zero), ttir_if(mem, here, there, body));
  }
  result.value = reduced(lift, name, &rest, elements, word, k, body);
  wins = along(lift, wins, type, axis, k);
  ttir_node *some = truth_over(lift, "some", &rest, elements, false, k, wins);
  result.low = most ? none : some;
  result.high = most ? some : none;
  return result;
}

/* writes the sum over the counter of a number that speaks of it; where one is infinite, it is */
static ttir_lifted sum_over(ttir_lift *lift, const as_ttir_op *op, const as_ttir_type *rest,
                            int64_t extent, const ttir_node *k, const ttir_lifted *body) {
  const char *wish = lift->kernel->value[op->result[0]].name;
  ttir_node *infinite = ttir_or(lift->mem, body->low, body->high);
  ttir_node *zero = ttir_as_real(lift->mem, ttir_integer(lift->mem, 0));
  ttir_node *number = infinite ? ttir_if(lift->mem, infinite, zero, body->value) : body->value;
  if (body->low && body->high)
    ttir_assume(lift, op, "infinities of opposite signs are taken not to meet");
  ttir_lifted result = {.known = true};
  ttir_node **flag[2] = {&result.low, &result.high};
  ttir_node *of[2] = {body->low, body->high};
  result.value = reduced(lift, wish, rest, extent, "sum", k, number);
  for (int part = 0; part < 2; part++)
    *flag[part] = truth_over(lift, "infinite", rest, extent, false, k, of[part]);
  return result;
}

static bool reduce_known(ttir_lift *lift, const as_ttir_op *op, uint32_t axis, combination how) {
  const as_ttir_type *type = ttir_type_of(lift, op->operand[0]);
  const ttir_lifted *of = ttir_operand(lift, op, 0);
  const char *name = lift->kernel->value[op->result[0]].name;
  ttir_lifted *result = &lift->value[op->result[0]];
  if (how == LARGEST || how == SMALLEST) {
    *result = extreme_along(lift, name, type, axis, how == LARGEST, of);
    return true;
  }
  ttir_node *k = counter_of(lift, type, axis);
  as_ttir_type rest = without(type, axis);
  int64_t extent = type->dim[axis];
  ttir_lifted body = slice_at(lift, of, type, axis, k);
  if (how == SUM) {
    *result = sum_over(lift, op, &rest, extent, k, &body);
    return true;
  }
  if (how == ALL || how == ANY)
    return ttir_result(lift, op, truth_over(lift, name, &rest, extent, how == ALL, k, body.value));
  if (of->low || of->high)
    return ttir_refuse(lift, op, "a product of numbers that may be infinite");
  return ttir_result(lift, op, reduced(lift, name, &rest, extent, "prod", k, body.value));
}

/* By the region itself, from the first element on.  Triton leaves order and association open, so a
 * region has a meaning only if neither matters: then this one is as good as any. */
static bool reduce_by_loop(ttir_lift *lift, const as_ttir_op *op, uint32_t axis) {
  const as_ttir_region *region = &op->region[0];
  uint32_t n = op->n_operand;
  const as_ttir_type *type = ttir_type_of(lift, op->operand[0]);
  as_ttir_type rest = without(type, axis);
  if (n > MOST_CARRIED || region->n_argument != 2 * n || op->n_result != n)
    return ttir_refuse(lift, op, "its region does not combine its operands");
  carried tiles[MOST_CARRIED];
  const as_ttir_type *types[MOST_CARRIED];
  ttir_lifted returned[MOST_CARRIED];
  as_str carries;
  as_str_init(&carries);
  ttir_assume(lift, op, "what it combines by is taken to be associative and commutative");
  for (uint32_t i = 0; i < n; i++) {
    const ttir_lifted *of = ttir_operand(lift, op, i);
    if (of->low || of->high) {
      as_str_clear(&carries);
      return ttir_refuse(lift, op, "of numbers that may be infinite");
    }
    ttir_lifted first = slice_at(lift, of, type, axis, ttir_integer(lift->mem, 0));
    const char *name = lift->kernel->value[op->result[i]].name;
    tiles[i] = carry_value(lift, name, &rest, &first, false, false, &carries);
    types[i] = &rest;
  }
  const char *counter = ttir_fresh(lift, "element");
  ttir_line(lift, "for %s = 1 to %lld", counter, (long long)type->dim[axis]);
  as_str_add(&lift->out, carries.s);
  as_str_clear(&carries);
  lift->depth++;
  ttir_node *at = ttir_name(lift->mem, counter, 1, type->dim[axis] - 1);
  for (uint32_t i = 0; i < n; i++) {
    lift->value[region->argument[i]] = (ttir_lifted){.value = tiles[i].value, .known = true};
    lift->value[region->argument[n + i]] =
        slice_at(lift, ttir_operand(lift, op, i), type, axis, at);
  }
  const as_ttir_type *outer = lift->over;
  lift->over = rest.rank ? &rest : NULL;
  bool fine = ttir_lift_region(lift, region);
  const as_ttir_op *yield = last_op(region);
  fine = fine && (yield->n_operand == n ||
                  ttir_refuse(lift, op, "its region does not return what it combines"));
  for (uint32_t i = 0; fine && i < n; i++) {
    returned[i] = *ttir_operand(lift, yield, i);
    if (returned[i].low || returned[i].high)
      fine = ttir_refuse(lift, op, "what it combines may become infinite");
  }
  if (fine)
    write_next(lift, n, types, tiles, returned);
  lift->over = outer;
  lift->depth--;
  ttir_line(lift, "end");
  for (uint32_t i = 0; fine && i < n; i++)
    lift->value[op->result[i]] = (ttir_lifted){.value = tiles[i].value, .known = true};
  return fine;
}

static bool axis_of(ttir_lift *lift, const as_ttir_op *op, uint32_t *axis) {
  const char *text = as_ttir_attribute_of(op, "axis");
  *axis = text ? (uint32_t)strtoul(text, NULL, 10) : AS_TTIR_MAX_RANK;
  if (op->n_operand == 0 || op->n_region != 1 || *axis >= ttir_type_of(lift, op->operand[0])->rank)
    return ttir_refuse(lift, op, "an axis that its operand does not have");
  return true;
}

bool ttir_lift_reduce(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  uint32_t axis;
  if (!axis_of(lift, op, &axis))
    return false;
  combination how = op->n_operand == 1 ? combination_of(lift, &op->region[0]) : OTHER;
  return how == OTHER ? reduce_by_loop(lift, op, axis) : reduce_known(lift, op, axis, how);
}

/* inclusive: element i combines those up to i, or from i on where it is reversed */
bool ttir_lift_scan(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  uint32_t axis;
  if (!axis_of(lift, op, &axis))
    return false;
  combination how = op->n_operand == 1 ? combination_of(lift, &op->region[0]) : OTHER;
  const ttir_lifted *of = ttir_operand(lift, op, 0);
  if (how == OTHER || how == ALL || how == ANY || of->low || of->high)
    return ttir_refuse(lift, op, "by something else than a sum, a product or an extreme");
  static const char *const words[] = {"sum", "prod", "max", "min"};
  const as_ttir_type *type = ttir_type_of(lift, op->operand[0]);
  const char *reverse = as_ttir_attribute_of(op, "reverse");
  bool backwards = reverse && strcmp(reverse, "true") == 0;
  ttir_node *lane[AS_TTIR_MAX_RANK];
  ttir_own_lanes(lift, type, lane);
  ttir_node *own = lane[axis];
  ttir_node *k = counter_of(lift, type, axis);
  ttir_node *extent = ttir_integer(lift->mem, type->dim[axis]);
  ttir_node *count = backwards ? ttir_arith(lift->mem, TTIR_N_SUB, extent, own)
                               : ttir_arith(lift->mem, TTIR_N_ADD, own, ttir_integer(lift->mem, 1));
  lane[axis] = backwards ? ttir_arith(lift->mem, TTIR_N_ADD, own, k) : k;
  const ttir_node *body = ttir_view(lift->mem, of->value, lane);
  const char *name = ttir_fresh(lift, lift->kernel->value[op->result[0]].name);
  ttir_line(lift, "make %s%s = %s(%s < %s) (%s)", name, ttir_over(lift, type), words[how], k->text,
            ttir_print(lift->mem, count), ttir_print(lift->mem, body));
  return ttir_result(lift, op, ttir_element(lift, of->value->sort, name, type));
}

/* ---- products */

bool ttir_lift_dot(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;

  enum { HEAVY = 6 };

  const as_ttir_type *type = ttir_type_of(lift, op->result[0]);
  if (op->n_operand != 3 || type->rank < 2)
    return ttir_refuse(lift, op, "of another form than a product and what is added");
  for (uint32_t i = 0; i < 3; i++)
    ttir_settle(lift, op->operand[i], HEAVY); /* read many times over */
  const as_ttir_type *left_type = ttir_type_of(lift, op->operand[0]);
  ttir_node *left[AS_TTIR_MAX_RANK];
  ttir_node *right[AS_TTIR_MAX_RANK];
  ttir_own_lanes(lift, type, left);
  ttir_own_lanes(lift, type, right);
  ttir_node *k = counter_of(lift, left_type, type->rank - 1);
  left[type->rank - 1] = k;
  right[type->rank - 2] = k;
  ttir_lifted a = ttir_view_lifted(lift, ttir_operand(lift, op, 0), left);
  ttir_lifted b = ttir_view_lifted(lift, ttir_operand(lift, op, 1), right);
  ttir_lifted product = ttir_multiply_lifted(lift, op, &a, &b);
  ttir_lifted sum = sum_over(lift, op, type, left_type->dim[type->rank - 1], k, &product);
  const ttir_lifted *added = ttir_operand(lift, op, 2);
  bool bare = added->value->kind == TTIR_N_NUMBER && strtod(added->value->text, NULL) == 0 &&
              !added->low && !added->high;
  lift->value[op->result[0]] = bare ? sum : ttir_add_lifted(lift, op, added, &sum, false);
  return true;
}
