/* Normal form of folds: sums, maxima, and accumulators that are rescaled while they run.
 *
 * A fold Z with step a(m(l), m(l+1))*Z + b(l, m(l+1)), where m(l) is another fold over the
 * iterations before l (a running maximum), is rewritten when a = g(m(l+1))/g(m(l)) and b =
 * g(m(l+1))*b0(l) for some g: then Z(n) = g(m(n)) * sum(l < n) b0(l), by induction, if Z starts at
 * 0.  g is read off a. */
#include "pv_folds.h"
#include "src/base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_W = 6 };

/* --- replacing closed subterms by equations */
static pv_eqn rewrite_at(pv *p, ck_id t, const ck_id *from, const pv_thm *steps, uint32_t n,
                         uint32_t depth) {
  const ck_terms *T = p->terms;
  ck_op o = ck_head(T, t);
  ck_id kids[40];
  pv_thm prem[40];
  uint32_t np = 0;
  uint32_t nk = ck_nkids(T, t);
  pv_eqn e = pv_same(t);
  for (uint32_t i = 0; i < n; i++) {
    if (t == from[i]) {
      e.to = pv_right(p, steps[i]);
      e.by = steps[i];
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
      pv_eqn a = rewrite_at(p, ck_kid(T, kids[0], 0), from, steps, n, depth);
      pv_eqn b = rewrite_at(p, ck_kid(T, kids[0], 1), from, steps, n, depth);
      if (a.by == PV_NONE || b.by == PV_NONE)
        return pv_fail();
      if (a.by != PV_REFL)
        prem[np++] = a.by;
      if (b.by != PV_REFL)
        prem[np++] = b.by;
      kids[0] = pv_rel(p, ck_head(T, kids[0]), a.to, b.to);
      continue;
    }
    pv_eqn k = rewrite_at(p, kids[i], from, steps, n, depth);
    if (k.by == PV_NONE)
      return pv_fail();
    kids[i] = k.to;
    if (k.by != PV_REFL)
      prem[np++] = k.by;
  }
  if (np) {
    e.to = ck_rebuild(p->terms, t, kids);
    e.by = pv_cong(p, t, e.to, prem, np);
  }
  if (o == CK_FOLD && e.by != PV_NONE) {
    uint32_t w = ck_width(T, t);
    pv_thm sp[MAX_W];
    ck_id vars[MAX_W + 1];
    bool changed = false;
    char name[40];
    if (w > MAX_W)
      return e;
    snprintf(name, sizeof name, "$$r%u", depth);
    vars[0] = pv_int_var(p, name);
    for (uint32_t q = 0; q < w; q++) {
      snprintf(name, sizeof name, "$$s%u.%u", depth, q);
      vars[q + 1] = pv_real_var(p, name);
    }
    for (uint32_t i = 0; i < 1 + w; i++)
      kids[i] = ck_kid(p->terms, e.to, i);
    for (uint32_t q = 0; q < w; q++) {
      ck_id body = ck_open(p->terms, ck_kid(p->terms, e.to, 1 + w + q), vars, w + 1);
      pv_eqn k = rewrite_at(p, body, from, steps, n, depth + 1);
      if (k.by == PV_NONE)
        return pv_fail();
      changed = changed || k.by != PV_REFL;
      sp[q] = k.by == PV_REFL ? pv_refl(p, body) : k.by;
      kids[1 + w + q] = ck_close(p->terms, k.to, vars, w + 1);
    }
    if (changed) {
      pv_eqn f = {ck_fold(p->terms, ck_index(p->terms, t), w, kids), PV_NONE};
      f.by = pv_foldcong(p, e.to, f.to, vars, w + 1, sp, w);
      e = pv_then(p, e, f);
    }
  }
  return e.by == PV_NONE ? pv_fail() : e;
}

pv_eqn pv_rewrite(pv *p, ck_id t, const ck_id *from, const pv_thm *steps, uint32_t n) {
  return rewrite_at(p, t, from, steps, n, 0);
}

