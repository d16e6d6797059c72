/* Relations by refutation: the negated goal, the hypotheses in normal form, what is known of the
 * atoms, and products of two of these give 0 < 0 by a nonnegative combination.  A linear programme
 * over the monomials, solved exactly (free of floating point, by a fixed pivot rule, so that it
 * ends and gives the same answer everywhere).  Facts of integers are tightened (a < b is a + 1 <=
 * b), the negated goal too, so that bounds are rounded.  Only facts that are connected to the goal
 * by shared atoms take part. */
#include "pv_lp.h"
#include "pv_norm.h"
#include "src/base/mem.h"
#include <flint/fmpq.h>
#include <flint/fmpq_mat.h>
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
    if (rows[i]->degree == mono->degree &&
        (!mono->degree || !memcmp(rows[i]->atoms, mono->atoms, mono->degree * sizeof *mono->atoms)))
      return (int)i;
  }
  if (*n == MAX_ROWS)
    return -1;
  rows[*n] = mono;
  return (int)(*n)++;
}

static void set_q(pv *prover, fmpq_t x, ck_id q, int sign) {
  fmpq_set_mpq(x, *ck_q_value(prover->terms, q));
  if (sign < 0)
    fmpq_neg(x, x);
}

/* 0 < 0 from the facts: sum x_i v_i = 0 with the x_i of strict facts adding up to 1; the last
 * column is 0 < 1 */
static pv_thm refute(pv *prover, const fact_list *known) {
  const pv_mono *rows[MAX_ROWS];
  pv_mono unit = {prover->one, 0, NULL};
  column col[2 * MAX_COLS + 1];
  uint32_t nr = 1;
  uint32_t nc = 0;
  pv_thm cases = PV_NONE;
  slong basis[MAX_ROWS + 1];
  fmpq_mat_t tableau;
  rows[0] = &unit;
  for (uint32_t i = 0; i < known->count; i++) {
    for (uint32_t j = 0; j < known->fact[i].value.count; j++) {
      if (row_of(&known->fact[i].value.monos[j], rows, &nr) < 0)
        return PV_NONE;
    }
    col[nc++] = (column){&known->fact[i], 1};
    if (known->fact[i].eq)
      col[nc++] = (column){&known->fact[i], -1};
  }
  slong nrows = (slong)nr + 1;
  slong cols = (slong)nc + 1;
  prover->work += (uint64_t)nrows * (uint64_t)cols;
  fmpq_mat_init(tableau, nrows, cols + 1);
  for (uint32_t i = 0; i < nc; i++) {
    const pv_poly *value = &col[i].fact->value;
    for (uint32_t j = 0; j < value->count; j++)
      set_q(prover, fmpq_mat_entry(tableau, row_of(&value->monos[j], rows, &nr), i),
            value->monos[j].coef, col[i].sign);
    if (col[i].fact->strict)
      fmpq_set_si(fmpq_mat_entry(tableau, nr, i), 1, 1);
  }
  fmpq_set_si(fmpq_mat_entry(tableau, 0, cols - 1), 1, 1);
  fmpq_set_si(fmpq_mat_entry(tableau, nr, cols - 1), 1, 1);
  fmpq_set_si(fmpq_mat_entry(tableau, nr, cols), 1, 1);
  if (pv_lp_solve(prover, tableau, nrows, cols, basis)) {
    mpq_t coef;
    pv_comb comb;
    mpq_init(coef);
    pv_comb_init(&comb);
    for (slong i = 0; i < nrows; i++) {
      if (basis[i] >= cols || fmpq_is_zero(fmpq_mat_entry(tableau, i, cols)))
        continue;
      fmpq_get_mpq(coef, fmpq_mat_entry(tableau, i, cols));
      if (basis[i] < (slong)nc && col[basis[i]].sign < 0)
        mpq_neg(coef, coef);
      ck_id co = ck_q(prover->terms, coef);
      if (basis[i] == (slong)nc) {
        pv_summand summand = {co, NULL, 0};
        as_vec_push(&comb.summands, &summand);
        continue;
      }
      const fact *f = col[basis[i]].fact;
      pv_comb_add_product(&comb, co, f->premises[0], f->count == 2 ? f->premises[1] : PV_REFL);
    }
    cases = pv_comb_prove(prover, &comb, pv_gt0(prover, prover->zero));
    mpq_clear(coef);
  }
  fmpq_mat_clear(tableau);
  return cases;
}

