/* What the search may not go beyond, a row each.  A limit that strikes is counted, and said aloud
 * in the result: what lies behind it was not looked at.  Includes libc only. */
#ifndef AS_SEARCH_LIMITS_H
#define AS_SEARCH_LIMITS_H
#include <stdbool.h>
#include <stdint.h>

/* name, what was counted */
#define AS_SEARCH_LIMITS(X)                                                                        \
  X(VALUES, "values", "plans with more tile tensors than are kept: the rest was not made")         \
  X(STATES, "states", "plans whose enumeration ended at the limit of states")                      \
  X(BEYOND, "beyond",                                                                              \
    "plans left some way behind their first block graph (as many states again, or 30,000)")        \
  X(AXES, "axes", "groups of operators with more axes than are looked at: not fused")              \
  X(GRID_AXES, "grid axes", "groups of operators with more axes for the grid than are combined")   \
  X(WAYS, "ways", "ways to compute a tile tensor beyond the first 24")                             \
  X(TERMS, "terms", "abstract expressions with too many terms, factors or digits: not made")       \
  X(RANK, "rank", "tile tensors with more axes than any tensor of the program: not made")          \
  X(IDLE, "idle axes",                                                                             \
    "tile tensors with an axis on which they do not depend, and which are no tensor of the "       \
    "program: not made")                                                                           \
  X(SIGN, "sign", "tile tensors that are one negative term: left to subtraction")                  \
  X(UNITS, "units",                                                                                \
    "tile tensors with numbers or sizes in front that no place of the program has where they fit:" \
    " not made")                                                                                   \
  X(NUMBERS, "numbers", "numbers of the program beyond the first 16: not used as constants")       \
  X(ARGUMENTS, "arguments", "tensors with more parts than are looked for")                         \
  X(STEPS, "steps", "block graphs of more than 64 operators: dropped")                             \
  X(GRAPHS, "graphs", "plans with more block graphs than were kept: the lightest were")            \
  X(OPERATORS, "operators", "groups of operators that are longer than one kernel may be")          \
  X(ORDERS, "orders", "programs with more orders of their operators than are gone through")        \
  X(CUTS, "cuts", "sets of operators between which the dataflow graph was not cut")                \
  X(GROUPS, "groups", "groups of operators that the partition had no budget left to look into")    \
  X(TESTED, "candidates", "candidates left untested")                                              \
  X(PROOFS, "proofs",                                                                              \
    "kernels and candidates left unproved, or out, when proofs that were not found had taken "     \
    "what "                                                                                        \
    "there is for them")                                                                           \
  X(TILES, "tiles", "block graphs without tile sizes that divide the concrete sizes and fit")      \
  X(TIME, "time", "plans, groups or candidates left when the time limit struck")                   \
  X(INTERRUPT, "interrupt", "plans, groups or candidates left when the search was interrupted")

typedef enum {

#define AS_LIMIT_ENUM(id, name, what) AS_LIMIT_##id,
  AS_SEARCH_LIMITS(AS_LIMIT_ENUM)
#undef AS_LIMIT_ENUM
      AS_LIMIT_N
} as_search_limit;

typedef struct {
  const char *name;
  const char *what;
} as_search_limit_row;

extern const as_search_limit_row as_search_limits[AS_LIMIT_N];

/* When the search has to come to an end. */
typedef struct {
  double until;             /* as_now() then; 0: whenever it is done */
  const volatile int *stop; /* NULL, or a flag that ends it at once */
} as_search_deadline;

/* whether it has come; which of the two it was goes into *why */
bool as_search_is_late(const as_search_deadline *deadline, as_search_limit *why);
#endif
