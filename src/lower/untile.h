/* Block graphs as values at kernel level again.  Used by lower.c. */
#ifndef AS_LOWER_UNTILE_H
#define AS_LOWER_UNTILE_H
#include "job.h"

/* A block graph without matrix products, of which no thread graph is made, says
 * only what its results are: it becomes units that go over whole tensors, one for each reduction
 * and result, which read memory in its order and divide it among threads as it lies.  Units of
 * other kinds stay as they are.  After lo_library_units, before units are tiled.  false with
 * job->err. */
bool lo_untile_units(lo_job *job);
#endif
