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
  uint32_t depth;
  pv_ctx ctx[MAX_DEPTH + 1];
  ck_id bound[MAX_DEPTH];
  ck_id counter[MAX_DEPTH];
} sum_nest; /* cx[i]: context outside of counter i */

static pv_thm ge0(pv *prover, pv_ctx ctx, ck_id n) {
  return pv_follows(prover, ctx, pv_ge0(prover, n));
}

/* the telescope from counter i on, around body */
static ck_id tele_term(pv *prover, const sum_nest *nest, uint32_t i, ck_id body) {
  for (uint32_t j = nest->depth; j-- > i;)
    body = pv_sum(prover, nest->bound[j], nest->counter[j], body);
  return body;
}

/* s: x = y inside the first m counters, lifted */
static pv_thm tele_lift(pv *prover, const sum_nest *nest, uint32_t m, pv_thm thm) {
  while (m-- > 0)
    thm = pv_lift_sum(prover, nest->bound[m], nest->counter[m], thm);
  return thm;
}

static bool tele_push(pv *prover, sum_nest *nest, ck_id n) {
  if (nest->depth == MAX_DEPTH)
    return false;
  nest->bound[nest->depth] = n;
  nest->ctx[nest->depth + 1] =
      pv_ctx_bind(prover, nest->ctx[nest->depth], n, &nest->counter[nest->depth]);
  nest->depth++;
  return true;
}

/* --- all sums in front */
typedef struct {
  ck_id plain[64];
  ck_id sum[16];
  uint32_t plain_count;
  uint32_t sum_count;
} sorted_factors;

static bool sort_factors(pv *prover, ck_id term, sorted_factors *factors) {
  pv_poly other;
  bool ok;
  pv_poly_init(&other);
  pv_poly_read(prover, &other, term);
  ok = other.count == 1 && pv_is_one(prover, other.monos[0].coef) && other.monos[0].degree <= 64;
  for (uint32_t i = 0; ok && i < other.monos[0].degree; i++) {
    if (!pv_is_sum(prover, other.monos[0].atoms[i]))
      factors->plain[factors->plain_count++] = other.monos[0].atoms[i];
    else if (factors->sum_count < 16)
      factors->sum[factors->sum_count++] = other.monos[0].atoms[i];
    else
      ok = false;
  }
  pv_poly_clear(&other);
  return ok;
}

static ck_id factors_term(pv *prover, const sorted_factors *factors, uint32_t first_sum) {
  ck_id a[80];
  uint32_t n = 0;
  for (uint32_t i = 0; i < factors->plain_count; i++)
    a[n++] = factors->plain[i];
  for (uint32_t i = first_sum; i < factors->sum_count; i++)
    a[n++] = factors->sum[i];
  return pv_mono_term(prover, prover->one, a, n);
}

/* t: product of atoms, inside the telescope; t = nested sums of a product without sums; the
 * counters are appended */
static pv_eqn push_in(pv *prover, sum_nest *nest, ck_id term) {
  sorted_factors factors = {.plain_count = 0};
  if (!sort_factors(prover, term, &factors))
    return pv_fail();
  if (!factors.sum_count)
    return pv_same(term);
  ck_id S = factors.sum[0];
  ck_id C = factors_term(prover, &factors, 1);
  ck_id n = ck_kid(prover->terms, S, 0);
  uint32_t at = nest->depth;
  pv_thm n_nonneg = ge0(prover, nest->ctx[at], n);
  if (n_nonneg == PV_NONE || !tele_push(prover, nest, n))
    return pv_fail();
  ck_id k = nest->counter[at];
  ck_id B = pv_sum_body(prover, S, k);
  ck_id CB = pv_mul(prover, C, B);
  ck_id inside = pv_canon(prover, CB);
  pv_var_sub vars[2] = {(pv_var_sub){pv_int_var(prover, "n"), n}, {pv_real_var(prover, "c"), C}};
  ck_fsub funs = pv_fun_sub(prover, "f", &k, B);
  pv_thm sc =
      pv_use_lemma(prover, PV_SUM_SCALE, vars, 2, &funs, 1, &n_nonneg, 1); /* sum C*B = C*S */
  pv_thm order = inside == CB
                     ? PV_REFL
                     : pv_lift_sum(prover, n, k, pv_identity(prover, pv_eq(prover, CB, inside)));
  pv_eqn result = push_in(prover, nest, inside);
  if (result.by == PV_NONE || sc == PV_NONE)
    return pv_fail();
  pv_thm deep = pv_lift_sum(prover, n, k, result.by);
  pv_comb comb;
  pv_comb_init(&comb); /* t = C*S; C*S = sum CB = sum in = sum r */
  pv_comb_add(&comb, pv_num(prover, -1), sc);
  pv_comb_add(&comb, prover->one, order);
  pv_comb_add(&comb, prover->one, deep);
  pv_eqn eqn = {pv_sum(prover, n, k, result.to), PV_NONE};
  eqn.by = pv_comb_prove(prover, &comb, pv_eq(prover, term, eqn.to));
  return eqn;
}

