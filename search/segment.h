/* Some of a program's operators as a program of their own, and the kernels found for it.
 * May include: sg.h, search.h.  Private to search/. */
#ifndef AS_SEARCH_SEGMENT_H
#define AS_SEARCH_SEGMENT_H
#include "condition.h"
#include "search.h"
#include "sg.h"

typedef struct {
  uint32_t plan;
  uint32_t recipe;
  bool split;          /* several blocks share the loop's axis, a second kernel combines */
  bool joined;         /* plan and recipe are of the first of the two sides, .. */
  uint32_t other_plan; /* .. and these of the second */
  uint32_t other_recipe;
  bool proved; /* as a program of its own */
  double us;
  uint64_t weight;
} sg_rank;

/* What a segment is cut out of: some operators of a program, in order. */
typedef struct {
  const as_graph *graph;
  const uint32_t *op;
  uint32_t n;
  const uint32_t *kernel; /* those of the whole kernel: what only these read is not stored */
  uint32_t n_kernel;
  const uint32_t *instead; /* by node, what is read in its place; NULL: itself */
  /* with `instead`: only plans whose loop goes over this axis of this node are searched */
  uint32_t loop_node;
  uint32_t loop_axis;
} sg_cut;

typedef struct sg_segment {
  as_graph *sub;
  uint32_t *to_main; /* the segment as a program; its nodes' ids in the whole program */
  sg_part part;
  sg_vocab vocab;
  sg_limits limits;
  sg_plan *plan;
  uint32_t n_plan;
  sg_space **space;
  sg_recipe **recipe;
  uint32_t *n_recipe;
  sg_stats *stats; /* per plan */
  sg_rank *rank;
  uint32_t n_rank; /* best first */
  bool has_part;
  as_condition given;   /* what its operators risk in floats as they are */
  uint64_t recorded_as; /* where outcomes of plans are recorded */
  char *key;            /* what its graphs depend on; NULL: they were not shared */
  uint64_t key_hash;
  bool lowers;             /* the back end can lower the best graph */
  uint32_t n_unproved;     /* best graphs that were beyond the prover */
  struct sg_segment *like; /* an earlier one that says the same; NULL: there is none */
  /* Two, or NULL: the same operators of either of the two tensors that a concatenation joins
   * (join.c). */
  struct sg_segment *side;
} sg_segment;

/* no tensor of the program and no size of its own is called so */
bool sg_name_is_free(const as_graph *graph, const char *name);
/* declares the sizes of one program in another, with their relations */
bool sg_copy_sizes(as_graph *to, const as_graph *from, as_err *err);
/* The operators of the cut, in order, a convex part of the dataflow graph, with the plans for them,
 * none of which is enumerated yet.  false: not even a program of its own (err filled) */
bool sg_segment_prepare(sg_segment *s, const sg_cut *cut, const as_search_opts *o,
                        const as_search_deadline *deadline, as_search_stats *st, as_err *err);
/* searches what was prepared */
void sg_segment_complete(sg_segment *s, const sg_cut *cut, const as_search_opts *o,
                         const as_search_deadline *deadline, as_search_stats *st, as_err *err);
/* both, without what join.c adds */
bool sg_segment_search(sg_segment *s, const sg_cut *cut, const as_search_opts *o,
                       const as_search_deadline *deadline, as_search_stats *st, as_err *err);

/* --- twins.c: groups of operators that say the same */
/* Names the segment by all that its graphs depend on, and takes over what is known of an earlier
 * one of the same name: its graphs' costs, best first.  false: there is none. */
bool sg_segment_take(sg_segment *s, const as_search_opts *o, sg_segment *const *earlier,
                     uint32_t n);
/* whether the best graph is one that the prover could do, here or in the earlier segment */
bool sg_segment_is_proved(const sg_segment *s);
/* .. now it is known that it can */
void sg_segment_proved(sg_segment *s);
/* whether the best graphs of two segments that say the same are the same */
bool sg_segment_same_best(const sg_segment *one, const sg_segment *other);
/* the class of an axis of a node of the whole program; SG_NO_CLASS: the segment has no such tensor,
 * or the axis has extent 1 */
uint32_t sg_segment_class(const sg_segment *s, uint32_t main_node, uint32_t axis);
/* makes the graphs of a plan of which only the record is known; false: the record speaks of one
 * that there is not */
bool sg_segment_make_graphs(sg_segment *s, const sg_rank *chosen, as_err *err);
/* The cost of the best tiling; where there is none, behind everything that has one.  sizes: how
 * many new sizes divide axes: of graphs that cost the same, the one with fewer of them. */
double sg_segment_us(const as_graph *graph, const as_target *target, double sizes, bool *tiled);

/* one of its graphs as a muGraph of `sub`, the segment's program or a copy with sizes of its own;
 * NULL: it cannot be built */
as_graph *sg_segment_of_inputs(const sg_segment *s, as_graph *sub, const sg_rank *chosen);

/* --- join.c: adds graphs that go over two joined tensors one after the other */
void sg_join_sides(sg_segment *s, const sg_cut *cut, const as_search_opts *o,
                   const as_search_deadline *deadline, as_search_stats *st);
/* the kernels of such a graph; node: by node of the whole program, what is read there and what is
 * stored */
bool sg_join_build(const sg_segment *s, const sg_rank *chosen, as_graph *g, as_node_id *node,
                   as_err *err);

/* Drops the best graphs that the back end cannot lower with any of their tilings, up to the first
 * that it can or that costs `enough` by the model; how many. */
uint32_t sg_segment_drop_unlowerable(sg_segment *s, const as_search_opts *o, double enough);
/* one of its graphs, as a muGraph of the segment alone; owned by the caller, NULL with err */
as_graph *sg_segment_alone(sg_segment *s, uint32_t rank, as_err *err);
/* takes the best graphs away, so many */
void sg_segment_drop(sg_segment *s, uint32_t n);
/* keeps the first so many graphs, and what they need */
void sg_segment_trim(sg_segment *s, uint32_t keep);
void sg_segment_clear(sg_segment *s);
/* one kernel for the segment in muGraph g of the whole program; node[]: main program's node -> g's
 * node */
bool sg_segment_build(sg_segment *s, uint32_t rank, as_graph *g, as_node_id *node, as_err *err);
#endif
