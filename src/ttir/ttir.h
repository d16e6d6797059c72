/* Triton's tensor dialect (TTIR) as text: the tree that the reader makes of one kernel, and what it
 * computes as a tile program.  docs/triton.md states the meaning of each operation.
 * May include: tile, ir, base.  Used by the importers of tile programs. */
#ifndef AS_TTIR_H
#define AS_TTIR_H
#include "src/base/err.h"
#include "src/base/mem.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AS_TTIR_MAX_RANK = 6, AS_TTIR_MAX_REGIONS = 2 };

typedef enum { AS_TTIR_INT, AS_TTIR_FLOAT, AS_TTIR_POINTER, AS_TTIR_DESCRIPTOR } as_ttir_kind;

/* of a scalar (rank 0) or of a tensor of static extents */
typedef struct {
  as_ttir_kind kind;
  uint32_t bits; /* of the number; of what a pointer points to */
  bool brain;    /* bf16 */
  bool floating; /* of a pointer or descriptor: to floating-point numbers */
  uint32_t rank;
  int64_t dim[AS_TTIR_MAX_RANK];
} as_ttir_type;

typedef struct {
  const char *name; /* without its % */
  as_ttir_type type;
  uint32_t uses;
} as_ttir_value;

typedef struct {
  const char *key;
  const char *text;
} as_ttir_attribute;

struct as_ttir_op;

typedef struct {
  uint32_t n_argument;
  uint32_t *argument; /* values */
  uint32_t n_op;
  struct as_ttir_op **op;
  size_t from; /* in the text: behind its brace, to the one that closes it */
  size_t to;
} as_ttir_region;

typedef struct as_ttir_op {
  const char *name; /* `arith.addi` */
  int line;
  uint32_t n_operand;
  uint32_t *operand; /* values, in the order of the text */
  uint32_t n_result;
  uint32_t *result;
  uint32_t n_word;
  const char **word; /* bare words before the types: `slt`, `x` */
  uint32_t n_attribute;
  as_ttir_attribute *attribute;
  const char *literal; /* of a constant; of an assertion, what it says; or NULL */
  uint32_t n_region;
  as_ttir_region region[AS_TTIR_MAX_REGIONS];
  size_t from; /* in the text, its results too */
  size_t to;
} as_ttir_op;

typedef struct {
  as_arena *mem;
  const char *name;
  as_ttir_value *value;
  uint32_t n_value;
  as_ttir_region body; /* its arguments are the kernel's */
} as_ttir_kernel;

/* Reads a module with one kernel.  NULL with err (file, line, column). */
as_ttir_kernel *as_ttir_parse(const char *file, const char *text, size_t len, as_err *err);
void as_ttir_free(as_ttir_kernel *kernel); /* NULL allowed */
/* NULL: it has none; "": one that says nothing but its name */
const char *as_ttir_attribute_of(const as_ttir_op *op, const char *key);
/* A whole number as MLIR writes them, of the ten digits (also behind zeros) or hexadecimal, that
 * ends at `end`; false: it is none, or beyond 64 bits. */
bool as_ttir_read_number(const char *text, const char *end, int64_t *number);
/* the number that an attribute is, before its type; false: it has none, or it is none */
bool as_ttir_number_of(const as_ttir_op *op, const char *key, int64_t *number);

/* How a kernel is started.  Texts are size expressions (docs/language.md), in which `cdiv(a, b)`
 * may be said. */
typedef struct {
  const char *name;  /* of an argument of the kernel */
  uint32_t rank;     /* of a pointer: axes of the dense tensor that it points to */
  const char **dim;  /* their extents */
  const char *value; /* of a number; NULL: a size of that name */
  uint32_t n_shape;  /* of a pointer, in a launch from JSON: the extents of what it points to, .. */
  int64_t *shape;    /* .. as numbers; 0: they are not said */
  bool zero;         /* of a pointer: there are zeros before the kernel */
} as_ttir_argument;

typedef struct {
  const char *name; /* of a size that the texts use */
  int64_t value;    /* at which it is looked at; a claim is about all values from `least` on */
  int64_t least;    /* 1, or 0 */
  int64_t most;     /* by a relation of the launch; 0: what the kernel's integers hold */
} as_ttir_size;

/* what number a literal of real numbers is read as */
typedef enum {
  AS_TTIR_PRINTED,  /* the one that is printed */
  AS_TTIR_DECIMAL,  /* the shortest decimal that rounds to the same f32 */
  AS_TTIR_FRACTION, /* a fraction that does, where that decimal is long; else the decimal */
} as_ttir_literals;

typedef struct {
  as_arena *mem;
  const char *grid[3]; /* NULL: 1 */
  uint32_t n_argument;
  as_ttir_argument *argument;
  uint32_t n_size;
  as_ttir_size *size;
  uint32_t n_where;
  const char **where; /* relations of sizes that launches keep */
  bool writes_all;    /* what is only stored to is stored to everywhere: an output */
  bool given;         /* others are compared with it */
  bool in_order;      /* lanes touch places in the order of the text, also without barriers */
  /* Refused is what gives a number, or a truth, in a float of what may be none (NaN): comparisons,
   * extremes that keep the other operand. */
  bool no_nan;
  as_ttir_literals literals;
} as_ttir_launch;

as_ttir_launch *as_ttir_launch_new(void);
void as_ttir_launch_free(as_ttir_launch *launch); /* NULL allowed */
/* `4, cdiv(n, 32)`: extents along x, y, z */
bool as_ttir_launch_grid(as_ttir_launch *launch, const char *text, as_err *err);
/* `x=64, n`, the extents of a pointer's tensor; `n=100`, a number's value: both are lists */
bool as_ttir_launch_argument(as_ttir_launch *launch, const char *text, as_err *err);
/* `n=100` */
bool as_ttir_launch_size(as_ttir_launch *launch, const char *text, as_err *err);
/* `n <= 64`, a relation of sizes that launches keep; such a bound is one of the size's */
bool as_ttir_launch_where(as_ttir_launch *launch, const char *text, as_err *err);
/* A JSON text with the launches of a kernel: `cases`, each with `grid`, three extents, and `args`,
 * in which `kind` is ptr, int or float and `size` or `value` says the rest: numbers, or size
 * expressions, of the names that `sizes` has with values (`{"n": 1000}`), under the relations of
 * `where`, if any. */
bool as_ttir_launch_json(as_ttir_launch *launch, const char *file, const char *text, size_t len,
                         uint32_t number, as_err *err);

/* The text of a tile program that computes what the kernel does (malloc'ed).  What this rests on it
 * states: in its definedness, and in relations of sizes, which `relations` has too (malloc'ed, may
 * be empty; lines `where n <= 64`), as a program that is compared with it has to state them.  NULL
 * with err: an operation, or a use of one, that has no meaning here, by name and line; *relations
 * is malloc'ed then too. */
char *as_ttir_lift(const as_ttir_kernel *kernel, const char *file, const as_ttir_launch *launch,
                   char **relations, as_err *err);
#endif
