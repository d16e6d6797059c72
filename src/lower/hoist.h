/* Reductions become values of their own.  Used by expand.c. */
#ifndef AS_LOWER_HOIST_H
#define AS_LOWER_HOIST_H
#include "body.h"

/* The body's expression with a read of a new value in place of each reduction.  A reduction that
 * stands under conditions is computed apart from them; where that could read outside a tensor or
 * divide by what is not positive, its terms get the conditions, so that nothing is evaluated that
 * the element-level meaning does not evaluate.  name: what the values are called after; unit: whose
 * they are.  NULL with job->err. */
lx *lo_hoist(lo_job *job, const char *name, uint32_t unit, const lo_body *body);
#endif
