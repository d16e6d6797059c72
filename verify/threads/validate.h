/* Validates a thread graph against its block graph, exactly and exhaustively: nothing is sampled.
 * Two parts.  Algebra (algebra.c): one pass over the operations derives what each register holds
 * and that every element is counted, and stored, exactly once.  Schedule (schedule.c): the
 * synchronisation skeleton is run for all iterations with vector clocks; it is determinate (which
 * is checked), so that one run is all runs; accesses that meet are ordered, reads find their own
 * iteration.  Shares layouts, instructions and graph types with the lowering and nothing else.  The
 * conditions are numbered as in docs/threads.md.  Called by the lowering before a kernel is
 * offered, and by `assay check` again. */
#ifndef AS_THREADS_VALIDATE_H
#define AS_THREADS_VALIDATE_H
#include "../../src/threads/core/graph.h"
#include "block.h"

/* true: every block of the kernel, run with any interleaving of its threads, stores exactly what
 * the block graph says (over the real numbers), given docs/trust.md.  false: *why (malloc'ed, the
 * caller's) is the first condition that does not hold. */
bool as_threads_validate(const as_tg *g, const as_isa *isa, const as_block_ref *b, char **why);
#endif
