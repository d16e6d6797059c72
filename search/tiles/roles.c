#include "roles.h"
#include <string.h>

enum { MOST_SUMS = 4 };

typedef struct {
  const as_opdef *op;
  const as_match *match;
  const uint32_t *arg_rank;
  uint32_t out_rank;
  const char *sum[MOST_SUMS]; /* indices of the sums that the result is */
  bool sum_fixed[MOST_SUMS];  /* their index is computed with */
  tl_roles *roles;
  bool seen[AS_MAX_ARGS][AS_MAX_RANK];
} roles_of;

static bool is(const char *left, const char *right) {
  return strcmp(left, right) == 0;
}

static uint32_t list_length(const roles_of *all, const char *list) {
  for (uint32_t i = 0; i < all->match->nlist; i++) {
    if (is(all->match->list[i].name, list))
      return all->match->list[i].n;
  }
  return 0;
}

static uint32_t dim_length(const roles_of *all, const as_dim *dim) {
  if (dim->kind == AS_D_SIZE)
    return 1;
  if (dim->kind == AS_D_LIST)
    return list_length(all, dim->name);
  uint32_t left = list_length(all, dim->b1);
  uint32_t right = list_length(all, dim->b2);
  return left > right ? left : right;
}

static const as_let *result_of(const as_opdef *op) {
  return &op->let[op->nlet - 1];
}

/* where index `name` (of a list: its first axis) is among the axes of the result; AS_NONE: nowhere
 */
static uint32_t out_place(const roles_of *all, const char *name, bool list, uint32_t *length) {
  const as_let *let = result_of(all->op);
  uint32_t at = 0;
  for (uint32_t i = 0; i < let->n && i < all->op->nout; i++) {
    *length = dim_length(all, &all->op->out[i]);
    if (let->ix[i].is_list == list && is(let->ix[i].name, name))
      return at;
    at += *length;
  }
  return AS_NONE;
}

static int arg_number(const as_opdef *op, const char *name) {
  for (uint32_t i = 0; i < op->nargs; i++) {
    if (is(op->arg[i].name, name))
      return (int)i;
  }
  return -1;
}

static void set_role(roles_of *all, int arg, uint32_t axis, tl_role role) {
  if (axis >= AS_MAX_RANK)
    return;
  tl_role *known = &all->roles->arg[arg][axis];
  if (all->seen[arg][axis] && (known->kind != role.kind || known->to != role.to))
    role = (tl_role){TL_AXIS_FIXED, 0};
  *known = role;
  all->seen[arg][axis] = true;
}

static tl_role index_role(const roles_of *all, const as_expr *index, bool in_result) {
  uint32_t length;
  if (index->kind != AS_E_NAME || !in_result)
    return (tl_role){TL_AXIS_FIXED, 0};
  uint32_t out = out_place(all, index->name, false, &length);
  if (out != AS_NONE)
    return (tl_role){TL_AXIS_PASSED, out};
  for (uint32_t i = 0; i < all->roles->n_sum; i++) {
    if (is(all->sum[i], index->name))
      return (tl_role){TL_AXIS_SUMMED, i};
  }
  return (tl_role){TL_AXIS_FIXED, 0};
}

/* the axes of a list, aligned from the right with those that it stands in */
static void list_roles(roles_of *all, int arg, uint32_t at, uint32_t length, const char *in,
                       bool in_let) {
  uint32_t whole;
  uint32_t out = out_place(all, in, true, &whole);
  for (uint32_t k = 0; k < length; k++) {
    tl_role role = {TL_AXIS_FIXED, 0};
    if (out != AS_NONE && whole >= length && !(in_let && whole != length))
      role = (tl_role){TL_AXIS_PASSED, out + whole - length + k};
    set_role(all, arg, at + k, role);
  }
}

static void access_roles(roles_of *all, const as_expr *access, bool in_result) {
  int arg = arg_number(all->op, access->name);
  if (arg < 0)
    return;
  const as_targ *pattern = &all->op->arg[arg];
  uint32_t at = 0;
  for (uint32_t i = 0; i < access->n && i < pattern->n; i++) {
    uint32_t length = dim_length(all, &pattern->dim[i]);
    if (access->acc[i] == AS_IX_SCALAR)
      set_role(all, arg, at, index_role(all, access->kid[i], in_result));
    else
      list_roles(all, arg, at, length, access->acc_name[i], !in_result);
    at += length;
  }
}

