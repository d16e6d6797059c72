/* A result directory, or that of a batch, verified again.
 * Includes base, ir, target.  May use: report, lower, verify/judge.  Called by `assay check`.
 *
 *   files      are those whose hashes the report has
 *   claims     report.json and report.html are what this version makes of the same texts, with the
 *              certificate in place of the prover's; of a batch, for each of its cases
 *   kernel.cu  is what lowering makes of the certified muGraph
 *   theorem    the trusted checker, as a process of its own, accepts the certificate by *your*
 *              specifications; which of those that the result relies on are not its own is said */
#ifndef AS_CHECK_H
#define AS_CHECK_H
#include "src/base/err.h"
#include "src/ir/opdef.h"
#include "src/target/target.h"

typedef struct {
  const as_oplib *yours; /* your specifications, */
  const char *const *sem;
  uint32_t n_sem;          /* and where they are, for the checker */
  const char *checker;     /* its path, or its name on PATH */
  const as_target *target; /* NULL: the one that the report names */
  bool json;
  bool quiet;
} as_check_how;

/* Prints what it finds and the verdict.  AS_OK: all is as it should be; AS_NO: it is not;
 * AS_UNKNOWN: it is, and says that nothing is known; anything else with err. */
as_status as_check(const as_check_how *how, const char *dir, as_err *err);
#endif
