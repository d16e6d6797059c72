/* Relations by refutation: the negated goal, the hypotheses in normal form, what is known of the
 * atoms, and products of two of these give 0 < 0 by a nonnegative combination.  A linear programme
 * over the monomials, solved exactly (free of floating point, by a fixed pivot rule, so that it
 * ends and gives the same answer everywhere).  Facts of integers are tightened (a < b is a + 1 <=
 * b), the negated goal too, so that bounds are rounded.  Only facts that are connected to the goal
 * by shared atoms take part. */
#include "pv_lp.h"
#include "pv_norm.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const fact *fact;
  int sign;
} column;

/* --- the programme */
/* rows: the monomials that occur */
static int row_of(const pv_mono *mono, const pv_mono **rows, uint32_t *n) {
  for (uint32_t i = 0; i < *n; i++) {
    if (pv_mono_same(rows[i], mono->atoms, mono->degree))
      return (int)i;
  }
  if (*n == MAX_ROWS)
    return -1;
  rows[*n] = mono;
  return (int)(*n)++;
}

/* the facts times what the programme says, which is 0 < 0 */
static pv_thm combine(pv *prover, const pv_lp *lp, const column *col, uint32_t n_columns) {
  mpq_t coef;
  pv_comb comb;
  mpq_init(coef);
  pv_comb_init(&comb);
  for (uint32_t i = 0; i < lp->rows; i++) {
    uint32_t variable = lp->basis[i];
    if (variable >= lp->columns || mpq_sgn(lp->value[i]) == 0)
      continue;
    mpq_set(coef, lp->value[i]);
    if (variable < n_columns && col[variable].sign < 0)
      mpq_neg(coef, coef);
    ck_id coef_term = pv_rational(prover, coef);
    if (variable == n_columns) {
      pv_summand summand = {coef_term, NULL, 0};
      as_vec_push(&comb.summands, &summand);
      continue;
    }
    const fact *f = col[variable].fact;
    pv_comb_add_product(&comb, coef_term, f->premises[0], f->count == 2 ? f->premises[1] : PV_REFL);
  }
  mpq_clear(coef);
  return pv_comb_prove(prover, &comb, pv_gt0(prover, prover->zero));
}

/* 0 < 0 from the facts: sum x_i v_i = 0 with the x_i of strict facts adding up to 1; the last
 * column is 0 < 1 */
static pv_thm refute(pv *prover, const fact_list *known) {
  const pv_mono *rows[MAX_ROWS];
  pv_mono unit = {prover->one, 0, NULL};
  column col[2 * MAX_COLS + 1];
  uint32_t n_rows = 1;
  uint32_t n_columns = 0;
  pv_thm cases = PV_NONE;
  rows[0] = &unit;
  for (uint32_t i = 0; i < known->count; i++) {
    for (uint32_t j = 0; j < known->fact[i].value.count; j++) {
      if (row_of(&known->fact[i].value.monos[j], rows, &n_rows) < 0)
        return PV_NONE;
    }
    col[n_columns++] = (column){&known->fact[i], 1};
    if (known->fact[i].eq)
      col[n_columns++] = (column){&known->fact[i], -1};
  }
  pv_lp lp;
  pv_lp_init(&lp, n_rows + 1, n_columns + 1);
  prover->work += (uint64_t)lp.rows * lp.columns;
  const mpq_t *one = ck_q_value(prover->terms, prover->one);
  for (uint32_t i = 0; i < n_columns; i++) {
    const pv_poly *value = &col[i].fact->value;
    for (uint32_t j = 0; j < value->count; j++)
      pv_lp_set(&lp, (uint32_t)row_of(&value->monos[j], rows, &n_rows), i,
                ck_q_value(prover->terms, value->monos[j].coef), col[i].sign);
    if (col[i].fact->strict)
      pv_lp_set(&lp, n_rows, i, one, 1);
  }
  pv_lp_set(&lp, 0, n_columns, one, 1);
  pv_lp_set(&lp, n_rows, n_columns, one, 1);
  pv_lp_set(&lp, n_rows, lp.columns, one, 1);
  if (pv_lp_solve(prover, &lp))
    cases = combine(prover, &lp, col, n_columns);
  pv_lp_clear(&lp);
  return cases;
}

