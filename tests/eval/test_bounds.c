/* Intervals whose ends are doubles: they hold what rationals say, and what functions are; they are
 * narrow; what is exact stays so; what is undefined, or may be, is said. */
#include "../../semantics/domain.h"
#include "src/base/rng.h"
#include "tests/suite.h"
#include <math.h>
#include <stdlib.h>

static const as_domain *const bounds = &as_domain_bounds;

typedef struct {
  _Alignas(16) char at[64];
} element;

static element of_rational(mpq_srcptr value) {
  element made;
  bounds->init(bounds, &made);
  bounds->from_q(bounds, &made, value);
  return made;
}

static element of_double(double value) {
  mpq_t exact;
  mpq_init(exact);
  mpq_set_d(exact, value);
  element made = of_rational(exact);
  mpq_clear(exact);
  return made;
}

static bool holds(const element *interval, mpq_srcptr value) {
  element point = of_rational(value);
  return bounds->cmp(bounds, interval, &point) & AS_C_EQ;
}

/* a - b is within 2^-40 of the magnitude of a, or below 2^-300 */
static bool narrow(const element *value) {
  element width;
  element magnitude;
  element zero = of_double(0);
  element small = of_double(0x1p-40);
  element least = of_double(0x1p-300);
  bounds->sub(bounds, &width, value, value); /* from -width to width */
  bounds->set(bounds, &magnitude, value);
  if (bounds->cmp(bounds, value, &zero) == AS_C_LT)
    bounds->un(bounds, AS_U_NEG, &magnitude, value);
  bounds->mul(bounds, &magnitude, &magnitude, &small);
  bounds->add(bounds, &magnitude, &magnitude, &least);
  return bounds->cmp(bounds, &width, &magnitude) == AS_C_LT;
}

static void random_rational(as_rng *rng, mpq_ptr value) {
  mpq_set_si(value, (long)as_rng_below(rng, 2001) - 1000, 1 + as_rng_below(rng, 50));
  if (as_rng_below(rng, 3) == 0)
    mpq_mul_2exp(value, value, as_rng_below(rng, 60));
  if (as_rng_below(rng, 3) == 0)
    mpq_div_2exp(value, value, as_rng_below(rng, 60));
  mpq_canonicalize(value);
}

/* ever longer sums, products and quotients beside rationals */
START_TEST(arithmetic) {
  as_rng rng;
  as_rng_seed(&rng, 5);
  mpq_t exact;
  mpq_t other;
  mpq_inits(exact, other, NULL);
  for (int k = 0; k < 4000; k++) {
    random_rational(&rng, exact);
    element value = of_rational(exact);
    for (int step = 0; step < 6; step++) {
      random_rational(&rng, other);
      element operand = of_rational(other);
      uint64_t which = as_rng_below(&rng, 4);
      if (which == 0) {
        mpq_add(exact, exact, other);
        bounds->add(bounds, &value, &value, &operand);
      } else if (which == 1) {
        mpq_sub(exact, exact, other);
        bounds->sub(bounds, &value, &value, &operand);
      } else if (which == 2) {
        mpq_mul(exact, exact, other);
        bounds->mul(bounds, &value, &value, &operand);
      } else if (mpq_sgn(exact) != 0) {
        mpq_inv(exact, exact);
        bounds->un(bounds, AS_U_INV, &value, &value);
      }
      if (bounds->flags(bounds, &value) != 0) { /* about 0 it may be: begin again */
        random_rational(&rng, exact);
        value = of_rational(exact);
      }
      ck_assert_msg(holds(&value, exact), "the exact value %g is outside", mpq_get_d(exact));
    }
  }
  mpq_clears(exact, other, NULL);
}

END_TEST

static double erf_of(double x) {
  return erf(x);
}

