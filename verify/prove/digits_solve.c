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

/* the quotient less what other bases have in it, which is not read off: *part without these.  Only
 * of a digit that is the highest of its base. */
static bool less_others(pv *prover, const pv_digits *sum, const pv_digit *digit, ck_id *part) {
  if (digit->term != pv_digits_part(prover, digit->base, digit->weight))
    return false;
  for (uint32_t i = 0; i < sum->n; i++) {
    const pv_digit *other = &sum->digit[i];
    if (other->base == digit->base || other->coef < digit->coef)
      continue;
    ck_id times = number(prover, other->coef / digit->coef);
    *part = pv_sub(prover, *part, pv_mul(prover, times, other->term));
  }
  return true;
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
      return window->relative && less_others(prover, sum, digit, part);
  }
  int64_t steps = next / digit->coef;
  *part = pv_sub(prover, *part,
                 pv_mul(prover, number(prover, steps), pv_digits_part(prover, at, next)));
  pv_comb_add(comb, number(prover, digit->weight * steps), beyond);
  return true;
}

/* the window's sum of digits, and what they and the gap add up to, in which k is not; CK_BAD: it is
 */
static ck_id whole_of(pv *prover, ck_id k, const pv_window *window, const pv_digits *read,
                      pv_digits *sum) {
  const pv_digits all = *read;
  sum->n = 0;
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

/* --- digits that lie apart */
/* Digits in a group add up, with the window's gap, to `at`, which is `shown` by that theorem:
 * `shown` does not speak of them. */
typedef struct {
  pv_digits sum;
  pv_window window;
  ck_id at;
  ck_id shown;
  pv_thm is_shown; /* PV_REFL: they are one term */
} group;

enum { MOST_GROUPS = 6 };

static void sort_by_coef(pv_digits *sum) {
  for (uint32_t i = 1; i < sum->n; i++) {
    pv_digit part = sum->digit[i];
    uint32_t place = i;
    for (; place > 0 && sum->digit[place - 1].coef > part.coef; place--)
      sum->digit[place] = sum->digit[place - 1];
    sum->digit[place] = part;
  }
}

/* The first place in the sorted sum below which digits and gap do not reach that digit's
 * coefficient, nor the number before it, while all from it on are its multiples; its number of
 * digits: there is none. */
static uint32_t first_space(const pv_window *window, const pv_digits *sum) {
  pv_digits low = {.n = 0, .constant = window->width};
  for (uint32_t i = 0; i < sum->n; i++) {
    int64_t step = sum->digit[i].coef;
    int64_t least;
    int64_t most;
    if (!pv_digits_extremes(&low, &least, &most))
      return sum->n;
    bool multiples = true;
    for (uint32_t k = i; k < sum->n; k++)
      multiples = multiples && sum->digit[k].coef % step == 0;
    if (most < step && multiples)
      return i;
    low.digit[low.n++] = sum->digit[i];
  }
  return sum->n;
}

/* its digits, and the gap as one more; false: there are too many */
static bool with_gap(const group *in, pv_digits *all) {
  *all = in->sum;
  if (all->n == PV_MAX_DIGITS)
    return false;
  all->digit[all->n++] = (pv_digit){.term = in->window.gap,
                                    .coef = 1,
                                    .size = in->window.width,
                                    .low = in->window.not_before,
                                    .high = in->window.not_after};
  return true;
}

/* what is shown of the group is below what its digits, with the gap, do not reach */
static pv_thm group_below(pv *prover, const group *in) {
  pv_digits all;
  pv_thm thm = with_gap(in, &all) ? pv_digits_below(prover, &all, in->at) : PV_NONE;
  if (thm == PV_NONE)
    return PV_NONE;
  ck_id bound = ck_kid(prover->terms, ck_thm_formula(prover->proof, thm), 1);
  return PV_COMBINE(prover, pv_lt(prover, in->shown, bound), prover->one, thm, pv_num(prover, -1),
                    in->is_shown);
}

/* the digits from number `first` on, divided by the step, to *upper; those below stay in *lower;
 * false: something is not found */
static bool take_apart(pv *prover, group *lower, uint32_t first, group *upper) {
  int64_t step = lower->sum.digit[first].coef;
  ck_id by = number(prover, step);
  pv_digits high = {.n = 0};
  pv_digits low = {.n = 0};
  for (uint32_t i = 0; i < lower->sum.n; i++) {
    pv_digit part = lower->sum.digit[i];
    if (i < first) {
      low.digit[low.n++] = part;
    } else {
      part.coef /= step;
      high.digit[high.n++] = part;
    }
  }
  group only_low = *lower;
  only_low.sum = low;
  pv_digits below;
  if (!with_gap(&only_low, &below))
    return false;
  ck_id above = pv_digits_term(prover, &high);
  pv_eqn divided = pv_digits_divided(prover, lower->at, step, above, &below);
  ck_id quotient = pv_digits_part(prover, lower->shown, step);
  /* shown div step = at div step = above */
  pv_thm is_above = divided.by;
  if (lower->is_shown != PV_REFL)
    is_above = pv_trans(prover,
                        pv_sym(prover, pv_cong(prover, pv_digits_part(prover, lower->at, step),
                                               quotient, &lower->is_shown, 1)),
                        divided.by);
  if (is_above == PV_NONE)
    return false;
  pv_thm not_after = positive(prover, prover->one);
  *upper = (group){.sum = high,
                   .window = {.gap = prover->zero,
                              .width = 1,
                              .not_before = pv_zero_le_zero(prover),
                              .not_after = not_after,
                              .relative = lower->window.relative},
                   .at = above,
                   .shown = quotient,
                   .is_shown = pv_sym(prover, is_above)};
  /* at - step*above = shown - step*(shown div step) */
  ck_id rest = pv_canon(prover, pv_sub(prover, lower->shown, pv_mul(prover, by, quotient)));
  ck_id left = pv_canon(prover, pv_sub(prover, lower->at, pv_mul(prover, by, above)));
  lower->is_shown =
      PV_COMBINE(prover, pv_eq(prover, left, rest), prover->one, lower->is_shown, by, is_above);
  lower->sum = low;
  lower->at = left;
  lower->shown = rest;
  return lower->is_shown != PV_NONE && upper->is_shown != PV_NONE;
}

/* The groups of the first one's digits, which lie apart; how many; 0: something is not found.
 * *also: that each but the highest stays below its bound. */
static uint32_t groups_of(pv *prover, group *groups, pv_consequences *also) {
  uint32_t n = 1;
  uint32_t highest = 0;
  sort_by_coef(&groups[0].sum);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t first = first_space(&groups[i].window, &groups[i].sum);
    if (first == groups[i].sum.n)
      continue;
    if (n == MOST_GROUPS || !take_apart(prover, &groups[i], first, &groups[n]))
      return 0;
    highest = highest == i ? n : highest;
    n++;
    i--; /* what is left of it, once more */
  }
  also->n = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (i == highest)
      continue;
    if (also->n == PV_MOST_CONSEQUENCES)
      return 0;
    also->thm[also->n++] = group_below(prover, &groups[i]);
  }
  return n;
}

