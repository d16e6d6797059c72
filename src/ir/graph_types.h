/* Types of tensors: those that a program rounds its results to, and those in memory between
 * kernels, a choice of the plan.  The theorem, which is about real numbers, says nothing of either.
 * Used by the float test, which executes so, by the lowering, which stores so, and by the cost
 * model, which prices it.  May include: ir/graph.h. */
#ifndef AS_IR_GRAPH_TYPES_H
#define AS_IR_GRAPH_TYPES_H
#include "graph.h"

/* States, of a store or an operator at kernel level, the type in memory, or, of an operator of a
 * program, what its result is rounded to.  false with err: it is an output of a muGraph, or the
 * program's own type is neither that nor one that 32 bits may stand for. */
bool as_graph_state_type(as_graph *graph, as_node_id id, as_dtype type, as_err *err);
/* States the types of all that is in memory between kernels, as they are chosen. */
void as_graph_state_types(as_graph *graph);
/* By node of a muGraph: the type of what an operator at kernel level or a store leaves in memory
 * for another kernel, where it is no output; AS_F32 of other nodes, and of all in a program that
 * does not read one type of 16 bits.  What is stated counts.  malloc'ed. */
as_dtype *as_graph_between(const as_graph *graph);
#endif
