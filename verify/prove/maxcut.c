/* Ranges of maxima: constants, one element, two ranges, the range run backwards; a maximum is at
 * least each element and at most what all elements are. */
#include "pv_folds.h"

/* 0 <= n:  max(k < n) x = x */
pv_thm pv_derive_max_const(pv *p) {
  ck_id n = pv_int_var(p, "n");
  ck_id j = pv_int_var(p, "j");
  ck_id k = pv_int_var(p, "k");
  ck_id x = pv_real_var(p, "x");
  ck_id z = p->zero;
  ck_id j1 = pv_add(p, j, p->one);
#define F(b) pv_eq(p, pv_max(p, b, k, x), x)
  pv_thm hj = pv_hyp(p, pv_le(p, z, j));
  pv_thm ih = pv_hyp(p, F(j));
  pv_thm base = pv_zero(p, pv_max(p, z, k, x), pv_zero_le_zero(p));
  pv_thm u = pv_succ(p, pv_max(p, j1, k, x), j, hj);
  pv_thm step = pv_trans(p, pv_then_rewrite(p, u, &ih, 1), pv_max_same(p, x));
  ck_id f = F(j);
  return pv_induct(p, j, n, 0, &f, &base, &step, 1, pv_hyp(p, pv_le(p, z, n)));
#undef F
}

/* 0 <= i, i < n:  f(i) <= max(k < n) f(k), which is the maximum up to i and that of the rest, the
 * first of which is f(i) */
pv_thm pv_derive_max_ge(pv *p) {
  ck_id n = pv_int_var(p, "n");
  ck_id i = pv_int_var(p, "i");
  ck_id k = pv_int_var(p, "k");
  ck_id z = p->zero;
  ck_id q = pv_sub(p, pv_sub(p, n, p->one), i);
  ck_id q1 = pv_add(p, q, p->one);
  ck_id big = pv_add(p, i, q1);
  ck_id fik = pv_apply(p, "f", pv_add(p, i, k));
  ck_id y = pv_real_var(p, "y");
  ck_id w = pv_real_var(p, "w");
  pv_thm h0 = pv_hyp(p, pv_le(p, z, i));
  pv_thm h1 = pv_hyp(p, pv_lt(p, i, n));
  pv_thm q0 = pv_int(p, pv_le(p, z, q), h1);
  pv_thm prem[2] = {h0, q0};
  pv_summand m[2] = {{p->one, &q0, 1}, {p->one, NULL, 0}};
  pv_thm q10 = pv_arith(p, pv_le(p, z, q1), m, 2);
  pv_var_sub vs[2] = {{pv_int_var(p, "m"), i}, {pv_int_var(p, "q"), q}};
  pv_var_sub v1 = {n, q1};
  pv_var_sub v2[2] = {{y, pv_max(p, i, k, pv_apply(p, "f", k))}, {w, pv_max(p, q1, k, fik)}};
  ck_fsub fs = pv_fun_sub(p, "f", &k, fik);
  pv_thm cc = pv_use_lemma(p, PV_MAX_CONCAT, vs, 2, NULL, 0, prem, 2);
  pv_thm first = pv_use_lemma(p, PV_MAX_FIRST, &v1, 1, &fs, 1, &q10, 1);
  pv_thm two =
      pv_inst(p, pv_prove_goal(p, 0, pv_le(p, w, pv_max2(p, y, w))), v2, 2, NULL, 0, NULL, 0);
  pv_thm en = pv_identity(p, pv_eq(p, n, big));
  pv_thm ei = pv_identity(p, pv_eq(p, i, pv_add(p, i, z)));
  ck_id all = pv_max(p, n, k, pv_apply(p, "f", k));
  pv_thm c = pv_cong(p, all, pv_max(p, big, k, pv_apply(p, "f", k)), &en, 1);
  pv_thm fi = pv_cong(p, pv_apply(p, "f", i), pv_apply(p, "f", pv_add(p, i, z)), &ei, 1);
  pv_comb b;
  pv_comb_init(&b); /* f(i) = f(i+0) <= max of the rest <= max2 = max over i + q1 = max over n */
  pv_comb_add(&b, p->one, fi);
  pv_comb_add(&b, p->one, first);
  pv_comb_add(&b, p->one, two);
  pv_comb_add(&b, pv_num(p, -1), cc);
  pv_comb_add(&b, pv_num(p, -1), c);
  return pv_comb_prove(p, &b, pv_le(p, pv_apply(p, "f", i), all));
}

