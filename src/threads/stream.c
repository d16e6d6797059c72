/* Thread graphs of streaming products: tiles of the weights pass once through a ring; the products
 * of one tile are shared among warps along the wide axis and along k, whose partial sums meet in
 * shared memory after the loop, where the rest of the expression is computed. */
#include "lowering.h"
#include "src/base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define MAX_STREAMS 8

typedef struct { /* one side of the product, as an instruction holds it */
  const as_plan_axis *axis;
  unsigned covered; /* bits of the axis in one fragment */
  unsigned copies;  /* bits: fragments along the axis that a warp keeps */
  unsigned warps;   /* bits of warps along the axis */
  as_lay fragment;  /* (reg, lane) -> (axis, k) */
  as_lay lay;       /* (reg, lane, warp, s) -> (axis, k): of all that a warp keeps */
} operand;

typedef struct {
  as_plan *p;
  as_tg *g;
  as_select_way way;
  unsigned wide_warps; /* bits */
  unsigned k_warps;
  unsigned step_bits;
  operand side[2]; /* the instruction's first and second */
  operand *wide;
  operand *batch;
  operand inner; /* of products with the inner axis, the same in all warps along the wide one */
  unsigned n_stream;
  as_ring_stream stream[MAX_STREAMS];
  as_lay acc;       /* (reg, lane, warp) -> (wide, batch, wk): where partial sums lie */
  as_lay inner_acc; /* -> (inner, batch, wk) */
} builder;

static void push_all(as_lay *l, const uint32_t *cols, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    as_lay_push(l, cols[i]);
}

static void push_strides(as_lay *l, const char *axis, unsigned from, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    as_lay_push_at(l, axis, 1u << (from + i));
}

/* --- how the warps share a tile */
static double cost_of(const as_plan *p, const as_select_way *way, unsigned wide_warps,
                      unsigned k_warps) {
  unsigned steps = p->k.bits - 4 - k_warps;
  unsigned wide_cover = way->wide_first ? 4 : 3;
  unsigned batch_cover = way->wide_first ? 3 : 4;
  double wide = (double)(1u << (p->wide.bits - wide_cover - wide_warps));
  double batch = (double)(1u << (p->batch.bits - batch_cover));
  double inner = p->n_inner ? (double)(1u << (p->inner_axis.bits - wide_cover)) * p->n_inner : 0;
  double first = wide * p->n_product + inner;
  double loads = 4 * first + (way->wide_first ? 2 : 4) * batch;
  double products = way->row->cost * first * batch;
  double exchange = (double)(1u << k_warps) * 2 * wide * batch * p->n_product / (double)p->trip;
  return (double)(1u << steps) * (loads + products) + exchange;
}

static bool share(builder *B) {
  as_plan *p = B->p;
  double best = 0;
  bool found = false;
  unsigned most = p->o->warps ? 0 : 3;
  while (1 << most < p->o->warps)
    most++;
  unsigned wide_cover = B->way.wide_first ? 4 : 3;
  for (unsigned total = most + 1; total-- > 0 && !found;) {
    for (unsigned k_warps = 0; k_warps <= total; k_warps++) {
      unsigned wide_warps = total - k_warps;
      if (p->wide.bits < wide_cover + wide_warps || p->k.bits < 4 + k_warps)
        continue;
      double cost = cost_of(p, &B->way, wide_warps, k_warps);
      if (found && cost >= best)
        continue;
      best = cost;
      found = true;
      B->wide_warps = wide_warps;
      B->k_warps = k_warps;
    }
  }
  B->step_bits = p->k.bits - 4 - B->k_warps;
  B->g->warp_bits = B->wide_warps + B->k_warps;
  return found || as_plan_fail(p, "a tile smaller than the instruction's");
}

