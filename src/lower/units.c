#include "units.h"
#include "fault.h"
#include <string.h>

static void number_values(lo_job *job) {
  for (uint32_t i = 0; i < job->n_value; i++)
    job->value[i].unit = LO_NONE;
  for (uint32_t i = 0; i < job->n_unit; i++) {
    const lo_unit *unit = &job->unit[i];
    for (uint32_t k = 0; k < unit->n; k++)
      job->value[unit->val[k]].unit = i;
    if (unit->flat)
      job->value[unit->flat_val].unit = i;
    if (unit->has_epilogue)
      job->value[unit->epilogue].unit = i;
  }
}

static void make_room(lo_job *job) {
  if (job->n_unit < job->unit_cap)
    return;
  job->unit_cap = job->unit_cap ? 2 * job->unit_cap : 16;
  job->unit = as_realloc(job->unit, job->unit_cap * sizeof *job->unit);
}

uint32_t lo_new_unit(lo_job *job, const char *name) {
  make_room(job);
  lo_unit *unit = &job->unit[job->n_unit];
  memset(unit, 0, sizeof *unit);
  unit->name = as_arena_strdup(job->arena, name);
  unit->loop = 1;
  return job->n_unit++;
}

void lo_unit_add(lo_job *job, lo_unit *unit, uint32_t val) {
  uint32_t *longer = as_arena_alloc(job->arena, (unit->n + 1) * sizeof *longer);
  if (unit->n)
    memcpy(longer, unit->val, unit->n * sizeof *longer);
  longer[unit->n++] = val;
  unit->val = longer;
  job->value[val].unit = (uint32_t)(unit - job->unit);
}

void lo_insert_flat_unit(lo_job *job, uint32_t at, uint32_t val) {
  lo_unit made = {.name = job->value[val].name, .loop = 1, .flat = true, .flat_val = val};
  make_room(job);
  memmove(&job->unit[at + 1], &job->unit[at], (job->n_unit - at) * sizeof *job->unit);
  job->n_unit++;
  job->unit[at] = made;
  number_values(job);
}

void lo_remove_unit(lo_job *job, uint32_t at) {
  memmove(&job->unit[at], &job->unit[at + 1], (job->n_unit - at - 1) * sizeof *job->unit);
  job->n_unit--;
  if (!LO_FAULT(LO_FAULT_NUMBERS))
    number_values(job);
}

void lo_give_units(lo_job *job, const as_vec *units) {
  job->n_unit = 0;
  for (uint32_t i = 0; i < units->n; i++) {
    make_room(job);
    job->unit[job->n_unit++] = AS_VEC_AT(units, lo_unit, i);
  }
  number_values(job);
}
