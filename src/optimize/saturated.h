/* Equality saturation in `assay optimize`: the tile programs that it finds, judged, and those of
 * block form among them handed to the search as candidates.  May include: search, search/tiles,
 * verify/judge, verify/tile, ir, tile, target, base. */
#ifndef AS_OPTIMIZE_SATURATED_H
#define AS_OPTIMIZE_SATURATED_H
#include "search/search.h"
#include "search/tiles/tiles.h"
#include "verify/judge/job.h"
#include <stdio.h>

typedef struct {
  long tile; /* as in as_tiles_opts */
  uint64_t most_nodes;
  const char *dir;
  FILE *told; /* where what was done is told, a few lines; NULL: nowhere */
} as_saturated_how;

/* A tile program that is lowered by itself, as it is of no form that a muGraph has. */
typedef struct {
  bool found;
  as_job job; /* its texts */
  as_verdict verdict;
  double us; /* as it is lowered, by the model */
  uint32_t kernels;
} as_saturated_tile;

void as_saturated_tile_clear(as_saturated_tile *tile);

/* Saturates the job's program.  Of the programs found the first, cheapest first, that is certified
 * (the comparison by evaluation finds nothing, the claim of the texts is proved and checked) is
 * written to DIR.tile, and becomes `tile` (empty before) where it is of no block form.  The
 * cheapest of block form become candidates of the search, each judged as such.  false with err */
bool as_saturated_add(const as_job *job, const as_saturated_how *how, const as_search_opts *opts,
                      as_search_result *result, as_saturated_tile *tile, as_err *err);
#endif
