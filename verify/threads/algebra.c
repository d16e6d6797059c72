/* The pass over the operations.  The body of a loop is passed once: values of an iteration are not
 * visible outside of it, none is defined twice in a loop and none from outside is changed in it, so
 * that the pass stands for every iteration. */
#include "den.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  int depth; /* 1 inside a loop */
  bool in_steps;
  unsigned steps; /* bits */
} place;

static int level_of(const place *p) {
  return 2 * p->depth + p->in_steps;
}

static bool read_value(as_algebra *A, int v, const as_den **out) {
  ENSURE(A, "a value that is not defined here", v >= 0 && (unsigned)v < A->n_value && A->known[v]);
  ENSURE(A, "a state's old value is read before its update", A->val[v].old < 0);
  *out = &A->val[v];
  return true;
}

static bool typed(as_algebra *A, int v, int type) {
  ENSURE(A, "type of a value", v >= 0 && (unsigned)v < A->n_value && A->type[v] == type);
  return true;
}

static bool define(as_algebra *A, const as_tg_op *op, int v, const as_den *den, int type,
                   const place *p) {
  ENSURE(A, "an accumulator is overwritten", !A->state[v].is || A->state[v].closed);
  if (!A->owner[v])
    A->owner[v] = op;
  ENSURE(A, "a value is defined twice", A->owner[v] == op); /* it has one type and size */
  A->state[v].is = false;
  A->val[v] = *den;
  A->known[v] = true;
  A->level[v] = level_of(p);
  A->type[v] = type;
  return true;
}

/* an accumulator is read: it must be complete */
static bool final(as_algebra *A, int v, const place *p) {
  as_den_state *s = &A->state[v];
  if (!s->is)
    return true;
  ENSURE(A, "an accumulator is read before it is complete",
         s->closed || s->depth == p->depth || (s->fold == AS_TG_MAXIMUM && s->added));
  if (s->depth == p->depth)
    s->done = true;
  return true;
}

static bool accumulator(as_algebra *A, int v, as_den_state **out) {
  ENSURE(A, "not an accumulator",
         v >= 0 && (unsigned)v < A->n_value && A->state[v].is && !A->state[v].closed);
  *out = &A->state[v];
  return true;
}

/* Condition 8: one addition an iteration, none after a read; the steps are folded here */
static bool add(as_algebra *A, int v, const as_den *x, const place *p) {
  as_den_state *s = &A->state[v];
  uint32_t dir[AS_LAY_BITS];
  as_den sum;
  ENSURE(A, "added to twice", !s->added && !s->done);
  s->added = true;
  ENSURE(A, "a maximum is added", !x->partial || x->kind == AS_ATOM_SUM);
  unsigned n = as_lay_cols(&x->lay, "s", dir);
  while (n < p->steps)
    dir[n++] = 0; /* the same is added in each step: a fold over copies, refused */
  as_lay lay = as_lay_with(&x->lay, "s", dir, 0);
  if (!as_den_fold(A, x, AS_ATOM_SUM, dir, n, &lay, &sum))
    return false;
  A->val[v] = sum;
  A->known[v] = true;
  return true;
}

static bool shape(as_algebra *A, const as_lay *l, const place *p) {
  ENSURE(A, "a map that is none", !l->bad);
  for (unsigned i = 0; i < l->n_in; i++) {
    const char *n = l->in[i].name;
    ENSURE(A, "inputs of a map",
           !strcmp(n, "u") || !strcmp(n, "lane") || !strcmp(n, "warp") || !strcmp(n, "s") ||
               !l->in[i].bits);
  }
  unsigned s = as_lay_in(l, "s", NULL);
  ENSURE(A, "inputs of a map",
         as_lay_in(l, "lane", NULL) == 5 && as_lay_in(l, "warp", NULL) == A->g->warp_bits &&
             (s == 0 || s == p->steps));
  return true;
}

static bool tile_map(as_algebra *A, const as_tg_tile *t, const as_lay *l) {
  unsigned k = 0;
  for (unsigned i = 0; i < t->n_axis; i++) {
    if (!t->axis[i].bits)
      continue;
    ENSURE(A, "axes of a map",
           k < l->n_out && !strcmp(l->out[k].name, t->axis[i].name) &&
               l->out[k].bits == t->axis[i].bits);
    k++;
  }
  ENSURE(A, "axes of a map", k == l->n_out);
  return true;
}

bool as_den_pred_is_padding(as_algebra *A, const as_tg_tile *t, const long *pred) {
  for (unsigned i = 0; i < AS_TG_AXES; i++) {
    bool padded = i < t->n_axis && t->axis[i].live != 1L << t->axis[i].bits;
    ENSURE(A, "the predicate of an access", pred[i] == (padded ? t->axis[i].live : 0));
  }
  return true;
}

static bool looped(const as_tg_tile *t) {
  for (unsigned i = 0; i < t->n_axis; i++) {
    if (t->axis[i].loop_step)
      return true;
  }
  return false;
}

