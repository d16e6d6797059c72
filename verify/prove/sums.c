/* Normal form of sums.  A sum is distributed over its body's monomials; factors free of the counter
 * come out; what stays is a product of atoms under one or more counters ("telescope", all sums in
 * front), connected through them.  Two counters of which everything depends on l*T + t alone become
 * one; a range cut by an `if` or read through k div T is cut; counters are put in a canonical
 * order. */
#include "pv_folds.h"
#include "src/base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 10 };

typedef struct {
  uint32_t d;
  pv_ctx cx[MAX_DEPTH + 1];
  ck_id n[MAX_DEPTH];
  ck_id k[MAX_DEPTH];
} tele; /* cx[i]: context outside of counter i */

static pv_thm ge0(pv *p, pv_ctx cx, ck_id n) {
  return pv_follows(p, cx, pv_ge0(p, n));
}

/* the telescope from counter i on, around body */
static ck_id tele_term(pv *p, const tele *t, uint32_t i, ck_id body) {
  for (uint32_t j = t->d; j-- > i;)
    body = pv_sum(p, t->n[j], t->k[j], body);
  return body;
}

/* s: x = y inside the first m counters, lifted */
static pv_thm tele_lift(pv *p, const tele *t, uint32_t m, pv_thm s) {
  while (m-- > 0)
    s = pv_lift_sum(p, t->n[m], t->k[m], s);
  return s;
}

static bool tele_push(pv *p, tele *t, ck_id n) {
  if (t->d == MAX_DEPTH)
    return false;
  t->n[t->d] = n;
  t->cx[t->d + 1] = pv_ctx_bind(p, t->cx[t->d], n, &t->k[t->d]);
  t->d++;
  return true;
}

/* --- all sums in front */
typedef struct {
  ck_id plain[64];
  ck_id sum[16];
  uint32_t np;
  uint32_t ns;
} factors;

static bool sort_factors(pv *p, ck_id t, factors *f) {
  pv_poly g;
  bool ok;
  pv_poly_init(&g);
  pv_poly_read(p, &g, t);
  ok = g.count == 1 && pv_is_one(p, g.monos[0].coef) && g.monos[0].degree <= 64;
  for (uint32_t i = 0; ok && i < g.monos[0].degree; i++) {
    if (!pv_is_sum(p, g.monos[0].atoms[i]))
      f->plain[f->np++] = g.monos[0].atoms[i];
    else if (f->ns < 16)
      f->sum[f->ns++] = g.monos[0].atoms[i];
    else
      ok = false;
  }
  pv_poly_clear(&g);
  return ok;
}

static ck_id factors_term(pv *p, const factors *f, uint32_t first_sum) {
  ck_id a[80];
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->np; i++)
    a[n++] = f->plain[i];
  for (uint32_t i = first_sum; i < f->ns; i++)
    a[n++] = f->sum[i];
  return pv_mono_term(p, p->one, a, n);
}

/* t: product of atoms, inside the telescope; t = nested sums of a product without sums; the
 * counters are appended */
static pv_eqn push_in(pv *p, tele *tl, ck_id t) {
  factors f = {.np = 0};
  if (!sort_factors(p, t, &f))
    return pv_fail();
  if (!f.ns)
    return pv_same(t);
  ck_id S = f.sum[0];
  ck_id C = factors_term(p, &f, 1);
  ck_id n = ck_kid(p->terms, S, 0);
  uint32_t at = tl->d;
  pv_thm n0 = ge0(p, tl->cx[at], n);
  if (n0 == PV_NONE || !tele_push(p, tl, n))
    return pv_fail();
  ck_id k = tl->k[at];
  ck_id B = pv_sum_body(p, S, k);
  ck_id CB = pv_mul(p, C, B);
  ck_id in = pv_canon(p, CB);
  pv_var_sub v[2] = {(pv_var_sub){pv_int_var(p, "n"), n}, {pv_real_var(p, "c"), C}};
  ck_fsub fs = pv_fun_sub(p, "f", &k, B);
  pv_thm sc = pv_use_lemma(p, PV_SUM_SCALE, v, 2, &fs, 1, &n0, 1); /* sum C*B = C*S */
  pv_thm order = in == CB ? PV_REFL : pv_lift_sum(p, n, k, pv_identity(p, pv_eq(p, CB, in)));
  pv_eqn r = push_in(p, tl, in);
  if (r.by == PV_NONE || sc == PV_NONE)
    return pv_fail();
  pv_thm deep = pv_lift_sum(p, n, k, r.by);
  pv_comb b;
  pv_comb_init(&b); /* t = C*S; C*S = sum CB = sum in = sum r */
  pv_comb_add(&b, pv_num(p, -1), sc);
  pv_comb_add(&b, p->one, order);
  pv_comb_add(&b, p->one, deep);
  pv_eqn e = {pv_sum(p, n, k, r.to), PV_NONE};
  e.by = pv_comb_prove(p, &b, pv_eq(p, t, e.to));
  return e;
}

