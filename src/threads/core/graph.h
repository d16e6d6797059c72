/* Thread graphs, the third level of a muGraph: what each thread of one block does, an operation a
 * line, every address and register index a map over F2.  Nothing is declared that could disagree
 * with what is done: what a register holds is derived (verify/threads) from tile contents, address
 * maps and the layouts that instructions state.  Includes base, isa.h, f2.h.  Made by the lowering,
 * read by printer, validator and the interpreter of the tests.  Meaning: docs/threads.md. */
#ifndef AS_THREADS_GRAPH_H
#define AS_THREADS_GRAPH_H
#include "f2.h"
#include "isa.h"
#include "src/base/dtype.h"
#include "src/base/err.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AS_TG_AXES 6
#define AS_TG_ARGS 8
#define AS_TG_MAX_WARPS 16

/* an axis of a tile.  Element index of the tensor along it: block index of `grid` * grid_step +
 * iteration * loop_step + the tile's own index, which is below `live` <= 2^bits. */
typedef struct {
  char name[AS_LAY_NAME];
  unsigned bits;
  long live;
  long stride; /* elements of the tensor between neighbours */
  int grid;    /* which grid dimension moves it, -1 none */
  long grid_step;
  long loop_step; /* 0: the loop does not move it */
} as_tg_axis;

typedef struct {
  const char *name; /* of the block graph's load, or of its store */
  as_dtype type;
  bool output;
  long origin; /* of element 0 in the memory that the tensor is a part of, in elements */
  unsigned n_axis;
  as_tg_axis axis[AS_TG_AXES];
} as_tg_tile;

typedef struct { /* `stages` copies of 2^bits elements from `base` on, in bytes of shared memory */
  const char *name;
  unsigned elem;
  unsigned bits;
  unsigned stages;
  long base;
} as_tg_buffer;

typedef struct {
  const char *name;
  unsigned count;
} as_tg_barrier; /* an array of as many as the ring has stages */

/* scalar functions of element expressions: name, operands, what it computes */
#define AS_TG_SCALARS(S)                                                                           \
  S(ARG, "arg", 0)                                                                                 \
  S(NUM, "num", 0)                                                                                 \
  S(ADD, "add", 2)                                                                                 \
  S(SUB, "sub", 2)                                                                                 \
  S(MUL, "mul", 2)                                                                                 \
  S(DIV, "div", 2)                                                                                 \
  S(NEG, "neg", 1)                                                                                 \
  S(INV, "inv", 1)                                                                                 \
  S(SQRT, "sqrt", 1)                                                                               \
  S(RSQRT, "rsqrt", 1)                                                                             \
  S(EXP, "exp", 1)                                                                                 \
  S(LOG, "log", 1)                                                                                 \
  S(ABS, "abs", 1)                                                                                 \
  S(MAX, "max", 2)                                                                                 \
  S(MIN, "min", 2)                                                                                 \
  S(ERF, "erf", 1)                                                                                 \
  S(ZERO, "zero", 1)                   /* 1 where it is 0, else 0 */                               \
  S(EXPM1, "expm1", 1)                 /* without loss of digits: exp(x) - 1, .. */                \
  S(ONE_LESS_EXP, "one_less_exp", 1)   /* .. 1 - exp(x), .. */                                     \
  S(LOG1P, "log1p", 1)                 /* .. log(1 + x), .. */                                     \
  S(LOG1M, "log1m", 1)                 /* .. log(1 - x), .. */                                     \
  S(SOFTPLUS, "softplus", 1)           /* .. log(1 + exp(x)), .. */                                \
  S(SIGMOID, "sigmoid", 1)             /* .. exp(x) / (1 + exp(x)), .. */                          \
  S(TANH, "tanh", 1)                   /* .. 1 - 2 / (exp(2 x) + 1), .. */                         \
  S(TANH_LOG1P, "tanh_log1p", 1)       /* .. and that of log(1 + x), .. */                         \
  S(ONE_MORE_TANH, "one_more_tanh", 1) /* .. 1 + tanh(x), .. */                                    \
  S(ONE_LESS_TANH, "one_less_tanh", 1) /* .. 1 - tanh(x) */                                        \
  S(CHOOSE, "choose", 3) /* the second where the first, a whole number, is not negative */

typedef enum {

#define S(id, name, arity) AS_TGS_##id,
  AS_TG_SCALARS(S)
#undef S
      AS_TGS_COUNT
} as_tg_scalar;

typedef struct as_tg_expr {
  as_tg_scalar op;
  unsigned arg;    /* ARG */
  const char *num; /* NUM: an exact rational, p or p/q */
  struct as_tg_expr *kid[3];
} as_tg_expr;

