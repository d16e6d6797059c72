#include "place.h"
#include "range.h"
#include <string.h>

enum { MOST_TERMS = 24 };

/* a sum of multiples of parts that are no sums, and a number */
typedef struct {
  lx *part[MOST_TERMS];
  long by[MOST_TERMS];
  int n;
  long number;
} linear;

static bool add_part(linear *sum, lx *part, long by) {
  for (int i = 0; i < sum->n; i++) {
    if (lx_equal(sum->part[i], part))
      return !__builtin_add_overflow(sum->by[i], by, &sum->by[i]);
  }
  if (sum->n == MOST_TERMS)
    return false;
  sum->part[sum->n] = part;
  sum->by[sum->n++] = by;
  return true;
}

/* (e div a) div b is e div (a * b) */
static lx *one_division(lo_job *job, lx *expr) {
  long product;
  if (expr->op != LX_IDIV || expr->kid[1]->op != LX_INT)
    return expr;
  const lx *inner = expr->kid[0];
  if (inner->op != LX_IDIV || inner->kid[1]->op != LX_INT || inner->kid[1]->number <= 0 ||
      expr->kid[1]->number <= 0 ||
      __builtin_mul_overflow(inner->kid[1]->number, expr->kid[1]->number, &product))
    return expr;
  lx *kid[2] = {inner->kid[0], lx_int(job, product)};
  return one_division(job, lx_mk(job, LX_IDIV, 2, kid));
}

static bool divides_by_number(const lx *expr, lx_op op) {
  return expr->op == op && expr->kid[1]->op == LX_INT && expr->kid[1]->number > 0;
}

/* does the number of one division divide that of the other? */
static bool divides(const lx *by, const lx *other) {
  return other->kid[1]->number % by->kid[1]->number == 0;
}

/* (e mod a) mod b is e mod b where b divides a; the same below divisions */
static lx *one_rest(lo_job *job, lx *expr) {
  if (!divides_by_number(expr, LX_MOD) && !divides_by_number(expr, LX_IDIV))
    return expr;
  lx *inner = one_rest(job, expr->kid[0]);
  while (expr->op == LX_MOD && divides_by_number(inner, LX_MOD) && divides(expr, inner))
    inner = inner->kid[0];
  return inner == expr->kid[0] ? expr : lx_mk(job, expr->op, 2, (lx *[]){inner, expr->kid[1]});
}

static bool add_sum(lo_job *job, linear *sum, lx *expr, long by) {
  long scaled;
  switch (expr->op) {
  case LX_INT:
    return !__builtin_mul_overflow(expr->number, by, &scaled) &&
           !__builtin_add_overflow(sum->number, scaled, &sum->number);
  case LX_ADD:
    return add_sum(job, sum, expr->kid[0], by) && add_sum(job, sum, expr->kid[1], by);
  case LX_SUB:
    return add_sum(job, sum, expr->kid[0], by) && add_sum(job, sum, expr->kid[1], -by);
  case LX_MUL:
    for (int i = 0; i < 2; i++) {
      if (expr->kid[i]->op == LX_INT)
        return !__builtin_mul_overflow(expr->kid[i]->number, by, &scaled) &&
               add_sum(job, sum, expr->kid[1 - i], scaled);
    }
    return add_part(sum, expr, by);
  default:
    return add_part(sum, one_division(job, one_rest(job, expr)), by);
  }
}

/* the number of another part in the sum that is so often what is wanted; -1: there is none */
static int find_part(const linear *sum, int but, const lx *wanted, long by) {
  for (int i = 0; i < sum->n; i++) {
    if (i != but && sum->by[i] == by && lx_equal(sum->part[i], wanted))
      return i;
  }
  return -1;
}

static lx *divided(lo_job *job, lx *expr, lx *number) {
  return one_division(job, lx_mk(job, LX_IDIV, 2, (lx *[]){expr, number}));
}

