#include "stable.h"
#include <stddef.h>

static as_shape shape(const as_scalar_view *v, as_scalar_ref e) {
  return v->shape(v->of, e);
}

static as_scalar_ref kid(const as_scalar_view *v, as_scalar_ref e, int i) {
  return v->kid(v->of, e, i);
}

static bool is_number(const as_scalar_view *v, as_scalar_ref e, double value) {
  if (shape(v, e) != AS_SHAPE_NUMBER)
    return false;
  double is = v->number(v->of, e);
  return is <= value && value <= is;
}

/* e = number + *x */
static bool adds_to(const as_scalar_view *v, as_scalar_ref e, double number, as_scalar_ref *x) {
  as_shape op = shape(v, e);
  if (op != AS_SHAPE_ADD && op != AS_SHAPE_SUB)
    return false;
  *x = kid(v, e, 0);
  if (is_number(v, kid(v, e, 1), op == AS_SHAPE_ADD ? number : -number))
    return true;
  *x = kid(v, e, 1);
  return op == AS_SHAPE_ADD && is_number(v, kid(v, e, 0), number);
}

/* e = number - *x */
static bool taken_from(const as_scalar_view *v, as_scalar_ref e, double number, as_scalar_ref *x) {
  if (shape(v, e) != AS_SHAPE_SUB || !is_number(v, kid(v, e, 0), number))
    return false;
  *x = kid(v, e, 1);
  return true;
}

static bool exponential(const as_scalar_view *v, as_scalar_ref e, as_scalar_ref *x) {
  if (shape(v, e) != AS_SHAPE_EXP)
    return false;
  *x = kid(v, e, 0);
  return true;
}

/* e = factor * *x */
static bool multiple(const as_scalar_view *v, as_scalar_ref e, double factor, as_scalar_ref *x) {
  if (shape(v, e) == AS_SHAPE_NEG && factor < 0 && factor + 1 >= 0) {
    *x = kid(v, e, 0);
    return true;
  }
  if (shape(v, e) != AS_SHAPE_MUL)
    return false;
  for (int i = 0; i < 2; i++) {
    *x = kid(v, e, 1 - i);
    if (is_number(v, kid(v, e, i), factor))
      return true;
  }
  return false;
}

/* e = exp(factor * *x) */
static bool power(const as_scalar_view *v, as_scalar_ref e, double factor, as_scalar_ref *x) {
  as_scalar_ref exponent;
  return exponential(v, e, &exponent) && multiple(v, exponent, factor, x);
}

/* 1 - 2 / (exp(2 x) + 1) */
static bool tanh_by_one(const as_scalar_view *v, as_scalar_ref e, as_scalar_ref *x) {
  as_scalar_ref over;
  as_scalar_ref below;
  return taken_from(v, e, 1, &over) && shape(v, over) == AS_SHAPE_DIV &&
         is_number(v, kid(v, over, 0), 2) && adds_to(v, kid(v, over, 1), 1, &below) &&
         power(v, below, 2, x);
}

/* (exp(2 x) - 1) / (exp(2 x) + 1), (1 - exp(-2 x)) / (1 + exp(-2 x)) */
static bool tanh_by_square(const as_scalar_view *v, as_scalar_ref e, as_scalar_ref *x) {
  as_scalar_ref above;
  as_scalar_ref below;
  if (shape(v, e) != AS_SHAPE_DIV || !adds_to(v, kid(v, e, 1), 1, &below))
    return false;
  if (adds_to(v, kid(v, e, 0), -1, &above))
    return v->same(v->of, above, below) && power(v, below, 2, x);
  return taken_from(v, kid(v, e, 0), 1, &above) && v->same(v->of, above, below) &&
         power(v, below, -2, x);
}

/* (exp(x) - exp(-x)) / (exp(x) + exp(-x)) */
static bool tanh_by_both(const as_scalar_view *v, as_scalar_ref e, as_scalar_ref *x) {
  as_scalar_ref exponent;
  if (shape(v, e) != AS_SHAPE_DIV)
    return false;
  as_scalar_ref above = kid(v, e, 0);
  as_scalar_ref below = kid(v, e, 1);
  return shape(v, above) == AS_SHAPE_SUB && shape(v, below) == AS_SHAPE_ADD &&
         v->same(v->of, kid(v, above, 0), kid(v, below, 0)) &&
         v->same(v->of, kid(v, above, 1), kid(v, below, 1)) &&
         exponential(v, kid(v, above, 0), x) && power(v, kid(v, above, 1), -1, &exponent) &&
         v->same(v->of, exponent, *x);
}

