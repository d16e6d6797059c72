/* Equality by regions: both sides are made of choices by conditions on indices, as those of a
 * window that reaches beyond the edge of a tensor.  In a region of indices, where all of these
 * conditions are decided, little is left of either side.
 *
 * A choice is made where its condition is known to hold or to fail, from the outermost one inwards;
 * the first condition that is not known divides the region in two.  Conditions that follow from
 * those before them divide nothing, so there are as many regions as can be told apart, and not one
 * for each way through the choices.  A term is walked over once in a region, however often it
 * stands there. */
#include "pv_folds.h"
#include "pv_loops.h"

/* FEW: rounds of a maximum or a sum that are written out */
enum { FEW = 16, MOST_REGIONS = 600, MOST_NESTED = 24 };

/* a region: what is known in it beside what is known around it */
typedef struct region {
  const struct region *around;
  pv_ctx ctx;
  as_map known;   /* condition: the theorem that it holds, or fails; PV_NONE: neither is known */
  as_map reduced; /* term: what it is here */
} region;

typedef struct {
  pv *prover;
  uint32_t left;   /* regions that may still be looked at */
  ck_id undecided; /* the first condition met that is not known; CK_BAD: none */
} search;

static pv_eqn reduce(search *s, region *here, ck_id term);

/* whether the condition of indices holds here, or its negation, by the theorem; PV_NONE: neither is
 * known */
static pv_thm decide(search *s, region *here, ck_id cond) {
  uint64_t known;
  for (const region *r = here; r; r = r->around) {
    if (as_map_get(&r->known, AS_KEY(cond), &known) && (known != PV_NONE || r == here))
      return (pv_thm)known;
  }
  pv_thm thm = pv_follows(s->prover, here->ctx, cond);
  if (thm == PV_NONE)
    thm = pv_follows(s->prover, here->ctx, ck_neg(s->prover->terms, cond));
  as_map_put(&here->known, AS_KEY(cond), thm);
  return thm;
}

static bool of_indices(const pv *prover, ck_id cond) {
  return ck_is_int(prover->terms, ck_kid(prover->terms, cond, 0)) &&
         ck_is_int(prover->terms, ck_kid(prover->terms, cond, 1));
}

/* is a choice by a condition on indices within the term, also under binders? */
static bool chooses_by_indices(const pv *prover, ck_id term, as_map *seen) {
  uint64_t known;
  if (as_map_get(seen, AS_KEY(term), &known))
    return false;
  as_map_put(seen, AS_KEY(term), 1);
  if (ck_is(prover->terms, term, CK_ITE) && of_indices(prover, ck_kid(prover->terms, term, 0)))
    return true;
  for (uint32_t i = 0, n = ck_nkids(prover->terms, term); i < n; i++) {
    if (chooses_by_indices(prover, ck_kid(prover->terms, term, i), seen))
      return true;
  }
  return false;
}

/* The smaller, or the larger, of two indices where it is known which that is, but not whether they
 * are the same: the condition `n <= i` of the smaller of both, where i <= n is known, divides
 * nothing.  PV_REFL: it is no such choice. */
