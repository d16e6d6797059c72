/* Polynomials as lists of monomials, and canonical terms of them. */
#include "pv_poly.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

void pv_poly_init(pv_poly *poly) {
  memset(poly, 0, sizeof *poly);
}

void pv_poly_clear(pv_poly *poly) {
  free(poly->monos);
  memset(poly, 0, sizeof *poly);
}

/* monomials are short */
static void sort_ids(ck_id *s, uint32_t n) {
  for (uint32_t i = 1; i < n; i++) {
    for (uint32_t j = i; j > 0 && s[j - 1] > s[j]; j--) {
      ck_id x = s[j];
      s[j] = s[j - 1];
      s[j - 1] = x;
    }
  }
}

bool pv_mono_same(const pv_mono *mono, const ck_id *atoms, uint32_t n) {
  if (mono->degree != n)
    return false;
  if (mono->atoms == atoms)
    return true;
  for (uint32_t i = 0; i < n; i++) {
    if (mono->atoms[i] != atoms[i])
      return false;
  }
  return true;
}

static void reserve(pv_poly *poly, uint32_t count) {
  if (count <= poly->capacity)
    return;
  poly->capacity = 2 * poly->capacity > count ? 2 * poly->capacity : count < 4 ? 4 : count;
  poly->monos = as_realloc(poly->monos, poly->capacity * sizeof *poly->monos);
}

/* Adds q to the coefficient of the monomial of these sorted atoms; false: there is none. */
static bool joined(pv *prover, pv_poly *poly, ck_id q, const ck_id *atoms, uint32_t n) {
  uint32_t i = 0;
  while (i < poly->count && !pv_mono_same(&poly->monos[i], atoms, n))
    i++;
  if (i == poly->count)
    return false;
  pv_mono *mono = &poly->monos[i];
  mono->coef = pv_const_add(prover, mono->coef, q);
  if (mono->coef == prover->zero)
    *mono = poly->monos[--poly->count];
  return true;
}

/* adds q times atoms that another monomial has, and that it shares from now on */
static void add_shared(pv *prover, pv_poly *poly, ck_id q, const ck_id *atoms, uint32_t n) {
  if (q == prover->zero)
    return;
  prover->work += 8 + poly->count / 4;
  if (joined(prover, poly, q, atoms, n))
    return;
  reserve(poly, poly->count + 1);
  poly->monos[poly->count++] = (pv_mono){q, n, atoms};
}

/* adds q*a to f: like monomials are joined */
void pv_poly_add_mono(pv *prover, pv_poly *poly, ck_id q, const ck_id *a, uint32_t n) {
  enum { SHORT = 32 };

  if (q == prover->zero)
    return;
  prover->work += 8 + poly->count / 4;
  ck_id few[SHORT];
  few[0] = CK_BAD;
  ck_id *sorted = n > SHORT ? as_malloc(n * sizeof *sorted) : few;
  if (n)
    memcpy(sorted, a, n * sizeof *sorted);
  sort_ids(sorted, n);
  if (!joined(prover, poly, q, sorted, n)) {
    size_t bytes;
    uint32_t kept = as_intern_row(&prover->monomials, sorted, n * sizeof *sorted);
    reserve(poly, poly->count + 1);
    poly->monos[poly->count++] = (pv_mono){q, n, as_intern_bytes(&prover->monomials, kept, &bytes)};
  }
  if (sorted != few)
    free(sorted);
}

/* by atoms, left to right: the checker's order is by when a monomial was met first, on which no
 * proof should depend */
static int by_atoms(const void *a, const void *comb) {
  const pv_mono *other = a;
  const pv_mono *y = comb;
  for (uint32_t i = 0; i < other->degree && i < y->degree; i++) {
    if (other->atoms[i] != y->atoms[i])
      return other->atoms[i] < y->atoms[i] ? -1 : 1;
  }
  return (other->degree > y->degree) - (other->degree < y->degree);
}

