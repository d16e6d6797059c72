#include "sweep.h"
#include "reads.h"
#include "simt.h"
#include "units.h"
#include "window.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* --- what units are swept */
/* Is the value one of floating-point elements, of which a kernel at kernel level makes all, at the
 * sizes of the file? */
static bool is_plain(const lo_job *job, const lo_unit *unit) {
  const lo_value *value = &job->value[unit->flat_val];
  bool contraction = unit->simt || unit->tf32 || unit->has_epilogue;
  if (!unit->flat || unit->library || contraction || unit->threads || job->n_ranged ||
      value->dtype == AS_INT || (value->kind != LV_MAP && value->kind != LV_RED))
    return false;
  return value->extent_live == 0;
}

typedef struct {
  const lo_job *job;
  bool all; /* all that was visited is memory of floating-point elements */
} type_walk;

static void see_type(void *arg, const lx *ref) {
  type_walk *walk = arg;
  const lo_value *value = &walk->job->value[ref->val];
  walk->all &= value->place == LP_GLOBAL && value->dtype != AS_INT;
}

static bool reads_memory(const lo_job *job, const lx *body) {
  type_walk walk = {job, true};
  lx_refs(body, see_type, &walk);
  return walk.all;
}

bool lo_is_swept(const lo_job *job, const lo_unit *unit) {
  if (unit->sweep)
    return true;
  if (!is_plain(job, unit))
    return false;
  const lo_value *value = &job->value[unit->flat_val];
  return lo_elems(value) > 0 && (value->kind == LV_MAP || value->extent > 0) &&
         reads_memory(job, value->body);
}

/* --- reads */
/* what is read whatever the conditions say */
static void collect_reads(lo_job *job, const lx *expr, int n_var, lo_sweep *sweep) {
  if (expr->op == LX_REF) {
    lo_offset at;
    for (int i = 0; i < sweep->n_read; i++) {
      if (lx_equal(sweep->read[i].ref, expr))
        return;
    }
    const lo_value *tensor = &job->value[expr->val];
    bool part = tensor->kind == LV_GLOBAL && tensor->buffer_class == LG_PART;
    if (sweep->n_read < LO_SWEEP_READS && expr->val != sweep->reduction &&
        lo_offset_of(job, expr, n_var, &at))
      sweep->read[sweep->n_read++] =
          (lo_sweep_read){.ref = expr, .at = at, .origin = part ? tensor->origin : 0};
    return;
  }
  bool conditional = expr->op == LX_IF || expr->op == LX_AND || expr->op == LX_OR;
  for (int i = 0; i < (conditional ? 1 : expr->n); i++)
    collect_reads(job, expr->kid[i], n_var, sweep);
}

/* How many neighbours a thread has at most: as many as 16 bytes have of the narrowest elements that
 * are read or stored. */
static int widest(const lo_job *job, const lo_sweep *sweep, const lo_value *stored) {
  bool narrow = stored->dtype != AS_F32;
  for (int i = 0; i < sweep->n_read; i++)
    narrow |= job->value[sweep->read[i].ref->val].dtype != AS_F32;
  return narrow ? LO_SWEEP_NARROW : LO_SWEEP_VECTOR;
}

/* Do all places of the read, at multiples of `width` of the variable `along`, begin so many
 * elements that are read at once, with neighbours side by side? */
static bool is_aligned(const lo_sweep_read *read, int along, int n_var, int width) {
  bool aligned =
      read->origin % width == 0 && read->at.stride[along] == 1 && read->at.first % width == 0;
  for (int i = 0; i < n_var; i++)
    aligned = aligned && (i == along || read->at.stride[i] % width == 0);
  return aligned;
}

/* How many neighbours along a variable a thread has: those that some read takes at once, `most` or
 * half as many. */
static void choose_vector(lo_sweep *sweep, int along, int n_var, long extent, int most) {
  bool some = false;
  for (int width = most; width >= LO_SWEEP_VECTOR && !some; width /= 2) {
    sweep->vector = width;
    for (int i = 0; i < sweep->n_read; i++) {
      lo_sweep_read *read = &sweep->read[i];
      read->vector = extent % width == 0 && is_aligned(read, along, n_var, width);
      read->same = read->at.stride[along] == 0;
      some |= read->vector;
    }
  }
  if (some)
    return;
  sweep->vector = 1;
  for (int i = 0; i < sweep->n_read; i++)
    sweep->read[i].same = false;
}

