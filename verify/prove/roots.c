/* Logarithms and square roots.  Both are inverses, so everything follows from one lemma each: exp
 * is one to one; a root is the only nonnegative number with its square.  Logarithms of products of
 * positive factors become sums, roots of products of nonnegative factors products; what stays
 * inside is primitive. */
#include "pv.h"

enum { MAXF = 24 };

static eqn same(ck_id t) {
  eqn e = {t, REFL};
  return e;
}

static ck_id rv(pv *p, const char *s) {
  return ck_var(p->T, s, 'r');
}

static ck_id eq(pv *p, ck_id a, ck_id b) {
  return t_rel(p, CK_EQ, a, b);
}

static ck_id ge0(pv *p, ck_id a) {
  return t_rel(p, CK_LE, p->zero, a);
}

static ck_id gt0(pv *p, ck_id a) {
  return t_rel(p, CK_LT, p->zero, a);
}

static uint32_t exp_pos(pv *p, ck_id x) {
  ck_vsub v = {rv(p, "x"), x};
  return r_lemma(p, L_EXP_POS, &v, 1, NULL, 0, NULL, 0);
}

static uint32_t inst2(pv *p, pv_lemma l, ck_id x, ck_id y, uint32_t a, uint32_t b) {
  ck_vsub v[2] = {{rv(p, "x"), x}, {rv(p, "y"), y}};
  uint32_t prem[2] = {a, b};
  return r_lemma(p, l, v, 2, NULL, 0, prem, b == REFL ? 1 : 2);
}

/* exp x = exp y  gives  x = y.  If x < y: exp y = exp x * exp(y - x) >= exp x * (1 + y - x) > exp
 * x. */
uint32_t lemma_exp_inj(pv *p) {
  ck_id v[2] = {rv(p, "x"), rv(p, "y")};
  ck_id h = eq(p, t_op(p, CK_EXP, v[0]), t_op(p, CK_EXP, v[1]));
  uint32_t half[2];
  uint32_t hyp = r_hyp(p, h);
  for (int i = 0; i < 2; i++) {
    ck_id x = v[i];
    ck_id y = v[1 - i];
    ck_id d = t_sub(p, y, x);
    ck_id xd = t_add(p, x, d);
    ck_id two[2] = {x, d};
    ck_id f = t_rel(p, CK_LE, y, x);
    uint32_t lt = r_hyp(p, t_rel(p, CK_LT, x, y));
    uint32_t plus = r_law(p, "exp+", two, 2, NO);
    uint32_t arg = r_arith0(p, eq(p, xd, y));
    uint32_t c = r_cong(p, t_op(p, CK_EXP, xd), t_op(p, CK_EXP, y), &arg, 1);
    uint32_t gt = r_law(p, "exp>", &d, 1, NO);
    uint32_t pos = exp_pos(p, x);
    by b;
    by_start(&b);
    by_add2(&b, p->one, pos, lt);
    by_add2(&b, p->one, pos, gt); /* exp x*(y-x) > 0; exp x*(exp d - 1 - d) >= 0 */
    by_add(&b, t_int(p, -1), plus);
    by_add(&b, p->one, c);
    by_add(&b, t_int(p, i ? 1 : -1), hyp);
    half[i] = r_cases(p, f, r_hyp(p, f), from_false(p, f, by_end(p, &b, gt0(p, p->zero))));
  }
  return r_antisym(p, half[1], half[0]);
}

/* 0 < x, exp y = x  gives  log x = y */
uint32_t lemma_log_of(pv *p) {
  ck_id x = rv(p, "x");
  ck_id y = rv(p, "y");
  ck_id l = t_op(p, CK_LOG, x);
  uint32_t a = r_law(p, "log", &x, 1, r_hyp(p, gt0(p, x)));
  uint32_t b = r_hyp(p, eq(p, t_op(p, CK_EXP, y), x));
  uint32_t s = eq_trans(p, a, eq_sym(p, b));
  return inst2(p, L_EXP_INJ, l, y, s, REFL);
}

/* 0 <= y, y*y = x  gives  sqrt x = y: (s - y)*(s + y) = 0, so s <= y and y <= s */
uint32_t lemma_sqrt_of(pv *p) {
  ck_id x = rv(p, "x");
  ck_id y = rv(p, "y");
  ck_id s = t_op(p, CK_SQRT, x);
  uint32_t hy = r_hyp(p, ge0(p, y));
  uint32_t hx = r_hyp(p, eq(p, t_mul(p, y, y), x));
  uint32_t y2[2] = {hy, hy};
  uint32_t half[2];
  ck_summand m[2] = {{p->one, y2, 2}, {p->one, &hx, 1}};
  uint32_t x0 = r_arith(p, ge0(p, x), m, 2);
  uint32_t sq = r_law(p, "sqrt2", &x, 1, x0);
  uint32_t s0 = r_law(p, "sqrt>", &x, 1, x0);
  for (int i = 0; i < 2; i++) {
    ck_id a = i ? y : s;
    ck_id b = i ? s : y;
    ck_id f = t_rel(p, CK_LE, a, b);
    uint32_t lt = r_hyp(p, t_rel(p, CK_LT, b, a));
    by z;
    by_start(&z); /* b < a: (a-b)*(a-b) > 0 and (a-b)*b >= 0 give a*a - b*b > 0 */
    by_add2(&z, p->one, lt, lt);
    by_add2(&z, t_int(p, 2), lt, i ? s0 : hy);
    by_add(&z, i ? p->one : t_int(p, -1), eq_sym(p, sq));
    by_add(&z, i ? p->one : t_int(p, -1), hx);
    uint32_t bad = by_end(p, &z, gt0(p, p->zero));
    half[i] = r_cases(p, f, r_hyp(p, f), from_false(p, f, bad));
  }
  return r_antisym(p, half[0], half[1]);
}

