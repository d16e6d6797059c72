/* Which operators can be applied to operands with which axes: see sg_labels. */
#include "sg_space.h"
#include "src/base/hash.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

enum { UNASKED, FITS, FITS_NOT };

uint32_t sg_labels_id(sg_labels *labels, const sg_axes *axes) {
  uint64_t hash = as_hash(axes->ax, axes->rank, 1 + axes->rank);
  as_index_walk walk = as_index_start(&labels->by_axes, hash);
  for (uint32_t id; (id = as_index_next(&walk)) != AS_NONE;) {
    if (sg_axes_eq(&AS_VEC_AT(&labels->axes, sg_axes, id), axes))
      return id;
  }
  if (labels->axes.item == 0)
    as_vec_init(&labels->axes, sizeof(sg_axes));
  uint32_t id = (uint32_t)labels->axes.n;
  as_vec_push(&labels->axes, axes);
  as_index_add(&labels->by_axes, hash, id);
  return id;
}

void sg_labels_clear(sg_labels *labels) {
  as_vec_clear(&labels->axes);
  as_index_clear(&labels->by_axes);
  free(labels->answer);
  memset(labels, 0, sizeof *labels);
}

/* room for the answers about all axes; those that are known are asked again */
static void grow(sg_labels *labels, uint32_t n_inst) {
  free(labels->answer);
  labels->room = labels->room ? labels->room : 16;
  while (labels->room < labels->axes.n)
    labels->room *= 2;
  labels->answer = as_calloc((size_t)n_inst * labels->room * labels->room, 1);
}

bool sg_labels_fit(sg_space *space, uint32_t inst, uint32_t left, uint32_t right) {
  sg_labels *labels = &space->labels;
  if (labels->axes.n > labels->room)
    grow(labels, space->vocab->n);
  uint8_t *answer = &labels->answer[((size_t)inst * labels->room + left) * labels->room + right];
  if (*answer == UNASKED) {
    const sg_inst *applied = &space->vocab->inst[inst];
    const sg_axes axes[2] = {AS_VEC_AT(&labels->axes, sg_axes, left),
                             AS_VEC_AT(&labels->axes, sg_axes, right)};
    sg_ctx ctx = space->ctx;
    sg_axes out;
    ax_id none;
    ctx.A = NULL;
    bool fits =
        sg_apply(&ctx, applied->op, applied->attr, applied->op->nargs, axes, NULL, &out, &none);
    *answer = fits ? FITS : FITS_NOT;
  }
  return *answer == FITS;
}
