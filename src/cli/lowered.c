/* A certified program of a result directory, lowered: what `bench`, `build` and `run` begin with.
 */
#include "lowered.h"
#include "src/base/file.h"
#include "src/check/check.h"
#include <errno.h>
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
}

/* takes NAME=VALUE, where that names a size left to run time */
static bool take_size(const as_graph *graph, const char *given, int64_t *sizes, as_err *err) {
  const char *equals = strchr(given, '=');
  if (equals == NULL)
    return true;
  char *name = as_format("%.*s", (int)(equals - given), given);
  as_size symbol = as_size_find(graph->sizes, name);
  free(name);
  if (symbol == AS_SIZE_BAD || !as_size_is_ranged(graph->sizes, symbol))
    return true;
  char *end;
  errno = 0;
  long long value = strtoll(equals + 1, &end, 10);
  if (end == equals + 1 || *end != 0 || errno != 0)
    return as_err_set(err, AS_BAD_INPUT, "%s: is no integer", given);
  sizes[symbol] = value;
  return true;
}

bool cli_lower(cli_lowered *made, const cli_opts *opts, as_err *err) {
  return cli_lower_at(made, opts, NULL, 0, err);
}

bool cli_lower_at(cli_lowered *made, const cli_opts *opts, char *const *words, uint32_t n_words,
                  as_err *err) {
  if (!cli_place_is_there(&made->at, opts, err))
    return false;
  as_job_init(&made->job, cli_library(&made->at.opts, err));
  made->job.any_tile = true;
  if (!made->job.lib || !as_job_read_program(&made->job, made->at.prog, err) ||
      !as_job_read_candidate(&made->job, made->at.cand, err))
    return false;
  as_judged judged = as_job_judged(&made->job);
  if (opts->n_arg == 1 && !as_check_proves(&judged, opts->arg[0], made->at.cert, err))
    return false;
  cli_place_tell_others(&made->at, opts, made->job.lib);
  made->target = cli_target(opts, opts->n_arg == 1 ? opts->arg[0] : NULL, err);
  as_kernels_of texts = as_check_texts(&made->job);
  const as_graph *graph = made->job.graph ? made->job.graph : as_kernels_sizes(&texts);
  int64_t *sizes = as_graph_size_values(graph);
  bool ok = made->target != NULL;
  for (uint32_t i = 0; ok && i < n_words; i++)
    ok = take_size(graph, words[i], sizes, err);
  as_lower_opts plan = {.target = made->target, .env = words ? sizes : NULL};
  ok = ok && as_kernels_lower(&texts, &plan, &made->low, err) &&
       (opts->n_arg != 1 || as_check_planned(opts->arg[0], made->target, &made->low, err));
  made->ports = as_rt_interface_of(&made->low);
  made->name = as_kernels_name(&texts);
  free(sizes);
  return ok;
}
