/* Contexts: chains of hypotheses, and of what follows from them and is worth having as a fact.
 * Includes the rules. */
#ifndef AS_PV_CONTEXT_H
#define AS_PV_CONTEXT_H
#include "pv_log.h"

/* What a context ends with.  `thm` proves the formula from itself, or from what stands before it.
 * A binder brings its variable with two of these, the bounds of its range. */
typedef struct {
  pv_ctx parent;
  ck_id formula;
  pv_thm thm;
  ck_id var; /* CK_BAD: this is no bound of a counter's range */
  uint32_t level;
  uint32_t depth;
} pv_assumption;

/* what the context ends with, which is not the empty one; borrowed till the next push */
static inline const pv_assumption *pv_at(const pv *prover, pv_ctx ctx) {
  return &AS_VEC_AT(&prover->ctxs, pv_assumption, ctx);
}

pv_ctx pv_ctx_push(pv *prover, pv_ctx ctx, ck_id formula, ck_id var);
pv_ctx pv_ctx_know(pv *prover, pv_ctx ctx, pv_thm thm); /* with a theorem that follows from cx */
/* the orders of the context, without the equations that may say what a variable is */
pv_ctx pv_orders_of(pv *prover, pv_ctx ctx);
/* with a new counter 0 <= k < n, whose variable it gives */
pv_ctx pv_ctx_bind(pv *prover, pv_ctx ctx, ck_id n, ck_id *k);
ck_id pv_level_var(pv *prover, uint32_t level);
ck_id pv_state_var(pv *prover, uint32_t level, uint32_t q);
pv_ctx pv_ctx_strip(pv *prover, pv_ctx ctx, ck_id t); /* the least context that t needs */
pv_thm pv_ctx_find(pv *prover, pv_ctx ctx, ck_id formula);

/* --- assume.c */
pv_ctx pv_ctx_assume(pv *prover, pv_ctx ctx, ck_id c); /* c and the equations that it makes */
/* with what its orders of integers say of what is divided in a quotient that they bound */
pv_ctx pv_ctx_divided(pv *prover, pv_ctx ctx);
/* orders in the normal form that new equations give them */
pv_ctx pv_ctx_refresh(pv *prover, pv_ctx ctx);
/* s: d divides x; cx with x = d*q, q new; back: that with q = x div d; PV_NONE: s says no such */
pv_ctx pv_ctx_quotient(pv *prover, pv_ctx ctx, pv_thm thm, ck_id *quotient, pv_thm *back);
/* one more equation, sought with more effort; cx: there is none */
pv_ctx pv_ctx_tighten(pv *prover, pv_ctx ctx);
/* the equations that the hypotheses make among themselves */
pv_ctx pv_ctx_derive(pv *prover, pv_ctx ctx);
#endif
