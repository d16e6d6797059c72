/* What an operator specification must satisfy beyond its grammar: every name known where it is
 * used, accesses shaped like the tensors they read, left sides shaped like the results, indices and
 * bounds made of integers. */
#include "oplib_int.h"
#include <string.h>

typedef struct {
  as_lexed *X;
  const as_opdef *op;
  const char *size[64];
  uint32_t nsize; /* size symbols bound by patterns */
  const char *list[64];
  uint32_t nlist; /* lists of axes bound by patterns */
  const char *index[128];
  uint32_t nindex;    /* indices in scope */
  uint32_t nlet;      /* lets defined so far */
  const as_let *left; /* the definition being checked */
} scope;

static bool has(const char *const *names, uint32_t n, const char *s) {
  for (uint32_t i = 0; i < n; i++) {
    if (strcmp(names[i], s) == 0)
      return true;
  }
  return false;
}

static bool fail(scope *C, const as_expr *e, const char *what, const char *name) {
  as_token t = {.line = e ? e->line : C->op->line, .col = e ? e->col : 1};
  return as_lex_fail(C->X, &t, "operator `%s`: %s%s%s%s", C->op->name, what, name ? " `" : "",
                     name ? name : "", name ? "`" : "");
}

static bool is_attr(const scope *C, const char *s) {
  return has(C->op->attr, C->op->nattrs, s);
}

/* integer expression over sizes, attributes and, where allowed, indices */
static bool check_int(scope *C, const as_expr *e, bool sizes, bool indices) {
  switch (e->kind) {
  case AS_E_NUM:
    return mpz_cmp_ui(mpq_denref(e->num), 1) == 0 ||
           fail(C, e, "a size or an index must be an integer", NULL);
  case AS_E_NAME:
    return is_attr(C, e->name) || (sizes && has(C->size, C->nsize, e->name)) ||
           (indices && has(C->index, C->nindex, e->name)) || fail(C, e, "unknown name", e->name);
  case AS_E_ADD:
  case AS_E_SUB:
  case AS_E_MUL:
  case AS_E_IDIV:
  case AS_E_MOD:
  case AS_E_NEG:
  case AS_E_MAX2:
  case AS_E_MIN2:
    for (uint32_t i = 0; i < e->n; i++) {
      if (!check_int(C, e->kid[i], sizes, indices))
        return false;
    }
    return true;
  default:
    return fail(C, e,
                "a size or an index is made of integers, sizes, indices, + - * div mod max min",
                NULL);
  }
}

static bool check_arg(scope *C, const as_targ *a) {
  uint32_t rest = 0;
  for (uint32_t i = 0; i < a->n; i++) {
    const as_dim *d = &a->dim[i];
    if (d->kind == AS_D_SIZE) {
      if (d->size->kind != AS_E_NAME) {
        if (!check_int(C, d->size, true, false))
          return false;
      } else if (!is_attr(C, d->size->name) && !has(C->size, C->nsize, d->size->name)) {
        C->size[C->nsize++] = d->size->name;
      }
      continue;
    }
    bool known = has(C->list, C->nlist, d->name);
    if (d->count && !check_int(C, d->count, false, false))
      return false;
    if (!d->count && !known && rest++) {
      return fail(C, NULL,
                  "an argument has two lists of axes whose lengths nothing says:", d->name);
    }
    if (!known)
      C->list[C->nlist++] = d->name;
  }
  return true;
}

static bool check_result(scope *C) {
  for (uint32_t i = 0; i < C->op->nout; i++) {
    const as_dim *d = &C->op->out[i];
    if (d->kind == AS_D_SIZE && !check_int(C, d->size, true, false))
      return false;
    if (d->kind == AS_D_LIST && !has(C->list, C->nlist, d->name))
      return fail(C, NULL, "unknown list of axes", d->name);
    if (d->kind != AS_D_BCAST)
      continue;
    if (!has(C->list, C->nlist, d->b1))
      return fail(C, NULL, "unknown list of axes", d->b1);
    if (!has(C->list, C->nlist, d->b2))
      return fail(C, NULL, "unknown list of axes", d->b2);
    if (has(C->list, C->nlist, d->name))
      return fail(C, NULL, "list of axes defined twice:", d->name);
    C->list[C->nlist++] = d->name;
  }
  return true;
}

static bool left_has_list(const scope *C, const char *name) {
  for (uint32_t i = 0; i < C->left->n; i++) {
    if (C->left->ix[i].is_list && strcmp(C->left->ix[i].name, name) == 0)
      return true;
  }
  return false;
}

static bool check_expr(scope *C, const as_expr *e);

