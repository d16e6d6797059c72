/* The search's progress: one line that is redrawn on a terminal, a plain line per stage otherwise.
 */
#ifndef AS_CLI_PROGRESS_H
#define AS_CLI_PROGRESS_H
#include "search/search.h"

typedef struct {
  bool quiet;
  bool terminal;
  double last;
  double start;
  char stage[64];
} cli_progress;

void cli_progress_init(cli_progress *p, bool quiet);
void cli_progress_show(void *arg, const char *stage, const as_search_stats *st, double done);
/* the same for a known number of equal steps; on a terminal only */
void cli_progress_count(cli_progress *p, const char *what, size_t done, size_t of);
/* makes way for a line of output */
void cli_progress_wipe(const cli_progress *p);
void cli_progress_end(cli_progress *p);
#endif
