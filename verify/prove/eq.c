/* Equality of two terms: normal forms; then inverses eliminated by cross-multiplication; then
 * conditions split; then unequal atoms with the same head matched argument by argument. */
#include "pv_folds.h"
#include "src/base/mem.h"
#include <stdlib.h>

static pv_thm zero_thm(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth);

enum { MAX_SPLITS = 14, MAX_TIGHTENED = 6 };

/* D = 0 from D = e.t (e.s) and e.t = 0 (s) */
static pv_thm through(pv *prover, ck_id diff, pv_eqn eqn, pv_thm thm) {
  if (thm == PV_NONE || eqn.by == PV_NONE)
    return PV_NONE;
  if (eqn.by == PV_REFL)
    return thm;
  pv_summand summand[2] = {{prover->one, &eqn.by, 1}, {prover->one, &thm, 1}};
  return pv_arith(prover, pv_eq(prover, diff, prover->zero), summand, 2);
}

/* --- inverses: multiply by P where inv(P) occurs and P # 0 */
static ck_id power(pv *prover, ck_id x, uint32_t n) {
  ck_id r = prover->one;
  for (; n; n--)
    r = pv_mul(prover, r, x);
  return r;
}

static pv_thm without_inverse(pv *prover, pv_ctx ctx, ck_id diff, ck_id y, uint32_t depth) {
  ck_id P = ck_kid(prover->terms, y, 0);
  pv_thm nonzero = pv_nonzero(prover, ctx, P);
  uint32_t e = 0;
  pv_thm cases = PV_NONE;
  pv_poly poly;
  if (nonzero == PV_NONE)
    return PV_NONE;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, diff);
  uint32_t *deg = as_calloc(poly.count + 1, sizeof *deg);
  for (uint32_t i = 0; i < poly.count; i++) {
    for (uint32_t j = 0; j < poly.monos[i].degree; j++)
      deg[i] += poly.monos[i].atoms[j] == y;
    if (deg[i] > e)
      e = deg[i];
  }
  if (e <= 4) {
    ck_id N = prover->zero;
    ck_id c = prover->zero;
    ck_id Py = pv_mul(prover, P, y);
    for (uint32_t i = 0; i < poly.count; i++) {
      ck_id rest[64];
      uint32_t n = 0;
      if (poly.monos[i].degree > 64) {
        e = 0;
        break;
      }
      for (uint32_t j = 0; j < poly.monos[i].degree; j++) {
        if (poly.monos[i].atoms[j] != y)
          rest[n++] = poly.monos[i].atoms[j];
      }
      ck_id Q = pv_mono_term(prover, poly.monos[i].coef, rest, n);
      ck_id S = prover->zero;
      N = pv_add(prover, N, pv_mul(prover, power(prover, P, e - deg[i]), Q));
      for (uint32_t r = 0; r < e - deg[i]; r++)
        S = pv_add(prover, S, power(prover, Py, r));
      c = pv_add(prover, c, pv_mul(prover, pv_mul(prover, power(prover, y, deg[i]), Q), S));
    }
    pv_thm thm = e ? zero_thm(prover, ctx, N, depth + 1) : PV_NONE;
    pv_thm u = thm == PV_NONE ? PV_NONE : pv_law(prover, "inv", &P, 1, nonzero);
    pv_summand summand[2] = {{power(prover, y, e), &thm, 1}, {pv_neg(prover, c), &u, 1}};
    if (u != PV_NONE)
      cases = pv_arith(prover, pv_eq(prover, diff, prover->zero), summand, 2);
  }
  free(deg);
  pv_poly_clear(&poly);
  return cases;
}

