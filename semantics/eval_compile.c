/* Compiles one operator's body at concrete sizes: names become slots, sizes and attributes their
 * values. */
#include "eval_code.h"
#include <stdlib.h>
#include <string.h>

#define MAX_FUNC_DEPTH 32

typedef struct scope {
  const char *name;
  uint32_t slot;
  uint32_t n;
  bool list;
  as_size dim[AS_MAX_RANK];
  struct scope *up;
} scope;

typedef struct {
  as_opcode *o;
  as_sizes *S;
  const int64_t *env;
  const as_attr *attr;
  as_match m;
  as_err *err;
  const as_size (*adim)[AS_MAX_RANK];
  const uint32_t *arank;
  uint32_t nargs;
  scope *sc;
  const as_func *func;
  void **param;
  uint32_t depth; /* inside a function's definition */
} cc;

static bool bad(cc *c, const as_expr *e, const char *what, const char *name) {
  return as_err_set(c->err, AS_BAD_INPUT, "%s:%d:%d: operator %s: %s%s%s",
                    c->o->op->file ? c->o->op->file : "?", e ? e->line : c->o->op->line,
                    e ? e->col : 1, c->o->op->name, what, name ? " " : "", name ? name : "");
}

static void *elem(cc *c) {
  void *x = as_arena_alloc(c->o->mem, c->o->d->size);
  c->o->d->init(c->o->d, x);
  *(void **)as_vec_push(&c->o->elems, NULL) = x;
  return x;
}

static scope *bind(cc *c, const char *name, uint32_t n, bool list) {
  scope *s = as_arena_alloc(c->o->mem, sizeof *s);
  *s = (scope){.name = name, .slot = c->o->nslots, .n = n, .list = list, .up = c->sc};
  c->o->nslots += n;
  return c->sc = s;
}

static const scope *find(const cc *c, const char *name, bool list) {
  for (const scope *s = c->sc; s; s = s->up) {
    if (s->list == list && !strcmp(s->name, name))
      return s;
  }
  return NULL;
}

static const as_bind_list *find_list(const cc *c, const char *name) {
  for (uint32_t i = 0; i < c->m.nlist; i++) {
    if (!strcmp(c->m.list[i].name, name))
      return &c->m.list[i];
  }
  return NULL;
}

/* value of a name that stands for an integer: 0 unknown, 1 slot, 2 constant, 3 a rational attribute
 * (index in *v) */
static int find_int(const cc *c, const char *name, uint32_t *slot, int64_t *v) {
  const scope *s = find(c, name, false);
  if (s) {
    *slot = s->slot;
    return 1;
  }
  for (uint32_t i = 0; i < c->m.nsize; i++) {
    if (!strcmp(c->m.size[i].name, name)) {
      *v = as_size_eval(c->S, c->m.size[i].size, c->env);
      return 2;
    }
  }
  for (uint32_t i = 0; i < c->o->op->nattrs; i++) {
    if (!strcmp(c->o->op->attr[i], name)) {
      if (c->attr[i].is_size) {
        *v = as_size_eval(c->S, c->attr[i].size, c->env);
        return 2;
      }
      *v = i;
      return 3;
    }
  }
  return 0;
}

static bool small_int(mpq_srcptr q) {
  return !mpz_cmp_ui(mpq_denref(q), 1) && mpz_fits_slong_p(mpq_numref(q));
}

static bool is_int(const cc *c, const as_expr *e) {
  uint32_t s;
  int64_t v;
  switch (e->kind) {
  case AS_E_NUM:
    return small_int(e->num);
  case AS_E_NAME: {
    if (c->func)
      return false;
    int k = find_int(c, e->name, &s, &v);
    return k == 1 || k == 2 || (k == 3 && small_int(c->attr[v].num));
  }
  case AS_E_IF:
    return is_int(c, e->kid[1]) && is_int(c, e->kid[2]);
  case AS_E_ADD:
  case AS_E_SUB:
  case AS_E_MUL:
  case AS_E_NEG:
  case AS_E_IDIV:
  case AS_E_MOD:
  case AS_E_MAX2:
  case AS_E_MIN2:
  case AS_E_ABS:
    for (uint32_t i = 0; i < e->n; i++) {
      if (!is_int(c, e->kid[i]))
        return false;
    }
    return true;
  default:
    return false;
  }
}

