/* Small blocks of memory that are taken and given back all the time, as the limbs of numbers are: a
 * thread keeps what it gives back, by size, for what it takes next.
 * Includes libc only.
 * Used for the numbers of GMP (semantics/numbers.c). */
#ifndef AS_BASE_BLOCKS_H
#define AS_BASE_BLOCKS_H
#include <stddef.h>

/* Never NULL, also for no bytes.  A block is one of malloc's: free() may end it, whatever its
 * size. */
void *as_block_take(size_t bytes);
/* bytes: as many as it was taken or made larger for */
void *as_block_resize(void *block, size_t old_bytes, size_t bytes);
void as_block_give(void *block, size_t bytes);

#endif
