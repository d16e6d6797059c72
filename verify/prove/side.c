/* Side conditions on real terms: nonzero, positive, nonnegative; and facts out of the hypotheses,
 * clauses included. */
#include "pv.h"
#include <stdlib.h>

typedef uint32_t (*asker)(pv *p, uint32_t cx, ck_id x);

static ck_id gt0(pv *p, ck_id a) {
  return t_rel(p, CK_LT, p->zero, a);
}

static ck_id ge0(pv *p, ck_id a) {
  return t_rel(p, CK_LE, p->zero, a);
}

static ck_id ne0(pv *p, ck_id a) {
  return t_rel(p, CK_NE, a, p->zero);
}

/* remembers answers, and that a question is being asked: asked again inside, it is given up */
static uint32_t asked(pv *p, uint32_t cx, ck_id goal, asker f, ck_id x) {
  uint64_t v;
  uint64_t key = ((uint64_t)cx << 32) | goal;
  if (map_get(&p->rel_memo, key, 1, &v)) {
    if (v == NO - 2) {
      p->cut = true;
      return NO;
    }
    return (uint32_t)v;
  }
  bool cut = p->cut;
  p->cut = false;
  map_put(&p->rel_memo, key, 1, NO - 2);
  uint32_t s = f(p, cx, x);
  if (s == NO && p->cut)
    map_put(&p->rel_memo, key, 1, NO - 3); /* given up: may be asked again */
  else
    map_put(&p->rel_memo, key, 1, s);
  p->cut = cut || (s == NO && p->cut);
  return s;
}

static uint32_t ask(pv *p, uint32_t cx, ck_id goal, asker f, ck_id x) {
  uint64_t v;
  uint32_t s = cx_find(p, cx, goal);
  if (s != NO)
    return s;
  if (map_get(&p->rel_memo, ((uint64_t)cx << 32) | goal, 1, &v) && v == NO - 3) {
    /* once more, unless it has been given up often */
    uint64_t n = 0;
    map_get(&p->rel_memo, ((uint64_t)cx << 32) | goal, 2, &n);
    if (n >= 3) {
      p->cut = true;
      return NO;
    }
    map_put(&p->rel_memo, ((uint64_t)cx << 32) | goal, 2, n + 1);
    map_put(&p->rel_memo, ((uint64_t)cx << 32) | goal, 1, NO - 2);
    bool cut = p->cut;
    p->cut = false;
    s = f(p, cx, x);
    map_put(&p->rel_memo, ((uint64_t)cx << 32) | goal, 1, s == NO && p->cut ? NO - 3 : s);
    p->cut = cut || (s == NO && p->cut);
    return s;
  }
  return asked(p, cx, goal, f, x);
}

/* --- sums: 0 <= body gives 0 <= sum; 0 < body and 0 < n give 0 < sum */
static uint32_t sum_sign(pv *p, uint32_t cx, ck_id t, bool strict) {
  ck_id n = ck_kid(p->T, t, 0);
  ck_id k;
  ck_id z = p->zero;
  ck_id body;
  uint32_t in = cx_bind(p, cx, n, &k);
  uint32_t n0 = side(p, cx, strict ? gt0(p, n) : ge0(p, n));
  uint32_t bp;
  if (n0 == NO)
    return NO;
  body = sum_body(p, t, k);
  bp = strict ? positive(p, in, body) : nonneg(p, in, body);
  if (bp == NO)
    return NO;
#define S(x) t_sum(p, x, k, body)
  ck_id k1 = t_add(p, k, p->one);
  ck_id f = ge0(p, S(k));
  uint32_t le0 = r_const(p, ge0(p, z));
  uint32_t hk = r_hyp(p, ge0(p, k));
  uint32_t base = r_arith1(p, ge0(p, S(z)), t_int(p, -1), r_zero(p, S(z), le0));
  uint32_t su = r_succ(p, S(k1), k, hk);
  uint32_t ih = r_hyp(p, f);
  ck_summand m[3] = {{t_int(p, -1), &su, 1}, {p->one, &ih, 1}, {p->one, &bp, 1}};
  uint32_t step = r_arith(p, ge0(p, S(k1)), m, 3);
  if (!strict)
    return r_induct(p, k, n, 0, &f, &base, &step, 1, n0);
  /* weakly up to n-1, then one step: bp at k := n-1 */
  ck_id last = t_sub(p, n, p->one);
  uint32_t p0 = r_int(p, ge0(p, last), n0);
  uint32_t kl = r_hyp(p, t_rel(p, CK_LT, k, last));
  ck_summand w[2] = {{p->one, &kl, 1}, {p->one, NULL, 0}};
  uint32_t kn = r_arith(p, t_rel(p, CK_LT, k, n), w, 2);
  uint32_t step2 = r_inst(p, step, NULL, 0, NULL, 0, &kn, 1);
  uint32_t weak = r_induct(p, k, last, 0, &f, &base, &step2, 1, p0);
  w[0].prem = NULL;
  w[0].n = 0;
  uint32_t ln = r_arith(p, t_rel(p, CK_LT, last, n), w, 1);
  uint32_t prem[2] = {p0, ln};
  ck_vsub v = {k, last};
  uint32_t bl = r_inst(p, bp, &v, 1, NULL, 0, prem, 2);
  uint32_t s1 = r_succ(p, S(n), last, p0);
  ck_summand e[3] = {{t_int(p, -1), &s1, 1}, {p->one, &weak, 1}, {p->one, &bl, 1}};
  return r_arith(p, gt0(p, t), e, 3);
#undef S
}

