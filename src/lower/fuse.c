/* Thread-level fusion: which values exist in memory at all, where accumulators live, and the bodies
 * of what remains with everything else substituted.  Maps are recomputed where they are read
 * (registers), unless that would repeat costly work. */
#include "body.h"
#include "fault.h"
#include "job.h"
#include <stdlib.h>
#include <string.h>
#define BIG_BODY 160 /* nodes beyond which a map is stored rather than repeated */

typedef struct {
  lo_job *job;
  uint32_t unit;
} mark_walk;

static void mark(lo_job *L, uint32_t unit, uint32_t v);

static void mark_ref(void *arg, const lx *ref) {
  mark_walk *walk = arg;
  mark(walk->job, walk->unit, ref->val);
}

static void mark(lo_job *job, uint32_t unit, uint32_t id) {
  lo_value *value = &job->value[id];
  if (value->unit != unit || value->place == LP_GLOBAL)
    return;
  value->uses++;
  if (value->live || (LO_FAULT(LO_FAULT_LIVE_LOADS) && value->kind == LV_LOAD) ||
      (LO_FAULT(LO_FAULT_LIVE_SUMS) && value->mma.on))
    return;
  value->live = true;
  mark_walk walk = {job, unit};
  if (value->kind == LV_MAP || value->kind == LV_RED) {
    lx_refs(value->body, mark_ref, &walk);
  } else if (value->kind == LV_ACC) {
    mark(job, unit, value->of);
    if (value->run != LO_NONE)
      mark(job, unit, value->run);
  } else if (value->kind == LV_RUN) {
    mark(job, unit, value->of);
  }
}

typedef struct {
  lo_job *job;
  lo_phase phase;
} phase_walk;

static void phase_ref(void *arg, const lx *ref) {
  phase_walk *walk = arg;
  const lo_value *value = &walk->job->value[ref->val];
  lo_phase phase = value->place == LP_GLOBAL || value->kind == LV_CONST ? LO_PRE
                   : value->kind == LV_ACC                              ? LO_POST
                                                                        : value->phase;
  if (phase > walk->phase)
    walk->phase = phase;
}

static bool phases(lo_job *job, lo_unit *unit) {
  for (uint32_t i = 0; i < unit->n; i++) {
    lo_value *value = &job->value[unit->val[i]];
    value->phase = LO_PRE;
    if (value->kind == LV_LOAD) {
      for (int axis = 0; axis < value->rank; axis++) {
        if (value->by_loop[axis])
          value->phase = LO_BODY;
      }
    } else if (value->kind == LV_RUN || value->kind == LV_ACC) {
      value->phase = LO_BODY;
    } else {
      phase_walk walk = {job, LO_PRE};
      lx_refs(value->body, phase_ref, &walk);
      bool moves = walk.phase == LO_PRE && value->body != NULL && lx_moves(job, value->body);
      value->phase = moves ? LO_BODY : walk.phase;
      if (LO_FAULT(LO_FAULT_PHASES) && value->phase == LO_BODY)
        value->phase = LO_PRE;
    }
    if (value->kind == LV_ACC && job->value[value->of].phase == LO_POST) {
      return as_err_set(job->err, AS_BAD_INPUT,
                        "%s accumulates a value that is only known after the loop", value->name);
    }
  }
  return true;
}

/* a matrix product summed by one accumulator stays in the tensor cores' registers; a plain sum so
 * summed, in partial sums of the lanes */
