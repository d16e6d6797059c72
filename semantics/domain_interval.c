/* Intervals whose ends are MPFR numbers, rounded outwards: the true value always lies between them.
 */
#include "domain.h"
#include "src/base/mem.h"
#include <limits.h>
#include <mpfr.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  mpfr_t lo;
  mpfr_t hi;
  unsigned flags;
} bounds;

#define BOUNDS(x) ((bounds *)(x))
#define BOUNDS_CONST(x) ((const bounds *)(x))

static void i_init(const as_domain *domain, void *x) {
  long bits = *(const long *)domain->ctx;
  mpfr_init2(BOUNDS(x)->lo, bits);
  mpfr_init2(BOUNDS(x)->hi, bits);
  mpfr_set_zero(BOUNDS(x)->lo, 1);
  mpfr_set_zero(BOUNDS(x)->hi, 1);
  BOUNDS(x)->flags = 0;
}

static void i_clear(const as_domain *domain, void *x) {
  (void)domain;
  mpfr_clear(BOUNDS(x)->lo);
  mpfr_clear(BOUNDS(x)->hi);
}

static void i_set(const as_domain *domain, void *result, const void *value) {
  (void)domain;
  if (result == value)
    return;
  mpfr_set(BOUNDS(result)->lo, BOUNDS_CONST(value)->lo, MPFR_RNDD);
  mpfr_set(BOUNDS(result)->hi, BOUNDS_CONST(value)->hi, MPFR_RNDU);
  BOUNDS(result)->flags = BOUNDS_CONST(value)->flags;
}

static void i_from_q(const as_domain *domain, void *result, mpq_srcptr value) {
  (void)domain;
  mpfr_set_q(BOUNDS(result)->lo, value, MPFR_RNDD);
  mpfr_set_q(BOUNDS(result)->hi, value, MPFR_RNDU);
  BOUNDS(result)->flags = 0;
}

/* inf - inf and 0 * inf give no bound at all */
static void i_fix(bounds *result) {
  if (mpfr_nan_p(result->lo))
    mpfr_set_inf(result->lo, -1);
  if (mpfr_nan_p(result->hi))
    mpfr_set_inf(result->hi, 1);
}

static void i_add(const as_domain *domain, void *result, const void *left, const void *right) {
  (void)domain;
  unsigned flags = BOUNDS_CONST(left)->flags | BOUNDS_CONST(right)->flags;
  mpfr_add(BOUNDS(result)->lo, BOUNDS_CONST(left)->lo, BOUNDS_CONST(right)->lo, MPFR_RNDD);
  mpfr_add(BOUNDS(result)->hi, BOUNDS_CONST(left)->hi, BOUNDS_CONST(right)->hi, MPFR_RNDU);
  i_fix(BOUNDS(result));
  BOUNDS(result)->flags = flags;
}

static void i_neg(bounds *result, const bounds *a) {
  mpfr_t t;
  mpfr_init2(t, mpfr_get_prec(result->lo));
  mpfr_neg(t, a->hi, MPFR_RNDD);
  mpfr_neg(result->hi, a->lo, MPFR_RNDU);
  mpfr_set(result->lo, t, MPFR_RNDD);
  mpfr_clear(t);
}

static void i_sub(const as_domain *domain, void *result, const void *left, const void *right) {
  bounds t;
  i_init(domain, &t);
  i_neg(&t, BOUNDS_CONST(right));
  t.flags = BOUNDS_CONST(right)->flags;
  i_add(domain, result, left, &t);
  i_clear(domain, &t);
}

