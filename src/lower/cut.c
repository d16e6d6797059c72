/* Tiles that are cut off where their tensor ends.  In shared memory they have the room of a whole
 * one.  Copies leave out what is beyond, and put zeros there; reductions along the axis go up to
 * what is left, and stores write no more.  Other values beyond are computed, and read by nothing.
 */
#include "live.h"
#include <stdlib.h>

const lo_cut *lo_cut_row(const lo_job *job, uint32_t row) {
  return &AS_VEC_AT(&job->cuts, lo_cut, row - 1);
}

/* 0: there is none */
static uint32_t row_of(const lo_job *job, as_size extent, uint32_t unit) {
  for (uint32_t row = (uint32_t)job->cuts.n; row > 0; row--) {
    const lo_cut *cut = lo_cut_row(job, row);
    if (!cut->live && cut->extent == extent && cut->unit == unit)
      return row;
  }
  return 0;
}

/* How many tiles there are follows the tensor's extent, at all sizes of the range. */
static bool count_follows(lo_job *job, const as_node *node, uint32_t axis, uint32_t unit_id,
                          const lo_cut *cut) {
  as_sizes *sizes = job->graph->sizes;
  const lo_unit *unit = &job->unit[unit_id];
  as_size count = cut->grid_axis >= 0 ? unit->grid_size[cut->grid_axis] : AS_SIZE_ONE;
  if (cut->by_loop)
    count = as_size_mul(sizes, count, unit->loop_size);
  as_size tile = node->tile[axis];
  as_size most = as_size_sub(sizes, as_size_add(sizes, node->upto[axis], tile), AS_SIZE_ONE);
  if (!cut->whole_live && !lo_is_live(job, count) && !lo_is_live(job, tile))
    return true;
  if (!lo_is_live(job, tile) && !(cut->by_loop && cut->grid_axis >= 0 && unit->loop_live) &&
      lo_live_same(job, count, as_size_div(sizes, most, tile)))
    return true;
  return as_err_set(job->err, AS_BAD_INPUT,
                    "%s: axis %u is left to run time, and its number of tiles does not follow it",
                    node->name, axis);
}

bool lo_cut_axis(lo_job *job, const as_node *node, uint32_t unit_id, uint32_t axis, uint32_t tensor,
                 uint32_t *row) {
  const lo_unit *unit = &job->unit[unit_id];
  long whole = job->value[tensor].dim[axis];
  lo_cut cut = {.unit = unit_id,
                .whole = whole,
                .whole_live = job->value[tensor].live_dim[axis],
                .grid_axis = -1,
                .rounds = 1};
  long count;
  *row = 0;
  if (!lo_size_value(job, node->tile[axis], &cut.tile))
    return false;
  for (int a = 0; a < 3; a++) {
    if (node->map[a] == (int)axis)
      cut.grid_axis = a;
  }
  cut.by_loop = node->map[3] == (int)axis;
  cut.rounds = cut.by_loop ? unit->loop : 1;
  count = cut.grid_axis >= 0 ? unit->grid[cut.grid_axis] : 1;
  bool too_many = __builtin_mul_overflow(count, cut.rounds, &count);
  long needed = cut.tile > 0 ? whole / cut.tile + (whole % cut.tile > 0) : -1;
  if (too_many || count != needed) {
    return as_err_set(job->err, AS_BAD_INPUT,
                      "%s: axis %u of extent %ld takes %ld tiles of %ld, and there are %ld",
                      node->name, axis, whole, needed, cut.tile, count);
  }
  if (!count_follows(job, node, axis, unit_id, &cut))
    return false;
  cut.high = cut.tile < whole ? cut.tile : whole;
  cut.low = cut.whole_live || cut.tile < 1 ? 1 : whole - (whole - 1) / cut.tile * cut.tile;
  cut.extent = node->kind == AS_N_LOAD ? node->dim[axis] : job->graph->node[node->arg[0]].dim[axis];
  *row = row_of(job, cut.extent, unit_id);
  if (*row == 0) {
    as_vec_push(&job->cuts, &cut);
    *row = (uint32_t)job->cuts.n;
  }
  bool alike = whole % cut.tile == 0 || count == 1;
  if (cut.whole_live ? cut.tile == 1 : alike) /* none is cut off */
    *row = 0;
  return true;
}

/* an atom of a size: what is left of a tile of any unit, or a number at these sizes */
static lx *atom(lo_job *job, as_size size) {
  long value;
  for (uint32_t row = 1; row <= job->cuts.n; row++) {
    const lo_cut *cut = lo_cut_row(job, row);
    if (cut->live || cut->extent != size)
      continue;
    if (cut->low >= cut->high)
      return lx_int(job, cut->high);
    return lo_live_leaf(job, row);
  }
  if (as_graph_is_cut(job->graph, size)) {
    as_err_set(job->err, AS_BAD_INPUT, "an extent of what is left of several tiles is not lowered");
    return NULL;
  }
  uint32_t row;
  if (!lo_live_row(job, size, &row))
    return NULL;
  if (row)
    return lo_live_leaf(job, row);
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

char *lo_cut_text(const lo_job *job, const lo_cut *cut) {
  static const char *const block_name[] = {"bx", "by", "bz"};
  if (cut->live)
    return as_strdup(cut->text);
  char *whole = cut->whole_live ? as_strdup(lo_cut_row(job, cut->whole_live)->text)
                                : as_format("%ld", cut->whole);
  char *text;
  if (cut->grid_axis < 0)
    text = as_format("as_left(%ld, %s, l)", cut->tile, whole);
  else if (!cut->by_loop)
    text = as_format("as_left(%ld, %s, %s)", cut->tile, whole, block_name[cut->grid_axis]);
  else
    text = as_format("as_left(%ld, %s, (long long)%s * %ld + l)", cut->tile, whole,
                     block_name[cut->grid_axis], cut->rounds);
  free(whole);
  return text;
}
