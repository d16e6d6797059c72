/* A block graph read as what its results are, element by element: a tile's element is that of its
 * tensor, an accumulator is a fold over the iterations.  What the element needs of its block and
 * iteration are expressions of the result's indices: the number of its tile is the index divided by
 * the tile's extent. */
#include "untile.h"
#include "body.h"
#include "emit.h"
#include "hoist.h"
#include "live.h"
#include "place.h"
#include "range.h"
#include "threads.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

/* of an element, with what is read several times written out as often */
enum { MOST_NODES = 4000 };

typedef struct {
  lo_job *job;
  const lo_unit *unit;
  lo_body *body;
  lx *block[3];  /* the grid's indices */
  lx *iteration; /* NULL: outside of the loop */
  long *nodes;   /* made so far, as a tree */
  bool bad;      /* something is met that is no expression of indices */
} element;

static lx *value_at(element *of, uint32_t id, int n, lx *const *index);

static lx *zero(element *of) {
  of->bad = true;
  return lx_int(of->job, 0);
}

static lx *sum(lo_job *job, lx *left, lx *right) {
  return lx_mk(job, LX_ADD, 2, (lx *[]){left, right});
}

static lx *times(lo_job *job, lx *left, long by) {
  return lx_mk(job, LX_MUL, 2, (lx *[]){left, lx_int(job, by)});
}

/* the number of a tile, as lo_tile_number counts them; NULL: nothing divides the axis */
static lx *tile_number(element *of, int last, uint8_t slower, bool by_loop) {
  lx *number = NULL;
  for (int axis = 0; axis < 3; axis++) {
    if (axis != last && !(slower >> axis & 1))
      continue;
    number = number ? sum(of->job, times(of->job, number, of->unit->grid[axis]), of->block[axis])
                    : of->block[axis];
  }
  if (!by_loop)
    return number;
  if (of->iteration == NULL)
    return zero(of);
  return number ? sum(of->job, times(of->job, number, of->unit->loop), of->iteration)
                : of->iteration;
}

static lx *loaded(element *of, const lo_value *load, lx *const *index) {
  lx *at[AS_MAX_RANK];
  for (int axis = 0; axis < load->rank; axis++) {
    lx *number =
        tile_number(of, load->grid_axis[axis], load->slower_axes[axis], load->by_loop[axis]);
    at[axis] =
        number ? sum(of->job, times(of->job, number, load->dim[axis]), index[axis]) : index[axis];
  }
  return lo_read(of->job, load->source, load->rank, at);
}

/* a new index of a fold; NULL: there are too many */
static lx *fold_index(element *of, long extent) {
  lo_body *body = of->body;
  if (body->n_var == LO_MAX_VARS)
    return NULL;
  body->extent[body->n_var] = extent;
  body->live[body->n_var] = 0;
  return lx_var(of->job, body->n_var++);
}

static lx *folded(element *of, lo_red red, lx *index, long extent, lx *term) {
  lx *fold = lx_new(of->job, LX_FOLD, 1);
  fold->var = (int)index->number;
  fold->number = extent;
  fold->red = red;
  fold->kid[0] = term;
  return fold;
}

/* where a tile that is cut off begins; NULL: there is no telling */
static lx *tile_begins(element *of, const lo_cut *cut) {
  lx *number =
      cut->live || cut->whole_live ? NULL : tile_number(of, cut->grid_axis, 0, cut->by_loop);
  return number ? times(of->job, number, cut->tile) : NULL;
}

/* what is left of a tile that is cut off */
static lx *left_of_tile(element *of, const lo_cut *cut) {
  lo_job *job = of->job;
  lx *begin = tile_begins(of, cut);
  if (begin == NULL)
    return zero(of);
  lx *left = lx_mk(job, LX_SUB, 2, (lx *[]){lx_int(job, cut->whole), begin});
  return lx_mk(job, LX_MIN, 2, (lx *[]){left, lx_int(job, cut->tile)});
}

/* Is an index within what is left of a tile?  One that is below the tile's extent is where it is
 * within the tensor. */
