/* Condition 16: products of warpgroups, whose operands lie in shared memory, the first one perhaps
 * in registers (as in condition 5, by four warps).  A descriptor names a start; the instruction's
 * layouts say at which offset behind it each element is read, before the swizzle.  Offsets and
 * starts have no bit in common and starts leave the pattern's rows alone, so that adding is xor and
 * the swizzle of the sum is the sum of the swizzles: what is read is content o (start + swizzle o
 * offset), a linear map. */
#include "den.h"
#include <string.h>

/* 16-byte chunks of 2-byte elements; rows of the pattern */
#define CHUNK_BIT 3u
#define ROW_BIT 6u

static bool one_bit(uint32_t x) {
  return x && !(x & (x - 1));
}

bool as_group_place(const as_isa_row *row, bool second, long lead, as_lay *place, uint32_t *bits) {
  const as_lay *operand = as_isa_layout(row, second ? row->product.second : row->product.first);
  uint32_t mask = (uint32_t)as_isa_needs(row, "mask");
  unsigned shift = (unsigned)as_isa_needs(row, "shift");
  bool panels = operand && as_lay_in(operand, "panel", NULL) > 0;
  if (!operand || !as_lay_has_in(operand, "off") || !as_lay_surjective(operand) ||
      as_isa_needs(row, "swizzle") != 128)
    return false;
  if (panels ? lead < 16 || lead >= 1 << 18 || !one_bit((uint32_t)lead) : lead != 0)
    return false;
  as_lay back = as_lay_inverse(operand);
  as_lay r = as_lay_new();
  unsigned at = 0;
  *bits = 0;
  as_lay_add_out(&r, "off", 20);
  for (unsigned d = 0; d < back.n_in; d++) {
    as_lay_add_in(&r, back.in[d].name);
    for (unsigned i = 0; i < back.in[d].bits; i++, at++) {
      uint32_t off = as_lay_part(&back, "off", back.col[at]);
      if (panels)
        off += as_lay_part(&back, "panel", back.col[at]) * ((uint32_t)lead / 2);
      if (!one_bit(off) || (*bits & off) || off >> 20)
        return false;
      *bits |= off;
      as_lay_push(&r, off ^ ((off >> (ROW_BIT + shift) & mask) << CHUNK_BIT));
    }
  }
  *place = r;
  return !r.bad && !back.bad;
}

typedef struct {
  const as_tg_op *op;
  const as_isa_row *row;
  bool second;
  bool in_loop;
} operand;

static bool start_fits(as_algebra *A, const as_lay *start, const as_tg_buffer *buf, uint32_t bits,
                       unsigned own_warps) {
  uint32_t pattern = 7u << ROW_BIT;
  uint32_t warp[AS_LAY_BITS];
  ENSURE(A, "offsets",
         !start->bad && start->n_out == 1 && !strcmp(start->out[0].name, "off") &&
             as_lay_out_bits(start) == buf->bits && !(bits >> buf->bits));
  for (unsigned i = 0; i < start->n_in; i++)
    ENSURE(A, "inputs of a map",
           !strcmp(start->in[i].name, "u") || !strcmp(start->in[i].name, "warp"));
  for (unsigned i = 0; i < as_lay_in_bits(start); i++) {
    ENSURE(A, "a descriptor that begins inside of a chunk",
           !(start->col[i] & ((1u << CHUNK_BIT) - 1)));
    ENSURE(A, "a descriptor whose sum with an offset carries", !(start->col[i] & bits));
    ENSURE(A, "a descriptor that begins inside of the swizzle's rows", !(start->col[i] & pattern));
  }
  unsigned n = as_lay_cols(start, "warp", warp);
  ENSURE(A, "inputs of a map", n == A->g->warp_bits && n >= own_warps);
  for (unsigned i = 0; i < own_warps; i++)
    ENSURE(A, "warps of one group name different operands", !warp[i]);
  return true;
}

