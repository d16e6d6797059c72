/* Which contractions are made on tensor cores in TF32, and how their operands come there. */
#include "tf32.h"
#include "emit.h"
#include "epilogue.h"
#include "range.h"
#include "src/base/trace.h"
#include "tf32_patch.h"
#include "units.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VECTOR = 4, STORED = 2, MOST_CANDIDATES = 16, MOST_PHASES = 4, MOST_ENTRIES = 256 };

/* An operand is packed where it is small, or each of its elements is used so often that reading
 * and writing it once more is little beside the products. */
enum { LEAST_USES = 512, MOST_SMALL = 1 << 20 };

/* nodes of what is computed of each result where it is stored from registers */
enum { MOST_DIRECT = 40 };

/* bytes that results may be staged in, whatever the slices take */
enum { LEAST_STAGED = 40 << 10 };

/* Slices of fewer useful terms than this in a group waste most of a copy's places. */
enum { LEAST_DEPTH = 8 };

static int inner_variable(const lo_simt *plan) {
  return plan->n_axis;
}

static int class_variable(const lo_simt *plan) {
  return plan->n_axis + 1;
}

void lo_tf32_extents(const lo_tf32 *of, long *extent) {
  memcpy(extent, of->plan.dim, sizeof of->plan.dim);
  extent[inner_variable(&of->plan)] = of->inner;
  extent[class_variable(&of->plan)] = of->classes;
}

long lo_tf32_depth(const lo_tf32 *of) {
  long groups = (of->inner + of->group - 1) / of->group;
  long depth = groups * of->classes * of->group;
  return (depth + of->tile.depth - 1) / of->tile.depth * of->tile.depth;
}

/* --- orders of k */

static void collect(const lx *expr, long depth, long *candidate, int *n) {
  bool divides =
      (expr->op == LX_IDIV || expr->op == LX_MOD) && expr->integer && expr->kid[1]->op == LX_INT;
  long divisor = divides ? expr->kid[1]->number : 0;
  bool known = divisor < 2 || depth % divisor != 0;
  for (int i = 0; i < *n; i++)
    known = known || candidate[i] == divisor;
  if (!known && *n < MOST_CANDIDATES)
    candidate[(*n)++] = divisor;
  for (int i = 0; i < expr->n; i++)
    collect(expr->kid[i], depth, candidate, n);
}

/* `expr` over inner and class instead of k */
static lx *divided(lo_job *job, const lo_tf32 *of, lx *expr) {
  lx *by[LO_SIMT_AXES + 1] = {0};
  long extent[LO_SIMT_AXES + 2];
  lx *fast = lx_var(job, of->inner_first ? class_variable(&of->plan) : inner_variable(&of->plan));
  lx *slow = lx_var(job, of->inner_first ? inner_variable(&of->plan) : class_variable(&of->plan));
  lx *step = lx_int(job, of->inner_first ? of->classes : of->inner);
  by[of->plan.n_axis] =
      lx_mk(job, LX_ADD, 2, (lx *[]){lx_mk(job, LX_MUL, 2, (lx *[]){slow, step}), fast});
  lo_tf32_extents(of, extent);
  return lx_simplify(job, lx_subst(job, expr, by, of->plan.n_axis + 1), extent,
                     of->plan.n_axis + 2);
}

/* --- places */

bool lo_tf32_affine(const lx *expr, int var, long *coefficient) {
  long left = 0;
  long right = 0;
  *coefficient = 0;
  if (!lx_uses_var(expr, var))
    return true;
  if (expr->op == LX_VAR) {
    *coefficient = 1;
    return true;
  }
  if (expr->op == LX_MUL) {
    bool first = expr->kid[0]->op == LX_INT;
    const lx *factor = expr->kid[first ? 0 : 1];
    if (factor->op != LX_INT || !lo_tf32_affine(expr->kid[first ? 1 : 0], var, &left))
      return false;
    *coefficient = left * factor->number;
    return true;
  }
  if ((expr->op != LX_ADD && expr->op != LX_SUB) || !lo_tf32_affine(expr->kid[0], var, &left) ||
      !lo_tf32_affine(expr->kid[1], var, &right))
    return false;
  *coefficient = expr->op == LX_ADD ? left + right : left - right;
  return true;
}

static void add(lo_job *job, lx **sum, lx *term) {
  *sum = *sum ? lx_mk(job, LX_ADD, 2, (lx *[]){*sum, term}) : term;
}