/* elements between neighbours of a variable, of the read that has most to do with it; 0: of none */
static long nearest(const lo_sweep *sweep, int along) {
  long least = 0;
  for (int i = 0; i < sweep->n_read; i++) {
    long stride = labs(sweep->read[i].at.stride[along]);
    if (stride && (least == 0 || stride < least))
      least = stride;
  }
  return least;
}

/* --- plans */
/* loads in flight that a thread of few registers keeps */
enum { MOST_UNROLLED = 32 }; /* terms whose indices the compiler computes */

enum { ENOUGH_RESULTS = 16384 }; /* fewer leave most of a GPU idle where each has one thread */

enum { IN_FLIGHT_SCALAR = 8, IN_FLIGHT_VECTOR = 4, IN_FLIGHT_NARROW = 2 };

/* A map's blocks end as soon as each thread has read and stored once: large ones of many such were
 * measured to take memory's rate, loops and more loads in flight three percent less. */
enum { MAP_THREADS = 512 };

/* Lanes of columns that share a part of the terms, and as many such groups in a block as terms last
 * for: a block reads many rows at once, each over as many bytes as memory gives away together. */
enum { COLUMN_LANES = 128, LEAST_TERMS_DEEP = 16, MOST_HELD = 32 };

static lo_sweep plan_map(lo_job *job, const lo_value *value) {
  lo_sweep plan = {.kind = LO_SWEEP_MAP, .reduction = LO_NONE, .block = MAP_THREADS, .repeats = 1};
  lo_sweep *sweep = &plan;
  int last = value->rank - 1;
  collect_reads(job, value->body, value->rank, sweep);
  sweep->vector = widest(job, sweep, value);
  if (last >= 0 && value->dim[last] % sweep->vector && value->dim[last] % LO_SWEEP_VECTOR == 0)
    sweep->vector = LO_SWEEP_VECTOR;
  sweep->linear = value->rank == 0 || value->dim[last] % sweep->vector;
  for (int i = 0; i < sweep->n_read; i++) {
    lo_sweep_read *read = &sweep->read[i];
    bool flat = read->origin % sweep->vector == 0 && read->at.first == 0;
    for (int axis = 0; axis < value->rank; axis++)
      flat = flat && (value->dim[axis] == 1 || read->at.stride[axis] == lo_stride_of(value, axis));
    read->flat = flat;
    read->vector = flat || (!sweep->linear && is_aligned(read, last, value->rank, sweep->vector));
    read->same = !sweep->linear && read->at.stride[last] == 0;
  }
  return plan;
}

typedef struct {
  int last;
  bool moves;
} last_walk;

static void see_last(void *arg, const lx *ref) {
  last_walk *walk = arg;
  walk->moves |= ref->n > 0 && lx_uses_var(ref->kid[ref->n - 1], walk->last);
}

/* Of what is read under conditions, do neighbouring results read neighbours?  As windows do. */
static bool reads_beside(const lo_value *value, int last) {
  last_walk walk = {last, false};
  lx_refs(value->body, see_last, &walk);
  return walk.moves;
}

/* loads that a thread has in flight */
static int in_flight(const lo_sweep *sweep) {
  int repeats = sweep->vector > LO_SWEEP_VECTOR ? IN_FLIGHT_NARROW
                : sweep->vector > 1             ? IN_FLIGHT_VECTOR
                                                : IN_FLIGHT_SCALAR;
  return sweep->n_read > 2 ? repeats / 2 : repeats;
}

/* How many groups of lanes share the terms of the same columns. */
static void choose_depth(const lo_job *job, lo_sweep *sweep, const lo_value *value) {
  const as_target *target = job->options->target;
  long threads = (long)target->multiprocessors * target->warps_mp * (long)target->warp;
  long columns = lo_elems(value) / sweep->vector;
  int deep = 1;
  while (deep < LO_SWEEP_WARPS && (value->extent >= 2L * LEAST_TERMS_DEEP * deep ||
                                   (value->extent >= 8L * deep && columns * deep < 2 * threads)))
    deep *= 2;
  bool light = sweep->n_read * sweep->vector * in_flight(sweep) <= MOST_HELD;
  sweep->warps_deep = deep;
  sweep->block = LO_SWEEP_THREADS;
  if (light && deep * COLUMN_LANES > LO_SWEEP_THREADS && columns * deep >= 2 * threads)
    sweep->block = deep * COLUMN_LANES;
}

