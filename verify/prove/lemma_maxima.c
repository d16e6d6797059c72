/* Lemmas about maxima (folds whose step is ite(acc <= f, f, acc) and whose base is f at 0), by
 * induction over the bound, from laws of the maximum of two, which the case split proves. */
#include "pv_folds.h"

/* max over k < n of f(k) */
static ck_id mxf(pv *prover, ck_id n) {
  return pv_max(prover, n, pv_int_var(prover, "k"), pv_apply(prover, "f", pv_int_var(prover, "k")));
}

static ck_id mxs(pv *prover, ck_id n, ck_id m) {
  return pv_max(prover, n, pv_int_var(prover, "k"),
                pv_apply(prover, "f", pv_add(prover, m, pv_int_var(prover, "k"))));
} /* .. of f(m + k) */

static pv_thm ge(pv *prover, ck_id a, pv_thm s1, pv_thm s2,
                 bool one) /* 0 <= a, a the sum of what s1, s2 say (+ 1) */
{
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, s1);
  pv_comb_add(&comb, prover->one, s2);
  if (one) {
    pv_summand summand = {prover->one, NULL, 0};
    as_vec_push(&comb.summands, &summand);
  }
  return pv_comb_prove(prover, &comb, pv_ge0(prover, a));
}

pv_thm pv_max_same(pv *prover, ck_id a) {
  ck_id x = pv_real_var(prover, "x");
  pv_var_sub vars = {x, a};
  return pv_inst(prover, pv_prove_eq(prover, 0, pv_max2(prover, x, x), x, 0), &vars, 1, NULL, 0,
                 NULL, 0);
}

static ck_id max_past(pv *prover, ck_id m, ck_id x) {
  return mxf(prover, pv_add(prover, m, x));
}

static ck_id concat_at(pv *prover, ck_id m, ck_id A, ck_id x1) {
  return pv_eq(prover, max_past(prover, m, x1), pv_max2(prover, A, mxs(prover, x1, m)));
}

/* 0 <= m, 0 <= q:  max(k < m+(q+1)) f(k) = max2(max(k < m) f(k), max(k < q+1) f(m+k)) */
pv_thm pv_derive_max_concat(pv *prover) {
  ck_id m = pv_int_var(prover, "m");
  ck_id q = pv_int_var(prover, "q");
  ck_id j = pv_int_var(prover, "j");
  ck_id zero = prover->zero;
  ck_id j_next = pv_add(prover, j, prover->one);
  ck_id z1 = pv_add(prover, zero, prover->one);
  ck_id mz = pv_add(prover, m, zero);
  ck_id A = mxf(prover, m);
  pv_thm m_nonneg = pv_hyp(prover, pv_le(prover, zero, m));
  pv_thm j_nonneg = pv_hyp(prover, pv_le(prover, zero, j));
  pv_thm zero_le_zero = pv_by_value(prover, pv_le(prover, zero, zero));
  /* base: both are max2(A, f(m)) */
  pv_thm l = pv_succ(prover, max_past(prover, m, z1), m, m_nonneg);
  pv_thm b = pv_succ(prover, mxs(prover, z1, m), zero, zero_le_zero);
  pv_thm c0 = pv_zero(prover, mxs(prover, zero, m), zero_le_zero);
  pv_thm r0 = pv_identity(prover, pv_eq(prover, mz, m));
  pv_thm fm = pv_cong(prover, pv_apply(prover, "f", mz), pv_apply(prover, "f", m), &r0, 1);
  pv_thm bw = pv_trans(prover,
                       pv_trans(prover, pv_then_rewrite(prover, b, &c0, 1),
                                pv_max_same(prover, pv_apply(prover, "f", mz))),
                       fm); /* max(k < 0+1) f(m+k) = f(m) */
  pv_thm back = pv_sym(prover, bw);
  if (l == PV_NONE || back == PV_NONE)
    return PV_NONE;
  ck_id rhs = pv_max2(prover, A, mxs(prover, z1, m));
  ck_id from = mxs(prover, z1, m);
  pv_eqn eqn = pv_rewrite(prover, rhs, &from, &bw, 1);
  pv_thm base = pv_trans(prover, l, pv_sym(prover, eqn.by));
  /* step */
  ck_id j_after = pv_add(prover, j_next, prover->one);
  ck_id mj = pv_add(prover, m, j_next);
  pv_thm assumed = pv_hyp(prover, concat_at(prover, m, A, j_next));
  pv_thm u =
      pv_succ(prover, max_past(prover, m, j_after), mj, ge(prover, mj, m_nonneg, j_nonneg, true));
  pv_thm v =
      pv_succ(prover, mxs(prover, j_after, m), j_next, ge(prover, j_next, j_nonneg, PV_REFL, true));
  pv_thm left = pv_then_rewrite(prover, u, &assumed, 1); /* max2(max2(A, I), f(m+j+1)) */
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_real_var(prover, "y");
  ck_id w = pv_real_var(prover, "w");
  pv_thm assoc = pv_prove_eq(prover, 0, pv_max2(prover, pv_max2(prover, x, y), w),
                             pv_max2(prover, x, pv_max2(prover, y, w)), 0);
  pv_var_sub vars[3] = {{x, A}, {y, mxs(prover, j_next, m)}, {w, pv_apply(prover, "f", mj)}};
  pv_thm as = pv_inst(prover, assoc, vars, 3, NULL, 0, NULL, 0);
  if (v == PV_NONE)
    return PV_NONE;
  from = mxs(prover, j_after, m);
  eqn = pv_rewrite(prover, pv_max2(prover, A, from), &from, &v, 1);
  pv_thm step = pv_trans(prover, pv_trans(prover, left, as), pv_sym(prover, eqn.by));
  /* concat_at(prover, m, A, q) over q+1 */
  ck_id f = concat_at(prover, m, A, j_next);
  return pv_induct(prover, j, q, 0, &f, &base, &step, 1, pv_hyp(prover, pv_le(prover, zero, q)));
}

