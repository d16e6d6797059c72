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

/* t: product of atoms, inside the telescope; t = nested sums of a product without sums, or, where
 * products of sums stay, with several; the counters are appended */
static pv_eqn push_in(pv *prover, sum_nest *nest, ck_id term) {
  sorted_factors factors = {.plain_count = 0};
  if (!sort_factors(prover, term, &factors))
    return pv_fail();
  if (!factors.sum_count)
    return pv_same(term);
  if (factors.sum_count > 1) {
    prover->matter |= PV_OUT_OF_PRODUCTS;
    if (!(prover->ways & PV_OUT_OF_PRODUCTS))
      return pv_same(term);
  }
  ck_id sum = factors.sum[0];
  ck_id others = factors_term(prover, &factors, 1);
  ck_id n = ck_kid(prover->terms, sum, 0);
  uint32_t depth = nest->depth;
  pv_thm n_nonneg = ge0(prover, nest->ctx[depth], n);
  if (n_nonneg == PV_NONE || !tele_push(prover, nest, n))
    return pv_fail();
  ck_id k = nest->counter[depth];
  ck_id body = pv_sum_body(prover, sum, k);
  ck_id product = pv_mul(prover, others, body);
  ck_id inside = pv_canon(prover, product);
  pv_var_sub vars[2] = {(pv_var_sub){pv_int_var(prover, "n"), n},
                        {pv_real_var(prover, "c"), others}};
  ck_fsub funs = pv_fun_sub(prover, "f", &k, body);
  pv_thm scaled =
      pv_use_lemma(prover, PV_SUM_SCALE, vars, 2, &funs, 1, &n_nonneg, 1); /* sum C*B = C*S */
  pv_thm order =
      inside == product
          ? PV_REFL
          : pv_lift_sum(prover, n, k, pv_identity(prover, pv_eq(prover, product, inside)));
  pv_eqn result = push_in(prover, nest, inside);
  if (result.by == PV_NONE || scaled == PV_NONE)
    return pv_fail();
  pv_thm deep = pv_lift_sum(prover, n, k, result.by);
  pv_comb comb;
  pv_comb_init(&comb); /* t = C*S; C*S = sum CB = sum in = sum r */
  pv_comb_add(&comb, pv_num(prover, -1), scaled);
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
  ck_id outer = nest->counter[i];
  ck_id inner = nest->counter[i + 1];
  ck_id inside = tele_term(prover, nest, i + 2, body);
  ck_id params[2] = {outer, inner};
  pv_thm premises[2] = {ge0(prover, nest->ctx[i], nest->bound[i]),
                        ge0(prover, nest->ctx[i], nest->bound[i + 1])};
  pv_var_sub vars[2] = {(pv_var_sub){pv_int_var(prover, "n"), nest->bound[i]},
                        {pv_int_var(prover, "m"), nest->bound[i + 1]}};
  ck_fsub fun = pv_fun2_sub(prover, "f2", params, inside);
  pv_thm thm = tele_lift(prover, nest, i,
                         pv_use_lemma(prover, PV_SUM_EXCHANGE, vars, 2, &fun, 1, premises, 2));
  ck_id bound = nest->bound[i];
  nest->bound[i] = nest->bound[i + 1];
  nest->bound[i + 1] = bound;
  nest->counter[i] = inner;
  nest->counter[i + 1] = outer;
  return thm;
}

/* --- two counters of which all depends on k[a]*n[b] + k[b] alone */
static ck_id joined_body(pv *prover, const sum_nest *nest, uint32_t outer, uint32_t inner,
                         ck_id body, ck_id joint) {
  ck_id instead = pv_sub(prover, joint, pv_mul(prover, nest->counter[outer], nest->bound[inner]));
  ck_id replaced = ck_sub(prover->terms, body, &nest->counter[inner], &instead, 1, NULL, 0);
  if (replaced == CK_BAD)
    return CK_BAD;
  pv_eqn eqn = pv_index_canon(prover, replaced);
  if (eqn.by != PV_NONE && !ck_has_var(prover->terms, eqn.to, nest->counter[outer]))
    return eqn.to;
  if (!pv_is_exponent(prover, body, nest->counter[outer]) ||
      !pv_is_exponent(prover, body, nest->counter[inner]))
    return CK_BAD;
  eqn = pv_norm(prover, nest->ctx[nest->depth], replaced);
  return eqn.by == PV_NONE || ck_has_var(prover->terms, eqn.to, nest->counter[outer]) ? CK_BAD
                                                                                      : eqn.to;
}

