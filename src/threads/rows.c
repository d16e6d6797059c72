/* Thread graphs of blocks without products: element expressions and folds over axes, in registers.
 * Every axis of the output, and every axis that is only folded, has one place in the hardware
 * (registers, lanes, warps); a value lies where its own axes lie, so that any two values meet
 * without conversion.  Folds go over registers, then lanes by shuffles, then warps through shared
 * memory, all that wait for nothing else at once, behind one barrier.  What is read under two
 * indices (a row's elements in its sum and in its result) is loaded once: the axis that is folded
 * takes the place of the other. */
#include "rows.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_REG_BITS 6
/* Rows of 4096 on an H200: 8 warps of 16 elements a thread took 18.1 us, 16 warps of 8 took 20.3,
 * because what a barrier keeps waiting is half as much. */
#define USUAL_WARP_BITS 3

static bool fail(as_rows *R, const char *why) {
  return as_plan_fail(R->p, why);
}

/* --- places */
/* the axis along which most loads are contiguous, the output before all */
static bool choose_column(as_rows *R) {
  const as_graph *g = R->p->b->graph;
  const as_node *of = &g->node[g->node[R->store[0]].arg[0]];
  for (unsigned i = 0; i < R->n_out; i++) {
    if (R->axis[i].index == (int32_t)of->rank - 1) {
      R->col = i;
      return true;
    }
  }
  for (unsigned i = 0; i < R->n_read; i++) {
    const as_rows_read *x = &R->load[i];
    if (x->rank && x->axis[x->rank - 1] >= 0) {
      R->col = (unsigned)x->axis[x->rank - 1];
      return true;
    }
  }
  return fail(R, "no axis along which neighbours lie side by side");
}

static unsigned list_bits(const as_rows *R, as_rows_place *bits) {
  unsigned n = 0;
  for (unsigned b = R->col_regs; b < R->axis[R->col].bits; b++)
    bits[n++] = (as_rows_place){R->col, b, true};
  for (unsigned i = R->n_out; i-- > 0;) {
    for (unsigned b = 0; i != R->col && b < R->axis[i].bits; b++)
      bits[n++] = (as_rows_place){i, b, true};
  }
  return n;
}

/* low column bits in registers, then lanes, warps, registers; axes that are only folded, if they
 * are short, in registers, since every lane may fold them alone */
static bool choose_places(as_rows *R) {
  as_rows_place bits[3 * AS_LAY_BITS];
  unsigned folded = 0;
  for (unsigned i = R->n_out; i < R->n_axis; i++)
    folded += i != R->col ? R->axis[i].bits : 0;
  unsigned room = folded < 4 ? 5 - folded : 1;
  /* 16 bytes: what neighbours a thread has beyond one access would leave each access of a warp
   * with every other half of the sectors that it touches */
  unsigned access = as_graph_type(R->p->b->graph) == AS_F32 ? 2 : 3;
  unsigned vector = room < access ? room : access;
  R->col_regs = R->axis[R->col].bits < vector ? R->axis[R->col].bits : vector;
  for (unsigned b = 0; b < R->col_regs; b++)
    R->reg[R->n_reg++] = (as_rows_place){R->col, b, true};
  unsigned n = list_bits(R, bits);
  bool alone = folded <= 5;
  for (unsigned i = R->n_out; i < R->n_axis; i++) {
    for (unsigned b = 0; i != R->col && b < R->axis[i].bits; b++) {
      if (alone)
        R->reg[R->n_reg++] = (as_rows_place){i, b, true};
      else
        bits[n++] = (as_rows_place){i, b, true};
    }
  }
  unsigned most = R->n_reg + n > MAX_REG_BITS + 5 + USUAL_WARP_BITS || R->p->o->warps
                      ? AS_ROWS_WARP_BITS
                      : USUAL_WARP_BITS;
  while (R->p->o->warps && 1 << most > R->p->o->warps)
    most--;
  unsigned warps = n > 5 ? n - 5 : 0;
  warps = warps > most ? most : warps;
  if (R->g->warp_bits < warps)
    R->g->warp_bits = warps;
  for (unsigned i = 0; i < n; i++) {
    if (i < 5)
      R->lane[i] = bits[i];
    else if (i < 5 + warps)
      R->warp[i - 5] = bits[i];
    else
      R->reg[R->n_reg++] = bits[i];
  }
  return R->n_reg <= MAX_REG_BITS || fail(R, "a block with too many elements for its registers");
}

