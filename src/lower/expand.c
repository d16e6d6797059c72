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

uint32_t lo_new_val(lo *job, lv_kind kind, const char *name, int rank, const long *dim) {
  if (job->n == job->cap) {
    job->cap = job->cap ? 2 * job->cap : 64;
    job->v = as_realloc(job->v, job->cap * sizeof *job->v);
  }
  lo_val *value = &job->v[job->n];
  memset(value, 0, sizeof *value);
  value->kind = kind;
  value->name = as_arena_strdup(job->mem, name);
  value->rank = rank;
  for (int i = 0; i < rank; i++)
    value->dim[i] = dim[i];
  value->src = value->of = value->run = value->fused_acc = NO;
  value->level = value->level16 = -1;
  value->unit = NO;
  for (int i = 0; i < 8; i++)
    value->gaxis[i] = -1;
  return job->n++;
}

static lx *fail(ctx *scope, const char *fmt, const char *what) {
  if (!scope->bad)
    as_err_set(scope->L->err, AS_BAD_INPUT, fmt, what, scope->op->name);
  scope->bad = true;
  return lx_int(scope->L, 0);
}

static bool size_value(lo *job, as_size size, long *out) {
  int64_t value = as_size_eval(job->g->sizes, size, job->env);
  *out = (long)value;
  if (value != INT64_MIN && value >= 0)
    return true;
  char *printed = as_size_print(job->g->sizes, size);
  as_err_set(job->err, AS_BAD_INPUT, "the size %s has no value at these sizes", printed);
  free(printed);
  return false;
}

static const bound *find_bound(const ctx *scope, const char *name, bool list) {
  for (int i = scope->nb; i-- > 0;) {
    if (scope->b[i].list == list && !strcmp(scope->b[i].name, name))
      return &scope->b[i];
  }
  return NULL;
}

static void bind(ctx *scope, const char *name, bool list, int n, lx *const *values) {
  if (scope->nb == MAX_BOUND) {
    fail(scope, "too many names in scope at %s in operator %s", name);
    return;
  }
  bound *binding = &scope->b[scope->nb++];
  binding->name = name;
  binding->list = list;
  binding->n = n;
  for (int i = 0; i < n; i++)
    binding->v[i] = values[i];
}

static lx *rational(lo *job, const mpq_t number) {
  if (!mpz_cmp_ui(mpq_denref(number), 1) && mpz_fits_slong_p(mpq_numref(number)))
    return lx_int(job, mpz_get_si(mpq_numref(number)));
  return lx_num(job, mpq_get_d(number));
}

static lx *tr(ctx *c, const as_expr *e);

static lx *tr_name(ctx *scope, const as_expr *expr) {
  const bound *binding = find_bound(scope, expr->name, false);
  if (binding)
    return binding->v[0];
  for (uint32_t i = 0; i < scope->op->nattrs; i++) {
    if (strcmp(scope->op->attr[i], expr->name))
      continue;
    if (!scope->attr[i].is_size)
      return rational(scope->L, scope->attr[i].num);
    int64_t value = as_size_eval(scope->L->g->sizes, scope->attr[i].size, scope->L->env);
    if (value == INT64_MIN)
      return fail(scope, "attribute %s of %s has no value at these sizes", expr->name);
    return lx_int(scope->L, (long)value);
  }
  for (uint32_t i = 0; i < scope->m->nsize; i++) {
    if (strcmp(scope->m->size[i].name, expr->name))
      continue;
    long value;
    if (!size_value(scope->L, scope->m->size[i].size, &value)) {
      scope->bad = true;
      value = 1;
    }
    return lx_int(scope->L, value);
  }
  return fail(scope, "unknown name %s in operator %s", expr->name);
}

