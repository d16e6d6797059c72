/* From a graph of operator calls to values: every call's body, with its lets and funcs unfolded and
 * each reduction made a value of its own. */
#include "job.h"
#include <stdlib.h>
#include <string.h>
#define MAX_VARS 64
#define MAX_BOUND 48

typedef struct {
  const char *name;
  bool list;
  int n;
  lx *value[8];
} bound_name;

typedef struct {
  lo_job *job;
  const as_opdef *op;
  const as_match *match;
  const as_attr *attr;
  const as_node *node;
  const uint32_t *arg;
  bound_name binding[MAX_BOUND];
  int n_binding;
  int n_var;
  long extent[MAX_VARS]; /* extents of variables: the result's axes, then those of reductions */
  uint32_t unit;
  uint32_t first; /* values made for this call start here */
  int depth;
  bool bad;
} body_scope;

uint32_t lo_new_val(lo_job *job, lv_kind kind, const char *name, int rank, const long *dim) {
  if (job->n_value == job->value_cap) {
    job->value_cap = job->value_cap ? 2 * job->value_cap : 64;
    job->value = as_realloc(job->value, job->value_cap * sizeof *job->value);
  }
  lo_value *value = &job->value[job->n_value];
  memset(value, 0, sizeof *value);
  value->kind = kind;
  value->name = as_arena_strdup(job->arena, name);
  value->rank = rank;
  for (int i = 0; i < rank; i++)
    value->dim[i] = dim[i];
  value->source = value->of = value->run = value->fused_acc = LO_NONE;
  value->level = value->level16 = -1;
  value->unit = LO_NONE;
  for (int i = 0; i < 8; i++)
    value->grid_axis[i] = -1;
  return job->n_value++;
}

static lx *fail(body_scope *scope, const char *fmt, const char *what) {
  if (!scope->bad)
    as_err_set(scope->job->err, AS_BAD_INPUT, fmt, what, scope->op->name);
  scope->bad = true;
  return lx_int(scope->job, 0);
}

static bool size_value(lo_job *job, as_size size, long *out) {
  int64_t value = as_size_eval(job->graph->sizes, size, job->size_value);
  *out = (long)value;
  if (value != INT64_MIN && value >= 0)
    return true;
  char *printed = as_size_print(job->graph->sizes, size);
  as_err_set(job->err, AS_BAD_INPUT, "the size %s has no value at these sizes", printed);
  free(printed);
  return false;
}

static const bound_name *find_bound(const body_scope *scope, const char *name, bool list) {
  for (int i = scope->n_binding; i-- > 0;) {
    if (scope->binding[i].list == list && !strcmp(scope->binding[i].name, name))
      return &scope->binding[i];
  }
  return NULL;
}

static void bind(body_scope *scope, const char *name, bool list, int n, lx *const *values) {
  if (scope->n_binding == MAX_BOUND) {
    fail(scope, "too many names in scope at %s in operator %s", name);
    return;
  }
  bound_name *binding = &scope->binding[scope->n_binding++];
  binding->name = name;
  binding->list = list;
  binding->n = n;
  for (int i = 0; i < n; i++)
    binding->value[i] = values[i];
}

static lx *rational(lo_job *job, const mpq_t number) {
  if (!mpz_cmp_ui(mpq_denref(number), 1) && mpz_fits_slong_p(mpq_numref(number)))
    return lx_int(job, mpz_get_si(mpq_numref(number)));
  return lx_num(job, mpq_get_d(number));
}

static lx *tr(body_scope *c, const as_expr *e);

static lx *tr_name(body_scope *scope, const as_expr *expr) {
  const bound_name *binding = find_bound(scope, expr->name, false);
  if (binding)
    return binding->value[0];
  for (uint32_t i = 0; i < scope->op->nattrs; i++) {
    if (strcmp(scope->op->attr[i], expr->name))
      continue;
    if (!scope->attr[i].is_size)
      return rational(scope->job, scope->attr[i].num);
    int64_t value =
        as_size_eval(scope->job->graph->sizes, scope->attr[i].size, scope->job->size_value);
    if (value == INT64_MIN)
      return fail(scope, "attribute %s of %s has no value at these sizes", expr->name);
    return lx_int(scope->job, (long)value);
  }
  for (uint32_t i = 0; i < scope->match->nsize; i++) {
    if (strcmp(scope->match->size[i].name, expr->name))
      continue;
    long value;
    if (!size_value(scope->job, scope->match->size[i].size, &value)) {
      scope->bad = true;
      value = 1;
    }
    return lx_int(scope->job, value);
  }
  return fail(scope, "unknown name %s in operator %s", expr->name);
}

