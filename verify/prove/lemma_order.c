/* Lemmas about functions that keep or turn the order. */
#include "pv_lemma.h"
#include "pv_norm.h"
#include "pv_steps.h"

/* exp a <= exp b, or `<`, from the same of a and b: exp b = exp a * exp(b - a) >= exp a * (1 + b -
 * a) */
static pv_thm exp_order(pv *prover, ck_id a, ck_id b, pv_thm thm) {
  ck_id difference = pv_sub(prover, b, a);
  ck_id sum = pv_add(prover, a, difference);
  ck_id exp_a = pv_exp(prover, a);
  ck_id exp_b = pv_exp(prover, b);
  bool strict = thm != PV_NONE && ck_head(prover->terms, pv_says(prover, thm)) == CK_LT;
  pv_var_sub vars = {pv_real_var(prover, "x"), a};
  pv_thm positive = pv_use_lemma(prover, PV_EXP_POS, &vars, 1, NULL, 0, NULL, 0);
  pv_thm same_sum = pv_identity(prover, pv_eq(prover, sum, b));
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, positive, pv_law1(prover, "exp>", difference, PV_NONE));
  pv_comb_add_product(&comb, prover->one, positive, thm);
  pv_comb_add(&comb, pv_num(prover, -1), pv_law2(prover, "exp+", a, difference, PV_NONE));
  pv_comb_add(&comb, prover->one, pv_cong(prover, pv_exp(prover, sum), exp_b, &same_sum, 1));
  return pv_comb_prove(prover, &comb,
                       strict ? pv_lt(prover, exp_a, exp_b) : pv_le(prover, exp_a, exp_b));
}

/* x <= y, or x < y; and the same of f x and f y */
static ck_id order(pv *prover, bool strict, ck_id x, ck_id y) {
  return strict ? pv_lt(prover, x, y) : pv_le(prover, x, y);
}

static pv_thm derive_exp(pv *prover, bool strict) {
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_real_var(prover, "y");
  return exp_order(prover, x, y, pv_hyp(prover, order(prover, strict, x, y)));
}

pv_thm pv_derive_exp_order(pv *prover) {
  return derive_exp(prover, false);
}

pv_thm pv_derive_exp_strict(pv *prover) {
  return derive_exp(prover, true);
}

/* otherwise log y < log x, hence y < x; or, of the strict one, both with <= */
static pv_thm derive_log(pv *prover, bool strict) {
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_real_var(prover, "y");
  ck_id log_x = pv_log(prover, x);
  ck_id log_y = pv_log(prover, y);
  ck_id goal = order(prover, strict, log_x, log_y);
  pv_thm x_pos = pv_hyp(prover, pv_gt0(prover, x));
  pv_thm ordered = pv_hyp(prover, order(prover, strict, x, y));
  pv_thm y_pos = PV_COMBINE(prover, pv_gt0(prover, y), prover->one, x_pos, prover->one, ordered);
  pv_thm below =
      exp_order(prover, log_y, log_x, pv_hyp(prover, order(prover, !strict, log_y, log_x)));
  pv_thm absurd = PV_COMBINE(prover, pv_gt0(prover, prover->zero), prover->one, below, prover->one,
                             ordered, prover->one, pv_law1(prover, "log", x, x_pos),
                             pv_num(prover, -1), pv_law1(prover, "log", y, y_pos));
  return pv_cases(prover, goal, pv_hyp(prover, goal),
                  pv_from_zero_below_zero(prover, goal, absurd));
}

pv_thm pv_derive_log_order(pv *prover) {
  return derive_log(prover, false);
}

pv_thm pv_derive_log_strict(pv *prover) {
  return derive_log(prover, true);
}

/* otherwise sqrt y < sqrt x, and x - y = (sqrt x - sqrt y)^2 + 2*sqrt y*(sqrt x - sqrt y) > 0; or,
 * of the strict one, both with <= */
static pv_thm derive_sqrt(pv *prover, bool strict) {
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_real_var(prover, "y");
  ck_id root_x = pv_sqrt(prover, x);
  ck_id root_y = pv_sqrt(prover, y);
  ck_id goal = order(prover, strict, root_x, root_y);
  pv_thm x_nonneg = pv_hyp(prover, pv_ge0(prover, x));
  pv_thm ordered = pv_hyp(prover, order(prover, strict, x, y));
  pv_thm y_nonneg =
      PV_COMBINE(prover, pv_ge0(prover, y), prover->one, x_nonneg, prover->one, ordered);
  pv_thm below = pv_hyp(prover, order(prover, !strict, root_y, root_x));
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, ordered);
  pv_comb_add_product(&comb, prover->one, below, below);
  pv_comb_add_product(&comb, pv_num(prover, 2), below, pv_law1(prover, "sqrt>", y, y_nonneg));
  pv_comb_add(&comb, prover->one, pv_law1(prover, "sqrt2", x, x_nonneg));
  pv_comb_add(&comb, pv_num(prover, -1), pv_law1(prover, "sqrt2", y, y_nonneg));
  pv_thm absurd = pv_comb_prove(prover, &comb, pv_gt0(prover, prover->zero));
  return pv_cases(prover, goal, pv_hyp(prover, goal),
                  pv_from_zero_below_zero(prover, goal, absurd));
}

pv_thm pv_derive_sqrt_order(pv *prover) {
  return derive_sqrt(prover, false);
}

pv_thm pv_derive_sqrt_strict(pv *prover) {
  return derive_sqrt(prover, true);
}

/* inv x - inv y = (y - x) * inv x * inv y */
pv_thm pv_derive_inv_order(pv *prover) {
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_real_var(prover, "y");
  ck_id inv_x = pv_inv(prover, x);
  ck_id inv_y = pv_inv(prover, y);
  pv_thm x_pos = pv_hyp(prover, pv_gt0(prover, x));
  pv_thm ordered = pv_hyp(prover, pv_le(prover, x, y));
  pv_thm y_pos = PV_COMBINE(prover, pv_gt0(prover, y), prover->one, x_pos, prover->one, ordered);
  ck_id minus = pv_num(prover, -1);
  pv_thm law_x = pv_law1(prover, "inv", x, pv_scaled(prover, pv_ne0(prover, x), minus, x_pos));
  pv_thm law_y = pv_law1(prover, "inv", y, pv_scaled(prover, pv_ne0(prover, y), minus, y_pos));
  pv_var_sub at_y = {x, y};
  pv_thm three[3] = {ordered, pv_lemma(prover, PV_INV_POS),
                     pv_use_lemma(prover, PV_INV_POS, &at_y, 1, NULL, 0, &y_pos, 1)};
  pv_summand summand[3] = {
      {prover->one, three, 3}, {inv_x, &law_y, 1}, {pv_neg(prover, inv_y), &law_x, 1}};
  return pv_arith(prover, pv_le(prover, inv_y, inv_x), summand, 3);
}

pv_thm pv_derive_relu_order(pv *prover) {
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_real_var(prover, "y");
  pv_ctx ctx = pv_ctx_push(prover, 0, pv_le(prover, x, y), CK_BAD);
  ck_id relu_x = pv_max_through_term(prover, PV_THROUGH_RELU, prover->zero, x);
  ck_id relu_y = pv_max_through_term(prover, PV_THROUGH_RELU, prover->zero, y);
  return pv_prove_goal(prover, ctx, pv_le(prover, relu_x, relu_y));
}