/* 0 <= x or x <= 0 from the facts, without products; PV_NONE if they do not say */
static pv_thm sign_of(pv *prover, fact_list *known, ck_id term) {
  for (int i = 0; i < 2; i++) {
    ck_id goal = i ? pv_le(prover, term, prover->zero) : pv_ge0(prover, term);
    uint32_t n = known->count;
    pv_thm contradiction;
    pv_lp_push_thm(prover, known, pv_hyp(prover, ck_neg(prover->terms, goal)));
    contradiction = known->count > n ? refute(prover, known) : PV_NONE;
    while (known->count > n)
      pv_poly_clear(&known->fact[--known->count].value);
    if (contradiction != PV_NONE)
      return pv_cases(prover, goal, pv_hyp(prover, goal),
                      pv_from_zero_below_zero(prover, goal, contradiction));
  }
  return PV_NONE;
}

/* signs of the factors of products, where no single fact says them */
static void push_signs(pv *prover, fact_list *known) {
  ck_id atom[8];
  uint32_t n_atoms = 0;
  uint32_t n_facts = known->count;
  for (uint32_t i = 0; i < n_facts; i++) {
    for (uint32_t j = 0; j < known->fact[i].value.count; j++) {
      for (uint32_t k = 0;
           known->fact[i].value.monos[j].degree >= 2 && k < known->fact[i].value.monos[j].degree;
           k++) {
        ck_id factor = known->fact[i].value.monos[j].atoms[k];
        uint32_t at = 0;
        while (at < n_atoms && atom[at] != factor)
          at++;
        if (at == n_atoms && n_atoms < 8)
          atom[n_atoms++] = factor;
      }
    }
  }
  for (uint32_t at = 0; at < n_atoms && known->count < MAX_COLS; at++) {
    bool told = false;
    for (uint32_t i = 0; i < n_facts && !told; i++) {
      const pv_poly *value = &known->fact[i].value;
      uint32_t linear = 0;
      uint32_t others = 0;
      for (uint32_t j = 0; j < value->count; j++) {
        if (value->monos[j].degree == 1 && value->monos[j].atoms[0] == atom[at])
          linear++;
        else if (value->monos[j].degree || pv_const_sign(prover, value->monos[j].coef) > 0)
          others++;
      }
      told = linear == 1 && !others && !known->fact[i].eq;
    }
    if (!told)
      pv_lp_push_thm(prover, known, sign_of(prover, known, atom[at]));
  }
}

/* the goal, whose negation is the first fact, as z*C + R: the sign of C, where it has several
 * terms, by a proof of its own */
static void push_cofactors(pv *prover, pv_ctx ctx, fact_list *known) {
  const pv_poly *other = &known->fact[0].value;
  ck_id atom[6];
  ck_id cofactor[6];
  uint32_t n_atoms = 0;
  for (uint32_t i = 0; i < other->count; i++) {
    for (uint32_t j = 0; other->monos[i].degree >= 2 && j < other->monos[i].degree; j++) {
      ck_id factor = other->monos[i].atoms[j];
      uint32_t at = 0;
      pv_poly quotient;
      while (at < n_atoms && atom[at] != factor)
        at++;
      if (at < n_atoms || n_atoms == 6 || !ck_is_int(prover->terms, factor))
        continue;
      pv_poly_init(&quotient);
      for (uint32_t k = 0; k < other->count; k++) {
        ck_id *rest = as_malloc((other->monos[k].degree + 1) * sizeof *rest);
        int degree = pv_mono_div(other->monos[k].atoms, other->monos[k].degree, &factor, 1, rest);
        if (degree >= 0)
          pv_poly_add_mono(prover, &quotient,
                           pv_const_mul(prover, other->monos[k].coef, pv_num(prover, -1)), rest,
                           (uint32_t)degree);
        free(rest);
      }
      atom[n_atoms] = factor;
      cofactor[n_atoms] = quotient.count > 1 ? pv_poly_term(prover, &quotient) : CK_BAD;
      n_atoms++;
      pv_poly_clear(&quotient);
    }
  }
  prover->cofactors = true; /* one level of it */
  for (uint32_t at = 0; at < n_atoms; at++) {
    if (cofactor[at] == CK_BAD || !ck_is_int(prover->terms, cofactor[at]))
      continue;
    pv_thm thm = pv_follows(prover, ctx, pv_le(prover, prover->one, cofactor[at]));
    pv_lp_push_thm(prover, known,
                   thm != PV_NONE ? thm : pv_follows(prover, ctx, pv_ge0(prover, cofactor[at])));
  }
  prover->cofactors = false;
}

