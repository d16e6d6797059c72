/* Lemmas: proved at most once per certificate, then instantiated (proofs/RULES.md section 7). Their
 * variables and functions are named below; hypotheses are as listed at each.  Sums of functions f:
 * 'i:r, g: 'i:r, f2: 'ii:r. */
#include "pv.h"

static ck_id iv(pv *p, const char *s) {
  return ck_var(p->T, s, 'i');
}

static ck_id rv(pv *p, const char *s) {
  return ck_var(p->T, s, 'r');
}

static ck_id fn1(pv *p, const char *f, ck_id a) {
  return a == CK_BAD ? CK_BAD : ck_app(p->T, f, "i:r", &a, 1);
}

static ck_id fn2(pv *p, ck_id a, ck_id b) {
  ck_id v[2] = {a, b};
  return a == CK_BAD || b == CK_BAD ? CK_BAD : ck_app(p->T, "f2", "ii:r", v, 2);
}

static ck_id eq(pv *p, ck_id a, ck_id b) {
  return t_rel(p, CK_EQ, a, b);
}

static ck_id ge0(pv *p, ck_id a) {
  return t_rel(p, CK_LE, p->zero, a);
}

static ck_id gt0(pv *p, ck_id a) {
  return t_rel(p, CK_LT, p->zero, a);
}

static ck_id ne0(pv *p, ck_id a) {
  return t_rel(p, CK_NE, a, p->zero);
}

static uint32_t law1(pv *p, const char *name, ck_id x, uint32_t prem) {
  return r_law(p, name, &x, 1, prem);
}

static uint32_t law2(pv *p, const char *name, ck_id x, ck_id y, uint32_t prem) {
  ck_id v[2] = {x, y};
  return r_law(p, name, v, 2, prem);
}

static ck_id inv(pv *p, ck_id x) {
  return t_op(p, CK_INV, x);
}

static uint32_t le00(pv *p) {
  return r_const(p, ge0(p, p->zero));
}

static uint32_t zero_at(pv *p, ck_id sum) {
  return r_zero(p, sum, le00(p));
} /* sum has bound 0 */

/* f by the sum of coef[i] times prem[i] */
static uint32_t ar(pv *p, ck_id f, uint32_t n, const ck_id *coef, const uint32_t *prem) {
  by b;
  by_start(&b);
  for (uint32_t i = 0; i < n; i++)
    by_add(&b, coef[i], prem[i]);
  return by_end(p, &b, f);
}

#define AR(p, f, n, ...) ar2(p, f, n, (const uint32_t[]){__VA_ARGS__})

static uint32_t ar2(pv *p, ck_id f, uint32_t n, const uint32_t *cp) /* pairs coef, premise */
{
  ck_id c[8];
  uint32_t s[8];
  for (uint32_t i = 0; i < n; i++) {
    c[i] = cp[2 * i];
    s[i] = cp[2 * i + 1];
  }
  return ar(p, f, n, c, s);
}

static ck_id one(pv *p) {
  return p->one;
}

static ck_id minus(pv *p) {
  return t_int(p, -1);
}

static uint32_t exp0(pv *p) {
  ck_id z = p->zero;
  ck_id x = t_op(p, CK_EXP, z);
  ck_id zz = t_add(p, z, z);
  ck_id ix = inv(p, x);
  uint32_t a = law2(p, "exp+", z, z, NO);
  uint32_t r = r_arith0(p, eq(p, zz, z));
  uint32_t c = r_cong(p, t_op(p, CK_EXP, zz), x, &r, 1);
  uint32_t g = law1(p, "exp>", z, NO);
  ck_summand m[2] = {{one(p), &g, 1}, {one(p), NULL, 0}};
  uint32_t lt = r_arith(p, gt0(p, x), m, 2);
  uint32_t nz = r_arith1(p, ne0(p, x), minus(p), lt);
  uint32_t i = law1(p, "inv", x, nz);
  return AR(p, eq(p, x, p->one), 3, t_neg(p, ix), a, ix, c, t_sub(p, p->one, x), i);
}

