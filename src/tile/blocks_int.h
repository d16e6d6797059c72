/* Inside of as_tile_blocks: tile programs whose loops carry sums as values, the places at which
 * kernels are cut, and the block graphs. */
#ifndef AS_TILE_BLOCKS_INT_H
#define AS_TILE_BLOCKS_INT_H
#include "blocks.h"
#include "src/base/id.h"
#include "src/base/vec.h"
#include <limits.h>

enum { TV_MOST_LOOPS = 64, TV_MOST_AXES = 4, TV_NOT_ALONG = INT_MAX };

typedef enum {
  TV_NUMBER,
  TV_LOAD,
  TV_CALL,
  TV_TOTAL, /* what a loop has summed up */
  TV_MOST,  /* the maximum of an exponential's argument, over a loop and the axis that it divides */
  TV_OTHER  /* what no block graph has; an error where it is needed */
} tv_kind;

typedef struct {
  tv_kind kind;
  const as_tile_stmt *stmt; /* where it is made */
  const as_tile_expr *expr; /* NUMBER, CALL */
  uint32_t n_arg;           /* TOTAL: the term; MOST: the exponential */
  uint32_t arg[AS_MAX_ARGS];
  uint32_t loop; /* that it is made in; AS_NONE: outside of all */
  uint32_t of;   /* TOTAL, MOST: the loop that sums */
  const char *name;
} tv_value;

typedef struct {
  const as_tile_stmt *stmt;
  uint32_t parent; /* AS_NONE: none */
  as_size variable;
  as_size step;
  as_size count;
} tv_loop;

typedef struct {
  const as_tile_stmt *stmt;
  uint32_t value;
  uint32_t loop;
  uint32_t before; /* values with smaller numbers are made before it */
} tv_store;

/* along one axis of a tensor: tiles of this extent, numbered by these loops, the last one fastest
 */
typedef struct {
  as_size tile;
  bool has_lane; /* otherwise one index, which is no axis of the tile */
  uint32_t n;
  uint32_t loop[TV_MOST_AXES];
} tv_part;

/* a value is stored between two kernels */
typedef struct {
  bool is;
  as_node_id node;         /* of the graph that is being built; AS_NONE: not yet */
  int axis[TV_MOST_LOOPS]; /* by loop: the axis that its tiles lie along */
  as_size tile[AS_MAX_RANK];
  int folded; /* of a maximum: the axis that it is over */
} tv_cut;

typedef struct {
  const as_tile_program *program;
  as_graph *given; /* with sizes of its own */
  const as_tile_blocks_how *how;
  as_err *err;
  as_vec loops;
  as_vec values;
  as_vec stores;
  uint32_t *of_slot;   /* by tile slot: the value */
  uint32_t *stored_by; /* by tensor: the store; AS_NONE: none */
  as_vec cuts;         /* tv_cut by value */
  uint32_t *most;      /* by value: the TV_MOST of an exponential that is shifted, else AS_NONE */
  int *along;          /* by value: the axis of an exponential's tile whose maximum is subtracted */
} tv_program;

#define TV_VALUE(p, i) (&AS_VEC_AT(&(p)->values, tv_value, i))
#define TV_LOOP(p, i) (&AS_VEC_AT(&(p)->loops, tv_loop, i))
#define TV_STORE(p, i) (&AS_VEC_AT(&(p)->stores, tv_store, i))
#define TV_CUT(p, i) (&AS_VEC_AT(&(p)->cuts, tv_cut, i))

/* ---- values.c */
/* false with err: a statement that no block graph has */
bool tv_read(tv_program *p);
void tv_clear(tv_program *p);
bool tv_fail(const tv_program *p, const as_tile_stmt *stmt, const char *what);
as_size tv_size(const tv_program *p, const as_tile_scalar *scalar); /* AS_SIZE_BAD: none */
/* by the axes of the tensor; false: not tiles of loops, lane by lane */
bool tv_place(const tv_program *p, const as_tile_stmt *stmt, tv_part *part);
bool tv_is_within(const tv_program *p, uint32_t loop, uint32_t outer); /* or the same */
/* is this a call of the exponential of its argument, element by element? */
bool tv_is_exponential(const tv_value *value);
/* does it sum its one operand along an axis that is stated?  which */
bool tv_sums_along(const tv_program *p, const tv_value *value, int *axis);
/* does it only move elements of its one operand? */
bool tv_is_move(const tv_value *value);

/* What a load of a scratch tensor is where a loop that carries sums has stored it, tile by tile:
 * the store's value with `from` for `to`, loops of the same number of tiles.  false: it is loaded
 * from memory. */
typedef struct {
  uint32_t n;
  uint32_t from[TV_MOST_AXES];
  uint32_t to[TV_MOST_AXES];
} tv_renaming;

bool tv_forwards(const tv_program *p, const tv_value *load, const tv_store **store,
                 tv_renaming *renaming);
/* the store that a load reads, AS_NONE: an input; false with err: there is no one store before */
bool tv_source(const tv_program *p, const tv_value *load, uint32_t *store);

/* ---- cuts.c */
typedef struct {
  bool is_store;
  uint32_t number;    /* of the store, or of the value that is cut */
  uint32_t value;     /* that is stored */
  uint64_t loops;     /* that the value differs by, as bits */
  uint32_t sums;      /* the loop that sums, AS_NONE */
  uint64_t needs;     /* other roots that its kernel loads, as bits */
  uint64_t all_needs; /* and those that these need */
} tv_root;

/* of a tile, at the sizes stated */
double tv_elements(const tv_program *p, const as_tile_stmt *stmt);
/* Cuts, until each kernel has one loop that sums; the tensors that kernels store. false with err */
bool tv_plan(tv_program *p, as_vec *roots);
#endif
