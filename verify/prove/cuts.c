/* Where the range of a fold is to be cut: the places at which conditions on its counter change
 * their value, the divisors of its counter; and the conditions on sizes and indices that must be
 * decided before a cut can be made. */
#include "pv_folds.h"

/* the places where condition c about k changes its value, in m; how many */
static uint32_t thresholds(pv *prover, ck_id c, ck_id k, ck_id *m) {
  ck_op head = ck_head(prover->terms, c);
  ck_id a = ck_kid(prover->terms, c, 0);
  ck_id b = ck_kid(prover->terms, c, 1);
  ck_id w;
  pv_poly poly;
  int sign = 0;
  bool ok = true;
  if (head == CK_ALL || !ck_is_int(prover->terms, a) || !ck_is_int(prover->terms, b) ||
      !ck_is_closed(prover->terms, c) || !ck_has_var(prover->terms, c, k))
    return 0;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, pv_sub(prover, b, a));
  for (uint32_t i = 0; i < poly.count; i++) {
    const pv_mono *q = &poly.monos[i];
    if (q->degree == 1 && q->atoms[0] == k) {
      sign = pv_is_one(prover, q->coef) ? 1 : q->coef == pv_num(prover, -1) ? -1 : 0;
    } else {
      for (uint32_t j = 0; j < q->degree; j++) {
        if (ck_has_var(prover->terms, q->atoms[j], k))
          ok = false;
      }
    }
  }
  pv_poly_clear(&poly);
  if (!ok || !sign)
    return 0;
  w = pv_sub(prover, b, a); /* value; its zero in k is at k0 = k - sign*w */
  ck_id k0 = pv_canon(prover, pv_sub(prover, k, sign > 0 ? w : pv_neg(prover, w)));
  ck_id k_next = pv_canon(prover, pv_add(prover, k0, prover->one));
  if (head == CK_EQ || head == CK_NE) {
    m[0] = k0;
    m[1] = k_next;
    return 2;
  }
  /* w-k > 0: k < k0; w-k >= 0: k < k0+1; k-w > 0: from k0+1; k-w >= 0: from k0 */
  m[0] = (head == CK_LT) == (sign < 0) ? k0 : k_next;
  return 1;
}

static uint32_t places(pv *prover, ck_id term, ck_id k, ck_id *m, uint32_t n, uint32_t max) {
  const ck_terms *terms = prover->terms;
  if (!ck_has_var(terms, term, k))
    return n;
  if (ck_head(terms, term) == CK_ITE) {
    ck_id at[2];
    uint32_t na = thresholds(prover, ck_kid(terms, term, 0), k, at);
    for (uint32_t i = 0; i < na && n < max; i++) {
      uint32_t j = 0;
      while (j < n && m[j] != at[i])
        j++;
      if (j == n)
        m[n++] = at[i];
    }
  }
  for (uint32_t i = 0, nk = ck_nkids(terms, term); i < nk; i++)
    n = places(prover, ck_kid(terms, term, i), k, m, n, max); /* conditions too */
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
static ck_id undecided(pv *prover, pv_ctx ctx, uint32_t level, ck_id c) {
  if (c == CK_BAD || !ck_is_closed(prover->terms, c))
    return CK_BAD;
  for (uint32_t l = level + 1; l <= pv_at(prover, ctx)->level; l++) {
    if (ck_has_var(prover->terms, c, pv_level_var(prover, l)))
      return CK_BAD;
  }
  return pv_follows(prover, ctx, c) != PV_NONE ||
                 pv_follows(prover, ctx, ck_neg(prover->terms, c)) != PV_NONE
             ? CK_BAD
             : c;
}

static ck_id range_at(pv *prover, pv_ctx ctx, uint32_t level, ck_id term, int pass) {
  enum { PLACES = 8 };

  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, term);
  ck_id c = CK_BAD;
  if (head == CK_Q || head == CK_V || head == CK_B)
    return CK_BAD;
  if (pass == 0 && (head == CK_DIV || head == CK_MOD) &&
      (c = undecided(prover, ctx, level, pv_gt0(prover, ck_kid(terms, term, 1)))) != CK_BAD)
    return c;
  if (head == CK_FOLD && ck_is_closed(terms, term)) {
    ck_id n = ck_kid(terms, term, 0);
    ck_id k;
    ck_id m[PLACES];
    ck_id vars[32];
    pv_ctx inner;
    uint32_t np;
    uint32_t w = ck_width(terms, term);
    if (w > 8)
      return CK_BAD;
    if (pass == 0 && (c = undecided(prover, ctx, level, pv_ge0(prover, n))) != CK_BAD)
      return c;
    inner = pv_ctx_bind(prover, ctx, n, &k);
    vars[0] = k;
    for (uint32_t q = 0; q < w; q++)
      vars[q + 1] = pv_state_var(prover, pv_at(prover, inner)->level, q);
    for (uint32_t q = 0; q < w; q++) {
      ck_id body = ck_open(prover->terms, ck_kid(terms, term, 1 + w + q), vars, w + 1);
      if ((c = range_at(prover, inner, level, body, pass)) != CK_BAD)
        return c;
      np = pass == 1 ? pv_cut_places(prover, body, k, m, PLACES) : 0;
      ck_id b = pass == 1 ? pv_block_size(prover, body, k) : CK_BAD;
      ck_id r = b == CK_BAD ? CK_BAD : pv_rest_of_division(prover, n, b);
      if (r != CK_BAD && (c = undecided(prover, ctx, level, pv_ge0(prover, r))) != CK_BAD)
        return c;
      if (r != CK_BAD && (c = undecided(prover, ctx, level, pv_lt(prover, r, b))) != CK_BAD)
        return c;
      for (uint32_t i = 0; i < np; i++) {
        if ((c = undecided(prover, ctx, level, pv_ge0(prover, m[i]))) != CK_BAD)
          return c;
        if ((c = undecided(prover, ctx, level, pv_le(prover, m[i], n))) != CK_BAD)
          return c;
        if (pv_is_sum(prover, term))
          continue; /* a maximum has no empty part */
        if ((c = undecided(prover, ctx, level, pv_gt0(prover, m[i]))) != CK_BAD)
          return c;
        if ((c = undecided(prover, ctx, level, pv_lt(prover, m[i], n))) != CK_BAD)
          return c;
      }
    }
    return CK_BAD;
  }
  for (uint32_t i = 0, n = ck_nkids(terms, term); i < n; i++) {
    if ((c = range_at(prover, ctx, level, ck_kid(terms, term, i), pass)) != CK_BAD)
      return c;
  }
  return CK_BAD;
}

