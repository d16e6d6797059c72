#include "tiles.h"
#include "extract.h"
#include "saturate.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

const as_tiles_opts as_tiles_default = {
    .tile = 64, .most_nodes = 60000, .rounds = 12, .keep = 12, .target = NULL};

static int by_cost(const void *left, const void *right) {
  const as_tiles_program *a = left;
  const as_tiles_program *b = right;
  if (a->us != b->us)
    return a->us < b->us ? -1 : 1;
  if (a->bytes != b->bytes)
    return a->bytes < b->bytes ? -1 : 1;
  return strcmp(a->text, b->text);
}

/* programs whose trees differ may be one text, once what nobody reads is left out */
static void drop_twins(as_tiles_result *result) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < result->n; i++) {
    if (n && strcmp(result->program[n - 1].text, result->program[i].text) == 0)
      free(result->program[i].text);
    else
      result->program[n++] = result->program[i];
  }
  result->n = n;
}

static void add_program(const tl_naive *naive, const tl_tree *tree, const as_tiles_opts *opts,
                        as_arena *mem, as_tiles_result *result) {
  const as_target *target = opts->target ? opts->target : as_target_default();
  tl_items items;
  if (!tl_items_init(&items, naive, tree, target, mem, NULL)) {
    result->unwritten++;
    return;
  }
  if ((result->n & (result->n - 1)) == 0) /* room for 1, 2, 4, .. */
    result->program =
        as_realloc(result->program, (result->n ? 2 * result->n : 1) * sizeof *result->program);
  result->program[result->n++] =
      (as_tiles_program){tl_print(&items), items.kernels, items.us, items.lowered_us, items.bytes};
  tl_items_clear(&items);
}

static void extract_without(const tl_naive *naive, const bool *dead, const as_tiles_opts *opts,
                            as_arena *mem, as_tiles_result *result) {
  uint32_t n;
  const as_target *target = opts->target ? opts->target : as_target_default();
  tl_structure *found =
      tl_structures(&naive->graph, naive->root, dead, opts->keep, target, mem, &n);
  for (uint32_t i = 0; i < n; i++)
    add_program(naive, found[i].tree, opts, mem, result);
  free(found);
}

/* Which scratch tensors are not read changes what is best: none left out; as many as can be, taken
 * from the last one on and from the first one on; and those with each one kept after all. */
static void extract(const tl_naive *naive, const as_tiles_opts *opts, as_tiles_result *result) {
  const tl_accesses *all = &naive->accesses;
  uint32_t n = (uint32_t)all->tensors.n;
  bool *dead = as_calloc(n + 1, sizeof *dead);
  as_arena *mem = as_arena_new();
  extract_without(naive, dead, opts, mem, result);
  for (int backwards = 1; backwards >= 0; backwards--) {
    memset(dead, 0, n * sizeof *dead);
    for (uint32_t i = 0; i < n; i++) {
      uint32_t tensor = backwards ? n - 1 - i : i;
      const tl_tensor *is = tl_tensor_at(all, tensor);
      dead[tensor] = !is->is_input && !is->is_output;
      if (dead[tensor] && !tl_may_be_dead(&naive->graph, naive->root, dead))
        dead[tensor] = false;
    }
    extract_without(naive, dead, opts, mem, result);
    for (uint32_t i = 0; i < n; i++) {
      if (!dead[i])
        continue;
      dead[i] = false;
      extract_without(naive, dead, opts, mem, result);
      dead[i] = true;
    }
  }
  free(dead);
  as_arena_free(mem);
  qsort(result->program, result->n, sizeof *result->program, by_cost);
  drop_twins(result);
}

static void report(const tl_naive *naive, const tl_saturation *what, as_tiles_result *result) {
  static const char *names[TL_N_RULES];
  mpz_t count;
  mpz_init(count);
  tl_count(&naive->graph, naive->root, count);
  result->represented = mpz_get_str(NULL, 10, count);
  mpz_clear(count);
  result->classes = tl_graph_classes(&naive->graph);
  result->nodes = naive->graph.n_live;
  result->refused = what->refused;
  result->rounds = what->rounds;
  result->saturated = what->saturated;
  result->full = naive->graph.full;
  result->n_rule = TL_N_RULES;
  result->applied = as_malloc(sizeof what->applied);
  memcpy(result->applied, what->applied, sizeof what->applied);
  for (uint32_t i = 0; i < TL_N_RULES; i++)
    names[i] = tl_rule_name(i);
  result->rule = names;
}

as_status as_tiles_search(const as_graph *program, const as_tiles_opts *opts,
                          as_tiles_result *result, as_err *err) {
  tl_naive naive;
  tl_saturation what;
  double start = as_now();
  *result = (as_tiles_result){0};
  if (!tl_naive_init(&naive, program, opts->tile, opts->most_nodes, err))
    return err->status;
  as_status status = tl_saturate(&naive, opts->rounds, &what, err);
  if (status == AS_OK) {
    result->seconds_saturating = as_now() - start;
    start = as_now();
    report(&naive, &what, result);
    extract(&naive, opts, result);
    result->seconds_extracting = as_now() - start;
    if (result->n == 0) {
      as_err_set(err, AS_UNKNOWN, "no program of the e-graph can be written");
      status = AS_UNKNOWN;
    }
  }
  tl_naive_clear(&naive);
  return status;
}

void as_tiles_result_clear(as_tiles_result *result) {
  for (uint32_t i = 0; i < result->n; i++)
    free(result->program[i].text);
  free(result->program);
  free(result->represented);
  free(result->applied);
  *result = (as_tiles_result){0};
}
