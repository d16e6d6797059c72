/* What the files of the search share: parts of a program, axis classes, plans, values and
 * derivations. May include: base, ir, search/abstract.h.  Private to search/ and its tests. */
#ifndef AS_SEARCH_SG_H
#define AS_SEARCH_SG_H
#include "abstract.h"
#include "limits.h"
#include "src/base/vec.h"
#include "src/ir/graph.h"

/* An axis class: axes that must have the same index because an operator makes them meet.  A label
 * is a class and whether the axis holds a tile of it (one block's, one iteration's) or all of it.
 */
typedef uint8_t sg_label;
#define SG_UNIT 255 /* an axis of extent 1 written as such */
#define SG_LABEL(c, tile) ((sg_label)(2 * (c) + ((tile) ? 1 : 0)))
#define SG_CLASS(l) ((uint32_t)(l) >> 1)
#define SG_IS_TILE(l) ((l)&1)
#define SG_NO_CLASS 255

typedef struct {
  uint32_t rank;
  sg_label ax[AS_MAX_RANK];
} sg_axes;

typedef enum { SG_WHOLE, SG_GRID, SG_GRID_ONE /* tile of extent 1 */, SG_LOOP } sg_mode;

typedef struct {
  as_size extent;
  bool rigid;        /* its elements are addressed by arithmetic, or no relation may split it */
  bool may_be_empty; /* the program allows the extent 0 */
  bool in_outputs;
  bool in_inputs;
  uint32_t rank /* place in the common order of axes */;
  /* of an axis that is also two, as classes: index = outer index * inner extent + inner index;
   * SG_NO_CLASS: it has no parts */
  uint8_t outer;
  uint8_t inner;
  /* the class that is right behind this one wherever one of them is, and that no operator tells
   * apart from it; SG_NO_CLASS: there is none */
  uint8_t alike;
  bool is_outer; /* of another class */
  bool is_inner;
} sg_class;

typedef struct {
  const as_graph *g;
  uint32_t *tensor;
  uint32_t n; /* node ids: inputs and constants first, then operators in order */
  uint32_t n_leaf;
  uint32_t n_input; /* inputs are 0 .. n_input-1, constants up to n_leaf */
  uint32_t *output;
  uint32_t n_output; /* positions in tensor */
  sg_axes *axes;     /* of each tensor, labels of whole classes */
  sg_class classes[AX_MAX_CLASS];
  uint32_t n_classes;
  uint32_t max_rank;
  bool ones_are_rows; /* an input's extent of 1 has a class where it is the row of a product */
} sg_part;

/* nodes: operator nodes of g, consecutive among its operators; last_use[node]: the last node that
 * reads it (AS_NONE: an output). false: too many axes to look at. */
bool sg_part_init(sg_part *p, const as_graph *g, const uint32_t *nodes, uint32_t n,
                  const uint32_t *last_use);
uint32_t *sg_last_use(const as_graph *g); /* malloc'ed */
void sg_part_clear(sg_part *p);
/* classes of which some tensor has two axes: they stay whole */
uint32_t sg_repeated_axes(const sg_part *p);

typedef struct {
  sg_mode mode[AX_MAX_CLASS];
  int loop; /* class or -1 */
  uint32_t grid[3];
  uint32_t n_grid;
  uint8_t lead[AX_MAX_CLASS]; /* the class that has as many tiles, along one grid axis; itself */
  double score;
} sg_plan;

/* --- alike.c: axes that no operator tells apart, and plans that divide them as one axis */
/* sets `alike` of all classes of a part whose axes are known */
void sg_find_alike(sg_part *part);
/* whether axes that are alike begin with the class, and are not those of the other one */
bool sg_begins_run(const sg_part *part, uint32_t cls, uint32_t other);
/* whether the plan's tiles are stretches of elements along axes that are alike: of the others each
 * has a plan that is as good */
bool sg_divides_runs(const sg_part *part, const sg_plan *plan);
/* whether every size of the graph's own states a value */
bool sg_has_values(const as_graph *graph);
/* the value that the sizes state, those without one taken for 1 */
double sg_concrete_extent(const as_sizes *sizes, as_size extent);

/* plans in canonical order, malloc'ed; struck: limits that strike are counted there */
sg_plan *sg_plans(const sg_part *p, uint32_t *n, uint64_t *struck);

/* --- views.c: axes that are one axis here and two there */
typedef enum { SG_NO_VIEW, SG_VIEW_SPLIT, SG_VIEW_MERGE } sg_view;