/* --- conditions */
static ck_id find_cond(pv *prover, ck_id term) {
  const ck_terms *terms = prover->terms;
  if (ck_head(terms, term) == CK_ITE && ck_is_closed(terms, ck_kid(terms, term, 0))) {
    ck_id c = ck_kid(terms, term, 0);
    ck_id in = find_cond(prover, ck_kid(terms, c, 0));
    if (in == CK_BAD)
      in = find_cond(prover, ck_kid(terms, c, 1));
    return in == CK_BAD ? c : in;
  }
  for (uint32_t i = 0, n = ck_nkids(terms, term); i < n; i++) {
    ck_id k = ck_kid(terms, term, i);
    ck_id c = CK_BAD;
    if (ck_is_formula(terms, k)) {
      c = find_cond(prover, ck_kid(terms, k, 0));
      if (c == CK_BAD)
        c = find_cond(prover, ck_kid(terms, k, 1));
    } else {
      c = find_cond(prover, k);
    }
    if (c != CK_BAD)
      return c;
  }
  return CK_BAD;
}

/* an undecided condition in what theorem s says */
static ck_id cond_in(pv *prover, pv_ctx ctx, pv_thm thm) {
  ck_id normal;
  ck_id c = thm == PV_NONE || pv_fact_normal(prover, ctx, thm, &normal) == PV_NONE
                ? CK_BAD
                : find_cond(prover, normal);
  return c == CK_BAD || pv_follows(prover, ctx, c) != PV_NONE ||
                 pv_follows(prover, ctx, ck_neg(prover->terms, c)) != PV_NONE
             ? CK_BAD
             : c;
}

/* an undecided condition in what the hypotheses say of integers, clauses included at what t speaks
 * of.  Of reals it is not sought: that would lead to itself. */
static ck_id fact_cond(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id c = CK_BAD;
  pv_thm inst[4];
  uint32_t n = 0;
  for (pv_ctx x = ctx; x != 0 && c == CK_BAD; x = pv_at(prover, x)->parent) {
    ck_id formula = pv_at(prover, x)->formula;
    ck_id says = formula;
    ck_op head = ck_head(prover->terms, formula);
    if (head == CK_ALL)
      says =
          ck_kid(prover->terms, formula, ck_nkids(prover->terms, formula) - 1); /* the conclusion */
    if (!ck_is_rel(prover->terms, says) ||
        !ck_is_int(prover->terms, ck_kid(prover->terms, says, 0)))
      continue;
    if (head == CK_ALL) {
      n = pv_clause_instances(prover, ctx, pv_at(prover, x)->thm, term, inst, 4);
    } else if (head != CK_NE) {
      n = 1;
      inst[0] = pv_at(prover, x)->thm;
    } else {
      n = 0;
    }
    for (uint32_t i = 0; i < n && c == CK_BAD; i++)
      c = cond_in(prover, ctx, inst[i]);
  }
  return c;
}

typedef pv_thm (*goal_prover)(pv *p, uint32_t cx, ck_id D, uint32_t depth);

/* f(D) in cx, which is `old` with one hypothesis more: where that is a divisibility, with the
 * quotient as a variable */
static pv_thm under(pv *prover, pv_ctx old, pv_ctx ctx, ck_id diff, uint32_t depth, goal_prover f) {
  pv_ctx inner = PV_NONE;
  pv_thm back;
  ck_id q;
  for (pv_ctx link = ctx; link != old && inner == PV_NONE; link = pv_at(prover, link)->parent) {
    if (ck_head(prover->terms, pv_at(prover, link)->formula) == CK_EQ)
      inner = pv_ctx_quotient(prover, ctx, pv_at(prover, link)->thm, &q, &back);
  }
  if (inner == PV_NONE)
    return f(prover, ctx, diff, depth);
  pv_thm thm = f(prover, pv_ctx_refresh(prover, inner), diff, depth);
  pv_var_sub vars = {q, ck_kid(prover->terms, pv_right(prover, back), 1)};
  return pv_inst(prover, thm, &vars, 1, NULL, 0, &back, 1);
}

