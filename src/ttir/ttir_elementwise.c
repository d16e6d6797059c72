/* Operations element by element: integers, truths, and real numbers with their infinities. */
#include "ttir_lift.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ttir_node *integer(ttir_lift *lift, int64_t value) {
  return ttir_integer(lift->mem, value);
}

static ttir_node *real(ttir_lift *lift, const char *number) {
  return ttir_real(lift->mem, number);
}

static bool is_truth(const ttir_lift *lift, const as_ttir_op *op, uint32_t i) {
  return ttir_is_truth(ttir_type_of(lift, op->operand[i]));
}

static bool result_is_truth(const ttir_lift *lift, const as_ttir_op *op) {
  return ttir_is_truth(ttir_type_of(lift, op->result[0]));
}

static bool is_finite(const ttir_lifted *a) {
  return !a->low && !a->high;
}

static bool refuse_infinite(ttir_lift *lift, const as_ttir_op *op) {
  return ttir_refuse(lift, op, "of a number that may be infinite");
}

/* ---- constants */

static const char not_one_number[] = "a constant of another form than one number";

static bool lift_real_constant(ttir_lift *lift, const as_ttir_op *op, const as_ttir_type *type) {
  bool hexadecimal = strncmp(op->literal, "0x", 2) == 0;
  char *end;
  double value = hexadecimal ? ttir_real_of_bits(strtoull(op->literal, &end, 16), type)
                             : strtod(op->literal, &end);
  if (*end || end == op->literal || (!hexadecimal && !isfinite(value)))
    return ttir_refuse(lift, op, not_one_number);
  if (isnan(value))
    return ttir_refuse(lift, op, "the constant is not a number");
  ttir_lifted *lifted = &lift->value[op->result[0]];
  *lifted = (ttir_lifted){.value = real(lift, "0"), .known = true};
  if (isinf(value)) {
    *(value < 0 ? &lifted->low : &lifted->high) = ttir_true(lift->mem);
    return true;
  }
  lifted->value = ttir_literal(lift, op->literal, value, type->bits);
  return true;
}

static bool lift_constant(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  const as_ttir_type *type = ttir_type_of(lift, op->result[0]);
  if (!op->literal)
    return ttir_refuse(lift, op, not_one_number);
  if (type->kind == AS_TTIR_FLOAT)
    return lift_real_constant(lift, op, type);
  bool holds = strcmp(op->literal, "true") == 0;
  if (type->bits == 1 && (holds || strcmp(op->literal, "false") == 0))
    return ttir_result(lift, op, holds ? ttir_true(lift->mem) : NULL);
  int64_t value;
  if (!as_ttir_read_number(op->literal, op->literal + strlen(op->literal), &value))
    return ttir_refuse(lift, op, not_one_number);
  int64_t most = (int64_t)(((uint64_t)1 << (type->bits - 1)) - 1); /* beyond it is another one */
  if (type->bits > 1 && (value > most || value < -most - 1))
    return ttir_refuse(lift, op, "a constant beyond the range of its type, with a sign");
  if (type->bits == 1)
    return ttir_result(lift, op, value ? ttir_true(lift->mem) : NULL);
  return ttir_result(lift, op, integer(lift, value));
}

/* ---- integers */

/* as an integer of its width */
static bool integer_result(ttir_lift *lift, const as_ttir_op *op, ttir_node *value) {
  value = ttir_in_type(lift, op, value, ttir_type_of(lift, op->result[0])->bits);
  return value && ttir_result(lift, op, value);
}

/* the bits of an operand as a number without a sign; NULL: refused, there are too many */
static ttir_node *without_sign(ttir_lift *lift, const as_ttir_op *op, ttir_node *a) {
  uint32_t bits = ttir_type_of(lift, op->operand[0])->bits;
  if (a->lo >= 0)
    return a;
  if (bits > 32) {
    ttir_refuse(lift, op, "of a number that is not shown to be at least 0");
    return NULL;
  }
  return ttir_arith(lift->mem, TTIR_N_MOD, ttir_unwrapped(a, bits),
                    integer(lift, (int64_t)1 << bits));
}

static ttir_node *negative(ttir_lift *lift, ttir_node *a) {
  return ttir_arith(lift->mem, TTIR_N_SUB, integer(lift, 0), a);
}

/* towards zero, by a positive divisor */
static ttir_node *truncated(ttir_lift *lift, ttir_node_kind kind, ttir_node *a, ttir_node *b) {
  ttir_node *down = ttir_arith(lift->mem, kind, a, b);
  if (a->lo >= 0)
    return down;
  if (a->lo > -b->lo && a->hi < b->lo)
    return kind == TTIR_N_MOD ? a : integer(lift, 0);
  bool short_of_one = a->lo > -b->lo; /* in size less than the divisor, where it is negative */
  ttir_node *up = short_of_one ? (kind == TTIR_N_MOD ? a : integer(lift, 0))
                               : negative(lift, ttir_arith(lift->mem, kind, negative(lift, a), b));
  ttir_node *below = ttir_compare(lift->mem, TTIR_N_LESS, a, integer(lift, 0));
  ttir_node *both = ttir_if(lift->mem, below, up, down);
  if (kind == TTIR_N_MOD && b->hi < TTIR_MOST) {
    both->lo = -(b->hi - 1);
    both->hi = b->hi - 1;
  } else if (a->lo > TTIR_LEAST && a->hi < TTIR_MOST) {
    both->lo = a->lo;
    both->hi = a->hi > -a->lo ? a->hi : -a->lo;
  }
  return both;
}

