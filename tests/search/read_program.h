/* A program of a test's text, with what it belongs to.  Used by the tests of search. */
#ifndef TESTS_SEARCH_READ_PROGRAM_H
#define TESTS_SEARCH_READ_PROGRAM_H
#include "src/ir/graph.h"

typedef struct {
  as_oplib *lib;
  as_sizes *sizes;
  as_graph *graph;
} read_program;

/* operators: a specification in the source tree that is read beside the library's; NULL: none. What
 * cannot be read fails the test. */
read_program read_program_text(const char *text, const char *operators);
void read_program_done(read_program *program);
#endif
