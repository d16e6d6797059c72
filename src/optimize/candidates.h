/* What `optimize --all` lists.  May include: search.  Private to the command line. */
#ifndef AS_OPTIMIZE_CANDIDATES_H
#define AS_OPTIMIZE_CANDIDATES_H
#include "search/search.h"

/* what a muGraph does, kernel by kernel, whatever the order of its statements and its tile sizes;
 * malloc'ed */
char *as_structure(const as_graph *graph);
/* candidates that differ in structure, on standard output: certified ones with what the model says
 * of each, in their places those that fail the float test; others are counted */
void as_list_candidates(const as_search_result *found, const as_candidate *chosen);
#endif