/* adds `expr` times `factor` to what depends on the class or to what does not */
static void add_term(lo_job *job, const lo_tf32 *of, lx *expr, long factor, lo_tf32_side *side) {
  if (expr->op == LX_ADD || expr->op == LX_SUB) {
    add_term(job, of, expr->kid[0], factor, side);
    add_term(job, of, expr->kid[1], expr->op == LX_SUB ? -factor : factor, side);
    return;
  }
  bool scaled = expr->op == LX_MUL && expr->kid[1]->op == LX_INT;
  if (scaled) {
    add_term(job, of, expr->kid[0], factor * expr->kid[1]->number, side);
    return;
  }
  bool moves = lx_uses_var(expr, class_variable(&of->plan)) ||
               (of->phase >= 0 && lx_uses_var(expr, of->phase));
  add(job, moves ? &side->moving : &side->fixed,
      lx_mk(job, LX_MUL, 2, (lx *[]){expr, lx_int(job, factor)}));
}

/* the place of a read in memory, in its parts; false: it does not go up by the same with each inner
 * number, or is beyond 32 bits */
static bool read_place(lo_job *job, const lo_tf32 *of, const lx *ref, lo_tf32_side *side) {
  const lo_value *tensor = &job->value[ref->val];
  long extent[LO_SIMT_AXES + 2];
  int inner = inner_variable(&of->plan);
  lx *zero[LO_SIMT_AXES + 2] = {0};
  lo_range range;
  zero[inner] = lx_int(job, 0);
  lo_tf32_extents(of, extent);
  side->fixed = side->moving = lx_int(job, 0);
  side->step = 0;
  for (int i = 0; i < ref->n; i++) {
    long coefficient;
    if (!lo_tf32_affine(ref->kid[i], inner, &coefficient))
      return false;
    long stride = lo_simt_stride(tensor, i);
    side->step += coefficient * stride;
    lx *first = lx_simplify(job, lx_subst(job, ref->kid[i], zero, inner + 1), extent, inner + 2);
    add_term(job, of, first, stride, side);
  }
  lx *steps = lx_mk(job, LX_MUL, 2, (lx *[]){lx_var(job, inner), lx_int(job, side->step)});
  lx *place = lx_mk(job, LX_ADD, 2, (lx *[]){side->fixed, side->moving});
  place = lx_mk(job, LX_ADD, 2, (lx *[]){place, steps});
  return lo_range_of(place, extent, inner + 2, &range) && lo_fits_int(range);
}

/* the last of the side's axes that has several elements; -1: none */
static int last_axis(const lo_simt *plan, int which) {
  const lo_simt_side *side = &plan->side[which];
  for (int i = side->n_axis; i-- > 0;) {
    if (plan->dim[side->axis[i]] > 1)
      return side->axis[i];
  }
  return -1;
}

/* Are four rows that begin at a multiple of four 16 bytes of memory that begin at a multiple of 16?
 */
static bool follows_itself(const lo_tf32 *of, const lo_value *tensor, const lx *ref, int which) {
  const lo_simt *plan = &of->plan;
  int last = last_axis(plan, which);
  if (last < 0 || plan->dim[last] % VECTOR || ref->n == 0 || tensor->dim[tensor->rank - 1] % VECTOR)
    return false;
  for (int i = 0; i + 1 < ref->n; i++) {
    if (lx_uses_var(ref->kid[i], last))
      return false;
  }
  const lx *index = ref->kid[ref->n - 1];
  return index->op == LX_VAR && index->number == last;
}

/* Are four k that begin at a multiple of four 16 bytes that begin at a multiple of 16, and all k of
 * one class so? */
static bool goes_along_depth(const lo_job *job, const lo_tf32 *of, const lx *ref,
                             const lo_tf32_side *side) {
  const lo_value *tensor = &job->value[ref->val];
  int inner = inner_variable(&of->plan);
  if (of->classes != 1 || side->step != 1 || of->inner % VECTOR || side->guard || ref->n == 0)
    return false;
  for (int i = 0; i < ref->n; i++) {
    bool uses_inner = lx_uses_var(ref->kid[i], inner);
    bool last = i + 1 == ref->n;
    if (last ? ref->kid[i]->op != LX_VAR || !uses_inner : uses_inner)
      return false;
  }
  return tensor->dim[tensor->rank - 1] % VECTOR == 0;
}

static bool is_zero(const lx *expr) {
  if (expr->op == LX_INT)
    return expr->number == 0;
  return expr->op == LX_NUM && !(expr->real < 0 || expr->real > 0);
}