/* towards zero; the remainder has the sign of what is divided, whatever the divisor's is */
static bool divided(ttir_lift *lift, const as_ttir_op *op, ttir_node_kind kind, ttir_node *a,
                    ttir_node *b) {
  if (b->lo <= 0 && b->hi >= 0)
    return ttir_refuse(lift, op, "by a number that is not shown to be other than 0");
  bool below = b->hi < 0;
  ttir_node *result = truncated(lift, kind, a, below ? negative(lift, b) : b);
  bool turned = below && kind == TTIR_N_DIV;
  return integer_result(lift, op, turned ? negative(lift, result) : result);
}

static bool lift_arith(ttir_lift *lift, const as_ttir_op *op, int code) {
  ttir_node_kind kind = (ttir_node_kind)code;
  ttir_node *a = ttir_operand(lift, op, 0)->value;
  ttir_node *b = ttir_operand(lift, op, 1)->value;
  if (is_truth(lift, op, 0)) { /* modulo 2: a sum is one or the other */
    if (kind == TTIR_N_MUL)
      return ttir_result(lift, op, ttir_and(lift->mem, a, b));
    if (kind != TTIR_N_ADD && kind != TTIR_N_SUB)
      return ttir_refuse(lift, op, "of truths");
    ttir_node *left = ttir_and(lift->mem, a, ttir_not(lift->mem, b));
    ttir_node *right = ttir_and(lift->mem, ttir_not(lift->mem, a), b);
    return ttir_result(lift, op, ttir_or(lift->mem, left, right));
  }
  if (kind == TTIR_N_DIV || kind == TTIR_N_MOD)
    return divided(lift, op, kind, a, b);
  /* modulo a power of two it is the same of what the operands are modulo it */
  uint32_t bits = ttir_type_of(lift, op->result[0])->bits;
  a = ttir_unwrapped(a, bits);
  b = ttir_unwrapped(b, bits);
  return integer_result(lift, op, ttir_arith(lift->mem, kind, a, b));
}

/* of the bits as numbers without a sign */
static bool lift_unsigned(ttir_lift *lift, const as_ttir_op *op, int code) {
  if (is_truth(lift, op, 0))
    return ttir_refuse(lift, op, "of truths");
  ttir_node *a = without_sign(lift, op, ttir_operand(lift, op, 0)->value);
  ttir_node *b = a ? without_sign(lift, op, ttir_operand(lift, op, 1)->value) : NULL;
  return b && divided(lift, op, (ttir_node_kind)code, a, b);
}

typedef enum { LEFT, RIGHT_SIGNED, RIGHT_UNSIGNED } shift;

/* The integer shifted by a number. Bits that are shifted out to the right are a quotient towards
 * minus infinity, of two's complement too, where the sign is shifted in. */
static ttir_node *shifted(ttir_lift *lift, ttir_node *a, int code, int64_t amount) {
  ttir_node *power = integer(lift, (int64_t)1 << amount);
  return ttir_arith(lift->mem, code == LEFT ? TTIR_N_MUL : TTIR_N_DIV, a, power);
}

/* By an amount of few values, as the place of four bits in a word, it is a choice of these. */
static bool lift_shift(ttir_lift *lift, const as_ttir_op *op, int code) {
  enum { MOST_AMOUNTS = 8 };

  ttir_node *a = ttir_operand(lift, op, 0)->value;
  ttir_node *b = ttir_operand(lift, op, 1)->value;
  if (is_truth(lift, op, 0))
    return ttir_refuse(lift, op, "of truths");
  int64_t bits = ttir_type_of(lift, op->result[0])->bits;
  bool within = b->lo >= 0 && b->hi <= 62 && b->hi < bits;
  int64_t step = within ? ttir_factor(b) : 1;
  int64_t first = step > 0 ? (b->lo + step - 1) / step * step : 0;
  bool few = within && (step == 0 || (b->hi - first) / step < MOST_AMOUNTS);
  if (!few)
    return ttir_refuse(lift, op, "by an amount that is not one of few");
  a = code == RIGHT_UNSIGNED ? without_sign(lift, op, a)
      : code == LEFT         ? ttir_unwrapped(a, (uint32_t)bits)
                             : a;
  if (!a)
    return false;
  int64_t last = step > 0 ? b->hi / step * step : 0;
  ttir_node *result = shifted(lift, a, code, last);
  for (int64_t amount = last - step; step > 0 && amount >= first; amount -= step) {
    ttir_node *is = ttir_is_number(lift->mem, b, amount);
    result = ttir_if(lift->mem, is, shifted(lift, a, code, amount), result);
  }
  return integer_result(lift, op, result);
}

/* And, or of truths; a mask of low bits of an integer, which is the remainder from minus infinity
 * on, of two's complement too. */