static lx *within_tile(element *of, lx *index, const lo_cut *cut) {
  lo_range range;
  lx *begin = tile_begins(of, cut);
  if (begin == NULL)
    return zero(of);
  if (!lo_range_of(index, of->body->extent, of->body->n_var, &range) || range.high >= cut->tile)
    return lx_mk(of->job, LX_LT, 2, (lx *[]){index, left_of_tile(of, cut)});
  lx *whole = lx_int(of->job, cut->whole);
  return lx_mk(of->job, LX_LT, 2, (lx *[]){sum(of->job, begin, index), whole});
}

/* a body with its variables replaced, its reads those of memory, its extents those of the element's
 * tile */
static lx *rewritten(element *of, lx *expr, lx *const *by, int n) {
  if (of->bad || ++*of->nodes > MOST_NODES)
    return zero(of);
  switch (expr->op) {
  case LX_VAR:
    return expr->number < n ? by[expr->number] : zero(of);
  case LX_CUT:
    return left_of_tile(of, lo_cut_row(of->job, (uint32_t)expr->number));
  case LX_FIRST:
  case LX_FOLD:
    return zero(of);
  default:
    break;
  }
  if (expr->op == LX_REF && expr->n == 0)
    return value_at(of, expr->val, 0, NULL);
  if (expr->n == 0)
    return expr;
  lx **kid = as_arena_alloc(of->job->arena, (size_t)expr->n * sizeof *kid);
  kid[0] = rewritten(of, expr->kid[0], by, n);
  if (expr->op == LX_LT && expr->kid[0]->op == LX_VAR && expr->kid[1]->op == LX_CUT)
    return within_tile(of, kid[0], lo_cut_row(of->job, (uint32_t)expr->kid[1]->number));
  for (int i = 1; i < expr->n; i++)
    kid[i] = rewritten(of, expr->kid[i], by, n);
  if (expr->op == LX_REF)
    return value_at(of, expr->val, expr->n, kid);
  if (expr->op == LX_WHOLE)
    return lx_whole(of->job, expr->val, expr->n, kid);
  lx *result = lx_mk(of->job, expr->op, expr->n, kid);
  if (expr->op == LX_CALL)
    result->function = expr->function;
  return result;
}

static lx *reduced(element *of, const lo_value *value, lx *const *index) {
  lx *by[AS_MAX_RANK + 1];
  lx *k = fold_index(of, value->extent);
  if (k == NULL)
    return zero(of);
  for (int axis = 0; axis < value->rank; axis++)
    by[axis] = index[axis];
  by[value->rank] = k;
  lx *term = rewritten(of, value->body, by, value->rank + 1);
  if (value->extent_live) {
    lx *inside = within_tile(of, k, lo_cut_row(of->job, value->extent_live));
    lx *choice[3] = {inside, term, lo_neutral(of->job, value->red)};
    if (term->op != LX_IF || !lx_equal(term->kid[0], inside))
      term = lx_mk(of->job, LX_IF, 3, choice);
  }
  return folded(of, value->red, k, value->extent, term);
}

/* what an accumulator holds behind the loop */
static lx *accumulated(element *of, const lo_value *value, lx *const *index) {
  lo_job *job = of->job;
  lx *at[AS_MAX_RANK];
  element inside = *of;
  if (of->iteration) /* within the loop it is not complete */
    return zero(of);
  for (int axis = 0; axis < value->rank; axis++)
    at[axis] = index[axis];
  lx *result = NULL;
  if (value->acc == AS_ACC_CONCAT) {
    lx *tile = lx_int(job, job->value[value->of].dim[value->axis]);
    inside.iteration = lx_mk(job, LX_IDIV, 2, (lx *[]){index[value->axis], tile});
    at[value->axis] = lx_mk(job, LX_MOD, 2, (lx *[]){index[value->axis], tile});
    result = value_at(&inside, value->of, value->rank, at);
  } else if (value->acc == AS_ACC_SUM || value->acc == AS_ACC_MAX) {
    inside.iteration = fold_index(of, of->unit->loop);
    if (inside.iteration == NULL)
      return zero(of);
    lx *term = value_at(&inside, value->of, value->rank, at);
    result = folded(of, value->acc == AS_ACC_SUM ? LO_SUM : LO_MAX, inside.iteration,
                    of->unit->loop, term);
  } else {
    return zero(of); /* rescaled: of running values, which are none of the whole */
  }
  of->bad |= inside.bad;
  return result;
}

