/* Expressions that a kernel's values are lifted to.  A node is a function of the lanes of the value
 * that it belongs to; nothing is printed before it is needed, so shapes and index arithmetic vanish
 * into positions.  A truth that never holds is NULL.
 * May include: base.  Used by the lifting. */
#ifndef AS_TTIR_NODE_H
#define AS_TTIR_NODE_H
#include "src/base/mem.h"
#include "ttir.h"

typedef enum { TTIR_INTEGER, TTIR_TRUTH, TTIR_REAL } ttir_sort;

typedef enum {
  TTIR_N_NUMBER, /* `text`; of an integer, `lo` too */
  TTIR_N_NAME,   /* a size, a loop's variable, or an expression of such in parentheses */
  TTIR_N_LANE,   /* number `lane` of its value; printed as `i0` */
  TTIR_N_TILE,   /* the element of the tile `text` at the positions that are its kids */
  TTIR_N_CALL,   /* function `text` */
  TTIR_N_ADD,
  TTIR_N_SUB,
  TTIR_N_MUL,
  TTIR_N_DIVIDE,
  TTIR_N_DIV, /* towards minus infinity */
  TTIR_N_MOD,
  TTIR_N_IF, /* kid[0]: a truth */
  TTIR_N_EQUAL,
  TTIR_N_LESS,
  TTIR_N_AT_MOST,
  TTIR_N_AND,
  TTIR_N_OR,
  TTIR_N_NOT,
  TTIR_N_TRUE
} ttir_node_kind;

/* a lane that stays where others are replaced */
enum { TTIR_FREE_LANE = AS_TTIR_MAX_RANK };

enum { TTIR_MOST_KIDS = AS_TTIR_MAX_RANK };

typedef struct ttir_node {
  ttir_node_kind kind;
  ttir_sort sort;
  uint32_t lane;
  const char *text;
  uint32_t n;
  struct ttir_node *kid[TTIR_MOST_KIDS];
  uint32_t weight; /* operations in it, as it would be printed; stops at a large number */
  /* of a truth: another that holds where it does, at all values of the lane TTIR_FREE_LANE of it;
   * of a call that is a reduction: where it has no value (ttir_partial.c); or NULL */
  struct ttir_node *implied;
  bool
      absent; /* of a tile: some of its elements may have no value, of which nothing else is said */
  bool round; /* of a name: a loop's variable */
  bool of_sizes; /* of a name: a size, or an expression of sizes */
  struct ttir_node
      *ceiling_of;         /* of a name that is cdiv(a, b): a, an expression of sizes; or NULL */
  int64_t ceiling_by;      /* .. and b */
  struct ttir_node *below; /* of a name: its largest value, of sizes; NULL: it is not known */
  uint32_t wraps; /* a number modulo two to the power of this (ttir_wrapped); 0: it is not */
  int64_t lo;     /* of a number: it is shown to lie in lo..hi */
  int64_t hi;
} ttir_node;

/* limits of ranges: beyond these nothing is known */
#define TTIR_LEAST (-((int64_t)1 << 62))
#define TTIR_MOST ((int64_t)1 << 62)

/* All nodes live in the arena.  Integers and truths are simplified; sums and products of reals too
 * where a side is the number 0 or 1 of a select. */
ttir_node *ttir_integer(as_arena *mem, int64_t value);
ttir_node *ttir_real(as_arena *mem, const char *number);
ttir_node *ttir_name(as_arena *mem, const char *text, int64_t lo, int64_t hi);
ttir_node *ttir_lane(as_arena *mem, uint32_t lane, int64_t lo, int64_t hi);
ttir_node *ttir_tile(as_arena *mem, ttir_sort sort, const char *name, uint32_t n,
                     ttir_node *const *lane);
/* the node with its lanes replaced; simplified anew.  `of` may be NULL */
ttir_node *ttir_view(as_arena *mem, ttir_node *of, ttir_node *const *lane);
/* the node where the mask, a truth that is not NULL, holds: choices that it decides are made */
ttir_node *ttir_under(as_arena *mem, ttir_node *of, ttir_node *mask);
/* the node where the loop's variable is this number, and a free lane the first of its range */
ttir_node *ttir_at(as_arena *mem, ttir_node *of, const char *variable, ttir_node *number);
ttir_node *ttir_call(as_arena *mem, const char *function, uint32_t n, ttir_node *const *argument);
/* + - * of integers or reals, the real quotient, div and mod */
ttir_node *ttir_arith(as_arena *mem, ttir_node_kind kind, ttir_node *a, ttir_node *b);
ttir_node *ttir_if(as_arena *mem, ttir_node *condition, ttir_node *then, ttir_node *other);
ttir_node *ttir_compare(as_arena *mem, ttir_node_kind kind, ttir_node *a, ttir_node *b);
ttir_node *ttir_true(as_arena *mem);
ttir_node *ttir_not(as_arena *mem, ttir_node *a);
/* NULL stands for a truth that never holds, on either side and as the result; what contradicts
 * itself in plain sight never holds */
ttir_node *ttir_and(as_arena *mem, ttir_node *a, ttir_node *b);
ttir_node *ttir_or(as_arena *mem, ttir_node *a, ttir_node *b);
/* the truth as it is written with the fewest comparisons, where it is made of few; never longer */
ttir_node *ttir_simplest(as_arena *mem, ttir_node *truth);
/* the node of two truths, as it is; AND or OR, neither NULL */
ttir_node *ttir_joined(as_arena *mem, ttir_node_kind kind, ttir_node *a, ttir_node *b);
/* the same expression, however often it was built */
bool ttir_same(const ttir_node *a, const ttir_node *b);
ttir_node *ttir_as_real(as_arena *mem, const ttir_node *integer);
bool ttir_is_integer(const ttir_node *a, int64_t value);
/* a number that the integer is seen to be a multiple of, at least 1; 0: it is 0 */
int64_t ttir_factor(const ttir_node *node);
/* the truth that the integer is this number; of `4 * x = 8` it is `x = 2` */
ttir_node *ttir_is_number(as_arena *mem, ttir_node *node, int64_t number);

/* The integer of `bits` bits that the number is modulo two to their power: the number itself, where
 * it is shown to be in range. */
ttir_node *ttir_wrapped(as_arena *mem, ttir_node *number, uint32_t bits);
/* the number of which it is made by ttir_wrapped, of so many bits (0: any); else the node itself */
ttir_node *ttir_unwrapped(const ttir_node *node, uint32_t bits);
/* the truth that some number in it leaves its type; NULL: none can */
ttir_node *ttir_leaves_type(as_arena *mem, const ttir_node *node);
/* the node where none does */
ttir_node *ttir_in_types(as_arena *mem, ttir_node *of);

/* the same operation of other kids, simplified anew */
ttir_node *ttir_of_kids(as_arena *mem, const ttir_node *node, ttir_node *const *kid);

/* is it at least 0, or above 0, in plain sight? */
bool ttir_is_nonnegative(const ttir_node *node);
bool ttir_is_positive(const ttir_node *node);

/* a quotient, a root or a logarithm, whose last kid is not plainly in its domain */
bool ttir_leaves_domain(const ttir_node *node);
/* Does it divide, or take a root or a logarithm, of what is not plainly in the domain?  NULL, a
 * truth that never holds, does not. */
bool ttir_is_partial(const ttir_node *node);

/* does it read a tile of which some elements may have no value?  NULL: it does not */
bool ttir_reads_absent(const ttir_node *node);

/* The text; lives in the arena.  A truth prints as a condition. */
const char *ttir_print(as_arena *mem, const ttir_node *node);
#endif
