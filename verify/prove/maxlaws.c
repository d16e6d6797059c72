/* Laws of maxima (folds whose step is ite(acc <= f, f, acc) and whose base is f at 0):
 * concatenation and tiling, by induction, from the associativity of the binary maximum, which the
 * case split proves. */
#include "pv.h"

static ck_id iv(pv *p, const char *s) {
  return ck_var(p->T, s, 'i');
}

static ck_id fat(pv *p, ck_id a) {
  return a == CK_BAD ? CK_BAD : ck_app(p->T, "f", "i:r", &a, 1);
}

/* max over k < n of body, base the body at 0 */
ck_id mx_term(pv *p, ck_id n, ck_id k, ck_id body) {
  ck_id acc = ck_var(p->T, "$$acc", 'r');
  ck_id init = ck_sub(p->T, body, &k, &p->zero, 1, NULL, 0);
  return t_fold1(p, n, init, k, acc, t_max2(p, acc, body));
}

/* max over k < n of f(k) */
static ck_id mxf(pv *p, ck_id n) {
  return mx_term(p, n, iv(p, "k"), fat(p, iv(p, "k")));
}

static ck_id mxs(pv *p, ck_id n, ck_id m) {
  return mx_term(p, n, iv(p, "k"), fat(p, t_add(p, m, iv(p, "k"))));
} /* .. of f(m + k) */

/* s with its right side rewritten by the equations st */
uint32_t eq_then_by(pv *p, uint32_t s, const uint32_t *st, uint32_t n) {
  ck_id from[4];
  if (s == NO)
    return NO;
  for (uint32_t i = 0; i < n; i++) {
    if (st[i] == NO)
      return NO;
    from[i] = lhs_of(p, st[i]);
  }
  eqn e = rewrite(p, rhs_of(p, s), from, st, n);
  return eq_trans(p, s, e.s);
}

/* a = b because both are the same up to index arithmetic */
static uint32_t same_index(pv *p, ck_id a, ck_id b) {
  if (a == b)
    return REFL;
  eqn x = icanon(p, a);
  eqn y = icanon(p, b);
  if (x.s == NO || y.s == NO || x.t != y.t)
    return NO;
  return eq_trans(p, x.s, eq_sym(p, y.s));
}

uint32_t mx_same(pv *p, ck_id a) {
  ck_id x = ck_var(p->T, "x", 'r');
  ck_vsub v = {x, a};
  return r_inst(p, prove_eq(p, 0, t_max2(p, x, x), x, 0), &v, 1, NULL, 0, NULL, 0);
}

static uint32_t ge(pv *p, ck_id a, uint32_t s1, uint32_t s2,
                   bool one) /* 0 <= a, a the sum of what s1, s2 say (+ 1) */
{
  by b;
  by_start(&b);
  by_add(&b, p->one, s1);
  by_add(&b, p->one, s2);
  if (one) {
    ck_summand m = {p->one, NULL, 0};
    as_vec_push(&b.sum, &m);
  }
  return by_end(p, &b, t_rel(p, CK_LE, p->zero, a));
}