/* what D says, by cases on c; PV_NONE if c is decided already */
static pv_thm split_on(pv *prover, pv_ctx ctx, ck_id c, ck_id diff, uint32_t depth, goal_prover f) {
  ck_id n;
  pv_thm a;
  pv_thm b;
  if (c == CK_BAD || pv_ctx_find(prover, ctx, c) != PV_NONE || depth >= MAX_SPLITS)
    return PV_NONE;
  n = ck_neg(prover->terms, c);
  if (pv_ctx_find(prover, ctx, n) != PV_NONE)
    return PV_NONE;
  a = under(prover, ctx, pv_ctx_assume(prover, ctx, c), diff, depth + 1, f);
  b = a == PV_NONE ? PV_NONE
                   : under(prover, ctx, pv_ctx_assume(prover, ctx, n), diff, depth + 1, f);
  return b == PV_NONE ? PV_NONE : pv_cases(prover, c, a, b);
}

/* --- atoms with the same head: equal if their arguments are */
static pv_thm atoms_equal(pv *prover, pv_ctx ctx, ck_id a, ck_id b, uint32_t depth) {
  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, a);
  uint32_t n = ck_nkids(terms, a);
  pv_thm premises[16];
  uint32_t np = 0;
  if (head != ck_head(terms, b) || n != ck_nkids(terms, b) || n == 0 || n > 16)
    return PV_NONE;
  if (head == CK_APP &&
      (ck_name(terms, a) != ck_name(terms, b) || ck_sig(terms, a) != ck_sig(terms, b)))
    return PV_NONE;
  if (pv_is_sum(prover, a) && pv_is_sum(prover, b) && ck_kid(terms, a, 0) == ck_kid(terms, b, 0)) {
    ck_id k;
    ck_id N = ck_kid(terms, a, 0);
    pv_ctx inner = pv_ctx_bind(prover, ctx, N, &k);
    return pv_lift_sum(prover, N, k,
                       pv_prove_eq(prover, inner, pv_sum_body(prover, a, k),
                                   pv_sum_body(prover, b, k), depth + 1));
  }
  if (head == CK_FOLD || head == CK_ITE || head == CK_V)
    return PV_NONE;
  for (uint32_t i = 0; i < n; i++) {
    ck_id x = ck_kid(terms, a, i);
    ck_id y = ck_kid(terms, b, i);
    pv_thm thm;
    if (x == y)
      continue;
    thm = pv_prove_eq(prover, ctx, x, y, depth + 1);
    if (thm == PV_NONE)
      return PV_NONE;
    premises[np++] = thm;
  }
  return pv_cong(prover, a, b, premises, np);
}

/* s with b(k) = a(k + s) for closed terms a and b that are alike up to arguments of functions;
 * CK_BAD: none is seen */
static ck_id shift_between(pv *prover, ck_id a, ck_id b, ck_id k) {
  const ck_terms *terms = prover->terms;
  ck_id s = CK_BAD;
  if (a == b || ck_head(terms, a) != ck_head(terms, b) || ck_nkids(terms, a) != ck_nkids(terms, b))
    return CK_BAD;
  for (uint32_t i = 0, n = ck_nkids(terms, a); i < n && s == CK_BAD; i++) {
    ck_id x = ck_kid(terms, a, i);
    ck_id y = ck_kid(terms, b, i);
    if (ck_head(terms, a) == CK_APP && x != y && ck_is_int(terms, x) && ck_is_int(terms, y)) {
      ck_id d = pv_canon(prover, pv_sub(prover, y, x));
      pv_poly poly;
      pv_poly_init(&poly);
      pv_poly_read(prover, &poly, x);
      for (uint32_t j = 0; j < poly.count; j++) {
        if (poly.monos[j].degree == 1 && poly.monos[j].atoms[0] == k &&
            pv_is_one(prover, poly.monos[j].coef) && !ck_has_var(terms, d, k))
          s = d;
      }
      pv_poly_clear(&poly);
    } else {
      s = shift_between(prover, x, y, k);
    }
  }
  return s;
}

/* two sums of one body over different ranges, or of one that is ahead of the other: the longer one
 * cut, the other's start cut off */
