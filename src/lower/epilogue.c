/* Maps that are written out where the results of a contraction are stored. */
#include "epilogue.h"
#include "fault.h"
#include "flatten.h"
#include "reads.h"
#include "scalar.h"
#include "units.h"
#include <string.h>

/* nodes of what is computed for each result at most */
enum { MOST_WRITTEN = 900 };

/* How a value is read by another: at the reader's indices in their order, where extents of 1 may be
 * left out or put in, and a reduction's own index on one more axis. */
typedef struct {
  const lo_job *job;
  const lo_value *by; /* the reader; its indices are the variables, of a reduction one more */
  uint32_t val;
  bool read;
  bool elsewhere;           /* not so */
  int along;                /* the axis that is reduced; -1: none seen yet */
  int axis_of[AS_MAX_RANK]; /* of each axis of the value: the reader's; -1: none */
} reading;

/* what a unit computes of elements of others, and where it is stored */
typedef struct {
  uint32_t unit;
  uint32_t stored;
  lx *body;
} elementwise;

/* the reader's axis from `next` on that is not of extent 1, or that one */
static int skip_ones(const lo_value *by, int next, int until) {
  while (next < until && by->dim[next] == 1)
    next++;
  return next;
}

static bool reads_in_order(reading *of, const lx *ref) {
  const lo_value *value = &of->job->value[of->val];
  int next = 0;
  int along = -1;
  for (int i = 0; i < value->rank; i++) {
    const lx *index = ref->kid[i];
    int var = index->op == LX_VAR ? (int)index->number : -1;
    of->axis_of[i] = -1;
    if (index->op == LX_INT && index->number == 0 && value->dim[i] == 1)
      continue;
    if (var == of->by->rank && along < 0 && value->dim[i] == of->by->extent) {
      along = i;
      continue;
    }
    if (var < 0 || var >= of->by->rank || skip_ones(of->by, next, var) != var ||
        value->dim[i] != of->by->dim[var] || value->live_dim[i] != of->by->live_dim[var])
      return false;
    of->axis_of[i] = var;
    next = var + 1;
  }
  bool same = of->along < 0 || of->along == along;
  of->along = along;
  return same && skip_ones(of->by, next, of->by->rank) == of->by->rank &&
         (along >= 0) == (of->by->kind == LV_RED);
}

static void look_at(void *arg, const lx *ref) {
  reading *of = arg;
  if (ref->val != of->val && !lo_is_part_of(&of->job->value[ref->val], of->val))
    return;
  of->read = true;
  of->elsewhere = of->elsewhere || ref->val != of->val || !reads_in_order(of, ref);
}

/* of each of the reader's axes, what it is over the plan's */
static void indices_of(lo_job *job, const reading *of, lx *const *index, lx **by) {
  for (int i = 0; i < of->by->rank; i++)
    by[i] = lx_int(job, 0);
  for (int i = 0; i < job->value[of->val].rank; i++) {
    if (of->axis_of[i] >= 0)
      by[of->axis_of[i]] = index[i];
  }
}

/* NULL body: it is not element by element */
static elementwise read_unit(lo_job *job, uint32_t at) {
  const lo_unit *unit = &job->unit[at];
  if (unit->library || unit->tf32 || unit->simt || unit->has_epilogue)
    return (elementwise){.body = NULL};
  if (!unit->flat)
    return (elementwise){at, unit->n_store ? unit->store[0].target : LO_NONE,
                         lo_flatten(job, unit)};
  const lo_value *value = &job->value[unit->flat_val];
  return (elementwise){at, unit->flat_val, value->kind == LV_MAP ? value->body : NULL};
}

/* The unit that alone reads the value, element by element; false: there is none. */
static bool only_reader(lo_job *job, uint32_t val, elementwise *reader, reading *how) {
  uint32_t found = lo_sole_reader(job, val);
  if (found == LO_NONE)
    return false;
  *reader = read_unit(job, found);
  if (reader->body == NULL || lx_has_whole(reader->body))
    return false;
  *how = (reading){.job = job, .by = &job->value[reader->stored], .val = val, .along = -1};
  lx_refs(reader->body, look_at, how);
  return how->read && !how->elsewhere;
}

typedef struct {
  uint32_t val;
  lx *body;
} replacement;

static lx *replaced(lo_job *job, void *arg, lx *ref) {
  const replacement *by = arg;
  (void)job;
  return ref->val == by->val ? by->body : ref;
}