static ck_id innermost(pv *prover, ck_id term, const sum_nest *nest, uint32_t from) {
  for (uint32_t i = from; i < nest->depth; i++)
    term = pv_sum_body(prover, term, nest->counter[i]);
  return term;
}

/* --- exchange of counters i and i+1; *cur: the term from counter 0 on */
static pv_thm swap(pv *prover, sum_nest *nest, uint32_t i, ck_id body) {
  ck_id a = nest->counter[i];
  ck_id b = nest->counter[i + 1];
  ck_id inside = tele_term(prover, nest, i + 2, body);
  ck_id par[2] = {a, b};
  pv_thm premises[2] = {ge0(prover, nest->ctx[i], nest->bound[i]),
                        ge0(prover, nest->ctx[i], nest->bound[i + 1])};
  pv_var_sub vars[2] = {(pv_var_sub){pv_int_var(prover, "n"), nest->bound[i]},
                        {pv_int_var(prover, "m"), nest->bound[i + 1]}};
  ck_fsub fun = pv_fun2_sub(prover, "f2", par, inside);
  pv_thm thm = tele_lift(prover, nest, i,
                         pv_use_lemma(prover, PV_SUM_EXCHANGE, vars, 2, &fun, 1, premises, 2));
  ck_id x = nest->bound[i];
  nest->bound[i] = nest->bound[i + 1];
  nest->bound[i + 1] = x;
  nest->counter[i] = b;
  nest->counter[i + 1] = a;
  return thm;
}

/* --- two counters of which all depends on k[a]*n[b] + k[b] alone */
static ck_id joined_body(pv *prover, const sum_nest *nest, uint32_t a, uint32_t b, ck_id body,
                         ck_id K) {
  ck_id by_ = pv_sub(prover, K, pv_mul(prover, nest->counter[a], nest->bound[b]));
  ck_id r = ck_sub(prover->terms, body, &nest->counter[b], &by_, 1, NULL, 0);
  if (r == CK_BAD)
    return CK_BAD;
  pv_eqn eqn = pv_index_canon(prover, r);
  return eqn.by == PV_NONE || ck_has_var(prover->terms, eqn.to, nest->counter[a]) ? CK_BAD : eqn.to;
}

static bool bounds_free(pv *prover, const sum_nest *nest) {
  for (uint32_t i = 0; i < nest->depth; i++) {
    for (uint32_t j = 0; j < nest->depth; j++) {
      if (ck_has_var(prover->terms, nest->bound[i], nest->counter[j]))
        return false;
    }
  }
  return true;
}

/* the telescope (term `start`, equal to what was asked by `s`) with one pair of counters joined;
 * fails if no pair joins */
