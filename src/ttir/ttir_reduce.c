/* Reductions, scans and products: as reductions of `.tile` where what they combine by is known, and
 * as loops where it is not. */
#include "ttir_control.h"
#include <stdlib.h>
#include <string.h>

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
  bool truth = ttir_is_truth(type);
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

/* `sum(k0 < 32)` */
static const char *head_of(ttir_lift *lift, const char *word, const ttir_node *counter,
                           int64_t extent) {
  char *text = as_format("%s(%s < %lld)", word, counter->text, (long long)extent);
  const char *kept = as_arena_strdup(lift->mem, text);
  free(text);
  return kept;
}

/* writes `make NAME[outer] = WORD(k < extent) (body)`; an element of it */
static ttir_node *written(ttir_lift *lift, const char *wish, const as_ttir_type *rest,
                          int64_t extent, const char *word, const ttir_node *counter,
                          const ttir_node *body) {
  const char *name = ttir_fresh(lift, wish);
  ttir_line(lift, "make %s%s = %s (%s)", name, ttir_over(lift, rest),
            head_of(lift, word, counter, extent), ttir_print(lift->mem, body));
  ttir_node *tile = ttir_element(lift, body->sort, name, rest);
  tile->absent = ttir_reads_absent(body);
  return tile;
}

/* The same of a body that some elements may lack: with each of them it has no value.  Where all
 * that the operation makes is read, nothing is lost by asking for all of them. */
static ttir_node *reduced(ttir_lift *lift, const char *wish, const as_ttir_type *rest,
                          int64_t extent, const char *word, const ttir_node *counter,
                          ttir_node *body) {
  bool read = lift->now->n_result > 0;
  for (uint32_t i = 0; i < lift->now->n_result; i++)
    read = read && lift->read[lift->now->result[i]];
  if (read || !ttir_is_partial(body))
    return written(lift, wish, rest, extent, word, counter, body);
  ttir_node *lacks = ttir_lacks(lift, body);
  if (!lacks)
    return written(lift, wish, rest, extent, word, counter, body);
  ttir_node *one = ttir_integer(lift->mem, 1);
  ttir_node *flag = ttir_if(lift->mem, lacks, one, ttir_integer(lift->mem, 0));
  ttir_node *value = written(lift, wish, rest, extent, word, counter, ttir_filled(lift, body));
  ttir_node *some = written(lift, "lacks", rest, extent, "max", counter, flag);
  ttir_node *none = ttir_compare(lift->mem, TTIR_N_EQUAL, some, one);
  if (body->sort != TTIR_REAL)
    return ttir_lacking(lift, value, none);
  ttir_node *all = ttir_sum_of_traces(lift, head_of(lift, "sum", counter, extent), body, none);
  return all ? ttir_arith(lift->mem, TTIR_N_ADD, value, all) : ttir_lacking(lift, value, none);
}

static bool speaks_of(const ttir_node *node, const ttir_node *counter) {
  if (node->kind == TTIR_N_NAME && strcmp(node->text, counter->text) == 0)
    return true;
  for (uint32_t i = 0; i < node->n; i++) {
    if (speaks_of(node->kid[i], counter))
      return true;
  }
  return false;
}

/* Does the truth hold for all (or any) values of the counter? One that does not speak of it, as the
 * mask of a row, is the same for all. */
static ttir_node *truth_over(ttir_lift *lift, const char *wish, const as_ttir_type *rest,
                             int64_t extent, bool all, const ttir_node *counter, ttir_node *truth) {
  if (!truth || truth->kind == TTIR_N_TRUE || !speaks_of(truth, counter))
    return truth;
  ttir_node *one = ttir_integer(lift->mem, 1);
  ttir_node *number = ttir_if(lift->mem, truth, one, ttir_integer(lift->mem, 0));
  const char *word = all ? "min" : "max";
  ttir_node *made = reduced(lift, wish, rest, extent, word, counter, number);
  return ttir_compare(lift->mem, TTIR_N_EQUAL, made, one);
}

