/* What follows the loop of a streaming product: the partial sums of the warps along k are stored in
 * shared memory, read back where the output's threads want them, added, and put into the rest of
 * the expression. */
#include "finish.h"
#include "src/base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int as_finish_value(const as_finish *F, const char *stem, unsigned i) {
  char name[24];
  snprintf(name, sizeof name, "%s%u", stem, i);
  return as_tg_value(F->g, name);
}

static bool output_layout(as_finish *F) {
  as_plan *p = F->p;
  as_ring_tile r;
  memset(&r, 0, sizeof r);
  if (!as_plan_tile(p, F->g, p->store, &F->out_tile))
    return false;
  const as_tg_tile *t = &F->g->tile[F->out_tile];
  as_lay l = as_lay_new();
  for (unsigned i = 0; i < t->n_axis; i++) {
    const as_tg_axis *a = &t->axis[i];
    if (!a->bits)
      continue;
    as_lay_add_out(&l, a->name, a->bits);
    char *to = a->stride == 1 ? r.col : r.row;
    if (*to)
      return as_plan_fail(p, "an output tile that is no matrix");
    memcpy(to, a->name, AS_LAY_NAME);
  }
  if (!*r.col || !*r.row)
    return as_plan_fail(p, "an output tile that is no matrix");
  r.content = l;
  memcpy(F->contiguous, r.col, sizeof F->contiguous);
  as_ring_spread(&r, 1, F->g->warp_bits, &F->own, &F->lanes, &F->warps);
  return !F->own.bad || as_plan_fail(p, "an output tile too large");
}

static unsigned all_conflicts(const as_finish *F, const as_lay *place) {
  as_lay store = as_lay_after(place, F->acc);
  as_lay load = as_lay_after(place, &F->own);
  return as_lay_conflicts(&store, 4, 1) + as_lay_conflicts(&load, 4, 2);
}

/* row by row of the contiguous axis at first; then high bits are xor'ed into low ones as long as
 * accesses collide less.  Bit 0 stays: neighbours are read together. */
static void exchange_layout(as_finish *F) {
  as_plan *p = F->p;
  const char *col = F->contiguous;
  const char *row = strcmp(col, p->wide.name) ? p->wide.name : p->batch.name;
  unsigned cols = !strcmp(col, p->wide.name) ? p->wide.bits : p->batch.bits;
  unsigned rows = !strcmp(col, p->wide.name) ? p->batch.bits : p->wide.bits;
  unsigned bits = cols + rows + F->k_warps + F->product_bits;
  as_lay l = as_lay_new();
  as_lay_add_out(&l, "off", bits);
  unsigned at = 0;

  const struct {
    const char *name;
    unsigned bits;
  } dims[] = {{col, cols}, {row, rows}, {"wk", F->k_warps}, {"sum", F->product_bits}};

  for (unsigned d = 0; d < 4; d++) {
    as_lay_add_in(&l, dims[d].name);
    for (unsigned i = 0; i < dims[d].bits; i++)
      as_lay_push(&l, 1u << at++);
  }
  bool better = true;
  while (better) {
    better = false;
    unsigned now = all_conflicts(F, &l);
    for (unsigned i = cols; i < cols + rows; i++) {
      for (unsigned b = 1; b < cols; b++) {
        as_lay trial = l;
        trial.col[i] ^= 1u << b;
        if (all_conflicts(F, &trial) >= now)
          continue;
        l = trial;
        now = all_conflicts(F, &l);
        better = true;
      }
    }
  }
  F->place = l;
}

static bool buffers(as_finish *F) {
  as_tg *g = F->g;
  unsigned bits = as_lay_out_bits(&F->place);
  if (g->n_buffer + 3 > sizeof g->buffer / sizeof *g->buffer)
    return as_plan_fail(F->p, "too many buffers");
  F->exchange = g->n_buffer++;
  g->buffer[F->exchange] = (as_tg_buffer){"sums", 4, bits, 1, 0};
  long end = as_tg_buffer_bytes(&g->buffer[F->exchange]);
  if (F->p->n_side) {
    unsigned n = 0;
    while (1u << n < F->p->n_side)
      n++;
    F->sides = g->n_buffer++;
    g->buffer[F->sides] =
        (as_tg_buffer){"rows", 4, F->p->batch.bits + F->k_warps + n, 1, (end + 15) / 16 * 16};
    end = g->buffer[F->sides].base + as_tg_buffer_bytes(&g->buffer[F->sides]);
  }
  if (F->p->n_inner && !as_finish_tail_buffer(F, end))
    return false;
  return as_tg_shared_bytes(g) + 2048 <= F->p->o->smem_limit ||
         as_plan_fail(F->p, "partial sums that do not fit in shared memory");
}

