/* What follows from a hypothesis at once and is worth having as an equation: a <= b where b <= a is
 * known; a product that is zero while its other factors are not.  Derived equations stand in the
 * context beside the hypotheses, with their proofs. */
#include "pv.h"
#include <stdio.h>
#include <string.h>

/* of a zero product x*c, the theorem s: 0 = e, the factor that is not known to differ from 0 where
 * the other is: 0 = that; NO: nothing */
static uint32_t zero_factor(pv *p, uint32_t cx, ck_id e, uint32_t s) {
  for (bool more = true, first = true; more; first = false) {
    poly f;
    more = false;
    poly_init(&f);
    poly_of(p, &f, e);
    for (uint32_t i = 0; f.n && i < f.m[0].n && !more; i++) {
      ck_id x = f.m[0].a[i];
      ck_id c = poly_quotient(p, e, x);
      ck_id pair[2] = {x, c};
      if (c == CK_BAD || is_q(p, c))
        continue;
      for (int j = 0; j < 2 && !more; j++) { /* pair[j] differs from 0: other = e * inv(pair[j]) +
                                                other*(1 - pair[j]*inv(pair[j])) */
        ck_id other = pair[1 - j];
        uint32_t nz = side(p, cx, t_rel(p, CK_NE, pair[j], p->zero));
        uint32_t t;
        if (nz == NO)
          continue;
        by b;
        by_start(&b);
        by_add(&b, t_op(p, CK_INV, pair[j]), s);
        by_add(&b, other, r_law(p, "inv", &pair[j], 1, nz));
        if ((t = by_end(p, &b, t_rel(p, CK_EQ, p->zero, other))) == NO)
          continue;
        s = t;
        e = other;
        more = true;
      }
    }
    poly_clear(&f);
    if (!more)
      return first ? NO : s;
  }
  return NO;
}

/* conditions that are not decided yet: nothing is made of them */
static bool has_ite(pv *p, ck_id t) {
  if (ck_head(p->T, t) == CK_ITE)
    return true;
  for (uint32_t i = 0, n = ck_nkids(p->T, t); i < n; i++) {
    if (has_ite(p, ck_kid(p->T, t, i)))
      return true;
  }
  return false;
}

/* the context with the equation that theorem s, an order or equation of integers, becomes */
static uint32_t derive(pv *p, uint32_t cx, uint32_t s) {
  if (s == NO)
    return cx;
  ck_id f = thm(p, s);
  ck_id e;
  ck_id g;
  ck_op o = ck_head(p->T, f);
  uint32_t u;
  uint32_t t;
  uint32_t z;
  if (o != CK_EQ && o != CK_LE && o != CK_LT)
    return cx;
  if (!ck_is_int(p->T, ck_kid(p->T, f, 0)) || !ck_is_int(p->T, ck_kid(p->T, f, 1)))
    return cx;
  if ((t = tight(p, s)) == NO)
    return cx;
  f = thm(p, t);
  e = canon(p, t_sub(p, ck_kid(p->T, f, 1), ck_kid(p->T, f, 0)));
  if (is_q(p, e) || has_ite(p, e))
    return cx;
  if (o != CK_EQ) {
    g = t_rel(p, CK_LE, e, p->zero);
    if ((u = side_int_within(p, cx, g, 24)) == NO)
      return cx;
    t = r_antisym(p, r_same(p, t_rel(p, CK_LE, p->zero, e), t), u);
    if (t == NO)
      return cx;
    cx = cx_know(p, cx, t);
  } else {
    t = r_same(p, t_rel(p, CK_EQ, p->zero, e), t);
  }
  z = t == NO ? NO : zero_factor(p, cx, e, t);
  return z == NO ? cx : cx_know(p, cx, z);
}

/* y = x div d and `x = d*y`, out of a theorem that says that x mod d or x - d*y is 0; d positive */
static uint32_t divisible(pv *p, uint32_t cx, uint32_t s, ck_id *y) {
  ck_id E;
  poly f;
  uint32_t res = NO;
  if (s == NO || ck_head(p->T, thm(p, s)) != CK_EQ)
    return NO;
  E = canon(p, t_sub(p, rhs_of(p, s), lhs_of(p, s)));
  if (!ck_is_int(p->T, E))
    return NO;
  poly_init(&f);
  poly_of(p, &f, E);
  for (uint32_t i = 0; i < f.n && res == NO; i++) {
    for (uint32_t j = 0; j < f.m[i].n && res == NO; j++) {
      ck_id a = f.m[i].a[j];
      ck_id x;
      ck_id d;
      ck_id e;
      ck_op o = ck_head(p->T, a);
      uint32_t bp;
      if (o != CK_DIV && o != CK_MOD)
        continue;
      x = ck_kid(p->T, a, 0);
      d = ck_kid(p->T, a, 1);
      *y = o == CK_DIV ? a : ck_mk2(p->T, CK_DIV, x, d);
      e = canon(p, o == CK_DIV ? t_sub(p, x, t_mul(p, d, a)) : a);
      bool same = e == E;
      bool opposite = canon(p, t_neg(p, e)) == E;
      if ((!same && !opposite) || (bp = side(p, cx, t_rel(p, CK_LT, p->zero, d))) == NO)
        continue;
      ck_id xd[2] = {x, d};
      ck_id goal = t_rel(p, CK_EQ, x, t_mul(p, d, *y));
      by b;
      by_start(&b); /* goal: d*y - x; law: d*y + mod - x; s: E */
      if (o == CK_MOD)
        by_add(&b, p->one, r_law(p, "div", xd, 2, bp));
      by_add(&b, t_int(p, same ? -1 : 1), s);
      res = by_end(p, &b, goal);
    }
  }
  poly_clear(&f);
  return res;
}