static bool holds(uint32_t axes, const as_rows_place *x) {
  return x->used && (axes >> x->axis & 1);
}

static void push_place(const as_rows *R, as_lay *l, uint32_t axes, const as_rows_place *x) {
  as_lay_push_at(l, R->axis[x->axis].name, holds(axes, x) ? 1u << x->bit : 0);
}

/* where a value with these axes lies: (reg, lane, warp) -> them, in this order */
static as_lay layout(const as_rows *R, const unsigned *axis, unsigned n, const char *registers) {
  uint32_t axes = 0;
  as_lay l = as_lay_new();
  for (unsigned i = 0; i < n; i++) {
    axes |= 1u << axis[i];
    as_lay_add_out(&l, R->axis[axis[i]].name, R->axis[axis[i]].bits);
  }
  as_lay_add_in(&l, registers);
  for (unsigned i = 0; i < R->n_reg; i++) {
    if (holds(axes, &R->reg[i]))
      push_place(R, &l, axes, &R->reg[i]);
  }
  as_lay_add_in(&l, "lane");
  for (unsigned i = 0; i < 5; i++)
    push_place(R, &l, axes, &R->lane[i]);
  as_lay_add_in(&l, "warp");
  for (unsigned i = 0; i < R->g->warp_bits; i++)
    push_place(R, &l, axes, &R->warp[i]);
  return l;
}

static unsigned register_bits(const as_rows *R, uint32_t axes) {
  unsigned n = 0;
  for (unsigned i = 0; i < R->n_reg; i++)
    n += holds(axes, &R->reg[i]);
  return n;
}

/* registers of a value with axes `of`, from those of one with axes `to` */
static as_lay registers_of(const as_rows *R, uint32_t to, uint32_t of) {
  unsigned at = 0;
  as_lay l = as_lay_new();
  as_lay_add_out(&l, "reg", register_bits(R, of));
  as_lay_add_in(&l, "reg");
  for (unsigned i = 0; i < R->n_reg; i++) {
    bool own = holds(of, &R->reg[i]);
    if (holds(to, &R->reg[i]))
      as_lay_push(&l, own ? 1u << at : 0);
    at += own;
  }
  return l;
}

static int mask_of(const as_rows_place *x, unsigned n, uint32_t axes) {
  int mask = 0;
  for (unsigned i = 0; i < n; i++)
    mask |= holds(axes, &x[i]) ? 0 : 1 << i;
  return mask;
}

/* --- values */
static int fresh(as_rows *R, const char *stem) {
  char name[24];
  snprintf(name, sizeof name, "%s%zu", stem, R->g->value.n);
  return as_tg_value(R->g, name);
}

static as_rows_value *add_value(as_rows *R, uint32_t atom, as_node_id node, int v, uint32_t axes,
                                as_dtype type) {
  if (R->n_value == AS_ROWS_VALUES) {
    fail(R, "too many values");
    return NULL;
  }
  R->val[R->n_value] = (as_rows_value){atom, node, v, axes, type};
  return &R->val[R->n_value++];
}

