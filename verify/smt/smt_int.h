/* Inside of verify/smt. */
#ifndef AS_SMT_INT_H
#define AS_SMT_INT_H
#include "proofs/read/read.h"
#include "smt.h"

/* writes the query `theorem of target` from its group: steps[0..n) are the group's steps, leaves
 * the theorems taken over */
bool smt_write(const as_steps *p, uint32_t target, const uint32_t *steps, uint32_t n,
               const uint32_t *leaves, uint32_t nl, const char *name, as_smt_query *q);
#endif
