/* Polynomials with rational coefficients over atoms (RULES.md section 2).  An atom is any term that
 * is no constant, sum or product. */
#include "ck_term.h"
#include <stdlib.h>

/* Beyond these a polynomial is refused: pairs of monomials in one product, degree, weight of all
 * polynomials, limbs of a coefficient. */
enum { MAX_PAIRS = 200000, MAX_DEGREE = 10000, MAX_WEIGHT = 1 << 25, MAX_LIMBS = 1024 };

static int by_mono(const void *a, const void *b) {
  uint32_t x = ((const ck_entry *)a)->mono;
  uint32_t y = ((const ck_entry *)b)->mono;
  return (x > y) - (x < y);
}

static const ck_poly *too_large(ck_terms *T) {
  ck_fail(T, "polynomial too large");
  return NULL;
}

static uint64_t weight(const ck_entry *x) {
  return 1 + mpz_size(mpq_numref(x->coef)) + mpz_size(mpq_denref(x->coef));
}

static bool huge(const mpq_t c) {
  return mpz_size(mpq_numref(c)) > MAX_LIMBS || mpz_size(mpq_denref(c)) > MAX_LIMBS;
}

void ck_poly_done(const ck_poly *p) {
  if (p == NULL || p->kept)
    return;
  CK_BELOW(i, p->n) {
    p->T->weight -= weight(&p->e[i]);
    mpq_clear(p->e[i].coef);
  }
  free(p->e);
  free((void *)p);
}

/* The sum of n entries, which it takes over.  NULL: too large. */
static const ck_poly *collect(ck_terms *T, ck_entry *x, uint32_t n) {
  uint32_t like = 0;
  uint32_t m = 0;
  bool ok = ck_room(T);
  qsort(x, n, sizeof *x, by_mono);
  CK_BELOW(i, n) { /* like monomials are neighbours: add them up */
    if (like == 0 || x[like - 1].mono != x[i].mono) {
      x[like++] = x[i];
    } else {
      if (ok)
        mpq_add(x[like - 1].coef, x[like - 1].coef, x[i].coef);
      mpq_clear(x[i].coef);
    }
    ok = ok && !huge(x[like - 1].coef);
  }
  CK_BELOW(i, like) /* drop zeros */
  {
    if (mpq_sgn(x[i].coef))
      x[m++] = x[i];
    else
      mpq_clear(x[i].coef);
  }
  ck_poly *p = ck_alloc(NULL, sizeof *p);
  *p = (ck_poly){T, false, m, ck_alloc(x, m * sizeof *x)};
  CK_BELOW(i, m)
    T->weight += weight(&p->e[i]);
  if (ok && T->weight <= MAX_WEIGHT)
    return p;
  ck_poly_done(p);
  return too_large(T);
}

static ck_entry entry(uint32_t mono, const mpq_t coef) {
  ck_entry x = {.mono = mono};
  mpq_init(x.coef);
  mpq_set(x.coef, coef);
  return x;
}

const ck_poly *ck_poly_add(ck_terms *T, const ck_poly *a, const ck_poly *b, bool minus) {
  if (a == NULL || b == NULL)
    return NULL;
  ck_entry *x = ck_alloc(NULL, ((size_t)a->n + b->n) * sizeof *x);
  ck_entry *y = x + a->n;
  CK_BELOW(i, a->n)
    x[i] = entry(a->e[i].mono, a->e[i].coef);
  CK_BELOW(i, b->n) {
    y[i] = entry(b->e[i].mono, b->e[i].coef);
    if (minus)
      mpq_neg(y[i].coef, y[i].coef);
  }
  return collect(T, x, a->n + b->n);
}

const ck_poly *ck_poly_mul(ck_terms *T, const ck_poly *a, const ck_poly *b) {
  if (a == NULL || b == NULL)
    return NULL;
  if ((uint64_t)a->n * b->n > MAX_PAIRS)
    return too_large(T);
  ck_entry *x = ck_alloc(NULL, (size_t)a->n * b->n * sizeof *x);
  ck_entry *at = x;
  uint64_t sum = T->weight;
  bool ok = true;
  for (uint32_t i = 0; i < a->n && ok; i++) {
    for (uint32_t j = 0; j < b->n && ok; j++, sum += weight(at++)) {
      ok = ck_room(T) && ck_poly_mono(a, i).deg + ck_poly_mono(b, j).deg <= MAX_DEGREE &&
           sum <= MAX_WEIGHT;
      *at = entry(ok ? ck_merge(T, a->e[i].mono, b->e[j].mono, true) : T->empty, a->e[i].coef);
      mpq_mul(at->coef, at->coef, b->e[j].coef);
    }
  }
  const ck_poly *p = collect(T, x, (uint32_t)(at - x));
  return ok ? p : (ck_poly_done(p), too_large(T));
}

/* a number, or an atom once */
static const ck_poly *monomial(ck_terms *T, ck_id t) {
  const bool number = ck_head(T, t) == CK_Q;
  ck_entry *x = ck_alloc(NULL, sizeof *x);
  x->mono = number ? T->empty : ck_set(T, &t, 1);
  mpq_init(x->coef);
  number ? mpq_set(x->coef, *ck_q_value(T, t)) : mpq_set_ui(x->coef, 1, 1);
  return collect(T, x, 1);
}

const ck_poly *ck_poly_of(ck_terms *T, ck_id t) {
  if (t >= T->nodes.n || ck_head(T, t) == CK_ALL)
    return NULL;
  if (T->node[t].poly)
    return T->node[t].poly;
  const ck_op op = ck_head(T, t);
  const bool two = op == CK_ADD || op == CK_MUL || ck_is_rel(T, t);
  const ck_poly *a = two ? ck_poly_of(T, ck_kid(T, t, 0)) : NULL;
  const ck_poly *b =
      a ? ck_poly_of(T, ck_kid(T, t, 1)) : NULL; /* failures are not kept: no second try */
  const ck_poly *p = !two           ? monomial(T, t)
                     : op == CK_MUL ? ck_poly_mul(T, a, b)
                     : op == CK_ADD ? ck_poly_add(T, a, b, false)
                                    : ck_poly_add(T, b, a, true);
  if (p)
    (T->node[t].poly = (ck_poly *)p)->kept = true;
  return p;
}

bool ck_poly_eq(const ck_poly *a, const ck_poly *b) {
  if (a == NULL || b == NULL || a->n != b->n)
    return false;
  CK_BELOW(i, a->n) {
    if (a->e[i].mono != b->e[i].mono || !mpq_equal(a->e[i].coef, b->e[i].coef))
      return false;
  }
  return true;
}

bool ck_poly_const(const ck_poly *p, mpq_t out) {
  mpq_set_ui(out, 0, 1);
  if (p == NULL || p->n > 1 || (p->n == 1 && ck_poly_mono(p, 0).deg > 0))
    return false;
  if (p->n == 1)
    mpq_set(out, p->e[0].coef);
  return true;
}
