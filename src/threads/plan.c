/* Reads what a block stores as products over the loop, side accumulators and an expression of them.
 * Operators have no names here: a product is a sum over iterations of a sum over one index of one
 * loaded element with the wide index and one with the batch index. */
#include "lowering.h"
#include "src/base/id.h"
#include <stdlib.h>
#include <string.h>

bool as_plan_fail(as_plan *p, const char *why) {
  if (!p->why)
    p->why = as_strdup(why);
  return false;
}

static bool looped(const as_plan *p, as_node_id load) {
  return p->b->graph->node[load].map[3] >= 0;
}

static unsigned bits_for(long extent, unsigned least) {
  unsigned bits = least;
  while (1L << bits < extent)
    bits++;
  return bits;
}

bool as_plan_single_fold(const as_plan *p, as_poly x, as_atom_kind kind, as_poly *body,
                         int32_t *bound, long *extent) {
  if (as_poly_monos(p->t, x) != 1)
    return false;
  const as_mono *m = as_poly_mono(p->t, x, 0);
  if (m->n != 1 || m->factor[0].power != 1)
    return false;
  mpq_t c;
  mpq_init(c);
  as_term_coef(p->t, m->coef, c);
  bool one = !mpq_cmp_ui(c, 1, 1);
  mpq_clear(c);
  const as_atom *a = as_term_atom(p->t, m->factor[0].atom);
  if (!one || a->kind != kind)
    return false;
  *body = a->p;
  *bound = a->bound;
  *extent = a->extent;
  return true;
}

bool as_plan_factors(const as_plan *p, as_poly body, const as_atom **f, unsigned *n) {
  if (as_poly_monos(p->t, body) != 1)
    return false;
  const as_mono *m = as_poly_mono(p->t, body, 0);
  mpq_t c;
  mpq_init(c);
  as_term_coef(p->t, m->coef, c);
  bool ok = !mpq_cmp_ui(c, 1, 1) && m->n <= AS_PLAN_FACTORS;
  mpq_clear(c);
  *n = 0;
  for (uint32_t i = 0; ok && i < m->n; i++) {
    f[*n] = as_term_atom(p->t, m->factor[i].atom);
    ok = m->factor[i].power == 1 && f[*n]->kind == AS_ATOM_LOAD;
    (*n)++;
  }
  return ok;
}

static bool two_axes(const as_atom *a, int32_t x, int32_t y) {
  unsigned others = 0;
  for (uint32_t i = 0; i < a->n; i++)
    others += a->index[i] != AS_INDEX_ZERO && a->index[i] != x && a->index[i] != y;
  return !others && as_atom_has_index(a, x) && as_atom_has_index(a, y);
}

static bool read_product(as_plan *p, uint32_t id, as_poly body, int32_t k, int32_t wide,
                         int32_t batch, as_plan_product *out) {
  const as_atom *f[AS_PLAN_FACTORS];
  unsigned n;
  as_plan_product x = {.atom = id, .weight = AS_NONE, .batch = AS_NONE};
  if (!as_plan_factors(p, body, f, &n))
    return false;
  for (unsigned i = 0; i < n; i++) {
    if (!looped(p, f[i]->node)) {
      return false;
    } else if (x.weight == AS_NONE && two_axes(f[i], k, wide)) {
      x.weight = f[i]->node;
    } else if (x.batch == AS_NONE && two_axes(f[i], k, batch)) {
      x.batch = f[i]->node;
    } else if (as_atom_has_index(f[i], k) && !as_atom_has_index(f[i], wide) &&
               !as_atom_has_index(f[i], batch)) {
      x.scale[x.n_scale++] = f[i]->node;
    } else {
      return false;
    }
  }
  if (x.weight == AS_NONE || x.batch == AS_NONE)
    return false;
  if (p->batch_load != AS_NONE && p->batch_load != x.batch)
    return false;
  p->batch_load = x.batch;
  *out = x;
  return true;
}

