/* From a graph of operator calls to values: every call's body, with its lets and funcs unfolded and
 * each reduction made a value of its own. */
#include "lo.h"
#include <stdlib.h>
#include <string.h>
#define NO UINT32_MAX
#define MAX_VARS 64
#define MAX_BOUND 48

typedef struct {
  const char *name;
  bool list;
  int n;
  lx *v[8];
} bound;

typedef struct {
  lo *L;
  const as_opdef *op;
  const as_match *m;
  const as_attr *attr;
  const as_node *node;
  const uint32_t *arg;
  bound b[MAX_BOUND];
  int nb;
  int nvar;
  long ext[MAX_VARS]; /* extents of variables: the result's axes, then those of reductions */
  uint32_t unit;
  uint32_t first; /* values made for this call start here */
  int depth;
  bool bad;
} ctx;

uint32_t lo_new_val(lo *L, lv_kind k, const char *name, int rank, const long *dim) {
  if (L->n == L->cap) {
    L->cap = L->cap ? 2 * L->cap : 64;
    L->v = as_realloc(L->v, L->cap * sizeof *L->v);
  }
  lo_val *v = &L->v[L->n];
  memset(v, 0, sizeof *v);
  v->kind = k;
  v->name = as_arena_strdup(L->mem, name);
  v->rank = rank;
  for (int i = 0; i < rank; i++)
    v->dim[i] = dim[i];
  v->src = v->of = v->run = v->fused_acc = NO;
  v->level = v->level16 = -1;
  v->unit = NO;
  for (int i = 0; i < 8; i++)
    v->gaxis[i] = -1;
  return L->n++;
}

static lx *fail(ctx *c, const char *fmt, const char *what) {
  if (!c->bad)
    as_err_set(c->L->err, AS_BAD_INPUT, fmt, what, c->op->name);
  c->bad = true;
  return lx_int(c->L, 0);
}

static bool size_value(lo *L, as_size s, long *out) {
  int64_t v = as_size_eval(L->g->sizes, s, L->env);
  *out = (long)v;
  if (v != INT64_MIN && v >= 0)
    return true;
  char *t = as_size_print(L->g->sizes, s);
  as_err_set(L->err, AS_BAD_INPUT, "the size %s has no value at these sizes", t);
  free(t);
  return false;
}

static const bound *find_bound(const ctx *c, const char *name, bool list) {
  for (int i = c->nb; i-- > 0;) {
    if (c->b[i].list == list && !strcmp(c->b[i].name, name))
      return &c->b[i];
  }
  return NULL;
}

static void bind(ctx *c, const char *name, bool list, int n, lx *const *v) {
  if (c->nb == MAX_BOUND) {
    fail(c, "too many names in scope at %s in operator %s", name);
    return;
  }
  bound *b = &c->b[c->nb++];
  b->name = name;
  b->list = list;
  b->n = n;
  for (int i = 0; i < n; i++)
    b->v[i] = v[i];
}

static lx *rational(lo *L, const mpq_t q) {
  if (!mpz_cmp_ui(mpq_denref(q), 1) && mpz_fits_slong_p(mpq_numref(q)))
    return lx_int(L, mpz_get_si(mpq_numref(q)));
  return lx_num(L, mpq_get_d(q));
}

static lx *tr(ctx *c, const as_expr *e);

static lx *tr_name(ctx *c, const as_expr *e) {
  const bound *b = find_bound(c, e->name, false);
  if (b)
    return b->v[0];
  for (uint32_t i = 0; i < c->op->nattrs; i++) {
    if (strcmp(c->op->attr[i], e->name))
      continue;
    if (!c->attr[i].is_size)
      return rational(c->L, c->attr[i].num);
    int64_t v = as_size_eval(c->L->g->sizes, c->attr[i].size, c->L->env);
    if (v == INT64_MIN)
      return fail(c, "attribute %s of %s has no value at these sizes", e->name);
    return lx_int(c->L, (long)v);
  }
  for (uint32_t i = 0; i < c->m->nsize; i++) {
    if (strcmp(c->m->size[i].name, e->name))
      continue;
    long v;
    if (!size_value(c->L, c->m->size[i].size, &v)) {
      c->bad = true;
      v = 1;
    }
    return lx_int(c->L, v);
  }
  return fail(c, "unknown name %s in operator %s", e->name);
}

