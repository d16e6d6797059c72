/* Two rounds that touch one place are one round (see pv_rounds.h).
 *
 * Of instances x < y it is asked that a place of the one differs from a place of the other, where
 * the places of other axes are the same.  Each axis says of a round k, the instance, that its place
 * p is  inside(k) + a lane,  so that  0 <= p - inside(k)  and  p - inside(k) < w,  or, without a
 * lane,  p = inside(k).  Where these conditions, for numbers p of which nothing is known, tell the
 * round, k = q(p..), both instances are q at the places that they share. */
#include "pv_rounds.h"
#include <stdio.h>

enum { MOST_AXES = 6, MOST_JOINS = 12 };

/* of one axis */
typedef struct {
  ck_id at[2];     /* the places, of x and of y */
  pv_thm same;     /* at[0] = at[1] */
  ck_id place;     /* p */
  ck_id inside;    /* what of it speaks of k */
  ck_id width;     /* w; CK_BAD: there is no lane */
  pv_thm parts[2]; /* at[i] = inside(x or y) + its lane */
  pv_thm low[2];   /* 0 <= lane */
  pv_thm high[2];  /* lane < w */
} axis;

typedef struct {
  pv *prover;
  pv_ctx ctx;     /* orders alone */
  ck_id round[2]; /* x, y */
  pv_thm less;    /* x < y */
  ck_id bound;
  pv_thm first[2]; /* 0 <= x, 0 <= y */
  pv_thm last[2];  /* x < bound, y < bound */
  ck_id k;
  axis axes[MOST_AXES];
  uint32_t n;
} meeting;

static bool speaks_of_variable(pv *prover, ck_id part, const void *variable) {
  return ck_has_var(prover->terms, part, *(const ck_id *)variable);
}

/* the greatest number that divides what of the term speaks of k, or CK_BAD; that part in *inside,
 * the rest in *lane */
static ck_id take_apart(pv *prover, ck_id term, ck_id k, ck_id *inside, ck_id *lane) {
  long number = pv_poly_apart(prover, term, speaks_of_variable, &k, inside, lane);
  return number > 0 ? pv_num(prover, number) : CK_BAD;
}

/* the axis of two places; false: they are not of one form */
static bool add_axis(meeting *both, ck_id at_x, ck_id at_y, pv_thm same) {
  pv *prover = both->prover;
  ck_terms *terms = prover->terms;
  ck_id at[2] = {at_x, at_y};
  char name[24];
  if (both->n == MOST_AXES)
    return false;
  axis *found = &both->axes[both->n];
  pv_ctx ctx = pv_ctx_push(prover, both->ctx, pv_ge0(prover, both->k), CK_BAD);
  ctx = pv_ctx_push(prover, ctx, pv_lt(prover, both->k, both->bound), CK_BAD);
  ck_id inside[2];
  ck_id width = CK_BAD;
  for (int i = 0; i < 2; i++) {
    ck_id of_k = ck_sub(terms, at[i], &both->round[i], &both->k, 1, NULL, 0);
    pv_eqn normal = of_k == CK_BAD ? pv_fail() : pv_norm(prover, ctx, of_k);
    ck_id lane;
    if (normal.by == PV_NONE || !ck_is_int(terms, normal.to))
      return false;
    width = take_apart(prover, normal.to, both->k, &inside[i], &lane);
    if (width == CK_BAD)
      return false;
    found->width = pv_is_const(prover, lane) ? CK_BAD : width;
    found->low[i] = pv_follows(prover, both->ctx, pv_ge0(prover, lane));
    found->high[i] = pv_follows(prover, both->ctx, pv_lt(prover, lane, width));
    if (found->width == CK_BAD) /* a number goes inside */
      inside[i] = normal.to;
    else if (found->low[i] == PV_NONE || found->high[i] == PV_NONE)
      return false;
    /* of this instance */
    pv_thm premises[2] = {both->first[i], both->last[i]};
    pv_thm by[2];
    uint32_t n = 0;
    pv_var_sub sub = {both->k, both->round[i]};
    pv_thm thm = normal.by == PV_REFL ? pv_refl(prover, of_k) : normal.by;
    for (int p = 0; p < 2; p++) {
      ck_id range = p ? pv_lt(prover, both->k, both->bound) : pv_ge0(prover, both->k);
      if (pv_rests_on(prover, thm, range))
        by[n++] = premises[p];
    }
    found->parts[i] = pv_inst(prover, thm, &sub, 1, NULL, 0, by, n);
    if (found->parts[i] == PV_NONE)
      return false;
  }
  if (inside[0] != inside[1])
    return false;
  snprintf(name, sizeof name, "$$place%u", both->n);
  found->place = pv_int_var(prover, name);
  found->inside = inside[0];
  found->at[0] = at_x;
  found->at[1] = at_y;
  found->same = same;
  both->n++;
  return true;
}

