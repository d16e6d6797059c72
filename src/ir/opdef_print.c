/* Operators and functions as canonical .sem text: what hashes are taken of. */
#include "lex.h"
#include "opdef.h"
#include <stdlib.h>
#include <string.h>

/* binding strength of what is printed, in the grammar's levels */
enum { SUM = 1, PROD, UNARY, ATOM };

static void p_expr(as_str *s, const as_expr *e, int least);

static void p_number(as_str *s, const mpq_t v) {
  char *t = as_print_number(v);
  as_str_add(s, t);
  free(t);
}

static void p_access(as_str *s, const as_expr *e) {
  as_str_printf(s, "%s[", e->name);
  for (uint32_t i = 0; i < e->n; i++) {
    if (i)
      as_str_add(s, ", ");
    if (e->acc[i] == AS_IX_SCALAR)
      p_expr(s, e->kid[i], SUM);
    else
      as_str_printf(s, "%s%s", e->acc[i] == AS_IX_LIST ? ".." : "~", e->acc_name[i]);
  }
  as_str_add(s, "]");
}

static void p_cond(as_str *s, const as_expr *e, int level) { /* level 1 or, 2 and, 3 atom */
  int own = e->kind == AS_E_OR ? 1 : e->kind == AS_E_AND ? 2 : 3;
  if (own < level)
    as_str_add(s, "(");
  if (e->kind == AS_E_NOT) {
    as_str_add(s, "not ");
    p_cond(s, e->kid[0], 3);
  } else if (e->kind == AS_E_REL) {
    static const char *const turned[] = {"=", "!=", ">=", ">"};
    const as_expr *a = e->kid[e->swap ? 1 : 0];
    const as_expr *b = e->kid[e->swap ? 0 : 1];
    p_expr(s, a, SUM);
    as_str_printf(s, " %s ", e->swap ? turned[e->rel] : as_rel_text((as_rel)e->rel));
    p_expr(s, b, SUM);
  } else {
    p_cond(s, e->kid[0], own);
    as_str_add(s, own == 1 ? " or " : " and ");
    p_cond(s, e->kid[1], own + 1);
  }
  if (own < level)
    as_str_add(s, ")");
}

static void p_call(as_str *s, const char *name, const as_expr *e) {
  as_str_printf(s, "%s(", name);
  for (uint32_t i = 0; i < e->n; i++) {
    if (i)
      as_str_add(s, ", ");
    p_expr(s, e->kid[i], SUM);
  }
  as_str_add(s, ")");
}

static int level_of(const as_expr *e) {
  switch (e->kind) {
  case AS_E_ADD:
  case AS_E_SUB:
    return SUM;
  /* a reduction swallows the product that follows it, so it is never printed bare inside of one */
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR:
    return SUM;
  case AS_E_MUL:
  case AS_E_FDIV:
  case AS_E_IDIV:
  case AS_E_MOD:
    return PROD;
  case AS_E_NEG:
    return UNARY;
  default:
    return ATOM;
  }
}

static void p_infix(as_str *s, const as_expr *e, const char *op, int level) {
  p_expr(s, e->kid[0], level);
  as_str_printf(s, " %s ", op);
  p_expr(s, e->kid[1], level + 1);
}

static void p_bare(as_str *s, const as_expr *e) {
  switch (e->kind) {
  case AS_E_NUM:
    p_number(s, e->num);
    break;
  case AS_E_NAME:
    as_str_add(s, e->name);
    break;
  case AS_E_ACCESS:
    p_access(s, e);
    break;
  case AS_E_CALL:
    p_call(s, e->name, e);
    break;
  case AS_E_ADD:
    p_infix(s, e, "+", SUM);
    break;
  case AS_E_SUB:
    p_infix(s, e, "-", SUM);
    break;
  case AS_E_MUL:
    p_infix(s, e, "*", PROD);
    break;
  case AS_E_FDIV:
    p_infix(s, e, "/", PROD);
    break;
  case AS_E_IDIV:
    p_infix(s, e, "div", PROD);
    break;
  case AS_E_MOD:
    p_infix(s, e, "mod", PROD);
    break;
  case AS_E_NEG:
    as_str_add(s, "-");
    p_expr(s, e->kid[0], UNARY);
    break;
  case AS_E_EXP:
    p_call(s, "exp", e);
    break;
  case AS_E_LOG:
    p_call(s, "log", e);
    break;
  case AS_E_SQRT:
    p_call(s, "sqrt", e);
    break;
  case AS_E_INV:
    p_call(s, "inv", e);
    break;
  case AS_E_ABS:
    p_call(s, "abs", e);
    break;
  case AS_E_MAX2:
    p_call(s, "max", e);
    break;
  case AS_E_MIN2:
    p_call(s, "min", e);
    break;
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR:
    as_str_printf(s, "%s(%s < ",
                  e->kind == AS_E_SUM    ? "sum"
                  : e->kind == AS_E_PROD ? "prod"
                  : e->kind == AS_E_MAXR ? "max"
                                         : "min",
                  e->name);
    p_expr(s, e->kid[0], SUM);
    as_str_add(s, ") ");
    p_expr(s, e->kid[1], PROD);
    break;
  case AS_E_IF:
    as_str_add(s, "if(");
    p_cond(s, e->kid[0], 1);
    as_str_add(s, ", ");
    p_expr(s, e->kid[1], SUM);
    as_str_add(s, ", ");
    p_expr(s, e->kid[2], SUM);
    as_str_add(s, ")");
    break;
  default:
    p_cond(s, e, 1);
  }
}

