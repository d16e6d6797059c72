#include "stats.h"
#include <stdatomic.h>

static atomic_uint_fast64_t counter[AS_N_STATS];

static const struct {
  const char *name;
  const char *what;
} rows[] = {

#define AS_STATS_ROW(id, name, what) {#name, what},
    AS_STATS(AS_STATS_ROW)
#undef AS_STATS_ROW
};

void as_stats_add(as_stat stat, uint64_t amount) {
  atomic_fetch_add_explicit(&counter[stat], amount, memory_order_relaxed);
}

uint64_t as_stats_get(as_stat stat) {
  return atomic_load_explicit(&counter[stat], memory_order_relaxed);
}

const char *as_stats_name(as_stat stat) {
  return rows[stat].name;
}

const char *as_stats_what(as_stat stat) {
  return rows[stat].what;
}

/* ---- stages */
static const as_stage_time stages[] = {

#define AS_STAGE_ROW(id, name, what) {name, what, 0, 0, 0},
    AS_STAGES(AS_STAGE_ROW)
#undef AS_STAGE_ROW
};

/* in microseconds, so that any thread can add to them */
static atomic_uint_fast64_t taken[AS_N_STAGES];
static atomic_uint_fast64_t longest[AS_N_STAGES];
static atomic_uint_fast64_t times[AS_N_STAGES];

void as_stats_stage(as_stage stage, double seconds) {
  uint_fast64_t amount = seconds > 0 ? (uint_fast64_t)(seconds * 1e6) : 0;
  uint_fast64_t most = atomic_load_explicit(&longest[stage], memory_order_relaxed);
  atomic_fetch_add_explicit(&taken[stage], amount, memory_order_relaxed);
  atomic_fetch_add_explicit(&times[stage], 1, memory_order_relaxed);
  while (amount > most &&
         !atomic_compare_exchange_weak_explicit(&longest[stage], &most, amount,
                                                memory_order_relaxed, memory_order_relaxed))
    continue;
}

as_stage_time as_stats_stage_time(as_stage stage) {
  as_stage_time result = stages[stage];
  result.times = atomic_load_explicit(&times[stage], memory_order_relaxed);
  result.seconds = (double)atomic_load_explicit(&taken[stage], memory_order_relaxed) * 1e-6;
  result.longest = (double)atomic_load_explicit(&longest[stage], memory_order_relaxed) * 1e-6;
  return result;
}
