/* Tilings of a certified candidate, tried one after another: lowered, tested in floats, compiled,
 * checked and timed.  May include: search, floats, lower, runtime, verify/judge.  Called by
 * `assay bench --tune`. */
#ifndef AS_OPTIMIZE_TUNE_H
#define AS_OPTIMIZE_TUNE_H
#include "src/target/target.h"
#include "verify/judge/job.h"

typedef enum {
  AS_TUNE_GPU,      /* run and timed on it */
  AS_TUNE_EMULATED, /* run under the emulation, and not timed */
  AS_TUNE_MODEL     /* not run: the cost model chooses */
} as_tune_by;

typedef struct {
  as_tune_by by;
  uint64_t seed;         /* of the inputs */
  const char *emulation; /* the folder of the emulation's headers; borrowed */
  bool fast_floats;      /* no float test */
  bool json;             /* what was seen is printed as JSON */
} as_tune_how;

/* Writes tune.json and tuned.mug into `dir`, and tells of the tilings on standard output.  The job
 * is of a program and a muGraph, whose sizes become the chosen tiling's.  AS_NO: one was wrong.
 * Any other failure is in err. */
as_status as_tune(const as_job *job, const as_target *target, const as_tune_how *how,
                  const char *dir, as_err *err);
#endif
