/* Normal form of products over a range (all, any): cut like sums where conditions on the counter
 * change, a product of products where the body has factors, 1 for nothing. */
#include "pv_folds.h"

enum { MAXF = 24 };

/* prod f = prod g from s: f = g for 0 <= k < n */
pv_thm pv_lift_prod(pv *prover, ck_id n, ck_id k, pv_thm thm) {
  if (thm == PV_NONE || thm == PV_REFL)
    return thm;
  ck_id acc = pv_real_var(prover, "$$acc");
  ck_id vars[2] = {k, acc};
  ck_id f = pv_left(prover, thm);
  ck_id g = pv_right(prover, thm);
  pv_thm e =
      pv_scaled(prover, pv_eq(prover, pv_mul(prover, acc, f), pv_mul(prover, acc, g)), acc, thm);
  return pv_foldcong(prover, pv_prod(prover, n, k, f), pv_prod(prover, n, k, g), vars, 2, &e, 1);
}

/* prod(k < n) exp u = exp(sum(k < n) u), normal; body is exp u or the inverse of exp -u */
static pv_eqn of_exponentials(pv *prover, pv_ctx ctx, pv_ctx inner, ck_id n, ck_id k, ck_id body,
                              pv_thm n_nonneg) {
  bool inverse = ck_head(prover->terms, body) == CK_INV;
  ck_id power = inverse ? ck_kid(prover->terms, body, 0) : body;
  if (ck_head(prover->terms, power) != CK_EXP)
    return pv_fail();
  ck_id exponent = ck_kid(prover->terms, power, 0);
  if (inverse)
    exponent = pv_canon(prover, pv_neg(prover, exponent));
  pv_eqn form = pv_norm(prover, inner, pv_exp(prover, exponent));
  if (form.by == PV_NONE || form.to != body)
    return pv_fail();
  pv_var_sub vars = {pv_int_var(prover, "n"), n};
  ck_fsub fun = pv_fun_sub(prover, "f", &k, exponent);
  pv_thm law = pv_use_lemma(prover, PV_PROD_EXP, &vars, 1, &fun, 1, &n_nonneg, 1);
  pv_thm thm = pv_trans(
      prover, form.by == PV_REFL ? PV_REFL : pv_lift_prod(prover, n, k, pv_sym(prover, form.by)),
      law);
  if (thm == PV_NONE)
    return pv_fail();
  ck_id sum = pv_right(prover, thm);
  return pv_then(prover, (pv_eqn){sum, thm}, pv_norm(prover, ctx, sum));
}

pv_eqn pv_prod_by_log(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body) {
  ck_id same_k;
  pv_ctx inner = pv_ctx_bind(prover, ctx, n, &same_k);
  pv_thm n_nonneg = pv_follows(prover, ctx, pv_ge0(prover, n));
  pv_thm positive = same_k == k ? pv_positive(prover, inner, body) : PV_NONE;
  if (n_nonneg == PV_NONE || positive == PV_NONE)
    return pv_fail();
  ck_id log = pv_log(prover, body);
  pv_var_sub vars = {pv_int_var(prover, "n"), n};
  ck_fsub fun = pv_fun_sub(prover, "f", &k, log);
  pv_thm law = pv_use_lemma(prover, PV_PROD_EXP, &vars, 1, &fun, 1, &n_nonneg, 1);
  pv_thm back = pv_sym(prover, pv_law1(prover, "log", body, positive));
  pv_thm thm = pv_trans(prover, pv_lift_prod(prover, n, k, back), law);
  return thm == PV_NONE ? pv_fail() : (pv_eqn){pv_right(prover, thm), thm};
}

static bool zero_one(pv *prover, ck_id x) {
  if (ck_head(prover->terms, x) != CK_ITE)
    return false;
  for (uint32_t i = 1; i < 3; i++) {
    if (!pv_is_zero(prover, ck_kid(prover->terms, x, i)) &&
        !pv_is_one(prover, ck_kid(prover->terms, x, i)))
      return false;
  }
  return true;
}