/* --- the states of a fold, opened */
typedef struct {
  uint32_t w;
  uint32_t p;
  pv_ctx in;
  ck_id n;
  ck_id init[MAX_W];
  ck_id k;
  ck_id st[MAX_W];
  ck_id step[MAX_W];
} opened;

static bool open_fold(pv *p, pv_ctx cx, ck_id t, opened *o) {
  o->w = ck_width(p->terms, t);
  o->p = ck_index(p->terms, t);
  o->n = ck_kid(p->terms, t, 0);
  if (o->w > MAX_W)
    return false;
  o->in = pv_ctx_bind(p, cx, o->n, &o->k);
  ck_id v[MAX_W + 1];
  v[0] = o->k;
  for (uint32_t q = 0; q < o->w; q++) {
    o->init[q] = ck_kid(p->terms, t, 1 + q);
    v[q + 1] = o->st[q] = pv_state_var(p, CX(p, o->in).level, q);
  }
  for (uint32_t q = 0; q < o->w; q++)
    o->step[q] = ck_open(p->terms, ck_kid(p->terms, t, 1 + o->w + q), v, o->w + 1);
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
    kids[1 + o->w + i] = ck_close(p->terms, o->step[i], v, o->w + 1);
  }
  return ck_fold(p->terms, q, o->w, kids);
}

/* --- states that the wanted one does not depend on are dropped */
static pv_eqn drop_states(pv *p, pv_ctx cx, ck_id t, const opened *o) {
  bool need[MAX_W] = {false};
  bool more = true;
  uint32_t idx[MAX_W];
  uint32_t m = 0;
  pv_thm n0;
  need[o->p] = true;
  while (more) {
    more = false;
    for (uint32_t q = 0; q < o->w; q++) {
      for (uint32_t r = 0; need[q] && r < o->w; r++) {
        if (!need[r] && ck_has_var(p->terms, o->step[q], o->st[r]))
          need[r] = more = true;
      }
    }
  }
  for (uint32_t q = 0; q < o->w; q++) {
    if (need[q])
      idx[m++] = q;
  }
  if (m == o->w)
    return pv_same(t);
  opened s = *o;
  s.w = m;
  for (uint32_t i = 0; i < m; i++) {
    s.init[i] = o->init[idx[i]];
    s.st[i] = o->st[idx[i]];
    s.step[i] = o->step[idx[i]];
    if (idx[i] == o->p)
      s.p = i;
  }
  n0 = pv_follows(p, cx, pv_ge0(p, o->n));
  ck_id k = o->k;
  ck_id k1 = pv_add(p, k, p->one);
  ck_id fs[MAX_W];
  ck_id from[MAX_W];
  pv_thm base[MAX_W];
  pv_thm step[MAX_W];
  pv_thm ih[MAX_W];
  pv_thm hk = pv_hyp(p, pv_ge0(p, k));
  pv_thm le0 = pv_by_value(p, pv_ge0(p, p->zero));
  for (uint32_t i = 0; i < m; i++) {
    ck_id a0 = fold_at(p, o, idx[i], p->zero);
    ck_id b0 = fold_at(p, &s, i, p->zero);
    from[i] = fold_at(p, o, idx[i], k);
    fs[i] = pv_eq(p, from[i], fold_at(p, &s, i, k));
    ih[i] = pv_hyp(p, fs[i]);
    base[i] = pv_trans(p, pv_zero(p, a0, le0), pv_sym(p, pv_zero(p, b0, le0)));
  }
  for (uint32_t i = 0; i < m; i++) {
    pv_thm u = pv_succ(p, fold_at(p, o, idx[i], k1), k, hk);
    pv_thm v = pv_succ(p, fold_at(p, &s, i, k1), k, hk);
    if (u == PV_NONE || v == PV_NONE)
      return pv_fail();
    pv_eqn e = pv_rewrite(p, pv_right(p, u), from, ih, m);
    step[i] = pv_trans(p, pv_trans(p, u, e.by), pv_sym(p, v));
  }
  pv_eqn r = {fold_at(p, &s, s.p, o->n),
              n0 == PV_NONE ? PV_NONE : pv_induct(p, k, o->n, s.p, fs, base, step, m, n0)};
  return r.by == PV_NONE ? pv_fail() : r;
}

