/* The hook of the thread level: a block graph's unit that src/threads can lower, and whose thread
 * graph is validated, is emitted from it; the others go the general way, and the notes say why.
 * Used by lower.c, emit_host.c. */
#ifndef AS_LOWER_THREADS_H
#define AS_LOWER_THREADS_H
#include "job.h"

/* job->between: the types of tensors between kernels (ir/graph_types.h) */
void lo_threads_types(lo_job *job);
/* fills unit->threads where it applies */
void lo_threads(lo_job *job, lo_unit *unit, uint32_t which);
void lo_threads_clear(lo_unit *unit);
/* device functions of the target, if some unit needs them; false with job->err */
bool lo_threads_prelude(lo_job *job, as_str *out);
void lo_threads_kernel(const lo_unit *unit, as_str *out);
/* the statements that launch a unit, in a block of their own, beside the kernel before where it
 * waits for that by itself; blocks: how many, an integer of C */
void lo_threads_launch(const lo_job *job, uint32_t which, const char *blocks, as_str *out);
#endif
