/* An operator's body as an expression: lets and functions unfolded, names given their values. */
#include "body.h"
#include "../ir/builtin.h"
#include "live.h"
#include "range.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define MAX_BOUND 48
#define MAX_UNFOLDED 32 /* definitions within each other */

typedef struct {
  const char *name;
  bool list;
  int n;
  lx *value[AS_MAX_RANK];
} bound_name;

typedef struct {
  lo_job *job;
  const as_opdef *op;
  const as_match *match;
  const as_attr *attr;
  const uint32_t *arg; /* values of the operator's arguments */
  bound_name binding[MAX_BOUND];
  int n_binding;
  int depth;
  lo_body *body;
  bool bad;
} body_scope;

static lx *fail(body_scope *scope, const char *fmt, const char *what) {
  if (!scope->bad)
    as_err_set(scope->job->err, AS_BAD_INPUT, fmt, what, scope->op->name);
  scope->bad = true;
  return lx_int(scope->job, 0);
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
  bool known = mpz_fits_slong_p(mpq_numref(number)) && mpz_fits_slong_p(mpq_denref(number));
  if (!known)
    return lx_num(job, mpq_get_d(number));
  long numerator = mpz_get_si(mpq_numref(number));
  long denominator = mpz_get_si(mpq_denref(number));
  return denominator == 1 ? lx_int(job, numerator) : lx_ratio(job, numerator, denominator);
}

static lx *read_expr(body_scope *scope, const as_expr *expr);

static lx *read_name(body_scope *scope, const as_expr *expr) {
  const bound_name *binding = find_bound(scope, expr->name, false);
  if (binding)
    return binding->value[0];
  for (uint32_t i = 0; i < scope->op->nattrs; i++) {
    if (strcmp(scope->op->attr[i], expr->name))
      continue;
    if (!scope->attr[i].is_size)
      return rational(scope->job, scope->attr[i].num);
    if (lo_is_live(scope->job, scope->attr[i].size)) {
      lx *live = lo_extent(scope->job, scope->attr[i].size);
      scope->bad |= live == NULL;
      return live ? live : lx_int(scope->job, 1);
    }
    int64_t value =
        as_size_eval(scope->job->graph->sizes, scope->attr[i].size, scope->job->size_value);
    if (value == INT64_MIN)
      return fail(scope, "attribute %s of %s has no value at these sizes", expr->name);
    return lx_int(scope->job, (long)value);
  }
  for (uint32_t i = 0; i < scope->match->nsize; i++) {
    if (strcmp(scope->match->size[i].name, expr->name))
      continue;
    lx *value = lo_extent(scope->job, scope->match->size[i].size);
    scope->bad |= value == NULL;
    return value ? value : lx_int(scope->job, 1);
  }
  return fail(scope, "unknown name %s in operator %s", expr->name);
}

/* whether an axis of a list has extent 1 here: then an extent 1 need not give way to it */
static bool is_one(body_scope *scope, const char *list, int axis) {
  for (uint32_t i = 0; i < scope->match->nlist; i++) {
    const as_bind_list *bound = &scope->match->list[i];
    long value;
    if (strcmp(bound->name, list) == 0 && axis < (int)bound->n)
      return lo_size_value(scope->job, bound->dim[axis], &value) && value == 1;
  }
  return false;
}

/* index list of an access; rank: of the tensor accessed, -1 for a let */
static int read_indices(body_scope *scope, const as_expr *expr, int rank, const long *dim,
                        lx **idx) {
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
        idx[n++] = read_expr(scope, expr->kid[i]);
      if (n && !idx[n - 1]->integer)
        fail(scope, "an index of %s in operator %s is data, and not of integers", expr->name);
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
        bool gives_way = from < 0 || (dim[n] == 1 && !is_one(scope, expr->acc_name[i], from));
        idx[n] = gives_way ? lx_int(scope->job, 0) : binding->value[from];
      }
    }
  }
  return n;
}

static lx *unfold_let(body_scope *scope, const as_let *let, const as_expr *expr) {
  lx *idx[8];
  int n = read_indices(scope, expr, -1, NULL, idx);
  int keep = scope->n_binding;
  int position = 0;
  if (++scope->depth > MAX_UNFOLDED)
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
  lx *result = read_expr(scope, let->body);
  scope->n_binding = keep;
  scope->depth--;
  return result;
}

