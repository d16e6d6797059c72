/* What follows from a hypothesis at once and is worth having as an equation: a <= b where b <= a is
 * known; a product that is zero while its other factors are not.  Derived equations stand in the
 * context beside the hypotheses, with their proofs. */
#include "pv_norm.h"
#include <stdio.h>
#include <string.h>

/* of a zero product x*c, the theorem s: 0 = e, the factor that is not known to differ from 0 where
 * the other is: 0 = that; PV_NONE: nothing */
static pv_thm zero_factor(pv *prover, pv_ctx ctx, ck_id product, pv_thm thm) {
  for (bool more = true, first = true; more; first = false) {
    pv_poly poly;
    more = false;
    pv_poly_init(&poly);
    pv_poly_read(prover, &poly, product);
    for (uint32_t i = 0; poly.count && i < poly.monos[0].degree && !more; i++) {
      ck_id atom = poly.monos[0].atoms[i];
      ck_id cofactor = pv_poly_quotient(prover, product, atom);
      ck_id pair[2] = {atom, cofactor};
      if (cofactor == CK_BAD || pv_is_const(prover, cofactor))
        continue;
      for (int j = 0; j < 2 && !more; j++) { /* pair[j] differs from 0: other = e * inv(pair[j]) +
                                                other*(1 - pair[j]*inv(pair[j])) */
        ck_id other = pair[1 - j];
        pv_thm nonzero = pv_follows(prover, ctx, pv_ne0(prover, pair[j]));
        pv_thm zero;
        if (nonzero == PV_NONE)
          continue;
        pv_comb comb;
        pv_comb_init(&comb);
        pv_comb_add(&comb, pv_inv(prover, pair[j]), thm);
        pv_comb_add(&comb, other, pv_law(prover, "inv", &pair[j], 1, nonzero));
        if ((zero = pv_comb_prove(prover, &comb, pv_eq(prover, prover->zero, other))) == PV_NONE)
          continue;
        thm = zero;
        product = other;
        more = true;
      }
    }
    pv_poly_clear(&poly);
    if (!more)
      return first ? PV_NONE : thm;
  }
  return PV_NONE;
}

/* conditions that are not decided yet: nothing is made of them */
static bool has_ite(pv *prover, ck_id term) {
  if (ck_head(prover->terms, term) == CK_ITE)
    return true;
  for (uint32_t i = 0, n = ck_nkids(prover->terms, term); i < n; i++) {
    if (has_ite(prover, ck_kid(prover->terms, term, i)))
      return true;
  }
  return false;
}

/* the context with the equation that theorem s, an order or equation of integers, becomes */
static pv_ctx derive(pv *prover, pv_ctx ctx, pv_thm thm) {
  if (thm == PV_NONE)
    return ctx;
  ck_id formula = pv_says(prover, thm);
  ck_id value;
  ck_id goal;
  ck_op head = ck_head(prover->terms, formula);
  pv_thm upper;
  pv_thm tightened;
  pv_thm zero;
  if (head != CK_EQ && head != CK_LE && head != CK_LT)
    return ctx;
  if (!ck_is_int(prover->terms, ck_kid(prover->terms, formula, 0)) ||
      !ck_is_int(prover->terms, ck_kid(prover->terms, formula, 1)))
    return ctx;
  if ((tightened = pv_tighten(prover, thm)) == PV_NONE)
    return ctx;
  formula = pv_says(prover, tightened);
  value = pv_canon(
      prover, pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0)));
  if (pv_is_const(prover, value) || has_ite(prover, value))
    return ctx;
  if (head != CK_EQ) {
    goal = pv_le(prover, value, prover->zero);
    if ((upper = pv_follows_int_within(prover, ctx, goal, 24)) == PV_NONE)
      return ctx;
    tightened = pv_antisym(prover, pv_restate(prover, pv_ge0(prover, value), tightened), upper);
    if (tightened == PV_NONE)
      return ctx;
    ctx = pv_ctx_know(prover, ctx, tightened);
  } else {
    tightened = pv_restate(prover, pv_eq(prover, prover->zero, value), tightened);
  }
  zero = tightened == PV_NONE ? PV_NONE : zero_factor(prover, ctx, value, tightened);
  return zero == PV_NONE ? ctx : pv_ctx_know(prover, ctx, zero);
}

