/* Ranges of maxima: constants, one element, two ranges, the range run backwards; a maximum is at
 * least each element and at most what all elements are. */
#include "pv.h"

static eqn none_of(ck_id t) {
  eqn e = {t, REFL};
  return e;
}

static ck_id iv(pv *p, const char *s) {
  return ck_var(p->T, s, 'i');
}

static ck_id rv(pv *p, const char *s) {
  return ck_var(p->T, s, 'r');
}

static ck_id fat(pv *p, ck_id a) {
  return a == CK_BAD ? CK_BAD : ck_app(p->T, "f", "i:r", &a, 1);
}

static uint32_t le00(pv *p) {
  return r_const(p, t_rel(p, CK_LE, p->zero, p->zero));
}

static ck_fsub fsub(pv *p, const ck_id *k, ck_id body) {
  ck_fsub s = {ck_word(p->T, "f"), ck_word(p->T, "i:r"), k, 1, body};
  return s;
}

/* 0 <= n:  max(k < n) x = x */
uint32_t lemma_max_const(pv *p) {
  ck_id n = iv(p, "n");
  ck_id j = iv(p, "j");
  ck_id k = iv(p, "k");
  ck_id x = rv(p, "x");
  ck_id z = p->zero;
  ck_id j1 = t_add(p, j, p->one);
#define F(b) t_rel(p, CK_EQ, mx_term(p, b, k, x), x)
  uint32_t hj = r_hyp(p, t_rel(p, CK_LE, z, j));
  uint32_t ih = r_hyp(p, F(j));
  uint32_t base = r_zero(p, mx_term(p, z, k, x), le00(p));
  uint32_t u = r_succ(p, mx_term(p, j1, k, x), j, hj);
  uint32_t step = eq_trans(p, eq_then_by(p, u, &ih, 1), mx_same(p, x));
  ck_id f = F(j);
  return r_induct(p, j, n, 0, &f, &base, &step, 1, r_hyp(p, t_rel(p, CK_LE, z, n)));
#undef F
}

/* 0 <= i, i < n:  f(i) <= max(k < n) f(k), which is the maximum up to i and that of the rest, the
 * first of which is f(i) */
uint32_t lemma_max_ge(pv *p) {
  ck_id n = iv(p, "n");
  ck_id i = iv(p, "i");
  ck_id k = iv(p, "k");
  ck_id z = p->zero;
  ck_id q = t_sub(p, t_sub(p, n, p->one), i);
  ck_id q1 = t_add(p, q, p->one);
  ck_id big = t_add(p, i, q1);
  ck_id fik = fat(p, t_add(p, i, k));
  ck_id y = rv(p, "y");
  ck_id w = rv(p, "w");
  uint32_t h0 = r_hyp(p, t_rel(p, CK_LE, z, i));
  uint32_t h1 = r_hyp(p, t_rel(p, CK_LT, i, n));
  uint32_t q0 = r_int(p, t_rel(p, CK_LE, z, q), h1);
  uint32_t prem[2] = {h0, q0};
  ck_summand m[2] = {{p->one, &q0, 1}, {p->one, NULL, 0}};
  uint32_t q10 = r_arith(p, t_rel(p, CK_LE, z, q1), m, 2);
  ck_vsub vs[2] = {{iv(p, "m"), i}, {iv(p, "q"), q}};
  ck_vsub v1 = {n, q1};
  ck_vsub v2[2] = {{y, mx_term(p, i, k, fat(p, k))}, {w, mx_term(p, q1, k, fik)}};
  ck_fsub fs = fsub(p, &k, fik);
  uint32_t cc = r_lemma(p, L_MAX_CONCAT, vs, 2, NULL, 0, prem, 2);
  uint32_t first = r_lemma(p, L_MAX_FIRST, &v1, 1, &fs, 1, &q10, 1);
  uint32_t two =
      r_inst(p, prove_goal(p, 0, t_rel(p, CK_LE, w, t_max2(p, y, w))), v2, 2, NULL, 0, NULL, 0);
  uint32_t en = r_arith0(p, t_rel(p, CK_EQ, n, big));
  uint32_t ei = r_arith0(p, t_rel(p, CK_EQ, i, t_add(p, i, z)));
  ck_id all = mx_term(p, n, k, fat(p, k));
  uint32_t c = r_cong(p, all, mx_term(p, big, k, fat(p, k)), &en, 1);
  uint32_t fi = r_cong(p, fat(p, i), fat(p, t_add(p, i, z)), &ei, 1);
  by b;
  by_start(&b); /* f(i) = f(i+0) <= max of the rest <= max2 = max over i + q1 = max over n */
  by_add(&b, p->one, fi);
  by_add(&b, p->one, first);
  by_add(&b, p->one, two);
  by_add(&b, t_int(p, -1), cc);
  by_add(&b, t_int(p, -1), c);
  return by_end(p, &b, t_rel(p, CK_LE, fat(p, i), all));
}

