/* What stands between a candidate and the user: its judgement, on the text as it will be written.
 */
#include "search.h"
#include <string.h>

const as_policy as_search_policy = {.field = true, .stop_early = true, .seed = 1};

as_judged as_search_judged(const as_graph *program, const ck_text *given, const as_candidate *c) {
  return (as_judged){.lib = program->lib,
                     .given = *given,
                     .candidate = {"candidate.mug", c->text, strlen(c->text)},
                     .program = program,
                     .graph = c->graph};
}