static void store_products(as_finish *F) {
  unsigned low = as_lay_out_bits(&F->place) - F->product_bits;
  uint32_t cols[AS_LAY_BITS];
  for (unsigned i = 0; i < F->p->n_product; i++) {
    as_tg_op *op = as_tg_add(F->g, NULL, AS_TG_STS, 'c');
    as_lay at = as_lay_after(&F->place, F->acc);
    unsigned n = as_lay_cols(&at, "reg", cols);
    op->dst = as_lay_with(&at, "u", cols, n);
    op->dst = as_lay_with(&op->dst, "reg", NULL, 0);
    op->buf = (int)F->exchange;
    op->a = as_finish_value(F, "acc", i);
    op->base = (int)(i << low);
  }
}

/* lanes that hold different k of one row are added up by shuffles, one of them stores */
static void store_sides(as_finish *F) {
  uint32_t lane[AS_LAY_BITS];
  uint32_t regs[AS_LAY_BITS];
  const char *k = F->p->k.name;
  const char *row = F->p->batch.name;
  unsigned n_lane = as_lay_cols(F->batch_lay, "lane", lane);
  unsigned n_reg = as_lay_cols(F->batch_lay, "reg", regs);
  unsigned bits = F->p->batch.bits;
  for (unsigned i = 0; i < F->p->n_side; i++) {
    as_lay l = as_lay_new();
    int mask = 0;
    int v = as_finish_value(F, "side", i);
    as_lay_add_out(&l, "off", F->g->buffer[F->sides].bits);
    as_lay_add_in(&l, "u");
    for (unsigned r = 0; r < n_reg; r++) {
      if (!as_lay_part(F->batch_lay, k, regs[r]))
        as_lay_push(&l, as_lay_part(F->batch_lay, row, regs[r]));
    }
    as_lay_add_in(&l, "lane");
    for (unsigned b = 0; b < n_lane; b++) {
      bool along = as_lay_part(F->batch_lay, k, lane[b]);
      as_lay_push(&l, along ? 0 : as_lay_part(F->batch_lay, row, lane[b]));
      if (!along)
        continue;
      as_tg_op *op = as_tg_add(F->g, NULL, AS_TG_SHFL, 'c');
      op->v = v;
      op->fold = AS_TG_SUM;
      op->lanes = 1 << b;
      mask |= 1 << b;
    }
    as_lay_add_in(&l, "warp");
    for (unsigned b = 0; b < F->wide_warps; b++)
      as_lay_push(&l, 0);
    for (unsigned b = 0; b < F->k_warps; b++)
      as_lay_push(&l, 1u << (bits + b));
    as_tg_op *op = as_tg_add(F->g, NULL, AS_TG_STS, 'c');
    op->a = v;
    op->buf = (int)F->sides;
    op->base = (int)(i << (bits + F->k_warps));
    op->lanes = mask;
    op->warps = (1 << F->wide_warps) - 1;
    op->dst = l;
  }
}

int as_finish_load_sum(as_finish *F, const char *stem, unsigned i, const as_lay *place,
                       unsigned buf, int base, unsigned vec, const as_lay *where) {
  uint32_t cols[AS_LAY_BITS];
  as_lay at = as_lay_after(place, where);
  unsigned n = as_lay_cols(&at, "u", cols);
  unsigned slot;
  as_lay_in(place, "wk", &slot);
  for (unsigned k = 0; k < F->k_warps; k++)
    cols[n + k] = place->col[slot + k];
  as_tg_op *ld = as_tg_add(F->g, NULL, AS_TG_LDS, 'c');
  ld->src = as_lay_with(&at, "u", cols, n + F->k_warps);
  ld->v = as_finish_value(F, stem, 2 * i);
  ld->buf = (int)buf;
  ld->base = base;
  ld->vec = (int)vec;
  unsigned keep = vec + n;
  as_tg_op *red = as_tg_add(F->g, NULL, AS_TG_RED, 'c');
  red->v = as_finish_value(F, stem, 2 * i + 1);
  red->a = ld->v;
  red->fold = AS_TG_SUM;
  as_lay_add_out(&red->src, "reg", keep + F->k_warps);
  as_lay_add_in(&red->src, "reg");
  for (unsigned k = 0; k < keep; k++)
    as_lay_push(&red->src, 1u << k);
  as_lay_add_out(&red->dst, "reg", keep + F->k_warps);
  as_lay_add_in(&red->dst, "k");
  for (unsigned k = 0; k < F->k_warps; k++)
    as_lay_push(&red->dst, 1u << (keep + k));
  return red->v;
}

