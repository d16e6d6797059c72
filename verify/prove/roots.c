/* Logarithms and square roots.  Both are inverses, so everything follows from one lemma each: exp
 * is one to one; a root is the only nonnegative number with its square.  Logarithms of products of
 * positive factors become sums, roots of products of nonnegative factors products; what stays
 * inside is primitive. */
#include "pv_norm.h"

enum { MAXF = 24 };

static pv_thm exp_pos(pv *prover, ck_id x) {
  pv_var_sub vars = {pv_real_var(prover, "x"), x};
  return pv_use_lemma(prover, PV_EXP_POS, &vars, 1, NULL, 0, NULL, 0);
}

static pv_thm inst2(pv *prover, pv_lemma_id l, ck_id x, ck_id y, pv_thm a, pv_thm b) {
  pv_var_sub vars[2] = {{pv_real_var(prover, "x"), x}, {pv_real_var(prover, "y"), y}};
  pv_thm premises[2] = {a, b};
  return pv_use_lemma(prover, l, vars, 2, NULL, 0, premises, b == PV_REFL ? 1 : 2);
}

/* exp x = exp y  gives  x = y.  If x < y: exp y = exp x * exp(y - x) >= exp x * (1 + y - x) > exp
 * x. */
pv_thm pv_derive_exp_inj(pv *prover) {
  ck_id v[2] = {pv_real_var(prover, "x"), pv_real_var(prover, "y")};
  ck_id h = pv_eq(prover, pv_exp(prover, v[0]), pv_exp(prover, v[1]));
  pv_thm halves[2];
  pv_thm hyp = pv_hyp(prover, h);
  for (int i = 0; i < 2; i++) {
    ck_id x = v[i];
    ck_id y = v[1 - i];
    ck_id d = pv_sub(prover, y, x);
    ck_id xd = pv_add(prover, x, d);
    ck_id two[2] = {x, d};
    ck_id f = pv_le(prover, y, x);
    pv_thm lt = pv_hyp(prover, pv_lt(prover, x, y));
    pv_thm plus = pv_law(prover, "exp+", two, 2, PV_NONE);
    pv_thm arg = pv_identity(prover, pv_eq(prover, xd, y));
    pv_thm c = pv_cong(prover, pv_exp(prover, xd), pv_exp(prover, y), &arg, 1);
    pv_thm gt = pv_law(prover, "exp>", &d, 1, PV_NONE);
    pv_thm pos = exp_pos(prover, x);
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add_product(&comb, prover->one, pos, lt);
    pv_comb_add_product(&comb, prover->one, pos,
                        gt); /* exp x*(y-x) > 0; exp x*(exp d - 1 - d) >= 0 */
    pv_comb_add(&comb, pv_num(prover, -1), plus);
    pv_comb_add(&comb, prover->one, c);
    pv_comb_add(&comb, pv_num(prover, i ? 1 : -1), hyp);
    halves[i] =
        pv_cases(prover, f, pv_hyp(prover, f),
                 pv_from_zero_below_zero(
                     prover, f, pv_comb_prove(prover, &comb, pv_gt0(prover, prover->zero))));
  }
  return pv_antisym(prover, halves[1], halves[0]);
}

/* 0 < x, exp y = x  gives  log x = y */
pv_thm pv_derive_log_of(pv *prover) {
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_real_var(prover, "y");
  ck_id l = pv_log(prover, x);
  pv_thm a = pv_law(prover, "log", &x, 1, pv_hyp(prover, pv_gt0(prover, x)));
  pv_thm b = pv_hyp(prover, pv_eq(prover, pv_exp(prover, y), x));
  pv_thm thm = pv_trans(prover, a, pv_sym(prover, b));
  return inst2(prover, PV_EXP_INJ, l, y, thm, PV_REFL);
}

/* 0 <= y, y*y = x  gives  sqrt x = y: (s - y)*(s + y) = 0, so s <= y and y <= s */
pv_thm pv_derive_sqrt_of(pv *prover) {
  ck_id x = pv_real_var(prover, "x");
  ck_id y = pv_real_var(prover, "y");
  ck_id s = pv_sqrt(prover, x);
  pv_thm hy = pv_hyp(prover, pv_ge0(prover, y));
  pv_thm hx = pv_hyp(prover, pv_eq(prover, pv_mul(prover, y, y), x));
  pv_thm y2[2] = {hy, hy};
  pv_thm halves[2];
  pv_summand summand[2] = {{prover->one, y2, 2}, {prover->one, &hx, 1}};
  pv_thm x0 = pv_arith(prover, pv_ge0(prover, x), summand, 2);
  pv_thm sq = pv_law(prover, "sqrt2", &x, 1, x0);
  pv_thm s0 = pv_law(prover, "sqrt>", &x, 1, x0);
  for (int i = 0; i < 2; i++) {
    ck_id a = i ? y : s;
    ck_id b = i ? s : y;
    ck_id f = pv_le(prover, a, b);
    pv_thm lt = pv_hyp(prover, pv_lt(prover, b, a));
    pv_comb comb;
    pv_comb_init(&comb); /* b < a: (a-b)*(a-b) > 0 and (a-b)*b >= 0 give a*a - b*b > 0 */
    pv_comb_add_product(&comb, prover->one, lt, lt);
    pv_comb_add_product(&comb, pv_num(prover, 2), lt, i ? s0 : hy);
    pv_comb_add(&comb, i ? prover->one : pv_num(prover, -1), pv_sym(prover, sq));
    pv_comb_add(&comb, i ? prover->one : pv_num(prover, -1), hx);
    pv_thm bad = pv_comb_prove(prover, &comb, pv_gt0(prover, prover->zero));
    halves[i] = pv_cases(prover, f, pv_hyp(prover, f), pv_from_zero_below_zero(prover, f, bad));
  }
  return pv_antisym(prover, halves[0], halves[1]);
}

