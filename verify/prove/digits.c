/* Integers as sums of digits (see pv_digits.h). */
#include "pv_digits.h"
#include <stdlib.h>
#include <string.h>

/* numbers beyond this are not taken: products of two must fit */
#define LARGEST ((int64_t)1 << 31)

enum { MAX_NESTED = 6 };

bool pv_digits_within(int64_t number) {
  return -LARGEST < number && number < LARGEST;
}

static ck_id number(pv *prover, int64_t value) {
  return pv_num(prover, (long)value);
}

bool pv_digits_integer(const pv *prover, ck_id term, int64_t *value) {
  if (!ck_is(prover->terms, term, CK_Q))
    return false;
  const mpq_t *q = ck_q_value(prover->terms, term);
  if (mpz_cmp_ui(mpq_denref(*q), 1) != 0 || !mpz_fits_slong_p(mpq_numref(*q)))
    return false;
  *value = mpz_get_si(mpq_numref(*q));
  return pv_digits_within(*value);
}

ck_id pv_digits_part(pv *prover, ck_id base, int64_t weight) {
  return weight == 1 ? base : ck_mk2(prover->terms, CK_DIV, base, number(prover, weight));
}

static pv_thm positive(pv *prover, ck_id constant) {
  return pv_by_value(prover, pv_gt0(prover, constant));
}

/* --- ranges */
static void set_range(pv *prover, pv_ctx ctx, pv_digit *digit, int depth);

/* least <= term by the theorem 0 <= term - least, up to form */
static void at_least(pv *prover, pv_thm thm, ck_id term, int64_t least, pv_range *found) {
  if (found->low != PV_NONE && least <= found->least)
    return;
  pv_thm low = pv_restate(prover, pv_le(prover, number(prover, least), term), thm);
  if (low == PV_NONE)
    return;
  found->least = least;
  found->low = low;
}

/* term < size by the theorem 0 <= size - 1 - term, up to form */
static void below(pv *prover, pv_thm thm, ck_id term, int64_t size, pv_range *found) {
  if (found->high != PV_NONE && size >= found->size)
    return;
  pv_thm high = PV_COMBINE(prover, pv_lt(prover, term, number(prover, size)), prover->one, thm,
                           prover->one, positive(prover, prover->one));
  if (high == PV_NONE)
    return;
  found->size = size;
  found->high = high;
}

/* what a relation of the context says of the term alone */
static void by_fact(pv *prover, pv_thm thm, ck_id term, pv_range *found) {
  thm = pv_tighten(prover, thm);
  ck_id formula = thm == PV_NONE ? CK_BAD : pv_says(prover, thm);
  int64_t value;
  if (formula == CK_BAD || !ck_is(prover->terms, formula, CK_LE))
    return;
  ck_id left = ck_kid(prover->terms, formula, 0);
  ck_id right = ck_kid(prover->terms, formula, 1);
  if (!ck_is_int(prover->terms, left) || !ck_is_int(prover->terms, right))
    return;
  ck_id gap = pv_sub(prover, right, left); /* at least 0 */
  ck_id over = pv_canon(prover, pv_sub(prover, gap, term));
  if (over != CK_BAD && pv_digits_integer(prover, over, &value)) {
    at_least(prover, thm, term, -value, found);
    return;
  }
  ck_id room = pv_canon(prover, pv_add(prover, gap, term));
  if (room != CK_BAD && pv_digits_integer(prover, room, &value))
    below(prover, thm, term, value + 1, found);
}

/* the next monomial of a polynomial from `i` on that is no number */
static uint32_t next_mono(const ck_poly *poly, uint32_t i) {
  while (i < ck_poly_len(poly) && ck_poly_mono(poly, i).deg == 0)
    i++;
  return i;
}

static bool is_same_mono(ck_mono mono, ck_mono other) {
  return mono.deg == other.deg &&
         memcmp(mono.atoms, other.atoms, mono.deg * sizeof *mono.atoms) == 0;
}

