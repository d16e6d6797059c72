/* Normal form of sums.  A sum is distributed over its body's monomials; factors free of the counter
 * come out; what stays is a product of atoms under one or more counters ("telescope", all sums in
 * front), connected through them.  Two counters of which everything depends on l*T + t alone become
 * one; a range cut by an `if` or read through k div T is cut; counters are put in a canonical
 * order. */
#include "pv.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 10 };

typedef struct {
  uint32_t d;
  uint32_t cx[MAX_DEPTH + 1];
  ck_id n[MAX_DEPTH];
  ck_id k[MAX_DEPTH];
} tele; /* cx[i]: context outside of counter i */

static eqn same(ck_id t) {
  eqn e = {t, REFL};
  return e;
}

static eqn fail(void) {
  eqn e = {CK_BAD, NO};
  return e;
}

static uint32_t ge0(pv *p, uint32_t cx, ck_id n) {
  return side(p, cx, t_rel(p, CK_LE, p->zero, n));
}

static ck_vsub nvar(pv *p, ck_id n) {
  ck_vsub v = {ck_var(p->T, "n", 'i'), n};
  return v;
}

static ck_fsub fsub(pv *p, const char *f, const ck_id *k, ck_id body) {
  ck_fsub s = {ck_word(p->T, f), ck_word(p->T, "i:r"), k, 1, body};
  return s;
}

/* the telescope from counter i on, around body */
static ck_id tele_term(pv *p, const tele *t, uint32_t i, ck_id body) {
  for (uint32_t j = t->d; j-- > i;)
    body = t_sum(p, t->n[j], t->k[j], body);
  return body;
}

/* s: x = y inside the first m counters, lifted */
static uint32_t tele_lift(pv *p, const tele *t, uint32_t m, uint32_t s) {
  while (m-- > 0)
    s = lift_sum(p, t->n[m], t->k[m], s);
  return s;
}

static bool tele_push(pv *p, tele *t, ck_id n) {
  if (t->d == MAX_DEPTH)
    return false;
  t->n[t->d] = n;
  t->cx[t->d + 1] = cx_bind(p, t->cx[t->d], n, &t->k[t->d]);
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
  poly g;
  bool ok;
  poly_init(&g);
  poly_of(p, &g, t);
  ok = g.n == 1 && is_one(p, g.m[0].q) && g.m[0].n <= 64;
  for (uint32_t i = 0; ok && i < g.m[0].n; i++) {
    if (!is_sum(p, g.m[0].a[i]))
      f->plain[f->np++] = g.m[0].a[i];
    else if (f->ns < 16)
      f->sum[f->ns++] = g.m[0].a[i];
    else
      ok = false;
  }
  poly_clear(&g);
  return ok;
}

static ck_id factors_term(pv *p, const factors *f, uint32_t first_sum) {
  ck_id a[80];
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->np; i++)
    a[n++] = f->plain[i];
  for (uint32_t i = first_sum; i < f->ns; i++)
    a[n++] = f->sum[i];
  return mono_term(p, p->one, a, n);
}

/* t: product of atoms, inside the telescope; t = nested sums of a product without sums; the
 * counters are appended */
static eqn push_in(pv *p, tele *tl, ck_id t) {
  factors f = {.np = 0};
  if (!sort_factors(p, t, &f))
    return fail();
  if (!f.ns)
    return same(t);
  ck_id S = f.sum[0];
  ck_id C = factors_term(p, &f, 1);
  ck_id n = ck_kid(p->T, S, 0);
  uint32_t at = tl->d;
  uint32_t n0 = ge0(p, tl->cx[at], n);
  if (n0 == NO || !tele_push(p, tl, n))
    return fail();
  ck_id k = tl->k[at];
  ck_id B = sum_body(p, S, k);
  ck_id CB = t_mul(p, C, B);
  ck_id in = canon(p, CB);
  ck_vsub v[2] = {nvar(p, n), {ck_var(p->T, "c", 'r'), C}};
  ck_fsub fs = fsub(p, "f", &k, B);
  uint32_t sc = r_lemma(p, L_SUM_SCALE, v, 2, &fs, 1, &n0, 1); /* sum C*B = C*S */
  uint32_t order = in == CB ? REFL : lift_sum(p, n, k, r_arith0(p, t_rel(p, CK_EQ, CB, in)));
  eqn r = push_in(p, tl, in);
  if (r.s == NO || sc == NO)
    return fail();
  uint32_t deep = lift_sum(p, n, k, r.s);
  by b;
  by_start(&b); /* t = C*S; C*S = sum CB = sum in = sum r */
  by_add(&b, t_int(p, -1), sc);
  by_add(&b, p->one, order);
  by_add(&b, p->one, deep);
  eqn e = {t_sum(p, n, k, r.t), NO};
  e.s = by_end(p, &b, t_rel(p, CK_EQ, t, e.t));
  return e;
}

