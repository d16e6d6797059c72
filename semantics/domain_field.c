#include "domain_field.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <flint/flint.h>
#include <flint/ulong_extras.h>
#include <math.h>
#include <string.h>

/* Degrees of an element as a quotient of sums of (polynomial times exponential): of the
 * polynomials, number of the exponentials, and of the exponents. */
typedef struct {
  double dn;
  double dd; /* degree of numerator and denominator in the p-parts of the inputs */
  double mn;
  double md; /* how many different exponentials stand in each, at most */
  double xn;
  double xd; /* affine exponents: sum of |coefficients| of one term, at most, in units of 1/xc */
  double vn;
  double vd;
  double xc; /* and what clears the negative ones: the sum over the variables of the greatest
                negative coefficient */
  double ed; /* other exponents: their degree */
  double l1;
  double lc; /* the element as an affine form: sum of |coefficients| in units of 1/lc */
  double cn;
  double cd;      /* constant: its value */
  uint64_t den;   /* fingerprint of the denominator: equal ones need no common denominator */
  uint64_t roots; /* which square roots occur */
  bool affine;
  bool constant;
  bool other;
  bool many; /* other: an exponent is not affine; many: more than 64 roots */
} degrees;

typedef struct {
  uint64_t p;
  uint64_t q;
  uint64_t lp;
  uint64_t lq;
  double lo;
  double hi;
  double ldeg;
  unsigned flags;
  bool hp;
  bool hq;
  bool hl;
  degrees g;
} field_value;

#define FIELD(x) ((field_value *)(x))
#define FIELD_CONST(x) ((const field_value *)(x))
#define DOM(d) ((as_field_domain *)(d)->ctx)

