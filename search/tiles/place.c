/* Where scratch tensors are declared, which loops are parallel, and what it all costs. */
#include "extract.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 16 };

/* the uses of a tensor in memory */
typedef struct {
  bool used;
  tl_item *around[MOST_DEPTH]; /* loops around all of them */
  uint32_t depth;
  uint32_t n_access;
  uint32_t *access;
} use;

typedef struct {
  tl_items *items;
  const tl_accesses *all;
  use *uses;
  as_arena *mem;
  tl_item *around[MOST_DEPTH];
  uint32_t depth;
  bool wrong;
} placer;

static bool is_by(const tl_accesses *all, uint32_t access, uint32_t variable) {
  uint32_t rank;
  const uint32_t *by = tl_access_by(all, access, &rank);
  for (uint32_t k = 0; k < rank; k++) {
    if (by[k] == variable + 1)
      return true;
  }
  return false;
}

/* all at one axis by the variable: iterations touch places of their own */
static bool is_apart(const tl_accesses *all, const use *of, uint32_t variable) {
  for (uint32_t axis = 0; axis < AS_MAX_RANK; axis++) {
    bool same = of->n_access > 0;
    for (uint32_t i = 0; same && i < of->n_access; i++) {
      uint32_t rank;
      const uint32_t *by = tl_access_by(all, of->access[i], &rank);
      same = axis < rank && by[axis] == variable + 1;
    }
    if (same)
      return true;
  }
  return false;
}

static void note(placer *p, const tl_item *item) {
  use *of = &p->uses[tl_access_tensor(p->all, item->access)];
  if (!of->used) {
    of->used = true;
    of->depth = p->depth;
    memcpy(of->around, p->around, sizeof p->around);
  }
  uint32_t common = 0;
  while (common < of->depth && common < p->depth && of->around[common] == p->around[common])
    common++;
  of->depth = common;
  of->access = as_realloc(of->access, (of->n_access + 1) * sizeof *of->access);
  of->access[of->n_access++] = item->access;
}

static void note_all(placer *p, tl_item *loop) {
  for (uint32_t i = 0; i < loop->n_body; i++) {
    tl_item *item = loop->body[i];
    if (item->kind == TL_FETCH || item->kind == TL_PUT)
      note(p, item);
    if (item->kind != TL_LOOP_ITEM)
      continue;
    p->wrong |= p->depth == MOST_DEPTH;
    if (p->wrong)
      return;
    p->around[p->depth++] = item;
    note_all(p, item);
    p->depth--;
  }
}

/* Iterations that use the same places of a scratch tensor need one of their own each: it is
 * declared in the innermost loop that does not divide it. */
static void declare(placer *p, uint32_t tensor) {
  use *of = &p->uses[tensor];
  const tl_tensor *is = tl_tensor_at(p->all, tensor);
  if (!of->used || is->is_input || is->is_output)
    return;
  for (uint32_t d = of->depth; d-- > 0;) {
    tl_item *loop = of->around[d];
    if (is_apart(p->all, of, loop->variable))
      continue;
    uint32_t *wider = as_arena_alloc(p->mem, (loop->n_local + 1) * sizeof *wider);
    if (loop->n_local)
      memcpy(wider, loop->local, loop->n_local * sizeof *wider);
    wider[loop->n_local++] = tensor;
    loop->local = wider;
    p->items->is_local[tensor] = true;
    return;
  }
}

/* Sums in memory start at zeros once, where the tensor is declared: the loops from there on are
 * those that it sums over, or divide it. */
static bool starts_at_zero(const placer *p, const tl_item *put) {
  uint32_t tensor = tl_access_tensor(p->all, put->access);
  uint64_t sums = tl_tensor_at(p->all, tensor)->sums_over;
  for (uint32_t d = p->depth; d-- > 0;) {
    const tl_item *loop = p->around[d];
    bool sum = sums >> loop->variable & 1;
    for (uint32_t i = 0; i < loop->n_local; i++) {
      if (loop->local[i] == tensor)
        return !sum;
    }
    if (!sum && !is_by(p->all, put->access, loop->variable))
      return false;
  }
  return true;
}

static void check_zeros(placer *p, tl_item *loop) {
  for (uint32_t i = 0; i < loop->n_body; i++) {
    tl_item *item = loop->body[i];
    if (item->kind == TL_PUT && p->items->zero[tl_access_tensor(p->all, item->access)])
      p->wrong |= !starts_at_zero(p, item);
    if (item->kind != TL_LOOP_ITEM)
      continue;
    p->around[p->depth++] = item;
    check_zeros(p, item);
    p->depth--;
  }
}

/* --- parallel loops */
static bool writes_apart(const placer *p, const tl_item *loop, uint32_t variable) {
  for (uint32_t i = 0; i < loop->n_body; i++) {
    const tl_item *item = loop->body[i];
    if (item->kind == TL_LOOP_ITEM && !writes_apart(p, item, variable))
      return false;
    if (item->kind != TL_PUT)
      continue;
    uint32_t tensor = tl_access_tensor(p->all, item->access);
    if (!p->items->is_local[tensor] && !is_apart(p->all, &p->uses[tensor], variable))
      return false;
  }
  return true;
}

