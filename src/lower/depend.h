/* The inputs that an output certainly depends on by the graph's own meaning (trial.h), as it was
 * before anything was planned.  Used by verify.c, whose refusals rest on it: an input is named only
 * where no rewriting of the lowering may drop it.  May include: lower's headers. */
#ifndef AS_LOWER_DEPEND_H
#define AS_LOWER_DEPEND_H
#include "job.h"

/* output: a value of the meaning; input: bits, by the number of the input, which are added to */
void lo_depends(const lo_job *job, uint32_t output, uint64_t *input);
#endif