/* The least (or largest) of the numbers of a row, and 0 where one is infinite. Its counter is its
 * own: where it has no value, what says so stands within another reduction of the row. */
static ttir_node *least_number(ttir_lift *lift, const as_ttir_type *type, uint32_t axis, bool least,
                               const ttir_lifted *of) {
  ttir_node *k = counter_of(lift, type, axis);
  ttir_node *infinite = along(lift, least ? of->low : of->high, type, axis, k);
  ttir_node *zero = ttir_as_real(lift->mem, ttir_integer(lift->mem, 0));
  ttir_node *number = ttir_if(lift->mem, infinite, zero, along(lift, of->value, type, axis, k));
  as_ttir_type rest = without(type, axis);
  return reduced(lift, least ? "least" : "most", &rest, type->dim[axis], least ? "min" : "max", k,
                 number);
}

/* A maximum of numbers some of which may be below all numbers: over those that are not, where there
 * are any.  Others are stood in for by the first element where that is a number, and else by the
 * least of these numbers and 0, which changes no maximum: the numbers are at least that. */
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
  } else if (here && !speaks_of(here, k)) { /* all elements of a row are numbers, or none is */
    none = here;
    body = ttir_if(mem, here, ttir_as_real(mem, zero), body);
  } else if (here) {
    none = truth_over(lift, "empty", &rest, elements, true, k, here);
    ttir_node *any = ttir_lane(mem, TTIR_FREE_LANE, 0, type->dim[axis] - 1);
    none->implied = along(lift, yields, type, axis, any);
    ttir_node *least = least_number(lift, type, axis, most, of);
    body = ttir_if(mem, none, ttir_as_real(mem, zero), ttir_if(mem, here, least, body));
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
  ttir_lifted result = {.known = true};
  ttir_node **flag[2] = {&result.low, &result.high};
  ttir_node *of[2] = {body->low, body->high};
  result.value = reduced(lift, wish, rest, extent, "sum", k, number);
  for (int part = 0; part < 2; part++)
    *flag[part] = truth_over(lift, "infinite", rest, extent, false, k, of[part]);
  return ttir_without(lift, result, ttir_and(lift->mem, result.low, result.high));
}

static int64_t clamped(__int128 value) {
  return value < TTIR_LEAST ? TTIR_LEAST : value > TTIR_MOST ? TTIR_MOST : (int64_t)value;
}

/* A combination of so many integers of this range, as one of its type; reals stay.  NULL: refused
 */
static ttir_node *of_type(ttir_lift *lift, const as_ttir_op *op, combination how, int64_t extent,
                          const ttir_node *of, ttir_node *result) {
  if (!result || result->sort != TTIR_INTEGER)
    return result;
  ttir_node *ranged = as_arena_alloc(lift->mem, sizeof *ranged);
  *ranged = *result;
  if (how != PRODUCT && of->lo > TTIR_LEAST && of->hi < TTIR_MOST) {
    __int128 most = how == SUM ? extent : 1;
    __int128 fewest = how == SUM ? 0 : 1; /* of a scan */
    ranged->lo = clamped(of->lo < 0 ? most * of->lo : fewest * of->lo);
    ranged->hi = clamped(of->hi > 0 ? most * of->hi : fewest * of->hi);
  }
  return ttir_in_type(lift, op, ranged, ttir_type_of(lift, op->result[0])->bits);
}