static ck_id innermost(pv *p, ck_id t, const tele *tl, uint32_t from) {
  for (uint32_t i = from; i < tl->d; i++)
    t = pv_sum_body(p, t, tl->k[i]);
  return t;
}

/* --- exchange of counters i and i+1; *cur: the term from counter 0 on */
static pv_thm swap(pv *p, tele *t, uint32_t i, ck_id body) {
  ck_id a = t->k[i];
  ck_id b = t->k[i + 1];
  ck_id in = tele_term(p, t, i + 2, body);
  ck_id par[2] = {a, b};
  pv_thm prem[2] = {ge0(p, t->cx[i], t->n[i]), ge0(p, t->cx[i], t->n[i + 1])};
  pv_var_sub v[2] = {(pv_var_sub){pv_int_var(p, "n"), t->n[i]}, {pv_int_var(p, "m"), t->n[i + 1]}};
  ck_fsub f = pv_fun2_sub(p, "f2", par, in);
  pv_thm s = tele_lift(p, t, i, pv_use_lemma(p, PV_SUM_EXCHANGE, v, 2, &f, 1, prem, 2));
  ck_id x = t->n[i];
  t->n[i] = t->n[i + 1];
  t->n[i + 1] = x;
  t->k[i] = b;
  t->k[i + 1] = a;
  return s;
}

/* --- canonical index arithmetic alone, without context */
static pv_eqn icanon_at(pv *p, ck_id t, uint32_t depth) {
  const ck_terms *T = p->terms;
  ck_op o = ck_head(T, t);
  uint64_t v;
  if (o == CK_Q || o == CK_V || o == CK_B)
    return pv_same(t);
  if (as_map_get(&p->misc_memo, AS_KEY(t, 16 + depth), &v)) {
    pv_eqn m = {(ck_id)(v >> 32), (uint32_t)v};
    return m;
  }
  pv_eqn e = pv_same(t);
  if (ck_is_int(T, t) && (o == CK_ADD || o == CK_MUL)) {
    e.to = pv_canon(p, t);
    if (e.to != t)
      e.by = pv_identity(p, pv_eq(p, t, e.to));
  } else {
    uint32_t n = ck_nkids(T, t);
    uint32_t np = 0;
    uint32_t w = o == CK_FOLD ? ck_width(T, t) : 0;
    ck_id kids[40];
    pv_thm prem[40];
    ck_id cond = CK_BAD;
    if (n > 32)
      return pv_fail();
    for (uint32_t i = 0; i < n; i++) {
      kids[i] = ck_kid(T, t, i);
      if (ck_kid_binders(T, t, i))
        continue;
      if (o == CK_ITE && i == 0) {
        pv_eqn a = icanon_at(p, ck_kid(T, kids[0], 0), depth);
        pv_eqn b = icanon_at(p, ck_kid(T, kids[0], 1), depth);
        if (a.by == PV_NONE || b.by == PV_NONE)
          return pv_fail();
        if (a.by != PV_REFL)
          prem[np++] = a.by;
        if (b.by != PV_REFL)
          prem[np++] = b.by;
        cond = pv_rel(p, ck_head(T, kids[0]), a.to, b.to);
        kids[0] = cond;
        continue;
      }
      pv_eqn k = icanon_at(p, kids[i], depth);
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
      ck_id vars[9];
      ck_id steps[16];
      pv_thm sp[8];
      bool changed = false;
      char name[40];
      if (w > 8)
        return pv_fail();
      snprintf(name, sizeof name, "$$i%u", depth);
      vars[0] = pv_int_var(p, name);
      for (uint32_t q = 0; q < w; q++) {
        snprintf(name, sizeof name, "$$j%u.%u", depth, q);
        vars[q + 1] = pv_real_var(p, name);
      }
      for (uint32_t i = 0; i < 1 + w; i++)
        steps[i] = ck_kid(p->terms, e.to, i);
      for (uint32_t q = 0; q < w; q++) {
        ck_id body = ck_open(p->terms, ck_kid(p->terms, e.to, 1 + w + q), vars, w + 1);
        pv_eqn k = icanon_at(p, body, depth + 1);
        if (k.by == PV_NONE)
          return pv_fail();
        changed = changed || k.by != PV_REFL;
        sp[q] = k.by == PV_REFL ? pv_refl(p, body) : k.by;
        steps[1 + w + q] = ck_close(p->terms, k.to, vars, w + 1);
      }
      if (changed) {
        ck_id to = ck_fold(p->terms, ck_index(p->terms, t), w, steps);
        pv_eqn f = {to, pv_foldcong(p, e.to, to, vars, w + 1, sp, w)};
        e = pv_then(p, e, f);
      }
    }
  }
  if (e.by == PV_NONE)
    return pv_fail();
  as_map_put(&p->misc_memo, AS_KEY(t, 16 + depth), ((uint64_t)e.to << 32) | e.by);
  return e;
}