/* the group's digit of that weight of the base; NULL: it has none */
static const pv_digit *digit_in(const group *in, ck_id base, int64_t weight) {
  for (uint32_t i = 0; i < in->sum.n; i++) {
    if (in->sum.digit[i].base == base && in->sum.digit[i].weight == weight)
      return &in->sum.digit[i];
  }
  return NULL;
}

/* weight*digit = weight*part, where the digit stands in one of the groups, by theorems that are
 * added */
static bool read_digit(pv *prover, const group *groups, uint32_t n, const pv_digit *wanted,
                       ck_id *part, pv_comb *comb) {
  for (uint32_t i = 0; i < n; i++) {
    const group *in = &groups[i];
    const pv_digit *digit = digit_in(in, wanted->base, wanted->weight);
    if (digit == NULL)
      continue;
    if (!read_off(prover, &in->window, &in->sum, in->at, digit, part, comb))
      return false;
    if (in->is_shown == PV_REFL)
      return true;
    pv_eqn shown = pv_rewrite(prover, *part, &in->at, &in->is_shown, 1);
    if (shown.by == PV_NONE || shown.by == PV_REFL)
      return false;
    *part = shown.to;
    pv_comb_add(comb, number(prover, digit->weight), shown.by);
    return true;
  }
  return false;
}

/* what k or a sum with k in it is, of which digits add up to the sum */
typedef struct {
  ck_id k;
  ck_id base;
  ck_id slope; /* a constant: base = slope*k + addend */
  ck_id addend;
} solved_for;

/* false: k is in no base of digits, in two, or not as a multiple of it that is added */
static bool base_with(pv *prover, ck_id k, const pv_digits *sum, solved_for *target) {
  *target = (solved_for){.k = k, .base = CK_BAD, .slope = prover->one, .addend = prover->zero};
  for (uint32_t i = 0; i < sum->n; i++) {
    ck_id base = sum->digit[i].base;
    if (!ck_has_var(prover->terms, base, k) || base == target->base)
      continue;
    if (target->base != CK_BAD)
      return false;
    target->base = base;
    if (base != k && (!pv_poly_linear(prover, base, k, &target->slope, &target->addend) ||
                      target->addend == CK_BAD || !pv_is_const(prover, target->slope) ||
                      pv_const_sign(prover, target->slope) <= 0))
      return false;
  }
  return target->base != CK_BAD;
}

