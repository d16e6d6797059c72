/* A certified program of a result directory, lowered: what `bench`, `build` and `run` begin with.
 */
#include "lowered.h"
#include "src/base/file.h"
#include "src/lower/lower.h"
#include <stdlib.h>
#include <string.h>

void cli_lowered_init(cli_lowered *made, const cli_opts *opts) {
  memset(made, 0, sizeof *made);
  as_lowered_init(&made->low);
  cli_place_init(&made->at, opts);
}

void cli_lowered_clear(cli_lowered *made) {
  as_lowered_clear(&made->low);
  as_job_clear(&made->job);
  cli_place_clear(&made->at);
  free(made->in);
  free(made->out);
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

static bool find_ports(cli_lowered *made, as_err *err) {
  const as_graph *graph = made->job.graph;
  int64_t *sizes = as_graph_size_values(graph);
  made->in = as_calloc(graph->n_input + 1, sizeof *made->in);
  made->out = as_calloc(graph->n_output + 1, sizeof *made->out);
  bool ok = true;
  for (uint32_t i = 0; ok && i < graph->n_input; i++)
    ok = port_of(graph, graph->input[i], sizes, &made->in[i], err);
  for (uint32_t i = 0; ok && i < graph->n_output; i++)
    ok = port_of(graph, graph->output[i], sizes, &made->out[i], err);
  for (uint32_t i = 0; ok && i < graph->n_input; i++)
    made->in[i].range = as_graph_index_range(made->job.program, made->job.program->input[i], sizes,
                                             &made->in[i].exact);
  for (uint32_t i = 0; ok && i < graph->n_output; i++)
    made->out[i].type = made->low.out_type[i]; /* the kernels' choice: one type for all outputs */
  made->ports = (as_rt_interface){made->in, graph->n_input, made->out, graph->n_output};
  free(sizes);
  return ok;
}

/* The certificate of a result directory is for the texts that lie there now: a file of that name
 * alone says nothing, and what was changed after it was certified is not what was proved. */
static bool is_certified(const cli_lowered *made, const char *dir, as_err *err) {
  if (!as_exists(made->at.cert))
    return as_err_set(err, AS_BAD_INPUT, "%s: has no certificate, so nothing of it is run", dir);
  size_t length;
  char *cert = as_read_file(made->at.cert, &length, err);
  if (cert == NULL)
    return false;
  as_policy policy;
  as_policy_init(&policy);
  as_policy_ask_nobody(&policy);
  policy.field = false; /* the checker's word is what is asked for */
  as_judged judged = as_job_judged(&made->job);
  as_verdict verdict;
  as_verdict_init(&verdict);
  as_judge_certificate(&judged, &policy, cert, length, &verdict);
  bool certified = verdict.certified;
  if (!certified)
    as_err_set(err, AS_NO,
               "%s: its certificate does not prove that this candidate refines this program, so "
               "nothing of it is run: %s",
               dir, verdict.why ? verdict.why : "the claim cannot be read");
  as_verdict_clear(&verdict);
  free(cert);
  return certified;
}

bool cli_lower(cli_lowered *made, const cli_opts *opts, as_err *err) {
  if (!cli_place_is_there(&made->at, opts, err))
    return false;
  as_job_init(&made->job, cli_library(&made->at.opts, err));
  if (!made->job.lib || !as_job_read_program(&made->job, made->at.prog, err) ||
      !as_job_read_candidate(&made->job, made->at.cand, err))
    return false;
  if (opts->n_arg == 1 && !is_certified(made, opts->arg[0], err))
    return false;
  cli_place_tell_others(&made->at, opts, made->job.lib);
  made->target = cli_target(opts, opts->n_arg == 1 ? opts->arg[0] : NULL, err);
  as_lower_opts plan = {.target = made->target};
  return made->target && as_lower_cuda(made->job.graph, &plan, &made->low, err) &&
         find_ports(made, err);
}