/* max(k < n) body <= c from s: body <= c, which may use 0 <= k and k < n; np: 0 < n */
pv_thm pv_max_le(pv *p, ck_id n, ck_id k, ck_id body, ck_id c, pv_thm np, pv_thm s) {
  ck_id z = p->zero;
  ck_id k1 = pv_add(p, k, p->one);
  ck_id x = pv_real_var(p, "x");
  ck_id y = pv_real_var(p, "y");
  ck_id w = pv_real_var(p, "w");
  ck_id f;
  pv_var_sub at0 = {k, z};
  pv_thm prem[2] = {pv_zero_le_zero(p), np};
  pv_thm hk = pv_hyp(p, pv_le(p, z, k));
  pv_ctx cx;
  if (s == PV_NONE || np == PV_NONE)
    return PV_NONE;
#define F(b) pv_le(p, pv_max(p, b, k, body), c)
  pv_comb b;
  pv_comb_init(&b);
  pv_comb_add(&b, p->one, pv_inst(p, s, &at0, 1, NULL, 0, prem, 2));
  pv_comb_add(&b, p->one, pv_zero(p, pv_max(p, z, k, body), pv_zero_le_zero(p)));
  pv_thm base = pv_comb_prove(p, &b, F(z));
  pv_thm ih = pv_hyp(p, F(k));
  pv_thm u = pv_succ(p, pv_max(p, k1, k, body), k, hk);
  pv_thm n0;
  cx = pv_ctx_push(p, pv_ctx_push(p, 0, pv_le(p, y, x), CK_BAD), pv_le(p, w, x), CK_BAD);
  pv_thm two = pv_prove_goal(p, cx, pv_le(p, pv_max2(p, y, w), x));
  pv_thm both[2] = {ih, s};
  pv_var_sub v[3] = {{x, c}, {y, pv_max(p, k, k, body)}, {w, body}};
  pv_comb_init(&b);
  pv_comb_add(&b, p->one, pv_inst(p, two, v, 3, NULL, 0, both, 2));
  pv_comb_add(&b, p->one, u);
  pv_thm step = pv_comb_prove(p, &b, F(k1));
  n0 = pv_scaled(p, pv_le(p, z, n), p->one, np);
  f = F(k);
  return pv_induct(p, k, n, 0, &f, &base, &step, 1, n0);
#undef F
}