static pv_eqn join(pv *prover, sum_nest *nest, ck_id body) {
  ck_id K = pv_int_var(prover, "$$K");
  ck_id h = CK_BAD;
  uint32_t a = 0;
  uint32_t b = 0;
  pv_thm thm = PV_REFL;
  for (a = 0; a < nest->depth && h == CK_BAD; a++) {
    for (b = 0; b < nest->depth && h == CK_BAD; b++) {
      if (a != b)
        h = joined_body(prover, nest, a, b, body, K);
    }
  }
  if (h == CK_BAD)
    return pv_fail();
  a--;
  b--;
  /* bring b right after a */
  if (b > a) {
    for (; b > a + 1; b--)
      thm = pv_trans(prover, thm, swap(prover, nest, b - 1, body));
  } else {
    for (; b < a; b++)
      thm = pv_trans(prover, thm, swap(prover, nest, b, body));
    a--;
  }
  ck_id G = nest->bound[a];
  ck_id tile = nest->bound[a + 1];
  ck_id rest = tele_term(prover, nest, a + 2, h);
  ck_id cur = tele_term(prover, nest, a, body);
  pv_thm premises[2] = {ge0(prover, nest->ctx[a], G), ge0(prover, nest->ctx[a], tile)};
  pv_var_sub vars[2] = {{pv_int_var(prover, "G"), G}, {pv_int_var(prover, "T"), tile}};
  ck_fsub fun = pv_fun_sub(prover, "f", &K, rest);
  pv_thm sp = pv_use_lemma(prover, PV_SUM_SPLIT, vars, 2, &fun, 1, premises, 2);
  if (sp == PV_NONE || thm == PV_NONE)
    return pv_fail();
  pv_eqn x = pv_index_canon(prover, pv_right(prover, sp));
  pv_eqn y = pv_index_canon(prover, cur);
  if (x.by == PV_NONE || y.by == PV_NONE || x.to != y.to)
    return pv_fail();
  pv_thm e = pv_trans(prover, pv_trans(prover, y.by, pv_sym(prover, x.by)),
                      pv_sym(prover, sp)); /* cur = sum over G*T */
  ck_id big = pv_left(prover, sp);
  pv_eqn bound = pv_norm(prover, nest->ctx[a], ck_kid(prover->terms, big, 0));
  if (bound.by == PV_NONE)
    return pv_fail();
  if (bound.by != PV_REFL) {
    ck_id to = pv_sum(prover, bound.to, K, rest);
    e = pv_trans(prover, e, pv_cong(prover, big, to, &bound.by, 1));
    big = to;
  }
  thm = pv_trans(prover, thm, tele_lift(prover, nest, a, e));
  pv_eqn result = {big, thm};
  for (uint32_t j = a; j-- > 0;)
    result.to = pv_sum(prover, nest->bound[j], nest->counter[j], result.to);
  return result;
}

/* --- canonical order of the counters */
typedef struct {
  uint32_t perm[MAX_DEPTH];
  ck_id body;
  ck_id place[MAX_DEPTH];
  bool set;
  uint32_t tries;
} choice;

/* how counter i stands in the body, whatever the others are called */
static ck_id place(pv *prover, const sum_nest *nest, ck_id body, uint32_t i) {
  ck_id vals[MAX_DEPTH];
  for (uint32_t j = 0; j < nest->depth; j++)
    vals[j] = ck_var(prover->terms, j == i ? "$$me" : "$$other", 'i');
  pv_eqn eqn = pv_index_canon(
      prover, ck_sub(prover->terms, body, nest->counter, vals, nest->depth, NULL, 0));
  return eqn.by == PV_NONE ? body : pv_canon(prover, eqn.to);
}

/* order of two counters by place, then by bound (a range may be cut: what is left is to stay where
 * it was); 0: alike */
static int counter_cmp(pv *prover, const sum_nest *nest, const choice *c, uint32_t a, uint32_t b) {
  int r = pv_order(prover, c->place[a], c->place[b]);
  return r ? r : pv_order(prover, nest->bound[a], nest->bound[b]);
}