bool lo_holds_integers(const lo_value *value) {
  bool input = value->kind == LV_GLOBAL && value->buffer_class == LG_INPUT;
  return (input && value->dtype == AS_INT) ||
         (value->kind == LV_MAP && value->body->integer && lx_has_whole(value->body));
}

lx *lo_read(lo_job *job, uint32_t val, int n, lx *const *idx) {
  const lo_value *value = &job->value[val];
  if (!value->through && !lo_holds_integers(value))
    return lx_ref(job, val, n, idx);
  return value->kind == LV_GLOBAL ? lx_whole(job, val, n, idx) : lx_subst(job, value->body, idx, n);
}

lx *lo_number(lo_job *job, const lo_value *constant) {
  if (constant->num_live)
    return lo_live_leaf(job, constant->num_live);
  return constant->denominator ? lx_ratio(job, constant->numerator, constant->denominator)
                               : lx_num(job, constant->num);
}

/* a number; beside integers that are data a whole one stays an integer */
static lx *constant(const body_scope *scope, const lo_value *number) {
  bool whole = number->denominator == 1 && !number->num_live;
  for (uint32_t i = 0; i < scope->op->nargs && whole; i++) {
    if (lo_holds_integers(&scope->job->value[scope->arg[i]]))
      return lx_int(scope->job, number->numerator);
  }
  return lo_number(scope->job, number);
}

static lx *read_tensor(body_scope *scope, const as_expr *expr) {
  for (uint32_t i = 0; i < scope->op->nargs; i++) {
    if (strcmp(scope->op->arg[i].name, expr->name))
      continue;
    const lo_value *tensor = &scope->job->value[scope->arg[i]];
    if (tensor->kind == LV_CONST)
      return constant(scope, tensor);
    lx *idx[8];
    int n = read_indices(scope, expr, tensor->rank, tensor->dim, idx);
    if (n != scope->job->value[scope->arg[i]].rank)
      return fail(scope, "access of %s in operator %s does not have the tensor's rank", expr->name);
    return lo_read(scope->job, scope->arg[i], n, idx);
  }
  for (uint32_t i = 0; i + 1 < scope->op->nlet; i++) {
    if (!strcmp(scope->op->let[i].name, expr->name))
      return unfold_let(scope, &scope->op->let[i], expr);
  }
  return fail(scope, "unknown tensor %s in operator %s", expr->name);
}

lx *lo_neutral(lo_job *job, lo_red red) {
  static const double start[] = {
      [LO_SUM] = 0, [LO_PROD] = 1, [LO_MAX] = -INFINITY, [LO_MIN] = INFINITY};
  return lx_num(job, start[red]);
}

bool lo_is_neutral(const lx *expr, lo_red red) {
  double start = red == LO_SUM ? 0 : red == LO_PROD ? 1 : red == LO_MAX ? -INFINITY : INFINITY;
  double is = expr->op == LX_INT ? (double)expr->number : expr->real;
  return (expr->op == LX_INT || expr->op == LX_NUM) && is <= start && start <= is;
}

/* sum(k < n) f, where n may depend on indices, as in scans: then the reduction is over as many
 * terms as n can be at most, and those from n on change nothing */
