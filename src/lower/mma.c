/* Division of a matrix product among warps, and how fragments are fetched: exact enumeration with
 * the costs stated at cost(). */
#include "job.h"

static long up(long count, long size) {
  return (count + size - 1) / size;
}

/* the axis of the operand's tensor that moves along its rows: k, the last of the group's axes, or
 * neither */
static bool fetch(const lo_job *job, const lx *ref, int k, const int *axes, int n, long depth,
                  bool in16, bool *kfast) {
  const lo_value *tensor = &job->value[ref->val];
  (void)in16;
  if (!tensor->rank || depth % 16)
    return false;
  const lx *last = ref->kid[tensor->rank - 1];
  if (last->op != LX_VAR)
    return false;
  *kfast = last->number == k;
  if (tensor->dim[tensor->rank - 1] % 8)
    return false;
  return *kfast || (n && last->number == axes[n - 1]);
}

/* per step of K, in issue slots: four for a 16x16 fragment by ldmatrix, two for 8x16, two for each
 * mma; joining K parts costs their transfer once */
static double cost(const lo_mma *product, long row_tiles, long column_tiles, bool join) {
  long depth_tiles = up(product->depth, 16);
  long depth_steps = up(depth_tiles, product->warps_depth);
  double slots = (double)up(product->batches, product->warps_batch) * (double)depth_steps *
                 (4.0 * (double)up(row_tiles, product->warps_rows) +
                  2.0 * (double)up(column_tiles, product->warps_columns) +
                  2.0 * (double)(up(row_tiles, product->warps_rows) *
                                 up(column_tiles, product->warps_columns)));
  if (join)
    slots += 0.05 * (double)(product->warps_depth - 1) *
             (double)(row_tiles * column_tiles * product->batches);
  return slots + 0.01 * (product->swap ? 1 : 0);
}

static bool plan(lo_job *job, lo_unit *unit, lo_value *value) {
  lo_mma *product = &value->mma;
  lo_mma best = {0};
  double best_cost = 0;
  bool found = false;
  bool split = value->place == LP_FRAG;
  product->a_by_ldmatrix = fetch(job, product->a_read, value->rank, product->row_axis,
                                 product->n_row_axis, product->depth, true, &product->a_depth_last);
  product->b_by_ldmatrix =
      fetch(job, product->b_read, value->rank, product->column_axis, product->n_column_axis,
            product->depth, true, &product->b_depth_last);
  for (int swap = 0; swap < 2; swap++) {
    long row_tiles = up(swap ? product->columns : product->rows, 16);
    long column_tiles = up(swap ? product->rows : product->columns, 8);
    for (int warps_batch = 1; warps_batch <= unit->warps; warps_batch *= 2) {
      for (int warps_rows = 1; warps_batch * warps_rows <= unit->warps; warps_rows *= 2) {
        for (int warps_columns = 1; warps_batch * warps_rows * warps_columns <= unit->warps;
             warps_columns *= 2) {
          lo_mma trial = *product;
          trial.swap = swap;
          trial.warps_batch = warps_batch;
          trial.warps_rows = warps_rows;
          trial.warps_columns = warps_columns;
          trial.warps_depth = unit->warps / (warps_batch * warps_rows * warps_columns);
          if (!split && trial.warps_depth > 1)
            trial.warps_depth = 1; /* warps left over idle: their result would have to be joined
                         within an iteration */
          if ((warps_batch > 1 && warps_batch > product->batches) ||
              (warps_rows > 1 && warps_rows >= 2 * row_tiles) ||
              (warps_columns > 1 && warps_columns >= 2 * column_tiles))
            continue;
          trial.tiles_batch = (int)up(product->batches, warps_batch);
          trial.tiles_rows = (int)up(row_tiles, warps_rows);
          trial.tiles_columns = (int)up(column_tiles, warps_columns);
          if (trial.tiles_batch * trial.tiles_rows * trial.tiles_columns > 32)
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

bool lo_mma_plan(lo_job *job, lo_unit *unit) {
  for (uint32_t i = 0; i < unit->n_stmt; i++) {
    if (unit->stmt[i].kind == LS_MMA && !plan(job, unit, &job->value[unit->stmt[i].val]))
      return false;
  }
  return true;
}