static void retele(pv *prover, const sum_nest *nest, const uint32_t *perm, sum_nest *out) {
  out->depth = 0;
  out->ctx[0] = nest->ctx[0];
  for (uint32_t i = 0; i < nest->depth; i++)
    tele_push(prover, out, nest->bound[perm[i]]);
}

static ck_id renamed(pv *prover, const sum_nest *nest, const uint32_t *perm, const sum_nest *to,
                     ck_id body) {
  ck_id from[MAX_DEPTH];
  ck_id val[MAX_DEPTH];
  for (uint32_t i = 0; i < nest->depth; i++) {
    from[i] = nest->counter[perm[i]];
    val[i] = to->counter[i];
  }
  return ck_sub(prover->terms, body, from, val, nest->depth, NULL, 0);
}

static void try_perms(pv *prover, const sum_nest *nest, ck_id body, uint32_t *perm, uint32_t i,
                      choice *best) {
  if (best->tries > 24)
    return;
  if (i == nest->depth) {
    sum_nest nt;
    retele(prover, nest, perm, &nt);
    pv_eqn eqn = pv_norm(prover, nt.ctx[nt.depth], renamed(prover, nest, perm, &nt, body));
    best->tries++;
    if (eqn.by == PV_NONE || (best->set && pv_order(prover, eqn.to, best->body) >= 0))
      return;
    best->set = true;
    best->body = eqn.to;
    memcpy(best->perm, perm, sizeof best->perm);
    return;
  }
  for (uint32_t j = i; j < nest->depth;
       j++) { /* ascending; counters that look alike are tried in every order */
    bool least = true;
    for (uint32_t l = i; l < nest->depth; l++) {
      if (counter_cmp(prover, nest, best, perm[l], perm[j]) < 0)
        least = false;
    }
    if (!least)
      continue;
    uint32_t x = perm[i];
    perm[i] = perm[j];
    perm[j] = x;
    try_perms(prover, nest, body, perm, i + 1, best);
    x = perm[i];
    perm[i] = perm[j];
    perm[j] = x;
  }
}

static pv_eqn reorder(pv *prover, sum_nest *nest, ck_id body) {
  uint32_t perm[MAX_DEPTH];
  pv_thm thm = PV_REFL;
  choice best = {.set = false};
  for (uint32_t i = 0; i < nest->depth; i++) {
    perm[i] = i;
    best.place[i] = place(prover, nest, body, i);
  }
  try_perms(prover, nest, body, perm, 0, &best);
  if (!best.set)
    return pv_fail();
  uint32_t want[MAX_DEPTH];
  memcpy(want, best.perm, sizeof want);
  sum_nest goal;
  retele(prover, nest, want, &goal);
  ck_id last = renamed(prover, nest, want, &goal, body);
  /* bubble: position i gets counter want[i] */
  uint32_t at[MAX_DEPTH];
  for (uint32_t i = 0; i < nest->depth; i++)
    at[i] = i;
  for (uint32_t i = 0; i < nest->depth; i++) {
    uint32_t j = i;
    while (at[j] != want[i])
      j++;
    for (; j > i; j--) {
      thm = pv_trans(prover, thm, swap(prover, nest, j - 1, body));
      uint32_t x = at[j];
      at[j] = at[j - 1];
      at[j - 1] = x;
    }
  }
  pv_eqn eqn = pv_norm(prover, goal.ctx[goal.depth], last);
  if (eqn.by == PV_NONE || thm == PV_NONE)
    return pv_fail();
  thm = pv_trans(prover, thm, tele_lift(prover, &goal, goal.depth, eqn.by));
  pv_eqn result = {tele_term(prover, &goal, 0, eqn.to), thm};
  return result;
}

