/* Ways to an equation between normal forms: exponentials equal if their exponents are, sums over
 * one range taken together, and what clauses say as rewrite rules. */
#include "pv_folds.h"
#include "pv_order.h"

/* a monomial's exponentials apart: what they are of, added up; *rest: the other factors.  CK_BAD:
 * it has none */
static ck_id exponent_of(pv *prover, const pv_mono *mono, ck_id *rest) {
  ck_id exponent = CK_BAD;
  *rest = prover->one;
  for (uint32_t i = 0; i < mono->degree; i++) {
    ck_id atom = mono->atoms[i];
    bool inverse = ck_head(prover->terms, atom) == CK_INV;
    ck_id power = inverse ? ck_kid(prover->terms, atom, 0) : atom;
    if (ck_head(prover->terms, power) != CK_EXP) {
      *rest = pv_mul(prover, *rest, atom);
      continue;
    }
    ck_id part = ck_kid(prover->terms, power, 0);
    part = inverse ? pv_neg(prover, part) : part;
    exponent = exponent == CK_BAD ? part : pv_add(prover, exponent, part);
  }
  return exponent;
}

/* D = c*(M - N), both products of exponentials beside the same factors: equal if the exponents are
 */
pv_thm pv_by_exponents(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth) {
  pv_poly poly;
  ck_id exponent[2] = {CK_BAD, CK_BAD};
  ck_id rest[2];
  ck_id side[2] = {CK_BAD, CK_BAD};
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, diff);
  bool fits = poly.count == 2;
  ck_id scale = fits ? poly.monos[0].coef : CK_BAD;
  fits = fits && poly.monos[1].coef == pv_const_mul(prover, scale, pv_num(prover, -1));
  for (uint32_t i = 0; i < 2 && fits; i++) {
    exponent[i] = exponent_of(prover, &poly.monos[i], &rest[i]);
    side[i] = pv_mono_term(prover, prover->one, poly.monos[i].atoms, poly.monos[i].degree);
    exponent[i] = exponent[i] == CK_BAD ? prover->zero : exponent[i];
  }
  pv_poly_clear(&poly);
  if (!fits || pv_canon(prover, rest[0]) != pv_canon(prover, rest[1]))
    return PV_NONE;
  pv_thm same = pv_prove_eq(prover, ctx, exponent[0], exponent[1], depth + 1);
  if (same == PV_NONE)
    return PV_NONE;
  pv_thm powers =
      pv_cong(prover, pv_exp(prover, exponent[0]), pv_exp(prover, exponent[1]), &same, 1);
  pv_comb comb;
  pv_comb_init(&comb); /* M = r*exp e = r*exp f = N */
  for (uint32_t i = 0; i < 2; i++) {
    ck_id joined = pv_mul(prover, rest[0], pv_exp(prover, exponent[i]));
    pv_eqn apart = pv_norm(prover, ctx, joined);
    if (apart.by == PV_NONE || apart.to != pv_canon(prover, side[i])) {
      pv_comb_clear(&comb);
      return PV_NONE;
    }
    pv_comb_add(&comb, i ? scale : pv_const_mul(prover, scale, pv_num(prover, -1)), apart.by);
  }
  pv_comb_add(&comb, pv_mul(prover, scale, rest[0]), powers);
  return pv_comb_prove(prover, &comb, pv_eq(prover, diff, prover->zero));
}

/* a sum over the bound among the monomial's atoms; PV_NONE: there is none */
static uint32_t sum_over(pv *prover, const pv_mono *mono, ck_id bound) {
  for (uint32_t i = 0; i < mono->degree; i++) {
    if (pv_is_sum(prover, mono->atoms[i]) &&
        (bound == CK_BAD || ck_kid(prover->terms, mono->atoms[i], 0) == bound))
      return i;
  }
  return PV_NONE;
}