/* What e, or e mod c where b divides c, is whose quotient by b (a number in `below`) is so often in
 * the sum; NULL: none. */
static lx *find_whole(lo_job *job, const linear *sum, int but, lx *whole, lx *below, long by,
                      int *quotient) {
  *quotient = find_part(sum, but, divided(job, whole, below), by);
  if (*quotient >= 0)
    return whole;
  for (int i = 0; i < sum->n; i++) {
    const lx *other = sum->part[i];
    bool alike = i != but && sum->by[i] == by && divides_by_number(other, LX_IDIV) &&
                 lx_equal(other->kid[1], below) && divides_by_number(other->kid[0], LX_MOD) &&
                 divides(other, other->kid[0]) && lx_equal(other->kid[0]->kid[0], whole);
    *quotient = i;
    if (alike)
      return other->kid[0];
  }
  return NULL;
}

/* What a part and another one are together, so often as the first; NULL: nothing.  With w being e,
 * or e mod d where c divides d: e mod c and c times w div c are w, and (e mod c) div b and c / b
 * times w div c are w div b where b divides c. */
static lx *joins(lo_job *job, const linear *sum, int rest, int *quotient) {
  const lx *part = sum->part[rest];
  const lx *below = NULL;
  long by;
  if (divides_by_number(part, LX_IDIV) && divides_by_number(part->kid[0], LX_MOD) &&
      divides(part, part->kid[0])) {
    below = part->kid[1];
    part = part->kid[0];
  } else if (!divides_by_number(part, LX_MOD)) {
    return NULL;
  }
  long times = part->kid[1]->number / (below ? below->number : 1);
  if (__builtin_mul_overflow(sum->by[rest], times, &by))
    return NULL;
  lx *whole = find_whole(job, sum, rest, part->kid[0], part->kid[1], by, quotient);
  return whole && below ? divided(job, whole, sum->part[rest]->kid[1]) : whole;
}

static void drop(linear *sum, int which) {
  sum->n--;
  sum->part[which] = sum->part[sum->n];
  sum->by[which] = sum->by[sum->n];
}

static bool join_all(lo_job *job, linear *sum) {
  bool again = true;
  while (again) {
    again = false;
    for (int i = 0; i < sum->n && !again; i++) {
      int quotient = 0;
      long by = sum->by[i];
      lx *whole = joins(job, sum, i, &quotient);
      if (whole == NULL)
        continue;
      drop(sum, i > quotient ? i : quotient);
      drop(sum, i > quotient ? quotient : i);
      if (!add_sum(job, sum, whole, by))
        return false;
      again = true;
    }
  }
  return true;
}

static lx *as_expression(lo_job *job, const linear *sum) {
  lx *result = NULL;
  for (int i = 0; i < sum->n; i++) {
    if (sum->by[i] == 0)
      continue;
    lx *term = lx_mk(job, LX_MUL, 2, (lx *[]){sum->part[i], lx_int(job, sum->by[i])});
    result = result ? lx_mk(job, LX_ADD, 2, (lx *[]){result, term}) : term;
  }
  lx *number = lx_int(job, sum->number);
  return result ? lx_mk(job, LX_ADD, 2, (lx *[]){result, number}) : number;
}

static lx *rejoined_sum(lo_job *job, lx *expr) {
  linear sum = {.n = 0};
  if (!add_sum(job, &sum, expr, 1))
    return expr;
  int before = sum.n;
  if (!join_all(job, &sum) || sum.n == before)
    return expr;
  return as_expression(job, &sum);
}

