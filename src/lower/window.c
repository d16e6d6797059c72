/* Which tile of neighbours a thread computes is chosen by what its instructions cost: each tile is
 * written out, and loads, wavefronts and arithmetic are counted. */
#include "window.h"
#include "place.h"
#include "resolve.h"
#include "src/base/trace.h"
#include "src/base/vec.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_READS = 512, LEAST_RESULTS = 256 };

/* an element that some term reads, and what stands where it is outside of its tensor */
typedef struct {
  lx *ref;
  const lx *fill;
} element;

typedef struct {
  lo_job *job;
  const lo_value *value;
  uint32_t id;
  lx *finish;
  lo_window *window; /* that is made */
  element element[MOST_READS];
  int n_element;
  bool failed;   /* there is no room, or a range is not known */
  bool untidy;   /* an index along the tile is no sum of multiples */
  long residual; /* choices that stay, and arithmetic */
} planner;

/* --- elements that are read */
static bool is_number(const lx *expr) {
  return expr->op == LX_NUM || expr->op == LX_INT;
}

static bool same_element(const element *left, const lx *ref, const lx *fill) {
  return lx_equal(left->ref, ref) && lx_equal(left->fill, fill);
}

static lx *placeholder(lo_job *job, long number) {
  return lx_ref(job, LO_WINDOW_VALUE, 1, (lx *[]){lx_int(job, number)});
}

static lx *element_of(planner *at, lx *ref, const lx *fill) {
  for (int i = 0; i < at->n_element; i++) {
    if (same_element(&at->element[i], ref, fill))
      return placeholder(at->job, i);
  }
  if (at->n_element == MOST_READS) {
    at->failed = true;
    return ref;
  }
  at->element[at->n_element] = (element){ref, fill};
  return placeholder(at->job, at->n_element++);
}

/* What must hold for an index to be one of the axis, where that is not so anyway. */
static int guards_of(planner *at, lx *index, long extent, lx **guard) {
  lo_job *job = at->job;
  lo_range range;
  int n = 0;
  if (!lo_range_within(index, at->window->box, at->value->rank, &range)) {
    at->failed = true;
    return 0;
  }
  if (range.low < 0)
    guard[n++] = lo_not_negative(job, index);
  if (range.high >= extent) {
    lx *above = lx_mk(job, LX_SUB, 2, (lx *[]){lx_int(job, extent - 1), index});
    guard[n++] = lo_not_negative(job, lo_collected(job, above));
  }
  return n;
}

static int all_guards(planner *at, const lx *ref, lx **guard) {
  const lo_value *tensor = &at->job->value[ref->val];
  int n = 0;
  for (int axis = 0; axis < ref->n; axis++)
    n += guards_of(at, ref->kid[axis], tensor->dim[axis], guard + n);
  return n;
}

/* The condition without what the guards say; NULL: nothing is left of it. */
static lx *without_guards(planner *at, lx *condition, lx **guard, int n) {
  if (condition->op == LX_AND) {
    lx *left = without_guards(at, condition->kid[0], guard, n);
    lx *right = without_guards(at, condition->kid[1], guard, n);
    if (left == NULL || right == NULL)
      return left ? left : right;
    return lx_mk(at->job, LX_AND, 2, (lx *[]){left, right});
  }
  for (int i = 0; i < n; i++) {
    if (lx_equal(condition, guard[i]))
      return NULL;
  }
  return condition;
}

static lx *extract(planner *at, lx *expr);

/* An element where it exists, else a number: where the condition says no more than that it exists,
 * it is the read alone. */
static lx *extract_choice(planner *at, lx *expr) {
  lx *guard[2 * AS_MAX_RANK];
  lx *ref = expr->kid[1];
  lx *read = element_of(at, ref, expr->kid[2]);
  int n = all_guards(at, ref, guard);
  lx *left = without_guards(at, expr->kid[0], guard, n);
  if (left == NULL)
    return read;
  at->residual++;
  return lx_mk(at->job, LX_IF, 3, (lx *[]){extract(at, left), read, expr->kid[2]});
}