pv_eqn pv_index_canon(pv *p, ck_id t) {
  return icanon_at(p, t, 0);
}

/* --- two counters of which all depends on k[a]*n[b] + k[b] alone */
static ck_id joined_body(pv *p, const tele *t, uint32_t a, uint32_t b, ck_id body, ck_id K) {
  ck_id by_ = pv_sub(p, K, pv_mul(p, t->k[a], t->n[b]));
  ck_id r = ck_sub(p->terms, body, &t->k[b], &by_, 1, NULL, 0);
  if (r == CK_BAD)
    return CK_BAD;
  pv_eqn e = pv_index_canon(p, r);
  return e.by == PV_NONE || ck_has_var(p->terms, e.to, t->k[a]) ? CK_BAD : e.to;
}

static bool bounds_free(pv *p, const tele *t) {
  for (uint32_t i = 0; i < t->d; i++) {
    for (uint32_t j = 0; j < t->d; j++) {
      if (ck_has_var(p->terms, t->n[i], t->k[j]))
        return false;
    }
  }
  return true;
}

/* the telescope (term `start`, equal to what was asked by `s`) with one pair of counters joined;
 * fails if no pair joins */
static pv_eqn join(pv *p, tele *t, ck_id body) {
  ck_id K = pv_int_var(p, "$$K");
  ck_id h = CK_BAD;
  uint32_t a = 0;
  uint32_t b = 0;
  pv_thm s = PV_REFL;
  for (a = 0; a < t->d && h == CK_BAD; a++) {
    for (b = 0; b < t->d && h == CK_BAD; b++) {
      if (a != b)
        h = joined_body(p, t, a, b, body, K);
    }
  }
  if (h == CK_BAD)
    return pv_fail();
  a--;
  b--;
  /* bring b right after a */
  if (b > a) {
    for (; b > a + 1; b--)
      s = pv_trans(p, s, swap(p, t, b - 1, body));
  } else {
    for (; b < a; b++)
      s = pv_trans(p, s, swap(p, t, b, body));
    a--;
  }
  ck_id G = t->n[a];
  ck_id Tn = t->n[a + 1];
  ck_id rest = tele_term(p, t, a + 2, h);
  ck_id cur = tele_term(p, t, a, body);
  pv_thm prem[2] = {ge0(p, t->cx[a], G), ge0(p, t->cx[a], Tn)};
  pv_var_sub v[2] = {{pv_int_var(p, "G"), G}, {pv_int_var(p, "T"), Tn}};
  ck_fsub f = pv_fun_sub(p, "f", &K, rest);
  pv_thm sp = pv_use_lemma(p, PV_SUM_SPLIT, v, 2, &f, 1, prem, 2);
  if (sp == PV_NONE || s == PV_NONE)
    return pv_fail();
  pv_eqn x = pv_index_canon(p, pv_right(p, sp));
  pv_eqn y = pv_index_canon(p, cur);
  if (x.by == PV_NONE || y.by == PV_NONE || x.to != y.to)
    return pv_fail();
  pv_thm e =
      pv_trans(p, pv_trans(p, y.by, pv_sym(p, x.by)), pv_sym(p, sp)); /* cur = sum over G*T */
  ck_id big = pv_left(p, sp);
  pv_eqn bound = pv_norm(p, t->cx[a], ck_kid(p->terms, big, 0));
  if (bound.by == PV_NONE)
    return pv_fail();
  if (bound.by != PV_REFL) {
    ck_id to = pv_sum(p, bound.to, K, rest);
    e = pv_trans(p, e, pv_cong(p, big, to, &bound.by, 1));
    big = to;
  }
  s = pv_trans(p, s, tele_lift(p, t, a, e));
  pv_eqn r = {big, s};
  for (uint32_t j = a; j-- > 0;)
    r.to = pv_sum(p, t->n[j], t->k[j], r.to);
  return r;
}

