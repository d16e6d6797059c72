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
/* An index as a sum in which each part stands once, variables first and in their order, the number
 * last: what is equal as a sum of multiples is lx_equal.  Itself where there is no room for that.
 */
lx *lo_collected(lo_job *job, lx *expr);
/* e = divisor * quotient + rest: the rest has the parts whose multiples the divisor does not
 * divide, and a number from 0 to divisor - 1.  false: no room for that. */
bool lo_divided(lo_job *job, lx *expr, long divisor, lx **quotient, lx **rest);
/* elements from one index of an axis of a global tensor to the next, where no size is left to run
 * time */
long lo_stride_of(const lo_value *tensor, int axis);
#endif