static const cond *comp_cond(cc *c, const as_expr *e);

static const icode *comp_int(cc *c, const as_expr *e) {
  icode *r = as_arena_alloc(c->o->mem, sizeof *r);
  if (!is_int(c, e)) {
    bad(c, e, "an integer expression was expected", NULL);
    return NULL;
  }
  switch (e->kind) {
  case AS_E_NUM:
    r->k = I_CONST;
    r->v = mpz_get_si(mpq_numref(e->num));
    return r;
  case AS_E_NAME: {
    int k = find_int(c, e->name, &r->slot, &r->v);
    r->k = k == 1 ? I_SLOT : I_CONST;
    if (k == 3)
      r->v = mpz_get_si(mpq_numref(c->attr[r->v].num));
    if (k == 2 && r->v == INT64_MIN) {
      as_err_set(c->err, AS_NO, "operator %s: `%s` has no value at these sizes", c->o->op->name,
                 e->name);
      return NULL;
    }
    return r;
  }
  case AS_E_IF:
    r->k = I_IF;
    if (!(r->c = comp_cond(c, e->kid[0])) || !(r->a = comp_int(c, e->kid[1])) ||
        !(r->b = comp_int(c, e->kid[2])))
      return NULL;
    return r;
  case AS_E_ADD:
    r->k = I_ADD;
    break;
  case AS_E_SUB:
    r->k = I_SUB;
    break;
  case AS_E_MUL:
    r->k = I_MUL;
    break;
  case AS_E_NEG:
    r->k = I_NEG;
    break;
  case AS_E_IDIV:
    r->k = I_DIV;
    break;
  case AS_E_MOD:
    r->k = I_MOD;
    break;
  case AS_E_MAX2:
    r->k = I_MAX;
    break;
  case AS_E_MIN2:
    r->k = I_MIN;
    break;
  case AS_E_ABS:
    r->k = I_ABS;
    break;
  default:
    bad(c, e, "an integer expression was expected", NULL);
    return NULL;
  }
  if (!(r->a = comp_int(c, e->kid[0])) || (e->n > 1 && !(r->b = comp_int(c, e->kid[1]))))
    return NULL;
  return r;
}

static code *comp(cc *c, const as_expr *e);

static const cond *comp_cond(cc *c, const as_expr *e) {
  cond *r = as_arena_alloc(c->o->mem, sizeof *r);
  switch (e->kind) {
  case AS_E_REL: {
    const as_expr *a = e->kid[0];
    const as_expr *b = e->kid[1];
    r->rel = (as_rel)e->rel;
    if (is_int(c, a) && is_int(c, b)) {
      r->k = C_INTREL;
      return (r->ia = comp_int(c, a)) && (r->ib = comp_int(c, b)) ? r : NULL;
    }
    r->k = C_REL;
    return (r->a = comp(c, a)) && (r->b = comp(c, b)) ? r : NULL;
  }
  case AS_E_AND:
  case AS_E_OR:
    r->k = e->kind == AS_E_AND ? C_AND : C_OR;
    return (r->x = comp_cond(c, e->kid[0])) && (r->y = comp_cond(c, e->kid[1])) ? r : NULL;
  case AS_E_NOT:
    r->k = C_NOT;
    return (r->x = comp_cond(c, e->kid[0])) ? r : NULL;
  default:
    bad(c, e, "a condition was expected", NULL);
    return NULL;
  }
}

static const icode *ix_slot(cc *c, uint32_t slot) {
  icode *r = as_arena_alloc(c->o->mem, sizeof *r);
  *r = (icode){.k = I_SLOT, .slot = slot};
  return r;
}

static bool literal_one(const as_sizes *S, as_size s) {
  long v;
  return as_size_is_const(S, s, &v) && v == 1;
}

