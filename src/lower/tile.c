/* A matrix product at kernel level becomes a block graph: tiles of rows and columns over the grid,
 * k over the loop, an accumulator. */
#include "lo.h"
#include <stdlib.h>
#include <string.h>
#define NO UINT32_MAX

/* the largest divisor of n up to `most`, multiples of 16 first */
static long divisor(long n, long most) {
  long best = 1;
  for (long candidate = 1; candidate <= most && candidate <= n; candidate++) {
    if (n % candidate == 0 && (candidate % 16 == 0 || best % 16))
      best = candidate;
  }
  return best;
}

static bool tile_load(lo *job, lo_unit *unit, const lx *ref, const long *tile, const int *grid_of,
                      int reduced, long ktile, uint32_t *out) {
  const lo_val *src = &job->v[ref->val];
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
    } else if (index->i == reduced) {
      dim[axis] = ktile;
      laxis[axis] = true;
    } else {
      dim[axis] = tile[index->i];
      gaxis[axis] = grid_of[index->i];
    }
    if (dim[axis] * (gaxis[axis] >= 0 ? unit->grid[gaxis[axis]] : 1) *
            (laxis[axis] ? unit->loop : 1) !=
        src->dim[axis])
      return false;
  }
  uint32_t id = lo_new_val(job, LV_LOAD, job->v[ref->val].name, job->v[ref->val].rank, dim);
  lo_val *load = &job->v[id];
  load->src = ref->val;
  for (int axis = 0; axis < load->rank; axis++) {
    load->gaxis[axis] = gaxis[axis];
    load->laxis[axis] = laxis[axis];
  }
  lo_unit_add(job, unit, id);
  *out = id;
  return true;
}

static bool tile_unit(lo *job, lo_unit *unit) {
  uint32_t id = unit->flat_val;
  uint32_t before = job->n;
  lo_unit tiled = *unit;
  if (job->v[id].kind != LV_RED)
    return true;
  lo_mma product;
  lo_place place = job->v[id].place;
  lo_unit_add(job, unit, id);
  bool is_product =
      lo_contraction(job, unit, id) && job->n == before; /* operands are plain tensors */
  product = job->v[id].mma;
  job->v[id].mma.on = false;
  *unit = tiled;
  job->v[id].place = place;
  job->n = before;
  if (!is_product || product.M < 2 || product.N < 2)
    return true;
  const lo_val *result = &job->v[id];
  long tile[8];
  long ktile = divisor(result->extent, 64);
  int grid_of[8];
  int n_grid = 0;
  int rank = result->rank;
  tiled.blocks = 1;
  tiled.ngrid = 3;
  tiled.grid[0] = tiled.grid[1] = tiled.grid[2] = 1;
  for (int i = 0; i < rank; i++) {
    bool last = (product.nm && product.m[product.nm - 1] == i) ||
                (product.nn && product.nv[product.nn - 1] == i);
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
  if (!tile_load(job, unit, product.aref, tile, grid_of, rank, ktile, &left_load) ||
      !tile_load(job, unit, product.bref, tile, grid_of, rank, ktile, &right_load)) {
    *unit = (lo_unit){.name = tiled.name, .flat = true, .flat_val = id, .loop = 1};
    return true;
  }
  uint32_t partial = lo_new_val(job, LV_RED, job->v[id].name, rank, tile);
  job->v[partial].red = LO_SUM;
  job->v[partial].extent = ktile;
  job->v[partial].body =
      lx_mk(job, LX_MUL, 2,
            (lx *[]){lx_ref(job, left_load, product.aref->n, product.aref->kid),
                     lx_ref(job, right_load, product.bref->n, product.bref->kid)});
  lo_unit_add(job, unit, partial);
  uint32_t acc = lo_new_val(job, LV_ACC, job->v[id].name, rank, tile);
  job->v[acc].acc = AS_ACC_SUM;
  job->v[acc].of = partial;
  lo_unit_add(job, unit, acc);
  unit->store = as_arena_alloc(job->mem, sizeof *unit->store);
  unit->n_store = 1;
  unit->store[0].val = acc;
  unit->store[0].dst = id;
  for (int axis = 0; axis < 8; axis++)
    unit->store[0].gaxis[axis] = axis < rank ? grid_of[axis] : -1;
  job->v[id].kind = LV_GLOBAL;
  job->v[id].unit = NO;
  return true;
}

bool lo_tile_units(lo *job) {
  for (uint32_t i = 0; i < job->nu; i++) {
    if (job->u[i].flat && !tile_unit(job, &job->u[i]))
      return false;
  }
  return true;
}
