/* Folds whose rounds choose among several things (see pv_rounds.h): two stores of one iteration,
 * under conditions of their own.
 *
 * A path is a way through the choices of a step to something that changes the state, with the
 * conditions on the way.  Where all paths can be gone in one and the same round, the fold is the
 * choice of that round.  Otherwise it is told apart by whether the round of one path is there: if
 * not, that path is never gone; if so, others may be found not to be. */
#include "pv_rounds.h"

enum { MOST_PATHS = 8, MOST_DEPTH = 4 };

typedef struct {
  pv_chain chain; /* its value: what the path leads to */
  bool dead;      /* it is never gone */
} path;

typedef struct {
  path path[MOST_PATHS];
  uint32_t n;
} paths;

/* false: there are too many */
static bool read_paths(const pv_opened *fold, ck_id step, pv_chain *way, paths *found) {
  pv *prover = fold->prover;
  if (step == fold->s)
    return true;
  if (!ck_is(prover->terms, step, CK_ITE) || !ck_has_var(prover->terms, step, fold->s)) {
    if (found->n == MOST_PATHS)
      return false;
    path *made = &found->path[found->n++];
    made->chain = *way;
    made->chain.value = step;
    made->chain.other = fold->s;
    made->dead = false;
    return true;
  }
  if (way->n == PV_MAX_CHAIN)
    return false;
  ck_id cond = ck_kid(prover->terms, step, 0);
  bool ok = true;
  for (uint32_t no = 0; ok && no < 2; no++) {
    way->cond[way->n++] = no ? ck_neg(prover->terms, cond) : cond;
    ok = read_paths(fold, ck_kid(prover->terms, step, 1 + no), way, found);
    way->n--;
  }
  return ok;
}

/* what is known where the path is gone, in round k */
static pv_ctx on_path(const pv_opened *fold, pv_ctx ctx, const path *way) {
  pv *prover = fold->prover;
  ctx = pv_ctx_push(prover, ctx, pv_ge0(prover, fold->k), CK_BAD);
  ctx = pv_ctx_push(prover, ctx, pv_lt(prover, fold->k, fold->bound), CK_BAD);
  for (uint32_t c = 0; c < way->chain.n; c++) {
    ck_id cond = way->chain.cond[c];
    ck_op head = ck_head(prover->terms, cond);
    bool order = head == CK_LE || head == CK_LT;
    if (order && pv_difference(prover, cond) != CK_BAD && !ck_has_var(prover->terms, cond, fold->s))
      ctx = pv_ctx_push(prover, ctx, cond, CK_BAD);
  }
  return ctx;
}

/* 0 < 0 from what is known where the path is gone; PV_NONE: it is not seen to be impossible */
static pv_thm impossible(const pv_opened *fold, pv_ctx ctx, const path *way) {
  pv *prover = fold->prover;
  pv_ctx here = on_path(fold, ctx, way);
  pv_thm absurd = pv_lp_contradiction(prover, here);
  ck_id falsehood = pv_lt(prover, prover->zero, prover->zero);
  return absurd == PV_NONE ? pv_follows(prover, here, falsehood) : absurd;
}

/* k = q where the path is gone */
static pv_thm round_is(const pv_opened *fold, const path *way, ck_id q) {
  pv *prover = fold->prover;
  pv_ctx here = on_path(fold, fold->ctx, way);
  pv_thm most = pv_follows(prover, here, pv_le(prover, fold->k, q));
  pv_thm least = most == PV_NONE ? PV_NONE : pv_follows(prover, here, pv_le(prover, q, fold->k));
  return least == PV_NONE ? PV_NONE : pv_antisym(prover, most, least);
}

/* the round of a path by its conditions */
static bool find_round(const pv_opened *fold, const path *way, pv_round *round) {
  pv_opened alone = *fold;
  alone.chain = way->chain;
  return pv_find_round(&alone, round) && !pv_speaks_of(fold, round->q);
}

/* what each path's falsehood says of its conditions */
static void add_falsehood(const pv_opened *fold, const path *way, pv_thm absurd, ck_id also,
                          pv_facts *facts) {
  ck_id formulas[PV_MAX_CHAIN + 1];
  uint32_t n = 0;
  for (uint32_t c = 0; c < way->chain.n; c++)
    formulas[n++] = way->chain.cond[c];
  if (also != CK_BAD)
    formulas[n++] = also;
  pv_add_failing(fold, absurd, way->chain.cond, way->chain.n, formulas, n, facts);
}