/* index list of an access; rank: of the tensor accessed, -1 for a let */
static int tr_access(body_scope *scope, const as_expr *expr, int rank, const long *dim, lx **idx) {
  int n = 0;
  int other = 0;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->acc[i] == AS_IX_SCALAR) {
      other++;
    } else if (expr->acc[i] == AS_IX_LIST) {
      const bound_name *binding = find_bound(scope, expr->acc_name[i], true);
      other += binding ? binding->n : 0;
    }
  }
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->acc[i] == AS_IX_SCALAR) {
      if (n < 8)
        idx[n++] = tr(scope, expr->kid[i]);
      continue;
    }
    const bound_name *binding = find_bound(scope, expr->acc_name[i], true);
    if (!binding) {
      fail(scope, "unknown index list %s in operator %s", expr->acc_name[i]);
      return 0;
    }
    if (expr->acc[i] == AS_IX_LIST) {
      for (int j = 0; j < binding->n && n < 8; j++)
        idx[n++] = binding->value[j];
    } else {
      int take = rank - other;
      for (int j = 0; j < take && n < 8; j++, n++) {
        int from = binding->n - take + j;
        idx[n] = from < 0 || dim[n] == 1 ? lx_int(scope->job, 0) : binding->value[from];
      }
    }
  }
  return n;
}

static lx *tr_let(body_scope *scope, const as_let *let, const as_expr *expr) {
  lx *idx[8];
  int n = tr_access(scope, expr, -1, NULL, idx);
  int keep = scope->n_binding;
  int position = 0;
  if (++scope->depth > 32)
    return fail(scope, "definitions of %s in operator %s are cyclic", let->name);
  for (uint32_t i = 0; i < let->n; i++) {
    int take = 1;
    if (let->ix[i].is_list) {
      take = -1;
      for (uint32_t j = 0; j < scope->match->nlist; j++) {
        if (!strcmp(scope->match->list[j].name, let->ix[i].name))
          take = (int)scope->match->list[j].n;
      }
      if (take < 0) {
        const bound_name *binding = find_bound(scope, let->ix[i].name, true);
        take = binding ? binding->n : 0;
      }
    }
    if (position + take > n)
      return fail(scope, "access of %s in operator %s has too few indices", let->name);
    bind(scope, let->ix[i].name, let->ix[i].is_list, take, idx + position);
    position += take;
  }
  lx *result = tr(scope, let->body);
  scope->n_binding = keep;
  scope->depth--;
  return result;
}

static lx *tr_ref(body_scope *scope, const as_expr *expr) {
  for (uint32_t i = 0; i < scope->op->nargs; i++) {
    if (strcmp(scope->op->arg[i].name, expr->name))
      continue;
    const lo_value *tensor = &scope->job->value[scope->arg[i]];
    if (tensor->kind == LV_CONST)
      return lx_num(scope->job, tensor->num);
    lx *idx[8];
    int n = tr_access(scope, expr, tensor->rank, tensor->dim, idx);
    if (n != scope->job->value[scope->arg[i]].rank)
      return fail(scope, "access of %s in operator %s does not have the tensor's rank", expr->name);
    return lx_ref(scope->job, scope->arg[i], n, idx);
  }
  for (uint32_t i = 0; i + 1 < scope->op->nlet; i++) {
    if (!strcmp(scope->op->let[i].name, expr->name))
      return tr_let(scope, &scope->op->let[i], expr);
  }
  return fail(scope, "unknown tensor %s in operator %s", expr->name);
}