/* 0 <= m, 0 <= q:  max(k < m+(q+1)) f(k) = max2(max(k < m) f(k), max(k < q+1) f(m+k)) */
uint32_t lemma_max_concat(pv *p) {
  ck_id m = iv(p, "m");
  ck_id q = iv(p, "q");
  ck_id j = iv(p, "j");
  ck_id z = p->zero;
  ck_id j1 = t_add(p, j, p->one);
  ck_id z1 = t_add(p, z, p->one);
  ck_id mz = t_add(p, m, z);
  ck_id A = mxf(p, m);
  uint32_t hm = r_hyp(p, t_rel(p, CK_LE, z, m));
  uint32_t hj = r_hyp(p, t_rel(p, CK_LE, z, j));
  uint32_t le0 = r_const(p, t_rel(p, CK_LE, z, z));
#define LHS(x) mxf(p, t_add(p, m, x))
#define F(x1) t_rel(p, CK_EQ, LHS(x1), t_max2(p, A, mxs(p, x1, m)))
  /* base: both are max2(A, f(m)) */
  uint32_t l = r_succ(p, LHS(z1), m, hm);
  uint32_t b = r_succ(p, mxs(p, z1, m), z, le0);
  uint32_t c0 = r_zero(p, mxs(p, z, m), le0);
  uint32_t r0 = r_arith0(p, t_rel(p, CK_EQ, mz, m));
  uint32_t fm = r_cong(p, fat(p, mz), fat(p, m), &r0, 1);
  uint32_t bw = eq_trans(p, eq_trans(p, eq_then_by(p, b, &c0, 1), mx_same(p, fat(p, mz))),
                         fm); /* max(k < 0+1) f(m+k) = f(m) */
  uint32_t back = eq_sym(p, bw);
  if (l == NO || back == NO)
    return NO;
  ck_id rhs = t_max2(p, A, mxs(p, z1, m));
  ck_id from = mxs(p, z1, m);
  eqn e = rewrite(p, rhs, &from, &bw, 1);
  uint32_t base = eq_trans(p, l, eq_sym(p, e.s));
  /* step */
  ck_id j2 = t_add(p, j1, p->one);
  ck_id mj = t_add(p, m, j1);
  uint32_t ih = r_hyp(p, F(j1));
  uint32_t u = r_succ(p, LHS(j2), mj, ge(p, mj, hm, hj, true));
  uint32_t v = r_succ(p, mxs(p, j2, m), j1, ge(p, j1, hj, REFL, true));
  uint32_t left = eq_then_by(p, u, &ih, 1); /* max2(max2(A, I), f(m+j+1)) */
  ck_id x = ck_var(p->T, "x", 'r');
  ck_id y = ck_var(p->T, "y", 'r');
  ck_id w = ck_var(p->T, "w", 'r');
  uint32_t assoc = prove_eq(p, 0, t_max2(p, t_max2(p, x, y), w), t_max2(p, x, t_max2(p, y, w)), 0);
  ck_vsub vs[3] = {{x, A}, {y, mxs(p, j1, m)}, {w, fat(p, mj)}};
  uint32_t as = r_inst(p, assoc, vs, 3, NULL, 0, NULL, 0);
  if (v == NO)
    return NO;
  from = mxs(p, j2, m);
  e = rewrite(p, t_max2(p, A, from), &from, &v, 1);
  uint32_t step = eq_trans(p, eq_trans(p, left, as), eq_sym(p, e.s));
  /* F(q) over q+1 */
  ck_id f = F(j1);
  return r_induct(p, j, q, 0, &f, &base, &step, 1, r_hyp(p, t_rel(p, CK_LE, z, q)));
#undef F
#undef LHS
}

