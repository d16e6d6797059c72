/* The shape rule of an operator call: semantics/SEMANTICS.md section 2. */
#include "graph.h"
#include "lex.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  as_sizes *sizes;
  const as_opdef *op;
  const as_attr *attr;
  as_match *match;
  as_vec *facts;
  as_err *err;
} shape_matcher;

static as_size name_size(const shape_matcher *matcher, const char *name) {
  for (uint32_t i = 0; i < matcher->op->nattrs; i++) {
    const as_attr *attr = &matcher->attr[i];
    if (strcmp(matcher->op->attr[i], name) != 0)
      continue;
    if (attr->is_size)
      return attr->size;
    bool whole =
        mpz_cmp_ui(mpq_denref(attr->num), 1) == 0 && mpz_fits_slong_p(mpq_numref(attr->num));
    return whole ? as_size_int(matcher->sizes, mpz_get_si(mpq_numref(attr->num))) : AS_SIZE_BAD;
  }
  for (uint32_t i = 0; i < matcher->match->nsize; i++) {
    if (strcmp(matcher->match->size[i].name, name) == 0)
      return matcher->match->size[i].size;
  }
  return AS_SIZE_BAD;
}

static as_size expr_size(const shape_matcher *matcher, const as_expr *expr) {
  if (expr->kind == AS_E_NAME)
    return name_size(matcher, expr->name);
  if (expr->kind == AS_E_NUM) {
    bool whole =
        mpz_cmp_ui(mpq_denref(expr->num), 1) == 0 && mpz_fits_slong_p(mpq_numref(expr->num));
    return whole ? as_size_int(matcher->sizes, mpz_get_si(mpq_numref(expr->num))) : AS_SIZE_BAD;
  }
  if (expr->n < 1 || expr->n > 2)
    return AS_SIZE_BAD;
  if (expr->kind != AS_E_NEG && expr->kind != AS_E_ADD && expr->kind != AS_E_SUB &&
      expr->kind != AS_E_MUL && expr->kind != AS_E_IDIV && expr->kind != AS_E_MOD &&
      expr->kind != AS_E_MAX2 && expr->kind != AS_E_MIN2)
    return AS_SIZE_BAD;
  as_size a = expr_size(matcher, expr->kid[0]);
  as_size b = expr->n == 2 ? expr_size(matcher, expr->kid[1]) : 0;
  switch (expr->kind) {
  case AS_E_NEG:
    return as_size_sub(matcher->sizes, 0, a);
  case AS_E_ADD:
    return as_size_add(matcher->sizes, a, b);
  case AS_E_SUB:
    return as_size_sub(matcher->sizes, a, b);
  case AS_E_MUL:
    return as_size_mul(matcher->sizes, a, b);
  case AS_E_IDIV:
    return as_size_div(matcher->sizes, a, b);
  case AS_E_MAX2:
    return as_size_max(matcher->sizes, a, b);
  case AS_E_MIN2:
    return as_size_min(matcher->sizes, a, b);
  default:
    return as_size_mod(matcher->sizes, a, b);
  }
}

as_size as_opdef_size(as_sizes *sizes, const as_opdef *op, const as_match *match,
                      const as_attr *attr, const as_expr *expr) {
  as_match copy = *match;
  shape_matcher matcher = {.sizes = sizes, .op = op, .attr = attr, .match = &copy};
  return expr_size(&matcher, expr);
}

/* a relation between constants that is false */
static bool never(const shape_matcher *matcher, const as_size_fact *fact) {
  char *x = as_size_print(matcher->sizes, fact->lhs);
  char *y = as_size_print(matcher->sizes, fact->rhs);
  if (fact->rel == AS_REL_EQ) {
    as_err_set(matcher->err, AS_BAD_INPUT, "`%s`: extents differ: %s and %s", matcher->op->name, x,
               y);
  } else {
    as_err_set(matcher->err, AS_BAD_INPUT, "`%s` requires %s %s %s", matcher->op->name, x,
               as_rel_text(fact->rel), y);
  }
  free(x);
  free(y);
  return false;
}

static bool no_size(const shape_matcher *matcher, const as_expr *expr) {
  (void)expr;
  for (size_t i = 0; matcher->facts && i < matcher->facts->n; i++) { /* it may be why */
    const as_size_fact *fact = &AS_VEC_AT(matcher->facts, as_size_fact, i);
    if (as_size_is_const(matcher->sizes, fact->lhs, NULL) &&
        as_size_is_const(matcher->sizes, fact->rhs, NULL))
      return never(matcher, fact);
  }
  return as_err_set(matcher->err, AS_BAD_INPUT,
                    "`%s`: an extent cannot be computed (an attribute that is no integer, a "
                    "division by zero, or a size beyond 63 bits)",
                    matcher->op->name);
}