/* index list of an access; rank: of the tensor accessed, -1 for a let */
static int tr_access(ctx *c, const as_expr *e, int rank, const long *dim, lx **idx) {
  int n = 0;
  int other = 0;
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->acc[i] == AS_IX_SCALAR) {
      other++;
    } else if (e->acc[i] == AS_IX_LIST) {
      const bound *b = find_bound(c, e->acc_name[i], true);
      other += b ? b->n : 0;
    }
  }
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->acc[i] == AS_IX_SCALAR) {
      if (n < 8)
        idx[n++] = tr(c, e->kid[i]);
      continue;
    }
    const bound *b = find_bound(c, e->acc_name[i], true);
    if (!b) {
      fail(c, "unknown index list %s in operator %s", e->acc_name[i]);
      return 0;
    }
    if (e->acc[i] == AS_IX_LIST) {
      for (int j = 0; j < b->n && n < 8; j++)
        idx[n++] = b->v[j];
    } else {
      int take = rank - other;
      for (int j = 0; j < take && n < 8; j++, n++) {
        int from = b->n - take + j;
        idx[n] = from < 0 || dim[n] == 1 ? lx_int(c->L, 0) : b->v[from];
      }
    }
  }
  return n;
}

static lx *tr_let(ctx *c, const as_let *let, const as_expr *e) {
  lx *idx[8];
  int n = tr_access(c, e, -1, NULL, idx);
  int keep = c->nb;
  int at = 0;
  if (++c->depth > 32)
    return fail(c, "definitions of %s in operator %s are cyclic", let->name);
  for (uint32_t i = 0; i < let->n; i++) {
    int take = 1;
    if (let->ix[i].is_list) {
      take = -1;
      for (uint32_t j = 0; j < c->m->nlist; j++) {
        if (!strcmp(c->m->list[j].name, let->ix[i].name))
          take = (int)c->m->list[j].n;
      }
      if (take < 0) {
        const bound *b = find_bound(c, let->ix[i].name, true);
        take = b ? b->n : 0;
      }
    }
    if (at + take > n)
      return fail(c, "access of %s in operator %s has too few indices", let->name);
    bind(c, let->ix[i].name, let->ix[i].is_list, take, idx + at);
    at += take;
  }
  lx *r = tr(c, let->body);
  c->nb = keep;
  c->depth--;
  return r;
}

static lx *tr_ref(ctx *c, const as_expr *e) {
  for (uint32_t i = 0; i < c->op->nargs; i++) {
    if (strcmp(c->op->arg[i].name, e->name))
      continue;
    const lo_val *v = &c->L->v[c->arg[i]];
    if (v->kind == LV_CONST)
      return lx_num(c->L, v->num);
    lx *idx[8];
    int n = tr_access(c, e, v->rank, v->dim, idx);
    if (n != c->L->v[c->arg[i]].rank)
      return fail(c, "access of %s in operator %s does not have the tensor's rank", e->name);
    return lx_ref(c->L, c->arg[i], n, idx);
  }
  for (uint32_t i = 0; i + 1 < c->op->nlet; i++) {
    if (!strcmp(c->op->let[i].name, e->name))
      return tr_let(c, &c->op->let[i], e);
  }
  return fail(c, "unknown tensor %s in operator %s", e->name);
}

static lx *tr_fold(ctx *c, const as_expr *e) {
  lx *bound_ = tr(c, e->kid[0]);
  if (bound_->op != LX_INT)
    return fail(c, "the bound of %s in operator %s is not a size", e->name);
  if (c->nvar == MAX_VARS)
    return fail(c, "too many indices at %s in operator %s", e->name);
  lx *f = lx_new(c->L, LX_FOLD, 1);
  lx *v = lx_var(c->L, c->nvar);
  f->var = c->nvar;
  f->i = bound_->i;
  c->ext[c->nvar++] = bound_->i;
  f->red = e->kind == AS_E_SUM    ? LO_SUM
           : e->kind == AS_E_PROD ? LO_PROD
           : e->kind == AS_E_MAXR ? LO_MAX
                                  : LO_MIN;
  int keep = c->nb;
  bind(c, e->name, false, 1, &v);
  f->kid[0] = tr(c, e->kid[1]);
  c->nb = keep;
  return f;
}

