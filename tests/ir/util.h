/* Shared by the tests of src/ir: files of the source tree. */
#ifndef TESTS_IR_UTIL_H
#define TESTS_IR_UTIL_H
#include "../../src/ir/graph.h"
#include "src/base/file.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

static inline char *slurp(const char *rest, size_t *n, char **path) {
  as_err e;
  as_err_init(&e);
  *path = test_path(rest);
  char *s = as_read_file(*path, n, &e);
  ck_assert_msg(s != NULL, "%s", *path);
  return s;
}
#endif
