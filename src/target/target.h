/* The GPUs that Assay plans for: one row each (target.c), read by the search (cost, tilings), the
 * lowering, the emulation and the CUDA compiler's command line.  A number that describes a GPU
 * stands here and nowhere else.  May include: base. */
#ifndef AS_TARGET_H
#define AS_TARGET_H
#include "src/base/err.h"
#include <stdbool.h>
#include <stdint.h>

/* Families of instructions that emitted text may use. */
typedef enum {
  AS_HAS_CP_ASYNC = 1 << 0, /* copies from global to shared memory that are waited for later */
  AS_HAS_LDMATRIX = 1 << 1, /* 8x8 fragments of 16-bit elements from shared memory */
  AS_HAS_MMA16 = 1 << 2,    /* mma.m16n8k16 of f16 and bf16 with f32 accumulators */
  AS_HAS_FP8 = 1 << 3,      /* mma of 8-bit floating point */
  AS_HAS_TMA = 1 << 4,      /* bulk tensor copies and their barriers */
  AS_HAS_WGMMA = 1 << 5,    /* products issued by four warps together */
  AS_HAS_CLUSTER = 1 << 6,  /* blocks that reach each other's shared memory */
  AS_HAS_TF32 = 1 << 7      /* mma.m16n8k8 of f32 operands rounded to 11 bits of significand */
} as_target_has;

/* May a matrix product alone be a call of the vendor's library instead of a kernel of ours? */
typedef enum {
  AS_LIBRARY_NEVER,
  AS_LIBRARY_AUTO,  /* where the cost model expects it to be faster */
  AS_LIBRARY_ALWAYS /* where it is one */
} as_library_use;

#define AS_LIBRARY_WORDS "auto,never,always" /* as options take them */

/* How factors of f32 products may be taken apart for tensor cores, which see eleven bits of each.
 */
typedef enum {
  AS_ROUND_NEVER,
  AS_ROUND_TF32,     /* rounded to eleven bits */
  AS_ROUND_IN_PARTS, /* two parts of eleven bits each, of whose four products the least is left out
                      */
  AS_ROUND_AUTO      /* in parts where as_target_prefers_parts, else rounded */
} as_rounding;

/* The cost model's constants of kernels that are printed from thread graphs (search/cost_threads.c
 * says how they are used); units as below. */
typedef struct {
  double dram;         /* drawn by all multiprocessors together, from memory */
  double l2;           /* the same, from the second-level cache */
  double mp_bandwidth; /* drawn by one multiprocessor */
  double latency_us;   /* of a first byte */
  double narrow_rows;  /* what reading rows of 32 bytes takes, over rows of 64 and more */
  /* streaming products */
  double stream_launch_us;
  double stream_short_us; /* the same where all tiles of the loop are asked for at once */
  double stream_step_us;  /* of an iteration: barriers, and .. */
  double stream_flop_us;  /* .. what its longest chain of products takes, by operation */
  double stream_block_us; /* .. for each block that shares the multiprocessor */
  double stream_flops;    /* of one multiprocessor */
  double warpgroup_flops; /* the same, of the only product of a block, by warpgroups */
  /* chained products */
  double chain_launch_us;
  double chain_step_us; /* of an iteration: maxima, exponentials, and .. */
  double chain_key_us;  /* .. for each key of the tile */
  double chain_flops;   /* of one multiprocessor */
  double group_one;     /* an iteration by a warpgroup over one by its warps, one a block .. */
  double group_more;    /* .. and where several of a block wait for the same tiles */
  double
      delayed_flops; /* of one multiprocessor, where values are multiplied one iteration late .. */
  double delayed_us; /* .. and what an iteration takes beside products */
  /* rows */
  double rows_launch_us;
  double rows_block_us; /* of a block that another makes room for */
  double rows_elements; /* of one multiprocessor */
  double rows_crowded;  /* time by the share of the registers that the elements in flight take */
} as_target_threads;

