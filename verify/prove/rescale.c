/* Accumulators that are rescaled while they run, by cases (see pv_folds.h).
 *
 * A fold z starts at 0, and in round k becomes step(z, m), where m are other folds over the rounds
 * before k, each of which becomes next(m).  Step and next choose: by masks, by which of two numbers
 * is the larger one, by whether a lane has met a number yet.  With a scale g and terms u[k],
 *
 *     step(g(m)*s, m) = g(next(m)) * (s + u[k])    for every s that may occur,
 *
 * it follows by induction that z after n rounds is g(m after n rounds) * sum(k < n) u[k].  A state
 * m may stand for "nothing yet", where step throws away what was there: then s is 0 under that
 * condition P, which is a second claim of the same induction:
 *
 *     P(m) -> s = 0    gives    P(next(m)) -> s + u[k] = 0.
 *
 * g, u and P are guessed, from step and next where all conditions are decided one way or the other;
 * what is guessed wrong is not proved.  Example: online softmax of one lane under masks c[k],
 *
 *     z' = if(c[k], if(e = 1, 0, z*exp(m - m')) + exp(x[k] - m'), z),
 *     m' = if(c[k], if(e = 1, x[k], max(m, x[k])), m),    e' = if(c[k], 0, e)
 *
 * has g(m) = exp(-m), u[k] = if(c[k], exp x[k], 0), P: e = 1. */
#include "pv_folds.h"
#include "pv_steps.h"
#include <stdio.h>

enum { MOST_RUNNING = 4, MOST_DECIDED = 8, MOST_SUSPECTS = 8 };

typedef struct {
  pv *prover;
  pv_ctx ctx;
  pv_ctx inner; /* with the range of k */
  ck_id fold;
  ck_id bound;
  ck_id k;
  ck_id k_next;
  ck_id state;
  ck_id step; /* in the state, k and `now` */
  uint32_t count;
  ck_id run[MOST_RUNNING];  /* running fold i over the rounds before k */
  ck_id now[MOST_RUNNING];  /* the variable for its value */
  ck_id next[MOST_RUNNING]; /* what round k makes of it, in k and `now` */
  ck_id sum;                /* the variable for the sum so far */
  ck_id scale;              /* g, in `now` */
  ck_id added;              /* u, in k */
  ck_id nothing;            /* P, in k and `now`; CK_BAD: there is no such condition */
} rescaling;

/* --- what is read */
static bool has_now(const rescaling *resc, ck_id term) {
  for (uint32_t i = 0; i < resc->count; i++) {
    if (ck_has_var(resc->prover->terms, term, resc->now[i]))
      return true;
  }
  return false;
}

static uint32_t of_running(const rescaling *resc, ck_id term) {
  uint32_t i = 0;
  while (i < resc->count && resc->run[i] != term)
    i++;
  return i;
}

/* adds the folds of one state over the rounds before k that the term reads outside of binders;
 * false: there are too many */
static bool add_running(rescaling *resc, ck_id term) {
  const ck_terms *terms = resc->prover->terms;
  char name[32];
  if (!ck_has_var(terms, term, resc->k))
    return true;
  if (ck_is(terms, term, CK_FOLD) && ck_kid(terms, term, 0) == resc->k &&
      ck_width(terms, term) == 1) {
    uint32_t i = of_running(resc, term);
    if (i < resc->count)
      return true;
    if (i == MOST_RUNNING)
      return false;
    snprintf(name, sizeof name, "$$now%u.%u", pv_at(resc->prover, resc->inner)->level, i);
    resc->run[i] = term;
    resc->now[i] = pv_real_var(resc->prover, name);
    resc->count++;
    return true;
  }
  for (uint32_t i = 0; i < ck_nkids(terms, term); i++) {
    if (!ck_kid_binders(terms, term, i) && !add_running(resc, ck_kid(terms, term, i)))
      return false;
  }
  return true;
}

