/* What follows from a hypothesis at once and is worth having as an equation: a <= b where b <= a is
 * known; a product that is zero while its other factors are not.  Derived equations stand in the
 * context beside the hypotheses, with their proofs. */
#include "pv_norm.h"
#include <stdio.h>
#include <string.h>

/* of a zero product x*c, the theorem s: 0 = e, the factor that is not known to differ from 0 where
 * the other is: 0 = that; PV_NONE: nothing */
static pv_thm zero_factor(pv *p, pv_ctx cx, ck_id e, pv_thm s) {
  for (bool more = true, first = true; more; first = false) {
    pv_poly f;
    more = false;
    pv_poly_init(&f);
    pv_poly_read(p, &f, e);
    for (uint32_t i = 0; f.count && i < f.monos[0].degree && !more; i++) {
      ck_id x = f.monos[0].atoms[i];
      ck_id c = pv_poly_quotient(p, e, x);
      ck_id pair[2] = {x, c};
      if (c == CK_BAD || pv_is_const(p, c))
        continue;
      for (int j = 0; j < 2 && !more; j++) { /* pair[j] differs from 0: other = e * inv(pair[j]) +
                                                other*(1 - pair[j]*inv(pair[j])) */
        ck_id other = pair[1 - j];
        pv_thm nz = pv_follows(p, cx, pv_ne0(p, pair[j]));
        pv_thm t;
        if (nz == PV_NONE)
          continue;
        pv_comb b;
        pv_comb_init(&b);
        pv_comb_add(&b, pv_inv(p, pair[j]), s);
        pv_comb_add(&b, other, pv_law(p, "inv", &pair[j], 1, nz));
        if ((t = pv_comb_prove(p, &b, pv_eq(p, p->zero, other))) == PV_NONE)
          continue;
        s = t;
        e = other;
        more = true;
      }
    }
    pv_poly_clear(&f);
    if (!more)
      return first ? PV_NONE : s;
  }
  return PV_NONE;
}

/* conditions that are not decided yet: nothing is made of them */
static bool has_ite(pv *p, ck_id t) {
  if (ck_head(p->terms, t) == CK_ITE)
    return true;
  for (uint32_t i = 0, n = ck_nkids(p->terms, t); i < n; i++) {
    if (has_ite(p, ck_kid(p->terms, t, i)))
      return true;
  }
  return false;
}

/* the context with the equation that theorem s, an order or equation of integers, becomes */
static pv_ctx derive(pv *p, pv_ctx cx, pv_thm s) {
  if (s == PV_NONE)
    return cx;
  ck_id f = pv_says(p, s);
  ck_id e;
  ck_id g;
  ck_op o = ck_head(p->terms, f);
  pv_thm u;
  pv_thm t;
  pv_thm z;
  if (o != CK_EQ && o != CK_LE && o != CK_LT)
    return cx;
  if (!ck_is_int(p->terms, ck_kid(p->terms, f, 0)) || !ck_is_int(p->terms, ck_kid(p->terms, f, 1)))
    return cx;
  if ((t = pv_tighten(p, s)) == PV_NONE)
    return cx;
  f = pv_says(p, t);
  e = pv_canon(p, pv_sub(p, ck_kid(p->terms, f, 1), ck_kid(p->terms, f, 0)));
  if (pv_is_const(p, e) || has_ite(p, e))
    return cx;
  if (o != CK_EQ) {
    g = pv_le(p, e, p->zero);
    if ((u = pv_follows_int_within(p, cx, g, 24)) == PV_NONE)
      return cx;
    t = pv_antisym(p, pv_restate(p, pv_ge0(p, e), t), u);
    if (t == PV_NONE)
      return cx;
    cx = pv_ctx_know(p, cx, t);
  } else {
    t = pv_restate(p, pv_eq(p, p->zero, e), t);
  }
  z = t == PV_NONE ? PV_NONE : zero_factor(p, cx, e, t);
  return z == PV_NONE ? cx : pv_ctx_know(p, cx, z);
}

