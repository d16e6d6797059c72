/* Normal form of folds: sums, maxima, and accumulators that are rescaled while they run.
 *
 * A fold Z with step a(m(l), m(l+1))*Z + b(l, m(l+1)), where m(l) is another fold over the
 * iterations before l (a running maximum), is rewritten when a = g(m(l+1))/g(m(l)) and b =
 * g(m(l+1))*b0(l) for some g: then Z(n) = g(m(n)) * sum(l < n) b0(l), by induction, if Z starts at
 * 0.  g is read off a. */
#include "pv.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_W = 6 };

static eqn same(ck_id t) {
  eqn e = {t, REFL};
  return e;
}

static eqn fail(void) {
  eqn e = {CK_BAD, NO};
  return e;
}

/* --- replacing closed subterms by equations */
static eqn rewrite_at(pv *p, ck_id t, const ck_id *from, const uint32_t *steps, uint32_t n,
                      uint32_t depth) {
  const ck_terms *T = p->T;
  ck_op o = ck_head(T, t);
  ck_id kids[40];
  uint32_t prem[40];
  uint32_t np = 0;
  uint32_t nk = ck_nkids(T, t);
  eqn e = same(t);
  for (uint32_t i = 0; i < n; i++) {
    if (t == from[i]) {
      e.t = rhs_of(p, steps[i]);
      e.s = steps[i];
      return e;
    }
  }
  if (o == CK_Q || o == CK_V || o == CK_B || nk > 32)
    return e;
  for (uint32_t i = 0; i < nk; i++) {
    kids[i] = ck_kid(T, t, i);
    if (ck_kid_binders(T, t, i))
      continue;
    if (o == CK_ITE && i == 0) {
      eqn a = rewrite_at(p, ck_kid(T, kids[0], 0), from, steps, n, depth);
      eqn b = rewrite_at(p, ck_kid(T, kids[0], 1), from, steps, n, depth);
      if (a.s == NO || b.s == NO)
        return fail();
      if (a.s != REFL)
        prem[np++] = a.s;
      if (b.s != REFL)
        prem[np++] = b.s;
      kids[0] = t_rel(p, ck_head(T, kids[0]), a.t, b.t);
      continue;
    }
    eqn k = rewrite_at(p, kids[i], from, steps, n, depth);
    if (k.s == NO)
      return fail();
    kids[i] = k.t;
    if (k.s != REFL)
      prem[np++] = k.s;
  }
  if (np) {
    e.t = ck_rebuild(p->T, t, kids);
    e.s = r_cong(p, t, e.t, prem, np);
  }
  if (o == CK_FOLD && e.s != NO) {
    uint32_t w = ck_width(T, t);
    uint32_t sp[MAX_W];
    ck_id vars[MAX_W + 1];
    bool changed = false;
    char name[40];
    if (w > MAX_W)
      return e;
    snprintf(name, sizeof name, "$$r%u", depth);
    vars[0] = ck_var(p->T, name, 'i');
    for (uint32_t q = 0; q < w; q++) {
      snprintf(name, sizeof name, "$$s%u.%u", depth, q);
      vars[q + 1] = ck_var(p->T, name, 'r');
    }
    for (uint32_t i = 0; i < 1 + w; i++)
      kids[i] = ck_kid(p->T, e.t, i);
    for (uint32_t q = 0; q < w; q++) {
      ck_id body = ck_open(p->T, ck_kid(p->T, e.t, 1 + w + q), vars, w + 1);
      eqn k = rewrite_at(p, body, from, steps, n, depth + 1);
      if (k.s == NO)
        return fail();
      changed = changed || k.s != REFL;
      sp[q] = k.s == REFL ? eq_refl(p, body) : k.s;
      kids[1 + w + q] = ck_close(p->T, k.t, vars, w + 1);
    }
    if (changed) {
      eqn f = {ck_fold(p->T, ck_index(p->T, t), w, kids), NO};
      f.s = r_foldcong(p, e.t, f.t, vars, w + 1, sp, w);
      e = eq_then(p, e, f);
    }
  }
  return e.s == NO ? fail() : e;
}

