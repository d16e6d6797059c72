/* Terms: made, and known by their shape.  Includes the prover's state.
 * A builder that is given CK_BAD gives CK_BAD. */
#ifndef AS_PV_TERMS_H
#define AS_PV_TERMS_H
#include "pv_state.h"

ck_id pv_add(pv *prover, ck_id a, ck_id b);
ck_id pv_mul(pv *prover, ck_id a, ck_id b);
ck_id pv_sub(pv *prover, ck_id a, ck_id b); /* a + (-1)*b */
ck_id pv_neg(pv *prover, ck_id a);
ck_id pv_num(pv *prover, long n);
ck_id pv_rational(pv *prover, const mpq_t value);
ck_id pv_unary(pv *prover, ck_op head, ck_id a);
ck_id pv_rel(pv *prover, ck_op head, ck_id a, ck_id b);
ck_id pv_eq(pv *prover, ck_id a, ck_id b);
ck_id pv_le(pv *prover, ck_id a, ck_id b);
ck_id pv_lt(pv *prover, ck_id a, ck_id b);
ck_id pv_ge0(pv *prover, ck_id a); /* 0 <= a */
ck_id pv_gt0(pv *prover, ck_id a); /* 0 < a */
ck_id pv_ne0(pv *prover, ck_id a); /* a # 0 */
ck_id pv_inv(pv *prover, ck_id a);
ck_id pv_exp(pv *prover, ck_id a);
ck_id pv_log(pv *prover, ck_id a);
ck_id pv_sqrt(pv *prover, ck_id a);
ck_id pv_int_var(pv *prover, const char *name);
ck_id pv_real_var(pv *prover, const char *name);
ck_id pv_apply(pv *prover, const char *function, ck_id a); /* function: from an integer to a real */
/* a builtin function of one real, and whether a term is a call of it */
ck_id pv_call(pv *prover, const char *function, ck_id a);
bool pv_is_call(const pv *prover, ck_id term, const char *function);
ck_id pv_apply2(pv *prover, const char *function, ck_id a, ck_id b);
ck_id pv_sum(pv *prover, ck_id n, ck_id k, ck_id body); /* sum over k < n; k a variable */
/* a fold of width 1; the variables k and acc of step are bound here */
ck_id pv_fold1(pv *prover, ck_id n, ck_id init, ck_id k, ck_id acc, ck_id step);
ck_id pv_max2(pv *prover, ck_id a, ck_id b);            /* ite(a <= b, b, a) */
ck_id pv_min2(pv *prover, ck_id a, ck_id b);            /* ite(a <= b, a, b) */
ck_id pv_max(pv *prover, ck_id n, ck_id k, ck_id body); /* max over k < n, base the body at 0 */

/* min over k < n, base the body at 0; the product over k < n, base 1 */
ck_id pv_min(pv *prover, ck_id n, ck_id k, ck_id body);
ck_id pv_prod(pv *prover, ck_id n, ck_id k, ck_id body);

bool pv_is_const(pv *prover, ck_id t);
bool pv_is_atom(const pv *prover, ck_id term); /* of polynomials */
bool pv_is_zero(pv *prover, ck_id t);
bool pv_is_one(pv *prover, ck_id t);
bool pv_is_sum(pv *prover, ck_id t);             /* fold 0 1 n 0 (acc + f), f free of acc */
ck_id pv_sum_body(pv *prover, ck_id t, ck_id k); /* f opened at k */
bool pv_is_max(pv *prover, ck_id t, ck_id *f);   /* as pv_max makes them; *f: under 2 binders */
ck_id pv_max_body(pv *prover, ck_id t, ck_id k); /* f opened at k */
bool pv_is_prod(pv *prover, ck_id t, ck_id *f);  /* fold 0 1 n 1 (acc * f), *f: f at $$k */
bool pv_occurs(pv *prover, ck_id t, ck_id x);    /* x is t or inside of it */
/* nodes of t written out as a tree, sums and products as polynomials, which is what walks over
 * terms cost; not counted beyond the bound */
uint64_t pv_tree_size(pv *prover, ck_id t);
bool pv_too_big(pv *prover, ck_id t); /* written out, t is larger than walks may be */

ck_id pv_const_add(pv *prover, ck_id a, ck_id b);
ck_id pv_const_mul(pv *prover, ck_id a, ck_id b);
ck_id pv_const_inv(pv *prover, ck_id a);
int pv_const_sign(pv *prover, ck_id a);

int pv_order(pv *prover, ck_id a,
             ck_id b); /* structural order, the same whatever the numbers are */
#endif
