/* What digits an integer polynomial has, without their ranges (see pv_digits.h). */
#include "pv_digits.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_BASES = 12, MAX_PARTS = 12 };

/* what the sum has of one base: constants times base div weight */
typedef struct {
  ck_id base;
  uint32_t n;
  int64_t weight[MAX_PARTS];
  int64_t coef[MAX_PARTS];
} of_base;

static ck_id number(pv *prover, int64_t value) {
  return pv_num(prover, (long)value);
}

static bool add_part(of_base *bases, uint32_t *n, ck_id base, int64_t weight, int64_t coef) {
  uint32_t at = 0;
  while (at < *n && bases[at].base != base)
    at++;
  if (at == *n) {
    if (*n == MAX_BASES)
      return false;
    bases[(*n)++] = (of_base){.base = base};
  }
  of_base *here = &bases[at];
  if (here->n == MAX_PARTS)
    return false;
  uint32_t place = here->n++;
  for (; place > 0 && here->weight[place - 1] > weight; place--) {
    here->weight[place] = here->weight[place - 1];
    here->coef[place] = here->coef[place - 1];
  }
  here->weight[place] = weight;
  here->coef[place] = coef;
  return true;
}

static bool read_mono(pv *prover, const pv_mono *mono, of_base *bases, uint32_t *n,
                      int64_t *constant) {
  int64_t coef;
  int64_t weight = 1;
  if (!pv_digits_integer(prover, mono->coef, &coef))
    return false;
  if (mono->degree == 0) {
    *constant += coef;
    return true;
  }
  ck_id base = pv_mono_term(prover, prover->one, mono->atoms, mono->degree);
  if (!ck_is_int(prover->terms, base))
    return false;
  if (ck_is(prover->terms, base, CK_DIV) &&
      pv_digits_integer(prover, ck_kid(prover->terms, base, 1), &weight) && weight > 1)
    base = ck_kid(prover->terms, base, 0);
  else
    weight = 1;
  return add_part(bases, n, base, weight, coef);
}

/* does each weight divide the next? */
static bool is_chain(const of_base *here) {
  for (uint32_t i = 0; i + 1 < here->n; i++) {
    if (here->weight[i + 1] % here->weight[i] != 0)
      return false;
  }
  return true;
}

static bool put(pv_digits *out, ck_id base, int64_t weight, int64_t radix, int64_t coef) {
  if (coef == 0)
    return true;
  if (out->n == PV_MAX_DIGITS || !pv_digits_within(coef))
    return false;
  out->digit[out->n++] = (pv_digit){.base = base,
                                    .weight = weight,
                                    .radix = radix,
                                    .coef = coef,
                                    .term = CK_BAD,
                                    .low = PV_NONE,
                                    .high = PV_NONE};
  return true;
}

static bool put_base(pv *prover, const of_base *here, pv_digits *out) {
  if (!is_chain(here)) { /* each quotient for itself */
    for (uint32_t i = 0; i < here->n; i++) {
      if (!put(out, pv_digits_part(prover, here->base, here->weight[i]), 1, 0, here->coef[i]))
        return false;
    }
    return true;
  }
  int64_t coef = 0;
  for (uint32_t i = 0; i < here->n; i++) {
    int64_t scale = i ? here->weight[i] / here->weight[i - 1] : 1;
    if (__builtin_mul_overflow(coef, scale, &coef) ||
        __builtin_add_overflow(coef, here->coef[i], &coef) || !pv_digits_within(coef))
      return false;
    int64_t radix = i + 1 < here->n ? here->weight[i + 1] / here->weight[i] : 0;
    if (!put(out, here->base, here->weight[i], radix, coef))
      return false;
  }
  return true;
}

/* The coefficient of the polynomial's monomial with these atoms, 0 where it has none.  false: it is
 * no integer that digits may have. */
static bool coefficient_of(const pv *prover, const pv_poly *poly, const pv_mono *part,
                           int64_t *coef) {
  *coef = 0;
  for (uint32_t k = 0; k < poly->count; k++) {
    const pv_mono *mono = &poly->monos[k];
    if (mono->degree == part->degree &&
        memcmp(mono->atoms, part->atoms, part->degree * sizeof *part->atoms) == 0)
      return pv_digits_integer(prover, mono->coef, coef);
  }
  return true;
}

/* how often the sum whose quotients occur is itself in the polynomial: the same number of times for
 * each of its monomials; 0: it is not */
static int64_t times_in(const pv *prover, const pv_poly *poly, const pv_poly *base) {
  int64_t times = 0;
  for (uint32_t i = 0; i < base->count; i++) {
    const pv_mono *part = &base->monos[i];
    int64_t scale;
    int64_t found;
    if (part->degree == 0)
      continue;
    if (!pv_digits_integer(prover, part->coef, &scale) ||
        !coefficient_of(prover, poly, part, &found))
      return 0;
    if (found % scale != 0 || found == 0 || (times != 0 && found / scale != times))
      return 0;
    times = found / scale;
  }
  return times;
}

