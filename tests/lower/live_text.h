/* Random programs of built-in operators whose sizes are left to run time.  Used by test_live.c. */
#ifndef TESTS_LOWER_LIVE_TEXT_H
#define TESTS_LOWER_LIVE_TEXT_H
#include "src/base/rng.h"

/* sizes B from 1 to 6 and C from 0 to 4, several outputs; malloc'ed */
char *live_text_new(as_rng *rng);
#endif
