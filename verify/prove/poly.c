/* Polynomials as lists of monomials, and canonical terms of them. */
#include "pv_poly.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

void pv_poly_init(pv_poly *f) {
  memset(f, 0, sizeof *f);
}

void pv_poly_clear(pv_poly *f) {
  for (uint32_t i = 0; i < f->count; i++)
    free(f->monos[i].atoms);
  free(f->monos);
  memset(f, 0, sizeof *f);
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
void pv_poly_add_mono(pv *p, pv_poly *f, ck_id q, const ck_id *a, uint32_t n) {
  if (q == p->zero)
    return;
  p->work += 8 + f->count / 4;
  ck_id *s = as_malloc((n + 1) * sizeof *s);
  if (n)
    memcpy(s, a, n * sizeof *s);
  sort_ids(s, n);
  for (uint32_t i = 0; i < f->count; i++) {
    pv_mono *m = &f->monos[i];
    if (m->degree != n || memcmp(m->atoms, s, n * sizeof *s))
      continue;
    free(s);
    m->coef = pv_const_add(p, m->coef, q);
    if (m->coef == p->zero) {
      free(m->atoms);
      *m = f->monos[--f->count];
    }
    return;
  }
  if (f->count == f->capacity) {
    f->capacity = f->capacity ? 2 * f->capacity : 4;
    f->monos = as_realloc(f->monos, f->capacity * sizeof *f->monos);
  }
  f->monos[f->count++] = (pv_mono){q, n, s};
}

/* by atoms, left to right: the checker's order is by when a monomial was met first, on which no
 * proof should depend */
static int by_atoms(const void *a, const void *b) {
  const pv_mono *x = a;
  const pv_mono *y = b;
  for (uint32_t i = 0; i < x->degree && i < y->degree; i++) {
    if (x->atoms[i] != y->atoms[i])
      return x->atoms[i] < y->atoms[i] ? -1 : 1;
  }
  return (x->degree > y->degree) - (x->degree < y->degree);
}

void pv_poly_read(pv *p, pv_poly *f, ck_id t) {
  const ck_poly *g = ck_poly_of(p->terms, t);
  uint32_t n = g ? ck_poly_len(g) : 0;
  pv_poly_clear(f);
  p->work += 4 + 12 * n;
  f->capacity = n ? n : 1;
  f->monos = as_malloc(f->capacity * sizeof *f->monos);
  for (uint32_t i = 0; i < n; i++) {
    ck_mono m = ck_poly_mono(g, i);
    ck_id *s = as_malloc((m.deg + 1) * sizeof *s);
    if (m.deg)
      memcpy(s, m.atoms, m.deg * sizeof *s);
    f->monos[f->count++] = (pv_mono){ck_q(p->terms, *ck_poly_coef(g, i)), m.deg, s};
  }
  qsort(f->monos, f->count, sizeof *f->monos, by_atoms);
  if (!g) {
    ck_id a = t;
    pv_poly_add_mono(p, f, p->one, &a, 1);
  }
}

void pv_poly_add(pv *p, pv_poly *f, const pv_poly *g, ck_id scale) {
  for (uint32_t i = 0; i < g->count; i++)
    pv_poly_add_mono(p, f, pv_const_mul(p, g->monos[i].coef, scale), g->monos[i].atoms,
                     g->monos[i].degree);
}

void pv_poly_mul_mono(pv *p, pv_poly *f, const pv_poly *g, ck_id q, const ck_id *a, uint32_t n) {
  pv_poly r;
  pv_poly_init(&r);
  for (uint32_t i = 0; i < g->count; i++) {
    const pv_mono *m = &g->monos[i];
    ck_id *s = as_malloc((m->degree + n + 1) * sizeof *s);
    memcpy(s, m->atoms, m->degree * sizeof *s);
    if (n)
      memcpy(s + m->degree, a, n * sizeof *s);
    pv_poly_add_mono(p, &r, pv_const_mul(p, m->coef, q), s, m->degree + n);
    free(s);
  }
  pv_poly_clear(f);
  *f = r;
}

/* insertion sort: monomials are short, and the order needs p */
static void sort_atoms(pv *p, ck_id *a, uint32_t n) {
  for (uint32_t i = 1; i < n; i++) {
    for (uint32_t j = i; j > 0 && pv_order(p, a[j - 1], a[j]) > 0; j--) {
      ck_id x = a[j];
      a[j] = a[j - 1];
      a[j - 1] = x;
    }
  }
}

ck_id pv_mono_term(pv *p, ck_id q, const ck_id *a, uint32_t n) {
  ck_id *s = as_malloc((n + 1) * sizeof *s);
  ck_id r = n && q == p->one ? CK_BAD : q;
  if (n)
    memcpy(s, a, n * sizeof *s);
  sort_atoms(p, s, n);
  for (uint32_t i = 0; i < n; i++)
    r = r == CK_BAD ? s[i] : pv_mul(p, r, s[i]);
  free(s);
  return r;
}

static int mono_cmp(const void *a, const void *b, void *arg) {
  const pv_mono *x = a;
  const pv_mono *y = b;
  pv *p = arg;
  for (uint32_t i = 0; i < x->degree && i < y->degree; i++) {
    int c = pv_order(p, x->atoms[i], y->atoms[i]);
    if (c)
      return c;
  }
  return x->degree < y->degree ? -1 : x->degree > y->degree;
}

ck_id pv_poly_term(pv *p, const pv_poly *f) {
  pv_mono *m = as_malloc((f->count + 1) * sizeof *m);
  ck_id r = CK_BAD;
  for (uint32_t i = 0; i < f->count; i++) {
    m[i] = f->monos[i];
    m[i].atoms = as_malloc((m[i].degree + 1) * sizeof(ck_id));
    memcpy(m[i].atoms, f->monos[i].atoms, m[i].degree * sizeof(ck_id));
    sort_atoms(p, m[i].atoms, m[i].degree);
    p->work += m[i].degree;
  }
  qsort_r(m, f->count, sizeof *m, mono_cmp, p);
  for (uint32_t i = 0; i < f->count; i++) {
    ck_id u = pv_mono_term(p, m[i].coef, m[i].atoms, m[i].degree);
    r = r == CK_BAD ? u : pv_add(p, r, u);
    free(m[i].atoms);
  }
  free(m);
  return r == CK_BAD ? p->zero : r;
}

bool pv_mono_has(const pv_mono *m, ck_id a) {
  for (uint32_t i = 0; i < m->degree; i++) {
    if (m->atoms[i] == a)
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

ck_id pv_canon(pv *p, ck_id t) {
  uint64_t v;
  pv_poly f;
  if (as_map_get(&p->misc_memo, AS_KEY(t, 1), &v))
    return (ck_id)v;
  pv_poly_init(&f);
  pv_poly_read(p, &f, t);
  ck_id r = pv_poly_term(p, &f);
  pv_poly_clear(&f);
  as_map_put(&p->misc_memo, AS_KEY(t, 1), r);
  return r;
}
