/* Iterations of which all is masked.  A condition's affine form falls (or rises) from one iteration
 * to the next; from some iteration on it has one sign in all of the tile.  If all that is summed is
 * 0 then, and the maximum is of one number, these iterations may be left out: how many are left is
 * an affine form of the block, divided by what the form loses in an iteration. */
#include "attend.h"
#include <stdio.h>
#include <stdlib.h>

#define LARGEST (1L << 24) /* of coefficients, so that nothing overflows */

typedef struct { /* (of[0] x + of[1] y + of[2] z + number) / per, rounded down */
  long of[3];
  long number;
  long per;
} iterations;

typedef struct {
  uint32_t atom[AS_ATTEND_SCORES];
  unsigned n;
  bool places; /* numbers, too, that are computed of places */
} list;

static void conditions(const as_terms *t, as_poly p, list *out) {
  for (uint32_t i = 0; p != AS_POLY_NONE && i < as_poly_monos(t, p); i++) {
    const as_mono *m = as_poly_mono(t, p, i);
    for (uint32_t k = 0; k < m->n; k++) {
      const as_atom *a = as_term_atom(t, m->factor[k].atom);
      bool seen = false;
      for (unsigned c = 0; c < out->n; c++)
        seen = seen || out->atom[c] == m->factor[k].atom;
      out->places = out->places || a->kind == AS_ATOM_PLACE;
      if (a->kind == AS_ATOM_COND && !seen && out->n < AS_ATTEND_SCORES)
        out->atom[out->n++] = m->factor[k].atom;
      if (a->kind >= AS_ATOM_EXP) {
        conditions(t, a->p, out);
        conditions(t, a->q, out);
      }
    }
  }
}

static long extent_of(const as_attend *T, int32_t index) {
  const as_plan_axis *axis = index == AS_ATTEND_ROW      ? &T->row
                             : index == AS_ATTEND_COLUMN ? &T->column
                                                         : &T->key;
  return 1L << axis->bits;
}

static long floor_div(long x, long by) {
  return x / by - (x % by < 0);
}

static long common(long a, long b) {
  return b ? common(b, a % b) : labs(a);
}

static bool small(const as_terms *t, const as_mono *m, long *out) {
  mpq_t coef;
  mpq_init(coef);
  as_term_coef(t, m->coef, coef);
  bool ok = mpz_fits_slong_p(mpq_numref(coef)) != 0;
  *out = ok ? mpz_get_si(mpq_numref(coef)) : 0;
  mpq_clear(coef);
  return ok && labs(*out) <= LARGEST;
}

/* From which iteration on has the condition one value all over a tile?  *is: which. */
static bool iterations_of(const as_attend *T, uint32_t condition, iterations *out, int *is) {
  const as_terms *t = T->p->t;
  as_poly form = as_term_atom(t, condition)->p;
  long step = 0; /* what an iteration adds */
  long coef;
  *out = (iterations){.per = 1};
  for (uint32_t i = 0; i < as_poly_monos(t, form); i++) {
    const as_mono *m = as_poly_mono(t, form, i);
    if (!small(t, m, &coef))
      return false;
    if (m->n && as_term_atom(t, m->factor[0].atom)->node == AS_PLACE_LOOP)
      step = coef;
  }
  if (!step)
    return false;
  *is = step > 0;
  long sign = step > 0 ? -1 : 1; /* the form, or its negative, falls */
  for (uint32_t i = 0; i < as_poly_monos(t, form); i++) {
    const as_mono *m = as_poly_mono(t, form, i);
    const as_atom *a = m->n ? as_term_atom(t, m->factor[0].atom) : NULL;
    small(t, m, &coef);
    coef *= sign;
    if (!a)
      out->number += coef;
    else if (a->node == AS_PLACE_INDEX)
      out->number += coef > 0 ? coef * (extent_of(T, a->index[0]) - 1) : 0;
    else if (a->node != AS_PLACE_LOOP)
      out->of[a->node - AS_PLACE_X] += coef;
  }
  /* left are those with the form not negative, or its negative positive */
  out->per = labs(step);
  out->number += out->per - (step > 0 ? 1 : 0);
  long shared = out->per;
  for (unsigned k = 0; k < 3; k++)
    shared = common(shared, out->of[k]);
  for (unsigned k = 0; k < 3; k++)
    out->of[k] /= shared;
  out->number = floor_div(out->number, shared);
  out->per /= shared;
  return labs(out->number) <= LARGEST;
}

/* as many in every block, or fewer by the same number */
static bool at_most(const iterations *a, const iterations *b) {
  return a->of[0] == b->of[0] && a->of[1] == b->of[1] && a->of[2] == b->of[2] &&
         a->number <= b->number && a->per == b->per;
}

/* The iterations after which a term is one number: 0 of a sum.  *wanted: as others want them, or
 * any. */
static bool ends(as_attend *T, as_poly term, bool sum, iterations *wanted, as_poly *number) {
  as_terms *t = T->p->t;
  list found = {.n = 0};
  iterations of[AS_ATTEND_SCORES];
  int is[AS_ATTEND_SCORES];
  conditions(t, term, &found);
  for (unsigned i = 0; i < found.n; i++) {
    if (!iterations_of(T, found.atom[i], &of[i], &is[i]))
      of[i].per = 0;
  }
  for (unsigned i = 0; i < found.n; i++) {
    int known[AS_ATTEND_SCORES];
    bool other = wanted->per && !(at_most(&of[i], wanted) && at_most(wanted, &of[i]));
    if (!of[i].per || other)
      continue;
    for (unsigned k = 0; k < found.n; k++)
      known[k] = at_most(&of[k], &of[i]) ? is[k] : -1;
    *number = as_poly_decided(t, term, &(as_decided){found.n, found.atom, known});
    if (as_terms_over(t) || !as_poly_is_number(t, *number) || (sum && as_poly_monos(t, *number)))
      continue;
    *wanted = of[i];
    return true;
  }
  return false;
}

