/* Shared memory as dynamic storage allocation: buffers live over intervals of levels; larger ones
 * are placed first, each at the lowest offset (of the best-fitting gap) free during its life. */
#include "fault.h"
#include "job.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  lo_smem *buffer;
  long bytes;
  const char *name;
  uint32_t order;
} buf;

typedef struct {
  lo_job *job;
  lo_unit *unit;
  int base[3];
  int last;
} memory_plan;

static void touch(lo_smem *buffer, int time) {
  if (!buffer->used)
    return;
  if (time < buffer->live_from)
    buffer->live_from = time;
  if (time > buffer->live_to)
    buffer->live_to = time;
}

typedef struct {
  memory_plan *plan;
  int time;
} touch_walk;

static void touch_ref(void *arg, const lx *ref) {
  touch_walk *walk = arg;
  touch(&walk->plan->job->value[ref->val].shared, walk->time);
}

static void touch_stmt(memory_plan *plan, const lo_stmt *stmt) {
  lo_job *job = plan->job;
  lo_value *value = &job->value[stmt->val];
  int time = plan->base[stmt->phase] + stmt->level;
  touch_walk walk = {plan, time};
  switch (stmt->kind) {
  case LS_MAP:
    touch(&value->shared, time);
    lx_refs(value->body, touch_ref, &walk);
    break;
  case LS_MAP16:
    touch(&value->shared16, time);
    if (value->kind == LV_MAP)
      lx_refs(value->body, touch_ref, &walk);
    else
      touch(value->kind == LV_RUN ? &job->value[value->of].shared : &value->shared, time);
    break;
  case LS_RED:
    touch(&value->shared, time);
    lx_refs(value->body, touch_ref, &walk);
    break;
  case LS_MMA:
    touch(&value->shared, time);
    for (int j = 0; j < 2; j++) {
      lo_value *operand = &job->value[j ? value->mma.b_value : value->mma.a_value];
      touch(operand->need16 ? &operand->shared16 : &operand->shared, time);
    }
    break;
  case LS_ACC:
    lx_refs(value->body, touch_ref, &walk);
    break;
  case LS_FINISH:
    touch(&value->shared, time);
    break;
  }
}

/* what the loop keeps or the pipeline fills lives through it */
static void lifetimes(memory_plan *plan) {
  lo_job *job = plan->job;
  lo_unit *unit = plan->unit;
  for (uint32_t i = 0; i < unit->n; i++) {
    lo_value *value = &job->value[unit->val[i]];
    lo_smem *buffers[3] = {&value->shared, &value->shared16, &value->alpha};
    for (int j = 0; j < 3; j++) {
      buffers[j]->live_from = plan->last + 1;
      buffers[j]->live_to = -1;
    }
  }
  for (uint32_t i = 0; i < unit->n_stmt; i++)
    touch_stmt(plan, &unit->stmt[i]);
  for (uint32_t i = 0; i < unit->n_store; i++) {
    touch_walk walk = {plan, plan->base[LO_POST] + unit->store[i].level};
    lx_refs(unit->store[i].body, touch_ref, &walk);
  }
  if (LO_FAULT(LO_FAULT_LIFETIMES))
    return;
  int body0 = plan->base[LO_BODY];
  int body1 = plan->base[LO_POST] - 1;
  for (uint32_t i = 0; i < unit->n; i++) {
    lo_value *value = &job->value[unit->val[i]];
    if (value->kind == LV_LOAD) {
      touch(&value->shared, 0);
      if (value->phase == LO_BODY)
        touch(&value->shared, body1);
    }
    if (value->kind == LV_ACC && value->place == LP_SMEM) {
      touch(&value->shared, 0);
      touch(&value->shared, body1);
      touch(&value->alpha, 0);
      touch(&value->alpha, body1);
    }
    lo_smem *buffers[2] = {&value->shared, &value->shared16};
    for (int j = 0; j < 2; j++) {
      if (buffers[j]->used && buffers[j]->live_from < body0 && buffers[j]->live_to >= body0)
        touch(buffers[j], body1); /* read again in each iteration */
    }
  }
}