static bool reduce_known(ttir_lift *lift, const as_ttir_op *op, uint32_t axis, combination how) {
  const as_ttir_type *type = ttir_type_of(lift, op->operand[0]);
  const ttir_lifted *of = ttir_operand(lift, op, 0);
  const char *name = lift->kernel->value[op->result[0]].name;
  ttir_lifted *result = &lift->value[op->result[0]];
  if (how == LARGEST || how == SMALLEST) {
    *result = extreme_along(lift, name, type, axis, how == LARGEST, of);
    result->value = of_type(lift, op, how, type->dim[axis], of->value, result->value);
    return result->value != NULL;
  }
  ttir_node *k = counter_of(lift, type, axis);
  as_ttir_type rest = without(type, axis);
  int64_t extent = type->dim[axis];
  ttir_lifted body = slice_at(lift, of, type, axis, k);
  if (how == SUM) {
    *result = sum_over(lift, op, &rest, extent, k, &body);
    result->value = of_type(lift, op, how, extent, of->value, result->value);
    return result->value != NULL;
  }
  if (how == ALL || how == ANY)
    return ttir_result(lift, op, truth_over(lift, name, &rest, extent, how == ALL, k, body.value));
  if (of->low || of->high)
    return ttir_refuse(lift, op, "a product of numbers that may be infinite");
  ttir_node *product = reduced(lift, name, &rest, extent, "prod", k, body.value);
  product = of_type(lift, op, how, extent, of->value, product);
  return product && ttir_result(lift, op, product);
}

/* Welford's combination of means m, sums of squares about them s and weights w, from the first
 * element on:
 *   W = sum w, the mean M = (sum w*m)/W, the squares sum s + sum w*(m - M)^2
 * This is so by induction where no weight is negative: as long as W is 0, all weights are.  Where
 * nothing has a weight the mean is some element's, which one the order decides: it has no value. */
static bool reduce_moments(ttir_lift *lift, const as_ttir_op *op, uint32_t axis) {
  as_arena *mem = lift->mem;
  const as_ttir_type *type = ttir_type_of(lift, op->operand[0]);
  as_ttir_type rest = without(type, axis);
  int64_t extent = type->dim[axis];
  ttir_node *of[3];
  ttir_node *k = counter_of(lift, type, axis);
  for (uint32_t i = 0; i < 3; i++) {
    const ttir_lifted *whole = ttir_operand(lift, op, i);
    if (whole->low || whole->high)
      return ttir_refuse(lift, op, "of numbers that may be infinite");
    of[i] = along(lift, whole->value, type, axis, k);
  }
  if (!ttir_is_nonnegative(of[2]))
    return ttir_refuse(lift, op, "by weights that are not shown to be at least 0");
  ttir_node *weight = reduced(lift, "weight", &rest, extent, "sum", k, of[2]);
  ttir_node *moment = ttir_arith(mem, TTIR_N_MUL, of[2], of[0]);
  ttir_node *total = reduced(lift, "moment", &rest, extent, "sum", k, moment);
  ttir_node *mean =
      ttir_guarded_tile(lift, "mean", &rest, ttir_arith(mem, TTIR_N_DIVIDE, total, weight));
  ttir_node *away = ttir_arith(mem, TTIR_N_SUB, of[0], mean);
  ttir_node *square = ttir_arith(mem, TTIR_N_MUL, of[2], ttir_arith(mem, TTIR_N_MUL, away, away));
  ttir_node *body = ttir_arith(mem, TTIR_N_ADD, of[1], square);
  ttir_node *result[3] = {mean, reduced(lift, "squares", &rest, extent, "sum", k, body), weight};
  for (uint32_t i = 0; i < 3; i++)
    lift->value[op->result[i]] = (ttir_lifted){.value = result[i], .known = true};
  return true;
}

/* A value in a region has lanes of its own: those of the axes that are left.  A tensor there would
 * have others. */
static bool speaks_of_tensors(const ttir_lift *lift, const as_ttir_region *region) {
  bool found = false;
  for (uint32_t i = 0; !found && i < region->n_op; i++) {
    const as_ttir_op *op = region->op[i];
    for (uint32_t k = 0; k < op->n_operand; k++)
      found = found || ttir_type_of(lift, op->operand[k])->rank > 0;
    for (uint32_t k = 0; k < op->n_result; k++)
      found = found || ttir_type_of(lift, op->result[k])->rank > 0;
    for (uint32_t k = 0; k < op->n_region; k++)
      found = found || speaks_of_tensors(lift, &op->region[k]);
  }
  return found;
}