static bool check_access(scope *C, const as_expr *e) {
  const as_targ *a = NULL;
  const as_let *l = NULL;
  for (uint32_t i = 0; i < C->op->nargs; i++) {
    if (strcmp(C->op->arg[i].name, e->name) == 0)
      a = &C->op->arg[i];
  }
  for (uint32_t i = 0; i < C->nlet; i++) {
    if (strcmp(C->op->let[i].name, e->name) == 0)
      l = &C->op->let[i];
  }
  if (a == NULL && l == NULL)
    return fail(C, e, "unknown tensor", e->name);
  if (e->n != (a ? a->n : l->n))
    return fail(C, e, "wrong number of indices for", e->name);
  for (uint32_t i = 0; i < e->n; i++) {
    const char *list = a ? (a->dim[i].kind == AS_D_LIST ? a->dim[i].name : NULL)
                         : (l->ix[i].is_list ? l->ix[i].name : NULL);
    if (e->acc[i] == AS_IX_SCALAR) {
      if (list)
        return fail(C, e, "one index where a list of axes is declared:", list);
      if (!check_int(C, e->kid[i], true, true))
        return false;
      continue;
    }
    if (!list)
      return fail(C, e, "a list of indices where one axis is declared:", e->acc_name[i]);
    if (!left_has_list(C, e->acc_name[i]))
      return fail(C, e, "the left side does not bind the indices", e->acc_name[i]);
    if (e->acc[i] == AS_IX_LIST) {
      if (strcmp(list, e->acc_name[i]) != 0)
        return fail(C, e, "the indices of another list of axes:", e->acc_name[i]);
      continue;
    }
    bool found = false;
    for (uint32_t k = 0; k < C->op->nout; k++) {
      const as_dim *d = &C->op->out[k];
      found = found || (d->kind == AS_D_BCAST && strcmp(d->name, e->acc_name[i]) == 0 &&
                        (strcmp(d->b1, list) == 0 || strcmp(d->b2, list) == 0));
    }
    if (!found || a == NULL)
      return fail(C, e, "not a broadcast of the tensor's axes:", e->acc_name[i]);
  }
  return true;
}

static bool push_index(scope *C, const as_expr *e, const char *name) {
  if (has(C->index, C->nindex, name) || has(C->size, C->nsize, name) || is_attr(C, name))
    return fail(C, e, "name already in use:", name);
  if (C->nindex == 128)
    return fail(C, e, "too many indices", NULL);
  C->index[C->nindex++] = name;
  return true;
}

static bool check_expr(scope *C, const as_expr *e) {
  switch (e->kind) {
  case AS_E_NAME:
    return is_attr(C, e->name) || has(C->size, C->nsize, e->name) ||
           has(C->index, C->nindex, e->name) || fail(C, e, "unknown name", e->name);
  case AS_E_ACCESS:
    return check_access(C, e);
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR: {
    if (!check_int(C, e->kid[0], true, true) || !push_index(C, e, e->name))
      return false;
    bool ok = check_expr(C, e->kid[1]);
    C->nindex--;
    return ok;
  }
  default:
    for (uint32_t i = 0; i < e->n; i++) {
      if (!check_expr(C, e->kid[i]))
        return false;
    }
    return true;
  }
}

static bool check_left(scope *C, const as_let *l, bool out) {
  const as_opdef *op = C->op;
  if (out && l->n != op->nout)
    return fail(C, l->body, "the left side of `out` does not have the shape of the result", NULL);
  for (uint32_t i = 0; i < l->n; i++) {
    const as_ix *x = &l->ix[i];
    for (uint32_t j = 0; j < i; j++) {
      if (x->is_list && l->ix[j].is_list && strcmp(x->name, l->ix[j].name) == 0)
        return fail(C, l->body, "list of axes twice:", x->name);
    }
    if (out && (op->out[i].kind != AS_D_SIZE) != x->is_list) {
      return fail(C, l->body, "the left side of `out` does not have the shape of the result at",
                  x->name);
    }
    if (out && x->is_list && strcmp(x->name, op->out[i].name) != 0) {
      return fail(C, l->body, "the left side of `out` does not have the shape of the result at",
                  x->name);
    }
    if (x->is_list && !has(C->list, C->nlist, x->name))
      return fail(C, l->body, "unknown list of axes", x->name);
    if (!x->is_list && !push_index(C, l->body, x->name))
      return false;
  }
  return true;
}

bool as_sem_check(as_lexed *X, as_oplib *L, as_opdef *op) {
  (void)L;
  scope C = {.X = X, .op = op};
  for (uint32_t i = 0; i < op->nargs; i++) {
    for (uint32_t j = 0; j < i; j++) {
      if (strcmp(op->arg[i].name, op->arg[j].name) == 0)
        return fail(&C, NULL, "two tensors are called", op->arg[i].name);
    }
  }
  for (uint32_t i = 0; i < op->nattrs; i++) {
    if (has(op->attr, i, op->attr[i]))
      return fail(&C, NULL, "two attributes are called", op->attr[i]);
  }
  for (uint32_t i = 0; i < op->nargs; i++) {
    if (!check_arg(&C, &op->arg[i]))
      return false;
  }
  if (!check_result(&C))
    return false;
  for (uint32_t i = 0; i < op->nreq; i++) {
    if (!check_int(&C, op->req[i].lhs, true, false) || !check_int(&C, op->req[i].rhs, true, false))
      return false;
  }
  for (uint32_t i = 0; i < op->nlet; i++) {
    const as_let *l = &op->let[i];
    bool out = i + 1 == op->nlet;
    C.nindex = 0;
    C.nlet = i;
    C.left = l;
    for (uint32_t j = 0; j < i; j++) {
      if (strcmp(op->let[j].name, l->name) == 0)
        return fail(&C, l->body, "defined twice:", l->name);
    }
    for (uint32_t j = 0; j < op->nargs; j++) {
      if (strcmp(op->arg[j].name, l->name) == 0)
        return fail(&C, l->body, "defined twice:", l->name);
    }
    if (!check_left(&C, l, out) || !check_expr(&C, l->body))
      return false;
  }
  return true;
}