/* Memory in bytes, rates in bytes, operations or elements a microsecond, times in microseconds. */
typedef struct {
  const char *gpu;  /* the name of the row */
  const char *arch; /* as nvcc's -arch takes it */
  const char *also; /* another name of the architecture that is accepted, or NULL */
  unsigned has;     /* of as_target_has */
  bool fitted;      /* the model's constants come from measurements on this GPU; otherwise they are
                       scaled from its data sheet */

  /* limits */
  uint32_t multiprocessors;
  uint32_t warp;             /* lanes */
  uint32_t warps_mp;         /* resident on a multiprocessor */
  uint32_t blocks_mp;        /* resident on a multiprocessor */
  uint32_t threads_block;    /* at most */
  uint32_t registers_mp;     /* of 32 bits */
  uint32_t registers_thread; /* at most */
  long shared_mp;
  long shared_block;    /* at most, when the kernel asks for it */
  long shared_unasked;  /* what a kernel has without asking */
  long shared_reserved; /* taken by the system from each block's share of shared_mp */
  int64_t grid[3];      /* blocks along x, y, z at most */
  long l2_bytes;
  double dram_peak; /* data sheet */

  /* choices of the lowering */
  uint32_t block_warps; /* of a block, where nothing else is asked for */
  long ring_shared;     /* tiles in flight, of blocks that share a multiprocessor */
  long ring_alone;      /* the same, where there are no more blocks than multiprocessors */
  uint32_t ring_stages; /* at most */

  /* the cost model's constants (search/cost.c says how they are used) */
  double dram;          /* drawn by all multiprocessors together, from memory */
  double l2;            /* the same, from the second-level cache */
  double mp_bandwidth;  /* drawn by one multiprocessor */
  double tile_flops;    /* of one multiprocessor inside a kernel, on tensor cores */
  double tile_elements; /* of one multiprocessor inside a kernel, element by element */
  double tile_alone;    /* of that the share which the warps of one block alone reach */
  double tile_flops32;  /* the same of sums of products of 32-bit operands */
  double scalar_flops;  /* of one multiprocessor: f32 multiply-adds of all lanes at boost clock,
                           two operations each (data sheet) */
  double launch_us;
  double latency_us; /* of a first byte from memory */
  double step_us;    /* of a phase between barriers */
  as_target_threads threads;

  /* matrix products alone: operations a microsecond of the whole GPU */
  double library_flops16; /* the library's, of 16-bit operands */
  double library_flops32; /* the same of 32-bit operands, without TF32 */
  double product_flops32; /* at most, of kernels of ours with 32-bit operands */
  long library_workspace; /* bytes that the library is given to work in */
  as_library_use library; /* what was asked for: as_target_using */

  /* contractions on tensor cores whose factors are rounded to TF32 */
  double tf32_flops;       /* of one multiprocessor, by products of single warps */
  double tf32_group_flops; /* the same by warpgroups; 0: there are none */
  double shared_bandwidth; /* of one multiprocessor's shared memory */
  double issues;           /* instructions of warps that a multiprocessor issues */
  const char *rounded;     /* operators of which they may be, as as_target_rounding was told */
} as_target;

/* A fold over windows where each thread has a tile of results (src/lower/window.h). */
typedef struct {
  double bytes;        /* through memory, each tensor once */
  double lines;        /* cache lines of 128 bytes that the reads and stores of warps touch */
  double instructions; /* of all warps */
  double registers;    /* of a thread */
  double threads;
} as_windowed;

/* microseconds, to compare tiles by */
double as_target_window_us(const as_target *target, const as_windowed *work);

/* A matrix product alone, as the cost model sees it. */
typedef struct {
  double bytes;   /* of operands and result */
  double results; /* elements of the result */
  double work;    /* multiplications */
  double lanes;   /* operations of a kernel of ours over useful ones: extents that are padded */
  bool wide;      /* operands of 32 bits */
} as_target_product;

/* microseconds as a kernel of ours for the operator alone, and as a call of the library */
double as_target_product_us(const as_target *target, const as_target_product *product);
double as_target_library_us(const as_target *target, const as_target_product *product);
/* so many multiplications of 32-bit operands by kernels of ours take no less */
double as_target_wide_us(const as_target *target, double work);
/* the larger of two times that overlap in part */
double as_target_soft_max(double a, double b);

/* How chained products are shared among warps, and what they keep in registers. */
typedef struct {
  uint32_t warps;     /* each has rows of its own */
  uint32_t copies;    /* fragments of 16 rows a warp */
  uint32_t registers; /* of a thread, beside addresses */
  bool shares;        /* so few of them that blocks share a multiprocessor */
  bool fits;          /* false: ptxas would spill */
  bool fits_handed;   /* the same, if warps that only copy hand over registers */
} as_target_chained;

