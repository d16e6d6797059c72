#include "extract.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

/* What an element costs: moved between memory and a kernel; computed; and a step of a sum of
 * products.  Only their order of magnitude matters: they choose how a tile is computed. */
static const double cost_of_moving = 8;
static const double cost_of_computing = 1;
static const double cost_of_a_step = 0.05;
static const double never = 1e300;

enum { MOST_DEPTH = 16 };

typedef struct {
  uint32_t cls;
  uint32_t name;
} held;

typedef struct {
  double cost;
  uint32_t node;
} way;

typedef struct {
  tl_items *items;
  const tl_graph *graph;
  tl_accesses *all;
  as_arena *mem;
  as_rng *rng;   /* NULL: the cheapest way */
  as_vec env;    /* held: tiles that are there, innermost last */
  as_map ways;   /* of the statement at hand: index in `chosen` + 1; 0: being found */
  as_vec chosen; /* way */
  bool *stored;
  const tl_tree *loop[MOST_DEPTH]; /* around */
  uint32_t depth;
  bool wrong;
} builder;

/* --- lists of items */
static tl_item *add_item(builder *b, tl_item *into, tl_item of) {
  tl_item *item = as_arena_alloc(b->mem, sizeof *item);
  *item = of;
  if ((into->n_body & (into->n_body - 1)) == 0) {
    uint32_t room = into->n_body ? 2 * into->n_body : 1;
    tl_item **wider = as_arena_alloc(b->mem, room * sizeof *wider);
    if (into->n_body)
      memcpy(wider, into->body, into->n_body * sizeof *wider);
    into->body = wider;
  }
  into->body[into->n_body++] = item;
  return item;
}

static void hold(builder *b, uint32_t cls, uint32_t name) {
  held one = {tl_find(b->graph, cls), name};
  as_vec_push(&b->env, &one);
}

static void hold_access(builder *b, uint32_t access, uint32_t name) {
  uint32_t load = tl_lookup(b->graph, TL_LOAD, access, NULL, 0);
  if (load != AS_NONE)
    hold(b, load, name);
}

static uint32_t held_name(const builder *b, uint32_t cls) {
  for (size_t i = b->env.n; i-- > 0;) {
    if (AS_VEC_AT(&b->env, held, i).cls == cls)
      return AS_VEC_AT(&b->env, held, i).name;
  }
  return AS_NONE;
}

/* --- how a tile is computed */
static bool is_number(const builder *b, uint32_t cls) {
  for (uint32_t n = tl_first(b->graph, cls); n != AS_NONE; n = tl_next(b->graph, n)) {
    if (tl_node_at(b->graph, n)->kind == TL_NUMBER)
      return true;
  }
  return false;
}

static double cheapest(builder *b, uint32_t cls);

static double node_cost(builder *b, uint32_t n) {
  const tl_node *node = tl_node_at(b->graph, n);
  if (node->kind == TL_LOAD) {
    uint32_t tensor = tl_access_tensor(b->all, node->item);
    bool there = tl_tensor_at(b->all, tensor)->is_input || b->stored[tensor];
    return there ? cost_of_moving * tl_elements(b->graph, node->cls) : never;
  }
  if (node->kind != TL_CALL)
    return never;
  double elements = tl_elements(b->graph, node->cls);
  double work = tl_call_work(b->graph, n);
  double cost = work > elements ? cost_of_a_step * work : cost_of_computing * work;
  for (uint32_t i = 0; i < node->n_kid && cost < never; i++)
    cost += cheapest(b, tl_kid(b->graph, n, i));
  return cost;
}

static double cheapest(builder *b, uint32_t cls) {
  uint64_t known;
  cls = tl_find(b->graph, cls);
  if (held_name(b, cls) != AS_NONE || is_number(b, cls))
    return 0;
  if (as_map_get(&b->ways, AS_KEY(cls), &known))
    return known ? AS_VEC_AT(&b->chosen, way, known - 1).cost : never;
  as_map_put(&b->ways, AS_KEY(cls), 0);
  way best = {never, AS_NONE};
  for (uint32_t n = tl_first(b->graph, cls); n != AS_NONE; n = tl_next(b->graph, n)) {
    double cost = node_cost(b, n);
    if (b->rng && cost < never)
      cost *= 0.001 + as_rng_unit(b->rng);
    if (cost < best.cost)
      best = (way){cost, n};
  }
  as_vec_push(&b->chosen, &best);
  as_map_put(&b->ways, AS_KEY(cls), b->chosen.n);
  return best.cost;
}

