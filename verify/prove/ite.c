/* Normal form of ite.  Decided conditions go; equal branches go.  A condition on integers, or an
 * equation, becomes 0 <= E or 0 = E, and ite(c, u, 0) becomes u*ite(c, 1, 0).  Any other condition
 * becomes 0 <= E or 0 < E with E free of positive factors and with a positive leading coefficient,
 * and ite(c, u, v) becomes v + m*ite(c', w0, 0) where u - v = m*w0.  So maximum, minimum, absolute
 * value and relu meet in one form, whichever way they were written, and positive factors come out
 * of them. */
#include "pv.h"
#include <string.h>

static eqn same(ck_id t) {
  eqn e = {t, REFL};
  return e;
}

static eqn fail(void) {
  eqn e = {CK_BAD, NO};
  return e;
}

enum { MAXF = 24 };

typedef struct {
  ck_id D;
  ck_id E;
  ck_id pos;
  int sign;
  uint32_t eq;
  uint32_t posp;
} split; /* D = sign*pos*E by eq (REFL: polynomial identity); posp: 0 < pos */

static bool split_sign(pv *p, uint32_t cx, ck_id D, split *s) {
  ck_id f[MAXF + 1];
  ck_id pos = p->one;
  ck_id rest = p->one;
  uint32_t n = poly_content(p, D, f, MAXF);
  if (n == 0) {
    f[0] = D;
    n = 1;
  }
  s->D = D;
  s->sign = 1;
  s->posp = r_const(p, t_rel(p, CK_LT, p->zero, p->one));
  for (uint32_t i = 0; i < n; i++) {
    uint32_t g;
    if (is_q(p, f[i])) {
      if (q_sgn(p, f[i]) == 0)
        return false;
      if (q_sgn(p, f[i]) < 0) {
        s->sign = -s->sign;
        f[i] = q_mul(p, f[i], t_int(p, -1));
      }
      if (is_one(p, f[i]))
        continue;
      g = r_const(p, t_rel(p, CK_LT, p->zero, f[i]));
    } else {
      g = n == 1 ? NO : positive(p, cx, f[i]);
    }
    if (g == NO) {
      rest = is_one(p, rest) ? f[i] : t_mul(p, rest, f[i]);
      continue;
    }
    uint32_t two[2] = {s->posp, g};
    ck_summand m = {p->one, two, 2};
    pos = t_mul(p, pos, f[i]);
    s->posp = r_arith(p, t_rel(p, CK_LT, p->zero, pos), &m, 1);
  }
  eqn r = norm_poly(p, cx, rest);
  if (r.s == NO || is_q(p, r.t))
    return false;
  s->E = r.t;
  s->pos = pos;
  ck_id back = t_mul(p, t_int(p, s->sign), t_mul(p, pos, s->E));
  eqn b = norm_poly(p, cx, back);
  if (b.s == NO || b.t != D || s->posp == NO)
    return false;
  s->eq = b.s; /* back = D */
  return true;
}

/* theorem h about D (`0 <= D` and the like, D on the side given by low: true 0 rel D) carried over
 * to E: the same relation, turned if sign < 0 */
static uint32_t carry(pv *p, const split *s, ck_op o, bool low, uint32_t h) {
  bool elow = s->sign > 0 ? low : !low;
  ck_id goal = elow ? t_rel(p, o, p->zero, s->E) : t_rel(p, o, s->E, p->zero);
  ck_id ip = t_op(p, CK_INV, s->pos);
  ck_vsub v = {ck_var(p->T, "x", 'r'), s->pos};
  uint32_t pi = r_lemma(p, L_INV_POS, &v, 1, NULL, 0, &s->posp, 1);
  uint32_t nz = r_arith1(p, t_rel(p, CK_NE, s->pos, p->zero), t_int(p, -1), s->posp);
  uint32_t li = r_law(p, "inv", &s->pos, 1, nz);
  /* value of h: +-D = +-sign*pos*E; of the goal: +-E, the same sign after turning */
  ck_id val = elow ? s->E : t_neg(p, s->E);
  by b;
  by_start(&b);
  by_add2(&b, p->one, pi, h);
  by_add(&b, val, li);                        /* val*(1 - pos*inv pos) */
  by_add(&b, low ? t_neg(p, ip) : ip, s->eq); /* eq: sign*pos*E = D, value D - sign*pos*E */
  return by_end(p, &b, goal);
}

