/* Test programs that use Check: one suite of one case each.
 * Includes Check only.
 * Used by the main functions of the test programs of all modules. */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* runs the tests of a case, whose name is the suite's too; gives main's exit status. CK_VERBOSITY
 * in the environment says how much is printed. */
static inline int test_run(const char *name, TCase *tests) {
  Suite *suite = suite_create(name);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Are cases that take long to be run?  Not in `make check-fast`, which says what it leaves out. */
static inline bool test_slow(const char *cases) {
  if (getenv("AS_FAST") == NULL)
    return true;
  printf("left out: %s\n", cases);
  return false;
}

/* Are kernels compiled and run?  Not in a build with sanitizers, which looks at the memory of what
 * lowers them: their texts are those of a build without, where they are. */
static inline bool test_kernels_run(void) {
#ifdef __SANITIZE_ADDRESS__
  return false;
#elif defined __has_feature
  return !__has_feature(address_sanitizer);
#else
  return true;
#endif
}

/* how many of a random campaign: the large number in `make check-long` */
static inline unsigned test_number(unsigned few, unsigned many) {
  return getenv("AS_LONG") ? many : few;
}

/* seconds: for each test */
static inline TCase *test_case(const char *name, double seconds) {
  TCase *tests = tcase_create(name);
  tcase_set_timeout(tests, seconds);
  return tests;
}

#endif