/* --- canonical order of the counters */
typedef struct {
  uint32_t perm[MAX_DEPTH];
  ck_id body;
  ck_id sign[MAX_DEPTH];
  bool set;
  uint32_t tries;
} choice;

/* how counter i stands in the body, whatever the others are called */
static ck_id place(pv *p, const tele *t, ck_id body, uint32_t i) {
  ck_id vals[MAX_DEPTH];
  for (uint32_t j = 0; j < t->d; j++)
    vals[j] = ck_var(p->terms, j == i ? "$$me" : "$$other", 'i');
  pv_eqn e = pv_index_canon(p, ck_sub(p->terms, body, t->k, vals, t->d, NULL, 0));
  return e.by == PV_NONE ? body : pv_canon(p, e.to);
}

/* order of two counters by place, then by bound (a range may be cut: what is left is to stay where
 * it was); 0: alike */
static int counter_cmp(pv *p, const tele *t, const choice *c, uint32_t a, uint32_t b) {
  int r = pv_order(p, c->sign[a], c->sign[b]);
  return r ? r : pv_order(p, t->n[a], t->n[b]);
}

static void retele(pv *p, const tele *t, const uint32_t *perm, tele *out) {
  out->d = 0;
  out->cx[0] = t->cx[0];
  for (uint32_t i = 0; i < t->d; i++)
    tele_push(p, out, t->n[perm[i]]);
}

static ck_id renamed(pv *p, const tele *t, const uint32_t *perm, const tele *to, ck_id body) {
  ck_id from[MAX_DEPTH];
  ck_id val[MAX_DEPTH];
  for (uint32_t i = 0; i < t->d; i++) {
    from[i] = t->k[perm[i]];
    val[i] = to->k[i];
  }
  return ck_sub(p->terms, body, from, val, t->d, NULL, 0);
}

static void try_perms(pv *p, const tele *t, ck_id body, uint32_t *perm, uint32_t i, choice *best) {
  if (best->tries > 24)
    return;
  if (i == t->d) {
    tele nt;
    retele(p, t, perm, &nt);
    pv_eqn e = pv_norm(p, nt.cx[nt.d], renamed(p, t, perm, &nt, body));
    best->tries++;
    if (e.by == PV_NONE || (best->set && pv_order(p, e.to, best->body) >= 0))
      return;
    best->set = true;
    best->body = e.to;
    memcpy(best->perm, perm, sizeof best->perm);
    return;
  }
  for (uint32_t j = i; j < t->d;
       j++) { /* ascending; counters that look alike are tried in every order */
    bool least = true;
    for (uint32_t l = i; l < t->d; l++) {
      if (counter_cmp(p, t, best, perm[l], perm[j]) < 0)
        least = false;
    }
    if (!least)
      continue;
    uint32_t x = perm[i];
    perm[i] = perm[j];
    perm[j] = x;
    try_perms(p, t, body, perm, i + 1, best);
    x = perm[i];
    perm[i] = perm[j];
    perm[j] = x;
  }
}

