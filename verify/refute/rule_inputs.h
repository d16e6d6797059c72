/* Inputs of a rule at given sizes that satisfy its types and assumptions.  May include: base, ir,
 * semantics.  Called by rule_refute.c. */
#ifndef AS_RULE_INPUTS_H
#define AS_RULE_INPUTS_H
#include "../../semantics/eval.h"
#include "../../src/ir/rule.h"

/* fills exact inputs by the t-th way of choosing numbers; false: none were found that satisfy the
 * assumptions */
bool as_rule_sample(const as_rule *r, const int64_t *env, as_tensor *in, as_rng *rng, uint32_t t,
                    uint64_t max_ops);
/* types and assumptions, surely */
bool as_rule_holds(const as_rule *r, const int64_t *env, const as_tensor *in, uint64_t max_ops);
#endif