/* the term with `now` in the place of the running folds */
static ck_id with_now(const rescaling *resc, ck_id term) {
  for (uint32_t i = 0; i < resc->count; i++)
    term = pv_replace_closed(resc->prover, term, resc->run[i], resc->now[i]);
  return term;
}

/* step and next in `now`; false: the fold reads no running fold, or too many */
static bool read_rounds(rescaling *resc) {
  pv *prover = resc->prover;
  ck_id opened[MOST_RUNNING];
  ck_id vars[2] = {resc->k, resc->state};
  ck_id step = ck_open(prover->terms, ck_kid(prover->terms, resc->fold, 2), vars, 2);
  if (!add_running(resc, step) || resc->count == 0)
    return false;
  for (uint32_t i = 0; i < resc->count; i++) { /* more may be found on the way */
    vars[1] = resc->run[i];
    opened[i] = ck_open(prover->terms, ck_kid(prover->terms, resc->run[i], 2), vars, 2);
    if (!add_running(resc, opened[i]))
      return false;
  }
  resc->step = with_now(resc, step);
  for (uint32_t i = 0; i < resc->count; i++)
    resc->next[i] = with_now(resc, opened[i]);
  return true;
}

/* --- the guess: step and next where conditions are decided */
typedef struct {
  pv_ctx ctx;
  ck_id step;
  ck_id next[MOST_RUNNING];
  ck_id decided[MOST_DECIDED];
  uint32_t n;
} way;

/* a condition outside of binders; of those that speak of running values the last resort */
static ck_id undecided_in(const rescaling *resc, ck_id term, bool of_now) {
  const ck_terms *terms = resc->prover->terms;
  ck_id found = CK_BAD;
  if (ck_is(terms, term, CK_ITE)) {
    ck_id cond = ck_kid(terms, term, 0);
    for (uint32_t side = 0; side < 2 && found == CK_BAD; side++)
      found = undecided_in(resc, ck_kid(terms, cond, side), of_now);
    bool speaks = has_now(resc, ck_kid(terms, cond, 0)) || has_now(resc, ck_kid(terms, cond, 1));
    if (found == CK_BAD && speaks == of_now && ck_is_closed(terms, cond))
      found = cond;
  }
  for (uint32_t i = 0; i < ck_nkids(terms, term) && found == CK_BAD; i++) {
    bool inside = ck_kid_binders(terms, term, i) > 0 || ck_is_rel(terms, ck_kid(terms, term, i));
    if (!inside)
      found = undecided_in(resc, ck_kid(terms, term, i), of_now);
  }
  return found;
}

static ck_id undecided(const rescaling *resc, const way *here) {
  for (int of_now = 0; of_now < 2; of_now++) {
    ck_id cond = undecided_in(resc, here->step, of_now);
    for (uint32_t i = 0; i < resc->count && cond == CK_BAD; i++)
      cond = undecided_in(resc, here->next[i], of_now);
    if (cond != CK_BAD)
      return cond;
  }
  return CK_BAD;
}

static ck_id normal(const rescaling *resc, pv_ctx ctx, ck_id term) {
  pv_eqn eqn = term == CK_BAD ? pv_fail() : pv_norm(resc->prover, ctx, term);
  return eqn.by == PV_NONE ? CK_BAD : eqn.to;
}

/* one more condition; false: the way is too long, or terms have no normal form */
static bool decide(const rescaling *resc, way *here, ck_id cond) {
  if (here->n == MOST_DECIDED)
    return false;
  here->decided[here->n++] = cond;
  here->ctx = pv_ctx_assume(resc->prover, here->ctx, cond);
  here->step = normal(resc, here->ctx, here->step);
  bool fine = here->step != CK_BAD;
  for (uint32_t i = 0; i < resc->count; i++) {
    here->next[i] = normal(resc, here->ctx, here->next[i]);
    fine = fine && here->next[i] != CK_BAD;
  }
  return fine;
}