/* A reduction by its region, as it is written: what is carried, and what it may become. */
typedef struct {
  const as_ttir_op *op;
  uint32_t axis;
  const as_ttir_type *type; /* of what is reduced */
  as_ttir_type rest;        /* of what comes of it */
  ttir_may may[TTIR_MOST_CARRIED];
  ttir_carried tiles[TTIR_MOST_CARRIED];
} reduction;

/* what the elements themselves may be; what is chosen by a comparison may lack what is compared */
static void may_be_as_elements(ttir_lift *lift, reduction *in) {
  uint32_t n = in->op->n_operand;
  bool lacks = false;
  bool absent = false;
  for (uint32_t i = 0; i < n; i++) {
    lacks |= ttir_may_lack(ttir_operand(lift, in->op, i));
    absent |= ttir_may_be_absent(ttir_operand(lift, in->op, i));
  }
  for (uint32_t i = 0; i < n; i++) {
    const ttir_lifted *of = ttir_operand(lift, in->op, i);
    in->may[i] = (ttir_may){.low = of->low != NULL,
                            .high = of->high != NULL,
                            .lacks = lacks,
                            .negative = true,
                            .absent = absent};
  }
}

/* the lines that carry the first element from one element to the next */
static void carry_first(ttir_lift *lift, reduction *in) {
  as_str carries;
  as_str_init(&carries);
  for (uint32_t i = 0; i < in->op->n_operand; i++) {
    const ttir_lifted *of = ttir_operand(lift, in->op, i);
    ttir_lifted first = slice_at(lift, of, in->type, in->axis, ttir_integer(lift->mem, 0));
    const char *name = lift->kernel->value[in->op->result[i]].name;
    in->tiles[i] = ttir_carry(lift, name, &in->rest, &first, in->may[i], &carries);
  }
  int64_t extent = in->type->dim[in->axis];
  const char *counter = ttir_fresh(lift, "element");
  ttir_line(lift, "for %s = 1 to %lld", counter, (long long)extent);
  as_str_add(&lift->out, carries.s);
  as_str_clear(&carries);
  lift->depth++;
  const as_ttir_region *region = &in->op->region[0];
  ttir_node *at = ttir_name(lift->mem, counter, 1, extent - 1);
  for (uint32_t i = 0; i < in->op->n_operand; i++) {
    lift->value[region->argument[i]] = (ttir_lifted){.known = true};
    ttir_enter_carried(lift, &in->tiles[i], &lift->value[region->argument[i]]);
    lift->value[region->argument[in->op->n_operand + i]] =
        slice_at(lift, ttir_operand(lift, in->op, i), in->type, in->axis, at);
  }
}

/* what the region makes of what is carried and an element; false: refused */
static bool combine(ttir_lift *lift, const reduction *in, ttir_lifted *returned) {
  const as_ttir_region *region = &in->op->region[0];
  size_t n_events = lift->events.n;
  const as_ttir_op *update = lift->update;
  if (!ttir_lift_region(lift, region))
    return false;
  if (lift->events.n != n_events || lift->update != update)
    return ttir_refuse(lift, in->op, "its region touches memory, or waits");
  const as_ttir_op *yield = ttir_last(region);
  if (yield->n_operand != in->op->n_operand)
    return ttir_refuse(lift, in->op, "its region does not return what it combines");
  for (uint32_t i = 0; i < in->op->n_operand; i++) {
    returned[i] = *ttir_operand(lift, yield, i);
    if (!in->may[i].absent && ttir_may_be_absent(&returned[i]))
      return ttir_refuse(lift, in->op, "what it combines by speaks of lanes that have no value");
  }
  return true;
}

/* may what is returned be infinite, or none, where that was not foreseen? it is foreseen then */
static bool becomes_more(reduction *in, const ttir_lifted *returned) {
  bool more = false;
  for (uint32_t i = 0; i < in->op->n_operand; i++) {
    ttir_may *may = &in->may[i];
    bool lacks = ttir_may_lack(&returned[i]);
    more |= (returned[i].low && !may->low) || (returned[i].high && !may->high) ||
            (lacks && !may->lacks);
    may->low |= returned[i].low != NULL;
    may->high |= returned[i].high != NULL;
    may->lacks |= lacks;
  }
  return more;
}

