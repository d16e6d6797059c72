/* Functions that keep or turn the order of one of their arguments: from  s <= t  follows  G(s) <=
 * G(t), or the reverse, along the structure of G.  Sums of what rises rise, what is not negative
 * and rises may be multiplied, an inverse turns the order where it is positive; and what is made of
 * sums and choices alone is asked of two arbitrary numbers. */
#include "pv_lemma.h"
#include "pv_order.h"

enum { MAX_DEPTH = 24 };

typedef struct {
  pv *prover;
  pv_ctx ctx;
  ck_id low;
  ck_id high;
  pv_thm thm; /* low <= high */
} order_job;

static pv_change raised(const order_job *job, ck_id term, uint32_t depth);

static pv_change failed(void) {
  return (pv_change){PV_NEITHER, CK_BAD, PV_NONE};
}

static pv_change same(ck_id term) {
  return (pv_change){PV_CONSTANT, term, PV_REFL};
}

static pv_direction turned(pv_direction way) {
  return way == PV_RISES ? PV_FALLS : way == PV_FALLS ? PV_RISES : way;
}

/* the relation that a change of this kind is */
static ck_id relation(pv *prover, pv_direction way, ck_id from, ck_id to) {
  return way == PV_FALLS ? pv_le(prover, to, from) : pv_le(prover, from, to);
}

/* ---- sums and products */
static pv_change of_sum(const order_job *job, ck_id term, uint32_t depth) {
  pv *prover = job->prover;
  pv_change part[2];
  pv_change result = {PV_CONSTANT, CK_BAD, PV_NONE};
  pv_comb comb;
  for (int i = 0; i < 2; i++) {
    part[i] = raised(job, ck_kid(prover->terms, term, (uint32_t)i), depth + 1);
    if (part[i].way == PV_NEITHER ||
        (result.way != PV_CONSTANT && part[i].way != PV_CONSTANT && part[i].way != result.way))
      return failed();
    if (part[i].way != PV_CONSTANT)
      result.way = part[i].way;
  }
  pv_comb_init(&comb);
  for (int i = 0; i < 2; i++)
    pv_comb_add(&comb, prover->one, part[i].thm);
  result.to = pv_add(prover, part[0].to, part[1].to);
  result.thm = pv_comb_prove(prover, &comb, relation(prover, result.way, term, result.to));
  return result.thm == PV_NONE ? failed() : result;
}

/* factor * what changes, where the factor's sign is known */
static pv_change scaled(const order_job *job, ck_id term, ck_id factor, pv_change part) {
  pv *prover = job->prover;
  pv_change result = {part.way, pv_mul(prover, factor, part.to), PV_NONE};
  pv_thm sign = pv_follows(prover, job->ctx, pv_ge0(prover, factor));
  if (sign == PV_NONE) {
    sign = pv_follows(prover, job->ctx, pv_le(prover, factor, prover->zero));
    result.way = turned(part.way);
  }
  if (sign == PV_NONE)
    return failed();
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, sign, part.thm);
  result.thm = pv_comb_prove(prover, &comb, relation(prover, result.way, term, result.to));
  return result.thm == PV_NONE ? failed() : result;
}

/* a*b to a'*b', both in one direction, none negative: a'b' - ab = a'(b' - b) + b(a' - a) */
static pv_change multiplied(const order_job *job, ck_id term, const ck_id *from,
                            const pv_change *part) {
  pv *prover = job->prover;
  bool rises = part[0].way == PV_RISES;
  pv_thm first_sign = pv_follows(prover, job->ctx, pv_ge0(prover, rises ? part[0].to : from[0]));
  pv_thm second_sign = pv_follows(prover, job->ctx, pv_ge0(prover, rises ? from[1] : part[1].to));
  if (first_sign == PV_NONE || second_sign == PV_NONE)
    return failed();
  pv_change result = {part[0].way, pv_mul(prover, part[0].to, part[1].to), PV_NONE};
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, first_sign, part[1].thm);
  pv_comb_add_product(&comb, prover->one, second_sign, part[0].thm);
  result.thm = pv_comb_prove(prover, &comb, relation(prover, result.way, term, result.to));
  return result.thm == PV_NONE ? failed() : result;
}

