/* Axes that no operator of a part tells apart: they stand side by side, in the same order, in every
 * tensor that has one of them, and every operator reduces both or none.  Elements along such a run
 * of axes lie as along one axis, so a tile of it is a stretch of elements: all axes of the run
 * before some one are divided, those behind it are whole.  Other ways to divide them give tiles of
 * strided pieces that cost as much or more, and are not tried; without them a run of axes has
 * hardly more plans than one axis. */
#include "cost_model.h"
#include "sg.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include <stdlib.h>

enum {
  SHORT_RUN =
      1024, /* elements along the inner axes of a run that are no work for several blocks, */
  MANY_BLOCKS = 128 /* where there are at least so many blocks without dividing them */
};

/* by tensor of the part, which classes the call that computes it reduces, as bits */
static uint32_t *reductions(const sg_part *part) {
  uint32_t *reduced = as_calloc(part->n + 1, sizeof *reduced);
  for (uint32_t i = part->n_leaf; i < part->n; i++) {
    const as_node *node = &part->g->node[part->tensor[i]];
    sg_ctx ctx = {
        .part = part, .sizes = part->g->sizes, .strict_ones = true, .reduced = &reduced[i]};
    sg_axes arg[AS_MAX_ARGS];
    sg_axes out;
    ax_id none;
    for (uint32_t k = 0; k < node->nargs; k++) {
      uint32_t from = 0;
      while (part->tensor[from] != node->arg[k])
        from++;
      arg[k] = part->axes[from];
    }
    sg_apply(&ctx, node->op, node->attr, node->nargs, arg, NULL, &out, &none);
  }
  return reduced;
}

/* whether the outer class stands right before the inner one wherever one of them stands */
static bool side_by_side(const sg_axes *axes, uint32_t outer, uint32_t inner) {
  bool after_outer = false;
  for (uint32_t k = 0; k < axes->rank; k++) {
    if (axes->ax[k] == SG_UNIT)
      continue;
    uint32_t cls = SG_CLASS(axes->ax[k]);
    if (after_outer != (cls == inner))
      return false;
    after_outer = cls == outer;
  }
  return !after_outer;
}

static bool is_plain(const sg_part *part, uint32_t cls) {
  const sg_class *of = &part->classes[cls];
  return !of->rigid && !sg_has_parts(part, cls) && !of->is_inner && !of->is_outer;
}

static bool are_alike(const sg_part *part, const uint32_t *reduced, uint32_t outer,
                      uint32_t inner) {
  for (uint32_t i = 0; i < part->n; i++) {
    if (!side_by_side(&part->axes[i], outer, inner) ||
        (reduced[i] >> outer & 1) != (reduced[i] >> inner & 1))
      return false;
  }
  return true;
}

void sg_find_alike(sg_part *part) {
  uint32_t *reduced = reductions(part);
  for (uint32_t cls = 0; cls < part->n_classes; cls++)
    part->classes[cls].alike = SG_NO_CLASS;
  for (uint32_t outer = 0; outer < part->n_classes; outer++) {
    for (uint32_t inner = 0; inner < part->n_classes; inner++) {
      if (inner != outer && is_plain(part, outer) && is_plain(part, inner) &&
          are_alike(part, reduced, outer, inner))
        part->classes[outer].alike = (uint8_t)inner;
    }
  }
  free(reduced);
}

bool sg_begins_run(const sg_part *part, uint32_t cls, uint32_t other) {
  for (uint32_t before = 0; before < part->n_classes; before++) {
    if (part->classes[before].alike == cls)
      return false;
  }
  while (cls != SG_NO_CLASS && cls != other)
    cls = part->classes[cls].alike;
  return cls == SG_NO_CLASS;
}

/* how many elements lie along the class and those of its run behind it */
static double run_length(const sg_part *part, uint32_t cls) {
  double elements = 1;
  for (; cls != SG_NO_CLASS; cls = part->classes[cls].alike)
    elements *= sg_concrete_extent(part->g->sizes, part->classes[cls].extent);
  return elements;
}

/* how many pieces the class and those of its run before it make */
static double pieces(const sg_part *part, uint32_t cls) {
  double n = sg_concrete_extent(part->g->sizes, part->classes[cls].extent);
  for (uint32_t before = 0; before < part->n_classes; before++) {
    if (part->classes[before].alike == cls)
      n *= pieces(part, before);
  }
  return n;
}

static bool has_contraction(const sg_part *part) {
  for (uint32_t i = part->n_leaf; i < part->n; i++) {
    if (sg_cost_is_contraction(&part->g->node[part->tensor[i]]))
      return true;
  }
  return false;
}

/* Whether two neighbours of a run are divided as one axis would be.  A tile that has all of the
 * outer one and a part of the inner one, or iterations along the outer one of a block's part of the
 * inner one, are strided.  There is a better plan, which takes one more axis of the grid where the
 * inner axis is long. */
static bool divides_as_one(const sg_part *part, const sg_plan *plan, uint32_t outer, bool dense) {
  uint32_t inner = part->classes[outer].alike;
  sg_mode first = plan->mode[outer];
  sg_mode second = plan->mode[inner];
  bool is_short = run_length(part, inner) <= SHORT_RUN && pieces(part, outer) >= MANY_BLOCKS;
  bool has_room = plan->n_grid < 3;
  if (second == SG_WHOLE)
    return true;
  if (second == SG_GRID_ONE)
    return first == SG_GRID_ONE || !has_room;
  if (first == SG_WHOLE)
    return !is_short && (second == SG_LOOP ? !part->classes[inner].in_outputs : !has_room);
  if (first == SG_LOOP)
    return false;
  return dense || !is_short;
}

bool sg_divides_runs(const sg_part *part, const sg_plan *plan) {
  bool dense = has_contraction(part);
  for (uint32_t outer = 0; outer < part->n_classes; outer++) {
    if (part->classes[outer].alike != SG_NO_CLASS && !divides_as_one(part, plan, outer, dense))
      return false;
  }
  return true;
}