static lx *both(lo_job *job, lx *left, lx *right) {
  if (left == NULL || right == NULL)
    return left ? left : right;
  return lx_mk(job, LX_AND, 2, (lx *[]){left, right});
}

static bool may_be_by_groups(const lo_job *job) {
  return (job->options->target->has & AS_HAS_WGMMA) && job->options->warps % 4 == 0;
}

/* Reads a side as elements of one tensor where a guard holds; false: it is not. */
static bool read_side(lo_job *job, const lo_tf32 *of, int which, lo_tf32_side *side) {
  lx *body = divided(job, of, of->plan.side[which].body);
  *side = (lo_tf32_side){.guard = which ? of->plan.inside : NULL};
  while (body->op == LX_IF && is_zero(body->kid[2]) && lo_is_cheap_condition(body->kid[0])) {
    side->guard = both(job, side->guard, body->kid[0]);
    body = body->kid[1];
  }
  if (body->op != LX_REF || lx_has_whole(body) ||
      (side->guard && lx_uses_var(side->guard, inner_variable(&of->plan))))
    return false;
  const lo_value *tensor = &job->value[body->val];
  side->val = body->val;
  if (tensor->place != LP_GLOBAL || tensor->dtype == AS_INT || lo_simt_lies_elsewhere(tensor) ||
      !read_place(job, of, body, side))
    return false;
  int last = last_axis(&of->plan, which);
  bool four = follows_itself(of, tensor, body, which) && side->step % VECTOR == 0 &&
              !(side->guard && last >= 0 && lx_uses_var(side->guard, last));
  side->fetch = four ? AS_FETCH_VECTOR : AS_FETCH_COMPUTED;
  if (!four && which && goes_along_depth(job, of, body, side) && may_be_by_groups(job))
    side->fetch = AS_FETCH_DEPTH;
  side->scattered = last < 0 || body->n == 0 || !lx_uses_var(body->kid[body->n - 1], last);
  return true;
}

static bool may_pack(const lo_tf32 *of, int which, long depth) {
  double elements = (double)of->plan.side[which].extent * (double)depth;
  return of->plan.side[1 - which].extent >= LEAST_USES || elements <= MOST_SMALL;
}

static long filled(long inner, long group) {
  return (inner + group - 1) / group * group;
}

/* what groups are worth: the useful part of what is multiplied, times how seldom a place is
 * computed
 */
static double worth_of_group(long inner, long group) {
  return (double)inner / (double)filled(inner, group) * (double)group / (double)(group + 2);
}

static long group_of(long inner, long most) {
  long best = most;
  for (long group = most / 2; group > 0; group /= 2) {
    if (worth_of_group(inner, group) > worth_of_group(inner, best))
      best = group;
  }
  return best;
}

/* what an order of k is worth, with what packing takes beside the products */
static double worth(const lo_tf32 *of) {
  double packed = 0;
  for (int which = 0; which < 2; which++) {
    if (of->side[which].packed)
      packed += 1.0 / (double)of->plan.side[1 - which].extent;
  }
  return worth_of_group(of->inner, group_of(of->inner, 32)) / (1 + 400 * packed);
}

/* both sides in this order of k; false: one can be neither read nor packed */
static bool read_order(lo_job *job, lo_tf32 *of, long depth) {
  for (int which = 0; which < 2; which++) {
    lo_tf32_side *side = &of->side[which];
    bool reads = read_side(job, of, which, side);
    bool near = side->fetch != AS_FETCH_COMPUTED || !side->scattered;
    bool packs = of->plan.n_batch + 4 <= AS_MAX_RANK && may_pack(of, which, depth);
    if (reads && near && !(which == 0 && packs && may_be_by_groups(job)))
      continue;
    if (packs)
      *side = (lo_tf32_side){.packed = true, .fetch = AS_FETCH_VECTOR};
    else if (!reads)
      return false;
  }
  return true;
}

static bool choose_order(lo_job *job, lo_tf32 *of, long depth) {
  long candidate[MOST_CANDIDATES] = {1, depth};
  int n = depth > 1 ? 2 : 1;
  double best = 0;
  lo_tf32 chosen = *of;
  for (int which = 0; which < 2; which++)
    collect(of->plan.side[which].body, depth, candidate, &n);
  for (int i = 0; i < 2 * n; i++) {
    of->inner_first = i % 2 == 0;
    of->classes = candidate[i / 2];
    of->inner = depth / of->classes;
    if (!read_order(job, of, depth) || worth(of) <= best)
      continue;
    best = worth(of);
    chosen = *of;
  }
  *of = chosen;
  return best > 0;
}

