/* Exponentials of differences from one number, as weights of attention are: many scores, and the
 * maximum of their row.  exp(x - m) is a power of two of x log2 e - m log2 e, and m log2 e is
 * computed once, so that one multiply-add is left of an element.  What it is rounded by is one
 * factor of all that is subtracted from; where the maximum is so large that this could be seen in
 * 16 bits (at_far of the prelude), differences are taken first, and 0 is subtracted after. */
#include "emit.h"

enum { LEAST_SHARED = 8 }; /* elements a number that is subtracted */

static const as_tg_expr *exponential(const as_tg_expr *e) {
  if (e->op == AS_TGS_EXP && e->kid[0]->op == AS_TGS_SUB && e->kid[0]->kid[0]->op == AS_TGS_ARG &&
      e->kid[0]->kid[1]->op == AS_TGS_ARG)
    return e;
  for (unsigned k = 0; k < as_tg_scalar_arity(e->op); k++) {
    const as_tg_expr *found = exponential(e->kid[k]);
    if (found)
      return found;
  }
  return NULL;
}

static unsigned different(const as_lay *map, unsigned elements) {
  unsigned n = 0;
  for (uint32_t r = 0; r < elements; r++) {
    bool seen = false;
    for (uint32_t k = 0; k < r && !seen; k++)
      seen = as_lay_image(map, k) == as_lay_image(map, r);
    n += !seen;
  }
  return n;
}

static bool shares(const as_emitter *E, const as_tg_op *op, const as_tg_expr *e) {
  unsigned x = e->kid[0]->kid[0]->arg;
  unsigned y = e->kid[0]->kid[1]->arg;
  unsigned n = 1u << op->bits;
  return E->loops > 0 && !as_emit_is_wide(E) && op->type == AS_F32 &&
         E->type[op->arg[x]] == AS_F32 && E->type[op->arg[y]] == AS_F32 &&
         different(&op->arg_map[x], n) == n && LEAST_SHARED * different(&op->arg_map[y], n) <= n;
}

/* x, and from what is subtracted, of each element and of each number that is shared */
void as_emit_shared_exponents(as_emitter *E, const as_tg_op *op) {
  const as_tg_expr *e = op->kind == AS_TG_MAP ? exponential(op->expr) : NULL;
  E->shared = e && shares(E, op, e) ? e : NULL;
  if (!E->shared)
    return;
  const char *v = as_tg_value_name(E->g, op->v);
  unsigned x = e->kid[0]->kid[0]->arg;
  unsigned y = e->kid[0]->kid[1]->arg;
  const char *score = as_tg_value_name(E->g, op->arg[x]);
  const char *most = as_tg_value_name(E->g, op->arg[y]);
  unsigned numbers = E->regs[op->arg[y]];
  as_emit_line(E, "float %s_score_[%u], %s_shift_[%u];", v, 1u << op->bits, v, numbers);
  as_emit_line(E, "const bool %s_far_ = at_far<%u>(%s_);", v, numbers, most);
  as_emit_line(E, "#pragma unroll");
  as_emit_line(E, "for (int i = 0; i < %u; i++) %s_shift_[i] = %s_far_ ? 0.0f : at_log2e(%s_[i]);",
               numbers, v, v, most);
  for (int far = 0; far < 2; far++) {
    as_emit_line(E, far ? "} else {" : "if (!%s_far_) {", v);
    for (uint32_t r = 0; r < 1u << op->bits; r++) {
      uint32_t at = as_lay_image(&op->arg_map[x], r);
      if (far)
        as_emit_line(E, "  %s_score_[%u] = %s_[%u] - %s_[%u];", v, r, score, at, most,
                     as_lay_image(&op->arg_map[y], r));
      else
        as_emit_line(E, "  %s_score_[%u] = %s_[%u];", v, r, score, at);
    }
  }
  as_emit_line(E, "}");
}

char *as_emit_shared_exponential(const as_emitter *E, const as_tg_op *op, const as_tg_expr *e) {
  bool is = E->shared && e->op == AS_TGS_EXP && exponential(e) == e &&
            e->kid[0]->kid[0]->arg == E->shared->kid[0]->kid[0]->arg &&
            e->kid[0]->kid[1]->arg == E->shared->kid[0]->kid[1]->arg;
  const char *v = as_tg_value_name(E->g, op->v);
  if (!is)
    return NULL;
  return as_format("at_exp_near(%s_score_[%u], %s_shift_[%u])", v, E->element, v,
                   as_lay_image(&op->arg_map[e->kid[0]->kid[1]->arg], E->element));
}