/* `~o`: indices of ..o adapted to axes first..first+n-1 of argument a (section 2) */
static bool comp_bcast(cc *c, const as_expr *e, const scope *o, const as_size *dim, uint32_t n,
                       const icode **out) {
  if (n > o->n)
    return bad(c, e, "more axes than the broadcast shape of", o->name);
  for (uint32_t j = 0; j < n; j++) {
    uint32_t at = o->n - n + j;
    if (literal_one(c->S, dim[j]) && !literal_one(c->S, o->dim[at]))
      out[j] = as_arena_alloc(c->o->mem, sizeof(icode)); /* zeroed: constant 0 */
    else
      out[j] = ix_slot(c, o->slot + at);
  }
  return true;
}

static code *comp_access(cc *c, const as_expr *e, code *r) {
  uint32_t target = UINT32_MAX;
  uint32_t a = 0;
  for (a = 0; a < c->o->nlet; a++) {
    if (c->o->let[a].body && !strcmp(c->o->let[a].name, e->name))
      break;
  }
  if (a < c->o->nlet) {
    r->k = S_LET;
    target = c->o->let[a].nix;
  } else {
    for (a = 0; a < c->nargs; a++) {
      if (!strcmp(c->o->op->arg[a].name, e->name))
        break;
    }
    if (a == c->nargs) {
      bad(c, e, "unknown tensor", e->name);
      return NULL;
    }
    r->k = S_ARG;
    target = c->arank[a];
  }
  r->which = a;
  r->name = e->name;
  const icode *ix[4 * AS_MAX_RANK];
  uint32_t n = 0;
  for (uint32_t i = 0; i < e->n; i++) {
    if (n + AS_MAX_RANK > 4 * AS_MAX_RANK) {
      bad(c, e, "too many indices of", e->name);
      return NULL;
    }
    if (e->acc[i] == AS_IX_SCALAR) {
      if (!(ix[n++] = comp_int(c, e->kid[i])))
        return NULL;
      continue;
    }
    const scope *s = find(c, e->acc_name[i], true);
    if (!s) {
      bad(c, e, "unknown index list", e->acc_name[i]);
      return NULL;
    }
    if (e->acc[i] == AS_IX_LIST) {
      for (uint32_t j = 0; j < s->n; j++)
        ix[n++] = ix_slot(c, s->slot + j);
      continue;
    }
    uint32_t others = 0;
    for (uint32_t j = 0; j < e->n; j++) {
      if (j != i) {
        const scope *t = e->acc[j] == AS_IX_LIST ? find(c, e->acc_name[j], true) : NULL;
        if (e->acc[j] == AS_IX_BCAST || r->k != S_ARG) {
          bad(c, e, "only one broadcast index list, of an argument, can be adapted in", e->name);
          return NULL;
        }
        others += e->acc[j] == AS_IX_SCALAR ? 1 : t ? t->n : 0;
      }
    }
    if (r->k != S_ARG || others > target) {
      bad(c, e, "an index list cannot be adapted to", e->name);
      return NULL;
    }
    if (!comp_bcast(c, e, s, c->adim[a] + n, target - others, ix + n))
      return NULL;
    n += target - others;
  }
  if (n != target) {
    bad(c, e, "wrong number of indices of", e->name);
    return NULL;
  }
  r->nix = n;
  r->ix = as_arena_alloc(c->o->mem, (n + 1) * sizeof *r->ix);
  memcpy(r->ix, ix, n * sizeof *ix);
  return r;
}

static code *comp_call(cc *c, const as_expr *e, code *r) {
  const as_func *f = e->func;
  if (!f || f->n != e->n) {
    bad(c, e, "wrong call of function", e->name);
    return NULL;
  }
  if (c->depth >= MAX_FUNC_DEPTH) {
    bad(c, e, "functions defined through each other:", e->name);
    return NULL;
  }
  r->n = e->n;
  r->kid = as_arena_alloc(c->o->mem, (e->n + 2) * sizeof *r->kid);
  r->param = as_arena_alloc(c->o->mem, (e->n + 1) * sizeof *r->param);
  for (uint32_t i = 0; i < e->n; i++) {
    if (!(r->kid[i] = comp(c, e->kid[i])))
      return NULL;
    r->param[i] = elem(c);
  }
  r->name = f->name;
  r->k = f->body ? S_FUNC : S_BUILTIN;
  if (!f->body)
    return r;
  const as_func *func = c->func;
  void **param = c->param;
  c->func = f;
  c->param = r->param;
  c->depth++;
  r->kid[e->n] = comp(c, f->body);
  c->depth--;
  c->func = func;
  c->param = param;
  return r->kid[e->n] ? r : NULL;
}