ck_id pv_one_sum(pv *prover, pv_ctx ctx, ck_id term, ck_id *counter) {
  pv_poly poly;
  ck_id bound = CK_BAD;
  ck_id body = CK_BAD;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, term);
  bool fits = poly.count >= 2;
  for (uint32_t i = 0; i < poly.count && fits; i++) {
    const pv_mono *mono = &poly.monos[i];
    uint32_t at = sum_over(prover, mono, bound);
    fits = at != PV_NONE && mono->degree <= 32;
    if (!fits)
      break;
    ck_id sum = mono->atoms[at];
    if (bound == CK_BAD) {
      bound = ck_kid(prover->terms, sum, 0);
      pv_ctx_bind(prover, ctx, bound, counter);
    }
    ck_id rest[32];
    int degree = pv_mono_div(mono->atoms, mono->degree, &sum, 1, rest);
    ck_id part = pv_mul(prover, pv_mono_term(prover, mono->coef, rest, (uint32_t)degree),
                        pv_sum_body(prover, sum, *counter));
    body = body == CK_BAD ? part : pv_add(prover, body, part);
  }
  pv_poly_clear(&poly);
  return fits ? pv_sum(prover, bound, *counter, body) : CK_BAD;
}

pv_thm pv_by_one_sum(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth) {
  enum { DEEPEST = 3 };

  ck_id k;
  if (depth > DEEPEST ||
      pv_poly_monomials(prover, diff) < 3) /* of two the bodies are compared anyway */
    return PV_NONE;
  ck_id whole = pv_one_sum(prover, ctx, diff, &k);
  if (whole == CK_BAD)
    return PV_NONE;
  ck_id bound = ck_kid(prover->terms, whole, 0);
  pv_eqn apart = pv_norm(prover, ctx, whole);
  if (apart.by == PV_NONE || apart.to != diff)
    return PV_NONE;
  pv_ctx inner = pv_ctx_bind(prover, ctx, bound, &k);
  pv_thm none = pv_lift_sum(
      prover, bound, k,
      pv_prove_eq(prover, inner, pv_sum_body(prover, whole, k), prover->zero, depth + 1));
  if (none == PV_NONE)
    return PV_NONE;
  pv_eqn zeros = pv_norm(prover, ctx, pv_right(prover, none));
  if (zeros.by == PV_NONE || !pv_is_zero(prover, zeros.to))
    return PV_NONE;
  return pv_trans(prover, pv_trans(prover, pv_sym(prover, apart.by), none), zeros.by);
}

/* a quotient whose dividend speaks of k and that an index or a condition in the term has */
static ck_id quotient_in(const pv *prover, ck_id term, ck_id k) {
  const ck_terms *terms = prover->terms;
  if (!ck_has_var(terms, term, k))
    return CK_BAD;
  if (ck_head(terms, term) == CK_DIV)
    return term;
  ck_id found = CK_BAD;
  for (uint32_t i = 0, n = ck_nkids(terms, term); i < n && found == CK_BAD; i++)
    found = quotient_in(prover, ck_kid(terms, term, i), k);
  return found;
}

/* the product without its factors that are conditions, 0 or 1; CK_BAD: it is none */
static ck_id without_conditions(pv *prover, ck_id product) {
  ck_id kept[32];
  uint32_t n = 0;
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, product);
  bool fits = poly.count == 1 && poly.monos[0].degree <= 32;
  for (uint32_t i = 0; fits && i < poly.monos[0].degree; i++) {
    if (ck_head(prover->terms, poly.monos[0].atoms[i]) != CK_ITE)
      kept[n++] = poly.monos[0].atoms[i];
  }
  ck_id rest = fits ? pv_mono_term(prover, poly.monos[0].coef, kept, n) : CK_BAD;
  pv_poly_clear(&poly);
  return rest;
}

/* 1 where 0 = value, else 0 */
static ck_id where_zero(pv *prover, ck_id value) {
  return ck_ite(prover->terms, pv_eq(prover, prover->zero, value), prover->one, prover->zero);
}

/* the quotient where an index that reads by it, s*q + r with s = 1 or -1, is h; CK_BAD: there is no
 * such index */