/* fields that an operation can have, beside who executes it; AS_TG_KINDS says which it has.  Types:
 * V value, B buffer, T tile, M barrier, I integer, N name of an axis, L layout, E expression, C
 * instruction, D element type, X values with their maps, P limits of axes, O add or max. */
#define AS_TG_FIELDS(F)                                                                            \
  F(V, 'V', v)                                                                                     \
  F(A, 'V', a)                                                                                     \
  F(B, 'V', b)                                                                                     \
  F(ARGS, 'X', n_arg)                                                                              \
  F(TILE, 'T', tile)                                                                               \
  F(BUF, 'B', buf)                                                                                 \
  F(BAR, 'M', bar)                                                                                 \
  F(IT, 'I', it)                                                                                   \
  F(SLOT, 'I', slot)                                                                               \
  F(VEC, 'I', vec)                                                                                 \
  F(VAXIS, 'N', vaxis)                                                                             \
  F(SRC, 'L', src)                                                                                 \
  F(DST, 'L', dst)                                                                                 \
  F(GA, 'L', ga)                                                                                   \
  F(GB, 'L', gb)                                                                                   \
  F(GC, 'L', gc)                                                                                   \
  F(LANES, 'I', lanes)                                                                             \
  F(WARPS, 'I', warps)                                                                             \
  F(PRED, 'P', pred)                                                                               \
  F(BASE, 'I', base)                                                                               \
  F(BITS, 'I', bits)                                                                               \
  F(TYPE, 'D', type)                                                                               \
  F(FOLD, 'O', fold)                                                                               \
  F(EXPR, 'E', expr)                                                                               \
  F(INSTR, 'C', instr)                                                                             \
  F(COUNT, 'I', count)                                                                             \
  F(FROM, 'I', from)                                                                               \
  F(OFF, 'I', off)                                                                                 \
  F(PAR, 'I', par)                                                                                 \
  F(ROWS, 'I', rows)                                                                               \
  F(ROW, 'N', row)                                                                                 \
  F(COL, 'N', col)                                                                                 \
  F(BUFB, 'B', bufb)                                                                               \
  F(LEAD, 'I', lead)                                                                               \
  F(SIDE, 'I', side)                                                                               \
  F(CUT, 'I', cut)                                                                                 \
  F(BEGIN, 'E', begin)                                                                             \
  F(DELAY, 'I', delay)

typedef enum {

#define F(id, type, member) AS_TGF_##id,
  AS_TG_FIELDS(F)
#undef F
      AS_TGF_END
} as_tg_field;

#define AS_TG_BIT(f) ((uint64_t)1 << AS_TGF_##f)

/* fields that stand in the text only where they are set: `cut` and `from` of loops, `begin` of
 * zeros, `delay` of products of a loop and of what orders them */
#define AS_TG_OPTIONAL (AS_TG_BIT(CUT) | AS_TG_BIT(BEGIN) | AS_TG_BIT(DELAY) | AS_TG_BIT(FROM))

