/* Products of warpgroups as text: operands in shared memory are named by descriptors.  A product
 * runs on while the warps go on, and the compiler knows nothing of it: `at_hold` keeps it from
 * moving accesses to accumulators and to operands in registers over a fence or a wait. */
#include "emit.h"
#include <stdlib.h>

/* the descriptor of copy u of an operand */
static char *descriptor(as_emitter *E, const as_tg_op *op, const as_isa_row *row, bool second,
                        unsigned u) {
  as_tg_op at = *op; /* as an access of the one buffer */
  at.buf = second ? op->bufb : op->buf;
  char *stage = as_emit_stage(E, op->slot);
  char *address = as_emit_shared(E, &at, second ? &op->dst : &op->src, u, 0, stage);
  char *text = as_format("at_descriptor(%s, %du, %ldu)", address, second ? op->lead : 0,
                         as_isa_needs(row, "group"));
  free(stage);
  free(address);
  return text;
}

/* the registers of copy u of an operand, of 32 bits each */
static char *fragment(const as_emitter *E, const as_tg_op *op, const as_isa_row *row, unsigned u) {
  unsigned n = 1u << as_lay_in(as_isa_layout(row, row->product.first), "reg", NULL);
  return as_format("%s_ + %u", as_tg_value_name(E->g, op->a), as_lay_image(&op->ga, u) * n / 2);
}

static void products(as_emitter *E, const as_tg_op *op) {
  const as_isa_row *row = as_isa_find(E->isa, op->instr);
  unsigned registers = 1u << as_lay_in(as_isa_layout(row, row->product.result), "reg", NULL);
  char *function = as_emit_function(op->instr);
  for (unsigned u = 0; u < 1u << as_lay_in_bits(&op->gc); u++) {
    char *first =
        op->kind == AS_TG_WGMMAR ? fragment(E, op, row, u) : descriptor(E, op, row, false, u);
    char *second = descriptor(E, op, row, true, u);
    as_emit_line(E, "%s(%s_ + %u, %s, %s);", function, as_tg_value_name(E->g, op->v),
                 as_lay_image(&op->gc, u) * registers, first, second);
    free(first);
    free(second);
  }
  free(function);
}

typedef struct {
  as_emitter *E;
  bool *seen;
} holder;

static void hold_value(holder *h, int v) {
  unsigned per = h->E->type[v] == AS_F32 ? 1 : 2;
  if (h->seen[v] || !h->E->declared[v] || (h->E->tells_apart && h->E->under_way[v]))
    return;
  h->seen[v] = true;
  as_emit_line(h->E, "at_hold<%u>(%s_);", h->E->regs[v] / per, as_tg_value_name(h->E->g, v));
}

static void hold(void *arg, as_tg_op *op) {
  if (op->kind == AS_TG_WGMMA || op->kind == AS_TG_WGMMAR)
    hold_value(arg, op->v);
  if (op->kind == AS_TG_WGMMAR)
    hold_value(arg, op->a);
}

static void hold_registers(as_emitter *E) {
  holder h = {E, as_calloc(E->g->value.n + 1, sizeof *h.seen)};
  as_tg_walk(&E->g->top, hold, &h);
  free(h.seen);
}

/* all but the `left` youngest groups are over */
static void land(as_emitter *E, int left) {
  for (size_t v = 0; v < E->g->value.n; v++) {
    if (E->under_way[v] <= E->group - left)
      E->under_way[v] = 0;
  }
}

void as_emit_wgmma(as_emitter *E, const as_tg_op *op) {
  switch (op->kind) {
  case AS_TG_WGMMA:
  case AS_TG_WGMMAR:
    products(E, op);
    E->under_way[op->v] = E->group + 1;
    if (op->kind == AS_TG_WGMMAR)
      E->under_way[op->a] = E->group + 1;
    break;
  case AS_TG_WGFENCE:
    hold_registers(E);
    as_emit_line(E, "at_wgmma_fence();");
    break;
  case AS_TG_WGCOMMIT:
    as_emit_line(E, "at_wgmma_commit();");
    E->group++;
    break;
  default:
    as_emit_line(E, "at_wgmma_wait<%d>();", op->count);
    land(E, op->count);
    hold_registers(E);
    break;
  }
}
