/* `assay ops --check`: are the specifications themselves in order?  Private to src/cli. */
#ifndef AS_CLI_SPEC_CHECK_H
#define AS_CLI_SPEC_CHECK_H
#include "cli.h"
#include "semantics/sample.h"

typedef struct {
  const as_opdef *op;
  as_agreement agreement;
  as_vec condition; /* of char *: under which its elements are defined, as its body and its
                       functions say it */
  char *negative;   /* an example where the requirements hold and an extent is negative: calls must
                       exclude it; NULL: none seen */
  char *defect;     /* the first; NULL: none */
} spec_report;

void spec_report_clear(spec_report *r);
void spec_check(const as_opdef *op, uint64_t seed, spec_report *r); /* r: initialised here */
int cli_ops_check(
    const cli_opts *o,
    const as_oplib *lib); /* of the operator named, or all; prints; gives the exit status */
#endif
