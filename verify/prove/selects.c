/* Folds in which few rounds change anything (see pv_loops.h): stores over lanes, and loops whose
 * iterations store to different places.  A round that changes the state does so under conditions;
 * those that do not speak of the round are taken out, and where the others hold in one round alone,
 * which is read off an equation or off the two ends of a tile, the fold is the choice of that
 * round. */
#include "pv_rounds.h"
#include <stdio.h>
#include <string.h>

bool pv_speaks_of(const pv_opened *fold, ck_id term) {
  return ck_has_var(fold->prover->terms, term, fold->k) ||
         ck_has_var(fold->prover->terms, term, fold->s);
}

static ck_id with_step(const pv_opened *fold, ck_id step) {
  return pv_fold1(fold->prover, fold->bound, fold->base, fold->k, fold->s, step);
}

pv_eqn pv_other_step(const pv_opened *fold, ck_id step, pv_thm same) {
  ck_id vars[2] = {fold->k, fold->s};
  ck_id to = with_step(fold, step);
  if (to == fold->fold)
    return pv_same(to);
  pv_thm thm = pv_foldcong(fold->prover, fold->fold, to, vars, 2, &same, 1);
  return thm == PV_NONE ? pv_fail() : (pv_eqn){to, thm};
}

pv_eqn pv_only_in_round(const pv_opened *fold, ck_id q, ck_id chosen, pv_thm same) {
  pv *prover = fold->prover;
  pv_eqn eqn = same == PV_NONE ? pv_fail() : pv_other_step(fold, chosen, same);
  ck_id parameters[2] = {fold->k, fold->s};
  pv_var_sub vars[3] = {{pv_int_var(prover, "n"), fold->bound},
                        {pv_int_var(prover, "q"), q},
                        {pv_real_var(prover, "b"), fold->base}};
  ck_fsub f = {ck_word(prover->terms, "f"), ck_word(prover->terms, "ir:r"), parameters, 2,
               fold->step};
  pv_thm lemma = pv_use_lemma(prover, PV_SELECT, vars, 3, &f, 1, NULL, 0);
  if (eqn.by == PV_NONE || lemma == PV_NONE)
    return pv_fail();
  return pv_then(prover, eqn, (pv_eqn){pv_right(prover, lemma), lemma});
}

/* its step changes nothing */
static pv_thm kept(const pv_opened *fold) {
  pv_var_sub vars[2] = {{pv_int_var(fold->prover, "n"), fold->bound},
                        {pv_real_var(fold->prover, "b"), fold->base}};
  return pv_use_lemma(fold->prover, PV_KEEP, vars, 2, NULL, 0, NULL, 0);
}

/* its step does not read the state */
static pv_eqn last(const pv_opened *fold) {
  pv *prover = fold->prover;
  pv_var_sub vars[2] = {{pv_int_var(prover, "n"), fold->bound},
                        {pv_real_var(prover, "b"), fold->base}};
  ck_fsub f = pv_fun_sub(prover, "f", &fold->k, fold->step);
  pv_thm thm = pv_use_lemma(prover, PV_LAST, vars, 2, &f, 1, NULL, 0);
  return thm == PV_NONE ? pv_fail() : (pv_eqn){pv_right(prover, thm), thm};
}

/* --- conditions that do not speak of the round */
typedef struct {
  const pv_opened *fold;
  pv_chain out; /* over what remains, or the base */
  ck_id inner;  /* the fold that remains */
  ck_id whole;
} hoisting;

