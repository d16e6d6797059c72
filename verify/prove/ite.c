/* Normal form of ite.  Decided conditions go; equal branches go.  A condition on integers, or an
 * equation, becomes 0 <= E or 0 = E, and ite(c, u, 0) becomes u*ite(c, 1, 0).  Conditions that
 * order reals: ite_order.c. */
#include "pv_norm.h"

enum { MAXF = 24 };

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
  ck_id left = ck_kid(prover->terms, c, 0);
  ck_id right = ck_kid(prover->terms, c, 1);
  ck_id diff = pv_canon(prover, pv_sub(prover, right, left));
  ck_id lead = diff;
  ck_id formula;
  bool ints = ck_is_int(prover->terms, left) && ck_is_int(prover->terms, right);
  pv_thm hyp = pv_hyp(prover, c);
  pv_thm no_hyp = pv_hyp(prover, ck_neg(prover->terms, c));
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
    pv_poly_read(prover, &other, diff);
    ck_id best = CK_BAD;
    sign = 1;
    for (uint32_t i = 0; i < other.count; i++) {
      ck_id summands =
          pv_mono_term(prover, prover->one, other.monos[i].atoms, other.monos[i].degree);
      if (other.monos[i].degree && (best == CK_BAD || pv_order(prover, summands, best) > 0)) {
        best = summands;
        sign = pv_const_sign(prover, other.monos[i].coef);
      }
    }
  } else {
    sign = other.count ? pv_const_sign(prover, other.monos[0].coef) : 1;
  }
  pv_poly_clear(&other);
  if (pv_is_const(prover, diff) || hyp == PV_NONE || no_hyp == PV_NONE)
    return false;
  if (head == CK_EQ || head == CK_NE) {
    if (sign < 0)
      diff = pv_canon(prover, pv_neg(prover, diff));
    formula = pv_eq(prover, prover->zero, diff);
    turn->cond = formula;
    turn->turn = head == CK_NE;
    if (turn->turn) {
      pv_thm swap = hyp;
      hyp = no_hyp;
      no_hyp = swap;
    } /* h: the equation, n: that it does not hold */
    turn->yes = pv_scaled(prover, formula, pv_num(prover, sign), hyp);
    turn->no = pv_scaled(prover, ck_neg(prover->terms, formula), pv_num(prover, sign), no_hyp);
    return turn->yes != PV_NONE && turn->no != PV_NONE;
  }
  /* a < b: 0 <= E - 1; its negation turned: 0 <= -E; a <= b: 0 <= E, turned 0 <= -E - 1 */
  ck_id value = head == CK_LT ? pv_sub(prover, diff, prover->one) : diff;
  ck_id one = prover->one;
  turn->turn = sign < 0;
  if (turn->turn) {
    pv_thm swap = hyp;
    hyp = no_hyp;
    no_hyp = swap;
    value = pv_sub(prover, pv_neg(prover, value), one);
  }
  formula = pv_ge0(prover, pv_canon(prover, value));
  /* h and n are a strict and a weak relation, in either order */
  bool strict = ck_head(prover->terms, pv_says(prover, hyp)) == CK_LT;
  pv_summand summand[2] = {{one, &no_hyp, 1}, {one, NULL, 0}};
  turn->cond = formula;
  turn->yes = strict ? pv_int(prover, formula, hyp) : pv_restate(prover, formula, hyp);
  turn->no = strict ? pv_arith(prover, ck_neg(prover->terms, formula), summand, 2)
                    : pv_restate(prover, ck_neg(prover->terms, formula), no_hyp);
  return turn->yes != PV_NONE && turn->no != PV_NONE;
}

