/* Inside of as_tile_plain: tile programs made element by element, as operators' calls. */
#ifndef AS_TILE_PLAIN_INT_H
#define AS_TILE_PLAIN_INT_H
#include "plain.h"
#include "src/base/id.h"
#include "src/base/str.h"
#include "src/base/vec.h"

/* tiles along an axis of a tensor, numbered by what depends on instances and rounds */
typedef struct {
  as_size number;
  as_size extent;           /* of the tensor, as the text says */
  as_size shown;            /* and as the given program does */
  as_size tile;             /* in the text */
  bool single;              /* one index each */
  const as_tile_stmt *loop; /* NULL: an axis of the grid */
  uint32_t id;
  uint32_t kernel;
} pl_axis;

/* what a place is along one axis of a tensor */
typedef struct {
  as_size position;  /* with the lane */
  uint32_t lane;     /* of the statement; AS_NONE: none */
  const pl_axis *of; /* NULL: the whole axis */
} pl_part;

/* a tile as a text, and which lanes and counters its axes are */
typedef struct {
  char *text; /* NULL with err */
  uint32_t n;
  uint32_t slot[AS_MAX_RANK];
} pl_tile;

typedef struct {
  as_tile_program *program;
  const as_graph *given;
  as_sizes *sizes;
  as_err *err;
  as_arena *mem;
  as_size *of_integer;   /* by slot: loops' variables and lanes */
  const char **constant; /* by tile slot: the number that it is, 0 a maximum so far; NULL: none */
  bool *first_round;     /* by tile slot: 1 before the first round, 0 after it */
  as_vec axes;           /* pl_axis * */
  uint32_t kernel;       /* which one is read */
  uint32_t names;        /* used so far */
  uint32_t order[2 * AS_MAX_RANK];
  uint32_t n_order; /* lanes of the statement at hand, and counters around */
  as_str out;
} pl_program;

typedef enum { PL_HOLDS, PL_FAILS, PL_OPEN } pl_truth;

/* ---- plain_places.c */
bool pl_fail(const pl_program *p, const as_tile_stmt *stmt, const char *what); /* false, with err */
char *pl_keep(const pl_program *p, char *text);                /* takes it; gone with the program */
as_size pl_size(const pl_program *p, const as_tile_scalar *x); /* AS_SIZE_BAD: none */
as_size pl_symbol(const pl_program *p, uint32_t slot);         /* of an integer */
/* what the place is along axis d of the tensor; false with err */
bool pl_read_axis(pl_program *p, const as_tile_stmt *stmt, uint32_t d, pl_part *out);
/* the extent of a tensor as the given program says */
as_size pl_shown(const pl_program *p, const as_tile_tensor *tensor, uint32_t d);
/* of the statement whose lanes are at hand */
pl_truth pl_holds(const pl_program *p, const as_tile_scalar *x);

/* ---- plain_calls.c */
bool pl_is_text(const pl_tile *t, const char *text);
pl_tile pl_bad(const pl_program *p, const as_tile_stmt *stmt, const char *what);
/* with its axes in the order of lanes; no text with err */
pl_tile pl_ordered(const pl_program *p, const as_tile_stmt *stmt, pl_tile t);
pl_tile pl_scalar(pl_program *p, const as_tile_stmt *stmt, const as_tile_scalar *x);
#endif