/* w = m*w0; quot*E = w if E divides w, else CK_BAD */
static void factor_branch(pv *p, ck_id w, ck_id E, ck_id *m, ck_id *w0, ck_id *quot) {
  ck_id f[MAXF + 1];
  uint32_t n = poly_content(p, w, f, MAXF);
  bool sum = ck_head(p->T, w) == CK_ADD;
  *m = p->one;
  *w0 = w;
  *quot = CK_BAD;
  if (n == 0) {
    f[0] = w;
    n = 1;
  }
  if (!sum) { /* one monomial: E comes last if it is there */
    *w0 = p->one;
    for (uint32_t i = 0; i < n; i++) {
      if (f[i] == E && *w0 == p->one)
        *w0 = E;
      else
        *m = t_mul(p, *m, f[i]);
    }
  } else {
    for (uint32_t i = 0; i + 1 < n; i++)
      *m = t_mul(p, *m, f[i]);
    *w0 = f[n - 1];
  }
  if (*w0 == E)
    *quot = *m;
}

/* t = ite(c, u, v) with normal parts, c a real order relation */
static eqn canon_ite(pv *p, uint32_t cx, ck_id t) {
  ck_id c = ck_kid(p->T, t, 0);
  ck_id u = ck_kid(p->T, t, 1);
  ck_id v = ck_kid(p->T, t, 2);
  ck_id a = ck_kid(p->T, c, 0);
  ck_id b = ck_kid(p->T, c, 1);
  ck_id D = canon(p, t_sub(p, b, a));
  ck_op o = ck_head(p->T, c);
  ck_op oc;
  split s;
  if ((o != CK_LE && o != CK_LT) || !split_sign(p, cx, D, &s))
    return same(t);
  bool turn = s.sign < 0;
  ck_id u1 = turn ? v : u;
  ck_id v1 = turn ? u : v;
  ck_id w = canon(p, t_sub(p, u1, v1));
  ck_id m;
  ck_id w0;
  ck_id quot;
  oc = turn ? (o == CK_LE ? CK_LT : CK_LE) : o;
  factor_branch(p, w, s.E, &m, &w0, &quot);
  eqn mw = norm_poly(p, cx, t_mul(p, m, w0));
  if (mw.s == NO)
    return fail();
  if (mw.t != w) {
    m = p->one;
    w0 = w;
    quot = CK_BAD;
    mw.s = REFL;
  }
  if (quot != CK_BAD)
    oc = CK_LE;
  ck_id c1 = t_rel(p, oc, p->zero, s.E);
  ck_id nc1 = ck_neg(p->T, c1);
  ck_id I = ck_ite(p->T, c1, w0, p->zero);
  ck_id T = t_add(p, v1, t_mul(p, m, I));
  uint32_t res[2];
  if (I == CK_BAD || canon(p, T) == t)
    return same(t);
  if (is_zero(p, v) && I == t)
    return same(t);
  for (int i = 0; i < 2; i++) { /* c holds; c does not */
    ck_id h = i ? ck_neg(p->T, c) : c;
    ck_id X = i ? v : u;
    ck_op ho = ck_head(p->T, h);
    uint32_t hs = r_hyp(p, h);
    uint32_t law = r_law(p, i ? "ite0" : "ite1", &t, 1, hs);
    uint32_t fact;
    uint32_t yes;
    uint32_t no = NO;
    uint32_t zero = NO;
    bool low = !i; /* c: 0 rel D; not c: D rel' 0 */
    fact = carry(p, &s, ho, low,
                 r_same(p, low ? t_rel(p, ho, p->zero, D) : t_rel(p, ho, D, p->zero), hs));
    if (fact == NO)
      return fail();
    bool elow = (s.sign > 0) == low;
    ck_op fo = ck_head(p->T, thm(p, fact));
    uint32_t proof[2] = {NO, NO};
    /* which value has I?  yes: c1 holds; no: it does not */
    yes = elow ? (thm(p, fact) == c1           ? fact
                  : fo == CK_LT && oc == CK_LE ? r_arith1(p, c1, p->one, fact)
                                               : NO)
               : NO;
    if (!elow)
      no = thm(p, fact) == nc1 ? fact : NO;
    if (!elow && no == NO && fo == CK_LT && oc == CK_LT)
      no = r_arith1(p, nc1, p->one, fact);
    if (yes == NO && no == NO) { /* the boundary: E <= 0 against 0 <= E */
      if (elow || oc != CK_LE || quot == CK_BAD)
        return same(t);
      yes = r_hyp(p, c1);
      zero = r_antisym(p, fact, yes);
      no = r_hyp(p, nc1);
    }
    for (int k = 0; k < 2; k++) {
      uint32_t st = k ? no : yes;
      by y;
      if (st == NO)
        continue;
      uint32_t li = r_law(p, k ? "ite0" : "ite1", &I, 1, st);
      by_start(&y);
      by_add(&y, p->one, law);
      by_add(&y, t_neg(p, m), li); /* T - t = (X - t) - m*(val - I) + (v1 + m*val - X) */
      if (!k && X == u1)
        by_add(&y, t_int(p, -1), mw.s); /* m*w0 = w: value w - m*w0; v1 + m*w0 - u1 = m*w0 - w */
      if (!k && X != u1)
        by_add(&y, t_neg(p, quot), zero); /* v1 + m*w0 - v1 = quot*E; zero: E = 0, value -E */
      proof[k] = by_end(p, &y, t_rel(p, CK_EQ, t, T));
    }
    res[i] = yes != NO && no != NO ? r_cases(p, c1, proof[0], proof[1]) : proof[yes != NO ? 0 : 1];
    if (res[i] == NO)
      return same(t);
  }
  eqn e = {T, r_cases(p, c, res[0], res[1])};
  if (e.s == NO)
    return same(t);
  if (side(p, cx, c1) != NO || side(p, cx, nc1) != NO)
    return eq_then(p, e, norm(p, cx, T));
  norm_is(p, cx, I);
  return eq_then(p, e, norm_poly(p, cx, T));
}

