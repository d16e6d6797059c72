/* How a product of strided tensors is asked of a library that knows matrices in column-major order
 * with a leading dimension, an operand transposed or not, and one batch of equal strides
 * (cuBLASLt's cublasLtMatmul, alpha 1, beta 0).  Sizes and strides are those of a table, so that
 * they may be left to run time.  Includes ir/size.  Used by product.c and its tests. */
#ifndef AS_LOWER_GEMM_H
#define AS_LOWER_GEMM_H
#include "src/ir/size.h"
#include <stdbool.h>

enum { LO_GEMM_MOST_AXES = 8 };

/* An axis of the result: its extent, and how many elements the next index is away in the left
 * operand, in the right one and in the result; 0 where the operand does not depend on it. */
typedef struct {
  as_size extent;
  as_size left;
  as_size right;
  as_size result;
} lo_gemm_axis;

/* result[axes] = sum over k < depth of left[axes, k] * right[axes, k] */
typedef struct {
  lo_gemm_axis axis[LO_GEMM_MOST_AXES]; /* strides of the result descend */
  int n_axis;
  as_size depth;
  as_size left_step; /* elements from one k to the next */
  as_size right_step;
} lo_gemm_product;

/* A matrix in memory: element (row, column) of member b of the batch at
 * row + column * leading + b * stride. */
typedef struct {
  bool transposed; /* rows and columns are those in memory, before that */
  as_size rows;
  as_size columns;
  as_size leading;
  as_size stride;
} lo_gemm_matrix;

/* D = op(A) op(B), `batches` times */
typedef struct {
  bool swapped; /* A is the right operand: the result's rows are the library's columns */
  as_size depth;
  as_size batches;
  lo_gemm_matrix a;
  lo_gemm_matrix b;
  lo_gemm_matrix d; /* never transposed */
} lo_gemm;

/* NULL: *call is the product for all values of the sizes at which no extent is 0; else why it
 * cannot be asked so.  at: values of the sizes, for what is not a number: a leading dimension must
 * have room for a column there, and whoever calls the library looks again. */
const char *lo_gemm_arrange(as_sizes *sizes, const int64_t *at, const lo_gemm_product *product,
                            lo_gemm *call);
#endif
