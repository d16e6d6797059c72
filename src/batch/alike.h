/* Tile programs that are each other but for names.  Includes base.  Called by batches of them. */
#ifndef AS_BATCH_ALIKE_H
#define AS_BATCH_ALIKE_H
#include <stdbool.h>
#include <stddef.h>

/* The text of a tile program with the names that are its own (scratch tensors, tiles, variables of
 * loops, lanes, sizes that `given`, the text of the given program, does not speak of) replaced by
 * numbers in the order in which its statements have them, and what it declares in the order of the
 * text that this gives.  Programs of one text are renamings of each other.  malloc'ed. */
char *as_batch_plain_text(const char *given, const char *text);
#endif
