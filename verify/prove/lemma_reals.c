/* Lemmas about exponentials, inverses, roots and squares.  Each derivation is a few steps of the
 * calculus; the lemma itself stands in its row of pv_lemma.h. */
#include "pv_lemma.h"
#include "pv_steps.h"

pv_thm pv_derive_exp0(pv *p) {
  ck_id z = p->zero;
  ck_id x = pv_exp(p, z);
  ck_id zz = pv_add(p, z, z);
  ck_id ix = pv_inv(p, x);
  pv_thm a = pv_law2(p, "exp+", z, z, PV_NONE);
  pv_thm r = pv_identity(p, pv_eq(p, zz, z));
  pv_thm c = pv_cong(p, pv_exp(p, zz), x, &r, 1);
  pv_thm g = pv_law1(p, "exp>", z, PV_NONE);
  pv_summand m[2] = {{p->one, &g, 1}, {p->one, NULL, 0}};
  pv_thm lt = pv_arith(p, pv_gt0(p, x), m, 2);
  pv_thm nz = pv_scaled(p, pv_ne0(p, x), pv_num(p, -1), lt);
  pv_thm i = pv_law1(p, "inv", x, nz);
  return PV_COMBINE(p, pv_eq(p, x, p->one), pv_neg(p, ix), a, ix, c, pv_sub(p, p->one, x), i);
}

pv_thm pv_derive_exp_neg(pv *p) {
  ck_id x = pv_real_var(p, "x");
  ck_id n = pv_neg(p, x);
  ck_id s = pv_add(p, x, n);
  ck_id ex = pv_exp(p, x);
  ck_id en = pv_exp(p, n);
  pv_thm a = pv_law2(p, "exp+", x, n, PV_NONE);
  pv_thm r = pv_identity(p, pv_eq(p, s, p->zero));
  pv_thm c = pv_cong(p, pv_exp(p, s), pv_exp(p, p->zero), &r, 1);
  return PV_COMBINE(p, pv_eq(p, pv_mul(p, ex, en), p->one), pv_num(p, -1), a, p->one, c, p->one,
                    pv_lemma(p, PV_EXP0));
}

pv_thm pv_derive_exp_pos(pv *p) {
  ck_id x = pv_real_var(p, "x");
  ck_id h = pv_mul(p, pv_const_inv(p, pv_num(p, 2)), x);
  ck_id y = pv_exp(p, h);
  ck_id en = pv_exp(p, pv_neg(p, h));
  ck_id hh = pv_add(p, h, h);
  ck_id goal = pv_gt0(p, pv_exp(p, x));
  pv_var_sub v = {x, h};
  pv_thm prod = pv_use_lemma(p, PV_EXP_NEG, &v, 1, NULL, 0, NULL, 0);
  pv_thm r = pv_identity(p, pv_eq(p, x, hh));
  pv_thm c = pv_cong(p, pv_exp(p, x), pv_exp(p, hh), &r, 1);
  pv_thm a = pv_law2(p, "exp+", h, h, PV_NONE);
  pv_thm pos = pv_hyp(p, pv_gt0(p, y));
  pv_thm le = pv_hyp(p, pv_le(p, y, p->zero));
  pv_thm ge = pv_hyp(p, pv_ge0(p, y));
  pv_thm lt = pv_hyp(p, pv_lt(p, y, p->zero));
  pv_thm res[2];
  pv_thm prem[2] = {pos, lt};
  for (int i = 0; i < 2; i++) {
    pv_comb b;
    pv_comb_init(&b);
    pv_comb_add_product(&b, p->one, prem[i], prem[i]);
    pv_comb_add(&b, pv_num(p, -1), a);
    pv_comb_add(&b, pv_num(p, -1), c);
    res[i] = pv_comb_prove(p, &b, goal);
  }
  pv_thm yz = pv_antisym(p, le, ge);
  pv_thm bad = PV_COMBINE(p, pv_eq(p, p->zero, p->one), p->one, prod, pv_neg(p, en), yz);
  return pv_cases(p, pv_gt0(p, y), res[0],
                  pv_cases(p, pv_lt(p, y, p->zero), res[1], pv_from_zero_is_one(p, goal, bad)));
}

pv_thm pv_derive_inv_ne(pv *p) {
  ck_id x = pv_real_var(p, "x");
  ck_id y = pv_inv(p, x);
  ck_id f = pv_ne0(p, y);
  pv_thm i = pv_law1(p, "inv", x, pv_hyp(p, pv_ne0(p, x)));
  pv_thm z = pv_hyp(p, pv_eq(p, y, p->zero));
  pv_thm bad = PV_COMBINE(p, pv_eq(p, p->zero, p->one), p->one, i, pv_neg(p, x), z);
  return pv_cases(p, pv_eq(p, y, p->zero), pv_from_zero_is_one(p, f, bad), pv_hyp(p, f));
}