/* y = x div d and `x = d*y`, out of a theorem that says that x mod d or x - d*y is 0; d positive */
static pv_thm divisible(pv *prover, pv_ctx ctx, pv_thm thm, ck_id *quotient) {
  ck_id value;
  pv_poly poly;
  pv_thm cases = PV_NONE;
  if (thm == PV_NONE || ck_head(prover->terms, pv_says(prover, thm)) != CK_EQ)
    return PV_NONE;
  value = pv_canon(prover, pv_sub(prover, pv_right(prover, thm), pv_left(prover, thm)));
  if (!ck_is_int(prover->terms, value))
    return PV_NONE;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, value);
  for (uint32_t i = 0; i < poly.count && cases == PV_NONE; i++) {
    for (uint32_t j = 0; j < poly.monos[i].degree && cases == PV_NONE; j++) {
      ck_id atom = poly.monos[i].atoms[j];
      ck_id dividend;
      ck_id divisor;
      ck_id mod;
      ck_op head = ck_head(prover->terms, atom);
      pv_thm divisor_pos;
      if (head != CK_DIV && head != CK_MOD)
        continue;
      dividend = ck_kid(prover->terms, atom, 0);
      divisor = ck_kid(prover->terms, atom, 1);
      *quotient = head == CK_DIV ? atom : ck_mk2(prover->terms, CK_DIV, dividend, divisor);
      mod = pv_canon(
          prover, head == CK_DIV ? pv_sub(prover, dividend, pv_mul(prover, divisor, atom)) : atom);
      bool same = mod == value;
      bool opposite = pv_canon(prover, pv_neg(prover, mod)) == value;
      if ((!same && !opposite) ||
          (divisor_pos = pv_follows(prover, ctx, pv_gt0(prover, divisor))) == PV_NONE)
        continue;
      ck_id args[2] = {dividend, divisor};
      ck_id goal = pv_eq(prover, dividend, pv_mul(prover, divisor, *quotient));
      pv_comb comb;
      pv_comb_init(&comb); /* goal: d*y - x; law: d*y + mod - x; s: E */
      if (head == CK_MOD)
        pv_comb_add(&comb, prover->one, pv_law(prover, "div", args, 2, divisor_pos));
      pv_comb_add(&comb, pv_num(prover, same ? -1 : 1), thm);
      cases = pv_comb_prove(prover, &comb, goal);
    }
  }
  pv_poly_clear(&poly);
  return cases;
}

/* does a variable for a quotient occur in t? */
static bool has_quotient(pv *prover, ck_id term) {
  if (ck_head(prover->terms, term) == CK_V)
    return !strncmp(ck_word_text(prover->terms, ck_name(prover->terms, term)), "$$q", 3);
  for (uint32_t i = 0, n = ck_nkids(prover->terms, term); i < n; i++) {
    if (has_quotient(prover, ck_kid(prover->terms, term, i)))
      return true;
  }
  return false;
}

/* the relations among the integers once more, in the normal form that new equations give them */
pv_ctx pv_ctx_refresh(pv *prover, pv_ctx ctx) {
  pv_thm chain[128];
  uint32_t n = 0;
  pv_ctx top = ctx;
  for (pv_ctx link = ctx; link != 0 && n < 128; link = pv_at(prover, link)->parent)
    chain[n++] = pv_at(prover, link)->thm;
  while (n-- > 0) {
    ck_id formula = chain[n] == PV_NONE ? CK_BAD : pv_says(prover, chain[n]);
    ck_id normal;
    ck_id quotient;
    ck_op head;
    pv_thm thm;
    if (formula == CK_BAD ||
        ((head = ck_head(prover->terms, formula)) != CK_LE && head != CK_LT && head != CK_EQ) ||
        !ck_is_int(prover->terms, ck_kid(prover->terms, formula, 0)) ||
        !ck_is_int(prover->terms, ck_kid(prover->terms, formula, 1)))
      continue;
    thm = pv_fact_normal(prover, top, chain[n], &normal);
    if (thm == PV_NONE || has_ite(prover, normal))
      continue;
    if (head == CK_EQ &&
        (!has_quotient(prover, normal) || divisible(prover, top, thm, &quotient) != PV_NONE))
      continue; /* a divisibility still has its own to get */
    if (thm != PV_NONE && !pv_is_const(prover, normal) &&
        normal != pv_canon(prover, pv_sub(prover, ck_kid(prover->terms, formula, 1),
                                          ck_kid(prover->terms, formula, 0))))
      ctx = pv_ctx_know(prover, ctx, thm);
  }
  return ctx;
}