/* --- rescaled accumulators */
/* linear in z: t = a*z + b */
static bool linear_in(pv *p, ck_id t, ck_id z, ck_id *a, ck_id *b) {
  pv_poly f;
  pv_poly x;
  pv_poly y;
  bool ok = true;
  pv_poly_init(&f);
  pv_poly_init(&x);
  pv_poly_init(&y);
  pv_poly_read(p, &f, t);
  for (uint32_t i = 0; i < f.count && ok; i++) {
    const pv_mono *m = &f.monos[i];
    ck_id *rest = as_malloc((m->degree + 1) * sizeof *rest);
    int k = pv_mono_div(m->atoms, m->degree, &z, 1, rest);
    if (k >= 0)
      pv_poly_add_mono(p, &x, m->coef, rest, (uint32_t)k);
    else
      pv_poly_add_mono(p, &y, m->coef, m->atoms, m->degree);
    for (int j = 0; j < k; j++) {
      if (ck_has_var(p->terms, rest[j], z))
        ok = false;
    }
    for (uint32_t j = 0; k < 0 && j < m->degree; j++) {
      if (ck_has_var(p->terms, m->atoms[j], z))
        ok = false;
    }
    free(rest);
  }
  *a = pv_poly_term(p, &x);
  *b = pv_poly_term(p, &y);
  pv_poly_clear(&f);
  pv_poly_clear(&x);
  pv_poly_clear(&y);
  return ok;
}

static bool has_any(pv *p, ck_id t, const ck_id *v, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (v[i] != CK_BAD && ck_has_var(p->terms, t, v[i]))
      return true;
  }
  return false;
}

/* replaces the closed subterm `what` by `with` */
static ck_id replace_term(pv *p, ck_id t, ck_id what, ck_id with) {
  ck_id kids[40];
  uint32_t n = ck_nkids(p->terms, t);
  if (t == what)
    return with;
  if (n == 0 || n > 40)
    return t;
  for (uint32_t i = 0; i < n; i++) {
    kids[i] = ck_kid(p->terms, t, i);
    if (ck_is_rel(p->terms, kids[i])) {
      ck_id a = replace_term(p, ck_kid(p->terms, kids[i], 0), what, with);
      ck_id b = replace_term(p, ck_kid(p->terms, kids[i], 1), what, with);
      kids[i] = pv_rel(p, ck_head(p->terms, kids[i]), a, b);
    } else {
      kids[i] =
          replace_term(p, kids[i], what, with); /* `what` is closed: the same term under binders */
    }
    if (kids[i] == CK_BAD)
      return t;
  }
  return ck_rebuild(p->terms, t, kids);
}

/* the factors of the monomial a that mention one of the new values */
static bool read_g(pv *p, ck_id a, const ck_id *fresh, uint32_t w, ck_id *g) {
  pv_poly f;
  bool ok;
  ck_id s[64];
  uint32_t n = 0;
  pv_poly_init(&f);
  pv_poly_read(p, &f, a);
  ok = f.count == 1 && f.monos[0].degree <= 64;
  for (uint32_t i = 0; ok && i < f.monos[0].degree; i++) {
    if (has_any(p, f.monos[0].atoms[i], fresh, w))
      s[n++] = f.monos[0].atoms[i];
  }
  if (ok)
    *g = pv_mono_term(p, p->one, s, n);
  pv_poly_clear(&f);
  return ok && n > 0;
}

static ck_id at_k(pv *p, ck_id t, ck_id k, ck_id val) {
  return ck_sub(p->terms, t, &k, &val, 1, NULL, 0);
}

