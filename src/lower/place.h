/* Where the elements that an expression reads lie in memory: offsets as sums of multiples of the
 * indices.  Used by untile.c, sweep.c and those that print them. */
#ifndef AS_LOWER_PLACE_H
#define AS_LOWER_PLACE_H
#include "job.h"

enum { LO_PLACE_VARS = 64 };

/* element `first` plus, for each variable, `stride` times its index */
typedef struct {
  long stride[LO_PLACE_VARS];
  long first;
} lo_offset;

/* Sums of the quotient and the rest of one index put together again, e.g.
 * (e div 8) * 8 + e mod 8 is e; everything else stays.  For indices that are not negative. */
lx *lo_rejoined(lo_job *job, lx *expr);
/* The element of a global tensor that is read, over the first n variables, LO_PLACE_VARS at most.
 * false: it is no such sum, or sizes left to run time say where it is. */
bool lo_offset_of(lo_job *job, const lx *ref, int n, lo_offset *place);
/* The same of an index by itself. */
bool lo_sum_of(lo_job *job, const lx *index, int n, lo_offset *sum);
/* elements from one index of an axis of a global tensor to the next, where no size is left to run
 * time */
long lo_stride_of(const lo_value *tensor, int axis);
#endif