/* index list of an access; rank: of the tensor accessed, -1 for a let */
static int tr_access(ctx *scope, const as_expr *expr, int rank, const long *dim, lx **idx) {
  int n = 0;
  int other = 0;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->acc[i] == AS_IX_SCALAR) {
      other++;
    } else if (expr->acc[i] == AS_IX_LIST) {
      const bound *binding = find_bound(scope, expr->acc_name[i], true);
      other += binding ? binding->n : 0;
    }
  }
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->acc[i] == AS_IX_SCALAR) {
      if (n < 8)
        idx[n++] = tr(scope, expr->kid[i]);
      continue;
    }
    const bound *binding = find_bound(scope, expr->acc_name[i], true);
    if (!binding) {
      fail(scope, "unknown index list %s in operator %s", expr->acc_name[i]);
      return 0;
    }
    if (expr->acc[i] == AS_IX_LIST) {
      for (int j = 0; j < binding->n && n < 8; j++)
        idx[n++] = binding->v[j];
    } else {
      int take = rank - other;
      for (int j = 0; j < take && n < 8; j++, n++) {
        int from = binding->n - take + j;
        idx[n] = from < 0 || dim[n] == 1 ? lx_int(scope->L, 0) : binding->v[from];
      }
    }
  }
  return n;
}

static lx *tr_let(ctx *scope, const as_let *let, const as_expr *expr) {
  lx *idx[8];
  int n = tr_access(scope, expr, -1, NULL, idx);
  int keep = scope->nb;
  int position = 0;
  if (++scope->depth > 32)
    return fail(scope, "definitions of %s in operator %s are cyclic", let->name);
  for (uint32_t i = 0; i < let->n; i++) {
    int take = 1;
    if (let->ix[i].is_list) {
      take = -1;
      for (uint32_t j = 0; j < scope->m->nlist; j++) {
        if (!strcmp(scope->m->list[j].name, let->ix[i].name))
          take = (int)scope->m->list[j].n;
      }
      if (take < 0) {
        const bound *binding = find_bound(scope, let->ix[i].name, true);
        take = binding ? binding->n : 0;
      }
    }
    if (position + take > n)
      return fail(scope, "access of %s in operator %s has too few indices", let->name);
    bind(scope, let->ix[i].name, let->ix[i].is_list, take, idx + position);
    position += take;
  }
  lx *result = tr(scope, let->body);
  scope->nb = keep;
  scope->depth--;
  return result;
}

static lx *tr_ref(ctx *scope, const as_expr *expr) {
  for (uint32_t i = 0; i < scope->op->nargs; i++) {
    if (strcmp(scope->op->arg[i].name, expr->name))
      continue;
    const lo_val *tensor = &scope->L->v[scope->arg[i]];
    if (tensor->kind == LV_CONST)
      return lx_num(scope->L, tensor->num);
    lx *idx[8];
    int n = tr_access(scope, expr, tensor->rank, tensor->dim, idx);
    if (n != scope->L->v[scope->arg[i]].rank)
      return fail(scope, "access of %s in operator %s does not have the tensor's rank", expr->name);
    return lx_ref(scope->L, scope->arg[i], n, idx);
  }
  for (uint32_t i = 0; i + 1 < scope->op->nlet; i++) {
    if (!strcmp(scope->op->let[i].name, expr->name))
      return tr_let(scope, &scope->op->let[i], expr);
  }
  return fail(scope, "unknown tensor %s in operator %s", expr->name);
}

static lx *tr_fold(ctx *scope, const as_expr *expr) {
  lx *bound_ = tr(scope, expr->kid[0]);
  if (bound_->op != LX_INT)
    return fail(scope, "the bound of %s in operator %s is not a size", expr->name);
  if (scope->nvar == MAX_VARS)
    return fail(scope, "too many indices at %s in operator %s", expr->name);
  lx *fold = lx_new(scope->L, LX_FOLD, 1);
  lx *variable = lx_var(scope->L, scope->nvar);
  fold->var = scope->nvar;
  fold->i = bound_->i;
  scope->ext[scope->nvar++] = bound_->i;
  fold->red = expr->kind == AS_E_SUM    ? LO_SUM
              : expr->kind == AS_E_PROD ? LO_PROD
              : expr->kind == AS_E_MAXR ? LO_MAX
                                        : LO_MIN;
  int keep = scope->nb;
  bind(scope, expr->name, false, 1, &variable);
  fold->kid[0] = tr(scope, expr->kid[1]);
  scope->nb = keep;
  return fold;
}

