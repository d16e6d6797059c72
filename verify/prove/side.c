/* Side conditions on real terms: nonzero, positive, nonnegative; and facts out of the hypotheses,
 * clauses included. */
#include "pv_defs.h"
#include "pv_norm.h"
#include <stdlib.h>

typedef uint32_t (*asker)(pv *p, uint32_t cx, ck_id x);

/* remembers answers, and that a question is being asked: asked again inside, it is given up */
static pv_thm asked(pv *prover, pv_ctx ctx, ck_id goal, asker f, ck_id x) {
  uint64_t known;
  uint64_t key = ((uint64_t)ctx << 32) | goal;
  if (as_map_get(&prover->rel_memo, AS_KEY(key, 1), &known)) {
    if (known == PV_NONE - 2) {
      prover->cut = true;
      return PV_NONE;
    }
    return (uint32_t)known;
  }
  bool cut = prover->cut;
  prover->cut = false;
  as_map_put(&prover->rel_memo, AS_KEY(key, 1), PV_NONE - 2);
  pv_thm thm = f(prover, ctx, x);
  if (thm == PV_NONE && prover->cut)
    as_map_put(&prover->rel_memo, AS_KEY(key, 1), PV_NONE - 3); /* given up: may be asked again */
  else
    as_map_put(&prover->rel_memo, AS_KEY(key, 1), thm);
  prover->cut = cut || (thm == PV_NONE && prover->cut);
  return thm;
}

static pv_thm ask(pv *prover, pv_ctx ctx, ck_id goal, asker f, ck_id x) {
  uint64_t known;
  pv_thm thm = pv_ctx_find(prover, ctx, goal);
  if (thm != PV_NONE)
    return thm;
  if (as_map_get(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | goal, 1), &known) &&
      known == PV_NONE - 3) {
    /* once more, unless it has been given up often */
    uint64_t n = 0;
    as_map_get(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | goal, 2), &n);
    if (n >= 3) {
      prover->cut = true;
      return PV_NONE;
    }
    as_map_put(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | goal, 2), n + 1);
    as_map_put(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | goal, 1), PV_NONE - 2);
    bool cut = prover->cut;
    prover->cut = false;
    thm = f(prover, ctx, x);
    as_map_put(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | goal, 1),
               thm == PV_NONE && prover->cut ? PV_NONE - 3 : thm);
    prover->cut = cut || (thm == PV_NONE && prover->cut);
    return thm;
  }
  return asked(prover, ctx, goal, f, x);
}

static ck_id sum_to(pv *prover, ck_id k, ck_id body, ck_id x) {
  return pv_sum(prover, x, k, body);
}

/* --- sums: 0 <= body gives 0 <= sum; 0 < body and 0 < n give 0 < sum.  hard: with a refutation
 * where the body's sign is not seen */
