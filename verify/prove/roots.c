/* Logarithms and square roots.  Both are inverses, so everything follows from one lemma each: exp
 * is one to one; a root is the only nonnegative number with its square.  Logarithms of products of
 * positive factors become sums, roots of products of nonnegative factors products; what stays
 * inside is primitive. */
#include "pv_norm.h"

enum { MAXF = 24 };

/* t = log u or sqrt u equals w: s proves exp w = u, or w*w = u with ge: 0 <= w */
static pv_thm log_is(pv *prover, ck_id u, ck_id w, pv_thm pos, pv_thm thm) {
  return pv_lemma_xy(prover, PV_LOG_OF, u, w, pos, thm);
}

static pv_thm sqrt_is(pv *prover, ck_id u, ck_id w, pv_thm nonneg, pv_thm thm) {
  return pv_lemma_xy(prover, PV_SQRT_OF, u, w, nonneg, thm);
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