/* k = q from base = whole */
static ck_id k_of_base(pv *prover, pv_ctx ctx, const solved_for *target, ck_id whole, pv_comb *comb,
                       pv_thm *is_q) {
  if (pv_is_one(prover, target->slope)) {
    ck_id q = pv_is_zero(prover, target->addend) ? whole : pv_sub(prover, whole, target->addend);
    *is_q = pv_comb_prove(prover, comb, pv_eq(prover, target->k, q));
    return *is_q == PV_NONE ? CK_BAD : q;
  }
  pv_digits rest;
  pv_thm same = pv_comb_prove(prover, comb, pv_eq(prover, target->base, whole));
  if (same == PV_NONE || !ck_is_int(prover->terms, target->slope) ||
      !mpz_fits_slong_p(mpq_numref(*ck_q_value(prover->terms, target->slope))) ||
      !pv_digits_read(prover, ctx, target->addend, &rest))
    return CK_BAD;
  int64_t slope = mpz_get_si(mpq_numref(*ck_q_value(prover->terms, target->slope)));
  pv_eqn is_k = pv_digits_within(slope)
                    ? pv_digits_divided(prover, target->base, slope, target->k, &rest)
                    : pv_fail();
  if (is_k.by == PV_NONE)
    return CK_BAD;
  ck_id q = pv_digits_part(prover, whole, slope);
  ck_id quotient = pv_digits_part(prover, target->base, slope);
  *is_q = pv_trans(prover, pv_sym(prover, is_k.by), pv_cong(prover, quotient, q, &same, 1));
  return *is_q == PV_NONE ? CK_BAD : q;
}

/* k = q; CK_BAD: a digit is not found */
static ck_id read_base(pv *prover, pv_ctx ctx, const pv_digits *sum, const group *groups,
                       uint32_t n, const solved_for *target, pv_thm *is_q) {
  ck_id q = prover->zero;
  int64_t covered = 1; /* of the base: the weight up to which its digits are there */
  pv_comb comb;
  pv_comb_init(&comb);
  bool ok = n > 0;
  bool last = false;
  for (uint32_t i = 0; i < sum->n && ok && !last; i++) {
    const pv_digit *digit = &sum->digit[i];
    ck_id part;
    if (digit->base != target->base)
      continue;
    last = digit->term == pv_digits_part(prover, target->base, digit->weight);
    ok = digit->weight == covered && read_digit(prover, groups, n, digit, &part, &comb);
    if (ok)
      q = pv_add(prover, q, pv_mul(prover, number(prover, digit->weight), part));
    covered *= digit->radix;
  }
  if (!ok || !last) {
    pv_comb_clear(&comb);
    return CK_BAD;
  }
  return k_of_base(prover, ctx, target, q, &comb, is_q);
}

typedef bool (*reading)(pv *prover, pv_ctx ctx, ck_id term, pv_digits *out);

/* the window's sum of digits, those of k among them, and what it is with the gap, in which k is
 * not; CK_BAD: it is no such */
static ck_id digits_with(pv *prover, pv_ctx ctx, ck_id k, const pv_window *window, reading read,
                         pv_digits *sum, solved_for *target) {
  pv_digits all;
  ck_id at = read(prover, ctx, window->gap, &all) ? whole_of(prover, k, window, &all, sum) : CK_BAD;
  return at != CK_BAD && base_with(prover, k, sum, target) ? at : CK_BAD;
}

/* adds what each other base of digits is; false: there are too many, or one is not found */
static bool other_bases(pv *prover, pv_ctx ctx, const pv_digits *sum, const group *groups,
                        uint32_t n, const solved_for *target, pv_consequences *also) {
  for (uint32_t i = 0; i < sum->n; i++) {
    ck_id base = sum->digit[i].base;
    bool known = base == target->base;
    for (uint32_t k = 0; k < i; k++)
      known = known || sum->digit[k].base == base;
    if (known)
      continue;
    solved_for other = {.k = base, .base = base, .slope = prover->one, .addend = prover->zero};
    pv_thm is = PV_NONE;
    if (also->n == PV_MOST_CONSEQUENCES ||
        read_base(prover, ctx, sum, groups, n, &other, &is) == CK_BAD)
      return false;
    also->thm[also->n++] = is;
  }
  return true;
}