static pv_thm sum_sign(pv *prover, pv_ctx ctx, ck_id term, bool strict, bool hard) {
  ck_id n = ck_kid(prover->terms, term, 0);
  ck_id counter;
  ck_id zero = prover->zero;
  ck_id body;
  pv_ctx inner = pv_ctx_bind(prover, ctx, n, &counter);
  pv_thm n_nonneg = pv_follows(prover, ctx, strict ? pv_gt0(prover, n) : pv_ge0(prover, n));
  pv_thm divisor_pos;
  if (n_nonneg == PV_NONE)
    return PV_NONE;
  body = pv_sum_body(prover, term, counter);
  divisor_pos = strict ? pv_positive(prover, inner, body) : pv_nonneg(prover, inner, body);
  if (divisor_pos == PV_NONE && hard)
    divisor_pos = pv_lp_prove(prover, inner, strict ? pv_gt0(prover, body) : pv_ge0(prover, body));
  if (divisor_pos == PV_NONE)
    return PV_NONE;
  ck_id k_next = pv_add(prover, counter, prover->one);
  ck_id formula = pv_ge0(prover, sum_to(prover, counter, body, counter));
  pv_thm zero_le_zero = pv_by_value(prover, pv_ge0(prover, zero));
  pv_thm k_nonneg = pv_hyp(prover, pv_ge0(prover, counter));
  pv_thm base =
      pv_scaled(prover, pv_ge0(prover, sum_to(prover, counter, body, zero)), pv_num(prover, -1),
                pv_zero(prover, sum_to(prover, counter, body, zero), zero_le_zero));
  pv_thm next = pv_succ(prover, sum_to(prover, counter, body, k_next), counter, k_nonneg);
  pv_thm assumed = pv_hyp(prover, formula);
  pv_summand summand[3] = {
      {pv_num(prover, -1), &next, 1}, {prover->one, &assumed, 1}, {prover->one, &divisor_pos, 1}};
  pv_thm step = pv_arith(prover, pv_ge0(prover, sum_to(prover, counter, body, k_next)), summand, 3);
  if (!strict)
    return pv_induct(prover, counter, n, 0, &formula, &base, &step, 1, n_nonneg);
  /* weakly up to n-1, then one step: bp at k := n-1 */
  ck_id last = pv_sub(prover, n, prover->one);
  pv_thm last_nonneg = pv_int(prover, pv_ge0(prover, last), n_nonneg);
  pv_thm below_last = pv_hyp(prover, pv_lt(prover, counter, last));
  pv_summand slack[2] = {{prover->one, &below_last, 1}, {prover->one, NULL, 0}};
  pv_thm below_bound = pv_arith(prover, pv_lt(prover, counter, n), slack, 2);
  pv_thm step2 = pv_inst(prover, step, NULL, 0, NULL, 0, &below_bound, 1);
  pv_thm weak = pv_induct(prover, counter, last, 0, &formula, &base, &step2, 1, last_nonneg);
  slack[0].premises = NULL;
  slack[0].count = 0;
  pv_thm last_below = pv_arith(prover, pv_lt(prover, last, n), slack, 1);
  pv_thm premises[2] = {last_nonneg, last_below};
  pv_var_sub vars = {counter, last};
  pv_thm last_sign = pv_inst(prover, divisor_pos, &vars, 1, NULL, 0, premises, 2);
  pv_thm final = pv_succ(prover, sum_to(prover, counter, body, n), last, last_nonneg);
  pv_summand final_summands[3] = {
      {pv_num(prover, -1), &final, 1}, {prover->one, &weak, 1}, {prover->one, &last_sign, 1}};
  return pv_arith(prover, pv_gt0(prover, term), final_summands, 3);
}

/* relation rel about ite(c, a, b) when it holds of a under c and of b under not c */
static pv_thm ite_sign(pv *prover, pv_ctx ctx, ck_id term, ck_op rel) {
  ck_id c = ck_kid(prover->terms, term, 0);
  ck_id part[2] = {ck_kid(prover->terms, term, 1), ck_kid(prover->terms, term, 2)};
  ck_id cond[2] = {c, ck_neg(prover->terms, c)};
  pv_thm cases[2];
  for (int i = 0; i < 2; i++) {
    pv_ctx inner = pv_ctx_push(prover, ctx, cond[i], CK_BAD);
    pv_thm thm =
        rel == CK_LT ? pv_positive(prover, inner, part[i]) : pv_nonneg(prover, inner, part[i]);
    pv_thm hyp = pv_hyp(prover, cond[i]);
    if (thm == PV_NONE)
      return PV_NONE;
    pv_thm law = pv_law(prover, i ? "ite0" : "ite1", &term, 1, hyp);
    pv_summand summand[2] = {{prover->one, &thm, 1}, {pv_num(prover, -1), &law, 1}};
    cases[i] = pv_arith(prover, pv_rel(prover, rel, prover->zero, term), summand, 2);
  }
  return pv_cases(prover, c, cases[0], cases[1]);
}

pv_thm pv_positive_of_nonzero(pv *prover, ck_id x, pv_thm nonneg, pv_thm nonzero) {
  ck_id le = pv_le(prover, x, prover->zero);
  pv_thm z = pv_antisym(prover, pv_hyp(prover, le), nonneg);
  pv_thm i = pv_law(prover, "inv", &x, 1, nonzero);
  pv_summand summand[2] = {{prover->one, &i, 1}, {pv_neg(prover, pv_inv(prover, x)), &z, 1}};
  pv_thm bad = pv_arith(prover, pv_eq(prover, prover->zero, prover->one), summand, 2);
  return pv_cases(prover, pv_gt0(prover, x), pv_hyp(prover, pv_gt0(prover, x)),
                  pv_from_zero_is_one(prover, pv_gt0(prover, x), bad));
}

/* 0 < atom from the fact 0 < cofactor*atom, or 0 < cofactor*inv(atom), for a positive cofactor:
 * were the atom not positive, neither would be the product */