static lx *tr_fold(body_scope *scope, const as_expr *expr) {
  lx *bound_ = tr(scope, expr->kid[0]);
  if (bound_->op != LX_INT)
    return fail(scope, "the bound of %s in operator %s is not a size", expr->name);
  if (scope->n_var == MAX_VARS)
    return fail(scope, "too many indices at %s in operator %s", expr->name);
  lx *fold = lx_new(scope->job, LX_FOLD, 1);
  lx *variable = lx_var(scope->job, scope->n_var);
  fold->var = scope->n_var;
  fold->number = bound_->number;
  scope->extent[scope->n_var++] = bound_->number;
  fold->red = expr->kind == AS_E_SUM    ? LO_SUM
              : expr->kind == AS_E_PROD ? LO_PROD
              : expr->kind == AS_E_MAXR ? LO_MAX
                                        : LO_MIN;
  int keep = scope->n_binding;
  bind(scope, expr->name, false, 1, &variable);
  fold->kid[0] = tr(scope, expr->kid[1]);
  scope->n_binding = keep;
  return fold;
}

static lx *tr_call(body_scope *scope, const as_expr *expr) {
  lx *args[8];
  if (expr->n > 8 || !expr->func)
    return fail(scope, "call of %s in operator %s is not known", expr->name);
  for (uint32_t i = 0; i < expr->n; i++)
    args[i] = tr(scope, expr->kid[i]);
  if (!expr->func->body) {
    lx *result = lx_new(scope->job, LX_CALL, (int)expr->n);
    result->function = expr->func->name;
    memcpy(result->kid, args, expr->n * sizeof *args);
    return result;
  }
  if (++scope->depth > 32)
    return fail(scope, "definitions of %s in operator %s are cyclic", expr->name);
  int keep = scope->n_binding;
  for (uint32_t i = 0; i < expr->n; i++)
    bind(scope, expr->func->param[i], false, 1, &args[i]);
  lx *result = tr(scope, expr->func->body);
  scope->n_binding = keep;
  scope->depth--;
  return result;
}

static const lx_op simple_op[] = {
    [AS_E_ADD] = LX_ADD,   [AS_E_SUB] = LX_SUB,   [AS_E_MUL] = LX_MUL, [AS_E_FDIV] = LX_FDIV,
    [AS_E_IDIV] = LX_IDIV, [AS_E_MOD] = LX_MOD,   [AS_E_NEG] = LX_NEG, [AS_E_EXP] = LX_EXP,
    [AS_E_LOG] = LX_LOG,   [AS_E_SQRT] = LX_SQRT, [AS_E_INV] = LX_INV, [AS_E_ABS] = LX_ABS,
    [AS_E_MAX2] = LX_MAX,  [AS_E_MIN2] = LX_MIN,  [AS_E_IF] = LX_IF,   [AS_E_AND] = LX_AND,
    [AS_E_OR] = LX_OR,     [AS_E_NOT] = LX_NOT};

