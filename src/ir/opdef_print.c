/* Operators and functions as canonical .sem text: what hashes are taken of. */
#include "lex.h"
#include "oplib_int.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

/* binding strength of what is printed, in the grammar's levels */
enum { SUM = 1, PROD, UNARY, ATOM };

static void p_expr(as_str *s, const as_expr *e, int least);

static void p_access(as_str *out, const as_expr *expr) {
  as_str_printf(out, "%s[", expr->name);
  for (uint32_t i = 0; i < expr->n; i++) {
    if (i)
      as_str_add(out, ", ");
    if (expr->acc[i] == AS_IX_SCALAR)
      p_expr(out, expr->kid[i], SUM);
    else
      as_str_printf(out, "%s%s", expr->acc[i] == AS_IX_LIST ? ".." : "~", expr->acc_name[i]);
  }
  as_str_add(out, "]");
}

static void p_cond(as_str *out, const as_expr *expr, int level) { /* level 1 or, 2 and, 3 atom */
  int own = expr->kind == AS_E_OR ? 1 : expr->kind == AS_E_AND ? 2 : 3;
  if (own < level)
    as_str_add(out, "(");
  if (expr->kind == AS_E_NOT) {
    as_str_add(out, "not ");
    p_cond(out, expr->kid[0], 3);
  } else if (expr->kind == AS_E_REL) {
    static const char *const turned[] = {"=", "!=", ">=", ">"};
    const as_expr *left = expr->kid[expr->swap ? 1 : 0];
    const as_expr *right = expr->kid[expr->swap ? 0 : 1];
    p_expr(out, left, SUM);
    as_str_printf(out, " %s ", expr->swap ? turned[expr->rel] : as_rel_text((as_rel)expr->rel));
    p_expr(out, right, SUM);
  } else {
    p_cond(out, expr->kid[0], own);
    as_str_add(out, own == 1 ? " or " : " and ");
    p_cond(out, expr->kid[1], own + 1);
  }
  if (own < level)
    as_str_add(out, ")");
}

static void p_call(as_str *out, const char *name, const as_expr *expr) {
  as_str_printf(out, "%s(", name);
  for (uint32_t i = 0; i < expr->n; i++) {
    if (i)
      as_str_add(out, ", ");
    p_expr(out, expr->kid[i], SUM);
  }
  as_str_add(out, ")");
}

