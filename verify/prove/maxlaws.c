/* Laws of maxima (folds whose step is ite(acc <= f, f, acc) and whose base is f at 0):
 * concatenation and tiling, by induction, from the associativity of the binary maximum, which the
 * case split proves. */
#include "pv_folds.h"

pv_thm pv_max_first(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id n = ck_kid(prover->terms, term, 0);
  ck_id k;
  ck_id b;
  pv_thm n_nonneg = pv_follows(prover, ctx, pv_ge0(prover, n));
  pv_ctx_bind(prover, ctx, n, &k);
  b = pv_max_body(prover, term, k);
  ck_fsub funs = pv_fun_sub(prover, "f", &k, b);
  pv_var_sub vars = {pv_int_var(prover, "n"), n};
  return n_nonneg == PV_NONE ? PV_NONE
                             : pv_use_lemma(prover, PV_MAX_FIRST, &vars, 1, &funs, 1, &n_nonneg, 1);
}

/* t = min over k < n of f (not yet normal), base init (normal): minus a maximum */
pv_eqn pv_min_as_max(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id init, ck_id k, ck_id f) {
  pv_eqn none = {term, PV_REFL};
  pv_eqn b0;
  ck_id lit = pv_min(prover, n, k, f);
  ck_id lit0 = ck_sub(prover->terms, f, &k, &prover->zero, 1, NULL, 0);
  pv_thm n_nonneg = pv_follows(prover, ctx, pv_ge0(prover, n));
  pv_thm thm = PV_REFL;
  if (n_nonneg == PV_NONE)
    return none;
  b0 = pv_norm(prover, ctx, lit0);
  if (b0.by == PV_NONE || b0.to != init)
    return none;
  if (b0.by != PV_REFL) {
    pv_thm back = pv_sym(prover, b0.by);
    thm = pv_cong(prover, term, lit, &back, 1);
  }
  ck_fsub funs = pv_fun_sub(prover, "f", &k, f);
  pv_var_sub vars = {pv_int_var(prover, "n"), n};
  thm = pv_trans(prover, thm, pv_use_lemma(prover, PV_MIN_MAX, &vars, 1, &funs, 1, &n_nonneg, 1));
  if (thm == PV_NONE)
    return none;
  pv_eqn eqn = {pv_right(prover, thm), thm};
  return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
}

/* max over k < n of b1 = max of b2, for polynomially equal bodies */
static pv_thm same_max(pv *prover, ck_id n, ck_id k, ck_id b1, ck_id b2) {
  ck_id acc = pv_real_var(prover, "$$acc");
  ck_id vars[2] = {k, acc};
  ck_id from = pv_max(prover, n, k, b1);
  ck_id init = ck_sub(prover->terms, b2, &k, &prover->zero, 1, NULL, 0);
  ck_id init1 = ck_sub(prover->terms, b1, &k, &prover->zero, 1, NULL, 0);
  if (b1 == b2)
    return PV_REFL;
  pv_thm e0 = init == init1 ? PV_REFL : pv_identity(prover, pv_eq(prover, init1, init));
  pv_thm e = pv_identity(prover, pv_eq(prover, b1, b2));
  pv_thm two[2] = {e, e};
  ck_id mid = pv_fold1(prover, n, init, k, acc, pv_max2(prover, acc, b1));
  pv_thm thm = e0 == PV_REFL ? PV_REFL : pv_cong(prover, from, mid, &e0, 1);
  pv_thm c = pv_cong(prover, pv_max2(prover, acc, b1), pv_max2(prover, acc, b2), two, 2);
  return pv_trans(prover, thm, pv_foldcong(prover, mid, pv_max(prover, n, k, b2), vars, 2, &c, 1));
}

