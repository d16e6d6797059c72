/* Tiles that are not copied to shared memory: of index tensors, whose elements are computed from
 * their position where they are read, and of tensors of integers, whose elements are read from
 * memory there, so that they stay integers: a tile's numbers are floating point. */
#include "body.h"
#include "emit.h"
#include "live.h"
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

/* What is computed of a tile that is cut off, or of one as large as a size left to run time can be,
 * goes beyond what there is, and is not stored; no memory is read there.  NULL with job->err: the
 * tensor may be empty. */
static lx *within(lo_job *job, lx *index, const lo_value *source, int axis) {
  uint32_t live = source->live_dim[axis];
  if (live && lo_cut_row(job, live)->low < 1) {
    as_err_set(job->err, AS_BAD_INPUT,
               "%s: no tiles are loaded of integers along an axis that may be empty at run time",
               source->name);
    return NULL;
  }
  lx *extent = live ? lo_live_leaf(job, live) : lx_int(job, source->dim[axis]);
  lx *last = lx_mk(job, LX_SUB, 2, (lx *[]){extent, lx_int(job, 1)});
  return lx_mk(job, LX_MIN, 2, (lx *[]){index, last});
}

bool lo_index_tile(lo_job *job, uint32_t load) {
  lo_value *value = &job->value[load];
  const lo_value *source = &job->value[value->source];
  bool from_memory = lo_holds_integers(source);
  lx *index[AS_MAX_RANK];
  for (int axis = 0; axis < value->rank; axis++) {
    lx *first = first_index(job, value, axis);
    index[axis] = lx_mk(job, LX_ADD, 2, (lx *[]){first, lx_var(job, axis)});
    if (from_memory && (value->cut[axis] != 0 || source->live_dim[axis] != 0))
      index[axis] = within(job, index[axis], source, axis);
    if (index[axis] == NULL)
      return false;
  }
  lx *element = from_memory ? lo_read(job, value->source, value->rank, index)
                            : lx_subst(job, source->body, index, value->rank);
  value->body = lx_simplify(job, element, value->dim, value->rank);
  value->kind = LV_MAP;
  return true;
}

char *lo_first_text(const lo_first *first) {
  return as_format("(%s * %ld)", first->number, first->tile);
}