static ck_id innermost(pv *p, ck_id t, const tele *tl, uint32_t from) {
  for (uint32_t i = from; i < tl->d; i++)
    t = sum_body(p, t, tl->k[i]);
  return t;
}

/* --- exchange of counters i and i+1; *cur: the term from counter 0 on */
static uint32_t swap(pv *p, tele *t, uint32_t i, ck_id body) {
  ck_id a = t->k[i];
  ck_id b = t->k[i + 1];
  ck_id in = tele_term(p, t, i + 2, body);
  ck_id par[2] = {a, b};
  uint32_t prem[2] = {ge0(p, t->cx[i], t->n[i]), ge0(p, t->cx[i], t->n[i + 1])};
  ck_vsub v[2] = {nvar(p, t->n[i]), {ck_var(p->T, "m", 'i'), t->n[i + 1]}};
  ck_fsub f = {ck_word(p->T, "f2"), ck_word(p->T, "ii:r"), par, 2, in};
  uint32_t s = tele_lift(p, t, i, r_lemma(p, L_EXCHANGE, v, 2, &f, 1, prem, 2));
  ck_id x = t->n[i];
  t->n[i] = t->n[i + 1];
  t->n[i + 1] = x;
  t->k[i] = b;
  t->k[i + 1] = a;
  return s;
}

/* --- canonical index arithmetic alone, without context */
static eqn icanon_at(pv *p, ck_id t, uint32_t depth) {
  const ck_terms *T = p->T;
  ck_op o = ck_head(T, t);
  uint64_t v;
  if (o == CK_Q || o == CK_V || o == CK_B)
    return same(t);
  if (map_get(&p->misc_memo, t, 16 + depth, &v)) {
    eqn m = {(ck_id)(v >> 32), (uint32_t)v};
    return m;
  }
  eqn e = same(t);
  if (ck_is_int(T, t) && (o == CK_ADD || o == CK_MUL)) {
    e.t = canon(p, t);
    if (e.t != t)
      e.s = r_arith0(p, t_rel(p, CK_EQ, t, e.t));
  } else {
    uint32_t n = ck_nkids(T, t);
    uint32_t np = 0;
    uint32_t w = o == CK_FOLD ? ck_width(T, t) : 0;
    ck_id kids[40];
    uint32_t prem[40];
    ck_id cond = CK_BAD;
    if (n > 32)
      return fail();
    for (uint32_t i = 0; i < n; i++) {
      kids[i] = ck_kid(T, t, i);
      if (ck_kid_binders(T, t, i))
        continue;
      if (o == CK_ITE && i == 0) {
        eqn a = icanon_at(p, ck_kid(T, kids[0], 0), depth);
        eqn b = icanon_at(p, ck_kid(T, kids[0], 1), depth);
        if (a.s == NO || b.s == NO)
          return fail();
        if (a.s != REFL)
          prem[np++] = a.s;
        if (b.s != REFL)
          prem[np++] = b.s;
        cond = t_rel(p, ck_head(T, kids[0]), a.t, b.t);
        kids[0] = cond;
        continue;
      }
      eqn k = icanon_at(p, kids[i], depth);
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
      ck_id vars[9];
      ck_id steps[16];
      uint32_t sp[8];
      bool changed = false;
      char name[40];
      if (w > 8)
        return fail();
      snprintf(name, sizeof name, "$$i%u", depth);
      vars[0] = ck_var(p->T, name, 'i');
      for (uint32_t q = 0; q < w; q++) {
        snprintf(name, sizeof name, "$$j%u.%u", depth, q);
        vars[q + 1] = ck_var(p->T, name, 'r');
      }
      for (uint32_t i = 0; i < 1 + w; i++)
        steps[i] = ck_kid(p->T, e.t, i);
      for (uint32_t q = 0; q < w; q++) {
        ck_id body = ck_open(p->T, ck_kid(p->T, e.t, 1 + w + q), vars, w + 1);
        eqn k = icanon_at(p, body, depth + 1);
        if (k.s == NO)
          return fail();
        changed = changed || k.s != REFL;
        sp[q] = k.s == REFL ? eq_refl(p, body) : k.s;
        steps[1 + w + q] = ck_close(p->T, k.t, vars, w + 1);
      }
      if (changed) {
        ck_id to = ck_fold(p->T, ck_index(p->T, t), w, steps);
        eqn f = {to, r_foldcong(p, e.t, to, vars, w + 1, sp, w)};
        e = eq_then(p, e, f);
      }
    }
  }
  if (e.s == NO)
    return fail();
  map_put(&p->misc_memo, t, 16 + depth, ((uint64_t)e.t << 32) | e.s);
  return e;
}

