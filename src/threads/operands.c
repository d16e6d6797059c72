/* Tensors between kernels that are only multiplied. */
#include "threads.h"
#define MOST_BOUND 32

typedef struct {
  const as_terms *t;
  const as_graph *g;
  as_node_id tensor;
} search;

static bool loads(const search *s, const as_atom *a) {
  return a->kind == AS_ATOM_LOAD && s->g->node[a->node].arg[0] == s->tensor;
}

static bool operand_in(const search *s, as_poly p, bool summed);

static bool moves_along(const search *s, const as_atom *a, int32_t index);

static bool any_along(const search *s, as_poly p, int32_t index) {
  for (uint32_t i = 0; p != AS_POLY_NONE && i < as_poly_monos(s->t, p); i++) {
    const as_mono *m = as_poly_mono(s->t, p, i);
    for (uint32_t k = 0; k < m->n; k++) {
      if (moves_along(s, as_term_atom(s->t, m->factor[k].atom), index))
        return true;
    }
  }
  return false;
}

/* the index is free in the atom, not bound by a fold in it */
static bool moves_along(const search *s, const as_atom *a, int32_t index) {
  bool binds = (a->kind == AS_ATOM_SUM || a->kind == AS_ATOM_MAX) && a->bound == index;
  return !binds &&
         (as_atom_has_index(a, index) || any_along(s, a->p, index) || any_along(s, a->q, index));
}

/* does another factor move along an axis that this load does not have?  Else the load is only
 * weighted, element by element. */
static bool multiplied(const search *s, const as_mono *m, const as_atom *load) {
  for (uint32_t k = 0; k < m->n; k++) {
    const as_atom *a = as_term_atom(s->t, m->factor[k].atom);
    if (a == load)
      continue;
    for (int32_t index = -MOST_BOUND; index < AS_MAX_RANK; index++) {
      if (!as_atom_has_index(load, index) && moves_along(s, a, index))
        return true;
    }
  }
  return false;
}

static bool operand_of(const search *s, const as_mono *m, bool summed) {
  for (uint32_t k = 0; k < m->n; k++) {
    const as_atom *a = as_term_atom(s->t, m->factor[k].atom);
    if (loads(s, a)) {
      if (!summed || m->factor[k].power != 1 || !multiplied(s, m, a))
        return false;
      continue;
    }
    if ((a->p != AS_POLY_NONE && !operand_in(s, a->p, a->kind == AS_ATOM_SUM)) ||
        (a->q != AS_POLY_NONE && !operand_in(s, a->q, false)))
      return false;
  }
  return true;
}

static bool operand_in(const search *s, as_poly p, bool summed) {
  for (uint32_t i = 0; i < as_poly_monos(s->t, p); i++) {
    if (!operand_of(s, as_poly_mono(s->t, p, i), summed))
      return false;
  }
  return true;
}

static bool reads(const as_graph *g, uint32_t block, as_node_id tensor) {
  for (uint32_t i = 0; i < g->block[block].n; i++) {
    const as_node *n = &g->node[g->block[block].nodes[i]];
    if (n->kind == AS_N_LOAD && n->arg[0] == tensor)
      return true;
  }
  return false;
}

static bool operand_of_store(const as_block_ref *b, as_node_id store, as_node_id tensor) {
  as_err err;
  as_poly want;
  long dim[AS_MAX_RANK];
  int32_t index[AS_MAX_RANK];
  as_terms *t = as_terms_new();
  as_node_id of = b->graph->node[store].arg[0];
  as_err_init(&err);
  bool ok = as_block_dims(b, of, dim, &err);
  for (uint32_t d = 0; ok && d < b->graph->node[of].rank; d++)
    index[d] = dim[d] == 1 ? AS_INDEX_ZERO : (int32_t)d;
  ok = ok && as_block_term(t, b, of, index, &want, &err) && !as_terms_over(t);
  search s = {t, b->graph, tensor};
  ok = ok && operand_in(&s, want, false);
  as_terms_free(t);
  as_err_clear(&err);
  return ok;
}

bool as_threads_operand_only(const as_graph *g, const int64_t *env, as_node_id tensor) {
  bool any = false;
  for (uint32_t i = 0; i < g->n_block; i++) {
    as_block_ref b = {g, i, env, NULL};
    if (!reads(g, i, tensor))
      continue;
    any = true;
    for (uint32_t k = 0; k < g->block[i].n; k++) {
      as_node_id id = g->block[i].nodes[k];
      if (g->node[id].kind == AS_N_STORE && !operand_of_store(&b, id, tensor))
        return false;
    }
  }
  return any;
}
