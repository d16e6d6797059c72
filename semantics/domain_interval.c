/* Intervals whose ends are MPFR numbers, rounded outwards: the true value always lies between them.
 */
#include "domain.h"
#include <limits.h>
#include <mpfr.h>
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

static void i_set(const as_domain *domain, void *r, const void *a) {
  (void)domain;
  if (r == a)
    return;
  mpfr_set(BOUNDS(r)->lo, BOUNDS_CONST(a)->lo, MPFR_RNDD);
  mpfr_set(BOUNDS(r)->hi, BOUNDS_CONST(a)->hi, MPFR_RNDU);
  BOUNDS(r)->flags = BOUNDS_CONST(a)->flags;
}

static void i_from_q(const as_domain *domain, void *r, mpq_srcptr q) {
  (void)domain;
  mpfr_set_q(BOUNDS(r)->lo, q, MPFR_RNDD);
  mpfr_set_q(BOUNDS(r)->hi, q, MPFR_RNDU);
  BOUNDS(r)->flags = 0;
}

/* inf - inf and 0 * inf give no bound at all */
static void i_fix(bounds *r) {
  if (mpfr_nan_p(r->lo))
    mpfr_set_inf(r->lo, -1);
  if (mpfr_nan_p(r->hi))
    mpfr_set_inf(r->hi, 1);
}

static void i_add(const as_domain *domain, void *r, const void *a, const void *b) {
  (void)domain;
  unsigned f = BOUNDS_CONST(a)->flags | BOUNDS_CONST(b)->flags;
  mpfr_add(BOUNDS(r)->lo, BOUNDS_CONST(a)->lo, BOUNDS_CONST(b)->lo, MPFR_RNDD);
  mpfr_add(BOUNDS(r)->hi, BOUNDS_CONST(a)->hi, BOUNDS_CONST(b)->hi, MPFR_RNDU);
  i_fix(BOUNDS(r));
  BOUNDS(r)->flags = f;
}

static void i_neg(bounds *r, const bounds *a) {
  mpfr_t t;
  mpfr_init2(t, mpfr_get_prec(r->lo));
  mpfr_neg(t, a->hi, MPFR_RNDD);
  mpfr_neg(r->hi, a->lo, MPFR_RNDU);
  mpfr_set(r->lo, t, MPFR_RNDD);
  mpfr_clear(t);
}

static void i_sub(const as_domain *domain, void *r, const void *a, const void *b) {
  bounds t;
  i_init(domain, &t);
  i_neg(&t, BOUNDS_CONST(b));
  t.flags = BOUNDS_CONST(b)->flags;
  i_add(domain, r, a, &t);
  i_clear(domain, &t);
}

