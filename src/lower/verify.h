/* Verification of a printed program, before it is given to anybody: each kernel that is defined is
 * launched once, with the threads and the shared memory that its text asks for; what a kernel reads
 * of shared memory, of the workspace and of outputs was written before; and each output is made
 * from each input that it certainly depends on by the graph (depend.h).  All of it is read from the
 * text that is handed out (verify_text.h); of the job only the graph's own meaning is looked at, as
 * it was before anything was planned.  Used by lower.c. */
#ifndef AS_LOWER_VERIFY_H
#define AS_LOWER_VERIFY_H
#include "job.h"

/* false with job->err, AS_INTERNAL: what is wrong with the text, and where */
bool lo_verify(lo_job *job, const as_lowered *lowered);
#endif
