/* Choices nested in each other: equal by cases (see pv_loops.h). */
#include "pv_loops.h"

enum { MAX_ASSUMED = 64 };

typedef struct {
  pv *prover;
  const pv_facts *facts;
  ck_id assumed[MAX_ASSUMED];
  uint32_t n;
} branch;

void pv_fact_add(pv_facts *facts, ck_id formula, pv_thm thm, ck_id need, ck_id other) {
  if (thm == PV_NONE || facts->n == sizeof facts->fact / sizeof *facts->fact)
    return;
  pv_fact *fact = &facts->fact[facts->n++];
  *fact = (pv_fact){.formula = formula, .thm = thm};
  if (need != CK_BAD)
    fact->needs[fact->n_needs++] = need;
  if (other != CK_BAD)
    fact->needs[fact->n_needs++] = other;
}

bool pv_rests_on(const pv *prover, pv_thm thm, ck_id formula) {
  uint32_t n = 0;
  const ck_id *hyps = thm == PV_NONE ? NULL : ck_thm_hyps(prover->proof, thm, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (hyps[i] == formula)
      return true;
  }
  return false;
}

void pv_fact_add_under(pv *prover, pv_facts *facts, pv_thm thm, const ck_id *formulas, uint32_t n) {
  if (thm == PV_NONE || facts->n == sizeof facts->fact / sizeof *facts->fact)
    return;
  pv_fact fact = {.formula = ck_thm_formula(prover->proof, thm), .thm = thm};
  for (uint32_t i = 0; i < n; i++) {
    if (!pv_rests_on(prover, thm, formulas[i]))
      continue;
    if (fact.n_needs == PV_MOST_NEEDS)
      return;
    fact.needs[fact.n_needs++] = formulas[i];
  }
  facts->fact[facts->n++] = fact;
}

static bool is_assumed(const branch *here, ck_id formula) {
  for (uint32_t i = 0; i < here->n; i++) {
    if (here->assumed[i] == formula)
      return true;
  }
  return false;
}

static bool all_assumed(const branch *here, const pv_fact *fact) {
  for (uint32_t i = 0; i < fact->n_needs; i++) {
    if (!is_assumed(here, fact->needs[i]))
      return false;
  }
  return true;
}

/* the formula, if it is assumed or follows */
static pv_thm known(const branch *here, ck_id formula) {
  if (is_assumed(here, formula))
    return pv_hyp(here->prover, formula);
  for (uint32_t i = 0; i < here->facts->n; i++) {
    const pv_fact *fact = &here->facts->fact[i];
    if (fact->formula == formula && all_assumed(here, fact))
      return fact->thm;
  }
  return PV_NONE;
}

/* the term as far as its conditions are decided */
static pv_eqn decided(const branch *here, ck_id term) {
  pv *prover = here->prover;
  pv_eqn eqn = pv_same(term);
  while (ck_is(prover->terms, eqn.to, CK_ITE)) {
    ck_id cond = ck_kid(prover->terms, eqn.to, 0);
    pv_thm holds = known(here, cond);
    pv_thm fails = holds == PV_NONE ? known(here, ck_neg(prover->terms, cond)) : PV_NONE;
    if (holds == PV_NONE && fails == PV_NONE)
      return eqn;
    bool yes = holds != PV_NONE;
    pv_thm law = pv_law(prover, yes ? "ite1" : "ite0", &eqn.to, 1, yes ? holds : fails);
    if (law == PV_NONE)
      return pv_fail();
    eqn = pv_then(prover, eqn, (pv_eqn){pv_right(prover, law), law});
  }
  return eqn;
}

static pv_thm by_cases(branch *here, ck_id a, ck_id b) {
  pv *prover = here->prover;
  if (a == b)
    return pv_refl(prover, a);
  pv_eqn left = decided(here, a);
  pv_eqn right = decided(here, b);
  if (left.by == PV_NONE || right.by == PV_NONE || pv_spent(prover))
    return PV_NONE;
  pv_thm rest = PV_NONE;
  bool more = ck_is(prover->terms, left.to, CK_ITE);
  if (left.to == right.to) {
    rest = PV_REFL;
  } else if ((more || ck_is(prover->terms, right.to, CK_ITE)) && here->n < MAX_ASSUMED) {
    ck_id cond = ck_kid(prover->terms, more ? left.to : right.to, 0);
    here->assumed[here->n++] = cond;
    pv_thm yes = by_cases(here, left.to, right.to);
    here->assumed[here->n - 1] = ck_neg(prover->terms, cond);
    pv_thm no = yes == PV_NONE ? PV_NONE : by_cases(here, left.to, right.to);
    here->n--;
    rest = pv_cases(prover, cond, yes, no);
  }
  if (rest == PV_NONE)
    return PV_NONE;
  pv_thm whole = pv_trans(prover, pv_trans(prover, left.by, rest), pv_sym(prover, right.by));
  return whole == PV_REFL ? pv_refl(prover, a) : whole;
}

pv_thm pv_same_by_cases(pv *prover, ck_id a, ck_id b, const pv_facts *facts) {
  branch here = {.prover = prover, .facts = facts};
  return by_cases(&here, a, b);
}

pv_chain pv_chain_read(const pv *prover, ck_id term, ck_id other) {
  pv_chain chain = {.value = term, .other = other};
  while (ck_is(prover->terms, chain.value, CK_ITE) && chain.n < PV_MAX_CHAIN) {
    bool no = ck_kid(prover->terms, chain.value, 1) == other;
    if (!no && ck_kid(prover->terms, chain.value, 2) != other)
      break;
    ck_id cond = ck_kid(prover->terms, chain.value, 0);
    chain.cond[chain.n++] = no ? ck_neg(prover->terms, cond) : cond;
    chain.value = ck_kid(prover->terms, chain.value, no ? 2 : 1);
  }
  return chain;
}

ck_id pv_chain_term(pv *prover, const pv_chain *chain) {
  ck_id term = chain->value;
  for (uint32_t i = chain->n; i-- > 0;)
    term = ck_ite(prover->terms, chain->cond[i], term, chain->other);
  return term;
}

void pv_linear_chain(pv *prover, pv_ctx ctx, pv_chain *chain, ck_id k, pv_facts *facts) {
  for (uint32_t i = 0; i < chain->n; i++) {
    ck_id cond = chain->cond[i];
    pv_thm yes;
    pv_thm no;
    ck_id linear = ck_has_var(prover->terms, cond, k)
                       ? pv_without_quotient(prover, ctx, cond, &yes, &no)
                       : CK_BAD;
    if (linear == CK_BAD)
      continue;
    pv_fact_add(facts, linear, yes, cond, CK_BAD);
    pv_fact_add(facts, ck_neg(prover->terms, linear), no, ck_neg(prover->terms, cond), CK_BAD);
    chain->cond[i] = linear;
  }
}
