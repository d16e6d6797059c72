/* Normal form of ite.  Decided conditions go; equal branches go.  A condition on integers, or an
 * equation, becomes 0 <= E or 0 = E, and ite(c, u, 0) becomes u*ite(c, 1, 0).  Any other condition
 * becomes 0 <= E or 0 < E with E free of positive factors and with a positive leading coefficient,
 * and ite(c, u, v) becomes v + m*ite(c', w0, 0) where u - v = m*w0.  So maximum, minimum, absolute
 * value and relu meet in one form, whichever way they were written, and positive factors come out
 * of them. */
#include "pv_norm.h"
#include <string.h>

enum { MAXF = 24 };

typedef struct {
  ck_id whole;
  ck_id primitive;
  ck_id pos;
  int sign;
  pv_thm by;
  pv_thm pos_thm;
} signed_split; /* D = sign*pos*E by eq (PV_REFL: polynomial identity); posp: 0 < pos */

static bool split_sign(pv *prover, pv_ctx ctx, ck_id diff, signed_split *split) {
  ck_id formula[MAXF + 1];
  ck_id pos = prover->one;
  ck_id rest = prover->one;
  uint32_t n = pv_poly_content(prover, diff, formula, MAXF);
  if (n == 0) {
    formula[0] = diff;
    n = 1;
  }
  split->whole = diff;
  split->sign = 1;
  split->pos_thm = pv_by_value(prover, pv_gt0(prover, prover->one));
  for (uint32_t i = 0; i < n; i++) {
    pv_thm g;
    if (pv_is_const(prover, formula[i])) {
      if (pv_const_sign(prover, formula[i]) == 0)
        return false;
      if (pv_const_sign(prover, formula[i]) < 0) {
        split->sign = -split->sign;
        formula[i] = pv_const_mul(prover, formula[i], pv_num(prover, -1));
      }
      if (pv_is_one(prover, formula[i]))
        continue;
      g = pv_by_value(prover, pv_gt0(prover, formula[i]));
    } else {
      g = n == 1 ? PV_NONE : pv_positive(prover, ctx, formula[i]);
    }
    if (g == PV_NONE) {
      rest = pv_is_one(prover, rest) ? formula[i] : pv_mul(prover, rest, formula[i]);
      continue;
    }
    pv_thm two[2] = {split->pos_thm, g};
    pv_summand summand = {prover->one, two, 2};
    pos = pv_mul(prover, pos, formula[i]);
    split->pos_thm = pv_arith(prover, pv_gt0(prover, pos), &summand, 1);
  }
  pv_eqn result = pv_norm_poly(prover, ctx, rest);
  if (result.by == PV_NONE || pv_is_const(prover, result.to))
    return false;
  split->primitive = result.to;
  split->pos = pos;
  ck_id back = pv_mul(prover, pv_num(prover, split->sign), pv_mul(prover, pos, split->primitive));
  pv_eqn b = pv_norm_poly(prover, ctx, back);
  if (b.by == PV_NONE || b.to != diff || split->pos_thm == PV_NONE)
    return false;
  split->by = b.by; /* back = D */
  return true;
}

/* theorem h about D (`0 <= D` and the like, D on the side given by low: true 0 rel D) carried over
 * to E: the same relation, turned if sign < 0 */
static pv_thm carry(pv *prover, const signed_split *split, ck_op head, bool low, pv_thm hyp) {
  bool elow = split->sign > 0 ? low : !low;
  ck_id goal = elow ? pv_rel(prover, head, prover->zero, split->primitive)
                    : pv_rel(prover, head, split->primitive, prover->zero);
  ck_id ip = pv_inv(prover, split->pos);
  pv_var_sub vars = {pv_real_var(prover, "x"), split->pos};
  pv_thm pi = pv_use_lemma(prover, PV_INV_POS, &vars, 1, NULL, 0, &split->pos_thm, 1);
  pv_thm nonzero =
      pv_scaled(prover, pv_ne0(prover, split->pos), pv_num(prover, -1), split->pos_thm);
  pv_thm li = pv_law(prover, "inv", &split->pos, 1, nonzero);
  /* value of h: +-D = +-sign*pos*E; of the goal: +-E, the same sign after turning */
  ck_id val = elow ? split->primitive : pv_neg(prover, split->primitive);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, pi, hyp);
  pv_comb_add(&comb, val, li); /* val*(1 - pos*inv pos) */
  pv_comb_add(&comb, low ? pv_neg(prover, ip) : ip,
              split->by); /* eq: sign*pos*E = D, value D - sign*pos*E */
  return pv_comb_prove(prover, &comb, goal);
}

