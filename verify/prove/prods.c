/* Normal form of products over a range (all, any): cut like sums where conditions on the counter
 * change, a product of products where the body has factors, 1 for nothing. */
#include "pv.h"

enum { MAXF = 24 };

static eqn same(ck_id t) {
  eqn e = {t, REFL};
  return e;
}

static eqn fail(void) {
  eqn e = {CK_BAD, NO};
  return e;
}

static ck_id iv(pv *p, const char *s) {
  return ck_var(p->T, s, 'i');
}

static ck_id eq(pv *p, ck_id a, ck_id b) {
  return t_rel(p, CK_EQ, a, b);
}

static ck_id ge0(pv *p, ck_id a) {
  return t_rel(p, CK_LE, p->zero, a);
}

static ck_id fn(pv *p, const char *f, ck_id a) {
  return a == CK_BAD ? CK_BAD : ck_app(p->T, f, "i:r", &a, 1);
}

static uint32_t le00(pv *p) {
  return r_const(p, ge0(p, p->zero));
}

static ck_fsub fsub(pv *p, const char *f, const ck_id *k, ck_id body) {
  ck_fsub s = {ck_word(p->T, f), ck_word(p->T, "i:r"), k, 1, body};
  return s;
}

static ck_id prod(pv *p, ck_id n, ck_id k, ck_id body) {
  ck_id acc = ck_var(p->T, "$$acc", 'r');
  return t_fold1(p, n, p->one, k, acc, t_mul(p, acc, body));
}

/* prod f = prod g from s: f = g for 0 <= k < n */
static uint32_t lift(pv *p, ck_id n, ck_id k, uint32_t s) {
  if (s == NO || s == REFL)
    return s;
  ck_id acc = ck_var(p->T, "$$acc", 'r');
  ck_id vars[2] = {k, acc};
  ck_id f = lhs_of(p, s);
  ck_id g = rhs_of(p, s);
  uint32_t e = r_arith1(p, eq(p, t_mul(p, acc, f), t_mul(p, acc, g)), acc, s);
  return r_foldcong(p, prod(p, n, k, f), prod(p, n, k, g), vars, 2, &e, 1);
}

/* 0 <= n:  prod(k < n) f*g = prod f * prod g */
uint32_t lemma_prod_mul(pv *p) {
  ck_id n = iv(p, "n");
  ck_id j = iv(p, "j");
  ck_id k = iv(p, "k");
  ck_id j1 = t_add(p, j, p->one);
  ck_id f = fn(p, "f", k);
  ck_id g = fn(p, "g", k);
  ck_id fg = t_mul(p, f, g);
  ck_id z = p->zero;
#define P(b, x) prod(p, x, k, b)
#define F(x) eq(p, P(fg, x), t_mul(p, P(f, x), P(g, x)))
  uint32_t hj = r_hyp(p, ge0(p, j));
  uint32_t a0 = r_zero(p, P(fg, z), le00(p));
  uint32_t b0 = r_zero(p, P(f, z), le00(p));
  uint32_t c0 = r_zero(p, P(g, z), le00(p));
  uint32_t a = r_succ(p, P(fg, j1), j, hj);
  uint32_t b = r_succ(p, P(f, j1), j, hj);
  uint32_t c = r_succ(p, P(g, j1), j, hj);
  by s;
  by_start(&s); /* A = 1; B*C = 1: B*C - A = (B-1)*C + (C-1) - (A-1) */
  by_add(&s, p->one, a0);
  by_add(&s, t_neg(p, P(g, z)), b0);
  by_add(&s, t_int(p, -1), c0);
  uint32_t base = by_end(p, &s, F(z));
  ck_id fj = fn(p, "f", j);
  ck_id gj = fn(p, "g", j);
  by_start(&s); /* B1*C1 = (B*fj)*C1, C1 = C*gj; A1 = A*fj*gj; A = B*C */
  by_add(&s, p->one, a);
  by_add(&s, t_mul(p, fj, gj), r_hyp(p, F(j)));
  by_add(&s, t_neg(p, P(g, j1)), b);
  by_add(&s, t_neg(p, t_mul(p, P(f, j), fj)), c);
  uint32_t step = by_end(p, &s, F(j1));
  ck_id h = F(j);
  return r_induct(p, j, n, 0, &h, &base, &step, 1, r_hyp(p, ge0(p, n)));
#undef F
}

