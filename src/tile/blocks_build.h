/* Inside of as_tile_blocks: kernels and their block graphs while they are built. */
#ifndef AS_TILE_BLOCKS_BUILD_H
#define AS_TILE_BLOCKS_BUILD_H
#include "blocks_int.h"

enum { TV_MOST_EXTENTS = 8, TV_LOOP_AXIS = 3 };

/* a value in a kernel; code: the axes of the kernel that the loops around it are */
typedef struct {
  uint32_t value;
  uint64_t code;
  as_node_id node;
} tv_made;

/* an exponential of the difference to the running maximum */
typedef struct {
  uint32_t value;
  as_node_id most;    /* the accumulator */
  as_node_id running; /* along fewer axes than the exponential */
} tv_shift;

/* extents of tiles along one grid axis */
typedef struct {
  as_size tile[TV_MOST_EXTENTS];
  uint32_t n;
} tv_extents;

typedef struct {
  uint32_t n_grid;
  uint32_t grid[3]; /* loops */
  uint32_t sums;    /* the loop, AS_NONE */
  uint64_t roots;   /* bits */
  bool ordered;
  bool visiting;
  bool may_retile; /* along the axis of these two sizes: how many tiles, of which extent */
  bool retiled;    /* in the second build: these two sizes stand for them */
  as_size from[2];
  as_size to[2];
  /* In the second build one more axis of the grid divides this size of the program, the extent of
   * a whole axis; to[0] is how many tiles, to[1] stands for it.  AS_SIZE_BAD: none. */
  as_size may_divide;
  bool divided;
} tv_kernel;

typedef struct {
  tv_program *p;
  as_graph *graph;
  as_vec roots;
  tv_kernel *kernel;
  uint32_t n;
  uint32_t *order;
  uint32_t n_order;
  as_node_id *stored; /* by store: the node */
  bool again;         /* with tiles of other extents */
  /* of the kernel at hand */
  tv_kernel *at;
  uint32_t block;
  int axis_of[TV_MOST_LOOPS]; /* by loop: the kernel's axis, -1 */
  as_vec made;
  as_vec shifts;
  tv_extents tiles[4];
} tv_builder;

#define TV_ROOT(b, i) (&AS_VEC_AT(&(b)->roots, tv_root, i))

/* ---- block_kernels.c: which kernel stores what, and their order */
/* what each root loads; false with err: there are too many */
bool tv_find_needs(tv_builder *b);
/* in a kernel that there is, or a new one; false with err */
bool tv_place_root(tv_builder *b, uint32_t number);
/* does the kernel at hand make it? */
bool tv_is_own(const tv_builder *b, bool is_store, uint32_t number);
/* those that a kernel reads from come before it; false with err: they read each other */
bool tv_order_kernel(tv_builder *b, uint32_t number);

/* ---- block_values.c: values of the kernel at hand; AS_NONE with err */
as_node_id tv_make_value(tv_builder *b, uint32_t number);
/* op(x, axis), or op(x, y) where y is not AS_NONE */
as_node_id tv_apply(tv_builder *b, const char *name, as_node_id x, as_node_id y, int axis);
/* attr: initialised */
bool tv_set_attributes(tv_builder *b, const tv_value *value, as_attr *attr);
as_size tv_substituted(const tv_builder *b, as_size size);
/* an axis d of this extent in the text, where one more axis of the grid divides such axes */
bool tv_divide(const tv_builder *b, as_size extent, uint32_t d, int map[4]);
/* the kernel's axes that divide an axis of a tensor; false: not in the order of the kernel's */
bool tv_map_part(tv_builder *b, const tv_part *part, uint32_t d, int map[4]);

/* ---- block_moves.c: moves of axes of extent 1 */
/* What a value is; where `bare`, without its axes of extent 1, which are put in when it is used. */
typedef struct {
  as_node_id node; /* AS_NONE with err */
  bool bare;
  uint32_t rank;
  as_size dim[AS_MAX_RANK];
} tv_shaped;

/* moves in a row are one */
tv_shaped tv_shape_value(tv_builder *b, uint32_t number);
as_node_id tv_with_ones(tv_builder *b, const tv_shaped *value);

/* ---- block_tiles.c: tiles of any extent, where the text has those of one size of the program */
void tv_find_other_tiles(tv_builder *b, tv_kernel *k);
void tv_find_division(tv_builder *b, tv_kernel *k);
bool tv_is_retiled(const tv_kernel *k);
bool tv_declare_others(tv_builder *b, tv_kernel *k);
#endif
