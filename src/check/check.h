/* A result directory, or that of a batch, verified again.
 * Includes base, ir, target.  May use: report, lower, verify/judge.  Called by `assay check`.
 *
 *   files      are those whose hashes the report has
 *   claims     report.json and report.html are what this version makes of the same texts, with the
 *              certificate in place of the prover's; of a batch, for each of its cases
 *   kernel.cu  is what lowering makes of the certified muGraph
 *   theorem    the checkers, each as a process of its own, accept the certificate by *your*
 *              specifications; which of those that the result relies on are not its own is said.
 *              With more than one, what each says is told, and where they differ nothing passes */
#ifndef AS_CHECK_H
#define AS_CHECK_H
#include "src/base/err.h"
#include "src/ir/opdef.h"
#include "src/target/target.h"

/* A checker of certificates: it is run as `COMMAND --sem PATH.. GIVEN CANDIDATE CERTIFICATE`. */
typedef struct {
  const char *name;           /* what messages call it */
  const char *const *command; /* ended by NULL; borrowed */
} as_check_by;

typedef struct {
  const as_oplib *yours; /* your specifications, */
  const char *const *sem;
  uint32_t n_sem; /* and where they are, for the checkers */
  const as_check_by *checkers;
  uint32_t n_checkers;     /* at least 1; the first one's words are shown */
  const as_target *target; /* NULL: the one that the report names */
  bool json;
  bool quiet;
} as_check_how;

/* Prints what it finds and the verdict.  AS_OK: all is as it should be; AS_NO: it is not;
 * AS_UNKNOWN: it is, and says that nothing is known; anything else with err. */
as_status as_check(const as_check_how *how, const char *dir, as_err *err);
#endif
