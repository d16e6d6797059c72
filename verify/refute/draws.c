#include "draws.h"

as_draw as_draw_of(const as_graph *program, as_node_id input, const int64_t *env,
                   const as_constants *literals) {
  as_draw draw = {.literals = literals,
                  .integers = program->node[input].dtype == AS_INT,
                  .range = -1,
                  .exact = false};
  if (draw.integers)
    draw.range = as_graph_index_range(program, input, env, &draw.exact);
  return draw;
}

/* the least and the greatest number of a type, and what comes after */
static long end_of_type(as_rng *rng) {
  static const long end[] = {127,   128,    -128,  -129,  255,       256,      32767,
                             32768, -32768, 65535, 65536, INT32_MAX, INT32_MIN};
  return end[as_rng_below(rng, sizeof end / sizeof *end)];
}

static void draw_place(const as_draw *draw, as_rng *rng, bool beside, mpq_t number) {
  if (beside && !draw->exact && as_rng_below(rng, 4) == 0 &&
      as_constants_pick(draw->literals, rng, true, number))
    return;
  bool anywhere = draw->range == 0 || (!draw->exact && as_rng_below(rng, 64) == 0);
  long value =
      anywhere ? (long)as_rng_below(rng, 17) - 8 : (long)as_rng_below(rng, (uint64_t)draw->range);
  mpq_set_si(number, value, 1);
}

void as_draw_integer(const as_draw *draw, as_rng *rng, bool beside, mpq_t number) {
  if (draw->range >= 0) {
    draw_place(draw, rng, beside, number);
    return;
  }
  uint64_t kind = as_rng_below(rng, 8);
  if (kind < 2 && as_constants_pick(draw->literals, rng, true, number))
    return;
  if (kind < 5)
    mpq_set_si(number, (long)as_rng_below(rng, 2), 1);
  else if (kind == 5 && beside)
    mpq_set_si(number, end_of_type(rng), 1);
  else
    mpq_set_si(number, (long)as_rng_below(rng, 17) - 8, 1);
}

/* positive: a few quarters, or of integers what can stand there */
static void draw_size(const as_draw *draw, as_rng *rng, mpq_t number) {
  if (draw->integers)
    as_draw_integer(draw, rng, true, number);
  else
    mpq_set_si(number, (long)as_rng_below(rng, 16) + 1, 4);
  mpq_canonicalize(number);
}

typedef enum {
  ALL_NEGATIVE,
  ALL_ZERO,
  ALL_EQUAL,
  ONE_OF_MANY,
  ALTERNATING,
  LITERALS,
} pattern_kind;

_Static_assert(LITERALS + 1 == AS_DRAW_PATTERNS, "one kind for each number");

/* element `column` of a row; `common` is the row's own number, `chosen` the one that stands out */
static void draw_element(const as_draw *draw, as_rng *rng, pattern_kind kind, size_t column,
                         size_t chosen, const mpq_t common, mpq_t number) {
  switch (kind) {
  case ALL_ZERO:
    mpq_set_si(number, 0, 1);
    return;
  case ALL_NEGATIVE:
    draw_size(draw, rng, number);
    if (!draw->integers)
      mpq_neg(number, number);
    return;
  case ALL_EQUAL:
    mpq_set(number, common);
    return;
  case ONE_OF_MANY:
    if (column == chosen)
      mpq_set(number, common);
    else
      mpq_set_si(number, 0, 1);
    return;
  case ALTERNATING:
    mpq_set(number, common);
    if (column % 2 == 1 && draw->range >= 0)
      mpq_set_si(number, 0, 1);
    else if (column % 2 == 1)
      mpq_neg(number, number);
    return;
  case LITERALS:
    if (draw->range >= 0 || !as_constants_pick(draw->literals, rng, draw->integers, number))
      draw_size(draw, rng, number);
    return;
  }
}

void as_draw_pattern(const as_draw *draw, as_rng *rng, uint64_t pattern, as_tensor *exact) {
  pattern_kind kind = (pattern_kind)(pattern % AS_DRAW_PATTERNS);
  size_t width = exact->rank ? (size_t)exact->dim[exact->rank - 1] : 1;
  size_t chosen = 0;
  mpq_t common;
  mpq_init(common);
  for (size_t k = 0; k < exact->n; k++) {
    if (k % width == 0) {
      draw_size(draw, rng, common);
      chosen = (size_t)as_rng_below(rng, width);
      if (kind == ALL_EQUAL && !draw->integers && as_rng_below(rng, 2))
        mpq_neg(common, common);
    }
    draw_element(draw, rng, kind, k % width, chosen, common, *(mpq_t *)as_tensor_at(exact, k));
  }
  mpq_clear(common);
}
