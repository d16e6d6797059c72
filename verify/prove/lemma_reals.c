/* Lemmas about exponentials, inverses, roots and squares.  Each derivation is a few steps of the
 * calculus; the lemma itself stands in its row of pv_lemma.h. */
#include "pv_lemma_kit.h"

pv_thm pv_derive_exp0(pv *p) {
  ck_id z = p->zero;
  ck_id x = pv_unary(p, CK_EXP, z);
  ck_id zz = pv_add(p, z, z);
  ck_id ix = inv(p, x);
  pv_thm a = law2(p, "exp+", z, z, PV_NONE);
  pv_thm r = pv_identity(p, eq(p, zz, z));
  pv_thm c = pv_cong(p, pv_unary(p, CK_EXP, zz), x, &r, 1);
  pv_thm g = law1(p, "exp>", z, PV_NONE);
  pv_summand m[2] = {{one(p), &g, 1}, {one(p), NULL, 0}};
  pv_thm lt = pv_arith(p, gt0(p, x), m, 2);
  pv_thm nz = pv_scaled(p, ne0(p, x), minus(p), lt);
  pv_thm i = law1(p, "inv", x, nz);
  return AR(p, eq(p, x, p->one), 3, pv_neg(p, ix), a, ix, c, pv_sub(p, p->one, x), i);
}

pv_thm pv_derive_exp_neg(pv *p) {
  ck_id x = rv(p, "x");
  ck_id n = pv_neg(p, x);
  ck_id s = pv_add(p, x, n);
  ck_id ex = pv_unary(p, CK_EXP, x);
  ck_id en = pv_unary(p, CK_EXP, n);
  pv_thm a = law2(p, "exp+", x, n, PV_NONE);
  pv_thm r = pv_identity(p, eq(p, s, p->zero));
  pv_thm c = pv_cong(p, pv_unary(p, CK_EXP, s), pv_unary(p, CK_EXP, p->zero), &r, 1);
  return AR(p, eq(p, pv_mul(p, ex, en), p->one), 3, minus(p), a, one(p), c, one(p),
            pv_lemma(p, PV_EXP0));
}

pv_thm pv_derive_exp_pos(pv *p) {
  ck_id x = rv(p, "x");
  ck_id h = pv_mul(p, pv_const_inv(p, pv_num(p, 2)), x);
  ck_id y = pv_unary(p, CK_EXP, h);
  ck_id en = pv_unary(p, CK_EXP, pv_neg(p, h));
  ck_id hh = pv_add(p, h, h);
  ck_id goal = gt0(p, pv_unary(p, CK_EXP, x));
  pv_var_sub v = {x, h};
  pv_thm prod = pv_use_lemma(p, PV_EXP_NEG, &v, 1, NULL, 0, NULL, 0);
  pv_thm r = pv_identity(p, eq(p, x, hh));
  pv_thm c = pv_cong(p, pv_unary(p, CK_EXP, x), pv_unary(p, CK_EXP, hh), &r, 1);
  pv_thm a = law2(p, "exp+", h, h, PV_NONE);
  pv_thm pos = pv_hyp(p, gt0(p, y));
  pv_thm le = pv_hyp(p, pv_rel(p, CK_LE, y, p->zero));
  pv_thm ge = pv_hyp(p, ge0(p, y));
  pv_thm lt = pv_hyp(p, pv_rel(p, CK_LT, y, p->zero));
  pv_thm res[2];
  pv_thm prem[2] = {pos, lt};
  for (int i = 0; i < 2; i++) {
    pv_comb b;
    pv_comb_init(&b);
    pv_comb_add_product(&b, one(p), prem[i], prem[i]);
    pv_comb_add(&b, minus(p), a);
    pv_comb_add(&b, minus(p), c);
    res[i] = pv_comb_prove(p, &b, goal);
  }
  pv_thm yz = pv_antisym(p, le, ge);
  pv_thm bad = AR(p, eq(p, p->zero, p->one), 2, one(p), prod, pv_neg(p, en), yz);
  return pv_cases(p, gt0(p, y), res[0],
                 pv_cases(p, pv_rel(p, CK_LT, y, p->zero), res[1], pv_from_zero_is_one(p, goal, bad)));
}

pv_thm pv_derive_inv_ne(pv *p) {
  ck_id x = rv(p, "x");
  ck_id y = inv(p, x);
  ck_id f = ne0(p, y);
  pv_thm i = law1(p, "inv", x, pv_hyp(p, ne0(p, x)));
  pv_thm z = pv_hyp(p, eq(p, y, p->zero));
  pv_thm bad = AR(p, eq(p, p->zero, p->one), 2, one(p), i, pv_neg(p, x), z);
  return pv_cases(p, eq(p, y, p->zero), pv_from_zero_is_one(p, f, bad), pv_hyp(p, f));
}

