#include "block.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include <stdlib.h>
#include <string.h>
#define MAX_BOUND 40
#define FRESH_INDEX (1 << 20)

typedef struct { /* a name of an operator's body: indices, or a scalar */
  const char *name;
  bool list;
  bool scalar;
  uint32_t n;
  int32_t index[AS_MAX_RANK];
  as_poly value;
} binding;

typedef struct {
  as_terms *t;
  const as_block_ref *b;
  const as_node *node;
  const as_match *match;
  binding bound[MAX_BOUND];
  uint32_t n_bound;
  int32_t *fresh;
  int depth;
  as_err *err;
} reader;

static bool node_term(as_terms *t, const as_block_ref *b, as_node_id id, const int32_t *index,
                      int32_t *fresh, int depth, as_poly *out, as_err *err);

bool as_block_size(const as_block_ref *b, as_size s, long *out, as_err *err) {
  int64_t v = as_size_eval(b->graph->sizes, s, b->env);
  *out = (long)v;
  if (v != INT64_MIN && v >= 0)
    return true;
  char *text = as_size_print(b->graph->sizes, s);
  as_err_set(err, AS_BAD_INPUT, "the size %s has no value at these sizes", text);
  free(text);
  return false;
}

bool as_block_dims(const as_block_ref *b, as_node_id node, long dim[AS_MAX_RANK], as_err *err) {
  const as_node *n = &b->graph->node[node];
  for (uint32_t i = 0; i < n->rank; i++) {
    if (!as_block_size(b, n->dim[i], &dim[i], err))
      return false;
  }
  return true;
}

/* a part that runs forward along all its axes; others are tensors of their own */
static bool is_part(const as_block_ref *b, as_node_id tensor, const as_strided *at) {
  const as_node *node = &b->graph->node[tensor];
  bool forward = as_size_eval(b->graph->sizes, at->origin, b->env) >= 0;
  for (uint32_t axis = 0; axis < node->rank && forward; axis++) {
    int64_t least = as_size_eval(b->graph->sizes, node->dim[axis], b->env) > 1;
    forward = as_size_eval(b->graph->sizes, at->stride[axis], b->env) >= least;
  }
  return forward;
}

bool as_block_place_of(const as_block_ref *b, as_node_id tensor, as_block_place *out, as_err *err) {
  const as_node *node = &b->graph->node[tensor];
  as_strided at;
  long stride = 1;
  long dim[AS_MAX_RANK];
  *out = (as_block_place){.base = tensor};
  if (!as_block_dims(b, tensor, dim, err))
    return false;
  for (uint32_t axis = node->rank; axis-- > 0; stride *= dim[axis])
    out->stride[axis] = stride;
  if (!as_graph_strided(b->graph, tensor, &at) || !is_part(b, tensor, &at))
    return true;
  out->base = at.base;
  bool sized = as_block_size(b, at.origin, &out->origin, err);
  for (uint32_t axis = 0; axis < node->rank && sized; axis++)
    sized = as_block_size(b, at.stride[axis], &out->stride[axis], err);
  return sized;
}

as_dtype as_block_tensor_type(const as_block_ref *b, as_node_id tensor) {
  const as_graph *g = b->graph;
  as_block_place at;
  if (as_block_place_of(b, tensor, &at, NULL))
    tensor = at.base;
  if (g->node[tensor].kind == AS_N_INPUT)
    return g->node[tensor].dtype;
  for (uint32_t i = 0; i < g->n_output; i++) {
    if (g->output[i] == tensor)
      return as_graph_type(g);
  }
  return b->between ? b->between[tensor] : AS_F32;
}

bool as_block_is_computed(const as_block_ref *b, as_node_id load) {
  as_node_id of = b->graph->node[load].arg[0];
  const as_node *source = &b->graph->node[of];
  if (source->kind != AS_N_OP || source->block != AS_NONE)
    return false;
  bool *index = as_graph_index_tensors(b->graph, true);
  bool computed = index[of];
  free(index);
  return computed;
}