/* body = c*in + out with c not negative, c and out free of k; false if that is trivial */
static bool pull_parts(pv *prover, pv_ctx ctx, ck_id k, ck_id body, ck_id *c, pv_thm *cpos,
                       ck_id *inside, ck_id *out) {
  pv_poly poly;
  pv_poly a;
  pv_poly b;
  ck_id fac[25];
  uint32_t n;
  pv_poly_init(&poly);
  pv_poly_init(&a);
  pv_poly_init(&b);
  pv_poly_read(prover, &poly, body);
  for (uint32_t i = 0; i < poly.count; i++) {
    bool dep = false;
    for (uint32_t j = 0; j < poly.monos[i].degree; j++)
      dep = dep || ck_has_var(prover->terms, poly.monos[i].atoms[j], k);
    pv_poly_add_mono(prover, dep ? &a : &b, poly.monos[i].coef, poly.monos[i].atoms,
                     poly.monos[i].degree);
  }
  *inside = pv_poly_term(prover, &a);
  *out = pv_poly_term(prover, &b);
  pv_poly_clear(&poly);
  pv_poly_clear(&a);
  pv_poly_clear(&b);
  if (pv_is_zero(prover, *inside))
    return false;
  n = pv_poly_content(prover, *inside, fac, 24);
  *c = prover->one;
  *cpos = pv_by_value(prover, pv_ge0(prover, prover->one));
  ck_id rest = CK_BAD;
  for (uint32_t i = 0; i < n; i++) {
    pv_thm g = PV_NONE;
    bool neg = false;
    if (pv_is_const(prover, fac[i])) {
      if (pv_const_sign(prover, fac[i]) < 0) {
        neg = true;
        fac[i] = pv_const_mul(prover, fac[i], pv_num(prover, -1));
      }
      g = pv_by_value(prover, pv_ge0(prover, fac[i]));
    } else if (!ck_has_var(prover->terms, fac[i], k)) {
      g = pv_nonneg(prover, ctx, fac[i]);
    }
    if (pv_is_one(prover, fac[i])) { /* the sign alone */
    } else if (g == PV_NONE) {
      rest = rest == CK_BAD ? fac[i] : pv_mul(prover, rest, fac[i]);
    } else {
      pv_thm pr[2] = {*cpos, g};
      pv_summand summand = {prover->one, pr, 2};
      *c = pv_mul(prover, *c, fac[i]);
      *cpos = pv_arith(prover, pv_ge0(prover, *c), &summand, 1);
    }
    if (neg)
      rest = rest == CK_BAD ? pv_num(prover, -1) : pv_neg(prover, rest);
  }
  if (n == 0 || pv_is_one(prover, *c) || *cpos == PV_NONE || rest == CK_BAD) {
    *c = prover->one;
  } else {
    ck_id r = pv_canon(prover, rest);
    if (pv_canon(prover, pv_mul(prover, *c, r)) != *inside)
      *c = prover->one; /* inverses would have to cancel: left alone */
    else
      *inside = r;
  }
  return !pv_is_zero(prover, *out) || !pv_is_one(prover, *c);
}

/* t = max over k < n of body, base init, all normal: constants come out */
static pv_eqn pull_max(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id init, ck_id k,
                       ck_id body) {
  pv_eqn none = {term, PV_REFL};
  ck_id c;
  ck_id inside;
  ck_id out;
  ck_id lit = pv_max(prover, n, k, body);
  ck_id lit0 = ck_sub(prover->terms, body, &k, &prover->zero, 1, NULL, 0);
  pv_thm cpos;
  pv_thm n_nonneg = pv_follows(prover, ctx, pv_ge0(prover, n));
  pv_thm thm = PV_REFL;
  if (n_nonneg == PV_NONE || !pull_parts(prover, ctx, k, body, &c, &cpos, &inside, &out))
    return none;
  pv_eqn b0 = pv_norm(prover, ctx, lit0);
  if (b0.by == PV_NONE || b0.to != init)
    return none;
  if (b0.by != PV_REFL) {
    pv_thm back = pv_sym(prover, b0.by);
    thm = pv_cong(prover, term, lit, &back, 1);
  }
  ck_id cin = pv_is_one(prover, c) ? inside : pv_mul(prover, c, inside);
  ck_id shape = pv_is_zero(prover, out) ? cin : pv_add(prover, cin, out);
  ck_id m = pv_max(prover, n, k, inside);
  ck_id res = m;
  thm = pv_trans(prover, thm, same_max(prover, n, k, body, shape));
  ck_fsub fun = pv_fun_sub(prover, "f", &k, cin);
  pv_var_sub vars[2] = {{pv_int_var(prover, "n"), n}, {pv_real_var(prover, "x"), out}};
  if (!pv_is_zero(prover, out))
    thm = pv_trans(prover, thm, pv_use_lemma(prover, PV_MAX_ADD, vars, 2, &fun, 1, &n_nonneg, 1));
  pv_comb comb;
  pv_comb_init(&comb); /* t = max(cin) + out;  max(cin) = c*m;  m = r.t */
  pv_comb_add(&comb, prover->one, thm);
  if (!pv_is_one(prover, c)) {
    pv_thm pr[2] = {n_nonneg, cpos};
    fun.body = inside;
    vars[1].term = c;
    pv_comb_add(&comb, prover->one, pv_use_lemma(prover, PV_MAX_SCALE, vars, 2, &fun, 1, pr, 2));
  }
  pv_eqn result = pv_norm(prover, ctx, m);
  if (result.by != PV_NONE) {
    pv_comb_add(&comb, c, result.by);
    res = result.to;
  }
  res = pv_add(prover, pv_mul(prover, c, res), out);
  pv_eqn eqn = {res, pv_comb_prove(prover, &comb, pv_eq(prover, term, res))};
  if (thm == PV_NONE || eqn.by == PV_NONE)
    return none;
  return pv_then(prover, eqn, pv_norm_poly(prover, ctx, res));
}

