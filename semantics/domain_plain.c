/* Exact rationals and doubles. */
#include "../src/ir/builtin.h"
#include "domain.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void as_dom_from_int(const as_domain *domain, void *result, int64_t v) {
  mpq_t value;
  mpq_init(value);
  mpq_set_si(value, (long)v, 1);
  domain->from_q(domain, result, value);
  mpq_clear(value);
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
#define DOUBLE(x) (*(double *)(x))
#define DOUBLE_CONST(x) (*(const double *)(x))

static void d_init(const as_domain *domain, void *x) {
  (void)domain;
  DOUBLE(x) = 0;
}

static void d_clear(const as_domain *domain, void *x) {
  (void)domain;
  (void)x;
}

static void d_set(const as_domain *domain, void *result, const void *value) {
  (void)domain;
  DOUBLE(result) = DOUBLE_CONST(value);
}

static void d_from_q(const as_domain *domain, void *result, mpq_srcptr value) {
  (void)domain;
  /* mpq_get_d truncates; one division of exact operands rounds to nearest, which is what a reader
   * expects of 0.1 */
  if (mpz_sizeinbase(mpq_numref(value), 2) <= 53 && mpz_sizeinbase(mpq_denref(value), 2) <= 53)
    DOUBLE(result) = mpz_get_d(mpq_numref(value)) / mpz_get_d(mpq_denref(value));
  else
    DOUBLE(result) = mpq_get_d(value);
}

static void d_add(const as_domain *domain, void *result, const void *left, const void *right) {
  (void)domain;
  DOUBLE(result) = DOUBLE_CONST(left) + DOUBLE_CONST(right);
}

static void d_sub(const as_domain *domain, void *result, const void *left, const void *right) {
  (void)domain;
  DOUBLE(result) = DOUBLE_CONST(left) - DOUBLE_CONST(right);
}

static void d_mul(const as_domain *domain, void *result, const void *left, const void *right) {
  (void)domain;
  DOUBLE(result) = DOUBLE_CONST(left) * DOUBLE_CONST(right);
}

static void d_un(const as_domain *domain, as_unop op, void *result, const void *value) {
  (void)domain;
  double x = DOUBLE_CONST(value);
  switch (op) {
  case AS_U_NEG:
    DOUBLE(result) = -x;
    return;
  case AS_U_INV:
    DOUBLE(result) = x == 0 ? NAN : 1 / x;
    return;
  case AS_U_EXP:
    DOUBLE(result) = exp(x);
    return;
  case AS_U_LOG:
    DOUBLE(result) = x > 0 ? log(x) : NAN;
    return;
  case AS_U_SQRT:
    DOUBLE(result) = x >= 0 ? sqrt(x) : NAN;
    return;
  }
}

static unsigned d_cmp(const as_domain *domain, const void *left, const void *right) {
  (void)domain;
  return DOUBLE_CONST(left) < DOUBLE_CONST(right)   ? AS_C_LT
         : DOUBLE_CONST(left) > DOUBLE_CONST(right) ? AS_C_GT
                                                    : AS_C_EQ;
}

static void d_join(const as_domain *domain, void *result, const void *left, const void *right) {
  (void)domain;
  DOUBLE(result) = DOUBLE_CONST(left) == DOUBLE_CONST(right) ? DOUBLE_CONST(left) : NAN;
}

static unsigned d_flags(const as_domain *domain, const void *value) {
  (void)domain;
  return isnan(DOUBLE_CONST(value)) ? AS_F_UNDEF : 0;
}

static void d_flag(const as_domain *domain, void *result, unsigned flags) {
  (void)domain;
  if (flags & AS_F_NOVALUE)
    DOUBLE(result) = NAN;
}

double as_builtin_double(as_builtin builtin, double x) {
  static double (*const value[])(double) = {
#define X(name, c, shape, least, most, has_laws) c,
      AS_BUILTINS(X)
#undef X
  };

  return value[builtin](x);
}