eqn icanon(pv *p, ck_id t) {
  return icanon_at(p, t, 0);
}

/* --- two counters of which all depends on k[a]*n[b] + k[b] alone */
static ck_id joined_body(pv *p, const tele *t, uint32_t a, uint32_t b, ck_id body, ck_id K) {
  ck_id by_ = t_sub(p, K, t_mul(p, t->k[a], t->n[b]));
  ck_id r = ck_sub(p->T, body, &t->k[b], &by_, 1, NULL, 0);
  if (r == CK_BAD)
    return CK_BAD;
  eqn e = icanon(p, r);
  return e.s == NO || ck_has_var(p->T, e.t, t->k[a]) ? CK_BAD : e.t;
}

static bool bounds_free(pv *p, const tele *t) {
  for (uint32_t i = 0; i < t->d; i++) {
    for (uint32_t j = 0; j < t->d; j++) {
      if (ck_has_var(p->T, t->n[i], t->k[j]))
        return false;
    }
  }
  return true;
}

/* the telescope (term `start`, equal to what was asked by `s`) with one pair of counters joined;
 * fails if no pair joins */
static eqn join(pv *p, tele *t, ck_id body) {
  ck_id K = ck_var(p->T, "$$K", 'i');
  ck_id h = CK_BAD;
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t s = REFL;
  for (a = 0; a < t->d && h == CK_BAD; a++) {
    for (b = 0; b < t->d && h == CK_BAD; b++) {
      if (a != b)
        h = joined_body(p, t, a, b, body, K);
    }
  }
  if (h == CK_BAD)
    return fail();
  a--;
  b--;
  /* bring b right after a */
  if (b > a) {
    for (; b > a + 1; b--)
      s = eq_trans(p, s, swap(p, t, b - 1, body));
  } else {
    for (; b < a; b++)
      s = eq_trans(p, s, swap(p, t, b, body));
    a--;
  }
  ck_id G = t->n[a];
  ck_id Tn = t->n[a + 1];
  ck_id rest = tele_term(p, t, a + 2, h);
  ck_id cur = tele_term(p, t, a, body);
  uint32_t prem[2] = {ge0(p, t->cx[a], G), ge0(p, t->cx[a], Tn)};
  ck_vsub v[2] = {{ck_var(p->T, "G", 'i'), G}, {ck_var(p->T, "T", 'i'), Tn}};
  ck_fsub f = fsub(p, "f", &K, rest);
  uint32_t sp = r_lemma(p, L_SPLIT, v, 2, &f, 1, prem, 2);
  if (sp == NO || s == NO)
    return fail();
  eqn x = icanon(p, rhs_of(p, sp));
  eqn y = icanon(p, cur);
  if (x.s == NO || y.s == NO || x.t != y.t)
    return fail();
  uint32_t e =
      eq_trans(p, eq_trans(p, y.s, eq_sym(p, x.s)), eq_sym(p, sp)); /* cur = sum over G*T */
  ck_id big = lhs_of(p, sp);
  eqn bound = norm(p, t->cx[a], ck_kid(p->T, big, 0));
  if (bound.s == NO)
    return fail();
  if (bound.s != REFL) {
    ck_id to = t_sum(p, bound.t, K, rest);
    e = eq_trans(p, e, r_cong(p, big, to, &bound.s, 1));
    big = to;
  }
  s = eq_trans(p, s, tele_lift(p, t, a, e));
  eqn r = {big, s};
  for (uint32_t j = a; j-- > 0;)
    r.t = t_sum(p, t->n[j], t->k[j], r.t);
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
    vals[j] = ck_var(p->T, j == i ? "$$me" : "$$other", 'i');
  eqn e = icanon(p, ck_sub(p->T, body, t->k, vals, t->d, NULL, 0));
  return e.s == NO ? body : canon(p, e.t);
}

