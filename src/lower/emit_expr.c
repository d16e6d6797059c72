/* Expressions as C text, in float for kernels and in double for the reference.  Parts used more
 * than once become temporaries, unless they stand under a condition (whose reads may be out of
 * bounds when it does not hold). */
#include "lo.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lo_line(lo_emit *E, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  char *t = NULL;
  int n = vasprintf(&t, fmt, ap);
  va_end(ap);
  if (n < 0)
    return;
  if (t[0] != '#') {
    for (int i = 0; i < E->indent; i++)
      as_str_add(E->s, "  ");
  }
  as_str_add(E->s, t);
  as_str_add(E->s, "\n");
  free(t);
}

void lo_expr_reset(lo_emit *E) {
  E->nmemo = 0;
}

static char *number(const lo_emit *E, double f) {
  if (isinf(f))
    return as_strdup(f > 0 ? "INFINITY" : "-INFINITY");
  char *t = as_format(E->dbl ? "%.17g" : "%.9g", f);
  char *r = as_format("%s%s%s", t, strpbrk(t, ".e") ? "" : ".0", E->dbl ? "" : "f");
  free(t);
  if (f >= 0)
    return r;
  char *p = as_format("(%s)", r);
  free(r);
  return p;
}

char *lo_index(lo_emit *E, const lx *e) {
  if (e->op == LX_INT)
    return as_format(e->i < 0 ? "(%ld)" : "%ld", e->i);
  if (e->op == LX_VAR)
    return as_strdup(E->var[e->i]);
  char *k[3] = {NULL, NULL, NULL};
  char *r;
  for (int i = 0; i < e->n && i < 3; i++)
    k[i] = lo_index(E, e->kid[i]);
  static const char *const sym[] = {
      [LX_ADD] = "+", [LX_SUB] = "-",  [LX_MUL] = "*", [LX_IDIV] = "/",
      [LX_MOD] = "%", [LX_EQ] = "==",  [LX_NE] = "!=", [LX_LE] = "<=",
      [LX_LT] = "<",  [LX_AND] = "&&", [LX_OR] = "||"};
  switch (e->op) {
  case LX_NOT:
    r = as_format("(!%s)", k[0]);
    break;
  case LX_IF:
    r = as_format("(%s ? %s : %s)", k[0], k[1], k[2]);
    break;
  case LX_MAX:
    r = as_format("%s_imax(%s, %s)", E->dbl ? "asr" : "as", k[0], k[1]);
    break;
  case LX_MIN:
    r = as_format("%s_imin(%s, %s)", E->dbl ? "asr" : "as", k[0], k[1]);
    break;
  case LX_ABS:
    r = as_format("%s_imax(%s, -(%s))", E->dbl ? "asr" : "as", k[0], k[0]);
    break;
  case LX_IDIV:
  case LX_MOD: /* floor; operands may be negative only under a condition that makes the read not
                  happen, or in user bodies */
    r = as_format("%s_i%s(%s, %s)", E->dbl ? "asr" : "as", e->op == LX_IDIV ? "div" : "mod", k[0],
                  k[1]);
    break;
  default:
    r = as_format("(%s %s %s)", k[0], sym[e->op], k[1]);
  }
  for (int i = 0; i < 3; i++)
    free(k[i]);
  return r;
}

static char *scalar(lo_emit *E, const lx *e, bool lazy);

static char *condition(lo_emit *E, const lx *e, bool lazy) {
  static const char *const sym[] = {[LX_EQ] = "==", [LX_NE] = "!=",  [LX_LE] = "<=",
                                    [LX_LT] = "<",  [LX_AND] = "&&", [LX_OR] = "||"};
  char *a;
  char *b = NULL;
  char *r;
  if (e->op == LX_NOT) {
    a = condition(E, e->kid[0], lazy);
    r = as_format("(!%s)", a);
  } else if (e->op == LX_AND || e->op == LX_OR) {
    a = condition(E, e->kid[0], lazy);
    b = condition(E, e->kid[1], true);
    r = as_format("(%s %s %s)", a, sym[e->op], b);
  } else if (e->kid[0]->integer && e->kid[1]->integer) {
    a = lo_index(E, e->kid[0]);
    b = lo_index(E, e->kid[1]);
    r = as_format("(%s %s %s)", a, sym[e->op], b);
  } else {
    a = scalar(E, e->kid[0], lazy);
    b = scalar(E, e->kid[1], lazy);
    r = as_format("(%s %s %s)", a, sym[e->op], b);
  }
  free(a);
  free(b);
  return r;
}