static lx *tr(body_scope *scope, const as_expr *expr) {
  if (scope->bad)
    return lx_int(scope->job, 0);
  lx *k[3];
  switch (expr->kind) {
  case AS_E_NUM:
    return rational(scope->job, expr->num);
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
    return lx_mk(scope->job,
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
  if (expr->kind == AS_E_FDIV && k[0]->op == LX_INT && k[1]->op == LX_INT && k[1]->number)
    return lx_num(scope->job, (double)k[0]->number / (double)k[1]->number);
  return lx_mk(scope->job, simple_op[expr->kind], (int)expr->n, k);
}

static bool same_val(const lo_value *left, const lo_value *right) {
  if (left->kind != right->kind || left->rank != right->rank || left->red != right->red ||
      left->extent != right->extent || left->unit != right->unit)
    return false;
  return !memcmp(left->dim, right->dim, sizeof left->dim) && lx_equal(left->body, right->body);
}

/* reductions, innermost first, become values over the variables that occur in them */
static lx *hoist(body_scope *scope, lx *expr) {
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
    lx *result = lx_mk(scope->job, expr->op, expr->n, k);
    result->function = expr->function;
    return result;
  }
  lx *inner[MAX_VARS] = {0};
  lx *outer[8];
  long dim[8];
  int rank = 0;
  for (int i = 0; i < scope->n_var; i++) {
    if (i == expr->var || !lx_uses_var(k[0], i))
      continue;
    if (rank == 8)
      return fail(scope, "a reduction depends on more than 8 indices%s in operator %s", "");
    inner[i] = lx_var(scope->job, rank);
    outer[rank] = lx_var(scope->job, i);
    dim[rank++] = scope->extent[i];
  }
  inner[expr->var] = lx_var(scope->job, rank);
  char *name = as_format("%s_%u", scope->node->name ? scope->node->name : scope->op->name,
                         scope->job->n_value - scope->first);
  uint32_t id = lo_new_val(scope->job, LV_RED, name, rank, dim);
  free(name);
  lo_value *value = &scope->job->value[id];
  value->red = expr->red;
  value->extent = expr->number;
  value->unit = scope->unit;
  long ext[9];
  for (int i = 0; i < rank; i++)
    ext[i] = dim[i];
  ext[rank] = expr->number;
  value->body =
      lx_simplify(scope->job, lx_subst(scope->job, k[0], inner, scope->n_var), ext, rank + 1);
  for (uint32_t i = scope->first; i < id; i++) {
    if (same_val(&scope->job->value[i], value)) {
      scope->job->n_value--;
      id = i;
      break;
    }
  }
  return lx_ref(scope->job, id, rank, outer);
}

static bool check_facts(lo_job *job, const as_vec *facts, const char *where) {
  for (size_t i = 0; i < facts->n; i++) {
    const as_size_fact *fact = &AS_VEC_AT(facts, as_size_fact, i);
    int64_t left = as_size_eval(job->graph->sizes, fact->lhs, job->size_value);
    int64_t right = as_size_eval(job->graph->sizes, fact->rhs, job->size_value);
    bool ok = left != INT64_MIN && right != INT64_MIN &&
              (fact->rel == AS_REL_EQ   ? left == right
               : fact->rel == AS_REL_NE ? left != right
               : fact->rel == AS_REL_LE ? left <= right
                                        : left < right);
    if (ok)
      continue;
    static const char *const rel[] = {"=", "!=", "<=", "<"};
    char *left_text = as_size_print(job->graph->sizes, fact->lhs);
    char *right_text = as_size_print(job->graph->sizes, fact->rhs);
    as_err_set(job->err, AS_BAD_INPUT, "%s: the relation %s %s %s does not hold at these sizes",
               where, left_text, rel[fact->rel], right_text);
    free(left_text);
    free(right_text);
    return false;
  }
  return true;
}

static bool node_dims(lo_job *job, const as_node *node, long *dim) {
  for (uint32_t i = 0; i < node->rank; i++) {
    if (!size_value(job, node->dim[i], &dim[i]))
      return false;
  }
  return true;
}

static uint32_t expand_op(lo_job *job, const as_node *node, uint32_t unit) {
  as_size argdim[AS_MAX_ARGS][8];
  as_size outdim[8];
  uint32_t argrank[AS_MAX_ARGS];
  uint32_t outrank = 0;
  uint32_t arg[AS_MAX_ARGS];
  as_match match;
  memset(&match, 0, sizeof match);
  memset(argdim, 0, sizeof argdim);
  for (uint32_t i = 0; i < node->nargs; i++) {
    const as_node *arg_node = &job->graph->node[node->arg[i]];
    argrank[i] = arg_node->rank;
    arg[i] = job->node_val[node->arg[i]];
    memcpy(argdim[i], arg_node->dim, sizeof arg_node->dim);
  }
  as_vec facts;
  as_vec_init(&facts, sizeof(as_size_fact));
  bool ok = as_opdef_match(job->graph->sizes, node->op, (const as_size(*)[8])argdim, argrank,
                           node->nargs, node->attr, &match, outdim, &outrank, &facts, job->err) &&
            check_facts(job, &facts, node->name ? node->name : node->op->name);
  as_vec_clear(&facts);
  if (!ok)
    return LO_NONE;
  body_scope scope = {.job = job,
                      .op = node->op,
                      .match = &match,
                      .attr = node->attr,
                      .node = node,
                      .arg = arg,
                      .unit = unit,
                      .first = job->n_value};
  long dim[8];
  if (!node_dims(job, node, dim))
    return LO_NONE;
  lx *index[8];
  for (uint32_t i = 0; i < node->rank; i++) {
    scope.extent[i] = dim[i];
    index[i] = lx_var(job, (int)i);
  }
  scope.n_var = (int)node->rank;
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
      take = LO_NONE;
      for (uint32_t j = 0; j < match.nlist; j++) {
        if (!strcmp(match.list[j].name, out->ix[i].name))
          take = match.list[j].n;
      }
      if (take == LO_NONE)
        take = lists == 1 ? node->rank - fixed : 0;
    }
    if (position + take > node->rank) {
      fail(&scope, "indices of %s do not fit the result's rank in operator %s", "out");
      return LO_NONE;
    }
    bind(&scope, out->ix[i].name, out->ix[i].is_list, (int)take, index + position);
    position += take;
  }
  lx *body = hoist(&scope, tr(&scope, out->body));
  if (scope.bad)
    return LO_NONE;
  body = lx_simplify(job, body, dim, (int)node->rank);
  const char *name = node->name ? node->name : node->op->name;
  if (body->op == LX_REF && body->val >= scope.first) { /* the result is one reduction */
    bool same = (uint32_t)body->n == node->rank;
    for (int i = 0; same && i < body->n; i++) {
      same = (body->kid[i]->op == LX_VAR && body->kid[i]->number == i) ||
             (body->kid[i]->op == LX_INT && dim[i] == 1 && job->value[body->val].dim[i] == 1);
    }
    if (same) {
      job->value[body->val].name = as_arena_strdup(job->arena, name);
      return body->val;
    }
  }
  uint32_t id = lo_new_val(job, LV_MAP, name, (int)node->rank, dim);
  job->value[id].body = body;
  job->value[id].unit = unit;
  return id;
}