/* w = m*w0; quot*E = w if E divides w, else CK_BAD */
static void factor_branch(pv *prover, ck_id w, ck_id E, ck_id *m, ck_id *w0, ck_id *quot) {
  ck_id formula[MAXF + 1];
  uint32_t n = pv_poly_content(prover, w, formula, MAXF);
  bool sum = ck_head(prover->terms, w) == CK_ADD;
  *m = prover->one;
  *w0 = w;
  *quot = CK_BAD;
  if (n == 0) {
    formula[0] = w;
    n = 1;
  }
  if (!sum) { /* one monomial: E comes last if it is there */
    *w0 = prover->one;
    for (uint32_t i = 0; i < n; i++) {
      if (formula[i] == E && *w0 == prover->one)
        *w0 = E;
      else
        *m = pv_mul(prover, *m, formula[i]);
    }
  } else {
    for (uint32_t i = 0; i + 1 < n; i++)
      *m = pv_mul(prover, *m, formula[i]);
    *w0 = formula[n - 1];
  }
  if (*w0 == E)
    *quot = *m;
}

/* t = ite(c, u, v) with normal parts, c a real order relation */
static pv_eqn canon_ite(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id c = ck_kid(prover->terms, term, 0);
  ck_id u = ck_kid(prover->terms, term, 1);
  ck_id v = ck_kid(prover->terms, term, 2);
  ck_id a = ck_kid(prover->terms, c, 0);
  ck_id b = ck_kid(prover->terms, c, 1);
  ck_id diff = pv_canon(prover, pv_sub(prover, b, a));
  ck_op head = ck_head(prover->terms, c);
  ck_op oc;
  signed_split split;
  if ((head != CK_LE && head != CK_LT) || !split_sign(prover, ctx, diff, &split))
    return pv_same(term);
  bool turn = split.sign < 0;
  ck_id u1 = turn ? v : u;
  ck_id v1 = turn ? u : v;
  ck_id w = pv_canon(prover, pv_sub(prover, u1, v1));
  ck_id m;
  ck_id w0;
  ck_id quot;
  oc = turn ? (head == CK_LE ? CK_LT : CK_LE) : head;
  factor_branch(prover, w, split.primitive, &m, &w0, &quot);
  pv_eqn mw = pv_norm_poly(prover, ctx, pv_mul(prover, m, w0));
  if (mw.by == PV_NONE)
    return pv_fail();
  if (mw.to != w) {
    m = prover->one;
    w0 = w;
    quot = CK_BAD;
    mw.by = PV_REFL;
  }
  if (quot != CK_BAD)
    oc = CK_LE;
  ck_id c1 = pv_rel(prover, oc, prover->zero, split.primitive);
  ck_id nc1 = ck_neg(prover->terms, c1);
  ck_id I = ck_ite(prover->terms, c1, w0, prover->zero);
  ck_id T = pv_add(prover, v1, pv_mul(prover, m, I));
  pv_thm cases[2];
  if (I == CK_BAD || pv_canon(prover, T) == term)
    return pv_same(term);
  if (pv_is_zero(prover, v) && I == term)
    return pv_same(term);
  for (int i = 0; i < 2; i++) { /* c holds; c does not */
    ck_id h = i ? ck_neg(prover->terms, c) : c;
    ck_id X = i ? v : u;
    ck_op ho = ck_head(prover->terms, h);
    pv_thm hs = pv_hyp(prover, h);
    pv_thm law = pv_law(prover, i ? "ite0" : "ite1", &term, 1, hs);
    pv_thm fact;
    pv_thm yes;
    pv_thm no = PV_NONE;
    pv_thm zero = PV_NONE;
    bool low = !i; /* c: 0 rel D; not c: D rel' 0 */
    fact = carry(prover, &split, ho, low,
                 pv_restate(prover,
                            low ? pv_rel(prover, ho, prover->zero, diff)
                                : pv_rel(prover, ho, diff, prover->zero),
                            hs));
    if (fact == PV_NONE)
      return pv_fail();
    bool elow = (split.sign > 0) == low;
    ck_op fo = ck_head(prover->terms, pv_says(prover, fact));
    pv_thm proof[2] = {PV_NONE, PV_NONE};
    /* which value has I?  yes: c1 holds; no: it does not */
    yes = elow ? (pv_says(prover, fact) == c1  ? fact
                  : fo == CK_LT && oc == CK_LE ? pv_scaled(prover, c1, prover->one, fact)
                                               : PV_NONE)
               : PV_NONE;
    if (!elow)
      no = pv_says(prover, fact) == nc1 ? fact : PV_NONE;
    if (!elow && no == PV_NONE && fo == CK_LT && oc == CK_LT)
      no = pv_scaled(prover, nc1, prover->one, fact);
    if (yes == PV_NONE && no == PV_NONE) { /* the boundary: E <= 0 against 0 <= E */
      if (elow || oc != CK_LE || quot == CK_BAD)
        return pv_same(term);
      yes = pv_hyp(prover, c1);
      zero = pv_antisym(prover, fact, yes);
      no = pv_hyp(prover, nc1);
    }
    for (int k = 0; k < 2; k++) {
      pv_thm st = k ? no : yes;
      pv_comb comb;
      if (st == PV_NONE)
        continue;
      pv_thm li = pv_law(prover, k ? "ite0" : "ite1", &I, 1, st);
      pv_comb_init(&comb);
      pv_comb_add(&comb, prover->one, law);
      pv_comb_add(&comb, pv_neg(prover, m),
                  li); /* T - t = (X - t) - m*(val - I) + (v1 + m*val - X) */
      if (!k && X == u1)
        pv_comb_add(&comb, pv_num(prover, -1),
                    mw.by); /* m*w0 = w: value w - m*w0; v1 + m*w0 - u1 = m*w0 - w */
      if (!k && X != u1)
        pv_comb_add(&comb, pv_neg(prover, quot),
                    zero); /* v1 + m*w0 - v1 = quot*E; zero: E = 0, value -E */
      proof[k] = pv_comb_prove(prover, &comb, pv_eq(prover, term, T));
    }
    cases[i] = yes != PV_NONE && no != PV_NONE ? pv_cases(prover, c1, proof[0], proof[1])
                                               : proof[yes != PV_NONE ? 0 : 1];
    if (cases[i] == PV_NONE)
      return pv_same(term);
  }
  pv_eqn eqn = {T, pv_cases(prover, c, cases[0], cases[1])};
  if (eqn.by == PV_NONE)
    return pv_same(term);
  if (pv_follows(prover, ctx, c1) != PV_NONE || pv_follows(prover, ctx, nc1) != PV_NONE)
    return pv_then(prover, eqn, pv_norm(prover, ctx, T));
  pv_mark_normal(prover, ctx, I);
  return pv_then(prover, eqn, pv_norm_poly(prover, ctx, T));
}

