/* How the values of a graph grow with each of its inputs: between which powers of it.  Squares that
 * a norm is made of outgrow 16 bits where what they are made of does not.  May include: ir/graph.h.
 * Used by graph_types.c. */
#ifndef AS_IR_GRAPH_DEGREES_H
#define AS_IR_GRAPH_DEGREES_H
#include "graph.h"

/* A value is at most about as large as the input to the power `high` where the input is large, and
 * to the power `low` where it is small: x * x / (1 + sum(x)) has high 2 and low 1. */
typedef struct {
  double low;
  double high;
} as_degrees;

/* by node, of input number `input`; malloc'ed.  What is bounded, or an exponential, has 0. */
as_degrees *as_graph_degrees(const as_graph *graph, uint32_t input);
#endif
