/* Integers as sums of digits.  Includes normal forms.
 *
 * Where divisors are constants, an integer polynomial over x, x div a, x div (a*b), .. is a sum of
 * constants times *digits*: (x div a) mod b, written x div a - b*(x div (a*b)), is at least 0 and
 * below its radix b; the last one, x div a, has the range that x has.  What is a sum of digits has
 * bounds, its quotients by constants are sums of digits, and each digit can be read off the sum
 * where those below do not reach its coefficient. */
#ifndef AS_PV_DIGITS_H
#define AS_PV_DIGITS_H
#include "pv_norm.h"

enum { PV_MAX_DIGITS = 24 };

/* of an integer term, each end with its theorem; PV_NONE: not known */
typedef struct {
  int64_t least;
  pv_thm low; /* least <= term */
  int64_t size;
  pv_thm high; /* term < size */
} pv_range;

typedef struct {
  ck_id base;
  int64_t weight;
  int64_t radix; /* of the last one: what its range says; 0: it has no upper end */
  int64_t coef;  /* in the sum; not 0 */
  ck_id term;
  int64_t least; /* with the next three as in pv_range */
  pv_thm low;
  int64_t size;
  pv_thm high;
} pv_digit;

typedef struct {
  pv_digit digit[PV_MAX_DIGITS];
  uint32_t n;
  int64_t constant;
} pv_digits;

/* false: the term is no polynomial of integers with such coefficients, or a number is too large */
bool pv_digits_read(pv *prover, pv_ctx ctx, ck_id term, pv_digits *out);
/* the same of a difference, in which summands of a sum that is divided may have cancelled */
bool pv_digits_of_difference(pv *prover, pv_ctx ctx, ck_id term, pv_digits *out);
/* the same with sums as wholes that an order of the context bounds */
bool pv_digits_of_bounded(pv *prover, pv_ctx ctx, ck_id term, pv_digits *out);

/* parts that digits.c, digits_read.c and digits_solve.c share: which sums are taken as wholes
 * (those that are divided; also where summands of them have cancelled; first those that the context
 * bounds); a sum's digits without ranges; a constant that is an integer and not too large; is a
 * number small enough to be multiplied; base div
 * weight; a sum as a term; the least and the greatest value that its digits allow, false where one
 * is not known; dividend div divisor = quotient where the rest, their difference, is in range */
typedef enum { PV_DIVIDED, PV_CANCELLED, PV_BOUNDED } pv_sums_way;

bool pv_digits_sum(pv *prover, pv_ctx ctx, ck_id term, pv_sums_way way, pv_digits *out);
bool pv_digits_integer(const pv *prover, ck_id term, int64_t *value);
bool pv_digits_within(int64_t number);
ck_id pv_digits_part(pv *prover, ck_id base, int64_t weight);
ck_id pv_digits_term(pv *prover, const pv_digits *sum);
bool pv_digits_extremes(const pv_digits *sum, int64_t *least, int64_t *most);
pv_eqn pv_digits_divided(pv *prover, ck_id dividend, int64_t divisor, ck_id quotient,
                         const pv_digits *rest);
/* 0 <= term by the bounds of its digits */
pv_thm pv_digits_nonneg(pv *prover, pv_ctx ctx, ck_id term);
/* dividend div divisor, a constant, by digits; PV_REFL: they say no more of it; PV_NONE: it is no
 * sum of digits */
pv_eqn pv_digits_quotient(pv *prover, pv_ctx ctx, ck_id dividend, ck_id divisor);

/* What the variable k, 0 <= k < bound, is where 0 <= gap < width, read off the gap, which is what
 * other things are less a sum of digits, those of k among them.  *is_q: k = q, from the theorems
 * not_before: 0 <= gap, and not_after: gap < width.  CK_BAD: it is not found. */
typedef struct {
  ck_id gap;
  int64_t width;
  pv_thm not_before;
  pv_thm not_after;
  bool relative; /* k may be said by what else the digits are of */
} pv_window;

/* Where digits lie apart, as strides leave gaps: what the same theorems say beside k = q, and say
 * together: that each group of digits but the highest, read off the others, is below a number; and
 * what the other sums of digits are. */
enum { PV_MOST_CONSEQUENCES = 4 };

typedef struct {
  pv_thm thm[PV_MOST_CONSEQUENCES];
  uint32_t n; /* 0: digits do not lie apart, or there are more of these */
} pv_consequences;

/* also: may be NULL */
ck_id pv_digits_solve(pv *prover, pv_ctx ctx, ck_id k, const pv_window *window, pv_thm *is_q,
                      pv_consequences *also);
/* term, which is the sum, is less than the least number that its digits do not reach */
pv_thm pv_digits_below(pv *prover, const pv_digits *sum, ck_id term);

/* the formula left # right: were they the same, a digit of them would say x = y, where the context
 * has x < y */
pv_thm pv_digits_differ(pv *prover, pv_ctx ctx, ck_id formula);

/* quot.c: (x div b) div a = x div (b*a), where both divisors are positive */
pv_eqn pv_nested_quotient(pv *prover, pv_ctx ctx, ck_id inner_div, ck_id divisor, pv_thm ap);
#endif
