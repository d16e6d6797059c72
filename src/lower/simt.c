/* Which sums of products are contractions by register tiles, and how their operands are fetched. */
#include "simt.h"
#include "epilogue.h"
#include "range.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FACTORS = 16, VECTOR = 4 };

/* Fewer rows or columns leave most of a register tile idle. */
enum { LEAST_EXTENT = 4 };

/* Places that a proof by enumeration goes over at most. */
enum { MOST_ENUMERATED = 1 << 20 };

typedef struct {
  lx *factor[MOST_FACTORS];
  int n;
} factor_list;

static bool add_factors(const lx *expr, factor_list *list) {
  if (expr->op == LX_MUL && !expr->integer)
    return add_factors(expr->kid[0], list) && add_factors(expr->kid[1], list);
  if (list->n == MOST_FACTORS)
    return false;
  list->factor[list->n++] = (lx *)(uintptr_t)expr;
  return true;
}

/* --- axes that a factor reads in pieces */

/* Is the variable read as `var div piece` alone, everywhere?  *piece: 0 before the first such read.
 */
static bool only_pieces(const lx *expr, int var, long *piece) {
  if (expr->op == LX_VAR)
    return expr->number != var;
  bool quotient = expr->op == LX_IDIV && expr->kid[0]->op == LX_VAR &&
                  expr->kid[0]->number == var && expr->kid[1]->op == LX_INT;
  if (quotient) {
    bool same = *piece == 0 || *piece == expr->kid[1]->number;
    *piece = expr->kid[1]->number;
    return same;
  }
  for (int i = 0; i < expr->n; i++) {
    if (!only_pieces(expr->kid[i], var, piece))
      return false;
  }
  return true;
}

/* The extent of the pieces in which some factor reads the axis; 0: none does. */
static long piece_of(const factor_list *list, int axis, long extent) {
  for (int i = 0; i < list->n; i++) {
    long piece = 0;
    if (only_pieces(list->factor[i], axis, &piece) && piece > 1 && piece < extent &&
        extent % piece == 0)
      return piece;
  }
  return 0;
}

/* The divisor of a remainder of the axis that some factor compares with a number; 0: there is none.
 */
static long compared_remainder(const lx *expr, int axis) {
  long divisor = 0;
  const lx *side = expr->op == LX_EQ ? expr->kid[0] : NULL;
  if (side && side->op == LX_INT)
    side = expr->kid[1];
  if (side && side->op == LX_MOD && side->integer && side->kid[1]->op == LX_INT &&
      lx_uses_var(side->kid[0], axis))
    return side->kid[1]->number;
  for (int i = 0; i < expr->n && divisor == 0; i++)
    divisor = compared_remainder(expr->kid[i], axis);
  return divisor;
}

/* The number of remainders of an axis that are batches of their own; 0: it is not so divided. */
static long phases_of(const factor_list *list, int axis, long extent) {
  for (int i = 0; i < list->n; i++) {
    long divisor = compared_remainder(list->factor[i], axis);
    if (divisor > 1 && divisor <= extent)
      return divisor;
  }
  return 0;
}

static void exist_below(lo_job *job, lo_simt *plan, lx *index, long extent) {
  lx *exists = lx_mk(job, LX_LT, 2, (lx *[]){index, lx_int(job, extent)});
  plan->inside = plan->inside ? lx_mk(job, LX_AND, 2, (lx *[]){plan->inside, exists}) : exists;
}

/* Axes of the plan from those of the result; the factors are rewritten over them.  false: too many
 */