static code *comp_name(cc *c, const as_expr *e, code *r) {
  if (c->func) {
    for (uint32_t i = 0; i < c->func->n; i++) {
      if (!strcmp(c->func->param[i], e->name)) {
        r->k = S_PARAM;
        r->from = c->param[i];
        return r;
      }
    }
    bad(c, e, "unknown name", e->name);
    return NULL;
  }
  uint32_t s;
  int64_t v;
  switch (find_int(c, e->name, &s, &v)) {
  case 1:
  case 2:
    r->k = S_INT;
    return (r->i = comp_int(c, e)) ? r : NULL;
  case 3:
    r->k = S_CONST;
    r->from = elem(c);
    c->o->d->from_q(c->o->d, r->from, c->attr[v].num);
    return r;
  default: {
    /* a let without indices may be read without brackets */
    for (uint32_t a = 0; a < c->o->nlet; a++) {
      if (c->o->let[a].body && !c->o->let[a].nix && !strcmp(c->o->let[a].name, e->name)) {
        r->k = S_LET;
        r->which = a;
        return r;
      }
    }
    bad(c, e, "unknown name", e->name);
    return NULL;
  }
  }
}

static code *comp_reduce(cc *c, const as_expr *e, code *r) {
  r->k = e->kind == AS_E_SUM    ? S_SUM
         : e->kind == AS_E_PROD ? S_PROD
         : e->kind == AS_E_MAXR ? S_MAXR
                                : S_MINR;
  if (c->func) {
    bad(c, e, "a reduction cannot stand in a function", NULL);
    return NULL;
  }
  if (!(r->i = comp_int(c, e->kid[0])))
    return NULL;
  scope *old = c->sc;
  r->slot = bind(c, e->name, 1, false)->slot;
  r->kid = as_arena_alloc(c->o->mem, sizeof *r->kid);
  r->n = 1;
  r->kid[0] = comp(c, e->kid[1]);
  c->sc = old;
  return r->kid[0] ? r : NULL;
}

static code *comp(cc *c, const as_expr *e) {
  code *r = as_arena_alloc(c->o->mem, sizeof *r);
  r->line = e->line;
  r->col = e->col;
  uint32_t first = 0;
  switch (e->kind) {
  case AS_E_NUM:
    r->k = S_CONST;
    r->from = elem(c);
    c->o->d->from_q(c->o->d, r->from, e->num);
    return r;
  case AS_E_NAME:
    return comp_name(c, e, r);
  case AS_E_ACCESS:
    if (c->func) {
      bad(c, e, "a function cannot read the tensor", e->name);
      return NULL;
    }
    return comp_access(c, e, r);
  case AS_E_CALL:
    return comp_call(c, e, r);
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR:
    r->tmp[0] = elem(c);
    return comp_reduce(c, e, r);
  case AS_E_IDIV:
  case AS_E_MOD:
    if (is_int(c, e)) {
      r->k = S_INT;
      return (r->i = comp_int(c, e)) ? r : NULL;
    }
    r->k = e->kind == AS_E_IDIV ? S_IDIV : S_MOD;
    break;
  case AS_E_ADD:
    r->k = S_ADD;
    break;
  case AS_E_SUB:
    r->k = S_SUB;
    break;
  case AS_E_MUL:
    r->k = S_MUL;
    break;
  case AS_E_FDIV:
    r->k = S_DIV;
    break;
  case AS_E_NEG:
    r->k = S_UN;
    r->un = AS_U_NEG;
    break;
  case AS_E_EXP:
    r->k = S_UN;
    r->un = AS_U_EXP;
    break;
  case AS_E_LOG:
    r->k = S_UN;
    r->un = AS_U_LOG;
    break;
  case AS_E_SQRT:
    r->k = S_UN;
    r->un = AS_U_SQRT;
    break;
  case AS_E_INV:
    r->k = S_UN;
    r->un = AS_U_INV;
    break;
  case AS_E_ABS:
    r->k = S_ABS;
    break;
  case AS_E_MAX2:
    r->k = S_MAX2;
    break;
  case AS_E_MIN2:
    r->k = S_MIN2;
    break;
  case AS_E_IF:
    r->k = S_IF;
    first = 1;
    if (!(r->c = comp_cond(c, e->kid[0])))
      return NULL;
    break;
  default:
    bad(c, e, "a condition cannot stand here", NULL);
    return NULL;
  }
  r->n = e->n - first;
  r->kid = as_arena_alloc(c->o->mem, (r->n + 1) * sizeof *r->kid);
  for (uint32_t i = 0; i < r->n; i++) {
    if (!(r->kid[i] = comp(c, e->kid[first + i])))
      return NULL;
  }
  r->tmp[0] = elem(c);
  if (r->k == S_ABS || r->k == S_IF || r->k == S_IDIV || r->k == S_MOD)
    r->tmp[1] = elem(c);
  return r;
}

