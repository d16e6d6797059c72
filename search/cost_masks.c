/* Iterations that blocks leave out because all of them is masked (src/threads/attend_cut.c), as the
 * cost model foresees them: by the masks that weights are multiplied with.  Whether the running
 * maximum allows it is not asked, so that a block whose maximum sees masked scores looks cheaper
 * than it is. */
#include "cost_model.h"
#include "src/base/id.h"
#include "verify/threads/block.h"
#include <math.h>

#define MOST_CONDITIONS 8
#define MOST_BLOCKS 100000.0 /* that are gone through, along an axis */

typedef struct {
  const sg_cost_model *model;
  as_block_ref ref;
  as_terms *t;
  long extent[AS_MAX_RANK]; /* of the tile */
} mask;

/* is the tile multiplied with something? */
static bool is_factor(const mask *m, as_node_id tile) {
  const as_graph *graph = m->model->graph;
  const as_block *block = &graph->block[m->ref.block];
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &graph->node[block->nodes[i]];
    bool multiplies = node->kind == AS_N_OP && node->op->nlet == 1 &&
                      node->op->let[0].body->kind == AS_E_MUL && node->nargs == 2;
    if (multiplies && (node->arg[0] == tile || node->arg[1] == tile))
      return true;
  }
  return false;
}

typedef struct {
  double of[3]; /* by the block */
  double number;
  double step; /* by the iteration */
} form;

static double coefficient(const as_terms *t, const as_mono *m) {
  mpq_t coef;
  mpq_init(coef);
  as_term_coef(t, m->coef, coef);
  double value = mpq_get_d(coef);
  mpq_clear(coef);
  return value;
}

/* An affine form at its largest in a tile, or its negative: what falls with the iterations. */
static bool falling(const mask *m, as_poly p, form *out, int *is) {
  const as_terms *t = m->t;
  double step = 0;
  *out = (form){.number = 0};
  for (uint32_t i = 0; i < as_poly_monos(t, p); i++) {
    const as_mono *x = as_poly_mono(t, p, i);
    if (x->n && as_term_atom(t, x->factor[0].atom)->node == AS_PLACE_LOOP)
      step = coefficient(t, x);
  }
  double sign = step > 0 ? -1 : 1;
  *is = step > 0;
  out->step = fabs(step);
  for (uint32_t i = 0; i < as_poly_monos(t, p); i++) {
    const as_mono *x = as_poly_mono(t, p, i);
    const as_atom *a = x->n ? as_term_atom(t, x->factor[0].atom) : NULL;
    double coef = sign * coefficient(t, x);
    if (!a)
      out->number += coef;
    else if (a->node == AS_PLACE_INDEX)
      out->number += coef > 0 ? coef * (double)(m->extent[a->index[0]] - 1) : 0;
    else if (a->node != AS_PLACE_LOOP)
      out->of[a->node - AS_PLACE_X] += coef;
  }
  return step != 0;
}

/* the mean share of iterations in which the form is not negative somewhere in the tile */
static double mean_share(const mask *m, const form *f, double loop) {
  const as_block *block = &m->model->graph->block[m->ref.block];
  double share = 1;
  for (unsigned k = 0; k < 3; k++) {
    double blocks = sg_cost_value(m->model, block->grid[k]);
    double sum = 0;
    if (f->of[k] == 0 || blocks < 1 || blocks > MOST_BLOCKS)
      continue;
    for (double b = 0; b < blocks; b++) {
      double left = floor((f->of[k] * b + f->number) / f->step) + 1;
      sum += fmin(fmax(left, 1), loop);
    }
    share = sum / (blocks * loop); /* masks know one axis of the grid */
  }
  return share;
}

static double share_by(mask *m, as_node_id tile, double loop) {
  int32_t index[AS_MAX_RANK];
  as_poly term;
  double least = 1;
  as_err err;
  as_err_init(&err);
  bool ok = as_block_dims(&m->ref, tile, m->extent, NULL);
  for (uint32_t d = 0; ok && d < m->model->graph->node[tile].rank; d++)
    index[d] = m->extent[d] == 1 ? AS_INDEX_ZERO : (int32_t)d;
  ok = ok && as_block_term(m->t, &m->ref, tile, index, &term, &err);
  as_err_clear(&err);
  for (uint32_t i = 0; ok && i < as_poly_monos(m->t, term); i++) {
    const as_mono x = *as_poly_mono(m->t, term, i);
    for (uint32_t k = 0; k < x.n; k++) {
      uint32_t atom = x.factor[k].atom;
      form f;
      int is;
      if (as_term_atom(m->t, atom)->kind != AS_ATOM_COND ||
          !falling(m, as_term_atom(m->t, atom)->p, &f, &is))
        continue;
      as_poly then = as_poly_decided(m->t, term, &(as_decided){1, &atom, &is});
      if (!as_poly_monos(m->t, then) && !as_terms_over(m->t))
        least = fmin(least, mean_share(m, &f, loop));
    }
  }
  return least;
}

double sg_cost_iterations(const sg_cost_model *model, const as_block *block) {
  const as_graph *graph = model->graph;
  double loop = sg_cost_value(model, block->loop);
  double share = 1;
  for (uint32_t i = 0; i < block->n; i++) {
    as_node_id id = block->nodes[i];
    const as_node *node = &graph->node[id];
    mask m = {.model = model, .ref = {graph, (uint32_t)(block - graph->block), model->env, NULL}};
    if (node->kind != AS_N_LOAD || node->map[3] < 0 || !sg_cost_is_index(model, node) ||
        !is_factor(&m, id))
      continue;
    m.t = as_terms_new();
    share = fmin(share, share_by(&m, id, loop));
    as_terms_free(m.t);
  }
  return share;
}