/* 0 < n:  max(k < n) f(k) = max(k < n) f(n-1-k) */
pv_thm pv_derive_max_reverse(pv *p) {
  ck_id n = pv_int_var(p, "n");
  ck_id k = pv_int_var(p, "k");
  ck_id i = pv_int_var(p, "i");
  ck_id z = p->zero;
  ck_id r = pv_sub(p, pv_sub(p, n, p->one), k);
  ck_id rr = pv_sub(p, pv_sub(p, n, p->one), r);
  ck_id up = pv_max(p, n, k, pv_apply(p, "f", k));
  ck_id down = pv_max(p, n, k, pv_apply(p, "f", r));
  pv_thm np = pv_hyp(p, pv_lt(p, z, n));
  pv_thm h0 = pv_hyp(p, pv_le(p, z, k));
  pv_thm h1 = pv_hyp(p, pv_lt(p, k, n));
  pv_thm prem[2];
  prem[0] = pv_int(p, pv_le(p, z, r), h1);
  pv_summand m[2] = {{p->one, &h0, 1}, {p->one, NULL, 0}};
  prem[1] = pv_arith(p, pv_lt(p, r, n), m, 2);
  pv_var_sub v = {i, r};
  ck_fsub fs = pv_fun_sub(p, "f", &k, pv_apply(p, "f", r));
  pv_thm a = pv_use_lemma(p, PV_MAX_GE, &v, 1, NULL, 0, prem, 2);
  pv_thm b0 = pv_use_lemma(p, PV_MAX_GE, &v, 1, &fs, 1, prem, 2);
  pv_thm e = pv_identity(p, pv_eq(p, k, rr));
  pv_thm c = pv_cong(p, pv_apply(p, "f", k), pv_apply(p, "f", rr), &e, 1);
  pv_comb b;
  pv_comb_init(&b);
  pv_comb_add(&b, p->one, b0);
  pv_comb_add(&b, p->one, c);
  pv_thm s = pv_comb_prove(p, &b, pv_le(p, pv_apply(p, "f", k), down));
  return pv_antisym(p, pv_max_le(p, n, k, pv_apply(p, "f", k), down, np, s),
                    pv_max_le(p, n, k, pv_apply(p, "f", r), up, np, a));
}

/* the fold t, with base init, as max(k < n) body with the base written out: the equation; PV_NONE
 * if the base is another */
static pv_thm written_out(pv *p, pv_ctx cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body) {
  ck_id lit = pv_max(p, n, k, body);
  pv_eqn b0 = pv_norm(p, cx, ck_sub(p->terms, body, &k, &p->zero, 1, NULL, 0));
  if (b0.by == PV_NONE || b0.to != init)
    return PV_NONE;
  if (b0.by == PV_REFL)
    return lit == t ? PV_REFL : PV_NONE;
  pv_thm back = pv_sym(p, b0.by);
  return pv_cong(p, t, lit, &back, 1);
}

static pv_eqn cut_max(pv *p, pv_ctx cx, ck_id n, ck_id k, ck_id body, ck_id m, pv_thm s) {
  ck_id q = pv_canon(p, pv_sub(p, pv_sub(p, n, m), p->one));
  ck_id mq = pv_add(p, m, pv_add(p, q, p->one));
  pv_thm prem[2] = {pv_follows(p, cx, pv_le(p, p->one, m)), PV_NONE};
  pv_thm e;
  pv_thm c;
  pv_eqn r = {CK_BAD, PV_NONE};
  if (prem[0] == PV_NONE || (prem[1] = pv_follows(p, cx, pv_ge0(p, q))) == PV_NONE)
    return r;
  prem[0] = pv_follows(p, cx, pv_ge0(p, m));
  e = pv_identity(p, pv_eq(p, n, mq));
  c = n == mq ? PV_REFL : pv_cong(p, pv_max(p, n, k, body), pv_max(p, mq, k, body), &e, 1);
  pv_var_sub v[2] = {{pv_int_var(p, "m"), m}, {pv_int_var(p, "q"), q}};
  ck_fsub f = pv_fun_sub(p, "f", &k, body);
  r.by = pv_trans(p, pv_trans(p, s, c), pv_use_lemma(p, PV_MAX_CONCAT, v, 2, &f, 1, prem, 2));
  if (r.by == PV_NONE)
    return r;
  r.to = pv_right(p, r.by);
  return pv_then(p, r, pv_norm(p, cx, r.to));
}

/* t = max over k < n of body, base init, all normal: the range cut, or seen to be trivial, or
 * turned */
