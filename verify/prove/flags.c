/* Choices by a flag: `if(t = 1, u, v)`, where t is itself a choice between numbers, is one by the
 * condition of t (see pv_norm.h).  Kernels carry such flags, as "no number was met yet".
 * Choices by an equation that is an order. */
#include "pv_norm.h"

typedef struct {
  ck_id cond;     /* left = right, or that they differ */
  ck_id flag;     /* t */
  ck_id factor;   /* right - left = factor*t + rest */
  ck_id value[2]; /* of right - left where the condition of t holds; where it does not */
} flagged;

static bool read_flag(pv *prover, ck_id cond, flagged *found) {
  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, cond);
  bool fits = false;
  pv_poly poly;
  if (head != CK_EQ && head != CK_NE)
    return false;
  found->cond = cond;
  ck_id gap = pv_canon(prover, pv_sub(prover, ck_kid(terms, cond, 1), ck_kid(terms, cond, 0)));
  ck_id rest = prover->zero;
  found->flag = CK_BAD;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, gap);
  for (uint32_t i = 0; i < poly.count; i++) {
    if (poly.monos[i].degree == 0) {
      rest = poly.monos[i].coef;
    } else if (poly.monos[i].degree == 1) {
      found->flag = poly.monos[i].atoms[0];
      found->factor = poly.monos[i].coef;
    }
  }
  fits = poly.count <= 2 && found->flag != CK_BAD && ck_is(terms, found->flag, CK_ITE);
  fits = fits && (poly.count == 1 || !pv_is_zero(prover, rest));
  pv_poly_clear(&poly);
  for (uint32_t i = 0; i < 2 && fits; i++) {
    ck_id number = ck_kid(terms, found->flag, 1 + i);
    fits = pv_is_const(prover, number);
    if (fits)
      found->value[i] = pv_const_add(prover, pv_const_mul(prover, found->factor, number), rest);
  }
  return fits && pv_is_zero(prover, found->value[0]) != pv_is_zero(prover, found->value[1]);
}

/* the condition, or its negation, by what the flag is on one side */
static pv_thm decided(pv *prover, const flagged *found, uint32_t side, bool *holds) {
  bool zero = pv_is_zero(prover, found->value[side]);
  ck_id by = ck_kid(prover->terms, found->flag, 0);
  pv_thm here = pv_hyp(prover, side ? ck_neg(prover->terms, by) : by);
  pv_thm law = pv_law(prover, side ? "ite0" : "ite1", &found->flag, 1, here);
  ck_id minus = pv_num(prover, -1);
  *holds = zero == (ck_head(prover->terms, found->cond) == CK_EQ);
  ck_id claim = *holds ? found->cond : ck_neg(prover->terms, found->cond);
  pv_thm apart = zero ? PV_REFL : pv_by_value(prover, pv_ne0(prover, found->value[side]));
  return PV_COMBINE(prover, claim, pv_const_mul(prover, found->factor, minus), law, minus, apart);
}

pv_eqn pv_by_flag(pv *prover, ck_id term) {
  flagged found;
  pv_thm part[2];
  ck_id chosen[2];
  if (!read_flag(prover, ck_kid(prover->terms, term, 0), &found))
    return pv_same(term);
  ck_id by = ck_kid(prover->terms, found.flag, 0);
  for (uint32_t i = 0; i < 2; i++) {
    bool holds;
    pv_thm thm = decided(prover, &found, i, &holds);
    part[i] = thm == PV_NONE ? PV_NONE : pv_law(prover, holds ? "ite1" : "ite0", &term, 1, thm);
    if (part[i] == PV_NONE)
      return pv_same(term);
    chosen[i] = pv_right(prover, part[i]);
  }
  pv_eqn eqn = {ck_ite(prover->terms, by, chosen[0], chosen[1]), PV_NONE};
  for (uint32_t i = 0; i < 2; i++) {
    pv_thm here = pv_hyp(prover, i ? ck_neg(prover->terms, by) : by);
    pv_thm law = pv_law(prover, i ? "ite0" : "ite1", &eqn.to, 1, here);
    part[i] = pv_trans(prover, part[i], pv_sym(prover, law));
  }
  eqn.by = pv_cases(prover, by, part[0], part[1]);
  return eqn.by == PV_NONE ? pv_same(term) : eqn;
}

pv_eqn pv_by_extreme(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id cond = ck_kid(prover->terms, term, 0);
  ck_id sides[2] = {ck_kid(prover->terms, cond, 0), ck_kid(prover->terms, cond, 1)};
  bool equal = ck_head(prover->terms, cond) == CK_EQ;
  if ((!equal && ck_head(prover->terms, cond) != CK_NE) || !ck_is_int(prover->terms, sides[0]) ||
      !ck_is_int(prover->terms, sides[1]))
    return pv_same(term);
  prover->matter |= PV_UNDER_CHOICES;
  if (!(prover->ways & PV_UNDER_CHOICES))
    return pv_same(term);
  for (uint32_t most = 0; most < 2; most++) { /* gap: what is known to be at least 0 */
    ck_id gap = pv_canon(prover, pv_sub(prover, sides[1 - most], sides[most]));
    pv_thm least =
        pv_is_const(prover, gap) ? PV_NONE : pv_follows(prover, ctx, pv_ge0(prover, gap));
    if (least == PV_NONE)
      continue;
    ck_id order = pv_le(prover, gap, prover->zero);
    ck_id differ = pv_ne0(prover, gap);
    ck_id than[2] = {ck_kid(prover->terms, term, equal ? 1 : 2),
                     ck_kid(prover->terms, term, equal ? 2 : 1)};
    pv_eqn eqn = {ck_ite(prover->terms, order, than[0], than[1]), PV_NONE};
    pv_thm part[2];
    for (uint32_t i = 0; i < 2; i++) { /* i: the sides differ */
      bool fails = (i == 0) != equal;
      pv_thm here = pv_hyp(prover, fails ? ck_neg(prover->terms, cond) : cond);
      ck_id sign = pv_num(prover, most ? 1 : -1);
      pv_thm apart = i ? pv_scaled(prover, differ, sign, here) : PV_NONE;
      pv_thm above = pv_positive_of_nonzero(prover, gap, least, apart);
      pv_thm decided = i ? pv_restate(prover, ck_neg(prover->terms, order), above)
                         : PV_COMBINE(prover, order, sign, here);
      pv_thm old_law = pv_law(prover, fails ? "ite0" : "ite1", &term, 1, here);
      pv_thm new_law = pv_law(prover, i ? "ite0" : "ite1", &eqn.to, 1, decided);
      part[i] = pv_trans(prover, old_law, pv_sym(prover, new_law));
    }
    eqn.by = pv_cases(prover, cond, part[equal ? 0 : 1], part[equal ? 1 : 0]);
    if (eqn.by != PV_NONE)
      return eqn;
  }
  return pv_same(term);
}
