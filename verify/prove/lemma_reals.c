/* Lemmas about exponentials, inverses, roots and squares.  Each derivation is a few steps of the
 * calculus; the lemma itself stands in its row of pv_lemma.h. */
#include "pv_lemma.h"
#include "pv_steps.h"

pv_thm pv_derive_exp0(pv *prover) {
  ck_id zero = prover->zero;
  ck_id x = pv_exp(prover, zero);
  ck_id zz = pv_add(prover, zero, zero);
  ck_id ix = pv_inv(prover, x);
  pv_thm a = pv_law2(prover, "exp+", zero, zero, PV_NONE);
  pv_thm r = pv_identity(prover, pv_eq(prover, zz, zero));
  pv_thm c = pv_cong(prover, pv_exp(prover, zz), x, &r, 1);
  pv_thm g = pv_law1(prover, "exp>", zero, PV_NONE);
  pv_summand summand[2] = {{prover->one, &g, 1}, {prover->one, NULL, 0}};
  pv_thm lt = pv_arith(prover, pv_gt0(prover, x), summand, 2);
  pv_thm nonzero = pv_scaled(prover, pv_ne0(prover, x), pv_num(prover, -1), lt);
  pv_thm i = pv_law1(prover, "inv", x, nonzero);
  return PV_COMBINE(prover, pv_eq(prover, x, prover->one), pv_neg(prover, ix), a, ix, c,
                    pv_sub(prover, prover->one, x), i);
}

pv_thm pv_derive_exp_neg(pv *prover) {
  ck_id x = pv_real_var(prover, "x");
  ck_id n = pv_neg(prover, x);
  ck_id s = pv_add(prover, x, n);
  ck_id ex = pv_exp(prover, x);
  ck_id en = pv_exp(prover, n);
  pv_thm a = pv_law2(prover, "exp+", x, n, PV_NONE);
  pv_thm r = pv_identity(prover, pv_eq(prover, s, prover->zero));
  pv_thm c = pv_cong(prover, pv_exp(prover, s), pv_exp(prover, prover->zero), &r, 1);
  return PV_COMBINE(prover, pv_eq(prover, pv_mul(prover, ex, en), prover->one), pv_num(prover, -1),
                    a, prover->one, c, prover->one, pv_lemma(prover, PV_EXP0));
}

pv_thm pv_derive_exp_pos(pv *prover) {
  ck_id x = pv_real_var(prover, "x");
  ck_id h = pv_mul(prover, pv_const_inv(prover, pv_num(prover, 2)), x);
  ck_id y = pv_exp(prover, h);
  ck_id en = pv_exp(prover, pv_neg(prover, h));
  ck_id hh = pv_add(prover, h, h);
  ck_id goal = pv_gt0(prover, pv_exp(prover, x));
  pv_var_sub vars = {x, h};
  pv_thm prod = pv_use_lemma(prover, PV_EXP_NEG, &vars, 1, NULL, 0, NULL, 0);
  pv_thm r = pv_identity(prover, pv_eq(prover, x, hh));
  pv_thm c = pv_cong(prover, pv_exp(prover, x), pv_exp(prover, hh), &r, 1);
  pv_thm a = pv_law2(prover, "exp+", h, h, PV_NONE);
  pv_thm pos = pv_hyp(prover, pv_gt0(prover, y));
  pv_thm le = pv_hyp(prover, pv_le(prover, y, prover->zero));
  pv_thm nonneg = pv_hyp(prover, pv_ge0(prover, y));
  pv_thm lt = pv_hyp(prover, pv_lt(prover, y, prover->zero));
  pv_thm cases[2];
  pv_thm premises[2] = {pos, lt};
  for (int i = 0; i < 2; i++) {
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add_product(&comb, prover->one, premises[i], premises[i]);
    pv_comb_add(&comb, pv_num(prover, -1), a);
    pv_comb_add(&comb, pv_num(prover, -1), c);
    cases[i] = pv_comb_prove(prover, &comb, goal);
  }
  pv_thm yz = pv_antisym(prover, le, nonneg);
  pv_thm bad = PV_COMBINE(prover, pv_eq(prover, prover->zero, prover->one), prover->one, prod,
                          pv_neg(prover, en), yz);
  return pv_cases(prover, pv_gt0(prover, y), cases[0],
                  pv_cases(prover, pv_lt(prover, y, prover->zero), cases[1],
                           pv_from_zero_is_one(prover, goal, bad)));
}

pv_thm pv_derive_inv_ne(pv *prover) {
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_inv(prover, x);
  ck_id f = pv_ne0(prover, y);
  pv_thm i = pv_law1(prover, "inv", x, pv_hyp(prover, pv_ne0(prover, x)));
  pv_thm z = pv_hyp(prover, pv_eq(prover, y, prover->zero));
  pv_thm bad = PV_COMBINE(prover, pv_eq(prover, prover->zero, prover->one), prover->one, i,
                          pv_neg(prover, x), z);
  return pv_cases(prover, pv_eq(prover, y, prover->zero), pv_from_zero_is_one(prover, f, bad),
                  pv_hyp(prover, f));
}

