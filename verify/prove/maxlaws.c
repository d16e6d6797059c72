/* Laws of maxima (folds whose step is ite(acc <= f, f, acc) and whose base is f at 0):
 * concatenation and tiling, by induction, from the associativity of the binary maximum, which the
 * case split proves. */
#include "pv_folds.h"

/* max over k < n of f(k) */
static ck_id mxf(pv *p, ck_id n) {
  return pv_max(p, n, pv_int_var(p, "k"), pv_apply(p, "f", pv_int_var(p, "k")));
}

static ck_id mxs(pv *p, ck_id n, ck_id m) {
  return pv_max(p, n, pv_int_var(p, "k"), pv_apply(p, "f", pv_add(p, m, pv_int_var(p, "k"))));
} /* .. of f(m + k) */

/* s with its right side rewritten by the equations st */
pv_thm pv_then_rewrite(pv *p, pv_thm s, const pv_thm *st, uint32_t n) {
  ck_id from[4];
  if (s == PV_NONE)
    return PV_NONE;
  for (uint32_t i = 0; i < n; i++) {
    if (st[i] == PV_NONE)
      return PV_NONE;
    from[i] = pv_left(p, st[i]);
  }
  pv_eqn e = pv_rewrite(p, pv_right(p, s), from, st, n);
  return pv_trans(p, s, e.by);
}

/* a = b because both are the same up to index arithmetic */
static pv_thm same_index(pv *p, ck_id a, ck_id b) {
  if (a == b)
    return PV_REFL;
  pv_eqn x = pv_index_canon(p, a);
  pv_eqn y = pv_index_canon(p, b);
  if (x.by == PV_NONE || y.by == PV_NONE || x.to != y.to)
    return PV_NONE;
  return pv_trans(p, x.by, pv_sym(p, y.by));
}

pv_thm pv_max_same(pv *p, ck_id a) {
  ck_id x = pv_real_var(p, "x");
  pv_var_sub v = {x, a};
  return pv_inst(p, pv_prove_eq(p, 0, pv_max2(p, x, x), x, 0), &v, 1, NULL, 0, NULL, 0);
}

static pv_thm ge(pv *p, ck_id a, pv_thm s1, pv_thm s2,
                 bool one) /* 0 <= a, a the sum of what s1, s2 say (+ 1) */
{
  pv_comb b;
  pv_comb_init(&b);
  pv_comb_add(&b, p->one, s1);
  pv_comb_add(&b, p->one, s2);
  if (one) {
    pv_summand m = {p->one, NULL, 0};
    as_vec_push(&b.summands, &m);
  }
  return pv_comb_prove(p, &b, pv_ge0(p, a));
}

