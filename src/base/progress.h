/* How far a long work is, on standard error: one line that is redrawn on a terminal.
 * Includes libc only.
 * Used by commands that judge many cases, and by the search's command. */
#ifndef AS_BASE_PROGRESS_H
#define AS_BASE_PROGRESS_H
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  bool quiet;
  bool terminal;
  double last;
  double start;
  char stage[64];
} as_progress;

void as_progress_init(as_progress *progress, bool quiet);
/* Whether a line is due: at a new stage, and on a terminal ten times a second.  A line that is due
 * begins with a bar, `done` of 1, on a terminal; the caller prints the rest and flushes. */
bool as_progress_due(as_progress *progress, const char *stage, double done);
/* a line for a known number of equal steps; on a terminal only */
void as_progress_count(as_progress *progress, const char *what, size_t done, size_t of);
/* makes way for a line of output */
void as_progress_wipe(const as_progress *progress);
void as_progress_end(as_progress *progress);

#endif
