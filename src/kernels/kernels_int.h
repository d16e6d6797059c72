/* What the parts of the lowering of tile programs share.  Private to src/kernels. */
#ifndef AS_KERNELS_INT_H
#define AS_KERNELS_INT_H
#include "kernels.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include "src/write/flat.h"

/* where the elements of a tile are */
typedef enum {
  KT_NOWHERE,
  KT_SHARED, /* memory of the block */
  KT_BLOCK,  /* the block's part of the workspace: what does not fit shared memory */
  KT_COMMON  /* the workspace: one kernel writes them, later ones read */
} kt_memory;

/* Of a tile, by its number.  Where two are alive at once, they do not overlap.  Statements of a
 * kernel have times: numbers in the order of the text. */
typedef struct {
  kt_memory memory;
  long offset; /* bytes from the start of that memory */
  uint32_t unit;
  int first; /* the time at which it is made .. */
  int last;  /* .. and the last one at which it is read */
} kt_tile;

/* Of a tensor, by its number.  Inputs and outputs have the numbers of the given program's. */
typedef struct {
  uint32_t in;  /* AS_NONE: no input */
  uint32_t out; /* AS_NONE: no output */
  as_dtype type;
  int bytes;     /* of an element: integers of scratch tensors have 8 */
  bool of_block; /* scratch in a loop: each iteration, so each block, has its own */
  long offset;   /* of a scratch tensor, in the workspace; of a block's own, in the block's part */
} kt_tensor;

enum { KT_MOST_AXES = 8 };

/* a kernel: an outermost parallel loop with those right within it, or statements in order */
typedef struct {
  const char *name;
  as_vec stmt; /* of wr_stmt *: what a block does, once for each iteration */
  uint32_t n_axis;
  wr_stmt *axis[KT_MOST_AXES]; /* the loops whose iterations are counted by blocks */
  int64_t rounds[KT_MOST_AXES];
  int64_t instances;
  long blocks; /* each takes every `blocks`-th instance */
  int warps;
  long shared;     /* bytes */
  long part;       /* bytes of each block's part of the workspace */
  long part_begin; /* of the first block's, in the workspace */
} kt_unit;

/* a carried tile that becomes another carried one is kept aside first */
typedef struct {
  const wr_stmt *loop;
  size_t carry;
  uint32_t tile;
} kt_aside;

typedef struct {
  wr_program *program;
  const as_target *target;
  as_arena *mem;
  as_vec unit;   /* of kt_unit */
  as_vec tile;   /* of kt_tile */
  as_vec tensor; /* of kt_tensor */
  as_vec aside;  /* of kt_aside */
  long workspace;
  as_err *err;
} kt_plan;

#define KT_TILE(plan, i) (&AS_VEC_AT(&(plan)->tile, kt_tile, i))
#define KT_TENSOR(plan, i) (&AS_VEC_AT(&(plan)->tensor, kt_tensor, i))
#define KT_UNIT(plan, i) (&AS_VEC_AT(&(plan)->unit, kt_unit, i))

/* plan.c: kernels, and where everything is.  The tensors must have their inputs and outputs.
 * false with plan->err */
bool kt_plan_make(kt_plan *plan);
void kt_plan_clear(kt_plan *plan);
/* live.c: from when to when each tile of a unit is needed */
void kt_live(kt_plan *plan, uint32_t unit);
/* the tile that holds a carried one aside; AS_NONE: it need not be held */
uint32_t kt_aside_of(const kt_plan *plan, const wr_stmt *loop, size_t carry);
long kt_tile_bytes(const wr_tile *tile);       /* AS_NONE as long: more than 2^46 */
int64_t kt_tensor_elements(const wr_tensor *); /* -1: more than 2^46 */

typedef struct {
  const kt_plan *plan;
  const wr_program *program;
  const kt_unit *unit; /* NULL: the reference, one statement after another in doubles */
  as_str *out;
  int depth;
  as_err *err;
} kt_writer;

/* scalar.c: all malloc'ed */
char *kt_integer(kt_writer *writer, const wr_expr *expr);
char *kt_real(kt_writer *writer, const wr_expr *expr); /* as a number of floating point */
char *kt_condition(kt_writer *writer, const wr_expr *expr);
/* as the tile's or tensor's elements are */
char *kt_value(kt_writer *writer, const wr_expr *expr, bool integers);
char *kt_name(const kt_writer *writer, uint32_t variable);
/* the type of the text of an integer */
const char *kt_integer_type(const kt_writer *writer, const wr_expr *expr);
const char *kt_variable_type(const kt_writer *writer, uint32_t variable);
/* `index` counts elements of the tile row by row, of its largest extents */
char *kt_read_tile(const kt_writer *writer, uint32_t tile, const char *index);
char *kt_write_tile(const kt_writer *writer, uint32_t tile, const char *index, const char *value);
char *kt_read_tensor(const kt_writer *writer, uint32_t tensor, const char *index);
char *kt_write_tensor(const kt_writer *writer, uint32_t tensor, const char *index,
                      const char *value);
/* row by row; extents: those of the tile's largest, or of the tensor */
char *kt_row_major(kt_writer *writer, uint32_t n, wr_expr *const *index, const int64_t *extent);

/* emit.c */
void kt_line(kt_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kt_stmts(kt_writer *writer, const as_vec *list);
/* the values that a tensor begins with: those of the input, or a number; nothing where there are
 * none.  stride: what the counter goes on by, and first: what it starts at */
void kt_begin_tensor(kt_writer *writer, uint32_t tensor, const char *first, const char *stride);

/* places.c: of an input of integers, how many values from 0 on an element may have so that every
 * place that it names is in range, whatever is added to it; -1: it names none.  The most for which
 * the bounds of all these places are within their axes; a place that has no such bounds even where
 * all integers are 0 counts as the integer itself. */
int64_t kt_places(wr_program *program, uint32_t tensor);

/* reference.c: the text of a tile program in doubles, as as_lowered.reference; inputs and outputs
 * have the numbers of the plan's tensors.  false with err */
char *kt_reference(const kt_plan *plan);

const char *const *kt_prelude(void);           /* lines, ended by NULL */
const char *const *kt_reference_prelude(void); /* the same, of the reference */
#endif
