/* Folds that settle (see pv_folds.h): the first round gives a number that every later one keeps.
 * A flag that the first element clears, as "no number was met yet", is one. */
#include "pv_folds.h"
#include "pv_steps.h"

typedef struct {
  pv *prover;
  ck_id fold;
  ck_id bound;
  ck_id k;
  ck_id state;
  ck_id step;
  ck_id value;
  pv_thm first; /* step with 0 and the base = value */
  pv_thm kept;  /* step with k and the value = value, for 0 <= k < bound */
} settling;

static ck_id step_at(const settling *fold, ck_id k, ck_id state) {
  ck_id vars[2] = {fold->k, fold->state};
  ck_id values[2] = {k, state};
  return ck_sub(fold->prover->terms, fold->step, vars, values, 2, NULL, 0);
}

static ck_id fold_to(const settling *fold, ck_id count) {
  ck_terms *terms = fold->prover->terms;
  ck_id kids[3] = {count, ck_kid(terms, fold->fold, 1), ck_kid(terms, fold->fold, 2)};
  return ck_fold(terms, 0, 1, kids);
}

/* the fold over one round more than k is the value, by the fold over k being `by` */
static pv_thm one_more(const settling *fold, ck_id k, pv_thm nonneg, pv_thm by, pv_thm then) {
  pv *prover = fold->prover;
  ck_id before = fold_to(fold, k);
  pv_thm next = pv_succ(prover, fold_to(fold, pv_add(prover, k, prover->one)), k, nonneg);
  if (next == PV_NONE || by == PV_NONE)
    return PV_NONE;
  pv_eqn eqn = pv_rewrite(prover, pv_right(prover, next), &before, &by, 1);
  return pv_trans(prover, pv_trans(prover, next, eqn.by), then);
}

/* fold = value, from 0 < bound: by induction over the rounds after the first */
static pv_thm settled(const settling *fold, pv_thm some) {
  pv *prover = fold->prover;
  ck_id k = fold->k;
  ck_id k_next = pv_add(prover, k, prover->one);
  ck_id last = pv_add(prover, fold->bound, pv_num(prover, -1));
  pv_thm last_nonneg = pv_int(prover, pv_ge0(prover, last), some);
  pv_thm none = pv_zero_le_zero(prover);
  pv_thm nonneg = pv_hyp(prover, pv_ge0(prover, k));
  pv_thm below = pv_hyp(prover, pv_lt(prover, k, last));
  pv_summand up[2] = {{prover->one, &nonneg, 1}, {prover->one, NULL, 0}};
  pv_thm in_range[2] = {pv_arith(prover, pv_ge0(prover, k_next), up, 2),
                        PV_COMBINE(prover, pv_lt(prover, k_next, fold->bound), prover->one, below)};
  ck_id claim = pv_eq(prover, fold_to(fold, k_next), fold->value);
  pv_thm base = one_more(fold, prover->zero, pv_by_value(prover, pv_ge0(prover, prover->zero)),
                         pv_zero(prover, fold_to(fold, prover->zero), none), fold->first);
  pv_var_sub later = {k, k_next};
  pv_thm kept = fold->kept == PV_REFL
                    ? PV_REFL
                    : pv_inst(prover, fold->kept, &later, 1, NULL, 0, in_range, 2);
  pv_thm step = one_more(fold, k_next, in_range[0], pv_hyp(prover, claim), kept);
  pv_thm all = pv_induct(prover, k, last, 0, &claim, &base, &step, 1, last_nonneg);
  ck_id whole = fold_to(fold, pv_add(prover, last, prover->one));
  pv_thm same = pv_identity(prover, pv_eq(prover, fold->bound, pv_add(prover, last, prover->one)));
  return pv_trans(prover, pv_cong(prover, fold->fold, whole, &same, 1), all);
}

pv_eqn pv_settled(pv *prover, pv_ctx ctx, ck_id term) {
  ck_terms *terms = prover->terms;
  settling fold = {.prover = prover, .fold = term};
  if (ck_width(terms, term) != 1 || !pv_is_const(prover, ck_kid(terms, term, 1)))
    return pv_fail();
  ck_id base = ck_kid(terms, term, 1);
  fold.bound = ck_kid(terms, term, 0);
  pv_ctx inner = pv_ctx_bind(prover, ctx, fold.bound, &fold.k);
  fold.state = pv_state_var(prover, pv_at(prover, inner)->level, 0);
  ck_id vars[2] = {fold.k, fold.state};
  fold.step = ck_open(terms, ck_kid(terms, term, 2), vars, 2);
  pv_eqn first = pv_norm(prover, ctx, step_at(&fold, prover->zero, base));
  if (first.by == PV_NONE || !pv_is_const(prover, first.to))
    return pv_fail();
  pv_eqn kept = pv_norm(prover, inner, step_at(&fold, fold.k, first.to));
  if (kept.by == PV_NONE || kept.to != first.to)
    return pv_fail();
  fold.value = first.to;
  fold.first = first.by;
  fold.kept = kept.by;
  ck_id any = pv_gt0(prover, fold.bound);
  pv_eqn eqn = {ck_ite(terms, any, fold.value, base), PV_NONE};
  pv_thm none = pv_hyp(prover, ck_neg(terms, any));
  pv_thm yes = pv_trans(prover, settled(&fold, pv_hyp(prover, any)),
                        pv_sym(prover, pv_law(prover, "ite1", &eqn.to, 1, pv_hyp(prover, any))));
  pv_thm no = pv_trans(prover, pv_zero(prover, term, none),
                       pv_sym(prover, pv_law(prover, "ite0", &eqn.to, 1, none)));
  eqn.by = pv_cases(prover, any, yes, no);
  return eqn.by == PV_NONE ? pv_fail() : eqn;
}