/* --- conditions on integers, and equations: 0 <= E or 0 = E with a positive leading coefficient */
/* c proved from the old condition (yes), its negation from the other (no); turn: the other way
 * round */
typedef struct {
  ck_id cond;
  bool turn;
  pv_thm yes;
  pv_thm no;
} turned;

static bool turn_cond(pv *prover, ck_id c, turned *turn) {
  ck_op head = ck_head(prover->terms, c);
  ck_id a = ck_kid(prover->terms, c, 0);
  ck_id b = ck_kid(prover->terms, c, 1);
  ck_id E = pv_canon(prover, pv_sub(prover, b, a));
  ck_id lead = E;
  ck_id formula;
  bool ints = ck_is_int(prover->terms, a) && ck_is_int(prover->terms, b);
  pv_thm hyp = pv_hyp(prover, c);
  pv_thm n = pv_hyp(prover, ck_neg(prover->terms, c));
  pv_poly other;
  int sign;
  if ((head == CK_LE || head == CK_LT) && !ints)
    return false;
  while (ck_head(prover->terms, lead) == CK_ADD)
    lead = ck_kid(prover->terms, lead, 0);
  pv_poly_init(&other);
  pv_poly_read(prover, &other, lead);
  if (other.count == 1 &&
      other.monos[0].degree == 0) { /* a constant comes first: the next monomial counts */
    pv_poly_read(prover, &other, E);
    ck_id best = CK_BAD;
    sign = 1;
    for (uint32_t i = 0; i < other.count; i++) {
      ck_id m = pv_mono_term(prover, prover->one, other.monos[i].atoms, other.monos[i].degree);
      if (other.monos[i].degree && (best == CK_BAD || pv_order(prover, m, best) > 0)) {
        best = m;
        sign = pv_const_sign(prover, other.monos[i].coef);
      }
    }
  } else {
    sign = other.count ? pv_const_sign(prover, other.monos[0].coef) : 1;
  }
  pv_poly_clear(&other);
  if (pv_is_const(prover, E))
    return false;
  if (head == CK_EQ || head == CK_NE) {
    if (sign < 0)
      E = pv_canon(prover, pv_neg(prover, E));
    formula = pv_eq(prover, prover->zero, E);
    turn->cond = formula;
    turn->turn = head == CK_NE;
    if (turn->turn) {
      pv_thm x = hyp;
      hyp = n;
      n = x;
    } /* h: the equation, n: that it does not hold */
    turn->yes = pv_scaled(prover, formula, pv_num(prover, sign), hyp);
    turn->no = pv_scaled(prover, ck_neg(prover->terms, formula), pv_num(prover, sign), n);
    return turn->yes != PV_NONE && turn->no != PV_NONE;
  }
  /* a < b: 0 <= E - 1; its negation turned: 0 <= -E; a <= b: 0 <= E, turned 0 <= -E - 1 */
  ck_id e = head == CK_LT ? pv_sub(prover, E, prover->one) : E;
  ck_id one = prover->one;
  turn->turn = sign < 0;
  if (turn->turn) {
    pv_thm x = hyp;
    hyp = n;
    n = x;
    e = pv_sub(prover, pv_neg(prover, e), one);
  }
  formula = pv_ge0(prover, pv_canon(prover, e));
  /* h and n are a strict and a weak relation, in either order */
  bool strict = ck_head(prover->terms, pv_says(prover, hyp)) == CK_LT;
  pv_summand summand[2] = {{one, &n, 1}, {one, NULL, 0}};
  turn->cond = formula;
  turn->yes = strict ? pv_int(prover, formula, hyp) : pv_restate(prover, formula, hyp);
  turn->no = strict ? pv_arith(prover, ck_neg(prover->terms, formula), summand, 2)
                    : pv_restate(prover, ck_neg(prover->terms, formula), n);
  return turn->yes != PV_NONE && turn->no != PV_NONE;
}