/* --- condition 3 */
static bool op_ldg(as_algebra *A, const as_tg_op *op, const place *p) {
  const as_tg_tile *t = &A->g->tile[op->tile];
  as_lay lay;
  ENSURE(A, "a read of an output", !t->output);
  ENSURE(A, "a tile of the loop is read outside of it", !looped(t) || p->depth == 1);
  ENSURE(A, "size of a vector", op->vec >= 0 && op->vec <= 3 && (op->vec > 0 || t->type == AS_F32));
  ENSURE(A, "size of a vector", (t->type == AS_F32 ? 4 : 2) << op->vec <= 16);
  if (!shape(A, &op->src, p) || !tile_map(A, t, &op->src) ||
      !as_den_aligned(A, t, op->vaxis, (unsigned)op->vec) ||
      !as_den_pred_is_padding(A, t, op->pred) ||
      !as_den_vector(A, &op->src, (unsigned)op->vec, op->vaxis, &lay))
    return false;
  as_den d = as_den_all(A->tile_term[op->tile], &lay);
  return define(A, op, op->v, &d, (int)t->type, p);
}

static bool op_ldmatrix(as_algebra *A, const as_tg_op *op, const place *p) {
  const as_tg_buffer *buf = &A->g->buffer[op->buf];
  const as_den_ring *ring = &A->ring[op->buf];
  const as_isa_row *row = as_isa_find(A->isa, op->instr);
  uint32_t lane[AS_LAY_BITS];
  uint32_t cols[AS_LAY_BITS];
  as_lay l = as_lay_new();
  ENSURE(A, "no such load on this target", row && as_isa_needs(row, "rows"));
  const as_lay *r = as_isa_layout(row, "r");
  ENSURE(A, "no such load on this target",
         r && r->n_out == 2 && as_lay_out(r, "off", NULL) == 3 && !strcmp(r->out[0].name, "off"));
  ENSURE(A, "not a buffer that loads fill", ring->is);
  const as_tg_tile *t = &A->g->tile[ring->tile];
  ENSURE(A, "element size", (long)buf->elem == as_isa_needs(row, "elem") && t->type != AS_F32);
  ENSURE(A, "alignment of a buffer", buf->base % 16 == 0 && as_tg_buffer_bytes(buf) % 16 == 0);
  ENSURE(A, "read outside of the loop", !looped(t) || p->depth == 1);
  ENSURE(A, "stage of a buffer", looped(t) || op->slot == 0);
  if (!shape(A, &op->src, p))
    return false;
  ENSURE(A, "offsets", op->src.n_out == 1 && as_lay_out_bits(&op->src) == buf->bits);
  unsigned used = 0; /* lane bits whose lanes name rows */
  while (1L << used < as_isa_needs(row, "rows"))
    used++;
  unsigned n_lane = as_lay_cols(&op->src, "lane", lane);
  static const char *const dims[] = {"u", "warp", "s"};
  for (unsigned d = 0; d < 3; d++) {
    unsigned n = as_lay_cols(&op->src, dims[d], cols);
    for (unsigned i = 0; i < n; i++)
      ENSURE(A, "a row that is not aligned", !(cols[i] & 7));
  }
  for (unsigned i = 0; i < used && i < n_lane; i++)
    ENSURE(A, "a row that is not aligned", !(lane[i] & 7));
  as_lay_add_out(&l, "off", buf->bits);
  for (unsigned d = 0; d < r->n_in; d++) {
    unsigned n = as_lay_cols(r, r->in[d].name, cols);
    as_lay_add_in(&l, r->in[d].name);
    for (unsigned i = 0; i < n; i++)
      as_lay_push(&l, (cols[i] & 7) ^ as_f2_sum(lane, n_lane, cols[i] >> 3));
    if (!strcmp(r->in[d].name, "reg")) {
      n = as_lay_cols(&op->src, "u", cols);
      for (unsigned i = 0; i < n; i++)
        as_lay_push(&l, cols[i]);
    }
  }
  for (unsigned d = 1; d < 3; d++) {
    unsigned n = as_lay_cols(&op->src, dims[d], cols);
    as_lay_add_in(&l, dims[d]);
    for (unsigned i = 0; i < n; i++)
      as_lay_push(&l, cols[i]);
  }
  as_lay lay = as_lay_after(&ring->content, &l);
  ENSURE(A, "too many registers", !lay.bad);
  as_den den = as_den_all(A->tile_term[ring->tile], &lay);
  return define(A, op, op->v, &den, (int)t->type, p);
}

/* --- condition 4 */
/* elements of a shared access: four, eight or sixteen bytes */
static bool shared_vector(as_algebra *A, const as_tg_buffer *buf, int vec) {
  ENSURE(A, "size of a vector",
         vec >= 0 && vec <= 3 && buf->elem << vec >= 4 && buf->elem << vec <= 16);
  ENSURE(A, "alignment of a buffer", buf->base % 16 == 0);
  return true;
}