/* functions beside the C library, which is right within some units in the last place */
START_TEST(functions) {
  static const struct {
    const char *name; /* NULL: `op` */
    as_unop op;
    double (*value)(double);
    double from;
    double to;
  } row[] = {
      {NULL, AS_U_EXP, exp, -600, 600}, {NULL, AS_U_LOG, log, 1e-9, 1e9},
      {NULL, AS_U_SQRT, sqrt, 0, 1e12}, {"sin", AS_U_NEG, sin, -50, 50},
      {"cos", AS_U_NEG, cos, -50, 50},  {"erf", AS_U_NEG, erf_of, -4, 4},
  };

  as_rng rng;
  as_rng_seed(&rng, 6);
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    for (int i = 0; i < 2000; i++) {
      double x =
          row[k].from + (row[k].to - row[k].from) * (double)as_rng_below(&rng, 1 << 30) / (1 << 30);
      element at = of_double(x);
      element got;
      bounds->init(bounds, &got);
      const void *argument = &at;
      if (row[k].name)
        ck_assert(bounds->builtin(bounds, row[k].name, &got, &argument, 1));
      else
        bounds->un(bounds, row[k].op, &got, &at);
      double wanted = row[k].value(x);
      double slack = fabs(wanted) * 0x1p-50 + 0x1p-1000;
      element least = of_double(wanted - slack);
      element most = of_double(wanted + slack);
      ck_assert(bounds->cmp(bounds, &got, &least) & AS_C_GT);
      ck_assert(bounds->cmp(bounds, &got, &most) & AS_C_LT);
      ck_assert_msg(narrow(&got), "row %zu at %.17g is wide", k, x);
    }
  }
}

END_TEST

static unsigned flags_of(as_unop op, double x) {
  element at = of_double(x);
  bounds->un(bounds, op, &at, &at);
  return bounds->flags(bounds, &at);
}

START_TEST(edges) {
  int64_t whole;
  element big = of_double(0x1p52);
  element one = of_double(1);
  bounds->add(bounds, &big, &big, &one);
  ck_assert(bounds->to_int(bounds, &big, &whole) && whole == ((int64_t)1 << 52) + 1);
  element tenth;
  mpq_t exact;
  mpq_init(exact);
  mpq_set_ui(exact, 1, 10);
  tenth = of_rational(exact);
  ck_assert(!bounds->to_int(bounds, &tenth, &whole) && holds(&tenth, exact) && narrow(&tenth));
  mpq_set_d(exact, 0.1); /* not the same number: it is not told apart, rightly */
  ck_assert(holds(&tenth, exact));
  mpq_clear(exact);
  ck_assert_uint_eq(flags_of(AS_U_INV, 0), AS_F_UNDEF);
  ck_assert_uint_eq(flags_of(AS_U_LOG, 0), AS_F_UNDEF);
  ck_assert_uint_eq(flags_of(AS_U_SQRT, -1), AS_F_UNDEF);
  ck_assert_uint_eq(flags_of(AS_U_SQRT, 0), 0);
  element zero;
  bounds->sub(bounds, &zero, &tenth, &tenth); /* about 0 */
  bounds->un(bounds, AS_U_INV, &zero, &zero);
  ck_assert_uint_eq(bounds->flags(bounds, &zero), AS_F_DOUBT);
  /* what overflows, or vanishes, is not known better than that */
  element huge = of_double(1e308);
  bounds->mul(bounds, &huge, &huge, &huge);
  element most = of_double(1.7e308);
  ck_assert(bounds->cmp(bounds, &huge, &most) & AS_C_GT);
  ck_assert(!bounds->to_int(bounds, &huge, &whole));
  element tiny = of_double(1e-200);
  element none = of_double(0);
  bounds->mul(bounds, &tiny, &tiny, &tiny);
  ck_assert(bounds->cmp(bounds, &tiny, &none) & AS_C_GT);
  ck_assert(!bounds->to_int(bounds, &tiny, &whole));
  /* infinity less infinity */
  bounds->sub(bounds, &huge, &huge, &huge);
  ck_assert_uint_eq(bounds->cmp(bounds, &huge, &one), AS_C_ANY);
}

END_TEST

int main(void) {
  TCase *tests = test_case("bounds", 30);
  tcase_add_test(tests, arithmetic);
  tcase_add_test(tests, functions);
  tcase_add_test(tests, edges);
  return test_run("bounds", tests);
}