static bool d_builtin(const as_domain *domain, const char *name, void *result,
                      const void *const *arg, uint32_t n) {
  (void)domain;
  if (n == 2 && !strcmp(name, "div")) {
    DOUBLE(result) =
        DOUBLE_CONST(arg[1]) > 0 ? floor(DOUBLE_CONST(arg[0]) / DOUBLE_CONST(arg[1])) : NAN;
    return true;
  }
  as_builtin builtin = as_builtin_find(name, n);
  if (builtin == AS_N_BUILTINS)
    return false;
  DOUBLE(result) = as_builtin_double(builtin, DOUBLE_CONST(arg[0]));
  return true;
}

static char *d_print(const as_domain *domain, const void *value) {
  (void)domain;
  return isnan(DOUBLE_CONST(value)) ? as_strdup("undefined")
                                    : as_format("%.17g", DOUBLE_CONST(value));
}

static bool d_to_int(const as_domain *domain, const void *element, int64_t *value) {
  (void)domain;
  double x = DOUBLE_CONST(element);
  *value = fabs(x) < 0x1p53 ? (int64_t)x : 0;
  return fabs(x) < 0x1p53 && (double)*value == x;
}

const as_domain as_domain_double = {
    "double", sizeof(double), NULL,   d_init,  d_clear, d_set,     d_from_q, d_add,    d_sub, d_mul,
    d_un,     d_cmp,          d_join, d_flags, d_flag,  d_builtin, d_print,  d_to_int, NULL,  0};

/* --- exact rationals; exp, log and roots that are not rational are poisoned */
typedef struct {
  mpq_t value;
  unsigned flags;
} exact_value;

#define EXACT(x) ((exact_value *)(x))
#define EXACT_CONST(x) ((const exact_value *)(x))

static void e_init(const as_domain *domain, void *x) {
  (void)domain;
  mpq_init(EXACT(x)->value);
  EXACT(x)->flags = 0;
}

static void e_clear(const as_domain *domain, void *x) {
  (void)domain;
  mpq_clear(EXACT(x)->value);
}

static void e_set(const as_domain *domain, void *result, const void *value) {
  (void)domain;
  if (result == value)
    return;
  mpq_set(EXACT(result)->value, EXACT_CONST(value)->value);
  EXACT(result)->flags = EXACT_CONST(value)->flags;
}

static void e_from_q(const as_domain *domain, void *result, mpq_srcptr value) {
  (void)domain;
  mpq_set(EXACT(result)->value, value);
  EXACT(result)->flags = 0;
}

static bool e_both(void *result, const void *left, const void *right) {
  return !(EXACT(result)->flags = EXACT_CONST(left)->flags | EXACT_CONST(right)->flags);
}

/* an integer that is a machine word, as nearly all values of trials are */
static bool word_of(mpq_srcptr x, long *word) {
  if (mpz_cmp_ui(mpq_denref(x), 1) != 0 || !mpz_fits_slong_p(mpq_numref(x)))
    return false;
  *word = mpz_get_si(mpq_numref(x));
  return true;
}

static void set_word(mpq_ptr x, long word) {
  mpz_set_si(mpq_numref(x), word);
  mpz_set_ui(mpq_denref(x), 1);
}

/* result = left OP right where both are defined; of words without looking for common factors */
#define EXACT_OPERATION(name, overflows, of_rationals)                                             \
  static void name(const as_domain *domain, void *result, const void *left, const void *right) {   \
    mpq_srcptr x = EXACT_CONST(left)->value;                                                       \
    mpq_srcptr y = EXACT_CONST(right)->value;                                                      \
    long a;                                                                                        \
    long b;                                                                                        \
    long word;                                                                                     \
    (void)domain;                                                                                  \
    if (!e_both(result, left, right))                                                              \
      return;                                                                                      \
    if (word_of(x, &a) && word_of(y, &b) && !overflows(a, b, &word))                               \
      set_word(EXACT(result)->value, word);                                                        \
    else                                                                                           \
      of_rationals(EXACT(result)->value, x, y);                                                    \
  }

