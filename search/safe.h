/* The program in a form that is safer in floats and means the same: exponentials whose results are
 * only compared with each other (softmax, logsumexp, weighted means) shifted by the maximum of
 * their exponents, and variances by two passes.  A proposal: what is searched from it is judged
 * against the program as given.
 * May include: driver.h, condition.h.  Private to search/ and its tests. */
#ifndef AS_SEARCH_SAFE_H
#define AS_SEARCH_SAFE_H
#include "src/ir/graph.h"

/* A program with the inputs, outputs and sizes of `program`, owned by the caller; NULL: there is
 * nothing that is known to be made safer. */
as_graph *sg_safe_form(const as_graph *program);
#endif
