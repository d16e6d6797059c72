/* Normal form of folds: sums, maxima, and accumulators that are rescaled while they run.
 *
 * A fold Z with step a(m(l), m(l+1))*Z + b(l, m(l+1)), where m(l) is another fold over the
 * iterations before l (a running maximum), is rewritten when a = g(m(l+1))/g(m(l)) and b =
 * g(m(l+1))*b0(l) for some g: then Z(n) = g(m(n)) * sum(l < n) b0(l), by induction, if Z starts at
 * 0.  g is read off a. */
#include "pv_folds.h"
#include "src/base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_W = 6 };

/* --- the states of a fold, opened */
typedef struct {
  uint32_t width;
  uint32_t asked;
  pv_ctx inner;
  ck_id bound;
  ck_id init[MAX_W];
  ck_id counter;
  ck_id state[MAX_W];
  ck_id step[MAX_W];
} opened_fold;

static bool open_fold(pv *prover, pv_ctx ctx, ck_id term, opened_fold *fold) {
  fold->width = ck_width(prover->terms, term);
  fold->asked = ck_index(prover->terms, term);
  fold->bound = ck_kid(prover->terms, term, 0);
  if (fold->width > MAX_W)
    return false;
  fold->inner = pv_ctx_bind(prover, ctx, fold->bound, &fold->counter);
  ck_id vars[MAX_W + 1];
  vars[0] = fold->counter;
  for (uint32_t state = 0; state < fold->width; state++) {
    fold->init[state] = ck_kid(prover->terms, term, 1 + state);
    vars[state + 1] = fold->state[state] =
        pv_state_var(prover, pv_at(prover, fold->inner)->level, state);
  }
  for (uint32_t state = 0; state < fold->width; state++)
    fold->step[state] = ck_open(prover->terms, ck_kid(prover->terms, term, 1 + fold->width + state),
                                vars, fold->width + 1);
  return true;
}

/* the fold of state q with bound n */
static ck_id fold_at(pv *prover, const opened_fold *fold, uint32_t state, ck_id n) {
  ck_id kids[1 + 2 * MAX_W];
  ck_id vars[MAX_W + 1];
  vars[0] = fold->counter;
  for (uint32_t i = 0; i < fold->width; i++)
    vars[i + 1] = fold->state[i];
  kids[0] = n;
  for (uint32_t i = 0; i < fold->width; i++) {
    kids[1 + i] = fold->init[i];
    kids[1 + fold->width + i] = ck_close(prover->terms, fold->step[i], vars, fold->width + 1);
  }
  return ck_fold(prover->terms, state, fold->width, kids);
}

