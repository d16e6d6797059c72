/* One side of a comparison: a tile program, or a program or muGraph, seen as a function from named
 * arguments to named results.
 * May include: base, ir, src/tile, semantics.
 * Used by tile_judge.c. */
#ifndef AS_TILE_SIDE_H
#define AS_TILE_SIDE_H
#include "semantics/tile_eval.h"

/* one of the two; borrowed */
typedef struct {
  const as_tile_program *tile;
  const as_graph *graph;
} as_tile_side;

const as_graph *as_side_sizes(const as_tile_side *side); /* a graph with its sizes and relations */

typedef struct {
  const char *name;
  const as_size *dim;
  uint32_t rank;
  bool integers;
} as_side_tensor;

uint32_t as_side_n_arguments(const as_tile_side *side);
as_side_tensor as_side_argument(const as_tile_side *side, uint32_t i);
uint32_t as_side_n_results(const as_tile_side *side);
as_side_tensor as_side_result(const as_tile_side *side, uint32_t i);

/* how one run went beside its results */
typedef struct {
  as_tile_notes notes; /* of a graph: flags alone */
  as_status status;
  as_err err;
  as_tensor *result; /* NULL unless the status is AS_OK */
  uint32_t n_results;
} as_side_run;

/* arguments: over the domain, in the order of the side's; order and seed mean nothing to a graph.
 * To be cleared in any case. */
void as_side_evaluate(const as_tile_side *side, const as_tile_setting *setting, as_side_run *run);
void as_side_run_clear(as_side_run *run);
#endif
