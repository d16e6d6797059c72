/* Inside lowering: tensors as element-level definitions with concrete extents ("values"), grouped
 * into units (one kernel each). Every operator body becomes values of two kinds only: a map (an
 * expression without reductions) and a reduction (one fold of an expression).  Nothing below knows
 * an operator by its name.  Included by src/lower only. */
#ifndef AS_LO_H
#define AS_LO_H
#include "lower.h"

/* --- expressions: integers (indices) and scalars in one kind of node, immutable, shared */
typedef enum {
  LX_INT,
  LX_VAR,
  LX_NUM,
  LX_REF,
  LX_ADD,
  LX_SUB,
  LX_MUL,
  LX_FDIV,
  LX_IDIV,
  LX_MOD,
  LX_NEG,
  LX_EXP,
  LX_LOG,
  LX_SQRT,
  LX_INV,
  LX_ABS,
  LX_MAX,
  LX_MIN,
  LX_CALL,
  LX_IF,
  LX_EQ,
  LX_NE,
  LX_LE,
  LX_LT,
  LX_AND,
  LX_OR,
  LX_NOT,
  LX_FOLD /* only while expanding: kid[0] body; var, i extent, red */
} lx_op;

typedef enum { LO_SUM, LO_PROD, LO_MAX, LO_MIN } lo_red;

typedef struct lx {
  lx_op op;
  bool integer;
  long i; /* INT value, VAR number, FOLD extent */
  int var;
  lo_red red;     /* FOLD */
  double f;       /* NUM */
  uint32_t val;   /* REF */
  const char *fn; /* CALL: built-in scalar function */
  int n;
  struct lx **kid;
} lx;

typedef enum { LV_GLOBAL, LV_LOAD, LV_MAP, LV_RED, LV_ACC, LV_RUN, LV_CONST } lv_kind;

typedef enum { LO_PRE, LO_BODY, LO_POST } lo_phase; /* before the loop, in it, after it */

typedef enum {
  LP_INLINE,
  LP_SMEM,
  LP_FRAG,
  LP_LANES,
  LP_GLOBAL
} lo_place; /* FRAG: in the mma fragments; LANES: partial sums in the lanes that reduce */

typedef enum { LG_INPUT, LG_OUTPUT, LG_WORK } lo_gclass;

typedef enum { LL_PLAIN, LL_PAD, LL_SWIZZLE } lo_order;

typedef struct { /* a tensor in shared memory: rows of the last axis; row r, column c at r*ld + (c
                    or c with its 16-byte chunk swizzled) */
  int elem;      /* bytes: 2 or 4 */
  as_dtype type;
  lo_order order;
  long ld;
  long rows;
  int sw_shift;
  int sw_mask;
  long bytes;  /* of one stage */
  int stages;  /* ring depth; 1 otherwise */
  int slabs;   /* partial results to be summed when read (matmul split over K) */
  long offset; /* set by memplan */
  int live_from;
  int live_to; /* levels, for memplan */
  bool used;
} lo_smem;

typedef struct { /* a sum of products on tensor cores: C[batch, u, v] = sum(k) A[batch, u, k]
                    B[batch, v, k] */
  bool on;
  uint32_t a;
  uint32_t b; /* operands (values in shared memory, 16 bit) */
  lx *aref;
  lx *bref; /* the REF nodes: each index a variable of C, k (numbered `rank`) or an integer, no
               variable twice */
  int nbatch;
  int nm;
  int nn;
  int batch[8];
  int m[8];
  int nv[8]; /* axes of C */
  long B;
  long M;
  long N;
  long K;
  as_dtype type;
  bool swap; /* rows of the fragment are N rather than M */
  int wb;
  int wr;
  int wc;
  int wk; /* warps over batch, row tiles, column tiles, K steps */
  int tb;
  int tr;
  int tc; /* tiles a warp keeps */
  bool a_ldsm;
  bool b_ldsm;
  bool a_kfast;
  bool b_kfast;
} lo_mma;

typedef struct {
  lv_kind kind;
  const char *name;
  int rank;
  long dim[8];
  lx *body;
  lo_red red;
  long extent; /* MAP, RED (reduced variable has the number `rank`) */
  uint32_t src;
  int gaxis[8];
  bool laxis[8]; /* LOAD: per axis the grid axis and whether the loop divides it */
  as_acc_kind acc;
  uint32_t of;
  uint32_t run;
  int axis;   /* ACC (run: the max accumulator whose running value rescales), RUN (of: the
                 accumulator) */
  double num; /* CONST */
  as_dtype dtype;
  lo_gclass gclass;
  uint32_t gidx;
  long woff; /* GLOBAL */
  lo_phase phase;
  uint32_t unit;
  /* decided by fuse.c and later */
  lo_place place;
  lo_smem sm;
  lo_smem sm16;
  bool need16; /* a 16-bit copy for the tensor cores beside (or instead of) the value itself */
  bool need32; /* its own value is read from shared memory */
  lo_mma mma;
  lo_smem alpha;
  bool need_alpha; /* max accumulator: exp(old - new) for those it rescales */
  uint32_t uses;
  bool live;
  uint32_t fused_acc; /* RED: accumulator updated where the reduction ends (UINT32_MAX none) */
  int level;
  int level16;     /* schedule.c: level within its phase at which it (its 16-bit copy) is made, -1:
                      before */
  int group;       /* lanes per output of a reduction; above 32: warps join through shared memory */
  lo_smem scratch; /* partial results of warps */
} lo_val;