static ck_id max_of_tile(pv *prover, ck_id T, ck_id x) {
  return mxs(prover, T, pv_mul(prover, x, T));
}

static ck_id max_of_tiles(pv *prover, ck_id g, ck_id T, ck_id x) {
  return pv_max(prover, x, g, max_of_tile(prover, T, g));
}

static ck_id split_at(pv *prover, ck_id g, ck_id T, ck_id x1) {
  return pv_eq(prover, max_of_tiles(prover, g, T, x1), mxf(prover, pv_mul(prover, x1, T)));
}

/* 0 < G, 0 < T:  max(g < G) max(t < T) f(g*T + t) = max(k < G*T) f(k) */
pv_thm pv_derive_max_split(pv *prover) {
  ck_id G = pv_int_var(prover, "G");
  ck_id T = pv_int_var(prover, "T");
  ck_id j = pv_int_var(prover, "j");
  ck_id g = pv_int_var(prover, "g");
  ck_id zero = prover->zero;
  ck_id j_next = pv_add(prover, j, prover->one);
  ck_id j_after = pv_add(prover, j_next, prover->one);
  ck_id z1 = pv_add(prover, zero, prover->one);
  ck_id G1 = pv_sub(prover, G, prover->one);
  ck_id T1 = pv_sub(prover, T, prover->one);
  pv_thm hG = pv_hyp(prover, pv_lt(prover, zero, G));
  pv_thm hT = pv_hyp(prover, pv_lt(prover, zero, T));
  pv_thm j_nonneg = pv_hyp(prover, pv_le(prover, zero, j));
  pv_thm zero_le_zero = pv_by_value(prover, pv_le(prover, zero, zero));
  pv_thm g0 = pv_int(prover, pv_le(prover, zero, G1), hG);
  pv_thm t0 = pv_int(prover, pv_le(prover, zero, T1), hT);
  pv_thm b = pv_succ(prover, max_of_tiles(prover, g, T, z1), zero, zero_le_zero);
  pv_thm c0 = pv_zero(prover, max_of_tiles(prover, g, T, zero), zero_le_zero);
  if (c0 == PV_NONE)
    return PV_NONE;
  pv_thm base = pv_trans(prover, pv_then_rewrite(prover, b, &c0, 1),
                         pv_max_same(prover, pv_right(prover, c0)));
  if (base == PV_NONE)
    return PV_NONE;
  base =
      pv_trans(prover, base,
               pv_same_index(prover, pv_right(prover, base), mxf(prover, pv_mul(prover, z1, T))));
  /* step */
  ck_id m = pv_mul(prover, j_next, T);
  pv_thm assumed = pv_hyp(prover, split_at(prover, g, T, j_next));
  pv_thm u = pv_succ(prover, max_of_tiles(prover, g, T, j_after), j_next,
                     ge(prover, j_next, j_nonneg, PV_REFL, true));
  pv_thm left = pv_then_rewrite(prover, u, &assumed, 1);
  pv_thm m0;
  {
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add_product(&comb, prover->one, j_nonneg, hT);
    pv_comb_add(&comb, prover->one, hT);
    m0 = pv_comb_prove(prover, &comb, pv_le(prover, zero, m));
  }
  pv_var_sub vars[2] = {{pv_int_var(prover, "m"), m}, {pv_int_var(prover, "q"), T1}};
  pv_thm premises[2] = {m0, t0};
  pv_thm cc = pv_use_lemma(prover, PV_MAX_CONCAT, vars, 2, NULL, 0, premises, 2);
  if (left == PV_NONE || cc == PV_NONE)
    return PV_NONE;
  pv_thm mid = pv_same_index(prover, pv_right(prover, left), pv_right(prover, cc));
  pv_thm last = pv_same_index(prover, pv_left(prover, cc), mxf(prover, pv_mul(prover, j_after, T)));
  pv_thm step =
      pv_trans(prover, pv_trans(prover, pv_trans(prover, left, mid), pv_sym(prover, cc)), last);
  ck_id f = split_at(prover, g, T, j_next);
  pv_thm r = pv_induct(prover, j, G1, 0, &f, &base, &step, 1, g0);
  if (r == PV_NONE)
    return PV_NONE;
  return pv_trans(
      prover,
      pv_trans(prover, pv_same_index(prover, max_of_tiles(prover, g, T, G), pv_left(prover, r)), r),
      pv_same_index(prover, pv_right(prover, r), mxf(prover, pv_mul(prover, G, T))));
}

