/* Terms as expressions of the thread graph: by the operations that they were written with.  A sum
 * of monomials is what terms are compared by; printed from it, a square about a mean would become a
 * difference of large squares.  Nothing is expanded, factored, reassociated or moved here. */
#include "lowering.h"
#include "src/ir/stable.h"
#include "verify/threads/den.h"
#include <gmp.h>
#include <stdlib.h>

#define MOST_NODES 2000u /* of an expression, as a tree */

typedef struct {
  as_tg *g;
  as_terms *t;
  const uint32_t *atoms;
  unsigned n;
  unsigned *nodes;
} context;

static as_tg_expr *of_poly(const context *c, as_poly p);

static as_tg_expr *number(const context *c, const mpq_t v) {
  char *text = mpq_get_str(NULL, 10, v);
  as_tg_expr *e = as_tg_expr_num(c->g, text);
  free(text);
  return e;
}

static bool number_of(const context *c, as_poly p, mpq_t out) {
  if (!as_poly_is_number(c->t, p))
    return false;
  mpq_set_ui(out, 0, 1);
  if (as_poly_monos(c->t, p))
    as_term_coef(c->t, as_poly_mono(c->t, p, 0)->coef, out);
  return true;
}

static as_tg_expr *of_number(const context *c, as_poly p) {
  mpq_t v;
  mpq_init(v);
  as_tg_expr *e = number_of(c, p, v) ? number(c, v) : NULL;
  mpq_clear(v);
  return e;
}

static bool is_number(const context *c, as_poly p, long which) {
  mpq_t v;
  mpq_init(v);
  bool is = number_of(c, p, v) && !mpq_cmp_si(v, which, 1);
  mpq_clear(v);
  return is;
}

/* one argument alone; NULL: it is none */
static as_tg_expr *of_argument(const context *c, as_poly p) {
  if (as_poly_monos(c->t, p) != 1)
    return NULL;
  const as_mono *m = as_poly_mono(c->t, p, 0);
  mpq_t coef;
  mpq_init(coef);
  as_term_coef(c->t, m->coef, coef);
  bool alone = m->n == 1 && m->factor[0].power == 1 && !mpq_cmp_ui(coef, 1, 1);
  mpq_clear(coef);
  for (unsigned i = 0; alone && i < c->n; i++) {
    if (c->atoms[i] == m->factor[0].atom)
      return as_tg_expr_arg(c->g, i);
  }
  return NULL;
}

/* a whole number of places */
static as_tg_expr *of_whole(const context *c, as_poly p) {
  as_tg_expr *sum = NULL;
  for (uint32_t i = 0; i < as_poly_monos(c->t, p); i++) {
    const as_mono *m = as_poly_mono(c->t, p, i);
    mpq_t coef;
    mpq_init(coef);
    as_term_coef(c->t, m->coef, coef);
    as_tg_expr *term = m->n && !mpq_cmp_ui(coef, 1, 1) ? NULL : number(c, coef);
    mpq_clear(coef);
    for (uint32_t k = 0; k < m->n; k++) {
      as_tg_expr *place = of_argument(c, as_poly_power(c->t, m->factor[k].atom, 1));
      if (!place || m->factor[k].power != 1)
        return NULL;
      term = term ? as_tg_expr_new(c->g, AS_TGS_MUL, place, term) : place;
    }
    sum = sum ? as_tg_expr_new(c->g, AS_TGS_ADD, sum, term) : term;
  }
  return sum;
}

static as_tg_expr *apply(const context *c, as_tg_scalar op, as_poly x, as_poly y) {
  as_tg_expr *left = of_poly(c, x);
  as_tg_expr *right = as_tg_scalar_arity(op) == 2 ? of_poly(c, y) : NULL;
  bool whole = left && (right || as_tg_scalar_arity(op) < 2);
  return whole ? as_tg_expr_new(c->g, op, left, right) : NULL;
}

/* Of a number the inverse is a number, rounded once; that of a root is one instruction, and neither
 * the root nor its inverse leaves the range of floats. */
static as_tg_expr *quotient(const context *c, as_poly x, as_poly y) {
  mpq_t v;
  as_tg_expr *over = is_number(c, x, 1) ? NULL : of_poly(c, x);
  as_tg_expr *inverse = NULL;
  as_written root = as_poly_written(c->t, y);
  mpq_init(v);
  if (number_of(c, y, v) && mpq_sgn(v)) {
    mpq_inv(v, v);
    inverse = number(c, v);
  } else if (root.op == AS_WRITTEN_SQRT) {
    inverse = apply(c, AS_TGS_RSQRT, root.kid[0], AS_POLY_NONE);
  }
  mpq_clear(v);
  if (is_number(c, x, 1))
    return inverse ? inverse : apply(c, AS_TGS_INV, y, AS_POLY_NONE);
  if (inverse)
    return over ? as_tg_expr_new(c->g, AS_TGS_MUL, over, inverse) : NULL;
  return apply(c, AS_TGS_DIV, x, y);
}

