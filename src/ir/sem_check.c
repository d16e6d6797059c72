/* What an operator specification must satisfy beyond its grammar: every name known where it is
 * used, accesses shaped like the tensors they read, left sides shaped like the results, indices and
 * bounds made of integers. */
#include "oplib_int.h"
#include <string.h>

typedef struct {
  as_lexed *lexed;
  const as_opdef *op;
  const char *size[64];
  uint32_t nsize; /* size symbols bound by patterns */
  const char *list[64];
  uint32_t nlist; /* lists of axes bound by patterns */
  const char *index[128];
  uint32_t nindex;    /* indices in scope */
  uint32_t nlet;      /* lets defined so far */
  const as_let *left; /* the definition being checked */
} name_scope;

static bool has(const char *const *names, uint32_t n, const char *text) {
  for (uint32_t i = 0; i < n; i++) {
    if (strcmp(names[i], text) == 0)
      return true;
  }
  return false;
}

static bool fail(name_scope *checked, const as_expr *expr, const char *what, const char *name) {
  as_token token = {.line = expr ? expr->line : checked->op->line, .col = expr ? expr->col : 1};
  return as_lex_fail(checked->lexed, &token, "operator `%s`: %s%s%s%s", checked->op->name, what,
                     name ? " `" : "", name ? name : "", name ? "`" : "");
}

static bool is_attr(const name_scope *checked, const char *text) {
  return has(checked->op->attr, checked->op->nattrs, text);
}

static bool check_access(name_scope *checked, const as_expr *expr);

/* integer expression over sizes, attributes and, where allowed, indices and elements of tensors
 * (whether these are integers is for the call to say) */
static bool check_int(name_scope *checked, const as_expr *expr, bool sizes, bool indices) {
  switch (expr->kind) {
  case AS_E_NUM:
    return mpz_cmp_ui(mpq_denref(expr->num), 1) == 0 ||
           fail(checked, expr, "a size or an index must be an integer", NULL);
  case AS_E_NAME:
    return is_attr(checked, expr->name) ||
           (sizes && has(checked->size, checked->nsize, expr->name)) ||
           (indices && has(checked->index, checked->nindex, expr->name)) ||
           fail(checked, expr, "unknown name", expr->name);
  case AS_E_ADD:
  case AS_E_SUB:
  case AS_E_MUL:
  case AS_E_IDIV:
  case AS_E_MOD:
  case AS_E_NEG:
  case AS_E_MAX2:
  case AS_E_MIN2:
    for (uint32_t i = 0; i < expr->n; i++) {
      if (!check_int(checked, expr->kid[i], sizes, indices))
        return false;
    }
    return true;
  case AS_E_ACCESS:
    if (indices)
      return check_access(checked, expr);
    break;
  default:
    break;
  }
  return fail(checked, expr,
              "a size or an index is made of integers, sizes, indices, + - * div mod max min",
              NULL);
}

static bool check_arg(name_scope *checked, const as_targ *arg) {
  uint32_t rest = 0;
  for (uint32_t i = 0; i < arg->n; i++) {
    const as_dim *dim = &arg->dim[i];
    if (dim->kind == AS_D_SIZE) {
      if (dim->size->kind != AS_E_NAME) {
        if (!check_int(checked, dim->size, true, false))
          return false;
      } else if (!is_attr(checked, dim->size->name) &&
                 !has(checked->size, checked->nsize, dim->size->name)) {
        checked->size[checked->nsize++] = dim->size->name;
      }
      continue;
    }
    bool known = has(checked->list, checked->nlist, dim->name);
    if (dim->count && !check_int(checked, dim->count, false, false))
      return false;
    if (!dim->count && !known && rest++) {
      return fail(checked, NULL,
                  "an argument has two lists of axes whose lengths nothing says:", dim->name);
    }
    if (!known)
      checked->list[checked->nlist++] = dim->name;
  }
  return true;
}

