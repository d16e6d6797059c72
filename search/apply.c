/* One operator on labelled tensors: matches the shape pattern, follows the indices of the body,
 * computes the abstract expression. The operator's specification is all that is read, so that
 * operators of users work like built-in ones. */
#include "sg.h"
#include <stdio.h>
#include <string.h>

typedef struct {
  const char *name;
  sg_axes l;
} list_bind;

typedef struct {
  const char *name;
  sg_label l;
  bool known;
} index_bind;

typedef struct {
  const char *name;
  ax_id expr;
  sg_axes l;
} let_bind;

typedef struct {
  const sg_ctx *C;
  const as_opdef *op;
  const as_attr *attr;
  uint32_t nargs;
  const sg_axes *arg;
  const ax_id *expr;
  list_bind list[12];
  uint32_t nlist;
  index_bind size[12];
  uint32_t nsize; /* size symbols of the pattern */
  index_bind ix[24];
  uint32_t nix;
  let_bind let[12];
  uint32_t nlet;
} frame;

static uint8_t find(uint8_t *p, uint8_t c) {
  while (p[c] != c)
    c = p[c];
  return c;
}

static bool same(const sg_ctx *C, sg_label a, sg_label b) {
  if (a == b)
    return true;
  if (a == SG_UNIT || b == SG_UNIT || !C->parent)
    return false;
  uint8_t x = find(C->parent, (uint8_t)SG_CLASS(a));
  uint8_t y = find(C->parent, (uint8_t)SG_CLASS(b));
  if (x == y)
    return true;
  if (C->part->cls[x].extent != C->part->cls[y].extent)
    return false;
  if (x < y)
    C->parent[y] = x;
  else
    C->parent[x] = y;
  return true;
}

static bool same_axes(const sg_ctx *C, const sg_axes *a, const sg_axes *b) {
  if (a->rank != b->rank)
    return false;
  for (uint32_t i = 0; i < a->rank; i++) {
    if (!same(C, a->ax[i], b->ax[i]))
      return false;
  }
  return true;
}

bool sg_axes_eq(const sg_axes *a, const sg_axes *b) {
  return a->rank == b->rank && !memcmp(a->ax, b->ax, a->rank);
}

static int attr_index(const as_opdef *op, const char *name) {
  for (uint32_t i = 0; i < op->nattrs; i++) {
    if (!strcmp(op->attr[i], name))
      return (int)i;
  }
  return -1;
}

static bool attr_int(const frame *F, int i, long *v) {
  const as_attr *a = &F->attr[i];
  if (a->is_size)
    return as_size_is_const(F->C->sizes, a->size, v);
  if (mpz_cmp_ui(mpq_denref(a->num), 1) || !mpz_fits_slong_p(mpq_numref(a->num)))
    return false;
  *v = mpz_get_si(mpq_numref(a->num));
  return true;
}

static bool expr_int(const frame *F, const as_expr *e, long *v) {
  if (e->kind == AS_E_NUM) {
    *v = mpz_get_si(mpq_numref(e->num));
    return !mpz_cmp_ui(mpq_denref(e->num), 1);
  }
  if (e->kind == AS_E_NEG) {
    bool ok = expr_int(F, e->kid[0], v);
    *v = -*v;
    return ok;
  }
  int i = e->kind == AS_E_NAME ? attr_index(F->op, e->name) : -1;
  return i >= 0 && attr_int(F, i, v);
}

static const list_bind *get_list(const frame *F, const char *name) {
  for (uint32_t i = 0; i < F->nlist; i++) {
    if (!strcmp(F->list[i].name, name))
      return &F->list[i];
  }
  return NULL;
}

static index_bind *get_bind(index_bind *b, uint32_t n, const char *name) {
  while (n--) {
    if (!strcmp(b[n].name, name))
      return &b[n];
  }
  return NULL;
}

static bool bind_list(frame *F, const char *name, const sg_label *ax, uint32_t n) {
  sg_axes l = {n, {0}};
  memcpy(l.ax, ax, n);
  const list_bind *b = get_list(F, name);
  if (b)
    return same_axes(F->C, &b->l, &l);
  if (F->nlist == 12)
    return false;
  F->list[F->nlist++] = (list_bind){name, l};
  return true;
}

