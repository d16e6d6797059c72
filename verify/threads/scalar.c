/* Element expressions of a thread graph as terms (condition 7). */
#include "den.h"
#include <string.h>

bool as_den_floating(const as_algebra *A, int v) {
  return A->type[v] == AS_F16 || A->type[v] == AS_BF16 || A->type[v] == AS_F32;
}

static as_poly less(as_terms *t, as_poly x, as_poly y) {
  return as_poly_add(t, x, as_poly_neg(t, y));
}

/* functions that are computed without loss of digits, as what they are over the reals */
static as_poly stable(as_terms *t, as_tg_scalar op, as_poly x) {
  as_poly one = as_poly_int(t, 1);
  as_poly two = as_poly_int(t, 2);
  as_poly power;
  switch (op) {
  case AS_TGS_EXPM1:
    return less(t, as_poly_exp(t, x), one);
  case AS_TGS_ONE_LESS_EXP:
    return less(t, one, as_poly_exp(t, x));
  case AS_TGS_LOG1P:
    return as_poly_fn(t, AS_ATOM_LOG, as_poly_add(t, one, x), AS_POLY_NONE);
  case AS_TGS_LOG1M:
    return as_poly_fn(t, AS_ATOM_LOG, less(t, one, x), AS_POLY_NONE);
  case AS_TGS_SOFTPLUS:
    return stable(t, AS_TGS_LOG1P, as_poly_exp(t, x));
  case AS_TGS_SIGMOID:
    power = as_poly_exp(t, x);
    return as_poly_mul(t, power, as_poly_inv(t, as_poly_add(t, one, power)));
  case AS_TGS_TANH:
    power = as_poly_exp(t, as_poly_mul(t, two, x));
    return less(t, one, as_poly_mul(t, two, as_poly_inv(t, as_poly_add(t, power, one))));
  case AS_TGS_ONE_MORE_TANH:
    return as_poly_add(t, one, stable(t, AS_TGS_TANH, x));
  case AS_TGS_ONE_LESS_TANH:
    return less(t, one, stable(t, AS_TGS_TANH, x));
  default:
    return stable(t, AS_TGS_TANH, stable(t, AS_TGS_LOG1P, x));
  }
}

as_poly as_den_apply(as_terms *t, as_tg_scalar op, as_poly x, as_poly y) {
  switch (op) {
  case AS_TGS_ADD:
    return as_poly_add(t, x, y);
  case AS_TGS_SUB:
    return as_poly_add(t, x, as_poly_neg(t, y));
  case AS_TGS_MUL:
    return as_poly_mul(t, x, y);
  case AS_TGS_DIV:
    return as_poly_monos(t, y) ? as_poly_mul(t, x, as_poly_inv(t, y)) : AS_POLY_NONE;
  case AS_TGS_NEG:
    return as_poly_neg(t, x);
  case AS_TGS_INV:
    return as_poly_monos(t, x) ? as_poly_inv(t, x) : AS_POLY_NONE;
  case AS_TGS_SQRT:
    return as_poly_fn(t, AS_ATOM_SQRT, x, AS_POLY_NONE);
  case AS_TGS_RSQRT:
    return as_poly_inv(t, as_poly_fn(t, AS_ATOM_SQRT, x, AS_POLY_NONE));
  case AS_TGS_EXP:
    return as_poly_exp(t, x);
  case AS_TGS_LOG:
    return as_poly_fn(t, AS_ATOM_LOG, x, AS_POLY_NONE);
  case AS_TGS_ABS:
    return as_poly_fn(t, AS_ATOM_ABS, x, AS_POLY_NONE);
  case AS_TGS_ERF:
    return as_poly_fn(t, AS_ATOM_ERF, x, AS_POLY_NONE);
  case AS_TGS_ZERO:
    return as_poly_fn(t, AS_ATOM_ZERO, x, AS_POLY_NONE);
  case AS_TGS_MAX:
    return as_poly_fn(t, AS_ATOM_MAX2, x, y);
  case AS_TGS_MIN:
    return as_poly_fn(t, AS_ATOM_MIN2, x, y);
  case AS_TGS_EXPM1:
  case AS_TGS_ONE_LESS_EXP:
  case AS_TGS_LOG1P:
  case AS_TGS_LOG1M:
  case AS_TGS_SOFTPLUS:
  case AS_TGS_SIGMOID:
  case AS_TGS_TANH:
  case AS_TGS_TANH_LOG1P:
  case AS_TGS_ONE_MORE_TANH:
  case AS_TGS_ONE_LESS_TANH:
    return stable(t, op, x);
  default:
    return AS_POLY_NONE;
  }
}

as_poly as_den_scalar(as_algebra *A, const as_tg_expr *e, const as_poly *arg, unsigned n) {
  as_terms *t = A->t;
  as_poly x = AS_POLY_NONE;
  as_poly y = AS_POLY_NONE;
  as_poly z = AS_POLY_NONE;
  if (!e || as_terms_over(t))
    return AS_POLY_NONE;
  if (e->op == AS_TGS_ARG)
    return e->arg < n ? arg[e->arg] : AS_POLY_NONE;
  if (e->op == AS_TGS_NUM) {
    mpq_t v;
    mpq_init(v);
    bool ok = e->num && !mpq_set_str(v, e->num, 10) && mpz_sgn(mpq_denref(v));
    if (ok)
      mpq_canonicalize(v);
    x = ok ? as_poly_num(t, v) : AS_POLY_NONE;
    mpq_clear(v);
    return x;
  }
  x = as_den_scalar(A, e->kid[0], arg, n);
  if (x == AS_POLY_NONE)
    return x;
  if (as_tg_scalar_arity(e->op) >= 2) {
    y = as_den_scalar(A, e->kid[1], arg, n);
    if (y == AS_POLY_NONE)
      return y;
  }
  if (as_tg_scalar_arity(e->op) == 3) {
    z = as_den_scalar(A, e->kid[2], arg, n);
    if (z == AS_POLY_NONE)
      return z;
  }
  if (e->op != AS_TGS_CHOOSE)
    return as_den_apply(t, e->op, x, y);
  x = as_poly_at_least(t, x); /* NONE where it is no number of places */
  return x == AS_POLY_NONE ? x : as_poly_choice(t, x, y, z);
}
