/* A matrix product at kernel level becomes a block graph: tiles of rows and columns over the grid,
 * k over the loop, an accumulator. */
#include "fault.h"
#include "job.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

/* the largest divisor of n up to `most`, multiples of 16 first */
static long divisor(long n, long most) {
  long best = 1;
  for (long candidate = 1; candidate <= most && candidate <= n; candidate++) {
    if (n % candidate == 0 && (candidate % 16 == 0 || best % 16))
      best = candidate;
  }
  return best;
}

static bool tile_load(lo_job *job, lo_unit *unit, const lx *ref, const long *tile,
                      const int *grid_of, int reduced, long ktile, uint32_t *out) {
  const lo_value *src = &job->value[ref->val];
  long dim[8];
  int gaxis[8];
  bool laxis[8];
  for (int axis = 0; axis < src->rank; axis++) {
    const lx *index = ref->kid[axis];
    gaxis[axis] = -1;
    laxis[axis] = false;
    if (index->op == LX_INT) {
      if (src->dim[axis] != 1)
        return false;
      dim[axis] = 1;
    } else if (index->number == reduced) {
      dim[axis] = ktile;
      laxis[axis] = true;
    } else {
      dim[axis] = tile[index->number];
      gaxis[axis] = grid_of[index->number];
    }
    if (dim[axis] * (gaxis[axis] >= 0 ? unit->grid[gaxis[axis]] : 1) *
            (laxis[axis] ? unit->loop : 1) !=
        src->dim[axis])
      return false;
  }
  uint32_t id = lo_new_val(job, LV_LOAD, job->value[ref->val].name, job->value[ref->val].rank, dim);
  lo_value *load = &job->value[id];
  load->source = ref->val;
  for (int axis = 0; axis < load->rank; axis++) {
    load->grid_axis[axis] = gaxis[axis];
    load->by_loop[axis] = laxis[axis];
  }
  lo_unit_add(job, unit, id);
  *out = id;
  return true;
}

/* Can this value be read as a product of plain tensors?  Leaves the job as it was: what reading one
 * otherwise makes and changes is undone. */
static bool read_product(lo_job *job, lo_unit *unit, uint32_t id, lo_mma *product) {
  uint32_t before = job->n_value;
  lo_unit unit_before = *unit;
  lo_value value_before = job->value[id];
  lo_unit_add(job, unit, id);
  bool plain = lo_contraction(job, unit, id) && job->n_value == before;
  *product = job->value[id].mma;
  job->n_value = before;
  job->value[id] = value_before;
  *unit = unit_before;
  return plain && product->rows > 1 && product->columns > 1;
}

typedef struct {
  long tile[AS_MAX_RANK];   /* of the result */
  int grid_of[AS_MAX_RANK]; /* the grid axis that divides an axis of the result, -1 none */
  long depth;               /* of a tile */
} tiling;

/* tiles of the last of the rows' axes and the last of the columns'; other axes one by one.  false:
 * more than three axes would be divided, or k has no divisor worth a loop */
static bool divide(const lo_job *job, const lo_value *result, const lo_mma *product, lo_unit *tiled,
                   tiling *how) {
  int n_grid = 0;
  how->depth = divisor(result->extent, 64);
  tiled->blocks = 1;
  tiled->n_grid = 3;
  tiled->grid[0] = tiled->grid[1] = tiled->grid[2] = 1;
  for (int i = 0; i < result->rank; i++) {
    bool last = (product->n_row_axis && product->row_axis[product->n_row_axis - 1] == i) ||
                (product->n_column_axis && product->column_axis[product->n_column_axis - 1] == i);
    how->tile[i] = last ? divisor(result->dim[i], 64) : 1;
    how->grid_of[i] = -1;
    if (how->tile[i] == result->dim[i])
      continue;
    if (n_grid == 3)
      return false;
    tiled->grid[n_grid] = result->dim[i] / how->tile[i];
    tiled->blocks *= tiled->grid[n_grid];
    how->grid_of[i] = n_grid++;
  }
  tiled->flat = false;
  tiled->has_loop = true;
  tiled->loop = result->extent / how->depth;
  return (how->depth >= 8 || result->extent <= 8) && tiled->blocks <= job->options->target->grid[0];
}

static void store_result(lo_job *job, lo_unit *unit, uint32_t acc, uint32_t id, const tiling *how) {
  unit->store = as_arena_alloc(job->arena, sizeof *unit->store);
  unit->n_store = 1;
  unit->store[0].val = acc;
  unit->store[0].target = id;
  for (int axis = 0; axis < AS_MAX_RANK; axis++)
    unit->store[0].grid_axis[axis] = axis < job->value[id].rank ? how->grid_of[axis] : -1;
  job->value[id].kind = LV_GLOBAL;
  job->value[id].unit = LO_NONE;
}

/* Are there extents left to run time?  Then each result has its warp or thread. */
static bool is_live(const lo_value *value) {
  bool live = value->extent_live > 0;
  for (int axis = 0; axis < value->rank; axis++)
    live |= value->live_dim[axis] > 0;
  return live;
}

static bool tile_unit(lo_job *job, lo_unit *unit) {
  uint32_t id = unit->flat_val;
  lo_mma product;
  lo_unit tiled = *unit;
  tiling how;
  if (job->value[id].kind != LV_RED || is_live(&job->value[id]) ||
      !read_product(job, unit, id, &product) ||
      !divide(job, &job->value[id], &product, &tiled, &how))
    return true;
  lo_unit flat = *unit;
  uint32_t left;
  uint32_t right;
  int rank = job->value[id].rank;
  *unit = tiled;
  if (!tile_load(job, unit, product.a_read, how.tile, how.grid_of, rank, how.depth, &left) ||
      !tile_load(job, unit, product.b_read, how.tile, how.grid_of, rank, how.depth, &right)) {
    *unit = flat;
    return true;
  }
  uint32_t partial = lo_new_val(job, LV_RED, job->value[id].name, rank, how.tile);
  lx *factor[2] = {lx_ref(job, left, product.a_read->n, product.a_read->kid),
                   lx_ref(job, right, product.b_read->n, product.b_read->kid)};
  job->value[partial].red = LO_SUM;
  job->value[partial].extent = how.depth;
  job->value[partial].body = lx_mk(job, LX_MUL, 2, factor);
  lo_unit_add(job, unit, partial);
  uint32_t acc = lo_new_val(job, LV_ACC, job->value[id].name, rank, how.tile);
  job->value[acc].acc = AS_ACC_SUM;
  job->value[acc].of = partial;
  lo_unit_add(job, unit, acc);
  store_result(job, unit, acc, id, &how);
  unit->loop -= LO_FAULT(LO_FAULT_TILE_DEPTH) && unit->loop > 1;
  return true;
}

bool lo_tile_units(lo_job *job) {
  for (uint32_t i = 0; i < job->n_unit; i++) {
    if (job->unit[i].flat && !job->unit[i].library && !tile_unit(job, &job->unit[i]))
      return false;
  }
  return true;
}
