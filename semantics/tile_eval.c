/* Tile programs executed: memory, statements, loops and their orders. */
#include "src/base/str.h"
#include "tile_machine.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *as_tile_order_text(as_tile_order order) {
  static const char *const texts[] = {
      "iterations in ascending order", "iterations in descending order",
      "iterations in a shuffled order", "all iterations together, statement by statement",
      "iterations together, some of them ahead of others"};
  return texts[order];
}

bool tile_stop(tile_machine *machine, as_status status, const char *format, ...) {
  if (machine->status != AS_OK)
    return false;
  va_list args;
  va_start(args, format);
  char *text = as_format_va(format, args);
  va_end(args);
  machine->status = status;
  as_err_set(machine->err, status, "line %d: %s", machine->line, text);
  free(text);
  return false;
}

bool tile_count(tile_machine *machine, uint64_t ops) {
  if (machine->setting->max_ops == 0)
    return true;
  if (machine->ops_left < ops) {
    machine->ops_left = 0;
    return tile_stop(machine, AS_UNKNOWN, "the evaluation takes more steps than allowed");
  }
  machine->ops_left -= ops;
  return true;
}

/* ---- values and memory */
static bool take_room(tile_machine *machine, const int64_t *dim, uint32_t rank) {
  for (uint32_t i = 0; i < rank; i++) {
    if (dim[i] < 0)
      return tile_stop(machine, AS_NO, "a negative extent, %lld", (long long)dim[i]);
  }
  return as_tensor_fits(machine->domain, dim, rank, &machine->bytes) ||
         tile_stop(machine, AS_UNKNOWN, "the evaluation takes more memory than allowed");
}

static void give_room(tile_machine *machine, const as_tensor *tensor) {
  size_t used = tensor->n * machine->domain->size;
  machine->bytes -= used < machine->bytes ? used : machine->bytes;
}

tile_value *tile_value_new(tile_machine *machine, const int64_t *dim, uint32_t rank) {
  if (!take_room(machine, dim, rank))
    return NULL;
  tile_value *made = as_malloc(sizeof *made);
  made->holders = 1;
  as_tensor_init(&made->tensor, machine->domain, dim, rank);
  return made;
}

void tile_value_drop(tile_machine *machine, tile_value *value) {
  if (value == NULL || --value->holders)
    return;
  give_room(machine, &value->tensor);
  as_tensor_clear(&value->tensor);
  free(value);
}

static tile_memory *memory_new(tile_machine *machine, const as_tile_tensor *of) {
  int64_t dim[AS_MAX_RANK];
  for (uint32_t i = 0; i < of->rank; i++)
    dim[i] = as_size_eval(machine->program->sizes->sizes, of->dim[i], machine->setting->env);
  if (!take_room(machine, dim, of->rank))
    return NULL;
  tile_memory *made = as_malloc(sizeof *made);
  made->holders = 1;
  as_tensor_init(&made->tensor, machine->domain, dim, of->rank);
  made->log = as_calloc(made->tensor.n + 1, sizeof *made->log);
  return made;
}

static void memory_drop(tile_machine *machine, tile_memory *memory) {
  if (memory == NULL || --memory->holders)
    return;
  give_room(machine, &memory->tensor);
  as_tensor_clear(&memory->tensor);
  free(memory->log);
  free(memory);
}

/* the stated number everywhere, or no value */
static void memory_start(tile_machine *machine, tile_memory *memory, const as_tile_tensor *of) {
  const as_domain *domain = machine->domain;
  mpq_t number;
  mpq_init(number);
  if (of->initial) {
    mpq_set(number, of->initial->num);
    if (of->minus)
      mpq_neg(number, number);
  }
  for (size_t i = 0; i < memory->tensor.n; i++) {
    void *element = as_tensor_at(&memory->tensor, i);
    domain->from_q(domain, element, number);
    if (of->initial == NULL)
      domain->flag(domain, element, AS_F_POISON);
  }
  mpq_clear(number);
}

/* ---- frames */
static void hold(tile_machine *machine, tile_value **slot, tile_value *value) {
  tile_value_drop(machine, *slot);
  *slot = value;
}

static void frame_init(const tile_machine *machine, tile_frame *frame) {
  const as_tile_program *program = machine->program;
  frame->integer = as_calloc(program->n_integers + 1, sizeof *frame->integer);
  frame->tile = as_calloc(program->n_tiles + 1, sizeof(tile_value *));
  frame->memory = as_calloc(program->n_tensor + 1, sizeof(tile_memory *));
}