/* order of two counters by place, then by bound (a range may be cut: what is left is to stay where
 * it was); 0: alike */
static int counter_cmp(pv *p, const tele *t, const choice *c, uint32_t a, uint32_t b) {
  int r = t_cmp(p, c->sign[a], c->sign[b]);
  return r ? r : t_cmp(p, t->n[a], t->n[b]);
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
  return ck_sub(p->T, body, from, val, t->d, NULL, 0);
}

static void try_perms(pv *p, const tele *t, ck_id body, uint32_t *perm, uint32_t i, choice *best) {
  if (best->tries > 24)
    return;
  if (i == t->d) {
    tele nt;
    retele(p, t, perm, &nt);
    eqn e = norm(p, nt.cx[nt.d], renamed(p, t, perm, &nt, body));
    best->tries++;
    if (e.s == NO || (best->set && t_cmp(p, e.t, best->body) >= 0))
      return;
    best->set = true;
    best->body = e.t;
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

static eqn reorder(pv *p, tele *t, ck_id body) {
  uint32_t perm[MAX_DEPTH];
  uint32_t s = REFL;
  choice best = {.set = false};
  for (uint32_t i = 0; i < t->d; i++) {
    perm[i] = i;
    best.sign[i] = place(p, t, body, i);
  }
  try_perms(p, t, body, perm, 0, &best);
  if (!best.set)
    return fail();
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
      s = eq_trans(p, s, swap(p, t, j - 1, body));
      uint32_t x = at[j];
      at[j] = at[j - 1];
      at[j - 1] = x;
    }
  }
  eqn e = norm(p, goal.cx[goal.d], last);
  if (e.s == NO || s == NO)
    return fail();
  s = eq_trans(p, s, tele_lift(p, &goal, goal.d, e.s));
  eqn r = {tele_term(p, &goal, 0, e.t), s};
  return r;
}

/* sum over k < n of a product `in` of atoms that all depend on k, canonical inside; cx: outside */
static eqn product_sum(pv *p, uint32_t cx, ck_id n, ck_id in) {
  tele t;
  t.d = 0;
  t.cx[0] = cx;
  if (!tele_push(p, &t, n))
    return fail();
  ck_id start = t_sum(p, n, t.k[0], in);
  eqn e = push_in(p, &t, in);
  eqn r;
  if (e.s == NO)
    return fail();
  e.s = lift_sum(p, n, t.k[0], e.s);
  e.t = t_sum(p, n, t.k[0], e.t);
  if (e.s == NO)
    return fail();
  if (t.d == 1) {
    if (runs_backwards(p, cx, n, t.k[0], in)) {
      ck_vsub v = nvar(p, n);
      ck_fsub f = fsub(p, "f", &t.k[0], in);
      uint32_t n0 = ge0(p, cx, n);
      eqn b = {CK_BAD, r_lemma(p, L_REVERSE, &v, 1, &f, 1, &n0, 1)};
      if (b.s == NO)
        return same(start);
      b.t = rhs_of(p, b.s);
      return eq_then(p, b, norm(p, cx, b.t));
    }
    norm_is(p, cx, start);
    return same(start);
  }
  ck_id body = innermost(p, e.t, &t, 0);
  if (!bounds_free(p, &t))
    return e;
  tele t2 = t;
  r = join(p, &t2, body);
  if (r.s != NO) {
    e = eq_then(p, e, r);
    return e.s == NO ? fail() : eq_then(p, e, norm(p, cx, e.t));
  }
  r = reorder(p, &t, body);
  if (r.s == NO)
    return e;
  norm_is(p, cx, r.t);
  return eq_then(p, e, r);
}

