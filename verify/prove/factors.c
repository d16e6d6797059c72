/* Polynomials as products: what can be taken out of all of their monomials. */
#include "pv_norm.h"
#include "src/base/mem.h"
#include <stdlib.h>

/* exponent of x in the monomial, inverses counted negative */
static int exponent(const pv_mono *mono, ck_id x, ck_id inverse) {
  int power = 0;
  for (uint32_t i = 0; i < mono->degree; i++)
    power += mono->atoms[i] == x ? 1 : mono->atoms[i] == inverse ? -1 : 0;
  return power;
}

/* the atom itself of an inverse */
static ck_id base_of(const pv *prover, ck_id atom) {
  return ck_head(prover->terms, atom) == CK_INV ? ck_kid(prover->terms, atom, 0) : atom;
}

/* the coefficient of the monomial that a canonical sum begins with */
static ck_id leading_coefficient(pv *prover, ck_id term) {
  pv_poly first;
  ck_id lead = prover->one;
  while (ck_head(prover->terms, term) == CK_ADD)
    term = ck_kid(prover->terms, term, 0);
  pv_poly_init(&first);
  pv_poly_read(prover, &first, term);
  if (first.count == 1)
    lead = first.monos[0].coef;
  pv_poly_clear(&first);
  return lead;
}

/* What has been taken out of a polynomial, and what is left. */
typedef struct {
  ck_id *factor;
  uint32_t n;
  uint32_t max;
  pv_poly left;
} taking;

/* to the polynomial: the monomial without the factor, where it has it, or else times its inverse */
static void add_divided(pv *prover, pv_poly *quotient, const pv_mono *mono, ck_id factor,
                        ck_id over) {
  ck_id *atoms = as_malloc((mono->degree + 1) * sizeof *atoms);
  uint32_t n = 0;
  bool had = false;
  for (uint32_t i = 0; i < mono->degree; i++) {
    bool leaves = !had && mono->atoms[i] == factor;
    had = had || leaves;
    if (!leaves)
      atoms[n++] = mono->atoms[i];
  }
  if (!had)
    atoms[n++] = over;
  pv_poly_add_mono(prover, quotient, mono->coef, atoms, n);
  free(atoms);
}

/* What is left, divided by the factor.  An atom next to its own inverse cancels when the rest is
 * multiplied out; a sum's would be multiplied out itself before it met its inverse, as in
 * (1 + e) * inv(1 + e), and is left out here. */
static void divide(pv *prover, pv_poly *left, ck_id factor, ck_id over) {
  pv_poly quotient;
  pv_poly_init(&quotient);
  if (ck_head(prover->terms, base_of(prover, factor)) == CK_ADD) {
    for (uint32_t k = 0; k < left->count; k++)
      add_divided(prover, &quotient, &left->monos[k], factor, over);
  } else {
    pv_poly_mul_mono(prover, &quotient, left, prover->one, &over, 1);
  }
  pv_poly_clear(left);
  *left = quotient;
}

/* takes the factor out as often as asked, while there is room for the rest too; `over` is its
 * inverse */
static void take_out(pv *prover, taking *out, ck_id factor, ck_id over, int times) {
  for (int i = 0; i < times && out->n + 1 < out->max; i++) {
    divide(prover, &out->left, factor, over);
    out->factor[out->n++] = factor;
  }
}

/* the least exponent of the atom in any monomial */
static int least_exponent(const pv_poly *poly, ck_id atom, ck_id inverse) {
  int least = exponent(&poly->monos[0], atom, inverse);
  for (uint32_t i = 1; i < poly->count; i++) {
    int power = exponent(&poly->monos[i], atom, inverse);
    least = power < least ? power : least;
  }
  return least;
}

static void take_common_atoms(pv *prover, const pv_poly *poly, taking *out) {
  enum { MOST_ATOMS = 32 };

  ck_id seen[MOST_ATOMS];
  uint32_t n_seen = 0;
  for (uint32_t i = 0; i < poly->count; i++) {
    for (uint32_t j = 0; j < poly->monos[i].degree; j++) {
      ck_id atom = base_of(prover, poly->monos[i].atoms[j]);
      uint32_t k = 0;
      while (k < n_seen && seen[k] != atom)
        k++;
      if (k < n_seen || n_seen == MOST_ATOMS)
        continue;
      seen[n_seen++] = atom;
      ck_id inverse = pv_inv(prover, atom);
      int least = least_exponent(poly, atom, inverse);
      take_out(prover, out, atom, inverse, least);
      take_out(prover, out, inverse, atom, -least);
    }
  }
}

/* the atoms of a single monomial behind its coefficient; 0 where they are too many */
static uint32_t monomial_factors(const pv_mono *mono, ck_id *factor, uint32_t n, uint32_t max) {
  if (mono->degree + 1 > max)
    return 0;
  for (uint32_t i = 0; i < mono->degree; i++)
    factor[n++] = mono->atoms[i];
  return n;
}

uint32_t pv_poly_content(pv *prover, ck_id term, ck_id *factor, uint32_t max) {
  pv_poly poly;
  ck_id lead = leading_coefficient(prover, term);
  uint32_t n = 0;
  if (lead != prover->one)
    factor[n++] = lead;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, term);
  if (poly.count == 1) {
    n = monomial_factors(&poly.monos[0], factor, n, max);
  } else {
    taking out = {.factor = factor, .n = n, .max = max};
    pv_poly_init(&out.left);
    pv_poly_add(prover, &out.left, &poly, pv_const_inv(prover, lead));
    take_common_atoms(prover, &poly, &out);
    n = out.n;
    if (n > 0)
      factor[n++] = pv_poly_term(prover, &out.left);
    pv_poly_clear(&out.left);
  }
  pv_poly_clear(&poly);
  return n;
}

long pv_poly_apart(pv *prover, ck_id term, pv_part_test test, const void *about, ck_id *inside,
                   ck_id *rest) {
  mpz_t common;
  pv_poly poly;
  bool whole = true;
  mpz_init(common);
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, term);
  *inside = prover->zero;
  *rest = prover->zero;
  for (uint32_t i = 0; i < poly.count; i++) {
    const pv_mono *mono = &poly.monos[i];
    ck_id part = pv_mono_term(prover, mono->coef, mono->atoms, mono->degree);
    const mpq_t *coef = ck_q_value(prover->terms, mono->coef);
    bool here = test(prover, part, about);
    ck_id *sum = here ? inside : rest;
    whole = whole && mpz_cmp_ui(mpq_denref(*coef), 1) == 0;
    if (here)
      mpz_gcd(common, common, mpq_numref(*coef));
    *sum = pv_add(prover, *sum, part);
  }
  long number = whole && mpz_fits_slong_p(common) ? mpz_get_si(common) : 0;
  pv_poly_clear(&poly);
  mpz_clear(common);
  *inside = pv_canon(prover, *inside);
  *rest = pv_canon(prover, *rest);
  return number;
}

uint32_t pv_normal_factors(pv *prover, pv_ctx ctx, ck_id u, ck_id *formula, uint32_t max) {
  uint32_t n = pv_poly_content(prover, u, formula, max);
  if (n == 0) {
    formula[0] = u;
    return 1;
  }
  if (ck_head(prover->terms, u) ==
      CK_ADD) { /* the rest must be multiplied out: atoms times their inverses */
    pv_eqn result = pv_norm_poly(prover, ctx, formula[n - 1]);
    if (result.by == PV_NONE) {
      formula[0] = u;
      return 1;
    }
    formula[n - 1] = result.to;
  }
  return n;
}