/* the loop with what is foreseen; `again`: more may become infinite, and nothing holds that is
 * written */
static bool write_reduction(ttir_lift *lift, reduction *in, bool *again) {
  const as_ttir_type *types[TTIR_MOST_CARRIED];
  ttir_lifted returned[TTIR_MOST_CARRIED];
  uint32_t n = in->op->n_operand;
  carry_first(lift, in);
  const as_ttir_type *outer = lift->over;
  lift->over = in->rest.rank ? &in->rest : NULL;
  bool fine = combine(lift, in, returned);
  *again = fine && becomes_more(in, returned);
  for (uint32_t i = 0; i < n; i++)
    types[i] = &in->rest;
  if (fine && !*again)
    ttir_write_next(lift, n, types, in->tiles, returned);
  lift->over = outer;
  lift->depth--;
  ttir_line(lift, "end");
  return fine;
}

/* By the region itself, from the first element on: where neither order nor association matters,
 * this one is as good as any. */
static bool reduce_by_loop(ttir_lift *lift, const as_ttir_op *op, uint32_t axis) {
  uint32_t n = op->n_operand;
  const as_ttir_type *type = ttir_type_of(lift, op->operand[0]);
  if (n > TTIR_MOST_CARRIED || op->region[0].n_argument != 2 * n || op->n_result != n)
    return ttir_refuse(lift, op, "its region does not combine its operands");
  if (speaks_of_tensors(lift, &op->region[0]))
    return ttir_refuse(lift, op, "its region makes tensors");
  reduction in = {.op = op, .axis = axis, .type = type, .rest = without(type, axis)};
  bool several = type->dim[axis] > 1;
  ttir_order order = several ? ttir_order_of(lift, &op->region[0], n) : TTIR_ORDER_IS_NOTHING;
  if (order == TTIR_ORDER_OPEN)
    return ttir_refuse(lift, op, "what it combines by may depend on the order, which is left open");
  may_be_as_elements(lift, &in);
  ttir_mark start = ttir_mark_here(lift);
  bool again = true;
  while (again) { /* each time something more is infinite */
    ttir_go_back(lift, start);
    if (!write_reduction(lift, &in, &again))
      return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    lift->value[op->result[i]] = (ttir_lifted){.known = true};
    ttir_enter_carried(lift, &in.tiles[i], &lift->value[op->result[i]]);
    if (order == TTIR_ORDER_MATTERS) /* which number it is is left open */
      lift->value[op->result[i]] =
          ttir_without(lift, lift->value[op->result[i]], ttir_true(lift->mem));
  }
  return true;
}

static bool axis_of(ttir_lift *lift, const as_ttir_op *op, bool reduces, uint32_t *axis) {
  int64_t number;
  bool known = as_ttir_number_of(op, "axis", &number) && op->n_operand > 0 && op->n_region == 1;
  if (!known || number < 0 || number >= ttir_type_of(lift, op->operand[0])->rank)
    return ttir_refuse(lift, op, "an axis that its operand does not have");
  *axis = (uint32_t)number;
  const as_ttir_type *type = ttir_type_of(lift, op->operand[0]);
  bool fits = op->n_result == op->n_operand && type->dim[*axis] > 0;
  for (uint32_t i = 0; fits && i < op->n_operand; i++) {
    const as_ttir_type *of = ttir_type_of(lift, op->operand[i]);
    if (of->kind != AS_TTIR_INT && of->kind != AS_TTIR_FLOAT)
      return ttir_refuse(lift, op, "of something that is no number");
    as_ttir_type result = reduces && of->rank > *axis ? without(of, *axis) : *of;
    fits = ttir_same_shape(of, type) && ttir_same_type(ttir_type_of(lift, op->result[i]), &result);
  }
  if (!fits)
    return ttir_refuse(lift, op, "its operands and results do not fit together");
  const as_ttir_region *region = &op->region[0];
  if (region->n_argument != 2 * op->n_operand)
    return ttir_refuse(lift, op, "its region does not combine its operands");
  return ttir_enters(lift, op, region, 0, op->operand, op->n_operand, true) &&
         ttir_enters(lift, op, region, op->n_operand, op->operand, op->n_operand, true) &&
         ttir_yields(lift, op, region, op->operand, op->n_operand, true);
}