/* --- one round for all paths */
static pv_eqn in_one_round(const pv_opened *fold, const paths *all, ck_id q, const pv_thm *is_q) {
  pv *prover = fold->prover;
  ck_id there = pv_eq(prover, fold->k, q);
  ck_id elsewhere = ck_neg(prover->terms, there);
  ck_id chosen = ck_ite(prover->terms, there, fold->step, fold->s);
  pv_facts facts = {.n = 0};
  for (uint32_t i = 0; i < all->n; i++) {
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, pv_hyp(prover, elsewhere));
    pv_comb_add(&comb, pv_num(prover, -1), is_q[i]);
    pv_thm absurd = pv_comb_prove(prover, &comb, pv_ne0(prover, prover->zero));
    add_falsehood(fold, &all->path[i], absurd, elsewhere, &facts);
  }
  pv_thm same = pv_sym(prover, pv_same_by_cases(prover, chosen, fold->step, &facts));
  pv_eqn eqn = pv_only_in_round(fold, q, chosen, same);
  if (eqn.by == PV_NONE)
    return pv_same(fold->fold);
  pv_eqn tidy = pv_choices_under(prover, fold->ctx, eqn.to);
  return tidy.by == PV_NONE ? eqn : pv_then(prover, eqn, tidy);
}

static pv_eqn by_one_round(const pv_opened *fold, const paths *all) {
  for (uint32_t i = 0; i < all->n; i++) {
    pv_round round;
    pv_thm is_q[MOST_PATHS];
    if (!find_round(fold, &all->path[i], &round))
      continue;
    bool each = true;
    for (uint32_t j = 0; each && j < all->n; j++) {
      is_q[j] = j == i ? round.is_q : round_is(fold, &all->path[j], round.q);
      each = is_q[j] != PV_NONE;
    }
    pv_eqn eqn = each ? in_one_round(fold, all, round.q, is_q) : pv_same(fold->fold);
    if (eqn.by != PV_REFL)
      return eqn;
  }
  return pv_same(fold->fold);
}

/* --- whether the round of a path is there */
static ck_id without_dead(const pv_opened *fold, ck_id step, const paths *all, uint32_t *next) {
  pv *prover = fold->prover;
  if (step == fold->s)
    return step;
  if (!ck_is(prover->terms, step, CK_ITE) || !ck_has_var(prover->terms, step, fold->s))
    return all->path[(*next)++].dead ? fold->s : step;
  ck_id yes = without_dead(fold, ck_kid(prover->terms, step, 1), all, next);
  ck_id no = without_dead(fold, ck_kid(prover->terms, step, 2), all, next);
  return yes == no ? yes : ck_ite(prover->terms, ck_kid(prover->terms, step, 0), yes, no);
}

static pv_eqn tidy_paths(const pv_opened *fold, uint32_t depth);

/* the fold without the paths whose falsehoods are there, tidied in that context */
static pv_eqn without(const pv_opened *fold, pv_ctx ctx, paths *all, const pv_thm *absurd,
                      uint32_t depth) {
  pv *prover = fold->prover;
  pv_facts facts = {.n = 0};
  bool any = false;
  for (uint32_t i = 0; i < all->n; i++) {
    all->path[i].dead = absurd[i] != PV_NONE;
    any = any || all->path[i].dead;
    if (all->path[i].dead)
      add_falsehood(fold, &all->path[i], absurd[i], CK_BAD, &facts);
  }
  uint32_t next = 0;
  ck_id step = any ? without_dead(fold, fold->step, all, &next) : fold->step;
  pv_thm same = step == fold->step ? PV_REFL : pv_same_by_cases(prover, fold->step, step, &facts);
  if (same == PV_NONE || !any)
    return pv_fail();
  pv_opened less = *fold;
  pv_eqn eqn = pv_other_step(fold, step, same);
  less.ctx = ctx;
  less.step = step;
  less.fold = eqn.to;
  pv_eqn tidy = eqn.by == PV_NONE ? eqn : pv_tidy_fold(prover, ctx, eqn.to);
  if (tidy.by == PV_REFL)
    tidy = tidy_paths(&less, depth + 1);
  return tidy.by == PV_NONE || tidy.by == PV_REFL ? pv_fail() : pv_then(prover, eqn, tidy);
}

