/* Loops become loops that carry tiles, branches become choices. */
#include "ttir_control.h"
#include <stdlib.h>
#include <string.h>

/* ---- what a loop carries */

static void carry(ttir_lift *lift, const char *name, const as_ttir_type *type, ttir_node *first,
                  ttir_node **tile, as_str *text) {
  type = ttir_extents(lift, type);
  const ttir_node *made = ttir_make(lift, name, type, ttir_filled(lift, first));
  const char *own = ttir_fresh(lift, name);
  *tile = ttir_element(lift, made->sort, own, type);
  if (made->sort == TTIR_INTEGER && type->kind == AS_TTIR_INT) {
    (*tile)->hi = ttir_most_of(type->bits);
    (*tile)->lo = -(*tile)->hi - 1;
  }
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

/* where it has no value, or nothing says whether it is infinite */
static ttir_node *lacks_of(ttir_lift *lift, const ttir_lifted *of) {
  as_arena *mem = lift->mem;
  ttir_node *lacks = ttir_lacks(lift, of->value);
  ttir_node *lacks_low = ttir_lacks(lift, of->low);
  ttir_node *lacks_high = ttir_lacks(lift, of->high);
  if (!lacks_low && !lacks_high)
    return lacks;
  return ttir_or(mem, lacks, ttir_or(mem, lacks_low, lacks_high));
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
    carry_flag(lift, type, lacks_of(lift, first), &tiles.lacks, text);
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
      value[0] = ttir_filled(lift, yielded[i].value);
    if (of[1])
      value[1] = ttir_filled(lift, yielded[i].low);
    if (of[2])
      value[2] = ttir_filled(lift, yielded[i].high);
    if (of[3])
      value[3] = lacks_of(lift, &yielded[i]);
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
  return (ttir_mark){lift->out.n, lift->required.n, lift->events.n};
}

void ttir_go_back(ttir_lift *lift, ttir_mark to) {
  lift->out.n = to.out;
  lift->required.n = to.required;
  lift->events.n = to.events;
  if (lift->out.s)
    lift->out.s[to.out] = 0;
}

/* Where a carried number is infinite: a tile says so of each round, or, by induction over the
 * rounds, it is everywhere before the first and where `later` holds behind each; a tile says so too
 * where it never is later.  That is a hypothesis, which a reading with it confirms or denies. */
typedef struct {
  enum { BY_TILE, BY_ROUNDS } how;

  ttir_node *later; /* speaks of nothing that the loop makes */
  bool narrowed;    /* a first hypothesis, that it never holds, was denied */
} ttir_rounds;

/* Where rounds add numbers of this range to a carried integer, it is in a range after so many. */
typedef struct {
  enum { NOT_TRIED, IN_RANGE, IN_TYPE } how;

  int64_t lo; /* what is carried; in the type alone: whatever that holds */
  int64_t hi;
} ttir_sums;

/* What is known of a loop's carried values when it is written: which may be infinite, or have no
 * value in some lanes, and how much is added to the integers, positions among them, to which each
 * iteration adds the same. */
typedef struct {
  ttir_may may[TTIR_MOST_CARRIED];
  ttir_node *added[TTIR_MOST_CARRIED]; /* NULL: it is carried as a tile */
  uint32_t first_name;                 /* of those that the loop gives */
  bool tried;                          /* whether what is never negative is so by induction */
  bool again;                          /* more is known than what it was written with */
  ttir_sums sums[TTIR_MOST_CARRIED];
  ttir_rounds low[TTIR_MOST_CARRIED];
  ttir_rounds high[TTIR_MOST_CARRIED];
  bool infinite; /* more may be so than what it was written with */
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

bool ttir_may_lack(const ttir_lifted *value) {
  return ttir_is_partial(value->value) || ttir_is_partial(value->low) ||
         ttir_is_partial(value->high);
}

static ttir_may may_be(const ttir_lifted *first, bool negative) {
  const ttir_node *value = first->value;
  bool real = value && value->sort == TTIR_REAL;
  return (ttir_may){first->low != NULL, first->high != NULL, ttir_may_lack(first),
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
                          ttir_node *rounds, ttir_node *is_first, as_str *carries) {
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
  ttir_may may = loop->may[i];
  may.low &= loop->low[i].how == BY_TILE || !loop->low[i].later;
  may.high &= loop->high[i].how == BY_TILE || !loop->high[i].later;
  tiles = ttir_carry(lift, of->name, &of->type, first, may, carries);
  if (loop->sums[i].how == IN_RANGE) {
    tiles.value->lo = loop->sums[i].lo;
    tiles.value->hi = loop->sums[i].hi;
  }
  ttir_enter_carried(lift, &tiles, inside);
  if (loop->low[i].how == BY_ROUNDS && loop->low[i].later)
    inside->low = ttir_or(lift->mem, is_first, loop->low[i].later);
  else if (loop->low[i].how == BY_ROUNDS)
    inside->low->implied = is_first;
  if (loop->high[i].how == BY_ROUNDS && loop->high[i].later)
    inside->high = ttir_or(lift->mem, is_first, loop->high[i].later);
  else if (loop->high[i].how == BY_ROUNDS)
    inside->high->implied = is_first;
  return tiles;
}

/* the truth where the other one holds, or does not */
static ttir_node *with_truth(ttir_lift *lift, ttir_node *truth, const ttir_node *other,
                             bool holds) {
  as_arena *mem = lift->mem;
  if (!truth || ttir_same(truth, other))
    return truth && holds ? ttir_true(mem) : NULL;
  if (truth->kind == TTIR_N_NOT)
    return ttir_not(mem, with_truth(lift, truth->kid[0], other, holds));
  if (truth->kind != TTIR_N_AND && truth->kind != TTIR_N_OR)
    return truth;
  ttir_node *a = with_truth(lift, truth->kid[0], other, holds);
  ttir_node *b = with_truth(lift, truth->kid[1], other, holds);
  return truth->kind == TTIR_N_AND ? ttir_and(mem, a, b) : ttir_or(mem, a, b);
}

static bool are_equivalent(ttir_lift *lift, ttir_node *a, ttir_node *b) {
  as_arena *mem = lift->mem;
  return !ttir_and(mem, a, ttir_not(mem, b)) && !ttir_and(mem, b, ttir_not(mem, a));
}

/* Is the hypothesis kept by a round that yields this truth?  If not, another one is made. */
static void confirm(ttir_lift *lift, ttir_loop *loop, ttir_rounds *rounds,
                    const ttir_node *variable, ttir_node *from, const ttir_node *is_first,
                    ttir_node *yielded) {
  if (rounds->how != BY_ROUNDS)
    return;
  ttir_node *first = with_truth(lift, yielded, is_first, true);
  first = first ? ttir_at(lift->mem, first, variable->text, from) : NULL;
  ttir_node *later = with_truth(lift, yielded, is_first, false);
  if (are_equivalent(lift, first, rounds->later) && are_equivalent(lift, later, rounds->later))
    return;
  bool again = !rounds->narrowed && first && !ttir_is_partial(first) && !ttir_reads_absent(first) &&
               !is_of_loop(lift, loop, first);
  *rounds = (ttir_rounds){again ? BY_ROUNDS : BY_TILE, again ? first : NULL, true};
  loop->infinite = true;
}

/* what is added to a tile; NULL: something else is done to it */
static const ttir_node *summand(const ttir_node *node, const ttir_node *tile) {
  if (node->kind != TTIR_N_ADD)
    return NULL;
  return ttir_same(node->kid[0], tile)   ? node->kid[1]
         : ttir_same(node->kid[1], tile) ? node->kid[0]
                                         : NULL;
}

/* The range of an integer to which at most so many rounds add what is yielded: a hypothesis, by
 * which what is added has its range, until a reading with it has a wider one. */
static void bound_sum(ttir_loop *loop, ttir_sums *sums, const ttir_node *first,
                      const ttir_node *tile, const ttir_node *yielded, int64_t rounds) {
  const ttir_node *added = summand(ttir_unwrapped(yielded, 0), tile);
  bool known = added && rounds >= 0 && added->lo > TTIR_LEAST && added->hi < TTIR_MOST;
  __int128 lo = known ? first->lo + (added->lo < 0 ? (__int128)rounds * added->lo : 0) : 0;
  __int128 hi = known ? first->hi + (added->hi > 0 ? (__int128)rounds * added->hi : 0) : 0;
  bool narrower = known && lo >= tile->lo && hi <= tile->hi;
  if (sums->how == NOT_TRIED && narrower) {
    *sums = (ttir_sums){IN_RANGE, (int64_t)lo, (int64_t)hi};
    loop->again = true;
  } else if (sums->how == IN_RANGE && !narrower) {
    sums->how = IN_TYPE;
    loop->again = true;
  }
}

/* what the body yields for a carried value, and what that tells; false: refused */
static bool leave(ttir_lift *lift, const as_ttir_op *op, ttir_loop *loop, uint32_t i,
                  const ttir_carried *tiles, int64_t rounds, ttir_lifted *yielded) {
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
    if (!loop->added[i])
      bound_sum(loop, &loop->sums[i], first->value, tiles->value, yielded->value, rounds);
  }
  ttir_may *may = &loop->may[i];
  bool lacks = tiles->value && ttir_may_lack(yielded);
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

/* from, to, step; below 0: no bound is known */
static int64_t most_rounds(ttir_node *const *bound) {
  bool known = bound[0]->lo > TTIR_LEAST && bound[1]->hi < TTIR_MOST;
  __int128 span = known ? (__int128)bound[1]->hi - bound[0]->lo : 0;
  __int128 rounds = span <= 0 ? 0 : (span - 1) / bound[2]->lo + 1;
  return known && rounds < TTIR_MOST ? (int64_t)rounds : -1;
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
  variable->round = true;
  variable->below = ttir_largest(lift, bound[1]);
  if (variable->below)
    variable->below =
        ttir_arith(lift->mem, TTIR_N_SUB, variable->below, ttir_integer(lift->mem, 1));
  ttir_node *is_first = ttir_compare(lift->mem, TTIR_N_EQUAL, variable, bound[0]);
  ttir_node *rounds = ttir_arith(lift->mem, TTIR_N_DIV,
                                 ttir_arith(lift->mem, TTIR_N_SUB, variable, bound[0]), bound[2]);
  loop->again = loop->infinite = false;
  for (uint32_t i = 0; i < n; i++) {
    type[i] = &kernel->value[body->argument[i + 1]].type;
    tiles[i] = enter(lift, op, loop, i, rounds, is_first, &carries);
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
    if (!leave(lift, op, loop, i, &tiles[i], most_rounds(bound), &yielded[i]))
      return false;
    const ttir_node *low = tiles[i].low ? tiles[i].low : is_first;
    const ttir_node *high = tiles[i].high ? tiles[i].high : is_first;
    confirm(lift, loop, &loop->low[i], variable, bound[0], low, yielded[i].low);
    confirm(lift, loop, &loop->high[i], variable, bound[0], high, yielded[i].high);
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
    ttir_node *none = ttir_compare(lift->mem, TTIR_N_AT_MOST, bound[1], bound[0]);
    if (loop->low[i].how == BY_ROUNDS)
      result->low = ttir_or(lift->mem, none, loop->low[i].later);
    if (loop->high[i].how == BY_ROUNDS)
      result->high = ttir_or(lift->mem, none, loop->high[i].later);
  }
  return true;
}

/* A round's number plus the step is computed behind the last round too: beyond its type it is
 * another number, and the loop goes on.  false: refused */
static bool ends(ttir_lift *lift, const as_ttir_op *op) {
  as_arena *mem = lift->mem;
  uint32_t bits = ttir_type_of(lift, op->operand[0])->bits;
  ttir_node *to = ttir_operand(lift, op, 1)->value;
  ttir_node *step = ttir_operand(lift, op, 2)->value;
  ttir_node *spare = ttir_arith(mem, TTIR_N_SUB, step, ttir_integer(mem, 1));
  ttir_node *last = ttir_in_type(lift, op, ttir_arith(mem, TTIR_N_ADD, to, spare), bits);
  ttir_node *leaves = last ? ttir_leaves_type(mem, last) : NULL;
  if (leaves) { /* of data: then the kernel is not defined */
    ttir_node *zero = ttir_real(mem, "0");
    ttir_node *divisor = ttir_if(mem, leaves, zero, ttir_real(mem, "1"));
    ttir_make(lift, "ends", ttir_type_of(lift, op->operand[0]),
              ttir_arith(mem, TTIR_N_DIVIDE, zero, divisor));
  }
  return last != NULL;
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
  if (!ends(lift, op))
    return false;
  ttir_loop loop = {.first_name = as_intern_count(&lift->names), .again = true};
  for (uint32_t i = 0; i < n; i++) {
    const ttir_lifted *first = ttir_operand(lift, op, i + 3);
    loop.may[i] = may_be(first, true);
    loop.low[i].how = first->low && first->low->kind == TTIR_N_TRUE ? BY_ROUNDS : BY_TILE;
    loop.high[i].how = first->high && first->high->kind == TTIR_N_TRUE ? BY_ROUNDS : BY_TILE;
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
