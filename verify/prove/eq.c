/* Equality of two terms: normal forms; then inverses eliminated by cross-multiplication; then
 * conditions split; then unequal atoms with the same head matched argument by argument. */
#include "pv_folds.h"
#include "pv_loops.h"
#include "src/base/mem.h"
#include <stdlib.h>

static pv_thm zero_thm(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth);

/* of equations; elements that are taken apart from sums are steps beyond those */
enum { MAX_SPLITS = 14, MAX_DEPTH = 24, MAX_TIGHTENED = 6 };

/* D = 0 from D = e.t (e.s) and e.t = 0 (s) */
static pv_thm through(pv *prover, ck_id diff, pv_eqn eqn, pv_thm thm) {
  if (thm == PV_NONE || eqn.by == PV_NONE)
    return PV_NONE;
  if (eqn.by == PV_REFL)
    return thm;
  pv_summand summand[2] = {{prover->one, &eqn.by, 1}, {prover->one, &thm, 1}};
  return pv_arith(prover, pv_eq(prover, diff, prover->zero), summand, 2);
}

/* --- inverses: multiply by P where inv(P) occurs and P # 0 */
static ck_id power(pv *prover, ck_id x, uint32_t n) {
  ck_id r = prover->one;
  for (; n; n--)
    r = pv_mul(prover, r, x);
  return r;
}

static pv_thm without_inverse(pv *prover, pv_ctx ctx, ck_id diff, ck_id inverse, uint32_t depth) {
  ck_id under = ck_kid(prover->terms, inverse, 0);
  pv_thm nonzero = pv_nonzero(prover, ctx, under);
  uint32_t most = 0;
  pv_thm cases = PV_NONE;
  pv_poly poly;
  if (nonzero == PV_NONE)
    return PV_NONE;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, diff);
  uint32_t *degree = as_calloc(poly.count + 1, sizeof *degree);
  for (uint32_t i = 0; i < poly.count; i++) {
    for (uint32_t j = 0; j < poly.monos[i].degree; j++)
      degree[i] += poly.monos[i].atoms[j] == inverse;
    if (degree[i] > most)
      most = degree[i];
  }
  if (most <= 4) {
    ck_id cleared = prover->zero;
    ck_id left_over = prover->zero;
    ck_id product = pv_mul(prover, under, inverse);
    for (uint32_t i = 0; i < poly.count; i++) {
      ck_id rest[64];
      uint32_t count = 0;
      if (poly.monos[i].degree > 64) {
        most = 0;
        break;
      }
      for (uint32_t j = 0; j < poly.monos[i].degree; j++) {
        if (poly.monos[i].atoms[j] != inverse)
          rest[count++] = poly.monos[i].atoms[j];
      }
      ck_id cofactor = pv_mono_term(prover, poly.monos[i].coef, rest, count);
      ck_id powers = prover->zero;
      cleared =
          pv_add(prover, cleared, pv_mul(prover, power(prover, under, most - degree[i]), cofactor));
      for (uint32_t r = 0; r < most - degree[i]; r++)
        powers = pv_add(prover, powers, power(prover, product, r));
      left_over = pv_add(
          prover, left_over,
          pv_mul(prover, pv_mul(prover, power(prover, inverse, degree[i]), cofactor), powers));
    }
    pv_thm thm = most ? zero_thm(prover, ctx, cleared, depth + 1) : PV_NONE;
    pv_thm cancel = thm == PV_NONE ? PV_NONE : pv_law(prover, "inv", &under, 1, nonzero);
    pv_summand summand[2] = {{power(prover, inverse, most), &thm, 1},
                             {pv_neg(prover, left_over), &cancel, 1}};
    if (cancel != PV_NONE)
      cases = pv_arith(prover, pv_eq(prover, diff, prover->zero), summand, 2);
  }
  free(degree);
  pv_poly_clear(&poly);
  return cases;
}

/* --- conditions */
static ck_id find_cond(pv *prover, ck_id term) {
  const ck_terms *terms = prover->terms;
  if (ck_head(terms, term) == CK_ITE && ck_is_closed(terms, ck_kid(terms, term, 0))) {
    ck_id cond = ck_kid(terms, term, 0);
    ck_id in = find_cond(prover, ck_kid(terms, cond, 0));
    if (in == CK_BAD)
      in = find_cond(prover, ck_kid(terms, cond, 1));
    return in == CK_BAD ? cond : in;
  }
  for (uint32_t i = 0, n = ck_nkids(terms, term); i < n; i++) {
    ck_id kid = ck_kid(terms, term, i);
    ck_id cond = CK_BAD;
    if (ck_is_formula(terms, kid)) {
      cond = find_cond(prover, ck_kid(terms, kid, 0));
      if (cond == CK_BAD)
        cond = find_cond(prover, ck_kid(terms, kid, 1));
    } else {
      cond = find_cond(prover, kid);
    }
    if (cond != CK_BAD)
      return cond;
  }
  return CK_BAD;
}