/* positive factors of E taken out of a condition 0 <= E or 0 = E: what holds of g*E' holds of E' */
static void reduce_cond(pv *prover, pv_ctx ctx, turned *turn) {
  for (bool more = true; more;) {
    ck_id primitive = ck_kid(prover->terms, turn->cond, 1);
    ck_op head = ck_head(prover->terms, turn->cond);
    ck_op neg_rel;
    pv_poly poly;
    more = false;
    pv_poly_init(&poly);
    pv_poly_read(prover, &poly, primitive);
    for (uint32_t i = 0; poly.count && i < poly.monos[0].degree && !more; i++) {
      ck_id factor = poly.monos[0].atoms[i];
      ck_id quotient = pv_poly_quotient(prover, primitive, factor);
      ck_id inv_factor;
      ck_id goal;
      ck_id ngoal;
      pv_thm factor_pos;
      pv_thm inv_pos;
      pv_thm nonzero;
      pv_thm cancel;
      pv_thm yes;
      pv_thm no;
      pv_var_sub vars = {pv_real_var(prover, "x"), factor};
      if (quotient == CK_BAD || pv_is_const(prover, quotient) ||
          (factor_pos = pv_follows(prover, ctx, pv_gt0(prover, factor))) == PV_NONE)
        continue;
      inv_factor = pv_inv(prover, factor);
      goal = pv_rel(prover, head, prover->zero, quotient);
      ngoal = ck_neg(prover->terms, goal);
      neg_rel = ck_head(prover->terms, ngoal);
      inv_pos = pv_use_lemma(prover, PV_INV_POS, &vars, 1, NULL, 0, &factor_pos, 1);
      nonzero = pv_scaled(prover, pv_ne0(prover, factor), pv_num(prover, -1), factor_pos);
      cancel = pv_law(prover, "inv", &factor, 1, nonzero); /* g*inv g = 1 */
      pv_comb comb;
      pv_comb_init(&comb); /* e = inv g * (g*e) + e*(1 - g*inv g) */
      if (head == CK_EQ)
        pv_comb_add(&comb, inv_factor, turn->yes);
      else
        pv_comb_add_product(&comb, prover->one, inv_pos, turn->yes);
      pv_comb_add(&comb, quotient, cancel);
      yes = pv_comb_prove(prover, &comb, goal);
      pv_comb_init(&comb);
      pv_comb_add_product(&comb, prover->one, inv_pos, turn->no);
      pv_comb_add(&comb, neg_rel == CK_NE ? quotient : pv_neg(prover, quotient), cancel);
      no = pv_comb_prove(prover, &comb, ngoal);
      if (yes == PV_NONE || no == PV_NONE)
        continue;
      turn->cond = goal;
      turn->yes = yes;
      turn->no = no;
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
static bool counted(pv *prover, ck_id term) {
  pv_poly poly;
  uint32_t n = 0;
  bool ok = true;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, term);
  for (uint32_t i = 0; i < poly.count; i++) {
    for (uint32_t j = 0; j < poly.monos[i].degree; j++) {
      ck_id atom = poly.monos[i].atoms[j];
      bool counter = ck_head(prover->terms, atom) == CK_V &&
                     !strncmp(ck_word_text(prover->terms, ck_name(prover->terms, atom)), "$$x", 3);
      if (counter) {
        n++;
        ok = ok && poly.monos[i].degree == 1;
      } else if (has_index(prover, atom) && ck_head(prover->terms, atom) != CK_V) {
        ok = false;
      }
    }
  }
  pv_poly_clear(&poly);
  return ok && n > 0;
}

/* bounds of a counter divided become bounds of the counter: 0 <= R - x div d as 0 <= d*R + d-1 - x;
 * 0 <= R + x div d as 0 <= d*R + x; anyhow: of anything divided */
static bool linear_cond(pv *prover, pv_ctx ctx, turned *turn, bool anyhow) {
  ck_id value = ck_kid(prover->terms, turn->cond, 1);
  ck_id diff = CK_BAD;
  ck_id dividend;
  ck_id divisor;
  ck_id rest;
  ck_id cleared;
  ck_id goal;
  ck_id one = prover->one;
  pv_poly poly;
  bool plus = false;
  pv_thm divisor_pos;
  pv_thm cond_yes;
  pv_thm cond_no;
  if (ck_head(prover->terms, turn->cond) != CK_LE)
    return false;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, value);
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
  dividend = ck_kid(prover->terms, diff, 0);
  divisor = ck_kid(prover->terms, diff, 1);
  rest = pv_canon(prover, plus ? pv_sub(prover, value, diff) : pv_add(prover, value, diff));
  /* what is left of a place, by a stride: bounds of quotients are bounds of what is divided */
  bool of_rest =
      pv_is_const(prover, rest) && pv_is_const(prover, divisor) && !pv_is_atom(prover, dividend);
  if (pv_occurs(prover, rest, diff) ||
      (!anyhow && !of_rest && (!counted(prover, dividend) || has_index(prover, rest))) ||
      (divisor_pos = pv_follows(prover, ctx, pv_gt0(prover, divisor))) == PV_NONE)
    return false;
  ck_id args[2] = {dividend, divisor};
  pv_thm law = pv_law(prover, "div", args, 2, divisor_pos);
  pv_thm rest_low = pv_law(prover, "mod>", args, 2, divisor_pos);
  pv_thm rest_high = pv_law(prover, "mod<", args, 2, divisor_pos);
  pv_thm rest_tight = pv_tighten(prover, rest_high);
  pv_thm no_tight = pv_tighten(prover, turn->no);
  cleared = pv_canon(prover, plus ? pv_add(prover, dividend, pv_mul(prover, divisor, rest))
                                  : pv_sub(prover,
                                           pv_add(prover, pv_mul(prover, divisor, rest),
                                                  pv_sub(prover, divisor, one)),
                                           dividend));
  goal = pv_ge0(prover, cleared);
  pv_comb comb;
  pv_comb_init(&comb); /* the law: x = d*D + mod, of value d*D + mod - x */
  pv_comb_add_product(&comb, one, divisor_pos, turn->yes);
  pv_comb_add(&comb, one, plus ? rest_low : rest_tight);
  pv_comb_add(&comb, plus ? pv_num(prover, -1) : one, law);
  cond_yes = pv_comb_prove(prover, &comb, goal);
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, one, divisor_pos, no_tight);
  pv_comb_add(&comb, one, plus ? rest_high : rest_low);
  pv_comb_add(&comb, plus ? one : pv_num(prover, -1), law);
  if (!plus) {
    pv_summand summand = {one, NULL, 0};
    as_vec_push(&comb.summands, &summand);
  }
  cond_no = pv_comb_prove(prover, &comb, ck_neg(prover->terms, goal));
  if (cond_yes == PV_NONE || cond_no == PV_NONE)
    return false;
  turn->cond = goal;
  turn->yes = cond_yes;
  turn->no = cond_no;
  return true;
}