static bool load_sums(as_finish *F, as_finish_sums *s) {
  as_plan *p = F->p;
  uint32_t cols[AS_LAY_BITS];
  unsigned own = as_lay_cols(&F->own, "u", cols);
  unsigned low = as_lay_out_bits(&F->place) - F->product_bits;
  if (p->n_product + p->n_side > AS_TG_ARGS)
    return as_plan_fail(p, "an expression of too many sums");
  for (unsigned i = 0; i < p->n_product; i++) {
    s->value[s->n] =
        as_finish_load_sum(F, "sum", i, &F->place, F->exchange, (int)(i << low), 1, &F->own);
    s->map[s->n] = as_lay_identity("reg", "reg", 1 + own);
    s->atom[s->n++] = p->product[i].atom;
  }
  as_lay rows = as_lay_new(); /* (batch, wk) -> offset */
  as_lay_add_out(&rows, "off", p->n_side ? F->g->buffer[F->sides].bits : 0);
  as_lay_add_in(&rows, p->batch.name);
  for (unsigned i = 0; p->n_side && i < p->batch.bits; i++)
    as_lay_push(&rows, 1u << i);
  as_lay_add_in(&rows, "wk");
  for (unsigned i = 0; p->n_side && i < F->k_warps; i++)
    as_lay_push(&rows, 1u << (p->batch.bits + i));
  as_lay where = as_lay_take(&F->own, (const char *[]){p->batch.name}, 1);
  for (unsigned i = 0; i < p->n_side; i++) {
    s->value[s->n] = as_finish_load_sum(F, "norm", i, &rows, F->sides,
                                        (int)(i << (p->batch.bits + F->k_warps)), 0, &where);
    as_lay m = as_lay_new();
    as_lay_add_out(&m, "reg", own);
    as_lay_add_in(&m, "reg");
    as_lay_push(&m, 0);
    for (unsigned k = 0; k < own; k++)
      as_lay_push(&m, 1u << k);
    s->map[s->n] = m;
    s->atom[s->n++] = p->side[i].atom;
  }
  return true;
}

static void live_only(const as_tg_tile *t, as_tg_op *op) {
  for (unsigned i = 0; i < t->n_axis; i++)
    op->pred[i] = t->axis[i].live != 1L << t->axis[i].bits ? t->axis[i].live : 0;
}

static bool load_element(as_finish *F, const as_lay *own, bool first, uint32_t id, const as_atom *a,
                         as_finish_sums *s) {
  as_plan *p = F->p;
  unsigned tile;
  const char *axes[AS_TG_AXES];
  unsigned n_axes = 0;
  uint32_t cols[AS_LAY_BITS];
  if (s->n == AS_TG_ARGS)
    return as_plan_fail(p, "an expression of too many values");
  if (p->b->graph->node[a->node].map[3] >= 0)
    return as_plan_fail(p, "an element of the loop's tiles in a result");
  if (!as_plan_tile(p, F->g, a->node, &tile))
    return false;
  const as_tg_tile *t = &F->g->tile[tile];
  bool neighbours = false; /* two of them side by side */
  for (unsigned i = 0; i < t->n_axis; i++) {
    if (!t->axis[i].bits)
      continue;
    axes[n_axes++] = t->axis[i].name;
    neighbours = neighbours || (!strcmp(t->axis[i].name, F->contiguous) && t->axis[i].stride == 1);
  }
  if (!neighbours)
    return as_plan_fail(p, "an element of a result that is not read along its rows");
  as_tg_op *ld = as_tg_new_op(F->g, AS_TG_LDG, 'c');
  as_lay at = as_lay_take(own, axes, n_axes);
  unsigned n = as_lay_cols(&at, "u", cols);
  uint32_t image[AS_LAY_BITS]; /* register bits of the result -> of what is loaded */
  unsigned kept = 0;
  for (unsigned i = 0; i < n; i++) {
    image[i] = cols[i] ? 2u << kept : 0;
    if (cols[i])
      cols[kept++] = cols[i];
  }
  as_lay m = as_lay_new();
  as_lay_add_out(&m, "reg", 1 + kept);
  as_lay_add_in(&m, "reg");
  as_lay_push(&m, 1);
  for (unsigned i = 0; i < n; i++)
    as_lay_push(&m, image[i]);
  ld->v = as_finish_value(F, "beside", tile);
  ld->tile = (int)tile;
  ld->vec = 1;
  memcpy(ld->vaxis, F->contiguous, sizeof ld->vaxis);
  ld->src = as_lay_with(&at, "u", cols, kept);
  live_only(t, ld);
  as_tg_insert(F->g, &F->g->top, first ? 0 : F->g->top.n_body, ld);
  s->value[s->n] = ld->v;
  s->map[s->n] = m;
  s->atom[s->n++] = id;
  return true;
}