/* how often one summand of the sum is in the polynomial, where that is a whole number of times: the
 * least of these numbers; 0: none is */
static int64_t times_of_one(const pv *prover, const pv_poly *poly, const pv_poly *base) {
  int64_t least = 0;
  for (uint32_t i = 0; i < base->count; i++) {
    const pv_mono *part = &base->monos[i];
    int64_t scale;
    int64_t found;
    if (part->degree > 0 && pv_digits_integer(prover, part->coef, &scale) &&
        coefficient_of(prover, poly, part, &found) && found != 0 && found % scale == 0 &&
        (least == 0 || llabs(found / scale) < llabs(least)))
      least = found / scale;
  }
  return least;
}

static bool has_base(const of_base *bases, uint32_t n, ck_id base) {
  for (uint32_t i = 0; i < n; i++) {
    if (bases[i].base == base)
      return true;
  }
  return false;
}

/* Sums of which the polynomial has quotients are taken out of it.  What two of them have in common
 * is not to be seen in their difference: `cancelled` takes one out by a summand that is left. */
static bool take_sums(pv *prover, pv_poly *poly, bool cancelled, of_base *bases, uint32_t *n) {
  uint32_t count = poly->count;
  for (uint32_t i = 0; i < count; i++) {
    ck_id atom = poly->monos[i].degree == 1 ? poly->monos[i].atoms[0] : CK_BAD;
    int64_t weight;
    if (atom == CK_BAD || !ck_is(prover->terms, atom, CK_DIV) ||
        !pv_digits_integer(prover, ck_kid(prover->terms, atom, 1), &weight) ||
        pv_is_atom(prover, ck_kid(prover->terms, atom, 0)))
      continue;
    pv_poly base;
    pv_poly_init(&base);
    pv_poly_read(prover, &base, ck_kid(prover->terms, atom, 0));
    int64_t times = times_in(prover, poly, &base);
    if (times == 0 && cancelled && !has_base(bases, *n, ck_kid(prover->terms, atom, 0)))
      times = times_of_one(prover, poly, &base);
    if (times != 0)
      pv_poly_add(prover, poly, &base, number(prover, -times));
    bool ok = times == 0 || add_part(bases, n, ck_kid(prover->terms, atom, 0), 1, times);
    pv_poly_clear(&base);
    if (!ok)
      return false;
    if (times != 0)
      return take_sums(prover, poly, cancelled, bases, n);
  }
  return true;
}

/* sums that an order of the context bounds, and that are in the polynomial as wholes, are taken out
 * of it: what is masked is below the mask's end, whatever its parts may be */
static bool take_bounded(pv *prover, pv_ctx ctx, pv_poly *poly, of_base *bases, uint32_t *n) {
  bool ok = true;
  for (pv_ctx link = ctx; link != 0 && ok; link = pv_at(prover, link)->parent) {
    ck_id order = pv_at(prover, link)->formula;
    ck_op head = ck_head(prover->terms, order);
    if (head != CK_LT && head != CK_LE)
      continue;
    pv_poly base;
    pv_poly_init(&base);
    ck_id left = ck_kid(prover->terms, order, 0);
    ck_id right = ck_kid(prover->terms, order, 1);
    pv_poly_read(prover, &base, pv_sub(prover, left, right));
    pv_poly sum;
    pv_poly_init(&sum);
    bool positive_sum = true;
    for (uint32_t i = 0; i < base.count; i++) {
      const pv_mono *part = &base.monos[i];
      if (part->degree == 0)
        continue;
      positive_sum = positive_sum && pv_const_sign(prover, part->coef) > 0;
      pv_poly_add_mono(prover, &sum, part->coef, part->atoms, part->degree);
    }
    int64_t times = sum.count > 1 && positive_sum ? times_in(prover, poly, &sum) : 0;
    ck_id whole = times ? pv_poly_term(prover, &sum) : CK_BAD;
    if (whole != CK_BAD && ck_is_int(prover->terms, whole)) {
      pv_poly_add(prover, poly, &sum, number(prover, -times));
      ok = add_part(bases, n, whole, 1, times);
    }
    pv_poly_clear(&sum);
    pv_poly_clear(&base);
  }
  return ok;
}

bool pv_digits_sum(pv *prover, pv_ctx ctx, ck_id term, pv_sums_way way, pv_digits *out) {
  of_base bases[MAX_BASES];
  uint32_t n = 0;
  pv_poly poly;
  out->n = 0;
  out->constant = 0;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, term);
  bool taken = (way != PV_BOUNDED || take_bounded(prover, ctx, &poly, bases, &n)) &&
               take_sums(prover, &poly, way == PV_CANCELLED, bases, &n);
  bool ok = taken;
  for (uint32_t i = 0; i < poly.count && ok; i++)
    ok = read_mono(prover, &poly.monos[i], bases, &n, &out->constant) &&
         pv_digits_within(out->constant);
  pv_poly_clear(&poly);
  for (uint32_t i = 0; i < n && ok; i++)
    ok = put_base(prover, &bases[i], out);
  return ok;
}