/* Is a relation one between the term, or the term with its sign changed, and numbers?  Others say
 * nothing of it alone; most are others, and to tell costs no term and no step.  The monomials of
 * both are in the order of their numbers. */
static bool speaks_of(pv *prover, ck_id formula, const ck_poly *term) {
  const ck_poly *gap = ck_poly_of(prover->terms, formula);
  if (gap == NULL || term == NULL)
    return term == NULL; /* beyond what polynomials are made of: as if it did */
  int sign = 0;
  uint32_t i = next_mono(gap, 0);
  uint32_t k = next_mono(term, 0);
  while (i < ck_poly_len(gap) && k < ck_poly_len(term)) {
    int signs = mpq_sgn(*ck_poly_coef(gap, i)) * mpq_sgn(*ck_poly_coef(term, k));
    if (!is_same_mono(ck_poly_mono(gap, i), ck_poly_mono(term, k)) ||
        mpz_cmpabs(mpq_numref(*ck_poly_coef(gap, i)), mpq_numref(*ck_poly_coef(term, k))) != 0 ||
        mpz_cmp(mpq_denref(*ck_poly_coef(gap, i)), mpq_denref(*ck_poly_coef(term, k))) != 0 ||
        (sign != 0 && signs != sign))
      return false;
    sign = signs;
    i = next_mono(gap, i + 1);
    k = next_mono(term, k + 1);
  }
  return i == ck_poly_len(gap) && k == ck_poly_len(term);
}

static void by_facts(pv *prover, pv_ctx ctx, ck_id term, pv_range *found) {
  const ck_poly *poly = ck_poly_of(prover->terms, term);
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    pv_assumption fact = *pv_at(prover, link);
    ck_op head = ck_head(prover->terms, fact.formula);
    if ((head == CK_LE || head == CK_LT) && fact.thm != PV_NONE &&
        speaks_of(prover, fact.formula, poly))
      by_fact(prover, fact.thm, term, found);
  }
}

/* the least and the greatest value that the digits allow; false: one is not known */
bool pv_digits_extremes(const pv_digits *sum, int64_t *least, int64_t *most) {
  *least = *most = sum->constant;
  for (uint32_t i = 0; i < sum->n; i++) {
    const pv_digit *digit = &sum->digit[i];
    int64_t end[2];
    if (digit->low == PV_NONE || digit->high == PV_NONE ||
        __builtin_mul_overflow(digit->coef, digit->least, &end[0]) ||
        __builtin_mul_overflow(digit->coef, digit->size - 1, &end[1]))
      return false;
    *least += end[0] < end[1] ? end[0] : end[1];
    *most += end[0] < end[1] ? end[1] : end[0];
    if (!pv_digits_within(*least) || !pv_digits_within(*most))
      return false;
  }
  return true;
}

/* what the digits allow at least (or at most, with its sign changed) as a combination of theorems;
 * `extra`: a constant above 0, or 0 */
static pv_thm by_digits(pv *prover, const pv_digits *sum, bool negated, int64_t extra,
                        ck_id claim) {
  pv_comb comb;
  pv_comb_init(&comb);
  for (uint32_t i = 0; i < sum->n; i++) {
    const pv_digit *digit = &sum->digit[i];
    int64_t coef = negated ? -digit->coef : digit->coef;
    if (coef > 0) {
      pv_comb_add(&comb, number(prover, coef), digit->low);
    } else { /* term <= size - 1 */
      ck_id last =
          pv_le(prover, pv_add(prover, digit->term, prover->one), number(prover, digit->size));
      pv_comb_add(&comb, number(prover, -coef),
                  digit->high == PV_NONE ? PV_NONE : pv_int(prover, last, digit->high));
    }
  }
  if (extra > 0)
    pv_comb_add(&comb, prover->one, positive(prover, number(prover, extra)));
  return pv_comb_prove(prover, &comb, claim);
}

pv_thm pv_digits_below(pv *prover, const pv_digits *sum, ck_id term) {
  int64_t least;
  int64_t most;
  if (!pv_digits_extremes(sum, &least, &most))
    return PV_NONE;
  return by_digits(prover, sum, true, 1, pv_lt(prover, term, number(prover, most + 1)));
}

