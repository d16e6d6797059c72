/* Is a reduction's region Welford's combination of (mean, sum of squares about it, weight)?
 *
 * Its operations are computed at random places over a prime field, and compared with the
 * combination there: two rational functions of so small a degree that are not the same agree at one
 * place with a chance below 2^-50.  So it does not matter in which order, or with which operations,
 * a kernel writes it.
 *
 * Random places say nothing of what a region does at some places only.  So a weight, or the sum of
 * the two, is all that may be compared (with 0, and at places where it is 0 too) and all that may
 * be divided by: elsewhere the region is one function, defined wherever no weight is negative. */
#include "src/base/rng.h"
#include "ttir_control.h"
#include <stdlib.h>
#include <string.h>

enum { PLACES = 12 };

static const uint64_t PRIME = ((uint64_t)1 << 61) - 1;

static uint64_t times(uint64_t a, uint64_t b) {
  return (uint64_t)((unsigned __int128)a * b % PRIME);
}

static uint64_t plus(uint64_t a, uint64_t b) {
  return (a + b) % PRIME;
}

static uint64_t minus(uint64_t a, uint64_t b) {
  return (a + PRIME - b) % PRIME;
}

/* of a number that is not 0 */
static uint64_t inverse(uint64_t a) {
  uint64_t result = 1;
  for (uint64_t power = PRIME - 2; power; power >>= 1) {
    result = power & 1 ? times(result, a) : result;
    a = times(a, a);
  }
  return result;
}

typedef struct {
  ttir_lift *lift;
  uint64_t *number; /* by value; of a truth 0 or 1 */
  bool *known;
  uint64_t weight[3]; /* of the left side, of the right one, their sum */
} place;

static bool is_weight(const place *at, uint64_t number) {
  return number == at->weight[0] || number == at->weight[1] || number == at->weight[2];
}

/* a whole number from outside of the region */
static bool constant(place *at, uint32_t value) {
  const ttir_lifted *of = &at->lift->value[value];
  const ttir_node *node = of->known && !of->low && !of->high ? of->value : NULL;
  if (node == NULL || node->kind != TTIR_N_NUMBER)
    return false;
  char *end;
  double number = strtod(node->text, &end);
  if (*end || number < 0 || number > 1000 || number != (double)(int)number)
    return false;
  at->number[value] = (uint64_t)number;
  return true;
}

static bool operand(place *at, const as_ttir_op *op, uint32_t i, uint64_t *number) {
  uint32_t value = i < op->n_operand ? op->operand[i] : 0;
  if (i >= op->n_operand || (!at->known[value] && !constant(at, value)))
    return false;
  *number = at->number[value];
  return true;
}

/* is it the number 0, at all places? */
static bool is_zero(place *at, const as_ttir_op *op, uint32_t i) {
  uint32_t value = op->operand[i];
  return !at->known[value] && constant(at, value) && at->number[value] == 0;
}

typedef enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, SAME, CHOOSE, NEITHER } operation;

static operation operation_of(const as_ttir_op *op) {
  static const struct {
    const char *name;
    operation is;
  } known[] = {{"arith.addf", ADD},     {"arith.subf", SUBTRACT},    {"arith.mulf", MULTIPLY},
               {"arith.divf", DIVIDE},  {"tt.precise_divf", DIVIDE}, {"arith.cmpf", SAME},
               {"arith.select", CHOOSE}};

  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(known[i].name, op->name) == 0)
      return known[i].is;
  }
  return NEITHER;
}

/* false: it has no meaning over a field, or divides by 0 where that is chosen */
static bool compute(place *at, const as_ttir_op *op) {
  operation is = operation_of(op);
  uint64_t x[3] = {0, 0, 0};
  if (is == NEITHER || op->n_result != 1)
    return false;
  bool all = true;
  for (uint32_t i = 0; i < (is == CHOOSE ? 3U : 2U); i++)
    all = operand(at, op, i, &x[i]) && all;
  uint64_t *result = &at->number[op->result[0]];
  bool fine = all;
  if (is == SAME) {
    bool with_zero =
        (is_weight(at, x[0]) && is_zero(at, op, 1)) || (is_weight(at, x[1]) && is_zero(at, op, 0));
    fine = all && with_zero && op->n_word > 0 && strcmp(op->word[0], "oeq") == 0;
    *result = x[0] == x[1];
  } else if (is == CHOOSE) { /* what is not chosen need not be there */
    uint64_t which = 0;
    fine = operand(at, op, 0, &which) && operand(at, op, which ? 1 : 2, result);
  } else if (is == DIVIDE) {
    fine = all && x[1] != 0 && is_weight(at, x[1]);
    *result = fine ? times(x[0], inverse(x[1])) : 0;
  } else {
    *result = is == ADD ? plus(x[0], x[1]) : is == SUBTRACT ? minus(x[0], x[1]) : times(x[0], x[1]);
  }
  at->known[op->result[0]] = fine;
  return fine || (is == DIVIDE && all && is_weight(at, x[1]));
}

/* given: mean, squares, weight of the left side, then of the right one; wanted: what they combine
 * to */
static void combined(const uint64_t given[6], uint64_t wanted[3]) {
  uint64_t weight = plus(given[2], given[5]);
  uint64_t part = weight ? times(given[5], inverse(weight)) : 0;
  uint64_t delta = minus(given[3], given[0]);
  wanted[0] = plus(given[0], times(delta, part));
  wanted[1] = plus(plus(given[1], given[4]), times(times(delta, delta), times(given[2], part)));
  wanted[2] = weight;
}

static bool agrees_at(place *at, const as_ttir_region *region, const uint64_t given[6]) {
  uint64_t wanted[3];
  combined(given, wanted);
  at->weight[0] = given[2];
  at->weight[1] = given[5];
  at->weight[2] = wanted[2];
  memset(at->known, 0, at->lift->kernel->n_value * sizeof *at->known);
  for (uint32_t i = 0; i < 6; i++) {
    at->number[region->argument[i]] = given[i];
    at->known[region->argument[i]] = true;
  }
  for (uint32_t i = 0; i + 1 < region->n_op; i++) {
    if (!compute(at, region->op[i]))
      return false;
  }
  const as_ttir_op *yield = ttir_last(region);
  bool same = yield->n_operand == 3;
  for (uint32_t i = 0; same && i < 3; i++) {
    uint64_t number = 0;
    same = operand(at, yield, i, &number) && number == wanted[i];
  }
  return same;
}

bool ttir_combines_moments(ttir_lift *lift, const as_ttir_region *region) {
  if (region->n_argument != 6 || region->n_op < 2)
    return false;
  place at = {.lift = lift,
              .number = as_calloc(lift->kernel->n_value + 1, sizeof *at.number),
              .known = as_calloc(lift->kernel->n_value + 1, sizeof *at.known)};
  as_rng rng;
  as_rng_seed(&rng, 20261124);
  bool same = true;
  for (int number = 0; same && number < PLACES; number++) {
    uint64_t given[6];
    for (uint32_t i = 0; i < 6; i++)
      given[i] = as_rng_below(&rng, PRIME);
    if (number % 4 == 1 || number % 4 == 3) /* weights of nothing, on either side and on both */
      given[2] = 0;
    if (number % 4 == 2 || number % 4 == 3)
      given[5] = 0;
    same = agrees_at(&at, region, given);
  }
  free(at.number);
  free(at.known);
  return same;
}