/* gap = factor * bound, where the bound is an integer that is a multiple of one of the gap's
 * factors; CK_BAD: it is no such */
static ck_id multiple_of(pv *prover, ck_id gap, ck_id bound) {
  ck_id part[2][MAXF + 1];
  ck_id rest[2];
  ck_id terms[2] = {gap, bound};
  for (int i = 0; i < 2; i++) {
    uint32_t n = pv_poly_content(prover, terms[i], part[i], MAXF);
    rest[i] = n ? part[i][n - 1] : terms[i];
  }
  ck_id primitive = rest[1];
  ck_id scale = CK_BAD; /* of the primitive in the bound */
  for (int sign = 1; sign >= -1 && scale == CK_BAD; sign -= 2) {
    ck_id same = pv_canon(prover, pv_mul(prover, pv_num(prover, sign), primitive));
    for (long most = 1; most <= 64 && scale == CK_BAD; most++) {
      if (pv_canon(prover, pv_mul(prover, pv_num(prover, most), same)) == bound)
        scale = pv_num(prover, sign * most);
    }
  }
  if (scale == CK_BAD || pv_is_const(prover, primitive))
    return CK_BAD;
  ck_id factor = prover->one;
  uint32_t n = pv_poly_content(prover, gap, part[0], MAXF);
  bool found = false;
  for (uint32_t i = 0; i < n; i++) {
    if (!found && part[0][i] == primitive)
      found = true;
    else
      factor = pv_mul(prover, factor, part[0][i]);
  }
  if (!found && gap == primitive)
    found = true;
  factor = pv_canon(prover, pv_mul(prover, pv_const_inv(prover, scale), factor));
  bool right = found && pv_canon(prover, pv_mul(prover, factor, bound)) == gap;
  return right ? factor : CK_BAD;
}

/* A choice between what is the same where its condition is only just met, or only just not: where
 * it is known that it is met at least so far, it is the other one throughout.  max(0, n) is n where
 * 0 <= n.  PV_REFL: it is no such */