bool ttir_is_in_any_order(const ttir_lift *lift, const as_ttir_op *op) {
  return ttir_role_of(op) == TTIR_FOLDS && strcmp(op->name, "tt.reduce") == 0 &&
         op->n_operand == 1 && op->n_region == 1 && combination_of(lift, &op->region[0]) != OTHER;
}

static bool chooses(const as_ttir_region *region) {
  static const char *const names[] = {"arith.select",   "arith.cmpf",    "arith.maxnumf",
                                      "arith.maximumf", "arith.minnumf", "arith.minimumf",
                                      "tt.clampf"};
  for (uint32_t i = 0; i < region->n_op; i++) {
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
      if (strcmp(region->op[i]->name, names[k]) == 0)
        return true;
    }
  }
  return false;
}

/* sums and products of what is no number are none; extremes, and what chooses, drop it */
static bool keeps_nan(ttir_lift *lift, const as_ttir_op *op, combination how) {
  bool keeps = how == SUM || how == PRODUCT || (how == OTHER && !chooses(&op->region[0]));
  for (uint32_t i = 0; i < op->n_operand && !keeps; i++) {
    if (!ttir_keeps_nan(lift, op, ttir_operand(lift, op, i)))
      return false;
  }
  return true;
}

bool ttir_lift_reduce(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  uint32_t axis;
  if (!axis_of(lift, op, true, &axis))
    return false;
  combination how = op->n_operand == 1 ? combination_of(lift, &op->region[0]) : OTHER;
  if (!keeps_nan(lift, op, how))
    return false;
  if (how != OTHER)
    return reduce_known(lift, op, axis, how);
  bool moments =
      op->n_operand == 3 && op->n_result == 3 && ttir_combines_moments(lift, &op->region[0]);
  return moments ? reduce_moments(lift, op, axis) : reduce_by_loop(lift, op, axis);
}

static void scan_line(ttir_lift *lift, const char *name, const as_ttir_type *type, const char *word,
                      const ttir_node *counter, const ttir_node *count, const ttir_node *body) {
  ttir_line(lift, "make %s%s = %s(%s < %s) (%s)", name, ttir_over(lift, type), word, counter->text,
            ttir_print(lift->mem, count), ttir_print(lift->mem, body));
}

