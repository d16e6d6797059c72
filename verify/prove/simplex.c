/* Linear programmes over the rationals, phase one only, exactly and by a fixed pivot rule, so that
 * it ends and gives the same answer everywhere. */
#include "pv_lp.h"

/* phase one: x >= 0 with A x = b (last column of M); basis out.  M is rows x (cols + 1). */
bool pv_lp_solve(pv *prover, fmpq_mat_t tableau, slong rows, slong cols, slong *basis) {
  fmpq_t ratio;
  fmpq_t best;
  fmpq_t factor;
  bool ok = true;
  fmpq_init(ratio);
  fmpq_init(best);
  fmpq_init(factor);
  fmpq_mat_t costs;
  fmpq_mat_init(costs, 1,
                cols + 1); /* reduced cost: sum of rows whose basic variable is artificial */
  for (slong i = 0; i < rows; i++) {
    basis[i] = cols + i;
    if (fmpq_sgn(fmpq_mat_entry(tableau, i, cols)) < 0) {
      for (slong j = 0; j <= cols; j++)
        fmpq_neg(fmpq_mat_entry(tableau, i, j), fmpq_mat_entry(tableau, i, j));
    }
    for (slong j = 0; j <= cols; j++)
      fmpq_add(fmpq_mat_entry(costs, 0, j), fmpq_mat_entry(costs, 0, j),
               fmpq_mat_entry(tableau, i, j));
  }
  for (int round = 0; !fmpq_is_zero(fmpq_mat_entry(costs, 0, cols)); round++) {
    slong entering = 0;
    slong out = -1;
    if (round == MAX_PIVOTS) {
      ok = false;
      break;
    }
    while (entering < cols && fmpq_sgn(fmpq_mat_entry(costs, 0, entering)) <= 0)
      entering++;
    if (entering == cols) {
      ok = false;
      break;
    }
    for (slong i = 0; i < rows; i++) {
      if (fmpq_sgn(fmpq_mat_entry(tableau, i, entering)) <= 0)
        continue;
      fmpq_div(ratio, fmpq_mat_entry(tableau, i, cols), fmpq_mat_entry(tableau, i, entering));
      int order = out < 0 ? -1 : fmpq_cmp(ratio, best);
      if (out < 0 || order < 0 || (order == 0 && basis[i] < basis[out])) {
        out = i;
        fmpq_set(best, ratio);
      }
    }
    if (out < 0) {
      ok = false;
      break;
    }
    fmpq_inv(ratio, fmpq_mat_entry(tableau, out, entering));
    for (slong j = 0; j <= cols; j++) {
      if (!fmpq_is_zero(fmpq_mat_entry(tableau, out, j)))
        fmpq_mul(fmpq_mat_entry(tableau, out, j), fmpq_mat_entry(tableau, out, j), ratio);
    }
    for (slong i = 0; i <= rows; i++) {
      fmpq *entry =
          i < rows ? fmpq_mat_entry(tableau, i, entering) : fmpq_mat_entry(costs, 0, entering);
      if (i == out || fmpq_is_zero(entry))
        continue;
      fmpq_set(factor, entry);
      prover->work += (uint64_t)cols;
      for (slong j = 0; j <= cols; j++) {
        if (fmpq_is_zero(fmpq_mat_entry(tableau, out, j)))
          continue;
        fmpq_submul(i < rows ? fmpq_mat_entry(tableau, i, j) : fmpq_mat_entry(costs, 0, j), factor,
                    fmpq_mat_entry(tableau, out, j));
      }
    }
    basis[out] = entering;
  }
  fmpq_mat_clear(costs);
  fmpq_clear(ratio);
  fmpq_clear(best);
  fmpq_clear(factor);
  return ok;
}