static bool leaves_out(const as_attend_builder *B, const iterations *n) {
  const as_block *block = &B->p->b->graph->block[B->p->b->block];
  long least = n->number;
  for (unsigned k = 0; k < 3; k++) {
    long blocks;
    if (!as_block_size(B->p->b, block->grid[k], &blocks, NULL) || blocks > LARGEST)
      return false;
    least += n->of[k] < 0 ? n->of[k] * (blocks - 1) : 0;
  }
  return least / n->per < B->p->trip;
}

static as_tg_expr *whole(as_tg *g, long number) {
  char text[24];
  snprintf(text, sizeof text, "%ld", number);
  return as_tg_expr_num(g, text);
}

static as_tg_expr *expression(as_tg *g, const iterations *n) {
  as_tg_expr *sum = whole(g, n->number);
  for (unsigned k = 0; k < 3; k++) {
    if (!n->of[k])
      continue;
    as_tg_expr *at = as_tg_expr_arg(g, k);
    if (n->of[k] != 1)
      at = as_tg_expr_new(g, AS_TGS_MUL, at, whole(g, n->of[k]));
    sum = as_tg_expr_new(g, AS_TGS_ADD, at, sum);
  }
  return sum;
}

void as_attend_cut(as_attend_builder *B) {
  as_attend *T = &B->T;
  as_terms *t = B->p->t;
  iterations n = {.per = 0};
  as_poly number = AS_POLY_NONE;
  as_poly nothing;
  if (T->run_atom != AS_NONE && !ends(T, T->compared, false, &n, &number))
    return;
  for (unsigned i = 0; i < T->n_sum; i++) {
    if (!ends(T, T->sum[i].weight, true, &n, &nothing))
      return;
  }
  if (!leaves_out(B, &n))
    return;
  B->g->limit = expression(B->g, &n);
  B->g->per = (int)n.per;
  for (unsigned k = 0; k < 3; k++) /* those that run longest begin first */
    B->g->reversed |= n.of[k] > 0 ? 1u << k : 0;
  if (number != AS_POLY_NONE)
    B->left_out = as_term_expr(B->g, t, number, NULL, 0);
}

/* Blocks that differ along reversed axes alone read the same keys and values.  So many others are
 * taken together as have theirs in the second-level cache at the same time, with room for what else
 * passes through it. */
void as_attend_order(as_attend_builder *B) {
  const as_target *gpu = B->p->o->gpu ? B->p->o->gpu : as_target_default();
  const as_block *block = &B->p->b->graph->block[B->p->b->block];
  long bytes = 0;
  long others = 1;
  for (unsigned i = 0; i < 2; i++)
    bytes += as_tg_buffer_bytes(&B->g->buffer[B->stream[i].buf]) * B->p->trip;
  for (unsigned k = 0; k < 3; k++) {
    long blocks;
    bool live = k < 2 && B->p->o->blocks[k]; /* as many as a launch says */
    if (live || !as_block_size(B->p->b, block->grid[k], &blocks, NULL))
      return;
    others *= B->g->reversed >> k & 1 ? 1 : blocks;
  }
  long most = (long)(AS_TARGET_L2_SHARE * (double)gpu->l2_bytes) / bytes;
  if (!B->g->reversed || most >= others || most < 1)
    return;
  while (others % most)
    most--;
  B->g->together = (int)most;
}

/* --- choices that are the same for all of a tile */
/* what an affine form is at least in a tile; sign: of the form, or of its negative less 1 */
static as_tg_expr *least_of(const as_attend_builder *B, as_poly form, long sign) {
  const as_terms *t = B->p->t;
  as_tg *g = B->g;
  long number = sign < 0 ? -1 : 0;
  as_tg_expr *sum = NULL;
  for (uint32_t i = 0; i < as_poly_monos(t, form); i++) {
    const as_mono *m = as_poly_mono(t, form, i);
    const as_atom *a = m->n ? as_term_atom(t, m->factor[0].atom) : NULL;
    long coef;
    if (!small(t, m, &coef))
      return NULL;
    coef *= sign;
    if (!a || a->node == AS_PLACE_INDEX) {
      number += !a ? coef : coef < 0 ? coef * (extent_of(&B->T, a->index[0]) - 1) : 0;
      continue;
    }
    as_tg_expr *at =
        as_tg_expr_new(g, AS_TGS_MUL, as_tg_expr_arg(g, a->node - AS_PLACE_X), whole(g, coef));
    sum = sum ? as_tg_expr_new(g, AS_TGS_ADD, sum, at) : at;
  }
  as_tg_expr *last = whole(g, number);
  return sum ? as_tg_expr_new(g, AS_TGS_ADD, sum, last) : last;
}

as_tg_op *as_attend_sure(as_attend_builder *B, as_tg_op *in, as_poly term) {
  const as_terms *t = B->p->t;
  list found = {.n = 0};
  iterations n;
  int is;
  conditions(t, term, &found);
  if (found.n != 1 || found.places)
    return in;
  /* the first iterations are those that a condition is the same for; the last ones may be mixed */
  bool moves = iterations_of(&B->T, found.atom[0], &n, &is);
  as_tg_expr *bound = least_of(B, as_term_atom(t, found.atom[0])->p, moves && is ? -1 : 1);
  if (!moves || !bound)
    return in;
  as_tg_op *sure = as_tg_add(B->g, in, AS_TG_SURE, 'c');
  sure->expr = bound;
  sure->side = is;
  return sure;
}
