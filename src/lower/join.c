/* Which kernels over whole tensors are one.  A map is computed where it is read, when each of its
 * elements is then computed no more often than before; what is left of a map over the results of a
 * reduction is computed where the reduction ends. */
#include "body.h"
#include "reads.h"
#include "units.h"
#include "window.h"
#include <stdlib.h>
#include <string.h>

enum {
  MOST_NODES = 400,      /* of an expression that others were written into */
  MOST_NODES_TWICE = 48, /* of one that is written into several */
  MOST_ROUNDS = 64,
  MOST_MERGED = 64 /* terms of two folds that become one */
};

typedef struct {
  int n;        /* units that read a value */
  bool written; /* it can be written into all of them */
} value_readers;

static double evaluations(lo_job *job, const lo_value *value) {
  double count = (double)lo_elems(value);
  lo_scan scan;
  if (lo_scan_of(job, value, &scan))
    return count / (double)value->dim[scan.axis] * (double)scan.terms;
  return value->kind == LV_RED ? count * (double)value->extent : count;
}

/* an element of one tensor, or a number beside it: reading that costs as much */
static bool is_view(const lx *body) {
  if (body->op == LX_IF)
    return body->kid[1]->op == LX_REF && body->kid[2]->n == 0;
  return body->op == LX_REF;
}

/* Who reads a value, and may each of its elements be computed there? */
static value_readers readers_of(lo_job *job, uint32_t id) {
  value_readers readers = {.n = 0, .written = true};
  for (uint32_t i = 0; i < job->n_unit; i++) {
    const lo_unit *unit = &job->unit[i];
    if (!lo_unit_reads(job, unit, id))
      continue;
    readers.n++;
    bool cheap = is_view(job->value[id].body) ||
                 evaluations(job, &job->value[unit->flat_val]) <= (double)lo_elems(&job->value[id]);
    readers.written &= lo_is_swept(job, unit) && unit->sweep == NULL && cheap;
  }
  readers.written &= !lo_has_parts(job, id);
  return readers;
}

typedef struct {
  const lo_job *job;
  long least;
  int n;
} large_walk;

static void see_large(void *arg, const lx *ref) {
  large_walk *walk = arg;
  walk->n += lo_elems(&walk->job->value[ref->val]) >= walk->least;
}

/* Is reading it again as cheap as reading what it is computed from? */
static bool costs_no_more(const lo_job *job, const lo_value *value) {
  large_walk walk = {job, lo_elems(value) / 4 + 1, 0};
  lx_refs(value->body, see_large, &walk);
  return walk.n <= 1 && lx_size(value->body) <= MOST_NODES_TWICE && !lx_costly(value->body);
}

typedef struct {
  uint32_t of;
  lx *body;
} writing;

static lx *written(lo_job *job, void *arg, lx *ref) {
  const writing *what = arg;
  return ref->val == what->of ? lx_subst(job, what->body, ref->kid, ref->n) : ref;
}

static void write_into(lo_job *job, uint32_t id, lo_value *reader) {
  writing what = {id, job->value[id].body};
  long extent[AS_MAX_RANK + 1];
  memcpy(extent, reader->dim, sizeof reader->dim);
  extent[reader->rank] = reader->extent;
  lx *body = lx_map_refs(job, reader->body, written, &what);
  reader->body =
      lo_rejoined(job, lx_simplify(job, body, extent, reader->rank + (reader->kind == LV_RED)));
}

static void drop_unit(lo_job *job, uint32_t which) {
  job->value[job->unit[which].flat_val].place = LP_INLINE;
  lo_remove_unit(job, which);
}

static bool fits_all(const lo_job *job, uint32_t id) {
  for (uint32_t i = 0; i < job->n_unit; i++) {
    const lo_unit *unit = &job->unit[i];
    const lx *body = job->value[unit->flat_val].body;
    if (lo_is_swept(job, unit) && lo_expr_reads(job, body, id) &&
        lx_size(body) + lx_size(job->value[id].body) > MOST_NODES)
      return false;
  }
  return true;
}

/* a map that is no result is computed where it is read */
static bool write_map(lo_job *job, uint32_t which) {
  const lo_unit *unit = &job->unit[which];
  uint32_t id = unit->flat_val;
  const lo_value *value = &job->value[id];
  if (!lo_is_swept(job, unit) || value->kind != LV_MAP || value->buffer_class != LG_WORK ||
      lx_has_whole(value->body))
    return false;
  value_readers readers = readers_of(job, id);
  if (!readers.written || readers.n == 0 || !fits_all(job, id) ||
      (readers.n > 1 && !costs_no_more(job, value)))
    return false;
  for (uint32_t i = 0; i < job->n_unit; i++) {
    if (i != which && lo_is_swept(job, &job->unit[i]))
      write_into(job, id, &job->value[job->unit[i].flat_val]);
  }
  drop_unit(job, which);
  return true;
}