/* g by 1/g(m), the part of the factor that speaks of running values; false: it has none */
static bool scale_of(rescaling *resc, const way *here) {
  pv *prover = resc->prover;
  ck_id factor;
  ck_id rest;
  ck_id atoms[64];
  uint32_t n = 0;
  pv_poly poly;
  if (!pv_poly_linear(prover, here->step, resc->state, &factor, &rest))
    return false;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, factor);
  bool single = poly.count == 1 && poly.monos[0].degree <= 64;
  for (uint32_t i = 0; single && i < poly.monos[0].degree; i++) {
    if (has_now(resc, poly.monos[0].atoms[i]))
      atoms[n++] = poly.monos[0].atoms[i];
  }
  if (n > 0)
    resc->scale = pv_inv(prover, pv_mono_term(prover, prover->one, atoms, n));
  pv_poly_clear(&poly);
  return n > 0;
}

static bool find_scale(rescaling *resc, const way *here) {
  ck_id cond = undecided(resc, here);
  if (cond == CK_BAD)
    return scale_of(resc, here);
  for (int holds = 1; holds >= 0; holds--) {
    way branch = *here;
    bool fine = decide(resc, &branch, holds ? cond : ck_neg(resc->prover->terms, cond));
    if (fine && find_scale(resc, &branch))
      return true;
  }
  return false;
}

/* conditions under which what was there is thrown away: those of all ways on which it is */
typedef struct {
  ck_id cond[MOST_SUSPECTS];
  uint32_t n;
  bool any;
} suspects;

static void suspect(suspects *among, const way *here) {
  suspects kept = {.n = 0, .any = true};
  for (uint32_t i = here->n; i-- > 0;) {
    bool common = !among->any;
    for (uint32_t j = 0; j < among->n; j++)
      common = common || among->cond[j] == here->decided[i];
    if (common && kept.n < MOST_SUSPECTS)
      kept.cond[kept.n++] = here->decided[i];
  }
  *among = kept;
}

static ck_id scale_at(const rescaling *resc, const ck_id *values) {
  return ck_sub(resc->prover->terms, resc->scale, resc->now, values, resc->count, NULL, 0);
}

/* u where everything is decided; CK_BAD: there is none */
static ck_id added_here(const rescaling *resc, const way *here, suspects *among) {
  pv *prover = resc->prover;
  ck_id factor;
  ck_id addend;
  if (!pv_poly_linear(prover, here->step, resc->state, &factor, &addend))
    return CK_BAD;
  ck_id after = scale_at(resc, here->next);
  ck_id carried = normal(resc, here->ctx, pv_mul(prover, factor, resc->scale));
  if (carried != normal(resc, here->ctx, after))
    suspect(among, here);
  ck_id added = normal(resc, here->ctx, pv_mul(prover, addend, pv_inv(prover, after)));
  bool fine =
      added != CK_BAD && !has_now(resc, added) && !ck_has_var(prover->terms, added, resc->state);
  return fine ? added : CK_BAD;
}

/* u as a choice by those conditions that do not speak of running values; CK_BAD: there is none */
static ck_id find_added(const rescaling *resc, const way *here, suspects *among) {
  ck_terms *terms = resc->prover->terms;
  ck_id cond = undecided(resc, here);
  ck_id part[2];
  if (cond == CK_BAD)
    return added_here(resc, here, among);
  for (int i = 0; i < 2; i++) {
    way branch = *here;
    bool fine = decide(resc, &branch, i ? ck_neg(terms, cond) : cond);
    part[i] = fine ? find_added(resc, &branch, among) : CK_BAD;
    if (part[i] == CK_BAD)
      return CK_BAD;
  }
  if (part[0] == part[1])
    return part[0];
  bool of_now = has_now(resc, ck_kid(terms, cond, 0)) || has_now(resc, ck_kid(terms, cond, 1));
  return of_now ? CK_BAD : ck_ite(terms, cond, part[0], part[1]);
}

/* --- the proof */
/* if(P, s, 0): the second claim says that it is 0 */
static ck_id left_behind(const rescaling *resc, ck_id nothing, ck_id sum) {
  return ck_ite(resc->prover->terms, nothing, sum, resc->prover->zero);
}