/* --- states that the wanted one does not depend on are dropped */
static pv_eqn drop_states(pv *prover, pv_ctx ctx, ck_id term, const opened_fold *fold) {
  bool need[MAX_W] = {false};
  bool more = true;
  uint32_t kept_state[MAX_W];
  uint32_t n_kept = 0;
  pv_thm n_nonneg;
  need[fold->asked] = true;
  while (more) {
    more = false;
    for (uint32_t state = 0; state < fold->width; state++) {
      for (uint32_t r = 0; need[state] && r < fold->width; r++) {
        if (!need[r] && ck_has_var(prover->terms, fold->step[state], fold->state[r]))
          need[r] = more = true;
      }
    }
  }
  for (uint32_t state = 0; state < fold->width; state++) {
    if (need[state])
      kept_state[n_kept++] = state;
  }
  if (n_kept == fold->width)
    return pv_same(term);
  opened_fold kept = *fold;
  kept.width = n_kept;
  for (uint32_t i = 0; i < n_kept; i++) {
    kept.init[i] = fold->init[kept_state[i]];
    kept.state[i] = fold->state[kept_state[i]];
    kept.step[i] = fold->step[kept_state[i]];
    if (kept_state[i] == fold->asked)
      kept.asked = i;
  }
  n_nonneg = pv_follows(prover, ctx, pv_ge0(prover, fold->bound));
  ck_id k = fold->counter;
  ck_id k_next = pv_add(prover, k, prover->one);
  ck_id claims[MAX_W];
  ck_id from[MAX_W];
  pv_thm base[MAX_W];
  pv_thm step[MAX_W];
  pv_thm assumed[MAX_W];
  pv_thm k_nonneg = pv_hyp(prover, pv_ge0(prover, k));
  pv_thm zero_le_zero = pv_by_value(prover, pv_ge0(prover, prover->zero));
  for (uint32_t i = 0; i < n_kept; i++) {
    ck_id old_first = fold_at(prover, fold, kept_state[i], prover->zero);
    ck_id new_first = fold_at(prover, &kept, i, prover->zero);
    from[i] = fold_at(prover, fold, kept_state[i], k);
    claims[i] = pv_eq(prover, from[i], fold_at(prover, &kept, i, k));
    assumed[i] = pv_hyp(prover, claims[i]);
    base[i] = pv_trans(prover, pv_zero(prover, old_first, zero_le_zero),
                       pv_sym(prover, pv_zero(prover, new_first, zero_le_zero)));
  }
  for (uint32_t i = 0; i < n_kept; i++) {
    pv_thm old_next = pv_succ(prover, fold_at(prover, fold, kept_state[i], k_next), k, k_nonneg);
    pv_thm new_next = pv_succ(prover, fold_at(prover, &kept, i, k_next), k, k_nonneg);
    if (old_next == PV_NONE || new_next == PV_NONE)
      return pv_fail();
    pv_eqn eqn = pv_rewrite(prover, pv_right(prover, old_next), from, assumed, n_kept);
    step[i] = pv_trans(prover, pv_trans(prover, old_next, eqn.by), pv_sym(prover, new_next));
  }
  pv_eqn result = {fold_at(prover, &kept, kept.asked, fold->bound),
                   n_nonneg == PV_NONE ? PV_NONE
                                       : pv_induct(prover, k, fold->bound, kept.asked, claims, base,
                                                   step, n_kept, n_nonneg)};
  return result.by == PV_NONE ? pv_fail() : result;
}

/* --- rescaled accumulators */
static bool has_any(pv *prover, ck_id term, const ck_id *v, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (v[i] != CK_BAD && ck_has_var(prover->terms, term, v[i]))
      return true;
  }
  return false;
}

ck_id pv_replace_closed(pv *prover, ck_id term, ck_id what, ck_id with) {
  ck_id kids[40];
  uint32_t n = ck_nkids(prover->terms, term);
  if (term == what)
    return with;
  if (n == 0 || n > 40)
    return term;
  for (uint32_t i = 0; i < n; i++) {
    kids[i] = ck_kid(prover->terms, term, i);
    if (ck_is_rel(prover->terms, kids[i])) {
      ck_id left = pv_replace_closed(prover, ck_kid(prover->terms, kids[i], 0), what, with);
      ck_id right = pv_replace_closed(prover, ck_kid(prover->terms, kids[i], 1), what, with);
      kids[i] = pv_rel(prover, ck_head(prover->terms, kids[i]), left, right);
    } else {
      kids[i] = pv_replace_closed(prover, kids[i], what,
                                  with); /* `what` is closed: the same term under binders */
    }
    if (kids[i] == CK_BAD)
      return term;
  }
  return ck_rebuild(prover->terms, term, kids);
}

/* the factors of the monomial a that mention one of the new values */
static bool read_g(pv *prover, ck_id factor, const ck_id *fresh, uint32_t count, ck_id *scale) {
  pv_poly poly;
  bool ok;
  ck_id atoms[64];
  uint32_t n = 0;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, factor);
  ok = poly.count == 1 && poly.monos[0].degree <= 64;
  for (uint32_t i = 0; ok && i < poly.monos[0].degree; i++) {
    if (has_any(prover, poly.monos[0].atoms[i], fresh, count))
      atoms[n++] = poly.monos[0].atoms[i];
  }
  if (ok)
    *scale = pv_mono_term(prover, prover->one, atoms, n);
  pv_poly_clear(&poly);
  return ok && n > 0;
}