/* an undecided condition in what theorem s says */
static ck_id cond_in(pv *prover, pv_ctx ctx, pv_thm thm) {
  ck_id normal;
  ck_id c = thm == PV_NONE || pv_fact_normal(prover, ctx, thm, &normal) == PV_NONE
                ? CK_BAD
                : find_cond(prover, normal);
  return c == CK_BAD || pv_follows(prover, ctx, c) != PV_NONE ||
                 pv_follows(prover, ctx, ck_neg(prover->terms, c)) != PV_NONE
             ? CK_BAD
             : c;
}

/* an undecided condition in what the hypotheses say of integers, clauses included at what t speaks
 * of.  Of reals it is not sought: that would lead to itself. */
static ck_id fact_cond(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id cond = CK_BAD;
  pv_thm instances[4];
  uint32_t n = 0;
  for (pv_ctx link = ctx; link != 0 && cond == CK_BAD; link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    ck_id says = formula;
    ck_op head = ck_head(prover->terms, formula);
    if (head == CK_ALL)
      says =
          ck_kid(prover->terms, formula, ck_nkids(prover->terms, formula) - 1); /* the conclusion */
    if (!ck_is_rel(prover->terms, says) ||
        !ck_is_int(prover->terms, ck_kid(prover->terms, says, 0)))
      continue;
    if (head == CK_ALL) {
      n = pv_clause_instances(prover, ctx, pv_at(prover, link)->thm, term, instances, 4);
    } else if (head != CK_NE) {
      n = 1;
      instances[0] = pv_at(prover, link)->thm;
    } else {
      n = 0;
    }
    for (uint32_t i = 0; i < n && cond == CK_BAD; i++)
      cond = cond_in(prover, ctx, instances[i]);
  }
  return cond;
}

typedef pv_thm (*goal_prover)(pv *p, uint32_t cx, ck_id D, uint32_t depth);

/* f(D) in cx, which is `old` with one hypothesis more: where that is a divisibility, with the
 * quotient as a variable */
static pv_thm under(pv *prover, pv_ctx old, pv_ctx ctx, ck_id diff, uint32_t depth,
                    goal_prover prove) {
  pv_ctx inner = PV_NONE;
  pv_thm back;
  ck_id quotient;
  for (pv_ctx link = ctx; link != old && inner == PV_NONE; link = pv_at(prover, link)->parent) {
    if (ck_head(prover->terms, pv_at(prover, link)->formula) == CK_EQ)
      inner = pv_ctx_quotient(prover, ctx, pv_at(prover, link)->thm, &quotient, &back);
  }
  if (inner == PV_NONE)
    return prove(prover, ctx, diff, depth);
  pv_thm thm = prove(prover, pv_ctx_refresh(prover, inner), diff, depth);
  pv_var_sub vars = {quotient, ck_kid(prover->terms, pv_right(prover, back), 1)};
  return pv_inst(prover, thm, &vars, 1, NULL, 0, &back, 1);
}

/* what D says, by cases on c; PV_NONE if c is decided already */
static pv_thm split_on(pv *prover, pv_ctx ctx, ck_id cond, ck_id diff, uint32_t depth,
                       goal_prover prove) {
  ck_id negated;
  pv_thm if_true;
  pv_thm if_false;
  if (cond == CK_BAD || pv_ctx_find(prover, ctx, cond) != PV_NONE || depth >= MAX_SPLITS)
    return PV_NONE;
  negated = ck_neg(prover->terms, cond);
  if (pv_ctx_find(prover, ctx, negated) != PV_NONE)
    return PV_NONE;
  if_true = under(prover, ctx, pv_ctx_assume(prover, ctx, cond), diff, depth + 1, prove);
  if_false = if_true == PV_NONE
                 ? PV_NONE
                 : under(prover, ctx, pv_ctx_assume(prover, ctx, negated), diff, depth + 1, prove);
  return if_false == PV_NONE ? PV_NONE : pv_cases(prover, cond, if_true, if_false);
}