static ck_id claim_left(const rescaling *resc, ck_id sum) {
  return pv_eq(resc->prover, left_behind(resc, resc->nothing, sum), resc->prover->zero);
}

/* left = right, both of which speak of s: where P holds, for s = 0 */
static pv_thm by_what_is_left(const rescaling *resc, ck_id left, ck_id right) {
  pv *prover = resc->prover;
  ck_terms *terms = prover->terms;
  if (resc->nothing == CK_BAD)
    return pv_prove_eq(prover, resc->inner, left, right, 0);
  pv_ctx lost = pv_ctx_assume(prover, resc->inner, resc->nothing);
  pv_ctx kept = pv_ctx_assume(prover, resc->inner, ck_neg(terms, resc->nothing));
  ck_id choice = left_behind(resc, resc->nothing, resc->sum);
  pv_thm none = pv_trans(
      prover, pv_sym(prover, pv_law(prover, "ite1", &choice, 1, pv_hyp(prover, resc->nothing))),
      pv_hyp(prover, claim_left(resc, resc->sum)));
  pv_eqn left_none = pv_rewrite(prover, left, &resc->sum, &none, 1);
  pv_eqn right_none = pv_rewrite(prover, right, &resc->sum, &none, 1);
  if (none == PV_NONE || left_none.by == PV_NONE || right_none.by == PV_NONE)
    return PV_NONE;
  pv_thm same = pv_prove_eq(prover, lost, left_none.to, right_none.to, 0);
  pv_thm yes =
      pv_trans(prover, pv_trans(prover, left_none.by, same), pv_sym(prover, right_none.by));
  if (yes == PV_NONE)
    return PV_NONE;
  pv_thm no = pv_prove_eq(prover, kept, left, right, 0);
  return pv_cases(prover, resc->nothing, yes, no);
}

/* P after round k, in k and `now` */
static ck_id nothing_next(const rescaling *resc) {
  ck_id vars[MOST_RUNNING + 1];
  ck_id values[MOST_RUNNING + 1];
  for (uint32_t i = 0; i < resc->count; i++) {
    vars[i] = resc->now[i];
    values[i] = resc->next[i];
  }
  vars[resc->count] = resc->k;
  values[resc->count] = resc->k_next;
  ck_id part[2];
  for (uint32_t side = 0; side < 2; side++)
    part[side] = ck_sub(resc->prover->terms, ck_kid(resc->prover->terms, resc->nothing, side), vars,
                        values, resc->count + 1, NULL, 0);
  return pv_rel(resc->prover, ck_head(resc->prover->terms, resc->nothing), part[0], part[1]);
}

/* if(P, s + u, 0) = 0 after round k */
static pv_thm still_nothing(const rescaling *resc) {
  pv *prover = resc->prover;
  ck_id grown = pv_add(prover, resc->sum, resc->added);
  return by_what_is_left(resc, left_behind(resc, nothing_next(resc), grown), prover->zero);
}

/* step(g(m)*s) = g(next(m))*(s + u) */
static pv_thm one_round(const rescaling *resc) {
  pv *prover = resc->prover;
  ck_id scaled = pv_mul(prover, resc->scale, resc->sum);
  ck_id left = ck_sub(prover->terms, resc->step, &resc->state, &scaled, 1, NULL, 0);
  ck_id right = pv_mul(prover, scale_at(resc, resc->next), pv_add(prover, resc->sum, resc->added));
  return by_what_is_left(resc, left, right);
}

/* the terms at a number of rounds */
typedef struct {
  ck_id run[MOST_RUNNING];
  ck_id fold;
  ck_id sum;
  ck_id claim[2]; /* the second one where P is */
} at_count;