/* --- conditions on integers, and equations: 0 <= E or 0 = E with a positive leading coefficient */
/* c proved from the old condition (yes), its negation from the other (no); turn: the other way
 * round */
typedef struct {
  ck_id c;
  bool turn;
  uint32_t yes;
  uint32_t no;
} turned;

static bool turn_cond(pv *p, ck_id c, turned *r) {
  ck_op o = ck_head(p->T, c);
  ck_id a = ck_kid(p->T, c, 0);
  ck_id b = ck_kid(p->T, c, 1);
  ck_id E = canon(p, t_sub(p, b, a));
  ck_id lead = E;
  ck_id f;
  bool ints = ck_is_int(p->T, a) && ck_is_int(p->T, b);
  uint32_t h = r_hyp(p, c);
  uint32_t n = r_hyp(p, ck_neg(p->T, c));
  poly g;
  int sign;
  if ((o == CK_LE || o == CK_LT) && !ints)
    return false;
  while (ck_head(p->T, lead) == CK_ADD)
    lead = ck_kid(p->T, lead, 0);
  poly_init(&g);
  poly_of(p, &g, lead);
  if (g.n == 1 && g.m[0].n == 0) { /* a constant comes first: the next monomial counts */
    poly_of(p, &g, E);
    ck_id best = CK_BAD;
    sign = 1;
    for (uint32_t i = 0; i < g.n; i++) {
      ck_id m = mono_term(p, p->one, g.m[i].a, g.m[i].n);
      if (g.m[i].n && (best == CK_BAD || t_cmp(p, m, best) > 0)) {
        best = m;
        sign = q_sgn(p, g.m[i].q);
      }
    }
  } else {
    sign = g.n ? q_sgn(p, g.m[0].q) : 1;
  }
  poly_clear(&g);
  if (is_q(p, E))
    return false;
  if (o == CK_EQ || o == CK_NE) {
    if (sign < 0)
      E = canon(p, t_neg(p, E));
    f = t_rel(p, CK_EQ, p->zero, E);
    r->c = f;
    r->turn = o == CK_NE;
    if (r->turn) {
      uint32_t x = h;
      h = n;
      n = x;
    } /* h: the equation, n: that it does not hold */
    r->yes = r_arith1(p, f, t_int(p, sign), h);
    r->no = r_arith1(p, ck_neg(p->T, f), t_int(p, sign), n);
    return r->yes != NO && r->no != NO;
  }
  /* a < b: 0 <= E - 1; its negation turned: 0 <= -E; a <= b: 0 <= E, turned 0 <= -E - 1 */
  ck_id e = o == CK_LT ? t_sub(p, E, p->one) : E;
  ck_id one = p->one;
  r->turn = sign < 0;
  if (r->turn) {
    uint32_t x = h;
    h = n;
    n = x;
    e = t_sub(p, t_neg(p, e), one);
  }
  f = t_rel(p, CK_LE, p->zero, canon(p, e));
  /* h and n are a strict and a weak relation, in either order */
  bool strict = ck_head(p->T, thm(p, h)) == CK_LT;
  ck_summand m[2] = {{one, &n, 1}, {one, NULL, 0}};
  r->c = f;
  r->yes = strict ? r_int(p, f, h) : r_same(p, f, h);
  r->no = strict ? r_arith(p, ck_neg(p->T, f), m, 2) : r_same(p, ck_neg(p->T, f), n);
  return r->yes != NO && r->no != NO;
}

