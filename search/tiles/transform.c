/* Rules that make new variables, tensors or tiles (TL_FUNCTION_RULES in rules.h). */
#include "roles.h"
#include "rules.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_TENSORS = 200 };

/* --- reindex: is what a class computes the same, however the axis is cut into tiles? */
typedef struct {
  tl_graph *graph;
  uint32_t variable;
  uint32_t other;
  as_map known; /* of classes: whether they go tile by tile; or what they are by `other` */
} reindexer;

enum { NO, YES, ASKED };

static bool is_free_of(const reindexer *r, uint32_t cls) {
  return tl_is_free(r->graph->accesses, tl_class_at(r->graph, cls)->effects, r->variable);
}

/* what the operator does with the axes of its operand that are tiles by the variable: all of them
 * passed on, or summed over where that may be */
static bool keeps_tiles(const reindexer *r, uint32_t node, bool may_sum) {
  const tl_accesses *all = r->graph->accesses;
  const tl_variable *variable = tl_variable_at(all, r->variable);
  tl_roles roles;
  if (!tl_node_roles(r->graph, node, &roles))
    return false;
  for (uint32_t i = 0; i < tl_node_at(r->graph, node)->n_kid; i++) {
    uint32_t kid = tl_kid(r->graph, node, i);
    uint32_t rank;
    const as_size *dim = tl_shape_dims(all, tl_class_at(r->graph, kid)->shape, &rank);
    bool free = is_free_of(r, kid);
    for (uint32_t k = 0; k < rank && !free; k++) {
      tl_role_kind kind = roles.arg[i][k].kind;
      if (dim[k] == variable->tile && kind != TL_AXIS_PASSED &&
          !(may_sum && kind == TL_AXIS_SUMMED))
        return false;
    }
  }
  return true;
}

static bool by_tiles(reindexer *r, uint32_t cls);

static bool call_by_tiles(reindexer *r, uint32_t node, bool may_sum) {
  const tl_node *call = tl_node_at(r->graph, node);
  for (uint32_t i = 0; i < call->n_kid; i++) {
    uint32_t kid = tl_kid(r->graph, node, i);
    if (!is_free_of(r, kid) && !by_tiles(r, kid))
      return false;
  }
  return keeps_tiles(r, node, may_sum);
}

/* what is added in each iteration of the variable: a sum over the tile */
static bool sum_by_tiles(reindexer *r, uint32_t cls) {
  for (uint32_t n = tl_first(r->graph, cls); n != AS_NONE; n = tl_next(r->graph, n)) {
    if (tl_node_at(r->graph, n)->kind == TL_CALL && !is_free_of(r, cls) &&
        call_by_tiles(r, n, true))
      return true;
  }
  return false;
}

static bool node_by_tiles(reindexer *r, uint32_t node) {
  const tl_node *here = tl_node_at(r->graph, node);
  const tl_accesses *all = r->graph->accesses;
  switch (here->kind) {
  case TL_CALL:
    return call_by_tiles(r, node, false);
  case TL_ADD: {
    uint64_t sums = tl_tensor_at(all, tl_access_tensor(all, here->item))->sums_over;
    uint32_t kid = tl_kid(r->graph, node, 0);
    return sums >> r->variable & 1 ? sum_by_tiles(r, kid) : by_tiles(r, kid);
  }
  case TL_JOIN:
    return false; /* its class has the lists */
  default:
    for (uint32_t i = 0; i < here->n_kid; i++) {
      if (!by_tiles(r, tl_kid(r->graph, node, i)))
        return false;
    }
    return true;
  }
}

/* one of the ways to compute the class is enough: they are equal */
static bool by_tiles(reindexer *r, uint32_t cls) {
  uint64_t known;
  cls = tl_find(r->graph, cls);
  if (as_map_get(&r->known, AS_KEY(cls), &known))
    return known == YES;
  as_map_put(&r->known, AS_KEY(cls), ASKED);
  bool yes = false;
  for (uint32_t n = tl_first(r->graph, cls); n != AS_NONE && !yes; n = tl_next(r->graph, n))
    yes = node_by_tiles(r, n);
  as_map_put(&r->known, AS_KEY(cls), yes ? YES : NO);
  return yes;
}

