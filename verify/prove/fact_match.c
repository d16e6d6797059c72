/* Facts out of the hypotheses, clauses included, in normal form and fitted to what is asked. */
#include "pv_norm.h"
#include "src/base/mem.h"
#include <stdlib.h>

/* --- facts out of the hypotheses */
pv_thm pv_fact_normal(pv *prover, pv_ctx ctx, pv_thm thm, ck_id *normal) {
  if (thm == PV_NONE)
    return PV_NONE;
  ck_id formula = pv_says(prover, thm);
  ck_op head = ck_head(prover->terms, formula);
  ck_id left = ck_kid(prover->terms, formula, 0);
  ck_id right = ck_kid(prover->terms, formula, 1);
  ck_id diff;
  ck_id claim;
  uint64_t known;
  diff = head == CK_NE ? (right == prover->zero ? left : pv_sub(prover, right, left))
                       : (left == prover->zero ? right : pv_sub(prover, right, left));
  if (as_map_get(&prover->inst_memo, AS_KEY(((uint64_t)ctx << 32) | formula, 0), &known)) {
    *normal = (ck_id)(known >> 32);
    return (uint32_t)known;
  }
  for (size_t i = 0; i < prover->fact_busy.n; i++) {
    if (AS_VEC_AT(&prover->fact_busy, uint64_t, i) == formula) {
      prover->cut = true;
      return PV_NONE;
    }
  }
  uint64_t key = formula;
  as_vec_push(&prover->fact_busy, &key);
  bool cut = prover->cut;
  prover->cut = false;
  pv_eqn eqn = pv_norm(prover, ctx, diff);
  prover->fact_busy.n--;
  pv_thm result = PV_NONE;
  if (eqn.by != PV_NONE) {
    pv_comb comb;
    pv_comb_init(&comb);
    claim = head == CK_NE ? pv_ne0(prover, eqn.to) : pv_rel(prover, head, prover->zero, eqn.to);
    pv_comb_add(&comb, head == CK_NE && right != prover->zero ? pv_num(prover, -1) : prover->one,
                thm);
    pv_comb_add(&comb, head == CK_NE ? pv_num(prover, -1) : prover->one, eqn.by);
    result = pv_comb_prove(prover, &comb, claim);
    *normal = eqn.to;
  }
  if (result != PV_NONE && !prover->cut)
    as_map_put(&prover->inst_memo, AS_KEY(((uint64_t)ctx << 32) | formula, 0),
               ((uint64_t)*normal << 32) | result);
  prover->cut = cut || prover->cut;
  return result;
}

/* the inverses (and a number) by which `part` is to be multiplied to be `whole`; CK_BAD: none */
static ck_id cofactor_of(pv *prover, const pv_poly *whole, const pv_poly *part, ck_id whole_term,
                         ck_id part_term) {
  ck_id rest[64];
  const pv_mono *first = &part->monos[0];
  for (uint32_t i = 0; i < whole->count; i++) {
    const pv_mono *mono = &whole->monos[i];
    if (mono->degree <= first->degree || mono->degree > 64)
      continue;
    int degree = pv_mono_div(mono->atoms, mono->degree, first->atoms, first->degree, rest);
    if (degree <= 0)
      continue;
    bool quotient = true;
    for (int k = 0; k < degree; k++)
      quotient = quotient && ck_head(prover->terms, rest[k]) == CK_INV;
    if (!quotient)
      continue;
    ck_id scale = pv_const_mul(prover, mono->coef, pv_const_inv(prover, first->coef));
    ck_id cofactor = pv_mono_term(prover, scale, rest, (uint32_t)degree);
    if (pv_canon(prover, pv_mul(prover, cofactor, part_term)) == pv_canon(prover, whole_term))
      return cofactor;
  }
  return CK_BAD;
}

/* 0 <= x from 0 <= c*x, where c is positive: were x negative, so would c*x be */
static pv_thm by_cofactor(pv *prover, pv_ctx ctx, ck_id wanted, pv_thm thm, ck_id cofactor) {
  ck_id claim = pv_ge0(prover, wanted);
  pv_thm positive = pv_positive(prover, ctx, cofactor);
  if (positive == PV_NONE)
    return PV_NONE;
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, pv_hyp(prover, ck_neg(prover->terms, claim)), positive);
  pv_comb_add(&comb, prover->one, thm);
  pv_thm absurd = pv_comb_prove(prover, &comb, pv_gt0(prover, prover->zero));
  return absurd == PV_NONE ? PV_NONE
                           : pv_cases(prover, claim, pv_hyp(prover, claim),
                                      pv_from_zero_below_zero(prover, claim, absurd));
}

