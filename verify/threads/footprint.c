#include "footprint.h"
#include "den.h"
#include <stdlib.h>
#include <string.h>
#define MET_LIMIT 3000u

static bool touches_shared(as_tg_kind k) {
  return k == AS_TG_CPASYNC || k == AS_TG_BULK || k == AS_TG_LDMATRIX || k == AS_TG_LDS ||
         k == AS_TG_STS || k == AS_TG_WGMMA || k == AS_TG_WGMMAR;
}

/* buffers that an operation touches */
static unsigned sides(const as_tg_op *op) {
  return !touches_shared(op->kind) ? 0 : op->kind == AS_TG_WGMMA ? 2 : 1;
}

static bool writes(as_tg_kind k) {
  return k == AS_TG_CPASYNC || k == AS_TG_BULK || k == AS_TG_STS;
}

static unsigned count(const as_tg_op *in, unsigned copies) {
  unsigned n = 0;
  for (unsigned i = 0; i < in->n_body; i++) {
    const as_tg_op *op = in->body[i];
    n += sides(op) * copies;
    n += count(op, op->kind == AS_TG_STEPS ? 1u << op->bits : copies);
  }
  return n;
}

static void list(as_footprints *f, const as_tg_op *in, unsigned copies) {
  for (unsigned i = 0; i < in->n_body; i++) {
    const as_tg_op *op = in->body[i];
    for (unsigned s = 0; s < sides(op) * copies; s++) {
      bool second = op->kind == AS_TG_WGMMAR || s % sides(op) == 1;
      f->access[f->n++] =
          (as_access){op, (int)(s / sides(op)), second ? op->bufb : op->buf, second};
    }
    list(f, op, op->kind == AS_TG_STEPS ? 1u << op->bits : copies);
  }
}

/* lanes that name rows of a matrix load */
static unsigned rows_of(const as_footprints *f, const as_tg_op *op) {
  const as_isa_row *row = as_isa_find(f->isa, op->instr);
  return row ? (unsigned)as_isa_needs(row, "rows") : 32;
}

/* cells of the lanes [from, to) of a warp, those masked out left aside */
static bool mark(const as_tg *g, const as_access *x, unsigned warp, unsigned from, unsigned to,
                 uint64_t *bits, bool *any) {
  const as_tg_op *op = x->op;
  const as_tg_buffer *buf = &g->buffer[op->buf];
  const as_lay *l = writes(op->kind) ? &op->dst : &op->src;
  uint32_t size = 1u << buf->bits;
  uint32_t per = buf->elem / 2;
  uint32_t vec = op->kind == AS_TG_LDMATRIX ? 8 : 1u << op->vec;
  uint32_t base = op->kind == AS_TG_LDS || op->kind == AS_TG_STS ? (uint32_t)op->base : 0;
  uint32_t fixed = as_lay_at(l, "warp", warp) ^ as_lay_at(l, "s", (uint32_t)x->step);
  unsigned copies = 1u << as_lay_in(l, "u", NULL);
  for (unsigned lane = from; lane < to; lane++) {
    if (lane & (unsigned)(op->kind == AS_TG_STS || op->kind == AS_TG_CPASYNC ? op->lanes : 0))
      continue;
    uint32_t at = fixed ^ as_lay_at(l, "lane", lane);
    for (unsigned u = 0; u < copies; u++) {
      uint32_t first = (at ^ as_lay_at(l, "u", u)) + base;
      if (first + vec > size)
        return false;
      *any = true;
      for (uint32_t c = first * per; c < (first + vec) * per; c++)
        bits[c / 64] |= (uint64_t)1 << (c % 64);
    }
  }
  return true;
}

/* An operand of a product of a warpgroup: each warp reads all of it, whoever's rows they are. */
static bool mark_operand(const as_footprints *f, const as_access *x, unsigned warp, uint64_t *bits,
                         bool *any) {
  const as_tg_op *op = x->op;
  const as_lay *start = x->second ? &op->dst : &op->src;
  as_lay place;
  uint32_t moved;
  const as_isa_row *row = as_isa_find(f->isa, op->instr);
  if (!row || !as_group_place(row, x->second, x->second ? op->lead : 0, &place, &moved))
    return false;
  uint32_t size = 1u << f->g->buffer[x->buf].bits;
  uint32_t fixed = as_lay_at(start, "warp", warp);
  for (uint32_t u = 0; u < 1u << as_lay_in(start, "u", NULL); u++) {
    uint32_t first = fixed ^ as_lay_at(start, "u", u);
    for (uint32_t e = 0; e < 1u << as_lay_in_bits(&place); e++) {
      uint32_t c = first ^ as_lay_image(&place, e);
      if (c >= size)
        return false;
      bits[c / 64] |= (uint64_t)1 << (c % 64);
    }
  }
  *any = true;
  return true;
}