static uint64_t mix(uint64_t x, uint64_t seed) {
  x += seed * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static double down(double x, int n) {
  for (; n; n--)
    x = nextafter(x, -INFINITY);
  return x;
}

static double up(double x, int n) {
  for (; n; n--)
    x = nextafter(x, INFINITY);
  return x;
}

static void f_init(const as_domain *domain, void *x) {
  (void)domain;
  memset(x, 0, sizeof(field_value));
  FIELD(x)->hp = FIELD(x)->hq = true;
  FIELD(x)->g =
      (degrees){.mn = 1, .md = 1, .xc = 1, .lc = 1, .cd = 1, .affine = true, .constant = true};
}

static void f_clear(const as_domain *domain, void *x) {
  (void)domain;
  (void)x;
}

static void f_set(const as_domain *domain, void *result, const void *a) {
  (void)domain;
  if (result != a)
    memcpy(result, a, sizeof(field_value));
}

static uint64_t mod_q(mpq_srcptr value, uint64_t m, uint64_t minv, bool *ok) {
  uint64_t n = mpz_fdiv_ui(mpq_numref(value), m);
  uint64_t d = mpz_fdiv_ui(mpq_denref(value), m);
  if (!d) {
    *ok = false;
    return 0;
  }
  return n_mulmod2_preinv(n, n_invmod(d, m), m, minv);
}

/* doubles around a rational */
static void around(mpq_srcptr x, double *lo, double *hi) {
  double value = mpq_get_d(x); /* truncates */
  mpq_t t;
  mpq_init(t);
  *lo = *hi = value;
  if (isfinite(value))
    mpq_set_d(t, value);
  if (!isfinite(value) || !mpq_equal(t, x)) {
    *lo = down(value, 1);
    *hi = up(value, 1);
  }
  mpq_clear(t);
}

static void f_from_q(const as_domain *domain, void *result, mpq_srcptr x) {
  as_field_domain *field = DOM(domain);
  f_init(domain, result);
  field_value *value = FIELD(result);
  value->p = mod_q(x, field->p, field->pinv, &value->hp);
  value->q = mod_q(x, field->q, field->qinv, &value->hq);
  around(x, &value->lo, &value->hi);
  value->hl = !mpq_cmp_ui(x, 1, 1);
  value->g.cn = mpz_get_d(mpq_numref(x));
  value->g.cd = mpz_get_d(mpq_denref(x));
  value->g.l1 = fabs(value->g.cn);
  value->g.lc = value->g.cd;
}

/* a common multiple of two units (exact while they are below 2^53; beyond, the bound is vacuous
 * anyway) */
static double unit(double ca, double cb) {
  return fmod(ca, cb) == 0 ? ca : fmod(cb, ca) == 0 ? cb : ca * cb;
}

static void exponents_in(degrees *g, double c) {
  double k = c / g->xc;
  g->xn *= k;
  g->xd *= k;
  g->vn *= k;
  g->vd *= k;
  g->xc = c;
}

/* both with exponents in one unit */
static void align(degrees *a, degrees *b) {
  double c = unit(a->xc, b->xc);
  exponents_in(a, c);
  exponents_in(b, c);
}

static bool zero(const field_value *a) {
  return a->g.constant && a->hp && !a->p && a->lo == 0 && a->hi == 0;
}

static void deg_union(degrees *result, const degrees *a, const degrees *b) {
  result->ed = fmax(a->ed, b->ed);
  result->roots = a->roots | b->roots;
  result->many = a->many || b->many;
  result->other = a->other || b->other;
}

static degrees deg_add(const field_value *A, const field_value *B) {
  if (zero(A))
    return B->g;
  if (zero(B))
    return A->g;
  degrees ga = A->g;
  degrees gb = B->g;
  degrees *a = &ga;
  degrees *b = &gb;
  degrees result = {0};
  align(a, b);
  result.xc = a->xc;
  deg_union(&result, a, b);
  result.constant = a->constant && b->constant;
  result.affine = a->affine && b->affine;
  result.lc = unit(a->lc, b->lc);
  result.l1 = a->l1 * (result.lc / a->lc) + b->l1 * (result.lc / b->lc);
  result.cn = a->cn * b->cd + b->cn * a->cd;
  result.cd = a->cd * b->cd;
  if (result.constant && a->cd == b->cd) {
    result.cn = a->cn + b->cn;
    result.cd = a->cd;
  }
  bool plain = a->xn == 0 && a->xd == 0 && !a->other && b->xn == 0 && b->xd == 0 && !b->other;
  if (a->den == b->den) {
    result.dn = fmax(a->dn, b->dn);
    result.dd = fmax(a->dd, b->dd);
    result.mn = plain ? 1 : a->mn + b->mn;
    result.md = fmax(a->md, b->md);
    result.xn = fmax(a->xn, b->xn);
    result.xd = fmax(a->xd, b->xd);
    result.vn = a->vn + b->vn;
    result.vd = fmax(a->vd, b->vd);
    result.den = a->den;
    return result;
  }
  result.dn = fmax(a->dn + b->dd, b->dn + a->dd);
  result.dd = a->dd + b->dd;
  result.mn = plain ? 1 : a->mn * b->md + b->mn * a->md;
  result.md = plain ? 1 : a->md * b->md;
  result.xn = fmax(a->xn + b->xd, b->xn + a->xd);
  result.xd = a->xd + b->xd;
  result.vn = a->vn + b->vd + b->vn + a->vd;
  result.vd = a->vd + b->vd;
  result.den = a->den + b->den;
  return result;
}

static degrees deg_mul(const field_value *A, const field_value *B) {
  degrees ga = A->g;
  degrees gb = B->g;
  degrees *a = &ga;
  degrees *b = &gb;
  degrees result = {0};
  align(a, b);
  result.xc = a->xc;
  deg_union(&result, a, b);
  result.constant = a->constant && b->constant;
  result.affine = (a->affine && b->constant) || (a->constant && b->affine);
  result.l1 = a->l1 * b->l1; /* a constant's l1 is its numerator */
  result.lc = a->lc * b->lc;
  result.cn = a->cn * b->cn;
  result.cd = a->cd * b->cd;
  result.dn = a->dn + b->dn;
  result.dd = a->dd + b->dd;
  result.mn = a->mn * b->mn;
  result.md = a->md * b->md;
  result.xn = a->xn + b->xn;
  result.xd = a->xd + b->xd;
  result.vn = a->vn + b->vn;
  result.vd = a->vd + b->vd;
  result.den = a->den + b->den;
  return result;
}

static void two(field_value *result, const field_value *a, const field_value *b) {
  result->flags = a->flags | b->flags;
  result->hp = a->hp && b->hp;
  result->hq = a->hq && b->hq;
}

static void whole(field_value *result) {
  result->lo = -INFINITY;
  result->hi = INFINITY;
}

static void f_add(const as_domain *domain, void *result, const void *a, const void *b) {
  as_field_domain *field = DOM(domain);
  field_value product = {0};
  two(&product, FIELD_CONST(a), FIELD_CONST(b));
  product.p = n_addmod(FIELD_CONST(a)->p, FIELD_CONST(b)->p, field->p);
  product.q = n_addmod(FIELD_CONST(a)->q, FIELD_CONST(b)->q, field->q);
  product.lo = FIELD_CONST(a)->lo + FIELD_CONST(b)->lo;
  product.hi = FIELD_CONST(a)->hi + FIELD_CONST(b)->hi;
  bool exact = FIELD_CONST(a)->lo == FIELD_CONST(a)->hi &&
               FIELD_CONST(b)->lo == FIELD_CONST(b)->hi &&
               product.lo - FIELD_CONST(a)->lo == FIELD_CONST(b)->lo &&
               product.lo - FIELD_CONST(b)->lo == FIELD_CONST(a)->lo && fabs(product.lo) < 0x1p52 &&
               product.lo == rint(product.lo) && FIELD_CONST(a)->lo == rint(FIELD_CONST(a)->lo);
  if (!exact) {
    product.lo = down(product.lo, 1);
    product.hi = up(product.hi, 1);
  }
  if (isnan(product.lo) || isnan(product.hi))
    whole(&product);
  product.g = deg_add(FIELD_CONST(a), FIELD_CONST(b));
  product.ldeg = 0;
  memcpy(result, &product, sizeof product);
}

static void f_neg(const as_domain *domain, field_value *result, const field_value *a) {
  as_field_domain *field = DOM(domain);
  field_value product = *a;
  product.p = n_negmod(a->p, field->p);
  product.q = n_negmod(a->q, field->q);
  product.lo = -a->hi;
  product.hi = -a->lo;
  product.hl = false;
  product.g.cn = -a->g.cn;
  *result = product;
}

static void f_sub(const as_domain *domain, void *result, const void *a, const void *b) {
  field_value product;
  f_neg(domain, &product, FIELD_CONST(b));
  f_add(domain, result, a, &product);
}

static void f_mul(const as_domain *domain, void *result, const void *a, const void *b) {
  as_field_domain *field = DOM(domain);
  field_value product = {0};
  const field_value *x = FIELD_CONST(a);
  const field_value *y = FIELD_CONST(b);
  two(&product, x, y);
  product.p = n_mulmod2_preinv(x->p, y->p, field->p, field->pinv);
  product.q = n_mulmod2_preinv(x->q, y->q, field->q, field->qinv);
  if (x->hl && y->hl) {
    product.hl = true;
    product.lp = n_addmod(x->lp, y->lp, field->p);
    product.lq = n_addmod(x->lq, y->lq, field->q);
    product.ldeg = x->ldeg + y->ldeg;
  }
  double value[4] = {x->lo * y->lo, x->lo * y->hi, x->hi * y->lo, x->hi * y->hi};
  product.lo = product.hi = value[0];
  bool nan = false;
  for (int i = 0; i < 4; i++) {
    nan |= isnan(value[i]);
    product.lo = fmin(product.lo, value[i]);
    product.hi = fmax(product.hi, value[i]);
  }
  bool ints = x->lo == x->hi && y->lo == y->hi && x->lo == rint(x->lo) && y->lo == rint(y->lo) &&
              fabs(value[0]) < 0x1p52;
  bool zeros = (x->lo == 0 && x->hi == 0) || (y->lo == 0 && y->hi == 0);
  if (zeros && !nan) {
    product.lo = product.hi = 0;
  } else if (!ints) {
    product.lo = down(product.lo, 1);
    product.hi = up(product.hi, 1);
  }
  if (nan)
    whole(&product);
  product.g = deg_mul(x, y);
  memcpy(result, &product, sizeof product);
}

static void f_inv(const as_domain *domain, field_value *result, const field_value *a) {
  as_field_domain *field = DOM(domain);
  field_value product = *a;
  if (a->lo == 0 && a->hi == 0) {
    product.flags |= AS_F_UNDEF;
    whole(&product);
    *result = product;
    return;
  }
  product.hp = a->hp && a->p;
  product.hq = a->hq && a->q;
  product.p = product.hp ? n_invmod(a->p, field->p) : 0;
  product.q = product.hq ? n_invmod(a->q, field->q) : 0;
  product.lp = n_negmod(a->lp, field->p);
  product.lq = n_negmod(a->lq, field->q);
  if (a->lo <= 0 && a->hi >= 0) {
    product.flags |= AS_F_DOUBT;
    whole(&product);
  } else {
    product.lo = down(1 / a->hi, 1);
    product.hi = up(1 / a->lo, 1);
  }
  product.g.dn = a->g.dd;
  product.g.dd = a->g.dn;
  product.g.mn = a->g.md;
  product.g.md = a->g.mn;
  product.g.xn = a->g.xd;
  product.g.xd = a->g.xn;
  product.g.vn = a->g.vd;
  product.g.vd = a->g.vn;
  product.g.affine = a->g.constant;
  product.g.cn = a->g.cn < 0 ? -a->g.cd : a->g.cd;
  product.g.cd = fabs(a->g.cn);
  product.g.l1 = fabs(product.g.cn);
  product.g.lc = product.g.cd;
  product.g.den = a->g.constant ? a->g.den : mix(a->p, 77);
  *result = product;
}

static void f_exp(const as_domain *domain, field_value *result, const field_value *a) {
  as_field_domain *field = DOM(domain);
  field_value product;
  f_init(domain, &product);
  product.flags = a->flags;
  product.hp = a->hq;
  product.hq = false;
  product.p = product.hp ? n_powmod2_ui_preinv(field->w, a->q, field->p, field->pinv) : 0;
  product.hl = a->hp && a->hq;
  product.lp = a->p;
  product.lq = a->q;
  product.ldeg = a->g.dn + a->g.dd;
  product.lo = fmax(0, down(exp(a->lo), 3));
  product.hi = up(exp(a->hi), 3);
  deg_union(&product.g, &a->g, &a->g);
  product.g.constant = product.g.affine = false;
  product.g.xc = 1;
  if (zero(a)) {
    mpq_t one;
    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    f_from_q(domain, &product, one);
    mpq_clear(one);
    product.flags = a->flags;
  } else if (a->g.affine) {
    product.g.xn = product.g.vn = a->g.l1;
    product.g.xc = a->g.lc;
  } else {
    product.g.other = true;
    product.g.ed = fmax(a->g.ed, a->g.dn + a->g.dd);
  }
  *result = product;
}

static void f_log(const as_domain *domain, field_value *result, const field_value *a) {
  field_value product;
  f_init(domain, &product);
  product.flags = a->flags;
  product.hp = product.hq = a->hl;
  product.p = a->lp;
  product.q = a->lq;
  product.g.dn = product.g.dd = a->ldeg;
  product.g.constant = product.g.affine = false;
  if (a->hi <= 0) {
    product.flags |= AS_F_UNDEF;
    whole(&product);
    *result = product;
    return;
  }
  if (a->lo <= 0) {
    product.flags |= AS_F_DOUBT;
    product.lo = -INFINITY;
  } else {
    product.lo = down(log(a->lo), 3);
  }
  product.hi = up(log(a->hi), 3);
  *result = product;
}

static bool root(uint64_t x, uint64_t m, uint64_t minv, uint64_t half, uint64_t *result) {
  *result = n_powmod2_ui_preinv(x, half, m, minv);
  return n_mulmod2_preinv(*result, *result, m, minv) == x;
}

static bool square_number(double x, double *result) {
  *result = sqrt(x);
  return x < 0x1p52 && *result == rint(*result);
}

static void note_root(as_field_domain *field, degrees *g, uint64_t x) {
  size_t i = 0;
  while (i < field->roots.n && AS_VEC_AT(&field->roots, uint64_t, i) != x)
    i++;
  if (i == field->roots.n && i < 64)
    as_vec_push(&field->roots, &x);
  if (i < 64)
    g->roots |= (uint64_t)1 << i;
  else
    g->many = true;
}

static void f_sqrt(const as_domain *domain, field_value *result, const field_value *a) {
  as_field_domain *field = DOM(domain);
  field_value product = *a;
  double n;
  double m;
  if (a->g.constant && a->g.cn >= 0 && a->lo >= 0 && square_number(a->g.cn, &n) &&
      square_number(a->g.cd, &m)) { /* the true, positive root */
    mpq_t value;
    mpq_init(value);
    mpz_set_d(mpq_numref(value), n);
    mpz_set_d(mpq_denref(value), m);
    mpq_canonicalize(value);
    f_from_q(domain, &product, value);
    mpq_clear(value);
    product.flags = a->flags;
    *result = product;
    return;
  }
  product.hp = a->hp && root(a->p, field->p, field->pinv, field->half_p, &product.p);
  product.hq = a->hq && root(a->q, field->q, field->qinv, field->half_q, &product.q);
  product.hl = false;
  product.g.affine = product.g.constant = false;
  if (a->hi < 0) {
    product.flags |= AS_F_UNDEF;
    whole(&product);
    *result = product;
    return;
  }
  if (a->lo < 0) {
    product.flags |= AS_F_DOUBT;
    product.lo = 0;
  } else {
    product.lo = fmax(0, down(sqrt(a->lo), 1));
  }
  product.hi = up(sqrt(a->hi), 1);
  if (product.hp)
    note_root(field, &product.g, a->p);
  *result = product;
}

static void f_un(const as_domain *domain, as_unop op, void *result, const void *a) {
  if (FIELD_CONST(a)->flags & AS_F_NOVALUE) {
    f_set(domain, result, a);
    return;
  }
  switch (op) {
  case AS_U_NEG:
    f_neg(domain, FIELD(result), FIELD_CONST(a));
    return;
  case AS_U_INV:
    f_inv(domain, FIELD(result), FIELD_CONST(a));
    return;
  case AS_U_EXP:
    f_exp(domain, FIELD(result), FIELD_CONST(a));
    return;
  case AS_U_LOG:
    f_log(domain, FIELD(result), FIELD_CONST(a));
    return;
  case AS_U_SQRT:
    f_sqrt(domain, FIELD(result), FIELD_CONST(a));
    return;
  }
}

static unsigned f_cmp(const as_domain *domain, const void *a, const void *b) {
  (void)domain;
  const field_value *x = FIELD_CONST(a);
  const field_value *y = FIELD_CONST(b);
  unsigned m = 0;
  if (x->lo < y->hi)
    m |= AS_C_LT;
  if (x->hi > y->lo)
    m |= AS_C_GT;
  if (x->lo <= y->hi && y->lo <= x->hi)
    m |= AS_C_EQ;
  return m ? m : AS_C_ANY;
}

static void f_join(const as_domain *domain, void *result, const void *a, const void *b) {
  (void)domain;
  const field_value *x = FIELD_CONST(a);
  const field_value *y = FIELD_CONST(b);
  field_value product = *x;
  product.flags = (x->flags | y->flags) & AS_F_DOUBT;
  product.flags |= x->flags & y->flags & AS_F_UNDEF;
  if ((x->flags ^ y->flags) & AS_F_UNDEF)
    product.flags |= AS_F_DOUBT;
  bool lost = (x->flags | y->flags) & AS_F_NOVALUE;
  product.hp = !lost && x->hp && y->hp && x->p == y->p;
  product.hq = !lost && x->hq && y->hq && x->q == y->q;
  product.hl = false;
  if (lost) {
    whole(&product);
  } else {
    product.lo = fmin(x->lo, y->lo);
    product.hi = fmax(x->hi, y->hi);
  }
  deg_union(&product.g, &x->g, &y->g);
  product.g.affine = product.g.constant = false;
  product.g.dn = fmax(x->g.dn, y->g.dn);
  product.g.dd = fmax(x->g.dd, y->g.dd);
  product.g.mn = fmax(x->g.mn, y->g.mn);
  product.g.md = fmax(x->g.md, y->g.md);
  degrees a2 = x->g;
  degrees b2 = y->g;
  align(&a2, &b2);
  product.g.xc = a2.xc;
  product.g.xn = fmax(a2.xn, b2.xn);
  product.g.xd = fmax(a2.xd, b2.xd);
  product.g.vn = fmax(a2.vn, b2.vn);
  product.g.vd = fmax(a2.vd, b2.vd);
  if (x->g.den != y->g.den)
    product.g.den = mix(x->g.den, y->g.den);
  memcpy(result, &product, sizeof product);
}

static unsigned f_flags(const as_domain *domain, const void *a) {
  (void)domain;
  return FIELD_CONST(a)->flags;
}

static void f_flag(const as_domain *domain, void *result, unsigned flags) {
  (void)domain;
  FIELD(result)->flags |= flags;
}

/* the C library is right to within a few units in the last place */
static void builtin_bounds(as_builtin builtin, const field_value *x, field_value *result) {
  const as_builtin_row *row = &as_builtin_rows[builtin];
  double lo = as_builtin_double(builtin, x->lo);
  double hi = as_builtin_double(builtin, x->hi);
  if (row->shape == AS_BUILTIN_CONTRACTS) {
    double width = x->lo < x->hi ? up(x->hi - x->lo, 1) : 0;
    hi = lo + width;
    lo = lo - width;
  }
  result->lo = isnan(lo) ? row->least : fmax(row->least, down(lo, 4));
  result->hi = isnan(hi) ? row->most : fmin(row->most, up(hi, 4));
}

/* a function that nothing is known of: random, the same for both programs; its interval is the true
 * function's */
static bool f_builtin(const as_domain *domain, const char *name, void *result,
                      const void *const *arg, uint32_t n) {
  as_field_domain *field = DOM(domain);
  as_builtin builtin = as_builtin_find(name, n);
  if (builtin == AS_N_BUILTINS)
    return false;
  uint64_t seed = field->seed + 2 * (uint64_t)builtin;
  const field_value *a = FIELD_CONST(arg[0]);
  field_value product;
  f_init(domain, &product);
  product.flags = a->flags;
  product.hp = product.hq = a->hp;
  product.p = mix(a->p, seed) % field->p;
  product.q = mix(a->p, seed + 1) % field->q;
  builtin_bounds(builtin, a, &product);
  product.g = (degrees){.dn = 1,
                        .mn = 1,
                        .md = 1,
                        .xc = 1,
                        .l1 = 1,
                        .lc = 1,
                        .cd = 1,
                        .affine = true,
                        .roots = a->g.roots,
                        .many = a->g.many};
  memcpy(result, &product, sizeof product);
  return true;
}

static bool f_to_int(const as_domain *domain, const void *a, int64_t *value) {
  (void)domain;
  double x = FIELD_CONST(a)->lo;
  bool whole = x == FIELD_CONST(a)->hi && fabs(x) < 0x1p53 && floor(x) == x;
  *value = whole ? (int64_t)x : 0;
  return whole;
}

static char *f_print(const as_domain *domain, const void *a) {
  (void)domain;
  const field_value *value = FIELD_CONST(a);
  if (value->flags & AS_F_UNDEF)
    return as_strdup("undefined");
  return value->hp ? as_format("%llu mod p, in [%.17g, %.17g]", (unsigned long long)value->p,
                               value->lo, value->hi)
                   : as_format("in [%.17g, %.17g]", value->lo, value->hi);
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
                         f_print,  f_to_int};
}

