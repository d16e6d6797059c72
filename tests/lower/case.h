/* One lowering under test: a program, perhaps with a muGraph, built and run under the emulation.
 * Used by the test programs of this folder. */
#ifndef TESTS_LOWER_CASE_H
#define TESTS_LOWER_CASE_H
#include "../../semantics/eval.h"
#include "../../src/lower/lower.h"
#include "../../src/runtime/rt.h"

typedef struct {
  const char *name;
  long value;
} case_size;

typedef struct {
  as_oplib *lib;
  as_sizes *S;
  as_graph *prog;
  as_graph *mug;
  as_err err;
} lower_case;

void case_open(lower_case *j);
void case_close(lower_case *j);
/* mug: NULL for the program alone */
void case_read(lower_case *j, const char *tp, const char *mug);
void case_read_example(lower_case *j, const char *name, bool fused);
void case_set_sizes(lower_case *j, const case_size *s);
/* builds and runs under the emulation; is the result right and no fault reported? */
bool case_emulate(lower_case *j, as_lowered *lowered, double scale, as_rt_result *r);
/* the same at these sizes, demanded; closes the case */
void case_check(lower_case *j, const case_size *s, const as_lower_opts *options, double scale);
void case_check_example(const char *name, bool fused, const case_size *s,
                        const as_lower_opts *options, double scale);
#endif
