/* Maps that are written out where the results of a contraction are stored. */
#include "epilogue.h"
#include "flatten.h"
#include "reads.h"
#include "scalar.h"
#include <string.h>

/* nodes of what is computed for each result at most */
enum { MOST_WRITTEN = 900 };

/* how a value is read by another */
typedef struct {
  const lo_job *job;
  const lo_value *by; /* the reader; its indices are the variables.  NULL: not at its own */
  uint32_t val;
  bool read;
  bool elsewhere; /* at other indices than its own */
} reading;

/* what a unit computes of elements of others, and where it is stored */
typedef struct {
  uint32_t unit;
  uint32_t stored;
  lx *body;
} elementwise;

static bool is_own_index(const lx *index, int axis, long extent) {
  if (index->op == LX_INT)
    return extent == 1 && index->number == 0;
  return index->op == LX_VAR && index->number == axis;
}

static void look_at(void *arg, const lx *ref) {
  reading *of = arg;
  const lo_value *value = &of->job->value[ref->val];
  if (ref->val != of->val && !lo_is_part_of(value, of->val))
    return;
  of->read = true;
  bool own = ref->val == of->val && of->by && of->by->rank == value->rank;
  for (int axis = 0; own && axis < value->rank; axis++)
    own = of->by->dim[axis] == value->dim[axis] &&
          of->by->live_dim[axis] == value->live_dim[axis] &&
          is_own_index(ref->kid[axis], axis, value->dim[axis]);
  of->elsewhere |= !own;
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

/* The unit that alone reads the value, element by element at its own indices; false: there is none.
 */
static bool only_reader(lo_job *job, uint32_t val, elementwise *reader) {
  uint32_t found = LO_NONE;
  for (uint32_t i = 0; i < job->n_unit; i++) {
    if (!lo_unit_reads(job, &job->unit[i], val))
      continue;
    if (found != LO_NONE)
      return false;
    found = i;
  }
  if (found == LO_NONE)
    return false;
  *reader = read_unit(job, found);
  if (reader->body == NULL || lx_has_whole(reader->body))
    return false;
  reading of = {.job = job, .by = &job->value[reader->stored], .val = val};
  lx_refs(reader->body, look_at, &of);
  return of.read && !of.elsewhere;
}

static void remove_unit(lo_job *job, uint32_t at) {
  memmove(&job->unit[at], &job->unit[at + 1], (job->n_unit - at - 1) * sizeof *job->unit);
  job->n_unit--;
  for (uint32_t i = 0; i < job->n_value; i++) {
    if (job->value[i].unit != LO_NONE && job->value[i].unit > at)
      job->value[i].unit--;
  }
  for (size_t i = 0; i < job->cuts.n; i++) {
    lo_cut *cut = &AS_VEC_AT(&job->cuts, lo_cut, i);
    cut->unit -= cut->unit > at;
  }
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
  job->value[sum].unit = reader->unit;
  job->value[reader->stored].unit = reader->unit;
  remove_unit(job, *unit);
  *unit = reader->unit > *unit ? reader->unit - 1 : reader->unit;
}

void lo_epilogue(lo_job *job, uint32_t *unit, lo_simt *plan) {
  uint32_t sum = job->unit[*unit].flat_val;
  elementwise reader;
  while (job->value[plan->stored].buffer_class == LG_WORK &&
         only_reader(job, plan->stored, &reader)) {
    replacement by = {plan->stored, plan->stored_body};
    lx *body = lx_subst(job, reader.body, plan->index, job->value[reader.stored].rank);
    body = lx_map_refs(job, body, replaced, &by);
    body = lo_scalar(job, lx_simplify(job, body, plan->dim, plan->n_axis));
    if (lx_size(body) > MOST_WRITTEN)
      return;
    job->value[plan->stored].place = LP_FRAG;
    plan->stored = reader.stored;
    plan->stored_body = body;
    take_over(job, unit, &reader, sum);
  }
}
