/* What a run did, counted: one row a counter, which --stats, report.json and the tests read.
 * Includes base.  Counters belong to the process and are added to by any thread. */
#ifndef AS_BASE_STATS_H
#define AS_BASE_STATS_H
#include <stdint.h>

/* name (in report.json; dashes for people), what one of it is */
#define AS_STATS(X)                                                                                \
  X(SPECIFICATIONS, specifications_read, "files of operator specifications read")                  \
  X(CLAIMS, claims_read, "claims read by the checker's reader")                                    \
  X(PROOFS, proofs, "runs of the prover")                                                          \
  X(KERNELS_APART, kernels_proved_apart, "kernels that were asked of the prover by themselves")    \
  X(PROOF_STEPS, proof_steps_tried, "proof steps made, those that led nowhere included")           \
  X(REPLAYS, replays, "certificates replayed in terms of their own")                               \
  X(FIELD_TESTS, field_tests, "random tests over finite fields")                                   \
  X(FLOAT_TESTS, float_tests, "tests of candidates in floats")                                     \
  X(TRIALS, counterexample_searches, "searches for a counterexample")                              \
  X(QUERIES, solver_queries, "queries put to solvers")                                             \
  X(CHILDREN, child_processes, "child processes started")

typedef enum {

#define AS_STATS_ID(id, name, what) AS_STAT_##id,
  AS_STATS(AS_STATS_ID)
#undef AS_STATS_ID
      AS_N_STATS
} as_stat;

void as_stats_add(as_stat stat, uint64_t amount);
uint64_t as_stats_get(as_stat stat);
const char *as_stats_name(as_stat stat);
const char *as_stats_what(as_stat stat);
#endif
