/* Where the range of a fold is to be cut: the places at which conditions on its counter change
 * their value, the divisors of its counter; and the conditions on sizes and indices that must be
 * decided before a cut can be made. */
#include "pv_folds.h"

/* the places where condition c about k changes its value, in m; how many */
static uint32_t thresholds(pv *p, ck_id c, ck_id k, ck_id *m) {
  ck_op o = ck_head(p->terms, c);
  ck_id a = ck_kid(p->terms, c, 0);
  ck_id b = ck_kid(p->terms, c, 1);
  ck_id w;
  pv_poly f;
  int sign = 0;
  bool ok = true;
  if (o == CK_ALL || !ck_is_int(p->terms, a) || !ck_is_int(p->terms, b) ||
      !ck_is_closed(p->terms, c) || !ck_has_var(p->terms, c, k))
    return 0;
  pv_poly_init(&f);
  pv_poly_read(p, &f, pv_sub(p, b, a));
  for (uint32_t i = 0; i < f.count; i++) {
    const pv_mono *q = &f.monos[i];
    if (q->degree == 1 && q->atoms[0] == k) {
      sign = pv_is_one(p, q->coef) ? 1 : q->coef == pv_num(p, -1) ? -1 : 0;
    } else {
      for (uint32_t j = 0; j < q->degree; j++) {
        if (ck_has_var(p->terms, q->atoms[j], k))
          ok = false;
      }
    }
  }
  pv_poly_clear(&f);
  if (!ok || !sign)
    return 0;
  w = pv_sub(p, b, a); /* value; its zero in k is at k0 = k - sign*w */
  ck_id k0 = pv_canon(p, pv_sub(p, k, sign > 0 ? w : pv_neg(p, w)));
  ck_id k1 = pv_canon(p, pv_add(p, k0, p->one));
  if (o == CK_EQ || o == CK_NE) {
    m[0] = k0;
    m[1] = k1;
    return 2;
  }
  /* w-k > 0: k < k0; w-k >= 0: k < k0+1; k-w > 0: from k0+1; k-w >= 0: from k0 */
  m[0] = (o == CK_LT) == (sign < 0) ? k0 : k1;
  return 1;
}

static uint32_t places(pv *p, ck_id t, ck_id k, ck_id *m, uint32_t n, uint32_t max) {
  const ck_terms *T = p->terms;
  if (!ck_has_var(T, t, k))
    return n;
  if (ck_head(T, t) == CK_ITE) {
    ck_id at[2];
    uint32_t na = thresholds(p, ck_kid(T, t, 0), k, at);
    for (uint32_t i = 0; i < na && n < max; i++) {
      uint32_t j = 0;
      while (j < n && m[j] != at[i])
        j++;
      if (j == n)
        m[n++] = at[i];
    }
  }
  for (uint32_t i = 0, nk = ck_nkids(T, t); i < nk; i++)
    n = places(p, ck_kid(T, t, i), k, m, n, max); /* conditions too */
  return n;
}

uint32_t pv_cut_places(pv *p, ck_id body, ck_id k, ck_id *m, uint32_t max) {
  return places(p, body, k, m, 0, max);
}

ck_id pv_block_size(pv *p, ck_id t, ck_id k) {
  const ck_terms *T = p->terms;
  ck_op o = ck_head(T, t);
  if (!ck_has_var(T, t, k))
    return CK_BAD;
  if ((o == CK_DIV || o == CK_MOD) && ck_kid(T, t, 0) == k && ck_is_closed(T, ck_kid(T, t, 1)) &&
      !ck_has_var(T, ck_kid(T, t, 1), k))
    return ck_kid(T, t, 1);
  for (uint32_t i = 0, n = ck_nkids(T, t); i < n; i++) {
    ck_id b = pv_block_size(p, ck_kid(T, t, i), k);
    if (b != CK_BAD)
      return b;
  }
  return CK_BAD;
}

/* c if neither it nor its negation is known, and it does not speak of the counters above `level` */
static ck_id undecided(pv *p, pv_ctx cx, uint32_t level, ck_id c) {
  if (c == CK_BAD || !ck_is_closed(p->terms, c))
    return CK_BAD;
  for (uint32_t l = level + 1; l <= CX(p, cx).level; l++) {
    if (ck_has_var(p->terms, c, pv_level_var(p, l)))
      return CK_BAD;
  }
  return pv_follows(p, cx, c) != PV_NONE || pv_follows(p, cx, ck_neg(p->terms, c)) != PV_NONE
             ? CK_BAD
             : c;
}

