/* Terms: made, and known by their shape.  Includes the prover's state.
 * A builder that is given CK_BAD gives CK_BAD. */
#ifndef AS_PV_TERMS_H
#define AS_PV_TERMS_H
#include "pv_state.h"

ck_id pv_add(pv *p, ck_id a, ck_id b);
ck_id pv_mul(pv *p, ck_id a, ck_id b);
ck_id pv_sub(pv *p, ck_id a, ck_id b); /* a + (-1)*b */
ck_id pv_neg(pv *p, ck_id a);
ck_id pv_num(pv *p, long n);
ck_id pv_unary(pv *p, ck_op o, ck_id a);
ck_id pv_rel(pv *p, ck_op o, ck_id a, ck_id b);
ck_id pv_eq(pv *p, ck_id a, ck_id b);
ck_id pv_le(pv *p, ck_id a, ck_id b);
ck_id pv_lt(pv *p, ck_id a, ck_id b);
ck_id pv_ge0(pv *p, ck_id a); /* 0 <= a */
ck_id pv_gt0(pv *p, ck_id a); /* 0 < a */
ck_id pv_ne0(pv *p, ck_id a); /* a # 0 */
ck_id pv_inv(pv *p, ck_id a);
ck_id pv_exp(pv *p, ck_id a);
ck_id pv_log(pv *p, ck_id a);
ck_id pv_sqrt(pv *p, ck_id a);
ck_id pv_int_var(pv *p, const char *name);
ck_id pv_real_var(pv *p, const char *name);
ck_id pv_apply(pv *p, const char *function, ck_id a); /* function: from an integer to a real */
ck_id pv_apply2(pv *p, const char *function, ck_id a, ck_id b);
ck_id pv_sum(pv *p, ck_id n, ck_id k, ck_id body); /* sum over k < n; k a variable */
/* a fold of width 1; the variables k and acc of step are bound here */
ck_id pv_fold1(pv *p, ck_id n, ck_id init, ck_id k, ck_id acc, ck_id step);
ck_id pv_max2(pv *p, ck_id a, ck_id b);            /* ite(a <= b, b, a) */
ck_id pv_max(pv *p, ck_id n, ck_id k, ck_id body); /* max over k < n, base the body at 0 */

bool pv_is_const(pv *p, ck_id t);
bool pv_is_zero(pv *p, ck_id t);
bool pv_is_one(pv *p, ck_id t);
bool pv_is_sum(pv *p, ck_id t);             /* fold 0 1 n 0 (acc + f), f free of acc */
ck_id pv_sum_body(pv *p, ck_id t, ck_id k); /* f opened at k */
bool pv_is_max(pv *p, ck_id t, ck_id *f);   /* as pv_max makes them; *f: under 2 binders */
ck_id pv_max_body(pv *p, ck_id t, ck_id k); /* f opened at k */
bool pv_is_prod(pv *p, ck_id t, ck_id *f);  /* fold 0 1 n 1 (acc * f), *f: f at $$k */
bool pv_occurs(pv *p, ck_id t, ck_id x);    /* x is t or inside of it */
bool pv_too_big(pv *p, ck_id t);            /* written out, t is larger than walks may be */

ck_id pv_const_add(pv *p, ck_id a, ck_id b);
ck_id pv_const_mul(pv *p, ck_id a, ck_id b);
ck_id pv_const_inv(pv *p, ck_id a);
int pv_const_sign(pv *p, ck_id a);

int pv_order(pv *p, ck_id a, ck_id b); /* structural order, the same whatever the numbers are */
#endif