static pv_eqn at_boundary(pv *prover, pv_ctx ctx, ck_id term, const turned *turn) {
  ck_id cond = ck_kid(prover->terms, term, 0);
  ck_id part[2] = {ck_kid(prover->terms, term, turn->turn ? 2 : 1),
                   ck_kid(prover->terms, term, turn->turn ? 1 : 2)};
  if (ck_head(prover->terms, turn->cond) != CK_LE)
    return pv_same(term);
  ck_id gap = pv_canon(prover, pv_sub(prover, part[0], part[1]));
  for (int met = 0; met < 2; met++) {
    /* not met: value <= -1, and -1 <= value; met: 0 <= value, and value <= 0 */
    ck_id value = ck_kid(prover->terms, turn->cond, 1);
    ck_id bound = met ? value : pv_canon(prover, pv_add(prover, value, prover->one));
    ck_id known = met ? pv_le(prover, bound, prover->zero) : pv_ge0(prover, bound);
    ck_id factor = multiple_of(prover, gap, bound);
    pv_thm holds = factor == CK_BAD ? PV_NONE : pv_follows(prover, ctx, known);
    if (holds == PV_NONE)
      continue;
    pv_thm other = met ? turn->yes
                       : pv_int(prover, pv_le(prover, bound, prover->zero),
                                pv_restate(prover, pv_lt(prover, value, prover->zero), turn->no));
    pv_thm zero = met ? pv_antisym(prover, holds, pv_restate(prover, pv_ge0(prover, bound), other))
                      : pv_antisym(prover, other, holds); /* bound = 0 */
    ck_id wanted = part[met];
    pv_thm branch[2];
    for (int i = 0; i < 2; i++) { /* i: the condition as it stands does not hold */
      bool first = (i == 0) != turn->turn;
      pv_thm hyp = pv_hyp(prover, i ? ck_neg(prover->terms, cond) : cond);
      pv_thm law = pv_law(prover, i ? "ite0" : "ite1", &term, 1, hyp);
      bool away = first == (met == 1); /* this is not the wanted part */
      pv_comb comb;
      pv_comb_init(&comb);
      pv_comb_add(&comb, prover->one, law);
      if (away) /* the wanted part differs by the gap, which is the factor times 0 */
        pv_comb_add(&comb, met ? factor : pv_neg(prover, factor), zero);
      branch[i] = pv_comb_prove(prover, &comb, pv_eq(prover, term, wanted));
    }
    pv_eqn eqn = {wanted, pv_cases(prover, cond, branch[0], branch[1])};
    if (eqn.by != PV_NONE)
      return eqn;
  }
  return pv_same(term);
}

/* t = ite(c, u, v) with normal parts: condition in one form; what stands beside a zero taken out of
 * it */
static pv_eqn canon_cond(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id cond = ck_kid(prover->terms, term, 0);
  ck_id then = ck_kid(prover->terms, term, 1);
  ck_id otherwise = ck_kid(prover->terms, term, 2);
  ck_id outside = prover->one;
  ck_id x;
  ck_id second;
  ck_id inner;
  ck_id whole;
  turned turn;
  if (!turn_cond(prover, cond, &turn))
    return pv_same(term);
  for (int i = 0; i < 4; i++) {
    reduce_cond(prover, ctx, &turn);
    if (!linear_cond(prover, ctx, &turn, false))
      break;
  }
  pv_eqn met = at_boundary(prover, ctx, term, &turn);
  if (met.by != PV_REFL)
    return met;
  pv_eqn part[2];
  for (int i = 0; i < 2; i++) { /* i: the condition does not hold */
    bool first = (i == 0) != turn.turn;
    part[i] = pv_without_repeats(prover, first ? then : otherwise,
                                 i ? ck_neg(prover->terms, turn.cond) : turn.cond,
                                 i ? turn.no : turn.yes);
    if (part[i].by == PV_NONE)
      return pv_same(term);
  }
  x = part[0].to;
  second = part[1].to;
  if (pv_is_zero(prover, second) && !pv_is_one(prover, x)) {
    outside = x;
    x = prover->one;
  } else if (pv_is_zero(prover, x) && !pv_is_one(prover, second)) {
    outside = second;
    second = prover->one;
  }
  inner = ck_ite(prover->terms, turn.cond, x, second);
  whole = pv_is_one(prover, outside) ? inner : pv_canon(prover, pv_mul(prover, outside, inner));
  if (inner == CK_BAD || whole == term)
    return pv_same(term);
  pv_thm cases[2];
  for (int i = 0; i < 2; i++) { /* i: c does not hold */
    bool first = (i == 0) != turn.turn;
    pv_comb comb;
    pv_thm old_branch = pv_law(prover, i ? "ite0" : "ite1", &term, 1,
                               pv_hyp(prover, i ? ck_neg(prover->terms, cond) : cond));
    pv_thm new_branch =
        pv_law(prover, first ? "ite1" : "ite0", &inner, 1, first ? turn.yes : turn.no);
    pv_comb_init(&comb); /* t = old branch = m*val = m*I */
    pv_comb_add(&comb, prover->one, old_branch);
    pv_comb_add(&comb, prover->one, part[first ? 0 : 1].by);
    pv_comb_add(&comb, pv_neg(prover, outside), new_branch);
    cases[i] = pv_comb_prove(prover, &comb, pv_eq(prover, term, whole));
  }
  pv_eqn eqn = {whole, pv_cases(prover, cond, cases[0], cases[1])};
  if (eqn.by == PV_NONE)
    return pv_same(term);
  if (part[0].by != PV_REFL || part[1].by != PV_REFL ||
      pv_follows(prover, ctx, turn.cond) != PV_NONE ||
      pv_follows(prover, ctx, ck_neg(prover->terms, turn.cond)) != PV_NONE)
    return pv_then(prover, eqn, pv_norm(prover, ctx, whole));
  pv_mark_normal(prover, ctx, inner);
  return pv_then(prover, eqn, pv_norm_poly(prover, ctx, whole));
}