/* end: as of a sweep */
static lo_sweep plan_reduction(lo_job *job, uint32_t id, const lx *end) {
  lo_sweep plan = {.reduction = id, .end = end, .block = LO_SWEEP_THREADS};
  lo_sweep *sweep = &plan;
  const as_target *target = job->options->target;
  const lo_value *value = &job->value[id];
  int last = lo_last_axis(value);
  int n_var = value->rank + 1;
  long results = lo_elems(value);
  sweep->reduction = id;
  collect_reads(job, value->body, n_var, sweep);
  int most = widest(job, sweep, value);
  long along_terms = nearest(sweep, value->rank);
  long along_results = last >= 0 ? nearest(sweep, last) : 0;
  bool columns = along_results && (along_terms == 0 || along_results < along_terms);
  if (sweep->n_read == 0)
    columns = last >= 0 && results >= ENOUGH_RESULTS && reads_beside(value, last);
  if (columns) {
    sweep->kind = LO_SWEEP_COLUMNS;
    choose_vector(sweep, last, n_var, value->dim[last], most);
    choose_depth(job, sweep, value);
  } else {
    sweep->kind = LO_SWEEP_ROWS;
    choose_vector(sweep, value->rank, n_var, value->extent, most);
    if (sweep->end)
      sweep->vector = 1;
    bool few = results < (long)target->multiprocessors * target->warps_mp;
    bool wide = value->extent >= 4L * LO_SWEEP_THREADS * sweep->vector;
    sweep->threads = wide || (few && value->extent >= LO_SWEEP_THREADS) ? LO_SWEEP_THREADS : 32;
  }
  sweep->repeats = in_flight(sweep);
  if (columns && sweep->warps_deep == 1 && value->extent <= MOST_UNROLLED && !end)
    sweep->unrolled = true;
  if (sweep->vector == 1) {
    for (int i = 0; i < sweep->n_read; i++)
      sweep->read[i].vector = sweep->read[i].same = false;
  }
  return plan;
}

/* Neighbours of a row from the last one on: do they lie in 16 bytes? */
static bool is_aligned_back(const lo_sweep_read *read, int along, int n_var) {
  bool aligned = read->origin % LO_SWEEP_VECTOR == 0 && read->at.stride[along] == -1 &&
                 read->at.first % LO_SWEEP_VECTOR == LO_SWEEP_VECTOR - 1;
  for (int i = 0; i < n_var; i++)
    aligned = aligned && (i == along || read->at.stride[i] % LO_SWEEP_VECTOR == 0);
  return aligned;
}

static lo_sweep plan_scan(lo_job *job, uint32_t id, const lo_scan *scan) {
  const lo_value *value = &job->value[id];
  lo_sweep plan = {.kind = LO_SWEEP_SCAN,
                   .reduction = id,
                   .scan = *scan,
                   .vector = 1,
                   .block = LO_SWEEP_THREADS};
  int n_var = value->rank + 1;
  long others = lo_elems(value) / value->dim[scan->axis];
  collect_reads(job, scan->term, n_var, &plan);
  bool rows = lo_stride_of(value, scan->axis) == 1 ||
              (others < LO_SWEEP_THREADS && value->dim[scan->axis] >= LO_SWEEP_THREADS);
  if (!rows) {
    plan.kind = LO_SWEEP_SCAN_COLUMNS;
    plan.repeats = IN_FLIGHT_SCALAR;
    return plan;
  }
  for (int i = 0; i < plan.n_read; i++) {
    lo_sweep_read *read = &plan.read[i];
    read->back = is_aligned_back(read, value->rank, n_var);
    read->vector = read->back || is_aligned(read, value->rank, n_var, LO_SWEEP_VECTOR);
    read->same = read->at.stride[value->rank] == 0;
  }
  plan.vector = LO_SWEEP_VECTOR;
  plan.repeats = plan.n_read > 1 ? 2 : IN_FLIGHT_VECTOR;
  return plan;
}

static bool plan_window(lo_job *job, uint32_t id, lx *finish, lo_sweep *sweep) {
  lo_window *window = lo_window_of(job, id, finish);
  *sweep = (lo_sweep){.kind = LO_SWEEP_WINDOW,
                      .reduction = id,
                      .finish = finish,
                      .window = window,
                      .vector = 1,
                      .block = LO_SWEEP_THREADS};
  return window != NULL;
}