/* The sum over tiles of the sums over a tile, `current`, is `split`, whose body is the joined one
 * at `k[outer]*n[inner] + k[inner]`: but for the form of indices, or, where exponentials stand
 * apart for each counter, in normal form.  The theorem current = split. */
static pv_thm as_split(pv *prover, const sum_nest *nest, uint32_t outer, ck_id body,
                       ck_id body_joined, ck_id joint, ck_id split) {
  ck_id current = tele_term(prover, nest, outer, body);
  pv_eqn split_canon = pv_index_canon(prover, split);
  pv_eqn current_canon = pv_index_canon(prover, current);
  if (split_canon.by == PV_NONE || current_canon.by == PV_NONE)
    return PV_NONE;
  if (split_canon.to == current_canon.to)
    return pv_trans(prover, current_canon.by, pv_sym(prover, split_canon.by));
  ck_id place = pv_add(prover, pv_mul(prover, nest->counter[outer], nest->bound[outer + 1]),
                       nest->counter[outer + 1]);
  ck_id placed = ck_sub(prover->terms, body_joined, &joint, &place, 1, NULL, 0);
  pv_eqn apart = pv_norm(prover, nest->ctx[nest->depth], placed);
  if (apart.by == PV_NONE || apart.to != body)
    return PV_NONE;
  pv_thm same = apart.by;
  for (uint32_t m = nest->depth; m-- > outer;)
    same = pv_lift_sum(prover, nest->bound[m], nest->counter[m], same);
  pv_eqn placed_canon = pv_index_canon(prover, tele_term(prover, nest, outer, placed));
  if (placed_canon.by == PV_NONE || placed_canon.to != split_canon.to)
    return PV_NONE;
  pv_thm back = pv_trans(prover, placed_canon.by, pv_sym(prover, split_canon.by));
  return pv_trans(prover, pv_sym(prover, same), back);
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
  ck_id joint = pv_int_var(prover, "$$K");
  ck_id body_joined = CK_BAD;
  uint32_t outer = 0;
  uint32_t inner = 0;
  pv_thm thm = PV_REFL;
  for (outer = 0; outer < nest->depth && body_joined == CK_BAD; outer++) {
    for (inner = 0; inner < nest->depth && body_joined == CK_BAD; inner++) {
      if (outer != inner)
        body_joined = joined_body(prover, nest, outer, inner, body, joint);
    }
  }
  if (body_joined == CK_BAD)
    return pv_fail();
  outer--;
  inner--;
  /* bring b right after a */
  if (inner > outer) {
    for (; inner > outer + 1; inner--)
      thm = pv_trans(prover, thm, swap(prover, nest, inner - 1, body));
  } else {
    for (; inner < outer; inner++)
      thm = pv_trans(prover, thm, swap(prover, nest, inner, body));
    outer--;
  }
  ck_id tiles = nest->bound[outer];
  ck_id tile = nest->bound[outer + 1];
  ck_id inside = tele_term(prover, nest, outer + 2, body_joined);
  pv_thm premises[2] = {ge0(prover, nest->ctx[outer], tiles), ge0(prover, nest->ctx[outer], tile)};
  pv_var_sub vars[2] = {{pv_int_var(prover, "G"), tiles}, {pv_int_var(prover, "T"), tile}};
  ck_fsub fun = pv_fun_sub(prover, "f", &joint, inside);
  pv_thm split = pv_use_lemma(prover, PV_SUM_SPLIT, vars, 2, &fun, 1, premises, 2);
  if (split == PV_NONE || thm == PV_NONE)
    return pv_fail();
  pv_thm same = as_split(prover, nest, outer, body, body_joined, joint, pv_right(prover, split));
  if (same == PV_NONE)
    return pv_fail();
  same = pv_trans(prover, same, pv_sym(prover, split)); /* the tiles = sum over G*T */
  ck_id big = pv_left(prover, split);
  pv_eqn bound = pv_norm(prover, nest->ctx[outer], ck_kid(prover->terms, big, 0));
  if (bound.by == PV_NONE)
    return pv_fail();
  if (bound.by != PV_REFL) {
    ck_id to = pv_sum(prover, bound.to, joint, inside);
    same = pv_trans(prover, same, pv_cong(prover, big, to, &bound.by, 1));
    big = to;
  }
  thm = pv_trans(prover, thm, tele_lift(prover, nest, outer, same));
  pv_eqn result = {big, thm};
  for (uint32_t j = outer; j-- > 0;)
    result.to = pv_sum(prover, nest->bound[j], nest->counter[j], result.to);
  return result;
}

