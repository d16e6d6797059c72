/* Inputs of a rule at given sizes that satisfy its types and assumptions.  May include: base, ir,
 * semantics.  Called by rule_refute.c. */
#ifndef AS_RULE_INPUTS_H
#define AS_RULE_INPUTS_H
#include "../../semantics/eval.h"
#include "../../src/ir/rule.h"
#include "constants.h"

/* fills exact inputs by the t-th way of choosing numbers, some of them near the constants; false:
 * none were found that satisfy the assumptions.  codes: of these sizes; NULL: none are kept */
bool as_rule_sample(const as_rule *rule, const as_constants *constants, const int64_t *env,
                    as_eval_codes *codes, as_tensor *inputs, as_rng *rng, uint32_t round,
                    uint64_t max_ops);
#endif