static bool op_lds(as_algebra *A, const as_tg_op *op, const place *p) {
  as_lay at;
  const as_den_region *region = NULL;
  const as_tg_buffer *buf = &A->g->buffer[op->buf];
  ENSURE(A, "shared results are read in the loop", p->depth == 0 && !p->in_steps);
  if (!shared_vector(A, buf, op->vec))
    return false;
  if (!shape(A, &op->src, p))
    return false;
  ENSURE(A, "offsets", op->src.n_out == 1 && as_lay_out_bits(&op->src) == buf->bits);
  ENSURE(A, "alignment of a part", !((unsigned)op->base & ((1u << op->vec) - 1)));
  if (!as_den_vector(A, &op->src, (unsigned)op->vec, NULL, &at))
    return false;
  for (unsigned i = 0; i < A->n_region; i++) {
    if (A->region[i].buf == op->buf && A->region[i].base == (uint32_t)op->base)
      region = &A->region[i];
  }
  ENSURE(A, "nobody has written here", region);
  as_lay lay = as_lay_new();
  for (unsigned i = 0; i < region->den.lay.n_out; i++)
    as_lay_add_out(&lay, region->den.lay.out[i].name, region->den.lay.out[i].bits);
  unsigned k = 0;
  for (unsigned d = 0; d < at.n_in; d++) {
    as_lay_add_in(&lay, at.in[d].name);
    for (unsigned i = 0; i < at.in[d].bits; i++, k++) {
      uint64_t how;
      ENSURE(A, "read beyond what was written", as_span_solve(&region->span, at.col[k], &how));
      as_lay_push(&lay, as_f2_sum(region->position, region->n, how));
    }
  }
  ENSURE(A, "too many registers", !lay.bad);
  as_den d = region->den;
  d.lay = lay;
  return define(A, op, op->v, &d, region->type, p);
}

static bool op_sts(as_algebra *A, const as_tg_op *op, const place *p) {
  static const char *const order[] = {"reg", "lane", "warp"};
  const as_tg_buffer *buf = &A->g->buffer[op->buf];
  const as_den *x;
  as_lay at;
  ENSURE(A, "shared results are written in the loop", p->depth == 0 && !p->in_steps);
  if (!shape(A, &op->dst, p) || !read_value(A, op->a, &x) || !final(A, op->a, p) ||
      !shared_vector(A, buf, op->vec))
    return false;
  ENSURE(A, "type of a value", as_den_floating(A, op->a));
  ENSURE(A, "type of a value", buf->elem == (A->type[op->a] == AS_F32 ? 4u : 2u));
  ENSURE(A, "kind of buffer", buf->stages == 1 && !A->ring[op->buf].is);
  ENSURE(A, "offsets", op->dst.n_out == 1 && as_lay_out_bits(&op->dst) == buf->bits);
  ENSURE(A, "alignment of a part", !((unsigned)op->base & ((1u << op->vec) - 1)));
  if (!as_den_vector(A, &op->dst, (unsigned)op->vec, NULL, &at))
    return false;
  ENSURE(A, "register count", as_lay_in(&at, "reg", NULL) == as_lay_in(&x->lay, "reg", NULL));
  ENSURE(A, "overlapping parts of a buffer", op->base >= 0 && op->base < 1 << buf->bits);
  ENSURE(A, "too many parts", A->n_region < AS_DEN_PARTS);
  as_lay w = as_den_active(&at, op->lanes, op->warps);
  as_lay have = as_lay_order(&x->lay, order, 3);
  ENSURE(A, "a value of a step", !have.bad);
  have = as_den_active(&have, op->lanes, op->warps);
  w = as_lay_order(&w, order, 3);
  ENSURE(A, "shape of what is stored", !w.bad && as_lay_in_bits(&w) == as_lay_in_bits(&have));
  as_den_region *r = &A->region[A->n_region];
  memset(r, 0, sizeof *r);
  r->buf = op->buf;
  r->type = A->type[op->a];
  r->base = (uint32_t)op->base;
  as_span_init(&r->span);
  for (unsigned i = 0; i < as_lay_in_bits(&w); i++) {
    ENSURE(A, "overlapping parts of a buffer", !(w.col[i] & r->base));
    ENSURE(A, "two threads write one place", as_span_add(&r->span, w.col[i]));
    r->position[r->n++] = have.col[i];
  }
  for (unsigned i = 0; i < A->n_region; i++) {
    const as_den_region *o = &A->region[i];
    if (o->buf != op->buf)
      continue;
    as_span joint = o->span;
    for (unsigned k = 0; k < r->span.rank; k++)
      as_span_add(&joint, r->span.vec[k]);
    ENSURE(A, "overlapping parts of a buffer", !as_span_has(&joint, o->base ^ r->base));
  }
  r->den = *x;
  A->n_region++;
  return true;
}

