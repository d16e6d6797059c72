/* Lemmas about folds in which few rounds change anything. */
#include "pv_loops.h"

/* one claim of all bounds: below 0 by cases, else by induction */
typedef struct {
  pv *prover;
  ck_id n;
  ck_id j;
  ck_id j_next;
  pv_thm j_nonneg;
} over_bounds;

static over_bounds all_bounds(pv *prover) {
  over_bounds all = {.prover = prover, .n = pv_int_var(prover, "n"), .j = pv_int_var(prover, "j")};
  all.j_next = pv_add(prover, all.j, prover->one);
  all.j_nonneg = pv_hyp(prover, pv_ge0(prover, all.j));
  return all;
}

/* from the claim at n <= 0, at 0, and of j + 1 from that of j */
static pv_thm for_all_bounds(const over_bounds *all, ck_id claim_at_j, pv_thm none, pv_thm base,
                             pv_thm step) {
  pv *prover = all->prover;
  ck_id negative = pv_le(prover, all->n, prover->zero);
  pv_thm positive = pv_hyp(prover, pv_gt0(prover, all->n));
  pv_thm nonneg = pv_scaled(prover, pv_ge0(prover, all->n), prover->one, positive);
  pv_thm some = pv_induct(prover, all->j, all->n, 0, &claim_at_j, &base, &step, 1, nonneg);
  return pv_cases(prover, negative, none, some);
}

/* fold(n; b; s) = b */
pv_thm pv_derive_keep(pv *prover) {
  over_bounds all = all_bounds(prover);
  ck_id b = pv_real_var(prover, "b");
  ck_id k = pv_int_var(prover, "k");
  ck_id s = pv_real_var(prover, "s");
  ck_id at[4] = {all.n, prover->zero, all.j, all.j_next};
  ck_id fold[4];
  for (int i = 0; i < 4; i++)
    fold[i] = pv_fold1(prover, at[i], b, k, s, s);
  ck_id assumed = pv_eq(prover, fold[2], b);
  pv_thm none = pv_zero(prover, fold[0], pv_hyp(prover, pv_le(prover, all.n, prover->zero)));
  pv_thm base = pv_zero(prover, fold[1], pv_zero_le_zero(prover));
  pv_thm step =
      pv_trans(prover, pv_succ(prover, fold[3], all.j, all.j_nonneg), pv_hyp(prover, assumed));
  return for_all_bounds(&all, assumed, none, base, step);
}

/* fold(n; b; f(k)) = ite(0 < n, f(n - 1), b) */
pv_thm pv_derive_last(pv *prover) {
  ck_id n = pv_int_var(prover, "n");
  ck_id b = pv_real_var(prover, "b");
  ck_id k = pv_int_var(prover, "k");
  ck_id s = pv_real_var(prover, "s");
  ck_id fold = pv_fold1(prover, n, b, k, s, pv_apply(prover, "f", k));
  ck_id before = pv_add(prover, n, pv_num(prover, -1));
  ck_id some = pv_gt0(prover, n);
  ck_id right = ck_ite(prover->terms, some, pv_apply(prover, "f", before), b);
  pv_thm hyp = pv_hyp(prover, some);
  pv_thm nonneg = pv_int(prover, pv_ge0(prover, before), hyp);
  pv_thm yes = pv_trans(prover, pv_succ(prover, fold, before, nonneg),
                        pv_sym(prover, pv_law(prover, "ite1", &right, 1, hyp)));
  pv_thm none = pv_hyp(prover, pv_le(prover, n, prover->zero));
  pv_thm no = pv_trans(prover, pv_zero(prover, fold, none),
                       pv_sym(prover, pv_law(prover, "ite0", &right, 1, none)));
  return pv_cases(prover, some, yes, no);
}

static ck_id applied(pv *prover, ck_id k, ck_id s) {
  ck_id argument[2] = {k, s};
  return ck_app(prover->terms, "f", "ir:r", argument, 2);
}

typedef struct {
  ck_id q;
  ck_id b;
  ck_id k;
  ck_id s;
  ck_id step;
} selection;

/* ite(0 <= q, ite(q < n, f(q, b), b), b) */
static ck_id selected(pv *prover, const selection *sel, ck_id n) {
  ck_id inner =
      ck_ite(prover->terms, pv_lt(prover, sel->q, n), applied(prover, sel->q, sel->b), sel->b);
  return ck_ite(prover->terms, pv_ge0(prover, sel->q), inner, sel->b);
}

static ck_id fold_to(pv *prover, const selection *sel, ck_id n) {
  return pv_fold1(prover, n, sel->b, sel->k, sel->s, sel->step);
}

