/* Polynomials as lists of monomials, and canonical terms of them. */
#include "pv.h"
#include <stdlib.h>
#include <string.h>

void poly_init(poly *f) {
  memset(f, 0, sizeof *f);
}

void poly_clear(poly *f) {
  for (uint32_t i = 0; i < f->n; i++)
    free(f->m[i].a);
  free(f->m);
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
void poly_push(pv *p, poly *f, ck_id q, const ck_id *a, uint32_t n) {
  if (q == p->zero)
    return;
  p->work += 8 + f->n / 4;
  ck_id *s = as_malloc((n + 1) * sizeof *s);
  if (n)
    memcpy(s, a, n * sizeof *s);
  sort_ids(s, n);
  for (uint32_t i = 0; i < f->n; i++) {
    mono *m = &f->m[i];
    if (m->n != n || memcmp(m->a, s, n * sizeof *s))
      continue;
    free(s);
    m->q = q_add(p, m->q, q);
    if (m->q == p->zero) {
      free(m->a);
      *m = f->m[--f->n];
    }
    return;
  }
  if (f->n == f->cap) {
    f->cap = f->cap ? 2 * f->cap : 4;
    f->m = as_realloc(f->m, f->cap * sizeof *f->m);
  }
  f->m[f->n++] = (mono){q, n, s};
}

/* by atoms, left to right: the checker's order is by when a monomial was met first, on which no
 * proof should depend */
static int by_atoms(const void *a, const void *b) {
  const mono *x = a;
  const mono *y = b;
  for (uint32_t i = 0; i < x->n && i < y->n; i++) {
    if (x->a[i] != y->a[i])
      return x->a[i] < y->a[i] ? -1 : 1;
  }
  return (x->n > y->n) - (x->n < y->n);
}

void poly_of(pv *p, poly *f, ck_id t) {
  const ck_poly *g = ck_poly_of(p->T, t);
  uint32_t n = g ? ck_poly_len(g) : 0;
  poly_clear(f);
  p->work += 4 + 12 * n;
  f->cap = n ? n : 1;
  f->m = as_malloc(f->cap * sizeof *f->m);
  for (uint32_t i = 0; i < n; i++) {
    ck_mono m = ck_poly_mono(g, i);
    ck_id *s = as_malloc((m.deg + 1) * sizeof *s);
    if (m.deg)
      memcpy(s, m.atoms, m.deg * sizeof *s);
    f->m[f->n++] = (mono){ck_q(p->T, *ck_poly_coef(g, i)), m.deg, s};
  }
  qsort(f->m, f->n, sizeof *f->m, by_atoms);
  if (!g) {
    ck_id a = t;
    poly_push(p, f, p->one, &a, 1);
  }
}

void poly_add(pv *p, poly *f, const poly *g, ck_id scale) {
  for (uint32_t i = 0; i < g->n; i++)
    poly_push(p, f, q_mul(p, g->m[i].q, scale), g->m[i].a, g->m[i].n);
}

void poly_mul_mono(pv *p, poly *f, const poly *g, ck_id q, const ck_id *a, uint32_t n) {
  poly r;
  poly_init(&r);
  for (uint32_t i = 0; i < g->n; i++) {
    const mono *m = &g->m[i];
    ck_id *s = as_malloc((m->n + n + 1) * sizeof *s);
    memcpy(s, m->a, m->n * sizeof *s);
    if (n)
      memcpy(s + m->n, a, n * sizeof *s);
    poly_push(p, &r, q_mul(p, m->q, q), s, m->n + n);
    free(s);
  }
  poly_clear(f);
  *f = r;
}

/* insertion sort: monomials are short, and the order needs p */
static void sort_atoms(pv *p, ck_id *a, uint32_t n) {
  for (uint32_t i = 1; i < n; i++) {
    for (uint32_t j = i; j > 0 && t_cmp(p, a[j - 1], a[j]) > 0; j--) {
      ck_id x = a[j];
      a[j] = a[j - 1];
      a[j - 1] = x;
    }
  }
}

ck_id mono_term(pv *p, ck_id q, const ck_id *a, uint32_t n) {
  ck_id *s = as_malloc((n + 1) * sizeof *s);
  ck_id r = n && q == p->one ? CK_BAD : q;
  if (n)
    memcpy(s, a, n * sizeof *s);
  sort_atoms(p, s, n);
  for (uint32_t i = 0; i < n; i++)
    r = r == CK_BAD ? s[i] : t_mul(p, r, s[i]);
  free(s);
  return r;
}

static int mono_cmp(const void *a, const void *b, void *arg) {
  const mono *x = a;
  const mono *y = b;
  pv *p = arg;
  for (uint32_t i = 0; i < x->n && i < y->n; i++) {
    int c = t_cmp(p, x->a[i], y->a[i]);
    if (c)
      return c;
  }
  return x->n < y->n ? -1 : x->n > y->n;
}

ck_id poly_term(pv *p, const poly *f) {
  mono *m = as_malloc((f->n + 1) * sizeof *m);
  ck_id r = CK_BAD;
  for (uint32_t i = 0; i < f->n; i++) {
    m[i] = f->m[i];
    m[i].a = as_malloc((m[i].n + 1) * sizeof(ck_id));
    memcpy(m[i].a, f->m[i].a, m[i].n * sizeof(ck_id));
    sort_atoms(p, m[i].a, m[i].n);
    p->work += m[i].n;
  }
  qsort_r(m, f->n, sizeof *m, mono_cmp, p);
  for (uint32_t i = 0; i < f->n; i++) {
    ck_id u = mono_term(p, m[i].q, m[i].a, m[i].n);
    r = r == CK_BAD ? u : t_add(p, r, u);
    free(m[i].a);
  }
  free(m);
  return r == CK_BAD ? p->zero : r;
}

bool mono_has(const mono *m, ck_id a) {
  for (uint32_t i = 0; i < m->n; i++) {
    if (m->a[i] == a)
      return true;
  }
  return false;
}

int mono_div(const ck_id *a, uint32_t na, const ck_id *b, uint32_t nb, ck_id *rest) {
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

ck_id canon(pv *p, ck_id t) {
  uint64_t v;
  poly f;
  if (map_get(&p->misc_memo, t, 1, &v))
    return (ck_id)v;
  poly_init(&f);
  poly_of(p, &f, t);
  ck_id r = poly_term(p, &f);
  poly_clear(&f);
  map_put(&p->misc_memo, t, 1, r);
  return r;
}
