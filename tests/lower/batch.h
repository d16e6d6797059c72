/* Many lowered programs built into one executable under the emulation, so that the compiler reads
 * the prelude once; each runs on inputs of its own.  Used by tests/lower/random.c and faults.c. */
#ifndef TESTS_LOWER_BATCH_H
#define TESTS_LOWER_BATCH_H
#include "../../src/base/lowered.h"

typedef struct {
  as_lowered lowered;
  double **in;  /* elements, each exactly representable in its tensor's type; owned */
  double **out; /* filled by batch_run; owned */
  bool ran;     /* filled by batch_run: launched, and no fault reported */
} batch_item;

/* allocates in and out for a lowering, which is taken over */
void batch_item_init(batch_item *item, as_lowered *lowered);
void batch_item_clear(batch_item *item);
/* dir: an existing folder for the files; gives whether everything could be built and ran to its
 * end; what the emulation reported is in dir/log */
bool batch_run(batch_item *items, unsigned n, const char *dir);
#endif
