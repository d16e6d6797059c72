/* Normal form of products over a range (all, any): cut like sums where conditions on the counter
 * change, a product of products where the body has factors, 1 for nothing. */
#include "pv_folds.h"

enum { MAXF = 24 };

static ck_id prod(pv *p, ck_id n, ck_id k, ck_id body) {
  ck_id acc = pv_real_var(p, "$$acc");
  return pv_fold1(p, n, p->one, k, acc, pv_mul(p, acc, body));
}

/* prod f = prod g from s: f = g for 0 <= k < n */
static pv_thm lift(pv *p, ck_id n, ck_id k, pv_thm s) {
  if (s == PV_NONE || s == PV_REFL)
    return s;
  ck_id acc = pv_real_var(p, "$$acc");
  ck_id vars[2] = {k, acc};
  ck_id f = pv_left(p, s);
  ck_id g = pv_right(p, s);
  pv_thm e = pv_scaled(p, pv_eq(p, pv_mul(p, acc, f), pv_mul(p, acc, g)), acc, s);
  return pv_foldcong(p, prod(p, n, k, f), prod(p, n, k, g), vars, 2, &e, 1);
}

/* 0 <= n:  prod(k < n) f*g = prod f * prod g */
pv_thm pv_derive_prod_mul(pv *p) {
  ck_id n = pv_int_var(p, "n");
  ck_id j = pv_int_var(p, "j");
  ck_id k = pv_int_var(p, "k");
  ck_id j1 = pv_add(p, j, p->one);
  ck_id f = pv_apply(p, "f", k);
  ck_id g = pv_apply(p, "g", k);
  ck_id fg = pv_mul(p, f, g);
  ck_id z = p->zero;
#define P(b, x) prod(p, x, k, b)
#define F(x) pv_eq(p, P(fg, x), pv_mul(p, P(f, x), P(g, x)))
  pv_thm hj = pv_hyp(p, pv_ge0(p, j));
  pv_thm a0 = pv_zero(p, P(fg, z), pv_zero_le_zero(p));
  pv_thm b0 = pv_zero(p, P(f, z), pv_zero_le_zero(p));
  pv_thm c0 = pv_zero(p, P(g, z), pv_zero_le_zero(p));
  pv_thm a = pv_succ(p, P(fg, j1), j, hj);
  pv_thm b = pv_succ(p, P(f, j1), j, hj);
  pv_thm c = pv_succ(p, P(g, j1), j, hj);
  pv_comb s;
  pv_comb_init(&s); /* A = 1; B*C = 1: B*C - A = (B-1)*C + (C-1) - (A-1) */
  pv_comb_add(&s, p->one, a0);
  pv_comb_add(&s, pv_neg(p, P(g, z)), b0);
  pv_comb_add(&s, pv_num(p, -1), c0);
  pv_thm base = pv_comb_prove(p, &s, F(z));
  ck_id fj = pv_apply(p, "f", j);
  ck_id gj = pv_apply(p, "g", j);
  pv_comb_init(&s); /* B1*C1 = (B*fj)*C1, C1 = C*gj; A1 = A*fj*gj; A = B*C */
  pv_comb_add(&s, p->one, a);
  pv_comb_add(&s, pv_mul(p, fj, gj), pv_hyp(p, F(j)));
  pv_comb_add(&s, pv_neg(p, P(g, j1)), b);
  pv_comb_add(&s, pv_neg(p, pv_mul(p, P(f, j), fj)), c);
  pv_thm step = pv_comb_prove(p, &s, F(j1));
  ck_id h = F(j);
  return pv_induct(p, j, n, 0, &h, &base, &step, 1, pv_hyp(p, pv_ge0(p, n)));
#undef F
}