/* t = log u or sqrt u equals w: s proves exp w = u, or w*w = u with ge: 0 <= w */
static uint32_t log_is(pv *p, ck_id u, ck_id w, uint32_t pos, uint32_t s) {
  return inst2(p, L_LOG_OF, u, w, pos, s);
}

static uint32_t sqrt_is(pv *p, ck_id u, ck_id w, uint32_t ge, uint32_t s) {
  return inst2(p, L_SQRT_OF, u, w, ge, s);
}

/* u = 0 up to normal form: theorem a = b for closed terms that normalise alike */
static uint32_t same_normal(pv *p, uint32_t cx, ck_id a, ck_id b) {
  eqn x = norm(p, cx, a);
  eqn y = norm(p, cx, b);
  if (x.s == NO || y.s == NO || x.t != y.t)
    return NO;
  uint32_t s = eq_trans(p, x.s, eq_sym(p, y.s));
  return s == REFL ? eq_refl(p, a) : s;
}

/* log of one factor known to be positive, as a term whose exponential is that factor */
static ck_id log_factor(pv *p, ck_id f) {
  ck_op o = ck_head(p->T, f);
  if (is_one(p, f))
    return p->zero;
  if (o == CK_EXP)
    return ck_kid(p->T, f, 0);
  if (o == CK_INV)
    return t_neg(p, log_factor(p, ck_kid(p->T, f, 0)));
  return t_op(p, CK_LOG, f);
}

eqn norm_log(pv *p, uint32_t cx, ck_id t) {
  ck_id u = ck_kid(p->T, t, 0);
  ck_id f[MAXF + 1];
  ck_id w = CK_BAD;
  uint32_t n = normal_factors(p, cx, u, f, MAXF);
  uint32_t pos;
  if (is_q(p, u) && !is_one(p, u))
    return same(t);
  for (uint32_t i = 0; i < n; i++) {
    if (positive(p, cx, f[i]) == NO)
      return same(t);
    ck_id l = log_factor(p, f[i]);
    w = w == CK_BAD ? l : t_add(p, w, l);
  }
  if (w == t || (pos = positive(p, cx, u)) == NO)
    return same(t);
  uint32_t s = same_normal(p, cx, t_op(p, CK_EXP, w), u);
  eqn e = {w, log_is(p, u, w, pos, s)};
  return e.s == NO ? same(t) : eq_then(p, e, norm(p, cx, w));
}

/* a rational whose square is q */
static ck_id q_root(pv *p, ck_id q) {
  mpq_t x;
  ck_id r = CK_BAD;
  mpq_init(x);
  mpq_set(x, *ck_q_value(p->T, q));
  if (mpz_perfect_square_p(mpq_numref(x)) && mpz_perfect_square_p(mpq_denref(x))) {
    mpz_sqrt(mpq_numref(x), mpq_numref(x));
    mpz_sqrt(mpq_denref(x), mpq_denref(x));
    r = ck_q(p->T, x);
  }
  mpq_clear(x);
  return r;
}

/* root of one factor known not to be negative */
static ck_id root_factor(pv *p, uint32_t cx, ck_id f) {
  ck_op o = ck_head(p->T, f);
  ck_id q = is_q(p, f) ? q_root(p, f) : CK_BAD;
  if (q != CK_BAD)
    return q;
  if (o == CK_EXP)
    return t_op(p, CK_EXP, t_mul(p, q_inv(p, t_int(p, 2)), ck_kid(p->T, f, 0)));
  if (o == CK_INV && positive(p, cx, ck_kid(p->T, f, 0)) != NO)
    return t_op(p, CK_INV, root_factor(p, cx, ck_kid(p->T, f, 0)));
  return t_op(p, CK_SQRT, f);
}

eqn norm_sqrt(pv *p, uint32_t cx, ck_id t) {
  ck_id u = ck_kid(p->T, t, 0);
  ck_id f[MAXF + 1];
  ck_id w = CK_BAD;
  uint32_t n = normal_factors(p, cx, u, f, MAXF);
  for (uint32_t i = 0; i < n; i++) {
    ck_id r;
    if (i + 1 < n && f[i] == f[i + 1]) { /* a square: absolute value */
      r = nonneg(p, cx, f[i]) != NO ? f[i] : ck_ite(p->T, ge0(p, f[i]), f[i], t_neg(p, f[i]));
      i++;
    } else {
      if (nonneg(p, cx, f[i]) == NO)
        return same(t);
      r = root_factor(p, cx, f[i]);
    }
    w = w == CK_BAD ? r : t_mul(p, w, r);
  }
  if (w == t)
    return same(t);
  uint32_t ge = side(p, cx, ge0(p, w));
  uint32_t s = ge == NO ? NO : prove_eq(p, cx, t_mul(p, w, w), u, 0);
  eqn e = {w, sqrt_is(p, u, w, ge, s)};
  return e.s == NO ? same(t) : eq_then(p, e, norm(p, cx, w));
}
