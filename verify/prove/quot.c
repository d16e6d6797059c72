/* Normal form of quotients.  a div b is q + r div b where a = b*q + r and b does not divide what is
 * left in r; it is q where r is known to be in range.  Remainders become a - b*(a div b). */
#include "pv_digits.h"
#include "src/base/mem.h"
#include <stdlib.h>

/* the monomial of b by which dividing ends: of the highest degree, the greatest in the order */
static const pv_mono *leading(pv *prover, const pv_poly *poly) {
  const pv_mono *mono = &poly->monos[0];
  for (uint32_t i = 1; i < poly->count; i++) {
    const pv_mono *other = &poly->monos[i];
    if (other->degree > mono->degree ||
        (other->degree == mono->degree &&
         pv_order(prover, pv_mono_term(prover, prover->one, other->atoms, other->degree),
                  pv_mono_term(prover, prover->one, mono->atoms, mono->degree)) > 0))
      mono = other;
  }
  return mono;
}

/* the whole part of c/d for constants, the divisor's sign aside; rounded down if `floors` */
static ck_id whole(pv *prover, ck_id coef, ck_id divisor, bool floors) {
  mpq_t quotient;
  mpq_t denominator;
  mpz_t floor;
  ck_id result = prover->zero;
  mpq_inits(quotient, denominator, NULL);
  mpz_init(floor);
  mpq_set(quotient, *ck_q_value(prover->terms, coef));
  mpq_set(denominator, *ck_q_value(prover->terms, divisor));
  mpq_div(quotient, quotient, denominator);
  if (floors || mpz_cmp_ui(mpq_denref(quotient), 1) == 0) {
    mpz_fdiv_q(floor, mpq_numref(quotient), mpq_denref(quotient));
    mpq_set_z(quotient, floor);
    result = pv_rational(prover, quotient);
  }
  mpq_clears(quotient, denominator, NULL);
  mpz_clear(floor);
  return result;
}

/* a = b*q + r */
static void divide(pv *prover, const pv_poly *dividend, const pv_poly *divisor, pv_poly *quotient,
                   pv_poly *r) {
  const pv_mono *lead = leading(prover, divisor);
  bool constant = divisor->count == 1 && lead->degree == 0;
  pv_poly_clear(quotient);
  pv_poly_clear(r);
  pv_poly_add(prover, r, dividend, prover->one);
  for (int rounds = 0; rounds < 24; rounds++) {
    bool hit = false;
    for (uint32_t i = 0; i < r->count && !hit; i++) {
      ck_id *rest = as_malloc((r->monos[i].degree + 1) * sizeof *rest);
      int degree =
          pv_mono_div(r->monos[i].atoms, r->monos[i].degree, lead->atoms, lead->degree, rest);
      ck_id coef =
          degree < 0 ? prover->zero : whole(prover, r->monos[i].coef, lead->coef, constant);
      if (coef != prover->zero) {
        pv_poly shifted;
        pv_poly_init(&shifted);
        pv_poly_add_mono(prover, quotient, coef, rest, (uint32_t)degree);
        pv_poly_mul_mono(prover, &shifted, divisor, pv_const_mul(prover, coef, pv_num(prover, -1)),
                         rest, (uint32_t)degree);
        pv_poly_add(prover, r, &shifted, prover->one);
        pv_poly_clear(&shifted);
        hit = true;
      }
      free(rest);
    }
    if (!hit)
      return;
  }
}

ck_id pv_rest_of_division(pv *prover, ck_id a, ck_id b) {
  pv_poly poly;
  pv_poly other;
  pv_poly quotient;
  pv_poly rest;
  ck_id term;
  pv_poly_init(&poly);
  pv_poly_init(&other);
  pv_poly_init(&quotient);
  pv_poly_init(&rest);
  pv_poly_read(prover, &poly, a);
  pv_poly_read(prover, &other, b);
  if (other.count)
    divide(prover, &poly, &other, &quotient, &rest);
  term = quotient.count ? pv_poly_term(prover, &rest) : CK_BAD;
  pv_poly_clear(&poly);
  pv_poly_clear(&other);
  pv_poly_clear(&quotient);
  pv_poly_clear(&rest);
  return term != CK_BAD && ck_is_int(prover->terms, term) ? term : CK_BAD;
}

