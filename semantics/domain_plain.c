/* Exact rationals and doubles. */
#include "domain.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void as_dom_from_int(const as_domain *domain, void *r, int64_t v) {
  mpq_t q;
  mpq_init(q);
  mpq_set_si(q, (long)v, 1);
  domain->from_q(domain, r, q);
  mpq_clear(q);
}

void *as_dom_new(const as_domain *domain, size_t n) {
  char *x = as_calloc(n ? n : 1, domain->size);
  for (size_t i = 0; i < n; i++)
    domain->init(domain, x + i * domain->size);
  return x;
}

void as_dom_free(const as_domain *domain, void *x, size_t n) {
  if (!x)
    return;
  for (size_t i = 0; i < n; i++)
    domain->clear(domain, (char *)x + i * domain->size);
  free(x);
}

/* --- double */
#define D(x) (*(double *)(x))
#define CD(x) (*(const double *)(x))

static void d_init(const as_domain *domain, void *x) {
  (void)domain;
  D(x) = 0;
}

static void d_clear(const as_domain *domain, void *x) {
  (void)domain;
  (void)x;
}

static void d_set(const as_domain *domain, void *r, const void *a) {
  (void)domain;
  D(r) = CD(a);
}

static void d_from_q(const as_domain *domain, void *r, mpq_srcptr q) {
  (void)domain;
  /* mpq_get_d truncates; one division of exact operands rounds to nearest, which is what a reader
   * expects of 0.1 */
  if (mpz_sizeinbase(mpq_numref(q), 2) <= 53 && mpz_sizeinbase(mpq_denref(q), 2) <= 53)
    D(r) = mpz_get_d(mpq_numref(q)) / mpz_get_d(mpq_denref(q));
  else
    D(r) = mpq_get_d(q);
}

static void d_add(const as_domain *domain, void *r, const void *a, const void *b) {
  (void)domain;
  D(r) = CD(a) + CD(b);
}

static void d_sub(const as_domain *domain, void *r, const void *a, const void *b) {
  (void)domain;
  D(r) = CD(a) - CD(b);
}

static void d_mul(const as_domain *domain, void *r, const void *a, const void *b) {
  (void)domain;
  D(r) = CD(a) * CD(b);
}

static void d_un(const as_domain *domain, as_unop op, void *r, const void *a) {
  (void)domain;
  double x = CD(a);
  switch (op) {
  case AS_U_NEG:
    D(r) = -x;
    return;
  case AS_U_INV:
    D(r) = x == 0 ? NAN : 1 / x;
    return;
  case AS_U_EXP:
    D(r) = exp(x);
    return;
  case AS_U_LOG:
    D(r) = x > 0 ? log(x) : NAN;
    return;
  case AS_U_SQRT:
    D(r) = x >= 0 ? sqrt(x) : NAN;
    return;
  }
}

static unsigned d_cmp(const as_domain *domain, const void *a, const void *b) {
  (void)domain;
  return CD(a) < CD(b) ? AS_C_LT : CD(a) > CD(b) ? AS_C_GT : AS_C_EQ;
}

static void d_join(const as_domain *domain, void *r, const void *a, const void *b) {
  (void)domain;
  D(r) = CD(a) == CD(b) ? CD(a) : NAN;
}

static unsigned d_flags(const as_domain *domain, const void *a) {
  (void)domain;
  return isnan(CD(a)) ? AS_F_UNDEF : 0;
}

static void d_flag(const as_domain *domain, void *r, unsigned f) {
  (void)domain;
  if (f & AS_F_NOVALUE)
    D(r) = NAN;
}

static bool d_builtin(const as_domain *domain, const char *name, void *r, const void *const *arg,
                      uint32_t n) {
  (void)domain;
  if (n == 2 && !strcmp(name, "div")) {
    D(r) = CD(arg[1]) > 0 ? floor(CD(arg[0]) / CD(arg[1])) : NAN;
    return true;
  }
  if (n != 1 || strcmp(name, "erf"))
    return false;
  D(r) = erf(CD(arg[0]));
  return true;
}

static char *d_print(const as_domain *domain, const void *a) {
  (void)domain;
  return isnan(CD(a)) ? as_strdup("undefined") : as_format("%.17g", CD(a));
}

const as_domain as_domain_double = {"double", sizeof(double), NULL,   d_init,    d_clear, d_set,
                                    d_from_q, d_add,          d_sub,  d_mul,     d_un,    d_cmp,
                                    d_join,   d_flags,        d_flag, d_builtin, d_print};

/* --- exact rationals; exp, log and roots that are not rational are poisoned */
typedef struct {
  mpq_t v;
  unsigned flags;
} ex;

#define E(x) ((ex *)(x))
#define CE(x) ((const ex *)(x))

static void e_init(const as_domain *domain, void *x) {
  (void)domain;
  mpq_init(E(x)->v);
  E(x)->flags = 0;
}

static void e_clear(const as_domain *domain, void *x) {
  (void)domain;
  mpq_clear(E(x)->v);
}

static void e_set(const as_domain *domain, void *r, const void *a) {
  (void)domain;
  if (r == a)
    return;
  mpq_set(E(r)->v, CE(a)->v);
  E(r)->flags = CE(a)->flags;
}

static void e_from_q(const as_domain *domain, void *r, mpq_srcptr q) {
  (void)domain;
  mpq_set(E(r)->v, q);
  E(r)->flags = 0;
}

