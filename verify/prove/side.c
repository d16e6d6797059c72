/* Side conditions on real terms: nonzero, positive, nonnegative; and facts out of the hypotheses,
 * clauses included. */
#include "pv_norm.h"
#include "src/base/mem.h"
#include <stdlib.h>

typedef uint32_t (*asker)(pv *p, uint32_t cx, ck_id x);

/* remembers answers, and that a question is being asked: asked again inside, it is given up */
static pv_thm asked(pv *p, pv_ctx cx, ck_id goal, asker f, ck_id x) {
  uint64_t v;
  uint64_t key = ((uint64_t)cx << 32) | goal;
  if (as_map_get(&p->rel_memo, AS_KEY(key, 1), &v)) {
    if (v == PV_NONE - 2) {
      p->cut = true;
      return PV_NONE;
    }
    return (uint32_t)v;
  }
  bool cut = p->cut;
  p->cut = false;
  as_map_put(&p->rel_memo, AS_KEY(key, 1), PV_NONE - 2);
  pv_thm s = f(p, cx, x);
  if (s == PV_NONE && p->cut)
    as_map_put(&p->rel_memo, AS_KEY(key, 1), PV_NONE - 3); /* given up: may be asked again */
  else
    as_map_put(&p->rel_memo, AS_KEY(key, 1), s);
  p->cut = cut || (s == PV_NONE && p->cut);
  return s;
}

static pv_thm ask(pv *p, pv_ctx cx, ck_id goal, asker f, ck_id x) {
  uint64_t v;
  pv_thm s = pv_ctx_find(p, cx, goal);
  if (s != PV_NONE)
    return s;
  if (as_map_get(&p->rel_memo, AS_KEY(((uint64_t)cx << 32) | goal, 1), &v) && v == PV_NONE - 3) {
    /* once more, unless it has been given up often */
    uint64_t n = 0;
    as_map_get(&p->rel_memo, AS_KEY(((uint64_t)cx << 32) | goal, 2), &n);
    if (n >= 3) {
      p->cut = true;
      return PV_NONE;
    }
    as_map_put(&p->rel_memo, AS_KEY(((uint64_t)cx << 32) | goal, 2), n + 1);
    as_map_put(&p->rel_memo, AS_KEY(((uint64_t)cx << 32) | goal, 1), PV_NONE - 2);
    bool cut = p->cut;
    p->cut = false;
    s = f(p, cx, x);
    as_map_put(&p->rel_memo, AS_KEY(((uint64_t)cx << 32) | goal, 1),
               s == PV_NONE && p->cut ? PV_NONE - 3 : s);
    p->cut = cut || (s == PV_NONE && p->cut);
    return s;
  }
  return asked(p, cx, goal, f, x);
}