static lx *extract(planner *at, lx *expr) {
  if (expr->op == LX_REF && expr->val == at->id)
    return placeholder(at->job, LO_WINDOW_FOLD);
  if (expr->op == LX_REF)
    return element_of(at, expr, lx_num(at->job, 0));
  if (expr->n == 0 || expr->integer)
    return expr;
  if (expr->op == LX_IF && expr->kid[1]->op == LX_REF && expr->kid[1]->val != at->id &&
      is_number(expr->kid[2]))
    return extract_choice(at, expr);
  at->residual++;
  lx **kid = as_arena_alloc(at->job->arena, (size_t)expr->n * sizeof *kid);
  for (int i = 0; i < expr->n; i++)
    kid[i] = extract(at, expr->kid[i]);
  return lx_rebuilt(at->job, expr, kid);
}

/* Has a collected sum a part that is no variable, and moves along the tile? */
static bool is_untidy(const planner *at, const lx *index) {
  const lo_window *window = at->window;
  if (index->op == LX_VAR || index->op == LX_INT)
    return false;
  bool sum = index->op == LX_ADD || index->op == LX_SUB || index->op == LX_MUL;
  for (int i = 0; i < index->n && sum; i++) {
    if (is_untidy(at, index->kid[i]))
      return true;
  }
  for (int axis = 0; axis < at->value->rank && !sum; axis++) {
    bool moves = axis == window->last || window->count[axis] > 1;
    if (moves && lx_uses_var(index, axis))
      return true;
  }
  return false;
}

/* --- all terms of a thread's results, written out */
static lx *instance(planner *at, lx *expr, int result, long k) {
  lo_job *job = at->job;
  const lo_window *window = at->window;
  lx *by[AS_MAX_RANK + 1];
  long rest = result;
  for (int axis = at->value->rank; axis-- > 0;) {
    long count = window->count[axis];
    lx *first = lx_mk(job, LX_MUL, 2, (lx *[]){lx_var(job, axis), lx_int(job, count)});
    by[axis] = lx_mk(job, LX_ADD, 2, (lx *[]){first, lx_int(job, rest % count)});
    rest /= count;
  }
  by[at->value->rank] = lx_int(job, k);
  lx *written = lx_subst(job, expr, by, at->value->rank + 1);
  lx *resolved = lo_resolved(job, written, window->box, at->value->rank);
  if (resolved == NULL) {
    at->failed = true;
    return written;
  }
  return extract(at, resolved);
}

static void check_tidy(planner *at, int from) {
  for (int i = from; i < at->n_element; i++) {
    const lx *ref = at->element[i].ref;
    for (int axis = 0; axis < ref->n; axis++)
      at->untidy |= is_untidy(at, ref->kid[axis]);
  }
}

static bool write_out(planner *at) {
  lo_window *window = at->window;
  long terms = at->value->extent;
  at->n_element = 0;
  at->failed = at->untidy = false;
  at->residual = 0;
  window->term = as_arena_alloc(at->job->arena, (size_t)(terms * window->results) * sizeof(lx *));
  for (long k = 0; k < terms; k++) {
    for (int i = 0; i < window->results; i++) {
      int before = at->n_element;
      window->term[k * window->results + i] = instance(at, at->value->body, i, k);
      check_tidy(at, before);
      if (at->failed || at->untidy)
        return false;
    }
  }
  window->stored = NULL;
  if (at->finish == NULL)
    return true;
  window->stored = as_arena_alloc(at->job->arena, (size_t)window->results * sizeof(lx *));
  for (int i = 0; i < window->results && !at->failed; i++)
    window->stored[i] = instance(at, at->finish, i, 0);
  return !at->failed;
}

/* --- loads */
/* the number of a collected sum, and the rest of it */
static lx *without_number(lo_job *job, lx *sum, long *number) {
  *number = 0;
  if (sum->op == LX_INT) {
    *number = sum->number;
    return lx_int(job, 0);
  }
  if (sum->op != LX_ADD || sum->kid[1]->op != LX_INT)
    return sum;
  *number = sum->kid[1]->number;
  return sum->kid[0];
}

