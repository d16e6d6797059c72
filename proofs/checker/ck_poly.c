/* Polynomials with rational coefficients over atoms (RULES.md section 1).  An atom is any term that is no constant, sum or product. */
#include "ck_term_impl.h"
#include <stdlib.h>
#include <string.h>

/* Beyond these a polynomial is refused: pairs of monomials in one product, atoms in one polynomial, monomials alive, limbs of a coefficient. */
enum { MAX_PAIRS = 200000, MAX_ATOMS = 1 << 23, MAX_ALIVE = 1 << 25, MAX_LIMBS = 1024 };

struct ck_poly {
  uint32_t n;
  ck_mono *mono; /* increasing by compare(); they point into atoms */
  mpq_t *coef;   /* none is zero */
  ck_id *atoms; uint32_t n_atoms;
  ck_poly *next;
};

typedef struct { ck_mono mono; mpq_t coef; } entry;

static int compare(const ck_mono *a, const ck_mono *b) {
  for (uint32_t i = 0; i < a->deg && i < b->deg; i++)
    if (a->atoms[i] != b->atoms[i]) return a->atoms[i] < b->atoms[i] ? -1 : 1;
  return (a->deg > b->deg) - (a->deg < b->deg);
}

static const ck_poly *too_large(ck_terms *T) { return ck_fail(T, "polynomial too large"), NULL; }
static int by_mono(const void *a, const void *b) { return compare(&((const entry *)a)->mono, &((const entry *)b)->mono); }
static bool huge(const mpq_t c) { return mpz_size(mpq_numref(c)) > MAX_LIMBS || mpz_size(mpq_denref(c)) > MAX_LIMBS; }

ck_poly *ck_poly_mark(ck_terms *T) { return T->polys; }
void ck_poly_release(ck_terms *T, ck_poly *mark) {
  while (T->polys != mark) {
    ck_poly *p = T->polys;
    T->polys = p->next;
    T->monos -= p->n;
    for (uint32_t i = 0; i < p->n; i++) mpq_clear(p->coef[i]);
    free(p->mono), free(p->coef), free(p->atoms), free(p);
  }
}

/* The sum of n entries, whose coefficients are cleared; x is sorted and overwritten.  NULL: too large. */
static const ck_poly *collect(ck_terms *T, entry *x, uint32_t n) {
  uint64_t n_atoms = 0;
  uint32_t m = 0;
  bool ok = true;
  if (n > 1) qsort(x, n, sizeof *x, by_mono);
  for (uint32_t i = 0; i < n;) { /* equal monomials are neighbours: add them up, drop zeros, keep the rest in front */
    uint32_t j = i + 1;
    for (; j < n && compare(&x[i].mono, &x[j].mono) == 0; j++) {
      if (ok) mpq_add(x[i].coef, x[i].coef, x[j].coef);
      ok = ok && !huge(x[i].coef);
      mpq_clear(x[j].coef);
    }
    ok = ok && !huge(x[i].coef);
    n_atoms += mpq_sgn(x[i].coef) ? x[i].mono.deg : 0;
    if (mpq_sgn(x[i].coef)) x[m++] = x[i];
    else mpq_clear(x[i].coef);
    i = j;
  }
  if (!ok || n_atoms > MAX_ATOMS || T->monos + m > MAX_ALIVE) {
    for (uint32_t i = 0; i < m; i++) mpq_clear(x[i].coef);
    return too_large(T);
  }
  ck_poly *p = ck_alloc(NULL, sizeof *p);
  *p = (ck_poly){m, ck_alloc(NULL, m * sizeof *p->mono), ck_alloc(NULL, m * sizeof *p->coef), ck_alloc(NULL, n_atoms * sizeof(ck_id)), 0, T->polys};
  for (uint32_t i = 0; i < m; i++) {
    ck_id *a = p->atoms + p->n_atoms;
    if (x[i].mono.deg) memcpy(a, x[i].mono.atoms, x[i].mono.deg * sizeof *a);
    p->mono[i] = (ck_mono){x[i].mono.deg, a};
    p->n_atoms += x[i].mono.deg;
    p->coef[i][0] = x[i].coef[0];
  }
  T->polys = p;
  T->monos += m;
  return p;
}