/* sum over k < n of a product `in` of atoms that all depend on k, canonical inside; cx: outside */
static pv_eqn product_sum(pv *prover, pv_ctx ctx, ck_id n, ck_id inside) {
  sum_nest nest;
  nest.depth = 0;
  nest.ctx[0] = ctx;
  if (!tele_push(prover, &nest, n))
    return pv_fail();
  ck_id start = pv_sum(prover, n, nest.counter[0], inside);
  pv_eqn eqn = push_in(prover, &nest, inside);
  pv_eqn result;
  if (eqn.by == PV_NONE)
    return pv_fail();
  eqn.by = pv_lift_sum(prover, n, nest.counter[0], eqn.by);
  eqn.to = pv_sum(prover, n, nest.counter[0], eqn.to);
  if (eqn.by == PV_NONE)
    return pv_fail();
  if (nest.depth == 1) {
    if (pv_runs_backwards(prover, ctx, n, nest.counter[0], inside)) {
      pv_var_sub vars = (pv_var_sub){pv_int_var(prover, "n"), n};
      ck_fsub fun = pv_fun_sub(prover, "f", &nest.counter[0], inside);
      pv_thm n_nonneg = ge0(prover, ctx, n);
      pv_eqn b = {CK_BAD, pv_use_lemma(prover, PV_SUM_REVERSE, &vars, 1, &fun, 1, &n_nonneg, 1)};
      if (b.by == PV_NONE)
        return pv_same(start);
      b.to = pv_right(prover, b.by);
      return pv_then(prover, b, pv_norm(prover, ctx, b.to));
    }
    pv_mark_normal(prover, ctx, start);
    return pv_same(start);
  }
  ck_id body = innermost(prover, eqn.to, &nest, 0);
  if (!bounds_free(prover, &nest))
    return eqn;
  sum_nest t2 = nest;
  result = join(prover, &t2, body);
  if (result.by != PV_NONE) {
    eqn = pv_then(prover, eqn, result);
    return eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
  }
  result = reorder(prover, &nest, body);
  if (result.by == PV_NONE)
    return eqn;
  pv_mark_normal(prover, ctx, result.to);
  return pv_then(prover, eqn, result);
}

/* --- cutting a range */
/* sum(k < n) f = sum(k < m) f + sum(k < n-m) f(m+k) */
static pv_eqn cut_range(pv *prover, pv_ctx ctx, ck_id term, ck_id k, ck_id body, ck_id m) {
  ck_id n = ck_kid(prover->terms, term, 0);
  ck_id r = pv_canon(prover, pv_sub(prover, n, m));
  ck_id mr = pv_add(prover, m, r);
  pv_thm premises[2] = {ge0(prover, ctx, m), ge0(prover, ctx, r)};
  if (premises[0] == PV_NONE || premises[1] == PV_NONE)
    return pv_fail();
  pv_thm a = pv_identity(prover, pv_eq(prover, n, mr));
  ck_id big = pv_sum(prover, mr, k, body);
  pv_thm c = term == big ? PV_REFL : pv_cong(prover, term, big, &a, 1);
  pv_var_sub vars[2] = {{pv_int_var(prover, "m"), m}, (pv_var_sub){pv_int_var(prover, "n"), r}};
  ck_fsub fun = pv_fun_sub(prover, "f", &k, body);
  pv_thm thm =
      pv_trans(prover, c, pv_use_lemma(prover, PV_SUM_CONCAT, vars, 2, &fun, 1, premises, 2));
  if (thm == PV_NONE)
    return pv_fail();
  pv_eqn eqn = {pv_right(prover, thm), thm};
  return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
}

pv_eqn pv_cut_sum(pv *prover, pv_ctx ctx, ck_id term, ck_id m) {
  ck_id k;
  pv_ctx_bind(prover, ctx, ck_kid(prover->terms, term, 0), &k);
  return cut_range(prover, ctx, term, k, pv_sum_body(prover, term, k), m);
}