/* 0 < G, 0 < T:  max(g < G) max(t < T) f(g*T + t) = max(k < G*T) f(k) */
uint32_t lemma_max_split(pv *p) {
  ck_id G = iv(p, "G");
  ck_id T = iv(p, "T");
  ck_id j = iv(p, "j");
  ck_id g = iv(p, "g");
  ck_id z = p->zero;
  ck_id j1 = t_add(p, j, p->one);
  ck_id j2 = t_add(p, j1, p->one);
  ck_id z1 = t_add(p, z, p->one);
  ck_id G1 = t_sub(p, G, p->one);
  ck_id T1 = t_sub(p, T, p->one);
  uint32_t hG = r_hyp(p, t_rel(p, CK_LT, z, G));
  uint32_t hT = r_hyp(p, t_rel(p, CK_LT, z, T));
  uint32_t hj = r_hyp(p, t_rel(p, CK_LE, z, j));
  uint32_t le0 = r_const(p, t_rel(p, CK_LE, z, z));
  uint32_t g0 = r_int(p, t_rel(p, CK_LE, z, G1), hG);
  uint32_t t0 = r_int(p, t_rel(p, CK_LE, z, T1), hT);
#define INN(x) mxs(p, T, t_mul(p, x, T))
#define OUT(x) mx_term(p, x, g, INN(g))
#define F(x1) t_rel(p, CK_EQ, OUT(x1), mxf(p, t_mul(p, x1, T)))
  uint32_t b = r_succ(p, OUT(z1), z, le0);
  uint32_t c0 = r_zero(p, OUT(z), le0);
  if (c0 == NO)
    return NO;
  uint32_t base = eq_trans(p, eq_then_by(p, b, &c0, 1), mx_same(p, rhs_of(p, c0)));
  if (base == NO)
    return NO;
  base = eq_trans(p, base, same_index(p, rhs_of(p, base), mxf(p, t_mul(p, z1, T))));
  /* step */
  ck_id m = t_mul(p, j1, T);
  uint32_t ih = r_hyp(p, F(j1));
  uint32_t u = r_succ(p, OUT(j2), j1, ge(p, j1, hj, REFL, true));
  uint32_t left = eq_then_by(p, u, &ih, 1);
  uint32_t m0;
  {
    by s;
    by_start(&s);
    by_add2(&s, p->one, hj, hT);
    by_add(&s, p->one, hT);
    m0 = by_end(p, &s, t_rel(p, CK_LE, z, m));
  }
  ck_vsub vs[2] = {{iv(p, "m"), m}, {iv(p, "q"), T1}};
  uint32_t prem[2] = {m0, t0};
  uint32_t cc = r_lemma(p, L_MAX_CONCAT, vs, 2, NULL, 0, prem, 2);
  if (left == NO || cc == NO)
    return NO;
  uint32_t mid = same_index(p, rhs_of(p, left), rhs_of(p, cc));
  uint32_t last = same_index(p, lhs_of(p, cc), mxf(p, t_mul(p, j2, T)));
  uint32_t step = eq_trans(p, eq_trans(p, eq_trans(p, left, mid), eq_sym(p, cc)), last);
  ck_id f = F(j1);
  uint32_t r = r_induct(p, j, G1, 0, &f, &base, &step, 1, g0);
  if (r == NO)
    return NO;
  return eq_trans(p, eq_trans(p, same_index(p, OUT(G), lhs_of(p, r)), r),
                  same_index(p, rhs_of(p, r), mxf(p, t_mul(p, G, T))));
#undef INN
#undef OUT
#undef F
}

/* f, g: values of which one law on binary maxima makes one law on folds: max(n, F(f)) = F(max(n,
 * f)) for F = (. + x) or (x * .) */
/* through(a): a + x, x * a with 0 <= x, exp a, the larger of a and 0, the smaller of a and 0: none
 * turns the order around */
ck_id max_through_term(pv *p, max_way way, ck_id x, ck_id a) {
  ck_id m = t_neg(p, a);
  ck_id z = p->zero;
  switch (way) {
  case THROUGH_ADD:
    return t_add(p, a, x);
  case THROUGH_SCALE:
    return t_mul(p, x, a);
  case THROUGH_EXP:
    return t_op(p, CK_EXP, a);
  case THROUGH_RELU:
    return ck_ite(p->T, t_rel(p, CK_LE, z, a), a, z);
  default:
    return t_neg(p, ck_ite(p->T, t_rel(p, CK_LE, z, m), m, z));
  }
}

/* max2(exp y, exp w) = exp(max2(y, w)): exp y <= exp w where y <= w, by exp w = exp y * exp(w - y)
 * >= exp y * (1 + w - y) */
