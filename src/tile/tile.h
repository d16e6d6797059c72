/* Tile programs (docs/tile.md): loops over tiles, loads, stores, mutable tensors.  The tree that
 * the reader makes, with every name resolved, and its printer. May include: base, ir. Used by the
 * evaluator, verify/tile, the importers of tile programs, the command line. */
#ifndef AS_TILE_H
#define AS_TILE_H
#include "src/base/mem.h"
#include "src/ir/graph.h"

typedef enum { AS_TILE_INPUT, AS_TILE_INOUT, AS_TILE_OUTPUT, AS_TILE_SCRATCH } as_tile_role;

typedef enum { AS_TILE_F16, AS_TILE_BF16, AS_TILE_F32, AS_TILE_INT } as_tile_type;

/* what a NAME or an access of a scalar stands for */
typedef enum {
  AS_TILE_IS_NOTHING,
  AS_TILE_IS_SIZE,    /* id: the as_size */
  AS_TILE_IS_INTEGER, /* id: an integer slot, of a loop's variable, a lane or a counter */
  AS_TILE_IS_TILE,    /* id: a tile slot */
  AS_TILE_IS_TENSOR   /* id: a number in as_tile_program.tensor */
} as_tile_meaning;

/* a scalar or a condition of docs/language.md, names resolved */
typedef struct as_tile_scalar {
  const as_expr *text; /* its kind, its number, its relation; what is printed */
  as_tile_meaning meaning;
  uint32_t id;  /* of NAME and ACCESS; of a reduction, its counter's slot */
  bool integer; /* made of integers alone, by whole operations */
  uint32_t n;
  struct as_tile_scalar **kid;
} as_tile_scalar;

typedef enum {
  AS_TILE_NUMBER, /* a tile of rank 0 */
  AS_TILE_NAMED,  /* a size, an integer or a tile */
  AS_TILE_CALL
} as_tile_expr_kind;

/* the value of an attribute, in the order of op->attr; scalar NULL: the default */
typedef struct {
  as_tile_scalar *scalar; /* an integer, NULL where `number` holds */
  const mpq_t *number;
} as_tile_attr;

enum { AS_TILE_MOST_LEVELS = 4000 };

typedef struct as_tile_expr {
  as_tile_expr_kind kind;
  const as_expr *number;
  as_tile_meaning meaning;
  uint32_t id;
  const char *name; /* of NAMED */
  const as_opdef *op;
  uint32_t n_arg;
  struct as_tile_expr *arg[AS_MAX_ARGS];
  as_tile_attr attr[AS_MAX_ATTRS];
  uint32_t cache; /* a number for each call of the program: whose code an evaluator keeps */
  uint32_t depth; /* calls within each other; at most AS_TILE_MOST_LEVELS */
  int line;
} as_tile_expr;

typedef struct {
  const char *name;
  uint32_t slot;
  as_tile_scalar *extent;
} as_tile_lane;

typedef struct {
  const char *name;
  uint32_t slot; /* a tile's */
  bool integers;
  as_tile_expr *first;
  as_tile_expr *next;
} as_tile_carry;

typedef enum {
  AS_TILE_LOOP,
  AS_TILE_LOAD,
  AS_TILE_STORE,
  AS_TILE_MAKE,
  AS_TILE_LET,
  AS_TILE_ALLOC /* a scratch tensor */
} as_tile_stmt_kind;

typedef struct as_tile_stmt {
  as_tile_stmt_kind kind;
  int line;
  const char *name; /* of the loop's variable; of the tile that is defined */
  uint32_t slot;    /* an integer's; a tile's */
  uint32_t tensor;  /* loaded from, stored to, allocated */
  uint32_t n_lane;
  as_tile_lane lane[AS_MAX_RANK];
  uint32_t n_place;
  as_tile_scalar *place[AS_MAX_RANK]; /* positions in the tensor, one an axis */
  as_tile_scalar *mask;               /* NULL: every lane */
  as_tile_scalar *other;              /* of a load, for lanes masked out; NULL: no value */
  as_tile_scalar *value;              /* MAKE, STORE; NULL where `whole` is stored */
  const char *whole_name; /* STORE of a tile with the lanes' extents; NULL: of a scalar */
  uint32_t whole;         /* its slot */
  as_tile_expr *expr;     /* LET */
  bool parallel;
  as_tile_scalar *from;
  as_tile_scalar *to;
  as_tile_scalar *step; /* NULL: 1 */
  uint32_t n_carry;
  as_tile_carry *carry;
  uint32_t n_body;
  struct as_tile_stmt **body;
} as_tile_stmt;

typedef struct {
  const char *name;
  as_tile_role role;
  as_tile_type type;
  uint32_t rank;
  as_size dim[AS_MAX_RANK];
  const as_expr *initial; /* NULL: no value */
  bool minus;             /* the initial number is negated */
  bool local;             /* a scratch tensor of a loop's iteration, or below declarations */
} as_tile_tensor;

typedef struct as_tile_program {
  as_arena *mem;
  as_graph *sizes; /* the sizes and relations that the text declares, as a graph without nodes */
  const as_oplib *lib;
  const char *name;
  as_tile_tensor *tensor;
  uint32_t n_tensor;
  as_tile_stmt **body;
  uint32_t n_body;
  uint32_t n_tiles;    /* slots */
  uint32_t n_integers; /* slots */
  uint32_t n_calls;
} as_tile_program;

/* sizes: the table of the given program's, if there is one; shared by name, with the same values.
 * `use` and `func`s extend lib.  NULL with err (file, line, column). */
as_tile_program *as_tile_parse(const char *file, const char *text, size_t len, as_sizes *sizes,
                               as_oplib *lib, as_err *err);
void as_tile_free(as_tile_program *program); /* NULL allowed */
/* Parsing it gives the same program back; malloc'ed. */
char *as_tile_print(const as_tile_program *program);

/* The sizes that it declares become their values, in the order of sizes->own_size; it is there to
 * be printed from here on.  lib: the one that it was parsed with.  false with err: some extent has
 * no value there. */
bool as_tile_fix_sizes(as_tile_program *program, as_oplib *lib, const int64_t *value, as_err *err);

char *as_tile_expr_text(const as_tile_expr *expr); /* malloc'ed */
/* The muGraph of `given` that a tile program of block form is, as text for as_parse_mug
 * (malloc'ed). NULL with err: it is of another form, of which no claim is made (the line and why).
 */
char *as_tile_block_text(const as_tile_program *program, const as_graph *given, as_err *err);

/* The other way round: a muGraph of kernels with a grid as a tile program: of block form where its
 * accumulators are sums; where there is a maximum, the first iteration stands before the loop
 * (malloc'ed). NULL with err: it has something else. */
char *as_tile_of_graph(const as_graph *graph, as_err *err);

/* can it be no name in these texts? its own words, and those of all languages */
bool as_tile_word_reserved(const char *word);
/* the word of a role, and of a type, in the text */
const char *as_tile_role_word(as_tile_role role);
const char *as_tile_type_word(as_tile_type type);
/* is this text a tile program? looks at its first word after `use` lines and comments */
bool as_tile_is_text(const char *text, size_t len);
#endif