/* the unit of an elementwise computation becomes the contraction's */
static void take_over(lo_job *job, uint32_t *unit, const elementwise *reader, uint32_t sum) {
  lo_unit *kept = &job->unit[reader->unit];
  lo_unit made = {.name = kept->name,
                  .loop = 1,
                  .flat = true,
                  .flat_val = sum,
                  .has_epilogue = true,
                  .epilogue = reader->stored};
  *kept = made;
  lo_remove_unit(job, *unit);
  *unit = reader->unit > *unit ? reader->unit - 1 : reader->unit;
}

static void take_maps(lo_job *job, uint32_t *unit, lo_simt *plan) {
  uint32_t sum = job->unit[*unit].flat_val;
  elementwise reader;
  reading how;
  while (job->value[plan->stored].buffer_class == LG_WORK &&
         only_reader(job, plan->stored, &reader, &how)) {
    lx *by[AS_MAX_RANK];
    indices_of(job, &how, plan->index, by);
    replacement what = {plan->stored, plan->stored_body};
    lx *body = lx_subst(job, reader.body, by, how.by->rank);
    body = lx_map_refs(job, body, replaced, &what);
    body = lo_scalar(job, lx_simplify(job, body, plan->dim, plan->n_axis));
    if (lx_size(body) > MOST_WRITTEN)
      return;
    memcpy(plan->index, by, (size_t)how.by->rank * sizeof *by);
    job->value[plan->stored].place = LP_FRAG;
    plan->stored = reader.stored;
    if (!LO_FAULT(LO_FAULT_EPILOGUE))
      plan->stored_body = body;
    take_over(job, unit, &reader, sum);
  }
}

/* --- reductions over all rows */

static bool is_live(const lo_value *value) {
  bool live = value->kind == LV_RED && value->extent_live;
  for (int i = 0; i < value->rank; i++)
    live = live || value->live_dim[i];
  return live;
}

/* Is the axis of what is stored all rows of the contraction, and nothing else? */
static bool is_all_rows(const lo_simt *plan, int axis) {
  const lx *index = plan->index[axis];
  const lo_simt_side *rows = &plan->side[0];
  if (index->op != LX_VAR || plan->dim[index->number] != rows->extent)
    return false;
  for (int i = 0; i < rows->n_axis; i++) {
    if (rows->axis[i] == index->number)
      return true;
  }
  return false;
}

/* A reduction over all rows that alone reads what is stored becomes a part of the contraction. */
static bool take_fold(lo_job *job, uint32_t *unit, lo_simt *plan) {
  uint32_t at = job->value[plan->stored].buffer_class == LG_WORK ? lo_sole_reader(job, plan->stored)
                                                                 : LO_NONE;
  if (at == LO_NONE || plan->stored_body == NULL)
    return false;
  const lo_unit *reader = &job->unit[at];
  if (!reader->flat || reader->library || reader->tf32 || reader->simt || reader->has_epilogue)
    return false;
  uint32_t id = reader->flat_val;
  const lo_value *fold = &job->value[id];
  reading of = {.job = job, .by = fold, .val = plan->stored, .along = -1};
  if (fold->kind != LV_RED || is_live(fold) || lx_has_whole(fold->body))
    return false;
  lx_refs(fold->body, look_at, &of);
  if (!of.read || of.elsewhere || !is_all_rows(plan, of.along))
    return false;
  lx *by[AS_MAX_RANK + 1];
  indices_of(job, &of, plan->index, by);
  by[fold->rank] = plan->index[of.along];
  replacement what = {plan->stored, plan->stored_body};
  lx *body = lx_map_refs(job, lx_subst(job, fold->body, by, fold->rank + 1), replaced, &what);
  body = lo_scalar(job, lx_simplify(job, body, plan->dim, plan->n_axis));
  if (lx_size(body) > MOST_WRITTEN)
    return false;
  job->value[plan->stored].place = LP_FRAG;
  memcpy(plan->index, by, (size_t)fold->rank * sizeof *by);
  plan->fold_body = body;
  plan->fold_red = fold->red;
  plan->fold = plan->stored = id;
  plan->stored_body = lx_ref(job, id, fold->rank, by);
  elementwise taken = {at, id, NULL};
  take_over(job, unit, &taken, job->unit[*unit].flat_val);
  return true;
}

void lo_epilogue(lo_job *job, uint32_t *unit, lo_simt *plan, bool all_rows) {
  take_maps(job, unit, plan);
  if (all_rows && take_fold(job, unit, plan))
    take_maps(job, unit, plan);
}