static uint32_t new_unit(lo_job *job, const char *name) {
  if (job->n_unit == job->unit_cap) {
    job->unit_cap = job->unit_cap ? 2 * job->unit_cap : 16;
    job->unit = as_realloc(job->unit, job->unit_cap * sizeof *job->unit);
  }
  lo_unit *unit = &job->unit[job->n_unit];
  memset(unit, 0, sizeof *unit);
  unit->name = as_arena_strdup(job->arena, name);
  unit->loop = 1;
  return job->n_unit++;
}

void lo_unit_add(lo_job *job, lo_unit *unit, uint32_t val) {
  uint32_t *longer = as_arena_alloc(job->arena, (unit->n + 1) * sizeof *longer);
  if (unit->n)
    memcpy(longer, unit->val, unit->n * sizeof *longer);
  longer[unit->n++] = val;
  unit->val = longer;
  job->value[val].unit = (uint32_t)(unit - job->unit);
}

static uint32_t flat_unit(lo_job *job, uint32_t val) {
  uint32_t unit_id = new_unit(job, job->value[val].name);
  job->unit[unit_id].flat = true;
  job->unit[unit_id].flat_val = val;
  job->value[val].unit = unit_id;
  job->value[val].place = LP_GLOBAL;
  job->value[val].buffer_class = LG_WORK;
  job->value[val].dtype = AS_F32;
  return unit_id;
}

static bool expand_load(lo_job *job, const as_node *node, uint32_t unit_id, uint32_t *out) {
  long dim[8];
  const lo_unit *unit = &job->unit[unit_id];
  if (!node_dims(job, node, dim))
    return false;
  uint32_t id = lo_new_val(job, LV_LOAD, node->name, (int)node->rank, dim);
  uint32_t src = job->node_val[node->arg[0]];
  lo_value *value = &job->value[id];
  value->source = src;
  if (job->value[src].kind == LV_CONST)
    return as_err_set(job->err, AS_BAD_INPUT, "%s: a constant cannot be loaded", node->name);
  for (int grid_axis = 0; grid_axis < 3; grid_axis++) {
    if (node->map[grid_axis] >= 0)
      value->grid_axis[node->map[grid_axis]] = grid_axis;
  }
  if (node->map[3] >= 0)
    value->by_loop[node->map[3]] = true;
  for (int axis = 0; axis < value->rank; axis++) {
    long parts = (value->grid_axis[axis] >= 0 ? unit->grid[value->grid_axis[axis]] : 1) *
                 (value->by_loop[axis] ? unit->loop : 1);
    if (parts * dim[axis] != job->value[src].dim[axis]) {
      return as_err_set(job->err, AS_BAD_INPUT, "%s: axis %d of extent %ld is not %ld tiles of %ld",
                        node->name, axis, job->value[src].dim[axis], parts, dim[axis]);
    }
  }
  *out = id;
  return true;
}