/* elements of a tile that one access may take, as a power of two, at most `most` */
static unsigned vector_of(const as_tg_tile *t, const char *along, unsigned most) {
  const as_tg_axis *a = as_tg_find_axis(t, along);
  unsigned vec = t->type == AS_F32 ? 2 : 3;
  if (!a || a->stride != 1)
    return 0;
  vec = vec > most ? most : vec;
  while (vec && t->origin & ((1L << vec) - 1))
    vec--;
  for (unsigned i = 0; i < t->n_axis; i++) {
    const as_tg_axis *x = &t->axis[i];
    bool moves = x->bits || x->grid >= 0 || x->loop_step;
    long step = x == a ? x->live | x->grid_step | x->loop_step : moves ? x->stride : 0;
    while (vec && step & ((1L << vec) - 1))
      vec--;
  }
  return vec;
}

static const char *contiguous(const as_tg_tile *t) {
  for (unsigned i = t->n_axis; i-- > 0;) {
    if (t->axis[i].stride == 1 && t->axis[i].bits)
      return t->axis[i].name;
  }
  return t->n_axis ? t->axis[t->n_axis - 1].name : "";
}

static void padding(const as_tg_tile *t, long *pred) {
  for (unsigned i = 0; i < t->n_axis; i++)
    pred[i] = t->axis[i].live != 1L << t->axis[i].bits ? t->axis[i].live : 0;
}

static as_rows_value *load_value(as_rows *R, uint32_t atom, const as_atom *a,
                                 const as_rows_scope *s) {
  const as_plan_axis *named[AS_MAX_RANK] = {NULL};
  unsigned axis[AS_MAX_RANK];
  unsigned n = 0;
  unsigned tile;
  uint32_t axes = 0;
  for (unsigned i = 0; i < R->n_value; i++) {
    if (R->val[i].node == a->node)
      return &R->val[i];
  }
  for (uint32_t d = 0; d < a->n; d++) {
    int x = a->index[d] == AS_INDEX_ZERO ? -1 : as_rows_axis_of(R, s, a->index[d]);
    if (x < 0)
      continue;
    named[d] = &R->axis[x];
    if (axes >> x & 1) {
      fail(R, "a tile that is read along its diagonal");
      return NULL;
    }
    axes |= 1u << x;
    axis[n++] = (unsigned)x;
  }
  if (!as_plan_named_tile(R->p, R->g, a->node, named, &tile))
    return NULL;
  const as_tg_tile *t = &R->g->tile[tile];
  const char *along = contiguous(t);
  bool column = !strcmp(along, R->axis[R->col].name);
  as_tg_op *op = as_tg_new_op(R->g, AS_TG_LDG, 'c');
  op->tile = (int)tile;
  op->vec = (int)vector_of(t, along, column ? R->col_regs : 0);
  if (t->type != AS_F32 && !op->vec) {
    fail(R, "a tile of 16-bit elements whose neighbours a thread does not hold");
    return NULL;
  }
  memcpy(op->vaxis, along, strlen(along) + 1);
  as_lay l = layout(R, axis, n, "u");
  uint32_t cols[AS_LAY_BITS];
  unsigned regs = as_lay_cols(&l, "u", cols);
  op->src = as_lay_with(&l, "u", cols + op->vec, regs - (unsigned)op->vec);
  padding(t, op->pred);
  op->v = fresh(R, "x");
  as_tg_insert(R->g, &R->g->top, R->g->top.n_body, op);
  return add_value(R, atom, a->node, op->v, axes, t->type);
}

/* all loads are issued first, those inside of folds too: the latency of one hides that of the
 * others
 */
static bool load_first(as_rows *R, uint32_t id, const as_atom *a, const as_rows_scope *s) {
  if (a->kind == AS_ATOM_LOAD)
    return load_value(R, id, a, s) != NULL;
  for (unsigned i = 0; i < R->n_fold; i++) {
    as_rows_scope inner = {a->bound, R->fold[i].axis, s};
    if (R->fold[i].atom == id)
      return as_rows_leaves(R, a->p, &inner, load_first);
  }
  return fail(R, "a value over iterations");
}

