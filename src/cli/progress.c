#include "progress.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void cli_progress_init(cli_progress *p, bool quiet) {
  *p = (cli_progress){.quiet = quiet, .terminal = isatty(2) == 1, .start = as_now()};
}

static void print_bar(double done) {
  char bar[21];
  int full = done <= 0 ? 0 : done >= 1 ? 20 : (int)(done * 20);
  for (int i = 0; i < 20; i++)
    bar[i] = i < full ? '#' : '.';
  bar[20] = 0;
  fprintf(stderr, "\r\033[K[%s] ", bar);
}

void cli_progress_count(cli_progress *p, const char *what, size_t done, size_t of) {
  double now = as_now();
  if (p->quiet || !p->terminal || (done < of && now - p->last < 0.1))
    return;
  p->last = now;
  snprintf(p->stage, sizeof p->stage, "%s", what);
  print_bar(of ? (double)done / (double)of : 1);
  fprintf(stderr, "%s: %zu of %zu, %.1f s", what, done, of, now - p->start);
  fflush(stderr);
}

void cli_progress_show(void *arg, const char *stage, const as_search_stats *st, double done) {
  cli_progress *p = arg;
  double now = as_now();
  bool new_stage = strncmp(p->stage, stage, sizeof p->stage - 1) != 0;
  if (p->quiet || (!new_stage && (!p->terminal || now - p->last < 0.1)))
    return;
  p->last = now;
  snprintf(p->stage, sizeof p->stage, "%s", stage);
  uint64_t pruned = st->pruned_shape + st->pruned_abstract + st->pruned_unit + st->pruned_repeat +
                    st->pruned_memory;
  if (p->terminal)
    print_bar(done);
  fprintf(stderr, "%s: %llu states visited, %llu pruned, %llu tested, %llu certified, %.1f s",
          stage, (unsigned long long)st->states, (unsigned long long)pruned,
          (unsigned long long)st->tested, (unsigned long long)st->certified, now - p->start);
  if (!p->terminal)
    fputc('\n', stderr);
  fflush(stderr);
}

void cli_progress_end(cli_progress *p) {
  if (!p->quiet && p->terminal && p->stage[0])
    fputs("\r\033[K", stderr);
}

void cli_progress_wipe(const cli_progress *p) {
  if (p->quiet || !p->terminal)
    return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
}