static int larger_first(const void *left, const void *right) {
  const buf *first = left;
  const buf *second = right;
  if (first->bytes != second->bytes)
    return first->bytes > second->bytes ? -1 : 1;
  return first->order < second->order ? -1 : first->order > second->order;
}

static bool overlap_life(const lo_smem *first, const lo_smem *second) {
  if (LO_FAULT(LO_FAULT_PLANNING))
    return false;
  return first->live_from <= second->live_to && second->live_from <= first->live_to;
}

static long place(const buf *placed, int n, const buf *wanted) {
  long best = -1;
  long gap = -1;
  for (int candidate = -1; candidate < n; candidate++) { /* candidate offsets: zero and the end of
                                                            each buffer alive at the same time */
    if (candidate >= 0 && !overlap_life(placed[candidate].buffer, wanted->buffer))
      continue;
    long offset = candidate < 0 ? 0 : placed[candidate].buffer->offset + placed[candidate].bytes;
    long next = -1;
    bool fits = true;
    for (int i = 0; i < n && fits; i++) {
      if (!overlap_life(placed[i].buffer, wanted->buffer))
        continue;
      long start = placed[i].buffer->offset;
      if (start < offset + wanted->bytes && offset < start + placed[i].bytes)
        fits = false;
      if (start >= offset && (next < 0 || start < next))
        next = start;
    }
    if (!fits)
      continue;
    long gap_here = next < 0 ? (1L << 40) + offset : next - offset;
    if (best < 0 || gap_here < gap) {
      best = offset;
      gap = gap_here;
    }
  }
  return best;
}

bool lo_memplan(lo_job *job, lo_unit *unit) {
  memory_plan plan = {.job = job, .unit = unit};
  int before = unit->levels[LO_PRE] ? unit->levels[LO_PRE] : 1;
  int within = unit->levels[LO_BODY] ? unit->levels[LO_BODY] : 1;
  int after = unit->levels[LO_POST] ? unit->levels[LO_POST] : 1;
  plan.base[LO_BODY] = before;
  plan.base[LO_POST] = before + within;
  plan.last = before + within + after;
  lifetimes(&plan);
  buf *buffers = as_calloc((size_t)unit->n * 3 + 1, sizeof *buffers);
  int n = 0;
  long sum = 0;
  for (uint32_t i = 0; i < unit->n; i++) {
    lo_value *value = &job->value[unit->val[i]];
    lo_smem *kinds[3] = {&value->shared, &value->shared16, &value->alpha};
    for (int j = 0; j < 3; j++) {
      if (!kinds[j]->used || kinds[j]->live_to < 0)
        continue;
      buffers[n] = (buf){kinds[j], kinds[j]->bytes * kinds[j]->stages * kinds[j]->slabs,
                         value->name, (uint32_t)n};
      sum += buffers[n++].bytes;
    }
  }
  qsort(buffers, (size_t)n, sizeof *buffers, larger_first);
  unit->smem = 0;
  for (int i = 0; i < n; i++) {
    buffers[i].buffer->offset = LO_FAULT(LO_FAULT_OFFSETS) ? 0 : place(buffers, i, &buffers[i]);
    if (buffers[i].buffer->offset + buffers[i].bytes > unit->smem)
      unit->smem = buffers[i].buffer->offset + buffers[i].bytes;
    as_str_printf(&job->notes, "%s: %s: bytes %ld..%ld, levels %d..%d\n", unit->name,
                  buffers[i].name, buffers[i].buffer->offset,
                  buffers[i].buffer->offset + buffers[i].bytes, buffers[i].buffer->live_from,
                  buffers[i].buffer->live_to);
  }
  free(buffers);
  if (LO_FAULT(LO_FAULT_ROOM))
    unit->smem /= 2;
  as_str_printf(&job->notes, "%s: shared memory %ld bytes planned for %ld bytes of tensors\n",
                unit->name, unit->smem, sum);
  long limit = job->options->target->shared_block;
  if (unit->smem > limit) {
    return as_err_set(job->err, AS_NO,
                      "kernel %s needs %ld bytes of shared memory; a block may have %ld",
                      unit->name, unit->smem, limit);
  }
  return true;
}