/* --- packing */

static lx *remainder_of(lo_job *job, lx *number, long divisor) {
  return lx_mk(job, LX_MOD, 2, (lx *[]){number, lx_int(job, divisor)});
}

static lx *quotient_of(lo_job *job, lx *number, long divisor) {
  return lx_mk(job, LX_IDIV, 2, (lx *[]){number, lx_int(job, divisor)});
}

static lx *plus(lo_job *job, lx *left, lx *right) {
  return lx_mk(job, LX_ADD, 2, (lx *[]){left, right});
}

static lx *times(lo_job *job, lx *number, long factor) {
  return lx_mk(job, LX_MUL, 2, (lx *[]){number, lx_int(job, factor)});
}

/* the index of an operand's row in what is packed, and of k among the slices' */
typedef struct {
  lx *row;
  lx *number;
} packed_place;

/* An element of a fragment, which is 16 rows and 8 k: number 4 lane + register of 128.  Of rows
 * lane 4 g + t has rows 2 g and 2 g + 1 of k t, and the same of k t + 4; of columns column g of k t
 * and of t + 4, and the same of column g + 8. */
static packed_place packed_at(lo_job *job, int which, lx *eight, lx *sixteen, lx *element) {
  lx *lane = quotient_of(job, element, 4);
  lx *low = remainder_of(job, element, 2);
  lx *high = remainder_of(job, quotient_of(job, element, 2), 2);
  lx *row = which ? quotient_of(job, lane, 4) : times(job, quotient_of(job, lane, 4), 2);
  row = plus(job, row, which ? times(job, high, 8) : low);
  lx *within = plus(job, remainder_of(job, lane, 4), times(job, which ? low : high, 4));
  return (packed_place){.row = plus(job, times(job, sixteen, 16), row),
                        .number = plus(job, times(job, eight, 8), within)};
}

/* The same where tensor cores read it from shared memory: 8 rows and 8 k, the first four k row by
 * row, then the others. */
static packed_place packed_for_groups(lo_job *job, bool along_depth, lx *eight, lx *rows,
                                      lx *element) {
  lx *row = remainder_of(job, quotient_of(job, element, 4), 8);
  lx *low = remainder_of(job, element, 4);
  lx *high = quotient_of(job, element, 32);
  lx *number = plus(job, times(job, eight, 8), plus(job, low, times(job, high, 4)));
  if (along_depth) { /* of 16 k a lane has the four from 4 t on: two products of eight */
    lx *sixteen = times(job, quotient_of(job, eight, 2), 16);
    lx *two = plus(job, times(job, low, 4), times(job, remainder_of(job, eight, 2), 2));
    number = plus(job, sixteen, plus(job, two, high));
  }
  return (packed_place){.row = plus(job, times(job, rows, 8), row), .number = number};
}

/* what the operand's variables are at a row and a number of k; the conditions that it is one */
static lx *unpack(lo_job *job, const lo_tf32 *of, int which, packed_place at, lx **by) {
  const lo_simt *plan = &of->plan;
  const lo_simt_side *side = &plan->side[which];
  long below = 1;
  for (int i = side->n_axis; i-- > 0;) {
    lx *index = quotient_of(job, at.row, below);
    by[side->axis[i]] = i ? remainder_of(job, index, plan->dim[side->axis[i]]) : index;
    below *= plan->dim[side->axis[i]];
  }
  lx *groups = quotient_of(job, at.number, of->group);
  lx *first = lx_mk(job, LX_MUL, 2,
                    (lx *[]){quotient_of(job, groups, of->classes), lx_int(job, of->group)});
  lx *inner = lx_mk(job, LX_ADD, 2, (lx *[]){first, remainder_of(job, at.number, of->group)});
  by[inner_variable(plan)] = inner;
  by[class_variable(plan)] = remainder_of(job, groups, of->classes);
  lx *is_row = lx_mk(job, LX_LT, 2, (lx *[]){at.row, lx_int(job, side->extent)});
  lx *is_term = lx_mk(job, LX_LT, 2, (lx *[]){inner, lx_int(job, of->inner)});
  return both(job, is_row, is_term);
}

