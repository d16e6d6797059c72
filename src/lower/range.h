/* Intervals of index arithmetic at the concrete extents: what 32 bits hold, what stays within a
 * tensor, and refusals of what 64 bits do not hold.  Used by all of src/lower. */
#ifndef AS_LOWER_RANGE_H
#define AS_LOWER_RANGE_H
#include "job.h"

/* More elements than any memory has, and few enough that small multiples of a count are exact. */
#define LO_MAX_ELEMENTS (1L << 56)

typedef struct {
  long low;
  long high;
} lo_range;

/* Least and greatest value of an index expression under 0 <= var i < extent[i], for i < n.  false:
 * not an index expression, a variable beyond n, a divisor that may not be positive, or a part that
 * may leave 64 bits. */
bool lo_range_of(const lx *expr, const long *extent, int n, lo_range *range);
/* the same where variable i is within of[i] */
bool lo_range_within(const lx *expr, const lo_range *of, int n, lo_range *range);
bool lo_fits_int(lo_range range);

/* Is every read within its tensor, and every divisor positive, at all indices, whatever the
 * conditions say? */
bool lo_total(const lo_job *job, const lx *expr, const long *extent, int n);

/* Extents whose product, and the product of any of them, is at most LO_MAX_ELEMENTS.  false with
 * err that names the tensor. */
bool lo_check_extents(const char *name, int rank, const long *dim, as_err *err);
/* Is all index arithmetic of the values of this unit within 64 bits?  false with job->err. */
bool lo_check_ranges(lo_job *job, const lo_unit *unit);
#endif