bool as_finish_load_elements(as_finish *F, const as_lay *own, bool first, as_poly x,
                             as_finish_sums *s) {
  const as_terms *t = F->p->t;
  for (uint32_t i = 0; i < as_poly_monos(t, x); i++) {
    const as_mono *m = as_poly_mono(t, x, i);
    for (uint32_t k = 0; k < m->n; k++) {
      uint32_t id = m->factor[k].atom;
      const as_atom *a = as_term_atom(t, id);
      const as_poly inner[2] = {a->p, a->q};
      for (int j = 0; j < 2 && a->kind >= AS_ATOM_EXP; j++) {
        if (inner[j] != AS_POLY_NONE && !as_finish_load_elements(F, own, first, inner[j], s))
          return false;
      }
      bool seen = a->kind != AS_ATOM_LOAD;
      for (unsigned j = 0; j < s->n; j++)
        seen = seen || s->atom[j] == id;
      if (!seen && !load_element(F, own, first, id, a, s))
        return false;
    }
  }
  return true;
}

static void store_pairs(as_finish *F, unsigned tile, int v) {
  as_tg_op *st = as_tg_add(F->g, NULL, AS_TG_STG, 'c');
  st->tile = (int)tile;
  st->a = v;
  st->vec = 1;
  memcpy(st->vaxis, F->contiguous, sizeof st->vaxis);
  st->lanes = F->lanes;
  st->warps = F->warps;
  st->dst = F->own;
  live_only(&F->g->tile[tile], st);
}

/* Threads that hold few neighbours of a row meet others in shared memory, so that whole rows are
 * stored. The tile lies there as a ring's would: swizzled, so that neither side's accesses collide.
 * false: it does not lie so */
static bool store_rows(as_finish *F, unsigned tile, int v) {
  as_tg *g = F->g;
  const as_tg_tile *t = &g->tile[tile];
  as_ring_tile r;
  as_lay rows;
  int lanes;
  int warps;
  if (t->type == AS_F32 || !as_ring_layout(t, &r) || r.swizzle != 128 ||
      g->n_buffer == sizeof g->buffer / sizeof *g->buffer ||
      (2L << as_tg_tile_bits(t)) + 2048 > F->p->o->smem_limit)
    return false;
  as_ring_spread(&r, 3, g->warp_bits, &rows, &lanes, &warps);
  as_lay from = as_lay_after(&r.place, &F->own);
  as_lay to = as_lay_after(&r.place, &rows);
  if (from.bad || to.bad || F->lanes || F->warps)
    return false;
  char *name = as_format("e_%.40s", t->name);
  unsigned buf = g->n_buffer++;
  g->buffer[buf] = (as_tg_buffer){as_arena_strdup(g->mem, name), 2, as_tg_tile_bits(t), 1, 0};
  free(name);
  as_tg_add(g, NULL, AS_TG_BAR, 'a'); /* nobody reads any more what lay there */
  as_tg_op *sts = as_tg_add(g, NULL, AS_TG_STS, 'c');
  sts->buf = (int)buf;
  sts->a = v;
  sts->vec = 1;
  sts->dst = from;
  as_tg_add(g, NULL, AS_TG_BAR, 'a');
  as_tg_op *lds = as_tg_add(g, NULL, AS_TG_LDS, 'c');
  lds->v = as_finish_value(F, "row", tile);
  lds->buf = (int)buf;
  lds->vec = 3;
  lds->src = to;
  as_tg_op *st = as_tg_add(g, NULL, AS_TG_STG, 'c');
  st->tile = (int)tile;
  st->a = lds->v;
  st->vec = 3;
  memcpy(st->vaxis, F->contiguous, sizeof st->vaxis);
  st->lanes = lanes;
  st->warps = warps;
  st->dst = rows;
  live_only(t, st);
  return true;
}