/* --- sums: 0 <= body gives 0 <= sum; 0 < body and 0 < n give 0 < sum */
static pv_thm sum_sign(pv *p, pv_ctx cx, ck_id t, bool strict) {
  ck_id n = ck_kid(p->terms, t, 0);
  ck_id k;
  ck_id z = p->zero;
  ck_id body;
  pv_ctx in = pv_ctx_bind(p, cx, n, &k);
  pv_thm n0 = pv_follows(p, cx, strict ? pv_gt0(p, n) : pv_ge0(p, n));
  pv_thm bp;
  if (n0 == PV_NONE)
    return PV_NONE;
  body = pv_sum_body(p, t, k);
  bp = strict ? pv_positive(p, in, body) : pv_nonneg(p, in, body);
  if (bp == PV_NONE)
    return PV_NONE;
#define S(x) pv_sum(p, x, k, body)
  ck_id k1 = pv_add(p, k, p->one);
  ck_id f = pv_ge0(p, S(k));
  pv_thm le0 = pv_by_value(p, pv_ge0(p, z));
  pv_thm hk = pv_hyp(p, pv_ge0(p, k));
  pv_thm base = pv_scaled(p, pv_ge0(p, S(z)), pv_num(p, -1), pv_zero(p, S(z), le0));
  pv_thm su = pv_succ(p, S(k1), k, hk);
  pv_thm ih = pv_hyp(p, f);
  pv_summand m[3] = {{pv_num(p, -1), &su, 1}, {p->one, &ih, 1}, {p->one, &bp, 1}};
  pv_thm step = pv_arith(p, pv_ge0(p, S(k1)), m, 3);
  if (!strict)
    return pv_induct(p, k, n, 0, &f, &base, &step, 1, n0);
  /* weakly up to n-1, then one step: bp at k := n-1 */
  ck_id last = pv_sub(p, n, p->one);
  pv_thm p0 = pv_int(p, pv_ge0(p, last), n0);
  pv_thm kl = pv_hyp(p, pv_lt(p, k, last));
  pv_summand w[2] = {{p->one, &kl, 1}, {p->one, NULL, 0}};
  pv_thm kn = pv_arith(p, pv_lt(p, k, n), w, 2);
  pv_thm step2 = pv_inst(p, step, NULL, 0, NULL, 0, &kn, 1);
  pv_thm weak = pv_induct(p, k, last, 0, &f, &base, &step2, 1, p0);
  w[0].premises = NULL;
  w[0].count = 0;
  pv_thm ln = pv_arith(p, pv_lt(p, last, n), w, 1);
  pv_thm prem[2] = {p0, ln};
  pv_var_sub v = {k, last};
  pv_thm bl = pv_inst(p, bp, &v, 1, NULL, 0, prem, 2);
  pv_thm s1 = pv_succ(p, S(n), last, p0);
  pv_summand e[3] = {{pv_num(p, -1), &s1, 1}, {p->one, &weak, 1}, {p->one, &bl, 1}};
  return pv_arith(p, pv_gt0(p, t), e, 3);
#undef S
}

/* relation rel about ite(c, a, b) when it holds of a under c and of b under not c */
static pv_thm ite_sign(pv *p, pv_ctx cx, ck_id x, ck_op rel) {
  ck_id c = ck_kid(p->terms, x, 0);
  ck_id part[2] = {ck_kid(p->terms, x, 1), ck_kid(p->terms, x, 2)};
  ck_id cond[2] = {c, ck_neg(p->terms, c)};
  pv_thm res[2];
  for (int i = 0; i < 2; i++) {
    pv_ctx in = pv_ctx_push(p, cx, cond[i], CK_BAD);
    pv_thm s = rel == CK_LT ? pv_positive(p, in, part[i]) : pv_nonneg(p, in, part[i]);
    pv_thm h = pv_hyp(p, cond[i]);
    if (s == PV_NONE)
      return PV_NONE;
    pv_thm l = pv_law(p, i ? "ite0" : "ite1", &x, 1, h);
    pv_summand m[2] = {{p->one, &s, 1}, {pv_num(p, -1), &l, 1}};
    res[i] = pv_arith(p, pv_rel(p, rel, p->zero, x), m, 2);
  }
  return pv_cases(p, c, res[0], res[1]);
}

pv_thm pv_positive_of_nonzero(pv *p, ck_id x, pv_thm ge, pv_thm nz) {
  ck_id le = pv_le(p, x, p->zero);
  pv_thm z = pv_antisym(p, pv_hyp(p, le), ge);
  pv_thm i = pv_law(p, "inv", &x, 1, nz);
  pv_summand m[2] = {{p->one, &i, 1}, {pv_neg(p, pv_inv(p, x)), &z, 1}};
  pv_thm bad = pv_arith(p, pv_eq(p, p->zero, p->one), m, 2);
  return pv_cases(p, pv_gt0(p, x), pv_hyp(p, pv_gt0(p, x)),
                  pv_from_zero_is_one(p, pv_gt0(p, x), bad));
}

