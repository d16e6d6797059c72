/* Lemmas about sine and cosine: their values at 0 and at -x follow from what they are at a sum and
 * from s*s + c*c = 1 (s, c: sine and cosine of one number). */
#include "pv_lemma.h"
#include "pv_steps.h"

/* x*x <= 1 gives x <= 1: if 1 < x, then 0 < (x - 1)*(x - 1) + 2*(x - 1) = x*x - 1 */
pv_thm pv_derive_unit(pv *prover) {
  ck_id x = pv_real_var(prover, "x");
  ck_id claim = pv_le(prover, x, prover->one);
  pv_thm square = pv_hyp(prover, pv_le(prover, pv_mul(prover, x, x), prover->one));
  pv_thm above = pv_hyp(prover, pv_lt(prover, prover->one, x));
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, above, above);
  pv_comb_add(&comb, pv_num(prover, 2), above);
  pv_comb_add(&comb, prover->one, square);
  pv_thm bad = pv_comb_prove(prover, &comb, pv_gt0(prover, prover->zero));
  return pv_cases(prover, claim, pv_hyp(prover, claim),
                  pv_from_zero_below_zero(prover, claim, bad));
}

typedef struct { /* at 0: three equations between s = sin 0 and c = cos 0, and s*s = 0 */
  ck_id sine;
  ck_id cosine;
  pv_thm doubled; /* s = 2*s*c */
  pv_thm linear;  /* c = 1 - 2*s*s */
  pv_thm square;  /* s*s = 0 */
} at_zero;

/* function(0 + 0) = function(0) */
static pv_thm call_of_no_sum(pv *prover, const char *function, ck_id sum, ck_id value) {
  pv_thm same = pv_identity(prover, pv_eq(prover, sum, value));
  return pv_cong(prover, pv_call(prover, function, sum), pv_call(prover, function, value), &same,
                 1);
}

static at_zero equations_at_zero(pv *prover) {
  ck_id zero = prover->zero;
  ck_id sum = pv_add(prover, zero, zero);
  ck_id half = pv_const_inv(prover, pv_num(prover, 2));
  at_zero at = {.sine = pv_call(prover, "sin", zero), .cosine = pv_call(prover, "cos", zero)};
  ck_id s = at.sine;
  ck_id c = at.cosine;
  ck_id ss = pv_mul(prover, s, s);
  ck_id cc = pv_mul(prover, c, c);
  ck_id minus_one = pv_num(prover, -1);
  pv_thm circle = pv_law1(prover, "sin2", zero, PV_NONE);
  at.doubled =
      PV_COMBINE(prover, pv_eq(prover, s, pv_mul(prover, pv_num(prover, 2), pv_mul(prover, s, c))),
                 minus_one, call_of_no_sum(prover, "sin", sum, zero), prover->one,
                 pv_law2(prover, "sin+", zero, zero, PV_NONE));
  pv_thm squares = PV_COMBINE(prover, pv_eq(prover, pv_add(prover, c, ss), cc), minus_one,
                              call_of_no_sum(prover, "cos", sum, zero), prover->one,
                              pv_law2(prover, "cos+", zero, zero, PV_NONE));
  at.linear =
      PV_COMBINE(prover, pv_eq(prover, c, pv_sub(prover, prover->one, pv_add(prover, ss, ss))),
                 prover->one, squares, prover->one, circle);
  at.square = PV_COMBINE(prover, pv_eq(prover, ss, zero), pv_neg(prover, half), circle,
                         pv_mul(prover, half, pv_add(prover, prover->one, c)), at.linear,
                         pv_mul(prover, half, s), at.doubled);
  return at;
}

pv_thm pv_derive_sin0(pv *prover) {
  at_zero at = equations_at_zero(prover);
  return PV_COMBINE(prover, pv_eq(prover, at.sine, prover->zero), pv_num(prover, -1), at.doubled,
                    pv_mul(prover, pv_num(prover, -2), at.sine), at.linear,
                    pv_mul(prover, pv_num(prover, 4), at.sine), at.square);
}

pv_thm pv_derive_cos0(pv *prover) {
  at_zero at = equations_at_zero(prover);
  return PV_COMBINE(prover, pv_eq(prover, at.cosine, prover->one), prover->one, at.linear,
                    pv_num(prover, -2), at.square);
}

/* With p, q the sine and cosine of -x:  0 = s*q + c*p  and  1 + s*p = c*q,  the sine and cosine of
 * x + -x.  c times the first and s times the second give p = -s, the other way round q = c. */
static pv_thm of_negated(pv *prover, bool sine) {
  ck_id x = pv_real_var(prover, "x");
  ck_id n = pv_neg(prover, x);
  ck_id sum = pv_add(prover, x, n);
  ck_id s = pv_call(prover, "sin", x);
  ck_id c = pv_call(prover, "cos", x);
  ck_id p = pv_call(prover, "sin", n);
  ck_id q = pv_call(prover, "cos", n);
  ck_id minus_one = pv_num(prover, -1);
  pv_thm circle = pv_law1(prover, "sin2", x, PV_NONE);
  ck_id first_right = pv_add(prover, pv_mul(prover, s, q), pv_mul(prover, c, p));
  pv_thm first =
      PV_COMBINE(prover, pv_eq(prover, prover->zero, first_right), minus_one,
                 call_of_no_sum(prover, "sin", sum, prover->zero), minus_one,
                 pv_lemma(prover, PV_SIN0), prover->one, pv_law2(prover, "sin+", x, n, PV_NONE));
  ck_id second_left = pv_add(prover, prover->one, pv_mul(prover, s, p));
  pv_thm second =
      PV_COMBINE(prover, pv_eq(prover, second_left, pv_mul(prover, c, q)), minus_one,
                 call_of_no_sum(prover, "cos", sum, prover->zero), minus_one,
                 pv_lemma(prover, PV_COS0), prover->one, pv_law2(prover, "cos+", x, n, PV_NONE));
  if (sine)
    return PV_COMBINE(prover, pv_eq(prover, p, pv_neg(prover, s)), pv_neg(prover, c), first, s,
                      second, pv_neg(prover, p), circle);
  return PV_COMBINE(prover, pv_eq(prover, q, c), pv_neg(prover, c), second, pv_neg(prover, s),
                    first, pv_neg(prover, q), circle);
}

pv_thm pv_derive_sin_neg(pv *prover) {
  return of_negated(prover, true);
}

pv_thm pv_derive_cos_neg(pv *prover) {
  return of_negated(prover, false);
}