static pv_thm pos_by_product(pv *prover, ck_id atom, ck_id cofactor, bool inverse, pv_thm fact,
                             pv_thm cofactor_pos, pv_thm nonzero) {
  ck_id claim = pv_gt0(prover, atom);
  pv_thm not_positive = pv_hyp(prover, pv_le(prover, atom, prover->zero));
  pv_comb comb;
  pv_comb_init(&comb);
  if (inverse) { /* -atom*(cofactor*inv) - cofactor*(1 - atom*inv) + cofactor = 0 */
    pv_comb_add_product(&comb, prover->one, not_positive, fact);
    pv_comb_add(&comb, pv_neg(prover, cofactor), pv_law1(prover, "inv", atom, nonzero));
    pv_comb_add(&comb, prover->one, cofactor_pos);
  } else { /* -atom*cofactor + cofactor*atom = 0 */
    pv_comb_add_product(&comb, prover->one, not_positive, cofactor_pos);
    pv_comb_add(&comb, prover->one, fact);
  }
  pv_thm absurd = pv_comb_prove(prover, &comb, pv_gt0(prover, prover->zero));
  return pv_cases(prover, claim, pv_hyp(prover, claim),
                  pv_from_zero_below_zero(prover, claim, absurd));
}

/* 0 < -atom from the fact 0 < cofactor*atom and 0 < -cofactor, a theorem about that in normal form
 */
static pv_thm neg_by_product(pv *prover, ck_id atom, pv_thm fact, pv_thm cofactor_neg) {
  ck_id claim = pv_gt0(prover, pv_canon(prover, pv_neg(prover, atom)));
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, pv_hyp(prover, ck_neg(prover->terms, claim)),
                      cofactor_neg);
  pv_comb_add(&comb, prover->one, fact);
  pv_thm absurd = pv_comb_prove(prover, &comb, pv_gt0(prover, prover->zero));
  return pv_cases(prover, claim, pv_hyp(prover, claim),
                  pv_from_zero_below_zero(prover, claim, absurd));
}

/* the same, where the fact is the theorem `fact` up to normal form; PV_NONE: it says nothing of the
 * kind.  negated: 0 < -atom */
static pv_thm pos_by_fact(pv *prover, pv_ctx ctx, ck_id atom, pv_thm fact, bool negated) {
  ck_id normal;
  ck_id rest[32];
  ck_id inverse = pv_inv(prover, atom);
  pv_thm found = PV_NONE;
  fact = pv_fact_normal(prover, ctx, fact, &normal);
  if (fact == PV_NONE)
    return PV_NONE;
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, normal);
  const pv_mono *mono = poly.monos;
  if (poly.count == 1 && mono->degree <= 32 && pv_const_sign(prover, mono->coef) > 0) {
    for (int i = 0; i < (negated ? 1 : 2) && found == PV_NONE; i++) {
      ck_id here = i ? inverse : atom;
      int degree = pv_mono_div(mono->atoms, mono->degree, &here, 1, rest);
      if (degree < 0)
        continue;
      ck_id cofactor = pv_mono_term(prover, mono->coef, rest, (uint32_t)degree);
      pv_thm nonzero = i ? pv_nonzero(prover, ctx, atom) : PV_REFL;
      if (nonzero == PV_NONE || pv_occurs(prover, cofactor, atom))
        continue;
      if (negated) {
        pv_thm below = pv_is_const(prover, cofactor)
                           ? PV_NONE
                           : pv_positive(prover, ctx, pv_canon(prover, pv_neg(prover, cofactor)));
        found = below == PV_NONE ? PV_NONE : neg_by_product(prover, atom, fact, below);
        continue;
      }
      pv_thm cofactor_pos = pv_is_const(prover, cofactor)
                                ? pv_by_value(prover, pv_gt0(prover, cofactor))
                                : pv_positive(prover, ctx, cofactor);
      if (cofactor_pos != PV_NONE)
        found = pos_by_product(prover, atom, cofactor, i == 1, fact, cofactor_pos, nonzero);
    }
  }
  pv_poly_clear(&poly);
  return found;
}

static pv_thm pos_by_facts(pv *prover, pv_ctx ctx, ck_id atom, bool negated) {
  pv_thm found = PV_NONE;
  for (pv_ctx link = ctx; link != 0 && found == PV_NONE; link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    pv_thm instance[4] = {pv_at(prover, link)->thm};
    uint32_t n = 1;
    ck_id says = formula;
    if (ck_head(prover->terms, formula) == CK_ALL) {
      says = ck_kid(prover->terms, formula, ck_nkids(prover->terms, formula) - 1);
      n = 0;
    }
    if (ck_head(prover->terms, says) != CK_LT ||
        ck_is_int(prover->terms, ck_kid(prover->terms, says, 1)))
      continue;
    if (n == 0)
      n = pv_clause_instances(prover, ctx, pv_at(prover, link)->thm, atom, instance, 4);
    for (uint32_t i = 0; i < n && found == PV_NONE; i++)
      found = pos_by_fact(prover, ctx, atom, instance[i], negated);
  }
  return found;
}

