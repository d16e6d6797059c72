/* What tile programs touch: tensors, loop variables, accesses (a tile of a tensor, by loop
 * variables), and effects (sets of reads and writes).  All are numbers of rows kept once, so equal
 * ones have equal numbers.  May include: base, ir.  Private to search/tiles and its tests.
 *
 * A loop variable counts tiles of an axis class: tile v of a tensor's axis is [v*T, v*T + T).  An
 * axis that the program writes as two (4096 columns as 32 heads of 128) can be counted by a
 * variable of its outer part too: tile h is then [h*D, h*D + D). */
#ifndef AS_TILES_ACCESS_H
#define AS_TILES_ACCESS_H
#include "src/base/intern.h"
#include "src/base/vec.h"
#include "src/ir/graph.h"

enum { TL_WHOLE = 0 }; /* in an access: the axis is not divided; v + 1: by variable v */

#define TL_MOST_VARIABLES 64

typedef struct {
  char *name;
  as_size extent;
  uint32_t outer; /* classes that the axis is written as elsewhere: AS_NONE, or extent = outer's *
                     inner's */
  uint32_t inner;
} tl_axis;

typedef struct {
  char *name;
  uint32_t axis;
  as_size count; /* iterations */
  as_size tile;  /* extent of a tile of `axis` */
} tl_variable;

typedef struct {
  char *name; /* as it is written; unique */
  uint32_t rank;
  uint32_t axis[AS_MAX_RANK]; /* classes; AS_NONE: of extent 1 */
  as_node_id node;            /* of the program, where it has that tensor */
  bool is_input;
  bool is_output;
  uint64_t sums_over; /* ADDs to it sum over the iterations of these variables, as bits */
  uint32_t writers;   /* statements of the given program that write it */
  uint32_t made_of;   /* of a sum before what it is divided or scaled by: the tensor + 1; else 0 */
  uint32_t sums;      /* of such: the class of what is added */
} tl_tensor;

typedef struct {
  const as_opdef *op;
  as_attr attr[AS_MAX_ATTRS];
} tl_operator;

typedef enum {
  TL_READ,
  TL_WRITE,
  TL_SUM /* TL_SUM + k: added to, and k + 1 of the loops that it sums over are not around yet */
} tl_mode;

typedef struct {
  uint32_t access;
  uint32_t mode;
} tl_effect;

typedef struct {
  as_sizes *sizes;   /* borrowed */
  as_graph *program; /* borrowed: numbers are nodes of it */
  as_vec axes;       /* tl_axis */
  as_vec variables;  /* tl_variable */
  as_vec tensors;    /* tl_tensor */
  as_vec operators;  /* tl_operator */
  as_intern rows;    /* accesses: uint32_t tensor, then one a dimension */
  as_intern effects; /* tl_effect each, sorted */
  as_intern shapes;  /* as_size each */
  as_arena *mem;
  int64_t *env; /* concrete values of sizes by number, as of tl_accesses_values */
} tl_accesses;

void tl_accesses_init(tl_accesses *all, as_graph *program);
void tl_accesses_clear(tl_accesses *all);

const tl_axis *tl_axis_at(const tl_accesses *all, uint32_t axis);
const tl_variable *tl_variable_at(const tl_accesses *all, uint32_t variable);
tl_tensor *tl_tensor_at(const tl_accesses *all, uint32_t tensor);
const tl_operator *tl_operator_at(const tl_accesses *all, uint32_t op);
/* each copies what it is given, texts too */
uint32_t tl_add_axis(tl_accesses *all, const tl_axis *axis);
uint32_t tl_add_variable(tl_accesses *all, const tl_variable *variable);
uint32_t tl_add_tensor(tl_accesses *all, const tl_tensor *tensor);
uint32_t tl_add_operator(tl_accesses *all, const as_opdef *op, const as_attr *attr);

/* by: for each dimension TL_WHOLE or a variable + 1 */
uint32_t tl_access(tl_accesses *all, uint32_t tensor, const uint32_t *by);
uint32_t tl_access_tensor(const tl_accesses *all, uint32_t access);
const uint32_t *tl_access_by(const tl_accesses *all, uint32_t access, uint32_t *rank);
/* the same with another variable (+ 1), or TL_WHOLE, in the place of one (+ 1) */
uint32_t tl_access_with(tl_accesses *all, uint32_t access, uint32_t variable, uint32_t other);
/* extent of the tile along an axis that is divided by `by`; AS_SIZE_BAD: it cannot be */
as_size tl_tile_extent(const tl_accesses *all, uint32_t axis, uint32_t by);

/* looks up the values of all sizes; to be called after the last one was made */
void tl_accesses_values(tl_accesses *all);
/* at these; at least 1 */
int64_t tl_value(const tl_accesses *all, as_size size);

/* --- shapes: extents of a tile */
uint32_t tl_shape(tl_accesses *all, const as_size *dim, uint32_t rank);
const as_size *tl_shape_dims(const tl_accesses *all, uint32_t shape, uint32_t *rank);
/* AS_NONE: an axis cannot be divided so */
uint32_t tl_access_shape(tl_accesses *all, uint32_t access);
/* of a call's result; AS_NONE: the shapes do not fit */
uint32_t tl_call_shape(tl_accesses *all, uint32_t op, const uint32_t *shape, uint32_t n);

/* --- effects */
uint32_t tl_no_effect(tl_accesses *all);
uint32_t tl_effect_of(tl_accesses *all, uint32_t access, uint32_t mode);
const tl_effect *tl_effects(const tl_accesses *all, uint32_t effects, uint32_t *n);
uint32_t tl_effects_or(tl_accesses *all, uint32_t left, uint32_t right);
/* of one after the other: what the first wrote and the second reads at the same places is not read
 * from outside */
uint32_t tl_effects_then(tl_accesses *all, uint32_t first, uint32_t second);
/* of all iterations of a loop: tiles by its variable become whole axes */
uint32_t tl_effects_loop(tl_accesses *all, uint32_t body, uint32_t variable);
/* without reads of this access */
uint32_t tl_effects_without_read(tl_accesses *all, uint32_t effects, uint32_t access);

/* --- what rules ask; each argument is a set of effects */
/* neither writes what the other touches: their order does not matter */
bool tl_independent(const tl_accesses *all, uint32_t left, uint32_t right);
/* whatever one of them writes and the other touches, both touch it by tile `variable` of one axis:
 * what depends on another depends on it within one iteration */
bool tl_aligned(const tl_accesses *all, uint32_t left, uint32_t right, uint32_t variable);
/* nothing is touched by this variable */
bool tl_is_free(const tl_accesses *all, uint32_t effects, uint32_t variable);
/* done once more, it writes the same: no sum lacks a loop, nothing written is read before */
bool tl_repeatable(const tl_accesses *all, uint32_t effects);
/* `left` writes nothing that `right` touches */
bool tl_keeps(const tl_accesses *all, uint32_t left, uint32_t right);
/* `right` reads something that `left` writes */
bool tl_feeds(const tl_accesses *all, uint32_t left, uint32_t right);
/* the loops may change places: what is written, and touched otherwise, is touched by tiles of the
 * one or of the other, or is only added to */
bool tl_exchangeable(const tl_accesses *all, uint32_t effects, uint32_t outer, uint32_t inner);
#endif