/* the fold is the chain, where the first i conditions hold */
static pv_thm hoisted(const hoisting *h, uint32_t i) {
  const pv_opened *fold = h->fold;
  pv *prover = fold->prover;
  pv_facts facts = {.n = 0};
  for (uint32_t c = 0; c < i; c++)
    pv_fact_add(&facts, h->out.cond[c], pv_hyp(prover, h->out.cond[c]), CK_BAD, CK_BAD);
  bool all = i == h->out.n;
  ck_id rest = fold->s;
  if (all) {
    pv_chain remaining = fold->chain;
    remaining.n = 0;
    for (uint32_t c = 0; c < fold->chain.n; c++) {
      if (pv_speaks_of(fold, fold->chain.cond[c]))
        remaining.cond[remaining.n++] = fold->chain.cond[c];
    }
    rest = pv_chain_term(prover, &remaining);
  } else {
    ck_id cond = h->out.cond[i];
    pv_thm yes = hoisted(h, i + 1);
    ck_id no_cond = ck_neg(prover->terms, cond);
    pv_fact_add(&facts, no_cond, pv_hyp(prover, no_cond), CK_BAD, CK_BAD);
    pv_thm same = pv_same_by_cases(prover, fold->step, rest, &facts);
    pv_eqn to = same == PV_NONE ? pv_fail() : pv_other_step(fold, rest, same);
    if (yes == PV_NONE || to.by == PV_NONE)
      return PV_NONE;
    pv_thm no = pv_trans(prover, pv_trans(prover, to.by, kept(fold)),
                         pv_same_by_cases(prover, fold->base, h->whole, &facts));
    return pv_cases(prover, cond, yes, no);
  }
  pv_thm same = pv_same_by_cases(prover, fold->step, rest, &facts);
  pv_eqn to = same == PV_NONE ? pv_fail() : pv_other_step(fold, rest, same);
  if (to.by == PV_NONE)
    return PV_NONE;
  return pv_trans(prover, to.by, pv_same_by_cases(prover, to.to, h->whole, &facts));
}

static pv_eqn hoist(const pv_opened *fold) {
  pv *prover = fold->prover;
  hoisting h = {.fold = fold, .out = {.other = fold->base}};
  pv_chain remaining = fold->chain;
  remaining.n = 0;
  for (uint32_t c = 0; c < fold->chain.n; c++) {
    if (pv_speaks_of(fold, fold->chain.cond[c]))
      remaining.cond[remaining.n++] = fold->chain.cond[c];
    else
      h.out.cond[h.out.n++] = fold->chain.cond[c];
  }
  if (h.out.n == 0)
    return pv_same(fold->fold);
  h.inner = with_step(fold, pv_chain_term(prover, &remaining));
  h.out.value = h.inner;
  h.whole = pv_chain_term(prover, &h.out);
  pv_thm thm = hoisted(&h, 0);
  if (thm == PV_NONE)
    return pv_fail();
  pv_eqn inner = pv_tidy_fold(prover, fold->ctx, h.inner);
  if (inner.by == PV_NONE || inner.by == PV_REFL)
    return inner.by == PV_NONE ? pv_fail() : (pv_eqn){h.whole, thm};
  pv_eqn tidy = pv_rewrite(prover, h.whole, &h.inner, &inner.by, 1);
  return pv_then(prover, (pv_eqn){h.whole, thm}, tidy);
}

void pv_add_failing(const pv_opened *fold, pv_thm absurd, const ck_id *cond, uint32_t n_cond,
                    const ck_id *formulas, uint32_t n, pv_facts *facts) {
  pv *prover = fold->prover;
  bool order =
      absurd != PV_NONE && ck_head(prover->terms, ck_thm_formula(prover->proof, absurd)) == CK_LT;
  for (uint32_t i = 0; i < n_cond; i++) {
    ck_id fails = ck_neg(prover->terms, cond[i]);
    if (!pv_rests_on(prover, absurd, cond[i]))
      continue;
    pv_thm false_here = order ? pv_from_zero_below_zero(prover, fails, absurd)
                              : pv_from_zero_differs(prover, fails, absurd);
    pv_thm thm = pv_cases(prover, cond[i], false_here, pv_hyp(prover, fails));
    pv_fact_add_under(prover, facts, thm, formulas, n);
  }
}

