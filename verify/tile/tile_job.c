#include "tile_job.h"
#include <stdlib.h>
#include <string.h>

void as_tile_job_init(as_tile_job *job, as_oplib *lib) {
  *job = (as_tile_job){.lib = lib, .sizes = as_sizes_new()};
}

void as_tile_job_clear(as_tile_job *job) {
  for (int which = 1; which >= 0; which--) {
    as_tile_free(job->tile[which]);
    if (job->graph[which])
      as_graph_free(job->graph[which]);
  }
  if (job->sizes)
    as_sizes_free(job->sizes);
  *job = (as_tile_job){0};
}

bool as_tile_job_take(as_tile_job *job, int which, const char *name, const char *text, size_t len,
                      as_err *err) {
  if (which == 0)
    as_oplib_read_as(job->lib, AS_READ_GIVEN);
  else
    as_oplib_new_candidate(job->lib);
  if (as_tile_is_text(text, len)) {
    job->tile[which] = as_tile_parse(name, text, len, job->sizes, job->lib, err);
    return job->tile[which] != NULL;
  }
  const char *dot = strrchr(name, '.');
  bool graph = dot && strcmp(dot, ".mug") == 0;
  if (graph)
    as_oplib_read_as(job->lib, AS_READ_GIVEN); /* with the program's own definitions */
  if (graph && (which == 0 || job->graph[0] == NULL))
    return as_err_set(err, AS_BAD_INPUT, "%s: a muGraph is read with a program (.tp)", name);
  job->graph[which] = graph ? as_parse_mug(name, text, len, job->graph[0], err)
                            : as_parse_tp(name, text, len, job->sizes, job->lib, err);
  return job->graph[which] != NULL;
}

as_status as_tile_job_judge(const as_tile_job *job, const as_tile_budget *budget,
                            as_tile_verdict *verdict, as_err *err) {
  as_tile_side given = {job->tile[0], job->graph[0]};
  as_tile_side candidate = {job->tile[1], job->graph[1]};
  return as_tile_judge(&given, &candidate, budget, verdict, err);
}

const char *as_tile_answer_word(as_tile_answer answer) {
  static const char *const words[] = {"UNKNOWN", "REFUTED", "ORDER-DEPENDENT"};
  return words[answer];
}
