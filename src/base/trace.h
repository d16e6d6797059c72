/* What is done and why, said on standard error while it is done: --trace=search,prune,prove,lower.
 * Off by default; a channel that is off costs one test of a bit, and no argument is evaluated.
 * Nothing may depend on what is traced: results are the same bytes with it and without.
 * Includes base/err.h.
 * Used by search, prover and lowering; the command line switches channels on. */
#ifndef AS_BASE_TRACE_H
#define AS_BASE_TRACE_H
#include "err.h"

/* one row a channel: name in C, name on the command line, what it tells */
#define AS_TRACE_CHANNELS(X)                                                                       \
  X(SEARCH, "search", "what is tried, how much is pruned and by what, what is kept and judged")    \
  X(PRUNE, "prune", "every value that the search drops, and why (long)")                           \
  X(PROVE, "prove", "goals, the laws tried on them, and where a goal stays open")                  \
  X(LOWER, "lower", "layouts, memory plan and schedule, and what decided them")

typedef enum {

#define ROW(channel, name, tells) AS_TRACE_##channel,
  AS_TRACE_CHANNELS(ROW)
#undef ROW
      AS_TRACE_N
} as_trace_channel;

/* bit of each channel that is on; set before threads start, read by all of them */
extern unsigned as_trace_mask;

/* `AS_TRACE(SEARCH, "%s: pruned", name)`: "search: " before each line, written whole also where
 * threads trace at the same time */
#define AS_TRACE(channel, ...)                                                                     \
  do {                                                                                             \
    if (AS_TRACE_ON(channel))                                                                      \
      as_trace_line(AS_TRACE_##channel, __VA_ARGS__);                                              \
  } while (0)
/* for what costs something to say */
#define AS_TRACE_ON(channel) ((as_trace_mask >> AS_TRACE_##channel & 1) != 0)

void as_trace_line(as_trace_channel channel, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* switches on the channels of a list `search,prove` (`all`: all of them); false with err, and
 * nothing switched, for a name that is none */
bool as_trace_set(const char *list, as_err *err);
/* the rows, as lines of help: "  search  what is tried, ..." (malloc'ed) */
char *as_trace_help(void);

#endif
