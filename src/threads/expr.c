/* Terms as expressions of the thread graph. */
#include "lowering.h"
#include <gmp.h>
#include <stdlib.h>
#define MOST_MONOMIALS 16u /* of a product of two named values */
#define LARGE 4096u        /* a coefficient beside which elements lose digits */
#define MOST_FACTORS 16u   /* of a monomial that are looked at for what others have, too */

typedef struct {
  as_tg *g;
  as_terms *t;
  const uint32_t *atoms;
  unsigned n;
  const as_poly *named; /* values that may be worth computing by themselves */
  unsigned n_named;
} context;

static as_tg_expr *of_poly(const context *c, as_poly p);

static as_tg_expr *number(const context *c, const mpq_t v) {
  char *text = mpq_get_str(NULL, 10, v);
  as_tg_expr *e = as_tg_expr_num(c->g, text);
  free(text);
  return e;
}

static as_tg_expr *of_atom(const context *c, uint32_t atom) {
  static const as_tg_scalar functions[] = {
      [AS_ATOM_EXP] = AS_TGS_EXP,  [AS_ATOM_SQRT] = AS_TGS_SQRT, [AS_ATOM_LOG] = AS_TGS_LOG,
      [AS_ATOM_ABS] = AS_TGS_ABS,  [AS_ATOM_ERF] = AS_TGS_ERF,   [AS_ATOM_MAX2] = AS_TGS_MAX,
      [AS_ATOM_MIN2] = AS_TGS_MIN, [AS_ATOM_ZERO] = AS_TGS_ZERO,
  };
  for (unsigned i = 0; i < c->n; i++) {
    if (c->atoms[i] == atom)
      return as_tg_expr_arg(c->g, i);
  }
  const as_atom *a = as_term_atom(c->t, atom);
  if (a->kind == AS_ATOM_POLY)
    return of_poly(c, a->p);
  if (a->kind < AS_ATOM_EXP)
    return NULL;
  as_tg_expr *x = of_poly(c, a->p);
  as_tg_expr *y = a->q != AS_POLY_NONE ? of_poly(c, a->q) : NULL;
  if (!x || (a->q != AS_POLY_NONE && !y))
    return NULL;
  return as_tg_expr_new(c->g, functions[a->kind], x, y);
}

static as_tg_expr *product(const context *c, as_tg_expr *x, as_tg_expr *y) {
  return x ? as_tg_expr_new(c->g, AS_TGS_MUL, x, y) : y;
}

typedef struct { /* a monomial, or what is left of one */
  const as_mono *m;
  int taken[MOST_FACTORS]; /* of a factor's power, taken out, by place */
  bool unit;               /* its coefficient was taken out */
} part;

static int power_left(const part *p, uint32_t i) {
  int power = p->m->factor[i].power;
  int taken = i < MOST_FACTORS ? p->taken[i] : 0;
  return power < 0 ? power + taken : power - taken;
}

static as_tg_expr *of_part(const context *c, const part *p) {
  as_tg_expr *over = NULL;  /* factors */
  as_tg_expr *under = NULL; /* divisors */
  const as_mono *m = p->m;
  mpq_t v;
  for (uint32_t i = 0; i < m->n; i++) {
    int power = power_left(p, i);
    for (int k = 0; k < abs(power); k++) {
      const as_atom *a = as_term_atom(c->t, m->factor[i].atom);
      if (power < 0 && a->kind == AS_ATOM_SQRT) { /* one instruction */
        as_tg_expr *x = of_poly(c, a->p);
        if (!x)
          return NULL;
        over = product(c, over, as_tg_expr_new(c->g, AS_TGS_RSQRT, x, NULL));
        continue;
      }
      as_tg_expr *x = of_atom(c, m->factor[i].atom);
      if (!x)
        return NULL;
      if (power > 0)
        over = product(c, over, x);
      else
        under = product(c, under, x);
    }
  }
  mpq_init(v);
  as_term_coef(c->t, m->coef, v);
  if (p->unit)
    mpq_set_ui(v, 1, 1);
  if (mpq_cmp_ui(v, 1, 1) || (!over && !under))
    over = product(c, over, number(c, v));
  mpq_clear(v);
  if (under)
    over = product(c, over, as_tg_expr_new(c->g, AS_TGS_INV, under, NULL));
  return over;
}