void as_field_domain_clear(as_field_domain *field) {
  mpz_clear(field->pq);
  as_vec_clear(&field->roots);
}

/* (hi * p*q + lo) / 2^scale - shift, 0 <= hi < 2^44, 0 <= lo < p*q: lo fixes the residues, hi the
 * interval */
void as_field_random(const as_field_domain *field, as_rng *rng, bool positive, void *result,
                     mpq_t exact) {
  uint64_t rp = as_rng_below(rng, field->p);
  uint64_t rq = as_rng_below(rng, field->q);
  uint64_t hi = as_rng_next(rng) >> 20;
  mpz_t lo;
  mpz_t t;
  mpz_inits(lo, t, NULL);
  /* lo = rp + p * ((rq - rp) / p mod q) */
  uint64_t k = n_submod(rq, rp % field->q, field->q);
  k = n_mulmod2_preinv(k, n_invmod(field->p % field->q, field->q), field->q, field->qinv);
  mpz_set_ui(lo, field->p);
  mpz_mul_ui(lo, lo, k);
  mpz_add_ui(lo, lo, rp);
  mpz_mul_ui(t, field->pq, hi);
  mpz_add(mpq_numref(exact), t, lo);
  mpz_set_ui(mpq_denref(exact), 1);
  mpz_mul_2exp(mpq_denref(exact), mpq_denref(exact), (mp_bitcnt_t)field->scale);
  mpq_t shift;
  mpq_t a;
  mpq_t b;
  mpq_inits(shift, a, b, NULL);
  mpq_set_si(shift, positive ? 1 : -2, positive ? 8 : 1);
  mpz_set(mpq_numref(a), t);
  mpz_add(mpq_numref(b), t, field->pq);
  mpz_set(mpq_denref(a), mpq_denref(exact));
  mpz_set(mpq_denref(b), mpq_denref(exact));
  mpq_canonicalize(exact);
  mpq_canonicalize(a);
  mpq_canonicalize(b);
  mpq_add(exact, exact, shift);
  mpq_add(a, a, shift);
  mpq_add(b, b, shift);
  f_from_q(&field->d, result, exact);
  field_value *value = FIELD(result);
  double unused;
  around(a, &value->lo, &unused);
  around(b, &unused, &value->hi);
  value->hl = false;
  value->g =
      (degrees){.dn = 1, .mn = 1, .md = 1, .xc = 1, .l1 = 1, .lc = 1, .cd = 1, .affine = true};
  mpq_clears(shift, a, b, NULL);
  mpz_clears(lo, t, NULL);
}