static bool read_axes(lo_job *job, const lo_value *result, bool phases, factor_list *list,
                      lo_simt *plan, unsigned *phase) {
  lx *renamed[AS_MAX_RANK + 1];
  long extent[LO_SIMT_AXES + 1];
  for (int axis = 0; axis < result->rank; axis++) {
    long dim = result->dim[axis];
    long piece = result->live_dim[axis] ? 0 : piece_of(list, axis, dim);
    bool remains = phases && piece == 0 && !result->live_dim[axis];
    bool room = plan->n_axis + 2 + result->rank - axis - 1 <= LO_SIMT_AXES;
    long parts = remains && room ? phases_of(list, axis, dim) : 0;
    piece = parts ? parts : piece;
    if (plan->n_axis + (piece ? 2 : 1) > LO_SIMT_AXES)
      return false;
    lx *variable = lx_var(job, plan->n_axis);
    plan->live_dim[plan->n_axis] = result->live_dim[axis];
    plan->dim[plan->n_axis++] = piece ? (dim + piece - 1) / piece : dim;
    if (piece) {
      lx *group = lx_mk(job, LX_MUL, 2, (lx *[]){variable, lx_int(job, piece)});
      variable = lx_mk(job, LX_ADD, 2, (lx *[]){group, lx_var(job, plan->n_axis)});
      *phase |= parts ? 1u << plan->n_axis : 0;
      plan->dim[plan->n_axis++] = piece;
    }
    if (parts && dim % parts)
      exist_below(job, plan, variable, dim);
    plan->index[axis] = renamed[axis] = variable;
  }
  renamed[result->rank] = lx_var(job, plan->n_axis);
  memcpy(extent, plan->dim, sizeof plan->dim);
  extent[plan->n_axis] = result->extent;
  for (int i = 0; i < list->n; i++)
    list->factor[i] = lx_simplify(job, lx_subst(job, list->factor[i], renamed, result->rank + 1),
                                  extent, plan->n_axis + 1);
  return true;
}

/* --- groups */

static unsigned axes_of(const lx *expr, int n_axis) {
  unsigned axes = 0;
  for (int i = 0; i < n_axis; i++)
    axes |= lx_uses_var(expr, i) ? 1u << i : 0;
  return axes;
}

static void multiply_in(lo_job *job, lx **product, lx *factor) {
  *product = *product ? lx_mk(job, LX_MUL, 2, (lx *[]){*product, factor}) : factor;
}

/* The first factor with an axis opens a group; those within its axes join it, the rest are the
 * other.  axes: of both groups */
static bool divide_factors(lo_job *job, const factor_list *list, int n_axis, lx **group,
                           unsigned *axes) {
  group[0] = group[1] = NULL;
  axes[0] = axes[1] = 0;
  for (int i = 0; i < list->n; i++) {
    unsigned of = axes_of(list->factor[i], n_axis);
    bool opens = axes[0] == 0 && of != 0;
    axes[0] |= opens ? of : 0;
    bool first = opens || (of & ~axes[0]) == 0;
    multiply_in(job, &group[first ? 0 : 1], list->factor[i]);
    axes[1] |= first ? 0 : of;
  }
  return group[0] && group[1] && lx_uses_var(group[0], n_axis) && lx_uses_var(group[1], n_axis);
}

/* which of the two groups has the columns: the one with the last axis that has several elements and
 * is not of both */
static int column_group(const lo_simt *plan, const unsigned *axes, unsigned phase) {
  for (int i = plan->n_axis; i-- > 0;) {
    bool of[2] = {axes[0] >> i & 1, axes[1] >> i & 1};
    if (of[0] != of[1] && plan->dim[i] > 1 && !(phase >> i & 1))
      return of[0] ? 0 : 1;
  }
  return 1;
}

static bool divide_axes(lo_simt *plan, lx *const *group, const unsigned *axes, unsigned phase) {
  int columns = column_group(plan, axes, phase);
  plan->batches = 1;
  for (int side = 0; side < 2; side++) {
    plan->side[side].body = group[side == 1 ? columns : 1 - columns];
    plan->side[side].extent = 1;
  }
  for (int i = 0; i < plan->n_axis; i++) {
    bool of[2] = {axes[1 - columns] >> i & 1, axes[columns] >> i & 1};
    if (of[0] == of[1] || (phase >> i & 1)) {
      plan->batch[plan->n_batch++] = i;
      plan->batches *= plan->dim[i];
      continue;
    }
    lo_simt_side *side = &plan->side[of[0] ? 0 : 1];
    side->axis[side->n_axis++] = i;
    side->extent *= plan->dim[i];
  }
  return plan->side[0].extent >= LEAST_EXTENT && plan->side[1].extent >= LEAST_EXTENT;
}

