/* Functions that specifications declare `builtin`: evaluators and kernels compute them,
 * proofs know what laws say of some (proofs/RULES.md).
 * May include ir/opdef.h.
 * Used by the parser of specifications, the evaluators' domains and lowering. */
#ifndef AS_IR_BUILTIN_H
#define AS_IR_BUILTIN_H
#include "opdef.h"
#include <math.h>
#include <stdint.h>

/* A row each, all of one argument and defined everywhere: the name; the function of the C library,
 * which CUDA has under the same name (with an f behind it for floats); how its values between two
 * arguments are bounded; its least and greatest value; whether laws of the calculus speak of it
 * (then a field has another function in its place).  The interval domain has a function of MPFR for
 * each name, the exact domain says where values are rational. */
#define AS_BUILTINS(X)                                                                             \
  X(erf, erf, AS_BUILTIN_INCREASES, -1, 1, true)                                                   \
  X(floor, floor, AS_BUILTIN_INCREASES, -INFINITY, INFINITY, false)                                \
  X(round, rint, AS_BUILTIN_INCREASES, -INFINITY, INFINITY, false)                                 \
  X(sin, sin, AS_BUILTIN_CONTRACTS, -1, 1, true)                                                   \
  X(cos, cos, AS_BUILTIN_CONTRACTS, -1, 1, true)

typedef enum {
  AS_BUILTIN_INCREASES, /* never decreases */
  AS_BUILTIN_CONTRACTS  /* |f(a) - f(b)| <= |a - b| */
} as_builtin_shape;

typedef enum {

#define X(name, c, shape, least, most, has_laws) AS_BUILTIN_##name,
  AS_BUILTINS(X)
#undef X
      AS_N_BUILTINS
} as_builtin;

typedef struct {
  const char *name;
  const char *c_name;
  as_builtin_shape shape;
  double least;
  double most;
  bool has_laws;
} as_builtin_row;

extern const as_builtin_row as_builtin_rows[];
/* AS_N_BUILTINS: there is none of that name and number of arguments */
as_builtin as_builtin_find(const char *name, uint32_t n_args);
/* whether a body of the operator calls one, also by way of a function */
bool as_opdef_calls_builtin(const as_opdef *op);

#endif
