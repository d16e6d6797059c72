/* Ranges of maxima: constants, one element, two ranges, the range run backwards; a maximum is at
 * least each element and at most what all elements are. */
#include "pv_folds.h"

pv_thm pv_max_written_out(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id init, ck_id k,
                          ck_id body) {
  ck_id literal = pv_max(prover, n, k, body);
  pv_eqn base = pv_norm(prover, ctx, ck_sub(prover->terms, body, &k, &prover->zero, 1, NULL, 0));
  if (base.by == PV_NONE || base.to != init)
    return PV_NONE;
  if (base.by == PV_REFL)
    return literal == term ? PV_REFL : PV_NONE;
  pv_thm back = pv_sym(prover, base.by);
  return pv_cong(prover, term, literal, &back, 1);
}

static pv_eqn cut_max(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body, ck_id place,
                      pv_thm thm) {
  ck_id rest = pv_canon(prover, pv_sub(prover, pv_sub(prover, n, place), prover->one));
  ck_id both = pv_add(prover, place, pv_add(prover, rest, prover->one));
  pv_thm premises[2] = {pv_follows(prover, ctx, pv_le(prover, prover->one, place)), PV_NONE};
  pv_thm same_bound;
  pv_thm renamed;
  pv_eqn result = {CK_BAD, PV_NONE};
  if (premises[0] == PV_NONE ||
      (premises[1] = pv_follows(prover, ctx, pv_ge0(prover, rest))) == PV_NONE)
    return result;
  premises[0] = pv_follows(prover, ctx, pv_ge0(prover, place));
  same_bound = pv_identity(prover, pv_eq(prover, n, both));
  renamed = n == both ? PV_REFL
                      : pv_cong(prover, pv_max(prover, n, k, body), pv_max(prover, both, k, body),
                                &same_bound, 1);
  pv_var_sub vars[2] = {{pv_int_var(prover, "m"), place}, {pv_int_var(prover, "q"), rest}};
  ck_fsub fun = pv_fun_sub(prover, "f", &k, body);
  result.by = pv_trans(prover, pv_trans(prover, thm, renamed),
                       pv_use_lemma(prover, PV_MAX_CONCAT, vars, 2, &fun, 1, premises, 2));
  if (result.by == PV_NONE)
    return result;
  result.to = pv_right(prover, result.by);
  return pv_then(prover, result, pv_norm(prover, ctx, result.to));
}

/* max(k < n) body where the body rises or falls with k by the same amount each time: its last or
 * its first element; PV_NONE: it does neither */
static pv_thm at_an_end(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body) {
  ck_id slope;
  ck_id rest;
  if (!pv_poly_linear(prover, body, k, &slope, &rest) || slope == CK_BAD ||
      !pv_is_const(prover, slope))
    return PV_NONE;
  pv_thm n_pos = pv_follows(prover, ctx, pv_gt0(prover, n));
  bool rises = pv_const_sign(prover, slope) > 0;
  ck_id end = rises ? pv_canon(prover, pv_sub(prover, n, prover->one)) : prover->zero;
  ck_id most = pv_canon(prover, ck_sub(prover->terms, body, &k, &end, 1, NULL, 0));
  pv_thm in_range = rises ? pv_tighten(prover, pv_hyp(prover, pv_lt(prover, k, n)))
                          : pv_hyp(prover, pv_ge0(prover, k));
  pv_thm each =
      pv_scaled(prover, pv_le(prover, body, most),
                rises ? slope : pv_const_mul(prover, slope, pv_num(prover, -1)), in_range);
  ck_fsub fun = pv_fun_sub(prover, "f", &k, body);
  pv_var_sub vars[2] = {{pv_int_var(prover, "n"), n}, {pv_int_var(prover, "i"), end}};
  pv_thm premises[2] = {pv_follows(prover, ctx, pv_ge0(prover, end)),
                        pv_follows(prover, ctx, pv_lt(prover, end, n))};
  if (n_pos == PV_NONE || each == PV_NONE || premises[0] == PV_NONE || premises[1] == PV_NONE)
    return PV_NONE;
  pv_thm above = pv_use_lemma(prover, PV_MAX_GE, vars, 2, &fun, 1, premises, 2);
  ck_id whole = pv_max(prover, n, k, body);
  return pv_antisym(prover, pv_max_le(prover, n, k, body, most, n_pos, each),
                    pv_restate(prover, pv_le(prover, most, whole), above));
}