/* clang-format off */
/* The operations:
 *   cpasync   buf[stage of l + slot] <- tile of iteration l + it, if there is one; src: (u, lane,
 *             warp) -> tile index of a chunk's first element, dst: -> offset; a chunk is 2^vec
 *             elements along vaxis; lanes, warps: take part iff (lane & lanes) = 0, likewise warp;
 *             pred: element indices not below the limit (0: none) read as zero
 *   bulk      the same by boxes of 2^rows rows; src: (box number) -> tile index of its corner
 *   ldmatrix  v = 16-bit registers by the instruction's layout; src: (u, lane, warp, s) -> offset
 *             of the row that a lane names
 *   lds sts ldg stg  vectors; register = u * 2^vec + element; base: offset of a buffer's part
 *   mma       v[gc(u)] += a[ga(u)] * b[gb(u)] over all u; ga, gb, gc: u -> fragment number
 *   wgmma     v[gc(u)] += (buf from src(u, warp)) * (bufb from dst(u, warp)) over all u, by groups
 *             of four warps, asynchronously: v and both buffers are in use until a wgwait; lead:
 *             bytes between panels of the second operand
 *   wgmmar    v[gc(u)] += a[ga(u)] * (bufb from dst(u, warp)): the same, the first operand in
 *             registers, which are in use until a wgwait, too
 *   map       v[r] = expr(x0[m0(r)], x1[m1(r)], ...)
 *   fill      v[r] = a[r] where the index along vaxis, src: (u, lane, warp) -> it, is below count;
 *             the unit of the fold beyond
 *   index     v[r] = expr, of whole numbers: $0, $1, .. are the outputs of src: (u, lane, warp) ->
 *             tile index, then the block along x, y and z, then the iteration
 *   red       v[r] = fold over j of a[src(r) ^ dst(j)]
 *   shfl      v folded with lane ^ lanes
 *   zero      v begins: 0, or -infinity where fold is max; with `begin`, a number, that in blocks
 *             that leave iterations out
 *   accadd accmax rescale  v += a, max= a, *= a
 *   bar syncwarp
 *   proxyfence  what a thread has accessed in shared memory is over before bulk copies that are
 *             ordered after the fence write there
 *   commit, waitg count: groups of asynchronous copies
 *   mbinit mbwait mbexpect mbarrive  stage of l + slot; a wait's parity is
 *             ((l + off) / stages + par) & 1; waits and arrivals from iteration `from` on
 *   wgfence   registers are handed over to the wgmma that follow
 *   wgcommit, wgwait count: groups of products, as commit and waitg
 *   gridwait  the kernels launched before are over, and what they wrote is there, for who waits
 *   gridgo    the next kernel may begin; it waits by itself
 *   loop      count iterations; with `cut` only as many of them as the block runs (`limit`); with
 *             `from` without those before it
 *   steps     2^bits unrolled copies, s is an input of the maps inside
 *   sure      where expr, a whole number of the block along x, y and z ($0, $1, $2) and of the
 *             iteration ($3), is not negative, each choice inside takes its first side (side: 0) or
 *             its second (1) without a look at its place, and no place is computed
 * With delay=1 an operation of a loop is executed in its place of the next iteration, that of the
 * last iteration behind the loop. */