static void place_accumulators(lo_job *job, lo_unit *unit) {
  for (uint32_t i = 0; i < unit->n; i++) {
    lo_value *value = &job->value[unit->val[i]];
    if (!value->live || value->kind != LV_ACC)
      continue;
    lo_value *of = &job->value[value->of];
    bool sums = value->acc == AS_ACC_SUM || value->acc == AS_ACC_RESCALE;
    bool alone = of->kind == LV_RED && of->uses == 1 && of->unit == value->unit;
    value->place = LP_SMEM;
    if (value->acc == AS_ACC_RESCALE)
      job->value[value->run].need_alpha = true;
    if (sums && alone && of->mma.on) {
      of->place = value->place = LP_FRAG;
      of->phase = LO_BODY;
      of->fused_acc = unit->val[i];
    } else if (sums && alone && of->red == LO_SUM && of->phase == LO_BODY) {
      of->place = value->place = LP_LANES;
      of->fused_acc = unit->val[i];
    } else if (value->acc == AS_ACC_MAX && of->kind == LV_RED && of->unit == value->unit &&
               !of->mma.on && of->phase == LO_BODY && of->fused_acc == LO_NONE) {
      of->fused_acc = unit->val[i];
    }
  }
}

typedef struct {
  lo_job *job;
  const lo_value *user;
} cost_walk;

static void store_costly(void *arg, const lx *ref) {
  cost_walk *walk = arg;
  lo_value *value = &walk->job->value[ref->val];
  if (value->kind != LV_MAP || value->place == LP_GLOBAL)
    return;
  if (walk->user && lx_costly(value->body) &&
      lo_elems(walk->user) * walk->user->extent > 2 * lo_elems(value))
    value->need32 = true;
  lx_refs(value->body, store_costly, arg);
}

static lx *inline_ref(lo_job *job, void *arg, lx *ref) {
  (void)arg;
  lo_value *value = &job->value[ref->val];
  if (value->kind == LV_CONST)
    return lo_number(job, value);
  if (value->kind == LV_RUN)
    return lx_ref(job, value->of, ref->n, ref->kid);
  if (value->kind != LV_MAP || value->place == LP_GLOBAL || value->need32)
    return ref;
  return lx_subst(job, value->body, ref->kid, ref->n);
}

static lx *inlined(lo_job *job, lx *body, const lo_value *value, bool reduced) {
  long ext[9];
  for (int i = 0; i < value->rank; i++)
    ext[i] = value->dim[i];
  if (reduced)
    ext[value->rank] = value->extent;
  return lx_simplify(job, lx_map_refs(job, body, inline_ref, NULL), ext, value->rank + reduced);
}

static void need_ref(void *arg, const lx *ref) {
  ((lo_job *)arg)->value[ref->val].need32 = true;
}

/* values in order of definition, so that what is substituted is already final */
static void substitute(lo_job *job, lo_unit *unit) {
  for (uint32_t i = 0; i < unit->n; i++) {
    lo_value *value = &job->value[unit->val[i]];
    if (!value->live)
      continue;
    if (value->kind == LV_MAP) {
      value->body = inlined(job, value->body, value, false);
      if (lx_size(value->body) > BIG_BODY && value->uses > 1)
        value->need32 = true;
    } else if (value->kind == LV_RED && !value->mma.on) {
      value->body = inlined(job, value->body, value, true);
    } else if (value->kind == LV_ACC) { /* what is added, at the accumulator's own indices */
      lx *index[8];
      const lo_value *summand = &job->value[value->of];
      for (int axis = 0; axis < summand->rank; axis++)
        index[axis] = lx_var(job, axis);
      value->body = inlined(job, lx_ref(job, value->of, summand->rank, index), summand, false);
    }
  }
}

static lo_stmt *stmt(lo_job *job, lo_unit *unit, lo_stmt_kind kind, uint32_t id, lo_phase phase) {
  lo_stmt *longer = as_arena_alloc(job->arena, (unit->n_stmt + 1) * sizeof *longer);
  if (unit->n_stmt)
    memcpy(longer, unit->stmt, unit->n_stmt * sizeof *longer);
  unit->stmt = longer;
  longer[unit->n_stmt] = (lo_stmt){kind, id, phase, 0};
  return &longer[unit->n_stmt++];
}

