/* Expressions as C text, in float for kernels and in double for the reference.  Parts used more
 * than once become temporaries, unless they stand under a condition (whose reads may be out of
 * bounds when it does not hold). */
#include "emit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lo_line(lo_text *text, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  char *line = NULL;
  int n = vasprintf(&line, fmt, ap);
  va_end(ap);
  if (n < 0)
    return;
  if (line[0] != '#') {
    for (int i = 0; i < text->indent; i++)
      as_str_add(text->out, "  ");
  }
  as_str_add(text->out, line);
  as_str_add(text->out, "\n");
  free(line);
}

void lo_barrier(lo_text *text, const char *why) {
  text->unit->n_barrier++;
  lo_line(text, why ? "as_sync(); /* %s */" : "as_sync();", why);
}

static char *number(const lo_text *text, double real) {
  if (isinf(real))
    return as_strdup(real > 0 ? "INFINITY" : "-INFINITY");
  char *digits = as_format(text->dbl ? "%.17g" : "%.9g", real);
  char *result =
      as_format("%s%s%s", digits, strpbrk(digits, ".e") ? "" : ".0", text->dbl ? "" : "f");
  free(digits);
  if (real >= 0)
    return result;
  char *bracketed = as_format("(%s)", result);
  free(result);
  return bracketed;
}

char *lo_index(lo_text *text, const lx *expr) {
  if (expr->op == LX_INT)
    return as_format(expr->number < 0 ? "(%ld)" : "%ld", expr->number);
  if (expr->op == LX_VAR)
    return as_strdup(text->var[expr->number]);
  char *kid[3] = {NULL, NULL, NULL};
  char *result;
  for (int i = 0; i < expr->n && i < 3; i++)
    kid[i] = lo_index(text, expr->kid[i]);
  static const char *const sym[] = {
      [LX_ADD] = "+", [LX_SUB] = "-",  [LX_MUL] = "*", [LX_IDIV] = "/",
      [LX_MOD] = "%", [LX_EQ] = "==",  [LX_NE] = "!=", [LX_LE] = "<=",
      [LX_LT] = "<",  [LX_AND] = "&&", [LX_OR] = "||"};
  switch (expr->op) {
  case LX_NOT:
    result = as_format("(!%s)", kid[0]);
    break;
  case LX_IF:
    result = as_format("(%s ? %s : %s)", kid[0], kid[1], kid[2]);
    break;
  case LX_MAX:
    result = as_format("%s_imax(%s, %s)", text->dbl ? "asr" : "as", kid[0], kid[1]);
    break;
  case LX_MIN:
    result = as_format("%s_imin(%s, %s)", text->dbl ? "asr" : "as", kid[0], kid[1]);
    break;
  case LX_ABS:
    result = as_format("%s_imax(%s, -(%s))", text->dbl ? "asr" : "as", kid[0], kid[0]);
    break;
  case LX_IDIV:
  case LX_MOD: /* floor; operands may be negative only under a condition that makes the read not
                  happen, or in user bodies */
    result = as_format("%s_i%s(%s, %s)", text->dbl ? "asr" : "as",
                       expr->op == LX_IDIV ? "div" : "mod", kid[0], kid[1]);
    break;
  default:
    result = as_format("(%s %s %s)", kid[0], sym[expr->op], kid[1]);
  }
  for (int i = 0; i < 3; i++)
    free(kid[i]);
  return result;
}

static char *scalar(lo_text *E, const lx *e, bool lazy);

static char *condition(lo_text *text, const lx *expr, bool lazy) {
  static const char *const sym[] = {[LX_EQ] = "==", [LX_NE] = "!=",  [LX_LE] = "<=",
                                    [LX_LT] = "<",  [LX_AND] = "&&", [LX_OR] = "||"};
  char *left;
  char *right = NULL;
  char *result;
  if (expr->op == LX_NOT) {
    left = condition(text, expr->kid[0], lazy);
    result = as_format("(!%s)", left);
  } else if (expr->op == LX_AND || expr->op == LX_OR) {
    left = condition(text, expr->kid[0], lazy);
    right = condition(text, expr->kid[1], true);
    result = as_format("(%s %s %s)", left, sym[expr->op], right);
  } else if (expr->kid[0]->integer && expr->kid[1]->integer) {
    left = lo_index(text, expr->kid[0]);
    right = lo_index(text, expr->kid[1]);
    result = as_format("(%s %s %s)", left, sym[expr->op], right);
  } else {
    left = scalar(text, expr->kid[0], lazy);
    right = scalar(text, expr->kid[1], lazy);
    result = as_format("(%s %s %s)", left, sym[expr->op], right);
  }
  free(left);
  free(right);
  return result;
}