EXACT_OPERATION(e_add, __builtin_add_overflow, mpq_add)
EXACT_OPERATION(e_sub, __builtin_sub_overflow, mpq_sub)
EXACT_OPERATION(e_mul, __builtin_mul_overflow, mpq_mul)

static void e_un(const as_domain *domain, as_unop op, void *result, const void *element) {
  (void)domain;
  if ((EXACT(result)->flags = EXACT_CONST(element)->flags))
    return;
  mpq_srcptr value = EXACT_CONST(element)->value;
  int s = mpq_sgn(value);
  switch (op) {
  case AS_U_NEG:
    mpq_neg(EXACT(result)->value, value);
    return;
  case AS_U_INV:
    if (s)
      mpq_inv(EXACT(result)->value, value);
    else
      EXACT(result)->flags = AS_F_UNDEF;
    return;
  case AS_U_EXP:
    if (s)
      EXACT(result)->flags = AS_F_POISON;
    else
      mpq_set_ui(EXACT(result)->value, 1, 1);
    return;
  case AS_U_LOG:
    if (s <= 0)
      EXACT(result)->flags = AS_F_UNDEF;
    else if (mpq_cmp_ui(value, 1, 1))
      EXACT(result)->flags = AS_F_POISON;
    else
      mpq_set_ui(EXACT(result)->value, 0, 1);
    return;
  case AS_U_SQRT:
    if (s < 0) {
      EXACT(result)->flags = AS_F_UNDEF;
    } else if (mpz_perfect_square_p(mpq_numref(value)) && mpz_perfect_square_p(mpq_denref(value))) {
      mpz_sqrt(mpq_numref(EXACT(result)->value), mpq_numref(value));
      mpz_sqrt(mpq_denref(EXACT(result)->value), mpq_denref(value));
    } else {
      EXACT(result)->flags = AS_F_POISON;
    }
    return;
  }
}

static unsigned e_cmp(const as_domain *domain, const void *left, const void *right) {
  (void)domain;
  int c = mpq_cmp(EXACT_CONST(left)->value, EXACT_CONST(right)->value);
  return c < 0 ? AS_C_LT : c > 0 ? AS_C_GT : AS_C_EQ;
}

static void e_join(const as_domain *domain, void *result, const void *left, const void *right) {
  unsigned flags = EXACT_CONST(left)->flags & EXACT_CONST(right)->flags & AS_F_UNDEF;
  if (!EXACT_CONST(left)->flags && !EXACT_CONST(right)->flags &&
      mpq_equal(EXACT_CONST(left)->value, EXACT_CONST(right)->value))
    e_set(domain, result, left);
  else
    EXACT(result)->flags = flags ? flags : AS_F_POISON;
}

static unsigned e_flags(const as_domain *domain, const void *value) {
  (void)domain;
  return EXACT_CONST(value)->flags;
}

static void e_flag(const as_domain *domain, void *result, unsigned flags) {
  (void)domain;
  EXACT(result)->flags |= flags;
}

/* floor(a / b) of integers, b > 0 */
static void e_div(void *result, const void *left, const void *right) {
  if (!e_both(result, left, right))
    return;
  if (mpz_cmp_ui(mpq_denref(EXACT_CONST(left)->value), 1) ||
      mpz_cmp_ui(mpq_denref(EXACT_CONST(right)->value), 1)) {
    EXACT(result)->flags = AS_F_POISON;
  } else if (mpq_sgn(EXACT_CONST(right)->value) <= 0) {
    EXACT(result)->flags = AS_F_UNDEF;
  } else {
    mpz_fdiv_q(mpq_numref(EXACT(result)->value), mpq_numref(EXACT_CONST(left)->value),
               mpq_numref(EXACT_CONST(right)->value));
    mpz_set_ui(mpq_denref(EXACT(result)->value), 1);
  }
}

