/* Groups of operators that say the same but for names: blocks that a network repeats, and groups
 * that several orders of the operators have.  One is searched; the others take over what its graphs
 * cost, and make those that are wanted when they are. */
#include "segment.h"
#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/ir/names.h"
#include <stdlib.h>
#include <string.h>

/* all that the graphs of a segment, their order and their costs depend on; malloc'ed */
static char *key_of(const sg_segment *segment) {
  const as_graph *sub = segment->sub;
  const sg_limits *limits = &segment->limits;
  char *program = as_program_nameless(sub);
  as_str key;
  as_str_init(&key);
  as_str_printf(&key, "%u states, %u values, type %d, index tensors", limits->max_states,
                limits->max_values, (int)as_graph_type(sub));
  for (uint32_t i = 0; i < sub->n_input; i++) {
    if (sub->node[sub->input[i]].is_index_tensor)
      as_str_printf(&key, " %u", i);
  }
  as_str_printf(&key, "\n%s", program);
  free(program);
  return as_str_take(&key);
}

/* graphs that go over joined tensors are put together from two segments more */
static bool has_joined(const sg_segment *segment) {
  bool has = segment->side != NULL;
  for (uint32_t i = 0; i < segment->n_rank; i++)
    has |= segment->rank[i].joined;
  return has;
}

bool sg_segment_take(sg_segment *segment, const as_search_opts *opts, sg_segment *const *earlier,
                     uint32_t n) {
  if (opts->no_prune || opts->record || opts->shard) /* where each plan is looked at by itself */
    return false;
  segment->key = key_of(segment);
  segment->key_hash = as_hash(segment->key, strlen(segment->key), 1);
  for (uint32_t i = 0; i < n && !segment->like; i++) {
    bool same = earlier[i]->key && earlier[i]->key_hash == segment->key_hash && !earlier[i]->like &&
                !has_joined(earlier[i]) && strcmp(earlier[i]->key, segment->key) == 0;
    segment->like = same ? earlier[i] : NULL;
  }
  if (!segment->like)
    return false;
  segment->n_rank = segment->like->n_rank;
  segment->lowers = segment->like->lowers;
  segment->rank = as_malloc((segment->n_rank + 1) * sizeof *segment->rank);
  if (segment->n_rank)
    memcpy(segment->rank, segment->like->rank, segment->n_rank * sizeof *segment->rank);
  return true;
}

static bool is_same_graph(const sg_rank *one, const sg_rank *other) {
  return one->plan == other->plan && one->recipe == other->recipe && one->split == other->split &&
         !one->joined && !other->joined;
}

bool sg_segment_is_proved(const sg_segment *segment) {
  bool proved = segment->rank[0].proved;
  for (uint32_t i = 0; segment->like && i < segment->like->n_rank; i++)
    proved |=
        segment->like->rank[i].proved && is_same_graph(&segment->rank[0], &segment->like->rank[i]);
  return proved;
}

void sg_segment_proved(sg_segment *segment) {
  segment->rank[0].proved = true;
  for (uint32_t i = 0; segment->like && i < segment->like->n_rank; i++)
    segment->like->rank[i].proved |= is_same_graph(&segment->rank[0], &segment->like->rank[i]);
}

bool sg_segment_same_best(const sg_segment *one, const sg_segment *other) {
  const sg_segment *first = one->like ? one->like : one;
  const sg_segment *second = other->like ? other->like : other;
  return first == second && is_same_graph(&one->rank[0], &other->rank[0]);
}
