/* Texts of where a tile stands in its tensor, and of how many there are. */
#include "../threads/threads.h"
#include "emit.h"
#include "fault.h"
#include "live.h"
#include "trial.h"
#include <stdlib.h>

static const char *const block_name[] = {"bx", "by", "bz"};

bool lo_may_stop_early(const lo_job *job, const lo_unit *unit) {
  bool may = !unit->flat && !unit->library && !unit->loop_live &&
             (unit->threads == NULL || unit->threads->graph->limit == NULL);
  for (uint32_t i = 0; i < unit->n && may; i++) {
    const lo_value *value = &job->value[unit->val[i]];
    bool by_the_graph = unit->val[i] < job->meaning->n_value;
    may = value->kind != LV_ACC || (value->acc != AS_ACC_CONCAT && by_the_graph);
  }
  return may;
}

char *lo_rounds_text(const lo_job *job, const lo_unit *unit) {
  if (unit->loop_live)
    return lo_cut_text(job, lo_cut_row(job, unit->loop_live));
  return as_format(lo_may_stop_early(job, unit) ? "AS_ROUNDS(%ld)" : "%ld", unit->loop);
}

char *lo_tile_number(const lo_unit *unit, int last, uint8_t slower, bool by_loop,
                     const char *type) {
  as_str number;
  as_str_init(&number);
  for (int axis = 0; axis < 4; axis++) {
    bool divides = axis == 3 ? by_loop : axis == last || slower >> axis & 1;
    if (!divides)
      continue;
    const char *name = axis == 3 ? "l" : block_name[axis];
    long count = axis == 3 ? unit->loop : unit->grid[axis];
    char *before = number.n ? as_strdup(number.s) : NULL;
    as_str_clear(&number);
    as_str_init(&number);
    if (before)
      as_str_printf(&number, "(%s * %ld + (%s)%s)", before, count, type, name);
    else
      as_str_printf(&number, "(%s)%s", type, name);
    free(before);
  }
  if (number.n)
    return as_str_take(&number);
  as_str_clear(&number);
  return NULL;
}

char *lo_tile_base(const lo_text *text, const lo_value *tile, const lo_value *tensor,
                   const int *gaxis, const uint8_t *slower, const bool *laxis) {
  as_str out;
  as_str_init(&out);
  as_str_add(&out, "0");
  for (int axis = 0; axis < tile->rank; axis++) {
    char *stride = lo_live_stride(text->job, tensor, axis);
    char *step = *stride == '(' ? as_format("%ld * %s", tile->dim[axis], stride)
                                : as_format("%ld", tile->dim[axis] * strtol(stride, NULL, 10));
    bool loop = laxis && laxis[axis] && !LO_FAULT(LO_FAULT_LOAD_LOOP);
    bool fault = laxis ? LO_FAULT(LO_FAULT_LOAD_AXIS) : LO_FAULT(LO_FAULT_STORE_AXIS);
    int grid = gaxis[axis] >= 0 && fault ? (gaxis[axis] + 1) % 3 : gaxis[axis];
    char *number = lo_tile_number(text->unit, grid, slower[axis], loop, "size_t");
    if (number)
      as_str_printf(&out, " + %s * %s", number, step);
    free(number);
    free(stride);
    free(step);
  }
  return as_str_take(&out);
}

char *lo_tile_offset(const lo_text *text, const lo_value *tile, const lo_value *tensor) {
  as_str address;
  as_str_init(&address);
  as_str_add(&address, "base");
  for (int axis = 0; axis < tile->rank; axis++) {
    char *stride = lo_live_stride(text->job, tensor, axis);
    as_str_printf(&address, " + (size_t)%s * %s", text->var[axis], stride);
    free(stride);
  }
  return as_str_take(&address);
}

char *lo_blocks_text(const lo_job *job, const lo_unit *unit, int axis) {
  if (unit->grid_live[axis] == 0)
    return as_format("%ldu", unit->grid[axis]);
  return as_format("(unsigned)%s", lo_cut_row(job, unit->grid_live[axis])->text);
}