/* --- operands */
static bool make_operand(builder *B, operand *o, const char *name, const char *own,
                         const as_plan_axis *axis, unsigned warps) {
  as_plan *p = B->p;
  uint32_t cols[AS_LAY_BITS];
  const as_lay *fragment = as_isa_layout(B->way.row, name);
  o->axis = axis;
  o->warps = warps;
  o->covered = as_lay_out(fragment, own, NULL);
  if (axis->bits < o->covered + warps)
    return as_plan_fail(p, "a tile smaller than the instruction's");
  o->copies = axis->bits - o->covered - warps;
  o->fragment = as_lay_rename_out(fragment, own, axis->name);
  o->fragment = as_lay_rename_out(&o->fragment, B->way.row->product.over, p->k.name);
  as_lay grown = as_lay_new(); /* the whole tile's outputs, the fragment's images within */
  as_lay_add_out(&grown, axis->name, axis->bits - o->covered);
  as_lay_add_out(&grown, p->k.name, p->k.bits - 4);
  as_lay l = as_lay_product(&o->fragment, &grown);
  unsigned n = as_lay_cols(&l, "reg", cols);
  as_lay r = as_lay_new();
  for (unsigned i = 0; i < l.n_out; i++)
    as_lay_add_out(&r, l.out[i].name, l.out[i].bits);
  as_lay_add_in(&r, "reg");
  push_all(&r, cols, n);
  push_strides(&r, axis->name, o->covered, o->copies);
  as_lay_add_in(&r, "lane");
  push_all(&r, cols, as_lay_cols(&l, "lane", cols));
  as_lay_add_in(&r, "warp");
  for (unsigned i = 0; i < B->wide_warps; i++)
    as_lay_push_at(&r, axis->name, warps ? 1u << (o->covered + o->copies + i) : 0);
  push_strides(&r, p->k.name, 4 + B->step_bits, B->k_warps);
  as_lay_add_in(&r, "s");
  push_strides(&r, p->k.name, 4, B->step_bits);
  o->lay = r;
  return !r.bad || as_plan_fail(p, "a tile too large");
}

static bool make_operands(builder *B) {
  const as_isa_product *x = &B->way.row->product;
  bool first = B->way.wide_first;
  B->wide = &B->side[first ? 0 : 1];
  B->batch = &B->side[first ? 1 : 0];
  if (B->p->n_inner && !make_operand(B, &B->inner, first ? x->first : x->second,
                                     first ? x->row : x->column, &B->p->inner_axis, 0))
    return false;
  return make_operand(B, B->wide, first ? x->first : x->second, first ? x->row : x->column,
                      &B->p->wide, B->wide_warps) &&
         make_operand(B, B->batch, first ? x->second : x->first, first ? x->column : x->row,
                      &B->p->batch, 0);
}

/* where the accumulators of products with this operand in the wide one's role lie: the
 * instruction's registers, then copies along its second axis, then along its first */
static bool accumulators(builder *B, const operand *wide, as_lay *out) {
  uint32_t cols[AS_LAY_BITS];
  const as_isa_product *x = &B->way.row->product;
  const operand *first = B->way.wide_first ? wide : B->batch;
  const operand *second = B->way.wide_first ? B->batch : wide;
  as_lay c = as_lay_rename_out(as_isa_layout(B->way.row, x->result), x->row, first->axis->name);
  c = as_lay_rename_out(&c, x->column, second->axis->name);
  as_lay grown = as_lay_new();
  as_lay_add_out(&grown, first->axis->name, first->axis->bits - first->covered);
  as_lay_add_out(&grown, second->axis->name, second->axis->bits - second->covered);
  as_lay_add_out(&grown, "wk", B->k_warps);
  as_lay l = as_lay_product(&c, &grown);
  as_lay r = as_lay_new();
  for (unsigned i = 0; i < l.n_out; i++)
    as_lay_add_out(&r, l.out[i].name, l.out[i].bits);
  as_lay_add_in(&r, "reg");
  push_all(&r, cols, as_lay_cols(&l, "reg", cols));
  push_strides(&r, second->axis->name, second->covered, second->copies);
  push_strides(&r, first->axis->name, first->covered, first->copies);
  as_lay_add_in(&r, "lane");
  push_all(&r, cols, as_lay_cols(&l, "lane", cols));
  as_lay_add_in(&r, "warp");
  for (unsigned i = 0; i < B->wide_warps; i++)
    as_lay_push_at(&r, wide->axis->name,
                   wide->warps ? 1u << (wide->covered + wide->copies + i) : 0);
  push_strides(&r, "wk", 0, B->k_warps);
  *out = r;
  return (!r.bad && as_lay_in(&r, "reg", NULL) <= 6) ||
         as_plan_fail(B->p, "accumulators of too many registers");
}