static lx *call_of(lo_job *job, const char *function, lx *argument) {
  lx *call = lx_new(job, LX_CALL, 1);
  call->function = function;
  call->kid[0] = argument;
  return call;
}

/* A new tensor of an operand, fragment by fragment: rounded elements, 0 where there are none. */
static uint32_t pack(lo_job *job, lo_tf32 *of, const lo_value *sum, int which) {
  const lo_simt *plan = &of->plan;
  lo_tf32_side *side = &of->side[which];
  uint32_t tile = which ? as_target_tf32_columns(&of->tile) : as_target_tf32_rows(&of->tile);
  lx *body = divided(job, of, plan->side[which].body);
  lx *by[LO_SIMT_AXES + 2] = {0};
  long dim[AS_MAX_RANK];
  int rank = 0;
  lx *batch = lx_int(job, 0);
  for (int i = 0; i < plan->n_batch; i++) {
    int axis = plan->batch[i];
    if (!lx_uses_var(body, axis))
      continue;
    by[axis] = lx_var(job, rank);
    dim[rank++] = plan->dim[axis];
    lx *before = lx_mk(job, LX_MUL, 2, (lx *[]){batch, lx_int(job, plan->dim[axis])});
    batch = lx_mk(job, LX_ADD, 2, (lx *[]){before, lx_var(job, axis)});
  }
  side->pitch = (plan->side[which].extent + tile - 1) / tile * tile;
  lx *part = lx_var(job, rank); /* the first part of factors, or the rest */
  if (of->tile.in_parts)
    dim[rank++] = 2;
  lx *place[3] = {lx_var(job, rank), lx_var(job, rank + 1), lx_var(job, rank + 2)};
  packed_place at = of->tile.by_groups
                        ? packed_for_groups(job, of->tile.along_depth, place[0], place[1], place[2])
                        : packed_at(job, which, place[0], place[1], place[2]);
  lx *there = unpack(job, of, which, at, by);
  dim[rank++] = lo_tf32_depth(of) / 8;
  dim[rank++] = side->pitch / (of->tile.by_groups ? 8 : 16);
  dim[rank++] = of->tile.by_groups ? 64 : 128;
  lx *element = lx_subst(job, body, by, plan->n_axis + 2);
  lx *rounded = call_of(job, "as_tf32", element);
  if (of->tile.in_parts) {
    lx *is_first = lx_mk(job, LX_EQ, 2, (lx *[]){part, lx_int(job, 0)});
    rounded =
        lx_mk(job, LX_IF, 3, (lx *[]){is_first, rounded, call_of(job, "as_tf32_rest", element)});
  }
  body = lx_mk(job, LX_IF, 3, (lx *[]){there, rounded, lx_num(job, 0)});
  side->fixed = times(job, batch, (of->tile.in_parts ? 2 : 1) * lo_tf32_depth(of) * side->pitch);
  char *name = as_format("%s_%s", sum->name, which ? "columns" : "rows");
  uint32_t id = lo_new_val(job, LV_MAP, name, rank, dim);
  free(name);
  lo_value *value = &job->value[id];
  value->body = lx_simplify(job, body, dim, rank);
  value->place = LP_GLOBAL;
  value->buffer_class = LG_WORK;
  value->dtype = AS_F32;
  side->val = id;
  return id;
}

/* --- the plan of a sum */

static bool is_live(const lo_simt *plan, const lo_value *sum) {
  bool live = sum->extent_live > 0;
  for (int i = 0; i < plan->n_axis; i++)
    live = live || plan->live_dim[i];
  return live;
}

/* How many columns follow each other in the result: as far as the last column axes are its last
 * axes. */
static long run_of_columns(const lo_value *result, const lo_simt *plan) {
  const lo_simt_side *side = &plan->side[1];
  long run = 1;
  int at = result->rank - 1;
  for (int i = side->n_axis; i-- > 0 && at >= 0; at--) {
    while (at > 0 && result->dim[at] == 1)
      at--;
    const lx *index = plan->index[at];
    if (index->op != LX_VAR || index->number != side->axis[i])
      return run;
    run *= plan->dim[side->axis[i]];
  }
  return run;
}

/* Two columns that begin at a multiple of two lie beside each other in the result: the run is a
 * multiple of two, so that they are in one, and begins at one. */
static bool stores_vectors(const lo_value *result, const lo_simt *plan) {
  return !lo_simt_lies_elsewhere(result) && plan->inside == NULL &&
         run_of_columns(result, plan) % STORED == 0;
}