static bool match_arg(frame *F, const as_targ *t, const sg_axes *x) {
  uint32_t fixed = 0;
  uint32_t at = 0;
  uint32_t rest;
  long count[AS_MAX_RANK + 2];
  bool open = false;
  if (t->n > AS_MAX_RANK + 2)
    return false;
  for (uint32_t i = 0; i < t->n; i++) {
    count[i] = 1;
    if (t->dim[i].kind == AS_D_LIST && t->dim[i].count) {
      if (!expr_int(F, t->dim[i].count, &count[i]))
        return false;
      if (count[i] < 0)
        count[i] += x->rank;
      if (count[i] < 0 || count[i] > (long)x->rank)
        return false;
    } else if (t->dim[i].kind == AS_D_LIST) {
      if (open)
        return false;
      open = true;
      count[i] = -1;
    }
    if (count[i] > 0)
      fixed += (uint32_t)count[i];
  }
  if (fixed > x->rank || (!open && fixed != x->rank))
    return false;
  rest = x->rank - fixed;
  for (uint32_t i = 0; i < t->n; i++) {
    const as_dim *d = &t->dim[i];
    uint32_t n = count[i] < 0 ? rest : (uint32_t)count[i];
    if (d->kind == AS_D_LIST) {
      if (!bind_list(F, d->name, x->ax + at, n))
        return false;
    } else if (d->kind == AS_D_SIZE && d->size->kind == AS_E_NAME &&
               attr_index(F->op, d->size->name) < 0) {
      index_bind *b = get_bind(F->size, F->nsize, d->size->name);
      if (b) {
        if (!same(F->C, b->l, x->ax[at]))
          return false;
      } else if (F->nsize == 12) {
        return false;
      } else {
        F->size[F->nsize++] = (index_bind){d->size->name, x->ax[at], true};
      }
    } else {
      return false;
    }
    at += n;
  }
  return true;
}

static bool subsequence(const sg_axes *s, const sg_axes *t) {
  uint32_t i = 0;
  for (uint32_t j = 0; j < t->rank && i < s->rank; j++)
    i += s->ax[i] == t->ax[j];
  return i == s->rank;
}

/* axes of a tensor made of both, in the program's own order of axes */
bool sg_merge(const sg_part *p, const sg_axes *a, const sg_axes *b, sg_axes *out) {
  if (subsequence(b, a)) {
    *out = *a;
    return true;
  }
  if (subsequence(a, b)) {
    *out = *b;
    return true;
  }
  sg_axes o = {0, {0}};
  for (uint32_t i = 0, j = 0; i < a->rank || j < b->rank;) {
    if (o.rank == AS_MAX_RANK)
      return false;
    if (i < a->rank && j < b->rank && a->ax[i] == b->ax[j]) {
      o.ax[o.rank++] = a->ax[i++];
      j++;
    } else if (j == b->rank || (i < a->rank && p->cls[SG_CLASS(a->ax[i])].rank <=
                                                   p->cls[SG_CLASS(b->ax[j])].rank)) {
      o.ax[o.rank++] = a->ax[i++];
    } else {
      o.ax[o.rank++] = b->ax[j++];
    }
  }
  for (uint32_t i = 0; i < o.rank; i++) {
    for (uint32_t j = 0; j < i; j++) {
      if (SG_CLASS(o.ax[i]) == SG_CLASS(o.ax[j]))
        return false;
    }
  }
  *out = o;
  return true;
}

static bool broadcast(frame *F, const as_dim *d, sg_axes *o) {
  const list_bind *a = get_list(F, d->b1);
  const list_bind *b = get_list(F, d->b2);
  if (!a || !b)
    return false;
  if (!F->C->strict_ones)
    return sg_merge(F->C->part, &a->l, &b->l, o);
  o->rank = a->l.rank > b->l.rank ? a->l.rank : b->l.rank;
  for (uint32_t i = 0; i < o->rank; i++) { /* i counts from the right */
    sg_label x = i < a->l.rank ? a->l.ax[a->l.rank - 1 - i] : SG_UNIT;
    sg_label y = i < b->l.rank ? b->l.ax[b->l.rank - 1 - i] : SG_UNIT;
    if (x != SG_UNIT && y != SG_UNIT && !same(F->C, x, y))
      return false;
    o->ax[o->rank - 1 - i] = x == SG_UNIT ? y : x;
  }
  return true;
}

