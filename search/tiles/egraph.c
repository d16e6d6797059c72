#include "egraph.h"
#include "src/base/hash.h"
#include "src/base/mem.h"
#include <string.h>

enum { MOST_KIDS = AS_MAX_ARGS };

void tl_graph_init(tl_graph *graph, tl_accesses *accesses, uint64_t most_nodes) {
  *graph = (tl_graph){.accesses = accesses, .most_nodes = most_nodes};
  as_vec_init(&graph->nodes, sizeof(tl_node));
  as_vec_init(&graph->kid, sizeof(tl_operand));
  as_vec_init(&graph->classes, sizeof(tl_class));
  as_vec_init(&graph->parent, sizeof(uint32_t));
  as_vec_init(&graph->dirty, sizeof(uint32_t));
}

void tl_graph_clear(tl_graph *graph) {
  as_vec_clear(&graph->nodes);
  as_vec_clear(&graph->kid);
  as_vec_clear(&graph->classes);
  as_vec_clear(&graph->parent);
  as_vec_clear(&graph->dirty);
  as_index_clear(&graph->index);
  *graph = (tl_graph){0};
}

uint32_t tl_find(const tl_graph *graph, uint32_t cls) {
  uint32_t *parent = graph->parent.data;
  while (parent[cls] != cls) {
    parent[cls] = parent[parent[cls]]; /* the paths get shorter, what is found does not change */
    cls = parent[cls];
  }
  return cls;
}

static tl_node *node_at(const tl_graph *graph, uint32_t node) {
  return &AS_VEC_AT(&graph->nodes, tl_node, node);
}

static tl_class *class_at(const tl_graph *graph, uint32_t cls) {
  return &AS_VEC_AT(&graph->classes, tl_class, cls);
}

static tl_operand *operand_at(const tl_graph *graph, uint32_t place) {
  return &AS_VEC_AT(&graph->kid, tl_operand, place);
}

const tl_node *tl_node_at(const tl_graph *graph, uint32_t node) {
  return node_at(graph, node);
}

const tl_class *tl_class_at(const tl_graph *graph, uint32_t cls) {
  return class_at(graph, tl_find(graph, cls));
}

uint32_t tl_kid(const tl_graph *graph, uint32_t node, uint32_t i) {
  return tl_find(graph, operand_at(graph, node_at(graph, node)->kids + i)->cls);
}

static uint32_t live_from(const tl_graph *graph, uint32_t node) {
  while (node != AS_NONE && node_at(graph, node)->dead)
    node = node_at(graph, node)->next;
  return node;
}

uint32_t tl_first(const tl_graph *graph, uint32_t cls) {
  return live_from(graph, tl_class_at(graph, cls)->first);
}

uint32_t tl_next(const tl_graph *graph, uint32_t node) {
  return live_from(graph, node_at(graph, node)->next);
}

uint32_t tl_graph_classes(const tl_graph *graph) {
  uint32_t n = 0;
  for (uint32_t cls = 0; cls < graph->parent.n; cls++)
    n += tl_find(graph, cls) == cls;
  return n;
}

/* --- nodes by what they are */
static uint64_t hash_of(tl_kind kind, uint32_t item, const uint32_t *kid, uint32_t n_kid) {
  uint32_t row[2 + MOST_KIDS] = {(uint32_t)kind, item};
  memcpy(row + 2, kid, n_kid * sizeof *kid);
  return as_hash(row, (2 + n_kid) * sizeof *row, 0);
}

static bool is_node(const tl_graph *graph, uint32_t node, tl_kind kind, uint32_t item,
                    const uint32_t *kid, uint32_t n_kid) {
  const tl_node *known = node_at(graph, node);
  if (known->kind != kind || known->item != item || known->n_kid != n_kid || known->dead)
    return false;
  for (uint32_t i = 0; i < n_kid; i++) {
    if (tl_kid(graph, node, i) != kid[i])
      return false;
  }
  return true;
}