/* binds the names on a left side; the total number of indices in *n */
static bool bind_left(cc *c, const as_let *l, uint32_t *n) {
  *n = 0;
  for (uint32_t i = 0; i < l->n; i++) {
    if (!l->ix[i].is_list) {
      bind(c, l->ix[i].name, 1, false);
      ++*n;
      continue;
    }
    const as_bind_list *b = find_list(c, l->ix[i].name);
    if (!b)
      return bad(c, NULL, "unknown index list", l->ix[i].name);
    scope *s = bind(c, l->ix[i].name, b->n, true);
    memcpy(s->dim, b->dim, sizeof(as_size) * b->n);
    *n += b->n;
  }
  return true;
}

static bool check_facts(cc *c, const as_vec *facts) {
  for (size_t i = 0; i < facts->n; i++) {
    const as_size_fact *f = &AS_VEC_AT(facts, as_size_fact, i);
    if (as_fact_holds(c->S, f, c->env))
      continue;
    static const char *const sym[] = {"=", "!=", "<=", "<"};
    char *a = as_size_print(c->S, f->lhs);
    char *b = as_size_print(c->S, f->rhs);
    as_err_set(c->err, AS_NO, "operator %s: %s %s %s does not hold at these sizes", c->o->op->name,
               a, sym[f->rel], b);
    free(a);
    free(b);
    return false;
  }
  return true;
}

static bool compile(cc *c) {
  as_opcode *o = c->o;
  const as_opdef *op = o->op;
  as_size outdim[AS_MAX_RANK];
  as_vec facts;
  as_vec_init(&facts, sizeof(as_size_fact));
  bool ok = as_opdef_match(c->S, op, c->adim, c->arank, c->nargs, c->attr, &c->m, outdim,
                           &o->outrank, &facts, c->err) &&
            check_facts(c, &facts);
  as_vec_clear(&facts);
  if (!ok)
    return false;
  for (uint32_t i = 0; i < o->outrank; i++) {
    o->outdim[i] = as_size_eval(c->S, outdim[i], c->env);
    if (o->outdim[i] < 0) {
      return as_err_set(c->err, AS_NO, "operator %s: extent %u of the result is not a size here",
                        op->name, i);
    }
  }
  if (!op->nlet)
    return bad(c, NULL, "has no definition of out", NULL);
  o->nlet = op->nlet - 1;
  o->let = as_arena_alloc(o->mem, (op->nlet + 1) * sizeof *o->let);
  for (uint32_t i = 0; i < op->nlet; i++) {
    const as_let *l = &op->let[i];
    c->sc = NULL;
    uint32_t first = o->nslots;
    uint32_t n;
    if (!bind_left(c, l, &n))
      return false;
    code *body = comp(c, l->body);
    if (!body)
      return false;
    if (i + 1 == op->nlet) {
      if (n != o->outrank)
        return bad(c, NULL, "out has another rank than the declared shape", NULL);
      o->out = body;
      o->out_slot = first;
      break;
    }
    letcode *L = &o->let[i];
    L->name = l->name;
    L->nix = n;
    as_map_init(&L->known, n);
    L->slot = as_arena_alloc(o->mem, (n + 1) * sizeof *L->slot);
    for (uint32_t j = 0; j < n; j++)
      L->slot[j] = first + j;
    L->body = body;
  }
  o->slot = as_arena_alloc(o->mem, (o->nslots + 1) * sizeof *o->slot);
  return true;
}

