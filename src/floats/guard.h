/* The float test of candidates that are lowered for a target: what kernels store is of the types
 * that the lowering says, and the program itself always passes.  May include: lower, verify/floats,
 * verify/field, target, ir, base.  Called by `optimize`, `certify`, `check`, tuning. */
#ifndef AS_FLOATS_GUARD_H
#define AS_FLOATS_GUARD_H
#include "src/target/target.h"
#include "verify/floats/floats.h"

typedef struct as_guard as_guard;
/* NULL where the test is turned off; thorough: of candidates that fail every class is wanted, not
 * the first in which they do; program and target are borrowed */
as_guard *as_guard_new(const as_graph *program, const as_target *target, bool off, bool thorough);
void as_guard_free(as_guard *guard); /* NULL allowed */
/* Tests a muGraph of that program at the sizes that it has now; `guard` (an as_guard) may be NULL:
 * then the test is off.  What is the program, operator by operator, passes, whatever is said of it.
 * Several threads may test candidates with sizes of their own at the same time; result: cleared by
 * the caller.  Gives whether it may be chosen. */
bool as_guard_test(void *guard, const as_graph *cand, as_floats_result *result);
/* what cannot be tested as it has no graph: says so */
void as_guard_untested(const as_guard *guard, const char *why, as_floats_result *result);
#endif
