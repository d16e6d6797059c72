/* Sums after the loop, as in X W + (X A) C: what the loop has summed up along the inner axis meets
 * in shared memory beside the other sums.  Every thread then has all elements along that axis for
 * each element of the result that is its own, multiplies in 32 bits and adds up alone: the axis is
 * short, and no second way through shared memory is needed. */
#include "finish.h"
#include <stdlib.h>
#include <string.h>

#define VECTOR 2u /* log2 of the elements of one access */

/* (inner, batch, wk, sum) -> offset: elements along the inner axis are read together */
static as_lay place_of(const as_finish *F) {
  const as_plan *p = F->p;
  unsigned sums = 0;
  unsigned at = 0;
  while (1u << sums < p->n_inner)
    sums++;

  const struct {
    const char *name;
    unsigned bits;
  } dims[] = {{p->inner_axis.name, p->inner_axis.bits},
              {p->batch.name, p->batch.bits},
              {"wk", F->k_warps},
              {"sum", sums}};

  as_lay l = as_lay_new();
  as_lay_add_out(&l, "off", p->inner_axis.bits + p->batch.bits + F->k_warps + sums);
  for (unsigned d = 0; d < 4; d++) {
    as_lay_add_in(&l, dims[d].name);
    for (unsigned i = 0; i < dims[d].bits; i++)
      as_lay_push(&l, 1u << at++);
  }
  return l;
}

static int base_of(const as_finish *F, unsigned which) {
  return (int)(which << (F->p->inner_axis.bits + F->p->batch.bits + F->k_warps));
}

bool as_finish_tail_buffer(as_finish *F, long end) {
  as_lay place = place_of(F);
  F->inner = F->g->n_buffer++;
  F->g->buffer[F->inner] =
      (as_tg_buffer){"inner", 4, as_lay_out_bits(&place), 1, (end + 15) / 16 * 16};
  return !place.bad || as_plan_fail(F->p, "an inner axis that is too long");
}

void as_finish_tail_store(as_finish *F) {
  as_lay place = place_of(F);
  uint32_t cols[AS_LAY_BITS];
  for (unsigned i = 0; i < F->p->n_inner; i++) {
    as_tg_op *op = as_tg_add(F->g, NULL, AS_TG_STS, 'c');
    as_lay at = as_lay_after(&place, F->inner_acc);
    unsigned n = as_lay_cols(&at, "reg", cols);
    op->dst = as_lay_with(&at, "u", cols, n);
    op->dst = as_lay_with(&op->dst, "reg", NULL, 0);
    op->buf = (int)F->inner;
    op->a = as_finish_value(F, "acc", F->p->n_product + i);
    op->base = base_of(F, i);
    op->warps = (1 << F->wide_warps) - 1; /* warps along the wide axis hold copies */
  }
}

/* (u, lane, warp) -> the result's axes and the inner one: u moves the pairs of a thread, then the
 * inner axis */
static as_lay pairs_along(const as_finish *F) {
  uint32_t cols[AS_LAY_BITS];
  const as_plan_axis *inner = &F->p->inner_axis;
  as_lay l = as_lay_new();
  for (unsigned i = 0; i < F->own.n_out; i++)
    as_lay_add_out(&l, F->own.out[i].name, F->own.out[i].bits);
  as_lay_add_out(&l, inner->name, inner->bits);
  for (unsigned d = 0; d < F->own.n_in; d++) {
    unsigned n = as_lay_cols(&F->own, F->own.in[d].name, cols);
    as_lay_add_in(&l, F->own.in[d].name);
    for (unsigned i = 0; i < n; i++)
      as_lay_push(&l, cols[i]);
    for (unsigned i = 0; !strcmp(F->own.in[d].name, "u") && i < inner->bits; i++)
      as_lay_push_at(&l, inner->name, 1u << i);
  }
  return l;
}