/* 0 <= m, 0 <= q:  max(k < m+(q+1)) f(k) = max2(max(k < m) f(k), max(k < q+1) f(m+k)) */
pv_thm pv_derive_max_concat(pv *p) {
  ck_id m = pv_int_var(p, "m");
  ck_id q = pv_int_var(p, "q");
  ck_id j = pv_int_var(p, "j");
  ck_id z = p->zero;
  ck_id j1 = pv_add(p, j, p->one);
  ck_id z1 = pv_add(p, z, p->one);
  ck_id mz = pv_add(p, m, z);
  ck_id A = mxf(p, m);
  pv_thm hm = pv_hyp(p, pv_le(p, z, m));
  pv_thm hj = pv_hyp(p, pv_le(p, z, j));
  pv_thm le0 = pv_by_value(p, pv_le(p, z, z));
#define LHS(x) mxf(p, pv_add(p, m, x))
#define F(x1) pv_eq(p, LHS(x1), pv_max2(p, A, mxs(p, x1, m)))
  /* base: both are max2(A, f(m)) */
  pv_thm l = pv_succ(p, LHS(z1), m, hm);
  pv_thm b = pv_succ(p, mxs(p, z1, m), z, le0);
  pv_thm c0 = pv_zero(p, mxs(p, z, m), le0);
  pv_thm r0 = pv_identity(p, pv_eq(p, mz, m));
  pv_thm fm = pv_cong(p, pv_apply(p, "f", mz), pv_apply(p, "f", m), &r0, 1);
  pv_thm bw =
      pv_trans(p, pv_trans(p, pv_then_rewrite(p, b, &c0, 1), pv_max_same(p, pv_apply(p, "f", mz))),
               fm); /* max(k < 0+1) f(m+k) = f(m) */
  pv_thm back = pv_sym(p, bw);
  if (l == PV_NONE || back == PV_NONE)
    return PV_NONE;
  ck_id rhs = pv_max2(p, A, mxs(p, z1, m));
  ck_id from = mxs(p, z1, m);
  pv_eqn e = pv_rewrite(p, rhs, &from, &bw, 1);
  pv_thm base = pv_trans(p, l, pv_sym(p, e.by));
  /* step */
  ck_id j2 = pv_add(p, j1, p->one);
  ck_id mj = pv_add(p, m, j1);
  pv_thm ih = pv_hyp(p, F(j1));
  pv_thm u = pv_succ(p, LHS(j2), mj, ge(p, mj, hm, hj, true));
  pv_thm v = pv_succ(p, mxs(p, j2, m), j1, ge(p, j1, hj, PV_REFL, true));
  pv_thm left = pv_then_rewrite(p, u, &ih, 1); /* max2(max2(A, I), f(m+j+1)) */
  ck_id x = pv_real_var(p, "x");
  ck_id y = pv_real_var(p, "y");
  ck_id w = pv_real_var(p, "w");
  pv_thm assoc =
      pv_prove_eq(p, 0, pv_max2(p, pv_max2(p, x, y), w), pv_max2(p, x, pv_max2(p, y, w)), 0);
  pv_var_sub vs[3] = {{x, A}, {y, mxs(p, j1, m)}, {w, pv_apply(p, "f", mj)}};
  pv_thm as = pv_inst(p, assoc, vs, 3, NULL, 0, NULL, 0);
  if (v == PV_NONE)
    return PV_NONE;
  from = mxs(p, j2, m);
  e = pv_rewrite(p, pv_max2(p, A, from), &from, &v, 1);
  pv_thm step = pv_trans(p, pv_trans(p, left, as), pv_sym(p, e.by));
  /* F(q) over q+1 */
  ck_id f = F(j1);
  return pv_induct(p, j, q, 0, &f, &base, &step, 1, pv_hyp(p, pv_le(p, z, q)));
#undef F
#undef LHS
}

