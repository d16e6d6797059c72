/* What `optimize --all` lists: candidates that differ in structure, and why each was not chosen. */
#include "candidates.h"
#include "search/condition.h"
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

/* the structures that were listed */
typedef struct {
  char **shape;
  uint32_t n;
  uint32_t alike; /* that were not listed again */
} listed;

static void list_risks(const as_graph *graph) {
  as_condition risks;
  as_condition_of(graph, &risks);
  for (as_risk risk = 0; risk < AS_N_RISK; risk++) {
    if (risks.n[risk])
      printf("     at risk in floats: %s\n", as_risk_meaning(risk));
  }
}

/* the number that a candidate is listed under; 0: one of that structure was there before */
static uint32_t list_structure(listed *all, const as_candidate *candidate, bool is_certified) {
  char *shape = as_structure(candidate->graph);
  char *key = as_format("%s%s", is_certified ? "" : "unsafe ", shape);
  for (uint32_t k = 0; k < all->n; k++) {
    if (strcmp(all->shape[k], key) != 0)
      continue;
    all->alike++;
    free(shape);
    free(key);
    return 0;
  }
  all->shape[all->n++] = key;
  printf("  %u. %.2f us, %u kernel%s: %s\n", all->n, candidate->us, candidate->kernels,
         candidate->kernels == 1 ? "" : "s", shape);
  list_risks(candidate->graph);
  free(shape);
  return all->n;
}

static void list_certified(listed *all, const as_candidate *candidate, const as_candidate *chosen) {
  if (list_structure(all, candidate, true) == 0)
    return;
  if (candidate == chosen)
    printf("     chosen\n");
  else if (candidate->us < chosen->us && candidate->risky && !chosen->risky)
    printf("     %.2f us less by the model; what is chosen is safer in floats\n",
           chosen->us - candidate->us);
  else if (candidate->us < chosen->us)
    printf(
        "     cheaper by the model, but not certified when solvers were asked, or not lowered\n");
  else
    printf("     %.2f us more by the model\n", candidate->us - chosen->us);
}

static void list_unsafe(listed *all, const as_candidate *candidate) {
  if (list_structure(all, candidate, false) == 0)
    return;
  char *why = as_floats_print(&candidate->floats);
  printf("     not chosen, nor proved: in floats, %s\n", why);
  free(why);
}

void as_list_candidates(const as_search_result *found, const as_candidate *chosen) {
  listed all = {.shape = as_malloc((found->n + found->n_unsafe + 1) * sizeof *all.shape)};
  printf("candidates that differ in structure, cheapest by the model first:\n");
  uint32_t unsafe = 0;
  for (uint32_t i = 0; i < found->n; i++) {
    while (unsafe < found->n_unsafe && found->unsafe[unsafe].us < found->cand[i].us)
      list_unsafe(&all, &found->unsafe[unsafe++]);
    list_certified(&all, &found->cand[i], chosen);
  }
  while (unsafe < found->n_unsafe)
    list_unsafe(&all, &found->unsafe[unsafe++]);
  printf("%u more differ from one of these in the order of statements or in tiles alone; "
         "%llu were made twice\n",
         all.alike, (unsigned long long)found->stats.duplicates);
  if (found->n_log)
    printf("%u cheaper or later candidates were not certified: --verbose says why\n", found->n_log);
  for (uint32_t i = 0; i < all.n; i++)
    free(all.shape[i]);
  free(all.shape);
}
