/* The operators of the source tree, for tests.
 * May include base, ir.
 * Used by the test programs of ir and of all that stands on it. */
#ifndef TESTS_OPERATORS_H
#define TESTS_OPERATORS_H
#include "../src/ir/opdef.h"
#include "source_dir.h"
#include "src/base/err.h"
#include "src/base/str.h"
#include <stdio.h>

/* gives the path of a file of the source tree (malloc'ed) */
static inline char *test_path(const char *file) {
  return as_format("%s/%s", test_source_dir(), file);
}

/* gives all operators of semantics/, or ends the program with a message */
static inline as_oplib *test_operators(void) {
  as_oplib *lib = as_oplib_new();
  as_err err;
  as_err_init(&err);
  char *dir = test_path("semantics");
  if (!as_oplib_load_dir(lib, dir, &err)) {
    char *text = as_err_format(&err);
    fprintf(stderr, "%s\n", text);
    exit(EXIT_FAILURE);
  }
  free(dir);
  return lib;
}

#endif
