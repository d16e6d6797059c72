/* Questions about abstract expressions: is one a part of another, by which unit do they differ,
 * what may a rescaled sum accumulate. */
#include "abstract_store.h"
#include <stdlib.h>
#include <string.h>

bool ax_divides(const ax_reduced *part, const ax_reduced *whole, ax_power *rest, uint32_t *n) {
  uint32_t n_rest = 0;
  uint32_t next = 0;
  for (uint32_t j = 0; j < whole->n; j++) {
    ax_power power = whole->factors[j];
    if (next < part->n && part->factors[next].atom < power.atom)
      return false;
    if (next < part->n && part->factors[next].atom == power.atom) {
      int exp_left = power.exp - part->factors[next].exp;
      if (power.exp > 0 ? part->factors[next].exp < 0 || exp_left < 0
                        : part->factors[next].exp > 0 || exp_left > 0)
        return false;
      next++;
      power.exp = exp_left;
    }
    if (power.exp)
      rest[n_rest++] = power;
  }
  *n = n_rest;
  return next == part->n;
}

static ax_id unit_of_term(ax_store *store, ax_addend t);

/* the term of t whose reduced key is s * rest and whose unit is `ratio` times s's unit */
static bool has_matching_term(ax_store *store, ax_addend part, const ax_power *rest,
                              uint32_t n_rest, const ax_expr *whole, ax_id ratio) {
  ax_power wanted[2 * AX_MAX_FACTORS];
  uint32_t n_wanted = 0;
  const ax_reduced key = *AX_REDUCED(store, AX_MONOMIAL(store, part.mono)->reduced);
  for (uint32_t i = 0, j = 0; i < key.n || j < n_rest;) {
    ax_power power;
    if (j == n_rest || (i < key.n && key.factors[i].atom < rest[j].atom)) {
      power = key.factors[i++];
    } else if (i == key.n || rest[j].atom < key.factors[i].atom) {
      power = rest[j++];
    } else {
      power = key.factors[i++];
      power.exp += rest[j++].exp;
    }
    if (power.exp)
      wanted[n_wanted++] = power;
  }
  for (uint32_t i = 0; i < whole->n; i++) {
    const ax_reduced had = *AX_REDUCED(store, AX_MONOMIAL(store, whole->terms[i].mono)->reduced);
    if (had.n == n_wanted && !memcmp(had.factors, wanted, n_wanted * sizeof *wanted) &&
        ax_mul(store, unit_of_term(store, part), ratio) == unit_of_term(store, whole->terms[i]))
      return true;
  }
  return false;
}

/* s * m is a part of t for one monomial m; the ratio of numbers and sizes is the same for all terms
 * of s */
static bool is_part(ax_store *store, const ax_expr *part, const ax_expr *whole) {
  ax_power rest[AX_MAX_FACTORS];
  uint32_t n_rest;
  if (part->n > whole->n && part->n_reduced > whole->n_reduced)
    return false;
  for (uint32_t j = 0; j < whole->n; j++) {
    if (!ax_divides(AX_REDUCED(store, AX_MONOMIAL(store, part->terms[0].mono)->reduced),
                    AX_REDUCED(store, AX_MONOMIAL(store, whole->terms[j].mono)->reduced), rest,
                    &n_rest))
      continue;
    if (part->n == 1)
      return true;
    ax_id ratio = ax_mul(store, unit_of_term(store, whole->terms[j]),
                         ax_inv(store, unit_of_term(store, part->terms[0])));
    uint32_t i = 1;
    if (ratio == AX_BAD || AX_EXPR(store, ratio)->terms[0].num < 0)
      continue; /* b - a is not a part of a - b: one of the two is enough */
    while (i < part->n && has_matching_term(store, part->terms[i], rest, n_rest, whole, ratio))
      i++;
    if (i == part->n)
      return true;
  }
  return false;
}

/* s is one factor max over fewer parts than a maximum in t has */
static bool partial_extremum(const ax_store *store, const ax_expr *part, const ax_atom *whole) {
  if (part->n != 1)
    return false;
  const ax_reduced *key = AX_REDUCED(store, part->reduced_ids[0]);
  if (key->n != 1 || key->factors[0].exp != 1)
    return false;
  const ax_atom *extremum = AX_ATOM(store, key->factors[0].atom);
  return extremum->kind == whole->kind && extremum->arg[0] == whole->arg[0] &&
         !(extremum->parts & ~whole->parts);
}