/* positive factors of E taken out of a condition 0 <= E or 0 = E: what holds of g*E' holds of E' */
static void reduce_cond(pv *p, uint32_t cx, turned *r) {
  for (bool more = true; more;) {
    ck_id E = ck_kid(p->T, r->c, 1);
    ck_op o = ck_head(p->T, r->c);
    ck_op no;
    poly f;
    more = false;
    poly_init(&f);
    poly_of(p, &f, E);
    for (uint32_t i = 0; f.n && i < f.m[0].n && !more; i++) {
      ck_id g = f.m[0].a[i];
      ck_id e = poly_quotient(p, E, g);
      ck_id ig;
      ck_id goal;
      ck_id ngoal;
      uint32_t gp;
      uint32_t ip;
      uint32_t nz;
      uint32_t li;
      uint32_t yes;
      uint32_t neg;
      ck_vsub v = {ck_var(p->T, "x", 'r'), g};
      if (e == CK_BAD || is_q(p, e) || (gp = side(p, cx, t_rel(p, CK_LT, p->zero, g))) == NO)
        continue;
      ig = t_op(p, CK_INV, g);
      goal = t_rel(p, o, p->zero, e);
      ngoal = ck_neg(p->T, goal);
      no = ck_head(p->T, ngoal);
      ip = r_lemma(p, L_INV_POS, &v, 1, NULL, 0, &gp, 1);
      nz = r_arith1(p, t_rel(p, CK_NE, g, p->zero), t_int(p, -1), gp);
      li = r_law(p, "inv", &g, 1, nz); /* g*inv g = 1 */
      by b;
      by_start(&b); /* e = inv g * (g*e) + e*(1 - g*inv g) */
      if (o == CK_EQ)
        by_add(&b, ig, r->yes);
      else
        by_add2(&b, p->one, ip, r->yes);
      by_add(&b, e, li);
      yes = by_end(p, &b, goal);
      by_start(&b);
      by_add2(&b, p->one, ip, r->no);
      by_add(&b, no == CK_NE ? e : t_neg(p, e), li);
      neg = by_end(p, &b, ngoal);
      if (yes == NO || neg == NO)
        continue;
      r->c = goal;
      r->yes = yes;
      r->no = neg;
      more = true;
    }
    poly_clear(&f);
  }
}

/* an index or counter, which no source file can name, in t */
static bool has_index(pv *p, ck_id t) {
  if (ck_head(p->T, t) == CK_V)
    return ck_word_text(p->T, ck_name(p->T, t))[0] == '$';
  for (uint32_t i = 0, n = ck_nkids(p->T, t); i < n; i++) {
    if (has_index(p, ck_kid(p->T, t, i)))
      return true;
  }
  return false;
}