static bool beyond(const reader *r, const char *what) {
  return as_err_set(r->err, AS_NO, "operator %s: %s", r->node->op->name, what);
}

static const binding *find(const reader *r, const char *name, bool list) {
  for (uint32_t i = r->n_bound; i-- > 0;) {
    if (r->bound[i].list == list && !strcmp(r->bound[i].name, name))
      return &r->bound[i];
  }
  return NULL;
}

static binding *bind(reader *r, const char *name, bool list) {
  if (r->n_bound == MAX_BOUND) {
    beyond(r, "too many names");
    return NULL;
  }
  binding *x = &r->bound[r->n_bound++];
  memset(x, 0, sizeof *x);
  x->name = name;
  x->list = list;
  return x;
}

static bool scalar_index(reader *r, const as_expr *e, int32_t *out) {
  if (e->kind == AS_E_NAME) {
    const binding *x = find(r, e->name, false);
    if (x && !x->scalar) {
      *out = x->index[0];
      return true;
    }
  }
  if (e->kind == AS_E_NUM && !mpq_sgn(e->num)) {
    *out = AS_INDEX_ZERO;
    return true;
  }
  return beyond(r, "reads at a computed place");
}

/* the indices of an access; rank and dim of what is read (dim NULL: of a let) */
static bool access_indices(reader *r, const as_expr *e, uint32_t rank, const long *dim,
                           int32_t index[AS_MAX_RANK], uint32_t *n) {
  uint32_t others = 0;
  *n = 0;
  for (uint32_t i = 0; i < e->n; i++) {
    const binding *x = e->acc[i] == AS_IX_LIST ? find(r, e->acc_name[i], true) : NULL;
    others += e->acc[i] == AS_IX_SCALAR ? 1 : x ? x->n : 0;
  }
  for (uint32_t i = 0; i < e->n; i++) {
    if (*n >= AS_MAX_RANK)
      return beyond(r, "too many indices");
    if (e->acc[i] == AS_IX_SCALAR) {
      if (!scalar_index(r, e->kid[i], &index[(*n)++]))
        return false;
      continue;
    }
    const binding *x = find(r, e->acc_name[i], true);
    if (!x || (e->acc[i] == AS_IX_BCAST && others > rank))
      return beyond(r, "an unknown index list");
    uint32_t take = e->acc[i] == AS_IX_LIST ? x->n : rank - others;
    if (take > x->n || *n + take > AS_MAX_RANK)
      return beyond(r, "an index list that does not fit");
    for (uint32_t j = 0; j < take; j++, (*n)++) /* broadcasting aligns at the right */
      index[*n] = x->index[x->n - take + j];
  }
  for (uint32_t i = 0; dim && i < *n; i++) {
    if (dim[i] == 1)
      index[i] = AS_INDEX_ZERO;
    else if (index[i] == AS_INDEX_ZERO)
      return beyond(r, "reads one place of a longer axis");
  }
  return true;
}

static bool scalar(reader *r, const as_expr *e, as_poly *out);

static bool read_let(reader *r, const as_let *let, const as_expr *e, as_poly *out) {
  int32_t index[AS_MAX_RANK];
  uint32_t n;
  uint32_t at = 0;
  uint32_t keep = r->n_bound;
  if (!access_indices(r, e, 0, NULL, index, &n))
    return false;
  for (uint32_t i = 0; i < let->n; i++) {
    uint32_t take = 1;
    if (let->ix[i].is_list) {
      const binding *x = find(r, let->ix[i].name, true);
      take = x ? x->n : 0;
      for (uint32_t j = 0; j < r->match->nlist; j++) {
        if (!strcmp(r->match->list[j].name, let->ix[i].name))
          take = r->match->list[j].n;
      }
    }
    binding *x = bind(r, let->ix[i].name, let->ix[i].is_list);
    if (!x || at + take > n)
      return beyond(r, "an access with too few indices");
    x->n = take;
    memcpy(x->index, index + at, take * sizeof *index);
    at += take;
  }
  if (at != n || ++r->depth > 32)
    return beyond(r, "an access that does not fit its definition");
  bool ok = scalar(r, let->body, out);
  r->depth--;
  r->n_bound = keep;
  return ok;
}