static pv_thm pos_atom(pv *prover, pv_ctx ctx, ck_id atom) {
  ck_op head = ck_head(prover->terms, atom);
  pv_var_sub vars = {pv_real_var(prover, "x"), CK_BAD};
  pv_thm thm = PV_NONE;
  if (ck_is_int(prover->terms, atom)) {
    thm = pv_follows_int(prover, ctx, pv_gt0(prover, atom));
  } else if (head == CK_EXP) {
    vars.term = ck_kid(prover->terms, atom, 0);
    thm = pv_use_lemma(prover, PV_EXP_POS, &vars, 1, NULL, 0, NULL, 0);
  } else if (head == CK_INV || head == CK_SQRT) {
    vars.term = ck_kid(prover->terms, atom, 0);
    pv_thm under_pos = pv_positive(prover, ctx, vars.term);
    if (under_pos != PV_NONE)
      thm = pv_use_lemma(prover, head == CK_INV ? PV_INV_POS : PV_SQRT_POS, &vars, 1, NULL, 0,
                         &under_pos, 1);
  } else if (pv_is_sum(prover, atom)) {
    thm = sum_sign(prover, ctx, atom, true, false);
  } else if (head == CK_ITE) {
    thm = ite_sign(prover, ctx, atom, CK_LT);
  }
  if (thm == PV_NONE)
    thm = pv_fact_match(prover, ctx, CK_LT, atom);
  if (thm == PV_NONE && head != CK_ITE && !pv_is_sum(prover, atom) &&
      head != CK_EXP) { /* 0 <= x and x # 0 */
    pv_thm nonneg =
        head == CK_SQRT ? pv_nonneg(prover, ctx, atom) : pv_fact_match(prover, ctx, CK_LE, atom);
    pv_thm nonzero = nonneg == PV_NONE ? PV_NONE : pv_fact_match(prover, ctx, CK_NE, atom);
    if (nonzero != PV_NONE)
      thm = pv_positive_of_nonzero(prover, atom, nonneg, nonzero);
  }
  if (thm == PV_NONE && (head == CK_APP || (head == CK_V && !ck_is_int(prover->terms, atom))) &&
      !prover->fact_busy.n)
    thm = pos_by_facts(prover, ctx, atom, false);
  return thm;
}

static pv_thm nonneg_atom(pv *prover, pv_ctx ctx, ck_id atom) {
  ck_op head = ck_head(prover->terms, atom);
  pv_thm thm = PV_NONE;
  if (ck_is_int(prover->terms, atom)) {
    thm = pv_follows_int(prover, ctx, pv_ge0(prover, atom));
    return thm == PV_NONE && head == CK_ITE ? ite_sign(prover, ctx, atom, CK_LE) : thm;
  }
  if (head == CK_SQRT) {
    ck_id under = ck_kid(prover->terms, atom, 0);
    pv_thm under_nonneg = pv_nonneg(prover, ctx, under);
    return under_nonneg == PV_NONE ? PV_NONE : pv_law(prover, "sqrt>", &under, 1, under_nonneg);
  }
  if (pv_is_sum(prover, atom))
    thm = sum_sign(prover, ctx, atom, false, false);
  if (thm == PV_NONE && head == CK_ITE)
    thm = ite_sign(prover, ctx, atom, CK_LE);
  if (thm == PV_NONE) {
    pv_thm under_nonneg = pos_atom(prover, ctx, atom);
    if (under_nonneg != PV_NONE)
      thm = pv_scaled(prover, pv_ge0(prover, atom), prover->one, under_nonneg);
  }
  return thm == PV_NONE ? pv_fact_match(prover, ctx, CK_LE, atom) : thm;
}

static pv_thm mul_step(pv *prover, ck_op rel, ck_id product, pv_thm left, pv_thm right) {
  pv_thm both[2] = {left, right};
  pv_summand summand = {rel == CK_NE ? pv_num(prover, -1) : prover->one, both, 2};
  if (left == PV_NONE || right == PV_NONE)
    return PV_NONE;
  return pv_arith(
      prover, rel == CK_NE ? pv_ne0(prover, product) : pv_rel(prover, rel, prover->zero, product),
      &summand, 1);
}