/* --- tiles and their ring */
static bool add_stream(builder *B, as_node_id node) {
  unsigned tile;
  for (unsigned i = 0; i < B->n_stream; i++) {
    if (B->stream[i].node == node)
      return true;
  }
  if (B->n_stream == MAX_STREAMS)
    return as_plan_fail(B->p, "too many tiles");
  return as_plan_tile(B->p, B->g, node, &tile) &&
         as_ring_stream_new(B->p, B->g, tile, node, &B->stream[B->n_stream++]);
}

static bool add_streams(builder *B, const as_plan_product *x) {
  bool ok = add_stream(B, x->weight);
  for (unsigned k = 0; ok && k < x->n_scale; k++)
    ok = add_stream(B, x->scale[k]);
  return ok;
}

static const as_ring_stream *stream_of(const builder *B, as_node_id node) {
  for (unsigned i = 0; i < B->n_stream; i++) {
    if (B->stream[i].node == node)
      return &B->stream[i];
  }
  return NULL;
}

/* --- one step */
static int value(builder *B, const char *stem, unsigned i) {
  char name[24];
  snprintf(name, sizeof name, "%s%u", stem, i);
  return as_tg_value(B->g, name);
}

/* registers of an operand from its ring tile */
static bool feed(builder *B, as_tg_op *steps, const operand *o, const as_ring_stream *s, int v) {
  return as_select_load(B->p, B->g, steps, &o->lay, s->buf, &s->ring, v);
}

/* a map from registers to 2^out of them, without columns yet */
static as_lay registers(unsigned out) {
  as_lay l = as_lay_new();
  as_lay_add_out(&l, "reg", out);
  as_lay_add_in(&l, "reg");
  return l;
}

/* register bits of an operand that move k, and those that do not */
static unsigned bits_along_k(const builder *B, const operand *o, bool along, unsigned *bits) {
  uint32_t cols[AS_LAY_BITS];
  unsigned n = as_lay_cols(&o->lay, "reg", cols);
  unsigned found = 0;
  for (unsigned i = 0; i < n; i++) {
    if ((as_lay_part(&o->lay, B->p->k.name, cols[i]) != 0) == along)
      bits[found++] = i;
  }
  return found;
}

/* an operand times tensors of k alone: their elements lie in the registers as k does */
static bool scaled(builder *B, as_tg_op *steps, const operand *o, const as_plan_product *x,
                   int from, int to) {
  as_plan *p = B->p;
  uint32_t cols[AS_LAY_BITS];
  unsigned along[AS_LAY_BITS];
  unsigned regs = as_lay_in(&o->lay, "reg", NULL);
  unsigned n = bits_along_k(B, o, true, along);
  as_tg_op *map = as_tg_new_op(B->g, AS_TG_MAP, 'c');
  as_tg_expr *e = as_tg_expr_arg(B->g, 0);
  map->v = to;
  map->type = (int)p->type;
  map->bits = (int)regs;
  map->n_arg = 1;
  map->arg[0] = from;
  map->arg_map[0] = as_lay_identity("reg", "reg", regs);
  for (unsigned i = 0; i < x->n_scale; i++) {
    operand k_only = *o; /* the same lanes and registers, along k alone */
    if (map->n_arg == AS_TG_ARGS)
      return as_plan_fail(p, "too many factors");
    as_lay lay = as_lay_take(&o->lay, (const char *[]){p->k.name}, 1);
    as_lay_cols(&lay, "reg", cols);
    for (unsigned k = 0; k < n; k++)
      cols[k] = cols[along[k]];
    k_only.lay = as_lay_with(&lay, "reg", cols, n);
    char *name = as_format("scale%u_%.40s", i, as_tg_value_name(B->g, to));
    int v = as_tg_value(B->g, name);
    free(name);
    if (!feed(B, steps, &k_only, stream_of(B, x->scale[i]), v))
      return false;
    as_lay m = registers(n);
    unsigned next = 0;
    for (unsigned k = 0; k < regs; k++)
      as_lay_push(&m, next < n && along[next] == k ? 1u << next++ : 0);
    map->arg[map->n_arg] = v;
    map->arg_map[map->n_arg] = m;
    e = as_tg_expr_new(B->g, AS_TGS_MUL, e, as_tg_expr_arg(B->g, (unsigned)map->n_arg));
    map->n_arg++;
  }
  map->expr = e;
  as_tg_insert(B->g, steps, steps->n_body, map);
  return true;
}

