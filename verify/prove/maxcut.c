/* Ranges of maxima: constants, one element, two ranges, the range run backwards; a maximum is at
 * least each element and at most what all elements are. */
#include "pv_folds.h"

/* the fold t, with base init, as max(k < n) body with the base written out: the equation; PV_NONE
 * if the base is another */
static pv_thm written_out(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id init, ck_id k,
                          ck_id body) {
  ck_id lit = pv_max(prover, n, k, body);
  pv_eqn b0 = pv_norm(prover, ctx, ck_sub(prover->terms, body, &k, &prover->zero, 1, NULL, 0));
  if (b0.by == PV_NONE || b0.to != init)
    return PV_NONE;
  if (b0.by == PV_REFL)
    return lit == term ? PV_REFL : PV_NONE;
  pv_thm back = pv_sym(prover, b0.by);
  return pv_cong(prover, term, lit, &back, 1);
}

static pv_eqn cut_max(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body, ck_id m, pv_thm thm) {
  ck_id q = pv_canon(prover, pv_sub(prover, pv_sub(prover, n, m), prover->one));
  ck_id mq = pv_add(prover, m, pv_add(prover, q, prover->one));
  pv_thm premises[2] = {pv_follows(prover, ctx, pv_le(prover, prover->one, m)), PV_NONE};
  pv_thm e;
  pv_thm c;
  pv_eqn result = {CK_BAD, PV_NONE};
  if (premises[0] == PV_NONE ||
      (premises[1] = pv_follows(prover, ctx, pv_ge0(prover, q))) == PV_NONE)
    return result;
  premises[0] = pv_follows(prover, ctx, pv_ge0(prover, m));
  e = pv_identity(prover, pv_eq(prover, n, mq));
  c = n == mq ? PV_REFL
              : pv_cong(prover, pv_max(prover, n, k, body), pv_max(prover, mq, k, body), &e, 1);
  pv_var_sub vars[2] = {{pv_int_var(prover, "m"), m}, {pv_int_var(prover, "q"), q}};
  ck_fsub fun = pv_fun_sub(prover, "f", &k, body);
  result.by = pv_trans(prover, pv_trans(prover, thm, c),
                       pv_use_lemma(prover, PV_MAX_CONCAT, vars, 2, &fun, 1, premises, 2));
  if (result.by == PV_NONE)
    return result;
  result.to = pv_right(prover, result.by);
  return pv_then(prover, result, pv_norm(prover, ctx, result.to));
}

/* t = max over k < n of body, base init, all normal: the range cut, or seen to be trivial, or
 * turned */
pv_eqn pv_range_max(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id init, ck_id k, ck_id body) {
  enum { PLACES = 8 };

  pv_eqn none = pv_same(term);
  pv_eqn result;
  ck_id m[PLACES + 1];
  pv_thm thm;
  uint32_t np;
  pv_thm n_nonneg;
  ck_fsub fun = pv_fun_sub(prover, "f", &k, body);
  pv_var_sub vars[2] = {{pv_int_var(prover, "n"), n}, {pv_real_var(prover, "x"), body}};
  if ((thm = pv_follows(prover, ctx, pv_le(prover, n, prover->zero))) != PV_NONE) {
    result.to = init;
    result.by = pv_zero(prover, term, thm);
    return result.by == PV_NONE ? none : result;
  }
  n_nonneg = pv_follows(prover, ctx, pv_ge0(prover, n));
  if (n_nonneg == PV_NONE || (thm = written_out(prover, ctx, term, n, init, k, body)) == PV_NONE)
    return none;
  if (!ck_has_var(prover->terms, body, k)) {
    result.to = body;
    result.by =
        pv_trans(prover, thm, pv_use_lemma(prover, PV_MAX_CONST, vars, 2, NULL, 0, &n_nonneg, 1));
    return result.by == PV_NONE ? none : result;
  }
  if (pv_is_one(prover, n)) { /* max2(f(0), f(0)) */
    ck_id first = pv_max(prover, prover->zero, k, body);
    pv_thm z = pv_zero(prover, first, pv_zero_le_zero(prover));
    pv_thm u = pv_succ(prover, pv_max(prover, n, k, body), prover->zero, pv_zero_le_zero(prover));
    thm = pv_trans(prover, thm,
                   pv_trans(prover, pv_then_rewrite(prover, u, &z, 1),
                            z == PV_NONE ? PV_NONE : pv_max_same(prover, pv_right(prover, z))));
    if (thm == PV_NONE)
      return none;
    result.by = thm;
    result.to = pv_right(prover, thm);
    return pv_then(prover, result, pv_norm(prover, ctx, result.to));
  }
  np = pv_cut_places(prover, body, k, m, PLACES);
  if (ck_head(prover->terms, n) == CK_ADD) {
    ck_id first = n;
    while (ck_head(prover->terms, first) == CK_ADD)
      first = ck_kid(prover->terms, first, 0);
    m[np++] = first;
  }
  for (uint32_t i = 0; i < np; i++) {
    if (pv_is_zero(prover, m[i]) || m[i] == n)
      continue;
    result = cut_max(prover, ctx, n, k, body, m[i], thm);
    if (result.by != PV_NONE)
      return result;
  }
  if ((n_nonneg = pv_follows(prover, ctx, pv_gt0(prover, n))) != PV_NONE &&
      pv_runs_backwards(prover, ctx, n, k, body)) {
    result.by =
        pv_trans(prover, thm, pv_use_lemma(prover, PV_MAX_REVERSE, vars, 1, &fun, 1, &n_nonneg, 1));
    if (result.by == PV_NONE)
      return none;
    result.to = pv_right(prover, result.by);
    return pv_then(prover, result, pv_norm(prover, ctx, result.to));
  }
  return none;
}