static bool check_result(name_scope *checked) {
  for (uint32_t i = 0; i < checked->op->nout; i++) {
    const as_dim *dim = &checked->op->out[i];
    if (dim->kind == AS_D_SIZE && !check_int(checked, dim->size, true, false))
      return false;
    if (dim->kind == AS_D_LIST && !has(checked->list, checked->nlist, dim->name))
      return fail(checked, NULL, "unknown list of axes", dim->name);
    if (dim->kind != AS_D_BCAST)
      continue;
    if (!has(checked->list, checked->nlist, dim->b1))
      return fail(checked, NULL, "unknown list of axes", dim->b1);
    if (!has(checked->list, checked->nlist, dim->b2))
      return fail(checked, NULL, "unknown list of axes", dim->b2);
    if (has(checked->list, checked->nlist, dim->name))
      return fail(checked, NULL, "list of axes defined twice:", dim->name);
    checked->list[checked->nlist++] = dim->name;
  }
  return true;
}

static bool left_has_list(const name_scope *checked, const char *name) {
  for (uint32_t i = 0; i < checked->left->n; i++) {
    if (checked->left->ix[i].is_list && strcmp(checked->left->ix[i].name, name) == 0)
      return true;
  }
  return false;
}

static bool check_expr(name_scope *C, const as_expr *e);

/* the tensor that an access reads: an argument of the operator, or a `let` before it */
typedef struct {
  const as_targ *arg;
  const as_let *let; /* one of the two is NULL, or both are where there is none of the name */
} accessed;

static accessed find_accessed(const name_scope *checked, const char *name) {
  accessed tensor = {NULL, NULL};
  for (uint32_t i = 0; i < checked->op->nargs; i++) {
    if (strcmp(checked->op->arg[i].name, name) == 0)
      tensor.arg = &checked->op->arg[i];
  }
  for (uint32_t i = 0; i < checked->nlet; i++) {
    if (strcmp(checked->op->let[i].name, name) == 0)
      tensor.let = &checked->op->let[i];
  }
  return tensor;
}

/* the name of the list of axes that is declared at a place of the tensor; NULL: one axis is */
static const char *list_at(const accessed *tensor, uint32_t place) {
  if (tensor->arg) {
    const as_dim *dim = &tensor->arg->dim[place];
    return dim->kind == AS_D_LIST ? dim->name : NULL;
  }
  const as_ix *index = &tensor->let->ix[place];
  return index->is_list ? index->name : NULL;
}

/* Is there an output axis `name` that is the broadcast of the list with another? */
static bool is_broadcast_of(const as_opdef *op, const char *name, const char *list) {
  for (uint32_t k = 0; k < op->nout; k++) {
    const as_dim *dim = &op->out[k];
    if (dim->kind == AS_D_BCAST && strcmp(dim->name, name) == 0 &&
        (strcmp(dim->b1, list) == 0 || strcmp(dim->b2, list) == 0))
      return true;
  }
  return false;
}

static bool check_access_at(name_scope *checked, const as_expr *expr, const accessed *tensor,
                            uint32_t place) {
  const char *list = list_at(tensor, place);
  if (expr->acc[place] == AS_IX_SCALAR) {
    if (list)
      return fail(checked, expr, "one index where a list of axes is declared:", list);
    return check_int(checked, expr->kid[place], true, true);
  }
  const char *name = expr->acc_name[place];
  if (!list)
    return fail(checked, expr, "a list of indices where one axis is declared:", name);
  if (!left_has_list(checked, name))
    return fail(checked, expr, "the left side does not bind the indices", name);
  if (expr->acc[place] == AS_IX_LIST) {
    return strcmp(list, name) == 0 ||
           fail(checked, expr, "the indices of another list of axes:", name);
  }
  return (tensor->arg && is_broadcast_of(checked->op, name, list)) ||
         fail(checked, expr, "not a broadcast of the tensor's axes:", name);
}

static bool check_access(name_scope *checked, const as_expr *expr) {
  accessed tensor = find_accessed(checked, expr->name);
  if (tensor.arg == NULL && tensor.let == NULL)
    return fail(checked, expr, "unknown tensor", expr->name);
  if (expr->n != (tensor.arg ? tensor.arg->n : tensor.let->n))
    return fail(checked, expr, "wrong number of indices for", expr->name);
  for (uint32_t i = 0; i < expr->n; i++) {
    if (!check_access_at(checked, expr, &tensor, i))
      return false;
  }
  return true;
}