/* 0 <= x or x <= 0 from the facts, without products; PV_NONE if they do not say */
static pv_thm sign_of(pv *prover, fact_list *known, ck_id x) {
  for (int i = 0; i < 2; i++) {
    ck_id g = i ? pv_le(prover, x, prover->zero) : pv_ge0(prover, x);
    uint32_t n = known->count;
    pv_thm z;
    pv_lp_push_thm(prover, known, pv_hyp(prover, ck_neg(prover->terms, g)));
    z = known->count > n ? refute(prover, known) : PV_NONE;
    while (known->count > n)
      pv_poly_clear(&known->fact[--known->count].value);
    if (z != PV_NONE)
      return pv_cases(prover, g, pv_hyp(prover, g), pv_from_zero_below_zero(prover, g, z));
  }
  return PV_NONE;
}

/* signs of the factors of products, where no single fact says them */
static void push_signs(pv *prover, fact_list *known) {
  ck_id x[8];
  uint32_t n = 0;
  uint32_t nf = known->count;
  for (uint32_t i = 0; i < nf; i++) {
    for (uint32_t j = 0; j < known->fact[i].value.count; j++) {
      for (uint32_t k = 0;
           known->fact[i].value.monos[j].degree >= 2 && k < known->fact[i].value.monos[j].degree;
           k++) {
        ck_id a = known->fact[i].value.monos[j].atoms[k];
        uint32_t l = 0;
        while (l < n && x[l] != a)
          l++;
        if (l == n && n < 8)
          x[n++] = a;
      }
    }
  }
  for (uint32_t l = 0; l < n && known->count < MAX_COLS; l++) {
    bool told = false;
    for (uint32_t i = 0; i < nf && !told; i++) {
      const pv_poly *value = &known->fact[i].value;
      uint32_t lin = 0;
      uint32_t others = 0;
      for (uint32_t j = 0; j < value->count; j++) {
        if (value->monos[j].degree == 1 && value->monos[j].atoms[0] == x[l])
          lin++;
        else if (value->monos[j].degree || pv_const_sign(prover, value->monos[j].coef) > 0)
          others++;
      }
      told = lin == 1 && !others && !known->fact[i].eq;
    }
    if (!told)
      pv_lp_push_thm(prover, known, sign_of(prover, known, x[l]));
  }
}

/* the goal, whose negation is the first fact, as z*C + R: the sign of C, where it has several
 * terms, by a proof of its own */