static void i_mul(const as_domain *domain, void *result, const void *left, const void *right) {
  mpfr_t lo;
  mpfr_t hi;
  mpfr_t t;
  long bits = *(const long *)domain->ctx;
  mpfr_inits2(bits, lo, hi, t, (mpfr_ptr)0);
  bool nan = false;
  for (int i = 0; i < 4; i++) {
    mpfr_srcptr x = i & 1 ? BOUNDS_CONST(left)->hi : BOUNDS_CONST(left)->lo;
    mpfr_srcptr y = i & 2 ? BOUNDS_CONST(right)->hi : BOUNDS_CONST(right)->lo;
    mpfr_mul(t, x, y, MPFR_RNDD);
    nan |= mpfr_nan_p(t) != 0;
    if (!i || mpfr_less_p(t, lo))
      mpfr_set(lo, t, MPFR_RNDD);
    mpfr_mul(t, x, y, MPFR_RNDU);
    if (!i || mpfr_greater_p(t, hi))
      mpfr_set(hi, t, MPFR_RNDU);
  }
  if (nan) {
    mpfr_set_inf(lo, -1);
    mpfr_set_inf(hi, 1);
  }
  unsigned flags = BOUNDS_CONST(left)->flags | BOUNDS_CONST(right)->flags;
  mpfr_set(BOUNDS(result)->lo, lo, MPFR_RNDD);
  mpfr_set(BOUNDS(result)->hi, hi, MPFR_RNDU);
  BOUNDS(result)->flags = flags;
  mpfr_clears(lo, hi, t, (mpfr_ptr)0);
}

static void i_whole(bounds *result, unsigned flags) {
  mpfr_set_inf(result->lo, -1);
  mpfr_set_inf(result->hi, 1);
  result->flags |= flags;
}

static void i_inv(bounds *result, const bounds *a) {
  int sl = mpfr_sgn(a->lo);
  int sh = mpfr_sgn(a->hi);
  if (!sl && !sh) {
    i_whole(result, AS_F_UNDEF);
  } else if (sl <= 0 && sh >= 0) {
    i_whole(result, AS_F_DOUBT);
  } else {
    mpfr_t t;
    mpfr_init2(t, mpfr_get_prec(result->lo));
    mpfr_ui_div(t, 1, a->hi, MPFR_RNDD);
    mpfr_ui_div(result->hi, 1, a->lo, MPFR_RNDU);
    mpfr_set(result->lo, t, MPFR_RNDD);
    mpfr_clear(t);
  }
}

static void i_un(const as_domain *domain, as_unop op, void *rr, const void *aa) {
  (void)domain;
  bounds *result = BOUNDS(rr);
  const bounds *a = BOUNDS_CONST(aa);
  result->flags = a->flags;
  if (result->flags & AS_F_NOVALUE)
    return;
  switch (op) {
  case AS_U_NEG:
    i_neg(result, a);
    return;
  case AS_U_INV:
    i_inv(result, a);
    return;
  case AS_U_EXP:
    mpfr_exp(result->lo, a->lo, MPFR_RNDD);
    mpfr_exp(result->hi, a->hi, MPFR_RNDU);
    return;
  case AS_U_LOG:
    if (mpfr_sgn(a->hi) <= 0) {
      i_whole(result, AS_F_UNDEF);
      return;
    }
    if (mpfr_sgn(a->lo) <= 0) {
      result->flags |= AS_F_DOUBT;
      mpfr_set_inf(result->lo, -1);
    } else {
      mpfr_log(result->lo, a->lo, MPFR_RNDD);
    }
    mpfr_log(result->hi, a->hi, MPFR_RNDU);
    return;
  case AS_U_SQRT:
    if (mpfr_sgn(a->hi) < 0) {
      i_whole(result, AS_F_UNDEF);
      return;
    }
    if (mpfr_sgn(a->lo) < 0) {
      result->flags |= AS_F_DOUBT;
      mpfr_set_zero(result->lo, 1);
    } else {
      mpfr_sqrt(result->lo, a->lo, MPFR_RNDD);
    }
    mpfr_sqrt(result->hi, a->hi, MPFR_RNDU);
    return;
  }
}