/* relation rel about ite(c, a, b) when it holds of a under c and of b under not c */
static uint32_t ite_sign(pv *p, uint32_t cx, ck_id x, ck_op rel) {
  ck_id c = ck_kid(p->T, x, 0);
  ck_id part[2] = {ck_kid(p->T, x, 1), ck_kid(p->T, x, 2)};
  ck_id cond[2] = {c, ck_neg(p->T, c)};
  uint32_t res[2];
  for (int i = 0; i < 2; i++) {
    uint32_t in = cx_push(p, cx, cond[i], CK_BAD);
    uint32_t s = rel == CK_LT ? positive(p, in, part[i]) : nonneg(p, in, part[i]);
    uint32_t h = r_hyp(p, cond[i]);
    if (s == NO)
      return NO;
    uint32_t l = r_law(p, i ? "ite0" : "ite1", &x, 1, h);
    ck_summand m[2] = {{p->one, &s, 1}, {t_int(p, -1), &l, 1}};
    res[i] = r_arith(p, t_rel(p, rel, p->zero, x), m, 2);
  }
  return r_cases(p, c, res[0], res[1]);
}

uint32_t ne_positive(pv *p, ck_id x, uint32_t ge, uint32_t nz) {
  ck_id le = t_rel(p, CK_LE, x, p->zero);
  uint32_t z = r_antisym(p, r_hyp(p, le), ge);
  uint32_t i = r_law(p, "inv", &x, 1, nz);
  ck_summand m[2] = {{p->one, &i, 1}, {t_neg(p, t_op(p, CK_INV, x)), &z, 1}};
  uint32_t bad = r_arith(p, t_rel(p, CK_EQ, p->zero, p->one), m, 2);
  return r_cases(p, gt0(p, x), r_hyp(p, gt0(p, x)), absurd(p, gt0(p, x), bad));
}

static uint32_t pos_atom(pv *p, uint32_t cx, ck_id x) {
  ck_op o = ck_head(p->T, x);
  ck_vsub v = {ck_var(p->T, "x", 'r'), CK_BAD};
  uint32_t s = NO;
  if (ck_is_int(p->T, x)) {
    s = side_int(p, cx, gt0(p, x));
  } else if (o == CK_EXP) {
    v.term = ck_kid(p->T, x, 0);
    s = r_lemma(p, L_EXP_POS, &v, 1, NULL, 0, NULL, 0);
  } else if (o == CK_INV || o == CK_SQRT) {
    v.term = ck_kid(p->T, x, 0);
    uint32_t u = positive(p, cx, v.term);
    if (u != NO)
      s = r_lemma(p, o == CK_INV ? L_INV_POS : L_SQRT_POS, &v, 1, NULL, 0, &u, 1);
  } else if (is_sum(p, x)) {
    s = sum_sign(p, cx, x, true);
  } else if (o == CK_ITE) {
    s = ite_sign(p, cx, x, CK_LT);
  }
  if (s == NO)
    s = fact_match(p, cx, CK_LT, x);
  if (s == NO && o != CK_ITE && !is_sum(p, x) && o != CK_EXP) { /* 0 <= x and x # 0 */
    uint32_t ge = o == CK_SQRT ? nonneg(p, cx, x) : fact_match(p, cx, CK_LE, x);
    uint32_t nz = ge == NO ? NO : fact_match(p, cx, CK_NE, x);
    if (nz != NO)
      s = ne_positive(p, x, ge, nz);
  }
  return s;
}

