#include "constants.h"

void as_constants_init(as_constants *constants) {
  constants->count = 0;
}

void as_constants_clear(as_constants *constants) {
  for (uint32_t i = 0; i < constants->count; i++)
    mpq_clear(constants->value[i]);
  constants->count = 0;
}

static void add(as_constants *constants, const mpq_t value) {
  if (constants->count == AS_MOST_CONSTANTS || mpq_cmp_si(value, 0, 1) == 0 ||
      mpq_cmp_si(value, 1, 1) == 0)
    return;
  for (uint32_t i = 0; i < constants->count; i++) {
    if (mpq_equal(constants->value[i], value))
      return;
  }
  mpq_t *place = &constants->value[constants->count++];
  mpq_init(*place);
  mpq_set(*place, value);
}

static void add_integer(as_constants *constants, long value) {
  mpq_t number;
  mpq_init(number);
  mpq_set_si(number, value, 1);
  add(constants, number);
  mpq_clear(number);
}

/* the coefficients of a size: the 64 of n - 64, the 2 of 2*n */
void as_constants_add_size(as_constants *constants, const as_sizes *sizes, as_size size) {
  long value;
  if (as_size_is_const(sizes, size, &value)) {
    add_integer(constants, value);
    return;
  }
  for (uint32_t i = 0; i < as_size_nmono(sizes, size); i++) {
    as_size_mono mono = as_size_get_mono(sizes, size, i);
    add_integer(constants, (long)mono.coef);
    for (uint32_t k = 0; k < mono.n; k++) {
      as_size dividend;
      as_size divisor;
      if (as_size_atom(sizes, mono.atom[k], &dividend, &divisor) != AS_SIZE_SYM) {
        as_constants_add_size(constants, sizes, dividend);
        as_constants_add_size(constants, sizes, divisor);
      }
    }
  }
}

void as_constants_add_expr(as_constants *constants, const as_expr *expr) {
  if (expr == NULL)
    return;
  if (expr->kind == AS_E_NUM)
    add(constants, expr->num);
  if (expr->kind == AS_E_CALL && expr->func != NULL)
    as_constants_add_expr(constants, expr->func->body);
  for (uint32_t i = 0; i < expr->n; i++)
    as_constants_add_expr(constants, expr->kid[i]);
}

void as_constants_add_graph(as_constants *constants, const as_graph *graph) {
  if (graph == NULL)
    return;
  for (as_node_id i = 0; i < graph->n; i++) {
    const as_node *node = &graph->node[i];
    if (node->kind == AS_N_CONST)
      add(constants, node->value);
    if (node->kind == AS_N_INPUT) {
      for (uint32_t k = 0; k < node->rank; k++)
        as_constants_add_size(constants, graph->sizes, node->dim[k]);
    }
    if (node->kind != AS_N_OP)
      continue;
    for (uint32_t k = 0; k < node->op->nattrs; k++) {
      if (node->attr[k].is_size)
        as_constants_add_size(constants, graph->sizes, node->attr[k].size);
      else
        add(constants, node->attr[k].num);
    }
    for (uint32_t k = 0; k < node->op->nlet; k++)
      as_constants_add_expr(constants, node->op->let[k].body);
  }
  for (uint32_t i = 0; i < graph->n_fact; i++) {
    as_constants_add_size(constants, graph->sizes, graph->fact[i].lhs);
    as_constants_add_size(constants, graph->sizes, graph->fact[i].rhs);
  }
}

bool as_constants_pick(const as_constants *constants, as_rng *rng, bool integer, mpq_t number) {
  static const struct {
    long numerator;
    unsigned long denominator;
  } near[] = {{0, 1}, {1, 1}, {-1, 1}, {1, 2}, {-1, 2}, {1, 64}};

  enum { NEAR = sizeof near / sizeof *near };

  if (constants->count == 0)
    return false;
  mpq_t step;
  mpq_init(step);
  uint64_t nth = as_rng_below(rng, NEAR);
  mpq_set(number, constants->value[as_rng_below(rng, constants->count)]);
  bool is_whole = mpz_cmp_ui(mpq_denref(number), 1) == 0;
  if ((is_whole || !integer) && as_rng_below(rng, 2)) {
    mpq_clear(step);
    return true; /* where a program asks whether something is this very number */
  }
  switch (as_rng_below(rng, 8)) {
  case 0:
    mpq_neg(number, number);
    break;
  case 1:
    mpq_div_2exp(number, number, 1);
    break;
  case 2:
    mpq_mul_2exp(number, number, 1);
    break;
  default:
    break;
  }
  mpq_set_si(step, near[nth].numerator, near[nth].denominator);
  mpq_add(number, number, step);
  if (integer && mpz_cmp_ui(mpq_denref(number), 1) != 0) {
    mpz_fdiv_q(mpq_numref(number), mpq_numref(number), mpq_denref(number));
    mpz_set_ui(mpq_denref(number), 1);
  }
  mpq_clear(step);
  return true;
}

bool as_constants_pick_size(const as_constants *constants, as_rng *rng, int64_t most,
                            int64_t *size) {
  uint32_t first = constants->count ? (uint32_t)as_rng_below(rng, constants->count) : 0;
  for (uint32_t i = 0; i < constants->count; i++) {
    const mpq_t *value = &constants->value[(first + i) % constants->count];
    if (mpz_cmp_ui(mpq_denref(*value), 1) != 0 || !mpz_fits_slong_p(mpq_numref(*value)))
      continue;
    long whole = mpz_get_si(mpq_numref(*value));
    whole = whole < 0 ? -whole : whole;
    if (whole < 2 || whole > most)
      continue;
    *size = whole + (int64_t)as_rng_below(rng, 3) - 1;
    return true;
  }
  return false;
}
