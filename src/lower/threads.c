#include "threads.h"
#include "../threads/threads.h"
#include "body.h"
#include "emit.h"
#include "live.h"
#include "src/base/id.h"
#include "src/ir/graph_types.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const lo_job *job;
} addresses;

static char *address(void *arg, as_node_id tensor) {
  const addresses *a = arg;
  return lo_global_pointer(a->job, a->job->node_val[tensor]);
}

static const char *target_of(const lo_job *job) {
  return job->options->target->has & AS_HAS_TMA ? "sm_90" : "sm_80";
}

/* the block graph that a unit was made of; AS_NONE: of an operator at kernel level */
static uint32_t block_of(const lo_job *job, const lo_unit *unit) {
  for (uint32_t i = 0; i < job->graph->n_block; i++) {
    if (!strcmp(job->graph->block[i].name, unit->name))
      return i;
  }
  return AS_NONE;
}

void lo_threads_types(lo_job *job) {
  const as_graph *g = job->graph;
  job->type16 = as_graph_type(g);
  job->is16 = job->type16 != AS_F32 && !as_graph_is_mixed(g);
  bool narrow = job->is16 && !job->options->no_mma && !job->options->no_threads;
  as_dtype *chosen = as_graph_between(g);
  job->between = as_arena_alloc(job->arena, (g->n + 1) * sizeof *job->between);
  for (uint32_t i = 0; i < g->n; i++)
    job->between[i] = narrow ? chosen[i] : AS_F32;
  free(chosen);
}

/* A part whose place is left to run time is copied by a kernel of its own: there its elements are
 * not where they lie at the sizes stated. */
static bool is_copied_part(const as_block_ref *ref, as_node_id tensor, const lo_value *source) {
  as_block_place at;
  bool part = as_block_place_of(ref, tensor, &at, NULL) && at.base != tensor;
  return part && (source->kind != LV_GLOBAL || source->buffer_class != LG_PART);
}

/* why not all tiles of the block are copied from memory as they are, or computed of where they lie;
 * NULL: they are */
static const char *reads_elsewhere(const lo_job *job, uint32_t block) {
  const char *why = NULL;
  as_block_ref ref = {job->graph, block, job->size_value, job->between};
  for (uint32_t i = 0; i < job->graph->block[block].n && why == NULL; i++) {
    as_node_id id = job->graph->block[block].nodes[i];
    const as_node *node = &job->graph->node[id];
    if (node->kind != AS_N_LOAD)
      continue;
    const lo_value *source = &job->value[job->node_val[node->arg[0]]];
    why = as_block_is_computed(&ref, id) ? NULL
          : source->through              ? "it reads a tensor that is no memory"
          : lo_holds_integers(source)    ? "it reads a tensor of integers"
          : is_copied_part(&ref, node->arg[0], source)
              ? "it reads a part whose place is left to run time"
              : NULL;
  }
  return why;
}

void lo_threads(lo_job *job, lo_unit *unit, uint32_t which) {
  as_threads_kernel kernel;
  char *why = NULL;
  uint32_t block = block_of(job, unit);
  if (block == AS_NONE || job->options->no_mma || job->options->no_threads)
    return;
  if (as_graph_has_cut_tiles(job->graph, &job->graph->block[block])) {
    as_str_printf(&job->notes, "%s: no thread graph: tiles are cut off where their tensor ends\n",
                  unit->name);
    return;
  }
  const char *elsewhere = reads_elsewhere(job, block);
  if (elsewhere) {
    as_str_printf(&job->notes, "%s: no thread graph: %s\n", unit->name, elsewhere);
    return;
  }
  const char *differs = lo_live_within(job, unit, block);
  if (differs) {
    as_str_printf(&job->notes, "%s: no thread graph: %s\n", unit->name, differs);
    return;
  }
  char *along[2] = {NULL, NULL};
  for (int axis = 0; axis < 2; axis++)
    along[axis] = unit->grid_live[axis] ? lo_blocks_text(job, unit, axis) : NULL;
  as_block_ref ref = {job->graph, block, job->size_value, job->between};
  addresses a = {job};
  as_threads_opts options = {.target = target_of(job),
                             .smem_limit = job->options->target->shared_block,
                             .warps = (int)job->options->warps,
                             .stages = (int)job->options->stages,
                             .gpu = job->options->target,
                             .blocks = {along[0], along[1]}};
  char *name = as_format("k%u_%s", which, unit->name);
  if (as_threads_lower(&ref, &options, name, address, &a, &kernel, &why)) {
    unit->threads = as_malloc(sizeof kernel);
    *unit->threads = kernel;
    unit->warps = (int)kernel.threads / 32;
    unit->stages = kernel.graph->stages;
    unit->smem = kernel.smem;
    as_str_printf(&job->notes, "%s: thread graph validated in %.0f ms: %u threads, %d stages, %s\n",
                  unit->name, 1000 * kernel.validated_s, kernel.threads, kernel.graph->stages,
                  kernel.graph->producer     ? "bulk copies by a producer warp"
                  : kernel.graph->stages > 1 ? "asynchronous copies by all"
                                             : "tiles in registers");
  } else {
    as_str_printf(&job->notes, "%s: no thread graph: %s\n", unit->name, why);
  }
  free(why);
  free(name);
  free(along[0]);
  free(along[1]);
}

void lo_threads_clear(lo_unit *unit) {
  if (unit->threads)
    as_threads_kernel_clear(unit->threads);
  free(unit->threads);
  unit->threads = NULL;
}

bool lo_threads_prelude(lo_job *job, as_str *out) {
  const as_tg **graph = as_calloc(job->n_unit + 1, sizeof *graph);
  unsigned n = 0;
  for (uint32_t i = 0; i < job->n_unit; i++) {
    if (job->unit[i].threads)
      graph[n++] = job->unit[i].threads->graph;
  }
  char *text = n ? as_threads_prelude(target_of(job), graph, n, job->err) : as_strdup("");
  free(graph);
  if (text)
    as_str_add(out, text);
  free(text);
  return text != NULL;
}

void lo_threads_kernel(const lo_unit *unit, as_str *out) {
  as_str_add(out, unit->threads->kernel);
}

/* Was a kernel of the program launched before, whatever the sizes?  Then all that was asked of the
 * stream before the program is over. */
static bool is_behind_another(const lo_job *job, uint32_t which) {
  bool behind = false;
  for (uint32_t i = 0; i < which; i++)
    behind = behind || job->unit[i].library || job->unit[i].blocks;
  return behind && !job->n_ranged;
}

void lo_threads_launch(const lo_job *job, uint32_t which, const char *blocks, as_str *out) {
  const lo_unit *unit = &job->unit[which];
  bool beside = unit->threads->waits &&
                (is_behind_another(job, which) || (job->n_ranged && !unit->threads->early));
  as_str_add(out, *unit->threads->before ? "  {\n    int status = 0;\n" : "  {\n");
  as_str_add(out, unit->threads->before);
  as_str_printf(out, "    %s(k%u_%s, %s, %u, %ld, stream, a%s);\n  }\n",
                beside ? "AT_LAUNCH_AFTER" : "AT_LAUNCH", which, unit->name, blocks,
                unit->threads->threads, unit->smem, unit->threads->arguments);
}