static lx *tr_call(ctx *scope, const as_expr *expr) {
  lx *args[8];
  if (expr->n > 8 || !expr->func)
    return fail(scope, "call of %s in operator %s is not known", expr->name);
  for (uint32_t i = 0; i < expr->n; i++)
    args[i] = tr(scope, expr->kid[i]);
  if (!expr->func->body) {
    lx *result = lx_new(scope->L, LX_CALL, (int)expr->n);
    result->fn = expr->func->name;
    memcpy(result->kid, args, expr->n * sizeof *args);
    return result;
  }
  if (++scope->depth > 32)
    return fail(scope, "definitions of %s in operator %s are cyclic", expr->name);
  int keep = scope->nb;
  for (uint32_t i = 0; i < expr->n; i++)
    bind(scope, expr->func->param[i], false, 1, &args[i]);
  lx *result = tr(scope, expr->func->body);
  scope->nb = keep;
  scope->depth--;
  return result;
}

static const lx_op simple_op[] = {
    [AS_E_ADD] = LX_ADD,   [AS_E_SUB] = LX_SUB,   [AS_E_MUL] = LX_MUL, [AS_E_FDIV] = LX_FDIV,
    [AS_E_IDIV] = LX_IDIV, [AS_E_MOD] = LX_MOD,   [AS_E_NEG] = LX_NEG, [AS_E_EXP] = LX_EXP,
    [AS_E_LOG] = LX_LOG,   [AS_E_SQRT] = LX_SQRT, [AS_E_INV] = LX_INV, [AS_E_ABS] = LX_ABS,
    [AS_E_MAX2] = LX_MAX,  [AS_E_MIN2] = LX_MIN,  [AS_E_IF] = LX_IF,   [AS_E_AND] = LX_AND,
    [AS_E_OR] = LX_OR,     [AS_E_NOT] = LX_NOT};

static lx *tr(ctx *scope, const as_expr *expr) {
  if (scope->bad)
    return lx_int(scope->L, 0);
  lx *k[3];
  switch (expr->kind) {
  case AS_E_NUM:
    return rational(scope->L, expr->num);
  case AS_E_NAME:
    return tr_name(scope, expr);
  case AS_E_ACCESS:
    return tr_ref(scope, expr);
  case AS_E_CALL:
    return tr_call(scope, expr);
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR:
    return tr_fold(scope, expr);
  case AS_E_REL:
    k[0] = tr(scope, expr->kid[expr->swap]);
    k[1] = tr(scope, expr->kid[!expr->swap]);
    return lx_mk(scope->L,
                 expr->rel == AS_REL_EQ   ? LX_EQ
                 : expr->rel == AS_REL_NE ? LX_NE
                 : expr->rel == AS_REL_LE ? LX_LE
                                          : LX_LT,
                 2, k);
  default:
    break;
  }
  for (uint32_t i = 0; i < expr->n && i < 3; i++)
    k[i] = tr(scope, expr->kid[i]);
  if (expr->kind == AS_E_FDIV && k[0]->op == LX_INT && k[1]->op == LX_INT && k[1]->i)
    return lx_num(scope->L, (double)k[0]->i / (double)k[1]->i);
  return lx_mk(scope->L, simple_op[expr->kind], (int)expr->n, k);
}