/* --- atoms with the same head: equal if their arguments are */
static pv_thm atoms_equal(pv *prover, pv_ctx ctx, ck_id left, ck_id right, uint32_t depth) {
  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, left);
  uint32_t n_kids = ck_nkids(terms, left);
  pv_thm premises[16];
  uint32_t n_premises = 0;
  if (head != ck_head(terms, right) || n_kids != ck_nkids(terms, right) || n_kids == 0 ||
      n_kids > 16)
    return PV_NONE;
  if (head == CK_APP && (ck_name(terms, left) != ck_name(terms, right) ||
                         ck_sig(terms, left) != ck_sig(terms, right)))
    return PV_NONE;
  if (pv_is_sum(prover, left) && pv_is_sum(prover, right) &&
      ck_kid(terms, left, 0) == ck_kid(terms, right, 0)) {
    ck_id k;
    ck_id bound = ck_kid(terms, left, 0);
    pv_ctx inner = pv_ctx_bind(prover, ctx, bound, &k);
    return pv_lift_sum(prover, bound, k,
                       pv_prove_eq(prover, inner, pv_sum_body(prover, left, k),
                                   pv_sum_body(prover, right, k), depth + 1));
  }
  if (pv_is_sum(prover, left) && pv_is_sum(prover, right))
    return pv_by_quotients(prover, ctx, left, right, depth);
  if (head == CK_FOLD || head == CK_ITE || head == CK_V)
    return PV_NONE;
  for (uint32_t i = 0; i < n_kids; i++) {
    ck_id left_kid = ck_kid(terms, left, i);
    ck_id right_kid = ck_kid(terms, right, i);
    pv_thm thm;
    if (left_kid == right_kid)
      continue;
    thm = pv_prove_eq(prover, ctx, left_kid, right_kid, depth + 1);
    if (thm == PV_NONE)
      return PV_NONE;
    premises[n_premises++] = thm;
  }
  return pv_cong(prover, left, right, premises, n_premises);
}

enum { MOST_STRIDE = 8 };

/* c in the integer term, whose monomial in k alone is c*k for a number c; 0: there is none */
static uint32_t step_in(pv *prover, ck_id index, ck_id k) {
  uint32_t step = 0;
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, index);
  for (uint32_t i = 0; i < poly.count; i++) {
    const pv_mono *mono = &poly.monos[i];
    const mpq_t *coef = ck_q_value(prover->terms, mono->coef);
    bool alone = mono->degree == 1 && mono->atoms[0] == k && mpq_sgn(*coef) > 0 &&
                 mpz_cmp_ui(mpq_denref(*coef), 1) == 0 &&
                 mpz_cmp_ui(mpq_numref(*coef), MOST_STRIDE) <= 0;
    if (alone)
      step = (uint32_t)mpz_get_ui(mpq_numref(*coef));
  }
  pv_poly_clear(&poly);
  return step;
}

/* the stride at which the right body reads what the left one reads at every k, by the first index
 * in which they differ; 0: none is seen */
static uint32_t stride_between(pv *prover, ck_id left, ck_id right, ck_id k) {
  const ck_terms *terms = prover->terms;
  uint32_t stride = 0;
  if (left == right || ck_head(terms, left) != ck_head(terms, right) ||
      ck_nkids(terms, left) != ck_nkids(terms, right))
    return 0;
  for (uint32_t i = 0, n = ck_nkids(terms, left); i < n && stride == 0; i++) {
    ck_id left_kid = ck_kid(terms, left, i);
    ck_id right_kid = ck_kid(terms, right, i);
    bool index = ck_head(terms, left) == CK_APP && ck_is_int(terms, left_kid);
    if (!index)
      stride = stride_between(prover, left_kid, right_kid, k);
    else if (ck_has_var(terms, left_kid, k) && step_in(prover, left_kid, k) == 1)
      stride = step_in(prover, right_kid, k);
  }
  return stride;
}

/* the sum dealt out as the other one, of every stride-th element, wants it; where there are some
 * elements too many for that, those are cut off first */
static pv_eqn deal_as(pv *prover, pv_ctx ctx, ck_id sum, ck_id other, uint32_t stride) {
  pv_eqn result = pv_deal_sum(prover, ctx, sum, stride);
  for (long fewer = 0; fewer < 2 && result.by == PV_NONE; fewer++) {
    ck_id rounds = pv_sub(prover, ck_kid(prover->terms, other, 0), pv_num(prover, fewer));
    ck_id even = pv_canon(prover, pv_mul(prover, pv_num(prover, (long)stride), rounds));
    if (even != ck_kid(prover->terms, sum, 0))
      result = pv_cut_sum(prover, ctx, sum, even);
  }
  return result;
}

static pv_eqn deal_longer(pv *prover, pv_ctx ctx, ck_id left, ck_id right) {
  ck_id k = pv_int_var(prover, "$$k");
  ck_id body[2] = {pv_sum_body(prover, left, k), pv_sum_body(prover, right, k)};
  uint32_t stride = stride_between(prover, body[0], body[1], k);
  if (stride > 1)
    return deal_as(prover, ctx, left, right, stride);
  stride = stride_between(prover, body[1], body[0], k);
  return stride > 1 ? deal_as(prover, ctx, right, left, stride) : pv_fail();
}

/* two sums of one body over different ranges, or of one that is ahead of the other: the longer one
 * cut, the other's start cut off */
