#include "field_degrees.h"
#include <math.h>

/* a common multiple of two units (exact while they are below 2^53; beyond, the bound is vacuous
 * anyway) */
static double unit(double one, double other) {
  return fmod(one, other) == 0 ? one : fmod(other, one) == 0 ? other : one * other;
}

static void exponents_in(as_degrees *degree, double unit_wanted) {
  double factor = unit_wanted / degree->exp_unit;
  degree->exp_num *= factor;
  degree->exp_den *= factor;
  degree->clear_num *= factor;
  degree->clear_den *= factor;
  degree->exp_unit = unit_wanted;
}

/* both with exponents in one unit */
void as_degrees_align(as_degrees *one, as_degrees *other) {
  double common = unit(one->exp_unit, other->exp_unit);
  exponents_in(one, common);
  exponents_in(other, common);
}

void as_degrees_union(as_degrees *result, const as_degrees *one, const as_degrees *other) {
  result->odd_degree = fmax(one->odd_degree, other->odd_degree);
  result->roots = one->roots | other->roots;
  result->many = one->many || other->many;
  result->lawful = one->lawful || other->lawful;
  result->drawn = one->drawn || other->drawn;
  result->other = one->other || other->other;
}

/* what holds of sum and product alike; aligns the two */
static as_degrees deg_of_both(as_degrees *one, as_degrees *other) {
  as_degrees result = {0};
  as_degrees_align(one, other);
  result.exp_unit = one->exp_unit;
  as_degrees_union(&result, one, other);
  result.constant = one->constant && other->constant;
  return result;
}

as_degrees as_degrees_sum(as_degrees one, as_degrees other) {
  as_degrees result = deg_of_both(&one, &other);
  result.affine = one.affine && other.affine;
  result.form_unit = unit(one.form_unit, other.form_unit);
  result.form_sum = one.form_sum * (result.form_unit / one.form_unit) +
                    other.form_sum * (result.form_unit / other.form_unit);
  result.const_num = one.const_num * other.const_den + other.const_num * one.const_den;
  result.const_den = one.const_den * other.const_den;
  if (result.constant && one.const_den == other.const_den) {
    result.const_num = one.const_num + other.const_num;
    result.const_den = one.const_den;
  }
  bool plain = one.exp_num == 0 && one.exp_den == 0 && !one.other && other.exp_num == 0 &&
               other.exp_den == 0 && !other.other;
  if (one.den == other.den) {
    result.degree_num = fmax(one.degree_num, other.degree_num);
    result.degree_den = fmax(one.degree_den, other.degree_den);
    result.terms_num = plain ? 1 : one.terms_num + other.terms_num;
    result.terms_den = fmax(one.terms_den, other.terms_den);
    result.exp_num = fmax(one.exp_num, other.exp_num);
    result.exp_den = fmax(one.exp_den, other.exp_den);
    result.clear_num = one.clear_num + other.clear_num;
    result.clear_den = fmax(one.clear_den, other.clear_den);
    result.den = one.den;
    return result;
  }
  result.degree_num = fmax(one.degree_num + other.degree_den, other.degree_num + one.degree_den);
  result.degree_den = one.degree_den + other.degree_den;
  result.terms_num = plain ? 1 : one.terms_num * other.terms_den + other.terms_num * one.terms_den;
  result.terms_den = plain ? 1 : one.terms_den * other.terms_den;
  result.exp_num = fmax(one.exp_num + other.exp_den, other.exp_num + one.exp_den);
  result.exp_den = one.exp_den + other.exp_den;
  result.clear_num = one.clear_num + other.clear_den + other.clear_num + one.clear_den;
  result.clear_den = one.clear_den + other.clear_den;
  result.den = one.den + other.den;
  return result;
}

as_degrees as_degrees_product(as_degrees one, as_degrees other) {
  as_degrees result = deg_of_both(&one, &other);
  result.affine = (one.affine && other.constant) || (one.constant && other.affine);
  result.form_sum = one.form_sum * other.form_sum; /* a constant's l1 is its numerator */
  result.form_unit = one.form_unit * other.form_unit;
  result.const_num = one.const_num * other.const_num;
  result.const_den = one.const_den * other.const_den;
  result.degree_num = one.degree_num + other.degree_num;
  result.degree_den = one.degree_den + other.degree_den;
  result.terms_num = one.terms_num * other.terms_num;
  result.terms_den = one.terms_den * other.terms_den;
  result.exp_num = one.exp_num + other.exp_num;
  result.exp_den = one.exp_den + other.exp_den;
  result.clear_num = one.clear_num + other.clear_num;
  result.clear_den = one.clear_den + other.clear_den;
  result.den = one.den + other.den;
  return result;
}