static uint32_t exp_neg(pv *p) {
  ck_id x = rv(p, "x");
  ck_id n = t_neg(p, x);
  ck_id s = t_add(p, x, n);
  ck_id ex = t_op(p, CK_EXP, x);
  ck_id en = t_op(p, CK_EXP, n);
  uint32_t a = law2(p, "exp+", x, n, NO);
  uint32_t r = r_arith0(p, eq(p, s, p->zero));
  uint32_t c = r_cong(p, t_op(p, CK_EXP, s), t_op(p, CK_EXP, p->zero), &r, 1);
  return AR(p, eq(p, t_mul(p, ex, en), p->one), 3, minus(p), a, one(p), c, one(p),
            lemma(p, L_EXP0));
}

static uint32_t exp_pos(pv *p) {
  ck_id x = rv(p, "x");
  ck_id h = t_mul(p, q_inv(p, t_int(p, 2)), x);
  ck_id y = t_op(p, CK_EXP, h);
  ck_id en = t_op(p, CK_EXP, t_neg(p, h));
  ck_id hh = t_add(p, h, h);
  ck_id goal = gt0(p, t_op(p, CK_EXP, x));
  ck_vsub v = {x, h};
  uint32_t prod = r_lemma(p, L_EXP_NEG, &v, 1, NULL, 0, NULL, 0);
  uint32_t r = r_arith0(p, eq(p, x, hh));
  uint32_t c = r_cong(p, t_op(p, CK_EXP, x), t_op(p, CK_EXP, hh), &r, 1);
  uint32_t a = law2(p, "exp+", h, h, NO);
  uint32_t pos = r_hyp(p, gt0(p, y));
  uint32_t le = r_hyp(p, t_rel(p, CK_LE, y, p->zero));
  uint32_t ge = r_hyp(p, ge0(p, y));
  uint32_t lt = r_hyp(p, t_rel(p, CK_LT, y, p->zero));
  uint32_t res[2];
  uint32_t prem[2] = {pos, lt};
  for (int i = 0; i < 2; i++) {
    by b;
    by_start(&b);
    by_add2(&b, one(p), prem[i], prem[i]);
    by_add(&b, minus(p), a);
    by_add(&b, minus(p), c);
    res[i] = by_end(p, &b, goal);
  }
  uint32_t yz = r_antisym(p, le, ge);
  uint32_t bad = AR(p, eq(p, p->zero, p->one), 2, one(p), prod, t_neg(p, en), yz);
  return r_cases(p, gt0(p, y), res[0],
                 r_cases(p, t_rel(p, CK_LT, y, p->zero), res[1], absurd(p, goal, bad)));
}

static uint32_t inv_ne(pv *p) {
  ck_id x = rv(p, "x");
  ck_id y = inv(p, x);
  ck_id f = ne0(p, y);
  uint32_t i = law1(p, "inv", x, r_hyp(p, ne0(p, x)));
  uint32_t z = r_hyp(p, eq(p, y, p->zero));
  uint32_t bad = AR(p, eq(p, p->zero, p->one), 2, one(p), i, t_neg(p, x), z);
  return r_cases(p, eq(p, y, p->zero), absurd(p, f, bad), r_hyp(p, f));
}

static uint32_t inv_pos(pv *p) {
  ck_id x = rv(p, "x");
  ck_id y = inv(p, x);
  ck_id c = gt0(p, y);
  uint32_t h = r_hyp(p, gt0(p, x));
  uint32_t i = law1(p, "inv", x, r_arith1(p, ne0(p, x), minus(p), h));
  uint32_t q = r_hyp(p, t_rel(p, CK_LE, y, p->zero));
  uint32_t hq[2] = {h, q};
  ck_summand m[3] = {{one(p), hq, 2}, {one(p), NULL, 0}, {minus(p), &i, 1}};
  return r_cases(p, c, r_hyp(p, c), from_false(p, c, r_arith(p, gt0(p, p->zero), m, 3)));
}