static bool access(reader *r, const as_expr *e, as_poly *out) {
  const as_opdef *op = r->node->op;
  for (uint32_t i = 0; i < op->nargs; i++) {
    if (strcmp(op->arg[i].name, e->name) != 0)
      continue;
    as_node_id id = r->node->arg[i];
    long dim[AS_MAX_RANK];
    int32_t index[AS_MAX_RANK];
    uint32_t n;
    const as_node *x = &r->b->graph->node[id];
    if (!as_block_dims(r->b, id, dim, r->err) || !access_indices(r, e, x->rank, dim, index, &n))
      return false;
    if (n != x->rank)
      return beyond(r, "an access of another rank");
    return node_term(r->t, r->b, id, index, r->fresh, r->depth + 1, out, r->err);
  }
  for (uint32_t i = 0; i + 1 < op->nlet; i++) {
    if (!strcmp(op->let[i].name, e->name))
      return read_let(r, &op->let[i], e, out);
  }
  return beyond(r, "an unknown tensor");
}

static bool fold(reader *r, const as_expr *e, as_poly *out) {
  as_atom_kind kind = e->kind == AS_E_SUM ? AS_ATOM_SUM : AS_ATOM_MAX;
  long extent;
  if (e->kind != AS_E_SUM && e->kind != AS_E_MAXR)
    return beyond(r, "a product or minimum over an axis");
  as_size size = as_opdef_size(r->b->graph->sizes, r->node->op, r->match, r->node->attr, e->kid[0]);
  if (size == AS_SIZE_BAD)
    return beyond(r, "a fold whose bound is not a size");
  if (!as_block_size(r->b, size, &extent, r->err))
    return false;
  int32_t index = extent == 1 ? AS_INDEX_ZERO : (*r->fresh)++;
  uint32_t keep = r->n_bound;
  binding *x = bind(r, e->name, false);
  if (!x)
    return false;
  x->n = 1;
  x->index[0] = index;
  as_poly body;
  if (!scalar(r, e->kid[1], &body))
    return false;
  r->n_bound = keep;
  *out = extent == 1 ? body : as_poly_fold(r->t, kind, index, extent, body);
  return true;
}

static bool call(reader *r, const as_expr *e, as_poly *out) {
  as_poly arg[AS_MAX_ARGS];
  if (!e->func || e->n > AS_MAX_ARGS)
    return beyond(r, "an unknown function");
  for (uint32_t i = 0; i < e->n; i++) {
    if (!scalar(r, e->kid[i], &arg[i]))
      return false;
  }
  if (!e->func->body) {
    if (e->n != 1 || strcmp(e->func->name, "erf") != 0)
      return beyond(r, "a function that threads do not have");
    *out = as_poly_fn(r->t, AS_ATOM_ERF, arg[0], AS_POLY_NONE);
    as_poly_write(r->t, *out, (as_written){AS_WRITTEN_ERF, {arg[0], AS_POLY_NONE, AS_POLY_NONE}});
    return true;
  }
  uint32_t keep = r->n_bound;
  for (uint32_t i = 0; i < e->n; i++) {
    binding *x = bind(r, e->func->param[i], false);
    if (!x)
      return false;
    x->scalar = true;
    x->value = arg[i];
  }
  if (++r->depth > 32)
    return beyond(r, "definitions that are nested too deeply");
  bool ok = scalar(r, e->func->body, out);
  r->depth--;
  r->n_bound = keep;
  return ok;
}

