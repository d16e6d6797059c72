/* Does it matter in which order a reduction's region combines elements, or which it combines first?
 * Triton leaves both open, so that only a region that is commutative and associative has a meaning.
 *
 * A region that compares and chooses, and computes nothing (the place of a maximum), is decided:
 * what it does depends on how three elements are ordered, part by part, and all of these orders are
 * tried. One that adds, subtracts and multiplies, and compares nothing, is a polynomial in each
 * part, and is compared at random places over a prime field: two that differ agree at one place
 * with a chance below 2^-50.  One that divides too, or asks what is equal, may be another function
 * at some places: of it random places can only show that the order matters. */
#include "src/base/rng.h"
#include "ttir_control.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 3, PLACES = 12 };

static const uint64_t PRIME = ((uint64_t)1 << 61) - 1;

typedef enum { NOTHING, TRUTH, RANK, FIELD } number_kind;

typedef struct {
  number_kind kind;
  uint32_t part; /* of a rank: only those of one part are compared */
  uint64_t of;
} number;

typedef struct {
  ttir_lift *lift;
  const as_ttir_region *region;
  uint32_t parts;
  number *at; /* by value */
  bool over_field;
  bool special; /* there may be places where it is another function */
} combining;

static number truth(bool holds) {
  return (number){TRUTH, 0, holds};
}

static number in_field(unsigned __int128 of) {
  return (number){FIELD, 0, (uint64_t)(of % PRIME)};
}

/* a comparison's word as whether it holds of less, of the same, of more */
static bool holds_of(const char *word, int order, bool *holds) {
  static const struct {
    const char *end;
    bool holds[3];
  } known[] = {{"eq", {false, true, false}}, {"ne", {true, false, true}},
               {"lt", {true, false, false}}, {"le", {true, true, false}},
               {"gt", {false, false, true}}, {"ge", {false, true, true}}};

  bool ordered = strcmp(word, "ord") == 0;
  if (ordered || strcmp(word, "uno") == 0) {
    *holds = ordered;
    return true;
  }
  size_t n = strlen(word);
  if (word[0] == 'u' && n == 3 && word[1] != 'e' && word[1] != 'n')
    return false; /* of integers without a sign, which may be ordered otherwise */
  for (size_t i = 0; n >= 2 && n <= 3 && i < sizeof known / sizeof *known; i++) {
    if (strcmp(word + n - 2, known[i].end) == 0) {
      *holds = known[i].holds[order + 1];
      return true;
    }
  }
  return false;
}

static number compared(combining *in, const as_ttir_op *op, number a, number b) {
  bool holds = false;
  int order = a.of < b.of ? -1 : a.of > b.of;
  if (a.kind == FIELD && b.kind == FIELD && op->n_word > 0) { /* equal, or not */
    const char *word = op->word[0];
    size_t n = strlen(word);
    bool equal = n >= 2 && strcmp(word + n - 2, "eq") == 0;
    in->special = true;
    return equal || (n >= 2 && strcmp(word + n - 2, "ne") == 0) ? truth(equal == (order == 0))
                                                                : (number){NOTHING, 0, 0};
  }
  bool known = a.kind == RANK && b.kind == RANK && a.part == b.part && op->n_word > 0 &&
               holds_of(op->word[0], order, &holds);
  return known ? truth(holds) : (number){NOTHING, 0, 0};
}

static number chosen(number which, number a, number b) {
  bool alike = a.kind == b.kind && a.part == b.part;
  return which.kind == TRUTH && alike ? (which.of ? a : b) : (number){NOTHING, 0, 0};
}

/* by what is not 0: to the power of two less than the prime is its inverse */
static number quotient(number a, number b) {
  unsigned __int128 result = a.of;
  unsigned __int128 square = b.of;
  for (uint64_t power = PRIME - 2; power; power >>= 1) {
    result = power & 1 ? result * square % PRIME : result;
    square = square * square % PRIME;
  }
  return b.of ? in_field(result) : (number){NOTHING, 0, 0};
}

static number computed(combining *in, const as_ttir_op *op, number a, number b) {
  static const char *const arithmetic[] = {"arith.addf", "arith.addi", "arith.subf",
                                           "arith.subi", "arith.mulf", "arith.muli"};
  static const char *const extremes[] = {"arith.maxnumf", "arith.maximumf", "arith.maxsi",
                                         "arith.minnumf", "arith.minimumf", "arith.minsi"};
  static const char *const logical[] = {"arith.andi", "arith.ori", "arith.xori"};

  if (a.kind == FIELD && b.kind == FIELD &&
      (strcmp(op->name, "arith.divf") == 0 || strcmp(op->name, "tt.precise_divf") == 0)) {
    in->special = true;
    return quotient(a, b);
  }
  for (uint32_t i = 0; i < 6 && a.kind == FIELD && b.kind == FIELD; i++) {
    if (strcmp(op->name, arithmetic[i]) == 0)
      return in_field(i < 2   ? (unsigned __int128)a.of + b.of
                      : i < 4 ? (unsigned __int128)a.of + PRIME - b.of
                              : (unsigned __int128)a.of * b.of);
  }
  for (uint32_t i = 0; i < 6 && a.kind == RANK && b.kind == RANK && a.part == b.part; i++) {
    if (strcmp(op->name, extremes[i]) == 0)
      return (i < 3) == (a.of > b.of) ? a : b;
  }
  for (uint32_t i = 0; i < 3 && a.kind == TRUTH && b.kind == TRUTH; i++) {
    if (strcmp(op->name, logical[i]) == 0)
      return truth(i == 0 ? a.of && b.of : i == 1 ? a.of || b.of : a.of != b.of);
  }
  return (number){NOTHING, 0, 0};
}