eqn rewrite(pv *p, ck_id t, const ck_id *from, const uint32_t *steps, uint32_t n) {
  return rewrite_at(p, t, from, steps, n, 0);
}

/* --- the states of a fold, opened */
typedef struct {
  uint32_t w;
  uint32_t p;
  uint32_t in;
  ck_id n;
  ck_id init[MAX_W];
  ck_id k;
  ck_id st[MAX_W];
  ck_id step[MAX_W];
} opened;

static bool open_fold(pv *p, uint32_t cx, ck_id t, opened *o) {
  o->w = ck_width(p->T, t);
  o->p = ck_index(p->T, t);
  o->n = ck_kid(p->T, t, 0);
  if (o->w > MAX_W)
    return false;
  o->in = cx_bind(p, cx, o->n, &o->k);
  ck_id v[MAX_W + 1];
  v[0] = o->k;
  for (uint32_t q = 0; q < o->w; q++) {
    o->init[q] = ck_kid(p->T, t, 1 + q);
    v[q + 1] = o->st[q] = cx_acc_var(p, CX(p, o->in).level, q);
  }
  for (uint32_t q = 0; q < o->w; q++)
    o->step[q] = ck_open(p->T, ck_kid(p->T, t, 1 + o->w + q), v, o->w + 1);
  return true;
}

/* the fold of state q with bound n */
static ck_id fold_at(pv *p, const opened *o, uint32_t q, ck_id n) {
  ck_id kids[1 + 2 * MAX_W];
  ck_id v[MAX_W + 1];
  v[0] = o->k;
  for (uint32_t i = 0; i < o->w; i++)
    v[i + 1] = o->st[i];
  kids[0] = n;
  for (uint32_t i = 0; i < o->w; i++) {
    kids[1 + i] = o->init[i];
    kids[1 + o->w + i] = ck_close(p->T, o->step[i], v, o->w + 1);
  }
  return ck_fold(p->T, q, o->w, kids);
}

/* --- states that the wanted one does not depend on are dropped */
static eqn drop_states(pv *p, uint32_t cx, ck_id t, const opened *o) {
  bool need[MAX_W] = {false};
  bool more = true;
  uint32_t idx[MAX_W];
  uint32_t m = 0;
  uint32_t n0;
  need[o->p] = true;
  while (more) {
    more = false;
    for (uint32_t q = 0; q < o->w; q++) {
      for (uint32_t r = 0; need[q] && r < o->w; r++) {
        if (!need[r] && ck_has_var(p->T, o->step[q], o->st[r]))
          need[r] = more = true;
      }
    }
  }
  for (uint32_t q = 0; q < o->w; q++) {
    if (need[q])
      idx[m++] = q;
  }
  if (m == o->w)
    return same(t);
  opened s = *o;
  s.w = m;
  for (uint32_t i = 0; i < m; i++) {
    s.init[i] = o->init[idx[i]];
    s.st[i] = o->st[idx[i]];
    s.step[i] = o->step[idx[i]];
    if (idx[i] == o->p)
      s.p = i;
  }
  n0 = side(p, cx, t_rel(p, CK_LE, p->zero, o->n));
  ck_id k = o->k;
  ck_id k1 = t_add(p, k, p->one);
  ck_id fs[MAX_W];
  ck_id from[MAX_W];
  uint32_t base[MAX_W];
  uint32_t step[MAX_W];
  uint32_t ih[MAX_W];
  uint32_t hk = r_hyp(p, t_rel(p, CK_LE, p->zero, k));
  uint32_t le0 = r_const(p, t_rel(p, CK_LE, p->zero, p->zero));
  for (uint32_t i = 0; i < m; i++) {
    ck_id a0 = fold_at(p, o, idx[i], p->zero);
    ck_id b0 = fold_at(p, &s, i, p->zero);
    from[i] = fold_at(p, o, idx[i], k);
    fs[i] = t_rel(p, CK_EQ, from[i], fold_at(p, &s, i, k));
    ih[i] = r_hyp(p, fs[i]);
    base[i] = eq_trans(p, r_zero(p, a0, le0), eq_sym(p, r_zero(p, b0, le0)));
  }
  for (uint32_t i = 0; i < m; i++) {
    uint32_t u = r_succ(p, fold_at(p, o, idx[i], k1), k, hk);
    uint32_t v = r_succ(p, fold_at(p, &s, i, k1), k, hk);
    if (u == NO || v == NO)
      return fail();
    eqn e = rewrite(p, rhs_of(p, u), from, ih, m);
    step[i] = eq_trans(p, eq_trans(p, u, e.s), eq_sym(p, v));
  }
  eqn r = {fold_at(p, &s, s.p, o->n),
           n0 == NO ? NO : r_induct(p, k, o->n, s.p, fs, base, step, m, n0)};
  return r.s == NO ? fail() : r;
}

