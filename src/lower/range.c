#include "range.h"
#include "body.h"
#include <limits.h>

static long floor_div(long dividend, long divisor) {
  long quotient = dividend / divisor;
  return quotient - (dividend % divisor < 0);
}

static lo_range hull(lo_range left, lo_range right) {
  return (lo_range){left.low < right.low ? left.low : right.low,
                    left.high > right.high ? left.high : right.high};
}

static bool sum_range(lo_range left, lo_range right, lo_range *range) {
  return !__builtin_add_overflow(left.low, right.low, &range->low) &&
         !__builtin_add_overflow(left.high, right.high, &range->high);
}

static bool difference_range(lo_range left, lo_range right, lo_range *range) {
  return !__builtin_sub_overflow(left.low, right.high, &range->low) &&
         !__builtin_sub_overflow(left.high, right.low, &range->high);
}

static bool product_range(lo_range left, lo_range right, lo_range *range) {
  long corner[4];
  if (__builtin_mul_overflow(left.low, right.low, &corner[0]) ||
      __builtin_mul_overflow(left.low, right.high, &corner[1]) ||
      __builtin_mul_overflow(left.high, right.low, &corner[2]) ||
      __builtin_mul_overflow(left.high, right.high, &corner[3]))
    return false;
  *range = (lo_range){corner[0], corner[0]};
  for (int i = 1; i < 4; i++)
    *range = hull(*range, (lo_range){corner[i], corner[i]});
  return true;
}

static bool quotient_range(lo_range left, lo_range right, lo_range *range) {
  if (right.low <= 0)
    return false;
  *range = hull((lo_range){floor_div(left.low, right.low), floor_div(left.high, right.low)},
                (lo_range){floor_div(left.low, right.high), floor_div(left.high, right.high)});
  return true;
}

static bool remainder_range(lo_range left, lo_range right, lo_range *range) {
  if (right.low <= 0)
    return false;
  bool same = left.low >= 0 && left.high < right.low;
  *range = same ? left : (lo_range){0, right.high - 1};
  return true;
}

static bool absolute_range(lo_range of, lo_range *range) {
  if (of.low == LONG_MIN)
    return false;
  if (of.low >= 0) {
    *range = of;
    return true;
  }
  long below = -of.low;
  *range = (lo_range){of.high >= 0 ? 0 : -of.high, below > of.high ? below : of.high};
  return true;
}

bool lo_range_within(const lx *expr, const lo_range *of, int n, lo_range *range) {
  lo_range left;
  lo_range right;
  switch (expr->op) {
  case LX_INT:
    *range = (lo_range){expr->number, expr->number};
    return expr->number != LONG_MIN;
  case LX_VAR:
    if (expr->number >= n)
      return false;
    *range = of[expr->number];
    return true;
  case LX_CUT:
  case LX_FIRST:
    *range = (lo_range){expr->low, expr->high};
    return true;
  case LX_WHOLE:
    for (int i = 0; i < expr->n; i++) {
      if (!lo_range_within(expr->kid[i], of, n, &left))
        return false;
    }
    *range = (lo_range){INT_MIN, INT_MAX};
    return true;
  case LX_IF:
    if (!expr->integer || !lo_range_within(expr->kid[1], of, n, &left) ||
        !lo_range_within(expr->kid[2], of, n, &right))
      return false;
    *range = hull(left, right);
    return true;
  default:
    break;
  }
  if (!expr->integer || expr->n < 1 || !lo_range_within(expr->kid[0], of, n, &left) ||
      (expr->n > 1 && !lo_range_within(expr->kid[1], of, n, &right)))
    return false;
  switch (expr->op) {
  case LX_ADD:
    return sum_range(left, right, range);
  case LX_SUB:
    return difference_range(left, right, range);
  case LX_MUL:
    return product_range(left, right, range);
  case LX_IDIV:
    return quotient_range(left, right, range);
  case LX_MOD:
    return remainder_range(left, right, range);
  case LX_ABS:
    return absolute_range(left, range);
  case LX_MAX:
    *range = (lo_range){left.low > right.low ? left.low : right.low,
                        left.high > right.high ? left.high : right.high};
    return true;
  case LX_MIN:
    *range = (lo_range){left.low < right.low ? left.low : right.low,
                        left.high < right.high ? left.high : right.high};
    return true;
  default:
    return false;
  }
}