/* inclusive: element i combines those up to i, or from i on where it is reversed */
bool ttir_lift_scan(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  uint32_t axis;
  if (!axis_of(lift, op, false, &axis))
    return false;
  combination how = op->n_operand == 1 ? combination_of(lift, &op->region[0]) : OTHER;
  const ttir_lifted *of = ttir_operand(lift, op, 0);
  if (how == OTHER || how == ALL || how == ANY || of->low || of->high)
    return ttir_refuse(lift, op, "by something else than a sum, a product or an extreme");
  if (!keeps_nan(lift, op, how))
    return false;
  static const char *const words[] = {"sum", "prod", "max", "min"};
  const as_ttir_type *type = ttir_type_of(lift, op->operand[0]);
  const char *reverse = as_ttir_attribute_of(op, "reverse");
  bool backwards = reverse && strcmp(reverse, "true") == 0;
  if (reverse && !backwards && strcmp(reverse, "false") != 0)
    return ttir_refuse(lift, op, "in a direction that is neither `true` nor `false`");
  ttir_node *lane[AS_TTIR_MAX_RANK];
  ttir_own_lanes(lift, type, lane);
  ttir_node *own = lane[axis];
  ttir_node *k = counter_of(lift, type, axis);
  ttir_node *extent = ttir_integer(lift->mem, type->dim[axis]);
  ttir_node *count = backwards ? ttir_arith(lift->mem, TTIR_N_SUB, extent, own)
                               : ttir_arith(lift->mem, TTIR_N_ADD, own, ttir_integer(lift->mem, 1));
  lane[axis] = backwards ? ttir_arith(lift->mem, TTIR_N_ADD, own, k) : k;
  ttir_node *body = ttir_view(lift->mem, of->value, lane);
  ttir_node *lacks = NULL;
  if (!lift->read[op->result[0]])
    lacks = ttir_lacks(lift, body);
  if (lacks) {
    ttir_node *flag =
        ttir_if(lift->mem, lacks, ttir_integer(lift->mem, 1), ttir_integer(lift->mem, 0));
    const char *some = ttir_fresh(lift, "lacks");
    scan_line(lift, some, type, "max", k, count, flag);
    ttir_node *tile = ttir_element(lift, TTIR_INTEGER, some, type);
    tile->absent = ttir_reads_absent(flag);
    lacks = ttir_compare(lift->mem, TTIR_N_EQUAL, tile, ttir_integer(lift->mem, 1));
    body = ttir_filled(lift, body);
  }
  const char *name = ttir_fresh(lift, lift->kernel->value[op->result[0]].name);
  scan_line(lift, name, type, words[how], k, count, body);
  ttir_node *result = ttir_element(lift, of->value->sort, name, type);
  result->absent = ttir_reads_absent(body);
  result = of_type(lift, op, how, type->dim[axis], of->value, result);
  return result && ttir_result(lift, op, ttir_lacking(lift, result, lacks));
}

/* ---- products */

/* [.., m, k] times [.., k, n] is [.., m, n], of numbers of one kind */
static bool is_product(const as_ttir_type *a, const as_ttir_type *b, const as_ttir_type *product) {
  uint32_t rank = product->rank;
  bool fits = a->rank == rank && b->rank == rank && a->kind == product->kind &&
              b->kind == product->kind && (a->kind == AS_TTIR_FLOAT || a->kind == AS_TTIR_INT) &&
              !ttir_is_truth(a) && !ttir_is_truth(b);
  for (uint32_t i = 0; fits && i + 2 < rank; i++)
    fits = a->dim[i] == product->dim[i] && b->dim[i] == product->dim[i];
  return fits && a->dim[rank - 2] == product->dim[rank - 2] &&
         b->dim[rank - 1] == product->dim[rank - 1] && a->dim[rank - 1] == b->dim[rank - 2];
}

bool ttir_lift_dot(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;

  enum { HEAVY = 6 };

  const as_ttir_type *type = ttir_type_of(lift, op->result[0]);
  if (type->rank < 2 ||
      !is_product(ttir_type_of(lift, op->operand[0]), ttir_type_of(lift, op->operand[1]), type) ||
      !ttir_same_type(ttir_type_of(lift, op->operand[2]), type))
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
  ttir_lifted product = ttir_multiply_lifted(lift, &a, &b);
  int64_t extent = left_type->dim[type->rank - 1];
  ttir_lifted sum = sum_over(lift, op, type, extent, k, &product);
  sum.value = of_type(lift, op, SUM, extent, product.value, sum.value);
  const ttir_lifted *added = ttir_operand(lift, op, 2);
  bool bare = added->value->kind == TTIR_N_NUMBER && strtod(added->value->text, NULL) == 0 &&
              !added->low && !added->high;
  lift->value[op->result[0]] = bare ? sum : ttir_add_lifted(lift, added, &sum, false);
  ttir_node **value = &lift->value[op->result[0]].value;
  if (sum.value && (*value)->sort == TTIR_INTEGER)
    *value = ttir_in_type(lift, op, *value, ttir_type_of(lift, op->result[0])->bits);
  return sum.value && *value;
}