typedef struct {
  uint32_t atom[AS_PLAN_PRODUCTS + AS_PLAN_SIDES];
  unsigned n;
  uint32_t tail[AS_PLAN_TAILS]; /* sums after the loop */
  unsigned n_tail;
  uint32_t inner[AS_PLAN_INNER]; /* accumulators inside of them */
  unsigned n_inner;
  bool other; /* something else than accumulators, elements beside them, arithmetic of both */
} found;

static void keep(found *f, uint32_t atom, uint32_t *list, unsigned *n, unsigned most) {
  for (unsigned i = 0; i < *n; i++) {
    if (list[i] == atom)
      return;
  }
  if (*n == most)
    f->other = true;
  else
    list[(*n)++] = atom;
}

/* accumulators of a term, each once; tail: inside of a sum after the loop */
static void find_accs(const as_plan *p, as_poly x, bool tail, found *f) {
  for (uint32_t i = 0; i < as_poly_monos(p->t, x); i++) {
    const as_mono *m = as_poly_mono(p->t, x, i);
    for (uint32_t k = 0; k < m->n; k++) {
      uint32_t id = m->factor[k].atom;
      const as_atom *a = as_term_atom(p->t, id);
      if (a->kind == AS_ATOM_ACC && tail) {
        keep(f, id, f->inner, &f->n_inner, AS_PLAN_INNER);
      } else if (a->kind == AS_ATOM_ACC) {
        keep(f, id, f->atom, &f->n, AS_PLAN_PRODUCTS + AS_PLAN_SIDES);
      } else if (a->kind == AS_ATOM_SUM && !tail) {
        keep(f, id, f->tail, &f->n_tail, AS_PLAN_TAILS);
        find_accs(p, a->p, true, f);
      } else if (a->kind < AS_ATOM_EXP) { /* an element is computed with after the loop */
        f->other = f->other || a->kind != AS_ATOM_LOAD || looped(p, a->node);
      } else {
        if (a->p != AS_POLY_NONE)
          find_accs(p, a->p, tail, f);
        if (a->q != AS_POLY_NONE)
          find_accs(p, a->q, tail, f);
      }
    }
  }
}

static void set_axis(as_plan_axis *a, int32_t index, const char *name, long extent,
                     unsigned least) {
  memset(a, 0, sizeof *a);
  a->index = index;
  memcpy(a->name, name, strlen(name));
  a->extent = extent;
  a->bits = bits_for(extent, least);
  a->padded = extent != 1L << a->bits;
}

/* the sums after the loop, and the sums over the loop that they go over */
static bool read_tails(as_plan *p, const found *f, int32_t k, long k_extent, int32_t batch) {
  for (unsigned i = 0; i < f->n_tail; i++) {
    const as_atom *a = as_term_atom(p->t, f->tail[i]);
    const as_atom *first = as_term_atom(p->t, f->tail[0]);
    if (a->bound != first->bound || a->extent != first->extent)
      return false;
    p->tail[p->n_tail++] = (as_plan_tail){f->tail[i], a->p};
    set_axis(&p->inner_axis, a->bound, "r", a->extent, 4);
  }
  for (unsigned i = 0; i < f->n_inner; i++) {
    as_poly body;
    int32_t bound;
    long extent;
    const as_atom *acc = as_term_atom(p->t, f->inner[i]);
    if (acc->q != AS_POLY_NONE ||
        !as_plan_single_fold(p, acc->p, AS_ATOM_SUM, &body, &bound, &extent) || bound != k ||
        extent != k_extent ||
        !read_product(p, f->inner[i], body, k, p->inner_axis.index, batch, &p->inner[p->n_inner++]))
      return false;
  }
  return true;
}

