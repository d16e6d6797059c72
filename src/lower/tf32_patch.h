/* Windows whose taps read the same memory: the columns of a block, whose places in memory go up by
 * what each axis says, read elements of a patch, an interval of memory of each inner number, which
 * is copied once for several classes (taps), 16 bytes at a time.
 * May include: tf32.h.  Used by tf32.c, emit_tf32_patch.c. */
#ifndef AS_LOWER_TF32_PATCH_H
#define AS_LOWER_TF32_PATCH_H
#include "tf32.h"

/* Changes the plan to one with patches where that is faster by the model; what leads the columns
 * (images) may become batches. */
void lo_tf32_patch(lo_job *job, lo_tf32 *of, const as_contraction *product);
/* of the tap with that number: where it reads, from the beginning of the patch on */
long lo_tf32_tap_place(const lo_tf32 *of, long tap);
#endif
