/* A result directory, or that of a batch, verified again.
 * Includes base, ir, target, verify/judge.  May use: report, kernels.  Called by `assay check`, and
 * by the commands that run what is certified.
 *
 *   files      are those whose hashes the report has
 *   claims     report.json and report.html are what this version makes of the same texts, with the
 *              certificate in place of the prover's; of a batch, for each of its cases
 *   kernel.cu  is what lowering makes of the certified candidate
 *   theorem    the checkers, each as a process of its own, accept the certificate by *your*
 *              specifications; which of those that the result relies on are not its own is said.
 *              With more than one, what each says is told, and where they differ nothing passes */
#ifndef AS_CHECK_H
#define AS_CHECK_H
#include "src/base/err.h"
#include "src/ir/opdef.h"
#include "src/kernels/kernels.h"
#include "src/target/target.h"
#include "verify/judge/job.h"

/* A checker of certificates: it is run as `COMMAND --sem PATH.. GIVEN CANDIDATE CERTIFICATE`. */
typedef struct {
  const char *name;           /* what messages call it */
  const char *const *command; /* ended by NULL; borrowed.  NULL: there is none, which is said */
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

/* Are the kernels, lowered again, planned as the result directory records it: each by the same way
 * of lowering, with as many blocks, warps and bytes of shared memory?  Asked only for the GPU and
 * the choices that are recorded.  false with err, AS_INTERNAL: what was tried when it was certified
 * is not what would be handed out. */
bool as_check_planned(const char *dir, const as_target *target, const as_lowered *lowered,
                      as_err *err);

/* a job's texts as they are lowered; borrows */
as_kernels_of as_check_texts(const as_job *job);

/* Does the certificate of a result directory, in the file of that path, prove the texts that lie
 * there now?  A file of that name alone says nothing, and what was changed after it was certified
 * is not what was proved: the checker's own code replays it.  false with err: it does not
 * (AS_NO), or cannot be read. */
bool as_check_proves(const as_judged *judged, const char *dir, const char *certificate,
                     as_err *err);
#endif