/* 0 < G, 0 < T:  max(g < G) max(t < T) f(g*T + t) = max(k < G*T) f(k) */
pv_thm pv_derive_max_split(pv *p) {
  ck_id G = pv_int_var(p, "G");
  ck_id T = pv_int_var(p, "T");
  ck_id j = pv_int_var(p, "j");
  ck_id g = pv_int_var(p, "g");
  ck_id z = p->zero;
  ck_id j1 = pv_add(p, j, p->one);
  ck_id j2 = pv_add(p, j1, p->one);
  ck_id z1 = pv_add(p, z, p->one);
  ck_id G1 = pv_sub(p, G, p->one);
  ck_id T1 = pv_sub(p, T, p->one);
  pv_thm hG = pv_hyp(p, pv_lt(p, z, G));
  pv_thm hT = pv_hyp(p, pv_lt(p, z, T));
  pv_thm hj = pv_hyp(p, pv_le(p, z, j));
  pv_thm le0 = pv_by_value(p, pv_le(p, z, z));
  pv_thm g0 = pv_int(p, pv_le(p, z, G1), hG);
  pv_thm t0 = pv_int(p, pv_le(p, z, T1), hT);
#define INN(x) mxs(p, T, pv_mul(p, x, T))
#define OUT(x) pv_max(p, x, g, INN(g))
#define F(x1) pv_eq(p, OUT(x1), mxf(p, pv_mul(p, x1, T)))
  pv_thm b = pv_succ(p, OUT(z1), z, le0);
  pv_thm c0 = pv_zero(p, OUT(z), le0);
  if (c0 == PV_NONE)
    return PV_NONE;
  pv_thm base = pv_trans(p, pv_then_rewrite(p, b, &c0, 1), pv_max_same(p, pv_right(p, c0)));
  if (base == PV_NONE)
    return PV_NONE;
  base = pv_trans(p, base, same_index(p, pv_right(p, base), mxf(p, pv_mul(p, z1, T))));
  /* step */
  ck_id m = pv_mul(p, j1, T);
  pv_thm ih = pv_hyp(p, F(j1));
  pv_thm u = pv_succ(p, OUT(j2), j1, ge(p, j1, hj, PV_REFL, true));
  pv_thm left = pv_then_rewrite(p, u, &ih, 1);
  pv_thm m0;
  {
    pv_comb s;
    pv_comb_init(&s);
    pv_comb_add_product(&s, p->one, hj, hT);
    pv_comb_add(&s, p->one, hT);
    m0 = pv_comb_prove(p, &s, pv_le(p, z, m));
  }
  pv_var_sub vs[2] = {{pv_int_var(p, "m"), m}, {pv_int_var(p, "q"), T1}};
  pv_thm prem[2] = {m0, t0};
  pv_thm cc = pv_use_lemma(p, PV_MAX_CONCAT, vs, 2, NULL, 0, prem, 2);
  if (left == PV_NONE || cc == PV_NONE)
    return PV_NONE;
  pv_thm mid = same_index(p, pv_right(p, left), pv_right(p, cc));
  pv_thm last = same_index(p, pv_left(p, cc), mxf(p, pv_mul(p, j2, T)));
  pv_thm step = pv_trans(p, pv_trans(p, pv_trans(p, left, mid), pv_sym(p, cc)), last);
  ck_id f = F(j1);
  pv_thm r = pv_induct(p, j, G1, 0, &f, &base, &step, 1, g0);
  if (r == PV_NONE)
    return PV_NONE;
  return pv_trans(p, pv_trans(p, same_index(p, OUT(G), pv_left(p, r)), r),
                  same_index(p, pv_right(p, r), mxf(p, pv_mul(p, G, T))));
#undef INN
#undef OUT
#undef F
}

/* f, g: values of which one law on binary maxima makes one law on folds: max(n, F(f)) = F(max(n,
 * f)) for F = (. + x) or (x * .) */
/* through(a): a + x, x * a with 0 <= x, exp a, the larger of a and 0, the smaller of a and 0: none
 * turns the order around */
ck_id pv_max_through_term(pv *p, pv_max_way way, ck_id x, ck_id a) {
  ck_id m = pv_neg(p, a);
  ck_id z = p->zero;
  switch (way) {
  case PV_THROUGH_ADD:
    return pv_add(p, a, x);
  case PV_THROUGH_SCALE:
    return pv_mul(p, x, a);
  case PV_THROUGH_EXP:
    return pv_exp(p, a);
  case PV_THROUGH_RELU:
    return ck_ite(p->terms, pv_le(p, z, a), a, z);
  default:
    return pv_neg(p, ck_ite(p->terms, pv_le(p, z, m), m, z));
  }
}

/* max2(exp y, exp w) = exp(max2(y, w)): exp y <= exp w where y <= w, by exp w = exp y * exp(w - y)
 * >= exp y * (1 + w - y) */
