/* A program that is lowered, built once as a library, and run under the emulation at many sizes,
 * each run compared with the evaluator.  What goes wrong fails the test.  Used by test_live.c,
 * test_library.c. */
#ifndef TESTS_LOWER_SUBJECT_H
#define TESTS_LOWER_SUBJECT_H
#include "../../src/lower/lower.h"
#include "../../src/runtime/library.h"

typedef struct {
  const as_target *target; /* NULL: the default */
  as_oplib *lib;
  as_sizes *sizes;
  as_graph *program;
  as_graph *graph;
  as_err err;
  as_lowered lowered;
  char dir[32];
} subject;

/* of: zero but for its target; graph: a muGraph, NULL: the program alone */
void subject_open(subject *of, const char *program, const char *graph);
void subject_close(subject *of);
/* false with of->err */
bool subject_lower(subject *of, const int64_t *env);
void subject_build(subject *of);
/* one launch on inputs drawn by the seed */
void subject_run_at(subject *of, const int64_t *env, uint64_t seed, const char *what);
void subject_remove_files(const subject *of);
#endif