static bool lift_and(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  ttir_node *a = ttir_operand(lift, op, 0)->value;
  ttir_node *b = ttir_operand(lift, op, 1)->value;
  if (is_truth(lift, op, 0))
    return ttir_result(lift, op, ttir_and(lift->mem, a, b));
  bool low_bits = b->lo == b->hi && b->lo > 0 && b->lo < TTIR_MOST && (b->lo & (b->lo + 1)) == 0;
  if (!low_bits)
    return ttir_refuse(lift, op, "bits of integers have no meaning here");
  return integer_result(lift, op, ttir_arith(lift->mem, TTIR_N_MOD, a, integer(lift, b->lo + 1)));
}

static bool lift_or(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  if (!is_truth(lift, op, 0))
    return ttir_refuse(lift, op, "bits of integers have no meaning here");
  return ttir_result(
      lift, op,
      ttir_or(lift->mem, ttir_operand(lift, op, 0)->value, ttir_operand(lift, op, 1)->value));
}

static bool lift_xor(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  if (!is_truth(lift, op, 0))
    return ttir_refuse(lift, op, "bits of integers have no meaning here");
  return lift_arith(lift, op, TTIR_N_ADD);
}

static bool lift_integer_extreme(ttir_lift *lift, const as_ttir_op *op, int most) {
  ttir_node *argument[2] = {ttir_operand(lift, op, 0)->value, ttir_operand(lift, op, 1)->value};
  if (is_truth(lift, op, 0))
    return ttir_refuse(lift, op, "of truths");
  return integer_result(lift, op, ttir_call(lift->mem, most ? "max" : "min", 2, argument));
}

static ttir_node *number_of(ttir_lift *lift, ttir_node *truth, int64_t held) {
  return ttir_if(lift->mem, truth, integer(lift, held), integer(lift, 0));
}

/* code: the number that a truth is, -1 where its one bit is a sign */
static bool lift_widen(ttir_lift *lift, const as_ttir_op *op, int code) {
  ttir_node *a = ttir_operand(lift, op, 0)->value;
  if (is_truth(lift, op, 0))
    return ttir_result(lift, op, number_of(lift, a, code));
  if (code == 1)
    a = without_sign(lift, op, a);
  return a && integer_result(lift, op, a);
}

static bool lift_narrow(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  ttir_node *a = ttir_operand(lift, op, 0)->value;
  if (a->wraps > ttir_type_of(lift, op->result[0])->bits)
    a = ttir_unwrapped(a, 0);
  if (!result_is_truth(lift, op))
    return integer_result(lift, op, a);
  ttir_node *bit = ttir_arith(lift->mem, TTIR_N_MOD, a, integer(lift, 2));
  return ttir_result(lift, op, ttir_compare(lift->mem, TTIR_N_EQUAL, bit, integer(lift, 1)));
}

static bool lift_to_real(ttir_lift *lift, const as_ttir_op *op, int code) {
  ttir_node *a = ttir_operand(lift, op, 0)->value;
  if (is_truth(lift, op, 0))
    a = number_of(lift, a, code);
  else if (code == 1)
    a = without_sign(lift, op, a);
  return a && ttir_result(lift, op, ttir_as_real(lift->mem, a));
}

/* ---- comparisons */

typedef struct {
  const char *word;
  ttir_node_kind kind;
  bool swap;
  bool negate;
  bool without_sign;
} relation;

static const relation relations[] = {
    {"eq", TTIR_N_EQUAL, false, false, false},  {"ne", TTIR_N_EQUAL, false, true, false},
    {"slt", TTIR_N_LESS, false, false, false},  {"sle", TTIR_N_AT_MOST, false, false, false},
    {"sgt", TTIR_N_LESS, true, false, false},   {"sge", TTIR_N_AT_MOST, true, false, false},
    {"ult", TTIR_N_LESS, false, false, true},   {"ule", TTIR_N_AT_MOST, false, false, true},
    {"ugt", TTIR_N_LESS, true, false, true},    {"uge", TTIR_N_AT_MOST, true, false, true},
    {"oeq", TTIR_N_EQUAL, false, false, false}, {"one", TTIR_N_EQUAL, false, true, false},
    {"olt", TTIR_N_LESS, false, false, false},  {"ole", TTIR_N_AT_MOST, false, false, false},
    {"ogt", TTIR_N_LESS, true, false, false},   {"oge", TTIR_N_AT_MOST, true, false, false},
    {"ueq", TTIR_N_EQUAL, false, false, false}, {"une", TTIR_N_EQUAL, false, true, false},
};

static const relation *relation_of(const as_ttir_op *op) {
  for (size_t i = 0; op->n_word > 0 && i < sizeof relations / sizeof *relations; i++) {
    if (strcmp(relations[i].word, op->word[0]) == 0)
      return &relations[i];
  }
  return NULL;
}

ttir_node *ttir_compare_lifted(ttir_lift *lift, ttir_node_kind kind, const ttir_lifted *a,
                               const ttir_lifted *b) {
  as_arena *mem = lift->mem;
  ttir_node *plain = ttir_compare(mem, kind, a->value, b->value);
  if (is_finite(a) && is_finite(b))
    return plain;
  ttir_node *both_low = ttir_and(mem, a->low, b->low);
  ttir_node *both_high = ttir_and(mem, a->high, b->high);
  ttir_node *infinite = ttir_or(mem, ttir_or(mem, a->low, a->high), ttir_or(mem, b->low, b->high));
  ttir_node *numbers = ttir_and(mem, ttir_not(mem, infinite), plain);
  ttir_node *same = ttir_or(mem, both_low, both_high);
  if (kind == TTIR_N_EQUAL)
    return ttir_or(mem, same, numbers);
  ttir_node *under = ttir_and(mem, a->low, ttir_not(mem, b->low));
  ttir_node *over = ttir_and(mem, b->high, ttir_not(mem, a->high));
  ttir_node *less = ttir_or(mem, ttir_or(mem, under, over), numbers);
  return kind == TTIR_N_LESS ? less : ttir_or(mem, same, less);
}