/* positive factors of E taken out of a condition 0 <= E or 0 = E: what holds of g*E' holds of E' */
static void reduce_cond(pv *prover, pv_ctx ctx, turned *turn) {
  for (bool more = true; more;) {
    ck_id E = ck_kid(prover->terms, turn->cond, 1);
    ck_op head = ck_head(prover->terms, turn->cond);
    ck_op no;
    pv_poly poly;
    more = false;
    pv_poly_init(&poly);
    pv_poly_read(prover, &poly, E);
    for (uint32_t i = 0; poly.count && i < poly.monos[0].degree && !more; i++) {
      ck_id g = poly.monos[0].atoms[i];
      ck_id e = pv_poly_quotient(prover, E, g);
      ck_id ig;
      ck_id goal;
      ck_id ngoal;
      pv_thm gp;
      pv_thm ip;
      pv_thm nonzero;
      pv_thm li;
      pv_thm yes;
      pv_thm neg;
      pv_var_sub vars = {pv_real_var(prover, "x"), g};
      if (e == CK_BAD || pv_is_const(prover, e) ||
          (gp = pv_follows(prover, ctx, pv_gt0(prover, g))) == PV_NONE)
        continue;
      ig = pv_inv(prover, g);
      goal = pv_rel(prover, head, prover->zero, e);
      ngoal = ck_neg(prover->terms, goal);
      no = ck_head(prover->terms, ngoal);
      ip = pv_use_lemma(prover, PV_INV_POS, &vars, 1, NULL, 0, &gp, 1);
      nonzero = pv_scaled(prover, pv_ne0(prover, g), pv_num(prover, -1), gp);
      li = pv_law(prover, "inv", &g, 1, nonzero); /* g*inv g = 1 */
      pv_comb comb;
      pv_comb_init(&comb); /* e = inv g * (g*e) + e*(1 - g*inv g) */
      if (head == CK_EQ)
        pv_comb_add(&comb, ig, turn->yes);
      else
        pv_comb_add_product(&comb, prover->one, ip, turn->yes);
      pv_comb_add(&comb, e, li);
      yes = pv_comb_prove(prover, &comb, goal);
      pv_comb_init(&comb);
      pv_comb_add_product(&comb, prover->one, ip, turn->no);
      pv_comb_add(&comb, no == CK_NE ? e : pv_neg(prover, e), li);
      neg = pv_comb_prove(prover, &comb, ngoal);
      if (yes == PV_NONE || neg == PV_NONE)
        continue;
      turn->cond = goal;
      turn->yes = yes;
      turn->no = neg;
      more = true;
    }
    pv_poly_clear(&poly);
  }
}

