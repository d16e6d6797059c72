/* Denotations: what a value is at each hardware position.  Included by verify/threads only. */
#ifndef AS_THREADS_DEN_H
#define AS_THREADS_DEN_H
#include "../../src/threads/core/graph.h"
#include "block.h"

#define AS_MAX_INDEX 24

/* At hardware position h the value is the fold (kind) over v in span(folded) of term(lay(h) + v),
 * where `folded` lies along one axis.  Not partial: it is term(lay(h)). */
typedef struct {
  as_poly term;
  as_lay lay; /* (reg, lane, warp, s) -> the axes that the value depends on */
  bool partial;
  bool filled;       /* partial; beyond the live part of `axis` it is the unit of `kind` */
  as_atom_kind kind; /* of the fold under way: SUM or MAX */
  char axis[AS_LAY_NAME];
  unsigned n_folded;
  uint32_t folded[32];
  bool over_loop; /* the fold also runs over the iterations, rescaled with `run` */
  as_poly run;
  int old;        /* a state before its update in this iteration: which; -1 none */
  as_lay old_map; /* register -> the state's register; lay is not known before the update */
} as_den;

typedef struct { /* an accumulator */
  bool is;
  int depth; /* 0: begun outside of loops */
  as_tg_fold fold;
  unsigned bits;
  bool added; /* in this iteration */
  bool done;  /* read at its own level: nothing may be added */
  bool closed;
  bool scaled;
  as_poly begin; /* of a maximum, in blocks that leave iterations out; AS_POLY_NONE: -infinity */
  as_poly scale_run;
  as_lay scale_lay;
  as_lay scale_map;
} as_den_state;

typedef struct { /* what a buffer that loads fill holds: offset -> tile index */
  bool is;
  bool boxes; /* filled by bulk copies of boxes only */
  unsigned tile;
  as_lay content;
} as_den_ring;

#define AS_DEN_PARTS 32

typedef struct { /* what was stored into a part of an exchange buffer */
  int buf;
  int type; /* of what was stored */
  uint32_t base;
  as_span span;
  unsigned n;
  uint32_t place[AS_LAY_BITS]; /* independent offsets, and the positions that wrote them */
  uint32_t position[AS_LAY_BITS];
  as_den den;
} as_den_region;

typedef struct {
  const as_tg *g;
  const as_isa *isa;
  const as_block_ref *b;
  as_terms *t;
  const char *why; /* the condition that failed */
  char index_name[AS_MAX_INDEX][AS_LAY_NAME];
  unsigned index_bits[AS_MAX_INDEX];
  long index_live[AS_MAX_INDEX];
  unsigned n_index;
  as_poly tile_term[12];
  as_poly want[12]; /* of outputs */
  unsigned stored[12];
  as_den_ring ring[16];
  as_den_region *region;
  unsigned n_region;
  unsigned n_value;
  as_den *val;
  bool *known;
  as_den_state *state;
  const as_tg_op **owner;
  int *level;
  int *type; /* -1 unknown */
  long grid[3];
  bool *runs; /* by number of iterations: some block runs so many */
} as_algebra;

/* one rejection, one line; the function gives false */
#define ENSURE(A, why_not, condition)                                                              \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      if (!(A)->why)                                                                               \
        (A)->why = (why_not);                                                                      \
      return false;                                                                                \
    }                                                                                              \
  } while (0)

int as_den_index(const as_algebra *A, const char *axis); /* -1 unknown */
/* the value whose register r is x's register map(r) */
bool as_den_at_regs(as_algebra *A, const as_den *x, const as_lay *map, as_den *out);
/* x folded over further directions (flat images under x's layout); lay: the layout afterwards */
bool as_den_fold(as_algebra *A, const as_den *x, as_atom_kind kind, const uint32_t *dir, unsigned n,
                 const as_lay *lay, as_den *out);
/* nothing of it is folded yet */
as_den as_den_all(as_poly term, const as_lay *lay);
/* after a loop that added to them, outer accumulators hold the sum over the iterations */
bool as_den_close(as_algebra *A);
/* reg, lane, warp, s in this order */
as_lay as_den_order(const as_lay *l);
/* element map of accesses of 2^vec elements: register bits are the elements', then u's; axis NULL:
 * the only output */
bool as_den_vector(as_algebra *A, const as_lay *l, unsigned vec, const char *axis, as_lay *out);
/* the map on the lanes and warps that take part: those whose masked bits are 0 */
as_lay as_den_active(const as_lay *l, int lanes, int warps);
/* tiles.c: the tiles are the block graph's loads and stores (condition 1) */
bool as_den_tiles(as_algebra *A, as_err *err);
/* loads.c: each load fills its buffer (condition 2) */
bool as_den_loads(as_algebra *A);
/* algebra.c: the pass over the operations (conditions 3 to 10) */
bool as_den_run(as_algebra *A);
/* products.c: condition 5 */
bool as_den_mma(as_algebra *A, const as_tg_op *op, unsigned steps, const as_den *a, const as_den *b,
                unsigned acc_bits, as_den *out);
