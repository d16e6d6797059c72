/* Loops become loops that carry tiles, branches become choices. */
#include "ttir_control.h"
#include <stdlib.h>
#include <string.h>

/* ---- what a loop carries */

static void carry(ttir_lift *lift, const char *name, const as_ttir_type *type, ttir_node *first,
                  ttir_node **tile, as_str *text) {
  type = ttir_extents(lift, type);
  const ttir_node *made = ttir_make(lift, name, type, first);
  const char *own = ttir_fresh(lift, name);
  *tile = ttir_element(lift, made->sort, own, type);
  as_str_printf(text, "%*scarry %s%s = %s\n", 2 * lift->depth + 2, "",
                made->sort == TTIR_INTEGER ? "int " : "", own, made->text);
}

/* the tiles of one carried value; those of infinities where it may be infinite */
ttir_carried ttir_carry(ttir_lift *lift, const char *name, const as_ttir_type *type,
                        const ttir_lifted *first, bool low, bool high, as_str *text) {
  ttir_carried tiles = {0};
  carry(lift, name, type, first->value, &tiles.value, text);
  if (low)
    carry(lift, name, type, first->low, &tiles.low, text);
  if (high)
    carry(lift, name, type, first->high, &tiles.high, text);
  return tiles;
}

const as_ttir_op *ttir_last(const as_ttir_region *region) {
  return region->n_op > 0 ? region->op[region->n_op - 1] : NULL;
}

/* `next` of all that is carried is computed before any of it changes, so the tiles of all come
 * first */
void ttir_write_next(ttir_lift *lift, uint32_t n, const as_ttir_type *const *type,
                     const ttir_carried *tiles, const ttir_lifted *yielded) {
  const ttir_node *made[3 * TTIR_MOST_CARRIED];
  uint32_t k = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ttir_node *of[3] = {tiles[i].value, tiles[i].low, tiles[i].high};
    const ttir_node *value[3] = {yielded[i].value, yielded[i].low, yielded[i].high};
    for (int part = 0; part < 3; part++) {
      if (of[part])
        made[k++] = ttir_make(lift, of[part]->text, type[i], value[part]);
    }
  }
  k = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ttir_node *of[3] = {tiles[i].value, tiles[i].low, tiles[i].high};
    for (int part = 0; part < 3; part++) {
      if (of[part])
        ttir_line(lift, "next %s = %s", of[part]->text, made[k++]->text);
    }
  }
}

/* how much has been written: to go back to when a loop has to be written again */
typedef struct {
  size_t out;
  size_t assumed;
} mark;

static mark mark_here(const ttir_lift *lift) {
  return (mark){lift->out.n, lift->assumed.n};
}

static void go_back(ttir_lift *lift, mark to) {
  lift->out.n = to.out;
  lift->assumed.n = to.assumed;
  if (lift->out.s)
    lift->out.s[to.out] = 0;
}

/* One attempt at a loop; `low` and `high` say which carried values may be infinite, and are widened
 * by what the body yields.  *again: they were. */
