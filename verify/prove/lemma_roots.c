/* Lemmas about logarithms and square roots: exp is one to one; a root is the only number that is
 * not negative and has its square. */
#include "pv_lemma.h"
#include "pv_steps.h"

static pv_thm exp_pos(pv *prover, ck_id x) {
  pv_var_sub vars = {pv_real_var(prover, "x"), x};
  return pv_use_lemma(prover, PV_EXP_POS, &vars, 1, NULL, 0, NULL, 0);
}

pv_thm pv_lemma_xy(pv *prover, pv_lemma_id lemma, ck_id x, ck_id y, pv_thm a, pv_thm b) {
  pv_var_sub vars[2] = {{pv_real_var(prover, "x"), x}, {pv_real_var(prover, "y"), y}};
  pv_thm premises[2] = {a, b};
  return pv_use_lemma(prover, lemma, vars, 2, NULL, 0, premises, b == PV_REFL ? 1 : 2);
}

/* exp x = exp y  gives  x = y.  If x < y: exp y = exp x * exp(y - x) >= exp x * (1 + y - x) > exp
 * x. */
pv_thm pv_derive_exp_inj(pv *prover) {
  ck_id v[2] = {pv_real_var(prover, "x"), pv_real_var(prover, "y")};
  ck_id h = pv_eq(prover, pv_exp(prover, v[0]), pv_exp(prover, v[1]));
  pv_thm halves[2];
  pv_thm hyp = pv_hyp(prover, h);
  for (int i = 0; i < 2; i++) {
    ck_id x = v[i];
    ck_id y = v[1 - i];
    ck_id d = pv_sub(prover, y, x);
    ck_id xd = pv_add(prover, x, d);
    ck_id two[2] = {x, d};
    ck_id f = pv_le(prover, y, x);
    pv_thm lt = pv_hyp(prover, pv_lt(prover, x, y));
    pv_thm plus = pv_law(prover, "exp+", two, 2, PV_NONE);
    pv_thm arg = pv_identity(prover, pv_eq(prover, xd, y));
    pv_thm c = pv_cong(prover, pv_exp(prover, xd), pv_exp(prover, y), &arg, 1);
    pv_thm gt = pv_law(prover, "exp>", &d, 1, PV_NONE);
    pv_thm pos = exp_pos(prover, x);
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add_product(&comb, prover->one, pos, lt);
    pv_comb_add_product(&comb, prover->one, pos,
                        gt); /* exp x*(y-x) > 0; exp x*(exp d - 1 - d) >= 0 */
    pv_comb_add(&comb, pv_num(prover, -1), plus);
    pv_comb_add(&comb, prover->one, c);
    pv_comb_add(&comb, pv_num(prover, i ? 1 : -1), hyp);
    halves[i] =
        pv_cases(prover, f, pv_hyp(prover, f),
                 pv_from_zero_below_zero(
                     prover, f, pv_comb_prove(prover, &comb, pv_gt0(prover, prover->zero))));
  }
  return pv_antisym(prover, halves[1], halves[0]);
}

/* 0 < x, exp y = x  gives  log x = y */
pv_thm pv_derive_log_of(pv *prover) {
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_real_var(prover, "y");
  ck_id l = pv_log(prover, x);
  pv_thm a = pv_law(prover, "log", &x, 1, pv_hyp(prover, pv_gt0(prover, x)));
  pv_thm b = pv_hyp(prover, pv_eq(prover, pv_exp(prover, y), x));
  pv_thm thm = pv_trans(prover, a, pv_sym(prover, b));
  return pv_lemma_xy(prover, PV_EXP_INJ, l, y, thm, PV_REFL);
}

/* 0 <= y, y*y = x  gives  sqrt x = y: (s - y)*(s + y) = 0, so s <= y and y <= s */
pv_thm pv_derive_sqrt_of(pv *prover) {
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_real_var(prover, "y");
  ck_id s = pv_sqrt(prover, x);
  pv_thm hy = pv_hyp(prover, pv_ge0(prover, y));
  pv_thm hx = pv_hyp(prover, pv_eq(prover, pv_mul(prover, y, y), x));
  pv_thm y2[2] = {hy, hy};
  pv_thm halves[2];
  pv_summand summand[2] = {{prover->one, y2, 2}, {prover->one, &hx, 1}};
  pv_thm x0 = pv_arith(prover, pv_ge0(prover, x), summand, 2);
  pv_thm sq = pv_law(prover, "sqrt2", &x, 1, x0);
  pv_thm s0 = pv_law(prover, "sqrt>", &x, 1, x0);
  for (int i = 0; i < 2; i++) {
    ck_id a = i ? y : s;
    ck_id b = i ? s : y;
    ck_id f = pv_le(prover, a, b);
    pv_thm lt = pv_hyp(prover, pv_lt(prover, b, a));
    pv_comb comb;
    pv_comb_init(&comb); /* b < a: (a-b)*(a-b) > 0 and (a-b)*b >= 0 give a*a - b*b > 0 */
    pv_comb_add_product(&comb, prover->one, lt, lt);
    pv_comb_add_product(&comb, pv_num(prover, 2), lt, i ? s0 : hy);
    pv_comb_add(&comb, i ? prover->one : pv_num(prover, -1), pv_sym(prover, sq));
    pv_comb_add(&comb, i ? prover->one : pv_num(prover, -1), hx);
    pv_thm bad = pv_comb_prove(prover, &comb, pv_gt0(prover, prover->zero));
    halves[i] = pv_cases(prover, f, pv_hyp(prover, f), pv_from_zero_below_zero(prover, f, bad));
  }
  return pv_antisym(prover, halves[0], halves[1]);
}
