/* Loops become loops that carry tiles, branches become choices. */
#include "ttir_control.h"
#include <stdlib.h>
#include <string.h>

/* ---- what a loop carries */

/* NULL, truths and integers stay; nothing says where these lack a value */
static ttir_node *filled(ttir_lift *lift, ttir_node *node) {
  if (!node || !ttir_is_partial(node))
    return node;
  if (node->sort == TTIR_REAL)
    return ttir_filled(lift, node);
  ttir_assume_defined(lift, node);
  return node;
}

static void carry(ttir_lift *lift, const char *name, const as_ttir_type *type, ttir_node *first,
                  ttir_node **tile, as_str *text) {
  type = ttir_extents(lift, type);
  const ttir_node *made = ttir_make(lift, name, type, filled(lift, first));
  const char *own = ttir_fresh(lift, name);
  *tile = ttir_element(lift, made->sort, own, type);
  as_str_printf(text, "%*scarry %s%s = %s\n", 2 * lift->depth + 2, "",
                made->sort == TTIR_INTEGER ? "int " : "", own, made->text);
}

/* a truth that speaks of roots and quotients where these have values alone: as it is */
static void carry_flag(ttir_lift *lift, const as_ttir_type *type, ttir_node *first,
                       ttir_node **tile, as_str *text) {
  type = ttir_extents(lift, type);
  const ttir_node *made = ttir_make(lift, "lacks", type, first);
  const char *own = ttir_fresh(lift, "lacks");
  *tile = ttir_element(lift, TTIR_TRUTH, own, type);
  as_str_printf(text, "%*scarry %s = %s\n", 2 * lift->depth + 2, "", own, made->text);
}

/* the tiles of one carried value; those of infinities where it may be infinite */
ttir_carried ttir_carry(ttir_lift *lift, const char *name, const as_ttir_type *type,
                        const ttir_lifted *first, ttir_may may, as_str *text) {
  ttir_carried tiles = {0};
  carry(lift, name, type, first->value, &tiles.value, text);
  if (!may.negative && tiles.value->sort == TTIR_REAL)
    tiles.value->lo = 0;
  if (may.low)
    carry(lift, name, type, first->low, &tiles.low, text);
  if (may.high)
    carry(lift, name, type, first->high, &tiles.high, text);
  if (may.lacks)
    carry_flag(lift, type, ttir_lacks(lift, first->value), &tiles.lacks, text);
  ttir_node *const all[] = {tiles.value, tiles.low, tiles.high, tiles.lacks};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i])
      all[i]->absent = may.absent;
  }
  return tiles;
}

void ttir_enter_carried(ttir_lift *lift, const ttir_carried *tiles, ttir_lifted *inside) {
  inside->value = ttir_lacking(lift, tiles->value, tiles->lacks);
  inside->low = tiles->low;
  inside->high = tiles->high;
}

const as_ttir_op *ttir_last(const as_ttir_region *region) {
  return region->n_op > 0 ? region->op[region->n_op - 1] : NULL;
}

/* `next` of all that is carried is computed before any of it changes, so the tiles of all come
 * first */
void ttir_write_next(ttir_lift *lift, uint32_t n, const as_ttir_type *const *type,
                     const ttir_carried *tiles, const ttir_lifted *yielded) {
  enum { PARTS = 4 };

  const ttir_node *made[PARTS * TTIR_MOST_CARRIED];
  uint32_t k = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ttir_node *of[PARTS] = {tiles[i].value, tiles[i].low, tiles[i].high, tiles[i].lacks};
    ttir_node *value[PARTS] = {NULL};
    if (of[0])
      value[0] = filled(lift, yielded[i].value);
    if (of[1])
      value[1] = filled(lift, yielded[i].low);
    if (of[2])
      value[2] = filled(lift, yielded[i].high);
    if (of[3])
      value[3] = ttir_lacks(lift, yielded[i].value);
    for (int part = 0; part < PARTS; part++) {
      if (of[part])
        made[k++] = ttir_make(lift, of[part]->text, type[i], value[part]);
    }
  }
  k = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ttir_node *of[PARTS] = {tiles[i].value, tiles[i].low, tiles[i].high, tiles[i].lacks};
    for (int part = 0; part < PARTS; part++) {
      if (of[part])
        ttir_line(lift, "next %s = %s", of[part]->text, made[k++]->text);
    }
  }
}