static bool side_sum(builder *B, as_tg_op *steps, unsigned i, int operand_value) {
  as_plan *p = B->p;
  unsigned along[AS_LAY_BITS];
  unsigned across[AS_LAY_BITS];
  uint32_t load;
  const operand *o = B->batch;
  unsigned regs = as_lay_in(&o->lay, "reg", NULL);
  unsigned n_along = bits_along_k(B, o, true, along);
  unsigned n_across = bits_along_k(B, o, false, across);
  bool found = false;
  for (uint32_t m = 0; m < as_poly_monos(p->t, p->side[i].body) && !found; m++) {
    const as_mono *mono = as_poly_mono(p->t, p->side[i].body, m);
    if (mono->n) {
      load = mono->factor[0].atom;
      found = true;
    }
  }
  as_tg_expr *e = found ? as_term_expr(B->g, p->t, p->side[i].body, &load, 1) : NULL;
  if (!e)
    return as_plan_fail(p, "a sum beside the products over something else than their operand");
  as_tg_op *map = as_tg_add(B->g, steps, AS_TG_MAP, 'c');
  map->v = value(B, "part", i);
  map->type = AS_F32;
  map->bits = (int)regs;
  map->expr = e;
  map->n_arg = 1;
  map->arg[0] = operand_value;
  map->arg_map[0] = as_lay_identity("reg", "reg", regs);
  as_tg_op *red = as_tg_add(B->g, steps, AS_TG_RED, 'c');
  red->v = value(B, "row", i);
  red->a = map->v;
  red->fold = AS_TG_SUM;
  red->src = registers(regs);
  for (unsigned k = 0; k < n_across; k++)
    as_lay_push(&red->src, 1u << across[k]);
  red->dst = as_lay_new();
  as_lay_add_out(&red->dst, "reg", regs);
  as_lay_add_in(&red->dst, "k");
  for (unsigned k = 0; k < n_along; k++)
    as_lay_push(&red->dst, 1u << along[k]);
  as_tg_op *add = as_tg_add(B->g, steps, AS_TG_ACCADD, 'c');
  add->v = value(B, "side", i);
  add->a = red->v;
  add->src = as_lay_identity("reg", "reg", n_across);
  return true;
}

static bool same_scales(const as_plan_product *a, const as_plan_product *b) {
  return a->n_scale == b->n_scale && !memcmp(a->scale, b->scale, a->n_scale * sizeof *a->scale);
}

static void multiply(builder *B, as_tg_op *steps, const operand *own, int acc, int wide,
                     int batch) {
  as_tg_op *op = as_tg_add(B->g, steps, AS_TG_MMA, 'c');
  unsigned ca = B->way.wide_first ? own->copies : B->batch->copies;
  unsigned cb = B->way.wide_first ? B->batch->copies : own->copies;
  op->instr = as_arena_strdup(B->g->mem, B->way.row->name);
  op->v = acc;
  op->a = B->way.wide_first ? wide : batch;
  op->b = B->way.wide_first ? batch : wide;
  as_lay ga = as_lay_new();
  as_lay gb = as_lay_new();
  as_lay_add_out(&ga, "g", ca);
  as_lay_add_out(&gb, "g", cb);
  as_lay_add_in(&ga, "u");
  as_lay_add_in(&gb, "u");
  for (unsigned k = 0; k < cb; k++) {
    as_lay_push(&ga, 0);
    as_lay_push(&gb, 1u << k);
  }
  for (unsigned k = 0; k < ca; k++) {
    as_lay_push(&ga, 1u << k);
    as_lay_push(&gb, 0);
  }
  op->ga = ga;
  op->gb = gb;
  op->gc = as_lay_identity("u", "g", ca + cb);
}

