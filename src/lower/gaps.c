/* Terms of a reduction that a condition leaves out at regular places: where tiles are cut off at
 * the end of their tensor, every so many numbers of terms end with some that are none.  The others,
 * numbered through, are all terms; then they lie side by side, and are told to be those of another
 * reduction. */
#include "body.h"
#include "place.h"
#include "sweep.h"
#include <limits.h>
#include <string.h>

/* of each `period` numbers the first `kept` are terms */
typedef struct {
  long period;
  long kept;
} gaps;

static bool is_positive(const lx *expr) {
  return expr->op == LX_INT && expr->number > 0;
}

/* Is the condition `k mod period < kept`, perhaps of both divided by a number?  k has the number
 * `var` and is below `extent`. */
static bool read_gaps(lo_job *job, const lx *test, int var, long extent, gaps *found) {
  if (test->op != LX_LT || !is_positive(test->kid[1]) || !test->kid[0]->integer)
    return false;
  const lx *index = lo_rejoined(job, test->kid[0]);
  long kept = test->kid[1]->number;
  long period = extent;
  if (index->op == LX_IDIV && is_positive(index->kid[1])) {
    if (__builtin_mul_overflow(kept, index->kid[1]->number, &kept))
      return false;
    index = index->kid[0];
  }
  if (index->op == LX_MOD && is_positive(index->kid[1])) {
    period = index->kid[1]->number;
    index = index->kid[0];
  }
  *found = (gaps){period, kept < period ? kept : period};
  return index->op == LX_VAR && index->number == var && extent % period == 0;
}

/* the same of one of several conditions; what else is asked in *others, NULL: nothing */
static bool take_gaps(lo_job *job, lx *test, int var, long extent, gaps *found, lx **others) {
  *others = NULL;
  if (test->op != LX_AND)
    return read_gaps(job, test, var, extent, found);
  for (int i = 0; i < 2; i++) {
    lx *left;
    if (!take_gaps(job, test->kid[i], var, extent, found, &left))
      continue;
    lx *right = test->kid[1 - i];
    *others = left ? lx_mk(job, LX_AND, 2, (lx *[]){left, right}) : right;
    return true;
  }
  return false;
}

bool lo_close_gaps(lo_job *job, uint32_t id) {
  lo_value *value = &job->value[id];
  const lx *body = value->body;
  gaps found;
  lx *others;
  if (value->kind != LV_RED || body->op != LX_IF || value->extent < 1 || lx_has_whole(body) ||
      !lo_is_neutral(body->kid[2], value->red) ||
      !take_gaps(job, body->kid[0], value->rank, value->extent, &found, &others))
    return false;
  lx *by[AS_MAX_RANK + 1];
  long extent[AS_MAX_RANK + 1];
  memcpy(extent, value->dim, sizeof value->dim);
  extent[value->rank] = value->extent / found.period * found.kept;
  for (int axis = 0; axis < value->rank; axis++)
    by[axis] = lx_var(job, axis);
  lx *k = lx_var(job, value->rank);
  by[value->rank] = k;
  if (found.period < value->extent && found.kept < found.period) {
    lx *kept = lx_int(job, found.kept);
    lx *before =
        lx_mk(job, LX_MUL, 2,
              (lx *[]){lx_mk(job, LX_IDIV, 2, (lx *[]){k, kept}), lx_int(job, found.period)});
    by[value->rank] =
        lx_mk(job, LX_ADD, 2, (lx *[]){before, lx_mk(job, LX_MOD, 2, (lx *[]){k, kept})});
  }
  lx *term = body->kid[1];
  if (others)
    term = lx_mk(job, LX_IF, 3, (lx *[]){others, term, body->kid[2]});
  term = lx_subst(job, term, by, value->rank + 1);
  value->body = lo_rejoined(job, lx_simplify(job, term, extent, value->rank + 1));
  value->extent = extent[value->rank];
  return true;
}