/* --- maps of reductions */
/* The axes of a map that are those of a reduction, extents of 1 aside: as[axis of the map] is the
 * reduction's index. */
static bool same_axes(lo_job *job, const lo_value *map, const lo_value *of, lx **as, int *axis_of) {
  int axis = 0;
  for (int i = 0; i < map->rank; i++) {
    as[i] = lx_int(job, 0);
    if (map->dim[i] == 1)
      continue;
    while (axis < of->rank && of->dim[axis] == 1)
      axis_of[axis++] = -1;
    if (axis == of->rank || of->dim[axis] != map->dim[i])
      return false;
    as[i] = lx_var(job, axis);
    axis_of[axis++] = i;
  }
  for (; axis < of->rank; axis++) {
    if (of->dim[axis] != 1)
      return false;
    axis_of[axis] = -1;
  }
  return true;
}

typedef struct {
  uint32_t of;
  int rank;
  const int *axis_of;
  bool own; /* all reads are those of the map's own indices */
} own_walk;

static void see_own(void *arg, const lx *ref) {
  own_walk *walk = arg;
  if (ref->val != walk->of)
    return;
  for (int axis = 0; axis < walk->rank; axis++) {
    const lx *index = ref->kid[axis];
    bool alike = walk->axis_of[axis] < 0
                     ? index->op == LX_INT
                     : index->op == LX_VAR && index->number == walk->axis_of[axis];
    walk->own &= alike;
  }
}

/* the unit of a reduction that the map is of, and that nothing else reads; LO_NONE: none */
static uint32_t reduction_of(lo_job *job, uint32_t map_unit) {
  const lo_value *map = &job->value[job->unit[map_unit].flat_val];
  for (uint32_t i = 0; i < map_unit; i++) {
    const lo_unit *unit = &job->unit[i];
    const lo_value *value = &job->value[unit->flat_val];
    if (!lo_is_swept(job, unit) || value->kind != LV_RED || value->buffer_class != LG_WORK)
      continue;
    if (lo_expr_reads(job, map->body, unit->flat_val) && readers_of(job, unit->flat_val).n == 1)
      return i;
  }
  return LO_NONE;
}

static bool finish_reduction(lo_job *job, uint32_t which) {
  lo_unit *unit = &job->unit[which];
  lo_value *map = &job->value[unit->flat_val];
  lx *as[AS_MAX_RANK];
  int axis_of[AS_MAX_RANK];
  if (!lo_is_swept(job, unit) || map->kind != LV_MAP || unit->sweep || lx_has_whole(map->body))
    return false;
  uint32_t first = reduction_of(job, which);
  if (first == LO_NONE)
    return false;
  uint32_t id = job->unit[first].flat_val;
  const lo_value *reduction = &job->value[id];
  own_walk walk = {.of = id, .rank = reduction->rank, .axis_of = axis_of, .own = true};
  if (!same_axes(job, map, reduction, as, axis_of))
    return false;
  lx_refs(map->body, see_own, &walk);
  if (!walk.own)
    return false;
  unit->sweep = as_arena_alloc(job->arena, sizeof *unit->sweep);
  memset(unit->sweep, 0, sizeof *unit->sweep);
  unit->sweep->reduction = id;
  unit->sweep->finish = lx_subst(job, map->body, as, map->rank);
  drop_unit(job, first);
  return true;
}

/* --- folds of one term, folds of folds */
static void replace_one_term(lo_job *job) {
  for (uint32_t i = 0; i < job->n_unit; i++) {
    lo_value *value = &job->value[job->unit[i].flat_val];
    if (!lo_is_swept(job, &job->unit[i]) || value->kind != LV_RED || value->extent != 1 ||
        value->extent_live)
      continue;
    lx *by[AS_MAX_RANK + 1] = {0};
    by[value->rank] = lx_int(job, 0);
    value->body =
        lx_simplify(job, lx_subst(job, value->body, by, value->rank + 1), value->dim, value->rank);
    value->kind = LV_MAP;
  }
}

/* The fold of `outer` as one over the terms of both: terms are elements of the inner one, or what
 * changes nothing under a condition.  NULL: they are something else. */
static lx *term_of_both(lo_job *job, const lo_value *outer, uint32_t inner_id) {
  const lo_value *inner = &job->value[inner_id];
  lx *neutral = lo_neutral(job, outer->red);
  lx *condition = NULL;
  lx *term = outer->body;
  while (term->op == LX_IF && lo_is_neutral(term->kid[2], outer->red)) {
    lx *kid[2] = {condition, term->kid[0]};
    condition = condition ? lx_mk(job, LX_AND, 2, kid) : term->kid[0];
    term = term->kid[1];
  }
  if (term->op != LX_REF || term->val != inner_id)
    return NULL;
  lx *result = lo_term_of_both(job, outer, inner, term);
  if (condition == NULL)
    return result;
  condition = lo_by_number(job, outer, inner, condition);
  return lx_mk(job, LX_IF, 3, (lx *[]){condition, result, neutral});
}

