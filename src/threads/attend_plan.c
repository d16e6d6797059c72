/* Reads what a block stores as two chained products.  Operators have no names here: a score is a
 * sum of products of an element with the row's index and one with the key's; what is summed over
 * the keys is any expression of it, times an element with the column's index or alone. */
#include "attend.h"
#include <stdlib.h>
#include <string.h>

/* a load at these two indices and no other; AS_INDEX_ZERO asks for nothing */
static bool read_at(const as_atom *a, int32_t x, int32_t y) {
  if (a->kind != AS_ATOM_LOAD)
    return false;
  for (uint32_t i = 0; i < a->n; i++) {
    if (a->index[i] != AS_INDEX_ZERO && a->index[i] != x && a->index[i] != y)
      return false;
  }
  return (x == AS_INDEX_ZERO || as_atom_has_index(a, x)) &&
         (y == AS_INDEX_ZERO || as_atom_has_index(a, y));
}

static bool set_node(as_node_id *slot, as_node_id node) {
  if (*slot != AS_NONE && *slot != node)
    return false;
  *slot = node;
  return true;
}

static bool set_extent(as_plan_axis *axis, long extent) {
  if (axis->extent && axis->extent != extent)
    return false;
  axis->extent = extent;
  return true;
}

static int32_t row_index(const as_attend *T) {
  return T->row.index;
}

/* sum over the depth of query x key */
static bool read_score(as_attend *T, uint32_t id, int32_t key) {
  const as_terms *t = T->p->t;
  const as_atom *a = as_term_atom(t, id);
  for (unsigned i = 0; i < T->n_score; i++) {
    if (T->score[i] == id)
      return true;
  }
  const as_atom *f[AS_PLAN_FACTORS];
  unsigned n;
  if (T->n_score == AS_ATTEND_SCORES || !as_plan_factors(T->p, a->p, f, &n) || n != 2)
    return false;
  for (unsigned way = 0; way < 2; way++) {
    const as_atom *query = f[way];
    const as_atom *keys = f[1 - way];
    if (!read_at(query, row_index(T), a->bound) || !read_at(keys, a->bound, key))
      continue;
    if (!set_node(&T->query, query->node) || !set_node(&T->keys, keys->node) ||
        !set_extent(&T->depth, a->extent))
      return false;
    T->score[T->n_score++] = id;
    return true;
  }
  return false;
}

/* an element of the row, the key or both */
static bool read_element(as_attend *T, uint32_t id, int32_t key) {
  const as_atom *a = as_term_atom(T->p->t, id);
  for (unsigned i = 0; i < T->n_element; i++) {
    if (T->element[i].atom == id)
      return true;
  }
  if (T->n_element == AS_ATTEND_ELEMENTS)
    return false;
  for (uint32_t i = 0; i < a->n; i++) {
    if (a->index[i] != AS_INDEX_ZERO && a->index[i] != key && a->index[i] != AS_ATTEND_ROW)
      return false;
  }
  T->element[T->n_element++] = (as_attend_element){id, a->node};
  return true;
}

/* an expression of the score, the running maximum, elements, numbers, places and conditions */
static bool read_weight(as_attend *T, as_poly w, int32_t key) {
  const as_terms *t = T->p->t;
  for (uint32_t i = 0; i < as_poly_monos(t, w); i++) {
    const as_mono *m = as_poly_mono(t, w, i);
    for (uint32_t k = 0; k < m->n; k++) {
      uint32_t id = m->factor[k].atom;
      const as_atom *a = as_term_atom(t, id);
      if (a->kind == AS_ATOM_SUM && !read_score(T, id, key))
        return false;
      if (a->kind == AS_ATOM_RUN && id != T->run_atom)
        return false;
      if (a->kind == AS_ATOM_LOAD && !read_element(T, id, key))
        return false;
      if (a->kind == AS_ATOM_SUM || a->kind == AS_ATOM_RUN || a->kind == AS_ATOM_PLACE ||
          a->kind == AS_ATOM_COND || a->kind == AS_ATOM_LOAD)
        continue;
      if (a->kind < AS_ATOM_EXP || (a->p != AS_POLY_NONE && !read_weight(T, a->p, key)) ||
          (a->q != AS_POLY_NONE && !read_weight(T, a->q, key)))
        return false;
    }
  }
  return true;
}