static lx *read_fold(body_scope *scope, const as_expr *expr) {
  lx *bound = read_expr(scope, expr->kid[0]);
  lo_range most = {0, 0};
  if (!lo_range_of(bound, scope->body->extent, scope->body->n_var, &most))
    return fail(scope, "the bound of %s in operator %s has no limit that is known", expr->name);
  if (scope->body->n_var == LO_MAX_VARS)
    return fail(scope, "too many indices at %s in operator %s", expr->name);
  lx *fold = lx_new(scope->job, LX_FOLD, 1);
  lx *variable = lx_var(scope->job, scope->body->n_var);
  fold->var = scope->body->n_var;
  fold->number = most.high > 0 ? most.high : 0;
  scope->body->live[scope->body->n_var] = bound->op == LX_CUT ? (uint32_t)bound->number : 0;
  scope->body->extent[scope->body->n_var++] = fold->number;
  fold->red = expr->kind == AS_E_SUM    ? LO_SUM
              : expr->kind == AS_E_PROD ? LO_PROD
              : expr->kind == AS_E_MAXR ? LO_MAX
                                        : LO_MIN;
  int keep = scope->n_binding;
  bind(scope, expr->name, false, 1, &variable);
  lx *term = read_expr(scope, expr->kid[1]);
  scope->n_binding = keep;
  if (most.low < most.high) {
    lx *within = lx_mk(scope->job, LX_LT, 2, (lx *[]){variable, bound});
    term = lx_mk(scope->job, LX_IF, 3, (lx *[]){within, term, lo_neutral(scope->job, fold->red)});
  }
  fold->kid[0] = term;
  return fold;
}

static lx *read_call(body_scope *scope, const as_expr *expr) {
  lx *args[8];
  if (expr->n > 8 || !expr->func)
    return fail(scope, "call of %s in operator %s is not known", expr->name);
  for (uint32_t i = 0; i < expr->n; i++)
    args[i] = read_expr(scope, expr->kid[i]);
  if (!expr->func->body) {
    lx *result = lx_new(scope->job, LX_CALL, (int)expr->n);
    result->function = as_builtin_rows[as_builtin_find(expr->func->name, expr->func->n)].c_name;
    memcpy(result->kid, args, expr->n * sizeof *args);
    return result;
  }
  if (++scope->depth > MAX_UNFOLDED)
    return fail(scope, "definitions of %s in operator %s are cyclic", expr->name);
  int keep = scope->n_binding;
  for (uint32_t i = 0; i < expr->n; i++)
    bind(scope, expr->func->param[i], false, 1, &args[i]);
  lx *result = read_expr(scope, expr->func->body);
  scope->n_binding = keep;
  scope->depth--;
  return result;
}

static void note_data(void *arg, const lx *ref) {
  (void)ref;
  *(bool *)arg = true;
}

/* is there a number that is not known as a ratio of 64-bit integers? */
static bool has_inexact(const lx *expr) {
  if (expr->op == LX_NUM)
    return !expr->denominator;
  for (int i = 0; i < expr->n; i++) {
    if (has_inexact(expr->kid[i]))
      return true;
  }
  return false;
}

static lx *read_relation(body_scope *scope, const as_expr *expr) {
  static const lx_op op[] = {
      [AS_REL_EQ] = LX_EQ, [AS_REL_NE] = LX_NE, [AS_REL_LE] = LX_LE, [AS_REL_LT] = LX_LT};
  bool data = false;
  lx *side[2] = {read_expr(scope, expr->kid[0]), read_expr(scope, expr->kid[1])};
  for (int i = 0; i < 2; i++)
    lx_refs(side[i], note_data, &data);
  if (!data && (has_inexact(side[0]) || has_inexact(side[1])))
    return fail(scope, "%sa condition of operator %s has a number beyond 64 bits", "");
  return lx_mk(scope->job, op[expr->rel], 2, side);
}

static const lx_op simple_op[] = {
    [AS_E_ADD] = LX_ADD,   [AS_E_SUB] = LX_SUB,   [AS_E_MUL] = LX_MUL, [AS_E_FDIV] = LX_FDIV,
    [AS_E_IDIV] = LX_IDIV, [AS_E_MOD] = LX_MOD,   [AS_E_NEG] = LX_NEG, [AS_E_EXP] = LX_EXP,
    [AS_E_LOG] = LX_LOG,   [AS_E_SQRT] = LX_SQRT, [AS_E_INV] = LX_INV, [AS_E_ABS] = LX_ABS,
    [AS_E_MAX2] = LX_MAX,  [AS_E_MIN2] = LX_MIN,  [AS_E_IF] = LX_IF,   [AS_E_AND] = LX_AND,
    [AS_E_OR] = LX_OR,     [AS_E_NOT] = LX_NOT};

