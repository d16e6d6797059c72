/* JUnit XML for the build servers that read it: one suite a run, one test case a claim.  Private to
 * src/cli. Which verdict is what: certified is a pass; refuted, or a verdict that changed, is a
 * <failure> with the counterexample; unknown, not certified, or not readable is an <error>, never
 * <skipped>, for most servers count what was skipped as good and an unknown claim is not. */
#ifndef AS_CLI_JUNIT_H
#define AS_CLI_JUNIT_H
#include "src/cli/cli.h"

typedef enum { CLI_JUNIT_PASS, CLI_JUNIT_FAIL, CLI_JUNIT_ERROR } cli_junit_outcome;

typedef struct {
  const char *group;
  const char *name; /* class name (a file, say) and name of the case */
  cli_junit_outcome outcome;
  const char *type;
  const char *message; /* of a failure or an error: one word ("REFUTED"), one line; may be NULL */
  const char *detail;  /* lines of text, may be NULL */
  double seconds;
} cli_junit_case;
typedef struct cli_junit cli_junit;
cli_junit *cli_junit_new(const char *suite);
void cli_junit_free(cli_junit *j); /* NULL allowed */
void cli_junit_add(cli_junit *j,
                   const cli_junit_case *c); /* copies; j may be NULL: then nothing is collected */
/* the same from verdicts: v NULL where there are none (`why` says why); its counterexample, or its
 * open goal, is the detail */
void cli_junit_judged(cli_junit *j, const char *group, const char *name, double seconds,
                      const char *why, const cli_verdicts *v);
bool cli_junit_write(const cli_junit *j, const char *path,
                     as_err *err); /* path NULL: nothing to do */
#endif
