/* Intervals whose ends are doubles: as those of domain_interval.c, and fast enough for programs
 * with millions of elements.  What a sum, a product, a quotient or a root leaves out is computed
 * (error-free transformations, doubles are rounded to nearest), so an end moves outwards only where
 * something was left out, and integers stay integers; other functions are MPFR's. */
#include "domain.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double lo;
  double hi;
  unsigned flags;
} ends;

enum { DOUBLE_BITS = 53 };

/* below this, what a product or a quotient leaves out may have no double of its own */
static const double SMALL = 0x1p-900;

static ends *of(void *x) {
  return x;
}

static const ends *in(const void *x) {
  return x;
}

static double below(double x) {
  return nextafter(x, -INFINITY);
}

static double above(double x) {
  return nextafter(x, INFINITY);
}

/* the interval about a rounded result: rest has the sign of the exact one less the rounded one;
 * where it is no number, nothing is known of it */
static void about(double rounded, double rest, double *lo, double *hi) {
  bool far = !isfinite(rounded);
  *lo = far ? (rounded > 0 ? DBL_MAX : rounded) : rest >= 0 ? rounded : below(rounded);
  *hi = far ? (rounded < 0 ? -DBL_MAX : rounded) : rest <= 0 ? rounded : above(rounded);
}

static void whole(ends *result, unsigned flags) {
  *result = (ends){-INFINITY, INFINITY, result->flags | flags};
}

static void b_init(const as_domain *domain, void *x) {
  (void)domain;
  *of(x) = (ends){0, 0, 0};
}

static void b_clear(const as_domain *domain, void *x) {
  (void)domain;
  (void)x;
}

static void b_set(const as_domain *domain, void *result, const void *value) {
  (void)domain;
  *of(result) = *in(value);
}

static void b_from_q(const as_domain *domain, void *result, mpq_srcptr value) {
  (void)domain;
  mpfr_t end;
  mpfr_init2(end, DOUBLE_BITS);
  ends made = {.flags = 0};
  mpfr_set_q(end, value, MPFR_RNDD);
  made.lo = mpfr_get_d(end, MPFR_RNDD);
  mpfr_set_q(end, value, MPFR_RNDU);
  made.hi = mpfr_get_d(end, MPFR_RNDU);
  mpfr_clear(end);
  *of(result) = made;
}

/* the ends of a sum; one that may be of no bound (infinity less infinity) has none */
static void sum_of(double x, double y, double *lo, double *hi) {
  double sum = x + y;
  double part = sum - x;
  double rest = (x - (sum - part)) + (y - part);
  if (!isfinite(x) || !isfinite(y)) {
    *lo = isnan(sum) ? -INFINITY : sum;
    *hi = isnan(sum) ? INFINITY : sum;
    return;
  }
  about(sum, isfinite(sum) ? rest : 0, lo, hi);
}

static void b_add(const as_domain *domain, void *result, const void *left, const void *right) {
  (void)domain;
  ends made = {.flags = in(left)->flags | in(right)->flags};
  double unused;
  sum_of(in(left)->lo, in(right)->lo, &made.lo, &unused);
  sum_of(in(left)->hi, in(right)->hi, &unused, &made.hi);
  *of(result) = made;
}

static ends negated(const ends *value) {
  return (ends){-value->hi, -value->lo, value->flags};
}

static void b_sub(const as_domain *domain, void *result, const void *left, const void *right) {
  ends turned = negated(in(right));
  b_add(domain, result, left, &turned);
}

static void product_of(double x, double y, double *lo, double *hi) {
  double product = x * y;
  if (x == 0 || y == 0 || !isfinite(x) || !isfinite(y)) {
    *lo = isnan(product) ? -INFINITY : product;
    *hi = isnan(product) ? INFINITY : product;
  } else if (fabs(product) < SMALL) {
    *lo = below(product);
    *hi = above(product);
  } else {
    about(product, isfinite(product) ? fma(x, y, -product) : 0, lo, hi);
  }
}