static pv_thm exp_of_max(pv *p, ck_id y, ck_id w) {
  ck_id le = pv_le(p, y, w);
  ck_id nle = ck_neg(p->terms, le);
  ck_id ey = pv_exp(p, y);
  ck_id ew = pv_exp(p, w);
  ck_id L = pv_max2(p, ey, ew);
  ck_id M = pv_max2(p, y, w);
  ck_id R = pv_exp(p, M);
  ck_id goal = pv_eq(p, L, R);
  pv_thm res[2];
  for (int i = 0; i < 2; i++) { /* i: w < y */
    ck_id a = i ? w : y;
    ck_id b = i ? y : w;
    ck_id ea = i ? ew : ey;
    ck_id eb = i ? ey : ew;
    ck_id d = pv_sub(p, b, a);
    ck_id ad = pv_add(p, a, d);
    ck_id two[2] = {a, d};
    pv_var_sub v = {pv_real_var(p, "x"), a};
    pv_thm h = pv_hyp(p, i ? nle : le);
    pv_thm pos = pv_use_lemma(p, PV_EXP_POS, &v, 1, NULL, 0, NULL, 0);
    pv_thm plus = pv_law(p, "exp+", two, 2, PV_NONE);
    pv_thm arg = pv_identity(p, pv_eq(p, ad, b));
    pv_thm c = pv_cong(p, pv_exp(p, ad), eb, &arg, 1);
    pv_thm gt = pv_law(p, "exp>", &d, 1, PV_NONE);
    pv_comb s;
    pv_comb_init(&s); /* eb - ea = ea*(exp d - 1 - d) + ea*d */
    pv_comb_add_product(&s, p->one, pos, gt);
    pv_comb_add_product(&s, p->one, pos, h);
    pv_comb_add(&s, pv_num(p, -1), plus);
    pv_comb_add(&s, p->one, c);
    pv_thm ord = pv_comb_prove(p, &s, i ? pv_lt(p, ea, eb) : pv_le(p, ea, eb));
    pv_thm l = pv_law(p, i ? "ite0" : "ite1", &L, 1, ord);
    pv_thm m = pv_law(p, i ? "ite0" : "ite1", &M, 1, h);
    pv_thm e = m == PV_NONE ? PV_NONE : pv_cong(p, R, eb, &m, 1);
    res[i] = pv_trans(p, l, pv_sym(p, e));
    if (res[i] != PV_NONE && pv_says(p, res[i]) != goal)
      res[i] = PV_NONE;
  }
  return pv_cases(p, le, res[0], res[1]);
}

static pv_thm max_through(pv *p, pv_max_way way) {
  ck_id n = pv_int_var(p, "n");
  ck_id j = pv_int_var(p, "j");
  ck_id k = pv_int_var(p, "k");
  ck_id x = pv_real_var(p, "x");
  ck_id y = pv_real_var(p, "y");
  ck_id w = pv_real_var(p, "w");
  ck_id z = p->zero;
  ck_id j1 = pv_add(p, j, p->one);
#define FX(a) pv_max_through_term(p, way, x, a)
#define LHS(b) pv_max(p, b, k, FX(pv_apply(p, "f", k)))
#define F(b) pv_eq(p, LHS(b), FX(mxf(p, b)))
  pv_ctx cx = way == PV_THROUGH_SCALE ? pv_ctx_push(p, 0, pv_le(p, z, x), CK_BAD) : 0;
  pv_thm two = way == PV_THROUGH_EXP
                   ? exp_of_max(p, y, w)
                   : pv_prove_eq(p, cx, pv_max2(p, FX(y), FX(w)), FX(pv_max2(p, y, w)), 0);
  pv_thm hj = pv_hyp(p, pv_le(p, z, j));
  pv_thm le0 = pv_by_value(p, pv_le(p, z, z));
  pv_thm ih = pv_hyp(p, F(j));
  pv_thm l0 = pv_zero(p, LHS(z), le0);
  pv_thm r0 = pv_zero(p, mxf(p, z), le0);
  ck_id A = mxf(p, j);
  ck_id from;
  pv_var_sub vs[2] = {{y, A}, {w, pv_apply(p, "f", j)}};
  if (r0 == PV_NONE)
    return PV_NONE;
  from = pv_left(p, r0);
  pv_eqn e = pv_rewrite(p, FX(from), &from, &r0, 1);
  pv_thm base = pv_trans(p, l0, pv_sym(p, e.by));
  pv_thm u = pv_succ(p, LHS(j1), j, hj);
  pv_thm v = pv_succ(p, mxf(p, j1), j, hj);
  pv_thm left =
      pv_trans(p, pv_then_rewrite(p, u, &ih, 1), pv_inst(p, two, vs, 2, NULL, 0, NULL, 0));
  if (v == PV_NONE)
    return PV_NONE;
  from = pv_left(p, v);
  e = pv_rewrite(p, FX(from), &from, &v, 1);
  pv_thm step = pv_trans(p, left, pv_sym(p, e.by));
  ck_id f = F(j);
  return pv_induct(p, j, n, 0, &f, &base, &step, 1, pv_hyp(p, pv_le(p, z, n)));
#undef FX
#undef LHS
#undef F
}

pv_thm pv_derive_max_add(pv *p) {
  return max_through(p, PV_THROUGH_ADD);
}

