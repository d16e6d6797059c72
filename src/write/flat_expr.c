/* Scalars of definitions: made, folded where they are integers, bounded. */
#include "flat_int.h"
#include <stdlib.h>
#include <string.h>

wr_expr *wr_new(wr_maker *maker, as_ekind kind, uint32_t n, wr_expr *const *kid) {
  wr_expr *expr = as_arena_alloc(maker->program->mem, sizeof *expr);
  expr->kind = kind;
  expr->n = n;
  expr->integer = true;
  for (uint32_t i = 0; i < n; i++) {
    expr->kid[i] = kid[i];
    bool counts = kind != AS_E_IF || i > 0; /* a condition is no number */
    expr->integer = expr->integer && (!counts || kid[i]->integer);
  }
  return expr;
}

wr_expr *wr_rational(wr_maker *maker, const mpq_t number) {
  wr_expr *expr = wr_new(maker, AS_E_NUM, 0, NULL);
  mpq_t *kept = as_arena_alloc(maker->program->mem, sizeof *kept);
  mpq_init(*kept);
  mpq_set(*kept, number);
  as_vec_push(&maker->program->numbers, &kept);
  expr->number = (const mpq_t *)kept;
  expr->integer = mpz_cmp_ui(mpq_denref(number), 1) == 0 && mpz_fits_slong_p(mpq_numref(number));
  return expr;
}

wr_expr *wr_integer(wr_maker *maker, int64_t value) {
  mpq_t number;
  mpq_init(number);
  mpq_set_si(number, (long)value, 1);
  wr_expr *expr = wr_rational(maker, number);
  mpq_clear(number);
  return expr;
}

wr_expr *wr_name(wr_maker *maker, uint32_t variable) {
  wr_expr *expr = wr_new(maker, AS_E_NAME, 0, NULL);
  expr->id = variable;
  return expr;
}

bool wr_integer_value(const wr_expr *expr, int64_t *value) {
  if (expr->kind != AS_E_NUM || !expr->integer)
    return false;
  *value = mpz_get_si(mpq_numref(*expr->number));
  return true;
}

bool wr_is_integer(const wr_expr *expr, int64_t value) {
  int64_t own;
  return wr_integer_value(expr, &own) && own == value;
}

/* towards minus infinity; the divisor is positive */
static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}

static bool whole(as_ekind kind, int64_t a, int64_t b, int64_t *result) {
  switch (kind) {
  case AS_E_ADD:
    return !__builtin_add_overflow(a, b, result);
  case AS_E_SUB:
    return !__builtin_sub_overflow(a, b, result);
  case AS_E_MUL:
    return !__builtin_mul_overflow(a, b, result);
  case AS_E_IDIV:
    *result = b > 0 ? floor_div(a, b) : 0;
    return b > 0;
  case AS_E_MOD:
    *result = b > 0 ? a - floor_div(a, b) * b : 0;
    return b > 0;
  case AS_E_MAX2:
    *result = a > b ? a : b;
    return true;
  case AS_E_MIN2:
    *result = a < b ? a : b;
    return true;
  default:
    return false;
  }
}

static wr_expr *simpler(wr_maker *maker, as_ekind kind, wr_expr *a, wr_expr *b) {
  int64_t left = 0;
  int64_t right = 0;
  int64_t result;
  bool known_a = wr_integer_value(a, &left);
  bool known_b = wr_integer_value(b, &right);
  if (known_a && known_b && whole(kind, left, right, &result))
    return wr_integer(maker, result);
  bool zero_b = known_b && right == 0;
  bool one_b = known_b && right == 1;
  if ((kind == AS_E_ADD || kind == AS_E_SUB) && zero_b)
    return a;
  if (kind == AS_E_ADD && known_a && left == 0)
    return b;
  if ((kind == AS_E_MUL || kind == AS_E_IDIV) && one_b && a->integer)
    return a;
  if (kind == AS_E_MUL && known_a && left == 1)
    return b;
  return NULL;
}

/* 1, 0 or, where neither is known, -1 */
static int known(bool holds, bool fails) {
  return holds ? 1 : fails ? 0 : -1;
}

/* of two integers, each between its least and its greatest value */
static int truth_of_ranges(int rel, const int64_t left[2], const int64_t right[2]) {
  bool apart = left[1] < right[0] || right[1] < left[0];
  bool same = left[0] == left[1] && right[0] == right[1] && !apart;
  switch (rel) {
  case AS_REL_EQ:
    return known(same, apart);
  case AS_REL_NE:
    return known(apart, same);
  case AS_REL_LE:
    return known(left[1] <= right[0], left[0] > right[1]);
  default:
    return known(left[1] < right[0], left[0] >= right[1]);
  }
}

int wr_truth(const wr_program *program, const wr_expr *condition) {
  if (condition->kind == AS_E_AND || condition->kind == AS_E_OR) {
    int a = wr_truth(program, condition->kid[0]);
    int b = wr_truth(program, condition->kid[1]);
    int strong = condition->kind == AS_E_AND ? 0 : 1; /* it decides, whatever the other is */
    bool weak = a == 1 - strong && b == 1 - strong;
    return a == strong || b == strong ? strong : weak ? 1 - strong : -1;
  }
  if (condition->kind == AS_E_NOT) {
    int a = wr_truth(program, condition->kid[0]);
    return a < 0 ? -1 : 1 - a;
  }
  int64_t left[2];
  int64_t right[2];
  if (condition->kind != AS_E_REL || !wr_range(program, condition->kid[0], &left[0], &left[1]) ||
      !wr_range(program, condition->kid[1], &right[0], &right[1]))
    return -1;
  return truth_of_ranges(condition->rel, left, right);
}

