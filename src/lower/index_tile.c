/* Tiles of index tensors: no copy, no shared memory; an element is computed from its position where
 * it is read. */
#include "emit.h"
#include <stdlib.h>

/* the first index of the tile along an axis */
static lx *first_index(lo_job *job, const lo_value *load, int axis) {
  lo_first first = {.tile = load->dim[axis],
                    .by_loop = load->by_loop[axis],
                    .most = job->value[load->source].dim[axis]};
  char *number =
      lo_tile_number(&job->unit[load->unit], load->grid_axis[axis], load->slower_axes[axis],
                     load->by_loop[axis], lo_index_type(first.most));
  if (number == NULL)
    return lx_int(job, 0);
  first.number = as_arena_strdup(job->arena, number);
  free(number);
  lx *index = lx_new(job, LX_FIRST, 0);
  index->integer = true;
  index->number = (long)job->firsts.n;
  index->high = first.most > 0 ? first.most - 1 : 0;
  as_vec_push(&job->firsts, &first);
  return index;
}

void lo_index_tile(lo_job *job, uint32_t load) {
  lo_value *value = &job->value[load];
  const lo_value *source = &job->value[value->source];
  lx *index[AS_MAX_RANK];
  for (int axis = 0; axis < value->rank; axis++) {
    lx *first = first_index(job, value, axis);
    index[axis] = lx_mk(job, LX_ADD, 2, (lx *[]){first, lx_var(job, axis)});
  }
  value->body =
      lx_simplify(job, lx_subst(job, source->body, index, value->rank), value->dim, value->rank);
  value->kind = LV_MAP;
}

char *lo_first_text(const lo_first *first) {
  return as_format("(%s * %ld)", first->number, first->tile);
}
