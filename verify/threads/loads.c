/* Condition 2: a load fills its buffer: each element of the tile once, each place once. */
#include "den.h"
#include <string.h>

/* outputs named as the tile's axes that have bits, in the tile's order */
static bool tile_outputs(as_algebra *A, const as_tg_tile *t, const as_lay *l, as_lay *out) {
  as_lay r = as_lay_new();
  for (unsigned i = 0; i < t->n_axis; i++) {
    if (t->axis[i].bits)
      as_lay_add_out(&r, t->axis[i].name, t->axis[i].bits);
  }
  ENSURE(A, "axes of a map", !l->bad && !r.bad && l->n_out == r.n_out);
  for (unsigned i = 0; i < r.n_out; i++) {
    ENSURE(A, "axes of a map",
           !strcmp(l->out[i].name, r.out[i].name) && l->out[i].bits == r.out[i].bits);
  }
  *out = *l;
  return true;
}

static bool contiguous(as_algebra *A, const as_tg_tile *t, const char *axis) {
  const as_tg_axis *a = as_tg_find_axis(t, axis);
  ENSURE(A, "a vector along another axis", a && a->stride == 1);
  return true;
}

/* a chunk starts at a multiple of its bytes: so do rows, blocks and iterations, and no chunk lies
 * half in padding */
bool as_den_aligned(as_algebra *A, const as_tg_tile *t, const char *axis, unsigned vec) {
  long n = 1L << vec;
  if (!contiguous(A, t, axis))
    return false;
  ENSURE(A, "an origin that is not aligned", t->origin % n == 0);
  for (unsigned i = 0; i < t->n_axis; i++) {
    const as_tg_axis *a = &t->axis[i];
    bool along = a->stride == 1 && !strcmp(a->name, axis);
    bool moves = a->bits || a->grid >= 0 || a->loop_step;
    ENSURE(A, "rows that are not aligned", along || !moves || a->stride % n == 0);
    ENSURE(A, "an origin that is not aligned",
           !along || ((a->grid_step * a->stride) % n == 0 && (a->loop_step * a->stride) % n == 0));
    ENSURE(A, "a vector half in padding", !along || a->live % n == 0);
  }
  return true;
}

static bool hardware_inputs(as_algebra *A, const as_lay *l) {
  for (unsigned i = 0; i < l->n_in; i++) {
    const char *n = l->in[i].name;
    ENSURE(A, "inputs of a map",
           !strcmp(n, "u") || !strcmp(n, "lane") || !strcmp(n, "warp") || !l->in[i].bits);
  }
  ENSURE(A, "inputs of a map",
         as_lay_in(l, "lane", NULL) == 5 && as_lay_in(l, "warp", NULL) == A->g->warp_bits);
  return true;
}

static bool copy_content(as_algebra *A, const as_tg_op *op, const as_tg_tile *t,
                         const as_tg_buffer *buf, as_lay *out) {
  static const char *const order[] = {"reg", "lane", "warp"};
  as_lay src;
  as_lay dst;
  unsigned elem = t->type == AS_F32 ? 4 : 2;
  ENSURE(A, "size of a copy", op->vec >= 0 && op->vec <= 3);
  char name[16] = "cp.async.";
  unsigned bytes = elem << op->vec;
  strcat(name, bytes == 4 ? "4" : bytes == 8 ? "8" : bytes == 16 ? "16" : "?");
  const as_isa_row *row = as_isa_find(A->isa, name);
  ENSURE(A, "no such copy on this target",
         row && as_isa_needs(row, "bytes") == (long)bytes &&
             as_isa_needs(row, "align") == (long)bytes);
  ENSURE(A, "stage of another iteration", op->slot == op->it);
  if (!hardware_inputs(A, &op->src) || !hardware_inputs(A, &op->dst) ||
      !as_den_aligned(A, t, op->vaxis, (unsigned)op->vec) ||
      !as_den_pred_is_padding(A, t, op->pred) || !tile_outputs(A, t, &op->src, &src))
    return false;
  ENSURE(A, "offsets of a buffer", op->dst.n_out == 1 && as_lay_out_bits(&op->dst) == buf->bits);
  ENSURE(A, "alignment of a buffer",
         buf->base % 16 == 0 && as_tg_buffer_bytes(buf) % (long)bytes == 0);
  if (!as_den_vector(A, &src, (unsigned)op->vec, op->vaxis, &src) ||
      !as_den_vector(A, &op->dst, (unsigned)op->vec, NULL, &dst))
    return false;
  ENSURE(A, "rounds of a copy", as_lay_in(&src, "reg", NULL) == as_lay_in(&dst, "reg", NULL));
  as_lay s = as_den_active(&src, op->lanes, op->warps);
  as_lay d = as_den_active(&dst, op->lanes, op->warps);
  s = as_lay_order(&s, order, 3);
  d = as_lay_order(&d, order, 3);
  ENSURE(A, "a place of the tile is not written exactly once",
         as_lay_injective(&d) && as_lay_surjective(&d));
  as_lay back = as_lay_inverse(&d);
  *out = as_lay_after(&s, &back);
  return true;
}