/* the running maximum: of an expression of the scores, over the keys */
static bool read_run(as_attend *T, uint32_t id) {
  const as_atom *a = as_term_atom(T->p->t, id);
  int32_t bound;
  long extent;
  if (T->run_atom == id)
    return true;
  if (T->run_atom != AS_NONE ||
      !as_plan_single_fold(T->p, a->p, AS_ATOM_MAX, &T->compared, &bound, &extent) ||
      !set_extent(&T->key, extent) || !read_weight(T, T->compared, bound))
    return false;
  T->run_atom = id;
  return true;
}

/* the one load with the column's index in a product's first monomial */
static uint32_t value_factor(const as_attend *T, as_poly body, int32_t key) {
  const as_terms *t = T->p->t;
  if (!as_poly_monos(t, body))
    return AS_NONE;
  const as_mono *m = as_poly_mono(t, body, 0);
  for (uint32_t k = 0; k < m->n; k++) {
    const as_atom *a = as_term_atom(t, m->factor[k].atom);
    if (a->kind == AS_ATOM_LOAD && as_atom_has_index(a, AS_ATTEND_COLUMN) &&
        read_at(a, key, AS_ATTEND_COLUMN))
      return m->factor[k].atom;
  }
  return AS_NONE;
}

static uint32_t single_atom(const as_terms *t, as_poly p) {
  return as_poly_mono(t, p, 0)->factor[0].atom;
}

static bool read_sum(as_attend *T, uint32_t id) {
  as_plan *p = T->p;
  const as_atom acc = *as_term_atom(p->t, id);
  as_attend_sum x = {.atom = id, .rescaled = acc.q != AS_POLY_NONE};
  as_poly body;
  int32_t key;
  long extent;
  for (unsigned i = 0; i < T->n_sum; i++) {
    if (T->sum[i].atom == id)
      return true;
  }
  if (T->n_sum == AS_ATTEND_SUMS || (x.rescaled && !read_run(T, single_atom(p->t, acc.q))) ||
      !as_plan_single_fold(p, acc.p, AS_ATOM_SUM, &body, &key, &extent) ||
      !set_extent(&T->key, extent))
    return false;
  x.weight = body;
  if (as_poly_uses_index(p->t, body, AS_ATTEND_COLUMN)) {
    uint32_t value = value_factor(T, body, key);
    if (value == AS_NONE || !set_node(&T->values, as_term_atom(p->t, value)->node))
      return false;
    x.product = true;
    x.weight = as_poly_without(p->t, body, value);
  }
  if (x.weight == AS_POLY_NONE || !read_weight(T, x.weight, key))
    return false;
  T->sum[T->n_sum++] = x;
  return true;
}

/* all that a result is made of */
static bool read_result(as_attend *T, as_poly want) {
  for (uint32_t i = 0; i < as_poly_monos(T->p->t, want); i++) {
    const as_mono m = *as_poly_mono(T->p->t, want, i);
    for (uint32_t k = 0; k < m.n; k++) {
      uint32_t id = m.factor[k].atom;
      const as_atom a = *as_term_atom(T->p->t, id);
      bool ok;
      if (a.kind == AS_ATOM_ACC)
        ok = read_sum(T, id);
      else if (a.kind == AS_ATOM_RUN)
        ok = read_run(T, id);
      else
        ok = a.kind >= AS_ATOM_EXP && (a.p == AS_POLY_NONE || read_result(T, a.p)) &&
             (a.q == AS_POLY_NONE || read_result(T, a.q));
      if (!ok)
        return false;
    }
  }
  return true;
}

typedef struct {
  int32_t axis[2];
  long extent[2];
  unsigned n;
} long_axes;

static bool axes_of_store(as_plan *p, as_node_id store, long_axes *out) {
  as_node_id of = p->b->graph->node[store].arg[0];
  long dim[AS_MAX_RANK];
  out->n = 0;
  if (!as_block_dims(p->b, of, dim, NULL))
    return as_plan_fail(p, "a size of a tile");
  for (uint32_t d = 0; d < p->b->graph->node[of].rank; d++) {
    if (dim[d] <= 1)
      continue;
    if (out->n == 2)
      return as_plan_fail(p, "an output tile of more than two axes");
    out->axis[out->n] = (int32_t)d;
    out->extent[out->n++] = dim[d];
  }
  return true;
}

