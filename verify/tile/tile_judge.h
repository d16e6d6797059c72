/* What evaluation says of a tile program against another one, or against a program (docs/tile.md,
 * section 4): a counterexample, two orders that differ, or nothing.  It never says PROVED.
 * May include: base, ir, src/tile, semantics, verify/refute.
 * Used by the command line and the tests. */
#ifndef AS_TILE_JUDGE_H
#define AS_TILE_JUDGE_H
#include "side.h"

typedef enum {
  AS_TILE_NO_DIFFERENCE, /* UNKNOWN: nothing was found */
  AS_TILE_DIFFERS,       /* REFUTED: another value, or none, or undefined */
  AS_TILE_ORDER          /* REFUTED: the results depend on the order */
} as_tile_answer;

typedef struct {
  as_tile_answer answer;
  bool lacking;        /* it is one because the candidate has no value there */
  char *words;         /* the counterexample, or what was compared; owned */
  uint64_t instances;  /* sizes and inputs at which both were compared */
  uint64_t elements;   /* of results that were compared */
  uint64_t conflicts;  /* instances where iterations touch each other's places, and no order was
                          found that shows it */
  const char *unknown; /* why nothing could be compared; NULL: something was; borrowed from text */
  char *text;          /* owned */
} as_tile_verdict;

typedef struct {
  uint64_t seed;
  int64_t max_size;
  uint32_t sizes_per_bound; /* choices of sizes for each largest size */
  uint32_t inputs_per_size;
  uint64_t max_ops;    /* of one evaluation */
  uint64_t beside_ops; /* of all at sizes beside the numbers that the texts speak of; 0: none */
  uint64_t
      total_ops; /* of all, beyond which none begins once something was compared; 0: no bound */
  double until;  /* 0, or when as_now() is past it no evaluation begins */
  bool values;   /* that the candidate has no value somewhere is no difference */
} as_tile_budget;

extern const as_tile_budget as_tile_budget_default;

/* AS_OK: a verdict.  AS_BAD_INPUT with err: the two have not the same arguments and results. */
as_status as_tile_judge(const as_tile_side *given, const as_tile_side *candidate,
                        const as_tile_budget *budget, as_tile_verdict *verdict, as_err *err);
void as_tile_verdict_clear(as_tile_verdict *verdict);
#endif
