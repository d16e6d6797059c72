/* Inside the lowering to thread graphs.  Included by src/threads only. */
#ifndef AS_THREADS_LOWERING_H
#define AS_THREADS_LOWERING_H
#include "threads.h"

#define AS_PLAN_PRODUCTS 4
#define AS_PLAN_SIDES 4
#define AS_PLAN_FACTORS 4
#define AS_PLAN_STORES 4
#define AS_PLAN_INNER 2
#define AS_PLAN_TAILS 2

typedef struct { /* an index of the terms, as an axis of tiles */
  int32_t index;
  char name[AS_LAY_NAME];
  long extent;
  unsigned bits;
  bool padded;
} as_plan_axis;

/* sum over iterations of sum(k) weight[k, wide] * batch[batch, k] * scales[k]... */
typedef struct {
  uint32_t atom; /* of the term store */
  as_node_id weight;
  as_node_id batch;
  unsigned n_scale;
  as_node_id scale[AS_PLAN_FACTORS];
} as_plan_product;

/* sum over iterations of sum(k) of an expression in batch[batch, k] */
typedef struct {
  uint32_t atom;
  as_poly body; /* k is the plan's index */
} as_plan_side;

/* sum after the loop over p->inner_axis of an expression of sums over the loop, which have that
 * axis in the place of the wide one, and of loaded elements */
typedef struct {
  uint32_t atom;
  as_poly body;
} as_plan_tail;

typedef struct {
  const as_block_ref *b;
  as_terms *t;
  as_isa *isa;
  const as_threads_opts *o;
  unsigned n_store;
  as_node_id stores[AS_PLAN_STORES];
  as_poly wants[AS_PLAN_STORES];
  as_node_id store; /* the first */
  as_poly want;
  long trip;
  as_plan_axis wide;  /* an axis of weights and output */
  as_plan_axis batch; /* the other one of the output */
  as_plan_axis k;
  as_dtype type; /* of the 16-bit operands */
  as_node_id batch_load;
  bool alone;        /* a block takes all of a multiprocessor's shared memory */
  long least_stages; /* of a ring whose tiles are given back late, if they fit; 0: it asks for none
                      */
  bool short_loops;  /* a loop whose tiles fit in the ring all together gets a stage more: all are
                        asked for before the first is used */
  unsigned n_product;
  as_plan_product product[AS_PLAN_PRODUCTS];
  unsigned n_side;
  as_plan_side side[AS_PLAN_SIDES];
  as_plan_axis inner_axis; /* folded after the loop */
  unsigned n_inner;
  as_plan_product inner[AS_PLAN_INNER]; /* products with the inner axis as the wide one */
  unsigned n_tail;
  as_plan_tail tail[AS_PLAN_TAILS];
  char *why; /* why not */
} as_plan;

typedef struct { /* an index of the terms, and the axis of a layout that it stands for */
  int32_t index;
  const char *name;
} as_place_axis;

/* false: p->why says what does not fit */
bool as_plan_fail(as_plan *p, const char *why);
/* plan.c: the block's stores, what they say as terms, and the trip count */
bool as_plan_want(as_plan *p);
/* plan.c: reads what is stored as products, side accumulators and what follows them */
bool as_plan_read(as_plan *p);
/* plan.c: x, if it is one fold of this kind: its index, extent and what is folded */
bool as_plan_single_fold(const as_plan *p, as_poly x, as_atom_kind kind, as_poly *body,
                         int32_t *bound, long *extent);
/* plan.c: loads of a body that is one product of at most AS_PLAN_FACTORS; false: something else */
bool as_plan_factors(const as_plan *p, as_poly body, const as_atom **f, unsigned *n);
/* attend.c: the thread graph of a block of two chained products; NULL with p->why */
as_tg *as_plan_attend(as_plan *p);
/* stream.c: the thread graph of a plan; NULL with p->why */
as_tg *as_plan_stream(as_plan *p);

/* group.c: the same by products of warpgroups; NULL with p->why */
as_tg *as_plan_group(as_plan *p);

/* rows.c: the thread graph of a block without loop and products; NULL with p->why */
as_tg *as_plan_rows(as_plan *p);

/* finish.c: partial sums meet in shared memory, the rest of the expression, the store.  acc: (reg,
 * lane, warp) -> (wide, batch, wk); inner_acc: -> (inner, batch, wk), if there are inner products;
 * batch_lay: where the batch operand lies, for side sums */
bool as_stream_finish(as_plan *p, as_tg *g, const as_lay *acc, const as_lay *inner_acc,
                      const as_lay *batch_lay, unsigned k_warps, unsigned wide_warps);

/* finish.c: the rest of the expression where the accumulators lie, acc: (reg, lane, warp) -> (wide,
 * batch), all sums complete there; the only product's are named acc0 */
bool as_stream_finish_registers(as_plan *p, as_tg *g, const as_lay *acc);

/* places.c: v = the number of places that a condition compares, or that a place is; atom: one of
 * these; lay: (reg, lane, warp) -> axes of which it is; axis: those axes.  false: it has others */
bool as_place_value(as_plan *p, as_tg *g, as_tg_op *in, uint32_t atom, const as_lay *lay,
                    const as_place_axis *axis, unsigned n, int v);

