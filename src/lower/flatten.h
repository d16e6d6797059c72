/* Block graphs that compute each element of one tensor from elements of others, without loop or
 * reduction, as one expression over the whole tensor: the tiles are forgotten.
 * May include: job.h.  Used by epilogue.c. */
#ifndef AS_LOWER_FLATTEN_H
#define AS_LOWER_FLATTEN_H
#include "job.h"

/* What the unit stores, over the axes of that tensor (unit->store[0].target); NULL: it is no such
 * block graph. */
lx *lo_flatten(lo_job *job, const lo_unit *unit);
#endif