/* A number is equal to itself, where it has a value: a lane without one (0/0 in a float, or what a
 * load's mask leaves out) is not said to be. */
static ttir_node *with_itself(ttir_lift *lift, ttir_node_kind kind, const ttir_lifted *a) {
  bool number = a->value && a->value->sort != TTIR_TRUTH;
  if (number && (ttir_is_partial(a->value) || ttir_reads_absent(a->value)))
    return ttir_compare(lift->mem, kind, a->value, a->value);
  return kind == TTIR_N_LESS ? NULL : ttir_true(lift->mem);
}

/* Floats that have values are no NaN here: `ord` holds of these, and `uno` does not. */
static bool lift_ordered(ttir_lift *lift, const as_ttir_op *op, bool holds) {
  ttir_node *both = ttir_and(lift->mem, with_itself(lift, TTIR_N_EQUAL, ttir_operand(lift, op, 0)),
                             with_itself(lift, TTIR_N_EQUAL, ttir_operand(lift, op, 1)));
  return ttir_result(lift, op, holds ? both : ttir_not(lift->mem, both));
}

static bool lift_compare(ttir_lift *lift, const as_ttir_op *op, int floating) {
  for (uint32_t i = 0; floating && i < 2; i++) {
    if (!ttir_keeps_nan(lift, op, ttir_operand(lift, op, i)))
      return false;
  }
  bool ordered = op->n_word > 0 && strcmp(op->word[0], "ord") == 0;
  if (floating && (ordered || (op->n_word > 0 && strcmp(op->word[0], "uno") == 0)))
    return lift_ordered(lift, op, ordered);
  const relation *rel = relation_of(op);
  if (!rel)
    return ttir_refuse(lift, op, "a comparison that is not known");
  const ttir_lifted *a = ttir_operand(lift, op, rel->swap ? 1 : 0);
  const ttir_lifted *b = ttir_operand(lift, op, rel->swap ? 0 : 1);
  ttir_node *holds;
  if (op->operand[0] == op->operand[1]) {
    holds = with_itself(lift, rel->kind, a);
  } else if (is_truth(lift, op, 0)) {
    if (rel->kind != TTIR_N_EQUAL)
      return ttir_refuse(lift, op, "an order of truths");
    ttir_node *both = ttir_and(lift->mem, a->value, b->value);
    ttir_node *none =
        ttir_and(lift->mem, ttir_not(lift->mem, a->value), ttir_not(lift->mem, b->value));
    holds = ttir_or(lift->mem, both, none);
  } else {
    ttir_lifted bits[2] = {*a, *b};
    for (int i = 0; i < 2 && !floating && rel->without_sign; i++) {
      bits[i].value = without_sign(lift, op, bits[i].value);
      if (!bits[i].value)
        return false;
    }
    holds = ttir_compare_lifted(lift, rel->kind, &bits[0], &bits[1]);
  }
  return ttir_result(lift, op, rel->negate ? ttir_not(lift->mem, holds) : holds);
}

static ttir_node *select_truth(ttir_lift *lift, ttir_node *c, ttir_node *a, ttir_node *b) {
  ttir_node *then = ttir_and(lift->mem, c, a);
  ttir_node *other = ttir_and(lift->mem, ttir_not(lift->mem, c), b);
  return ttir_or(lift->mem, then, other);
}

ttir_lifted ttir_choose(ttir_lift *lift, ttir_node *condition, const ttir_lifted *a,
                        const ttir_lifted *b, bool truth) {
  ttir_lifted chosen = {.known = true, .argument = a->argument};
  ttir_node *then = a->value;
  ttir_node *other = b->value;
  if (!truth && condition && ttir_is_partial(then))
    then = ttir_under(lift->mem, then, condition);
  if (!truth && condition && condition->kind != TTIR_N_TRUE && ttir_is_partial(other))
    other = ttir_under(lift->mem, other, ttir_not(lift->mem, condition));
  chosen.value = truth ? select_truth(lift, condition, a->value, b->value)
                       : ttir_if(lift->mem, condition, then, other);
  chosen.low = select_truth(lift, condition, a->low, b->low);
  chosen.high = select_truth(lift, condition, a->high, b->high);
  return chosen;
}

static bool lift_select(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  const as_ttir_type *type = ttir_type_of(lift, op->result[0]);
  const ttir_lifted *a = ttir_operand(lift, op, 1);
  const ttir_lifted *b = ttir_operand(lift, op, 2);
  if (type->kind == AS_TTIR_POINTER && a->argument != b->argument)
    return ttir_refuse(lift, op, "between pointers to different arguments");
  lift->value[op->result[0]] =
      ttir_choose(lift, ttir_operand(lift, op, 0)->value, a, b, result_is_truth(lift, op));
  return true;
}

/* ---- reals */

