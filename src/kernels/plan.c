/* Which kernels there are, and where tiles and scratch tensors are. */
#include "kernels_int.h"
#include "src/base/id.h"
#include <stdlib.h>
#include <string.h>

enum { ALIGNED = 16, PAGE = 256, MOST_WARPS = 8, PARTS_A_MULTIPROCESSOR = 4 };

static const int64_t most_elements = (int64_t)1 << 46;

static long rounded(long bytes, long to) {
  return (bytes + to - 1) / to * to;
}

static int64_t product_of(const int64_t *extent, uint32_t n) {
  int64_t product = 1;
  for (uint32_t i = 0; i < n; i++) {
    int64_t own = extent[i] > 0 ? extent[i] : 0;
    if (__builtin_mul_overflow(product, own, &product) || product > most_elements)
      return -1;
  }
  return product;
}

long kt_tile_bytes(const wr_tile *tile) {
  int64_t elements = product_of(tile->bound, tile->rank);
  return elements < 0 ? (long)AS_NONE << 20 : (long)elements * (tile->integers ? 8 : 4);
}

int64_t kt_tensor_elements(const wr_tensor *tensor) {
  return product_of(tensor->dim, tensor->rank);
}

uint32_t kt_aside_of(const kt_plan *plan, const wr_stmt *loop, size_t carry) {
  for (size_t i = 0; i < plan->aside.n; i++) {
    const kt_aside *aside = &AS_VEC_AT(&plan->aside, kt_aside, i);
    if (aside->loop == loop && aside->carry == carry)
      return aside->tile;
  }
  return AS_NONE;
}

/* ---- what is kept aside */

static void add_asides(kt_plan *plan, const as_vec *list) {
  for (size_t i = 0; i < list->n; i++) {
    const wr_stmt *stmt = WR_STMT(list, i);
    if (stmt->kind != WR_LOOP)
      continue;
    add_asides(plan, &stmt->first);
    add_asides(plan, &stmt->body);
    for (size_t k = 0; k < stmt->carry.n; k++) {
      const wr_carry *carry = &AS_VEC_AT(&stmt->carry, wr_carry, k);
      if (carry->next == carry->tile || !wr_carries(stmt, carry->next))
        continue;
      wr_tile copy = *WR_TILE(plan->program, carry->next);
      as_vec_push(&plan->program->tile, &copy);
      kt_aside made = {stmt, k, (uint32_t)plan->program->tile.n - 1};
      as_vec_push(&plan->aside, &made);
    }
  }
}

/* ---- kernels */

static bool constant(const kt_plan *plan, const wr_expr *expr, int64_t *value) {
  int64_t high;
  return wr_range(plan->program, expr, value, &high) && *value == high;
}

/* how many iterations a loop has, where it is the same whatever is around it */
static bool rounds_of(const kt_plan *plan, const wr_stmt *loop, int64_t *rounds) {
  int64_t from;
  int64_t to;
  int64_t step = 1;
  if (loop->kind != WR_LOOP || !loop->parallel || loop->carry.n > 0 ||
      !constant(plan, loop->from, &from) || !constant(plan, loop->to, &to) ||
      (loop->step && !constant(plan, loop->step, &step)) || step < 1)
    return false;
  *rounds = to <= from ? 0 : (to - from - 1) / step + 1;
  return *rounds <= most_elements;
}

/* the largest tile of a list of statements says how many threads have something to do */
static void widest(const kt_plan *plan, const as_vec *list, double *elements) {
  for (size_t i = 0; i < list->n; i++) {
    const wr_stmt *stmt = WR_STMT(list, i);
    double own = 1;
    for (uint32_t k = 0; k < stmt->n_lane; k++)
      own *= (double)WR_VAR(plan->program, stmt->lane[k])->high + 1;
    for (uint32_t k = 0; k < stmt->n_counter && stmt->n_lane == 0; k++)
      own *= (double)WR_VAR(plan->program, stmt->counter[k])->high + 1;
    *elements = own > *elements ? own : *elements;
    widest(plan, &stmt->first, elements);
    widest(plan, &stmt->body, elements);
  }
}

static kt_unit *new_unit(kt_plan *plan, const char *name) {
  kt_unit made = {.name = name, .instances = 1};
  as_vec_init(&made.stmt, sizeof(wr_stmt *));
  as_vec_push(&plan->unit, &made);
  return KT_UNIT(plan, plan->unit.n - 1);
}