ck_id pv_without_quotient(pv *prover, pv_ctx ctx, ck_id cond, pv_thm *yes, pv_thm *no) {
  turned turn;
  if (!turn_cond(prover, cond, &turn) || !linear_cond(prover, ctx, &turn, true))
    return CK_BAD;
  *yes = turn.turn ? turn.no : turn.yes;
  *no = turn.turn ? turn.yes : turn.no;
  return turn.turn ? ck_neg(prover->terms, turn.cond) : turn.cond;
}

static bool has_choice(pv *prover, ck_id term, as_map *seen) {
  uint64_t known;
  if (ck_is(prover->terms, term, CK_ITE))
    return true;
  if (as_map_get(seen, AS_KEY(term), &known))
    return false;
  as_map_put(seen, AS_KEY(term), 1);
  for (uint32_t i = 0, n = ck_nkids(prover->terms, term); i < n; i++) {
    if (has_choice(prover, ck_kid(prover->terms, term, i), seen))
      return true;
  }
  return false;
}

pv_eqn pv_choice_of(pv *prover, ck_id term, const pv_eqn *branch) {
  ck_id cond = ck_kid(prover->terms, term, 0);
  pv_thm part[2];
  if (branch[0].by == PV_REFL && branch[1].by == PV_REFL)
    return pv_same(term);
  pv_eqn whole = {ck_ite(prover->terms, cond, branch[0].to, branch[1].to), PV_NONE};
  for (uint32_t i = 0; i < 2; i++) {
    pv_thm here = pv_hyp(prover, i ? ck_neg(prover->terms, cond) : cond);
    const char *law = i ? "ite0" : "ite1";
    pv_thm left = pv_trans(prover, pv_law(prover, law, &term, 1, here), branch[i].by);
    part[i] = pv_trans(prover, left, pv_sym(prover, pv_law(prover, law, &whole.to, 1, here)));
  }
  whole.by = pv_cases(prover, cond, part[0], part[1]);
  return whole;
}

/* A choice whose condition orders integers, with the branches that choose again in normal form
 * where it holds, or fails: they may ask the same once more, as what is stored in each round does
 * of what the rounds before have stored. */
static pv_eqn branches_under(pv *prover, pv_ctx ctx, ck_id term, bool *done) {
  ck_id cond = ck_kid(prover->terms, term, 0);
  ck_op head = ck_head(prover->terms, cond);
  pv_eqn branch[2];
  if ((head != CK_LE && head != CK_LT) ||
      !ck_is_int(prover->terms, ck_kid(prover->terms, cond, 0)) ||
      !ck_is_int(prover->terms, ck_kid(prover->terms, cond, 1)))
    return pv_same(term);
  for (uint32_t i = 0; i < 2; i++) {
    branch[i] = pv_same(ck_kid(prover->terms, term, 1 + i));
    as_map seen;
    as_map_init(&seen, 1);
    bool again = has_choice(prover, branch[i].to, &seen);
    as_map_clear(&seen);
    prover->matter |= again ? PV_UNDER_CHOICES : 0;
    if (!again || !(prover->ways & PV_UNDER_CHOICES))
      continue;
    ck_id here = i ? ck_neg(prover->terms, cond) : cond;
    branch[i] = pv_norm(prover, pv_ctx_push(prover, ctx, here, CK_BAD), branch[i].to);
    if (branch[i].by == PV_NONE)
      return pv_fail();
    done[i] = true;
  }
  return pv_choice_of(prover, term, branch);
}