static lx *value_at(element *of, uint32_t id, int n, lx *const *index) {
  const lo_value *value = &of->job->value[id];
  if (of->bad)
    return lx_int(of->job, 0);
  switch (value->kind) {
  case LV_CONST:
    return lo_number(of->job, value);
  case LV_LOAD:
    return loaded(of, value, index);
  case LV_MAP:
    if (value->place == LP_GLOBAL)
      return lx_ref(of->job, id, n, index);
    return rewritten(of, value->body, index, n);
  case LV_RED:
    return value->place == LP_GLOBAL ? lx_ref(of->job, id, n, index) : reduced(of, value, index);
  case LV_ACC:
    return accumulated(of, value, index);
  case LV_GLOBAL:
    return lo_read(of->job, id, n, index);
  default:
    return zero(of);
  }
}

static void first_read(void *arg, const lx *ref) {
  const lx **found = arg;
  if (*found == NULL)
    *found = ref;
}

/* Folds within each other go over memory in its order: the one whose index is farthest apart there
 * stands outside.  Their order is none of the meaning's. */
static lx *in_memory_order(lo_job *job, lx *expr) {
  lx *around[LO_MAX_VARS];
  int n = 0;
  lx *term = expr;
  for (; term->op == LX_FOLD && term->red == expr->red && n < LO_MAX_VARS; term = term->kid[0])
    around[n++] = term;
  const lx *read = NULL;
  lo_offset at;
  lx_refs(term, first_read, &read);
  if (n < 2 || read == NULL || !lo_offset_of(job, read, LO_MAX_VARS, &at))
    return expr;
  for (int i = 1; i < n; i++) {
    lx *moved = around[i];
    int k = i;
    for (; k > 0 && at.stride[around[k - 1]->var] < at.stride[moved->var]; k--)
      around[k] = around[k - 1];
    around[k] = moved;
  }
  for (int i = n; i-- > 0;) {
    lx *fold = lx_new(job, LX_FOLD, 1);
    lx **kid = fold->kid;
    *fold = *around[i];
    fold->kid = kid;
    fold->kid[0] = term;
    term = fold;
  }
  return term;
}

static lx *folds_ordered(lo_job *job, lx *expr) {
  if (expr->op == LX_FOLD)
    expr = in_memory_order(job, expr);
  if (expr->n == 0 || expr->op == LX_REF || expr->op == LX_WHOLE)
    return expr;
  lx *result = lx_new(job, expr->op, expr->n);
  lx **kid = result->kid;
  *result = *expr;
  result->kid = kid;
  for (int i = 0; i < expr->n; i++)
    kid[i] = folds_ordered(job, expr->kid[i]);
  return result;
}

/* The grid's indices, of the block that stores an element: a grid axis that divides no axis of the
 * result has blocks that all store the same. */
static void find_block(element *of, const lo_store *store, const lo_value *tile, lx **local) {
  lo_job *job = of->job;
  for (int axis = 0; axis < 3; axis++)
    of->block[axis] = lx_int(job, 0);
  for (int axis = 0; axis < tile->rank; axis++) {
    lx *variable = lx_var(job, axis);
    local[axis] = variable;
    if (store->grid_axis[axis] < 0)
      continue;
    lx *extent = lx_int(job, tile->dim[axis]);
    lx *number = lx_mk(job, LX_IDIV, 2, (lx *[]){variable, extent});
    local[axis] = lx_mk(job, LX_MOD, 2, (lx *[]){variable, extent});
    for (int a = 2; a >= 0; a--) {
      if (a != store->grid_axis[axis] && !(store->slower_axes[axis] >> a & 1))
        continue;
      lx *count = lx_int(job, of->unit->grid[a]);
      of->block[a] =
          store->slower_axes[axis] ? lx_mk(job, LX_MOD, 2, (lx *[]){number, count}) : number;
      number = lx_mk(job, LX_IDIV, 2, (lx *[]){number, count});
    }
  }
}