static uint32_t nonneg_atom(pv *p, uint32_t cx, ck_id x) {
  ck_op o = ck_head(p->T, x);
  uint32_t s = NO;
  if (ck_is_int(p->T, x))
    return side_int(p, cx, ge0(p, x));
  if (o == CK_SQRT) {
    ck_id y = ck_kid(p->T, x, 0);
    uint32_t u = nonneg(p, cx, y);
    return u == NO ? NO : r_law(p, "sqrt>", &y, 1, u);
  }
  if (is_sum(p, x))
    s = sum_sign(p, cx, x, false);
  if (s == NO && o == CK_ITE)
    s = ite_sign(p, cx, x, CK_LE);
  if (s == NO) {
    uint32_t u = pos_atom(p, cx, x);
    if (u != NO)
      s = r_arith1(p, ge0(p, x), p->one, u);
  }
  return s == NO ? fact_match(p, cx, CK_LE, x) : s;
}

static uint32_t mul_step(pv *p, ck_op rel, ck_id xy, uint32_t a, uint32_t b) {
  uint32_t ab[2] = {a, b};
  ck_summand m = {rel == CK_NE ? t_int(p, -1) : p->one, ab, 2};
  if (a == NO || b == NO)
    return NO;
  return r_arith(p, rel == CK_NE ? ne0(p, xy) : t_rel(p, rel, p->zero, xy), &m, 1);
}

/* one monomial q*atoms; q > 0 unless rel is # */
static uint32_t mono_sign(pv *p, uint32_t cx, const mono *m, ck_op rel) {
  ck_id t = m->q;
  uint32_t s = rel == CK_NE         ? r_const(p, ne0(p, m->q))
               : q_sgn(p, m->q) > 0 ? r_const(p, t_rel(p, rel, p->zero, m->q))
                                    : NO;
  for (uint32_t i = 0; i < m->n && s != NO; i++) {
    uint32_t a;
    ck_id x = m->a[i];
    if (rel == CK_LE && i + 1 < m->n && m->a[i + 1] == x) {
      ck_vsub v = {ck_var(p->T, "x", 'r'), x};
      a = r_lemma(p, L_SQUARE, &v, 1, NULL, 0, NULL, 0);
      x = t_mul(p, x, x);
      i++;
    } else {
      a = rel == CK_NE ? nonzero(p, cx, x) : rel == CK_LT ? positive(p, cx, x) : nonneg(p, cx, x);
    }
    t = t_mul(p, t, x);
    s = mul_step(p, rel, t, s, a);
  }
  return s;
}

static uint32_t pos_poly(pv *p, uint32_t cx, ck_id x, bool strict) {
  poly f;
  by b;
  bool some = false;
  bool ok = true;
  uint32_t s = NO;
  poly_init(&f);
  by_start(&b);
  poly_of(p, &f, x);
  for (uint32_t i = 0; i < f.n && ok; i++) {
    uint32_t u = strict ? mono_sign(p, cx, &f.m[i], CK_LT) : NO;
    if (u != NO)
      some = true;
    else
      u = mono_sign(p, cx, &f.m[i], CK_LE);
    if (u == NO)
      ok = false;
    else
      by_add(&b, p->one, u);
  }
  if (ok && (some || !strict))
    s = by_end(p, &b, strict ? gt0(p, x) : ge0(p, x));
  else
    by_drop(&b);
  poly_clear(&f);
  return s;
}

static bool is_atom(const pv *p, ck_id x) {
  ck_op o = ck_head(p->T, x);
  return o != CK_ADD && o != CK_MUL && o != CK_Q;
}

static uint32_t positive_now(pv *p, uint32_t cx, ck_id x) {
  if (is_atom(p, x))
    return pos_atom(p, cx, x);
  uint32_t s = fact_match(p, cx, CK_LT, x);
  if (s == NO && ck_is_int(p->T, x))
    s = side_int(p, cx, gt0(p, x));
  return s == NO ? pos_poly(p, cx, x, true) : s;
}