static int parents(const lx *expr, const lx *of) {
  int n = 0;
  for (int i = 0; i < expr->n && n < 2; i++)
    n += expr->kid[i] == of ? 1 : expr->op == LX_REF ? 0 : parents(expr->kid[i], of);
  return n;
}

static char *build(lo_text *text, const lx *expr, bool lazy) {
  static const char *const function[][2] = {
      [LX_EXP] = {"as_expf", "exp"}, [LX_LOG] = {"logf", "log"},   [LX_SQRT] = {"sqrtf", "sqrt"},
      [LX_ABS] = {"fabsf", "fabs"},  [LX_MAX] = {"fmaxf", "fmax"}, [LX_MIN] = {"fminf", "fmin"}};
  static const char *const sym[] = {
      [LX_ADD] = "+", [LX_SUB] = "-", [LX_MUL] = "*", [LX_FDIV] = "/"};
  if (expr->op == LX_REF) {
    as_str out;
    as_str_init(&out);
    text->ref(text, &out, expr->val, expr->kid, expr->n);
    return as_str_take(&out);
  }
  if (expr->op == LX_IF) {
    char *third = condition(text, expr->kid[0], lazy);
    char *left = scalar(text, expr->kid[1], true);
    char *right = scalar(text, expr->kid[2], true);
    char *result = as_format("(%s ? %s : %s)", third, left, right);
    free(third);
    free(left);
    free(right);
    return result;
  }
  char *left = scalar(text, expr->kid[0], lazy);
  char *right = expr->n > 1 ? scalar(text, expr->kid[1], lazy) : NULL;
  char *result;
  switch (expr->op) {
  case LX_ADD:
  case LX_SUB:
  case LX_MUL:
  case LX_FDIV:
    result = as_format("(%s %s %s)", left, sym[expr->op], right);
    break;
  case LX_NEG:
    result = as_format("(-%s)", left);
    break;
  case LX_INV:
    result = as_format("(%s / %s)", text->dbl ? "1.0" : "1.0f", left);
    break;
  case LX_CALL: { /* built-in functions have the names of the C library */
    as_str out;
    as_str_init(&out);
    as_str_printf(&out, "%s%s(%s%s%s", expr->function, text->dbl ? "" : "f", left,
                  right ? ", " : "", right ? right : "");
    for (int i = 2; i < expr->n; i++) {
      char *third = scalar(text, expr->kid[i], lazy);
      as_str_printf(&out, ", %s", third);
      free(third);
    }
    as_str_add(&out, ")");
    result = as_str_take(&out);
    break;
  }
  default:
    result = right ? as_format("%s(%s, %s)", function[expr->op][text->dbl], left, right)
                   : as_format("%s(%s)", function[expr->op][text->dbl], left);
  }
  free(left);
  free(right);
  return result;
}

static char *scalar(lo_text *text, const lx *expr, bool lazy) {
  if (expr->op == LX_INT)
    return number(text, (double)expr->number);
  if (expr->op == LX_NUM)
    return number(text, expr->real);
  if (expr->integer) {
    char *whole = lo_index(text, expr);
    char *result = as_format("(%s)(%s)", text->dbl ? "double" : "float", whole);
    free(whole);
    return result;
  }
  for (uint32_t whole = 0; whole < text->n_memo; whole++) {
    if (text->memo[whole].expr == expr)
      return as_format("t%d", text->memo[whole].temporary);
  }
  char *piece = build(text, expr, lazy);
  if (lazy || expr == text->root || parents(text->root, expr) < 2)
    return piece;
  if (text->n_memo == text->memo_cap) {
    text->memo_cap = text->memo_cap ? 2 * text->memo_cap : 16;
    text->memo = as_realloc(text->memo, text->memo_cap * sizeof *text->memo);
  }
  text->memo[text->n_memo].expr = expr;
  text->memo[text->n_memo++].temporary = ++text->n_temporary;
  lo_line(text, "const %s t%d = %s;", text->dbl ? "double" : "float", text->n_temporary, piece);
  free(piece);
  return as_format("t%d", text->n_temporary);
}

char *lo_expr(lo_text *text, const lx *expr) {
  const lx *keep = text->root;
  text->root = expr;
  text->n_memo = 0;
  char *result = scalar(text, expr, false);
  text->root = keep;
  return result;
}

char *lo_global_pointer(const lo_job *job, uint32_t id) {
  const lo_value *value = &job->value[id];
  if (value->buffer_class == LG_INPUT)
    return as_format("a.in[%u]", value->buffer_index);
  if (value->buffer_class == LG_OUTPUT)
    return as_format("a.out[%u]", value->buffer_index);
  return as_format("(a.ws + %ldL)", value->work_offset);
}
