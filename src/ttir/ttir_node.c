/* Building and printing expressions. */
#include "ttir_node.h"
#include "src/base/map.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_WEIGHT = 1 << 20 };

static ttir_node *new_node(as_arena *mem, ttir_node_kind kind, ttir_sort sort) {
  ttir_node *node = as_arena_alloc(mem, sizeof *node);
  node->kind = kind;
  node->sort = sort;
  node->weight = 1;
  node->lo = TTIR_LEAST;
  node->hi = TTIR_MOST;
  return node;
}

static int64_t clamp(__int128 value) {
  return value < TTIR_LEAST ? TTIR_LEAST : value > TTIR_MOST ? TTIR_MOST : (int64_t)value;
}

static void add_kid(ttir_node *node, ttir_node *kid) {
  node->kid[node->n++] = kid;
  uint64_t weight = (uint64_t)node->weight + kid->weight;
  node->weight = weight > MOST_WEIGHT ? MOST_WEIGHT : (uint32_t)weight;
}

ttir_node *ttir_integer(as_arena *mem, int64_t value) {
  ttir_node *node = new_node(mem, TTIR_N_NUMBER, TTIR_INTEGER);
  char *text = as_format("%lld", (long long)value);
  node->text = as_arena_strdup(mem, text);
  node->lo = node->hi = value;
  free(text);
  return node;
}

ttir_node *ttir_real(as_arena *mem, const char *number) {
  ttir_node *node = new_node(mem, TTIR_N_NUMBER, TTIR_REAL);
  node->text = as_arena_strdup(mem, number);
  return node;
}

ttir_node *ttir_name(as_arena *mem, const char *text, int64_t lo, int64_t hi) {
  ttir_node *node = new_node(mem, TTIR_N_NAME, TTIR_INTEGER);
  node->text = as_arena_strdup(mem, text);
  node->lo = lo;
  node->hi = hi;
  return node;
}

ttir_node *ttir_lane(as_arena *mem, uint32_t lane, int64_t lo, int64_t hi) {
  ttir_node *node = new_node(mem, TTIR_N_LANE, TTIR_INTEGER);
  node->lane = lane;
  node->lo = lo;
  node->hi = hi;
  return node;
}

ttir_node *ttir_tile(as_arena *mem, ttir_sort sort, const char *name, uint32_t n,
                     ttir_node *const *lane) {
  ttir_node *node = new_node(mem, TTIR_N_TILE, sort);
  node->text = name;
  for (uint32_t i = 0; i < n; i++)
    add_kid(node, lane[i]);
  node->weight = 1;
  return node;
}

ttir_node *ttir_call(as_arena *mem, const char *function, uint32_t n, ttir_node *const *argument) {
  ttir_node *node = new_node(mem, TTIR_N_CALL, argument[0]->sort);
  node->text = function;
  for (uint32_t i = 0; i < n; i++)
    add_kid(node, argument[i]);
  if (node->sort == TTIR_INTEGER && n == 2) { /* max and min */
    const ttir_node *a = argument[0];
    const ttir_node *b = argument[1];
    bool most = strcmp(function, "max") == 0;
    node->lo = most == (a->lo > b->lo) ? a->lo : b->lo;
    node->hi = most == (a->hi > b->hi) ? a->hi : b->hi;
  }
  return node;
}

bool ttir_is_integer(const ttir_node *a, int64_t value) {
  return a->sort == TTIR_INTEGER && a->lo == value && a->hi == value;
}

ttir_node *ttir_as_real(as_arena *mem, const ttir_node *integer) {
  ttir_node *node = as_arena_alloc(mem, sizeof *node);
  *node = *integer;
  node->sort = TTIR_REAL;
  return node;
}

/* is everything between the limits possible on that side? */
static bool is_open(const ttir_node *a) {
  return a->lo <= TTIR_LEAST || a->hi >= TTIR_MOST;
}