static void place(planner *at, const lx *ref, lo_window_load *load) {
  lo_job *job = at->job;
  const lo_value *tensor = &job->value[ref->val];
  lx *sum = lx_int(job, 0);
  for (int axis = 0; axis < ref->n; axis++) {
    lx *step = lx_int(job, lo_stride_of(tensor, axis));
    lx *part = lx_mk(job, LX_MUL, 2, (lx *[]){ref->kid[axis], step});
    sum = lx_mk(job, LX_ADD, 2, (lx *[]){sum, part});
  }
  load->base = without_number(job, lo_collected(job, sum), &load->number);
}

/* The element where its vector of that width begins, and its lane in it; NULL: its row has none. */
static lx *vector_of(planner *at, const lx *ref, int width, int *lane) {
  lo_job *job = at->job;
  const lo_value *tensor = &job->value[ref->val];
  int last = ref->n - 1;
  lx *quotient;
  lx *rest;
  if (last < 0 || tensor->buffer_class == LG_PART || tensor->dim[last] % width ||
      !lo_divided(job, ref->kid[last], width, &quotient, &rest) || rest->op != LX_INT)
    return NULL;
  lx *index[AS_MAX_RANK];
  memcpy(index, ref->kid, (size_t)ref->n * sizeof *index);
  *lane = (int)rest->number;
  index[last] = lo_collected(job, lx_mk(job, LX_MUL, 2, (lx *[]){quotient, lx_int(job, width)}));
  return lx_ref(job, ref->val, ref->n, index);
}

static int find(const element *of, int n, const lx *ref, const lx *fill) {
  for (int i = 0; i < n; i++) {
    if (same_element(&of[i], ref, fill))
      return i;
  }
  return -1;
}

/* The vectors of a width that hold several elements; others of no vector yet stay so. */
static void make_vectors(planner *at, int width, lx **vector, int *lane, int *widths) {
  lx *found[MOST_READS];
  int at_lane[MOST_READS] = {0};
  for (int i = 0; i < at->n_element; i++)
    found[i] = widths[i] > 1 ? NULL : vector_of(at, at->element[i].ref, width, &at_lane[i]);
  for (int i = 0; i < at->n_element; i++) {
    int members = 0;
    for (int k = 0; k < at->n_element && found[i]; k++)
      members += found[k] && lx_equal(found[i], found[k]) &&
                 lx_equal(at->element[i].fill, at->element[k].fill);
    if (members < 2)
      continue;
    vector[i] = found[i];
    lane[i] = at_lane[i];
    widths[i] = width;
  }
}

/* Elements of which a vector holds several are read by it. */
static void make_loads(planner *at) {
  lo_window *window = at->window;
  lo_job *job = at->job;
  element *begin = as_arena_alloc(job->arena, MOST_READS * sizeof *begin); /* by load */
  lx *vector[MOST_READS];
  int lane[MOST_READS] = {0};
  int width[MOST_READS];
  for (int i = 0; i < at->n_element; i++)
    width[i] = 1;
  make_vectors(at, LO_SWEEP_VECTOR, vector, lane, width);
  make_vectors(at, 2, vector, lane, width);
  window->load = as_arena_alloc(job->arena, MOST_READS * sizeof *window->load);
  window->read = as_arena_alloc(job->arena, MOST_READS * sizeof *window->read);
  window->n_load = 0;
  window->n_read = at->n_element;
  for (int i = 0; i < at->n_element; i++) {
    lx *ref = width[i] > 1 ? vector[i] : at->element[i].ref;
    const lx *fill = at->element[i].fill;
    int load = find(begin, window->n_load, ref, fill);
    if (load < 0 || window->load[load].width != width[i]) {
      load = window->n_load++;
      begin[load] = (element){ref, fill};
      lo_window_load *made = &window->load[load];
      *made = (lo_window_load){.val = ref->val, .fill = fill, .width = width[i]};
      place(at, ref, made);
      made->n_guard = all_guards(at, ref, made->guard);
    }
    window->read[i] = (lo_window_read){load, lane[i]};
  }
}

/* --- costs */
/* elements between what neighbouring lanes read */
static long lane_step(planner *at, const lo_window_load *load) {
  enum { SCATTERED = 32 };

  lo_job *job = at->job;
  lx *by[AS_MAX_RANK] = {0};
  int last = at->window->last;
  by[last] = lx_mk(job, LX_ADD, 2, (lx *[]){lx_var(job, last), lx_int(job, 1)});
  lx *next = lx_subst(job, load->base, by, at->value->rank);
  lx *apart = lo_collected(job, lx_mk(job, LX_SUB, 2, (lx *[]){next, load->base}));
  if (apart->op != LX_INT)
    return SCATTERED;
  return apart->number < 0 ? -apart->number : apart->number;
}