/* what the loop has summed up: for each row that a thread's pairs have, all along the inner axis */
static bool load_inner(as_finish *F, as_finish_sums *s) {
  const as_plan *p = F->p;
  uint32_t cols[AS_LAY_BITS];
  unsigned bits = p->inner_axis.bits;
  unsigned own = as_lay_cols(&F->own, "u", cols);
  as_lay place = place_of(F);
  as_lay all = pairs_along(F);
  as_lay where = as_lay_take(&all, (const char *[]){p->inner_axis.name, p->batch.name}, 2);
  unsigned n = as_lay_cols(&where, "u", cols);
  uint32_t order[AS_LAY_BITS]; /* the inner axis first, without what one access takes */
  unsigned used = 0;
  for (unsigned i = own + VECTOR; i < n; i++)
    order[used++] = cols[i];
  for (unsigned i = 0; i < own; i++)
    order[used++] = cols[i];
  where = as_lay_with(&where, "u", order, used);
  as_lay map = as_lay_new(); /* [pair, own, inner] -> [inner, own] */
  as_lay_add_out(&map, "reg", bits + own);
  as_lay_add_in(&map, "reg");
  as_lay_push(&map, 0);
  for (unsigned i = 0; i < own; i++)
    as_lay_push(&map, 1u << (bits + i));
  for (unsigned i = 0; i < bits; i++)
    as_lay_push(&map, 1u << i);
  for (unsigned i = 0; i < p->n_inner; i++) {
    if (s->n == AS_TG_ARGS)
      return as_plan_fail(F->p, "an expression of too many values");
    s->value[s->n] =
        as_finish_load_sum(F, "inner", i, &place, F->inner, base_of(F, i), VECTOR, &where);
    s->map[s->n] = map;
    s->atom[s->n++] = p->inner[i].atom;
  }
  return !where.bad || as_plan_fail(F->p, "an inner axis that is too long");
}

/* beyond the live part of the inner axis zero, so that padding does not count */
static int filled(as_finish *F, int from, const as_lay *pairs, unsigned which) {
  const as_plan_axis *inner = &F->p->inner_axis;
  uint32_t cols[AS_LAY_BITS];
  if (!inner->padded)
    return from;
  as_tg_op *op = as_tg_add(F->g, NULL, AS_TG_FILL, 'c');
  op->v = as_finish_value(F, "live", which);
  op->a = from;
  op->fold = AS_TG_SUM;
  op->count = (int)inner->extent;
  memcpy(op->vaxis, inner->name, sizeof op->vaxis);
  as_lay at = as_lay_take(pairs, (const char *[]){inner->name}, 1);
  unsigned n = as_lay_cols(&at, "u", cols + 1);
  cols[0] = 0; /* the pair */
  op->src = as_lay_with(&at, "u", cols, n + 1);
  return op->v;
}

static bool one_tail(as_finish *F, const as_plan_tail *x, const as_lay *pairs,
                     const as_finish_sums *inner, as_finish_sums *s) {
  as_finish_sums all = *inner;
  unsigned bits = F->p->inner_axis.bits;
  unsigned kept = 1 + as_lay_in(&F->own, "u", NULL);
  if (kept + bits > 7 || s->n == AS_TG_ARGS)
    return as_plan_fail(F->p, "a sum after the loop of too many registers");
  if (!as_finish_load_elements(F, pairs, true, x->body, &all))
    return false;
  as_tg_op *map = as_tg_add(F->g, NULL, AS_TG_MAP, 'c');
  for (unsigned i = 0; i < all.n; i++) {
    map->arg[i] = all.value[i];
    map->arg_map[i] = all.map[i];
  }
  map->n_arg = (int)all.n;
  map->v = as_finish_value(F, "factor", s->n);
  map->type = AS_F32;
  map->bits = (int)(kept + bits);
  map->expr = as_term_expr(F->g, F->p->t, x->body, all.atom, all.n);
  if (!map->expr)
    return as_plan_fail(F->p, "a sum after the loop of something else than sums over the loop");
  int terms = filled(F, map->v, pairs, s->n);
  as_tg_op *red = as_tg_add(F->g, NULL, AS_TG_RED, 'c');
  red->v = as_finish_value(F, "tail", s->n);
  red->a = terms;
  red->fold = AS_TG_SUM;
  as_lay_add_out(&red->src, "reg", kept + bits);
  as_lay_add_in(&red->src, "reg");
  for (unsigned i = 0; i < kept; i++)
    as_lay_push(&red->src, 1u << i);
  as_lay_add_out(&red->dst, "reg", kept + bits);
  as_lay_add_in(&red->dst, "k");
  for (unsigned i = 0; i < bits; i++)
    as_lay_push(&red->dst, 1u << (kept + i));
  s->value[s->n] = red->v;
  s->map[s->n] = as_lay_identity("reg", "reg", kept);
  s->atom[s->n++] = x->atom;
  return true;
}

bool as_finish_tail_sums(as_finish *F, as_finish_sums *s) {
  as_finish_sums inner = {.n = 0};
  if (!F->p->n_tail)
    return true;
  as_lay pairs = pairs_along(F);
  if (!load_inner(F, &inner))
    return false;
  for (unsigned i = 0; i < F->p->n_tail; i++) {
    if (!one_tail(F, &F->p->tail[i], &pairs, &inner, s))
      return false;
  }
  return true;
}