static bool same_val(const lo_val *left, const lo_val *right) {
  if (left->kind != right->kind || left->rank != right->rank || left->red != right->red ||
      left->extent != right->extent || left->unit != right->unit)
    return false;
  return !memcmp(left->dim, right->dim, sizeof left->dim) && lx_equal(left->body, right->body);
}

/* reductions, innermost first, become values over the variables that occur in them */
static lx *hoist(ctx *scope, lx *expr) {
  if (!expr->n || scope->bad)
    return expr;
  lx *k[9];
  bool same = true;
  for (int i = 0; i < expr->n; i++) {
    k[i] = hoist(scope, expr->kid[i]);
    same = same && k[i] == expr->kid[i];
  }
  if (expr->op == LX_REF)
    return expr;
  if (expr->op != LX_FOLD) {
    if (same)
      return expr;
    lx *result = lx_mk(scope->L, expr->op, expr->n, k);
    result->fn = expr->fn;
    return result;
  }
  lx *inner[MAX_VARS] = {0};
  lx *outer[8];
  long dim[8];
  int rank = 0;
  for (int i = 0; i < scope->nvar; i++) {
    if (i == expr->var || !lx_uses_var(k[0], i))
      continue;
    if (rank == 8)
      return fail(scope, "a reduction depends on more than 8 indices%s in operator %s", "");
    inner[i] = lx_var(scope->L, rank);
    outer[rank] = lx_var(scope->L, i);
    dim[rank++] = scope->ext[i];
  }
  inner[expr->var] = lx_var(scope->L, rank);
  char *name = as_format("%s_%u", scope->node->name ? scope->node->name : scope->op->name,
                         scope->L->n - scope->first);
  uint32_t id = lo_new_val(scope->L, LV_RED, name, rank, dim);
  free(name);
  lo_val *value = &scope->L->v[id];
  value->red = expr->red;
  value->extent = expr->i;
  value->unit = scope->unit;
  long ext[9];
  for (int i = 0; i < rank; i++)
    ext[i] = dim[i];
  ext[rank] = expr->i;
  value->body = lx_simplify(scope->L, lx_subst(scope->L, k[0], inner, scope->nvar), ext, rank + 1);
  for (uint32_t i = scope->first; i < id; i++) {
    if (same_val(&scope->L->v[i], value)) {
      scope->L->n--;
      id = i;
      break;
    }
  }
  return lx_ref(scope->L, id, rank, outer);
}

static bool check_facts(lo *job, const as_vec *facts, const char *where) {
  for (size_t i = 0; i < facts->n; i++) {
    const as_size_fact *fact = &AS_VEC_AT(facts, as_size_fact, i);
    int64_t left = as_size_eval(job->g->sizes, fact->lhs, job->env);
    int64_t right = as_size_eval(job->g->sizes, fact->rhs, job->env);
    bool ok = left != INT64_MIN && right != INT64_MIN &&
              (fact->rel == AS_REL_EQ   ? left == right
               : fact->rel == AS_REL_NE ? left != right
               : fact->rel == AS_REL_LE ? left <= right
                                        : left < right);
    if (ok)
      continue;
    static const char *const rel[] = {"=", "!=", "<=", "<"};
    char *left_text = as_size_print(job->g->sizes, fact->lhs);
    char *right_text = as_size_print(job->g->sizes, fact->rhs);
    as_err_set(job->err, AS_BAD_INPUT, "%s: the relation %s %s %s does not hold at these sizes",
               where, left_text, rel[fact->rel], right_text);
    free(left_text);
    free(right_text);
    return false;
  }
  return true;
}

static bool node_dims(lo *job, const as_node *node, long *dim) {
  for (uint32_t i = 0; i < node->rank; i++) {
    if (!size_value(job, node->dim[i], &dim[i]))
      return false;
  }
  return true;
}

