/* The axes of a block without products: those of its result, and those of its folds, which take the
 * places of the result's where a load is read under both. */
#include "rows.h"
#include <string.h>

static bool fail(as_rows *R, const char *why) {
  return as_plan_fail(R->p, why);
}

/* --- axes */
static int axis_in(const as_rows_scope *s, int32_t index) {
  for (; s; s = s->outer) {
    if (s->index == index)
      return (int)s->axis;
  }
  return -1;
}

int as_rows_axis_of(const as_rows *R, const as_rows_scope *s, int32_t index) {
  int inner = axis_in(s, index);
  if (inner >= 0)
    return inner;
  for (unsigned i = 0; i < R->n_out; i++) {
    if (R->axis[i].index == index)
      return (int)i;
  }
  return -1;
}

static bool new_axis(as_rows *R, int32_t index, char letter, long extent, unsigned *out) {
  if (R->n_axis == AS_ROWS_AXES)
    return fail(R, "too many axes");
  as_plan_axis *a = &R->axis[R->n_axis];
  memset(a, 0, sizeof *a);
  a->index = index;
  a->name[0] = letter;
  a->name[1] = (char)('0' + R->n_axis);
  a->name[2] = (char)('a' + R->section);
  a->extent = extent;
  while (1L << a->bits < extent)
    a->bits++;
  a->padded = extent != 1L << a->bits;
  *out = R->n_axis++;
  return true;
}

static as_rows_read *find_read(as_rows *R, as_node_id node) {
  for (unsigned i = 0; i < R->n_read; i++) {
    if (R->load[i].node == node)
      return &R->load[i];
  }
  return NULL;
}

/* a load met under these indices; unknown ones (a fold whose axis is not chosen yet) are left out
 */
static bool note_read(as_rows *R, const as_atom *a, const as_rows_scope *s) {
  as_rows_read *x = find_read(R, a->node);
  if (!x) {
    if (R->n_read == AS_ROWS_LOADS)
      return fail(R, "too many loads");
    x = &R->load[R->n_read++];
    x->node = a->node;
    x->rank = a->n;
    for (unsigned d = 0; d < AS_MAX_RANK; d++)
      x->axis[d] = -1;
  }
  for (uint32_t d = 0; d < a->n; d++) {
    int axis = a->index[d] == AS_INDEX_ZERO ? -1 : as_rows_axis_of(R, s, a->index[d]);
    if (axis < 0)
      continue;
    if (x->axis[d] >= 0 && x->axis[d] != axis)
      return fail(R, "a tile that is read under two different axes");
    x->axis[d] = axis;
  }
  return true;
}

/* the atoms that an expression is made of, not those inside of folds */
bool as_rows_leaves(as_rows *R, as_poly x, const as_rows_scope *s, as_rows_visit *visit) {
  const as_terms *t = R->p->t;
  for (uint32_t i = 0; i < as_poly_monos(t, x); i++) {
    const as_mono *m = as_poly_mono(t, x, i);
    for (uint32_t k = 0; k < m->n; k++) {
      const as_atom *a = as_term_atom(t, m->factor[k].atom);
      as_poly p = a->p;
      as_poly q = a->q;
      if (a->kind < AS_ATOM_EXP) {
        if (!visit(R, m->factor[k].atom, a, s))
          return false;
        continue;
      }
      if ((p != AS_POLY_NONE && !as_rows_leaves(R, p, s, visit)) ||
          (q != AS_POLY_NONE && !as_rows_leaves(R, q, s, visit)))
        return false;
    }
  }
  return true;
}

/* an axis that loads in the body of a fold already have where the fold's index stands; -1 none */
static int known_axis(as_rows *R, as_poly body, int32_t bound) {
  const as_terms *t = R->p->t;
  int found = -1;
  for (uint32_t i = 0; i < as_poly_monos(t, body) && found < 0; i++) {
    const as_mono *m = as_poly_mono(t, body, i);
    for (uint32_t k = 0; k < m->n && found < 0; k++) {
      const as_atom *a = as_term_atom(t, m->factor[k].atom);
      const as_rows_read *x = a->kind == AS_ATOM_LOAD ? find_read(R, a->node) : NULL;
      for (uint32_t d = 0; x && d < a->n && found < 0; d++)
        found = a->index[d] == bound ? x->axis[d] : -1;
      if (a->kind != AS_ATOM_LOAD && found < 0 && a->p != AS_POLY_NONE)
        found = known_axis(R, a->p, bound);
      if (a->kind != AS_ATOM_LOAD && found < 0 && a->q != AS_POLY_NONE)
        found = known_axis(R, a->q, bound);
    }
  }
  return found;
}