pv_thm pv_derive_max_scale(pv *p) {
  return max_through(p, PV_THROUGH_SCALE);
}

pv_thm pv_derive_max_exp(pv *p) {
  return max_through(p, PV_THROUGH_EXP);
}

pv_thm pv_derive_max_relu(pv *p) {
  return max_through(p, PV_THROUGH_RELU);
}

pv_thm pv_derive_max_nrelu(pv *p) {
  return max_through(p, PV_THROUGH_NRELU);
}

/* 0 <= n:  f(0) <= max(k < n) f(k) */
pv_thm pv_derive_max_first(pv *p) {
  ck_id n = pv_int_var(p, "n");
  ck_id j = pv_int_var(p, "j");
  ck_id z = p->zero;
  ck_id j1 = pv_add(p, j, p->one);
  ck_id y = pv_real_var(p, "y");
  ck_id w = pv_real_var(p, "w");
  ck_id f0 = pv_apply(p, "f", z);
#define F(b) pv_le(p, f0, mxf(p, b))
  pv_thm hj = pv_hyp(p, pv_le(p, z, j));
  pv_thm le0 = pv_by_value(p, pv_le(p, z, z));
  pv_thm ih = pv_hyp(p, F(j));
  pv_thm base = pv_scaled(p, F(z), pv_num(p, -1), pv_zero(p, mxf(p, z), le0));
  pv_thm two = pv_prove_goal(p, 0, pv_le(p, y, pv_max2(p, y, w)));
  pv_thm u = pv_succ(p, mxf(p, j1), j, hj);
  pv_var_sub vs[2] = {{y, mxf(p, j)}, {w, pv_apply(p, "f", j)}};
  pv_comb b;
  pv_comb_init(&b); /* f0 <= max up to j <= max2 of that and f(j) = max up to j+1 */
  pv_comb_add(&b, p->one, ih);
  pv_comb_add(&b, p->one, pv_inst(p, two, vs, 2, NULL, 0, NULL, 0));
  pv_comb_add(&b, pv_num(p, -1), u);
  pv_thm step = pv_comb_prove(p, &b, F(j1));
  ck_id f = F(j);
  return pv_induct(p, j, n, 0, &f, &base, &step, 1, pv_hyp(p, pv_le(p, z, n)));
#undef F
}

pv_thm pv_max_first(pv *p, pv_ctx cx, ck_id t) {
  ck_id n = ck_kid(p->terms, t, 0);
  ck_id k;
  ck_id b;
  pv_thm n0 = pv_follows(p, cx, pv_ge0(p, n));
  pv_ctx_bind(p, cx, n, &k);
  b = pv_max_body(p, t, k);
  ck_fsub fs = pv_fun_sub(p, "f", &k, b);
  pv_var_sub v = {pv_int_var(p, "n"), n};
  return n0 == PV_NONE ? PV_NONE : pv_use_lemma(p, PV_MAX_FIRST, &v, 1, &fs, 1, &n0, 1);
}

/* min over k < n of body, base the body at 0 */
static ck_id mn(pv *p, ck_id n, ck_id k, ck_id body) {
  ck_id acc = pv_real_var(p, "$$acc");
  ck_id init = ck_sub(p->terms, body, &k, &p->zero, 1, NULL, 0);
  return pv_fold1(p, n, init, k, acc, ck_ite(p->terms, pv_le(p, acc, body), acc, body));
}