/* t = log u or sqrt u equals w: s proves exp w = u, or w*w = u with ge: 0 <= w */
static pv_thm log_is(pv *prover, ck_id u, ck_id w, pv_thm pos, pv_thm thm) {
  return inst2(prover, PV_LOG_OF, u, w, pos, thm);
}

static pv_thm sqrt_is(pv *prover, ck_id u, ck_id w, pv_thm nonneg, pv_thm thm) {
  return inst2(prover, PV_SQRT_OF, u, w, nonneg, thm);
}

/* u = 0 up to normal form: theorem a = b for closed terms that normalise alike */
static pv_thm same_normal(pv *prover, pv_ctx ctx, ck_id a, ck_id b) {
  pv_eqn x = pv_norm(prover, ctx, a);
  pv_eqn y = pv_norm(prover, ctx, b);
  if (x.by == PV_NONE || y.by == PV_NONE || x.to != y.to)
    return PV_NONE;
  pv_thm thm = pv_trans(prover, x.by, pv_sym(prover, y.by));
  return thm == PV_REFL ? pv_refl(prover, a) : thm;
}

/* log of one factor known to be positive, as a term whose exponential is that factor */
static ck_id log_factor(pv *prover, ck_id f) {
  ck_op head = ck_head(prover->terms, f);
  if (pv_is_one(prover, f))
    return prover->zero;
  if (head == CK_EXP)
    return ck_kid(prover->terms, f, 0);
  if (head == CK_INV)
    return pv_neg(prover, log_factor(prover, ck_kid(prover->terms, f, 0)));
  return pv_log(prover, f);
}

pv_eqn pv_norm_log(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id u = ck_kid(prover->terms, term, 0);
  ck_id f[MAXF + 1];
  ck_id w = CK_BAD;
  uint32_t n = pv_normal_factors(prover, ctx, u, f, MAXF);
  pv_thm pos;
  if (pv_is_const(prover, u) && !pv_is_one(prover, u))
    return pv_same(term);
  for (uint32_t i = 0; i < n; i++) {
    if (pv_positive(prover, ctx, f[i]) == PV_NONE)
      return pv_same(term);
    ck_id l = log_factor(prover, f[i]);
    w = w == CK_BAD ? l : pv_add(prover, w, l);
  }
  if (w == term || (pos = pv_positive(prover, ctx, u)) == PV_NONE)
    return pv_same(term);
  pv_thm thm = same_normal(prover, ctx, pv_exp(prover, w), u);
  pv_eqn eqn = {w, log_is(prover, u, w, pos, thm)};
  return eqn.by == PV_NONE ? pv_same(term) : pv_then(prover, eqn, pv_norm(prover, ctx, w));
}

/* a rational whose square is q */
static ck_id q_root(pv *prover, ck_id q) {
  mpq_t x;
  ck_id r = CK_BAD;
  mpq_init(x);
  mpq_set(x, *ck_q_value(prover->terms, q));
  if (mpz_perfect_square_p(mpq_numref(x)) && mpz_perfect_square_p(mpq_denref(x))) {
    mpz_sqrt(mpq_numref(x), mpq_numref(x));
    mpz_sqrt(mpq_denref(x), mpq_denref(x));
    r = ck_q(prover->terms, x);
  }
  mpq_clear(x);
  return r;
}

/* root of one factor known not to be negative */
static ck_id root_factor(pv *prover, pv_ctx ctx, ck_id f) {
  ck_op head = ck_head(prover->terms, f);
  ck_id q = pv_is_const(prover, f) ? q_root(prover, f) : CK_BAD;
  if (q != CK_BAD)
    return q;
  if (head == CK_EXP)
    return pv_exp(prover, pv_mul(prover, pv_const_inv(prover, pv_num(prover, 2)),
                                 ck_kid(prover->terms, f, 0)));
  if (head == CK_INV && pv_positive(prover, ctx, ck_kid(prover->terms, f, 0)) != PV_NONE)
    return pv_inv(prover, root_factor(prover, ctx, ck_kid(prover->terms, f, 0)));
  return pv_sqrt(prover, f);
}

pv_eqn pv_norm_sqrt(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id u = ck_kid(prover->terms, term, 0);
  ck_id f[MAXF + 1];
  ck_id w = CK_BAD;
  uint32_t n = pv_normal_factors(prover, ctx, u, f, MAXF);
  for (uint32_t i = 0; i < n; i++) {
    ck_id r;
    if (i + 1 < n && f[i] == f[i + 1]) { /* a square: absolute value */
      r = pv_nonneg(prover, ctx, f[i]) != PV_NONE
              ? f[i]
              : ck_ite(prover->terms, pv_ge0(prover, f[i]), f[i], pv_neg(prover, f[i]));
      i++;
    } else {
      if (pv_nonneg(prover, ctx, f[i]) == PV_NONE)
        return pv_same(term);
      r = root_factor(prover, ctx, f[i]);
    }
    w = w == CK_BAD ? r : pv_mul(prover, w, r);
  }
  if (w == term)
    return pv_same(term);
  pv_thm nonneg = pv_follows(prover, ctx, pv_ge0(prover, w));
  pv_thm thm = nonneg == PV_NONE ? PV_NONE : pv_prove_eq(prover, ctx, pv_mul(prover, w, w), u, 0);
  pv_eqn eqn = {w, sqrt_is(prover, u, w, nonneg, thm)};
  return eqn.by == PV_NONE ? pv_same(term) : pv_then(prover, eqn, pv_norm(prover, ctx, w));
}