static uint32_t find_node(const tl_graph *graph, tl_kind kind, uint32_t item, const uint32_t *kid,
                          uint32_t n_kid, uint32_t but) {
  as_index_walk walk = as_index_start(&graph->index, hash_of(kind, item, kid, n_kid));
  for (uint32_t id; (id = as_index_next(&walk)) != AS_NONE;) {
    if (id != but && is_node(graph, id, kind, item, kid, n_kid))
      return id;
  }
  return AS_NONE;
}

/* --- analyses */
static uint32_t store_effects(const tl_graph *graph, uint32_t access, uint32_t kid, uint32_t mode) {
  tl_accesses *all = graph->accesses;
  uint32_t effects = class_at(graph, kid)->effects;
  /* where the class of what is stored holds the tile that is stored to, by its definition, that is
   * no reading of what was there before */
  uint32_t itself = tl_lookup(graph, TL_LOAD, access, NULL, 0);
  if (itself == kid)
    effects = tl_effects_without_read(all, effects, access);
  return tl_effects_or(all, effects, tl_effect_of(all, access, mode));
}

static uint32_t sum_mode(const tl_accesses *all, uint32_t access) {
  uint64_t sums = tl_tensor_at(all, tl_access_tensor(all, access))->sums_over;
  return TL_WRITE + (uint32_t)__builtin_popcountll(sums);
}

static uint32_t effects_of(const tl_graph *graph, tl_kind kind, uint32_t item, const uint32_t *kid,
                           uint32_t n_kid) {
  tl_accesses *all = graph->accesses;
  uint32_t effects = tl_no_effect(all);
  switch (kind) {
  case TL_LOAD:
    return tl_effect_of(all, item, TL_READ);
  case TL_STORE:
    return store_effects(graph, item, kid[0], TL_WRITE);
  case TL_ADD:
    return store_effects(graph, item, kid[0], sum_mode(all, item));
  case TL_LOOP:
    return tl_effects_loop(all, class_at(graph, kid[0])->effects, item);
  case TL_CONS:
  case TL_JOIN:
    return tl_effects_then(all, class_at(graph, kid[0])->effects, class_at(graph, kid[1])->effects);
  default:
    for (uint32_t i = 0; i < n_kid; i++)
      effects = tl_effects_or(all, effects, class_at(graph, kid[i])->effects);
    return effects;
  }
}

static uint64_t binds_of(const tl_graph *graph, tl_kind kind, uint32_t item, const uint32_t *kid,
                         uint32_t n_kid) {
  uint64_t binds = kind == TL_LOOP ? 1ull << item : 0;
  for (uint32_t i = 0; i < n_kid; i++)
    binds |= class_at(graph, kid[i])->binds;
  return binds;
}

/* false: the shapes do not fit */
static bool shape_of(const tl_graph *graph, tl_kind kind, uint32_t item, const uint32_t *kid,
                     uint32_t n_kid, uint32_t *shape) {
  tl_accesses *all = graph->accesses;
  uint32_t of[MOST_KIDS];
  *shape = AS_NONE;
  switch (kind) {
  case TL_LOAD:
    *shape = tl_access_shape(all, item);
    return *shape != AS_NONE;
  case TL_NUMBER:
    *shape = tl_shape(all, NULL, 0);
    return true;
  case TL_CALL:
    for (uint32_t i = 0; i < n_kid; i++)
      of[i] = class_at(graph, kid[i])->shape;
    *shape = tl_call_shape(all, item, of, n_kid);
    return *shape != AS_NONE;
  case TL_STORE:
  case TL_ADD:
    return class_at(graph, kid[0])->shape == tl_access_shape(all, item);
  default:
    return true;
  }
}

/* --- adding */
static void add_uses(tl_graph *graph, uint32_t node, const uint32_t *kid, uint32_t n_kid) {
  for (uint32_t i = 0; i < n_kid; i++) {
    tl_operand operand = {kid[i], node, AS_NONE};
    as_vec_push(&graph->kid, &operand);
    uint32_t place = (uint32_t)graph->kid.n - 1;
    tl_class *of = class_at(graph, kid[i]);
    if (of->n_use++ == 0)
      of->first_use = place;
    else
      operand_at(graph, of->last_use)->next_use = place;
    of->last_use = place;
  }
}