/* Lines that a warp touches: as many as it takes to give each lane its elements where all of them
 * are used, more where lanes are apart, the further the more: of what is between, less stays until
 * it is read.  Fitted to means over 11 x 11 and 3 x 3 x 3 with chunks of 1, 2 and 4. */
static double lines_of(planner *at, const lo_window_load *load) {
  double step = (double)lane_step(at, load);
  if (step <= load->width)
    return step > 0 ? load->width : 1;
  return 2 * step * (1 + step / 16);
}

/* --- the order of terms */
typedef struct {
  long number; /* where the largest tensor is read */
  int which;
} ordered_term;

typedef struct {
  const planner *at;
  long elements;
  long number;
} place_walk;

static void see_place(void *arg, const lx *ref) {
  place_walk *walk = arg;
  if (ref->kid[0]->number == LO_WINDOW_FOLD)
    return;
  const lo_window *window = walk->at->window;
  const lo_window_read *read = &window->read[ref->kid[0]->number];
  const lo_window_load *load = &window->load[read->load];
  long elements = lo_elems(&walk->at->job->value[load->val]);
  if (elements <= walk->elements)
    return;
  walk->elements = elements;
  walk->number = load->number + read->lane;
}

static int by_place(const void *left, const void *right) {
  const ordered_term *a = left;
  const ordered_term *b = right;
  if (a->number != b->number)
    return a->number < b->number ? -1 : 1;
  return a->which < b->which ? -1 : a->which > b->which;
}

/* Terms in the order of memory, so that what was read is soon done with. */
static void order_terms(planner *at) {
  lo_window *window = at->window;
  int n = (int)(at->value->extent * window->results);
  ordered_term *term = as_arena_alloc(at->job->arena, (size_t)n * sizeof *term);
  for (int i = 0; i < n; i++) {
    place_walk walk = {.at = at, .elements = 0};
    lx_refs(window->term[i], see_place, &walk);
    term[i] = (ordered_term){walk.number, i};
  }
  qsort(term, (size_t)n, sizeof *term, by_place);
  window->order = as_arena_alloc(at->job->arena, (size_t)n * sizeof *window->order);
  for (int i = 0; i < n; i++)
    window->order[i] = term[i].which;
}

typedef struct {
  const lo_window *window;
  long *first; /* by load: the first and last term that reads it */
  long *last;
  long k;
} life_walk;

static void see_load(void *arg, const lx *ref) {
  life_walk *walk = arg;
  if (ref->kid[0]->number == LO_WINDOW_FOLD)
    return;
  int load = walk->window->read[ref->kid[0]->number].load;
  if (walk->first[load] < 0)
    walk->first[load] = walk->k;
  walk->last[load] = walk->k;
}

/* The most elements that are held at a time, where each is read before the first term that needs
 * it. */
static long registers_of(planner *at) {
  const lo_window *window = at->window;
  long first[MOST_READS];
  long last[MOST_READS];
  life_walk walk = {.window = window, .first = first, .last = last};
  long terms = at->value->extent * window->results;
  long all = 0;
  long most = 0;
  for (int i = 0; i < window->n_load; i++) {
    first[i] = last[i] = -1;
    all += window->load[i].width;
  }
  if (all <= LO_WINDOW_ALL_FIRST)
    return all;
  for (walk.k = 0; walk.k < terms; walk.k++)
    lx_refs(window->term[window->order[walk.k]], see_load, &walk);
  for (long k = 0; k < terms; k++) {
    long held = 0;
    for (int i = 0; i < window->n_load; i++)
      held += first[i] >= 0 && first[i] <= k && last[i] >= k ? window->load[i].width : 0;
    most = held > most ? held : most;
  }
  return most;
}