pv_eqn pv_range_max(pv *p, pv_ctx cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body) {
  enum { PLACES = 8 };

  pv_eqn none = pv_same(t);
  pv_eqn r;
  ck_id m[PLACES + 1];
  pv_thm s;
  uint32_t np;
  pv_thm n0;
  ck_fsub f = pv_fun_sub(p, "f", &k, body);
  pv_var_sub v[2] = {{pv_int_var(p, "n"), n}, {pv_real_var(p, "x"), body}};
  if ((s = pv_follows(p, cx, pv_le(p, n, p->zero))) != PV_NONE) {
    r.to = init;
    r.by = pv_zero(p, t, s);
    return r.by == PV_NONE ? none : r;
  }
  n0 = pv_follows(p, cx, pv_ge0(p, n));
  if (n0 == PV_NONE || (s = written_out(p, cx, t, n, init, k, body)) == PV_NONE)
    return none;
  if (!ck_has_var(p->terms, body, k)) {
    r.to = body;
    r.by = pv_trans(p, s, pv_use_lemma(p, PV_MAX_CONST, v, 2, NULL, 0, &n0, 1));
    return r.by == PV_NONE ? none : r;
  }
  if (pv_is_one(p, n)) { /* max2(f(0), f(0)) */
    ck_id first = pv_max(p, p->zero, k, body);
    pv_thm z = pv_zero(p, first, pv_zero_le_zero(p));
    pv_thm u = pv_succ(p, pv_max(p, n, k, body), p->zero, pv_zero_le_zero(p));
    s = pv_trans(p, s,
                 pv_trans(p, pv_then_rewrite(p, u, &z, 1),
                          z == PV_NONE ? PV_NONE : pv_max_same(p, pv_right(p, z))));
    if (s == PV_NONE)
      return none;
    r.by = s;
    r.to = pv_right(p, s);
    return pv_then(p, r, pv_norm(p, cx, r.to));
  }
  np = pv_cut_places(p, body, k, m, PLACES);
  if (ck_head(p->terms, n) == CK_ADD) {
    ck_id first = n;
    while (ck_head(p->terms, first) == CK_ADD)
      first = ck_kid(p->terms, first, 0);
    m[np++] = first;
  }
  for (uint32_t i = 0; i < np; i++) {
    if (pv_is_zero(p, m[i]) || m[i] == n)
      continue;
    r = cut_max(p, cx, n, k, body, m[i], s);
    if (r.by != PV_NONE)
      return r;
  }
  if ((n0 = pv_follows(p, cx, pv_gt0(p, n))) != PV_NONE && pv_runs_backwards(p, cx, n, k, body)) {
    r.by = pv_trans(p, s, pv_use_lemma(p, PV_MAX_REVERSE, v, 1, &f, 1, &n0, 1));
    if (r.by == PV_NONE)
      return none;
    r.to = pv_right(p, r.by);
    return pv_then(p, r, pv_norm(p, cx, r.to));
  }
  return none;
}

/* max over k < n of b1 = max of b2, from s: b1 = b2 for 0 <= k < n; np: 0 < n */
static pv_thm lift_max(pv *p, ck_id n, ck_id k, pv_thm s, pv_thm np) {
  if (s == PV_REFL || s == PV_NONE)
    return s;
  ck_id acc = pv_real_var(p, "$$acc");
  ck_id vars[2] = {k, acc};
  ck_id b1 = pv_left(p, s);
  ck_id b2 = pv_right(p, s);
  ck_id from = pv_max(p, n, k, b1);
  ck_id to = pv_max(p, n, k, b2);
  pv_var_sub at0 = {k, p->zero};
  pv_thm prem[2] = {pv_zero_le_zero(p), np};
  pv_thm two[2] = {s, s};
  pv_thm e0 = pv_inst(p, s, &at0, 1, NULL, 0, prem, 2);
  pv_thm c = pv_cong(p, pv_max2(p, acc, b1), pv_max2(p, acc, b2), two, 2);
  ck_id mid = pv_fold1(p, n, ck_kid(p->terms, to, 1), k, acc, pv_max2(p, acc, b1));
  pv_thm first = mid == from ? PV_REFL : pv_cong(p, from, mid, &e0, 1);
  return pv_trans(p, first, pv_foldcong(p, mid, to, vars, 2, &c, 1));
}