ttir_mark ttir_mark_here(const ttir_lift *lift) {
  return (ttir_mark){lift->out.n, lift->assumed.n, lift->events.n};
}

void ttir_go_back(ttir_lift *lift, ttir_mark to) {
  lift->out.n = to.out;
  lift->assumed.n = to.assumed;
  lift->events.n = to.events;
  if (lift->out.s)
    lift->out.s[to.out] = 0;
}

/* What is known of a loop's carried values when it is written: which may be infinite, or have no
 * value in some lanes, and how much is added to the integers, positions among them, to which each
 * iteration adds the same. */
typedef struct {
  ttir_may may[TTIR_MOST_CARRIED];
  ttir_node *added[TTIR_MOST_CARRIED]; /* NULL: it is carried as a tile */
  uint32_t first_name;                 /* of those that the loop gives */
  bool tried;                          /* whether what is never negative is so by induction */
  bool again;                          /* more is known than what it was written with */
  bool infinite;                       /* more may be so than what it was written with */
} ttir_loop;

/* does the expression speak of what the loop defines? */
static bool is_of_loop(const ttir_lift *lift, const ttir_loop *loop, const ttir_node *node) {
  bool named = node->kind == TTIR_N_NAME || node->kind == TTIR_N_TILE;
  uint32_t name = named ? as_intern_find(&lift->names, node->text) : AS_NONE;
  if (name != AS_NONE && name >= loop->first_name)
    return true;
  for (uint32_t i = 0; i < node->n; i++) {
    if (is_of_loop(lift, loop, node->kid[i]))
      return true;
  }
  return false;
}

/* what `node` adds to the carried tile, the same in all iterations; NULL: it does something else */
static ttir_node *added_to(ttir_lift *lift, const ttir_loop *loop, ttir_node *node,
                           const ttir_node *tile) {
  if (ttir_same(node, tile))
    return ttir_integer(lift->mem, 0);
  for (uint32_t side = 0; side < 2; side++) {
    if (node->kind != TTIR_N_ADD && (node->kind != TTIR_N_SUB || side == 1))
      return NULL;
    ttir_node *rest = node->kid[1 - side];
    ttir_node *added = added_to(lift, loop, node->kid[side], tile);
    if (added && !is_of_loop(lift, loop, rest))
      return ttir_arith(lift->mem, node->kind, added, rest);
  }
  return NULL;
}

/* `first` and what so many iterations have added to it */
static ttir_node *after_rounds(ttir_lift *lift, ttir_node *first, ttir_node *added,
                               ttir_node *rounds) {
  return ttir_arith(lift->mem, TTIR_N_ADD, first, ttir_arith(lift->mem, TTIR_N_MUL, rounds, added));
}

/* (to - from) div step, rounded up: iterations from the one number to before the other */
static ttir_node *rounds_between(ttir_lift *lift, ttir_node *from, ttir_node *to, ttir_node *step) {
  as_arena *mem = lift->mem;
  ttir_node *one = ttir_integer(mem, 1);
  ttir_node *spare = ttir_arith(mem, TTIR_N_SUB, step, one);
  ttir_node *whole = ttir_arith(mem, TTIR_N_ADD, ttir_arith(mem, TTIR_N_SUB, to, from), spare);
  ttir_node *argument[2] = {ttir_integer(mem, 0), ttir_arith(mem, TTIR_N_DIV, whole, step)};
  return argument[1]->lo >= 0 ? argument[1] : ttir_call(mem, "max", 2, argument);
}

bool ttir_may_be_absent(const ttir_lifted *value) {
  return ttir_reads_absent(value->value) || ttir_reads_absent(value->low) ||
         ttir_reads_absent(value->high);
}

/* of truths and integers nothing says where they do */
static bool may_lack(const ttir_node *value) {
  return value && value->sort == TTIR_REAL && ttir_is_partial(value);
}