static uint32_t new_node(tl_graph *graph, tl_kind kind, uint32_t item, const uint32_t *kid,
                         uint32_t n_kid, uint32_t shape) {
  uint32_t id = (uint32_t)graph->nodes.n;
  uint32_t cls = (uint32_t)graph->parent.n;
  tl_node node = {.kind = (uint8_t)kind,
                  .n_kid = (uint16_t)n_kid,
                  .item = item,
                  .kids = (uint32_t)graph->kid.n,
                  .cls = cls,
                  .next = AS_NONE};
  tl_class fresh = {.first = id,
                    .last = id,
                    .first_use = AS_NONE,
                    .last_use = AS_NONE,
                    .effects = effects_of(graph, kind, item, kid, n_kid),
                    .binds = binds_of(graph, kind, item, kid, n_kid),
                    .shape = shape};
  as_vec_push(&graph->nodes, &node);
  as_vec_push(&graph->parent, &cls);
  as_vec_push(&graph->classes, &fresh);
  add_uses(graph, id, kid, n_kid);
  as_index_add(&graph->index, hash_of(kind, item, kid, n_kid), id);
  graph->n_live++;
  return cls;
}

static bool canonical(const tl_graph *graph, const uint32_t *kid, uint32_t n_kid, uint32_t *own) {
  for (uint32_t i = 0; i < n_kid; i++) {
    if (kid[i] == AS_NONE)
      return false;
    own[i] = tl_find(graph, kid[i]);
  }
  return true;
}

uint32_t tl_node_of(const tl_graph *graph, tl_kind kind, uint32_t item, const uint32_t *kid,
                    uint32_t n_kid) {
  uint32_t own[MOST_KIDS];
  if (!canonical(graph, kid, n_kid, own))
    return AS_NONE;
  return find_node(graph, kind, item, own, n_kid, AS_NONE);
}

uint32_t tl_lookup(const tl_graph *graph, tl_kind kind, uint32_t item, const uint32_t *kid,
                   uint32_t n_kid) {
  uint32_t node = tl_node_of(graph, kind, item, kid, n_kid);
  return node == AS_NONE ? AS_NONE : tl_find(graph, node_at(graph, node)->cls);
}

uint32_t tl_add(tl_graph *graph, tl_kind kind, uint32_t item, const uint32_t *kid, uint32_t n_kid) {
  uint32_t own[MOST_KIDS];
  uint32_t shape;
  if (!canonical(graph, kid, n_kid, own))
    return AS_NONE;
  uint32_t node = find_node(graph, kind, item, own, n_kid, AS_NONE);
  if (node != AS_NONE)
    return tl_find(graph, node_at(graph, node)->cls);
  if (graph->most_nodes && graph->n_live >= graph->most_nodes)
    graph->full = true;
  if (graph->full || !shape_of(graph, kind, item, own, n_kid, &shape))
    return AS_NONE;
  return new_node(graph, kind, item, own, n_kid, shape);
}

uint32_t tl_nil(tl_graph *graph) {
  return tl_add(graph, TL_NIL, 0, NULL, 0);
}

uint32_t tl_cons(tl_graph *graph, uint32_t statement, uint32_t sequence) {
  uint32_t kid[2] = {statement, sequence};
  return tl_add(graph, TL_CONS, 0, kid, 2);
}

void tl_settle(tl_graph *graph, uint32_t node, bool settled) {
  node_at(graph, node)->settled = settled;
}

void tl_unsettle_all(tl_graph *graph) {
  for (uint32_t node = 0; node < graph->nodes.n; node++)
    tl_settle(graph, node, false);
}

/* --- uniting */
bool tl_union(tl_graph *graph, uint32_t left, uint32_t right) {
  if (left == AS_NONE || right == AS_NONE)
    return false;
  left = tl_find(graph, left);
  right = tl_find(graph, right);
  if (left == right)
    return false;
  if (class_at(graph, left)->n_use < class_at(graph, right)->n_use) {
    uint32_t swapped = left;
    left = right;
    right = swapped;
  }
  tl_class *into = class_at(graph, left);
  const tl_class *from = class_at(graph, right);
  node_at(graph, into->last)->next = from->first;
  into->last = from->last;
  if (from->n_use) {
    if (into->n_use)
      operand_at(graph, into->last_use)->next_use = from->first_use;
    else
      into->first_use = from->first_use;
    into->last_use = from->last_use;
    into->n_use += from->n_use;
  }
  into->effects = tl_effects_or(graph->accesses, into->effects, from->effects);
  into->binds |= from->binds;
  AS_VEC_AT(&graph->parent, uint32_t, right) = left;
  as_vec_push(&graph->dirty, &left);
  graph->unions++;
  return true;
}