/* the argument at which body is one of the functions that maxima go through */
static bool way_of(pv *p, ck_id body, pv_max_way *way, ck_id *arg) {
  pv_poly f;
  bool ok;
  ck_id u = p->zero;
  pv_poly_init(&f);
  pv_poly_read(p, &f, body);
  ok = f.count == 1 && f.monos[0].degree > 0;
  if (ok && f.monos[0].degree == 1 && ck_head(p->terms, f.monos[0].atoms[0]) == CK_ITE &&
      (pv_is_one(p, f.monos[0].coef) || f.monos[0].coef == pv_num(p, -1))) {
    ck_id x = f.monos[0].atoms[0];
    ck_id c = ck_kid(p->terms, x, 0);
    ck_id e = ck_kid(p->terms, x, 1);
    ok = ck_head(p->terms, c) == CK_LE && pv_is_zero(p, ck_kid(p->terms, c, 0)) &&
         ck_kid(p->terms, c, 1) == e && pv_is_zero(p, ck_kid(p->terms, x, 2));
    *way = pv_is_one(p, f.monos[0].coef) ? PV_THROUGH_RELU : PV_THROUGH_NRELU;
    *arg = *way == PV_THROUGH_RELU ? e : pv_canon(p, pv_neg(p, e));
  } else {
    ok = ok && pv_is_one(p, f.monos[0].coef);
    for (uint32_t i = 0; ok && i < f.monos[0].degree; i++) {
      ck_id a = f.monos[0].atoms[i];
      bool inv = ck_head(p->terms, a) == CK_INV;
      if (inv)
        a = ck_kid(p->terms, a, 0);
      ok = ck_head(p->terms, a) == CK_EXP;
      if (ok)
        u = inv ? pv_sub(p, u, ck_kid(p->terms, a, 0)) : pv_add(p, u, ck_kid(p->terms, a, 0));
    }
    *way = PV_THROUGH_EXP;
    *arg = pv_canon(p, u);
  }
  pv_poly_clear(&f);
  return ok;
}

/* t = max over k < n of body, all normal, where body is an increasing function of something: the
 * function of the maximum.  Maxima of maxima: the one with the lesser bound outside. */
pv_eqn pv_monotone_max(pv *p, pv_ctx cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body) {
  static const pv_lemma_id law[] = {PV_MAX_ADD, PV_MAX_SCALE, PV_MAX_EXP, PV_MAX_RELU,
                                    PV_MAX_NRELU};
  pv_eqn none = pv_same(t);
  pv_eqn r;
  pv_max_way way;
  ck_id a;
  ck_id same_k;
  ck_id f;
  pv_ctx in;
  pv_thm np = pv_follows(p, cx, pv_gt0(p, n));
  pv_thm s = np == PV_NONE ? PV_NONE : written_out(p, cx, t, n, init, k, body);
  pv_thm n0;
  if (s == PV_NONE)
    return none;
  n0 = pv_scaled(p, pv_ge0(p, n), p->one, np);
  pv_var_sub v[2] = {{pv_int_var(p, "n"), n}, {pv_int_var(p, "m"), CK_BAD}};
  if (way_of(p, body, &way, &a)) {
    ck_id other = pv_max_through_term(p, way, p->zero, a);
    pv_thm e = PV_REFL;
    ck_fsub fs = pv_fun_sub(p, "f", &k, a);
    in = pv_ctx_bind(p, cx, n, &same_k);
    if (other != body) {
      pv_eqn back = pv_norm(p, in, other);
      if (same_k != k || back.by == PV_NONE || back.to != body)
        return none;
      e = pv_sym(p, back.by);
    }
    r.by = pv_trans(p, pv_trans(p, s, lift_max(p, n, k, e, np)),
                    pv_use_lemma(p, law[way], v, 1, &fs, 1, &n0, 1));
  } else if (pv_is_max(p, body, &f) && ck_is_closed(p->terms, ck_kid(p->terms, body, 0)) &&
             !ck_has_var(p->terms, ck_kid(p->terms, body, 0), k)) {
    ck_id m = ck_kid(p->terms, body, 0);
    ck_id l;
    pv_thm mp = pv_follows(p, cx, pv_gt0(p, m));
    pv_thm prem[2] = {np, mp};
    int c = pv_order(p, m, n);
    in = pv_ctx_bind(p, cx, n, &same_k);
    pv_ctx_bind(p, in, m, &l);
    ck_id inner = pv_max_body(p, body, l);
    ck_id par[2] = {k, l};
    ck_fsub fs = pv_fun2_sub(p, "f2", par, inner);
    if (mp == PV_NONE || c > 0)
      return none;
    v[1].term = m;
    r.by = pv_trans(p, s, pv_use_lemma(p, PV_MAX_SWAP, v, 2, &fs, 1, prem, 2));
    if (r.by != PV_NONE && c == 0) { /* the same bounds: the lesser term */
      ck_id both[2] = {k, l};
      ck_id swapped[2] = {l, k};
      if (pv_order(p, ck_sub(p->terms, inner, both, swapped, 2, NULL, 0), inner) >= 0)
        return none;
    }
  } else {
    return none;
  }
  if (r.by == PV_NONE)
    return none;
  r.to = pv_right(p, r.by);
  return pv_then(p, r, pv_norm(p, cx, r.to));
}

