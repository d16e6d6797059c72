/* Scalar functions that lose digits as they are written, recognised by their structure, and what
 * computes them well: exp(x) - 1 near 0, log(1 + exp(x)) for large x, tanh by a quotient of
 * exponentials near 0.  One place for every representation of scalars: the caller says how its
 * nodes are read.  May include: base.  Used by src/lower and src/threads. */
#ifndef AS_STABLE_H
#define AS_STABLE_H
#include <stdbool.h>
#include <stdint.h>

/* id, name of the function in kernels (as_NAMEf), what it is over the reals */
#define AS_STABLE_FORMS(S)                                                                         \
  S(EXPM1, "expm1")                 /* exp(x) - 1 */                                               \
  S(ONE_LESS_EXP, "one_less_exp")   /* 1 - exp(x) */                                               \
  S(LOG1P, "log1p")                 /* log(1 + x) */                                               \
  S(LOG1M, "log1m")                 /* log(1 - x) */                                               \
  S(SOFTPLUS, "softplus")           /* log(1 + exp(x)) */                                          \
  S(SIGMOID, "sigmoid")             /* exp(x) / (1 + exp(x)) */                                    \
  S(TANH, "tanh")                   /* 1 - 2 / (exp(2 x) + 1), and quotients of exponentials */    \
  S(TANH_LOG1P, "tanh_log1p")       /* the same of log(1 + x), x not negative */                   \
  S(ONE_MORE_TANH, "one_more_tanh") /* 1 + tanh(x), tanh by any of these */                        \
  S(ONE_LESS_TANH, "one_less_tanh") /* 1 - tanh(x) */

typedef enum {
  AS_STABLE_NONE,

#define S(id, name) AS_STABLE_##id,
  AS_STABLE_FORMS(S)
#undef S
      AS_STABLE_COUNT
} as_stable;

typedef enum {
  AS_SHAPE_OTHER,
  AS_SHAPE_NUMBER,
  AS_SHAPE_ADD,
  AS_SHAPE_SUB,
  AS_SHAPE_MUL,
  AS_SHAPE_DIV,
  AS_SHAPE_NEG,
  AS_SHAPE_EXP,
  AS_SHAPE_LOG
} as_shape;

typedef uintptr_t as_scalar_ref; /* a node of the caller's, or its number */

typedef struct {
  const void *of; /* what the functions get first */
  as_shape (*shape)(const void *of, as_scalar_ref e);
  as_scalar_ref (*kid)(const void *of, as_scalar_ref e, int i);
  double (*number)(const void *of, as_scalar_ref e); /* of AS_SHAPE_NUMBER */
  bool (*same)(const void *of, as_scalar_ref x, as_scalar_ref y);
} as_scalar_view;

/* which of the functions e is, and of what; AS_STABLE_NONE: it is none */
as_stable as_stable_form(const as_scalar_view *view, as_scalar_ref e, as_scalar_ref *x);
const char *as_stable_name(as_stable form); /* as_NAME, without the f */
#endif
