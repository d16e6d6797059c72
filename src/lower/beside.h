/* Kernels that wait for nothing of each other are one launch: each has a part of the blocks of one
 * grid.  Such as those in front of contractions that put weights in the order in which tensor cores
 * read them, or contractions of one tensor with several weights.
 * May include: job.h.  Used by lower.c, emit_host.c, and the files that print kernels. */
#ifndef AS_LOWER_BESIDE_H
#define AS_LOWER_BESIDE_H
#include "emit.h"

/* Puts units in an order in which those that are one launch follow each other, each but the last
 * with `goes_on`.  After all units have their plans, before workspace and texts are made. */
void lo_beside_units(lo_job *job);
/* The first lines of a unit's text: of a kernel, or of its part of one.  resident: blocks that a
 * multiprocessor is to hold; 0: as many as there is room for */
void lo_kernel_head(lo_text *text, uint32_t threads, uint32_t resident);
/* in the text of a unit: the number of its block */
const char *lo_block_number(const lo_unit *unit);
/* Of the units from `first` to `last`, whose texts are there: the kernel that they are, the number
 * of whose blocks and whose name the first one has from then on.  false with job->err */
bool lo_emit_beside(lo_job *job, uint32_t first, uint32_t last, as_str *out);
#endif
