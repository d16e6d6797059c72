/* Degrees of the elements of the field domain, from which the error bound of a test is computed.
 * Includes libc only.  Private to semantics/domain_field.c. */
#ifndef AS_FIELD_DEGREES_H
#define AS_FIELD_DEGREES_H
#include <stdbool.h>
#include <stdint.h>

/* Degrees of an element as a quotient of sums of (polynomial times exponential): of the
 * polynomials, number of the exponentials, and of the exponents.  _num, _den: of numerator and
 * denominator. */
typedef struct {
  double degree_num; /* in the p-parts of the inputs */
  double degree_den;
  double terms_num; /* how many different exponentials stand in each, at most */
  double terms_den;
  double exp_num; /* affine exponents: sum of |coefficients| of one term, at most, in units of
                     1/exp_unit */
  double exp_den;
  double clear_num; /* and what clears the negative ones: the sum over the variables of the greatest
                       negative coefficient */
  double clear_den;
  double exp_unit;
  double odd_degree; /* of exponents that are not affine */
  double form_sum;   /* the element as an affine form: sum of |coefficients|, in units of
                        1/form_unit */
  double form_unit;
  double const_num; /* a constant: its value */
  double const_den;
  uint64_t den;   /* fingerprint of the denominator: equal ones need no common denominator */
  uint64_t roots; /* which square roots occur */
  bool affine;
  bool constant;
  bool other;  /* an exponent is not affine */
  bool many;   /* more than 64 roots */
  bool lawful; /* a function that laws speak of stands in it: two values may differ here and be
                  equal among the reals */
  bool drawn;  /* made with a number that was drawn from a few, and is none of the random ones */
} as_degrees;

as_degrees as_degrees_sum(as_degrees one, as_degrees other);
as_degrees as_degrees_product(as_degrees one, as_degrees other);
/* brings both to exponents in one unit */
void as_degrees_align(as_degrees *one, as_degrees *other);
/* what is true of any element that is made of the two: its roots and what its exponents are */
void as_degrees_union(as_degrees *result, const as_degrees *one, const as_degrees *other);

#endif
