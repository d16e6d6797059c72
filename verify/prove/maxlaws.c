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
pv_eqn pv_min_as_max(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id init, ck_id k, ck_id body) {
  pv_eqn none = {term, PV_REFL};
  pv_eqn base;
  ck_id literal = pv_min(prover, n, k, body);
  ck_id literal_base = ck_sub(prover->terms, body, &k, &prover->zero, 1, NULL, 0);
  pv_thm n_nonneg = pv_follows(prover, ctx, pv_ge0(prover, n));
  pv_thm thm = PV_REFL;
  if (n_nonneg == PV_NONE)
    return none;
  base = pv_norm(prover, ctx, literal_base);
  if (base.by == PV_NONE || base.to != init)
    return none;
  if (base.by != PV_REFL) {
    pv_thm back = pv_sym(prover, base.by);
    thm = pv_cong(prover, term, literal, &back, 1);
  }
  ck_fsub funs = pv_fun_sub(prover, "f", &k, body);
  pv_var_sub vars = {pv_int_var(prover, "n"), n};
  thm = pv_trans(prover, thm, pv_use_lemma(prover, PV_MIN_MAX, &vars, 1, &funs, 1, &n_nonneg, 1));
  if (thm == PV_NONE)
    return none;
  pv_eqn eqn = {pv_right(prover, thm), thm};
  return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
}

/* max over k < n of b1 = max of b2, for polynomially equal bodies */
static pv_thm same_max(pv *prover, ck_id n, ck_id k, ck_id before, ck_id after) {
  ck_id acc = pv_real_var(prover, "$$acc");
  ck_id vars[2] = {k, acc};
  ck_id from = pv_max(prover, n, k, before);
  ck_id init = ck_sub(prover->terms, after, &k, &prover->zero, 1, NULL, 0);
  ck_id init1 = ck_sub(prover->terms, before, &k, &prover->zero, 1, NULL, 0);
  if (before == after)
    return PV_REFL;
  pv_thm base_same = init == init1 ? PV_REFL : pv_identity(prover, pv_eq(prover, init1, init));
  pv_thm same = pv_identity(prover, pv_eq(prover, before, after));
  pv_thm two[2] = {same, same};
  ck_id mid = pv_fold1(prover, n, init, k, acc, pv_max2(prover, acc, before));
  pv_thm thm = base_same == PV_REFL ? PV_REFL : pv_cong(prover, from, mid, &base_same, 1);
  pv_thm step_same =
      pv_cong(prover, pv_max2(prover, acc, before), pv_max2(prover, acc, after), two, 2);
  return pv_trans(prover, thm,
                  pv_foldcong(prover, mid, pv_max(prover, n, k, after), vars, 2, &step_same, 1));
}