/* f, g: values of which one law on binary maxima makes one law on folds: max(n, F(f)) = F(max(n,
 * f)) for F = (. + x) or (x * .) */
/* through(a): a + x, x * a with 0 <= x, exp a, the larger of a and 0, the smaller of a and 0: none
 * turns the order around */
ck_id pv_max_through_term(pv *prover, pv_max_way way, ck_id x, ck_id a) {
  ck_id m = pv_neg(prover, a);
  ck_id zero = prover->zero;
  switch (way) {
  case PV_THROUGH_ADD:
    return pv_add(prover, a, x);
  case PV_THROUGH_SCALE:
    return pv_mul(prover, x, a);
  case PV_THROUGH_EXP:
    return pv_exp(prover, a);
  case PV_THROUGH_RELU:
    return ck_ite(prover->terms, pv_le(prover, zero, a), a, zero);
  default:
    return pv_neg(prover, ck_ite(prover->terms, pv_le(prover, zero, m), m, zero));
  }
}

/* max2(exp y, exp w) = exp(max2(y, w)): exp y <= exp w where y <= w, by exp w = exp y * exp(w - y)
 * >= exp y * (1 + w - y) */
static pv_thm exp_of_max(pv *prover, ck_id y, ck_id w) {
  ck_id le = pv_le(prover, y, w);
  ck_id nle = ck_neg(prover->terms, le);
  ck_id ey = pv_exp(prover, y);
  ck_id ew = pv_exp(prover, w);
  ck_id L = pv_max2(prover, ey, ew);
  ck_id M = pv_max2(prover, y, w);
  ck_id R = pv_exp(prover, M);
  ck_id goal = pv_eq(prover, L, R);
  pv_thm cases[2];
  for (int i = 0; i < 2; i++) { /* i: w < y */
    ck_id a = i ? w : y;
    ck_id b = i ? y : w;
    ck_id ea = i ? ew : ey;
    ck_id eb = i ? ey : ew;
    ck_id d = pv_sub(prover, b, a);
    ck_id ad = pv_add(prover, a, d);
    ck_id two[2] = {a, d};
    pv_var_sub vars = {pv_real_var(prover, "x"), a};
    pv_thm hyp = pv_hyp(prover, i ? nle : le);
    pv_thm pos = pv_use_lemma(prover, PV_EXP_POS, &vars, 1, NULL, 0, NULL, 0);
    pv_thm plus = pv_law(prover, "exp+", two, 2, PV_NONE);
    pv_thm arg = pv_identity(prover, pv_eq(prover, ad, b));
    pv_thm c = pv_cong(prover, pv_exp(prover, ad), eb, &arg, 1);
    pv_thm gt = pv_law(prover, "exp>", &d, 1, PV_NONE);
    pv_comb comb;
    pv_comb_init(&comb); /* eb - ea = ea*(exp d - 1 - d) + ea*d */
    pv_comb_add_product(&comb, prover->one, pos, gt);
    pv_comb_add_product(&comb, prover->one, pos, hyp);
    pv_comb_add(&comb, pv_num(prover, -1), plus);
    pv_comb_add(&comb, prover->one, c);
    pv_thm ord = pv_comb_prove(prover, &comb, i ? pv_lt(prover, ea, eb) : pv_le(prover, ea, eb));
    pv_thm l = pv_law(prover, i ? "ite0" : "ite1", &L, 1, ord);
    pv_thm m = pv_law(prover, i ? "ite0" : "ite1", &M, 1, hyp);
    pv_thm e = m == PV_NONE ? PV_NONE : pv_cong(prover, R, eb, &m, 1);
    cases[i] = pv_trans(prover, l, pv_sym(prover, e));
    if (cases[i] != PV_NONE && pv_says(prover, cases[i]) != goal)
      cases[i] = PV_NONE;
  }
  return pv_cases(prover, le, cases[0], cases[1]);
}

