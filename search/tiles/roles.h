/* What an operator does with each axis of its operands, read from its specification: passed on to
 * an axis of the result index by index, summed over, or something else, for which the axis must be
 * whole.  May include: base, ir, egraph.h.  Private to search/tiles. */
#ifndef AS_TILES_ROLES_H
#define AS_TILES_ROLES_H
#include "egraph.h"

typedef enum {
  TL_AXIS_FIXED,  /* of the result: its index is computed with; of an operand: read elsewhere */
  TL_AXIS_PASSED, /* `to`: the axis of the result */
  TL_AXIS_SUMMED  /* `to`: which sum; the result is the sum over all of its values */
} tl_role_kind;

typedef struct {
  tl_role_kind kind;
  uint32_t to;
} tl_role;

typedef struct {
  tl_role arg[AS_MAX_ARGS][AS_MAX_RANK];
  uint32_t n_sum;
  bool out_fixed[AS_MAX_RANK]; /* of the result */
} tl_roles;

/* of a call with these attributes and operands; false: it is not well formed, and err says why */
bool tl_roles_of(as_sizes *sizes, const as_opdef *op, const as_attr *attr,
                 const as_size (*arg_dim)[8], const uint32_t *arg_rank, uint32_t n_args,
                 tl_roles *roles, as_err *err);
/* of a CALL of the e-graph */
bool tl_node_roles(const tl_graph *graph, uint32_t node, tl_roles *roles);
#endif
