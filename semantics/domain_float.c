/* Floats as hardware rounds them, IEEE 754 throughout: infinities and NaN pass on. */
#include "domain_float.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <math.h>
#include <string.h>

#define DOUBLE(x) (*(double *)(x))
#define DOUBLE_CONST(x) (*(const double *)(x))

static const struct {
  double split; /* 2^(53 - bits of the significand) + 1 */
  double most;
  double normal; /* the least number that is no denormal */
  double least;
  double ulp;
} formats[AS_N_FLOATS] = {
    [AS_FLOAT_F32] = {0x1p29 + 1, 0x1.fffffep127, 0x1p-126, 0x1p-149, 0x1p-23},
    [AS_FLOAT_TF32] = {0x1p42 + 1, 0x1.ffcp127, 0x1p-126, 0x1p-136, 0x1p-10},
    [AS_FLOAT_BF16] = {0x1p45 + 1, 0x1.fep127, 0x1p-126, 0x1p-133, 0x1p-7},
    [AS_FLOAT_F16] = {0x1p42 + 1, 0x1.ffcp15, 0x1p-14, 0x1p-24, 0x1p-10},
    [AS_FLOAT_WIDE] = {1, 0x1.fffffffffffffp1023, 0x1p-1022, 0x1p-1074, 0x1p-52},
};

double as_float_most(as_float_format format) {
  return formats[format].most;
}

double as_float_normal(as_float_format format) {
  return formats[format].normal;
}

double as_float_least(as_float_format format) {
  return formats[format].least;
}

double as_float_ulp(as_float_format format) {
  return formats[format].ulp;
}

as_float_format as_float_format_of(as_dtype type) {
  static const as_float_format of[] = {[AS_F16] = AS_FLOAT_F16,
                                       [AS_BF16] = AS_FLOAT_BF16,
                                       [AS_F32] = AS_FLOAT_F32,
                                       [AS_INT] = AS_FLOAT_WIDE};
  return of[type];
}

double as_float_round(as_float_format format, double x) {
  if (format == AS_FLOAT_WIDE || x == 0 || !isfinite(x))
    return x;
  if (format == AS_FLOAT_F32)
    return (double)(float)x;
  double rounded;
  if (fabs(x) < formats[format].normal) {
    rounded = rint(x / formats[format].least) * formats[format].least;
  } else { /* Veltkamp's splitting: the leading bits */
    double scaled = x * formats[format].split;
    rounded = scaled - (scaled - x);
  }
  return fabs(rounded) > formats[format].most ? copysign(INFINITY, x) : rounded;
}

static const as_float_domain *floats_of(const as_domain *domain) {
  return domain->ctx;
}

static void rounded_to(const as_domain *domain, void *result, double x) {
  DOUBLE(result) = as_float_round(floats_of(domain)->step, x);
}

static void w_add(const as_domain *domain, void *result, const void *left, const void *right) {
  rounded_to(domain, result, DOUBLE_CONST(left) + DOUBLE_CONST(right));
}

static void w_sub(const as_domain *domain, void *result, const void *left, const void *right) {
  rounded_to(domain, result, DOUBLE_CONST(left) - DOUBLE_CONST(right));
}

static void w_mul(const as_domain *domain, void *result, const void *left, const void *right) {
  as_float_format factor = floats_of(domain)->factor;
  rounded_to(domain, result,
             as_float_round(factor, DOUBLE_CONST(left)) *
                 as_float_round(factor, DOUBLE_CONST(right)));
}

static void w_div(const as_domain *domain, void *result, const void *left, const void *right) {
  rounded_to(domain, result, DOUBLE_CONST(left) / DOUBLE_CONST(right));
}

static void w_un(const as_domain *domain, as_unop op, void *result, const void *value) {
  double x = DOUBLE_CONST(value);
  switch (op) {
  case AS_U_NEG:
    DOUBLE(result) = -x;
    return;
  case AS_U_INV:
    rounded_to(domain, result, 1 / x);
    return;
  case AS_U_EXP:
    rounded_to(domain, result, exp(x));
    return;
  case AS_U_LOG:
    rounded_to(domain, result, log(x));
    return;
  case AS_U_SQRT:
    rounded_to(domain, result, sqrt(x));
    return;
  }
}

static bool w_builtin(const as_domain *domain, const char *name, void *result,
                      const void *const *arg, uint32_t n) {
  if (!as_domain_double.builtin(domain, name, result, arg, n))
    return false;
  rounded_to(domain, result, DOUBLE(result));
  return true;
}

static char *w_print(const as_domain *domain, const void *value) {
  (void)domain;
  return as_format("%.9g", DOUBLE_CONST(value));
}

void as_float_domain_init(as_float_domain *floats, uint32_t part) {
  floats->step = AS_FLOAT_F32;
  floats->factor = AS_FLOAT_WIDE;
  floats->d = as_domain_double; /* elements are doubles: what computes nothing is the same */
  floats->d.name = "float";
  floats->d.ctx = floats;
  floats->d.add = w_add;
  floats->d.sub = w_sub;
  floats->d.mul = w_mul;
  floats->d.un = w_un;
  floats->d.builtin = w_builtin;
  floats->d.print = w_print;
  floats->d.div = w_div;
  floats->d.part = part;
}