static pv_eqn reorder(pv *p, tele *t, ck_id body) {
  uint32_t perm[MAX_DEPTH];
  pv_thm s = PV_REFL;
  choice best = {.set = false};
  for (uint32_t i = 0; i < t->d; i++) {
    perm[i] = i;
    best.sign[i] = place(p, t, body, i);
  }
  try_perms(p, t, body, perm, 0, &best);
  if (!best.set)
    return pv_fail();
  uint32_t want[MAX_DEPTH];
  memcpy(want, best.perm, sizeof want);
  tele goal;
  retele(p, t, want, &goal);
  ck_id last = renamed(p, t, want, &goal, body);
  /* bubble: position i gets counter want[i] */
  uint32_t at[MAX_DEPTH];
  for (uint32_t i = 0; i < t->d; i++)
    at[i] = i;
  for (uint32_t i = 0; i < t->d; i++) {
    uint32_t j = i;
    while (at[j] != want[i])
      j++;
    for (; j > i; j--) {
      s = pv_trans(p, s, swap(p, t, j - 1, body));
      uint32_t x = at[j];
      at[j] = at[j - 1];
      at[j - 1] = x;
    }
  }
  pv_eqn e = pv_norm(p, goal.cx[goal.d], last);
  if (e.by == PV_NONE || s == PV_NONE)
    return pv_fail();
  s = pv_trans(p, s, tele_lift(p, &goal, goal.d, e.by));
  pv_eqn r = {tele_term(p, &goal, 0, e.to), s};
  return r;
}

/* sum over k < n of a product `in` of atoms that all depend on k, canonical inside; cx: outside */
static pv_eqn product_sum(pv *p, pv_ctx cx, ck_id n, ck_id in) {
  tele t;
  t.d = 0;
  t.cx[0] = cx;
  if (!tele_push(p, &t, n))
    return pv_fail();
  ck_id start = pv_sum(p, n, t.k[0], in);
  pv_eqn e = push_in(p, &t, in);
  pv_eqn r;
  if (e.by == PV_NONE)
    return pv_fail();
  e.by = pv_lift_sum(p, n, t.k[0], e.by);
  e.to = pv_sum(p, n, t.k[0], e.to);
  if (e.by == PV_NONE)
    return pv_fail();
  if (t.d == 1) {
    if (pv_runs_backwards(p, cx, n, t.k[0], in)) {
      pv_var_sub v = (pv_var_sub){pv_int_var(p, "n"), n};
      ck_fsub f = pv_fun_sub(p, "f", &t.k[0], in);
      pv_thm n0 = ge0(p, cx, n);
      pv_eqn b = {CK_BAD, pv_use_lemma(p, PV_SUM_REVERSE, &v, 1, &f, 1, &n0, 1)};
      if (b.by == PV_NONE)
        return pv_same(start);
      b.to = pv_right(p, b.by);
      return pv_then(p, b, pv_norm(p, cx, b.to));
    }
    pv_mark_normal(p, cx, start);
    return pv_same(start);
  }
  ck_id body = innermost(p, e.to, &t, 0);
  if (!bounds_free(p, &t))
    return e;
  tele t2 = t;
  r = join(p, &t2, body);
  if (r.by != PV_NONE) {
    e = pv_then(p, e, r);
    return e.by == PV_NONE ? pv_fail() : pv_then(p, e, pv_norm(p, cx, e.to));
  }
  r = reorder(p, &t, body);
  if (r.by == PV_NONE)
    return e;
  pv_mark_normal(p, cx, r.to);
  return pv_then(p, e, r);
}

/* --- cutting a range */
/* sum(k < n) f = sum(k < m) f + sum(k < n-m) f(m+k) */
static pv_eqn cut_range(pv *p, pv_ctx cx, ck_id t, ck_id k, ck_id body, ck_id m) {
  ck_id n = ck_kid(p->terms, t, 0);
  ck_id r = pv_canon(p, pv_sub(p, n, m));
  ck_id mr = pv_add(p, m, r);
  pv_thm prem[2] = {ge0(p, cx, m), ge0(p, cx, r)};
  if (prem[0] == PV_NONE || prem[1] == PV_NONE)
    return pv_fail();
  pv_thm a = pv_identity(p, pv_eq(p, n, mr));
  ck_id big = pv_sum(p, mr, k, body);
  pv_thm c = t == big ? PV_REFL : pv_cong(p, t, big, &a, 1);
  pv_var_sub v[2] = {{pv_int_var(p, "m"), m}, (pv_var_sub){pv_int_var(p, "n"), r}};
  ck_fsub f = pv_fun_sub(p, "f", &k, body);
  pv_thm s = pv_trans(p, c, pv_use_lemma(p, PV_SUM_CONCAT, v, 2, &f, 1, prem, 2));
  if (s == PV_NONE)
    return pv_fail();
  pv_eqn e = {pv_right(p, s), s};
  return pv_then(p, e, pv_norm(p, cx, e.to));
}