/* by a number that is 0 or 1, both values being numbers: none of them is lost beside the other */
static as_tg_expr *choice_of_numbers(const context *c, const as_written *w) {
  as_tg_expr *is = of_poly(c, w->kid[0]);
  as_tg_expr *value[2] = {of_poly(c, w->kid[1]), of_poly(c, w->kid[2])};
  if (!is || !value[0] || !value[1])
    return NULL;
  as_tg_expr *is_not = as_tg_expr_new(c->g, AS_TGS_SUB, as_tg_expr_num(c->g, "1"), is);
  as_tg_expr *first = as_tg_expr_new(c->g, AS_TGS_MUL, is, value[0]);
  as_tg_expr *second = as_tg_expr_new(c->g, AS_TGS_MUL, is_not, value[1]);
  if (is_number(c, w->kid[2], 0))
    return is_number(c, w->kid[1], 1) ? is : first;
  if (is_number(c, w->kid[1], 0))
    return is_number(c, w->kid[2], 1) ? is_not : second;
  return as_tg_expr_new(c->g, AS_TGS_ADD, first, second);
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

/* --- functions that are computed otherwise than they are written */
static as_shape shape_of(const void *of, as_scalar_ref e) {
  static const as_shape shapes[] = {
      [AS_WRITTEN_ADD] = AS_SHAPE_ADD, [AS_WRITTEN_SUB] = AS_SHAPE_SUB,
      [AS_WRITTEN_MUL] = AS_SHAPE_MUL, [AS_WRITTEN_DIV] = AS_SHAPE_DIV,
      [AS_WRITTEN_NEG] = AS_SHAPE_NEG, [AS_WRITTEN_EXP] = AS_SHAPE_EXP,
      [AS_WRITTEN_LOG] = AS_SHAPE_LOG, [AS_WRITTEN_CHOOSE] = AS_SHAPE_OTHER};
  const context *c = of;
  if (as_poly_is_number(c->t, (as_poly)e))
    return AS_SHAPE_NUMBER;
  return shapes[as_poly_written(c->t, (as_poly)e).op];
}

static as_scalar_ref kid_of(const void *of, as_scalar_ref e, int i) {
  const context *c = of;
  return as_poly_written(c->t, (as_poly)e).kid[i];
}

static double value_of(const void *of, as_scalar_ref e) {
  mpq_t v;
  mpq_init(v);
  number_of(of, (as_poly)e, v);
  double value = mpq_get_d(v);
  mpq_clear(v);
  return value;
}

static bool same(const void *of, as_scalar_ref x, as_scalar_ref y) {
  (void)of;
  return x == y;
}

/* NULL: it is none, or is it by more than normal forms tell */
static as_tg_expr *stable(const context *c, as_poly p) {
  static const as_tg_scalar functions[] = {[AS_STABLE_EXPM1] = AS_TGS_EXPM1,
                                           [AS_STABLE_ONE_LESS_EXP] = AS_TGS_ONE_LESS_EXP,
                                           [AS_STABLE_LOG1P] = AS_TGS_LOG1P,
                                           [AS_STABLE_LOG1M] = AS_TGS_LOG1M,
                                           [AS_STABLE_SOFTPLUS] = AS_TGS_SOFTPLUS,
                                           [AS_STABLE_SIGMOID] = AS_TGS_SIGMOID,
                                           [AS_STABLE_TANH] = AS_TGS_TANH,
                                           [AS_STABLE_TANH_LOG1P] = AS_TGS_TANH_LOG1P,
                                           [AS_STABLE_ONE_MORE_TANH] = AS_TGS_ONE_MORE_TANH,
                                           [AS_STABLE_ONE_LESS_TANH] = AS_TGS_ONE_LESS_TANH};
  as_scalar_view view = {c, shape_of, kid_of, value_of, same};
  as_scalar_ref x;
  as_stable form = as_stable_form(&view, p, &x);
  if (form == AS_STABLE_NONE || as_den_apply(c->t, functions[form], (as_poly)x, AS_POLY_NONE) != p)
    return NULL;
  return apply(c, functions[form], (as_poly)x, AS_POLY_NONE);
}

static as_tg_expr *of_written(const context *c, as_poly p) {
  static const as_tg_scalar operations[] = {
      [AS_WRITTEN_ADD] = AS_TGS_ADD,  [AS_WRITTEN_SUB] = AS_TGS_SUB,
      [AS_WRITTEN_MUL] = AS_TGS_MUL,  [AS_WRITTEN_NEG] = AS_TGS_NEG,
      [AS_WRITTEN_EXP] = AS_TGS_EXP,  [AS_WRITTEN_SQRT] = AS_TGS_SQRT,
      [AS_WRITTEN_LOG] = AS_TGS_LOG,  [AS_WRITTEN_ABS] = AS_TGS_ABS,
      [AS_WRITTEN_ERF] = AS_TGS_ERF,  [AS_WRITTEN_ZERO] = AS_TGS_ZERO,
      [AS_WRITTEN_MAX2] = AS_TGS_MAX, [AS_WRITTEN_MIN2] = AS_TGS_MIN,
  };
  as_written w = as_poly_written(c->t, p);
  as_tg_expr *function = stable(c, p);
  if (function)
    return function;
  switch (w.op) {
  case AS_WRITTEN_NOT:
    return NULL;
  case AS_WRITTEN_DIV:
    return quotient(c, w.kid[0], w.kid[1]);
  case AS_WRITTEN_CHOOSE:
    return choice_of_numbers(c, &w);
  default:
    return apply(c, operations[w.op], w.kid[0], w.kid[1]);
  }
}

static as_tg_expr *of_poly(const context *c, as_poly p) {
  uint32_t condition = as_poly_condition(c->t, p);
  if (++*c->nodes > MOST_NODES || as_terms_over(c->t))
    return NULL;
  if (condition != AS_TERM_NONE)
    return choice(c, p, condition);
  as_tg_expr *leaf = of_number(c, p);
  if (!leaf)
    leaf = of_argument(c, p);
  if (!leaf && as_poly_is_whole(c->t, p))
    return of_whole(c, p);
  return leaf ? leaf : of_written(c, p);
}

as_tg_expr *as_term_expr(as_tg *g, as_terms *t, as_poly p, const uint32_t *atoms, unsigned n) {
  unsigned nodes = 0;
  context c = {.g = g, .t = t, .atoms = atoms, .n = n, .nodes = &nodes};
  return of_poly(&c, p);
}