ax_id ax_denominator(ax_store *store, uint32_t mono_id) {
  if (AX_MONOMIAL(store, mono_id)->has_denominator)
    return AX_MONOMIAL(store, mono_id)->denominator;
  const ax_monomial mono = *AX_MONOMIAL(store, mono_id);
  ax_power factors[AX_MAX_FACTORS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < mono.n; i++) {
    if (mono.factors[i].exp < 0 && AX_ATOM(store, mono.factors[i].atom)->kind != AX_SIZE)
      factors[n++] = (ax_power){mono.factors[i].atom, -mono.factors[i].exp};
  }
  ax_id denominator = AX_BAD;
  if (n > 0) {
    ax_addend product = {ax_intern_monomial(store, mono.dep, factors, n), 1, 1};
    denominator = ax_intern_expr(store, &product, 1);
  }
  AX_MONOMIAL(store, mono_id)->has_denominator = true;
  AX_MONOMIAL(store, mono_id)->denominator = denominator;
  return denominator;
}

bool ax_sub_top(ax_store *store, ax_id part, ax_id whole) {
  if (part == AX_BAD || whole == AX_BAD)
    return false;
  if (part == whole || part == AX_ZERO || ax_is_unit(store, part))
    return true;
  ax_expr part_expr = *AX_EXPR(store, part);
  ax_expr whole_expr = *AX_EXPR(store, whole);
  if (is_part(store, &part_expr, &whole_expr))
    return true;
  for (uint32_t i = 0; i < whole_expr.n; i++) {
    ax_monomial mono = *AX_MONOMIAL(store, whole_expr.terms[i].mono);
    for (uint32_t j = 0; j < mono.n; j++) {
      const ax_atom *at = AX_ATOM(store, mono.factors[j].atom);
      if ((at->kind == AX_MAXR || at->kind == AX_MINR) && partial_extremum(store, &part_expr, at))
        return true;
    }
    ax_id denominator = ax_denominator(store, whole_expr.terms[i].mono);
    if (denominator == AX_BAD)
      continue;
    ax_expr denominator_expr = *AX_EXPR(store, denominator);
    if (is_part(store, &part_expr, &denominator_expr))
      return true;
  }
  return false;
}

bool ax_sub(ax_store *store, ax_id part, ax_id whole) {
  if (part == AX_BAD || whole == AX_BAD)
    return false;
  if (part == whole || part == AX_ZERO || ax_is_unit(store, part))
    return true;
  const uint64_t key = (uint64_t)part << 32 | whole;
  uint64_t known;
  if (as_map_get(&store->part, &key, &known))
    return known;
  bool yes = ax_sub_top(store, part, whole);
  ax_expr whole_expr = *AX_EXPR(store, whole);
  for (uint32_t i = 0; i < whole_expr.n && !yes; i++) {
    ax_monomial mono = *AX_MONOMIAL(store, whole_expr.terms[i].mono);
    for (uint32_t j = 0; j < mono.n && !yes; j++) {
      ax_atom at = *AX_ATOM(store, mono.factors[j].atom);
      for (uint32_t k = 0; k < at.n && !yes; k++)
        yes = ax_sub(store, part, at.arg[k]);
    }
  }
  as_map_put(&store->part, &key, yes);
  return yes;
}

/* the units of a monomial with coefficient, as an expression */
static ax_id unit_of_term(ax_store *store, ax_addend of) {
  ax_power sizes[AX_MAX_FACTORS];
  uint32_t n_sizes = 0;
  const ax_monomial *mono = AX_MONOMIAL(store, of.mono);
  for (uint32_t i = 0; i < mono->n; i++) {
    if (AX_ATOM(store, mono->factors[i].atom)->kind == AX_SIZE)
      sizes[n_sizes++] = mono->factors[i];
  }
  of.mono = ax_intern_monomial(store, 0, sizes, n_sizes);
  return ax_intern_expr(store, &of, 1);
}

