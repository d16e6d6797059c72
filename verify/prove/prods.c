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
static uint32_t prod_factors(pv *prover, pv_ctx inner, ck_id body, ck_id *f) {
  uint32_t n = pv_normal_factors(prover, inner, body, f, MAXF);
  for (bool more = true; more && n + 1 < MAXF;) {
    ck_id rest = f[n - 1];
    pv_poly other;
    more = false;
    if (ck_head(prover->terms, rest) != CK_ADD)
      break;
    pv_poly_init(&other);
    pv_poly_read(prover, &other, rest);
    for (uint32_t i = 0; i < other.count && !more; i++) {
      for (uint32_t j = 0; j < other.monos[i].degree && !more; j++) {
        ck_id x = other.monos[i].atoms[j];
        ck_id t0;
        ck_id t1;
        pv_poly f0;
        pv_poly f1;
        if (!zero_one(prover, x))
          continue;
        pv_poly_init(&f0);
        pv_poly_init(&f1);
        for (uint32_t l = 0; l < other.count; l++) {
          ck_id r[64];
          int k = other.monos[l].degree > 64
                      ? -1
                      : pv_mono_div(other.monos[l].atoms, other.monos[l].degree, &x, 1, r);
          if (k >= 0)
            pv_poly_add_mono(prover, &f1, other.monos[l].coef, r, (uint32_t)k);
          else
            pv_poly_add_mono(prover, &f0, other.monos[l].coef, other.monos[l].atoms,
                             other.monos[l].degree);
        }
        t0 = pv_poly_term(prover, &f0);
        t1 = pv_poly_term(prover, &f1);
        if (f0.count && f1.count) { /* f1 = r*f0 */
          ck_id r = CK_BAD;
          for (uint32_t l = 0; l < f1.count; l++) {
            if (f1.monos[l].degree == f0.monos[0].degree &&
                pv_mono_div(f1.monos[l].atoms, f1.monos[l].degree, f0.monos[0].atoms,
                            f0.monos[0].degree, (ck_id[64]){0}) == 0)
              r = pv_const_mul(prover, f1.monos[l].coef, pv_const_inv(prover, f0.monos[0].coef));
          }
          if (r != CK_BAD && pv_canon(prover, pv_mul(prover, r, t0)) == t1 &&
              !pv_is_const(prover, t0)) {
            f[n - 1] = pv_canon(prover, pv_add(prover, prover->one, pv_mul(prover, r, x)));
            f[n++] = t0;
            more = true;
          }
        }
        pv_poly_clear(&f0);
        pv_poly_clear(&f1);
      }
    }
    pv_poly_clear(&other);
  }
  return n;
}

static pv_eqn cut(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body, ck_id m) {
  ck_id r = pv_canon(prover, pv_sub(prover, n, m));
  ck_id mr = pv_add(prover, m, r);
  pv_thm premises[2] = {pv_follows(prover, ctx, pv_ge0(prover, m)), PV_NONE};
  if (premises[0] == PV_NONE ||
      (premises[1] = pv_follows(prover, ctx, pv_ge0(prover, r))) == PV_NONE)
    return pv_fail();
  pv_thm a = pv_identity(prover, pv_eq(prover, n, mr));
  pv_thm c =
      n == mr ? PV_REFL
              : pv_cong(prover, pv_prod(prover, n, k, body), pv_prod(prover, mr, k, body), &a, 1);
  pv_var_sub vars[2] = {{pv_int_var(prover, "m"), m}, {pv_int_var(prover, "n"), r}};
  ck_fsub fun = pv_fun_sub(prover, "f", &k, body);
  pv_thm thm =
      pv_trans(prover, c, pv_use_lemma(prover, PV_PROD_CONCAT, vars, 2, &fun, 1, premises, 2));
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

/* t: a product whose bound is normal */
pv_eqn pv_norm_prod(pv *prover, pv_ctx ctx, ck_id term) {
  enum { PLACES = 8 };

  ck_id n = ck_kid(prover->terms, term, 0);
  ck_id k;
  ck_id f;
  ck_id var = pv_int_var(prover, "$$k");
  ck_id m[PLACES];
  ck_id fac[MAXF + 1];
  pv_ctx inner = pv_ctx_bind(prover, ctx, n, &k);
  pv_thm none = pv_follows(prover, ctx, pv_le(prover, n, prover->zero));
  pv_thm n_nonneg;
  uint32_t np;
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
  if (pv_is_one(prover, n)) {
    ck_id first = pv_prod(prover, prover->zero, k, body);
    ck_id el = ck_sub(prover->terms, body, &k, &prover->zero, 1, NULL, 0);
    pv_thm u = pv_succ(prover, eqn.to, prover->zero, pv_zero_le_zero(prover));
    pv_thm z = pv_zero(prover, first, pv_zero_le_zero(prover));
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, u);
    pv_comb_add(&comb, el, z);
    result.to = el;
    result.by = pv_comb_prove(prover, &comb, pv_eq(prover, eqn.to, el));
    return result.by == PV_NONE
               ? eqn
               : pv_then(prover, eqn, pv_then(prover, result, pv_norm(prover, ctx, el)));
  }
  np = pv_cut_places(prover, body, k, m, PLACES);
  for (uint32_t i = 0; i < np; i++) {
    if (pv_is_zero(prover, m[i]) || m[i] == n)
      continue;
    result = cut(prover, ctx, n, k, body, m[i]);
    if (result.by != PV_NONE)
      return pv_then(prover, eqn, result);
  }
  np = prod_factors(prover, inner, body, fac);
  if (np < 2)
    return eqn;
  ck_id head = fac[0];
  ck_id rest = fac[1];
  for (uint32_t i = 2; i < np; i++)
    rest = pv_mul(prover, rest, fac[i]);
  rest = pv_canon(prover, rest);
  ck_id hr = pv_mul(prover, head, rest);
  pv_eqn back = pv_norm_poly(prover, inner, hr);
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