static ck_id max_of_images(pv *prover, ck_id k, pv_max_way way, ck_id x, ck_id b) {
  return pv_max(prover, b, k, pv_max_through_term(prover, way, x, pv_apply(prover, "f", k)));
}

static ck_id through_at(pv *prover, ck_id k, pv_max_way way, ck_id x, ck_id b) {
  return pv_eq(prover, max_of_images(prover, k, way, x, b),
               pv_max_through_term(prover, way, x, mxf(prover, b)));
}

pv_thm pv_at_any_bound(pv *prover, ck_id n, pv_thm some, pv_thm none) {
  return pv_cases(prover, pv_ge0(prover, n), some, none);
}

pv_thm pv_below_zero_is_none(pv *prover, ck_id n) {
  pv_thm below = pv_hyp(prover, pv_lt(prover, n, prover->zero));
  return pv_scaled(prover, pv_le(prover, n, prover->zero), prover->one, below);
}

/* through_at for a bound of no elements: both sides are of the first element */
static pv_thm through_nothing(pv *prover, ck_id k, pv_max_way way, ck_id x, ck_id bound,
                              pv_thm none) {
  pv_thm left = pv_zero(prover, max_of_images(prover, k, way, x, bound), none);
  pv_thm right = pv_zero(prover, mxf(prover, bound), none);
  if (right == PV_NONE)
    return PV_NONE;
  ck_id from = pv_left(prover, right);
  pv_eqn eqn = pv_rewrite(prover, pv_max_through_term(prover, way, x, from), &from, &right, 1);
  return pv_trans(prover, left, pv_sym(prover, eqn.by));
}

static pv_thm max_through(pv *prover, pv_max_way way) {
  ck_id n = pv_int_var(prover, "n");
  ck_id j = pv_int_var(prover, "j");
  ck_id k = pv_int_var(prover, "k");
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_real_var(prover, "y");
  ck_id w = pv_real_var(prover, "w");
  ck_id zero = prover->zero;
  ck_id j_next = pv_add(prover, j, prover->one);
  pv_ctx ctx = way == PV_THROUGH_SCALE ? pv_ctx_push(prover, 0, pv_le(prover, zero, x), CK_BAD) : 0;
  pv_thm two = way == PV_THROUGH_EXP
                   ? exp_of_max(prover, y, w)
                   : pv_prove_eq(prover, ctx,
                                 pv_max2(prover, pv_max_through_term(prover, way, x, y),
                                         pv_max_through_term(prover, way, x, w)),
                                 pv_max_through_term(prover, way, x, pv_max2(prover, y, w)), 0);
  pv_thm j_nonneg = pv_hyp(prover, pv_le(prover, zero, j));
  pv_thm assumed = pv_hyp(prover, through_at(prover, k, way, x, j));
  pv_thm base = through_nothing(prover, k, way, x, zero, pv_zero_le_zero(prover));
  pv_var_sub vars[2] = {{y, mxf(prover, j)}, {w, pv_apply(prover, "f", j)}};
  pv_thm u = pv_succ(prover, max_of_images(prover, k, way, x, j_next), j, j_nonneg);
  pv_thm v = pv_succ(prover, mxf(prover, j_next), j, j_nonneg);
  pv_thm left = pv_trans(prover, pv_then_rewrite(prover, u, &assumed, 1),
                         pv_inst(prover, two, vars, 2, NULL, 0, NULL, 0));
  if (v == PV_NONE)
    return PV_NONE;
  ck_id from = pv_left(prover, v);
  pv_eqn eqn = pv_rewrite(prover, pv_max_through_term(prover, way, x, from), &from, &v, 1);
  pv_thm step = pv_trans(prover, left, pv_sym(prover, eqn.by));
  ck_id f = through_at(prover, k, way, x, j);
  pv_thm some =
      pv_induct(prover, j, n, 0, &f, &base, &step, 1, pv_hyp(prover, pv_le(prover, zero, n)));
  pv_thm none = through_nothing(prover, k, way, x, n, pv_below_zero_is_none(prover, n));
  return pv_at_any_bound(prover, n, some, none);
}

