/* Normal form of inverses: of a product the inverses of its factors, of an inverse what it is of,
 * wherever the factors are known to differ from 0. */
#include "pv_norm.h"

/* product of the factors f[0..n-1] in left order */
static ck_id product(pv *prover, const ck_id *formula, uint32_t n) {
  ck_id term = formula[0];
  for (uint32_t i = 1; i < n; i++)
    term = pv_mul(prover, term, formula[i]);
  return term;
}

/* all factors of w = product(f) nonzero: each by itself, or out of `whole`: w # 0 */
static bool factors_nonzero(pv *prover, pv_ctx ctx, const ck_id *formula, uint32_t n, pv_thm whole,
                            pv_thm *nonzero) {
  pv_var_sub vars[2] = {{pv_real_var(prover, "x"), CK_BAD}, {pv_real_var(prover, "y"), CK_BAD}};
  for (uint32_t i = n; i-- > 0;) {
    nonzero[i] = pv_is_const(prover, formula[i]) ? pv_by_value(prover, pv_ne0(prover, formula[i]))
                                                 : pv_nonzero(prover, ctx, formula[i]);
    if (i == 0) {
      if (nonzero[0] == PV_NONE)
        nonzero[0] = whole;
    } else {
      vars[0].term = product(prover, formula, i);
      vars[1].term = formula[i];
      if (nonzero[i] == PV_NONE && whole != PV_NONE)
        nonzero[i] = pv_use_lemma(prover, PV_NZ_RIGHT, vars, 2, NULL, 0, &whole, 1);
      whole = whole == PV_NONE ? PV_NONE
                               : pv_use_lemma(prover, PV_NZ_LEFT, vars, 2, NULL, 0, &whole, 1);
    }
    if (nonzero[i] == PV_NONE)
      return false;
  }
  return true;
}

/* inv of an atom or constant: inv(q), inv(inv y) = y */
static pv_eqn inv_factor(pv *prover, ck_id factor, pv_thm nonzero) {
  ck_id term = pv_inv(prover, factor);
  pv_eqn eqn = pv_same(term);
  if (pv_is_const(prover, factor)) {
    eqn.to = pv_const_inv(prover, factor);
    eqn.by = pv_scaled(prover, pv_eq(prover, term, eqn.to), eqn.to,
                       pv_law(prover, "inv", &factor, 1, nonzero));
  }
  return eqn;
}

/* inv(product f) = product of inv(f_i), each simplified */
static pv_eqn inv_product(pv *prover, pv_ctx ctx, const ck_id *formula, const pv_thm *nonzero,
                          uint32_t n) {
  ck_id done = formula[0];
  ck_id inverse;
  pv_thm done_nonzero = nonzero[0];
  pv_eqn eqn = inv_factor(prover, formula[0], nonzero[0]);
  pv_eqn next_inverse;
  inverse = eqn.to;
  pv_thm thm = eqn.by; /* inv(acc) = cur */
  for (uint32_t i = 1; i < n; i++) {
    pv_var_sub vars[2] = {{pv_real_var(prover, "x"), done}, {pv_real_var(prover, "y"), formula[i]}};
    pv_thm premises[2] = {done_nonzero, nonzero[i]};
    pv_thm apart = pv_use_lemma(prover, PV_INV_MUL, vars, 2, NULL, 0, premises, 2);
    ck_id inv_next = pv_inv(prover, formula[i]);
    next_inverse = inv_factor(prover, formula[i], nonzero[i]);
    ck_id next = pv_mul(prover, done, formula[i]);
    pv_summand summand = {pv_num(prover, -1), premises, 2};
    pv_comb comb;
    pv_comb_init(&comb); /* inv(acc*f) = inv acc * inv f = cur * x */
    pv_comb_add(&comb, prover->one, apart);
    pv_comb_add(&comb, inv_next, thm);
    pv_comb_add(&comb, inverse, next_inverse.by);
    inverse = pv_mul(prover, inverse, next_inverse.to);
    thm = pv_comb_prove(prover, &comb, pv_eq(prover, pv_inv(prover, next), inverse));
    done_nonzero = pv_arith(prover, pv_ne0(prover, next), &summand, 1);
    done = next;
  }
  eqn.to = inverse;
  eqn.by = thm;
  if (thm == PV_NONE)
    return pv_fail();
  return pv_then(prover, eqn, pv_norm(prover, ctx, inverse));
}