/* the choice between branches of which those are in normal form already */
static pv_eqn norm_choice(pv *prover, pv_ctx ctx, ck_id term, const bool *done);

pv_eqn pv_norm_ite(pv *prover, pv_ctx ctx, ck_id term) {
  bool done[2] = {false, false};
  pv_eqn simpler = pv_by_extreme(prover, ctx, term);
  if (simpler.by == PV_REFL)
    simpler = pv_without_tiles(prover, ctx, term);
  if (simpler.by != PV_REFL)
    return pv_then(prover, simpler, pv_norm(prover, ctx, simpler.to));
  pv_eqn under = branches_under(prover, ctx, term, done);
  if (under.by == PV_NONE)
    return pv_fail();
  pv_eqn rest = norm_choice(prover, ctx, under.to, done);
  return rest.by == PV_NONE ? rest : pv_then(prover, under, rest);
}

static pv_eqn norm_choice(pv *prover, pv_ctx ctx, ck_id term, const bool *done) {
  ck_id cond = ck_kid(prover->terms, term, 0);
  uint32_t n_premises = 0;
  pv_thm premises[4];
  pv_eqn part_eqn[4];
  pv_eqn eqn = pv_same(term);
  ck_id part[4] = {ck_kid(prover->terms, cond, 0), ck_kid(prover->terms, cond, 1),
                   ck_kid(prover->terms, term, 1), ck_kid(prover->terms, term, 2)};
  pv_thm yes = pv_follows(prover, ctx, cond);
  pv_thm no = yes == PV_NONE ? pv_follows(prover, ctx, ck_neg(prover->terms, cond)) : PV_NONE;
  if (yes != PV_NONE || no != PV_NONE) {
    eqn.to = part[yes != PV_NONE ? 2 : 3];
    eqn.by = pv_law(prover, yes != PV_NONE ? "ite1" : "ite0", &term, 1, yes != PV_NONE ? yes : no);
    return eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
  }
  for (int i = 0; i < 4; i++) {
    part_eqn[i] = i >= 2 && done[i - 2] ? pv_same(part[i]) : pv_norm(prover, ctx, part[i]);
    if (part_eqn[i].by == PV_NONE)
      return pv_fail();
    if (part_eqn[i].by != PV_REFL)
      premises[n_premises++] = part_eqn[i].by;
  }
  if (n_premises) {
    ck_id new_cond = pv_rel(prover, ck_head(prover->terms, cond), part_eqn[0].to, part_eqn[1].to);
    eqn.to = ck_ite(prover->terms, new_cond, part_eqn[2].to, part_eqn[3].to);
    eqn.by = pv_cong(prover, term, eqn.to, premises, n_premises);
    if (eqn.by == PV_NONE)
      return pv_fail();
  }
  if (part_eqn[2].to == part_eqn[3].to) {
    ck_id new_cond = ck_kid(prover->terms, eqn.to, 0);
    pv_thm left = pv_law(prover, "ite1", &eqn.to, 1, pv_hyp(prover, new_cond));
    pv_thm right =
        pv_law(prover, "ite0", &eqn.to, 1, pv_hyp(prover, ck_neg(prover->terms, new_cond)));
    pv_eqn equal = {part_eqn[2].to, pv_cases(prover, new_cond, left, right)};
    return equal.by == PV_NONE ? eqn : pv_then(prover, eqn, equal);
  }
  pv_eqn flag = pv_by_flag(prover, eqn.to);
  if (flag.by != PV_REFL)
    return pv_then(prover, eqn, pv_then(prover, flag, pv_norm(prover, ctx, flag.to)));
  ck_op head = ck_head(prover->terms, cond);
  bool order = head == CK_LE || head == CK_LT;
  pv_eqn result = order && !(ck_is_int(prover->terms, part_eqn[0].to) &&
                             ck_is_int(prover->terms, part_eqn[1].to))
                      ? pv_norm_ite_order(prover, ctx, eqn.to)
                      : canon_cond(prover, ctx, eqn.to);
  return result.by == PV_NONE ? eqn : pv_then(prover, eqn, result);
}
