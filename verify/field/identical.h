/* May include: ir.  Called by the field test. */
#ifndef AS_FIELD_IDENTICAL_H
#define AS_FIELD_IDENTICAL_H
#include "src/ir/graph.h"

/* Whether the candidate is the program itself: no kernels of its own, no relations between
 * sizes but the program's, and each output the same calls of the same operators on the same inputs.
 * Both are over one table of sizes. */
bool as_field_is_identical(const as_graph *spec, const as_graph *cand);
#endif