typedef struct { /* what may be taken out of a sum: a factor, or the inverse of a root */
  uint32_t atom;
  bool inverse;
} factor;

/* the place of a factor in what is left of a monomial; -1 it has none */
static int place_of(const part *p, factor f) {
  for (uint32_t i = 0; i < p->m->n && i < MOST_FACTORS; i++) {
    int power = power_left(p, i);
    if (p->m->factor[i].atom == f.atom && (f.inverse ? power < 0 : power > 0))
      return (int)i;
  }
  return -1;
}

static bool may_be_taken(const context *c, const part *p, uint32_t i, factor *f) {
  int power = power_left(p, i);
  *f = (factor){p->m->factor[i].atom, power < 0};
  return power > 0 || as_term_atom(c->t, f->atom)->kind == AS_ATOM_SQRT;
}

static unsigned parts_with(const part *p, unsigned n, factor f) {
  unsigned found = 0;
  for (unsigned i = 0; i < n; i++)
    found += place_of(&p[i], f) >= 0;
  return found;
}

/* What two monomials or more have as a factor: a function's value before all else, since it costs
 * most, then what most of them have. */
static bool shared_factor(const context *c, const part *p, unsigned n, factor *out) {
  unsigned best = 1;
  bool function = false;
  for (unsigned i = 0; i < n; i++) {
    for (uint32_t k = 0; k < p[i].m->n && k < MOST_FACTORS; k++) {
      factor f;
      if (!may_be_taken(c, &p[i], k, &f))
        continue;
      bool is = as_term_atom(c->t, f.atom)->kind >= AS_ATOM_EXP;
      unsigned found = parts_with(p, n, f);
      if (found < 2 || (function && !is) || (is == function && found <= best))
        continue;
      best = found;
      function = is;
      *out = f;
    }
  }
  return best > 1;
}

static as_tg_expr *of_parts(const context *c, part *p, unsigned n);

static as_tg_expr *of_factor(const context *c, factor f) {
  if (!f.inverse)
    return of_atom(c, f.atom);
  as_tg_expr *x = of_poly(c, as_term_atom(c->t, f.atom)->p);
  return x ? as_tg_expr_new(c->g, AS_TGS_RSQRT, x, NULL) : NULL;
}

/* (what has the factor) * factor + the rest */
static as_tg_expr *factored(const context *c, part *p, unsigned n, factor f) {
  part *with = as_malloc(n * sizeof *with);
  unsigned n_with = 0;
  unsigned rest = 0;
  for (unsigned i = 0; i < n; i++) {
    int k = place_of(&p[i], f);
    if (k < 0) {
      p[rest++] = p[i];
      continue;
    }
    with[n_with] = p[i];
    with[n_with++].taken[k]++;
  }
  as_tg_expr *x = of_factor(c, f);
  as_tg_expr *y = x ? of_parts(c, with, n_with) : NULL;
  as_tg_expr *sum = y ? as_tg_expr_new(c->g, AS_TGS_MUL, y, x) : NULL;
  free(with);
  if (!sum || !rest)
    return sum;
  as_tg_expr *z = of_parts(c, p, rest);
  return z ? as_tg_expr_new(c->g, AS_TGS_ADD, z, sum) : NULL;
}

/* one coefficient of all, other than 1: multiplied with at the end */
static bool same_coefficient(const part *p, unsigned n) {
  bool same = n > 1;
  for (unsigned i = 0; i < n; i++)
    same = same && !p[i].unit && p[i].m->coef == p[0].m->coef;
  return same;
}

static as_tg_expr *of_parts(const context *c, part *p, unsigned n) {
  as_tg_expr *sum = NULL;
  factor shared;
  mpq_t v;
  if (shared_factor(c, p, n, &shared))
    return factored(c, p, n, shared);
  bool common = same_coefficient(p, n);
  for (unsigned i = 0; i < n; i++) {
    p[i].unit = p[i].unit || common;
    as_tg_expr *x = of_part(c, &p[i]);
    if (!x)
      return NULL;
    sum = sum ? as_tg_expr_new(c->g, AS_TGS_ADD, sum, x) : x;
  }
  if (!common)
    return sum;
  mpq_init(v);
  as_term_coef(c->t, p[0].m->coef, v);
  if (mpq_cmp_ui(v, 1, 1))
    sum = product(c, sum, number(c, v));
  mpq_clear(v);
  return sum;
}