static unsigned i_cmp(const as_domain *domain, const void *left, const void *right) {
  (void)domain;
  unsigned m = 0;
  if (mpfr_less_p(BOUNDS_CONST(left)->lo, BOUNDS_CONST(right)->hi))
    m |= AS_C_LT;
  if (mpfr_greater_p(BOUNDS_CONST(left)->hi, BOUNDS_CONST(right)->lo))
    m |= AS_C_GT;
  if (mpfr_lessequal_p(BOUNDS_CONST(left)->lo, BOUNDS_CONST(right)->hi) &&
      mpfr_lessequal_p(BOUNDS_CONST(right)->lo, BOUNDS_CONST(left)->hi))
    m |= AS_C_EQ;
  return m ? m : AS_C_ANY;
}

static void i_join(const as_domain *domain, void *result, const void *left, const void *right) {
  (void)domain;
  unsigned flags = BOUNDS_CONST(left)->flags | BOUNDS_CONST(right)->flags;
  if (flags & AS_F_NOVALUE) {
    unsigned undef = BOUNDS_CONST(left)->flags & BOUNDS_CONST(right)->flags & AS_F_UNDEF;
    i_whole(BOUNDS(result), 0);
    BOUNDS(result)->flags = undef | AS_F_DOUBT;
    return;
  }
  mpfr_min(BOUNDS(result)->lo, BOUNDS_CONST(left)->lo, BOUNDS_CONST(right)->lo, MPFR_RNDD);
  mpfr_max(BOUNDS(result)->hi, BOUNDS_CONST(left)->hi, BOUNDS_CONST(right)->hi, MPFR_RNDU);
  BOUNDS(result)->flags = flags;
}

static unsigned i_flags(const as_domain *domain, const void *value) {
  (void)domain;
  return BOUNDS_CONST(value)->flags;
}

static void i_flag(const as_domain *domain, void *result, unsigned flags) {
  (void)domain;
  BOUNDS(result)->flags |= flags;
}

typedef int point_function(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t direction);

static int floor_point(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t direction) {
  return mpfr_rint_floor(result, x, direction);
}

static int round_point(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t direction) {
  return mpfr_rint_roundeven(result, x, direction);
}

/* A function that brings no two arguments further apart: its value at lo, give or take the width.
 */
static void contracted(bounds *result, const bounds *x, point_function *value,
                       const as_builtin_row *row, long bits) {
  mpfr_t width;
  mpfr_init2(width, bits);
  mpfr_sub(width, x->hi, x->lo, MPFR_RNDU);
  if (mpfr_number_p(x->lo) && mpfr_number_p(width)) {
    value(result->hi, x->lo, MPFR_RNDU);
    value(result->lo, x->lo, MPFR_RNDD);
    mpfr_add(result->hi, result->hi, width, MPFR_RNDU);
    mpfr_sub(result->lo, result->lo, width, MPFR_RNDD);
  } else {
    mpfr_set_inf(result->lo, -1);
    mpfr_set_inf(result->hi, 1);
  }
  if (mpfr_cmp_d(result->lo, row->least) < 0)
    mpfr_set_d(result->lo, row->least, MPFR_RNDD);
  if (mpfr_cmp_d(result->hi, row->most) > 0)
    mpfr_set_d(result->hi, row->most, MPFR_RNDU);
  mpfr_clear(width);
}

point_function *const as_builtin_point[AS_N_BUILTINS] = {
    [AS_BUILTIN_erf] = mpfr_erf, [AS_BUILTIN_floor] = floor_point, [AS_BUILTIN_round] = round_point,
    [AS_BUILTIN_sin] = mpfr_sin, [AS_BUILTIN_cos] = mpfr_cos,
};

static bool i_builtin(const as_domain *domain, const char *name, void *result,
                      const void *const *arg, uint32_t n) {
  as_builtin builtin = as_builtin_find(name, n);
  if (builtin == AS_N_BUILTINS)
    return false;
  const bounds *x = BOUNDS_CONST(arg[0]);
  bounds *y = BOUNDS(result);
  unsigned flags = x->flags;
  if (as_builtin_rows[builtin].shape == AS_BUILTIN_INCREASES) {
    as_builtin_point[builtin](y->lo, x->lo, MPFR_RNDD);
    as_builtin_point[builtin](y->hi, x->hi, MPFR_RNDU);
  } else {
    contracted(y, x, as_builtin_point[builtin], &as_builtin_rows[builtin],
               *(const long *)domain->ctx);
  }
  y->flags = flags;
  return true;
}

