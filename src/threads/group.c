/* Thread graphs of products by warpgroups: both operands come from the ring through descriptors,
 * the products run on while the next tiles are waited for, and what follows the loop is computed in
 * the accumulators' registers.  Which instruction, in which roles, is found by unification with its
 * meaning and by comparing where it reads with where bulk copies lay the tiles. */
#include "lowering.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define MOST_ACCUMULATORS 7u /* log2 of a thread's registers that a product may fill */
#define OTHER_REGISTERS 32u  /* what a thread has beside them */
#define REGISTERS 65536u     /* of a multiprocessor */

typedef struct {     /* one operand of the instruction */
  const char *index; /* its own index, beside the one that is summed over */
  const as_plan_axis *axis;
  const as_ring_stream *stream;
  unsigned covered; /* bits of the axis in one instruction */
  unsigned copies;  /* bits: instructions along the axis that a warpgroup issues */
  unsigned groups;  /* bits of warpgroups along the axis */
  long lead;        /* bytes between panels */
} operand;

typedef struct {
  as_plan *p;
  as_tg *g;
  const as_isa_row *row;
  operand side[2];
  bool wide_first; /* the wide operand is the instruction's first .. */
  bool refused[2]; /* .. by that: what was tried in vain */
  double cost;
  as_ring_stream stream[2]; /* of the wide and of the batch operand */
  as_lay acc;               /* (reg, lane, warp) -> both axes */
} builder;

/* --- selection */
static uint32_t swizzled(const as_isa_row *row, uint32_t off) {
  unsigned shift = (unsigned)as_isa_needs(row, "shift");
  return off ^ ((off >> (6 + shift) & (uint32_t)as_isa_needs(row, "mask")) << 3);
}

/* the index bit that an input bit of an operand's layout moves, as an offset in the ring */
static uint32_t tile_place(const as_group_operand *o, const as_lay *layout, unsigned bit) {
  uint32_t summed = as_lay_part(layout, o->row->product.over, layout->col[bit]);
  uint32_t own = as_lay_part(layout, o->index, layout->col[bit]);
  return summed ? as_lay_at(&o->ring->place, o->summed->name, summed)
                : as_lay_at(&o->ring->place, o->axis->name, own);
}

bool as_group_reads(const as_group_operand *o, const char *name, long *lead) {
  const as_lay *layout = as_isa_layout(o->row, name);
  unsigned at;
  *lead = 0;
  if (!layout || !as_lay_has_in(layout, "off") ||
      o->ring->swizzle != (unsigned)as_isa_needs(o->row, "swizzle"))
    return false;
  unsigned n = as_lay_in(layout, "off", &at);
  for (unsigned i = 0; i < n; i++) {
    if (layout->col[at + i] && tile_place(o, layout, at + i) != swizzled(o->row, (uint32_t)1 << i))
      return false;
  }
  n = as_lay_in(layout, "panel", &at);
  for (unsigned i = 0; i < n; i++) {
    uint32_t place = tile_place(o, layout, at + i);
    if (i == 0)
      *lead = 2L * (long)place;
    if (2L * (long)place != *lead << i)
      return false;
  }
  return true;
}

static bool reads_as_it_lies(const builder *B, operand *o, const char *name) {
  as_group_operand x = {B->row, o->index, o->axis, &B->p->k, &o->stream->ring};
  return as_group_reads(&x, name, &o->lead);
}

/* how warpgroups share the tile: along the first axis as far as they go, then along the second */
static bool share(builder *B) {
  const as_lay *c = as_isa_layout(B->row, B->row->product.result);
  unsigned groups = B->p->o->warps ? 0 : 1;
  for (unsigned k = 0; k < 2; k++) {
    operand *o = &B->side[k];
    o->covered = as_lay_out(c, o->index, NULL);
    if (o->axis->bits < o->covered)
      return false;
    o->copies = o->axis->bits - o->covered;
  }
  while (4 << groups < B->p->o->warps)
    groups++;
  for (unsigned k = 0; k < 2; k++) {
    operand *o = &B->side[k];
    o->groups = groups < o->copies ? groups : o->copies;
    o->copies -= o->groups;
    groups -= o->groups;
  }
  unsigned bits = as_lay_in(c, "reg", NULL) + B->side[0].copies + B->side[1].copies;
  /* registers are given to four warps at a time: the producer's count as four */
  unsigned threads = 128 * ((1u << (B->side[0].groups + B->side[1].groups)) + 1);
  return bits <= MOST_ACCUMULATORS && threads * ((1u << bits) + OTHER_REGISTERS) <= REGISTERS;
}