pv_thm pv_derive_inv_pos(pv *p) {
  ck_id x = pv_real_var(p, "x");
  ck_id y = pv_inv(p, x);
  ck_id c = pv_gt0(p, y);
  pv_thm h = pv_hyp(p, pv_gt0(p, x));
  pv_thm i = pv_law1(p, "inv", x, pv_scaled(p, pv_ne0(p, x), pv_num(p, -1), h));
  pv_thm q = pv_hyp(p, pv_le(p, y, p->zero));
  pv_thm hq[2] = {h, q};
  pv_summand m[3] = {{p->one, hq, 2}, {p->one, NULL, 0}, {pv_num(p, -1), &i, 1}};
  return pv_cases(p, c, pv_hyp(p, c),
                  pv_from_zero_below_zero(p, c, pv_arith(p, pv_gt0(p, p->zero), m, 3)));
}

pv_thm pv_derive_inv_mul(pv *p) {
  ck_id x = pv_real_var(p, "x");
  ck_id y = pv_real_var(p, "y");
  ck_id xy = pv_mul(p, x, y);
  ck_id ix = pv_inv(p, x);
  ck_id iy = pv_inv(p, y);
  ck_id ixy = pv_inv(p, xy);
  ck_id q = pv_mul(p, ix, iy);
  pv_thm hx = pv_hyp(p, pv_ne0(p, x));
  pv_thm hy = pv_hyp(p, pv_ne0(p, y));
  pv_thm h2[2] = {hx, hy};
  pv_summand m = {pv_num(p, -1), h2, 2};
  pv_thm i = pv_law1(p, "inv", xy, pv_arith(p, pv_ne0(p, xy), &m, 1));
  pv_thm lx = pv_law1(p, "inv", x, hx);
  pv_thm ly = pv_law1(p, "inv", y, hy);
  return PV_COMBINE(p, pv_eq(p, ixy, q), q, i, pv_neg(p, pv_mul(p, ixy, pv_mul(p, y, iy))), lx,
                    pv_neg(p, ixy), ly);
}

pv_thm pv_derive_inv_inv(pv *p) {
  ck_id x = pv_real_var(p, "x");
  ck_id y = pv_inv(p, x);
  ck_id z = pv_inv(p, y);
  pv_thm i = pv_law1(p, "inv", x, pv_hyp(p, pv_ne0(p, x)));
  pv_thm j = pv_law1(p, "inv", y, pv_lemma(p, PV_INV_NE));
  return PV_COMBINE(p, pv_eq(p, z, x), x, j, pv_neg(p, z), i);
}

pv_thm pv_derive_sqrt_pos(pv *p) {
  ck_id x = pv_real_var(p, "x");
  ck_id s = pv_sqrt(p, x);
  ck_id c = pv_gt0(p, s);
  pv_thm h = pv_hyp(p, pv_gt0(p, x));
  pv_thm w = pv_scaled(p, pv_ge0(p, x), p->one, h);
  pv_thm a = pv_law1(p, "sqrt2", x, w);
  pv_thm b = pv_law1(p, "sqrt>", x, w);
  pv_thm sz = pv_antisym(p, pv_hyp(p, pv_le(p, s, p->zero)), b);
  pv_thm f = PV_COMBINE(p, pv_gt0(p, p->zero), p->one, h, pv_num(p, -1), a, s, sz);
  return pv_cases(p, c, pv_hyp(p, c), pv_from_zero_below_zero(p, c, f));
}

pv_thm pv_derive_square(pv *p) {
  ck_id x = pv_real_var(p, "x");
  ck_id f = pv_ge0(p, pv_mul(p, x, x));
  pv_thm res[2];
  pv_thm h[2] = {pv_hyp(p, pv_ge0(p, x)), pv_hyp(p, pv_lt(p, x, p->zero))};
  for (int i = 0; i < 2; i++) {
    pv_thm hh[2] = {h[i], h[i]};
    pv_summand m = {p->one, hh, 2};
    res[i] = pv_arith(p, f, &m, 1);
  }
  return pv_cases(p, pv_ge0(p, x), res[0], res[1]);
}

/* x*y # 0 gives x # 0, y # 0 */
static pv_thm nz_side(pv *p, bool left) {
  ck_id x = pv_real_var(p, "x");
  ck_id y = pv_real_var(p, "y");
  ck_id a = left ? x : y;
  ck_id b = left ? y : x;
  ck_id f = pv_ne0(p, a);
  pv_thm h = pv_hyp(p, pv_ne0(p, pv_mul(p, x, y)));
  pv_thm z = pv_hyp(p, pv_eq(p, a, p->zero));
  return pv_cases(p, pv_eq(p, a, p->zero), PV_COMBINE(p, f, p->one, h, pv_sub(p, p->one, b), z),
                  pv_hyp(p, f));
}

pv_thm pv_derive_nz_left(pv *p) {
  return nz_side(p, true);
}

pv_thm pv_derive_nz_right(pv *p) {
  return nz_side(p, false);
}
