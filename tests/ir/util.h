/* Shared by the tests of src/ir: the library of operators, parsing of texts held in strings. */
#ifndef TESTS_IR_UTIL_H
#define TESTS_IR_UTIL_H
#include "../../src/ir/graph.h"
#include "config.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static inline char *top_path(const char *rest) {
  const char *top = getenv("AS_TOP_SRCDIR");
  return as_format("%s/%s", top ? top : AS_SRCDIR, rest);
}

static inline as_oplib *load_library(void) {
  as_oplib *L = as_oplib_new();
  as_err e;
  as_err_init(&e);
  char *dir = top_path("semantics");
  bool ok = as_oplib_load_dir(L, dir, &e);
  char *s = as_err_format(&e);
  ck_assert_msg(ok, "%s", s);
  free(s);
  free(dir);
  return L;
}

static inline char *slurp(const char *rest, size_t *n, char **path) {
  as_err e;
  as_err_init(&e);
  *path = top_path(rest);
  char *s = as_read_file(*path, n, &e);
  ck_assert_msg(s != NULL, "%s", *path);
  return s;
}
#endif