/* --- how operands are fetched */

/* the value of an index expression of one variable; false: there is another, or a read */
static bool evaluate(const lx *expr, int var, long at, long *out) {
  long kid[2] = {0, 0};
  if (expr->op == LX_INT || (expr->op == LX_VAR && expr->number == var)) {
    *out = expr->op == LX_INT ? expr->number : at;
    return true;
  }
  if (expr->n < 1 || expr->n > 2 || !evaluate(expr->kid[0], var, at, &kid[0]) ||
      (expr->n == 2 && !evaluate(expr->kid[1], var, at, &kid[1])))
    return false;
  switch (expr->op) {
  case LX_ADD:
    *out = kid[0] + kid[1];
    return true;
  case LX_SUB:
    *out = kid[0] - kid[1];
    return true;
  case LX_MUL:
    *out = kid[0] * kid[1];
    return true;
  case LX_IDIV:
  case LX_MOD: {
    if (kid[1] <= 0 || kid[0] < 0)
      return false;
    *out = expr->op == LX_IDIV ? kid[0] / kid[1] : kid[0] % kid[1];
    return true;
  }
  default:
    return false;
  }
}

bool lo_simt_lies_elsewhere(const lo_value *tensor) {
  if (tensor->kind == LV_GLOBAL && tensor->buffer_class == LG_PART)
    return true;
  for (int axis = 0; axis < tensor->rank; axis++) {
    if (tensor->live_dim[axis])
      return true;
  }
  return false;
}

long lo_simt_stride(const lo_value *tensor, int axis) {
  long stride = 1;
  for (int i = axis + 1; i < tensor->rank; i++)
    stride *= tensor->dim[i];
  return stride;
}

/* The place in memory of a read at some k, as far as it depends on k; false: it depends on k
 * together with other variables. */
static bool place_at(const lo_value *tensor, const lx *ref, int depth_var, long k, long *place) {
  *place = 0;
  for (int i = 0; i < ref->n; i++) {
    long index = 0;
    if (!lx_uses_var(ref->kid[i], depth_var))
      continue;
    if (!evaluate(ref->kid[i], depth_var, k, &index))
      return false;
    *place += index * lo_simt_stride(tensor, i);
  }
  return true;
}

/* A read whose place goes up by one with each k, seen by trying all of them, is one along its last
 * axis: there, index + k, beyond that axis too.  NULL: it is not */
static lx *along_depth(lo_job *job, lx *ref, int depth_var, long depth) {
  const lo_value *tensor = &job->value[ref->val];
  long first;
  long place;
  if (ref->op != LX_REF || ref->n == 0 || lo_simt_lies_elsewhere(tensor) ||
      depth > MOST_ENUMERATED || !place_at(tensor, ref, depth_var, 0, &first))
    return NULL;
  for (long k = 1; k < depth; k++) {
    if (!place_at(tensor, ref, depth_var, k, &place) || place != first + k)
      return NULL;
  }
  lx *index[AS_MAX_RANK];
  lx *zero[LO_SIMT_AXES + 1] = {0};
  zero[depth_var] = lx_int(job, 0);
  for (int i = 0; i < ref->n; i++)
    index[i] = lx_subst(job, ref->kid[i], zero, depth_var + 1);
  index[ref->n - 1] = lx_mk(job, LX_ADD, 2, (lx *[]){index[ref->n - 1], lx_var(job, depth_var)});
  return lx_ref(job, ref->val, ref->n, index);
}