static bool make(as_footprints *f, unsigned k) {
  const as_tg *g = f->g;
  const as_access *x = &f->access[k];
  const as_tg_op *op = x->op;
  unsigned words = f->words[x->buf];
  for (unsigned agent = 0; agent < f->agents; agent++) {
    bool producer = agent == 2 * f->warps;
    unsigned warp = agent / 2;
    bool any = false;
    uint64_t *bits = as_calloc(words, sizeof *bits);
    bool ok = true;
    if (op->kind == AS_TG_BULK) {
      any = producer;
      memset(bits, any ? 0xff : 0, words * sizeof *bits);
    } else if (!producer && (op->kind == AS_TG_WGMMA || op->kind == AS_TG_WGMMAR)) {
      ok = mark_operand(f, x, warp, bits, &any);
    } else if (!producer) {
      bool masked =
          (op->kind == AS_TG_STS || op->kind == AS_TG_CPASYNC) && ((unsigned)op->warps & warp);
      bool whole = op->kind == AS_TG_LDMATRIX; /* the instruction reads for all lanes at once */
      unsigned end = whole ? rows_of(f, op) : agent & 1 ? 32 : 1;
      ok = masked || mark(g, x, warp, whole || !(agent & 1) ? 0 : 1, end, bits, &any);
    }
    if (any && ok) {
      f->cells[k * f->agents + agent] = bits;
    } else {
      free(bits);
    }
    if (!ok)
      return false;
  }
  return true;
}

typedef struct {
  const char *why;
} refusal;

static bool is_sound(refusal *R, const as_tg *g) {
  ENSURE(R, "stages of the ring", g->stages >= 1 && g->stages <= 64);
  ENSURE(R, "number of warps", 1u << g->warp_bits <= AS_TG_MAX_WARPS);
  for (unsigned i = 0; i < g->n_buffer; i++) {
    const as_tg_buffer *b = &g->buffer[i];
    ENSURE(R, "alignment of buffers", b->base >= 0 && b->base % 16 == 0 && b->bits <= 20);
    ENSURE(R, "stages of a buffer", (int)b->stages == g->stages || b->stages == 1);
  }
  return true;
}

static bool structure(const as_tg *g, const char **why) {
  refusal R = {NULL};
  bool ok = is_sound(&R, g);
  if (!ok)
    *why = R.why;
  return ok;
}

bool as_footprints_init(as_footprints *f, const as_tg *g, const as_isa *isa, const char **why) {
  memset(f, 0, sizeof *f);
  if (!structure(g, why))
    return false;
  f->isa = isa;
  f->g = g;
  f->warps = 1u << g->warp_bits;
  f->agents = 2 * f->warps + (g->producer ? 1 : 0);
  unsigned n = count(&g->top, 1);
  f->access = as_calloc(n + 1, sizeof *f->access);
  list(f, &g->top, 1);
  f->cells = as_calloc((size_t)(n + 1) * f->agents, sizeof *f->cells);
  f->words = as_calloc(g->n_buffer + 1, sizeof *f->words);
  for (unsigned i = 0; i < g->n_buffer; i++)
    f->words[i] = ((g->buffer[i].elem / 2u << g->buffer[i].bits) + 63) / 64;
  size_t ids = (size_t)n * f->agents;
  if (ids <= MET_LIMIT)
    f->met = as_calloc(ids * ids + 1, 1);
  for (unsigned k = 0; k < f->n; k++) {
    if (!make(f, k)) {
      *why = "shared memory out of bounds";
      return false;
    }
  }
  return true;
}

void as_footprints_clear(as_footprints *f) {
  for (size_t i = 0; f->cells && i < (size_t)f->n * f->agents; i++)
    free(f->cells[i]);
  free(f->cells);
  free(f->access);
  free(f->words);
  free(f->met);
}

int as_footprint_find(const as_footprints *f, const as_tg_op *op, int step) {
  for (unsigned k = 0; k < f->n; k++) {
    if (f->access[k].op == op && f->access[k].step == step)
      return (int)k;
  }
  return -1;
}

bool as_footprint_any(const as_footprints *f, unsigned access, unsigned agent) {
  return f->cells[access * f->agents + agent] != NULL;
}

static bool bit(const uint64_t *v, unsigned words, long at) {
  return at >= 0 && at < 64 * (long)words && (v[at / 64] >> (at % 64) & 1);
}

bool as_footprint_meet(as_footprints *f, unsigned a, unsigned agent_a, int slot_a, unsigned b,
                       unsigned agent_b, int slot_b) {
  size_t ia = (size_t)a * f->agents + agent_a;
  size_t ib = (size_t)b * f->agents + agent_b;
  size_t ids = (size_t)f->n * f->agents;
  const as_tg_buffer *ba = &f->g->buffer[f->access[a].buf];
  const as_tg_buffer *bb = &f->g->buffer[f->access[b].buf];
  const uint64_t *x = f->cells[ia];
  const uint64_t *y = f->cells[ib];
  bool hit = false;
  if (!x || !y)
    return false;
  unsigned wa = f->words[f->access[a].buf];
  if (ba == bb) {
    if (slot_a != slot_b)
      return false;
    if (f->met && f->met[ia * ids + ib])
      return f->met[ia * ids + ib] == 2;
    for (unsigned i = 0; i < wa && !hit; i++)
      hit = (x[i] & y[i]) != 0;
    if (f->met)
      f->met[ia * ids + ib] = f->met[ib * ids + ia] = hit ? 2 : 1;
    return hit;
  }
  long shift =
      (ba->base + slot_a * as_tg_buffer_bytes(ba) - bb->base - slot_b * as_tg_buffer_bytes(bb)) /
      2; /* bases are multiples of 16 */
  unsigned wb = f->words[f->access[b].buf];
  for (long c = 0; c < 64 * (long)wa && !hit; c++) {
    if (!x[c / 64])
      c |= 63;
    else
      hit = bit(x, wa, c) && bit(y, wb, c + shift);
  }
  return hit;
}