/* all products and side sums, with `wide` and `batch` in these roles */
static bool read_roles(as_plan *p, const found *f, int32_t wide, long wide_extent, int32_t batch,
                       long batch_extent) {
  p->n_product = 0;
  p->n_side = 0;
  p->n_inner = 0;
  p->n_tail = 0;
  p->batch_load = AS_NONE;
  int32_t k = 0;
  long k_extent = 0;
  for (unsigned pass = 0; pass < 2; pass++) { /* products first: they say what the batch is */
    for (unsigned i = 0; i < f->n; i++) {
      as_poly body;
      int32_t bound;
      long extent;
      const as_atom *acc = as_term_atom(p->t, f->atom[i]);
      if (acc->q != AS_POLY_NONE ||
          !as_plan_single_fold(p, acc->p, AS_ATOM_SUM, &body, &bound, &extent))
        return false;
      bool product = as_poly_uses_index(p->t, body, wide);
      if (product != (pass == 0))
        continue;
      if (k_extent && (extent != k_extent || bound != k))
        return false;
      k = bound;
      k_extent = extent;
      if (product &&
          (p->n_product == AS_PLAN_PRODUCTS ||
           !read_product(p, f->atom[i], body, bound, wide, batch, &p->product[p->n_product++])))
        return false;
      if (product)
        continue;
      if (p->n_side == AS_PLAN_SIDES || p->batch_load == AS_NONE)
        return false;
      p->side[p->n_side++] = (as_plan_side){f->atom[i], body};
    }
  }
  if (!p->n_product || !read_tails(p, f, k, k_extent, batch))
    return false;
  set_axis(&p->wide, wide, "n", wide_extent, 4);
  set_axis(&p->batch, batch, "m", batch_extent, 3);
  set_axis(&p->k, k, "k", k_extent, 4);
  return true;
}

/* a side sum is over elements of the batch tile alone */
static bool sides_fit(as_plan *p) {
  for (unsigned i = 0; i < p->n_side; i++) {
    as_poly body = p->side[i].body;
    for (uint32_t m = 0; m < as_poly_monos(p->t, body); m++) {
      const as_mono *mono = as_poly_mono(p->t, body, m);
      for (uint32_t k = 0; k < mono->n; k++) {
        const as_atom *a = as_term_atom(p->t, mono->factor[k].atom);
        if (a->kind != AS_ATOM_LOAD || a->node != p->batch_load ||
            !as_atom_has_index(a, p->k.index) ||
            (p->batch.index != AS_INDEX_ZERO && !as_atom_has_index(a, p->batch.index)))
          return as_plan_fail(p,
                              "a sum beside the products over something else than their operand");
      }
    }
  }
  return true;
}

static bool product_types_fit(as_plan *p, const as_plan_product *x) {
  const as_graph *g = p->b->graph;
  as_node_id loads[2] = {x->weight, x->batch};
  for (unsigned k = 0; k < 2; k++) {
    as_dtype type = as_block_tensor_type(p->b, g->node[loads[k]].arg[0]);
    if (type == AS_F32)
      return as_plan_fail(p, "an operand of a product that is not of 16 bits");
    if ((k > 0 || x != p->product) && type != p->type)
      return as_plan_fail(p, "operands of two types");
    p->type = type;
  }
  for (unsigned k = 0; k < x->n_scale; k++) {
    if (as_block_tensor_type(p->b, g->node[x->scale[k]].arg[0]) != p->type)
      return as_plan_fail(p, "a factor of another type");
  }
  return true;
}

static bool types_fit(as_plan *p) {
  bool ok = true;
  for (unsigned i = 0; ok && i < p->n_product; i++)
    ok = product_types_fit(p, &p->product[i]);
  for (unsigned i = 0; ok && i < p->n_inner; i++)
    ok = product_types_fit(p, &p->inner[i]);
  return ok;
}

static bool find_stores(as_plan *p) {
  const as_block *blk = &p->b->graph->block[p->b->block];
  for (uint32_t i = 0; i < blk->n; i++) {
    if (p->b->graph->node[blk->nodes[i]].kind != AS_N_STORE)
      continue;
    if (p->n_store == AS_PLAN_STORES)
      return as_plan_fail(p, "too many outputs");
    p->stores[p->n_store++] = blk->nodes[i];
  }
  p->store = p->n_store ? p->stores[0] : AS_NONE;
  return p->n_store || as_plan_fail(p, "no output");
}