/* the places that an equation or its opposite compares, that of x first; false: it is of others */
static bool sides_of(const meeting *both, ck_id relation, ck_id *at, bool *turned) {
  const ck_terms *terms = both->prover->terms;
  for (int turn = 0; turn < 2; turn++) {
    at[0] = ck_kid(terms, relation, (uint32_t)turn);
    at[1] = ck_kid(terms, relation, 1 - (uint32_t)turn);
    *turned = turn == 1;
    if (!ck_is_int(terms, at[0]) || !ck_is_int(terms, at[1]))
      return false;
    if (ck_has_var(terms, at[0], both->round[0]) && !ck_has_var(terms, at[0], both->round[1]) &&
        ck_has_var(terms, at[1], both->round[1]) && !ck_has_var(terms, at[1], both->round[0]))
      return true;
  }
  return false;
}

/* the conditions of all axes on round k at the places p */
static void ask_round(const meeting *both, pv_chain *chain) {
  pv *prover = both->prover;
  for (uint32_t i = 0; i < both->n; i++) {
    const axis *here = &both->axes[i];
    ck_id gap = pv_canon(prover, pv_sub(prover, here->place, here->inside));
    if (here->width == CK_BAD) {
      chain->cond[chain->n++] = pv_eq(prover, prover->zero, gap);
      continue;
    }
    chain->cond[chain->n++] = pv_ge0(prover, gap);
    chain->cond[chain->n++] = pv_lt(prover, gap, here->width);
  }
}

/* the theorem with those of its hypotheses that `by` proves, for the n formulas, proved */
static pv_thm discharged(pv *prover, pv_thm thm, const ck_id *formulas, const pv_thm *by,
                         uint32_t n) {
  pv_thm premises[PV_MAX_CHAIN];
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (pv_rests_on(prover, thm, formulas[i]))
      premises[count++] = by[i];
  }
  return count ? pv_inst(prover, thm, NULL, 0, NULL, 0, premises, count) : thm;
}

/* the conditions of the new chain from those that were asked first, as those of the old one are */
static bool follow(const pv_opened *fold, const pv_chain *to, const pv_facts *facts, pv_thm *by) {
  pv *prover = fold->prover;
  pv_thm next[PV_MAX_CHAIN];
  for (uint32_t c = 0; c < to->n; c++) {
    next[c] = PV_NONE;
    for (uint32_t i = 0; i < fold->chain.n; i++) {
      if (fold->chain.cond[i] == to->cond[c])
        next[c] = by[i];
    }
    for (uint32_t f = 0; f < facts->n && next[c] == PV_NONE; f++) {
      if (facts->fact[f].formula == to->cond[c])
        next[c] = discharged(prover, facts->fact[f].thm, fold->chain.cond, by, fold->chain.n);
    }
    if (next[c] == PV_NONE)
      return false;
  }
  for (uint32_t c = 0; c < to->n; c++)
    by[c] = next[c];
  return true;
}

/* k = q from what is asked of round k; PV_NONE: the round is not told by it */
static pv_thm told(const meeting *both) {
  pv *prover = both->prover;
  pv_opened fold = {.prover = prover,
                    .ctx = both->ctx,
                    .fold = prover->zero,
                    .bound = both->bound,
                    .base = prover->zero,
                    .k = both->k,
                    .s = pv_real_var(prover, "$$held")};
  pv_thm by[PV_MAX_CHAIN];
  fold.chain.value = fold.chain.other = fold.step = fold.s;
  ask_round(both, &fold.chain);
  for (uint32_t c = 0; c < fold.chain.n; c++)
    by[c] = pv_hyp(prover, fold.chain.cond[c]);
  for (int i = 0; i < MOST_JOINS; i++) {
    pv_round round;
    pv_chain chain;
    pv_facts facts;
    if (pv_find_round(&fold, &round) && !pv_speaks_of(&fold, round.q))
      return discharged(prover, round.is_q, fold.chain.cond, by, fold.chain.n);
    if (!pv_join_places(&fold, &chain, &facts) || !follow(&fold, &chain, &facts, by))
      return PV_NONE;
    fold.chain = chain;
  }
  return PV_NONE;
}