/* the step changes nothing but in round q */
static pv_thm only_there(const pv_opened *fold, const pv_round *round, ck_id chosen) {
  pv *prover = fold->prover;
  ck_id is_q = pv_eq(prover, fold->k, round->q);
  ck_id is_not = ck_neg(prover->terms, is_q);
  ck_id formulas[PV_MAX_CHAIN + 1];
  uint32_t n = 0;
  for (uint32_t c = 0; c < fold->chain.n; c++)
    formulas[n++] = fold->chain.cond[c];
  formulas[n++] = is_not;
  pv_facts facts = {.n = 0};
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, pv_hyp(prover, is_not));
  pv_comb_add(&comb, pv_num(prover, -1), round->is_q);
  pv_thm absurd = pv_comb_prove(prover, &comb, pv_ne0(prover, prover->zero));
  pv_add_failing(fold, absurd, fold->chain.cond, fold->chain.n, formulas, n, &facts);
  return pv_sym(prover, pv_same_by_cases(prover, chosen, fold->step, &facts));
}

/* a condition in round q, which holds there; of a tile by what quotients are */
static pv_thm holds_there(const pv_opened *fold, const pv_round *round, ck_id cond) {
  pv *prover = fold->prover;
  ck_id gap = pv_difference(prover, cond);
  pv_thm value = gap == CK_BAD || !pv_is_const(prover, gap) ? PV_NONE : pv_by_value(prover, cond);
  pv_thm same = gap == CK_BAD ? PV_NONE : pv_identity(prover, cond);
  if (ck_head(prover->terms, cond) == CK_EQ)
    return same;
  if (ck_head(prover->terms, round->q) != CK_DIV) {
    pv_summand one = {gap, NULL, 0};
    return value != PV_NONE                            ? value
           : gap != CK_BAD && pv_is_const(prover, gap) ? pv_arith(prover, cond, &one, 1)
                                                       : PV_NONE;
  }
  ck_id at = ck_kid(prover->terms, round->q, 0);
  ck_id size = ck_kid(prover->terms, round->q, 1);
  pv_thm positive = pv_follows(prover, fold->ctx, pv_gt0(prover, size));
  bool low = ck_head(prover->terms, cond) == CK_LE;
  /* at = size*q + rest, 0 <= rest < size */
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, pv_num(prover, low ? -1 : 1), pv_law2(prover, "div", at, size, positive));
  pv_comb_add(&comb, prover->one, pv_law2(prover, low ? "mod>" : "mod<", at, size, positive));
  return pv_comb_prove(prover, &comb, cond);
}

/* at - q*size < min(size, end - q*size) from at < end, and its negation from that of at < end */
static void cut_off(const pv_opened *fold, const pv_round *round, ck_id cond, pv_facts *facts) {
  pv *prover = fold->prover;
  const ck_terms *terms = prover->terms;
  ck_id not_cond = ck_neg(prover->terms, cond);
  ck_id until = round->instead;
  ck_id beyond = ck_neg(prover->terms, until);
  ck_id room = pv_canon(prover, pv_sub(prover, ck_kid(terms, cond, 1), ck_kid(terms, cond, 0)));
  /* the smaller of two: a node in the difference of the sides */
  ck_id width = CK_BAD;
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, room);
  for (uint32_t i = 0; i < poly.count; i++) {
    if (poly.monos[i].degree == 1 && ck_is(terms, poly.monos[i].atoms[0], CK_ITE))
      width = poly.monos[i].atoms[0];
  }
  pv_poly_clear(&poly);
  if (width == CK_BAD)
    return;
  ck_id at = ck_kid(terms, round->q, 0);
  ck_id size = ck_kid(terms, round->q, 1);
  pv_thm positive = pv_follows(prover, fold->ctx, pv_gt0(prover, size));
  ck_id choice = ck_kid(terms, width, 0);
  pv_thm law[2] = {
      pv_law(prover, "ite1", &width, 1, pv_hyp(prover, choice)),
      pv_law(prover, "ite0", &width, 1, pv_hyp(prover, ck_neg(prover->terms, choice)))};
  pv_thm inside[2];
  pv_thm outside[2];
  for (int i = 0; i < 2; i++) {
    bool is_size =
        pv_canon(prover, ck_kid(terms, width, 1 + (uint32_t)i)) == pv_canon(prover, size);
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, pv_num(prover, -1), law[i]);
    if (is_size) {
      pv_comb_add(&comb, prover->one, pv_law2(prover, "div", at, size, positive));
      pv_comb_add(&comb, prover->one, pv_law2(prover, "mod<", at, size, positive));
    } else {
      pv_comb_add(&comb, prover->one, pv_hyp(prover, until));
    }
    inside[i] = pv_comb_prove(prover, &comb, cond);
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, law[i]);
    pv_comb_add(&comb, prover->one, pv_hyp(prover, beyond));
    if (is_size) { /* then it is not more than the rest up to the end */
      pv_thm smaller = pv_hyp(prover, i ? ck_neg(prover->terms, choice) : choice);
      pv_comb_add(&comb, prover->one, smaller);
    }
    outside[i] = pv_comb_prove(prover, &comb, not_cond);
  }
  pv_fact_add(facts, cond, pv_cases(prover, choice, inside[0], inside[1]), until, CK_BAD);
  pv_fact_add(facts, not_cond, pv_cases(prover, choice, outside[0], outside[1]), beyond, CK_BAD);
}

