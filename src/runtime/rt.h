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
  bool timed;
  bool sanitize; /* emulation: address and undefined-behaviour checks of the compiler as well */
  uint64_t seed;
  double scale;
  double tolerance; /* 0: 1 and 5e-3 */
  const char *dump; /* NULL, or a file for the inputs, the reference's outputs and the kernels'
                       outputs, all as doubles in this order */
} as_rt_opts;

typedef struct {
  bool ran;
  bool ok;
  double rel_error;
  double hot_us;
  double cold_us;
  char *json;
  char *log;
} as_rt_result; /* json: the line printed; log: compiler's and program's messages */

void as_rt_result_clear(as_rt_result *r);
/* kernel.cu, reference.inc, shapes.inc, main.cu into dir */
bool as_rt_write(const as_lowered *l, const char *name, const char *dir, as_err *err);
/* writes, builds, runs.  false with err when something could not be built or run (AS_UNKNOWN: no
 * compiler, no GPU); a wrong result is ok = false */
bool as_bench_program(const as_lowered *l, const char *name, const as_rt_opts *o, as_rt_result *out,
                      as_err *err);
#endif