/* (indices of the instruction, u, warp) -> indices of the tile */
static bool read_operand(as_algebra *A, const operand *o, as_poly *term, as_lay *out) {
  const as_tg_op *op = o->op;
  int which = o->second ? op->bufb : op->buf;
  const as_tg_buffer *buf = &A->g->buffer[which];
  const as_den_ring *ring = &A->ring[which];
  const as_lay *start = o->second ? &op->dst : &op->src;
  const char *name = o->second ? o->row->product.second : o->row->product.first;
  static const char *const types[] = {[AS_F16] = "f16", [AS_BF16] = "bf16", [AS_F32] = "f32"};
  as_lay place;
  uint32_t bits;
  /* the copies' writes and the product's reads are of one proxy: no fence between is needed */
  ENSURE(A, "not a buffer that bulk copies fill", ring->is && ring->boxes);
  const as_tg_tile *t = &A->g->tile[ring->tile];
  bool looped = false;
  for (unsigned i = 0; i < t->n_axis; i++)
    looped = looped || t->axis[i].loop_step;
  ENSURE(A, "read outside of the loop", !looped || o->in_loop);
  ENSURE(A, "stage of a buffer", looped || op->slot == 0);
  ENSURE(A, "type of an operand",
         buf->elem == 2 && !strcmp(types[t->type], as_isa_get_operand(o->row, name)->type));
  ENSURE(A, "alignment of a buffer", buf->base % 1024 == 0 && as_tg_buffer_bytes(buf) % 1024 == 0);
  ENSURE(A, "an operand that no descriptor names",
         as_group_place(o->row, o->second, o->second ? op->lead : 0, &place, &bits));
  unsigned own_warps = as_lay_in(as_isa_layout(o->row, o->row->product.result), "warp", NULL);
  if (!start_fits(A, start, buf, bits, own_warps))
    return false;
  as_lay at = as_lay_new();
  as_lay_add_out(&at, "off", buf->bits);
  unsigned k = 0;
  for (unsigned d = 0; d < place.n_in; d++) {
    as_lay_add_in(&at, place.in[d].name);
    for (unsigned i = 0; i < place.in[d].bits; i++)
      as_lay_push(&at, place.col[k++]);
  }
  static const char *const dims[] = {"u", "warp"};
  uint32_t cols[AS_LAY_BITS];
  for (unsigned d = 0; d < 2; d++) {
    unsigned n = as_lay_cols(start, dims[d], cols);
    as_lay_add_in(&at, dims[d]);
    for (unsigned i = 0; i < n; i++)
      as_lay_push(&at, cols[i]);
  }
  as_lay_add_in(&at, "s");
  *out = as_lay_after(&ring->content, &at);
  *term = A->tile_term[ring->tile];
  ENSURE(A, "too many registers", !out->bad);
  return true;
}

/* (indices of the instruction, u, warp, s) -> indices of the term, of the registers of a group */
static bool held_operand(as_algebra *A, const as_tg_op *op, const as_isa_row *row,
                         const as_den *held, as_lay *out) {
  const as_lay *fragment = as_isa_layout(row, row->product.first);
  unsigned result_warps = as_lay_in(as_isa_layout(row, row->product.result), "warp", NULL);
  ENSURE(A, "an operand that is not in registers",
         fragment && as_lay_has_in(fragment, "reg") &&
             as_lay_in(fragment, "warp", NULL) == result_warps);
  ENSURE(A, "register groups",
         !op->ga.bad && op->ga.n_in == 1 && !strcmp(op->ga.in[0].name, "u") &&
             as_lay_in_bits(&op->ga) == as_lay_in_bits(&op->gc) &&
             as_lay_out_bits(&op->ga) + as_lay_in(fragment, "reg", NULL) <=
                 as_lay_in(&held->lay, "reg", NULL));
  return as_den_fragment(A, held, fragment, &op->ga, 0, out);
}

bool as_den_wgmma(as_algebra *A, const as_tg_op *op, const as_den *held, bool in_loop,
                  unsigned acc_bits, as_den *out) {
  const as_isa_row *row = as_isa_find(A->isa, op->instr);
  ENSURE(A, "no such product on this target",
         row && row->product.is && as_isa_needs(row, "warps") == 4);
  const as_lay *fc = as_isa_layout(row, row->product.result);
  ENSURE(A, "no such product on this target",
         fc && as_lay_injective(fc) && as_lay_surjective(fc) && as_lay_in(fc, "warp", NULL) == 2);
  unsigned copies = as_lay_in_bits(&op->gc);
  ENSURE(A, "register groups",
         !op->gc.bad && op->gc.n_in == 1 && !strcmp(op->gc.in[0].name, "u") &&
             as_lay_out_bits(&op->gc) + as_lay_in(fc, "reg", NULL) == acc_bits &&
             (held || as_lay_in(&op->src, "u", NULL) == copies) &&
             as_lay_in(&op->dst, "u", NULL) == copies);
  ENSURE(A, "a register group is not accumulated into", as_lay_surjective(&op->gc));
  as_poly first_term;
  as_poly second_term;
  as_lay first;
  as_lay second;
  operand o = {op, row, false, in_loop};
  if (held) {
    first_term = held->term;
    if (!held_operand(A, op, row, held, &first))
      return false;
  } else if (!read_operand(A, &o, &first_term, &first)) {
    return false;
  }
  o.second = true;
  return read_operand(A, &o, &second_term, &second) &&
         as_den_product(A, row, &op->gc, as_poly_mul(A->t, first_term, second_term), &first,
                        &second, out);
}