pv_eqn pv_cut_sum(pv *p, pv_ctx cx, ck_id t, ck_id m) {
  ck_id k;
  pv_ctx_bind(p, cx, ck_kid(p->terms, t, 0), &k);
  return cut_range(p, cx, t, k, pv_sum_body(p, t, k), m);
}

/* sum(k < c*b) f = sum(g < c) sum(t < b) f(g*b + t); whole: a guess of c, or CK_BAD */
static pv_eqn cut_blocks(pv *p, pv_ctx cx, ck_id t, ck_id k, ck_id body, ck_id b, ck_id whole) {
  ck_id n = ck_kid(p->terms, t, 0);
  ck_id c = pv_size_quotient(p, cx, n, b);
  pv_thm prem[2];
  if (c == CK_BAD)
    c = whole != CK_BAD && pv_canon(p, pv_mul(p, whole, b)) == n ? whole : CK_BAD;
  if (c == CK_BAD || pv_is_one(p, c) || pv_is_one(p, b))
    return pv_fail();
  ck_id cb = pv_mul(p, c, b);
  pv_thm a = pv_follows(p, cx, pv_eq(p, n, cb));
  prem[0] = ge0(p, cx, c);
  prem[1] = ge0(p, cx, b);
  if (a == PV_NONE || prem[0] == PV_NONE || prem[1] == PV_NONE)
    return pv_fail();
  pv_thm cg = n == cb ? PV_REFL : pv_cong(p, t, pv_sum(p, cb, k, body), &a, 1);
  pv_var_sub v[2] = {{pv_int_var(p, "G"), c}, {pv_int_var(p, "T"), b}};
  ck_fsub f = pv_fun_sub(p, "f", &k, body);
  pv_thm s = pv_trans(p, cg, pv_use_lemma(p, PV_SUM_SPLIT, v, 2, &f, 1, prem, 2));
  if (s == PV_NONE)
    return pv_fail();
  pv_eqn e = {pv_right(p, s), s};
  return pv_then(p, e, pv_norm(p, cx, e.to));
}

/* --- distribution */
typedef struct {
  ck_id out;
  ck_id in;
} part; /* out: free of k, with the coefficient; in: CK_BAD if nothing depends on k */

static uint32_t parts_of(pv *p, ck_id body, ck_id k, part **res) {
  pv_poly f;
  pv_poly_init(&f);
  pv_poly_read(p, &f, body);
  part *ps = as_malloc((f.count + 1) * sizeof *ps);
  uint32_t n = 0;
  for (uint32_t i = 0; i < f.count; i++) {
    const pv_mono *m = &f.monos[i];
    ck_id *in = as_malloc((m->degree + 1) * sizeof *in);
    ck_id *out = as_malloc((m->degree + 1) * sizeof *out);
    uint32_t ni = 0;
    uint32_t no = 0;
    uint32_t j = 0;
    for (uint32_t l = 0; l < m->degree; l++) {
      if (ck_has_var(p->terms, m->atoms[l], k))
        in[ni++] = m->atoms[l];
      else
        out[no++] = m->atoms[l];
    }
    part q = {pv_mono_term(p, m->coef, out, no), ni ? pv_mono_term(p, p->one, in, ni) : CK_BAD};
    while (j < n && ps[j].in != q.in)
      j++;
    if (j < n)
      ps[j].out = pv_canon(p, pv_add(p, ps[j].out, q.out));
    else
      ps[n++] = q;
    free(in);
    free(out);
  }
  pv_poly_clear(&f);
  *res = ps;
  return n;
}