/* the folds over the iterations before k that t reads, outside of binders */
static uint32_t prefixes(pv *p, ck_id t, ck_id k, ck_id *out, uint32_t n) {
  if (!ck_has_var(p->terms, t, k))
    return n;
  if (ck_head(p->terms, t) == CK_FOLD && ck_kid(p->terms, t, 0) == k) {
    for (uint32_t i = 0; i < n; i++) {
      if (out[i] == t)
        return n;
    }
    if (n < MAX_W)
      out[n++] = t;
    return n;
  }
  for (uint32_t i = 0; i < ck_nkids(p->terms, t); i++) {
    if (!ck_kid_binders(p->terms, t, i))
      n = prefixes(p, ck_kid(p->terms, t, i), k, out, n);
  }
  return n;
}

static pv_eqn rescaled(pv *p, pv_ctx cx, const opened *o) {
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
  ck_id k1 = pv_add(p, k, p->one);
  ck_id n = o->n;
  ck_id body = o->step[0];
  uint32_t w;
  pv_ctx in = o->in;
  char name[32];
  if (o->w != 1 || o->init[0] != p->zero || (w = prefixes(p, body, k, m, 0)) == 0)
    return pv_fail();
  for (uint32_t q = 0; q < w;
       q++) { /* their values before and after iteration k become variables */
    snprintf(name, sizeof name, "$$o%u.%u", CX(p, in).level, q);
    now[q] = pv_real_var(p, name);
    snprintf(name, sizeof name, "$$n%u.%u", CX(p, in).level, q);
    next[q] = pv_real_var(p, name);
    body = replace_term(p, replace_term(p, body, at_k(p, m[q], k, k1), next[q]), m[q], now[q]);
  }
  pv_eqn nb = pv_norm(p, in, body);
  if (nb.by == PV_NONE || !linear_in(p, nb.to, z, &a, &b) || !read_g(p, a, next, w, &g))
    return pv_fail();
  gold = ck_sub(p->terms, g, next, now, w, NULL, 0);
  /* a * g(now) = g(next); b = g(next) * b0 with b0 free of all of them */
  pv_eqn e1 = pv_norm(p, in, pv_mul(p, a, gold));
  pv_eqn eg = pv_norm(p, in, g);
  pv_eqn e2 = pv_norm(p, in, pv_mul(p, pv_inv(p, g), b));
  if (e1.by == PV_NONE || eg.by == PV_NONE || e2.by == PV_NONE || e1.to != eg.to)
    return pv_fail();
  b0 = e2.to;
  if (has_any(p, b0, next, w) || has_any(p, b0, now, w) || ck_has_var(p->terms, b0, z))
    return pv_fail();
  pv_eqn e3 = pv_norm(p, in, pv_mul(p, g, b0));
  if (e3.by == PV_NONE || e3.to != b)
    return pv_fail();
  /* induction: Z(k) = g(m(k)) * S(k) */
  pv_thm hk = pv_hyp(p, pv_ge0(p, k));
  pv_thm le0 = pv_by_value(p, pv_ge0(p, p->zero));
  pv_thm n0 = pv_follows(p, cx, pv_ge0(p, n));
  if (n0 == PV_NONE)
    return pv_fail();
  ck_id mk[MAX_W];
  ck_id m1[MAX_W];
  ck_id m0[MAX_W];
  ck_id mn[MAX_W];
  pv_var_sub inst[2 * MAX_W + 1];
  uint32_t ni = 0;
  for (uint32_t q = 0; q < w; q++) {
    mk[q] = m[q];
    m1[q] = at_k(p, m[q], k, k1);
    m0[q] = at_k(p, m[q], k, p->zero);
    mn[q] = at_k(p, m[q], k, n);
    inst[ni++] = (pv_var_sub){now[q], mk[q]};
    inst[ni++] = (pv_var_sub){next[q], m1[q]};
  }
#define Z(x) fold_at(p, o, 0, x)
#define S(x) pv_sum(p, x, k, b0)
#define G(v) ck_sub(p->terms, g, next, v, w, NULL, 0)
#define F(x, v) pv_eq(p, Z(x), pv_mul(p, G(v), S(x)))
  inst[ni++] = (pv_var_sub){z, Z(k)};
  pv_summand bs[2];
  pv_thm z0 = pv_zero(p, Z(p->zero), le0);
  pv_thm s0 = pv_zero(p, S(p->zero), le0);
  bs[0] = (pv_summand){p->one, &z0, 1};
  bs[1] = (pv_summand){pv_neg(p, G(m0)), &s0, 1};
  pv_thm base = pv_arith(p, F(p->zero, m0), bs, 2);
  pv_thm u = pv_succ(p, Z(k1), k, hk);
  pv_thm su = pv_succ(p, S(k1), k, hk);
  pv_thm ih = pv_hyp(p, F(k, mk));
  pv_thm at[4];
  const pv_eqn *of[4] = {&nb, &e1, &eg, &e3};
  for (uint32_t i = 0; i < 4; i++) {
    at[i] = of[i]->by == PV_REFL ? PV_REFL : pv_inst(p, of[i]->by, inst, ni, NULL, 0, NULL, 0);
    if (at[i] == PV_NONE)
      return pv_fail();
  }
  ck_id vv[2 * MAX_W + 1];
  ck_id tt[2 * MAX_W + 1];
  ck_id ai;
  ck_id Sk = S(k);
  for (uint32_t i = 0; i < ni; i++) {
    vv[i] = inst[i].var;
    tt[i] = inst[i].term;
  }
  ai = ck_sub(p->terms, a, vv, tt, ni, NULL, 0);
  if (u == PV_NONE || su == PV_NONE || base == PV_NONE)
    return pv_fail();
  pv_comb y;
  pv_comb_init(&y);
  /* Z(k+1) = a Z(k) + b;  Z(k) = g(now) S(k);  a g(now) = g(next);  b = g(next) b0;  S(k+1) = S(k)
   * + b0 */
  pv_comb_add(&y, p->one, u);
  pv_comb_add(&y, p->one, at[0]);
  pv_comb_add(&y, ai, ih);
  pv_comb_add(&y, Sk, at[1]);
  pv_comb_add(&y, pv_neg(p, Sk), at[2]);
  pv_comb_add(&y, pv_num(p, -1), at[3]);
  pv_comb_add(&y, pv_neg(p, G(m1)), su);
  pv_thm step = pv_comb_prove(p, &y, F(k1, m1));
  ck_id f = F(k, mk);
  pv_eqn r = {pv_mul(p, G(mn), S(n)), pv_induct(p, k, n, 0, &f, &base, &step, 1, n0)};
#undef Z
#undef S
#undef G
#undef F
  return r.by == PV_NONE ? pv_fail() : r;
}