/* 0 <= n:  min(k < n) f(k) = -max(k < n) -f(k) */
pv_thm pv_derive_min_max(pv *p) {
  ck_id n = pv_int_var(p, "n");
  ck_id j = pv_int_var(p, "j");
  ck_id k = pv_int_var(p, "k");
  ck_id y = pv_real_var(p, "y");
  ck_id w = pv_real_var(p, "w");
  ck_id z = p->zero;
  ck_id j1 = pv_add(p, j, p->one);
  ck_id f = pv_apply(p, "f", k);
  ck_id from;
#define LO(b) mn(p, b, k, f)
#define HI(b) pv_max(p, b, k, pv_neg(p, f))
#define F(b) pv_eq(p, LO(b), pv_neg(p, HI(b)))
  pv_thm two = pv_prove_eq(p, 0, ck_ite(p->terms, pv_le(p, pv_neg(p, y), w), pv_neg(p, y), w),
                           pv_neg(p, pv_max2(p, y, pv_neg(p, w))), 0);
  pv_thm hj = pv_hyp(p, pv_le(p, z, j));
  pv_thm le0 = pv_by_value(p, pv_le(p, z, z));
  pv_thm ih = pv_hyp(p, F(j));
  pv_thm l0 = pv_zero(p, LO(z), le0);
  pv_thm r0 = pv_zero(p, HI(z), le0);
  pv_comb b;
  pv_comb_init(&b);
  pv_comb_add(&b, p->one, l0);
  pv_comb_add(&b, p->one, r0);
  pv_thm base = pv_comb_prove(p, &b, F(z));
  pv_thm u = pv_succ(p, LO(j1), j, hj);
  pv_thm v = pv_succ(p, HI(j1), j, hj);
  pv_var_sub vs[2] = {{y, HI(j)}, {w, pv_apply(p, "f", j)}};
  pv_thm left =
      pv_trans(p, pv_then_rewrite(p, u, &ih, 1), pv_inst(p, two, vs, 2, NULL, 0, NULL, 0));
  if (v == PV_NONE)
    return PV_NONE;
  from = pv_left(p, v);
  pv_eqn e = pv_rewrite(p, pv_neg(p, from), &from, &v, 1);
  pv_thm step = pv_trans(p, left, pv_sym(p, e.by));
  ck_id g = F(j);
  return pv_induct(p, j, n, 0, &g, &base, &step, 1, pv_hyp(p, pv_le(p, z, n)));
#undef LO
#undef HI
#undef F
}

/* t = min over k < n of f (not yet normal), base init (normal): minus a maximum */
pv_eqn pv_min_as_max(pv *p, pv_ctx cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id f) {
  pv_eqn none = {t, PV_REFL};
  pv_eqn b0;
  ck_id lit = mn(p, n, k, f);
  ck_id lit0 = ck_sub(p->terms, f, &k, &p->zero, 1, NULL, 0);
  pv_thm n0 = pv_follows(p, cx, pv_ge0(p, n));
  pv_thm s = PV_REFL;
  if (n0 == PV_NONE)
    return none;
  b0 = pv_norm(p, cx, lit0);
  if (b0.by == PV_NONE || b0.to != init)
    return none;
  if (b0.by != PV_REFL) {
    pv_thm back = pv_sym(p, b0.by);
    s = pv_cong(p, t, lit, &back, 1);
  }
  ck_fsub fs = pv_fun_sub(p, "f", &k, f);
  pv_var_sub v = {pv_int_var(p, "n"), n};
  s = pv_trans(p, s, pv_use_lemma(p, PV_MIN_MAX, &v, 1, &fs, 1, &n0, 1));
  if (s == PV_NONE)
    return none;
  pv_eqn e = {pv_right(p, s), s};
  return pv_then(p, e, pv_norm(p, cx, e.to));
}

/* max over k < n of b1 = max of b2, for polynomially equal bodies */
static pv_thm same_max(pv *p, ck_id n, ck_id k, ck_id b1, ck_id b2) {
  ck_id acc = pv_real_var(p, "$$acc");
  ck_id vars[2] = {k, acc};
  ck_id from = pv_max(p, n, k, b1);
  ck_id init = ck_sub(p->terms, b2, &k, &p->zero, 1, NULL, 0);
  ck_id init1 = ck_sub(p->terms, b1, &k, &p->zero, 1, NULL, 0);
  if (b1 == b2)
    return PV_REFL;
  pv_thm e0 = init == init1 ? PV_REFL : pv_identity(p, pv_eq(p, init1, init));
  pv_thm e = pv_identity(p, pv_eq(p, b1, b2));
  pv_thm two[2] = {e, e};
  ck_id mid = pv_fold1(p, n, init, k, acc, pv_max2(p, acc, b1));
  pv_thm s = e0 == PV_REFL ? PV_REFL : pv_cong(p, from, mid, &e0, 1);
  pv_thm c = pv_cong(p, pv_max2(p, acc, b1), pv_max2(p, acc, b2), two, 2);
  return pv_trans(p, s, pv_foldcong(p, mid, pv_max(p, n, k, b2), vars, 2, &c, 1));
}