static bool expand_acc(lo_job *job, const as_node *node, uint32_t unit, uint32_t *out) {
  long dim[8];
  if (!node_dims(job, node, dim))
    return false;
  uint32_t id = lo_new_val(job, LV_ACC, node->name, (int)node->rank, dim);
  lo_value *value = &job->value[id];
  value->acc = node->acc;
  value->of = job->node_val[node->arg[0]];
  value->axis = node->axis;
  value->unit = unit;
  if (node->acc == AS_ACC_RESCALE) {
    uint32_t run = job->node_val[node->arg[1]];
    value->run = job->value[run].kind == LV_RUN ? job->value[run].of : run;
  }
  *out = id;
  return true;
}

static bool expand_store(lo_job *job, const as_node *node, uint32_t unit_id, uint32_t *out) {
  long dim[8];
  if (!node_dims(job, node, dim))
    return false;
  uint32_t id = lo_new_val(job, LV_GLOBAL, node->name, (int)node->rank, dim);
  uint32_t of = job->node_val[node->arg[0]];
  job->value[id].place = LP_GLOBAL;
  job->value[id].buffer_class = LG_WORK;
  job->value[id].dtype = AS_F32;
  lo_unit *unit = &job->unit[unit_id];
  lo_store *longer = as_arena_alloc(job->arena, (unit->n_store + 1) * sizeof *longer);
  lo_store *store = &longer[unit->n_store];
  if (unit->n_store)
    memcpy(longer, unit->store, unit->n_store * sizeof *longer);
  unit->store = longer;
  unit->n_store++;
  if (job->value[of].kind == LV_CONST) { /* a tile that is a constant: a map without operands */
    uint32_t constant = lo_new_val(job, LV_MAP, node->name, 0, NULL);
    job->value[constant].body = lx_num(job, job->value[of].num);
    lo_unit_add(job, &job->unit[unit_id], constant);
    of = constant;
  }
  store->val = of;
  store->target = id;
  for (int axis = 0; axis < 8; axis++)
    store->grid_axis[axis] = -1;
  for (int grid_axis = 0; grid_axis < 3; grid_axis++) {
    if (node->map[grid_axis] >= 0)
      store->grid_axis[node->map[grid_axis]] = grid_axis;
  }
  for (uint32_t axis = 0; axis < node->rank; axis++) {
    if (dim[axis] != job->value[of].dim[axis] *
                         (store->grid_axis[axis] >= 0 ? unit->grid[store->grid_axis[axis]] : 1)) {
      return as_err_set(job->err, AS_BAD_INPUT, "%s: the tiles stored do not make up axis %u",
                        node->name, axis);
    }
  }
  *out = id;
  return true;
}

static bool expand_block_node(lo_job *job, uint32_t id, const uint32_t *block_unit) {
  const as_node *node = &job->graph->node[id];
  uint32_t unit = block_unit[node->block];
  uint32_t first = job->n_value;
  uint32_t out = LO_NONE;
  if (node->kind == AS_N_OP) {
    out = expand_op(job, node, unit);
    if (out == LO_NONE)
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
    job->value[out].of = job->node_val[node->arg[0]];
  } else {
    if (!expand_store(job, node, unit, &out))
      return false;
    job->node_val[id] = out;
    job->value[out].unit = unit;
    return true;
  }
  job->node_val[id] = out;
  for (uint32_t i = first; i < job->n_value; i++)
    lo_unit_add(job, &job->unit[unit], i);
  return true;
}