/* an index or counter, which no source file can name, in t */
static bool has_index(pv *prover, ck_id term) {
  if (ck_head(prover->terms, term) == CK_V)
    return ck_word_text(prover->terms, ck_name(prover->terms, term))[0] == '$';
  for (uint32_t i = 0, n = ck_nkids(prover->terms, term); i < n; i++) {
    if (has_index(prover, ck_kid(prover->terms, term, i)))
      return true;
  }
  return false;
}

/* x is a counter of the prover's, by itself or with what is free of counters added */
static bool counted(pv *prover, ck_id x) {
  pv_poly poly;
  uint32_t n = 0;
  bool ok = true;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, x);
  for (uint32_t i = 0; i < poly.count; i++) {
    for (uint32_t j = 0; j < poly.monos[i].degree; j++) {
      ck_id a = poly.monos[i].atoms[j];
      bool counter = ck_head(prover->terms, a) == CK_V &&
                     !strncmp(ck_word_text(prover->terms, ck_name(prover->terms, a)), "$$x", 3);
      if (counter) {
        n++;
        ok = ok && poly.monos[i].degree == 1;
      } else if (has_index(prover, a) && ck_head(prover->terms, a) != CK_V) {
        ok = false;
      }
    }
  }
  pv_poly_clear(&poly);
  return ok && n > 0;
}

/* bounds of a counter divided become bounds of the counter: 0 <= R - x div d as 0 <= d*R + d-1 - x;
 * 0 <= R + x div d as 0 <= d*R + x */
