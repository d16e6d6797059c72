/* Equality saturation in `assay optimize`: the tile programs that it finds, judged, and those of
 * block form among them handed to the search as candidates.  May include: search, search/tiles,
 * verify/judge, verify/tile, ir, tile, target, base. */
#ifndef AS_OPTIMIZE_SATURATED_H
#define AS_OPTIMIZE_SATURATED_H
#include "search/search.h"
#include "search/tiles/tiles.h"
#include "verify/judge/job.h"

typedef struct {
  as_tiles_result found;
  uint32_t best; /* the cheapest that is certified; found.n: none of those looked at is */
  uint32_t judged;
  uint32_t refuted;
  uint32_t unproved;
  char *words;     /* of the best one: what was compared, and the proof */
  char *no_blocks; /* why the best one is not lowered (its form); NULL: it can be */
  uint32_t offered;
} as_saturated;

/* most_judged: programs, cheapest first, of which the first that is certified is the best: the
 * comparison by evaluation finds nothing, and the claim of the texts is proved and checked.
 * false with err */
bool as_saturate(const as_job *job, const as_tiles_opts *opts, const as_policy *policy,
                 uint64_t seed, uint32_t most_judged, as_saturated *saturated, as_err *err);
/* The cheapest programs of block form, at most `most`, as candidates of the search, each judged as
 * such. */
void as_saturated_offer(as_saturated *saturated, const as_job *job, const as_search_opts *opts,
                        uint32_t most, as_search_result *result);
/* the best one's text as DIR.tile, where there is one */
bool as_saturated_leave(const as_saturated *saturated, const char *dir, as_err *err);
/* what was done, a few lines; malloc'ed */
char *as_saturated_print(const as_saturated *saturated, const char *dir);
void as_saturated_clear(as_saturated *saturated);
#endif
