/* Equality saturation over tile programs (docs/saturation.md): a tensor program as naive loops, all
 * that the rules make of them in one e-graph, and the best programs out of it as `.tile` texts.
 * Nothing here is trusted: what is extracted is judged as a whole by who calls this.  May include:
 * base, ir, tile, target, search/sg.h.  Called by the command line and tests. */
#ifndef AS_TILES_H
#define AS_TILES_H
#include "src/ir/graph.h"
#include "src/target/target.h"

typedef struct {
  long tile;           /* extent of tiles, of axes that are longer */
  uint64_t most_nodes; /* of the e-graph: the bound of growth */
  uint32_t rounds;     /* of all rules, at most */
  uint32_t keep;       /* trees of each number of kernels */
  const as_target *target;
} as_tiles_opts;

extern const as_tiles_opts as_tiles_default;

typedef struct {
  char *text; /* `.tile` */
  uint32_t kernels;
  double us; /* by the model, of tiles in registers and on tensor cores */
  double
      lowered_us; /* of what src/kernels makes of it: element by element, a barrier a statement */
  double bytes;
} as_tiles_program;

typedef struct {
  as_tiles_program *program; /* cheapest first */
  uint32_t n;
  uint32_t unwritten; /* trees that have no text */
  uint64_t classes;
  uint64_t nodes;
  uint64_t refused; /* matches that conditions of rules turned down */
  uint32_t rounds;
  bool saturated;    /* the last round changed nothing */
  bool full;         /* the bound of nodes struck */
  char *represented; /* how many programs the e-graph holds, in digits */
  uint64_t *applied; /* unions by rule: of n_rule */
  const char *const *rule;
  uint32_t n_rule;
  double seconds_saturating;
  double seconds_extracting;
} as_tiles_result;

/* AS_OK: at least one program.  AS_UNKNOWN or AS_BAD_INPUT with err */
as_status as_tiles_search(const as_graph *program, const as_tiles_opts *opts,
                          as_tiles_result *result, as_err *err);
void as_tiles_result_clear(as_tiles_result *result);
#endif