static bool want_of(as_plan *p, as_node_id store, as_poly *out, as_err *err) {
  as_node_id of = p->b->graph->node[store].arg[0];
  long dim[AS_MAX_RANK];
  int32_t index[AS_MAX_RANK];
  if (!as_block_dims(p->b, of, dim, err))
    return false;
  for (uint32_t i = 0; i < p->b->graph->node[of].rank; i++)
    index[i] = dim[i] == 1 ? AS_INDEX_ZERO : (int32_t)i;
  return as_block_term(p->t, p->b, of, index, out, err);
}

bool as_plan_want(as_plan *p) {
  const as_block *blk = &p->b->graph->block[p->b->block];
  as_err err;
  if (!find_stores(p))
    return false;
  as_err_init(&err);
  p->trip = 1;
  bool ok = !blk->has_loop || as_block_size(p->b, blk->loop, &p->trip, &err);
  for (unsigned i = 0; ok && i < p->n_store; i++)
    ok = want_of(p, p->stores[i], &p->wants[i], &err);
  p->want = p->wants[0];
  if (!ok)
    as_plan_fail(p, err.text ? err.text : "not understood");
  if (ok && p->trip < 1)
    ok = as_plan_fail(p, "a loop of no iterations");
  as_err_clear(&err);
  return ok;
}

/* all results have the first one's shape: their indices are then the same */
static bool same_shapes(as_plan *p, const long *dim) {
  const as_graph *g = p->b->graph;
  as_node_id first = g->node[p->store].arg[0];
  for (unsigned i = 1; i < p->n_store; i++) {
    as_node_id of = g->node[p->stores[i]].arg[0];
    long other[AS_MAX_RANK];
    if (!as_block_dims(p->b, of, other, NULL))
      return as_plan_fail(p, "a size of a tile");
    if (g->node[of].rank != g->node[first].rank ||
        memcmp(dim, other, g->node[of].rank * sizeof *dim) != 0)
      return as_plan_fail(p, "outputs of different shapes");
  }
  return true;
}

/* the axes of the output that are longer than 1: at most two */
static bool output_axes(as_plan *p, int32_t axis[2], long extent[2]) {
  const as_graph *g = p->b->graph;
  as_node_id of = g->node[p->store].arg[0];
  long dim[AS_MAX_RANK];
  unsigned n = 0;
  if (!as_block_dims(p->b, of, dim, NULL))
    return as_plan_fail(p, "a size of a tile");
  if (!same_shapes(p, dim))
    return false;
  for (uint32_t i = 0; i < g->node[of].rank; i++) {
    if (dim[i] > 1 && n < 2) {
      axis[n] = (int32_t)i;
      extent[n] = dim[i];
    }
    n += dim[i] > 1;
  }
  return n <= 2 || as_plan_fail(p, "an output tile of more than two axes");
}

bool as_plan_read(as_plan *p) {
  int32_t axis[2] = {AS_INDEX_ZERO, AS_INDEX_ZERO};
  long extent[2] = {1, 1};
  found f = {.n = 0};
  if (!output_axes(p, axis, extent))
    return false;
  for (unsigned i = 0; i < p->n_store; i++)
    find_accs(p, p->wants[i], false, &f);
  if (f.other || !f.n)
    return as_plan_fail(p, "an output that is not an expression of sums over the loop");
  /* unification both ways round: the narrower axis as batch first */
  bool swap = extent[0] > extent[1];
  for (unsigned way = 0; way < 2; way++) {
    unsigned wide = (way == 0) == swap ? 0 : 1;
    if (axis[wide] == AS_INDEX_ZERO)
      continue;
    if (read_roles(p, &f, axis[wide], extent[wide], axis[1 - wide], extent[1 - wide]))
      return sides_fit(p) && types_fit(p);
  }
  return as_plan_fail(p, "a sum over the loop that is no product of loaded tiles");
}