/* 0 <= x*x; strictly, where x # 0 is known */
static pv_thm square_sign(pv *prover, pv_ctx ctx, ck_id x, bool strict) {
  pv_var_sub vars = {pv_real_var(prover, "x"), x};
  pv_thm nonneg = pv_use_lemma(prover, PV_SQUARE, &vars, 1, NULL, 0, NULL, 0);
  if (!strict)
    return nonneg;
  ck_id square = pv_mul(prover, x, x);
  pv_thm nonzero = pv_nonzero(prover, ctx, x);
  return nonzero == PV_NONE
             ? PV_NONE
             : pv_positive_of_nonzero(prover, square, nonneg,
                                      mul_step(prover, CK_NE, square, nonzero, nonzero));
}

/* one monomial q*atoms; q > 0 unless rel is # */
static pv_thm mono_sign(pv *prover, pv_ctx ctx, const pv_mono *mono, ck_op rel) {
  ck_id term = mono->coef;
  pv_thm thm = rel == CK_NE ? pv_by_value(prover, pv_ne0(prover, mono->coef))
               : pv_const_sign(prover, mono->coef) > 0
                   ? pv_by_value(prover, pv_rel(prover, rel, prover->zero, mono->coef))
                   : PV_NONE;
  for (uint32_t i = 0; i < mono->degree && thm != PV_NONE; i++) {
    pv_thm factor_sign;
    ck_id factor = mono->atoms[i];
    if (i + 1 < mono->degree && mono->atoms[i + 1] == factor &&
        (rel == CK_LE || (rel == CK_LT && !ck_is_int(prover->terms, factor)))) {
      factor_sign = square_sign(prover, ctx, factor, rel == CK_LT);
      factor = pv_mul(prover, factor, factor);
      i++;
    } else {
      factor_sign = rel == CK_NE   ? pv_nonzero(prover, ctx, factor)
                    : rel == CK_LT ? pv_positive(prover, ctx, factor)
                                   : pv_nonneg(prover, ctx, factor);
    }
    term = pv_mul(prover, term, factor);
    thm = mul_step(prover, rel, term, thm, factor_sign);
  }
  return thm;
}

static pv_thm pos_poly(pv *prover, pv_ctx ctx, ck_id term, bool strict) {
  pv_poly poly;
  pv_comb comb;
  bool some = false;
  bool ok = true;
  pv_thm thm = PV_NONE;
  pv_poly_init(&poly);
  pv_comb_init(&comb);
  pv_poly_read(prover, &poly, term);
  for (uint32_t i = 0; i < poly.count && ok; i++) {
    pv_thm mono_thm = strict ? mono_sign(prover, ctx, &poly.monos[i], CK_LT) : PV_NONE;
    if (mono_thm != PV_NONE)
      some = true;
    else
      mono_thm = mono_sign(prover, ctx, &poly.monos[i], CK_LE);
    if (mono_thm == PV_NONE)
      ok = false;
    else
      pv_comb_add(&comb, prover->one, mono_thm);
  }
  if (ok && (some || !strict))
    thm = pv_comb_prove(prover, &comb, strict ? pv_gt0(prover, term) : pv_ge0(prover, term));
  else
    pv_comb_clear(&comb);
  pv_poly_clear(&poly);
  return thm;
}

/* 0 <= or 0 < a combination of sums over one range, by that of their bodies */
static pv_thm sums_sign(pv *prover, pv_ctx ctx, ck_id term, bool strict) {
  ck_id k;
  ck_id whole = pv_one_sum(prover, ctx, term, &k);
  if (whole == CK_BAD)
    return PV_NONE;
  pv_ctx inner = pv_ctx_bind(prover, ctx, ck_kid(prover->terms, whole, 0), &k);
  pv_eqn body = pv_norm(prover, inner, pv_sum_body(prover, whole, k));
  pv_eqn apart = pv_norm(prover, ctx, whole);
  if (body.by == PV_NONE || apart.by == PV_NONE || apart.to != term || whole == term)
    return PV_NONE;
  ck_id normal = pv_sum(prover, ck_kid(prover->terms, whole, 0), k, body.to);
  pv_thm sign = sum_sign(prover, ctx, normal, strict, !prover->fact_busy.n);
  pv_thm same = body.by == PV_REFL
                    ? PV_REFL
                    : pv_lift_sum(prover, ck_kid(prover->terms, whole, 0), k, body.by);
  pv_comb comb;
  pv_comb_init(&comb); /* whole = the one with a normal body = term */
  pv_comb_add(&comb, prover->one, sign);
  pv_comb_add(&comb, pv_num(prover, -1), same);
  pv_comb_add(&comb, prover->one, apart.by);
  return pv_comb_prove(prover, &comb, pv_rel(prover, strict ? CK_LT : CK_LE, prover->zero, term));
}