typedef struct {
  uint32_t val;
  uint32_t dst;
  int gaxis[8];
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
} lo_skind;

typedef struct {
  lo_skind kind;
  uint32_t val;
  lo_phase phase;
  int level;
} lo_stmt;

typedef struct {
  const char *name;
  int ngrid;
  long grid[8];
  long blocks;
  bool flat; /* one generated kernel over the elements of `flat_val`, straight from global memory */
  uint32_t flat_val;
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
} lo_unit;

typedef struct {
  as_arena *mem;
  const as_graph *g;
  const as_lower_opts *o;
  const int64_t *env;
  lo_val *v;
  uint32_t n;
  uint32_t cap;
  lo_unit *u;
  uint32_t nu;
  uint32_t ucap;
  uint32_t *node_val; /* graph node -> value */
  as_dtype type16;
  bool is16; /* the program's 16-bit type, when all its inputs have it */
  long workspace;
  as_str notes;
  as_err *err;
} lo;

/* lx.c */
lx *lx_new(lo *L, lx_op op, int n);
lx *lx_int(lo *L, long i);
lx *lx_var(lo *L, int v);
lx *lx_num(lo *L, double f);
lx *lx_mk(
    lo *L, lx_op op, int n,
    lx *const *kid); /* folds constants, drops units, simplifies div and mod by ranges of nothing */
lx *lx_ref(lo *L, uint32_t val, int n, lx *const *idx);
lx *lx_subst(lo *L, lx *e, lx *const *by, int n); /* variables 0..n-1 replaced; others kept */
lx *lx_simplify(lo *L, lx *e, const long *ext,
                int n); /* index arithmetic under 0 <= var i < ext[i] */
bool lx_equal(const lx *a, const lx *b);
bool lx_uses_var(const lx *e, int var);
long lx_size(const lx *e);   /* nodes, as a tree, capped */
bool lx_costly(const lx *e); /* contains a transcendental, root or division by a scalar */
void lx_refs(const lx *e, void (*f)(void *arg, const lx *ref), void *arg);
lx *lx_map_refs(lo *L, lx *e, lx *(*f)(lo *L, void *arg, lx *ref),
                void *arg); /* REF nodes replaced bottom-up (indices contain no REFs) */

/* expand.c */
uint32_t lo_new_val(lo *L, lv_kind k, const char *name, int rank, const long *dim);
bool lo_expand(lo *L);
void lo_unit_add(lo *L, lo_unit *u, uint32_t val);
/* contract.c: reads a sum of products as a matrix product; operands that are not plain tensors
 * become new values of the unit */
bool lo_contraction(lo *L, lo_unit *u, uint32_t val);
/* tile.c: contractions at kernel level become block graphs */
bool lo_tile_units(lo *L);
/* fuse.c layout.c schedule.c memplan.c, per unit */
bool lo_mma_plan(lo *L, lo_unit *u); /* mma.c: warps and fragments of each matrix product */
bool lo_fuse(lo *L, lo_unit *u);
bool lo_layout(lo *L, lo_unit *u);
bool lo_schedule(lo *L, lo_unit *u);
bool lo_memplan(lo *L, lo_unit *u);

/* emission */
typedef struct lo_emit {
  lo *L;
  lo_unit *u;
  as_str *s;
  int indent;
  int ntmp;
  bool dbl;
  const lx *root;
  /* text of a read of value val at the index texts */
  void (*ref)(struct lo_emit *E, as_str *out, uint32_t val, lx *const *idx, int n);
  char **var; /* texts of the variables */

  struct {
    const lx *e;
    int tmp;
  } * memo;

  uint32_t nmemo;
  uint32_t memocap;
} lo_emit;

void lo_line(lo_emit *E, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void lo_expr_reset(lo_emit *E);
char *
lo_expr(lo_emit *E,
        const lx *e); /* scalar text; shared parts become temporaries printed before; malloc'ed */
char *lo_index(lo_emit *E, const lx *e); /* integer text, malloc'ed */
char *
lo_smem_offset(const lo_val *v, const lo_smem *m,
               char *const *idx);    /* element offset text for an index, without stage and base */
const char *const *lo_prelude(void); /* lines, ended by NULL */
bool lo_emit_flat(lo *L, lo_unit *u, as_str *s);
bool lo_emit_block(lo *L, lo_unit *u, as_str *s);
void lo_emit_mma(lo_emit *E, uint32_t v, const char *cname);
void lo_emit_mma_decl(lo_emit *E, uint32_t v, const char *cname);
void lo_emit_mma_store(lo_emit *E, uint32_t v, const char *cname);
void lo_emit_mma_rescale(lo_emit *E, uint32_t v, uint32_t run, const char *cname);
bool lo_emit_reference(lo *L, as_str *s); /* L expanded from a program */
#endif
