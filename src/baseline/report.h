/* The report of `assay regress`: text or JSON, JUnit XML, a page.
 */
#ifndef AS_BASELINE_REPORT_H
#define AS_BASELINE_REPORT_H
#include "baseline.h"
#include <stdio.h>

typedef struct {
  FILE *out;
  bool json;
  bool quiet;
  bool verbose;
  bool update; /* the verdicts of now will be accepted */
} as_baseline_showing;

/* gives the exit status */
as_status as_baseline_report(const as_baseline_showing *how, const as_baseline *b, double seconds);
/* path NULL: nothing to do */
bool as_baseline_junit(const char *path, const as_baseline *b, as_err *err);
/* One page of HTML with an item a fact that was asked for; path NULL: nothing to do. */
bool as_baseline_page(const char *path, const as_baseline *b, double seconds, as_err *err);
#endif
