/* Rings of tiles in shared memory: how a tile lies there, and the copies that fill it. */
#include "lowering.h"
#include "src/base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define LINEAR "bulk.linear"

static unsigned elem_of(const as_tg_tile *t) {
  return t->type == AS_F32 ? 4 : 2;
}

static bool bulk_row(const as_isa *isa, unsigned swizzle, const as_isa_row **out) {
  char *name = as_format("bulk.tensor.2d.%u", swizzle);
  *out = as_isa_find(isa, name);
  free(name);
  return *out != NULL;
}

bool as_ring_layout(const as_tg_tile *t, as_ring_tile *out) {
  const as_tg_axis *row = NULL;
  const as_tg_axis *col = NULL;
  memset(out, 0, sizeof *out);
  for (unsigned i = 0; i < t->n_axis; i++) {
    const as_tg_axis *a = &t->axis[i];
    if (!a->bits)
      continue;
    if (a->stride == 1)
      col = a;
    else if (!row)
      row = a;
    else
      return false;
  }
  unsigned most = t->type == AS_F32 ? 5 : 6; /* 128 bytes */
  if (!col || col->bits < (t->type == AS_F32 ? 2u : 3u))
    return false;
  if (!row) { /* a vector */
    out->content = as_lay_identity("off", col->name, col->bits);
    out->place = as_lay_identity(col->name, "off", col->bits);
    memcpy(out->col, col->name, sizeof out->col);
    return true;
  }
  unsigned panel = col->bits > most ? col->bits - most : 0;
  unsigned cols = col->bits - panel;
  unsigned bytes = elem_of(t) << cols;
  unsigned shift = bytes == 128 ? 0 : bytes == 64 ? 1 : bytes == 32 ? 2 : 0;
  unsigned mask = bytes == 128 ? 7 : bytes == 64 ? 3 : bytes == 32 ? 1 : 0;
  as_lay box = as_lay_swizzled(row->bits, cols, elem_of(t), shift, mask);
  as_lay l = as_lay_new();
  for (unsigned i = 0; i < t->n_axis; i++) {
    if (t->axis[i].bits)
      as_lay_add_out(&l, t->axis[i].name, t->axis[i].bits);
  }
  unsigned at_row;
  unsigned at_col;
  as_lay_out(&l, row->name, &at_row);
  as_lay_out(&l, col->name, &at_col);
  as_lay_add_in(&l, "off");
  for (unsigned i = 0; i < as_lay_in_bits(&box); i++) {
    as_lay_push(&l, as_lay_part(&box, "row", box.col[i]) << at_row |
                        as_lay_part(&box, "col", box.col[i]) << at_col);
  }
  for (unsigned i = 0; i < panel; i++)
    as_lay_push(&l, 1u << (at_col + cols + i));
  out->content = l;
  out->place = as_lay_inverse(&l);
  out->swizzle = mask ? bytes : 0;
  out->row_bits = row->bits;
  out->panel_bits = panel;
  memcpy(out->row, row->name, sizeof out->row);
  memcpy(out->col, col->name, sizeof out->col);
  return !l.bad && !out->place.bad;
}

void as_ring_spread(const as_ring_tile *r, unsigned vec, unsigned warp_bits, as_lay *src,
                    int *lanes, int *warps) {
  uint32_t bits[AS_LAY_BITS];
  unsigned n = 0;
  unsigned at;
  as_lay l = as_lay_new();
  for (unsigned i = 0; i < r->content.n_out; i++)
    as_lay_add_out(&l, r->content.out[i].name, r->content.out[i].bits);
  unsigned cols = as_lay_out(&l, r->col, &at);
  for (unsigned i = vec; i < cols; i++)
    bits[n++] = 1u << (at + i);
  unsigned rows = as_lay_out(&l, r->row, &at);
  for (unsigned i = 0; i < rows; i++)
    bits[n++] = 1u << (at + i);
  *lanes = *warps = 0;
  unsigned own = n > 5 + warp_bits ? n - 5 - warp_bits : 0;
  as_lay_add_in(&l, "u");
  for (unsigned i = 0; i < own; i++)
    as_lay_push(&l, bits[5 + warp_bits + i]);
  as_lay_add_in(&l, "lane");
  for (unsigned i = 0; i < 5; i++) {
    as_lay_push(&l, i < n ? bits[i] : 0);
    *lanes |= i < n ? 0 : 1 << i;
  }
  as_lay_add_in(&l, "warp");
  for (unsigned i = 0; i < warp_bits; i++) {
    as_lay_push(&l, 5 + i < n ? bits[5 + i] : 0);
    *warps |= 5 + i < n ? 0 : 1 << i;
  }
  *src = l;
}

