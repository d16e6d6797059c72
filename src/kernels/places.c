/* Integers that are data and name places: how many values from 0 on are in range.  What is drawn at
 * random is drawn from these.  Each place is bounded by intervals, with all inputs of integers
 * between 0 and a number, and the largest number is sought at which the places stay within the
 * tensors: bounds grow with the number, so halving finds it. */
#include "kernels_int.h"
#include "src/base/id.h"
#include <stdlib.h>

static const int64_t most_values = INT32_MAX;

typedef struct {
  wr_program *program;
  uint32_t tensor;
  int64_t values;     /* every input of integers has this many, from 0 on */
  uint32_t *variable; /* by tile: bounded as its elements are; AS_NONE: no bounds are known */
  bool *made_of;      /* by tile: are its elements made of the tensor's? */
  bool first;         /* the first round: `unbounded` is being filled */
  as_vec unbounded;   /* of bool, by the order of the text: places without bounds */
  size_t seen;        /* places in this round */
  bool within;        /* all places that have bounds */
  int64_t most;       /* what those without bounds allow */
} places;

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static uint32_t new_variable(places *in, int64_t low, int64_t high) {
  wr_var made = {.name = "place", .low = low, .high = high > low ? high : low};
  as_vec_push(&in->program->var, &made);
  return (uint32_t)in->program->var.n - 1;
}

static wr_expr *name_of(places *in, uint32_t variable) {
  wr_expr *made = as_arena_alloc(in->program->mem, sizeof *made);
  *made = (wr_expr){.kind = AS_E_NAME, .integer = true, .id = variable};
  return made;
}

/* ---- bounds of an expression */

static bool same(const wr_expr *a, const wr_expr *b) {
  bool equal = a->kind == b->kind && a->n == b->n;
  if (equal && a->kind == AS_E_NUM)
    return mpq_equal(*a->number, *b->number) != 0;
  if (equal && (a->kind == AS_E_NAME || a->kind == AS_E_ACCESS))
    equal = a->id == b->id;
  if (equal && (a->kind == AS_E_CALL || a->kind == AS_E_REL))
    return false; /* not compared: nothing is concluded of these */
  for (uint32_t i = 0; equal && i < a->n; i++)
    equal = same(a->kid[i], b->kid[i]);
  return equal;
}

/* the most that the expression is where the condition holds, as `expr < most` in it says */
static int64_t most_under(const places *in, const wr_expr *condition, const wr_expr *expr) {
  int64_t low;
  int64_t high;
  if (condition && condition->kind == AS_E_AND)
    return smaller(most_under(in, condition->kid[0], expr),
                   most_under(in, condition->kid[1], expr));
  bool bounds = condition && condition->kind == AS_E_REL &&
                (condition->rel == AS_REL_LT || condition->rel == AS_REL_LE) &&
                same(condition->kid[0], expr) &&
                wr_range(in->program, condition->kid[1], &low, &high);
  return bounds ? high - (condition->rel == AS_REL_LT) : INT64_MAX;
}

static bool is_made_of(const places *in, const wr_expr *expr) {
  bool found = expr->kind == AS_E_ACCESS && in->made_of[expr->id];
  for (uint32_t i = 0; !found && i < expr->n; i++)
    found = is_made_of(in, expr->kid[i]);
  return found;
}

/* The expression with a variable in the place of each element and of each part that the mask
 * bounds, and without the branches that no value takes.  What the mask says of the integers
 * themselves is not used: it would leave too few lanes to compare. */
static wr_expr *bounded(places *in, const wr_expr *expr, const wr_expr *mask) {
  int64_t low;
  int64_t high;
  if (expr->kind == AS_E_ACCESS && in->variable[expr->id] != AS_NONE)
    return name_of(in, in->variable[expr->id]);
  wr_expr *copy = as_arena_alloc(in->program->mem, sizeof *copy);
  *copy = *expr;
  for (uint32_t i = 0; expr->kind != AS_E_ACCESS && i < expr->n; i++)
    copy->kid[i] = bounded(in, expr->kid[i], mask);
  int known = expr->kind == AS_E_IF ? wr_truth(in->program, copy->kid[0]) : -1;
  if (known >= 0)
    return copy->kid[known ? 1 : 2];
  int64_t most = is_made_of(in, expr) ? INT64_MAX : most_under(in, mask, expr);
  if (most == INT64_MAX || !wr_range(in->program, copy, &low, &high))
    return copy;
  return name_of(in, new_variable(in, low, smaller(high, most)));
}