/* Bytes through memory, where each tensor goes through once. */
static double bytes_of(planner *at) {
  const lo_window *window = at->window;
  const lo_job *job = at->job;
  double bytes = (double)lo_elems(at->value) * as_dtype_bytes(at->value->dtype);
  for (int i = 0; i < window->n_load; i++) {
    bool seen = false;
    for (int k = 0; k < i && !seen; k++)
      seen = window->load[k].val == window->load[i].val;
    const lo_value *tensor = &job->value[window->load[i].val];
    bytes += seen ? 0 : (double)lo_elems(tensor) * as_dtype_bytes(tensor->dtype);
  }
  return bytes;
}

/* What a warp does beside loads and terms: places are divided out, results are stored, perhaps
 * through shared memory. */
static void count_rest(const lo_window *window, as_windowed *work) {
  work->lines += window->results * (window->staged ? 4 : 1.3);
  work->instructions += 60 + window->results * (window->staged ? 6 : 1.5);
}

static double cost_of(planner *at) {
  const lo_window *window = at->window;
  as_windowed work = {.bytes = bytes_of(at), .threads = 1};
  work.registers = 24 + window->results + (double)registers_of(at);
  work.instructions = (double)(at->value->extent * window->results + at->residual);
  for (int i = 0; i < window->n_load; i++) {
    work.lines += lines_of(at, &window->load[i]);
    work.instructions += 1.5 + window->load[i].n_guard;
  }
  count_rest(window, &work);
  for (int axis = 0; axis < at->value->rank; axis++)
    work.threads *= (double)window->chunks[axis];
  work.lines *= work.threads / 32;
  work.instructions *= work.threads / 32;
  return as_target_window_us(at->job->options->target, &work);
}

/* --- tiles */
static bool set_tile(planner *at, int last, long along, int other, long rows) {
  lo_window *window = at->window;
  const lo_value *value = at->value;
  window->last = last;
  window->results = (int)(along * rows);
  window->everywhere = true;
  if (along > value->dim[last] || (other >= 0 && rows > value->dim[other]) ||
      value->extent * window->results > LO_WINDOW_INSTANCES)
    return false;
  for (int axis = 0; axis < value->rank; axis++) {
    long count = axis == last ? along : axis == other ? rows : 1;
    window->count[axis] = count;
    window->chunks[axis] = (value->dim[axis] + count - 1) / count;
    window->box[axis] = (lo_range){0, window->chunks[axis] - 1};
  }
  window->staged = along == 3 || (along > 1 && value->dim[last] % along);
  if (window->staged && lo_elems(value) > INT_MAX)
    return false;
  return true;
}

/* The box, narrowed at one end of an axis until its text is tidy there. */
static bool narrow(planner *at, int axis, bool front) {
  lo_range *range = &at->window->box[axis];
  lo_range whole = *range;
  long middle = whole.low + (whole.high - whole.low) / 2;
  *(front ? &range->high : &range->low) = middle;
  bool tidy = false;
  for (long off = 0; !tidy && off <= (whole.high - whole.low) / 2; off = off ? 2 * off : 1) {
    *(front ? &range->low : &range->high) = front ? whole.low + off : whole.high - off;
    tidy = write_out(at);
    if (at->failed)
      break;
  }
  *(front ? &range->high : &range->low) = front ? whole.high : whole.low;
  return tidy;
}

/* Where indices are no sums at the ends of axes, as those of windows that stop there: the box of
 * what is between, if that is most of all. */
static bool find_box(planner *at) {
  lo_window *window = at->window;
  int rank = at->value->rank;
  lo_range found[AS_MAX_RANK];
  memcpy(found, window->box, sizeof found);
  for (int axis = 0; axis < rank; axis++) {
    long middle = window->chunks[axis] / 2;
    if (axis == window->last || window->count[axis] > 1)
      window->box[axis] = (lo_range){middle, middle};
  }
  for (int axis = 0; axis < rank; axis++) {
    if (axis != window->last && window->count[axis] == 1)
      continue;
    lo_range single = window->box[axis];
    window->box[axis] = found[axis];
    if (!narrow(at, axis, true))
      return false;
    found[axis].low = window->box[axis].low;
    window->box[axis].low = single.low;
    if (!narrow(at, axis, false))
      return false;
    found[axis].high = window->box[axis].high;
    window->box[axis] = single;
  }
  memcpy(window->box, found, sizeof found);
  double inside = 1;
  for (int axis = 0; axis < rank; axis++)
    inside *= (double)(found[axis].high - found[axis].low + 1) / (double)window->chunks[axis];
  window->everywhere = false;
  return inside > 0.9 && write_out(at);
}

