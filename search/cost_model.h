/* The cost model at work: a graph, what its nodes do, and the sizes it is looked at with.
 * May include: search.h.  Private to cost*.c, tiling.c
 * and, for its bounds, partition.c. */
#ifndef AS_SEARCH_COST_MODEL_H
#define AS_SEARCH_COST_MODEL_H
#include "search.h"

typedef struct {
  as_size work;
  as_size reduced; /* elements that go into one result, over all definitions */
  bool contraction;
  bool products; /* a sum of products of two arguments, windows of them included */
  bool turns;    /* a tile seen with other axes, its last one not the argument's */
} sg_node_work;  /* work: body evaluations times reduction extents */

typedef struct {
  const as_graph *graph;
  const as_target *target;
  sg_node_work *works;
  bool wide;  /* 32-bit operands: in blocks no tensor cores multiply them */
  bool mixed; /* inputs of several types: what lies between kernels has 32 bits, and tensor cores
                 multiply in thread graphs alone */
  bool *is_index;    /* by node: an index tensor, which costs nothing where it is read */
  bool *is_none;     /* by node: of no kernel, as index tensors and parts, which are read in place;
                        NULL:  index tensors alone */
  as_dtype *between; /* by node: types in memory of tensors between kernels; NULL: as the nodes say,
                        which is the least that they take */
  int64_t *env;
  /* by which way each part is lowered, which it is priced by; NULL: as far as that is foreseen */
  const as_routes *routes;
  as_routes *priced; /* the ways that prices were taken of; NULL: not wanted */
} sg_cost_model;

/* elements of the tiles that a block of rows keeps in the registers of 16 warps */
#define SG_ROWS_ELEMENTS 32768.0

/* values of sizes, by size: those that the graph's table states, 1 where none is */
void sg_cost_set_env(sg_cost_model *model);
/* fills works and the values of sizes; sizes may be added */
void sg_cost_prepare(sg_cost_model *model);
bool sg_cost_is_contraction(const as_node *node);
double sg_cost_value(const sg_cost_model *model, as_size size);
double sg_cost_elements(const sg_cost_model *model, const as_node *node);
/* the type in memory of a tensor, or of the one that a tile is loaded from */
as_dtype sg_cost_type(const sg_cost_model *model, const as_node *node);
/* of a tensor in memory or a tile of one; 0 of index tensors and their tiles */
double sg_cost_bytes(const sg_cost_model *model, const as_node *node);
bool sg_cost_is_index(const sg_cost_model *model, const as_node *node);
void sg_cost_clear(sg_cost_model *model);
/* the larger of two times that overlap in part */
double sg_cost_soft_max(double a, double b);
/* cost_threads.c: microseconds of a block of so many blocks that is lowered to a thread graph;
 * negative: it is not, or not at these sizes, as far as that is foreseen.  is_one: that it is one
 * is known, and foreseen is only of which family.  *shared as below. */
double sg_cost_threads(const sg_cost_model *model, const as_block *block, double blocks,
                       bool is_one, double *shared);
/* cost_masks.c: of a block's iterations the share that blocks run in the mean, where they leave out
 * those that are masked altogether */
double sg_cost_iterations(const sg_cost_model *model, const as_block *block);
/* microseconds of one block graph, -1: does not fit; *shared: bytes of the largest block so far */
double sg_cost_block(const sg_cost_model *model, uint32_t which, double *shared);
double sg_cost_total(const sg_cost_model *model, double *shared);
/* cost_bound.c: what no kernel for some of a graph's operators takes less than */
typedef struct sg_bounds sg_bounds;
sg_bounds *sg_bounds_new(const as_graph *graph, const as_target *target);
void sg_bounds_free(sg_bounds *bounds);
/* op: the operators, in order; tensor: what they read and store, each once */
double sg_bounds_of(const sg_bounds *bounds, const uint32_t *op, uint32_t n, const uint32_t *tensor,
                    uint32_t n_tensors);
/* is there a sum, product, maximum or minimum over an index in it?  NULL: no */
bool sg_has_reduction(const as_expr *expr);
/* does the extent depend on a size that is left to run time, so that one tiling is for every value
 * up to the concrete one? */
bool sg_is_left_to_run_time(const as_sizes *sizes, as_size extent);
#endif