static as_rows_value *folded_value(as_rows *R, uint32_t atom) {
  for (unsigned i = 0; i < R->n_value; i++) {
    if (R->val[i].atom == atom)
      return &R->val[i];
  }
  return NULL;
}

typedef struct {
  uint32_t atom[AS_TG_ARGS];
  unsigned of[AS_TG_ARGS]; /* in R->val */
  unsigned n;
} operands;

static bool collect(as_rows *R, as_poly x, const as_rows_scope *s, operands *o) {
  const as_terms *t = R->p->t;
  for (uint32_t i = 0; i < as_poly_monos(t, x); i++) {
    const as_mono *m = as_poly_mono(t, x, i);
    for (uint32_t k = 0; k < m->n; k++) {
      uint32_t id = m->factor[k].atom;
      const as_atom *a = as_term_atom(t, id);
      as_poly p = a->p;
      as_poly q = a->q;
      bool seen = false;
      if (a->kind >= AS_ATOM_EXP) {
        if ((p != AS_POLY_NONE && !collect(R, p, s, o)) ||
            (q != AS_POLY_NONE && !collect(R, q, s, o)))
          return false;
        continue;
      }
      for (unsigned j = 0; j < o->n; j++)
        seen = seen || o->atom[j] == id;
      if (seen)
        continue;
      if (o->n == AS_TG_ARGS)
        return fail(R, "an expression of too many values");
      const as_rows_value *v =
          a->kind == AS_ATOM_LOAD ? load_value(R, id, a, s) : folded_value(R, id);
      if (!v)
        return fail(R, "a value over iterations");
      o->atom[o->n] = id;
      o->of[o->n++] = (unsigned)(v - R->val);
    }
  }
  return true;
}

/* the elements of an expression, in registers */
static as_rows_value *map_value(as_rows *R, as_poly x, const as_rows_scope *s, as_dtype type) {
  operands o = {.n = 0};
  uint32_t axes = 0;
  if (!collect(R, x, s, &o))
    return NULL;
  if (!o.n) {
    fail(R, "a constant");
    return NULL;
  }
  for (unsigned i = 0; i < o.n; i++)
    axes |= R->val[o.of[i]].axes;
  as_tg_op *map = as_tg_new_op(R->g, AS_TG_MAP, 'c');
  map->type = (int)type;
  map->bits = (int)register_bits(R, axes);
  map->n_arg = (int)o.n;
  for (unsigned i = 0; i < o.n; i++) {
    map->arg[i] = R->val[o.of[i]].v;
    map->arg_map[i] = registers_of(R, axes, R->val[o.of[i]].axes);
  }
  map->expr = as_term_expr(R->g, R->p->t, x, o.atom, o.n);
  if (!map->expr || (type != AS_F32 && !map->bits)) {
    fail(R, "an expression that a thread cannot compute alone");
    return NULL;
  }
  map->v = fresh(R, "y");
  as_tg_insert(R->g, &R->g->top, R->g->top.n_body, map);
  return add_value(R, AS_NONE, AS_NONE, map->v, axes, type);
}

/* --- folds */
/* beyond the live part of the axis the fold's unit, so that padding does not count */
static int filled(as_rows *R, int v, uint32_t axes, unsigned over, as_tg_fold how) {
  if (!R->axis[over].padded)
    return v;
  as_tg_op *op = as_tg_add(R->g, NULL, AS_TG_FILL, 'c');
  op->v = fresh(R, "f");
  op->a = v;
  op->fold = how;
  op->count = (int)R->axis[over].extent;
  memcpy(op->vaxis, R->axis[over].name, sizeof op->vaxis);
  unsigned all[AS_ROWS_AXES];
  unsigned n = 0;
  for (unsigned i = 0; i < R->n_axis; i++) {
    if (axes >> i & 1)
      all[n++] = i;
  }
  as_lay l = layout(R, all, n, "u");
  op->src = as_lay_take(&l, (const char *[]){R->axis[over].name}, 1);
  return op->v;
}