/* sum(k < c*b) f = sum(g < c) sum(t < b) f(g*b + t); whole: a guess of c, or CK_BAD */
static pv_eqn cut_blocks(pv *prover, pv_ctx ctx, ck_id term, ck_id k, ck_id body, ck_id b,
                         ck_id whole) {
  ck_id n = ck_kid(prover->terms, term, 0);
  ck_id c = pv_size_quotient(prover, ctx, n, b);
  pv_thm premises[2];
  if (c == CK_BAD)
    c = whole != CK_BAD && pv_canon(prover, pv_mul(prover, whole, b)) == n ? whole : CK_BAD;
  if (c == CK_BAD || pv_is_one(prover, c) || pv_is_one(prover, b))
    return pv_fail();
  ck_id cb = pv_mul(prover, c, b);
  pv_thm a = pv_follows(prover, ctx, pv_eq(prover, n, cb));
  premises[0] = ge0(prover, ctx, c);
  premises[1] = ge0(prover, ctx, b);
  if (a == PV_NONE || premises[0] == PV_NONE || premises[1] == PV_NONE)
    return pv_fail();
  pv_thm cg = n == cb ? PV_REFL : pv_cong(prover, term, pv_sum(prover, cb, k, body), &a, 1);
  pv_var_sub vars[2] = {{pv_int_var(prover, "G"), c}, {pv_int_var(prover, "T"), b}};
  ck_fsub fun = pv_fun_sub(prover, "f", &k, body);
  pv_thm thm =
      pv_trans(prover, cg, pv_use_lemma(prover, PV_SUM_SPLIT, vars, 2, &fun, 1, premises, 2));
  if (thm == PV_NONE)
    return pv_fail();
  pv_eqn eqn = {pv_right(prover, thm), thm};
  return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
}

/* --- distribution */
typedef struct {
  ck_id outside;
  ck_id inside;
} sum_part; /* out: free of k, with the coefficient; in: CK_BAD if nothing depends on k */

static uint32_t parts_of(pv *prover, ck_id body, ck_id k, sum_part **res) {
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, body);
  sum_part *parts = as_malloc((poly.count + 1) * sizeof *parts);
  uint32_t n = 0;
  for (uint32_t i = 0; i < poly.count; i++) {
    const pv_mono *mono = &poly.monos[i];
    ck_id *inside = as_malloc((mono->degree + 1) * sizeof *inside);
    ck_id *out = as_malloc((mono->degree + 1) * sizeof *out);
    uint32_t ni = 0;
    uint32_t no = 0;
    uint32_t j = 0;
    for (uint32_t l = 0; l < mono->degree; l++) {
      if (ck_has_var(prover->terms, mono->atoms[l], k))
        inside[ni++] = mono->atoms[l];
      else
        out[no++] = mono->atoms[l];
    }
    sum_part part = {pv_mono_term(prover, mono->coef, out, no),
                     ni ? pv_mono_term(prover, prover->one, inside, ni) : CK_BAD};
    while (j < n && parts[j].inside != part.inside)
      j++;
    if (j < n)
      parts[j].outside = pv_canon(prover, pv_add(prover, parts[j].outside, part.outside));
    else
      parts[n++] = part;
    free(inside);
    free(out);
  }
  pv_poly_clear(&poly);
  *res = parts;
  return n;
}

/* sum over k < n of x.out * x.in; adds to b, with factor one, the equation from `t_sum(x.out*x.in)`
 * to the result, which is returned */
static ck_id part_sum(pv *prover, pv_ctx ctx, ck_id n, ck_id k, pv_thm n_nonneg,
                      const sum_part *part, pv_comb *comb, bool *bad) {
  ck_id inside = part->inside == CK_BAD ? prover->one : part->inside;
  pv_var_sub vars[2] = {(pv_var_sub){pv_int_var(prover, "n"), n},
                        {pv_real_var(prover, "c"), part->outside}};
  ck_fsub fun = pv_fun_sub(prover, "f", &k, inside);
  pv_eqn eqn;
  if (!pv_is_one(prover, part->outside))
    pv_comb_add(comb, prover->one,
                pv_use_lemma(prover, PV_SUM_SCALE, vars, 2, &fun, 1, &n_nonneg, 1));
  if (part->inside == CK_BAD) {
    eqn.to = n;
    eqn.by = pv_use_lemma(prover, PV_SUM_ONE, vars, 1, NULL, 0, &n_nonneg, 1);
  } else if (inside == k) {
    eqn.by = pv_use_lemma(prover, PV_SUM_INDEX, vars, 1, NULL, 0, &n_nonneg, 1);
    eqn.to = eqn.by == PV_NONE ? CK_BAD : pv_right(prover, eqn.by);
  } else {
    eqn = product_sum(prover, ctx, n, inside);
  }
  if (eqn.by == PV_NONE) {
    *bad = true;
    return CK_BAD;
  }
  pv_comb_add(comb, part->outside, eqn.by);
  return pv_mul(prover, part->outside, eqn.to);
}