static bool linear_cond(pv *prover, pv_ctx ctx, turned *turn) {
  ck_id E = ck_kid(prover->terms, turn->cond, 1);
  ck_id diff = CK_BAD;
  ck_id x;
  ck_id d;
  ck_id R;
  ck_id e;
  ck_id goal;
  ck_id one = prover->one;
  pv_poly poly;
  bool plus = false;
  pv_thm dp;
  pv_thm yes;
  pv_thm no;
  if (ck_head(prover->terms, turn->cond) != CK_LE)
    return false;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, E);
  for (uint32_t i = 0; i < poly.count && diff == CK_BAD; i++) {
    if (poly.monos[i].degree == 1 && ck_head(prover->terms, poly.monos[i].atoms[0]) == CK_DIV &&
        (pv_is_one(prover, poly.monos[i].coef) || poly.monos[i].coef == pv_num(prover, -1))) {
      diff = poly.monos[i].atoms[0];
      plus = pv_is_one(prover, poly.monos[i].coef);
    }
  }
  pv_poly_clear(&poly);
  if (diff == CK_BAD)
    return false;
  x = ck_kid(prover->terms, diff, 0);
  d = ck_kid(prover->terms, diff, 1);
  R = pv_canon(prover, plus ? pv_sub(prover, E, diff) : pv_add(prover, E, diff));
  if (pv_occurs(prover, R, diff) || !counted(prover, x) || has_index(prover, R) ||
      (dp = pv_follows(prover, ctx, pv_gt0(prover, d))) == PV_NONE)
    return false;
  ck_id xd[2] = {x, d};
  pv_thm l = pv_law(prover, "div", xd, 2, dp);
  pv_thm lo = pv_law(prover, "mod>", xd, 2, dp);
  pv_thm hi = pv_law(prover, "mod<", xd, 2, dp);
  pv_thm hi1 = pv_tighten(prover, hi);
  pv_thm no1 = pv_tighten(prover, turn->no);
  e = pv_canon(
      prover,
      plus ? pv_add(prover, x, pv_mul(prover, d, R))
           : pv_sub(prover, pv_add(prover, pv_mul(prover, d, R), pv_sub(prover, d, one)), x));
  goal = pv_ge0(prover, e);
  pv_comb comb;
  pv_comb_init(&comb); /* the law: x = d*D + mod, of value d*D + mod - x */
  pv_comb_add_product(&comb, one, dp, turn->yes);
  pv_comb_add(&comb, one, plus ? lo : hi1);
  pv_comb_add(&comb, plus ? pv_num(prover, -1) : one, l);
  yes = pv_comb_prove(prover, &comb, goal);
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, one, dp, no1);
  pv_comb_add(&comb, one, plus ? hi : lo);
  pv_comb_add(&comb, plus ? one : pv_num(prover, -1), l);
  if (!plus) {
    pv_summand summand = {one, NULL, 0};
    as_vec_push(&comb.summands, &summand);
  }
  no = pv_comb_prove(prover, &comb, ck_neg(prover->terms, goal));
  if (yes == PV_NONE || no == PV_NONE)
    return false;
  turn->cond = goal;
  turn->yes = yes;
  turn->no = no;
  return true;
}

/* t = ite(c, u, v) with normal parts: condition in one form; what stands beside a zero taken out of
 * it */