static pv_thm pos_atom(pv *p, pv_ctx cx, ck_id x) {
  ck_op o = ck_head(p->terms, x);
  pv_var_sub v = {pv_real_var(p, "x"), CK_BAD};
  pv_thm s = PV_NONE;
  if (ck_is_int(p->terms, x)) {
    s = pv_follows_int(p, cx, pv_gt0(p, x));
  } else if (o == CK_EXP) {
    v.term = ck_kid(p->terms, x, 0);
    s = pv_use_lemma(p, PV_EXP_POS, &v, 1, NULL, 0, NULL, 0);
  } else if (o == CK_INV || o == CK_SQRT) {
    v.term = ck_kid(p->terms, x, 0);
    pv_thm u = pv_positive(p, cx, v.term);
    if (u != PV_NONE)
      s = pv_use_lemma(p, o == CK_INV ? PV_INV_POS : PV_SQRT_POS, &v, 1, NULL, 0, &u, 1);
  } else if (pv_is_sum(p, x)) {
    s = sum_sign(p, cx, x, true);
  } else if (o == CK_ITE) {
    s = ite_sign(p, cx, x, CK_LT);
  }
  if (s == PV_NONE)
    s = pv_fact_match(p, cx, CK_LT, x);
  if (s == PV_NONE && o != CK_ITE && !pv_is_sum(p, x) && o != CK_EXP) { /* 0 <= x and x # 0 */
    pv_thm ge = o == CK_SQRT ? pv_nonneg(p, cx, x) : pv_fact_match(p, cx, CK_LE, x);
    pv_thm nz = ge == PV_NONE ? PV_NONE : pv_fact_match(p, cx, CK_NE, x);
    if (nz != PV_NONE)
      s = pv_positive_of_nonzero(p, x, ge, nz);
  }
  return s;
}

static pv_thm nonneg_atom(pv *p, pv_ctx cx, ck_id x) {
  ck_op o = ck_head(p->terms, x);
  pv_thm s = PV_NONE;
  if (ck_is_int(p->terms, x))
    return pv_follows_int(p, cx, pv_ge0(p, x));
  if (o == CK_SQRT) {
    ck_id y = ck_kid(p->terms, x, 0);
    pv_thm u = pv_nonneg(p, cx, y);
    return u == PV_NONE ? PV_NONE : pv_law(p, "sqrt>", &y, 1, u);
  }
  if (pv_is_sum(p, x))
    s = sum_sign(p, cx, x, false);
  if (s == PV_NONE && o == CK_ITE)
    s = ite_sign(p, cx, x, CK_LE);
  if (s == PV_NONE) {
    pv_thm u = pos_atom(p, cx, x);
    if (u != PV_NONE)
      s = pv_scaled(p, pv_ge0(p, x), p->one, u);
  }
  return s == PV_NONE ? pv_fact_match(p, cx, CK_LE, x) : s;
}

static pv_thm mul_step(pv *p, ck_op rel, ck_id xy, pv_thm a, pv_thm b) {
  pv_thm ab[2] = {a, b};
  pv_summand m = {rel == CK_NE ? pv_num(p, -1) : p->one, ab, 2};
  if (a == PV_NONE || b == PV_NONE)
    return PV_NONE;
  return pv_arith(p, rel == CK_NE ? pv_ne0(p, xy) : pv_rel(p, rel, p->zero, xy), &m, 1);
}

/* one monomial q*atoms; q > 0 unless rel is # */
static pv_thm mono_sign(pv *p, pv_ctx cx, const pv_mono *m, ck_op rel) {
  ck_id t = m->coef;
  pv_thm s = rel == CK_NE                    ? pv_by_value(p, pv_ne0(p, m->coef))
             : pv_const_sign(p, m->coef) > 0 ? pv_by_value(p, pv_rel(p, rel, p->zero, m->coef))
                                             : PV_NONE;
  for (uint32_t i = 0; i < m->degree && s != PV_NONE; i++) {
    pv_thm a;
    ck_id x = m->atoms[i];
    if (rel == CK_LE && i + 1 < m->degree && m->atoms[i + 1] == x) {
      pv_var_sub v = {pv_real_var(p, "x"), x};
      a = pv_use_lemma(p, PV_SQUARE, &v, 1, NULL, 0, NULL, 0);
      x = pv_mul(p, x, x);
      i++;
    } else {
      a = rel == CK_NE   ? pv_nonzero(p, cx, x)
          : rel == CK_LT ? pv_positive(p, cx, x)
                         : pv_nonneg(p, cx, x);
    }
    t = pv_mul(p, t, x);
    s = mul_step(p, rel, t, s, a);
  }
  return s;
}

