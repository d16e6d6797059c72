/* Loops as such: who executes them, whether they compute, what their operations name. */
#include "den.h"

bool as_loop_computes(const as_tg_op *in) {
  for (unsigned i = 0; i < in->n_body; i++) {
    switch (in->body[i]->kind) {
    case AS_TG_CPASYNC:
    case AS_TG_BULK:
    case AS_TG_COMMIT:
    case AS_TG_MBWAIT:
    case AS_TG_MBEXPECT:
    case AS_TG_BAR:
    case AS_TG_WAITG:
      break;
    default:
      return true;
    }
  }
  return false;
}

bool as_loop_one_executor(as_algebra *A, const as_tg_op *in, char who) {
  for (unsigned i = 0; i < in->n_body; i++) {
    char own = in->body[i]->who;
    ENSURE(A, "an operation of others in a loop", own == who || (own == 'a' && !A->g->producer));
    if (!as_loop_one_executor(A, in->body[i], who))
      return false;
  }
  return true;
}

static bool names(const as_tg_op *op, int v, bool only_as_result) {
  uint64_t fields = as_tg_fields(op->kind);
  bool is = fields & AS_TG_BIT(V) && op->v == v;
  if (!only_as_result) {
    is = is || (fields & AS_TG_BIT(A) && op->a == v) || (fields & AS_TG_BIT(B) && op->b == v);
    for (int i = 0; fields & AS_TG_BIT(ARGS) && i < op->n_arg; i++)
      is = is || op->arg[i] == v;
  }
  for (unsigned i = 0; i < op->n_body && !is; i++)
    is = names(op->body[i], v, only_as_result);
  return is;
}

bool as_loop_meets(const as_tg_op *before, const as_tg_op *product) {
  return names(before, product->v, false) ||
         (product->kind == AS_TG_WGMMAR && names(before, product->a, true));
}