/* The same of two columns with their remainders, or of one's remainders alone. */
static long stored_at_once(const lo_value *result, const lo_tf32 *of) {
  const lo_simt *plan = &of->plan;
  if (of->phases == 1)
    return plan->stores_vectors ? 2 : 1;
  long row = result->rank ? result->dim[result->rank - 1] : 1;
  int last = last_axis(plan, 1);
  const lx *index = result->rank ? plan->index[result->rank - 1] : NULL;
  bool along = index && last >= 0 && lx_uses_var(index, last) && plan->n_axis == of->phase + 1 &&
               last + 1 == of->phase;
  if (of->phases != 2 || !along || lo_simt_lies_elsewhere(result) || row % 2)
    return 1;
  return row % 4 ? 2 : 4;
}

/* Four lanes with two rows each use different banks. */
long lo_tf32_staged_pitch(const lo_tf32 *of) {
  return as_target_tf32_columns(&of->tile) * of->phases + 4;
}

long lo_tf32_staged_rows(const lo_tf32 *of) {
  long rows = as_target_tf32_rows(&of->tile);
  long shared = as_target_tf32_shared(&of->tile);
  long fit = (shared > LEAST_STAGED ? shared : LEAST_STAGED) / (4 * lo_tf32_staged_pitch(of));
  return fit < rows ? fit / 8 * 8 : rows;
}

/* Results go by way of shared memory where stores from registers would be of single elements, or
 * what is computed of each would stand in the text for each register. */
static bool is_staged(const lo_tf32 *of) {
  const lx *body = of->plan.stored_body;
  bool long_text = lx_costly(body) || lx_size(body) > MOST_DIRECT;
  bool must = of->tile.patch || of->plan.fold_body;
  return of->tile.by_groups && (of->stored_at_once == 1 || long_text || must) &&
         lo_tf32_staged_rows(of) >= 8;
}

static as_contraction contraction_of(const lo_job *job, const lo_tf32 *of) {
  const lo_simt *plan = &of->plan;
  long groups = (of->inner + of->group - 1) / of->group;
  return (as_contraction){.batches = (double)plan->batches,
                          .rows = (double)plan->side[0].extent,
                          .columns = (double)plan->side[1].extent,
                          .depth = (double)(groups * of->classes * of->group),
                          .fetch_rows = of->side[0].fetch,
                          .fetch_columns = of->side[1].fetch,
                          .packs_rows = of->side[0].packed && !of->side[1].packed,
                          .in_parts = of->in_parts,
                          .phases = (uint32_t)of->phases,
                          .warps = job->options->warps};
}

/* The axis of remainders of the result's last axis; -1: that has none, or more than a thread keeps.
 */
static int phase_axis(const lo_simt *plan, const lo_value *sum) {
  const lx *index = sum->rank ? plan->index[sum->rank - 1] : NULL;
  if (index == NULL || index->op != LX_ADD || index->kid[1]->op != LX_VAR)
    return -1;
  int axis = (int)index->kid[1]->number;
  for (int i = 0; i < plan->n_batch; i++) {
    if (plan->batch[i] == axis && plan->dim[axis] <= MOST_PHASES)
      return axis;
  }
  return -1;
}

static void keep_phases(lo_simt *plan, int axis) {
  int n = 0;
  for (int i = 0; i < plan->n_batch; i++) {
    if (plan->batch[i] != axis)
      plan->batch[n++] = plan->batch[i];
  }
  plan->n_batch = n;
  plan->batches /= plan->dim[axis];
}

/* `expr` without what is a multiple of the divisor, whatever the variables are */
static lx *without_multiples(lo_job *job, lx *expr, long divisor) {
  if (expr->op == LX_ADD || expr->op == LX_SUB)
    return lx_mk(job, expr->op, 2,
                 (lx *[]){without_multiples(job, expr->kid[0], divisor),
                          without_multiples(job, expr->kid[1], divisor)});
  bool scaled = expr->op == LX_MUL && expr->kid[1]->op == LX_INT;
  bool multiple = scaled && expr->kid[1]->number % divisor == 0;
  return multiple ? lx_int(job, 0) : expr;
}