static void range_of(ttir_node *node) {
  const ttir_node *a = node->kid[0];
  const ttir_node *b = node->kid[1];
  bool open = is_open(a) || is_open(b);
  if (node->kind == TTIR_N_MOD && b->lo > 0) {
    bool same = a->lo >= 0 && a->hi < b->lo;
    node->lo = same ? a->lo : 0;
    node->hi = same ? a->hi : b->hi - 1;
    return;
  }
  if (open)
    return;
  if (node->kind == TTIR_N_ADD) {
    node->lo = clamp((__int128)a->lo + b->lo);
    node->hi = clamp((__int128)a->hi + b->hi);
  } else if (node->kind == TTIR_N_SUB) {
    node->lo = clamp((__int128)a->lo - b->hi);
    node->hi = clamp((__int128)a->hi - b->lo);
  } else if (node->kind == TTIR_N_MUL) {
    __int128 product[4] = {(__int128)a->lo * b->lo, (__int128)a->lo * b->hi,
                           (__int128)a->hi * b->lo, (__int128)a->hi * b->hi};
    __int128 lo = product[0];
    __int128 hi = product[0];
    for (int i = 1; i < 4; i++) {
      lo = product[i] < lo ? product[i] : lo;
      hi = product[i] > hi ? product[i] : hi;
    }
    node->lo = clamp(lo);
    node->hi = clamp(hi);
  } else if (node->kind == TTIR_N_DIV && a->lo >= 0 && b->lo > 0) {
    node->lo = a->lo / b->hi;
    node->hi = a->hi / b->lo;
  } else if (node->kind == TTIR_N_DIV && b->lo > 0) { /* towards minus infinity, from below 0 on */
    node->lo = a->lo;
    node->hi = a->hi >= 0 ? a->hi / b->lo : -1;
  }
}

/* NULL: nothing to simplify */
static ttir_node *simpler(as_arena *mem, ttir_node_kind kind, ttir_node *a, ttir_node *b) {
  bool zero = ttir_is_integer(a, 0);
  bool add = kind == TTIR_N_ADD;
  if (zero && add)
    return b;
  if (ttir_is_integer(b, 0) && (add || kind == TTIR_N_SUB))
    return a;
  if (kind == TTIR_N_MUL && (zero || ttir_is_integer(b, 0)))
    return ttir_integer(mem, 0);
  if (kind == TTIR_N_MUL && ttir_is_integer(a, 1))
    return b;
  if ((kind == TTIR_N_MUL || kind == TTIR_N_DIV) && ttir_is_integer(b, 1))
    return a;
  if (kind == TTIR_N_MOD && b->lo > 0 && a->lo >= 0 && a->hi < b->lo)
    return a;
  if (kind == TTIR_N_DIV && b->lo > 0 && a->lo >= 0 && a->hi < b->lo)
    return ttir_integer(mem, 0);
  return NULL;
}

ttir_node *ttir_arith(as_arena *mem, ttir_node_kind kind, ttir_node *a, ttir_node *b) {
  bool integer = a->sort == TTIR_INTEGER && b->sort == TTIR_INTEGER && kind != TTIR_N_DIVIDE;
  ttir_node *node = integer ? simpler(mem, kind, a, b) : NULL;
  if (node)
    return node;
  node = new_node(mem, kind, integer ? TTIR_INTEGER : TTIR_REAL);
  add_kid(node, a);
  add_kid(node, b);
  if (integer)
    range_of(node);
  return integer && node->lo == node->hi && !is_open(node) ? ttir_integer(mem, node->lo) : node;
}

ttir_node *ttir_true(as_arena *mem) {
  return new_node(mem, TTIR_N_TRUE, TTIR_TRUTH);
}

ttir_node *ttir_if(as_arena *mem, ttir_node *condition, ttir_node *then, ttir_node *other) {
  if (!condition)
    return other;
  if (condition->kind == TTIR_N_TRUE || then == other)
    return then;
  ttir_node *node = new_node(mem, TTIR_N_IF, then->sort);
  add_kid(node, condition);
  add_kid(node, then);
  add_kid(node, other);
  node->lo = then->lo < other->lo ? then->lo : other->lo;
  node->hi = then->hi > other->hi ? then->hi : other->hi;
  return node;
}