static void i_mul(const as_domain *domain, void *r, const void *a, const void *b) {
  mpfr_t lo;
  mpfr_t hi;
  mpfr_t t;
  long bits = *(const long *)domain->ctx;
  mpfr_inits2(bits, lo, hi, t, (mpfr_ptr)0);
  bool nan = false;
  for (int i = 0; i < 4; i++) {
    mpfr_srcptr x = i & 1 ? BOUNDS_CONST(a)->hi : BOUNDS_CONST(a)->lo;
    mpfr_srcptr y = i & 2 ? BOUNDS_CONST(b)->hi : BOUNDS_CONST(b)->lo;
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
  unsigned f = BOUNDS_CONST(a)->flags | BOUNDS_CONST(b)->flags;
  mpfr_set(BOUNDS(r)->lo, lo, MPFR_RNDD);
  mpfr_set(BOUNDS(r)->hi, hi, MPFR_RNDU);
  BOUNDS(r)->flags = f;
  mpfr_clears(lo, hi, t, (mpfr_ptr)0);
}

static void i_whole(bounds *r, unsigned flags) {
  mpfr_set_inf(r->lo, -1);
  mpfr_set_inf(r->hi, 1);
  r->flags |= flags;
}

static void i_inv(bounds *r, const bounds *a) {
  int sl = mpfr_sgn(a->lo);
  int sh = mpfr_sgn(a->hi);
  if (!sl && !sh) {
    i_whole(r, AS_F_UNDEF);
  } else if (sl <= 0 && sh >= 0) {
    i_whole(r, AS_F_DOUBT);
  } else {
    mpfr_t t;
    mpfr_init2(t, mpfr_get_prec(r->lo));
    mpfr_ui_div(t, 1, a->hi, MPFR_RNDD);
    mpfr_ui_div(r->hi, 1, a->lo, MPFR_RNDU);
    mpfr_set(r->lo, t, MPFR_RNDD);
    mpfr_clear(t);
  }
}

static void i_un(const as_domain *domain, as_unop op, void *rr, const void *aa) {
  (void)domain;
  bounds *r = BOUNDS(rr);
  const bounds *a = BOUNDS_CONST(aa);
  r->flags = a->flags;
  if (r->flags & AS_F_NOVALUE)
    return;
  switch (op) {
  case AS_U_NEG:
    i_neg(r, a);
    return;
  case AS_U_INV:
    i_inv(r, a);
    return;
  case AS_U_EXP:
    mpfr_exp(r->lo, a->lo, MPFR_RNDD);
    mpfr_exp(r->hi, a->hi, MPFR_RNDU);
    return;
  case AS_U_LOG:
    if (mpfr_sgn(a->hi) <= 0) {
      i_whole(r, AS_F_UNDEF);
      return;
    }
    if (mpfr_sgn(a->lo) <= 0) {
      r->flags |= AS_F_DOUBT;
      mpfr_set_inf(r->lo, -1);
    } else {
      mpfr_log(r->lo, a->lo, MPFR_RNDD);
    }
    mpfr_log(r->hi, a->hi, MPFR_RNDU);
    return;
  case AS_U_SQRT:
    if (mpfr_sgn(a->hi) < 0) {
      i_whole(r, AS_F_UNDEF);
      return;
    }
    if (mpfr_sgn(a->lo) < 0) {
      r->flags |= AS_F_DOUBT;
      mpfr_set_zero(r->lo, 1);
    } else {
      mpfr_sqrt(r->lo, a->lo, MPFR_RNDD);
    }
    mpfr_sqrt(r->hi, a->hi, MPFR_RNDU);
    return;
  }
}

static unsigned i_cmp(const as_domain *domain, const void *a, const void *b) {
  (void)domain;
  unsigned m = 0;
  if (mpfr_less_p(BOUNDS_CONST(a)->lo, BOUNDS_CONST(b)->hi))
    m |= AS_C_LT;
  if (mpfr_greater_p(BOUNDS_CONST(a)->hi, BOUNDS_CONST(b)->lo))
    m |= AS_C_GT;
  if (mpfr_lessequal_p(BOUNDS_CONST(a)->lo, BOUNDS_CONST(b)->hi) &&
      mpfr_lessequal_p(BOUNDS_CONST(b)->lo, BOUNDS_CONST(a)->hi))
    m |= AS_C_EQ;
  return m ? m : AS_C_ANY;
}

static void i_join(const as_domain *domain, void *r, const void *a, const void *b) {
  (void)domain;
  unsigned f = BOUNDS_CONST(a)->flags | BOUNDS_CONST(b)->flags;
  if (f & AS_F_NOVALUE) {
    unsigned undef = BOUNDS_CONST(a)->flags & BOUNDS_CONST(b)->flags & AS_F_UNDEF;
    i_whole(BOUNDS(r), 0);
    BOUNDS(r)->flags = undef | AS_F_DOUBT;
    return;
  }
  mpfr_min(BOUNDS(r)->lo, BOUNDS_CONST(a)->lo, BOUNDS_CONST(b)->lo, MPFR_RNDD);
  mpfr_max(BOUNDS(r)->hi, BOUNDS_CONST(a)->hi, BOUNDS_CONST(b)->hi, MPFR_RNDU);
  BOUNDS(r)->flags = f;
}

static unsigned i_flags(const as_domain *domain, const void *a) {
  (void)domain;
  return BOUNDS_CONST(a)->flags;
}

static void i_flag(const as_domain *domain, void *r, unsigned f) {
  (void)domain;
  BOUNDS(r)->flags |= f;
}

static bool i_builtin(const as_domain *domain, const char *name, void *r, const void *const *arg,
                      uint32_t n) {
  (void)domain;
  if (n != 1 || strcmp(name, "erf"))
    return false;
  mpfr_erf(BOUNDS(r)->lo, BOUNDS_CONST(arg[0])->lo, MPFR_RNDD); /* erf increases */
  mpfr_erf(BOUNDS(r)->hi, BOUNDS_CONST(arg[0])->hi, MPFR_RNDU);
  BOUNDS(r)->flags = BOUNDS_CONST(arg[0])->flags;
  return true;
}

static char *i_print(const as_domain *domain, const void *a) {
  if (BOUNDS_CONST(a)->flags & AS_F_UNDEF)
    return as_strdup("undefined");
  char buf[192];
  int digits = *(const long *)domain->ctx < 200 ? 24 : 48;
  mpfr_snprintf(buf, sizeof buf, "[%.*RDg, %.*RUg]", digits, BOUNDS_CONST(a)->lo, digits,
                BOUNDS_CONST(a)->hi);
  return as_strdup(buf);
}

void as_interval_domain_init(as_interval_domain *interval, long bits) {
  interval->bits = bits;
  interval->d = (as_domain){"interval", sizeof(bounds), &interval->bits, i_init,    i_clear, i_set,
                            i_from_q,   i_add,          i_sub,           i_mul,     i_un,    i_cmp,
                            i_join,     i_flags,        i_flag,          i_builtin, i_print};
}

void as_interval_forget(void) {
  mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
}

bool as_interval_disjoint(const as_domain *domain, const void *a, const void *b) {
  (void)domain;
  if ((BOUNDS_CONST(a)->flags | BOUNDS_CONST(b)->flags) & AS_F_NOVALUE)
    return false;
  return mpfr_less_p(BOUNDS_CONST(a)->hi, BOUNDS_CONST(b)->lo) ||
         mpfr_less_p(BOUNDS_CONST(b)->hi, BOUNDS_CONST(a)->lo);
}

long as_interval_distance_log2(const as_domain *domain, const void *a, const void *b) {
  mpfr_t u;
  mpfr_t v;
  mpfr_t m;
  mpfr_inits2(*(const long *)domain->ctx, u, v, m, (mpfr_ptr)0);
  mpfr_sub(u, BOUNDS_CONST(a)->hi, BOUNDS_CONST(b)->lo, MPFR_RNDU);
  mpfr_sub(v, BOUNDS_CONST(b)->hi, BOUNDS_CONST(a)->lo, MPFR_RNDU);
  mpfr_max(u, u, v, MPFR_RNDU);
  mpfr_abs(m, BOUNDS_CONST(a)->lo, MPFR_RNDD);
  mpfr_abs(v, BOUNDS_CONST(b)->lo, MPFR_RNDD);
  mpfr_max(m, m, v, MPFR_RNDD);
  if (mpfr_cmp_ui_2exp(m, 1, -40) < 0)
    mpfr_set_ui(m, 1, MPFR_RNDD); /* near zero: absolute */
  mpfr_div(u, u, m, MPFR_RNDU);
  long r = mpfr_zero_p(u) ? LONG_MIN : mpfr_number_p(u) ? (long)mpfr_get_exp(u) : LONG_MAX;
  mpfr_clears(u, v, m, (mpfr_ptr)0);
  return r;
}
