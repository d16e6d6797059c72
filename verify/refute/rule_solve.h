/* Inputs that satisfy equations between their elements, by solving along lines.  May include: base,
 * ir, semantics.  Called by rule_inputs.c. */
#ifndef AS_RULE_SOLVE_H
#define AS_RULE_SOLVE_H
#include "../../src/base/rng.h"
#include "rule_assume.h"

/* whether an assumption of the rule is an equation, so that trial hardly meets it */
bool as_rule_has_equation(const as_rule *rule);
/* A few elements of exact inputs move along a random line to where the equations that they occur
 * in hold, as often as `moves` says.  Where all equations of degree two hold already this is the
 * way from one rational point of a conic to another.  Keeps what is met: an equation that held
 * before a move holds after it.  False: none of the moves was made. */
bool as_rule_solve(const as_rule *rule, const int64_t *env, as_eval_codes *codes, as_tensor *inputs,
                   as_rng *rng, uint32_t moves, uint64_t max_ops);
#endif
