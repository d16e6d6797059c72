/* Terms as expressions of the thread graph. */
#include "lowering.h"
#include <gmp.h>
#include <stdlib.h>

typedef struct {
  as_tg *g;
  const as_terms *t;
  const uint32_t *atoms;
  unsigned n;
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
      [AS_ATOM_MIN2] = AS_TGS_MIN,
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

static as_tg_expr *of_mono(const context *c, const as_mono *m) {
  as_tg_expr *over = NULL;  /* factors */
  as_tg_expr *under = NULL; /* divisors */
  mpq_t v;
  for (uint32_t i = 0; i < m->n; i++) {
    int power = m->factor[i].power;
    for (int k = 0; k < abs(power); k++) {
      const as_atom *a = as_term_atom(c->t, m->factor[i].atom);
      if (power == -1 && a->kind == AS_ATOM_SQRT) { /* one instruction */
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
  if (mpq_cmp_ui(v, 1, 1) || (!over && !under))
    over = product(c, over, number(c, v));
  mpq_clear(v);
  if (under)
    over = product(c, over, as_tg_expr_new(c->g, AS_TGS_INV, under, NULL));
  return over;
}

static as_tg_expr *of_poly(const context *c, as_poly p) {
  as_tg_expr *sum = NULL;
  for (uint32_t i = 0; i < as_poly_monos(c->t, p); i++) {
    as_tg_expr *x = of_mono(c, as_poly_mono(c->t, p, i));
    if (!x)
      return NULL;
    sum = sum ? as_tg_expr_new(c->g, AS_TGS_ADD, sum, x) : x;
  }
  return sum ? sum : as_tg_expr_num(c->g, "0");
}

as_tg_expr *as_term_expr(as_tg *g, const as_terms *t, as_poly p, const uint32_t *atoms,
                         unsigned n) {
  context c = {.g = g, .t = t, .atoms = atoms, .n = n};
  return of_poly(&c, p);
}