/* sum over k < n of x.out * x.in; adds to b, with factor one, the equation from `t_sum(x.out*x.in)`
 * to the result, which is returned */
static ck_id part_sum(pv *p, pv_ctx cx, ck_id n, ck_id k, pv_thm n0, const part *x, pv_comb *b,
                      bool *bad) {
  ck_id in = x->in == CK_BAD ? p->one : x->in;
  pv_var_sub v[2] = {(pv_var_sub){pv_int_var(p, "n"), n}, {pv_real_var(p, "c"), x->out}};
  ck_fsub f = pv_fun_sub(p, "f", &k, in);
  pv_eqn e;
  if (!pv_is_one(p, x->out))
    pv_comb_add(b, p->one, pv_use_lemma(p, PV_SUM_SCALE, v, 2, &f, 1, &n0, 1));
  if (x->in == CK_BAD) {
    e.to = n;
    e.by = pv_use_lemma(p, PV_SUM_ONE, v, 1, NULL, 0, &n0, 1);
  } else if (in == k) {
    e.by = pv_use_lemma(p, PV_SUM_INDEX, v, 1, NULL, 0, &n0, 1);
    e.to = e.by == PV_NONE ? CK_BAD : pv_right(p, e.by);
  } else {
    e = product_sum(p, cx, n, in);
  }
  if (e.by == PV_NONE) {
    *bad = true;
    return CK_BAD;
  }
  pv_comb_add(b, x->out, e.by);
  return pv_mul(p, x->out, e.to);
}

static ck_id part_term(pv *p, const part *x) {
  if (x->in == CK_BAD)
    return pv_is_one(p, x->out) ? p->one : pv_mul(p, x->out, p->one);
  return pv_is_one(p, x->out) ? x->in : pv_mul(p, x->out, x->in);
}

/* sum(k < n) body for a normal body: linear combination of sums of products */
static pv_eqn distribute(pv *p, pv_ctx cx, ck_id n, ck_id k, ck_id body, pv_thm n0) {
  part *ps;
  uint32_t np = parts_of(p, body, k, &ps);
  ck_id start = pv_sum(p, n, k, body);
  ck_id tot = CK_BAD;
  ck_id res = p->zero;
  pv_var_sub v = (pv_var_sub){pv_int_var(p, "n"), n};
  bool bad = false;
  pv_comb b;
  pv_comb_init(&b);
  if (np == 0) { /* zero body */
    pv_eqn e = {p->zero, pv_use_lemma(p, PV_SUM_ZERO, &v, 1, NULL, 0, &n0, 1)};
    free(ps);
    pv_comb_clear(&b);
    return e.by == PV_NONE ? pv_fail() : e;
  }
  for (uint32_t i = 1; i < np; i++) /* an order that does not depend on numbers */
  {
    for (uint32_t j = i; j > 0 && pv_order(p, part_term(p, &ps[j - 1]), part_term(p, &ps[j])) > 0;
         j--) {
      part x = ps[j];
      ps[j] = ps[j - 1];
      ps[j - 1] = x;
    }
  }
  for (uint32_t i = np; i-- > 0;)
    tot = tot == CK_BAD ? part_term(p, &ps[i]) : pv_add(p, part_term(p, &ps[i]), tot);
  if (tot != body)
    pv_comb_add(&b, p->one, pv_lift_sum(p, n, k, pv_identity(p, pv_eq(p, body, tot))));
  ck_id rest = tot;
  for (uint32_t i = 0; i < np && !bad; i++) {
    ck_id first = part_term(p, &ps[i]);
    if (i + 1 < np) {
      ck_id more = ck_kid(p->terms, rest, 1);
      ck_fsub f[2] = {pv_fun_sub(p, "f", &k, first), pv_fun_sub(p, "g", &k, more)};
      pv_comb_add(&b, p->one, pv_use_lemma(p, PV_SUM_ADD, &v, 1, f, 2, &n0, 1));
      rest = more;
    }
    ck_id r = part_sum(p, cx, n, k, n0, &ps[i], &b, &bad);
    if (!bad)
      res = pv_is_zero(p, res) ? r : pv_add(p, res, r);
  }
  free(ps);
  if (bad) {
    pv_comb_clear(&b);
    return pv_fail();
  }
  if (res == start) {
    pv_comb_clear(&b);
    return pv_same(start);
  }
  pv_eqn e = {res, pv_comb_prove(p, &b, pv_eq(p, start, res))};
  return e.by == PV_NONE ? pv_fail() : e;
}