/* t = max over k < n of body, base init, all normal: the range cut, or seen to be trivial, or
 * turned */
pv_eqn pv_range_max(pv *prover, pv_ctx ctx, ck_id term, ck_id n, ck_id init, ck_id k, ck_id body) {
  enum { PLACES = 8 };

  pv_eqn none = pv_same(term);
  pv_eqn result;
  ck_id place[PLACES + 1];
  pv_thm thm;
  uint32_t n_places;
  pv_thm n_pos;
  ck_fsub fun = pv_fun_sub(prover, "f", &k, body);
  pv_var_sub vars[2] = {{pv_int_var(prover, "n"), n}, {pv_real_var(prover, "x"), body}};
  if ((thm = pv_follows(prover, ctx, pv_le(prover, n, prover->zero))) != PV_NONE) {
    result.to = init;
    result.by = pv_zero(prover, term, thm);
    return result.by == PV_NONE ? none : result;
  }
  if ((thm = pv_max_written_out(prover, ctx, term, n, init, k, body)) == PV_NONE)
    return none;
  if (!ck_has_var(prover->terms, body, k)) {
    result.to = body;
    result.by =
        pv_trans(prover, thm, pv_use_lemma(prover, PV_MAX_CONST, vars, 2, NULL, 0, NULL, 0));
    return result.by == PV_NONE ? none : result;
  }
  if (pv_follows(prover, ctx, pv_ge0(prover, n)) == PV_NONE)
    return none;
  pv_thm end = at_an_end(prover, ctx, n, k, body);
  if (end != PV_NONE) {
    result = (pv_eqn){pv_right(prover, end), pv_trans(prover, thm, end)};
    return pv_then(prover, result, pv_norm(prover, ctx, result.to));
  }
  if (pv_is_one(prover, n)) { /* max2(f(0), f(0)) */
    ck_id first = pv_max(prover, prover->zero, k, body);
    pv_thm empty = pv_zero(prover, first, pv_zero_le_zero(prover));
    pv_thm unrolled =
        pv_succ(prover, pv_max(prover, n, k, body), prover->zero, pv_zero_le_zero(prover));
    thm = pv_trans(
        prover, thm,
        pv_trans(prover, pv_then_rewrite(prover, unrolled, &empty, 1),
                 empty == PV_NONE ? PV_NONE : pv_max_same(prover, pv_right(prover, empty))));
    if (thm == PV_NONE)
      return none;
    result.by = thm;
    result.to = pv_right(prover, thm);
    return pv_then(prover, result, pv_norm(prover, ctx, result.to));
  }
  n_places = pv_cut_places(prover, body, k, place, PLACES);
  if (ck_head(prover->terms, n) == CK_ADD) {
    ck_id first = n;
    while (ck_head(prover->terms, first) == CK_ADD)
      first = ck_kid(prover->terms, first, 0);
    place[n_places++] = first;
  }
  for (uint32_t i = 0; i < n_places; i++) {
    if (pv_is_zero(prover, place[i]) || place[i] == n)
      continue;
    result = cut_max(prover, ctx, n, k, body, place[i], thm);
    if (result.by != PV_NONE)
      return result;
  }
  if ((n_pos = pv_follows(prover, ctx, pv_gt0(prover, n))) != PV_NONE &&
      pv_runs_backwards(prover, ctx, n, k, body)) {
    result.by =
        pv_trans(prover, thm, pv_use_lemma(prover, PV_MAX_REVERSE, vars, 1, &fun, 1, &n_pos, 1));
    if (result.by == PV_NONE)
      return none;
    result.to = pv_right(prover, result.by);
    return pv_then(prover, result, pv_norm(prover, ctx, result.to));
  }
  return none;
}

