/* Evaluates programs and muGraphs at kernel level, in order of definition. */
#include "eval_machine.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

static bool copy_tensor(ev_run *run, const as_node *node, as_tensor *to, const as_tensor *from) {
  int64_t dim[AS_MAX_RANK];
  if (!ev_extents(run, node, node->dim, node->rank, dim))
    return false;
  if (from->rank != node->rank || memcmp(dim, from->dim, node->rank * sizeof *dim))
    return ev_refuse(run, AS_BAD_INPUT, "an input of the wrong shape:", node);
  if (!as_tensor_fits(run->domain, dim, node->rank, &run->used))
    return ev_refuse(run, AS_UNKNOWN, "too large to evaluate:", node);
  as_tensor_init(to, run->domain, dim, node->rank);
  for (size_t i = 0; i < to->n; i++)
    run->domain->set(run->domain, as_tensor_at(to, i), as_tensor_at(from, i));
  return true;
}

static bool run_kernel_node(ev_run *run, as_node_id id) {
  const as_node *node = &run->graph->node[id];
  if (run->val[id].d)
    return true;
  switch (node->kind) {
  case AS_N_INPUT:
    return ev_refuse(run, AS_BAD_INPUT, "an input without a value:", node);
  case AS_N_CONST:
  case AS_N_SIZE:
    return ev_new_tensor(run, node, &run->val[id]) && ev_run_number(run, node, &run->val[id]);
  case AS_N_OP: {
    as_opcode *opcode = ev_opcode_of(run, id);
    bool ok = opcode && ev_new_tensor(run, node, &run->val[id]) &&
              ev_run_op(run, node, opcode, run->val, &run->val[id]);
    if (run->codes == NULL)
      as_opcode_free(opcode);
    return ok;
  }
  case AS_N_STORE:
    return ev_run_block(run, node->block);
  default:
    return ev_refuse(run, AS_BAD_INPUT, "cannot stand at kernel level:", node);
  }
}

/* one more than the largest id of a size that the graph can speak of */
static uint32_t symbols_used(const as_graph *graph) {
  uint32_t n = 0;
  for (const as_graph *side = graph; side; side = side->program) {
    for (uint32_t i = 0; i < side->n_own_size; i++)
      n = side->own_size[i] >= n ? side->own_size[i] + 1 : n;
  }
  for (int axis = 0; axis < 4; axis++) {
    as_size index = as_graph_find_block_index(graph->sizes, axis);
    n = index != AS_SIZE_BAD && graph->n_block > 0 && index >= n ? index + 1 : n;
  }
  return n;
}

/* run: the graph, the domain, and who looks on; everything else is of this evaluation */
static as_status evaluate(ev_run run, const int64_t *env, const as_tensor *inputs,
                          as_tensor *outputs, uint64_t max_ops, as_eval_marks *marks) {
  const as_graph *graph = run.graph;
  const as_domain *domain = run.domain;
  run.left = max_ops;
  run.marks = (as_eval_marks){.node = AS_NONE};
  run.ticks = max_ops ? &run.left : NULL;
  uint32_t n_values = symbols_used(graph);
  run.env = as_malloc((n_values + 1) * sizeof *run.env);
  memcpy(run.env, env, n_values * sizeof *run.env);
  run.val = as_calloc(graph->n + 1, sizeof *run.val);
  run.done = as_calloc(graph->n_block + 1, 1);
  bool ok = true;
  for (uint32_t i = 0; i < graph->n_input && ok; i++)
    ok = copy_tensor(&run, &graph->node[graph->input[i]], &run.val[graph->input[i]], &inputs[i]);
  /* in order of definition: operands come before users, and a kernel runs where its first store
   * stands */
  for (as_node_id i = 0; i < graph->n && ok; i++) {
    const as_node *node = &graph->node[i];
    if (node->kind == AS_N_STORE || node->block == AS_NONE)
      ok = run_kernel_node(&run, i);
  }
  for (uint32_t i = 0; i < graph->n_output && ok; i++) {
    if (!run.val[graph->output[i]].d)
      ok = ev_refuse(&run, AS_BAD_INPUT,
                     "an output without a value:", &graph->node[graph->output[i]]);
  }
  for (uint32_t i = 0; i < graph->n_output && ok; i++) {
    const as_tensor *tensor = &run.val[graph->output[i]];
    as_tensor_init(&outputs[i], domain, tensor->dim, tensor->rank);
    for (size_t k = 0; k < tensor->n; k++)
      domain->set(domain, as_tensor_at(&outputs[i], k), as_tensor_at(tensor, k));
  }
  for (uint32_t i = 0; i < graph->n; i++)
    as_tensor_clear(&run.val[i]);
  free(run.val);
  free(run.env);
  free(run.done);
  run.marks.ops = max_ops - run.left;
  if (marks)
    *marks = run.marks;
  return ok ? AS_OK : run.status != AS_OK ? run.status : AS_INTERNAL;
}

as_status as_eval_graph_again(const as_graph *graph, const as_domain *domain, const int64_t *env,
                              as_eval_codes *codes, const as_tensor *inputs, as_tensor *outputs,
                              uint64_t max_ops, as_eval_marks *marks, as_err *err) {
  ev_run run = {.graph = graph, .domain = domain, .codes = codes, .err = err};
  return evaluate(run, env, inputs, outputs, max_ops, marks);
}

as_status as_eval_graph_watched(const as_graph *graph, const as_domain *domain, const int64_t *env,
                                as_eval_codes *codes, const as_eval_watch *watch,
                                const as_tensor *inputs, as_tensor *outputs, uint64_t max_ops,
                                as_eval_marks *marks, as_err *err) {
  ev_run run = {.graph = graph, .domain = domain, .codes = codes, .watch = watch, .err = err};
  return evaluate(run, env, inputs, outputs, max_ops, marks);
}

as_status as_eval_graph_covering(const as_graph *graph, const as_domain *domain, const int64_t *env,
                                 const as_tensor *inputs, as_tensor *outputs, uint64_t max_ops,
                                 as_eval_marks *marks, as_eval_cover *cover, as_err *err) {
  ev_run run = {.graph = graph, .domain = domain, .cover = cover, .err = err};
  return evaluate(run, env, inputs, outputs, max_ops, marks);
}

bool as_graph_obligations(const as_graph *graph, as_vec *facts, as_err *err) {
  for (as_node_id i = 0; i < graph->n; i++) {
    const as_node *node = &graph->node[i];
    if (node->kind != AS_N_OP)
      continue;
    as_size adim[AS_MAX_ARGS][AS_MAX_RANK];
    as_size out[AS_MAX_RANK];
    uint32_t arank[AS_MAX_ARGS];
    uint32_t rank;
    for (uint32_t k = 0; k < node->nargs; k++) {
      arank[k] = graph->node[node->arg[k]].rank;
      memcpy(adim[k], graph->node[node->arg[k]].dim, sizeof adim[k]);
    }
    as_match match;
    memset(&match, 0, sizeof match);
    if (!as_opdef_match(graph->sizes, node->op, (const as_size(*)[AS_MAX_RANK])adim, arank,
                        node->nargs, node->attr, &match, out, &rank, facts, err))
      return false;
  }
  return true;
}
