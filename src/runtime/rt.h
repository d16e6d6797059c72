/* Running lowered programs: writes the text of a program that checks and times itself, builds it
 * with nvcc (or with g++ for the emulation), runs it and gives what it printed.  Links no solver.
 * May include: base, target.  Used by the command line and the tests. */
#ifndef AS_RT_H
#define AS_RT_H
#include "../base/lowered.h"
#include "../target/target.h"

typedef struct {
  const char *dir;         /* where the files go; must exist */
  const char *nvcc;        /* the CUDA compiler; NULL: from NVCC, CUDA_HOME or PATH */
  const char *cxx;         /* for the emulation; NULL: from CXX or g++ */
  const char *emu_dir;     /* folder of cuda_emu.h (emulation) */
  const as_target *target; /* that it was lowered for; NULL: the default */
  bool emulate;            /* host emulation rather than a GPU */
  bool trial;              /* emulation: compiled fast, and without warnings */
  bool timed;
  bool unoptimized; /* emulation: compiled in half the time, for what runs once */
  bool sanitize;    /* emulation: address and undefined-behaviour checks of the compiler as well */
  uint64_t seed;
  double scale;
  double tolerance; /* 0: 1 and 5e-3 */
  const char *dump; /* NULL, or a file for the inputs, the reference's outputs and the kernels'
                       outputs, all as doubles in this order */
} as_rt_opts;

typedef struct {
  bool ran;
  bool ok;          /* within the tolerance of the reference */
  double rel_error; /* Frobenius norm of the difference, relative; negative: not known */
  double hot_us;    /* microseconds a run, negative where it was not timed: inputs in the cache */
  double cold_us;   /* the same with the cache flushed before */
  char *json;       /* the line that the program printed */
  char *log;        /* compiler's and program's messages */
} as_rt_result;     /* texts owned */

void as_rt_result_clear(as_rt_result *result);
/* kernel.cu, reference.inc, shapes.inc, main.cu into dir */
bool as_rt_write(const as_lowered *lowered, const char *name, const char *dir, as_err *err);
/* writes, builds, runs.  false with err when something could not be built or run (AS_UNKNOWN: no
 * compiler, no GPU); a wrong result is ok = false.  result: initialised here, cleared by the caller
 * in any case */
bool as_rt_run(const as_lowered *lowered, const char *name, const as_rt_opts *opts,
               as_rt_result *result, as_err *err);
#endif