static void b_mul(const as_domain *domain, void *result, const void *left, const void *right) {
  (void)domain;
  ends made = {.flags = in(left)->flags | in(right)->flags};
  for (int i = 0; i < 4; i++) {
    double lo;
    double hi;
    product_of(i & 1 ? in(left)->hi : in(left)->lo, i & 2 ? in(right)->hi : in(right)->lo, &lo,
               &hi);
    made.lo = i == 0 || lo < made.lo ? lo : made.lo;
    made.hi = i == 0 || hi > made.hi ? hi : made.hi;
  }
  *of(result) = made;
}

/* of a number that is not 0 */
static void inverse_of(double x, double *lo, double *hi) {
  double inverse = 1 / x;
  if (isinf(x)) {
    *lo = *hi = 0;
  } else if (fabs(inverse) < SMALL || fabs(x) < SMALL) {
    *lo = below(inverse);
    *hi = above(inverse);
  } else { /* 1 - x*inverse, which is exact, has the sign of what is left out times that of x */
    double rest = -fma(x, inverse, -1);
    about(inverse, x < 0 ? -rest : rest, lo, hi);
  }
}

static void invert(ends *result, const ends *value) {
  if (value->lo == 0 && value->hi == 0) {
    whole(result, AS_F_UNDEF);
  } else if (value->lo <= 0 && value->hi >= 0) {
    whole(result, AS_F_DOUBT);
  } else {
    double lo = value->lo;
    double unused;
    inverse_of(value->hi, &result->lo, &unused);
    inverse_of(lo, &unused, &result->hi);
  }
}

static double root_end(double x, bool upper) {
  double root = sqrt(x);
  double lo = root;
  double hi = root;
  if (isfinite(x) && x > 0 && x < SMALL) {
    lo = below(root);
    hi = above(root);
  } else if (isfinite(x) && x > 0) {
    about(root, -fma(root, root, -x), &lo, &hi);
  }
  return upper ? hi : lo;
}

typedef int point_function(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t direction);

/* the function's value at x, rounded that way */
static double point_at(point_function *value, double x, mpfr_rnd_t direction) {
  mpfr_t at;
  mpfr_t made;
  mpfr_inits2(DOUBLE_BITS, at, made, (mpfr_ptr)0);
  mpfr_set_d(at, x, direction);
  value(made, at, direction);
  double result = mpfr_get_d(made, direction);
  mpfr_clears(at, made, (mpfr_ptr)0);
  return result;
}

static void take_logarithm(ends *result, const ends *value) {
  double lo = value->lo;
  if (value->hi <= 0) {
    whole(result, AS_F_UNDEF);
    return;
  }
  result->hi = point_at(mpfr_log, value->hi, MPFR_RNDU);
  result->lo = lo > 0 ? point_at(mpfr_log, lo, MPFR_RNDD) : -INFINITY;
  result->flags |= lo > 0 ? 0 : AS_F_DOUBT;
}

static void take_root(ends *result, const ends *value) {
  double lo = value->lo;
  if (value->hi < 0) {
    whole(result, AS_F_UNDEF);
    return;
  }
  result->hi = root_end(value->hi, true);
  result->lo = lo < 0 ? 0 : root_end(lo, false);
  result->flags |= lo < 0 ? AS_F_DOUBT : 0;
}

static void b_un(const as_domain *domain, as_unop op, void *result, const void *value) {
  (void)domain;
  ends given = *in(value);
  ends *made = of(result);
  *made = given;
  if (given.flags & AS_F_NOVALUE)
    return;
  switch (op) {
  case AS_U_NEG:
    *made = negated(&given);
    return;
  case AS_U_INV:
    invert(made, &given);
    return;
  case AS_U_EXP:
    made->lo = point_at(mpfr_exp, given.lo, MPFR_RNDD);
    made->hi = point_at(mpfr_exp, given.hi, MPFR_RNDU);
    return;
  case AS_U_LOG:
    take_logarithm(made, &given);
    return;
  case AS_U_SQRT:
    take_root(made, &given);
    return;
  }
}