static bool is_no_constant(pv *prover, ck_id part, const void *about) {
  (void)about;
  return !pv_is_const(prover, part);
}

/* 0 <= E + f from an order of integers that says 0 <= g*E + c, where f is c / g rounded down;
 * PV_NONE: it is no such, or says no less */
static pv_thm in_whole_numbers(pv *prover, pv_thm thm) {
  ck_id formula = thm == PV_NONE ? CK_BAD : pv_says(prover, thm);
  if (formula == CK_BAD ||
      (!ck_is(prover->terms, formula, CK_LE) && !ck_is(prover->terms, formula, CK_LT)) ||
      !ck_is_int(prover->terms, ck_kid(prover->terms, formula, 0)) ||
      !ck_is_int(prover->terms, ck_kid(prover->terms, formula, 1)))
    return PV_NONE;
  pv_thm weak = pv_tighten(prover, thm);
  formula = weak == PV_NONE ? CK_BAD : pv_says(prover, weak);
  if (formula == CK_BAD)
    return PV_NONE;
  ck_id constant;
  ck_id value = pv_canon(
      prover, pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0)));
  ck_id varying;
  long number = pv_poly_apart(prover, value, is_no_constant, NULL, &varying, &constant);
  if (number <= 1)
    return PV_NONE;
  mpz_t floor;
  mpz_init(floor);
  mpz_fdiv_q_ui(floor, mpq_numref(*ck_q_value(prover->terms, constant)), (unsigned long)number);
  ck_id least = mpz_fits_slong_p(floor) ? pv_num(prover, mpz_get_si(floor)) : CK_BAD;
  mpz_clear(floor);
  if (least == CK_BAD)
    return PV_NONE;
  ck_id part = pv_const_inv(prover, pv_num(prover, number));
  ck_id minus = pv_num(prover, -1);
  ck_id rest = pv_const_add(prover, pv_const_mul(prover, part, constant), /* 0 <= rest < 1 */
                            pv_const_mul(prover, least, minus));
  ck_id over = pv_const_add(prover, prover->one, pv_const_mul(prover, rest, minus));
  ck_id shifted = pv_mul(prover, part, varying);
  ck_id goal = pv_ge0(prover, pv_canon(prover, pv_add(prover, shifted, least)));
  ck_id above = pv_lt(prover, minus, ck_kid(prover->terms, goal, 1));
  return pv_int(prover, goal,
                PV_COMBINE(prover, above, part, weak, over,
                           pv_by_value(prover, pv_gt0(prover, prover->one))));
}

/* what an order says in whole numbers, and of what is divided in a quotient that it bounds */
static pv_ctx with_consequences(pv *prover, pv_ctx ctx, pv_thm thm) {
  pv_thm whole = in_whole_numbers(prover, thm);
  pv_thm yes;
  pv_thm no;
  if (whole != PV_NONE) {
    ctx = pv_ctx_know(prover, ctx, whole);
    thm = whole;
  }
  ck_id formula = thm == PV_NONE ? CK_BAD : pv_says(prover, thm);
  if (formula == CK_BAD || ck_head(prover->terms, formula) != CK_LE ||
      pv_without_quotient(prover, ctx, formula, &yes, &no) == CK_BAD)
    return ctx;
  pv_thm divided = pv_inst(prover, yes, NULL, 0, NULL, 0, &thm, 1);
  return divided == PV_NONE ? ctx : pv_ctx_know(prover, ctx, divided);
}

pv_ctx pv_ctx_divided(pv *prover, pv_ctx ctx) {
  pv_thm chain[128];
  uint32_t n = 0;
  for (pv_ctx link = ctx; link != 0 && n < 128; link = pv_at(prover, link)->parent)
    chain[n++] = pv_at(prover, link)->thm;
  while (n-- > 0) {
    ck_id formula = chain[n] == PV_NONE ? CK_BAD : pv_says(prover, chain[n]);
    ck_op head = formula == CK_BAD ? CK_ALL : ck_head(prover->terms, formula);
    if ((head == CK_LE || head == CK_LT) &&
        ck_is_int(prover->terms, ck_kid(prover->terms, formula, 0)) &&
        ck_is_int(prover->terms, ck_kid(prover->terms, formula, 1)))
      ctx = with_consequences(prover, ctx, pv_tighten(prover, chain[n]));
  }
  return ctx;
}