static pv_thm pos_poly(pv *p, pv_ctx cx, ck_id x, bool strict) {
  pv_poly f;
  pv_comb b;
  bool some = false;
  bool ok = true;
  pv_thm s = PV_NONE;
  pv_poly_init(&f);
  pv_comb_init(&b);
  pv_poly_read(p, &f, x);
  for (uint32_t i = 0; i < f.count && ok; i++) {
    pv_thm u = strict ? mono_sign(p, cx, &f.monos[i], CK_LT) : PV_NONE;
    if (u != PV_NONE)
      some = true;
    else
      u = mono_sign(p, cx, &f.monos[i], CK_LE);
    if (u == PV_NONE)
      ok = false;
    else
      pv_comb_add(&b, p->one, u);
  }
  if (ok && (some || !strict))
    s = pv_comb_prove(p, &b, strict ? pv_gt0(p, x) : pv_ge0(p, x));
  else
    pv_comb_clear(&b);
  pv_poly_clear(&f);
  return s;
}

static bool is_atom(const pv *p, ck_id x) {
  ck_op o = ck_head(p->terms, x);
  return o != CK_ADD && o != CK_MUL && o != CK_Q;
}

static pv_thm positive_now(pv *p, pv_ctx cx, ck_id x) {
  if (is_atom(p, x))
    return pos_atom(p, cx, x);
  pv_thm s = pv_fact_match(p, cx, CK_LT, x);
  if (s == PV_NONE && ck_is_int(p->terms, x))
    s = pv_follows_int(p, cx, pv_gt0(p, x));
  return s == PV_NONE ? pos_poly(p, cx, x, true) : s;
}

/* squares as they were written, before they are multiplied out */
static pv_thm nonneg_now(pv *p, pv_ctx cx, ck_id x) {
  ck_op o = ck_head(p->terms, x);
  if (is_atom(p, x))
    return nonneg_atom(p, cx, x);
  if (o == CK_Q)
    return pv_const_sign(p, x) >= 0 ? pv_by_value(p, pv_ge0(p, x)) : PV_NONE;
  ck_id a = ck_kid(p->terms, x, 0);
  ck_id b = ck_kid(p->terms, x, 1);
  pv_thm s;
  pv_thm u;
  pv_thm v;
  if (o == CK_MUL && a == b) {
    pv_var_sub sub = {pv_real_var(p, "x"), a};
    return pv_use_lemma(p, PV_SQUARE, &sub, 1, NULL, 0, NULL, 0);
  }
  s = pv_fact_match(p, cx, CK_LE, x);
  if (s == PV_NONE && ck_is_int(p->terms, x))
    s = pv_follows_int(p, cx, pv_ge0(p, x));
  if (s == PV_NONE)
    s = pos_poly(p, cx, x, false);
  if (s != PV_NONE)
    return s;
  u = pv_nonneg(p, cx, a);
  v = u == PV_NONE ? PV_NONE : pv_nonneg(p, cx, b);
  if (v == PV_NONE)
    return PV_NONE;
  if (o == CK_MUL)
    return mul_step(p, CK_LE, x, u, v);
  pv_summand m[2] = {{p->one, &u, 1}, {p->one, &v, 1}};
  return pv_arith(p, pv_ge0(p, x), m, 2);
}

/* sqrt x # 0 among the hypotheses, and 0 <= x: then x # 0 */
static pv_thm by_root(pv *p, pv_ctx cx, ck_id x) {
  ck_id r = pv_sqrt(p, x);
  pv_thm nz = pv_fact_match(p, cx, CK_NE, r);
  pv_thm ge = nz == PV_NONE ? PV_NONE : pv_nonneg(p, cx, x);
  pv_thm two[2] = {nz, nz};
  if (ge == PV_NONE)
    return PV_NONE;
  pv_thm sq = pv_law(p, "sqrt2", &x, 1, ge);
  pv_summand m[2] = {{pv_num(p, -1), two, 2}, {pv_num(p, -1), &sq, 1}};
  return pv_arith(p, pv_ne0(p, x), m, 2);
}