static uint32_t expand_op(lo *job, const as_node *node, uint32_t unit) {
  as_size argdim[AS_MAX_ARGS][8];
  as_size outdim[8];
  uint32_t argrank[AS_MAX_ARGS];
  uint32_t outrank = 0;
  uint32_t arg[AS_MAX_ARGS];
  as_match match;
  memset(&match, 0, sizeof match);
  memset(argdim, 0, sizeof argdim);
  for (uint32_t i = 0; i < node->nargs; i++) {
    const as_node *arg_node = &job->g->node[node->arg[i]];
    argrank[i] = arg_node->rank;
    arg[i] = job->node_val[node->arg[i]];
    memcpy(argdim[i], arg_node->dim, sizeof arg_node->dim);
  }
  as_vec facts;
  as_vec_init(&facts, sizeof(as_size_fact));
  bool ok = as_opdef_match(job->g->sizes, node->op, (const as_size(*)[8])argdim, argrank,
                           node->nargs, node->attr, &match, outdim, &outrank, &facts, job->err) &&
            check_facts(job, &facts, node->name ? node->name : node->op->name);
  as_vec_clear(&facts);
  if (!ok)
    return NO;
  ctx scope = {.L = job,
               .op = node->op,
               .m = &match,
               .attr = node->attr,
               .node = node,
               .arg = arg,
               .unit = unit,
               .first = job->n};
  long dim[8];
  if (!node_dims(job, node, dim))
    return NO;
  lx *index[8];
  for (uint32_t i = 0; i < node->rank; i++) {
    scope.ext[i] = dim[i];
    index[i] = lx_var(job, (int)i);
  }
  scope.nvar = (int)node->rank;
  const as_let *out = &node->op->let[node->op->nlet - 1];
  uint32_t lists = 0;
  uint32_t position = 0;
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
      for (uint32_t j = 0; j < match.nlist; j++) {
        if (!strcmp(match.list[j].name, out->ix[i].name))
          take = match.list[j].n;
      }
      if (take == NO)
        take = lists == 1 ? node->rank - fixed : 0;
    }
    if (position + take > node->rank) {
      fail(&scope, "indices of %s do not fit the result's rank in operator %s", "out");
      return NO;
    }
    bind(&scope, out->ix[i].name, out->ix[i].is_list, (int)take, index + position);
    position += take;
  }
  lx *body = hoist(&scope, tr(&scope, out->body));
  if (scope.bad)
    return NO;
  body = lx_simplify(job, body, dim, (int)node->rank);
  const char *name = node->name ? node->name : node->op->name;
  if (body->op == LX_REF && body->val >= scope.first) { /* the result is one reduction */
    bool same = (uint32_t)body->n == node->rank;
    for (int i = 0; same && i < body->n; i++) {
      same = (body->kid[i]->op == LX_VAR && body->kid[i]->i == i) ||
             (body->kid[i]->op == LX_INT && dim[i] == 1 && job->v[body->val].dim[i] == 1);
    }
    if (same) {
      job->v[body->val].name = as_arena_strdup(job->mem, name);
      return body->val;
    }
  }
  uint32_t id = lo_new_val(job, LV_MAP, name, (int)node->rank, dim);
  job->v[id].body = body;
  job->v[id].unit = unit;
  return id;
}

static uint32_t new_unit(lo *job, const char *name) {
  if (job->nu == job->ucap) {
    job->ucap = job->ucap ? 2 * job->ucap : 16;
    job->u = as_realloc(job->u, job->ucap * sizeof *job->u);
  }
  lo_unit *unit = &job->u[job->nu];
  memset(unit, 0, sizeof *unit);
  unit->name = as_arena_strdup(job->mem, name);
  unit->loop = 1;
  return job->nu++;
}

void lo_unit_add(lo *job, lo_unit *unit, uint32_t val) {
  uint32_t *longer = as_arena_alloc(job->mem, (unit->n + 1) * sizeof *longer);
  if (unit->n)
    memcpy(longer, unit->val, unit->n * sizeof *longer);
  longer[unit->n++] = val;
  unit->val = longer;
  job->v[val].unit = (uint32_t)(unit - job->u);
}

