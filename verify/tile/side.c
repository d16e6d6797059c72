#include "side.h"
#include <stdlib.h>
#include <string.h>

const as_graph *as_side_sizes(const as_tile_side *side) {
  return side->tile ? side->tile->sizes : side->graph;
}

/* whose inputs a graph has: a muGraph those of its program */
static const as_graph *with_inputs(const as_graph *graph) {
  return graph->program ? graph->program : graph;
}

uint32_t as_side_n_arguments(const as_tile_side *side) {
  return side->tile ? as_tile_n_arguments(side->tile) : with_inputs(side->graph)->n_input;
}

static as_side_tensor of_tile(const as_tile_program *program, uint32_t number) {
  const as_tile_tensor *tensor = &program->tensor[number];
  return (as_side_tensor){tensor->name, tensor->dim, tensor->rank, tensor->type == AS_TILE_INT};
}

static as_side_tensor of_graph(const as_graph *graph, as_node_id id) {
  const as_node *node = &graph->node[id];
  bool integers = node->kind == AS_N_INPUT && node->dtype == AS_INT;
  return (as_side_tensor){node->name, node->dim, node->rank, integers};
}

as_side_tensor as_side_argument(const as_tile_side *side, uint32_t i) {
  if (side->tile)
    return of_tile(side->tile, as_tile_argument(side->tile, i));
  const as_graph *graph = with_inputs(side->graph);
  return of_graph(graph, graph->input[i]);
}

uint32_t as_side_n_results(const as_tile_side *side) {
  return side->tile ? as_tile_n_results(side->tile) : side->graph->n_output;
}

as_side_tensor as_side_result(const as_tile_side *side, uint32_t i) {
  if (side->tile)
    return of_tile(side->tile, as_tile_result(side->tile, i));
  return of_graph(side->graph, side->graph->output[i]);
}

void as_side_evaluate(const as_tile_side *side, const as_tile_setting *setting, as_side_run *run) {
  *run = (as_side_run){.n_results = as_side_n_results(side)};
  as_err_init(&run->err);
  as_tensor *result = as_calloc(run->n_results + 1, sizeof *result);
  if (side->tile) {
    run->status = as_tile_run(side->tile, setting, result, &run->notes, &run->err);
  } else {
    as_eval_marks marks = {0};
    run->status = as_eval_graph_ops(side->graph, setting->domain, setting->env, setting->arguments,
                                    result, setting->max_ops, &marks, &run->err);
    run->notes.flags = marks.flags;
  }
  if (run->status == AS_OK)
    run->result = result;
  else
    free(result);
}

void as_side_run_clear(as_side_run *run) {
  for (uint32_t i = 0; run->result && i < run->n_results; i++)
    as_tensor_clear(&run->result[i]);
  free(run->result);
  as_err_clear(&run->err);
}