/* reads one store with these axes as row and column; nothing is kept where it does not fit */
static bool read_store(as_attend *T, unsigned which, const long_axes *x, int row, int column) {
  as_plan *p = T->p;
  as_attend trial = *T;
  as_attend_store *s = &trial.store[which];
  s->node = p->stores[which];
  s->row = row < 0 ? AS_INDEX_ZERO : x->axis[row];
  s->column = column < 0 ? AS_INDEX_ZERO : x->axis[column];
  s->has_column = column >= 0;
  s->want = p->wants[which];
  if (!set_extent(&trial.row, row < 0 ? 1 : x->extent[row]) ||
      (column >= 0 && !set_extent(&trial.column, x->extent[column])))
    return false;
  trial.row.index = row < 0 ? AS_INDEX_ZERO : AS_ATTEND_ROW;
  if (row >= 0)
    s->want = as_poly_rename(p->t, s->want, s->row, AS_ATTEND_ROW);
  if (column >= 0)
    s->want = as_poly_rename(p->t, s->want, s->column, AS_ATTEND_COLUMN);
  if (as_terms_over(p->t) || !read_result(&trial, s->want))
    return false;
  *T = trial;
  return true;
}

static bool read_stores(as_attend *T) {
  T->n_store = T->p->n_store;
  for (unsigned i = 0; i < T->n_store; i++) {
    long_axes x;
    bool ok;
    if (!axes_of_store(T->p, T->p->stores[i], &x))
      return false;
    if (x.n == 2)
      ok = read_store(T, i, &x, 0, 1) || read_store(T, i, &x, 1, 0);
    else if (x.n == 1)
      ok = read_store(T, i, &x, 0, -1) || read_store(T, i, &x, -1, 0);
    else
      ok = read_store(T, i, &x, -1, -1);
    if (!ok)
      return as_plan_fail(T->p, "a result that is no expression of sums over scores");
  }
  return true;
}

static void name_axis(as_plan_axis *a, int32_t index, const char *name, unsigned least) {
  long extent = a->extent;
  memset(a, 0, sizeof *a);
  a->index = index;
  a->extent = extent;
  memcpy(a->name, name, strlen(name));
  a->bits = least;
  while (1L << a->bits < extent)
    a->bits++;
  a->padded = extent != 1L << a->bits;
}

static bool types_fit(as_attend *T) {
  const as_graph *g = T->p->b->graph;
  as_node_id loads[3] = {T->query, T->keys, T->values};
  for (unsigned i = 0; i < 3; i++) {
    as_dtype type = as_block_tensor_type(T->p->b, g->node[loads[i]].arg[0]);
    if (type == AS_F32)
      return as_plan_fail(T->p, "an operand of a product that is not of 16 bits");
    if (i > 0 && type != T->p->type)
      return as_plan_fail(T->p, "operands of two types");
    T->p->type = type;
  }
  return true;
}

bool as_attend_read(as_plan *p, as_attend *out) {
  bool product = false;
  memset(out, 0, sizeof *out);
  out->p = p;
  out->query = out->keys = out->values = AS_NONE;
  out->run_atom = AS_NONE;
  if (p->n_store > AS_ATTEND_STORES)
    return as_plan_fail(p, "too many results");
  if (!read_stores(out))
    return false;
  for (unsigned i = 0; i < out->n_sum; i++)
    product = product || out->sum[i].product;
  if (!product || !out->n_score || out->query == out->keys || out->keys == out->values)
    return as_plan_fail(p, "no two products in a row");
  if (p->b->graph->node[out->query].map[3] >= 0 || p->b->graph->node[out->keys].map[3] < 0 ||
      p->b->graph->node[out->values].map[3] < 0)
    return as_plan_fail(p, "a loop that does not run over the keys");
  name_axis(&out->row, out->row.index, "u", 4);
  name_axis(&out->key, -1, "t", 4);
  name_axis(&out->depth, -1, "d", 4);
  name_axis(&out->column, AS_ATTEND_COLUMN, "e", 3);
  if (out->key.padded || out->depth.padded)
    return as_plan_fail(p, "keys or a depth that are not 16 times a power of two");
  return types_fit(out);
}