static pv_eqn cut_longer(pv *prover, pv_ctx ctx, ck_id a, ck_id b) {
  pv_eqn none = {CK_BAD, PV_NONE};
  pv_eqn result = none;
  ck_id formula;
  if (pv_is_prod(prover, a, &formula) && pv_is_prod(prover, b, &formula) &&
      ck_kid(prover->terms, a, 2) == ck_kid(prover->terms, b, 2)) {
    result = pv_cut_prod(prover, ctx, a, ck_kid(prover->terms, b, 0));
    if (result.by == PV_NONE)
      result = pv_cut_prod(prover, ctx, b, ck_kid(prover->terms, a, 0));
    return result.by == PV_REFL ? none : result;
  }
  if (!pv_is_sum(prover, a) || !pv_is_sum(prover, b))
    return none;
  if (ck_kid(prover->terms, a, 2) == ck_kid(prover->terms, b, 2)) {
    result = pv_cut_sum(prover, ctx, a, ck_kid(prover->terms, b, 0));
    if (result.by == PV_NONE)
      result = pv_cut_sum(prover, ctx, b, ck_kid(prover->terms, a, 0));
  } else {
    ck_id k;
    ck_id s;
    pv_ctx_bind(prover, ctx, ck_kid(prover->terms, a, 0), &k);
    if ((s = shift_between(prover, pv_sum_body(prover, a, k), pv_sum_body(prover, b, k), k)) ==
            CK_BAD ||
        pv_is_zero(prover, s))
      return none;
    pv_eqn end = pv_norm(prover, ctx,
                         pv_sub(prover, pv_sub(prover, ck_kid(prover->terms, a, 0), s),
                                ck_kid(prover->terms, b, 0)));
    if (end.by == PV_NONE || !pv_is_zero(prover, end.to))
      return none; /* they must end together */
    result = pv_cut_sum(prover, ctx, a, s);
    if (result.by == PV_NONE)
      result = pv_cut_sum(prover, ctx, b, pv_canon(prover, pv_neg(prover, s)));
  }
  return result.by == PV_REFL ? none : result;
}

static pv_thm by_atoms(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth) {
  ck_id at[24];
  uint32_t n = 0;
  pv_thm cases = PV_NONE;
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, diff);
  for (uint32_t i = 0; i < poly.count; i++) {
    for (uint32_t j = 0; j < poly.monos[i].degree; j++) {
      ck_id x = poly.monos[i].atoms[j];
      uint32_t k = 0;
      while (k < n && at[k] != x)
        k++;
      if (k == n && n < 24 && ck_nkids(prover->terms, x))
        at[n++] = x;
    }
  }
  pv_poly_clear(&poly);
  for (uint32_t i = 0; i < n && cases == PV_NONE; i++) {
    for (uint32_t j = i + 1; j < n && cases == PV_NONE; j++) {
      pv_eqn c = cut_longer(prover, ctx, at[i], at[j]);
      if (c.by != PV_NONE) {
        ck_id was = pv_left(prover, c.by);
        pv_eqn result = pv_rewrite(prover, diff, &was, &c.by, 1);
        if (result.by != PV_NONE && result.by != PV_REFL)
          cases = through(prover, diff, result, zero_thm(prover, ctx, result.to, depth + 1));
        if (cases != PV_NONE)
          continue;
      }
      pv_thm thm = atoms_equal(prover, ctx, at[i], at[j], depth);
      if (thm == PV_NONE)
        continue;
      pv_poly other;
      pv_poly product;
      pv_poly_init(&other);
      pv_poly_init(&product); /* D with at[i] as at[j] */
      pv_poly_read(prover, &other, diff);
      pv_comb comb;
      pv_comb_init(&comb);
      for (uint32_t l = 0; l < other.count; l++) {
        pv_mono mono = other.monos[l];
        ck_id done[64];
        uint32_t nd = 0;
        if (mono.degree > 64)
          continue;
        for (uint32_t q = 0; q < mono.degree; q++) {
          if (mono.atoms[q] == at[i]) {
            ck_id left = pv_mono_term(prover, mono.coef, done, nd);
            ck_id right =
                pv_mono_term(prover, prover->one, mono.atoms + q + 1, mono.degree - q - 1);
            pv_comb_add(&comb, pv_mul(prover, left, right), thm);
            done[nd++] = at[j];
          } else {
            done[nd++] = mono.atoms[q];
          }
        }
        pv_poly_add_mono(prover, &product, mono.coef, done, nd);
      }
      ck_id R = pv_poly_term(prover, &product);
      pv_eqn eqn = {R, PV_NONE};
      eqn.by = pv_comb_prove(prover, &comb, pv_eq(prover, diff, R));
      pv_poly_clear(&other);
      pv_poly_clear(&product);
      if (eqn.by != PV_NONE)
        cases = through(prover, diff, eqn, zero_thm(prover, ctx, R, depth + 1));
    }
  }
  return cases;
}

