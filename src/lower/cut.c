/* Tiles that are cut off where their tensor ends.  In shared memory they have the room of a whole
 * one.  Copies leave out what is beyond, and put zeros there; reductions along the axis go up to
 * what is left, and stores write no more.  Other values beyond are computed, and read by nothing.
 */
#include "job.h"
#include <stdlib.h>

const lo_cut *lo_cut_row(const lo_job *job, uint32_t row) {
  return &AS_VEC_AT(&job->cuts, lo_cut, row - 1);
}

/* 0: there is none */
static uint32_t row_of(const lo_job *job, as_size extent, uint32_t unit) {
  for (uint32_t row = (uint32_t)job->cuts.n; row > 0; row--) {
    if (lo_cut_row(job, row)->extent == extent && lo_cut_row(job, row)->unit == unit)
      return row;
  }
  return 0;
}

bool lo_cut_axis(lo_job *job, const as_node *node, uint32_t unit_id, uint32_t axis, long whole,
                 uint32_t *row) {
  const lo_unit *unit = &job->unit[unit_id];
  lo_cut cut = {.unit = unit_id, .whole = whole};
  uint8_t grid_axes = 0;
  long count;
  *row = 0;
  if (!lo_size_value(job, node->tile[axis], &cut.tile))
    return false;
  for (int a = 0; a < 3; a++) {
    if (node->map[a] == (int)axis)
      grid_axes |= (uint8_t)(1 << a);
  }
  cut.by = lo_divided_by(unit, grid_axes, node->map[3] == (int)axis);
  count = lo_blocks_along(unit, grid_axes);
  bool too_many = __builtin_mul_overflow(count, cut.by.by_loop ? unit->loop : 1, &count);
  long needed = cut.tile > 0 ? whole / cut.tile + (whole % cut.tile > 0) : -1;
  if (too_many || count != needed) {
    return as_err_set(job->err, AS_BAD_INPUT,
                      "%s: axis %u of extent %ld takes %ld tiles of %ld, and there are %ld",
                      node->name, axis, whole, needed, cut.tile, count);
  }
  cut.extent = node->kind == AS_N_LOAD ? node->dim[axis] : job->graph->node[node->arg[0]].dim[axis];
  *row = row_of(job, cut.extent, unit_id);
  if (*row == 0) {
    as_vec_push(&job->cuts, &cut);
    *row = (uint32_t)job->cuts.n;
  }
  if (whole % cut.tile == 0 || count == 1) /* all tiles are alike */
    *row = 0;
  return true;
}

/* an atom of a size: what is left of a tile of any unit, or a number at these sizes */
static lx *atom(lo_job *job, as_size size) {
  long value;
  for (uint32_t row = 1; row <= job->cuts.n; row++) {
    const lo_cut *cut = lo_cut_row(job, row);
    if (cut->extent != size)
      continue;
    long last = cut->whole - (cut->whole - 1) / cut->tile * cut->tile;
    if (cut->whole <= cut->tile || last == cut->tile)
      return lx_int(job, cut->whole < cut->tile ? cut->whole : cut->tile);
    lx *left = lx_new(job, LX_CUT, 0);
    left->integer = true;
    left->number = row;
    left->low = last;
    left->high = cut->tile;
    return left;
  }
  if (as_graph_is_cut(job->graph, size)) {
    as_err_set(job->err, AS_BAD_INPUT, "an extent of what is left of several tiles is not lowered");
    return NULL;
  }
  return lo_size_value(job, size, &value) ? lx_int(job, value) : NULL;
}

lx *lo_extent(lo_job *job, as_size extent) {
  const as_sizes *sizes = job->graph->sizes;
  if (!as_graph_is_cut(job->graph, extent))
    return atom(job, extent);
  lx *sum = lx_int(job, 0);
  for (uint32_t i = 0; i < as_size_nmono(sizes, extent); i++) {
    as_size_mono mono = as_size_get_mono(sizes, extent, i);
    lx *product = lx_int(job, mono.coef);
    for (uint32_t k = 0; k < mono.n; k++) {
      lx *factor = atom(job, mono.atom[k]);
      if (factor == NULL)
        return NULL;
      product = lx_mk(job, LX_MUL, 2, (lx *[]){product, factor});
    }
    sum = lx_mk(job, LX_ADD, 2, (lx *[]){sum, product});
  }
  return sum;
}

char *lo_cut_text(const lo_cut *cut) {
  char *number = lo_tile_number(&cut->by, "long long");
  char *text = as_format("as_left(%ld, %ld, %s)", cut->tile, cut->whole, number ? number : "0");
  free(number);
  return text;
}
