/* Bounds of integers that are sums of products, as positions are written, by bounds of their parts.
 * Normal forms put together what a mask bounds with what it does not speak of: of
 * `80*(q - 1) + r`, q = `x div 320 mod 197`, r = `x mod 320` they leave `x - 240*(x div 320) ..`.
 */
#include "pv_norm.h"

/* --- at least 0 */
static pv_thm nonneg(pv *prover, pv_ctx ctx, ck_id term) {
  ck_op head = ck_head(prover->terms, term);
  ck_id claim = pv_ge0(prover, term);
  pv_thm thm = PV_NONE;
  if (pv_is_const(prover, term))
    return pv_const_sign(prover, term) < 0 ? PV_NONE : pv_by_value(prover, claim);
  if (head == CK_ADD || head == CK_MUL) {
    pv_thm part[2] = {nonneg(prover, ctx, ck_kid(prover->terms, term, 0)), PV_NONE};
    if (part[0] != PV_NONE)
      part[1] = nonneg(prover, ctx, ck_kid(prover->terms, term, 1));
    pv_comb comb;
    pv_comb_init(&comb);
    if (head == CK_MUL) {
      pv_comb_add_product(&comb, prover->one, part[0], part[1]);
    } else {
      pv_comb_add(&comb, prover->one, part[0]);
      pv_comb_add(&comb, prover->one, part[1]);
    }
    thm = pv_comb_prove(prover, &comb, claim);
  }
  return thm == PV_NONE ? pv_follows(prover, ctx, claim) : thm;
}

/* --- at least, and at most, a number */
typedef enum { LEAST, MOST } side;

typedef struct {
  pv_thm thm; /* number <= term, or term <= number; PV_NONE: not known */
  ck_id number;
} bound;

static const bound unknown = {PV_NONE, CK_BAD};

static bound least(pv *prover, pv_ctx ctx, ck_id term);
static bound most(pv *prover, pv_ctx ctx, ck_id term);

static bound bound_of(pv *prover, pv_ctx ctx, side which, ck_id term) {
  return which == LEAST ? least(prover, ctx, term) : most(prover, ctx, term);
}

static ck_id claim_of(pv *prover, side which, ck_id number, ck_id term) {
  return which == LEAST ? pv_le(prover, number, term) : pv_le(prover, term, number);
}

/* the one that says more */
static bound tighter(pv *prover, side which, bound a, bound b) {
  if (a.thm == PV_NONE || b.thm == PV_NONE)
    return a.thm == PV_NONE ? b : a;
  int above = pv_const_sign(prover, pv_canon(prover, pv_sub(prover, b.number, a.number)));
  return (which == LEAST ? above > 0 : above < 0) ? b : a;
}

static bound of_sum(pv *prover, pv_ctx ctx, side which, ck_id term) {
  bound part[2] = {bound_of(prover, ctx, which, ck_kid(prover->terms, term, 0)), unknown};
  if (part[0].thm != PV_NONE)
    part[1] = bound_of(prover, ctx, which, ck_kid(prover->terms, term, 1));
  if (part[1].thm == PV_NONE)
    return unknown;
  ck_id number = pv_const_add(prover, part[0].number, part[1].number);
  return (bound){PV_COMBINE(prover, claim_of(prover, which, number, term), prover->one, part[0].thm,
                            prover->one, part[1].thm),
                 number};
}

/* of a number that is at least 0 times something */
static bound of_multiple(pv *prover, pv_ctx ctx, side which, ck_id term) {
  uint32_t at = pv_is_const(prover, ck_kid(prover->terms, term, 0)) ? 0 : 1;
  ck_id scale = ck_kid(prover->terms, term, at);
  if (!pv_is_const(prover, scale) || pv_const_sign(prover, scale) < 0)
    return unknown;
  bound part = bound_of(prover, ctx, which, ck_kid(prover->terms, term, 1 - at));
  if (part.thm == PV_NONE)
    return unknown;
  ck_id number = pv_const_mul(prover, scale, part.number);
  return (bound){PV_COMBINE(prover, claim_of(prover, which, number, term), scale, part.thm),
                 number};
}

/* --- at least a number */
/* by an order of the context that speaks of the term, or of a number times it, alone */
static bound least_stated(pv *prover, pv_ctx ctx, ck_id term) {
  const ck_terms *terms = prover->terms;
  pv_eqn eqn = pv_norm(prover, ctx, term);
  bound best = unknown;
  if (eqn.by == PV_NONE)
    return unknown;
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    ck_op head = ck_head(terms, formula);
    if ((head != CK_LT && head != CK_LE) || !ck_is_int(terms, ck_kid(terms, formula, 0)) ||
        !ck_is_int(terms, ck_kid(terms, formula, 1)))
      continue;
    ck_id value;
    pv_thm known =
        pv_fact_normal(prover, ctx, pv_tighten(prover, pv_at(prover, link)->thm), &value);
    known = known == PV_NONE ? known : pv_rounded(prover, known);
    if (known == PV_NONE || ck_head(terms, pv_says(prover, known)) != CK_LE)
      continue;
    value = pv_canon(prover, pv_sub(prover, pv_right(prover, known), pv_left(prover, known)));
    bound here = {PV_NONE, pv_canon(prover, pv_sub(prover, eqn.to, value))};
    if (!pv_is_const(prover, here.number))
      continue;
    here.thm = PV_COMBINE(prover, pv_le(prover, here.number, term), prover->one, known,
                          pv_num(prover, -1), eqn.by);
    best = tighter(prover, LEAST, best, here);
  }
  return best;
}

