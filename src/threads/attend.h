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
#define AS_ATTEND_ELEMENTS 8
#define AS_ATTEND_DEEPEST 8 /* folds in each other */

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

typedef struct { /* an element from memory that a weight is made of: of a mask, a bias */
  uint32_t atom;
  as_node_id load;
} as_attend_element;

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
  unsigned n_element; /* loads of one element a row and key, under different names of its indices */
  as_attend_element element[AS_ATTEND_ELEMENTS];
  as_poly run; /* the running maximum, AS_POLY_NONE: there is none */
  uint32_t run_atom;
  as_poly compared; /* what it is the maximum of */
  unsigned n_sum;
  as_attend_sum sum[AS_ATTEND_SUMS];
  unsigned n_store;
  as_attend_store store[AS_ATTEND_STORES];
} as_attend;

typedef struct { /* a product by warpgroups: rows in registers, the rest in the ring */
  const as_isa_row *row;
  const as_plan_axis *column;
  const as_plan_axis *summed;
  const as_ring_stream *stream;
  unsigned covered; /* bits of the column axis in one instruction */
  long lead;        /* bytes between panels */
} as_attend_group_product;

typedef struct {
  as_attend T;
  as_plan *p;
  as_tg *g;
  const as_isa_row *row; /* the instruction */
  unsigned warps;        /* bits, along the rows */
  unsigned copies;       /* bits: fragments along the rows that a warp keeps */
  as_lay query;          /* (reg, lane, warp) -> (row, depth) */
  as_lay keys;           /* -> (depth, key) */
  as_lay score;          /* -> (row, key) */
  as_lay weight;         /* the score as operand of the second product */
  as_lay values;         /* -> (key, column) */
  as_lay result;         /* -> (row, column) */
  as_ring_stream stream[2];
  bool group; /* products of warpgroups, the first operand in registers */
  bool fits;  /* in registers; handed: if warps that only copy hand theirs over */
  bool fits_handed;
  bool shares; /* the multiprocessor with other blocks: nothing is handed over */
  as_attend_group_product score_group;
  as_attend_group_product result_group;
  int score_value; /* values of the thread graph */
  int old_factor;
  int result_value[AS_ATTEND_SUMS];
  int maximum;
  int element_value[AS_ATTEND_ELEMENTS];  /* of the first element of each load, and .. */
  as_lay element_map[AS_ATTEND_ELEMENTS]; /* .. its register for each register of the score */
  unsigned n_place;                       /* values that are numbers of places */
  as_tg_expr *left_out; /* what iterations that blocks leave out would add to the maximum */
} as_attend_builder;

/* attend_group.c: are there products of warpgroups for both?  They need rows of 64 times a power
 * of two, one fragment a warp, and tiles as bulk copies lay them */
bool as_attend_group(as_attend_builder *B);
/* a stage is given back one iteration late: does the ring leave more than one to fetch into? */
bool as_attend_group_has_stages(const as_attend_builder *B);
/* The scores of an iteration are there; products of the one before's weights and values are issued
 * behind them, and run beside what is made of the scores.  operand: by sum */
void as_attend_group_scores(as_attend_builder *B, as_tg_op *in, int score, int query,
                            const int *operand);
/* these products are over, and their stage is given back */
void as_attend_group_land(as_attend_builder *B, as_tg_op *in);
void as_attend_group_end(as_attend_builder *B);
/* attend_cut.c: the graph's limit, if blocks may leave out their last iterations as wholly masked
 */
void as_attend_cut(as_attend_builder *B);
/* attend_cut.c: how many blocks go through their keys together, before shorter ones begin */
void as_attend_order(as_attend_builder *B);
/* attend_cut.c: where what is computed of a term goes: into `in`, or into a part of it that asks
 * once for all of a tile which side a choice takes */
as_tg_op *as_attend_sure(as_attend_builder *B, as_tg_op *in, as_poly term);
/* attend_plan.c; false with p->why */
bool as_attend_read(as_plan *p, as_attend *out);
/* attend_load.c: elements of masks and biases, where the scores lie.  The first element of the same
 * load; bytes for each score that they take in registers; their loads in an iteration, ahead of all
 * that waits: false with p->why */
unsigned as_attend_element_first(const as_attend *T, unsigned element);
double as_attend_element_bytes(const as_attend_builder *B);
bool as_attend_elements(as_attend_builder *B, as_tg_op *in);
/* attend.c: the tile of a load that is read at rows and keys; a name for a value; the live extents
 * of axes that are padded, 0 of others */
bool as_attend_tile(as_attend_builder *B, as_node_id load, unsigned *out);
int as_attend_value(as_attend_builder *B, const char *stem, unsigned i);
void as_attend_padding(const as_tg_tile *t, long *pred);
#endif
