/* By which way each part of a muGraph is lowered.  The lowering says it (as_lowered.routes); a
 * candidate is priced by what it says at the candidate's sizes, and the price says which ways it is
 * of: where kernels are handed out that are lowered otherwise, the program is at fault.
 * Includes libc.  Used by search, lower, optimize. */
#ifndef AS_BASE_ROUTES_H
#define AS_BASE_ROUTES_H
#include <stdbool.h>
#include <stdint.h>

/* The ways of lowering: of a block graph the first three or, where its results are computed over
 * whole tensors, AS_ROUTE_MEMORY. */
#define AS_ROUTE_THREADS "thread graph"
#define AS_ROUTE_BLOCK "block graph"
#define AS_ROUTE_LIBRARY "library"
#define AS_ROUTE_MEMORY "over memory"
#define AS_ROUTE_TENSOR_CORES "contraction on tensor cores"
#define AS_ROUTE_REGISTERS "contraction by register tiles"

typedef struct {
  const char **block; /* by block graph: AS_ROUTE_..; static texts, the arrays owned */
  uint32_t n_block;
  const char **node; /* by node: of an operator at kernel level that is a contraction and has a call
                        or kernel of its own; NULL: of others, which have one price */
  uint32_t n_node;
} as_routes;

/* all NULL; cleared by the caller */
void as_routes_init(as_routes *routes, uint32_t n_block, uint32_t n_node);
void as_routes_clear(as_routes *routes);
/* Are they the same?  Else *number is the first block graph, or node (`node`), that differs. */
bool as_routes_same(const as_routes *left, const as_routes *right, uint32_t *number, bool *node);
/* the text of the way of this name; NULL: there is none */
const char *as_route_find(const char *name);
#endif