static uint32_t inv_mul(pv *p) {
  ck_id x = rv(p, "x");
  ck_id y = rv(p, "y");
  ck_id xy = t_mul(p, x, y);
  ck_id ix = inv(p, x);
  ck_id iy = inv(p, y);
  ck_id ixy = inv(p, xy);
  ck_id q = t_mul(p, ix, iy);
  uint32_t hx = r_hyp(p, ne0(p, x));
  uint32_t hy = r_hyp(p, ne0(p, y));
  uint32_t h2[2] = {hx, hy};
  ck_summand m = {minus(p), h2, 2};
  uint32_t i = law1(p, "inv", xy, r_arith(p, ne0(p, xy), &m, 1));
  uint32_t lx = law1(p, "inv", x, hx);
  uint32_t ly = law1(p, "inv", y, hy);
  return AR(p, eq(p, ixy, q), 3, q, i, t_neg(p, t_mul(p, ixy, t_mul(p, y, iy))), lx, t_neg(p, ixy),
            ly);
}

static uint32_t inv_inv(pv *p) {
  ck_id x = rv(p, "x");
  ck_id y = inv(p, x);
  ck_id z = inv(p, y);
  uint32_t i = law1(p, "inv", x, r_hyp(p, ne0(p, x)));
  uint32_t j = law1(p, "inv", y, lemma(p, L_INV_NE));
  return AR(p, eq(p, z, x), 2, x, j, t_neg(p, z), i);
}

static uint32_t sqrt_pos(pv *p) {
  ck_id x = rv(p, "x");
  ck_id s = t_op(p, CK_SQRT, x);
  ck_id c = gt0(p, s);
  uint32_t h = r_hyp(p, gt0(p, x));
  uint32_t w = r_arith1(p, ge0(p, x), one(p), h);
  uint32_t a = law1(p, "sqrt2", x, w);
  uint32_t b = law1(p, "sqrt>", x, w);
  uint32_t sz = r_antisym(p, r_hyp(p, t_rel(p, CK_LE, s, p->zero)), b);
  uint32_t f = AR(p, gt0(p, p->zero), 3, one(p), h, minus(p), a, s, sz);
  return r_cases(p, c, r_hyp(p, c), from_false(p, c, f));
}

static uint32_t square(pv *p) {
  ck_id x = rv(p, "x");
  ck_id f = ge0(p, t_mul(p, x, x));
  uint32_t res[2];
  uint32_t h[2] = {r_hyp(p, ge0(p, x)), r_hyp(p, t_rel(p, CK_LT, x, p->zero))};
  for (int i = 0; i < 2; i++) {
    uint32_t hh[2] = {h[i], h[i]};
    ck_summand m = {one(p), hh, 2};
    res[i] = r_arith(p, f, &m, 1);
  }
  return r_cases(p, ge0(p, x), res[0], res[1]);
}

/* x*y # 0 gives x # 0, y # 0 */
static uint32_t nz_side(pv *p, bool left) {
  ck_id x = rv(p, "x");
  ck_id y = rv(p, "y");
  ck_id a = left ? x : y;
  ck_id b = left ? y : x;
  ck_id f = ne0(p, a);
  uint32_t h = r_hyp(p, ne0(p, t_mul(p, x, y)));
  uint32_t z = r_hyp(p, eq(p, a, p->zero));
  return r_cases(p, eq(p, a, p->zero), AR(p, f, 2, one(p), h, t_sub(p, p->one, b), z), r_hyp(p, f));
}