/* an operator that writes one axis as two or two as one, and nothing else */
sg_view sg_op_view(const as_opdef *op);
bool sg_has_parts(const sg_part *part, uint32_t cls);
/* whether `wanted` is the class or a part of it, at any depth */
bool sg_class_has(const sg_part *part, uint32_t cls, uint32_t wanted);
bool sg_label_has(const sg_part *part, sg_label label, uint32_t cls);
/* bits of the indices that an index of the class is made of, as in abstract.h */
uint64_t sg_class_dep(const sg_part *part, uint32_t cls);
/* the modes of classes with parts, from those of the parts; false: no tile is contiguous */
bool sg_settle_parts(const sg_part *part, sg_plan *plan);
/* whether the loop divides the class: itself, or its outer part */
bool sg_is_looped(const sg_plan *plan, uint32_t cls);
/* whether a block has one index of the class' outer part, and the loop goes over the inner one */
bool sg_loops_within(const sg_part *part, const sg_plan *plan, uint32_t cls);
/* whether a block has one index of the class' outer part, and a tile of the inner one by another
 * grid axis */
bool sg_grids_within(const sg_part *part, const sg_plan *plan, uint32_t cls);
/* a label with tiles of one index left out: SG_UNIT where none but those are in it */
sg_label sg_flat_label(const sg_part *part, const sg_plan *plan, sg_label label);
/* whether the elements lie in the same order: the axes differ by some of extent 1 only */
bool sg_same_but_units(const sg_part *part, const sg_plan *plan, const sg_axes *left,
                       const sg_axes *right);

/* --- applying an operator's specification to labelled tensors */
typedef struct {
  ax_store *A; /* NULL: only labels */
  const sg_part *part;
  const sg_plan *plan; /* NULL: everything whole */
  uint8_t *parent;     /* not NULL: labels that meet are united */
  sg_part *growing;    /* not NULL: the part, to which classes may be added */
  const as_sizes *sizes;
  ax_id whole[AX_MAX_CLASS];
  ax_id tile[AX_MAX_CLASS];
  ax_id loop[AX_MAX_CLASS]; /* sizes as expressions */
  bool strict_ones;  /* program level: NumPy alignment; otherwise axes are aligned by class */
  uint32_t *reduced; /* not NULL: classes that a call reduces are added, as bits */
} sg_ctx;

/* one name for sizes that a relation of the program says are equal: the one that has a product */
as_size sg_known_extent(const sg_part *part, as_size extent);
/* a new class that no tensor has yet; SG_NO_CLASS: there is no room */
uint32_t sg_fresh_class(sg_part *part, uint8_t *parent, as_size extent, bool rigid);
/* false: not an operation on such axes (wrong ranks, axes that do not meet, elements addressed by
 * more than plain indices) */
bool sg_apply(const sg_ctx *C, const as_opdef *op, const as_attr *attr, uint32_t nargs,
              const sg_axes *arg, const ax_id *expr, sg_axes *out, ax_id *out_expr);
/* the name under which abstract expressions keep what they do not look into; NULL: they do */
const char *sg_opaque_head(const as_expr *expr);
ax_id sg_size_expr(const sg_ctx *C, as_size s);

/* --- carry.c: calls that sg_apply does not follow */
typedef struct {
  sg_axes out;                             /* new axes: SG_UNIT */
  bool is_new[AS_MAX_RANK];                /* of the result: no operand's */
  bool is_repeated[AS_MAX_RANK];           /* new, and all along it the result is the same */
  bool computed[AS_MAX_ARGS][AS_MAX_RANK]; /* of the operands: read at computed places */
} sg_carried;

/* which axes are only passed on; false: the call cannot be matched, and none is (computed says so)
 */
bool sg_carry(const sg_ctx *C, const as_opdef *op, const as_attr *attr, uint32_t nargs,
              const sg_axes *arg, sg_carried *result);
/* the call as a function of its operands' expressions; dep: as in ax_opaque */
ax_id sg_opaque_call(const sg_ctx *C, const as_opdef *op, const as_attr *attr, uint32_t nargs,
                     const ax_id *expr, uint64_t dep);
bool sg_op_is_pointwise(
    const as_opdef *op); /* every argument is read at the result's own index (or broadcast) */
bool sg_op_broadcasts(const as_opdef *op);
/* the attribute's place in the operator; -1: it has none of that name */
int sg_attr_index(const as_opdef *op, const char *name);
/* two operands whose leading axes broadcast, before axes of their own: as a matrix product */
bool sg_op_batches(const as_opdef *op);
/* expressions of all tensors of the part under C's plan; false: the plan does not fit the program
 */
bool sg_program_exprs(const sg_ctx *C, ax_id *expr, sg_axes *axes);
bool sg_merge(const sg_part *p, const sg_axes *a, const sg_axes *b, sg_axes *out);
bool sg_axes_eq(const sg_axes *a, const sg_axes *b);

/* --- the enumerator */
typedef struct {
  const as_opdef *op;
  as_attr attr[AS_MAX_ATTRS];
  bool commutes;
  bool pointwise;
  bool broadcasts;
  bool linear;
  bool divides;
  bool adds;
  bool summed; /* over an axis, of what the three above say */
  /* the body is the two operands and their product with these signs, as x + y - x * y; sign[2] may
   * be 0: no product.  sign[0] is 0: it is nothing of the kind */
  int8_t sign[3];
} sg_inst; /* operator with attributes */

