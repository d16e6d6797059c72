/* Small sizes for the float test: a program's, with one axis long or none, and of a candidate those
 * that go with them.  May include: verify/refute, semantics, ir, base.  Called by the test. */
#ifndef AS_FLOAT_SIZES_H
#define AS_FLOAT_SIZES_H
#include "verify/refute/instance.h"

/* Grows the free sizes of an instance of the program from their least values on, those furthest
 * below their concrete values first, while an evaluation takes at most `work` operations.  `axis`:
 * the free size (by its place in `chosen`) that alone grows, AS_NONE: all.  false: no sizes were
 * found, or even the least take more. */
bool as_float_grow(as_instance *inst, const as_graph *program, uint32_t axis, double work,
                   as_rng *rng);
/* Values for the candidate's own sizes that go with those of the program, which env (by size id)
 * has already; loops and grids of several iterations before others.  false: none were found. */
bool as_float_solve(const as_graph *cand, int64_t *env);
#endif