static ck_id with_k(pv *prover, ck_id term, ck_id k, ck_id value) {
  return ck_sub(prover->terms, term, &k, &value, 1, NULL, 0);
}

/* the folds over the iterations before k that term reads, outside of binders */
static uint32_t prefixes(pv *prover, ck_id term, ck_id k, ck_id *found, uint32_t n) {
  if (!ck_has_var(prover->terms, term, k))
    return n;
  if (ck_head(prover->terms, term) == CK_FOLD && ck_kid(prover->terms, term, 0) == k) {
    for (uint32_t i = 0; i < n; i++) {
      if (found[i] == term)
        return n;
    }
    if (n < MAX_W)
      found[n++] = term;
    return n;
  }
  for (uint32_t i = 0; i < ck_nkids(prover->terms, term); i++) {
    if (!ck_kid_binders(prover->terms, term, i))
      n = prefixes(prover, ck_kid(prover->terms, term, i), k, found, n);
  }
  return n;
}

/* An accumulator z that is rescaled while it runs: in iteration k it becomes  factor*z + addend.
 * Both read running folds m (a maximum so far), before and after the iteration: these values are
 * the variables `now` and `next`.  It is one if there is a scale g with
 *
 *     factor * g(now) = g(next)      and      addend = g(next) * unscaled,
 *
 * where `unscaled` reads neither value.  Then z after n iterations is g(m(n)) * sum(k < n)
 * unscaled, by induction.  Example: online softmax with  z' = exp(now - next)*z + exp(x[k] - next)
 * has g(m) = exp(-m)  and  unscaled = exp x[k]. */
typedef struct {
  const opened_fold *fold;
  uint32_t count;     /* of running folds */
  ck_id run[MAX_W];   /* running fold i over the iterations before k */
  ck_id now[MAX_W];   /* the variable for its value before iteration k */
  ck_id next[MAX_W];  /* .. and after it */
  ck_id k_next;       /* k + 1 */
  ck_id after[MAX_W]; /* running fold i over the iterations before k + 1 */
  ck_id none[MAX_W];  /* .. over none */
  ck_id all[MAX_W];   /* .. over all */
  ck_id factor;
  ck_id addend;
  ck_id scale; /* g(next) */
  ck_id unscaled;
  pv_eqn body;         /* the step, with these variables, in normal form */
  pv_eqn factor_scale; /* factor * g(now) in normal form */
  pv_eqn scale_normal; /* g(next) in normal form, which is the same */
  pv_thm k_nonneg;
  pv_thm zero_le_zero;
  pv_eqn addend_split; /* g(next) * unscaled in normal form, which is the addend */
} rescaling;

/* g at these values of the running folds */
static ck_id scale_at(pv *prover, const rescaling *resc, const ck_id *values) {
  return ck_sub(prover->terms, resc->scale, resc->next, values, resc->count, NULL, 0);
}

/* the fold's step with variables for the values of the running folds; false: it reads none */
static bool name_running(pv *prover, rescaling *resc, ck_id *step) {
  const opened_fold *fold = resc->fold;
  char name[32];
  *step = fold->step[0];
  resc->count = prefixes(prover, *step, fold->counter, resc->run, 0);
  for (uint32_t i = 0; i < resc->count; i++) {
    uint32_t level = pv_at(prover, fold->inner)->level;
    snprintf(name, sizeof name, "$$o%u.%u", level, i);
    resc->now[i] = pv_real_var(prover, name);
    snprintf(name, sizeof name, "$$n%u.%u", level, i);
    resc->next[i] = pv_real_var(prover, name);
    ck_id after = with_k(prover, resc->run[i], fold->counter, resc->k_next);
    *step = pv_replace_closed(prover, *step, after, resc->next[i]);
    *step = pv_replace_closed(prover, *step, resc->run[i], resc->now[i]);
  }
  return resc->count > 0;
}

