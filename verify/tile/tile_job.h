/* Two texts to be judged by evaluation, each a tile program, a program or a muGraph, read over one
 * table of sizes.
 * May include: base, ir, src/tile, verify/tile.
 * Used by the command line and the tests. */
#ifndef AS_TILE_JOB_H
#define AS_TILE_JOB_H
#include "tile_judge.h"

typedef struct {
  as_oplib *lib; /* borrowed; `use` extends it */
  as_sizes *sizes;
  as_tile_program *tile[2]; /* the given program, the candidate; owned, as all below */
  as_graph *graph[2];
} as_tile_job;

void as_tile_job_init(as_tile_job *job, as_oplib *lib);
void as_tile_job_clear(as_tile_job *job);
/* Reads the given program (which: 0) or, after it, the candidate (1) from a text; the given one is
 * no muGraph.  false with err. */
bool as_tile_job_take(as_tile_job *job, int which, const char *name, const char *text, size_t len,
                      as_err *err);
as_status as_tile_job_judge(const as_tile_job *job, const as_tile_budget *budget,
                            as_tile_verdict *verdict, as_err *err);
/* "REFUTED", "ORDER-DEPENDENT", "UNKNOWN" */
const char *as_tile_answer_word(as_tile_answer answer);
#endif