/* the constant c with a = c*b, or CK_BAD; both canonical */
static ck_id constant_ratio(pv *prover, ck_id a, ck_id b) {
  pv_poly dividend;
  pv_poly divisor;
  ck_id ratio = CK_BAD;
  pv_poly_init(&dividend);
  pv_poly_init(&divisor);
  pv_poly_read(prover, &dividend, a);
  pv_poly_read(prover, &divisor, b);
  const pv_mono *first = divisor.count ? &divisor.monos[0] : NULL;
  for (uint32_t i = 0; i < dividend.count && first; i++) {
    if (pv_mono_same(&dividend.monos[i], first->atoms, first->degree))
      ratio = pv_const_mul(prover, dividend.monos[i].coef, pv_const_inv(prover, first->coef));
  }
  pv_poly_clear(&dividend);
  pv_poly_clear(&divisor);
  return ratio != CK_BAD && pv_canon(prover, pv_mul(prover, ratio, b)) == a ? ratio : CK_BAD;
}

/* sum = (1 + ratio*atom)*without, where the atom is 0 or 1 and `without` is no constant */
static bool factor_by_atom(pv *prover, ck_id sum, ck_id atom, ck_id *factor, ck_id *without) {
  ck_id with;
  if (!zero_one(prover, atom) || !pv_poly_linear(prover, sum, atom, &with, without))
    return false;
  if (pv_is_zero(prover, with) || pv_is_const(prover, *without))
    return false;
  ck_id ratio = constant_ratio(prover, with, *without);
  if (ratio == CK_BAD)
    return false;
  *factor = pv_canon(prover, pv_add(prover, prover->one, pv_mul(prover, ratio, atom)));
  return true;
}

/* the same by the first atom of the sum that does */
static bool factor_by_some_atom(pv *prover, ck_id sum, ck_id *factor, ck_id *without) {
  pv_poly poly;
  bool found = false;
  if (ck_head(prover->terms, sum) != CK_ADD)
    return false;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, sum);
  for (uint32_t i = 0; i < poly.count && !found; i++) {
    for (uint32_t j = 0; j < poly.monos[i].degree && !found; j++)
      found = factor_by_atom(prover, sum, poly.monos[i].atoms[j], factor, without);
  }
  pv_poly_clear(&poly);
  return found;
}

/* factors of body: common ones, then 1 + r*x for atoms x that are 0 or 1 where body = f0*(1 + r*x)
 */
static uint32_t prod_factors(pv *prover, pv_ctx inner, ck_id body, ck_id *factor) {
  uint32_t n = pv_normal_factors(prover, inner, body, factor, MAXF);
  ck_id taken;
  ck_id rest;
  while (n + 1 < MAXF && factor_by_some_atom(prover, factor[n - 1], &taken, &rest)) {
    factor[n - 1] = taken;
    factor[n++] = rest;
  }
  return n;
}

static pv_eqn cut(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body, ck_id place) {
  ck_id rest = pv_canon(prover, pv_sub(prover, n, place));
  ck_id both = pv_add(prover, place, rest);
  pv_thm premises[2] = {pv_follows(prover, ctx, pv_ge0(prover, place)), PV_NONE};
  if (premises[0] == PV_NONE ||
      (premises[1] = pv_follows(prover, ctx, pv_ge0(prover, rest))) == PV_NONE)
    return pv_fail();
  pv_thm same_bound = pv_identity(prover, pv_eq(prover, n, both));
  pv_thm renamed = n == both ? PV_REFL
                             : pv_cong(prover, pv_prod(prover, n, k, body),
                                       pv_prod(prover, both, k, body), &same_bound, 1);
  pv_var_sub vars[2] = {{pv_int_var(prover, "m"), place}, {pv_int_var(prover, "n"), rest}};
  ck_fsub fun = pv_fun_sub(prover, "f", &k, body);
  pv_thm thm = pv_trans(prover, renamed,
                        pv_use_lemma(prover, PV_PROD_CONCAT, vars, 2, &fun, 1, premises, 2));
  if (thm == PV_NONE)
    return pv_fail();
  pv_eqn eqn = {pv_right(prover, thm), thm};
  return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
}