/* --- rescaled accumulators */
/* linear in z: t = a*z + b */
static bool linear_in(pv *p, ck_id t, ck_id z, ck_id *a, ck_id *b) {
  poly f;
  poly x;
  poly y;
  bool ok = true;
  poly_init(&f);
  poly_init(&x);
  poly_init(&y);
  poly_of(p, &f, t);
  for (uint32_t i = 0; i < f.n && ok; i++) {
    const mono *m = &f.m[i];
    ck_id *rest = as_malloc((m->n + 1) * sizeof *rest);
    int k = mono_div(m->a, m->n, &z, 1, rest);
    if (k >= 0)
      poly_push(p, &x, m->q, rest, (uint32_t)k);
    else
      poly_push(p, &y, m->q, m->a, m->n);
    for (int j = 0; j < k; j++) {
      if (ck_has_var(p->T, rest[j], z))
        ok = false;
    }
    for (uint32_t j = 0; k < 0 && j < m->n; j++) {
      if (ck_has_var(p->T, m->a[j], z))
        ok = false;
    }
    free(rest);
  }
  *a = poly_term(p, &x);
  *b = poly_term(p, &y);
  poly_clear(&f);
  poly_clear(&x);
  poly_clear(&y);
  return ok;
}

static bool has_any(pv *p, ck_id t, const ck_id *v, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (v[i] != CK_BAD && ck_has_var(p->T, t, v[i]))
      return true;
  }
  return false;
}

/* replaces the closed subterm `what` by `with` */
static ck_id replace_term(pv *p, ck_id t, ck_id what, ck_id with) {
  ck_id kids[40];
  uint32_t n = ck_nkids(p->T, t);
  if (t == what)
    return with;
  if (n == 0 || n > 40)
    return t;
  for (uint32_t i = 0; i < n; i++) {
    kids[i] = ck_kid(p->T, t, i);
    if (ck_is_rel(p->T, kids[i])) {
      ck_id a = replace_term(p, ck_kid(p->T, kids[i], 0), what, with);
      ck_id b = replace_term(p, ck_kid(p->T, kids[i], 1), what, with);
      kids[i] = t_rel(p, ck_head(p->T, kids[i]), a, b);
    } else {
      kids[i] =
          replace_term(p, kids[i], what, with); /* `what` is closed: the same term under binders */
    }
    if (kids[i] == CK_BAD)
      return t;
  }
  return ck_rebuild(p->T, t, kids);
}

/* the factors of the monomial a that mention one of the new values */
static bool read_g(pv *p, ck_id a, const ck_id *fresh, uint32_t w, ck_id *g) {
  poly f;
  bool ok;
  ck_id s[64];
  uint32_t n = 0;
  poly_init(&f);
  poly_of(p, &f, a);
  ok = f.n == 1 && f.m[0].n <= 64;
  for (uint32_t i = 0; ok && i < f.m[0].n; i++) {
    if (has_any(p, f.m[0].a[i], fresh, w))
      s[n++] = f.m[0].a[i];
  }
  if (ok)
    *g = mono_term(p, p->one, s, n);
  poly_clear(&f);
  return ok && n > 0;
}

