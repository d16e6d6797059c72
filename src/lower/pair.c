/* Two reductions of the same terms, of which the second needs the first: a maximum and the sum of
 * exponentials of what is below it, a sum and the sum of squares about its mean, or an extremum and
 * the first or last place where it is.  Parts of the terms have both at once, and two parts make
 * one: the second's terms are put into proportion with the maximum, or about the mean, of both; of
 * places that of the part with the extremum counts.  One pass over memory is enough. */
#include "sweep.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 1 << 24 }; /* whole numbers up to here are numbers of 32 bits */

/* One reduction, with its terms over the axes of the first that have more than one element: the
 * second's are the same axes, among others of one element. */
typedef struct {
  lo_job *job;
  const lo_value *value; /* whose axes all are over */
  uint32_t id;           /* what the first reduction is .. */
  uint32_t stored;       /* .. and as what it is stored */
} pair_of;

/* Is it the first's result at the indices at hand? */
static bool is_result(const pair_of *of, const lx *ref, uint32_t id) {
  lo_offset at;
  const lo_value *value = of->value;
  if (ref->op != LX_REF || ref->val != id || lo_elems(&of->job->value[id]) != lo_elems(value) ||
      !lo_offset_of(of->job, ref, value->rank + 1, &at) || at.first || at.stride[value->rank])
    return false;
  bool own = true;
  for (int axis = 0; axis < value->rank && own; axis++)
    own = value->dim[axis] == 1 || at.stride[axis] == lo_stride_of(value, axis);
  return own;
}

/* Are they the same terms?  What they read may be written by other indices of the same element. */
static bool same_term(const pair_of *of, const lx *left, const lx *right) {
  lo_offset here;
  lo_offset there;
  if (lx_equal(left, right))
    return true;
  int n_var = of->value->rank + 1;
  if (left->op == LX_REF && right->op == LX_REF)
    return left->val == right->val && lo_offset_of(of->job, left, n_var, &here) &&
           lo_offset_of(of->job, right, n_var, &there) && !memcmp(&here, &there, sizeof here);
  bool same = left->op == right->op && left->n == right->n && left->n > 0 &&
              left->integer == right->integer && left->op != LX_WHOLE && left->op != LX_FOLD;
  if (same && left->op == LX_CALL)
    same = !strcmp(left->function, right->function);
  for (int i = 0; i < left->n && same; i++)
    same = same_term(of, left->kid[i], right->kid[i]);
  return same;
}

/* a number; false: the expression is none */
static bool number_of(const lx *expr, double *number) {
  if (expr->op != LX_INT && expr->op != LX_NUM)
    return false;
  *number = expr->op == LX_INT ? (double)expr->number : expr->real;
  return true;
}

/* How many times the element of `of` the expression is; false: it is no multiple of it. */
static bool multiple_of(const pair_of *of, const lx *expr, uint32_t id, double *times) {
  double by;
  if (expr->op == LX_REF) {
    *times = 1;
    return is_result(of, expr, id);
  }
  if (expr->op == LX_FDIV && number_of(expr->kid[1], &by) &&
      multiple_of(of, expr->kid[0], id, times)) {
    *times /= by;
    return by > 0;
  }
  if (expr->op == LX_MUL) {
    for (int i = 0; i < 2; i++) {
      if (number_of(expr->kid[i], &by) && multiple_of(of, expr->kid[1 - i], id, times)) {
        *times *= by;
        return true;
      }
    }
  }
  return false;
}

/* An expression over the second's axes and terms is one over the first's; NULL: these are others,
 * or as many terms they are not. */
lx *lo_pair_over(lo_job *job, const lo_value *first, const lo_value *second, lx *expr) {
  lx *by[AS_MAX_RANK + 1];
  int axis = 0;
  for (int i = 0; i < second->rank; i++) {
    by[i] = lx_int(job, 0);
    if (second->dim[i] == 1)
      continue;
    while (axis < first->rank && first->dim[axis] == 1)
      axis++;
    if (axis == first->rank || first->dim[axis] != second->dim[i])
      return NULL;
    by[i] = lx_var(job, axis++);
  }
  while (axis < first->rank && first->dim[axis] == 1)
    axis++;
  by[second->rank] = lx_var(job, first->rank);
  bool same = axis == first->rank && first->extent == second->extent;
  return same ? lx_subst(job, expr, by, second->rank + 1) : NULL;
}

/* exp(a - maximum of a) */
static bool is_scaled(const pair_of *of, const lx *body) {
  if (of->value->red != LO_MAX || body->op != LX_EXP || body->kid[0]->op != LX_SUB)
    return false;
  const lx *below = body->kid[0]->kid[1];
  return same_term(of, body->kid[0]->kid[0], of->value->body) && is_result(of, below, of->id);
}

/* (a - mean of a)^2 */
static bool is_about_mean(const pair_of *of, const lx *body, const lx *finish) {
  double times;
  double once = 1;
  const lo_value *first = of->value;
  if (first->red != LO_SUM || body->op != LX_MUL || !lx_equal(body->kid[0], body->kid[1]) ||
      body->kid[0]->op != LX_SUB || !same_term(of, body->kid[0]->kid[0], first->body))
    return false;
  if (finish && !multiple_of(of, finish, of->id, &once))
    return false;
  if (!multiple_of(of, body->kid[0]->kid[1], finish ? of->stored : of->id, &times))
    return false;
  double terms = times * once * (double)first->extent;
  return fabs(terms - 1) < 1e-12;
}

/* Where a equals its extremum the number of the term, and elsewhere one that no term has on the
 * side that the second keeps: which of the places that is. */
static bool is_place(const pair_of *of, const lx *body, lo_red keeps) {
  const lo_value *first = of->value;
  if ((first->red != LO_MAX && first->red != LO_MIN) || (keeps != LO_MAX && keeps != LO_MIN) ||
      body->op != LX_IF || body->kid[0]->op != LX_EQ)
    return false;
  const lx *place = body->kid[1];
  const lx *none = body->kid[2];
  const lx *test = body->kid[0];
  bool numbered = place->op == LX_VAR && place->number == first->rank && none->op == LX_INT;
  bool apart =
      numbered && (keeps == LO_MIN ? none->number >= first->extent - 1 : none->number <= 0);
  if (!apart || first->extent > MOST_PLACES || labs(none->number) > MOST_PLACES)
    return false;
  for (int i = 0; i < 2; i++) {
    if (same_term(of, test->kid[i], first->body) && is_result(of, test->kid[1 - i], of->id))
      return true;
  }
  return false;
}

lo_pair lo_pair_of(lo_job *job, const lo_unit *first, const lo_unit *second) {
  uint32_t id = first->sweep ? first->sweep->reduction : first->flat_val;
  uint32_t other = second->sweep ? second->sweep->reduction : second->flat_val;
  const lo_value *one = &job->value[id];
  const lo_value *two = &job->value[other];
  const lx *finish = first->sweep ? first->sweep->finish : NULL;
  if (one->kind != LV_RED || two->kind != LV_RED)
    return LO_PAIR_NONE;
  lx *body = lo_pair_over(job, one, two, two->body);
  if (body == NULL)
    return LO_PAIR_NONE;
  const pair_of of = {job, one, id, first->flat_val};
  if (finish == NULL && is_place(&of, body, two->red))
    return LO_PAIR_PLACE;
  if (two->red != LO_SUM)
    return LO_PAIR_NONE;
  if (finish == NULL && is_scaled(&of, body))
    return LO_PAIR_SCALED;
  return is_about_mean(&of, body, finish) ? LO_PAIR_MOMENTS : LO_PAIR_NONE;
}