static lx *tr_call(ctx *c, const as_expr *e) {
  lx *a[8];
  if (e->n > 8 || !e->func)
    return fail(c, "call of %s in operator %s is not known", e->name);
  for (uint32_t i = 0; i < e->n; i++)
    a[i] = tr(c, e->kid[i]);
  if (!e->func->body) {
    lx *r = lx_new(c->L, LX_CALL, (int)e->n);
    r->fn = e->func->name;
    memcpy(r->kid, a, e->n * sizeof *a);
    return r;
  }
  if (++c->depth > 32)
    return fail(c, "definitions of %s in operator %s are cyclic", e->name);
  int keep = c->nb;
  for (uint32_t i = 0; i < e->n; i++)
    bind(c, e->func->param[i], false, 1, &a[i]);
  lx *r = tr(c, e->func->body);
  c->nb = keep;
  c->depth--;
  return r;
}

static const lx_op simple_op[] = {
    [AS_E_ADD] = LX_ADD,   [AS_E_SUB] = LX_SUB,   [AS_E_MUL] = LX_MUL, [AS_E_FDIV] = LX_FDIV,
    [AS_E_IDIV] = LX_IDIV, [AS_E_MOD] = LX_MOD,   [AS_E_NEG] = LX_NEG, [AS_E_EXP] = LX_EXP,
    [AS_E_LOG] = LX_LOG,   [AS_E_SQRT] = LX_SQRT, [AS_E_INV] = LX_INV, [AS_E_ABS] = LX_ABS,
    [AS_E_MAX2] = LX_MAX,  [AS_E_MIN2] = LX_MIN,  [AS_E_IF] = LX_IF,   [AS_E_AND] = LX_AND,
    [AS_E_OR] = LX_OR,     [AS_E_NOT] = LX_NOT};

static lx *tr(ctx *c, const as_expr *e) {
  if (c->bad)
    return lx_int(c->L, 0);
  lx *k[3];
  switch (e->kind) {
  case AS_E_NUM:
    return rational(c->L, e->num);
  case AS_E_NAME:
    return tr_name(c, e);
  case AS_E_ACCESS:
    return tr_ref(c, e);
  case AS_E_CALL:
    return tr_call(c, e);
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR:
    return tr_fold(c, e);
  case AS_E_REL:
    k[0] = tr(c, e->kid[e->swap]);
    k[1] = tr(c, e->kid[!e->swap]);
    return lx_mk(c->L,
                 e->rel == AS_REL_EQ   ? LX_EQ
                 : e->rel == AS_REL_NE ? LX_NE
                 : e->rel == AS_REL_LE ? LX_LE
                                       : LX_LT,
                 2, k);
  default:
    break;
  }
  for (uint32_t i = 0; i < e->n && i < 3; i++)
    k[i] = tr(c, e->kid[i]);
  if (e->kind == AS_E_FDIV && k[0]->op == LX_INT && k[1]->op == LX_INT && k[1]->i)
    return lx_num(c->L, (double)k[0]->i / (double)k[1]->i);
  return lx_mk(c->L, simple_op[e->kind], (int)e->n, k);
}

static bool same_val(const lo_val *a, const lo_val *b) {
  if (a->kind != b->kind || a->rank != b->rank || a->red != b->red || a->extent != b->extent ||
      a->unit != b->unit)
    return false;
  return !memcmp(a->dim, b->dim, sizeof a->dim) && lx_equal(a->body, b->body);
}

/* reductions, innermost first, become values over the variables that occur in them */
static lx *hoist(ctx *c, lx *e) {
  if (!e->n || c->bad)
    return e;
  lx *k[9];
  bool same = true;
  for (int i = 0; i < e->n; i++) {
    k[i] = hoist(c, e->kid[i]);
    same = same && k[i] == e->kid[i];
  }
  if (e->op == LX_REF)
    return e;
  if (e->op != LX_FOLD) {
    if (same)
      return e;
    lx *r = lx_mk(c->L, e->op, e->n, k);
    r->fn = e->fn;
    return r;
  }
  lx *by[MAX_VARS] = {0};
  lx *at[8];
  long dim[8];
  int rank = 0;
  for (int i = 0; i < c->nvar; i++) {
    if (i == e->var || !lx_uses_var(k[0], i))
      continue;
    if (rank == 8)
      return fail(c, "a reduction depends on more than 8 indices%s in operator %s", "");
    by[i] = lx_var(c->L, rank);
    at[rank] = lx_var(c->L, i);
    dim[rank++] = c->ext[i];
  }
  by[e->var] = lx_var(c->L, rank);
  char *name = as_format("%s_%u", c->node->name ? c->node->name : c->op->name, c->L->n - c->first);
  uint32_t id = lo_new_val(c->L, LV_RED, name, rank, dim);
  free(name);
  lo_val *v = &c->L->v[id];
  v->red = e->red;
  v->extent = e->i;
  v->unit = c->unit;
  long ext[9];
  for (int i = 0; i < rank; i++)
    ext[i] = dim[i];
  ext[rank] = e->i;
  v->body = lx_simplify(c->L, lx_subst(c->L, k[0], by, c->nvar), ext, rank + 1);
  for (uint32_t i = c->first; i < id; i++) {
    if (same_val(&c->L->v[i], v)) {
      c->L->n--;
      id = i;
      break;
    }
  }
  return lx_ref(c->L, id, rank, at);
}

