/* A matrix product at kernel level becomes a block graph: tiles of rows and columns over the grid,
 * k over the loop, an accumulator. */
#include "job.h"
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

static bool tile_unit(lo_job *job, lo_unit *unit) {
  uint32_t id = unit->flat_val;
  uint32_t before = job->n_value;
  lo_unit tiled = *unit;
  if (job->value[id].kind != LV_RED)
    return true;
  lo_mma product;
  lo_place place = job->value[id].place;
  lo_unit_add(job, unit, id);
  bool is_product =
      lo_contraction(job, unit, id) && job->n_value == before; /* operands are plain tensors */
  product = job->value[id].mma;
  job->value[id].mma.on = false;
  *unit = tiled;
  job->value[id].place = place;
  job->n_value = before;
  if (!is_product || product.rows < 2 || product.columns < 2)
    return true;
  const lo_value *result = &job->value[id];
  long tile[8];
  long ktile = divisor(result->extent, 64);
  int grid_of[8];
  int n_grid = 0;
  int rank = result->rank;
  tiled.blocks = 1;
  tiled.n_grid = 3;
  tiled.grid[0] = tiled.grid[1] = tiled.grid[2] = 1;
  for (int i = 0; i < rank; i++) {
    bool last = (product.n_row_axis && product.row_axis[product.n_row_axis - 1] == i) ||
                (product.n_column_axis && product.column_axis[product.n_column_axis - 1] == i);
    tile[i] = last ? divisor(result->dim[i], 64) : 1;
    grid_of[i] = -1;
    if (tile[i] == result->dim[i])
      continue;
    if (n_grid == 3)
      return true;
    tiled.grid[n_grid] = result->dim[i] / tile[i];
    tiled.blocks *= tiled.grid[n_grid];
    grid_of[i] = n_grid++;
  }
  if (ktile < 8 && result->extent > 8)
    return true;
  tiled.flat = false;
  tiled.has_loop = true;
  tiled.loop = result->extent / ktile;
  uint32_t left_load;
  uint32_t right_load;
  *unit = tiled;
  if (!tile_load(job, unit, product.a_read, tile, grid_of, rank, ktile, &left_load) ||
      !tile_load(job, unit, product.b_read, tile, grid_of, rank, ktile, &right_load)) {
    *unit = (lo_unit){.name = tiled.name, .flat = true, .flat_val = id, .loop = 1};
    return true;
  }
  uint32_t partial = lo_new_val(job, LV_RED, job->value[id].name, rank, tile);
  job->value[partial].red = LO_SUM;
  job->value[partial].extent = ktile;
  job->value[partial].body =
      lx_mk(job, LX_MUL, 2,
            (lx *[]){lx_ref(job, left_load, product.a_read->n, product.a_read->kid),
                     lx_ref(job, right_load, product.b_read->n, product.b_read->kid)});
  lo_unit_add(job, unit, partial);
  uint32_t acc = lo_new_val(job, LV_ACC, job->value[id].name, rank, tile);
  job->value[acc].acc = AS_ACC_SUM;
  job->value[acc].of = partial;
  lo_unit_add(job, unit, acc);
  unit->store = as_arena_alloc(job->arena, sizeof *unit->store);
  unit->n_store = 1;
  unit->store[0].val = acc;
  unit->store[0].target = id;
  for (int axis = 0; axis < 8; axis++)
    unit->store[0].grid_axis[axis] = axis < rank ? grid_of[axis] : -1;
  job->value[id].kind = LV_GLOBAL;
  job->value[id].unit = LO_NONE;
  return true;
}

bool lo_tile_units(lo_job *job) {
  for (uint32_t i = 0; i < job->n_unit; i++) {
    if (job->unit[i].flat && !tile_unit(job, &job->unit[i]))
      return false;
  }
  return true;
}
