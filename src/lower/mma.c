/* Division of a matrix product among warps, and how fragments are fetched: exact enumeration with
 * the costs stated at cost(). */
#include "lo.h"

static long up(long count, long size) {
  return (count + size - 1) / size;
}

/* the axis of the operand's tensor that moves along its rows: k, the last of the group's axes, or
 * neither */
static bool fetch(const lo *job, const lx *ref, int k, const int *axes, int n, long depth,
                  bool in16, bool *kfast) {
  const lo_val *tensor = &job->v[ref->val];
  (void)in16;
  if (!tensor->rank || depth % 16)
    return false;
  const lx *last = ref->kid[tensor->rank - 1];
  if (last->op != LX_VAR)
    return false;
  *kfast = last->i == k;
  if (tensor->dim[tensor->rank - 1] % 8)
    return false;
  return *kfast || (n && last->i == axes[n - 1]);
}

/* per step of K, in issue slots: four for a 16x16 fragment by ldmatrix, two for 8x16, two for each
 * mma; joining K parts costs their transfer once */
static double cost(const lo_mma *product, long row_tiles, long column_tiles, bool join) {
  long depth_tiles = up(product->K, 16);
  long depth_steps = up(depth_tiles, product->wk);
  double slots =
      (double)up(product->B, product->wb) * (double)depth_steps *
      (4.0 * (double)up(row_tiles, product->wr) + 2.0 * (double)up(column_tiles, product->wc) +
       2.0 * (double)(up(row_tiles, product->wr) * up(column_tiles, product->wc)));
  if (join)
    slots += 0.05 * (double)(product->wk - 1) * (double)(row_tiles * column_tiles * product->B);
  return slots + 0.01 * (product->swap ? 1 : 0);
}

static bool plan(lo *job, lo_unit *unit, lo_val *value) {
  lo_mma *product = &value->mma;
  lo_mma best = {0};
  double best_cost = 0;
  bool found = false;
  bool split = value->place == LP_FRAG;
  product->a_ldsm = fetch(job, product->aref, value->rank, product->m, product->nm, product->K,
                          true, &product->a_kfast);
  product->b_ldsm = fetch(job, product->bref, value->rank, product->nv, product->nn, product->K,
                          true, &product->b_kfast);
  for (int swap = 0; swap < 2; swap++) {
    long row_tiles = up(swap ? product->N : product->M, 16);
    long column_tiles = up(swap ? product->M : product->N, 8);
    for (int warps_batch = 1; warps_batch <= unit->warps; warps_batch *= 2) {
      for (int warps_rows = 1; warps_batch * warps_rows <= unit->warps; warps_rows *= 2) {
        for (int warps_columns = 1; warps_batch * warps_rows * warps_columns <= unit->warps;
             warps_columns *= 2) {
          lo_mma trial = *product;
          trial.swap = swap;
          trial.wb = warps_batch;
          trial.wr = warps_rows;
          trial.wc = warps_columns;
          trial.wk = unit->warps / (warps_batch * warps_rows * warps_columns);
          if (!split && trial.wk > 1)
            trial.wk = 1; /* warps left over idle: their result would have to be joined within an
                         iteration */
          if ((warps_batch > 1 && warps_batch > product->B) ||
              (warps_rows > 1 && warps_rows >= 2 * row_tiles) ||
              (warps_columns > 1 && warps_columns >= 2 * column_tiles))
            continue;
          trial.tb = (int)up(product->B, warps_batch);
          trial.tr = (int)up(row_tiles, warps_rows);
          trial.tc = (int)up(column_tiles, warps_columns);
          if (trial.tb * trial.tr * trial.tc > 32)
            continue; /* 128 registers of accumulators */
          double cost_here = cost(&trial, row_tiles, column_tiles, split);
          if (!found || cost_here < best_cost) {
            best = trial;
            best_cost = cost_here;
            found = true;
          }
        }
      }
    }
  }
  if (!found) {
    return as_err_set(job->err, AS_NO,
                      "kernel %s: the accumulators of %s do not fit the registers of %d warps",
                      unit->name, value->name, unit->warps);
  }
  *product = best;
  return true;
}

bool lo_mma_plan(lo *job, lo_unit *unit) {
  for (uint32_t i = 0; i < unit->n_stmt; i++) {
    if (unit->stmt[i].kind == LS_MMA && !plan(job, unit, &job->v[unit->stmt[i].val]))
      return false;
  }
  return true;
}
