/* Two products chained over a loop: scores of rows and keys, a function of them, values weighted by
 * it.  What a block says in this form, found by the shape of its terms.  Included by
 * src/threads/attend*.c only. */
#ifndef AS_THREADS_ATTEND_H
#define AS_THREADS_ATTEND_H
#include "lowering.h"
#include "src/base/id.h"

#define AS_ATTEND_SUMS 6
#define AS_ATTEND_STORES 4
#define AS_ATTEND_SCORES 8

typedef struct { /* a sum over keys and iterations */
  uint32_t atom;
  as_poly weight; /* of one row and key: an expression of the score and the running maximum */
  bool product;   /* times the value of the key: one result a column; else one a row */
  bool rescaled;
} as_attend_sum;

typedef struct {
  as_node_id node;
  as_poly want; /* rows are index AS_ATTEND_ROW, columns AS_ATTEND_COLUMN */
  int32_t row;  /* the store's own axes, AS_INDEX_ZERO: of extent 1 */
  int32_t column;
  bool has_column; /* false: one number a row */
} as_attend_store;

enum { AS_ATTEND_ROW = 1000, AS_ATTEND_COLUMN };

typedef struct {
  as_plan *p;
  as_plan_axis row;
  as_plan_axis key;
  as_plan_axis depth;
  as_plan_axis column;
  as_node_id query;
  as_node_id keys;
  as_node_id values;
  unsigned n_score; /* atoms that are the score, under different names of its indices */
  uint32_t score[AS_ATTEND_SCORES];
  as_poly run; /* the running maximum, AS_POLY_NONE: there is none */
  uint32_t run_atom;
  as_poly compared; /* what it is the maximum of */
  unsigned n_sum;
  as_attend_sum sum[AS_ATTEND_SUMS];
  unsigned n_store;
  as_attend_store store[AS_ATTEND_STORES];
} as_attend;

/* attend_plan.c; false with p->why */
bool as_attend_read(as_plan *p, as_attend *out);
#endif
