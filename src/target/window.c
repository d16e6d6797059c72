/* Folds over windows: which tile of results a thread should have. */
#include "target.h"
#include <math.h>

/* lines of 128 bytes that reads reach in the time in which shared memory gives as much */
static const double lines_at_a_time = 2;

/* what of the shorter times is not hidden behind the longest */
static const double unhidden = 0.25;

/* registers of a thread beyond which there are too few threads to wait for memory, and what that
 * costs; far beyond, there are hardly any */
enum { MANY_REGISTERS = 128, MOST_REGISTERS = 200 };

static const double few_threads = 1.5;
static const double hardly_any = 4;

/* threads of a multiprocessor that keep it busy */
enum { BUSY_THREADS = 1024 };

double as_target_window_us(const as_target *target, const as_windowed *work) {
  double all = target->multiprocessors;
  double lines = work->lines * 128 / (lines_at_a_time * all * target->shared_bandwidth);
  double issued = work->instructions / (all * target->issues);
  double memory = work->bytes / target->dram_peak;
  double time = fmax(memory, fmax(lines, issued)) + unhidden * (lines + issued);
  if (work->registers > MANY_REGISTERS)
    time *= work->registers > MOST_REGISTERS ? hardly_any : few_threads;
  double wanted = BUSY_THREADS * all;
  return work->threads < wanted ? time * wanted / work->threads : time;
}