as_opcode *as_opcode_new(as_sizes *S, const as_opdef *op, const as_size (*adim)[AS_MAX_RANK],
                         const uint32_t *arank, uint32_t nargs, const as_attr *attr,
                         const as_domain *d, const int64_t *env, as_err *err) {
  as_opcode *o = as_calloc(1, sizeof *o);
  o->op = op;
  o->d = d;
  o->mem = as_arena_new();
  as_vec_init(&o->elems, sizeof(void *));
  cc c = {.o = o,
          .S = S,
          .env = env,
          .attr = attr,
          .err = err,
          .adim = adim,
          .arank = arank,
          .nargs = nargs};
  if (compile(&c))
    return o;
  as_opcode_free(o);
  return NULL;
}

void as_opcode_free(as_opcode *o) {
  if (!o)
    return;
  for (size_t i = 0; i < o->elems.n; i++)
    o->d->clear(o->d, AS_VEC_AT(&o->elems, void *, i));
  as_vec_clear(&o->elems);
  for (uint32_t i = 0; o->let && i < o->nlet; i++) {
    as_map_clear(&o->let[i].known);
    as_dom_free(o->d, o->let[i].val, o->let[i].cap);
  }
  as_arena_free(o->mem);
  free(o);
}

void as_opcode_dims(const as_opcode *c, int64_t *dim, uint32_t *rank) {
  *rank = c->outrank;
  memcpy(dim, c->outdim, c->outrank * sizeof *dim);
}

as_status as_func_run(const as_func *f, const as_domain *d, const void *const *arg, void *out,
                      as_err *err) {
  as_expr name[AS_MAX_ARGS];
  as_expr *kid[AS_MAX_ARGS];
  as_expr call;
  const char *param[AS_MAX_ARGS];
  as_opdef op = {.name = f->name};
  if (f->n > AS_MAX_ARGS) {
    as_err_set(err, AS_BAD_INPUT, "function %s has more than %d parameters", f->name, AS_MAX_ARGS);
    return AS_BAD_INPUT;
  }
  /* compiled as the body of a function that calls it */
  memset(name, 0, sizeof name);
  memset(&call, 0, sizeof call);
  for (uint32_t i = 0; i < f->n; i++) {
    param[i] = f->param[i];
    name[i].kind = AS_E_NAME;
    name[i].name = f->param[i];
    kid[i] = &name[i];
  }
  call.kind = AS_E_CALL;
  call.name = f->name;
  call.func = f;
  call.n = f->n;
  call.kid = kid;
  as_func outer = {.name = f->name, .n = f->n, .param = param, .body = &call};
  as_opcode *o = as_calloc(1, sizeof *o);
  o->op = &op;
  o->d = d;
  o->mem = as_arena_new();
  as_vec_init(&o->elems, sizeof(void *));
  cc c = {.o = o, .err = err, .func = &outer};
  c.param = as_arena_alloc(o->mem, (f->n + 1) * sizeof *c.param);
  for (uint32_t i = 0; i < f->n; i++)
    d->set(d, c.param[i] = elem(&c), arg[i]);
  as_status s = AS_BAD_INPUT;
  o->slot = as_arena_alloc(o->mem, sizeof *o->slot);
  if ((o->out = comp(&c, &call)))
    s = as_opcode_value(o, out, err);
  as_opcode_free(o);
  return s;
}