/* body = c*in + out with c not negative, c and out free of k; false if that is trivial */
static bool pull_parts(pv *p, pv_ctx cx, ck_id k, ck_id body, ck_id *c, pv_thm *cpos, ck_id *in,
                       ck_id *out) {
  pv_poly f;
  pv_poly a;
  pv_poly b;
  ck_id fac[25];
  uint32_t n;
  pv_poly_init(&f);
  pv_poly_init(&a);
  pv_poly_init(&b);
  pv_poly_read(p, &f, body);
  for (uint32_t i = 0; i < f.count; i++) {
    bool dep = false;
    for (uint32_t j = 0; j < f.monos[i].degree; j++)
      dep = dep || ck_has_var(p->terms, f.monos[i].atoms[j], k);
    pv_poly_add_mono(p, dep ? &a : &b, f.monos[i].coef, f.monos[i].atoms, f.monos[i].degree);
  }
  *in = pv_poly_term(p, &a);
  *out = pv_poly_term(p, &b);
  pv_poly_clear(&f);
  pv_poly_clear(&a);
  pv_poly_clear(&b);
  if (pv_is_zero(p, *in))
    return false;
  n = pv_poly_content(p, *in, fac, 24);
  *c = p->one;
  *cpos = pv_by_value(p, pv_ge0(p, p->one));
  ck_id rest = CK_BAD;
  for (uint32_t i = 0; i < n; i++) {
    pv_thm g = PV_NONE;
    bool neg = false;
    if (pv_is_const(p, fac[i])) {
      if (pv_const_sign(p, fac[i]) < 0) {
        neg = true;
        fac[i] = pv_const_mul(p, fac[i], pv_num(p, -1));
      }
      g = pv_by_value(p, pv_ge0(p, fac[i]));
    } else if (!ck_has_var(p->terms, fac[i], k)) {
      g = pv_nonneg(p, cx, fac[i]);
    }
    if (pv_is_one(p, fac[i])) { /* the sign alone */
    } else if (g == PV_NONE) {
      rest = rest == CK_BAD ? fac[i] : pv_mul(p, rest, fac[i]);
    } else {
      pv_thm pr[2] = {*cpos, g};
      pv_summand m = {p->one, pr, 2};
      *c = pv_mul(p, *c, fac[i]);
      *cpos = pv_arith(p, pv_ge0(p, *c), &m, 1);
    }
    if (neg)
      rest = rest == CK_BAD ? pv_num(p, -1) : pv_neg(p, rest);
  }
  if (n == 0 || pv_is_one(p, *c) || *cpos == PV_NONE || rest == CK_BAD) {
    *c = p->one;
  } else {
    ck_id r = pv_canon(p, rest);
    if (pv_canon(p, pv_mul(p, *c, r)) != *in)
      *c = p->one; /* inverses would have to cancel: left alone */
    else
      *in = r;
  }
  return !pv_is_zero(p, *out) || !pv_is_one(p, *c);
}