/* 0 <= n:  prod(k < n) 1 = 1 */
pv_thm pv_derive_prod_one(pv *p) {
  ck_id n = pv_int_var(p, "n");
  ck_id j = pv_int_var(p, "j");
  ck_id k = pv_int_var(p, "k");
  ck_id j1 = pv_add(p, j, p->one);
  ck_id o = p->one;
#define F(x) pv_eq(p, P(o, x), o)
  pv_thm base = pv_zero(p, P(o, p->zero), pv_zero_le_zero(p));
  pv_thm u = pv_succ(p, P(o, j1), j, pv_hyp(p, pv_ge0(p, j)));
  pv_comb s;
  pv_comb_init(&s);
  pv_comb_add(&s, o, u);
  pv_comb_add(&s, o, pv_hyp(p, F(j)));
  pv_thm step = pv_comb_prove(p, &s, F(j1));
  ck_id h = F(j);
  return pv_induct(p, j, n, 0, &h, &base, &step, 1, pv_hyp(p, pv_ge0(p, n)));
#undef F
}

/* 0 <= m, 0 <= n:  prod(k < m+n) f(k) = prod(k < m) f(k) * prod(k < n) f(m+k) */
pv_thm pv_derive_prod_concat(pv *p) {
  ck_id m = pv_int_var(p, "m");
  ck_id n = pv_int_var(p, "n");
  ck_id j = pv_int_var(p, "j");
  ck_id k = pv_int_var(p, "k");
  ck_id j1 = pv_add(p, j, p->one);
  ck_id f = pv_apply(p, "f", k);
  ck_id fm = pv_apply(p, "f", pv_add(p, m, k));
  ck_id z = p->zero;
  ck_id mz = pv_add(p, m, z);
  ck_id mj = pv_add(p, m, j);
#define F(x) pv_eq(p, P(f, pv_add(p, m, x)), pv_mul(p, P(f, m), P(fm, x)))
  pv_thm hm = pv_hyp(p, pv_ge0(p, m));
  pv_thm hj = pv_hyp(p, pv_ge0(p, j));
  pv_thm r = pv_identity(p, pv_eq(p, mz, m));
  pv_thm c = pv_cong(p, P(f, mz), P(f, m), &r, 1);
  pv_thm z0 = pv_zero(p, P(fm, z), pv_zero_le_zero(p));
  pv_comb s;
  pv_comb_init(&s);
  pv_comb_add(&s, p->one, c);
  pv_comb_add(&s, pv_neg(p, P(f, m)), z0);
  pv_thm base = pv_comb_prove(p, &s, F(z));
  pv_comb_init(&s);
  pv_comb_add(&s, p->one, hm);
  pv_comb_add(&s, p->one, hj);
  pv_thm mj0 = pv_comb_prove(p, &s, pv_ge0(p, mj));
  pv_thm u = pv_succ(p, P(f, pv_add(p, m, j1)), mj, mj0);
  pv_thm w = pv_succ(p, P(fm, j1), j, hj);
  pv_comb_init(&s);
  pv_comb_add(&s, p->one, u);
  pv_comb_add(&s, pv_apply(p, "f", mj), pv_hyp(p, F(j)));
  pv_comb_add(&s, pv_neg(p, P(f, m)), w);
  pv_thm step = pv_comb_prove(p, &s, F(j1));
  ck_id h = F(j);
  return pv_induct(p, j, n, 0, &h, &base, &step, 1, pv_hyp(p, pv_ge0(p, n)));
#undef F
}

static bool zero_one(pv *p, ck_id x) {
  if (ck_head(p->terms, x) != CK_ITE)
    return false;
  for (uint32_t i = 1; i < 3; i++) {
    if (!pv_is_zero(p, ck_kid(p->terms, x, i)) && !pv_is_one(p, ck_kid(p->terms, x, i)))
      return false;
  }
  return true;
}

/* factors of body: common ones, then 1 + r*x for atoms x that are 0 or 1 where body = f0*(1 + r*x)
 */