/* an inverse of a positive number in the term, no power of it; CK_BAD: there is none */
static ck_id positive_inverse(pv *prover, pv_ctx ctx, ck_id term, ck_id *factor, ck_id *addend) {
  pv_poly poly;
  ck_id found = CK_BAD;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, term);
  for (uint32_t i = 0; i < poly.count && poly.count > 1 && found == CK_BAD; i++) {
    for (uint32_t j = 0; j < poly.monos[i].degree && found == CK_BAD; j++) {
      ck_id atom = poly.monos[i].atoms[j];
      if (ck_head(prover->terms, atom) == CK_INV &&
          pv_poly_linear(prover, term, atom, factor, addend) && !pv_is_zero(prover, *addend) &&
          pv_positive(prover, ctx, ck_kid(prover->terms, atom, 0)) != PV_NONE)
        found = atom;
    }
  }
  pv_poly_clear(&poly);
  return found;
}

/* 0 < c*inv p + d, or 0 <=, from that of c + d*p, p being positive */
static pv_thm cleared_sign(pv *prover, pv_ctx ctx, ck_id term, bool strict) {
  ck_id factor;
  ck_id addend;
  ck_id inverse = positive_inverse(prover, ctx, term, &factor, &addend);
  if (inverse == CK_BAD)
    return PV_NONE;
  ck_id under = ck_kid(prover->terms, inverse, 0);
  ck_op rel = strict ? CK_LT : CK_LE;
  ck_id cleared = pv_add(prover, factor, pv_mul(prover, addend, under));
  pv_thm sign = pv_follows(prover, ctx, pv_rel(prover, rel, prover->zero, cleared));
  if (sign == PV_NONE)
    return PV_NONE;
  pv_thm positive = pv_positive(prover, ctx, under);
  pv_var_sub vars = {pv_real_var(prover, "x"), under};
  pv_thm inverse_pos = pv_use_lemma(prover, PV_INV_POS, &vars, 1, NULL, 0, &positive, 1);
  pv_thm nonzero = pv_scaled(prover, pv_ne0(prover, under), pv_num(prover, -1), positive);
  pv_comb comb;
  pv_comb_init(&comb); /* inv p * (c + d*p) + d*(1 - p*inv p) */
  pv_comb_add_product(&comb, prover->one, inverse_pos, sign);
  pv_comb_add(&comb, addend, pv_law1(prover, "inv", under, nonzero));
  return pv_comb_prove(prover, &comb, pv_rel(prover, rel, prover->zero, term));
}

/* 0 < term if strict, else 0 <= term, of a term that is no atom: what is known of it as it stands,
 * of its parts, of its numerator, of its sums */
static pv_thm sign_of_sum(pv *prover, pv_ctx ctx, ck_id term, bool strict) {
  pv_thm thm = pv_fact_match(prover, ctx, strict ? CK_LT : CK_LE, term);
  if (thm == PV_NONE && ck_is_int(prover->terms, term))
    thm = pv_follows_int(prover, ctx, strict ? pv_gt0(prover, term) : pv_ge0(prover, term));
  if (thm == PV_NONE)
    thm = pos_poly(prover, ctx, term, strict);
  if (thm == PV_NONE)
    thm = cleared_sign(prover, ctx, term, strict);
  if (thm == PV_NONE)
    thm = sums_sign(prover, ctx, term, strict);
  return thm;
}

static pv_thm positive_now(pv *prover, pv_ctx ctx, ck_id x) {
  if (pv_is_atom(prover, x))
    return pos_atom(prover, ctx, x);
  pv_thm thm = sign_of_sum(prover, ctx, x, true);
  if (thm != PV_NONE || prover->fact_busy.n || ck_is_int(prover->terms, x))
    return thm;
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, x);
  bool minus =
      poly.count == 1 && poly.monos[0].degree == 1 && poly.monos[0].coef == pv_num(prover, -1);
  ck_id atom = minus ? poly.monos[0].atoms[0] : CK_BAD;
  pv_poly_clear(&poly);
  return minus ? pos_by_facts(prover, ctx, atom, true) : PV_NONE;
}