static pv_eqn cut_longer(pv *prover, pv_ctx ctx, ck_id left, ck_id right) {
  pv_eqn none = {CK_BAD, PV_NONE};
  pv_eqn result = none;
  ck_id formula;
  if (pv_is_prod(prover, left, &formula) && pv_is_prod(prover, right, &formula) &&
      ck_kid(prover->terms, left, 2) == ck_kid(prover->terms, right, 2)) {
    result = pv_cut_prod(prover, ctx, left, ck_kid(prover->terms, right, 0));
    if (result.by == PV_NONE)
      result = pv_cut_prod(prover, ctx, right, ck_kid(prover->terms, left, 0));
    return result.by == PV_REFL ? none : result;
  }
  if (!pv_is_sum(prover, left) || !pv_is_sum(prover, right))
    return none;
  if (ck_kid(prover->terms, left, 2) == ck_kid(prover->terms, right, 2)) {
    result = pv_cut_sum(prover, ctx, left, ck_kid(prover->terms, right, 0));
    if (result.by == PV_NONE)
      result = pv_cut_sum(prover, ctx, right, ck_kid(prover->terms, left, 0));
  } else {
    ck_id k;
    ck_id shift;
    pv_ctx_bind(prover, ctx, ck_kid(prover->terms, left, 0), &k);
    if ((shift = pv_shift_between(prover, pv_sum_body(prover, left, k),
                                  pv_sum_body(prover, right, k), k)) == CK_BAD ||
        pv_is_zero(prover, shift))
      return deal_longer(prover, ctx, left, right);
    pv_eqn end = pv_norm(prover, ctx,
                         pv_sub(prover, pv_sub(prover, ck_kid(prover->terms, left, 0), shift),
                                ck_kid(prover->terms, right, 0)));
    if (end.by == PV_NONE || !pv_is_zero(prover, end.to))
      return none; /* they must end together */
    result = pv_cut_sum(prover, ctx, left, shift);
    if (result.by == PV_NONE)
      result = pv_cut_sum(prover, ctx, right, pv_canon(prover, pv_neg(prover, shift)));
  }
  return result.by == PV_REFL ? none : result;
}

static pv_thm by_atoms(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth) {
  ck_id atom[24];
  uint32_t n = 0;
  pv_thm cases = PV_NONE;
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, diff);
  for (uint32_t i = 0; i < poly.count; i++) {
    for (uint32_t j = 0; j < poly.monos[i].degree; j++) {
      ck_id atom_here = poly.monos[i].atoms[j];
      uint32_t k = 0;
      while (k < n && atom[k] != atom_here)
        k++;
      if (k == n && n < 24 && ck_nkids(prover->terms, atom_here))
        atom[n++] = atom_here;
    }
  }
  pv_poly_clear(&poly);
  for (uint32_t i = 0; i < n && cases == PV_NONE; i++) {
    for (uint32_t j = i + 1; j < n && cases == PV_NONE; j++) {
      pv_eqn cut = cut_longer(prover, ctx, atom[i], atom[j]);
      if (cut.by != PV_NONE) {
        ck_id was = pv_left(prover, cut.by);
        pv_eqn result = pv_rewrite(prover, diff, &was, &cut.by, 1);
        if (result.by != PV_NONE && result.by != PV_REFL)
          cases = through(prover, diff, result, zero_thm(prover, ctx, result.to, depth + 1));
        if (cases != PV_NONE)
          continue;
      }
      pv_thm thm = atoms_equal(prover, ctx, atom[i], atom[j], depth);
      if (thm == PV_NONE)
        continue;
      pv_poly other;
      pv_poly product;
      pv_poly_init(&other);
      pv_poly_init(&product); /* D with at[i] as at[j] */
      pv_poly_read(prover, &other, diff);
      pv_comb comb;
      pv_comb_init(&comb);
      for (uint32_t n_th = 0; n_th < other.count; n_th++) {
        pv_mono mono = other.monos[n_th];
        ck_id done[64];
        uint32_t n_done = 0;
        if (mono.degree > 64)
          continue;
        for (uint32_t place = 0; place < mono.degree; place++) {
          if (mono.atoms[place] == atom[i]) {
            ck_id left = pv_mono_term(prover, mono.coef, done, n_done);
            ck_id right =
                pv_mono_term(prover, prover->one, mono.atoms + place + 1, mono.degree - place - 1);
            pv_comb_add(&comb, pv_mul(prover, left, right), thm);
            done[n_done++] = atom[j];
          } else {
            done[n_done++] = mono.atoms[place];
          }
        }
        pv_poly_add_mono(prover, &product, mono.coef, done, n_done);
      }
      ck_id replaced = pv_poly_term(prover, &product);
      pv_eqn eqn = {replaced, PV_NONE};
      eqn.by = pv_comb_prove(prover, &comb, pv_eq(prover, diff, replaced));
      pv_poly_clear(&other);
      pv_poly_clear(&product);
      if (eqn.by != PV_NONE)
        cases = through(prover, diff, eqn, zero_thm(prover, ctx, replaced, depth + 1));
    }
  }
  return cases;
}