static bool match_out(frame *F, sg_axes *out) {
  out->rank = 0;
  for (uint32_t i = 0; i < F->op->nout; i++) {
    const as_dim *d = &F->op->out[i];
    sg_axes l = {1, {0}};
    if (d->kind == AS_D_LIST) {
      const list_bind *b = get_list(F, d->name);
      if (!b)
        return false;
      l = b->l;
    } else if (d->kind == AS_D_BCAST) {
      if (!broadcast(F, d, &l) || F->nlist == 12)
        return false;
      F->list[F->nlist++] = (list_bind){d->name, l};
    } else if (d->size->kind == AS_E_NUM) {
      if (mpq_cmp_ui(d->size->num, 1, 1))
        return false;
      l.ax[0] = SG_UNIT;
    } else {
      index_bind *b =
          d->size->kind == AS_E_NAME ? get_bind(F->size, F->nsize, d->size->name) : NULL;
      if (!b)
        return false;
      l.ax[0] = b->l;
    }
    if (out->rank + l.rank > AS_MAX_RANK)
      return false;
    memcpy(out->ax + out->rank, l.ax, l.rank);
    out->rank += l.rank;
  }
  return true;
}

ax_id sg_size_expr(const sg_ctx *C, as_size s) {
  ax_id r = AX_ZERO;
  if (!C->A)
    return AX_ONE;
  for (uint32_t i = 0; i < as_size_nmono(C->sizes, s); i++) {
    as_size_mono m = as_size_get_mono(C->sizes, s, i);
    ax_id t = ax_int(C->A, m.coef);
    for (uint32_t j = 0; j < m.n; j++) {
      ax_id a = ax_size(C->A, m.atom[j]);
      for (uint32_t c = 0; C->plan && c < C->part->n_cls;
           c++) /* a size that the plan splits is the product of its parts */
      {
        if (C->part->cls[c].extent == m.atom[j] && C->plan->mode[c] != SG_WHOLE &&
            C->whole[c] != AX_BAD) {
          a = C->whole[c];
          break;
        }
      }
      t = ax_mul(C->A, t, a);
    }
    r = ax_add(C->A, r, t);
  }
  return r;
}

static bool label_size(const frame *F, sg_label l, ax_id *e) {
  if (!F->C->A || l == SG_UNIT) {
    *e = AX_ONE;
    return true;
  }
  *e = SG_IS_TILE(l) ? F->C->tile[SG_CLASS(l)] : F->C->whole[SG_CLASS(l)];
  return *e != AX_BAD;
}

static bool eval(frame *F, const as_expr *e, ax_id *r);

static bool access_labels(frame *F, const as_expr *e, const sg_axes *have) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->acc[i] == AS_IX_BCAST)
      return e->n == 1; /* adapted to the tensor: matched when the result was */
    if (e->acc[i] == AS_IX_LIST) {
      const list_bind *b = get_list(F, e->acc_name[i]);
      if (!b || at + b->l.rank > have->rank)
        return false;
      for (uint32_t j = 0; j < b->l.rank; j++) {
        if (!same(F->C, b->l.ax[j], have->ax[at + j]))
          return false;
      }
      at += b->l.rank;
      continue;
    }
    if (at >= have->rank)
      return false;
    const as_expr *k = e->kid[i];
    if (k->kind == AS_E_NUM) {
      if (have->ax[at++] != SG_UNIT || mpq_sgn(k->num))
        return false;
      continue;
    }
    index_bind *b = k->kind == AS_E_NAME ? get_bind(F->ix, F->nix, k->name) : NULL;
    if (!b)
      return false;
    if (!b->known) {
      b->l = have->ax[at];
      b->known = true;
    }
    if (!same(F->C, b->l, have->ax[at++]))
      return false;
  }
  return at == have->rank;
}

static bool eval_access(frame *F, const as_expr *e, ax_id *r) {
  for (uint32_t i = 0; i < F->nargs; i++) {
    if (!strcmp(F->op->arg[i].name, e->name)) {
      *r = F->expr ? F->expr[i] : AX_ONE;
      return access_labels(F, e, &F->arg[i]);
    }
  }
  for (uint32_t i = 0; i < F->nlet; i++) {
    if (!strcmp(F->let[i].name, e->name)) {
      *r = F->let[i].expr;
      return access_labels(F, e, &F->let[i].l);
    }
  }
  return false;
}