static void set_ranges(pv *prover, pv_ctx ctx, pv_digits *sum, int depth) {
  for (uint32_t i = 0; i < sum->n; i++)
    set_range(prover, ctx, &sum->digit[i], depth);
}

/* of a sum of digits that have theirs */
static void range_of_sum(pv *prover, const pv_digits *sum, ck_id term, pv_range *found) {
  int64_t least;
  int64_t most;
  if (!pv_digits_extremes(sum, &least, &most))
    return;
  found->least = least;
  found->low = by_digits(prover, sum, false, 0, pv_le(prover, number(prover, least), term));
  found->size = most + 1;
  found->high = by_digits(prover, sum, true, 1, pv_lt(prover, term, number(prover, found->size)));
}

static pv_range range_of(pv *prover, pv_ctx ctx, ck_id base, int depth) {
  pv_range found = {.low = PV_NONE, .high = PV_NONE};
  if (!pv_is_atom(prover, base) && depth < MAX_NESTED) {
    pv_digits sum;
    if (!pv_digits_sum(prover, ctx, base, PV_DIVIDED, &sum))
      return found;
    set_ranges(prover, ctx, &sum, depth + 1);
    range_of_sum(prover, &sum, base, &found);
  }
  by_facts(prover, ctx, base, &found);
  return found;
}

/* 0 <= digit < radix of one that is not the last: base div weight = (base div (weight*radix))*radix
 * + (base div weight) mod radix */
static void range_inside(pv *prover, pv_ctx ctx, pv_digit *digit) {
  ck_id whole = pv_digits_part(prover, digit->base, digit->weight);
  ck_id radix = number(prover, digit->radix);
  digit->least = 0;
  digit->size = digit->radix;
  pv_thm radix_pos = positive(prover, radix);
  pv_thm law = pv_law2(prover, "div", whole, radix, radix_pos);
  pv_thm nested = PV_REFL;
  if (digit->weight > 1) {
    pv_eqn eqn = pv_nested_quotient(prover, ctx, whole, radix, radix_pos);
    nested = eqn.by;
  }
  ck_id next = pv_digits_part(prover, digit->base, digit->weight * digit->radix);
  digit->term = pv_canon(prover, pv_sub(prover, whole, pv_mul(prover, radix, next)));
  for (int high = 0; high < 2; high++) {
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one,
                pv_law2(prover, high ? "mod<" : "mod>", whole, radix, radix_pos));
    /* whole = radix*(whole div radix) + whole mod radix; whole div radix = next */
    pv_comb_add(&comb, number(prover, high ? 1 : -1), law);
    pv_comb_add(&comb, number(prover, high ? digit->radix : -digit->radix), nested);
    pv_thm thm = pv_comb_prove(
        prover, &comb, high ? pv_lt(prover, digit->term, radix) : pv_ge0(prover, digit->term));
    *(high ? &digit->high : &digit->low) = thm;
  }
}

/* of the last one, by the range of its base */
static void range_of_last(pv *prover, pv_ctx ctx, pv_digit *digit, int depth) {
  pv_range base = range_of(prover, ctx, digit->base, depth);
  digit->term = pv_digits_part(prover, digit->base, digit->weight);
  if (digit->weight == 1) {
    digit->least = base.least;
    digit->low = base.low;
    digit->high = base.high;
    digit->size = digit->radix = base.high == PV_NONE ? 0 : base.size;
    return;
  }
  ck_id weight = number(prover, digit->weight);
  pv_var_sub vars[3] = {{pv_int_var(prover, "a"), digit->base},
                        {pv_int_var(prover, "b"), weight},
                        {pv_int_var(prover, "c"), CK_BAD}};
  pv_thm weight_pos = positive(prover, weight);
  if (base.low != PV_NONE && base.least >= 0) {
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, base.low);
    if (base.least > 0)
      pv_comb_add(&comb, prover->one, positive(prover, number(prover, base.least)));
    pv_thm lower[2] = {pv_comb_prove(prover, &comb, pv_ge0(prover, digit->base)), weight_pos};
    digit->low = pv_use_lemma(prover, PV_DIV_LO, vars, 2, NULL, 0, lower, 2);
  }
  if (base.high == PV_NONE || base.size <= 0)
    return;
  int64_t radix = (base.size + digit->weight - 1) / digit->weight;
  vars[2].term = number(prover, radix);
  ck_id under = pv_lt(prover, digit->base, pv_mul(prover, vars[2].term, weight));
  int64_t spare = radix * digit->weight - base.size;
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, base.high);
  if (spare > 0)
    pv_comb_add(&comb, prover->one, positive(prover, number(prover, spare)));
  pv_thm upper[2] = {pv_comb_prove(prover, &comb, under), weight_pos};
  digit->high = pv_use_lemma(prover, PV_DIV_HI, vars, 3, NULL, 0, upper, 2);
  digit->size = digit->radix = digit->high == PV_NONE ? 0 : radix;
}