/* Does a read at the first k begin at a multiple of so many elements, wherever it moves along other
 * axes?  An index that is a number counts too. */
static bool begins_at_vectors(const lo_value *tensor, const lx *ref, int depth_var) {
  long place = 0;
  for (int i = 0; i < ref->n; i++) {
    long index;
    if (lo_simt_stride(tensor, i) % VECTOR == 0)
      continue;
    if (!evaluate(ref->kid[i], depth_var, 0, &index))
      return false;
    place += index * lo_simt_stride(tensor, i);
  }
  return place % VECTOR == 0;
}

/* Are all indices but the last without the variable, and the last one it alone? */
static bool last_is(const lx *ref, int var) {
  for (int i = 0; i + 1 < ref->n; i++) {
    if (lx_uses_var(ref->kid[i], var))
      return false;
  }
  return ref->n > 0 && ref->kid[ref->n - 1]->op == LX_VAR && ref->kid[ref->n - 1]->number == var;
}

static int last_axis(const lo_simt *plan, const lo_simt_side *side) {
  for (int i = side->n_axis; i-- > 0;) {
    if (plan->dim[side->axis[i]] > 1)
      return side->axis[i];
  }
  return -1;
}

static bool is_plain(const lx *ref) {
  for (int i = 0; i < ref->n; i++) {
    if (ref->kid[i]->op != LX_VAR && ref->kid[i]->op != LX_INT)
      return false;
  }
  return true;
}

typedef struct {
  int var;
  bool found;
} last_search;

static void last_uses(void *arg, const lx *ref) {
  last_search *search = arg;
  search->found |= ref->n > 0 && lx_uses_var(ref->kid[ref->n - 1], search->var);
}

static bool some_last_uses(const lx *body, int var) {
  last_search search = {.var = var};
  lx_refs(body, last_uses, &search);
  return search.found;
}

static void choose_fetch(lo_job *job, lo_simt *plan, const lo_value *sum, lo_simt_side *side) {
  int depth_var = plan->n_axis;
  int last = last_axis(plan, side);
  side->fetch = AS_FETCH_COMPUTED;
  side->along_depth = !some_last_uses(side->body, last) && some_last_uses(side->body, depth_var);
  if (side->body->op != LX_REF)
    return;
  const lo_value *tensor = &job->value[side->body->val];
  bool whole_rows = tensor->rank > 0 && tensor->dim[tensor->rank - 1] % VECTOR == 0;
  lx *straight = sum->extent_live ? NULL : along_depth(job, side->body, depth_var, sum->extent);
  if (straight) {
    bool vectors = sum->extent % VECTOR == 0 && begins_at_vectors(tensor, side->body, depth_var);
    side->along_depth = true;
    side->fetch = vectors ? AS_FETCH_VECTOR : AS_FETCH_ELEMENT;
    side->body = straight;
    return;
  }
  if (is_plain(side->body))
    side->fetch = AS_FETCH_ELEMENT;
  if (whole_rows && !lo_simt_lies_elsewhere(tensor) && last >= 0 && last_is(side->body, last) &&
      !plan->live_dim[last] && plan->dim[last] % VECTOR == 0)
    side->fetch = AS_FETCH_VECTOR;
}

/* --- integers of k */

typedef struct {
  lo_simt *plan;
  lo_simt_side *side;
  long depth;
} tabulation;

static void extents_of(const tabulation *of, long *extent) {
  memcpy(extent, of->plan->dim, sizeof of->plan->dim);
  extent[of->plan->n_axis] = of->depth;
}

/* an integer that k alone determines, other than k itself, and that a table of ints can hold */
static bool belongs_in_table(const tabulation *of, const lx *expr, lo_range *range) {
  int depth_var = of->plan->n_axis;
  long extent[LO_SIMT_AXES + 1];
  long first;
  extents_of(of, extent);
  return expr->integer && expr->n > 0 && lx_uses_var(expr, depth_var) &&
         evaluate(expr, depth_var, 0, &first) && lo_range_of(expr, extent, depth_var + 1, range) &&
         lo_fits_int(*range) && range->high - range->low < INT_MAX;
}