static uint32_t exp_of_max(pv *p, ck_id y, ck_id w) {
  ck_id le = t_rel(p, CK_LE, y, w);
  ck_id nle = ck_neg(p->T, le);
  ck_id ey = t_op(p, CK_EXP, y);
  ck_id ew = t_op(p, CK_EXP, w);
  ck_id L = t_max2(p, ey, ew);
  ck_id M = t_max2(p, y, w);
  ck_id R = t_op(p, CK_EXP, M);
  ck_id goal = t_rel(p, CK_EQ, L, R);
  uint32_t res[2];
  for (int i = 0; i < 2; i++) { /* i: w < y */
    ck_id a = i ? w : y;
    ck_id b = i ? y : w;
    ck_id ea = i ? ew : ey;
    ck_id eb = i ? ey : ew;
    ck_id d = t_sub(p, b, a);
    ck_id ad = t_add(p, a, d);
    ck_id two[2] = {a, d};
    ck_vsub v = {ck_var(p->T, "x", 'r'), a};
    uint32_t h = r_hyp(p, i ? nle : le);
    uint32_t pos = r_lemma(p, L_EXP_POS, &v, 1, NULL, 0, NULL, 0);
    uint32_t plus = r_law(p, "exp+", two, 2, NO);
    uint32_t arg = r_arith0(p, t_rel(p, CK_EQ, ad, b));
    uint32_t c = r_cong(p, t_op(p, CK_EXP, ad), eb, &arg, 1);
    uint32_t gt = r_law(p, "exp>", &d, 1, NO);
    by s;
    by_start(&s); /* eb - ea = ea*(exp d - 1 - d) + ea*d */
    by_add2(&s, p->one, pos, gt);
    by_add2(&s, p->one, pos, h);
    by_add(&s, t_int(p, -1), plus);
    by_add(&s, p->one, c);
    uint32_t ord = by_end(p, &s, i ? t_rel(p, CK_LT, ea, eb) : t_rel(p, CK_LE, ea, eb));
    uint32_t l = r_law(p, i ? "ite0" : "ite1", &L, 1, ord);
    uint32_t m = r_law(p, i ? "ite0" : "ite1", &M, 1, h);
    uint32_t e = m == NO ? NO : r_cong(p, R, eb, &m, 1);
    res[i] = eq_trans(p, l, eq_sym(p, e));
    if (res[i] != NO && thm(p, res[i]) != goal)
      res[i] = NO;
  }
  return r_cases(p, le, res[0], res[1]);
}

static uint32_t max_through(pv *p, max_way way) {
  ck_id n = iv(p, "n");
  ck_id j = iv(p, "j");
  ck_id k = iv(p, "k");
  ck_id x = ck_var(p->T, "x", 'r');
  ck_id y = ck_var(p->T, "y", 'r');
  ck_id w = ck_var(p->T, "w", 'r');
  ck_id z = p->zero;
  ck_id j1 = t_add(p, j, p->one);
#define FX(a) max_through_term(p, way, x, a)
#define LHS(b) mx_term(p, b, k, FX(fat(p, k)))
#define F(b) t_rel(p, CK_EQ, LHS(b), FX(mxf(p, b)))
  uint32_t cx = way == THROUGH_SCALE ? cx_push(p, 0, t_rel(p, CK_LE, z, x), CK_BAD) : 0;
  uint32_t two = way == THROUGH_EXP
                     ? exp_of_max(p, y, w)
                     : prove_eq(p, cx, t_max2(p, FX(y), FX(w)), FX(t_max2(p, y, w)), 0);
  uint32_t hj = r_hyp(p, t_rel(p, CK_LE, z, j));
  uint32_t le0 = r_const(p, t_rel(p, CK_LE, z, z));
  uint32_t ih = r_hyp(p, F(j));
  uint32_t l0 = r_zero(p, LHS(z), le0);
  uint32_t r0 = r_zero(p, mxf(p, z), le0);
  ck_id A = mxf(p, j);
  ck_id from;
  ck_vsub vs[2] = {{y, A}, {w, fat(p, j)}};
  if (r0 == NO)
    return NO;
  from = lhs_of(p, r0);
  eqn e = rewrite(p, FX(from), &from, &r0, 1);
  uint32_t base = eq_trans(p, l0, eq_sym(p, e.s));
  uint32_t u = r_succ(p, LHS(j1), j, hj);
  uint32_t v = r_succ(p, mxf(p, j1), j, hj);
  uint32_t left = eq_trans(p, eq_then_by(p, u, &ih, 1), r_inst(p, two, vs, 2, NULL, 0, NULL, 0));
  if (v == NO)
    return NO;
  from = lhs_of(p, v);
  e = rewrite(p, FX(from), &from, &v, 1);
  uint32_t step = eq_trans(p, left, eq_sym(p, e.s));
  ck_id f = F(j);
  return r_induct(p, j, n, 0, &f, &base, &step, 1, r_hyp(p, t_rel(p, CK_LE, z, n)));
#undef FX
#undef LHS
#undef F
}