static bool is_made_of(const as_plan *p, as_node_id value, as_node_id load) {
  const as_node *node = &p->b->graph->node[value];
  bool made = value == load;
  for (uint32_t k = 0; k < node->nargs && !made && node->kind != AS_N_LOAD; k++)
    made = is_made_of(p, node->arg[k], load);
  return made;
}

/* does the block graph multiply the weights with the factor, and not the batch operand? */
static bool scales_weights(const as_plan *p, const as_plan_product *x, as_node_id scale) {
  const as_block *block = &p->b->graph->block[p->b->block];
  for (uint32_t i = 0; i < block->n; i++) {
    as_node_id id = block->nodes[i];
    if (p->b->graph->node[id].kind == AS_N_OP && is_made_of(p, id, scale) &&
        is_made_of(p, id, x->weight) && !is_made_of(p, id, x->batch))
      return true;
  }
  return false;
}

/* the product with those factors of k that are the weights', or the batch operand's: each is
 * multiplied with what it is written beside, and rounded to its 16 bits again, as the float test
 * executes it (verify/floats) */
static as_plan_product scaled_part(const as_plan *p, const as_plan_product *x, bool weights) {
  as_plan_product part = *x;
  part.n_scale = 0;
  for (unsigned i = 0; i < x->n_scale; i++) {
    if (scales_weights(p, x, x->scale[i]) == weights)
      part.scale[part.n_scale++] = x->scale[i];
  }
  return part;
}

/* the product number i, of those with the wide axis first; current: the batch operand as the one
 * before had it */
static bool one_product(builder *B, as_tg_op *steps, unsigned i, int x, int *current) {
  const as_plan *p = B->p;
  bool inner = i >= p->n_product;
  const as_plan_product *y = inner ? &p->inner[i - p->n_product] : &p->product[i];
  const as_plan_product *before = i == 0 ? NULL : i == p->n_product ? &p->product[i - 1] : y - 1;
  as_plan_product batch = scaled_part(p, y, false);
  as_plan_product weights = scaled_part(p, y, true);
  as_plan_product last = before ? scaled_part(p, before, false) : batch;
  if (!before || !same_scales(&batch, &last)) {
    *current = batch.n_scale ? value(B, "scaled", i) : x;
    if (batch.n_scale && !scaled(B, steps, B->batch, &batch, x, *current))
      return false;
  }
  const operand *own = inner ? &B->inner : B->wide;
  int w = value(B, "weight", i);
  if (!feed(B, steps, own, stream_of(B, y->weight), w))
    return false;
  if (weights.n_scale) {
    int by_scale = value(B, "scaled_weight", i);
    if (!scaled(B, steps, own, &weights, w, by_scale))
      return false;
    w = by_scale;
  }
  multiply(B, steps, own, value(B, "acc", i), w, *current);
  return true;
}

static bool one_step(builder *B, as_tg_op *steps) {
  as_plan *p = B->p;
  int x = as_tg_value(B->g, "batch");
  int current = x;
  if (!feed(B, steps, B->batch, stream_of(B, p->batch_load), x))
    return false;
  for (unsigned i = 0; i < p->n_side; i++) {
    if (!side_sum(B, steps, i, x))
      return false;
  }
  for (unsigned i = 0; i < p->n_product + p->n_inner; i++) {
    if (!one_product(B, steps, i, x, &current))
      return false;
  }
  return true;
}

static void begin(builder *B) {
  for (unsigned i = 0; i < B->p->n_product + B->p->n_inner; i++) {
    as_tg_op *op = as_tg_add(B->g, NULL, AS_TG_ZERO, 'c');
    op->v = value(B, "acc", i);
    op->bits = (int)as_lay_in(i < B->p->n_product ? &B->acc : &B->inner_acc, "reg", NULL);
  }
  for (unsigned i = 0; i < B->p->n_side; i++) {
    unsigned across[AS_LAY_BITS];
    as_tg_op *op = as_tg_add(B->g, NULL, AS_TG_ZERO, 'c');
    op->v = value(B, "side", i);
    op->bits = (int)bits_along_k(B, B->batch, false, across);
  }
}

static as_tg_op *loop(builder *B, char who, int count) {
  as_tg_op *l = as_tg_add(B->g, NULL, AS_TG_LOOP, who);
  l->count = count;
  return l;
}