static bool fits(builder *B, bool wide_first) {
  static const char *const types[] = {[AS_F16] = "f16", [AS_BF16] = "bf16", [AS_F32] = "f32"};
  const as_isa_product *x = &B->row->product;
  const as_isa_operand *first = as_isa_get_operand(B->row, x->first);
  if (!x->is || !as_isa_needs(B->row, "warps") || !first ||
      strcmp(first->type, types[B->p->type]) != 0)
    return false;
  operand wide = {.axis = &B->p->wide, .stream = &B->stream[0]};
  operand batch = {.axis = &B->p->batch, .stream = &B->stream[1]};
  B->side[0] = wide_first ? wide : batch;
  B->side[1] = wide_first ? batch : wide;
  B->side[0].index = x->row;
  B->side[1].index = x->column;
  return reads_as_it_lies(B, &B->side[0], x->first) &&
         reads_as_it_lies(B, &B->side[1], x->second) && share(B);
}

/* issue slots, and one a product, so that few large ones are better than many small ones */
static double cost_of(const builder *B) {
  unsigned products = 0; /* log2 of how many all warpgroups issue for one step of the sum */
  for (unsigned k = 0; k < 2; k++)
    products += B->side[k].copies + B->side[k].groups;
  return (B->row->cost + 1) * (double)(1u << products);
}

static bool select_way(builder *B) {
  builder best = {.row = NULL};
  for (unsigned i = 0; i < as_isa_count(B->p->isa); i++) {
    for (unsigned way = 0; way < 2; way++) { /* the product commutes */
      B->row = as_isa_nth(B->p->isa, i);
      B->wide_first = way == 0;
      if (B->refused[B->wide_first] || !fits(B, B->wide_first))
        continue;
      B->cost = cost_of(B);
      if (!best.row || B->cost < best.cost)
        best = *B;
    }
  }
  if (!best.row)
    return as_plan_fail(B->p, "no product of warpgroups reads its tiles as they lie");
  B->row = best.row;
  B->side[0] = best.side[0];
  B->side[1] = best.side[1];
  B->wide_first = best.wide_first;
  B->g->warp_bits = 2 + B->side[0].groups + B->side[1].groups;
  return true;
}

/* --- layouts */
static void push_strides(as_lay *l, const char *axis, unsigned from, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    as_lay_push_at(l, axis, 1u << (from + i));
}

/* the instruction's registers, then copies along its second index, then along its first */
static bool accumulators(builder *B) {
  uint32_t cols[AS_LAY_BITS];
  const operand *first = &B->side[0];
  const operand *second = &B->side[1];
  const as_isa_product *x = &B->row->product;
  as_lay c = as_lay_rename_out(as_isa_layout(B->row, x->result), x->row, first->axis->name);
  c = as_lay_rename_out(&c, x->column, second->axis->name);
  as_lay grown = as_lay_new();
  as_lay_add_out(&grown, first->axis->name, first->axis->bits - first->covered);
  as_lay_add_out(&grown, second->axis->name, second->axis->bits - second->covered);
  as_lay l = as_lay_product(&c, &grown);
  as_lay r = as_lay_new();
  for (unsigned i = 0; i < l.n_out; i++)
    as_lay_add_out(&r, l.out[i].name, l.out[i].bits);
  static const char *const dims[] = {"reg", "lane", "warp"};
  for (unsigned d = 0; d < 3; d++) {
    unsigned n = as_lay_cols(&l, dims[d], cols);
    as_lay_add_in(&r, dims[d]);
    for (unsigned i = 0; i < n; i++)
      as_lay_push(&r, cols[i]);
    if (d == 0) {
      push_strides(&r, second->axis->name, second->covered, second->copies);
      push_strides(&r, first->axis->name, first->covered, first->copies);
    }
    if (d == 2) {
      push_strides(&r, first->axis->name, first->covered + first->copies, first->groups);
      push_strides(&r, second->axis->name, second->covered + second->copies, second->groups);
    }
  }
  B->acc = r;
  return !r.bad || as_plan_fail(B->p, "a tile too large");
}

/* where an operand's copies begin: u counts steps along the summed index, then copies along the
 * second index, then along the first */
static as_lay starts(const builder *B, unsigned which) {
  const operand *o = &B->side[which];
  const as_lay *place = &o->stream->ring.place;
  unsigned steps = B->p->k.bits - 4;
  as_lay l = as_lay_new();
  as_lay_add_out(&l, "off", as_lay_out_bits(place));
  as_lay_add_in(&l, "u");
  for (unsigned i = 0; i < steps; i++)
    as_lay_push(&l, as_lay_at(place, B->p->k.name, 16u << i));
  for (unsigned k = 2; k-- > 0;) {
    for (unsigned i = 0; i < B->side[k].copies; i++)
      as_lay_push(&l, k == which ? as_lay_at(place, o->axis->name, 1u << (o->covered + i)) : 0);
  }
  as_lay_add_in(&l, "warp");
  as_lay_push(&l, 0);
  as_lay_push(&l, 0);
  for (unsigned k = 0; k < 2; k++) {
    unsigned from = o->covered + o->copies;
    for (unsigned i = 0; i < B->side[k].groups; i++)
      as_lay_push(&l, k == which ? as_lay_at(place, o->axis->name, 1u << (from + i)) : 0);
  }
  return l;
}