uint32_t lemma_max_through(pv *p, max_way way) {
  return max_through(p, way);
}

/* 0 <= n:  f(0) <= max(k < n) f(k) */
uint32_t lemma_max_first(pv *p) {
  ck_id n = iv(p, "n");
  ck_id j = iv(p, "j");
  ck_id z = p->zero;
  ck_id j1 = t_add(p, j, p->one);
  ck_id y = ck_var(p->T, "y", 'r');
  ck_id w = ck_var(p->T, "w", 'r');
  ck_id f0 = fat(p, z);
#define F(b) t_rel(p, CK_LE, f0, mxf(p, b))
  uint32_t hj = r_hyp(p, t_rel(p, CK_LE, z, j));
  uint32_t le0 = r_const(p, t_rel(p, CK_LE, z, z));
  uint32_t ih = r_hyp(p, F(j));
  uint32_t base = r_arith1(p, F(z), t_int(p, -1), r_zero(p, mxf(p, z), le0));
  uint32_t two = prove_goal(p, 0, t_rel(p, CK_LE, y, t_max2(p, y, w)));
  uint32_t u = r_succ(p, mxf(p, j1), j, hj);
  ck_vsub vs[2] = {{y, mxf(p, j)}, {w, fat(p, j)}};
  by b;
  by_start(&b); /* f0 <= max up to j <= max2 of that and f(j) = max up to j+1 */
  by_add(&b, p->one, ih);
  by_add(&b, p->one, r_inst(p, two, vs, 2, NULL, 0, NULL, 0));
  by_add(&b, t_int(p, -1), u);
  uint32_t step = by_end(p, &b, F(j1));
  ck_id f = F(j);
  return r_induct(p, j, n, 0, &f, &base, &step, 1, r_hyp(p, t_rel(p, CK_LE, z, n)));
#undef F
}

uint32_t max_first(pv *p, uint32_t cx, ck_id t) {
  ck_id n = ck_kid(p->T, t, 0);
  ck_id k;
  ck_id b;
  uint32_t n0 = side(p, cx, t_rel(p, CK_LE, p->zero, n));
  cx_bind(p, cx, n, &k);
  b = max_body(p, t, k);
  ck_fsub fs = {ck_word(p->T, "f"), ck_word(p->T, "i:r"), &k, 1, b};
  ck_vsub v = {iv(p, "n"), n};
  return n0 == NO ? NO : r_lemma(p, L_MAX_FIRST, &v, 1, &fs, 1, &n0, 1);
}

/* min over k < n of body, base the body at 0 */
static ck_id mn(pv *p, ck_id n, ck_id k, ck_id body) {
  ck_id acc = ck_var(p->T, "$$acc", 'r');
  ck_id init = ck_sub(p->T, body, &k, &p->zero, 1, NULL, 0);
  return t_fold1(p, n, init, k, acc, ck_ite(p->T, t_rel(p, CK_LE, acc, body), acc, body));
}