/* body = c*in + out with c not negative, c and out free of k; false if that is trivial */
static bool pull_parts(pv *prover, pv_ctx ctx, ck_id k, ck_id body, ck_id *scale,
                       pv_thm *scale_nonneg, ck_id *inside, ck_id *outside) {
  pv_poly poly;
  pv_poly inside_poly;
  pv_poly outside_poly;
  ck_id factor[25];
  uint32_t n;
  pv_poly_init(&poly);
  pv_poly_init(&inside_poly);
  pv_poly_init(&outside_poly);
  pv_poly_read(prover, &poly, body);
  for (uint32_t i = 0; i < poly.count; i++) {
    bool dep = false;
    for (uint32_t j = 0; j < poly.monos[i].degree; j++)
      dep = dep || ck_has_var(prover->terms, poly.monos[i].atoms[j], k);
    pv_poly_add_mono(prover, dep ? &inside_poly : &outside_poly, poly.monos[i].coef,
                     poly.monos[i].atoms, poly.monos[i].degree);
  }
  *inside = pv_poly_term(prover, &inside_poly);
  *outside = pv_poly_term(prover, &outside_poly);
  pv_poly_clear(&poly);
  pv_poly_clear(&inside_poly);
  pv_poly_clear(&outside_poly);
  if (pv_is_zero(prover, *inside))
    return false;
  n = pv_poly_content(prover, *inside, factor, 24);
  *scale = prover->one;
  *scale_nonneg = pv_by_value(prover, pv_ge0(prover, prover->one));
  ck_id rest = CK_BAD;
  for (uint32_t i = 0; i < n; i++) {
    pv_thm nonneg = PV_NONE;
    bool neg = false;
    if (pv_is_const(prover, factor[i])) {
      if (pv_const_sign(prover, factor[i]) < 0) {
        neg = true;
        factor[i] = pv_const_mul(prover, factor[i], pv_num(prover, -1));
      }
      nonneg = pv_by_value(prover, pv_ge0(prover, factor[i]));
    } else if (!ck_has_var(prover->terms, factor[i], k)) {
      nonneg = pv_nonneg(prover, ctx, factor[i]);
      if (nonneg == PV_NONE) { /* what is not positive: its amount comes out, the sign stays */
        ck_id negated = pv_canon(prover, pv_neg(prover, factor[i]));
        nonneg = pv_nonneg(prover, ctx, negated);
        neg = nonneg != PV_NONE;
        if (neg)
          factor[i] = negated;
      }
    }
    if (pv_is_one(prover, factor[i])) { /* the sign alone */
    } else if (nonneg == PV_NONE) {
      rest = rest == CK_BAD ? factor[i] : pv_mul(prover, rest, factor[i]);
    } else {
      pv_thm premises[2] = {*scale_nonneg, nonneg};
      pv_summand summand = {prover->one, premises, 2};
      *scale = pv_mul(prover, *scale, factor[i]);
      *scale_nonneg = pv_arith(prover, pv_ge0(prover, *scale), &summand, 1);
    }
    if (neg)
      rest = rest == CK_BAD ? pv_num(prover, -1) : pv_neg(prover, rest);
  }
  if (n == 0 || pv_is_one(prover, *scale) || *scale_nonneg == PV_NONE || rest == CK_BAD) {
    *scale = prover->one;
  } else {
    ck_id rest_canon = pv_canon(prover, rest);
    if (pv_canon(prover, pv_mul(prover, *scale, rest_canon)) != *inside)
      *scale = prover->one; /* inverses would have to cancel: left alone */
    else
      *inside = rest_canon;
  }
  return !pv_is_zero(prover, *outside) || !pv_is_one(prover, *scale);
}

/* t = max over k < n of body, base init, all normal: constants come out */
static pv_eqn pull_max(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id init, ck_id k,
                       ck_id body) {
  pv_eqn none = {term, PV_REFL};
  ck_id scale;
  ck_id inside;
  ck_id outside;
  ck_id literal = pv_max(prover, n, k, body);
  ck_id literal_base = ck_sub(prover->terms, body, &k, &prover->zero, 1, NULL, 0);
  pv_thm scale_nonneg;
  pv_thm thm = PV_REFL;
  if (!pull_parts(prover, ctx, k, body, &scale, &scale_nonneg, &inside, &outside))
    return none;
  pv_eqn base = pv_norm(prover, ctx, literal_base);
  if (base.by == PV_NONE || base.to != init)
    return none;
  if (base.by != PV_REFL) {
    pv_thm back = pv_sym(prover, base.by);
    thm = pv_cong(prover, term, literal, &back, 1);
  }
  ck_id scaled = pv_is_one(prover, scale) ? inside : pv_mul(prover, scale, inside);
  ck_id shape = pv_is_zero(prover, outside) ? scaled : pv_add(prover, scaled, outside);
  ck_id max = pv_max(prover, n, k, inside);
  ck_id res = max;
  thm = pv_trans(prover, thm, same_max(prover, n, k, body, shape));
  ck_fsub fun = pv_fun_sub(prover, "f", &k, scaled);
  pv_var_sub vars[2] = {{pv_int_var(prover, "n"), n}, {pv_real_var(prover, "x"), outside}};
  if (!pv_is_zero(prover, outside))
    thm = pv_trans(prover, thm, pv_use_lemma(prover, PV_MAX_ADD, vars, 2, &fun, 1, NULL, 0));
  pv_comb comb;
  pv_comb_init(&comb); /* t = max(cin) + out;  max(cin) = c*m;  m = r.t */
  pv_comb_add(&comb, prover->one, thm);
  if (!pv_is_one(prover, scale)) {
    fun.body = inside;
    vars[1].term = scale;
    pv_comb_add(&comb, prover->one,
                pv_use_lemma(prover, PV_MAX_SCALE, vars, 2, &fun, 1, &scale_nonneg, 1));
  }
  pv_eqn result = pv_norm(prover, ctx, max);
  if (result.by != PV_NONE) {
    pv_comb_add(&comb, scale, result.by);
    res = result.to;
  }
  res = pv_add(prover, pv_mul(prover, scale, res), outside);
  pv_eqn eqn = {res, pv_comb_prove(prover, &comb, pv_eq(prover, term, res))};
  if (thm == PV_NONE || eqn.by == PV_NONE)
    return none;
  return pv_then(prover, eqn, pv_norm_poly(prover, ctx, res));
}