const ck_poly *ck_poly_add(ck_terms *T, const ck_poly *a, const ck_poly *b, const mpq_t scale) {
  if (a == NULL || b == NULL) return NULL;
  entry *x = ck_alloc(NULL, ((size_t)a->n + b->n) * sizeof *x);
  for (uint32_t i = 0; i < a->n + b->n; i++) {
    const ck_poly *p = i < a->n ? a : b;
    uint32_t j = i < a->n ? i : i - a->n;
    x[i].mono = p->mono[j], mpq_init(x[i].coef), mpq_set(x[i].coef, p->coef[j]);
    if (i >= a->n && scale) mpq_mul(x[i].coef, x[i].coef, scale);
  }
  const ck_poly *r = collect(T, x, a->n + b->n);
  free(x);
  return r;
}

const ck_poly *ck_poly_mul(ck_terms *T, const ck_poly *a, const ck_poly *b) {
  if (a == NULL || b == NULL) return NULL;
  uint64_t atoms = (uint64_t)a->n * b->n_atoms + (uint64_t)b->n * a->n_atoms;
  if ((uint64_t)a->n * b->n > MAX_PAIRS || atoms > MAX_ATOMS) return too_large(T);
  entry *x = ck_alloc(NULL, (size_t)a->n * b->n * sizeof *x);
  ck_id *pool = ck_alloc(NULL, (size_t)atoms * sizeof *pool), *at = pool;
  uint32_t m = 0;
  for (uint32_t i = 0; i < a->n; i++)
    for (uint32_t j = 0; j < b->n; j++, m++) {
      const ck_mono l = a->mono[i], r = b->mono[j];
      x[m].mono = (ck_mono){l.deg + r.deg, at};
      for (uint32_t u = 0, v = 0; u < l.deg || v < r.deg;) /* merge the atoms */
        *at++ = v == r.deg || (u < l.deg && l.atoms[u] <= r.atoms[v]) ? l.atoms[u++] : r.atoms[v++];
      mpq_init(x[m].coef), mpq_mul(x[m].coef, a->coef[i], b->coef[j]);
    }
  const ck_poly *r = collect(T, x, m);
  free(x), free(pool);
  return r;
}

static const ck_poly *monomial(ck_terms *T, ck_id t) {
  bool number = ck_head(T, t) == CK_Q;
  entry x = {.mono = {!number, &t}};
  mpq_init(x.coef);
  if (number) mpq_set(x.coef, *ck_q_value(T, t));
  else mpq_set_ui(x.coef, 1, 1);
  return collect(T, &x, 1);
}

const ck_poly *ck_poly_of(ck_terms *T, ck_id t) {
  if (t >= T->n) return NULL;
  if (T->node[t].poly) return T->node[t].poly;
  ck_op op = ck_head(T, t);
  const ck_poly *a = op == CK_ADD || op == CK_MUL ? ck_poly_of(T, ck_kid(T, t, 0)) : monomial(T, t), *b = NULL;
  if (a && (op == CK_ADD || op == CK_MUL)) b = ck_poly_of(T, ck_kid(T, t, 1)), a = op == CK_ADD ? ck_poly_add(T, a, b, NULL) : ck_poly_mul(T, a, b);
  return T->node[t].poly = a;
}

const ck_poly *ck_poly_val(ck_terms *T, ck_id rel) {
  if (!ck_is_rel(T, rel)) return NULL;
  if (T->node[rel].poly) return T->node[rel].poly;
  const ck_poly *a = ck_poly_of(T, ck_kid(T, rel, 0)), *b = ck_poly_of(T, ck_kid(T, rel, 1));
  mpq_t minus;
  mpq_init(minus), mpq_set_si(minus, -1, 1);
  const ck_poly *p = ck_poly_add(T, b, a, minus);
  mpq_clear(minus);
  return T->node[rel].poly = p;
}

bool ck_poly_eq(const ck_poly *a, const ck_poly *b) {
  if (a == NULL || b == NULL || a->n != b->n) return false;
  for (uint32_t i = 0; i < a->n; i++)
    if (compare(&a->mono[i], &b->mono[i]) != 0 || !mpq_equal(a->coef[i], b->coef[i])) return false;
  return true;
}

uint32_t ck_poly_len(const ck_poly *p) { return p->n; }
ck_mono ck_poly_mono(const ck_poly *p, uint32_t i) { return p->mono[i]; }
const mpq_t *ck_poly_coef(const ck_poly *p, uint32_t i) { return (const mpq_t *)&p->coef[i]; }
bool ck_poly_const(const ck_poly *p, mpq_t out) {
  mpq_set_ui(out, 0, 1);
  if (p == NULL || p->n > 1 || (p->n == 1 && p->mono[0].deg > 0)) return false;
  if (p->n == 1) mpq_set(out, p->coef[0]);
  return true;
}
