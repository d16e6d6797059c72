/* Copies into the ring as text, and the barriers that they count for. */
#include "emit.h"
#include <stdlib.h>
#include <string.h>

void as_emit_copies(as_emitter *E, const as_tg_op *op) {
  const as_tg_tile *t = &E->g->tile[op->tile];
  int bytes = (t->type == AS_F32 ? 4 : 2) << op->vec;
  char *mask = as_emit_mask(op);
  char *stage = as_emit_stage(E, op->slot);
  char *iteration = op->it ? as_format("l + %d", op->it) : as_strdup("l");
  as_str cond;
  as_str_init(&cond);
  if (op->it || E->g->limit) { /* a block may run fewer iterations than are fetched first */
    char *count = as_emit_count(E, E->g->trip, E->g->limit != NULL);
    as_str_printf(&cond, "l + %d < %s", op->it, count);
    free(count);
  }
  if (*mask)
    as_str_printf(&cond, "%s%s", cond.n ? " && " : "", mask);
  if (cond.n)
    as_emit_line(E, "if (%s) {", cond.s);
  else
    as_emit_line(E, "{");
  E->indent++;
  as_emit_line(E, "const unsigned st_ = %s;", stage);
  for (unsigned u = 0; u < 1u << as_lay_in(&op->src, "u", NULL); u++) {
    char *dst = as_emit_shared(E, op, &op->dst, u, 0, "st_");
    char *src = as_emit_global(E, op, &op->src, u, 0, iteration);
    char *pred = as_emit_pred(E->g, op, &op->src, u);
    if (*pred)
      as_emit_line(E, "at_cp_async_%d(%s, %s, %s ? %du : 0u);", bytes, dst, src, pred, bytes);
    else
      as_emit_line(E, "at_cp_async_%d(%s, %s, %du);", bytes, dst, src, bytes);
    free(dst);
    free(src);
    free(pred);
  }
  E->indent--;
  as_emit_line(E, "}");
  as_str_clear(&cond);
  free(mask);
  free(stage);
  free(iteration);
}

static char *barrier_text(const as_emitter *E, const as_tg_op *op) {
  char *stage = as_emit_stage(E, op->slot);
  long first = (as_tg_shared_bytes(E->g) + 15) / 16 * 16;
  char *t = as_format("s0 + %ldu + 8u * %s", first + 8L * op->bar * E->g->stages, stage);
  free(stage);
  return t;
}

/* where a box begins: the axes beside row and column move it along rows, or along columns where
 * their elements lie nearer to each other than rows */
static char *box_place(const as_emitter *E, const as_tg_op *op, const char *axis, uint32_t corner) {
  const as_tg_tile *t = &E->g->tile[op->tile];
  const as_tg_axis *row = as_tg_find_axis(t, op->row);
  as_str s;
  as_str_init(&s);
  bool rows = !strcmp(axis, op->row);
  for (unsigned i = 0; i < t->n_axis; i++) {
    const as_tg_axis *a = &t->axis[i];
    bool own = !strcmp(a->name, axis);
    bool other = strcmp(a->name, op->row) != 0 && strcmp(a->name, op->col) != 0;
    bool by_rows = a->stride >= row->stride;
    long per = own ? 1 : by_rows ? a->stride / row->stride : a->stride;
    if (!own && !(other && rows == by_rows))
      continue;
    if (a->grid >= 0)
      as_str_printf(&s, "%sg%c * %ldu", s.n ? " + " : "", "xyz"[a->grid], a -> grid_step *per);
    if (a->loop_step)
      as_str_printf(&s, "%s(unsigned)l * %ldu", s.n ? " + " : "", a->loop_step * per);
    uint32_t at = a->bits ? as_lay_part(&op->src, a->name, corner) : 0;
    if (at)
      as_str_printf(&s, "%s%ldu", s.n ? " + " : "", (long)at * per);
  }
  if (!s.n)
    as_str_add(&s, "0u");
  return as_str_take(&s);
}

bool as_emit_is_linear(const as_emitter *E, const as_tg_op *op) {
  return as_isa_needs(as_isa_find(E->isa, op->instr), "linear");
}

void as_emit_bulk(as_emitter *E, const as_tg_op *op) {
  const as_tg_tile *t = &E->g->tile[op->tile];
  const as_tg_buffer *buf = &E->g->buffer[op->buf];
  if (as_emit_is_linear(E, op)) {
    char *to = barrier_text(E, op);
    char *st = as_emit_stage(E, op->slot);
    char *from = as_emit_global(E, op, &op->src, 0, 0, "l");
    as_emit_line(E, "at_bulk_linear(s0 + %s * %ldu + %ldu, %s, %ldu, %s);", st,
                 as_tg_buffer_bytes(buf), buf->base, from, as_tg_buffer_bytes(buf), to);
    free(to);
    free(st);
    free(from);
    return;
  }
  long box = as_isa_needs(as_isa_find(E->isa, op->instr), "swizzle") << op->rows;
  char *bar = barrier_text(E, op);
  char *stage = as_emit_stage(E, op->slot);
  char *f = as_emit_function(op->instr);
  for (uint32_t u = 0; u < 1u << as_lay_in_bits(&op->src); u++) {
    uint32_t corner = as_lay_image(&op->src, u);
    char *x = box_place(E, op, op->col, corner);
    char *y = box_place(E, op, op->row, corner);
    as_emit_line(E, "%s(s0 + %s * %ldu + %ldu, &m_%s, %s, %s, %s);", f, stage,
                 as_tg_buffer_bytes(buf), buf->base + (long)u * box, t->name, x, y, bar);
    free(x);
    free(y);
  }
  free(bar);
  free(stage);
  free(f);
}

void as_emit_barriers(as_emitter *E, const as_tg_op *op) {
  const as_tg *g = E->g;
  if (op->kind == AS_TG_MBINIT) {
    long first = (as_tg_shared_bytes(g) + 15) / 16 * 16;
    as_emit_line(E, "if (as_tid() == 0) {");
    for (unsigned i = 0; i < g->n_barrier; i++) {
      as_emit_line(
          E, "  for (unsigned i = 0; i < %du; i++) at_mbarrier_init(s0 + %ldu + 8u * i, %uu);",
          g->stages, first + 8L * i * g->stages, g->barrier[i].count);
    }
    as_emit_line(E, "  at_mbarrier_fence();");
    as_emit_line(E, "}");
    return;
  }
  char *bar = barrier_text(E, op);
  if (op->kind == AS_TG_MBWAIT) {
    char *guard = op->from > 0 ? as_format("if (l >= %d) ", op->from) : as_strdup("");
    as_emit_line(E, "%sat_mbarrier_wait(%s, ((unsigned)(l + %d) / %du + %du) & 1u);", guard, bar,
                 op->off, g->stages, (unsigned)op->par);
    free(guard);
  } else if (op->kind == AS_TG_MBEXPECT) {
    as_emit_line(E, "at_mbarrier_expect_tx(%s, %du);", bar, op->count);
  } else {
    char *guard = op->from > 0 ? as_format(" && l >= %d", op->from) : as_strdup("");
    as_emit_line(E, "if (lane == 0%s) at_mbarrier_arrive(%s);", guard, bar);
    free(guard);
  }
  free(bar);
}