static bool check_facts(lo *L, const as_vec *facts, const char *where) {
  for (size_t i = 0; i < facts->n; i++) {
    const as_size_fact *f = &AS_VEC_AT(facts, as_size_fact, i);
    int64_t a = as_size_eval(L->g->sizes, f->lhs, L->env);
    int64_t b = as_size_eval(L->g->sizes, f->rhs, L->env);
    bool ok = a != INT64_MIN && b != INT64_MIN &&
              (f->rel == AS_REL_EQ   ? a == b
               : f->rel == AS_REL_NE ? a != b
               : f->rel == AS_REL_LE ? a <= b
                                     : a < b);
    if (ok)
      continue;
    static const char *const rel[] = {"=", "!=", "<=", "<"};
    char *l = as_size_print(L->g->sizes, f->lhs);
    char *r = as_size_print(L->g->sizes, f->rhs);
    as_err_set(L->err, AS_BAD_INPUT, "%s: the relation %s %s %s does not hold at these sizes",
               where, l, rel[f->rel], r);
    free(l);
    free(r);
    return false;
  }
  return true;
}

static bool node_dims(lo *L, const as_node *n, long *dim) {
  for (uint32_t i = 0; i < n->rank; i++) {
    if (!size_value(L, n->dim[i], &dim[i]))
      return false;
  }
  return true;
}

static uint32_t expand_op(lo *L, const as_node *n, uint32_t unit) {
  as_size argdim[AS_MAX_ARGS][8];
  as_size outdim[8];
  uint32_t argrank[AS_MAX_ARGS];
  uint32_t outrank = 0;
  uint32_t arg[AS_MAX_ARGS];
  as_match m;
  memset(&m, 0, sizeof m);
  memset(argdim, 0, sizeof argdim);
  for (uint32_t i = 0; i < n->nargs; i++) {
    const as_node *a = &L->g->node[n->arg[i]];
    argrank[i] = a->rank;
    arg[i] = L->node_val[n->arg[i]];
    memcpy(argdim[i], a->dim, sizeof a->dim);
  }
  as_vec facts;
  as_vec_init(&facts, sizeof(as_size_fact));
  bool ok = as_opdef_match(L->g->sizes, n->op, (const as_size(*)[8])argdim, argrank, n->nargs,
                           n->attr, &m, outdim, &outrank, &facts, L->err) &&
            check_facts(L, &facts, n->name ? n->name : n->op->name);
  as_vec_clear(&facts);
  if (!ok)
    return NO;
  ctx c = {.L = L,
           .op = n->op,
           .m = &m,
           .attr = n->attr,
           .node = n,
           .arg = arg,
           .unit = unit,
           .first = L->n};
  long dim[8];
  if (!node_dims(L, n, dim))
    return NO;
  lx *ix[8];
  for (uint32_t i = 0; i < n->rank; i++) {
    c.ext[i] = dim[i];
    ix[i] = lx_var(L, (int)i);
  }
  c.nvar = (int)n->rank;
  const as_let *out = &n->op->let[n->op->nlet - 1];
  uint32_t lists = 0;
  uint32_t at = 0;
  uint32_t fixed = 0;
  for (uint32_t i = 0; i < out->n; i++) {
    if (out->ix[i].is_list)
      lists++;
    else
      fixed++;
  }
  for (uint32_t i = 0; i < out->n; i++) {
    uint32_t take = 1;
    if (out->ix[i].is_list) {
      take = NO;
      for (uint32_t j = 0; j < m.nlist; j++) {
        if (!strcmp(m.list[j].name, out->ix[i].name))
          take = m.list[j].n;
      }
      if (take == NO)
        take = lists == 1 ? n->rank - fixed : 0;
    }
    if (at + take > n->rank) {
      fail(&c, "indices of %s do not fit the result's rank in operator %s", "out");
      return NO;
    }
    bind(&c, out->ix[i].name, out->ix[i].is_list, (int)take, ix + at);
    at += take;
  }
  lx *body = hoist(&c, tr(&c, out->body));
  if (c.bad)
    return NO;
  body = lx_simplify(L, body, dim, (int)n->rank);
  const char *name = n->name ? n->name : n->op->name;
  if (body->op == LX_REF && body->val >= c.first) { /* the result is one reduction */
    bool same = (uint32_t)body->n == n->rank;
    for (int i = 0; same && i < body->n; i++) {
      same = (body->kid[i]->op == LX_VAR && body->kid[i]->i == i) ||
             (body->kid[i]->op == LX_INT && dim[i] == 1 && L->v[body->val].dim[i] == 1);
    }
    if (same) {
      L->v[body->val].name = as_arena_strdup(L->mem, name);
      return body->val;
    }
  }
  uint32_t id = lo_new_val(L, LV_MAP, name, (int)n->rank, dim);
  L->v[id].body = body;
  L->v[id].unit = unit;
  return id;
}