static bool write_for(ttir_lift *lift, const as_ttir_op *op, bool *low, bool *high, bool *again) {
  const as_ttir_region *body = &op->region[0];
  const as_ttir_kernel *kernel = lift->kernel;
  uint32_t n = body->n_argument - 1;
  ttir_carried tiles[TTIR_MOST_CARRIED];
  const as_ttir_type *type[TTIR_MOST_CARRIED];
  ttir_lifted yielded[TTIR_MOST_CARRIED];
  as_str carries;
  as_str_init(&carries);
  for (uint32_t i = 0; i < n; i++) {
    const as_ttir_value *of = &kernel->value[body->argument[i + 1]];
    type[i] = &of->type;
    const ttir_lifted *first = ttir_operand(lift, op, i + 3);
    tiles[i] = ttir_carry(lift, of->name, &of->type, first, low[i], high[i], &carries);
    ttir_lifted *inside = &lift->value[body->argument[i + 1]];
    *inside = *first;
    inside->value = tiles[i].value;
    inside->low = tiles[i].low;
    inside->high = tiles[i].high;
  }
  const ttir_node *bound[3];
  for (uint32_t i = 0; i < 3; i++)
    bound[i] = ttir_operand(lift, op, i)->value;
  const char *variable = ttir_fresh(lift, kernel->value[body->argument[0]].name);
  ttir_line(lift, "for %s = %s to %s step %s", variable, ttir_print(lift->mem, bound[0]),
            ttir_print(lift->mem, bound[1]), ttir_print(lift->mem, bound[2]));
  as_str_add(&lift->out, carries.s ? carries.s : "");
  as_str_clear(&carries);
  lift->depth++;
  int64_t last = bound[1]->hi == TTIR_MOST ? TTIR_MOST : bound[1]->hi - 1;
  lift->value[body->argument[0]] =
      (ttir_lifted){.value = ttir_name(lift->mem, variable, bound[0]->lo, last), .known = true};
  if (!ttir_lift_region(lift, body))
    return false;
  const as_ttir_op *yield = ttir_last(body);
  *again = false;
  for (uint32_t i = 0; i < n; i++) {
    if (!yield || yield->n_operand != n)
      return ttir_refuse(lift, op, "its body does not yield what it carries");
    yielded[i] = *ttir_operand(lift, yield, i);
    if (type[i]->kind == AS_TTIR_POINTER &&
        yielded[i].argument != ttir_operand(lift, op, i + 3)->argument)
      return ttir_refuse(lift, op, "a carried pointer changes its argument");
    *again |= (yielded[i].low && !low[i]) || (yielded[i].high && !high[i]);
    low[i] |= yielded[i].low != NULL;
    high[i] |= yielded[i].high != NULL;
  }
  if (!*again)
    ttir_write_next(lift, n, type, tiles, yielded);
  lift->depth--;
  ttir_line(lift, "end");
  for (uint32_t i = 0; i < n; i++) {
    ttir_lifted *result = &lift->value[op->result[i]];
    *result = *ttir_operand(lift, op, i + 3);
    result->value = tiles[i].value;
    result->low = tiles[i].low;
    result->high = tiles[i].high;
  }
  return true;
}

bool ttir_lift_for(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  uint32_t n = op->region[0].n_argument - 1;
  if (n > TTIR_MOST_CARRIED || op->n_operand != n + 3 || op->n_result != n)
    return ttir_refuse(lift, op, "of another form than bounds and what it carries");
  if (ttir_operand(lift, op, 2)->value->lo <= 0)
    return ttir_refuse(lift, op, "its step is not shown to be positive");
  if (lift->guard->kind != TTIR_N_TRUE)
    return ttir_refuse(lift, op, "a loop in a branch");
  bool low[TTIR_MOST_CARRIED];
  bool high[TTIR_MOST_CARRIED];
  for (uint32_t i = 0; i < n; i++) {
    low[i] = ttir_operand(lift, op, i + 3)->low != NULL;
    high[i] = ttir_operand(lift, op, i + 3)->high != NULL;
  }
  mark start = mark_here(lift);
  int depth = lift->depth;
  for (bool again = true; again;) {
    go_back(lift, start);
    lift->depth = depth;
    if (!write_for(lift, op, low, high, &again))
      return false;
  }
  return true;
}

/* ---- branches: both are computed; loads and stores happen where their condition holds */

static bool lift_branch(ttir_lift *lift, const as_ttir_region *region, ttir_node *condition) {
  ttir_node *outer = lift->guard;
  lift->guard = ttir_and(lift->mem, outer, condition);
  bool fine = true;
  if (lift->guard)
    fine = ttir_lift_region(lift, region);
  lift->guard = outer;
  return fine;
}

bool ttir_lift_if(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  ttir_node *condition = ttir_operand(lift, op, 0)->value;
  ttir_node *opposite = ttir_not(lift->mem, condition);
  if (!lift_branch(lift, &op->region[0], condition))
    return false;
  if (op->n_region > 1 && !lift_branch(lift, &op->region[1], opposite))
    return false;
  for (uint32_t i = 0; i < op->n_result; i++) {
    const as_ttir_op *then = ttir_last(&op->region[0]);
    const as_ttir_op *other = op->n_region > 1 ? ttir_last(&op->region[1]) : NULL;
    if (!then || !other || then->n_operand != op->n_result || other->n_operand != op->n_result)
      return ttir_refuse(lift, op, "its branches do not yield its results");
    const as_ttir_type *type = ttir_type_of(lift, op->result[i]);
    bool truth = ttir_is_truth(type);
    const ttir_lifted *a = ttir_operand(lift, then, i);
    const ttir_lifted *b = ttir_operand(lift, other, i);
    if (!condition || !opposite)
      lift->value[op->result[i]] = condition ? *a : *b;
    else if (type->kind == AS_TTIR_POINTER && a->argument != b->argument)
      return ttir_refuse(lift, op, "between pointers to different arguments");
    else
      lift->value[op->result[i]] = ttir_choose(lift, condition, a, b, truth);
  }
  return true;
}