static pv_thm nonzero_now(pv *p, pv_ctx cx, ck_id x) {
  ck_op o = ck_head(p->terms, x);
  pv_thm s = pv_fact_match(p, cx, CK_NE, x);
  if (s != PV_NONE)
    return s;
  if (o == CK_Q)
    return pv_const_sign(p, x) ? pv_by_value(p, pv_ne0(p, x)) : PV_NONE;
  if (!ck_is_int(p->terms, x) && (s = by_root(p, cx, x)) != PV_NONE)
    return s;
  if (o == CK_INV) {
    pv_var_sub v = {pv_real_var(p, "x"), ck_kid(p->terms, x, 0)};
    pv_thm u = pv_nonzero(p, cx, v.term);
    return u == PV_NONE ? PV_NONE : pv_use_lemma(p, PV_INV_NE, &v, 1, NULL, 0, &u, 1);
  }
  if (ck_is_int(p->terms, x))
    return pv_follows_int(p, cx, pv_ne0(p, x));
  if (is_atom(p, x)) {
    s = pv_positive(p, cx, x);
  } else {
    pv_poly f;
    pv_poly_init(&f);
    pv_poly_read(p, &f, x);
    if (f.count == 1) {
      pv_thm u = mono_sign(p, cx, &f.monos[0], CK_NE);
      if (u != PV_NONE)
        s = pv_restate(p, pv_ne0(p, x), u);
    }
    bool multi = f.count > 1;
    pv_poly_clear(&f);
    if (s != PV_NONE || !multi)
      return s;
    s = pv_positive(p, cx, x);
    if (s == PV_NONE) {
      ck_id n = pv_canon(p, pv_neg(p, x));
      s = pos_poly(p, cx, n, true);
      return s == PV_NONE ? PV_NONE : pv_scaled(p, pv_ne0(p, x), p->one, s);
    }
  }
  return s == PV_NONE ? PV_NONE : pv_scaled(p, pv_ne0(p, x), pv_num(p, -1), s);
}

pv_thm pv_nonzero(pv *p, pv_ctx cx, ck_id x) {
  cx = pv_ctx_strip(p, cx, x);
  return ask(p, cx, pv_ne0(p, x), nonzero_now, x);
}

pv_thm pv_positive(pv *p, pv_ctx cx, ck_id x) {
  cx = pv_ctx_strip(p, cx, x);
  return ask(p, cx, pv_gt0(p, x), positive_now, x);
}

pv_thm pv_nonneg(pv *p, pv_ctx cx, ck_id x) {
  cx = pv_ctx_strip(p, cx, x);
  return ask(p, cx, pv_ge0(p, x), nonneg_now, x);
}

/* --- any relation */
static pv_thm real_rel(pv *p, pv_ctx cx, ck_id f) {
  ck_op o = ck_head(p->terms, f);
  ck_id a = ck_kid(p->terms, f, 0);
  ck_id b = ck_kid(p->terms, f, 1);
  ck_id d;
  pv_thm s = PV_NONE;
  bool left0 = a == p->zero;
  bool right0 = b == p->zero;
  if (o == CK_EQ)
    return PV_NONE;
  if (o == CK_NE)
    d = right0 ? a : left0 ? b : pv_sub(p, b, a);
  else
    d = left0 ? b : pv_sub(p, b, a);
  asker q = o == CK_NE ? pv_nonzero : o == CK_LT ? pv_positive : pv_nonneg;
  if (o == CK_LE && left0)
    s = pv_nonneg(p, cx, d); /* as written */
  if (s == PV_NONE) {
    pv_eqn e = pv_norm(p, cx, d);
    if (e.by == PV_NONE)
      return PV_NONE;
    s = q(p, cx, e.to);
    if (s != PV_NONE && e.by != PV_REFL) { /* from 0 < e.t to 0 < d; e: d = e.t */
      pv_comb m;
      pv_comb_init(&m);
      pv_comb_add(&m, p->one, s);
      pv_comb_add(&m, o == CK_NE ? p->one : pv_num(p, -1), e.by);
      s = pv_comb_prove(p, &m, o == CK_NE ? pv_ne0(p, d) : pv_rel(p, o, p->zero, d));
    }
  }
  if (s == PV_NONE)
    return PV_NONE;
  if (pv_says(p, s) == f)
    return s;
  return o == CK_NE ? pv_scaled(p, f, right0 ? p->one : pv_num(p, -1), s)
                    : pv_scaled(p, f, p->one, s);
}

