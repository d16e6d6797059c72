/* Which values integers may have that are places in tensors: what random inputs of tests and trials
 * are drawn from. */
#include "../base/vec.h"
#include "graph.h"
#include <string.h>

typedef struct {
  const as_graph *program;
  const int64_t *env;
  const as_node *call;
  const char *integers; /* the argument whose elements are looked at */
  as_match match;
  int64_t range;        /* the least so far; -1: none */
  bool exact;           /* any other value is out of range at some place */
  bool under_condition; /* what is looked at now is not always read */
} place_search;

/* how many axes a list of indices stands for; -1: not known here */
static int list_length(const place_search *search, const char *name) {
  for (uint32_t i = 0; i < search->match.nlist; i++) {
    if (strcmp(search->match.list[i].name, name) == 0)
      return (int)search->match.list[i].n;
  }
  return -1;
}

/* the extent of the axis of the result at which the left side of `out` has this index; -1: none */
static int64_t index_extent(const place_search *search, const char *name) {
  const as_let *out = &search->call->op->let[search->call->op->nlet - 1];
  uint32_t axis = 0;
  for (uint32_t i = 0; i < out->n; i++) {
    int n = out->ix[i].is_list ? list_length(search, out->ix[i].name) : 1;
    if (n < 0 || axis + (uint32_t)n > search->call->rank)
      return -1;
    if (!out->ix[i].is_list && strcmp(out->ix[i].name, name) == 0)
      return as_size_eval(search->program->sizes, search->call->dim[axis], search->env);
    axis += (uint32_t)n;
  }
  return -1;
}

/* the most that is added to the element; -1: not a number, a size or an index of the result */
static int64_t most_added(const place_search *search, const as_expr *expr) {
  int64_t extent = expr->kind == AS_E_NAME ? index_extent(search, expr->name) : -1;
  if (extent >= 0)
    return extent > 0 ? extent - 1 : 0;
  as_size size = as_opdef_size(search->program->sizes, search->call->op, &search->match,
                               search->call->attr, expr);
  int64_t value =
      size == AS_SIZE_BAD ? -1 : as_size_eval(search->program->sizes, size, search->env);
  return value;
}

static bool is_element(const place_search *search, const as_expr *expr) {
  return expr->kind == AS_E_ACCESS && strcmp(expr->name, search->integers) == 0;
}

static bool reads_integers(const place_search *search, const as_expr *expr) {
  if (is_element(search, expr))
    return true;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->kid[i] && reads_integers(search, expr->kid[i]))
      return true;
  }
  return false;
}

/* the place `index` in an axis of this extent; -1: of an axis that is not known */
static void look_at_place(place_search *search, const as_expr *index, int64_t extent) {
  int64_t added = -1;
  if (is_element(search, index))
    added = 0;
  else if (index->kind == AS_E_ADD && is_element(search, index->kid[0]))
    added = most_added(search, index->kid[1]);
  else if (index->kind == AS_E_ADD && is_element(search, index->kid[1]))
    added = most_added(search, index->kid[0]);
  bool known = added >= 0 && extent >= 0;
  int64_t range = known ? extent - added : 1;
  search->exact = search->exact && known && !search->under_condition;
  if (range < 0)
    range = 0;
  if (search->range < 0 || range < search->range)
    search->range = range;
}

/* the extent of the axis at position `place` of an access to an argument; -1: not known */
static int64_t accessed_extent(const place_search *search, const as_expr *access, uint32_t place) {
  const as_opdef *op = search->call->op;
  for (uint32_t a = 0; a < op->nargs; a++) {
    if (strcmp(op->arg[a].name, access->name) != 0)
      continue;
    const as_node *tensor = &search->program->node[search->call->arg[a]];
    uint32_t axis = 0;
    for (uint32_t i = 0; i < place; i++) {
      int n = access->acc[i] == AS_IX_SCALAR ? 1
              : access->acc[i] == AS_IX_LIST ? list_length(search, access->acc_name[i])
                                             : -1;
      if (n < 0)
        return -1;
      axis += (uint32_t)n;
    }
    return axis < tensor->rank
               ? as_size_eval(search->program->sizes, tensor->dim[axis], search->env)
               : -1;
  }
  return -1;
}

static void look(place_search *search, const as_expr *expr) {
  bool outside = search->under_condition;
  if (expr->kind == AS_E_IF)
    search->under_condition = true;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (!expr->kid[i])
      continue;
    bool place = expr->kind == AS_E_ACCESS && reads_integers(search, expr->kid[i]);
    if (place)
      look_at_place(search, expr->kid[i], accessed_extent(search, expr, i));
    look(search, expr->kid[i]);
  }
  search->under_condition = outside;
}

/* the argument of this number is the input */
static void look_at_call(place_search *search, uint32_t argument) {
  const as_node *call = search->call;
  as_size dim[AS_MAX_ARGS][AS_MAX_RANK] = {{0}};
  uint32_t rank[AS_MAX_ARGS];
  as_size result[AS_MAX_RANK];
  uint32_t result_rank;
  as_vec facts;
  for (uint32_t i = 0; i < call->nargs; i++) {
    const as_node *tensor = &search->program->node[call->arg[i]];
    rank[i] = tensor->rank;
    memcpy(dim[i], tensor->dim, sizeof tensor->dim);
  }
  as_vec_init(&facts, sizeof(as_size_fact));
  if (as_opdef_match(search->program->sizes, call->op, (const as_size(*)[AS_MAX_RANK])dim, rank,
                     call->nargs, call->attr, &search->match, result, &result_rank, &facts, NULL)) {
    search->integers = call->op->arg[argument].name;
    for (uint32_t i = 0; i < call->op->nlet; i++)
      look(search, call->op->let[i].body);
  }
  as_vec_clear(&facts);
}

/* is the value an element of the argument as it is, if only by one branch of a choice? */
static bool may_be_element(const as_expr *expr, const char *argument) {
  if (expr->kind == AS_E_ACCESS)
    return strcmp(expr->name, argument) == 0;
  return expr->kind == AS_E_IF &&
         (may_be_element(expr->kid[1], argument) || may_be_element(expr->kid[2], argument));
}

/* the range of an element that another operator passes on, as it is or as something computed of it
 */
static void look_behind(place_search *search, uint32_t node, uint32_t argument) {
  const as_node *call = &search->program->node[node];
  int64_t range = as_graph_index_range(search->program, node, search->env, NULL);
  if (range < 0)
    return;
  const as_opdef *op = call->op;
  if (!may_be_element(op->let[op->nlet - 1].body, op->arg[argument].name) && range > 1)
    range = 1;
  if (search->range < 0 || range < search->range)
    search->range = range;
  search->exact = false;
}

int64_t as_graph_index_range(const as_graph *program, as_node_id input, const int64_t *env,
                             bool *exact) {
  place_search search = {.program = program, .env = env, .range = -1, .exact = true};
  for (uint32_t i = 0; i < program->n; i++) {
    const as_node *node = &program->node[i];
    if (node->kind != AS_N_OP)
      continue;
    search.call = node;
    for (uint32_t a = 0; a < node->nargs; a++) {
      if (node->arg[a] == input)
        look_at_call(&search, a);
      /* places computed from the element by another operator */
      if (node->arg[a] == input && node->dtype == AS_INT)
        look_behind(&search, i, a);
    }
  }
  if (exact)
    *exact = search.exact && search.range >= 0;
  return search.range;
}
