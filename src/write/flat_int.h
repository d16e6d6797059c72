/* What the parts of the flattening share.  Private to src/write. */
#ifndef AS_WRITE_FLAT_INT_H
#define AS_WRITE_FLAT_INT_H
#include "flat.h"
#include "src/base/intern.h"
#include "src/base/str.h"

typedef struct {
  wr_program *program;
  const as_tile_program *tile;
  const char *const *taken;
  int64_t *value;     /* of sizes */
  as_intern names;    /* all that have been given */
  wr_expr **variable; /* by integer slot: what stands for it */
  uint32_t *tile_of;  /* by tile slot */
  as_sizes *sizes;    /* extents while calls are matched: numbers, and a symbol for each other */
  as_vec extents;     /* of wr_symbol */
  as_vec *into;       /* where statements go */
  int line;
  as_err *err;
} wr_maker;

/* an extent that differs between iterations, and the size that stands for it */
typedef struct {
  as_size size;
  wr_expr *extent;
} wr_symbol;

/* an argument of a call: a tile, or a number */
typedef struct {
  bool is_tile;
  uint32_t tile;
  wr_expr *number;
} wr_argument;

wr_expr *wr_new(wr_maker *maker, as_ekind kind, uint32_t n, wr_expr *const *kid);
wr_expr *wr_rational(wr_maker *maker, const mpq_t number);
wr_expr *wr_integer(wr_maker *maker, int64_t value);
wr_expr *wr_name(wr_maker *maker, uint32_t variable);
wr_expr *wr_relation(wr_maker *maker, as_rel rel, wr_expr *a, wr_expr *b);
/* folded where it is made of integers */
wr_expr *wr_mk(wr_maker *maker, as_ekind kind, uint32_t n, wr_expr *const *kid);

bool wr_fail(wr_maker *maker, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *wr_fresh(wr_maker *maker, const char *wish);
uint32_t wr_new_var(wr_maker *maker, const char *wish, int64_t low, int64_t high);
/* a lane or counter that runs from 0 to below `extent`; AS_NONE with err */
uint32_t wr_new_lane(wr_maker *maker, const char *wish, const wr_expr *extent);
/* AS_NONE with err: an extent has no bound */
uint32_t wr_new_tile(wr_maker *maker, const char *wish, uint32_t rank, wr_expr *const *extent);
/* Adds the definition of a tile with these lanes; reductions in `value` get tiles of their own,
 * before it.  AS_NONE with err. */
uint32_t wr_define(wr_maker *maker, const char *wish, uint32_t n, const uint32_t *lane,
                   wr_expr *const *extent, wr_expr *value);
/* a scalar or condition of the tile program; NULL with err */
wr_expr *wr_scalar(wr_maker *maker, const as_tile_scalar *scalar);
/* the body of a function, or of a specification with `scope` */
wr_expr *wr_function(wr_maker *maker, const as_func *function, uint32_t n, wr_expr *const *arg);
/* The tile that an expression over tiles is; adds what defines it.  AS_NONE with err. */
uint32_t wr_tiles(wr_maker *maker, const char *wish, const as_tile_expr *expr);
#endif