static bool name(reader *r, const as_expr *e, as_poly *out) {
  const binding *x = find(r, e->name, false);
  long v;
  if (x && x->scalar) {
    *out = x->value;
    return true;
  }
  if (x) {
    *out = as_poly_place(r->t, AS_PLACE_INDEX, x->index[0]);
    return true;
  }
  for (uint32_t i = 0; i < r->node->op->nattrs; i++) {
    const as_attr *a = &r->node->attr[i];
    if (strcmp(r->node->op->attr[i], e->name) != 0)
      continue;
    if (!a->is_size) {
      *out = as_poly_num(r->t, a->num);
      return true;
    }
    if (!as_block_size(r->b, a->size, &v, r->err))
      return false;
    *out = as_poly_int(r->t, v);
    return true;
  }
  for (uint32_t i = 0; i < r->match->nsize; i++) {
    if (strcmp(r->match->size[i].name, e->name) != 0)
      continue;
    if (!as_block_size(r->b, r->match->size[i].size, &v, r->err))
      return false;
    *out = as_poly_int(r->t, v);
    return true;
  }
  return beyond(r, "an unknown name");
}

static bool arithmetic(reader *r, const as_expr *e, as_poly *out) {
  as_terms *t = r->t;
  as_poly x = AS_POLY_NONE;
  as_poly y = AS_POLY_NONE;
  as_written_op op;
  if (e->n > 2 || (e->n > 0 && !scalar(r, e->kid[0], &x)) ||
      (e->n > 1 && !scalar(r, e->kid[1], &y)))
    return beyond(r, "an expression that threads do not have");
  switch (e->kind) {
  case AS_E_ADD:
    *out = as_poly_add(t, x, y);
    op = AS_WRITTEN_ADD;
    break;
  case AS_E_SUB:
    *out = as_poly_add(t, x, as_poly_neg(t, y));
    op = AS_WRITTEN_SUB;
    break;
  case AS_E_MUL:
    *out = as_poly_mul(t, x, y);
    op = AS_WRITTEN_MUL;
    break;
  case AS_E_FDIV:
    if (!as_poly_monos(t, y))
      return beyond(r, "a division by zero");
    *out = as_poly_mul(t, x, as_poly_inv(t, y));
    op = AS_WRITTEN_DIV;
    break;
  case AS_E_NEG:
    *out = as_poly_neg(t, x);
    op = AS_WRITTEN_NEG;
    break;
  case AS_E_EXP:
    *out = as_poly_exp(t, x);
    op = AS_WRITTEN_EXP;
    break;
  case AS_E_LOG:
    *out = as_poly_fn(t, AS_ATOM_LOG, x, AS_POLY_NONE);
    op = AS_WRITTEN_LOG;
    break;
  case AS_E_SQRT:
    *out = as_poly_fn(t, AS_ATOM_SQRT, x, AS_POLY_NONE);
    op = AS_WRITTEN_SQRT;
    break;
  case AS_E_INV:
    if (!as_poly_monos(t, x))
      return beyond(r, "a division by zero");
    *out = as_poly_inv(t, x);
    y = x;
    x = as_poly_int(t, 1);
    op = AS_WRITTEN_DIV;
    break;
  case AS_E_ABS:
    *out = as_poly_fn(t, AS_ATOM_ABS, x, AS_POLY_NONE);
    op = AS_WRITTEN_ABS;
    break;
  case AS_E_MAX2:
    *out = as_poly_fn(t, AS_ATOM_MAX2, x, y);
    op = AS_WRITTEN_MAX2;
    break;
  case AS_E_MIN2:
    *out = as_poly_fn(t, AS_ATOM_MIN2, x, y);
    op = AS_WRITTEN_MIN2;
    break;
  default:
    return beyond(r, "whole-number division");
  }
  as_poly_write(t, *out, (as_written){op, {x, y, AS_POLY_NONE}});
  return true;
}

/* Of places, or an element and a number: of two elements the difference is printed, which is no
 * number where both are infinite. */
static as_poly equals(as_terms *t, as_poly x, as_poly y) {
  as_poly p = as_poly_add(t, y, as_poly_neg(t, x));
  bool of_places = as_poly_uses_kind(t, p, AS_ATOM_PLACE) || as_poly_uses_kind(t, p, AS_ATOM_COND);
  if (of_places || as_poly_is_number(t, x) == as_poly_is_number(t, y))
    return as_poly_is_number(t, p) && !as_poly_is_number(t, x) ? AS_POLY_NONE
                                                               : as_poly_equals(t, p);
  as_poly r = as_poly_fn(t, AS_ATOM_ZERO, p, AS_POLY_NONE);
  as_poly_write(t, p, (as_written){AS_WRITTEN_SUB, {y, x, AS_POLY_NONE}});
  as_poly_write(t, r, (as_written){AS_WRITTEN_ZERO, {p, AS_POLY_NONE, AS_POLY_NONE}});
  return r;
}