/* a remainder of the term that the formula speaks of; CK_BAD: there is none */
static ck_id remainder_in(const pv *prover, ck_id formula, ck_id term) {
  ck_id found = CK_BAD;
  if (ck_is(prover->terms, formula, CK_MOD) && ck_kid(prover->terms, formula, 0) == term)
    return formula;
  for (uint32_t i = 0, n = ck_nkids(prover->terms, formula); i < n && found == CK_BAD; i++)
    found = remainder_in(prover, ck_kid(prover->terms, formula, i), term);
  return found;
}

/* what is at least 0 is at least each of its remainders: those of which the context speaks */
static bound least_by_remainder(pv *prover, pv_ctx ctx, ck_id term) {
  bound best = unknown;
  pv_thm nonnegative = PV_NONE;
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    bool order =
        ck_head(prover->terms, formula) == CK_LE || ck_head(prover->terms, formula) == CK_LT;
    ck_id rest = order ? remainder_in(prover, formula, term) : CK_BAD;
    ck_id divisor = rest == CK_BAD ? CK_BAD : ck_kid(prover->terms, rest, 1);
    if (rest == CK_BAD || !pv_is_const(prover, divisor) || pv_const_sign(prover, divisor) <= 0)
      continue;
    if (nonnegative == PV_NONE)
      nonnegative = pv_follows(prover, ctx, pv_ge0(prover, term));
    if (nonnegative == PV_NONE)
      return unknown;
    bound stated = least_stated(prover, ctx, rest);
    pv_thm premises[2] = {pv_by_value(prover, pv_gt0(prover, divisor)), nonnegative};
    pv_var_sub vars[2] = {{pv_int_var(prover, "a"), term}, {pv_int_var(prover, "b"), divisor}};
    pv_comb comb; /* term - number = divisor*(term div divisor) + (rest - number) */
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, stated.thm);
    pv_comb_add(&comb, divisor, pv_use_lemma(prover, PV_DIV_LO, vars, 2, NULL, 0, premises, 2));
    pv_comb_add(&comb, pv_num(prover, -1), pv_law2(prover, "div", term, divisor, premises[0]));
    bound here = {PV_NONE, stated.number};
    if (stated.thm == PV_NONE)
      pv_comb_clear(&comb);
    else
      here.thm = pv_comb_prove(prover, &comb, pv_le(prover, here.number, term));
    best = tighter(prover, LEAST, best, here);
  }
  return best;
}

static bound least(pv *prover, pv_ctx ctx, ck_id term) {
  ck_op head = ck_head(prover->terms, term);
  if (pv_is_const(prover, term))
    return (bound){pv_by_value(prover, pv_le(prover, term, term)), term};
  if (head == CK_ADD)
    return of_sum(prover, ctx, LEAST, term);
  if (head == CK_MUL)
    return of_multiple(prover, ctx, LEAST, term);
  bound best = tighter(prover, LEAST, least_stated(prover, ctx, term),
                       least_by_remainder(prover, ctx, term));
  if (best.thm != PV_NONE)
    return best;
  return (bound){pv_follows(prover, ctx, pv_ge0(prover, term)), prover->zero};
}

/* 0 <= term, by what its parts are at least */
static pv_thm by_least_parts(pv *prover, pv_ctx ctx, ck_id term) {
  bound found = least(prover, ctx, term);
  if (found.thm == PV_NONE || pv_const_sign(prover, found.number) < 0)
    return PV_NONE;
  pv_summand summands[2] = {{prover->one, &found.thm, 1}, {found.number, NULL, 0}};
  return pv_arith(prover, pv_ge0(prover, term), summands, pv_is_zero(prover, found.number) ? 1 : 2);
}

/* --- at most a number */
/* by an order of the context that speaks of the term alone */
static bound by_hypothesis(pv *prover, pv_ctx ctx, ck_id term) {
  const ck_terms *terms = prover->terms;
  pv_eqn eqn = pv_norm(prover, ctx, term);
  bound best = unknown;
  if (eqn.by == PV_NONE)
    return unknown;
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    ck_op head = ck_head(terms, formula);
    if ((head != CK_LT && head != CK_LE) || !ck_is_int(terms, ck_kid(terms, formula, 0)) ||
        !ck_is_int(terms, ck_kid(terms, formula, 1)))
      continue;
    ck_id value;
    pv_thm known =
        pv_fact_normal(prover, ctx, pv_tighten(prover, pv_at(prover, link)->thm), &value);
    bound here = {PV_NONE, CK_BAD};
    if (known == PV_NONE || ck_head(terms, pv_says(prover, known)) != CK_LE)
      continue;
    here.number = pv_canon(prover, pv_add(prover, value, eqn.to));
    if (!pv_is_const(prover, here.number))
      continue;
    here.thm = PV_COMBINE(prover, pv_le(prover, term, here.number), prover->one, known, prover->one,
                          eqn.by);
    best = tighter(prover, MOST, best, here);
  }
  return best;
}

