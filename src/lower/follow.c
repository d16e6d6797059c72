/* Maps that follow a reduction of rows.  Where a map has a row of elements for each result, and
 * reads no result but that of its own row, the threads that made the result can make the map: one
 * kernel, and what both read comes from memory once, as long as a row stays in a cache. */
#include "fault.h"
#include "reads.h"
#include "sweep.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

enum {
  LEAST_ROW = 256,     /* elements: of shorter ones most of a warp's time is joining its lanes */
  MOST_ROW = 32 * 1024 /* longer ones are read from memory again anyway */
};

/* The indices of a map's element number r * row + k, over r (variable 0) and k (1).  false: rows
 * end within an index. */
static bool indices_of_row(lo_job *job, const lo_value *map, long row, lx **index) {
  lx *r = lx_var(job, 0);
  lx *k = lx_var(job, 1);
  for (int axis = 0; axis < map->rank; axis++) {
    long stride = lo_stride_of(map, axis);
    long dim = map->dim[axis];
    lx *of_row = lx_mk(job, LX_IDIV, 2, (lx *[]){r, lx_int(job, stride / row)});
    lx *within = lx_mk(job, LX_IDIV, 2, (lx *[]){k, lx_int(job, stride)});
    if (dim == 1) {
      index[axis] = lx_int(job, 0);
    } else if (stride % row == 0) {
      index[axis] = lx_mk(job, LX_MOD, 2, (lx *[]){of_row, lx_int(job, dim)});
    } else if (row % (stride * dim) == 0) {
      index[axis] = lx_mk(job, LX_MOD, 2, (lx *[]){within, lx_int(job, dim)});
    } else if (row % stride == 0 && stride * dim % row == 0) {
      long rows = stride * dim / row;
      lx *which = lx_mk(job, LX_MOD, 2, (lx *[]){r, lx_int(job, rows)});
      lx *begin = lx_mk(job, LX_MUL, 2, (lx *[]){which, lx_int(job, row / stride)});
      index[axis] = lx_mk(job, LX_ADD, 2, (lx *[]){begin, within});
    } else {
      return false;
    }
  }
  return true;
}

typedef struct {
  lo_job *job;
  lx *const *index;
  int rank;
  long extent[2];
  const uint32_t *of; /* the values of the reduction */
  int n_of;
  bool own; /* all reads of them are of the own row */
  bool some;
} row_walk;

static void see_row(void *arg, const lx *ref) {
  row_walk *walk = arg;
  bool result = false;
  for (int i = 0; i < walk->n_of; i++)
    result |= ref->val == walk->of[i];
  if (!result)
    return;
  lo_job *job = walk->job;
  const lo_value *tensor = &job->value[ref->val];
  lx *place = lx_int(job, 0);
  lo_offset at;
  for (int axis = 0; axis < ref->n; axis++) {
    lx *index = lx_subst(job, ref->kid[axis], walk->index, walk->rank);
    lx *part = lx_mk(job, LX_MUL, 2, (lx *[]){index, lx_int(job, lo_stride_of(tensor, axis))});
    place = lx_mk(job, LX_ADD, 2, (lx *[]){place, part});
  }
  place = lx_simplify(job, place, walk->extent, 2);
  walk->some = true;
  walk->own = walk->own && lo_sum_of(job, place, 2, &at) && at.first == 0 && at.stride[0] == 1 &&
              at.stride[1] == 0;
}

/* The values that a unit of rows gives. */
static int results_of(const lo_unit *unit, uint32_t *of) {
  int n = 0;
  of[n++] = unit->flat_val;
  if (unit->sweep->pair)
    of[n++] = unit->sweep->first_result;
  return n;
}

static bool is_rows(const lo_unit *unit) {
  const lo_sweep *sweep = unit->sweep;
  return unit->flat && sweep && sweep->kind == LO_SWEEP_ROWS && !sweep->end && !sweep->before;
}

