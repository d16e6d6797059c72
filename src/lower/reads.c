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

typedef void visitor(void *arg, uint32_t read);

bool lo_is_part_of(const lo_value *value, uint32_t whole) {
  return value->kind == LV_GLOBAL && value->buffer_class == LG_PART && value->source == whole;
}

static bool is_or_is_part_of(const lo_job *job, uint32_t read, uint32_t id) {
  return read == id || lo_is_part_of(&job->value[read], id);
}

static void see_read(void *arg, uint32_t read) {
  read_walk *walk = arg;
  walk->found |= is_or_is_part_of(walk->job, read, walk->id);
}

void lo_each_in(const lx *expr, void (*visit)(void *arg, uint32_t read), void *arg) {
  if (expr == NULL)
    return;
  if (expr->op == LX_REF)
    visit(arg, expr->val);
  for (int i = 0; i < expr->n; i++)
    lo_each_in(expr->kid[i], visit, arg);
}

bool lo_expr_reads(const lo_job *job, const lx *expr, uint32_t id) {
  read_walk walk = {job, id, false};
  lo_each_in(expr, see_read, &walk);
  return walk.found;
}

static void each_of_sweep(const lo_job *job, const lo_sweep *sweep, visitor *visit, void *arg) {
  if (sweep->reduction != LO_NONE)
    lo_each_in(job->value[sweep->reduction].body, visit, arg);
  lo_each_in(sweep->finish, visit, arg);
  if (sweep->pair != LO_PAIR_NONE) {
    lo_each_in(job->value[sweep->first].body, visit, arg);
    lo_each_in(sweep->first_finish, visit, arg);
  }
  if (sweep->before)
    each_of_sweep(job, sweep->before, visit, arg);
}

static void each_of_block(const lo_job *job, const lo_unit *unit, visitor *visit, void *arg) {
  for (uint32_t i = 0; i < unit->n; i++) {
    const lo_value *value = &job->value[unit->val[i]];
    if (value->kind == LV_LOAD)
      visit(arg, value->source);
    lo_each_in(value->body, visit, arg);
  }
}

void lo_each_read(const lo_job *job, const lo_unit *unit, void (*visit)(void *arg, uint32_t read),
                  void *arg) {
  if (unit->library) {
    visit(arg, unit->library->a);
    visit(arg, unit->library->b);
    return;
  }
  if (!unit->flat) {
    each_of_block(job, unit, visit, arg);
    return;
  }
  lo_each_in(job->value[unit->flat_val].body, visit, arg);
  if (unit->has_epilogue)
    lo_each_in(job->value[unit->epilogue].body, visit, arg);
  if (unit->simt)
    lo_each_in(unit->simt->stored_body, visit, arg);
  if (unit->tf32) {
    lo_each_in(unit->tf32->plan.stored_body, visit, arg);
    lo_each_in(unit->tf32->plan.fold_body, visit, arg);
    visit(arg, unit->tf32->side[0].val);
    visit(arg, unit->tf32->side[1].val);
  }
  if (unit->sweep)
    each_of_sweep(job, unit->sweep, visit, arg);
}

bool lo_unit_reads(const lo_job *job, const lo_unit *unit, uint32_t id) {
  read_walk walk = {job, id, false};
  lo_each_read(job, unit, see_read, &walk);
  return walk.found;
}

static void each_given_by(const lo_sweep *sweep, visitor *visit, void *arg) {
  if (sweep->pair != LO_PAIR_NONE)
    visit(arg, sweep->first_result);
  if (sweep->before) {
    visit(arg, sweep->before_result);
    each_given_by(sweep->before, visit, arg);
  }
}

void lo_each_given(const lo_unit *unit, void (*visit)(void *arg, uint32_t given), void *arg) {
  if (unit->library)
    visit(arg, unit->library->result);
  for (uint32_t i = 0; i < unit->n_store; i++)
    visit(arg, unit->store[i].target);
  if (unit->flat)
    visit(arg, unit->flat_val);
  if (unit->has_epilogue)
    visit(arg, unit->epilogue);
  if (unit->sweep)
    each_given_by(unit->sweep, visit, arg);
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