/* an index of the result, or an extent, that something is computed with */
static void computed_with(roles_of *all, const char *name) {
  uint32_t length;
  uint32_t out = out_place(all, name, false, &length);
  if (out != AS_NONE && out < AS_MAX_RANK)
    all->roles->out_fixed[out] = true;
  for (uint32_t i = 0; i < all->roles->n_sum; i++)
    all->sum_fixed[i] |= is(all->sum[i], name);
  for (uint32_t i = 0; i < all->op->nargs; i++) {
    uint32_t at = 0;
    for (uint32_t k = 0; k < all->op->arg[i].n; k++) {
      const as_dim *dim = &all->op->arg[i].dim[k];
      if (dim->kind == AS_D_SIZE && dim->size->kind == AS_E_NAME && is(dim->size->name, name))
        set_role(all, (int)i, at, (tl_role){TL_AXIS_FIXED, 0});
      at += dim_length(all, dim);
    }
  }
}

static void walk(roles_of *all, const as_expr *expr, bool in_result) {
  if (expr == NULL)
    return;
  if (expr->kind == AS_E_NAME)
    computed_with(all, expr->name);
  if (expr->kind == AS_E_ACCESS)
    access_roles(all, expr, in_result);
  for (uint32_t i = 0; i < expr->n; i++) {
    const as_expr *kid = expr->kid[i];
    bool plain_index = expr->kind == AS_E_ACCESS && kid && kid->kind == AS_E_NAME;
    if (!plain_index)
      walk(all, kid, in_result);
  }
}

/* an axis of the result that is fixed needs its operands whole, and the other way round */
static void settle(roles_of *all) {
  for (uint32_t i = 0; i < all->op->nargs; i++) {
    for (uint32_t k = 0; k < all->arg_rank[i] && k < AS_MAX_RANK; k++) {
      tl_role *role = &all->roles->arg[i][k];
      if ((role->kind == TL_AXIS_PASSED && all->roles->out_fixed[role->to]) ||
          (role->kind == TL_AXIS_SUMMED && all->sum_fixed[role->to]))
        *role = (tl_role){TL_AXIS_FIXED, 0};
    }
  }
  bool fed[AS_MAX_RANK] = {false};
  for (uint32_t i = 0; i < all->op->nargs; i++) {
    for (uint32_t k = 0; k < all->arg_rank[i] && k < AS_MAX_RANK; k++) {
      if (all->roles->arg[i][k].kind == TL_AXIS_PASSED)
        fed[all->roles->arg[i][k].to] = true;
    }
  }
  for (uint32_t k = 0; k < all->out_rank && k < AS_MAX_RANK; k++)
    all->roles->out_fixed[k] |= !fed[k];
}

static void read_roles(const as_opdef *op, const as_match *match, const uint32_t *arg_rank,
                       uint32_t out_rank, tl_roles *roles) {
  roles_of all = {
      .op = op, .match = match, .arg_rank = arg_rank, .out_rank = out_rank, .roles = roles};
  memset(roles, 0, sizeof *roles);
  const as_expr *body = result_of(op)->body;
  while (body->kind == AS_E_SUM && roles->n_sum < MOST_SUMS) {
    all.sum[roles->n_sum++] = body->name; /* its bound is the extent of the axis it goes over */
    body = body->kid[1];
  }
  walk(&all, body, true);
  for (uint32_t i = 0; i + 1 < op->nlet; i++)
    walk(&all, op->let[i].body, false);
  settle(&all);
}

bool tl_roles_of(as_sizes *sizes, const as_opdef *op, const as_attr *attr,
                 const as_size (*arg_dim)[8], const uint32_t *arg_rank, uint32_t n_args,
                 tl_roles *roles, as_err *err) {
  as_size out[AS_MAX_RANK];
  uint32_t out_rank;
  as_match match;
  as_vec facts;
  as_vec_init(&facts, sizeof(as_size_fact));
  bool ok = as_opdef_match(sizes, op, arg_dim, arg_rank, n_args, attr, &match, out, &out_rank,
                           &facts, err);
  as_vec_clear(&facts);
  if (ok)
    read_roles(op, &match, arg_rank, out_rank, roles);
  return ok;
}

bool tl_node_roles(const tl_graph *graph, uint32_t node, tl_roles *roles) {
  tl_accesses *all = graph->accesses;
  const tl_node *call = tl_node_at(graph, node);
  const tl_operator *op = tl_operator_at(all, call->item);
  as_size dim[AS_MAX_ARGS][8];
  uint32_t rank[AS_MAX_ARGS];
  as_err err;
  as_err_init(&err);
  for (uint32_t i = 0; i < call->n_kid; i++) {
    uint32_t shape = tl_class_at(graph, tl_kid(graph, node, i))->shape;
    const as_size *from = tl_shape_dims(all, shape, &rank[i]);
    memcpy(dim[i], from, rank[i] * sizeof *from);
  }
  bool ok = tl_roles_of(all->sizes, op->op, op->attr, (const as_size(*)[8])dim, rank, call->n_kid,
                        roles, &err);
  as_err_clear(&err);
  return ok;
}