pv_eqn pv_cut_prod(pv *prover, pv_ctx ctx, ck_id term, ck_id m) {
  ck_id f;
  ck_id k;
  ck_id var = pv_int_var(prover, "$$k");
  if (!pv_is_prod(prover, term, &f))
    return pv_fail();
  pv_ctx_bind(prover, ctx, ck_kid(prover->terms, term, 0), &k);
  return cut(prover, ctx, ck_kid(prover->terms, term, 0), k,
             ck_sub(prover->terms, f, &var, &k, 1, NULL, 0), m);
}

/* prod(k < n) body, all normal; body speaks of k under `inner` */
typedef struct {
  pv_ctx ctx;
  pv_ctx inner;
  ck_id whole;
  ck_id n;
  ck_id k;
  ck_id body;
  pv_thm n_nonneg;
} product;

/* 1 for a body of 1 */
static pv_eqn of_ones(pv *prover, const product *of) {
  pv_var_sub vars = {pv_int_var(prover, "n"), of->n};
  return (pv_eqn){prover->one,
                  pv_use_lemma(prover, PV_PROD_ONE, &vars, 1, NULL, 0, &of->n_nonneg, 1)};
}

/* prod(k < n) 0 = 0 where 1 <= n follows: the last factor is 0 */
static pv_eqn of_zeros(pv *prover, const product *of) {
  ck_id last = pv_canon(prover, pv_sub(prover, of->n, prover->one));
  pv_thm last_nonneg = pv_follows(prover, of->ctx, pv_ge0(prover, last));
  if (last_nonneg == PV_NONE)
    return pv_fail();
  ck_id bound = pv_add(prover, last, prover->one);
  ck_id unrolled = pv_prod(prover, bound, of->k, prover->zero);
  pv_thm same_bound = pv_identity(prover, pv_eq(prover, bound, of->n));
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, pv_succ(prover, unrolled, last, last_nonneg));
  pv_comb_add(&comb, pv_num(prover, -1), pv_cong(prover, unrolled, of->whole, &same_bound, 1));
  pv_thm thm = pv_comb_prove(prover, &comb, pv_eq(prover, of->whole, prover->zero));
  return thm == PV_NONE ? pv_fail() : (pv_eqn){prover->zero, thm};
}

/* the one factor */
static pv_eqn of_one(pv *prover, const product *of) {
  ck_id none = pv_prod(prover, prover->zero, of->k, of->body);
  ck_id element = ck_sub(prover->terms, of->body, &of->k, &prover->zero, 1, NULL, 0);
  pv_thm unrolled = pv_succ(prover, of->whole, prover->zero, pv_zero_le_zero(prover));
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, unrolled);
  pv_comb_add(&comb, element, pv_zero(prover, none, pv_zero_le_zero(prover)));
  pv_thm thm = pv_comb_prove(prover, &comb, pv_eq(prover, of->whole, element));
  if (thm == PV_NONE)
    return pv_fail();
  return pv_then(prover, (pv_eqn){element, thm}, pv_norm(prover, of->ctx, element));
}

/* a number small enough that as many factors are written out */
static bool is_few(const pv *prover, ck_id n) {
  enum { MOST_FACTORS = 16 };

  if (ck_head(prover->terms, n) != CK_Q)
    return false;
  mpq_srcptr value = *ck_q_value(prover->terms, n);
  return mpz_cmp_ui(mpq_denref(value), 1) == 0 && mpq_cmp_si(value, 1, 1) > 0 &&
         mpq_cmp_si(value, MOST_FACTORS, 1) <= 0;
}

/* cut where a condition of the body changes; a power of few factors is written out, the last factor
 * first */