ttir_node *ttir_compare(as_arena *mem, ttir_node_kind kind, ttir_node *a, ttir_node *b) {
  if (a->sort == TTIR_INTEGER) {
    bool up = a->hi < TTIR_MOST && b->lo > TTIR_LEAST; /* there are numbers to compare */
    bool down = a->lo > TTIR_LEAST && b->hi < TTIR_MOST;
    bool less = up && a->hi < b->lo;
    bool more = down && a->lo > b->hi;
    bool at_most = up && a->hi <= b->lo;
    bool at_least = down && a->lo >= b->hi;
    if (kind == TTIR_N_LESS && (less || at_least))
      return less ? ttir_true(mem) : NULL;
    if (kind == TTIR_N_AT_MOST && (at_most || more))
      return more ? NULL : ttir_true(mem);
    if (kind == TTIR_N_EQUAL && (less || more || (at_most && at_least)))
      return less || more ? NULL : ttir_true(mem);
  }
  ttir_node *node = new_node(mem, kind, TTIR_TRUTH);
  add_kid(node, a);
  add_kid(node, b);
  return node;
}

ttir_node *ttir_not(as_arena *mem, ttir_node *a) {
  if (!a)
    return ttir_true(mem);
  if (a->kind == TTIR_N_TRUE)
    return NULL;
  if (a->kind == TTIR_N_NOT)
    return a->kid[0];
  ttir_node *node = new_node(mem, TTIR_N_NOT, TTIR_TRUTH);
  add_kid(node, a);
  return node;
}

ttir_node *ttir_joined(as_arena *mem, ttir_node_kind kind, ttir_node *a, ttir_node *b) {
  ttir_node *node = new_node(mem, kind, TTIR_TRUTH);
  add_kid(node, a);
  add_kid(node, b);
  return node;
}

/* Is `a` the pattern `b`, with the free lane of `b` being one and the same number of its range
 * throughout?  `lane`: what it is, once it is known; NULL: are the two the same? */
static bool matches(const ttir_node *a, const ttir_node *b, const ttir_node **lane) {
  if (a == b && !lane)
    return true;
  if (!a || !b)
    return false;
  if (lane && b->kind == TTIR_N_LANE && b->lane == TTIR_FREE_LANE) {
    if (*lane)
      return ttir_same(a, *lane);
    *lane = a;
    return a->sort == TTIR_INTEGER && a->lo >= b->lo && a->hi <= b->hi;
  }
  bool same = a->kind == b->kind && a->sort == b->sort && a->n == b->n &&
              (a->kind != TTIR_N_LANE || a->lane == b->lane) && (!a->text == !b->text) &&
              (!a->text || strcmp(a->text, b->text) == 0);
  for (uint32_t i = 0; same && i < a->n; i++)
    same = matches(a->kid[i], b->kid[i], lane);
  return same;
}

bool ttir_same(const ttir_node *a, const ttir_node *b) {
  return matches(a, b, NULL);
}

/* does one of the parts of a conjunction say what `truth` says, or imply it? */
static bool entails(const ttir_node *conjunction, const ttir_node *truth) {
  if (conjunction->kind == TTIR_N_AND)
    return entails(conjunction->kid[0], truth) || entails(conjunction->kid[1], truth);
  const ttir_node *lane = NULL;
  if (ttir_same(truth, conjunction))
    return true;
  return conjunction->implied && matches(truth, conjunction->implied, &lane);
}

/* does a part of `b` deny what `a` entails? */
static bool contradicts(const ttir_node *a, const ttir_node *b) {
  if (b->kind == TTIR_N_NOT)
    return entails(a, b->kid[0]);
  ttir_node negation = {.kind = TTIR_N_NOT, .sort = TTIR_TRUTH, .n = 1};
  negation.kid[0] = (ttir_node *)(uintptr_t)b;
  return entails(a, &negation) ||
         (b->kind == TTIR_N_AND && (contradicts(a, b->kid[0]) || contradicts(a, b->kid[1])));
}