static void set_range(pv *prover, pv_ctx ctx, pv_digit *digit, int depth) {
  if (digit->radix > 0)
    range_inside(prover, ctx, digit);
  else
    range_of_last(prover, ctx, digit, depth);
  if (digit->term == digit->base)
    return; /* known already */
  pv_range known = {digit->least, digit->low, digit->size, digit->high};
  by_facts(prover, ctx, digit->term, &known);
  digit->least = known.least;
  digit->low = known.low;
  digit->size = known.size;
  digit->high = known.high;
}

bool pv_digits_read(pv *prover, pv_ctx ctx, ck_id term, pv_digits *out) {
  if (!pv_digits_sum(prover, ctx, term, PV_DIVIDED, out))
    return false;
  set_ranges(prover, ctx, out, 0);
  return true;
}

bool pv_digits_of_difference(pv *prover, pv_ctx ctx, ck_id term, pv_digits *out) {
  if (!pv_digits_sum(prover, ctx, term, PV_CANCELLED, out))
    return false;
  set_ranges(prover, ctx, out, 0);
  return true;
}

bool pv_digits_of_bounded(pv *prover, pv_ctx ctx, ck_id term, pv_digits *out) {
  if (!pv_digits_sum(prover, ctx, term, PV_BOUNDED, out))
    return false;
  set_ranges(prover, ctx, out, 0);
  return true;
}

static pv_thm nonneg_sum(pv *prover, pv_ctx ctx, ck_id term) {
  pv_digits sum;
  if (!pv_digits_read(prover, ctx, term, &sum))
    return PV_NONE;
  int64_t least = sum.constant;
  for (uint32_t i = 0; i < sum.n; i++) {
    const pv_digit *digit = &sum.digit[i];
    int64_t end = digit->coef > 0 ? digit->least : digit->size - 1;
    if ((digit->coef > 0 ? digit->low : digit->high) == PV_NONE ||
        __builtin_mul_overflow(digit->coef, end, &end) ||
        __builtin_add_overflow(least, end, &least))
      return PV_NONE;
  }
  return least < 0 ? PV_NONE : by_digits(prover, &sum, false, least, pv_ge0(prover, term));
}

/* The sum of which the polynomial has a quotient, and in which x stands once; CK_BAD: there is
 * none.
 */
static ck_id sum_with(pv *prover, const pv_poly *poly, ck_id x) {
  for (uint32_t i = 0; i < poly->count; i++) {
    ck_id atom = poly->monos[i].degree == 1 ? poly->monos[i].atoms[0] : CK_BAD;
    ck_id slope;
    ck_id rest;
    if (atom == CK_BAD || !ck_is(prover->terms, atom, CK_DIV))
      continue;
    ck_id sum = ck_kid(prover->terms, atom, 0);
    if (!pv_is_atom(prover, sum) && pv_poly_linear(prover, sum, x, &slope, &rest) &&
        slope != CK_BAD && pv_is_one(prover, slope))
      return sum;
  }
  return CK_BAD;
}