ttir_lifted ttir_without(ttir_lift *lift, ttir_lifted of, ttir_node *none) {
  if (!none)
    return of;
  ttir_node *some = ttir_not(lift->mem, none);
  of.low = ttir_and(lift->mem, of.low, some);
  of.high = ttir_and(lift->mem, of.high, some);
  of.value = ttir_lacking(lift, of.value, none);
  return of;
}

static ttir_node *infinite(ttir_lift *lift, const ttir_lifted *a) {
  return ttir_or(lift->mem, a->low, a->high);
}

ttir_node *ttir_finite(ttir_lift *lift, const ttir_lifted *a) {
  ttir_node *lacks = infinite(lift, a);
  if (!lacks)
    return a->value;
  ttir_node *number = ttir_if(lift->mem, lacks, real(lift, "0"), a->value);
  return ttir_lacking(lift, number, lacks);
}

ttir_lifted ttir_add_lifted(ttir_lift *lift, const ttir_lifted *a, const ttir_lifted *b,
                            bool subtract) {
  as_arena *mem = lift->mem;
  ttir_lifted sum = {.known = true};
  sum.value = ttir_arith(mem, subtract ? TTIR_N_SUB : TTIR_N_ADD, a->value, b->value);
  ttir_node *b_low = subtract ? b->high : b->low;
  ttir_node *b_high = subtract ? b->low : b->high;
  sum.low = ttir_or(mem, ttir_and(mem, a->low, ttir_not(mem, b_high)),
                    ttir_and(mem, b_low, ttir_not(mem, a->high)));
  sum.high = ttir_or(mem, ttir_and(mem, a->high, ttir_not(mem, b_low)),
                     ttir_and(mem, b_high, ttir_not(mem, a->low)));
  sum.value = ttir_lacking(
      lift, sum.value, ttir_or(mem, ttir_and(mem, a->low, b_high), ttir_and(mem, a->high, b_low)));
  return sum;
}

static bool lift_add(ttir_lift *lift, const as_ttir_op *op, int subtract) {
  const ttir_lifted *a = ttir_operand(lift, op, 0);
  lift->value[op->result[0]] = ttir_add_lifted(lift, a, ttir_operand(lift, op, 1), subtract);
  return true;
}

/* where the number, infinite or not, is above (or below) 0 */
static ttir_node *has_sign(ttir_lift *lift, const ttir_lifted *a, bool above) {
  as_arena *mem = lift->mem;
  ttir_node *zero = real(lift, "0");
  ttir_node *finite = above ? ttir_compare(mem, TTIR_N_LESS, zero, a->value)
                            : ttir_compare(mem, TTIR_N_LESS, a->value, zero);
  if (a->value->kind == TTIR_N_NUMBER || ttir_is_positive(a->value)) {
    double number = ttir_is_positive(a->value) ? 1 : strtod(a->value->text, NULL);
    finite = (above ? number > 0 : number < 0) ? ttir_true(mem) : NULL;
  }
  ttir_node *never = above ? a->low : a->high;
  return ttir_or(mem, above ? a->high : a->low, ttir_and(mem, ttir_not(mem, never), finite));
}

static ttir_node *infinite_product(ttir_lift *lift, const ttir_lifted *a, const ttir_lifted *b,
                                   bool above) {
  as_arena *mem = lift->mem;
  ttir_node *same = a->high ? ttir_and(mem, a->high, has_sign(lift, b, above)) : NULL;
  ttir_node *turned = a->low ? ttir_and(mem, a->low, has_sign(lift, b, !above)) : NULL;
  return ttir_or(mem, same, turned);
}

/* where the number is 0 */
static ttir_node *vanishes(ttir_lift *lift, const ttir_lifted *a) {
  bool number = a->value->kind == TTIR_N_NUMBER;
  if (ttir_is_positive(a->value) || (number && strtod(a->value->text, NULL) != 0))
    return NULL;
  ttir_node *zero = number ? ttir_true(lift->mem)
                           : ttir_compare(lift->mem, TTIR_N_EQUAL, a->value, real(lift, "0"));
  return ttir_and(lift->mem, ttir_not(lift->mem, infinite(lift, a)), zero);
}

ttir_lifted ttir_multiply_lifted(ttir_lift *lift, const ttir_lifted *a, const ttir_lifted *b) {
  as_arena *mem = lift->mem;
  ttir_lifted product = {.known = true};
  product.value = ttir_arith(mem, TTIR_N_MUL, a->value, b->value);
  if (is_finite(a) && is_finite(b))
    return product;
  product.high =
      ttir_or(mem, infinite_product(lift, a, b, true), infinite_product(lift, b, a, true));
  product.low =
      ttir_or(mem, infinite_product(lift, a, b, false), infinite_product(lift, b, a, false));
  ttir_node *left = is_finite(a) ? NULL : ttir_and(mem, infinite(lift, a), vanishes(lift, b));
  ttir_node *right = is_finite(b) ? NULL : ttir_and(mem, infinite(lift, b), vanishes(lift, a));
  return ttir_without(lift, product, ttir_or(mem, left, right));
}

static bool lift_multiply(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  lift->value[op->result[0]] =
      ttir_multiply_lifted(lift, ttir_operand(lift, op, 0), ttir_operand(lift, op, 1));
  return true;
}