/* reads factor, scale and what is unscaled off the step */
static bool find_rescaling(pv *prover, rescaling *resc) {
  const opened_fold *fold = resc->fold;
  pv_ctx inner = fold->inner;
  ck_id z = fold->state[0];
  ck_id step;
  if (fold->width != 1 || fold->init[0] != prover->zero || !name_running(prover, resc, &step))
    return false;
  resc->body = pv_norm(prover, inner, step);
  if (resc->body.by == PV_NONE ||
      !pv_poly_linear(prover, resc->body.to, z, &resc->factor, &resc->addend) ||
      !read_g(prover, resc->factor, resc->next, resc->count, &resc->scale))
    return false;
  ck_id scale_now = scale_at(prover, resc, resc->now);
  resc->factor_scale = pv_norm(prover, inner, pv_mul(prover, resc->factor, scale_now));
  resc->scale_normal = pv_norm(prover, inner, resc->scale);
  ck_id inv_scale = pv_inv(prover, resc->scale);
  pv_eqn unscaled = pv_norm(prover, inner, pv_mul(prover, inv_scale, resc->addend));
  if (resc->factor_scale.by == PV_NONE || resc->scale_normal.by == PV_NONE ||
      unscaled.by == PV_NONE || resc->factor_scale.to != resc->scale_normal.to)
    return false;
  resc->unscaled = unscaled.to;
  if (has_any(prover, resc->unscaled, resc->next, resc->count) ||
      has_any(prover, resc->unscaled, resc->now, resc->count) ||
      ck_has_var(prover->terms, resc->unscaled, z))
    return false;
  resc->addend_split = pv_norm(prover, inner, pv_mul(prover, resc->scale, resc->unscaled));
  return resc->addend_split.by != PV_NONE && resc->addend_split.to == resc->addend;
}

static void running_folds(pv *prover, rescaling *resc) {
  ck_id k = resc->fold->counter;
  for (uint32_t i = 0; i < resc->count; i++) {
    resc->after[i] = with_k(prover, resc->run[i], k, resc->k_next);
    resc->none[i] = with_k(prover, resc->run[i], k, prover->zero);
    resc->all[i] = with_k(prover, resc->run[i], k, resc->fold->bound);
  }
}

static ck_id unscaled_sum(pv *prover, const rescaling *resc, ck_id bound) {
  return pv_sum(prover, bound, resc->fold->counter, resc->unscaled);
}

/* g(m) * sum(k < bound) unscaled, where m are the running folds over `bound` iterations */
static ck_id scaled_sum(pv *prover, const rescaling *resc, ck_id bound, const ck_id *running) {
  ck_id sum = unscaled_sum(prover, resc, bound);
  return pv_mul(prover, scale_at(prover, resc, running), sum);
}

static ck_id rescaled_claim(pv *prover, const rescaling *resc, ck_id bound, const ck_id *running) {
  ck_id right = scaled_sum(prover, resc, bound, running);
  return pv_eq(prover, fold_at(prover, resc->fold, 0, bound), right);
}

/* the claim for no iterations: both sides are 0 */
static pv_thm rescaled_base(pv *prover, const rescaling *resc) {
  ck_id zero = prover->zero;
  pv_thm left = pv_zero(prover, fold_at(prover, resc->fold, 0, zero), resc->zero_le_zero);
  pv_thm right = pv_zero(prover, unscaled_sum(prover, resc, zero), resc->zero_le_zero);
  ck_id minus_scale = pv_neg(prover, scale_at(prover, resc, resc->none));
  return PV_COMBINE(prover, rescaled_claim(prover, resc, zero, resc->none), prover->one, left,
                    minus_scale, right);
}

/* from the claim at k that at k + 1:  z(k+1) = factor*z(k) + addend;  z(k) = g(now)*S(k);
 * factor*g(now) = g(next);  addend = g(next)*unscaled;  S(k+1) = S(k) + unscaled */
