/* Down-sets of the dataflow graph, and the convex groups between them. */
#include "cuts.h"
#include "cost_model.h"
#include "src/base/hash.h"
#include "src/base/id.h"
#include "src/base/map.h"
#include <stdlib.h>
#include <string.h>

/* Down-sets of one size that are kept: those nearest to a beginning of the variant's order, which
 * is always among them. */
enum { MOST_OF_A_SIZE = 32 };

/* --- sets of atoms */
static bool set_has(const sg_set *set, uint32_t atom) {
  return set->word[atom / 64] >> (atom % 64) & 1;
}

static void set_add(sg_set *set, uint32_t atom) {
  set->word[atom / 64] |= 1ull << (atom % 64);
}

static bool is_subset(const sg_set *part, const sg_set *whole) {
  for (uint32_t i = 0; i < SG_SET_WORDS; i++) {
    if (part->word[i] & ~whole->word[i])
      return false;
  }
  return true;
}

static sg_set set_minus(const sg_set *whole, const sg_set *part) {
  sg_set rest;
  for (uint32_t i = 0; i < SG_SET_WORDS; i++)
    rest.word[i] = whole->word[i] & ~part->word[i];
  return rest;
}

static uint32_t count_atoms(const sg_set *set) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < SG_SET_WORDS; i++)
    n += (uint32_t)__builtin_popcountll(set->word[i]);
  return n;
}

static bool is_empty(const sg_set *set) {
  for (uint32_t i = 0; i < SG_SET_WORDS; i++) {
    if (set->word[i])
      return false;
  }
  return true;
}

/* --- atoms */
static void add_op(const as_graph *graph, sg_atom *atom, uint32_t node) {
  const char *name = graph->node[node].op->name;
  atom->ops = as_realloc(atom->ops, (atom->n_ops + 1) * sizeof *atom->ops);
  atom->ops[atom->n_ops++] = node;
  atom->kind += as_hash(name, strlen(name), 1);
}

/* owner: by node, its atom; AS_NONE: an input or a number */
static void make_atoms(sg_cuts *cuts, const bool *apart, uint32_t *owner) {
  const sg_variant *variant = cuts->variant;
  const as_graph *graph = variant->graph;
  uint32_t *root = sg_atom_roots(variant, apart);
  for (uint32_t i = 0; i < graph->n; i++)
    owner[i] = AS_NONE;
  for (uint32_t i = 0; i < variant->n_ops; i++) {
    if (root[variant->ops[i]] == variant->ops[i])
      owner[variant->ops[i]] = cuts->n_atoms++;
  }
  for (uint32_t i = 0; i < variant->n_ops; i++)
    owner[variant->ops[i]] = owner[root[variant->ops[i]]];
  free(root);
  cuts->atoms = as_calloc(cuts->n_atoms + 1, sizeof *cuts->atoms);
  for (uint32_t i = 0; i < variant->n_ops; i++)
    add_op(graph, &cuts->atoms[owner[variant->ops[i]]], variant->ops[i]);
}

static bool is_read_by(const as_graph *graph, const sg_atom *atom, uint32_t node) {
  for (uint32_t i = 0; i < atom->n_ops; i++) {
    const as_node *op = &graph->node[atom->ops[i]];
    for (uint32_t k = 0; k < op->nargs; k++) {
      if (op->arg[k] == node)
        return true;
    }
  }
  return false;
}

static void link_atoms(sg_cuts *cuts, const uint32_t *owner) {
  const as_graph *graph = cuts->variant->graph;
  for (uint32_t node = 0; node < graph->n; node++) {
    sg_set readers = {{0}};
    if (as_graph_is_number(&graph->node[node]))
      continue;
    for (uint32_t atom = 0; atom < cuts->n_atoms; atom++) {
      if (is_read_by(graph, &cuts->atoms[atom], node))
        set_add(&readers, atom);
    }
    sg_set together = readers;
    if (owner[node] != AS_NONE)
      set_add(&together, owner[node]);
    for (uint32_t atom = 0; atom < cuts->n_atoms; atom++) {
      for (uint32_t i = 0; i < SG_SET_WORDS && set_has(&together, atom); i++)
        cuts->atoms[atom].linked.word[i] |= together.word[i];
      if (owner[node] != AS_NONE && owner[node] != atom && set_has(&readers, atom))
        set_add(&cuts->atoms[atom].reads, owner[node]);
    }
  }
}

