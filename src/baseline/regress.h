/* `assay regress`: the facts of a baseline looked at again.  A fact whose texts and relied-on
 * specifications have the hashes that the baseline records stands as it is; the others are judged.
 * Includes verify/judge, import, base.  Called by the command. */
#ifndef AS_BASELINE_REGRESS_H
#define AS_BASELINE_REGRESS_H
#include "verify/judge/judge.h"

/* what is looked at, how, and what is told; all of it borrowed */
typedef struct {
  const char *baseline;
  const as_oplib *library; /* the specifications, read once */
  const char *const *path; /* facts below these, and new ones found there; */
  uint32_t n_path;         /* 0: all facts of the baseline */
  const as_policy *policy;
  unsigned threads;
  bool forward; /* the directions in which rules are facts */
  bool backward;
  bool all;    /* judge also what stands */
  bool update; /* accept the verdicts of now */
  bool json;
  bool quiet;
  bool verbose;
  const char *junit; /* NULL: none */
  const char *page;  /* the same */
} as_baseline_asked;

/* gives the exit status; err: where the work could not be done */
int as_baseline_regress(const as_baseline_asked *asked, as_err *err);

#endif