static ck_id at_k(pv *p, ck_id t, ck_id k, ck_id val) {
  return ck_sub(p->T, t, &k, &val, 1, NULL, 0);
}

/* the folds over the iterations before k that t reads, outside of binders */
static uint32_t prefixes(pv *p, ck_id t, ck_id k, ck_id *out, uint32_t n) {
  if (!ck_has_var(p->T, t, k))
    return n;
  if (ck_head(p->T, t) == CK_FOLD && ck_kid(p->T, t, 0) == k) {
    for (uint32_t i = 0; i < n; i++) {
      if (out[i] == t)
        return n;
    }
    if (n < MAX_W)
      out[n++] = t;
    return n;
  }
  for (uint32_t i = 0; i < ck_nkids(p->T, t); i++) {
    if (!ck_kid_binders(p->T, t, i))
      n = prefixes(p, ck_kid(p->T, t, i), k, out, n);
  }
  return n;
}

static eqn rescaled(pv *p, uint32_t cx, const opened *o) {
  ck_id m[MAX_W];
  ck_id now[MAX_W];
  ck_id next[MAX_W];
  ck_id a;
  ck_id b;
  ck_id g;
  ck_id gold;
  ck_id b0;
  ck_id z = o->st[0];
  ck_id k = o->k;
  ck_id k1 = t_add(p, k, p->one);
  ck_id n = o->n;
  ck_id body = o->step[0];
  uint32_t w;
  uint32_t in = o->in;
  char name[32];
  if (o->w != 1 || o->init[0] != p->zero || (w = prefixes(p, body, k, m, 0)) == 0)
    return fail();
  for (uint32_t q = 0; q < w;
       q++) { /* their values before and after iteration k become variables */
    snprintf(name, sizeof name, "$$o%u.%u", CX(p, in).level, q);
    now[q] = ck_var(p->T, name, 'r');
    snprintf(name, sizeof name, "$$n%u.%u", CX(p, in).level, q);
    next[q] = ck_var(p->T, name, 'r');
    body = replace_term(p, replace_term(p, body, at_k(p, m[q], k, k1), next[q]), m[q], now[q]);
  }
  eqn nb = norm(p, in, body);
  if (nb.s == NO || !linear_in(p, nb.t, z, &a, &b) || !read_g(p, a, next, w, &g))
    return fail();
  gold = ck_sub(p->T, g, next, now, w, NULL, 0);
  /* a * g(now) = g(next); b = g(next) * b0 with b0 free of all of them */
  eqn e1 = norm(p, in, t_mul(p, a, gold));
  eqn eg = norm(p, in, g);
  eqn e2 = norm(p, in, t_mul(p, t_op(p, CK_INV, g), b));
  if (e1.s == NO || eg.s == NO || e2.s == NO || e1.t != eg.t)
    return fail();
  b0 = e2.t;
  if (has_any(p, b0, next, w) || has_any(p, b0, now, w) || ck_has_var(p->T, b0, z))
    return fail();
  eqn e3 = norm(p, in, t_mul(p, g, b0));
  if (e3.s == NO || e3.t != b)
    return fail();
  /* induction: Z(k) = g(m(k)) * S(k) */
  uint32_t hk = r_hyp(p, t_rel(p, CK_LE, p->zero, k));
  uint32_t le0 = r_const(p, t_rel(p, CK_LE, p->zero, p->zero));
  uint32_t n0 = side(p, cx, t_rel(p, CK_LE, p->zero, n));
  if (n0 == NO)
    return fail();
  ck_id mk[MAX_W];
  ck_id m1[MAX_W];
  ck_id m0[MAX_W];
  ck_id mn[MAX_W];
  ck_vsub inst[2 * MAX_W + 1];
  uint32_t ni = 0;
  for (uint32_t q = 0; q < w; q++) {
    mk[q] = m[q];
    m1[q] = at_k(p, m[q], k, k1);
    m0[q] = at_k(p, m[q], k, p->zero);
    mn[q] = at_k(p, m[q], k, n);
    inst[ni++] = (ck_vsub){now[q], mk[q]};
    inst[ni++] = (ck_vsub){next[q], m1[q]};
  }
#define Z(x) fold_at(p, o, 0, x)
#define S(x) t_sum(p, x, k, b0)
#define G(v) ck_sub(p->T, g, next, v, w, NULL, 0)
#define F(x, v) t_rel(p, CK_EQ, Z(x), t_mul(p, G(v), S(x)))
  inst[ni++] = (ck_vsub){z, Z(k)};
  ck_summand bs[2];
  uint32_t z0 = r_zero(p, Z(p->zero), le0);
  uint32_t s0 = r_zero(p, S(p->zero), le0);
  bs[0] = (ck_summand){p->one, &z0, 1};
  bs[1] = (ck_summand){t_neg(p, G(m0)), &s0, 1};
  uint32_t base = r_arith(p, F(p->zero, m0), bs, 2);
  uint32_t u = r_succ(p, Z(k1), k, hk);
  uint32_t su = r_succ(p, S(k1), k, hk);
  uint32_t ih = r_hyp(p, F(k, mk));
  uint32_t at[4];
  const eqn *of[4] = {&nb, &e1, &eg, &e3};
  for (uint32_t i = 0; i < 4; i++) {
    at[i] = of[i]->s == REFL ? REFL : r_inst(p, of[i]->s, inst, ni, NULL, 0, NULL, 0);
    if (at[i] == NO)
      return fail();
  }
  ck_id vv[2 * MAX_W + 1];
  ck_id tt[2 * MAX_W + 1];
  ck_id ai;
  ck_id Sk = S(k);
  for (uint32_t i = 0; i < ni; i++) {
    vv[i] = inst[i].var;
    tt[i] = inst[i].term;
  }
  ai = ck_sub(p->T, a, vv, tt, ni, NULL, 0);
  if (u == NO || su == NO || base == NO)
    return fail();
  by y;
  by_start(&y);
  /* Z(k+1) = a Z(k) + b;  Z(k) = g(now) S(k);  a g(now) = g(next);  b = g(next) b0;  S(k+1) = S(k)
   * + b0 */
  by_add(&y, p->one, u);
  by_add(&y, p->one, at[0]);
  by_add(&y, ai, ih);
  by_add(&y, Sk, at[1]);
  by_add(&y, t_neg(p, Sk), at[2]);
  by_add(&y, t_int(p, -1), at[3]);
  by_add(&y, t_neg(p, G(m1)), su);
  uint32_t step = by_end(p, &y, F(k1, m1));
  ck_id f = F(k, mk);
  eqn r = {t_mul(p, G(mn), S(n)), r_induct(p, k, n, 0, &f, &base, &step, 1, n0)};
#undef Z
#undef S
#undef G
#undef F
  return r.s == NO ? fail() : r;
}