static ttir_may may_be(const ttir_lifted *first, bool negative) {
  const ttir_node *value = first->value;
  bool real = value && value->sort == TTIR_REAL;
  return (ttir_may){first->low != NULL, first->high != NULL, may_lack(value),
                    negative || !real || !ttir_is_nonnegative(value), ttir_may_be_absent(first)};
}

/* Before lanes are carried that have no value: what is divided by may be a sum of what is carried
 * and never negative. */
static void try_nonnegative(ttir_lift *lift, const as_ttir_op *op, ttir_loop *loop, uint32_t n) {
  bool lacks = false;
  for (uint32_t i = 0; i < n; i++)
    lacks |= loop->may[i].lacks;
  if (!lacks || loop->tried)
    return;
  loop->tried = true;
  loop->again = loop->infinite = true;
  for (uint32_t i = 0; i < n; i++) {
    ttir_may may = may_be(ttir_operand(lift, op, i + 3), false);
    loop->may[i].lacks = may.lacks;
    loop->may[i].negative = may.negative;
  }
}

/* what the body sees of a carried value; its tiles, or none where they are not needed */
static ttir_carried enter(ttir_lift *lift, const as_ttir_op *op, const ttir_loop *loop, uint32_t i,
                          ttir_node *rounds, as_str *carries) {
  uint32_t argument = op->region[0].argument[i + 1];
  const as_ttir_value *of = &lift->kernel->value[argument];
  const ttir_lifted *first = ttir_operand(lift, op, i + 3);
  ttir_lifted *inside = &lift->value[argument];
  ttir_carried tiles = {0};
  *inside = *first;
  if (loop->added[i]) {
    inside->value = after_rounds(lift, first->value, loop->added[i], rounds);
    return tiles;
  }
  tiles = ttir_carry(lift, of->name, &of->type, first, loop->may[i], carries);
  ttir_enter_carried(lift, &tiles, inside);
  return tiles;
}

/* what the body yields for a carried value, and what that tells; false: refused */
static bool leave(ttir_lift *lift, const as_ttir_op *op, ttir_loop *loop, uint32_t i,
                  const ttir_carried *tiles, ttir_lifted *yielded) {
  const as_ttir_op *yield = ttir_last(&op->region[0]);
  const ttir_lifted *first = ttir_operand(lift, op, i + 3);
  *yielded = *ttir_operand(lift, yield, i);
  if (lift->kernel->value[op->region[0].argument[i + 1]].type.kind == AS_TTIR_POINTER &&
      yielded->argument != first->argument)
    return ttir_refuse(lift, op, "a carried pointer changes its argument");
  if (yielded->descriptor != first->descriptor)
    return ttir_refuse(lift, op, "a carried descriptor becomes another one");
  if (tiles->value && tiles->value->sort == TTIR_INTEGER) {
    loop->added[i] = added_to(lift, loop, yielded->value, tiles->value);
    loop->again |= loop->added[i] != NULL;
  }
  ttir_may *may = &loop->may[i];
  bool lacks = tiles->value && may_lack(yielded->value);
  bool absent = tiles->value && ttir_may_be_absent(yielded);
  loop->infinite |= (yielded->low && !may->low) || (yielded->high && !may->high) ||
                    (lacks && !may->lacks) || (absent && !may->absent);
  may->low |= yielded->low != NULL;
  may->high |= yielded->high != NULL;
  may->lacks |= lacks;
  may->absent |= absent;
  /* that none is negative is shown by what it starts as, and by each round if it was so before */
  bool negative = tiles->value && !(yielded->value && ttir_is_nonnegative(yielded->value));
  loop->again |= negative && !may->negative;
  may->negative |= negative;
  return true;
}

/* what is touched from here on is touched in each round */
static bool enter_rounds(ttir_lift *lift, const as_ttir_op *op, const char *name,
                         ttir_node *const *bound) {
  if (lift->n_around == TTIR_MOST_AROUND)
    return ttir_refuse(lift, op, "in too many loops");
  ttir_around *loop = as_arena_alloc(lift->mem, sizeof *loop);
  *loop = (ttir_around){name, bound[0], bound[1], bound[2], ttir_ids_of(bound[0], bound[1])};
  lift->around[lift->n_around++] = loop;
  return true;
}