/* 0 <= n:  min(k < n) f(k) = -max(k < n) -f(k) */
uint32_t lemma_min_max(pv *p) {
  ck_id n = iv(p, "n");
  ck_id j = iv(p, "j");
  ck_id k = iv(p, "k");
  ck_id y = ck_var(p->T, "y", 'r');
  ck_id w = ck_var(p->T, "w", 'r');
  ck_id z = p->zero;
  ck_id j1 = t_add(p, j, p->one);
  ck_id f = fat(p, k);
  ck_id from;
#define LO(b) mn(p, b, k, f)
#define HI(b) mx_term(p, b, k, t_neg(p, f))
#define F(b) t_rel(p, CK_EQ, LO(b), t_neg(p, HI(b)))
  uint32_t two = prove_eq(p, 0, ck_ite(p->T, t_rel(p, CK_LE, t_neg(p, y), w), t_neg(p, y), w),
                          t_neg(p, t_max2(p, y, t_neg(p, w))), 0);
  uint32_t hj = r_hyp(p, t_rel(p, CK_LE, z, j));
  uint32_t le0 = r_const(p, t_rel(p, CK_LE, z, z));
  uint32_t ih = r_hyp(p, F(j));
  uint32_t l0 = r_zero(p, LO(z), le0);
  uint32_t r0 = r_zero(p, HI(z), le0);
  by b;
  by_start(&b);
  by_add(&b, p->one, l0);
  by_add(&b, p->one, r0);
  uint32_t base = by_end(p, &b, F(z));
  uint32_t u = r_succ(p, LO(j1), j, hj);
  uint32_t v = r_succ(p, HI(j1), j, hj);
  ck_vsub vs[2] = {{y, HI(j)}, {w, fat(p, j)}};
  uint32_t left = eq_trans(p, eq_then_by(p, u, &ih, 1), r_inst(p, two, vs, 2, NULL, 0, NULL, 0));
  if (v == NO)
    return NO;
  from = lhs_of(p, v);
  eqn e = rewrite(p, t_neg(p, from), &from, &v, 1);
  uint32_t step = eq_trans(p, left, eq_sym(p, e.s));
  ck_id g = F(j);
  return r_induct(p, j, n, 0, &g, &base, &step, 1, r_hyp(p, t_rel(p, CK_LE, z, n)));
#undef LO
#undef HI
#undef F
}

/* t = min over k < n of f (not yet normal), base init (normal): minus a maximum */
eqn min_as_max(pv *p, uint32_t cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id f) {
  eqn none = {t, REFL};
  eqn b0;
  ck_id lit = mn(p, n, k, f);
  ck_id lit0 = ck_sub(p->T, f, &k, &p->zero, 1, NULL, 0);
  uint32_t n0 = side(p, cx, t_rel(p, CK_LE, p->zero, n));
  uint32_t s = REFL;
  if (n0 == NO)
    return none;
  b0 = norm(p, cx, lit0);
  if (b0.s == NO || b0.t != init)
    return none;
  if (b0.s != REFL) {
    uint32_t back = eq_sym(p, b0.s);
    s = r_cong(p, t, lit, &back, 1);
  }
  ck_fsub fs = {ck_word(p->T, "f"), ck_word(p->T, "i:r"), &k, 1, f};
  ck_vsub v = {iv(p, "n"), n};
  s = eq_trans(p, s, r_lemma(p, L_MIN_MAX, &v, 1, &fs, 1, &n0, 1));
  if (s == NO)
    return none;
  eqn e = {rhs_of(p, s), s};
  return eq_then(p, e, norm(p, cx, e.t));
}

/* max over k < n of b1 = max of b2, for polynomially equal bodies */
static uint32_t same_max(pv *p, ck_id n, ck_id k, ck_id b1, ck_id b2) {
  ck_id acc = ck_var(p->T, "$$acc", 'r');
  ck_id vars[2] = {k, acc};
  ck_id from = mx_term(p, n, k, b1);
  ck_id init = ck_sub(p->T, b2, &k, &p->zero, 1, NULL, 0);
  ck_id init1 = ck_sub(p->T, b1, &k, &p->zero, 1, NULL, 0);
  if (b1 == b2)
    return REFL;
  uint32_t e0 = init == init1 ? REFL : r_arith0(p, t_rel(p, CK_EQ, init1, init));
  uint32_t e = r_arith0(p, t_rel(p, CK_EQ, b1, b2));
  uint32_t two[2] = {e, e};
  ck_id mid = t_fold1(p, n, init, k, acc, t_max2(p, acc, b1));
  uint32_t s = e0 == REFL ? REFL : r_cong(p, from, mid, &e0, 1);
  uint32_t c = r_cong(p, t_max2(p, acc, b1), t_max2(p, acc, b2), two, 2);
  return eq_trans(p, s, r_foldcong(p, mid, mx_term(p, n, k, b2), vars, 2, &c, 1));
}

