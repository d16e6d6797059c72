/* Whole numbers of places: what conditions compare, and what is computed of a tile's place. */
#include "lowering.h"
#include "src/base/id.h"
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  as_plan *p;
  as_tg *g;
  const as_place_axis *axis;
  unsigned n;      /* axes that the number may have */
  unsigned n_used; /* those that it has */
  const char *used[AS_LAY_DIMS];
} reader;

static int axis_number(const reader *r, int32_t index) {
  for (unsigned i = 0; i < r->n; i++) {
    if (r->axis[i].index == index)
      return (int)i;
  }
  return -1;
}

static bool note_axes(reader *r, as_poly x) {
  const as_terms *t = r->p->t;
  for (uint32_t i = 0; i < as_poly_monos(t, x); i++) {
    const as_mono *m = as_poly_mono(t, x, i);
    const as_atom *a = m->n ? as_term_atom(t, m->factor[0].atom) : NULL;
    if (!a || a->node != AS_PLACE_INDEX)
      continue;
    int which = axis_number(r, a->index[0]);
    if (which < 0 || r->n_used == AS_LAY_DIMS)
      return as_plan_fail(r->p, "a place along an axis that the value does not have");
    bool seen = false;
    for (unsigned k = 0; k < r->n_used; k++)
      seen = seen || !strcmp(r->used[k], r->axis[which].name);
    if (!seen)
      r->used[r->n_used++] = r->axis[which].name;
  }
  return true;
}

/* the place's variable in an expression of `index` */
static as_tg_expr *variable(const reader *r, const as_atom *a) {
  if (a->node != AS_PLACE_INDEX)
    return as_tg_expr_arg(r->g, r->n_used + a->node - AS_PLACE_X);
  const char *name = r->axis[axis_number(r, a->index[0])].name;
  unsigned which = 0;
  while (strcmp(r->used[which], name) != 0)
    which++;
  return as_tg_expr_arg(r->g, which);
}

static as_tg_expr *affine(const reader *r, as_poly x) {
  const as_terms *t = r->p->t;
  as_tg_expr *sum = NULL;
  mpq_t coef;
  mpq_init(coef);
  for (uint32_t i = 0; i < as_poly_monos(t, x); i++) {
    const as_mono *m = as_poly_mono(t, x, i);
    as_term_coef(t, m->coef, coef);
    char *text = mpq_get_str(NULL, 10, coef);
    as_tg_expr *term = as_tg_expr_num(r->g, text);
    free(text);
    if (m->n && !mpq_cmp_ui(coef, 1, 1))
      term = variable(r, as_term_atom(t, m->factor[0].atom));
    else if (m->n)
      term =
          as_tg_expr_new(r->g, AS_TGS_MUL, variable(r, as_term_atom(t, m->factor[0].atom)), term);
    sum = sum ? as_tg_expr_new(r->g, AS_TGS_ADD, sum, term) : term;
  }
  mpq_clear(coef);
  return sum;
}

bool as_place_value(as_plan *p, as_tg *g, as_tg_op *in, uint32_t atom, const as_lay *lay,
                    const as_place_axis *axis, unsigned n, int v) {
  reader r = {.p = p, .g = g, .axis = axis, .n = n};
  const as_atom a = *as_term_atom(p->t, atom);
  as_poly number = a.kind == AS_ATOM_COND ? a.p : as_poly_atom(p->t, &a);
  if (!note_axes(&r, number))
    return false;
  as_lay at = as_lay_take(lay, r.used, r.n_used);
  as_tg_op *op = as_tg_add(g, in, AS_TG_INDEX, 'c');
  op->v = v;
  op->src = as_lay_rename_in(&at, "reg", "u");
  op->expr = affine(&r, number);
  return true;
}