/* a parallel loop, and the ones that are all of what it does */
static void add_parallel(kt_plan *plan, wr_stmt *loop) {
  kt_unit *unit = new_unit(plan, WR_VAR(plan->program, loop->variable)->name);
  int64_t rounds;
  while (unit->n_axis < KT_MOST_AXES && rounds_of(plan, loop, &rounds)) {
    int64_t instances;
    if (__builtin_mul_overflow(unit->instances, rounds, &instances) || instances > most_elements)
      break;
    unit->instances = instances;
    unit->axis[unit->n_axis] = loop;
    unit->rounds[unit->n_axis++] = rounds;
    if (loop->body.n != 1)
      break;
    wr_stmt *inner = WR_STMT(&loop->body, 0);
    if (!rounds_of(plan, inner, &rounds))
      break;
    loop = inner;
  }
  const wr_stmt *last = unit->axis[unit->n_axis - 1];
  for (size_t i = 0; i < last->body.n; i++)
    as_vec_push(&unit->stmt, &WR_STMT(&last->body, i));
}

static void add_units(kt_plan *plan) {
  const as_vec *body = &plan->program->body;
  bool open = false; /* the last unit takes statements in order */
  for (size_t i = 0; i < body->n; i++) {
    int64_t rounds;
    wr_stmt *stmt = WR_STMT(body, i);
    if (rounds_of(plan, stmt, &rounds)) {
      add_parallel(plan, stmt);
      open = false;
      continue;
    }
    kt_unit *unit = open ? KT_UNIT(plan, plan->unit.n - 1) : new_unit(plan, "in_order");
    as_vec_push(&unit->stmt, &stmt);
    open = true;
  }
  for (size_t i = 0; i < plan->unit.n; i++) {
    double elements = 1;
    kt_unit *unit = KT_UNIT(plan, i);
    widest(plan, &unit->stmt, &elements);
    unit->warps = 1;
    while (unit->warps < MOST_WARPS && 32 * unit->warps < elements)
      unit->warps *= 2;
  }
}

/* ---- memory */

/* The lowest place for a tile beside those, before it in the order, that are alive at once with it.
 * Gives the end of what is used. */
static long place_all(kt_plan *plan, uint32_t unit, kt_memory memory) {
  long end = 0;
  for (size_t i = 0; i < plan->tile.n; i++) {
    kt_tile *own = KT_TILE(plan, i);
    long bytes = kt_tile_bytes(WR_TILE(plan->program, i));
    if (own->unit != unit || own->memory != memory)
      continue;
    own->offset = 0;
    for (size_t k = 0; k < plan->tile.n; k++) {
      const kt_tile *other = KT_TILE(plan, k);
      long taken = kt_tile_bytes(WR_TILE(plan->program, k));
      bool placed = k < i && other->unit == unit && other->memory == memory;
      bool together = own->first <= other->last && other->first <= own->last;
      bool overlap = own->offset < other->offset + taken && other->offset < own->offset + bytes;
      if (placed && together && overlap && taken > 0) {
        own->offset = rounded(other->offset + taken, ALIGNED);
        k = SIZE_MAX; /* from the first one on again: the place is another one */
      }
    }
    if (end < own->offset + bytes)
      end = own->offset + bytes;
  }
  return rounded(end, ALIGNED);
}

/* the largest tile that is in shared memory; AS_NONE: none is */
static uint32_t largest(const kt_plan *plan, uint32_t unit) {
  uint32_t found = AS_NONE;
  for (uint32_t i = 0; i < plan->tile.n; i++) {
    const kt_tile *tile = KT_TILE(plan, i);
    if (tile->unit == unit && tile->memory == KT_SHARED &&
        (found == AS_NONE ||
         kt_tile_bytes(WR_TILE(plan->program, i)) > kt_tile_bytes(WR_TILE(plan->program, found))))
      found = i;
  }
  return found;
}

static bool take(kt_plan *plan, long *end, long bytes, long *offset, const char *what) {
  *offset = *end;
  if (bytes > most_elements || __builtin_add_overflow(*end, rounded(bytes, PAGE), end) ||
      *end > most_elements)
    return as_err_set(plan->err, AS_BAD_INPUT, "%s: `%s` is too large to be kept on a GPU",
                      plan->program->name, what);
  return true;
}

/* Scratch tensors in loops.  One that is made outside of loops is made once, for the kernels that
 * follow, too. */
static void find_locals(kt_plan *plan, const as_vec *list, bool in_loop) {
  for (size_t i = 0; i < list->n; i++) {
    const wr_stmt *stmt = WR_STMT(list, i);
    if (stmt->kind == WR_ALLOC)
      KT_TENSOR(plan, stmt->tensor)->of_block = in_loop;
    find_locals(plan, &stmt->body, true);
  }
}

