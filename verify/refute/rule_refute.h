/* Counterexamples to rewrite rules, and instances that show that a rule says anything at all.  A
 * group of axes is tried with 0 to 3 axes of its own. May include: base, ir, semantics, refute.h.
 * Called by the command line and the tests. */
#ifndef AS_RULE_REFUTE_H
#define AS_RULE_REFUTE_H
#include "../../src/ir/rule.h"
#include "refute.h"

typedef struct {
  as_rule *rule; /* owned; its groups stand for as many axes as the counterexample has.  Its lhs is
                    the given side */
  bool reverse;  /* the given side is the rule's right one */
  as_cex cex;
} as_rule_cex;

void as_rule_cex_clear(as_rule_cex *c);
/* lines of sizes, tensors, what differs, each after `indent`; malloc'ed */
char *as_rule_cex_print(const as_rule_cex *c, const char *indent);

/* top: largest size; shapes: choices of how many axes the groups have; sizes: of each shape and
 * bound; inputs: of each of these */
typedef struct {
  uint64_t seed;
  int64_t top;
  uint32_t shapes;
  uint32_t sizes;
  uint32_t inputs;
  uint64_t max_ops;   /* of each evaluation */
  uint64_t total_ops; /* beyond which no evaluation begins; 0: no bound */
  double until;       /* 0, or when as_now() is past it none begins */
} as_rule_budget;

extern const as_rule_budget as_rule_quick;
extern const as_rule_budget as_rule_thorough;

/* defined: well formed and defined on the given side; filled: and an output has elements; open:
 * whether it is defined was not decided */
typedef struct {
  uint64_t sizes;
  uint64_t inputs;
  uint64_t defined;
  uint64_t filled;
  uint64_t open;
} as_rule_tally;

/* AS_NO: refuted, *cex filled, and it has been replayed.  AS_UNKNOWN: none found; tally->defined
 * and open 0: nor any instance of the rule. AS_BAD_INPUT, AS_INTERNAL with err.  Adds to *tally.
 * Threads may work on rules of one file at the same time. */
as_status as_rule_refute(const as_rulefile *f, uint32_t i, bool reverse, const as_rule_budget *b,
                         as_rule_cex *cex, as_rule_tally *tally, as_err *err);
/* reads the rule again and evaluates it there: AS_NO, the counterexample stands; AS_OK: it does
 * not; AS_UNKNOWN: not decided */
as_status as_rule_replay(const as_rulefile *f, uint32_t i, const as_rule_cex *c, as_err *err);
#endif