/* instance i is q at the places of x */
static pv_thm is_told(const meeting *both, pv_thm thm, int i) {
  pv *prover = both->prover;
  pv_var_sub subs[MOST_AXES + 1] = {{both->k, both->round[i]}};
  pv_chain asked = {.n = 0};
  pv_thm by[PV_MAX_CHAIN];
  pv_thm premises[PV_MAX_CHAIN];
  uint32_t count = 0;
  uint32_t c = 0;
  ask_round(both, &asked);
  for (uint32_t a = 0; a < both->n; a++)
    subs[a + 1] = (pv_var_sub){both->axes[a].place, both->axes[a].at[0]};
  for (uint32_t a = 0; a < both->n; a++) { /* at[0] = at[i] = inside + lane */
    const axis *here = &both->axes[a];
    ck_id minus = pv_num(prover, -1);
    pv_thm moved = i ? here->same : PV_REFL;
    for (int end = 0; end < (here->width == CK_BAD ? 1 : 2); end++, c++) {
      ck_id vars[MOST_AXES + 1];
      ck_id values[MOST_AXES + 1];
      for (uint32_t v = 0; v <= both->n; v++) {
        vars[v] = subs[v].var;
        values[v] = subs[v].term;
      }
      ck_id claim = ck_sub(prover->terms, asked.cond[c], vars, values, both->n + 1, NULL, 0);
      pv_thm lane = here->width == CK_BAD ? PV_REFL : end ? here->high[i] : here->low[i];
      ck_id sign = end ? prover->one : minus;
      by[c] = PV_COMBINE(prover, claim, prover->one, lane, sign, here->parts[i], sign, moved);
      if (by[c] == PV_NONE)
        return PV_NONE;
    }
  }
  for (c = 0; c < asked.n; c++) {
    if (pv_rests_on(prover, thm, asked.cond[c]))
      premises[count++] = by[c];
  }
  if (pv_rests_on(prover, thm, pv_ge0(prover, both->k)))
    premises[count++] = both->first[i];
  if (pv_rests_on(prover, thm, pv_lt(prover, both->k, both->bound)))
    premises[count++] = both->last[i];
  return pv_inst(prover, thm, subs, both->n + 1, NULL, 0, premises, count);
}

/* the instances that an order of the context tells apart, and their range */
static bool read_rounds(meeting *both, pv_ctx ctx, ck_id formula, const pv_assumption *order) {
  pv *prover = both->prover;
  const ck_terms *terms = prover->terms;
  if (!ck_is(terms, order->formula, CK_LT) || order->thm == PV_NONE)
    return false;
  both->less = order->thm;
  both->bound = CK_BAD;
  for (uint32_t i = 0; i < 2; i++) {
    both->round[i] = ck_kid(terms, order->formula, i);
    if (!ck_is(terms, both->round[i], CK_V) || !ck_has_var(terms, formula, both->round[i]))
      return false;
  }
  for (pv_ctx link = ctx; link != 0 && both->bound == CK_BAD; link = pv_at(prover, link)->parent) {
    ck_id range = pv_at(prover, link)->formula;
    if (ck_is(terms, range, CK_LT) && ck_kid(terms, range, 0) == both->round[1] &&
        pv_is_const(prover, ck_kid(terms, range, 1)))
      both->bound = ck_kid(terms, range, 1);
  }
  for (int i = 0; i < 2 && both->bound != CK_BAD; i++) {
    both->first[i] = pv_follows(prover, both->ctx, pv_ge0(prover, both->round[i]));
    both->last[i] = pv_follows(prover, both->ctx, pv_lt(prover, both->round[i], both->bound));
    if (both->first[i] == PV_NONE || both->last[i] == PV_NONE)
      return false;
  }
  return both->bound != CK_BAD;
}

static pv_thm by_order(meeting *both, pv_ctx ctx, ck_id formula) {
  pv *prover = both->prover;
  ck_id at[2];
  bool turned;
  if (!sides_of(both, formula, at, &turned))
    return PV_NONE;
  ck_id equal = pv_eq(prover, ck_kid(prover->terms, formula, 0), ck_kid(prover->terms, formula, 1));
  pv_thm same = pv_hyp(prover, equal);
  if (!add_axis(both, at[0], at[1], turned ? pv_sym(prover, same) : same))
    return PV_NONE;
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    pv_assumption fact = *pv_at(prover, link);
    if (ck_is(prover->terms, fact.formula, CK_EQ) && fact.thm != PV_NONE &&
        sides_of(both, fact.formula, at, &turned))
      add_axis(both, at[0], at[1], turned ? pv_sym(prover, fact.thm) : fact.thm);
  }
  pv_thm thm = told(both);
  pv_thm is_x = thm == PV_NONE ? PV_NONE : is_told(both, thm, 0);
  pv_thm is_y = is_x == PV_NONE ? PV_NONE : is_told(both, thm, 1);
  if (is_y == PV_NONE)
    return PV_NONE;
  pv_thm absurd = PV_COMBINE(prover, pv_gt0(prover, prover->zero), prover->one, both->less,
                             prover->one, is_y, pv_num(prover, -1), is_x);
  return pv_cases(prover, equal, pv_from_zero_below_zero(prover, formula, absurd),
                  pv_hyp(prover, formula));
}

pv_thm pv_rounds_apart(pv *prover, pv_ctx ctx, ck_id formula) {
  meeting both = {.prover = prover, .ctx = pv_orders_of(prover, ctx)};
  both.k = pv_int_var(prover, "$$round");
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    pv_assumption order = *pv_at(prover, link);
    both.n = 0;
    if (read_rounds(&both, ctx, formula, &order)) {
      pv_thm thm = by_order(&both, ctx, formula);
      if (thm != PV_NONE)
        return thm;
    }
  }
  return PV_NONE;
}