/* --- other folds: bases and steps in normal form */
static eqn norm_steps(pv *p, ck_id t, const opened *o) {
  opened s = *o;
  uint32_t prem[MAX_W];
  ck_id v[MAX_W + 1];
  bool changed = false;
  v[0] = o->k;
  for (uint32_t q = 0; q < o->w; q++) {
    eqn e = norm(p, o->in, o->step[q]);
    if (e.s == NO)
      return fail();
    v[q + 1] = o->st[q];
    s.step[q] = e.t;
    prem[q] = e.s == REFL ? eq_refl(p, e.t) : e.s;
    changed = changed || e.s != REFL;
  }
  if (!changed)
    return same(t);
  eqn r = {fold_at(p, &s, o->p, o->n), NO};
  r.s = r_foldcong(p, t, r.t, v, o->w + 1, prem, o->w);
  return r.s == NO ? fail() : r;
}

/* fold 0 1 n 0 (anything that is acc + f): as a sum */
static eqn as_sum(pv *p, ck_id t, const opened *o) {
  ck_id a;
  ck_id b;
  ck_id v[2] = {o->k, o->st[0]};
  uint32_t s;
  if (o->w != 1 || o->init[0] != p->zero || !linear_in(p, o->step[0], o->st[0], &a, &b) ||
      !is_one(p, a))
    return fail();
  s = r_arith0(p, t_rel(p, CK_EQ, o->step[0], t_add(p, o->st[0], b)));
  eqn r = {t_sum(p, o->n, o->k, b), NO};
  r.s = r_foldcong(p, t, r.t, v, 2, &s, 1);
  return r.s == NO ? fail() : r;
}