/* the name of the tile, for which items are added; AS_NONE: a number, or there is no way */
static uint32_t compute(builder *b, tl_item *into, uint32_t cls) {
  uint64_t known;
  cls = tl_find(b->graph, cls);
  uint32_t name = held_name(b, cls);
  if (name != AS_NONE || is_number(b, cls))
    return name;
  if (cheapest(b, cls) >= never || !as_map_get(&b->ways, AS_KEY(cls), &known)) {
    b->wrong = true;
    return AS_NONE;
  }
  uint32_t n = AS_VEC_AT(&b->chosen, way, known - 1).node;
  const tl_node *node = tl_node_at(b->graph, n);
  tl_item item = {.kind = TL_FETCH, .access = node->item, .node = n};
  if (node->kind == TL_CALL) {
    item = (tl_item){.kind = TL_LET, .node = n, .n_arg = node->n_kid};
    for (uint32_t i = 0; i < node->n_kid && !b->wrong; i++)
      item.arg[i] = compute(b, into, tl_kid(b->graph, n, i));
  }
  item.name = b->items->n_name++;
  add_item(b, into, item);
  hold(b, cls, item.name);
  return item.name;
}

static uint32_t compute_statement(builder *b, tl_item *into, uint32_t cls) {
  as_map_reset(&b->ways);
  b->chosen.n = 0;
  uint32_t name = compute(b, into, cls);
  b->wrong |= name == AS_NONE;
  return name;
}

/* --- statements */
static void put(builder *b, tl_item *into, uint32_t access, uint32_t name) {
  add_item(b, into, (tl_item){.kind = TL_PUT, .access = access, .name = name});
  b->stored[tl_access_tensor(b->all, access)] = true;
}

/* is the sum one over the iterations of the loop right around, and no other? */
static bool is_carried(const builder *b, const tl_tree *add) {
  uint64_t sums = tl_tensor_at(b->all, tl_access_tensor(b->all, add->item))->sums_over;
  return b->depth && sums == 1ull << b->loop[b->depth - 1]->item;
}

static void add_carry(builder *b, tl_item *loop, const tl_tree *add) {
  tl_carry carry = {.access = add->item, .added = compute_statement(b, loop, add->value)};
  carry.first = b->items->n_name++;
  carry.name = b->items->n_name++;
  tl_carry *wider = as_arena_alloc(b->mem, (loop->n_carry + 1) * sizeof *wider);
  if (loop->n_carry)
    memcpy(wider, loop->carry, loop->n_carry * sizeof *wider);
  wider[loop->n_carry++] = carry;
  loop->carry = wider;
}

static void add_in_memory(builder *b, tl_item *into, const tl_tree *add) {
  uint32_t tensor = tl_access_tensor(b->all, add->item);
  uint32_t value = compute_statement(b, into, add->value);
  uint32_t before = b->items->n_name++;
  uint32_t after = b->items->n_name++;
  add_item(b, into,
           (tl_item){.kind = TL_FETCH, .access = add->item, .node = AS_NONE, .name = before});
  tl_item sum = {
      .kind = TL_LET, .node = AS_NONE, .name = after, .n_arg = 2, .arg = {before, value}};
  add_item(b, into, sum);
  put(b, into, add->item, after);
  b->items->zero[tensor] = true;
}

static void add_body(builder *b, tl_item *into, const tl_tree *tree);

static void add_loop(builder *b, tl_item *into, const tl_tree *tree) {
  tl_item loop = {.kind = TL_LOOP_ITEM, .variable = tree->item};
  size_t outside = b->env.n;
  for (uint32_t i = 0; i < b->depth; i++)
    b->wrong |= b->loop[i]->item == tree->item; /* its tiles would be taken for those around */
  b->wrong |= b->depth == MOST_DEPTH;
  if (b->wrong)
    return;
  b->loop[b->depth++] = tree;
  add_body(b, &loop, tree);
  b->depth--;
  b->env.n = outside;
  for (uint32_t i = 0; i < loop.n_carry; i++)
    add_item(
        b, into,
        (tl_item){.kind = TL_MAKE, .access = loop.carry[i].access, .name = loop.carry[i].first});
  add_item(b, into, loop);
  for (uint32_t i = 0; i < loop.n_carry; i++) {
    hold_access(b, loop.carry[i].access, loop.carry[i].name);
    put(b, into, loop.carry[i].access, loop.carry[i].name);
  }
}