static pv_thm rescaled_step(pv *prover, const rescaling *resc) {
  const opened_fold *fold = resc->fold;
  ck_id k = fold->counter;
  ck_id k_next = resc->k_next;
  ck_id vars[2 * MAX_W + 1];
  ck_id values[2 * MAX_W + 1];
  pv_var_sub subs[2 * MAX_W + 1];
  uint32_t n = 0;
  for (uint32_t i = 0; i < resc->count; i++) {
    subs[n++] = (pv_var_sub){resc->now[i], resc->run[i]};
    subs[n++] = (pv_var_sub){resc->next[i], resc->after[i]};
  }
  subs[n++] = (pv_var_sub){fold->state[0], fold_at(prover, fold, 0, k)};
  pv_thm left = pv_succ(prover, fold_at(prover, fold, 0, k_next), k, resc->k_nonneg);
  pv_thm right = pv_succ(prover, unscaled_sum(prover, resc, k_next), k, resc->k_nonneg);
  pv_thm assumed = pv_hyp(prover, rescaled_claim(prover, resc, k, resc->run));
  /* what was found about variables, of the values that they stand for */
  const pv_eqn *about[4] = {&resc->body, &resc->factor_scale, &resc->scale_normal,
                            &resc->addend_split};
  pv_thm instance[4];
  for (int i = 0; i < 4; i++) {
    instance[i] = about[i]->by == PV_REFL
                      ? PV_REFL
                      : pv_inst(prover, about[i]->by, subs, n, NULL, 0, NULL, 0);
    if (instance[i] == PV_NONE)
      return PV_NONE;
  }
  for (uint32_t i = 0; i < n; i++) {
    vars[i] = subs[i].var;
    values[i] = subs[i].term;
  }
  ck_id sum = unscaled_sum(prover, resc, k);
  ck_id factor = ck_sub(prover->terms, resc->factor, vars, values, n, NULL, 0);
  if (left == PV_NONE || right == PV_NONE)
    return PV_NONE;
  return PV_COMBINE(prover, rescaled_claim(prover, resc, k_next, resc->after), prover->one, left,
                    prover->one, instance[0], factor, assumed, sum, instance[1],
                    pv_neg(prover, sum), instance[2], pv_num(prover, -1), instance[3],
                    pv_neg(prover, scale_at(prover, resc, resc->after)), right);
}

/* a rescaled accumulator as a scale times a sum */
static pv_eqn rescaled(pv *prover, pv_ctx ctx, const opened_fold *fold) {
  rescaling resc = {.fold = fold, .k_next = pv_add(prover, fold->counter, prover->one)};
  if (!find_rescaling(prover, &resc))
    return pv_fail();
  resc.k_nonneg = pv_hyp(prover, pv_ge0(prover, fold->counter));
  resc.zero_le_zero = pv_zero_le_zero(prover);
  pv_thm n_nonneg = pv_follows(prover, ctx, pv_ge0(prover, fold->bound));
  if (n_nonneg == PV_NONE)
    return pv_fail();
  running_folds(prover, &resc);
  pv_thm base = rescaled_base(prover, &resc);
  pv_thm step = base == PV_NONE ? PV_NONE : rescaled_step(prover, &resc);
  ck_id claim = rescaled_claim(prover, &resc, fold->counter, resc.run);
  pv_eqn result = {scaled_sum(prover, &resc, fold->bound, resc.all), PV_NONE};
  if (step != PV_NONE)
    result.by = pv_induct(prover, fold->counter, fold->bound, 0, &claim, &base, &step, 1, n_nonneg);
  return result.by == PV_NONE ? pv_fail() : result;
}