/* a unit at kernel level of a value that has none yet */
static void give_unit(lo_job *job, as_vec *units, uint32_t id) {
  lo_unit unit = {
      .name = job->value[id].name, .loop = 1, .flat = true, .flat_val = id, .grid = {1, 1, 1}};
  lo_value *value = &job->value[id];
  value->place = LP_GLOBAL;
  value->unit = (uint32_t)units->n;
  as_vec_push(units, &unit);
}

/* A reduction of which only the terms below a number count has no others. */
static void end_early(lo_job *job, lo_value *value) {
  long extent[AS_MAX_RANK + 1];
  memcpy(extent, value->dim, sizeof value->dim);
  value->body = lo_rejoined(job, value->body);
  while (value->body->op == LX_IF && lx_equal(value->body->kid[2], lo_neutral(job, value->red))) {
    const lx *test = value->body->kid[0];
    bool ends = test->op == LX_LT && test->kid[0]->op == LX_VAR &&
                test->kid[0]->number == value->rank && test->kid[1]->op == LX_INT;
    if (!ends)
      break;
    long end = test->kid[1]->number > 0 ? test->kid[1]->number : 0;
    value->extent = end < value->extent ? end : value->extent;
    value->body = value->body->kid[1];
  }
  extent[value->rank] = value->extent;
  value->body = lx_simplify(job, value->body, extent, value->rank + 1);
}

/* Is a read of a reduction all of the result, whose axes of extent 1 the reduction may lack?  Then
 * `as` is the result's index for each of the reduction's. */
static bool is_all_of(lo_job *job, const lx *read, const lo_value *of, const lo_value *result,
                      lx **as) {
  int next = 0;
  for (int axis = 0; axis < of->rank; axis++) {
    const lx *index = read->kid[axis];
    as[axis] = lx_int(job, 0);
    if (of->dim[axis] == 1)
      continue;
    if (index->op != LX_VAR || index->number >= result->rank || index->number < next ||
        result->dim[index->number] != of->dim[axis])
      return false;
    for (; next < index->number; next++) {
      if (result->dim[next] != 1)
        return false;
    }
    as[axis] = lx_var(job, next++);
  }
  for (; next < result->rank; next++) {
    if (result->dim[next] != 1)
      return false;
  }
  return true;
}

/* A result that is the last reduction made for it is that reduction. */
static void define(lo_job *job, uint32_t target, uint32_t first, lx *expr) {
  lo_value *result = &job->value[target];
  uint32_t last = job->n_value - 1;
  lx *as[AS_MAX_RANK + 1];
  result->kind = LV_MAP;
  result->body = expr;
  if (expr->op != LX_REF || expr->val != last || last < first ||
      !is_all_of(job, expr, &job->value[last], result, as))
    return;
  const lo_value *reduction = &job->value[last];
  as[reduction->rank] = lx_var(job, result->rank);
  result->kind = LV_RED;
  result->red = reduction->red;
  result->extent = reduction->extent;
  result->body = lx_subst(job, reduction->body, as, reduction->rank + 1);
  job->n_value--;
}

static bool in_range(lo_job *job, uint32_t id) {
  lo_unit unit = {.flat = true, .flat_val = id};
  return lo_check_ranges(job, &unit);
}

static bool same_reduction(const lo_value *left, const lo_value *right) {
  return left->kind == LV_RED && right->kind == LV_RED && left->rank == right->rank &&
         left->red == right->red && left->extent == right->extent &&
         !memcmp(left->dim, right->dim, (size_t)left->rank * sizeof *left->dim) &&
         lx_equal(left->body, right->body);
}

typedef struct {
  uint32_t first; /* of the values that have new numbers */
  const uint32_t *now;
} renumbering;

static lx *renumbered(lo_job *job, void *arg, lx *ref) {
  const renumbering *how = arg;
  return ref->val < how->first ? ref
                               : lx_ref(job, how->now[ref->val - how->first], ref->n, ref->kid);
}

/* one that was made for an earlier result of the unit, its first value being `of_unit`; LO_NONE */
static uint32_t made_before(const lo_job *job, const lo_unit *unit, uint32_t of_unit, uint32_t end,
                            uint32_t which) {
  for (uint32_t id = of_unit; id < end; id++) {
    if (same_reduction(&job->value[id], &job->value[which]))
      return id;
  }
  for (uint32_t i = 0; i < unit->n_store; i++) {
    if (same_reduction(&job->value[unit->store[i].target], &job->value[which]))
      return unit->store[i].target;
  }
  return LO_NONE;
}