/* a remainder compared with a number: the same, of what decides on it */
static lx *by_remainder(lo_job *job, lx *relation) {
  lx *left = relation->n == 2 ? relation->kid[0] : NULL;
  bool remainder = left && left->op == LX_MOD && left->integer && left->kid[1]->op == LX_INT &&
                   left->kid[1]->number > 0 && relation->kid[1]->op == LX_INT;
  if (!remainder)
    return relation;
  lx *number = without_multiples(job, left->kid[0], left->kid[1]->number);
  left = lx_mk(job, LX_MOD, 2, (lx *[]){number, left->kid[1]});
  return lx_mk(job, relation->op, 2, (lx *[]){left, relation->kid[1]});
}

/* adds to *needed the conditions of a guard that are the same for all columns of a block */
static void same_for_columns(lo_job *job, const lo_tf32 *of, lx *guard, lx **needed) {
  const lo_simt_side *columns = &of->plan.side[1];
  if (guard->op == LX_AND) {
    same_for_columns(job, of, guard->kid[0], needed);
    same_for_columns(job, of, guard->kid[1], needed);
    return;
  }
  lx *relation = by_remainder(job, guard);
  bool same = lx_uses_var(relation, class_variable(&of->plan));
  for (int i = 0; i < of->plan.n_batch; i++)
    same = same || lx_uses_var(relation, of->plan.batch[i]);
  for (int i = 0; i < columns->n_axis; i++)
    same = same && !lx_uses_var(relation, columns->axis[i]);
  if (same)
    *needed = both(job, *needed, relation);
}

/* Chooses the tile, and whether a thread keeps the results of all remainders; false: there is none.
 */
static bool choose_tile(lo_job *job, lo_tf32 *of) {
  const as_target *target = job->options->target;
  of->needed = NULL;
  if (of->side[1].guard)
    same_for_columns(job, of, of->side[1].guard, &of->needed);
  for (int kept = of->phase >= 0; kept >= 0; kept--) {
    of->phases = kept ? of->plan.dim[of->phase] : 1;
    of->group = group_of(of->inner, 16);
    as_contraction product = contraction_of(job, of);
    product.batches /= (double)of->phases;
    product.most_depth = of->needed ? (uint32_t)group_of(of->inner, 32) : 0;
    of->tile = as_target_tf32_tile(target, &product);
    of->group = group_of(of->inner, of->tile.depth);
    if (of->side[1].fetch == AS_FETCH_DEPTH) /* four k are never apart */
      of->group = (long)of->tile.depth;
    of->skips = of->needed && of->group == of->tile.depth && of->classes > 1 &&
                of->classes * of->phases <= MOST_ENTRIES;
    if (of->tile.us < HUGE_VAL && (kept == 0 || of->skips))
      break;
  }
  if (of->tile.us >= HUGE_VAL)
    return false; /* none fits: it has no depth that could divide anything */
  if (of->phases > 1)
    keep_phases(&of->plan, of->phase);
  as_contraction product = contraction_of(job, of);
  lo_tf32_patch(job, of, &product);
  return true;
}

/* --- factors of 16 bits
 * They have at most eleven bits of significand and fewer bits of exponent than TF32: each is one of
 * its numbers, whatever rounding is permitted.  Elements that are copied to shared memory have 32
 * bits there, so a tensor of them is made of 32 bits first, where its elements are used so often
 * that this takes little beside. */
enum { LEAST_USES_OF_WIDENED = 64 };

/* Is it an element of a tensor of 16 bits, or 0 where there is none? */
static bool is_narrow(const lo_job *job, const lx *body) {
  while (body->op == LX_IF && is_zero(body->kid[2]))
    body = body->kid[1];
  return body->op == LX_REF && as_dtype_bytes(job->value[body->val].dtype) == 2;
}

static bool are_narrow(const lo_job *job, const lo_simt *plan) {
  return is_narrow(job, plan->side[0].body) && is_narrow(job, plan->side[1].body);
}

/* is a side copied from a tensor of 16 bits? */
static bool is_to_be_widened(const lo_job *job, const lo_tf32_side *side) {
  return !side->packed && job->value[side->val].dtype != AS_F32;
}

static bool is_worth_widening(const lo_job *job, const lo_tf32 *of, double depth) {
  const lo_simt *plan = &of->plan;
  double terms = (double)plan->batches * (double)plan->side[0].extent *
                 (double)plan->side[1].extent * depth * (double)of->phases;
  bool worth = true;
  for (int which = 0; which < 2; which++) {
    const lo_tf32_side *side = &of->side[which];
    if (is_to_be_widened(job, side))
      worth = worth && terms >= LEAST_USES_OF_WIDENED * (double)lo_elems(&job->value[side->val]);
  }
  return worth;
}

