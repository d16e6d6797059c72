/* Side conditions on real terms: nonzero, positive, nonnegative; and facts out of the hypotheses,
 * clauses included. */
#include "pv_norm.h"
#include "src/base/mem.h"
#include <stdlib.h>

typedef uint32_t (*asker)(pv *p, uint32_t cx, ck_id x);

/* remembers answers, and that a question is being asked: asked again inside, it is given up */
static pv_thm asked(pv *prover, pv_ctx ctx, ck_id goal, asker f, ck_id x) {
  uint64_t v;
  uint64_t key = ((uint64_t)ctx << 32) | goal;
  if (as_map_get(&prover->rel_memo, AS_KEY(key, 1), &v)) {
    if (v == PV_NONE - 2) {
      prover->cut = true;
      return PV_NONE;
    }
    return (uint32_t)v;
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
  uint64_t v;
  pv_thm thm = pv_ctx_find(prover, ctx, goal);
  if (thm != PV_NONE)
    return thm;
  if (as_map_get(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | goal, 1), &v) &&
      v == PV_NONE - 3) {
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

/* --- sums: 0 <= body gives 0 <= sum; 0 < body and 0 < n give 0 < sum */
static pv_thm sum_sign(pv *prover, pv_ctx ctx, ck_id term, bool strict) {
  ck_id n = ck_kid(prover->terms, term, 0);
  ck_id k;
  ck_id z = prover->zero;
  ck_id body;
  pv_ctx inner = pv_ctx_bind(prover, ctx, n, &k);
  pv_thm n_nonneg = pv_follows(prover, ctx, strict ? pv_gt0(prover, n) : pv_ge0(prover, n));
  pv_thm divisor_pos;
  if (n_nonneg == PV_NONE)
    return PV_NONE;
  body = pv_sum_body(prover, term, k);
  divisor_pos = strict ? pv_positive(prover, inner, body) : pv_nonneg(prover, inner, body);
  if (divisor_pos == PV_NONE)
    return PV_NONE;
  ck_id k_next = pv_add(prover, k, prover->one);
  ck_id formula = pv_ge0(prover, sum_to(prover, k, body, k));
  pv_thm zero_le_zero = pv_by_value(prover, pv_ge0(prover, z));
  pv_thm k_nonneg = pv_hyp(prover, pv_ge0(prover, k));
  pv_thm base = pv_scaled(prover, pv_ge0(prover, sum_to(prover, k, body, z)), pv_num(prover, -1),
                          pv_zero(prover, sum_to(prover, k, body, z), zero_le_zero));
  pv_thm su = pv_succ(prover, sum_to(prover, k, body, k_next), k, k_nonneg);
  pv_thm assumed = pv_hyp(prover, formula);
  pv_summand summand[3] = {
      {pv_num(prover, -1), &su, 1}, {prover->one, &assumed, 1}, {prover->one, &divisor_pos, 1}};
  pv_thm step = pv_arith(prover, pv_ge0(prover, sum_to(prover, k, body, k_next)), summand, 3);
  if (!strict)
    return pv_induct(prover, k, n, 0, &formula, &base, &step, 1, n_nonneg);
  /* weakly up to n-1, then one step: bp at k := n-1 */
  ck_id last = pv_sub(prover, n, prover->one);
  pv_thm p0 = pv_int(prover, pv_ge0(prover, last), n_nonneg);
  pv_thm kl = pv_hyp(prover, pv_lt(prover, k, last));
  pv_summand w[2] = {{prover->one, &kl, 1}, {prover->one, NULL, 0}};
  pv_thm kn = pv_arith(prover, pv_lt(prover, k, n), w, 2);
  pv_thm step2 = pv_inst(prover, step, NULL, 0, NULL, 0, &kn, 1);
  pv_thm weak = pv_induct(prover, k, last, 0, &formula, &base, &step2, 1, p0);
  w[0].premises = NULL;
  w[0].count = 0;
  pv_thm ln = pv_arith(prover, pv_lt(prover, last, n), w, 1);
  pv_thm premises[2] = {p0, ln};
  pv_var_sub vars = {k, last};
  pv_thm bl = pv_inst(prover, divisor_pos, &vars, 1, NULL, 0, premises, 2);
  pv_thm s1 = pv_succ(prover, sum_to(prover, k, body, n), last, p0);
  pv_summand e[3] = {{pv_num(prover, -1), &s1, 1}, {prover->one, &weak, 1}, {prover->one, &bl, 1}};
  return pv_arith(prover, pv_gt0(prover, term), e, 3);
}

/* relation rel about ite(c, a, b) when it holds of a under c and of b under not c */
static pv_thm ite_sign(pv *prover, pv_ctx ctx, ck_id x, ck_op rel) {
  ck_id c = ck_kid(prover->terms, x, 0);
  ck_id part[2] = {ck_kid(prover->terms, x, 1), ck_kid(prover->terms, x, 2)};
  ck_id cond[2] = {c, ck_neg(prover->terms, c)};
  pv_thm cases[2];
  for (int i = 0; i < 2; i++) {
    pv_ctx inner = pv_ctx_push(prover, ctx, cond[i], CK_BAD);
    pv_thm thm =
        rel == CK_LT ? pv_positive(prover, inner, part[i]) : pv_nonneg(prover, inner, part[i]);
    pv_thm hyp = pv_hyp(prover, cond[i]);
    if (thm == PV_NONE)
      return PV_NONE;
    pv_thm l = pv_law(prover, i ? "ite0" : "ite1", &x, 1, hyp);
    pv_summand summand[2] = {{prover->one, &thm, 1}, {pv_num(prover, -1), &l, 1}};
    cases[i] = pv_arith(prover, pv_rel(prover, rel, prover->zero, x), summand, 2);
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

static pv_thm pos_atom(pv *prover, pv_ctx ctx, ck_id x) {
  ck_op head = ck_head(prover->terms, x);
  pv_var_sub vars = {pv_real_var(prover, "x"), CK_BAD};
  pv_thm thm = PV_NONE;
  if (ck_is_int(prover->terms, x)) {
    thm = pv_follows_int(prover, ctx, pv_gt0(prover, x));
  } else if (head == CK_EXP) {
    vars.term = ck_kid(prover->terms, x, 0);
    thm = pv_use_lemma(prover, PV_EXP_POS, &vars, 1, NULL, 0, NULL, 0);
  } else if (head == CK_INV || head == CK_SQRT) {
    vars.term = ck_kid(prover->terms, x, 0);
    pv_thm u = pv_positive(prover, ctx, vars.term);
    if (u != PV_NONE)
      thm =
          pv_use_lemma(prover, head == CK_INV ? PV_INV_POS : PV_SQRT_POS, &vars, 1, NULL, 0, &u, 1);
  } else if (pv_is_sum(prover, x)) {
    thm = sum_sign(prover, ctx, x, true);
  } else if (head == CK_ITE) {
    thm = ite_sign(prover, ctx, x, CK_LT);
  }
  if (thm == PV_NONE)
    thm = pv_fact_match(prover, ctx, CK_LT, x);
  if (thm == PV_NONE && head != CK_ITE && !pv_is_sum(prover, x) &&
      head != CK_EXP) { /* 0 <= x and x # 0 */
    pv_thm nonneg =
        head == CK_SQRT ? pv_nonneg(prover, ctx, x) : pv_fact_match(prover, ctx, CK_LE, x);
    pv_thm nonzero = nonneg == PV_NONE ? PV_NONE : pv_fact_match(prover, ctx, CK_NE, x);
    if (nonzero != PV_NONE)
      thm = pv_positive_of_nonzero(prover, x, nonneg, nonzero);
  }
  return thm;
}

static pv_thm nonneg_atom(pv *prover, pv_ctx ctx, ck_id x) {
  ck_op head = ck_head(prover->terms, x);
  pv_thm thm = PV_NONE;
  if (ck_is_int(prover->terms, x))
    return pv_follows_int(prover, ctx, pv_ge0(prover, x));
  if (head == CK_SQRT) {
    ck_id y = ck_kid(prover->terms, x, 0);
    pv_thm u = pv_nonneg(prover, ctx, y);
    return u == PV_NONE ? PV_NONE : pv_law(prover, "sqrt>", &y, 1, u);
  }
  if (pv_is_sum(prover, x))
    thm = sum_sign(prover, ctx, x, false);
  if (thm == PV_NONE && head == CK_ITE)
    thm = ite_sign(prover, ctx, x, CK_LE);
  if (thm == PV_NONE) {
    pv_thm u = pos_atom(prover, ctx, x);
    if (u != PV_NONE)
      thm = pv_scaled(prover, pv_ge0(prover, x), prover->one, u);
  }
  return thm == PV_NONE ? pv_fact_match(prover, ctx, CK_LE, x) : thm;
}

static pv_thm mul_step(pv *prover, ck_op rel, ck_id xy, pv_thm a, pv_thm b) {
  pv_thm ab[2] = {a, b};
  pv_summand summand = {rel == CK_NE ? pv_num(prover, -1) : prover->one, ab, 2};
  if (a == PV_NONE || b == PV_NONE)
    return PV_NONE;
  return pv_arith(prover, rel == CK_NE ? pv_ne0(prover, xy) : pv_rel(prover, rel, prover->zero, xy),
                  &summand, 1);
}

/* one monomial q*atoms; q > 0 unless rel is # */
static pv_thm mono_sign(pv *prover, pv_ctx ctx, const pv_mono *mono, ck_op rel) {
  ck_id term = mono->coef;
  pv_thm thm = rel == CK_NE ? pv_by_value(prover, pv_ne0(prover, mono->coef))
               : pv_const_sign(prover, mono->coef) > 0
                   ? pv_by_value(prover, pv_rel(prover, rel, prover->zero, mono->coef))
                   : PV_NONE;
  for (uint32_t i = 0; i < mono->degree && thm != PV_NONE; i++) {
    pv_thm a;
    ck_id x = mono->atoms[i];
    if (rel == CK_LE && i + 1 < mono->degree && mono->atoms[i + 1] == x) {
      pv_var_sub vars = {pv_real_var(prover, "x"), x};
      a = pv_use_lemma(prover, PV_SQUARE, &vars, 1, NULL, 0, NULL, 0);
      x = pv_mul(prover, x, x);
      i++;
    } else {
      a = rel == CK_NE   ? pv_nonzero(prover, ctx, x)
          : rel == CK_LT ? pv_positive(prover, ctx, x)
                         : pv_nonneg(prover, ctx, x);
    }
    term = pv_mul(prover, term, x);
    thm = mul_step(prover, rel, term, thm, a);
  }
  return thm;
}

static pv_thm pos_poly(pv *prover, pv_ctx ctx, ck_id x, bool strict) {
  pv_poly poly;
  pv_comb comb;
  bool some = false;
  bool ok = true;
  pv_thm thm = PV_NONE;
  pv_poly_init(&poly);
  pv_comb_init(&comb);
  pv_poly_read(prover, &poly, x);
  for (uint32_t i = 0; i < poly.count && ok; i++) {
    pv_thm u = strict ? mono_sign(prover, ctx, &poly.monos[i], CK_LT) : PV_NONE;
    if (u != PV_NONE)
      some = true;
    else
      u = mono_sign(prover, ctx, &poly.monos[i], CK_LE);
    if (u == PV_NONE)
      ok = false;
    else
      pv_comb_add(&comb, prover->one, u);
  }
  if (ok && (some || !strict))
    thm = pv_comb_prove(prover, &comb, strict ? pv_gt0(prover, x) : pv_ge0(prover, x));
  else
    pv_comb_clear(&comb);
  pv_poly_clear(&poly);
  return thm;
}

static pv_thm positive_now(pv *prover, pv_ctx ctx, ck_id x) {
  if (pv_is_atom(prover, x))
    return pos_atom(prover, ctx, x);
  pv_thm thm = pv_fact_match(prover, ctx, CK_LT, x);
  if (thm == PV_NONE && ck_is_int(prover->terms, x))
    thm = pv_follows_int(prover, ctx, pv_gt0(prover, x));
  return thm == PV_NONE ? pos_poly(prover, ctx, x, true) : thm;
}

/* squares as they were written, before they are multiplied out */
static pv_thm nonneg_now(pv *prover, pv_ctx ctx, ck_id x) {
  ck_op head = ck_head(prover->terms, x);
  if (pv_is_atom(prover, x))
    return nonneg_atom(prover, ctx, x);
  if (head == CK_Q)
    return pv_const_sign(prover, x) >= 0 ? pv_by_value(prover, pv_ge0(prover, x)) : PV_NONE;
  ck_id a = ck_kid(prover->terms, x, 0);
  ck_id b = ck_kid(prover->terms, x, 1);
  pv_thm thm;
  pv_thm u;
  pv_thm v;
  if (head == CK_MUL && a == b) {
    pv_var_sub sub = {pv_real_var(prover, "x"), a};
    return pv_use_lemma(prover, PV_SQUARE, &sub, 1, NULL, 0, NULL, 0);
  }
  thm = pv_fact_match(prover, ctx, CK_LE, x);
  if (thm == PV_NONE && ck_is_int(prover->terms, x))
    thm = pv_follows_int(prover, ctx, pv_ge0(prover, x));
  if (thm == PV_NONE)
    thm = pos_poly(prover, ctx, x, false);
  if (thm != PV_NONE)
    return thm;
  u = pv_nonneg(prover, ctx, a);
  v = u == PV_NONE ? PV_NONE : pv_nonneg(prover, ctx, b);
  if (v == PV_NONE)
    return PV_NONE;
  if (head == CK_MUL)
    return mul_step(prover, CK_LE, x, u, v);
  pv_summand summand[2] = {{prover->one, &u, 1}, {prover->one, &v, 1}};
  return pv_arith(prover, pv_ge0(prover, x), summand, 2);
}

/* sqrt x # 0 among the hypotheses, and 0 <= x: then x # 0 */
static pv_thm by_root(pv *prover, pv_ctx ctx, ck_id x) {
  ck_id r = pv_sqrt(prover, x);
  pv_thm nonzero = pv_fact_match(prover, ctx, CK_NE, r);
  pv_thm nonneg = nonzero == PV_NONE ? PV_NONE : pv_nonneg(prover, ctx, x);
  pv_thm two[2] = {nonzero, nonzero};
  if (nonneg == PV_NONE)
    return PV_NONE;
  pv_thm sq = pv_law(prover, "sqrt2", &x, 1, nonneg);
  pv_summand summand[2] = {{pv_num(prover, -1), two, 2}, {pv_num(prover, -1), &sq, 1}};
  return pv_arith(prover, pv_ne0(prover, x), summand, 2);
}

static pv_thm nonzero_now(pv *prover, pv_ctx ctx, ck_id x) {
  ck_op head = ck_head(prover->terms, x);
  pv_thm thm = pv_fact_match(prover, ctx, CK_NE, x);
  if (thm != PV_NONE)
    return thm;
  if (head == CK_Q)
    return pv_const_sign(prover, x) ? pv_by_value(prover, pv_ne0(prover, x)) : PV_NONE;
  if (!ck_is_int(prover->terms, x) && (thm = by_root(prover, ctx, x)) != PV_NONE)
    return thm;
  if (head == CK_INV) {
    pv_var_sub vars = {pv_real_var(prover, "x"), ck_kid(prover->terms, x, 0)};
    pv_thm u = pv_nonzero(prover, ctx, vars.term);
    return u == PV_NONE ? PV_NONE : pv_use_lemma(prover, PV_INV_NE, &vars, 1, NULL, 0, &u, 1);
  }
  if (ck_is_int(prover->terms, x))
    return pv_follows_int(prover, ctx, pv_ne0(prover, x));
  if (pv_is_atom(prover, x)) {
    thm = pv_positive(prover, ctx, x);
  } else {
    pv_poly poly;
    pv_poly_init(&poly);
    pv_poly_read(prover, &poly, x);
    if (poly.count == 1) {
      pv_thm u = mono_sign(prover, ctx, &poly.monos[0], CK_NE);
      if (u != PV_NONE)
        thm = pv_restate(prover, pv_ne0(prover, x), u);
    }
    bool multi = poly.count > 1;
    pv_poly_clear(&poly);
    if (thm != PV_NONE || !multi)
      return thm;
    thm = pv_positive(prover, ctx, x);
    if (thm == PV_NONE) {
      ck_id n = pv_canon(prover, pv_neg(prover, x));
      thm = pos_poly(prover, ctx, n, true);
      return thm == PV_NONE ? PV_NONE : pv_scaled(prover, pv_ne0(prover, x), prover->one, thm);
    }
  }
  return thm == PV_NONE ? PV_NONE : pv_scaled(prover, pv_ne0(prover, x), pv_num(prover, -1), thm);
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
  ck_id a = ck_kid(prover->terms, formula, 0);
  ck_id b = ck_kid(prover->terms, formula, 1);
  ck_id d;
  pv_thm thm = PV_NONE;
  bool left0 = a == prover->zero;
  bool right0 = b == prover->zero;
  if (head == CK_EQ)
    return PV_NONE;
  if (head == CK_NE)
    d = right0 ? a : left0 ? b : pv_sub(prover, b, a);
  else
    d = left0 ? b : pv_sub(prover, b, a);
  asker q = head == CK_NE ? pv_nonzero : head == CK_LT ? pv_positive : pv_nonneg;
  if (head == CK_LE && left0)
    thm = pv_nonneg(prover, ctx, d); /* as written */
  if (thm == PV_NONE) {
    pv_eqn eqn = pv_norm(prover, ctx, d);
    if (eqn.by == PV_NONE)
      return PV_NONE;
    thm = q(prover, ctx, eqn.to);
    if (thm != PV_NONE && eqn.by != PV_REFL) { /* from 0 < e.t to 0 < d; e: d = e.t */
      pv_comb comb;
      pv_comb_init(&comb);
      pv_comb_add(&comb, prover->one, thm);
      pv_comb_add(&comb, head == CK_NE ? prover->one : pv_num(prover, -1), eqn.by);
      thm = pv_comb_prove(
          prover, &comb, head == CK_NE ? pv_ne0(prover, d) : pv_rel(prover, head, prover->zero, d));
    }
  }
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
    pv_eqn a = pv_norm(prover, ctx, ck_kid(prover->terms, formula, 0));
    pv_eqn b = pv_norm(prover, ctx, ck_kid(prover->terms, formula, 1));
    if (a.by != PV_NONE && b.by != PV_NONE && (a.by != PV_REFL || b.by != PV_REFL)) {
      ck_id g = pv_rel(prover, ck_head(prover->terms, formula), a.to, b.to);
      pv_thm u = pv_ctx_find(prover, ctx, g);
      if (u == PV_NONE)
        u = pv_follows_int(prover, ctx, g);
      if (u != PV_NONE) {
        pv_comb comb;
        pv_comb_init(&comb); /* f: b0-a0 = (b-a) + (a - a0) - (b - b0) */
        pv_comb_add(&comb, prover->one, u);
        pv_comb_add(&comb, prover->one, a.by);
        pv_comb_add(&comb, pv_num(prover, -1), b.by);
        return pv_comb_prove(prover, &comb, formula);
      }
    }
  }
  if (thm == PV_NONE && !ints)
    thm = real_rel(prover, ctx, formula);
  return thm == PV_NONE ? pv_lp_prove(prover, ctx, formula) : thm;
}
