/* Values: tensors as element-level definitions with concrete extents.  Every operator body becomes
 * values of two kinds only: a map (an expression without reductions) and a reduction (one fold of
 * an expression); nothing below knows an operator by its name.  Used by all of src/lower. */
#ifndef AS_LOWER_VALUE_H
#define AS_LOWER_VALUE_H
#include "../ir/graph.h"
#include "../target/target.h"
#include "lx.h"
#include "src/base/dtype.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum { LV_GLOBAL, LV_LOAD, LV_MAP, LV_RED, LV_ACC, LV_RUN, LV_CONST } lv_kind;

typedef enum { LO_PRE, LO_BODY, LO_POST } lo_phase; /* before the loop, in it, after it */

typedef enum {
  LP_INLINE,
  LP_SMEM,
  LP_FRAG,  /* in the fragments of the tensor cores */
  LP_LANES, /* partial sums in the lanes that reduce */
  LP_GLOBAL
} lo_place;

/* LG_PART: elements of another tensor in memory */
typedef enum { LG_INPUT, LG_OUTPUT, LG_WORK, LG_PART } lo_buffer_class;

typedef enum { LL_PLAIN, LL_PAD, LL_SWIZZLE } lo_order;

/* A tensor in shared memory: rows of the last axis; row r, column c at r*row_stride + c, the column
 * with its 16-byte chunk swizzled where the order says so. */
typedef struct {
  int elem; /* bytes: 2 or 4 */
  as_dtype type;
  lo_order order;
  long row_stride;
  long rows;
  int swizzle_shift;
  int swizzle_mask;
  long bytes;  /* of one stage */
  int stages;  /* ring depth; 1 otherwise */
  int slabs;   /* partial results to be summed when read (matmul split over K) */
  long offset; /* set by memplan */
  int live_from;
  int live_to; /* levels, for memplan */
  bool used;
} lo_smem;

/* A sum of products on tensor cores: C[batch, u, v] = sum(k) A[batch, u, k] B[batch, v, k]. */
typedef struct {
  bool on;
  uint32_t a_value;
  uint32_t b_value; /* operands (values in shared memory, 16 bit) */
  lx *a_read;
  lx *b_read; /* the REF nodes: each index a variable of C, k (numbered `rank`) or an integer, no
                 variable twice */
  int n_batch_axis;
  int n_row_axis;
  int n_column_axis;
  int batch_axis[AS_MAX_RANK];
  int row_axis[AS_MAX_RANK];
  int column_axis[AS_MAX_RANK]; /* axes of C */
  long batches;
  long rows;
  long columns;
  long depth; /* extents, multiplied; depth is k's */
  as_dtype type;
  bool swap; /* rows of the fragment are columns of C */
  int warps_batch;
  int warps_rows;
  int warps_columns;
  int warps_depth; /* warps over batch, row tiles, column tiles, steps of k */
  int tiles_batch;
  int tiles_rows;
  int tiles_columns; /* tiles a warp keeps */
  bool a_by_ldmatrix;
  bool b_by_ldmatrix;
  bool a_depth_last;
  bool b_depth_last;
} lo_mma;

typedef struct {
  lv_kind kind;
  const char *name;
  int rank;
  long dim[AS_MAX_RANK];
  uint32_t live_dim[AS_MAX_RANK]; /* rows of extents that depend on sizes left to run time; 0: as
                                     `dim` */
  lx *body;                       /* MAP, RED (the reduced variable has the number `rank`) */
  lo_red red;
  as_rounding rounding;       /* RED: how its factors may be taken */
  long extent;                /* RED: terms */
  uint32_t extent_live;       /* row of how many of them there are, 0: all */
  uint32_t source;            /* LOAD: the tensor read; LG_PART: the tensor that it is a part of */
  long origin;                /* LG_PART: place of element 0 in that tensor, in elements */
  long stride[AS_MAX_RANK];   /* LG_PART: elements of that tensor between neighbours */
  int grid_axis[AS_MAX_RANK]; /* LOAD: per axis the grid axis that divides it, of several the last,
                                 which counts tiles fastest; -1 none */
  uint8_t slower_axes[AS_MAX_RANK]; /* LOAD: the others, as bits */
  bool by_loop[AS_MAX_RANK];        /* LOAD: per axis whether the loop divides it */
  uint32_t cut[AS_MAX_RANK]; /* LOAD: per axis the row of how the last tile is cut off, 0: not */
  as_acc_kind acc;
  uint32_t of;       /* ACC: what is accumulated; RUN: the accumulator */
  uint32_t run;      /* ACC: the max accumulator whose running value rescales */
  int axis;          /* ACC: of a concatenation */
  double num;        /* CONST */
  uint32_t num_live; /* CONST: the number is this row; 0: it is `num` */
  long numerator;    /* CONST: `num` exactly, where the denominator is not 0 */
  long denominator;
  as_dtype dtype;
  lo_buffer_class buffer_class;
  uint32_t buffer_index;
  long work_offset; /* GLOBAL */
  lo_phase phase;
  uint32_t unit;
  /* decided by fuse.c and later */
  lo_place place;
  lo_smem shared;
  lo_smem shared16;
  bool need16; /* a 16-bit copy for the tensor cores beside (or instead of) the value itself */
  bool need32; /* its own value is read from shared memory */
  lo_mma mma;
  lo_smem alpha;
  bool need_alpha; /* max accumulator: exp(old - new) for those it rescales */
  uint32_t uses;
  bool live;
  bool through;       /* MAP: nowhere in memory; written out where it is read (through.c) */
  uint32_t fused_acc; /* RED: accumulator updated where the reduction ends (UINT32_MAX none) */
  int level;          /* within its phase, at which it is made; -1: before */
  int level16;        /* the same of its 16-bit copy */
  int group; /* lanes per output of a reduction; above 32: warps join through shared memory */
} lo_value;

long lo_elems(const lo_value *value); /* product of the extents */
/* the last axis along which there is more than one element; -1: there is none */
int lo_last_axis(const lo_value *value);
/* In memory, do all rows of the last axis begin at multiples of so many bytes, element beside
 * element? */
bool lo_rows_aligned(const lo_value *tensor, long elem, long bytes);
const char *lo_dtype_name(as_dtype type); /* as the prelude's functions end */
#endif
