/* Followed element by element: from some elements of the output, at random places and at both ends,
 * back to elements of inputs, with conditions decided at the indices at hand, so that a branch
 * counts only where some element takes it (of a part of a concatenation, say, that a slice leaves
 * out, none does).  Arithmetic of numbers is never cancelled by the lowering, and counts whole;
 * that of integers that are data is, and counts where nothing in it can cancel.  What cannot be
 * decided (indices within a block's tile, conditions over integers that are data, conditions of
 * which both branches may be the same) is not followed: it says nothing, and the trial of the
 * kernels is left to notice. */
#include "depend.h"
#include "src/base/rng.h"
#include "trial.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
  WALKS = 48,
  POINT = AS_MAX_RANK + 1, /* indices, and that of the term of a reduction */
  UNKNOWN = -1             /* as an index, which is never negative */
};

typedef struct {
  const lo_meaning *meaning;
  as_rng rng;
  unsigned walk;
  bool *seen; /* by value, in this walk */
  uint64_t *input;
} walking;

/* --- integers at a point; false: not known there */
static bool whole_at(const lx *expr, const long *point, long *out);
static bool holds_at(const lx *expr, const long *point, bool *out);

static bool choice_at(const lx *expr, const long *point, long *out) {
  bool yes;
  return holds_at(expr->kid[0], point, &yes) && whole_at(expr->kid[yes ? 1 : 2], point, out);
}

static bool divided_at(lx_op op, long left, long right, long *out) {
  if (right <= 0)
    return false;
  long rest = left % right;
  rest += rest < 0 ? right : 0;
  *out = op == LX_MOD ? rest : (left - rest) / right;
  return true;
}

static bool operation_at(const lx *expr, const long *point, long *out) {
  long left = 0;
  long right = 0;
  if (!whole_at(expr->kid[0], point, &left) ||
      (expr->n > 1 && !whole_at(expr->kid[1], point, &right)))
    return false;
  switch (expr->op) {
  case LX_ADD:
    return !__builtin_add_overflow(left, right, out);
  case LX_SUB:
    return !__builtin_sub_overflow(left, right, out);
  case LX_MUL:
    return !__builtin_mul_overflow(left, right, out);
  case LX_NEG:
    return !__builtin_sub_overflow(0, left, out);
  case LX_MAX:
    *out = left > right ? left : right;
    return true;
  case LX_MIN:
    *out = left < right ? left : right;
    return true;
  case LX_IDIV:
  case LX_MOD:
    return left > LONG_MIN / 2 && divided_at(expr->op, left, right, out);
  default:
    return false;
  }
}

static bool whole_at(const lx *expr, const long *point, long *out) {
  switch (expr->op) {
  case LX_INT:
    *out = expr->number;
    return true;
  case LX_VAR:
    *out = expr->number < POINT ? point[expr->number] : UNKNOWN;
    return *out != UNKNOWN;
  case LX_IF:
    return expr->integer && choice_at(expr, point, out);
  default:
    return expr->integer && (expr->n == 1 || expr->n == 2) && operation_at(expr, point, out);
  }
}

static bool relation_at(const lx *expr, const long *point, bool *out) {
  long left;
  long right;
  if (!whole_at(expr->kid[0], point, &left) || !whole_at(expr->kid[1], point, &right))
    return false;
  *out = expr->op == LX_EQ   ? left == right
         : expr->op == LX_NE ? left != right
         : expr->op == LX_LE ? left <= right
                             : left < right;
  return true;
}

static bool holds_at(const lx *expr, const long *point, bool *out) {
  bool left;
  bool right;
  switch (expr->op) {
  case LX_INT:
    *out = expr->number != 0;
    return true;
  case LX_NOT:
    if (!holds_at(expr->kid[0], point, out))
      return false;
    *out = !*out;
    return true;
  case LX_AND:
  case LX_OR:
    if (!holds_at(expr->kid[0], point, &left))
      return false;
    *out = left;
    if (left == (expr->op == LX_OR))
      return true;
    if (!holds_at(expr->kid[1], point, &right))
      return false;
    *out = right;
    return true;
  case LX_EQ:
  case LX_NE:
  case LX_LE:
  case LX_LT:
    return relation_at(expr, point, out);
  default:
    return false;
  }
}

/* Is it decided by numbers alone, which the lowering knows nothing of? */
static bool is_of_numbers(const lx *condition) {
  if (condition->op == LX_AND || condition->op == LX_OR)
    return is_of_numbers(condition->kid[0]) && is_of_numbers(condition->kid[1]);
  if (condition->op == LX_NOT)
    return is_of_numbers(condition->kid[0]);
  bool relation = condition->op >= LX_EQ && condition->op <= LX_LT;
  return relation && !(condition->kid[0]->integer && condition->kid[1]->integer);
}

/* --- values */
static void walk(walking *of, uint32_t id, const long *point);
static void walk_number(walking *of, const lx *expr, const long *point);

static void forget(long *point) {
  for (int i = 0; i < POINT; i++)
    point[i] = UNKNOWN;
}

static long some_index(walking *of, long extent) {
  if (of->walk < 2)
    return of->walk ? extent - 1 : 0;
  return (long)as_rng_below(&of->rng, (uint64_t)extent);
}

/* how often a tensor of integers is read in an expression of them */
static int times_read(const lx *expr, uint32_t id) {
  int times = (expr->op == LX_WHOLE || expr->op == LX_REF) && expr->val == id;
  for (int i = 0; i < expr->n; i++)
    times += times_read(expr->kid[i], id);
  return times;
}

static void walk_read(walking *of, const lx *expr, const long *point);