static ck_id in_round(const pv_opened *fold, const pv_round *round, ck_id term) {
  ck_id from[2] = {fold->k, fold->s};
  ck_id to[2] = {round->q, fold->base};
  return ck_sub(fold->prover->terms, term, from, to, 2, NULL, 0);
}

/* a theorem about round k, of round q; PV_NONE: it rests on something else of the round than its
 * conditions and its range */
static pv_thm there(const pv_opened *fold, const pv_round *round, pv_thm thm) {
  pv *prover = fold->prover;
  uint32_t n;
  if (thm == PV_NONE)
    return PV_NONE;
  const ck_id *hyps = ck_thm_hyps(prover->proof, thm, &n);
  ck_id range[2] = {pv_ge0(prover, fold->k), pv_lt(prover, fold->k, fold->bound)};
  for (uint32_t i = 0; i < n; i++) {
    bool found = !pv_speaks_of(fold, hyps[i]) || hyps[i] == range[0] || hyps[i] == range[1];
    for (uint32_t c = 0; c < fold->chain.n; c++)
      found = found || hyps[i] == fold->chain.cond[c];
    if (!found)
      return PV_NONE;
  }
  pv_var_sub sub = {fold->k, round->q};
  return pv_inst(prover, thm, &sub, 1, NULL, 0, NULL, 0);
}

pv_thm pv_both_ways(pv *prover, pv_thm thm) {
  ck_id formula = ck_thm_formula(prover->proof, thm);
  bool equation = ck_head(prover->terms, formula) == CK_EQ;
  ck_id claim = pv_rel(prover, equation ? CK_NE : CK_LT, prover->zero, prover->zero);
  return PV_COMBINE(prover, claim, prover->one, pv_hyp(prover, ck_neg(prover->terms, formula)),
                    pv_num(prover, equation ? -1 : 1), thm);
}

/* What follows from the conditions that say which round it is, in round q: added to the chain, with
 * why; stands[i]: the condition stands beside it, as it says more.  false: it is not found. */