/* by cases of a condition; NULL: what it compares is no argument */
static as_tg_expr *choice(const context *c, as_poly p, uint32_t condition) {
  unsigned which = 0;
  while (which < c->n && c->atoms[which] != condition)
    which++;
  if (which == c->n)
    return NULL;
  as_tg_expr *is = of_poly(c, as_poly_where(c->t, p, condition, true));
  as_tg_expr *is_not = of_poly(c, as_poly_where(c->t, p, condition, false));
  if (!is || !is_not)
    return NULL;
  return as_tg_expr_choose(c->g, as_tg_expr_arg(c->g, which), is, is_not);
}

static unsigned monomials(const context *c, as_poly p) {
  return as_poly_monos(c->t, p);
}

/* As a product of two named values: squares and products of sums, which as sums of monomials are
 * longer, and none of which would be computed for the others, too.  NULL: it is none */
static as_tg_expr *product_of_named(const context *c, as_poly p) {
  context plain = *c;
  plain.n_named = 0;
  for (unsigned i = 0; i < c->n_named; i++) {
    for (unsigned k = i; k < c->n_named; k++) {
      as_poly x = c->named[i];
      as_poly y = c->named[k];
      if (x == p || y == p || monomials(c, x) * monomials(c, y) > MOST_MONOMIALS ||
          as_poly_mul(c->t, x, y) != p)
        continue;
      as_tg_expr *a = of_poly(&plain, x);
      as_tg_expr *b = of_poly(&plain, y);
      return a && b ? as_tg_expr_new(c->g, AS_TGS_MUL, a, b) : NULL;
    }
  }
  return NULL;
}

/* A mask's value, that is -10^30 + 10^30 w, is 0 or large: it is added up before anything is that
 * would be lost beside one of the two. */
static bool is_large(const context *c, const as_mono *m) {
  mpq_t v;
  mpq_init(v);
  as_term_coef(c->t, m->coef, v);
  mpq_abs(v, v);
  bool large = mpq_cmp_ui(v, LARGE, 1) >= 0;
  mpq_clear(v);
  return large;
}

static as_tg_expr *sum_of(const context *c, as_tg_expr *x, as_tg_expr *y) {
  return x && y ? as_tg_expr_new(c->g, AS_TGS_ADD, x, y) : NULL;
}

static as_tg_expr *in_order(const context *c, as_poly p, part *parts) {
  unsigned n = as_poly_monos(c->t, p);
  for (unsigned i = 0; i < n; i++)
    parts[i].m = as_poly_mono(c->t, p, i);
  return of_parts(c, parts, n);
}

static as_tg_expr *of_poly(const context *c, as_poly p) {
  as_tg_expr *both = product_of_named(c, p);
  if (both)
    return both;
  uint32_t condition = as_poly_condition(c->t, p);
  if (condition != AS_TERM_NONE)
    return choice(c, p, condition);
  unsigned n = as_poly_monos(c->t, p);
  unsigned n_large = 0;
  part *parts = as_calloc(n + 1, sizeof *parts);
  for (unsigned i = 0; i < n; i++) {
    if (is_large(c, as_poly_mono(c->t, p, i)))
      parts[n_large++].m = as_poly_mono(c->t, p, i);
  }
  unsigned filled = n_large;
  for (unsigned i = 0; i < n; i++) {
    if (!is_large(c, as_poly_mono(c->t, p, i)))
      parts[filled++].m = as_poly_mono(c->t, p, i);
  }
  as_tg_expr *sum = NULL;
  if (n_large > 1 && n_large < n)
    sum = sum_of(c, of_parts(c, parts, n_large), of_parts(c, parts + n_large, n - n_large));
  else
    sum = n ? in_order(c, p, parts) : as_tg_expr_num(c->g, "0");
  free(parts);
  return sum;
}

as_tg_expr *as_term_expr(as_tg *g, as_terms *t, as_poly p, const uint32_t *atoms, unsigned n) {
  return as_term_expr_by(g, t, p, atoms, n, NULL, 0);
}

as_tg_expr *as_term_expr_by(as_tg *g, as_terms *t, as_poly p, const uint32_t *atoms, unsigned n,
                            const as_poly *named, unsigned n_named) {
  context c = {.g = g, .t = t, .atoms = atoms, .n = n, .named = named, .n_named = n_named};
  return of_poly(&c, p);
}
