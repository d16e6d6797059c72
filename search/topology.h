/* What two muGraphs of one program have in common beside names, orders and tile sizes.
 * May include: base, ir.  Called by tests and by bench/topologies.c.
 *
 * The topology of a muGraph is made of its kernels.  A kernel of a block graph is: whether it has a
 * loop; for each tensor that it reads, which of its axes the axes of the grid and the loop divide;
 * the accumulators; what is computed between these; and what is stored.  Of an operator counts what
 * its specification computes of elements, so that synonyms are one (`x * x` and square, rms_norm
 * and the operators that it is made of, a matrix product is the sum of products); not which of the
 * operands of a sum or a product stands first, along which axes a sum goes (what the operands are
 * says that), or by what numbers and sizes something is multiplied.  A sum of sums is one sum.
 * What only moves elements, and axes of extent 1, are left out.  An operator outside of blocks is a
 * kernel of its own.
 *
 * An axis that is written as two and summed over one of them is another thing than a sum.
 *
 * Of a tensor between two kernels an axis is known by what divides it where it is stored, so that
 * parts side by side along one axis and parts along an axis of their own are the same.  Names of
 * the axes of the grid do not count.  Whether one tensor is computed once or twice does not count.
 */
#ifndef AS_SEARCH_TOPOLOGY_H
#define AS_SEARCH_TOPOLOGY_H
#include "src/ir/graph.h"

typedef struct as_topologies as_topologies;
as_topologies *as_topologies_new(void);
void as_topologies_free(as_topologies *table);

/* The topology of the muGraph: the same number for the same topology in one table.  Axes of the
 * grid whose extent is 1 at the program's sizes count as none. */
uint32_t as_topology(as_topologies *table, const as_graph *graph);

/* The topologies of the muGraph at all tile sizes: where a tile may be all of an axis, the grid
 * does not divide it, and a loop of one iteration is none.  malloc'ed, without repetitions; of more
 * than AS_MOST_TOPOLOGIES the first, which has all axes, alone. */
enum { AS_MOST_TOPOLOGIES = 4096 };

uint32_t *as_topologies_of(as_topologies *table, const as_graph *graph, uint32_t *n);

/* The same of single kernels, whatever made the tensors between them: of those that are blocks, in
 * the order of the graph.  malloc'ed; `all_sizes` as above, for each kernel by itself. */
uint32_t *as_kernel_topologies(as_topologies *table, const as_graph *graph, bool all_sizes,
                               uint32_t *n);
/* the topology in words: borrowed from the table; what numbers in it mean, the same call says */
const char *as_topology_text(const as_topologies *table, uint32_t topology);
#endif