/* 0 <= n:  prod(k < n) 1 = 1 */
uint32_t lemma_prod_one(pv *p) {
  ck_id n = iv(p, "n");
  ck_id j = iv(p, "j");
  ck_id k = iv(p, "k");
  ck_id j1 = t_add(p, j, p->one);
  ck_id o = p->one;
#define F(x) eq(p, P(o, x), o)
  uint32_t base = r_zero(p, P(o, p->zero), le00(p));
  uint32_t u = r_succ(p, P(o, j1), j, r_hyp(p, ge0(p, j)));
  by s;
  by_start(&s);
  by_add(&s, o, u);
  by_add(&s, o, r_hyp(p, F(j)));
  uint32_t step = by_end(p, &s, F(j1));
  ck_id h = F(j);
  return r_induct(p, j, n, 0, &h, &base, &step, 1, r_hyp(p, ge0(p, n)));
#undef F
}

/* 0 <= m, 0 <= n:  prod(k < m+n) f(k) = prod(k < m) f(k) * prod(k < n) f(m+k) */
uint32_t lemma_prod_concat(pv *p) {
  ck_id m = iv(p, "m");
  ck_id n = iv(p, "n");
  ck_id j = iv(p, "j");
  ck_id k = iv(p, "k");
  ck_id j1 = t_add(p, j, p->one);
  ck_id f = fn(p, "f", k);
  ck_id fm = fn(p, "f", t_add(p, m, k));
  ck_id z = p->zero;
  ck_id mz = t_add(p, m, z);
  ck_id mj = t_add(p, m, j);
#define F(x) eq(p, P(f, t_add(p, m, x)), t_mul(p, P(f, m), P(fm, x)))
  uint32_t hm = r_hyp(p, ge0(p, m));
  uint32_t hj = r_hyp(p, ge0(p, j));
  uint32_t r = r_arith0(p, eq(p, mz, m));
  uint32_t c = r_cong(p, P(f, mz), P(f, m), &r, 1);
  uint32_t z0 = r_zero(p, P(fm, z), le00(p));
  by s;
  by_start(&s);
  by_add(&s, p->one, c);
  by_add(&s, t_neg(p, P(f, m)), z0);
  uint32_t base = by_end(p, &s, F(z));
  by_start(&s);
  by_add(&s, p->one, hm);
  by_add(&s, p->one, hj);
  uint32_t mj0 = by_end(p, &s, ge0(p, mj));
  uint32_t u = r_succ(p, P(f, t_add(p, m, j1)), mj, mj0);
  uint32_t w = r_succ(p, P(fm, j1), j, hj);
  by_start(&s);
  by_add(&s, p->one, u);
  by_add(&s, fn(p, "f", mj), r_hyp(p, F(j)));
  by_add(&s, t_neg(p, P(f, m)), w);
  uint32_t step = by_end(p, &s, F(j1));
  ck_id h = F(j);
  return r_induct(p, j, n, 0, &h, &base, &step, 1, r_hyp(p, ge0(p, n)));
#undef F
}

static bool zero_one(pv *p, ck_id x) {
  if (ck_head(p->T, x) != CK_ITE)
    return false;
  for (uint32_t i = 1; i < 3; i++) {
    if (!is_zero(p, ck_kid(p->T, x, i)) && !is_one(p, ck_kid(p->T, x, i)))
      return false;
  }
  return true;
}

/* factors of body: common ones, then 1 + r*x for atoms x that are 0 or 1 where body = f0*(1 + r*x)
 */