/* A window over windows, such as one along each axis in turn, is one window: its terms are read
 * from caches, where what is between would go through memory. */
static bool merge_folds(lo_job *job, uint32_t which) {
  const lo_unit *unit = &job->unit[which];
  uint32_t id = unit->flat_val;
  const lo_value *inner = &job->value[id];
  if (!lo_is_swept(job, unit) || unit->sweep || inner->buffer_class != LG_WORK ||
      !lo_reads_windows(inner))
    return false;
  uint32_t sole = lo_sole_reader(job, id);
  if (sole == LO_NONE || lo_has_parts(job, id))
    return false;
  const lo_unit *reader = &job->unit[sole];
  if (!lo_is_swept(job, reader) || reader->sweep)
    return false;
  lo_value *outer = &job->value[reader->flat_val];
  long terms;
  if (outer->kind != LV_RED || outer->red != inner->red || outer->extent_live ||
      __builtin_mul_overflow(outer->extent, inner->extent, &terms) || terms > MOST_MERGED)
    return false;
  lx *body = term_of_both(job, outer, id);
  if (body == NULL || lx_size(body) > MOST_NODES)
    return false;
  long extent[AS_MAX_RANK + 1];
  memcpy(extent, outer->dim, sizeof outer->dim);
  extent[outer->rank] = outer->extent = terms;
  outer->body = lo_rejoined(job, lx_simplify(job, body, extent, outer->rank + 1));
  drop_unit(job, which);
  return true;
}

/* the unit of a scan that a unit alone reads; LO_NONE: it is no such scan */
static uint32_t scan_read_by(lo_job *job, uint32_t id, uint32_t reader) {
  const lo_value *value = &job->value[id];
  lo_scan scan;
  if (value->kind != LV_RED || value->buffer_class != LG_WORK || value->extent_live ||
      lo_has_parts(job, id) || lo_sole_reader(job, id) != reader || !lo_scan_of(job, value, &scan))
    return LO_NONE;
  for (uint32_t i = 0; i < reader; i++) {
    const lo_unit *unit = &job->unit[i];
    if (unit->flat && unit->flat_val == id)
      return lo_is_swept(job, unit) && unit->sweep == NULL ? i : LO_NONE;
  }
  return LO_NONE;
}

/* A scan's results at other places, and elsewhere what a scan without a term is (an exclusive one,
 * written as zeros in front of an inclusive one), are one scan. */
static bool move_scan(lo_job *job, uint32_t which) {
  const lo_unit *unit = &job->unit[which];
  lo_value *map = &job->value[unit->flat_val];
  if (!lo_is_swept(job, unit) || unit->sweep || map->kind != LV_MAP || map->body->op != LX_IF ||
      map->body->kid[2]->op != LX_REF)
    return false;
  const lx *read = map->body->kid[2];
  const lo_value *of = &job->value[read->val];
  uint32_t scanned = scan_read_by(job, read->val, which);
  if (scanned == LO_NONE || !lo_is_neutral(map->body->kid[1], of->red))
    return false;
  lx *by[AS_MAX_RANK + 1];
  long extent[AS_MAX_RANK + 1];
  lo_value made = *map;
  lo_scan scan;
  for (int axis = 0; axis < of->rank; axis++)
    by[axis] = read->kid[axis];
  by[of->rank] = lx_var(job, map->rank);
  memcpy(extent, map->dim, sizeof map->dim);
  extent[map->rank] = made.extent = of->extent;
  lx *term = lx_subst(job, of->body, by, of->rank + 1);
  lx *choice[3] = {map->body->kid[0], lo_neutral(job, of->red), term};
  made.kind = LV_RED;
  made.red = of->red;
  made.body = lx_simplify(job, lx_mk(job, LX_IF, 3, choice), extent, map->rank + 1);
  if (!lo_scan_of(job, &made, &scan))
    return false;
  *map = made;
  drop_unit(job, scanned);
  return true;
}

/* whatever is still to be joined; gives whether something was */
static bool join_some(lo_job *job) {
  for (uint32_t i = 0; i < job->n_unit; i++) {
    lo_unit *unit = &job->unit[i];
    if (lo_is_swept(job, unit) && !unit->sweep && lo_close_gaps(job, unit->flat_val))
      return true;
  }
  for (uint32_t i = 0; i < job->n_unit; i++) {
    if (move_scan(job, i) || write_map(job, i))
      return true;
  }
  for (uint32_t i = 0; i < job->n_unit; i++) {
    if (lo_merge_reductions(job, i) || merge_folds(job, i))
      return true;
  }
  return false;
}

void lo_join_units(lo_job *job) {
  bool again = true;
  replace_one_term(job);
  for (int round = 0; again && round < MOST_ROUNDS; round++)
    again = join_some(job);
  for (uint32_t i = 0; i < job->n_unit; i++) {
    if (finish_reduction(job, i))
      i--;
  }
}