pv_thm pv_derive_max_add(pv *prover) {
  return max_through(prover, PV_THROUGH_ADD);
}

pv_thm pv_derive_max_scale(pv *prover) {
  return max_through(prover, PV_THROUGH_SCALE);
}

pv_thm pv_derive_max_exp(pv *prover) {
  return max_through(prover, PV_THROUGH_EXP);
}

pv_thm pv_derive_max_relu(pv *prover) {
  return max_through(prover, PV_THROUGH_RELU);
}

pv_thm pv_derive_max_nrelu(pv *prover) {
  return max_through(prover, PV_THROUGH_NRELU);
}

static ck_id first_at(pv *prover, ck_id f0, ck_id b) {
  return pv_le(prover, f0, mxf(prover, b));
}

/* 0 <= n:  f(0) <= max(k < n) f(k) */
pv_thm pv_derive_max_first(pv *prover) {
  ck_id n = pv_int_var(prover, "n");
  ck_id j = pv_int_var(prover, "j");
  ck_id zero = prover->zero;
  ck_id j_next = pv_add(prover, j, prover->one);
  ck_id y = pv_real_var(prover, "y");
  ck_id w = pv_real_var(prover, "w");
  ck_id f0 = pv_apply(prover, "f", zero);
  pv_thm j_nonneg = pv_hyp(prover, pv_le(prover, zero, j));
  pv_thm zero_le_zero = pv_by_value(prover, pv_le(prover, zero, zero));
  pv_thm assumed = pv_hyp(prover, first_at(prover, f0, j));
  pv_thm base = pv_scaled(prover, first_at(prover, f0, zero), pv_num(prover, -1),
                          pv_zero(prover, mxf(prover, zero), zero_le_zero));
  pv_thm two = pv_prove_goal(prover, 0, pv_le(prover, y, pv_max2(prover, y, w)));
  pv_thm u = pv_succ(prover, mxf(prover, j_next), j, j_nonneg);
  pv_var_sub vars[2] = {{y, mxf(prover, j)}, {w, pv_apply(prover, "f", j)}};
  pv_comb comb;
  pv_comb_init(&comb); /* f0 <= max up to j <= max2 of that and f(j) = max up to j+1 */
  pv_comb_add(&comb, prover->one, assumed);
  pv_comb_add(&comb, prover->one, pv_inst(prover, two, vars, 2, NULL, 0, NULL, 0));
  pv_comb_add(&comb, pv_num(prover, -1), u);
  pv_thm step = pv_comb_prove(prover, &comb, first_at(prover, f0, j_next));
  ck_id f = first_at(prover, f0, j);
  return pv_induct(prover, j, n, 0, &f, &base, &step, 1, pv_hyp(prover, pv_le(prover, zero, n)));
}

static ck_id min_to(pv *prover, ck_id k, ck_id f, ck_id b) {
  return pv_min(prover, b, k, f);
}

static ck_id max_of_negated(pv *prover, ck_id k, ck_id f, ck_id b) {
  return pv_max(prover, b, k, pv_neg(prover, f));
}

static ck_id min_max_at(pv *prover, ck_id k, ck_id f, ck_id b) {
  return pv_eq(prover, min_to(prover, k, f, b), pv_neg(prover, max_of_negated(prover, k, f, b)));
}

/* 0 <= n:  min(k < n) f(k) = -max(k < n) -f(k) */
pv_thm pv_derive_min_max(pv *prover) {
  ck_id n = pv_int_var(prover, "n");
  ck_id j = pv_int_var(prover, "j");
  ck_id k = pv_int_var(prover, "k");
  ck_id y = pv_real_var(prover, "y");
  ck_id w = pv_real_var(prover, "w");
  ck_id zero = prover->zero;
  ck_id j_next = pv_add(prover, j, prover->one);
  ck_id f = pv_apply(prover, "f", k);
  ck_id from;
  pv_thm two = pv_prove_eq(
      prover, 0, ck_ite(prover->terms, pv_le(prover, pv_neg(prover, y), w), pv_neg(prover, y), w),
      pv_neg(prover, pv_max2(prover, y, pv_neg(prover, w))), 0);
  pv_thm j_nonneg = pv_hyp(prover, pv_le(prover, zero, j));
  pv_thm zero_le_zero = pv_by_value(prover, pv_le(prover, zero, zero));
  pv_thm assumed = pv_hyp(prover, min_max_at(prover, k, f, j));
  pv_thm l0 = pv_zero(prover, min_to(prover, k, f, zero), zero_le_zero);
  pv_thm r0 = pv_zero(prover, max_of_negated(prover, k, f, zero), zero_le_zero);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, l0);
  pv_comb_add(&comb, prover->one, r0);
  pv_thm base = pv_comb_prove(prover, &comb, min_max_at(prover, k, f, zero));
  pv_thm u = pv_succ(prover, min_to(prover, k, f, j_next), j, j_nonneg);
  pv_thm v = pv_succ(prover, max_of_negated(prover, k, f, j_next), j, j_nonneg);
  pv_var_sub vars[2] = {{y, max_of_negated(prover, k, f, j)}, {w, pv_apply(prover, "f", j)}};
  pv_thm left = pv_trans(prover, pv_then_rewrite(prover, u, &assumed, 1),
                         pv_inst(prover, two, vars, 2, NULL, 0, NULL, 0));
  if (v == PV_NONE)
    return PV_NONE;
  from = pv_left(prover, v);
  pv_eqn eqn = pv_rewrite(prover, pv_neg(prover, from), &from, &v, 1);
  pv_thm step = pv_trans(prover, left, pv_sym(prover, eqn.by));
  ck_id g = min_max_at(prover, k, f, j);
  return pv_induct(prover, j, n, 0, &g, &base, &step, 1, pv_hyp(prover, pv_le(prover, zero, n)));
}

