#include "general.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

void as_batch_known_of(const as_tile_job *job, as_import_known *known) {
  as_tile_side given = {job->tile[0], job->graph[0]};
  const as_graph *sizes = as_side_sizes(&given);
  uint32_t n_argument = as_side_n_arguments(&given);
  uint32_t n_result = as_side_n_results(&given);
  as_import_tensor *tensor = as_calloc(n_argument + n_result + 1, sizeof *tensor);
  for (uint32_t i = 0; i < n_argument + n_result; i++) {
    as_side_tensor of =
        i < n_argument ? as_side_argument(&given, i) : as_side_result(&given, i - n_argument);
    tensor[i] = (as_import_tensor){of.name, of.rank, of.dim};
  }
  *known = (as_import_known){job->sizes, sizes->n_own_size, sizes->own_size, n_argument + n_result,
                             tensor};
}

void as_batch_known_clear(as_import_known *known) {
  free((as_import_tensor *)(uintptr_t)known->tensor);
}

/* of what the job has read as given; malloc'ed */
static char *printed(const as_tile_job *job) {
  return job->tile[0] ? as_tile_print(job->tile[0]) : as_print_tp(job->graph[0]);
}

static bool read_given(as_tile_job *job, const as_batch_given *given, as_err *err) {
  as_tile_job_init(job, given->library);
  return as_tile_job_take(job, 0, given->name, given->text, strlen(given->text), err);
}

char *as_batch_related(const as_batch_given *given, const char *relations, as_err *err) {
  as_tile_job job;
  bool ok = read_given(&job, given, err);
  as_graph *sizes = ok && job.tile[0] ? job.tile[0]->sizes : job.graph[0];
  ok = ok && as_graph_relate(sizes, given->name, relations, strlen(relations), err);
  char *text = ok ? printed(&job) : NULL;
  as_tile_job_clear(&job);
  return text;
}

char *as_batch_at_values(const as_batch_given *given, const int64_t *value, as_err *err) {
  as_tile_job job;
  bool ok = read_given(&job, given, err) &&
            (job.tile[0] ? as_tile_fix_sizes(job.tile[0], given->library, value, err)
                         : as_graph_fix_sizes(job.graph[0], value, err));
  char *text = ok ? printed(&job) : NULL;
  as_tile_job_clear(&job);
  return text;
}