/* the nearest integer, of two the even one */
static void round_to_even(mpq_t result, mpq_srcptr x) {
  mpq_t half;
  mpq_init(half);
  mpq_set_si(half, 1, 2);
  mpq_add(half, x, half);
  bool tie = mpz_cmp_ui(mpq_denref(half), 1) == 0 && mpz_cmp_ui(mpq_denref(x), 1) != 0;
  mpz_fdiv_q(mpq_numref(result), mpq_numref(half), mpq_denref(half));
  mpz_set_ui(mpq_denref(result), 1);
  if (tie && mpz_odd_p(mpq_numref(result)))
    mpz_sub_ui(mpq_numref(result), mpq_numref(result), 1);
  mpq_clear(half);
}

/* false: the value is not rational */
static bool exact_builtin(as_builtin builtin, mpq_t result, mpq_srcptr x) {
  switch (builtin) {
  case AS_BUILTIN_floor: {
    mpz_t whole;
    mpz_init(whole);
    mpz_fdiv_q(whole, mpq_numref(x), mpq_denref(x));
    mpq_set_z(result, whole);
    mpz_clear(whole);
    return true;
  }
  case AS_BUILTIN_round:
    round_to_even(result, x);
    return true;
  case AS_BUILTIN_erf:
  case AS_BUILTIN_sin:
  case AS_BUILTIN_cos:
    if (mpq_sgn(x) != 0)
      return false;
    mpq_set_ui(result, builtin == AS_BUILTIN_cos, 1);
    return true;
  case AS_N_BUILTINS:
    break;
  }
  return false;
}

static bool e_builtin(const as_domain *domain, const char *name, void *result,
                      const void *const *arg, uint32_t n) {
  (void)domain;
  if (n == 2 && !strcmp(name, "div")) {
    e_div(result, arg[0], arg[1]);
    return true;
  }
  as_builtin builtin = as_builtin_find(name, n);
  if (builtin == AS_N_BUILTINS)
    return false;
  EXACT(result)->flags = EXACT_CONST(arg[0])->flags;
  if (!EXACT(result)->flags &&
      !exact_builtin(builtin, EXACT(result)->value, EXACT_CONST(arg[0])->value))
    EXACT(result)->flags = AS_F_POISON;
  return true;
}

static char *e_print(const as_domain *domain, const void *value) {
  (void)domain;
  if (EXACT_CONST(value)->flags & AS_F_UNDEF)
    return as_strdup("undefined");
  if (EXACT_CONST(value)->flags & AS_F_POISON)
    return as_strdup("not rational");
  char *text = mpq_get_str(NULL, 10, EXACT_CONST(value)->value);
  char *t = as_strdup(text);
  void (*gmp_free)(void *, size_t);
  mp_get_memory_functions(NULL, NULL, &gmp_free);
  gmp_free(text, strlen(text) + 1);
  return t;
}

static bool e_to_int(const as_domain *domain, const void *element, int64_t *value) {
  (void)domain;
  mpq_srcptr x = EXACT_CONST(element)->value;
  bool whole = mpz_cmp_ui(mpq_denref(x), 1) == 0 && mpz_fits_slong_p(mpq_numref(x));
  *value = whole ? mpz_get_si(mpq_numref(x)) : 0;
  return whole;
}

const as_domain as_domain_exact = {"exact",  sizeof(exact_value),
                                   NULL,     e_init,
                                   e_clear,  e_set,
                                   e_from_q, e_add,
                                   e_sub,    e_mul,
                                   e_un,     e_cmp,
                                   e_join,   e_flags,
                                   e_flag,   e_builtin,
                                   e_print,  e_to_int,
                                   NULL,     0};