static bool by_consequences(const pv_opened *fold, const pv_round *round, pv_chain *chain,
                            bool stands[2], pv_facts *facts) {
  pv *prover = fold->prover;
  ck_id formulas[PV_MAX_CHAIN + 3];
  ck_id also[PV_MOST_CONSEQUENCES];
  uint32_t n_cond = fold->chain.n;
  uint32_t n = n_cond;
  if (round->also.n == 0)
    return false;
  for (uint32_t c = 0; c < n_cond; c++)
    formulas[c] = in_round(fold, round, fold->chain.cond[c]);
  formulas[n++] = pv_ge0(prover, round->q);
  formulas[n++] = pv_lt(prover, round->q, fold->bound);
  pv_ctx ctx = pv_ctx_push(prover, fold->ctx, formulas[n_cond], CK_BAD);
  ctx = pv_ctx_push(prover, ctx, formulas[n_cond + 1], CK_BAD);
  for (uint32_t g = 0; g < round->also.n; g++) {
    pv_thm thm = there(fold, round, round->also.thm[g]);
    if (thm == PV_NONE)
      return false;
    also[g] = ck_thm_formula(prover->proof, thm);
    ctx = pv_ctx_push(prover, ctx, also[g], CK_BAD);
    formulas[n] = ck_neg(prover->terms, also[g]);
    pv_add_failing(fold, pv_both_ways(prover, thm), formulas, n_cond, formulas, n + 1, facts);
  }
  ck_id cond[2] = {formulas[round->first], formulas[round->second]};
  for (uint32_t i = 0; i < (cond[0] == cond[1] ? 1 : 2); i++) {
    pv_thm holds = pv_follows(prover, ctx, cond[i]);
    stands[i] = holds == PV_NONE;
    if (stands[i])
      continue;
    ck_id under[PV_MOST_CONSEQUENCES + 2] = {formulas[n_cond], formulas[n_cond + 1]};
    memcpy(under + 2, also, round->also.n * sizeof *also);
    pv_fact_add_under(prover, facts, holds, under, round->also.n + 2);
  }
  for (uint32_t g = 0; g < round->also.n; g++)
    chain->cond[chain->n++] = also[g];
  return true;
}

/* the choice of round q, without the conditions that say that it is that round */
static pv_eqn tidy_choice(const pv_opened *fold, const pv_round *round, ck_id choice) {
  pv *prover = fold->prover;
  pv_chain chain = {.other = fold->base, .n = 0};
  pv_facts facts = {.n = 0};
  if (fold->chain.n + 2 + PV_MOST_CONSEQUENCES > PV_MAX_CHAIN)
    return pv_same(choice);
  bool stands[2] = {false, false};
  bool replaced = by_consequences(fold, round, &chain, stands, &facts);
  if (!replaced)
    facts.n = 0;
  if (round->first == round->second)
    stands[1] = stands[0];
  for (uint32_t c = 0; c < fold->chain.n; c++) {
    ck_id cond = in_round(fold, round, fold->chain.cond[c]);
    bool first = c == round->first && !stands[0];
    bool second = c == round->second && !stands[1];
    if (replaced && (first || second))
      continue;
    bool drop =
        (c == round->first && round->drop_first) || (c == round->second && round->drop_second);
    pv_thm holds = drop ? holds_there(fold, round, cond) : PV_NONE;
    if (holds != PV_NONE) {
      pv_fact_add(&facts, cond, holds, CK_BAD, CK_BAD);
    } else if (c == round->second && round->instead != CK_BAD) {
      cut_off(fold, round, cond, &facts);
      chain.cond[chain.n++] = round->instead;
    } else {
      chain.cond[chain.n++] = cond;
    }
  }
  /* last, as they often follow from the others */
  chain.cond[chain.n++] = pv_ge0(prover, round->q);
  chain.cond[chain.n++] = pv_lt(prover, round->q, fold->bound);
  chain.value = in_round(fold, round, fold->chain.value);
  ck_id to = pv_chain_term(prover, &chain);
  pv_thm thm = pv_sym(prover, pv_same_by_cases(prover, to, choice, &facts));
  if (thm == PV_NONE)
    return pv_same(choice);
  pv_eqn eqn = {to, thm};
  if (replaced) { /* what they say is needed in what follows */
    pv_eqn tidy = pv_choices_under(prover, fold->ctx, to);
    eqn = tidy.by == PV_NONE ? eqn : pv_then(prover, eqn, tidy);
  }
  return eqn;
}

static pv_eqn select_round(const pv_opened *fold) {
  pv *prover = fold->prover;
  pv_round round;
  if (!pv_find_round(fold, &round))
    return pv_same(fold->fold);
  ck_id is_q = pv_eq(prover, fold->k, round.q);
  ck_id chosen = ck_ite(prover->terms, is_q, fold->step, fold->s);
  pv_thm same = only_there(fold, &round, chosen);
  pv_eqn eqn = pv_only_in_round(fold, round.q, chosen, same);
  if (eqn.by == PV_NONE)
    return pv_same(fold->fold);
  return pv_then(prover, eqn, tidy_choice(fold, &round, eqn.to));
}

