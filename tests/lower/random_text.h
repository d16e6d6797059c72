/* Random well-formed programs: operators with conditions, offsets, div, mod, nested reductions and
 * wide index arithmetic over extents that may be 0 or 1, alone or in block graphs of random
 * tilings. Used by tests/lower/random.c. */
#ifndef TESTS_LOWER_RANDOM_TEXT_H
#define TESTS_LOWER_RANDOM_TEXT_H
#include "src/base/rng.h"
#include <stdbool.h>

typedef struct {
  char *sem; /* the operators that the program uses beside the built-in ones */
  char *tp;
  char *mug;       /* NULL: the program alone */
  bool equivalent; /* the muGraph is meant to be equal to the program */
} random_text;

void random_text_new(as_rng *rng, random_text *text);
void random_text_clear(random_text *text);
#endif