static uint32_t flat_unit(lo *job, uint32_t val) {
  uint32_t unit_id = new_unit(job, job->v[val].name);
  job->u[unit_id].flat = true;
  job->u[unit_id].flat_val = val;
  job->v[val].unit = unit_id;
  job->v[val].place = LP_GLOBAL;
  job->v[val].gclass = LG_WORK;
  job->v[val].dtype = AS_F32;
  return unit_id;
}

static bool expand_load(lo *job, const as_node *node, uint32_t unit_id, uint32_t *out) {
  long dim[8];
  const lo_unit *unit = &job->u[unit_id];
  if (!node_dims(job, node, dim))
    return false;
  uint32_t id = lo_new_val(job, LV_LOAD, node->name, (int)node->rank, dim);
  uint32_t src = job->node_val[node->arg[0]];
  lo_val *value = &job->v[id];
  value->src = src;
  if (job->v[src].kind == LV_CONST)
    return as_err_set(job->err, AS_BAD_INPUT, "%s: a constant cannot be loaded", node->name);
  for (int grid_axis = 0; grid_axis < 3; grid_axis++) {
    if (node->map[grid_axis] >= 0)
      value->gaxis[node->map[grid_axis]] = grid_axis;
  }
  if (node->map[3] >= 0)
    value->laxis[node->map[3]] = true;
  for (int axis = 0; axis < value->rank; axis++) {
    long parts = (value->gaxis[axis] >= 0 ? unit->grid[value->gaxis[axis]] : 1) *
                 (value->laxis[axis] ? unit->loop : 1);
    if (parts * dim[axis] != job->v[src].dim[axis]) {
      return as_err_set(job->err, AS_BAD_INPUT, "%s: axis %d of extent %ld is not %ld tiles of %ld",
                        node->name, axis, job->v[src].dim[axis], parts, dim[axis]);
    }
  }
  *out = id;
  return true;
}

static bool expand_acc(lo *job, const as_node *node, uint32_t unit, uint32_t *out) {
  long dim[8];
  if (!node_dims(job, node, dim))
    return false;
  uint32_t id = lo_new_val(job, LV_ACC, node->name, (int)node->rank, dim);
  lo_val *value = &job->v[id];
  value->acc = node->acc;
  value->of = job->node_val[node->arg[0]];
  value->axis = node->axis;
  value->unit = unit;
  if (node->acc == AS_ACC_RESCALE) {
    uint32_t run = job->node_val[node->arg[1]];
    value->run = job->v[run].kind == LV_RUN ? job->v[run].of : run;
  }
  *out = id;
  return true;
}

static bool expand_store(lo *job, const as_node *node, uint32_t unit_id, uint32_t *out) {
  long dim[8];
  if (!node_dims(job, node, dim))
    return false;
  uint32_t id = lo_new_val(job, LV_GLOBAL, node->name, (int)node->rank, dim);
  uint32_t of = job->node_val[node->arg[0]];
  job->v[id].place = LP_GLOBAL;
  job->v[id].gclass = LG_WORK;
  job->v[id].dtype = AS_F32;
  lo_unit *unit = &job->u[unit_id];
  lo_store *longer = as_arena_alloc(job->mem, (unit->n_store + 1) * sizeof *longer);
  lo_store *store = &longer[unit->n_store];
  if (unit->n_store)
    memcpy(longer, unit->store, unit->n_store * sizeof *longer);
  unit->store = longer;
  unit->n_store++;
  if (job->v[of].kind == LV_CONST) { /* a tile that is a constant: a map without operands */
    uint32_t constant = lo_new_val(job, LV_MAP, node->name, 0, NULL);
    job->v[constant].body = lx_num(job, job->v[of].num);
    lo_unit_add(job, &job->u[unit_id], constant);
    of = constant;
  }
  store->val = of;
  store->dst = id;
  for (int axis = 0; axis < 8; axis++)
    store->gaxis[axis] = -1;
  for (int grid_axis = 0; grid_axis < 3; grid_axis++) {
    if (node->map[grid_axis] >= 0)
      store->gaxis[node->map[grid_axis]] = grid_axis;
  }
  for (uint32_t axis = 0; axis < node->rank; axis++) {
    if (dim[axis] !=
        job->v[of].dim[axis] * (store->gaxis[axis] >= 0 ? unit->grid[store->gaxis[axis]] : 1)) {
      return as_err_set(job->err, AS_BAD_INPUT, "%s: the tiles stored do not make up axis %u",
                        node->name, axis);
    }
  }
  *out = id;
  return true;
}

