#include "domain_field.h"
#include "field_degrees.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <flint/flint.h>
#include <flint/ulong_extras.h>
#include <math.h>
#include <string.h>

typedef struct {
  uint64_t p; /* the element mod p, and mod q */
  uint64_t q;
  uint64_t log_p; /* its logarithm */
  uint64_t log_q;
  double low; /* its real value is within */
  double high;
  double log_degree;
  unsigned flags;
  bool has_p; /* whether it is known mod p */
  bool has_q;
  bool has_log;
  bool is_rational; /* made of inputs and numbers by arithmetic alone */
  as_degrees deg;
} field_value;

#define FIELD(x) ((field_value *)(x))
#define FIELD_CONST(x) ((const field_value *)(x))
#define DOM(d) ((as_field_domain *)(d)->ctx)

static uint64_t mix(uint64_t bits, uint64_t seed) {
  bits += seed * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

static double down(double value, int steps) {
  for (; steps; steps--)
    value = nextafter(value, -INFINITY);
  return value;
}

static double up(double value, int steps) {
  for (; steps; steps--)
    value = nextafter(value, INFINITY);
  return value;
}

static void f_init(const as_domain *domain, void *element) {
  (void)domain;
  memset(element, 0, sizeof(field_value));
  FIELD(element)->has_p = FIELD(element)->has_q = FIELD(element)->is_rational = true;
  FIELD(element)->deg = (as_degrees){.terms_num = 1,
                                     .terms_den = 1,
                                     .exp_unit = 1,
                                     .form_unit = 1,
                                     .const_den = 1,
                                     .affine = true,
                                     .constant = true};
}

static void f_clear(const as_domain *domain, void *element) {
  (void)domain;
  (void)element;
}

static void f_set(const as_domain *domain, void *result, const void *from) {
  (void)domain;
  if (result != from)
    memcpy(result, from, sizeof(field_value));
}

static uint64_t residue(mpq_srcptr value, uint64_t prime, uint64_t inverse, bool *defined) {
  uint64_t numerator = mpz_fdiv_ui(mpq_numref(value), prime);
  uint64_t denominator = mpz_fdiv_ui(mpq_denref(value), prime);
  if (!denominator) {
    *defined = false;
    return 0;
  }
  return n_mulmod2_preinv(numerator, n_invmod(denominator, prime), prime, inverse);
}

/* doubles around a rational */
static void around(mpq_srcptr rational, double *low, double *high) {
  double value = mpq_get_d(rational); /* truncates */
  mpq_t exact;
  mpq_init(exact);
  *low = *high = value;
  if (isfinite(value))
    mpq_set_d(exact, value);
  if (!isfinite(value) || !mpq_equal(exact, rational)) {
    *low = down(value, 1);
    *high = up(value, 1);
  }
  mpq_clear(exact);
}

static void f_from_q(const as_domain *domain, void *result, mpq_srcptr rational) {
  as_field_domain *field = DOM(domain);
  f_init(domain, result);
  field_value *value = FIELD(result);
  value->p = residue(rational, field->p, field->pinv, &value->has_p);
  value->q = residue(rational, field->q, field->qinv, &value->has_q);
  around(rational, &value->low, &value->high);
  value->has_log = !mpq_cmp_ui(rational, 1, 1);
  value->deg.const_num = mpz_get_d(mpq_numref(rational));
  value->deg.const_den = mpz_get_d(mpq_denref(rational));
  value->deg.form_sum = fabs(value->deg.const_num);
  value->deg.form_unit = value->deg.const_den;
}

static bool zero(const field_value *value) {
  return value->deg.constant && value->has_p && !value->p && value->low == 0 && value->high == 0;
}

static as_degrees deg_add(const field_value *left, const field_value *right) {
  if (zero(left))
    return right->deg;
  if (zero(right))
    return left->deg;
  return as_degrees_sum(left->deg, right->deg);
}

static void two(field_value *result, const field_value *left, const field_value *right) {
  result->flags = left->flags | right->flags;
  result->has_p = left->has_p && right->has_p;
  result->has_q = left->has_q && right->has_q;
  result->is_rational = left->is_rational && right->is_rational;
}

static void whole(field_value *result) {
  result->low = -INFINITY;
  result->high = INFINITY;
}

static void f_add(const as_domain *domain, void *result, const void *left, const void *right) {
  as_field_domain *field = DOM(domain);
  field_value product = {0};
  two(&product, FIELD_CONST(left), FIELD_CONST(right));
  product.p = n_addmod(FIELD_CONST(left)->p, FIELD_CONST(right)->p, field->p);
  product.q = n_addmod(FIELD_CONST(left)->q, FIELD_CONST(right)->q, field->q);
  product.low = FIELD_CONST(left)->low + FIELD_CONST(right)->low;
  product.high = FIELD_CONST(left)->high + FIELD_CONST(right)->high;
  bool exact = FIELD_CONST(left)->low == FIELD_CONST(left)->high &&
               FIELD_CONST(right)->low == FIELD_CONST(right)->high &&
               product.low - FIELD_CONST(left)->low == FIELD_CONST(right)->low &&
               product.low - FIELD_CONST(right)->low == FIELD_CONST(left)->low &&
               fabs(product.low) < 0x1p52 && product.low == rint(product.low) &&
               FIELD_CONST(left)->low == rint(FIELD_CONST(left)->low);
  if (!exact) {
    product.low = down(product.low, 1);
    product.high = up(product.high, 1);
  }
  if (isnan(product.low) || isnan(product.high))
    whole(&product);
  product.deg = deg_add(FIELD_CONST(left), FIELD_CONST(right));
  product.log_degree = 0;
  memcpy(result, &product, sizeof product);
}

static void f_neg(const as_domain *domain, field_value *result, const field_value *value) {
  as_field_domain *field = DOM(domain);
  field_value product = *value;
  product.p = n_negmod(value->p, field->p);
  product.q = n_negmod(value->q, field->q);
  product.low = -value->high;
  product.high = -value->low;
  product.has_log = false;
  product.deg.const_num = -value->deg.const_num;
  *result = product;
}

static void f_sub(const as_domain *domain, void *result, const void *left, const void *right) {
  field_value product;
  f_neg(domain, &product, FIELD_CONST(right));
  f_add(domain, result, left, &product);
}

static void f_mul(const as_domain *domain, void *result, const void *left, const void *right) {
  as_field_domain *field = DOM(domain);
  field_value product = {0};
  const field_value *one = FIELD_CONST(left);
  const field_value *other = FIELD_CONST(right);
  two(&product, one, other);
  product.p = n_mulmod2_preinv(one->p, other->p, field->p, field->pinv);
  product.q = n_mulmod2_preinv(one->q, other->q, field->q, field->qinv);
  if (one->has_log && other->has_log) {
    product.has_log = true;
    product.log_p = n_addmod(one->log_p, other->log_p, field->p);
    product.log_q = n_addmod(one->log_q, other->log_q, field->q);
    product.log_degree = one->log_degree + other->log_degree;
  }
  double value[4] = {one->low * other->low, one->low * other->high, one->high * other->low,
                     one->high * other->high};
  product.low = product.high = value[0];
  bool nan = false;
  for (int i = 0; i < 4; i++) {
    nan |= isnan(value[i]);
    product.low = fmin(product.low, value[i]);
    product.high = fmax(product.high, value[i]);
  }
  bool ints = one->low == one->high && other->low == other->high && one->low == rint(one->low) &&
              other->low == rint(other->low) && fabs(value[0]) < 0x1p52;
  bool zeros = (one->low == 0 && one->high == 0) || (other->low == 0 && other->high == 0);
  if (zeros && !nan) {
    product.low = product.high = 0;
  } else if (!ints) {
    product.low = down(product.low, 1);
    product.high = up(product.high, 1);
  }
  if (nan)
    whole(&product);
  product.deg = as_degrees_product(one->deg, other->deg);
  memcpy(result, &product, sizeof product);
}

static void f_inv(const as_domain *domain, field_value *result, const field_value *value) {
  as_field_domain *field = DOM(domain);
  field_value product = *value;
  if (value->low == 0 && value->high == 0) {
    product.flags |= AS_F_UNDEF;
    whole(&product);
    *result = product;
    return;
  }
  product.has_p = value->has_p && value->p;
  product.has_q = value->has_q && value->q;
  product.p = product.has_p ? n_invmod(value->p, field->p) : 0;
  product.q = product.has_q ? n_invmod(value->q, field->q) : 0;
  product.log_p = n_negmod(value->log_p, field->p);
  product.log_q = n_negmod(value->log_q, field->q);
  if (value->low <= 0 && value->high >= 0) {
    product.flags |= AS_F_DOUBT;
    whole(&product);
  } else {
    product.low = down(1 / value->high, 1);
    product.high = up(1 / value->low, 1);
  }
  product.deg.degree_num = value->deg.degree_den;
  product.deg.degree_den = value->deg.degree_num;
  product.deg.terms_num = value->deg.terms_den;
  product.deg.terms_den = value->deg.terms_num;
  product.deg.exp_num = value->deg.exp_den;
  product.deg.exp_den = value->deg.exp_num;
  product.deg.clear_num = value->deg.clear_den;
  product.deg.clear_den = value->deg.clear_num;
  product.deg.affine = value->deg.constant;
  product.deg.const_num = value->deg.const_num < 0 ? -value->deg.const_den : value->deg.const_den;
  product.deg.const_den = fabs(value->deg.const_num);
  product.deg.form_sum = fabs(product.deg.const_num);
  product.deg.form_unit = product.deg.const_den;
  product.deg.den = value->deg.constant ? value->deg.den : mix(value->p, 77);
  *result = product;
}

static void f_exp(const as_domain *domain, field_value *result, const field_value *value) {
  as_field_domain *field = DOM(domain);
  field_value product;
  f_init(domain, &product);
  product.flags = value->flags;
  product.has_p = value->has_q;
  product.has_q = product.is_rational = false;
  product.p = product.has_p ? n_powmod2_ui_preinv(field->w, value->q, field->p, field->pinv) : 0;
  product.has_log = value->has_p && value->has_q;
  product.log_p = value->p;
  product.log_q = value->q;
  product.log_degree = value->deg.degree_num + value->deg.degree_den;
  product.low = fmax(0, down(exp(value->low), 3));
  product.high = up(exp(value->high), 3);
  as_degrees_union(&product.deg, &value->deg, &value->deg);
  product.deg.constant = product.deg.affine = false;
  product.deg.exp_unit = 1;
  if (zero(value)) {
    mpq_t one;
    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    f_from_q(domain, &product, one);
    mpq_clear(one);
    product.flags = value->flags;
  } else if (value->deg.affine) {
    product.deg.exp_num = product.deg.clear_num = value->deg.form_sum;
    product.deg.exp_unit = value->deg.form_unit;
  } else {
    product.deg.other = true;
    product.deg.odd_degree =
        fmax(value->deg.odd_degree, value->deg.degree_num + value->deg.degree_den);
  }
  *result = product;
}

static void f_log(const as_domain *domain, field_value *result, const field_value *value) {
  field_value product;
  f_init(domain, &product);
  product.flags = value->flags;
  product.has_p = product.has_q = value->has_log;
  product.is_rational = false;
  product.p = value->log_p;
  product.q = value->log_q;
  as_degrees_union(&product.deg, &value->deg, &value->deg);
  product.deg.degree_num = product.deg.degree_den = value->log_degree;
  product.deg.constant = product.deg.affine = false;
  if (value->high <= 0) {
    product.flags |= AS_F_UNDEF;
    whole(&product);
    *result = product;
    return;
  }
  if (value->low <= 0) {
    product.flags |= AS_F_DOUBT;
    product.low = -INFINITY;
  } else {
    product.low = down(log(value->low), 3);
  }
  product.high = up(log(value->high), 3);
  *result = product;
}

static bool root(uint64_t square, uint64_t prime, uint64_t inverse, uint64_t half,
                 uint64_t *result) {
  *result = n_powmod2_ui_preinv(square, half, prime, inverse);
  return n_mulmod2_preinv(*result, *result, prime, inverse) == square;
}

static bool square_number(double number, double *result) {
  *result = sqrt(number);
  return number < 0x1p52 && *result == rint(*result);
}

static void note_root(as_field_domain *field, as_degrees *degree, uint64_t square) {
  size_t i = 0;
  while (i < field->roots.n && AS_VEC_AT(&field->roots, uint64_t, i) != square)
    i++;
  if (i == field->roots.n && i < 64)
    as_vec_push(&field->roots, &square);
  if (i < 64)
    degree->roots |= (uint64_t)1 << i;
  else
    degree->many = true;
}

static void f_sqrt(const as_domain *domain, field_value *result, const field_value *operand) {
  as_field_domain *field = DOM(domain);
  field_value product = *operand;
  double root_num;
  double root_den;
  if (operand->deg.constant && operand->deg.const_num >= 0 && operand->low >= 0 &&
      square_number(operand->deg.const_num, &root_num) &&
      square_number(operand->deg.const_den, &root_den)) { /* the true, positive root */
    mpq_t value;
    mpq_init(value);
    mpz_set_d(mpq_numref(value), root_num);
    mpz_set_d(mpq_denref(value), root_den);
    mpq_canonicalize(value);
    f_from_q(domain, &product, value);
    mpq_clear(value);
    product.flags = operand->flags;
    *result = product;
    return;
  }
  product.has_p =
      operand->has_p && root(operand->p, field->p, field->pinv, field->half_p, &product.p);
  product.has_q =
      operand->has_q && root(operand->q, field->q, field->qinv, field->half_q, &product.q);
  product.has_log = product.is_rational = false;
  product.deg.affine = product.deg.constant = false;
  if (operand->high < 0) {
    product.flags |= AS_F_UNDEF;
    whole(&product);
    *result = product;
    return;
  }
  if (operand->low < 0) {
    product.flags |= AS_F_DOUBT;
    product.low = 0;
  } else {
    product.low = fmax(0, down(sqrt(operand->low), 1));
  }
  product.high = up(sqrt(operand->high), 1);
  if (product.has_p)
    note_root(field, &product.deg, operand->p);
  *result = product;
}

static void f_un(const as_domain *domain, as_unop op, void *result, const void *value) {
  if (FIELD_CONST(value)->flags & AS_F_NOVALUE) {
    f_set(domain, result, value);
    return;
  }
  switch (op) {
  case AS_U_NEG:
    f_neg(domain, FIELD(result), FIELD_CONST(value));
    return;
  case AS_U_INV:
    f_inv(domain, FIELD(result), FIELD_CONST(value));
    return;
  case AS_U_EXP:
    f_exp(domain, FIELD(result), FIELD_CONST(value));
    return;
  case AS_U_LOG:
    f_log(domain, FIELD(result), FIELD_CONST(value));
    return;
  case AS_U_SQRT:
    f_sqrt(domain, FIELD(result), FIELD_CONST(value));
    return;
  }
}

/* Whether both are one number, as an element and the maximum that it is are: made by arithmetic
 * alone, with the same residues mod p and mod q.  Two that differ, of degree d, agree in both with
 * chance at most d^2 / (p * q), which is nothing beside what a test may miss (d / p). */
static bool is_same_number(const field_value *one, const field_value *other) {
  return one->is_rational && other->is_rational && one->has_p && one->has_q && other->has_p &&
         other->has_q && one->p == other->p && one->q == other->q && one->low <= other->high &&
         other->low <= one->high;
}

static unsigned f_cmp(const as_domain *domain, const void *left, const void *right) {
  (void)domain;
  const field_value *one = FIELD_CONST(left);
  const field_value *other = FIELD_CONST(right);
  unsigned possible = 0;
  if (is_same_number(one, other))
    return AS_C_EQ;
  if (one->low < other->high)
    possible |= AS_C_LT;
  if (one->high > other->low)
    possible |= AS_C_GT;
  if (one->low <= other->high && other->low <= one->high)
    possible |= AS_C_EQ;
  return possible ? possible : AS_C_ANY;
}

static void f_join(const as_domain *domain, void *result, const void *left, const void *right) {
  (void)domain;
  const field_value *one = FIELD_CONST(left);
  const field_value *other = FIELD_CONST(right);
  field_value product = *one;
  product.flags = (one->flags | other->flags) & AS_F_DOUBT;
  product.flags |= one->flags & other->flags & AS_F_UNDEF;
  if ((one->flags ^ other->flags) & AS_F_UNDEF)
    product.flags |= AS_F_DOUBT;
  bool lost = (one->flags | other->flags) & AS_F_NOVALUE;
  product.has_p = !lost && one->has_p && other->has_p && one->p == other->p;
  product.has_q = !lost && one->has_q && other->has_q && one->q == other->q;
  product.has_log = product.is_rational = false;
  if (lost) {
    whole(&product);
  } else {
    product.low = fmin(one->low, other->low);
    product.high = fmax(one->high, other->high);
  }
  as_degrees_union(&product.deg, &one->deg, &other->deg);
  product.deg.affine = product.deg.constant = false;
  product.deg.degree_num = fmax(one->deg.degree_num, other->deg.degree_num);
  product.deg.degree_den = fmax(one->deg.degree_den, other->deg.degree_den);
  product.deg.terms_num = fmax(one->deg.terms_num, other->deg.terms_num);
  product.deg.terms_den = fmax(one->deg.terms_den, other->deg.terms_den);
  as_degrees first = one->deg;
  as_degrees second = other->deg;
  as_degrees_align(&first, &second);
  product.deg.exp_unit = first.exp_unit;
  product.deg.exp_num = fmax(first.exp_num, second.exp_num);
  product.deg.exp_den = fmax(first.exp_den, second.exp_den);
  product.deg.clear_num = fmax(first.clear_num, second.clear_num);
  product.deg.clear_den = fmax(first.clear_den, second.clear_den);
  if (one->deg.den != other->deg.den)
    product.deg.den = mix(one->deg.den, other->deg.den);
  memcpy(result, &product, sizeof product);
}

static unsigned f_flags(const as_domain *domain, const void *value) {
  (void)domain;
  return FIELD_CONST(value)->flags;
}

static void f_flag(const as_domain *domain, void *result, unsigned flags) {
  (void)domain;
  FIELD(result)->flags |= flags;
}

/* the C library is right to within a few units in the last place */
static void builtin_bounds(as_builtin builtin, const field_value *argument, field_value *result) {
  const as_builtin_row *row = &as_builtin_rows[builtin];
  double low = as_builtin_double(builtin, argument->low);
  double high = as_builtin_double(builtin, argument->high);
  if (row->shape == AS_BUILTIN_CONTRACTS) {
    double width = argument->low < argument->high ? up(argument->high - argument->low, 1) : 0;
    high = low + width;
    low = low - width;
  }
  result->low = isnan(low) ? row->least : fmax(row->least, down(low, 4));
  result->high = isnan(high) ? row->most : fmin(row->most, up(high, 4));
}

static bool f_to_int(const as_domain *domain, const void *element, int64_t *value) {
  (void)domain;
  double number = FIELD_CONST(element)->low;
  bool whole =
      number == FIELD_CONST(element)->high && fabs(number) < 0x1p53 && floor(number) == number;
  *value = whole ? (int64_t)number : 0;
  return whole;
}

/* floor(a / b) of numbers that are known to be whole, as positions are; b > 0 */
static bool whole_quotient(const as_domain *domain, field_value *result,
                           const field_value *numerator, const field_value *denominator) {
  int64_t above;
  int64_t below;
  unsigned flags = numerator->flags | denominator->flags;
  if ((flags & AS_F_NOVALUE) || !f_to_int(domain, numerator, &above) ||
      !f_to_int(domain, denominator, &below))
    return false;
  if (below <= 0)
    flags |= AS_F_UNDEF;
  else
    as_dom_from_int(domain, result, above / below - (above % below < 0));
  result->flags |= flags;
  return true;
}

/* a function that nothing is known of: random, the same for both programs; its interval is the true
 * function's.  Of one that has laws the random one has none: differences are looked for among the
 * intervals. */
static bool f_builtin(const as_domain *domain, const char *name, void *result,
                      const void *const *arg, uint32_t n) {
  as_field_domain *field = DOM(domain);
  if (n == 2 && !strcmp(name, "div"))
    return whole_quotient(domain, FIELD(result), FIELD_CONST(arg[0]), FIELD_CONST(arg[1]));
  as_builtin builtin = as_builtin_find(name, n);
  if (builtin == AS_N_BUILTINS)
    return false;
  uint64_t seed = field->seed + 2 * (uint64_t)builtin;
  const field_value *first = FIELD_CONST(arg[0]);
  field_value product;
  f_init(domain, &product);
  product.flags = first->flags;
  product.has_p = product.has_q = first->has_p;
  product.is_rational = false;
  product.p = mix(first->p, seed) % field->p;
  product.q = mix(first->p, seed + 1) % field->q;
  builtin_bounds(builtin, first, &product);
  product.deg = (as_degrees){.degree_num = 1,
                             .terms_num = 1,
                             .terms_den = 1,
                             .exp_unit = 1,
                             .form_sum = 1,
                             .form_unit = 1,
                             .const_den = 1,
                             .affine = true,
                             .roots = first->deg.roots,
                             .many = first->deg.many,
                             .drawn = first->deg.drawn,
                             .lawful = first->deg.lawful || as_builtin_rows[builtin].has_laws};
  memcpy(result, &product, sizeof product);
  return true;
}

static char *f_print(const as_domain *domain, const void *element) {
  (void)domain;
  const field_value *value = FIELD_CONST(element);
  if (value->flags & AS_F_UNDEF)
    return as_strdup("undefined");
  return value->has_p ? as_format("%llu mod p, in [%.17g, %.17g]", (unsigned long long)value->p,
                                  value->low, value->high)
                      : as_format("in [%.17g, %.17g]", value->low, value->high);
}

void as_field_domain_init(as_field_domain *field, as_rng *rng) {
  uint64_t p;
  uint64_t q;
  as_field_primes(rng, &p, &q);
  as_field_domain_over(field, p, q, rng);
}

void as_field_domain_over(as_field_domain *field, uint64_t p, uint64_t q, as_rng *rng) {
  memset(field, 0, sizeof *field);
  field->p = p;
  field->q = q;
  field->pinv = n_preinvert_limb(p);
  field->qinv = n_preinvert_limb(q);
  field->p_inverse = n_invmod(p % q, q);
  field->half_p = (p + 1) / 4;
  field->half_q = (q + 1) / 4;
  do
    field->w = n_powmod2_ui_preinv(2 + as_rng_below(rng, p - 3), (p - 1) / q, p, field->pinv);
  while (field->w == 1);
  field->seed = as_rng_next(rng);
  mpz_init(field->pq);
  mpz_set_ui(field->pq, p);
  mpz_mul_ui(field->pq, field->pq, q);
  field->scale = (long)mpz_sizeinbase(field->pq, 2) + 42;
  as_vec_init(&field->roots, sizeof(uint64_t));
  field->d = (as_domain){"field",  sizeof(field_value),
                         field,    f_init,
                         f_clear,  f_set,
                         f_from_q, f_add,
                         f_sub,    f_mul,
                         f_un,     f_cmp,
                         f_join,   f_flags,
                         f_flag,   f_builtin,
                         f_print,  f_to_int,
                         NULL,     0};
}

void as_field_domain_clear(as_field_domain *field) {
  mpz_clear(field->pq);
  as_vec_clear(&field->roots);
}

/* (hi * p*q + lo) / 2^scale - shift, 0 <= hi < 2^44, 0 <= lo < p*q: lo fixes the residues, hi the
 * interval */
void as_field_random(const as_field_domain *field, as_rng *rng, bool positive, void *result,
                     mpq_t exact) {
  uint64_t residue_p = as_rng_below(rng, field->p);
  uint64_t residue_q = as_rng_below(rng, field->q);
  uint64_t high = as_rng_next(rng) >> 20;
  mpz_t low;
  mpz_t coarse;
  mpz_inits(low, coarse, NULL);
  /* lo = rp + p * ((rq - rp) / p mod q) */
  uint64_t k = n_submod(residue_q, residue_p % field->q, field->q);
  k = n_mulmod2_preinv(k, field->p_inverse, field->q, field->qinv);
  mpz_set_ui(low, field->p);
  mpz_mul_ui(low, low, k);
  mpz_add_ui(low, low, residue_p);
  mpz_mul_ui(coarse, field->pq, high);
  mpz_add(mpq_numref(exact), coarse, low);
  mpz_set_ui(mpq_denref(exact), 1);
  mpz_mul_2exp(mpq_denref(exact), mpq_denref(exact), (mp_bitcnt_t)field->scale);
  mpq_t shift;
  mpq_t lower;
  mpq_t upper;
  mpq_inits(shift, lower, upper, NULL);
  mpq_set_si(shift, positive ? 1 : -2, positive ? 8 : 1);
  mpz_set(mpq_numref(lower), coarse);
  mpz_add(mpq_numref(upper), coarse, field->pq);
  mpz_set(mpq_denref(lower), mpq_denref(exact));
  mpz_set(mpq_denref(upper), mpq_denref(exact));
  mpq_canonicalize(exact);
  mpq_canonicalize(lower);
  mpq_canonicalize(upper);
  mpq_add(exact, exact, shift);
  mpq_add(lower, lower, shift);
  mpq_add(upper, upper, shift);
  f_from_q(&field->d, result, exact);
  field_value *value = FIELD(result);
  double unused;
  around(lower, &value->low, &unused);
  around(upper, &unused, &value->high);
  value->has_log = false;
  value->deg = (as_degrees){.degree_num = 1,
                            .terms_num = 1,
                            .terms_den = 1,
                            .exp_unit = 1,
                            .form_sum = 1,
                            .form_unit = 1,
                            .const_den = 1,
                            .affine = true};
  mpq_clears(shift, lower, upper, NULL);
  mpz_clears(low, coarse, NULL);
}

void as_field_drawn(const as_field_domain *field, const mpq_t exact, void *result) {
  f_from_q(&field->d, result, exact);
  FIELD(result)->deg.drawn = true;
}

bool as_field_apart(const void *left, const void *right) {
  return FIELD_CONST(left)->high < FIELD_CONST(right)->low ||
         FIELD_CONST(right)->high < FIELD_CONST(left)->low;
}

as_field_cmp as_field_compare(const void *left, const void *right) {
  const field_value *one = FIELD_CONST(left);
  const field_value *other = FIELD_CONST(right);
  if ((one->flags | other->flags) & AS_F_NOVALUE)
    return AS_FC_NONE;
  bool comparable = one->has_p && other->has_p;
  if (comparable && one->p == other->p)
    return AS_FC_SAME;
  if (comparable && !one->deg.lawful && !other->deg.lawful)
    return AS_FC_DIFFER;
  if (as_field_apart(left, right))
    return AS_FC_APART;
  double size = fmax(1e-3, fmax(fabs(one->low), fabs(other->low)));
  return isfinite(size) && fmax(one->high - one->low, other->high - other->low) < 1e-6 * size
             ? AS_FC_CLOSE
             : AS_FC_NONE;
}

/* a - b = N / M with N = sum over j of P_j(x mod p) w^(l_j(x mod q)).  Roots: multiply N with its
 * conjugates under the sign changes of the k roots (degree at most 2^k times as large), and divide
 * by 2^-k, the chance that all k are squares.
 *  - no exponential: Schwartz and Zippel over Z_p.
 *  - affine l_j with coefficients in (1/c)Z: N, cleared of negative exponents, is a polynomial in x
 * mod p and in y_i = w^(x_i/c), y_0 = w^(1/c), which are uniform in the group of order q (y_0: but
 * for 1).
 *  - otherwise: the l_j differ from each other except with chance m(m-1)/2 * e/q, and some P_j is
 * not zero except with chance d/p; then N, as a function of w, is not zero at at least q/m of the q
 * powers (uncertainty principle; the theorem of the Mirage paper). */
as_field_bound as_field_error(const as_field_domain *field, const void *left, const void *right) {
  field_value product;
  f_neg(&field->d, &product, FIELD_CONST(right));
  as_degrees degree = deg_add(FIELD_CONST(left), &product);
  as_field_bound result = {.degree = degree.degree_num,
                           .exponentials = degree.terms_num,
                           .roots = __builtin_popcountll(degree.roots),
                           .affine = !degree.other,
                           .is_random = !(degree.drawn && degree.constant)};
  double conjugates = ldexp(1, result.roots);
  double p = (double)field->p;
  double q = (double)field->q;
  result.exp_degree = degree.other ? degree.odd_degree : degree.exp_num + degree.clear_num;
  if (degree.many)
    result.bound = 1;
  else if (!degree.other)
    result.bound = conjugates * conjugates * (degree.degree_num / p + result.exp_degree / (q - 1));
  else if (result.roots)
    result.bound = 1;
  else
    result.bound = degree.degree_num / p +
                   degree.terms_num * (degree.terms_num - 1) / 2 * degree.odd_degree / q + 1 -
                   1 / degree.terms_num + 1 / q;
  if (!(result.bound < 1))
    result.bound = 1;
  return result;
}