/* squares as they were written, before they are multiplied out */
static uint32_t nonneg_now(pv *p, uint32_t cx, ck_id x) {
  ck_op o = ck_head(p->T, x);
  if (is_atom(p, x))
    return nonneg_atom(p, cx, x);
  if (o == CK_Q)
    return q_sgn(p, x) >= 0 ? r_const(p, ge0(p, x)) : NO;
  ck_id a = ck_kid(p->T, x, 0);
  ck_id b = ck_kid(p->T, x, 1);
  uint32_t s;
  uint32_t u;
  uint32_t v;
  if (o == CK_MUL && a == b) {
    ck_vsub sub = {ck_var(p->T, "x", 'r'), a};
    return r_lemma(p, L_SQUARE, &sub, 1, NULL, 0, NULL, 0);
  }
  s = fact_match(p, cx, CK_LE, x);
  if (s == NO && ck_is_int(p->T, x))
    s = side_int(p, cx, ge0(p, x));
  if (s == NO)
    s = pos_poly(p, cx, x, false);
  if (s != NO)
    return s;
  u = nonneg(p, cx, a);
  v = u == NO ? NO : nonneg(p, cx, b);
  if (v == NO)
    return NO;
  if (o == CK_MUL)
    return mul_step(p, CK_LE, x, u, v);
  ck_summand m[2] = {{p->one, &u, 1}, {p->one, &v, 1}};
  return r_arith(p, ge0(p, x), m, 2);
}

/* sqrt x # 0 among the hypotheses, and 0 <= x: then x # 0 */
static uint32_t by_root(pv *p, uint32_t cx, ck_id x) {
  ck_id r = t_op(p, CK_SQRT, x);
  uint32_t nz = fact_match(p, cx, CK_NE, r);
  uint32_t ge = nz == NO ? NO : nonneg(p, cx, x);
  uint32_t two[2] = {nz, nz};
  if (ge == NO)
    return NO;
  uint32_t sq = r_law(p, "sqrt2", &x, 1, ge);
  ck_summand m[2] = {{t_int(p, -1), two, 2}, {t_int(p, -1), &sq, 1}};
  return r_arith(p, ne0(p, x), m, 2);
}

static uint32_t nonzero_now(pv *p, uint32_t cx, ck_id x) {
  ck_op o = ck_head(p->T, x);
  uint32_t s = fact_match(p, cx, CK_NE, x);
  if (s != NO)
    return s;
  if (o == CK_Q)
    return q_sgn(p, x) ? r_const(p, ne0(p, x)) : NO;
  if (!ck_is_int(p->T, x) && (s = by_root(p, cx, x)) != NO)
    return s;
  if (o == CK_INV) {
    ck_vsub v = {ck_var(p->T, "x", 'r'), ck_kid(p->T, x, 0)};
    uint32_t u = nonzero(p, cx, v.term);
    return u == NO ? NO : r_lemma(p, L_INV_NE, &v, 1, NULL, 0, &u, 1);
  }
  if (ck_is_int(p->T, x))
    return side_int(p, cx, ne0(p, x));
  if (is_atom(p, x)) {
    s = positive(p, cx, x);
  } else {
    poly f;
    poly_init(&f);
    poly_of(p, &f, x);
    if (f.n == 1) {
      uint32_t u = mono_sign(p, cx, &f.m[0], CK_NE);
      if (u != NO)
        s = r_same(p, ne0(p, x), u);
    }
    bool multi = f.n > 1;
    poly_clear(&f);
    if (s != NO || !multi)
      return s;
    s = positive(p, cx, x);
    if (s == NO) {
      ck_id n = canon(p, t_neg(p, x));
      s = pos_poly(p, cx, n, true);
      return s == NO ? NO : r_arith1(p, ne0(p, x), p->one, s);
    }
  }
  return s == NO ? NO : r_arith1(p, ne0(p, x), t_int(p, -1), s);
}

uint32_t nonzero(pv *p, uint32_t cx, ck_id x) {
  cx = cx_strip(p, cx, x);
  return ask(p, cx, ne0(p, x), nonzero_now, x);
}

uint32_t positive(pv *p, uint32_t cx, ck_id x) {
  cx = cx_strip(p, cx, x);
  return ask(p, cx, gt0(p, x), positive_now, x);
}

uint32_t nonneg(pv *p, uint32_t cx, ck_id x) {
  cx = cx_strip(p, cx, x);
  return ask(p, cx, ge0(p, x), nonneg_now, x);
}