static uint32_t factors(pv *p, pv_ctx in, ck_id body, ck_id *f) {
  uint32_t n = pv_normal_factors(p, in, body, f, MAXF);
  for (bool more = true; more && n + 1 < MAXF;) {
    ck_id rest = f[n - 1];
    pv_poly g;
    more = false;
    if (ck_head(p->terms, rest) != CK_ADD)
      break;
    pv_poly_init(&g);
    pv_poly_read(p, &g, rest);
    for (uint32_t i = 0; i < g.count && !more; i++) {
      for (uint32_t j = 0; j < g.monos[i].degree && !more; j++) {
        ck_id x = g.monos[i].atoms[j];
        ck_id t0;
        ck_id t1;
        pv_poly f0;
        pv_poly f1;
        if (!zero_one(p, x))
          continue;
        pv_poly_init(&f0);
        pv_poly_init(&f1);
        for (uint32_t l = 0; l < g.count; l++) {
          ck_id r[64];
          int k = g.monos[l].degree > 64
                      ? -1
                      : pv_mono_div(g.monos[l].atoms, g.monos[l].degree, &x, 1, r);
          if (k >= 0)
            pv_poly_add_mono(p, &f1, g.monos[l].coef, r, (uint32_t)k);
          else
            pv_poly_add_mono(p, &f0, g.monos[l].coef, g.monos[l].atoms, g.monos[l].degree);
        }
        t0 = pv_poly_term(p, &f0);
        t1 = pv_poly_term(p, &f1);
        if (f0.count && f1.count) { /* f1 = r*f0 */
          ck_id r = CK_BAD;
          for (uint32_t l = 0; l < f1.count; l++) {
            if (f1.monos[l].degree == f0.monos[0].degree &&
                pv_mono_div(f1.monos[l].atoms, f1.monos[l].degree, f0.monos[0].atoms,
                            f0.monos[0].degree, (ck_id[64]){0}) == 0)
              r = pv_const_mul(p, f1.monos[l].coef, pv_const_inv(p, f0.monos[0].coef));
          }
          if (r != CK_BAD && pv_canon(p, pv_mul(p, r, t0)) == t1 && !pv_is_const(p, t0)) {
            f[n - 1] = pv_canon(p, pv_add(p, p->one, pv_mul(p, r, x)));
            f[n++] = t0;
            more = true;
          }
        }
        pv_poly_clear(&f0);
        pv_poly_clear(&f1);
      }
    }
    pv_poly_clear(&g);
  }
  return n;
}

static pv_eqn cut(pv *p, pv_ctx cx, ck_id n, ck_id k, ck_id body, ck_id m) {
  ck_id r = pv_canon(p, pv_sub(p, n, m));
  ck_id mr = pv_add(p, m, r);
  pv_thm prem[2] = {pv_follows(p, cx, pv_ge0(p, m)), PV_NONE};
  if (prem[0] == PV_NONE || (prem[1] = pv_follows(p, cx, pv_ge0(p, r))) == PV_NONE)
    return pv_fail();
  pv_thm a = pv_identity(p, pv_eq(p, n, mr));
  pv_thm c = n == mr ? PV_REFL : pv_cong(p, P(body, n), P(body, mr), &a, 1);
  pv_var_sub v[2] = {{pv_int_var(p, "m"), m}, {pv_int_var(p, "n"), r}};
  ck_fsub f = pv_fun_sub(p, "f", &k, body);
  pv_thm s = pv_trans(p, c, pv_use_lemma(p, PV_PROD_CONCAT, v, 2, &f, 1, prem, 2));
  if (s == PV_NONE)
    return pv_fail();
  pv_eqn e = {pv_right(p, s), s};
  return pv_then(p, e, pv_norm(p, cx, e.to));
}

pv_eqn pv_cut_prod(pv *p, pv_ctx cx, ck_id t, ck_id m) {
  ck_id f;
  ck_id k;
  ck_id var = pv_int_var(p, "$$k");
  if (!pv_is_prod(p, t, &f))
    return pv_fail();
  pv_ctx_bind(p, cx, ck_kid(p->terms, t, 0), &k);
  return cut(p, cx, ck_kid(p->terms, t, 0), k, ck_sub(p->terms, f, &var, &k, 1, NULL, 0), m);
}

