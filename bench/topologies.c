/* Which of these muGraphs does the search find?
 *
 *     topologies [--seconds N] PROGRAM.tp GRAPH.mug ..
 *
 * Searches the program as `assay optimize --all` does, compares the topology (search/topology.h) of
 * each graph with those of all certified candidates, and prints lines of words with tabs between:
 *
 *     search    candidates  cheapest us  states  seconds
 *     candidate us  words
 *     graph     file  topology  us at its own tile sizes  us at the best ones  us found  state
 * words
 *
 * Times are the model's; `-`: none.  us found: of the cheapest certified candidate that has the
 * topology at some tile sizes.  state: `found`; `kernel N` where no certified candidate has the
 * graph's N-th block graph; `together` where all are there, but in no candidate with each other. */
#include "search/search.h"
#include "search/topology.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/lower/lower.h"
#include "src/optimize/candidates.h"
#include "tests/operators.h"
#include "verify/judge/job.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 64, TESTED = 256, PARTITIONS = 16, REACH = 2 }; /* as optimize --all */

typedef struct {
  uint32_t *topology;
  uint32_t n;
  double us;
} variants; /* of one candidate */

typedef struct {
  as_topologies *table;
  const as_target *target;
  as_search_result result;
  variants *of;     /* by candidate */
  uint32_t *kernel; /* of all candidates */
  uint32_t n_kernel;
} findings;

static bool search(const as_job *job, double seconds, findings *found) {
  as_lower_opts plan = {.target = found->target};
  as_policy policy;
  as_policy_init(&policy);
  as_policy_without_solvers(&policy);
  policy.stop_early = true;
  as_search_opts options = as_search_default;
  options.keep = KEPT;
  options.max_tested = TESTED;
  options.max_partitions = PARTITIONS;
  options.reach = REACH;
  options.max_seconds = seconds;
  options.target = found->target;
  options.concrete = true;
  options.policy = &policy;
  options.given = as_job_judged(job).given;
  options.lowers = as_lowers;
  options.lowers_arg = &plan;
  as_status status = as_search(job->program, &options, &found->result);
  const as_search_result *result = &found->result;
  printf("search\t%u\t%.4f\t%llu\t%.1f\n", result->n, result->n ? result->cand[0].us : 0.0,
         (unsigned long long)result->stats.states, result->stats.seconds);
  char *said = as_search_said(result, false);
  if (said)
    fprintf(stderr, "%s: %s\n", job->program->name, said);
  free(said);
  return status == AS_OK;
}

static void read_candidates(findings *found) {
  found->of = as_calloc(found->result.n + 1, sizeof *found->of);
  for (uint32_t i = 0; i < found->result.n; i++) {
    const as_candidate *candidate = &found->result.cand[i];
    variants *own = &found->of[i];
    uint32_t n;
    uint32_t *kernel = as_kernel_topologies(found->table, candidate->graph, true, &n);
    char *words = as_structure(candidate->graph);
    printf("candidate\t%.4f\t%s\n", candidate->us, words);
    free(words);
    own->us = candidate->us;
    own->topology = as_topologies_of(found->table, candidate->graph, &own->n);
    found->kernel = as_realloc(found->kernel, (found->n_kernel + n + 1) * sizeof *found->kernel);
    if (n)
      memcpy(found->kernel + found->n_kernel, kernel, n * sizeof *kernel);
    found->n_kernel += n;
    free(kernel);
  }
}

static void print_us(double us) {
  if (us >= 0)
    printf("\t%.4f", us);
  else
    printf("\t-");
}

/* the model's time with the sizes that the file has, and with the best ones */
static void print_price(const findings *found, as_graph *graph) {
  print_us(as_cost(graph, found->target, NULL));
  uint32_t n;
  as_tiling *tiling = as_tilings(graph, found->target, 1, &n, NULL);
  print_us(n ? tiling[0].us : -1);
  for (uint32_t i = 0; i < n; i++) {
    free(tiling[i].size);
    free(tiling[i].value);
  }
  free(tiling);
}

static void print_kernels_not_found(const findings *found, const as_graph *graph) {
  uint32_t n;
  uint32_t *kernel = as_kernel_topologies(found->table, graph, false, &n);
  bool all = true;
  for (uint32_t i = 0; i < n && all; i++) {
    bool there = false;
    for (uint32_t k = 0; k < found->n_kernel; k++)
      there = there || found->kernel[k] == kernel[i];
    if (!there)
      printf("\tkernel %u", i + 1);
    all = all && there;
  }
  if (all)
    printf("\ttogether");
  free(kernel);
}

static void print_place(const findings *found, const as_graph *graph, uint32_t topology) {
  for (uint32_t i = 0; i < found->result.n; i++) {
    for (uint32_t k = 0; k < found->of[i].n; k++) {
      if (found->of[i].topology[k] == topology) {
        print_us(found->of[i].us);
        printf("\tfound");
        return;
      }
    }
  }
  printf("\t-");
  print_kernels_not_found(found, graph);
}

/* the file is a muGraph of the program; it is read with sizes of its own, as its names may be those
 * of another */
static bool print_graph(const as_graph *program, const findings *found, const char *file,
                        as_err *err) {
  size_t len;
  char *text = as_read_file(file, &len, err);
  if (text == NULL)
    return false;
  as_graph *given = as_graph_copy(program);
  given->sizes = as_sizes_copy(program->sizes);
  as_graph *graph = as_parse_mug(file, text, len, given, err);
  if (graph) {
    uint32_t topology = as_topology(found->table, graph);
    char *words = as_structure(graph);
    printf("graph\t%s\t%u", file, topology);
    print_price(found, graph);
    print_place(found, graph, topology);
    printf("\t%s\n", words);
    free(words);
    as_graph_free(graph);
  }
  as_sizes_free(given->sizes);
  as_graph_free(given);
  free(text);
  return graph != NULL;
}

static void findings_clear(findings *found) {
  for (uint32_t i = 0; i < found->result.n; i++)
    free(found->of[i].topology);
  free(found->of);
  free(found->kernel);
  as_search_result_clear(&found->result);
  as_topologies_free(found->table);
}

int main(int argc, char **argv) {
  int first = 1;
  double seconds = as_search_default.max_seconds;
  if (argc > 2 && strcmp(argv[1], "--seconds") == 0) {
    seconds = atof(argv[2]);
    first = 3;
  }
  if (argc <= first) {
    fprintf(stderr, "usage: topologies [--seconds N] PROGRAM.tp GRAPH.mug ..\n");
    return AS_BAD_INPUT;
  }
  as_err err;
  as_err_init(&err);
  as_job job;
  as_job_init(&job, test_operators());
  findings found = {.table = as_topologies_new(), .target = as_target_default()};
  bool ok = as_job_read_program(&job, argv[first], &err);
  if (ok && !search(&job, seconds, &found))
    ok = as_err_set(&err, AS_UNKNOWN, "%s: nothing was certified", argv[first]);
  if (ok)
    read_candidates(&found);
  for (int i = first + 1; i < argc && ok; i++)
    ok = print_graph(job.program, &found, argv[i], &err);
  int status = ok ? AS_OK : as_err_tell(&err);
  findings_clear(&found);
  as_job_clear(&job);
  as_err_clear(&err);
  return status;
}