/* body = c*in + out with c not negative, c and out free of k; false if that is trivial */
static bool pull_parts(pv *p, uint32_t cx, ck_id k, ck_id body, ck_id *c, uint32_t *cpos, ck_id *in,
                       ck_id *out) {
  poly f;
  poly a;
  poly b;
  ck_id fac[25];
  uint32_t n;
  poly_init(&f);
  poly_init(&a);
  poly_init(&b);
  poly_of(p, &f, body);
  for (uint32_t i = 0; i < f.n; i++) {
    bool dep = false;
    for (uint32_t j = 0; j < f.m[i].n; j++)
      dep = dep || ck_has_var(p->T, f.m[i].a[j], k);
    poly_push(p, dep ? &a : &b, f.m[i].q, f.m[i].a, f.m[i].n);
  }
  *in = poly_term(p, &a);
  *out = poly_term(p, &b);
  poly_clear(&f);
  poly_clear(&a);
  poly_clear(&b);
  if (is_zero(p, *in))
    return false;
  n = poly_content(p, *in, fac, 24);
  *c = p->one;
  *cpos = r_const(p, t_rel(p, CK_LE, p->zero, p->one));
  ck_id rest = CK_BAD;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t g = NO;
    bool neg = false;
    if (is_q(p, fac[i])) {
      if (q_sgn(p, fac[i]) < 0) {
        neg = true;
        fac[i] = q_mul(p, fac[i], t_int(p, -1));
      }
      g = r_const(p, t_rel(p, CK_LE, p->zero, fac[i]));
    } else if (!ck_has_var(p->T, fac[i], k)) {
      g = nonneg(p, cx, fac[i]);
    }
    if (is_one(p, fac[i])) { /* the sign alone */
    } else if (g == NO) {
      rest = rest == CK_BAD ? fac[i] : t_mul(p, rest, fac[i]);
    } else {
      uint32_t pr[2] = {*cpos, g};
      ck_summand m = {p->one, pr, 2};
      *c = t_mul(p, *c, fac[i]);
      *cpos = r_arith(p, t_rel(p, CK_LE, p->zero, *c), &m, 1);
    }
    if (neg)
      rest = rest == CK_BAD ? t_int(p, -1) : t_neg(p, rest);
  }
  if (n == 0 || is_one(p, *c) || *cpos == NO || rest == CK_BAD) {
    *c = p->one;
  } else {
    ck_id r = canon(p, rest);
    if (canon(p, t_mul(p, *c, r)) != *in)
      *c = p->one; /* inverses would have to cancel: left alone */
    else
      *in = r;
  }
  return !is_zero(p, *out) || !is_one(p, *c);
}

