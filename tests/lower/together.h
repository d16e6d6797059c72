/* Lowered programs under the emulation as as_rt_run has them, many in one program: the runtime's
 * own main, with its inputs and tolerances, in a process for each.  Includes the runtime.  Used by
 * case.c. */
#ifndef TESTS_LOWER_TOGETHER_H
#define TESTS_LOWER_TOGETHER_H
#include "../../src/runtime/rt.h"

/* Builds and runs n programs, inputs drawn from scale[i], in the folder dir, where dump%u is then
 * what as_rt_opts.dump says. result: one for each, initialised here, cleared by the caller;
 * *build_log: malloc'ed.  false with err: they could not be built. */
bool together_run(const as_lowered *lowered, const double *scale, uint32_t n, const char *dir,
                  as_rt_result *result, char **build_log, as_err *err);
#endif