static bool eval_reduce(frame *F, const as_expr *e, ax_id *r) {
  const as_expr *bound = e->kid[0];
  index_bind *b = bound->kind == AS_E_NAME ? get_bind(F->size, F->nsize, bound->name) : NULL;
  ax_id x;
  if (!b || F->nix == 24)
    return false;
  sg_label l = b->l;
  F->ix[F->nix++] = (index_bind){e->name, l, true};
  bool ok = eval(F, e->kid[1], &x);
  F->nix--;
  if (!ok)
    return false;
  const sg_ctx *C = F->C;
  if (!C->A || l == SG_UNIT) {
    *r = x;
    return true;
  }
  uint32_t c = SG_CLASS(l);
  int parts = SG_IS_TILE(l) ? AX_TILE : AX_BOTH;
  if (C->plan && (C->plan->mode[c] == SG_GRID || C->plan->mode[c] == SG_GRID_ONE))
    return false; /* blocks do not see each other */
  if (e->kind == AS_E_SUM) {
    *r = ax_sum(C->A, x, c, parts, C->tile[c], C->loop[c]);
  } else if (e->kind == AS_E_MAXR || e->kind == AS_E_MINR) {
    *r = ax_extremum(C->A, e->kind == AS_E_MAXR, x, c, parts);
  } else {
    char head[32];
    snprintf(head, sizeof head, "prod%u_%d", c, parts);
    *r = ax_opaque(C->A, head, &x, 1);
  }
  return *r != AX_BAD;
}

static bool eval_opaque(frame *F, const as_expr *e, const char *head, bool commutes, ax_id *r) {
  ax_id k[8];
  if (e->n > 8)
    return false;
  for (uint32_t i = 0; i < e->n; i++) {
    if (!eval(F, e->kid[i], &k[i]))
      return false;
  }
  if (!F->C->A)
    return true;
  if (commutes && k[0] > k[1]) {
    ax_id t = k[0];
    k[0] = k[1];
    k[1] = t;
  }
  *r = ax_opaque(F->C->A, head, k, e->n);
  return *r != AX_BAD;
}

static bool eval_name(frame *F, const as_expr *e, ax_id *r) {
  ax_store *A = F->C->A;
  if (get_bind(F->ix, F->nix, e->name))
    return false; /* the value depends on the position: tiles would differ */
  index_bind *b = get_bind(F->size, F->nsize, e->name);
  if (b)
    return label_size(F, b->l, r);
  int i = attr_index(F->op, e->name);
  if (i < 0)
    return false;
  *r = !A                   ? AX_ONE
       : F->attr[i].is_size ? sg_size_expr(F->C, F->attr[i].size)
                            : ax_const(A, F->attr[i].num);
  return *r != AX_BAD;
}

static bool eval(frame *F, const as_expr *e, ax_id *r) {
  static const char *const rel[] = {"=", "!=", "<=", "<"};
  ax_store *A = F->C->A;
  ax_id x;
  ax_id y;
  *r = AX_ONE;
  switch (e->kind) {
  case AS_E_NUM:
    if (A)
      *r = ax_const(A, e->num);
    return *r != AX_BAD;
  case AS_E_NAME:
    return eval_name(F, e, r);
  case AS_E_ACCESS:
    return eval_access(F, e, r);
  case AS_E_CALL:
    return eval_opaque(F, e, e->name, false, r);
  case AS_E_ABS:
    return eval_opaque(F, e, "abs", false, r);
  case AS_E_MAX2:
    return eval_opaque(F, e, "max2", true, r);
  case AS_E_MIN2:
    return eval_opaque(F, e, "min2", true, r);
  case AS_E_IF:
    return eval_opaque(F, e, "if", false, r);
  case AS_E_AND:
    return eval_opaque(F, e, "and", false, r);
  case AS_E_OR:
    return eval_opaque(F, e, "or", false, r);
  case AS_E_NOT:
    return eval_opaque(F, e, "not", false, r);
  case AS_E_REL:
    return eval_opaque(F, e, rel[e->rel & 3], false, r);
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR:
    return eval_reduce(F, e, r);
  case AS_E_IDIV:
  case AS_E_MOD:
    return false;
  case AS_E_NEG:
  case AS_E_EXP:
  case AS_E_LOG:
  case AS_E_SQRT:
  case AS_E_INV:
    if (!eval(F, e->kid[0], &x))
      return false;
    if (!A)
      return true;
    *r = e->kind == AS_E_NEG    ? ax_neg(A, x)
         : e->kind == AS_E_EXP  ? ax_exp(A, x)
         : e->kind == AS_E_LOG  ? ax_log(A, x)
         : e->kind == AS_E_SQRT ? ax_sqrt(A, x)
                                : ax_inv(A, x);
    return *r != AX_BAD;
  case AS_E_ADD:
  case AS_E_SUB:
  case AS_E_MUL:
  case AS_E_FDIV:
    if (!eval(F, e->kid[0], &x) || !eval(F, e->kid[1], &y))
      return false;
    if (!A)
      return true;
    *r = e->kind == AS_E_ADD   ? ax_add(A, x, y)
         : e->kind == AS_E_SUB ? ax_add(A, x, ax_neg(A, y))
         : e->kind == AS_E_MUL ? ax_mul(A, x, y)
                               : ax_mul(A, x, ax_inv(A, y));
    return *r != AX_BAD;
  }
  return false;
}