/* max(k < n) body <= c from s: body <= c, which may use 0 <= k and k < n; np: 0 < n */
uint32_t max_le(pv *p, ck_id n, ck_id k, ck_id body, ck_id c, uint32_t np, uint32_t s) {
  ck_id z = p->zero;
  ck_id k1 = t_add(p, k, p->one);
  ck_id x = rv(p, "x");
  ck_id y = rv(p, "y");
  ck_id w = rv(p, "w");
  ck_id f;
  ck_vsub at0 = {k, z};
  uint32_t prem[2] = {le00(p), np};
  uint32_t hk = r_hyp(p, t_rel(p, CK_LE, z, k));
  uint32_t cx;
  if (s == NO || np == NO)
    return NO;
#define F(b) t_rel(p, CK_LE, mx_term(p, b, k, body), c)
  by b;
  by_start(&b);
  by_add(&b, p->one, r_inst(p, s, &at0, 1, NULL, 0, prem, 2));
  by_add(&b, p->one, r_zero(p, mx_term(p, z, k, body), le00(p)));
  uint32_t base = by_end(p, &b, F(z));
  uint32_t ih = r_hyp(p, F(k));
  uint32_t u = r_succ(p, mx_term(p, k1, k, body), k, hk);
  uint32_t n0;
  cx = cx_push(p, cx_push(p, 0, t_rel(p, CK_LE, y, x), CK_BAD), t_rel(p, CK_LE, w, x), CK_BAD);
  uint32_t two = prove_goal(p, cx, t_rel(p, CK_LE, t_max2(p, y, w), x));
  uint32_t both[2] = {ih, s};
  ck_vsub v[3] = {{x, c}, {y, mx_term(p, k, k, body)}, {w, body}};
  by_start(&b);
  by_add(&b, p->one, r_inst(p, two, v, 3, NULL, 0, both, 2));
  by_add(&b, p->one, u);
  uint32_t step = by_end(p, &b, F(k1));
  n0 = r_arith1(p, t_rel(p, CK_LE, z, n), p->one, np);
  f = F(k);
  return r_induct(p, k, n, 0, &f, &base, &step, 1, n0);
#undef F
}

/* 0 < n:  max(k < n) f(k) = max(k < n) f(n-1-k) */
uint32_t lemma_max_reverse(pv *p) {
  ck_id n = iv(p, "n");
  ck_id k = iv(p, "k");
  ck_id i = iv(p, "i");
  ck_id z = p->zero;
  ck_id r = t_sub(p, t_sub(p, n, p->one), k);
  ck_id rr = t_sub(p, t_sub(p, n, p->one), r);
  ck_id up = mx_term(p, n, k, fat(p, k));
  ck_id down = mx_term(p, n, k, fat(p, r));
  uint32_t np = r_hyp(p, t_rel(p, CK_LT, z, n));
  uint32_t h0 = r_hyp(p, t_rel(p, CK_LE, z, k));
  uint32_t h1 = r_hyp(p, t_rel(p, CK_LT, k, n));
  uint32_t prem[2];
  prem[0] = r_int(p, t_rel(p, CK_LE, z, r), h1);
  ck_summand m[2] = {{p->one, &h0, 1}, {p->one, NULL, 0}};
  prem[1] = r_arith(p, t_rel(p, CK_LT, r, n), m, 2);
  ck_vsub v = {i, r};
  ck_fsub fs = fsub(p, &k, fat(p, r));
  uint32_t a = r_lemma(p, L_MAX_GE, &v, 1, NULL, 0, prem, 2);
  uint32_t b0 = r_lemma(p, L_MAX_GE, &v, 1, &fs, 1, prem, 2);
  uint32_t e = r_arith0(p, t_rel(p, CK_EQ, k, rr));
  uint32_t c = r_cong(p, fat(p, k), fat(p, rr), &e, 1);
  by b;
  by_start(&b);
  by_add(&b, p->one, b0);
  by_add(&b, p->one, c);
  uint32_t s = by_end(p, &b, t_rel(p, CK_LE, fat(p, k), down));
  return r_antisym(p, max_le(p, n, k, fat(p, k), down, np, s),
                   max_le(p, n, k, fat(p, r), up, np, a));
}