/* does a variable for a quotient occur in t? */
static bool has_quotient(pv *p, ck_id t) {
  if (ck_head(p->T, t) == CK_V)
    return !strncmp(ck_word_text(p->T, ck_name(p->T, t)), "$$q", 3);
  for (uint32_t i = 0, n = ck_nkids(p->T, t); i < n; i++) {
    if (has_quotient(p, ck_kid(p->T, t, i)))
      return true;
  }
  return false;
}

/* the relations among the integers once more, in the normal form that new equations give them */
uint32_t cx_refresh(pv *p, uint32_t cx) {
  uint32_t chain[128];
  uint32_t n = 0;
  uint32_t top = cx;
  for (uint32_t c = cx; c != 0 && n < 128; c = CX(p, c).parent)
    chain[n++] = CX(p, c).step;
  while (n-- > 0) {
    ck_id f = chain[n] == NO ? CK_BAD : thm(p, chain[n]);
    ck_id nf;
    ck_id y;
    ck_op o;
    uint32_t s;
    if (f == CK_BAD || ((o = ck_head(p->T, f)) != CK_LE && o != CK_LT && o != CK_EQ) ||
        !ck_is_int(p->T, ck_kid(p->T, f, 0)) || !ck_is_int(p->T, ck_kid(p->T, f, 1)))
      continue;
    s = fact_normal(p, top, chain[n], &nf);
    if (s == NO || has_ite(p, nf))
      continue;
    if (o == CK_EQ && (!has_quotient(p, nf) || divisible(p, top, s, &y) != NO))
      continue; /* a divisibility still has its own to get */
    if (s != NO && !is_q(p, nf) && nf != canon(p, t_sub(p, ck_kid(p->T, f, 1), ck_kid(p->T, f, 0))))
      cx = cx_know(p, cx, s);
  }
  return cx;
}

uint32_t cx_assume(pv *p, uint32_t cx, ck_id c) {
  uint32_t in = cx_push(p, cx, c, CK_BAD);
  uint32_t out = derive(p, in, CX(p, in).step);
  return out == in && ck_head(p->T, c) != CK_EQ ? out : cx_refresh(p, out);
}

uint32_t cx_tighten(pv *p, uint32_t cx) {
  uint32_t chain[128];
  uint32_t n = 0;
  uint32_t top = cx;
  for (uint32_t c = cx; c != 0 && n < 128; c = CX(p, c).parent)
    chain[n++] = CX(p, c).step;
  for (uint32_t i = 0; i < n && cx == top && !pv_spent(p); i++) {
    ck_id f = chain[i] == NO ? CK_BAD : thm(p, chain[i]);
    ck_id e;
    uint32_t t;
    uint32_t u;
    ck_op o;
    if (f == CK_BAD || ((o = ck_head(p->T, f)) != CK_LE && o != CK_LT) ||
        !ck_is_int(p->T, ck_kid(p->T, f, 0)) || !ck_is_int(p->T, ck_kid(p->T, f, 1)))
      continue;
    if ((t = tight(p, chain[i])) == NO)
      continue;
    f = thm(p, t);
    e = canon(p, t_sub(p, ck_kid(p->T, f, 1), ck_kid(p->T, f, 0)));
    if (is_q(p, e) || has_ite(p, e) || (u = side(p, top, t_rel(p, CK_LE, e, p->zero))) == NO)
      continue;
    t = r_antisym(p, r_same(p, t_rel(p, CK_LE, p->zero, e), t), u);
    if (t == NO)
      continue;
    cx = cx_know(p, cx, t);
    if ((t = zero_factor(p, cx, e, t)) != NO)
      cx = cx_know(p, cx, t);
  }
  return cx == top ? cx : cx_refresh(p, cx);
}

uint32_t cx_derive(pv *p, uint32_t cx) {
  uint32_t chain[128];
  uint32_t n = 0;
  uint32_t top = cx;
  uint64_t v;
  if (map_get(&p->misc_memo, cx, 6, &v))
    return (uint32_t)v;
  cx = cx_refresh(p, cx);
  for (uint32_t c = cx; c != 0 && n < 128; c = CX(p, c).parent)
    chain[n++] = CX(p, c).step;
  uint32_t had = cx;
  while (n-- > 0)
    cx = derive(p, cx, chain[n]);
  if (cx != had)
    cx = cx_refresh(p, cx);
  map_put(&p->misc_memo, top, 6, cx);
  return cx;
}

uint32_t cx_quotient(pv *p, uint32_t cx, uint32_t s, ck_id *q, uint32_t *back) {
  ck_id y;
  char name[24];
  *back = divisible(p, cx, s, &y);
  if (*back == NO)
    return NO;
  for (uint32_t c = cx; c != 0; c = CX(p, c).parent) { /* once is enough */
    ck_id f = CX(p, c).formula;
    ck_id r;
    if (ck_head(p->T, f) != CK_EQ || ck_kid(p->T, f, 0) != lhs_of(p, *back))
      continue;
    r = ck_kid(p->T, f, 1);
    if (ck_head(p->T, r) == CK_MUL && ck_kid(p->T, r, 0) == ck_kid(p->T, y, 1) &&
        ck_head(p->T, ck_kid(p->T, r, 1)) == CK_V)
      return NO;
  }
  snprintf(name, sizeof name, "$$q%u", (unsigned)CX(p, cx).depth);
  *q = ck_var(p->T, name, 'i');
  return cx_push(p, cx, t_rel(p, CK_EQ, lhs_of(p, *back), t_mul(p, ck_kid(p->T, y, 1), *q)),
                 CK_BAD);
}