static void push_cofactors(pv *prover, pv_ctx ctx, fact_list *known) {
  const pv_poly *other = &known->fact[0].value;
  ck_id z[6];
  ck_id c[6];
  uint32_t n = 0;
  for (uint32_t i = 0; i < other->count; i++) {
    for (uint32_t j = 0; other->monos[i].degree >= 2 && j < other->monos[i].degree; j++) {
      ck_id a = other->monos[i].atoms[j];
      uint32_t l = 0;
      pv_poly quotient;
      while (l < n && z[l] != a)
        l++;
      if (l < n || n == 6 || !ck_is_int(prover->terms, a))
        continue;
      pv_poly_init(&quotient);
      for (uint32_t k = 0; k < other->count; k++) {
        ck_id *rest = as_malloc((other->monos[k].degree + 1) * sizeof *rest);
        int m = pv_mono_div(other->monos[k].atoms, other->monos[k].degree, &a, 1, rest);
        if (m >= 0)
          pv_poly_add_mono(prover, &quotient,
                           pv_const_mul(prover, other->monos[k].coef, pv_num(prover, -1)), rest,
                           (uint32_t)m);
        free(rest);
      }
      z[n] = a;
      c[n] = quotient.count > 1 ? pv_poly_term(prover, &quotient) : CK_BAD;
      n++;
      pv_poly_clear(&quotient);
    }
  }
  prover->cofactors = true; /* one level of it */
  for (uint32_t l = 0; l < n; l++) {
    if (c[l] == CK_BAD || !ck_is_int(prover->terms, c[l]))
      continue;
    pv_thm thm = pv_follows(prover, ctx, pv_le(prover, prover->one, c[l]));
    pv_lp_push_thm(prover, known,
                   thm != PV_NONE ? thm : pv_follows(prover, ctx, pv_ge0(prover, c[l])));
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

static pv_thm search(pv *prover, pv_ctx ctx, ck_id term, pv_thm neg) {
  fact_list *known = as_malloc(sizeof *known);
  pv_thm thm;
  known->count = 0;
  if (neg != PV_REFL)
    pv_lp_push_thm(prover, known, neg);
  if (term != CK_BAD && (!ck_is_int(prover->terms, term) || has_app(prover, term)))
    pv_lp_push_clauses(prover, ctx, term, known);
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
    pv_lp_push_products(prover, known);
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
static pv_thm by_refutation(pv *prover, pv_ctx ctx, ck_id g, ck_id raw) {
  ck_id n = ck_neg(prover->terms, g);
  pv_thm z = search(prover, ctx, raw, pv_hyp(prover, n));
  pv_thm bad = pv_from_zero_below_zero(prover, g, z);
  return z == PV_NONE ? PV_NONE : pv_cases(prover, g, pv_hyp(prover, g), bad);
}

static pv_thm lp_now(pv *prover, pv_ctx ctx, ck_id formula) {
  ck_op head = ck_head(prover->terms, formula);
  ck_id a = ck_kid(prover->terms, formula, 0);
  ck_id b = ck_kid(prover->terms, formula, 1);
  ck_id d = head == CK_NE       ? (b == prover->zero ? a : pv_sub(prover, b, a))
            : a == prover->zero ? b
                                : pv_sub(prover, b, a);
  if (head == CK_EQ) {
    pv_thm x = lp_now(prover, ctx, pv_le(prover, a, b));
    pv_thm y = x == PV_NONE ? PV_NONE : lp_now(prover, ctx, pv_le(prover, b, a));
    return pv_antisym(prover, x, y);
  }
  pv_eqn eqn = pv_norm(prover, ctx, d);
  if (eqn.by == PV_NONE || eqn.to == CK_BAD)
    return PV_NONE;
  pv_thm thm = by_refutation(prover, ctx,
                             head == CK_NE ? pv_rel(prover, head, eqn.to, prover->zero)
                                           : pv_rel(prover, head, prover->zero, eqn.to),
                             d);
  if (thm == PV_NONE)
    return PV_NONE;
  pv_comb comb;
  pv_comb_init(&comb); /* 0 <= e.t, d = e.t; e.t # 0 has value -e.t */
  pv_comb_add(&comb, head == CK_NE && b != prover->zero ? pv_num(prover, -1) : prover->one, thm);
  pv_comb_add(&comb, head == CK_NE && b == prover->zero ? prover->one : pv_num(prover, -1), eqn.by);
  return pv_comb_prove(prover, &comb, formula);
}

pv_thm pv_lp_prove(pv *prover, pv_ctx ctx, ck_id formula) {
  return formula == CK_BAD
             ? PV_NONE
             : pv_lp_prove_within(prover, pv_ctx_strip(prover, ctx, formula), formula);
}

pv_thm pv_lp_prove_within(pv *prover, pv_ctx ctx, ck_id formula) {
  uint64_t v;
  uint64_t key = prover->fact_busy.n ? 7 : 4;
  if (formula == CK_BAD || pv_spent(prover))
    return PV_NONE;
  if (as_map_get(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | formula, key), &v))
    return (uint32_t)v;
  as_map_put(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | formula, key), PV_NONE);
  pv_thm thm = lp_now(prover, ctx, formula);
  as_map_put(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | formula, key), thm);
  return thm;
}

pv_thm pv_lp_contradiction(pv *prover, pv_ctx ctx) {
  uint64_t v;
  if (as_map_get(&prover->rel_memo, AS_KEY(ctx, 5), &v))
    return (uint32_t)v;
  as_map_put(&prover->rel_memo, AS_KEY(ctx, 5), PV_NONE);
  pv_thm thm = PV_NONE;
  for (pv_ctx link = ctx; link != 0 && thm == PV_NONE && !pv_spent(prover);
       link = pv_at(prover, link)->parent) { /* a hypothesis that is false by itself */
    ck_op head = ck_head(prover->terms, pv_at(prover, link)->formula);
    ck_id normal;
    ck_id bad = pv_gt0(prover, prover->zero);
    pv_thm u;
    if (head == CK_ALL ||
        (u = pv_fact_normal(prover, ctx, pv_at(prover, link)->thm, &normal)) == PV_NONE ||
        !pv_is_const(prover, normal))
      continue;
    if (head == CK_NE) {
      if (pv_is_zero(prover, normal))
        thm = pv_from_zero_differs(prover, bad, u);
    } else if (pv_is_zero(prover, normal)) {
      if (head == CK_LT)
        thm = u;
    } else if (head == CK_EQ) {
      thm = pv_from_zero_is_one(prover, bad,
                                pv_scaled(prover, pv_eq(prover, prover->zero, prover->one),
                                          pv_const_inv(prover, normal), u));
    } else if (pv_const_sign(prover, normal) < 0) {
      pv_summand summand[2] = {{prover->one, &u, 1},
                               {pv_const_mul(prover, normal, pv_num(prover, -1)), NULL, 0}};
      thm = pv_arith(prover, bad, summand, 2);
    }
  }
  if (thm == PV_NONE && ctx != 0 && !pv_spent(prover))
    thm = search(prover, ctx, CK_BAD, PV_REFL);
  as_map_put(&prover->rel_memo, AS_KEY(ctx, 5), thm);
  return thm;
}
