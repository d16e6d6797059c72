#include "hoist.h"
#include "fault.h"
#include "live.h"
#include "range.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  lo_job *job;
  const char *name;
  uint32_t unit;
  lo_body body;             /* a copy: sums of sums get variables of their own */
  uint32_t first;           /* values made for this body start here */
  bool around[LO_MAX_VARS]; /* the variables under which what is hoisted now stands */
} hoisting;

static bool same_value(const lo_value *left, const lo_value *right) {
  if (left->kind != right->kind || left->rank != right->rank || left->red != right->red ||
      left->extent != right->extent || left->unit != right->unit)
    return false;
  return !memcmp(left->dim, right->dim, sizeof left->dim) && lx_equal(left->body, right->body);
}

/* of the values made for this body, one that is the same as the last; the last is then dropped */
static uint32_t without_repetition(hoisting *at) {
  uint32_t last = at->job->n_value - 1;
  for (uint32_t i = at->first; i < last; i++) {
    if (same_value(&at->job->value[i], &at->job->value[last])) {
      at->job->n_value--;
      return i;
    }
  }
  return last;
}

static lx *both(lo_job *job, lx *left, lx *right) {
  return left ? lx_mk(job, LX_AND, 2, (lx *[]){left, right}) : right;
}

static lx *negated(lo_job *job, lx *condition) {
  return lx_mk(job, LX_NOT, 1, &condition);
}

/* Is a term evaluated nowhere, an index around it having no values?  Its value, if it does not
 * depend on that index, would be computed all the same. */
static bool is_never_needed(const hoisting *at) {
  for (int i = 0; i < at->body.n_var; i++) {
    if (at->around[i] && at->body.extent[i] == 0)
      return true;
  }
  return false;
}

/* fold: LX_FOLD over `term`, which has no folds; guard: the conditions that it stands under, or
 * NULL.  A value over the variables that occur. */
static lx *make_value(hoisting *at, const lx *fold, lx *term, lx *guard) {
  lo_job *job = at->job;
  const lo_body *body = &at->body;
  if (guard && !LO_FAULT(LO_FAULT_HOISTING) && !lo_total(job, term, body->extent, body->n_var))
    term = lx_mk(job, LX_IF, 3, (lx *[]){guard, term, lo_neutral(job, fold->red)});
  if (at->unit != LO_NONE)
    term = lo_body_guarded(job, body, term, body->n_var, lo_neutral(job, fold->red));
  if (term == NULL)
    return NULL;
  lx *inner[LO_MAX_VARS] = {0};
  lx *outer[AS_MAX_RANK];
  uint32_t live[AS_MAX_RANK];
  long dim[AS_MAX_RANK + 1];
  int rank = 0;
  for (int i = 0; i < body->n_var; i++) {
    if (i == fold->var || !lx_uses_var(term, i))
      continue;
    if (rank == AS_MAX_RANK) {
      as_err_set(job->err, AS_BAD_INPUT, "%s: a reduction depends on more than %d indices",
                 at->name, AS_MAX_RANK);
      return NULL;
    }
    inner[i] = lx_var(job, rank);
    outer[rank] = lx_var(job, i);
    live[rank] = body->live[i];
    dim[rank++] = body->extent[i];
  }
  inner[fold->var] = lx_var(job, rank);
  if (!lo_check_extents(at->name, rank, dim, job->err))
    return NULL;
  char *name = as_format("%s_%u", at->name, job->n_value - at->first);
  uint32_t id = lo_new_val(job, LV_RED, name, rank, dim);
  free(name);
  bool total = lo_total(job, term, body->extent, body->n_var);
  lo_value *value = &job->value[id];
  value->red = fold->red;
  value->extent = !total && is_never_needed(at) ? 0 : fold->number;
  value->extent_live = body->live[fold->var];
  memcpy(value->live_dim, live, (size_t)rank * sizeof *live);
  dim[rank] = value->extent;
  value->unit = at->unit;
  value->body = lx_simplify(job, lx_subst(job, term, inner, body->n_var), dim, rank + 1);
  return lx_ref(job, without_repetition(at), rank, outer);
}

/* the most terms that two reductions, one of the other, have together to be made one */
#define MOST_TERMS INT32_MAX

/* A sum of sums is one sum, and likewise for products and extrema: what was made for the inner one
 * is dropped, and `fold` becomes the reduction over both, of the term that is given back.  Only for
 * kernels of their own: there the inner values would go through memory.  `before`: values that the
 * term's own hoisting made start here.  NULL: these two stay apart. */
