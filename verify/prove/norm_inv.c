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
static pv_eqn inv_factor(pv *prover, ck_id x, pv_thm nonzero) {
  ck_id term = pv_inv(prover, x);
  pv_eqn eqn = pv_same(term);
  if (pv_is_const(prover, x)) {
    eqn.to = pv_const_inv(prover, x);
    eqn.by = pv_scaled(prover, pv_eq(prover, term, eqn.to), eqn.to,
                       pv_law(prover, "inv", &x, 1, nonzero));
  }
  return eqn;
}

/* inv(product f) = product of inv(f_i), each simplified */
static pv_eqn inv_product(pv *prover, pv_ctx ctx, const ck_id *formula, const pv_thm *nonzero,
                          uint32_t n) {
  ck_id acc = formula[0];
  ck_id cur;
  pv_thm accnz = nonzero[0];
  pv_eqn eqn = inv_factor(prover, formula[0], nonzero[0]);
  pv_eqn x;
  cur = eqn.to;
  pv_thm thm = eqn.by; /* inv(acc) = cur */
  for (uint32_t i = 1; i < n; i++) {
    pv_var_sub vars[2] = {{pv_real_var(prover, "x"), acc}, {pv_real_var(prover, "y"), formula[i]}};
    pv_thm premises[2] = {accnz, nonzero[i]};
    pv_thm im = pv_use_lemma(prover, PV_INV_MUL, vars, 2, NULL, 0, premises, 2);
    ck_id ifi = pv_inv(prover, formula[i]);
    x = inv_factor(prover, formula[i], nonzero[i]);
    ck_id next = pv_mul(prover, acc, formula[i]);
    pv_summand summand = {pv_num(prover, -1), premises, 2};
    pv_comb comb;
    pv_comb_init(&comb); /* inv(acc*f) = inv acc * inv f = cur * x */
    pv_comb_add(&comb, prover->one, im);
    pv_comb_add(&comb, ifi, thm);
    pv_comb_add(&comb, cur, x.by);
    cur = pv_mul(prover, cur, x.to);
    thm = pv_comb_prove(prover, &comb, pv_eq(prover, pv_inv(prover, next), cur));
    accnz = pv_arith(prover, pv_ne0(prover, next), &summand, 1);
    acc = next;
  }
  eqn.to = cur;
  eqn.by = thm;
  if (thm == PV_NONE)
    return pv_fail();
  return pv_then(prover, eqn, pv_norm(prover, ctx, cur));
}

pv_eqn pv_norm_inv(pv *prover, pv_ctx ctx, ck_id term) {
  enum { MAXF = 24 };

  ck_id u = ck_kid(prover->terms, term, 0);
  ck_id formula[MAXF + 1];
  pv_thm nonzero[MAXF + 1];
  uint32_t n;
  if (pv_is_const(prover, u))
    return pv_is_zero(prover, u) ? pv_same(term)
                                 : inv_factor(prover, u, pv_by_value(prover, pv_ne0(prover, u)));
  if (ck_head(prover->terms, u) == CK_INV) { /* inv(inv y) */
    pv_var_sub vars = {pv_real_var(prover, "x"), ck_kid(prover->terms, u, 0)};
    pv_thm y = pv_nonzero(prover, ctx, vars.term);
    pv_eqn eqn = {vars.term, y == PV_NONE
                                 ? PV_NONE
                                 : pv_use_lemma(prover, PV_INV_INV, &vars, 1, NULL, 0, &y, 1)};
    return y == PV_NONE ? pv_same(term) : eqn;
  }
  if (ck_head(prover->terms, u) != CK_ADD && ck_head(prover->terms, u) != CK_MUL)
    return pv_same(term);
  n = pv_normal_factors(prover, ctx, u, formula, MAXF);
  if (n < 2)
    return pv_same(term);
  pv_thm whole;
  ck_id w = product(prover, formula, n);
  pv_eqn uw = pv_norm_poly(prover, ctx, w); /* w = u */
  if (uw.by == PV_NONE || uw.to != u)
    return pv_same(term);
  pv_thm nu = pv_nonzero(prover, ctx, u);
  whole = nu == PV_NONE ? PV_NONE
          : uw.by == PV_REFL
              ? nu
              : pv_arith(prover, pv_ne0(prover, w),
                         (pv_summand[]){{prover->one, &nu, 1}, {prover->one, &uw.by, 1}}, 2);
  if (!factors_nonzero(prover, ctx, formula, n, whole, nonzero))
    return pv_same(term);
  pv_thm back = uw.by == PV_REFL ? PV_REFL : pv_sym(prover, uw.by);
  pv_eqn eqn = {pv_inv(prover, w), PV_REFL};
  if (back != PV_REFL)
    eqn.by = pv_cong(prover, term, eqn.to, &back, 1);
  /* what was learnt about the factors stays known */
  for (uint32_t i = 0; i < n; i++) {
    as_map_put(
        &prover->rel_memo,
        AS_KEY(((uint64_t)pv_ctx_strip(prover, ctx, formula[i]) << 32) | pv_ne0(prover, formula[i]),
               1),
        nonzero[i]);
  }
  pv_eqn result = inv_product(prover, ctx, formula, nonzero, n);
  if (result.by == PV_NONE || eqn.by == PV_NONE)
    return pv_same(term);
  return pv_then(prover, eqn, result);
}