/* A condition as a number, 0 or 1: places are compared, elements for being the same. */
static bool condition(reader *r, const as_expr *e, as_poly *out) {
  as_terms *t = r->t;
  as_poly x;
  as_poly y = AS_POLY_NONE;
  as_poly one = as_poly_int(t, 1);
  bool compared = e->kind == AS_E_REL;
  if (e->n < 1 || e->n > 2 || !(compared ? scalar : condition)(r, e->kid[0], &x) ||
      (e->n > 1 && !(compared ? scalar : condition)(r, e->kid[1], &y)))
    return beyond(r, "a condition that threads do not have");
  as_poly more = y == AS_POLY_NONE ? y : as_poly_add(t, y, as_poly_neg(t, x));
  if (e->kind == AS_E_NOT)
    *out = as_poly_add(t, one, as_poly_neg(t, x));
  else if (e->kind == AS_E_AND)
    *out = as_poly_mul(t, x, y);
  else if (e->kind == AS_E_OR) /* y where x does not hold */
    *out = as_poly_choice(t, x, one, y);
  else if (e->rel == AS_REL_LE)
    *out = as_poly_at_least(t, more);
  else if (e->rel == AS_REL_LT)
    *out = as_poly_at_least(t, as_poly_add(t, more, as_poly_int(t, -1)));
  else
    *out = equals(t, x, y);
  if (*out == AS_POLY_NONE)
    return beyond(r, "a condition on something else than places");
  if (e->kind == AS_E_AND)
    as_poly_write(t, *out, (as_written){AS_WRITTEN_MUL, {x, y, AS_POLY_NONE}});
  if (e->kind == AS_E_OR)
    as_poly_write(t, *out, (as_written){AS_WRITTEN_CHOOSE, {x, one, y}});
  if (e->kind == AS_E_NOT || (compared && e->rel == AS_REL_NE)) {
    as_poly is = compared ? *out : x;
    *out = as_poly_add(t, one, as_poly_neg(t, is));
    as_poly_write(t, *out, (as_written){AS_WRITTEN_SUB, {one, is, AS_POLY_NONE}});
  }
  return true;
}

/* What is chosen must be defined either way: a term is a product of condition and value, and says
 * nothing of where the value does not exist. */
static bool choice(reader *r, const as_expr *e, as_poly *out) {
  as_poly is;
  as_poly value[2];
  if (!condition(r, e->kid[0], &is) || !scalar(r, e->kid[1], &value[0]) ||
      !scalar(r, e->kid[2], &value[1]))
    return false;
  if (!as_poly_total(r->t, value[0]) || !as_poly_total(r->t, value[1]))
    return beyond(r, "a choice of what is not defined everywhere");
  /* what is not chosen would be multiplied with 0, whatever it is */
  if (as_poly_uses_kind(r->t, is, AS_ATOM_ZERO) &&
      !(as_poly_is_number(r->t, value[0]) && as_poly_is_number(r->t, value[1])))
    return beyond(r, "a choice of elements by elements");
  *out = as_poly_choice(r->t, is, value[0], value[1]);
  as_poly_write(r->t, *out, (as_written){AS_WRITTEN_CHOOSE, {is, value[0], value[1]}});
  return true;
}

static bool scalar(reader *r, const as_expr *e, as_poly *out) {
  if (as_terms_over(r->t))
    return as_err_set(r->err, AS_UNKNOWN, "an expression is too large");
  switch (e->kind) {
  case AS_E_NUM:
    *out = as_poly_num(r->t, e->num);
    return true;
  case AS_E_NAME:
    return name(r, e, out);
  case AS_E_ACCESS:
    return access(r, e, out);
  case AS_E_CALL:
    return call(r, e, out);
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR:
    return fold(r, e, out);
  case AS_E_IF:
    return choice(r, e, out);
  default:
    return arithmetic(r, e, out);
  }
}

