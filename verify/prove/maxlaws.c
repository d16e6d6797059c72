/* Laws of maxima (folds whose step is ite(acc <= f, f, acc) and whose base is f at 0):
 * concatenation and tiling, by induction, from the associativity of the binary maximum, which the
 * case split proves. */
#include "pv_folds.h"

/* max over k < n of f(k) */
static ck_id mxf(pv *prover, ck_id n) {
  return pv_max(prover, n, pv_int_var(prover, "k"), pv_apply(prover, "f", pv_int_var(prover, "k")));
}

static ck_id mxs(pv *prover, ck_id n, ck_id m) {
  return pv_max(prover, n, pv_int_var(prover, "k"),
                pv_apply(prover, "f", pv_add(prover, m, pv_int_var(prover, "k"))));
} /* .. of f(m + k) */

/* s with its right side rewritten by the equations st */
pv_thm pv_then_rewrite(pv *prover, pv_thm thm, const pv_thm *st, uint32_t n) {
  ck_id from[4];
  if (thm == PV_NONE)
    return PV_NONE;
  for (uint32_t i = 0; i < n; i++) {
    if (st[i] == PV_NONE)
      return PV_NONE;
    from[i] = pv_left(prover, st[i]);
  }
  pv_eqn eqn = pv_rewrite(prover, pv_right(prover, thm), from, st, n);
  return pv_trans(prover, thm, eqn.by);
}

/* a = b because both are the same up to index arithmetic */
static pv_thm same_index(pv *prover, ck_id a, ck_id b) {
  if (a == b)
    return PV_REFL;
  pv_eqn x = pv_index_canon(prover, a);
  pv_eqn y = pv_index_canon(prover, b);
  if (x.by == PV_NONE || y.by == PV_NONE || x.to != y.to)
    return PV_NONE;
  return pv_trans(prover, x.by, pv_sym(prover, y.by));
}

pv_thm pv_max_same(pv *prover, ck_id a) {
  ck_id x = pv_real_var(prover, "x");
  pv_var_sub vars = {x, a};
  return pv_inst(prover, pv_prove_eq(prover, 0, pv_max2(prover, x, x), x, 0), &vars, 1, NULL, 0,
                 NULL, 0);
}

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
  base = pv_trans(prover, base,
                  same_index(prover, pv_right(prover, base), mxf(prover, pv_mul(prover, z1, T))));
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
  pv_thm mid = same_index(prover, pv_right(prover, left), pv_right(prover, cc));
  pv_thm last = same_index(prover, pv_left(prover, cc), mxf(prover, pv_mul(prover, j_after, T)));
  pv_thm step =
      pv_trans(prover, pv_trans(prover, pv_trans(prover, left, mid), pv_sym(prover, cc)), last);
  ck_id f = split_at(prover, g, T, j_next);
  pv_thm r = pv_induct(prover, j, G1, 0, &f, &base, &step, 1, g0);
  if (r == PV_NONE)
    return PV_NONE;
  return pv_trans(
      prover,
      pv_trans(prover, same_index(prover, max_of_tiles(prover, g, T, G), pv_left(prover, r)), r),
      same_index(prover, pv_right(prover, r), mxf(prover, pv_mul(prover, G, T))));
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
  pv_thm zero_le_zero = pv_by_value(prover, pv_le(prover, zero, zero));
  pv_thm assumed = pv_hyp(prover, through_at(prover, k, way, x, j));
  pv_thm l0 = pv_zero(prover, max_of_images(prover, k, way, x, zero), zero_le_zero);
  pv_thm r0 = pv_zero(prover, mxf(prover, zero), zero_le_zero);
  ck_id A = mxf(prover, j);
  ck_id from;
  pv_var_sub vars[2] = {{y, A}, {w, pv_apply(prover, "f", j)}};
  if (r0 == PV_NONE)
    return PV_NONE;
  from = pv_left(prover, r0);
  pv_eqn eqn = pv_rewrite(prover, pv_max_through_term(prover, way, x, from), &from, &r0, 1);
  pv_thm base = pv_trans(prover, l0, pv_sym(prover, eqn.by));
  pv_thm u = pv_succ(prover, max_of_images(prover, k, way, x, j_next), j, j_nonneg);
  pv_thm v = pv_succ(prover, mxf(prover, j_next), j, j_nonneg);
  pv_thm left = pv_trans(prover, pv_then_rewrite(prover, u, &assumed, 1),
                         pv_inst(prover, two, vars, 2, NULL, 0, NULL, 0));
  if (v == PV_NONE)
    return PV_NONE;
  from = pv_left(prover, v);
  eqn = pv_rewrite(prover, pv_max_through_term(prover, way, x, from), &from, &v, 1);
  pv_thm step = pv_trans(prover, left, pv_sym(prover, eqn.by));
  ck_id f = through_at(prover, k, way, x, j);
  return pv_induct(prover, j, n, 0, &f, &base, &step, 1, pv_hyp(prover, pv_le(prover, zero, n)));
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