/* strict: term < number + 1 */
static bound below(pv *prover, ck_id term, ck_id number, pv_thm strict) {
  pv_thm thm = pv_restate(prover, pv_le(prover, term, number), pv_tighten(prover, strict));
  return (bound){thm, number};
}

static bound of_quotient(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id dividend = ck_kid(prover->terms, term, 0);
  ck_id divisor = ck_kid(prover->terms, term, 1);
  bound inside = most(prover, ctx, dividend);
  if (inside.thm == PV_NONE)
    return unknown;
  mpq_t floor;
  mpq_init(floor);
  mpz_fdiv_q(mpq_numref(floor), mpq_numref(*ck_q_value(prover->terms, inside.number)),
             mpq_numref(*ck_q_value(prover->terms, divisor)));
  ck_id number = pv_rational(prover, floor);
  mpq_clear(floor);
  ck_id next = pv_const_add(prover, number, prover->one);
  ck_id end = pv_mul(prover, next, divisor);
  ck_id room = pv_canon(prover, pv_sub(prover, end, inside.number)); /* at least 1 */
  pv_summand summands[2] = {{prover->one, &inside.thm, 1}, {room, NULL, 0}};
  pv_thm premises[2] = {pv_arith(prover, pv_lt(prover, dividend, end), summands, 2),
                        pv_by_value(prover, pv_gt0(prover, divisor))};
  pv_var_sub vars[3] = {{pv_int_var(prover, "a"), dividend},
                        {pv_int_var(prover, "b"), divisor},
                        {pv_int_var(prover, "c"), next}};
  return below(prover, term, number,
               pv_use_lemma(prover, PV_DIV_HI, vars, 3, NULL, 0, premises, 2));
}

static bound of_remainder(pv *prover, ck_id term) {
  ck_id args[2] = {ck_kid(prover->terms, term, 0), ck_kid(prover->terms, term, 1)};
  pv_thm positive = pv_by_value(prover, pv_gt0(prover, args[1]));
  return below(prover, term, pv_const_add(prover, args[1], pv_num(prover, -1)),
               pv_law(prover, "mod<", args, 2, positive));
}

static bound most(pv *prover, pv_ctx ctx, ck_id term) {
  ck_op head = ck_head(prover->terms, term);
  bound parts = unknown;
  if (pv_is_const(prover, term))
    return (bound){pv_by_value(prover, pv_le(prover, term, term)), term};
  bool by_number = (head == CK_DIV || head == CK_MOD) &&
                   pv_is_const(prover, ck_kid(prover->terms, term, 1)) &&
                   pv_const_sign(prover, ck_kid(prover->terms, term, 1)) > 0;
  if (head == CK_ADD)
    parts = of_sum(prover, ctx, MOST, term);
  else if (head == CK_MUL)
    parts = of_multiple(prover, ctx, MOST, term);
  else if (head == CK_MOD && by_number)
    parts = of_remainder(prover, term);
  else if (head == CK_DIV && by_number)
    parts = of_quotient(prover, ctx, term);
  return tighter(prover, MOST, parts, by_hypothesis(prover, ctx, term));
}

pv_thm pv_by_parts(pv *prover, pv_ctx ctx, ck_id formula) {
  ck_op head = ck_head(prover->terms, formula);
  ck_id left = ck_kid(prover->terms, formula, 0);
  ck_id right = ck_kid(prover->terms, formula, 1);
  bool low = left == prover->zero;
  if (!ck_is_int(prover->terms, left) || !ck_is_int(prover->terms, right))
    return PV_NONE;
  ck_op sum = ck_head(prover->terms, low ? right : left);
  if (sum != CK_ADD && sum != CK_MUL)
    return PV_NONE;
  if (low && head == CK_LE) {
    pv_thm thm = nonneg(prover, ctx, right);
    return thm == PV_NONE ? by_least_parts(prover, ctx, right) : thm;
  }
  if (low)
    return PV_NONE;
  if ((head != CK_LE && head != CK_LT) || !pv_is_const(prover, right))
    return PV_NONE;
  bound found = most(prover, ctx, left);
  if (found.thm == PV_NONE)
    return PV_NONE;
  ck_id room = pv_canon(prover, pv_sub(prover, right, found.number));
  if (pv_const_sign(prover, room) < (head == CK_LT ? 1 : 0))
    return PV_NONE;
  pv_summand summands[2] = {{prover->one, &found.thm, 1}, {room, NULL, 0}};
  return pv_arith(prover, formula, summands, pv_is_zero(prover, room) ? 1 : 2);
}