static ck_id const_at(pv *prover, ck_id k, ck_id x, ck_id b) {
  return pv_eq(prover, pv_max(prover, b, k, x), x);
}

/* max(k < n) x = x */
pv_thm pv_derive_max_const(pv *prover) {
  ck_id n = pv_int_var(prover, "n");
  ck_id j = pv_int_var(prover, "j");
  ck_id k = pv_int_var(prover, "k");
  ck_id x = pv_real_var(prover, "x");
  ck_id zero = prover->zero;
  ck_id j_next = pv_add(prover, j, prover->one);
  pv_thm j_nonneg = pv_hyp(prover, pv_le(prover, zero, j));
  pv_thm assumed = pv_hyp(prover, const_at(prover, k, x, j));
  pv_thm base = pv_zero(prover, pv_max(prover, zero, k, x), pv_zero_le_zero(prover));
  pv_thm u = pv_succ(prover, pv_max(prover, j_next, k, x), j, j_nonneg);
  pv_thm step = pv_trans(prover, pv_then_rewrite(prover, u, &assumed, 1), pv_max_same(prover, x));
  ck_id f = const_at(prover, k, x, j);
  pv_thm some =
      pv_induct(prover, j, n, 0, &f, &base, &step, 1, pv_hyp(prover, pv_le(prover, zero, n)));
  pv_thm none = pv_zero(prover, pv_max(prover, n, k, x), pv_below_zero_is_none(prover, n));
  return pv_at_any_bound(prover, n, some, none);
}

/* 0 <= i, i < n:  f(i) <= max(k < n) f(k), which is the maximum up to i and that of the rest, the
 * first of which is f(i) */
pv_thm pv_derive_max_ge(pv *prover) {
  ck_id n = pv_int_var(prover, "n");
  ck_id i = pv_int_var(prover, "i");
  ck_id k = pv_int_var(prover, "k");
  ck_id zero = prover->zero;
  ck_id q = pv_sub(prover, pv_sub(prover, n, prover->one), i);
  ck_id q1 = pv_add(prover, q, prover->one);
  ck_id big = pv_add(prover, i, q1);
  ck_id fik = pv_apply(prover, "f", pv_add(prover, i, k));
  ck_id y = pv_real_var(prover, "y");
  ck_id w = pv_real_var(prover, "w");
  pv_thm h0 = pv_hyp(prover, pv_le(prover, zero, i));
  pv_thm h1 = pv_hyp(prover, pv_lt(prover, i, n));
  pv_thm q0 = pv_int(prover, pv_le(prover, zero, q), h1);
  pv_thm premises[2] = {h0, q0};
  pv_summand summand[2] = {{prover->one, &q0, 1}, {prover->one, NULL, 0}};
  pv_thm q10 = pv_arith(prover, pv_le(prover, zero, q1), summand, 2);
  pv_var_sub vars[2] = {{pv_int_var(prover, "m"), i}, {pv_int_var(prover, "q"), q}};
  pv_var_sub v1 = {n, q1};
  pv_var_sub v2[2] = {{y, pv_max(prover, i, k, pv_apply(prover, "f", k))},
                      {w, pv_max(prover, q1, k, fik)}};
  ck_fsub funs = pv_fun_sub(prover, "f", &k, fik);
  pv_thm cc = pv_use_lemma(prover, PV_MAX_CONCAT, vars, 2, NULL, 0, premises, 2);
  pv_thm first = pv_use_lemma(prover, PV_MAX_FIRST, &v1, 1, &funs, 1, &q10, 1);
  pv_thm two = pv_inst(prover, pv_prove_goal(prover, 0, pv_le(prover, w, pv_max2(prover, y, w))),
                       v2, 2, NULL, 0, NULL, 0);
  pv_thm en = pv_identity(prover, pv_eq(prover, n, big));
  pv_thm ei = pv_identity(prover, pv_eq(prover, i, pv_add(prover, i, zero)));
  ck_id all = pv_max(prover, n, k, pv_apply(prover, "f", k));
  pv_thm c = pv_cong(prover, all, pv_max(prover, big, k, pv_apply(prover, "f", k)), &en, 1);
  pv_thm fi = pv_cong(prover, pv_apply(prover, "f", i),
                      pv_apply(prover, "f", pv_add(prover, i, zero)), &ei, 1);
  pv_comb comb;
  pv_comb_init(&comb); /* f(i) = f(i+0) <= max of the rest <= max2 = max over i + q1 = max over n */
  pv_comb_add(&comb, prover->one, fi);
  pv_comb_add(&comb, prover->one, first);
  pv_comb_add(&comb, prover->one, two);
  pv_comb_add(&comb, pv_num(prover, -1), cc);
  pv_comb_add(&comb, pv_num(prover, -1), c);
  return pv_comb_prove(prover, &comb, pv_le(prover, pv_apply(prover, "f", i), all));
}