/* y = x div d and `x = d*y`, out of a theorem that says that x mod d or x - d*y is 0; d positive */
static pv_thm divisible(pv *p, pv_ctx cx, pv_thm s, ck_id *y) {
  ck_id E;
  pv_poly f;
  pv_thm res = PV_NONE;
  if (s == PV_NONE || ck_head(p->terms, pv_says(p, s)) != CK_EQ)
    return PV_NONE;
  E = pv_canon(p, pv_sub(p, pv_right(p, s), pv_left(p, s)));
  if (!ck_is_int(p->terms, E))
    return PV_NONE;
  pv_poly_init(&f);
  pv_poly_read(p, &f, E);
  for (uint32_t i = 0; i < f.count && res == PV_NONE; i++) {
    for (uint32_t j = 0; j < f.monos[i].degree && res == PV_NONE; j++) {
      ck_id a = f.monos[i].atoms[j];
      ck_id x;
      ck_id d;
      ck_id e;
      ck_op o = ck_head(p->terms, a);
      pv_thm bp;
      if (o != CK_DIV && o != CK_MOD)
        continue;
      x = ck_kid(p->terms, a, 0);
      d = ck_kid(p->terms, a, 1);
      *y = o == CK_DIV ? a : ck_mk2(p->terms, CK_DIV, x, d);
      e = pv_canon(p, o == CK_DIV ? pv_sub(p, x, pv_mul(p, d, a)) : a);
      bool same = e == E;
      bool opposite = pv_canon(p, pv_neg(p, e)) == E;
      if ((!same && !opposite) || (bp = pv_follows(p, cx, pv_gt0(p, d))) == PV_NONE)
        continue;
      ck_id xd[2] = {x, d};
      ck_id goal = pv_eq(p, x, pv_mul(p, d, *y));
      pv_comb b;
      pv_comb_init(&b); /* goal: d*y - x; law: d*y + mod - x; s: E */
      if (o == CK_MOD)
        pv_comb_add(&b, p->one, pv_law(p, "div", xd, 2, bp));
      pv_comb_add(&b, pv_num(p, same ? -1 : 1), s);
      res = pv_comb_prove(p, &b, goal);
    }
  }
  pv_poly_clear(&f);
  return res;
}

/* does a variable for a quotient occur in t? */
static bool has_quotient(pv *p, ck_id t) {
  if (ck_head(p->terms, t) == CK_V)
    return !strncmp(ck_word_text(p->terms, ck_name(p->terms, t)), "$$q", 3);
  for (uint32_t i = 0, n = ck_nkids(p->terms, t); i < n; i++) {
    if (has_quotient(p, ck_kid(p->terms, t, i)))
      return true;
  }
  return false;
}

/* the relations among the integers once more, in the normal form that new equations give them */
pv_ctx pv_ctx_refresh(pv *p, pv_ctx cx) {
  pv_thm chain[128];
  uint32_t n = 0;
  pv_ctx top = cx;
  for (pv_ctx c = cx; c != 0 && n < 128; c = CX(p, c).parent)
    chain[n++] = CX(p, c).thm;
  while (n-- > 0) {
    ck_id f = chain[n] == PV_NONE ? CK_BAD : pv_says(p, chain[n]);
    ck_id nf;
    ck_id y;
    ck_op o;
    pv_thm s;
    if (f == CK_BAD || ((o = ck_head(p->terms, f)) != CK_LE && o != CK_LT && o != CK_EQ) ||
        !ck_is_int(p->terms, ck_kid(p->terms, f, 0)) ||
        !ck_is_int(p->terms, ck_kid(p->terms, f, 1)))
      continue;
    s = pv_fact_normal(p, top, chain[n], &nf);
    if (s == PV_NONE || has_ite(p, nf))
      continue;
    if (o == CK_EQ && (!has_quotient(p, nf) || divisible(p, top, s, &y) != PV_NONE))
      continue; /* a divisibility still has its own to get */
    if (s != PV_NONE && !pv_is_const(p, nf) &&
        nf != pv_canon(p, pv_sub(p, ck_kid(p->terms, f, 1), ck_kid(p->terms, f, 0))))
      cx = pv_ctx_know(p, cx, s);
  }
  return cx;
}