/* a div b = qt for a = b*qt + rt with rt in range */
static pv_eqn exact(pv *prover, pv_ctx ctx, ck_id dividend, ck_id divisor, ck_id quotient,
                    ck_id rest) {
  pv_eqn eqn = {quotient, PV_NONE};
  pv_thm premises[3];
  if (pv_is_const(prover, rest) && pv_const_sign(prover, rest) < 0)
    return eqn;
  premises[0] = pv_follows(prover, ctx, pv_ge0(prover, rest));
  premises[1] =
      premises[0] == PV_NONE ? PV_NONE : pv_follows(prover, ctx, pv_lt(prover, rest, divisor));
  if (premises[1] == PV_NONE)
    return eqn;
  premises[2] = pv_identity(
      prover, pv_eq(prover, dividend, pv_add(prover, pv_mul(prover, divisor, quotient), rest)));
  eqn.by = pv_divided(prover, dividend, divisor, quotient, rest, premises);
  return eqn;
}

/* a div b = qt + rt div b for a = b*qt + rt */
static pv_eqn partial(pv *prover, ck_id dividend, ck_id divisor, ck_id quotient, ck_id rest,
                      pv_thm divisor_pos) {
  ck_id args[2] = {rest, divisor};
  ck_id rest_div = ck_mk2(prover->terms, CK_DIV, rest, divisor);
  ck_id rest_mod = ck_mk2(prover->terms, CK_MOD, rest, divisor);
  ck_id sum = pv_add(prover, quotient, rest_div);
  pv_eqn eqn = {sum, PV_NONE};
  pv_thm premises[3];
  pv_thm law = pv_law(prover, "div", args, 2, divisor_pos);
  premises[0] = pv_law(prover, "mod>", args, 2, divisor_pos);
  premises[1] = pv_law(prover, "mod<", args, 2, divisor_pos);
  premises[2] = pv_scaled(
      prover, pv_eq(prover, dividend, pv_add(prover, pv_mul(prover, divisor, sum), rest_mod)),
      prover->one, law);
  eqn.by = pv_divided(prover, dividend, divisor, sum, rest_mod, premises);
  return eqn;
}

/* a div b = c for a = b*c + r by the equations of the context */
static pv_eqn by_equation(pv *prover, pv_ctx ctx, ck_id dividend, ck_id divisor, ck_id quotient,
                          ck_id rest) {
  ck_id product = pv_add(prover, pv_mul(prover, divisor, quotient), rest);
  pv_eqn eqn = {quotient, PV_NONE};
  pv_thm premises[3];
  premises[2] = pv_follows_int(prover, ctx, pv_eq(prover, dividend, product));
  premises[0] = pv_follows(prover, ctx, pv_ge0(prover, rest));
  premises[1] = pv_follows(prover, ctx, pv_lt(prover, rest, divisor));
  if (premises[2] == PV_NONE || premises[1] == PV_NONE || premises[0] == PV_NONE)
    return eqn;
  eqn.by = pv_divided(prover, dividend, divisor, quotient, rest, premises);
  return eqn;
}

/* what is a multiple by the equations of the context, or one less: (b*c - 1) div b = c - 1 */
static pv_eqn of_multiple(pv *prover, pv_ctx ctx, ck_id dividend, ck_id divisor, ck_id term) {
  ck_id one = prover->one;
  for (int less = 0; less < 2; less++) {
    ck_id multiple = less ? pv_canon(prover, pv_add(prover, dividend, one)) : dividend;
    ck_id by_sizes = pv_size_quotient(prover, ctx, multiple, divisor);
    if (by_sizes == CK_BAD || pv_occurs(prover, by_sizes, term))
      continue;
    ck_id quotient = less ? pv_canon(prover, pv_sub(prover, by_sizes, one)) : by_sizes;
    ck_id rest = less ? pv_canon(prover, pv_sub(prover, divisor, one)) : prover->zero;
    pv_eqn found = by_equation(prover, ctx, dividend, divisor, quotient, rest);
    if (found.by != PV_NONE)
      return found;
  }
  return (pv_eqn){CK_BAD, PV_NONE};
}

/* (x div b) div a = x div (b*a) for 0 < a, 0 < b: x = (b*a)*Q + b*m + r with r = x mod b, m = (x
 * div b) mod a */
