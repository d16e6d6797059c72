/* The report of `assay regress`: text or JSON on standard output, JUnit XML.
 */
#ifndef AS_BASELINE_REPORT_H
#define AS_BASELINE_REPORT_H
#include "baseline.h"
int as_baseline_report(const cli_opts *o, const as_baseline *b,
                       double seconds); /* gives the exit status */
bool as_baseline_junit(const cli_opts *o, const as_baseline *b, as_err *err);
#endif