/* the fold whose step is that chain, which is the same by the facts */
static pv_eqn with_chain(pv_opened *fold, const pv_chain *chain, const pv_facts *facts) {
  pv *prover = fold->prover;
  fold->chain = *chain;
  ck_id step = pv_chain_term(prover, chain);
  if (step == fold->step)
    return pv_same(fold->fold);
  pv_thm same = pv_same_by_cases(prover, fold->step, step, facts);
  pv_eqn eqn = same == PV_NONE ? pv_fail() : pv_other_step(fold, step, same);
  fold->step = step;
  fold->fold = eqn.to;
  return eqn;
}

/* the fold whose step is the chain that it was read as, its conditions without quotients */
static pv_eqn straightened(pv_opened *fold) {
  pv_facts facts = {.n = 0};
  pv_chain chain = fold->chain;
  pv_linear_chain(fold->prover, fold->ctx, &chain, fold->k, &facts);
  return with_chain(fold, &chain, &facts);
}

static pv_eqn tidy_chain(const pv_opened *fold) {
  for (uint32_t c = 0; c < fold->chain.n; c++) {
    if (!pv_speaks_of(fold, fold->chain.cond[c]))
      return hoist(fold);
  }
  return select_round(fold);
}

/* .. where it must be read off several axes of a place together */
static pv_eqn tidy_joined(pv_opened fold) {
  enum { MOST = 12 };

  pv_eqn joined = pv_same(fold.fold);
  pv_chain chain;
  pv_facts facts;
  for (int i = 0; i < MOST && joined.by != PV_NONE && pv_join_places(&fold, &chain, &facts); i++)
    joined = pv_then(fold.prover, joined, with_chain(&fold, &chain, &facts));
  if (joined.by == PV_NONE || joined.by == PV_REFL)
    return pv_same(fold.fold);
  pv_eqn tidy = tidy_chain(&fold);
  return tidy.by == PV_REFL ? tidy : pv_then(fold.prover, joined, tidy);
}

pv_eqn pv_tidy_fold(pv *prover, pv_ctx ctx, ck_id term) {
  char name[24];
  pv_opened fold = {.prover = prover, .ctx = ctx, .fold = term};
  if (!ck_is(prover->terms, term, CK_FOLD) || ck_width(prover->terms, term) != 1)
    return pv_same(term);
  snprintf(name, sizeof name, "$$t%u", term);
  fold.k = pv_int_var(prover, name);
  snprintf(name, sizeof name, "$$u%u", term);
  fold.s = pv_real_var(prover, name);
  fold.bound = ck_kid(prover->terms, term, 0);
  fold.base = ck_kid(prover->terms, term, 1);
  ck_id vars[2] = {fold.k, fold.s};
  fold.step = ck_open(prover->terms, ck_kid(prover->terms, term, 2), vars, 2);
  if (fold.step == fold.s) {
    pv_thm thm = kept(&fold);
    return thm == PV_NONE ? pv_fail() : (pv_eqn){fold.base, thm};
  }
  if (!ck_has_var(prover->terms, fold.step, fold.s))
    return last(&fold);
  fold.chain = pv_chain_read(prover, fold.step, fold.s);
  if (fold.chain.n == 0)
    return pv_tidy_paths(&fold);
  pv_opened asked = fold;
  pv_eqn straight = straightened(&fold);
  pv_eqn tidy = straight.by == PV_NONE ? pv_same(fold.fold) : tidy_chain(&fold);
  if (tidy.by == PV_REFL && straight.by != PV_NONE)
    tidy = tidy_joined(fold);
  /* straightening alone is no progress: the normal form of the step would undo it */
  return tidy.by == PV_REFL ? pv_tidy_paths(&asked) : pv_then(prover, straight, tidy);
}