/* --- other folds: bases and steps in normal form */
static pv_eqn norm_steps(pv *prover, ck_id term, const opened_fold *fold) {
  opened_fold kept = *fold;
  pv_thm premises[MAX_W];
  ck_id vars[MAX_W + 1];
  bool changed = false;
  vars[0] = fold->counter;
  for (uint32_t state = 0; state < fold->width; state++) {
    pv_eqn eqn = pv_norm(prover, fold->inner, fold->step[state]);
    if (eqn.by == PV_NONE)
      return pv_fail();
    vars[state + 1] = fold->state[state];
    kept.step[state] = eqn.to;
    premises[state] = eqn.by == PV_REFL ? pv_refl(prover, eqn.to) : eqn.by;
    changed = changed || eqn.by != PV_REFL;
  }
  if (!changed)
    return pv_same(term);
  pv_eqn result = {fold_at(prover, &kept, fold->asked, fold->bound), PV_NONE};
  result.by = pv_foldcong(prover, term, result.to, vars, fold->width + 1, premises, fold->width);
  return result.by == PV_NONE ? pv_fail() : result;
}

static pv_thm added(pv *prover, ck_id step, ck_id state, ck_id *addend);

/* a choice between two that are the state and something: the state and the choice of these */
static pv_thm added_by_choice(pv *prover, ck_id step, ck_id state, ck_id *addend) {
  ck_terms *terms = prover->terms;
  ck_id cond = ck_kid(terms, step, 0);
  ck_id part[2];
  pv_thm same[2];
  pv_thm both[2];
  if (ck_has_var(terms, cond, state))
    return PV_NONE;
  for (uint32_t i = 0; i < 2; i++) {
    same[i] = added(prover, ck_kid(terms, step, 1 + i), state, &part[i]);
    if (same[i] == PV_NONE)
      return PV_NONE;
  }
  *addend = ck_ite(terms, cond, part[0], part[1]);
  ck_id claim = pv_eq(prover, step, pv_add(prover, state, *addend));
  for (uint32_t i = 0; i < 2; i++) {
    const char *law = i ? "ite0" : "ite1";
    pv_thm here = pv_hyp(prover, i ? ck_neg(terms, cond) : cond);
    both[i] =
        PV_COMBINE(prover, claim, prover->one, pv_law(prover, law, &step, 1, here), prover->one,
                   same[i], pv_num(prover, -1), pv_law(prover, law, addend, 1, here));
  }
  return pv_cases(prover, cond, both[0], both[1]);
}

/* step = state + addend, which does not speak of the state */
static pv_thm added(pv *prover, ck_id step, ck_id state, ck_id *addend) {
  ck_id factor;
  if (ck_is(prover->terms, step, CK_ITE))
    return added_by_choice(prover, step, state, addend);
  if (!pv_poly_linear(prover, step, state, &factor, addend) || !pv_is_one(prover, factor))
    return PV_NONE;
  return pv_identity(prover, pv_eq(prover, step, pv_add(prover, state, *addend)));
}

/* fold(n; b; s + addend) = b + sum(k < n) addend */
static pv_eqn sum_from_base(pv *prover, pv_ctx ctx, const opened_fold *fold, ck_id addend) {
  pv_thm n_nonneg = pv_follows(prover, ctx, pv_ge0(prover, fold->bound));
  pv_var_sub vars[2] = {{pv_int_var(prover, "n"), fold->bound},
                        {pv_real_var(prover, "b"), fold->init[0]}};
  ck_fsub fun = pv_fun_sub(prover, "f", &fold->counter, addend);
  pv_thm thm = n_nonneg == PV_NONE
                   ? PV_NONE
                   : pv_use_lemma(prover, PV_SUM_FROM, vars, 2, &fun, 1, &n_nonneg, 1);
  return thm == PV_NONE ? pv_fail() : (pv_eqn){pv_right(prover, thm), thm};
}

/* fold 0 1 n b (anything that is acc + f): as a sum, beside the base if there is one */
static pv_eqn as_sum(pv *prover, pv_ctx ctx, ck_id term, const opened_fold *fold) {
  ck_id addend;
  ck_id vars[2] = {fold->counter, fold->state[0]};
  if (fold->width != 1)
    return pv_fail();
  pv_thm thm = added(prover, fold->step[0], fold->state[0], &addend);
  if (thm == PV_NONE)
    return pv_fail();
  ck_id step = pv_add(prover, fold->state[0], addend);
  pv_eqn plain = {pv_fold1(prover, fold->bound, fold->init[0], vars[0], vars[1], step), PV_NONE};
  plain.by = plain.to == term ? PV_REFL : pv_foldcong(prover, term, plain.to, vars, 2, &thm, 1);
  if (plain.by == PV_NONE || fold->init[0] == prover->zero)
    return plain;
  return pv_then(prover, plain, sum_from_base(prover, ctx, fold, addend));
}

