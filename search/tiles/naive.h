/* A tensor program as a naive tile program: one loop nest an operator, in an e-graph.  May include:
 * base, ir, egraph.h.  Private to search/tiles and its tests. */
#ifndef AS_TILES_NAIVE_H
#define AS_TILES_NAIVE_H
#include "egraph.h"

typedef struct {
  tl_accesses accesses;
  tl_graph graph;
  const as_graph *given; /* borrowed */
  as_graph *program;     /* owned, with its table of sizes: `given`, expanded by tl_expand */
  uint32_t root;         /* the class of the whole program */
  uint32_t *tensor;      /* of each node of `program`; AS_NONE: a number */
} tl_naive;

/* The program with operators that are abbreviations (expand.rule: a softmax is an exponential over
 * its sum) written out; each rule there is one that `assay certify` proves.  NULL with err. */
as_graph *tl_expand(const as_graph *program, as_err *err);

/* tile: extent of tiles, of axes that are longer; the largest divisor of the extent up to it is
 * taken.  Sizes of the program need values.  false with err: too many axes, or an operator that
 * cannot be written as a statement. */
bool tl_naive_init(tl_naive *naive, const as_graph *program, long tile, uint64_t most_nodes,
                   as_err *err);
void tl_naive_clear(tl_naive *naive);
#endif
