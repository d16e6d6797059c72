/* Making abstract expressions: sums, products, inverses, functions, reductions, all in normal form.
 */
#include "abstract_store.h"
#include <stdlib.h>
#include <string.h>

ax_id ax_rational(ax_store *store, int64_t num, int64_t den) {
  ax_addend constant = {ax_intern_monomial(store, 0, NULL, 0), num, den};
  return ax_intern_expr(store, &constant, num != 0);
}

ax_id ax_int(ax_store *store, long value) {
  return ax_rational(store, value, 1);
}

/* A number that is too long to count with (what stands for minus infinity in a mask): a value of
 * which nothing is known but that it is the same where the same number is written, and not 0. */
static ax_id long_number(ax_store *store, const mpq_t value) {
  mpq_t size;
  mpq_init(size);
  mpq_abs(size, value);
  char *digits = mpq_get_str(NULL, 10, size);
  mpq_clear(size);
  ax_id number = ax_opaque(store, digits, NULL, 0, 0);
  free(digits);
  return mpq_sgn(value) < 0 ? ax_neg(store, number) : number;
}

ax_id ax_const(ax_store *store, const mpq_t value) {
  if (!mpz_fits_slong_p(mpq_numref(value)) || !mpz_fits_slong_p(mpq_denref(value)))
    return long_number(store, value);
  return ax_rational(store, mpz_get_si(mpq_numref(value)), mpz_get_si(mpq_denref(value)));
}

ax_id ax_power_of_atom(ax_store *store, ax_atom *of, int exp) {
  uint32_t id = ax_intern_atom(store, of);
  AX_ATOM(store, id)->dep = of->dep;
  ax_power power = {id, exp};
  ax_addend product = {ax_intern_monomial(store, of->dep, &power, 1), 1, 1};
  return ax_intern_expr(store, &product, 1);
}

ax_id ax_tensor(ax_store *store, uint32_t tensor, uint64_t dep) {
  ax_atom tensor_atom = {.kind = AX_TENSOR, .payload = tensor, .dep = dep};
  return ax_power_of_atom(store, &tensor_atom, 1);
}

ax_id ax_size(ax_store *store, uint32_t sym) {
  ax_atom size_atom = {.kind = AX_SIZE, .payload = sym};
  return ax_power_of_atom(store, &size_atom, 1);
}

uint64_t ax_dep(const ax_store *store, ax_id of) {
  return of == AX_BAD ? 0 : AX_EXPR(store, of)->dep;
}

uint32_t ax_count(const ax_store *store) {
  return (uint32_t)store->exprs.n;
}

ax_id ax_add(ax_store *store, ax_id left, ax_id right) {
  if (left == AX_BAD || right == AX_BAD)
    return AX_BAD;
  ax_addend terms[2 * AX_MAX_TERMS];
  uint32_t n_left = AX_EXPR(store, left)->n;
  uint32_t n_right = AX_EXPR(store, right)->n;
  if (n_left)
    memcpy(terms, AX_EXPR(store, left)->terms, n_left * sizeof *terms);
  if (n_right)
    memcpy(terms + n_left, AX_EXPR(store, right)->terms, n_right * sizeof *terms);
  return ax_intern_expr(store, terms, n_left + n_right);
}

static ax_id scale_by(ax_store *store, ax_id of, int64_t num, int64_t den) {
  if (of == AX_BAD)
    return AX_BAD;
  ax_addend terms[AX_MAX_TERMS];
  uint32_t n = AX_EXPR(store, of)->n;
  for (uint32_t i = 0; i < n; i++) {
    terms[i] = AX_EXPR(store, of)->terms[i];
    if (!ax_lowest_terms((__int128)terms[i].num * num, (__int128)terms[i].den * den, &terms[i].num,
                         &terms[i].den))
      return ax_refuse(store);
  }
  return ax_intern_expr(store, terms, n);
}

ax_id ax_neg(ax_store *store, ax_id of) {
  return scale_by(store, of, -1, 1);
}

