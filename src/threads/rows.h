/* Blocks without products: what the lowering knows of their axes, and where values lie.  Included
 * by src/threads/rows*.c only. */
#ifndef AS_THREADS_ROWS_H
#define AS_THREADS_ROWS_H
#include "lowering.h"
#include "src/base/id.h"

#define AS_ROWS_AXES 6
#define AS_ROWS_VALUES 48
#define AS_ROWS_LOADS 10
#define AS_ROWS_WARP_BITS 4
#define AS_ROWS_PENDING 16

typedef struct { /* one bit of an axis */
  unsigned axis;
  unsigned bit;
  bool used; /* false: nothing depends on this place */
} as_rows_place;

typedef struct {
  uint32_t atom;
  as_node_id node; /* of a load, AS_NONE else */
  int v;
  uint32_t axes; /* bit set */
  as_dtype type;
} as_rows_value;

typedef struct { /* a load, and the axis at each of its places */
  as_node_id node;
  int axis[AS_MAX_RANK]; /* -1: of extent 1 */
  unsigned rank;
} as_rows_read;

typedef struct {
  uint32_t atom;
  unsigned axis;
} as_rows_fold;

typedef struct { /* where a partial fold lies in shared memory while warps exchange it */
  unsigned buffer;
  unsigned bits;
  uint32_t kept; /* axes of the result */
  unsigned over;
  unsigned warp_bits; /* of the folded axis */
  as_tg_fold how;
} as_rows_exchange;

typedef struct { /* a fold of the wave that is being made: its registers are folded */
  uint32_t atom;
  int v;
  as_rows_exchange exchange;
} as_rows_pending;

typedef struct {
  as_plan *p;
  as_tg *g;
  unsigned section; /* which one of the block's */
  unsigned n_store; /* results of one shape */
  as_node_id store[AS_PLAN_STORES];
  as_poly want[AS_PLAN_STORES];
  unsigned n_axis;
  unsigned n_out; /* the first ones are the output's */
  as_plan_axis axis[AS_ROWS_AXES];
  unsigned n_read;
  as_rows_read load[AS_ROWS_LOADS];
  unsigned n_fold;
  as_rows_fold fold[AS_ROWS_VALUES];
  unsigned n_value;
  as_rows_value val[AS_ROWS_VALUES];
  unsigned n_pending;
  as_rows_pending pending[AS_ROWS_PENDING];
  unsigned n_reg;
  as_rows_place reg[AS_LAY_BITS];
  as_rows_place lane[5];
  as_rows_place warp[AS_ROWS_WARP_BITS];
  unsigned col;      /* the axis along which neighbours lie in memory */
  unsigned col_regs; /* its lowest bits that are register bits */
} as_rows;

typedef struct as_rows_scope { /* the axis that an index stands for */
  int32_t index;
  unsigned axis;
  const struct as_rows_scope *outer;
} as_rows_scope;

/* the axis that an index stands for; -1 none */
int as_rows_axis_of(const as_rows *R, const as_rows_scope *s, int32_t index);
typedef bool as_rows_visit(as_rows *R, uint32_t id, const as_atom *a, const as_rows_scope *s);
/* visits the loads and folds that an expression is made of, not what is inside of folds; false as
 * soon as `visit` is */
bool as_rows_leaves(as_rows *R, as_poly x, const as_rows_scope *s, as_rows_visit *visit);
/* rows_axes.c: the axes of the result, of its loads and of its folds; false with p->why */
bool as_rows_read_axes(as_rows *R);
#endif