/* The atoms are those of the checker's polynomial, which the term keeps. */
void pv_poly_read(pv *prover, pv_poly *poly, ck_id term) {
  const ck_poly *g = ck_poly_of(prover->terms, term);
  uint32_t n = g ? ck_poly_len(g) : 0;
  bool in_order = true;
  poly->count = 0;
  prover->work += 4 + 12 * n;
  reserve(poly, n ? n : 1);
  for (uint32_t i = 0; i < n; i++) {
    ck_mono m = ck_poly_mono(g, i);
    pv_mono *mono = &poly->monos[poly->count++];
    *mono = (pv_mono){pv_rational(prover, *ck_poly_coef(g, i)), m.deg, m.atoms};
    in_order = in_order && (i == 0 || by_atoms(mono - 1, mono) < 0);
  }
  if (!in_order)
    qsort(poly->monos, poly->count, sizeof *poly->monos, by_atoms);
  if (!g) {
    ck_id a = term;
    pv_poly_add_mono(prover, poly, prover->one, &a, 1);
  }
}

void pv_poly_add(pv *prover, pv_poly *poly, const pv_poly *other, ck_id scale) {
  reserve(poly, other->count);
  for (uint32_t i = 0; i < other->count; i++)
    add_shared(prover, poly, pv_const_mul(prover, other->monos[i].coef, scale),
               other->monos[i].atoms, other->monos[i].degree);
}

void pv_poly_mul_mono(pv *prover, pv_poly *poly, const pv_poly *other, ck_id q, const ck_id *a,
                      uint32_t n) {
  enum { SHORT = 64 };

  pv_poly rest;
  ck_id few[SHORT];
  pv_poly_init(&rest);
  reserve(&rest, other->count);
  for (uint32_t i = 0; i < other->count; i++) {
    const pv_mono *mono = &other->monos[i];
    uint32_t degree = mono->degree + n;
    ck_id coef = pv_const_mul(prover, mono->coef, q);
    if (n == 0) {
      add_shared(prover, &rest, coef, mono->atoms, degree);
      continue;
    }
    ck_id *s = degree > SHORT ? as_malloc(degree * sizeof *s) : few;
    memcpy(s, mono->atoms, mono->degree * sizeof *s);
    memcpy(s + mono->degree, a, n * sizeof *s);
    pv_poly_add_mono(prover, &rest, coef, s, degree);
    if (s != few)
      free(s);
  }
  pv_poly_clear(poly);
  *poly = rest;
}

/* insertion sort: monomials are short, and the order needs p */
static void sort_atoms(pv *prover, ck_id *a, uint32_t n) {
  for (uint32_t i = 1; i < n; i++) {
    for (uint32_t j = i; j > 0 && pv_order(prover, a[j - 1], a[j]) > 0; j--) {
      ck_id x = a[j];
      a[j] = a[j - 1];
      a[j - 1] = x;
    }
  }
}

/* the product of a number and atoms, which stand in structural order */
static ck_id product_term(pv *prover, ck_id q, const ck_id *atoms, uint32_t n) {
  ck_id r = n && q == prover->one ? CK_BAD : q;
  for (uint32_t i = 0; i < n; i++)
    r = r == CK_BAD ? atoms[i] : pv_mul(prover, r, atoms[i]);
  return r;
}

ck_id pv_mono_term(pv *prover, ck_id q, const ck_id *a, uint32_t n) {
  enum { SHORT = 32 };

  ck_id few[SHORT];
  ck_id *s = n > SHORT ? as_malloc(n * sizeof *s) : few;
  if (n)
    memcpy(s, a, n * sizeof *s);
  sort_atoms(prover, s, n);
  ck_id r = product_term(prover, q, s, n);
  if (s != few)
    free(s);
  return r;
}

static int mono_cmp(const void *a, const void *b, void *arg) {
  const pv_mono *other = a;
  const pv_mono *y = b;
  pv *prover = arg;
  for (uint32_t i = 0; i < other->degree && i < y->degree; i++) {
    int c = pv_order(prover, other->atoms[i], y->atoms[i]);
    if (c)
      return c;
  }
  return other->degree < y->degree ? -1 : other->degree > y->degree;
}