/* --- condition 7 */
/* the value of a running maximum before this iteration's update; where it lies is known after it */
static bool map_old(as_algebra *A, const as_tg_op *op, const place *p) {
  const as_den_state *s = &A->state[op->arg[0]];
  ENSURE(A, "an accumulator is read before it is complete",
         s->fold == AS_TG_MAXIMUM && op->n_arg == 1 && op->expr && op->expr->op == AS_TGS_ARG &&
             op->expr->arg == 0 && !op->arg_map[0].bad && op->type == AS_F32 &&
             as_lay_out_bits(&op->arg_map[0]) <= s->bits);
  as_den d = {.term = as_poly_old(A->t, (uint32_t)op->arg[0]),
              .old = op->arg[0],
              .old_map = op->arg_map[0],
              .lay = as_lay_new(),
              .run = AS_POLY_NONE};
  return define(A, op, op->v, &d, op->type, p);
}

static bool op_map(as_algebra *A, const as_tg_op *op, const place *p) {
  as_poly arg[AS_TG_ARGS];
  as_lay lay = as_lay_new();
  ENSURE(A, "operands of a map", op->n_arg >= 1 && op->n_arg <= AS_TG_ARGS && op->bits >= 0);
  for (int i = 0; i < op->n_arg; i++) {
    const as_den *x;
    as_den y;
    int v = op->arg[i];
    ENSURE(A, "register count", as_lay_in_bits(&op->arg_map[i]) == (unsigned)op->bits);
    ENSURE(A, "a value is made of itself", v != op->v); /* registers are written one by one */
    const as_den_state *s = &A->state[v];
    if (s->is && s->depth == 0 && p->depth == 1 && !s->added && !s->closed)
      return map_old(A, op, p);
    if (!final(A, v, p) || !read_value(A, v, &x))
      return false;
    ENSURE(A, "a partial result is used", !x->partial && !x->over_loop);
    if (!as_den_at_regs(A, x, &op->arg_map[i], &y))
      return false;
    as_lay o = as_den_order(&y.lay);
    lay = i ? as_lay_join(&lay, &o) : o;
    ENSURE(A, "operands that lie differently", !lay.bad);
    arg[i] = y.term;
  }
  ENSURE(A, "type of a value", op->type != AS_INT && as_den_choices(A, op, op->expr));
  ENSURE(A, "half a register", op->type == AS_F32 || op->bits >= 1);
  as_poly term = as_den_scalar(A, op->expr, arg, (unsigned)op->n_arg);
  ENSURE(A, "an expression that cannot be read", term != AS_POLY_NONE && !as_terms_over(A->t));
  as_den d = as_den_all(term, &lay);
  return define(A, op, op->v, &d, op->type, p);
}

/* --- condition 20 */
static bool op_index(as_algebra *A, const as_tg_op *op, const place *p) {
  as_den d = {.old = -1, .run = AS_POLY_NONE};
  return shape(A, &op->src, p) && as_den_index_value(A, op, p->depth == 1, &d) &&
         define(A, op, op->v, &d, AS_INT, p);
}

/* --- condition 6 */
/* Beyond the live part of an axis the fold's unit stands: a fold under way, over nothing yet, that
 * may go over padding.  Being a partial fold it is good for nothing else. */
static bool op_fill(as_algebra *A, const as_tg_op *op, const place *p) {
  const as_den *x;
  ENSURE(A, "a value is made of itself", op->v != op->a);
  if (!shape(A, &op->src, p) || !final(A, op->a, p) || !read_value(A, op->a, &x) ||
      !typed(A, op->a, AS_F32))
    return false;
  int index = as_den_index(A, op->vaxis);
  ENSURE(A, "an unknown axis is filled", index >= 0 && as_lay_has_out(&x->lay, op->vaxis));
  ENSURE(A, "live extent of an axis", op->count == A->index_live[index]);
  ENSURE(A, "a partial result is used", !x->partial && !x->over_loop);
  as_lay have = as_lay_take(&x->lay, (const char *[]){op->vaxis}, 1);
  have = as_den_order(&have);
  as_lay where = as_lay_rename_in(&op->src, "u", "reg");
  where = as_den_order(&where);
  ENSURE(A, "filled by another value's places",
         !where.bad && as_lay_in(&where, "reg", NULL) == as_lay_in(&have, "reg", NULL) &&
             as_lay_same(&where, &have));
  as_den d = *x;
  d.partial = d.filled = true;
  d.kind = op->fold == AS_TG_SUM ? AS_ATOM_SUM : AS_ATOM_MAX;
  memcpy(d.axis, op->vaxis, sizeof d.axis);
  d.n_folded = 0;
  return define(A, op, op->v, &d, AS_F32, p);
}