static bool has_app(pv *prover, ck_id term) {
  if (ck_head(prover->terms, term) == CK_APP)
    return true;
  for (uint32_t i = 0, n = ck_nkids(prover->terms, term); i < n; i++) {
    if (has_app(prover, ck_kid(prover->terms, term, i)))
      return true;
  }
  return false;
}

/* clauses at what the newest relations between reals speak of */
static void push_clauses_of_hyps(pv *prover, pv_ctx ctx, fact_list *known) {
  enum { NEWEST = 4 };

  uint32_t n = 0;
  for (pv_ctx link = ctx; link != 0 && n < NEWEST; link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    ck_op head = ck_head(prover->terms, formula);
    if ((head != CK_LE && head != CK_LT) ||
        ck_is_int(prover->terms, ck_kid(prover->terms, formula, 1)))
      continue;
    n++;
    pv_lp_push_clauses(prover, ctx, ck_kid(prover->terms, formula, 0), known);
    pv_lp_push_clauses(prover, ctx, ck_kid(prover->terms, formula, 1), known);
  }
}

static pv_thm search(pv *prover, pv_ctx ctx, ck_id term, pv_thm neg) {
  fact_list *known = as_malloc(sizeof *known);
  pv_thm thm;
  known->count = 0;
  if (neg != PV_REFL)
    pv_lp_push_thm(prover, known, neg);
  if (term != CK_BAD && (!ck_is_int(prover->terms, term) || has_app(prover, term)))
    pv_lp_push_clauses(prover, ctx, term, known);
  else if (term == CK_BAD)
    push_clauses_of_hyps(prover, ctx, known);
  pv_lp_push_hyps(prover, ctx, known, neg == PV_REFL);
  pv_lp_push_atoms(prover, ctx, known);
  pv_lp_push_hyps(prover, ctx, known, false); /* atoms bring others */
  thm = known->count ? refute(prover, known) : PV_NONE;
  if (thm == PV_NONE && known->count) {
    uint32_t n = known->count;
    pv_lp_push_rules(prover, ctx, known);
    if (neg != PV_REFL && !prover->cofactors)
      push_cofactors(prover, ctx, known);
    push_signs(prover, known);
    pv_lp_push_order(prover, ctx, known);
    pv_lp_push_products(prover, known);
    if (known->count > n)
      thm = refute(prover, known);
    n = known->count;
    if (thm == PV_NONE && neg == PV_REFL)
      pv_lp_push_all_products(prover, known);
    if (known->count > n)
      thm = refute(prover, known);
  }
  for (uint32_t i = 0; i < known->count; i++)
    pv_poly_clear(&known->fact[i].value);
  free(known);
  return thm;
}

/* the relation g between zero and a normal term (or that this is not 0), which is `raw` as it was
 * written */
static pv_thm by_refutation(pv *prover, pv_ctx ctx, ck_id goal, ck_id raw) {
  ck_id negated = ck_neg(prover->terms, goal);
  pv_thm contradiction = search(prover, ctx, raw, pv_hyp(prover, negated));
  pv_thm bad = pv_from_zero_below_zero(prover, goal, contradiction);
  return contradiction == PV_NONE ? PV_NONE : pv_cases(prover, goal, pv_hyp(prover, goal), bad);
}