static long log2_exact(long v) {
  long n = 0;
  while (1L << n < v)
    n++;
  return 1L << n == v ? n : -1;
}

/* a copy of contiguous bytes: a tile of one axis */
static bool linear_content(as_algebra *A, const as_isa_row *instr, const as_tg_op *op,
                           const as_tg_tile *t, const as_tg_buffer *buf, as_lay *out) {
  const as_tg_axis *a = as_tg_find_axis(t, op->col);
  long align = as_isa_needs(instr, "align");
  long elem = t->type == AS_F32 ? 4 : 2;
  ENSURE(A, "axes of a copy",
         a && a->stride == 1 && !strcmp(op->row, op->col) && op->rows == 0 && op->slot == 0);
  ENSURE(A, "inputs of a map", as_lay_in_bits(&op->src) == 0 && !op->src.bad);
  ENSURE(A, "an origin that is not aligned", t->origin * elem % align == 0);
  for (unsigned i = 0; i < t->n_axis; i++) {
    const as_tg_axis *x = &t->axis[i];
    ENSURE(A, "a copy of more than one axis", x == a || !x->bits);
    ENSURE(A, "an origin that is not aligned",
           x->grid_step * x->stride * elem % align == 0 &&
               x->loop_step * x->stride * elem % align == 0);
  }
  ENSURE(A, "a copy reads beyond its tile", a->live == 1L << a->bits);
  ENSURE(A, "alignment of a buffer",
         align > 0 && buf->base % align == 0 && as_tg_buffer_bytes(buf) % align == 0);
  ENSURE(A, "offsets of a buffer", buf->bits == a->bits);
  *out = as_lay_identity("off", a->name, a->bits);
  return true;
}

/* a box: rows of `swizzle` bytes; the axes beside its row and column move it as whole numbers of
 * rows or columns of the tensor map, which the printer makes of the same strides */
