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

#define CX(p, c) AS_VEC_AT(&(p)->ctxs, pv_assumption, (c))

pv_ctx pv_ctx_push(pv *p, pv_ctx cx, ck_id formula, ck_id var);
pv_ctx pv_ctx_know(pv *p, pv_ctx cx, pv_thm s); /* with a theorem that follows from cx */
/* with a new counter 0 <= k < n, whose variable it gives */
pv_ctx pv_ctx_bind(pv *p, pv_ctx cx, ck_id n, ck_id *k);
ck_id pv_level_var(pv *p, uint32_t level);
ck_id pv_state_var(pv *p, uint32_t level, uint32_t q);
pv_ctx pv_ctx_strip(pv *p, pv_ctx cx, ck_id t); /* the least context that t needs */
pv_thm pv_ctx_find(pv *p, pv_ctx cx, ck_id formula);

/* --- assume.c */
pv_ctx pv_ctx_assume(pv *p, pv_ctx cx, ck_id c); /* c and the equations that it makes */
/* orders in the normal form that new equations give them */
pv_ctx pv_ctx_refresh(pv *p, pv_ctx cx);
/* s: d divides x; cx with x = d*q, q new; back: that with q = x div d; PV_NONE: s says no such */
pv_ctx pv_ctx_quotient(pv *p, pv_ctx cx, pv_thm s, ck_id *q, pv_thm *back);
/* one more equation, sought with more effort; cx: there is none */
pv_ctx pv_ctx_tighten(pv *p, pv_ctx cx);
/* the equations that the hypotheses make among themselves */
pv_ctx pv_ctx_derive(pv *p, pv_ctx cx);
#endif