/* inv(p) * e  where p - e = r is a constant:  1 - r*inv(p), of which only one part changes */
static pv_change of_share(const order_job *job, ck_id term, ck_id inverse, ck_id share,
                          uint32_t depth) {
  pv *prover = job->prover;
  ck_id whole = ck_kid(prover->terms, inverse, 0);
  ck_id rest = pv_canon(prover, pv_sub(prover, whole, share));
  if (pv_occurs(prover, rest, job->low))
    return failed();
  ck_id other = pv_sub(prover, prover->one, pv_mul(prover, rest, inverse));
  pv_change result = raised(job, other, depth + 1);
  if (result.way == PV_NEITHER)
    return failed();
  ck_id vars[2] = {job->low, job->high};
  ck_id changed[2];
  pv_thm whole_is_one[2];
  ck_id nonzero = pv_ne0(prover, whole);
  for (int i = 0; i < 2; i++) { /* whole * inv(whole) = 1 before and after */
    ck_id at = i ? pv_replaced(prover, whole, vars[0], vars[1]) : whole;
    pv_thm positive = pv_follows(prover, job->ctx, pv_gt0(prover, at));
    nonzero = pv_ne0(prover, at);
    whole_is_one[i] =
        pv_law1(prover, "inv", at, pv_scaled(prover, nonzero, pv_num(prover, -1), positive));
    changed[i] = i ? pv_replaced(prover, share, vars[0], vars[1]) : share;
  }
  result.to = pv_replaced(prover, term, vars[0], vars[1]);
  ck_id sign = pv_num(prover, result.way == PV_FALLS ? 1 : -1);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, result.thm);
  pv_comb_add(&comb, sign, whole_is_one[1]);
  pv_comb_add(&comb, pv_neg(prover, sign), whole_is_one[0]);
  result.thm = changed[0] == CK_BAD || changed[1] == CK_BAD
                   ? PV_NONE
                   : pv_comb_prove(prover, &comb, relation(prover, result.way, term, result.to));
  return result.thm == PV_NONE ? failed() : result;
}

static pv_change of_product(const order_job *job, ck_id term, uint32_t depth) {
  pv *prover = job->prover;
  ck_id kid[2] = {ck_kid(prover->terms, term, 0), ck_kid(prover->terms, term, 1)};
  pv_change part[2];
  for (int i = 0; i < 2; i++) {
    if (!pv_occurs(prover, kid[1 - i], job->low)) {
      part[i] = raised(job, kid[i], depth + 1);
      if (part[i].way == PV_NEITHER)
        return failed();
      pv_change result = scaled(job, term, kid[1 - i], part[i]);
      if (result.way != PV_NEITHER && i == 0)
        result.to = pv_mul(prover, part[0].to, kid[1]);
      return result;
    }
  }
  for (int i = 0; i < 2; i++) {
    if (ck_head(prover->terms, kid[i]) == CK_INV) {
      pv_change share = of_share(job, term, kid[i], kid[1 - i], depth);
      if (share.way != PV_NEITHER)
        return share;
    }
  }
  for (int i = 0; i < 2; i++)
    part[i] = raised(job, kid[i], depth + 1);
  if (part[0].way == PV_NEITHER || part[0].way != part[1].way)
    return failed();
  return multiplied(job, term, kid, part);
}

/* ---- functions of one number */
ck_id pv_under_relu(const pv *prover, ck_id term) {
  const ck_terms *terms = prover->terms;
  if (ck_head(terms, term) != CK_ITE)
    return CK_BAD;
  ck_id cond = ck_kid(terms, term, 0);
  ck_id then = ck_kid(terms, term, 1);
  bool relu = ck_head(terms, cond) == CK_LE && ck_kid(terms, cond, 0) == prover->zero &&
              ck_kid(terms, cond, 1) == then && ck_kid(terms, term, 2) == prover->zero;
  return relu ? then : CK_BAD;
}

static const struct {
  ck_op head;
  pv_lemma_id lemma;

  enum { ANYWHERE, NOT_NEGATIVE, POSITIVE } where;

  bool turns;
} functions[] = {
    {CK_EXP, PV_EXP_ORDER, ANYWHERE, false},  {CK_SQRT, PV_SQRT_ORDER, NOT_NEGATIVE, false},
    {CK_LOG, PV_LOG_ORDER, POSITIVE, false},  {CK_INV, PV_INV_ORDER, POSITIVE, true},
    {CK_ITE, PV_RELU_ORDER, ANYWHERE, false},
};