static void make_parallel(const placer *p, tl_item *loop) {
  while (loop->kind == TL_LOOP_ITEM && loop->n_carry == 0 &&
         writes_apart(p, loop, loop->variable)) {
    loop->parallel = true;
    if (loop->n_body != 1 || loop->n_local)
      return;
    loop = loop->body[0];
  }
}

bool tl_place(tl_items *items, as_arena *mem) {
  const tl_accesses *all = &items->naive->accesses;
  uint32_t n = (uint32_t)all->tensors.n;
  placer p = {.items = items, .all = all, .mem = mem, .uses = as_calloc(n + 1, sizeof(use))};
  note_all(&p, &items->whole);
  for (uint32_t i = 0; i < n && !p.wrong; i++)
    declare(&p, i);
  if (!p.wrong)
    check_zeros(&p, &items->whole);
  for (uint32_t i = 0; i < items->whole.n_body && !p.wrong; i++)
    make_parallel(&p, items->whole.body[i]);
  for (uint32_t i = 0; i < n; i++)
    free(p.uses[i].access);
  free(p.uses);
  return !p.wrong;
}

/* --- cost */
typedef struct {
  double bytes;
  double steps;      /* of sums of products */
  double elements;   /* computed one by one */
  double statements; /* each time that one is run */
} work;

enum { BYTES = 4 };

static double access_elements(const tl_items *items, uint32_t access) {
  tl_accesses *all = (tl_accesses *)&items->naive->accesses;
  uint32_t rank;
  double elements = 1;
  const as_size *dim = tl_shape_dims(all, tl_access_shape(all, access), &rank);
  for (uint32_t k = 0; k < rank; k++)
    elements *= (double)tl_value(all, dim[k]);
  return elements;
}

static void add_work(const tl_items *items, const tl_item *loop, double times, work *sum) {
  for (uint32_t i = 0; i < loop->n_body; i++) {
    const tl_item *item = loop->body[i];
    sum->statements += item->kind == TL_LOOP_ITEM ? 0 : times;
    if (item->kind == TL_LOOP_ITEM) {
      const tl_accesses *all = &items->naive->accesses;
      add_work(items, item,
               times * (double)tl_value(all, tl_variable_at(all, item->variable)->count), sum);
    } else if (item->kind == TL_LET && item->node != AS_NONE) {
      const tl_graph *graph = &items->naive->graph;
      double elements = tl_elements(graph, tl_node_at(graph, item->node)->cls);
      double steps = tl_call_work(graph, item->node);
      *(steps > elements ? &sum->steps : &sum->elements) += times * steps;
    } else if (item->kind != TL_MAKE && item->kind != TL_LET) {
      sum->bytes += times * BYTES * access_elements(items, item->access);
    }
  }
}

static double instances(const tl_items *items, const tl_item *loop) {
  const tl_accesses *all = &items->naive->accesses;
  double n = 1;
  while (loop->kind == TL_LOOP_ITEM && loop->parallel) {
    n *= (double)tl_value(all, tl_variable_at(all, loop->variable)->count);
    if (loop->n_body != 1)
      break;
    loop = loop->body[0];
  }
  return n;
}

/* a kernel: a launch, and what memory or the multiprocessors that have an instance take longer for
 */
static double kernel_us(const work *sum, double busy, const as_target *target) {
  double drawn = busy * target->mp_bandwidth;
  if (drawn > target->dram)
    drawn = target->dram;
  double moving = sum->bytes / drawn;
  double computing =
      2 * sum->steps / (busy * target->tile_flops) + sum->elements / (busy * target->tile_elements);
  return target->launch_us + target->latency_us + (moving > computing ? moving : computing);
}

/* The same as src/kernels prints it: each term of a sum is an element's work, nothing overlaps, and
 * threads meet behind each statement. */
static double lowered_us(const work *sum, double busy, const as_target *target) {
  double drawn = busy * target->mp_bandwidth;
  if (drawn > target->dram)
    drawn = target->dram;
  return target->launch_us + target->latency_us + sum->bytes / drawn +
         (sum->steps + sum->elements) / (busy * target->tile_elements) +
         sum->statements / busy * target->step_us;
}

/* an outermost loop is a kernel; so is what stands between two of them */
void tl_cost(tl_items *items, const as_target *target) {
  const tl_item *whole = &items->whole;
  items->us = 0;
  items->lowered_us = 0;
  items->bytes = 0;
  items->kernels = 0;
  for (uint32_t i = 0; i < whole->n_body; items->kernels++) {
    uint32_t next = i + 1;
    while (whole->body[i]->kind != TL_LOOP_ITEM && next < whole->n_body &&
           whole->body[next]->kind != TL_LOOP_ITEM)
      next++;
    tl_item kernel = {.n_body = next - i, .body = whole->body + i};
    double busy = instances(items, whole->body[i]);
    work sum = {0};
    add_work(items, &kernel, 1, &sum);
    if (busy > target->multiprocessors)
      busy = target->multiprocessors;
    items->us += kernel_us(&sum, busy, target);
    items->lowered_us += lowered_us(&sum, busy, target);
    items->bytes += sum.bytes;
    i = next;
  }
}