pv_ctx pv_ctx_assume(pv *prover, pv_ctx ctx, ck_id c) {
  pv_ctx inner = pv_ctx_push(prover, ctx, c, CK_BAD);
  inner = with_consequences(prover, inner, pv_at(prover, inner)->thm);
  pv_ctx out = derive(prover, inner, pv_at(prover, inner)->thm);
  return out == inner && ck_head(prover->terms, c) != CK_EQ ? out : pv_ctx_refresh(prover, out);
}

pv_ctx pv_ctx_tighten(pv *prover, pv_ctx ctx) {
  pv_thm chain[128];
  uint32_t n = 0;
  pv_ctx top = ctx;
  for (pv_ctx link = ctx; link != 0 && n < 128; link = pv_at(prover, link)->parent)
    chain[n++] = pv_at(prover, link)->thm;
  for (uint32_t i = 0; i < n && ctx == top && !pv_spent(prover); i++) {
    ck_id formula = chain[i] == PV_NONE ? CK_BAD : pv_says(prover, chain[i]);
    ck_id value;
    pv_thm tightened;
    pv_thm upper;
    ck_op head;
    if (formula == CK_BAD || ((head = ck_head(prover->terms, formula)) != CK_LE && head != CK_LT) ||
        !ck_is_int(prover->terms, ck_kid(prover->terms, formula, 0)) ||
        !ck_is_int(prover->terms, ck_kid(prover->terms, formula, 1)))
      continue;
    if ((tightened = pv_tighten(prover, chain[i])) == PV_NONE)
      continue;
    formula = pv_says(prover, tightened);
    value = pv_canon(prover, pv_sub(prover, ck_kid(prover->terms, formula, 1),
                                    ck_kid(prover->terms, formula, 0)));
    if (pv_is_const(prover, value) || has_ite(prover, value) ||
        (upper = pv_follows(prover, top, pv_le(prover, value, prover->zero))) == PV_NONE)
      continue;
    tightened = pv_antisym(prover, pv_restate(prover, pv_ge0(prover, value), tightened), upper);
    if (tightened == PV_NONE)
      continue;
    ctx = pv_ctx_know(prover, ctx, tightened);
    if ((tightened = zero_factor(prover, ctx, value, tightened)) != PV_NONE)
      ctx = pv_ctx_know(prover, ctx, tightened);
  }
  return ctx == top ? ctx : pv_ctx_refresh(prover, ctx);
}

pv_ctx pv_ctx_derive(pv *prover, pv_ctx ctx) {
  pv_thm chain[128];
  uint32_t n = 0;
  pv_ctx top = ctx;
  uint64_t known;
  if (as_map_get(&prover->misc_memo, AS_KEY(ctx, 6), &known))
    return (uint32_t)known;
  ctx = pv_ctx_refresh(prover, ctx);
  for (pv_ctx link = ctx; link != 0 && n < 128; link = pv_at(prover, link)->parent)
    chain[n++] = pv_at(prover, link)->thm;
  pv_ctx had = ctx;
  while (n-- > 0)
    ctx = derive(prover, ctx, chain[n]);
  if (ctx != had)
    ctx = pv_ctx_refresh(prover, ctx);
  as_map_put(&prover->misc_memo, AS_KEY(top, 6), ctx);
  return ctx;
}

pv_ctx pv_ctx_quotient(pv *prover, pv_ctx ctx, pv_thm thm, ck_id *quotient, pv_thm *back) {
  ck_id quotient_term;
  char name[24];
  *back = divisible(prover, ctx, thm, &quotient_term);
  if (*back == PV_NONE)
    return PV_NONE;
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) { /* once is enough */
    ck_id formula = pv_at(prover, link)->formula;
    ck_id right;
    if (ck_head(prover->terms, formula) != CK_EQ ||
        ck_kid(prover->terms, formula, 0) != pv_left(prover, *back))
      continue;
    right = ck_kid(prover->terms, formula, 1);
    if (ck_head(prover->terms, right) == CK_MUL &&
        ck_kid(prover->terms, right, 0) == ck_kid(prover->terms, quotient_term, 1) &&
        ck_head(prover->terms, ck_kid(prover->terms, right, 1)) == CK_V)
      return PV_NONE;
  }
  snprintf(name, sizeof name, "$$q%u", (unsigned)pv_at(prover, ctx)->depth);
  *quotient = pv_int_var(prover, name);
  return pv_ctx_push(prover, ctx,
                     pv_eq(prover, pv_left(prover, *back),
                           pv_mul(prover, ck_kid(prover->terms, quotient_term, 1), *quotient)),
                     CK_BAD);
}