static ck_id part_term(pv *prover, const sum_part *part) {
  if (part->inside == CK_BAD)
    return pv_is_one(prover, part->outside) ? prover->one
                                            : pv_mul(prover, part->outside, prover->one);
  return pv_is_one(prover, part->outside) ? part->inside
                                          : pv_mul(prover, part->outside, part->inside);
}

/* sum(k < n) body for a normal body: linear combination of sums of products */
static pv_eqn distribute(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body, pv_thm n_nonneg) {
  sum_part *parts;
  uint32_t np = parts_of(prover, body, k, &parts);
  ck_id start = pv_sum(prover, n, k, body);
  ck_id tot = CK_BAD;
  ck_id res = prover->zero;
  pv_var_sub vars = (pv_var_sub){pv_int_var(prover, "n"), n};
  bool bad = false;
  pv_comb comb;
  pv_comb_init(&comb);
  if (np == 0) { /* zero body */
    pv_eqn eqn = {prover->zero, pv_use_lemma(prover, PV_SUM_ZERO, &vars, 1, NULL, 0, &n_nonneg, 1)};
    free(parts);
    pv_comb_clear(&comb);
    return eqn.by == PV_NONE ? pv_fail() : eqn;
  }
  for (uint32_t i = 1; i < np; i++) /* an order that does not depend on numbers */
  {
    for (uint32_t j = i; j > 0 && pv_order(prover, part_term(prover, &parts[j - 1]),
                                           part_term(prover, &parts[j])) > 0;
         j--) {
      sum_part part = parts[j];
      parts[j] = parts[j - 1];
      parts[j - 1] = part;
    }
  }
  for (uint32_t i = np; i-- > 0;)
    tot = tot == CK_BAD ? part_term(prover, &parts[i])
                        : pv_add(prover, part_term(prover, &parts[i]), tot);
  if (tot != body)
    pv_comb_add(&comb, prover->one,
                pv_lift_sum(prover, n, k, pv_identity(prover, pv_eq(prover, body, tot))));
  ck_id rest = tot;
  for (uint32_t i = 0; i < np && !bad; i++) {
    ck_id first = part_term(prover, &parts[i]);
    if (i + 1 < np) {
      ck_id more = ck_kid(prover->terms, rest, 1);
      ck_fsub fun[2] = {pv_fun_sub(prover, "f", &k, first), pv_fun_sub(prover, "g", &k, more)};
      pv_comb_add(&comb, prover->one,
                  pv_use_lemma(prover, PV_SUM_ADD, &vars, 1, fun, 2, &n_nonneg, 1));
      rest = more;
    }
    ck_id r = part_sum(prover, ctx, n, k, n_nonneg, &parts[i], &comb, &bad);
    if (!bad)
      res = pv_is_zero(prover, res) ? r : pv_add(prover, res, r);
  }
  free(parts);
  if (bad) {
    pv_comb_clear(&comb);
    return pv_fail();
  }
  if (res == start) {
    pv_comb_clear(&comb);
    return pv_same(start);
  }
  pv_eqn eqn = {res, pv_comb_prove(prover, &comb, pv_eq(prover, start, res))};
  return eqn.by == PV_NONE ? pv_fail() : eqn;
}