static pv_eqn chosen_index(search *s, const region *here, ck_id term) {
  pv *prover = s->prover;
  const ck_terms *terms = prover->terms;
  ck_id cond = ck_kid(terms, term, 0);
  ck_id side[2] = {ck_kid(terms, cond, 0), ck_kid(terms, cond, 1)};
  ck_id branch[2] = {ck_kid(terms, term, 1), ck_kid(terms, term, 2)};
  bool weak = ck_head(terms, cond) == CK_LE;
  bool sides = (branch[0] == side[0] && branch[1] == side[1]) ||
               (branch[0] == side[1] && branch[1] == side[0]);
  if (!sides || (!weak && ck_head(terms, cond) != CK_LT))
    return pv_same(term);
  /* where the condition decides against what is known, both sides are the same */
  pv_thm known = pv_follows(
      prover, here->ctx, weak ? pv_le(prover, side[1], side[0]) : pv_le(prover, side[0], side[1]));
  if (known == PV_NONE)
    return pv_same(term);
  ck_id chosen = branch[weak ? 1 : 0];
  ck_id against = weak ? cond : ck_neg(prover->terms, cond);
  pv_thm same = pv_antisym(prover, known, pv_hyp(prover, against));
  pv_thm value = pv_law(prover, weak ? "ite1" : "ite0", &term, 1, pv_hyp(prover, against));
  ck_id sign = pv_num(prover, ck_kid(terms, pv_says(prover, same), 1) == chosen ? 1 : -1);
  pv_thm there = PV_COMBINE(prover, pv_eq(prover, term, chosen), prover->one, value, sign, same);
  pv_thm else_where = pv_law(prover, weak ? "ite0" : "ite1", &term, 1,
                             pv_hyp(prover, weak ? ck_neg(prover->terms, cond) : cond));
  pv_eqn eqn = {chosen, weak ? pv_cases(prover, cond, there, else_where)
                             : pv_cases(prover, cond, else_where, there)};
  return eqn.by == PV_NONE ? pv_same(term) : eqn;
}

/* the term with these parts, of which those that differ do so by the premises, in order */
static pv_eqn rebuilt(pv *prover, ck_id term, ck_id to, const pv_thm *premises, uint32_t n) {
  if (n == 0)
    return pv_same(term);
  pv_eqn eqn = {to, pv_cong(prover, term, to, premises, n)};
  return eqn.by == PV_NONE ? pv_fail() : eqn;
}

/* a part of a term that is rebuilt: what it is here, and why */
static bool part_here(search *s, region *here, ck_id *part, pv_thm *premises, uint32_t *n) {
  pv_eqn eqn = reduce(s, here, *part);
  if (eqn.by == PV_NONE)
    return false;
  *part = eqn.to;
  if (eqn.by != PV_REFL)
    premises[(*n)++] = eqn.by;
  return true;
}

/* a choice whose condition is one of indices, both sides of which are reduced already */
static pv_eqn by_indices(search *s, region *here, ck_id term) {
  pv *prover = s->prover;
  ck_id cond = ck_kid(prover->terms, term, 0);
  pv_thm thm = decide(s, here, cond);
  if (thm == PV_NONE) {
    pv_eqn index = chosen_index(s, here, term);
    if (index.by == PV_REFL)
      s->undecided = cond;
    return index.by == PV_REFL ? index : pv_then(prover, index, reduce(s, here, index.to));
  }
  bool holds = pv_says(prover, thm) == cond;
  pv_thm law = pv_law(prover, holds ? "ite1" : "ite0", &term, 1, thm);
  if (law == PV_NONE)
    return pv_fail();
  pv_eqn eqn = {pv_right(prover, law), law};
  return pv_then(prover, eqn, reduce(s, here, eqn.to));
}

/* a choice between the same: that, whatever the condition is */
static pv_eqn without_choice(pv *prover, ck_id term) {
  ck_id cond = ck_kid(prover->terms, term, 0);
  pv_thm yes = pv_law(prover, "ite1", &term, 1, pv_hyp(prover, cond));
  pv_thm no = pv_law(prover, "ite0", &term, 1, pv_hyp(prover, ck_neg(prover->terms, cond)));
  pv_eqn eqn = {ck_kid(prover->terms, term, 1), pv_cases(prover, cond, yes, no)};
  return eqn.by == PV_NONE ? pv_fail() : eqn;
}