static unsigned b_cmp(const as_domain *domain, const void *left, const void *right) {
  (void)domain;
  unsigned may = in(left)->lo < in(right)->hi ? AS_C_LT : 0;
  may |= in(left)->hi > in(right)->lo ? AS_C_GT : 0;
  may |= in(left)->lo <= in(right)->hi && in(right)->lo <= in(left)->hi ? AS_C_EQ : 0;
  return may ? may : AS_C_ANY;
}

static void b_join(const as_domain *domain, void *result, const void *left, const void *right) {
  (void)domain;
  ends a = *in(left);
  ends b = *in(right);
  if ((a.flags | b.flags) & AS_F_NOVALUE)
    *of(result) = (ends){-INFINITY, INFINITY, (a.flags & b.flags & AS_F_UNDEF) | AS_F_DOUBT};
  else
    *of(result) = (ends){fmin(a.lo, b.lo), fmax(a.hi, b.hi), a.flags | b.flags};
}

static unsigned b_flags(const as_domain *domain, const void *value) {
  (void)domain;
  return in(value)->flags;
}

static void b_flag(const as_domain *domain, void *result, unsigned flags) {
  (void)domain;
  of(result)->flags |= flags;
}

/* A function that brings no two arguments further apart: its value at lo, give or take the width.
 */
static void contracted(ends *result, const ends *value, point_function *function,
                       const as_builtin_row *row) {
  double width;
  double unused;
  sum_of(value->hi, -value->lo, &unused, &width);
  result->lo = -INFINITY;
  result->hi = INFINITY;
  if (isfinite(value->lo) && isfinite(width)) {
    sum_of(point_at(function, value->lo, MPFR_RNDD), -width, &result->lo, &unused);
    sum_of(point_at(function, value->lo, MPFR_RNDU), width, &unused, &result->hi);
  }
  result->lo = fmax(result->lo, row->least);
  result->hi = fmin(result->hi, row->most);
}

static bool b_builtin(const as_domain *domain, const char *name, void *result,
                      const void *const *arg, uint32_t n) {
  (void)domain;
  as_builtin builtin = as_builtin_find(name, n);
  if (builtin == AS_N_BUILTINS)
    return false;
  ends value = *in(arg[0]);
  ends *made = of(result);
  made->flags = value.flags;
  if (as_builtin_rows[builtin].shape == AS_BUILTIN_INCREASES) {
    made->lo = point_at(as_builtin_point[builtin], value.lo, MPFR_RNDD);
    made->hi = point_at(as_builtin_point[builtin], value.hi, MPFR_RNDU);
  } else {
    contracted(made, &value, as_builtin_point[builtin], &as_builtin_rows[builtin]);
  }
  return true;
}

static char *b_print(const as_domain *domain, const void *value) {
  (void)domain;
  if (in(value)->flags & AS_F_UNDEF)
    return as_strdup("undefined");
  return in(value)->lo == in(value)->hi ? as_format("%.17g", in(value)->lo)
                                        : as_format("[%.17g, %.17g]", in(value)->lo, in(value)->hi);
}

static bool b_to_int(const as_domain *domain, const void *element, int64_t *value) {
  (void)domain;
  double x = in(element)->lo;
  bool is_whole = x == in(element)->hi && fabs(x) < 0x1p53 && floor(x) == x;
  *value = is_whole ? (int64_t)x : 0;
  return is_whole;
}

const as_domain as_domain_bounds = {
    "bounds", sizeof(ends), NULL,   b_init,  b_clear, b_set,     b_from_q, b_add,    b_sub, b_mul,
    b_un,     b_cmp,        b_join, b_flags, b_flag,  b_builtin, b_print,  b_to_int, NULL,  0};
