/* One lowering under test: a program, perhaps with a muGraph, built and run under the emulation.
 * Used by the test programs of this folder. */
#ifndef TESTS_LOWER_CASE_H
#define TESTS_LOWER_CASE_H
#include "../../semantics/eval.h"
#include "../../src/lower/lower.h"
#include "../../src/runtime/rt.h"
#include <check.h>

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
/* The same demanded of a lowering, without a word of the compiler; takes case and lowering.  Within
 * case_test_run that is seen at the end, for all of the program's cases in one. */
void case_demand(lower_case *j, as_lowered *lowered, double scale);
/* the other way: the result is wrong or the emulation reports a fault, in words that have `said` */
void case_demand_fault(lower_case *j, as_lowered *lowered, double scale, const char *said);
/* case_demand of what is lowered at these sizes; closes the case */
void case_check(lower_case *j, const case_size *s, const as_lower_opts *options, double scale);
void case_check_example(const char *name, bool fused, const case_size *s,
                        const as_lower_opts *options, double scale);
/* Runs the tests, in this process, and what they demand with case_demand as one more: the compiler,
 * which takes most of the time, reads the emulation once and not once a kernel.  seconds: for the
 * whole; gives main's exit status. */
int case_test_run(const char *name, TCase *tests, unsigned seconds);
#endif