static char *i_print(const as_domain *domain, const void *value) {
  if (BOUNDS_CONST(value)->flags & AS_F_UNDEF)
    return as_strdup("undefined");
  char buf[192];
  int digits = *(const long *)domain->ctx < 200 ? 24 : 48;
  mpfr_snprintf(buf, sizeof buf, "[%.*RDg, %.*RUg]", digits, BOUNDS_CONST(value)->lo, digits,
                BOUNDS_CONST(value)->hi);
  return as_strdup(buf);
}

static bool i_to_int(const as_domain *domain, const void *element, int64_t *value) {
  (void)domain;
  const bounds *x = BOUNDS_CONST(element);
  bool whole =
      mpfr_equal_p(x->lo, x->hi) && mpfr_integer_p(x->lo) && mpfr_fits_slong_p(x->lo, MPFR_RNDN);
  *value = whole ? mpfr_get_si(x->lo, MPFR_RNDN) : 0;
  return whole;
}

static pthread_key_t at_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_constants(void *of_thread) {
  (void)of_thread;
  mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
}

static void make_key(void) {
  if (pthread_key_create(&at_end, free_constants) != 0)
    abort();
}

void as_mpfr_forget_at_end(void) {
  static _Thread_local char used;
  pthread_once(&once, make_key);
  pthread_setspecific(at_end, &used);
}

void as_interval_domain_init(as_interval_domain *interval, long bits) {
  as_mpfr_forget_at_end();
  interval->bits = bits;
  interval->d =
      (as_domain){"interval", sizeof(bounds), &interval->bits, i_init,   i_clear, i_set,  i_from_q,
                  i_add,      i_sub,          i_mul,           i_un,     i_cmp,   i_join, i_flags,
                  i_flag,     i_builtin,      i_print,         i_to_int, NULL,    0};
}

bool as_interval_disjoint(const as_domain *domain, const void *left, const void *right) {
  (void)domain;
  if ((BOUNDS_CONST(left)->flags | BOUNDS_CONST(right)->flags) & AS_F_NOVALUE)
    return false;
  return mpfr_less_p(BOUNDS_CONST(left)->hi, BOUNDS_CONST(right)->lo) ||
         mpfr_less_p(BOUNDS_CONST(right)->hi, BOUNDS_CONST(left)->lo);
}

long as_interval_distance_log2(const as_domain *domain, const void *left, const void *right) {
  mpfr_t u;
  mpfr_t v;
  mpfr_t m;
  mpfr_inits2(*(const long *)domain->ctx, u, v, m, (mpfr_ptr)0);
  mpfr_sub(u, BOUNDS_CONST(left)->hi, BOUNDS_CONST(right)->lo, MPFR_RNDU);
  mpfr_sub(v, BOUNDS_CONST(right)->hi, BOUNDS_CONST(left)->lo, MPFR_RNDU);
  mpfr_max(u, u, v, MPFR_RNDU);
  mpfr_abs(m, BOUNDS_CONST(left)->lo, MPFR_RNDD);
  mpfr_abs(v, BOUNDS_CONST(right)->lo, MPFR_RNDD);
  mpfr_max(m, m, v, MPFR_RNDD);
  if (mpfr_cmp_ui_2exp(m, 1, -40) < 0)
    mpfr_set_ui(m, 1, MPFR_RNDD); /* near zero: absolute */
  mpfr_div(u, u, m, MPFR_RNDU);
  long result = mpfr_zero_p(u) ? LONG_MIN : mpfr_number_p(u) ? (long)mpfr_get_exp(u) : LONG_MAX;
  mpfr_clears(u, v, m, (mpfr_ptr)0);
  return result;
}