/* the fold t, with base init, as max(k < n) body with the base written out: the equation; NO if the
 * base is another */
static uint32_t written_out(pv *p, uint32_t cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body) {
  ck_id lit = mx_term(p, n, k, body);
  eqn b0 = norm(p, cx, ck_sub(p->T, body, &k, &p->zero, 1, NULL, 0));
  if (b0.s == NO || b0.t != init)
    return NO;
  if (b0.s == REFL)
    return lit == t ? REFL : NO;
  uint32_t back = eq_sym(p, b0.s);
  return r_cong(p, t, lit, &back, 1);
}

static eqn cut_max(pv *p, uint32_t cx, ck_id n, ck_id k, ck_id body, ck_id m, uint32_t s) {
  ck_id q = canon(p, t_sub(p, t_sub(p, n, m), p->one));
  ck_id mq = t_add(p, m, t_add(p, q, p->one));
  uint32_t prem[2] = {side(p, cx, t_rel(p, CK_LE, p->one, m)), NO};
  uint32_t e;
  uint32_t c;
  eqn r = {CK_BAD, NO};
  if (prem[0] == NO || (prem[1] = side(p, cx, t_rel(p, CK_LE, p->zero, q))) == NO)
    return r;
  prem[0] = side(p, cx, t_rel(p, CK_LE, p->zero, m));
  e = r_arith0(p, t_rel(p, CK_EQ, n, mq));
  c = n == mq ? REFL : r_cong(p, mx_term(p, n, k, body), mx_term(p, mq, k, body), &e, 1);
  ck_vsub v[2] = {{iv(p, "m"), m}, {iv(p, "q"), q}};
  ck_fsub f = fsub(p, &k, body);
  r.s = eq_trans(p, eq_trans(p, s, c), r_lemma(p, L_MAX_CONCAT, v, 2, &f, 1, prem, 2));
  if (r.s == NO)
    return r;
  r.t = rhs_of(p, r.s);
  return eq_then(p, r, norm(p, cx, r.t));
}

/* t = max over k < n of body, base init, all normal: the range cut, or seen to be trivial, or
 * turned */
eqn range_max(pv *p, uint32_t cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body) {
  enum { PLACES = 8 };

  eqn none = none_of(t);
  eqn r;
  ck_id m[PLACES + 1];
  uint32_t s;
  uint32_t np;
  uint32_t n0;
  ck_fsub f = fsub(p, &k, body);
  ck_vsub v[2] = {{iv(p, "n"), n}, {rv(p, "x"), body}};
  if ((s = side(p, cx, t_rel(p, CK_LE, n, p->zero))) != NO) {
    r.t = init;
    r.s = r_zero(p, t, s);
    return r.s == NO ? none : r;
  }
  n0 = side(p, cx, t_rel(p, CK_LE, p->zero, n));
  if (n0 == NO || (s = written_out(p, cx, t, n, init, k, body)) == NO)
    return none;
  if (!ck_has_var(p->T, body, k)) {
    r.t = body;
    r.s = eq_trans(p, s, r_lemma(p, L_MAX_CONST, v, 2, NULL, 0, &n0, 1));
    return r.s == NO ? none : r;
  }
  if (is_one(p, n)) { /* max2(f(0), f(0)) */
    ck_id first = mx_term(p, p->zero, k, body);
    uint32_t z = r_zero(p, first, le00(p));
    uint32_t u = r_succ(p, mx_term(p, n, k, body), p->zero, le00(p));
    s = eq_trans(p, s,
                 eq_trans(p, eq_then_by(p, u, &z, 1), z == NO ? NO : mx_same(p, rhs_of(p, z))));
    if (s == NO)
      return none;
    r.s = s;
    r.t = rhs_of(p, s);
    return eq_then(p, r, norm(p, cx, r.t));
  }
  np = cut_places(p, body, k, m, PLACES);
  if (ck_head(p->T, n) == CK_ADD) {
    ck_id first = n;
    while (ck_head(p->T, first) == CK_ADD)
      first = ck_kid(p->T, first, 0);
    m[np++] = first;
  }
  for (uint32_t i = 0; i < np; i++) {
    if (is_zero(p, m[i]) || m[i] == n)
      continue;
    r = cut_max(p, cx, n, k, body, m[i], s);
    if (r.s != NO)
      return r;
  }
  if ((n0 = side(p, cx, t_rel(p, CK_LT, p->zero, n))) != NO && runs_backwards(p, cx, n, k, body)) {
    r.s = eq_trans(p, s, r_lemma(p, L_MAX_REVERSE, v, 1, &f, 1, &n0, 1));
    if (r.s == NO)
      return none;
    r.t = rhs_of(p, r.s);
    return eq_then(p, r, norm(p, cx, r.t));
  }
  return none;
}