/* --- cutting a range */
/* sum(k < n) f = sum(k < m) f + sum(k < n-m) f(m+k) */
static eqn cut_range(pv *p, uint32_t cx, ck_id t, ck_id k, ck_id body, ck_id m) {
  ck_id n = ck_kid(p->T, t, 0);
  ck_id r = canon(p, t_sub(p, n, m));
  ck_id mr = t_add(p, m, r);
  uint32_t prem[2] = {ge0(p, cx, m), ge0(p, cx, r)};
  if (prem[0] == NO || prem[1] == NO)
    return fail();
  uint32_t a = r_arith0(p, t_rel(p, CK_EQ, n, mr));
  ck_id big = t_sum(p, mr, k, body);
  uint32_t c = t == big ? REFL : r_cong(p, t, big, &a, 1);
  ck_vsub v[2] = {{ck_var(p->T, "m", 'i'), m}, nvar(p, r)};
  ck_fsub f = fsub(p, "f", &k, body);
  uint32_t s = eq_trans(p, c, r_lemma(p, L_CONCAT, v, 2, &f, 1, prem, 2));
  if (s == NO)
    return fail();
  eqn e = {rhs_of(p, s), s};
  return eq_then(p, e, norm(p, cx, e.t));
}

eqn cut_sum(pv *p, uint32_t cx, ck_id t, ck_id m) {
  ck_id k;
  cx_bind(p, cx, ck_kid(p->T, t, 0), &k);
  return cut_range(p, cx, t, k, sum_body(p, t, k), m);
}

/* sum(k < c*b) f = sum(g < c) sum(t < b) f(g*b + t); whole: a guess of c, or CK_BAD */
static eqn cut_blocks(pv *p, uint32_t cx, ck_id t, ck_id k, ck_id body, ck_id b, ck_id whole) {
  ck_id n = ck_kid(p->T, t, 0);
  ck_id c = size_quotient(p, cx, n, b);
  uint32_t prem[2];
  if (c == CK_BAD)
    c = whole != CK_BAD && canon(p, t_mul(p, whole, b)) == n ? whole : CK_BAD;
  if (c == CK_BAD || is_one(p, c) || is_one(p, b))
    return fail();
  ck_id cb = t_mul(p, c, b);
  uint32_t a = side(p, cx, t_rel(p, CK_EQ, n, cb));
  prem[0] = ge0(p, cx, c);
  prem[1] = ge0(p, cx, b);
  if (a == NO || prem[0] == NO || prem[1] == NO)
    return fail();
  uint32_t cg = n == cb ? REFL : r_cong(p, t, t_sum(p, cb, k, body), &a, 1);
  ck_vsub v[2] = {{ck_var(p->T, "G", 'i'), c}, {ck_var(p->T, "T", 'i'), b}};
  ck_fsub f = fsub(p, "f", &k, body);
  uint32_t s = eq_trans(p, cg, r_lemma(p, L_SPLIT, v, 2, &f, 1, prem, 2));
  if (s == NO)
    return fail();
  eqn e = {rhs_of(p, s), s};
  return eq_then(p, e, norm(p, cx, e.t));
}

/* --- distribution */
typedef struct {
  ck_id out;
  ck_id in;
} part; /* out: free of k, with the coefficient; in: CK_BAD if nothing depends on k */