/* the first element of a sum over a few literal elements apart */
static pv_thm by_elements(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth) {
  enum { FEW = 8 };

  pv_poly poly;
  ck_id at = CK_BAD;
  pv_thm thm = PV_NONE;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, diff);
  for (uint32_t i = 0; i < poly.count && at == CK_BAD; i++) {
    for (uint32_t j = 0; j < poly.monos[i].degree && at == CK_BAD; j++) {
      ck_id x = poly.monos[i].atoms[j];
      ck_id n = pv_is_sum(prover, x) ? ck_kid(prover->terms, x, 0) : CK_BAD;
      if (n != CK_BAD && pv_is_const(prover, n) &&
          mpq_cmp_ui(*ck_q_value(prover->terms, n), 1, 1) > 0 &&
          mpq_cmp_ui(*ck_q_value(prover->terms, n), FEW, 1) <= 0)
        at = x;
    }
  }
  pv_poly_clear(&poly);
  if (at == CK_BAD)
    return PV_NONE;
  pv_eqn c = pv_cut_sum(prover, ctx, at, prover->one);
  if (c.by != PV_NONE && c.by != PV_REFL) {
    ck_id was = pv_left(prover, c.by);
    pv_eqn result = pv_rewrite(prover, diff, &was, &c.by, 1);
    if (result.by != PV_NONE && result.by != PV_REFL)
      thm = through(prover, diff, result, zero_thm(prover, ctx, result.to, depth + 1));
  }
  return thm;
}

/* D = 0 for a normal D without conditions outside of folds */
static pv_thm leaf(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth) {
  ck_id goal = pv_eq(prover, diff, prover->zero);
  ck_id c;
  pv_thm thm = PV_NONE;
  if (ck_is_int(prover->terms, diff))
    thm = pv_follows(prover, ctx, goal);
  if (thm == PV_NONE)
    thm = by_atoms(prover, ctx, diff, depth);
  if (thm == PV_NONE && (depth > 0 || ck_is_int(prover->terms, diff)))
    thm = pv_lp_prove_within(prover, ctx, goal);
  if (thm == PV_NONE)
    thm = pv_from_zero_below_zero(prover, goal, pv_lp_contradiction(prover, ctx));
  if (thm == PV_NONE)
    thm = by_elements(prover, ctx, diff, depth);
  if (thm == PV_NONE && ((c = pv_range_cond(prover, ctx, diff)) != CK_BAD ||
                         (c = fact_cond(prover, ctx, diff)) != CK_BAD)) {
    thm = split_on(prover, ctx, c, diff, depth, zero_thm);
  } else if (thm == PV_NONE && prover->tightened < MAX_TIGHTENED && depth < MAX_SPLITS) {
    pv_ctx inner;
    prover->tightened++;
    if ((inner = pv_ctx_tighten(prover, ctx)) != ctx)
      thm = zero_thm(prover, inner, diff, depth + 1);
  }
  return thm;
}

