/* Normal form of exponentials: of sums products, of what stands left of 0 inverses, of logarithms
 * what they are of. */
#include "pv_folds.h"

/* exp(sum(k < n) log u) = prod(k < n) u for positive u, normal; term: an exponential of a sum */
static pv_eqn of_log_sum(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id sum = ck_kid(prover->terms, term, 0);
  ck_id n = ck_kid(prover->terms, sum, 0);
  ck_id k;
  pv_ctx_bind(prover, ctx, n, &k);
  ck_id body = pv_sum_body(prover, sum, k);
  if (ck_head(prover->terms, body) != CK_LOG)
    return pv_fail();
  pv_eqn product = pv_prod_by_log(prover, ctx, n, k, ck_kid(prover->terms, body, 0));
  if (product.by == PV_NONE || product.to != term)
    return pv_fail();
  pv_thm thm = pv_sym(prover, product.by);
  pv_eqn eqn = {pv_right(prover, thm), thm};
  return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
}

/* exp(log(u)/2) = sqrt u for positive u; PV_REFL: the argument is not of this form */
static pv_thm of_half_log(pv *prover, pv_ctx ctx, ck_id arg, const pv_poly *poly) {
  ck_id half = pv_const_inv(prover, pv_num(prover, 2));
  if (poly->count != 1 || poly->monos[0].coef != half || poly->monos[0].degree != 1 ||
      ck_head(prover->terms, poly->monos[0].atoms[0]) != CK_LOG)
    return PV_REFL;
  ck_id under = ck_kid(prover->terms, poly->monos[0].atoms[0], 0);
  pv_thm positive = pv_positive(prover, ctx, under);
  return positive == PV_NONE ? PV_REFL : pv_exp_of_half_log(prover, arg, under, positive);
}

/* exp(x + y) = exp x * exp y; exp(-x) = inv(exp x); exp(2x) = exp x * exp x; exp 0 = 1; exp(log x)
 * = x */
pv_eqn pv_norm_exp(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id arg = ck_kid(prover->terms, term, 0);
  ck_id parts[2];
  pv_poly poly;
  pv_eqn eqn = pv_same(term);
  if (pv_is_zero(prover, arg)) {
    eqn.to = prover->one;
    eqn.by = pv_lemma(prover, PV_EXP0);
    return eqn;
  }
  if (ck_head(prover->terms, arg) == CK_ADD) {
    parts[0] = ck_kid(prover->terms, arg, 0);
    parts[1] = ck_kid(prover->terms, arg, 1);
    eqn.to = pv_mul(prover, pv_exp(prover, parts[0]), pv_exp(prover, parts[1]));
    eqn.by = pv_law(prover, "exp+", parts, 2, PV_NONE);
    return eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
  }
  if (ck_head(prover->terms, arg) == CK_LOG) {
    ck_id one_part = ck_kid(prover->terms, arg, 0);
    pv_thm positive = pv_positive(prover, ctx, one_part);
    if (positive != PV_NONE) {
      eqn.to = one_part;
      eqn.by = pv_law(prover, "log", &one_part, 1, positive);
    }
    return eqn;
  }
  if (pv_is_sum(prover, arg)) {
    pv_eqn product = of_log_sum(prover, ctx, term);
    return product.by == PV_NONE ? pv_same(term) : product;
  }
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, arg);
  ck_id coef = poly.count == 1 ? poly.monos[0].coef : prover->one;
  pv_thm root = of_half_log(prover, ctx, arg, &poly);
  if (root != PV_REFL) {
    eqn = root == PV_NONE ? pv_fail() : (pv_eqn){pv_right(prover, root), root};
  } else if (pv_const_sign(prover, coef) < 0) {
    ck_id one_part = pv_canon(prover, pv_neg(prover, arg));
    ck_id negated = pv_neg(prover, one_part);
    ck_id exp_part = pv_exp(prover, one_part);
    ck_id exp_negated = pv_exp(prover, negated);
    ck_id inv_exp = pv_inv(prover, exp_part);
    pv_var_sub vars = {pv_real_var(prover, "x"), one_part};
    pv_thm inverse_law = pv_use_lemma(prover, PV_EXP_NEG, &vars, 1, NULL, 0, NULL, 0);
    pv_thm nonzero = pv_nonzero(prover, ctx, exp_part);
    pv_thm cancel = pv_law(prover, "inv", &exp_part, 1, nonzero);
    pv_thm same_arg = PV_REFL;
    if (negated != arg) {
      pv_thm same_sum = pv_identity(prover, pv_eq(prover, arg, negated));
      same_arg = pv_cong(prover, term, exp_negated, &same_sum, 1);
    }
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, same_arg);
    pv_comb_add(&comb, inv_exp, inverse_law);
    pv_comb_add(&comb, pv_neg(prover, exp_negated), cancel);
    eqn.to = inv_exp;
    eqn.by = nonzero == PV_NONE ? (pv_comb_clear(&comb), PV_NONE)
                                : pv_comb_prove(prover, &comb, pv_eq(prover, term, inv_exp));
    eqn = eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, inv_exp));
  } else if (coef != prover->one && ck_is_int(prover->terms, coef) &&
             mpq_cmp_ui(*ck_q_value(prover->terms, coef), 8, 1) <= 0) {
    ck_id one_part = pv_mono_term(prover, prover->one, poly.monos[0].atoms, poly.monos[0].degree);
    ck_id rest = pv_canon(prover, pv_sub(prover, arg, one_part));
    parts[0] = one_part;
    parts[1] = rest;
    ck_id sum = pv_add(prover, one_part, rest);
    pv_thm same_sum = pv_identity(prover, pv_eq(prover, arg, sum));
    pv_thm rewritten = pv_cong(prover, term, pv_exp(prover, sum), &same_sum, 1);
    pv_thm law = pv_law(prover, "exp+", parts, 2, PV_NONE);
    eqn.to = pv_mul(prover, pv_exp(prover, one_part), pv_exp(prover, rest));
    eqn.by = pv_trans(prover, rewritten, law);
    eqn = eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
  }
  pv_poly_clear(&poly);
  return eqn;
}

bool pv_is_exponent(pv *prover, ck_id term, ck_id variable) {
  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, term);
  if (head == CK_APP || head == CK_FOLD || !ck_has_var(terms, term, variable))
    return false;
  bool found = false;
  if (head == CK_EXP) {
    pv_poly poly;
    pv_poly_init(&poly);
    pv_poly_read(prover, &poly, ck_kid(terms, term, 0));
    for (uint32_t i = 0; i < poly.count && !found; i++)
      found = pv_mono_has(&poly.monos[i], variable);
    pv_poly_clear(&poly);
  }
  for (uint32_t i = 0, n = ck_nkids(terms, term); i < n && !found; i++)
    found = pv_is_exponent(prover, ck_kid(terms, term, i), variable);
  return found;
}