/* Registers of a thread, where a warpgroup that only copies hands over what it does not need. */
typedef struct {
  uint32_t compute;
  uint32_t copy;
} as_target_registers;

as_target_registers as_target_hand_over(const as_target *target, uint32_t compute_warps);

/* of a ring that chained products of warpgroups read: one that is given back late, and two to fetch
 * into beside the one that is read */
#define AS_TARGET_GROUP_STAGES 4

/* elements of a streaming product's tile at most: warps share it along k too, and a thread has 64
 * registers for what it sums (src/threads/stream.c) */
#define AS_TARGET_STREAM_ELEMENTS 8192

/* of the second-level cache what blocks that read the same tiles may count on */
#define AS_TARGET_L2_SHARE 0.7

/* rows, keys and columns of a tile, depth of the first product; extents are padded to powers of two
 * (rows, keys and depth to 16 at least).  element_bytes: of what is read from memory beside each
 * score; most_warps: 0: chosen. */
as_target_chained as_target_chain(double rows, double depth, double keys, double columns,
                                  double element_bytes, uint32_t most_warps);
/* Stages of a ring of tiles of `bytes` an iteration, by how many blocks there are: those that are
 * alone on a multiprocessor take more.  shared: bytes that a ring may take at most.  0: two stages
 * do not fit. */
uint32_t as_target_ring(const as_target *target, double blocks, double bytes, double trip,
                        long shared);

/* How elements of an operand come from memory to a shared tile. */
typedef enum {
  AS_FETCH_VECTOR,   /* 16 bytes at once */
  AS_FETCH_ELEMENT,  /* one by one, at places that follow each other */
  AS_FETCH_COMPUTED, /* one by one, each place computed and guarded: windows */
  AS_FETCH_DEPTH     /* 16 bytes at once along k, on tensor cores */
} as_target_fetch;

enum { AS_PATCH_COLUMNS = 4 };

/* C[batch, row, column] = sum(k) A[batch, row, k] B[batch, column, k], extents as elements. */
typedef struct {
  double batches;
  double rows;
  double columns;
  double depth;
  as_target_fetch fetch_rows;    /* of A */
  as_target_fetch fetch_columns; /* of B */
  bool may_split;                /* may parts of the depth be summed by blocks of their own? */
  bool packs_rows;               /* A is written anew in the order in which it is multiplied */
  bool in_parts;                 /* each product is three */
  uint32_t phases;     /* results that a thread keeps beside each other of one column; 0 as 1 */
  uint32_t warps;      /* of a block, on tensor cores; 0: chosen */
  uint32_t most_depth; /* of a slice, if some is not deeper; 0: any */
  /* of windows: what several taps read of the columns is brought at once, as a patch of memory */
  uint32_t taps;                /* that share one; 0: columns are copied tap by tap */
  double terms;                 /* of a tap */
  long patch[AS_PATCH_COLUMNS]; /* elements of one k for 64, 128, .. columns; 0: it is too large */
  bool by_vectors;              /* patches come in copies of 16 bytes, not of 4 */
} as_contraction;

/* A contraction by plain multiply-adds: a block makes a tile of the result in slices of k, a thread
 * keeps thread_rows x thread_columns accumulators.  Lanes of a warp stand side by side. */
typedef struct {
  uint32_t warps_rows;
  uint32_t warps_columns;
  uint32_t lanes_rows;     /* of the 32; the others are columns */
  uint32_t thread_rows;    /* 1, 2, 4, 8 or 12 */
  uint32_t thread_columns; /* 4 or 8 */
  uint32_t depth;          /* of a slice */
  uint32_t parts;          /* of the whole depth, which blocks sum apart */
  double us;               /* by the model, microseconds */
} as_target_simt;