static uint32_t new_unit(lo *L, const char *name) {
  if (L->nu == L->ucap) {
    L->ucap = L->ucap ? 2 * L->ucap : 16;
    L->u = as_realloc(L->u, L->ucap * sizeof *L->u);
  }
  lo_unit *u = &L->u[L->nu];
  memset(u, 0, sizeof *u);
  u->name = as_arena_strdup(L->mem, name);
  u->loop = 1;
  return L->nu++;
}

void lo_unit_add(lo *L, lo_unit *u, uint32_t val) {
  uint32_t *nv = as_arena_alloc(L->mem, (u->n + 1) * sizeof *nv);
  if (u->n)
    memcpy(nv, u->val, u->n * sizeof *nv);
  nv[u->n++] = val;
  u->val = nv;
  L->v[val].unit = (uint32_t)(u - L->u);
}

static uint32_t flat_unit(lo *L, uint32_t val) {
  uint32_t u = new_unit(L, L->v[val].name);
  L->u[u].flat = true;
  L->u[u].flat_val = val;
  L->v[val].unit = u;
  L->v[val].place = LP_GLOBAL;
  L->v[val].gclass = LG_WORK;
  L->v[val].dtype = AS_F32;
  return u;
}

static bool expand_load(lo *L, const as_node *n, uint32_t unit, uint32_t *out) {
  long dim[8];
  const lo_unit *u = &L->u[unit];
  if (!node_dims(L, n, dim))
    return false;
  uint32_t id = lo_new_val(L, LV_LOAD, n->name, (int)n->rank, dim);
  uint32_t src = L->node_val[n->arg[0]];
  lo_val *v = &L->v[id];
  v->src = src;
  if (L->v[src].kind == LV_CONST)
    return as_err_set(L->err, AS_BAD_INPUT, "%s: a constant cannot be loaded", n->name);
  for (int g = 0; g < 3; g++) {
    if (n->map[g] >= 0)
      v->gaxis[n->map[g]] = g;
  }
  if (n->map[3] >= 0)
    v->laxis[n->map[3]] = true;
  for (int d = 0; d < v->rank; d++) {
    long parts = (v->gaxis[d] >= 0 ? u->grid[v->gaxis[d]] : 1) * (v->laxis[d] ? u->loop : 1);
    if (parts * dim[d] != L->v[src].dim[d]) {
      return as_err_set(L->err, AS_BAD_INPUT, "%s: axis %d of extent %ld is not %ld tiles of %ld",
                        n->name, d, L->v[src].dim[d], parts, dim[d]);
    }
  }
  *out = id;
  return true;
}

static bool expand_acc(lo *L, const as_node *n, uint32_t unit, uint32_t *out) {
  long dim[8];
  if (!node_dims(L, n, dim))
    return false;
  uint32_t id = lo_new_val(L, LV_ACC, n->name, (int)n->rank, dim);
  lo_val *v = &L->v[id];
  v->acc = n->acc;
  v->of = L->node_val[n->arg[0]];
  v->axis = n->axis;
  v->unit = unit;
  if (n->acc == AS_ACC_RESCALE) {
    uint32_t run = L->node_val[n->arg[1]];
    v->run = L->v[run].kind == LV_RUN ? L->v[run].of : run;
  }
  *out = id;
  return true;
}