/* the first element of a sum over a few literal elements apart */
static pv_thm by_elements(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth) {
  enum { FEW = 8 };

  pv_poly poly;
  ck_id sum = CK_BAD;
  pv_thm thm = PV_NONE;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, diff);
  for (uint32_t i = 0; i < poly.count && sum == CK_BAD; i++) {
    for (uint32_t j = 0; j < poly.monos[i].degree && sum == CK_BAD; j++) {
      ck_id atom = poly.monos[i].atoms[j];
      ck_id bound = pv_is_sum(prover, atom) ? ck_kid(prover->terms, atom, 0) : CK_BAD;
      if (bound != CK_BAD && pv_is_const(prover, bound) &&
          mpq_cmp_ui(*ck_q_value(prover->terms, bound), 1, 1) > 0 &&
          mpq_cmp_ui(*ck_q_value(prover->terms, bound), FEW, 1) <= 0)
        sum = atom;
    }
  }
  pv_poly_clear(&poly);
  if (sum == CK_BAD)
    return PV_NONE;
  pv_eqn cut = pv_cut_sum(prover, ctx, sum, prover->one);
  if (cut.by != PV_NONE && cut.by != PV_REFL) {
    ck_id was = pv_left(prover, cut.by);
    pv_eqn result = pv_rewrite(prover, diff, &was, &cut.by, 1);
    if (result.by != PV_NONE && result.by != PV_REFL)
      thm = through(prover, diff, result, zero_thm(prover, ctx, result.to, depth + 1));
  }
  return thm;
}

/* D = 0 for a normal D without conditions outside of folds */
static pv_thm leaf(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth) {
  ck_id goal = pv_eq(prover, diff, prover->zero);
  ck_id cond;
  pv_thm thm = PV_NONE;
  if (ck_is_int(prover->terms, diff))
    thm = pv_follows(prover, ctx, goal);
  if (thm == PV_NONE)
    thm = by_atoms(prover, ctx, diff, depth);
  if (thm == PV_NONE && (depth > 0 || ck_is_int(prover->terms, diff)))
    thm = pv_lp_prove_within(prover, ctx, goal);
  if (thm == PV_NONE)
    thm = pv_from_zero_below_zero(prover, goal, pv_lp_contradiction(prover, ctx));
  if (thm == PV_NONE && depth < MAX_SPLITS)
    thm = pv_by_exponents(prover, ctx, diff, depth);
  if (thm == PV_NONE)
    thm = by_elements(prover, ctx, diff, depth);
  if (thm == PV_NONE && !ck_is_int(prover->terms, diff)) {
    pv_ctx inner = pv_ctx_equations(prover, ctx, diff);
    thm = inner != ctx ? zero_thm(prover, inner, diff, depth + 1)
                       : pv_by_one_sum(prover, ctx, diff, depth);
    if (inner != ctx)
      return thm;
  }
  if (thm == PV_NONE && ((cond = pv_range_cond(prover, ctx, diff)) != CK_BAD ||
                         (cond = fact_cond(prover, ctx, diff)) != CK_BAD)) {
    thm = split_on(prover, ctx, cond, diff, depth, zero_thm);
  } else if (thm == PV_NONE && prover->tightened < MAX_TIGHTENED && depth < MAX_SPLITS) {
    pv_ctx inner;
    prover->tightened++;
    if ((inner = pv_ctx_tighten(prover, ctx)) != ctx)
      thm = zero_thm(prover, inner, diff, depth + 1);
  }
  return thm;
}

/* D = 0 */
static pv_thm zero_thm(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth) {
  pv_eqn eqn;
  pv_poly poly;
  pv_thm thm = PV_NONE;
  if (depth > MAX_DEPTH || pv_spent(prover))
    return PV_NONE;
  eqn = pv_norm(prover, ctx, diff);
  if (eqn.by == PV_NONE)
    return PV_NONE;
  if (pv_is_zero(prover, eqn.to))
    return through(prover, diff, eqn,
                   pv_identity(prover, pv_eq(prover, prover->zero, prover->zero)));
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, eqn.to);
  for (uint32_t i = 0; i < poly.count && thm == PV_NONE; i++) {
    for (uint32_t j = 0; j < poly.monos[i].degree && thm == PV_NONE; j++) {
      ck_id atom = poly.monos[i].atoms[j];
      if (ck_head(prover->terms, atom) == CK_INV && depth < 5) {
        thm = without_inverse(prover, ctx, eqn.to, atom, depth);
        if (thm == PV_NONE)
          i = poly.count;
        break;
      }
    }
  }
  pv_poly_clear(&poly);
  ck_id cond = find_cond(prover, eqn.to);
  if (cond != CK_BAD)
    thm = split_on(prover, ctx, cond, eqn.to, depth, zero_thm);
  if (thm == PV_NONE && cond == CK_BAD)
    thm = leaf(prover, ctx, eqn.to, depth);
  return through(prover, diff, eqn, thm);
}