static ck_id value_at(pv *prover, ck_id term, ck_id quotient, ck_id h) {
  const ck_terms *terms = prover->terms;
  ck_id found = CK_BAD;
  for (uint32_t i = 0, n = ck_nkids(terms, term); i < n && found == CK_BAD; i++) {
    ck_id kid = ck_kid(terms, term, i);
    ck_id slope;
    ck_id rest;
    if (ck_head(terms, term) != CK_APP || !ck_is_int(terms, kid))
      found = ck_is_formula(terms, kid) ? CK_BAD : value_at(prover, kid, quotient, h);
    else if (pv_poly_linear(prover, kid, quotient, &slope, &rest) &&
             (pv_is_one(prover, slope) || slope == pv_num(prover, -1)))
      found = pv_canon(prover, pv_mul(prover, slope, pv_sub(prover, h, rest)));
  }
  return found;
}

/* sum(k < n) B, where B has a quotient q = a div c and is 0 but where c divides a and 0 <= q < m,
 * as sum(k < n) sum(h < m) D: D is B without its conditions, and with h for q, where
 * c*h = a, and 0 elsewhere (h: what the index is that reads by q) */
static pv_eqn over_quotients(pv *prover, pv_ctx ctx, ck_id sum, ck_id m, uint32_t depth) {
  ck_id k;
  ck_id h;
  pv_ctx outer = pv_ctx_bind(prover, ctx, ck_kid(prover->terms, sum, 0), &k);
  pv_ctx inner = pv_ctx_bind(prover, outer, m, &h);
  ck_id body = pv_sum_body(prover, sum, k);
  ck_id quotient = quotient_in(prover, body, k);
  ck_id value = quotient == CK_BAD ? CK_BAD : value_at(prover, body, quotient, h);
  ck_id bare = value == CK_BAD ? CK_BAD : without_conditions(prover, body);
  ck_id there = bare == CK_BAD ? CK_BAD : pv_replaced(prover, bare, quotient, value);
  if (there == CK_BAD)
    return pv_fail();
  ck_id dividend = ck_kid(prover->terms, quotient, 0);
  ck_id divisor = ck_kid(prover->terms, quotient, 1);
  ck_id exact = where_zero(prover, pv_sub(prover, dividend, pv_mul(prover, divisor, quotient)));
  ck_id chosen = pv_mul(prover, exact,
                        pv_mul(prover, where_zero(prover, pv_sub(prover, value, quotient)), there));
  ck_id met = pv_mul(
      prover, where_zero(prover, pv_sub(prover, pv_mul(prover, divisor, value), dividend)), there);
  ck_id choice = pv_sum(prover, m, h, chosen);
  pv_thm taken = pv_prove_eq(prover, outer, body, choice, depth);
  pv_thm same = taken == PV_NONE ? PV_NONE : pv_prove_eq(prover, inner, chosen, met, depth);
  pv_thm thm = same == PV_NONE ? PV_NONE : pv_trans(prover, taken, pv_lift_sum(prover, m, h, same));
  thm = pv_lift_sum(prover, ck_kid(prover->terms, sum, 0), k, thm);
  return thm == PV_NONE || thm == PV_REFL ? pv_fail() : (pv_eqn){pv_right(prover, thm), thm};
}

/* sum(i < n) sum(j < m) f as sum(j < m) sum(i < n) f */
static pv_eqn exchanged(pv *prover, pv_ctx ctx, ck_id sum) {
  ck_id counter[2];
  ck_id n = ck_kid(prover->terms, sum, 0);
  pv_ctx outer = pv_ctx_bind(prover, ctx, n, &counter[0]);
  ck_id within = pv_sum_body(prover, sum, counter[0]);
  ck_id m = ck_kid(prover->terms, within, 0);
  pv_ctx_bind(prover, outer, m, &counter[1]);
  ck_fsub body = pv_fun2_sub(prover, "f2", counter, pv_sum_body(prover, within, counter[1]));
  pv_var_sub vars[2] = {{pv_int_var(prover, "n"), n}, {pv_int_var(prover, "m"), m}};
  pv_thm ranges[2] = {pv_follows(prover, ctx, pv_ge0(prover, n)),
                      pv_follows(prover, ctx, pv_ge0(prover, m))};
  pv_thm thm = pv_use_lemma(prover, PV_SUM_EXCHANGE, vars, 2, &body, 1, ranges, 2);
  return thm == PV_NONE ? pv_fail() : (pv_eqn){pv_right(prover, thm), thm};
}