/* scratch tensors in the loops of the unit */
static bool place_locals(kt_plan *plan, const as_vec *list, kt_unit *unit) {
  for (size_t i = 0; i < list->n; i++) {
    const wr_stmt *stmt = WR_STMT(list, i);
    if (stmt->kind == WR_ALLOC && KT_TENSOR(plan, stmt->tensor)->of_block) {
      kt_tensor *tensor = KT_TENSOR(plan, stmt->tensor);
      const wr_tensor *of = WR_TENSOR(plan->program, stmt->tensor);
      int64_t elements = kt_tensor_elements(of);
      if (!take(plan, &unit->part,
                elements < 0 ? most_elements + 1 : (long)elements * tensor->bytes, &tensor->offset,
                of->name))
        return false;
    }
    if (!place_locals(plan, &stmt->body, unit))
      return false;
  }
  return true;
}

static bool place_unit(kt_plan *plan, uint32_t number) {
  kt_unit *unit = KT_UNIT(plan, number);
  for (;;) {
    unit->shared = place_all(plan, number, KT_SHARED);
    uint32_t moved = largest(plan, number);
    if (unit->shared <= plan->target->shared_block || moved == AS_NONE)
      break;
    KT_TILE(plan, moved)->memory = KT_BLOCK;
  }
  unit->part = rounded(place_all(plan, number, KT_BLOCK), PAGE);
  if (!place_locals(plan, &unit->stmt, unit))
    return false;
  int64_t blocks = unit->instances;
  int64_t most = plan->target->grid[0];
  if (unit->part > 0 && most > (int64_t)PARTS_A_MULTIPROCESSOR * plan->target->multiprocessors)
    most = (int64_t)PARTS_A_MULTIPROCESSOR * plan->target->multiprocessors;
  unit->blocks = (long)(blocks < most ? blocks : most);
  long all;
  if (__builtin_mul_overflow(unit->part, unit->blocks, &all))
    all = most_elements + 1;
  return take(plan, &plan->workspace, all, &unit->part_begin, unit->name);
}

static bool place_common(kt_plan *plan) {
  for (size_t i = 0; i < plan->tile.n; i++) {
    kt_tile *tile = KT_TILE(plan, i);
    const wr_tile *of = WR_TILE(plan->program, i);
    if (tile->memory == KT_COMMON &&
        !take(plan, &plan->workspace, kt_tile_bytes(of), &tile->offset, of->name))
      return false;
  }
  for (size_t i = 0; i < plan->tensor.n; i++) {
    kt_tensor *tensor = KT_TENSOR(plan, i);
    const wr_tensor *of = WR_TENSOR(plan->program, i);
    int64_t elements = kt_tensor_elements(of);
    long bytes = elements < 0 ? most_elements + 1 : (long)elements * tensor->bytes;
    if (of->role == AS_TILE_SCRATCH && !tensor->of_block &&
        !take(plan, &plan->workspace, bytes, &tensor->offset, of->name))
      return false;
  }
  return true;
}

bool kt_plan_make(kt_plan *plan) {
  add_asides(plan, &plan->program->body);
  find_locals(plan, &plan->program->body, false);
  add_units(plan);
  for (size_t i = 0; i < plan->program->tile.n; i++) {
    kt_tile none = {.memory = KT_NOWHERE, .unit = AS_NONE};
    as_vec_push(&plan->tile, &none);
  }
  for (uint32_t i = 0; i < plan->unit.n; i++)
    kt_live(plan, i);
  for (size_t i = 0; i < plan->tile.n; i++) {
    kt_tile *tile = KT_TILE(plan, i);
    if (tile->unit != AS_NONE && tile->memory == KT_NOWHERE)
      tile->memory = KT_SHARED;
  }
  bool fine = place_common(plan);
  for (uint32_t i = 0; fine && i < plan->unit.n; i++)
    fine = place_unit(plan, i);
  return fine;
}

void kt_plan_clear(kt_plan *plan) {
  for (size_t i = 0; i < plan->unit.n; i++)
    as_vec_clear(&KT_UNIT(plan, i)->stmt);
  as_vec_clear(&plan->unit);
  as_vec_clear(&plan->tile);
  as_vec_clear(&plan->tensor);
  as_vec_clear(&plan->aside);
  if (plan->mem)
    as_arena_free(plan->mem);
  wr_free(plan->program);
}