static pv_change of_function(const order_job *job, ck_id term, uint32_t depth) {
  pv *prover = job->prover;
  ck_op head = ck_head(prover->terms, term);
  size_t i = 0;
  while (i < sizeof functions / sizeof *functions && functions[i].head != head)
    i++;
  if (i == sizeof functions / sizeof *functions)
    return failed();
  ck_id from = head == CK_ITE ? pv_under_relu(prover, term) : ck_kid(prover->terms, term, 0);
  if (from == CK_BAD)
    return failed();
  pv_change inside = raised(job, from, depth + 1);
  if (inside.way == PV_NEITHER)
    return failed();
  bool rises = inside.way == PV_RISES;
  ck_id low = rises ? from : inside.to;
  ck_id high = rises ? inside.to : from;
  pv_thm premises[2] = {inside.thm, PV_NONE};
  uint32_t n = 1;
  if (functions[i].where != ANYWHERE) {
    premises[1] = premises[0];
    premises[0] =
        pv_follows(prover, job->ctx,
                   functions[i].where == POSITIVE ? pv_gt0(prover, low) : pv_ge0(prover, low));
    n = 2;
    if (premises[0] == PV_NONE)
      return failed();
  }
  pv_var_sub vars[2] = {{pv_real_var(prover, "x"), low}, {pv_real_var(prover, "y"), high}};
  pv_change result = {functions[i].turns ? turned(inside.way) : inside.way,
                      pv_replaced(prover, term, from, inside.to),
                      pv_use_lemma(prover, functions[i].lemma, vars, 2, NULL, 0, premises, n)};
  ck_id wanted = relation(prover, result.way, term, result.to);
  if (result.thm == PV_NONE || pv_says(prover, result.thm) != wanted)
    return failed();
  return result;
}

/* ---- sums and choices */
static bool piecewise(const ck_terms *terms, ck_id term, ck_id low) {
  if (term == low)
    return true;
  switch (ck_head(terms, term)) {
  case CK_ADD:
  case CK_MUL:
  case CK_ITE:
  case CK_LE:
  case CK_LT:
    for (uint32_t i = 0; i < ck_nkids(terms, term); i++) {
      if (!piecewise(terms, ck_kid(terms, term, i), low))
        return false;
    }
    return true;
  case CK_Q:
  case CK_V:
  case CK_APP:
    return true;
  default:
    return false;
  }
}

/* of two arbitrary numbers in place of the two, without any context */
static pv_change of_pieces(const order_job *job, ck_id term) {
  pv *prover = job->prover;
  if (!piecewise(prover->terms, term, job->low))
    return failed();
  ck_id x = pv_real_var(prover, "$$low");
  ck_id y = pv_real_var(prover, "$$high");
  pv_ctx ctx = pv_ctx_push(prover, 0, pv_le(prover, x, y), CK_BAD);
  ck_id at_x = pv_replaced(prover, term, job->low, x);
  ck_id at_y = pv_replaced(prover, term, job->low, y);
  pv_change result = {PV_RISES, pv_replaced(prover, term, job->low, job->high), PV_NONE};
  for (int i = 0; i < 2; i++) {
    result.way = i ? PV_FALLS : PV_RISES;
    pv_thm thm = pv_prove_goal(prover, ctx, relation(prover, result.way, at_x, at_y));
    pv_var_sub vars[2] = {{x, job->low}, {y, job->high}};
    if (thm != PV_NONE) {
      result.thm = pv_inst(prover, thm, vars, 2, NULL, 0, &job->thm, 1);
      return result.thm == PV_NONE ? failed() : result;
    }
  }
  return failed();
}

static pv_change raised(const order_job *job, ck_id term, uint32_t depth) {
  pv *prover = job->prover;
  pv_change result = failed();
  if (term == job->low)
    return (pv_change){PV_RISES, job->high, job->thm};
  if (!pv_occurs(prover, term, job->low))
    return same(term);
  if (depth > MAX_DEPTH)
    return result;
  switch (ck_head(prover->terms, term)) {
  case CK_ADD:
    result = of_sum(job, term, depth);
    break;
  case CK_MUL:
    result = of_product(job, term, depth);
    break;
  default:
    result = of_function(job, term, depth);
  }
  return result.way == PV_NEITHER ? of_pieces(job, term) : result;
}

ck_id pv_replaced(pv *prover, ck_id term, ck_id from, ck_id to) {
  if (term == from)
    return to;
  if (!pv_occurs(prover, term, from))
    return term;
  ck_id kid[16];
  uint32_t n = ck_nkids(prover->terms, term);
  if (n > sizeof kid / sizeof *kid || ck_head(prover->terms, term) == CK_FOLD)
    return CK_BAD;
  for (uint32_t i = 0; i < n; i++) {
    kid[i] = pv_replaced(prover, ck_kid(prover->terms, term, i), from, to);
    if (kid[i] == CK_BAD)
      return CK_BAD;
  }
  return ck_rebuild(prover->terms, term, kid);
}

pv_change pv_raise(pv *prover, pv_ctx ctx, ck_id term, ck_id low, ck_id high, pv_thm thm) {
  order_job job = {prover, ctx, low, high, thm};
  if (thm == PV_NONE || pv_replaced(prover, term, low, high) == CK_BAD)
    return failed();
  return raised(&job, term, 0);
}
