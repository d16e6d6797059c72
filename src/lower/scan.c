/* Reductions of which each result has the terms of the one before it and one more: scans.  They are
 * told by the condition on the reduced index, `k < i + c` or `k < c - i`, and by terms that do not
 * depend on i otherwise: then a term is computed once, and results are made on the way. */
#include "body.h"
#include "sweep.h"

/* `index` as sign * variable `axis` + shift, sign 1 or -1; of several variables, none */
static bool read_count(lo_job *job, const lx *index, int rank, lo_scan *scan) {
  lo_offset at = {.first = 0};
  int axis = -1;
  if (!lo_sum_of(job, index, rank, &at))
    return false;
  for (int i = 0; i < rank; i++) {
    if (at.stride[i] == 0)
      continue;
    if (axis >= 0 || (at.stride[i] != 1 && at.stride[i] != -1))
      return false;
    axis = i;
  }
  if (axis < 0)
    return false;
  scan->axis = axis;
  scan->sign = at.stride[axis] > 0 ? 1 : -1;
  scan->shift = at.first;
  return true;
}

/* Where the condition holds, a result has no term anyway: it is of results that have none. */
static bool is_idle(const lx *condition, const lo_scan *scan) {
  bool below = condition->op == LX_LT && condition->kid[0]->op == LX_VAR &&
               condition->kid[0]->number == scan->axis && condition->kid[1]->op == LX_INT;
  return below && scan->sign > 0 && condition->kid[1]->number - 1 + scan->shift <= 0;
}

/* k < count(i) ? term : neutral */
static bool read_term(lo_job *job, const lo_value *value, const lx *body, lo_scan *scan) {
  if (body->op != LX_IF || !lo_is_neutral(body->kid[2], value->red))
    return false;
  const lx *test = body->kid[0];
  bool relates = (test->op == LX_LT || test->op == LX_LE) && test->kid[0]->op == LX_VAR &&
                 test->kid[0]->number == value->rank && test->kid[1]->integer;
  if (!relates || !read_count(job, test->kid[1], value->rank, scan))
    return false;
  scan->shift += test->op == LX_LE;
  scan->term = body->kid[1];
  return !lx_uses_var(scan->term, scan->axis);
}

bool lo_scan_of(lo_job *job, const lo_value *value, lo_scan *scan) {
  const lx *body = value->body;
  const lx *idle = NULL;
  if (value->kind != LV_RED || value->extent < 1 || lx_has_whole(body))
    return false;
  if (body->op == LX_IF && body->kid[2]->op == LX_IF && lo_is_neutral(body->kid[1], value->red)) {
    idle = body->kid[0];
    body = body->kid[2];
  }
  if (!read_term(job, value, body, scan) || (idle && !is_idle(idle, scan)))
    return false;
  long n = value->dim[scan->axis];
  long first =
      scan->sign > 0 ? scan->shift : scan->shift - n + 1; /* terms of the result with fewest */
  scan->exclusive = first == 0;
  scan->terms = n - 1 + first;
  return (first == 0 || first == 1) && scan->terms <= value->extent;
}