static int fold_registers(as_rows *R, int v, uint32_t axes, unsigned over, as_tg_fold how) {
  uint32_t kept = axes & ~(1u << over);
  unsigned all = register_bits(R, axes);
  unsigned at = 0;
  as_tg_op *op = as_tg_add(R->g, NULL, AS_TG_RED, 'c');
  op->a = v;
  op->fold = how;
  op->src = as_lay_new();
  as_lay_add_out(&op->src, "reg", all);
  as_lay_add_in(&op->src, "reg");
  op->dst = as_lay_new();
  as_lay_add_out(&op->dst, "reg", all);
  as_lay_add_in(&op->dst, "k");
  for (unsigned i = 0; i < R->n_reg; i++) {
    if (!holds(axes, &R->reg[i]))
      continue;
    as_lay_push(holds(kept, &R->reg[i]) ? &op->src : &op->dst, 1u << at);
    at++;
  }
  op->v = fresh(R, "r");
  return op->v;
}

/* A shuffle waits for the one before it on the same value only: all folds of a wave go over one
 * bit of the lanes before any goes over the next. */
static void fold_lanes(as_rows *R) {
  for (unsigned i = 0; i < 5; i++) {
    for (unsigned k = 0; k < R->n_pending; k++) {
      const as_rows_pending *fold = &R->pending[k];
      if (!holds(1u << fold->exchange.over, &R->lane[i]))
        continue;
      as_tg_op *op = as_tg_add(R->g, NULL, AS_TG_SHFL, 'c');
      op->v = fold->v;
      op->fold = fold->exchange.how;
      op->lanes = 1 << i;
    }
  }
}

/* offset bit of a place: the warp bits of the folded axis are lowest, so that one access reads
 * several warps' parts; then one for each bit of the result */
static uint32_t slot(const as_rows *R, const as_rows_exchange *x, const as_rows_place *where) {
  unsigned at = 0;
  uint32_t over = 1u << x->over;
  const as_rows_place *lists[] = {R->warp, R->reg, R->lane, R->warp};
  const unsigned counts[] = {R->g->warp_bits, R->n_reg, 5, R->g->warp_bits};
  for (unsigned l = 0; l < 4; l++) {
    for (unsigned i = 0; i < counts[l]; i++) {
      const as_rows_place *own = &lists[l][i];
      bool has = holds(l == 0 ? over : x->kept, own);
      if (own == where && has)
        return 1u << at;
      at += has;
    }
  }
  return 0;
}

static bool exchange_new(as_rows *R, as_rows_exchange *x) {
  as_tg *g = R->g;
  if (g->n_buffer == sizeof g->buffer / sizeof *g->buffer)
    return fail(R, "too many folds over warps");
  x->bits = 0;
  for (unsigned i = 0; i < R->n_reg; i++)
    x->bits += holds(x->kept, &R->reg[i]);
  for (unsigned i = 0; i < 5; i++)
    x->bits += holds(x->kept, &R->lane[i]);
  for (unsigned i = 0; i < g->warp_bits; i++)
    x->bits += holds(x->kept | 1u << x->over, &R->warp[i]);
  long at = (as_tg_shared_bytes(g) + 15) / 16 * 16;
  char name[16];
  snprintf(name, sizeof name, "part%u", g->n_buffer);
  x->buffer = g->n_buffer++;
  g->buffer[x->buffer] = (as_tg_buffer){as_arena_strdup(g->mem, name), 4, x->bits, 1, at};
  return as_tg_shared_bytes(g) + 2048 <= R->p->o->smem_limit ||
         fail(R, "partial folds that do not fit in shared memory");
}