/* --- maxima */
/* the steps of a maximum, ite(acc <= f, f, acc), and of a minimum, ite(acc <= f, acc, f) */
static bool extremum_step(pv *prover, const opened_fold *fold, bool max, ck_id *body) {
  ck_id step = fold->step[0];
  ck_id cond;
  if (fold->width != 1 || ck_head(prover->terms, step) != CK_ITE)
    return false;
  cond = ck_kid(prover->terms, step, 0);
  *body = ck_kid(prover->terms, step, max ? 1 : 2);
  return ck_head(prover->terms, cond) == CK_LE &&
         ck_kid(prover->terms, cond, 0) == fold->state[0] &&
         ck_kid(prover->terms, cond, 1) == *body &&
         ck_kid(prover->terms, step, max ? 2 : 1) == fold->state[0] &&
         !ck_has_var(prover->terms, *body, fold->state[0]);
}

/* max over k < n of f, base as given */
static ck_id max_term(pv *prover, ck_id n, ck_id init, ck_id k, ck_id f) {
  ck_id acc = pv_real_var(prover, "$$acc");
  return pv_fold1(prover, n, init, k, acc, pv_max2(prover, acc, f));
}

/* fold t (bound and base normal) with step max: body normal; a maximum of maxima over l < L, t < T
 * of f(l*T + t) becomes one */
static pv_eqn norm_max(pv *prover, pv_ctx ctx, ck_id term, const opened_fold *fold, ck_id f) {
  pv_eqn fewer =
      pv_without_neutral(prover, ctx, term, fold->bound, fold->init[0], fold->counter, f);
  if (fewer.by != PV_REFL)
    return fewer.by == PV_NONE ? fewer : pv_then(prover, fewer, pv_norm(prover, ctx, fewer.to));
  pv_eqn normal = pv_norm(prover, fold->inner, f);
  pv_eqn eqn = pv_same(term);
  ck_id vars[2] = {fold->counter, pv_real_var(prover, "$$acc")};
  if (normal.by == PV_NONE)
    return pv_fail();
  if (normal.by != PV_REFL) {
    pv_thm premises[4];
    uint32_t n = 0;
    ck_id before = pv_max2(prover, vars[1], f);
    ck_id after = pv_max2(prover, vars[1], normal.to);
    premises[n++] = normal.by;
    premises[n++] = normal.by; /* in the condition and in the branch */
    pv_thm thm = pv_cong(prover, before, after, premises, n);
    eqn.to = max_term(prover, fold->bound, fold->init[0], fold->counter, normal.to);
    eqn.by = pv_foldcong(prover, term, eqn.to, vars, 2, &thm, 1);
    if (eqn.by == PV_NONE)
      return pv_fail();
  }
  pv_eqn result =
      pv_join_max(prover, ctx, eqn.to, fold->bound, fold->init[0], fold->counter, normal.to);
  return result.by == PV_NONE ? eqn : pv_then(prover, eqn, result);
}

/* how often a term that is written out has the variable; stops at a large number */
static uint32_t occurrences(pv *prover, ck_id term, ck_id variable) {
  enum { MANY = 1000 };

  if (term == variable)
    return 1;
  if (!ck_has_var(prover->terms, term, variable))
    return 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < ck_nkids(prover->terms, term) && count < MANY; i++)
    count += occurrences(prover, ck_kid(prover->terms, term, i), variable);
  return count;
}

/* A fold of a few rounds as its last one, of the fold of those before; not where a round has what
 * was before it so often that all rounds are too large, written out. */
