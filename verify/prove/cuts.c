/* Where the range of a fold is to be cut: the places at which conditions on its counter change
 * their value, the divisors of its counter; and the conditions on sizes and indices that must be
 * decided before a cut can be made. */
#include "pv_folds.h"

/* the places where condition c about k changes its value, in m; how many */
static uint32_t thresholds(pv *prover, ck_id cond, ck_id k, ck_id *place) {
  ck_op head = ck_head(prover->terms, cond);
  ck_id left = ck_kid(prover->terms, cond, 0);
  ck_id right = ck_kid(prover->terms, cond, 1);
  ck_id value;
  pv_poly poly;
  int sign = 0;
  bool ok = true;
  if (head == CK_ALL || !ck_is_int(prover->terms, left) || !ck_is_int(prover->terms, right) ||
      !ck_is_closed(prover->terms, cond) || !ck_has_var(prover->terms, cond, k))
    return 0;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, pv_sub(prover, right, left));
  for (uint32_t i = 0; i < poly.count; i++) {
    const pv_mono *mono = &poly.monos[i];
    if (mono->degree == 1 && mono->atoms[0] == k) {
      sign = pv_is_one(prover, mono->coef) ? 1 : mono->coef == pv_num(prover, -1) ? -1 : 0;
    } else {
      for (uint32_t j = 0; j < mono->degree; j++) {
        if (ck_has_var(prover->terms, mono->atoms[j], k))
          ok = false;
      }
    }
  }
  pv_poly_clear(&poly);
  if (!ok || !sign)
    return 0;
  value = pv_sub(prover, right, left); /* value; its zero in k is at k0 = k - sign*w */
  ck_id zero_at = pv_canon(prover, pv_sub(prover, k, sign > 0 ? value : pv_neg(prover, value)));
  ck_id k_next = pv_canon(prover, pv_add(prover, zero_at, prover->one));
  if (head == CK_EQ || head == CK_NE) {
    place[0] = zero_at;
    place[1] = k_next;
    return 2;
  }
  /* w-k > 0: k < k0; w-k >= 0: k < k0+1; k-w > 0: from k0+1; k-w >= 0: from k0 */
  place[0] = (head == CK_LT) == (sign < 0) ? zero_at : k_next;
  return 1;
}

static uint32_t places(pv *prover, ck_id term, ck_id k, ck_id *place, uint32_t n, uint32_t max) {
  const ck_terms *terms = prover->terms;
  if (!ck_has_var(terms, term, k))
    return n;
  if (ck_head(terms, term) == CK_ITE) {
    ck_id found[2];
    uint32_t n_found = thresholds(prover, ck_kid(terms, term, 0), k, found);
    for (uint32_t i = 0; i < n_found && n < max; i++) {
      uint32_t j = 0;
      while (j < n && place[j] != found[i])
        j++;
      if (j == n)
        place[n++] = found[i];
    }
  }
  for (uint32_t i = 0, n_kids = ck_nkids(terms, term); i < n_kids; i++)
    n = places(prover, ck_kid(terms, term, i), k, place, n, max); /* conditions too */
  return n;
}

uint32_t pv_cut_places(pv *prover, ck_id body, ck_id k, ck_id *m, uint32_t max) {
  return places(prover, body, k, m, 0, max);
}

ck_id pv_block_size(pv *prover, ck_id term, ck_id k) {
  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, term);
  if (!ck_has_var(terms, term, k))
    return CK_BAD;
  if ((head == CK_DIV || head == CK_MOD) && ck_kid(terms, term, 0) == k &&
      ck_is_closed(terms, ck_kid(terms, term, 1)) && !ck_has_var(terms, ck_kid(terms, term, 1), k))
    return ck_kid(terms, term, 1);
  for (uint32_t i = 0, n = ck_nkids(terms, term); i < n; i++) {
    ck_id b = pv_block_size(prover, ck_kid(terms, term, i), k);
    if (b != CK_BAD)
      return b;
  }
  return CK_BAD;
}