static as_lay exchange_map(const as_rows *R, const as_rows_exchange *x, bool store, unsigned vec) {
  unsigned skipped = 0;
  as_lay l = as_lay_new();
  as_lay_add_out(&l, "off", x->bits);
  as_lay_add_in(&l, "u");
  for (unsigned i = 0; !store && i < R->g->warp_bits; i++) {
    if (holds(1u << x->over, &R->warp[i]) && skipped++ >= vec)
      as_lay_push(&l, slot(R, x, &R->warp[i]));
  }
  for (unsigned i = 0; i < R->n_reg; i++) {
    if (holds(x->kept, &R->reg[i]))
      as_lay_push(&l, slot(R, x, &R->reg[i]));
  }
  as_lay_add_in(&l, "lane");
  for (unsigned i = 0; i < 5; i++)
    as_lay_push(&l, slot(R, x, &R->lane[i]));
  as_lay_add_in(&l, "warp");
  for (unsigned i = 0; i < R->g->warp_bits; i++) {
    bool own = store || !holds(1u << x->over, &R->warp[i]);
    as_lay_push(&l, own ? slot(R, x, &R->warp[i]) : 0);
  }
  return l;
}

/* the warps' parts, read by all that need them, folded over the lowest register bits */
static int fold_parts(as_rows *R, const as_rows_exchange *x) {
  unsigned folded = x->warp_bits;
  unsigned all = folded + register_bits(R, x->kept);
  unsigned vec = folded < 2 ? folded : 2;
  as_tg_op *ld = as_tg_add(R->g, NULL, AS_TG_LDS, 'c');
  ld->v = fresh(R, "w");
  ld->buf = (int)x->buffer;
  ld->vec = (int)vec;
  ld->src = exchange_map(R, x, false, vec);
  as_tg_op *red = as_tg_add(R->g, NULL, AS_TG_RED, 'c');
  red->v = fresh(R, "r");
  red->a = ld->v;
  red->fold = x->how;
  red->src = as_lay_new();
  as_lay_add_out(&red->src, "reg", all);
  as_lay_add_in(&red->src, "reg");
  red->dst = as_lay_new();
  as_lay_add_out(&red->dst, "reg", all);
  as_lay_add_in(&red->dst, "k");
  for (unsigned i = 0; i < all; i++)
    as_lay_push(i < folded ? &red->dst : &red->src, 1u << i);
  return red->v;
}

/* the warps' parts of a fold begin their way through shared memory; what follows waits for the
 * barrier */
static bool part_stored(as_rows *R, as_rows_pending *fold) {
  as_rows_exchange *x = &fold->exchange;
  if (!exchange_new(R, x))
    return false;
  as_tg_op *st = as_tg_add(R->g, NULL, AS_TG_STS, 'c');
  st->a = fold->v;
  st->buf = (int)x->buffer;
  st->dst = exchange_map(R, x, true, 0);
  st->lanes = mask_of(R->lane, 5, x->kept);
  st->warps = mask_of(R->warp, R->g->warp_bits, x->kept | 1u << x->over);
  return true;
}

static bool begin_fold(as_rows *R, uint32_t atom, const as_atom *a, const as_rows_scope *inner) {
  unsigned over = inner->axis;
  unsigned over_warps = 0;
  as_tg_fold how = a->kind == AS_ATOM_SUM ? AS_TG_SUM : AS_TG_MAXIMUM;
  const as_rows_value *x = map_value(R, a->p, inner, AS_F32);
  if (!x)
    return false;
  uint32_t axes = x->axes;
  uint32_t kept = axes & ~(1u << over);
  if (!(axes >> over & 1))
    return fail(R, "a fold of what does not depend on its index");
  if (R->n_pending == AS_ROWS_PENDING)
    return fail(R, "too many folds at one time");
  int v = filled(R, x->v, axes, over, how);
  v = fold_registers(R, v, axes, over, how);
  for (unsigned i = 0; i < R->g->warp_bits; i++)
    over_warps += holds(1u << over, &R->warp[i]);
  as_rows_exchange exchange = {.kept = kept, .over = over, .warp_bits = over_warps, .how = how};
  R->pending[R->n_pending++] = (as_rows_pending){atom, v, exchange};
  return true;
}