/* the entry of an integer, less its least value; it or a variable for it */
static lx *entry_of(lo_job *job, tabulation *of, lx *expr, lo_range range) {
  lo_simt_side *side = of->side;
  lx *shifted = lx_mk(job, LX_SUB, 2, (lx *[]){expr, lx_int(job, range.low)});
  int entry = 0;
  while (entry < side->n_table && !lx_equal(side->table[entry], shifted))
    entry++;
  if (entry == LO_SIMT_TABLE)
    return expr;
  side->table[entry] = shifted;
  side->table_extent[entry] = range.high - range.low + 1;
  side->n_table += entry == side->n_table;
  lx *variable = lx_var(job, of->plan->n_axis + 1 + entry);
  return lx_mk(job, LX_ADD, 2, (lx *[]){variable, lx_int(job, range.low)});
}

/* adds `expr` times `factor` to the sum of what k alone determines or to the rest */
static void add_term(lo_job *job, const tabulation *of, lx *expr, long factor, lx **by_depth,
                     lx **rest) {
  bool sum = expr->op == LX_ADD || expr->op == LX_SUB;
  if (sum) {
    add_term(job, of, expr->kid[0], factor, by_depth, rest);
    add_term(job, of, expr->kid[1], expr->op == LX_SUB ? -factor : factor, by_depth, rest);
    return;
  }
  long first;
  int depth_var = of->plan->n_axis;
  bool alone = lx_uses_var(expr, depth_var) && evaluate(expr, depth_var, 0, &first);
  lx **to = alone ? by_depth : rest;
  lx *term = lx_mk(job, LX_MUL, 2, (lx *[]){expr, lx_int(job, factor)});
  *to = lx_mk(job, LX_ADD, 2, (lx *[]){*to, term});
}

/* A read as one along the last axis, at its place in memory: what k alone determines of that is one
 * integer. */
static lx *flat_read(lo_job *job, const tabulation *of, lx *ref) {
  const lo_value *tensor = &job->value[ref->val];
  long extent[LO_SIMT_AXES + 1];
  lo_range range;
  lx *by_depth = lx_int(job, 0);
  lx *rest = lx_int(job, 0);
  lx *index[AS_MAX_RANK];
  extents_of(of, extent);
  if (ref->n == 0 || lo_simt_lies_elsewhere(tensor) || lo_elems(tensor) > INT_MAX)
    return ref;
  for (int i = 0; i < ref->n; i++) {
    add_term(job, of, ref->kid[i], lo_simt_stride(tensor, i), &by_depth, &rest);
    index[i] = lx_int(job, 0);
  }
  lx *place = lx_mk(job, LX_ADD, 2, (lx *[]){rest, by_depth});
  if (!lo_range_of(place, extent, of->plan->n_axis + 1, &range) || !lo_fits_int(range))
    return ref;
  index[ref->n - 1] = place;
  return lx_ref(job, ref->val, ref->n, index);
}

static lx *tabulated(lo_job *job, tabulation *of, lx *expr) {
  lo_range range;
  if (belongs_in_table(of, expr, &range))
    return entry_of(job, of, expr, range);
  if (expr->op == LX_REF)
    expr = flat_read(job, of, expr);
  if (expr->n == 0)
    return expr;
  lx *result = lx_new(job, expr->op, expr->n);
  lx **kid = result->kid;
  *result = *expr;
  result->kid = kid;
  for (int i = 0; i < expr->n; i++)
    kid[i] = tabulated(job, of, expr->kid[i]);
  return result;
}