/* squares as they were written, before they are multiplied out */
static pv_thm nonneg_now(pv *prover, pv_ctx ctx, ck_id term) {
  ck_op head = ck_head(prover->terms, term);
  if (pv_is_atom(prover, term))
    return nonneg_atom(prover, ctx, term);
  if (head == CK_Q)
    return pv_const_sign(prover, term) >= 0 ? pv_by_value(prover, pv_ge0(prover, term)) : PV_NONE;
  ck_id left = ck_kid(prover->terms, term, 0);
  ck_id right = ck_kid(prover->terms, term, 1);
  pv_thm thm;
  pv_thm left_nonneg;
  pv_thm right_nonneg;
  if (head == CK_MUL && left == right) {
    pv_var_sub sub = {pv_real_var(prover, "x"), left};
    return pv_use_lemma(prover, PV_SQUARE, &sub, 1, NULL, 0, NULL, 0);
  }
  thm = sign_of_sum(prover, ctx, term, false);
  if (thm != PV_NONE)
    return thm;
  left_nonneg = pv_nonneg(prover, ctx, left);
  right_nonneg = left_nonneg == PV_NONE ? PV_NONE : pv_nonneg(prover, ctx, right);
  if (right_nonneg == PV_NONE)
    return PV_NONE;
  if (head == CK_MUL)
    return mul_step(prover, CK_LE, term, left_nonneg, right_nonneg);
  pv_summand summand[2] = {{prover->one, &left_nonneg, 1}, {prover->one, &right_nonneg, 1}};
  return pv_arith(prover, pv_ge0(prover, term), summand, 2);
}

/* sqrt x # 0 among the hypotheses, and 0 <= x: then x # 0 */
static pv_thm by_root(pv *prover, pv_ctx ctx, ck_id square) {
  ck_id root = pv_sqrt(prover, square);
  pv_thm nonzero = pv_fact_match(prover, ctx, CK_NE, root);
  pv_thm nonneg = nonzero == PV_NONE ? PV_NONE : pv_nonneg(prover, ctx, square);
  pv_thm two[2] = {nonzero, nonzero};
  if (nonneg == PV_NONE)
    return PV_NONE;
  pv_thm squared = pv_law(prover, "sqrt2", &square, 1, nonneg);
  pv_summand summand[2] = {{pv_num(prover, -1), two, 2}, {pv_num(prover, -1), &squared, 1}};
  return pv_arith(prover, pv_ne0(prover, square), summand, 2);
}

static pv_thm nonzero_now(pv *prover, pv_ctx ctx, ck_id term) {
  ck_op head = ck_head(prover->terms, term);
  pv_thm thm = pv_fact_match(prover, ctx, CK_NE, term);
  if (thm != PV_NONE)
    return thm;
  if (head == CK_Q)
    return pv_const_sign(prover, term) ? pv_by_value(prover, pv_ne0(prover, term)) : PV_NONE;
  if (!ck_is_int(prover->terms, term) && (thm = by_root(prover, ctx, term)) != PV_NONE)
    return thm;
  if (head == CK_INV) {
    pv_var_sub vars = {pv_real_var(prover, "x"), ck_kid(prover->terms, term, 0)};
    pv_thm part = pv_nonzero(prover, ctx, vars.term);
    return part == PV_NONE ? PV_NONE : pv_use_lemma(prover, PV_INV_NE, &vars, 1, NULL, 0, &part, 1);
  }
  if (ck_is_int(prover->terms, term))
    return pv_follows_int(prover, ctx, pv_ne0(prover, term));
  if (pv_is_atom(prover, term)) {
    thm = pv_positive(prover, ctx, term);
  } else {
    pv_poly poly;
    pv_poly_init(&poly);
    pv_poly_read(prover, &poly, term);
    if (poly.count == 1) {
      pv_thm part = mono_sign(prover, ctx, &poly.monos[0], CK_NE);
      if (part != PV_NONE)
        thm = pv_restate(prover, pv_ne0(prover, term), part);
    }
    bool multi = poly.count > 1;
    pv_poly_clear(&poly);
    if (thm != PV_NONE || !multi)
      return thm;
    thm = pv_positive(prover, ctx, term);
    if (thm == PV_NONE) {
      ck_id negated = pv_canon(prover, pv_neg(prover, term));
      thm = pos_poly(prover, ctx, negated, true);
      return thm == PV_NONE ? PV_NONE : pv_scaled(prover, pv_ne0(prover, term), prover->one, thm);
    }
  }
  return thm == PV_NONE ? PV_NONE
                        : pv_scaled(prover, pv_ne0(prover, term), pv_num(prover, -1), thm);
}

pv_thm pv_nonzero(pv *prover, pv_ctx ctx, ck_id x) {
  ctx = pv_ctx_strip(prover, ctx, x);
  return ask(prover, ctx, pv_ne0(prover, x), nonzero_now, x);
}

pv_thm pv_positive(pv *prover, pv_ctx ctx, ck_id x) {
  ctx = pv_ctx_strip(prover, ctx, x);
  return ask(prover, ctx, pv_gt0(prover, x), positive_now, x);
}

