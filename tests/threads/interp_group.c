/* Products of warps, and of warpgroups by the documentation: descriptors' addresses from absolute
 * bytes, registers by lane and warp.  Each warp's rows are computed at a random moment between
 * issue and wait, in the order of issue, from what registers and shared memory then hold. */
#include "interp_int.h"
#include <stdio.h>
#include <string.h>

typedef struct {
  unsigned columns;
  bool by_rows; /* the second operand lies in rows of 64 columns */
  bool held;    /* the first one in registers */
} shape;

static bool shape_of(run *R, const char *instr, shape *s) {
  char type[8] = {0};
  char how[4] = {0};
  int n = sscanf(instr, "wgmma.m64n%uk16.%7[a-z0-9].%3s", &s->columns, type, how);
  if (n != 3 || (how[0] != 'k' && how[0] != 'r') || (how[1] != 'k' && how[1] != 'n'))
    return interp_wrong(R, "no such product");
  s->held = how[0] == 'r';
  s->by_rows = how[1] == 'n';
  return true;
}

/* the byte of element (row, k): 128-byte rows, groups of eight after 1024 bytes, panels of 64 after
 * `lead`; address bits [4, 7) ^= bits [7, 10) */
static long place_of(bool by_rows, long start, long lead, unsigned row, unsigned k) {
  long at = by_rows ? start + row / 64 * lead + k / 8 * 1024 + k % 8 * 128 + row % 64 * 2
                    : start + row / 8 * 1024 + row % 8 * 128 + k * 2;
  return at ^ ((at >> 7 & 7) << 4);
}

static bool load(run *R, bool by_rows, long start, long lead, unsigned row, unsigned k, pair *out) {
  long cell;
  if (!interp_cell(R, place_of(by_rows, start, lead, row, k), &cell))
    return false;
  *out = R->cell[cell];
  return true;
}

typedef struct {    /* the first operand of one copy */
  long start;       /* in shared memory */
  const reg *value; /* or in registers, from this one on */
  unsigned from;
} left;

/* a row of it: a0 .. a7 of the lanes that share the row, by the PTX ISA */
static bool row_of(run *R, unsigned warp, const left *a, unsigned lane, unsigned half,
                   pair row[16]) {
  for (unsigned k = 0; k < 16; k++) {
    unsigned at = a->from + (k & 1) + 2 * half + 4 * (k / 8);
    if (a->value && !interp_in_range(R, a->value, at))
      return false;
    if (a->value)
      row[k] = a->value->lane[at][(lane & ~3u) + k % 8 / 2];
    else if (!load(R, false, a->start, 0, 16 * (warp & 3) + lane / 4 + 8 * half, k, &row[k]))
      return false;
  }
  return true;
}

/* rows 16 (warp & 3) .. of one copy */
static bool multiply(run *R, unsigned warp, const shape *s, const left *a, long b, long lead,
                     reg *c, unsigned first) {
  static pair B[16][256];
  for (unsigned k = 0; k < 16; k++) {
    for (unsigned j = 0; j < s->columns; j++) {
      if (!load(R, s->by_rows, b, lead, j, k, &B[k][j]))
        return false;
    }
  }
  for (unsigned half = 0; half < 2; half++) {
    for (unsigned lane = 0; lane < 32; lane++) {
      pair row[16];
      if (!row_of(R, warp, a, lane, half, row))
        return false;
      for (unsigned d = 0; d < s->columns / 2; d++) {
        if ((d >> 1 & 1) != half)
          continue;
        unsigned j = 8 * (d >> 2) + 2 * (lane & 3) + (d & 1);
        pair sum = c->lane[first + d][lane];
        for (unsigned k = 0; k < 16; k++)
          sum = field_add(sum, field_mul(row[k], B[k][j]));
        c->lane[first + d][lane] = sum;
      }
    }
  }
  return true;
}

