/* What report.json says of a search: its counts, the tiling chosen, the kernels.  May include:
 * search, report, target, base. */
#ifndef AS_OPTIMIZE_ABOUT_H
#define AS_OPTIMIZE_ABOUT_H
#include "saturated.h"
#include "src/base/lowered.h"
#include <jansson.h>

/* the caller's */
json_t *as_about_search(const as_search_result *found, const as_candidate *chosen,
                        const as_lowered *lowered, const as_target *target);
/* the same of a tile program that saturation found and that is lowered by itself */
json_t *as_about_tile(const as_saturated_tile *tile, const as_lowered *lowered,
                      const as_target *target);
/* The GPU, how the library is used on it, and of which operators factors may be rounded to TF32:
 * what is asked for (NULL: nothing), or as the report.json of the result directory says (dir NULL:
 * there is none), or the default, never and none.  NULL with err.
 */
const as_target *as_about_target(const char *dir, const char *arch, const char *library,
                                 const char *tf32, as_err *err);
#endif
