/* Condition 21: a block may leave out the last iterations of its loop, if nothing of them is seen:
 * each adds 0 to every sum, and to every maximum one and the same number, at which the maximum
 * begins instead.  Blocks and iterations are gone through one by one. */
#include "den.h"
#include <stdlib.h>
#include <string.h>

#define MOST_CONDITIONS 16
#define MOST_CASES 512            /* of which conditions are known */
#define MOST_INSTANCES (1L << 24) /* blocks times iterations */

typedef struct {
  as_algebra *A;
  uint32_t condition[MOST_CONDITIONS];
  uint32_t n;
  long bound[MOST_CONDITIONS]; /* extents of bound indices: of -1, -2, .. the largest */
  bool over;
} conditions;

/* --- what depends on the block */
static bool places_hold(const as_terms *t, as_poly p, as_place place) {
  for (uint32_t i = 0; i < as_poly_monos(t, p); i++) {
    const as_mono *m = as_poly_mono(t, p, i);
    if (m->n && as_term_atom(t, m->factor[0].atom)->node == (uint32_t)place)
      return true;
  }
  return false;
}

/* along which grid axes blocks differ, in the number of iterations or in a condition */
static void extents(const as_algebra *A, const conditions *C, long extent[3]) {
  for (unsigned k = 0; k < 3; k++) {
    bool differs = as_tg_expr_has(A->g->limit, k);
    for (uint32_t i = 0; C && i < C->n; i++) {
      as_poly p = as_term_atom(A->t, C->condition[i])->p;
      differs = differs || places_hold(A->t, p, (as_place)(AS_PLACE_X + (int)k));
    }
    extent[k] = differs ? A->grid[k] : 1;
  }
}

static bool next_block(const long extent[3], long block[3]) {
  for (unsigned k = 0; k < 3; k++) {
    if (++block[k] < extent[k])
      return true;
    block[k] = 0;
  }
  return false;
}

/* the axes that are not reversed in parts of `together`: each block once */
static bool is_order(const as_algebra *A) {
  long others = 1;
  for (unsigned k = 0; k < 3; k++)
    others *= A->g->reversed >> k & 1 ? 1 : A->grid[k];
  return A->g->reversed < 8 && A->g->together >= 0 &&
         (!A->g->together || others % A->g->together == 0);
}

bool as_cut_counts(as_algebra *A) {
  const as_tg *g = A->g;
  long extent[3];
  long block[3] = {0, 0, 0};
  const double most[3] = {(double)A->grid[0], (double)A->grid[1], (double)A->grid[2]};
  A->runs = as_calloc((size_t)g->trip + 1, sizeof *A->runs);
  ENSURE(A, "a number of iterations that cannot be told",
         !g->limit || (g->per >= 1 && as_den_whole(g->limit, most, 3)));
  ENSURE(A, "an order of blocks that is none of them all", is_order(A));
  extents(A, NULL, extent);
  ENSURE(A, "too many blocks to be gone through",
         (double)extent[0] * (double)extent[1] * (double)extent[2] <= (double)MOST_INSTANCES);
  do {
    A->runs[as_tg_iterations(g, block)] = true;
  } while (next_block(extent, block));
  return true;
}

bool as_cut_schedules(const as_algebra *A, const char **why) {
  for (int n = A->g->trip; n >= 1; n--) {
    as_tg run = *A->g; /* as if it had so many iterations */
    run.trip = n;
    if (A->runs[n] && !as_flight_validate(&run, why))
      return false;
  }
  return as_schedule_validate(A->g, A->isa, A->runs, why);
}