/* --- the graph */
static int accumulator(const builder *B) {
  return as_tg_value(B->g, "acc0");
}

static bool multiply(builder *B, as_tg_op *in) {
  as_tg_op *op = as_tg_add(B->g, in, AS_TG_WGMMA, 'c');
  unsigned steps = B->p->k.bits - 4;
  unsigned copies = B->side[0].copies + B->side[1].copies;
  op->instr = as_arena_strdup(B->g->mem, B->row->name);
  op->v = accumulator(B);
  op->buf = (int)B->side[0].stream->buf;
  op->bufb = (int)B->side[1].stream->buf;
  op->src = starts(B, 0);
  op->dst = starts(B, 1);
  op->lead = (int)B->side[1].lead;
  as_lay_add_out(&op->gc, "g", copies);
  as_lay_add_in(&op->gc, "u");
  for (unsigned i = 0; i < steps; i++)
    as_lay_push(&op->gc, 0);
  for (unsigned i = 0; i < copies; i++)
    as_lay_push(&op->gc, 1u << i);
  return (!op->src.bad && !op->dst.bad) || as_plan_fail(B->p, "a tile too large");
}

/* A producer fills stages.  A stage is given back one iteration after it was multiplied, so that
 * there are always products under way. */
static bool body(builder *B) {
  as_tg *g = B->g;
  as_ring_produce(B->p, g, B->stream, 2);
  as_tg_op *zero = as_tg_add(g, NULL, AS_TG_ZERO, 'c');
  zero->v = accumulator(B);
  zero->bits = (int)as_lay_in(&B->acc, "reg", NULL);
  as_tg_op *loop = as_tg_add(g, NULL, AS_TG_LOOP, 'c');
  loop->count = (int)B->p->trip;
  as_tg_add(g, loop, AS_TG_MBWAIT, 'c')->bar = 0;
  as_tg_add(g, loop, AS_TG_WGFENCE, 'c');
  if (!multiply(B, loop))
    return false;
  as_tg_add(g, loop, AS_TG_WGCOMMIT, 'c');
  as_tg_add(g, loop, AS_TG_WGWAIT, 'c')->count = 1;
  as_tg_add(g, loop, AS_TG_SYNCWARP, 'c');
  as_tg_op *back = as_tg_add(g, loop, AS_TG_MBARRIVE, 'c');
  back->bar = 1;
  back->slot = -1;
  back->from = 1;
  as_tg_add(g, NULL, AS_TG_WGWAIT, 'c')->count = 0;
  return true;
}

static bool stream(builder *B, unsigned which, as_node_id node) {
  unsigned tile;
  return as_plan_tile(B->p, B->g, node, &tile) &&
         as_ring_stream_new(B->p, B->g, tile, node, &B->stream[which]) &&
         (as_ring_can_bulk(B->p, &B->g->tile[tile], &B->stream[which].ring) ||
          as_plan_fail(B->p, "a tile that bulk copies cannot load"));
}

/* the graph, by the best way that was not refused; NULL: there is none, or what it leaves in
 * registers does not lie as the result does */
static as_tg *built(builder *B) {
  as_plan *p = B->p;
  const as_plan_product *x = &p->product[0];
  B->g = as_tg_new(p->b->graph->block[p->b->block].name);
  B->g->trip = (int)p->trip;
  B->row = NULL;
  bool ok = stream(B, 0, x->weight) && stream(B, 1, x->batch) && select_way(B) && accumulators(B) &&
            as_ring_place(p, B->g, B->stream, 2) && body(B) &&
            as_stream_finish_registers(p, B->g, &B->acc);
  if (ok)
    return B->g;
  as_tg_free(B->g);
  return NULL;
}

as_tg *as_plan_group(as_plan *p) {
  builder B = {.p = p};
  const as_plan_product *x = &p->product[0];
  if (p->n_product != 1 || x->n_scale || p->n_side || p->n_tail) {
    as_plan_fail(p, "more than one product");
    return NULL;
  }
  if (p->k.padded || p->wide.padded || p->batch.padded) {
    as_plan_fail(p, "an extent that is no power of two");
    return NULL;
  }
  p->alone = true;
  as_tg *g = built(&B);
  if (g == NULL && B.row != NULL) {
    B.refused[B.wide_first] = true; /* the other factor may be the first, too */
    free(p->why);
    p->why = NULL;
    g = built(&B);
  }
  p->alone = false;
  return g;
}
