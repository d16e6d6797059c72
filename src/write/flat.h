/* Tile programs as sequences of definitions: each operator's call becomes, by its specification,
 * one definition or a few, element by element; a reduction stands at the head of a definition or
 * nowhere, so that who writes the program in another language writes one loop nest, or one
 * operation on blocks, for each.  At the concrete sizes that the text states.
 * May include: tile, ir, base.  Used by the writers beside it, and by src/kernels. */
#ifndef AS_WRITE_FLAT_H
#define AS_WRITE_FLAT_H
#include "src/base/vec.h"
#include "src/tile/tile.h"

/* A variable of a loop, a lane or a counter: an integer between `low` and `high` where there are
 * any values of it at all. */
typedef struct {
  const char *name; /* not used twice, nor by a tile or a tensor */
  int64_t low;
  int64_t high;
} wr_var;

/* A scalar.  The kinds are those of specifications: NUM; NAME, a variable; ACCESS, an element of a
 * tile; CALL, a function without a body; arithmetic; IF with conditions; and, while a definition is
 * made, reductions (kid[0]: how many terms, kid[1]: the term). */
typedef struct wr_expr {
  as_ekind kind;
  bool integer; /* of a number: made of integers alone */
  as_rel rel;
  uint32_t id; /* variable, tile; of a reduction its counter */
  const char *function;
  const mpq_t *number;
  uint32_t n;
  struct wr_expr *kid[AS_MAX_RANK];
} wr_expr;

typedef struct {
  const char *name;
  uint32_t rank;
  wr_expr *extent[AS_MAX_RANK];
  int64_t bound[AS_MAX_RANK]; /* the largest that the extent can be */
  bool integers;
  as_tile_type type; /* of what is loaded: its tensor's; otherwise f32, or int */
} wr_tile;

typedef struct {
  const char *name;
  as_tile_role role;
  as_tile_type type;
  uint32_t rank;
  int64_t dim[AS_MAX_RANK];
  bool has_initial;
  double initial; /* at the start, of a scratch tensor or an output */
  bool local;     /* a scratch tensor of its own in each iteration */
} wr_tensor;

typedef enum {
  WR_DEFINE, /* a tile, from other tiles */
  WR_LOAD,   /* a tile, from a tensor */
  WR_STORE,
  WR_LOOP,
  WR_ALLOC /* a scratch tensor of its own in each iteration */
} wr_stmt_kind;

typedef struct {
  uint32_t tile;
  uint32_t first; /* the tile that it is at the start */
  uint32_t next;  /* what it becomes */
} wr_carry;

typedef struct wr_stmt {
  wr_stmt_kind kind;
  uint32_t tile;
  uint32_t n_lane;
  uint32_t lane[AS_MAX_RANK];   /* variables */
  wr_expr *extent[AS_MAX_RANK]; /* of the lanes */
  as_ekind fold;                /* SUM, PROD, MAXR or MINR over the counters; NUM: none */
  uint32_t n_counter;
  uint32_t counter[AS_MAX_RANK];
  wr_expr *count[AS_MAX_RANK];
  wr_expr *value;
  uint32_t tensor;
  uint32_t n_place;
  wr_expr *place[AS_MAX_RANK];
  wr_expr *mask;  /* NULL: every lane */
  wr_expr *other; /* NULL: no value there */
  /* of a loop */
  bool parallel;
  uint32_t variable;
  wr_expr *from;
  wr_expr *to;
  wr_expr *step; /* NULL: 1 */
  as_vec first;  /* of wr_stmt *: what the carried tiles start as */
  as_vec carry;  /* of wr_carry */
  as_vec body;   /* of wr_stmt * */
} wr_stmt;

typedef struct {
  as_arena *mem;
  const char *name;
  as_vec var;     /* of wr_var */
  as_vec tile;    /* of wr_tile */
  as_vec tensor;  /* of wr_tensor; numbers are those of the tile program */
  as_vec body;    /* of wr_stmt * */
  as_vec numbers; /* of mpq_t *: in the arena, what they hold is not */
} wr_program;

#define WR_VAR(program, i) (&AS_VEC_AT(&(program)->var, wr_var, i))
#define WR_TILE(program, i) (&AS_VEC_AT(&(program)->tile, wr_tile, i))
#define WR_TENSOR(program, i) (&AS_VEC_AT(&(program)->tensor, wr_tensor, i))
#define WR_STMT(list, i) AS_VEC_AT(list, wr_stmt *, i)

/* taken: words that may name nothing in the language that is written, ended by NULL.  value: of
 * sizes, by their id; NULL: those that the text states.  NULL with err (the line, and what cannot
 * be said). */
wr_program *wr_flatten(const as_tile_program *tile, const int64_t *value, const char *const *taken,
                       as_err *err);
void wr_free(wr_program *program); /* NULL allowed */

/* Tiles outside of loops that are made of numbers and their own positions alone are computed where
 * their elements are read; those that only such reads needed are no longer defined. */
void wr_inline_places(wr_program *program);

bool wr_carries(const wr_stmt *loop, uint32_t tile); /* from one iteration to the next */

/* bounds of an integer; false: none are known within 62 bits */
bool wr_range(const wr_program *program, const wr_expr *expr, int64_t *low, int64_t *high);
/* a condition by the bounds of its sides: 1 holds, 0 does not, -1 is not known */
int wr_truth(const wr_program *program, const wr_expr *condition);
bool wr_is_integer(const wr_expr *expr, int64_t value); /* is it this number? */
/* is it a number, and which? */
bool wr_integer_value(const wr_expr *expr, int64_t *value);
/* number / number as a decimal that a double is read from exactly enough: 17 digits; malloc'ed */
char *wr_number_text(const wr_expr *number);
/* adds the numbers of the variables that occur, each once, to the list (of uint32_t) */
void wr_variables(const wr_expr *expr, as_vec *list);
#endif
