/* Scalar expressions that are computed often, written so that they take less.
 * May include: lx.h.  Used by epilogue.c. */
#ifndef AS_LOWER_SCALAR_H
#define AS_LOWER_SCALAR_H
#include "lx.h"

struct lo_job;

/* The same function of its reads: parts that are equal are one node, and exp(n * log(u)) is a power
 * of u, also where only one of two cases is a logarithm (softplus).  Both hold of real numbers
 * wherever the logarithm is defined. */
lx *lo_scalar(struct lo_job *job, lx *expr);
#endif