/* the exponentials among n factors become one, of the sum of their exponents; gives the new n */
static uint32_t merge_exponentials(ax_store *store, ax_power *factors, uint32_t n, ax_id exponent) {
  uint32_t n_others = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (AX_ATOM(store, factors[i].atom)->kind != AX_EXP)
      factors[n_others++] = factors[i];
  }
  if (exponent == AX_ZERO)
    return n_others;
  ax_atom merged = {.kind = AX_EXP, .n = 1, .arg = &exponent, .dep = ax_dep(store, exponent)};
  ax_power power = {ax_intern_atom(store, &merged), 1};
  AX_ATOM(store, power.atom)->dep = merged.dep;
  uint32_t place = n_others;
  for (; place > 0 && factors[place - 1].atom > power.atom; place--)
    factors[place] = factors[place - 1];
  factors[place] = power;
  return n_others + 1;
}

/* product of two monomials: exponents add; exponentials merge into one */
static uint32_t multiply_monomials(ax_store *store, uint32_t left_id, uint32_t right_id) {
  /* copies: sums of exponents are interned on the way, and rows move; the factors stay */
  const ax_monomial left = *AX_MONOMIAL(store, left_id);
  const ax_monomial right = *AX_MONOMIAL(store, right_id);
  ax_power product[2 * AX_MAX_FACTORS];
  uint32_t n = 0;
  uint32_t n_exponentials = 0;
  ax_id exponent = AX_ZERO;
  for (uint32_t i = 0, j = 0; i < left.n || j < right.n;) {
    ax_power power;
    if (j == right.n || (i < left.n && left.factors[i].atom < right.factors[j].atom)) {
      power = left.factors[i++];
    } else if (i == left.n || right.factors[j].atom < left.factors[i].atom) {
      power = right.factors[j++];
    } else {
      power = left.factors[i++];
      power.exp += right.factors[j++].exp;
      n_exponentials += AX_ATOM(store, power.atom)->kind == AX_EXP;
    }
    if (!power.exp)
      continue;
    if (AX_ATOM(store, power.atom)->kind == AX_EXP) {
      n_exponentials++;
      ax_id scaled = scale_by(store, AX_ATOM(store, power.atom)->arg[0], power.exp, 1);
      exponent = ax_add(store, exponent, scaled);
      if (exponent == AX_BAD)
        return AX_BAD;
    }
    product[n++] = power;
  }
  if (n_exponentials > 1)
    n = merge_exponentials(store, product, n, exponent);
  if (n > AX_MAX_FACTORS)
    return ax_refuse(store);
  bool unit = true;
  for (uint32_t i = 0; i < n; i++)
    unit &= AX_ATOM(store, product[i].atom)->kind == AX_SIZE;
  return ax_intern_monomial(store, unit ? 0 : left.dep | right.dep, product, n);
}

/* A long number times a sum.  In floating point the sum's terms would be lost beside it, each for
 * itself (what is masked with (1 - keep)*1e30 is 1e30 - keep*1e30 in no program): not looked for.
 */
static bool is_long_by_sum(const ax_store *store, ax_id left, ax_id right) {
  mpq_t value;
  mpq_init(value);
  bool found = (AX_EXPR(store, right)->n > 1 && ax_long_number(store, left, value)) ||
               (AX_EXPR(store, left)->n > 1 && ax_long_number(store, right, value));
  mpq_clear(value);
  return found;
}

ax_id ax_mul(ax_store *store, ax_id left, ax_id right) {
  if (left == AX_BAD || right == AX_BAD || is_long_by_sum(store, left, right))
    return AX_BAD;
  if (left > right) {
    ax_id larger = left;
    left = right;
    right = larger;
  }
  uint32_t n_left = AX_EXPR(store, left)->n;
  uint32_t n_right = AX_EXPR(store, right)->n;
  if (n_left * n_right > AX_MAX_TERMS * 4)
    return ax_refuse(store);
  const uint64_t key = (uint64_t)left << 32 | right;
  uint64_t known;
  if (as_map_get(&store->product, &key, &known))
    return (ax_id)known;
  ax_addend terms[AX_MAX_TERMS * 4 + 1];
  uint32_t n_terms = 0;
  ax_id product = AX_BAD;
  for (uint32_t i = 0; i < n_left; i++) {
    for (uint32_t j = 0; j < n_right; j++, n_terms++) {
      ax_addend left_term = AX_EXPR(store, left)->terms[i];
      ax_addend right_term = AX_EXPR(store, right)->terms[j];
      terms[n_terms].mono = multiply_monomials(store, left_term.mono, right_term.mono);
      if (terms[n_terms].mono == AX_BAD ||
          !ax_lowest_terms((__int128)left_term.num * right_term.num,
                           (__int128)left_term.den * right_term.den, &terms[n_terms].num,
                           &terms[n_terms].den))
        goto done;
    }
  }
  product = ax_intern_expr(store, terms, n_terms);
done:
  as_map_put(&store->product, &key, product);
  return product;
}