static bool make_units(lo_job *job, uint32_t *block_unit) {
  const as_graph *graph = job->graph;
  for (uint32_t i = 0; i < graph->n_block; i++) {
    const as_block *block = &graph->block[i];
    uint32_t id = new_unit(job, block->name);
    lo_unit *unit = &job->unit[id];
    block_unit[i] = id;
    unit->n_grid = 3;
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
static bool expand_node(lo_job *job, uint32_t node_id, const uint32_t *block_unit, uint32_t *order,
                        uint32_t *norder, bool *placed) {
  const as_node *node = &job->graph->node[node_id];
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
    job->value[id].place = LP_GLOBAL;
    job->value[id].buffer_class = LG_INPUT;
    job->value[id].dtype = node->dtype;
    for (uint32_t k = 0; k < job->graph->n_input; k++) {
      if (job->graph->input[k] == node_id)
        job->value[id].buffer_index = k;
    }
    job->node_val[node_id] = id;
  } else if (as_node_is_number(node)) {
    long value = 0;
    if (node->kind == AS_N_SIZE && !size_value(job, node->size, &value))
      return false;
    uint32_t id = lo_new_val(job, LV_CONST, "const", 0, NULL);
    job->value[id].num = node->kind == AS_N_SIZE ? (double)value : mpq_get_d(node->value);
    job->node_val[node_id] = id;
  } else {
    uint32_t first = job->n_value;
    uint32_t out = expand_op(job, node, LO_NONE);
    if (out == LO_NONE)
      return false;
    for (uint32_t id = first; id < job->n_value; id++)
      order[(*norder)++] = flat_unit(job, id);
    job->node_val[node_id] = out;
  }
  return true;
}

static bool outputs(lo_job *job, as_dtype type, uint32_t *order, uint32_t *norder) {
  for (uint32_t i = 0; i < job->graph->n_output; i++) {
    uint32_t id = job->node_val[job->graph->output[i]];
    if (job->value[id].place != LP_GLOBAL ||
        job->value[id].buffer_class != LG_WORK) { /* an input, a constant, or given twice: copied */
      uint32_t copy = lo_new_val(job, LV_MAP, job->graph->node[job->graph->output[i]].name,
                                 job->value[id].rank, job->value[id].dim);
      lx *index[8];
      for (int axis = 0; axis < job->value[id].rank; axis++)
        index[axis] = lx_var(job, axis);
      job->value[copy].body = job->value[id].kind == LV_CONST
                                  ? lx_num(job, job->value[id].num)
                                  : lx_ref(job, id, job->value[id].rank, index);
      order[(*norder)++] = flat_unit(job, copy);
      id = copy;
    }
    job->value[id].buffer_class = LG_OUTPUT;
    job->value[id].buffer_index = i;
    job->value[id].dtype = type;
  }
  return true;
}

bool lo_expand(lo_job *job) {
  const as_graph *graph = job->graph;
  for (const as_graph *program = graph; program; program = program->program) {
    as_vec facts = {.data = program->fact,
                    .n = program->n_fact,
                    .cap = program->n_fact,
                    .item = sizeof *program->fact};
    if (!check_facts(job, &facts, program->name))
      return false;
  }
  uint32_t *block_unit = as_arena_alloc(job->arena, (graph->n_block + 1) * sizeof *block_unit);
  uint32_t norder = 0;
  uint32_t *order =
      as_arena_alloc(job->arena, ((size_t)graph->n * 20 + graph->n_output + 1) * sizeof *order);
  bool *placed = as_arena_alloc(job->arena, graph->n_block + 1);
  job->node_val = as_arena_alloc(job->arena, (graph->n + 1) * sizeof *job->node_val);
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
  uint32_t *back = as_arena_alloc(job->arena, (job->n_unit + 1) * sizeof *back);
  for (uint32_t i = 0; i < norder; i++) {
    units[i] = job->unit[order[i]];
    back[order[i]] = i;
  }
  for (uint32_t i = 0; i < job->n_value; i++) {
    if (job->value[i].unit != LO_NONE)
      job->value[i].unit = back[job->value[i].unit];
  }
  free(job->unit);
  job->unit = units;
  job->n_unit = job->unit_cap = norder;
  return true;
}