pv_ctx pv_ctx_assume(pv *p, pv_ctx cx, ck_id c) {
  pv_ctx in = pv_ctx_push(p, cx, c, CK_BAD);
  pv_ctx out = derive(p, in, CX(p, in).thm);
  return out == in && ck_head(p->terms, c) != CK_EQ ? out : pv_ctx_refresh(p, out);
}

pv_ctx pv_ctx_tighten(pv *p, pv_ctx cx) {
  pv_thm chain[128];
  uint32_t n = 0;
  pv_ctx top = cx;
  for (pv_ctx c = cx; c != 0 && n < 128; c = CX(p, c).parent)
    chain[n++] = CX(p, c).thm;
  for (uint32_t i = 0; i < n && cx == top && !pv_spent(p); i++) {
    ck_id f = chain[i] == PV_NONE ? CK_BAD : pv_says(p, chain[i]);
    ck_id e;
    pv_thm t;
    pv_thm u;
    ck_op o;
    if (f == CK_BAD || ((o = ck_head(p->terms, f)) != CK_LE && o != CK_LT) ||
        !ck_is_int(p->terms, ck_kid(p->terms, f, 0)) ||
        !ck_is_int(p->terms, ck_kid(p->terms, f, 1)))
      continue;
    if ((t = pv_tighten(p, chain[i])) == PV_NONE)
      continue;
    f = pv_says(p, t);
    e = pv_canon(p, pv_sub(p, ck_kid(p->terms, f, 1), ck_kid(p->terms, f, 0)));
    if (pv_is_const(p, e) || has_ite(p, e) ||
        (u = pv_follows(p, top, pv_le(p, e, p->zero))) == PV_NONE)
      continue;
    t = pv_antisym(p, pv_restate(p, pv_ge0(p, e), t), u);
    if (t == PV_NONE)
      continue;
    cx = pv_ctx_know(p, cx, t);
    if ((t = zero_factor(p, cx, e, t)) != PV_NONE)
      cx = pv_ctx_know(p, cx, t);
  }
  return cx == top ? cx : pv_ctx_refresh(p, cx);
}

pv_ctx pv_ctx_derive(pv *p, pv_ctx cx) {
  pv_thm chain[128];
  uint32_t n = 0;
  pv_ctx top = cx;
  uint64_t v;
  if (as_map_get(&p->misc_memo, AS_KEY(cx, 6), &v))
    return (uint32_t)v;
  cx = pv_ctx_refresh(p, cx);
  for (pv_ctx c = cx; c != 0 && n < 128; c = CX(p, c).parent)
    chain[n++] = CX(p, c).thm;
  pv_ctx had = cx;
  while (n-- > 0)
    cx = derive(p, cx, chain[n]);
  if (cx != had)
    cx = pv_ctx_refresh(p, cx);
  as_map_put(&p->misc_memo, AS_KEY(top, 6), cx);
  return cx;
}

pv_ctx pv_ctx_quotient(pv *p, pv_ctx cx, pv_thm s, ck_id *q, pv_thm *back) {
  ck_id y;
  char name[24];
  *back = divisible(p, cx, s, &y);
  if (*back == PV_NONE)
    return PV_NONE;
  for (pv_ctx c = cx; c != 0; c = CX(p, c).parent) { /* once is enough */
    ck_id f = CX(p, c).formula;
    ck_id r;
    if (ck_head(p->terms, f) != CK_EQ || ck_kid(p->terms, f, 0) != pv_left(p, *back))
      continue;
    r = ck_kid(p->terms, f, 1);
    if (ck_head(p->terms, r) == CK_MUL && ck_kid(p->terms, r, 0) == ck_kid(p->terms, y, 1) &&
        ck_head(p->terms, ck_kid(p->terms, r, 1)) == CK_V)
      return PV_NONE;
  }
  snprintf(name, sizeof name, "$$q%u", (unsigned)CX(p, cx).depth);
  *q = pv_int_var(p, name);
  return pv_ctx_push(p, cx, pv_eq(p, pv_left(p, *back), pv_mul(p, ck_kid(p->terms, y, 1), *q)),
                     CK_BAD);
}