/* Results of one unit share their reductions: what was just made, from `first` on, and is there
 * already is dropped.  Gives `expr` with the values that remain. */
static lx *shared(lo_job *job, const lo_unit *unit, uint32_t of_unit, uint32_t first, lx *expr) {
  uint32_t *now = as_arena_alloc(job->arena, (job->n_value - first + 1) * sizeof *now);
  renumbering how = {first, now};
  uint32_t end = first;
  for (uint32_t id = first; id < job->n_value; id++) {
    job->value[id].body = lx_map_refs(job, job->value[id].body, renumbered, &how);
    uint32_t same = made_before(job, unit, of_unit, end, id);
    now[id - first] = same != LO_NONE ? same : end;
    if (same == LO_NONE)
      job->value[end++] = job->value[id];
  }
  job->n_value = end;
  return lx_map_refs(job, expr, renumbered, &how);
}

/* The result of a store, as reductions and a map of its own.  false: it is not one of indices. */
static bool make_result(lo_job *job, const lo_unit *unit, uint32_t of_unit, const lo_store *store,
                        as_vec *units) {
  lo_body body = {0};
  long nodes = 0;
  element of = {.job = job, .unit = unit, .body = &body, .nodes = &nodes};
  lx *local[AS_MAX_RANK];
  const lo_value *tile = &job->value[store->val];
  const lo_value target = job->value[store->target];
  uint32_t first = job->n_value;
  body.rank = body.n_var = target.rank;
  memcpy(body.extent, target.dim, sizeof target.dim);
  find_block(&of, store, tile, local);
  body.expr = value_at(&of, store->val, tile->rank, local);
  if (of.bad)
    return false;
  body.expr = lo_rejoined(job, lx_simplify(job, body.expr, body.extent, body.n_var));
  body.expr = folds_ordered(job, lx_simplify(job, body.expr, body.extent, body.n_var));
  lx *expr = lo_hoist(job, target.name, LO_NONE, &body);
  if (expr == NULL)
    return false;
  for (uint32_t id = first; id < job->n_value; id++)
    end_early(job, &job->value[id]);
  expr = shared(job, unit, of_unit, first, expr);
  define(job, store->target, first,
         lx_simplify(job, lo_rejoined(job, expr), target.dim, target.rank));
  for (uint32_t id = first; id < job->n_value; id++) {
    job->value[id].buffer_class = LG_WORK;
    job->value[id].dtype = AS_F32;
    give_unit(job, units, id);
    if (!in_range(job, id))
      return false;
  }
  give_unit(job, units, store->target);
  return in_range(job, store->target);
}

/* Is every element that it loads a floating-point one, and every size that of the file? */
static bool is_plain(const lo_job *job, const lo_unit *unit) {
  bool plain = job->n_ranged == 0;
  for (uint32_t i = 0; i < unit->n && plain; i++) {
    const lo_value *value = &job->value[unit->val[i]];
    plain = value->kind != LV_LOAD || job->value[value->source].dtype != AS_INT;
  }
  return plain;
}

/* Has one factor an axis of more than one element that the other lacks? */
static bool has_alone(const lo_value *product, const lx *factor, const lx *other) {
  bool alone = false;
  for (int axis = 0; axis < product->rank; axis++)
    alone |= product->dim[axis] > 1 && lx_uses_var(factor, axis) && !lx_uses_var(other, axis);
  return alone;
}

/* Does it have a matrix product?  Its tiles are what makes that fast. */
static bool multiplies(const lo_job *job, const lo_unit *unit) {
  bool found = false;
  for (uint32_t i = 0; i < unit->n && !found; i++) {
    const lo_value *value = &job->value[unit->val[i]];
    if (value->kind != LV_RED || value->red != LO_SUM)
      continue;
    const lx *term = value->body->op == LX_IF ? value->body->kid[1] : value->body;
    found = term->op == LX_MUL && has_alone(value, term->kid[0], term->kid[1]) &&
            has_alone(value, term->kid[1], term->kid[0]);
  }
  return found;
}