/* A tile written out, and what it costs; false: it is none. */
static bool try_tile(planner *at, double *cost) {
  if (!write_out(at) && (at->failed || !find_box(at)))
    return false;
  make_loads(at);
  order_terms(at);
  *cost = cost_of(at);
  return true;
}

/* --- which reductions are windows */
typedef struct {
  const lo_value *value;
  bool mixed; /* some index moves with a result and with the term */
} mixed_walk;

static void see_mixed(void *arg, const lx *ref) {
  mixed_walk *walk = arg;
  for (int i = 0; i < ref->n; i++) {
    bool moves = false;
    for (int axis = 0; axis < walk->value->rank; axis++)
      moves |= walk->value->dim[axis] > 1 && lx_uses_var(ref->kid[i], axis);
    walk->mixed |= moves && lx_uses_var(ref->kid[i], walk->value->rank);
  }
}

bool lo_reads_windows(const lo_value *value) {
  mixed_walk walk = {.value = value};
  if (value->kind != LV_RED || value->extent < 2 || value->extent > LO_WINDOW_TERMS ||
      value->extent_live || lx_has_whole(value->body))
    return false;
  lx_refs(value->body, see_mixed, &walk);
  return walk.mixed;
}

/* the axes, but the last, along which neighbours could have elements in common */
static bool may_share(const lo_value *value, int axis, int last) {
  mixed_walk walk = {.value = value};
  lo_value one = *value; /* with no other axis */
  if (axis == last || value->dim[axis] == 1)
    return false;
  for (int i = 0; i < value->rank; i++)
    one.dim[i] = i == axis ? value->dim[i] : 1;
  walk.value = &one;
  lx_refs(value->body, see_mixed, &walk);
  return walk.mixed;
}

typedef struct {
  lo_window best;
  double cost;
  bool some;
} choice;

/* what a larger tile must take of the time of a smaller one */
static const double least_gain = 0.98;

/* What the tile costs; it is kept if it is the best until now. */
static double consider(planner *at, choice *made, int last, long along, int other, long rows) {
  double cost;
  lo_window window = {0};
  at->window = &window;
  if (!set_tile(at, last, along, other, rows) || !try_tile(at, &cost))
    return HUGE_VAL;
  AS_TRACE(LOWER, "%s: windows of %ld neighbours and %ld along axis %d: %.1f us", at->value->name,
           along, rows, other, cost);
  if (!made->some || cost < least_gain * made->cost)
    *made = (choice){window, cost, true};
  return cost;
}

/* tiles with so many neighbours along the last axis, and as many along another as make it better */
static void consider_all(planner *at, choice *made, int last, long along) {
  enum { MOST_ROWS = 8 };

  double alone = consider(at, made, last, along, -1, 1);
  for (int other = 0; other < at->value->rank; other++) {
    double before = alone;
    for (long rows = 2; rows <= MOST_ROWS && may_share(at->value, other, last); rows *= 2) {
      double cost = consider(at, made, last, along, other, rows);
      if (!(cost < before))
        break;
      before = cost;
    }
  }
}

lo_window *lo_window_of(lo_job *job, uint32_t id, lx *finish) {
  const lo_value *value = &job->value[id];
  int last = lo_last_axis(value);
  if (last < 0 || !lo_reads_windows(value) || lo_elems(value) < LEAST_RESULTS ||
      (finish && lx_has_whole(finish)))
    return NULL;
  planner *at = as_arena_alloc(job->arena, sizeof *at);
  *at = (planner){.job = job, .value = value, .id = id, .finish = finish};
  choice made = {.some = false};
  for (long along = 1; along <= LO_SWEEP_VECTOR; along *= 2)
    consider_all(at, &made, last, along);
  if (!made.some) /* every third element may be one of the tensor */
    consider_all(at, &made, last, 3);
  if (!made.some)
    return NULL;
  lo_window *window = as_arena_alloc(job->arena, sizeof *window);
  *window = made.best;
  return window;
}