static at_count after(const rescaling *resc, ck_id count) {
  pv *prover = resc->prover;
  ck_terms *terms = prover->terms;
  ck_id vars[MOST_RUNNING + 2];
  ck_id values[MOST_RUNNING + 2];
  at_count at = {.claim = {CK_BAD, CK_BAD}};
  ck_id kids[3] = {count, ck_kid(terms, resc->fold, 1), ck_kid(terms, resc->fold, 2)};
  at.fold = ck_fold(terms, 0, 1, kids);
  at.sum = pv_sum(prover, count, resc->k, resc->added);
  for (uint32_t i = 0; i < resc->count; i++) {
    at.run[i] = ck_sub(terms, resc->run[i], &resc->k, &count, 1, NULL, 0);
    vars[i] = resc->now[i];
    values[i] = at.run[i];
  }
  at.claim[0] = pv_eq(prover, at.fold, pv_mul(prover, scale_at(resc, at.run), at.sum));
  if (resc->nothing != CK_BAD) {
    vars[resc->count] = resc->k;
    values[resc->count] = count;
    vars[resc->count + 1] = resc->sum;
    values[resc->count + 1] = at.sum;
    ck_id choice = left_behind(resc, resc->nothing, resc->sum);
    choice = ck_sub(terms, choice, vars, values, resc->count + 2, NULL, 0);
    at.claim[1] = pv_eq(prover, choice, prover->zero);
  }
  return at;
}

/* the claims for no rounds: the fold and the sum are 0 */
static void before_rounds(const rescaling *resc, pv_thm base[2]) {
  pv *prover = resc->prover;
  at_count at = after(resc, prover->zero);
  pv_thm none = pv_zero_le_zero(prover);
  pv_thm sum = pv_zero(prover, at.sum, none);
  base[0] = PV_COMBINE(prover, at.claim[0], prover->one, pv_zero(prover, at.fold, none),
                       pv_neg(prover, scale_at(resc, at.run)), sum);
  if (resc->nothing != CK_BAD) {
    pv_eqn eqn = pv_rewrite(prover, ck_kid(prover->terms, at.claim[1], 0), &at.sum, &sum, 1);
    base[1] = eqn.by == PV_NONE ? PV_NONE
                                : pv_trans(prover, eqn.by,
                                           pv_prove_eq(prover, resc->ctx, eqn.to, prover->zero, 0));
  }
}

/* what was found for variables, of the folds at k; of the folds after it, right sides rewritten */
static void next_round(const rescaling *resc, const pv_thm found[2], pv_thm step[2]) {
  pv *prover = resc->prover;
  at_count at = after(resc, resc->k);
  at_count later = after(resc, resc->k_next);
  pv_var_sub subs[MOST_RUNNING + 1];
  ck_id from[MOST_RUNNING + 1];
  pv_thm by[MOST_RUNNING + 1];
  uint32_t n = 0;
  pv_thm nonneg = pv_hyp(prover, pv_ge0(prover, resc->k));
  for (; n < resc->count; n++) {
    subs[n] = (pv_var_sub){resc->now[n], resc->run[n]};
    from[n] = later.run[n];
    by[n] = pv_succ(prover, later.run[n], resc->k, nonneg);
  }
  subs[n] = (pv_var_sub){resc->sum, at.sum};
  from[n] = later.sum;
  by[n] = pv_succ(prover, later.sum, resc->k, nonneg);
  for (uint32_t i = 0; i <= n; i++) {
    if (by[i] == PV_NONE)
      return;
  }
  for (uint32_t i = 0; i < 2 && found[i] != PV_NONE; i++) {
    pv_thm here = pv_inst(prover, found[i], subs, n + 1, NULL, 0, NULL, 0);
    ck_id side = ck_kid(prover->terms, later.claim[i], i ? 0 : 1);
    pv_eqn eqn = pv_rewrite(prover, side, from, by, n + 1);
    if (i == 0) {
      pv_thm assumed = pv_hyp(prover, at.claim[0]);
      pv_thm left = pv_succ(prover, later.fold, resc->k, nonneg);
      pv_eqn body = pv_rewrite(prover, left == PV_NONE ? CK_BAD : pv_right(prover, left), &at.fold,
                               &assumed, 1);
      step[0] = pv_trans(prover, pv_trans(prover, left, body.by),
                         pv_trans(prover, here, pv_sym(prover, eqn.by)));
    } else {
      step[1] = pv_trans(prover, eqn.by, here);
    }
  }
}

