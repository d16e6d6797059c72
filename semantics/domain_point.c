/* Real numbers as MPFR has them: one point each, rounded to nearest, with infinities and NaN.  What
 * programs in floats are compared with: at enough bits no cancellation of theirs is one here. */
#include "domain.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <string.h>

#define POINT(x) ((mpfr_ptr)(x))
#define POINT_CONST(x) ((mpfr_srcptr)(x))

static void p_init(const as_domain *domain, void *x) {
  mpfr_init2(POINT(x), *(const long *)domain->ctx);
  mpfr_set_zero(POINT(x), 1);
}

static void p_clear(const as_domain *domain, void *x) {
  (void)domain;
  mpfr_clear(POINT(x));
}

static void p_set(const as_domain *domain, void *result, const void *value) {
  (void)domain;
  mpfr_set(POINT(result), POINT_CONST(value), MPFR_RNDN);
}

static void p_from_q(const as_domain *domain, void *result, mpq_srcptr value) {
  (void)domain;
  mpfr_set_q(POINT(result), value, MPFR_RNDN);
}

#define POINT_OPERATION(name, operation)                                                           \
  static void name(const as_domain *domain, void *result, const void *left, const void *right) {   \
    (void)domain;                                                                                  \
    operation(POINT(result), POINT_CONST(left), POINT_CONST(right), MPFR_RNDN);                    \
  }

POINT_OPERATION(p_add, mpfr_add)
POINT_OPERATION(p_sub, mpfr_sub)
POINT_OPERATION(p_mul, mpfr_mul)
POINT_OPERATION(p_div, mpfr_div)

static void p_un(const as_domain *domain, as_unop op, void *result, const void *value) {
  (void)domain;
  switch (op) {
  case AS_U_NEG:
    mpfr_neg(POINT(result), POINT_CONST(value), MPFR_RNDN);
    return;
  case AS_U_INV:
    mpfr_ui_div(POINT(result), 1, POINT_CONST(value), MPFR_RNDN);
    return;
  case AS_U_EXP:
    mpfr_exp(POINT(result), POINT_CONST(value), MPFR_RNDN);
    return;
  case AS_U_LOG:
    mpfr_log(POINT(result), POINT_CONST(value), MPFR_RNDN);
    return;
  case AS_U_SQRT:
    mpfr_sqrt(POINT(result), POINT_CONST(value), MPFR_RNDN);
    return;
  }
}

static unsigned p_cmp(const as_domain *domain, const void *left, const void *right) {
  (void)domain;
  int order = mpfr_cmp(POINT_CONST(left), POINT_CONST(right));
  return order < 0 ? AS_C_LT : order > 0 ? AS_C_GT : AS_C_EQ;
}

static void p_join(const as_domain *domain, void *result, const void *left, const void *right) {
  if (mpfr_equal_p(POINT_CONST(left), POINT_CONST(right)))
    p_set(domain, result, left);
  else
    mpfr_set_nan(POINT(result));
}

static unsigned p_flags(const as_domain *domain, const void *value) {
  (void)domain;
  return mpfr_nan_p(POINT_CONST(value)) ? AS_F_UNDEF : 0;
}

static void p_flag(const as_domain *domain, void *result, unsigned flags) {
  (void)domain;
  if (flags & AS_F_NOVALUE)
    mpfr_set_nan(POINT(result));
}

static bool p_builtin(const as_domain *domain, const char *name, void *result,
                      const void *const *arg, uint32_t n) {
  (void)domain;
  if (n == 2 && strcmp(name, "div") == 0) {
    bool divides = mpfr_sgn(POINT_CONST(arg[1])) > 0;
    mpfr_div(POINT(result), POINT_CONST(arg[0]), POINT_CONST(arg[1]), MPFR_RNDN);
    if (divides)
      mpfr_floor(POINT(result), POINT(result));
    else
      mpfr_set_nan(POINT(result));
    return true;
  }
  as_builtin builtin = as_builtin_find(name, n);
  if (builtin == AS_N_BUILTINS)
    return false;
  as_builtin_point[builtin](POINT(result), POINT_CONST(arg[0]), MPFR_RNDN);
  return true;
}

static char *p_print(const as_domain *domain, const void *value) {
  (void)domain;
  char text[96];
  mpfr_snprintf(text, sizeof text, "%.40Rg", POINT_CONST(value));
  return as_strdup(text);
}

static bool p_to_int(const as_domain *domain, const void *element, int64_t *value) {
  (void)domain;
  bool whole = mpfr_number_p(POINT_CONST(element)) && mpfr_integer_p(POINT_CONST(element)) &&
               mpfr_fits_slong_p(POINT_CONST(element), MPFR_RNDN);
  *value = whole ? mpfr_get_si(POINT_CONST(element), MPFR_RNDN) : 0;
  return whole;
}

void as_point_domain_init(as_point_domain *points, long bits) {
  as_mpfr_forget_at_end();
  points->bits = bits;
  points->d = (as_domain){"point",       sizeof(__mpfr_struct),
                          &points->bits, p_init,
                          p_clear,       p_set,
                          p_from_q,      p_add,
                          p_sub,         p_mul,
                          p_un,          p_cmp,
                          p_join,        p_flags,
                          p_flag,        p_builtin,
                          p_print,       p_to_int,
                          p_div,         0};
}

double as_point_double(const void *element) {
  return mpfr_get_d(POINT_CONST(element), MPFR_RNDN);
}