/* one attempt at a loop with what is known of it */
static bool write_for(ttir_lift *lift, const as_ttir_op *op, ttir_loop *loop) {
  const as_ttir_region *body = &op->region[0];
  const as_ttir_kernel *kernel = lift->kernel;
  uint32_t n = body->n_argument - 1;
  ttir_carried tiles[TTIR_MOST_CARRIED];
  const as_ttir_type *type[TTIR_MOST_CARRIED];
  ttir_lifted yielded[TTIR_MOST_CARRIED];
  ttir_node *bound[3];
  as_str carries;
  as_str_init(&carries);
  for (uint32_t i = 0; i < 3; i++)
    bound[i] = ttir_operand(lift, op, i)->value;
  const char *name = ttir_fresh(lift, kernel->value[body->argument[0]].name);
  int64_t last = bound[1]->hi == TTIR_MOST ? TTIR_MOST : bound[1]->hi - 1;
  ttir_node *variable = ttir_name(lift->mem, name, bound[0]->lo, last);
  ttir_node *rounds = ttir_arith(lift->mem, TTIR_N_DIV,
                                 ttir_arith(lift->mem, TTIR_N_SUB, variable, bound[0]), bound[2]);
  loop->again = loop->infinite = false;
  for (uint32_t i = 0; i < n; i++) {
    type[i] = &kernel->value[body->argument[i + 1]].type;
    tiles[i] = enter(lift, op, loop, i, rounds, &carries);
  }
  ttir_line(lift, "for %s = %s to %s step %s", name, ttir_print(lift->mem, bound[0]),
            ttir_print(lift->mem, bound[1]), ttir_print(lift->mem, bound[2]));
  as_str_add(&lift->out, carries.s ? carries.s : "");
  as_str_clear(&carries);
  lift->depth++;
  lift->value[body->argument[0]] = (ttir_lifted){.value = variable, .known = true};
  if (!enter_rounds(lift, op, name, bound))
    return false;
  bool lifted = ttir_lift_region(lift, body);
  lift->n_around--;
  if (!lifted)
    return false;
  const as_ttir_op *yield = ttir_last(body);
  if (n > 0 && (!yield || yield->n_operand != n))
    return ttir_refuse(lift, op, "its body does not yield what it carries");
  for (uint32_t i = 0; i < n; i++) {
    if (!leave(lift, op, loop, i, &tiles[i], &yielded[i]))
      return false;
  }
  try_nonnegative(lift, op, loop, n);
  if (loop->infinite) { /* what is added was seen where fewer numbers were */
    memset(loop->added, 0, sizeof loop->added);
    loop->again = true;
  }
  if (!loop->again)
    ttir_write_next(lift, n, type, tiles, yielded);
  lift->depth--;
  ttir_line(lift, "end");
  for (uint32_t i = 0; i < n; i++) {
    ttir_lifted *result = &lift->value[op->result[i]];
    *result = *ttir_operand(lift, op, i + 3);
    if (loop->added[i]) {
      ttir_node *all = rounds_between(lift, bound[0], bound[1], bound[2]);
      result->value = after_rounds(lift, result->value, loop->added[i], all);
      continue;
    }
    ttir_enter_carried(lift, &tiles[i], result);
  }
  return true;
}

/* is it made of sizes, instances and lanes alone? */
static bool is_of_launch(const ttir_node *node) {
  bool own = node->kind != TTIR_N_TILE && node->kind != TTIR_N_NUMBER;
  for (uint32_t i = 0; i < node->n && own; i++)
    own = node->kid[i]->kind == TTIR_N_NUMBER || is_of_launch(node->kid[i]);
  return own;
}

/* A round's number plus the step is computed behind the last round too: beyond its type it is
 * another number, and the loop goes on.  What sizes are bounded by is said of the launch. */
static void assume_that_it_ends(ttir_lift *lift, const as_ttir_op *op) {
  uint32_t bits = ttir_type_of(lift, op->operand[0])->bits;
  const ttir_node *to = ttir_operand(lift, op, 1)->value;
  const ttir_node *step = ttir_operand(lift, op, 2)->value;
  int64_t most = bits >= 63 ? TTIR_MOST : ((int64_t)1 << (bits - 1)) - 1;
  bool said = bits >= 32 && is_of_launch(to) && to->hi <= most;
  if (!said && (__int128)to->hi - 1 + step->hi > most)
    ttir_assume(lift, op, "its variable is taken to stay in the range of its type");
}