/* --- long reductions of few results */
enum { LEAST_TERMS = 2048, LEAST_DEEP = 64, PARTS_PER_BLOCK = 4 };

/* Into how many parts a reduction is divided, so that there are blocks enough; 1: it is not. */
static long parts_of(const lo_job *job, const lo_value *value, const lo_sweep *sweep) {
  bool columns = sweep->kind == LO_SWEEP_COLUMNS;
  long wanted = (long)PARTS_PER_BLOCK * job->options->target->multiprocessors;
  long per_block = columns                ? (long)sweep->vector * sweep->block / sweep->warps_deep
                   : sweep->threads == 32 ? LO_SWEEP_WARPS
                                          : 1;
  long blocks = (lo_elems(value) + per_block - 1) / per_block;
  long least = columns ? LEAST_DEEP : LEAST_TERMS;
  long parts = 1;
  while (blocks * parts < wanted && value->extent / (2 * parts) >= least)
    parts *= 2;
  return value->rank < AS_MAX_RANK ? parts : 1;
}

/* The reduction over parts of its terms, as a unit of its own, and then over the parts.  columns:
 * results lie side by side in both. */
static void divide(lo_job *job, uint32_t id, long parts, bool columns, lo_unit *before) {
  lo_value old = job->value[id];
  long each = (old.extent + parts - 1) / parts;
  each = (each + LO_SWEEP_NARROW - 1) / LO_SWEEP_NARROW * LO_SWEEP_NARROW;
  parts = (old.extent + each - 1) / each;
  long dim[AS_MAX_RANK];
  lx *by[AS_MAX_RANK + 1];
  lx *own[AS_MAX_RANK];
  int shift = columns ? 1 : 0;
  int part = columns ? 0 : old.rank;
  for (int axis = 0; axis < old.rank; axis++) {
    dim[axis + shift] = old.dim[axis];
    by[axis] = lx_var(job, axis + shift);
    own[axis + shift] = lx_var(job, axis);
  }
  dim[part] = parts;
  own[part] = lx_var(job, old.rank);
  lx *begin = lx_mk(job, LX_MUL, 2, (lx *[]){lx_var(job, part), lx_int(job, each)});
  by[old.rank] = lx_mk(job, LX_ADD, 2, (lx *[]){begin, lx_var(job, old.rank + 1)});
  char *name = as_format("%s_parts", old.name);
  uint32_t made = lo_new_val(job, LV_RED, name, old.rank + 1, dim);
  free(name);
  lo_value *value = &job->value[made];
  value->red = old.red;
  value->extent = each;
  value->body = lx_subst(job, old.body, by, old.rank + 1);
  value->place = LP_GLOBAL;
  value->buffer_class = LG_WORK;
  value->dtype = AS_F32;
  lo_sweep *sweep = as_arena_alloc(job->arena, sizeof *sweep);
  const lx *end = NULL;
  if (parts * each != old.extent) {
    lx *left = lx_mk(job, LX_SUB, 2, (lx *[]){lx_int(job, old.extent), begin});
    end = lx_mk(job, LX_MIN, 2, (lx *[]){lx_int(job, each), left});
  }
  *sweep = plan_reduction(job, made, end);
  *before = (lo_unit){.name = value->name,
                      .loop = 1,
                      .flat = true,
                      .flat_val = made,
                      .grid = {1, 1, 1},
                      .sweep = sweep};
  job->value[id].body = lx_ref(job, made, old.rank + 1, own);
  job->value[id].extent = parts;
}

/* Are there results enough for a pass over memory without parts? */
static bool goes_whole(lo_job *job, uint32_t id) {
  lo_sweep plan = plan_reduction(job, id, NULL);
  return parts_of(job, &job->value[id], &plan) == 1;
}

static bool is_read_before(const lo_job *job, uint32_t id, uint32_t from, uint32_t to) {
  bool read = false;
  for (uint32_t i = from; i < to && !read; i++) {
    read = lo_unit_reads(job, &job->unit[i], id);
  }
  return read;
}

enum { LEAST_PAIRED = 128 };

/* Are rows so short that what a warp's lanes have costs more to join than to read again?  On an
 * H200 a kernel of rows of 64 terms took longer for their mean and squares in one pass, one of 128
 * less for their maximum and exponentials. */
