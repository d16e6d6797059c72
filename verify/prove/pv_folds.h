/* Sums, products over a range, maxima: their normal forms and the places where ranges are cut.
 * Includes normal forms. */
#ifndef AS_PV_FOLDS_H
#define AS_PV_FOLDS_H
#include "pv_norm.h"

/* --- sums.c */
pv_eqn pv_norm_sum(pv *prover, pv_ctx ctx, ck_id t);
/* the sum t as a sum up to m and the rest; fails unless 0 <= m <= n is known */
pv_eqn pv_cut_sum(pv *prover, pv_ctx ctx, ck_id t, ck_id m);

/* --- prods.c */
pv_eqn pv_norm_prod(pv *prover, pv_ctx ctx, ck_id t);
/* the product t as one up to m times the rest; fails unless 0 <= m <= n is known */
pv_eqn pv_cut_prod(pv *prover, pv_ctx ctx, ck_id t, ck_id m);

/* --- maxlaws.c, maxcut.c: t is the maximum over k < n of body with base init */
pv_eqn pv_join_max(pv *prover, pv_ctx ctx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body);
pv_eqn pv_range_max(pv *prover, pv_ctx ctx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body);
pv_eqn pv_monotone_max(pv *prover, pv_ctx ctx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body);
pv_eqn pv_min_as_max(pv *prover, pv_ctx ctx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body);
pv_thm pv_max_same(pv *prover, ck_id a); /* max2(a, a) = a */
pv_thm pv_max_le(pv *prover, ck_id n, ck_id k, ck_id body, ck_id c, pv_thm np, pv_thm thm);
pv_thm pv_max_first(pv *prover, pv_ctx ctx, ck_id t); /* f(0) <= max(k < n) f */

/* --- cuts.c */
/* an undecided condition on which the form of a fold or a quotient in t depends; CK_BAD: none */
ck_id pv_range_cond(pv *prover, pv_ctx ctx, ck_id t);
/* where conditions on k change their value, into m, at most max; how many */
uint32_t pv_cut_places(pv *prover, ck_id body, ck_id k, ck_id *m, uint32_t max);
ck_id pv_block_size(pv *prover, ck_id body, ck_id k); /* b where body has k div b; CK_BAD: none */
/* n-1-k is the better counter */
bool pv_runs_backwards(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body);
#endif