/* 0 <= r, r < b, a = b*q + r  gives  a div b = q */
static uint32_t divmod(pv *p) {
  ck_id a = iv(p, "a");
  ck_id b = iv(p, "b");
  ck_id q = iv(p, "q");
  ck_id r = iv(p, "r");
  ck_id d = ck_mk2(p->T, CK_DIV, a, b);
  ck_id half[2];
  uint32_t h1 = r_hyp(p, ge0(p, r));
  uint32_t h2 = r_hyp(p, t_rel(p, CK_LT, r, b));
  uint32_t h3 = r_hyp(p, eq(p, a, t_add(p, t_mul(p, b, q), r)));
  uint32_t bp = AR(p, gt0(p, b), 2, one(p), h1, one(p), h2);
  uint32_t x = law2(p, "div", a, b, bp);
  uint32_t y = law2(p, "mod>", a, b, bp);
  uint32_t w = law2(p, "mod<", a, b, bp);
  for (int i = 0; i < 2; i++) { /* 0: not q < d; 1: not d < q */
    ck_id u = i ? d : q;
    ck_id v = i ? q : d;
    ck_id f = t_rel(p, CK_LE, v, u);
    uint32_t n = r_int(p, t_rel(p, CK_LE, t_add(p, u, p->one), v), r_hyp(p, t_rel(p, CK_LT, u, v)));
    by s;
    by_start(&s);
    by_add2(&s, one(p), bp, n);
    by_add(&s, one(p), i ? h1 : y);
    by_add(&s, one(p), i ? w : h2);
    by_add(&s, i ? one(p) : minus(p), x);
    by_add(&s, i ? minus(p) : one(p), h3);
    half[i] = r_cases(p, f, r_hyp(p, f), from_false(p, f, by_end(p, &s, gt0(p, p->zero))));
  }
  return r_antisym(p, half[0], half[1]);
}

static uint32_t div_bound(pv *p, bool low) {
  ck_id a = iv(p, "a");
  ck_id b = iv(p, "b");
  ck_id c = iv(p, "c");
  ck_id d = ck_mk2(p->T, CK_DIV, a, b);
  ck_id f = low ? ge0(p, d) : t_rel(p, CK_LT, d, c);
  uint32_t bp = r_hyp(p, gt0(p, b));
  uint32_t h = r_hyp(p, low ? ge0(p, a) : t_rel(p, CK_LT, a, t_mul(p, c, b)));
  uint32_t x = law2(p, "div", a, b, bp);
  uint32_t n;
  by s;
  by_start(&s);
  if (low) {
    n = r_int(p, t_rel(p, CK_LE, t_add(p, d, p->one), p->zero),
              r_hyp(p, t_rel(p, CK_LT, d, p->zero)));
  } else {
    n = r_hyp(p, t_rel(p, CK_LE, c, d));
  }
  by_add2(&s, one(p), bp, n);
  by_add(&s, one(p), h);
  by_add(&s, one(p), law2(p, low ? "mod<" : "mod>", a, b, bp));
  by_add(&s, low ? one(p) : minus(p), x);
  return r_cases(p, f, r_hyp(p, f), from_false(p, f, by_end(p, &s, gt0(p, p->zero))));
}

/* --- sums; hypothesis 0 <= n */
typedef struct {
  ck_id k;
  ck_id a;
  ck_id a1;
  ck_id n;
  ck_id h;
  uint32_t h0;
} ind; /* k: summation counter; a: induction variable */

static ind ind_vars(pv *p, const char *bound) {
  ind v = {iv(p, "k"), iv(p, "j"), CK_BAD, iv(p, bound), CK_BAD, NO};
  v.a1 = t_add(p, v.a, p->one);
  v.h0 = r_hyp(p, ge0(p, v.a)); /* of the induction variable */
  return v;
}

static uint32_t induct1(pv *p, const ind *v, ck_id f, uint32_t base, uint32_t step) {
  return r_induct(p, v->a, v->n, 0, &f, &base, &step, 1, r_hyp(p, ge0(p, v->n)));
}

static uint32_t sum_scale(pv *p) {
  ind v = ind_vars(p, "n");
  ck_id c = rv(p, "c");
  ck_id f = fn1(p, "f", v.k);
  ck_id cf = t_mul(p, c, f);
#define L(x) t_sum(p, x, v.k, cf)
#define R(x) t_sum(p, x, v.k, f)
#define F(x) eq(p, L(x), t_mul(p, c, R(x)))
  uint32_t base =
      AR(p, F(p->zero), 2, one(p), zero_at(p, L(p->zero)), t_neg(p, c), zero_at(p, R(p->zero)));
  uint32_t step = AR(p, F(v.a1), 3, one(p), r_succ(p, L(v.a1), v.a, v.h0), t_neg(p, c),
                     r_succ(p, R(v.a1), v.a, v.h0), one(p), r_hyp(p, F(v.a)));
  return induct1(p, &v, F(v.a), base, step);
#undef L
#undef R
#undef F
}