/* max over k < n of b1 = max of b2, from s: b1 = b2 for 0 <= k < n; np: 0 < n */
static uint32_t lift_max(pv *p, ck_id n, ck_id k, uint32_t s, uint32_t np) {
  if (s == REFL || s == NO)
    return s;
  ck_id acc = ck_var(p->T, "$$acc", 'r');
  ck_id vars[2] = {k, acc};
  ck_id b1 = lhs_of(p, s);
  ck_id b2 = rhs_of(p, s);
  ck_id from = mx_term(p, n, k, b1);
  ck_id to = mx_term(p, n, k, b2);
  ck_vsub at0 = {k, p->zero};
  uint32_t prem[2] = {le00(p), np};
  uint32_t two[2] = {s, s};
  uint32_t e0 = r_inst(p, s, &at0, 1, NULL, 0, prem, 2);
  uint32_t c = r_cong(p, t_max2(p, acc, b1), t_max2(p, acc, b2), two, 2);
  ck_id mid = t_fold1(p, n, ck_kid(p->T, to, 1), k, acc, t_max2(p, acc, b1));
  uint32_t first = mid == from ? REFL : r_cong(p, from, mid, &e0, 1);
  return eq_trans(p, first, r_foldcong(p, mid, to, vars, 2, &c, 1));
}

/* the argument at which body is one of the functions that maxima go through */
static bool way_of(pv *p, ck_id body, max_way *way, ck_id *arg) {
  poly f;
  bool ok;
  ck_id u = p->zero;
  poly_init(&f);
  poly_of(p, &f, body);
  ok = f.n == 1 && f.m[0].n > 0;
  if (ok && f.m[0].n == 1 && ck_head(p->T, f.m[0].a[0]) == CK_ITE &&
      (is_one(p, f.m[0].q) || f.m[0].q == t_int(p, -1))) {
    ck_id x = f.m[0].a[0];
    ck_id c = ck_kid(p->T, x, 0);
    ck_id e = ck_kid(p->T, x, 1);
    ok = ck_head(p->T, c) == CK_LE && is_zero(p, ck_kid(p->T, c, 0)) && ck_kid(p->T, c, 1) == e &&
         is_zero(p, ck_kid(p->T, x, 2));
    *way = is_one(p, f.m[0].q) ? THROUGH_RELU : THROUGH_NRELU;
    *arg = *way == THROUGH_RELU ? e : canon(p, t_neg(p, e));
  } else {
    ok = ok && is_one(p, f.m[0].q);
    for (uint32_t i = 0; ok && i < f.m[0].n; i++) {
      ck_id a = f.m[0].a[i];
      bool inv = ck_head(p->T, a) == CK_INV;
      if (inv)
        a = ck_kid(p->T, a, 0);
      ok = ck_head(p->T, a) == CK_EXP;
      if (ok)
        u = inv ? t_sub(p, u, ck_kid(p->T, a, 0)) : t_add(p, u, ck_kid(p->T, a, 0));
    }
    *way = THROUGH_EXP;
    *arg = canon(p, u);
  }
  poly_clear(&f);
  return ok;
}

/* t = max over k < n of body, all normal, where body is an increasing function of something: the
 * function of the maximum.  Maxima of maxima: the one with the lesser bound outside. */