static lx *joined_with_inner(hoisting *at, lx *fold, lx *term, uint32_t before) {
  lo_job *job = at->job;
  lo_body *body = &at->body;
  lx *condition = NULL; /* of a bound that depends on indices: nothing counts where it fails */
  if (term->op == LX_IF && lo_is_neutral(term->kid[2], fold->red)) {
    condition = term->kid[0];
    term = term->kid[1];
  }
  if (at->unit != LO_NONE || term->op != LX_REF || term->val < before ||
      term->val + 1 != job->n_value || !lx_uses_var(term, fold->var))
    return NULL;
  const lo_value *inner = &job->value[term->val];
  long terms;
  if (inner->kind != LV_RED || inner->red != fold->red || inner->extent == 0 || fold->number == 0 ||
      __builtin_mul_overflow(inner->extent, fold->number, &terms) || terms > MOST_TERMS ||
      body->n_var == LO_MAX_VARS)
    return NULL;
  lx *both_indices = lx_var(job, body->n_var);
  lx *width = lx_int(job, inner->extent);
  lx *outer_index = lx_mk(job, LX_IDIV, 2, (lx *[]){both_indices, width});
  lx *renamed[LO_MAX_VARS] = {0};
  renamed[fold->var] = outer_index;
  lx *index[AS_MAX_RANK + 1];
  for (int axis = 0; axis < inner->rank; axis++)
    index[axis] = lx_subst(job, term->kid[axis], renamed, body->n_var);
  index[inner->rank] = lx_mk(job, LX_MOD, 2, (lx *[]){both_indices, width});
  lx *result = lx_subst(job, inner->body, index, inner->rank + 1);
  if (condition)
    result = lx_mk(job, LX_IF, 3,
                   (lx *[]){lx_subst(job, condition, renamed, body->n_var), result,
                            lo_neutral(job, fold->red)});
  fold->var = body->n_var;
  fold->number = terms;
  body->live[body->n_var] = 0;
  body->extent[body->n_var++] = terms;
  job->n_value--;
  return result;
}

static lx *hoist(hoisting *at, lx *expr, lx *guard);

static lx *hoist_fold(hoisting *at, const lx *expr, lx *guard) {
  uint32_t before = at->job->n_value;
  at->around[expr->var] = true;
  lx *term = hoist(at, expr->kid[0], guard);
  at->around[expr->var] = false;
  if (!term)
    return NULL;
  lx fold = *expr;
  lx *joined = joined_with_inner(at, &fold, term, before);
  return make_value(at, &fold, joined ? joined : term, guard);
}

/* parts that are evaluated only where the first says so: branches, and right sides of and, or */
static lx *hoist_conditional(hoisting *at, lx *expr, lx *guard) {
  lo_job *job = at->job;
  lx *kid[3];
  kid[0] = hoist(at, expr->kid[0], guard);
  if (!kid[0])
    return NULL;
  for (int i = 1; i < expr->n; i++) {
    bool where_true = expr->op == LX_AND || (expr->op == LX_IF && i == 1);
    lx *condition = where_true ? kid[0] : negated(job, kid[0]);
    kid[i] = hoist(at, expr->kid[i], both(job, guard, condition));
    if (!kid[i])
      return NULL;
  }
  return lx_mk(job, expr->op, expr->n, kid);
}

/* reductions, innermost first, become values over the variables that occur in them */
static lx *hoist(hoisting *at, lx *expr, lx *guard) {
  if (!expr->n || expr->op == LX_REF || expr->op == LX_WHOLE)
    return expr;
  if (expr->op == LX_IF || expr->op == LX_AND || expr->op == LX_OR)
    return hoist_conditional(at, expr, guard);
  if (expr->op == LX_FOLD)
    return hoist_fold(at, expr, guard);
  lx **kid = as_arena_alloc(at->job->arena, (size_t)expr->n * sizeof *kid);
  bool same = true;
  for (int i = 0; i < expr->n; i++) {
    kid[i] = hoist(at, expr->kid[i], guard);
    if (!kid[i])
      return NULL;
    same = same && kid[i] == expr->kid[i];
  }
  if (same)
    return expr;
  lx *result = lx_mk(at->job, expr->op, expr->n, kid);
  result->function = expr->function;
  return result;
}

lx *lo_hoist(lo_job *job, const char *name, uint32_t unit, const lo_body *body) {
  hoisting at = {.job = job, .name = name, .unit = unit, .body = *body, .first = job->n_value};
  for (int i = 0; i < body->rank; i++)
    at.around[i] = true;
  return hoist(&at, body->expr, NULL);
}
