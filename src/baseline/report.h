/* The report of `assay regress`: text or JSON on standard output, JUnit XML.  Private to src/cli.
 */
#ifndef AS_CLI_REGRESS_H
#define AS_CLI_REGRESS_H
#include "baseline.h"
int regress_report(const cli_opts *o, const base *b, double seconds); /* gives the exit status */
bool regress_junit(const cli_opts *o, const base *b, as_err *err);
#endif
