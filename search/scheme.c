/* Schemes as muGraphs of the whole program. */
#include "driver.h"
#include "src/base/id.h"
#include "src/base/trace.h"
#include <stdlib.h>
#include <string.h>

static bool add_predefined(const as_graph *variant, as_graph *graph, uint32_t id, as_node_id *node,
                           as_err *err) {
  const as_node *call = &variant->node[id];
  as_node_id arg[AS_MAX_ARGS];
  for (uint32_t j = 0; j < call->nargs; j++) {
    const as_node *from = &variant->node[call->arg[j]];
    arg[j] = as_graph_is_number(from) ? as_graph_copy_number(graph, from) : node[call->arg[j]];
  }
  node[id] = as_graph_op(graph, AS_NONE, call->name, call->op, arg, call->nargs, call->attr, err);
  return node[id] != AS_NONE;
}

sg_scheme *sg_scheme_add(sg_search *search, const sg_variant *variant, uint32_t n_pieces) {
  search->schemes = as_realloc(search->schemes, (search->n_schemes + 1) * sizeof *search->schemes);
  sg_scheme *added = &search->schemes[search->n_schemes++];
  *added = (sg_scheme){.variant = variant, .n = n_pieces};
  added->pieces = as_calloc(n_pieces + 1, sizeof *added->pieces);
  return added;
}

void sg_piece_init(sg_piece *piece, const uint32_t *ops, uint32_t n) {
  *piece = (sg_piece){.n = n, .ops = as_malloc((n + 1) * sizeof *piece->ops)};
  memcpy(piece->ops, ops, n * sizeof *ops);
}

/* the program's inputs, and the variant's inputs that are parts of them */
static bool read_inputs(const sg_variant *variant, as_graph *graph, as_node_id *node, as_err *err) {
  const as_graph *program = variant->graph;
  uint32_t n_own = program->n_input - variant->slices.n;
  for (uint32_t i = 0; i < n_own; i++)
    node[program->input[i]] = graph->input[i];
  for (uint32_t i = 0; i < variant->slices.n; i++) {
    const sg_slice *slice = &variant->slices.slice[i];
    uint32_t id = program->input[n_own + i];
    as_node_id of = node[program->input[slice->input]];
    node[id] =
        as_graph_op(graph, AS_NONE, program->node[id].name, slice->op, &of, 1, slice->attr, err);
    if (node[id] == AS_NONE)
      return false;
  }
  return true;
}

as_graph *sg_scheme_build(const sg_search *search, const sg_scheme *scheme, as_err *err) {
  const as_graph *program = search->program;
  const as_graph *variant = scheme->variant->graph;
  as_graph *graph = as_graph_new(program->sizes, program->lib, program, program->name);
  as_node_id *node = as_malloc((variant->n + 1) * sizeof *node); /* by node of the variant */
  for (uint32_t i = 0; i < variant->n; i++)
    node[i] = AS_NONE;
  bool built = read_inputs(scheme->variant, graph, node, err);
  for (uint32_t i = 0; i < scheme->n && built; i++) {
    const sg_piece *piece = &scheme->pieces[i];
    if (piece->segment) {
      built = sg_segment_build(piece->segment, piece->rank, graph, node, err);
      continue;
    }
    for (uint32_t k = 0; k < piece->n && built; k++)
      built = add_predefined(variant, graph, piece->ops[k], node, err);
  }
  for (uint32_t i = 0; i < variant->n_output && built; i++)
    built = as_graph_output(graph, node[variant->output[i]], err);
  built = built && as_graph_valid(graph, err);
  free(node);
  if (!built) {
    as_graph_free(graph);
    return NULL;
  }
  return graph;
}

/* the operators by the names of what they compute; malloc'ed */
static char *print_operators(const sg_variant *variant, const uint32_t *ops, uint32_t n) {
  as_str text;
  as_str_init(&text);
  for (uint32_t i = 0; i < n; i++) {
    const as_node *node = &variant->graph->node[ops[i]];
    as_str_printf(&text, "%s%s = %s", i ? ", " : "", node->name, node->op->name);
  }
  return as_str_take(&text);
}

sg_segment *sg_search_segment(sg_search *search, const sg_variant *variant, const uint32_t *ops,
                              uint32_t n, uint64_t max_states) {
  as_search_opts opts = search->opts;
  opts.max_states = max_states;
  sg_segment *segment = as_calloc(1, sizeof *segment);
  uint64_t states_before = search->result->stats.states;
  as_err why;
  as_err_init(&why);
  sg_cut cut = {.graph = variant->graph, .op = ops, .n = n, .kernel = ops, .n_kernel = n};
  if (sg_segment_prepare(segment, &cut, &opts, &search->enumerate_till, &search->result->stats,
                         &why) &&
      segment->has_part && !sg_segment_take(segment, &opts, search->segments, search->n_segments))
    sg_segment_complete(segment, &cut, &opts, &search->enumerate_till, &search->result->stats,
                        &why);
  if (why.status == AS_INTERNAL || AS_TRACE_ON(SEARCH)) {
    char *shown = print_operators(variant, ops, n);
    if (why.status == AS_INTERNAL) {
      char *text = as_err_format(&why);
      sg_note(search, as_format("the operators %s: %s", shown, text));
      free(text);
    }
    AS_TRACE(SEARCH, "%s in one kernel: %u muGraphs, the best %.4g us, %llu states", shown,
             segment->n_rank, segment->n_rank ? segment->rank[0].us : -1.0,
             (unsigned long long)(search->result->stats.states - states_before));
    free(shown);
  }
  as_err_clear(&why);
  search->segments =
      as_realloc(search->segments, (search->n_segments + 1) * sizeof *search->segments);
  search->segments[search->n_segments++] = segment;
  return segment;
}
