/* Normal form of ite under a condition that orders reals: 0 <= E or 0 < E with E free of positive
 * factors and with a positive leading coefficient; ite(c, u, v) becomes v + m*ite(c', w0, 0) where
 * u - v = m*w0.  So maximum, minimum, absolute value and relu meet in one form, whichever way they
 * were written, and positive factors come out of them. */
#include "pv_norm.h"

enum { MAXF = 24 };

typedef struct {
  ck_id whole;
  ck_id primitive;
  ck_id pos;
  int sign;
  pv_thm by;
  pv_thm pos_thm;
} signed_split; /* whole = sign*pos*primitive by `by` */

static bool split_sign(pv *prover, pv_ctx ctx, ck_id diff, signed_split *split) {
  ck_id formula[MAXF + 1];
  ck_id pos = prover->one;
  ck_id rest = prover->one;
  uint32_t n = pv_poly_content(prover, diff, formula, MAXF);
  if (n == 0) {
    formula[0] = diff;
    n = 1;
  }
  split->whole = diff;
  split->sign = 1;
  split->pos_thm = pv_by_value(prover, pv_gt0(prover, prover->one));
  for (uint32_t i = 0; i < n; i++) {
    pv_thm factor_pos;
    if (pv_is_const(prover, formula[i])) {
      if (pv_const_sign(prover, formula[i]) == 0)
        return false;
      if (pv_const_sign(prover, formula[i]) < 0) {
        split->sign = -split->sign;
        formula[i] = pv_const_mul(prover, formula[i], pv_num(prover, -1));
      }
      if (pv_is_one(prover, formula[i]))
        continue;
      factor_pos = pv_by_value(prover, pv_gt0(prover, formula[i]));
    } else {
      factor_pos = n == 1 ? PV_NONE : pv_positive(prover, ctx, formula[i]);
    }
    if (factor_pos == PV_NONE) {
      rest = pv_is_one(prover, rest) ? formula[i] : pv_mul(prover, rest, formula[i]);
      continue;
    }
    pv_thm premises[2] = {split->pos_thm, factor_pos};
    pv_summand summand = {prover->one, premises, 2};
    pos = pv_mul(prover, pos, formula[i]);
    split->pos_thm = pv_arith(prover, pv_gt0(prover, pos), &summand, 1);
  }
  pv_eqn result = pv_norm_poly(prover, ctx, rest);
  if (result.by == PV_NONE || pv_is_const(prover, result.to))
    return false;
  split->primitive = result.to;
  split->pos = pos;
  ck_id back = pv_mul(prover, pv_num(prover, split->sign), pv_mul(prover, pos, split->primitive));
  pv_eqn back_normal = pv_norm_poly(prover, ctx, back);
  if (back_normal.by == PV_NONE || back_normal.to != diff || split->pos_thm == PV_NONE)
    return false;
  split->by = back_normal.by; /* back = D */
  return true;
}

/* theorem h about D (`0 <= D` and the like, D on the side given by low: true 0 rel D) carried over
 * to E: the same relation, turned if sign < 0 */
static pv_thm carry(pv *prover, const signed_split *split, ck_op head, bool low, pv_thm hyp) {
  bool new_low = split->sign > 0 ? low : !low;
  ck_id goal = new_low ? pv_rel(prover, head, prover->zero, split->primitive)
                       : pv_rel(prover, head, split->primitive, prover->zero);
  ck_id inv_scale = pv_inv(prover, split->pos);
  pv_var_sub vars = {pv_real_var(prover, "x"), split->pos};
  pv_thm inv_pos = pv_use_lemma(prover, PV_INV_POS, &vars, 1, NULL, 0, &split->pos_thm, 1);
  pv_thm nonzero =
      pv_scaled(prover, pv_ne0(prover, split->pos), pv_num(prover, -1), split->pos_thm);
  pv_thm cancel = pv_law(prover, "inv", &split->pos, 1, nonzero);
  /* value of h: +-D = +-sign*pos*E; of the goal: +-E, the same sign after turning */
  ck_id value = new_low ? split->primitive : pv_neg(prover, split->primitive);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, inv_pos, hyp);
  pv_comb_add(&comb, value, cancel); /* val*(1 - pos*inv pos) */
  pv_comb_add(&comb, low ? pv_neg(prover, inv_scale) : inv_scale,
              split->by); /* eq: sign*pos*E = D, value D - sign*pos*E */
  return pv_comb_prove(prover, &comb, goal);
}

