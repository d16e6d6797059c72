/* Pruning questions asked of Z3.  May include: abstract.h.  Called by the enumerator (--prune=z3)
 * and by tests. */
#ifndef AS_SEARCH_PRUNE_Z3_H
#define AS_SEARCH_PRUNE_Z3_H
#include "abstract.h"
void *sg_z3_new(void); /* one per thread */
void sg_z3_free(void *z3);
/* the question of ax_sub_top: 1 yes, 0 no, -1 no answer within the limit (must not prune) */
int sg_z3_part_of(void *z3, ax_store *A, ax_id e, ax_id target);
#endif