eqn monotone_max(pv *p, uint32_t cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body) {
  static const pv_lemma law[] = {L_MAX_ADD, L_MAX_SCALE, L_MAX_EXP, L_MAX_RELU, L_MAX_NRELU};
  eqn none = none_of(t);
  eqn r;
  max_way way;
  ck_id a;
  ck_id same_k;
  ck_id f;
  uint32_t in;
  uint32_t np = side(p, cx, t_rel(p, CK_LT, p->zero, n));
  uint32_t s = np == NO ? NO : written_out(p, cx, t, n, init, k, body);
  uint32_t n0;
  if (s == NO)
    return none;
  n0 = r_arith1(p, t_rel(p, CK_LE, p->zero, n), p->one, np);
  ck_vsub v[2] = {{iv(p, "n"), n}, {iv(p, "m"), CK_BAD}};
  if (way_of(p, body, &way, &a)) {
    ck_id other = max_through_term(p, way, p->zero, a);
    uint32_t e = REFL;
    ck_fsub fs = fsub(p, &k, a);
    in = cx_bind(p, cx, n, &same_k);
    if (other != body) {
      eqn back = norm(p, in, other);
      if (same_k != k || back.s == NO || back.t != body)
        return none;
      e = eq_sym(p, back.s);
    }
    r.s = eq_trans(p, eq_trans(p, s, lift_max(p, n, k, e, np)),
                   r_lemma(p, law[way], v, 1, &fs, 1, &n0, 1));
  } else if (is_max(p, body, &f) && ck_is_closed(p->T, ck_kid(p->T, body, 0)) &&
             !ck_has_var(p->T, ck_kid(p->T, body, 0), k)) {
    ck_id m = ck_kid(p->T, body, 0);
    ck_id l;
    uint32_t mp = side(p, cx, t_rel(p, CK_LT, p->zero, m));
    uint32_t prem[2] = {np, mp};
    int c = t_cmp(p, m, n);
    in = cx_bind(p, cx, n, &same_k);
    cx_bind(p, in, m, &l);
    ck_id inner = max_body(p, body, l);
    ck_id par[2] = {k, l};
    ck_fsub fs = {ck_word(p->T, "f2"), ck_word(p->T, "ii:r"), par, 2, inner};
    if (mp == NO || c > 0)
      return none;
    v[1].term = m;
    r.s = eq_trans(p, s, r_lemma(p, L_MAX_SWAP, v, 2, &fs, 1, prem, 2));
    if (r.s != NO && c == 0) { /* the same bounds: the lesser term */
      ck_id both[2] = {k, l};
      ck_id swapped[2] = {l, k};
      if (t_cmp(p, ck_sub(p->T, inner, both, swapped, 2, NULL, 0), inner) >= 0)
        return none;
    }
  } else {
    return none;
  }
  if (r.s == NO)
    return none;
  r.t = rhs_of(p, r.s);
  return eq_then(p, r, norm(p, cx, r.t));
}

/* 0 < n, 0 < m:  max(i < n) max(k < m) f2(i, k) = max(k < m) max(i < n) f2(i, k): each element is
 * on both sides */
uint32_t lemma_max_swap(pv *p) {
  ck_id b[2] = {iv(p, "n"), iv(p, "m")};
  ck_id v[2] = {iv(p, "i0"), iv(p, "k0")};
  ck_id f = ck_app(p->T, "f2", "ii:r", v, 2);
  ck_id side_of[2];
  uint32_t half[2];
  uint32_t pos[2] = {r_hyp(p, t_rel(p, CK_LT, p->zero, b[0])),
                     r_hyp(p, t_rel(p, CK_LT, p->zero, b[1]))};
  for (int i = 0; i < 2; i++)
    side_of[i] = mx_term(p, b[i], v[i], mx_term(p, b[1 - i], v[1 - i], f)); /* outer counter v[i] */
  for (int i = 0; i < 2; i++) {
    int o = 1 - i;
    ck_id in = mx_term(p, b[i], v[i], f); /* side o: outer v[o], inner in */
    uint32_t h[2][2];
    for (int j = 0; j < 2; j++) {
      h[j][0] = r_hyp(p, t_rel(p, CK_LE, p->zero, v[j]));
      h[j][1] = r_hyp(p, t_rel(p, CK_LT, v[j], b[j]));
    }
    ck_vsub s1[2] = {{iv(p, "n"), b[i]}, {iv(p, "i"), v[i]}};
    ck_vsub s2[2] = {{iv(p, "n"), b[o]}, {iv(p, "i"), v[o]}};
    ck_fsub f1 = fsub(p, &v[i], f);
    ck_fsub f2 = fsub(p, &v[o], in);
    uint32_t a = r_lemma(p, L_MAX_GE, s1, 2, &f1, 1, h[i], 2);
    uint32_t c = r_lemma(p, L_MAX_GE, s2, 2, &f2, 1, h[o], 2); /* f <= in; in <= side o */
    by s;
    by_start(&s);
    by_add(&s, p->one, a);
    by_add(&s, p->one, c);
    uint32_t le = by_end(p, &s, t_rel(p, CK_LE, f, side_of[o]));
    uint32_t inner = max_le(p, b[o], v[o], f, side_of[o], pos[o], le);
    half[i] = max_le(p, b[i], v[i], mx_term(p, b[o], v[o], f), side_of[o], pos[i], inner);
  }
  return r_antisym(p, half[0], half[1]);
}