/* what both branches are equal to, as a choice by the condition that tells them apart */
static pv_eqn told_apart(pv *prover, ck_id cond, pv_eqn yes, pv_eqn no) {
  if (yes.by == PV_NONE || no.by == PV_NONE)
    return pv_fail();
  ck_id whole = ck_ite(prover->terms, cond, yes.to, no.to);
  pv_thm branch[2] = {yes.by, no.by};
  for (uint32_t i = 0; i < 2; i++) {
    pv_thm hyp = pv_hyp(prover, i ? ck_neg(prover->terms, cond) : cond);
    pv_thm law = pv_law(prover, i ? "ite0" : "ite1", &whole, 1, hyp);
    branch[i] = pv_trans(prover, branch[i], pv_sym(prover, law));
  }
  pv_thm thm = pv_cases(prover, cond, branch[0], branch[1]);
  return thm == PV_NONE ? pv_fail() : (pv_eqn){whole, thm};
}

/* the fold where the round q of path i is not there, as one of its bounds is missed */
static pv_eqn round_missed(const pv_opened *fold, paths *all, uint32_t i, const pv_round *round,
                           bool below, uint32_t depth) {
  pv *prover = fold->prover;
  pv_thm absurd[MOST_PATHS];
  ck_id bound = below ? pv_ge0(prover, round->q) : pv_lt(prover, round->q, fold->bound);
  ck_id missed = ck_neg(prover->terms, bound);
  ck_id range = below ? pv_ge0(prover, fold->k) : pv_lt(prover, fold->k, fold->bound);
  for (uint32_t j = 0; j < all->n; j++)
    absurd[j] = PV_NONE;
  /* k is in its range, q, which is k, is not */
  absurd[i] = PV_COMBINE(prover, pv_lt(prover, prover->zero, prover->zero), prover->one,
                         pv_hyp(prover, range), prover->one, pv_hyp(prover, missed),
                         pv_num(prover, below ? 1 : -1), round->is_q);
  pv_ctx ctx = pv_ctx_push(prover, fold->ctx, missed, CK_BAD);
  return absurd[i] == PV_NONE ? pv_fail() : without(fold, ctx, all, absurd, depth);
}

static pv_eqn by_presence(const pv_opened *fold, paths *all, uint32_t i, const pv_round *round,
                          uint32_t depth) {
  pv *prover = fold->prover;
  pv_thm absurd[MOST_PATHS];
  ck_id low = pv_ge0(prover, round->q);
  ck_id high = pv_lt(prover, round->q, fold->bound);
  pv_ctx ctx = pv_ctx_push(prover, fold->ctx, low, CK_BAD);
  ctx = pv_ctx_push(prover, ctx, high, CK_BAD);
  bool others = true;
  for (uint32_t j = 0; j < all->n; j++) {
    absurd[j] = j == i ? PV_NONE : impossible(fold, ctx, &all->path[j]);
    others = others && (j == i || absurd[j] != PV_NONE);
  }
  pv_eqn there = others ? without(fold, ctx, all, absurd, depth) : pv_fail();
  if (there.by == PV_NONE)
    return there;
  pv_eqn after = round_missed(fold, all, i, round, false, depth);
  pv_eqn before = after.by == PV_NONE ? after : round_missed(fold, all, i, round, true, depth);
  pv_eqn inner = told_apart(prover, high, there, after);
  return told_apart(prover, low, inner, before);
}

/* without paths whose conditions contradict each other; PV_REFL: there are none */
static pv_eqn without_contradictions(const pv_opened *fold, paths *all, uint32_t depth) {
  pv_thm absurd[MOST_PATHS];
  for (uint32_t i = 0; i < all->n; i++)
    absurd[i] = impossible(fold, fold->ctx, &all->path[i]);
  pv_eqn eqn = without(fold, fold->ctx, all, absurd, depth);
  return eqn.by == PV_NONE ? pv_same(fold->fold) : eqn;
}

static pv_eqn tidy_paths(const pv_opened *fold, uint32_t depth) {
  paths all = {.n = 0};
  pv_chain way = {.n = 0};
  if (depth > MOST_DEPTH || !read_paths(fold, fold->step, &way, &all) || all.n < 2)
    return pv_same(fold->fold);
  pv_eqn eqn = without_contradictions(fold, &all, depth);
  if (eqn.by == PV_REFL)
    eqn = by_one_round(fold, &all);
  for (uint32_t i = 0; eqn.by == PV_REFL && i < all.n; i++) {
    pv_round round;
    if (!find_round(fold, &all.path[i], &round))
      continue;
    pv_eqn told = by_presence(fold, &all, i, &round, depth);
    if (told.by != PV_NONE)
      eqn = told;
  }
  return eqn;
}

pv_eqn pv_tidy_paths(const pv_opened *fold) {
  return tidy_paths(fold, 0);
}