/* max over k < n of b1 = max of b2, from thm: b1 = b2 for 0 <= k < n, and base: the same at 0 */
static pv_thm lift_max(pv *prover, ck_id n, ck_id k, pv_thm thm, pv_thm base) {
  ck_id acc = pv_real_var(prover, "$$acc");
  ck_id vars[2] = {k, acc};
  ck_id before = pv_left(prover, thm);
  ck_id after = pv_right(prover, thm);
  ck_id from = pv_max(prover, n, k, before);
  ck_id to = pv_max(prover, n, k, after);
  pv_thm two[2] = {thm, thm};
  pv_thm step_same =
      pv_cong(prover, pv_max2(prover, acc, before), pv_max2(prover, acc, after), two, 2);
  ck_id mid =
      pv_fold1(prover, n, ck_kid(prover->terms, to, 1), k, acc, pv_max2(prover, acc, before));
  pv_thm first = mid == from ? PV_REFL : pv_cong(prover, from, mid, &base, 1);
  return pv_trans(prover, first, pv_foldcong(prover, mid, to, vars, 2, &step_same, 1));
}

pv_thm pv_lift_max(pv *prover, ck_id n, ck_id k, pv_thm thm, pv_thm n_pos) {
  if (thm == PV_REFL || thm == PV_NONE)
    return thm;
  pv_var_sub at0 = {k, prover->zero};
  pv_thm premises[2] = {pv_zero_le_zero(prover), n_pos};
  return lift_max(prover, n, k, thm, pv_inst(prover, thm, &at0, 1, NULL, 0, premises, 2));
}

pv_thm pv_lift_max_anyhow(pv *prover, pv_ctx ctx, ck_id n, ck_id k, pv_thm thm) {
  if (thm == PV_REFL || thm == PV_NONE)
    return thm;
  ck_id zero = prover->zero;
  ck_id first[2] = {ck_sub(prover->terms, pv_left(prover, thm), &k, &zero, 1, NULL, 0),
                    ck_sub(prover->terms, pv_right(prover, thm), &k, &zero, 1, NULL, 0)};
  if (first[0] == first[1])
    return lift_max(prover, n, k, thm, PV_REFL);
  pv_eqn before = pv_norm(prover, ctx, first[0]);
  pv_eqn after = pv_norm(prover, ctx, first[1]);
  if (before.by == PV_NONE || after.by == PV_NONE || before.to != after.to)
    return PV_NONE;
  return lift_max(prover, n, k, thm, pv_trans(prover, before.by, pv_sym(prover, after.by)));
}