/* --- conditions of a term, in one iteration */
static void collect(conditions *C, as_poly p) {
  const as_terms *t = C->A->t;
  for (uint32_t i = 0; p != AS_POLY_NONE && i < as_poly_monos(t, p); i++) {
    const as_mono *m = as_poly_mono(t, p, i);
    for (uint32_t k = 0; k < m->n; k++) {
      uint32_t atom = m->factor[k].atom;
      const as_atom *a = as_term_atom(t, atom);
      bool known = false;
      if (a->kind == AS_ATOM_ACC || a->kind == AS_ATOM_RUN || a->kind == AS_ATOM_OLD)
        continue; /* of several iterations */
      if (a->kind == AS_ATOM_SUM || a->kind == AS_ATOM_MAX) {
        C->over = C->over || -a->bound > MOST_CONDITIONS;
        long *extent = C->over ? NULL : &C->bound[-a->bound - 1];
        if (extent && *extent < a->extent)
          *extent = a->extent;
      }
      for (uint32_t c = 0; c < C->n; c++)
        known = known || C->condition[c] == atom;
      if (a->kind == AS_ATOM_COND && !known) {
        C->over = C->over || C->n == MOST_CONDITIONS;
        if (!C->over)
          C->condition[C->n++] = atom;
      }
      if (a->kind >= AS_ATOM_EXP || a->kind == AS_ATOM_SUM || a->kind == AS_ATOM_MAX) {
        collect(C, a->p);
        collect(C, a->q);
      }
    }
  }
}

/* the largest that a place may be, and the least: false: it is not known */
static bool range_of(const conditions *C, const as_atom *place, const long block[3], long l,
                     long *least, long *most) {
  const as_algebra *A = C->A;
  *least = *most = 0;
  switch ((as_place)place->node) {
  case AS_PLACE_INDEX:
    if (place->index[0] >= 0 && place->index[0] < (int32_t)A->n_index)
      *most = (1L << A->index_bits[place->index[0]]) - 1;
    else if (place->index[0] < 0 && place->index[0] >= -MOST_CONDITIONS)
      *most = C->bound[-place->index[0] - 1] - 1;
    else
      return false;
    return *most >= 0;
  case AS_PLACE_LOOP:
    *least = *most = l;
    return true;
  default:
    *least = *most = block[place->node - AS_PLACE_X];
    return true;
  }
}

/* 1 or 0 where the condition is the same all over the tile, else -1 */
static int is_at(const conditions *C, uint32_t condition, const long block[3], long l) {
  const as_terms *t = C->A->t;
  as_poly p = as_term_atom(t, condition)->p;
  mpq_t coef;
  mpq_t x;
  mpq_t least;
  mpq_t most;
  bool known = true;
  mpq_inits(coef, x, least, most, NULL);
  for (uint32_t i = 0; known && i < as_poly_monos(t, p); i++) {
    const as_mono *m = as_poly_mono(t, p, i);
    long at[2] = {1, 1};
    as_term_coef(t, m->coef, coef);
    if (m->n)
      known = range_of(C, as_term_atom(t, m->factor[0].atom), block, l, &at[0], &at[1]);
    bool down = mpq_sgn(coef) < 0;
    mpq_set_si(x, at[down ? 1 : 0], 1);
    mpq_mul(x, x, coef);
    mpq_add(least, least, x);
    mpq_set_si(x, at[down ? 0 : 1], 1);
    mpq_mul(x, x, coef);
    mpq_add(most, most, x);
  }
  int is = !known ? -1 : mpq_sgn(least) >= 0 ? 1 : mpq_sgn(most) < 0 ? 0 : -1;
  mpq_clears(coef, x, least, most, NULL);
  return is;
}