/* By infinity it is 0, or none of infinity; infinity by 0 has no value, as no number has by 0. */
static bool lift_divide(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  const ttir_lifted *a = ttir_operand(lift, op, 0);
  const ttir_lifted *b = ttir_operand(lift, op, 1);
  ttir_node *quotient = ttir_arith(lift->mem, TTIR_N_DIVIDE, a->value, b->value);
  ttir_lifted result = {.known = true};
  result.value = ttir_if(lift->mem, infinite(lift, b), real(lift, "0"), quotient);
  if (!is_finite(a)) {
    result.high = infinite_product(lift, a, b, true);
    result.low = infinite_product(lift, a, b, false);
    result = ttir_without(lift, result, ttir_and(lift->mem, infinite(lift, a), infinite(lift, b)));
  }
  lift->value[op->result[0]] = result;
  return true;
}

static bool lift_negate(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  const ttir_lifted *a = ttir_operand(lift, op, 0);
  ttir_node *value = ttir_arith(lift->mem, TTIR_N_SUB, real(lift, "0"), a->value);
  lift->value[op->result[0]] =
      (ttir_lifted){.value = value, .low = a->high, .high = a->low, .known = true};
  return true;
}

ttir_lifted ttir_extreme(ttir_lift *lift, bool most, const ttir_lifted *a, const ttir_lifted *b) {
  as_arena *mem = lift->mem;
  ttir_node *argument[2] = {a->value, b->value};
  ttir_node *value = ttir_call(mem, most ? "max" : "min", 2, argument);
  /* where one is below all numbers, a maximum is the other one */
  ttir_node *a_yields = most ? a->low : a->high;
  ttir_node *b_yields = most ? b->low : b->high;
  value = ttir_if(mem, a_yields, b->value, ttir_if(mem, b_yields, a->value, value));
  ttir_node *all = ttir_and(mem, a_yields, b_yields);
  ttir_node *some = most ? ttir_or(mem, a->high, b->high) : ttir_or(mem, a->low, b->low);
  return (ttir_lifted){
      .value = value, .low = most ? all : some, .high = most ? some : all, .known = true};
}

static bool lift_extreme(ttir_lift *lift, const as_ttir_op *op, int most) {
  const ttir_lifted *a = ttir_operand(lift, op, 0);
  const ttir_lifted *b = ttir_operand(lift, op, 1);
  if (!ttir_keeps_nan(lift, op, a) || !ttir_keeps_nan(lift, op, b))
    return false;
  lift->value[op->result[0]] = ttir_extreme(lift, most, a, b);
  return true;
}

static bool lift_clamp(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  for (uint32_t i = 0; i < 3; i++) {
    if (!ttir_keeps_nan(lift, op, ttir_operand(lift, op, i)))
      return false;
  }
  ttir_lifted above =
      ttir_extreme(lift, true, ttir_operand(lift, op, 0), ttir_operand(lift, op, 1));
  lift->value[op->result[0]] = ttir_extreme(lift, false, &above, ttir_operand(lift, op, 2));
  return true;
}

static bool lift_fma(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  ttir_lifted product =
      ttir_multiply_lifted(lift, ttir_operand(lift, op, 0), ttir_operand(lift, op, 1));
  lift->value[op->result[0]] = ttir_add_lifted(lift, &product, ttir_operand(lift, op, 2), false);
  return true;
}

/* ---- functions of one real */

typedef enum {
  EXP,
  EXP2,
  EXPM1,
  LOG,
  LOG2,
  LOG1P,
  SQRT,
  RSQRT,
  SIN,
  COS,
  TANH,
  ERF,
  FLOOR,
  CEIL,
  ABS
} function;

static ttir_node *call(ttir_lift *lift, const char *name, ttir_node *argument) {
  return ttir_call(lift->mem, name, 1, &argument);
}

static ttir_node *combined(ttir_lift *lift, ttir_node_kind kind, ttir_node *a, ttir_node *b) {
  return ttir_arith(lift->mem, kind, a, b);
}

static ttir_node *applied(ttir_lift *lift, function which, ttir_node *x) {
  ttir_node *one = real(lift, "1");
  ttir_node *two = real(lift, "2");
  switch (which) {
  case EXP:
    return call(lift, "exp", x);
  case EXP2:
    return call(lift, "exp", combined(lift, TTIR_N_MUL, x, call(lift, "log", two)));
  case EXPM1:
    return combined(lift, TTIR_N_SUB, call(lift, "exp", x), one);
  case LOG:
    return call(lift, "log", x);
  case LOG2:
    return combined(lift, TTIR_N_DIVIDE, call(lift, "log", x), call(lift, "log", two));
  case LOG1P:
    return call(lift, "log", combined(lift, TTIR_N_ADD, one, x));
  case SQRT:
    return call(lift, "sqrt", x);
  case RSQRT:
    return combined(lift, TTIR_N_DIVIDE, one, call(lift, "sqrt", x));
  case SIN:
    return call(lift, "sin", x);
  case COS:
    return call(lift, "cos", x);
  case TANH:
    return call(lift, "tanh", x);
  case ERF:
    return call(lift, "erf", x);
  case FLOOR:
    return call(lift, "floor", x);
  case CEIL: {
    ttir_node *zero = real(lift, "0");
    ttir_node *down = call(lift, "floor", combined(lift, TTIR_N_SUB, zero, x));
    return combined(lift, TTIR_N_SUB, zero, down);
  }
  case ABS:
    break;
  }
  return call(lift, "abs", x);
}

