/* Statements by depth: each gets the least level above those it reads from shared memory; a barrier
 * stands between levels, none within one. Also decides how many lanes work on each result of a
 * reduction. */
#include "fault.h"
#include "job.h"
#include <stdlib.h>

typedef struct {
  lo_job *job;
  lo_phase phase;
  int level;
} dep;

static void after(dep *dependence, int level) {
  if (!LO_FAULT(LO_FAULT_SCHEDULE) && level + 1 > dependence->level)
    dependence->level = level + 1;
}

static void dep_value(dep *dependence, uint32_t id) {
  const lo_value *value = &dependence->job->value[id];
  lo_phase phase = value->kind == LV_ACC && (value->place == LP_FRAG || value->place == LP_LANES)
                       ? LO_POST
                       : value->phase;
  if (value->place == LP_GLOBAL || value->kind == LV_CONST || value->kind == LV_LOAD)
    return;
  if (phase == dependence->phase)
    after(dependence, value->level);
}

static void dep_ref(void *arg, const lx *ref) {
  dep_value(arg, ref->val);
}

static void dep_operand(dep *dependence, uint32_t id) {
  const lo_value *value = &dependence->job->value[id];
  if (!value->need16)
    return;
  lo_phase phase = value->kind == LV_ACC ? LO_POST : value->phase;
  if (phase == dependence->phase)
    after(dependence, value->level16);
}

static void dep_alpha(dep *dependence, uint32_t acc) {
  if (acc != LO_NONE && dependence->job->value[acc].kind == LV_ACC &&
      dependence->job->value[acc].run != LO_NONE && dependence->phase == LO_BODY)
    after(dependence, dependence->job->value[dependence->job->value[acc].run].level);
}

static int level_of(lo_job *job, const lo_stmt *stmt) {
  const lo_value *value = &job->value[stmt->val];
  dep dependence = {job, stmt->phase, 0};
  switch (stmt->kind) {
  case LS_MAP:
    lx_refs(value->body, dep_ref, &dependence);
    break;
  case LS_MAP16:
    if (value->kind == LV_MAP)
      lx_refs(value->body, dep_ref, &dependence);
    else
      dep_value(&dependence, value->kind == LV_RUN ? value->of : stmt->val);
    break;
  case LS_RED:
    lx_refs(value->body, dep_ref, &dependence);
    if (value->place == LP_LANES)
      dep_alpha(&dependence, value->fused_acc);
    break;
  case LS_MMA:
    dep_operand(&dependence, value->mma.a_value);
    dep_operand(&dependence, value->mma.b_value);
    if (value->place == LP_FRAG)
      dep_alpha(&dependence, value->fused_acc);
    break;
  case LS_ACC:
    lx_refs(value->body, dep_ref, &dependence);
    dep_alpha(&dependence, stmt->val);
    break;
  case LS_FINISH:
    break;
  }
  return dependence.level;
}

static void lanes(lo_job *job, const lo_unit *unit, lo_value *value) {
  long outs = 1;
  long threads = 32L * unit->warps;
  (void)job;
  for (int i = 0; i < value->rank; i++)
    outs *= value->dim[i];
  int lanes_each = 1;
  while (lanes_each < 32 && lanes_each < value->extent && (long)lanes_each * 2 * outs <= threads)
    lanes_each *= 2;
  while (lanes_each < 32 && value->place == LP_LANES &&
         (outs * lanes_each + threads - 1) / threads > 16)
    lanes_each *= 2; /* registers */
  value->group = lanes_each;
}

bool lo_schedule(lo_job *job, lo_unit *unit) {
  for (uint32_t i = 0; i < unit->n_stmt; i++) {
    if (unit->stmt[i].kind == LS_RED)
      lanes(job, unit, &job->value[unit->stmt[i].val]);
  }
  bool changed = true;
  for (uint32_t round = 0; changed; round++) {
    changed = false;
    if (round > unit->n_stmt + 2) {
      return as_err_set(job->err, AS_INTERNAL,
                        "kernel %s: the statements depend on each other in a circle", unit->name);
    }
    for (uint32_t i = 0; i < unit->n_stmt; i++) {
      lo_stmt *stmt = &unit->stmt[i];
      lo_value *value = &job->value[stmt->val];
      int level = level_of(job, stmt);
      int *level_at = stmt->kind == LS_MAP16 ? &value->level16 : &value->level;
      if (stmt->level != level || *level_at != level)
        changed = true;
      stmt->level = level;
      *level_at = level;
      if (value->kind == LV_RED && value->fused_acc != LO_NONE && stmt->kind == LS_RED &&
          value->place != LP_LANES)
        job->value[value->fused_acc].level = level;
    }
  }
  for (uint32_t i = 0; i < unit->n_stmt; i++) {
    if (unit->stmt[i].level + 1 > unit->levels[unit->stmt[i].phase])
      unit->levels[unit->stmt[i].phase] = unit->stmt[i].level + 1;
  }
  for (uint32_t i = 0; i < unit->n_store; i++) {
    dep dependence = {job, LO_POST, 0};
    lx_refs(unit->store[i].body, dep_ref, &dependence);
    unit->store[i].level = dependence.level;
    if (dependence.level + 1 > unit->levels[LO_POST])
      unit->levels[LO_POST] = dependence.level + 1;
  }
  return true;
}
