/* Polynomials as lists of monomials, and canonical terms of them. */
#include "pv_poly.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

void pv_poly_init(pv_poly *poly) {
  memset(poly, 0, sizeof *poly);
}

void pv_poly_clear(pv_poly *poly) {
  for (uint32_t i = 0; i < poly->count; i++)
    free(poly->monos[i].atoms);
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

/* adds q*a to f: like monomials are joined */
void pv_poly_add_mono(pv *prover, pv_poly *poly, ck_id q, const ck_id *a, uint32_t n) {
  if (q == prover->zero)
    return;
  prover->work += 8 + poly->count / 4;
  ck_id *s = as_malloc((n + 1) * sizeof *s);
  if (n)
    memcpy(s, a, n * sizeof *s);
  sort_ids(s, n);
  for (uint32_t i = 0; i < poly->count; i++) {
    pv_mono *mono = &poly->monos[i];
    if (mono->degree != n || memcmp(mono->atoms, s, n * sizeof *s))
      continue;
    free(s);
    mono->coef = pv_const_add(prover, mono->coef, q);
    if (mono->coef == prover->zero) {
      free(mono->atoms);
      *mono = poly->monos[--poly->count];
    }
    return;
  }
  if (poly->count == poly->capacity) {
    poly->capacity = poly->capacity ? 2 * poly->capacity : 4;
    poly->monos = as_realloc(poly->monos, poly->capacity * sizeof *poly->monos);
  }
  poly->monos[poly->count++] = (pv_mono){q, n, s};
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

void pv_poly_read(pv *prover, pv_poly *poly, ck_id term) {
  const ck_poly *g = ck_poly_of(prover->terms, term);
  uint32_t n = g ? ck_poly_len(g) : 0;
  pv_poly_clear(poly);
  prover->work += 4 + 12 * n;
  poly->capacity = n ? n : 1;
  poly->monos = as_malloc(poly->capacity * sizeof *poly->monos);
  for (uint32_t i = 0; i < n; i++) {
    ck_mono m = ck_poly_mono(g, i);
    ck_id *s = as_malloc((m.deg + 1) * sizeof *s);
    if (m.deg)
      memcpy(s, m.atoms, m.deg * sizeof *s);
    poly->monos[poly->count++] = (pv_mono){pv_rational(prover, *ck_poly_coef(g, i)), m.deg, s};
  }
  qsort(poly->monos, poly->count, sizeof *poly->monos, by_atoms);
  if (!g) {
    ck_id a = term;
    pv_poly_add_mono(prover, poly, prover->one, &a, 1);
  }
}

void pv_poly_add(pv *prover, pv_poly *poly, const pv_poly *other, ck_id scale) {
  for (uint32_t i = 0; i < other->count; i++)
    pv_poly_add_mono(prover, poly, pv_const_mul(prover, other->monos[i].coef, scale),
                     other->monos[i].atoms, other->monos[i].degree);
}

void pv_poly_mul_mono(pv *prover, pv_poly *poly, const pv_poly *other, ck_id q, const ck_id *a,
                      uint32_t n) {
  pv_poly rest;
  pv_poly_init(&rest);
  for (uint32_t i = 0; i < other->count; i++) {
    const pv_mono *mono = &other->monos[i];
    ck_id *s = as_malloc((mono->degree + n + 1) * sizeof *s);
    memcpy(s, mono->atoms, mono->degree * sizeof *s);
    if (n)
      memcpy(s + mono->degree, a, n * sizeof *s);
    pv_poly_add_mono(prover, &rest, pv_const_mul(prover, mono->coef, q), s, mono->degree + n);
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

ck_id pv_mono_term(pv *prover, ck_id q, const ck_id *a, uint32_t n) {
  ck_id *s = as_malloc((n + 1) * sizeof *s);
  ck_id r = n && q == prover->one ? CK_BAD : q;
  if (n)
    memcpy(s, a, n * sizeof *s);
  sort_atoms(prover, s, n);
  for (uint32_t i = 0; i < n; i++)
    r = r == CK_BAD ? s[i] : pv_mul(prover, r, s[i]);
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
  pv_mono *mono = as_malloc((poly->count + 1) * sizeof *mono);
  ck_id r = CK_BAD;
  for (uint32_t i = 0; i < poly->count; i++) {
    mono[i] = poly->monos[i];
    mono[i].atoms = as_malloc((mono[i].degree + 1) * sizeof(ck_id));
    memcpy(mono[i].atoms, poly->monos[i].atoms, mono[i].degree * sizeof(ck_id));
    sort_atoms(prover, mono[i].atoms, mono[i].degree);
    prover->work += mono[i].degree;
  }
  qsort_r(mono, poly->count, sizeof *mono, mono_cmp, prover);
  for (uint32_t i = 0; i < poly->count; i++) {
    ck_id u = pv_mono_term(prover, mono[i].coef, mono[i].atoms, mono[i].degree);
    r = r == CK_BAD ? u : pv_add(prover, r, u);
    free(mono[i].atoms);
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