static bool op_red(as_algebra *A, const as_tg_op *op, const place *p) {
  const as_den *x;
  as_den kept;
  as_den r;
  uint32_t dir[AS_LAY_BITS];
  ENSURE(A, "a value is made of itself", op->v != op->a);
  if (!final(A, op->a, p) || !read_value(A, op->a, &x) || !typed(A, op->a, AS_F32) ||
      !as_den_at_regs(A, x, &op->src, &kept))
    return false;
  unsigned n = as_lay_in_bits(&op->dst);
  ENSURE(A, "register index out of range",
         !op->dst.bad && as_lay_out_bits(&op->dst) <= as_lay_in(&x->lay, "reg", NULL));
  for (unsigned i = 0; i < n; i++)
    dir[i] = as_lay_at(&x->lay, "reg", op->dst.col[i]);
  as_atom_kind kind = op->fold == AS_TG_SUM ? AS_ATOM_SUM : AS_ATOM_MAX;
  return as_den_fold(A, x, kind, dir, n, &kept.lay, &r) && define(A, op, op->v, &r, AS_F32, p);
}

static bool op_shfl(as_algebra *A, const as_tg_op *op, const place *p) {
  const as_den *x;
  as_den r;
  if (!final(A, op->v, p) || !read_value(A, op->v, &x) || !typed(A, op->v, AS_F32))
    return false;
  ENSURE(A, "lane mask", op->lanes > 0 && op->lanes < 32);
  ENSURE(A, "a value from outside is changed in a loop", A->level[op->v] == level_of(p));
  uint32_t dir = as_lay_at(&x->lay, "lane", (uint32_t)op->lanes);
  as_atom_kind kind = op->fold == AS_TG_SUM ? AS_ATOM_SUM : AS_ATOM_MAX;
  if (!as_den_fold(A, x, kind, &dir, 1, &x->lay, &r))
    return false;
  /* the fold drops the axis once it is complete */
  A->state[op->v].is = false;
  A->val[op->v] = r;
  return true;
}

/* --- conditions 8 and 9 */
static bool op_zero(as_algebra *A, const as_tg_op *op, const place *p) {
  ENSURE(A, "an accumulator begins inside steps", !p->in_steps);
  ENSURE(A, "register count", op->bits >= 0 && op->bits <= 8);
  ENSURE(A, "an accumulator is overwritten",
         !A->state[op->v].is || A->state[op->v].closed || A->owner[op->v] == op);
  if (!A->owner[op->v])
    A->owner[op->v] = op;
  ENSURE(A, "a value is defined twice", A->owner[op->v] == op);
  bool begins = op->begin != NULL;
  ENSURE(A, "a beginning that is no number, or of something else than a maximum",
         !begins || (op->begin->op == AS_TGS_NUM && op->fold == AS_TG_MAXIMUM && p->depth == 0));
  A->state[op->v] = (as_den_state){.is = true,
                                   .depth = p->depth,
                                   .fold = (as_tg_fold)op->fold,
                                   .bits = (unsigned)op->bits,
                                   .begin = AS_POLY_NONE};
  if (begins)
    A->state[op->v].begin = as_den_scalar(A, op->begin, NULL, 0);
  ENSURE(A, "an expression that cannot be read", !begins || A->state[op->v].begin != AS_POLY_NONE);
  A->known[op->v] = false;
  A->type[op->v] = AS_F32;
  A->level[op->v] = level_of(p);
  return true;
}

static bool op_accadd(as_algebra *A, const as_tg_op *op, const place *p) {
  as_den_state *s;
  const as_den *x;
  as_den y;
  if (!accumulator(A, op->v, &s) || !final(A, op->a, p) || !read_value(A, op->a, &x) ||
      !typed(A, op->a, AS_F32))
    return false;
  ENSURE(A, "a sum begins at zero", s->fold == AS_TG_SUM && op->v != op->a);
  ENSURE(A, "register count", as_lay_in_bits(&op->src) == s->bits);
  return as_den_at_regs(A, x, &op->src, &y) && add(A, op->v, &y, p);
}

static bool op_accmax(as_algebra *A, const as_tg_op *op, const place *p) {
  as_den_state *s;
  const as_den *x;
  as_den y;
  if (!accumulator(A, op->v, &s) || !final(A, op->a, p) || !read_value(A, op->a, &x) ||
      !typed(A, op->a, AS_F32))
    return false;
  ENSURE(A, "a running maximum begins at -infinity, outside of the loop",
         s->fold == AS_TG_MAXIMUM && s->depth == 0 && p->depth == 1 && !p->in_steps &&
             op->v != op->a);
  ENSURE(A, "a maximum is taken twice", !s->added);
  ENSURE(A, "a partial result is used", !x->partial && !x->over_loop);
  ENSURE(A, "register count", as_lay_in_bits(&op->src) == s->bits);
  if (!as_den_at_regs(A, x, &op->src, &y))
    return false;
  s->added = true;
  as_den m = as_den_all(as_poly_run(A->t, y.term), &y.lay);
  A->val[op->v] = m;
  A->known[op->v] = true;
  for (unsigned i = 0; i < A->n_value; i++) { /* now it is known where the old maximum lay */
    if (!A->known[i] || A->val[i].old != op->v)
      continue;
    as_den old;
    if (!as_den_at_regs(A, &m, &A->val[i].old_map, &old))
      return false;
    A->val[i].lay = old.lay;
    A->val[i].old = -1;
  }
  return true;
}