/* the result's indices under the names of the definition's left-hand side */
static bool bind_result(reader *r, const as_let *out, const int32_t *index) {
  uint32_t lists = 0;
  uint32_t at = 0;
  for (uint32_t i = 0; i < out->n; i++)
    lists += out->ix[i].is_list;
  for (uint32_t i = 0; i < out->n; i++) {
    uint32_t take = 1;
    if (out->ix[i].is_list) {
      take = lists == 1 ? r->node->rank - (out->n - 1) : 0;
      for (uint32_t j = 0; j < r->match->nlist; j++) {
        if (!strcmp(r->match->list[j].name, out->ix[i].name))
          take = r->match->list[j].n;
      }
    }
    binding *x = bind(r, out->ix[i].name, out->ix[i].is_list);
    if (!x || at + take > r->node->rank)
      return beyond(r, "a result of another rank");
    x->n = take;
    memcpy(x->index, index + at, take * sizeof *index);
    at += take;
  }
  return at == r->node->rank || beyond(r, "a result of another rank");
}

static bool op_term(as_terms *t, const as_block_ref *b, const as_node *n, const int32_t *index,
                    int32_t *fresh, int depth, as_poly *out, as_err *err) {
  as_size argdim[AS_MAX_ARGS][8];
  as_size outdim[8];
  uint32_t argrank[AS_MAX_ARGS];
  uint32_t outrank = 0;
  as_match match;
  as_vec facts;
  memset(&match, 0, sizeof match);
  memset(argdim, 0, sizeof argdim);
  for (uint32_t i = 0; i < n->nargs; i++) {
    const as_node *a = &b->graph->node[n->arg[i]];
    argrank[i] = a->rank;
    memcpy(argdim[i], a->dim, sizeof argdim[i]);
  }
  as_vec_init(&facts, sizeof(as_size_fact));
  bool ok = as_opdef_match(b->graph->sizes, n->op, (const as_size(*)[8])argdim, argrank, n->nargs,
                           n->attr, &match, outdim, &outrank, &facts, err);
  as_vec_clear(&facts); /* the graph was checked when it was read */
  if (!ok)
    return false;
  reader *r = as_calloc(1, sizeof *r);
  *r = (reader){
      .t = t, .b = b, .node = n, .match = &match, .fresh = fresh, .depth = depth, .err = err};
  const as_let *def = &n->op->let[n->op->nlet - 1];
  ok = bind_result(r, def, index) && scalar(r, def->body, out);
  free(r);
  return ok;
}

static bool acc_term(as_terms *t, const as_block_ref *b, const as_node *n, const int32_t *index,
                     int32_t *fresh, int depth, as_poly *out, as_err *err) {
  as_poly x;
  as_poly run = AS_POLY_NONE;
  if (n->acc == AS_ACC_CONCAT)
    return as_err_set(err, AS_NO, "%s: tiles are joined over iterations", n->name);
  if (!node_term(t, b, n->arg[0], index, fresh, depth + 1, &x, err))
    return false;
  if (n->acc == AS_ACC_MAX) {
    *out = as_poly_run(t, x);
    return true;
  }
  if (n->acc != AS_ACC_SUM && n->acc != AS_ACC_RESCALE)
    return as_err_set(err, AS_NO, "%s: an accumulator of a kind without a rule here", n->name);
  if (n->acc == AS_ACC_RESCALE) { /* the maximum has the leading axes of what it rescales */
    const as_node *m = &b->graph->node[n->arg[1]];
    if (m->rank > n->rank || !node_term(t, b, n->arg[1], index, fresh, depth + 1, &run, err))
      return as_err_set(err, AS_NO, "%s: rescaled by a maximum of other axes", n->name);
  }
  *out = as_poly_acc(t, x, run);
  return true;
}