pv_thm pv_max_first(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id n = ck_kid(prover->terms, term, 0);
  ck_id k;
  ck_id b;
  pv_thm n_nonneg = pv_follows(prover, ctx, pv_ge0(prover, n));
  pv_ctx_bind(prover, ctx, n, &k);
  b = pv_max_body(prover, term, k);
  ck_fsub funs = pv_fun_sub(prover, "f", &k, b);
  pv_var_sub vars = {pv_int_var(prover, "n"), n};
  return n_nonneg == PV_NONE ? PV_NONE
                             : pv_use_lemma(prover, PV_MAX_FIRST, &vars, 1, &funs, 1, &n_nonneg, 1);
}

/* min over k < n of body, base the body at 0 */
static ck_id mn(pv *prover, ck_id n, ck_id k, ck_id body) {
  ck_id acc = pv_real_var(prover, "$$acc");
  ck_id init = ck_sub(prover->terms, body, &k, &prover->zero, 1, NULL, 0);
  return pv_fold1(prover, n, init, k, acc,
                  ck_ite(prover->terms, pv_le(prover, acc, body), acc, body));
}

static ck_id min_to(pv *prover, ck_id k, ck_id f, ck_id b) {
  return mn(prover, b, k, f);
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

/* t = min over k < n of f (not yet normal), base init (normal): minus a maximum */
pv_eqn pv_min_as_max(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id init, ck_id k, ck_id f) {
  pv_eqn none = {term, PV_REFL};
  pv_eqn b0;
  ck_id lit = mn(prover, n, k, f);
  ck_id lit0 = ck_sub(prover->terms, f, &k, &prover->zero, 1, NULL, 0);
  pv_thm n_nonneg = pv_follows(prover, ctx, pv_ge0(prover, n));
  pv_thm thm = PV_REFL;
  if (n_nonneg == PV_NONE)
    return none;
  b0 = pv_norm(prover, ctx, lit0);
  if (b0.by == PV_NONE || b0.to != init)
    return none;
  if (b0.by != PV_REFL) {
    pv_thm back = pv_sym(prover, b0.by);
    thm = pv_cong(prover, term, lit, &back, 1);
  }
  ck_fsub funs = pv_fun_sub(prover, "f", &k, f);
  pv_var_sub vars = {pv_int_var(prover, "n"), n};
  thm = pv_trans(prover, thm, pv_use_lemma(prover, PV_MIN_MAX, &vars, 1, &funs, 1, &n_nonneg, 1));
  if (thm == PV_NONE)
    return none;
  pv_eqn eqn = {pv_right(prover, thm), thm};
  return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
}

/* max over k < n of b1 = max of b2, for polynomially equal bodies */
static pv_thm same_max(pv *prover, ck_id n, ck_id k, ck_id b1, ck_id b2) {
  ck_id acc = pv_real_var(prover, "$$acc");
  ck_id vars[2] = {k, acc};
  ck_id from = pv_max(prover, n, k, b1);
  ck_id init = ck_sub(prover->terms, b2, &k, &prover->zero, 1, NULL, 0);
  ck_id init1 = ck_sub(prover->terms, b1, &k, &prover->zero, 1, NULL, 0);
  if (b1 == b2)
    return PV_REFL;
  pv_thm e0 = init == init1 ? PV_REFL : pv_identity(prover, pv_eq(prover, init1, init));
  pv_thm e = pv_identity(prover, pv_eq(prover, b1, b2));
  pv_thm two[2] = {e, e};
  ck_id mid = pv_fold1(prover, n, init, k, acc, pv_max2(prover, acc, b1));
  pv_thm thm = e0 == PV_REFL ? PV_REFL : pv_cong(prover, from, mid, &e0, 1);
  pv_thm c = pv_cong(prover, pv_max2(prover, acc, b1), pv_max2(prover, acc, b2), two, 2);
  return pv_trans(prover, thm, pv_foldcong(prover, mid, pv_max(prover, n, k, b2), vars, 2, &c, 1));
}

/* body = c*in + out with c not negative, c and out free of k; false if that is trivial */
static bool pull_parts(pv *prover, pv_ctx ctx, ck_id k, ck_id body, ck_id *c, pv_thm *cpos,
                       ck_id *inside, ck_id *out) {
  pv_poly poly;
  pv_poly a;
  pv_poly b;
  ck_id fac[25];
  uint32_t n;
  pv_poly_init(&poly);
  pv_poly_init(&a);
  pv_poly_init(&b);
  pv_poly_read(prover, &poly, body);
  for (uint32_t i = 0; i < poly.count; i++) {
    bool dep = false;
    for (uint32_t j = 0; j < poly.monos[i].degree; j++)
      dep = dep || ck_has_var(prover->terms, poly.monos[i].atoms[j], k);
    pv_poly_add_mono(prover, dep ? &a : &b, poly.monos[i].coef, poly.monos[i].atoms,
                     poly.monos[i].degree);
  }
  *inside = pv_poly_term(prover, &a);
  *out = pv_poly_term(prover, &b);
  pv_poly_clear(&poly);
  pv_poly_clear(&a);
  pv_poly_clear(&b);
  if (pv_is_zero(prover, *inside))
    return false;
  n = pv_poly_content(prover, *inside, fac, 24);
  *c = prover->one;
  *cpos = pv_by_value(prover, pv_ge0(prover, prover->one));
  ck_id rest = CK_BAD;
  for (uint32_t i = 0; i < n; i++) {
    pv_thm g = PV_NONE;
    bool neg = false;
    if (pv_is_const(prover, fac[i])) {
      if (pv_const_sign(prover, fac[i]) < 0) {
        neg = true;
        fac[i] = pv_const_mul(prover, fac[i], pv_num(prover, -1));
      }
      g = pv_by_value(prover, pv_ge0(prover, fac[i]));
    } else if (!ck_has_var(prover->terms, fac[i], k)) {
      g = pv_nonneg(prover, ctx, fac[i]);
    }
    if (pv_is_one(prover, fac[i])) { /* the sign alone */
    } else if (g == PV_NONE) {
      rest = rest == CK_BAD ? fac[i] : pv_mul(prover, rest, fac[i]);
    } else {
      pv_thm pr[2] = {*cpos, g};
      pv_summand summand = {prover->one, pr, 2};
      *c = pv_mul(prover, *c, fac[i]);
      *cpos = pv_arith(prover, pv_ge0(prover, *c), &summand, 1);
    }
    if (neg)
      rest = rest == CK_BAD ? pv_num(prover, -1) : pv_neg(prover, rest);
  }
  if (n == 0 || pv_is_one(prover, *c) || *cpos == PV_NONE || rest == CK_BAD) {
    *c = prover->one;
  } else {
    ck_id r = pv_canon(prover, rest);
    if (pv_canon(prover, pv_mul(prover, *c, r)) != *inside)
      *c = prover->one; /* inverses would have to cancel: left alone */
    else
      *inside = r;
  }
  return !pv_is_zero(prover, *out) || !pv_is_one(prover, *c);
}

/* t = max over k < n of body, base init, all normal: constants come out */
static pv_eqn pull_max(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id init, ck_id k,
                       ck_id body) {
  pv_eqn none = {term, PV_REFL};
  ck_id c;
  ck_id inside;
  ck_id out;
  ck_id lit = pv_max(prover, n, k, body);
  ck_id lit0 = ck_sub(prover->terms, body, &k, &prover->zero, 1, NULL, 0);
  pv_thm cpos;
  pv_thm n_nonneg = pv_follows(prover, ctx, pv_ge0(prover, n));
  pv_thm thm = PV_REFL;
  if (n_nonneg == PV_NONE || !pull_parts(prover, ctx, k, body, &c, &cpos, &inside, &out))
    return none;
  pv_eqn b0 = pv_norm(prover, ctx, lit0);
  if (b0.by == PV_NONE || b0.to != init)
    return none;
  if (b0.by != PV_REFL) {
    pv_thm back = pv_sym(prover, b0.by);
    thm = pv_cong(prover, term, lit, &back, 1);
  }
  ck_id cin = pv_is_one(prover, c) ? inside : pv_mul(prover, c, inside);
  ck_id shape = pv_is_zero(prover, out) ? cin : pv_add(prover, cin, out);
  ck_id m = pv_max(prover, n, k, inside);
  ck_id res = m;
  thm = pv_trans(prover, thm, same_max(prover, n, k, body, shape));
  ck_fsub fun = pv_fun_sub(prover, "f", &k, cin);
  pv_var_sub vars[2] = {{pv_int_var(prover, "n"), n}, {pv_real_var(prover, "x"), out}};
  if (!pv_is_zero(prover, out))
    thm = pv_trans(prover, thm, pv_use_lemma(prover, PV_MAX_ADD, vars, 2, &fun, 1, &n_nonneg, 1));
  pv_comb comb;
  pv_comb_init(&comb); /* t = max(cin) + out;  max(cin) = c*m;  m = r.t */
  pv_comb_add(&comb, prover->one, thm);
  if (!pv_is_one(prover, c)) {
    pv_thm pr[2] = {n_nonneg, cpos};
    fun.body = inside;
    vars[1].term = c;
    pv_comb_add(&comb, prover->one, pv_use_lemma(prover, PV_MAX_SCALE, vars, 2, &fun, 1, pr, 2));
  }
  pv_eqn result = pv_norm(prover, ctx, m);
  if (result.by != PV_NONE) {
    pv_comb_add(&comb, c, result.by);
    res = result.to;
  }
  res = pv_add(prover, pv_mul(prover, c, res), out);
  pv_eqn eqn = {res, pv_comb_prove(prover, &comb, pv_eq(prover, term, res))};
  if (thm == PV_NONE || eqn.by == PV_NONE)
    return none;
  return pv_then(prover, eqn, pv_norm_poly(prover, ctx, res));
}

/* t = max over k < n of body (base init): body again a maximum, over t < T of f(k*T + t)? */
pv_eqn pv_join_max(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id init, ck_id k, ck_id body) {
  pv_eqn none = pull_max(prover, ctx, term, n, init, k, body);
  ck_id K = pv_int_var(prover, "$$K");
  ck_id f;
  ck_id u;
  ck_id tile;
  ck_id h;
  if (none.by != PV_REFL)
    return none;
  none = pv_range_max(prover, ctx, term, n, init, k, body);
  if (none.by != PV_REFL)
    return none;
  none = pv_monotone_max(prover, ctx, term, n, init, k, body);
  if (none.by != PV_REFL)
    return none;
  if (ck_head(prover->terms, body) != CK_FOLD || ck_width(prover->terms, body) != 1)
    return none;
  u = pv_int_var(prover, "$$u");
  ck_id vars[2] = {u, pv_real_var(prover, "$$acc")};
  ck_id step = ck_open(prover->terms, ck_kid(prover->terms, body, 2), vars, 2);
  if (ck_head(prover->terms, step) != CK_ITE)
    return none;
  f = ck_kid(prover->terms, step, 1);
  tile = ck_kid(prover->terms, body, 0);
  if (step != pv_max2(prover, vars[1], f) || ck_has_var(prover->terms, f, vars[1]) ||
      ck_has_var(prover->terms, tile, k))
    return none;
  ck_id with = pv_sub(prover, K, pv_mul(prover, k, tile));
  h = ck_sub(prover->terms, f, &u, &with, 1, NULL, 0);
  if (h == CK_BAD)
    return none;
  pv_eqn eqn = pv_index_canon(prover, h);
  if (eqn.by == PV_NONE || ck_has_var(prover->terms, eqn.to, k))
    return none;
  pv_thm premises[2] = {pv_follows(prover, ctx, pv_gt0(prover, n)),
                        pv_follows(prover, ctx, pv_gt0(prover, tile))};
  if (premises[0] == PV_NONE || premises[1] == PV_NONE)
    return none;
  pv_var_sub v[2] = {{pv_int_var(prover, "G"), n}, {pv_int_var(prover, "T"), tile}};
  ck_fsub funs = pv_fun_sub(prover, "f", &K, eqn.to);
  pv_thm thm = pv_use_lemma(prover, PV_MAX_SPLIT, v, 2, &funs, 1, premises, 2);
  if (thm == PV_NONE)
    return none;
  pv_thm a = same_index(prover, term, pv_left(prover, thm));
  pv_eqn result = {pv_right(prover, thm), pv_trans(prover, a, thm)};
  return result.by == PV_NONE ? none : pv_then(prover, result, pv_norm(prover, ctx, result.to));
}
