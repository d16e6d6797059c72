/* Rules about loops and sequences, as text: a pattern, what it may be instead, and the conditions
 * under which it may.  May include: base, egraph.h.  Private to search/tiles and its tests.
 *
 *     rule   = side "=>" side
 *     side   = { item ";" } ( LIST [ "++" LIST ] | "." )      LIST: any sequence; ".": the empty
 * one item   = STATEMENT | "for" VARIABLE "{" side "}"
 *
 * A LIST is a capital letter, a STATEMENT and a VARIABLE are small ones (v, w: variables); `A ++ B`
 * is A with B behind it, on the right side alone.  Every side is the rest of a sequence, so a rule
 * applies at any place of one.  A condition is a predicate of access.h on what is matched.
 *
 * Not one of these rules is trusted: what is extracted is proved as a whole.  The conditions are
 * there so that what is extracted is worth proving.  tests/tiles has for each a case that it takes
 * and cases that it refuses, among them the unsound forms that were published. */
#ifndef AS_TILES_RULES_H
#define AS_TILES_RULES_H
#include "egraph.h"

/* name; rule; conditions.  Why each is right where its conditions hold (docs/saturation.md has the
 * argument): */
#define TL_LOOP_RULES(X)                                                                           \
  /* two statements that do not touch what the other writes */                                     \
  X(SWAP, "swap", "a ; b ; T => b ; a ; T", "independent a b, sorts a b")                          \
  /* the same, a loop before what is none (only where rules settle) */                             \
  X(LIFT, "lift", "a ; b ; T => b ; a ; T", "independent a b, lifts a b")                          \
  /* iteration v of B may run before iteration v + 1 of A, when it needs nothing of it */          \
  X(FUSE, "fuse", "for v { A } ; for v { B } ; T => for v { A ++ B } ; T", "aligned v A B")        \
  /* and the other way round, where each of the two loops is one that is needed */                 \
  X(PART, "part", "for v { a ; B } ; T => for v { a ; . } ; for v { B } ; T",                      \
    "uses v a, uses v B, aligned v a B")                                                           \
  /* what does not depend on the iteration, and can be done again, done in each */                 \
  X(INSERT, "insert", "a ; for v { B } ; T => for v { a ; B } ; T",                                \
    "free v a, repeatable a, keeps B a, feeds a B")                                                \
  /* and done once */                                                                              \
  X(HOIST, "hoist", "for v { a ; B } ; T => a ; for v { B } ; T",                                  \
    "some B, free v a, repeatable a, keeps B a")                                                   \
  X(ONCE, "once", "for v { a ; . } ; T => a ; T", "free v a, repeatable a")                        \
  X(NOTHING, "nothing", "for v { . } ; T => T", "")                                                \
  /* tiles in the order of the other loop first */                                                 \
  X(EXCHANGE, "exchange", "for v { for w { A } ; . } ; T => for w { for v { A } ; . } ; T",        \
    "exchangeable v w A")

/* Rules that make new variables, tensors or tiles, and so are functions (transform.c): name,
 * function, what it does and when. */
#define TL_FUNCTION_RULES(X)                                                                       \
  X(REINDEX, "reindex", tl_apply_reindex,                                                          \
    "for v { A } => for w { A[w / v] }, where w counts the outer part of the axis that v counts "  \
    "tiles of: every access by v is to that axis, and what A computes, it computes tile by tile")  \
  X(FACTOR, "factor", tl_apply_factor,                                                             \
    "for v { X += A / c } => for v { Y += A } ; X = Y / c, and with * : v is all that X is "       \
    "summed "                                                                                      \
    "over, no access in c is by v, and the new tensor Y has the shape of X")                       \
  X(FORWARD, "forward", tl_apply_forward,                                                          \
    "X = e: a load of X at that place is e, where X is written there alone, e reads nothing that " \
    "is written later, and not X")

enum {

#define TL_RULE_ID(id, ...) TL_RULE_##id,
  TL_LOOP_RULES(TL_RULE_ID) TL_FUNCTION_RULES(TL_RULE_ID) TL_RULE_ALGEBRA,
  TL_N_RULES
};

typedef struct tl_loop_rules tl_loop_rules;

/* the rows above, read; NULL with err: one of them is not well-formed */
tl_loop_rules *tl_loop_rules_read(as_err *err);
void tl_loop_rules_free(tl_loop_rules *rules);
/* Applies rule TL_RULE_.. of the first table wherever it matches, and rebuilds.  Gives how many
 * matches its conditions refused; *applied is how many unions it made. */
uint64_t tl_loop_rule_apply(const tl_loop_rules *rules, uint32_t rule, tl_graph *graph,
                            uint64_t *applied);

/* of transform.c: apply wherever they match; give how many unions they made */
uint64_t tl_apply_reindex(tl_graph *graph);
uint64_t tl_apply_factor(tl_graph *graph);
uint64_t tl_apply_forward(tl_graph *graph);

const char *tl_rule_name(uint32_t rule);
#endif
