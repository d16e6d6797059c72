/* Lemmas about products over a range, by induction over the bound. */
#include "pv_lemma.h"
#include "pv_steps.h"

static ck_id prod_to(pv *prover, ck_id k, ck_id b, ck_id x) {
  return pv_prod(prover, x, k, b);
}

static ck_id mul_at(pv *prover, ck_id k, ck_id fg, ck_id f, ck_id g, ck_id x) {
  return pv_eq(prover, prod_to(prover, k, fg, x),
               pv_mul(prover, prod_to(prover, k, f, x), prod_to(prover, k, g, x)));
}

/* 0 <= n:  pv_prod(k < n) f*g = prod f * prod g */
pv_thm pv_derive_prod_mul(pv *prover) {
  ck_id n = pv_int_var(prover, "n");
  ck_id j = pv_int_var(prover, "j");
  ck_id k = pv_int_var(prover, "k");
  ck_id j_next = pv_add(prover, j, prover->one);
  ck_id f = pv_apply(prover, "f", k);
  ck_id g = pv_apply(prover, "g", k);
  ck_id fg = pv_mul(prover, f, g);
  ck_id zero = prover->zero;
  pv_thm j_nonneg = pv_hyp(prover, pv_ge0(prover, j));
  pv_thm a0 = pv_zero(prover, prod_to(prover, k, fg, zero), pv_zero_le_zero(prover));
  pv_thm b0 = pv_zero(prover, prod_to(prover, k, f, zero), pv_zero_le_zero(prover));
  pv_thm c0 = pv_zero(prover, prod_to(prover, k, g, zero), pv_zero_le_zero(prover));
  pv_thm a = pv_succ(prover, prod_to(prover, k, fg, j_next), j, j_nonneg);
  pv_thm b = pv_succ(prover, prod_to(prover, k, f, j_next), j, j_nonneg);
  pv_thm c = pv_succ(prover, prod_to(prover, k, g, j_next), j, j_nonneg);
  pv_comb comb;
  pv_comb_init(&comb); /* A = 1; B*C = 1: B*C - A = (B-1)*C + (C-1) - (A-1) */
  pv_comb_add(&comb, prover->one, a0);
  pv_comb_add(&comb, pv_neg(prover, prod_to(prover, k, g, zero)), b0);
  pv_comb_add(&comb, pv_num(prover, -1), c0);
  pv_thm base = pv_comb_prove(prover, &comb, mul_at(prover, k, fg, f, g, zero));
  ck_id fj = pv_apply(prover, "f", j);
  ck_id gj = pv_apply(prover, "g", j);
  pv_comb_init(&comb); /* B1*C1 = (B*fj)*C1, C1 = C*gj; A1 = A*fj*gj; A = B*C */
  pv_comb_add(&comb, prover->one, a);
  pv_comb_add(&comb, pv_mul(prover, fj, gj), pv_hyp(prover, mul_at(prover, k, fg, f, g, j)));
  pv_comb_add(&comb, pv_neg(prover, prod_to(prover, k, g, j_next)), b);
  pv_comb_add(&comb, pv_neg(prover, pv_mul(prover, prod_to(prover, k, f, j), fj)), c);
  pv_thm step = pv_comb_prove(prover, &comb, mul_at(prover, k, fg, f, g, j_next));
  ck_id h = mul_at(prover, k, fg, f, g, j);
  return pv_induct(prover, j, n, 0, &h, &base, &step, 1, pv_hyp(prover, pv_ge0(prover, n)));
}

static ck_id exp_at(pv *prover, ck_id k, ck_id f, ck_id bound) {
  return pv_eq(prover, pv_prod(prover, bound, k, pv_exp(prover, f)),
               pv_exp(prover, pv_sum(prover, bound, k, f)));
}

/* 0 <= n:  prod(k < n) exp f(k) = exp(sum(k < n) f(k)) */
pv_thm pv_derive_prod_exp(pv *prover) {
  ck_id n = pv_int_var(prover, "n");
  ck_id j = pv_int_var(prover, "j");
  ck_id k = pv_int_var(prover, "k");
  ck_id zero = prover->zero;
  ck_id j_next = pv_add(prover, j, prover->one);
  ck_id f = pv_apply(prover, "f", k);
  ck_id f_j = pv_apply(prover, "f", j);
  ck_id exp_f = pv_exp(prover, f);
  pv_thm j_nonneg = pv_hyp(prover, pv_ge0(prover, j));
  pv_thm none = pv_zero(prover, pv_sum(prover, zero, k, f), pv_zero_le_zero(prover));
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one,
              pv_zero(prover, pv_prod(prover, zero, k, exp_f), pv_zero_le_zero(prover)));
  pv_comb_add(&comb, pv_num(prover, -1), pv_lemma(prover, PV_EXP0));
  pv_comb_add(
      &comb, pv_num(prover, -1),
      pv_cong(prover, pv_exp(prover, pv_sum(prover, zero, k, f)), pv_exp(prover, zero), &none, 1));
  pv_thm base = pv_comb_prove(prover, &comb, exp_at(prover, k, f, zero));
  pv_thm last = pv_succ(prover, pv_sum(prover, j_next, k, f), j, j_nonneg);
  if (last == PV_NONE)
    return PV_NONE;
  ck_id sum = pv_sum(prover, j, k, f);
  pv_comb_init(&comb); /* P1 = P*e; P = exp S; exp S1 = exp(S + f(j)) = exp S * e */
  pv_comb_add(&comb, prover->one, pv_succ(prover, pv_prod(prover, j_next, k, exp_f), j, j_nonneg));
  pv_comb_add(&comb, pv_exp(prover, f_j), pv_hyp(prover, exp_at(prover, k, f, j)));
  pv_comb_add(&comb, pv_num(prover, -1),
              pv_cong(prover, pv_exp(prover, pv_sum(prover, j_next, k, f)),
                      pv_exp(prover, pv_right(prover, last)), &last, 1));
  pv_comb_add(&comb, pv_num(prover, -1), pv_law2(prover, "exp+", sum, f_j, PV_NONE));
  pv_thm step = pv_comb_prove(prover, &comb, exp_at(prover, k, f, j_next));
  ck_id invariant = exp_at(prover, k, f, j);
  return pv_induct(prover, j, n, 0, &invariant, &base, &step, 1, pv_hyp(prover, pv_ge0(prover, n)));
}

