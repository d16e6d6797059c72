/* Normal form of calls of builtins that laws speak of: sine and cosine of sums are sums of
 * products, of -x what they are of x; the error function of -x is minus that of x.  A polynomial in
 * sines and cosines has no square of a cosine (norm_poly.c). */
#include "pv_norm.h"

/* more terms than this, or a greater factor, and a sum stays as it is: it has 2^n products */
enum { MOST_TERMS = 4, MOST_TIMES = 4 };

/* function(arg) = function(other), both arguments being one polynomial */
static pv_thm at_other_argument(pv *prover, const char *function, ck_id arg, ck_id other) {
  if (arg == other)
    return PV_REFL;
  pv_thm same = pv_identity(prover, pv_eq(prover, arg, other));
  return pv_cong(prover, pv_call(prover, function, arg), pv_call(prover, function, other), &same,
                 1);
}

/* the call at arg = x + y by what the function is at a sum */
static pv_eqn of_sum(pv *prover, pv_ctx ctx, bool sine, ck_id arg, ck_id x, ck_id y) {
  const char *function = sine ? "sin" : "cos";
  ck_id call = pv_call(prover, function, arg);
  ck_id sines[2] = {pv_call(prover, "sin", x), pv_call(prover, "sin", y)};
  ck_id cosines[2] = {pv_call(prover, "cos", x), pv_call(prover, "cos", y)};
  pv_eqn eqn = {sine ? pv_add(prover, pv_mul(prover, sines[0], cosines[1]),
                              pv_mul(prover, cosines[0], sines[1]))
                     : pv_sub(prover, pv_mul(prover, cosines[0], cosines[1]),
                              pv_mul(prover, sines[0], sines[1])),
                PV_NONE};
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, at_other_argument(prover, function, arg, pv_add(prover, x, y)));
  pv_comb_add(&comb, prover->one, pv_law2(prover, sine ? "sin+" : "cos+", x, y, PV_NONE));
  eqn.by = pv_comb_prove(prover, &comb, pv_eq(prover, call, eqn.to));
  return eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
}

static pv_eqn at_zero(pv *prover, bool sine) {
  return (pv_eqn){sine ? prover->zero : prover->one, pv_lemma(prover, sine ? PV_SIN0 : PV_COS0)};
}

/* the call at arg = -positive */
static pv_eqn of_negated(pv *prover, bool sine, ck_id arg, ck_id positive) {
  const char *function = sine ? "sin" : "cos";
  ck_id negated = pv_neg(prover, positive);
  pv_var_sub vars = {pv_real_var(prover, "x"), positive};
  pv_thm parity = pv_use_lemma(prover, sine ? PV_SIN_NEG : PV_COS_NEG, &vars, 1, NULL, 0, NULL, 0);
  pv_thm thm = pv_trans(prover, at_other_argument(prover, function, arg, negated), parity);
  return thm == PV_NONE ? pv_fail() : (pv_eqn){pv_right(prover, thm), thm};
}

static pv_eqn norm_trig(pv *prover, pv_ctx ctx, ck_id term, bool sine, const pv_poly *poly) {
  ck_id arg = ck_kid(prover->terms, term, 0);
  if (poly->count == 0)
    return at_zero(prover, sine);
  if (poly->count > MOST_TERMS)
    return pv_same(term);
  if (poly->count > 1) {
    const pv_mono *last = &poly->monos[poly->count - 1];
    ck_id y = pv_mono_term(prover, last->coef, last->atoms, last->degree);
    return of_sum(prover, ctx, sine, arg, pv_canon(prover, pv_sub(prover, arg, y)), y);
  }
  ck_id coef = poly->monos[0].coef;
  if (pv_const_sign(prover, coef) < 0)
    return of_negated(prover, sine, arg, pv_canon(prover, pv_neg(prover, arg)));
  if (coef == prover->one || !ck_is_int(prover->terms, coef) ||
      mpq_cmp_ui(*ck_q_value(prover->terms, coef), MOST_TIMES, 1) > 0)
    return pv_same(term);
  ck_id once = pv_mono_term(prover, prover->one, poly->monos[0].atoms, poly->monos[0].degree);
  return of_sum(prover, ctx, sine, arg, pv_canon(prover, pv_sub(prover, arg, once)), once);
}

/* erf(0) = 0; erf(-x) = -erf(x) */
static pv_eqn norm_erf(pv *prover, ck_id term, const pv_poly *poly) {
  ck_id arg = ck_kid(prover->terms, term, 0);
  if (poly->count > 0 && pv_const_sign(prover, poly->monos[0].coef) > 0)
    return pv_same(term);
  ck_id negated = pv_canon(prover, pv_neg(prover, arg));
  ck_id two[2] = {arg, negated};
  pv_thm none = pv_identity(prover, pv_eq(prover, pv_add(prover, arg, negated), prover->zero));
  pv_thm odd = pv_law(prover, "erf", two, 2, none);
  if (poly->count == 0) { /* twice it is 0 */
    ck_id half = pv_const_inv(prover, pv_num(prover, 2));
    return (pv_eqn){prover->zero, PV_COMBINE(prover, pv_eq(prover, term, prover->zero), half, odd)};
  }
  ck_id to = pv_neg(prover, pv_call(prover, "erf", negated));
  return (pv_eqn){to, pv_restate(prover, pv_eq(prover, term, to), odd)};
}

pv_eqn pv_norm_call(pv *prover, pv_ctx ctx, ck_id term) {
  bool sine = pv_is_call(prover, term, "sin");
  bool trig = sine || pv_is_call(prover, term, "cos");
  if (!trig && !pv_is_call(prover, term, "erf"))
    return pv_same(term);
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, ck_kid(prover->terms, term, 0));
  pv_eqn eqn = trig ? norm_trig(prover, ctx, term, sine, &poly) : norm_erf(prover, term, &poly);
  pv_poly_clear(&poly);
  return eqn.by == PV_NONE ? pv_fail() : eqn;
}

pv_thm pv_cosine_squared(pv *prover, ck_id cosine) {
  ck_id arg = ck_kid(prover->terms, cosine, 0);
  ck_id sine = pv_call(prover, "sin", arg);
  ck_id to = pv_sub(prover, prover->one, pv_mul(prover, sine, sine));
  return pv_restate(prover, pv_eq(prover, pv_mul(prover, cosine, cosine), to),
                    pv_law1(prover, "sin2", arg, PV_NONE));
}

pv_thm pv_unit_bound(pv *prover, ck_id term, bool below) {
  ck_id arg = ck_kid(prover->terms, term, 0);
  ck_id other = pv_call(prover, pv_is_call(prover, term, "sin") ? "cos" : "sin", arg);
  ck_id bounded = below ? pv_neg(prover, term) : term;
  pv_var_sub of_other = {pv_real_var(prover, "x"), other};
  pv_var_sub vars = {pv_real_var(prover, "x"), bounded};
  pv_thm circle = pv_law1(prover, "sin2", arg, PV_NONE);
  pv_thm square = pv_use_lemma(prover, PV_SQUARE, &of_other, 1, NULL, 0, NULL, 0);
  pv_thm within = PV_COMBINE(prover, pv_le(prover, pv_mul(prover, bounded, bounded), prover->one),
                             prover->one, circle, prover->one, square);
  return pv_use_lemma(prover, PV_UNIT, &vars, 1, NULL, 0, &within, 1);
}