static bool is_pending(const as_rows *R, uint32_t atom) {
  for (unsigned i = 0; i < R->n_pending; i++) {
    if (R->pending[i].atom == atom)
      return true;
  }
  return false;
}

/* of the leaves of an expression: what needs no fold that is still to be made */
static bool is_there(as_rows *R, uint32_t id, const as_atom *a, const as_rows_scope *s) {
  (void)s;
  return a->kind == AS_ATOM_LOAD || folded_value(R, id);
}

/* begins every fold over nothing but loads and folds that are finished */
static bool begin_ready(as_rows *R, uint32_t id, const as_atom *a, const as_rows_scope *s) {
  if (is_there(R, id, a, s) || is_pending(R, id))
    return true;
  for (unsigned i = 0; i < R->n_fold; i++) {
    as_rows_scope inner = {a->bound, R->fold[i].axis, s};
    if (R->fold[i].atom != id)
      continue;
    if (!as_rows_leaves(R, a->p, &inner, is_there))
      return as_rows_leaves(R, a->p, &inner, begin_ready);
    return begin_fold(R, id, a, &inner);
  }
  return fail(R, "a value over iterations");
}

static bool end_wave(as_rows *R) {
  bool stored = false;
  fold_lanes(R);
  for (unsigned i = 0; i < R->n_pending; i++) {
    if (!R->pending[i].exchange.warp_bits)
      continue;
    stored = true;
    if (!part_stored(R, &R->pending[i]))
      return false;
  }
  if (stored)
    as_tg_add(R->g, NULL, AS_TG_BAR, 'a');
  for (unsigned i = 0; i < R->n_pending; i++) {
    const as_rows_pending *fold = &R->pending[i];
    int v = fold->exchange.warp_bits ? fold_parts(R, &fold->exchange) : fold->v;
    if (!add_value(R, fold->atom, AS_NONE, v, fold->exchange.kept, AS_F32))
      return false;
  }
  return true;
}

/* All folds, in waves: those of a wave need nothing of each other, so that their shuffles follow
 * each other without waiting, and one barrier is enough for all that go over warps. */
static bool make_folds(as_rows *R) {
  do {
    R->n_pending = 0;
    for (unsigned i = 0; i < R->n_store; i++) {
      if (!as_rows_leaves(R, R->want[i], NULL, begin_ready))
        return false;
    }
    if (!end_wave(R))
      return false;
  } while (R->n_pending);
  return true;
}

/* --- the store */
static bool store(as_rows *R, unsigned which) {
  const as_node *n = &R->p->b->graph->node[R->store[which]];
  const as_plan_axis *named[AS_MAX_RANK] = {NULL};
  unsigned axis[AS_MAX_RANK];
  unsigned n_axis = 0;
  unsigned tile;
  uint32_t axes = 0;
  for (uint32_t d = 0; d < n->rank; d++) {
    int x = as_rows_axis_of(R, NULL, (int32_t)d);
    if (x < 0)
      continue;
    named[d] = &R->axis[x];
    axis[n_axis++] = (unsigned)x;
    axes |= 1u << x;
  }
  if (!as_plan_named_tile(R->p, R->g, R->store[which], named, &tile))
    return false;
  const as_tg_tile *t = &R->g->tile[tile];
  const as_rows_value *x = map_value(R, R->want[which], NULL, t->type);
  if (!x)
    return false;
  if (x->axes != axes)
    return fail(R, "a result that is the same along an axis");
  const char *along = contiguous(t);
  bool column = !strcmp(along, R->axis[R->col].name);
  as_tg_op *op = as_tg_new_op(R->g, AS_TG_STG, 'c');
  op->tile = (int)tile;
  op->a = x->v;
  op->vec = (int)vector_of(t, along, column ? R->col_regs : 0);
  if (t->type != AS_F32 && !op->vec)
    return fail(R, "16-bit results whose neighbours a thread does not hold");
  memcpy(op->vaxis, along, strlen(along) + 1);
  as_lay l = layout(R, axis, n_axis, "u");
  uint32_t cols[AS_LAY_BITS];
  unsigned regs = as_lay_cols(&l, "u", cols);
  op->dst = as_lay_with(&l, "u", cols + op->vec, regs - (unsigned)op->vec);
  op->lanes = mask_of(R->lane, 5, axes);
  op->warps = mask_of(R->warp, R->g->warp_bits, axes);
  padding(t, op->pred);
  as_tg_insert(R->g, &R->g->top, R->g->top.n_body, op);
  return true;
}