static uint32_t sum_add(pv *p) {
  ind v = ind_vars(p, "n");
  ck_id f = fn1(p, "f", v.k);
  ck_id g = fn1(p, "g", v.k);
  ck_id z = p->zero;
#define S(b, x) t_sum(p, x, v.k, b)
#define F(x) eq(p, S(t_add(p, f, g), x), t_add(p, S(f, x), S(g, x)))
  uint32_t base = AR(p, F(z), 3, one(p), zero_at(p, S(t_add(p, f, g), z)), minus(p),
                     zero_at(p, S(f, z)), minus(p), zero_at(p, S(g, z)));
  uint32_t step = AR(p, F(v.a1), 4, one(p), r_succ(p, S(t_add(p, f, g), v.a1), v.a, v.h0), minus(p),
                     r_succ(p, S(f, v.a1), v.a, v.h0), minus(p), r_succ(p, S(g, v.a1), v.a, v.h0),
                     one(p), r_hyp(p, F(v.a)));
  return induct1(p, &v, F(v.a), base, step);
#undef S
#undef F
}

static uint32_t sum_const(pv *p, bool ones) {
  ind v = ind_vars(p, "n");
  ck_id b = ones ? p->one : p->zero;
#define S(x) t_sum(p, x, v.k, b)
#define F(x) eq(p, S(x), ones ? (x) : p->zero)
  uint32_t base = AR(p, F(p->zero), 1, one(p), zero_at(p, S(p->zero)));
  uint32_t step =
      AR(p, F(v.a1), 2, one(p), r_succ(p, S(v.a1), v.a, v.h0), one(p), r_hyp(p, F(v.a)));
  return induct1(p, &v, F(v.a), base, step);
#undef S
#undef F
}

/* 0 <= n:  sum(k < n) k = n*(n-1)/2 */
static uint32_t sum_index(pv *p) {
  ind v = ind_vars(p, "n");
  ck_id half = q_inv(p, t_int(p, 2));
#define S(x) t_sum(p, x, v.k, v.k)
#define F(x) eq(p, S(x), t_mul(p, half, t_mul(p, x, t_sub(p, x, p->one))))
  uint32_t base = AR(p, F(p->zero), 1, one(p), zero_at(p, S(p->zero)));
  uint32_t step =
      AR(p, F(v.a1), 2, one(p), r_succ(p, S(v.a1), v.a, v.h0), one(p), r_hyp(p, F(v.a)));
  return induct1(p, &v, F(v.a), base, step);
#undef S
#undef F
}

/* n <= n*n for an integer n: n <= 0, or 1 <= n */
static uint32_t int_square(pv *p) {
  ck_id n = iv(p, "n");
  ck_id f = t_rel(p, CK_LE, n, t_mul(p, n, n));
  ck_id c = t_rel(p, CK_LE, n, p->zero);
  uint32_t res[2];
  uint32_t h = r_hyp(p, c);
  uint32_t g = r_hyp(p, gt0(p, n));
  uint32_t g1 = r_int(p, ge0(p, t_sub(p, n, p->one)), g);
  by b;
  by_start(&b);
  by_add2(&b, one(p), h, h);
  by_add(&b, one(p), h); /* n*n - n */
  res[0] = by_end(p, &b, f);
  by_start(&b);
  by_add2(&b, one(p), g, g1);
  res[1] = by_end(p, &b, f);
  return r_cases(p, c, res[0], res[1]);
}

