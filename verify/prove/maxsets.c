/* Equal greatest elements: where both sides are the largest of a few things, added to others, each
 * thing of one side is at most the other side, which has it too.
 *
 * In normal form the larger of two is V + c*ite(0 <= E, E, 0), of V and V + c*E; a maximum over a
 * few rounds is written out, from the last one on.  So a <= b is found by taking apart first a,
 * then b. */
#include "pv_folds.h"

enum { MOST_ROUNDS = 8, MOST_STEPS = 4000 };

typedef struct {
  pv *prover;
  uint32_t steps; /* left */
} search;

/* what is the larger of two */
typedef struct {
  pv_thm as_choice; /* whole = base + c*ite(cond, other - base, 0), cond says base <= other; or
                       whole = ite(cond, other, base); PV_REFL: as it stands */
  ck_id choice;     /* that ite */
  ck_id scale;      /* c; of the second form 1 */
  bool whole_choice;
  ck_id base;
  ck_id other;
} larger;

/* ite(0 <= e, e, 0), or with <: e; CK_BAD: it is no such */
static ck_id positive_part(const pv *prover, ck_id term) {
  const ck_terms *terms = prover->terms;
  if (!ck_is(terms, term, CK_ITE) || ck_kid(terms, term, 2) != prover->zero)
    return CK_BAD;
  ck_id cond = ck_kid(terms, term, 0);
  ck_id part = ck_kid(terms, term, 1);
  bool order = ck_head(terms, cond) == CK_LE || ck_head(terms, cond) == CK_LT;
  return order && ck_kid(terms, cond, 0) == prover->zero && ck_kid(terms, cond, 1) == part ? part
                                                                                           : CK_BAD;
}

/* a maximum over a number of rounds, small enough to be written out */
static bool few_rounds(pv *prover, ck_id term) {
  return pv_has_few_rounds(prover, term, MOST_ROUNDS) &&
         pv_max_element(prover, term, pv_int_var(prover, "$$round")) != CK_BAD;
}

/* the first atom, with a positive number before it, that is a positive part or a maximum */
static ck_id first_maximum(pv *prover, ck_id term, ck_id *scale) {
  ck_id found = CK_BAD;
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, term);
  for (uint32_t i = 0; i < poly.count && found == CK_BAD; i++) {
    if (poly.monos[i].degree != 1 || pv_const_sign(prover, poly.monos[i].coef) <= 0)
      continue;
    ck_id atom = poly.monos[i].atoms[0];
    if (positive_part(prover, atom) != CK_BAD || few_rounds(prover, atom)) {
      found = atom;
      *scale = poly.monos[i].coef;
    }
  }
  pv_poly_clear(&poly);
  return found;
}

/* the choice b or a of ite(a <= b, b, a) */
static bool is_larger(const pv *prover, ck_id term) {
  const ck_terms *terms = prover->terms;
  if (!ck_is(terms, term, CK_ITE))
    return false;
  ck_id cond = ck_kid(terms, term, 0);
  return (ck_head(terms, cond) == CK_LE || ck_head(terms, cond) == CK_LT) &&
         ck_kid(terms, cond, 0) == ck_kid(terms, term, 2) &&
         ck_kid(terms, cond, 1) == ck_kid(terms, term, 1);
}

/* the term as the larger of two; false: it is not */
static bool take_apart(pv *prover, ck_id term, larger *out) {
  ck_id part = first_maximum(prover, term, &out->scale);
  if (part == CK_BAD)
    return false;
  ck_id rest = pv_canon(prover, pv_sub(prover, term, pv_mul(prover, out->scale, part)));
  ck_id low = prover->zero;
  ck_id high = positive_part(prover, part);
  out->choice = part;
  out->as_choice = PV_REFL;
  if (high == CK_BAD) { /* a maximum: its last round, or its base */
    pv_eqn last = pv_by_last_round(prover, part);
    if (last.by == PV_NONE)
      return false;
    out->as_choice = last.by;
    out->choice = last.to;
    bool choice = is_larger(prover, last.to);
    low = choice ? ck_kid(prover->terms, last.to, 2) : last.to;
    high = choice ? ck_kid(prover->terms, last.to, 1) : last.to;
    out->whole_choice = choice;
  } else {
    out->whole_choice = true;
  }
  out->base = pv_canon(prover, pv_add(prover, rest, pv_mul(prover, out->scale, low)));
  out->other = pv_canon(prover, pv_add(prover, rest, pv_mul(prover, out->scale, high)));
  return out->base != CK_BAD && out->other != CK_BAD;
}

/* value of the choice where its condition holds, and where it does not */
static pv_thm choice_is(pv *prover, const larger *two, bool holds) {
  if (!two->whole_choice)
    return PV_REFL;
  ck_id cond = ck_kid(prover->terms, two->choice, 0);
  return pv_law(prover, holds ? "ite1" : "ite0", &two->choice, 1,
                pv_hyp(prover, holds ? cond : ck_neg(prover->terms, cond)));
}

/* the claim by cases on the choice's condition; each branch a sum of theorems with these
 * coefficients: what the choice is, why the term has it, and up to one other */