/* left = right, sums of few elements written out wherever they stand */
static pv_thm by_few_elements(pv *prover, pv_ctx ctx, ck_id left, ck_id right, uint32_t depth) {
  ck_id diff = pv_sub(prover, left, right);
  pv_eqn written = pv_sums_written_out(prover, ctx, diff);
  if (written.by == PV_NONE || written.by == PV_REFL)
    return PV_NONE;
  pv_thm zero = through(prover, diff, written, zero_thm(prover, ctx, written.to, depth + 1));
  return pv_scaled(prover, pv_eq(prover, left, right), prover->one, zero);
}

/* a condition on integers of a choice anywhere in the term that speaks of no counter; CK_BAD: none
 */
static ck_id closed_choice(pv *prover, ck_id term, as_map *seen) {
  const ck_terms *terms = prover->terms;
  uint64_t known;
  if (as_map_get(seen, AS_KEY(term), &known))
    return CK_BAD;
  as_map_put(seen, AS_KEY(term), 1);
  if (ck_is(terms, term, CK_ITE)) {
    ck_id cond = ck_kid(terms, term, 0);
    if (ck_is_closed(terms, cond) && ck_is_int(terms, ck_kid(terms, cond, 0)) &&
        ck_is_int(terms, ck_kid(terms, cond, 1)))
      return cond;
  }
  ck_id found = CK_BAD;
  for (uint32_t i = 0; i < ck_nkids(terms, term) && found == CK_BAD; i++)
    found = closed_choice(prover, ck_kid(terms, term, i), seen);
  return found;
}

pv_thm pv_zero_in_pieces(pv *prover, pv_ctx ctx, ck_id diff, uint32_t depth) {
  pv_eqn eqn = pv_norm(prover, ctx, diff);
  if (eqn.by != PV_NONE)
    eqn = pv_then(prover, eqn, pv_roots_in_pieces(prover, ctx, eqn.to));
  pv_eqn cut = eqn.by == PV_NONE ? eqn : pv_sums_in_pieces(prover, ctx, eqn.to);
  if (cut.by == PV_NONE || (cut.by == PV_REFL && !pv_is_zero(prover, cut.to)))
    return PV_NONE;
  if (pv_is_zero(prover, cut.to))
    return through(prover, diff, pv_then(prover, eqn, cut),
                   pv_identity(prover, pv_eq(prover, prover->zero, prover->zero)));
  as_map seen;
  as_map_init(&seen, 1);
  ck_id cond = closed_choice(prover, cut.to, &seen);
  as_map_clear(&seen);
  return cond == CK_BAD ? PV_NONE : split_on(prover, ctx, cond, diff, depth, pv_zero_in_pieces);
}

pv_thm pv_prove_eq(pv *prover, pv_ctx ctx, ck_id left, ck_id right, uint32_t depth) {
  if (left == right)
    return pv_refl(prover, left);
  pv_eqn left_normal = pv_norm(prover, ctx, left);
  pv_eqn right_normal = pv_norm(prover, ctx, right);
  pv_thm thm = PV_REFL;
  if (left_normal.by == PV_NONE || right_normal.by == PV_NONE)
    return PV_NONE;
  if (left_normal.to != right_normal.to) {
    ck_id diff = pv_sub(prover, left_normal.to, right_normal.to);
    ck_id claim = pv_eq(prover, left_normal.to, right_normal.to);
    thm = pv_by_maxima(prover, left_normal.to, right_normal.to);
    if (thm == PV_NONE)
      thm = pv_scaled(prover, claim, prover->one, pv_zero_in_pieces(prover, ctx, diff, depth));
    if (thm == PV_NONE)
      thm = pv_scaled(prover, claim, prover->one, zero_thm(prover, ctx, diff, depth));
    if (thm == PV_NONE && depth < 2)
      thm = by_few_elements(prover, ctx, left_normal.to, right_normal.to, depth);
    if (thm == PV_NONE)
      return PV_NONE;
  }
  thm = pv_trans(prover, pv_trans(prover, left_normal.by, thm), pv_sym(prover, right_normal.by));
  return thm;
}