/* t = max over k < n of body, base init, all normal: constants come out */
static pv_eqn pull_max(pv *p, pv_ctx cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body) {
  pv_eqn none = {t, PV_REFL};
  ck_id c;
  ck_id in;
  ck_id out;
  ck_id lit = pv_max(p, n, k, body);
  ck_id lit0 = ck_sub(p->terms, body, &k, &p->zero, 1, NULL, 0);
  pv_thm cpos;
  pv_thm n0 = pv_follows(p, cx, pv_ge0(p, n));
  pv_thm s = PV_REFL;
  if (n0 == PV_NONE || !pull_parts(p, cx, k, body, &c, &cpos, &in, &out))
    return none;
  pv_eqn b0 = pv_norm(p, cx, lit0);
  if (b0.by == PV_NONE || b0.to != init)
    return none;
  if (b0.by != PV_REFL) {
    pv_thm back = pv_sym(p, b0.by);
    s = pv_cong(p, t, lit, &back, 1);
  }
  ck_id cin = pv_is_one(p, c) ? in : pv_mul(p, c, in);
  ck_id shape = pv_is_zero(p, out) ? cin : pv_add(p, cin, out);
  ck_id m = pv_max(p, n, k, in);
  ck_id res = m;
  s = pv_trans(p, s, same_max(p, n, k, body, shape));
  ck_fsub f = pv_fun_sub(p, "f", &k, cin);
  pv_var_sub v[2] = {{pv_int_var(p, "n"), n}, {pv_real_var(p, "x"), out}};
  if (!pv_is_zero(p, out))
    s = pv_trans(p, s, pv_use_lemma(p, PV_MAX_ADD, v, 2, &f, 1, &n0, 1));
  pv_comb b;
  pv_comb_init(&b); /* t = max(cin) + out;  max(cin) = c*m;  m = r.t */
  pv_comb_add(&b, p->one, s);
  if (!pv_is_one(p, c)) {
    pv_thm pr[2] = {n0, cpos};
    f.body = in;
    v[1].term = c;
    pv_comb_add(&b, p->one, pv_use_lemma(p, PV_MAX_SCALE, v, 2, &f, 1, pr, 2));
  }
  pv_eqn r = pv_norm(p, cx, m);
  if (r.by != PV_NONE) {
    pv_comb_add(&b, c, r.by);
    res = r.to;
  }
  res = pv_add(p, pv_mul(p, c, res), out);
  pv_eqn e = {res, pv_comb_prove(p, &b, pv_eq(p, t, res))};
  if (s == PV_NONE || e.by == PV_NONE)
    return none;
  return pv_then(p, e, pv_norm_poly(p, cx, res));
}

/* t = max over k < n of body (base init): body again a maximum, over t < T of f(k*T + t)? */
pv_eqn pv_join_max(pv *p, pv_ctx cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body) {
  pv_eqn none = pull_max(p, cx, t, n, init, k, body);
  ck_id K = pv_int_var(p, "$$K");
  ck_id f;
  ck_id u;
  ck_id Tn;
  ck_id h;
  if (none.by != PV_REFL)
    return none;
  none = pv_range_max(p, cx, t, n, init, k, body);
  if (none.by != PV_REFL)
    return none;
  none = pv_monotone_max(p, cx, t, n, init, k, body);
  if (none.by != PV_REFL)
    return none;
  if (ck_head(p->terms, body) != CK_FOLD || ck_width(p->terms, body) != 1)
    return none;
  u = pv_int_var(p, "$$u");
  ck_id vars[2] = {u, pv_real_var(p, "$$acc")};
  ck_id step = ck_open(p->terms, ck_kid(p->terms, body, 2), vars, 2);
  if (ck_head(p->terms, step) != CK_ITE)
    return none;
  f = ck_kid(p->terms, step, 1);
  Tn = ck_kid(p->terms, body, 0);
  if (step != pv_max2(p, vars[1], f) || ck_has_var(p->terms, f, vars[1]) ||
      ck_has_var(p->terms, Tn, k))
    return none;
  ck_id with = pv_sub(p, K, pv_mul(p, k, Tn));
  h = ck_sub(p->terms, f, &u, &with, 1, NULL, 0);
  if (h == CK_BAD)
    return none;
  pv_eqn e = pv_index_canon(p, h);
  if (e.by == PV_NONE || ck_has_var(p->terms, e.to, k))
    return none;
  pv_thm prem[2] = {pv_follows(p, cx, pv_gt0(p, n)), pv_follows(p, cx, pv_gt0(p, Tn))};
  if (prem[0] == PV_NONE || prem[1] == PV_NONE)
    return none;
  pv_var_sub v[2] = {{pv_int_var(p, "G"), n}, {pv_int_var(p, "T"), Tn}};
  ck_fsub fs = pv_fun_sub(p, "f", &K, e.to);
  pv_thm s = pv_use_lemma(p, PV_MAX_SPLIT, v, 2, &fs, 1, prem, 2);
  if (s == PV_NONE)
    return none;
  pv_thm a = same_index(p, t, pv_left(p, s));
  pv_eqn r = {pv_right(p, s), pv_trans(p, a, s)};
  return r.by == PV_NONE ? none : pv_then(p, r, pv_norm(p, cx, r.to));
}