/* Does the truth never hold where the loop's variable is this number?  What it implies of all lanes
 * of an axis is asked of the first. */
static bool never_at(as_arena *mem, ttir_node *truth, const char *variable, ttir_node *number) {
  if (truth->kind == TTIR_N_AND)
    return never_at(mem, truth->kid[0], variable, number) ||
           never_at(mem, truth->kid[1], variable, number);
  if (truth->kind == TTIR_N_OR)
    return never_at(mem, truth->kid[0], variable, number) &&
           never_at(mem, truth->kid[1], variable, number);
  if (truth->implied && !ttir_at(mem, truth->implied, variable, number))
    return true;
  return !ttir_at(mem, truth, variable, number);
}

/* does a part of `a` say which round of a loop it is, in which `b` never holds? */
static bool contradicts_round(as_arena *mem, ttir_node *a, ttir_node *b) {
  if (a->kind == TTIR_N_AND)
    return contradicts_round(mem, a->kid[0], b) || contradicts_round(mem, a->kid[1], b);
  if (a->kind == TTIR_N_TILE && a->implied)
    return contradicts_round(mem, a->implied, b);
  return a->kind == TTIR_N_EQUAL && a->kid[0]->kind == TTIR_N_NAME && a->kid[0]->round &&
         never_at(mem, b, a->kid[0]->text, a->kid[1]);
}

ttir_node *ttir_and(as_arena *mem, ttir_node *a, ttir_node *b) {
  if (!a || !b || contradicts(a, b) || contradicts(b, a) || contradicts_round(mem, a, b) ||
      contradicts_round(mem, b, a))
    return NULL;
  if (a->kind == TTIR_N_TRUE || entails(b, a))
    return b;
  if (b->kind == TTIR_N_TRUE || entails(a, b))
    return a;
  return ttir_simplest(mem, ttir_joined(mem, TTIR_N_AND, a, b));
}

ttir_node *ttir_or(as_arena *mem, ttir_node *a, ttir_node *b) {
  if (!a || !b)
    return a ? a : b;
  if (a->kind == TTIR_N_TRUE || a == b)
    return a;
  return b->kind == TTIR_N_TRUE ? b : ttir_simplest(mem, ttir_joined(mem, TTIR_N_OR, a, b));
}

/* ---- domains */