/* 0 < n, 0 < m:  max(i < n) max(k < m) f2(i, k) = max(k < m) max(i < n) f2(i, k): each element is
 * on both sides */
pv_thm pv_derive_max_swap(pv *p) {
  ck_id b[2] = {pv_int_var(p, "n"), pv_int_var(p, "m")};
  ck_id v[2] = {pv_int_var(p, "i0"), pv_int_var(p, "k0")};
  ck_id f = ck_app(p->terms, "f2", "ii:r", v, 2);
  ck_id side_of[2];
  pv_thm half[2];
  pv_thm pos[2] = {pv_hyp(p, pv_gt0(p, b[0])), pv_hyp(p, pv_gt0(p, b[1]))};
  for (int i = 0; i < 2; i++)
    side_of[i] = pv_max(p, b[i], v[i], pv_max(p, b[1 - i], v[1 - i], f)); /* outer counter v[i] */
  for (int i = 0; i < 2; i++) {
    int o = 1 - i;
    ck_id in = pv_max(p, b[i], v[i], f); /* side o: outer v[o], inner in */
    pv_thm h[2][2];
    for (int j = 0; j < 2; j++) {
      h[j][0] = pv_hyp(p, pv_ge0(p, v[j]));
      h[j][1] = pv_hyp(p, pv_lt(p, v[j], b[j]));
    }
    pv_var_sub s1[2] = {{pv_int_var(p, "n"), b[i]}, {pv_int_var(p, "i"), v[i]}};
    pv_var_sub s2[2] = {{pv_int_var(p, "n"), b[o]}, {pv_int_var(p, "i"), v[o]}};
    ck_fsub f1 = pv_fun_sub(p, "f", &v[i], f);
    ck_fsub f2 = pv_fun_sub(p, "f", &v[o], in);
    pv_thm a = pv_use_lemma(p, PV_MAX_GE, s1, 2, &f1, 1, h[i], 2);
    pv_thm c = pv_use_lemma(p, PV_MAX_GE, s2, 2, &f2, 1, h[o], 2); /* f <= in; in <= side o */
    pv_comb s;
    pv_comb_init(&s);
    pv_comb_add(&s, p->one, a);
    pv_comb_add(&s, p->one, c);
    pv_thm le = pv_comb_prove(p, &s, pv_le(p, f, side_of[o]));
    pv_thm inner = pv_max_le(p, b[o], v[o], f, side_of[o], pos[o], le);
    half[i] = pv_max_le(p, b[i], v[i], pv_max(p, b[o], v[o], f), side_of[o], pos[i], inner);
  }
  return pv_antisym(p, half[0], half[1]);
}