/* Does the map have a row for each result, made of no others? */
static bool follows(lo_job *job, const lo_unit *rows, const lo_unit *unit) {
  const lo_sweep *sweep = rows->sweep;
  const lo_value *map = &job->value[unit->flat_val];
  const lo_value *terms = &job->value[sweep->pair ? sweep->first : sweep->reduction];
  long results = lo_elems(terms);
  uint32_t of[2];
  lx *index[AS_MAX_RANK];
  if (!unit->flat || !unit->sweep || unit->sweep->kind != LO_SWEEP_MAP || unit->sweep->before ||
      lx_has_whole(map->body) || lo_elems(map) % results)
    return false;
  long row = lo_elems(map) / results;
  if (row < LEAST_ROW || row > MOST_ROW || row > 4 * terms->extent ||
      !indices_of_row(job, map, row, index))
    return false;
  row_walk walk = {.job = job,
                   .index = index,
                   .rank = map->rank,
                   .extent = {results, row},
                   .of = of,
                   .n_of = results_of(rows, of),
                   .own = true};
  lx_refs(map->body, see_row, &walk);
  return walk.own && walk.some;
}

static bool is_read(lo_job *job, uint32_t id, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++) {
    if (lo_unit_reads(job, &job->unit[i], id))
      return true;
  }
  return false;
}

/* must the value be in memory, though the unit `but` is made with it? */
static bool is_kept(lo_job *job, uint32_t id, uint32_t but) {
  bool kept = job->value[id].buffer_class != LG_WORK || is_read(job, id, 0, but) ||
              is_read(job, id, but + 1, job->n_unit);
  for (uint32_t i = 0; i < job->n_value && !kept; i++)
    kept = lo_is_part_of(&job->value[i], id);
  return kept;
}

/* what threads have at hand is not read from memory */
static void drop_reads(lo_sweep *map, const uint32_t *of, int n_of) {
  int kept = 0;
  for (int i = 0; i < map->n_read; i++) {
    bool at_hand = false;
    for (int k = 0; k < n_of; k++)
      at_hand |= map->read[i].ref->val == of[k];
    if (!at_hand)
      map->read[kept++] = map->read[i];
  }
  map->n_read = kept;
}

/* the map's plan, where each row begins anew */
static void follow(lo_job *job, uint32_t which, uint32_t first) {
  lo_unit *rows = &job->unit[first];
  lo_unit *unit = &job->unit[which];
  lo_sweep *before = rows->sweep;
  lo_sweep *map = unit->sweep;
  const lo_value *terms = &job->value[before->pair ? before->first : before->reduction];
  long row = lo_elems(&job->value[unit->flat_val]) / lo_elems(terms);
  uint32_t of[2];
  drop_reads(map, of, results_of(rows, of));
  map->before = LO_FAULT(LO_FAULT_FOLLOWED) ? NULL : before;
  map->before_result = rows->flat_val;
  map->block = LO_SWEEP_THREADS;
  if (row % map->vector) {
    map->vector = 1;
    map->linear = true;
    for (int i = 0; i < map->n_read; i++)
      map->read[i].vector = map->read[i].same = false;
  }
  lo_remove_unit(job, first);
  which--;
  map->before_kept = is_kept(job, map->before_result, which);
  if (!map->before_kept)
    job->value[map->before_result].place = LP_INLINE;
  if (!before->pair)
    return;
  before->first_kept = is_kept(job, before->first_result, which);
  if (!before->first_kept)
    job->value[before->first_result].place = LP_INLINE;
}

static bool find_follower(lo_job *job, uint32_t first) {
  const lo_unit *rows = &job->unit[first];
  uint32_t of[2];
  int n = results_of(rows, of);
  for (uint32_t i = first + 1; i < job->n_unit; i++) {
    if (follows(job, rows, &job->unit[i])) {
      follow(job, i, first);
      return true;
    }
    for (int k = 0; k < n; k++) {
      if (lo_unit_reads(job, &job->unit[i], of[k]))
        return false; /* it is to be made before that */
    }
  }
  return false;
}

void lo_follow_rows(lo_job *job) {
  for (uint32_t i = 0; i < job->n_unit; i++) {
    if (is_rows(&job->unit[i]) && find_follower(job, i))
      i--;
  }
}