/* A truth from outside of the region, or, over a field, a whole number; others have no order among
 * the elements. */
static number constant(const combining *in, uint32_t value) {
  const ttir_lifted *of = &in->lift->value[value];
  bool whole = in->over_field && of->known && !of->low && !of->high && of->value &&
               of->value->kind == TTIR_N_NUMBER;
  double read = whole ? strtod(of->value->text, NULL) : -1;
  if (read >= 0 && read < 1000 && read == (double)(int)read)
    return in_field((unsigned __int128)read);
  bool fixed = of->known && ttir_is_truth(ttir_type_of(in->lift, value)) &&
               (!of->value || of->value->kind == TTIR_N_TRUE);
  return fixed ? truth(of->value != NULL) : (number){NOTHING, 0, 0};
}

static number operand(const combining *in, const as_ttir_op *op, uint32_t i) {
  if (i >= op->n_operand)
    return (number){NOTHING, 0, 0};
  number at = in->at[op->operand[i]];
  return at.kind == NOTHING ? constant(in, op->operand[i]) : at;
}

/* what the region makes of two elements; false: it is of another kind */
static bool combined(combining *in, const number *a, const number *b, number *result) {
  const as_ttir_region *region = in->region;
  memset(in->at, 0, in->lift->kernel->n_value * sizeof *in->at);
  for (uint32_t i = 0; i < in->parts; i++) {
    in->at[region->argument[i]] = a[i];
    in->at[region->argument[in->parts + i]] = b[i];
  }
  for (uint32_t i = 0; i + 1 < region->n_op; i++) {
    const as_ttir_op *op = region->op[i];
    bool compares = strcmp(op->name, "arith.cmpf") == 0 || strcmp(op->name, "arith.cmpi") == 0;
    number x = operand(in, op, 0);
    number y = operand(in, op, 1);
    if (op->n_result != 1 || op->n_region > 0)
      return false;
    number made = compares                                ? compared(in, op, x, y)
                  : strcmp(op->name, "arith.select") == 0 ? chosen(x, y, operand(in, op, 2))
                                                          : computed(in, op, x, y);
    if (made.kind == NOTHING)
      return false;
    in->at[op->result[0]] = made;
  }
  const as_ttir_op *yield = ttir_last(region);
  bool fine = yield && yield->n_operand == in->parts;
  for (uint32_t i = 0; fine && i < in->parts; i++) {
    result[i] = operand(in, yield, i);
    fine = result[i].kind == b[i].kind && result[i].part == b[i].part;
  }
  return fine;
}

static bool are_same(const combining *in, const number *a, const number *b) {
  for (uint32_t i = 0; i < in->parts; i++) {
    if (a[i].of != b[i].of)
      return false;
  }
  return true;
}

/* of these three elements */
static ttir_order in_any_order(combining *in, number element[3][MOST_PARTS]) {
  number some[MOST_PARTS];
  number left[MOST_PARTS];
  number right[MOST_PARTS];
  if (!combined(in, element[0], element[1], left) || !combined(in, element[1], element[0], right))
    return TTIR_ORDER_OPEN;
  if (!are_same(in, left, right))
    return TTIR_ORDER_MATTERS;
  if (!combined(in, left, element[2], left) || !combined(in, element[1], element[2], some) ||
      !combined(in, element[0], some, right))
    return TTIR_ORDER_OPEN;
  return are_same(in, left, right) ? TTIR_ORDER_IS_NOTHING : TTIR_ORDER_MATTERS;
}

static bool is_truth(const combining *in, uint32_t part) {
  return ttir_is_truth(ttir_type_of(in->lift, in->region->argument[part]));
}

/* in all orders of the three, part by part */
static ttir_order by_orders(combining *in) {
  uint32_t all = 1;
  for (uint32_t i = 0; i < 3 * in->parts; i++)
    all *= 3;
  number element[3][MOST_PARTS];
  ttir_order found = TTIR_ORDER_IS_NOTHING;
  for (uint32_t one = 0; one < all && found == TTIR_ORDER_IS_NOTHING; one++) {
    uint32_t rest = one;
    for (uint32_t i = 0; i < 3 * in->parts; i++, rest /= 3)
      element[i % 3][i / 3] =
          is_truth(in, i / 3) ? truth(rest % 3 > 0) : (number){RANK, i / 3, rest % 3};
    found = in_any_order(in, element);
  }
  return found;
}

static ttir_order by_places(combining *in) {
  as_rng rng;
  as_rng_seed(&rng, 20261129);
  number element[3][MOST_PARTS];
  ttir_order found = TTIR_ORDER_IS_NOTHING;
  in->over_field = true;
  for (int place = 0; place < PLACES && found == TTIR_ORDER_IS_NOTHING; place++) {
    for (uint32_t i = 0; i < 3 * in->parts; i++)
      element[i % 3][i / 3] = (number){FIELD, 0, as_rng_below(&rng, PRIME)};
    found = in_any_order(in, element);
  }
  return found == TTIR_ORDER_IS_NOTHING && in->special ? TTIR_ORDER_OPEN : found;
}

ttir_order ttir_order_of(ttir_lift *lift, const as_ttir_region *region, uint32_t parts) {
  if (parts == 0 || parts > MOST_PARTS || region->n_argument != 2 * parts)
    return TTIR_ORDER_OPEN;
  combining in = {.lift = lift, .region = region, .parts = parts};
  in.at = as_calloc(lift->kernel->n_value + 1, sizeof *in.at);
  ttir_order found = by_orders(&in);
  if (found == TTIR_ORDER_OPEN)
    found = by_places(&in);
  free(in.at);
  return found;
}