/* t = max over k < n of body, base init, all normal: constants come out */
static eqn pull_max(pv *p, uint32_t cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body) {
  eqn none = {t, REFL};
  ck_id c;
  ck_id in;
  ck_id out;
  ck_id lit = mx_term(p, n, k, body);
  ck_id lit0 = ck_sub(p->T, body, &k, &p->zero, 1, NULL, 0);
  uint32_t cpos;
  uint32_t n0 = side(p, cx, t_rel(p, CK_LE, p->zero, n));
  uint32_t s = REFL;
  if (n0 == NO || !pull_parts(p, cx, k, body, &c, &cpos, &in, &out))
    return none;
  eqn b0 = norm(p, cx, lit0);
  if (b0.s == NO || b0.t != init)
    return none;
  if (b0.s != REFL) {
    uint32_t back = eq_sym(p, b0.s);
    s = r_cong(p, t, lit, &back, 1);
  }
  ck_id cin = is_one(p, c) ? in : t_mul(p, c, in);
  ck_id shape = is_zero(p, out) ? cin : t_add(p, cin, out);
  ck_id m = mx_term(p, n, k, in);
  ck_id res = m;
  s = eq_trans(p, s, same_max(p, n, k, body, shape));
  ck_fsub f = {ck_word(p->T, "f"), ck_word(p->T, "i:r"), &k, 1, cin};
  ck_vsub v[2] = {{iv(p, "n"), n}, {ck_var(p->T, "x", 'r'), out}};
  if (!is_zero(p, out))
    s = eq_trans(p, s, r_lemma(p, L_MAX_ADD, v, 2, &f, 1, &n0, 1));
  by b;
  by_start(&b); /* t = max(cin) + out;  max(cin) = c*m;  m = r.t */
  by_add(&b, p->one, s);
  if (!is_one(p, c)) {
    uint32_t pr[2] = {n0, cpos};
    f.body = in;
    v[1].term = c;
    by_add(&b, p->one, r_lemma(p, L_MAX_SCALE, v, 2, &f, 1, pr, 2));
  }
  eqn r = norm(p, cx, m);
  if (r.s != NO) {
    by_add(&b, c, r.s);
    res = r.t;
  }
  res = t_add(p, t_mul(p, c, res), out);
  eqn e = {res, by_end(p, &b, t_rel(p, CK_EQ, t, res))};
  if (s == NO || e.s == NO)
    return none;
  return eq_then(p, e, norm_poly(p, cx, res));
}

/* t = max over k < n of body (base init): body again a maximum, over t < T of f(k*T + t)? */
eqn join_max(pv *p, uint32_t cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body) {
  eqn none = pull_max(p, cx, t, n, init, k, body);
  ck_id K = ck_var(p->T, "$$K", 'i');
  ck_id f;
  ck_id u;
  ck_id Tn;
  ck_id h;
  if (none.s != REFL)
    return none;
  none = range_max(p, cx, t, n, init, k, body);
  if (none.s != REFL)
    return none;
  none = monotone_max(p, cx, t, n, init, k, body);
  if (none.s != REFL)
    return none;
  if (ck_head(p->T, body) != CK_FOLD || ck_width(p->T, body) != 1)
    return none;
  u = ck_var(p->T, "$$u", 'i');
  ck_id vars[2] = {u, ck_var(p->T, "$$acc", 'r')};
  ck_id step = ck_open(p->T, ck_kid(p->T, body, 2), vars, 2);
  if (ck_head(p->T, step) != CK_ITE)
    return none;
  f = ck_kid(p->T, step, 1);
  Tn = ck_kid(p->T, body, 0);
  if (step != t_max2(p, vars[1], f) || ck_has_var(p->T, f, vars[1]) || ck_has_var(p->T, Tn, k))
    return none;
  ck_id with = t_sub(p, K, t_mul(p, k, Tn));
  h = ck_sub(p->T, f, &u, &with, 1, NULL, 0);
  if (h == CK_BAD)
    return none;
  eqn e = icanon(p, h);
  if (e.s == NO || ck_has_var(p->T, e.t, k))
    return none;
  uint32_t prem[2] = {side(p, cx, t_rel(p, CK_LT, p->zero, n)),
                      side(p, cx, t_rel(p, CK_LT, p->zero, Tn))};
  if (prem[0] == NO || prem[1] == NO)
    return none;
  ck_vsub v[2] = {{iv(p, "G"), n}, {iv(p, "T"), Tn}};
  ck_fsub fs = {ck_word(p->T, "f"), ck_word(p->T, "i:r"), &K, 1, e.t};
  uint32_t s = r_lemma(p, L_MAX_SPLIT, v, 2, &fs, 1, prem, 2);
  if (s == NO)
    return none;
  uint32_t a = same_index(p, t, lhs_of(p, s));
  eqn r = {rhs_of(p, s), eq_trans(p, a, s)};
  return r.s == NO ? none : eq_then(p, r, norm(p, cx, r.t));
}
