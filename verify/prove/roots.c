/* Logarithms and square roots.  Both are inverses, so everything follows from one lemma each: exp
 * is one to one; a root is the only nonnegative number with its square.  Logarithms of products of
 * positive factors become sums, roots of products of nonnegative factors products; what stays
 * inside is primitive. */
#include "pv_norm.h"

enum { MAXF = 24 };

static pv_thm exp_pos(pv *p, ck_id x) {
  pv_var_sub v = {pv_real_var(p, "x"), x};
  return pv_use_lemma(p, PV_EXP_POS, &v, 1, NULL, 0, NULL, 0);
}

static pv_thm inst2(pv *p, pv_lemma_id l, ck_id x, ck_id y, pv_thm a, pv_thm b) {
  pv_var_sub v[2] = {{pv_real_var(p, "x"), x}, {pv_real_var(p, "y"), y}};
  pv_thm prem[2] = {a, b};
  return pv_use_lemma(p, l, v, 2, NULL, 0, prem, b == PV_REFL ? 1 : 2);
}

/* exp x = exp y  gives  x = y.  If x < y: exp y = exp x * exp(y - x) >= exp x * (1 + y - x) > exp
 * x. */
pv_thm pv_derive_exp_inj(pv *p) {
  ck_id v[2] = {pv_real_var(p, "x"), pv_real_var(p, "y")};
  ck_id h = pv_eq(p, pv_exp(p, v[0]), pv_exp(p, v[1]));
  pv_thm half[2];
  pv_thm hyp = pv_hyp(p, h);
  for (int i = 0; i < 2; i++) {
    ck_id x = v[i];
    ck_id y = v[1 - i];
    ck_id d = pv_sub(p, y, x);
    ck_id xd = pv_add(p, x, d);
    ck_id two[2] = {x, d};
    ck_id f = pv_le(p, y, x);
    pv_thm lt = pv_hyp(p, pv_lt(p, x, y));
    pv_thm plus = pv_law(p, "exp+", two, 2, PV_NONE);
    pv_thm arg = pv_identity(p, pv_eq(p, xd, y));
    pv_thm c = pv_cong(p, pv_exp(p, xd), pv_exp(p, y), &arg, 1);
    pv_thm gt = pv_law(p, "exp>", &d, 1, PV_NONE);
    pv_thm pos = exp_pos(p, x);
    pv_comb b;
    pv_comb_init(&b);
    pv_comb_add_product(&b, p->one, pos, lt);
    pv_comb_add_product(&b, p->one, pos, gt); /* exp x*(y-x) > 0; exp x*(exp d - 1 - d) >= 0 */
    pv_comb_add(&b, pv_num(p, -1), plus);
    pv_comb_add(&b, p->one, c);
    pv_comb_add(&b, pv_num(p, i ? 1 : -1), hyp);
    half[i] = pv_cases(p, f, pv_hyp(p, f),
                       pv_from_zero_below_zero(p, f, pv_comb_prove(p, &b, pv_gt0(p, p->zero))));
  }
  return pv_antisym(p, half[1], half[0]);
}

/* 0 < x, exp y = x  gives  log x = y */
pv_thm pv_derive_log_of(pv *p) {
  ck_id x = pv_real_var(p, "x");
  ck_id y = pv_real_var(p, "y");
  ck_id l = pv_log(p, x);
  pv_thm a = pv_law(p, "log", &x, 1, pv_hyp(p, pv_gt0(p, x)));
  pv_thm b = pv_hyp(p, pv_eq(p, pv_exp(p, y), x));
  pv_thm s = pv_trans(p, a, pv_sym(p, b));
  return inst2(p, PV_EXP_INJ, l, y, s, PV_REFL);
}

/* 0 <= y, y*y = x  gives  sqrt x = y: (s - y)*(s + y) = 0, so s <= y and y <= s */
pv_thm pv_derive_sqrt_of(pv *p) {
  ck_id x = pv_real_var(p, "x");
  ck_id y = pv_real_var(p, "y");
  ck_id s = pv_sqrt(p, x);
  pv_thm hy = pv_hyp(p, pv_ge0(p, y));
  pv_thm hx = pv_hyp(p, pv_eq(p, pv_mul(p, y, y), x));
  pv_thm y2[2] = {hy, hy};
  pv_thm half[2];
  pv_summand m[2] = {{p->one, y2, 2}, {p->one, &hx, 1}};
  pv_thm x0 = pv_arith(p, pv_ge0(p, x), m, 2);
  pv_thm sq = pv_law(p, "sqrt2", &x, 1, x0);
  pv_thm s0 = pv_law(p, "sqrt>", &x, 1, x0);
  for (int i = 0; i < 2; i++) {
    ck_id a = i ? y : s;
    ck_id b = i ? s : y;
    ck_id f = pv_le(p, a, b);
    pv_thm lt = pv_hyp(p, pv_lt(p, b, a));
    pv_comb z;
    pv_comb_init(&z); /* b < a: (a-b)*(a-b) > 0 and (a-b)*b >= 0 give a*a - b*b > 0 */
    pv_comb_add_product(&z, p->one, lt, lt);
    pv_comb_add_product(&z, pv_num(p, 2), lt, i ? s0 : hy);
    pv_comb_add(&z, i ? p->one : pv_num(p, -1), pv_sym(p, sq));
    pv_comb_add(&z, i ? p->one : pv_num(p, -1), hx);
    pv_thm bad = pv_comb_prove(p, &z, pv_gt0(p, p->zero));
    half[i] = pv_cases(p, f, pv_hyp(p, f), pv_from_zero_below_zero(p, f, bad));
  }
  return pv_antisym(p, half[0], half[1]);
}