/* sums of integers: what of them is data and read once, times a number that is not 0 */
static void walk_whole(walking *of, const lx *all, const lx *expr, const long *point) {
  if (expr->op == LX_WHOLE) {
    if (times_read(all, expr->val) == 1)
      walk_read(of, expr, point);
    return;
  }
  bool scales = expr->op == LX_MUL && (expr->kid[0]->op == LX_INT || expr->kid[1]->op == LX_INT);
  bool vanishes = scales && expr->kid[expr->kid[0]->op == LX_INT ? 0 : 1]->number == 0;
  bool sums = expr->op == LX_ADD || expr->op == LX_SUB || expr->op == LX_NEG;
  for (int i = 0; (sums || (scales && !vanishes)) && i < expr->n; i++)
    walk_whole(of, all, expr->kid[i], point);
}

/* an element of a tensor; and, where it has more than one, the integers that say which */
static void walk_read(walking *of, const lx *expr, const long *point) {
  const lo_value *read = &of->meaning->value[expr->val];
  long there[POINT];
  forget(there);
  for (int i = 0; i < expr->n && i < read->rank; i++) {
    if (!whole_at(expr->kid[i], point, &there[i]))
      there[i] = UNKNOWN;
    if (read->dim[i] > 1)
      walk_whole(of, expr->kid[i], expr->kid[i], point);
  }
  walk(of, expr->val, there);
}

static void walk_choice(walking *of, const lx *expr, const long *point) {
  bool yes;
  if (holds_at(expr->kid[0], point, &yes)) {
    walk_number(of, expr->kid[yes ? 1 : 2], point);
  } else if (is_of_numbers(expr->kid[0])) {
    walk_number(of, expr->kid[1], point);
    walk_number(of, expr->kid[2], point);
  }
}

static void walk_number(walking *of, const lx *expr, const long *point) {
  if (expr->integer) {
    walk_whole(of, expr, expr, point);
  } else if (expr->op == LX_REF) {
    walk_read(of, expr, point);
  } else if (expr->op == LX_IF) {
    walk_choice(of, expr, point);
  } else {
    for (int i = 0; i < expr->n; i++)
      walk_number(of, expr->kid[i], point);
  }
}

/* an index of a tensor that is divided into tiles says nothing of that within the tile, and so the
 * other way round */
static void undivided(long *to, const long *point, const int *grid_axis, const bool *by_loop) {
  for (int i = 0; i < POINT; i++) {
    bool divided = i >= AS_MAX_RANK || grid_axis[i] >= 0 || (by_loop && by_loop[i]);
    to[i] = divided ? UNKNOWN : point[i];
  }
}

static void walk_stores(walking *of, uint32_t id, const long *point) {
  for (uint32_t i = 0; i < of->meaning->n_unit; i++) {
    const lo_unit *unit = &of->meaning->unit[i];
    for (uint32_t k = 0; k < unit->n_store && unit->blocks > 0; k++) {
      const lo_store *store = &unit->store[k];
      long there[POINT];
      undivided(there, point, store->grid_axis, NULL);
      if (store->target == id)
        walk(of, store->val, there);
    }
  }
}

static void walk_global(walking *of, uint32_t id, const long *point) {
  const lo_value *value = &of->meaning->value[id];
  long nowhere[POINT];
  forget(nowhere);
  if (value->buffer_class == LG_INPUT)
    of->input[value->buffer_index / 64] |= UINT64_C(1) << value->buffer_index % 64;
  else if (value->buffer_class == LG_PART)
    walk(of, value->source, nowhere);
  else
    walk_stores(of, id, point);
}

static void walk_accumulated(walking *of, const lo_value *value, const long *point) {
  long there[POINT];
  memcpy(there, point, sizeof there);
  if (value->acc == AS_ACC_CONCAT)
    there[value->axis] = UNKNOWN;
  if (of->meaning->unit[value->unit].loop > 0)
    walk(of, value->of, there);
}

static void walk_reduced(walking *of, const lo_value *value, const long *point) {
  long there[POINT];
  if (value->extent <= 0)
    return;
  memcpy(there, point, sizeof there);
  there[value->rank] = some_index(of, value->extent);
  walk_number(of, value->body, there);
}

static void walk(walking *of, uint32_t id, const long *point) {
  const lo_value *value = &of->meaning->value[id];
  if (of->seen[id] || lo_elems(value) == 0)
    return;
  of->seen[id] = true;
  long there[POINT];
  switch (value->kind) {
  case LV_GLOBAL:
    walk_global(of, id, point);
    return;
  case LV_LOAD:
    undivided(there, point, value->grid_axis, value->by_loop);
    walk(of, value->source, there);
    return;
  case LV_ACC:
    walk_accumulated(of, value, point);
    return;
  case LV_RUN:
    walk(of, value->of, point);
    return;
  case LV_RED:
    walk_reduced(of, value, point);
    return;
  default:
    if (value->body)
      walk_number(of, value->body, point);
  }
}

void lo_depends(const lo_job *job, uint32_t output, uint64_t *input) {
  const lo_value *value = &job->meaning->value[output];
  walking of = {.meaning = job->meaning, .input = input};
  if (lo_elems(value) == 0)
    return;
  as_rng_seed(&of.rng, output + 1);
  of.seen = as_calloc(job->meaning->n_value + 1, sizeof *of.seen);
  for (; of.walk < WALKS; of.walk++) {
    long point[POINT];
    for (int i = 0; i < POINT; i++)
      point[i] = i < value->rank ? some_index(&of, value->dim[i]) : UNKNOWN;
    memset(of.seen, 0, job->meaning->n_value * sizeof *of.seen);
    walk(&of, output, point);
  }
  free(of.seen);
}