/* clang-format on */
#define AS_TG_KINDS(K)                                                                             \
  K(LOOP, "loop", AS_TG_BIT(COUNT))                                                                \
  K(STEPS, "steps", AS_TG_BIT(BITS))                                                               \
  K(SURE, "sure", AS_TG_BIT(EXPR) | AS_TG_BIT(SIDE))                                               \
  K(CPASYNC, "cpasync",                                                                            \
    AS_TG_BIT(BUF) | AS_TG_BIT(TILE) | AS_TG_BIT(IT) | AS_TG_BIT(SLOT) | AS_TG_BIT(VEC) |          \
        AS_TG_BIT(VAXIS) | AS_TG_BIT(LANES) | AS_TG_BIT(WARPS) | AS_TG_BIT(PRED) |                 \
        AS_TG_BIT(SRC) | AS_TG_BIT(DST))                                                           \
  K(BULK, "bulk",                                                                                  \
    AS_TG_BIT(INSTR) | AS_TG_BIT(BUF) | AS_TG_BIT(TILE) | AS_TG_BIT(SLOT) | AS_TG_BIT(BAR) |       \
        AS_TG_BIT(ROWS) | AS_TG_BIT(ROW) | AS_TG_BIT(COL) | AS_TG_BIT(SRC))                        \
  K(LDMATRIX, "ldmatrix",                                                                          \
    AS_TG_BIT(V) | AS_TG_BIT(INSTR) | AS_TG_BIT(BUF) | AS_TG_BIT(SLOT) | AS_TG_BIT(SRC))           \
  K(LDS, "lds", AS_TG_BIT(V) | AS_TG_BIT(BUF) | AS_TG_BIT(VEC) | AS_TG_BIT(BASE) | AS_TG_BIT(SRC)) \
  K(STS, "sts",                                                                                    \
    AS_TG_BIT(BUF) | AS_TG_BIT(A) | AS_TG_BIT(VEC) | AS_TG_BIT(BASE) | AS_TG_BIT(LANES) |          \
        AS_TG_BIT(WARPS) | AS_TG_BIT(DST))                                                         \
  K(LDG, "ldg",                                                                                    \
    AS_TG_BIT(V) | AS_TG_BIT(TILE) | AS_TG_BIT(VEC) | AS_TG_BIT(VAXIS) | AS_TG_BIT(PRED) |         \
        AS_TG_BIT(SRC))                                                                            \
  K(STG, "stg",                                                                                    \
    AS_TG_BIT(TILE) | AS_TG_BIT(A) | AS_TG_BIT(VEC) | AS_TG_BIT(VAXIS) | AS_TG_BIT(LANES) |        \
        AS_TG_BIT(WARPS) | AS_TG_BIT(PRED) | AS_TG_BIT(DST))                                       \
  K(MMA, "mma",                                                                                    \
    AS_TG_BIT(INSTR) | AS_TG_BIT(V) | AS_TG_BIT(A) | AS_TG_BIT(B) | AS_TG_BIT(GA) |                \
        AS_TG_BIT(GB) | AS_TG_BIT(GC))                                                             \
  K(WGMMA, "wgmma",                                                                                \
    AS_TG_BIT(INSTR) | AS_TG_BIT(V) | AS_TG_BIT(BUF) | AS_TG_BIT(SRC) | AS_TG_BIT(BUFB) |          \
        AS_TG_BIT(DST) | AS_TG_BIT(LEAD) | AS_TG_BIT(SLOT) | AS_TG_BIT(GC))                        \
  K(WGMMAR, "wgmmar",                                                                              \
    AS_TG_BIT(INSTR) | AS_TG_BIT(V) | AS_TG_BIT(A) | AS_TG_BIT(GA) | AS_TG_BIT(BUFB) |             \
        AS_TG_BIT(DST) | AS_TG_BIT(LEAD) | AS_TG_BIT(SLOT) | AS_TG_BIT(GC))                        \
  K(MAP, "map",                                                                                    \
    AS_TG_BIT(V) | AS_TG_BIT(TYPE) | AS_TG_BIT(BITS) | AS_TG_BIT(EXPR) | AS_TG_BIT(ARGS))          \
  K(FILL, "fill",                                                                                  \
    AS_TG_BIT(V) | AS_TG_BIT(FOLD) | AS_TG_BIT(A) | AS_TG_BIT(VAXIS) | AS_TG_BIT(COUNT) |          \
        AS_TG_BIT(SRC))                                                                            \
  K(INDEX, "index", AS_TG_BIT(V) | AS_TG_BIT(EXPR) | AS_TG_BIT(SRC))                               \
  K(RED, "red", AS_TG_BIT(V) | AS_TG_BIT(FOLD) | AS_TG_BIT(A) | AS_TG_BIT(SRC) | AS_TG_BIT(DST))   \
  K(SHFL, "shfl", AS_TG_BIT(V) | AS_TG_BIT(FOLD) | AS_TG_BIT(LANES))                               \
  K(ZERO, "zero", AS_TG_BIT(V) | AS_TG_BIT(FOLD) | AS_TG_BIT(BITS))                                \
  K(ACCADD, "accadd", AS_TG_BIT(V) | AS_TG_BIT(A) | AS_TG_BIT(SRC))                                \
  K(ACCMAX, "accmax", AS_TG_BIT(V) | AS_TG_BIT(A) | AS_TG_BIT(SRC))                                \
  K(RESCALE, "rescale", AS_TG_BIT(V) | AS_TG_BIT(A) | AS_TG_BIT(SRC))                              \
  K(BAR, "bar", 0)                                                                                 \
  K(SYNCWARP, "syncwarp", 0)                                                                       \
  K(PROXYFENCE, "proxyfence", 0)                                                                   \
  K(COMMIT, "commit", 0)                                                                           \
  K(WAITG, "waitg", AS_TG_BIT(COUNT))                                                              \
  K(MBINIT, "mbinit", 0)                                                                           \
  K(MBWAIT, "mbwait",                                                                              \
    AS_TG_BIT(BAR) | AS_TG_BIT(SLOT) | AS_TG_BIT(OFF) | AS_TG_BIT(PAR) | AS_TG_BIT(FROM))          \
  K(MBEXPECT, "mbexpect", AS_TG_BIT(BAR) | AS_TG_BIT(SLOT) | AS_TG_BIT(COUNT))                     \
  K(MBARRIVE, "mbarrive", AS_TG_BIT(BAR) | AS_TG_BIT(SLOT) | AS_TG_BIT(FROM))                      \
  K(GRIDWAIT, "gridwait", 0)                                                                       \
  K(GRIDGO, "gridgo", 0)                                                                           \
  K(WGFENCE, "wgfence", 0)                                                                         \
  K(WGCOMMIT, "wgcommit", 0)                                                                       \
  K(WGWAIT, "wgwait", AS_TG_BIT(COUNT))

typedef enum {

#define K(id, name, fields) AS_TG_##id,
  AS_TG_KINDS(K)
#undef K
      AS_TG_KIND_COUNT
} as_tg_kind;

typedef enum { AS_TG_SUM, AS_TG_MAXIMUM } as_tg_fold;