/* expr.c: a term as an expression, by the operations that it was written with; `atoms` are the
 * arguments.  Of a condition the argument is the whole number that it compares.  NULL: it has
 * others, or was not written by operations */
as_tg_expr *as_term_expr(as_tg *g, as_terms *t, as_poly p, const uint32_t *atoms, unsigned n);

/* --- ring.c */
/* how many blocks a kernel has; false: a size without value */
bool as_ring_blocks(const as_plan *p, uint32_t block, long *out);
/* is what a block loads, or what that is a part of, an input of the program? */
bool as_ring_is_input(const as_plan *p, as_node_id load);
/* Is it worth its while to fetch inputs before tiles that the kernel before makes?  Where that is
 * short, and all its blocks begin at once. */
bool as_ring_is_early(const as_plan *p, uint32_t block);

typedef struct {
  as_lay content;   /* offset -> tile axes */
  as_lay place;     /* its inverse */
  unsigned swizzle; /* bytes of a row's panel, 0: not one of a bulk copy */
  unsigned row_bits;
  unsigned panel_bits;
  char row[AS_LAY_NAME];
  char col[AS_LAY_NAME];
} as_ring_tile;

/* rows of the contiguous axis, at most 128 bytes a panel, with the swizzle of that width; panels on
 * top.  false: the tile has not two axes, or its contiguous axis is too short */
bool as_ring_layout(const as_tg_tile *t, as_ring_tile *out);
/* chunks of 2^vec elements over threads, lanes first along a row; lanes, warps: masks of those that
 * have no part.  Only the axes of r are read. */
void as_ring_spread(const as_ring_tile *r, unsigned vec, unsigned warp_bits, as_lay *src,
                    int *lanes, int *warps);
void as_ring_copy(as_tg *g, as_tg_op *in, unsigned tile, unsigned buf, const as_ring_tile *r,
                  int ahead);
bool as_ring_can_bulk(const as_plan *p, const as_tg_tile *t, const as_ring_tile *r);
void as_ring_bulk(as_tg *g, as_tg_op *in, unsigned tile, unsigned buf, const as_ring_tile *r);

typedef struct { /* a tile that passes through the ring */
  unsigned tile;
  unsigned buf;
  as_ring_tile ring;
  as_node_id node;
} as_ring_stream;

bool as_ring_stream_new(as_plan *p, const as_tg *g, unsigned tile, as_node_id node,
                        as_ring_stream *out);
/* buffers of the streams, one after the other; the stages by how many blocks share a
 * multiprocessor */
bool as_ring_place(as_plan *p, as_tg *g, as_ring_stream *s, unsigned n);
/* the loop of a producer that fills the ring by bulk copies, with barriers full and empty */
void as_ring_produce(as_plan *p, as_tg *g, const as_ring_stream *s, unsigned n);
/* the end of an iteration of those who read the ring: their loads are over, the stage is empty */
void as_ring_give_back(as_tg *g, as_tg_op *in);

/* --- group.c */
typedef struct { /* an operand of a warpgroup's product that lies in a ring */
  const as_isa_row *row;
  const char *index; /* the instruction's, beside the one that is summed over */
  const as_plan_axis *axis;
  const as_plan_axis *summed;
  const as_ring_tile *ring;
} as_group_operand;

/* does the instruction read its operand `name` as bulk copies lay it?  *lead: bytes between panels
 */
bool as_group_reads(const as_group_operand *o, const char *name, long *lead);

/* --- select.c */
typedef struct {
  const as_isa_row *row;
  as_lay position; /* lane -> tile index of the row that the lane names */
} as_feed;

/* A fragment held in registers, fed from shared memory: fragment = content o addresses o load.
 * need: (reg, lane) -> tile axes.  Found by division; false: no matrix load of the target does it
 */
bool as_select_feed(const as_isa *isa, const as_lay *need, const char *contiguous, as_feed *out);

/* v = registers of an operand that lies as `need` says, by matrix loads from its ring tile; false
 * with p->why */
bool as_select_load(as_plan *p, as_tg *g, as_tg_op *in, const as_lay *need, unsigned buf,
                    const as_ring_tile *ring, int v);

/* ways of an instruction to compute sum(k) x[.., k] * y[k, ..]: operand `first` of the instruction
 * holds the wide operand (or the batch) */
typedef struct {
  const as_isa_row *row;
  bool wide_first;
  double cost; /* instructions times their cost, one k step over the whole tile */
} as_select_way;

bool as_select_product(const as_isa *isa, unsigned wide_bits, unsigned batch_bits, as_dtype type,
                       as_select_way *out);

/* --- tile.c: tiles of loads and stores */
/* the graph's tile for a load or store of the block, made if it is not there yet; axis[d]: what
 * axis d is, NULL for one of extent 1 */
bool as_plan_named_tile(as_plan *p, as_tg *g, as_node_id node,
                        const as_plan_axis *const axis[AS_MAX_RANK], unsigned *out);
/* the same for a streaming product, whose plan names the axes */
bool as_plan_tile(as_plan *p, as_tg *g, as_node_id node, unsigned *out);

/* emit.c; blocks: as in as_threads_opts */
char *as_threads_emit(const as_tg *g, const as_isa *isa, const as_block_ref *b,
                      const char *const blocks[2], const char *name, as_threads_address *address,
                      void *arg, char **arguments, char **before);
#endif