static pv_eqn canon_cond(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id c = ck_kid(prover->terms, term, 0);
  ck_id u = ck_kid(prover->terms, term, 1);
  ck_id v = ck_kid(prover->terms, term, 2);
  ck_id m = prover->one;
  ck_id x;
  ck_id y;
  ck_id I;
  ck_id w;
  turned turn;
  if (!turn_cond(prover, c, &turn))
    return pv_same(term);
  for (int i = 0; i < 4; i++) {
    reduce_cond(prover, ctx, &turn);
    if (!linear_cond(prover, ctx, &turn))
      break;
  }
  x = turn.turn ? v : u;
  y = turn.turn ? u : v;
  if (pv_is_zero(prover, y) && !pv_is_one(prover, x)) {
    m = x;
    x = prover->one;
  } else if (pv_is_zero(prover, x) && !pv_is_one(prover, y)) {
    m = y;
    y = prover->one;
  }
  I = ck_ite(prover->terms, turn.cond, x, y);
  w = pv_is_one(prover, m) ? I : pv_canon(prover, pv_mul(prover, m, I));
  if (I == CK_BAD || w == term)
    return pv_same(term);
  pv_thm cases[2];
  for (int i = 0; i < 2; i++) { /* i: c does not hold */
    bool first = (i == 0) != turn.turn;
    pv_comb comb;
    pv_thm l = pv_law(prover, i ? "ite0" : "ite1", &term, 1,
                      pv_hyp(prover, i ? ck_neg(prover->terms, c) : c));
    pv_thm li = pv_law(prover, first ? "ite1" : "ite0", &I, 1, first ? turn.yes : turn.no);
    pv_comb_init(&comb); /* t = old branch = m*val = m*I */
    pv_comb_add(&comb, prover->one, l);
    pv_comb_add(&comb, pv_neg(prover, m), li);
    cases[i] = pv_comb_prove(prover, &comb, pv_eq(prover, term, w));
  }
  pv_eqn eqn = {w, pv_cases(prover, c, cases[0], cases[1])};
  if (eqn.by == PV_NONE)
    return pv_same(term);
  if (pv_follows(prover, ctx, turn.cond) != PV_NONE ||
      pv_follows(prover, ctx, ck_neg(prover->terms, turn.cond)) != PV_NONE)
    return pv_then(prover, eqn, pv_norm(prover, ctx, w));
  pv_mark_normal(prover, ctx, I);
  return pv_then(prover, eqn, pv_norm_poly(prover, ctx, w));
}

pv_eqn pv_norm_ite(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id c = ck_kid(prover->terms, term, 0);
  uint32_t np = 0;
  pv_thm premises[4];
  pv_eqn k[4];
  pv_eqn eqn = pv_same(term);
  ck_id part[4] = {ck_kid(prover->terms, c, 0), ck_kid(prover->terms, c, 1),
                   ck_kid(prover->terms, term, 1), ck_kid(prover->terms, term, 2)};
  pv_thm yes = pv_follows(prover, ctx, c);
  pv_thm no = yes == PV_NONE ? pv_follows(prover, ctx, ck_neg(prover->terms, c)) : PV_NONE;
  if (yes != PV_NONE || no != PV_NONE) {
    eqn.to = part[yes != PV_NONE ? 2 : 3];
    eqn.by = pv_law(prover, yes != PV_NONE ? "ite1" : "ite0", &term, 1, yes != PV_NONE ? yes : no);
    return eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
  }
  for (int i = 0; i < 4; i++) {
    k[i] = pv_norm(prover, ctx, part[i]);
    if (k[i].by == PV_NONE)
      return pv_fail();
    if (k[i].by != PV_REFL)
      premises[np++] = k[i].by;
  }
  if (np) {
    ck_id c2 = pv_rel(prover, ck_head(prover->terms, c), k[0].to, k[1].to);
    eqn.to = ck_ite(prover->terms, c2, k[2].to, k[3].to);
    eqn.by = pv_cong(prover, term, eqn.to, premises, np);
    if (eqn.by == PV_NONE)
      return pv_fail();
  }
  if (k[2].to == k[3].to) {
    ck_id c2 = ck_kid(prover->terms, eqn.to, 0);
    pv_thm a = pv_law(prover, "ite1", &eqn.to, 1, pv_hyp(prover, c2));
    pv_thm b = pv_law(prover, "ite0", &eqn.to, 1, pv_hyp(prover, ck_neg(prover->terms, c2)));
    pv_eqn f = {k[2].to, pv_cases(prover, c2, a, b)};
    return f.by == PV_NONE ? eqn : pv_then(prover, eqn, f);
  }
  ck_op head = ck_head(prover->terms, c);
  bool order = head == CK_LE || head == CK_LT;
  pv_eqn result = order && !(ck_is_int(prover->terms, k[0].to) && ck_is_int(prover->terms, k[1].to))
                      ? canon_ite(prover, ctx, eqn.to)
                      : canon_cond(prover, ctx, eqn.to);
  return result.by == PV_NONE ? eqn : pv_then(prover, eqn, result);
}