ck_id pv_range_cond(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id c = range_at(prover, ctx, pv_at(prover, ctx)->level, term, 0);
  return c == CK_BAD ? range_at(prover, ctx, pv_at(prover, ctx)->level, term, 1) : c;
}

/* how often k stands with a negative factor in arguments of functions, less how often with a
 * positive one; *neg: the former */
static int backwardness(pv *prover, ck_id term, ck_id k, int *neg) {
  const ck_terms *terms = prover->terms;
  int n = 0;
  if (!ck_has_var(terms, term, k))
    return 0;
  for (uint32_t i = 0, nk = ck_nkids(terms, term); i < nk; i++) {
    ck_id a = ck_kid(terms, term, i);
    pv_poly poly;
    if (ck_head(terms, term) != CK_APP || !ck_is_closed(terms, a) || !ck_has_var(terms, a, k)) {
      n += backwardness(prover, a, k, neg);
      continue;
    }
    pv_poly_init(&poly);
    pv_poly_read(prover, &poly, a);
    for (uint32_t j = 0; j < poly.count; j++) {
      if (pv_mono_has(&poly.monos[j], k)) {
        int s = pv_const_sign(prover, poly.monos[j].coef) < 0;
        n += s ? 1 : -1;
        *neg += s;
      }
    }
    pv_poly_clear(&poly);
  }
  return n;
}

bool pv_runs_backwards(pv *prover, pv_ctx ctx, ck_id n, ck_id k, ck_id body) {
  int neg = 0;
  int b = backwardness(prover, body, k, &neg);
  int r;
  pv_ctx inner;
  ck_id same;
  pv_eqn eqn;
  if (b < 0 || !neg)
    return false;
  inner = pv_ctx_bind(prover, ctx, n, &same);
  ck_id turned = pv_sub(prover, pv_sub(prover, n, prover->one), k);
  if (same != k)
    return false;
  eqn = pv_norm(prover, inner, ck_sub(prover->terms, body, &k, &turned, 1, NULL, 0));
  if (eqn.by == PV_NONE || eqn.to == body)
    return false;
  r = backwardness(prover, eqn.to, k, &neg);
  return r < b || (r == b && pv_order(prover, eqn.to, body) < 0);
}
