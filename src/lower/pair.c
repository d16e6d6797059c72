/* Two reductions of the same terms, of which the second needs the first: a maximum and the sum of
 * exponentials of what is below it, or a sum and the sum of squares about its mean.  Parts of the
 * terms have both at once, and two parts make one: the second's terms are put into proportion with
 * the maximum, or about the mean, of both.  One pass over memory is enough. */
#include "sweep.h"
#include <math.h>

static bool own_indices(const lx *ref, const lo_value *value) {
  bool own = ref->n == value->rank;
  for (int axis = 0; axis < value->rank && own; axis++) {
    const lx *index = ref->kid[axis];
    own = (index->op == LX_VAR && index->number == axis) ||
          (index->op == LX_INT && value->dim[axis] == 1);
  }
  return own;
}

/* a number; false: the expression is none */
static bool number_of(const lx *expr, double *number) {
  if (expr->op != LX_INT && expr->op != LX_NUM)
    return false;
  *number = expr->op == LX_INT ? (double)expr->number : expr->real;
  return true;
}

/* How many times the element of `of` the expression is; false: it is no multiple of it. */
static bool multiple_of(const lx *expr, uint32_t of, const lo_value *value, double *times) {
  double by;
  if (expr->op == LX_REF) {
    *times = 1;
    return expr->val == of && own_indices(expr, value);
  }
  if (expr->op == LX_FDIV && number_of(expr->kid[1], &by) &&
      multiple_of(expr->kid[0], of, value, times)) {
    *times /= by;
    return by > 0;
  }
  if (expr->op == LX_MUL) {
    for (int i = 0; i < 2; i++) {
      if (number_of(expr->kid[i], &by) && multiple_of(expr->kid[1 - i], of, value, times)) {
        *times *= by;
        return true;
      }
    }
  }
  return false;
}

static bool same_terms(const lo_value *first, const lo_value *second) {
  bool same = first->rank == second->rank && first->extent == second->extent;
  for (int axis = 0; axis < first->rank && same; axis++)
    same = first->dim[axis] == second->dim[axis];
  return same;
}

/* exp(a - maximum of a) */
static bool is_scaled(const lo_value *first, uint32_t id, const lx *body) {
  if (first->red != LO_MAX || body->op != LX_EXP || body->kid[0]->op != LX_SUB)
    return false;
  const lx *below = body->kid[0]->kid[1];
  return lx_equal(body->kid[0]->kid[0], first->body) && below->op == LX_REF && below->val == id &&
         own_indices(below, first);
}

/* (a - mean of a)^2 */
static bool is_about_mean(const lo_value *first, uint32_t id, const lx *body, const lx *finish,
                          uint32_t finished) {
  double times;
  double once = 1;
  if (first->red != LO_SUM || body->op != LX_MUL || !lx_equal(body->kid[0], body->kid[1]) ||
      body->kid[0]->op != LX_SUB || !lx_equal(body->kid[0]->kid[0], first->body))
    return false;
  if (finish && !multiple_of(finish, id, first, &once))
    return false;
  if (!multiple_of(body->kid[0]->kid[1], finish ? finished : id, first, &times))
    return false;
  double terms = times * once * (double)first->extent;
  return fabs(terms - 1) < 1e-12;
}

lo_pair lo_pair_of(const lo_job *job, const lo_unit *first, const lo_unit *second) {
  uint32_t id = first->sweep ? first->sweep->reduction : first->flat_val;
  uint32_t other = second->sweep ? second->sweep->reduction : second->flat_val;
  const lo_value *one = &job->value[id];
  const lo_value *two = &job->value[other];
  const lx *finish = first->sweep ? first->sweep->finish : NULL;
  if (one->kind != LV_RED || two->kind != LV_RED || two->red != LO_SUM || !same_terms(one, two))
    return LO_PAIR_NONE;
  if (finish == NULL && is_scaled(one, id, two->body))
    return LO_PAIR_SCALED;
  return is_about_mean(one, id, two->body, finish, first->flat_val) ? LO_PAIR_MOMENTS
                                                                    : LO_PAIR_NONE;
}