/* 0 <= m, 0 <= n:  sum(k < m+n) f(k) = sum(k < m) f(k) + sum(k < n) f(m+k) */
static uint32_t concat(pv *p) {
  ind v = ind_vars(p, "n");
  ck_id m = iv(p, "m");
  ck_id f = fn1(p, "f", v.k);
  ck_id fm = fn1(p, "f", t_add(p, m, v.k));
  ck_id z = p->zero;
  uint32_t hm = r_hyp(p, ge0(p, m));
#define S(b, x) t_sum(p, x, v.k, b)
#define F(x) eq(p, S(f, t_add(p, m, x)), t_add(p, S(f, m), S(fm, x)))
  uint32_t r = r_arith0(p, eq(p, t_add(p, m, z), m));
  uint32_t c = r_cong(p, S(f, t_add(p, m, z)), S(f, m), &r, 1);
  uint32_t base = AR(p, F(z), 2, one(p), c, minus(p), zero_at(p, S(fm, z)));
  uint32_t ma = AR(p, ge0(p, t_add(p, m, v.a)), 2, one(p), hm, one(p), v.h0);
  uint32_t u = r_succ(p, S(f, t_add(p, m, v.a1)), t_add(p, m, v.a), ma);
  uint32_t w = r_succ(p, S(fm, v.a1), v.a, v.h0);
  uint32_t step = AR(p, F(v.a1), 3, one(p), u, minus(p), w, one(p), r_hyp(p, F(v.a)));
  return induct1(p, &v, F(v.a), base, step);
#undef F
}

/* 0 <= n:  sum(k < n) f(k) = sum(k < n) f(n-1-k): the first element of the right side apart, then
 * induction */
static uint32_t reverse(pv *p) {
  ind v = ind_vars(p, "n");
  ck_id f = fn1(p, "f", v.k);
  ck_id z = p->zero;
  ck_id o = p->one;
  ck_id jk = t_sub(p, t_sub(p, v.a1, o), v.k);
  ck_id shifted = t_sub(p, t_sub(p, v.a1, o), t_add(p, o, v.k));
  ck_id bound = t_add(p, o, v.a);
#define B(x) fn1(p, "f", t_sub(p, t_sub(p, x, o), v.k))
#define F(x) eq(p, S(f, x), S(B(x), x))
  ck_vsub vs[2] = {{iv(p, "m"), o}, {v.n, v.a}};
  ck_fsub fs = {ck_word(p->T, "f"), ck_word(p->T, "i:r"), &v.k, 1, fn1(p, "f", jk)};
  uint32_t base = AR(p, F(z), 2, one(p), zero_at(p, S(f, z)), minus(p), zero_at(p, S(B(z), z)));
  uint32_t prem[2] = {r_const(p, ge0(p, o)), v.h0};
  uint32_t cc = r_lemma(p, L_CONCAT, vs, 2, &fs, 1, prem, 2);
  uint32_t e = r_arith0(p, eq(p, v.a1, bound));
  uint32_t c = r_cong(p, S(B(v.a1), v.a1), S(B(v.a1), bound), &e, 1);
  ck_id first = t_sub(p, t_sub(p, v.a1, o), z);
  uint32_t one1 = r_succ(p, S(B(v.a1), o), z, le00(p));
  uint32_t e0 = r_arith0(p, eq(p, first, v.a));
  uint32_t f0 = r_cong(p, fn1(p, "f", first), fn1(p, "f", v.a), &e0, 1);
  uint32_t es = r_arith0(p, eq(p, shifted, t_sub(p, t_sub(p, v.a, o), v.k)));
  uint32_t sh = lift_sum(p, v.a, v.k, r_cong(p, fn1(p, "f", shifted), B(v.a), &es, 1));
  uint32_t u = r_succ(p, S(f, v.a1), v.a, v.h0);
  by b;
  by_start(&b);
  by_add(&b, one(p), u);
  by_add(&b, one(p), r_hyp(p, F(v.a)));
  by_add(&b, minus(p), sh);
  by_add(&b, minus(p), f0);
  by_add(&b, minus(p), one1);
  by_add(&b, minus(p), zero_at(p, S(B(v.a1), z)));
  by_add(&b, minus(p), cc);
  by_add(&b, minus(p), c);
  uint32_t step = by_end(p, &b, F(v.a1));
  return induct1(p, &v, F(v.a), base, step);
#undef B
#undef F
}

