/* Expressions where the ranges of indices are known more narrowly than by extents: relations that
 * the ranges decide are gone, and equal sums of indices are equal nodes.  Used by window.c. */
#ifndef AS_LOWER_RESOLVE_H
#define AS_LOWER_RESOLVE_H
#include "range.h"

/* `expr` where variable i is within of[i], for all i < n, the variables that it has.  Indices and
 * the sides of relations between them are collected sums (place.h), such a relation is
 * `0 <= sum`, `sum = 0` or its negation; a choice within a choice with the same other branch is one
 * choice.  NULL: a range is not known. */
lx *lo_resolved(lo_job *job, lx *expr, const lo_range *of, int n);
/* `0 <= sum`, as lo_resolved writes it */
lx *lo_not_negative(lo_job *job, lx *sum);
#endif
