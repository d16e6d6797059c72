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

/* factors of body: common ones, then 1 + r*x for atoms x that are 0 or 1 where body = f0*(1 + r*x)
 */
static uint32_t prod_factors(pv *prover, pv_ctx inner, ck_id body, ck_id *factor) {
  uint32_t n = pv_normal_factors(prover, inner, body, factor, MAXF);
  for (bool more = true; more && n + 1 < MAXF;) {
    ck_id rest = factor[n - 1];
    pv_poly other;
    more = false;
    if (ck_head(prover->terms, rest) != CK_ADD)
      break;
    pv_poly_init(&other);
    pv_poly_read(prover, &other, rest);
    for (uint32_t i = 0; i < other.count && !more; i++) {
      for (uint32_t j = 0; j < other.monos[i].degree && !more; j++) {
        ck_id atom = other.monos[i].atoms[j];
        ck_id without;
        ck_id with;
        pv_poly poly_without;
        pv_poly poly_with;
        if (!zero_one(prover, atom))
          continue;
        pv_poly_init(&poly_without);
        pv_poly_init(&poly_with);
        for (uint32_t at = 0; at < other.count; at++) {
          ck_id ratio[64];
          int degree =
              other.monos[at].degree > 64
                  ? -1
                  : pv_mono_div(other.monos[at].atoms, other.monos[at].degree, &atom, 1, ratio);
          if (degree >= 0)
            pv_poly_add_mono(prover, &poly_with, other.monos[at].coef, ratio, (uint32_t)degree);
          else
            pv_poly_add_mono(prover, &poly_without, other.monos[at].coef, other.monos[at].atoms,
                             other.monos[at].degree);
        }
        without = pv_poly_term(prover, &poly_without);
        with = pv_poly_term(prover, &poly_with);
        if (poly_without.count && poly_with.count) { /* f1 = r*f0 */
          ck_id ratio = CK_BAD;
          for (uint32_t at = 0; at < poly_with.count; at++) {
            if (poly_with.monos[at].degree == poly_without.monos[0].degree &&
                pv_mono_div(poly_with.monos[at].atoms, poly_with.monos[at].degree,
                            poly_without.monos[0].atoms, poly_without.monos[0].degree,
                            (ck_id[64]){0}) == 0)
              ratio = pv_const_mul(prover, poly_with.monos[at].coef,
                                   pv_const_inv(prover, poly_without.monos[0].coef));
          }
          if (ratio != CK_BAD && pv_canon(prover, pv_mul(prover, ratio, without)) == with &&
              !pv_is_const(prover, without)) {
            factor[n - 1] =
                pv_canon(prover, pv_add(prover, prover->one, pv_mul(prover, ratio, atom)));
            factor[n++] = without;
            more = true;
          }
        }
        pv_poly_clear(&poly_without);
        pv_poly_clear(&poly_with);
      }
    }
    pv_poly_clear(&other);
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

/* prod(k < n) 0 = 0 where 1 <= n follows: the last factor is 0 */
static pv_eqn of_zeros(pv *prover, pv_ctx ctx, ck_id n, ck_id k) {
  ck_id last = pv_canon(prover, pv_sub(prover, n, prover->one));
  pv_thm last_nonneg = pv_follows(prover, ctx, pv_ge0(prover, last));
  if (last_nonneg == PV_NONE)
    return pv_fail();
  ck_id bound = pv_add(prover, last, prover->one);
  ck_id given = pv_prod(prover, n, k, prover->zero);
  ck_id unrolled = pv_prod(prover, bound, k, prover->zero);
  pv_thm same_bound = pv_identity(prover, pv_eq(prover, bound, n));
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, pv_succ(prover, unrolled, last, last_nonneg));
  pv_comb_add(&comb, pv_num(prover, -1), pv_cong(prover, unrolled, given, &same_bound, 1));
  pv_thm thm = pv_comb_prove(prover, &comb, pv_eq(prover, given, prover->zero));
  return thm == PV_NONE ? pv_fail() : (pv_eqn){prover->zero, thm};
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

/* t: a product whose bound is normal */
pv_eqn pv_norm_prod(pv *prover, pv_ctx ctx, ck_id term) {
  enum { PLACES = 8 };

  ck_id n = ck_kid(prover->terms, term, 0);
  ck_id k;
  ck_id f;
  ck_id var = pv_int_var(prover, "$$k");
  ck_id place[PLACES];
  ck_id factor[MAXF + 1];
  pv_ctx inner = pv_ctx_bind(prover, ctx, n, &k);
  pv_thm none = pv_follows(prover, ctx, pv_le(prover, n, prover->zero));
  pv_thm n_nonneg;
  uint32_t n_places;
  pv_eqn eqn;
  pv_eqn result;
  pv_var_sub vars = {pv_int_var(prover, "n"), n};
  if (!pv_is_prod(prover, term, &f))
    return pv_same(term);
  if (none != PV_NONE) {
    pv_eqn o = {prover->one, pv_zero(prover, term, none)};
    return o;
  }
  f = ck_sub(prover->terms, f, &var, &k, 1, NULL, 0);
  eqn = pv_norm(prover, inner, f);
  if (eqn.by == PV_NONE)
    return pv_fail();
  ck_id body = eqn.to;
  eqn.by = pv_lift_prod(prover, n, k, eqn.by);
  eqn.to = pv_prod(prover, n, k, body);
  if (eqn.by == PV_NONE || (n_nonneg = pv_follows(prover, ctx, pv_ge0(prover, n))) == PV_NONE)
    return eqn.by == PV_NONE ? pv_fail() : eqn;
  if (pv_is_one(prover, body)) {
    result.to = prover->one;
    result.by = pv_use_lemma(prover, PV_PROD_ONE, &vars, 1, NULL, 0, &n_nonneg, 1);
    return result.by == PV_NONE ? eqn : pv_then(prover, eqn, result);
  }
  if (pv_is_zero(prover, body)) {
    result = of_zeros(prover, ctx, n, k);
    return result.by == PV_NONE ? eqn : pv_then(prover, eqn, result);
  }
  if (pv_is_one(prover, n)) {
    ck_id first = pv_prod(prover, prover->zero, k, body);
    ck_id element = ck_sub(prover->terms, body, &k, &prover->zero, 1, NULL, 0);
    pv_thm unrolled = pv_succ(prover, eqn.to, prover->zero, pv_zero_le_zero(prover));
    pv_thm empty = pv_zero(prover, first, pv_zero_le_zero(prover));
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, unrolled);
    pv_comb_add(&comb, element, empty);
    result.to = element;
    result.by = pv_comb_prove(prover, &comb, pv_eq(prover, eqn.to, element));
    return result.by == PV_NONE
               ? eqn
               : pv_then(prover, eqn, pv_then(prover, result, pv_norm(prover, ctx, element)));
  }
  n_places = pv_cut_places(prover, body, k, place, PLACES);
  for (uint32_t i = 0; i < n_places; i++) {
    if (pv_is_zero(prover, place[i]) || place[i] == n)
      continue;
    result = cut(prover, ctx, n, k, body, place[i]);
    if (result.by != PV_NONE)
      return pv_then(prover, eqn, result);
  }
  if (is_few(prover, n)) { /* a power written out: the last factor goes first */
    result = cut(prover, ctx, n, k, body, pv_canon(prover, pv_sub(prover, n, prover->one)));
    if (result.by != PV_NONE)
      return pv_then(prover, eqn, result);
  }
  n_places = prod_factors(prover, inner, body, factor);
  if (n_places < 2) {
    result = of_exponentials(prover, ctx, inner, n, k, body, n_nonneg);
    return result.by == PV_NONE ? eqn : pv_then(prover, eqn, result);
  }
  ck_id head = factor[0];
  ck_id rest = factor[1];
  for (uint32_t i = 2; i < n_places; i++)
    rest = pv_mul(prover, rest, factor[i]);
  rest = pv_canon(prover, rest);
  ck_id product = pv_mul(prover, head, rest);
  pv_eqn back = pv_norm_poly(prover, inner, product);
  if (back.by == PV_NONE || back.to != body)
    return eqn;
  pv_thm turn = back.by == PV_REFL ? PV_REFL : pv_sym(prover, back.by);
  ck_fsub funs[2] = {pv_fun_sub(prover, "f", &k, head), pv_fun_sub(prover, "g", &k, rest)};
  result.by = pv_trans(prover, pv_lift_prod(prover, n, k, turn),
                       pv_use_lemma(prover, PV_PROD_MUL, &vars, 1, funs, 2, &n_nonneg, 1));
  if (result.by == PV_NONE)
    return eqn;
  result.to = pv_right(prover, result.by);
  return pv_then(prover, eqn, pv_then(prover, result, pv_norm(prover, ctx, result.to)));
}
