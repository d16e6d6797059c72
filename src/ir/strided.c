/* Kernel-level tensors that are parts of others: every element lies in the memory of an input or of
 * a stored tensor, at a place that is linear in its indices (slices, permutations, an axis written
 * as two, two axes as one where the outer one goes on where the inner one ends, axes of extent 1).
 */
#include "graph.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  as_sizes *sizes;
  const as_node *call;
  as_match match;
  as_strided *out;
} placing;

/* the first of the call's axes that the definition's left side writes at `position`, and how many
 */
static void axes_at(const placing *p, uint32_t position, uint32_t *first, uint32_t *n) {
  const as_let *left = &p->call->op->let[0];
  *first = 0;
  for (uint32_t i = 0; i <= position; i++) {
    *n = 1;
    for (uint32_t k = 0; left->ix[i].is_list && k < p->match.nlist; k++) {
      if (strcmp(p->match.list[k].name, left->ix[i].name) == 0)
        *n = p->match.list[k].n;
    }
    if (i < position)
      *first += *n;
  }
}

/* the position of a name on the definition's left side; AS_NONE: it is not there */
static uint32_t left_position(const placing *p, const char *name, bool is_list) {
  const as_let *left = &p->call->op->let[0];
  for (uint32_t i = 0; i < left->n; i++) {
    if (left->ix[i].is_list == is_list && strcmp(left->ix[i].name, name) == 0)
      return i;
  }
  return AS_NONE;
}

static as_size times(const placing *p, as_size unit, long factor) {
  return as_size_mul(p->sizes, unit, as_size_int(p->sizes, factor));
}

/* adds unit * index to the place of an element; false: it is not linear in the result's indices */
static bool add_index(placing *p, const as_expr *index, as_size unit) {
  uint32_t position = index->kind == AS_E_NAME ? left_position(p, index->name, false) : AS_NONE;
  if (position != AS_NONE) {
    uint32_t axis;
    uint32_t n;
    axes_at(p, position, &axis, &n);
    p->out->stride[axis] = as_size_add(p->sizes, p->out->stride[axis], unit);
    return true;
  }
  as_size size = as_opdef_size(p->sizes, p->call->op, &p->match, p->call->attr, index);
  if (size != AS_SIZE_BAD) {
    p->out->origin = as_size_add(p->sizes, p->out->origin, as_size_mul(p->sizes, unit, size));
    return true;
  }
  switch (index->kind) {
  case AS_E_ADD:
    return add_index(p, index->kid[0], unit) && add_index(p, index->kid[1], unit);
  case AS_E_SUB:
    return add_index(p, index->kid[0], unit) && add_index(p, index->kid[1], times(p, unit, -1));
  case AS_E_MUL:
    for (int side = 0; side < 2; side++) {
      size = as_opdef_size(p->sizes, p->call->op, &p->match, p->call->attr, index->kid[side]);
      if (size != AS_SIZE_BAD)
        return add_index(p, index->kid[1 - side], as_size_mul(p->sizes, unit, size));
    }
    return false;
  default:
    return false;
  }
}

static bool is_same_name(const as_expr *one, const as_expr *other) {
  return one->kind == AS_E_NAME && other->kind == AS_E_NAME && strcmp(one->name, other->name) == 0;
}

/* Two indices that are the quotient and the rest of one index k by a size q.  Where the outer
 * stride is q times the inner one, (k div q) * outer + (k mod q) * inner is k * inner, as an index
 * is not negative, and q is not 0 where there is an element: false if the sizes do not say so. */
static bool add_joined(placing *p, const as_graph *graph, const as_expr *outer,
                       const as_expr *inner, const as_size unit[2]) {
  if (outer->kind != AS_E_IDIV || inner->kind != AS_E_MOD ||
      !is_same_name(outer->kid[0], inner->kid[0]))
    return false;
  as_size by[2];
  const as_expr *under[2] = {outer->kid[1], inner->kid[1]};
  for (int i = 0; i < 2; i++) {
    by[i] = as_opdef_size(p->sizes, p->call->op, &p->match, p->call->attr, under[i]);
    if (by[i] == AS_SIZE_BAD)
      return false;
  }
  as_size step = as_size_mul(p->sizes, by[0], unit[1]);
  return step != AS_SIZE_BAD && as_graph_same_size(graph, by[0], by[1]) &&
         as_graph_same_size(graph, unit[0], step) && add_index(p, outer->kid[0], unit[1]);
}

/* a list of indices passed on: axis for axis */
static bool add_list(placing *p, const char *name, const as_size *unit, uint32_t room,
                     uint32_t *taken) {
  uint32_t position = left_position(p, name, true);
  uint32_t first;
  if (position == AS_NONE)
    return false;
  axes_at(p, position, &first, taken);
  for (uint32_t i = 0; i < *taken && *taken <= room; i++)
    p->out->stride[first + i] = as_size_add(p->sizes, p->out->stride[first + i], unit[i]);
  return *taken <= room;
}

static bool match_call(const as_graph *graph, const as_node *node, as_match *match) {
  const as_node *arg = &graph->node[node->arg[0]];
  as_size argdim[AS_MAX_ARGS][AS_MAX_RANK] = {{0}};
  as_size outdim[AS_MAX_RANK];
  uint32_t outrank = 0;
  as_vec facts;
  as_err err;
  as_err_init(&err);
  memcpy(argdim[0], arg->dim, sizeof arg->dim);
  as_vec_init(&facts, sizeof(as_size_fact));
  bool ok = as_opdef_match(graph->sizes, node->op, (const as_size(*)[AS_MAX_RANK])argdim,
                           &arg->rank, 1, node->attr, match, outdim, &outrank, &facts, &err);
  as_vec_clear(&facts);
  as_err_clear(&err);
  return ok;
}

