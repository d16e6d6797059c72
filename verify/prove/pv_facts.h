/* Relations that follow from a context.  Includes contexts and polynomials.
 * Each gives a theorem whose hypotheses are among those of the context, or PV_NONE: not found. */
#ifndef AS_PV_FACTS_H
#define AS_PV_FACTS_H
#include "pv_context.h"
#include "pv_poly.h"
#include "pv_steps.h"

/* --- side.c */
pv_thm pv_follows(pv *prover, pv_ctx ctx, ck_id formula);
pv_thm pv_nonzero(pv *prover, pv_ctx ctx, ck_id x);  /* x # 0, x in normal form */
pv_thm pv_positive(pv *prover, pv_ctx ctx, ck_id x); /* 0 < x */
pv_thm pv_nonneg(pv *prover, pv_ctx ctx, ck_id x);   /* 0 <= x */
/* 0 < x from 0 <= x and x # 0 */
pv_thm pv_positive_of_nonzero(pv *prover, ck_id x, pv_thm nonneg, pv_thm nonzero);
/* `x # 0`, `0 <= x`, `0 < x` out of the hypotheses, up to normal form */
pv_thm pv_fact_match(pv *prover, pv_ctx ctx, ck_op rel, ck_id x);
/* theorem s as `nf # 0`, `0 <= nf`, `0 < nf`, `0 = nf` with nf normal */
pv_thm pv_fact_normal(pv *prover, pv_ctx ctx, pv_thm thm, ck_id *normal);

/* --- parts.c */
/* an order of integers that bounds a sum of products, as it is written, by 0 from below or by a
 * number from above */
pv_thm pv_by_parts(pv *prover, pv_ctx ctx, ck_id formula);

/* --- bounds.c: integers, by bounds of the variables */
pv_thm pv_follows_int(pv *prover, pv_ctx ctx, ck_id f);
pv_thm pv_follows_int_within(pv *prover, pv_ctx ctx, ck_id f, uint32_t effort);
/* the strict fact a < b of integers as a + 1 <= b, others as they are */
pv_thm pv_tighten(pv *prover, pv_thm thm);
/* 0 <= g*e + c as 0 <= e + floor(c/g) where e is an integer polynomial and g does not divide c (the
 * cut of Gomory and Chvatal), others as they are */
pv_thm pv_rounded(pv *prover, pv_thm thm);
/* c with n = c*b under the equations of the context, or CK_BAD */
ck_id pv_size_quotient(pv *prover, pv_ctx ctx, ck_id n, ck_id divisor);

/* --- clause_index.c */
/* the pattern is a sum, as `C*i + j` for tiles of C: what its bound variable `index` is where the
 * sum is the argument, in quotients and remainders; CK_BAD: it is no such sum.  Bound variables
 * below `depth`, and all of the argument, are those of folds, and left out; an argument of nothing
 * else is a sum only where `first` places are asked for: a loop's only round shows in no place. */
ck_id pv_clause_digit(pv *prover, ck_id pattern, uint32_t index, uint32_t depth, ck_id argument,
                      bool first);

/* --- clauses.c */
pv_thm pv_by_clause(pv *prover, pv_ctx ctx, ck_id f); /* f as the conclusion of a clause */
/* an undecided condition of a clause that would conclude f; CK_BAD: none */
ck_id pv_clause_cond(pv *prover, pv_ctx ctx, ck_id f);
/* clause h at arguments that t has, at most max of them; how many */
uint32_t pv_clause_instances(pv *prover, pv_ctx ctx, pv_thm hyp, ck_id t, pv_thm *out,
                             uint32_t max);
/* Those of them where an access in the clause's conclusion, under binders of sums or not, is one of
 * the term's: all of the clause's variables are what that one access makes them, digits of places
 * taken apart among them.  Into out[max]; how many. */
uint32_t pv_clause_at_accesses(pv *prover, pv_ctx ctx, pv_thm hyp, ck_id term, pv_thm *out,
                               uint32_t max);

/* --- lp.c: by a nonnegative combination of hypotheses, and of products of two */
pv_thm pv_lp_prove(pv *prover, pv_ctx ctx, ck_id f);
/* the same with counters that f does not mention: their ranges are not empty */
pv_thm pv_lp_prove_within(pv *prover, pv_ctx ctx, ck_id f);
pv_thm pv_lp_contradiction(pv *prover, pv_ctx ctx); /* 0 < 0 from the hypotheses of the context */
#endif