ck_id pv_digits_solve(pv *prover, pv_ctx ctx, ck_id k, const pv_window *window, pv_thm *is_q,
                      pv_consequences *also) {
  pv_digits sum = {.n = 0};
  solved_for target;
  group groups[MOST_GROUPS];
  pv_consequences found = {.n = 0};
  if (also)
    also->n = 0;
  static const reading ways[] = {pv_digits_read, pv_digits_of_difference, pv_digits_of_bounded};
  for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
    ck_id at = digits_with(prover, ctx, k, window, ways[way], &sum, &target);
    if (at == CK_BAD)
      continue;
    group whole = {.sum = sum, .window = *window, .at = at, .shown = at, .is_shown = PV_REFL};
    groups[0] = whole;
    found.n = 0;
    uint32_t n = groups_of(prover, groups, &found);
    ck_id q = read_base(prover, ctx, &sum, &whole, 1, &target, is_q);
    if (q == CK_BAD && n > 1)
      q = read_base(prover, ctx, &sum, groups, n, &target, is_q);
    if (q == CK_BAD)
      continue;
    if (n > 1 && also && other_bases(prover, ctx, &sum, groups, n, &target, &found))
      *also = found;
    return q;
  }
  return CK_BAD;
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
  ck_id q = pv_digits_solve(prover, ctx, x, &window, &is_q, NULL);
  pv_eqn normal = q == CK_BAD ? pv_fail() : pv_norm(prover, ctx, q);
  if (normal.by == PV_NONE || normal.to != y)
    return PV_NONE;
  return PV_COMBINE(prover, pv_gt0(prover, prover->zero), prover->one, below, pv_num(prover, -1),
                    is_q, pv_num(prover, -1), normal.by);
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

/* the formula where right - left is the gap */
static pv_thm differ_by(pv *prover, pv_ctx ctx, ck_id formula, ck_id equal, pv_eqn gap) {
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

/* a remainder in the term outside of quotients, by a number; CK_BAD: none */
static ck_id some_remainder(const pv *prover, ck_id term) {
  const ck_terms *terms = prover->terms;
  if (ck_is(terms, term, CK_MOD))
    return ck_is(terms, ck_kid(terms, term, 1), CK_Q) ? term : CK_BAD;
  if (!ck_is(terms, term, CK_ADD) && !ck_is(terms, term, CK_MUL))
    return CK_BAD;
  ck_id found = some_remainder(prover, ck_kid(terms, term, 0));
  return found != CK_BAD ? found : some_remainder(prover, ck_kid(terms, term, 1));
}

/* the term with quotients for its remainders, else as it is: x mod b = x - b*(x div b) */
static pv_eqn remainders_out(pv *prover, ck_id term) {
  enum { MOST = 16 };

  pv_eqn eqn = pv_same(term);
  for (int tries = 0; tries < MOST && eqn.by != PV_NONE; tries++) {
    ck_id found = some_remainder(prover, eqn.to);
    if (found == CK_BAD)
      return eqn;
    ck_id x = ck_kid(prover->terms, found, 0);
    ck_id by = ck_kid(prover->terms, found, 1);
    if (pv_const_sign(prover, by) <= 0)
      return pv_fail();
    ck_id quotient = ck_mk2(prover->terms, CK_DIV, x, by);
    ck_id to = pv_sub(prover, x, pv_mul(prover, by, quotient));
    pv_thm law = pv_law2(prover, "div", x, by, positive(prover, by));
    pv_thm same = PV_COMBINE(prover, pv_eq(prover, found, to), pv_num(prover, -1), law);
    eqn = pv_then(prover, eqn, pv_rewrite(prover, eqn.to, &found, &same, 1));
  }
  return pv_fail();
}

pv_thm pv_digits_differ(pv *prover, pv_ctx around, ck_id formula) {
  if (!has_ordered_pair(prover, around, formula))
    return PV_NONE; /* before a context of orders is made */
  pv_ctx ctx = pv_orders_of(prover, around);
  ck_id left = ck_kid(prover->terms, formula, 0);
  ck_id right = ck_kid(prover->terms, formula, 1);
  ck_id equal = pv_eq(prover, left, right);
  ck_id difference = pv_sub(prover, right, left);
  pv_thm thm = differ_by(prover, ctx, formula, equal, pv_norm(prover, ctx, difference));
  /* a normal form takes apart what is divided, by what is a multiple of the divisor */
  return thm != PV_NONE
             ? thm
             : differ_by(prover, ctx, formula, equal, remainders_out(prover, difference));
}