/* scalar.c: is the value's type one of floating point? */
bool as_den_floating(const as_algebra *A, int v);
/* places.c: whole numbers of places (condition 20); *out: term and layout */
bool as_den_index_value(as_algebra *A, const as_tg_op *op, bool in_loop, as_den *out);
/* places.c: is what an expression chooses by a whole number, as `index` makes them? */
bool as_den_choices(as_algebra *A, const as_tg_op *op, const as_tg_expr *e);
/* places.c: is an expression one of whole numbers, all of whose parts are small?  most: of its
 * arguments */
bool as_den_whole(const as_tg_expr *e, const double *most, unsigned n);
/* loop.c: has the loop operations beside copies and synchronisation? */
bool as_loop_computes(const as_tg_op *loop);
/* loop.c: what a loop's warps execute is theirs; a barrier of all is one only if there are no
 * others */
bool as_loop_one_executor(as_algebra *A, const as_tg_op *in, char who);
/* loop.c: does an operation name what a product accumulates into, or write what it reads? */
bool as_loop_meets(const as_tg_op *before, const as_tg_op *product);
/* places.c: condition 22: what `sure` asks, as a term */
bool as_den_bound(as_algebra *A, const as_tg_op *sure, bool in_loop, as_poly *out);
/* places.c: condition 22: where the bound is not negative each choice of the expression is of that
 * side, and nothing else of it is a place */
bool as_den_sure(as_algebra *A, const as_tg_op *op, const as_tg_expr *e, const as_tg_op *sure,
                 as_poly bound);
/* cut.c: condition 21: how many iterations blocks run is a number that can be told */
bool as_cut_counts(as_algebra *A);
/* cut.c: condition 21: iterations that blocks leave out change no accumulator of the loop, and
 * where none are left out nothing stands for them */
bool as_cut_loop(as_algebra *A, const as_tg_op *loop);
/* cut.c: as_flight_validate and as_schedule_validate for each number of iterations that occurs */
bool as_cut_schedules(const as_algebra *A, const char **why);
/* scalar.c: a scalar function, other than a choice, of these terms; AS_POLY_NONE: it has no value
 */
as_poly as_den_apply(as_terms *t, as_tg_scalar op, as_poly x, as_poly y);
/* scalar.c: an expression whose arguments are these terms; AS_POLY_NONE: it has no meaning */
as_poly as_den_scalar(as_algebra *A, const as_tg_expr *e, const as_poly *arg, unsigned n);
/* products.c: an operand in registers as a matrix: (indices of the instruction's operand, u, warp,
 * s) -> indices of the term */
bool as_den_fragment(as_algebra *A, const as_den *x, const as_lay *fragment, const as_lay *group,
                     unsigned steps, as_lay *out);
/* products.c: the product of two matrices (indices of the instruction, u, warp, s) -> indices of
 * the term, accumulated in the registers that the instruction's result and gc say */
bool as_den_product(as_algebra *A, const as_isa_row *row, const as_lay *gc, as_poly term,
                    const as_lay *first, const as_lay *second, as_den *out);
/* group.c: where an operand of a warpgroup's product lies: its indices -> offset in elements behind
 * the start, swizzled; *bits: the offset's bits that they move before the swizzle.  false: a layout
 * that no descriptor names */
bool as_group_place(const as_isa_row *row, bool second, long lead, as_lay *place, uint32_t *bits);
/* group.c: condition 16; held: the first operand where it lies in registers, else NULL */
bool as_den_wgmma(as_algebra *A, const as_tg_op *op, const as_den *held, bool in_loop,
                  unsigned acc_bits, as_den *out);
/* flight.c: condition 17: registers of products under way; why as above */
bool as_flight_validate(const as_tg *g, const char **why);
/* schedule.c: conditions 11 to 15 and 18, for each number of iterations that some block runs; why
 * as above */
bool as_schedule_validate(const as_tg *g, const as_isa *isa, const bool *runs, const char **why);
/* loads.c: a chunk of 2^vec elements along the axis never starts at an odd place */
bool as_den_aligned(as_algebra *A, const as_tg_tile *t, const char *axis, unsigned vec);
/* an access leaves out the padding of its tile, and nothing else */
bool as_den_pred_is_padding(as_algebra *A, const as_tg_tile *t, const long *pred);
#endif