/* a sum over one element is that element; over A + B, two sums */
static pv_eqn small_or_composite(pv *prover, pv_ctx ctx, ck_id term, ck_id k, ck_id body) {
  ck_id n = ck_kid(prover->terms, term, 0);
  pv_thm zero_le_zero = pv_by_value(prover, pv_ge0(prover, prover->zero));
  if (pv_is_zero(prover, n)) {
    pv_eqn eqn = {prover->zero, pv_zero(prover, term, zero_le_zero)};
    return eqn;
  }
  if (pv_is_one(prover, n)) {
    pv_thm thm = pv_succ(prover, term, prover->zero, zero_le_zero);
    ck_id first = pv_sum(prover, prover->zero, k, body);
    ck_id el = ck_sub(prover->terms, body, &k, &prover->zero, 1, NULL, 0);
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, thm);
    pv_comb_add(&comb, prover->one, pv_zero(prover, first, zero_le_zero));
    pv_eqn eqn = {el, pv_comb_prove(prover, &comb, pv_eq(prover, term, el))};
    return eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, el));
  }
  return pv_fail();
}

static bool has_div(pv *prover, ck_id term) {
  if (ck_head(prover->terms, term) == CK_DIV)
    return true;
  for (uint32_t i = 0, n = ck_nkids(prover->terms, term); i < n; i++) {
    if (has_div(prover, ck_kid(prover->terms, term, i)))
      return true;
  }
  return false;
}

/* t: a sum whose bound is normal */
pv_eqn pv_norm_sum(pv *prover, pv_ctx ctx, ck_id term) {
  enum { PLACES = 8 };

  ck_id n = ck_kid(prover->terms, term, 0);
  ck_id k;
  ck_id m[PLACES];
  ck_id b;
  pv_ctx inner = pv_ctx_bind(prover, ctx, n, &k);
  pv_thm n_nonneg = ge0(prover, ctx, n);
  uint32_t np;
  pv_thm none = pv_follows(prover, ctx, pv_le(prover, n, prover->zero));
  if (none != PV_NONE) {
    pv_eqn z = {prover->zero, pv_zero(prover, term, none)};
    return z;
  }
  pv_eqn eqn = pv_norm(prover, inner, pv_sum_body(prover, term, k));
  pv_eqn result;
  if (eqn.by == PV_NONE)
    return pv_fail();
  ck_id body = eqn.to;
  eqn.by = pv_lift_sum(prover, n, k, eqn.by);
  eqn.to = pv_sum(prover, n, k, body);
  if (eqn.by == PV_NONE)
    return pv_fail();
  if (n_nonneg == PV_NONE)
    return eqn;
  np = pv_cut_places(prover, body, k, m, PLACES);
  for (uint32_t i = 0; i < np; i++) {
    if (pv_is_zero(prover, m[i]) || m[i] == n)
      continue;
    result = cut_range(prover, ctx, eqn.to, k, body, m[i]);
    if (result.by != PV_NONE)
      return pv_then(prover, eqn, result);
  }
  b = pv_block_size(prover, body, k);
  if (b != CK_BAD) {
    pv_eqn q = pv_norm(prover, ctx, ck_mk2(prover->terms, CK_DIV, n, b));
    if (q.by == PV_NONE || has_div(prover, q.to))
      q.to = CK_BAD;
    result = cut_blocks(prover, ctx, eqn.to, k, body, b, q.to);
    if (result.by == PV_NONE && q.to != CK_BAD) { /* up to the end of the last whole block */
      ck_id last = pv_canon(prover, pv_mul(prover, b, q.to));
      if (!pv_is_zero(prover, last) && last != n)
        result = cut_range(prover, ctx, eqn.to, k, body, last);
    }
    if (result.by != PV_NONE)
      return pv_then(prover, eqn, result);
  }
  result = small_or_composite(prover, ctx, eqn.to, k, body);
  if (result.by != PV_NONE)
    return pv_then(prover, eqn, result);
  result = distribute(prover, ctx, n, k, body, n_nonneg);
  return result.by == PV_NONE
             ? eqn
             : pv_then(prover, eqn, pv_then(prover, result, pv_norm_poly(prover, ctx, result.to)));
}
