/* Shared by the tests of rewrite rules: the library of operators and rules held in strings. */
#ifndef TESTS_RULES_UTIL_H
#define TESTS_RULES_UTIL_H
#include "../../src/ir/rule.h"
#include "../ir/util.h"

typedef struct {
  as_oplib *lib;
  as_rulefile *file;
  char *text;
  as_err err;
} rules;

static inline void rules_open(rules *R, const char *text) {
  R->lib = test_operators();
  as_err_init(&R->err);
  R->text = as_strdup(text);
  R->file = as_rulefile_open("t.rule", R->text, strlen(text), R->lib, &R->err);
}

static inline void rules_close(rules *R) {
  as_rulefile_free(R->file);
  as_oplib_free(R->lib);
  free(R->text);
  as_err_clear(&R->err);
}

static inline as_rule *rules_read(rules *R, uint32_t i, const int *ranks) {
  as_err e;
  as_err_init(&e);
  as_rule *r = R->file ? as_rule_read(R->file, i, ranks, &e) : NULL;
  char *s = as_err_format(r ? &e : R->file ? &e : &R->err);
  ck_assert_msg(r != NULL, "%s\n%s", s, R->text);
  free(s);
  as_err_clear(&e);
  return r;
}
#endif
