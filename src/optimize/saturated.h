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

/* Saturates the job's program.  Of the programs found the first, cheapest first, that is certified
 * (the comparison by evaluation finds nothing, the claim of the texts is proved and checked) is
 * written to DIR.tile; the cheapest of block form become candidates of the search, each judged as
 * such.  false with err */
bool as_saturated_add(const as_job *job, const as_saturated_how *how, const as_search_opts *opts,
                      as_search_result *result, as_err *err);
#endif