/* D = 0 */
static pv_thm zero_thm(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth) {
  pv_eqn eqn;
  pv_poly poly;
  pv_thm thm = PV_NONE;
  if (depth > MAX_SPLITS || pv_spent(prover))
    return PV_NONE;
  eqn = pv_norm(prover, ctx, diff);
  if (eqn.by == PV_NONE)
    return PV_NONE;
  if (pv_is_zero(prover, eqn.to))
    return through(prover, diff, eqn,
                   pv_identity(prover, pv_eq(prover, prover->zero, prover->zero)));
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, eqn.to);
  for (uint32_t i = 0; i < poly.count && thm == PV_NONE; i++) {
    for (uint32_t j = 0; j < poly.monos[i].degree && thm == PV_NONE; j++) {
      ck_id y = poly.monos[i].atoms[j];
      if (ck_head(prover->terms, y) == CK_INV && depth < 5) {
        thm = without_inverse(prover, ctx, eqn.to, y, depth);
        if (thm == PV_NONE)
          i = poly.count;
        break;
      }
    }
  }
  pv_poly_clear(&poly);
  ck_id c = find_cond(prover, eqn.to);
  if (c != CK_BAD)
    thm = split_on(prover, ctx, c, eqn.to, depth, zero_thm);
  if (thm == PV_NONE && c == CK_BAD)
    thm = leaf(prover, ctx, eqn.to, depth);
  return through(prover, diff, eqn, thm);
}

pv_thm pv_prove_eq(pv *prover, pv_ctx ctx, ck_id a, ck_id b, uint32_t depth) {
  if (a == b)
    return pv_refl(prover, a);
  pv_eqn x = pv_norm(prover, ctx, a);
  pv_eqn y = pv_norm(prover, ctx, b);
  pv_thm thm = PV_REFL;
  if (x.by == PV_NONE || y.by == PV_NONE)
    return PV_NONE;
  if (x.to != y.to) {
    ck_id diff = pv_sub(prover, x.to, y.to);
    thm = zero_thm(prover, ctx, diff, depth);
    if (thm == PV_NONE)
      return PV_NONE;
    thm = pv_scaled(prover, pv_eq(prover, x.to, y.to), prover->one, thm);
  }
  thm = pv_trans(prover, pv_trans(prover, x.by, thm), pv_sym(prover, y.by));
  return thm;
}

/* a relation other than an equation, by cases where its sides have conditions */
static pv_thm rel_cases(pv *prover, pv_ctx ctx, ck_id formula, uint32_t depth) {
  pv_thm thm = pv_follows(prover, ctx, formula);
  ck_id c;
  if (thm != PV_NONE || depth > MAX_SPLITS || pv_spent(prover))
    return thm;
  pv_eqn eqn =
      pv_norm(prover, ctx,
              pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0)));
  if (eqn.by == PV_NONE)
    return PV_NONE;
  if ((c = find_cond(prover, eqn.to)) != CK_BAD)
    return split_on(prover, ctx, c, formula, depth, rel_cases);
  thm = pv_by_clause(prover, ctx, formula);
  if (thm == PV_NONE)
    thm = pv_from_zero_below_zero(prover, formula, pv_lp_contradiction(prover, ctx));
  if (thm == PV_NONE && ((c = pv_clause_cond(prover, ctx, formula)) != CK_BAD ||
                         (c = pv_range_cond(prover, ctx, eqn.to)) != CK_BAD ||
                         (c = fact_cond(prover, ctx, eqn.to)) != CK_BAD))
    thm = split_on(prover, ctx, c, formula, depth, rel_cases);
  return thm;
}

/* a variable that the hypotheses leave two or three values: the condition that it is less than the
 * greatest; CK_BAD: there is none */