static void tabulate(lo_job *job, lo_simt *plan, const lo_value *sum, lo_simt_side *side) {
  tabulation of = {.plan = plan, .side = side, .depth = sum->extent};
  if (side->fetch == AS_FETCH_COMPUTED)
    side->body = tabulated(job, &of, side->body);
}

/* --- the plan of a sum */

static double at_least_one(long extent) {
  return extent > 0 ? (double)extent : 1;
}

static void choose_tile(lo_job *job, const lo_value *sum, lo_simt *plan) {
  as_contraction product = {.batches = at_least_one(plan->batches),
                            .rows = (double)plan->side[0].extent,
                            .columns = (double)plan->side[1].extent,
                            .depth = (double)sum->extent,
                            .fetch_rows = plan->side[0].fetch,
                            .fetch_columns = plan->side[1].fetch};
  plan->tile = as_target_simt_tile(job->options->target, &product);
}

/* four columns are four elements of memory, which begin at a multiple of four */
static bool vectors_fit(const lo_value *result, const lo_simt *plan) {
  int last = last_axis(plan, &plan->side[1]);
  if (lo_simt_lies_elsewhere(result) || last < 0 || plan->dim[last] % VECTOR ||
      plan->live_dim[last] || result->dim[result->rank - 1] % VECTOR)
    return false;
  for (int axis = 0; axis + 1 < result->rank; axis++) {
    if (lx_uses_var(plan->index[axis], last))
      return false;
  }
  const lx *index = plan->index[result->rank - 1];
  return index->op == LX_VAR && index->number == last;
}

bool lo_simt_read(lo_job *job, uint32_t id, bool phases, lo_simt *plan) {
  const lo_value *sum = &job->value[id];
  factor_list list = {.n = 0};
  lx *group[2];
  unsigned axes[2];
  unsigned phase = 0;
  if (sum->kind != LV_RED || sum->red != LO_SUM || sum->extent < 1 || lo_elems(sum) == 0 ||
      sum->rank >= AS_MAX_RANK || lx_has_whole(sum->body) || !add_factors(sum->body, &list) ||
      list.n < 2)
    return false;
  if (!read_axes(job, sum, phases, &list, plan, &phase) ||
      !divide_factors(job, &list, plan->n_axis, group, axes) ||
      !divide_axes(plan, group, axes, phase))
    return false;
  lx *index[AS_MAX_RANK];
  for (int axis = 0; axis < sum->rank; axis++)
    index[axis] = plan->index[axis];
  plan->stored = id;
  plan->stored_body = lx_ref(job, id, sum->rank, index);
  return true;
}

static bool plan_sum(lo_job *job, uint32_t id, lo_simt *plan) {
  const lo_value *sum = &job->value[id];
  if (!lo_simt_read(job, id, false, plan))
    return false;
  for (int side = 0; side < 2; side++) {
    choose_fetch(job, plan, sum, &plan->side[side]);
    tabulate(job, plan, sum, &plan->side[side]);
  }
  choose_tile(job, sum, plan);
  return true;
}

static long tiles(long extent, uint32_t tile) {
  return (extent + tile - 1) / tile;
}

void lo_simt_units(lo_job *job) {
  for (uint32_t i = 0; i < job->n_unit; i++) {
    lo_unit *unit = &job->unit[i];
    lo_simt plan = {.n_axis = 0};
    if (!unit->flat || unit->library || unit->tf32 || unit->simt ||
        !plan_sum(job, unit->flat_val, &plan))
      continue;
    uint32_t at = i;
    lo_epilogue(job, &at, &plan, false);
    plan.stores_vectors = vectors_fit(&job->value[plan.stored], &plan);
    i -= at != i;
    unit = &job->unit[at];
    unit->simt = as_arena_alloc(job->arena, sizeof *unit->simt);
    *unit->simt = plan;
    unit->blocks = plan.batches * tiles(plan.side[0].extent, as_target_simt_rows(&plan.tile)) *
                   tiles(plan.side[1].extent, as_target_simt_columns(&plan.tile));
  }
}
