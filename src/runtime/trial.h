/* A trial of lowered programs before they are handed out: blocks of each of their kernels, as they
 * are printed, run under the emulation and are compared with what the graph says, in doubles
 * (trial.cuh).  Includes runtime/rt (options).  Used by the command line and tests. */
#ifndef AS_RT_TRIAL_H
#define AS_RT_TRIAL_H
#include "rt.h"

typedef enum {
  AS_TRIAL_RIGHT,
  AS_TRIAL_WRONG,
  AS_TRIAL_NOT_TRIED /* no compiler, or a block takes longer than the trial may */
} as_trial_end;

typedef struct {
  as_trial_end end;
  char *words;    /* what was done, or why not; of a wrong one what is wrong; owned */
  long kernels;   /* whose results were looked at */
  long compared;  /* elements .. */
  long undefined; /* .. and those that the drawn numbers leave undefined or out of range */
} as_trial;

void as_trial_clear(as_trial *trial);
/* Tries n programs, lowered with `trial`, all in one compilation.  opts: emu_dir, cxx, target and,
 * where it is named, dir, an existing folder whose files stay; else they are removed.  trial: of n,
 * initialised here, cleared by the caller in any case.  false with err where files cannot be
 * written or the kernels do not compile. */
bool as_rt_try(const as_lowered *const *lowered, uint32_t n, const as_rt_opts *opts,
               as_trial *trial, as_err *err);
#endif