pv_thm pv_derive_inv_pos(pv *prover) {
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_inv(prover, x);
  ck_id c = pv_gt0(prover, y);
  pv_thm hyp = pv_hyp(prover, pv_gt0(prover, x));
  pv_thm i =
      pv_law1(prover, "inv", x, pv_scaled(prover, pv_ne0(prover, x), pv_num(prover, -1), hyp));
  pv_thm q = pv_hyp(prover, pv_le(prover, y, prover->zero));
  pv_thm hq[2] = {hyp, q};
  pv_summand summand[3] = {
      {prover->one, hq, 2}, {prover->one, NULL, 0}, {pv_num(prover, -1), &i, 1}};
  return pv_cases(prover, c, pv_hyp(prover, c),
                  pv_from_zero_below_zero(
                      prover, c, pv_arith(prover, pv_gt0(prover, prover->zero), summand, 3)));
}

pv_thm pv_derive_inv_mul(pv *prover) {
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_real_var(prover, "y");
  ck_id xy = pv_mul(prover, x, y);
  ck_id ix = pv_inv(prover, x);
  ck_id iy = pv_inv(prover, y);
  ck_id ixy = pv_inv(prover, xy);
  ck_id q = pv_mul(prover, ix, iy);
  pv_thm hx = pv_hyp(prover, pv_ne0(prover, x));
  pv_thm hy = pv_hyp(prover, pv_ne0(prover, y));
  pv_thm h2[2] = {hx, hy};
  pv_summand summand = {pv_num(prover, -1), h2, 2};
  pv_thm i = pv_law1(prover, "inv", xy, pv_arith(prover, pv_ne0(prover, xy), &summand, 1));
  pv_thm lx = pv_law1(prover, "inv", x, hx);
  pv_thm ly = pv_law1(prover, "inv", y, hy);
  return PV_COMBINE(prover, pv_eq(prover, ixy, q), q, i,
                    pv_neg(prover, pv_mul(prover, ixy, pv_mul(prover, y, iy))), lx,
                    pv_neg(prover, ixy), ly);
}

pv_thm pv_derive_inv_inv(pv *prover) {
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_inv(prover, x);
  ck_id zero = pv_inv(prover, y);
  pv_thm i = pv_law1(prover, "inv", x, pv_hyp(prover, pv_ne0(prover, x)));
  pv_thm j = pv_law1(prover, "inv", y, pv_lemma(prover, PV_INV_NE));
  return PV_COMBINE(prover, pv_eq(prover, zero, x), x, j, pv_neg(prover, zero), i);
}

pv_thm pv_derive_sqrt_pos(pv *prover) {
  ck_id x = pv_real_var(prover, "x");
  ck_id s = pv_sqrt(prover, x);
  ck_id c = pv_gt0(prover, s);
  pv_thm hyp = pv_hyp(prover, pv_gt0(prover, x));
  pv_thm w = pv_scaled(prover, pv_ge0(prover, x), prover->one, hyp);
  pv_thm a = pv_law1(prover, "sqrt2", x, w);
  pv_thm b = pv_law1(prover, "sqrt>", x, w);
  pv_thm sz = pv_antisym(prover, pv_hyp(prover, pv_le(prover, s, prover->zero)), b);
  pv_thm f = PV_COMBINE(prover, pv_gt0(prover, prover->zero), prover->one, hyp, pv_num(prover, -1),
                        a, s, sz);
  return pv_cases(prover, c, pv_hyp(prover, c), pv_from_zero_below_zero(prover, c, f));
}

pv_thm pv_derive_square(pv *prover) {
  ck_id x = pv_real_var(prover, "x");
  ck_id f = pv_ge0(prover, pv_mul(prover, x, x));
  pv_thm cases[2];
  pv_thm hyp[2] = {pv_hyp(prover, pv_ge0(prover, x)),
                   pv_hyp(prover, pv_lt(prover, x, prover->zero))};
  for (int i = 0; i < 2; i++) {
    pv_thm hh[2] = {hyp[i], hyp[i]};
    pv_summand summand = {prover->one, hh, 2};
    cases[i] = pv_arith(prover, f, &summand, 1);
  }
  return pv_cases(prover, pv_ge0(prover, x), cases[0], cases[1]);
}

/* x*y # 0 gives x # 0, y # 0 */
static pv_thm nz_side(pv *prover, bool left) {
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_real_var(prover, "y");
  ck_id a = left ? x : y;
  ck_id b = left ? y : x;
  ck_id f = pv_ne0(prover, a);
  pv_thm hyp = pv_hyp(prover, pv_ne0(prover, pv_mul(prover, x, y)));
  pv_thm z = pv_hyp(prover, pv_eq(prover, a, prover->zero));
  return pv_cases(prover, pv_eq(prover, a, prover->zero),
                  PV_COMBINE(prover, f, prover->one, hyp, pv_sub(prover, prover->one, b), z),
                  pv_hyp(prover, f));
}

pv_thm pv_derive_nz_left(pv *prover) {
  return nz_side(prover, true);
}

pv_thm pv_derive_nz_right(pv *prover) {
  return nz_side(prover, false);
}