void as_ring_copy(as_tg *g, as_tg_op *in, unsigned tile, unsigned buf, const as_ring_tile *r,
                  int ahead) {
  const as_tg_tile *t = &g->tile[tile];
  as_tg_op *op = as_tg_add(g, in, AS_TG_CPASYNC, 'c');
  op->tile = (int)tile;
  op->buf = (int)buf;
  op->vec = t->type == AS_F32 ? 2 : 3;
  memcpy(op->vaxis, r->col, sizeof op->vaxis);
  op->it = ahead;
  op->slot = ahead;
  as_ring_spread(r, (unsigned)op->vec, g->warp_bits, &op->src, &op->lanes, &op->warps);
  op->dst = as_lay_after(&r->place, &op->src);
  for (unsigned i = 0; i < t->n_axis; i++)
    op->pred[i] = t->axis[i].live != 1L << t->axis[i].bits ? t->axis[i].live : 0;
}

/* a vector, by one copy of contiguous bytes */
static bool can_copy_vector(const as_plan *p, const as_tg_tile *t, const as_ring_tile *r) {
  const as_isa_row *row = as_isa_find(p->isa, LINEAR);
  const as_tg_axis *a = as_tg_find_axis(t, r->col);
  long size = (long)elem_of(t);
  return row && a->live == 1L << a->bits && a->grid_step * size % as_isa_needs(row, "align") == 0 &&
         a->loop_step * size % as_isa_needs(row, "align") == 0 &&
         t->origin * size % as_isa_needs(row, "align") == 0;
}

bool as_ring_can_bulk(const as_plan *p, const as_tg_tile *t, const as_ring_tile *r) {
  const as_isa_row *row;
  const as_tg_axis *a = as_tg_find_axis(t, r->row);
  if (!*r->row)
    return can_copy_vector(p, t, r);
  if (!r->swizzle || !bulk_row(p->isa, r->swizzle, &row))
    return false;
  if (r->row_bits > 8 || a->stride <= 0 || a->stride * (long)elem_of(t) % 16 ||
      t->origin * (long)elem_of(t) % 16)
    return false;
  if (((long)r->swizzle << r->row_bits) % as_isa_needs(row, "align"))
    return false;
  for (unsigned i = 0; i < t->n_axis; i++) { /* zero beyond the tensor, not beyond the tile */
    const as_tg_axis *x = &t->axis[i];
    if (x->live != 1L << x->bits && (x->grid >= 0 || x->loop_step))
      return false;
  }
  return true;
}

