/* Other orders of a program's operators that mean the same.
 * May include: search.h, sg.h.  Private to search/ and its tests. */
#ifndef AS_SEARCH_VARIANT_H
#define AS_SEARCH_VARIANT_H
#include "search.h"
#include "sg.h"

/* Programs with the inputs, outputs and sizes of `program` whose operators, apart, cost less by the
 * model: at most so many, cheapest first; each owned by the caller, the array malloc'ed.  None
 * where sizes have no values (concrete false).  struck: limits that strike are counted there. */
as_graph **sg_variants(const as_graph *program, const as_target *target, bool concrete,
                       uint32_t most, uint32_t *n, uint64_t *struck);
#endif
