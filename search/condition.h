/* What a graph risks in floats, found by looking at it: an exponential that overflows, a difference
 * of large sums, a quotient whose divisor leaves the range.  Orders candidates before they are
 * built; a float test of what is built is the net.  Programs, muGraphs and parts of them alike.
 * May include: ir.  Called by the search. */
#ifndef AS_SEARCH_CONDITION_H
#define AS_SEARCH_CONDITION_H
#include "src/ir/graph.h"

/* id, name, what it is */
#define AS_RISKS(R)                                                                                \
  R(EXPONENTIAL, "exponential", "an exponential of what has no bound above")                       \
  R(DIFFERENCE, "difference", "a difference of sums that are large where it is small")             \
  R(OFFSET, "offset", "a product of a difference from a mean with what the mean is of")            \
  R(DIVISOR, "divisor", "a quotient by a product that may leave the range of floats")

typedef enum {

#define R(id, name, what) AS_RISK_##id,
  AS_RISKS(R)
#undef R
      AS_N_RISK
} as_risk;

typedef struct {
  uint32_t n[AS_N_RISK]; /* at how many places */
} as_condition;

/* Operators without specification that is understood risk nothing that is known. */
void as_condition_of(const as_graph *graph, as_condition *out);
/* by node of the graph: does what it computes take the risk? */
void as_condition_at(const as_graph *graph, as_risk risk, bool *at);
/* the first risk that `of` has at more places than `given`; AS_N_RISK: none */
as_risk as_condition_worse(const as_condition *of, const as_condition *given);
const char *as_risk_name(as_risk risk);
const char *as_risk_meaning(as_risk risk);
#endif