/* fold(j) = selected(j) is assumed; that at j + 1, where j = q: nothing was chosen before */
static pv_thm round_taken(const over_bounds *all, const selection *sel, pv_thm next,
                          pv_thm assumed) {
  pv *prover = all->prover;
  ck_id j = all->j;
  ck_id here = pv_eq(prover, j, sel->q);
  pv_thm same = pv_hyp(prover, here);
  ck_id first = pv_ge0(prover, sel->q);
  pv_thm q_nonneg = PV_COMBINE(prover, first, prover->one, all->j_nonneg, prover->one, same);
  pv_facts facts = {.n = 0};
  pv_fact_add(&facts, first, q_nonneg, CK_BAD, CK_BAD);
  pv_thm not_yet = PV_COMBINE(prover, pv_le(prover, j, sel->q), prover->one, same);
  pv_fact_add(&facts, pv_le(prover, j, sel->q), not_yet, CK_BAD, CK_BAD);
  ck_id reached = pv_lt(prover, sel->q, all->j_next);
  pv_summand up[2] = {{pv_num(prover, -1), &same, 1}, {prover->one, NULL, 0}};
  pv_fact_add(&facts, reached, pv_arith(prover, reached, up, 2), CK_BAD, CK_BAD);
  pv_fact_add(&facts, here, same, CK_BAD, CK_BAD);
  /* fold(j + 1) = f(j, fold(j)) = f(q, b) */
  pv_thm before =
      pv_trans(prover, assumed, pv_same_by_cases(prover, selected(prover, sel, j), sel->b, &facts));
  ck_id chosen = pv_right(prover, next);
  pv_thm law = pv_law(prover, "ite1", &chosen, 1, same);
  pv_thm value[2] = {same, before};
  ck_id from = applied(prover, j, fold_to(prover, sel, j));
  ck_id to = applied(prover, sel->q, sel->b);
  pv_thm left = pv_trans(prover, pv_trans(prover, next, law), pv_cong(prover, from, to, value, 2));
  return pv_trans(prover, left,
                  pv_same_by_cases(prover, to, selected(prover, sel, all->j_next), &facts));
}

/* the same where j is another one: nothing changes, and q < j if and only if q < j + 1 */
static pv_thm round_passed(const over_bounds *all, const selection *sel, pv_thm next,
                           pv_thm assumed) {
  pv *prover = all->prover;
  ck_id j = all->j;
  pv_thm other = pv_hyp(prover, ck_neg(prover->terms, pv_eq(prover, j, sel->q)));
  ck_id chosen = pv_right(prover, next);
  pv_thm law = pv_law(prover, "ite0", &chosen, 1, other);
  ck_id passed = pv_lt(prover, sel->q, j);
  ck_id not_passed = pv_le(prover, j, sel->q);
  pv_thm hyp = pv_hyp(prover, passed);
  ck_id reached = pv_lt(prover, sel->q, all->j_next);
  pv_summand up[2] = {{prover->one, &hyp, 1}, {prover->one, NULL, 0}};
  pv_facts facts = {.n = 0};
  pv_fact_add(&facts, reached, pv_arith(prover, reached, up, 2), passed, CK_BAD);
  /* j <= q, and it is another one: j < q, so j + 1 <= q */
  ck_id below = pv_lt(prover, j, sel->q);
  pv_thm equal =
      pv_antisym(prover, pv_hyp(prover, not_passed), pv_hyp(prover, pv_le(prover, sel->q, j)));
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, other);
  pv_comb_add(&comb, pv_num(prover, -1), equal);
  pv_thm absurd = pv_comb_prove(prover, &comb, pv_ne0(prover, prover->zero));
  pv_thm strict =
      pv_cases(prover, below, pv_hyp(prover, below), pv_from_zero_differs(prover, below, absurd));
  ck_id not_reached = pv_le(prover, all->j_next, sel->q);
  pv_fact_add(&facts, not_reached, pv_int(prover, not_reached, strict), not_passed, CK_BAD);
  pv_thm left = pv_trans(prover, pv_trans(prover, next, law), assumed);
  return pv_trans(prover, left,
                  pv_same_by_cases(prover, selected(prover, sel, j),
                                   selected(prover, sel, all->j_next), &facts));
}

/* fold(n; b; ite(k = q, f(k, s), s)) = ite(0 <= q, ite(q < n, f(q, b), b), b) */
pv_thm pv_derive_select(pv *prover) {
  over_bounds all = all_bounds(prover);
  selection sel = {.q = pv_int_var(prover, "q"),
                   .b = pv_real_var(prover, "b"),
                   .k = pv_int_var(prover, "k"),
                   .s = pv_real_var(prover, "s")};
  ck_id is_q = pv_eq(prover, sel.k, sel.q);
  sel.step = ck_ite(prover->terms, is_q, applied(prover, sel.k, sel.s), sel.s);
  pv_facts facts = {.n = 0};
  ck_id first = pv_ge0(prover, sel.q);
  pv_thm negative = pv_hyp(prover, pv_le(prover, all.n, prover->zero));
  ck_id beyond = pv_le(prover, all.n, sel.q);
  pv_thm far =
      PV_COMBINE(prover, beyond, prover->one, negative, prover->one, pv_hyp(prover, first));
  pv_fact_add(&facts, beyond, far, first, CK_BAD);
  pv_thm none = pv_trans(prover, pv_zero(prover, fold_to(prover, &sel, all.n), negative),
                         pv_same_by_cases(prover, sel.b, selected(prover, &sel, all.n), &facts));
  facts.n = 0;
  pv_thm base = pv_trans(
      prover, pv_zero(prover, fold_to(prover, &sel, prover->zero), pv_zero_le_zero(prover)),
      pv_same_by_cases(prover, sel.b, selected(prover, &sel, prover->zero), &facts));
  ck_id claim = pv_eq(prover, fold_to(prover, &sel, all.j), selected(prover, &sel, all.j));
  pv_thm assumed = pv_hyp(prover, claim);
  pv_thm next = pv_succ(prover, fold_to(prover, &sel, all.j_next), all.j, all.j_nonneg);
  pv_thm step =
      pv_cases(prover, pv_eq(prover, all.j, sel.q), round_taken(&all, &sel, next, assumed),
               round_passed(&all, &sel, next, assumed));
  return for_all_bounds(&all, claim, none, base, step);
}