static ck_id bounded_at(pv *prover, ck_op rel, ck_id k, ck_id body, ck_id c, ck_id b) {
  return pv_rel(prover, rel, pv_max(prover, b, k, body), c);
}

/* max(k < n) body <= c from s: body <= c, or `<` from `<`; s may use 0 <= k and k < n; np: 0 < n */
pv_thm pv_max_le(pv *prover, ck_id n, ck_id k, ck_id body, ck_id c, pv_thm np, pv_thm thm) {
  ck_id zero = prover->zero;
  ck_id k_next = pv_add(prover, k, prover->one);
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_real_var(prover, "y");
  ck_id w = pv_real_var(prover, "w");
  ck_id f;
  pv_var_sub at0 = {k, zero};
  pv_thm premises[2] = {pv_zero_le_zero(prover), np};
  pv_thm k_nonneg = pv_hyp(prover, pv_le(prover, zero, k));
  pv_ctx ctx;
  if (thm == PV_NONE || np == PV_NONE)
    return PV_NONE;
  ck_op rel = ck_head(prover->terms, pv_says(prover, thm));
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, pv_inst(prover, thm, &at0, 1, NULL, 0, premises, 2));
  pv_comb_add(&comb, prover->one,
              pv_zero(prover, pv_max(prover, zero, k, body), pv_zero_le_zero(prover)));
  pv_thm base = pv_comb_prove(prover, &comb, bounded_at(prover, rel, k, body, c, zero));
  pv_thm assumed = pv_hyp(prover, bounded_at(prover, rel, k, body, c, k));
  pv_thm u = pv_succ(prover, pv_max(prover, k_next, k, body), k, k_nonneg);
  pv_thm n_nonneg;
  ctx = pv_ctx_push(prover, pv_ctx_push(prover, 0, pv_rel(prover, rel, y, x), CK_BAD),
                    pv_rel(prover, rel, w, x), CK_BAD);
  pv_thm two = pv_prove_goal(prover, ctx, pv_rel(prover, rel, pv_max2(prover, y, w), x));
  pv_thm both[2] = {assumed, thm};
  pv_var_sub vars[3] = {{x, c}, {y, pv_max(prover, k, k, body)}, {w, body}};
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, pv_inst(prover, two, vars, 3, NULL, 0, both, 2));
  pv_comb_add(&comb, prover->one, u);
  pv_thm step = pv_comb_prove(prover, &comb, bounded_at(prover, rel, k, body, c, k_next));
  n_nonneg = pv_scaled(prover, pv_le(prover, zero, n), prover->one, np);
  f = bounded_at(prover, rel, k, body, c, k);
  return pv_induct(prover, k, n, 0, &f, &base, &step, 1, n_nonneg);
}