static void frame_copy(const tile_machine *machine, tile_frame *copy, const tile_frame *frame) {
  const as_tile_program *program = machine->program;
  frame_init(machine, copy);
  memcpy(copy->integer, frame->integer, program->n_integers * sizeof *copy->integer);
  for (uint32_t i = 0; i < program->n_tiles; i++) {
    if ((copy->tile[i] = frame->tile[i]) != NULL)
      copy->tile[i]->holders++;
  }
  for (uint32_t i = 0; i < program->n_tensor; i++) {
    if ((copy->memory[i] = frame->memory[i]) != NULL)
      copy->memory[i]->holders++;
  }
}

static void frame_clear(tile_machine *machine, tile_frame *frame) {
  for (uint32_t i = 0; i < machine->program->n_tiles; i++)
    tile_value_drop(machine, frame->tile[i]);
  for (uint32_t i = 0; i < machine->program->n_tensor; i++)
    memory_drop(machine, frame->memory[i]);
  free(frame->integer);
  free(frame->tile);
  free(frame->memory);
}

/* ---- conflicts */
static void conflict(tile_machine *machine, uint32_t tensor, const int64_t *place, uint32_t level) {
  as_tile_notes *notes = machine->notes;
  if (notes->conflict)
    return;
  notes->conflict = true;
  notes->line = machine->line;
  notes->tensor = tensor;
  notes->loop = machine->loop_line[level];
  memcpy(notes->place, place, sizeof notes->place);
}

/* A place touched now by iteration `at` of each loop around.  The same execution of a loop but
 * another iteration of it: nothing orders the two. */
static void touch(tile_machine *machine, tile_log *log, uint32_t tensor, const int64_t *place,
                  bool store) {
  for (uint32_t level = 0; level < machine->depth; level++) {
    tile_toucher now = machine->at[level];
    tile_toucher stored = log->stored[level];
    tile_toucher loaded = log->loaded[level];
    bool same_loop = loaded.execution == now.execution;
    if (stored.execution == now.execution && stored.iteration != now.iteration)
      conflict(machine, tensor, place, level);
    if (store) {
      if (same_loop && (log->loaded_by_more[level] || loaded.iteration != now.iteration))
        conflict(machine, tensor, place, level);
      log->stored[level] = now;
    } else {
      log->loaded_by_more[level] =
          same_loop && (log->loaded_by_more[level] || loaded.iteration != now.iteration);
      log->loaded[level] = now;
    }
  }
}

/* ---- lanes */
typedef struct {
  uint32_t n;
  int64_t extent[AS_MAX_RANK];
  uint64_t count;
} lane_box;

static bool lanes_of(tile_machine *machine, const tile_frame *frame, const as_tile_stmt *stmt,
                     lane_box *box) {
  box->n = stmt->n_lane;
  box->count = 1;
  for (uint32_t i = 0; i < box->n; i++) {
    int64_t extent = 0;
    if (!tile_need_integer(machine, frame, stmt->lane[i].extent, "the extent of a tile", &extent))
      return false;
    if (extent < 0)
      return tile_stop(machine, AS_NO, "a tile has a negative extent, %lld", (long long)extent);
    if (extent > INT32_MAX || box->count * (uint64_t)extent > (uint64_t)1 << 40)
      return tile_stop(machine, AS_UNKNOWN, "a tile is too large to be evaluated");
    box->extent[i] = extent;
    box->count *= (uint64_t)extent;
  }
  return tile_count(machine, box->count);
}

static void set_lanes(const tile_frame *frame, const as_tile_stmt *stmt, const lane_box *box,
                      uint64_t number) {
  for (uint32_t i = box->n; i-- > 0;) {
    frame->integer[stmt->lane[i].slot] = (int64_t)(number % (uint64_t)box->extent[i]);
    number /= (uint64_t)box->extent[i];
  }
}

