/* Child processes whose output is wanted.
 * Includes libc only.
 * Used by commands and drawings. */
#ifndef AS_BASE_CHILD_H
#define AS_BASE_CHILD_H
#include <stdbool.h>
#include <stddef.h>

/* runs argv (NULL-terminated, found on PATH), feeds `input` to its standard input, collects its
 * standard output (and standard error where both) into *out (malloc'ed).  Gives the exit status,
 * 127 where it cannot be started, 128 + signal where it was killed. */
int as_child(char *const *argv, const char *input, size_t len, char **out, size_t *n, bool both);

#endif
