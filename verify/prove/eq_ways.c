/* Ways to an equation between normal forms: exponentials equal if their exponents are, sums over
 * one range taken together, and what clauses say as rewrite rules. */
#include "pv_folds.h"

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
  ck_id whole = depth <= DEEPEST ? pv_one_sum(prover, ctx, diff, &k) : CK_BAD;
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