static bool oblige(const shape_matcher *matcher, as_size a, as_rel rel, as_size b) {
  long x;
  long y;
  if (rel == AS_REL_EQ && a == b)
    return true;
  if (as_size_is_const(matcher->sizes, a, &x) && as_size_is_const(matcher->sizes, b, &y)) {
    bool ok = rel == AS_REL_EQ   ? x == y
              : rel == AS_REL_NE ? x != y
              : rel == AS_REL_LE ? x <= y
                                 : x < y;
    if (ok)
      return true;
    if (matcher->facts == NULL)
      return never(matcher, &(as_size_fact){a, b, rel});
  }
  if (as_size_is_group(matcher->sizes, a) || as_size_is_group(matcher->sizes, b)) {
    char *text = as_size_print(matcher->sizes, a);
    char *t = as_size_print(matcher->sizes, b);
    as_err_set(matcher->err, AS_BAD_INPUT,
               "`%s`: `%s` meets `%s`: a group of axes fits itself only", matcher->op->name, text,
               t);
    free(text);
    free(t);
    return false;
  }
  as_size_fact fact = {a, b, rel};
  if (matcher->facts)
    as_vec_push(matcher->facts, &fact);
  return true;
}

static as_bind_list *find_list(const shape_matcher *matcher, const char *name) {
  for (uint32_t i = 0; i < matcher->match->nlist; i++) {
    if (strcmp(matcher->match->list[i].name, name) == 0)
      return &matcher->match->list[i];
  }
  return NULL;
}

static bool wrong_rank(const shape_matcher *matcher, uint32_t arg, uint32_t rank) {
  return as_err_set(matcher->err, AS_NO,
                    "`%s`: argument %u (`%s`) of rank %u does not fit the operator's pattern%s",
                    matcher->op->name, arg + 1, matcher->op->arg[arg].name, rank,
                    matcher->op->nattrs ? " with these attributes" : "");
}

static bool whole_group(const shape_matcher *matcher, as_size group) {
  return as_err_set(
      matcher->err, AS_BAD_INPUT,
      "`%s`: `%s` is a group of axes: it is no single axis, and an axis is not counted across it",
      matcher->op->name, as_size_name(matcher->sizes, group));
}

/* how many axes each dim of the pattern takes */
static bool spans(const shape_matcher *matcher, uint32_t arg, const as_size *dim, uint32_t rank,
                  long *span) {
  const as_targ *targ = &matcher->op->arg[arg];
  long total = 0;
  long rest = -1;
  for (uint32_t i = 0; i < targ->n; i++) {
    const as_dim *d = &targ->dim[i];
    span[i] = 1;
    if (d->kind == AS_D_LIST && d->count) {
      as_size e = expr_size(matcher, d->count);
      if (e == AS_SIZE_BAD || !as_size_is_const(matcher->sizes, e, &span[i])) {
        return as_err_set(matcher->err, AS_BAD_INPUT,
                          "`%s`: the place of an axis must be a literal integer",
                          matcher->op->name);
      }
      bool back = span[i] < 0;
      if (back)
        span[i] += rank;
      if (span[i] < 0 || span[i] > (long)rank)
        return wrong_rank(matcher, arg, rank);
      for (long k = back ? span[i] : 0; k < (back ? (long)rank : span[i]); k++) {
        if (as_size_is_group(matcher->sizes, dim[k]))
          return whole_group(matcher, dim[k]);
      }
    } else if (d->kind == AS_D_LIST) {
      const as_bind_list *list = find_list(matcher, d->name);
      span[i] = list ? (long)list->n : 0;
      if (!list)
        rest = i;
    }
    total += span[i];
  }
  if (rest >= 0 && total <= (long)rank) {
    span[rest] = (long)rank - total;
    total = rank;
  }
  return total == (long)rank || wrong_rank(matcher, arg, rank);
}

static bool match_list(const shape_matcher *matcher, const char *name, const as_size *dim,
                       uint32_t n) {
  as_bind_list *list = find_list(matcher, name);
  if (list == NULL) {
    if (matcher->match->nlist == 8)
      return as_err_set(matcher->err, AS_BAD_INPUT, "`%s`: more than 8 lists of axes",
                        matcher->op->name);
    list = &matcher->match->list[matcher->match->nlist++];
    list->name = name;
    list->n = n;
    memcpy(list->dim, dim, n * sizeof *dim);
    return true;
  }
  if (list->n != n) {
    return as_err_set(matcher->err, AS_NO, "`%s`: %u axes where %u are needed (`..%s`)",
                      matcher->op->name, n, list->n, name);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (!oblige(matcher, list->dim[i], AS_REL_EQ, dim[i]))
      return false;
  }
  return true;
}

