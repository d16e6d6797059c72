/* Polynomials with rational coefficients over atoms (RULES.md section 1).  An atom is any term that is no constant, sum or product. */
#include "ck_term_impl.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_PAIRS = 200000 };

struct ck_poly {
  uint32_t n;
  ck_mono *mono; /* increasing by compare() */
  mpq_t *coef;   /* none is zero */
  ck_poly *next;
};

static int compare(const ck_mono *a, const ck_mono *b) {
  for (uint32_t i = 0; i < a->deg && i < b->deg; i++)
    if (a->atoms[i] != b->atoms[i]) return a->atoms[i] < b->atoms[i] ? -1 : 1;
  return (a->deg > b->deg) - (a->deg < b->deg);
}

static ck_poly *fresh(ck_terms *T, uint32_t room) {
  ck_poly *p = ck_alloc(NULL, sizeof *p);
  p->n = 0;
  p->mono = ck_alloc(NULL, room * sizeof *p->mono);
  p->coef = ck_alloc(NULL, room * sizeof *p->coef);
  p->next = T->polys;
  T->polys = p;
  return p;
}

ck_poly *ck_poly_mark(ck_terms *T) { return T->polys; }
void ck_poly_release(ck_terms *T, ck_poly *mark) {
  while (T->polys != mark) {
    ck_poly *p = T->polys;
    T->polys = p->next;
    for (uint32_t i = 0; i < p->n; i++) mpq_clear(p->coef[i]), free((void *)p->mono[i].atoms);
    free(p->mono), free(p->coef), free(p);
  }
}
void ck_poly_free_all(ck_terms *T) { ck_poly_release(T, NULL); }

/* appends scale * coef * (a b as one sorted monomial); b may be NULL */
static void push(ck_poly *p, const ck_mono *a, const ck_mono *b, const mpq_t coef, const mpq_t scale) {
  uint32_t nb = b ? b->deg : 0, i = 0, j = 0;
  ck_id *x = ck_alloc(NULL, (a->deg + nb) * sizeof *x);
  while (i < a->deg || j < nb) {
    bool left = j == nb || (i < a->deg && a->atoms[i] <= b->atoms[j]);
    x[i + j] = left ? a->atoms[i] : b->atoms[j];
    if (left)
      i++;
    else
      j++;
  }
  p->mono[p->n] = (ck_mono){a->deg + nb, x};
  mpq_init(p->coef[p->n]);
  mpq_mul(p->coef[p->n], coef, scale);
  p->n++;
}

const ck_poly *ck_poly_add(ck_terms *T, const ck_poly *a, const ck_poly *b, const mpq_t scale) {
  if (a == NULL || b == NULL) return NULL;
  if (b->n == 0 || mpq_sgn(scale) == 0) return a;
  ck_poly *r = fresh(T, a->n + b->n);
  mpq_t one, sum;
  mpq_inits(one, sum, NULL);
  mpq_set_ui(one, 1, 1);
  for (uint32_t i = 0, j = 0; i < a->n || j < b->n;) {
    int c = i == a->n ? 1 : j == b->n ? -1 : compare(&a->mono[i], &b->mono[j]);
    if (c < 0)
      push(r, &a->mono[i], NULL, a->coef[i], one), i++;
    else if (c > 0)
      push(r, &b->mono[j], NULL, b->coef[j], scale), j++;
    else {
      mpq_mul(sum, b->coef[j], scale);
      mpq_add(sum, sum, a->coef[i]);
      if (mpq_sgn(sum) != 0) push(r, &a->mono[i], NULL, sum, one);
      i++, j++;
    }
  }
  mpq_clears(one, sum, NULL);
  return r;
}

typedef struct { ck_mono mono; mpq_t coef; } product;
static int by_mono(const void *a, const void *b) { return compare(&((const product *)a)->mono, &((const product *)b)->mono); }

const ck_poly *ck_poly_mul(ck_terms *T, const ck_poly *a, const ck_poly *b) {
  if (a == NULL || b == NULL) return NULL;
  if ((uint64_t)a->n * b->n > MAX_PAIRS) return ck_fail(T, "polynomial too large"), NULL;
  uint32_t n = a->n * b->n;
  ck_poly *all = fresh(T, n);
  for (uint32_t i = 0; i < a->n; i++)
    for (uint32_t j = 0; j < b->n; j++) push(all, &a->mono[i], &b->mono[j], a->coef[i], b->coef[j]);
  product *x = ck_alloc(NULL, n * sizeof *x);
  for (uint32_t i = 0; i < n; i++) x[i].mono = all->mono[i], x[i].coef[0] = all->coef[i][0];
  if (n) qsort(x, n, sizeof *x, by_mono);
  all->n = 0;
  for (uint32_t i = 0; i < n; i++) { /* equal monomials are neighbours: add them up, drop zeros */
    uint32_t last = all->n;
    if (last > 0 && compare(&all->mono[last - 1], &x[i].mono) == 0) {
      mpq_add(all->coef[last - 1], all->coef[last - 1], x[i].coef);
      mpq_clear(x[i].coef);
      free((void *)x[i].mono.atoms);
      continue;
    }
    if (last > 0 && mpq_sgn(all->coef[last - 1]) == 0) {
      all->n = --last;
      mpq_clear(all->coef[last]);
      free((void *)all->mono[last].atoms);
    }
    all->mono[last] = x[i].mono;
    all->coef[last][0] = x[i].coef[0];
    all->n = last + 1;
  }
  if (all->n > 0 && mpq_sgn(all->coef[all->n - 1]) == 0) {
    all->n--;
    mpq_clear(all->coef[all->n]);
    free((void *)all->mono[all->n].atoms);
  }
  free(x);
  return all;
}

const ck_poly *ck_poly_of(ck_terms *T, ck_id t) {
  if (t >= T->n) return NULL;
  if (T->node[t].poly) return T->node[t].poly;
  ck_op op = ck_head(T, t);
  const ck_poly *p = NULL;
  mpq_t one;
  mpq_init(one);
  mpq_set_ui(one, 1, 1);
  if (op == CK_ADD || op == CK_MUL) {
    const ck_poly *a = ck_poly_of(T, ck_kid(T, t, 0)), *b = ck_poly_of(T, ck_kid(T, t, 1));
    p = op == CK_ADD ? ck_poly_add(T, a, b, one) : ck_poly_mul(T, a, b);
  } else {
    ck_poly *r = fresh(T, 1);
    if (op != CK_Q)
      push(r, &(ck_mono){1, &t}, NULL, one, one);
    else if (mpq_sgn(*ck_q_value(T, t)) != 0)
      push(r, &(ck_mono){0, NULL}, NULL, *ck_q_value(T, t), one);
    p = r;
  }
  mpq_clear(one);
  T->node[t].poly = p;
  return p;
}

const ck_poly *ck_poly_val(ck_terms *T, ck_id rel) {
  if (!ck_is_rel(T, rel)) return NULL;
  if (T->node[rel].poly) return T->node[rel].poly;
  mpq_t minus;
  mpq_init(minus);
  mpq_set_si(minus, -1, 1);
  const ck_poly *p = ck_poly_add(T, ck_poly_of(T, ck_kid(T, rel, 1)), ck_poly_of(T, ck_kid(T, rel, 0)), minus);
  mpq_clear(minus);
  T->node[rel].poly = p;
  return p;
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