bool ttir_lift_for(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  uint32_t n = op->region[0].n_argument - 1;
  if (n > TTIR_MOST_CARRIED || op->n_operand != n + 3 || op->n_result != n)
    return ttir_refuse(lift, op, "of another form than bounds and what it carries");
  for (uint32_t i = 0; i < n; i++) {
    if (!ttir_same_type(ttir_type_of(lift, op->operand[i + 3]), ttir_type_of(lift, op->result[i])))
      return ttir_refuse(lift, op, "its operands and results do not fit together");
  }
  if (ttir_type_of(lift, op->operand[0])->rank > 0)
    return ttir_refuse(lift, op, "its bounds are no numbers");
  if (!ttir_yields(lift, op, &op->region[0], op->result, n, false))
    return false;
  if (ttir_operand(lift, op, 2)->value->lo <= 0)
    return ttir_refuse(lift, op, "its step is not shown to be positive");
  if (lift->guard->kind != TTIR_N_TRUE)
    return ttir_refuse(lift, op, "a loop in a branch");
  assume_that_it_ends(lift, op);
  ttir_loop loop = {.first_name = as_intern_count(&lift->names), .again = true};
  for (uint32_t i = 0; i < n; i++) {
    const ttir_lifted *first = ttir_operand(lift, op, i + 3);
    loop.may[i] = may_be(first, true);
  }
  ttir_mark start = ttir_mark_here(lift);
  int depth = lift->depth;
  while (loop.again) {
    ttir_go_back(lift, start);
    lift->depth = depth;
    if (!write_for(lift, op, &loop))
      return false;
  }
  return true;
}

/* ---- branches: both are computed; loads and stores happen where their condition holds */

/* runs: false where it never does, and its values are not known */
static bool lift_branch(ttir_lift *lift, const as_ttir_region *region, ttir_node *condition,
                        bool *runs) {
  ttir_node *outer = lift->guard;
  lift->guard = ttir_and(lift->mem, outer, condition);
  *runs = lift->guard != NULL;
  bool fine = !*runs || ttir_lift_region(lift, region);
  lift->guard = outer;
  return fine;
}

bool ttir_lift_if(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  ttir_node *condition = ttir_operand(lift, op, 0)->value;
  if (op->n_region == 0 || ttir_type_of(lift, op->operand[0])->rank > 0)
    return ttir_refuse(lift, op, "of another form than a condition and its branches");
  for (uint32_t i = 0; i < op->n_region; i++) {
    if (!ttir_yields(lift, op, &op->region[i], op->result, op->n_result, false))
      return false;
  }
  bool runs[2] = {false, false};
  if (!lift_branch(lift, &op->region[0], condition, &runs[0]))
    return false;
  if (op->n_region > 1 &&
      !lift_branch(lift, &op->region[1], ttir_not(lift->mem, condition), &runs[1]))
    return false;
  if (op->n_result > 0 && !runs[0] && !runs[1])
    return ttir_refuse(lift, op, "neither branch is ever taken");
  for (uint32_t i = 0; i < op->n_result; i++) {
    const as_ttir_op *then = ttir_last(&op->region[0]);
    const as_ttir_op *other = op->n_region > 1 ? ttir_last(&op->region[1]) : NULL;
    if (!then || !other || then->n_operand != op->n_result || other->n_operand != op->n_result)
      return ttir_refuse(lift, op, "its branches do not yield its results");
    const as_ttir_type *type = ttir_type_of(lift, op->result[i]);
    bool truth = ttir_is_truth(type);
    const ttir_lifted *a = ttir_operand(lift, then, i);
    const ttir_lifted *b = ttir_operand(lift, other, i);
    if (!runs[0] || !runs[1])
      lift->value[op->result[i]] = runs[0] ? *a : *b;
    else if (type->kind == AS_TTIR_POINTER && a->argument != b->argument)
      return ttir_refuse(lift, op, "between pointers to different arguments");
    else
      lift->value[op->result[i]] = ttir_choose(lift, condition, a, b, truth);
  }
  return true;
}