/* --- other folds: bases and steps in normal form */
static pv_eqn norm_steps(pv *p, ck_id t, const opened *o) {
  opened s = *o;
  pv_thm prem[MAX_W];
  ck_id v[MAX_W + 1];
  bool changed = false;
  v[0] = o->k;
  for (uint32_t q = 0; q < o->w; q++) {
    pv_eqn e = pv_norm(p, o->in, o->step[q]);
    if (e.by == PV_NONE)
      return pv_fail();
    v[q + 1] = o->st[q];
    s.step[q] = e.to;
    prem[q] = e.by == PV_REFL ? pv_refl(p, e.to) : e.by;
    changed = changed || e.by != PV_REFL;
  }
  if (!changed)
    return pv_same(t);
  pv_eqn r = {fold_at(p, &s, o->p, o->n), PV_NONE};
  r.by = pv_foldcong(p, t, r.to, v, o->w + 1, prem, o->w);
  return r.by == PV_NONE ? pv_fail() : r;
}

/* fold 0 1 n 0 (anything that is acc + f): as a sum */
static pv_eqn as_sum(pv *p, ck_id t, const opened *o) {
  ck_id a;
  ck_id b;
  ck_id v[2] = {o->k, o->st[0]};
  pv_thm s;
  if (o->w != 1 || o->init[0] != p->zero || !linear_in(p, o->step[0], o->st[0], &a, &b) ||
      !pv_is_one(p, a))
    return pv_fail();
  s = pv_identity(p, pv_eq(p, o->step[0], pv_add(p, o->st[0], b)));
  pv_eqn r = {pv_sum(p, o->n, o->k, b), PV_NONE};
  r.by = pv_foldcong(p, t, r.to, v, 2, &s, 1);
  return r.by == PV_NONE ? pv_fail() : r;
}