static bool expand_block_node(lo *job, uint32_t id, const uint32_t *block_unit) {
  const as_node *node = &job->g->node[id];
  uint32_t unit = block_unit[node->block];
  uint32_t first = job->n;
  uint32_t out = NO;
  if (node->kind == AS_N_OP) {
    out = expand_op(job, node, unit);
    if (out == NO)
      return false;
  } else if (node->kind == AS_N_LOAD) {
    if (!expand_load(job, node, unit, &out))
      return false;
  } else if (node->kind == AS_N_ACC) {
    if (!expand_acc(job, node, unit, &out))
      return false;
  } else if (node->kind == AS_N_RUN) {
    long dim[8];
    if (!node_dims(job, node, dim))
      return false;
    out = lo_new_val(job, LV_RUN, node->name, (int)node->rank, dim);
    job->v[out].of = job->node_val[node->arg[0]];
  } else {
    if (!expand_store(job, node, unit, &out))
      return false;
    job->node_val[id] = out;
    job->v[out].unit = unit;
    return true;
  }
  job->node_val[id] = out;
  for (uint32_t i = first; i < job->n; i++)
    lo_unit_add(job, &job->u[unit], i);
  return true;
}

static bool make_units(lo *job, uint32_t *block_unit) {
  const as_graph *graph = job->g;
  for (uint32_t i = 0; i < graph->n_block; i++) {
    const as_block *block = &graph->block[i];
    uint32_t id = new_unit(job, block->name);
    lo_unit *unit = &job->u[id];
    block_unit[i] = id;
    unit->ngrid = 3;
    unit->blocks = 1;
    unit->has_loop = block->has_loop;
    for (int axis = 0; axis < 3; axis++) {
      if (!size_value(job, block->grid[axis], &unit->grid[axis]))
        return false;
      unit->blocks *= unit->grid[axis];
    }
    if (block->has_loop && !size_value(job, block->loop, &unit->loop))
      return false;
    if (unit->blocks > 0x7fffffffL)
      return as_err_set(job->err, AS_BAD_INPUT, "kernel %s has more than 2^31 blocks", block->name);
  }
  return true;
}

/* units in the order of launches: a block graph runs when its first store is met */
static bool expand_node(lo *job, uint32_t node_id, const uint32_t *block_unit, uint32_t *order,
                        uint32_t *norder, bool *placed) {
  const as_node *node = &job->g->node[node_id];
  if (node->block != AS_NONE) {
    if (!placed[node->block] && node->kind == AS_N_STORE) {
      order[(*norder)++] = block_unit[node->block];
      placed[node->block] = true;
    }
    return expand_block_node(job, node_id, block_unit);
  }
  long dim[8];
  if (!node_dims(job, node, dim))
    return false;
  if (node->kind == AS_N_INPUT) {
    uint32_t id = lo_new_val(job, LV_GLOBAL, node->name, (int)node->rank, dim);
    job->v[id].place = LP_GLOBAL;
    job->v[id].gclass = LG_INPUT;
    job->v[id].dtype = node->dtype;
    for (uint32_t k = 0; k < job->g->n_input; k++) {
      if (job->g->input[k] == node_id)
        job->v[id].gidx = k;
    }
    job->node_val[node_id] = id;
  } else if (as_node_is_number(node)) {
    long value = 0;
    if (node->kind == AS_N_SIZE && !size_value(job, node->size, &value))
      return false;
    uint32_t id = lo_new_val(job, LV_CONST, "const", 0, NULL);
    job->v[id].num = node->kind == AS_N_SIZE ? (double)value : mpq_get_d(node->value);
    job->node_val[node_id] = id;
  } else {
    uint32_t first = job->n;
    uint32_t out = expand_op(job, node, NO);
    if (out == NO)
      return false;
    for (uint32_t id = first; id < job->n; id++)
      order[(*norder)++] = flat_unit(job, id);
    job->node_val[node_id] = out;
  }
  return true;
}

