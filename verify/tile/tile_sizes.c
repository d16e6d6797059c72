#include "tile_sizes.h"
#include <string.h>

/* ---- the numbers of a text */
static void add_scalar(as_constants *constants, const as_tile_scalar *scalar) {
  if (scalar)
    as_constants_add_expr(constants, scalar->text);
}

static void add_call(as_constants *constants, const as_tile_expr *expr) {
  as_constants_add_expr(constants, expr->number);
  for (uint32_t i = 0; i < expr->n_arg; i++)
    add_call(constants, expr->arg[i]);
  if (expr->kind != AS_TILE_CALL)
    return;
  for (uint32_t i = 0; i < expr->op->nattrs; i++)
    add_scalar(constants, expr->attr[i].scalar);
  for (uint32_t i = 0; i < expr->op->nlet; i++)
    as_constants_add_expr(constants, expr->op->let[i].body);
}

static void add_statement(as_constants *constants, const as_tile_stmt *stmt) {
  for (uint32_t i = 0; i < stmt->n_lane; i++)
    add_scalar(constants, stmt->lane[i].extent);
  for (uint32_t i = 0; i < stmt->n_place; i++)
    add_scalar(constants, stmt->place[i]);
  const as_tile_scalar *own[] = {stmt->mask, stmt->other, stmt->value,
                                 stmt->from, stmt->to,    stmt->step};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    add_scalar(constants, own[i]);
  if (stmt->expr)
    add_call(constants, stmt->expr);
  for (uint32_t i = 0; i < stmt->n_carry; i++) {
    add_call(constants, stmt->carry[i].first);
    add_call(constants, stmt->carry[i].next);
  }
  for (uint32_t i = 0; i < stmt->n_body; i++)
    add_statement(constants, stmt->body[i]);
}

static void add_side(as_constants *constants, const as_tile_side *side) {
  as_constants_add_graph(constants, as_side_sizes(side));
  if (!side->tile)
    return;
  for (uint32_t i = 0; i < side->tile->n_tensor; i++) {
    for (uint32_t d = 0; d < side->tile->tensor[i].rank; d++)
      as_constants_add_size(constants, side->tile->sizes->sizes, side->tile->tensor[i].dim[d]);
  }
  for (uint32_t i = 0; i < side->tile->n_body; i++)
    add_statement(constants, side->tile->body[i]);
}

void tile_constants_add(as_constants *constants, const as_tile_side *given,
                        const as_tile_side *candidate) {
  add_side(constants, given);
  add_side(constants, candidate);
}

/* ---- sizes */
typedef struct {
  int64_t least;
  int64_t *value;
  uint32_t n;
} list;

static void add(list *sizes, int64_t value) {
  uint32_t at = 0;
  while (at < sizes->n && sizes->value[at] < value)
    at++;
  bool known = at < sizes->n && sizes->value[at] == value;
  if (value <= sizes->least || known || sizes->n == TILE_MOST_SIZES)
    return;
  memmove(&sizes->value[at + 1], &sizes->value[at], (sizes->n - at) * sizeof *sizes->value);
  sizes->value[at] = value;
  sizes->n++;
}

static void add_around(list *sizes, int64_t number) {
  for (int64_t beside = -1; beside <= 1; beside++)
    add(sizes, number + beside);
}

uint32_t tile_sizes_beside(const as_tile_side *given, const as_tile_side *candidate, int64_t least,
                           int64_t value[TILE_MOST_SIZES]) {
  enum { LARGEST_POWER = 64, LARGEST = 4096 };

  list sizes = {.least = least, .value = value};
  as_constants constants;
  as_constants_init(&constants);
  tile_constants_add(&constants, given, candidate);
  for (uint32_t i = 0; i < constants.count; i++) {
    const mpq_t *number = &constants.value[i];
    if (mpz_cmp_ui(mpq_denref(*number), 1) != 0 || mpz_cmpabs_ui(mpq_numref(*number), LARGEST) > 0)
      continue;
    int64_t whole = mpz_get_si(mpq_numref(*number));
    add_around(&sizes, whole < 0 ? -whole : whole);
    add_around(&sizes, whole < 0 ? -2 * whole : 2 * whole);
  }
  for (int64_t power = 2; power <= LARGEST_POWER; power *= 2)
    add_around(&sizes, power);
  as_constants_clear(&constants);
  return sizes.n;
}
