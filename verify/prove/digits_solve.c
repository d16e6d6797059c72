/* Digits read off what they and others add up to (see pv_digits.h). */
#include "pv_digits.h"

static ck_id number(pv *prover, int64_t value) {
  return pv_num(prover, (long)value);
}

static pv_thm positive(pv *prover, ck_id constant) {
  return pv_by_value(prover, pv_gt0(prover, constant));
}

/* --- digits read off a sum */
/* at = the digits, where the gap is 0 */
static bool whole_sum(pv *prover, const pv_window *window, const pv_digits *sum, ck_id at,
                      pv_thm *is) {
  ck_id no_more = pv_le(prover, window->gap, prover->zero);
  pv_thm none = window->width == 1 ? pv_antisym(prover, window->not_before,
                                                pv_int(prover, no_more, window->not_after))
                                   : PV_NONE;
  if (none == PV_NONE)
    return false;
  *is =
      PV_COMBINE(prover, pv_eq(prover, at, pv_digits_term(prover, sum)), pv_num(prover, -1), none);
  return *is != PV_NONE;
}

/* (at div step) = the digits from `step` on, as at = gap + sum and those below do not reach it;
 * false: they do, or one of the others is no multiple */
static bool whole_at(pv *prover, const pv_window *window, const pv_digits *sum, ck_id at,
                     int64_t step, pv_thm *is) {
  pv_digits low = {.n = 0};
  pv_digits high = {.n = 0};
  int64_t least;
  int64_t most;
  if (step == 1)
    return whole_sum(prover, window, sum, at, is);
  for (uint32_t i = 0; i < sum->n; i++) {
    pv_digit part = sum->digit[i];
    if (part.coef < step) {
      low.digit[low.n++] = part;
    } else if (part.coef % step == 0) {
      part.coef /= step;
      high.digit[high.n++] = part;
    } else {
      return false;
    }
  }
  if (low.n == PV_MAX_DIGITS)
    return false;
  low.digit[low.n++] = (pv_digit){.term = window->gap,
                                  .coef = 1,
                                  .size = window->width,
                                  .low = window->not_before,
                                  .high = window->not_after};
  if (!pv_digits_extremes(&low, &least, &most) || most >= step)
    return false;
  pv_eqn eqn = pv_digits_divided(prover, at, step, pv_digits_term(prover, &high), &low);
  *is = eqn.by;
  return eqn.by != PV_NONE;
}

/* the least coefficient above that one; 0: there is none */
static int64_t next_coef(const pv_digits *sum, int64_t coef) {
  int64_t next = 0;
  for (uint32_t i = 0; i < sum->n; i++) {
    int64_t other = sum->digit[i].coef;
    if (other > coef && (next == 0 || other < next))
      next = other;
  }
  return next;
}

/* One digit of k read off: part = weight * digit as a term of `at`, and is the digit, by the
 * equations added to comb.  What the digits above add to the quotient is taken away: multiples of
 * the next coefficient, or of the digit's radix. */
static bool read_off(pv *prover, const pv_window *window, const pv_digits *sum, ck_id at,
                     const pv_digit *digit, ck_id *part, pv_comb *comb) {
  pv_thm from = PV_NONE;
  pv_thm beyond = PV_NONE;
  int64_t above = next_coef(sum, digit->coef);
  *part = pv_digits_part(prover, at, digit->coef);
  if (!whole_at(prover, window, sum, at, digit->coef, &from))
    return false;
  pv_comb_add(comb, number(prover, -digit->weight), from);
  if (above == 0)
    return true;
  int64_t next = above;
  if (next % digit->coef != 0 || !whole_at(prover, window, sum, at, next, &beyond)) {
    next = digit->coef * digit->radix;
    if (next <= digit->coef || !pv_digits_within(next) ||
        !whole_at(prover, window, sum, at, next, &beyond))
      return false;
  }
  int64_t steps = next / digit->coef;
  *part = pv_sub(prover, *part,
                 pv_mul(prover, number(prover, steps), pv_digits_part(prover, at, next)));
  pv_comb_add(comb, number(prover, digit->weight * steps), beyond);
  return true;
}

/* the window's sum of digits, and what they and the gap add up to, in which k is not; CK_BAD: it is
 */
static ck_id whole_of(pv *prover, pv_ctx ctx, ck_id k, const pv_window *window, pv_digits *sum) {
  pv_digits all;
  sum->n = 0;
  if (!pv_digits_read(prover, ctx, window->gap, &all))
    return CK_BAD;
  ck_id at = window->gap;
  for (uint32_t i = 0; i < all.n; i++) {
    pv_digit part = all.digit[i];
    if (part.coef > 0)
      continue;
    part.coef = -part.coef;
    sum->digit[sum->n++] = part;
    at = pv_add(prover, at, pv_mul(prover, number(prover, part.coef), part.term));
  }
  at = pv_canon(prover, at);
  return ck_has_var(prover->terms, at, k) ? CK_BAD : at;
}