static bool lift_function(ttir_lift *lift, const as_ttir_op *op, int code) {
  const ttir_lifted *a = ttir_operand(lift, op, 0);
  ttir_lifted result = {.value = applied(lift, (function)code, a->value), .known = true};
  if (code == EXP || code == EXP2) {
    result.value = ttir_if(lift->mem, a->low, real(lift, "0"), result.value);
    result.high = a->high;
  } else if (code == ABS) {
    result.high = ttir_or(lift->mem, a->low, a->high);
  } else if (!is_finite(a)) {
    return refuse_infinite(lift, op);
  }
  lift->value[op->result[0]] = result;
  return true;
}

/* A power: a product where the exponent is written as a small integer; else by the logarithm, so
 * that it has no value where the base is not above 0. */
static bool lift_power(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;

  enum { MOST_FACTORS = 8 };

  const ttir_lifted *base = ttir_operand(lift, op, 0);
  const ttir_lifted *power = ttir_operand(lift, op, 1);
  ttir_lifted result = {.value = base->value, .known = true};
  if (!is_finite(base) || !is_finite(power))
    return refuse_infinite(lift, op);
  bool number = power->value->kind == TTIR_N_NUMBER;
  long factors = number ? strtol(power->value->text, NULL, 10) : 0;
  if (number && factors >= 1 && factors <= MOST_FACTORS &&
      strtod(power->value->text, NULL) == (double)factors) {
    for (long i = 1; i < factors; i++)
      result.value = combined(lift, TTIR_N_MUL, result.value, base->value);
  } else {
    ttir_node *log = call(lift, "log", base->value);
    result.value = call(lift, "exp", combined(lift, TTIR_N_MUL, power->value, log));
  }
  lift->value[op->result[0]] = result;
  return true;
}

/* a function of CUDA's library, by the name that it has in C for floats */
static bool lift_library(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;

  static const struct {
    const char *name;
    function which;
  } known[] = {{"exp", EXP},     {"exp2", EXP2}, {"expm1", EXPM1}, {"log", LOG},   {"log2", LOG2},
               {"log1p", LOG1P}, {"sqrt", SQRT}, {"rsqrt", RSQRT}, {"sin", SIN},   {"cos", COS},
               {"tanh", TANH},   {"erf", ERF},   {"floor", FLOOR}, {"ceil", CEIL}, {"fabs", ABS}};

  const char *symbol = as_ttir_attribute_of(op, "symbol");
  static const char prefix[] = "\"__nv_";
  if (symbol && strncmp(symbol, prefix, sizeof prefix - 1) == 0) {
    const char *name = symbol + sizeof prefix - 1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
      size_t n = strlen(known[i].name);
      bool same = strncmp(name, known[i].name, n) == 0 &&
                  (strcmp(name + n, "\"") == 0 || strcmp(name + n, "f\"") == 0);
      if (same && op->n_operand == 1)
        return lift_function(lift, op, (int)known[i].which);
    }
    if ((strcmp(name, "pow\"") == 0 || strcmp(name, "powf\"") == 0) && op->n_operand == 2)
      return lift_power(lift, op, 0);
  }
  return ttir_refuse(lift, op, symbol ? symbol : "a function without a name");
}

static bool lift_same(ttir_lift *lift, const as_ttir_op *op, int code) {
  (void)code;
  lift->value[op->result[0]] = *ttir_operand(lift, op, 0);
  return true;
}

static bool lift_bitcast(ttir_lift *lift, const as_ttir_op *op, int code) {
  const as_ttir_type *from = ttir_type_of(lift, op->operand[0]);
  const as_ttir_type *to = ttir_type_of(lift, op->result[0]);
  if (from->kind == to->kind && from->bits == to->bits && from->brain == to->brain &&
      from->floating == to->floating)
    return lift_same(lift, op, code);
  /* a truth in memory is a byte */
  if (from->kind == AS_TTIR_POINTER && to->kind == AS_TTIR_POINTER && from->bits == 1 &&
      to->bits == 8 && !from->floating && !to->floating)
    return lift_same(lift, op, code);
  return ttir_refuse(lift, op, "the bits of a number have no meaning here");
}

