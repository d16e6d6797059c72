/* What `optimize --all` lists: certified candidates that differ in structure, and why each was not
 * chosen. */
#include "candidates.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_words(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

/* operators that only move axes of extent 1: two graphs that differ in them do not differ */
static bool is_reshape(const as_node *node) {
  static const char *const names[] = {"expand_dims", "squeeze"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(node->op->name, names[i]) == 0)
      return true;
  }
  return false;
}

/* the words of a kernel in alphabetical order: what it does, whatever the order of its statements
 */
static void add_kernel(const as_graph *graph, const as_block *block, as_str *into) {
  char **words = as_malloc((block->n + 1) * sizeof *words);
  uint32_t n = 0;
  uint32_t axes = 0;
  for (int i = 0; i < 3; i++)
    axes += block->grid[i] != AS_SIZE_ONE;
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &graph->node[block->nodes[i]];
    if (node->kind == AS_N_OP && !is_reshape(node))
      words[n++] = as_strdup(node->op->name);
    else if (node->kind == AS_N_ACC)
      words[n++] = as_format(
          "%s accumulator", node->acc == AS_ACC_RESCALE ? "rescaled" : as_acc_rows[node->acc].word);
  }
  qsort(words, n, sizeof *words, compare_words);
  as_str_printf(into, "[grid of %u%s:", axes, block->has_loop ? ", loop" : "");
  for (uint32_t i = 0; i < n;) {
    uint32_t same = 1;
    while (i + same < n && strcmp(words[i], words[i + same]) == 0)
      same++;
    as_str_printf(into, "%s %s", i ? "," : "", words[i]);
    if (same > 1)
      as_str_printf(into, " x%u", same);
    i += same;
  }
  as_str_add(into, "]");
  for (uint32_t i = 0; i < n; i++)
    free(words[i]);
  free(words);
}

char *as_structure(const as_graph *graph) {
  as_str text;
  as_str_init(&text);
  for (uint32_t i = 0; i < graph->n_order; i++) {
    const as_node *node = &graph->node[graph->order[i]];
    if (text.n)
      as_str_add(&text, " ");
    if (node->block == AS_NONE)
      as_str_add(&text, node->op->name);
    else
      add_kernel(graph, &graph->block[node->block], &text);
  }
  return as_str_take(&text);
}

void as_list_candidates(const as_search_result *found, const as_candidate *chosen) {
  char **shapes = as_malloc((found->n + 1) * sizeof *shapes);
  uint32_t n = 0;
  uint32_t alike = 0;
  printf("certified candidates that differ in structure, cheapest by the model first:\n");
  for (uint32_t i = 0; i < found->n; i++) {
    const as_candidate *candidate = &found->cand[i];
    char *shape = as_structure(candidate->graph);
    bool known = false;
    for (uint32_t k = 0; k < n; k++)
      known |= strcmp(shapes[k], shape) == 0;
    if (known) {
      alike++;
      free(shape);
      continue;
    }
    shapes[n++] = shape;
    printf("  %u. %.2f us, %u kernel%s: %s\n", n, candidate->us, candidate->kernels,
           candidate->kernels == 1 ? "" : "s", shape);
    if (candidate == chosen)
      printf("     chosen\n");
    else if (candidate->us < chosen->us)
      printf(
          "     cheaper by the model, but not certified when solvers were asked, or not lowered\n");
    else
      printf("     %.2f us more by the model\n", candidate->us - chosen->us);
  }
  printf("%u more differ from one of these in the order of statements or in tiles alone; "
         "%llu were made twice\n",
         alike, (unsigned long long)found->stats.duplicates);
  if (found->n_log)
    printf("%u cheaper or later candidates were not certified: --verbose says why\n", found->n_log);
  for (uint32_t i = 0; i < n; i++)
    free(shapes[i]);
  free(shapes);
}
