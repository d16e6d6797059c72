/* Normal forms, and equality by them.  Includes what follows from contexts, and the lemmas. */
#ifndef AS_PV_NORM_H
#define AS_PV_NORM_H
#include "pv_facts.h"
#include "pv_lemma.h"

/* --- norm.c */
pv_eqn pv_norm(pv *p, pv_ctx cx, ck_id t);
void pv_mark_normal(pv *p, pv_ctx cx, ck_id t); /* remembers that t is normal */
pv_eqn pv_norm_poly(pv *p, pv_ctx cx, ck_id t); /* t: polynomial over atoms that are normal */
/* the same as pv_poly_content with the rest normal; f[0] = u and 1 if nothing comes out */
uint32_t pv_normal_factors(pv *p, pv_ctx cx, ck_id u, ck_id *f, uint32_t max);

/* --- heads; the kids are normal */
pv_eqn pv_norm_ite(pv *p, pv_ctx cx, ck_id t);
pv_eqn pv_norm_div(pv *p, pv_ctx cx, ck_id t); /* quot.c */
pv_eqn pv_norm_log(pv *p, pv_ctx cx, ck_id t); /* roots.c */
pv_eqn pv_norm_sqrt(pv *p, pv_ctx cx, ck_id t);
pv_eqn pv_norm_fold(pv *p, pv_ctx cx, ck_id t); /* folds.c */
/* quot.c: r of a = b*q + r, for a q other than 0; CK_BAD: none */
ck_id pv_rest_of_division(pv *p, ck_id a, ck_id b);

/* --- rewriting without context */
pv_eqn pv_index_canon(pv *p, ck_id t); /* canonical integer arguments only */
/* closed subterms from[i] by the equations steps[i] */
pv_eqn pv_rewrite(pv *p, ck_id t, const ck_id *from, const pv_thm *steps, uint32_t n);
/* s with its right side rewritten by the equations st */
pv_thm pv_then_rewrite(pv *p, pv_thm s, const pv_thm *st, uint32_t n);

/* --- eq.c */
pv_thm pv_prove_eq(pv *p, pv_ctx cx, ck_id a, ck_id b, uint32_t depth);
pv_thm pv_prove_goal(pv *p, pv_ctx cx, ck_id f);
#endif