pv_eqn pv_nested_quotient(pv *prover, pv_ctx ctx, ck_id inner_div, ck_id divisor, pv_thm ap) {
  ck_id dividend = ck_kid(prover->terms, inner_div, 0);
  ck_id inner_divisor = ck_kid(prover->terms, inner_div, 1);
  ck_id inner_args[2] = {dividend, inner_divisor};
  ck_id outer_args[2] = {inner_div, divisor};
  ck_id outer_div = ck_mk2(prover->terms, CK_DIV, inner_div, divisor);
  ck_id outer_mod = ck_mk2(prover->terms, CK_MOD, inner_div, divisor);
  ck_id inner_mod = ck_mk2(prover->terms, CK_MOD, dividend, inner_divisor);
  bool constants = pv_is_const(prover, inner_divisor) && pv_is_const(prover, divisor);
  ck_id both = constants ? pv_const_mul(prover, inner_divisor, divisor)
                         : pv_mul(prover, inner_divisor, divisor);
  ck_id rest = pv_add(prover, pv_mul(prover, inner_divisor, outer_mod), inner_mod);
  ck_id term = ck_mk2(prover->terms, CK_DIV, dividend, both);
  pv_thm divisor_pos = pv_follows(prover, ctx, pv_gt0(prover, inner_divisor));
  pv_thm premises[3];
  pv_eqn eqn = {term, PV_NONE};
  if (divisor_pos == PV_NONE)
    return eqn;
  pv_thm inner_law = pv_law(prover, "div", inner_args, 2, divisor_pos);
  pv_thm outer_law = pv_law(prover, "div", outer_args, 2, ap);
  pv_thm outer_low = pv_law(prover, "mod>", outer_args, 2, ap);
  pv_thm outer_high = pv_tighten(prover, pv_law(prover, "mod<", outer_args, 2, ap));
  pv_thm inner_low = pv_law(prover, "mod>", inner_args, 2, divisor_pos);
  pv_thm inner_high = pv_law(prover, "mod<", inner_args, 2, divisor_pos);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, divisor_pos, outer_low);
  pv_comb_add(&comb, prover->one, inner_low);
  premises[0] = pv_comb_prove(prover, &comb, pv_ge0(prover, rest));
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, divisor_pos, outer_high);
  pv_comb_add(&comb, prover->one, inner_high); /* b*(a - m - 1) + (b - r) */
  premises[1] = pv_comb_prove(prover, &comb, pv_lt(prover, rest, both));
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, inner_law);
  pv_comb_add(&comb, inner_divisor, outer_law);
  premises[2] =
      pv_comb_prove(prover, &comb,
                    pv_eq(prover, dividend, pv_add(prover, pv_mul(prover, both, outer_div), rest)));
  eqn.by = pv_sym(prover, pv_divided(prover, dividend, both, outer_div, rest, premises));
  return eqn;
}

pv_eqn pv_unnested(pv *prover, pv_ctx ctx, ck_id term) {
  ck_terms *terms = prover->terms;
  bool remainder = ck_is(terms, term, CK_MOD);
  if (!remainder && !ck_is(terms, term, CK_DIV))
    return pv_same(term);
  ck_id dividend = ck_kid(terms, term, 0);
  ck_id divisor = ck_kid(terms, term, 1);
  if (!ck_is(terms, dividend, CK_DIV) || !pv_is_const(prover, divisor) ||
      pv_const_sign(prover, divisor) <= 0 || !pv_is_const(prover, ck_kid(terms, dividend, 1)))
    return pv_same(term);
  pv_thm positive = pv_by_value(prover, pv_gt0(prover, divisor));
  pv_eqn eqn;
  if (remainder) {
    ck_id whole = ck_mk2(terms, CK_DIV, dividend, divisor);
    eqn.to = pv_sub(prover, dividend, pv_mul(prover, divisor, whole));
    eqn.by = pv_scaled(prover, pv_eq(prover, term, eqn.to), pv_num(prover, -1),
                       pv_law2(prover, "div", dividend, divisor, positive));
  } else {
    eqn = pv_nested_quotient(prover, ctx, dividend, divisor, positive);
  }
  return eqn.by == PV_NONE ? pv_same(term) : eqn;
}