/* --- a counter that a choice inside fixes */
/* Does the term choose by an equation in which the counter stands, and another one of the nest? */
static bool is_fixed_in(pv *prover, const sum_nest *nest, uint32_t which, ck_id term) {
  enum { MOST_NODES = 400 };

  const ck_terms *terms = prover->terms;
  if (!ck_has_var(terms, term, nest->counter[which]) || pv_tree_size(prover, term) > MOST_NODES)
    return false;
  if (ck_is(terms, term, CK_ITE) && ck_head(terms, ck_kid(terms, term, 0)) == CK_EQ) {
    ck_id condition = ck_kid(terms, term, 0);
    bool other = false;
    for (uint32_t i = 0; i < nest->depth; i++)
      other = other || (i != which && ck_has_var(terms, condition, nest->counter[i]));
    if (other && ck_has_var(terms, condition, nest->counter[which]))
      return true;
  }
  bool sum_or_product = ck_is(terms, term, CK_ITE) || ck_is(terms, term, CK_MUL);
  for (uint32_t i = 0; sum_or_product && i < ck_nkids(terms, term); i++) {
    if (is_fixed_in(prover, nest, which, ck_kid(terms, term, i)))
      return true;
  }
  return false;
}

/* The nest with that counter innermost, where its sum is none any more once the others are given:
 * what is scattered to places and summed over all of them is summed as it was.  Fails where it
 * stays one. */
static pv_eqn sum_fixed(pv *prover, sum_nest *nest, uint32_t which, ck_id body) {
  pv_thm thm = PV_REFL;
  uint32_t last = nest->depth - 1;
  for (uint32_t i = which; i < last; i++)
    thm = pv_trans(prover, thm, swap(prover, nest, i, body));
  sum_nest inner;
  inner.depth = 0;
  inner.ctx[0] = nest->ctx[0];
  for (uint32_t i = 0; i < nest->depth; i++)
    tele_push(prover, &inner, nest->bound[i]);
  ck_id placed = ck_sub(prover->terms, body, nest->counter, inner.counter, nest->depth, NULL, 0);
  ck_id sum = placed == CK_BAD ? CK_BAD : tele_term(prover, &inner, last, placed);
  if (thm == PV_NONE || sum == CK_BAD)
    return pv_fail();
  pv_eqn eqn = pv_norm(prover, inner.ctx[last], sum);
  if (eqn.by == PV_NONE || eqn.by == PV_REFL || pv_is_sum(prover, eqn.to))
    return pv_fail();
  thm = pv_trans(prover, thm, tele_lift(prover, &inner, last, eqn.by));
  inner.depth = last;
  return thm == PV_NONE ? pv_fail() : (pv_eqn){tele_term(prover, &inner, 0, eqn.to), thm};
}

