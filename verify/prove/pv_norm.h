/* Normal forms, and equality by them.  Includes what follows from contexts, and the lemmas. */
#ifndef AS_PV_NORM_H
#define AS_PV_NORM_H
#include "pv_facts.h"
#include "pv_lemma.h"

/* --- norm.c */
pv_eqn pv_norm(pv *prover, pv_ctx ctx, ck_id t);
void pv_mark_normal(pv *prover, pv_ctx ctx, ck_id t); /* remembers that t is normal */
pv_eqn pv_norm_poly(pv *prover, pv_ctx ctx, ck_id t); /* t: polynomial over atoms that are normal */
/* closes `comb`, by which term has become poly, with poly in normal form; takes both */
pv_eqn pv_norm_finish(pv *prover, pv_ctx ctx, ck_id term, pv_poly *poly, pv_comb *comb);
/* the same as pv_poly_content with the rest normal; f[0] = u and 1 if nothing comes out */
uint32_t pv_normal_factors(pv *prover, pv_ctx ctx, ck_id u, ck_id *f, uint32_t max);

/* --- heads; the kids are normal */
pv_eqn pv_norm_ite(pv *prover, pv_ctx ctx, ck_id t);
/* ite_order.c: a choice with normal parts whose condition orders reals; the term itself where its
 * condition is another one, or the form is the one that it has */
pv_eqn pv_norm_ite_order(pv *prover, pv_ctx ctx, ck_id t);
/* ite.c: the choice with what its two branches are, each where the condition holds, or fails */
pv_eqn pv_choice_of(pv *prover, ck_id term, const pv_eqn *branch);
/* flags.c: a choice that asks whether another one between two numbers is a number, as a choice by
 * what that one is made by; PV_REFL: it is no such */
pv_eqn pv_by_flag(pv *prover, ck_id term);
/* flags.c: a choice by an equation of integers of which one side is the least or the greatest that
 * the other can be, as one by an order: where that fails the next number is the least, so that
 * `i mod 3`, which is not 0, is at least 1; PV_REFL: it is no such */
pv_eqn pv_by_extreme(pv *prover, pv_ctx ctx, ck_id term);
/* ends.c: a choice without the conditions that order one quotient by another of the same divisor,
 * as `i div T <= (N - 1) div T`, which follow from others that it asks; PV_REFL: it has none */
pv_eqn pv_without_tiles(pv *prover, pv_ctx ctx, ck_id term);
/* repeats.c: the term with what it chooses by that condition, or by its negation, chosen: it holds,
 * by the theorem */
pv_eqn pv_without_repeats(pv *prover, ck_id term, ck_id cond, pv_thm holds);
/* ite.c: the same condition on integers as cond without a quotient by a positive number that it
 * bounds; *yes: it, from cond, *no: its negation, from that of cond.  CK_BAD: cond has none */
ck_id pv_without_quotient(pv *prover, pv_ctx ctx, ck_id cond, pv_thm *yes, pv_thm *no);
pv_eqn pv_norm_inv(pv *prover, pv_ctx ctx, ck_id term);
pv_eqn pv_norm_exp(pv *prover, pv_ctx ctx, ck_id term);
pv_eqn pv_norm_div(pv *prover, pv_ctx ctx, ck_id t); /* quot.c */
/* calls of builtins that laws speak of: norm_trig.c */
pv_eqn pv_norm_call(pv *prover, pv_ctx ctx, ck_id term);
/* cos x * cos x = 1 - sin x * sin x; cosine: cos x */
pv_thm pv_cosine_squared(pv *prover, ck_id cosine);
/* for a sine or a cosine u: u <= 1, below: -u <= 1 */
pv_thm pv_unit_bound(pv *prover, ck_id term, bool below);
pv_eqn pv_norm_log(pv *prover, pv_ctx ctx, ck_id t); /* roots.c */
pv_eqn pv_norm_sqrt(pv *prover, pv_ctx ctx, ck_id t);
/* exp(w) = sqrt u, where the value of w is log(u)/2; positive: 0 < u */
pv_thm pv_exp_of_half_log(pv *prover, ck_id half_log, ck_id under, pv_thm positive);
pv_eqn pv_norm_fold(pv *prover, pv_ctx ctx, ck_id t); /* folds.c */
/* reads.c: prover->reads is there; the symbol's element before the loop, where it is applied to a
 * place that no earlier iteration stores to */
pv_eqn pv_read_before(pv *prover, pv_ctx ctx, ck_id app);
uint64_t pv_reads_number(const pv *prover); /* of that symbol; 0: there is none */
/* selects.c: folds in which few rounds change anything, and what they choose */
pv_eqn pv_tidy_fold(pv *prover, pv_ctx ctx, ck_id fold);
/* quot.c: a quotient or remainder of a quotient, divisors being constants, by one quotient of what
 * is divided first, before that gets its normal form; PV_REFL: it is no such */
pv_eqn pv_unnested(pv *prover, pv_ctx ctx, ck_id term);
/* quot.c: r of a = b*q + r, for a q other than 0; CK_BAD: none */
ck_id pv_rest_of_division(pv *prover, ck_id a, ck_id b);

/* --- rewrite.c: without context */
pv_eqn pv_index_canon(pv *prover, ck_id t); /* canonical integer arguments only */
/* closed subterms from[i] by the equations steps[i] */
pv_eqn pv_rewrite(pv *prover, ck_id t, const ck_id *from, const pv_thm *steps, uint32_t n);
/* s with its right side rewritten by the equations st */
pv_thm pv_then_rewrite(pv *prover, pv_thm thm, const pv_thm *st, uint32_t n);

/* a = b because both are the same up to index arithmetic */
pv_thm pv_same_index(pv *prover, ck_id a, ck_id b);

/* --- eq_ways.c: `diff` = 0 for a normal diff; PV_NONE: it is not of this form, or not
 * found */
pv_thm pv_by_exponents(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth);
/* two sums, each over the places of one operand, where the other one is read at a quotient: both as
 * sums over both, with the equation of the places as a condition */
pv_thm pv_by_quotients(pv *prover, pv_ctx ctx, ck_id left, ck_id right, uint32_t depth);
/* sums over one range that add up to the term, as one sum; CK_BAD: it has no such form.  *counter:
 * the variable of that range */
ck_id pv_one_sum(pv *prover, pv_ctx ctx, ck_id term, ck_id *counter);
pv_thm pv_by_one_sum(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth);
/* the context with what its clauses say, as equations of reals, of what the term speaks of */
pv_ctx pv_ctx_equations(pv *prover, pv_ctx ctx, ck_id term);

/* --- named.c */
/* how many choices of reals stand within each other, where one stands within a function; else 0 */
uint32_t pv_nested_choices(const pv *prover, ck_id term);
/* the context without what speaks of more choices of reals within each other than that: such a fact
 * would get its normal form, with all choices in it, whenever one that is like it is asked for */
pv_ctx pv_ctx_without_choices(pv *prover, pv_ctx ctx, uint32_t most);
/* left = right, with names for choices in the choices around them */
pv_thm pv_by_names(pv *prover, pv_ctx ctx, ck_id left, ck_id right);

/* --- eq.c */
pv_thm pv_prove_eq(pv *prover, pv_ctx ctx, ck_id left, ck_id right, uint32_t depth);
pv_thm pv_prove_goal(pv *prover, pv_ctx ctx, ck_id f);
#endif