/* t: a product whose bound is normal */
pv_eqn pv_norm_prod(pv *p, pv_ctx cx, ck_id t) {
  enum { PLACES = 8 };

  ck_id n = ck_kid(p->terms, t, 0);
  ck_id k;
  ck_id f;
  ck_id var = pv_int_var(p, "$$k");
  ck_id m[PLACES];
  ck_id fac[MAXF + 1];
  pv_ctx in = pv_ctx_bind(p, cx, n, &k);
  pv_thm none = pv_follows(p, cx, pv_le(p, n, p->zero));
  pv_thm n0;
  uint32_t np;
  pv_eqn e;
  pv_eqn r;
  pv_var_sub v = {pv_int_var(p, "n"), n};
  if (!pv_is_prod(p, t, &f))
    return pv_same(t);
  if (none != PV_NONE) {
    pv_eqn o = {p->one, pv_zero(p, t, none)};
    return o;
  }
  f = ck_sub(p->terms, f, &var, &k, 1, NULL, 0);
  e = pv_norm(p, in, f);
  if (e.by == PV_NONE)
    return pv_fail();
  ck_id body = e.to;
  e.by = lift(p, n, k, e.by);
  e.to = P(body, n);
  if (e.by == PV_NONE || (n0 = pv_follows(p, cx, pv_ge0(p, n))) == PV_NONE)
    return e.by == PV_NONE ? pv_fail() : e;
  if (pv_is_one(p, body)) {
    r.to = p->one;
    r.by = pv_use_lemma(p, PV_PROD_ONE, &v, 1, NULL, 0, &n0, 1);
    return r.by == PV_NONE ? e : pv_then(p, e, r);
  }
  if (pv_is_one(p, n)) {
    ck_id first = P(body, p->zero);
    ck_id el = ck_sub(p->terms, body, &k, &p->zero, 1, NULL, 0);
    pv_thm u = pv_succ(p, e.to, p->zero, pv_zero_le_zero(p));
    pv_thm z = pv_zero(p, first, pv_zero_le_zero(p));
    pv_comb b;
    pv_comb_init(&b);
    pv_comb_add(&b, p->one, u);
    pv_comb_add(&b, el, z);
    r.to = el;
    r.by = pv_comb_prove(p, &b, pv_eq(p, e.to, el));
    return r.by == PV_NONE ? e : pv_then(p, e, pv_then(p, r, pv_norm(p, cx, el)));
  }
  np = pv_cut_places(p, body, k, m, PLACES);
  for (uint32_t i = 0; i < np; i++) {
    if (pv_is_zero(p, m[i]) || m[i] == n)
      continue;
    r = cut(p, cx, n, k, body, m[i]);
    if (r.by != PV_NONE)
      return pv_then(p, e, r);
  }
  np = factors(p, in, body, fac);
  if (np < 2)
    return e;
  ck_id head = fac[0];
  ck_id rest = fac[1];
  for (uint32_t i = 2; i < np; i++)
    rest = pv_mul(p, rest, fac[i]);
  rest = pv_canon(p, rest);
  ck_id hr = pv_mul(p, head, rest);
  pv_eqn back = pv_norm_poly(p, in, hr);
  if (back.by == PV_NONE || back.to != body)
    return e;
  pv_thm turn = back.by == PV_REFL ? PV_REFL : pv_sym(p, back.by);
  ck_fsub fs[2] = {pv_fun_sub(p, "f", &k, head), pv_fun_sub(p, "g", &k, rest)};
  r.by = pv_trans(p, lift(p, n, k, turn), pv_use_lemma(p, PV_PROD_MUL, &v, 1, fs, 2, &n0, 1));
  if (r.by == PV_NONE)
    return e;
  r.to = pv_right(p, r.by);
  return pv_then(p, e, pv_then(p, r, pv_norm(p, cx, r.to)));
}