/* c if neither it nor its negation is known, and it does not speak of the counters above `level` */
static ck_id undecided(pv *prover, pv_ctx ctx, uint32_t level, ck_id cond) {
  if (cond == CK_BAD || !ck_is_closed(prover->terms, cond))
    return CK_BAD;
  for (uint32_t n_th = level + 1; n_th <= pv_at(prover, ctx)->level; n_th++) {
    if (ck_has_var(prover->terms, cond, pv_level_var(prover, n_th)))
      return CK_BAD;
  }
  return pv_follows(prover, ctx, cond) != PV_NONE ||
                 pv_follows(prover, ctx, ck_neg(prover->terms, cond)) != PV_NONE
             ? CK_BAD
             : cond;
}

static ck_id range_at(pv *prover, pv_ctx ctx, uint32_t level, ck_id term, int pass) {
  enum { PLACES = 8 };

  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, term);
  ck_id cond = CK_BAD;
  if (head == CK_Q || head == CK_V || head == CK_B)
    return CK_BAD;
  if (pass == 0 && (head == CK_DIV || head == CK_MOD) &&
      (cond = undecided(prover, ctx, level, pv_gt0(prover, ck_kid(terms, term, 1)))) != CK_BAD)
    return cond;
  if (head == CK_FOLD && ck_is_closed(terms, term)) {
    ck_id bound = ck_kid(terms, term, 0);
    ck_id k;
    ck_id place[PLACES];
    ck_id vars[32];
    pv_ctx inner;
    uint32_t n_places;
    uint32_t width = ck_width(terms, term);
    if (width > 8)
      return CK_BAD;
    if (pass == 0 && (cond = undecided(prover, ctx, level, pv_ge0(prover, bound))) != CK_BAD)
      return cond;
    inner = pv_ctx_bind(prover, ctx, bound, &k);
    vars[0] = k;
    for (uint32_t state = 0; state < width; state++)
      vars[state + 1] = pv_state_var(prover, pv_at(prover, inner)->level, state);
    for (uint32_t state = 0; state < width; state++) {
      ck_id body = ck_open(prover->terms, ck_kid(terms, term, 1 + width + state), vars, width + 1);
      if ((cond = range_at(prover, inner, level, body, pass)) != CK_BAD)
        return cond;
      n_places = pass == 1 ? pv_cut_places(prover, body, k, place, PLACES) : 0;
      ck_id block = pass == 1 ? pv_block_size(prover, body, k) : CK_BAD;
      ck_id rest = block == CK_BAD ? CK_BAD : pv_rest_of_division(prover, bound, block);
      if (rest != CK_BAD && (cond = undecided(prover, ctx, level, pv_ge0(prover, rest))) != CK_BAD)
        return cond;
      if (rest != CK_BAD &&
          (cond = undecided(prover, ctx, level, pv_lt(prover, rest, block))) != CK_BAD)
        return cond;
      for (uint32_t i = 0; i < n_places; i++) {
        if ((cond = undecided(prover, ctx, level, pv_ge0(prover, place[i]))) != CK_BAD)
          return cond;
        if ((cond = undecided(prover, ctx, level, pv_le(prover, place[i], bound))) != CK_BAD)
          return cond;
        if (pv_is_sum(prover, term))
          continue; /* a maximum has no empty part */
        if ((cond = undecided(prover, ctx, level, pv_gt0(prover, place[i]))) != CK_BAD)
          return cond;
        if ((cond = undecided(prover, ctx, level, pv_lt(prover, place[i], bound))) != CK_BAD)
          return cond;
      }
    }
    return CK_BAD;
  }
  for (uint32_t i = 0, bound = ck_nkids(terms, term); i < bound; i++) {
    if ((cond = range_at(prover, ctx, level, ck_kid(terms, term, i), pass)) != CK_BAD)
      return cond;
  }
  return CK_BAD;
}