/* 0 <= G, 0 <= T:  sum(k < G*T) f(k) = sum(g < G) sum(t < T) f(g*T + t) */
static uint32_t split(pv *p) {
  ind v = ind_vars(p, "G");
  ck_id T = iv(p, "T");
  ck_id t = iv(p, "t");
  ck_id z = p->zero;
  ck_id f = fn1(p, "f", v.k);
  ck_id in = t_sum(p, T, t, fn1(p, "f", t_add(p, t_mul(p, v.k, T), t)));
  uint32_t hT = r_hyp(p, ge0(p, T));
#define F(x) eq(p, S(f, t_mul(p, x, T)), S(in, x))
  uint32_t l0 = r_zero(p, S(f, t_mul(p, z, T)), r_arith0(p, t_rel(p, CK_LE, t_mul(p, z, T), z)));
  uint32_t base = AR(p, F(z), 2, one(p), l0, minus(p), zero_at(p, S(in, z)));
  ck_id aT = t_mul(p, v.a, T);
  ck_id big = t_mul(p, v.a1, T);
  ck_id two = t_add(p, aT, T);
  by b;
  by_start(&b);
  by_add2(&b, one(p), v.h0, hT);
  uint32_t haT = by_end(p, &b, ge0(p, aT));
  uint32_t e = r_arith0(p, eq(p, big, two));
  uint32_t c = r_cong(p, S(f, big), S(f, two), &e, 1);
  ck_vsub vs[2] = {{iv(p, "m"), aT}, {iv(p, "n"), T}};
  uint32_t prem[2] = {haT, hT};
  uint32_t cc = r_lemma(p, L_CONCAT, vs, 2, NULL, 0, prem, 2);
  uint32_t w = r_succ(p, S(in, v.a1), v.a, v.h0);
  uint32_t step = AR(p, F(v.a1), 4, one(p), c, one(p), cc, minus(p), w, one(p), r_hyp(p, F(v.a)));
  return induct1(p, &v, F(v.a), base, step);
#undef F
}

/* 0 <= n, 0 <= m:  sum(i < n) sum(k < m) f2(i,k) = sum(k < m) sum(i < n) f2(i,k) */
static uint32_t exchange(pv *p) {
  ind v = ind_vars(p, "n");
  ck_id m = iv(p, "m");
  ck_id i = iv(p, "i");
  ck_id z = p->zero;
  uint32_t hm = r_hyp(p, ge0(p, m));
#define ROW(x) t_sum(p, m, v.k, fn2(p, x, v.k))
#define COL(x) t_sum(p, x, i, fn2(p, i, v.k))
#define LL(x) t_sum(p, x, i, ROW(i))
#define RR(x) S(COL(x), m)
#define F(x) eq(p, LL(x), RR(x))
  ck_vsub vn = {v.n, m};
  ck_fsub fs[2] = {{ck_word(p->T, "f"), ck_word(p->T, "i:r"), &v.k, 1, COL(v.a)},
                   {ck_word(p->T, "g"), ck_word(p->T, "i:r"), &v.k, 1, fn2(p, v.a, v.k)}};
  uint32_t sz = r_lemma(p, L_SUM_ZERO, &vn, 1, NULL, 0, &hm, 1);
  uint32_t l0 = lift_sum(p, m, v.k, zero_at(p, COL(z)));
  uint32_t base = AR(p, F(z), 3, one(p), zero_at(p, LL(z)), minus(p), l0, minus(p), sz);
  uint32_t u = r_succ(p, LL(v.a1), v.a, v.h0);
  uint32_t lf = lift_sum(p, m, v.k, r_succ(p, COL(v.a1), v.a, v.h0));
  uint32_t ad = r_lemma(p, L_SUM_ADD, &vn, 1, fs, 2, &hm, 1);
  uint32_t step =
      AR(p, F(v.a1), 4, one(p), u, minus(p), lf, minus(p), ad, one(p), r_hyp(p, F(v.a)));
  return induct1(p, &v, F(v.a), base, step);
}