/* A reduction inside a denominator must stay inside: 1/(sum x) is not (1/sum)(1/x).  Numbers and
 * sizes come out. */
ax_id ax_inv(ax_store *store, ax_id of) {
  if (of == AX_BAD || of == AX_ZERO)
    return AX_BAD;
  ax_expr denominator = *AX_EXPR(store, of);
  int64_t num = denominator.terms[0].num;
  int64_t den = denominator.terms[0].den;
  ax_id coefficient = ax_rational(store, num < 0 ? -den : den, num < 0 ? -num : num);
  if (denominator.n > 1) {
    ax_id normal = ax_mul(store, of, coefficient);
    if (normal == AX_BAD)
      return AX_BAD;
    ax_atom inverse = {.kind = AX_INV, .n = 1, .arg = &normal, .dep = AX_EXPR(store, normal)->dep};
    return ax_mul(store, ax_power_of_atom(store, &inverse, 1), coefficient);
  }
  ax_monomial only = *AX_MONOMIAL(store, denominator.terms[0].mono);
  ax_power outside[AX_MAX_FACTORS];
  ax_power inside[AX_MAX_FACTORS];
  uint32_t n_outside = 0;
  uint32_t n_inside = 0;
  bool sums = false;
  for (uint32_t i = 0; i < only.n; i++)
    sums |= AX_ATOM(store, only.factors[i].atom)->kind == AX_SUM;
  for (uint32_t i = 0; i < only.n; i++) {
    const ax_atom *inverse = AX_ATOM(store, only.factors[i].atom);
    if (inverse->kind == AX_SIZE || (!sums && inverse->kind != AX_EXP && inverse->kind != AX_INV)) {
      outside[n_outside] = only.factors[i];
      outside[n_outside].exp = -outside[n_outside].exp;
      n_outside++;
    } else {
      inside[n_inside++] = only.factors[i];
    }
  }
  ax_addend product = {ax_intern_monomial(store, n_inside ? 0 : only.dep, outside, n_outside), 1,
                       1};
  coefficient = ax_mul(store, coefficient, ax_intern_expr(store, &product, 1));
  if (!n_inside)
    return coefficient;
  product = (ax_addend){ax_intern_monomial(store, only.dep, inside, n_inside), 1, 1};
  ax_id inner = ax_intern_expr(store, &product, 1);
  if (sums) {
    ax_atom inverse = {.kind = AX_INV, .n = 1, .arg = &inner, .dep = only.dep};
    return ax_mul(store, coefficient, ax_power_of_atom(store, &inverse, 1));
  }
  for (uint32_t i = 0; i < n_inside; i++) {
    ax_id arg = AX_ATOM(store, inside[i].atom)->arg[0];
    bool is_exp = AX_ATOM(store, inside[i].atom)->kind == AX_EXP;
    for (int j = 0; j < inside[i].exp; j++)
      coefficient = ax_mul(store, coefficient, is_exp ? ax_exp(store, ax_neg(store, arg)) : arg);
  }
  return coefficient;
}

static ax_id unary(ax_store *store, ax_kind kind, ax_id of) {
  if (of == AX_BAD)
    return AX_BAD;
  ax_atom made = {.kind = kind, .n = 1, .arg = &of, .dep = AX_EXPR(store, of)->dep};
  return ax_power_of_atom(store, &made, 1);
}

ax_id ax_exp(ax_store *store, ax_id of) {
  return of == AX_ZERO ? AX_ONE : unary(store, AX_EXP, of);
}

ax_id ax_log(ax_store *store, ax_id of) {
  return of == AX_ONE ? AX_ZERO : unary(store, AX_LOG, of);
}

ax_id ax_sqrt(ax_store *store, ax_id of) {
  return of <= AX_ONE ? of : unary(store, AX_SQRT, of);
}