/* the place of these lanes as an offset; false: stopped */
static bool place_of(tile_machine *machine, const tile_frame *frame, const as_tile_stmt *stmt,
                     const tile_memory *memory, int64_t *place, size_t *offset) {
  *offset = 0;
  for (uint32_t d = 0; d < stmt->n_place; d++) {
    int64_t extent = memory->tensor.dim[d];
    if (!tile_need_integer(machine, frame, stmt->place[d], "a position", &place[d]))
      return false;
    if (place[d] < 0 || place[d] >= extent) {
      return tile_stop(machine, AS_NO, "position %lld of axis %u of `%s` is outside of its %lld",
                       (long long)place[d], d, machine->program->tensor[stmt->tensor].name,
                       (long long)extent);
    }
    *offset = *offset * (size_t)extent + (size_t)place[d];
  }
  return true;
}

static tile_answer masked(tile_machine *machine, const tile_frame *frame,
                          const as_tile_stmt *stmt) {
  tile_answer answer = stmt->mask ? tile_test(machine, frame, stmt->mask) : TILE_YES;
  if (answer == TILE_NO_VALUE)
    tile_stop(machine, AS_NO, "a mask has no value");
  return answer == TILE_NO_VALUE ? TILE_FAILED : answer;
}

/* ---- statements; each for one frame */
static void note_flags(tile_machine *machine, const tile_value *value) {
  for (size_t i = 0; i < value->tensor.n; i++) {
    unsigned flags = machine->domain->flags(machine->domain, as_tensor_at(&value->tensor, i));
    machine->notes->flags |= flags;
    if (flags & AS_F_UNDEF && machine->notes->undefined_line == 0)
      machine->notes->undefined_line = machine->line;
  }
}

static bool run_load(tile_machine *machine, const tile_frame *frame, const as_tile_stmt *stmt) {
  const as_domain *domain = machine->domain;
  tile_memory *memory = frame->memory[stmt->tensor];
  int64_t place[AS_MAX_RANK] = {0};
  lane_box box;
  if (!lanes_of(machine, frame, stmt, &box))
    return false;
  tile_value *made = tile_value_new(machine, box.extent, box.n);
  bool ok = made != NULL;
  for (uint64_t i = 0; ok && i < box.count; i++) {
    void *element = as_tensor_at(&made->tensor, i);
    set_lanes(frame, stmt, &box, i);
    tile_answer answer = masked(machine, frame, stmt);
    size_t offset = 0;
    if (answer == TILE_YES) {
      ok = place_of(machine, frame, stmt, memory, place, &offset);
      if (ok)
        domain->set(domain, element, as_tensor_at(&memory->tensor, offset));
      if (ok && machine->setting->watch)
        touch(machine, &memory->log[offset], stmt->tensor, place, false);
    } else if (answer == TILE_NO && stmt->other) {
      ok = tile_scalar_at(machine, frame, stmt->other, element);
    } else {
      domain->flag(domain, element, AS_F_POISON);
      ok = answer == TILE_NO;
    }
  }
  if (made)
    hold(machine, &frame->tile[stmt->slot], made);
  return ok;
}

static bool run_make(tile_machine *machine, const tile_frame *frame, const as_tile_stmt *stmt) {
  lane_box box;
  if (!lanes_of(machine, frame, stmt, &box))
    return false;
  tile_value *made = tile_value_new(machine, box.extent, box.n);
  bool ok = made != NULL;
  for (uint64_t i = 0; ok && i < box.count; i++) {
    set_lanes(frame, stmt, &box, i);
    ok = tile_scalar_at(machine, frame, stmt->value, as_tensor_at(&made->tensor, i));
  }
  if (ok)
    note_flags(machine, made);
  if (made)
    hold(machine, &frame->tile[stmt->slot], made);
  return ok;
}

typedef struct {
  size_t *offset; /* SIZE_MAX: masked out */
  int64_t (*place)[AS_MAX_RANK];
  tile_value *value;
} store_plan;

static bool stored_value(tile_machine *machine, const tile_frame *frame, const as_tile_stmt *stmt,
                         uint64_t lane, void *value) {
  if (stmt->whole_name == NULL)
    return tile_scalar_at(machine, frame, stmt->value, value);
  machine->domain->set(machine->domain, value,
                       as_tensor_at(&frame->tile[stmt->whole]->tensor, lane));
  return true;
}