/* t = log u or sqrt u equals w: s proves exp w = u, or w*w = u with ge: 0 <= w */
static pv_thm log_is(pv *p, ck_id u, ck_id w, pv_thm pos, pv_thm s) {
  return inst2(p, PV_LOG_OF, u, w, pos, s);
}

static pv_thm sqrt_is(pv *p, ck_id u, ck_id w, pv_thm ge, pv_thm s) {
  return inst2(p, PV_SQRT_OF, u, w, ge, s);
}

/* u = 0 up to normal form: theorem a = b for closed terms that normalise alike */
static pv_thm same_normal(pv *p, pv_ctx cx, ck_id a, ck_id b) {
  pv_eqn x = pv_norm(p, cx, a);
  pv_eqn y = pv_norm(p, cx, b);
  if (x.by == PV_NONE || y.by == PV_NONE || x.to != y.to)
    return PV_NONE;
  pv_thm s = pv_trans(p, x.by, pv_sym(p, y.by));
  return s == PV_REFL ? pv_refl(p, a) : s;
}

/* log of one factor known to be positive, as a term whose exponential is that factor */
static ck_id log_factor(pv *p, ck_id f) {
  ck_op o = ck_head(p->terms, f);
  if (pv_is_one(p, f))
    return p->zero;
  if (o == CK_EXP)
    return ck_kid(p->terms, f, 0);
  if (o == CK_INV)
    return pv_neg(p, log_factor(p, ck_kid(p->terms, f, 0)));
  return pv_log(p, f);
}

pv_eqn pv_norm_log(pv *p, pv_ctx cx, ck_id t) {
  ck_id u = ck_kid(p->terms, t, 0);
  ck_id f[MAXF + 1];
  ck_id w = CK_BAD;
  uint32_t n = pv_normal_factors(p, cx, u, f, MAXF);
  pv_thm pos;
  if (pv_is_const(p, u) && !pv_is_one(p, u))
    return pv_same(t);
  for (uint32_t i = 0; i < n; i++) {
    if (pv_positive(p, cx, f[i]) == PV_NONE)
      return pv_same(t);
    ck_id l = log_factor(p, f[i]);
    w = w == CK_BAD ? l : pv_add(p, w, l);
  }
  if (w == t || (pos = pv_positive(p, cx, u)) == PV_NONE)
    return pv_same(t);
  pv_thm s = same_normal(p, cx, pv_exp(p, w), u);
  pv_eqn e = {w, log_is(p, u, w, pos, s)};
  return e.by == PV_NONE ? pv_same(t) : pv_then(p, e, pv_norm(p, cx, w));
}

/* a rational whose square is q */
static ck_id q_root(pv *p, ck_id q) {
  mpq_t x;
  ck_id r = CK_BAD;
  mpq_init(x);
  mpq_set(x, *ck_q_value(p->terms, q));
  if (mpz_perfect_square_p(mpq_numref(x)) && mpz_perfect_square_p(mpq_denref(x))) {
    mpz_sqrt(mpq_numref(x), mpq_numref(x));
    mpz_sqrt(mpq_denref(x), mpq_denref(x));
    r = ck_q(p->terms, x);
  }
  mpq_clear(x);
  return r;
}

/* root of one factor known not to be negative */
static ck_id root_factor(pv *p, pv_ctx cx, ck_id f) {
  ck_op o = ck_head(p->terms, f);
  ck_id q = pv_is_const(p, f) ? q_root(p, f) : CK_BAD;
  if (q != CK_BAD)
    return q;
  if (o == CK_EXP)
    return pv_exp(p, pv_mul(p, pv_const_inv(p, pv_num(p, 2)), ck_kid(p->terms, f, 0)));
  if (o == CK_INV && pv_positive(p, cx, ck_kid(p->terms, f, 0)) != PV_NONE)
    return pv_inv(p, root_factor(p, cx, ck_kid(p->terms, f, 0)));
  return pv_sqrt(p, f);
}

pv_eqn pv_norm_sqrt(pv *p, pv_ctx cx, ck_id t) {
  ck_id u = ck_kid(p->terms, t, 0);
  ck_id f[MAXF + 1];
  ck_id w = CK_BAD;
  uint32_t n = pv_normal_factors(p, cx, u, f, MAXF);
  for (uint32_t i = 0; i < n; i++) {
    ck_id r;
    if (i + 1 < n && f[i] == f[i + 1]) { /* a square: absolute value */
      r = pv_nonneg(p, cx, f[i]) != PV_NONE
              ? f[i]
              : ck_ite(p->terms, pv_ge0(p, f[i]), f[i], pv_neg(p, f[i]));
      i++;
    } else {
      if (pv_nonneg(p, cx, f[i]) == PV_NONE)
        return pv_same(t);
      r = root_factor(p, cx, f[i]);
    }
    w = w == CK_BAD ? r : pv_mul(p, w, r);
  }
  if (w == t)
    return pv_same(t);
  pv_thm ge = pv_follows(p, cx, pv_ge0(p, w));
  pv_thm s = ge == PV_NONE ? PV_NONE : pv_prove_eq(p, cx, pv_mul(p, w, w), u, 0);
  pv_eqn e = {w, sqrt_is(p, u, w, ge, s)};
  return e.by == PV_NONE ? pv_same(t) : pv_then(p, e, pv_norm(p, cx, w));
}
