/* Are specifications in order: shapes, agreement of the evaluators, where they are defined?
 * Includes semantics/sample.  Used by `assay ops --check`. */
#ifndef AS_SPEC_CHECK_H
#define AS_SPEC_CHECK_H
#include "sample.h"

typedef struct {
  const as_opdef *op;
  as_agreement agreement;
  as_vec condition; /* of char *: under which its elements are defined, as its body and its
                       functions say it */
  char *negative;   /* an example where the requirements hold and an extent is negative: calls must
                       exclude it; NULL: none seen */
  char *defect;     /* the first; NULL: none */
} as_spec_report;

void as_spec_report_clear(as_spec_report *r);
void as_spec_check(const as_opdef *op, uint64_t seed, as_spec_report *r); /* r: initialised here */
#endif