static bool bounds_of(places *in, const wr_expr *expr, const wr_expr *mask, int64_t *low,
                      int64_t *high) {
  return wr_range(in->program, bounded(in, expr, mask), low, high);
}

/* ---- statements */

static void look_at_place(places *in, const wr_stmt *stmt, uint32_t axis) {
  int64_t low;
  int64_t high;
  int64_t extent = WR_TENSOR(in->program, stmt->tensor)->dim[axis];
  if (!is_made_of(in, stmt->place[axis]))
    return;
  bool within =
      bounds_of(in, stmt->place[axis], stmt->mask, &low, &high) && low >= 0 && high < extent;
  bool unbounded = !within;
  if (in->first)
    as_vec_push(&in->unbounded, &unbounded);
  if (in->first && unbounded)
    in->most = smaller(in->most, extent);
  in->within = in->within && (within || AS_VEC_AT(&in->unbounded, bool, in->seen));
  in->seen++;
}

static void look_at_load(places *in, const wr_stmt *stmt) {
  const wr_tensor *tensor = WR_TENSOR(in->program, stmt->tensor);
  int64_t low = 0;
  int64_t high = 0;
  in->made_of[stmt->tile] = stmt->tensor == in->tensor;
  in->variable[stmt->tile] = AS_NONE;
  bool drawn = tensor->role == AS_TILE_INPUT && tensor->type == AS_TILE_INT;
  bool known = stmt->other == NULL || bounds_of(in, stmt->other, NULL, &low, &high);
  if (drawn && known)
    in->variable[stmt->tile] =
        new_variable(in, smaller(low, 0), high > in->values - 1 ? high : in->values - 1);
}

static void look_at_definition(places *in, const wr_stmt *stmt) {
  int64_t low;
  int64_t high;
  bool keeps = stmt->fold != AS_E_SUM && stmt->fold != AS_E_PROD;
  in->made_of[stmt->tile] = is_made_of(in, stmt->value);
  in->variable[stmt->tile] = AS_NONE;
  if (keeps && stmt->value->integer && bounds_of(in, stmt->value, NULL, &low, &high))
    in->variable[stmt->tile] = new_variable(in, low, high);
}

static void look_at(places *in, const as_vec *list) {
  for (size_t i = 0; i < list->n; i++) {
    const wr_stmt *stmt = WR_STMT(list, i);
    for (uint32_t axis = 0; axis < stmt->n_place; axis++)
      look_at_place(in, stmt, axis);
    if (stmt->kind == WR_LOAD)
      look_at_load(in, stmt);
    if (stmt->kind == WR_DEFINE)
      look_at_definition(in, stmt);
    look_at(in, &stmt->first);
    for (size_t k = 0; k < stmt->carry.n; k++) {
      const wr_carry *carry = &AS_VEC_AT(&stmt->carry, wr_carry, k);
      in->made_of[carry->tile] = in->made_of[carry->first];
      in->variable[carry->tile] = AS_NONE; /* another one in each round */
    }
    look_at(in, &stmt->body);
  }
}

static bool stay_within(places *in, int64_t values) {
  size_t variables = in->program->var.n;
  in->values = values;
  in->within = true;
  in->seen = 0;
  look_at(in, &in->program->body);
  in->program->var.n = variables;
  return in->within;
}

static int64_t most_within(places *in) {
  int64_t fitting = 1;
  int64_t failing = in->most + 1;
  while (failing - fitting > 1) {
    int64_t between = fitting + (failing - fitting) / 2;
    if (stay_within(in, between))
      fitting = between;
    else
      failing = between;
  }
  return fitting;
}

int64_t kt_places(wr_program *program, uint32_t tensor) {
  if (WR_TENSOR(program, tensor)->type != AS_TILE_INT)
    return -1;
  places in = {.program = program, .tensor = tensor, .first = true, .most = most_values};
  in.variable = as_calloc(program->tile.n + 1, sizeof *in.variable);
  in.made_of = as_calloc(program->tile.n + 1, sizeof *in.made_of);
  for (size_t i = 0; i < program->tile.n; i++)
    in.variable[i] = AS_NONE;
  as_vec_init(&in.unbounded, sizeof(bool));
  stay_within(&in, 1);
  in.first = false;
  int64_t range = in.unbounded.n > 0 ? most_within(&in) : -1;
  free(in.variable);
  free(in.made_of);
  as_vec_clear(&in.unbounded);
  return range;
}
