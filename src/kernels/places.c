/* Integers that are data and name places: how many values from 0 on are in range. */
#include "kernels_int.h"
#include "src/base/id.h"
#include <stdlib.h>

typedef struct {
  const wr_program *program;
  int64_t *factor; /* by tile: what the input's integers are multiplied with in it; 0: none in it */
  int64_t range;   /* -1: they name no place that was seen */
} places;

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* what the integers are multiplied with in an expression, at most; 0: they do not occur */
static int64_t factor_of(const places *in, const wr_expr *expr) {
  if (expr->kind == AS_E_ACCESS)
    return in->factor[expr->id];
  int64_t found = 0;
  for (uint32_t i = 0; i < expr->n; i++) {
    int64_t own = factor_of(in, expr->kid[i]);
    int64_t low;
    int64_t high;
    bool times = expr->kind == AS_E_MUL && own > 0 &&
                 wr_range(in->program, expr->kid[1 - i], &low, &high) && high > 0;
    if (times && __builtin_mul_overflow(own, high, &own))
      own = INT64_MAX;
    found = larger(found, own);
  }
  return found;
}

static void visit(places *in, uint32_t tensor, const as_vec *list) {
  for (size_t i = 0; i < list->n; i++) {
    const wr_stmt *stmt = WR_STMT(list, i);
    for (uint32_t axis = 0; axis < stmt->n_place; axis++) {
      int64_t factor = factor_of(in, stmt->place[axis]);
      int64_t extent = WR_TENSOR(in->program, stmt->tensor)->dim[axis];
      int64_t range = factor > 0 ? (extent - 1) / factor + 1 : -1;
      if (range >= 0 && (in->range < 0 || range < in->range))
        in->range = range;
    }
    if (stmt->kind == WR_LOAD && stmt->tensor == tensor)
      in->factor[stmt->tile] = larger(in->factor[stmt->tile], 1);
    if (stmt->kind == WR_DEFINE && WR_TILE(in->program, stmt->tile)->integers)
      in->factor[stmt->tile] = larger(in->factor[stmt->tile], factor_of(in, stmt->value));
    visit(in, tensor, &stmt->first);
    visit(in, tensor, &stmt->body);
  }
}

int64_t kt_places(const wr_program *program, uint32_t tensor) {
  places in = {.program = program, .range = -1};
  if (WR_TENSOR(program, tensor)->type != AS_TILE_INT)
    return -1;
  in.factor = as_calloc(program->tile.n + 1, sizeof *in.factor);
  visit(&in, tensor, &program->body);
  free(in.factor);
  return in.range;
}