ck_id pv_poly_term(pv *prover, const pv_poly *poly) {
  uint32_t degrees = 0;
  ck_id r = CK_BAD;
  for (uint32_t i = 0; i < poly->count; i++)
    degrees += poly->monos[i].degree;
  pv_mono *mono = as_malloc(poly->count * sizeof *mono + degrees * sizeof(ck_id));
  ck_id *atoms = (ck_id *)(mono + poly->count); /* of all of them, each in structural order */
  for (uint32_t i = 0; i < poly->count; i++) {
    uint32_t degree = poly->monos[i].degree;
    memcpy(atoms, poly->monos[i].atoms, degree * sizeof *atoms);
    sort_atoms(prover, atoms, degree);
    mono[i] = (pv_mono){poly->monos[i].coef, degree, atoms};
    atoms += degree;
    prover->work += degree;
  }
  if (poly->count > 1)
    qsort_r(mono, poly->count, sizeof *mono, mono_cmp, prover);
  for (uint32_t i = 0; i < poly->count; i++) {
    ck_id u = product_term(prover, mono[i].coef, mono[i].atoms, mono[i].degree);
    r = r == CK_BAD ? u : pv_add(prover, r, u);
  }
  free(mono);
  return r == CK_BAD ? prover->zero : r;
}

bool pv_mono_has(const pv_mono *mono, ck_id a) {
  for (uint32_t i = 0; i < mono->degree; i++) {
    if (mono->atoms[i] == a)
      return true;
  }
  return false;
}

int pv_mono_div(const ck_id *a, uint32_t na, const ck_id *b, uint32_t nb, ck_id *rest) {
  uint32_t j = 0;
  uint32_t r = 0;
  for (uint32_t i = 0; i < na; i++) {
    if (j < nb && a[i] == b[j])
      j++;
    else
      rest[r++] = a[i];
  }
  return j == nb ? (int)r : -1;
}

ck_id pv_canon(pv *prover, ck_id term) {
  uint64_t known;
  pv_poly poly;
  if (as_map_get(&prover->misc_memo, AS_KEY(term, 1), &known))
    return (ck_id)known;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, term);
  ck_id r = pv_poly_term(prover, &poly);
  pv_poly_clear(&poly);
  as_map_put(&prover->misc_memo, AS_KEY(term, 1), r);
  return r;
}

bool pv_poly_linear(pv *prover, ck_id term, ck_id variable, ck_id *factor, ck_id *addend) {
  pv_poly poly;
  pv_poly with;
  pv_poly without;
  bool ok = true;
  pv_poly_init(&poly);
  pv_poly_init(&with);
  pv_poly_init(&without);
  pv_poly_read(prover, &poly, term);
  for (uint32_t i = 0; i < poly.count && ok; i++) {
    const pv_mono *mono = &poly.monos[i];
    ck_id *rest = as_malloc((mono->degree + 1) * sizeof *rest);
    int degree = pv_mono_div(mono->atoms, mono->degree, &variable, 1, rest);
    if (degree >= 0)
      pv_poly_add_mono(prover, &with, mono->coef, rest, (uint32_t)degree);
    else
      pv_poly_add_mono(prover, &without, mono->coef, mono->atoms, mono->degree);
    for (int j = 0; j < degree; j++) {
      if (ck_has_var(prover->terms, rest[j], variable))
        ok = false;
    }
    for (uint32_t j = 0; degree < 0 && j < mono->degree; j++) {
      if (ck_has_var(prover->terms, mono->atoms[j], variable))
        ok = false;
    }
    free(rest);
  }
  *factor = pv_poly_term(prover, &with);
  *addend = pv_poly_term(prover, &without);
  pv_poly_clear(&poly);
  pv_poly_clear(&with);
  pv_poly_clear(&without);
  return ok;
}

uint32_t pv_poly_monomials(pv *prover, ck_id term) {
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, term);
  uint32_t n = poly.count;
  pv_poly_clear(&poly);
  return n;
}