/* a whole tile is stored where its extents are those of the lanes */
static bool fits_lanes(tile_machine *machine, const tile_frame *frame, const as_tile_stmt *stmt,
                       const lane_box *box) {
  if (stmt->whole_name == NULL)
    return true;
  const as_tensor *tile = &frame->tile[stmt->whole]->tensor;
  bool same = tile->rank == box->n;
  for (uint32_t i = 0; same && i < box->n; i++)
    same = tile->dim[i] == box->extent[i];
  return same ||
         tile_stop(machine, AS_NO, "`%s` has not the extents of the lanes", stmt->whole_name);
}

/* all values and places, before anything is stored */
static bool plan_store(tile_machine *machine, const tile_frame *frame, const as_tile_stmt *stmt,
                       const lane_box *box, store_plan *plan) {
  const tile_memory *memory = frame->memory[stmt->tensor];
  for (uint64_t i = 0; i < box->count; i++) {
    set_lanes(frame, stmt, box, i);
    tile_answer answer = masked(machine, frame, stmt);
    plan->offset[i] = SIZE_MAX;
    if (answer == TILE_NO)
      continue;
    if (answer != TILE_YES ||
        !place_of(machine, frame, stmt, memory, plan->place[i], &plan->offset[i]) ||
        !stored_value(machine, frame, stmt, i, as_tensor_at(&plan->value->tensor, i)))
      return false;
  }
  note_flags(machine, plan->value);
  return true;
}

static bool run_store(tile_machine *machine, const tile_frame *frame, const as_tile_stmt *stmt) {
  tile_memory *memory = frame->memory[stmt->tensor];
  lane_box box;
  if (!lanes_of(machine, frame, stmt, &box) || !fits_lanes(machine, frame, stmt, &box))
    return false;
  store_plan plan = {.value = tile_value_new(machine, box.extent, box.n)};
  if (plan.value == NULL)
    return false;
  plan.offset = as_malloc((box.count + 1) * sizeof *plan.offset);
  plan.place = as_calloc(box.count + 1, sizeof *plan.place);
  bool ok = plan_store(machine, frame, stmt, &box, &plan);
  machine->stores++;
  for (uint64_t i = 0; ok && i < box.count; i++) {
    if (plan.offset[i] == SIZE_MAX)
      continue;
    tile_log *log = &memory->log[plan.offset[i]];
    if (log->store == machine->stores) {
      ok = tile_stop(machine, AS_NO, "two lanes store to one place of `%s`",
                     machine->program->tensor[stmt->tensor].name);
      break;
    }
    log->store = machine->stores;
    if (machine->setting->watch)
      touch(machine, log, stmt->tensor, plan.place[i], true);
    machine->domain->set(machine->domain, as_tensor_at(&memory->tensor, plan.offset[i]),
                         as_tensor_at(&plan.value->tensor, i));
  }
  free(plan.offset);
  free(plan.place);
  tile_value_drop(machine, plan.value);
  return ok;
}

static bool run_let(tile_machine *machine, const tile_frame *frame, const as_tile_stmt *stmt) {
  tile_value *made = tile_expr_at(machine, frame, stmt->expr);
  if (made == NULL)
    return false;
  note_flags(machine, made);
  hold(machine, &frame->tile[stmt->slot], made);
  return tile_count(machine, made->tensor.n);
}

static bool run_alloc(tile_machine *machine, const tile_frame *frame, const as_tile_stmt *stmt) {
  const as_tile_tensor *tensor = &machine->program->tensor[stmt->tensor];
  tile_memory *made = memory_new(machine, tensor);
  if (made == NULL)
    return false;
  memory_start(machine, made, tensor);
  memory_drop(machine, frame->memory[stmt->tensor]);
  frame->memory[stmt->tensor] = made;
  return true;
}

/* ---- loops; a statement is run by n frames, one after another.  More than one frame is only there
 * where all iterations go together. */
static bool run_list(tile_machine *machine, tile_frame *const *frames, size_t n,
                     as_tile_stmt *const *list, uint32_t count);

typedef struct {
  int64_t next;
  int64_t to;
  int64_t step;
} loop_range;

static bool range_of(tile_machine *machine, const tile_frame *frame, const as_tile_stmt *loop,
                     loop_range *range) {
  range->step = 1;
  if (!tile_need_integer(machine, frame, loop->from, "the start of a loop", &range->next) ||
      !tile_need_integer(machine, frame, loop->to, "the end of a loop", &range->to) ||
      (loop->step && !tile_need_integer(machine, frame, loop->step, "a step", &range->step)))
    return false;
  return range->step > 0 ||
         tile_stop(machine, AS_NO, "the step of a loop is %lld", (long long)range->step);
}

