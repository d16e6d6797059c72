/* Condition 20: whole numbers of places: a tile's indices as the layout says, the block, the
 * iteration.  They are what conditions compare. */
#include "den.h"
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

bool as_den_index_value(as_algebra *A, const as_tg_op *op, bool in_loop, as_den *out) {
  const as_block *block = &A->b->graph->block[A->b->block];
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
  for (int k = 0; k < 3; k++) {
    long blocks;
    as_err err;
    as_err_init(&err);
    bool ok = as_block_size(A->b, block->grid[k], &blocks, &err);
    as_err_clear(&err);
    ENSURE(A, "a size of the grid", ok);
    add_variable(A, &x, (as_place)(AS_PLACE_X + k), 0, blocks);
  }
  if (in_loop)
    add_variable(A, &x, AS_PLACE_LOOP, 0, A->g->trip);
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