static pv_eqn of_pieces(pv *prover, const product *of) {
  enum { PLACES = 8 };

  ck_id place[PLACES];
  uint32_t n_places = pv_cut_places(prover, of->body, of->k, place, PLACES);
  for (uint32_t i = 0; i < n_places; i++) {
    if (pv_is_zero(prover, place[i]) || place[i] == of->n)
      continue;
    pv_eqn eqn = cut(prover, of->ctx, of->n, of->k, of->body, place[i]);
    if (eqn.by != PV_NONE)
      return eqn;
  }
  if (!is_few(prover, of->n))
    return pv_fail();
  ck_id last = pv_canon(prover, pv_sub(prover, of->n, prover->one));
  return cut(prover, of->ctx, of->n, of->k, of->body, last);
}

/* a product of products where the body has factors */
static pv_eqn of_factors(pv *prover, const product *of, const ck_id *factor, uint32_t n_factors) {
  ck_id head = factor[0];
  ck_id rest = factor[1];
  for (uint32_t i = 2; i < n_factors; i++)
    rest = pv_mul(prover, rest, factor[i]);
  rest = pv_canon(prover, rest);
  pv_eqn back = pv_norm_poly(prover, of->inner, pv_mul(prover, head, rest));
  if (back.by == PV_NONE || back.to != of->body)
    return pv_fail();
  pv_var_sub vars = {pv_int_var(prover, "n"), of->n};
  pv_thm turn = back.by == PV_REFL ? PV_REFL : pv_sym(prover, back.by);
  ck_fsub funs[2] = {pv_fun_sub(prover, "f", &of->k, head), pv_fun_sub(prover, "g", &of->k, rest)};
  pv_thm thm = pv_trans(prover, pv_lift_prod(prover, of->n, of->k, turn),
                        pv_use_lemma(prover, PV_PROD_MUL, &vars, 1, funs, 2, &of->n_nonneg, 1));
  if (thm == PV_NONE)
    return pv_fail();
  ck_id parts = pv_right(prover, thm);
  return pv_then(prover, (pv_eqn){parts, thm}, pv_norm(prover, of->ctx, parts));
}

/* the first of these forms that it has; fails where it has none */
static pv_eqn form_of(pv *prover, const product *of) {
  ck_id factor[MAXF + 1];
  if (pv_is_one(prover, of->body))
    return of_ones(prover, of);
  if (pv_is_zero(prover, of->body))
    return of_zeros(prover, of);
  if (pv_is_one(prover, of->n))
    return of_one(prover, of);
  pv_eqn pieces = of_pieces(prover, of);
  if (pieces.by != PV_NONE)
    return pieces;
  uint32_t n_factors = prod_factors(prover, of->inner, of->body, factor);
  if (n_factors < 2)
    return of_exponentials(prover, of->ctx, of->inner, of->n, of->k, of->body, of->n_nonneg);
  return of_factors(prover, of, factor, n_factors);
}

/* t: a product whose bound is normal */
pv_eqn pv_norm_prod(pv *prover, pv_ctx ctx, ck_id term) {
  product of = {.ctx = ctx, .n = ck_kid(prover->terms, term, 0)};
  ck_id var = pv_int_var(prover, "$$k");
  ck_id body;
  of.inner = pv_ctx_bind(prover, ctx, of.n, &of.k);
  if (!pv_is_prod(prover, term, &body))
    return pv_same(term);
  pv_thm none = pv_follows(prover, ctx, pv_le(prover, of.n, prover->zero));
  if (none != PV_NONE)
    return (pv_eqn){prover->one, pv_zero(prover, term, none)};
  body = ck_sub(prover->terms, body, &var, &of.k, 1, NULL, 0);
  pv_eqn normal = pv_norm(prover, of.inner, body);
  if (normal.by == PV_NONE)
    return pv_fail();
  of.body = normal.to;
  of.whole = pv_prod(prover, of.n, of.k, of.body);
  pv_eqn eqn = {of.whole, pv_lift_prod(prover, of.n, of.k, normal.by)};
  if (eqn.by == PV_NONE)
    return pv_fail();
  of.n_nonneg = pv_follows(prover, ctx, pv_ge0(prover, of.n));
  if (of.n_nonneg == PV_NONE)
    return eqn;
  pv_eqn form = form_of(prover, &of);
  return form.by == PV_NONE ? eqn : pv_then(prover, eqn, form);
}