/* t = max over k < n of body (base init): body again a maximum, over t < T of f(k*T + t)? */
pv_eqn pv_join_max(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id init, ck_id k, ck_id body) {
  pv_eqn none = pull_max(prover, ctx, term, n, init, k, body);
  ck_id K = pv_int_var(prover, "$$K");
  ck_id f;
  ck_id u;
  ck_id tile;
  ck_id h;
  if (none.by != PV_REFL)
    return none;
  none = pv_range_max(prover, ctx, term, n, init, k, body);
  if (none.by != PV_REFL)
    return none;
  none = pv_monotone_max(prover, ctx, term, n, init, k, body);
  if (none.by != PV_REFL)
    return none;
  if (ck_head(prover->terms, body) != CK_FOLD || ck_width(prover->terms, body) != 1)
    return none;
  u = pv_int_var(prover, "$$u");
  ck_id vars[2] = {u, pv_real_var(prover, "$$acc")};
  ck_id step = ck_open(prover->terms, ck_kid(prover->terms, body, 2), vars, 2);
  if (ck_head(prover->terms, step) != CK_ITE)
    return none;
  f = ck_kid(prover->terms, step, 1);
  tile = ck_kid(prover->terms, body, 0);
  if (step != pv_max2(prover, vars[1], f) || ck_has_var(prover->terms, f, vars[1]) ||
      ck_has_var(prover->terms, tile, k))
    return none;
  ck_id with = pv_sub(prover, K, pv_mul(prover, k, tile));
  h = ck_sub(prover->terms, f, &u, &with, 1, NULL, 0);
  if (h == CK_BAD)
    return none;
  pv_eqn eqn = pv_index_canon(prover, h);
  if (eqn.by == PV_NONE || ck_has_var(prover->terms, eqn.to, k))
    return none;
  pv_thm premises[2] = {pv_follows(prover, ctx, pv_gt0(prover, n)),
                        pv_follows(prover, ctx, pv_gt0(prover, tile))};
  if (premises[0] == PV_NONE || premises[1] == PV_NONE)
    return none;
  pv_var_sub v[2] = {{pv_int_var(prover, "G"), n}, {pv_int_var(prover, "T"), tile}};
  ck_fsub funs = pv_fun_sub(prover, "f", &K, eqn.to);
  pv_thm thm = pv_use_lemma(prover, PV_MAX_SPLIT, v, 2, &funs, 1, premises, 2);
  if (thm == PV_NONE)
    return none;
  pv_thm a = pv_same_index(prover, term, pv_left(prover, thm));
  pv_eqn result = {pv_right(prover, thm), pv_trans(prover, a, thm)};
  return result.by == PV_NONE ? none : pv_then(prover, result, pv_norm(prover, ctx, result.to));
}