/* the fold is the scaled sum, for a negative number of rounds too: then both are 0 */
static pv_thm at_any_bound(const rescaling *resc, const at_count *all, pv_thm some) {
  pv *prover = resc->prover;
  if (pv_follows(prover, resc->ctx, pv_ge0(prover, resc->bound)) != PV_NONE)
    return some;
  pv_thm none = pv_below_zero_is_none(prover, resc->bound);
  pv_thm both =
      PV_COMBINE(prover, all->claim[0], prover->one, pv_zero(prover, all->fold, none),
                 pv_neg(prover, scale_at(resc, all->run)), pv_zero(prover, all->sum, none));
  return pv_at_any_bound(prover, resc->bound, some, both);
}

static pv_eqn by_induction(const rescaling *resc) {
  pv *prover = resc->prover;
  pv_thm found[2] = {one_round(resc), PV_NONE};
  pv_thm base[2] = {PV_NONE, PV_NONE};
  pv_thm step[2] = {PV_NONE, PV_NONE};
  uint32_t n = resc->nothing == CK_BAD ? 1 : 2;
  if (found[0] != PV_NONE && n == 2)
    found[1] = still_nothing(resc);
  if (found[n - 1] == PV_NONE)
    return pv_fail();
  before_rounds(resc, base);
  next_round(resc, found, step);
  at_count at = after(resc, resc->k);
  at_count all = after(resc, resc->bound);
  ck_id rounds = pv_ge0(prover, resc->bound);
  pv_thm some = pv_follows(prover, resc->ctx, rounds);
  pv_thm thm = base[0] == PV_NONE || step[0] == PV_NONE
                   ? PV_NONE
                   : pv_induct(prover, resc->k, resc->bound, 0, at.claim, base, step, n,
                               some == PV_NONE ? pv_hyp(prover, rounds) : some);
  thm = at_any_bound(resc, &all, thm);
  return thm == PV_NONE ? pv_fail() : (pv_eqn){ck_kid(prover->terms, all.claim[0], 1), thm};
}

pv_eqn pv_rescaled_by_cases(pv *prover, pv_ctx ctx, ck_id fold) {
  const ck_terms *terms = prover->terms;
  rescaling resc = {.prover = prover, .ctx = ctx, .fold = fold, .nothing = CK_BAD};
  suspects among = {.n = 0};
  char name[32];
  if (ck_width(terms, fold) != 1 || ck_kid(terms, fold, 1) != prover->zero)
    return pv_fail();
  resc.bound = ck_kid(terms, fold, 0);
  resc.inner = pv_ctx_bind(prover, ctx, resc.bound, &resc.k);
  resc.k_next = pv_add(prover, resc.k, prover->one);
  uint32_t level = pv_at(prover, resc.inner)->level;
  resc.state = pv_state_var(prover, level, 0);
  snprintf(name, sizeof name, "$$sum%u", level);
  resc.sum = pv_real_var(prover, name);
  if (!read_rounds(&resc))
    return pv_fail();
  way start = {.ctx = resc.inner, .step = normal(&resc, resc.inner, resc.step)};
  for (uint32_t i = 0; i < resc.count; i++)
    start.next[i] = normal(&resc, resc.inner, resc.next[i]);
  if (start.step == CK_BAD || !find_scale(&resc, &start))
    return pv_fail();
  resc.added = find_added(&resc, &start, &among);
  if (resc.added == CK_BAD)
    return pv_fail();
  pv_eqn eqn = pv_fail();
  if (!among.any)
    return by_induction(&resc);
  for (uint32_t i = 0; i < among.n && eqn.by == PV_NONE; i++) {
    resc.nothing = among.cond[i];
    eqn = by_induction(&resc);
  }
  return eqn;
}