/* x # 0 / 0 <= x / 0 < x from the fact s of the same kind about nf */
static pv_thm fact_fits(pv *prover, pv_ctx ctx, ck_op rel, ck_id wanted, pv_thm thm, ck_id normal) {
  pv_poly poly;
  pv_poly other;
  pv_thm result = PV_NONE;
  if (normal == wanted)
    return thm;
  pv_poly_init(&poly);
  pv_poly_init(&other);
  pv_poly_read(prover, &poly, normal);
  pv_poly_read(prover, &other, wanted);
  if (poly.count == other.count && poly.count > 0 && poly.monos[0].degree <= 64) { /* f = c*g */
    ck_id scale = CK_BAD;
    for (uint32_t j = 0; j < other.count; j++) {
      if (other.monos[j].degree == poly.monos[0].degree &&
          !pv_mono_div(poly.monos[0].atoms, poly.monos[0].degree, other.monos[j].atoms,
                       other.monos[j].degree, (ck_id[64]){0}))
        scale = pv_const_mul(prover, other.monos[j].coef, pv_const_inv(prover, poly.monos[0].coef));
    }
    if (scale != CK_BAD && (rel == CK_NE || pv_const_sign(prover, scale) > 0) &&
        pv_canon(prover, pv_mul(prover, scale, normal)) == pv_canon(prover, wanted))
      result = pv_scaled(
          prover, rel == CK_NE ? pv_ne0(prover, wanted) : pv_rel(prover, rel, prover->zero, wanted),
          scale, thm);
  }
  if (result == PV_NONE && rel == CK_LE && poly.count == other.count && poly.count > 1) {
    ck_id cofactor = cofactor_of(prover, &poly, &other, normal, wanted);
    prover->matter |= cofactor == CK_BAD ? 0 : PV_BY_QUOTIENTS;
    if (cofactor != CK_BAD && (prover->ways & PV_BY_QUOTIENTS))
      result = by_cofactor(prover, ctx, wanted, thm, cofactor);
  }
  if (result == PV_NONE && rel == CK_NE && poly.count == 1 && poly.monos[0].degree > 1 &&
      pv_is_atom(prover, wanted) && pv_mono_has(&poly.monos[0], wanted)) {
    ck_id *rest = as_malloc((poly.monos[0].degree + 1) * sizeof *rest);
    int degree = pv_mono_div(poly.monos[0].atoms, poly.monos[0].degree, &wanted, 1, rest);
    ck_id rest_term = pv_mono_term(prover, poly.monos[0].coef, rest, (uint32_t)degree);
    ck_id product = pv_mul(prover, wanted, rest_term);
    free(rest);
    pv_var_sub vars[2] = {{pv_real_var(prover, "x"), wanted},
                          {pv_real_var(prover, "y"), rest_term}};
    pv_thm restated = pv_restate(prover, pv_ne0(prover, product), thm);
    result = pv_use_lemma(prover, PV_NZ_LEFT, vars, 2, NULL, 0, &restated, 1);
  }
  pv_poly_clear(&poly);
  pv_poly_clear(&other);
  return result;
}

static pv_thm try_fact(pv *prover, pv_ctx ctx, ck_op rel, ck_id x, pv_thm thm) {
  ck_id normal = CK_BAD;
  if (thm == PV_NONE)
    return PV_NONE;
  ck_op head = ck_head(prover->terms, pv_says(prover, thm));
  pv_thm u = pv_fact_normal(prover, ctx, thm, &normal);
  if (u == PV_NONE)
    return PV_NONE;
  if (rel == CK_LE && head == CK_LT)
    u = pv_scaled(prover, pv_ge0(prover, normal), prover->one, u);
  if (rel == CK_NE && head == CK_LT)
    u = pv_scaled(prover, pv_ne0(prover, normal), pv_num(prover, -1), u);
  return fact_fits(prover, ctx, rel, x, u, normal);
}

static pv_thm clause_match(pv *prover, pv_ctx ctx, ck_op rel, ck_id x, pv_thm hyp) {
  pv_thm inst[12];
  uint32_t n = pv_clause_instances(prover, ctx, hyp, x, inst, 12);
  for (uint32_t i = 0; i < n; i++) {
    pv_thm thm = try_fact(prover, ctx, rel, x, inst[i]);
    if (thm != PV_NONE)
      return thm;
  }
  return PV_NONE;
}

pv_thm pv_fact_match(pv *prover, pv_ctx ctx, ck_op rel, ck_id x) {
  for (int clauses = 0; clauses < 2; clauses++) {
    for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
      ck_id formula = pv_at(prover, link)->formula;
      ck_id says = formula;
      bool all = ck_head(prover->terms, formula) == CK_ALL;
      pv_thm thm;
      if (all != (clauses == 1))
        continue;
      if (all)
        says = ck_kid(prover->terms, formula, ck_nkids(prover->terms, formula) - 1);
      ck_op head = ck_head(prover->terms, says);
      if (head == CK_EQ || (head != rel && !(head == CK_LT && rel != CK_LT)))
        continue;
      if (ck_is_int(prover->terms, ck_kid(prover->terms, says, 0)) &&
          ck_is_int(prover->terms, ck_kid(prover->terms, says, 1)))
        continue;
      thm = all ? clause_match(prover, ctx, rel, x, pv_at(prover, link)->thm)
                : try_fact(prover, ctx, rel, x, pv_at(prover, link)->thm);
      if (thm != PV_NONE)
        return thm;
    }
  }
  return PV_NONE;
}