static bool match_arg(const shape_matcher *matcher, uint32_t arg, const as_size *dim,
                      uint32_t rank) {
  const as_targ *targ = &matcher->op->arg[arg];
  long span[8];
  if (!spans(matcher, arg, dim, rank, span))
    return false;
  uint32_t at = 0;
  for (uint32_t i = 0; i < targ->n; at += (uint32_t)span[i++]) {
    const as_dim *d = &targ->dim[i];
    if (d->kind == AS_D_LIST) {
      if (!match_list(matcher, d->name, dim + at, (uint32_t)span[i]))
        return false;
      continue;
    }
    if (as_size_is_group(matcher->sizes, dim[at]))
      return whole_group(matcher, dim[at]);
    bool name = d->size->kind == AS_E_NAME;
    as_size e = expr_size(matcher, d->size);
    bool known = e != AS_SIZE_BAD;
    if (name && !known) {
      for (uint32_t k = 0; k < matcher->op->nattrs; k++) {
        if (strcmp(matcher->op->attr[k], d->size->name) == 0)
          return no_size(matcher, d->size);
      }
      if (matcher->match->nsize == 16)
        return as_err_set(matcher->err, AS_BAD_INPUT, "`%s`: more than 16 size names",
                          matcher->op->name);
      matcher->match->size[matcher->match->nsize++] = (as_bind_size){d->size->name, dim[at]};
    } else if (!known) {
      return no_size(matcher, d->size);
    } else if (!oblige(matcher, e, AS_REL_EQ, dim[at])) {
      return false;
    }
  }
  return true;
}

static bool broadcast(const shape_matcher *matcher, const as_dim *dim, as_size *out, uint32_t *n) {
  const as_bind_list *a = find_list(matcher, dim->b1);
  const as_bind_list *list = find_list(matcher, dim->b2);
  *n = a->n > list->n ? a->n : list->n;
  for (uint32_t i = 1; i <= *n; i++) {
    as_size x = i <= a->n ? a->dim[a->n - i] : AS_SIZE_ONE;
    as_size y = i <= list->n ? list->dim[list->n - i] : AS_SIZE_ONE;
    bool missing = i > a->n || i > list->n;
    bool group = as_size_is_group(matcher->sizes, x) || as_size_is_group(matcher->sizes, y);
    if (!missing && (group || (x != AS_SIZE_ONE && y != AS_SIZE_ONE)) &&
        !oblige(matcher, x, AS_REL_EQ, y))
      return false;
    out[*n - i] = x == AS_SIZE_ONE ? y : x;
  }
  return true;
}

static bool result(const shape_matcher *matcher, as_size *outdim, uint32_t *outrank) {
  const as_opdef *op = matcher->op;
  *outrank = 0;
  for (uint32_t i = 0; i < op->nout; i++) {
    const as_dim *dim = &op->out[i];
    as_size part[8];
    uint32_t n = 1;
    if (dim->kind == AS_D_SIZE) {
      part[0] = expr_size(matcher, dim->size);
      if (part[0] == AS_SIZE_BAD)
        return no_size(matcher, dim->size);
    } else if (dim->kind == AS_D_LIST) {
      const as_bind_list *list = find_list(matcher, dim->name);
      n = list->n;
      memcpy(part, list->dim, n * sizeof *part);
    } else {
      if (!broadcast(matcher, dim, part, &n) || !match_list(matcher, dim->name, part, n))
        return false;
    }
    if (*outrank + n > AS_MAX_RANK) {
      return as_err_set(matcher->err, AS_BAD_INPUT, "`%s`: a result of more than %d axes", op->name,
                        AS_MAX_RANK);
    }
    memcpy(outdim + *outrank, part, n * sizeof *part);
    *outrank += n;
  }
  return true;
}

bool as_opdef_match(as_sizes *sizes, const as_opdef *op, const as_size (*argdim)[8],
                    const uint32_t *argrank, uint32_t nargs, const as_attr *attr, as_match *match,
                    as_size *outdim, uint32_t *outrank, as_vec *facts, as_err *err) {
  shape_matcher matcher = {sizes, op, attr, match, facts, err};
  memset(match, 0, sizeof *match);
  if (nargs != op->nargs) {
    return as_err_set(err, AS_BAD_INPUT, "`%s` takes %u tensor%s, not %u", op->name, op->nargs,
                      op->nargs == 1 ? "" : "s", nargs);
  }
  for (uint32_t i = 0; i < nargs; i++) {
    if (!match_arg(&matcher, i, argdim[i], argrank[i]))
      return false;
  }
  for (uint32_t i = 0; i < op->nreq; i++) {
    as_size a = expr_size(&matcher, op->req[i].lhs);
    as_size b = expr_size(&matcher, op->req[i].rhs);
    if (a == AS_SIZE_BAD || b == AS_SIZE_BAD)
      return no_size(&matcher, op->req[i].lhs);
    if (!oblige(&matcher, a, (as_rel)op->req[i].rel, b))
      return false;
  }
  return result(&matcher, outdim, outrank);
}
