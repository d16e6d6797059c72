#include "progress.h"
#include "file.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR = 20 };

static const double BETWEEN_LINES = 0.1; /* seconds */

void as_progress_init(as_progress *progress, bool quiet) {
  *progress = (as_progress){.quiet = quiet, .terminal = isatty(2) == 1, .start = as_now()};
}

static void print_bar(double done) {
  char bar[BAR + 1];
  int full = done <= 0 ? 0 : done >= 1 ? BAR : (int)(done * BAR);
  for (int i = 0; i < BAR; i++)
    bar[i] = i < full ? '#' : '.';
  bar[BAR] = 0;
  fprintf(stderr, "\r\033[K[%s] ", bar);
}

bool as_progress_due(as_progress *progress, const char *stage, double done) {
  double now = as_now();
  bool new_stage = strncmp(progress->stage, stage, sizeof progress->stage - 1) != 0;
  if (progress->quiet ||
      (!new_stage && (!progress->terminal || now - progress->last < BETWEEN_LINES)))
    return false;
  progress->last = now;
  snprintf(progress->stage, sizeof progress->stage, "%s", stage);
  if (progress->terminal)
    print_bar(done);
  return true;
}

void as_progress_count(as_progress *progress, const char *what, size_t done, size_t of) {
  double now = as_now();
  if (progress->quiet || !progress->terminal || (done < of && now - progress->last < BETWEEN_LINES))
    return;
  progress->last = now;
  snprintf(progress->stage, sizeof progress->stage, "%s", what);
  print_bar(of ? (double)done / (double)of : 1);
  fprintf(stderr, "%s: %zu of %zu, %.1f s", what, done, of, now - progress->start);
  fflush(stderr);
}

void as_progress_end(as_progress *progress) {
  if (!progress->quiet && progress->terminal && progress->stage[0])
    fputs("\r\033[K", stderr);
}

void as_progress_wipe(const as_progress *progress) {
  if (progress->quiet || !progress->terminal)
    return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
}
