/* Tensors that are known from their indices alone: what operators compute from no tensor of the
 * program (`iota`, an identity, a mask made of them). */
#include "graph.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

/* nodes of an expression that is worth computing again wherever an element is read */
enum { MOST_NODES = 64 };

/* whether the operation is one of indices: cheap, and exact on whole numbers */
static bool is_index_operation(as_ekind kind) {
  switch (kind) {
  case AS_E_NUM:
  case AS_E_NAME:
  case AS_E_ACCESS:
  case AS_E_ADD:
  case AS_E_SUB:
  case AS_E_MUL:
  case AS_E_IDIV:
  case AS_E_MOD:
  case AS_E_NEG:
  case AS_E_ABS:
  case AS_E_MAX2:
  case AS_E_MIN2:
  case AS_E_IF:
  case AS_E_REL:
  case AS_E_AND:
  case AS_E_OR:
  case AS_E_NOT:
    return true;
  default:
    return false;
  }
}

typedef struct {
  const as_node *call;
  const uint32_t *weight; /* by node; MOST_NODES + 1: no index tensor */
} weighing;

static uint32_t weigh(const weighing *work, const as_expr *expr);

/* what an access stands for: an operand's element or an inner definition */
static uint32_t weigh_named(const weighing *work, const char *name) {
  const as_opdef *op = work->call->op;
  for (uint32_t i = 0; i < op->nargs; i++) {
    if (strcmp(op->arg[i].name, name) == 0)
      return work->weight[work->call->arg[i]];
  }
  for (uint32_t i = 0; i + 1 < op->nlet; i++) {
    if (strcmp(op->let[i].name, name) == 0)
      return weigh(work, op->let[i].body);
  }
  return MOST_NODES + 1;
}

/* nodes of the expression with all that it reads written out; MOST_NODES + 1: more, or it is none
 * of indices */
static uint32_t weigh(const weighing *work, const as_expr *expr) {
  if (!is_index_operation(expr->kind))
    return MOST_NODES + 1;
  uint32_t nodes = expr->kind == AS_E_ACCESS ? weigh_named(work, expr->name) : 1;
  for (uint32_t i = 0; i < expr->n && nodes <= MOST_NODES; i++)
    nodes += expr->kid[i] ? weigh(work, expr->kid[i]) : 0;
  return nodes <= MOST_NODES ? nodes : MOST_NODES + 1;
}

static bool has_fold(const as_expr *expr) {
  bool fold = expr->kind >= AS_E_SUM && expr->kind <= AS_E_MINR;
  for (uint32_t i = 0; i < expr->n && !fold; i++)
    fold = expr->kid[i] && has_fold(expr->kid[i]);
  return fold;
}

bool as_opdef_folds(const as_opdef *op) {
  bool folds = false;
  for (uint32_t i = 0; i < op->nlet && !folds; i++)
    folds = has_fold(op->let[i].body);
  return folds;
}

/* A kernel-level operator that goes over elements more than once would compute each as often. */
static bool reads_often(const as_node *node) {
  return node->kind == AS_N_OP && node->block == AS_NONE && as_opdef_folds(node->op);
}

static uint32_t weight_of(const as_graph *graph, const uint32_t *weight, uint32_t id) {
  const as_node *node = &graph->node[id];
  if (as_node_is_number(node) || (node->kind == AS_N_INPUT && node->is_index_tensor))
    return 1;
  if (node->kind != AS_N_OP || node->block != AS_NONE)
    return MOST_NODES + 1;
  weighing work = {.call = node, .weight = weight};
  return weigh(&work, node->op->let[node->op->nlet - 1].body);
}

bool *as_graph_index_tensors(const as_graph *graph, bool are_kernels) {
  uint32_t *weight = as_malloc((graph->n + 1) * sizeof *weight);
  bool *found = as_calloc(graph->n + 1, sizeof *found);
  for (uint32_t i = 0; i < graph->n; i++) {
    weight[i] = weight_of(graph, weight, i);
    found[i] = weight[i] <= MOST_NODES && !as_node_is_number(&graph->node[i]);
  }
  for (uint32_t i = 0; are_kernels && i < graph->n; i++) {
    const as_node *node = &graph->node[i];
    for (uint32_t k = 0; k < node->nargs && reads_often(node); k++)
      found[node->arg[k]] = false;
  }
  for (uint32_t i = 0; i < graph->n_output; i++)
    found[graph->output[i]] = false;
  free(weight);
  return found;
}