/* how many iterations; stopped beyond what can be counted */
static bool trips_of(tile_machine *machine, const loop_range *range, uint64_t *trips) {
  *trips = 0;
  int64_t length;
  if (__builtin_sub_overflow(range->to, range->next, &length) || length > (int64_t)1 << 40)
    return tile_stop(machine, AS_UNKNOWN, "a loop is too long to be evaluated");
  if (length > 0)
    *trips = (uint64_t)(length - 1) / (uint64_t)range->step + 1;
  return tile_count(machine, *trips);
}

static bool same_extents(const as_tensor *a, const as_tensor *b) {
  return a->rank == b->rank && memcmp(a->dim, b->dim, a->rank * sizeof *a->dim) == 0;
}

static bool carry_first(tile_machine *machine, const tile_frame *frame, const as_tile_stmt *loop) {
  for (uint32_t i = 0; i < loop->n_carry; i++) {
    tile_value *value = tile_expr_at(machine, frame, loop->carry[i].first);
    if (value == NULL)
      return false;
    note_flags(machine, value);
    hold(machine, &frame->tile[loop->carry[i].slot], value);
  }
  return true;
}

/* all are computed, then all change */
static bool carry_next(tile_machine *machine, const tile_frame *frame, const as_tile_stmt *loop) {
  tile_value **value = as_calloc(loop->n_carry + 1, sizeof(tile_value *));
  bool ok = true;
  for (uint32_t i = 0; ok && i < loop->n_carry; i++) {
    ok = (value[i] = tile_expr_at(machine, frame, loop->carry[i].next)) != NULL;
    if (ok)
      note_flags(machine, value[i]);
    if (ok && !same_extents(&value[i]->tensor, &frame->tile[loop->carry[i].slot]->tensor))
      ok = tile_stop(machine, AS_NO, "`next %s` has other extents", loop->carry[i].name);
  }
  for (uint32_t i = 0; i < loop->n_carry; i++) {
    if (ok)
      hold(machine, &frame->tile[loop->carry[i].slot], value[i]);
    else
      tile_value_drop(machine, value[i]);
  }
  free(value);
  return ok;
}

static bool run_for(tile_machine *machine, tile_frame *const *frames, size_t n,
                    const as_tile_stmt *loop) {
  loop_range *range = as_malloc((n + 1) * sizeof *range);
  tile_frame **active = as_malloc((n + 1) * sizeof *active);
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++)
    ok = range_of(machine, frames[i], loop, &range[i]) && carry_first(machine, frames[i], loop);
  for (;;) {
    size_t n_active = 0;
    for (size_t i = 0; ok && i < n; i++) {
      if (range[i].next >= range[i].to)
        continue;
      frames[i]->integer[loop->slot] = range[i].next;
      if (__builtin_add_overflow(range[i].next, range[i].step, &range[i].next))
        range[i].next = range[i].to;
      active[n_active++] = frames[i];
    }
    if (!ok || n_active == 0)
      break;
    ok = tile_count(machine, n_active) &&
         run_list(machine, active, n_active, loop->body, loop->n_body);
    for (size_t i = 0; ok && i < n_active; i++)
      ok = carry_next(machine, active[i], loop);
  }
  free(range);
  free(active);
  return ok;
}

/* the number of the i-th iteration that runs */
static void order_of(tile_machine *machine, uint64_t *iteration, uint64_t trips) {
  for (uint64_t i = 0; i < trips; i++)
    iteration[i] = machine->setting->order == AS_TILE_DESCENDING ? trips - 1 - i : i;
  for (uint64_t i = trips; machine->setting->order == AS_TILE_SHUFFLED && i > 1; i--) {
    uint64_t other = as_rng_below(&machine->rng, i);
    uint64_t kept = iteration[i - 1];
    iteration[i - 1] = iteration[other];
    iteration[other] = kept;
  }
}