int64_t ttir_factor(const ttir_node *node) {
  if (node->lo == node->hi)
    return node->lo < 0 ? -node->lo : node->lo;
  int64_t a = node->n == 2 ? ttir_factor(node->kid[0]) : 1;
  int64_t b = node->n == 2 ? ttir_factor(node->kid[1]) : 1;
  if (node->kind == TTIR_N_MUL && a <= 64 && b <= 64)
    return a * b;
  if (node->kind != TTIR_N_ADD && node->kind != TTIR_N_SUB)
    return 1;
  while (b != 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

ttir_node *ttir_is_number(as_arena *mem, ttir_node *node, int64_t number) {
  for (uint32_t i = 0; i < 2 && node->kind == TTIR_N_MUL; i++) {
    const ttir_node *factor = node->kid[i];
    bool divides = factor->lo == factor->hi && factor->lo > 0 && number % factor->lo == 0;
    if (divides)
      return ttir_is_number(mem, node->kid[1 - i], number / factor->lo);
  }
  return ttir_compare(mem, TTIR_N_EQUAL, node, ttir_integer(mem, number));
}

bool ttir_is_nonnegative(const ttir_node *node) {
  switch (node->kind) {
  case TTIR_N_NUMBER:
    return strtod(node->text, NULL) >= 0;
  case TTIR_N_NAME:
  case TTIR_N_TILE:
    return node->lo >= 0;
  case TTIR_N_CALL:
    return strcmp(node->text, "exp") == 0;
  case TTIR_N_IF:
    return ttir_is_nonnegative(node->kid[1]) && ttir_is_nonnegative(node->kid[2]);
  case TTIR_N_ADD:
  case TTIR_N_MUL:
    return ttir_is_nonnegative(node->kid[0]) && ttir_is_nonnegative(node->kid[1]);
  default:
    return false;
  }
}

bool ttir_is_positive(const ttir_node *node) {
  if (node->kind == TTIR_N_NUMBER)
    return strtod(node->text, NULL) > 0;
  if (node->kind == TTIR_N_MUL)
    return ttir_is_positive(node->kid[0]) && ttir_is_positive(node->kid[1]);
  if (node->kind == TTIR_N_ADD)
    return (ttir_is_positive(node->kid[0]) && ttir_is_nonnegative(node->kid[1])) ||
           (ttir_is_nonnegative(node->kid[0]) && ttir_is_positive(node->kid[1]));
  bool exponential = node->kind == TTIR_N_CALL && strcmp(node->text, "exp") == 0;
  bool integer = node->kind == TTIR_N_NAME; /* as a real number it keeps its range */
  return exponential || (integer && node->lo > 0);
}

bool ttir_leaves_domain(const ttir_node *node) {
  if (node->kind == TTIR_N_DIVIDE) {
    const ttir_node *by = node->kid[1];
    return !ttir_is_positive(by) && !(by->kind == TTIR_N_NUMBER && strtod(by->text, NULL) < 0);
  }
  bool root = node->kind == TTIR_N_CALL &&
              (strcmp(node->text, "sqrt") == 0 || strcmp(node->text, "log") == 0);
  return root && !ttir_is_positive(node->kid[0]);
}

bool ttir_is_partial(const ttir_node *node) {
  bool partial = node && ttir_leaves_domain(node);
  for (uint32_t i = 0; node && i < node->n && !partial; i++)
    partial = ttir_is_partial(node->kid[i]);
  return partial;
}

bool ttir_reads_absent(const ttir_node *node) {
  bool reads = node && node->kind == TTIR_N_TILE && node->absent;
  for (uint32_t i = 0; node && i < node->n && !reads; i++)
    reads = ttir_reads_absent(node->kid[i]);
  return reads;
}

/* ---- integers modulo a power of two */

/* two to that power; one beyond what ranges hold has no range */
static ttir_node *power_of_two(as_arena *mem, uint32_t power) {
  if (power < 62)
    return ttir_integer(mem, (int64_t)1 << power);
  const char *text = power == 62   ? "4611686018427387904"
                     : power == 63 ? "9223372036854775808"
                                   : "18446744073709551616";
  return ttir_name(mem, text, TTIR_LEAST, TTIR_MOST);
}

ttir_node *ttir_wrapped(as_arena *mem, ttir_node *number, uint32_t bits) {
  int64_t half = bits >= 63 ? TTIR_MOST : (int64_t)1 << (bits - 1);
  if (number->lo > -half && number->hi < half)
    return number;
  ttir_node *shift = power_of_two(mem, bits - 1);
  ttir_node *above = ttir_arith(mem, TTIR_N_ADD, number, shift);
  ttir_node *rest = new_node(mem, TTIR_N_MOD, TTIR_INTEGER);
  add_kid(rest, above);
  add_kid(rest, power_of_two(mem, bits));
  ttir_node *node = new_node(mem, TTIR_N_SUB, TTIR_INTEGER);
  add_kid(node, rest);
  add_kid(node, shift);
  node->lo = bits >= 63 ? TTIR_LEAST : -half;
  node->hi = bits >= 63 ? TTIR_MOST : half - 1;
  node->wraps = bits;
  return node;
}

ttir_node *ttir_unwrapped(const ttir_node *node, uint32_t bits) {
  bool wraps = node->wraps && (bits == 0 || node->wraps == bits);
  return wraps ? node->kid[0]->kid[0]->kid[0] : (ttir_node *)(uintptr_t)node;
}

ttir_node *ttir_leaves_type(as_arena *mem, const ttir_node *node) {
  ttir_node *leaves = NULL;
  for (uint32_t i = 0; i < node->n && !node->wraps; i++)
    leaves = ttir_or(mem, leaves, ttir_leaves_type(mem, node->kid[i]));
  if (!node->wraps)
    return leaves;
  ttir_node *number = ttir_unwrapped(node, 0);
  ttir_node *half = power_of_two(mem, node->wraps - 1);
  ttir_node *least = ttir_arith(mem, TTIR_N_SUB, ttir_integer(mem, 0), half);
  ttir_node *below = ttir_compare(mem, TTIR_N_LESS, number, least);
  ttir_node *above = ttir_compare(mem, TTIR_N_AT_MOST, half, number);
  return ttir_or(mem, ttir_leaves_type(mem, number), ttir_or(mem, below, above));
}

/* ---- replacing lanes */

typedef struct {
  as_arena *mem;
  ttir_node *const *lane; /* NULL: they stay */
  ttir_node *mask;        /* holds here: choices that it decides are made; NULL: nothing is known */
  bool unwraps;           /* numbers are taken to stay in their types */
  const char *variable;   /* becomes `number`, and lanes of implied truths 0; NULL: none does */
  ttir_node *number;
  as_map done; /* from nodes to what they became */
} view;

static ttir_node *viewed(view *in, ttir_node *node);

/* the same operation of these, simplified anew */
static ttir_node *of_kids(as_arena *mem, const ttir_node *node, ttir_node *const *kid) {
  switch (node->kind) {
  case TTIR_N_TILE: {
    ttir_node *tile = ttir_tile(mem, node->sort, node->text, node->n, kid);
    tile->absent = node->absent;
    return tile;
  }
  case TTIR_N_CALL:
    return ttir_call(mem, node->text, node->n, kid);
  case TTIR_N_IF:
    return ttir_if(mem, kid[0], kid[1], kid[2]);
  case TTIR_N_EQUAL:
  case TTIR_N_LESS:
  case TTIR_N_AT_MOST:
    return ttir_compare(mem, node->kind, kid[0], kid[1]);
  case TTIR_N_AND:
    return ttir_and(mem, kid[0], kid[1]);
  case TTIR_N_OR:
    return ttir_or(mem, kid[0], kid[1]);
  case TTIR_N_NOT:
    return ttir_not(mem, kid[0]);
  default:
    return ttir_arith(mem, node->kind, kid[0], kid[1]);
  }
}

static ttir_node *rebuilt(view *in, const ttir_node *node) {
  ttir_node *kid[TTIR_MOST_KIDS];
  if (node->wraps && in->unwraps) {
    ttir_node *number = as_arena_alloc(in->mem, sizeof *number);
    *number = *viewed(in, ttir_unwrapped(node, 0));
    return number;
  }
  if (node->wraps)
    return ttir_wrapped(in->mem, viewed(in, ttir_unwrapped(node, 0)), node->wraps);
  if (in->mask && node->kind == TTIR_N_IF) {
    ttir_node *condition = viewed(in, node->kid[0]);
    if (!ttir_and(in->mem, in->mask, condition))
      return viewed(in, node->kid[2]);
    if (!ttir_and(in->mem, in->mask, ttir_not(in->mem, condition)))
      return viewed(in, node->kid[1]);
  }
  /* a number and what says where it is none (ttir_lacking): here it always is one */
  if (node->kind == TTIR_N_ADD && node->kid[1]->sort == TTIR_REAL && node->kid[1]->implied) {
    ttir_node *lacks = viewed(in, node->kid[1]->implied);
    if (!(in->mask ? ttir_and(in->mem, in->mask, lacks) : lacks))
      return viewed(in, node->kid[0]);
  }
  for (uint32_t i = 0; i < node->n; i++)
    kid[i] = viewed(in, node->kid[i]);
  return of_kids(in->mem, node, kid);
}

/* what was known of the node at all of its lanes is known here too */
static ttir_node *as_known(as_arena *mem, ttir_node *node, const ttir_node *was) {
  bool narrower = node->lo < was->lo || node->hi > was->hi;
  if (node->sort == was->sort && (node->sort == TTIR_TRUTH || !narrower))
    return node;
  ttir_node *copy = as_arena_alloc(mem, sizeof *copy);
  *copy = *node;
  copy->sort = was->sort;
  copy->lo = node->lo < was->lo ? was->lo : node->lo;
  copy->hi = node->hi > was->hi ? was->hi : node->hi;
  return copy;
}

ttir_node *ttir_of_kids(as_arena *mem, const ttir_node *node, ttir_node *const *kid) {
  ttir_node *made = of_kids(mem, node, kid);
  if (made)
    made = as_known(mem, made, node);
  if (made && made->kind == node->kind && !made->implied)
    made->implied = node->implied;
  return made;
}

static ttir_node *viewed(view *in, ttir_node *node) {
  if (in->variable && node && node->kind == TTIR_N_NAME && strcmp(node->text, in->variable) == 0)
    return node->sort == TTIR_REAL ? ttir_as_real(in->mem, in->number) : in->number;
  if (in->variable && node && node->kind == TTIR_N_LANE && node->lane == TTIR_FREE_LANE)
    return ttir_integer(in->mem, node->lo);
  bool constant = !node || node->kind == TTIR_N_NUMBER || node->kind == TTIR_N_NAME ||
                  node->kind == TTIR_N_TRUE;
  if (constant)
    return node;
  if (node->kind == TTIR_N_LANE && (node->lane == TTIR_FREE_LANE || !in->lane))
    return node;
  if (node->kind == TTIR_N_LANE) {
    ttir_node *to = in->lane[node->lane];
    return node->sort == TTIR_REAL ? ttir_as_real(in->mem, to) : to;
  }
  uint64_t known;
  if (as_map_get(&in->done, AS_KEY((uintptr_t)node), &known))
    return (ttir_node *)(uintptr_t)known;
  ttir_node *result = rebuilt(in, node);
  if (result)
    result = as_known(in->mem, result, node);
  if (result && node->implied && result->kind == node->kind)
    result->implied = viewed(in, node->implied);
  as_map_put(&in->done, AS_KEY((uintptr_t)node), (uintptr_t)result);
  return result;
}

ttir_node *ttir_view(as_arena *mem, ttir_node *of, ttir_node *const *lane) {
  view in = {.mem = mem, .lane = lane};
  as_map_init(&in.done, 1);
  ttir_node *result = viewed(&in, of);
  as_map_clear(&in.done);
  return result;
}

ttir_node *ttir_under(as_arena *mem, ttir_node *of, ttir_node *mask) {
  view in = {.mem = mem, .mask = mask};
  as_map_init(&in.done, 1);
  ttir_node *result = viewed(&in, of);
  as_map_clear(&in.done);
  return result;
}

ttir_node *ttir_in_types(as_arena *mem, ttir_node *of) {
  view in = {.mem = mem, .unwraps = true};
  as_map_init(&in.done, 1);
  ttir_node *result = viewed(&in, of);
  as_map_clear(&in.done);
  return result;
}

ttir_node *ttir_at(as_arena *mem, ttir_node *of, const char *variable, ttir_node *number) {
  view in = {.mem = mem, .variable = variable, .number = number};
  as_map_init(&in.done, 1);
  ttir_node *result = viewed(&in, of);
  as_map_clear(&in.done);
  return result;
}

/* ---- printing */

/* how tightly a text is bound: what is looser than its place asks for stands in parentheses */
typedef enum { LOOSE, SUM, PRODUCT, ATOM } binding;

typedef struct {
  const char *text;
  binding level;
} printed;

static const char *joined_text(as_arena *mem, const char *a, const char *b, const char *c) {
  char *text = as_format("%s%s%s", a, b, c);
  const char *kept = as_arena_strdup(mem, text);
  free(text);
  return kept;
}

static printed print(as_arena *mem, const ttir_node *node);

static const char *print_at(as_arena *mem, const ttir_node *node, binding least) {
  printed got = print(mem, node);
  return got.level >= least ? got.text : joined_text(mem, "(", got.text, ")");
}

/* ends `name(a, b` or `name[a, b`; takes the text */
static printed finish(as_arena *mem, as_str *text, const char *end) {
  as_str_add(text, end);
  char *whole = as_str_take(text);
  printed got = {as_arena_strdup(mem, whole), ATOM};
  free(whole);
  return got;
}

static printed print_tile(as_arena *mem, const ttir_node *node) {
  as_str text;
  as_str_init(&text);
  as_str_printf(&text, "%s[", node->text);
  for (uint32_t i = 0; i < node->n; i++)
    as_str_printf(&text, "%s%s", i ? ", " : "", print(mem, node->kid[i]).text);
  return finish(mem, &text, node->sort == TTIR_TRUTH ? "] = 1" : "]");
}

static printed print_call(as_arena *mem, const ttir_node *node) {
  as_str text;
  as_str_init(&text);
  as_str_printf(&text, "%s(", node->kind == TTIR_N_IF ? "if" : node->text);
  for (uint32_t i = 0; i < node->n; i++)
    as_str_printf(&text, "%s%s", i ? ", " : "", print(mem, node->kid[i]).text);
  return finish(mem, &text, ")");
}

/* an operation of two sides */
typedef struct {
  ttir_node_kind kind;
  const char *between;
  binding left;
  binding right;
  binding result;
} form;

static const form forms[] = {
    {TTIR_N_ADD, " + ", SUM, PRODUCT, SUM},
    {TTIR_N_SUB, " - ", SUM, PRODUCT, SUM},
    {TTIR_N_MUL, " * ", PRODUCT, ATOM, PRODUCT},
    {TTIR_N_DIVIDE, " / ", PRODUCT, ATOM, PRODUCT},
    {TTIR_N_DIV, " div ", PRODUCT, ATOM, PRODUCT},
    {TTIR_N_MOD, " mod ", PRODUCT, ATOM, PRODUCT},
    {TTIR_N_EQUAL, " = ", SUM, SUM, ATOM},
    {TTIR_N_LESS, " < ", SUM, SUM, ATOM},
    {TTIR_N_AT_MOST, " <= ", SUM, SUM, ATOM},
    {TTIR_N_AND, " and ", PRODUCT, PRODUCT, PRODUCT},
    {TTIR_N_OR, " or ", SUM, SUM, SUM},
};

static const char *const lane_names[] = {"i0", "i1", "i2", "i3", "i4", "i5", "any"};

static printed print(as_arena *mem, const ttir_node *node) {
  switch (node->kind) {
  case TTIR_N_NUMBER:
    return (printed){node->text, node->text[0] == '-' ? SUM : ATOM};
  case TTIR_N_NAME:
    return (printed){node->text, ATOM};
  case TTIR_N_LANE:
    return (printed){lane_names[node->lane], ATOM};
  case TTIR_N_TILE:
    return print_tile(mem, node);
  case TTIR_N_CALL:
  case TTIR_N_IF:
    return print_call(mem, node);
  case TTIR_N_NOT:
    return (printed){joined_text(mem, "not (", print(mem, node->kid[0]).text, ")"), ATOM};
  case TTIR_N_TRUE:
    return (printed){"0 = 0", ATOM};
  default:
    break;
  }
  const form *found = forms;
  while (found->kind != node->kind)
    found++;
  const char *left = print_at(mem, node->kid[0], found->left);
  const char *right = print_at(mem, node->kid[1], found->right);
  return (printed){joined_text(mem, left, found->between, right), found->result};
}

const char *ttir_print(as_arena *mem, const ttir_node *node) {
  return print(mem, node).text;
}