/* x is a counter of the prover's, by itself or with what is free of counters added */
static bool counted(pv *p, ck_id x) {
  poly f;
  uint32_t n = 0;
  bool ok = true;
  poly_init(&f);
  poly_of(p, &f, x);
  for (uint32_t i = 0; i < f.n; i++) {
    for (uint32_t j = 0; j < f.m[i].n; j++) {
      ck_id a = f.m[i].a[j];
      bool counter =
          ck_head(p->T, a) == CK_V && !strncmp(ck_word_text(p->T, ck_name(p->T, a)), "$$x", 3);
      if (counter) {
        n++;
        ok = ok && f.m[i].n == 1;
      } else if (has_index(p, a) && ck_head(p->T, a) != CK_V) {
        ok = false;
      }
    }
  }
  poly_clear(&f);
  return ok && n > 0;
}

/* bounds of a counter divided become bounds of the counter: 0 <= R - x div d as 0 <= d*R + d-1 - x;
 * 0 <= R + x div d as 0 <= d*R + x */
static bool linear_cond(pv *p, uint32_t cx, turned *r) {
  ck_id E = ck_kid(p->T, r->c, 1);
  ck_id D = CK_BAD;
  ck_id x;
  ck_id d;
  ck_id R;
  ck_id e;
  ck_id goal;
  ck_id one = p->one;
  poly f;
  bool plus = false;
  uint32_t dp;
  uint32_t yes;
  uint32_t no;
  if (ck_head(p->T, r->c) != CK_LE)
    return false;
  poly_init(&f);
  poly_of(p, &f, E);
  for (uint32_t i = 0; i < f.n && D == CK_BAD; i++) {
    if (f.m[i].n == 1 && ck_head(p->T, f.m[i].a[0]) == CK_DIV &&
        (is_one(p, f.m[i].q) || f.m[i].q == t_int(p, -1))) {
      D = f.m[i].a[0];
      plus = is_one(p, f.m[i].q);
    }
  }
  poly_clear(&f);
  if (D == CK_BAD)
    return false;
  x = ck_kid(p->T, D, 0);
  d = ck_kid(p->T, D, 1);
  R = canon(p, plus ? t_sub(p, E, D) : t_add(p, E, D));
  if (occurs(p, R, D) || !counted(p, x) || has_index(p, R) ||
      (dp = side(p, cx, t_rel(p, CK_LT, p->zero, d))) == NO)
    return false;
  ck_id xd[2] = {x, d};
  uint32_t l = r_law(p, "div", xd, 2, dp);
  uint32_t lo = r_law(p, "mod>", xd, 2, dp);
  uint32_t hi = r_law(p, "mod<", xd, 2, dp);
  uint32_t hi1 = tight(p, hi);
  uint32_t no1 = tight(p, r->no);
  e = canon(p, plus ? t_add(p, x, t_mul(p, d, R))
                    : t_sub(p, t_add(p, t_mul(p, d, R), t_sub(p, d, one)), x));
  goal = t_rel(p, CK_LE, p->zero, e);
  by b;
  by_start(&b); /* the law: x = d*D + mod, of value d*D + mod - x */
  by_add2(&b, one, dp, r->yes);
  by_add(&b, one, plus ? lo : hi1);
  by_add(&b, plus ? t_int(p, -1) : one, l);
  yes = by_end(p, &b, goal);
  by_start(&b);
  by_add2(&b, one, dp, no1);
  by_add(&b, one, plus ? hi : lo);
  by_add(&b, plus ? one : t_int(p, -1), l);
  if (!plus) {
    ck_summand m = {one, NULL, 0};
    as_vec_push(&b.sum, &m);
  }
  no = by_end(p, &b, ck_neg(p->T, goal));
  if (yes == NO || no == NO)
    return false;
  r->c = goal;
  r->yes = yes;
  r->no = no;
  return true;
}

/* t = ite(c, u, v) with normal parts: condition in one form; what stands beside a zero taken out of
 * it */