/* where the index of a tile's axis lies in its tensor */
static bool place_in_tensor(as_terms *t, const as_block_ref *b, const as_node *load, int axis,
                            int32_t index, as_poly *out, as_err *err) {
  const as_block *block = &b->graph->block[b->block];
  as_poly number = as_poly_int(t, 0);
  long tile;
  long trip;
  int by = -1;
  if (!as_block_size(b, load->dim[axis], &tile, err))
    return false;
  for (int k = 0; k < 3; k++) {
    if (load->map[k] != axis)
      continue;
    if (by >= 0)
      return as_err_set(err, AS_NO, "%s: an axis that two grid axes divide", load->name);
    by = k;
    number = as_poly_place(t, (as_place)(AS_PLACE_X + k), 0);
  }
  if (load->map[3] == axis) {
    if (!as_block_size(b, block->loop, &trip, err))
      return false;
    number = as_poly_add(t, as_poly_mul(t, number, as_poly_int(t, trip)),
                         as_poly_place(t, AS_PLACE_LOOP, 0));
  }
  *out = as_poly_add(t, as_poly_mul(t, number, as_poly_int(t, tile)),
                     as_poly_place(t, AS_PLACE_INDEX, index));
  return true;
}

/* an element of a tile of an index tensor: its expression of indices, at the tile's place */
static bool index_term(as_terms *t, const as_block_ref *b, const as_node *load,
                       const int32_t *index, int32_t *fresh, int depth, as_poly *out, as_err *err) {
  int32_t at[AS_MAX_RANK];
  as_poly x;
  for (uint32_t d = 0; d < load->rank; d++)
    at[d] = (*fresh)++;
  if (!node_term(t, b, load->arg[0], at, fresh, depth + 1, &x, err))
    return false;
  for (uint32_t d = 0; d < load->rank; d++) {
    as_poly place = AS_POLY_NONE;
    if (!place_in_tensor(t, b, load, (int)d, index[d], &place, err))
      return false;
    x = as_poly_moved(t, x, at[d], place);
    if (x == AS_POLY_NONE)
      return as_err_set(err, AS_NO, "%s: an element that is no expression of places", load->name);
  }
  *out = x;
  return true;
}

static bool node_term(as_terms *t, const as_block_ref *b, as_node_id id, const int32_t *index,
                      int32_t *fresh, int depth, as_poly *out, as_err *err) {
  const as_node *n = &b->graph->node[id];
  long v;
  long dim[AS_MAX_RANK];
  int32_t at[AS_MAX_RANK];
  if (depth > 200 || as_terms_over(t))
    return as_err_set(err, AS_UNKNOWN, "an expression is too large");
  if (!as_block_dims(b, id, dim, err))
    return false;
  for (uint32_t i = 0; i < n->rank; i++)
    at[i] = dim[i] == 1 ? AS_INDEX_ZERO : index[i];
  switch (n->kind) {
  case AS_N_CONST:
    *out = as_poly_num(t, n->value);
    return true;
  case AS_N_SIZE:
    if (!as_block_size(b, n->size, &v, err))
      return false;
    *out = as_poly_int(t, v);
    return true;
  case AS_N_LOAD:
    if (as_block_is_computed(b, id))
      return index_term(t, b, n, at, fresh, depth, out, err);
    *out = as_poly_load(t, id, at, n->rank);
    return true;
  case AS_N_ACC:
    return acc_term(t, b, n, at, fresh, depth, out, err);
  case AS_N_RUN:
    return node_term(t, b, n->arg[0], at, fresh, depth + 1, out, err);
  case AS_N_OP:
    return op_term(t, b, n, at, fresh, depth, out, err);
  default:
    return as_err_set(err, AS_NO, "%s: not a value of a block", n->name);
  }
}

bool as_block_term(as_terms *t, const as_block_ref *b, as_node_id node, const int32_t *index,
                   as_poly *out, as_err *err) {
  int32_t fresh = FRESH_INDEX;
  if (!node_term(t, b, node, index, &fresh, 0, out, err))
    return false;
  return !as_terms_over(t) || as_err_set(err, AS_UNKNOWN, "an expression is too large");
}