static uint32_t parts_of(pv *p, ck_id body, ck_id k, part **res) {
  poly f;
  poly_init(&f);
  poly_of(p, &f, body);
  part *ps = as_malloc((f.n + 1) * sizeof *ps);
  uint32_t n = 0;
  for (uint32_t i = 0; i < f.n; i++) {
    const mono *m = &f.m[i];
    ck_id *in = as_malloc((m->n + 1) * sizeof *in);
    ck_id *out = as_malloc((m->n + 1) * sizeof *out);
    uint32_t ni = 0;
    uint32_t no = 0;
    uint32_t j = 0;
    for (uint32_t l = 0; l < m->n; l++) {
      if (ck_has_var(p->T, m->a[l], k))
        in[ni++] = m->a[l];
      else
        out[no++] = m->a[l];
    }
    part q = {mono_term(p, m->q, out, no), ni ? mono_term(p, p->one, in, ni) : CK_BAD};
    while (j < n && ps[j].in != q.in)
      j++;
    if (j < n)
      ps[j].out = canon(p, t_add(p, ps[j].out, q.out));
    else
      ps[n++] = q;
    free(in);
    free(out);
  }
  poly_clear(&f);
  *res = ps;
  return n;
}

/* sum over k < n of x.out * x.in; adds to b, with factor one, the equation from `t_sum(x.out*x.in)`
 * to the result, which is returned */
static ck_id part_sum(pv *p, uint32_t cx, ck_id n, ck_id k, uint32_t n0, const part *x, by *b,
                      bool *bad) {
  ck_id in = x->in == CK_BAD ? p->one : x->in;
  ck_vsub v[2] = {nvar(p, n), {ck_var(p->T, "c", 'r'), x->out}};
  ck_fsub f = fsub(p, "f", &k, in);
  eqn e;
  if (!is_one(p, x->out))
    by_add(b, p->one, r_lemma(p, L_SUM_SCALE, v, 2, &f, 1, &n0, 1));
  if (x->in == CK_BAD) {
    e.t = n;
    e.s = r_lemma(p, L_SUM_ONE, v, 1, NULL, 0, &n0, 1);
  } else if (in == k) {
    e.s = r_lemma(p, L_SUM_INDEX, v, 1, NULL, 0, &n0, 1);
    e.t = e.s == NO ? CK_BAD : rhs_of(p, e.s);
  } else {
    e = product_sum(p, cx, n, in);
  }
  if (e.s == NO) {
    *bad = true;
    return CK_BAD;
  }
  by_add(b, x->out, e.s);
  return t_mul(p, x->out, e.t);
}

static ck_id part_term(pv *p, const part *x) {
  if (x->in == CK_BAD)
    return is_one(p, x->out) ? p->one : t_mul(p, x->out, p->one);
  return is_one(p, x->out) ? x->in : t_mul(p, x->out, x->in);
}

/* sum(k < n) body for a normal body: linear combination of sums of products */
static eqn distribute(pv *p, uint32_t cx, ck_id n, ck_id k, ck_id body, uint32_t n0) {
  part *ps;
  uint32_t np = parts_of(p, body, k, &ps);
  ck_id start = t_sum(p, n, k, body);
  ck_id tot = CK_BAD;
  ck_id res = p->zero;
  ck_vsub v = nvar(p, n);
  bool bad = false;
  by b;
  by_start(&b);
  if (np == 0) { /* zero body */
    eqn e = {p->zero, r_lemma(p, L_SUM_ZERO, &v, 1, NULL, 0, &n0, 1)};
    free(ps);
    by_drop(&b);
    return e.s == NO ? fail() : e;
  }
  for (uint32_t i = 1; i < np; i++) /* an order that does not depend on numbers */
  {
    for (uint32_t j = i; j > 0 && t_cmp(p, part_term(p, &ps[j - 1]), part_term(p, &ps[j])) > 0;
         j--) {
      part x = ps[j];
      ps[j] = ps[j - 1];
      ps[j - 1] = x;
    }
  }
  for (uint32_t i = np; i-- > 0;)
    tot = tot == CK_BAD ? part_term(p, &ps[i]) : t_add(p, part_term(p, &ps[i]), tot);
  if (tot != body)
    by_add(&b, p->one, lift_sum(p, n, k, r_arith0(p, t_rel(p, CK_EQ, body, tot))));
  ck_id rest = tot;
  for (uint32_t i = 0; i < np && !bad; i++) {
    ck_id first = part_term(p, &ps[i]);
    if (i + 1 < np) {
      ck_id more = ck_kid(p->T, rest, 1);
      ck_fsub f[2] = {fsub(p, "f", &k, first), fsub(p, "g", &k, more)};
      by_add(&b, p->one, r_lemma(p, L_SUM_ADD, &v, 1, f, 2, &n0, 1));
      rest = more;
    }
    ck_id r = part_sum(p, cx, n, k, n0, &ps[i], &b, &bad);
    if (!bad)
      res = is_zero(p, res) ? r : t_add(p, res, r);
  }
  free(ps);
  if (bad) {
    by_drop(&b);
    return fail();
  }
  if (res == start) {
    by_drop(&b);
    return same(start);
  }
  eqn e = {res, by_end(p, &b, t_rel(p, CK_EQ, start, res))};
  return e.s == NO ? fail() : e;
}

