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

static bool names(const as_tg_op *op, int v) {
  uint64_t fields = as_tg_fields(op->kind);
  bool is = (fields & AS_TG_BIT(A) && op->a == v) || (fields & AS_TG_BIT(B) && op->b == v);
  for (int k = 0; fields & AS_TG_BIT(ARGS) && k < op->n_arg; k++)
    is = is || op->arg[k] == v;
  return is;
}

/* does an operation behind this one, in the order of the text, read the value? */
static bool read_behind(const as_tg_op *in, const as_tg_op *op, int v, bool *behind) {
  for (unsigned i = 0; i < in->n_body; i++) {
    if (*behind && names(in->body[i], v))
      return true;
    *behind = *behind || in->body[i] == op;
    if (read_behind(in->body[i], op, v, behind))
      return true;
  }
  return false;
}

/* A score becomes its difference where it lies: nothing else reads it after, before it is made anew
 * in the next iteration. */
static bool shares(const as_emitter *E, const as_tg_op *op, const as_tg_expr *e) {
  unsigned x = e->kid[0]->kid[0]->arg;
  unsigned y = e->kid[0]->kid[1]->arg;
  unsigned n = 1u << op->bits;
  bool behind = false;
  return E->loops > 0 && !as_emit_is_wide(E) && op->type == AS_F32 &&
         E->type[op->arg[x]] == AS_F32 && E->type[op->arg[y]] == AS_F32 &&
         different(&op->arg_map[x], n) == n && LEAST_SHARED * different(&op->arg_map[y], n) <= n &&
         !read_behind(&E->g->top, op, op->arg[x], &behind);
}

void as_emit_shared_exponents(as_emitter *E, const as_tg_op *op) {
  if (E->shared_by == op)
    return;
  const as_tg_expr *e = op->kind == AS_TG_MAP ? exponential(op->expr) : NULL;
  E->shared_by = op;
  E->shared = e && shares(E, op, e) ? e : NULL;
  if (!E->shared)
    return;
  const char *v = as_tg_value_name(E->g, op->v);
  unsigned x = e->kid[0]->kid[0]->arg;
  unsigned y = e->kid[0]->kid[1]->arg;
  const char *score = as_tg_value_name(E->g, op->arg[x]);
  const char *most = as_tg_value_name(E->g, op->arg[y]);
  unsigned numbers = E->regs[op->arg[y]];
  as_emit_line(E, "float %s_shift_[%u];", v, numbers);
  for (unsigned i = 0; i < numbers; i++)
    as_emit_line(E, "%s_shift_[%u] = at_log2e(%s_[%u]);", v, i, most, i);
  as_emit_line(E, "if (at_far<%u>(%s_)) {", numbers, most);
  for (uint32_t r = 0; r < 1u << op->bits; r++)
    as_emit_line(E, "  %s_[%u] -= %s_[%u];", score, as_lay_image(&op->arg_map[x], r), most,
                 as_lay_image(&op->arg_map[y], r));
  for (unsigned i = 0; i < numbers; i++)
    as_emit_line(E, "  %s_shift_[%u] = 0.0f;", v, i);
  as_emit_line(E, "}");
}

char *as_emit_shared_exponential(const as_emitter *E, const as_tg_op *op, const as_tg_expr *e,
                                 char *const *arg) {
  bool is = E->shared_by == op && E->shared && exponential(e) == e &&
            e->kid[0]->kid[0]->arg == E->shared->kid[0]->kid[0]->arg &&
            e->kid[0]->kid[1]->arg == E->shared->kid[0]->kid[1]->arg;
  return is ? as_format("at_exp_near(%s, %s_shift_[%u])", arg[e->kid[0]->kid[0]->arg],
                        as_tg_value_name(E->g, op->v),
                        as_lay_image(&op->arg_map[e->kid[0]->kid[1]->arg], E->element))
            : NULL;
}
