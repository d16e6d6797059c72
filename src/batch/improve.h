/* Kernels of Triton improved and certified (`assay optimize --from triton`).
 * Includes improve, import, verify/judge, report.  Called by the commands. */
#ifndef AS_BATCH_IMPROVE_H
#define AS_BATCH_IMPROVE_H
#include "src/import/import.h"
#include "verify/judge/judge.h"

/* all of it borrowed */
typedef struct {
  const char *from; /* whose kernel it is; Triton's alone can be improved */
  as_import_tile_options options;
  const as_policy *policy;
  const char *out; /* the result directory; NULL: the kernel's name and `.assay` */
  bool force;
  bool json;
  bool quiet;
} as_batch_improve_how;

/* Rewrites the kernel at `path`, proves what came out equal to it at the launch, and leaves a
 * result directory with both texts (original.ttir, improved.ttir), what they compute and the
 * certificate. Where the proof does not succeed, fewer rules are tried.  Gives the exit status
 * (AS_UNKNOWN: nothing was found, or nothing of it is proved); says what is wrong itself.  Takes
 * the library (NULL: err says why there is none) and clears err. */
int as_batch_improve(const as_batch_improve_how *how, as_oplib *library, const char *path,
                     as_err *err);
#endif