/* max over k < n of b1 = max of b2, from s: b1 = b2 for 0 <= k < n; np: 0 < n */
static pv_thm lift_max(pv *prover, ck_id n, ck_id k, pv_thm thm, pv_thm np) {
  if (thm == PV_REFL || thm == PV_NONE)
    return thm;
  ck_id acc = pv_real_var(prover, "$$acc");
  ck_id vars[2] = {k, acc};
  ck_id b1 = pv_left(prover, thm);
  ck_id b2 = pv_right(prover, thm);
  ck_id from = pv_max(prover, n, k, b1);
  ck_id to = pv_max(prover, n, k, b2);
  pv_var_sub at0 = {k, prover->zero};
  pv_thm premises[2] = {pv_zero_le_zero(prover), np};
  pv_thm two[2] = {thm, thm};
  pv_thm e0 = pv_inst(prover, thm, &at0, 1, NULL, 0, premises, 2);
  pv_thm c = pv_cong(prover, pv_max2(prover, acc, b1), pv_max2(prover, acc, b2), two, 2);
  ck_id mid = pv_fold1(prover, n, ck_kid(prover->terms, to, 1), k, acc, pv_max2(prover, acc, b1));
  pv_thm first = mid == from ? PV_REFL : pv_cong(prover, from, mid, &e0, 1);
  return pv_trans(prover, first, pv_foldcong(prover, mid, to, vars, 2, &c, 1));
}

/* the argument at which body is one of the functions that maxima go through */
static bool way_of(pv *prover, ck_id body, pv_max_way *way, ck_id *arg) {
  pv_poly poly;
  bool ok;
  ck_id u = prover->zero;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, body);
  ok = poly.count == 1 && poly.monos[0].degree > 0;
  if (ok && poly.monos[0].degree == 1 && ck_head(prover->terms, poly.monos[0].atoms[0]) == CK_ITE &&
      (pv_is_one(prover, poly.monos[0].coef) || poly.monos[0].coef == pv_num(prover, -1))) {
    ck_id x = poly.monos[0].atoms[0];
    ck_id c = ck_kid(prover->terms, x, 0);
    ck_id e = ck_kid(prover->terms, x, 1);
    ok = ck_head(prover->terms, c) == CK_LE && pv_is_zero(prover, ck_kid(prover->terms, c, 0)) &&
         ck_kid(prover->terms, c, 1) == e && pv_is_zero(prover, ck_kid(prover->terms, x, 2));
    *way = pv_is_one(prover, poly.monos[0].coef) ? PV_THROUGH_RELU : PV_THROUGH_NRELU;
    *arg = *way == PV_THROUGH_RELU ? e : pv_canon(prover, pv_neg(prover, e));
  } else {
    ok = ok && pv_is_one(prover, poly.monos[0].coef);
    for (uint32_t i = 0; ok && i < poly.monos[0].degree; i++) {
      ck_id a = poly.monos[0].atoms[i];
      bool inv = ck_head(prover->terms, a) == CK_INV;
      if (inv)
        a = ck_kid(prover->terms, a, 0);
      ok = ck_head(prover->terms, a) == CK_EXP;
      if (ok)
        u = inv ? pv_sub(prover, u, ck_kid(prover->terms, a, 0))
                : pv_add(prover, u, ck_kid(prover->terms, a, 0));
    }
    *way = PV_THROUGH_EXP;
    *arg = pv_canon(prover, u);
  }
  pv_poly_clear(&poly);
  return ok;
}

