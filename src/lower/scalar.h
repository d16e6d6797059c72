/* Scalar expressions that are computed often, written so that they take less.
 * May include: lx.h, ir.  Used by epilogue.c and emit_expr.c. */
#ifndef AS_LOWER_SCALAR_H
#define AS_LOWER_SCALAR_H
#include "lx.h"
#include "src/ir/stable.h"

struct lo_job;

/* which function it is that floats compute otherwise than it is written (stable.h), and of what */
as_stable lo_stable_form(const lx *expr, lx **of);

/* The same function of its reads: parts that are equal are one node, and exp(n * log(u)) is a power
 * of u, also where only one of two cases is a logarithm (softplus).  Both hold of real numbers
 * wherever the logarithm is defined. */
lx *lo_scalar(struct lo_job *job, lx *expr);
#endif
