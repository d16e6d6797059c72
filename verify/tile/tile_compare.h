/* Two sides compared at one choice of sizes and inputs: over doubles, and where these differ, with
 * proof: over rationals, then over intervals.
 * May include: base, ir, src/tile, semantics.  Private to verify/tile. */
#ifndef AS_TILE_COMPARE_H
#define AS_TILE_COMPARE_H
#include "tile_judge.h"

/* a tensor that is a result of a side, or an argument that both leave as it is */
typedef struct {
  const char *name;
  uint32_t in_given; /* its number among the results; AS_NONE: the argument keeps its value */
  uint32_t in_candidate;
  uint32_t argument; /* its number among the arguments; AS_NONE */
} tile_pair;

typedef struct {
  const as_tile_side *given;
  const as_tile_side *candidate;
  uint32_t n_arguments; /* of the given side */
  uint32_t *argument;   /* for each of the candidate's: its number among the given ones */
  uint32_t n_pairs;
  tile_pair *pair;
} tile_sides;

/* false with err: not the same arguments and results */
bool tile_sides_init(tile_sides *sides, const as_tile_side *given, const as_tile_side *candidate,
                     as_err *err);
void tile_sides_clear(tile_sides *sides);

typedef struct {
  const tile_sides *sides;
  const int64_t *env;
  const as_tensor *exact; /* the given side's arguments, over rationals */
  uint64_t max_ops;
  uint64_t seed;
  bool is_long; /* an evaluation takes many steps, or much memory */
  bool values;  /* that the candidate has no value somewhere is no difference */
} tile_instance;

typedef struct {
  as_tile_answer answer;
  bool compared;     /* the given program is defined here, and the candidate was evaluated */
  uint64_t elements; /* compared */
  bool conflict;
  bool exceeded; /* a side was not evaluated for want of steps or memory */
  uint64_t ops;  /* of the tile programs, over doubles */
  bool lacking;  /* what differs is that the candidate has no value there */
  char *words;   /* what differs; owned */
  char *why;     /* nothing was compared, for this reason; owned */
} tile_outcome;

void tile_compare(const tile_instance *instance, tile_outcome *outcome);
void tile_outcome_clear(tile_outcome *outcome);
#endif