/* the tensor that a side is copied from, of 32 bits */
static uint32_t widen(lo_job *job, lo_tf32_side *side) {
  const lo_value narrow = job->value[side->val];
  lx *index[AS_MAX_RANK];
  for (int axis = 0; axis < narrow.rank; axis++)
    index[axis] = lx_var(job, axis);
  char *name = as_format("%s_wide", narrow.name);
  uint32_t id = lo_new_val(job, LV_MAP, name, narrow.rank, narrow.dim);
  free(name);
  lo_value *value = &job->value[id];
  value->body = lx_ref(job, side->val, narrow.rank, index);
  value->place = LP_GLOBAL;
  value->buffer_class = LG_WORK;
  value->dtype = AS_F32;
  side->val = id;
  return id;
}

static bool plan_sum(lo_job *job, uint32_t id, lo_tf32 *of) {
  const lo_value *sum = &job->value[id];
  if (!(job->options->target->has & AS_HAS_TF32) || job->options->no_mma ||
      !lo_simt_read(job, id, true, &of->plan) || is_live(&of->plan, sum) ||
      sum->extent < LEAST_DEPTH)
    return false;
  of->exact = are_narrow(job, &of->plan);
  if (sum->rounding == AS_ROUND_NEVER && !of->exact)
    return false;
  of->in_parts = sum->rounding == AS_ROUND_IN_PARTS && !of->exact;
  of->phase = phase_axis(&of->plan, sum);
  if (!choose_order(job, of, sum->extent))
    return false;
  lo_tf32 apart = *of;
  bool found = choose_tile(job, of) && is_worth_widening(job, of, (double)sum->extent);
  if (of->exact || sum->rounding != AS_ROUND_AUTO)
    return found;
  apart.in_parts = true;
  if (!choose_tile(job, &apart) || !is_worth_widening(job, &apart, (double)sum->extent))
    return found;
  bool preferred = as_target_prefers_parts(&of->tile, &apart.tile, (double)of->inner);
  AS_TRACE(LOWER, "%s: by the model %.1f us with factors in TF32, %.1f us with two parts of them",
           sum->name, of->tile.us, apart.tile.us);
  if (preferred)
    *of = apart;
  return found || preferred;
}

double lo_tf32_us(lo_job *job, const lo_unit *unit) {
  lo_tf32 plan = {.classes = 1};
  return unit->flat && plan_sum(job, unit->flat_val, &plan) ? plan.tile.us : HUGE_VAL;
}

static long tiles(long extent, uint32_t tile) {
  return (extent + tile - 1) / tile;
}

/* May a thread go over all rows of its columns? */
static bool keeps_all_rows(const lo_tf32 *of) {
  return of->tile.by_groups && of->plan.side[0].extent <= as_target_tf32_rows(&of->tile) &&
         lo_tf32_staged_rows(of) == as_target_tf32_rows(&of->tile);
}

void lo_tf32_units(lo_job *job) {
  for (uint32_t i = 0; i < job->n_unit; i++) {
    lo_unit *unit = &job->unit[i];
    lo_tf32 plan = {.classes = 1};
    if (!unit->flat || unit->library || unit->tf32 || !plan_sum(job, unit->flat_val, &plan))
      continue;
    uint32_t at = i;
    lo_epilogue(job, &at, &plan.plan, keeps_all_rows(&plan));
    plan.plan.stores_vectors = stores_vectors(&job->value[plan.plan.stored], &plan.plan);
    plan.stored_at_once = stored_at_once(&job->value[plan.plan.stored], &plan);
    plan.staged = is_staged(&plan);
    unit = &job->unit[at];
    unit->tf32 = as_arena_alloc(job->arena, sizeof *unit->tf32);
    unit->blocks = plan.plan.batches *
                   tiles(plan.plan.side[0].extent, as_target_tf32_rows(&plan.tile)) *
                   tiles(plan.plan.side[1].extent, as_target_tf32_columns(&plan.tile));
    lo_tf32 *kept = unit->tf32;
    uint32_t sum = unit->flat_val;
    *kept = plan;
    uint32_t before = at;
    for (int which = 0; which < 2; which++) {
      if (kept->side[which].packed)
        lo_insert_flat_unit(job, at++, pack(job, kept, &job->value[sum], which));
      else if (is_to_be_widened(job, &kept->side[which]))
        lo_insert_flat_unit(job, at++, widen(job, &kept->side[which]));
    }
    i = before == i ? at : i - 1;
  }
}
