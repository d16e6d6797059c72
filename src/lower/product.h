/* Units that are a matrix product alone, and so may be a call of a library instead of a kernel of
 * ours: which they are, what the call is, and its text.  Used by lower.c, tile.c, emit_host.c. */
#ifndef AS_LOWER_PRODUCT_H
#define AS_LOWER_PRODUCT_H
#include "gemm.h"
#include "job.h"

/* the library, as reports name it */
#define LO_LIBRARY_NAME "cuBLASLt"
/* of the room that it is given to work in, bytes */
#define LO_LIBRARY_ALIGNMENT 256

typedef struct lo_library_call {
  lo_gemm gemm;
  uint32_t a; /* values of the job: op(A)'s tensor, op(B)'s, the result */
  uint32_t b;
  uint32_t result;
  as_size a_first; /* elements in front of the first that is read */
  as_size b_first;
  as_size room; /* elements of the result's memory */
} lo_library_call;

/* Sets unit->library of those that are called: all that can be where the target says always; of
 * products at kernel level, which the search has preferred to block graphs, those of which the
 * model expects it to be faster, where it says auto.  Others are kernels, and the notes say why.
 * Takes the room that the library works in.  After lo_expand, before units are tiled. */
void lo_library_units(lo_job *job);

/* emit_library.c: what the calls need, once, and the statements of one; nothing without one */
void lo_library_prelude(const lo_job *job, as_str *out);
void lo_library_launch(const lo_job *job, const lo_unit *unit, as_str *out);
#endif
