/* Sums, products over a range, maxima: their normal forms and the places where ranges are cut.
 * Includes normal forms. */
#ifndef AS_PV_FOLDS_H
#define AS_PV_FOLDS_H
#include "pv_norm.h"

/* --- sums.c */
pv_eqn pv_norm_sum(pv *prover, pv_ctx ctx, ck_id t);
/* --- cut_sums.c */
/* the sum `term`, of this body at the counter k: cut at the place, or into blocks, normal; whole: a
 * guess of how many, or CK_BAD */
pv_eqn pv_cut_sum_at(pv *prover, pv_ctx ctx, ck_id term, ck_id k, ck_id body, ck_id place);
pv_eqn pv_cut_sum_blocks(pv *prover, pv_ctx ctx, ck_id term, ck_id k, ck_id body, ck_id block,
                         ck_id whole);
/* the sum t as a sum up to m and the rest; fails unless 0 <= m <= n is known */
pv_eqn pv_cut_sum(pv *prover, pv_ctx ctx, ck_id t, ck_id m);
/* the sum t as so many sums, of the elements at every stride-th place from 0, from 1, ..; fails
 * unless the stride is known to divide its bound */
pv_eqn pv_deal_sum(pv *prover, pv_ctx ctx, ck_id t, uint32_t stride);

/* --- data_windows.c */
/* the term with products of two orders that bound how far something is from a multiple of what is
 * read from a tensor as choices by an equation of that; PV_REFL: it has none */
pv_eqn pv_data_windows(pv *prover, ck_id term);

/* --- pieces.c */
/* s with b(k) = a(k + s) for closed terms a and b that are alike up to arguments of functions;
 * CK_BAD: none is seen */
ck_id pv_shift_between(pv *prover, ck_id left, ck_id right, ck_id k);
/* the term with its sums of numbers of elements cut where others of the same elements begin or end,
 * in normal form; PV_REFL: none is */
pv_eqn pv_sums_in_pieces(pv *prover, pv_ctx ctx, ck_id term);
/* the term with a root in it as a multiple of another one; PV_REFL: none is */
pv_eqn pv_roots_in_pieces(pv *prover, pv_ctx ctx, ck_id term);
/* eq.c: diff = 0 where its sums are over pieces of one range, cut differently, by cases of what
 * chooses their elements */
pv_thm pv_zero_in_pieces(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth);
/* a relation of reals other than an equation, by a clause that says it of the same sums, cut
 * otherwise */
pv_thm pv_by_fact_in_pieces(pv *prover, pv_ctx ctx, ck_id formula);

/* --- prods.c */
pv_eqn pv_norm_prod(pv *prover, pv_ctx ctx, ck_id t);
/* prod(k < n) body = exp(sum(k < n) log body), where all factors are seen to be positive */
pv_eqn pv_prod_by_log(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body);
/* the product t as one up to m times the rest; fails unless 0 <= m <= n is known */
pv_eqn pv_cut_prod(pv *prover, pv_ctx ctx, ck_id t, ck_id m);

/* --- maxlaws.c, maxcut.c: t is the maximum over k < n of body with base init */
pv_eqn pv_join_max(pv *prover, pv_ctx ctx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body);
pv_eqn pv_range_max(pv *prover, pv_ctx ctx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body);
pv_eqn pv_monotone_max(pv *prover, pv_ctx ctx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body);
pv_eqn pv_min_as_max(pv *prover, pv_ctx ctx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body);
/* max over k < n of body, from m: body = m for 0 <= k < n; np: 0 < n */
pv_thm pv_lift_max(pv *prover, ck_id n, ck_id k, pv_thm thm, pv_thm np);
/* the same where it is not known whether there is an element: the first ones are compared by their
 * normal forms in ctx */
pv_thm pv_lift_max_anyhow(pv *prover, pv_ctx ctx, ck_id n, ck_id k, pv_thm thm);
/* cutmax.c: max(k < n) inner, where inner is the maximum of body_at over what is left of tile k, as
 * one maximum; PV_REFL: it is no such */
pv_thm pv_cut_tiles_max(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id inner, ck_id counter,
                        ck_id body_at);
/* the fold t, with base init, as max(k < n) body with the base written out; PV_NONE: it is not */
pv_thm pv_max_written_out(pv *prover, pv_ctx ctx, ck_id t, ck_id n, ck_id init, ck_id k,
                          ck_id body);
/* neutral.c: t without its last elements, where these are all one value that is at most the first
 * element; body as it stands, not in normal form; PV_REFL: it has none such */