static void p_expr(as_str *s, const as_expr *e, int least) {
  bool wrap = level_of(e) < least;
  if (wrap)
    as_str_add(s, "(");
  p_bare(s, e);
  if (wrap)
    as_str_add(s, ")");
}

static void p_shape(as_str *s, const as_dim *d, uint32_t n) {
  as_str_add(s, "[");
  for (uint32_t i = 0; i < n; i++) {
    if (i)
      as_str_add(s, ", ");
    if (d[i].kind == AS_D_SIZE) {
      p_expr(s, d[i].size, SUM);
    } else if (d[i].kind == AS_D_BCAST) {
      as_str_printf(s, "broadcast(%s, %s) as %s", d[i].b1, d[i].b2, d[i].name);
    } else {
      as_str_printf(s, "..%s", d[i].name);
      if (d[i].count)
        as_str_add(s, "@");
      if (d[i].count)
        p_expr(s, d[i].count, SUM);
    }
  }
  as_str_add(s, "]");
}

static void p_let(as_str *s, const as_let *l, bool out) {
  as_str_printf(s, "  %s%s[", out ? "" : "let ", l->name);
  for (uint32_t i = 0; i < l->n; i++)
    as_str_printf(s, "%s%s%s", i ? ", " : "", l->ix[i].is_list ? ".." : "", l->ix[i].name);
  as_str_add(s, "] = ");
  p_expr(s, l->body, SUM);
  as_str_add(s, "\n");
}

char *as_expr_print(const as_expr *e) {
  as_str s;
  as_str_init(&s);
  if (e->kind == AS_E_REL || e->kind == AS_E_AND || e->kind == AS_E_OR || e->kind == AS_E_NOT)
    p_cond(&s, e, 1);
  else
    p_expr(&s, e, SUM);
  return as_str_take(&s);
}

char *as_opdef_print(const as_opdef *op) {
  as_str s;
  as_str_init(&s);
  as_str_printf(&s, "op %s(", op->name);
  for (uint32_t i = 0; i < op->nargs; i++) {
    as_str_printf(&s, "%s%s", i ? ", " : "", op->arg[i].name);
    p_shape(&s, op->arg[i].dim, op->arg[i].n);
  }
  for (uint32_t i = 0; i < op->nattrs; i++) {
    as_str_printf(&s, "%s %s", i ? "," : ";", op->attr[i]);
    if (!op->attr_has_default[i])
      continue;
    as_str_add(&s, " = ");
    p_number(&s, op->attr_default[i].num);
  }
  as_str_add(&s, ") -> ");
  p_shape(&s, op->out, op->nout);
  as_str_add(&s, "\n");
  for (uint32_t i = 0; i < op->nreq; i++) {
    as_str_add(&s, "  require ");
    p_expr(&s, op->req[i].lhs, SUM);
    as_str_printf(&s, " %s ", as_rel_text((as_rel)op->req[i].rel));
    p_expr(&s, op->req[i].rhs, SUM);
    as_str_add(&s, "\n");
  }
  for (uint32_t i = 0; i < op->nlet; i++)
    p_let(&s, &op->let[i], i + 1 == op->nlet);
  return as_str_take(&s);
}

char *as_func_print(const as_func *f) {
  as_str s;
  as_str_init(&s);
  as_str_printf(&s, "func %s(", f->name);
  for (uint32_t i = 0; i < f->n; i++)
    as_str_printf(&s, "%s%s", i ? ", " : "", f->param[i]);
  as_str_add(&s, f->body ? ") = " : ") builtin");
  if (f->body)
    p_expr(&s, f->body, SUM);
  as_str_add(&s, "\n");
  return as_str_take(&s);
}

char *as_oplib_text(const as_oplib *L, const char *name) {
  const as_func *f = strncmp(name, "func ", 5) == 0 ? as_oplib_func(L, name + 5) : NULL;
  const as_opdef *op = f ? NULL : as_oplib_find(L, name);
  return f ? as_func_print(f) : op ? as_opdef_print(op) : NULL;
}
