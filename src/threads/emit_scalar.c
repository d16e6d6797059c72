/* Scalar expressions of a thread graph as text. */
#include "emit.h"
#include <stdlib.h>
#include <string.h>

/* what stands before, between and after the operands */
static const struct {
  const char *before;
  const char *between;
  const char *after;
} forms[AS_TGS_COUNT] = {
    [AS_TGS_ADD] = {"(", " + ", ")"},
    [AS_TGS_SUB] = {"(", " - ", ")"},
    [AS_TGS_MUL] = {"as_mulf(", ", ", ")"},
    [AS_TGS_DIV] = {"at_div(", ", ", ")"},
    [AS_TGS_NEG] = {"(-", "", ")"},
    [AS_TGS_INV] = {"at_inv(", "", ")"},
    [AS_TGS_SQRT] = {"sqrtf(", "", ")"},
    [AS_TGS_RSQRT] = {"at_rsqrt(", "", ")"},
    [AS_TGS_EXP] = {"as_expf(", "", ")"},
    [AS_TGS_LOG] = {"logf(", "", ")"},
    [AS_TGS_ABS] = {"fabsf(", "", ")"},
    [AS_TGS_MAX] = {"as_maxf(", ", ", ")"},
    [AS_TGS_MIN] = {"as_minf(", ", ", ")"},
    [AS_TGS_ERF] = {"erff(", "", ")"},
    [AS_TGS_ZERO] = {"at_is_zero(", "", ")"},
    [AS_TGS_EXPM1] = {"as_expm1f(", "", ")"},
    [AS_TGS_ONE_LESS_EXP] = {"as_one_less_expf(", "", ")"},
    [AS_TGS_LOG1P] = {"as_log1pf(", "", ")"},
    [AS_TGS_LOG1M] = {"as_log1mf(", "", ")"},
    [AS_TGS_SOFTPLUS] = {"as_softplusf(", "", ")"},
    [AS_TGS_SIGMOID] = {"as_sigmoidf(", "", ")"},
    [AS_TGS_TANH] = {"as_tanhf(", "", ")"},
    [AS_TGS_TANH_LOG1P] = {"as_tanh_log1pf(", "", ")"},
    [AS_TGS_ONE_MORE_TANH] = {"as_one_more_tanhf(", "", ")"},
    [AS_TGS_ONE_LESS_TANH] = {"as_one_less_tanhf(", "", ")"},
};

static char *number(const as_tg_expr *e) {
  char *slash;
  double v = strtod(e->num, &slash);
  if (*slash == '/')
    v /= strtod(slash + 1, NULL);
  char *digits = as_format("%.9g", v);
  char *text = as_format("%s%sf", digits, strpbrk(digits, ".e") ? "" : ".0");
  free(digits);
  return text;
}

bool as_emit_is_wide(const as_emitter *E) {
  bool wide = true;
  for (unsigned i = 0; i < E->g->n_tile; i++)
    wide = wide && E->g->tile[i].type == AS_F32;
  return wide;
}

/* Beside 16 bits a few functions may be coarser; so may exponentials of differences, of which those
 * with large exponents are small. */
static const char *function_of(const as_emitter *E, const as_tg_expr *e) {
  if (e->op == AS_TGS_ERF && !as_emit_is_wide(E))
    return "at_erf(";
  bool difference =
      e->op == AS_TGS_EXP && (e->kid[0]->op == AS_TGS_SUB || e->kid[0]->op == AS_TGS_ADD);
  return e->op == AS_TGS_EXP && !difference && as_emit_is_wide(E) ? "expf(" : forms[e->op].before;
}

static char *scalar(const as_emitter *E, const as_tg_op *op, const as_tg_expr *e, char *const *arg,
                    bool inner) {
  if (e->op == AS_TGS_ARG && E->type[op->arg[e->arg]] == AS_INT)
    return as_format("(float)%s", arg[e->arg]);
  if (e->op == AS_TGS_ARG)
    return as_strdup(arg[e->arg]);
  if (e->op == AS_TGS_CHOOSE && E->sure >= 0)
    return scalar(E, op, e->kid[E->sure ? 2 : 1], arg, inner);
  if (e->op == AS_TGS_CHOOSE) {
    char *is = scalar(E, op, e->kid[1], arg, inner);
    char *is_not = scalar(E, op, e->kid[2], arg, inner);
    char *choice = as_format("(%s >= 0 ? %s : %s)", arg[e->kid[0]->arg], is, is_not);
    free(is);
    free(is_not);
    return choice;
  }
  if (e->op == AS_TGS_NUM)
    return number(e);
  char *exponential = as_emit_shared_exponential(E, op, e, arg);
  if (exponential)
    return exponential;
  bool fused = e->op == AS_TGS_MUL && !inner;
  const char *function = fused ? "(" : function_of(E, e);
  char *x = scalar(E, op, e->kid[0], arg, true);
  char *y = e->kid[1] ? scalar(E, op, e->kid[1], arg, true) : as_strdup("");
  char *text = as_format("%s%s%s%s%s", function, x, fused ? " * " : forms[e->op].between, y,
                         forms[e->op].after);
  free(x);
  free(y);
  return text;
}

/* A product within an expression is rounded by itself, as an operator's result is: fused with what
 * it is added to, s * c would differ from what it is where its maximum is taken, and its distance
 * from that maximum would not be 0.  One that is the whole expression may be fused with the sum
 * that it is a term of. */
char *as_emit_scalar(const as_emitter *E, const as_tg_op *op, const as_tg_expr *e,
                     char *const *arg) {
  return scalar(E, op, e, arg, false);
}

/* Where an accumulator begins: a running maximum below every finite score.  Scores that are all
 * minus infinity so far then weigh exp(-infinity) = 0, and not exp(-infinity + infinity). */
char *as_emit_beginning(const as_emitter *E, const as_tg_op *op) {
  const char *unit = op->fold == AS_TG_SUM ? "0.0f" : "-3.402823466e38f";
  if (!op->begin || !E->g->limit)
    return as_strdup(unit);
  char *number = as_emit_scalar(E, op, op->begin, NULL);
  char *text = as_format("n_ < %d ? %s : %s", E->g->trip, number, unit);
  free(number);
  return text;
}