static bool body_steps(builder *B, as_tg_op *in) {
  if (!B->step_bits)
    return one_step(B, in);
  as_tg_op *steps = as_tg_add(B->g, in, AS_TG_STEPS, 'c');
  steps->bits = (int)B->step_bits;
  return one_step(B, steps);
}

/* fill stages 0 .. n - 2; then wait, barrier, issue n - 1 ahead, commit (an empty group too) */
static bool copied_loop(builder *B) {
  int n = B->g->stages;
  begin(B);
  as_tg_op *first = loop(B, 'c', n - 1);
  for (unsigned i = 0; i < B->n_stream; i++)
    as_ring_copy(B->g, first, B->stream[i].tile, B->stream[i].buf, &B->stream[i].ring, 0);
  as_tg_add(B->g, first, AS_TG_COMMIT, 'c');
  as_tg_op *main = loop(B, 'c', (int)B->p->trip);
  as_tg_add(B->g, main, AS_TG_WAITG, 'c')->count = n - 2;
  as_tg_add(B->g, main, AS_TG_BAR, 'a');
  for (unsigned i = 0; i < B->n_stream; i++)
    as_ring_copy(B->g, main, B->stream[i].tile, B->stream[i].buf, &B->stream[i].ring, n - 1);
  as_tg_add(B->g, main, AS_TG_COMMIT, 'c');
  if (!body_steps(B, main))
    return false;
  as_tg_add(B->g, NULL, AS_TG_WAITG, 'c')->count = 0;
  as_tg_add(B->g, NULL, AS_TG_BAR, 'a');
  return true;
}

/* a producer fills stages; the others wait for full ones and give them back */
static bool bulk_loop(builder *B) {
  as_tg *g = B->g;
  as_ring_produce(B->p, g, B->stream, B->n_stream);
  begin(B);
  as_tg_op *main = loop(B, 'c', (int)B->p->trip);
  as_tg_add(g, main, AS_TG_MBWAIT, 'c')->bar = 0;
  if (!body_steps(B, main))
    return false;
  as_ring_give_back(g, main);
  as_tg_add(g, NULL, AS_TG_BAR, 'a');
  return true;
}

as_tg *as_plan_stream(as_plan *p) {
  builder B = {.p = p};
  bool bulk = true;
  if (p->k.padded) {
    as_plan_fail(p, "a looped extent that is not 16 times a power of two");
    return NULL;
  }
  if (!as_select_product(p->isa, p->wide.bits, p->batch.bits, p->type, &B.way)) {
    as_plan_fail(p, "no instruction of the target computes the product");
    return NULL;
  }
  if (!B.way.wide_first && p->batch.bits < 4) {
    p->batch.bits = 4;
    p->batch.padded = p->batch.extent != 16;
  }
  B.g = as_tg_new(p->b->graph->block[p->b->block].name);
  B.g->trip = (int)p->trip;
  bool ok = share(&B) && make_operands(&B) && accumulators(&B, B.wide, &B.acc) &&
            (!p->n_inner || accumulators(&B, &B.inner, &B.inner_acc));
  for (unsigned i = 0; ok && i < p->n_product; i++)
    ok = add_streams(&B, &p->product[i]);
  for (unsigned i = 0; ok && i < p->n_inner; i++)
    ok = add_streams(&B, &p->inner[i]);
  p->short_loops = true;
  ok = ok && add_stream(&B, p->batch_load) && as_ring_place(p, B.g, B.stream, B.n_stream);
  p->short_loops = false;
  /* a producer is worth its start only where there is more to fetch than fits: lora took 4.0 us
   * with one, 3.3 without (bench/NOTES.md) */
  bulk = ok && B.g->stages <= p->trip;
  for (unsigned i = 0; ok && i < B.n_stream; i++)
    bulk = bulk && as_ring_can_bulk(p, &B.g->tile[B.stream[i].tile], &B.stream[i].ring);
  ok = ok && (bulk ? bulk_loop(&B) : copied_loop(&B)) &&
       as_stream_finish(p, B.g, &B.acc, &B.inner_acc, &B.batch->lay, B.k_warps, B.wide_warps);
  if (ok)
    return B.g;
  as_tg_free(B.g);
  return NULL;
}