static void add_body(builder *b, tl_item *into, const tl_tree *tree) {
  for (uint32_t i = 0; i < tree->n && !b->wrong; i++) {
    const tl_tree *statement = tree->body[i];
    if (statement->kind == TL_LOOP) {
      add_loop(b, into, statement);
    } else if (statement->kind == TL_STORE) {
      uint32_t name = compute_statement(b, into, statement->value);
      hold_access(b, statement->item, name);
      put(b, into, statement->item, name);
    } else if (is_carried(b, statement)) {
      add_carry(b, into, statement);
    } else {
      add_in_memory(b, into, statement);
    }
  }
}

/* --- what is left out: whatever no result depends on */
static bool mark_name(bool *live, uint32_t name) {
  if (name == AS_NONE || live[name])
    return false;
  live[name] = true;
  return true;
}

static bool mark(tl_items *items, tl_item *loop, bool *live) {
  const tl_accesses *all = &items->naive->accesses;
  bool more = false;
  loop->live = false;
  for (uint32_t i = loop->n_body; i-- > 0;) {
    tl_item *item = loop->body[i];
    uint32_t tensor = item->kind == TL_FETCH || item->kind == TL_PUT
                          ? tl_access_tensor(all, item->access)
                          : AS_NONE;
    if (item->kind == TL_LOOP_ITEM)
      more |= mark(items, item, live);
    else
      item->live = item->kind == TL_PUT ? items->tensor_live[tensor] : live[item->name];
    if (item->live && item->kind == TL_PUT)
      more |= mark_name(live, item->name);
    if (item->live && item->kind == TL_FETCH && !items->tensor_live[tensor])
      more = items->tensor_live[tensor] = true;
    for (uint32_t k = 0; item->live && item->kind == TL_LET && k < item->n_arg; k++)
      more |= mark_name(live, item->arg[k]);
    loop->live |= item->live;
  }
  for (uint32_t i = 0; i < loop->n_carry; i++) {
    const tl_carry *carry = &loop->carry[i];
    if (live[carry->name]) {
      loop->live = true;
      more |= mark_name(live, carry->first);
      more |= mark_name(live, carry->added);
    }
  }
  return more;
}

static void sweep(tl_item *loop, const bool *live) {
  uint32_t n = 0;
  uint32_t n_carry = 0;
  for (uint32_t i = 0; i < loop->n_body; i++) {
    if (!loop->body[i]->live)
      continue;
    loop->body[n++] = loop->body[i];
    if (loop->body[n - 1]->kind == TL_LOOP_ITEM)
      sweep(loop->body[n - 1], live);
  }
  for (uint32_t i = 0; i < loop->n_carry; i++) {
    if (live[loop->carry[i].name])
      loop->carry[n_carry++] = loop->carry[i];
  }
  loop->n_body = n;
  loop->n_carry = n_carry;
}

static void leave_out(tl_items *items) {
  const tl_accesses *all = &items->naive->accesses;
  bool *live = as_calloc(items->n_name + 1, sizeof *live);
  for (uint32_t i = 0; i < all->tensors.n; i++)
    items->tensor_live[i] = tl_tensor_at(all, i)->is_output;
  while (mark(items, &items->whole, live))
    continue;
  sweep(&items->whole, live);
  free(live);
}

bool tl_items_init(tl_items *items, const tl_naive *naive, const tl_tree *tree,
                   const as_target *target, as_arena *mem, as_rng *rng) {
  uint32_t n_tensor = (uint32_t)naive->accesses.tensors.n;
  *items = (tl_items){.naive = naive};
  items->whole = (tl_item){.kind = TL_LOOP_ITEM, .variable = AS_NONE, .live = true};
  items->tensor_live = as_calloc(n_tensor + 1, sizeof(bool));
  items->zero = as_calloc(n_tensor + 1, sizeof(bool));
  items->is_local = as_calloc(n_tensor + 1, sizeof(bool));
  builder b = {.items = items,
               .graph = &naive->graph,
               .all = (tl_accesses *)&naive->accesses,
               .mem = mem,
               .rng = rng};
  as_vec_init(&b.env, sizeof(held));
  as_vec_init(&b.chosen, sizeof(way));
  as_map_init(&b.ways, 1);
  b.stored = as_calloc(n_tensor + 1, sizeof(bool));
  add_body(&b, &items->whole, tree);
  if (!b.wrong)
    leave_out(items);
  as_vec_clear(&b.env);
  as_vec_clear(&b.chosen);
  as_map_clear(&b.ways);
  free(b.stored);
  if (!b.wrong && tl_place(items, mem)) {
    tl_cost(items, target);
    return true;
  }
  tl_items_clear(items);
  return false;
}

void tl_items_clear(tl_items *items) {
  free(items->tensor_live);
  free(items->zero);
  free(items->is_local);
  *items = (tl_items){0};
}
