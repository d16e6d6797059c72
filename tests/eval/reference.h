/* What the operators should compute, written by hand in plain C loops over doubles: the oracle for
 * the .sem files. */
#ifndef TEST_EVAL_REFERENCE_H
#define TEST_EVAL_REFERENCE_H
#include "../../semantics/sample.h"
/* value of element ix of the call on these arguments; *known false when the operator is not in the
 * table */
double reference(const as_sample *g, const double *const *arg, const int64_t *ix, bool *known);
/* the operators that rewrite rules speak of: semantics/index.sem, logic.sem, window.sem */
bool reference_rules(const as_sample *g, const double *const *arg, const int64_t *ix, double *v);
/* powers, scans and their like */
bool reference_scans(const as_sample *g, const double *const *arg, const int64_t *ix, double *v);

size_t ref_flat(const int64_t *ix, const int64_t *dim, uint32_t rank); /* place of an element */
double ref_num(const as_sample *g, const char *name);                  /* an attribute's value */
long ref_axis(const as_sample *g); /* the attribute `axis`, counted from the front */
double ref_bc(const as_sample *g, uint32_t a, const double *x,
              const int64_t *ix); /* NumPy broadcasting of argument a */
#endif
