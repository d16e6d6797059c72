/* What the stores of a block graph say, as terms over the elements of its loads: operators by their
 * bodies in the .sem files, none by its name.  Includes term.h, ir.  Used by the validator (the
 * meaning that a thread graph must have) and by the lowering (what there is to compute). */
#ifndef AS_THREADS_BLOCK_H
#define AS_THREADS_BLOCK_H
#include "../../src/ir/graph.h"
#include "term.h"

typedef struct {
  const as_graph *graph;
  uint32_t block;
  const int64_t *env;      /* values of sizes by id; borrowed */
  const as_dtype *between; /* by node: types in memory of tensors between kernels; borrowed; NULL:
                              all of 32 bits */
} as_block_ref;

/* the type that a kernel-level tensor has in memory: inputs have the program's, outputs that of its
 * first input, parts that of what they are a part of */
as_dtype as_block_tensor_type(const as_block_ref *b, as_node_id tensor);

/* is the tile of this load computed from where it lies (an index tensor's), and no memory read? */
bool as_block_is_computed(const as_block_ref *b, as_node_id load);

/* the element index[0..rank) of what the node (inside the block) holds: free indices are numbers
 * from 0 on, axes of extent 1 AS_INDEX_ZERO.  false with err: an operator that is no expression
 * over elements at those very indices and conditions on places (a gather, a condition on data), a
 * size without value, an expression too large. */
bool as_block_term(as_terms *t, const as_block_ref *b, as_node_id node, const int32_t *index,
                   as_poly *out, as_err *err);
/* extents of a node at these sizes; false with err */
bool as_block_dims(const as_block_ref *b, as_node_id node, long dim[AS_MAX_RANK], as_err *err);

/* Where a kernel-level tensor lies at these sizes: element i is element `origin` + the sum of
 * i[axis] * stride[axis] of `base`, itself, or an input or stored tensor of which it is a part
 * that runs forward.  false with err: a size has no value. */
typedef struct {
  as_node_id base;
  long origin;
  long stride[AS_MAX_RANK];
} as_block_place;

bool as_block_place_of(const as_block_ref *b, as_node_id tensor, as_block_place *out, as_err *err);
/* the number that a size is here; false with err */
bool as_block_size(const as_block_ref *b, as_size s, long *out, as_err *err);
#endif