typedef struct as_tg_op {
  as_tg_kind kind;
  char who; /* c: every compute warp; p: one lane of the producer warp; a: all */
  int v;    /* values, tiles, buffers, barriers: indices into the graph's tables */
  int a;
  int b;
  int n_arg;
  int arg[AS_TG_ARGS];
  as_lay arg_map[AS_TG_ARGS];
  int tile;
  int buf;
  int bufb;
  int lead;
  int bar;
  int it;
  int slot;
  int vec;
  char vaxis[AS_LAY_NAME];
  char row[AS_LAY_NAME];
  char col[AS_LAY_NAME];
  as_lay src;
  as_lay dst;
  as_lay ga;
  as_lay gb;
  as_lay gc;
  int lanes;
  int warps;
  long pred[AS_TG_AXES];
  int base;
  int bits;
  int type; /* as_dtype */
  int fold; /* as_tg_fold */
  as_tg_expr *expr;
  const char *instr;
  int count;
  int from;
  int off;
  int par;
  int rows;
  int delay;
  int side;
  int cut;
  as_tg_expr *begin;
  struct as_tg_op **body; /* LOOP, STEPS, SURE */
  unsigned n_body;
  unsigned cap_body;
} as_tg_op;

typedef struct as_tg {
  as_arena *mem;
  const char *name; /* of the block graph */
  unsigned warp_bits;
  bool producer; /* one more warp, after the compute warps */
  int trip;
  int stages;
  /* Iterations that a block runs: `limit` (of the block along x, y and z, as $0, $1, $2) divided by
   * `per` and rounded down, at least one, at most `trip`.  NULL: every block runs all of them. */
  as_tg_expr *limit;
  int per;
  /* Of a thread of the compute warps, and of one of the producer's warpgroup, which then hands over
   * what it does not need; 0: all have the same. */
  int compute_registers;
  int copy_registers;
  /* Bits: grid axes along which the last blocks are started first, all others' before any next; so
   * many of the others at a time, 0: all. */
  unsigned reversed;
  int together;
  unsigned n_tile;
  as_tg_tile tile[12];
  unsigned n_buffer;
  as_tg_buffer buffer[16];
  unsigned n_barrier;
  as_tg_barrier barrier[4];
  as_vec value; /* names of values, const char * */
  as_tg_op top; /* its body is the graph's */
} as_tg;

as_tg *as_tg_new(const char *name);
void as_tg_free(as_tg *g);
as_tg *as_tg_copy(const as_tg *g);
/* a new operation at the end of `in` (NULL: of the graph); owned by the graph */
as_tg_op *as_tg_add(as_tg *g, as_tg_op *in, as_tg_kind kind, char who);
as_tg_op *as_tg_new_op(as_tg *g, as_tg_kind kind, char who);
void as_tg_insert(as_tg *g, as_tg_op *in, unsigned at, as_tg_op *op);
int as_tg_value(as_tg *g, const char *name); /* finds or makes */
const char *as_tg_value_name(const as_tg *g, int v);
as_tg_expr *as_tg_expr_new(as_tg *g, as_tg_scalar op, as_tg_expr *x, as_tg_expr *y);
as_tg_expr *as_tg_expr_choose(as_tg *g, as_tg_expr *which, as_tg_expr *x, as_tg_expr *y);
as_tg_expr *as_tg_expr_arg(as_tg *g, unsigned arg);
as_tg_expr *as_tg_expr_num(as_tg *g, const char *num);
const as_tg_axis *as_tg_find_axis(const as_tg_tile *t, const char *name);
unsigned as_tg_tile_bits(const as_tg_tile *t);
long as_tg_buffer_bytes(const as_tg_buffer *b); /* of one stage */
unsigned as_tg_warps(const as_tg *g);
/* iterations that the block at these places runs: see `limit` */
int as_tg_iterations(const as_tg *g, const long block[3]);
/* of a loop in blocks that run g->trip iterations */
int as_tg_loop_count(const as_tg *g, const as_tg_op *loop);
/* does an expression have the argument? */
bool as_tg_expr_has(const as_tg_expr *e, unsigned arg);
long as_tg_shared_bytes(const as_tg *g);
uint64_t as_tg_fields(as_tg_kind kind);
bool as_tg_has_body(as_tg_kind kind);
bool as_tg_has_field(const as_tg_op *op, unsigned field); /* an optional one: where it is set */
const char *as_tg_kind_name(as_tg_kind kind);
const char *as_tg_scalar_name(as_tg_scalar op);
unsigned as_tg_scalar_arity(as_tg_scalar op);

/* text (.thr); parsing what was printed gives the same graph */
char *as_tg_print(const as_tg *g);
as_tg *as_tg_parse(const char *file, const char *text, size_t len, as_err *err);

/* visits each operation, in order, those inside loops and steps too */
typedef void as_tg_visit(void *arg, as_tg_op *op);
void as_tg_walk(const as_tg_op *top, as_tg_visit *visit, void *arg);
#endif
