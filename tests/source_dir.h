/* Where the source tree is, for tests that read files of it.
 * Includes libc only; config.h comes first.
 * Used by the test programs of all modules, the checker's too. */
#ifndef TESTS_SOURCE_DIR_H
#define TESTS_SOURCE_DIR_H
#include "config.h"
#include <stdlib.h>

/* as the makefile says it, or as it was configured; borrowed */
static inline const char *test_source_dir(void) {
  const char *top = getenv("AS_TOP_SRCDIR");
  return top ? top : AS_SRCDIR;
}

#endif