static pv_eqn reduce_choice(search *s, region *here, ck_id term) {
  pv *prover = s->prover;
  ck_id cond = ck_kid(prover->terms, term, 0);
  ck_id side[2] = {ck_kid(prover->terms, cond, 0), ck_kid(prover->terms, cond, 1)};
  ck_id branch[2] = {ck_kid(prover->terms, term, 1), ck_kid(prover->terms, term, 2)};
  pv_thm premises[4];
  uint32_t n = 0;
  bool indices = of_indices(prover, cond);
  for (uint32_t i = 0; i < 2; i++) {
    if (!part_here(s, here, &side[i], premises, &n))
      return pv_fail();
  }
  for (uint32_t i = 0; i < 2 && !indices; i++) {
    if (!part_here(s, here, &branch[i], premises, &n))
      return pv_fail();
  }
  ck_id to =
      ck_ite(prover->terms, ck_mk2(prover->terms, ck_head(prover->terms, cond), side[0], side[1]),
             branch[0], branch[1]);
  pv_eqn eqn = rebuilt(prover, term, to, premises, n);
  if (eqn.by == PV_NONE || s->undecided != CK_BAD)
    return eqn;
  if (branch[0] == branch[1])
    return pv_then(prover, eqn, without_choice(prover, eqn.to));
  bool numbers = pv_is_const(prover, side[0]) && pv_is_const(prover, side[1]);
  return indices || numbers ? pv_then(prover, eqn, by_indices(s, here, eqn.to)) : eqn;
}

/* the term's parts that stand under no binder */
static pv_eqn reduce_parts(search *s, region *here, ck_id term) {
  enum { MOST_PARTS = 16 };

  pv *prover = s->prover;
  uint32_t n = ck_nkids(prover->terms, term);
  ck_id kid[MOST_PARTS];
  pv_thm premises[MOST_PARTS];
  uint32_t n_premises = 0;
  if (n == 0 || n > MOST_PARTS)
    return pv_same(term);
  for (uint32_t i = 0; i < n; i++) {
    kid[i] = ck_kid(prover->terms, term, i);
    if (!ck_kid_binders(prover->terms, term, i) &&
        !part_here(s, here, &kid[i], premises, &n_premises))
      return pv_fail();
  }
  return n_premises
             ? rebuilt(prover, term, ck_rebuild(prover->terms, term, kid), premises, n_premises)
             : pv_same(term);
}

/* a fold of few rounds in which conditions on indices choose */
static bool is_written_out(pv *prover, ck_id term) {
  if (!pv_has_few_rounds(prover, term, FEW))
    return false;
  as_map seen;
  as_map_init(&seen, 1);
  bool chooses = chooses_by_indices(prover, ck_kid(prover->terms, term, 2), &seen);
  as_map_clear(&seen);
  ck_id round = pv_int_var(prover, "$$round");
  return chooses || pv_max_element(prover, term, round) != CK_BAD;
}

static pv_eqn reduce_anew(search *s, region *here, ck_id term) {
  pv *prover = s->prover;
  if (ck_is(prover->terms, term, CK_ITE))
    return reduce_choice(s, here, term);
  if (is_written_out(prover, term)) {
    pv_eqn last = pv_by_last_round(prover, term);
    return last.by == PV_NONE ? last : pv_then(prover, last, reduce(s, here, last.to));
  }
  pv_eqn eqn = reduce_parts(s, here, term);
  /* an element is known by its place, however that was computed */
  bool element =
      eqn.by != PV_NONE && s->undecided == CK_BAD && ck_is(prover->terms, eqn.to, CK_APP);
  return element ? pv_then(prover, eqn, pv_norm(prover, here->ctx, eqn.to)) : eqn;
}

/* the term with the choices made that are decided here.  Nothing more is done once a condition was
 * met that divides the region. */
static pv_eqn reduce(search *s, region *here, ck_id term) {
  uint64_t known;
  if (s->undecided != CK_BAD || ck_nkids(s->prover->terms, term) == 0 ||
      !ck_is_closed(s->prover->terms, term))
    return pv_same(term);
  if (as_map_get(&here->reduced, AS_KEY(term), &known))
    return (pv_eqn){(ck_id)(known >> 32), (pv_thm)known};
  if (pv_spent(s->prover))
    return pv_fail();
  s->prover->work += 50;
  pv_eqn eqn = reduce_anew(s, here, term);
  if (eqn.by != PV_NONE && s->undecided == CK_BAD)
    as_map_put(&here->reduced, AS_KEY(term), (uint64_t)eqn.to << 32 | eqn.by);
  return eqn;
}