/* is every access by the variable one to the axis that it counts tiles of, and does the other one
 * not occur? */
static bool on_its_axis(const reindexer *r, uint32_t effects) {
  const tl_accesses *all = r->graph->accesses;
  uint32_t n;
  const tl_effect *item = tl_effects(all, effects, &n);
  bool some = false;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t rank;
    const uint32_t *by = tl_access_by(all, item[i].access, &rank);
    const tl_tensor *tensor = tl_tensor_at(all, tl_access_tensor(all, item[i].access));
    for (uint32_t k = 0; k < rank; k++) {
      bool here = by[k] == r->variable + 1;
      if ((here && tensor->axis[k] != tl_variable_at(all, r->variable)->axis) ||
          by[k] == r->other + 1)
        return false;
      some |= here;
    }
  }
  return some;
}

/* the class with the other variable in the place of the variable; AS_NONE: it is being made */
static uint32_t by_other(reindexer *r, uint32_t cls) {
  tl_graph *graph = r->graph;
  uint64_t known;
  cls = tl_find(graph, cls);
  if (as_map_get(&r->known, AS_KEY(cls), &known))
    return (uint32_t)known;
  if (tl_class_at(graph, cls)->shape != AS_NONE && is_free_of(r, cls))
    return cls;
  as_map_put(&r->known, AS_KEY(cls), AS_NONE);
  uint32_t made = AS_NONE;
  for (uint32_t n = tl_first(graph, cls); n != AS_NONE; n = tl_next(graph, n)) {
    const tl_node here = *tl_node_at(graph, n);
    uint32_t kid[AS_MAX_ARGS];
    for (uint32_t i = 0; i < here.n_kid; i++)
      kid[i] = by_other(r, tl_kid(graph, n, i));
    bool accesses = here.kind == TL_LOAD || here.kind == TL_STORE || here.kind == TL_ADD;
    uint32_t item = accesses
                        ? tl_access_with(graph->accesses, here.item, r->variable + 1, r->other + 1)
                        : here.item;
    if (here.kind == TL_LOOP && here.item == r->variable)
      item = r->other;
    uint32_t one =
        here.kind == TL_JOIN ? AS_NONE : tl_add(graph, (tl_kind)here.kind, item, kid, here.n_kid);
    if (made == AS_NONE)
      made = one;
    else
      tl_union(graph, made, one);
  }
  as_map_put(&r->known, AS_KEY(cls), made);
  return made;
}

/* A sum over tiles of the one is a sum over tiles of the other: where the tensors that a body adds
 * to sum over the variable, they would have to sum over the other. */
static bool sums_over(const reindexer *r, uint32_t effects) {
  const tl_accesses *all = r->graph->accesses;
  uint32_t n;
  const tl_effect *item = tl_effects(all, effects, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t sums = tl_tensor_at(all, tl_access_tensor(all, item[i].access))->sums_over;
    if (item[i].mode != TL_READ && (sums >> r->variable & 1))
      return true;
  }
  return false;
}

static uint64_t reindex_loop(tl_graph *graph, uint32_t node, uint32_t other) {
  const tl_node loop = *tl_node_at(graph, node);
  reindexer r = {.graph = graph, .variable = loop.item, .other = other};
  uint32_t body = tl_kid(graph, node, 0);
  uint32_t effects = tl_class_at(graph, body)->effects;
  if (!on_its_axis(&r, effects) || sums_over(&r, effects))
    return 0;
  as_map_init(&r.known, 1);
  bool yes = by_tiles(&r, body);
  as_map_clear(&r.known);
  if (!yes)
    return 0;
  as_map_init(&r.known, 1);
  uint32_t made = by_other(&r, body);
  as_map_clear(&r.known);
  uint32_t statement = tl_add(graph, TL_LOOP, other, &made, 1);
  return tl_union(graph, loop.cls, statement);
}

