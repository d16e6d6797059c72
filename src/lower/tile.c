/* A matrix product at kernel level becomes a block graph: tiles of rows and columns over the grid,
 * k over the loop, an accumulator. */
#include "lo.h"
#include <stdlib.h>
#include <string.h>
#define NO UINT32_MAX

/* the largest divisor of n up to `most`, multiples of 16 first */
static long divisor(long n, long most) {
  long best = 1;
  for (long d = 1; d <= most && d <= n; d++) {
    if (n % d == 0 && (d % 16 == 0 || best % 16))
      best = d;
  }
  return best;
}

static bool tile_load(lo *L, lo_unit *u, const lx *ref, const long *tile, const int *grid_of, int k,
                      long ktile, uint32_t *out) {
  const lo_val *src = &L->v[ref->val];
  long dim[8];
  int gaxis[8];
  bool laxis[8];
  for (int d = 0; d < src->rank; d++) {
    const lx *x = ref->kid[d];
    gaxis[d] = -1;
    laxis[d] = false;
    if (x->op == LX_INT) {
      if (src->dim[d] != 1)
        return false;
      dim[d] = 1;
    } else if (x->i == k) {
      dim[d] = ktile;
      laxis[d] = true;
    } else {
      dim[d] = tile[x->i];
      gaxis[d] = grid_of[x->i];
    }
    if (dim[d] * (gaxis[d] >= 0 ? u->grid[gaxis[d]] : 1) * (laxis[d] ? u->loop : 1) != src->dim[d])
      return false;
  }
  uint32_t id = lo_new_val(L, LV_LOAD, L->v[ref->val].name, L->v[ref->val].rank, dim);
  lo_val *v = &L->v[id];
  v->src = ref->val;
  for (int d = 0; d < v->rank; d++) {
    v->gaxis[d] = gaxis[d];
    v->laxis[d] = laxis[d];
  }
  lo_unit_add(L, u, id);
  *out = id;
  return true;
}

static bool tile_unit(lo *L, lo_unit *u) {
  uint32_t val = u->flat_val;
  uint32_t before = L->n;
  lo_unit t = *u;
  if (L->v[val].kind != LV_RED)
    return true;
  lo_mma m;
  lo_place place = L->v[val].place;
  lo_unit_add(L, u, val);
  bool is = lo_contraction(L, u, val) && L->n == before; /* operands are plain tensors */
  m = L->v[val].mma;
  L->v[val].mma.on = false;
  *u = t;
  L->v[val].place = place;
  L->n = before;
  if (!is || m.M < 2 || m.N < 2)
    return true;
  const lo_val *c = &L->v[val];
  long tile[8];
  long ktile = divisor(c->extent, 64);
  int grid_of[8];
  int ng = 0;
  int rank = c->rank;
  t.blocks = 1;
  t.ngrid = 3;
  t.grid[0] = t.grid[1] = t.grid[2] = 1;
  for (int i = 0; i < rank; i++) {
    bool last = (m.nm && m.m[m.nm - 1] == i) || (m.nn && m.nv[m.nn - 1] == i);
    tile[i] = last ? divisor(c->dim[i], 64) : 1;
    grid_of[i] = -1;
    if (tile[i] == c->dim[i])
      continue;
    if (ng == 3)
      return true;
    t.grid[ng] = c->dim[i] / tile[i];
    t.blocks *= t.grid[ng];
    grid_of[i] = ng++;
  }
  if (ktile < 8 && c->extent > 8)
    return true;
  t.flat = false;
  t.has_loop = true;
  t.loop = c->extent / ktile;
  uint32_t la;
  uint32_t lb;
  *u = t;
  if (!tile_load(L, u, m.aref, tile, grid_of, rank, ktile, &la) ||
      !tile_load(L, u, m.bref, tile, grid_of, rank, ktile, &lb)) {
    *u = (lo_unit){.name = t.name, .flat = true, .flat_val = val, .loop = 1};
    return true;
  }
  uint32_t p = lo_new_val(L, LV_RED, L->v[val].name, rank, tile);
  L->v[p].red = LO_SUM;
  L->v[p].extent = ktile;
  L->v[p].body =
      lx_mk(L, LX_MUL, 2,
            (lx *[]){lx_ref(L, la, m.aref->n, m.aref->kid), lx_ref(L, lb, m.bref->n, m.bref->kid)});
  lo_unit_add(L, u, p);
  uint32_t acc = lo_new_val(L, LV_ACC, L->v[val].name, rank, tile);
  L->v[acc].acc = AS_ACC_SUM;
  L->v[acc].of = p;
  lo_unit_add(L, u, acc);
  u->store = as_arena_alloc(L->mem, sizeof *u->store);
  u->n_store = 1;
  u->store[0].val = acc;
  u->store[0].dst = val;
  for (int d = 0; d < 8; d++)
    u->store[0].gaxis[d] = d < rank ? grid_of[d] : -1;
  L->v[val].kind = LV_GLOBAL;
  L->v[val].unit = NO;
  return true;
}

bool lo_tile_units(lo *L) {
  for (uint32_t i = 0; i < L->nu; i++) {
    if (L->u[i].flat && !tile_unit(L, &L->u[i]))
      return false;
  }
  return true;
}
