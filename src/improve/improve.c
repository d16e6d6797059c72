#include "improve.h"
#include "node.h"
#include "src/base/id.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 16, MOST_WRITTEN_OUT = 4000, MOST_PASSES = 8 };

/* ---- counts */

static void count_region(const imp_kernel *kernel, const imp_region *region, uint64_t times,
                         as_improve_count *count) {
  for (size_t i = 0; i < region->node.n; i++) {
    const imp_node *node = IMP_NODE(region, i);
    imp_effect effect = imp_effect_of(node);
    int64_t first;
    int64_t step;
    int64_t rounds = effect == IMP_LOOP ? imp_rounds(kernel, node, &first, &step) : 1;
    count->operations += times;
    count->loads += effect == IMP_LOAD ? times : 0;
    count->reductions += strcmp(node->name, "tt.reduce") == 0 ? times : 0;
    if (strcmp(node->name, "arith.divf") == 0) {
      count->divisions += times;
      count->divided += times * (uint64_t)imp_elements(&IMP_VALUE(kernel, node->result[0])->type);
    }
    for (uint32_t k = 0; k < node->n_region && effect != IMP_PURE; k++)
      count_region(kernel, &node->region[k], rounds >= 0 ? times * (uint64_t)rounds : times, count);
  }
}

static as_improve_count count_of(const imp_kernel *kernel) {
  as_improve_count count = {0};
  count_region(kernel, &kernel->body, 1, &count);
  return count;
}

/* Fewer loads, then fewer reductions, then fewer divided elements, divisions, operations.  What a
 * loop written out costs in text counts for nothing. */
static int compare(const as_improve_count *a, const as_improve_count *b) {
  const uint64_t left[] = {a->loads, a->reductions, a->divided, a->divisions, a->operations};
  const uint64_t right[] = {b->loads, b->reductions, b->divided, b->divisions, b->operations};
  for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
    if (left[i] != right[i])
      return left[i] < right[i] ? -1 : 1;
  }
  return 0;
}

/* ---- rules, until none applies */

static void apply(imp_kernel *kernel, const as_improve_how *how) {
  for (int pass = 0; pass < MOST_PASSES; pass++) {
    uint32_t n = imp_merge(kernel) + imp_hoist(kernel);
    if (how->divide)
      n += imp_divide(kernel);
    if (n == 0)
      return;
  }
}

/* the kernel after the rules; NULL with err */
static char *rewritten(const char *file, const char *text, size_t len, const as_improve_how *how,
                       as_improve_count *before, as_improve_count *after, as_err *err) {
  as_ttir_kernel *tree = as_ttir_parse(file, text, len, err);
  if (!tree)
    return NULL;
  imp_kernel *kernel = imp_kernel_of(tree, text, len);
  *before = count_of(kernel);
  if (how->unroll)
    imp_unroll(kernel, MOST_ROUNDS, MOST_WRITTEN_OUT);
  apply(kernel, how);
  *after = count_of(kernel);
  char *made = imp_print(kernel);
  imp_kernel_free(kernel);
  as_ttir_free(tree);
  return made;
}

bool as_improve(const char *file, const char *text, size_t len, const as_improve_how *how,
                as_improved *improved, as_err *err) {
  as_improve_how plain = *how;
  plain.unroll = false;
  *improved = (as_improved){0};
  improved->text = rewritten(file, text, len, &plain, &improved->before, &improved->after, err);
  if (improved->text == NULL)
    return false;
  if (how->unroll) { /* only for what it saves of loads */
    as_improve_count before;
    as_improve_count after;
    char *other = rewritten(file, text, len, how, &before, &after, err);
    bool better = other && after.loads < improved->after.loads;
    if (better) {
      char *kept = improved->text;
      improved->text = other;
      other = kept;
      improved->after = after;
    }
    free(other);
  }
  if (compare(&improved->after, &improved->before) >= 0) {
    free(improved->text);
    improved->text = NULL;
  }
  return true;
}

void as_improved_clear(as_improved *improved) {
  free(improved->text);
  *improved = (as_improved){0};
}