static ck_id one_at(pv *prover, ck_id k, ck_id o, ck_id x) {
  return pv_eq(prover, prod_to(prover, k, o, x), o);
}

/* 0 <= n:  pv_prod(k < n) 1 = 1 */
pv_thm pv_derive_prod_one(pv *prover) {
  ck_id n = pv_int_var(prover, "n");
  ck_id j = pv_int_var(prover, "j");
  ck_id k = pv_int_var(prover, "k");
  ck_id j_next = pv_add(prover, j, prover->one);
  ck_id o = prover->one;
  pv_thm base = pv_zero(prover, prod_to(prover, k, o, prover->zero), pv_zero_le_zero(prover));
  pv_thm u = pv_succ(prover, prod_to(prover, k, o, j_next), j, pv_hyp(prover, pv_ge0(prover, j)));
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, o, u);
  pv_comb_add(&comb, o, pv_hyp(prover, one_at(prover, k, o, j)));
  pv_thm step = pv_comb_prove(prover, &comb, one_at(prover, k, o, j_next));
  ck_id h = one_at(prover, k, o, j);
  return pv_induct(prover, j, n, 0, &h, &base, &step, 1, pv_hyp(prover, pv_ge0(prover, n)));
}

static ck_id concat_at(pv *prover, ck_id k, ck_id f, ck_id m, ck_id says, ck_id x) {
  return pv_eq(prover, prod_to(prover, k, f, pv_add(prover, m, x)),
               pv_mul(prover, prod_to(prover, k, f, m), prod_to(prover, k, says, x)));
}

/* 0 <= m, 0 <= n:  pv_prod(k < m+n) f(k) = pv_prod(k < m) f(k) * pv_prod(k < n) f(m+k) */
pv_thm pv_derive_prod_concat(pv *prover) {
  ck_id m = pv_int_var(prover, "m");
  ck_id n = pv_int_var(prover, "n");
  ck_id j = pv_int_var(prover, "j");
  ck_id k = pv_int_var(prover, "k");
  ck_id j_next = pv_add(prover, j, prover->one);
  ck_id f = pv_apply(prover, "f", k);
  ck_id says = pv_apply(prover, "f", pv_add(prover, m, k));
  ck_id zero = prover->zero;
  ck_id mz = pv_add(prover, m, zero);
  ck_id mj = pv_add(prover, m, j);
  pv_thm m_nonneg = pv_hyp(prover, pv_ge0(prover, m));
  pv_thm j_nonneg = pv_hyp(prover, pv_ge0(prover, j));
  pv_thm r = pv_identity(prover, pv_eq(prover, mz, m));
  pv_thm c = pv_cong(prover, prod_to(prover, k, f, mz), prod_to(prover, k, f, m), &r, 1);
  pv_thm z0 = pv_zero(prover, prod_to(prover, k, says, zero), pv_zero_le_zero(prover));
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, c);
  pv_comb_add(&comb, pv_neg(prover, prod_to(prover, k, f, m)), z0);
  pv_thm base = pv_comb_prove(prover, &comb, concat_at(prover, k, f, m, says, zero));
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, m_nonneg);
  pv_comb_add(&comb, prover->one, j_nonneg);
  pv_thm mj0 = pv_comb_prove(prover, &comb, pv_ge0(prover, mj));
  pv_thm u = pv_succ(prover, prod_to(prover, k, f, pv_add(prover, m, j_next)), mj, mj0);
  pv_thm w = pv_succ(prover, prod_to(prover, k, says, j_next), j, j_nonneg);
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, u);
  pv_comb_add(&comb, pv_apply(prover, "f", mj),
              pv_hyp(prover, concat_at(prover, k, f, m, says, j)));
  pv_comb_add(&comb, pv_neg(prover, prod_to(prover, k, f, m)), w);
  pv_thm step = pv_comb_prove(prover, &comb, concat_at(prover, k, f, m, says, j_next));
  ck_id h = concat_at(prover, k, f, m, says, j);
  return pv_induct(prover, j, n, 0, &h, &base, &step, 1, pv_hyp(prover, pv_ge0(prover, n)));
}