bool as_field_apart(const void *a, const void *b) {
  return FIELD_CONST(a)->hi < FIELD_CONST(b)->lo || FIELD_CONST(b)->hi < FIELD_CONST(a)->lo;
}

as_field_cmp as_field_compare(const void *a, const void *b) {
  const field_value *x = FIELD_CONST(a);
  const field_value *y = FIELD_CONST(b);
  if ((x->flags | y->flags) & AS_F_NOVALUE)
    return AS_FC_NONE;
  if (x->hp && y->hp)
    return x->p == y->p ? AS_FC_SAME : AS_FC_DIFFER;
  if (as_field_apart(a, b))
    return AS_FC_APART;
  double size = fmax(1e-3, fmax(fabs(x->lo), fabs(y->lo)));
  return isfinite(size) && fmax(x->hi - x->lo, y->hi - y->lo) < 1e-6 * size ? AS_FC_CLOSE
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
as_field_bound as_field_error(const as_field_domain *field, const void *a, const void *b) {
  field_value product;
  f_neg(&field->d, &product, FIELD_CONST(b));
  degrees g = deg_add(FIELD_CONST(a), &product);
  as_field_bound result = {.degree = g.dn,
                           .exponentials = g.mn,
                           .roots = __builtin_popcountll(g.roots),
                           .affine = !g.other};
  double k2 = ldexp(1, result.roots);
  double p = (double)field->p;
  double q = (double)field->q;
  result.exp_degree = g.other ? g.ed : g.xn + g.vn;
  if (g.many)
    result.bound = 1;
  else if (!g.other)
    result.bound = k2 * k2 * (g.dn / p + result.exp_degree / (q - 1));
  else if (result.roots)
    result.bound = 1;
  else
    result.bound = g.dn / p + g.mn * (g.mn - 1) / 2 * g.ed / q + 1 - 1 / g.mn + 1 / q;
  if (!(result.bound < 1))
    result.bound = 1;
  return result;
}