/* --- down-sets */
static uint32_t sum_of_places(const sg_cuts *cuts, const sg_set *set) {
  uint32_t sum = 0;
  for (uint32_t atom = 0; atom < cuts->n_atoms; atom++)
    sum += set_has(set, atom) ? atom : 0;
  return sum;
}

typedef struct {
  sg_set set;
  uint32_t distance;
} reached_set;

static int compare_reached(const void *left, const void *right) {
  const reached_set *first = left;
  const reached_set *second = right;
  if (first->distance != second->distance)
    return first->distance < second->distance ? -1 : 1;
  for (uint32_t i = 0; i < SG_SET_WORDS; i++) {
    if (first->set.word[i] != second->set.word[i])
      return first->set.word[i] < second->set.word[i] ? -1 : 1;
  }
  return 0;
}

/* the down-sets with one atom more than those from `first` on, each once */
static void reach_further(const sg_cuts *cuts, uint32_t first, as_vec *reached) {
  for (uint32_t i = first; i < cuts->downsets.n; i++) {
    const sg_set *set = &AS_VEC_AT(&cuts->downsets, sg_set, i);
    for (uint32_t atom = 0; atom < cuts->n_atoms; atom++) {
      reached_set more = {.set = *set};
      if (set_has(set, atom) || !is_subset(&cuts->atoms[atom].reads, set))
        continue;
      set_add(&more.set, atom);
      more.distance = sum_of_places(cuts, &more.set);
      as_vec_push(reached, &more);
    }
  }
  if (reached->n)
    qsort(reached->data, reached->n, sizeof(reached_set), compare_reached);
}

static void find_downsets(sg_cuts *cuts) {
  sg_set empty = {{0}};
  uint32_t first = 0;
  as_vec_push(&cuts->downsets, &empty);
  for (uint32_t size = 1; size <= cuts->n_atoms; size++) {
    as_vec reached;
    uint32_t next = (uint32_t)cuts->downsets.n;
    as_vec_init(&reached, sizeof(reached_set));
    reach_further(cuts, first, &reached);
    for (uint32_t i = 0; i < reached.n; i++) {
      const reached_set *here = &AS_VEC_AT(&reached, reached_set, i);
      if (i > 0 && !memcmp(&here->set, &here[-1].set, sizeof here->set))
        continue;
      if (cuts->downsets.n - next < MOST_OF_A_SIZE)
        as_vec_push(&cuts->downsets, &here->set);
      else
        cuts->dropped++;
    }
    as_vec_clear(&reached);
    first = next;
  }
}

/* --- groups */
/* the atoms of the group that are joined with one of them, taken out of it; their common kind */
static uint64_t take_component(const sg_cuts *cuts, sg_set *group) {
  sg_set component = {{0}};
  uint64_t kind = 0;
  for (bool grows = true; grows;) {
    grows = false;
    for (uint32_t atom = 0; atom < cuts->n_atoms; atom++) {
      if (!set_has(group, atom) || set_has(&component, atom))
        continue;
      sg_set apart = set_minus(&cuts->atoms[atom].linked, &component);
      bool joined = memcmp(&apart, &cuts->atoms[atom].linked, sizeof apart) != 0;
      if (!joined && !is_empty(&component))
        continue;
      set_add(&component, atom);
      kind += cuts->atoms[atom].kind;
      grows = true;
    }
  }
  *group = set_minus(group, &component);
  return kind;
}

static bool is_run(const sg_cuts *cuts, const sg_set *group) {
  uint32_t changes = 0;
  bool before = false;
  for (uint32_t atom = 0; atom < cuts->n_atoms; atom++) {
    changes += set_has(group, atom) != before;
    before = set_has(group, atom);
  }
  return changes <= 2;
}