static uint32_t factors(pv *p, uint32_t in, ck_id body, ck_id *f) {
  uint32_t n = normal_factors(p, in, body, f, MAXF);
  for (bool more = true; more && n + 1 < MAXF;) {
    ck_id rest = f[n - 1];
    poly g;
    more = false;
    if (ck_head(p->T, rest) != CK_ADD)
      break;
    poly_init(&g);
    poly_of(p, &g, rest);
    for (uint32_t i = 0; i < g.n && !more; i++) {
      for (uint32_t j = 0; j < g.m[i].n && !more; j++) {
        ck_id x = g.m[i].a[j];
        ck_id t0;
        ck_id t1;
        poly f0;
        poly f1;
        if (!zero_one(p, x))
          continue;
        poly_init(&f0);
        poly_init(&f1);
        for (uint32_t l = 0; l < g.n; l++) {
          ck_id r[64];
          int k = g.m[l].n > 64 ? -1 : mono_div(g.m[l].a, g.m[l].n, &x, 1, r);
          if (k >= 0)
            poly_push(p, &f1, g.m[l].q, r, (uint32_t)k);
          else
            poly_push(p, &f0, g.m[l].q, g.m[l].a, g.m[l].n);
        }
        t0 = poly_term(p, &f0);
        t1 = poly_term(p, &f1);
        if (f0.n && f1.n) { /* f1 = r*f0 */
          ck_id r = CK_BAD;
          for (uint32_t l = 0; l < f1.n; l++) {
            if (f1.m[l].n == f0.m[0].n &&
                mono_div(f1.m[l].a, f1.m[l].n, f0.m[0].a, f0.m[0].n, (ck_id[64]){0}) == 0)
              r = q_mul(p, f1.m[l].q, q_inv(p, f0.m[0].q));
          }
          if (r != CK_BAD && canon(p, t_mul(p, r, t0)) == t1 && !is_q(p, t0)) {
            f[n - 1] = canon(p, t_add(p, p->one, t_mul(p, r, x)));
            f[n++] = t0;
            more = true;
          }
        }
        poly_clear(&f0);
        poly_clear(&f1);
      }
    }
    poly_clear(&g);
  }
  return n;
}

static eqn cut(pv *p, uint32_t cx, ck_id n, ck_id k, ck_id body, ck_id m) {
  ck_id r = canon(p, t_sub(p, n, m));
  ck_id mr = t_add(p, m, r);
  uint32_t prem[2] = {side(p, cx, ge0(p, m)), NO};
  if (prem[0] == NO || (prem[1] = side(p, cx, ge0(p, r))) == NO)
    return fail();
  uint32_t a = r_arith0(p, eq(p, n, mr));
  uint32_t c = n == mr ? REFL : r_cong(p, P(body, n), P(body, mr), &a, 1);
  ck_vsub v[2] = {{iv(p, "m"), m}, {iv(p, "n"), r}};
  ck_fsub f = fsub(p, "f", &k, body);
  uint32_t s = eq_trans(p, c, r_lemma(p, L_PROD_CONCAT, v, 2, &f, 1, prem, 2));
  if (s == NO)
    return fail();
  eqn e = {rhs_of(p, s), s};
  return eq_then(p, e, norm(p, cx, e.t));
}

bool is_prod(pv *p, ck_id t, ck_id *f) {
  const ck_terms *T = p->T;
  ck_id s;
  ck_id acc;
  ck_id v[2] = {ck_var(p->T, "$$k", 'i'), ck_var(p->T, "$$a", 'r')};
  if (ck_head(T, t) != CK_FOLD || ck_width(T, t) != 1 || !is_one(p, ck_kid(T, t, 1)))
    return false;
  s = ck_open(p->T, ck_kid(T, t, 2), v, 2);
  if (ck_head(T, s) != CK_MUL)
    return false;
  acc = ck_kid(T, s, 0);
  *f = ck_kid(T, s, 1);
  return acc == v[1] && !ck_has_var(T, *f, v[1]);
}