/* An index that is a sum is divided in two ways: as a whole, and, where the divisor divides the
 * other summands, as x div w and these.  The term with (sum div w) instead of x div w, and why it
 * is the same; PV_REFL: there is none.  Sums are taken from `beside` too, where that is not CK_BAD.
 */
static pv_eqn by_whole_sums(pv *prover, pv_ctx ctx, ck_id term, ck_id beside) {
  pv_poly poly;
  pv_poly other;
  pv_eqn result = pv_same(term);
  pv_poly_init(&poly);
  pv_poly_init(&other);
  pv_poly_read(prover, &poly, term);
  if (beside != CK_BAD)
    pv_poly_read(prover, &other, beside);
  for (uint32_t i = 0; i < poly.count && result.by == PV_REFL; i++) {
    ck_id atom = poly.monos[i].degree == 1 ? poly.monos[i].atoms[0] : CK_BAD;
    if (atom == CK_BAD || !ck_is(prover->terms, atom, CK_DIV) ||
        !ck_is(prover->terms, ck_kid(prover->terms, atom, 0), CK_V))
      continue;
    ck_id sum = sum_with(prover, &poly, ck_kid(prover->terms, atom, 0));
    if (sum == CK_BAD)
      sum = sum_with(prover, &other, ck_kid(prover->terms, atom, 0));
    if (sum == CK_BAD)
      continue;
    ck_id whole = ck_mk2(prover->terms, CK_DIV, sum, ck_kid(prover->terms, atom, 1));
    pv_eqn parts = pv_norm(prover, ctx, whole);
    ck_id others = pv_canon(prover, pv_sub(prover, parts.to, atom));
    if (parts.by == PV_NONE || parts.by == PV_REFL || pv_occurs(prover, others, atom))
      continue;
    ck_id coef = poly.monos[i].coef;
    ck_id gap = pv_mul(prover, coef, pv_sub(prover, whole, parts.to));
    result.to = pv_canon(prover, pv_add(prover, term, gap));
    result.by = pv_scaled(prover, pv_eq(prover, term, result.to), pv_neg(prover, coef), parts.by);
  }
  pv_poly_clear(&poly);
  pv_poly_clear(&other);
  return result;
}

/* does an atom of the sum stand for a quotient by a constant? */
static bool has_quotient(pv *prover, ck_id term) {
  pv_poly poly;
  bool found = false;
  int64_t divisor;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, term);
  for (uint32_t i = 0; i < poly.count && !found; i++) {
    for (uint32_t k = 0; k < poly.monos[i].degree && !found; k++) {
      ck_id atom = poly.monos[i].atoms[k];
      found = ck_is(prover->terms, atom, CK_DIV) &&
              pv_digits_integer(prover, ck_kid(prover->terms, atom, 1), &divisor);
    }
  }
  pv_poly_clear(&poly);
  return found;
}

/* the term with all such sums as wholes */
static pv_eqn whole_sums(pv *prover, pv_ctx ctx, ck_id term, ck_id beside) {
  enum { MOST = 4 };

  pv_eqn eqn = pv_same(term);
  for (int tries = 0; tries < MOST && eqn.by != PV_NONE; tries++) {
    pv_eqn next = by_whole_sums(prover, ctx, eqn.to, beside);
    if (next.by == PV_REFL || next.by == PV_NONE)
      return eqn;
    eqn = pv_then(prover, eqn, next);
  }
  return eqn;
}

/* does a quotient or remainder by a number stand as a summand, or in a product, in the difference
 * of the relation's sides?  (Not within a choice: to normalise that costs far more than it says.)
 */
static bool divides(const pv *prover, ck_id relation) {
  const ck_terms *terms = prover->terms;
  const ck_poly *gap = ck_poly_of(prover->terms, relation);
  uint32_t n = gap ? ck_poly_len(gap) : 0;
  int64_t divisor;
  for (uint32_t i = 0; i < n; i++) {
    ck_mono mono = ck_poly_mono(gap, i);
    for (uint32_t k = 0; k < mono.deg; k++) {
      ck_id atom = mono.atoms[k];
      if ((ck_is(terms, atom, CK_DIV) || ck_is(terms, atom, CK_MOD)) &&
          pv_digits_integer(prover, ck_kid(terms, atom, 1), &divisor))
        return true;
    }
  }
  return false;
}