static bool expand_store(lo *L, const as_node *n, uint32_t unit, uint32_t *out) {
  long dim[8];
  if (!node_dims(L, n, dim))
    return false;
  uint32_t id = lo_new_val(L, LV_GLOBAL, n->name, (int)n->rank, dim);
  uint32_t of = L->node_val[n->arg[0]];
  L->v[id].place = LP_GLOBAL;
  L->v[id].gclass = LG_WORK;
  L->v[id].dtype = AS_F32;
  lo_unit *u = &L->u[unit];
  lo_store *st = as_arena_alloc(L->mem, (u->n_store + 1) * sizeof *st);
  lo_store *s = &st[u->n_store];
  if (u->n_store)
    memcpy(st, u->store, u->n_store * sizeof *st);
  u->store = st;
  u->n_store++;
  if (L->v[of].kind == LV_CONST) { /* a tile that is a constant: a map without operands */
    uint32_t c = lo_new_val(L, LV_MAP, n->name, 0, NULL);
    L->v[c].body = lx_num(L, L->v[of].num);
    lo_unit_add(L, &L->u[unit], c);
    of = c;
  }
  s->val = of;
  s->dst = id;
  for (int d = 0; d < 8; d++)
    s->gaxis[d] = -1;
  for (int g = 0; g < 3; g++) {
    if (n->map[g] >= 0)
      s->gaxis[n->map[g]] = g;
  }
  for (uint32_t d = 0; d < n->rank; d++) {
    if (dim[d] != L->v[of].dim[d] * (s->gaxis[d] >= 0 ? u->grid[s->gaxis[d]] : 1)) {
      return as_err_set(L->err, AS_BAD_INPUT, "%s: the tiles stored do not make up axis %u",
                        n->name, d);
    }
  }
  *out = id;
  return true;
}

static bool expand_block_node(lo *L, uint32_t id, const uint32_t *block_unit) {
  const as_node *n = &L->g->node[id];
  uint32_t unit = block_unit[n->block];
  uint32_t first = L->n;
  uint32_t out = NO;
  if (n->kind == AS_N_OP) {
    out = expand_op(L, n, unit);
    if (out == NO)
      return false;
  } else if (n->kind == AS_N_LOAD) {
    if (!expand_load(L, n, unit, &out))
      return false;
  } else if (n->kind == AS_N_ACC) {
    if (!expand_acc(L, n, unit, &out))
      return false;
  } else if (n->kind == AS_N_RUN) {
    long dim[8];
    if (!node_dims(L, n, dim))
      return false;
    out = lo_new_val(L, LV_RUN, n->name, (int)n->rank, dim);
    L->v[out].of = L->node_val[n->arg[0]];
  } else {
    if (!expand_store(L, n, unit, &out))
      return false;
    L->node_val[id] = out;
    L->v[out].unit = unit;
    return true;
  }
  L->node_val[id] = out;
  for (uint32_t i = first; i < L->n; i++)
    lo_unit_add(L, &L->u[unit], i);
  return true;
}

static bool make_units(lo *L, uint32_t *block_unit) {
  const as_graph *g = L->g;
  for (uint32_t i = 0; i < g->n_block; i++) {
    const as_block *b = &g->block[i];
    uint32_t id = new_unit(L, b->name);
    lo_unit *u = &L->u[id];
    block_unit[i] = id;
    u->ngrid = 3;
    u->blocks = 1;
    u->has_loop = b->has_loop;
    for (int d = 0; d < 3; d++) {
      if (!size_value(L, b->grid[d], &u->grid[d]))
        return false;
      u->blocks *= u->grid[d];
    }
    if (b->has_loop && !size_value(L, b->loop, &u->loop))
      return false;
    if (u->blocks > 0x7fffffffL)
      return as_err_set(L->err, AS_BAD_INPUT, "kernel %s has more than 2^31 blocks", b->name);
  }
  return true;
}

