/* Number domains over which programs are evaluated: exact rationals, double, MPFR intervals and
 * points, floats as hardware rounds them, the finite-field pair. May include: base, ir (opdef.h),
 * GMP, MPFR; the implementations also FLINT. Called by the evaluators, verify/field and
 * verify/refute. */
#ifndef AS_DOMAIN_H
#define AS_DOMAIN_H
#include "../src/ir/builtin.h"
#include <gmp.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Flags of an element.  UNDEF: the expression certainly has no value (division by zero, root or
 * logarithm outside its domain, maximum of nothing).  POISON: this domain cannot say anything about
 * it (exact: exp of a rational other than 0).  DOUBT: a value is known, but not whether the
 * expression is defined (an interval divided by one that contains 0).  Flags pass on to whatever is
 * computed from an element. */
enum { AS_F_UNDEF = 1, AS_F_POISON = 2, AS_F_DOUBT = 4, AS_F_NOVALUE = AS_F_UNDEF | AS_F_POISON };

/* Possible orders of two elements: a set. */
enum { AS_C_LT = 1, AS_C_EQ = 2, AS_C_GT = 4, AS_C_ANY = 7 };

typedef enum { AS_U_NEG, AS_U_INV, AS_U_EXP, AS_U_LOG, AS_U_SQRT } as_unop;

/* Elements are opaque buffers of `size` bytes, aligned to 16.  Results may alias operands. */
typedef struct as_domain as_domain;

struct as_domain {
  const char *name;
  size_t size;
  void *ctx;
  void (*init)(const as_domain *domain, void *x); /* the value 0 */
  void (*clear)(const as_domain *domain, void *x);
  void (*set)(const as_domain *domain, void *result, const void *a);
  void (*from_q)(const as_domain *domain, void *result, mpq_srcptr q);
  void (*add)(const as_domain *domain, void *result, const void *a, const void *b);
  void (*sub)(const as_domain *domain, void *result, const void *a, const void *b);
  void (*mul)(const as_domain *domain, void *result, const void *a, const void *b);
  void (*un)(const as_domain *domain, as_unop op, void *result, const void *a);
  unsigned (*cmp)(const as_domain *domain, const void *a,
                  const void *b); /* operands with a value */
  /* r is a or b, and nobody knows which (a condition could not be decided): keep what holds in both
   * cases */
  void (*join)(const as_domain *domain, void *result, const void *a, const void *b);
  unsigned (*flags)(const as_domain *domain, const void *a);
  void (*flag)(const as_domain *domain, void *result, unsigned flags); /* adds flags */
  bool (*builtin)(const as_domain *domain, const char *name, void *result, const void *const *arg,
                  uint32_t n); /* a func, or `div`; false: unknown name */
  char *(*print)(const as_domain *domain, const void *a); /* malloc'ed */
  /* an element with a value as an integer; false where it is none or that is not known */
  bool (*to_int)(const as_domain *domain, const void *a, int64_t *value);
  /* a quotient that is rounded once; NULL: the product with the inverse */
  void (*div)(const as_domain *domain, void *result, const void *a, const void *b);
  /* terms that a sum within an operator adds before it adds them to the rest: the order matters
   * where sums are rounded; 0: all, one after the other */
  uint32_t part;
};

extern const as_domain
    as_domain_double; /* a double per element; not a number stands for undefined */
extern const as_domain as_domain_exact; /* rationals */
extern const as_domain
    as_domain_bounds; /* intervals with outward rounding, whose ends are doubles */

/* Intervals with outward rounding at `bits` bits of precision: two disjoint intervals prove the
 * values different. */
typedef struct {
  as_domain d;
  long bits;
} as_interval_domain;

void as_interval_domain_init(as_interval_domain *D, long bits);
bool as_interval_disjoint(const as_domain *domain, const void *a, const void *b);
/* an upper bound of |a - b| relative to the larger magnitude, as a power of two; LONG_MAX when
 * unbounded */
long as_interval_distance_log2(const as_domain *domain, const void *a, const void *b);

/* Real numbers by MPFR, rounded to nearest at so many bits; infinities and NaN as IEEE 754 has
 * them.  What floats are compared with. */
typedef struct {
  as_domain d;
  long bits;
} as_point_domain;

void as_point_domain_init(as_point_domain *points, long bits);
double as_point_double(const void *element); /* the nearest double */

/* MPFR keeps constants and numbers for each thread: those of this one go when it ends */
void as_mpfr_forget_at_end(void);
double as_builtin_double(as_builtin builtin, double x); /* by the C library */
/* MPFR's functions, by builtin */
extern int (*const as_builtin_point[AS_N_BUILTINS])(mpfr_ptr result, mpfr_srcptr x,
                                                    mpfr_rnd_t direction);

void as_dom_from_int(const as_domain *domain, void *result, int64_t v);
void *as_dom_new(const as_domain *domain, size_t n); /* n initialised elements */
void as_dom_free(const as_domain *domain, void *x, size_t n);
#define AS_DOM_AT(d, base, i) ((void *)((char *)(base) + (d)->size * (size_t)(i)))
#endif