pv_thm pv_derive_inv_pos(pv *p) {
  ck_id x = rv(p, "x");
  ck_id y = inv(p, x);
  ck_id c = gt0(p, y);
  pv_thm h = pv_hyp(p, gt0(p, x));
  pv_thm i = law1(p, "inv", x, pv_scaled(p, ne0(p, x), minus(p), h));
  pv_thm q = pv_hyp(p, pv_rel(p, CK_LE, y, p->zero));
  pv_thm hq[2] = {h, q};
  pv_summand m[3] = {{one(p), hq, 2}, {one(p), NULL, 0}, {minus(p), &i, 1}};
  return pv_cases(p, c, pv_hyp(p, c), pv_from_zero_below_zero(p, c, pv_arith(p, gt0(p, p->zero), m, 3)));
}

pv_thm pv_derive_inv_mul(pv *p) {
  ck_id x = rv(p, "x");
  ck_id y = rv(p, "y");
  ck_id xy = pv_mul(p, x, y);
  ck_id ix = inv(p, x);
  ck_id iy = inv(p, y);
  ck_id ixy = inv(p, xy);
  ck_id q = pv_mul(p, ix, iy);
  pv_thm hx = pv_hyp(p, ne0(p, x));
  pv_thm hy = pv_hyp(p, ne0(p, y));
  pv_thm h2[2] = {hx, hy};
  pv_summand m = {minus(p), h2, 2};
  pv_thm i = law1(p, "inv", xy, pv_arith(p, ne0(p, xy), &m, 1));
  pv_thm lx = law1(p, "inv", x, hx);
  pv_thm ly = law1(p, "inv", y, hy);
  return AR(p, eq(p, ixy, q), 3, q, i, pv_neg(p, pv_mul(p, ixy, pv_mul(p, y, iy))), lx, pv_neg(p, ixy),
            ly);
}

pv_thm pv_derive_inv_inv(pv *p) {
  ck_id x = rv(p, "x");
  ck_id y = inv(p, x);
  ck_id z = inv(p, y);
  pv_thm i = law1(p, "inv", x, pv_hyp(p, ne0(p, x)));
  pv_thm j = law1(p, "inv", y, pv_lemma(p, PV_INV_NE));
  return AR(p, eq(p, z, x), 2, x, j, pv_neg(p, z), i);
}

pv_thm pv_derive_sqrt_pos(pv *p) {
  ck_id x = rv(p, "x");
  ck_id s = pv_unary(p, CK_SQRT, x);
  ck_id c = gt0(p, s);
  pv_thm h = pv_hyp(p, gt0(p, x));
  pv_thm w = pv_scaled(p, ge0(p, x), one(p), h);
  pv_thm a = law1(p, "sqrt2", x, w);
  pv_thm b = law1(p, "sqrt>", x, w);
  pv_thm sz = pv_antisym(p, pv_hyp(p, pv_rel(p, CK_LE, s, p->zero)), b);
  pv_thm f = AR(p, gt0(p, p->zero), 3, one(p), h, minus(p), a, s, sz);
  return pv_cases(p, c, pv_hyp(p, c), pv_from_zero_below_zero(p, c, f));
}

pv_thm pv_derive_square(pv *p) {
  ck_id x = rv(p, "x");
  ck_id f = ge0(p, pv_mul(p, x, x));
  pv_thm res[2];
  pv_thm h[2] = {pv_hyp(p, ge0(p, x)), pv_hyp(p, pv_rel(p, CK_LT, x, p->zero))};
  for (int i = 0; i < 2; i++) {
    pv_thm hh[2] = {h[i], h[i]};
    pv_summand m = {one(p), hh, 2};
    res[i] = pv_arith(p, f, &m, 1);
  }
  return pv_cases(p, ge0(p, x), res[0], res[1]);
}

/* x*y # 0 gives x # 0, y # 0 */
static pv_thm nz_side(pv *p, bool left) {
  ck_id x = rv(p, "x");
  ck_id y = rv(p, "y");
  ck_id a = left ? x : y;
  ck_id b = left ? y : x;
  ck_id f = ne0(p, a);
  pv_thm h = pv_hyp(p, ne0(p, pv_mul(p, x, y)));
  pv_thm z = pv_hyp(p, eq(p, a, p->zero));
  return pv_cases(p, eq(p, a, p->zero), AR(p, f, 2, one(p), h, pv_sub(p, p->one, b), z), pv_hyp(p, f));
}


pv_thm pv_derive_nz_left(pv *p) {
  return nz_side(p, true);
}

pv_thm pv_derive_nz_right(pv *p) {
  return nz_side(p, false);
}
