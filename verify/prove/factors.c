/* Polynomials as products: what can be taken out of all of their monomials. */
#include "pv_norm.h"

/* exponent of x in the monomial, inverses counted negative */
static int exponent(const pv_mono *mono, ck_id x, ck_id inverse) {
  int power = 0;
  for (uint32_t i = 0; i < mono->degree; i++)
    power += mono->atoms[i] == x ? 1 : mono->atoms[i] == inverse ? -1 : 0;
  return power;
}

/* factors of u: leading coefficient, common powers, the primitive rest; 0 if there is nothing to
 * take out */
uint32_t pv_poly_content(pv *prover, ck_id term, ck_id *formula, uint32_t max) {
  pv_poly other;
  uint32_t n = 0;
  ck_id lead = prover->one;
  ck_id rest = term;
  ck_id first;
  pv_poly_init(&other);
  pv_poly_read(prover, &other, term);
  first = term;
  while (ck_head(prover->terms, first) == CK_ADD)
    first = ck_kid(prover->terms, first, 0);
  {
    pv_poly product;
    pv_poly_init(&product);
    pv_poly_read(prover, &product, first);
    if (product.count == 1)
      lead = product.monos[0].coef;
    pv_poly_clear(&product);
  }
  if (lead != prover->one)
    formula[n++] = lead;
  if (other.count == 1) {
    for (uint32_t i = 0; i < other.monos[0].degree && n < max; i++)
      formula[n++] = other.monos[0].atoms[i];
    n = other.monos[0].degree + 1 > max ? 0 : n;
    rest = CK_BAD;
  } else {
    ck_id seen[32];
    uint32_t n_seen = 0;
    pv_poly quotient;
    pv_poly_init(&quotient);
    pv_poly_add(prover, &quotient, &other, pv_const_inv(prover, lead));
    for (uint32_t i = 0; i < other.count; i++) {
      for (uint32_t j = 0; j < other.monos[i].degree; j++) {
        ck_id atom = other.monos[i].atoms[j];
        uint32_t k = 0;
        if (ck_head(prover->terms, atom) == CK_INV)
          atom = ck_kid(prover->terms, atom, 0);
        while (k < n_seen && seen[k] != atom)
          k++;
        if (k < n_seen || n_seen == 32)
          continue;
        seen[n_seen++] = atom;
        ck_id inverse = pv_inv(prover, atom);
        int least = 1000;
        for (uint32_t at = 0; at < other.count; at++) {
          int power = exponent(&other.monos[at], atom, inverse);
          if (power < least)
            least = power;
        }
        for (; least > 0 && n + 1 < max; least--) {
          formula[n++] = atom;
          pv_poly product;
          pv_poly_init(&product);
          pv_poly_mul_mono(prover, &product, &quotient, prover->one, &inverse, 1);
          pv_poly_clear(&quotient);
          quotient = product;
        }
        for (; least < 0 && n + 1 < max; least++) {
          formula[n++] = inverse;
          pv_poly product;
          pv_poly_init(&product);
          pv_poly_mul_mono(prover, &product, &quotient, prover->one, &atom, 1);
          pv_poly_clear(&quotient);
          quotient = product;
        }
      }
    }
    rest = pv_poly_term(prover, &quotient);
    pv_poly_clear(&quotient);
  }
  pv_poly_clear(&other);
  if (rest == CK_BAD)
    return n;
  if (n == 0)
    return 0;
  formula[n++] = rest;
  return n;
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