pv_thm pv_nonneg(pv *prover, pv_ctx ctx, ck_id x) {
  ctx = pv_ctx_strip(prover, ctx, x);
  return ask(prover, ctx, pv_ge0(prover, x), nonneg_now, x);
}

/* --- any relation */
static pv_thm real_rel(pv *prover, pv_ctx ctx, ck_id formula) {
  ck_op head = ck_head(prover->terms, formula);
  ck_id left = ck_kid(prover->terms, formula, 0);
  ck_id right = ck_kid(prover->terms, formula, 1);
  ck_id diff;
  pv_thm thm = PV_NONE;
  bool left0 = left == prover->zero;
  bool right0 = right == prover->zero;
  if (head == CK_EQ)
    return PV_NONE;
  if (head == CK_NE)
    diff = right0 ? left : left0 ? right : pv_sub(prover, right, left);
  else
    diff = left0 ? right : pv_sub(prover, right, left);
  asker question = head == CK_NE ? pv_nonzero : head == CK_LT ? pv_positive : pv_nonneg;
  bool plain = left0 || (head == CK_NE && right0);
  /* What loops carry is written as choices over choices: then its normal form is asked first. */
  bool loops = prover->defs && pv_defs_loops(prover->defs);
  if (plain && !loops)
    thm = question(prover, ctx, diff);
  if (thm == PV_NONE) {
    pv_eqn eqn = pv_norm(prover, ctx, diff);
    if (eqn.by == PV_NONE)
      return PV_NONE;
    thm = question(prover, ctx, eqn.to);
    if (thm != PV_NONE && eqn.by != PV_REFL) { /* from 0 < e.t to 0 < d; e: d = e.t */
      pv_comb comb;
      pv_comb_init(&comb);
      pv_comb_add(&comb, prover->one, thm);
      pv_comb_add(&comb, head == CK_NE ? prover->one : pv_num(prover, -1), eqn.by);
      thm = pv_comb_prove(prover, &comb,
                          head == CK_NE ? pv_ne0(prover, diff)
                                        : pv_rel(prover, head, prover->zero, diff));
    }
  }
  if (thm == PV_NONE && plain && loops)
    thm = question(prover, ctx, diff);
  if (thm == PV_NONE)
    return PV_NONE;
  if (pv_says(prover, thm) == formula)
    return thm;
  return head == CK_NE ? pv_scaled(prover, formula, right0 ? prover->one : pv_num(prover, -1), thm)
                       : pv_scaled(prover, formula, prover->one, thm);
}

pv_thm pv_follows(pv *prover, pv_ctx ctx, ck_id formula) {
  if (formula == CK_BAD)
    return PV_NONE;
  ctx = pv_ctx_strip(prover, ctx, formula);
  pv_thm thm = pv_ctx_find(prover, ctx, formula);
  if (thm != PV_NONE)
    return thm;
  bool ints = ck_is_int(prover->terms, ck_kid(prover->terms, formula, 0)) &&
              ck_is_int(prover->terms, ck_kid(prover->terms, formula, 1));
  if (ints)
    thm = pv_follows_int(prover, ctx, formula);
  if (thm == PV_NONE && ints) { /* with quotients and remainders simplified */
    pv_eqn left = pv_norm(prover, ctx, ck_kid(prover->terms, formula, 0));
    pv_eqn right = pv_norm(prover, ctx, ck_kid(prover->terms, formula, 1));
    if (left.by != PV_NONE && right.by != PV_NONE && (left.by != PV_REFL || right.by != PV_REFL)) {
      ck_id normal_formula = pv_rel(prover, ck_head(prover->terms, formula), left.to, right.to);
      pv_thm thm_normal = pv_ctx_find(prover, ctx, normal_formula);
      if (thm_normal == PV_NONE)
        thm_normal = pv_follows_int(prover, ctx, normal_formula);
      if (thm_normal != PV_NONE) {
        pv_comb comb;
        pv_comb_init(&comb); /* f: b0-a0 = (b-a) + (a - a0) - (b - b0) */
        pv_comb_add(&comb, prover->one, thm_normal);
        pv_comb_add(&comb, prover->one, left.by);
        pv_comb_add(&comb, pv_num(prover, -1), right.by);
        return pv_comb_prove(prover, &comb, formula);
      }
    }
  }
  if (thm == PV_NONE && !ints)
    thm = real_rel(prover, ctx, formula);
  return thm == PV_NONE ? pv_lp_prove(prover, ctx, formula) : thm;
}