/* t = max over k < n of body, all normal, where body is an increasing function of something: the
 * function of the maximum.  Maxima of maxima: the one with the lesser bound outside. */
pv_eqn pv_monotone_max(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id init, ck_id k,
                       ck_id body) {
  static const pv_lemma_id law[] = {PV_MAX_ADD, PV_MAX_SCALE, PV_MAX_EXP, PV_MAX_RELU,
                                    PV_MAX_NRELU};
  pv_eqn none = pv_same(term);
  pv_eqn result;
  pv_max_way way;
  ck_id a;
  ck_id same_k;
  ck_id f;
  pv_ctx in;
  pv_thm np = pv_follows(prover, ctx, pv_gt0(prover, n));
  pv_thm thm = np == PV_NONE ? PV_NONE : written_out(prover, ctx, term, n, init, k, body);
  pv_thm n_nonneg;
  if (thm == PV_NONE)
    return none;
  n_nonneg = pv_scaled(prover, pv_ge0(prover, n), prover->one, np);
  pv_var_sub vars[2] = {{pv_int_var(prover, "n"), n}, {pv_int_var(prover, "m"), CK_BAD}};
  if (way_of(prover, body, &way, &a)) {
    ck_id other = pv_max_through_term(prover, way, prover->zero, a);
    pv_thm e = PV_REFL;
    ck_fsub funs = pv_fun_sub(prover, "f", &k, a);
    in = pv_ctx_bind(prover, ctx, n, &same_k);
    if (other != body) {
      pv_eqn back = pv_norm(prover, in, other);
      if (same_k != k || back.by == PV_NONE || back.to != body)
        return none;
      e = pv_sym(prover, back.by);
    }
    result.by = pv_trans(prover, pv_trans(prover, thm, lift_max(prover, n, k, e, np)),
                         pv_use_lemma(prover, law[way], vars, 1, &funs, 1, &n_nonneg, 1));
  } else if (pv_is_max(prover, body, &f) &&
             ck_is_closed(prover->terms, ck_kid(prover->terms, body, 0)) &&
             !ck_has_var(prover->terms, ck_kid(prover->terms, body, 0), k)) {
    ck_id m = ck_kid(prover->terms, body, 0);
    ck_id l;
    pv_thm mp = pv_follows(prover, ctx, pv_gt0(prover, m));
    pv_thm premises[2] = {np, mp};
    int c = pv_order(prover, m, n);
    in = pv_ctx_bind(prover, ctx, n, &same_k);
    pv_ctx_bind(prover, in, m, &l);
    ck_id inner = pv_max_body(prover, body, l);
    ck_id par[2] = {k, l};
    ck_fsub funs = pv_fun2_sub(prover, "f2", par, inner);
    if (mp == PV_NONE || c > 0)
      return none;
    vars[1].term = m;
    result.by =
        pv_trans(prover, thm, pv_use_lemma(prover, PV_MAX_SWAP, vars, 2, &funs, 1, premises, 2));
    if (result.by != PV_NONE && c == 0) { /* the same bounds: the lesser term */
      ck_id both[2] = {k, l};
      ck_id swapped[2] = {l, k};
      if (pv_order(prover, ck_sub(prover->terms, inner, both, swapped, 2, NULL, 0), inner) >= 0)
        return none;
    }
  } else {
    return none;
  }
  if (result.by == PV_NONE)
    return none;
  result.to = pv_right(prover, result.by);
  return pv_then(prover, result, pv_norm(prover, ctx, result.to));
}