/* two sums of sums over the same ranges, by their bodies */
static pv_thm same_double_sum(pv *prover, pv_ctx ctx, ck_id left, ck_id right, uint32_t depth) {
  ck_id i;
  ck_id j;
  ck_id n = ck_kid(prover->terms, left, 0);
  pv_ctx outer = pv_ctx_bind(prover, ctx, n, &i);
  ck_id within[2] = {pv_sum_body(prover, left, i), pv_sum_body(prover, right, i)};
  ck_id m = ck_kid(prover->terms, within[0], 0);
  pv_ctx inner = pv_ctx_bind(prover, outer, m, &j);
  pv_thm same = pv_prove_eq(prover, inner, pv_sum_body(prover, within[0], j),
                            pv_sum_body(prover, within[1], j), depth);
  return pv_lift_sum(prover, n, i, pv_lift_sum(prover, m, j, same));
}

pv_thm pv_by_quotients(pv *prover, pv_ctx ctx, ck_id left, ck_id right, uint32_t depth) {
  enum { DEEPEST = 2 };

  ck_id k = pv_int_var(prover, "$$k");
  ck_id bound[2] = {ck_kid(prover->terms, left, 0), ck_kid(prover->terms, right, 0)};
  if (depth > DEEPEST || bound[0] == bound[1] ||
      quotient_in(prover, pv_sum_body(prover, left, k), k) == CK_BAD ||
      quotient_in(prover, pv_sum_body(prover, right, k), k) == CK_BAD)
    return PV_NONE;
  pv_eqn one_side = over_quotients(prover, ctx, left, bound[1], depth + 1);
  pv_eqn other =
      one_side.by == PV_NONE ? pv_fail() : over_quotients(prover, ctx, right, bound[0], depth + 1);
  if (other.by == PV_NONE)
    return PV_NONE;
  other = pv_then(prover, other, exchanged(prover, ctx, other.to));
  pv_thm same = other.by == PV_NONE
                    ? PV_NONE
                    : same_double_sum(prover, ctx, one_side.to, other.to, depth + 1);
  return pv_trans(prover, one_side.by, pv_trans(prover, same, pv_sym(prover, other.by)));
}

/* the context with the equations of reals that its clauses say of what the term speaks of, which
 * then serve as rewrite rules */
pv_ctx pv_ctx_equations(pv *prover, pv_ctx ctx, ck_id term) {
  enum { MOST = 8 };

  pv_ctx top = ctx;
  for (pv_ctx link = top; link != 0; link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    if (ck_head(prover->terms, formula) != CK_ALL)
      continue;
    ck_id says = ck_kid(prover->terms, formula, ck_nkids(prover->terms, formula) - 1);
    if (ck_head(prover->terms, says) != CK_EQ ||
        (ck_is_int(prover->terms, ck_kid(prover->terms, says, 0)) &&
         ck_is_int(prover->terms, ck_kid(prover->terms, says, 1))))
      continue;
    pv_thm instances[MOST];
    uint32_t n = pv_clause_instances(prover, top, pv_at(prover, link)->thm, term, instances, MOST);
    for (uint32_t i = 0; i < n; i++) {
      ck_id normal;
      pv_thm thm = pv_fact_normal(prover, top, instances[i], &normal);
      if (thm != PV_NONE && !pv_is_const(prover, normal) &&
          pv_ctx_find(prover, ctx, pv_says(prover, thm)) == PV_NONE)
        ctx = pv_ctx_know(prover, ctx, thm);
    }
  }
  return ctx;
}