/* the context with its orders of quotients once more as sums of digits have them */
static pv_ctx with_whole_facts(pv *prover, pv_ctx ctx, ck_id beside) {
  pv_ctx more = ctx;
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    pv_assumption fact = *pv_at(prover, link);
    ck_op head = ck_head(prover->terms, fact.formula);
    ck_id normal = CK_BAD;
    if ((head != CK_LE && head != CK_LT) || fact.thm == PV_NONE ||
        !ck_is_int(prover->terms, ck_kid(prover->terms, fact.formula, 0)) ||
        !ck_is_int(prover->terms, ck_kid(prover->terms, fact.formula, 1)) ||
        !divides(prover, fact.formula))
      continue;
    pv_thm thm = pv_fact_normal(prover, ctx, fact.thm, &normal);
    pv_eqn whole = thm == PV_NONE ? pv_fail() : whole_sums(prover, ctx, normal, beside);
    if (whole.by == PV_NONE)
      continue;
    ck_id formula = pv_rel(prover, head, prover->zero, whole.to);
    thm = PV_COMBINE(prover, formula, prover->one, thm, prover->one, whole.by);
    if (thm != PV_NONE) /* the effort may be spent */
      more = pv_ctx_know(prover, more, thm);
  }
  return more;
}

/* What is asked while those orders are brought to normal form is answered without them: each would
 * else be asked with all of the others, as often as there are orders in which they can be. */
static pv_thm by_whole_facts(pv *prover, pv_ctx ctx, ck_id term) {
  if (prover->whole_facts) {
    prover->cut = true;
    return PV_NONE;
  }
  prover->whole_facts = true;
  pv_ctx more = with_whole_facts(prover, ctx, term);
  prover->whole_facts = false;
  return more == ctx ? PV_NONE : nonneg_sum(prover, more, term);
}

/* Of sums without quotients by constants the digits say no more than linear bounds do, which were
 * asked before. */
pv_thm pv_digits_nonneg(pv *prover, pv_ctx ctx, ck_id term) {
  enum { MOST = 4 };

  if (!has_quotient(prover, term))
    return PV_NONE;
  pv_thm thm = nonneg_sum(prover, ctx, term);
  pv_eqn eqn = pv_same(term);
  for (int tries = 0; tries < MOST && thm == PV_NONE; tries++) {
    pv_eqn next = by_whole_sums(prover, ctx, eqn.to, CK_BAD);
    if (next.by == PV_REFL || next.by == PV_NONE)
      break;
    eqn = pv_then(prover, eqn, next);
    thm = nonneg_sum(prover, ctx, eqn.to);
  }
  if (thm == PV_NONE)
    thm = by_whole_facts(prover, ctx, eqn.to);
  if (thm == PV_NONE || eqn.by == PV_REFL)
    return thm;
  return PV_COMBINE(prover, pv_ge0(prover, term), prover->one, thm, pv_num(prover, -1), eqn.by);
}