static bool op_rescale(as_algebra *A, const as_tg_op *op, const place *p) {
  as_den_state *s;
  const as_den *f;
  bool hit = false;
  if (!accumulator(A, op->v, &s) || !final(A, op->a, p) || !read_value(A, op->a, &f) ||
      !typed(A, op->a, AS_F32))
    return false;
  ENSURE(A, "rescaled at the wrong place",
         !s->added && !s->scaled && s->fold == AS_TG_SUM && s->depth == 0 && p->depth == 1 &&
             !p->in_steps);
  ENSURE(A, "a partial result is used", !f->partial && !f->over_loop);
  ENSURE(A, "register count", as_lay_in_bits(&op->src) == s->bits && !op->src.bad);
  for (unsigned i = 0; i < A->n_value && !hit; i++) {
    const as_den_state *m = &A->state[i];
    if (!m->is || m->fold != AS_TG_MAXIMUM || !m->added)
      continue;
    as_poly change = as_poly_add(A->t, as_poly_old(A->t, i), as_poly_neg(A->t, A->val[i].term));
    if (f->term == as_poly_exp(A->t, change)) {
      hit = true;
      s->scale_run = A->val[i].term;
    }
  }
  ENSURE(A, "not the factor from the old to the new maximum", hit);
  s->scaled = true;
  s->scale_lay = f->lay;
  s->scale_map = op->src;
  return true;
}

static bool op_mma(as_algebra *A, const as_tg_op *op, const place *p) {
  as_den_state *s;
  const as_den *a;
  const as_den *b;
  as_den r;
  const as_isa_row *row = as_isa_find(A->isa, op->instr);
  ENSURE(A, "no such product on this target", row && row->product.is);
  if (!accumulator(A, op->v, &s) || !final(A, op->a, p) || !final(A, op->b, p) ||
      !read_value(A, op->a, &a) || !read_value(A, op->b, &b) || !typed(A, op->v, AS_F32))
    return false;
  const char *ta = as_isa_get_operand(row, row->product.first)->type;
  const char *tb = as_isa_get_operand(row, row->product.second)->type;
  const char *tc = as_isa_get_operand(row, row->product.result)->type;
  static const char *const names[] = {[AS_F16] = "f16", [AS_BF16] = "bf16", [AS_F32] = "f32"};
  ENSURE(A, "type of an operand",
         as_den_floating(A, op->a) && as_den_floating(A, op->b) &&
             !strcmp(names[A->type[op->a]], ta) && !strcmp(names[A->type[op->b]], tb) &&
             !strcmp(tc, "f32"));
  ENSURE(A, "a sum begins at zero", s->fold == AS_TG_SUM);
  ENSURE(A, "a partial result is used",
         !a->partial && !b->partial && !a->over_loop && !b->over_loop);
  ENSURE(A, "added to twice", !s->added && !s->done);
  if (!as_den_mma(A, op, p->steps, a, b, s->bits, &r))
    return false;
  s->added = true;
  A->val[op->v] = r;
  A->known[op->v] = true;
  return true;
}

/* the operand of a product of a warpgroup that is in registers */
static bool held_value(as_algebra *A, const as_tg_op *op, const place *p, const as_den **out) {
  static const char *const names[] = {[AS_F16] = "f16", [AS_BF16] = "bf16", [AS_F32] = "f32"};
  const as_isa_row *row = as_isa_find(A->isa, op->instr);
  const as_den *a;
  ENSURE(A, "no such product on this target", row && row->product.is);
  if (!final(A, op->a, p) || !read_value(A, op->a, &a))
    return false;
  ENSURE(A, "type of an operand",
         as_den_floating(A, op->a) &&
             !strcmp(names[A->type[op->a]], as_isa_get_operand(row, row->product.first)->type));
  ENSURE(A, "a partial result is used", !a->partial && !a->over_loop);
  *out = a;
  return true;
}

/* condition 16 */
static bool op_wgmma(as_algebra *A, const as_tg_op *op, const place *p) {
  as_den_state *s;
  as_den r;
  const as_den *held = NULL;
  if (!accumulator(A, op->v, &s) || !typed(A, op->v, AS_F32) ||
      (op->kind == AS_TG_WGMMAR && !held_value(A, op, p, &held)))
    return false;
  ENSURE(A, "a sum begins at zero", s->fold == AS_TG_SUM);
  ENSURE(A, "added to twice", !s->added && !s->done);
  ENSURE(A, "a product of a warpgroup inside steps", !p->in_steps);
  if (!as_den_wgmma(A, op, held, p->depth == 1, s->bits, &r))
    return false;
  s->added = true;
  A->val[op->v] = r;
  A->known[op->v] = true;
  return true;
}