static int level_of(const as_expr *expr) {
  switch (expr->kind) {
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

static void p_infix(as_str *out, const as_expr *expr, const char *op, int level) {
  p_expr(out, expr->kid[0], level);
  as_str_printf(out, " %s ", op);
  p_expr(out, expr->kid[1], level + 1);
}

/* a reduction, written as NAME(index < bound) body */
static void p_reduction(as_str *out, const char *name, const as_expr *expr) {
  as_str_printf(out, "%s(%s < ", name, expr->name);
  p_expr(out, expr->kid[0], SUM);
  as_str_add(out, ") ");
  p_expr(out, expr->kid[1], PROD);
}

static void p_if(as_str *out, const as_expr *expr) {
  as_str_add(out, "if(");
  p_cond(out, expr->kid[0], 1);
  as_str_add(out, ", ");
  p_expr(out, expr->kid[1], SUM);
  as_str_add(out, ", ");
  p_expr(out, expr->kid[2], SUM);
  as_str_add(out, ")");
}

typedef enum { BY_INFIX = 1, BY_CALL, BY_REDUCTION } p_form;

/* the kinds that are told apart by a word alone */
static const struct {
  p_form form;
  const char *word;
} written[] = {
    [AS_E_ADD] = {BY_INFIX, "+"},         [AS_E_SUB] = {BY_INFIX, "-"},
    [AS_E_MUL] = {BY_INFIX, "*"},         [AS_E_FDIV] = {BY_INFIX, "/"},
    [AS_E_IDIV] = {BY_INFIX, "div"},      [AS_E_MOD] = {BY_INFIX, "mod"},
    [AS_E_EXP] = {BY_CALL, "exp"},        [AS_E_LOG] = {BY_CALL, "log"},
    [AS_E_SQRT] = {BY_CALL, "sqrt"},      [AS_E_INV] = {BY_CALL, "inv"},
    [AS_E_ABS] = {BY_CALL, "abs"},        [AS_E_MAX2] = {BY_CALL, "max"},
    [AS_E_MIN2] = {BY_CALL, "min"},       [AS_E_SUM] = {BY_REDUCTION, "sum"},
    [AS_E_PROD] = {BY_REDUCTION, "prod"}, [AS_E_MAXR] = {BY_REDUCTION, "max"},
    [AS_E_MINR] = {BY_REDUCTION, "min"},
};

/* gives false where the kind has no row of `written` */
static bool p_by_word(as_str *out, const as_expr *expr) {
  if ((size_t)expr->kind >= sizeof written / sizeof *written)
    return false;
  const char *word = written[expr->kind].word;
  switch (written[expr->kind].form) {
  case BY_INFIX:
    p_infix(out, expr, word, level_of(expr));
    return true;
  case BY_CALL:
    p_call(out, word, expr);
    return true;
  case BY_REDUCTION:
    p_reduction(out, word, expr);
    return true;
  }
  return false;
}

static void p_bare(as_str *out, const as_expr *expr) {
  if (p_by_word(out, expr))
    return;
  switch (expr->kind) {
  case AS_E_NUM:
    as_add_number(out, expr->num);
    break;
  case AS_E_NAME:
    as_str_add(out, expr->name);
    break;
  case AS_E_ACCESS:
    p_access(out, expr);
    break;
  case AS_E_CALL:
    p_call(out, expr->name, expr);
    break;
  case AS_E_NEG:
    as_str_add(out, "-");
    p_expr(out, expr->kid[0], UNARY);
    break;
  case AS_E_IF:
    p_if(out, expr);
    break;
  default:
    p_cond(out, expr, 1);
  }
}

static void p_expr(as_str *out, const as_expr *expr, int least) {
  bool wrap = level_of(expr) < least;
  if (wrap)
    as_str_add(out, "(");
  p_bare(out, expr);
  if (wrap)
    as_str_add(out, ")");
}

static void p_shape(as_str *out, const as_dim *dim, uint32_t n) {
  as_str_add(out, "[");
  for (uint32_t i = 0; i < n; i++) {
    if (i)
      as_str_add(out, ", ");
    if (dim[i].kind == AS_D_SIZE) {
      p_expr(out, dim[i].size, SUM);
    } else if (dim[i].kind == AS_D_BCAST) {
      as_str_printf(out, "broadcast(%s, %s) as %s", dim[i].b1, dim[i].b2, dim[i].name);
    } else {
      as_str_printf(out, "..%s", dim[i].name);
      if (dim[i].count)
        as_str_add(out, "@");
      if (dim[i].count)
        p_expr(out, dim[i].count, SUM);
    }
  }
  as_str_add(out, "]");
}

static void p_let(as_str *text, const as_let *let, bool out) {
  as_str_printf(text, "  %s%s[", out ? "" : "let ", let->name);
  for (uint32_t i = 0; i < let->n; i++)
    as_str_printf(text, "%s%s%s", i ? ", " : "", let->ix[i].is_list ? ".." : "", let->ix[i].name);
  as_str_add(text, "] = ");
  p_expr(text, let->body, SUM);
  as_str_add(text, "\n");
}

char *as_expr_print(const as_expr *expr) {
  as_str out;
  as_str_init(&out);
  if (expr->kind == AS_E_REL || expr->kind == AS_E_AND || expr->kind == AS_E_OR ||
      expr->kind == AS_E_NOT)
    p_cond(&out, expr, 1);
  else
    p_expr(&out, expr, SUM);
  return as_str_take(&out);
}

char *as_opdef_print(const as_opdef *op) {
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "op %s(", op->name);
  for (uint32_t i = 0; i < op->nargs; i++) {
    as_str_printf(&out, "%s%s", i ? ", " : "", op->arg[i].name);
    p_shape(&out, op->arg[i].dim, op->arg[i].n);
  }
  for (uint32_t i = 0; i < op->nattrs; i++) {
    as_str_printf(&out, "%s %s", i ? "," : ";", op->attr[i]);
    if (!op->attr_has_default[i])
      continue;
    as_str_add(&out, " = ");
    as_add_number(&out, op->attr_default[i].num);
  }
  as_str_add(&out, ") -> ");
  p_shape(&out, op->out, op->nout);
  as_str_add(&out, "\n");
  for (uint32_t i = 0; i < op->nreq; i++) {
    as_str_add(&out, "  require ");
    p_expr(&out, op->req[i].lhs, SUM);
    as_str_printf(&out, " %s ", as_rel_text((as_rel)op->req[i].rel));
    p_expr(&out, op->req[i].rhs, SUM);
    as_str_add(&out, "\n");
  }
  for (uint32_t i = 0; i < op->nlet; i++)
    p_let(&out, &op->let[i], i + 1 == op->nlet);
  return as_str_take(&out);
}

char *as_func_print(const as_func *func) {
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "func %s(", func->name);
  for (uint32_t i = 0; i < func->n; i++)
    as_str_printf(&out, "%s%s", i ? ", " : "", func->param[i]);
  as_str_add(&out, func->body ? ") = " : ") builtin");
  if (func->body)
    p_expr(&out, func->body, SUM);
  as_str_add(&out, "\n");
  return as_str_take(&out);
}

char *as_oplib_text(const as_oplib *lib, const char *name) {
  as_reader reader = AS_READ_LIBRARY;
  for (as_reader r = AS_READ_GIVEN; r < AS_N_READERS; r++) {
    if (strncmp(name, as_reader_words[r], strlen(as_reader_words[r])) == 0)
      reader = r;
  }
  name += strlen(as_reader_words[reader]);
  const as_func *func = NULL;
  const as_opdef *op = NULL;
  /* without one of these words it is what some reader alone defines */
  for (as_reader r = reader; r < AS_N_READERS && func == NULL && op == NULL; r++) {
    bool is_func = strncmp(name, "func ", 5) == 0;
    func = is_func ? as_oplib_func_of(lib, r, name + 5) : NULL;
    op = is_func ? NULL : as_oplib_op_of(lib, r, name);
  }
  return func ? as_func_print(func) : op ? as_opdef_print(op) : NULL;
}