static pv_eqn last_round(pv *prover, ck_id term) {
  enum { FEW = 4, MOST_OCCURRENCES = 8 };

  ck_id bound = ck_kid(prover->terms, term, 0);
  if (!pv_is_const(prover, bound) || !ck_is_int(prover->terms, bound) ||
      mpq_cmp_si(*ck_q_value(prover->terms, bound), FEW, 1) > 0)
    return pv_fail();
  ck_id vars[2] = {pv_int_var(prover, "$$last"), pv_real_var(prover, "$$before")};
  uint32_t width = ck_width(prover->terms, term);
  if ((prover->ways & (PV_AS_STATED | PV_NUMBERS_AS_STATED)) && width == 1) {
    uint32_t each = occurrences(
        prover, ck_open(prover->terms, ck_kid(prover->terms, term, 2), vars, 2), vars[1]);
    uint32_t all = 1;
    long rounds = (long)mpq_get_d(*ck_q_value(prover->terms, bound));
    for (long round = 0; round < rounds && all <= MOST_OCCURRENCES; round++)
      all *= each;
    if (all > MOST_OCCURRENCES)
      return pv_fail();
  }
  ck_id last = pv_const_add(prover, bound, pv_num(prover, -1));
  pv_thm thm = pv_const_sign(prover, bound) <= 0
                   ? pv_zero(prover, term, pv_by_value(prover, pv_le(prover, bound, prover->zero)))
                   : pv_succ(prover, term, last, pv_by_value(prover, pv_ge0(prover, last)));
  return thm == PV_NONE ? pv_fail() : (pv_eqn){pv_right(prover, thm), thm};
}

/* t: a fold whose bound and bases are normal */
pv_eqn pv_norm_fold(pv *prover, pv_ctx ctx, ck_id term) {
  opened_fold fold;
  pv_eqn eqn;
  pv_eqn result;
  ck_id body;
  if (pv_is_sum(prover, term))
    return pv_norm_sum(prover, ctx, term);
  if (pv_is_prod(prover, term, &body))
    return pv_norm_prod(prover, ctx, term);
  if (!open_fold(prover, ctx, term, &fold))
    return pv_same(term);
  if (extremum_step(prover, &fold, true, &body))
    return norm_max(prover, ctx, term, &fold, body);
  if (extremum_step(prover, &fold, false, &body)) {
    eqn = pv_min_as_max(prover, ctx, term, fold.bound, fold.init[0], fold.counter, body);
    if (eqn.by != PV_NONE && eqn.by != PV_REFL)
      return eqn;
  }
  eqn = drop_states(prover, ctx, term, &fold);
  if (eqn.by != PV_NONE && eqn.by != PV_REFL)
    return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
  result = rescaled(prover, ctx, &fold);
  if (result.by != PV_NONE)
    return pv_then(prover, result, pv_norm(prover, ctx, result.to));
  eqn = norm_steps(prover, term, &fold);
  if (eqn.by == PV_NONE)
    return pv_same(term);
  if (!open_fold(prover, ctx, eqn.to, &fold))
    return eqn;
  result = as_sum(prover, ctx, eqn.to, &fold);
  if (result.by == PV_NONE)
    result = pv_settled(prover, ctx, eqn.to);
  if (result.by == PV_NONE)
    result = pv_rescaled_by_cases(prover, ctx, eqn.to);
  if (result.by == PV_NONE && eqn.by != PV_REFL) { /* what is known of a round may tell apart what
                                                      was one fold in the step as it stood */
    pv_eqn stood = pv_rescaled_by_cases(prover, ctx, term);
    if (stood.by != PV_NONE)
      return pv_then(prover, stood, pv_norm(prover, ctx, stood.to));
  }
  if (result.by == PV_NONE) {
    result = pv_tidy_fold(prover, ctx, eqn.to);
    if (result.by == PV_REFL)
      result = last_round(prover, eqn.to);
  }
  return result.by == PV_NONE
             ? eqn
             : pv_then(prover, eqn, pv_then(prover, result, pv_norm(prover, ctx, result.to)));
}
