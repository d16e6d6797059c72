/* A certified program of a result directory, lowered: what `bench`, `build` and `run` begin with.
 */
#include "lowered.h"
#include "src/base/file.h"
#include "src/lower/lower.h"
#include <stdlib.h>
#include <string.h>

void cli_lowered_init(cli_lowered *c, const cli_opts *o) {
  memset(c, 0, sizeof *c);
  as_lowered_init(&c->low);
  cli_place_init(&c->at, o);
}

void cli_lowered_clear(cli_lowered *c) {
  as_lowered_clear(&c->low);
  as_job_clear(&c->job);
  cli_place_clear(&c->at);
  free(c->in);
  free(c->out);
}

/* The extents of a tensor at the sizes that the files give. */
static bool port_of(const as_graph *graph, as_node_id id, const int64_t *sizes, as_rt_port *port,
                    as_err *err) {
  const as_node *node = &graph->node[id];
  port->name = node->name;
  port->type = node->dtype;
  port->rank = node->rank;
  for (uint32_t axis = 0; axis < node->rank; axis++) {
    port->extent[axis] = as_size_eval(graph->sizes, node->dim[axis], sizes);
    if (port->extent[axis] < 0)
      return as_err_set(err, AS_BAD_INPUT, "%s: an extent has no value", node->name);
  }
  return true;
}

static bool find_ports(cli_lowered *c, as_err *err) {
  const as_graph *graph = c->job.graph;
  int64_t *sizes = as_graph_size_values(graph);
  c->in = as_calloc(graph->n_input + 1, sizeof *c->in);
  c->out = as_calloc(graph->n_output + 1, sizeof *c->out);
  bool ok = true;
  for (uint32_t i = 0; ok && i < graph->n_input; i++)
    ok = port_of(graph, graph->input[i], sizes, &c->in[i], err);
  for (uint32_t i = 0; ok && i < graph->n_output; i++)
    ok = port_of(graph, graph->output[i], sizes, &c->out[i], err);
  c->ports = (as_rt_interface){c->in, graph->n_input, c->out, graph->n_output};
  free(sizes);
  return ok;
}

bool cli_lower(cli_lowered *c, const cli_opts *o, as_err *err) {
  as_job_init(&c->job, cli_library(&c->at.opts, err));
  if (!c->job.lib || !as_job_read_program(&c->job, c->at.prog, err) ||
      !as_job_read_candidate(&c->job, c->at.cand, err))
    return false;
  if (o->n_arg == 1 && !as_exists(c->at.cert))
    return as_err_set(err, AS_BAD_INPUT, "%s: has no certificate, so nothing of it is run",
                      o->arg[0]);
  c->target = cli_target(o, o->n_arg == 1 ? o->arg[0] : NULL, err);
  as_lower_opts plan = {.target = c->target};
  return c->target && as_lower_cuda(c->job.graph, &plan, &c->low, err) && find_ports(c, err);
}