uint64_t tl_apply_reindex(tl_graph *graph) {
  const tl_accesses *all = graph->accesses;
  uint64_t unions = 0;
  uint32_t n_node = (uint32_t)graph->nodes.n;
  for (uint32_t node = 0; node < n_node && !graph->full; node++) {
    const tl_node *loop = tl_node_at(graph, node);
    if (loop->kind != TL_LOOP || loop->dead)
      continue;
    uint32_t outer = tl_axis_at(all, tl_variable_at(all, loop->item)->axis)->outer;
    for (uint32_t v = 0; outer != AS_NONE && v < all->variables.n; v++) {
      if (tl_variable_at(all, v)->axis == outer)
        unions += reindex_loop(graph, node, v);
    }
  }
  tl_rebuild(graph);
  return unions;
}

/* --- factor */
/* x / y or x * y, element by element */
static bool divides_or_scales(const as_opdef *op) {
  const as_expr *body = op->let[op->nlet - 1].body;
  if (op->nargs != 2 || op->nlet != 1 || (body->kind != AS_E_FDIV && body->kind != AS_E_MUL))
    return false;
  for (uint32_t i = 0; i < 2; i++) {
    const as_expr *access = body->kid[i];
    if (access->kind != AS_E_ACCESS || access->n != 1 || access->acc[0] == AS_IX_SCALAR ||
        strcmp(access->name, op->arg[i].name) != 0)
      return false;
  }
  return true;
}

/* the tensor that sums `value` where X sums it divided or scaled: one for each of these */
static uint32_t unscaled(tl_graph *graph, uint32_t tensor, uint32_t value) {
  tl_accesses *all = graph->accesses;
  for (uint32_t i = 0; i < all->tensors.n; i++) {
    const tl_tensor *known = tl_tensor_at(all, i);
    if (known->made_of == tensor + 1 && tl_find(graph, known->sums) == tl_find(graph, value))
      return i;
  }
  if (all->tensors.n >= MOST_TENSORS)
    return AS_NONE;
  tl_tensor fresh = *tl_tensor_at(all, tensor);
  char *name = as_format("%s_%u", fresh.name, (uint32_t)all->tensors.n);
  fresh.name = name;
  fresh.is_output = false;
  fresh.writers = 1;
  fresh.made_of = tensor + 1;
  fresh.sums = value;
  uint32_t made = tl_add_tensor(all, &fresh);
  free(name);
  return made;
}

typedef struct {
  uint32_t loop; /* its class */
  uint32_t variable;
  uint32_t access;
  uint32_t op;
  uint32_t value;
  uint32_t scale;
} factoring;

/* ways in which what is added has a factor that all iterations share */
static void find_factors(const tl_graph *graph, uint32_t loop, uint32_t add, as_vec *found) {
  const tl_accesses *all = graph->accesses;
  uint32_t sum = tl_kid(graph, add, 0);
  uint32_t variable = tl_node_at(graph, loop)->item;
  uint32_t access = tl_node_at(graph, add)->item;
  if (tl_tensor_at(all, tl_access_tensor(all, access))->sums_over != 1ull << variable)
    return;
  for (uint32_t n = tl_first(graph, sum); n != AS_NONE; n = tl_next(graph, n)) {
    const tl_node *call = tl_node_at(graph, n);
    if (call->kind != TL_CALL || !divides_or_scales(tl_operator_at(all, call->item)->op))
      continue;
    uint32_t value = tl_kid(graph, n, 0);
    uint32_t scale = tl_kid(graph, n, 1);
    if (tl_class_at(graph, value)->shape == tl_class_at(graph, sum)->shape &&
        tl_is_free(all, tl_class_at(graph, scale)->effects, variable)) {
      factoring one = {tl_node_at(graph, loop)->cls, variable, access, call->item, value, scale};
      as_vec_push(found, &one);
    }
  }
}