wr_expr *wr_mk(wr_maker *maker, as_ekind kind, uint32_t n, wr_expr *const *kid) {
  wr_expr *made = NULL;
  int64_t value;
  if (n == 2 && kind != AS_E_REL)
    made = simpler(maker, kind, kid[0], kid[1]);
  if (kind == AS_E_NEG && wr_integer_value(kid[0], &value) && value != INT64_MIN)
    made = wr_integer(maker, -value);
  int known = kind == AS_E_IF ? wr_truth(maker->program, kid[0]) : -1;
  if (known >= 0)
    made = kid[known ? 1 : 2];
  if (made)
    return made;
  made = wr_new(maker, kind, n, kid);
  bool real = kind == AS_E_FDIV || kind == AS_E_EXP || kind == AS_E_LOG || kind == AS_E_SQRT ||
              kind == AS_E_INV;
  made->integer = made->integer && !real;
  return made;
}

wr_expr *wr_relation(wr_maker *maker, as_rel rel, wr_expr *a, wr_expr *b) {
  wr_expr *made = wr_new(maker, AS_E_REL, 2, (wr_expr *[]){a, b});
  made->rel = rel;
  return made;
}

/* ---- bounds */

static bool range_of_product(const int64_t a[2], const int64_t b[2], int64_t *low, int64_t *high) {
  for (int i = 0; i < 4; i++) {
    int64_t product;
    if (__builtin_mul_overflow(a[i / 2], b[i % 2], &product))
      return false;
    *low = i == 0 || product < *low ? product : *low;
    *high = i == 0 || product > *high ? product : *high;
  }
  return true;
}

static bool range_of_two(as_ekind kind, const int64_t a[2], const int64_t b[2], int64_t *low,
                         int64_t *high) {
  switch (kind) {
  case AS_E_ADD:
  case AS_E_MAX2:
  case AS_E_MIN2:
    return whole(kind, a[0], b[0], low) && whole(kind, a[1], b[1], high);
  case AS_E_SUB:
    return whole(kind, a[0], b[1], low) && whole(kind, a[1], b[0], high);
  case AS_E_MUL:
    return range_of_product(a, b, low, high);
  case AS_E_IDIV:
    return b[0] == b[1] && whole(kind, a[0], b[0], low) && whole(kind, a[1], b[0], high);
  case AS_E_MOD:
    *low = 0;
    *high = b[1] - 1;
    if (b[0] == b[1] && b[0] > 0 && a[0] >= 0 && a[1] < b[0]) {
      *low = a[0];
      *high = a[1];
    }
    return b[0] > 0;
  default:
    return false;
  }
}

bool wr_range(const wr_program *program, const wr_expr *expr, int64_t *low, int64_t *high) {
  int64_t a[2];
  int64_t b[2];
  if (wr_integer_value(expr, low)) {
    *high = *low;
    return true;
  }
  if (expr->kind == AS_E_NAME) {
    *low = WR_VAR(program, expr->id)->low;
    *high = WR_VAR(program, expr->id)->high;
    return true;
  }
  if (!expr->integer || expr->kind == AS_E_ACCESS)
    return false;
  if (expr->kind == AS_E_IF) {
    if (!wr_range(program, expr->kid[1], &a[0], &a[1]) ||
        !wr_range(program, expr->kid[2], &b[0], &b[1]))
      return false;
    *low = a[0] < b[0] ? a[0] : b[0];
    *high = a[1] > b[1] ? a[1] : b[1];
    return true;
  }
  if (expr->kind == AS_E_NEG && wr_range(program, expr->kid[0], &a[0], &a[1])) {
    *low = -a[1];
    *high = -a[0];
    return a[0] != INT64_MIN;
  }
  return expr->n == 2 && wr_range(program, expr->kid[0], &a[0], &a[1]) &&
         wr_range(program, expr->kid[1], &b[0], &b[1]) && range_of_two(expr->kind, a, b, low, high);
}

bool wr_carries(const wr_stmt *loop, uint32_t tile) {
  for (size_t i = 0; i < loop->carry.n; i++) {
    if (AS_VEC_AT(&loop->carry, wr_carry, i).tile == tile)
      return true;
  }
  return false;
}

void wr_variables(const wr_expr *expr, as_vec *list) {
  for (size_t i = 0; expr->kind == AS_E_NAME && i <= list->n; i++) {
    if (i == list->n) {
      as_vec_push(list, &expr->id);
      return;
    }
    if (AS_VEC_AT(list, uint32_t, i) == expr->id)
      return;
  }
  for (uint32_t i = 0; i < expr->n; i++)
    wr_variables(expr->kid[i], list);
}

char *wr_number_text(const wr_expr *number) {
  return as_format("%.17g", mpq_get_d(*number->number));
}