static pv_thm over_choice(pv *prover, const larger *two, ck_id claim, ck_id coef,
                          const pv_thm more[2]) {
  pv_thm branch[2];
  uint32_t n = two->whole_choice ? 2 : 1;
  for (uint32_t i = 0; i < n; i++) {
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, coef, choice_is(prover, two, i == 0));
    pv_comb_add(&comb, coef, two->as_choice);
    pv_comb_add(&comb, prover->one, more[i]);
    branch[i] = pv_comb_prove(prover, &comb, claim);
    if (branch[i] == PV_NONE)
      return PV_NONE;
  }
  return n == 1 ? branch[0]
                : pv_cases(prover, ck_kid(prover->terms, two->choice, 0), branch[0], branch[1]);
}

/* term <= bound, from other <= bound and base <= bound */
static pv_thm both_at_most(pv *prover, const larger *two, ck_id term, ck_id bound,
                           const pv_thm most[2]) {
  /* bound - term = (bound - part) + (part - term); what the choice is: part of it less it */
  return over_choice(prover, two, pv_le(prover, term, bound), two->scale, most);
}

/* base <= whole, or other <= whole */
static pv_thm at_most_larger(pv *prover, const larger *two, ck_id whole, bool other) {
  pv_thm more[2] = {PV_REFL, PV_REFL};
  ck_id claim = pv_le(prover, other ? two->other : two->base, whole);
  if (two->whole_choice) { /* where it is the other one that is chosen: the condition, scaled */
    ck_id cond = ck_kid(prover->terms, two->choice, 0);
    ck_id known = other ? ck_neg(prover->terms, cond) : cond;
    ck_id gap =
        other ? pv_sub(prover, two->base, two->other) : pv_sub(prover, two->other, two->base);
    more[other ? 1 : 0] =
        pv_scaled(prover, pv_ge0(prover, pv_canon(prover, gap)), two->scale, pv_hyp(prover, known));
    if (more[other ? 1 : 0] == PV_NONE)
      return PV_NONE;
  }
  return over_choice(prover, two, claim, pv_neg(prover, two->scale), more);
}

/* whether one more step may be taken, which it then is */
static bool has_step(search *s) {
  if (s->steps == 0 || pv_spent(s->prover))
    return false;
  s->steps--;
  return true;
}

static pv_thm at_most(search *s, ck_id term, ck_id bound);

/* term <= bound, where the term is no larger of two: by something that the bound is at least */
static pv_thm found_in(search *s, ck_id term, ck_id bound) {
  pv *prover = s->prover;
  larger two;
  if (!has_step(s))
    return PV_NONE;
  if (term == bound)
    return pv_identity(prover, pv_le(prover, term, bound));
  if (!take_apart(prover, bound, &two))
    return PV_NONE;
  for (int other = 1; other >= 0; other--) {
    ck_id part = other ? two.other : two.base;
    pv_thm below = found_in(s, term, part);
    if (below != PV_NONE) {
      pv_thm above = at_most_larger(prover, &two, bound, other > 0);
      return PV_COMBINE(prover, pv_le(prover, term, bound), prover->one, below, prover->one, above);
    }
    if (two.other == two.base)
      break;
  }
  return PV_NONE;
}

static pv_thm at_most(search *s, ck_id term, ck_id bound) {
  pv *prover = s->prover;
  larger two;
  if (!has_step(s))
    return PV_NONE;
  if (term == bound)
    return pv_identity(prover, pv_le(prover, term, bound));
  if (!take_apart(prover, term, &two))
    return found_in(s, term, bound);
  pv_thm most[2];
  most[0] = at_most(s, two.other, bound);
  most[1] = most[0] == PV_NONE ? PV_NONE : at_most(s, two.base, bound);
  return most[1] == PV_NONE ? PV_NONE : both_at_most(prover, &two, term, bound, most);
}

pv_thm pv_by_maxima(pv *prover, ck_id left, ck_id right) {
  search s = {.prover = prover, .steps = MOST_STEPS};
  ck_id scale;
  ck_id side[2] = {prover->zero, prover->zero};
  /* what stands with a minus is added to both sides */
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, pv_sub(prover, left, right));
  for (uint32_t i = 0; i < poly.count; i++) {
    bool minus = pv_const_sign(prover, poly.monos[i].coef) < 0;
    ck_id coef =
        minus ? pv_const_mul(prover, poly.monos[i].coef, pv_num(prover, -1)) : poly.monos[i].coef;
    ck_id mono = pv_mono_term(prover, coef, poly.monos[i].atoms, poly.monos[i].degree);
    side[minus] = pv_add(prover, side[minus], mono);
  }
  pv_poly_clear(&poly);
  side[0] = pv_canon(prover, side[0]);
  side[1] = pv_canon(prover, side[1]);
  if (first_maximum(prover, side[0], &scale) == CK_BAD ||
      first_maximum(prover, side[1], &scale) == CK_BAD)
    return PV_NONE;
  pv_thm up = at_most(&s, side[0], side[1]);
  pv_thm down = up == PV_NONE ? PV_NONE : at_most(&s, side[1], side[0]);
  return down == PV_NONE ? PV_NONE
                         : pv_scaled(prover, pv_eq(prover, left, right), prover->one,
                                     pv_antisym(prover, up, down));
}