static int parents(const lx *e, const lx *of) {
  int n = 0;
  for (int i = 0; i < e->n && n < 2; i++)
    n += e->kid[i] == of ? 1 : e->op == LX_REF ? 0 : parents(e->kid[i], of);
  return n;
}

static char *build(lo_emit *E, const lx *e, bool lazy) {
  static const char *const fn[][2] = {
      [LX_EXP] = {"as_expf", "exp"}, [LX_LOG] = {"logf", "log"},   [LX_SQRT] = {"sqrtf", "sqrt"},
      [LX_ABS] = {"fabsf", "fabs"},  [LX_MAX] = {"fmaxf", "fmax"}, [LX_MIN] = {"fminf", "fmin"}};
  static const char *const sym[] = {
      [LX_ADD] = "+", [LX_SUB] = "-", [LX_MUL] = "*", [LX_FDIV] = "/"};
  if (e->op == LX_REF) {
    as_str s;
    as_str_init(&s);
    E->ref(E, &s, e->val, e->kid, e->n);
    return as_str_take(&s);
  }
  if (e->op == LX_IF) {
    char *c = condition(E, e->kid[0], lazy);
    char *a = scalar(E, e->kid[1], true);
    char *b = scalar(E, e->kid[2], true);
    char *r = as_format("(%s ? %s : %s)", c, a, b);
    free(c);
    free(a);
    free(b);
    return r;
  }
  char *a = scalar(E, e->kid[0], lazy);
  char *b = e->n > 1 ? scalar(E, e->kid[1], lazy) : NULL;
  char *r;
  switch (e->op) {
  case LX_ADD:
  case LX_SUB:
  case LX_MUL:
  case LX_FDIV:
    r = as_format("(%s %s %s)", a, sym[e->op], b);
    break;
  case LX_NEG:
    r = as_format("(-%s)", a);
    break;
  case LX_INV:
    r = as_format("(%s / %s)", E->dbl ? "1.0" : "1.0f", a);
    break;
  case LX_CALL: { /* built-in functions have the names of the C library */
    as_str s;
    as_str_init(&s);
    as_str_printf(&s, "%s%s(%s%s%s", e->fn, E->dbl ? "" : "f", a, b ? ", " : "", b ? b : "");
    for (int i = 2; i < e->n; i++) {
      char *c = scalar(E, e->kid[i], lazy);
      as_str_printf(&s, ", %s", c);
      free(c);
    }
    as_str_add(&s, ")");
    r = as_str_take(&s);
    break;
  }
  default:
    r = b ? as_format("%s(%s, %s)", fn[e->op][E->dbl], a, b)
          : as_format("%s(%s)", fn[e->op][E->dbl], a);
  }
  free(a);
  free(b);
  return r;
}

static char *scalar(lo_emit *E, const lx *e, bool lazy) {
  if (e->op == LX_INT)
    return number(E, (double)e->i);
  if (e->op == LX_NUM)
    return number(E, e->f);
  if (e->integer) {
    char *i = lo_index(E, e);
    char *r = as_format("(%s)(%s)", E->dbl ? "double" : "float", i);
    free(i);
    return r;
  }
  for (uint32_t i = 0; i < E->nmemo; i++) {
    if (E->memo[i].e == e)
      return as_format("t%d", E->memo[i].tmp);
  }
  char *t = build(E, e, lazy);
  if (lazy || e == E->root || parents(E->root, e) < 2)
    return t;
  if (E->nmemo == E->memocap) {
    E->memocap = E->memocap ? 2 * E->memocap : 16;
    E->memo = as_realloc(E->memo, E->memocap * sizeof *E->memo);
  }
  E->memo[E->nmemo].e = e;
  E->memo[E->nmemo++].tmp = ++E->ntmp;
  lo_line(E, "const %s t%d = %s;", E->dbl ? "double" : "float", E->ntmp, t);
  free(t);
  return as_format("t%d", E->ntmp);
}

char *lo_expr(lo_emit *E, const lx *e) {
  const lx *keep = E->root;
  E->root = e;
  lo_expr_reset(E);
  char *r = scalar(E, e, false);
  E->root = keep;
  return r;
}
