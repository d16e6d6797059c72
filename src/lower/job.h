/* One lowering: the values of a graph grouped into units (one kernel each), and the passes over
 * them in order.  Used by all of src/lower. */
#ifndef AS_LOWER_JOB_H
#define AS_LOWER_JOB_H
#include "lower.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include "value.h"

#define LO_NONE UINT32_MAX

typedef struct {
  uint32_t val;
  uint32_t target;
  int grid_axis[AS_MAX_RANK]; /* and slower_axes as of a load */
  uint8_t slower_axes[AS_MAX_RANK];
  uint32_t cut[AS_MAX_RANK]; /* as of a load */
  lx *body;
  int level;
} lo_store;

typedef enum {
  LS_MAP,
  LS_MAP16,
  LS_RED,
  LS_MMA,
  LS_ACC,
  LS_FINISH /* lanes or fragments of an accumulator to shared memory */
} lo_stmt_kind;

typedef struct {
  lo_stmt_kind kind;
  uint32_t val;
  lo_phase phase;
  int level;
} lo_stmt;

typedef struct {
  const char *name;
  int n_grid;
  long grid[AS_MAX_RANK];
  as_size grid_size[3];
  uint32_t grid_live[3]; /* rows; 0: as `grid` says in every launch */
  as_size loop_size;
  uint32_t loop_live;
  long blocks; /* at the bounds of sizes left to run time */
  bool flat; /* one generated kernel over the elements of `flat_val`, straight from global memory */
  uint32_t flat_val;
  long flat_per_block;  /* results of it that a block computes */
  struct lo_simt *simt; /* of a flat unit: a contraction by register tiles (simt.h); NULL: none */
  bool has_epilogue;
  uint32_t epilogue;      /* of a contraction: the map of `flat_val` that is stored (epilogue.h) */
  struct lo_tf32 *tf32;   /* of a flat unit: a contraction on tensor cores (tf32.h); NULL: none */
  struct lo_sweep *sweep; /* of a flat unit: how it goes over memory (sweep.h); NULL: none */
  bool has_loop;
  long loop;
  uint32_t *val;
  uint32_t n; /* values in order of definition */
  lo_store *store;
  uint32_t n_store;
  lo_stmt *stmt;
  uint32_t n_stmt;
  int warps;
  int stages;
  int levels[3]; /* number of levels per phase */
  long smem;     /* bytes */
  int n_barrier;
  int n_mma;
  int n_ldmatrix;                    /* places in the text that issue one */
  struct as_threads_kernel *threads; /* made from a validated thread graph instead; NULL: not */
  struct lo_library_call *library;   /* no kernel of ours but a call (product.h); NULL: not */
  bool beside;                       /* one of several units that are one launch (beside.h) .. */
  bool goes_on;                      /* .. which the next one belongs to, too */
  uint32_t resident;    /* blocks that its text asks a multiprocessor to hold; 0: it does not */
  const char *launched; /* of the first of these: the name of all; else NULL */
  long begins;          /* of the others: the block of the launch that they begin with */
} lo_unit;

/* Tiles that lie side by side up to `whole`, where the last one is cut off: tile number
 * grid axis * rounds + iteration, of those that divide the axis.  Or an extent that is live
 * (live.h). */
typedef struct {
  as_size extent; /* as the graph says it; of a live one, by the sizes left to run time alone */
  uint32_t unit;  /* as numbered while the graph is expanded */
  long tile;
  long whole;
  uint32_t whole_live; /* row of the whole, 0: it is always the same */
  int grid_axis;       /* -1: none */
  bool by_loop;
  long rounds; /* of the loop; 1 where it does not divide the axis */
  bool live;
  long low;
  long high;        /* what a live extent is at least and at most */
  const char *text; /* of a live extent, in kernels */
} lo_cut;

/* a size of the muGraph that sizes left to run time determine */
typedef struct {
  as_size size;
  as_size is;
} lo_follower;

/* Where the tiles of an axis begin: tile number grid axis * rounds + iteration, of those that
 * divide it, times their extent. */
typedef struct {
  long tile;
  const char *number; /* text of the tile's number; in the job's arena */
  bool by_loop;
  long most; /* the axis' extent */
} lo_first;

typedef struct lo_job {
  as_arena *arena;
  const as_graph *graph;
  const as_lower_opts *options;
  int64_t *size_value; /* by size id; of those left to run time, the bounds; owned */
  uint32_t n_size_value;
  as_size *ranged; /* sizes left to run time, in the program's order */
  uint32_t n_ranged;
  lo_follower *follower;
  uint32_t n_follower;
  lo_value *value;
  uint32_t n_value;
  uint32_t value_cap;
  lo_unit *unit;
  uint32_t n_unit;
  uint32_t unit_cap;
  uint32_t *node_val; /* graph node -> value */
  as_vec cuts;        /* lo_cut */
  as_vec firsts;      /* lo_first */
  as_dtype type16;
  bool is16;                  /* the program's 16-bit type, when all its inputs have it */
  as_dtype *between;          /* by node: types of tensors between kernels */
  struct lo_meaning *meaning; /* of values, as the graph says (trial.h) */
  long workspace;
  long library_at;    /* bytes of it in front of the library's room */
  long library_bytes; /* of that room; 0: nothing is called */
  as_str notes;
  as_err *err;
} lo_job;

uint32_t lo_new_val(lo_job *job, lv_kind kind, const char *name, int rank, const long *dim);
/* does the unit's grid fit the target's?  false with job->err */
bool lo_check_blocks(lo_job *job, const lo_unit *unit);
/* the value of a size, which must not be negative; false with job->err */
bool lo_size_value(lo_job *job, as_size size, long *out);

/* cut.c: enters the axis of a tile that a load or store has, if its last tile is cut off; its row,
 * 0: none is.  tensor: what is loaded from or stored to.  false with job->err where the tiles do
 * not cover it */
bool lo_cut_axis(lo_job *job, const as_node *node, uint32_t unit, uint32_t axis, uint32_t tensor,
                 uint32_t *row);
const lo_cut *lo_cut_row(const lo_job *job, uint32_t row);
/* an extent as an integer, which may depend on the block and iteration; NULL with job->err */
lx *lo_extent(lo_job *job, as_size extent);
/* the text of what is left of a tile, or of a live extent; malloc'ed */
char *lo_cut_text(const lo_job *job, const lo_cut *cut);

/* index_tile.c: the tile of an index tensor (a value that is read through) or of a tensor of
 * integers that a load's axes say, as a map of the block, in its place; false with job->err */
bool lo_index_tile(lo_job *job, uint32_t load);
/* the text of where a tile begins, malloc'ed */
char *lo_first_text(const lo_first *first);

/* expand.c: from the graph to units of values */
bool lo_expand(lo_job *job);
/* contract.c: reads a sum of products as a matrix product; operands that are not plain tensors
 * become new values of the unit */
bool lo_contraction(lo_job *job, lo_unit *unit, uint32_t val);
/* tile.c: contractions at kernel level become block graphs */
bool lo_tile_units(lo_job *job);
/* per unit, in this order */
bool lo_fuse(lo_job *job, lo_unit *unit);
bool lo_mma_plan(lo_job *job, lo_unit *unit); /* warps and fragments of each matrix product */
bool lo_schedule(lo_job *job, lo_unit *unit);
bool lo_layout(lo_job *job, lo_unit *unit);
bool lo_memplan(lo_job *job, lo_unit *unit);
bool lo_emit_all(lo_job *job, as_lowered *out); /* emit_*.c: the text of all units */
const char *lo_route(const lo_unit *unit);      /* AS_ROUTE_.., once it is decided */
#endif