/* the argument at which body is one of the functions that maxima go through */
static bool way_of(pv *prover, ck_id body, pv_max_way *way, ck_id *arg) {
  pv_poly poly;
  bool ok;
  ck_id sum = prover->zero;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, body);
  ok = poly.count == 1 && poly.monos[0].degree > 0;
  if (ok && poly.monos[0].degree == 1 && ck_head(prover->terms, poly.monos[0].atoms[0]) == CK_ITE &&
      (pv_is_one(prover, poly.monos[0].coef) || poly.monos[0].coef == pv_num(prover, -1))) {
    ck_id atom = poly.monos[0].atoms[0];
    ck_id cond = ck_kid(prover->terms, atom, 0);
    ck_id then = ck_kid(prover->terms, atom, 1);
    ok = ck_head(prover->terms, cond) == CK_LE &&
         pv_is_zero(prover, ck_kid(prover->terms, cond, 0)) &&
         ck_kid(prover->terms, cond, 1) == then &&
         pv_is_zero(prover, ck_kid(prover->terms, atom, 2));
    *way = pv_is_one(prover, poly.monos[0].coef) ? PV_THROUGH_RELU : PV_THROUGH_NRELU;
    *arg = *way == PV_THROUGH_RELU ? then : pv_canon(prover, pv_neg(prover, then));
  } else {
    ok = ok && pv_is_one(prover, poly.monos[0].coef);
    for (uint32_t i = 0; ok && i < poly.monos[0].degree; i++) {
      ck_id factor = poly.monos[0].atoms[i];
      bool inv = ck_head(prover->terms, factor) == CK_INV;
      if (inv)
        factor = ck_kid(prover->terms, factor, 0);
      ok = ck_head(prover->terms, factor) == CK_EXP;
      if (ok)
        sum = inv ? pv_sub(prover, sum, ck_kid(prover->terms, factor, 0))
                  : pv_add(prover, sum, ck_kid(prover->terms, factor, 0));
    }
    *way = PV_THROUGH_EXP;
    *arg = pv_canon(prover, sum);
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
  ck_id arg;
  ck_id same_k;
  ck_id body_under_binders;
  pv_ctx in;
  pv_thm thm = pv_max_written_out(prover, ctx, term, n, init, k, body);
  if (thm == PV_NONE)
    return none;
  pv_thm n_pos = pv_follows(prover, ctx, pv_gt0(prover, n));
  pv_var_sub vars[2] = {{pv_int_var(prover, "n"), n}, {pv_int_var(prover, "m"), CK_BAD}};
  if (way_of(prover, body, &way, &arg)) {
    ck_id other = pv_max_through_term(prover, way, prover->zero, arg);
    pv_thm rewritten = PV_REFL;
    ck_fsub funs = pv_fun_sub(prover, "f", &k, arg);
    in = pv_ctx_bind(prover, ctx, n, &same_k);
    if (other != body) {
      pv_eqn back = pv_norm(prover, in, other);
      if (same_k != k || back.by == PV_NONE || back.to != body)
        return none;
      rewritten = pv_sym(prover, back.by);
    }
    result.by =
        pv_trans(prover, pv_trans(prover, thm, pv_lift_max_anyhow(prover, ctx, n, k, rewritten)),
                 pv_use_lemma(prover, law[way], vars, 1, &funs, 1, NULL, 0));
  } else if (pv_is_max(prover, body, &body_under_binders) &&
             ck_is_closed(prover->terms, ck_kid(prover->terms, body, 0)) &&
             !ck_has_var(prover->terms, ck_kid(prover->terms, body, 0), k)) {
    ck_id inner_bound = ck_kid(prover->terms, body, 0);
    ck_id inner_counter;
    pv_thm inner_pos = pv_follows(prover, ctx, pv_gt0(prover, inner_bound));
    pv_thm premises[2] = {n_pos, inner_pos};
    int order = pv_order(prover, inner_bound, n);
    in = pv_ctx_bind(prover, ctx, n, &same_k);
    pv_ctx_bind(prover, in, inner_bound, &inner_counter);
    ck_id inner = pv_max_body(prover, body, inner_counter);
    ck_id params[2] = {k, inner_counter};
    ck_fsub funs = pv_fun2_sub(prover, "f2", params, inner);
    if (n_pos == PV_NONE || inner_pos == PV_NONE || order > 0)
      return none;
    vars[1].term = inner_bound;
    result.by =
        pv_trans(prover, thm, pv_use_lemma(prover, PV_MAX_SWAP, vars, 2, &funs, 1, premises, 2));
    if (result.by != PV_NONE && order == 0) { /* the same bounds: the lesser term */
      ck_id both[2] = {k, inner_counter};
      ck_id swapped[2] = {inner_counter, k};
      if (pv_order(prover, ck_sub(prover->terms, inner, both, swapped, 2, NULL, 0), inner) >= 0)
        return none;
    }
  } else {
    pv_thm larger = pv_larger_max(prover, ctx, n, k, body, n_pos);
    if (larger == PV_NONE && n_pos != PV_NONE)
      larger = pv_image_max(prover, ctx, n, k, body, n_pos);
    result.by = pv_trans(prover, thm, larger);
  }
  if (result.by == PV_NONE)
    return none;
  result.to = pv_right(prover, result.by);
  return pv_then(prover, result, pv_norm(prover, ctx, result.to));
}