ck_id pv_digits_solve(pv *prover, pv_ctx ctx, ck_id k, const pv_window *window, pv_thm *is_q) {
  pv_digits sum = {.n = 0};
  ck_id at = whole_of(prover, ctx, k, window, &sum);
  if (at == CK_BAD)
    return CK_BAD;
  ck_id q = prover->zero;
  int64_t covered = 1; /* of k: the weight up to which its digits are there */
  pv_comb comb;        /* k = q */
  pv_comb_init(&comb);
  bool ok = true;
  bool last = false;
  for (uint32_t i = 0; i < sum.n && ok && !last; i++) {
    const pv_digit *digit = &sum.digit[i];
    ck_id part;
    if (digit->base != k) {
      ok = !ck_has_var(prover->terms, digit->base, k);
      continue;
    }
    last = digit->term == pv_digits_part(prover, k, digit->weight);
    ok = digit->weight == covered && read_off(prover, window, &sum, at, digit, &part, &comb);
    if (ok)
      q = pv_add(prover, q, pv_mul(prover, number(prover, digit->weight), part));
    covered *= digit->radix;
  }
  if (!ok || !last) {
    pv_comb_clear(&comb);
    return CK_BAD;
  }
  *is_q = pv_comb_prove(prover, &comb, pv_eq(prover, k, q));
  return *is_q == PV_NONE ? CK_BAD : q;
}

/* --- places that differ */
/* x = y, which are in order, from the hypothesis that the sides of `equal` are the same: a
 * falsehood under that */
static pv_thm absurd_equation(pv *prover, pv_ctx ctx, ck_id equal, pv_eqn gap, int sign,
                              const pv_assumption *order) {
  ck_id x = ck_kid(prover->terms, order->formula, 0);
  ck_id y = ck_kid(prover->terms, order->formula, 1);
  ck_id coef = pv_num(prover, sign);
  pv_thm below = order->thm;
  pv_thm is_q = PV_NONE;
  pv_window window = {.gap = pv_canon(prover, pv_mul(prover, coef, gap.to)), .width = 1};
  pv_thm same = pv_hyp(prover, equal);
  /* right - left = gap.to */
  window.not_before = PV_COMBINE(prover, pv_ge0(prover, window.gap), coef, same, coef, gap.by);
  ck_id less = pv_num(prover, -sign);
  window.not_after = PV_COMBINE(prover, pv_lt(prover, window.gap, prover->one), less, same, less,
                                gap.by, prover->one, positive(prover, prover->one));
  if (window.not_before == PV_NONE || window.not_after == PV_NONE)
    return PV_NONE;
  ck_id q = pv_digits_solve(prover, ctx, x, &window, &is_q);
  pv_eqn normal = q == CK_BAD ? pv_fail() : pv_norm(prover, ctx, q);
  if (normal.by == PV_NONE || normal.to != y)
    return PV_NONE;
  return PV_COMBINE(prover, pv_gt0(prover, prover->zero), prover->one, below, pv_num(prover, -1),
                    is_q, pv_num(prover, -1), normal.by);
}

/* the orders of the context, without the equations that may say what a variable is */
static pv_ctx orders_of(pv *prover, pv_ctx ctx) {
  if (ctx == 0)
    return 0;
  pv_assumption link = *pv_at(prover, ctx);
  pv_ctx before = orders_of(prover, link.parent);
  ck_op head = ck_head(prover->terms, link.formula);
  bool order = head == CK_LE || head == CK_LT;
  return order && link.thm != PV_NONE ? pv_ctx_know(prover, before, link.thm) : before;
}

/* are two variables of the formula in order? */
static bool has_ordered_pair(pv *prover, pv_ctx ctx, ck_id formula) {
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    ck_id order = pv_at(prover, link)->formula;
    if (!ck_is(prover->terms, order, CK_LT))
      continue;
    ck_id x = ck_kid(prover->terms, order, 0);
    ck_id y = ck_kid(prover->terms, order, 1);
    if (ck_is(prover->terms, x, CK_V) && ck_is(prover->terms, y, CK_V) &&
        ck_has_var(prover->terms, formula, x) && ck_has_var(prover->terms, formula, y))
      return true;
  }
  return false;
}

pv_thm pv_digits_differ(pv *prover, pv_ctx around, ck_id formula) {
  if (!has_ordered_pair(prover, around, formula))
    return PV_NONE; /* before a context of orders is made */
  pv_ctx ctx = orders_of(prover, around);
  ck_id left = ck_kid(prover->terms, formula, 0);
  ck_id right = ck_kid(prover->terms, formula, 1);
  ck_id equal = pv_eq(prover, left, right);
  pv_eqn gap = pv_norm(prover, ctx, pv_sub(prover, right, left));
  if (gap.by == PV_NONE || pv_is_const(prover, gap.to))
    return PV_NONE;
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    pv_assumption order = *pv_at(prover, link);
    if (!ck_is(prover->terms, order.formula, CK_LT) || order.thm == PV_NONE)
      continue;
    ck_id x = ck_kid(prover->terms, order.formula, 0);
    ck_id y = ck_kid(prover->terms, order.formula, 1);
    if (!ck_is(prover->terms, x, CK_V) || !ck_is(prover->terms, y, CK_V) ||
        !ck_has_var(prover->terms, gap.to, x) || !ck_has_var(prover->terms, gap.to, y))
      continue;
    for (int sign = -1; sign <= 1; sign += 2) {
      pv_thm absurd = absurd_equation(prover, ctx, equal, gap, sign, &order);
      if (absurd != PV_NONE)
        return pv_cases(prover, equal, pv_from_zero_below_zero(prover, formula, absurd),
                        pv_hyp(prover, formula));
    }
  }
  return PV_NONE;
}