static bool bulk_content(as_algebra *A, const as_tg_op *op, const as_tg_tile *t,
                         const as_tg_buffer *buf, as_lay *out) {
  const as_isa_row *instr = as_isa_find(A->isa, op->instr);
  const as_tg_axis *row = as_tg_find_axis(t, op->row);
  const as_tg_axis *col = as_tg_find_axis(t, op->col);
  unsigned elem = t->type == AS_F32 ? 4 : 2;
  as_lay r = as_lay_new();
  if (instr && as_isa_needs(instr, "linear"))
    return linear_content(A, instr, op, t, buf, out);
  ENSURE(A, "no such copy on this target", instr && as_isa_needs(instr, "swizzle"));
  ENSURE(A, "axes of a box", row && col && row != col && col->stride == 1 && op->slot == 0);
  long width = as_isa_needs(instr, "swizzle");
  long cols = log2_exact(width / (long)elem);
  ENSURE(A, "a box has too many rows",
         op->rows >= 0 && op->rows <= 8 && 1L << op->rows <= as_isa_needs(instr, "rows"));
  ENSURE(A, "alignment of a buffer",
         buf->base % as_isa_needs(instr, "align") == 0 &&
             as_tg_buffer_bytes(buf) % as_isa_needs(instr, "align") == 0 &&
             (width << op->rows) % as_isa_needs(instr, "align") == 0);
  ENSURE(A, "a box leaves the tile",
         (unsigned)op->rows <= row->bits && (unsigned)cols <= col->bits);
  ENSURE(A, "rows of the map that are not aligned",
         row->stride > 0 && row->stride * (long)elem % 16 == 0);
  ENSURE(A, "an origin that is not aligned", t->origin * (long)elem % 16 == 0);
  for (unsigned i = 0; i < t->n_axis; i++) {
    const as_tg_axis *a = &t->axis[i];
    bool padded = a->live != 1L << a->bits;
    /* the map ends where the tensor ends: padding is zero iff the tile's end is the tensor's */
    ENSURE(A, "a box reads beyond its tile",
           !padded || (a->grid < 0 && !a->loop_step && (a == row || a == col)));
    ENSURE(A, "an axis that a box cannot move along",
           a == row || a == col || (!a->bits && a->grid < 0 && !a->loop_step) ||
               (a->stride % row->stride == 0 && row->live == 1L << row->bits));
  }
  as_lay box = as_lay_swizzled((unsigned)op->rows, (unsigned)cols, elem,
                               (unsigned)as_isa_needs(instr, "shift"),
                               (unsigned)as_isa_needs(instr, "mask"));
  as_lay corner;
  if (!tile_outputs(A, t, &op->src, &corner))
    return false;
  ENSURE(A, "inputs of a map", corner.n_in == 1 && !strcmp(corner.in[0].name, "u"));
  for (unsigned i = 0; i < corner.n_out; i++)
    as_lay_add_out(&r, corner.out[i].name, corner.out[i].bits);
  as_lay_add_in(&r, "off");
  for (unsigned i = 0; i < as_lay_in_bits(&box); i++) {
    unsigned to_row;
    unsigned to_col;
    as_lay_out(&r, op->row, &to_row);
    as_lay_out(&r, op->col, &to_col);
    as_lay_push(&r, as_lay_part(&box, "row", box.col[i]) << to_row |
                        as_lay_part(&box, "col", box.col[i]) << to_col);
  }
  for (unsigned i = 0; i < as_lay_in_bits(&corner); i++)
    as_lay_push(&r, corner.col[i]);
  ENSURE(A, "boxes of a tile", !r.bad && as_lay_in_bits(&r) == buf->bits);
  *out = r;
  return true;
}

static bool load(as_algebra *A, const as_tg_op *op) {
  as_lay c;
  const as_tg_tile *t = &A->g->tile[op->tile];
  const as_tg_buffer *buf = &A->g->buffer[op->buf];
  bool looped = false;
  for (unsigned i = 0; i < t->n_axis; i++)
    looped = looped || t->axis[i].loop_step;
  ENSURE(A, "a load of an output", !t->output);
  ENSURE(A, "element size of a buffer", buf->elem == (t->type == AS_F32 ? 4u : 2u));
  ENSURE(A, "stages of a buffer", looped ? (int)buf->stages == A->g->stages : buf->stages == 1);
  ENSURE(A, "a tile that no iteration moves has one stage",
         looped || (op->slot == 0 && (op->kind == AS_TG_BULK || op->it == 0)));
  if (!(op->kind == AS_TG_BULK ? bulk_content(A, op, t, buf, &c) : copy_content(A, op, t, buf, &c)))
    return false;
  ENSURE(A, "a tile is not loaded exactly once",
         as_lay_injective(&c) && as_lay_surjective(&c) && as_lay_in_bits(&c) == buf->bits);
  as_den_ring *ring = &A->ring[op->buf];
  ENSURE(A, "two loads fill a buffer differently",
         !ring->is || (ring->tile == (unsigned)op->tile && as_lay_same(&ring->content, &c)));
  const as_isa_row *instr = op->kind == AS_TG_BULK ? as_isa_find(A->isa, op->instr) : NULL;
  ring->boxes = (ring->boxes || !ring->is) && instr && as_isa_needs(instr, "swizzle");
  ring->is = true;
  ring->tile = (unsigned)op->tile;
  ring->content = c;
  return true;
}

static bool loads_of(as_algebra *A, const as_tg_op *in) {
  for (unsigned i = 0; i < in->n_body; i++) {
    const as_tg_op *op = in->body[i];
    if ((op->kind == AS_TG_CPASYNC || op->kind == AS_TG_BULK) && !load(A, op))
      return false;
    if (!loads_of(A, op))
      return false;
  }
  return true;
}

bool as_den_loads(as_algebra *A) {
  return loads_of(A, &A->g->top);
}
