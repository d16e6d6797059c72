/* Types in memory of tensors between kernels: a choice of the plan, of which the theorem, which is
 * about real numbers, says nothing.  Used by the lowering, which stores so, and by the cost model,
 * which prices it.  May include: ir/graph.h. */
#ifndef AS_IR_GRAPH_TYPES_H
#define AS_IR_GRAPH_TYPES_H
#include "graph.h"

/* By node of a muGraph: the type of what an operator at kernel level or a store leaves in memory
 * for another kernel, where it is no output; AS_F32 of other nodes, and of all in a program that
 * does not read one type of 16 bits.  malloc'ed. */
as_dtype *as_graph_between(const as_graph *graph);
#endif
