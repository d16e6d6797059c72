/* Normal form of exponentials: of sums products, of what stands left of 0 inverses, of logarithms
 * what they are of. */
#include "pv_norm.h"

/* exp(x + y) = exp x * exp y; exp(-x) = inv(exp x); exp(2x) = exp x * exp x; exp 0 = 1; exp(log x)
 * = x */
pv_eqn pv_norm_exp(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id u = ck_kid(prover->terms, term, 0);
  ck_id v2[2];
  pv_poly poly;
  pv_eqn eqn = pv_same(term);
  if (pv_is_zero(prover, u)) {
    eqn.to = prover->one;
    eqn.by = pv_lemma(prover, PV_EXP0);
    return eqn;
  }
  if (ck_head(prover->terms, u) == CK_ADD) {
    v2[0] = ck_kid(prover->terms, u, 0);
    v2[1] = ck_kid(prover->terms, u, 1);
    eqn.to = pv_mul(prover, pv_exp(prover, v2[0]), pv_exp(prover, v2[1]));
    eqn.by = pv_law(prover, "exp+", v2, 2, PV_NONE);
    return eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
  }
  if (ck_head(prover->terms, u) == CK_LOG) {
    ck_id x = ck_kid(prover->terms, u, 0);
    pv_thm g = pv_positive(prover, ctx, x);
    if (g != PV_NONE) {
      eqn.to = x;
      eqn.by = pv_law(prover, "log", &x, 1, g);
    }
    return eqn;
  }
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, u);
  ck_id q = poly.count == 1 ? poly.monos[0].coef : prover->one;
  if (pv_const_sign(prover, q) < 0) {
    ck_id x = pv_canon(prover, pv_neg(prover, u));
    ck_id nx = pv_neg(prover, x);
    ck_id ex = pv_exp(prover, x);
    ck_id en = pv_exp(prover, nx);
    ck_id iex = pv_inv(prover, ex);
    pv_var_sub vars = {pv_real_var(prover, "x"), x};
    pv_thm en1 = pv_use_lemma(prover, PV_EXP_NEG, &vars, 1, NULL, 0, NULL, 0);
    pv_thm nonzero = pv_nonzero(prover, ctx, ex);
    pv_thm li = pv_law(prover, "inv", &ex, 1, nonzero);
    pv_thm same_arg = PV_REFL;
    if (nx != u) {
      pv_thm a = pv_identity(prover, pv_eq(prover, u, nx));
      same_arg = pv_cong(prover, term, en, &a, 1);
    }
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, same_arg);
    pv_comb_add(&comb, iex, en1);
    pv_comb_add(&comb, pv_neg(prover, en), li);
    eqn.to = iex;
    eqn.by = nonzero == PV_NONE ? (pv_comb_clear(&comb), PV_NONE)
                                : pv_comb_prove(prover, &comb, pv_eq(prover, term, iex));
    eqn = eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, iex));
  } else if (q != prover->one && ck_is_int(prover->terms, q) &&
             mpq_cmp_ui(*ck_q_value(prover->terms, q), 8, 1) <= 0) {
    ck_id x = pv_mono_term(prover, prover->one, poly.monos[0].atoms, poly.monos[0].degree);
    ck_id y = pv_canon(prover, pv_sub(prover, u, x));
    v2[0] = x;
    v2[1] = y;
    ck_id xy = pv_add(prover, x, y);
    pv_thm a = pv_identity(prover, pv_eq(prover, u, xy));
    pv_thm c = pv_cong(prover, term, pv_exp(prover, xy), &a, 1);
    pv_thm l = pv_law(prover, "exp+", v2, 2, PV_NONE);
    eqn.to = pv_mul(prover, pv_exp(prover, x), pv_exp(prover, y));
    eqn.by = pv_trans(prover, c, l);
    eqn = eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
  }
  pv_poly_clear(&poly);
  return eqn;
}