pv_thm pv_follows(pv *p, pv_ctx cx, ck_id f) {
  if (f == CK_BAD)
    return PV_NONE;
  cx = pv_ctx_strip(p, cx, f);
  pv_thm s = pv_ctx_find(p, cx, f);
  if (s != PV_NONE)
    return s;
  bool ints =
      ck_is_int(p->terms, ck_kid(p->terms, f, 0)) && ck_is_int(p->terms, ck_kid(p->terms, f, 1));
  if (ints)
    s = pv_follows_int(p, cx, f);
  if (s == PV_NONE && ints) { /* with quotients and remainders simplified */
    pv_eqn a = pv_norm(p, cx, ck_kid(p->terms, f, 0));
    pv_eqn b = pv_norm(p, cx, ck_kid(p->terms, f, 1));
    if (a.by != PV_NONE && b.by != PV_NONE && (a.by != PV_REFL || b.by != PV_REFL)) {
      ck_id g = pv_rel(p, ck_head(p->terms, f), a.to, b.to);
      pv_thm u = pv_ctx_find(p, cx, g);
      if (u == PV_NONE)
        u = pv_follows_int(p, cx, g);
      if (u != PV_NONE) {
        pv_comb m;
        pv_comb_init(&m); /* f: b0-a0 = (b-a) + (a - a0) - (b - b0) */
        pv_comb_add(&m, p->one, u);
        pv_comb_add(&m, p->one, a.by);
        pv_comb_add(&m, pv_num(p, -1), b.by);
        return pv_comb_prove(p, &m, f);
      }
    }
  }
  if (s == PV_NONE && !ints)
    s = real_rel(p, cx, f);
  return s == PV_NONE ? pv_lp_prove(p, cx, f) : s;
}

/* --- facts out of the hypotheses */
pv_thm pv_fact_normal(pv *p, pv_ctx cx, pv_thm s, ck_id *nf) {
  if (s == PV_NONE)
    return PV_NONE;
  ck_id f = pv_says(p, s);
  ck_op o = ck_head(p->terms, f);
  ck_id a = ck_kid(p->terms, f, 0);
  ck_id b = ck_kid(p->terms, f, 1);
  ck_id d;
  ck_id g;
  uint64_t v;
  d = o == CK_NE ? (b == p->zero ? a : pv_sub(p, b, a)) : (a == p->zero ? b : pv_sub(p, b, a));
  if (as_map_get(&p->inst_memo, AS_KEY(((uint64_t)cx << 32) | f, 0), &v)) {
    *nf = (ck_id)(v >> 32);
    return (uint32_t)v;
  }
  for (size_t i = 0; i < p->fact_busy.n; i++) {
    if (AS_VEC_AT(&p->fact_busy, uint64_t, i) == f) {
      p->cut = true;
      return PV_NONE;
    }
  }
  uint64_t me = f;
  as_vec_push(&p->fact_busy, &me);
  bool cut = p->cut;
  p->cut = false;
  pv_eqn e = pv_norm(p, cx, d);
  p->fact_busy.n--;
  pv_thm r = PV_NONE;
  if (e.by != PV_NONE) {
    pv_comb m;
    pv_comb_init(&m);
    g = o == CK_NE ? pv_ne0(p, e.to) : pv_rel(p, o, p->zero, e.to);
    pv_comb_add(&m, o == CK_NE && b != p->zero ? pv_num(p, -1) : p->one, s);
    pv_comb_add(&m, o == CK_NE ? pv_num(p, -1) : p->one, e.by);
    r = pv_comb_prove(p, &m, g);
    *nf = e.to;
  }
  if (r != PV_NONE && !p->cut)
    as_map_put(&p->inst_memo, AS_KEY(((uint64_t)cx << 32) | f, 0), ((uint64_t)*nf << 32) | r);
  p->cut = cut || p->cut;
  return r;
}

