/* What a loop leaves in a tensor (see pv_loops.h).
 *
 * In closed form it is a choice: where the conditions C hold, that some iteration stores to this
 * place, a value, and else the element before.  How many iterations there are is known here, so
 * most of what C says of tiles says nothing: that x div T is below the number of tiles follows from
 * x < N.  Conditions that follow from the others are left out and the rest put in one order, so
 * that the same is said of loops over other tiles. */
#include "pv_loops.h"
#include <stdlib.h>

/* 0 <= a in the place of 0 <= a div b; CK_BAD: cond is not of this form */
static ck_id without_quotient(pv *prover, ck_id cond) {
  const ck_terms *terms = prover->terms;
  if (ck_head(terms, cond) != CK_LE || ck_kid(terms, cond, 0) != prover->zero)
    return CK_BAD;
  ck_id quotient = ck_kid(terms, cond, 1);
  return ck_is(terms, quotient, CK_DIV) ? pv_ge0(prover, ck_kid(terms, quotient, 0)) : CK_BAD;
}

/* the context with all conditions of the chain but that one */
static pv_ctx with_others(pv *prover, pv_ctx ctx, const pv_chain *chain, uint32_t without) {
  for (uint32_t i = 0; i < chain->n; i++) {
    ck_op head = ck_head(prover->terms, chain->cond[i]);
    bool order = head == CK_LE || head == CK_LT;
    if (i != without && order)
      ctx = pv_ctx_push(prover, ctx, chain->cond[i], CK_BAD);
  }
  return ctx;
}

/* conditions on quotients as ones on what is divided, where each follows from the other */
static void on_dividends(pv *prover, pv_ctx ctx, pv_chain *chain, pv_facts *facts) {
  for (uint32_t i = 0; i < chain->n; i++) {
    ck_id cond = chain->cond[i];
    ck_id simple = without_quotient(prover, cond);
    if (simple == CK_BAD)
      continue;
    pv_thm there = pv_follows(prover, pv_ctx_push(prover, ctx, cond, CK_BAD), simple);
    pv_thm back = pv_follows(prover, pv_ctx_push(prover, ctx, simple, CK_BAD), cond);
    if (there == PV_NONE || back == PV_NONE)
      continue;
    pv_fact_add(facts, simple, there, cond, CK_BAD);
    pv_fact_add(facts, cond, back, simple, CK_BAD);
    chain->cond[i] = simple;
  }
}

static void without_implied(pv *prover, pv_ctx ctx, pv_chain *chain, pv_facts *facts) {
  for (uint32_t i = chain->n; i-- > 0;) {
    pv_ctx others = with_others(prover, ctx, chain, i);
    pv_thm thm = pv_follows(prover, others, chain->cond[i]);
    if (thm == PV_NONE)
      continue;
    chain->n--;
    for (uint32_t k = i; k < chain->n; k++)
      chain->cond[k] = chain->cond[k + 1];
    pv_fact_add_under(prover, facts, thm, chain->cond, chain->n);
  }
}

static int by_number(const void *a, const void *b) {
  const ck_id *left = a;
  const ck_id *right = b;
  return *left < *right ? -1 : *left > *right;
}

pv_eqn pv_few_conditions(pv *prover, pv_ctx ctx, ck_id term, ck_id other) {
  pv_facts facts = {.n = 0};
  pv_chain chain = pv_chain_read(prover, term, other);
  if (chain.n == 0)
    return pv_same(term);
  on_dividends(prover, ctx, &chain, &facts);
  without_implied(prover, ctx, &chain, &facts);
  qsort(chain.cond, chain.n, sizeof *chain.cond, by_number);
  ck_id few = pv_chain_term(prover, &chain);
  if (few == term)
    return pv_same(term);
  pv_thm same = pv_same_by_cases(prover, term, few, &facts);
  return same == PV_NONE ? pv_same(term) : (pv_eqn){few, same};
}