static bool joins_too_often(lo_job *job, uint32_t id, lo_pair pair) {
  lo_sweep plan = plan_reduction(job, id, NULL);
  return pair != LO_PAIR_PLACE && plan.kind == LO_SWEEP_ROWS &&
         job->value[id].extent < LEAST_PAIRED;
}

/* The first of two reductions that one pass makes goes into the unit of the second. */
static bool pair_units(lo_job *job, uint32_t i, uint32_t k) {
  lo_unit *first = &job->unit[i];
  lo_unit *second = &job->unit[k];
  if (!lo_is_swept(job, first) || !lo_is_swept(job, second))
    return false;
  lo_pair pair = lo_pair_of(job, first, second);
  uint32_t id = first->sweep ? first->sweep->reduction : first->flat_val;
  if (pair == LO_PAIR_NONE || joins_too_often(job, id, pair) ||
      (first->sweep && first->sweep->pair) || (second->sweep && second->sweep->pair) ||
      !goes_whole(job, id) || is_read_before(job, first->flat_val, i + 1, k))
    return false;
  lo_sweep *sweep = as_arena_alloc(job->arena, sizeof *sweep);
  *sweep = plan_reduction(job, id, NULL);
  sweep->unrolled = false;
  sweep->pair = pair;
  sweep->first = id;
  sweep->first_result = first->flat_val;
  sweep->first_finish = first->sweep ? first->sweep->finish : NULL;
  sweep->reduction = second->sweep ? second->sweep->reduction : second->flat_val;
  const lo_value *last = &job->value[sweep->reduction];
  if (second->sweep && second->sweep->finish)
    sweep->finish = lo_pair_over(job, &job->value[id], last, second->sweep->finish);
  if (pair == LO_PAIR_PLACE) {
    sweep->keeps = last->red;
    sweep->none = last->body->kid[2]->number;
  }
  lo_value *result = &job->value[sweep->first_result];
  bool read = result->buffer_class != LG_WORK;
  for (uint32_t other = 0; other < job->n_unit && !read; other++)
    read = other != k && lo_unit_reads(job, &job->unit[other], sweep->first_result);
  for (uint32_t other = 0; other < job->n_value && !read; other++)
    read = lo_is_part_of(&job->value[other], sweep->first_result);
  sweep->first_kept = read;
  if (!read)
    result->place = LP_INLINE;
  second->sweep = sweep;
  lo_remove_unit(job, i);
  return true;
}

static void pair_all(lo_job *job) {
  for (uint32_t i = 0; i < job->n_unit; i++) {
    for (uint32_t k = i + 1; k < job->n_unit; k++) {
      if (pair_units(job, i, k))
        k = i;
    }
  }
}

void lo_sweep_units(lo_job *job) {
  as_vec units;
  as_vec_init(&units, sizeof(lo_unit));
  lo_join_units(job);
  pair_all(job);
  for (uint32_t i = 0; i < job->n_unit; i++) {
    lo_unit unit = job->unit[i];
    if (!lo_is_swept(job, &unit) || (unit.sweep && unit.sweep->pair)) {
      as_vec_push(&units, &unit);
      continue;
    }
    lo_scan scan;
    lx *finish = unit.sweep ? unit.sweep->finish : NULL;
    uint32_t id = unit.sweep ? unit.sweep->reduction : unit.flat_val;
    unit.sweep = as_arena_alloc(job->arena, sizeof *unit.sweep);
    if (job->value[id].kind == LV_MAP) {
      *unit.sweep = plan_map(job, &job->value[id]);
    } else if (lo_scan_of(job, &job->value[id], &scan)) {
      *unit.sweep = plan_scan(job, id, &scan);
      unit.sweep->finish = finish;
    } else if (plan_window(job, id, finish, unit.sweep)) {
      as_str_printf(&job->notes, "%s: window of %ld terms, %d results a thread\n", unit.name,
                    job->value[id].extent, unit.sweep->window->results);
    } else {
      *unit.sweep = plan_reduction(job, id, NULL);
      long parts = parts_of(job, &job->value[id], unit.sweep);
      if (parts > 1) {
        lo_unit before;
        divide(job, id, parts, unit.sweep->kind == LO_SWEEP_COLUMNS, &before);
        as_vec_push(&units, &before);
        *unit.sweep = plan_reduction(job, id, NULL);
      }
      unit.sweep->finish = finish;
    }
    as_vec_push(&units, &unit);
  }
  lo_give_units(job, &units);
  as_vec_clear(&units);
  lo_follow_rows(job);
}