/* left side of a definition; `shape` non-NULL: the axes of the result */
static bool bind_left(frame *F, const as_let *L, const sg_axes *shape) {
  uint32_t at = 0;
  F->nix = 0;
  for (uint32_t i = 0; i < L->n; i++) {
    if (L->ix[i].is_list) {
      const list_bind *b = get_list(F, L->ix[i].name);
      if (!b)
        return false;
      at += b->l.rank;
    } else {
      if (F->nix == 24 || (shape && at >= shape->rank))
        return false;
      F->ix[F->nix++] = (index_bind){L->ix[i].name, shape ? shape->ax[at] : 0, shape != NULL};
      at++;
    }
  }
  return !shape || at == shape->rank;
}

static bool left_axes(frame *F, const as_let *L, sg_axes *l) {
  uint32_t k = 0;
  l->rank = 0;
  for (uint32_t i = 0; i < L->n; i++) {
    sg_axes one = {1, {0}};
    if (L->ix[i].is_list)
      one = get_list(F, L->ix[i].name)->l;
    else if (!F->ix[k].known)
      return false;
    else
      one.ax[0] = F->ix[k++].l;
    if (l->rank + one.rank > AS_MAX_RANK)
      return false;
    memcpy(l->ax + l->rank, one.ax, one.rank);
    l->rank += one.rank;
  }
  return true;
}

bool sg_apply(const sg_ctx *C, const as_opdef *op, const as_attr *attr, uint32_t nargs,
              const sg_axes *arg, const ax_id *expr, sg_axes *out, ax_id *out_expr) {
  frame F = {.C = C, .op = op, .attr = attr, .nargs = nargs, .arg = arg, .expr = expr};
  if (nargs != op->nargs || op->nlet > 12)
    return false;
  for (uint32_t i = 0; i < nargs; i++) {
    if (!match_arg(&F, &op->arg[i], &arg[i]))
      return false;
  }
  if (!match_out(&F, out))
    return false;
  for (uint32_t i = 0; i < op->nlet; i++) {
    const as_let *L = &op->let[i];
    bool last = i + 1 == op->nlet;
    let_bind b = {L->name, AX_ONE, {0, {0}}};
    if (!bind_left(&F, L, last ? out : NULL) || !eval(&F, L->body, &b.expr))
      return false;
    if (last)
      *out_expr = b.expr;
    else if (!left_axes(&F, L, &b.l))
      return false;
    else
      F.let[F.nlet++] = b;
  }
  return true;
}

bool sg_op_broadcasts(const as_opdef *op) {
  return op->nout == 1 && op->out[0].kind == AS_D_BCAST;
}

bool sg_op_is_pointwise(const as_opdef *op) {
  if (sg_op_broadcasts(op))
    return true;
  if (op->nlet != 1 || op->nout != 1 || op->out[0].kind != AS_D_LIST)
    return false;
  for (uint32_t i = 0; i < op->nargs; i++) {
    if (op->arg[i].n != 1 || op->arg[i].dim[0].kind != AS_D_LIST || op->arg[i].dim[0].count ||
        strcmp(op->arg[i].dim[0].name, op->out[0].name))
      return false;
  }
  return true;
}