/* --- maxima */
/* the steps of a maximum, ite(acc <= f, f, acc), and of a minimum, ite(acc <= f, acc, f) */
static bool extremum_step(pv *p, const opened *o, bool max, ck_id *f) {
  ck_id s = o->step[0];
  ck_id c;
  if (o->w != 1 || ck_head(p->T, s) != CK_ITE)
    return false;
  c = ck_kid(p->T, s, 0);
  *f = ck_kid(p->T, s, max ? 1 : 2);
  return ck_head(p->T, c) == CK_LE && ck_kid(p->T, c, 0) == o->st[0] && ck_kid(p->T, c, 1) == *f &&
         ck_kid(p->T, s, max ? 2 : 1) == o->st[0] && !ck_has_var(p->T, *f, o->st[0]);
}

/* max over k < n of f, base as given */
static ck_id max_term(pv *p, ck_id n, ck_id init, ck_id k, ck_id f) {
  ck_id acc = ck_var(p->T, "$$acc", 'r');
  return t_fold1(p, n, init, k, acc, t_max2(p, acc, f));
}

/* fold t (bound and base normal) with step max: body normal; a maximum of maxima over l < L, t < T
 * of f(l*T + t) becomes one */
static eqn norm_max(pv *p, uint32_t cx, ck_id t, const opened *o, ck_id f) {
  eqn b = norm(p, o->in, f);
  eqn e = same(t);
  ck_id vars[2] = {o->k, ck_var(p->T, "$$acc", 'r')};
  if (b.s == NO)
    return fail();
  if (b.s != REFL) {
    uint32_t prem[4];
    uint32_t n = 0;
    ck_id x = t_max2(p, vars[1], f);
    ck_id y = t_max2(p, vars[1], b.t);
    prem[n++] = b.s;
    prem[n++] = b.s; /* in the condition and in the branch */
    uint32_t s = r_cong(p, x, y, prem, n);
    e.t = max_term(p, o->n, o->init[0], o->k, b.t);
    e.s = r_foldcong(p, t, e.t, vars, 2, &s, 1);
    if (e.s == NO)
      return fail();
  }
  eqn r = join_max(p, cx, e.t, o->n, o->init[0], o->k, b.t);
  return r.s == NO ? e : eq_then(p, e, r);
}

/* t: a fold whose bound and bases are normal */
eqn norm_fold(pv *p, uint32_t cx, ck_id t) {
  opened o;
  eqn e;
  eqn r;
  ck_id f;
  if (is_sum(p, t))
    return norm_sum(p, cx, t);
  if (is_prod(p, t, &f))
    return norm_prod(p, cx, t);
  if (!open_fold(p, cx, t, &o))
    return same(t);
  if (extremum_step(p, &o, true, &f))
    return norm_max(p, cx, t, &o, f);
  if (extremum_step(p, &o, false, &f)) {
    e = min_as_max(p, cx, t, o.n, o.init[0], o.k, f);
    if (e.s != NO && e.s != REFL)
      return e;
  }
  e = drop_states(p, cx, t, &o);
  if (e.s != NO && e.s != REFL)
    return eq_then(p, e, norm(p, cx, e.t));
  r = rescaled(p, cx, &o);
  if (r.s != NO)
    return eq_then(p, r, norm(p, cx, r.t));
  e = norm_steps(p, t, &o);
  if (e.s == NO)
    return same(t);
  if (!open_fold(p, cx, e.t, &o))
    return e;
  r = as_sum(p, e.t, &o);
  return r.s == NO ? e : eq_then(p, e, eq_then(p, r, norm(p, cx, r.t)));
}