static bool run_in_order(tile_machine *machine, tile_frame *frame, const as_tile_stmt *loop) {
  loop_range range;
  uint64_t trips;
  if (!range_of(machine, frame, loop, &range) || !trips_of(machine, &range, &trips))
    return false;
  if (machine->depth == AS_TILE_MOST_PARALLEL)
    return tile_stop(machine, AS_UNKNOWN, "more than %d parallel loops in each other",
                     AS_TILE_MOST_PARALLEL);
  uint64_t *iteration = as_malloc((trips + 1) * sizeof *iteration);
  order_of(machine, iteration, trips);
  uint32_t level = machine->depth++;
  machine->loop_line[level] = loop->line;
  machine->at[level].execution = ++machine->executions;
  bool ok = true;
  for (uint64_t i = 0; ok && i < trips; i++) {
    machine->at[level].iteration = (uint32_t)iteration[i] + 1;
    frame->integer[loop->slot] = range.next + (int64_t)iteration[i] * range.step;
    ok = run_list(machine, &frame, 1, loop->body, loop->n_body);
  }
  machine->depth--;
  free(iteration);
  return ok;
}

static bool run_together(tile_machine *machine, tile_frame *const *frames, size_t n,
                         const as_tile_stmt *loop) {
  as_vec children;
  as_vec_init(&children, sizeof(tile_frame *));
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++) {
    loop_range range;
    uint64_t trips = 0;
    ok = range_of(machine, frames[i], loop, &range) && trips_of(machine, &range, &trips);
    if (ok && trips + children.n > 1 << 20)
      ok = tile_stop(machine, AS_UNKNOWN, "too many iterations to be run together");
    for (uint64_t k = 0; ok && k < trips; k++) {
      tile_frame *child = as_malloc(sizeof *child);
      frame_copy(machine, child, frames[i]);
      child->integer[loop->slot] = range.next + (int64_t)k * range.step;
      as_vec_push(&children, &child);
    }
  }
  ok = ok && run_list(machine, children.data, children.n, loop->body, loop->n_body);
  for (size_t i = 0; i < children.n; i++) {
    tile_frame *child = AS_VEC_AT(&children, tile_frame *, i);
    frame_clear(machine, child);
    free(child);
  }
  as_vec_clear(&children);
  return ok;
}

static bool run_loop(tile_machine *machine, tile_frame *const *frames, size_t n,
                     const as_tile_stmt *loop) {
  if (!loop->parallel)
    return run_for(machine, frames, n, loop);
  as_tile_order order = machine->setting->order;
  if (order == AS_TILE_TOGETHER || order == AS_TILE_MIXED)
    return run_together(machine, frames, n, loop);
  for (size_t i = 0; i < n; i++) {
    if (!run_in_order(machine, frames[i], loop))
      return false;
  }
  return true;
}

static bool run_one(tile_machine *machine, const tile_frame *frame, const as_tile_stmt *stmt) {
  switch (stmt->kind) {
  case AS_TILE_LOAD:
    return run_load(machine, frame, stmt);
  case AS_TILE_STORE:
    return run_store(machine, frame, stmt);
  case AS_TILE_MAKE:
    return run_make(machine, frame, stmt);
  case AS_TILE_LET:
    return run_let(machine, frame, stmt);
  case AS_TILE_ALLOC:
    return run_alloc(machine, frame, stmt);
  case AS_TILE_LOOP:
    break;
  }
  return false;
}

/* what is left of a list, by some of the frames before the others */
static bool run_split(tile_machine *machine, tile_frame *const *frames, size_t n,
                      as_tile_stmt *const *list, uint32_t count) {
  size_t part = 1 + (size_t)as_rng_below(&machine->rng, n - 1);
  bool last_first = as_rng_below(&machine->rng, 2) == 0;
  tile_frame *const *first = last_first ? frames + part : frames;
  tile_frame *const *second = last_first ? frames : frames + part;
  size_t n_first = last_first ? n - part : part;
  return run_list(machine, first, n_first, list, count) &&
         run_list(machine, second, n - n_first, list, count);
}

static bool run_list(tile_machine *machine, tile_frame *const *frames, size_t n,
                     as_tile_stmt *const *list, uint32_t count) {
  bool mixed = machine->setting->order == AS_TILE_MIXED;
  for (uint32_t i = 0; i < count; i++) {
    if (mixed && n > 1 && as_rng_below(&machine->rng, 4) == 0)
      return run_split(machine, frames, n, list + i, count - i);
    machine->line = list[i]->line;
    if (list[i]->kind == AS_TILE_LOOP) {
      if (!run_loop(machine, frames, n, list[i]))
        return false;
      continue;
    }
    for (size_t k = 0; k < n; k++) {
      if (!run_one(machine, frames[k], list[i]))
        return false;
    }
  }
  return true;
}