/* The tile of least time by the model; extents of 0 count as such and give any tile. */
as_target_simt as_target_simt_tile(const as_target *target, const as_contraction *product);
uint32_t as_target_simt_threads(const as_target_simt *tile);
uint32_t as_target_simt_rows(const as_target_simt *tile);    /* of a block's tile */
uint32_t as_target_simt_columns(const as_target_simt *tile); /* of a block's tile */
/* blocks that a multiprocessor holds at a time; 0: the registers do not suffice for one */
uint32_t as_target_simt_resident(const as_target *target, const as_target_simt *tile);
/* elements from one k to the next in the shared tile of an operand with that extent */
long as_target_simt_pitch(uint32_t extent);
long as_target_simt_table(const as_target_simt *tile);  /* bytes of one operand's tables: four
                                                           integers for each k of two slices */
long as_target_simt_tables(const as_target_simt *tile); /* where they begin, behind the slices */
long as_target_simt_shared(const as_target_simt *tile); /* bytes, of both slices in flight */

/* A contraction on tensor cores: a block makes a tile of the result in slices of k that several
 * copies bring at a time, a warp keeps warp_rows x warp_columns accumulators.  Of products by
 * warpgroups the rows, which are packed, are read from shared memory by the tensor cores. */
typedef struct {
  bool by_groups;
  uint32_t warps_rows;
  uint32_t warps_columns;
  uint32_t warp_rows;    /* 16, 32 or 64; by groups a multiple of 8 up to 128 */
  uint32_t warp_columns; /* 32 or 64; by groups 16 or 32 */
  uint32_t depth;        /* of a slice */
  uint32_t stages;       /* slices in shared memory */
  bool in_parts;         /* rows are there twice */
  bool along_depth;      /* columns are copied along k */
  uint32_t taps;         /* slices of the rows in a stage, beside .. */
  long patch;            /* .. a patch of so many elements of each k; 0: columns tap by tap */
  double us;             /* by the model, microseconds */
} as_target_tf32;

/* The tile of least time by the model.  .us is infinite where there is none. */
as_target_tf32 as_target_tf32_tile(const as_target *target, const as_contraction *product);
/* Of products that may be taken either way: is it worth its time to take them in parts?  terms:
 * those that follow each other, channels of a convolution */
bool as_target_prefers_parts(const as_target_tf32 *rounded, const as_target_tf32 *in_parts,
                             double terms);
uint32_t as_target_tf32_threads(const as_target_tf32 *tile);
uint32_t as_target_tf32_rows(const as_target_tf32 *tile);    /* of a block's tile */
uint32_t as_target_tf32_columns(const as_target_tf32 *tile); /* of a block's tile */
/* blocks that a multiprocessor holds at a time; 0: not one */
uint32_t as_target_tf32_resident(const as_target *target, const as_target_tf32 *tile,
                                 uint32_t phases);
/* microseconds of a contraction of 32-bit operands at kernel level, by the faster kind of tiles;
 * rounds: how may its factors be taken? */
double as_target_contraction_us(const as_target *target, const as_contraction *product,
                                as_rounding rounds);
/* elements from one k to the next in the shared tile of the rows (0) or columns (1): lanes that
 * read together use different banks */
long as_target_tf32_pitch(const as_target_tf32 *tile, int side);
long as_target_tf32_slice(const as_target_tf32 *tile, int side); /* bytes, of one stage */
long as_target_tf32_shared(const as_target_tf32 *tile);          /* bytes, of all stages */

/* Rows are static: nothing to free. */
const as_target *as_target_default(void);
uint32_t as_target_count(void);
const as_target *as_target_at(uint32_t i);
/* By GPU or architecture, case aside (`H200`, `sm_90a`); of several GPUs of one architecture the
 * first.  NULL: no row; then err (may be NULL) lists the names there are (AS_BAD_INPUT). */
const as_target *as_target_find(const char *name, as_err *err);
/* The same GPU with the library used so; static like all rows. */
const as_target *as_target_using(const as_target *target, as_library_use use);

/* The same GPU where factors of sums of products that these operators make may be taken so: names
 * with commas between them, with `:3` behind those that may only be taken in parts (three
 * products), `:auto` behind those that are where that is expected to take little longer; NULL or
 * empty: of none.  Static like all rows. */
const as_target *as_target_rounding(const as_target *target, const char *operators);
/* how may those of this operator be taken? */
as_rounding as_target_rounds(const as_target *target, const char *operator_name);
/* A word of AS_LIBRARY_WORDS; false: none of them. */
bool as_library_use_find(const char *word, as_library_use *use);
const char *as_library_use_word(as_library_use use);
#endif