/* --- quotients */
static int64_t floor_div(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

ck_id pv_digits_term(pv *prover, const pv_digits *sum) {
  ck_id term = number(prover, sum->constant);
  for (uint32_t i = 0; i < sum->n; i++)
    term = pv_add(prover, term,
                  pv_mul(prover, number(prover, sum->digit[i].coef), sum->digit[i].term));
  return pv_canon(prover, term);
}

/* sum = divisor*whole + rest, coefficients of the rest below the divisor */
static void take_multiples(const pv_digits *sum, int64_t divisor, pv_digits *whole,
                           pv_digits *rest) {
  whole->n = rest->n = 0;
  whole->constant = floor_div(sum->constant, divisor);
  rest->constant = sum->constant - divisor * whole->constant;
  for (uint32_t i = 0; i < sum->n; i++) {
    pv_digit part = sum->digit[i];
    int64_t quotient = floor_div(part.coef, divisor);
    int64_t remainder = part.coef - divisor * quotient;
    part.coef = quotient;
    if (quotient)
      whole->digit[whole->n++] = part;
    part.coef = remainder;
    if (remainder)
      rest->digit[rest->n++] = part;
  }
}

/* what of the rest is no multiple of the factor; is it below the factor? */
static bool part_below(const pv_digits *rest, int64_t factor, pv_digits *below, pv_digits *above) {
  int64_t least;
  int64_t most;
  above->n = below->n = 0;
  above->constant = rest->constant / factor;
  below->constant = rest->constant % factor;
  for (uint32_t i = 0; i < rest->n; i++) {
    pv_digit part = rest->digit[i];
    if (part.coef % factor) {
      below->digit[below->n++] = part;
    } else {
      part.coef /= factor;
      above->digit[above->n++] = part;
    }
  }
  return pv_digits_extremes(below, &least, &most) && least >= 0 && most < factor;
}

/* the greatest divisor of `divisor` below which a part of the rest stays */
static int64_t common_factor(const pv_digits *rest, int64_t divisor, pv_digits *below,
                             pv_digits *above) {
  int64_t best = 1;
  for (uint32_t i = 0; i < rest->n; i++) {
    int64_t factor = gcd(divisor, rest->digit[i].coef);
    if (factor > best && part_below(rest, factor, below, above))
      best = factor;
  }
  part_below(rest, best, below, above);
  return best;
}

/* the upper part of a digit, and its lower part, below the divisor */
static bool split(pv *prover, pv_ctx ctx, const pv_digit *digit, int64_t divisor, pv_digit *upper,
                  pv_digit *lower) {
  bool inside =
      digit->radix > 0 && digit->term != pv_digits_part(prover, digit->base, digit->weight);
  if (inside && digit->radix % divisor != 0)
    return false;
  if (!pv_digits_within(digit->weight * divisor))
    return false;
  *upper = *lower = *digit;
  upper->coef = lower->coef = 1;
  upper->weight = digit->weight * divisor;
  upper->radix = inside ? digit->radix / divisor : 0;
  lower->radix = divisor;
  range_inside(prover, ctx, lower);
  if (inside && upper->radix > 1)
    range_inside(prover, ctx, upper);
  else
    upper->term = pv_digits_part(prover, digit->base, upper->weight);
  return lower->low != PV_NONE && lower->high != PV_NONE;
}

/* what is left of a division as one digit more: dividend less its multiple of the divisor */
static pv_digit remainder_of(pv *prover, ck_id dividend, int64_t divisor) {
  ck_id by = number(prover, divisor);
  ck_id whole = ck_mk2(prover->terms, CK_DIV, dividend, by);
  pv_thm by_pos = positive(prover, by);
  pv_thm law = pv_law2(prover, "div", dividend, by, by_pos);
  pv_digit digit = {.base = dividend, .weight = 1, .radix = divisor, .size = divisor, .coef = 1};
  digit.term = pv_canon(prover, pv_sub(prover, dividend, pv_mul(prover, by, whole)));
  digit.low = PV_COMBINE(prover, pv_ge0(prover, digit.term), prover->one,
                         pv_law2(prover, "mod>", dividend, by, by_pos), pv_num(prover, -1), law);
  digit.high = PV_COMBINE(prover, pv_lt(prover, digit.term, by), prover->one,
                          pv_law2(prover, "mod<", dividend, by, by_pos), prover->one, law);
  return digit;
}

/* dividend div divisor = quotient, as dividend = divisor*quotient + rest */
pv_eqn pv_digits_divided(pv *prover, ck_id dividend, int64_t divisor, ck_id quotient,
                         const pv_digits *rest) {
  int64_t least;
  int64_t most;
  if (!pv_digits_extremes(rest, &least, &most) || least < 0 || most >= divisor)
    return pv_fail();
  ck_id by = number(prover, divisor);
  ck_id left = pv_canon(prover, pv_sub(prover, dividend, pv_mul(prover, by, quotient)));
  pv_thm premises[3];
  premises[0] = by_digits(prover, rest, false, least, pv_ge0(prover, left));
  premises[1] = by_digits(prover, rest, true, divisor - most, pv_lt(prover, left, by));
  premises[2] = pv_identity(
      prover, pv_eq(prover, dividend, pv_add(prover, pv_mul(prover, by, quotient), left)));
  pv_thm thm = pv_divided(prover, dividend, by, quotient, left, premises);
  return thm == PV_NONE ? pv_fail() : (pv_eqn){quotient, thm};
}

/* one of the few quotients that the digits leave, where the context says that it is that one */
static pv_eqn one_of_few(pv *prover, pv_ctx ctx, ck_id dividend, int64_t divisor, ck_id whole,
                         const pv_digits *rest) {
  enum { FEW = 3 };

  int64_t least;
  int64_t most;
  if (!pv_digits_extremes(rest, &least, &most) ||
      floor_div(most, divisor) - floor_div(least, divisor) >= FEW)
    return pv_fail();
  ck_id by = number(prover, divisor);
  for (int64_t more = floor_div(least, divisor); more <= floor_div(most, divisor); more++) {
    ck_id quotient = pv_canon(prover, pv_add(prover, whole, number(prover, more)));
    ck_id left = pv_canon(prover, pv_sub(prover, dividend, pv_mul(prover, by, quotient)));
    pv_thm premises[3] = {pv_follows(prover, ctx, pv_ge0(prover, left)), PV_NONE, PV_NONE};
    if (premises[0] == PV_NONE)
      break; /* nor for more */
    premises[1] = pv_follows(prover, ctx, pv_lt(prover, left, by));
    if (premises[1] == PV_NONE)
      continue;
    premises[2] = pv_identity(
        prover, pv_eq(prover, dividend, pv_add(prover, pv_mul(prover, by, quotient), left)));
    return (pv_eqn){quotient, pv_divided(prover, dividend, by, quotient, left, premises)};
  }
  return pv_fail();
}

pv_eqn pv_digits_quotient(pv *prover, pv_ctx ctx, ck_id dividend, ck_id divisor) {
  int64_t by;
  pv_digits sum;
  pv_digits whole;
  pv_digits rest;
  pv_digits below;
  pv_digits above;
  if (!pv_digits_integer(prover, divisor, &by) || by < 2 ||
      !pv_digits_read(prover, ctx, dividend, &sum))
    return pv_fail();
  ck_id term = ck_mk2(prover->terms, CK_DIV, dividend, divisor);
  take_multiples(&sum, by, &whole, &rest);
  ck_id quotient = pv_digits_term(prover, &whole);
  pv_eqn exact = pv_digits_divided(prover, dividend, by, quotient, &rest);
  if (exact.by == PV_NONE)
    exact = one_of_few(prover, ctx, dividend, by, quotient, &rest);
  if (exact.by != PV_NONE)
    return exact;
  int64_t factor = common_factor(&rest, by, &below, &above);
  int64_t smaller = by / factor;
  pv_digit upper;
  pv_digit lower;
  bool alone = above.n == 1 && above.constant == 0 && above.digit[0].coef == 1;
  if (alone && split(prover, ctx, &above.digit[0], smaller, &upper, &lower)) {
    quotient = pv_canon(prover, pv_add(prover, quotient, upper.term));
  } else {
    if (factor == 1 && whole.n == 0 && whole.constant == 0)
      return pv_same(term);
    ck_id left = pv_digits_term(prover, &above);
    lower = remainder_of(prover, left, smaller);
    ck_id upwards = ck_mk2(prover->terms, CK_DIV, left, number(prover, smaller));
    quotient = pv_canon(prover, pv_add(prover, quotient, upwards));
  }
  if (quotient == term || below.n == PV_MAX_DIGITS)
    return pv_same(term);
  lower.coef = factor;
  below.digit[below.n++] = lower;
  return pv_digits_divided(prover, dividend, by, quotient, &below);
}