static ck_id range_at(pv *p, pv_ctx cx, uint32_t level, ck_id t, int pass) {
  enum { PLACES = 8 };

  const ck_terms *T = p->terms;
  ck_op o = ck_head(T, t);
  ck_id c = CK_BAD;
  if (o == CK_Q || o == CK_V || o == CK_B)
    return CK_BAD;
  if (pass == 0 && (o == CK_DIV || o == CK_MOD) &&
      (c = undecided(p, cx, level, pv_gt0(p, ck_kid(T, t, 1)))) != CK_BAD)
    return c;
  if (o == CK_FOLD && ck_is_closed(T, t)) {
    ck_id n = ck_kid(T, t, 0);
    ck_id k;
    ck_id m[PLACES];
    ck_id vars[32];
    pv_ctx in;
    uint32_t np;
    uint32_t w = ck_width(T, t);
    if (w > 8)
      return CK_BAD;
    if (pass == 0 && (c = undecided(p, cx, level, pv_ge0(p, n))) != CK_BAD)
      return c;
    in = pv_ctx_bind(p, cx, n, &k);
    vars[0] = k;
    for (uint32_t q = 0; q < w; q++)
      vars[q + 1] = pv_state_var(p, CX(p, in).level, q);
    for (uint32_t q = 0; q < w; q++) {
      ck_id body = ck_open(p->terms, ck_kid(T, t, 1 + w + q), vars, w + 1);
      if ((c = range_at(p, in, level, body, pass)) != CK_BAD)
        return c;
      np = pass == 1 ? pv_cut_places(p, body, k, m, PLACES) : 0;
      ck_id b = pass == 1 ? pv_block_size(p, body, k) : CK_BAD;
      ck_id r = b == CK_BAD ? CK_BAD : pv_rest_of_division(p, n, b);
      if (r != CK_BAD && (c = undecided(p, cx, level, pv_ge0(p, r))) != CK_BAD)
        return c;
      if (r != CK_BAD && (c = undecided(p, cx, level, pv_lt(p, r, b))) != CK_BAD)
        return c;
      for (uint32_t i = 0; i < np; i++) {
        if ((c = undecided(p, cx, level, pv_ge0(p, m[i]))) != CK_BAD)
          return c;
        if ((c = undecided(p, cx, level, pv_le(p, m[i], n))) != CK_BAD)
          return c;
        if (pv_is_sum(p, t))
          continue; /* a maximum has no empty part */
        if ((c = undecided(p, cx, level, pv_gt0(p, m[i]))) != CK_BAD)
          return c;
        if ((c = undecided(p, cx, level, pv_lt(p, m[i], n))) != CK_BAD)
          return c;
      }
    }
    return CK_BAD;
  }
  for (uint32_t i = 0, n = ck_nkids(T, t); i < n; i++) {
    if ((c = range_at(p, cx, level, ck_kid(T, t, i), pass)) != CK_BAD)
      return c;
  }
  return CK_BAD;
}

ck_id pv_range_cond(pv *p, pv_ctx cx, ck_id t) {
  ck_id c = range_at(p, cx, CX(p, cx).level, t, 0);
  return c == CK_BAD ? range_at(p, cx, CX(p, cx).level, t, 1) : c;
}

/* how often k stands with a negative factor in arguments of functions, less how often with a
 * positive one; *neg: the former */
static int backwardness(pv *p, ck_id t, ck_id k, int *neg) {
  const ck_terms *T = p->terms;
  int n = 0;
  if (!ck_has_var(T, t, k))
    return 0;
  for (uint32_t i = 0, nk = ck_nkids(T, t); i < nk; i++) {
    ck_id a = ck_kid(T, t, i);
    pv_poly f;
    if (ck_head(T, t) != CK_APP || !ck_is_closed(T, a) || !ck_has_var(T, a, k)) {
      n += backwardness(p, a, k, neg);
      continue;
    }
    pv_poly_init(&f);
    pv_poly_read(p, &f, a);
    for (uint32_t j = 0; j < f.count; j++) {
      if (pv_mono_has(&f.monos[j], k)) {
        int s = pv_const_sign(p, f.monos[j].coef) < 0;
        n += s ? 1 : -1;
        *neg += s;
      }
    }
    pv_poly_clear(&f);
  }
  return n;
}

bool pv_runs_backwards(pv *p, pv_ctx cx, ck_id n, ck_id k, ck_id body) {
  int neg = 0;
  int b = backwardness(p, body, k, &neg);
  int r;
  pv_ctx in;
  ck_id same;
  pv_eqn e;
  if (b < 0 || !neg)
    return false;
  in = pv_ctx_bind(p, cx, n, &same);
  ck_id turned = pv_sub(p, pv_sub(p, n, p->one), k);
  if (same != k)
    return false;
  e = pv_norm(p, in, ck_sub(p->terms, body, &k, &turned, 1, NULL, 0));
  if (e.by == PV_NONE || e.to == body)
    return false;
  r = backwardness(p, e.to, k, &neg);
  return r < b || (r == b && pv_order(p, e.to, body) < 0);
}