bool lo_range_of(const lx *expr, const long *extent, int n, lo_range *range) {
  lo_range of[LO_MAX_VARS];
  int known = n < LO_MAX_VARS ? n : LO_MAX_VARS;
  /* of an extent of 0 there is no index at which anything is evaluated */
  for (int i = 0; i < known; i++)
    of[i] = (lo_range){0, extent[i] > 0 ? extent[i] - 1 : 0};
  return lo_range_within(expr, of, known, range);
}

bool lo_fits_int(lo_range range) {
  return range.low >= INT_MIN && range.high <= INT_MAX;
}

/* of a tensor in global memory, what is there at all sizes left to run time */
static long least_extent(const lo_job *job, const lo_value *value, int axis) {
  bool varies = value->place == LP_GLOBAL && value->live_dim[axis];
  return varies ? lo_cut_row(job, value->live_dim[axis])->low : value->dim[axis];
}

bool lo_total(const lo_job *job, const lx *expr, const long *extent, int n) {
  lo_range range;
  if (expr->op == LX_REF || expr->op == LX_WHOLE) {
    for (int i = 0; i < expr->n; i++) {
      if (!lo_range_of(expr->kid[i], extent, n, &range) || range.low < 0 ||
          range.high >= least_extent(job, &job->value[expr->val], i))
        return false;
    }
    return true;
  }
  if ((expr->op == LX_IDIV || expr->op == LX_MOD) &&
      (!lo_range_of(expr->kid[1], extent, n, &range) || range.low <= 0))
    return false;
  for (int i = 0; i < expr->n; i++) {
    if (!lo_total(job, expr->kid[i], extent, n))
      return false;
  }
  return true;
}

bool lo_check_extents(const char *name, int rank, const long *dim, as_err *err) {
  long elements = 1;
  for (int i = 0; i < rank; i++) {
    long extent = dim[i] > 0 ? dim[i] : 1;
    if (__builtin_mul_overflow(elements, extent, &elements) || elements > LO_MAX_ELEMENTS) {
      return as_err_set(err, AS_BAD_INPUT,
                        "%s has more than 2^56 elements at these sizes, which no memory holds",
                        name);
    }
  }
  return true;
}

/* does every index expression within have a range? */
static bool all_ranges(const lx *expr, const long *extent, int n) {
  lo_range range;
  if (expr->integer)
    return lo_range_of(expr, extent, n, &range);
  for (int i = 0; i < expr->n; i++) {
    if (!all_ranges(expr->kid[i], extent, n))
      return false;
  }
  return true;
}

static bool check_body(lo_job *job, const lo_value *value, const lx *body, bool reduced) {
  long extent[AS_MAX_RANK + 1];
  for (int i = 0; i < value->rank; i++)
    extent[i] = value->dim[i];
  if (reduced)
    extent[value->rank] = value->extent;
  if (!body || all_ranges(body, extent, value->rank + reduced))
    return true;
  return as_err_set(job->err, AS_BAD_INPUT,
                    "%s: index arithmetic is not shown to stay within 64 bits, with positive "
                    "divisors, at these sizes",
                    value->name);
}

bool lo_check_ranges(lo_job *job, const lo_unit *unit) {
  if (unit->flat) {
    const lo_value *value = &job->value[unit->flat_val];
    const lo_value *stored = unit->has_epilogue ? &job->value[unit->epilogue] : NULL;
    return check_body(job, value, value->body, value->kind == LV_RED) &&
           (stored == NULL || check_body(job, stored, stored->body, stored->kind == LV_RED));
  }
  for (uint32_t i = 0; i < unit->n; i++) {
    const lo_value *value = &job->value[unit->val[i]];
    if (!value->live)
      continue;
    const lo_value *axes = value->kind == LV_ACC ? &job->value[value->of] : value;
    if (!check_body(job, axes, value->body, value->kind == LV_RED))
      return false;
  }
  for (uint32_t i = 0; i < unit->n_store; i++) {
    if (!check_body(job, &job->value[unit->store[i].val], unit->store[i].body, false))
      return false;
  }
  return true;
}