static ck_id few_values(pv *prover, pv_ctx ctx) {
  enum { SPAN = 2 };

  for (pv_ctx h = ctx; h != 0; h = pv_at(prover, h)->parent) {
    ck_id formula = pv_at(prover, h)->formula;
    ck_id x;
    ck_id top;
    ck_id less;
    ck_op head = ck_head(prover->terms, formula);
    if ((head != CK_LE && head != CK_LT) ||
        ck_head(prover->terms, x = ck_kid(prover->terms, formula, 0)) != CK_V ||
        !pv_is_const(prover, ck_kid(prover->terms, formula, 1)) ||
        !ck_is_int(prover->terms, formula = ck_kid(prover->terms, formula, 1)))
      continue;
    top = head == CK_LE ? formula : pv_const_add(prover, formula, pv_num(prover, -1));
    less = pv_lt(prover, x, top);
    if (pv_follows(prover, ctx, less) != PV_NONE ||
        pv_follows(prover, ctx, ck_neg(prover->terms, less)) != PV_NONE)
      continue;
    if (pv_follows(prover, ctx,
                   pv_le(prover, pv_const_add(prover, top, pv_num(prover, -SPAN)), x)) != PV_NONE)
      return less;
  }
  return CK_BAD;
}

static pv_thm goal_in(pv *prover, pv_ctx ctx, ck_id formula, uint32_t depth) {
  pv_thm thm;
  ck_id c;
  if ((thm = pv_by_clause(prover, ctx, formula)) != PV_NONE)
    return thm;
  if (ck_head(prover->terms, formula) == CK_EQ && depth < 6 &&
      (c = fact_cond(prover, ctx, prover->zero)) != CK_BAD) {
    if (depth == 0) { /* conditions in what the indices are said to be: with most of the effort
                         without them, else by cases on them first */
      uint64_t most = prover->max_work;
      prover->max_work = prover->work < most ? prover->work + (most - prover->work) / 4 * 3 : most;
      thm = pv_prove_eq(prover, ctx, ck_kid(prover->terms, formula, 0),
                        ck_kid(prover->terms, formula, 1), depth);
      prover->max_work = most;
      if (thm != PV_NONE)
        return thm;
    }
    return split_on(prover, ctx, c, formula, depth, goal_in);
  }
  if (depth < 6 && (c = few_values(prover, ctx)) != CK_BAD)
    return split_on(prover, ctx, c, formula, depth, goal_in);
  if (ck_head(prover->terms, formula) == CK_EQ)
    return pv_prove_eq(prover, ctx, ck_kid(prover->terms, formula, 0),
                       ck_kid(prover->terms, formula, 1), depth);
  return rel_cases(prover, ctx, formula, depth);
}

/* divisibilities among the hypotheses first */
static pv_thm with_quotients(pv *prover, pv_ctx ctx, ck_id formula, uint32_t depth) {
  for (pv_ctx link = ctx; link != 0 && depth < 6; link = pv_at(prover, link)->parent) {
    ck_id q;
    ck_id normal;
    pv_thm back;
    pv_ctx inner = PV_NONE;
    if (ck_head(prover->terms, pv_at(prover, link)->formula) == CK_EQ &&
        pv_fact_normal(prover, ctx, pv_at(prover, link)->thm, &normal) != PV_NONE &&
        !pv_is_zero(prover, normal))
      inner = pv_ctx_quotient(prover, ctx, pv_at(prover, link)->thm, &q, &back);
    if (inner == PV_NONE)
      continue;
    pv_thm thm = with_quotients(prover, pv_ctx_derive(prover, inner), formula, depth + 1);
    pv_var_sub vars = {q, ck_kid(prover->terms, pv_right(prover, back), 1)};
    return pv_inst(prover, thm, &vars, 1, NULL, 0, &back, 1);
  }
  return goal_in(prover, ctx, formula, 0);
}

pv_thm pv_prove_goal(pv *prover, pv_ctx ctx, ck_id formula) {
  pv_thm thm = pv_ctx_find(prover, ctx, formula);
  if (thm != PV_NONE)
    return thm;
  prover->tightened = 0;
  return ck_head(prover->terms, formula) == CK_ALL || pv_too_big(prover, formula)
             ? PV_NONE
             : with_quotients(prover, pv_ctx_derive(prover, ctx), formula, 0);
}