bool ax_ratio(ax_store *store, ax_id part, ax_id whole, ax_id *factor_out) {
  ax_expr part_expr = *AX_EXPR(store, part);
  ax_expr whole_expr = *AX_EXPR(store, whole);
  if (!part_expr.n || part_expr.n > whole_expr.n)
    return false;
  ax_id ratio = AX_BAD;
  for (uint32_t i = 0; i < part_expr.n; i++) {
    uint32_t key = AX_MONOMIAL(store, part_expr.terms[i].mono)->reduced;
    uint32_t j = 0;
    uint64_t dep = AX_MONOMIAL(store, part_expr.terms[i].mono)->dep;
    for (; j < whole_expr.n; j++) {
      if (AX_MONOMIAL(store, whole_expr.terms[j].mono)->reduced != key ||
          AX_MONOMIAL(store, whole_expr.terms[j].mono)->dep != dep)
        continue;
      ax_id here = ax_mul(store, unit_of_term(store, whole_expr.terms[j]),
                          ax_inv(store, unit_of_term(store, part_expr.terms[i])));
      if (ratio == AX_BAD)
        ratio = here;
      if (here == ratio)
        break;
    }
    if (j == whole_expr.n || ratio == AX_BAD)
      return false;
  }
  *factor_out = ratio;
  return true;
}

bool ax_is_unit(const ax_store *store, ax_id of) {
  const ax_expr *of_expr = AX_EXPR(store, of);
  return of_expr->n == 1 && !AX_REDUCED(store, of_expr->reduced_ids[0])->n;
}

bool ax_unit(const ax_store *store, ax_id of, int64_t *num, int64_t *den, uint32_t *sym, int *exps,
             uint32_t max, uint32_t *n) {
  if (of == AX_BAD || !ax_is_unit(store, of))
    return false;
  const ax_expr *of_expr = AX_EXPR(store, of);
  const ax_monomial *mono = AX_MONOMIAL(store, of_expr->terms[0].mono);
  if (mono->n > max)
    return false;
  *num = of_expr->terms[0].num;
  *den = of_expr->terms[0].den;
  *n = mono->n;
  for (uint32_t i = 0; i < mono->n; i++) {
    sym[i] = AX_ATOM(store, mono->factors[i].atom)->payload;
    exps[i] = mono->factors[i].exp;
  }
  return true;
}

ax_id ax_copy_unit(ax_store *to, const ax_store *from, ax_id unit) {
  if (unit == AX_ZERO)
    return AX_ZERO;
  if (unit == AX_BAD)
    return AX_BAD;
  mpq_t value;
  mpq_init(value);
  ax_id number = ax_long_number(from, unit, value) ? ax_const(to, value) : AX_BAD;
  mpq_clear(value);
  if (number != AX_BAD || !ax_is_unit(from, unit))
    return number;
  const ax_expr *whole = AX_EXPR(from, unit);
  const ax_monomial *mono = AX_MONOMIAL(from, whole->terms[0].mono);
  ax_id copy = ax_rational(to, whole->terms[0].num, whole->terms[0].den);
  for (uint32_t i = 0; i < mono->n; i++) {
    ax_atom size = {.kind = AX_SIZE, .payload = AX_ATOM(from, mono->factors[i].atom)->payload};
    copy = ax_mul(to, copy, ax_power_of_atom(to, &size, mono->factors[i].exp));
  }
  return copy;
}

uint32_t ax_factors(ax_store *store, ax_id of, const ax_id *target, uint32_t n, ax_id *out,
                    uint32_t max) {
  const ax_expr of_expr = *AX_EXPR(store, of);
  uint32_t n_found = 0;
  for (uint32_t i = 0; i < n && of_expr.n; i++) {
    const ax_expr goal = *AX_EXPR(store, target[i]);
    for (uint32_t j = 0; j < goal.n; j++) {
      ax_power rest[AX_MAX_FACTORS];
      uint32_t n_rest;
      ax_id found = AX_BAD;
      if (of_expr.n > 1) {
        if (j || !ax_ratio(store, of, target[i], &found))
          continue;
      } else if (ax_divides(AX_REDUCED(store, AX_MONOMIAL(store, of_expr.terms[0].mono)->reduced),
                            AX_REDUCED(store, AX_MONOMIAL(store, goal.terms[j].mono)->reduced),
                            rest, &n_rest)) {
        found = ax_mul(store, unit_of_term(store, goal.terms[j]),
                       ax_inv(store, unit_of_term(store, of_expr.terms[0])));
      }
      if (found == AX_BAD)
        continue;
      if (AX_EXPR(store, found)->terms[0].num < 0)
        found = ax_neg(store, found);
      bool known = found == AX_ONE;
      for (uint32_t known_i = 0; known_i < n_found; known_i++)
        known |= out[known_i] == found;
      if (!known && n_found < max)
        out[n_found++] = found;
    }
  }
  return n_found;
}