/* --- the block */
static bool same_shape(const as_plan *p, as_node_id one, as_node_id other) {
  const as_graph *g = p->b->graph;
  long left[AS_MAX_RANK];
  long right[AS_MAX_RANK];
  unsigned rank = g->node[one].rank;
  return g->node[other].rank == rank && as_block_dims(p->b, g->node[one].arg[0], left, NULL) &&
         as_block_dims(p->b, g->node[other].arg[0], right, NULL) &&
         !memcmp(left, right, rank * sizeof *left);
}

/* Results of one shape have their axes in common, and so what is loaded for them.  Others are
 * computed beside them by the same threads, with axes and values of their own. */
static unsigned sections(as_plan *p, as_tg *g, as_rows *section) {
  unsigned n = 0;
  for (unsigned i = 0; i < p->n_store; i++) {
    unsigned s = 0;
    while (s < n && !same_shape(p, section[s].store[0], p->stores[i]))
      s++;
    as_rows *R = &section[s];
    if (s == n) {
      R->p = p;
      R->g = g;
      R->section = n++;
    }
    R->store[R->n_store] = p->stores[i];
    R->want[R->n_store++] = p->wants[i];
  }
  return n;
}

/* a tile's axes are named once */
static bool no_load_twice(as_rows *section, unsigned n) {
  for (unsigned s = 1; s < n; s++) {
    for (unsigned i = 0; i < section[s].n_read; i++) {
      for (unsigned other = 0; other < s; other++) {
        for (unsigned k = 0; k < section[other].n_read; k++) {
          if (section[other].load[k].node == section[s].load[i].node)
            return fail(&section[s], "results of different shapes of one tile");
        }
      }
    }
  }
  return true;
}

static bool load_all(as_rows *R) {
  for (unsigned i = 0; i < R->n_store; i++) {
    if (!as_rows_leaves(R, R->want[i], NULL, load_first))
      return false;
  }
  return true;
}

static bool store_all(as_rows *R) {
  for (unsigned i = 0; i < R->n_store; i++) {
    if (!store(R, i))
      return false;
  }
  return true;
}

static bool build(as_rows *section, unsigned n) {
  bool ok = true;
  for (unsigned s = 0; ok && s < n; s++)
    ok = as_rows_read_axes(&section[s]) && choose_column(&section[s]) && choose_places(&section[s]);
  ok = ok && no_load_twice(section, n);
  for (unsigned s = 0; ok && s < n; s++)
    ok = load_all(&section[s]);
  for (unsigned s = 0; ok && s < n; s++)
    ok = make_folds(&section[s]);
  for (unsigned s = 0; ok && s < n; s++)
    ok = store_all(&section[s]);
  return ok;
}

as_tg *as_plan_rows(as_plan *p) {
  as_rows *section = as_calloc(AS_PLAN_STORES, sizeof *section);
  as_tg *g = as_tg_new(p->b->graph->block[p->b->block].name);
  g->trip = 1;
  g->stages = 1;
  bool ok = build(section, sections(p, g, section));
  free(section);
  if (ok)
    return g;
  as_tg_free(g);
  return NULL;
}