static void dense(const as_graph *graph, as_node_id id, as_strided *out) {
  const as_node *node = &graph->node[id];
  as_size stride = AS_SIZE_ONE;
  *out = (as_strided){.base = id, .origin = as_size_int(graph->sizes, 0)};
  for (uint32_t axis = node->rank; axis-- > 0;) {
    out->stride[axis] = stride;
    stride = as_size_mul(graph->sizes, stride, node->dim[axis]);
  }
}

bool as_graph_strided(const as_graph *graph, as_node_id id, as_strided *out) {
  const as_node *node = &graph->node[id];
  as_strided from;
  if (node->kind == AS_N_INPUT && node->is_index_tensor)
    return false;
  if (node->kind == AS_N_INPUT || node->kind == AS_N_STORE) {
    dense(graph, id, out);
    return true;
  }
  if (node->kind != AS_N_OP || node->block != AS_NONE || node->nargs != 1 || node->op->nlet != 1 ||
      node->op->let[0].body->kind != AS_E_ACCESS || !as_graph_strided(graph, node->arg[0], &from))
    return false;
  placing p = {.sizes = graph->sizes, .call = node, .out = out};
  if (!match_call(graph, node, &p.match))
    return false;
  *out = (as_strided){.base = from.base, .origin = from.origin};
  for (uint32_t axis = 0; axis < AS_MAX_RANK; axis++)
    out->stride[axis] = as_size_int(graph->sizes, 0);
  const as_expr *body = node->op->let[0].body;
  uint32_t rank = graph->node[node->arg[0]].rank;
  uint32_t at = 0;
  for (uint32_t i = 0; i < body->n; i++) {
    uint32_t taken = 1;
    bool scalar = body->acc[i] == AS_IX_SCALAR;
    bool pair = scalar && i + 1 < body->n && body->acc[i + 1] == AS_IX_SCALAR && at + 1 < rank;
    if (pair && add_joined(&p, graph, body->kid[i], body->kid[i + 1], &from.stride[at])) {
      i++;
      at += 2;
      continue;
    }
    bool placed = scalar ? at < rank && add_index(&p, body->kid[i], from.stride[at])
                         : body->acc[i] == AS_IX_LIST &&
                               add_list(&p, body->acc_name[i], &from.stride[at], rank - at, &taken);
    if (!placed)
      return false;
    at += taken;
  }
  return at == rank;
}

static bool is_fixed(const as_graph *graph, as_size size) {
  const as_sizes *sizes = graph->sizes;
  as_size sym;
  for (uint32_t i = 0; (sym = as_size_nth_sym(sizes, i)) != AS_SIZE_BAD; i++) {
    if (as_size_is_ranged(sizes, sym) && as_size_mentions(sizes, size, sym))
      return false;
  }
  return true;
}

bool as_graph_lies_forward(const as_graph *graph, as_node_id id, const as_strided *at) {
  const as_sizes *sizes = graph->sizes;
  const as_node *node = &graph->node[id];
  as_size sym;
  if (graph->node[at->base].dtype == AS_INT || !is_fixed(graph, at->origin))
    return false;
  int64_t *env = as_malloc((as_size_count(sizes) + 1) * sizeof *env);
  for (uint32_t i = 0; i <= as_size_count(sizes); i++)
    env[i] = 1;
  for (uint32_t i = 0; (sym = as_size_nth_sym(sizes, i)) != AS_SIZE_BAD; i++) {
    long stated = as_size_value(sizes, sym);
    env[sym] = stated < 0 ? 1 : stated;
  }
  bool forward = as_size_eval(sizes, at->origin, env) >= 0;
  for (uint32_t axis = 0; axis < node->rank && forward; axis++) {
    int64_t least = as_size_eval(sizes, node->dim[axis], env) > 1;
    forward = is_fixed(graph, at->stride[axis]) && is_fixed(graph, node->dim[axis]) &&
              as_size_eval(sizes, at->stride[axis], env) >= least;
  }
  free(env);
  return forward;
}

bool *as_graph_parts(const as_graph *graph) {
  bool *is_part = as_calloc(graph->n + 1, sizeof *is_part);
  bool *loaded = as_calloc(graph->n + 1, sizeof *loaded); /* by a block, or by way of other parts */
  for (uint32_t id = graph->n; id-- > 0;) {
    const as_node *node = &graph->node[id];
    as_strided at;
    is_part[id] = node->kind == AS_N_OP && node->block == AS_NONE && loaded[id] &&
                  as_graph_strided(graph, id, &at) && as_graph_lies_forward(graph, id, &at);
    for (uint32_t i = 0; i < graph->n_output; i++)
      is_part[id] &= graph->output[i] != id;
    for (uint32_t k = 0; k < node->nargs; k++)
      loaded[node->arg[k]] |= node->kind == AS_N_LOAD || is_part[id];
  }
  free(loaded);
  return is_part;
}

bool *as_graph_no_kernels(const as_graph *graph) {
  bool *none = as_graph_index_tensors(graph, true);
  bool *is_part = as_graph_parts(graph);
  for (uint32_t id = 0; id < graph->n; id++)
    none[id] |= is_part[id];
  free(is_part);
  return none;
}