/* --- condition 10 */
static bool op_stg(as_algebra *A, const as_tg_op *op, const place *p) {
  static const char *const order[] = {"reg", "lane", "warp"};
  const as_tg_tile *t = &A->g->tile[op->tile];
  const as_den *x;
  as_lay at;
  const char *axes[AS_TG_AXES];
  unsigned n = 0;
  ENSURE(A, "a store into an input", t->output && p->depth == 0 && !p->in_steps);
  if (!shape(A, &op->dst, p) || !tile_map(A, t, &op->dst) || !final(A, op->a, p) ||
      !read_value(A, op->a, &x) || !typed(A, op->a, (int)t->type) ||
      !as_den_aligned(A, t, op->vaxis, (unsigned)op->vec) ||
      !as_den_pred_is_padding(A, t, op->pred))
    return false;
  ENSURE(A, "size of a vector",
         op->vec >= 0 && (op->vec > 0 || t->type == AS_F32) &&
             (t->type == AS_F32 ? 4 : 2) << op->vec <= 16);
  ENSURE(A, "a partial result is stored", !x->partial && !x->over_loop);
  if (!as_den_vector(A, &op->dst, (unsigned)op->vec, op->vaxis, &at))
    return false;
  for (unsigned i = 0; i < at.n_out; i++)
    axes[n++] = at.out[i].name;
  for (unsigned i = 0; i < x->lay.n_out; i++)
    ENSURE(A, "axes of what is stored", as_lay_has_out(&at, x->lay.out[i].name));
  ENSURE(A, "register count", as_lay_in(&at, "reg", NULL) == as_lay_in(&x->lay, "reg", NULL));
  as_lay where = as_den_active(&at, op->lanes, op->warps);
  ENSURE(A, "an element is not stored exactly once",
         as_lay_injective(&where) && as_lay_surjective(&where));
  as_lay have = as_lay_take(&x->lay, axes, n);
  have = as_lay_order(&have, order, 3);
  ENSURE(A, "axes of what is stored", !have.bad);
  have = as_den_active(&have, op->lanes, op->warps);
  where = as_lay_order(&where, order, 3);
  ENSURE(A, "an element is stored in another's place", as_lay_same(&have, &where));
  ENSURE(A, "what is stored is not what the block graph says",
         x->term == A->want[op->tile] && !as_poly_uses_kind(A->t, x->term, AS_ATOM_OLD));
  A->stored[op->tile]++;
  return true;
}

static bool run_op(as_algebra *A, const as_tg_op *op, const place *p) {
  if (op->kind != AS_TG_BULK && op->kind != AS_TG_CPASYNC && op->kind < AS_TG_BAR)
    ENSURE(A, "computed by a warp that has no part in it", op->who == 'c');
  bool product = op->kind == AS_TG_WGMMA || op->kind == AS_TG_WGMMAR || op->kind == AS_TG_WGFENCE;
  ENSURE(A, "a delay", op->delay == 0 || (op->delay == 1 && product));
  ENSURE(A, "iterations that are left out",
         op->from == 0 || op->kind == AS_TG_MBWAIT || op->kind == AS_TG_MBARRIVE);
  switch (op->kind) {
  case AS_TG_CPASYNC:
    ENSURE(A, "who loads", op->who == 'c' && !p->in_steps);
    return true;
  case AS_TG_BULK:
    ENSURE(A, "who loads", op->who == 'p' && A->g->producer && !p->in_steps);
    return true;
  case AS_TG_LDMATRIX:
    return op_ldmatrix(A, op, p);
  case AS_TG_LDS:
    return op_lds(A, op, p);
  case AS_TG_STS:
    return op_sts(A, op, p);
  case AS_TG_LDG:
    return op_ldg(A, op, p);
  case AS_TG_STG:
    return op_stg(A, op, p);
  case AS_TG_MMA:
    return op_mma(A, op, p);
  case AS_TG_WGMMA:
  case AS_TG_WGMMAR:
    return op_wgmma(A, op, p);
  case AS_TG_MAP:
    return op_map(A, op, p);
  case AS_TG_FILL:
    return op_fill(A, op, p);
  case AS_TG_INDEX:
    return op_index(A, op, p);
  case AS_TG_RED:
    return op_red(A, op, p);
  case AS_TG_SHFL:
    return op_shfl(A, op, p);
  case AS_TG_ZERO:
    return op_zero(A, op, p);
  case AS_TG_ACCADD:
    return op_accadd(A, op, p);
  case AS_TG_ACCMAX:
    return op_accmax(A, op, p);
  case AS_TG_RESCALE:
    return op_rescale(A, op, p);
  case AS_TG_WGFENCE:
  case AS_TG_WGCOMMIT:
  case AS_TG_WGWAIT:
    ENSURE(A, "computed by a warp that has no part in it", op->who == 'c' && !p->in_steps);
    return true;
  default:
    ENSURE(A, "an operation that is not known", op->kind < AS_TG_KIND_COUNT);
    return true; /* synchronisation: schedule.c */
  }
}

static bool run_body(as_algebra *A, const as_tg_op *in, const place *p);