/* w = m*w0; quot*E = w if E divides w, else CK_BAD */
static void factor_branch(pv *prover, ck_id gap, ck_id primitive, ck_id *outside, ck_id *inside,
                          ck_id *quot) {
  ck_id formula[MAXF + 1];
  uint32_t n = pv_poly_content(prover, gap, formula, MAXF);
  bool sum = ck_head(prover->terms, gap) == CK_ADD;
  *outside = prover->one;
  *inside = gap;
  *quot = CK_BAD;
  if (n == 0) {
    formula[0] = gap;
    n = 1;
  }
  if (!sum) { /* one monomial: E comes last if it is there */
    *inside = prover->one;
    for (uint32_t i = 0; i < n; i++) {
      if (formula[i] == primitive && *inside == prover->one)
        *inside = primitive;
      else
        *outside = pv_mul(prover, *outside, formula[i]);
    }
  } else {
    for (uint32_t i = 0; i + 1 < n; i++)
      *outside = pv_mul(prover, *outside, formula[i]);
    *inside = formula[n - 1];
  }
  if (*inside == primitive)
    *quot = *outside;
}

/* term = ite(cond, then, otherwise) and what takes its place,
 *   target = low + outside*inner,  inner = ite(new_cond, inside, 0),
 * where `low` is the branch that new_cond excludes, `high` the other, and high - low = gap. */
typedef struct {
  ck_id term;
  ck_id cond;
  ck_id then;
  ck_id otherwise;
  ck_id diff; /* cond is 0 <= diff or 0 < diff */
  signed_split split;
  ck_id high;
  ck_id low;
  ck_id outside;
  ck_id inside;
  ck_id quotient;     /* gap = quotient*primitive; CK_BAD where the primitive does not divide it */
  pv_thm product_thm; /* outside*inside = gap, or PV_REFL */
  ck_op relation;     /* of new_cond */
  ck_id new_cond;
  ck_id not_new;
  ck_id inner;
  ck_id target;
} order_ite;

/* How the gap between the branches is written as a product; false where that fails. */
static bool factor_gap(pv *prover, pv_ctx ctx, order_ite *ite) {
  ck_id gap = pv_canon(prover, pv_sub(prover, ite->high, ite->low));
  factor_branch(prover, gap, ite->split.primitive, &ite->outside, &ite->inside, &ite->quotient);
  pv_eqn product = pv_norm_poly(prover, ctx, pv_mul(prover, ite->outside, ite->inside));
  ite->product_thm = product.by;
  if (product.by == PV_NONE || product.to == gap)
    return product.by != PV_NONE;
  ite->outside = prover->one;
  ite->inside = gap;
  ite->quotient = CK_BAD;
  ite->product_thm = PV_REFL;
  return true;
}

/* The terms of the new form.  Where the primitive divides the gap, both relations have the same
 * value at the boundary: `<=` is the one that is written. */
static void write_target(pv *prover, order_ite *ite) {
  ck_op head = ck_head(prover->terms, ite->cond);
  ck_op turned = head == CK_LE ? CK_LT : CK_LE;
  ite->relation = ite->split.sign < 0 ? turned : head;
  if (ite->quotient != CK_BAD)
    ite->relation = CK_LE;
  ite->new_cond = pv_rel(prover, ite->relation, prover->zero, ite->split.primitive);
  ite->not_new = ck_neg(prover->terms, ite->new_cond);
  ite->inner = ck_ite(prover->terms, ite->new_cond, ite->inside, prover->zero);
  ite->target = pv_add(prover, ite->low, pv_mul(prover, ite->outside, ite->inner));
}

/* What follows for the primitive where cond holds (or does not), which `assumed` says. */
static pv_thm primitive_fact(pv *prover, const order_ite *ite, bool holds, ck_id assumed) {
  ck_op relation = ck_head(prover->terms, assumed);
  ck_id zero = prover->zero;
  ck_id of_diff =
      holds ? pv_rel(prover, relation, zero, ite->diff) : pv_rel(prover, relation, ite->diff, zero);
  pv_thm diff_thm = pv_restate(prover, of_diff, pv_hyp(prover, assumed));
  return carry(prover, &ite->split, relation, holds, diff_thm);
}

/* `wanted` from a fact that says it, or says it strictly where `wanted` is not strict or as strict;
 * PV_NONE: it does not follow. */
static pv_thm weakened(pv *prover, pv_thm fact, ck_id wanted, bool strict_suffices) {
  if (pv_says(prover, fact) == wanted)
    return fact;
  if (strict_suffices && ck_head(prover->terms, pv_says(prover, fact)) == CK_LT)
    return pv_scaled(prover, wanted, prover->one, fact);
  return PV_NONE;
}

/* Under one case of cond: theorems that new_cond holds, and that it does not.  One is PV_NONE,
 * except at the boundary, where the fact is primitive <= 0 and new_cond 0 <= primitive: then both
 * are assumptions to be taken together, and `zero` says that the primitive is 0 in the first. */
typedef struct {
  pv_thm yes;
  pv_thm no;
  pv_thm zero;
} decided;

