/* Laws of maxima (folds whose step is ite(acc <= f, f, acc) and whose base is f at 0). */
#include "pv.h"

eqn join_max(pv *p, uint32_t cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body)
{
  (void)p; (void)cx; (void)n; (void)init; (void)k; (void)body;
  eqn e = { t, REFL };
  return e;
}