/* Is a thread graph made of it?  What is said of that is said when it is kept. */
static bool has_threads(lo_job *job, lo_unit *unit) {
  size_t noted = job->notes.n;
  lo_threads(job, unit, (uint32_t)(unit - job->unit));
  bool has = unit->threads != NULL;
  lo_threads_clear(unit);
  job->notes.n = noted;
  if (job->notes.s)
    job->notes.s[noted] = 0;
  return has;
}

/* all of the unit's results, or nothing */
static bool untile(lo_job *job, const lo_unit *unit, as_vec *units) {
  uint32_t values = job->n_value;
  size_t before = units->n;
  lo_value target[AS_MAX_ARGS];
  if (unit->n_store > AS_MAX_ARGS)
    return false;
  for (uint32_t i = 0; i < unit->n_store; i++)
    target[i] = job->value[unit->store[i].target];
  for (uint32_t i = 0; i < unit->n_store; i++) {
    if (make_result(job, unit, values, &unit->store[i], units))
      continue;
    for (uint32_t k = 0; k < unit->n_store; k++)
      job->value[unit->store[k].target] = target[k];
    job->n_value = values;
    units->n = before;
    return false;
  }
  return true;
}

/* Does it only compute elements, each from others?  Then it can be joined to what is around it. */
static bool is_map(const lo_job *job, const lo_unit *unit) {
  bool map = true;
  for (uint32_t i = 0; i < unit->n && map; i++) {
    const lo_value *value = &job->value[unit->val[i]];
    map = value->kind != LV_RED && value->kind != LV_ACC;
  }
  return map;
}

enum { LITTLE = 1 << 16 }; /* elements that take less time than a kernel's launch */

/* Does it read little?  Then it costs nothing to make it part of what is beside it. */
static bool reads_little(const lo_job *job, const lo_unit *unit) {
  long elements = 0;
  for (uint32_t i = 0; i < unit->n; i++) {
    const lo_value *value = &job->value[unit->val[i]];
    if (value->kind == LV_LOAD)
      elements += lo_elems(&job->value[value->source]);
  }
  return elements <= LITTLE;
}

typedef enum { KEPT, BY_THREADS, UNTILED } fate;

/* What becomes of each unit.  A block graph with a validated thread graph stays one, but where
 * others beside it do not: maps, and what reads little, then join them instead of going through
 * memory. */
static fate *choose(lo_job *job) {
  fate *of = as_arena_alloc(job->arena, (job->n_unit + 1) * sizeof *of);
  bool some = false;
  for (uint32_t i = 0; i < job->n_unit; i++) {
    lo_unit *unit = &job->unit[i];
    of[i] = KEPT;
    some |= unit->flat && !unit->library;
    if (unit->flat || unit->library || !is_plain(job, unit) || multiplies(job, unit))
      continue;
    of[i] = has_threads(job, unit) ? BY_THREADS : UNTILED;
    some |= of[i] == UNTILED;
  }
  for (uint32_t i = 0; i < job->n_unit && some; i++) {
    if (of[i] == BY_THREADS && (is_map(job, &job->unit[i]) || reads_little(job, &job->unit[i])))
      of[i] = UNTILED;
  }
  return of;
}

/* what goes wrong on the way leaves the unit as it was */
static bool tried(lo_job *job, const lo_unit *unit, as_vec *units) {
  as_err trial;
  as_err *keep = job->err;
  as_err_init(&trial);
  job->err = &trial;
  bool done = untile(job, unit, units);
  job->err = keep;
  as_err_clear(&trial);
  if (done)
    as_str_printf(&job->notes, "%s: its results are computed over whole tensors\n", unit->name);
  return done;
}

bool lo_untile_units(lo_job *job) {
  as_vec units;
  as_vec_init(&units, sizeof(lo_unit));
  const fate *of = choose(job);
  for (uint32_t i = 0; i < job->n_unit; i++) {
    lo_unit *unit = &job->unit[i];
    if (of[i] == UNTILED && tried(job, unit, &units))
      continue;
    as_vec_push(&units, unit);
  }
  lo_give_units(job, &units);
  as_vec_clear(&units);
  return true;
}