static bool decide_new_cond(pv *prover, const order_ite *ite, bool holds, pv_thm fact,
                            decided *result) {
  bool above = (ite->split.sign > 0) == holds; /* the fact is 0 rel primitive */
  *result = (decided){PV_NONE, PV_NONE, PV_NONE};
  if (above)
    result->yes = weakened(prover, fact, ite->new_cond, ite->relation == CK_LE);
  else
    result->no = weakened(prover, fact, ite->not_new, ite->relation == CK_LT);
  if (result->yes != PV_NONE || result->no != PV_NONE)
    return true;
  if (above || ite->relation != CK_LE || ite->quotient == CK_BAD)
    return false;
  result->yes = pv_hyp(prover, ite->new_cond);
  result->zero = pv_antisym(prover, fact, result->yes);
  result->no = pv_hyp(prover, ite->not_new);
  return true;
}

/* term = target where `branch_law` gives the value of term (branch), and new_cond holds or does not
 * by `by`.  The combination:
 *   target - term = (branch - term) - outside*(value - inner) + (low + outside*value - branch)
 * Its last part is 0 in three ways: value = 0 and branch = low; outside*inside = high - low and
 * branch = high; or high - low = quotient*primitive, the primitive being 0 by `zero`. */
static pv_thm prove_value(pv *prover, const order_ite *ite, ck_id branch, pv_thm branch_law,
                          bool new_holds, pv_thm by, pv_thm zero) {
  pv_thm inner_law = pv_law(prover, new_holds ? "ite1" : "ite0", &ite->inner, 1, by);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, branch_law);
  pv_comb_add(&comb, pv_neg(prover, ite->outside), inner_law);
  if (new_holds && branch == ite->high)
    pv_comb_add(&comb, pv_num(prover, -1), ite->product_thm);
  else if (new_holds)
    pv_comb_add(&comb, pv_neg(prover, ite->quotient), zero);
  return pv_comb_prove(prover, &comb, pv_eq(prover, ite->term, ite->target));
}

/* term = target where cond holds, or where it does not; PV_NONE: the forms are not equal there, or
 * that was not found. */
static pv_thm prove_case(pv *prover, const order_ite *ite, bool holds) {
  ck_id assumed = holds ? ite->cond : ck_neg(prover->terms, ite->cond);
  pv_thm law = pv_law(prover, holds ? "ite1" : "ite0", &ite->term, 1, pv_hyp(prover, assumed));
  pv_thm fact = primitive_fact(prover, ite, holds, assumed);
  ck_id branch = holds ? ite->then : ite->otherwise;
  pv_thm yes = PV_NONE;
  pv_thm no = PV_NONE;
  decided is;
  if (fact == PV_NONE || !decide_new_cond(prover, ite, holds, fact, &is))
    return PV_NONE;
  if (is.yes != PV_NONE)
    yes = prove_value(prover, ite, branch, law, true, is.yes, is.zero);
  if (is.no != PV_NONE)
    no = prove_value(prover, ite, branch, law, false, is.no, is.zero);
  if (is.yes != PV_NONE && is.no != PV_NONE)
    return pv_cases(prover, ite->new_cond, yes, no);
  return is.yes != PV_NONE ? yes : no;
}

pv_eqn pv_norm_ite_order(pv *prover, pv_ctx ctx, ck_id term) {
  order_ite ite = {.term = term,
                   .cond = ck_kid(prover->terms, term, 0),
                   .then = ck_kid(prover->terms, term, 1),
                   .otherwise = ck_kid(prover->terms, term, 2)};
  ck_op head = ck_head(prover->terms, ite.cond);
  ck_id left = ck_kid(prover->terms, ite.cond, 0);
  ck_id right = ck_kid(prover->terms, ite.cond, 1);
  ite.diff = pv_canon(prover, pv_sub(prover, right, left));
  if ((head != CK_LE && head != CK_LT) || !split_sign(prover, ctx, ite.diff, &ite.split))
    return pv_same(term);
  ite.high = ite.split.sign < 0 ? ite.otherwise : ite.then;
  ite.low = ite.split.sign < 0 ? ite.then : ite.otherwise;
  if (!factor_gap(prover, ctx, &ite))
    return pv_fail();
  write_target(prover, &ite);
  if (ite.inner == CK_BAD || pv_canon(prover, ite.target) == term)
    return pv_same(term);
  if (pv_is_zero(prover, ite.otherwise) && ite.inner == term)
    return pv_same(term);
  pv_thm cases[2];
  for (int i = 0; i < 2; i++) {
    cases[i] = prove_case(prover, &ite, i == 0);
    if (cases[i] == PV_NONE)
      return pv_same(term);
  }
  pv_eqn eqn = {ite.target, pv_cases(prover, ite.cond, cases[0], cases[1])};
  if (eqn.by == PV_NONE)
    return pv_same(term);
  if (pv_follows(prover, ctx, ite.new_cond) != PV_NONE ||
      pv_follows(prover, ctx, ite.not_new) != PV_NONE)
    return pv_then(prover, eqn, pv_norm(prover, ctx, ite.target));
  pv_mark_normal(prover, ctx, ite.inner);
  return pv_then(prover, eqn, pv_norm_poly(prover, ctx, ite.target));
}
