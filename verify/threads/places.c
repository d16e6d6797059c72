/* Condition 20: whole numbers of places: a tile's indices as the layout says, the block, the
 * iteration.  They are what conditions compare. */
#include "den.h"
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VARIABLES (AS_LAY_DIMS + 4)
#define MOST_NUMBER (1L << 30) /* so that nothing overflows, whatever is added or compared */

typedef struct {
  as_poly term[MOST_VARIABLES];
  double most[MOST_VARIABLES];
  unsigned n;
} variables;

static void add_variable(as_algebra *A, variables *x, as_place place, int index, long extent) {
  x->term[x->n] = as_poly_place(A->t, place, index);
  x->most[x->n++] = (double)extent - 1;
}

/* the most that the expression, and all it is made of, is away from 0; HUGE_VAL: it is not one of
 * whole numbers */
static double magnitude(const as_tg_expr *e, const double *most, unsigned n) {
  char *end;
  if (!e)
    return HUGE_VAL;
  if (e->op == AS_TGS_ARG)
    return e->arg < n ? most[e->arg] : HUGE_VAL;
  if (e->op == AS_TGS_NUM) {
    double v = e->num ? strtod(e->num, &end) : HUGE_VAL;
    return e->num && !*end && !strpbrk(e->num, ".eExXnN") ? fabs(v) : HUGE_VAL;
  }
  double first = magnitude(e->kid[0], most, n);
  double second = as_tg_scalar_arity(e->op) == 2 ? magnitude(e->kid[1], most, n) : 0;
  double both = e->op == AS_TGS_ADD || e->op == AS_TGS_SUB ? first + second
                : e->op == AS_TGS_MUL                      ? first * second
                : e->op == AS_TGS_NEG                      ? first
                                                           : HUGE_VAL;
  return both <= (double)MOST_NUMBER ? both : HUGE_VAL;
}

bool as_den_whole(const as_tg_expr *e, const double *most, unsigned n) {
  return magnitude(e, most, n) <= (double)MOST_NUMBER;
}

/* the block, and the iteration */
static void add_block(as_algebra *A, variables *x, bool in_loop) {
  for (int k = 0; k < 3; k++)
    add_variable(A, x, (as_place)(AS_PLACE_X + k), 0, A->grid[k]);
  if (in_loop)
    add_variable(A, x, AS_PLACE_LOOP, 0, A->g->trip);
}

bool as_den_index_value(as_algebra *A, const as_tg_op *op, bool in_loop, as_den *out) {
  variables x = {.n = 0};
  as_lay lay = as_lay_rename_in(&op->src, "u", "reg");
  out->lay = as_den_order(&lay);
  ENSURE(A, "places of a map that is none", !out->lay.bad && out->lay.n_out <= AS_LAY_DIMS);
  for (unsigned i = 0; i < lay.n_out; i++) {
    int index = as_den_index(A, lay.out[i].name);
    /* an axis of extent 1 has no index in terms, whatever is padded to lie beside its element */
    ENSURE(A, "a place along an unknown axis",
           index >= 0 && A->index_bits[index] == lay.out[i].bits && A->index_live[index] > 1);
    add_variable(A, &x, AS_PLACE_INDEX, index, 1L << lay.out[i].bits);
  }
  add_block(A, &x, in_loop);
  ENSURE(A, "an expression of places that is none of small whole numbers",
         as_den_whole(op->expr, x.most, x.n));
  out->term = as_den_scalar(A, op->expr, x.term, x.n);
  ENSURE(A, "an expression that cannot be read", out->term != AS_POLY_NONE && !as_terms_over(A->t));
  return true;
}

bool as_den_choices(as_algebra *A, const as_tg_op *op, const as_tg_expr *e) {
  if (!e)
    return true;
  for (unsigned i = 0; i < as_tg_scalar_arity(e->op); i++) {
    if (!as_den_choices(A, op, e->kid[i]))
      return false;
  }
  if (e->op != AS_TGS_CHOOSE)
    return true;
  const as_tg_expr *which = e->kid[0];
  ENSURE(A, "a choice by something else than a place",
         which && which->op == AS_TGS_ARG && (int)which->arg < op->n_arg &&
             A->type[op->arg[which->arg]] == AS_INT);
  return true;
}

bool as_den_bound(as_algebra *A, const as_tg_op *sure, bool in_loop, as_poly *out) {
  variables x = {.n = 0};
  add_block(A, &x, in_loop);
  ENSURE(A, "an expression of places that is none of small whole numbers",
         as_den_whole(sure->expr, x.most, x.n));
  ENSURE(A, "a side that a choice does not have", sure->side == 0 || sure->side == 1);
  *out = as_den_scalar(A, sure->expr, x.term, x.n);
  ENSURE(A, "an expression that cannot be read", *out != AS_POLY_NONE && !as_terms_over(A->t));
  return true;
}

/* is it nowhere in the tile negative, whichever the block and the iteration? */
static bool is_never_negative(const as_algebra *A, as_poly p) {
  mpq_t coef;
  mpq_t least;
  mpq_t x;
  bool known = true;
  mpq_inits(coef, least, x, NULL);
  for (uint32_t i = 0; known && i < as_poly_monos(A->t, p); i++) {
    const as_mono *m = as_poly_mono(A->t, p, i);
    const as_atom *a = m->n ? as_term_atom(A->t, m->factor[0].atom) : NULL;
    long most = 1;
    as_term_coef(A->t, m->coef, coef);
    if (a) {
      known = m->n == 1 && m->factor[0].power == 1 && a->kind == AS_ATOM_PLACE &&
              a->node == AS_PLACE_INDEX && a->index[0] >= 0 && a->index[0] < (int32_t)A->n_index;
      most = known && mpq_sgn(coef) < 0 ? (1L << A->index_bits[a->index[0]]) - 1 : 0;
    }
    mpq_set_si(x, most, 1);
    mpq_mul(x, x, coef);
    mpq_add(least, least, x);
  }
  known = known && mpq_sgn(least) >= 0;
  mpq_clears(coef, least, x, NULL);
  return known;
}

bool as_den_sure(as_algebra *A, const as_tg_op *op, const as_tg_expr *e, const as_tg_op *sure,
                 as_poly bound) {
  bool choice = e->op == AS_TGS_CHOOSE;
  if (e->op == AS_TGS_ARG)
    ENSURE(A, "a place that may not be computed", A->type[op->arg[e->arg]] != AS_INT);
  for (unsigned i = choice ? 1 : 0; i < as_tg_scalar_arity(e->op); i++) {
    if (!as_den_sure(A, op, e->kid[i], sure, bound))
      return false;
  }
  if (!choice) /* what it is by was looked at before: as_den_choices */
    return true;
  as_poly place = A->val[op->arg[e->kid[0]->arg]].term;
  if (sure->side) /* negative is: -1 - place is not */
    place = as_poly_add(A->t, as_poly_int(A->t, -1), as_poly_neg(A->t, place));
  as_poly above = as_poly_add(A->t, place, as_poly_neg(A->t, bound));
  ENSURE(A, "a choice that is not sure", is_never_negative(A, above) && !as_terms_over(A->t));
  return true;
}