static bool run_loop(as_algebra *A, const as_tg_op *loop, const place *p) {
  ENSURE(A, "a loop in a loop", p->depth == 0 && !p->in_steps);
  bool comp = as_loop_computes(loop);
  ENSURE(A, "a loop that computes has another trip count",
         !(comp || loop->cut) || loop->count == A->g->trip);
  ENSURE(A, "a loop that computes is another's", !comp || loop->who == 'c');
  ENSURE(A, "iterations of a loop", loop->count >= 0 && loop->who != 'a');
  ENSURE(A, "a loop that leaves out its first iterations",
         loop->from == 0 || (loop->from > 0 && !comp && loop->who == 'p'));
  if (!as_loop_one_executor(A, loop, loop->who))
    return false;
  bool *before = as_malloc(A->n_value * sizeof *before + 1);
  memcpy(before, A->known, A->n_value * sizeof *before);
  for (unsigned i = 0; i < A->n_value; i++) {
    as_den_state *s = &A->state[i];
    if (s->is && s->added)
      s->closed = true; /* it may be read in this loop, not added to */
    s->added = false;
  }
  place inner = {.depth = 1};
  bool ok = run_body(A, loop, &inner) && (!comp || (as_cut_loop(A, loop) && as_den_close(A)));
  for (unsigned i = 0; i < A->n_value;
       i++) { /* the last iteration's values are not used after it */
    as_den_state *s = &A->state[i];
    if (!before[i] && !(s->is && s->depth == 0))
      A->known[i] = false;
    if (s->is && s->depth == 1)
      s->is = false;
  }
  free(before);
  return ok;
}

static bool run_steps(as_algebra *A, const as_tg_op *steps, const place *p) {
  ENSURE(A, "steps in steps",
         !p->in_steps && steps->who == 'c' && as_loop_one_executor(A, steps, 'c'));
  ENSURE(A, "number of steps", steps->bits >= 0 && steps->bits <= 6);
  bool *before = as_malloc(A->n_value * sizeof *before + 1);
  memcpy(before, A->known, A->n_value * sizeof *before);
  place inner = {.depth = p->depth, .in_steps = true, .steps = (unsigned)steps->bits};
  bool ok = run_body(A, steps, &inner);
  for (unsigned i = 0; i < A->n_value; i++) {
    if (!before[i] && !A->state[i].is)
      A->known[i] = false;
  }
  free(before);
  return ok;
}

/* Condition 22: what is chosen inside is what would be chosen anyway; the places by which are not
 * known behind it, as they are not computed everywhere. */
static bool run_sure(as_algebra *A, const as_tg_op *sure, const place *p) {
  as_poly bound;
  ENSURE(A, "a place that is sure in steps", !p->in_steps && sure->who == 'c');
  if (!as_den_bound(A, sure, p->depth == 1, &bound))
    return false;
  for (unsigned i = 0; i < sure->n_body; i++) {
    const as_tg_op *op = sure->body[i];
    ENSURE(A, "an operation that no place says anything of",
           op->kind == AS_TG_INDEX || op->kind == AS_TG_MAP || op->kind == AS_TG_RED);
    if (!run_op(A, op, p) || (op->kind == AS_TG_MAP && !as_den_sure(A, op, op->expr, sure, bound)))
      return false;
  }
  for (unsigned i = 0; i < sure->n_body; i++) {
    if (sure->body[i]->kind == AS_TG_INDEX)
      A->known[sure->body[i]->v] = false;
  }
  return true;
}

/* Condition 23: delayed operations are taken at the end of their own iteration.  What is executed
 * in between, before their place in the next, must not meet them. */
static bool run_delayed(as_algebra *A, const as_tg_op *loop, unsigned at, const place *p) {
  const as_tg_op *op = loop->body[at];
  ENSURE(A, "a delay outside of a loop", loop->kind == AS_TG_LOOP && p->depth == 1 && !p->in_steps);
  for (unsigned i = 0; i < at && op->kind != AS_TG_WGFENCE; i++) {
    const as_tg_op *before = loop->body[i];
    ENSURE(A, "a delayed operation is overtaken by what it meets",
           before->delay || !as_loop_meets(before, op));
  }
  return run_op(A, op, p);
}

static bool run_body(as_algebra *A, const as_tg_op *in, const place *p) {
  for (unsigned i = 0; i < in->n_body; i++) {
    const as_tg_op *op = in->body[i];
    if (op->delay)
      continue;
    bool ok = op->kind == AS_TG_LOOP    ? run_loop(A, op, p)
              : op->kind == AS_TG_STEPS ? run_steps(A, op, p)
              : op->kind == AS_TG_SURE  ? run_sure(A, op, p)
                                        : run_op(A, op, p);
    if (!ok)
      return false;
  }
  for (unsigned i = 0; i < in->n_body; i++) {
    if (in->body[i]->delay && !run_delayed(A, in, i, p))
      return false;
  }
  return true;
}

bool as_den_run(as_algebra *A) {
  place top = {.depth = 0};
  if (!run_body(A, &A->g->top, &top))
    return false;
  for (unsigned i = 0; i < A->g->n_tile; i++)
    ENSURE(A, "an output is stored other than once", !A->g->tile[i].output || A->stored[i] == 1);
  return true;
}
