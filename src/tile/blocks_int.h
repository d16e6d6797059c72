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
  TV_TOTAL,  /* what a loop has summed up */
  TV_UPDATE, /* a tensor with other elements from one place along an axis on */
  TV_MOST, /* the maximum of an exponential's argument, over a loop and the axis that it divides */
  TV_OTHER /* what no block graph has; an error where it is needed */
} tv_kind;

typedef struct {
  tv_kind kind;
  const as_tile_stmt *stmt; /* where it is made */
  const as_tile_expr *expr; /* NUMBER, CALL */
  uint32_t n_arg; /* TOTAL: the term; MOST: the exponential; UPDATE: before, the elements */
  uint32_t arg[AS_MAX_ARGS];
  uint32_t loop;             /* that it is made in; AS_NONE: outside of all */
  uint32_t of;               /* TOTAL, MOST: the loop that sums */
  uint32_t source;           /* LOAD: the store whose tensor it reads; AS_NONE: an input */
  const as_tile_stmt *shape; /* TOTAL: by its lanes the extents */
  uint32_t axis;             /* UPDATE: of the tile */
  as_size start;             /* UPDATE */
  const char *name;
} tv_value;

typedef struct {
  const as_tile_stmt *stmt;
  uint32_t parent; /* AS_NONE: none */
  as_size variable;
  as_size step;
  as_size count;
  bool sums; /* something is carried by it, or summed up in memory */
} tv_loop;

typedef struct {
  const as_tile_stmt *stmt;
  uint32_t value;
  uint32_t loop;
  bool is_state;   /* what a round of the loop finds there; nothing is stored */
  uint32_t before; /* of a state: the store before the loop, AS_NONE */
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
  uint32_t bare; /* of a number: that many axes of extent 1 */
  int folded;    /* of a maximum: the axis that it is over */
} tv_cut;

/* tiles that a loop goes by, of any extent that divides the axis */
typedef struct {
  as_size extent;
  as_size step;
  as_size count;
} tv_free;

/* a size that the text declares is the extent of a tensor that the given program has too */
typedef struct {
  as_size own;
  as_size given;
} tv_tie;

/* What is stored is what the tensor was, with other elements from `start` on along this axis, which
 * is whole; the lane of it is the axis of the tile. */
typedef struct {
  const as_tile_stmt *stmt;
  uint32_t axis;
  uint32_t lane;
  as_size start;
} tv_updated;

typedef struct {
  as_tile_program *program;
  as_graph *given; /* with sizes of its own */
  const as_tile_blocks_how *how;
  as_err *err;
  bool rewritten; /* lines are those of the text as operators, not of the one that was given */
  as_vec loops;
  as_vec values;
  as_vec stores;
  as_vec frees;        /* tv_free: tiles of any extent */
  as_vec ties;         /* tv_tie: sizes of the text that are sizes of the given program */
  as_vec updates;      /* tv_updated: stores to a part of a tensor */
  uint32_t *of_slot;   /* by tile slot: the value */
  uint32_t *stored_by; /* by tensor: the last store so far; AS_NONE: none */
  uint32_t *result;    /* by output of the given program: the tensor */
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
/* the same, of one axis, whose lane is the next one; start: where it begins */
bool tv_read_axis(const tv_program *p, const as_tile_stmt *stmt, uint32_t d, uint32_t *lane,
                  tv_part *part, as_size *start);
const tv_updated *tv_update_of(const tv_program *p, const as_tile_stmt *stmt); /* NULL: none */
bool tv_is_within(const tv_program *p, uint32_t loop, uint32_t outer);         /* or the same */
/* a size with those of the given program for those that are tied to them */
as_size tv_tied(const tv_program *p, as_size size);
uint32_t tv_add_value(tv_program *p, const tv_value *value);
/* what a loop has summed up where each round makes `next` of `state`; AS_NONE: it is no sum */
uint32_t tv_add_total(tv_program *p, uint32_t loop, uint32_t state, uint32_t next,
                      const as_tile_stmt *shape, const char *name);
bool tv_is_zero(const as_tile_scalar *scalar);
/* one tile of one tensor, whatever it is called? of statements whose loops are read */
bool tv_same_place(const tv_program *p, const as_tile_stmt *one, const as_tile_stmt *other);
/* is this a call of the exponential of its argument, element by element? */
bool tv_is_exponential(const tv_value *value);
/* does it sum its one operand along an axis that is stated?  which */
bool tv_sums_along(const tv_program *p, const tv_value *value, int *axis);
/* does an operator reduce elements? */
bool tv_reduces(const as_opdef *op);
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
/* the store that a load reads, AS_NONE: an input; false with err: nothing was stored before */
bool tv_source(const tv_program *p, const tv_value *load, uint32_t *store);

/* ---- memory.c: what tensors hold as the text is read */
/* the extents of tensors that the given program has by the same name are its extents */
void tv_tie_sizes(tv_program *p);
/* which tensor is which result of the given program; false with err */
bool tv_find_results(tv_program *p);
/* the value of a tile that is loaded: one that was stored at that place, or a load */
uint32_t tv_read_load(tv_program *p, const as_tile_stmt *stmt, uint32_t loop);
bool tv_add_store(tv_program *p, const as_tile_stmt *stmt, uint32_t loop);
/* Tensors that each round of a loop stores to at one place: within the loop they hold a state, and
 * after it a sum, or what the last round has stored.  `before`: empty; by tensor what was stored
 * before, AS_NONE. */
void tv_enter_loop(tv_program *p, uint32_t loop, as_vec *before);
void tv_leave_loop(tv_program *p, uint32_t loop, const as_vec *before);

/* ---- cuts.c */
/* the loops that a value differs by */
uint64_t tv_loops_of(const tv_program *p, uint32_t number);

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