/* --- any relation */
static uint32_t real_rel(pv *p, uint32_t cx, ck_id f) {
  ck_op o = ck_head(p->T, f);
  ck_id a = ck_kid(p->T, f, 0);
  ck_id b = ck_kid(p->T, f, 1);
  ck_id d;
  uint32_t s = NO;
  bool left0 = a == p->zero;
  bool right0 = b == p->zero;
  if (o == CK_EQ)
    return NO;
  if (o == CK_NE)
    d = right0 ? a : left0 ? b : t_sub(p, b, a);
  else
    d = left0 ? b : t_sub(p, b, a);
  asker q = o == CK_NE ? nonzero : o == CK_LT ? positive : nonneg;
  if (o == CK_LE && left0)
    s = nonneg(p, cx, d); /* as written */
  if (s == NO) {
    eqn e = norm(p, cx, d);
    if (e.s == NO)
      return NO;
    s = q(p, cx, e.t);
    if (s != NO && e.s != REFL) { /* from 0 < e.t to 0 < d; e: d = e.t */
      by m;
      by_start(&m);
      by_add(&m, p->one, s);
      by_add(&m, o == CK_NE ? p->one : t_int(p, -1), e.s);
      s = by_end(p, &m, o == CK_NE ? ne0(p, d) : t_rel(p, o, p->zero, d));
    }
  }
  if (s == NO)
    return NO;
  if (thm(p, s) == f)
    return s;
  return o == CK_NE ? r_arith1(p, f, right0 ? p->one : t_int(p, -1), s) : r_arith1(p, f, p->one, s);
}

uint32_t side(pv *p, uint32_t cx, ck_id f) {
  if (f == CK_BAD)
    return NO;
  cx = cx_strip(p, cx, f);
  uint32_t s = cx_find(p, cx, f);
  if (s != NO)
    return s;
  bool ints = ck_is_int(p->T, ck_kid(p->T, f, 0)) && ck_is_int(p->T, ck_kid(p->T, f, 1));
  if (ints)
    s = side_int(p, cx, f);
  if (s == NO && ints) { /* with quotients and remainders simplified */
    eqn a = norm(p, cx, ck_kid(p->T, f, 0));
    eqn b = norm(p, cx, ck_kid(p->T, f, 1));
    if (a.s != NO && b.s != NO && (a.s != REFL || b.s != REFL)) {
      ck_id g = t_rel(p, ck_head(p->T, f), a.t, b.t);
      uint32_t u = cx_find(p, cx, g);
      if (u == NO)
        u = side_int(p, cx, g);
      if (u != NO) {
        by m;
        by_start(&m); /* f: b0-a0 = (b-a) + (a - a0) - (b - b0) */
        by_add(&m, p->one, u);
        by_add(&m, p->one, a.s);
        by_add(&m, t_int(p, -1), b.s);
        return by_end(p, &m, f);
      }
    }
  }
  if (s == NO && !ints)
    s = real_rel(p, cx, f);
  return s == NO ? lp_prove(p, cx, f) : s;
}

/* --- facts out of the hypotheses */
uint32_t fact_normal(pv *p, uint32_t cx, uint32_t s, ck_id *nf) {
  if (s == NO)
    return NO;
  ck_id f = thm(p, s);
  ck_op o = ck_head(p->T, f);
  ck_id a = ck_kid(p->T, f, 0);
  ck_id b = ck_kid(p->T, f, 1);
  ck_id d;
  ck_id g;
  uint64_t v;
  d = o == CK_NE ? (b == p->zero ? a : t_sub(p, b, a)) : (a == p->zero ? b : t_sub(p, b, a));
  if (map_get(&p->inst_memo, ((uint64_t)cx << 32) | f, 0, &v)) {
    *nf = (ck_id)(v >> 32);
    return (uint32_t)v;
  }
  for (size_t i = 0; i < p->fact_busy.n; i++) {
    if (AS_VEC_AT(&p->fact_busy, uint64_t, i) == f) {
      p->cut = true;
      return NO;
    }
  }
  uint64_t me = f;
  as_vec_push(&p->fact_busy, &me);
  bool cut = p->cut;
  p->cut = false;
  eqn e = norm(p, cx, d);
  p->fact_busy.n--;
  uint32_t r = NO;
  if (e.s != NO) {
    by m;
    by_start(&m);
    g = o == CK_NE ? ne0(p, e.t) : t_rel(p, o, p->zero, e.t);
    by_add(&m, o == CK_NE && b != p->zero ? t_int(p, -1) : p->one, s);
    by_add(&m, o == CK_NE ? t_int(p, -1) : p->one, e.s);
    r = by_end(p, &m, g);
    *nf = e.t;
  }
  if (r != NO && !p->cut)
    map_put(&p->inst_memo, ((uint64_t)cx << 32) | f, 0, ((uint64_t)*nf << 32) | r);
  p->cut = cut || p->cut;
  return r;
}

