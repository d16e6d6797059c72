/* What a trial run of the printed kernels is compared with.  A snapshot of what values are by the
 * graph is kept before anything is planned; from it C++ text is printed that computes single
 * elements in doubles, on demand, of each tensor in memory, from the tensors in memory that its
 * kernel reads.  So a few blocks of each kernel can be run as they are printed, at the program's
 * sizes, without the rest (src/runtime/trial.cuh).  Used by lower.c. */
#ifndef AS_LOWER_TRIAL_H
#define AS_LOWER_TRIAL_H
#include "job.h"

typedef struct lo_meaning {
  lo_value *value; /* as the graph says */
  uint32_t n_value;
  lo_unit *unit;
  uint32_t n_unit;
} lo_meaning;

/* right after lo_expand */
void lo_keep_meaning(lo_job *job);
/* after lo_emit_all; at: the sizes of the launch that is tried; malloc'ed */
char *lo_trial_text(const lo_job *job, const int64_t *at);
#endif
