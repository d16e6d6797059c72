/* A loop over several threads.
 * Includes libc only.
 * Used by the search, by commands that judge many items, and by the tests. */
#ifndef AS_BASE_POOL_H
#define AS_BASE_POOL_H
#include <stddef.h>

/* Runs f(arg, i) for all i < n on at most `threads` threads (64 at most) and returns when all are
 * done.  The order of results is the caller's business: index them by i. */
void as_parallel(unsigned threads, size_t n, void (*f)(void *arg, size_t i), void *arg);

#endif
