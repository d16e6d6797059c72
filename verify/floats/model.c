/* Where values are rounded, from the shapes of operators' definitions and the tensors' types. */
#include "model.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

static bool is_reduction(const as_expr *expr) {
  return expr->kind == AS_E_SUM || expr->kind == AS_E_PROD || expr->kind == AS_E_MAXR ||
         expr->kind == AS_E_MINR;
}

static bool has_reduction(const as_expr *expr) {
  if (is_reduction(expr))
    return true;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->kid[i] && has_reduction(expr->kid[i]))
      return true;
  }
  return false;
}

static bool is_elementwise(const as_opdef *op) {
  for (uint32_t i = 0; i < op->nlet; i++) {
    if (has_reduction(op->let[i].body))
      return false;
  }
  return true;
}

/* a tensor that the expression reads; NULL: none */
static const char *read_in(const as_expr *expr) {
  if (expr->kind == AS_E_ACCESS)
    return expr->name;
  for (uint32_t i = 0; i < expr->n; i++) {
    const char *name = expr->kid[i] ? read_in(expr->kid[i]) : NULL;
    if (name)
      return name;
  }
  return NULL;
}

/* is a product of elements of two tensors summed? */
static bool sums_products(const as_expr *expr, bool summed) {
  if (expr->kind == AS_E_MUL && summed) {
    const char *left = read_in(expr->kid[0]);
    const char *right = read_in(expr->kid[1]);
    if (left && right && strcmp(left, right) != 0)
      return true;
  }
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->kid[i] && sums_products(expr->kid[i], summed || expr->kind == AS_E_SUM))
      return true;
  }
  return false;
}

static bool is_contraction(const as_opdef *op) {
  for (uint32_t i = 0; i < op->nlet; i++) {
    if (sums_products(op->let[i].body, false))
      return true;
  }
  return false;
}

static void types_init(const as_graph *graph, const as_float_permission *permission,
                       as_float_format narrow, as_float_types *types) {
  types->value = as_malloc((graph->n + 1) * sizeof *types->value);
  types->factor = as_malloc((graph->n + 1) * sizeof *types->factor);
  types->elementwise = as_calloc(graph->n + 1, sizeof *types->elementwise);
  types->running = as_calloc(graph->n + 1, sizeof *types->running);
  for (uint32_t i = 0; i < graph->n; i++) {
    const as_node *node = &graph->node[i];
    types->value[i] = AS_FLOAT_F32;
    types->factor[i] = AS_FLOAT_WIDE;
    if (node->kind == AS_N_RUN)
      types->running[node->arg[0]] = true;
    if (node->kind != AS_N_OP)
      continue;
    types->elementwise[i] = is_elementwise(node->op);
    if (!is_contraction(node->op))
      continue;
    types->factor[i] = narrow;
    if (narrow == AS_FLOAT_WIDE && permission && permission->tf32 &&
        permission->tf32(permission->arg, node->op->name))
      types->factor[i] = AS_FLOAT_TF32;
  }
}

static void set_outputs(const as_graph *graph, as_float_types *types) {
  for (uint32_t i = 0; i < graph->n_output; i++)
    types->value[graph->output[i]] = as_float_format_of(as_graph_type(graph));
}

/* What the program rounds it to; what is computed of integers alone is exact as long as 32 bits
 * hold it. */
static as_float_format of_node(const as_node *node) {
  if (node->is_typed)
    return as_float_format_of(node->memory);
  return node->dtype == AS_INT ? AS_FLOAT_F32 : as_float_format_of(node->dtype);
}

void as_float_types_given(const as_graph *program, const as_float_permission *permission,
                          as_float_types *types) {
  bool mixed = as_graph_is_mixed(program);
  types_init(program, permission, AS_FLOAT_WIDE, types);
  for (uint32_t i = 0; i < program->n && !mixed; i++)
    types->value[i] = of_node(&program->node[i]);
  set_outputs(program, types);
}

void as_float_types_lowered(const as_graph *graph, const as_dtype *between,
                            const as_float_permission *permission, as_float_types *types) {
  as_dtype type = as_graph_type(graph);
  bool narrow = type != AS_F32 && !as_graph_is_mixed(graph);
  types_init(graph, permission, narrow ? as_float_format_of(type) : AS_FLOAT_WIDE, types);
  for (uint32_t i = 0; i < graph->n; i++) {
    const as_node *node = &graph->node[i];
    if (between && (node->kind == AS_N_STORE || node->block == AS_NONE))
      types->value[i] = as_float_format_of(between[i]);
  }
  set_outputs(graph, types);
}

void as_float_types_clear(as_float_types *types) {
  free(types->value);
  free(types->factor);
  free(types->elementwise);
  free(types->running);
  memset(types, 0, sizeof *types);
}

/* --- one evaluation */
typedef struct {
  as_float_domain *floats;
  const as_float_types *types;
} execution;

static void before_node(void *arg, as_node_id node) {
  execution *running = arg;
  running->floats->step = running->types->elementwise[node] ? AS_FLOAT_WIDE : AS_FLOAT_F32;
  running->floats->factor = running->types->factor[node];
}

static void after_node(void *arg, as_node_id node, as_tensor *value) {
  execution *running = arg;
  double *x = value->data;
  as_float_format format = running->types->value[node];
  for (size_t i = 0; i < value->n; i++)
    x[i] = as_float_round(format, x[i]);
  for (size_t i = 0; running->types->running[node] && i < value->n; i++)
    x[i] = x[i] < -as_float_most(AS_FLOAT_F32) ? -as_float_most(AS_FLOAT_F32) : x[i];
  running->floats->step = AS_FLOAT_F32;
  running->floats->factor = AS_FLOAT_WIDE;
}

as_status as_float_run(const as_graph *graph, as_float_domain *floats, const as_float_types *types,
                       const int64_t *env, as_eval_codes *codes, const as_tensor *inputs,
                       as_tensor *outputs, uint64_t max_ops, as_err *err) {
  execution running = {floats, types};
  as_eval_watch watch = {&running, before_node, after_node};
  return as_eval_graph_watched(graph, &floats->d, env, codes, &watch, inputs, outputs, max_ops,
                               NULL, err);
}