ck_id pv_range_cond(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id c = range_at(prover, ctx, pv_at(prover, ctx)->level, term, 0);
  return c == CK_BAD ? range_at(prover, ctx, pv_at(prover, ctx)->level, term, 1) : c;
}

/* how often k stands with a negative factor in arguments of functions, less how often with a
 * positive one; *neg: the former */
static int backwardness(pv *prover, ck_id term, ck_id k, int *negatives) {
  const ck_terms *terms = prover->terms;
  int n = 0;
  if (!ck_has_var(terms, term, k))
    return 0;
  for (uint32_t i = 0, n_kids = ck_nkids(terms, term); i < n_kids; i++) {
    ck_id arg = ck_kid(terms, term, i);
    pv_poly poly;
    if (ck_head(terms, term) != CK_APP || !ck_is_closed(terms, arg) || !ck_has_var(terms, arg, k)) {
      n += backwardness(prover, arg, k, negatives);
      continue;
    }
    pv_poly_init(&poly);
    pv_poly_read(prover, &poly, arg);
    for (uint32_t j = 0; j < poly.count; j++) {
      if (pv_mono_has(&poly.monos[j], k)) {
        int negative = pv_const_sign(prover, poly.monos[j].coef) < 0;
        n += negative ? 1 : -1;
        *negatives += negative;
      }
    }
    pv_poly_clear(&poly);
  }
  return n;
}

bool pv_runs_backwards(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body) {
  int negatives = 0;
  int now = backwardness(prover, body, k, &negatives);
  int then;
  pv_ctx inner;
  ck_id same;
  pv_eqn eqn;
  if (now < 0 || !negatives)
    return false;
  inner = pv_ctx_bind(prover, ctx, n, &same);
  ck_id turned = pv_sub(prover, pv_sub(prover, n, prover->one), k);
  if (same != k)
    return false;
  eqn = pv_norm(prover, inner, ck_sub(prover->terms, body, &k, &turned, 1, NULL, 0));
  if (eqn.by == PV_NONE || eqn.to == body)
    return false;
  then = backwardness(prover, eqn.to, k, &negatives);
  return then < now || (then == now && pv_order(prover, eqn.to, body) < 0);
}

pv_eqn pv_over_whole_tile(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id bound = ck_kid(prover->terms, term, 0);
  ck_id tile = ck_kid(prover->terms, bound, 1);
  ck_id left = ck_kid(prover->terms, bound, 2);
  ck_id k;
  if (pv_poly_monomials(prover, tile) > pv_poly_monomials(prover, left)) {
    ck_id other = tile;
    tile = left;
    left = other;
  }
  ck_id least = pv_min2(prover, tile, left);
  pv_eqn same = pv_norm(prover, ctx, least);
  pv_thm left_nonneg = pv_follows(prover, ctx, pv_ge0(prover, left));
  if (same.by == PV_NONE || same.to != bound || left_nonneg == PV_NONE)
    return pv_fail();
  pv_ctx_bind(prover, ctx, bound, &k);
  ck_id body = pv_sum_body(prover, term, k);
  pv_var_sub vars[2] = {{pv_int_var(prover, "a"), tile}, {pv_int_var(prover, "b"), left}};
  ck_fsub fun = pv_fun_sub(prover, "f", &k, body);
  pv_thm back = same.by == PV_REFL ? PV_REFL : pv_sym(prover, same.by);
  pv_thm rebound =
      back == PV_REFL ? PV_REFL : pv_cong(prover, term, pv_sum(prover, least, k, body), &back, 1);
  pv_thm thm = pv_trans(prover, rebound,
                        pv_use_lemma(prover, PV_SUM_MIN, vars, 2, &fun, 1, &left_nonneg, 1));
  return thm == PV_NONE ? pv_fail() : (pv_eqn){pv_right(prover, thm), thm};
}