/* x # 0 / 0 <= x / 0 < x from the fact s of the same kind about nf */
static uint32_t fact_fits(pv *p, ck_op rel, ck_id x, uint32_t s, ck_id nf) {
  poly f;
  poly g;
  uint32_t r = NO;
  if (nf == x)
    return s;
  poly_init(&f);
  poly_init(&g);
  poly_of(p, &f, nf);
  poly_of(p, &g, x);
  if (f.n == g.n && f.n > 0 && f.m[0].n <= 64) { /* f = c*g */
    ck_id c = CK_BAD;
    for (uint32_t j = 0; j < g.n; j++) {
      if (g.m[j].n == f.m[0].n && !mono_div(f.m[0].a, f.m[0].n, g.m[j].a, g.m[j].n, (ck_id[64]){0}))
        c = q_mul(p, g.m[j].q, q_inv(p, f.m[0].q));
    }
    if (c != CK_BAD && (rel == CK_NE || q_sgn(p, c) > 0) &&
        canon(p, t_mul(p, c, nf)) == canon(p, x))
      r = r_arith1(p, rel == CK_NE ? ne0(p, x) : t_rel(p, rel, p->zero, x), c, s);
  }
  if (r == NO && rel == CK_NE && f.n == 1 && f.m[0].n > 1 && is_atom(p, x) &&
      mono_has(&f.m[0], x)) {
    ck_id *rest = as_malloc((f.m[0].n + 1) * sizeof *rest);
    int k = mono_div(f.m[0].a, f.m[0].n, &x, 1, rest);
    ck_id y = mono_term(p, f.m[0].q, rest, (uint32_t)k);
    ck_id xy = t_mul(p, x, y);
    free(rest);
    ck_vsub v[2] = {{ck_var(p->T, "x", 'r'), x}, {ck_var(p->T, "y", 'r'), y}};
    uint32_t w = r_same(p, ne0(p, xy), s);
    r = r_lemma(p, L_NZ_LEFT, v, 2, NULL, 0, &w, 1);
  }
  poly_clear(&f);
  poly_clear(&g);
  return r;
}

static uint32_t try_fact(pv *p, uint32_t cx, ck_op rel, ck_id x, uint32_t s) {
  ck_id nf = CK_BAD;
  if (s == NO)
    return NO;
  ck_op o = ck_head(p->T, thm(p, s));
  uint32_t u = fact_normal(p, cx, s, &nf);
  if (u == NO)
    return NO;
  if (rel == CK_LE && o == CK_LT)
    u = r_arith1(p, ge0(p, nf), p->one, u);
  if (rel == CK_NE && o == CK_LT)
    u = r_arith1(p, ne0(p, nf), t_int(p, -1), u);
  return fact_fits(p, rel, x, u, nf);
}

static uint32_t clause_match(pv *p, uint32_t cx, ck_op rel, ck_id x, uint32_t h) {
  uint32_t inst[12];
  uint32_t n = clause_instances(p, cx, h, x, inst, 12);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t s = try_fact(p, cx, rel, x, inst[i]);
    if (s != NO)
      return s;
  }
  return NO;
}

uint32_t fact_match(pv *p, uint32_t cx, ck_op rel, ck_id x) {
  for (int clauses = 0; clauses < 2; clauses++) {
    for (uint32_t c = cx; c != 0; c = CX(p, c).parent) {
      ck_id f = CX(p, c).formula;
      ck_id g = f;
      bool all = ck_head(p->T, f) == CK_ALL;
      uint32_t s;
      if (all != (clauses == 1))
        continue;
      if (all)
        g = ck_kid(p->T, f, ck_nkids(p->T, f) - 1);
      ck_op o = ck_head(p->T, g);
      if (o == CK_EQ || (o != rel && !(o == CK_LT && rel != CK_LT)))
        continue;
      if (ck_is_int(p->T, ck_kid(p->T, g, 0)) && ck_is_int(p->T, ck_kid(p->T, g, 1)))
        continue;
      s = all ? clause_match(p, cx, rel, x, CX(p, c).step) : try_fact(p, cx, rel, x, CX(p, c).step);
      if (s != NO)
        return s;
    }
  }
  return NO;
}
