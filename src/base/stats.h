/* What a run did, counted: one row a counter, which --stats, report.json and the tests read; and
 * how long each stage of judging took, which --stats alone shows, as it is another time each run.
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

/* stages of judging: name, what is done in it */
#define AS_STAGES(X)                                                                               \
  X(CLAIM, "claim", "texts read by the checker's reader")                                          \
  X(RANDOM, "random test", "evaluation over finite fields")                                        \
  X(TRIALS, "trials", "search for a counterexample")                                               \
  X(PROVE_FIRST, "proof, first", "the prover, with a small part of its effort")                    \
  X(PROVE, "proof", "the prover")                                                                  \
  X(REPLAY, "replay", "certificates checked")                                                      \
  X(SOLVERS, "solvers", "obligations written and asked")

typedef enum {

#define AS_STAGE_ID(id, name, what) AS_STAGE_##id,
  AS_STAGES(AS_STAGE_ID)
#undef AS_STAGE_ID
      AS_N_STAGES
} as_stage;

/* of one stage, of all threads together */
typedef struct {
  const char *name;
  const char *what;
  uint64_t times;
  double seconds; /* by the clock, all of them together */
  double longest;
} as_stage_time;

/* adds one passage through a stage, which took that long */
void as_stats_stage(as_stage stage, double seconds);
as_stage_time as_stats_stage_time(as_stage stage);
void as_stats_add(as_stat stat, uint64_t amount);
uint64_t as_stats_get(as_stat stat);
const char *as_stats_name(as_stat stat);
const char *as_stats_what(as_stat stat);
#endif
