#include "reads.h"
#include "product.h"
#include "simt.h"
#include "sweep.h"
#include "tf32.h"

typedef struct {
  const lo_job *job;
  uint32_t id;
  bool found;
} read_walk;

bool lo_is_part_of(const lo_value *value, uint32_t whole) {
  return value->kind == LV_GLOBAL && value->buffer_class == LG_PART && value->source == whole;
}

static bool is_or_is_part_of(const lo_job *job, uint32_t read, uint32_t id) {
  return read == id || lo_is_part_of(&job->value[read], id);
}

static void see_read(void *arg, const lx *ref) {
  read_walk *walk = arg;
  walk->found |= is_or_is_part_of(walk->job, ref->val, walk->id);
}

bool lo_expr_reads(const lo_job *job, const lx *expr, uint32_t id) {
  read_walk walk = {job, id, false};
  if (expr)
    lx_refs(expr, see_read, &walk);
  return walk.found;
}

static bool value_reads(const lo_job *job, uint32_t computed, uint32_t id) {
  return lo_expr_reads(job, job->value[computed].body, id);
}

static bool sweep_reads(const lo_job *job, const lo_sweep *sweep, uint32_t id) {
  bool pair = sweep->pair != LO_PAIR_NONE;
  return (sweep->reduction != LO_NONE && value_reads(job, sweep->reduction, id)) ||
         lo_expr_reads(job, sweep->finish, id) || (pair && value_reads(job, sweep->first, id)) ||
         (pair && lo_expr_reads(job, sweep->first_finish, id)) ||
         (sweep->before && sweep_reads(job, sweep->before, id));
}

static bool block_reads(const lo_job *job, const lo_unit *unit, uint32_t id) {
  for (uint32_t i = 0; i < unit->n; i++) {
    const lo_value *value = &job->value[unit->val[i]];
    bool loads = value->kind == LV_LOAD && is_or_is_part_of(job, value->source, id);
    if (loads || lo_expr_reads(job, value->body, id))
      return true;
  }
  return false;
}

bool lo_unit_reads(const lo_job *job, const lo_unit *unit, uint32_t id) {
  if (unit->library)
    return is_or_is_part_of(job, unit->library->a, id) ||
           is_or_is_part_of(job, unit->library->b, id);
  if (!unit->flat)
    return block_reads(job, unit, id);
  return value_reads(job, unit->flat_val, id) ||
         (unit->has_epilogue && value_reads(job, unit->epilogue, id)) ||
         (unit->simt && lo_expr_reads(job, unit->simt->stored_body, id)) ||
         (unit->tf32 && (lo_expr_reads(job, unit->tf32->plan.stored_body, id) ||
                         lo_expr_reads(job, unit->tf32->plan.fold_body, id))) ||
         (unit->sweep && sweep_reads(job, unit->sweep, id));
}

uint32_t lo_sole_reader(const lo_job *job, uint32_t id) {
  uint32_t found = LO_NONE;
  for (uint32_t i = 0; i < job->n_unit; i++) {
    if (!lo_unit_reads(job, &job->unit[i], id))
      continue;
    if (found != LO_NONE)
      return LO_NONE;
    found = i;
  }
  return found;
}

bool lo_has_parts(const lo_job *job, uint32_t id) {
  for (uint32_t i = 0; i < job->n_value; i++) {
    if (lo_is_part_of(&job->value[i], id))
      return true;
  }
  return false;
}