static bool run_product(run *R, unsigned warp, const product *p) {
  const as_tg_op *op = p->at.op;
  shape s;
  reg *c = interp_value_of(R, warp, op->v, 0);
  if (!shape_of(R, op->instr, &s))
    return false;
  if (s.held != (op->kind == AS_TG_WGMMAR))
    return interp_wrong(R, "no such product");
  for (uint32_t u = 0; u < interp_size_of_dim(&op->gc, "u"); u++) {
    unsigned first = interp_image(&op->gc, "u", u) * s.columns / 2;
    left a = {0, NULL, 0};
    if (s.held) {
      a.value = interp_read_value(R, warp, op->a);
      a.from = 8 * interp_image(&op->ga, "u", u);
      if (!a.value)
        return false;
    } else {
      a.start = interp_base(R, &p->at, op->buf) +
                2L * (interp_image(&op->src, "u", u) ^ interp_image(&op->src, "warp", warp));
    }
    long b = interp_base(R, &p->at, op->bufb) +
             2L * (interp_image(&op->dst, "u", u) ^ interp_image(&op->dst, "warp", warp));
    if (first + s.columns / 2 > c->n || a.start % 16 || b % 16)
      return interp_wrong(R, "a product outside of its registers, or misaligned");
    if (!multiply(R, warp, &s, &a, b, op->lead, c, first))
      return false;
  }
  return true;
}

static bool run_next(run *R, unsigned warp) {
  products *q = &R->products[warp];
  product p = AS_VEC_AT(&q->issued, product, q->next);
  q->next++;
  return run_product(R, warp, &p);
}

bool interp_group(run *R, unsigned warp, const instant *i) {
  products *q = &R->products[warp];
  product p = {*i, q->open};
  switch (i->op->kind) {
  case AS_TG_WGMMA:
  case AS_TG_WGMMAR:
    if (R->warps < 4 || !interp_read_value(R, warp, i->op->v))
      return interp_wrong(R, "a product of nothing");
    as_vec_push(&q->issued, &p);
    return true;
  case AS_TG_WGCOMMIT:
    q->open++;
    return true;
  default:
    while (q->next < q->issued.n &&
           AS_VEC_AT(&q->issued, product, q->next).group < q->open - i->op->count) {
      if (!run_next(R, warp))
        return false;
    }
    return true;
  }
}

void interp_group_land(run *R) {
  unsigned from = (unsigned)as_rng_below(&R->rng, R->warps);
  for (unsigned k = 0; k < R->warps; k++) {
    unsigned warp = (from + k) % R->warps;
    if (R->products[warp].next < R->products[warp].issued.n) {
      run_next(R, warp);
      return;
    }
  }
}

bool interp_mma(run *R, unsigned warp, const as_tg_op *op) {
  const reg *a = interp_read_value(R, warp, op->a);
  const reg *b = interp_read_value(R, warp, op->b);
  const reg *c = interp_read_value(R, warp, op->v);
  if (!a || !b || !c || strncmp(op->instr, "mma.m16n8k16", 12) != 0)
    return interp_wrong(R, "a product of nothing");
  for (uint32_t u = 0; u < 1u << (op->ga.n_in ? op->ga.in[0].bits : 0); u++) {
    uint32_t x = interp_image(&op->ga, "u", u) * 8;
    uint32_t y = interp_image(&op->gb, "u", u) * 4;
    uint32_t z = interp_image(&op->gc, "u", u) * 4;
    pair A[16][16];
    pair B[16][8];
    if (x + 8 > a->n || y + 4 > b->n || z + 4 > c->n)
      return interp_wrong(R, "register index");
    for (uint32_t lane = 0; lane < 32; lane++) {
      uint32_t group = lane / 4;
      uint32_t t = lane % 4;
      for (uint32_t k = 0; k < 8; k++)
        A[group + (k == 2 || k == 3 || k == 6 || k == 7 ? 8 : 0)]
         [2 * t + (k & 1) + (k >= 4 ? 8 : 0)] = a->lane[x + k][lane];
      for (uint32_t k = 0; k < 4; k++)
        B[2 * t + (k & 1) + (k >= 2 ? 8 : 0)][group] = b->lane[y + k][lane];
    }
    for (uint32_t lane = 0; lane < 32; lane++) {
      for (uint32_t k = 0; k < 4; k++) {
        uint32_t i = lane / 4 + (k >= 2 ? 8 : 0);
        uint32_t j = 2 * (lane % 4) + (k & 1);
        pair sum = c->lane[z + k][lane];
        for (uint32_t n = 0; n < 16; n++)
          sum = field_add(sum, field_mul(A[i][n], B[n][j]));
        c->lane[z + k][lane] = sum;
      }
    }
  }
  return true;
}