/* The term is `want` in every iteration that a block leaves out. */
static bool is_throughout(as_algebra *A, as_poly term, as_poly want, const char *why_not) {
  conditions C = {.A = A};
  long extent[3];
  long block[3] = {0, 0, 0};
  uint64_t seen[MOST_CASES];
  unsigned n_seen = 0;
  collect(&C, term);
  ENSURE(A, "too many conditions", !C.over);
  extents(A, &C, extent);
  ENSURE(A, "too many blocks to be gone through",
         (double)extent[0] * (double)extent[1] * (double)extent[2] * A->g->trip <=
             (double)MOST_INSTANCES);
  do {
    for (long l = as_tg_iterations(A->g, block); l < A->g->trip; l++) {
      int is[MOST_CONDITIONS];
      uint64_t which = 0;
      bool known = false;
      for (uint32_t i = 0; i < C.n; i++) {
        is[i] = is_at(&C, C.condition[i], block, l);
        which = which << 2 | (uint64_t)(is[i] + 1);
      }
      for (unsigned i = 0; i < n_seen && !known; i++)
        known = seen[i] == which;
      if (known)
        continue;
      ENSURE(A, "too many cases of conditions", n_seen < MOST_CASES);
      seen[n_seen++] = which;
      as_poly there = as_poly_decided(A->t, term, &(as_decided){C.n, C.condition, is});
      ENSURE(A, why_not, there == want && !as_terms_over(A->t));
    }
  } while (next_block(extent, block));
  return true;
}

/* Is a term exp(-m) times what does not know the running maximum m?  Sums over an index do not
 * change that: m has none that they bind. */
static bool falls_with(as_terms *t, as_poly term, as_poly run) {
  for (uint32_t i = 0; i < as_poly_monos(t, term); i++) {
    const as_mono m = *as_poly_mono(t, term, i);
    as_poly rest = as_poly_exp(t, run);
    as_poly inside = AS_POLY_NONE;
    for (uint32_t k = 0; k < m.n; k++) {
      const as_atom a = *as_term_atom(t, m.factor[k].atom);
      if (a.kind == AS_ATOM_SUM && m.factor[k].power == 1 && inside == AS_POLY_NONE &&
          as_poly_uses_kind(t, a.p, AS_ATOM_RUN)) {
        inside = a.p;
        rest = as_poly_mul(t, rest, as_poly_exp(t, as_poly_neg(t, run)));
        continue;
      }
      rest = as_poly_mul(t, rest, as_poly_power(t, m.factor[k].atom, m.factor[k].power));
    }
    if (as_terms_over(t) || as_poly_uses_kind(t, rest, AS_ATOM_RUN) ||
        (inside != AS_POLY_NONE && !falls_with(t, inside, run)))
      return false;
  }
  return true;
}

static bool same_maximum(as_algebra *A, const as_den *d, as_poly begin) {
  as_poly run = d->term;
  const as_mono *m = as_poly_mono(A->t, run, 0);
  as_poly of = as_term_atom(A->t, m->factor[0].atom)->p;
  ENSURE(A, "a maximum of what another maximum changes",
         !as_poly_uses_kind(A->t, of, AS_ATOM_RUN) && !as_poly_uses_kind(A->t, of, AS_ATOM_OLD));
  return is_throughout(A, of, begin, "an iteration is left out that changes a maximum");
}

static bool same_sum(as_algebra *A, const as_den *d, as_poly run) {
  bool free_of = run == AS_POLY_NONE ? !as_poly_uses_kind(A->t, d->term, AS_ATOM_RUN)
                                     : falls_with(A->t, d->term, run);
  ENSURE(A, "what the maximum was in between changes a sum", free_of);
  return is_throughout(A, d->term, as_poly_int(A->t, 0),
                       "an iteration is left out that adds to a sum");
}

bool as_cut_loop(as_algebra *A, const as_tg_op *loop) {
  for (unsigned i = 0; i < A->n_value; i++) {
    const as_den_state *s = &A->state[i];
    if (!s->is || s->depth != 0 || s->closed || !s->added)
      continue;
    if (!loop->cut) {
      ENSURE(A, "a maximum begins at a number where nothing is left out", s->begin == AS_POLY_NONE);
      continue;
    }
    bool same = s->fold == AS_TG_MAXIMUM
                    ? same_maximum(A, &A->val[i], s->begin)
                    : same_sum(A, &A->val[i], s->scaled ? s->scale_run : AS_POLY_NONE);
    if (!same)
      return false;
  }
  return true;
}