static pv_thm equal_in(search *s, const region *around, pv_ctx ctx, ck_id left, ck_id right,
                       uint32_t depth);

/* left = right, by cases on the condition.  Both begin anew in each part, so that elements that are
 * the same are written in the same way: by what is known there. */
static pv_thm divided(search *s, const region *here, ck_id left, ck_id right, uint32_t depth) {
  pv *prover = s->prover;
  ck_id cond = s->undecided;
  pv_thm part[2];
  for (uint32_t i = 0; i < 2; i++) {
    ck_id known = i ? ck_neg(prover->terms, cond) : cond;
    part[i] = equal_in(s, here, pv_ctx_assume(prover, here->ctx, known), left, right, depth + 1);
    if (part[i] == PV_NONE)
      return PV_NONE;
  }
  return pv_cases(prover, cond, part[0], part[1]);
}

/* left = right where no condition on indices is left */
static pv_thm in_one_region(search *s, const region *here, ck_id left, ck_id right) {
  pv *prover = s->prover;
  if (left == right)
    return PV_REFL;
  pv_thm thm = pv_by_extremes(prover, here->ctx, left, right);
  return thm != PV_NONE ? thm : pv_prove_eq(prover, here->ctx, left, right, 0);
}

static pv_thm equal_in(search *s, const region *around, pv_ctx ctx, ck_id left, ck_id right,
                       uint32_t depth) {
  region here = {.around = around, .ctx = ctx};
  if (depth > MOST_NESTED || s->left == 0)
    return PV_NONE;
  s->left--;
  s->undecided = CK_BAD;
  as_map_init(&here.known, 1);
  as_map_init(&here.reduced, 1);
  pv_eqn side[2] = {reduce(s, &here, left), pv_fail()};
  if (side[0].by != PV_NONE)
    side[1] = reduce(s, &here, right);
  as_map_clear(&here.reduced);
  pv_thm thm = PV_NONE;
  if (side[1].by != PV_NONE && s->undecided == CK_BAD) {
    thm = in_one_region(s, &here, side[0].to, side[1].to);
    thm = pv_trans(s->prover, pv_trans(s->prover, side[0].by, thm), pv_sym(s->prover, side[1].by));
  } else if (side[1].by != PV_NONE) {
    thm = divided(s, &here, left, right, depth);
  }
  as_map_clear(&here.known);
  return thm;
}

/* the larger or smaller of two reals, or a fold of few rounds that may be a maximum */
static bool has_extreme(pv *prover, ck_id term, as_map *seen) {
  uint64_t known;
  if (as_map_get(seen, AS_KEY(term), &known) || !ck_is_closed(prover->terms, term))
    return false;
  as_map_put(seen, AS_KEY(term), 1);
  bool choice =
      ck_is(prover->terms, term, CK_ITE) && !of_indices(prover, ck_kid(prover->terms, term, 0));
  if (choice || (ck_is(prover->terms, term, CK_FOLD) && is_written_out(prover, term)))
    return true;
  for (uint32_t i = 0, n = ck_nkids(prover->terms, term); i < n; i++) {
    if (has_extreme(prover, ck_kid(prover->terms, term, i), seen))
      return true;
  }
  return false;
}

bool pv_has_regions(pv *prover, ck_id left, ck_id right) {
  as_map seen;
  as_map_init(&seen, 1);
  bool indices =
      chooses_by_indices(prover, left, &seen) || chooses_by_indices(prover, right, &seen);
  as_map_clear(&seen);
  as_map_init(&seen, 1);
  bool extremes = indices && has_extreme(prover, left, &seen);
  as_map_clear(&seen);
  as_map_init(&seen, 1);
  extremes = extremes && has_extreme(prover, right, &seen);
  as_map_clear(&seen);
  return extremes;
}

pv_thm pv_by_regions(pv *prover, pv_ctx ctx, ck_id left, ck_id right) {
  search s = {.prover = prover, .left = MOST_REGIONS, .undecided = CK_BAD};
  return equal_in(&s, NULL, ctx, left, right, 0);
}