/* What was learnt about a factor stays known, in the least context that the factor needs; but not
 * where the product that it was learnt from needs more: the proof may rest on the range of a
 * variable that the factor does not have. */
static void remember_nonzero(pv *prover, pv_ctx ctx, ck_id factor, pv_thm nonzero) {
  pv_ctx least = pv_ctx_strip(prover, ctx, factor);
  uint32_t n;
  const ck_id *hyps = ck_thm_hyps(prover->proof, nonzero, &n);
  for (pv_ctx link = ctx; link != least; link = pv_at(prover, link)->parent) {
    for (uint32_t i = 0; i < n; i++) {
      if (hyps[i] == pv_at(prover, link)->formula)
        return;
    }
  }
  as_map_put(&prover->rel_memo, AS_KEY(((uint64_t)least << 32) | pv_ne0(prover, factor), 1),
             nonzero);
}

pv_eqn pv_norm_inv(pv *prover, pv_ctx ctx, ck_id term) {
  enum { MAXF = 24 };

  ck_id under = ck_kid(prover->terms, term, 0);
  ck_id formula[MAXF + 1];
  pv_thm nonzero[MAXF + 1];
  uint32_t n;
  if (pv_is_const(prover, under))
    return pv_is_zero(prover, under)
               ? pv_same(term)
               : inv_factor(prover, under, pv_by_value(prover, pv_ne0(prover, under)));
  if (ck_head(prover->terms, under) == CK_INV) { /* inv(inv y) */
    pv_var_sub vars = {pv_real_var(prover, "x"), ck_kid(prover->terms, under, 0)};
    pv_thm under_nonzero = pv_nonzero(prover, ctx, vars.term);
    pv_eqn eqn = {vars.term, under_nonzero == PV_NONE ? PV_NONE
                                                      : pv_use_lemma(prover, PV_INV_INV, &vars, 1,
                                                                     NULL, 0, &under_nonzero, 1)};
    return under_nonzero == PV_NONE ? pv_same(term) : eqn;
  }
  if (ck_head(prover->terms, under) != CK_ADD && ck_head(prover->terms, under) != CK_MUL)
    return pv_same(term);
  n = pv_normal_factors(prover, ctx, under, formula, MAXF);
  if (n < 2)
    return pv_same(term);
  pv_thm whole;
  ck_id w = product(prover, formula, n);
  pv_eqn product_eqn = pv_norm_poly(prover, ctx, w); /* w = u */
  if (product_eqn.by == PV_NONE || product_eqn.to != under)
    return pv_same(term);
  pv_thm under_thm = pv_nonzero(prover, ctx, under);
  whole = under_thm == PV_NONE        ? PV_NONE
          : product_eqn.by == PV_REFL ? under_thm
                                      : pv_arith(prover, pv_ne0(prover, w),
                                                 (pv_summand[]){{prover->one, &under_thm, 1},
                                                                {prover->one, &product_eqn.by, 1}},
                                                 2);
  if (!factors_nonzero(prover, ctx, formula, n, whole, nonzero))
    return pv_same(term);
  pv_thm back = product_eqn.by == PV_REFL ? PV_REFL : pv_sym(prover, product_eqn.by);
  pv_eqn eqn = {pv_inv(prover, w), PV_REFL};
  if (back != PV_REFL)
    eqn.by = pv_cong(prover, term, eqn.to, &back, 1);
  for (uint32_t i = 0; i < n; i++)
    remember_nonzero(prover, ctx, formula[i], nonzero[i]);
  pv_eqn result = inv_product(prover, ctx, formula, nonzero, n);
  if (result.by == PV_NONE || eqn.by == PV_NONE)
    return pv_same(term);
  return pv_then(prover, eqn, result);
}