lx *lo_rejoined(lo_job *job, lx *expr) {
  if (expr->n == 0)
    return expr;
  lx **kid = as_arena_alloc(job->arena, (size_t)expr->n * sizeof *kid);
  bool same = true;
  for (int i = 0; i < expr->n; i++) {
    kid[i] = lo_rejoined(job, expr->kid[i]);
    same = same && kid[i] == expr->kid[i];
  }
  lx *result = expr;
  if (!same) {
    bool copies =
        expr->op == LX_REF || expr->op == LX_WHOLE || expr->op == LX_CALL || expr->op == LX_FOLD;
    result = copies ? lx_new(job, expr->op, expr->n) : lx_mk(job, expr->op, expr->n, kid);
    if (copies) {
      lx **own = result->kid;
      *result = *expr;
      result->kid = own;
      memcpy(own, kid, (size_t)expr->n * sizeof *kid);
    }
  }
  return result->integer && result->op == LX_ADD ? rejoined_sum(job, result) : result;
}

/* variables in their order, then other parts as they come */
static void sort_variables(linear *sum) {
  for (int i = 1; i < sum->n; i++) {
    for (int k = i; k > 0; k--) {
      const lx *left = sum->part[k - 1];
      lx *right = sum->part[k];
      bool ordered = right->op != LX_VAR || (left->op == LX_VAR && left->number < right->number);
      if (ordered)
        break;
      long by = sum->by[k];
      sum->part[k] = sum->part[k - 1];
      sum->by[k] = sum->by[k - 1];
      sum->part[k - 1] = right;
      sum->by[k - 1] = by;
    }
  }
}

lx *lo_collected(lo_job *job, lx *expr) {
  linear sum = {.n = 0};
  if (!add_sum(job, &sum, expr, 1) || !join_all(job, &sum))
    return expr;
  sort_variables(&sum);
  return as_expression(job, &sum);
}

bool lo_divided(lo_job *job, lx *expr, long divisor, lx **quotient, lx **rest) {
  linear sum = {.n = 0};
  linear whole = {.n = 0};
  linear left = {.n = 0};
  if (!add_sum(job, &sum, expr, 1) || !join_all(job, &sum))
    return false;
  sort_variables(&sum);
  for (int i = 0; i < sum.n; i++) {
    bool divides = sum.by[i] % divisor == 0;
    linear *of = divides ? &whole : &left;
    of->part[of->n] = sum.part[i];
    of->by[of->n++] = divides ? sum.by[i] / divisor : sum.by[i];
  }
  left.number = sum.number % divisor;
  if (left.number < 0)
    left.number += divisor;
  whole.number = (sum.number - left.number) / divisor;
  *quotient = as_expression(job, &whole);
  *rest = as_expression(job, &left);
  return true;
}

long lo_stride_of(const lo_value *tensor, int axis) {
  long stride = 1;
  if (tensor->kind == LV_GLOBAL && tensor->buffer_class == LG_PART)
    return tensor->stride[axis];
  for (int i = axis + 1; i < tensor->rank; i++)
    stride *= tensor->dim[i];
  return stride;
}

static bool of_variables(const linear *sum, int n, lo_offset *at) {
  memset(at, 0, sizeof *at);
  at->first = sum->number;
  for (int i = 0; i < sum->n; i++) {
    const lx *part = sum->part[i];
    if (sum->by[i] == 0)
      continue;
    if (part->op != LX_VAR || part->number >= n)
      return false;
    at->stride[part->number] += sum->by[i];
  }
  return true;
}

bool lo_sum_of(lo_job *job, const lx *index, int n, lo_offset *at) {
  linear sum = {.n = 0};
  return add_sum(job, &sum, (lx *)(uintptr_t)index, 1) && join_all(job, &sum) &&
         of_variables(&sum, n, at);
}

bool lo_offset_of(lo_job *job, const lx *ref, int n, lo_offset *at) {
  const lo_value *tensor = &job->value[ref->val];
  linear sum = {.n = 0};
  for (int axis = 0; axis < ref->n; axis++) {
    if (tensor->live_dim[axis] || !add_sum(job, &sum, ref->kid[axis], lo_stride_of(tensor, axis)))
      return false;
  }
  return join_all(job, &sum) && of_variables(&sum, n, at);
}
