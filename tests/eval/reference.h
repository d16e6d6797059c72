/* What the operators should compute, written by hand in plain C loops over doubles: the oracle for the .sem files. */
#ifndef TEST_EVAL_REFERENCE_H
#define TEST_EVAL_REFERENCE_H
#include "gen.h"
/* value of element ix of the call on these arguments; *known false when the operator is not in the table */
double reference(const gen_call *g, const double *const *arg, const int64_t *ix, bool *known);
#endif
