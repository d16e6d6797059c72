/* Equal values once, loads of what is known, and nothing that nobody uses. */
#include "node.h"
#include "src/base/id.h"
#include "src/base/intern.h"
#include <stdlib.h>
#include <string.h>

/* A value that is known here, by what computes it.  Of a load and a store: the tensor, and how many
 * stores there had been to it. */
typedef struct {
  uint32_t key;
  uint32_t value; /* the first result; its others follow in `node` */
  const imp_node *node;
  uint32_t base; /* AS_NONE: it depends on no tensor */
  uint32_t epoch;
} known;

typedef struct {
  imp_kernel *kernel;
  as_intern keys;
  as_vec known;    /* of known; those of inner regions are taken away behind them */
  uint32_t *epoch; /* by value: of the tensor that this argument points to */
  uint32_t merged;
} merger;

/* ---- stores */

static void forget(merger *in, uint32_t base) {
  if (base != AS_NONE) {
    in->epoch[base]++;
    return;
  }
  for (size_t i = 0; i < in->kernel->value.n; i++)
    in->epoch[i]++;
}

/* what the operations of a region may store to is not known any more */
static void forget_stores(merger *in, const imp_region *region) {
  for (size_t i = 0; i < region->node.n; i++) {
    const imp_node *node = IMP_NODE(region, i);
    imp_effect effect = imp_effect_of(node);
    if (effect == IMP_STORE)
      forget(in, imp_base(in->kernel, node->token[0]));
    else if (effect == IMP_ANYTHING)
      forget(in, AS_NONE);
    for (uint32_t k = 0; k < node->n_region; k++)
      forget_stores(in, &node->region[k]);
  }
}

/* ---- what is known */

static bool still_holds(const merger *in, const known *entry) {
  return entry->base == AS_NONE || in->epoch[entry->base] == entry->epoch;
}

static const known *find(const merger *in, uint32_t key) {
  for (size_t i = in->known.n; i-- > 0;) {
    const known *entry = &AS_VEC_AT(&in->known, known, i);
    if (entry->key == key && still_holds(in, entry))
      return entry;
  }
  return NULL;
}

static void remember(merger *in, uint32_t key, uint32_t value, const imp_node *node,
                     uint32_t base) {
  known made = {key, value, node, base, base == AS_NONE ? 0 : in->epoch[base]};
  as_vec_push(&in->known, &made);
}

static uint32_t key_of(merger *in, const imp_node *node) {
  char *text = imp_key(in->kernel, node);
  uint32_t key = as_intern_string(&in->keys, text);
  free(text);
  return key;
}

/* a load of what a store has just written, at the same places and under the same mask; without a
 * value for other lanes */
static uint32_t stored_key(merger *in, uint32_t pointer, uint32_t mask) {
  char *text = as_format("stored %u %u", imp_find(in->kernel, pointer),
                         mask == AS_NONE ? AS_NONE : imp_find(in->kernel, mask));
  uint32_t key = as_intern_string(&in->keys, text);
  free(text);
  return key;
}

static void replace_results(merger *in, const imp_node *node, const known *entry) {
  for (uint32_t i = 0; i < node->n_result; i++)
    imp_replace(in->kernel, node->result[i], entry->node ? entry->node->result[i] : entry->value);
  in->merged++;
}

static bool same_type(const merger *in, uint32_t a, uint32_t b) {
  char *first = imp_type_text(&IMP_VALUE(in->kernel, imp_find(in->kernel, a))->type);
  char *second = imp_type_text(&IMP_VALUE(in->kernel, imp_find(in->kernel, b))->type);
  bool same = strcmp(first, second) == 0;
  free(first);
  free(second);
  return same;
}

/* true: the node is known already, and is to be taken away */
static bool merge_value(merger *in, const imp_node *node, uint32_t base) {
  uint32_t key = key_of(in, node);
  const known *entry = find(in, key);
  if (entry) {
    replace_results(in, node, entry);
    return true;
  }
  remember(in, key, node->n_result ? node->result[0] : AS_NONE, node, base);
  return false;
}

