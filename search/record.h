/* What became of the plans of a search, by plan: so that several processes may each enumerate a
 * share of them, and one put the shares together without enumerating them again.  A plan's outcome
 * is its counts and what each of its graphs costs; the graphs themselves are made again where they
 * are wanted.  What is recorded is not trusted: it says which graphs are looked at first, and no
 * more. May include: base, segment.h.  Called by segment.c and by who runs shards. */
#ifndef AS_SEARCH_RECORD_H
#define AS_SEARCH_RECORD_H
#include "segment.h"
#include "src/base/map.h"

typedef struct {
  uint64_t segment; /* as_search_record_segment of the operators searched */
  uint32_t plan;
  sg_stats stats;
  uint32_t n_rank;
  sg_rank *rank; /* owned by the record */
} sg_outcome;

struct as_search_record {
  as_vec outcome;
  as_index by_plan;
};

/* of a segment's program and the limits of its search */
uint64_t sg_record_segment(const sg_segment *segment);
/* NULL: there is none; borrowed until the next one is added */
const sg_outcome *sg_record_find(const as_search_record *record, uint64_t segment, uint32_t plan);
/* copies; one that is there already stays */
void sg_record_add(as_search_record *record, const sg_outcome *outcome);
#endif