uint32_t lift_sum(pv *p, ck_id n, ck_id k, uint32_t s) {
  if (s == NO || s == REFL)
    return s;
  ck_id f = lhs_of(p, s);
  ck_id g = rhs_of(p, s);
  ck_id vars[2] = {k, ck_var(p->T, "$$acc", 'r')};
  uint32_t e = r_arith1(p, t_rel(p, CK_EQ, t_add(p, vars[1], f), t_add(p, vars[1], g)), p->one, s);
  return r_foldcong(p, t_sum(p, n, k, f), t_sum(p, n, k, g), vars, 2, &e, 1);
}

uint32_t lemma(pv *p, pv_lemma l) {
  if (p->lemma[l] != NO || p->lemma_busy[l])
    return p->lemma[l];
  p->lemma_busy[l] = true;
  uint32_t s = NO;
  switch (l) {
  case L_SUM_SCALE:
    s = sum_scale(p);
    break;
  case L_SUM_ADD:
    s = sum_add(p);
    break;
  case L_SUM_ONE:
    s = sum_const(p, true);
    break;
  case L_SUM_ZERO:
    s = sum_const(p, false);
    break;
  case L_CONCAT:
    s = concat(p);
    break;
  case L_SPLIT:
    s = split(p);
    break;
  case L_EXCHANGE:
    s = exchange(p);
    break;
  case L_EXP0:
    s = exp0(p);
    break;
  case L_EXP_POS:
    s = exp_pos(p);
    break;
  case L_EXP_NEG:
    s = exp_neg(p);
    break;
  case L_INV_NE:
    s = inv_ne(p);
    break;
  case L_INV_POS:
    s = inv_pos(p);
    break;
  case L_INV_MUL:
    s = inv_mul(p);
    break;
  case L_INV_INV:
    s = inv_inv(p);
    break;
  case L_SQRT_POS:
    s = sqrt_pos(p);
    break;
  case L_SQUARE:
    s = square(p);
    break;
  case L_DIVMOD:
    s = divmod(p);
    break;
  case L_DIV_LO:
    s = div_bound(p, true);
    break;
  case L_DIV_HI:
    s = div_bound(p, false);
    break;
  case L_NZ_LEFT:
    s = nz_side(p, true);
    break;
  case L_NZ_RIGHT:
    s = nz_side(p, false);
    break;
  case L_MAX_CONCAT:
    s = lemma_max_concat(p);
    break;
  case L_MAX_SPLIT:
    s = lemma_max_split(p);
    break;
  case L_MAX_ADD:
    s = lemma_max_through(p, THROUGH_ADD);
    break;
  case L_MAX_SCALE:
    s = lemma_max_through(p, THROUGH_SCALE);
    break;
  case L_MAX_EXP:
    s = lemma_max_through(p, THROUGH_EXP);
    break;
  case L_MAX_RELU:
    s = lemma_max_through(p, THROUGH_RELU);
    break;
  case L_MAX_NRELU:
    s = lemma_max_through(p, THROUGH_NRELU);
    break;
  case L_PROD_MUL:
    s = lemma_prod_mul(p);
    break;
  case L_PROD_ONE:
    s = lemma_prod_one(p);
    break;
  case L_PROD_CONCAT:
    s = lemma_prod_concat(p);
    break;
  case L_MAX_SWAP:
    s = lemma_max_swap(p);
    break;
  case L_SUM_INDEX:
    s = sum_index(p);
    break;
  case L_INT_SQUARE:
    s = int_square(p);
    break;
  case L_MIN_MAX:
    s = lemma_min_max(p);
    break;
  case L_MAX_FIRST:
    s = lemma_max_first(p);
    break;
  case L_EXP_INJ:
    s = lemma_exp_inj(p);
    break;
  case L_LOG_OF:
    s = lemma_log_of(p);
    break;
  case L_SQRT_OF:
    s = lemma_sqrt_of(p);
    break;
  case L_MAX_CONST:
    s = lemma_max_const(p);
    break;
  case L_MAX_GE:
    s = lemma_max_ge(p);
    break;
  case L_MAX_REVERSE:
    s = lemma_max_reverse(p);
    break;
  case L_REVERSE:
    s = reverse(p);
    break;
  case N_LEMMAS:
    break;
  }
  p->lemma_busy[l] = false;
  return p->lemma[l] = s;
}