static bool e_both(void *r, const void *a, const void *b) {
  return !(E(r)->flags = CE(a)->flags | CE(b)->flags);
}

static void e_add(const as_domain *domain, void *r, const void *a, const void *b) {
  (void)domain;
  if (e_both(r, a, b))
    mpq_add(E(r)->v, CE(a)->v, CE(b)->v);
}

static void e_sub(const as_domain *domain, void *r, const void *a, const void *b) {
  (void)domain;
  if (e_both(r, a, b))
    mpq_sub(E(r)->v, CE(a)->v, CE(b)->v);
}

static void e_mul(const as_domain *domain, void *r, const void *a, const void *b) {
  (void)domain;
  if (e_both(r, a, b))
    mpq_mul(E(r)->v, CE(a)->v, CE(b)->v);
}

static void e_un(const as_domain *domain, as_unop op, void *r, const void *a) {
  (void)domain;
  if ((E(r)->flags = CE(a)->flags))
    return;
  mpq_srcptr x = CE(a)->v;
  int s = mpq_sgn(x);
  switch (op) {
  case AS_U_NEG:
    mpq_neg(E(r)->v, x);
    return;
  case AS_U_INV:
    if (s)
      mpq_inv(E(r)->v, x);
    else
      E(r)->flags = AS_F_UNDEF;
    return;
  case AS_U_EXP:
    if (s)
      E(r)->flags = AS_F_POISON;
    else
      mpq_set_ui(E(r)->v, 1, 1);
    return;
  case AS_U_LOG:
    if (s <= 0)
      E(r)->flags = AS_F_UNDEF;
    else if (mpq_cmp_ui(x, 1, 1))
      E(r)->flags = AS_F_POISON;
    else
      mpq_set_ui(E(r)->v, 0, 1);
    return;
  case AS_U_SQRT:
    if (s < 0) {
      E(r)->flags = AS_F_UNDEF;
    } else if (mpz_perfect_square_p(mpq_numref(x)) && mpz_perfect_square_p(mpq_denref(x))) {
      mpz_sqrt(mpq_numref(E(r)->v), mpq_numref(x));
      mpz_sqrt(mpq_denref(E(r)->v), mpq_denref(x));
    } else {
      E(r)->flags = AS_F_POISON;
    }
    return;
  }
}

static unsigned e_cmp(const as_domain *domain, const void *a, const void *b) {
  (void)domain;
  int c = mpq_cmp(CE(a)->v, CE(b)->v);
  return c < 0 ? AS_C_LT : c > 0 ? AS_C_GT : AS_C_EQ;
}

static void e_join(const as_domain *domain, void *r, const void *a, const void *b) {
  unsigned f = CE(a)->flags & CE(b)->flags & AS_F_UNDEF;
  if (!CE(a)->flags && !CE(b)->flags && mpq_equal(CE(a)->v, CE(b)->v))
    e_set(domain, r, a);
  else
    E(r)->flags = f ? f : AS_F_POISON;
}

static unsigned e_flags(const as_domain *domain, const void *a) {
  (void)domain;
  return CE(a)->flags;
}

static void e_flag(const as_domain *domain, void *r, unsigned f) {
  (void)domain;
  E(r)->flags |= f;
}

/* floor(a / b) of integers, b > 0 */
static void e_div(void *r, const void *a, const void *b) {
  if (!e_both(r, a, b))
    return;
  if (mpz_cmp_ui(mpq_denref(CE(a)->v), 1) || mpz_cmp_ui(mpq_denref(CE(b)->v), 1)) {
    E(r)->flags = AS_F_POISON;
  } else if (mpq_sgn(CE(b)->v) <= 0) {
    E(r)->flags = AS_F_UNDEF;
  } else {
    mpz_fdiv_q(mpq_numref(E(r)->v), mpq_numref(CE(a)->v), mpq_numref(CE(b)->v));
    mpz_set_ui(mpq_denref(E(r)->v), 1);
  }
}

static bool e_builtin(const as_domain *domain, const char *name, void *r, const void *const *arg,
                      uint32_t n) {
  (void)domain;
  if (n == 2 && !strcmp(name, "div")) {
    e_div(r, arg[0], arg[1]);
    return true;
  }
  if (n != 1 || strcmp(name, "erf"))
    return false;
  E(r)->flags = CE(arg[0])->flags;
  if (!E(r)->flags && mpq_sgn(CE(arg[0])->v))
    E(r)->flags = AS_F_POISON;
  else if (!E(r)->flags)
    mpq_set_ui(E(r)->v, 0, 1);
  return true;
}

static char *e_print(const as_domain *domain, const void *a) {
  (void)domain;
  if (CE(a)->flags & AS_F_UNDEF)
    return as_strdup("undefined");
  if (CE(a)->flags & AS_F_POISON)
    return as_strdup("not rational");
  char *s = mpq_get_str(NULL, 10, CE(a)->v);
  char *t = as_strdup(s);
  void (*gmp_free)(void *, size_t);
  mp_get_memory_functions(NULL, NULL, &gmp_free);
  gmp_free(s, strlen(s) + 1);
  return t;
}

const as_domain as_domain_exact = {"exact",  sizeof(ex), NULL,   e_init,    e_clear, e_set,
                                   e_from_q, e_add,      e_sub,  e_mul,     e_un,    e_cmp,
                                   e_join,   e_flags,    e_flag, e_builtin, e_print};