const ttir_row ttir_elementwise[] = {
    {"arith.constant", lift_constant, 0, "", ".", TTIR_LANE_WISE},
    {"arith.addi", lift_arith, TTIR_N_ADD, "i=", "=", TTIR_LANE_WISE},
    {"arith.subi", lift_arith, TTIR_N_SUB, "i=", "=", TTIR_LANE_WISE},
    {"arith.muli", lift_arith, TTIR_N_MUL, "i=", "=", TTIR_LANE_WISE},
    {"arith.divsi", lift_arith, TTIR_N_DIV, "i=", "=", TTIR_LANE_WISE},
    {"arith.remsi", lift_arith, TTIR_N_MOD, "i=", "=", TTIR_LANE_WISE},
    {"arith.divui", lift_unsigned, TTIR_N_DIV, "i=", "=", TTIR_LANE_WISE},
    {"arith.remui", lift_unsigned, TTIR_N_MOD, "i=", "=", TTIR_LANE_WISE},
    {"arith.shli", lift_shift, LEFT, "i=", "=", TTIR_LANE_WISE},
    {"arith.shrsi", lift_shift, RIGHT_SIGNED, "i=", "=", TTIR_LANE_WISE},
    {"arith.shrui", lift_shift, RIGHT_UNSIGNED, "i=", "=", TTIR_LANE_WISE},
    {"arith.andi", lift_and, 0, "i=", "=", TTIR_LANE_WISE},
    {"arith.ori", lift_or, 0, "i=", "=", TTIR_LANE_WISE},
    {"arith.xori", lift_xor, 0, "i=", "=", TTIR_LANE_WISE},
    {"arith.maxsi", lift_integer_extreme, 1, "i=", "=", TTIR_LANE_WISE},
    {"arith.minsi", lift_integer_extreme, 0, "i=", "=", TTIR_LANE_WISE},
    {"arith.extsi", lift_widen, -1, "i", "i", TTIR_LANE_WISE},
    {"arith.extui", lift_widen, 1, "i", "i", TTIR_LANE_WISE},
    {"arith.index_cast", lift_widen, -1, "i", "i", TTIR_LANE_WISE},
    {"arith.trunci", lift_narrow, 0, "i", "i", TTIR_LANE_WISE},
    {"arith.sitofp", lift_to_real, -1, "i", "f", TTIR_LANE_WISE},
    {"arith.uitofp", lift_to_real, 1, "i", "f", TTIR_LANE_WISE},
    {"arith.cmpi", lift_compare, 0, "i=", "t", TTIR_LANE_WISE},
    {"arith.cmpf", lift_compare, 1, "f=", "t", TTIR_LANE_WISE},
    {"arith.select", lift_select, 0, "t.2", "2", TTIR_CHOOSES},
    {"arith.addf", lift_add, 0, "f=", "=", TTIR_LANE_WISE},
    {"arith.subf", lift_add, 1, "f=", "=", TTIR_LANE_WISE},
    {"arith.mulf", lift_multiply, 0, "f=", "=", TTIR_LANE_WISE},
    {"arith.divf", lift_divide, 0, "f=", "=", TTIR_LANE_WISE},
    {"tt.precise_divf", lift_divide, 0, "f=", "=", TTIR_LANE_WISE},
    {"arith.negf", lift_negate, 0, "f", "=", TTIR_LANE_WISE},
    {"arith.maxnumf", lift_extreme, 1, "f=", "=", TTIR_LANE_WISE},
    {"arith.maximumf", lift_extreme, 1, "f=", "=", TTIR_LANE_WISE},
    {"arith.minnumf", lift_extreme, 0, "f=", "=", TTIR_LANE_WISE},
    {"arith.minimumf", lift_extreme, 0, "f=", "=", TTIR_LANE_WISE},
    {"tt.clampf", lift_clamp, 0, "f==", "=", TTIR_LANE_WISE},
    {"math.fma", lift_fma, 0, "f==", "=", TTIR_LANE_WISE},
    {"math.exp", lift_function, EXP, "f", "=", TTIR_LANE_WISE},
    {"math.exp2", lift_function, EXP2, "f", "=", TTIR_LANE_WISE},
    {"math.expm1", lift_function, EXPM1, "f", "=", TTIR_LANE_WISE},
    {"math.log", lift_function, LOG, "f", "=", TTIR_LANE_WISE},
    {"math.log2", lift_function, LOG2, "f", "=", TTIR_LANE_WISE},
    {"math.log1p", lift_function, LOG1P, "f", "=", TTIR_LANE_WISE},
    {"math.sqrt", lift_function, SQRT, "f", "=", TTIR_LANE_WISE},
    {"tt.precise_sqrt", lift_function, SQRT, "f", "=", TTIR_LANE_WISE},
    {"math.rsqrt", lift_function, RSQRT, "f", "=", TTIR_LANE_WISE},
    {"math.sin", lift_function, SIN, "f", "=", TTIR_LANE_WISE},
    {"math.cos", lift_function, COS, "f", "=", TTIR_LANE_WISE},
    {"math.tanh", lift_function, TANH, "f", "=", TTIR_LANE_WISE},
    {"math.erf", lift_function, ERF, "f", "=", TTIR_LANE_WISE},
    {"math.floor", lift_function, FLOOR, "f", "=", TTIR_LANE_WISE},
    {"math.ceil", lift_function, CEIL, "f", "=", TTIR_LANE_WISE},
    {"math.absf", lift_function, ABS, "f", "=", TTIR_LANE_WISE},
    {"math.powf", lift_power, 0, "f=", "=", TTIR_LANE_WISE},
    {"tt.extern_elementwise", lift_library, 0, "*", "f", TTIR_LANE_WISE},
    {"arith.extf", lift_same, 0, "f", "f", TTIR_LANE_WISE},
    {"arith.truncf", lift_same, 0, "f", "f", TTIR_LANE_WISE},
    {"tt.fp_to_fp", lift_same, 0, "f", "f", TTIR_LANE_WISE},
    {"tt.bitcast", lift_bitcast, 0, ".", ".", TTIR_LANE_WISE},
    {"arith.bitcast", lift_bitcast, 0, ".", ".", TTIR_LANE_WISE},
    {NULL, NULL, 0, NULL, NULL, TTIR_OTHER},
};
