/* Lemmas about integers: squares, quotients. */
#include "pv_lemma.h"
#include "pv_steps.h"

/* 0 <= r, r < b, a = b*q + r  gives  a div b = q */
pv_thm pv_derive_divmod(pv *prover) {
  ck_id a = pv_int_var(prover, "a");
  ck_id b = pv_int_var(prover, "b");
  ck_id q = pv_int_var(prover, "q");
  ck_id r = pv_int_var(prover, "r");
  ck_id d = ck_mk2(prover->terms, CK_DIV, a, b);
  ck_id half[2];
  pv_thm h1 = pv_hyp(prover, pv_ge0(prover, r));
  pv_thm h2 = pv_hyp(prover, pv_lt(prover, r, b));
  pv_thm h3 = pv_hyp(prover, pv_eq(prover, a, pv_add(prover, pv_mul(prover, b, q), r)));
  pv_thm divisor_pos = PV_COMBINE(prover, pv_gt0(prover, b), prover->one, h1, prover->one, h2);
  pv_thm x = pv_law2(prover, "div", a, b, divisor_pos);
  pv_thm y = pv_law2(prover, "mod>", a, b, divisor_pos);
  pv_thm w = pv_law2(prover, "mod<", a, b, divisor_pos);
  for (int i = 0; i < 2; i++) { /* 0: not q < d; 1: not d < q */
    ck_id u = i ? d : q;
    ck_id v = i ? q : d;
    ck_id f = pv_le(prover, v, u);
    pv_thm n = pv_int(prover, pv_le(prover, pv_add(prover, u, prover->one), v),
                      pv_hyp(prover, pv_lt(prover, u, v)));
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add_product(&comb, prover->one, divisor_pos, n);
    pv_comb_add(&comb, prover->one, i ? h1 : y);
    pv_comb_add(&comb, prover->one, i ? w : h2);
    pv_comb_add(&comb, i ? prover->one : pv_num(prover, -1), x);
    pv_comb_add(&comb, i ? pv_num(prover, -1) : prover->one, h3);
    half[i] = pv_cases(prover, f, pv_hyp(prover, f),
                       pv_from_zero_below_zero(
                           prover, f, pv_comb_prove(prover, &comb, pv_gt0(prover, prover->zero))));
  }
  return pv_antisym(prover, half[0], half[1]);
}

pv_thm pv_divided(pv *prover, ck_id dividend, ck_id divisor, ck_id quotient, ck_id rest,
                  const pv_thm premises[3]) {
  pv_var_sub vars[4] = {{pv_int_var(prover, "a"), dividend},
                        {pv_int_var(prover, "b"), divisor},
                        {pv_int_var(prover, "q"), quotient},
                        {pv_int_var(prover, "r"), rest}};
  return pv_use_lemma(prover, PV_DIVMOD, vars, 4, NULL, 0, premises, 3);
}

static pv_thm div_bound(pv *prover, bool low) {
  ck_id a = pv_int_var(prover, "a");
  ck_id b = pv_int_var(prover, "b");
  ck_id c = pv_int_var(prover, "c");
  ck_id d = ck_mk2(prover->terms, CK_DIV, a, b);
  ck_id f = low ? pv_ge0(prover, d) : pv_lt(prover, d, c);
  pv_thm divisor_pos = pv_hyp(prover, pv_gt0(prover, b));
  pv_thm hyp = pv_hyp(prover, low ? pv_ge0(prover, a) : pv_lt(prover, a, pv_mul(prover, c, b)));
  pv_thm x = pv_law2(prover, "div", a, b, divisor_pos);
  pv_thm n;
  pv_comb comb;
  pv_comb_init(&comb);
  if (low) {
    n = pv_int(prover, pv_le(prover, pv_add(prover, d, prover->one), prover->zero),
               pv_hyp(prover, pv_lt(prover, d, prover->zero)));
  } else {
    n = pv_hyp(prover, pv_le(prover, c, d));
  }
  pv_comb_add_product(&comb, prover->one, divisor_pos, n);
  pv_comb_add(&comb, prover->one, hyp);
  pv_comb_add(&comb, prover->one, pv_law2(prover, low ? "mod<" : "mod>", a, b, divisor_pos));
  pv_comb_add(&comb, low ? prover->one : pv_num(prover, -1), x);
  return pv_cases(prover, f, pv_hyp(prover, f),
                  pv_from_zero_below_zero(
                      prover, f, pv_comb_prove(prover, &comb, pv_gt0(prover, prover->zero))));
}

/* n <= n*n for an integer n: n <= 0, or 1 <= n */
pv_thm pv_derive_int_square(pv *prover) {
  ck_id n = pv_int_var(prover, "n");
  ck_id f = pv_le(prover, n, pv_mul(prover, n, n));
  ck_id c = pv_le(prover, n, prover->zero);
  pv_thm cases[2];
  pv_thm hyp = pv_hyp(prover, c);
  pv_thm g = pv_hyp(prover, pv_gt0(prover, n));
  pv_thm g1 = pv_int(prover, pv_ge0(prover, pv_sub(prover, n, prover->one)), g);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, hyp, hyp);
  pv_comb_add(&comb, prover->one, hyp); /* n*n - n */
  cases[0] = pv_comb_prove(prover, &comb, f);
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, g, g1);
  cases[1] = pv_comb_prove(prover, &comb, f);
  return pv_cases(prover, c, cases[0], cases[1]);
}

pv_thm pv_derive_div_lo(pv *prover) {
  return div_bound(prover, true);
}

pv_thm pv_derive_div_hi(pv *prover) {
  return div_bound(prover, false);
}