/* --- maxima */
/* the steps of a maximum, ite(acc <= f, f, acc), and of a minimum, ite(acc <= f, acc, f) */
static bool extremum_step(pv *p, const opened *o, bool max, ck_id *f) {
  ck_id s = o->step[0];
  ck_id c;
  if (o->w != 1 || ck_head(p->terms, s) != CK_ITE)
    return false;
  c = ck_kid(p->terms, s, 0);
  *f = ck_kid(p->terms, s, max ? 1 : 2);
  return ck_head(p->terms, c) == CK_LE && ck_kid(p->terms, c, 0) == o->st[0] &&
         ck_kid(p->terms, c, 1) == *f && ck_kid(p->terms, s, max ? 2 : 1) == o->st[0] &&
         !ck_has_var(p->terms, *f, o->st[0]);
}

/* max over k < n of f, base as given */
static ck_id max_term(pv *p, ck_id n, ck_id init, ck_id k, ck_id f) {
  ck_id acc = pv_real_var(p, "$$acc");
  return pv_fold1(p, n, init, k, acc, pv_max2(p, acc, f));
}

/* fold t (bound and base normal) with step max: body normal; a maximum of maxima over l < L, t < T
 * of f(l*T + t) becomes one */
static pv_eqn norm_max(pv *p, pv_ctx cx, ck_id t, const opened *o, ck_id f) {
  pv_eqn b = pv_norm(p, o->in, f);
  pv_eqn e = pv_same(t);
  ck_id vars[2] = {o->k, pv_real_var(p, "$$acc")};
  if (b.by == PV_NONE)
    return pv_fail();
  if (b.by != PV_REFL) {
    pv_thm prem[4];
    uint32_t n = 0;
    ck_id x = pv_max2(p, vars[1], f);
    ck_id y = pv_max2(p, vars[1], b.to);
    prem[n++] = b.by;
    prem[n++] = b.by; /* in the condition and in the branch */
    pv_thm s = pv_cong(p, x, y, prem, n);
    e.to = max_term(p, o->n, o->init[0], o->k, b.to);
    e.by = pv_foldcong(p, t, e.to, vars, 2, &s, 1);
    if (e.by == PV_NONE)
      return pv_fail();
  }
  pv_eqn r = pv_join_max(p, cx, e.to, o->n, o->init[0], o->k, b.to);
  return r.by == PV_NONE ? e : pv_then(p, e, r);
}

/* t: a fold whose bound and bases are normal */
pv_eqn pv_norm_fold(pv *p, pv_ctx cx, ck_id t) {
  opened o;
  pv_eqn e;
  pv_eqn r;
  ck_id f;
  if (pv_is_sum(p, t))
    return pv_norm_sum(p, cx, t);
  if (pv_is_prod(p, t, &f))
    return pv_norm_prod(p, cx, t);
  if (!open_fold(p, cx, t, &o))
    return pv_same(t);
  if (extremum_step(p, &o, true, &f))
    return norm_max(p, cx, t, &o, f);
  if (extremum_step(p, &o, false, &f)) {
    e = pv_min_as_max(p, cx, t, o.n, o.init[0], o.k, f);
    if (e.by != PV_NONE && e.by != PV_REFL)
      return e;
  }
  e = drop_states(p, cx, t, &o);
  if (e.by != PV_NONE && e.by != PV_REFL)
    return pv_then(p, e, pv_norm(p, cx, e.to));
  r = rescaled(p, cx, &o);
  if (r.by != PV_NONE)
    return pv_then(p, r, pv_norm(p, cx, r.to));
  e = norm_steps(p, t, &o);
  if (e.by == PV_NONE)
    return pv_same(t);
  if (!open_fold(p, cx, e.to, &o))
    return e;
  r = as_sum(p, e.to, &o);
  return r.by == PV_NONE ? e : pv_then(p, e, pv_then(p, r, pv_norm(p, cx, r.to)));
}