static void statements(lo_job *job, lo_unit *unit) {
  for (uint32_t i = 0; i < unit->n; i++) {
    uint32_t id = unit->val[i];
    const lo_value *value = &job->value[id];
    if (!value->live)
      continue;
    if (value->kind == LV_MAP && value->need32 && !LO_FAULT(LO_FAULT_STATEMENT_MAP))
      stmt(job, unit, LS_MAP, id, value->phase);
    if (value->mma.on && LO_FAULT(LO_FAULT_TWICE))
      stmt(job, unit, value->mma.on ? LS_MMA : LS_RED, id, value->phase);
    if (value->kind == LV_RED && !(LO_FAULT(LO_FAULT_STATEMENT_SUM) && value->place != LP_LANES))
      stmt(job, unit, value->mma.on ? LS_MMA : LS_RED, id, value->phase);
    if (value->kind == LV_ACC) {
      bool fused = job->value[value->of].fused_acc == id;
      if (!fused)
        stmt(job, unit, LS_ACC, id, LO_BODY);
      bool kept = value->place == LP_FRAG || value->place == LP_LANES;
      if (kept && !LO_FAULT(LO_FAULT_STATEMENT_FINISH))
        stmt(job, unit, LS_FINISH, id, LO_POST);
    }
    if (value->need16)
      stmt(job, unit, LS_MAP16, id, value->kind == LV_ACC ? LO_POST : value->phase);
  }
}

bool lo_fuse(lo_job *job, lo_unit *unit) {
  uint32_t id = (uint32_t)(unit - job->unit);
  for (uint32_t i = 0; i < unit->n; i++) {
    if (job->value[unit->val[i]].kind == LV_RED) {
      uint32_t before = unit->n;
      lo_contraction(job, unit, unit->val[i]);
      i += unit->n - before;
    }
  }
  if (!phases(job, unit))
    return false;
  for (uint32_t i = 0; i < unit->n_store; i++) {
    mark(job, id, unit->store[i].val);
    const lo_value *value = &job->value[unit->store[i].val];
    if (value->kind == LV_RUN || (value->phase == LO_BODY && value->kind != LV_ACC)) {
      return as_err_set(job->err, AS_BAD_INPUT, "%s varies with the loop and cannot be stored",
                        value->name);
    }
  }
  place_accumulators(job, unit);
  for (uint32_t i = 0; i < unit->n;
       i++) { /* what tensor cores read, and what would be repeated too often */
    lo_value *value = &job->value[unit->val[i]];
    if (!value->live || value->kind != LV_RED)
      continue;
    if (!value->mma.on) {
      cost_walk walk = {job, value};
      lx_refs(value->body, store_costly, &walk);
      continue;
    }
    uint32_t operands[2] = {value->mma.a_value, value->mma.b_value};
    for (int j = 0; j < 2; j++) {
      lo_value *operand = &job->value[operands[j]];
      bool direct =
          operand->kind == LV_LOAD && job->value[operand->source].dtype == value->mma.type;
      if (!direct)
        operand->need16 = true;
    }
  }
  substitute(job, unit);
  statements(job, unit);
  for (uint32_t i = 0; i < unit->n_store; i++) {
    lo_store *s = &unit->store[i];
    const lo_value *value = &job->value[s->val];
    lx *index[8];
    for (int axis = 0; axis < value->rank; axis++)
      index[axis] = lx_var(job, axis);
    s->body = inlined(job, lx_ref(job, s->val, value->rank, index), value, false);
    lx_refs(s->body, need_ref, job);
  }
  for (uint32_t i = 0; i < unit->n_stmt; i++) { /* whose value is read from shared memory */
    const lo_stmt *s = &unit->stmt[i];
    lo_value *value = &job->value[s->val];
    if (s->kind == LS_MAP || (s->kind == LS_RED) || (s->kind == LS_MAP16 && value->kind == LV_MAP))
      lx_refs(value->body, need_ref, job);
    else if (s->kind == LS_MAP16)
      value->need32 = true;
    else if (s->kind == LS_ACC)
      lx_refs(value->body, need_ref, job);
    if (value->kind == LV_ACC)
      value->need32 = true;
  }
  for (uint32_t i = 0; i < unit->n; i++) {
    if (job->value[unit->val[i]].kind == LV_ACC && job->value[unit->val[i]].live)
      job->value[unit->val[i]].need32 = true;
  }
  return true;
}