void as_ring_bulk(as_tg *g, as_tg_op *in, unsigned tile, unsigned buf, const as_ring_tile *r) {
  as_tg_op *op = as_tg_add(g, in, AS_TG_BULK, 'p');
  unsigned at;
  if (!*r->row) {
    op->instr = LINEAR;
    op->tile = (int)tile;
    op->buf = (int)buf;
    memcpy(op->row, r->col, sizeof op->row);
    memcpy(op->col, r->col, sizeof op->col);
    as_lay_add_out(&op->src, r->col, as_lay_out_bits(&r->content));
    as_lay_add_in(&op->src, "u");
    return;
  }
  char name[32] = "bulk.tensor.2d.";
  strcat(name, r->swizzle == 128 ? "128" : r->swizzle == 64 ? "64" : "32");
  op->instr = as_arena_strdup(g->mem, name);
  op->tile = (int)tile;
  op->buf = (int)buf;
  op->rows = (int)r->row_bits;
  memcpy(op->row, r->row, sizeof op->row);
  memcpy(op->col, r->col, sizeof op->col);
  as_lay l = as_lay_new();
  for (unsigned i = 0; i < r->content.n_out; i++)
    as_lay_add_out(&l, r->content.out[i].name, r->content.out[i].bits);
  unsigned cols = as_lay_out(&l, r->col, &at);
  as_lay_add_in(&l, "u");
  for (unsigned i = 0; i < r->panel_bits; i++)
    as_lay_push(&l, 1u << (at + cols - r->panel_bits + i));
  op->src = l;
}

bool as_ring_stream_new(as_plan *p, const as_tg *g, unsigned tile, as_node_id node,
                        as_ring_stream *out) {
  memset(out, 0, sizeof *out);
  out->node = node;
  out->tile = tile;
  return as_ring_layout(&g->tile[tile], &out->ring) ||
         as_plan_fail(p, "a tile that is no matrix or vector with rows of 16 bytes");
}

bool as_ring_blocks(const as_plan *p, uint32_t block, long *out) {
  *out = 1;
  for (unsigned k = 0; k < 3; k++) {
    long n;
    if (!as_block_size(p->b, p->b->graph->block[block].grid[k], &n, NULL))
      return false;
    *out *= n;
  }
  return true;
}

bool as_ring_is_early(const as_plan *p, uint32_t block) {
  const as_target *gpu = p->o->gpu ? p->o->gpu : as_target_default();
  long before;
  return block > 0 && !p->b->graph->block[block - 1].has_loop &&
         as_ring_blocks(p, block - 1, &before) && before <= (long)gpu->multiprocessors;
}

/* by how many blocks there are: those that are alone on a multiprocessor take more */
static bool choose_stages(as_plan *p, as_tg *g, long bytes) {
  long blocks;
  if (!as_ring_blocks(p, p->b->block, &blocks))
    return as_plan_fail(p, "a size of the grid");
  as_target gpu = *(p->o->gpu ? p->o->gpu : as_target_default());
  long room = p->o->smem_limit - 2048;
  if (p->alone)
    gpu.ring_alone = gpu.ring_shared = room;
  long stages = p->o->stages ? p->o->stages
                             : (long)as_target_ring(&gpu, (double)blocks, (double)bytes,
                                                    (double)p->trip, room);
  long least = p->least_stages; /* or as many as there is room for */
  if (least * bytes > room)
    least = room / bytes;
  if (!p->o->stages && stages && stages < least && least <= p->trip)
    stages = least;
  if (p->o->stages && stages > p->trip)
    stages = p->trip;
  if (p->o->stages && stages < 2)
    stages = 2;
  if (!stages || stages * bytes > room)
    return as_plan_fail(p, "tiles that do not fit in shared memory twice");
  if (p->short_loops && !p->o->stages && stages >= p->trip && (p->trip + 1) * bytes <= room)
    stages = p->trip + 1;
  g->stages = (int)stages;
  return true;
}

bool as_ring_place(as_plan *p, as_tg *g, as_ring_stream *s, unsigned n) {
  long bytes = 0;
  long at = 0;
  for (unsigned i = 0; i < n; i++)
    bytes += (long)elem_of(&g->tile[s[i].tile]) << as_tg_tile_bits(&g->tile[s[i].tile]);
  if (!choose_stages(p, g, bytes))
    return false;
  for (unsigned i = 0; i < n; i++) {
    const as_tg_tile *t = &g->tile[s[i].tile];
    char name[48];
    snprintf(name, sizeof name, "s_%.40s", t->name);
    as_tg_buffer *b = &g->buffer[g->n_buffer];
    *b = (as_tg_buffer){as_arena_strdup(g->mem, name), elem_of(t), as_tg_tile_bits(t),
                        (unsigned)g->stages, at};
    s[i].buf = g->n_buffer++;
    at += (as_tg_buffer_bytes(b) * g->stages + 1023) / 1024 * 1024;
  }
  return true;
}