/* for v { Y += A } and X = Y / c, in the place of the loop in every sequence that it begins */
static uint64_t factor(tl_graph *graph, const factoring *one) {
  tl_accesses *all = graph->accesses;
  uint32_t rank;
  uint32_t fresh = unscaled(graph, tl_access_tensor(all, one->access), one->value);
  if (fresh == AS_NONE)
    return 0;
  uint32_t place = tl_access(all, fresh, tl_access_by(all, one->access, &rank));
  uint32_t value = one->value;
  uint32_t add = tl_add(graph, TL_ADD, place, &value, 1);
  uint32_t body = tl_cons(graph, add, tl_nil(graph));
  uint32_t loop = tl_add(graph, TL_LOOP, one->variable, &body, 1);
  uint32_t kid[2] = {tl_add(graph, TL_LOAD, place, NULL, 0), one->scale};
  uint32_t scaled = tl_add(graph, TL_CALL, one->op, kid, 2);
  uint32_t store = tl_add(graph, TL_STORE, one->access, &scaled, 1);
  uint32_t of = tl_find(graph, one->loop);
  uint64_t unions = 0;
  as_vec lists;
  as_vec_init(&lists, sizeof(uint32_t));
  for (uint32_t use = tl_class_at(graph, of)->first_use; use != AS_NONE;) {
    const tl_operand *operand = &AS_VEC_AT(&graph->kid, tl_operand, use);
    const tl_node *node = tl_node_at(graph, operand->node);
    if (node->kind == TL_CONS && !node->dead && tl_kid(graph, operand->node, 0) == of)
      as_vec_push(&lists, &operand->node);
    use = operand->next_use;
  }
  for (uint32_t i = 0; i < lists.n; i++) {
    uint32_t list = AS_VEC_AT(&lists, uint32_t, i);
    uint32_t rest = tl_cons(graph, store, tl_kid(graph, list, 1));
    uint32_t instead = tl_cons(graph, loop, rest);
    unions += tl_union(graph, tl_node_at(graph, list)->cls, instead);
    if (graph->pressing && instead != AS_NONE)
      tl_settle(graph, list, true);
  }
  as_vec_clear(&lists);
  return unions;
}

uint64_t tl_apply_factor(tl_graph *graph) {
  uint64_t unions = 0;
  as_vec found;
  as_vec_init(&found, sizeof(factoring));
  uint32_t nil = tl_nil(graph);
  for (uint32_t node = 0; node < graph->nodes.n; node++) {
    if (tl_node_at(graph, node)->kind != TL_LOOP || tl_node_at(graph, node)->dead)
      continue;
    uint32_t body = tl_kid(graph, node, 0);
    for (uint32_t list = tl_first(graph, body); list != AS_NONE; list = tl_next(graph, list)) {
      if (tl_node_at(graph, list)->kind != TL_CONS || tl_kid(graph, list, 1) != tl_find(graph, nil))
        continue;
      uint32_t statement = tl_kid(graph, list, 0);
      for (uint32_t add = tl_first(graph, statement); add != AS_NONE; add = tl_next(graph, add)) {
        if (tl_node_at(graph, add)->kind == TL_ADD)
          find_factors(graph, node, add, &found);
      }
    }
  }
  for (uint32_t i = 0; i < found.n && !graph->full; i++)
    unions += factor(graph, &AS_VEC_AT(&found, factoring, i));
  as_vec_clear(&found);
  tl_rebuild(graph);
  return unions;
}

/* --- forward */
/* reads of tensors that have one definition, or are never written: what they hold when the tile is
 * stored they hold for good; and not of the tensor itself */
static bool reads_what_stays(const tl_accesses *all, uint32_t effects, uint32_t tensor) {
  uint32_t n;
  const tl_effect *item = tl_effects(all, effects, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t from = tl_access_tensor(all, item[i].access);
    const tl_tensor *read = tl_tensor_at(all, from);
    if (from == tensor || read->writers != (read->is_input ? 0 : 1))
      return false;
  }
  return true;
}

uint64_t tl_apply_forward(tl_graph *graph) {
  tl_accesses *all = graph->accesses;
  uint64_t unions = 0;
  uint32_t n_node = (uint32_t)graph->nodes.n;
  for (uint32_t node = 0; node < n_node; node++) {
    const tl_node *store = tl_node_at(graph, node);
    if (store->kind != TL_STORE || store->dead)
      continue;
    uint32_t tensor = tl_access_tensor(all, store->item);
    uint32_t value = tl_kid(graph, node, 0);
    uint32_t load = tl_lookup(graph, TL_LOAD, store->item, NULL, 0);
    const tl_tensor *of = tl_tensor_at(all, tensor);
    if (load != AS_NONE && load != value && !of->is_input && of->writers == 1 &&
        reads_what_stays(all, tl_class_at(graph, value)->effects, tensor))
      unions += tl_union(graph, load, value);
  }
  tl_rebuild(graph);
  return unions;
}