/* a sum over one element is that element; over A + B, two sums */
static pv_eqn small_or_composite(pv *p, pv_ctx cx, ck_id t, ck_id k, ck_id body) {
  ck_id n = ck_kid(p->terms, t, 0);
  pv_thm le0 = pv_by_value(p, pv_ge0(p, p->zero));
  if (pv_is_zero(p, n)) {
    pv_eqn e = {p->zero, pv_zero(p, t, le0)};
    return e;
  }
  if (pv_is_one(p, n)) {
    pv_thm s = pv_succ(p, t, p->zero, le0);
    ck_id first = pv_sum(p, p->zero, k, body);
    ck_id el = ck_sub(p->terms, body, &k, &p->zero, 1, NULL, 0);
    pv_comb b;
    pv_comb_init(&b);
    pv_comb_add(&b, p->one, s);
    pv_comb_add(&b, p->one, pv_zero(p, first, le0));
    pv_eqn e = {el, pv_comb_prove(p, &b, pv_eq(p, t, el))};
    return e.by == PV_NONE ? pv_fail() : pv_then(p, e, pv_norm(p, cx, el));
  }
  return pv_fail();
}

static bool has_div(pv *p, ck_id t) {
  if (ck_head(p->terms, t) == CK_DIV)
    return true;
  for (uint32_t i = 0, n = ck_nkids(p->terms, t); i < n; i++) {
    if (has_div(p, ck_kid(p->terms, t, i)))
      return true;
  }
  return false;
}

/* t: a sum whose bound is normal */
pv_eqn pv_norm_sum(pv *p, pv_ctx cx, ck_id t) {
  enum { PLACES = 8 };

  ck_id n = ck_kid(p->terms, t, 0);
  ck_id k;
  ck_id m[PLACES];
  ck_id b;
  pv_ctx in = pv_ctx_bind(p, cx, n, &k);
  pv_thm n0 = ge0(p, cx, n);
  uint32_t np;
  pv_thm none = pv_follows(p, cx, pv_le(p, n, p->zero));
  if (none != PV_NONE) {
    pv_eqn z = {p->zero, pv_zero(p, t, none)};
    return z;
  }
  pv_eqn e = pv_norm(p, in, pv_sum_body(p, t, k));
  pv_eqn r;
  if (e.by == PV_NONE)
    return pv_fail();
  ck_id body = e.to;
  e.by = pv_lift_sum(p, n, k, e.by);
  e.to = pv_sum(p, n, k, body);
  if (e.by == PV_NONE)
    return pv_fail();
  if (n0 == PV_NONE)
    return e;
  np = pv_cut_places(p, body, k, m, PLACES);
  for (uint32_t i = 0; i < np; i++) {
    if (pv_is_zero(p, m[i]) || m[i] == n)
      continue;
    r = cut_range(p, cx, e.to, k, body, m[i]);
    if (r.by != PV_NONE)
      return pv_then(p, e, r);
  }
  b = pv_block_size(p, body, k);
  if (b != CK_BAD) {
    pv_eqn q = pv_norm(p, cx, ck_mk2(p->terms, CK_DIV, n, b));
    if (q.by == PV_NONE || has_div(p, q.to))
      q.to = CK_BAD;
    r = cut_blocks(p, cx, e.to, k, body, b, q.to);
    if (r.by == PV_NONE && q.to != CK_BAD) { /* up to the end of the last whole block */
      ck_id last = pv_canon(p, pv_mul(p, b, q.to));
      if (!pv_is_zero(p, last) && last != n)
        r = cut_range(p, cx, e.to, k, body, last);
    }
    if (r.by != PV_NONE)
      return pv_then(p, e, r);
  }
  r = small_or_composite(p, cx, e.to, k, body);
  if (r.by != PV_NONE)
    return pv_then(p, e, r);
  r = distribute(p, cx, n, k, body, n0);
  return r.by == PV_NONE ? e : pv_then(p, e, pv_then(p, r, pv_norm_poly(p, cx, r.to)));
}