/* x # 0 / 0 <= x / 0 < x from the fact s of the same kind about nf */
static pv_thm fact_fits(pv *p, ck_op rel, ck_id x, pv_thm s, ck_id nf) {
  pv_poly f;
  pv_poly g;
  pv_thm r = PV_NONE;
  if (nf == x)
    return s;
  pv_poly_init(&f);
  pv_poly_init(&g);
  pv_poly_read(p, &f, nf);
  pv_poly_read(p, &g, x);
  if (f.count == g.count && f.count > 0 && f.monos[0].degree <= 64) { /* f = c*g */
    ck_id c = CK_BAD;
    for (uint32_t j = 0; j < g.count; j++) {
      if (g.monos[j].degree == f.monos[0].degree &&
          !pv_mono_div(f.monos[0].atoms, f.monos[0].degree, g.monos[j].atoms, g.monos[j].degree,
                       (ck_id[64]){0}))
        c = pv_const_mul(p, g.monos[j].coef, pv_const_inv(p, f.monos[0].coef));
    }
    if (c != CK_BAD && (rel == CK_NE || pv_const_sign(p, c) > 0) &&
        pv_canon(p, pv_mul(p, c, nf)) == pv_canon(p, x))
      r = pv_scaled(p, rel == CK_NE ? pv_ne0(p, x) : pv_rel(p, rel, p->zero, x), c, s);
  }
  if (r == PV_NONE && rel == CK_NE && f.count == 1 && f.monos[0].degree > 1 && is_atom(p, x) &&
      pv_mono_has(&f.monos[0], x)) {
    ck_id *rest = as_malloc((f.monos[0].degree + 1) * sizeof *rest);
    int k = pv_mono_div(f.monos[0].atoms, f.monos[0].degree, &x, 1, rest);
    ck_id y = pv_mono_term(p, f.monos[0].coef, rest, (uint32_t)k);
    ck_id xy = pv_mul(p, x, y);
    free(rest);
    pv_var_sub v[2] = {{pv_real_var(p, "x"), x}, {pv_real_var(p, "y"), y}};
    pv_thm w = pv_restate(p, pv_ne0(p, xy), s);
    r = pv_use_lemma(p, PV_NZ_LEFT, v, 2, NULL, 0, &w, 1);
  }
  pv_poly_clear(&f);
  pv_poly_clear(&g);
  return r;
}

static pv_thm try_fact(pv *p, pv_ctx cx, ck_op rel, ck_id x, pv_thm s) {
  ck_id nf = CK_BAD;
  if (s == PV_NONE)
    return PV_NONE;
  ck_op o = ck_head(p->terms, pv_says(p, s));
  pv_thm u = pv_fact_normal(p, cx, s, &nf);
  if (u == PV_NONE)
    return PV_NONE;
  if (rel == CK_LE && o == CK_LT)
    u = pv_scaled(p, pv_ge0(p, nf), p->one, u);
  if (rel == CK_NE && o == CK_LT)
    u = pv_scaled(p, pv_ne0(p, nf), pv_num(p, -1), u);
  return fact_fits(p, rel, x, u, nf);
}

static pv_thm clause_match(pv *p, pv_ctx cx, ck_op rel, ck_id x, pv_thm h) {
  pv_thm inst[12];
  uint32_t n = pv_clause_instances(p, cx, h, x, inst, 12);
  for (uint32_t i = 0; i < n; i++) {
    pv_thm s = try_fact(p, cx, rel, x, inst[i]);
    if (s != PV_NONE)
      return s;
  }
  return PV_NONE;
}

pv_thm pv_fact_match(pv *p, pv_ctx cx, ck_op rel, ck_id x) {
  for (int clauses = 0; clauses < 2; clauses++) {
    for (pv_ctx c = cx; c != 0; c = CX(p, c).parent) {
      ck_id f = CX(p, c).formula;
      ck_id g = f;
      bool all = ck_head(p->terms, f) == CK_ALL;
      pv_thm s;
      if (all != (clauses == 1))
        continue;
      if (all)
        g = ck_kid(p->terms, f, ck_nkids(p->terms, f) - 1);
      ck_op o = ck_head(p->terms, g);
      if (o == CK_EQ || (o != rel && !(o == CK_LT && rel != CK_LT)))
        continue;
      if (ck_is_int(p->terms, ck_kid(p->terms, g, 0)) &&
          ck_is_int(p->terms, ck_kid(p->terms, g, 1)))
        continue;
      s = all ? clause_match(p, cx, rel, x, CX(p, c).thm) : try_fact(p, cx, rel, x, CX(p, c).thm);
      if (s != PV_NONE)
        return s;
    }
  }
  return PV_NONE;
}