static pv_thm lp_now(pv *prover, pv_ctx ctx, ck_id formula) {
  ck_op head = ck_head(prover->terms, formula);
  ck_id left = ck_kid(prover->terms, formula, 0);
  ck_id right = ck_kid(prover->terms, formula, 1);
  ck_id diff = head == CK_NE          ? (right == prover->zero ? left : pv_sub(prover, right, left))
               : left == prover->zero ? right
                                      : pv_sub(prover, right, left);
  if (head == CK_EQ) {
    pv_thm upward = lp_now(prover, ctx, pv_le(prover, left, right));
    pv_thm downward = upward == PV_NONE ? PV_NONE : lp_now(prover, ctx, pv_le(prover, right, left));
    return pv_antisym(prover, upward, downward);
  }
  pv_eqn eqn = pv_norm(prover, ctx, diff);
  if (eqn.by == PV_NONE || eqn.to == CK_BAD)
    return PV_NONE;
  pv_thm thm = by_refutation(prover, ctx,
                             head == CK_NE ? pv_rel(prover, head, eqn.to, prover->zero)
                                           : pv_rel(prover, head, prover->zero, eqn.to),
                             diff);
  if (thm == PV_NONE)
    return PV_NONE;
  pv_comb comb;
  pv_comb_init(&comb); /* 0 <= e.t, d = e.t; e.t # 0 has value -e.t */
  pv_comb_add(&comb, head == CK_NE && right != prover->zero ? pv_num(prover, -1) : prover->one,
              thm);
  pv_comb_add(&comb, head == CK_NE && right == prover->zero ? prover->one : pv_num(prover, -1),
              eqn.by);
  return pv_comb_prove(prover, &comb, formula);
}

pv_thm pv_lp_prove(pv *prover, pv_ctx ctx, ck_id formula) {
  return formula == CK_BAD
             ? PV_NONE
             : pv_lp_prove_within(prover, pv_ctx_strip(prover, ctx, formula), formula);
}

pv_thm pv_lp_prove_within(pv *prover, pv_ctx ctx, ck_id formula) {
  uint64_t known;
  uint64_t key = prover->fact_busy.n ? 7 : 4;
  if (formula == CK_BAD || pv_spent(prover))
    return PV_NONE;
  if (as_map_get(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | formula, key), &known))
    return (uint32_t)known;
  as_map_put(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | formula, key), PV_NONE);
  pv_thm thm = lp_now(prover, ctx, formula);
  as_map_put(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | formula, key), thm);
  return thm;
}

pv_thm pv_lp_contradiction(pv *prover, pv_ctx ctx) {
  uint64_t known;
  if (as_map_get(&prover->rel_memo, AS_KEY(ctx, 5), &known))
    return (uint32_t)known;
  as_map_put(&prover->rel_memo, AS_KEY(ctx, 5), PV_NONE);
  pv_thm thm = PV_NONE;
  for (pv_ctx link = ctx; link != 0 && thm == PV_NONE && !pv_spent(prover);
       link = pv_at(prover, link)->parent) { /* a hypothesis that is false by itself */
    ck_op head = ck_head(prover->terms, pv_at(prover, link)->formula);
    ck_id normal;
    ck_id bad = pv_gt0(prover, prover->zero);
    pv_thm found;
    if (head == CK_ALL ||
        (found = pv_fact_normal(prover, ctx, pv_at(prover, link)->thm, &normal)) == PV_NONE ||
        !pv_is_const(prover, normal))
      continue;
    if (head == CK_NE) {
      if (pv_is_zero(prover, normal))
        thm = pv_from_zero_differs(prover, bad, found);
    } else if (pv_is_zero(prover, normal)) {
      if (head == CK_LT)
        thm = found;
    } else if (head == CK_EQ) {
      thm = pv_from_zero_is_one(prover, bad,
                                pv_scaled(prover, pv_eq(prover, prover->zero, prover->one),
                                          pv_const_inv(prover, normal), found));
    } else if (pv_const_sign(prover, normal) < 0) {
      pv_summand summand[2] = {{prover->one, &found, 1},
                               {pv_const_mul(prover, normal, pv_num(prover, -1)), NULL, 0}};
      thm = pv_arith(prover, bad, summand, 2);
    }
  }
  if (thm == PV_NONE && ctx != 0 && !pv_spent(prover))
    thm = search(prover, ctx, CK_BAD, PV_REFL);
  as_map_put(&prover->rel_memo, AS_KEY(ctx, 5), thm);
  return thm;
}