/* A move that stands where it was stays with what it moves: a kernel has none of what another
 * computes, unless it does nothing but move. */
static bool parts_moves(const sg_cuts *cuts, const sg_set *group) {
  const sg_variant *variant = cuts->variant;
  bool parted = false;
  bool only_moves = true;
  for (uint32_t atom = 0; atom < cuts->n_atoms; atom++) {
    const sg_atom *member = &cuts->atoms[atom];
    if (!set_has(group, atom))
      continue;
    bool moves = sg_op_moves(variant->graph->node[member->ops[member->n_ops - 1]].op);
    parted |= moves && !is_subset(&member->reads, group);
    only_moves &= moves;
  }
  return parted && !only_moves;
}

/* Does the group have a border that something within it reads that is no move, or a border and a
 * product? */
static bool crosses_border(const sg_cuts *cuts, const sg_set *group) {
  const sg_variant *variant = cuts->variant;
  const as_graph *graph = variant->graph;
  bool *inside = as_calloc(graph->n + 1, sizeof *inside);
  bool *behind = as_calloc(graph->n + 1, sizeof *behind); /* by node: a border within is made */
  bool crosses = false;
  bool border = false;
  bool product = false;
  for (uint32_t atom = 0; atom < cuts->n_atoms; atom++) {
    const sg_atom *member = &cuts->atoms[atom];
    for (uint32_t i = 0; i < member->n_ops && set_has(group, atom); i++)
      inside[member->ops[i]] = true;
  }
  for (uint32_t i = 0; i < graph->n && !crosses; i++) {
    const as_node *node = &graph->node[i];
    for (uint32_t k = 0; k < node->nargs && inside[i]; k++)
      behind[i] |= behind[node->arg[k]];
    crosses = behind[i] && !sg_op_moves(node->op);
    behind[i] |= inside[i] && variant->is_border[i];
    border |= behind[i];
    product |= inside[i] && sg_cost_is_contraction(node);
  }
  free(behind);
  free(inside);
  return crosses || (border && product);
}

/* whether the atoms have to do with each other */
static bool belongs_together(const sg_cuts *cuts, const sg_set *group) {
  if (parts_moves(cuts, group) || (cuts->variant->is_border && crosses_border(cuts, group)))
    return false;
  sg_set rest = *group;
  uint64_t kind = take_component(cuts, &rest);
  bool alike = true;
  while (!is_empty(&rest))
    alike &= take_component(cuts, &rest) == kind;
  return alike || is_run(cuts, group);
}

static sg_group make_group(const sg_cuts *cuts, const sg_set *set, uint32_t from, uint32_t to) {
  sg_group group = {.set = *set, .from = from, .to = to};
  group.ops = as_malloc((cuts->variant->n_ops + 1) * sizeof *group.ops);
  for (uint32_t atom = 0; atom < cuts->n_atoms; atom++) {
    const sg_atom *member = &cuts->atoms[atom];
    if (!set_has(set, atom))
      continue;
    memcpy(group.ops + group.n_ops, member->ops, member->n_ops * sizeof *member->ops);
    group.n_ops += member->n_ops;
    group.n_atoms++;
  }
  return group;
}

/* operators; *n_late: those that only move elements right before what reads them */
static uint32_t size_of(const sg_cuts *cuts, const sg_set *set, uint32_t *n_late) {
  uint32_t n_ops = 0;
  *n_late = 0;
  for (uint32_t atom = 0; atom < cuts->n_atoms; atom++) {
    const sg_atom *member = &cuts->atoms[atom];
    for (uint32_t i = 0; i < member->n_ops && set_has(set, atom); i++) {
      *n_late += cuts->variant->is_late[member->ops[i]];
      n_ops++;
    }
  }
  return n_ops;
}

/* the group's number, made where it is new; AS_NONE: its atoms have nothing to do with each other
 */