typedef struct {
  sg_inst *inst;
  uint32_t n;
} sg_vocab;

/* an operator on two operands whose body is their sum, product, maximum or minimum */
bool sg_op_commutes(const as_opdef *op);
bool sg_attr_same(const as_attr *a, const as_attr *b);
void sg_vocab_init(sg_vocab *v, const sg_part *p);
void sg_vocab_clear(sg_vocab *v);
/* by instance: whether its results can be parts of the targets; malloc'ed */
bool *sg_vocab_usable(const sg_vocab *v, const ax_store *store, const ax_id *target,
                      uint32_t n_target);

/* the new sizes of a plan, as symbols of abstract expressions: tile of class c, and the number of
 * its tiles */
#define SG_TILE_SYM(c) (0x80000000u | 2 * (c))
#define SG_COUNT_SYM(c) (0x80000000u | (2 * (c) + 1))

typedef enum { SG_D_LOAD, SG_D_CONST, SG_D_OP, SG_D_ACC, SG_D_RUN, SG_D_SCALE } sg_dkind;

typedef struct {
  sg_dkind kind;
  uint32_t value;
  uint32_t inst;
  as_acc_kind acc;
  uint32_t nargs;
  uint32_t arg[AS_MAX_ARGS];
  ax_id factor;
  uint32_t weight;
} sg_deriv;

enum { SG_STILL, SG_VARYING, SG_AFTER };

typedef struct {
  ax_id expr;
  sg_axes axes;
  uint32_t axes_id; /* of sg_labels_id */
  uint8_t phase;
  uint32_t run /* value of the running maximum read, or AS_NONE */;
  uint32_t cost;   /* weight of the lightest way known, where nothing is shared */
  uint32_t ops;    /* operators and accumulators of the shortest way known, counted the same way */
  bool of_program; /* a value, or a part of one, that the program computes itself */
  bool done;       /* steps from it were tried */
  as_vec derivs /* uint32_t */;
} sg_value;

typedef struct {
  uint32_t max_values;
  uint32_t max_states;
  uint32_t keep;
  bool z3;
  /* 0, or nothing is pruned but what takes more operators and accumulators than this (what two use
   * counts twice) */
  uint32_t most_ops;
  double shared_block; /* bytes that a block may have: no tile is larger */
  as_search_deadline deadline;
} sg_limits;

typedef struct {
  uint64_t states;
  uint64_t shape;
  uint64_t abstract;
  uint64_t unit;
  uint64_t repeat;
  uint64_t memory;
  uint64_t values;
  uint64_t plans;
  uint64_t candidates;
  uint64_t struck[AS_LIMIT_N];
} sg_stats;

typedef struct sg_space sg_space;

typedef struct {
  uint32_t *deriv;
  uint32_t n;
  uint32_t *goal;
  uint32_t n_goal;
  uint64_t weight;
} sg_recipe; /* derivations in an order in which they can be made */

sg_space *sg_space_new(const sg_part *p, const sg_plan *plan, const sg_vocab *v,
                       const sg_limits *lim);
void sg_space_free(sg_space *s);
/* false: the plan does not fit, or there was no time left for it */
bool sg_space_enumerate(sg_space *s, sg_stats *st);
/* the best graphs, lightest first; malloc'ed */
sg_recipe *sg_space_extract(sg_space *s, uint32_t keep, uint32_t *n);
/* gives back what only enumerating and extracting need */
void sg_space_settle(sg_space *s);
void sg_recipe_clear(sg_recipe *r);
const sg_value *sg_space_value(const sg_space *s, uint32_t i);
const sg_deriv *sg_space_deriv(const sg_space *s, uint32_t i);
ax_store *sg_space_store(sg_space *s);
/* adds the recipe as a block of graph g (whose kernel-level node of part tensor i is node[i]);
 * fills node[] of the part's outputs */
bool sg_build_block(as_graph *g, const sg_space *s, const sg_part *p, const sg_plan *plan,
                    const sg_vocab *v, const sg_recipe *r, as_node_id *node, as_err *err);
/* the same as two kernels: blocks that share the loop's axis, and one that combines their states */
bool sg_can_split(const sg_space *s, const sg_part *p, const sg_plan *plan, const sg_recipe *r);
bool sg_build_split(as_graph *g, const sg_space *s, const sg_part *p, const sg_plan *plan,
                    const sg_vocab *v, const sg_recipe *r, as_node_id *node, as_err *err);

/* a recipe and what it is of; node: of the part's inputs */
typedef struct {
  const sg_space *space;
  const sg_part *part;
  const sg_plan *plan;
  const sg_vocab *vocab;
  const sg_recipe *recipe;
  const as_node_id *node;
} sg_found;

/* the same as a kernel of states for each of one or two recipes, and one that combines them all as
 * the first goes on; twin: by value of the first, the second's accumulator and tile of a maximum */
bool sg_build_states(as_graph *g, const sg_found *found, uint32_t n_found, const uint32_t *twin,
                     as_node_id *node, as_err *err);
#endif
