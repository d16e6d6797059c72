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
