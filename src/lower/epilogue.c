/* Maps that are written out where the results of a contraction are stored. */
#include "epilogue.h"
#include <string.h>

/* nodes of what is computed for each result at most */
enum { MOST_WRITTEN = 600 };

/* how a value is read by another */
typedef struct {
  const lo_job *job;
  const lo_value *by; /* the reader; its indices are the variables */
  uint32_t val;
  bool read;
  bool elsewhere; /* at other indices than its own */
} reading;

static bool is_own_index(const lx *index, int axis, long extent) {
  if (index->op == LX_INT)
    return extent == 1 && index->number == 0;
  return index->op == LX_VAR && index->number == axis;
}

static void look_at(void *arg, const lx *ref) {
  reading *of = arg;
  const lo_value *value = &of->job->value[ref->val];
  bool part = value->kind == LV_GLOBAL && value->buffer_class == LG_PART;
  if (ref->val != of->val && !(part && value->source == of->val))
    return;
  of->read = true;
  bool own = ref->val == of->val && of->by->kind == LV_MAP && of->by->rank == value->rank;
  for (int axis = 0; own && axis < value->rank; axis++)
    own = of->by->dim[axis] == value->dim[axis] &&
          of->by->live_dim[axis] == value->live_dim[axis] &&
          is_own_index(ref->kid[axis], axis, value->dim[axis]);
  of->elsewhere |= !own;
}

static reading read_by(const lo_job *job, const lo_value *by, uint32_t val) {
  reading of = {.job = job, .by = by, .val = val};
  if (by->kind == LV_LOAD) {
    const lo_value *source = &job->value[by->source];
    bool part = source->kind == LV_GLOBAL && source->buffer_class == LG_PART;
    of.read = of.elsewhere = by->source == val || (part && source->source == val);
  }
  if (by->body) {
    of.elsewhere |= lx_has_whole(by->body);
    lx_refs(by->body, look_at, &of);
  }
  return of;
}

/* The flat unit of a map that alone reads the value, at its own indices; LO_NONE: there is none. */
static uint32_t only_reader(const lo_job *job, uint32_t val) {
  uint32_t found = LO_NONE;
  for (uint32_t i = 0; i < job->n_unit; i++) {
    const lo_unit *unit = &job->unit[i];
    const uint32_t *values = unit->flat ? &unit->flat_val : unit->val;
    uint32_t n = unit->flat ? 1 : unit->n;
    for (uint32_t j = 0; j < n; j++) {
      const lo_value *by = &job->value[unit->has_epilogue ? unit->epilogue : values[j]];
      reading of = read_by(job, by, val);
      bool sum = unit->has_epilogue && read_by(job, &job->value[unit->flat_val], val).read;
      if (!of.read && !sum)
        continue;
      if (found != LO_NONE || sum || of.elsewhere || !unit->flat || unit->library || unit->tf32 ||
          unit->simt)
        return LO_NONE;
      found = i;
    }
  }
  return found;
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

void lo_epilogue(lo_job *job, uint32_t *unit, lo_simt *plan) {
  uint32_t sum = job->unit[*unit].flat_val;
  for (;;) {
    lo_value *stored = &job->value[plan->stored];
    uint32_t reader = stored->buffer_class == LG_WORK ? only_reader(job, plan->stored) : LO_NONE;
    if (reader == LO_NONE)
      return;
    uint32_t map = job->unit[reader].flat_val;
    replacement by = {plan->stored, plan->stored_body};
    lx *body = lx_subst(job, job->value[map].body, plan->index, job->value[map].rank);
    body = lx_map_refs(job, body, replaced, &by);
    if (lx_size(body) > MOST_WRITTEN)
      return;
    stored->place = LP_FRAG;
    plan->stored = map;
    plan->stored_body = lx_simplify(job, body, plan->dim, plan->n_axis);
    lo_unit *kept = &job->unit[reader];
    kept->flat_val = sum;
    kept->has_epilogue = true;
    kept->epilogue = map;
    job->value[sum].unit = reader;
    remove_unit(job, *unit);
    *unit = reader > *unit ? reader - 1 : reader;
  }
}