static eqn canon_cond(pv *p, uint32_t cx, ck_id t) {
  ck_id c = ck_kid(p->T, t, 0);
  ck_id u = ck_kid(p->T, t, 1);
  ck_id v = ck_kid(p->T, t, 2);
  ck_id m = p->one;
  ck_id x;
  ck_id y;
  ck_id I;
  ck_id w;
  turned r;
  if (!turn_cond(p, c, &r))
    return same(t);
  for (int i = 0; i < 4; i++) {
    reduce_cond(p, cx, &r);
    if (!linear_cond(p, cx, &r))
      break;
  }
  x = r.turn ? v : u;
  y = r.turn ? u : v;
  if (is_zero(p, y) && !is_one(p, x)) {
    m = x;
    x = p->one;
  } else if (is_zero(p, x) && !is_one(p, y)) {
    m = y;
    y = p->one;
  }
  I = ck_ite(p->T, r.c, x, y);
  w = is_one(p, m) ? I : canon(p, t_mul(p, m, I));
  if (I == CK_BAD || w == t)
    return same(t);
  uint32_t res[2];
  for (int i = 0; i < 2; i++) { /* i: c does not hold */
    bool first = (i == 0) != r.turn;
    by b;
    uint32_t l = r_law(p, i ? "ite0" : "ite1", &t, 1, r_hyp(p, i ? ck_neg(p->T, c) : c));
    uint32_t li = r_law(p, first ? "ite1" : "ite0", &I, 1, first ? r.yes : r.no);
    by_start(&b); /* t = old branch = m*val = m*I */
    by_add(&b, p->one, l);
    by_add(&b, t_neg(p, m), li);
    res[i] = by_end(p, &b, t_rel(p, CK_EQ, t, w));
  }
  eqn e = {w, r_cases(p, c, res[0], res[1])};
  if (e.s == NO)
    return same(t);
  if (side(p, cx, r.c) != NO || side(p, cx, ck_neg(p->T, r.c)) != NO)
    return eq_then(p, e, norm(p, cx, w));
  norm_is(p, cx, I);
  return eq_then(p, e, norm_poly(p, cx, w));
}

eqn norm_ite(pv *p, uint32_t cx, ck_id t) {
  ck_id c = ck_kid(p->T, t, 0);
  uint32_t np = 0;
  uint32_t prem[4];
  eqn k[4];
  eqn e = same(t);
  ck_id part[4] = {ck_kid(p->T, c, 0), ck_kid(p->T, c, 1), ck_kid(p->T, t, 1), ck_kid(p->T, t, 2)};
  uint32_t yes = side(p, cx, c);
  uint32_t no = yes == NO ? side(p, cx, ck_neg(p->T, c)) : NO;
  if (yes != NO || no != NO) {
    e.t = part[yes != NO ? 2 : 3];
    e.s = r_law(p, yes != NO ? "ite1" : "ite0", &t, 1, yes != NO ? yes : no);
    return e.s == NO ? fail() : eq_then(p, e, norm(p, cx, e.t));
  }
  for (int i = 0; i < 4; i++) {
    k[i] = norm(p, cx, part[i]);
    if (k[i].s == NO)
      return fail();
    if (k[i].s != REFL)
      prem[np++] = k[i].s;
  }
  if (np) {
    ck_id c2 = t_rel(p, ck_head(p->T, c), k[0].t, k[1].t);
    e.t = ck_ite(p->T, c2, k[2].t, k[3].t);
    e.s = r_cong(p, t, e.t, prem, np);
    if (e.s == NO)
      return fail();
  }
  if (k[2].t == k[3].t) {
    ck_id c2 = ck_kid(p->T, e.t, 0);
    uint32_t a = r_law(p, "ite1", &e.t, 1, r_hyp(p, c2));
    uint32_t b = r_law(p, "ite0", &e.t, 1, r_hyp(p, ck_neg(p->T, c2)));
    eqn f = {k[2].t, r_cases(p, c2, a, b)};
    return f.s == NO ? e : eq_then(p, e, f);
  }
  ck_op o = ck_head(p->T, c);
  bool order = o == CK_LE || o == CK_LT;
  eqn r = order && !(ck_is_int(p->T, k[0].t) && ck_is_int(p->T, k[1].t)) ? canon_ite(p, cx, e.t)
                                                                         : canon_cond(p, cx, e.t);
  return r.s == NO ? e : eq_then(p, e, r);
}