/* ---- the whole program */
static bool is_argument(const as_tile_tensor *tensor) {
  return tensor->role == AS_TILE_INPUT || tensor->role == AS_TILE_INOUT;
}

static bool is_result(const as_tile_tensor *tensor) {
  return tensor->role == AS_TILE_OUTPUT || tensor->role == AS_TILE_INOUT;
}

static uint32_t count_of(const as_tile_program *program, bool (*which)(const as_tile_tensor *)) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < program->n_tensor; i++)
    count += which(&program->tensor[i]);
  return count;
}

static uint32_t nth(const as_tile_program *program, bool (*which)(const as_tile_tensor *),
                    uint32_t n) {
  uint32_t i = 0;
  while (!which(&program->tensor[i]) || n--)
    i++;
  return i;
}

uint32_t as_tile_n_arguments(const as_tile_program *program) {
  return count_of(program, is_argument);
}

uint32_t as_tile_n_results(const as_tile_program *program) {
  return count_of(program, is_result);
}

uint32_t as_tile_argument(const as_tile_program *program, uint32_t i) {
  return nth(program, is_argument, i);
}

uint32_t as_tile_result(const as_tile_program *program, uint32_t i) {
  return nth(program, is_result, i);
}

static bool allocate(tile_machine *machine, tile_frame *frame) {
  const as_tile_program *program = machine->program;
  uint32_t argument = 0;
  for (uint32_t i = 0; i < program->n_tensor; i++) {
    const as_tile_tensor *tensor = &program->tensor[i];
    if (tensor->local)
      continue;
    tile_memory *made = frame->memory[i] = memory_new(machine, tensor);
    if (made == NULL)
      return false;
    if (!is_argument(tensor)) {
      memory_start(machine, made, tensor);
      continue;
    }
    const as_tensor *given = &machine->setting->arguments[argument++];
    if (!same_extents(given, &made->tensor))
      return tile_stop(machine, AS_NO, "the argument `%s` has other extents", tensor->name);
    for (size_t k = 0; k < given->n; k++)
      machine->domain->set(machine->domain, as_tensor_at(&made->tensor, k), as_tensor_at(given, k));
  }
  return true;
}

static void keep_results(tile_machine *machine, const tile_frame *frame, as_tensor *results) {
  const as_tile_program *program = machine->program;
  for (uint32_t i = 0; i < program->n_tensor; i++) {
    if (!is_result(&program->tensor[i]))
      continue;
    const as_tensor *last = &frame->memory[i]->tensor;
    as_tensor_init(results, machine->domain, last->dim, last->rank);
    for (size_t k = 0; k < last->n; k++)
      machine->domain->set(machine->domain, as_tensor_at(results, k), as_tensor_at(last, k));
    results++;
  }
}

static void forget_code(tile_machine *machine) {
  for (uint32_t i = 0; i < machine->program->n_calls; i++) {
    for (tile_code *code = machine->code[i]; code;) {
      tile_code *next = code->next;
      as_opcode_free(code->code);
      free(code->key);
      free(code);
      code = next;
    }
  }
  free(machine->code);
}

as_status as_tile_run(const as_tile_program *program, const as_tile_setting *setting,
                      as_tensor *results, as_tile_notes *notes, as_err *err) {
  tile_machine machine = {.program = program,
                          .setting = setting,
                          .domain = setting->domain,
                          .notes = notes,
                          .err = err,
                          .ops_left = setting->max_ops};
  tile_frame root;
  tile_frame *frames[] = {&root};
  *notes = (as_tile_notes){0};
  as_rng_seed(&machine.rng, setting->seed);
  machine.code = as_calloc(program->n_calls + 1, sizeof *machine.code);
  frame_init(&machine, &root);
  bool ok =
      allocate(&machine, &root) && run_list(&machine, frames, 1, program->body, program->n_body);
  if (ok)
    keep_results(&machine, &root, results);
  notes->ops = setting->max_ops - machine.ops_left;
  frame_clear(&machine, &root);
  forget_code(&machine);
  if (machine.temp)
    as_dom_free(machine.domain, machine.temp, TILE_MOST_TEMPS);
  return ok ? AS_OK : machine.status == AS_OK ? AS_INTERNAL : machine.status;
}
