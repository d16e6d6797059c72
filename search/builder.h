/* Making a block of a muGraph from a recipe: what build.c (one kernel) and split.c (a kernel whose
 * loop several blocks share, and one that combines) have in common.
 * May include: sg_space.h.  Private to the two. */
#ifndef AS_SEARCH_BUILDER_H
#define AS_SEARCH_BUILDER_H
#include "sg_space.h"

typedef struct {
  as_node_id id; /* AS_NONE: not made */
  sg_axes real;  /* with the axes of extent 1 that the tensor really has */
} sg_made_node;

typedef struct {
  as_graph *graph;
  const sg_space *space;
  const sg_part *part;
  const sg_plan *plan;
  const sg_vocab *vocab;
  bool divides_loop; /* the blocks along one more grid axis share the loop's axis */
  as_size sharers;   /* how many */
  uint8_t more;      /* a class that the grid divides beside the plan's, whose labels say that it is
                        whole;      SG_NO_CLASS: none */
  as_size tile[AX_MAX_CLASS];
  as_size count[AX_MAX_CLASS];
  bool cut[AX_MAX_CLASS]; /* tiles may reach beyond the extent, where the last one is cut off */
  uint32_t block;
  sg_made_node *nodes; /* by value */
  as_node_id *maximum; /* of a tile: its max accumulator */
  as_err *err;
} sg_builder;

/* the order in which a block's statements stand */
typedef enum { SG_STAGE_LOAD, SG_STAGE_BODY, SG_STAGE_ACC, SG_STAGE_AFTER } sg_stage;

/* the plan's new sizes, their relations, and the block with its grid and loop */
bool sg_builder_sizes(sg_builder *to);
/* room for the nodes; to be cleared */
void sg_builder_init(sg_builder *to);
void sg_builder_clear(sg_builder *to);
/* the derivations of these stages, of those wanted (NULL: all) by place in the recipe; node: of the
 * part's inputs */
bool sg_builder_stages(sg_builder *to, const sg_recipe *recipe, const bool *wanted, sg_stage first,
                       sg_stage last, const as_node_id *node);
bool sg_builder_value(sg_builder *to, const sg_deriv *deriv, const as_node_id *node);
bool sg_builder_store_outputs(sg_builder *to, const sg_recipe *recipe, as_node_id *node);

/* which axis of the tensor each grid axis and the loop divide */
void sg_builder_map(const sg_builder *to, const sg_axes *axes, bool with_loop, int map[4]);
/* extents of a tile with these axes, and where it may be cut off those of the tensor (AS_SIZE_BAD
 * elsewhere) */
void sg_builder_tile(const sg_builder *to, const sg_axes *axes, as_size *tile, as_size *upto);
/* an operator of the library by name, `axis` its first attribute where it has one; AS_NONE with err
 */
as_node_id sg_builder_call(sg_builder *to, const char *op, const as_node_id *arg, uint32_t nargs,
                           long axis, as_err *err);
/* the same tensor with axes of extent 1 put in or taken out until it has the axes `want` */
as_node_id sg_builder_adapt(sg_builder *to, const sg_made_node *from, const sg_axes *want);
/* one accumulator gives both the running and the final maximum */
as_node_id sg_builder_max(sg_builder *to, uint32_t tile);
#endif