/* a sum over one element is that element; over A + B, two sums */
static eqn small_or_composite(pv *p, uint32_t cx, ck_id t, ck_id k, ck_id body) {
  ck_id n = ck_kid(p->T, t, 0);
  uint32_t le0 = r_const(p, t_rel(p, CK_LE, p->zero, p->zero));
  if (is_zero(p, n)) {
    eqn e = {p->zero, r_zero(p, t, le0)};
    return e;
  }
  if (is_one(p, n)) {
    uint32_t s = r_succ(p, t, p->zero, le0);
    ck_id first = t_sum(p, p->zero, k, body);
    ck_id el = ck_sub(p->T, body, &k, &p->zero, 1, NULL, 0);
    by b;
    by_start(&b);
    by_add(&b, p->one, s);
    by_add(&b, p->one, r_zero(p, first, le0));
    eqn e = {el, by_end(p, &b, t_rel(p, CK_EQ, t, el))};
    return e.s == NO ? fail() : eq_then(p, e, norm(p, cx, el));
  }
  return fail();
}

static bool has_div(pv *p, ck_id t) {
  if (ck_head(p->T, t) == CK_DIV)
    return true;
  for (uint32_t i = 0, n = ck_nkids(p->T, t); i < n; i++) {
    if (has_div(p, ck_kid(p->T, t, i)))
      return true;
  }
  return false;
}

/* t: a sum whose bound is normal */
eqn norm_sum(pv *p, uint32_t cx, ck_id t) {
  enum { PLACES = 8 };

  ck_id n = ck_kid(p->T, t, 0);
  ck_id k;
  ck_id m[PLACES];
  ck_id b;
  uint32_t in = cx_bind(p, cx, n, &k);
  uint32_t n0 = ge0(p, cx, n);
  uint32_t np;
  uint32_t none = side(p, cx, t_rel(p, CK_LE, n, p->zero));
  if (none != NO) {
    eqn z = {p->zero, r_zero(p, t, none)};
    return z;
  }
  eqn e = norm(p, in, sum_body(p, t, k));
  eqn r;
  if (e.s == NO)
    return fail();
  ck_id body = e.t;
  e.s = lift_sum(p, n, k, e.s);
  e.t = t_sum(p, n, k, body);
  if (e.s == NO)
    return fail();
  if (n0 == NO)
    return e;
  np = cut_places(p, body, k, m, PLACES);
  for (uint32_t i = 0; i < np; i++) {
    if (is_zero(p, m[i]) || m[i] == n)
      continue;
    r = cut_range(p, cx, e.t, k, body, m[i]);
    if (r.s != NO)
      return eq_then(p, e, r);
  }
  b = block_size(p, body, k);
  if (b != CK_BAD) {
    eqn q = norm(p, cx, ck_mk2(p->T, CK_DIV, n, b));
    if (q.s == NO || has_div(p, q.t))
      q.t = CK_BAD;
    r = cut_blocks(p, cx, e.t, k, body, b, q.t);
    if (r.s == NO && q.t != CK_BAD) { /* up to the end of the last whole block */
      ck_id last = canon(p, t_mul(p, b, q.t));
      if (!is_zero(p, last) && last != n)
        r = cut_range(p, cx, e.t, k, body, last);
    }
    if (r.s != NO)
      return eq_then(p, e, r);
  }
  r = small_or_composite(p, cx, e.t, k, body);
  if (r.s != NO)
    return eq_then(p, e, r);
  r = distribute(p, cx, n, k, body, n0);
  return r.s == NO ? e : eq_then(p, e, eq_then(p, r, norm_poly(p, cx, r.t)));
}