ck_id pv_max_element(pv *prover, ck_id fold, ck_id counter) {
  if (ck_head(prover->terms, fold) != CK_FOLD || ck_width(prover->terms, fold) != 1)
    return CK_BAD;
  ck_id vars[2] = {counter, pv_real_var(prover, "$$acc")};
  ck_id step = ck_open(prover->terms, ck_kid(prover->terms, fold, 2), vars, 2);
  if (ck_head(prover->terms, step) != CK_ITE)
    return CK_BAD;
  ck_id element = ck_kid(prover->terms, step, 1);
  bool is_max =
      step == pv_max2(prover, vars[1], element) && !ck_has_var(prover->terms, element, vars[1]);
  return is_max ? element : CK_BAD;
}

/* t = max over k < n of body (base init): body again a maximum, over t < T of f(k*T + t)? */
pv_eqn pv_join_max(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id init, ck_id k, ck_id body) {
  pv_eqn none = pull_max(prover, ctx, term, n, init, k, body);
  ck_id joint = pv_int_var(prover, "$$K");
  ck_id body_at;
  ck_id inner_counter;
  ck_id tile;
  ck_id joined;
  if (none.by != PV_REFL)
    return none;
  none = pv_range_max(prover, ctx, term, n, init, k, body);
  if (none.by != PV_REFL)
    return none;
  none = pv_monotone_max(prover, ctx, term, n, init, k, body);
  if (none.by != PV_REFL)
    return none;
  pv_thm window = pv_window_max(prover, ctx, term, n, k, body);
  if (window != PV_NONE && window != PV_REFL)
    return pv_then(prover, (pv_eqn){pv_right(prover, window), window},
                   pv_norm(prover, ctx, pv_right(prover, window)));
  inner_counter = pv_int_var(prover, "$$u");
  body_at = pv_max_element(prover, body, inner_counter);
  if (body_at == CK_BAD)
    return none;
  tile = ck_kid(prover->terms, body, 0);
  pv_thm cut = pv_cut_tiles_max(prover, ctx, n, k, body, inner_counter, body_at);
  if (cut != PV_NONE && cut != PV_REFL) {
    pv_thm literal = pv_max_written_out(prover, ctx, term, n, init, k, body);
    pv_eqn whole = {pv_right(prover, cut), pv_trans(prover, literal, cut)};
    return whole.by == PV_NONE ? none : pv_then(prover, whole, pv_norm(prover, ctx, whole.to));
  }
  if (ck_has_var(prover->terms, tile, k))
    return none;
  ck_id with = pv_sub(prover, joint, pv_mul(prover, k, tile));
  joined = ck_sub(prover->terms, body_at, &inner_counter, &with, 1, NULL, 0);
  if (joined == CK_BAD)
    return none;
  pv_eqn eqn = pv_index_canon(prover, joined);
  if (eqn.by == PV_NONE || ck_has_var(prover->terms, eqn.to, k))
    return none;
  pv_thm premises[2] = {pv_follows(prover, ctx, pv_gt0(prover, n)),
                        pv_follows(prover, ctx, pv_gt0(prover, tile))};
  if (premises[0] == PV_NONE || premises[1] == PV_NONE)
    return none;
  pv_var_sub v[2] = {{pv_int_var(prover, "G"), n}, {pv_int_var(prover, "T"), tile}};
  ck_fsub funs = pv_fun_sub(prover, "f", &joint, eqn.to);
  pv_thm thm = pv_use_lemma(prover, PV_MAX_SPLIT, v, 2, &funs, 1, premises, 2);
  if (thm == PV_NONE)
    return none;
  pv_thm same_left = pv_same_index(prover, term, pv_left(prover, thm));
  pv_eqn result = {pv_right(prover, thm), pv_trans(prover, same_left, thm)};
  return result.by == PV_NONE ? none : pv_then(prover, result, pv_norm(prover, ctx, result.to));
}