ax_id ax_opaque(ax_store *store, const char *head, const ax_id *arg, uint32_t n, uint64_t dep) {
  ax_atom made = {.kind = AX_OPAQUE,
                  .head = (char *)(uintptr_t)head,
                  .n = n,
                  .arg = (ax_id *)(uintptr_t)arg,
                  .dep = dep};
  for (uint32_t i = 0; i < n; i++) {
    if (arg[i] == AX_BAD)
      return AX_BAD;
    made.dep |= AX_EXPR(store, arg[i])->dep;
  }
  return ax_power_of_atom(store, &made, 1);
}

static ax_id sum_part(ax_store *store, ax_id of, uint32_t cls, int part, ax_id size) {
  if (of == AX_BAD || size == AX_BAD)
    return AX_BAD;
  uint64_t bit = part == AX_TILE ? 1ull << (2 * cls) : 2ull << (2 * cls);
  ax_addend summed[AX_MAX_TERMS];
  ax_addend constant[AX_MAX_TERMS];
  uint32_t n_summed = 0;
  uint32_t n_constant = 0;
  uint32_t n = AX_EXPR(store, of)->n;
  ax_atom sum_atom = {.kind = AX_SUM, .payload = 2 * cls + (part == AX_LOOP)};
  ax_id sum_expr = ax_power_of_atom(store, &sum_atom, 1);
  uint32_t sum_mono = AX_EXPR(store, sum_expr)->terms[0].mono;
  for (uint32_t i = 0; i < n; i++) {
    ax_addend product = AX_EXPR(store, of)->terms[i];
    if (!(AX_MONOMIAL(store, product.mono)->dep & bit)) {
      constant[n_constant++] = product;
      continue;
    }
    product.mono = multiply_monomials(store, product.mono, sum_mono);
    if (product.mono == AX_BAD)
      return AX_BAD;
    ax_power factors[AX_MAX_FACTORS];
    ax_monomial with_sum = *AX_MONOMIAL(store, product.mono);
    if (with_sum.n)
      memcpy(factors, with_sum.factors, with_sum.n * sizeof *factors);
    product.mono = ax_intern_monomial(store, with_sum.dep & ~bit, factors, with_sum.n);
    summed[n_summed++] = product;
  }
  ax_id total = ax_intern_expr(store, summed, n_summed);
  return n_constant ? ax_add(store, total,
                             ax_mul(store, ax_intern_expr(store, constant, n_constant), size))
                    : total;
}

ax_id ax_sum(ax_store *store, ax_id of, uint32_t cls, int parts, ax_id tile, ax_id loop) {
  if (parts & AX_TILE)
    of = sum_part(store, of, cls, AX_TILE, tile);
  if (parts & AX_LOOP)
    of = sum_part(store, of, cls, AX_LOOP, loop);
  return of;
}

ax_id ax_extremum(ax_store *store, bool max, ax_id of, uint32_t cls, int parts) {
  if (of == AX_BAD)
    return AX_BAD;
  uint64_t bits = (uint64_t)parts << (2 * cls);
  if (!(AX_EXPR(store, of)->dep & bits))
    return of;
  ax_kind kind = max ? AX_MAXR : AX_MINR;
  uint64_t was = 0;
  uint64_t dep = AX_EXPR(store, of)->dep & ~bits;
  const ax_expr *inner = AX_EXPR(store, of);
  if (inner->n == 1 && inner->terms[0].num == 1 && inner->terms[0].den == 1 &&
      AX_MONOMIAL(store, inner->terms[0].mono)->n == 1 &&
      AX_MONOMIAL(store, inner->terms[0].mono)->factors[0].exp == 1) {
    const ax_atom *nested =
        AX_ATOM(store, AX_MONOMIAL(store, inner->terms[0].mono)->factors[0].atom);
    if (nested->kind == kind) {
      was = nested->parts;
      of = nested->arg[0];
    }
  }
  ax_atom made = {.kind = kind, .parts = was | bits, .n = 1, .arg = &of, .dep = dep};
  uint32_t id = ax_intern_atom(store, &made);
  AX_ATOM(store, id)->dep = dep;
  ax_power power = {id, 1};
  ax_addend product = {ax_intern_monomial(store, dep, &power, 1), 1, 1};
  return ax_intern_expr(store, &product, 1);
}
