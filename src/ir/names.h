/* Programs that differ in names alone: what they have in common, and a muGraph of one as a muGraph
 * of the other.  May include: base, ir.  Used by the cache of results. */
#ifndef AS_IR_NAMES_H
#define AS_IR_NAMES_H
#include "graph.h"

/* All of a program but the names of its sizes and tensors and its own: least and concrete values,
 * relations, types, extents, wiring, attributes and the order of statements.  Operators are called
 * by name: what they mean is in their specifications.  malloc'ed. */
char *as_program_nameless(const as_graph *program);

/* The muGraph `graph` of a program, with the names of `like`, which as_program_nameless does not
 * tell from that program.  Names of the muGraph's own that `like` has for something else become
 * fresh ones.  Changes both graph and its program, which can be printed from then on and nothing
 * else. */
void as_graph_take_names(as_graph *graph, as_graph *program, const as_graph *like);
#endif
