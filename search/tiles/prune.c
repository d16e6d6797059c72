/* The program without the statements that it has no more use for.  Once a sum is taken before what
 * scales it, what was summed scaled is stored for nobody; loops could be fused, but for it.
 *
 * Nothing local can say so: what comes later, around a loop, may read it.  So this is done once, to
 * the whole list, before there are other loops, and is an equation between whole programs. */
#include "saturate.h"
#include "src/base/mem.h"
#include <stdlib.h>

typedef struct {
  const tl_graph *graph;
  bool *live; /* by tensor: read later, or a result */
  bool *seen; /* by class: its reads are marked */
} pruner;

/* The node of a class that stands for it: of tiles that are in memory already the load, else the
 * first that is no load; of sequences the first that is looked at. */
static uint32_t chosen(const tl_graph *graph, uint32_t cls, tl_kind kind) {
  for (uint32_t n = tl_first(graph, cls); n != AS_NONE; n = tl_next(graph, n)) {
    const tl_node *node = tl_node_at(graph, n);
    if (node->kind == kind && !node->settled)
      return n;
  }
  return AS_NONE;
}

static void read_operands(pruner *p, uint32_t node);

static void read_tile(pruner *p, uint32_t cls) {
  cls = tl_find(p->graph, cls);
  if (p->seen[cls])
    return;
  p->seen[cls] = true;
  uint32_t load = chosen(p->graph, cls, TL_LOAD);
  uint32_t call = chosen(p->graph, cls, TL_CALL);
  if (load != AS_NONE)
    p->live[tl_access_tensor(p->graph->accesses, tl_node_at(p->graph, load)->item)] = true;
  else if (call != AS_NONE)
    read_operands(p, call);
}

static void read_operands(pruner *p, uint32_t node) {
  for (uint32_t i = 0; i < tl_node_at(p->graph, node)->n_kid; i++)
    read_tile(p, tl_kid(p->graph, node, i));
}

/* The value is computed, not loaded from where it is stored. */
static void read_value(pruner *p, uint32_t store) {
  uint32_t value = tl_kid(p->graph, store, 0);
  uint32_t call = chosen(p->graph, value, TL_CALL);
  if (call != AS_NONE)
    read_operands(p, call);
  else
    read_tile(p, value);
}

static bool is_of_use(pruner *p, uint32_t statement);

/* does something in the list store what is of use? then what that reads is, too */
static bool list_is_of_use(pruner *p, uint32_t list) {
  bool some = false;
  for (uint32_t node; (node = chosen(p->graph, list, TL_CONS)) != AS_NONE;) {
    some |= is_of_use(p, tl_kid(p->graph, node, 0));
    list = tl_kid(p->graph, node, 1);
  }
  return some;
}

static bool is_of_use(pruner *p, uint32_t statement) {
  uint32_t loop = chosen(p->graph, statement, TL_LOOP);
  if (loop != AS_NONE)
    return list_is_of_use(p, tl_kid(p->graph, loop, 0));
  uint32_t store = chosen(p->graph, statement, TL_STORE);
  if (store == AS_NONE)
    store = chosen(p->graph, statement, TL_ADD);
  if (store == AS_NONE)
    return true; /* not known */
  if (!p->live[tl_access_tensor(p->graph->accesses, tl_node_at(p->graph, store)->item)])
    return false;
  read_value(p, store);
  return true;
}

static uint32_t count_live(const pruner *p) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->graph->accesses->tensors.n; i++)
    n += p->live[i];
  return n;
}

/* the list without the statements that are of no use */
static uint32_t useful_part(pruner *p, tl_graph *graph, uint32_t list) {
  uint32_t node = chosen(graph, list, TL_CONS);
  if (node == AS_NONE)
    return list;
  uint32_t statement = tl_kid(graph, node, 0);
  uint32_t rest = useful_part(p, graph, tl_kid(graph, node, 1));
  return is_of_use(p, statement) ? tl_cons(graph, statement, rest) : rest;
}

bool tl_prune(tl_graph *graph, uint32_t root) {
  const tl_accesses *all = graph->accesses;
  pruner p = {.graph = graph,
              .live = as_calloc(all->tensors.n + 1, sizeof(bool)),
              .seen = as_calloc(graph->parent.n + 1, sizeof(bool))};
  for (uint32_t i = 0; i < all->tensors.n; i++)
    p.live[i] = tl_tensor_at(all, i)->is_output;
  uint32_t before;
  do {
    before = count_live(&p);
    list_is_of_use(&p, root);
  } while (count_live(&p) != before);
  uint32_t whole = chosen(graph, root, TL_CONS);
  uint32_t part = useful_part(&p, graph, root);
  bool fresh = tl_union(graph, root, part);
  if (fresh)
    tl_settle(graph, whole, true);
  tl_rebuild(graph);
  free(p.live);
  free(p.seen);
  return fresh;
}