/* a relation other than an equation, by cases where its sides have conditions */
static pv_thm rel_cases(pv *prover, pv_ctx ctx, ck_id formula, uint32_t depth) {
  pv_thm thm = pv_follows(prover, ctx, formula);
  ck_id cond;
  if (thm == PV_NONE && depth == 0)
    thm = pv_by_parts(prover, ctx, formula);
  if (thm != PV_NONE || depth > MAX_SPLITS || pv_spent(prover))
    return thm;
  pv_eqn eqn =
      pv_norm(prover, ctx,
              pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0)));
  if (eqn.by == PV_NONE)
    return PV_NONE;
  if ((cond = find_cond(prover, eqn.to)) != CK_BAD)
    return split_on(prover, ctx, cond, formula, depth, rel_cases);
  thm = pv_by_clause(prover, ctx, formula);
  if (thm == PV_NONE)
    thm = pv_from_zero_below_zero(prover, formula, pv_lp_contradiction(prover, ctx));
  if (thm == PV_NONE && ((cond = pv_clause_cond(prover, ctx, formula)) != CK_BAD ||
                         (cond = pv_range_cond(prover, ctx, eqn.to)) != CK_BAD ||
                         (cond = fact_cond(prover, ctx, eqn.to)) != CK_BAD))
    thm = split_on(prover, ctx, cond, formula, depth, rel_cases);
  return thm;
}

/* a variable that the hypotheses leave two or three values: the condition that it is less than the
 * greatest; CK_BAD: there is none */
static ck_id few_values(pv *prover, pv_ctx ctx) {
  enum { SPAN = 2 };

  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    ck_id var;
    ck_id top;
    ck_id less;
    ck_op head = ck_head(prover->terms, formula);
    if ((head != CK_LE && head != CK_LT) ||
        ck_head(prover->terms, var = ck_kid(prover->terms, formula, 0)) != CK_V ||
        !pv_is_const(prover, ck_kid(prover->terms, formula, 1)) ||
        !ck_is_int(prover->terms, formula = ck_kid(prover->terms, formula, 1)))
      continue;
    top = head == CK_LE ? formula : pv_const_add(prover, formula, pv_num(prover, -1));
    less = pv_lt(prover, var, top);
    if (pv_follows(prover, ctx, less) != PV_NONE ||
        pv_follows(prover, ctx, ck_neg(prover->terms, less)) != PV_NONE)
      continue;
    if (pv_follows(prover, ctx,
                   pv_le(prover, pv_const_add(prover, top, pv_num(prover, -SPAN)), var)) != PV_NONE)
      return less;
  }
  return CK_BAD;
}

static pv_thm goal_in(pv *prover, pv_ctx ctx, ck_id formula, uint32_t depth) {
  pv_thm thm;
  ck_id cond;
  if ((thm = pv_by_clause(prover, ctx, formula)) != PV_NONE)
    return thm;
  if (depth == 0 && ck_head(prover->terms, formula) != CK_EQ &&
      (thm = pv_by_fact_in_pieces(prover, ctx, formula)) != PV_NONE)
    return thm;
  if (ck_head(prover->terms, formula) == CK_EQ && depth < 6 &&
      (cond = fact_cond(prover, ctx, prover->zero)) != CK_BAD) {
    if (depth == 0) { /* conditions in what the indices are said to be: with most of the effort
                         without them, else by cases on them first */
      uint64_t most = prover->max_work;
      prover->max_work = prover->work < most ? prover->work + (most - prover->work) / 4 * 3 : most;
      thm = pv_prove_eq(prover, ctx, ck_kid(prover->terms, formula, 0),
                        ck_kid(prover->terms, formula, 1), depth);
      prover->max_work = most;
      if (thm != PV_NONE)
        return thm;
    }
    return split_on(prover, ctx, cond, formula, depth, goal_in);
  }
  if (depth < 6 && (cond = few_values(prover, ctx)) != CK_BAD)
    return split_on(prover, ctx, cond, formula, depth, goal_in);
  if (ck_head(prover->terms, formula) == CK_EQ)
    return pv_prove_eq(prover, ctx, ck_kid(prover->terms, formula, 0),
                       ck_kid(prover->terms, formula, 1), depth);
  return rel_cases(prover, ctx, formula, depth);
}

/* divisibilities among the hypotheses first */
static pv_thm with_quotients(pv *prover, pv_ctx ctx, ck_id formula, uint32_t depth) {
  for (pv_ctx link = ctx; link != 0 && depth < 6; link = pv_at(prover, link)->parent) {
    ck_id quotient;
    ck_id normal;
    pv_thm back;
    pv_ctx inner = PV_NONE;
    if (ck_head(prover->terms, pv_at(prover, link)->formula) == CK_EQ &&
        pv_fact_normal(prover, ctx, pv_at(prover, link)->thm, &normal) != PV_NONE &&
        !pv_is_zero(prover, normal))
      inner = pv_ctx_quotient(prover, ctx, pv_at(prover, link)->thm, &quotient, &back);
    if (inner == PV_NONE)
      continue;
    pv_thm thm = with_quotients(prover, pv_ctx_derive(prover, inner), formula, depth + 1);
    pv_var_sub vars = {quotient, ck_kid(prover->terms, pv_right(prover, back), 1)};
    return pv_inst(prover, thm, &vars, 1, NULL, 0, &back, 1);
  }
  return goal_in(prover, ctx, formula, 0);
}