static pv_eqn sum_any_fixed(pv *prover, const sum_nest *nest, ck_id body) {
  for (uint32_t i = 0; i + 1 < nest->depth; i++) {
    if (!is_fixed_in(prover, nest, i, body))
      continue;
    sum_nest turned = *nest;
    pv_eqn eqn = sum_fixed(prover, &turned, i, body);
    if (eqn.by != PV_NONE)
      return eqn;
  }
  return pv_fail();
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
static int counter_cmp(pv *prover, const sum_nest *nest, const choice *c, uint32_t left,
                       uint32_t right) {
  int order = pv_order(prover, c->place[left], c->place[right]);
  return order ? order : pv_order(prover, nest->bound[left], nest->bound[right]);
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
    for (uint32_t n_th = i; n_th < nest->depth; n_th++) {
      if (counter_cmp(prover, nest, best, perm[n_th], perm[j]) < 0)
        least = false;
    }
    if (!least)
      continue;
    uint32_t swap = perm[i];
    perm[i] = perm[j];
    perm[j] = swap;
    try_perms(prover, nest, body, perm, i + 1, best);
    swap = perm[i];
    perm[i] = perm[j];
    perm[j] = swap;
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
      uint32_t kept = at[j];
      at[j] = at[j - 1];
      at[j - 1] = kept;
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
      pv_eqn reversed = {CK_BAD,
                         pv_use_lemma(prover, PV_SUM_REVERSE, &vars, 1, &fun, 1, &n_nonneg, 1)};
      if (reversed.by == PV_NONE)
        return pv_same(start);
      reversed.to = pv_right(prover, reversed.by);
      return pv_then(prover, reversed, pv_norm(prover, ctx, reversed.to));
    }
    pv_mark_normal(prover, ctx, start);
    return pv_same(start);
  }
  ck_id body = innermost(prover, eqn.to, &nest, 0);
  if (!bounds_free(prover, &nest))
    return eqn;
  result = sum_any_fixed(prover, &nest, body);
  if (result.by == PV_NONE) {
    sum_nest t2 = nest;
    result = join(prover, &t2, body);
  }
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
    ck_id *outside = as_malloc((mono->degree + 1) * sizeof *outside);
    uint32_t n_inside = 0;
    uint32_t n_outside = 0;
    uint32_t j = 0;
    for (uint32_t n_th = 0; n_th < mono->degree; n_th++) {
      if (ck_has_var(prover->terms, mono->atoms[n_th], k))
        inside[n_inside++] = mono->atoms[n_th];
      else
        outside[n_outside++] = mono->atoms[n_th];
    }
    sum_part part = {pv_mono_term(prover, mono->coef, outside, n_outside),
                     n_inside ? pv_mono_term(prover, prover->one, inside, n_inside) : CK_BAD};
    while (j < n && parts[j].inside != part.inside)
      j++;
    if (j < n)
      parts[j].outside = pv_canon(prover, pv_add(prover, parts[j].outside, part.outside));
    else
      parts[n++] = part;
    free(inside);
    free(outside);
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
  uint32_t n_parts = parts_of(prover, body, k, &parts);
  ck_id start = pv_sum(prover, n, k, body);
  ck_id total = CK_BAD;
  ck_id result = prover->zero;
  pv_var_sub vars = (pv_var_sub){pv_int_var(prover, "n"), n};
  bool bad = false;
  pv_comb comb;
  pv_comb_init(&comb);
  if (n_parts == 0) { /* zero body */
    pv_eqn eqn = {prover->zero, pv_use_lemma(prover, PV_SUM_ZERO, &vars, 1, NULL, 0, &n_nonneg, 1)};
    free(parts);
    pv_comb_clear(&comb);
    return eqn.by == PV_NONE ? pv_fail() : eqn;
  }
  for (uint32_t i = 1; i < n_parts; i++) /* an order that does not depend on numbers */
  {
    for (uint32_t j = i; j > 0 && pv_order(prover, part_term(prover, &parts[j - 1]),
                                           part_term(prover, &parts[j])) > 0;
         j--) {
      sum_part part = parts[j];
      parts[j] = parts[j - 1];
      parts[j - 1] = part;
    }
  }
  for (uint32_t i = n_parts; i-- > 0;)
    total = total == CK_BAD ? part_term(prover, &parts[i])
                            : pv_add(prover, part_term(prover, &parts[i]), total);
  if (total != body)
    pv_comb_add(&comb, prover->one,
                pv_lift_sum(prover, n, k, pv_identity(prover, pv_eq(prover, body, total))));
  ck_id rest = total;
  for (uint32_t i = 0; i < n_parts && !bad; i++) {
    ck_id first = part_term(prover, &parts[i]);
    if (i + 1 < n_parts) {
      ck_id more = ck_kid(prover->terms, rest, 1);
      ck_fsub fun[2] = {pv_fun_sub(prover, "f", &k, first), pv_fun_sub(prover, "g", &k, more)};
      pv_comb_add(&comb, prover->one,
                  pv_use_lemma(prover, PV_SUM_ADD, &vars, 1, fun, 2, &n_nonneg, 1));
      rest = more;
    }
    ck_id part_result = part_sum(prover, ctx, n, k, n_nonneg, &parts[i], &comb, &bad);
    if (!bad)
      result = pv_is_zero(prover, result) ? part_result : pv_add(prover, result, part_result);
  }
  free(parts);
  if (bad) {
    pv_comb_clear(&comb);
    return pv_fail();
  }
  if (result == start) {
    pv_comb_clear(&comb);
    return pv_same(start);
  }
  pv_eqn eqn = {result, pv_comb_prove(prover, &comb, pv_eq(prover, start, result))};
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
    ck_id element = ck_sub(prover->terms, body, &k, &prover->zero, 1, NULL, 0);
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, thm);
    pv_comb_add(&comb, prover->one, pv_zero(prover, first, zero_le_zero));
    pv_eqn eqn = {element, pv_comb_prove(prover, &comb, pv_eq(prover, term, element))};
    return eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, element));
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
  if (ck_head(prover->terms, n) == CK_ITE) {
    pv_eqn whole = pv_over_whole_tile(prover, ctx, term);
    if (whole.by != PV_NONE)
      return pv_then(prover, whole, pv_norm(prover, ctx, whole.to));
  }
  pv_eqn written = pv_running_written_out(prover, term);
  if (written.by != PV_REFL)
    return written.by == PV_NONE ? pv_fail()
                                 : pv_then(prover, written, pv_norm(prover, ctx, written.to));
  ck_id k;
  ck_id place[PLACES];
  ck_id block;
  pv_ctx inner = pv_ctx_bind(prover, ctx, n, &k);
  pv_thm n_nonneg = ge0(prover, ctx, n);
  uint32_t n_places;
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
  pv_eqn named = pv_data_windows(prover, body);
  if (named.by != PV_REFL) {
    pv_eqn sum = {pv_sum(prover, n, k, named.to), pv_lift_sum(prover, n, k, named.by)};
    return pv_then(prover, eqn, pv_then(prover, sum, pv_norm(prover, ctx, sum.to)));
  }
  n_places = pv_cut_places(prover, body, k, place, PLACES);
  for (uint32_t i = 0; i < n_places; i++) {
    if (pv_is_zero(prover, place[i]) || place[i] == n)
      continue;
    result = pv_cut_sum_at(prover, ctx, eqn.to, k, body, place[i]);
    if (result.by != PV_NONE)
      return pv_then(prover, eqn, result);
  }
  block = pv_block_size(prover, body, k);
  if (block != CK_BAD) {
    pv_eqn blocks = pv_norm(prover, ctx, ck_mk2(prover->terms, CK_DIV, n, block));
    if (blocks.by == PV_NONE || has_div(prover, blocks.to))
      blocks.to = CK_BAD;
    result = pv_cut_sum_blocks(prover, ctx, eqn.to, k, body, block, blocks.to);
    if (result.by == PV_NONE && blocks.to != CK_BAD) { /* up to the end of the last whole block */
      ck_id last = pv_canon(prover, pv_mul(prover, block, blocks.to));
      if (!pv_is_zero(prover, last) && last != n)
        result = pv_cut_sum_at(prover, ctx, eqn.to, k, body, last);
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