eqn cut_prod(pv *p, uint32_t cx, ck_id t, ck_id m) {
  ck_id f;
  ck_id k;
  ck_id var = ck_var(p->T, "$$k", 'i');
  if (!is_prod(p, t, &f))
    return fail();
  cx_bind(p, cx, ck_kid(p->T, t, 0), &k);
  return cut(p, cx, ck_kid(p->T, t, 0), k, ck_sub(p->T, f, &var, &k, 1, NULL, 0), m);
}

/* t: a product whose bound is normal */
eqn norm_prod(pv *p, uint32_t cx, ck_id t) {
  enum { PLACES = 8 };

  ck_id n = ck_kid(p->T, t, 0);
  ck_id k;
  ck_id f;
  ck_id var = ck_var(p->T, "$$k", 'i');
  ck_id m[PLACES];
  ck_id fac[MAXF + 1];
  uint32_t in = cx_bind(p, cx, n, &k);
  uint32_t none = side(p, cx, t_rel(p, CK_LE, n, p->zero));
  uint32_t n0;
  uint32_t np;
  eqn e;
  eqn r;
  ck_vsub v = {iv(p, "n"), n};
  if (!is_prod(p, t, &f))
    return same(t);
  if (none != NO) {
    eqn o = {p->one, r_zero(p, t, none)};
    return o;
  }
  f = ck_sub(p->T, f, &var, &k, 1, NULL, 0);
  e = norm(p, in, f);
  if (e.s == NO)
    return fail();
  ck_id body = e.t;
  e.s = lift(p, n, k, e.s);
  e.t = P(body, n);
  if (e.s == NO || (n0 = side(p, cx, ge0(p, n))) == NO)
    return e.s == NO ? fail() : e;
  if (is_one(p, body)) {
    r.t = p->one;
    r.s = r_lemma(p, L_PROD_ONE, &v, 1, NULL, 0, &n0, 1);
    return r.s == NO ? e : eq_then(p, e, r);
  }
  if (is_one(p, n)) {
    ck_id first = P(body, p->zero);
    ck_id el = ck_sub(p->T, body, &k, &p->zero, 1, NULL, 0);
    uint32_t u = r_succ(p, e.t, p->zero, le00(p));
    uint32_t z = r_zero(p, first, le00(p));
    by b;
    by_start(&b);
    by_add(&b, p->one, u);
    by_add(&b, el, z);
    r.t = el;
    r.s = by_end(p, &b, eq(p, e.t, el));
    return r.s == NO ? e : eq_then(p, e, eq_then(p, r, norm(p, cx, el)));
  }
  np = cut_places(p, body, k, m, PLACES);
  for (uint32_t i = 0; i < np; i++) {
    if (is_zero(p, m[i]) || m[i] == n)
      continue;
    r = cut(p, cx, n, k, body, m[i]);
    if (r.s != NO)
      return eq_then(p, e, r);
  }
  np = factors(p, in, body, fac);
  if (np < 2)
    return e;
  ck_id head = fac[0];
  ck_id rest = fac[1];
  for (uint32_t i = 2; i < np; i++)
    rest = t_mul(p, rest, fac[i]);
  rest = canon(p, rest);
  ck_id hr = t_mul(p, head, rest);
  eqn back = norm_poly(p, in, hr);
  if (back.s == NO || back.t != body)
    return e;
  uint32_t turn = back.s == REFL ? REFL : eq_sym(p, back.s);
  ck_fsub fs[2] = {fsub(p, "f", &k, head), fsub(p, "g", &k, rest)};
  r.s = eq_trans(p, lift(p, n, k, turn), r_lemma(p, L_PROD_MUL, &v, 1, fs, 2, &n0, 1));
  if (r.s == NO)
    return e;
  r.t = rhs_of(p, r.s);
  return eq_then(p, e, eq_then(p, r, norm(p, cx, r.t)));
}