static as_stable tanh_of(const as_scalar_view *v, as_scalar_ref *x) {
  as_scalar_ref one_more;
  as_scalar_ref exponent;
  if (shape(v, *x) != AS_SHAPE_LOG || !adds_to(v, kid(v, *x, 0), 1, &one_more) ||
      !exponential(v, one_more, &exponent))
    return AS_STABLE_TANH;
  *x = one_more;
  return AS_STABLE_TANH_LOG1P;
}

static bool is_tanh(const as_scalar_view *v, as_scalar_ref e, as_scalar_ref *x) {
  return (tanh_by_one(v, e, x) || tanh_by_square(v, e, x) || tanh_by_both(v, e, x)) &&
         tanh_of(v, x) == AS_STABLE_TANH;
}

/* 1 - 1 / (1 + exp(x)) */
static bool sigmoid_by_one(const as_scalar_view *v, as_scalar_ref e, as_scalar_ref *x) {
  as_scalar_ref over;
  as_scalar_ref power;
  return taken_from(v, e, 1, &over) && shape(v, over) == AS_SHAPE_DIV &&
         is_number(v, kid(v, over, 0), 1) && adds_to(v, kid(v, over, 1), 1, &power) &&
         exponential(v, power, x);
}

static as_stable sum_or_difference(const as_scalar_view *v, as_scalar_ref e, as_scalar_ref *x) {
  as_scalar_ref part;
  if (tanh_by_one(v, e, x))
    return tanh_of(v, x);
  if (sigmoid_by_one(v, e, x))
    return AS_STABLE_SIGMOID;
  if (adds_to(v, e, -1, &part) && exponential(v, part, x))
    return AS_STABLE_EXPM1;
  if (adds_to(v, e, 1, &part) && is_tanh(v, part, x))
    return AS_STABLE_ONE_MORE_TANH;
  if (!taken_from(v, e, 1, &part))
    return AS_STABLE_NONE;
  return exponential(v, part, x) ? AS_STABLE_ONE_LESS_EXP
         : is_tanh(v, part, x)   ? AS_STABLE_ONE_LESS_TANH
                                 : AS_STABLE_NONE;
}

static as_stable logarithm(const as_scalar_view *v, as_scalar_ref e, as_scalar_ref *x) {
  as_scalar_ref exponent;
  if (taken_from(v, e, 1, x))
    return AS_STABLE_LOG1M;
  if (!adds_to(v, e, 1, x))
    return AS_STABLE_NONE;
  if (!exponential(v, *x, &exponent))
    return AS_STABLE_LOG1P;
  *x = exponent;
  return AS_STABLE_SOFTPLUS;
}

as_stable as_stable_form(const as_scalar_view *v, as_scalar_ref e, as_scalar_ref *x) {
  as_scalar_ref part;
  switch (shape(v, e)) {
  case AS_SHAPE_LOG:
    return logarithm(v, kid(v, e, 0), x);
  case AS_SHAPE_ADD:
  case AS_SHAPE_SUB:
    return sum_or_difference(v, e, x);
  case AS_SHAPE_DIV:
    if (tanh_by_square(v, e, x) || tanh_by_both(v, e, x))
      return tanh_of(v, x);
    return exponential(v, kid(v, e, 0), x) && adds_to(v, kid(v, e, 1), 1, &part) &&
                   v->same(v->of, part, kid(v, e, 0))
               ? AS_STABLE_SIGMOID
               : AS_STABLE_NONE;
  default:
    return AS_STABLE_NONE;
  }
}

const char *as_stable_name(as_stable form) {
  static const char *const names[AS_STABLE_COUNT] = {
#define S(id, name) [AS_STABLE_##id] = "as_" name,
      AS_STABLE_FORMS(S)
#undef S
  };
  return names[form];
}