/* 0 < n:  max(k < n) f(k) = max(k < n) f(n-1-k) */
pv_thm pv_derive_max_reverse(pv *prover) {
  ck_id n = pv_int_var(prover, "n");
  ck_id k = pv_int_var(prover, "k");
  ck_id i = pv_int_var(prover, "i");
  ck_id zero = prover->zero;
  ck_id r = pv_sub(prover, pv_sub(prover, n, prover->one), k);
  ck_id rr = pv_sub(prover, pv_sub(prover, n, prover->one), r);
  ck_id up = pv_max(prover, n, k, pv_apply(prover, "f", k));
  ck_id down = pv_max(prover, n, k, pv_apply(prover, "f", r));
  pv_thm np = pv_hyp(prover, pv_lt(prover, zero, n));
  pv_thm h0 = pv_hyp(prover, pv_le(prover, zero, k));
  pv_thm h1 = pv_hyp(prover, pv_lt(prover, k, n));
  pv_thm premises[2];
  premises[0] = pv_int(prover, pv_le(prover, zero, r), h1);
  pv_summand summand[2] = {{prover->one, &h0, 1}, {prover->one, NULL, 0}};
  premises[1] = pv_arith(prover, pv_lt(prover, r, n), summand, 2);
  pv_var_sub vars = {i, r};
  ck_fsub funs = pv_fun_sub(prover, "f", &k, pv_apply(prover, "f", r));
  pv_thm a = pv_use_lemma(prover, PV_MAX_GE, &vars, 1, NULL, 0, premises, 2);
  pv_thm b0 = pv_use_lemma(prover, PV_MAX_GE, &vars, 1, &funs, 1, premises, 2);
  pv_thm e = pv_identity(prover, pv_eq(prover, k, rr));
  pv_thm c = pv_cong(prover, pv_apply(prover, "f", k), pv_apply(prover, "f", rr), &e, 1);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, b0);
  pv_comb_add(&comb, prover->one, c);
  pv_thm thm = pv_comb_prove(prover, &comb, pv_le(prover, pv_apply(prover, "f", k), down));
  return pv_antisym(prover, pv_max_le(prover, n, k, pv_apply(prover, "f", k), down, np, thm),
                    pv_max_le(prover, n, k, pv_apply(prover, "f", r), up, np, a));
}

/* 0 < n, 0 < m:  max(i < n) max(k < m) f2(i, k) = max(k < m) max(i < n) f2(i, k): each element is
 * on both sides */
pv_thm pv_derive_max_swap(pv *prover) {
  ck_id b[2] = {pv_int_var(prover, "n"), pv_int_var(prover, "m")};
  ck_id v[2] = {pv_int_var(prover, "i0"), pv_int_var(prover, "k0")};
  ck_id f = ck_app(prover->terms, "f2", "ii:r", v, 2);
  ck_id side_of[2];
  pv_thm halves[2];
  pv_thm pos[2] = {pv_hyp(prover, pv_gt0(prover, b[0])), pv_hyp(prover, pv_gt0(prover, b[1]))};
  for (int i = 0; i < 2; i++)
    side_of[i] =
        pv_max(prover, b[i], v[i], pv_max(prover, b[1 - i], v[1 - i], f)); /* outer counter v[i] */
  for (int i = 0; i < 2; i++) {
    int o = 1 - i;
    ck_id inside = pv_max(prover, b[i], v[i], f); /* side o: outer v[o], inner in */
    pv_thm hyp[2][2];
    for (int j = 0; j < 2; j++) {
      hyp[j][0] = pv_hyp(prover, pv_ge0(prover, v[j]));
      hyp[j][1] = pv_hyp(prover, pv_lt(prover, v[j], b[j]));
    }
    pv_var_sub s1[2] = {{pv_int_var(prover, "n"), b[i]}, {pv_int_var(prover, "i"), v[i]}};
    pv_var_sub s2[2] = {{pv_int_var(prover, "n"), b[o]}, {pv_int_var(prover, "i"), v[o]}};
    ck_fsub f1 = pv_fun_sub(prover, "f", &v[i], f);
    ck_fsub f2 = pv_fun_sub(prover, "f", &v[o], inside);
    pv_thm a = pv_use_lemma(prover, PV_MAX_GE, s1, 2, &f1, 1, hyp[i], 2);
    pv_thm c =
        pv_use_lemma(prover, PV_MAX_GE, s2, 2, &f2, 1, hyp[o], 2); /* f <= in; in <= side o */
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, a);
    pv_comb_add(&comb, prover->one, c);
    pv_thm le = pv_comb_prove(prover, &comb, pv_le(prover, f, side_of[o]));
    pv_thm inner = pv_max_le(prover, b[o], v[o], f, side_of[o], pos[o], le);
    halves[i] =
        pv_max_le(prover, b[i], v[i], pv_max(prover, b[o], v[o], f), side_of[o], pos[i], inner);
  }
  return pv_antisym(prover, halves[0], halves[1]);
}
