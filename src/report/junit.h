/* JUnit XML for the build servers that read it: one suite a run, one test case a claim.  May
 * include: verify/judge.  Which verdict is what: certified is a pass; refuted, or a verdict that
 * changed, is a <failure> with the counterexample; unknown, not certified, or not readable is an
 * <error>, never <skipped>, for most servers count what was skipped as good and an unknown claim is
 * not. */
#ifndef AS_REPORT_JUNIT_H
#define AS_REPORT_JUNIT_H
#include "verify/judge/judge.h"

typedef enum {
  AS_REPORT_JUNIT_PASS,
  AS_REPORT_JUNIT_FAIL,
  AS_REPORT_JUNIT_ERROR
} as_report_junit_outcome;

typedef struct {
  const char *group;
  const char *name; /* class name (a file, say) and name of the case */
  as_report_junit_outcome outcome;
  const char *type;
  const char *message; /* of a failure or an error: one word ("REFUTED"), one line; may be NULL */
  const char *detail;  /* lines of text, may be NULL */
  double seconds;
} as_report_junit_case;
typedef struct as_report_junit as_report_junit;
as_report_junit *as_report_junit_new(const char *suite);
void as_report_junit_free(as_report_junit *j); /* NULL allowed */
void as_report_junit_add(
    as_report_junit *j,
    const as_report_junit_case *c); /* copies; j may be NULL: then nothing is collected */
/* the same from verdicts: v NULL where there are none (`why` says why); its counterexample, or its
 * open goal, is the detail */
void as_report_junit_judged(as_report_junit *j, const char *group, const char *name, double seconds,
                            const char *why, const as_verdict *v);
/* A suite of one case, named after its group, with the seconds of proof and check; path NULL:
 * nothing to do. */
bool as_report_junit_alone(const char *path, const char *group, const char *name,
                           const as_verdict *v, as_err *err);
bool as_report_junit_write(const as_report_junit *j, const char *path,
                           as_err *err); /* path NULL: nothing to do */
#endif
