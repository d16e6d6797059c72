/* A sum of multiples of sums is a multiple of one sum: the terms of all, which are numbered
 * through. The same of maxima, minima and products of such as they are.  One kernel instead of two,
 * and what is done about its mean afterwards is told by that. */
#include "reads.h"
#include "sweep.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* a number that is divided or multiplied by */
static bool is_number(const lx *expr) {
  return expr->op == LX_INT || expr->op == LX_NUM;
}

/* The read that the expression is a multiple of, or that it is; NULL: none. */
static const lx *only_read(const lx *expr, lo_red red) {
  if (expr->op == LX_REF)
    return expr;
  if (red != LO_SUM)
    return NULL;
  if (expr->op == LX_FDIV && is_number(expr->kid[1]))
    return only_read(expr->kid[0], red);
  if (expr->op == LX_MUL && is_number(expr->kid[0]))
    return only_read(expr->kid[1], red);
  if (expr->op == LX_MUL && is_number(expr->kid[1]))
    return only_read(expr->kid[0], red);
  return NULL;
}

/* the unit that computes a value; LO_NONE: an input */
static uint32_t unit_of(const lo_job *job, uint32_t id) {
  for (uint32_t i = 0; i < job->n_unit; i++) {
    if (job->unit[i].flat && job->unit[i].flat_val == id)
      return i;
  }
  return LO_NONE;
}

lx *lo_by_number(lo_job *job, const lo_value *outer, const lo_value *inner, lx *expr) {
  lx *by[AS_MAX_RANK + 1] = {0};
  lx *number = lx_var(job, outer->rank);
  by[outer->rank] = lx_mk(job, LX_IDIV, 2, (lx *[]){number, lx_int(job, inner->extent)});
  return lx_subst(job, expr, by, outer->rank + 1);
}

lx *lo_term_of_both(lo_job *job, const lo_value *outer, const lo_value *inner, const lx *read) {
  lx *at[AS_MAX_RANK + 1];
  lx *number = lx_var(job, outer->rank);
  for (int axis = 0; axis < inner->rank; axis++)
    at[axis] = lo_by_number(job, outer, inner, read->kid[axis]);
  at[inner->rank] = lx_mk(job, LX_MOD, 2, (lx *[]){number, lx_int(job, inner->extent)});
  return lx_subst(job, inner->body, at, inner->rank + 1);
}

typedef struct {
  lo_job *job;
  int n_var;
  int n;
  bool linear; /* all reads are where sums of multiples of the indices say */
} place_walk;

static void see_place(void *arg, const lx *ref) {
  place_walk *walk = arg;
  lo_offset at;
  walk->n++;
  walk->linear = walk->linear && lo_offset_of(walk->job, ref, walk->n_var, &at);
}

/* The terms of all: what one of the inner ones is, of the outer's own indices and one number more.
 * NULL: they do not lie as numbers go. */
static lx *merged_body(lo_job *job, const lo_value *outer, const lo_value *inner, const lx *read) {
  long extent[AS_MAX_RANK + 1];
  memcpy(extent, outer->dim, sizeof outer->dim);
  extent[outer->rank] = outer->extent * inner->extent;
  lx *body = lo_term_of_both(job, outer, inner, read);
  body = lo_rejoined(job, lx_simplify(job, body, extent, outer->rank + 1));
  place_walk walk = {job, outer->rank + 1, 0, true};
  lx_refs(body, see_place, &walk);
  return walk.linear && walk.n > 0 ? body : NULL;
}

static bool is_plain_reduction(const lo_job *job, const lo_unit *unit) {
  const lo_value *value = &job->value[unit->flat_val];
  return lo_is_swept(job, unit) && unit->sweep == NULL && value->kind == LV_RED &&
         !lx_has_whole(value->body);
}

/* for what reads one value alone */
static lx *the_other(lo_job *job, void *arg, lx *ref) {
  (void)job;
  (void)ref;
  return arg;
}

/* the inner reduction's unit becomes that of all terms, and the outer one what is left to do */
static void merge(lo_job *job, uint32_t which, uint32_t first, lx *body) {
  uint32_t id = job->unit[which].flat_val;
  uint32_t inner = job->unit[first].flat_val;
  lo_value old = job->value[id];
  lx *own[AS_MAX_RANK];
  char *name = as_format("%s_all", old.name);
  uint32_t made = lo_new_val(job, LV_RED, name, old.rank, old.dim);
  free(name);
  lo_value *value = &job->value[made];
  value->red = old.red;
  value->extent = old.extent * job->value[inner].extent;
  value->body = body;
  value->place = LP_GLOBAL;
  value->buffer_class = LG_WORK;
  value->dtype = AS_F32;
  for (int axis = 0; axis < old.rank; axis++)
    own[axis] = lx_var(job, axis);
  lx *all = lx_ref(job, made, old.rank, own);
  job->value[id].kind = LV_MAP;
  job->value[id].body = lx_map_refs(job, old.body, the_other, all);
  job->value[inner].place = LP_INLINE;
  job->unit[first].flat_val = made;
  job->unit[first].name = job->value[made].name;
}

bool lo_merge_reductions(lo_job *job, uint32_t which) {
  lo_unit *unit = &job->unit[which];
  if (!is_plain_reduction(job, unit))
    return false;
  const lo_value *outer = &job->value[unit->flat_val];
  const lx *read = only_read(outer->body, outer->red);
  uint32_t first = read ? unit_of(job, read->val) : LO_NONE;
  if (first == LO_NONE || first > which || !is_plain_reduction(job, &job->unit[first]))
    return false;
  const lo_value *inner = &job->value[read->val];
  long terms;
  bool small = !__builtin_mul_overflow(outer->extent, inner->extent, &terms) && terms < INT_MAX;
  if (inner->red != outer->red || inner->buffer_class != LG_WORK || !small ||
      lo_elems(outer) * outer->extent > lo_elems(inner) ||
      lo_sole_reader(job, read->val) == LO_NONE || lo_has_parts(job, read->val))
    return false;
  lx *body = merged_body(job, outer, inner, read);
  if (body == NULL)
    return false;
  merge(job, which, first, body);
  return true;
}