/* the node anew, now that one of its operands is another class: congruent to another one? does it
 * read or write more? */
static void look_again(tl_graph *graph, uint32_t id) {
  tl_node *node = node_at(graph, id);
  uint32_t own[MOST_KIDS];
  if (node->dead)
    return;
  for (uint32_t i = 0; i < node->n_kid; i++)
    own[i] = tl_kid(graph, id, i);
  uint32_t cls = tl_find(graph, node->cls);
  uint32_t twin = find_node(graph, (tl_kind)node->kind, node->item, own, node->n_kid, id);
  as_index_add(&graph->index, hash_of((tl_kind)node->kind, node->item, own, node->n_kid), id);
  if (twin != AS_NONE) {
    node->dead = true;
    node_at(graph, twin)->settled &= node->settled;
    graph->n_live--;
    tl_union(graph, cls, node_at(graph, twin)->cls);
    cls = tl_find(graph, cls);
  }
  uint32_t effects = effects_of(graph, (tl_kind)node->kind, node->item, own, node->n_kid);
  tl_class *of = class_at(graph, cls);
  uint32_t all = tl_effects_or(graph->accesses, of->effects, effects);
  uint64_t binds = of->binds | binds_of(graph, (tl_kind)node->kind, node->item, own, node->n_kid);
  if (all != of->effects || binds != of->binds) {
    of->effects = all;
    of->binds = binds;
    as_vec_push(&graph->dirty, &cls);
  }
}

void tl_rebuild(tl_graph *graph) {
  while (graph->dirty.n) {
    uint32_t cls = tl_find(graph, AS_VEC_AT(&graph->dirty, uint32_t, --graph->dirty.n));
    uint32_t place = class_at(graph, cls)->first_use;
    while (place != AS_NONE) {
      uint32_t node = operand_at(graph, place)->node;
      look_again(graph, node);
      place = operand_at(graph, place)->next_use;
    }
  }
}

/* --- sequences behind each other */
static bool fill_join(tl_graph *graph, uint32_t join) {
  uint32_t first = tl_kid(graph, join, 0);
  uint32_t second = tl_kid(graph, join, 1);
  uint32_t whole = node_at(graph, join)->cls;
  bool more = false;
  for (uint32_t node = tl_first(graph, first); node != AS_NONE; node = tl_next(graph, node)) {
    if (node_at(graph, node)->kind == TL_NIL)
      more |= tl_union(graph, whole, second);
    if (node_at(graph, node)->kind != TL_CONS || node_at(graph, node)->settled)
      continue;
    uint32_t tail = tl_join(graph, tl_kid(graph, node, 1), second);
    more |= tl_union(graph, whole, tl_cons(graph, tl_kid(graph, node, 0), tail));
  }
  return more;
}

uint32_t tl_join(tl_graph *graph, uint32_t first, uint32_t second) {
  uint32_t kid[2] = {first, second};
  uint32_t nil = tl_nil(graph);
  if (second != AS_NONE && nil != AS_NONE && tl_find(graph, second) == tl_find(graph, nil))
    return first;
  uint32_t known = tl_lookup(graph, TL_JOIN, 0, kid, 2);
  if (known != AS_NONE)
    return known;
  uint32_t whole = tl_add(graph, TL_JOIN, 0, kid, 2);
  if (whole != AS_NONE)
    fill_join(graph, (uint32_t)graph->nodes.n - 1);
  return whole;
}

bool tl_graph_join(tl_graph *graph) {
  bool more = false;
  for (uint32_t node = 0; node < graph->nodes.n; node++) {
    if (node_at(graph, node)->kind == TL_JOIN && !node_at(graph, node)->dead)
      more |= fill_join(graph, node);
  }
  return more;
}