static bool merge_load(merger *in, const imp_node *node) {
  uint32_t base = imp_base(in->kernel, node->token[0]);
  if (base == AS_NONE)
    return false;
  if (node->n_token <= 2) {
    uint32_t mask = node->n_token == 2 ? node->token[1] : AS_NONE;
    const known *entry = find(in, stored_key(in, node->token[0], mask));
    if (entry && same_type(in, node->result[0], entry->value)) {
      replace_results(in, node, entry);
      return true;
    }
  }
  return merge_value(in, node, base);
}

static void note_store(merger *in, const imp_node *node) {
  uint32_t base = imp_base(in->kernel, node->token[0]);
  forget(in, base);
  if (base == AS_NONE)
    return;
  uint32_t mask = node->n_token > 2 ? node->token[2] : AS_NONE;
  remember(in, stored_key(in, node->token[0], mask), node->token[1], NULL, base);
}

/* ---- regions */

static void merge_region(merger *in, imp_region *region);

/* what is known before a loop holds in it where none of its iterations stores; behind a region what
 * it may have stored to is not known */
static void merge_inside(merger *in, imp_node *node) {
  bool loop = imp_effect_of(node) == IMP_LOOP;
  for (uint32_t i = 0; i < node->n_region; i++) {
    size_t keep = in->known.n;
    if (loop)
      forget_stores(in, &node->region[i]);
    merge_region(in, &node->region[i]);
    in->known.n = keep;
  }
  for (uint32_t i = 0; i < node->n_region; i++)
    forget_stores(in, &node->region[i]);
}

static void merge_region(merger *in, imp_region *region) {
  for (size_t i = 0; i < region->node.n;) {
    imp_node *node = IMP_NODE(region, i);
    imp_effect effect = imp_effect_of(node);
    bool away = false;
    if (effect == IMP_PURE)
      away = merge_value(in, node, AS_NONE);
    else if (effect == IMP_LOAD)
      away = merge_load(in, node);
    else if (effect == IMP_STORE)
      note_store(in, node);
    else if (effect == IMP_ANYTHING)
      forget(in, AS_NONE);
    if (effect == IMP_LOOP || effect == IMP_BRANCH)
      merge_inside(in, node);
    if (away)
      imp_remove(region, i);
    else
      i++;
  }
}

/* ---- what nobody uses */

static bool is_used(const imp_kernel *kernel, const imp_node *node) {
  imp_effect effect = imp_effect_of(node);
  if (effect != IMP_PURE && effect != IMP_LOAD)
    return true;
  for (uint32_t i = 0; i < node->n_result; i++) {
    if (IMP_VALUE(kernel, node->result[i])->uses > 0)
      return true;
  }
  return false;
}

static uint32_t sweep(imp_kernel *kernel, imp_region *region) {
  uint32_t n = 0;
  for (size_t i = region->node.n; i-- > 0;) {
    imp_node *node = IMP_NODE(region, i);
    if (!is_used(kernel, node)) {
      imp_remove(region, i);
      n++;
      continue;
    }
    for (uint32_t k = 0; k < node->n_region && imp_effect_of(node) != IMP_PURE; k++)
      n += sweep(kernel, &node->region[k]);
  }
  return n;
}

uint32_t imp_merge(imp_kernel *kernel) {
  merger in = {.kernel = kernel};
  as_intern_init(&in.keys, NULL);
  as_vec_init(&in.known, sizeof(known));
  in.epoch = as_calloc(kernel->value.n + 1, sizeof *in.epoch);
  merge_region(&in, &kernel->body);
  free(in.epoch);
  as_vec_clear(&in.known);
  as_intern_clear(&in.keys);
  do
    imp_count_uses(kernel);
  while (sweep(kernel, &kernel->body) > 0);
  return in.merged;
}
