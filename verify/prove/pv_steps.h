/* Small derived steps: equations, falsehood, linear combinations of theorems.  Includes the rules
 * and the terms. */
#ifndef AS_PV_STEPS_H
#define AS_PV_STEPS_H
#include "pv_log.h"
#include "pv_terms.h"

pv_thm pv_refl(pv *prover, ck_id a);
pv_thm pv_sym(pv *prover, pv_thm thm);
pv_thm pv_trans(pv *prover, pv_thm a, pv_thm b); /* PV_REFL allowed */
pv_eqn pv_then(pv *prover, pv_eqn a, pv_eqn b);  /* x = a.to by a, a.to = b.to by b */

/* f has the same value polynomial as the theorem s, and the same relation */
pv_thm pv_restate(pv *prover, ck_id f, pv_thm thm);
pv_thm pv_scaled(pv *prover, ck_id f, ck_id c, pv_thm thm); /* f is c times what s says */
pv_thm pv_identity(pv *prover, ck_id f);                    /* f is an identity of polynomials */
pv_thm pv_by_value(pv *prover, ck_id f);                    /* f is about constants */

/* any relation f from a falsehood */
pv_thm pv_from_zero_is_one(pv *prover, ck_id f, pv_thm zero_is_one);
pv_thm pv_from_zero_below_zero(pv *prover, ck_id f, pv_thm lt);
pv_thm pv_from_zero_differs(pv *prover, ck_id f, pv_thm ne); /* ne: 0 # 0 */

/* A linear combination of theorems, and of products of two: init, add.., then prove (which clears)
 * or clear.  A summand of PV_REFL is left out; one of PV_NONE makes the proof PV_NONE. */
typedef struct {
  as_vec summands;
  as_vec premises;
} pv_comb;

void pv_comb_init(pv_comb *comb);
void pv_comb_add(pv_comb *comb, ck_id coef, pv_thm premises);
void pv_comb_add_product(pv_comb *comb, ck_id coef, pv_thm p1, pv_thm p2);
pv_thm pv_comb_prove(pv *prover, pv_comb *comb, ck_id f);
void pv_comb_clear(pv_comb *comb);
/* f by the sum of coefficient times theorem over pairs of these: PV_COMBINE(p, f, c1, s1, c2, s2)
 */
pv_thm pv_combine(pv *prover, ck_id f, uint32_t n, const uint32_t *pairs);
#define PV_COMBINE(p, f, ...)                                                                      \
  pv_combine(p, f, sizeof((const uint32_t[]){__VA_ARGS__}) / (2 * sizeof(uint32_t)),               \
             (const uint32_t[]){__VA_ARGS__})

/* laws about one and two terms */
pv_thm pv_law1(pv *prover, const char *name, ck_id x, pv_thm premises);
pv_thm pv_law2(pv *prover, const char *name, ck_id x, ck_id y, pv_thm premises);
pv_thm pv_zero_le_zero(pv *prover); /* the premise of `zero` for an empty range */
#endif