/* units in the order of launches: a block graph runs when its first store is met */
static bool expand_node(lo *L, uint32_t id, const uint32_t *block_unit, uint32_t *order,
                        uint32_t *norder, bool *placed) {
  const as_node *n = &L->g->node[id];
  if (n->block != AS_NONE) {
    if (!placed[n->block] && n->kind == AS_N_STORE) {
      order[(*norder)++] = block_unit[n->block];
      placed[n->block] = true;
    }
    return expand_block_node(L, id, block_unit);
  }
  long dim[8];
  if (!node_dims(L, n, dim))
    return false;
  if (n->kind == AS_N_INPUT) {
    uint32_t v = lo_new_val(L, LV_GLOBAL, n->name, (int)n->rank, dim);
    L->v[v].place = LP_GLOBAL;
    L->v[v].gclass = LG_INPUT;
    L->v[v].dtype = n->dtype;
    for (uint32_t k = 0; k < L->g->n_input; k++) {
      if (L->g->input[k] == id)
        L->v[v].gidx = k;
    }
    L->node_val[id] = v;
  } else if (as_node_is_number(n)) {
    long value = 0;
    if (n->kind == AS_N_SIZE && !size_value(L, n->size, &value))
      return false;
    uint32_t v = lo_new_val(L, LV_CONST, "const", 0, NULL);
    L->v[v].num = n->kind == AS_N_SIZE ? (double)value : mpq_get_d(n->value);
    L->node_val[id] = v;
  } else {
    uint32_t first = L->n;
    uint32_t out = expand_op(L, n, NO);
    if (out == NO)
      return false;
    for (uint32_t v = first; v < L->n; v++)
      order[(*norder)++] = flat_unit(L, v);
    L->node_val[id] = out;
  }
  return true;
}

static bool outputs(lo *L, as_dtype type, uint32_t *order, uint32_t *norder) {
  for (uint32_t i = 0; i < L->g->n_output; i++) {
    uint32_t v = L->node_val[L->g->output[i]];
    if (L->v[v].place != LP_GLOBAL ||
        L->v[v].gclass != LG_WORK) { /* an input, a constant, or given twice: copied */
      uint32_t c =
          lo_new_val(L, LV_MAP, L->g->node[L->g->output[i]].name, L->v[v].rank, L->v[v].dim);
      lx *ix[8];
      for (int d = 0; d < L->v[v].rank; d++)
        ix[d] = lx_var(L, d);
      L->v[c].body =
          L->v[v].kind == LV_CONST ? lx_num(L, L->v[v].num) : lx_ref(L, v, L->v[v].rank, ix);
      order[(*norder)++] = flat_unit(L, c);
      v = c;
    }
    L->v[v].gclass = LG_OUTPUT;
    L->v[v].gidx = i;
    L->v[v].dtype = type;
  }
  return true;
}

bool lo_expand(lo *L) {
  const as_graph *g = L->g;
  for (const as_graph *p = g; p; p = p->program) {
    as_vec f = {.data = p->fact, .n = p->n_fact, .cap = p->n_fact, .item = sizeof *p->fact};
    if (!check_facts(L, &f, p->name))
      return false;
  }
  uint32_t *block_unit = as_arena_alloc(L->mem, (g->n_block + 1) * sizeof *block_unit);
  uint32_t norder = 0;
  uint32_t *order = as_arena_alloc(L->mem, ((size_t)g->n * 20 + g->n_output + 1) * sizeof *order);
  bool *placed = as_arena_alloc(L->mem, g->n_block + 1);
  L->node_val = as_arena_alloc(L->mem, (g->n + 1) * sizeof *L->node_val);
  as_dtype type = g->n_input ? g->node[g->input[0]].dtype : AS_F32;
  L->is16 = type != AS_F32;
  for (uint32_t i = 0; i < g->n_input; i++) {
    if (g->node[g->input[i]].dtype != type)
      L->is16 = false;
  }
  L->type16 = type;
  if (!make_units(L, block_unit))
    return false;
  for (uint32_t i = 0; i < g->n; i++) {
    if (!expand_node(L, i, block_unit, order, &norder, placed))
      return false;
  }
  if (!outputs(L, type, order, &norder))
    return false;
  lo_unit *u = as_calloc(norder ? norder : 1, sizeof *u);
  uint32_t *back = as_arena_alloc(L->mem, (L->nu + 1) * sizeof *back);
  for (uint32_t i = 0; i < norder; i++) {
    u[i] = L->u[order[i]];
    back[order[i]] = i;
  }
  for (uint32_t i = 0; i < L->n; i++) {
    if (L->v[i].unit != NO)
      L->v[i].unit = back[L->v[i].unit];
  }
  free(L->u);
  L->u = u;
  L->nu = L->ucap = norder;
  return true;
}
