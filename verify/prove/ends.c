/* What a loop leaves in a tensor (see pv_loops.h).
 *
 * In closed form it is a choice: where the conditions C hold, that some iteration stores to this
 * place, a value, and else the element before.  How many iterations there are is known here, so
 * most of what C says of tiles says nothing: that x div T is below the number of tiles follows from
 * x < N.  Conditions that follow from the others are left out and the rest put in one order, so
 * that the same is said of loops over other tiles. */
#include "pv_loops.h"
#include <stdlib.h>

/* 0 <= a from 0 <= a div b: a is b times that and the remainder */
static pv_thm dividend_nonneg(pv *prover, pv_ctx ctx, ck_id quotient) {
  ck_id dividend = ck_kid(prover->terms, quotient, 0);
  ck_id divisor = ck_kid(prover->terms, quotient, 1);
  pv_thm positive = pv_follows(prover, ctx, pv_gt0(prover, divisor));
  ck_id both[2] = {dividend, divisor};
  pv_comb sum;
  if (positive == PV_NONE)
    return PV_NONE;
  pv_comb_init(&sum);
  pv_comb_add_product(&sum, prover->one, positive, pv_hyp(prover, pv_ge0(prover, quotient)));
  pv_comb_add(&sum, prover->one, pv_law(prover, "mod>", both, 2, positive));
  pv_comb_add(&sum, pv_num(prover, -1), pv_law(prover, "div", both, 2, positive));
  return pv_comb_prove(prover, &sum, pv_ge0(prover, dividend));
}

/* from a theorem that rests on the order `premise`: the negation of that, resting on the negation
 * of what the theorem says, which is an order too */
static pv_thm contrapositive(pv *prover, ck_id premise, pv_thm thm) {
  if (thm == PV_NONE)
    return PV_NONE;
  ck_id fails = ck_neg(prover->terms, premise);
  ck_id below = pv_lt(prover, prover->zero, prover->zero);
  pv_thm not_so = pv_hyp(prover, ck_neg(prover->terms, pv_says(prover, thm)));
  pv_thm absurd = PV_COMBINE(prover, below, prover->one, thm, prover->one, not_so);
  return pv_cases(prover, premise, pv_from_zero_below_zero(prover, fails, absurd),
                  pv_hyp(prover, fails));
}

/* the two conditions follow from each other, by these theorems: so do their negations */
static void add_equivalence(pv *prover, pv_facts *facts, ck_id a, pv_thm b_of_a, ck_id b,
                            pv_thm a_of_b) {
  ck_id not_a = ck_neg(prover->terms, a);
  ck_id not_b = ck_neg(prover->terms, b);
  pv_fact_add(facts, b, b_of_a, a, CK_BAD);
  pv_fact_add(facts, a, a_of_b, b, CK_BAD);
  pv_fact_add(facts, not_a, contrapositive(prover, a, b_of_a), not_b, CK_BAD);
  pv_fact_add(facts, not_b, contrapositive(prover, b, a_of_b), not_a, CK_BAD);
}

/* the quotient of a condition that says 0 <= it; CK_BAD: it is not of this form */
static ck_id quotient_of(const pv *prover, ck_id cond) {
  const ck_terms *terms = prover->terms;
  if (ck_head(terms, cond) != CK_LE || ck_kid(terms, cond, 0) != prover->zero)
    return CK_BAD;
  ck_id quotient = ck_kid(terms, cond, 1);
  return ck_is(terms, quotient, CK_DIV) ? quotient : CK_BAD;
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
    ck_id quotient = quotient_of(prover, cond);
    if (quotient == CK_BAD)
      continue;
    ck_id simple = pv_ge0(prover, ck_kid(prover->terms, quotient, 0));
    pv_thm there = dividend_nonneg(prover, ctx, quotient);
    pv_thm back = pv_follows(prover, pv_ctx_push(prover, ctx, simple, CK_BAD), cond);
    if (there == PV_NONE || back == PV_NONE)
      continue;
    add_equivalence(prover, facts, cond, there, simple, back);
    chain->cond[i] = simple;
  }
}

/* condition i of the chain, if it follows from the others */
static void leave_out_implied(pv *prover, pv_ctx ctx, pv_chain *chain, uint32_t i,
                              pv_facts *facts) {
  pv_ctx others = with_others(prover, ctx, chain, i);
  pv_thm thm = pv_follows(prover, others, chain->cond[i]);
  if (thm == PV_NONE)
    return;
  chain->n--;
  for (uint32_t k = i; k < chain->n; k++)
    chain->cond[k] = chain->cond[k + 1];
  pv_fact_add_under(prover, facts, thm, chain->cond, chain->n);
}

static void without_implied(pv *prover, pv_ctx ctx, pv_chain *chain, pv_facts *facts) {
  for (uint32_t i = chain->n; i-- > 0;)
    leave_out_implied(prover, ctx, chain, i, facts);
}

/* the divisor, no number, of two quotients of which the condition orders one by the other; CK_BAD:
 * it does not */
static ck_id of_two_tiles(pv *prover, ck_id cond) {
  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, cond);
  ck_id left = ck_kid(terms, cond, 0);
  ck_id right = ck_kid(terms, cond, 1);
  if ((head != CK_LE && head != CK_LT) || !ck_is_int(terms, left) || !ck_is_int(terms, right))
    return CK_BAD;
  ck_id divisor[2] = {CK_BAD, CK_BAD}; /* of the one that is added, of the one that is taken away */
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, pv_canon(prover, pv_sub(prover, right, left)));
  for (uint32_t i = 0; i < poly.count; i++) {
    const ck_id *atom = poly.monos[i].atoms;
    if (poly.monos[i].degree == 1 && ck_is(terms, atom[0], CK_DIV))
      divisor[pv_const_sign(prover, poly.monos[i].coef) < 0] = ck_kid(terms, atom[0], 1);
  }
  pv_poly_clear(&poly);
  bool both = divisor[0] == divisor[1] && divisor[0] != CK_BAD;
  return both && !pv_is_const(prover, divisor[0]) ? divisor[0] : CK_BAD;
}

pv_eqn pv_without_tiles(pv *prover, pv_ctx ctx, ck_id term) {
  pv_facts facts = {.n = 0};
  pv_chain chain = pv_chain_read(prover, term, ck_kid(prover->terms, term, 2));
  uint32_t before = chain.n;
  for (uint32_t i = chain.n; i-- > 0 && before > 1;) {
    if (of_two_tiles(prover, chain.cond[i]) != CK_BAD)
      leave_out_implied(prover, ctx, &chain, i, &facts);
  }
  if (chain.n == before)
    return pv_same(term);
  ck_id few = pv_chain_term(prover, &chain);
  pv_thm same = pv_same_by_cases(prover, term, few, &facts);
  return same == PV_NONE ? pv_same(term) : (pv_eqn){few, same};
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
