/* Small derived steps. */
#include "pv_steps.h"

pv_thm pv_identity(pv *prover, ck_id formula) {
  return pv_arith(prover, formula, NULL, 0);
}

pv_thm pv_scaled(pv *prover, ck_id formula, ck_id c, pv_thm thm) {
  pv_summand summand = {c, &thm, 1};
  return pv_arith(prover, formula, &summand, 1);
}

pv_thm pv_refl(pv *prover, ck_id a) {
  return pv_identity(prover, pv_eq(prover, a, a));
}

pv_thm pv_by_value(pv *prover, ck_id formula) {
  mpq_t c;
  ck_id q;
  const ck_poly *v = formula == CK_BAD ? NULL : ck_poly_val(prover->terms, formula);
  pv_summand summand = {CK_BAD, NULL, 0};
  if (!v)
    return PV_NONE;
  mpq_init(c);
  q = ck_poly_const(v, c) ? pv_rational(prover, c) : CK_BAD;
  mpq_clear(c);
  if (q == CK_BAD)
    return PV_NONE;
  if (q == prover->zero)
    return pv_identity(prover, formula);
  summand.coef = q;
  return pv_arith(prover, formula, &summand, 1);
}

pv_thm pv_sym(pv *prover, pv_thm thm) {
  if (thm == PV_NONE || thm == PV_REFL)
    return thm;
  return pv_scaled(prover, pv_eq(prover, pv_right(prover, thm), pv_left(prover, thm)),
                   pv_num(prover, -1), thm);
}

pv_thm pv_trans(pv *prover, pv_thm a, pv_thm b) {
  if (a == PV_NONE || b == PV_NONE)
    return PV_NONE;
  if (a == PV_REFL)
    return b;
  if (b == PV_REFL)
    return a;
  pv_summand summand[2] = {{prover->one, &a, 1}, {prover->one, &b, 1}};
  return pv_arith(prover, pv_eq(prover, pv_left(prover, a), pv_right(prover, b)), summand, 2);
}

pv_eqn pv_then(pv *prover, pv_eqn a, pv_eqn b) {
  pv_eqn result = {b.to, pv_trans(prover, a.by, b.by)};
  return result;
}

pv_thm pv_restate(pv *prover, ck_id formula, pv_thm thm) {
  if (thm == PV_NONE || formula == CK_BAD)
    return PV_NONE;
  return pv_says(prover, thm) == formula ? thm : pv_scaled(prover, formula, prover->one, thm);
}

pv_thm pv_from_zero_is_one(pv *prover, ck_id formula, pv_thm one) {
  if (one == PV_NONE || formula == CK_BAD)
    return PV_NONE;
  ck_id g = pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0));
  ck_op head = ck_head(prover->terms, formula);
  pv_summand summand[2] = {{g, &one, 1}, {prover->one, NULL, 0}};
  if (head == CK_EQ || head == CK_LE)
    return pv_arith(prover, formula, summand, 1);
  summand[0].coef = pv_sub(prover, g, prover->one);
  return pv_arith(prover, formula, summand, 2);
}

pv_thm pv_from_zero_below_zero(pv *prover, ck_id formula, pv_thm lt) {
  if (lt == PV_NONE)
    return PV_NONE;
  pv_thm le = pv_by_value(prover, pv_ge0(prover, prover->one));
  pv_thm nonneg = pv_int(prover, pv_le(prover, prover->one, prover->zero), lt);
  return pv_from_zero_is_one(prover, formula, pv_antisym(prover, le, nonneg));
}

pv_thm pv_from_zero_differs(pv *prover, ck_id formula, pv_thm ne) {
  pv_thm i = pv_law(prover, "inv", &prover->zero, 1, ne); /* 0 * inv 0 = 1 */
  return i == PV_NONE
             ? PV_NONE
             : pv_from_zero_is_one(
                   prover, formula,
                   pv_scaled(prover, pv_eq(prover, prover->zero, prover->one), prover->one, i));
}

/* --- sums of steps */
void pv_comb_init(pv_comb *comb) {
  as_vec_init(&comb->summands, sizeof(pv_summand));
  as_vec_init(&comb->premises, sizeof(uint32_t));
}

void pv_comb_add_product(pv_comb *comb, ck_id coef, pv_thm p1, pv_thm p2) {
  pv_summand summand = {coef, NULL, 1};
  as_vec_push(&comb->premises, &p1);
  if (p2 != PV_REFL) {
    as_vec_push(&comb->premises, &p2);
    summand.count = 2;
  }
  as_vec_push(&comb->summands, &summand);
}

void pv_comb_add(pv_comb *comb, ck_id coef, pv_thm premises) {
  if (premises == PV_REFL)
    return;
  pv_comb_add_product(comb, coef, premises, PV_REFL);
}

pv_thm pv_comb_prove(pv *prover, pv_comb *comb, ck_id formula) {
  size_t off = 0;
  pv_thm r;
  for (size_t i = 0; i < comb->summands.n; i++) {
    pv_summand *summand = &AS_VEC_AT(&comb->summands, pv_summand, i);
    summand->premises = &AS_VEC_AT(&comb->premises, uint32_t, off);
    off += summand->count;
  }
  r = pv_arith(prover, formula, comb->summands.data, (uint32_t)comb->summands.n);
  pv_comb_clear(comb);
  return r;
}

void pv_comb_clear(pv_comb *comb) {
  as_vec_clear(&comb->summands);
  as_vec_clear(&comb->premises);
}

pv_thm pv_combine(pv *prover, ck_id formula, uint32_t n, const uint32_t *pairs) {
  pv_comb comb;
  pv_comb_init(&comb);
  for (uint32_t i = 0; i < n; i++)
    pv_comb_add(&comb, pairs[2 * i], pairs[2 * i + 1]);
  return pv_comb_prove(prover, &comb, formula);
}

pv_thm pv_law1(pv *prover, const char *name, ck_id x, pv_thm premises) {
  return pv_law(prover, name, &x, 1, premises);
}

pv_thm pv_law2(pv *prover, const char *name, ck_id x, ck_id y, pv_thm premises) {
  ck_id both[2] = {x, y};
  return pv_law(prover, name, both, 2, premises);
}

pv_thm pv_zero_le_zero(pv *prover) {
  return pv_by_value(prover, pv_ge0(prover, prover->zero));
}