typedef struct {
  as_plan *p;
  as_tg *g;
  const as_ring_stream *s;
  unsigned n;
} producer;

bool as_ring_is_input(const as_plan *p, as_node_id load) {
  as_block_place at;
  return as_block_place_of(p->b, p->b->graph->node[load].arg[0], &at, NULL) &&
         p->b->graph->node[at.base].kind == AS_N_INPUT;
}

static as_tg_op *produce(const producer *P, int from, int to) {
  as_tg_op *loop = as_tg_add(P->g, NULL, AS_TG_LOOP, 'p');
  loop->from = from;
  loop->count = to;
  return loop;
}

static void expect(const producer *P, as_tg_op *in) {
  as_tg_op *op = as_tg_add(P->g, in, AS_TG_MBEXPECT, 'p');
  for (unsigned i = 0; i < P->n; i++)
    op->count += (int)as_tg_buffer_bytes(&P->g->buffer[P->s[i].buf]);
}

/* made, given: of which tensors */
static void copy(const producer *P, as_tg_op *in, bool made, bool given) {
  for (unsigned i = 0; i < P->n; i++) {
    const as_ring_stream *s = &P->s[i];
    if (as_ring_is_input(P->p, s->node) ? given : made)
      as_ring_bulk(P->g, in, s->tile, s->buf, &s->ring);
  }
}

/* The ring's first tiles of the program's inputs, before what the kernels before have made is
 * there: nobody writes inputs.  What is left of these stages follows it. */
static void produce_early(const producer *P) {
  as_tg_op *early = produce(P, 0, P->g->stages);
  expect(P, early);
  copy(P, early, false, true);
  as_tg_add(P->g, NULL, AS_TG_GRIDWAIT, 'p');
  copy(P, produce(P, 0, P->g->stages), true, false);
}

void as_ring_produce(as_plan *p, as_tg *g, const as_ring_stream *s, unsigned n) {
  const producer P = {p, g, s, n};
  unsigned given = 0;
  for (unsigned i = 0; i < n && p->b->block > 0 && as_isa_find(p->isa, "grid.wait"); i++)
    given += as_ring_is_input(p, s[i].node);
  bool split = given > 0 && given < n && !g->limit && g->stages <= (int)p->trip &&
               as_ring_is_early(p, p->b->block);
  g->producer = true;
  g->barrier[0] = (as_tg_barrier){"full", 1};
  g->barrier[1] = (as_tg_barrier){"empty", 1u << g->warp_bits};
  g->n_barrier = 2;
  as_tg_add(g, NULL, AS_TG_MBINIT, 'a');
  as_tg_add(g, NULL, AS_TG_BAR, 'a');
  if (split)
    produce_early(&P);
  as_tg_op *main = produce(&P, split ? g->stages : 0, (int)p->trip);
  main->cut = g->limit != NULL;
  as_tg_op *wait = as_tg_add(g, main, AS_TG_MBWAIT, 'p');
  wait->bar = 1;
  wait->par = 1;
  wait->from = g->stages;
  expect(&P, main);
  copy(&P, main, true, true);
  if (split || (given > 0 && given == n)) /* all others wait before anything that is theirs alone */
    as_tg_add(g, NULL, AS_TG_GRIDWAIT, 'c');
}

void as_ring_give_back(as_tg *g, as_tg_op *in) {
  as_tg_add(g, in, AS_TG_PROXYFENCE, 'c');
  as_tg_add(g, in, AS_TG_SYNCWARP, 'c');
  as_tg_add(g, in, AS_TG_MBARRIVE, 'c')->bar = 1;
}