static uint32_t find_group(sg_cuts *cuts, as_map *known, const sg_set *set, uint32_t from,
                           uint32_t to) {
  uint64_t number;
  if (as_map_get(known, set->word, &number))
    return (uint32_t)number;
  number = AS_NONE;
  if (belongs_together(cuts, set)) {
    sg_group group = make_group(cuts, set, from, to);
    number = cuts->groups.n;
    as_vec_push(&cuts->groups, &group);
  }
  as_map_put(known, set->word, number);
  return (uint32_t)number;
}

static void find_groups(sg_cuts *cuts, uint32_t most_ops) {
  uint32_t n = (uint32_t)cuts->downsets.n;
  uint32_t *all = as_malloc((n + 1) * sizeof *all);
  uint32_t *size = as_malloc((n + 1) * sizeof *size); /* without moves */
  as_map known;
  as_map_init(&known, SG_SET_WORDS);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t n_late;
    all[i] = size_of(cuts, &AS_VEC_AT(&cuts->downsets, sg_set, i), &n_late);
    size[i] = all[i] - n_late;
  }
  for (uint32_t from = 0; from < n; from++) {
    const sg_set *low = &AS_VEC_AT(&cuts->downsets, sg_set, from);
    for (uint32_t to = from + 1; to < n; to++) {
      const sg_set *high = &AS_VEC_AT(&cuts->downsets, sg_set, to);
      if (all[to] <= all[from] || !is_subset(low, high))
        continue;
      sg_set set = set_minus(high, low);
      bool is_long = size[to] - size[from] > most_ops || all[to] - all[from] > 2 * most_ops;
      if (is_long && count_atoms(&set) > 1)
        continue;
      sg_edge edge = {from, to, find_group(cuts, &known, &set, from, to)};
      if (edge.group != AS_NONE)
        as_vec_push(&cuts->edges, &edge);
    }
  }
  as_map_clear(&known);
  free(size);
  free(all);
}

/* --- a group as a kernel */
uint32_t *sg_crossing(const as_graph *graph, const uint32_t *op, uint32_t n, uint32_t *n_tensors) {
  bool *inside = as_calloc(graph->n + 1, sizeof *inside);
  bool *crosses = as_calloc(graph->n + 1, sizeof *crosses);
  uint32_t *tensor = as_malloc((graph->n + 1) * sizeof *tensor);
  for (uint32_t i = 0; i < n; i++)
    inside[op[i]] = true;
  for (uint32_t i = 0; i < graph->n; i++) {
    const as_node *node = &graph->node[i];
    for (uint32_t k = 0; node->kind == AS_N_OP && k < node->nargs; k++)
      crosses[node->arg[k]] |= inside[i] != inside[node->arg[k]];
  }
  for (uint32_t i = 0; i < graph->n_output; i++)
    crosses[graph->output[i]] |= inside[graph->output[i]];
  *n_tensors = 0;
  for (uint32_t i = 0; i < graph->n; i++) {
    if (crosses[i] && !as_graph_is_number(&graph->node[i]))
      tensor[(*n_tensors)++] = i;
  }
  free(inside);
  free(crosses);
  return tensor;
}

void sg_cuts_init(sg_cuts *cuts, const sg_variant *variant, const bool *apart, uint32_t most_ops) {
  uint32_t *owner = as_malloc((variant->graph->n + 1) * sizeof *owner);
  *cuts = (sg_cuts){.variant = variant};
  as_vec_init(&cuts->downsets, sizeof(sg_set));
  as_vec_init(&cuts->groups, sizeof(sg_group));
  as_vec_init(&cuts->edges, sizeof(sg_edge));
  make_atoms(cuts, apart, owner);
  link_atoms(cuts, owner);
  find_downsets(cuts);
  find_groups(cuts, most_ops);
  free(owner);
}

void sg_cuts_clear(sg_cuts *cuts) {
  for (uint32_t i = 0; i < cuts->n_atoms; i++)
    free(cuts->atoms[i].ops);
  for (uint32_t i = 0; i < cuts->groups.n; i++)
    free(SG_GROUP(cuts, i)->ops);
  free(cuts->atoms);
  as_vec_clear(&cuts->downsets);
  as_vec_clear(&cuts->groups);
  as_vec_clear(&cuts->edges);
  memset(cuts, 0, sizeof *cuts);
}