static bool push_index(name_scope *checked, const as_expr *expr, const char *name) {
  if (has(checked->index, checked->nindex, name) || has(checked->size, checked->nsize, name) ||
      is_attr(checked, name))
    return fail(checked, expr, "name already in use:", name);
  if (checked->nindex == 128)
    return fail(checked, expr, "too many indices", NULL);
  checked->index[checked->nindex++] = name;
  return true;
}

static bool check_expr(name_scope *checked, const as_expr *expr) {
  switch (expr->kind) {
  case AS_E_NAME:
    return is_attr(checked, expr->name) || has(checked->size, checked->nsize, expr->name) ||
           has(checked->index, checked->nindex, expr->name) ||
           fail(checked, expr, "unknown name", expr->name);
  case AS_E_ACCESS:
    return check_access(checked, expr);
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR: {
    if (!check_int(checked, expr->kid[0], true, true) || !push_index(checked, expr, expr->name))
      return false;
    bool ok = check_expr(checked, expr->kid[1]);
    checked->nindex--;
    return ok;
  }
  default:
    for (uint32_t i = 0; i < expr->n; i++) {
      if (!check_expr(checked, expr->kid[i]))
        return false;
    }
    return true;
  }
}

static bool check_left(name_scope *checked, const as_let *let, bool out) {
  const as_opdef *op = checked->op;
  if (out && let->n != op->nout)
    return fail(checked, let->body, "the left side of `out` does not have the shape of the result",
                NULL);
  for (uint32_t i = 0; i < let->n; i++) {
    const as_ix *x = &let->ix[i];
    for (uint32_t j = 0; j < i; j++) {
      if (x->is_list && let->ix[j].is_list && strcmp(x->name, let->ix[j].name) == 0)
        return fail(checked, let->body, "list of axes twice:", x->name);
    }
    if (out && (op->out[i].kind != AS_D_SIZE) != x->is_list) {
      return fail(checked, let->body,
                  "the left side of `out` does not have the shape of the result at", x->name);
    }
    if (out && x->is_list && strcmp(x->name, op->out[i].name) != 0) {
      return fail(checked, let->body,
                  "the left side of `out` does not have the shape of the result at", x->name);
    }
    if (x->is_list && !has(checked->list, checked->nlist, x->name))
      return fail(checked, let->body, "unknown list of axes", x->name);
    if (!x->is_list && !push_index(checked, let->body, x->name))
      return false;
  }
  return true;
}

bool as_sem_check(as_lexed *lexed, as_oplib *lib, as_opdef *op) {
  (void)lib;
  name_scope checked = {.lexed = lexed, .op = op};
  for (uint32_t i = 0; i < op->nargs; i++) {
    for (uint32_t j = 0; j < i; j++) {
      if (strcmp(op->arg[i].name, op->arg[j].name) == 0)
        return fail(&checked, NULL, "two tensors are called", op->arg[i].name);
    }
  }
  for (uint32_t i = 0; i < op->nattrs; i++) {
    if (has(op->attr, i, op->attr[i]))
      return fail(&checked, NULL, "two attributes are called", op->attr[i]);
  }
  for (uint32_t i = 0; i < op->nargs; i++) {
    if (!check_arg(&checked, &op->arg[i]))
      return false;
  }
  if (!check_result(&checked))
    return false;
  for (uint32_t i = 0; i < op->nreq; i++) {
    if (!check_int(&checked, op->req[i].lhs, true, false) ||
        !check_int(&checked, op->req[i].rhs, true, false))
      return false;
  }
  for (uint32_t i = 0; i < op->nlet; i++) {
    const as_let *let = &op->let[i];
    bool out = i + 1 == op->nlet;
    checked.nindex = 0;
    checked.nlet = i;
    checked.left = let;
    for (uint32_t j = 0; j < i; j++) {
      if (strcmp(op->let[j].name, let->name) == 0)
        return fail(&checked, let->body, "defined twice:", let->name);
    }
    for (uint32_t j = 0; j < op->nargs; j++) {
      if (strcmp(op->arg[j].name, let->name) == 0)
        return fail(&checked, let->body, "defined twice:", let->name);
    }
    if (!check_left(&checked, let, out) || !check_expr(&checked, let->body))
      return false;
  }
  return true;
}