static lx *read_expr(body_scope *scope, const as_expr *expr) {
  if (scope->bad)
    return lx_int(scope->job, 0);
  lx *k[3];
  switch (expr->kind) {
  case AS_E_NUM:
    return rational(scope->job, expr->num);
  case AS_E_NAME:
    return read_name(scope, expr);
  case AS_E_ACCESS:
    return read_tensor(scope, expr);
  case AS_E_CALL:
    return read_call(scope, expr);
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR:
    return read_fold(scope, expr);
  case AS_E_REL:
    return read_relation(scope, expr);
  default:
    break;
  }
  for (uint32_t i = 0; i < expr->n && i < 3; i++)
    k[i] = read_expr(scope, expr->kid[i]);
  return lx_mk(scope->job, simple_op[expr->kind], (int)expr->n, k);
}

/* extents of the list `name` of a left side; the result's only list may have no binding of its own
 */
static int list_length(const as_match *match, const char *name, int otherwise) {
  for (uint32_t i = 0; i < match->nlist; i++) {
    if (!strcmp(match->list[i].name, name))
      return (int)match->list[i].n;
  }
  return otherwise;
}

/* names of out's left side bound to the result's indices */
static void bind_result(body_scope *scope, const as_let *out, int rank) {
  lx *index[AS_MAX_RANK];
  for (int i = 0; i < rank; i++)
    index[i] = lx_var(scope->job, i);
  int lists = 0;
  int fixed = 0;
  for (uint32_t i = 0; i < out->n; i++) {
    lists += out->ix[i].is_list;
    fixed += !out->ix[i].is_list;
  }
  int position = 0;
  for (uint32_t i = 0; i < out->n; i++) {
    int take = 1;
    if (out->ix[i].is_list)
      take = list_length(scope->match, out->ix[i].name, lists == 1 ? rank - fixed : 0);
    if (position + take > rank) {
      fail(scope, "indices of %s do not fit the result's rank in operator %s", "out");
      return;
    }
    bind(scope, out->ix[i].name, out->ix[i].is_list, take, index + position);
    position += take;
  }
}

bool lo_body_read(lo_job *job, const as_node *node, const as_match *match, const uint32_t *arg,
                  const long *dim, const uint32_t *live, lo_body *body) {
  body_scope scope = {
      .job = job, .op = node->op, .match = match, .attr = node->attr, .arg = arg, .body = body};
  const as_let *out = &node->op->let[node->op->nlet - 1];
  body->rank = (int)node->rank;
  body->n_var = body->rank;
  for (int i = 0; i < body->n_var; i++)
    body->extent[i] = dim[i];
  memcpy(body->live, live, (size_t)body->rank * sizeof *live);
  memcpy(body->size, node->dim, (size_t)body->rank * sizeof *node->dim);
  bind_result(&scope, out, body->n_var);
  body->expr = read_expr(&scope, out->body);
  return !scope.bad;
}

/* where the values of a variable that are live, or left of a tile, end; NULL in *end: at its extent
 */
static bool end_of(lo_job *job, const lo_body *body, int variable, lx **end) {
  bool cut = variable < body->rank && as_graph_is_cut(job->graph, body->size[variable]);
  *end = NULL;
  if (!cut && body->live[variable] == 0)
    return true;
  *end = cut ? lo_extent(job, body->size[variable]) : lo_live_leaf(job, body->live[variable]);
  if (*end == NULL)
    return false;
  if ((*end)->op == LX_INT)
    *end = NULL;
  return true;
}

lx *lo_body_guarded(lo_job *job, const lo_body *body, lx *expr, int n, lx *beyond) {
  lx *inside = NULL;
  if (lo_total(job, expr, body->extent, n))
    return expr;
  for (int i = 0; i < n; i++) {
    lx *end = NULL;
    if (lx_uses_var(expr, i) && !end_of(job, body, i, &end))
      return NULL;
    if (end == NULL)
      continue;
    lx *within = lx_mk(job, LX_LT, 2, (lx *[]){lx_var(job, i), end});
    inside = inside ? lx_mk(job, LX_AND, 2, (lx *[]){inside, within}) : within;
  }
  return inside ? lx_mk(job, LX_IF, 3, (lx *[]){inside, expr, beyond}) : expr;
}
