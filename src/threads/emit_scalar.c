/* Scalar expressions of a thread graph as text. */
#include "emit.h"
#include <stdlib.h>
#include <string.h>

/* of the values of an expression the most registers that one has */
static unsigned widest(const as_emitter *E, const as_tg_op *op, const as_tg_expr *e) {
  if (e->op == AS_TGS_CHOOSE && E->sure >= 0)
    return widest(E, op, e->kid[E->sure ? 2 : 1]);
  unsigned most = e->op == AS_TGS_ARG ? E->regs[op->arg[e->arg]] : 0;
  for (unsigned i = 0; i < as_tg_scalar_arity(e->op); i++) {
    unsigned kid = widest(E, op, e->kid[i]);
    most = kid > most ? kid : most;
  }
  return most;
}

/* exp(x + y): what has fewer registers is multiplied with log2 e once for all elements, so that an
 * element costs one multiply-add and one power of two */
static char *exp_of_sum(const as_emitter *E, const as_tg_op *op, const as_tg_expr *sum,
                        char *const *arg) {
  const as_tg_expr *few = sum->kid[0];
  const as_tg_expr *many = sum->kid[1];
  if (widest(E, op, few) > widest(E, op, many)) {
    few = sum->kid[1];
    many = sum->kid[0];
  }
  char *x = as_emit_scalar(E, op, few, arg);
  char *y = as_emit_scalar(E, op, many, arg);
  char *text = as_format("at_exp_sum(%s, %s)", x, y);
  free(x);
  free(y);
  return text;
}

char *as_emit_scalar(const as_emitter *E, const as_tg_op *op, const as_tg_expr *e,
                     char *const *arg) {
  static const char *const forms[AS_TGS_COUNT] = {
      [AS_TGS_ADD] = "(%s + %s)",        [AS_TGS_SUB] = "(%s - %s)",
      [AS_TGS_MUL] = "(%s * %s)",        [AS_TGS_NEG] = "(-%s%s)",
      [AS_TGS_INV] = "at_inv(%s%s)",     [AS_TGS_SQRT] = "sqrtf(%s%s)",
      [AS_TGS_RSQRT] = "at_rsqrt(%s%s)", [AS_TGS_EXP] = "as_expf(%s%s)",
      [AS_TGS_LOG] = "logf(%s%s)",       [AS_TGS_ABS] = "fabsf(%s%s)",
      [AS_TGS_MAX] = "fmaxf(%s, %s)",    [AS_TGS_MIN] = "fminf(%s, %s)",
      [AS_TGS_ERF] = "at_erf(%s%s)",     [AS_TGS_ZERO] = "at_is_zero(%s%s)"};
  if (e->op == AS_TGS_ARG && E->type[op->arg[e->arg]] == AS_INT)
    return as_format("(float)%s", arg[e->arg]);
  if (e->op == AS_TGS_ARG)
    return as_strdup(arg[e->arg]);
  if (e->op == AS_TGS_CHOOSE && E->sure >= 0)
    return as_emit_scalar(E, op, e->kid[E->sure ? 2 : 1], arg);
  if (e->op == AS_TGS_CHOOSE) {
    char *is = as_emit_scalar(E, op, e->kid[1], arg);
    char *is_not = as_emit_scalar(E, op, e->kid[2], arg);
    char *choice = as_format("(%s >= 0 ? %s : %s)", arg[e->kid[0]->arg], is, is_not);
    free(is);
    free(is_not);
    return choice;
  }
  if (e->op == AS_TGS_NUM) {
    char *slash;
    double v = strtod(e->num, &slash);
    if (*slash == '/')
      v /= strtod(slash + 1, NULL);
    char *t = as_format("%.9g", v);
    char *r = as_format("%s%sf", t, strpbrk(t, ".e") ? "" : ".0");
    free(t);
    return r;
  }
  if (e->op == AS_TGS_EXP && e->kid[0]->op == AS_TGS_ADD)
    return exp_of_sum(E, op, e->kid[0], arg);
  char *x = as_emit_scalar(E, op, e->kid[0], arg);
  char *y = e->kid[1] ? as_emit_scalar(E, op, e->kid[1], arg) : as_strdup("");
  as_str s;
  as_str_init(&s);
  const char *form = forms[e->op];
  bool second = false;
  for (const char *p = form; *p; p++) {
    if (p[0] == '%' && p[1] == 's') {
      as_str_add(&s, second ? y : x);
      second = true;
      p++;
    } else {
      as_str_addn(&s, p, 1);
    }
  }
  free(x);
  free(y);
  return as_str_take(&s);
}