bool ax_is_negative(const ax_store *store, ax_id of) {
  return AX_EXPR(store, of)->n == 1 && AX_EXPR(store, of)->terms[0].num < 0;
}

bool ax_natural(ax_store *store, ax_id of, const ax_id *target, uint32_t n) {
  const ax_expr of_expr = *AX_EXPR(store, of);
  if (!of_expr.n || (of_expr.n == 1 && of_expr.terms[0].num < 0))
    return false;
  for (uint32_t i = 0; i < of_expr.n; i++) {
    ax_addend product = of_expr.terms[i];
    if (product.num < 0)
      continue;
    const ax_reduced key = *AX_REDUCED(store, AX_MONOMIAL(store, product.mono)->reduced);
    ax_id unit = unit_of_term(store, product);
    bool plain = true;
    for (uint32_t j = 0; j < key.n; j++)
      plain &= AX_ATOM(store, key.factors[j].atom)->kind == AX_SUM;
    if (plain && of_expr.n == 1)
      return false;
    if (unit == AX_ONE)
      return true;
    for (uint32_t k = 0; k < n; k++) {
      const ax_expr goal = *AX_EXPR(store, target[k]);
      for (uint32_t j = 0; j < goal.n; j++) {
        ax_power rest[AX_MAX_FACTORS];
        uint32_t n_rest;
        ax_addend positive = goal.terms[j];
        positive.num = positive.num < 0 ? -positive.num : positive.num;
        if (unit_of_term(store, positive) == unit &&
            ax_divides(&key, AX_REDUCED(store, AX_MONOMIAL(store, positive.mono)->reduced), rest,
                       &n_rest))
          return true;
      }
    }
  }
  return false;
}

bool ax_contains(ax_store *store, ax_id of, ax_id part) {
  if (of == part)
    return true;
  ax_expr of_expr = *AX_EXPR(store, of);
  ax_expr wanted_expr = *AX_EXPR(store, part);
  if (wanted_expr.n != 1 || AX_REDUCED(store, wanted_expr.reduced_ids[0])->n != 1)
    return false;
  uint32_t want = AX_REDUCED(store, wanted_expr.reduced_ids[0])->factors[0].atom;
  for (uint32_t i = 0; i < of_expr.n; i++) {
    const ax_monomial mono = *AX_MONOMIAL(store, of_expr.terms[i].mono);
    for (uint32_t j = 0; j < mono.n; j++) {
      if (mono.factors[j].atom == want)
        return true;
      const ax_atom inside = *AX_ATOM(store, mono.factors[j].atom);
      for (uint32_t k = 0; k < inside.n; k++) {
        if (ax_contains(store, inside.arg[k], part))
          return true;
      }
    }
  }
  return false;
}

bool ax_rescalable(ax_store *store, ax_id of, ax_id maximum) {
  ax_expr of_expr = *AX_EXPR(store, of);
  if (!of_expr.n)
    return false;
  for (uint32_t i = 0; i < of_expr.n; i++) {
    ax_monomial mono = *AX_MONOMIAL(store, of_expr.terms[i].mono);
    bool shifted = false;
    for (uint32_t j = 0; j < mono.n; j++) {
      ax_atom inside = *AX_ATOM(store, mono.factors[j].atom);
      if (inside.kind == AX_EXP && mono.factors[j].exp == 1) {
        ax_id shifted_by = ax_add(store, inside.arg[0], maximum);
        if (shifted_by == AX_BAD || ax_contains(store, shifted_by, maximum))
          return false;
        shifted = true;
        continue;
      }
      ax_power power = {mono.factors[j].atom, 1};
      ax_addend product = {ax_intern_monomial(store, inside.dep, &power, 1), 1, 1};
      if (ax_contains(store, ax_intern_expr(store, &product, 1), maximum))
        return false;
    }
    if (!shifted)
      return false;
  }
  return true;
}