/* the value of an output where F->own says; its tile */
static int computed(as_finish *F, as_node_id node, as_poly want, const as_finish_sums *all,
                    unsigned *tile) {
  as_plan *p = F->p;
  uint32_t cols[AS_LAY_BITS];
  unsigned own = as_lay_cols(&F->own, "u", cols);
  as_finish_sums s = *all;
  if (!as_plan_tile(p, F->g, node, tile) || !as_finish_load_elements(F, &F->own, false, want, &s))
    return -1;
  as_tg_op *map = as_tg_add(F->g, NULL, AS_TG_MAP, 'c');
  for (unsigned i = 0; i < s.n; i++) {
    map->arg[i] = s.value[i];
    map->arg_map[i] = s.map[i];
  }
  map->n_arg = (int)s.n;
  map->v = as_finish_value(F, "out", *tile);
  map->type = (int)F->g->tile[*tile].type;
  map->bits = (int)(1 + own);
  map->expr = as_term_expr(F->g, p->t, want, s.atom, s.n);
  if (map->expr)
    return map->v;
  as_plan_fail(p, "an expression of more than the sums over the loop");
  return -1;
}

static bool outputs(as_finish *F, const as_finish_sums *s, bool by_rows) {
  for (unsigned i = 0; i < F->p->n_store; i++) {
    unsigned tile;
    int v = computed(F, F->p->stores[i], F->p->wants[i], s, &tile);
    if (v < 0)
      return false;
    if (!by_rows || !store_rows(F, tile, v))
      store_pairs(F, tile, v);
  }
  return true;
}

/* Each thread stores what it holds: pairs of neighbours, the accumulators' lowest bit */
static bool own_registers(as_finish *F) {
  const char *axes[AS_TG_AXES];
  unsigned n = 0;
  uint32_t cols[AS_LAY_BITS];
  if (!as_plan_tile(F->p, F->g, F->p->store, &F->out_tile))
    return false;
  const as_tg_tile *t = &F->g->tile[F->out_tile];
  for (unsigned i = 0; i < t->n_axis; i++) {
    if (t->axis[i].bits)
      axes[n++] = t->axis[i].name;
    if (t->axis[i].bits && t->axis[i].stride == 1)
      memcpy(F->contiguous, t->axis[i].name, sizeof F->contiguous);
  }
  as_lay all = as_lay_take(F->acc, axes, n);
  unsigned registers = as_lay_cols(&all, "reg", cols);
  if (all.bad || !registers || as_lay_part(&all, F->contiguous, cols[0]) != 1)
    return as_plan_fail(F->p, "neighbours of a row are not held together");
  as_lay l = as_lay_with(&all, "u", cols + 1, registers - 1);
  F->own = as_lay_with(&l, "reg", NULL, 0);
  return !F->own.bad || as_plan_fail(F->p, "an output tile too large");
}

bool as_stream_finish_registers(as_plan *p, as_tg *g, const as_lay *acc) {
  as_finish F = {.p = p, .g = g, .acc = acc};
  as_finish_sums s = {.n = 1};
  if (!own_registers(&F))
    return false;
  s.value[0] = as_finish_value(&F, "acc", 0);
  s.map[0] = as_lay_identity("reg", "reg", as_lay_in(acc, "reg", NULL));
  s.atom[0] = p->product[0].atom;
  return outputs(&F, &s, true);
}

bool as_stream_finish(as_plan *p, as_tg *g, const as_lay *acc, const as_lay *inner_acc,
                      const as_lay *batch_lay, unsigned k_warps, unsigned wide_warps) {
  as_finish F = {.p = p,
                 .g = g,
                 .acc = acc,
                 .inner_acc = inner_acc,
                 .batch_lay = batch_lay,
                 .k_warps = k_warps,
                 .wide_warps = wide_warps};
  while (1u << F.product_bits < p->n_product)
    F.product_bits++;
  if (!output_layout(&F))
    return false;
  exchange_layout(&F);
  if (!buffers(&F))
    return false;
  store_products(&F);
  if (p->n_side)
    store_sides(&F);
  if (p->n_inner)
    as_finish_tail_store(&F);
  as_tg_add(g, NULL, AS_TG_BAR, 'a');
  as_finish_sums s = {.n = 0};
  return load_sums(&F, &s) && as_finish_tail_sums(&F, &s) && outputs(&F, &s, false);
}