static bool note_direct(as_rows *R, uint32_t id, const as_atom *a, const as_rows_scope *s) {
  (void)id;
  return a->kind != AS_ATOM_LOAD || note_read(R, a, s);
}

static bool reads_at(as_rows *R, as_poly body, unsigned axis) {
  const as_terms *t = R->p->t;
  for (uint32_t i = 0; i < as_poly_monos(t, body); i++) {
    const as_mono *m = as_poly_mono(t, body, i);
    for (uint32_t k = 0; k < m->n; k++) {
      const as_atom *a = as_term_atom(t, m->factor[k].atom);
      const as_rows_read *x = a->kind == AS_ATOM_LOAD ? find_read(R, a->node) : NULL;
      for (uint32_t d = 0; x && d < a->n; d++) {
        if (x->axis[d] == (int)axis)
          return true;
      }
      if (a->kind != AS_ATOM_LOAD && ((a->p != AS_POLY_NONE && reads_at(R, a->p, axis)) ||
                                      (a->q != AS_POLY_NONE && reads_at(R, a->q, axis))))
        return true;
    }
  }
  return false;
}

/* The place of another fold's axis of this extent, which no value of this fold has: two sums that
 * know nothing of each other may go over the same registers.  -1 none */
static int free_axis(as_rows *R, const as_atom *fold, const as_rows_scope *s) {
  for (unsigned i = R->n_out; i < R->n_axis; i++) {
    bool used = R->axis[i].extent != fold->extent || reads_at(R, fold->p, i);
    for (const as_rows_scope *o = s; o; o = o->outer)
      used = used || o->axis == i;
    if (!used)
      return (int)i;
  }
  return -1;
}

/* the axis of each fold, inner ones too */
static bool note_fold(as_rows *R, uint32_t id, const as_atom *a, const as_rows_scope *s) {
  unsigned axis = 0;
  if (a->kind == AS_ATOM_LOAD)
    return note_read(R, a, s);
  if (a->kind != AS_ATOM_SUM && a->kind != AS_ATOM_MAX)
    return fail(R, "a value over iterations");
  int known = known_axis(R, a->p, a->bound);
  if (known < 0)
    known = free_axis(R, a, s);
  if (known >= 0)
    axis = (unsigned)known;
  else if (!new_axis(R, a->bound, 'f', a->extent, &axis))
    return false;
  if (R->axis[axis].extent != a->extent)
    return fail(R, "a fold over a part of an axis");
  for (unsigned i = 0; i < R->n_out; i++) {
    if (i == axis && as_poly_uses_index(R->p->t, a->p, R->axis[i].index))
      return fail(R, "a fold over an axis that its value has too");
  }
  for (const as_rows_scope *o = s; o; o = o->outer) {
    if (o->axis == axis && as_poly_uses_index(R->p->t, a->p, o->index))
      return fail(R, "a fold over an axis that its value has too");
  }
  if (R->n_fold == AS_ROWS_VALUES)
    return fail(R, "too many folds");
  R->fold[R->n_fold++] = (as_rows_fold){id, axis};
  as_rows_scope inner = {a->bound, axis, s};
  /* loads before inner folds: these take the axes of what is read directly */
  return as_rows_leaves(R, a->p, &inner, note_direct) && as_rows_leaves(R, a->p, &inner, note_fold);
}

static bool axes_of_output(as_rows *R) {
  const as_plan *p = R->p;
  const as_graph *g = p->b->graph;
  as_node_id of = g->node[R->store[0]].arg[0];
  long dim[AS_MAX_RANK];
  unsigned axis;
  if (!as_block_dims(p->b, of, dim, NULL))
    return fail(R, "a size of a tile");
  for (uint32_t d = 0; d < g->node[of].rank; d++) {
    if (dim[d] < 1)
      return fail(R, "an empty tile");
    if (dim[d] > 1 && !new_axis(R, (int32_t)d, 'o', dim[d], &axis))
      return false;
  }
  R->n_out = R->n_axis;
  for (unsigned i = 0; i < R->n_out; i++)
    R->axis[i].name[0] = (char)('a' + i); /* axes of extent 1 are called o.. */
  return true;
}

bool as_rows_read_axes(as_rows *R) {
  if (!axes_of_output(R))
    return false;
  for (unsigned i = 0; i < R->n_store; i++) {
    if (!as_rows_leaves(R, R->want[i], NULL, note_direct))
      return false;
  }
  for (unsigned i = 0; i < R->n_store; i++) {
    if (!as_rows_leaves(R, R->want[i], NULL, note_fold))
      return false;
  }
  return true;
}