/* An equation of reals by regions, with a part of the effort that is left.  heavy: if its normal
 * forms are likely to take all of it. */
static pv_thm goal_by_regions(pv *prover, pv_ctx ctx, ck_id formula, bool heavy) {
  enum { PARTS = 4, HEAVY = 2000 };

  if (ck_head(prover->terms, formula) != CK_EQ || pv_spent(prover))
    return PV_NONE;
  ck_id left = ck_kid(prover->terms, formula, 0);
  ck_id right = ck_kid(prover->terms, formula, 1);
  bool is_heavy = pv_tree_size(prover, left) + pv_tree_size(prover, right) > HEAVY;
  if (ck_is_int(prover->terms, left) || is_heavy != heavy || !pv_has_regions(prover, left, right))
    return PV_NONE;
  uint64_t work = prover->max_work;
  uint32_t steps = prover->max_steps;
  uint32_t made = (uint32_t)prover->steps.n;
  prover->max_work = prover->work + (work - prover->work) / PARTS;
  prover->max_steps = made + (steps - made) / PARTS;
  pv_thm thm = pv_by_regions(prover, pv_ctx_derive(prover, ctx), left, right);
  prover->max_work = work;
  prover->max_steps = steps;
  return thm;
}

/* An equation of reals in which choices nest, with a part of the effort that is left. */
static pv_thm goal_by_names(pv *prover, pv_ctx ctx, ck_id formula) {
  enum { PARTS = 4, NESTED = 4 };

  if (ck_head(prover->terms, formula) != CK_EQ || pv_spent(prover))
    return PV_NONE;
  ck_id left = ck_kid(prover->terms, formula, 0);
  ck_id right = ck_kid(prover->terms, formula, 1);
  if (ck_is_int(prover->terms, left) ||
      pv_nested_choices(prover, left) + pv_nested_choices(prover, right) < NESTED)
    return PV_NONE;
  uint64_t work = prover->max_work;
  prover->max_work = prover->work + (work - prover->work) / PARTS;
  pv_thm thm = pv_by_names(prover, ctx, left, right);
  prover->max_work = work;
  return thm;
}

static pv_thm goal_under(pv *prover, pv_ctx ctx, ck_id formula) {
  pv_thm thm = pv_ctx_find(prover, ctx, formula);
  if (thm == PV_NONE)
    thm = goal_by_names(prover, ctx, formula);
  if (thm == PV_NONE)
    thm = goal_by_regions(prover, ctx, formula, true);
  if (thm != PV_NONE)
    return thm;
  prover->tightened = 0;
  if (ck_head(prover->terms, formula) == CK_ALL || pv_too_big(prover, formula))
    return PV_NONE;
  bool differ = ck_head(prover->terms, formula) == CK_NE;
  bool places = differ && ck_is_int(prover->terms, ck_kid(prover->terms, formula, 0)) &&
                ck_is_int(prover->terms, ck_kid(prover->terms, formula, 1));
  if (places && (thm = pv_follows(prover, ctx, formula)) == PV_NONE)
    thm = pv_rounds_apart(prover, ctx, formula);
  if (thm == PV_NONE)
    thm = with_quotients(prover, pv_ctx_derive(prover, ctx), formula, 0);
  /* equations that were derived may hide what a hypothesis says of a number */
  if (thm == PV_NONE && differ && !places)
    thm = pv_follows(prover, ctx, formula);
  return thm == PV_NONE ? goal_by_regions(prover, ctx, formula, false) : thm;
}

/* An order of integers, by what conditions on quotients say of what is divided. */
static pv_thm order_of_divided(pv *prover, pv_ctx ctx, ck_id formula) {
  ck_op head = ck_head(prover->terms, formula);
  if ((head != CK_LE && head != CK_LT) || pv_spent(prover) ||
      !ck_is_int(prover->terms, ck_kid(prover->terms, formula, 0)) ||
      !ck_is_int(prover->terms, ck_kid(prover->terms, formula, 1)))
    return PV_NONE;
  pv_ctx divided = pv_ctx_divided(prover, ctx);
  return divided == ctx ? PV_NONE : pv_follows(prover, divided, formula);
}

pv_thm pv_prove_goal(pv *prover, pv_ctx ctx, ck_id formula) {
  enum { PARTS = 2, NESTED = 1 };

  pv_ctx light = pv_ctx_without_choices(prover, ctx, NESTED);
  pv_thm thm = PV_NONE;
  if (light != ctx && !pv_spent(prover)) {
    uint64_t work = prover->max_work;
    prover->max_work = prover->work + (work - prover->work) / PARTS;
    thm = goal_under(prover, light, formula);
    prover->max_work = work;
  }
  if (thm == PV_NONE)
    thm = goal_under(prover, ctx, formula);
  return thm == PV_NONE ? order_of_divided(prover, ctx, formula) : thm;
}