static bool outputs(lo *job, as_dtype type, uint32_t *order, uint32_t *norder) {
  for (uint32_t i = 0; i < job->g->n_output; i++) {
    uint32_t id = job->node_val[job->g->output[i]];
    if (job->v[id].place != LP_GLOBAL ||
        job->v[id].gclass != LG_WORK) { /* an input, a constant, or given twice: copied */
      uint32_t copy = lo_new_val(job, LV_MAP, job->g->node[job->g->output[i]].name, job->v[id].rank,
                                 job->v[id].dim);
      lx *index[8];
      for (int axis = 0; axis < job->v[id].rank; axis++)
        index[axis] = lx_var(job, axis);
      job->v[copy].body = job->v[id].kind == LV_CONST ? lx_num(job, job->v[id].num)
                                                      : lx_ref(job, id, job->v[id].rank, index);
      order[(*norder)++] = flat_unit(job, copy);
      id = copy;
    }
    job->v[id].gclass = LG_OUTPUT;
    job->v[id].gidx = i;
    job->v[id].dtype = type;
  }
  return true;
}

bool lo_expand(lo *job) {
  const as_graph *graph = job->g;
  for (const as_graph *program = graph; program; program = program->program) {
    as_vec facts = {.data = program->fact,
                    .n = program->n_fact,
                    .cap = program->n_fact,
                    .item = sizeof *program->fact};
    if (!check_facts(job, &facts, program->name))
      return false;
  }
  uint32_t *block_unit = as_arena_alloc(job->mem, (graph->n_block + 1) * sizeof *block_unit);
  uint32_t norder = 0;
  uint32_t *order =
      as_arena_alloc(job->mem, ((size_t)graph->n * 20 + graph->n_output + 1) * sizeof *order);
  bool *placed = as_arena_alloc(job->mem, graph->n_block + 1);
  job->node_val = as_arena_alloc(job->mem, (graph->n + 1) * sizeof *job->node_val);
  as_dtype type = graph->n_input ? graph->node[graph->input[0]].dtype : AS_F32;
  job->is16 = type != AS_F32;
  for (uint32_t i = 0; i < graph->n_input; i++) {
    if (graph->node[graph->input[i]].dtype != type)
      job->is16 = false;
  }
  job->type16 = type;
  if (!make_units(job, block_unit))
    return false;
  for (uint32_t i = 0; i < graph->n; i++) {
    if (!expand_node(job, i, block_unit, order, &norder, placed))
      return false;
  }
  if (!outputs(job, type, order, &norder))
    return false;
  lo_unit *units = as_calloc(norder ? norder : 1, sizeof *units);
  uint32_t *back = as_arena_alloc(job->mem, (job->nu + 1) * sizeof *back);
  for (uint32_t i = 0; i < norder; i++) {
    units[i] = job->u[order[i]];
    back[order[i]] = i;
  }
  for (uint32_t i = 0; i < job->n; i++) {
    if (job->v[i].unit != NO)
      job->v[i].unit = back[job->v[i].unit];
  }
  free(job->u);
  job->u = units;
  job->nu = job->ucap = norder;
  return true;
}