/* (g*x) div (g*m) = x div m for a positive g: g*x = (g*m)*(x div m) + g*(x mod m) */
static pv_eqn without_factor(pv *prover, pv_ctx ctx, ck_id dividend, ck_id divisor,
                             const pv_poly *divisor_poly) {
  pv_eqn eqn = {CK_BAD, PV_NONE};
  for (uint32_t i = 0; divisor_poly->count && i < divisor_poly->monos[0].degree; i++) {
    ck_id factor = divisor_poly->monos[0].atoms[i];
    ck_id small_dividend = pv_poly_quotient(prover, dividend, factor);
    ck_id small_divisor =
        small_dividend == CK_BAD ? CK_BAD : pv_poly_quotient(prover, divisor, factor);
    ck_id args[2] = {small_dividend, small_divisor};
    pv_thm factor_pos;
    pv_thm small_pos;
    pv_thm premises[3];
    if (small_divisor == CK_BAD ||
        (factor_pos = pv_follows(prover, ctx, pv_gt0(prover, factor))) == PV_NONE ||
        (small_pos = pv_follows(prover, ctx, pv_gt0(prover, small_divisor))) == PV_NONE)
      continue;
    ck_id quotient = ck_mk2(prover->terms, CK_DIV, small_dividend, small_divisor);
    ck_id rest =
        pv_mul(prover, factor, ck_mk2(prover->terms, CK_MOD, small_dividend, small_divisor));
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add_product(&comb, prover->one, factor_pos, pv_law(prover, "mod>", args, 2, small_pos));
    premises[0] = pv_comb_prove(prover, &comb, pv_ge0(prover, rest));
    pv_comb_init(&comb);
    pv_comb_add_product(&comb, prover->one, factor_pos, pv_law(prover, "mod<", args, 2, small_pos));
    premises[1] = pv_comb_prove(prover, &comb, pv_lt(prover, rest, divisor));
    premises[2] = pv_scaled(
        prover, pv_eq(prover, dividend, pv_add(prover, pv_mul(prover, divisor, quotient), rest)),
        factor, pv_law(prover, "div", args, 2, small_pos));
    eqn.to = quotient;
    eqn.by = pv_divided(prover, dividend, divisor, quotient, rest, premises);
    if (eqn.by != PV_NONE)
      return eqn;
  }
  return eqn;
}

pv_eqn pv_norm_div(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id dividend = ck_kid(prover->terms, term, 0);
  ck_id divisor = ck_kid(prover->terms, term, 1);
  ck_id args[2] = {dividend, divisor};
  pv_thm divisor_pos = pv_follows(prover, ctx, pv_gt0(prover, divisor));
  pv_eqn eqn = pv_same(term);
  if (divisor_pos == PV_NONE)
    return eqn;
  if (ck_head(prover->terms, term) == CK_MOD) {
    eqn.to = pv_sub(prover, dividend,
                    pv_mul(prover, divisor, ck_mk2(prover->terms, CK_DIV, dividend, divisor)));
    eqn.by = pv_scaled(prover, pv_eq(prover, term, eqn.to), pv_num(prover, -1),
                       pv_law(prover, "div", args, 2, divisor_pos));
    return eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
  }
  if (ck_head(prover->terms, dividend) == CK_DIV &&
      (eqn = pv_nested_quotient(prover, ctx, dividend, divisor, divisor_pos)).by != PV_NONE)
    return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
  pv_poly poly;
  pv_poly other;
  pv_poly quotient;
  pv_poly rest;
  pv_poly_init(&poly);
  pv_poly_init(&other);
  pv_poly_init(&quotient);
  pv_poly_init(&rest);
  eqn = pv_same(term);
  pv_poly_read(prover, &poly, dividend);
  pv_poly_read(prover, &other, divisor);
  if (other.count) {
    divide(prover, &poly, &other, &quotient, &rest);
    ck_id quotient_term = pv_poly_term(prover, &quotient);
    ck_id rest_term = pv_poly_term(prover, &rest);
    pv_eqn found = exact(prover, ctx, dividend, divisor, quotient_term, rest_term);
    for (int i = 0; i < 2 && found.by == PV_NONE && other.count > 1;
         i++) { /* one step beside the range */
      ck_id step = pv_num(prover, i ? 1 : -1);
      found = exact(prover, ctx, dividend, divisor,
                    pv_canon(prover, pv_add(prover, quotient_term, step)),
                    pv_canon(prover, pv_sub(prover, rest_term, pv_mul(prover, step, divisor))));
    }
    if (found.by == PV_NONE && rest_term == dividend)
      found = of_multiple(prover, ctx, dividend, divisor, term);
    if (found.by == PV_NONE)
      found = without_factor(prover, ctx, dividend, divisor, &other);
    if (found.by == PV_NONE)
      found = pv_digits_quotient(prover, ctx, dividend, divisor);
    if (found.by == PV_NONE && quotient.count && ck_is_int(prover->terms, rest_term))
      found = partial(prover, dividend, divisor, quotient_term, rest_term, divisor_pos);
    if (found.by != PV_NONE && found.by != PV_REFL)
      eqn = pv_then(prover, found, pv_norm(prover, ctx, found.to));
  }
  pv_poly_clear(&poly);
  pv_poly_clear(&other);
  pv_poly_clear(&quotient);
  pv_poly_clear(&rest);
  return eqn.by == PV_NONE ? pv_same(term) : eqn;
}
