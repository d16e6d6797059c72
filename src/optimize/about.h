/* What report.json says of a search: its counts, the tiling chosen, the kernels.  May include:
 * search, report, target, base. */
#ifndef AS_OPTIMIZE_ABOUT_H
#define AS_OPTIMIZE_ABOUT_H
#include "search/search.h"
#include "src/base/lowered.h"
#include <jansson.h>

/* the caller's */
json_t *as_about_search(const as_search_result *found, const as_candidate *chosen,
                        const as_lowered *lowered, const as_target *target);
#endif