pv_eqn pv_without_neutral(pv *prover, pv_ctx ctx, ck_id t, ck_id n, ck_id init, ck_id k,
                          ck_id body);
/* the element at that counter of a fold that is a maximum, whatever its base; CK_BAD: it is none */
ck_id pv_max_element(pv *prover, ck_id fold, ck_id counter);
/* max(k < n) body < 0, or <= 0, where all elements are; inner: with 0 <= k < n */
pv_thm pv_max_below_zero(pv *prover, pv_ctx inner, ck_id n, ck_id k, ck_id body, pv_thm np);
/* maximage.c: the maximum over k < n of body is that of its argument, by a function that keeps or
 * turns the order; is the larger of two maxima; is the maximum over one longer window.  PV_NONE:
 * not seen.  np: 0 < n; term: the maximum */
pv_thm pv_image_max(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body, pv_thm np);
pv_thm pv_larger_max(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body, pv_thm np);
pv_thm pv_window_max(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id k, ck_id body);
pv_thm pv_max_same(pv *prover, ck_id a); /* max2(a, a) = a */
/* maxsets.c: left = right, both with maxima of a few things that are the same on both sides;
 * PV_NONE: they are not seen to be */
pv_thm pv_by_maxima(pv *prover, ck_id left, ck_id right);
/* extremes.c: left = right, nested choices of the larger, or of the smaller, of two, among things
 * that are the same on both sides or that others are at least as large as; PV_NONE: not seen */
pv_thm pv_by_extremes(pv *prover, pv_ctx ctx, ck_id left, ck_id right);
/* regions.c: left = right, by cases on the conditions on indices by which both sides choose, with
 * what both are in each region; whether both have extremes and one such conditions */
pv_thm pv_by_regions(pv *prover, pv_ctx ctx, ck_id left, ck_id right);
bool pv_has_regions(pv *prover, ck_id left, ck_id right);
/* max(k < n) body <= c, or <, from m: the same of body for 0 <= k < n; np: 0 < n */
pv_thm pv_max_le(pv *prover, ck_id n, ck_id k, ck_id body, ck_id c, pv_thm np, pv_thm thm);
pv_thm pv_max_first(pv *prover, pv_ctx ctx, ck_id t); /* f(0) <= max(k < n) f */

/* --- folds.c */
/* the term with the closed subterm `what` replaced by `with`, also under binders: nothing is proved
 */
ck_id pv_replace_closed(pv *prover, ck_id term, ck_id what, ck_id with);

/* --- written.c */
/* is it a fold of one state over a number of rounds, at most so many? */
bool pv_has_few_rounds(pv *prover, ck_id fold, uint32_t most);
/* such a fold by its last round; by its base where it has none */
pv_eqn pv_by_last_round(pv *prover, ck_id fold);
/* the term with its sums of a few rounds, also those inside of sums, written out; PV_REFL: it has
 * none */
pv_eqn pv_sums_written_out(pv *prover, pv_ctx ctx, ck_id term);
/* a sum of a few rounds of what a fold has become after each of them, as the mean of those so far,
 * written out; PV_REFL: it is no such */
pv_eqn pv_running_written_out(pv *prover, ck_id sum);

/* --- rescale.c, settle.c: t is a fold whose bound and bases are normal; fail: it is no such */
/* a fold that is rescaled in each round by what other folds are before it and after, under
 * conditions: as a scale times a sum */
pv_eqn pv_rescaled_by_cases(pv *prover, pv_ctx ctx, ck_id fold);
/* a fold of which the first round makes a number that every other round keeps: that, if there is a
 * round */
pv_eqn pv_settled(pv *prover, pv_ctx ctx, ck_id fold);

/* is the variable a factor of an exponent, or of a part of one? (norm_exp.c) */
bool pv_is_exponent(pv *prover, ck_id term, ck_id variable);
/* --- cuts.c */
/* A sum over what is left of a tile, min(tile, left), as one over the tile with 0 for what is
 * beyond: so that it can be joined with the sum over tiles, and cut where all of them end. */
pv_eqn pv_over_whole_tile(pv *prover, pv_ctx ctx, ck_id term);
/* an undecided condition on which the form of a fold or a quotient in t depends; CK_BAD: none */
ck_id pv_range_cond(pv *prover, pv_ctx ctx, ck_id t);
/* where conditions on k change their value, into m, at most max; how many */
uint32_t pv_cut_places(pv *prover, ck_id body, ck_id k, ck_id *m, uint32_t max);
ck_id pv_block_size(pv *prover, ck_id body, ck_id k); /* b where body has k div b; CK_BAD: none */
/* n-1-k is the better counter */
bool pv_runs_backwards(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body);
#endif
