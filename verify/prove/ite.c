/* Normal form of ite.  Decided conditions go; equal branches go.  A condition on integers, or an
 * equation, becomes 0 <= E or 0 = E, and ite(c, u, 0) becomes u*ite(c, 1, 0).  Any other condition
 * becomes 0 <= E or 0 < E with E free of positive factors and with a positive leading coefficient,
 * and ite(c, u, v) becomes v + m*ite(c', w0, 0) where u - v = m*w0.  So maximum, minimum, absolute
 * value and relu meet in one form, whichever way they were written, and positive factors come out
 * of them. */
#include "pv_norm.h"
#include <string.h>

enum { MAXF = 24 };

typedef struct {
  ck_id D;
  ck_id E;
  ck_id pos;
  int sign;
  pv_thm eq;
  pv_thm posp;
} split; /* D = sign*pos*E by eq (PV_REFL: polynomial identity); posp: 0 < pos */

static bool split_sign(pv *p, pv_ctx cx, ck_id D, split *s) {
  ck_id f[MAXF + 1];
  ck_id pos = p->one;
  ck_id rest = p->one;
  uint32_t n = pv_poly_content(p, D, f, MAXF);
  if (n == 0) {
    f[0] = D;
    n = 1;
  }
  s->D = D;
  s->sign = 1;
  s->posp = pv_by_value(p, pv_gt0(p, p->one));
  for (uint32_t i = 0; i < n; i++) {
    pv_thm g;
    if (pv_is_const(p, f[i])) {
      if (pv_const_sign(p, f[i]) == 0)
        return false;
      if (pv_const_sign(p, f[i]) < 0) {
        s->sign = -s->sign;
        f[i] = pv_const_mul(p, f[i], pv_num(p, -1));
      }
      if (pv_is_one(p, f[i]))
        continue;
      g = pv_by_value(p, pv_gt0(p, f[i]));
    } else {
      g = n == 1 ? PV_NONE : pv_positive(p, cx, f[i]);
    }
    if (g == PV_NONE) {
      rest = pv_is_one(p, rest) ? f[i] : pv_mul(p, rest, f[i]);
      continue;
    }
    pv_thm two[2] = {s->posp, g};
    pv_summand m = {p->one, two, 2};
    pos = pv_mul(p, pos, f[i]);
    s->posp = pv_arith(p, pv_gt0(p, pos), &m, 1);
  }
  pv_eqn r = pv_norm_poly(p, cx, rest);
  if (r.by == PV_NONE || pv_is_const(p, r.to))
    return false;
  s->E = r.to;
  s->pos = pos;
  ck_id back = pv_mul(p, pv_num(p, s->sign), pv_mul(p, pos, s->E));
  pv_eqn b = pv_norm_poly(p, cx, back);
  if (b.by == PV_NONE || b.to != D || s->posp == PV_NONE)
    return false;
  s->eq = b.by; /* back = D */
  return true;
}

/* theorem h about D (`0 <= D` and the like, D on the side given by low: true 0 rel D) carried over
 * to E: the same relation, turned if sign < 0 */
static pv_thm carry(pv *p, const split *s, ck_op o, bool low, pv_thm h) {
  bool elow = s->sign > 0 ? low : !low;
  ck_id goal = elow ? pv_rel(p, o, p->zero, s->E) : pv_rel(p, o, s->E, p->zero);
  ck_id ip = pv_inv(p, s->pos);
  pv_var_sub v = {pv_real_var(p, "x"), s->pos};
  pv_thm pi = pv_use_lemma(p, PV_INV_POS, &v, 1, NULL, 0, &s->posp, 1);
  pv_thm nz = pv_scaled(p, pv_ne0(p, s->pos), pv_num(p, -1), s->posp);
  pv_thm li = pv_law(p, "inv", &s->pos, 1, nz);
  /* value of h: +-D = +-sign*pos*E; of the goal: +-E, the same sign after turning */
  ck_id val = elow ? s->E : pv_neg(p, s->E);
  pv_comb b;
  pv_comb_init(&b);
  pv_comb_add_product(&b, p->one, pi, h);
  pv_comb_add(&b, val, li);                         /* val*(1 - pos*inv pos) */
  pv_comb_add(&b, low ? pv_neg(p, ip) : ip, s->eq); /* eq: sign*pos*E = D, value D - sign*pos*E */
  return pv_comb_prove(p, &b, goal);
}

/* w = m*w0; quot*E = w if E divides w, else CK_BAD */
static void factor_branch(pv *p, ck_id w, ck_id E, ck_id *m, ck_id *w0, ck_id *quot) {
  ck_id f[MAXF + 1];
  uint32_t n = pv_poly_content(p, w, f, MAXF);
  bool sum = ck_head(p->terms, w) == CK_ADD;
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
        *m = pv_mul(p, *m, f[i]);
    }
  } else {
    for (uint32_t i = 0; i + 1 < n; i++)
      *m = pv_mul(p, *m, f[i]);
    *w0 = f[n - 1];
  }
  if (*w0 == E)
    *quot = *m;
}

/* t = ite(c, u, v) with normal parts, c a real order relation */
static pv_eqn canon_ite(pv *p, pv_ctx cx, ck_id t) {
  ck_id c = ck_kid(p->terms, t, 0);
  ck_id u = ck_kid(p->terms, t, 1);
  ck_id v = ck_kid(p->terms, t, 2);
  ck_id a = ck_kid(p->terms, c, 0);
  ck_id b = ck_kid(p->terms, c, 1);
  ck_id D = pv_canon(p, pv_sub(p, b, a));
  ck_op o = ck_head(p->terms, c);
  ck_op oc;
  split s;
  if ((o != CK_LE && o != CK_LT) || !split_sign(p, cx, D, &s))
    return pv_same(t);
  bool turn = s.sign < 0;
  ck_id u1 = turn ? v : u;
  ck_id v1 = turn ? u : v;
  ck_id w = pv_canon(p, pv_sub(p, u1, v1));
  ck_id m;
  ck_id w0;
  ck_id quot;
  oc = turn ? (o == CK_LE ? CK_LT : CK_LE) : o;
  factor_branch(p, w, s.E, &m, &w0, &quot);
  pv_eqn mw = pv_norm_poly(p, cx, pv_mul(p, m, w0));
  if (mw.by == PV_NONE)
    return pv_fail();
  if (mw.to != w) {
    m = p->one;
    w0 = w;
    quot = CK_BAD;
    mw.by = PV_REFL;
  }
  if (quot != CK_BAD)
    oc = CK_LE;
  ck_id c1 = pv_rel(p, oc, p->zero, s.E);
  ck_id nc1 = ck_neg(p->terms, c1);
  ck_id I = ck_ite(p->terms, c1, w0, p->zero);
  ck_id T = pv_add(p, v1, pv_mul(p, m, I));
  pv_thm res[2];
  if (I == CK_BAD || pv_canon(p, T) == t)
    return pv_same(t);
  if (pv_is_zero(p, v) && I == t)
    return pv_same(t);
  for (int i = 0; i < 2; i++) { /* c holds; c does not */
    ck_id h = i ? ck_neg(p->terms, c) : c;
    ck_id X = i ? v : u;
    ck_op ho = ck_head(p->terms, h);
    pv_thm hs = pv_hyp(p, h);
    pv_thm law = pv_law(p, i ? "ite0" : "ite1", &t, 1, hs);
    pv_thm fact;
    pv_thm yes;
    pv_thm no = PV_NONE;
    pv_thm zero = PV_NONE;
    bool low = !i; /* c: 0 rel D; not c: D rel' 0 */
    fact = carry(p, &s, ho, low,
                 pv_restate(p, low ? pv_rel(p, ho, p->zero, D) : pv_rel(p, ho, D, p->zero), hs));
    if (fact == PV_NONE)
      return pv_fail();
    bool elow = (s.sign > 0) == low;
    ck_op fo = ck_head(p->terms, pv_says(p, fact));
    pv_thm proof[2] = {PV_NONE, PV_NONE};
    /* which value has I?  yes: c1 holds; no: it does not */
    yes = elow ? (pv_says(p, fact) == c1       ? fact
                  : fo == CK_LT && oc == CK_LE ? pv_scaled(p, c1, p->one, fact)
                                               : PV_NONE)
               : PV_NONE;
    if (!elow)
      no = pv_says(p, fact) == nc1 ? fact : PV_NONE;
    if (!elow && no == PV_NONE && fo == CK_LT && oc == CK_LT)
      no = pv_scaled(p, nc1, p->one, fact);
    if (yes == PV_NONE && no == PV_NONE) { /* the boundary: E <= 0 against 0 <= E */
      if (elow || oc != CK_LE || quot == CK_BAD)
        return pv_same(t);
      yes = pv_hyp(p, c1);
      zero = pv_antisym(p, fact, yes);
      no = pv_hyp(p, nc1);
    }
    for (int k = 0; k < 2; k++) {
      pv_thm st = k ? no : yes;
      pv_comb y;
      if (st == PV_NONE)
        continue;
      pv_thm li = pv_law(p, k ? "ite0" : "ite1", &I, 1, st);
      pv_comb_init(&y);
      pv_comb_add(&y, p->one, law);
      pv_comb_add(&y, pv_neg(p, m), li); /* T - t = (X - t) - m*(val - I) + (v1 + m*val - X) */
      if (!k && X == u1)
        pv_comb_add(&y, pv_num(p, -1),
                    mw.by); /* m*w0 = w: value w - m*w0; v1 + m*w0 - u1 = m*w0 - w */
      if (!k && X != u1)
        pv_comb_add(&y, pv_neg(p, quot), zero); /* v1 + m*w0 - v1 = quot*E; zero: E = 0, value -E */
      proof[k] = pv_comb_prove(p, &y, pv_eq(p, t, T));
    }
    res[i] = yes != PV_NONE && no != PV_NONE ? pv_cases(p, c1, proof[0], proof[1])
                                             : proof[yes != PV_NONE ? 0 : 1];
    if (res[i] == PV_NONE)
      return pv_same(t);
  }
  pv_eqn e = {T, pv_cases(p, c, res[0], res[1])};
  if (e.by == PV_NONE)
    return pv_same(t);
  if (pv_follows(p, cx, c1) != PV_NONE || pv_follows(p, cx, nc1) != PV_NONE)
    return pv_then(p, e, pv_norm(p, cx, T));
  pv_mark_normal(p, cx, I);
  return pv_then(p, e, pv_norm_poly(p, cx, T));
}

/* --- conditions on integers, and equations: 0 <= E or 0 = E with a positive leading coefficient */
/* c proved from the old condition (yes), its negation from the other (no); turn: the other way
 * round */
typedef struct {
  ck_id c;
  bool turn;
  pv_thm yes;
  pv_thm no;
} turned;

static bool turn_cond(pv *p, ck_id c, turned *r) {
  ck_op o = ck_head(p->terms, c);
  ck_id a = ck_kid(p->terms, c, 0);
  ck_id b = ck_kid(p->terms, c, 1);
  ck_id E = pv_canon(p, pv_sub(p, b, a));
  ck_id lead = E;
  ck_id f;
  bool ints = ck_is_int(p->terms, a) && ck_is_int(p->terms, b);
  pv_thm h = pv_hyp(p, c);
  pv_thm n = pv_hyp(p, ck_neg(p->terms, c));
  pv_poly g;
  int sign;
  if ((o == CK_LE || o == CK_LT) && !ints)
    return false;
  while (ck_head(p->terms, lead) == CK_ADD)
    lead = ck_kid(p->terms, lead, 0);
  pv_poly_init(&g);
  pv_poly_read(p, &g, lead);
  if (g.count == 1 &&
      g.monos[0].degree == 0) { /* a constant comes first: the next monomial counts */
    pv_poly_read(p, &g, E);
    ck_id best = CK_BAD;
    sign = 1;
    for (uint32_t i = 0; i < g.count; i++) {
      ck_id m = pv_mono_term(p, p->one, g.monos[i].atoms, g.monos[i].degree);
      if (g.monos[i].degree && (best == CK_BAD || pv_order(p, m, best) > 0)) {
        best = m;
        sign = pv_const_sign(p, g.monos[i].coef);
      }
    }
  } else {
    sign = g.count ? pv_const_sign(p, g.monos[0].coef) : 1;
  }
  pv_poly_clear(&g);
  if (pv_is_const(p, E))
    return false;
  if (o == CK_EQ || o == CK_NE) {
    if (sign < 0)
      E = pv_canon(p, pv_neg(p, E));
    f = pv_eq(p, p->zero, E);
    r->c = f;
    r->turn = o == CK_NE;
    if (r->turn) {
      pv_thm x = h;
      h = n;
      n = x;
    } /* h: the equation, n: that it does not hold */
    r->yes = pv_scaled(p, f, pv_num(p, sign), h);
    r->no = pv_scaled(p, ck_neg(p->terms, f), pv_num(p, sign), n);
    return r->yes != PV_NONE && r->no != PV_NONE;
  }
  /* a < b: 0 <= E - 1; its negation turned: 0 <= -E; a <= b: 0 <= E, turned 0 <= -E - 1 */
  ck_id e = o == CK_LT ? pv_sub(p, E, p->one) : E;
  ck_id one = p->one;
  r->turn = sign < 0;
  if (r->turn) {
    pv_thm x = h;
    h = n;
    n = x;
    e = pv_sub(p, pv_neg(p, e), one);
  }
  f = pv_ge0(p, pv_canon(p, e));
  /* h and n are a strict and a weak relation, in either order */
  bool strict = ck_head(p->terms, pv_says(p, h)) == CK_LT;
  pv_summand m[2] = {{one, &n, 1}, {one, NULL, 0}};
  r->c = f;
  r->yes = strict ? pv_int(p, f, h) : pv_restate(p, f, h);
  r->no = strict ? pv_arith(p, ck_neg(p->terms, f), m, 2) : pv_restate(p, ck_neg(p->terms, f), n);
  return r->yes != PV_NONE && r->no != PV_NONE;
}

/* positive factors of E taken out of a condition 0 <= E or 0 = E: what holds of g*E' holds of E' */
static void reduce_cond(pv *p, pv_ctx cx, turned *r) {
  for (bool more = true; more;) {
    ck_id E = ck_kid(p->terms, r->c, 1);
    ck_op o = ck_head(p->terms, r->c);
    ck_op no;
    pv_poly f;
    more = false;
    pv_poly_init(&f);
    pv_poly_read(p, &f, E);
    for (uint32_t i = 0; f.count && i < f.monos[0].degree && !more; i++) {
      ck_id g = f.monos[0].atoms[i];
      ck_id e = pv_poly_quotient(p, E, g);
      ck_id ig;
      ck_id goal;
      ck_id ngoal;
      pv_thm gp;
      pv_thm ip;
      pv_thm nz;
      pv_thm li;
      pv_thm yes;
      pv_thm neg;
      pv_var_sub v = {pv_real_var(p, "x"), g};
      if (e == CK_BAD || pv_is_const(p, e) || (gp = pv_follows(p, cx, pv_gt0(p, g))) == PV_NONE)
        continue;
      ig = pv_inv(p, g);
      goal = pv_rel(p, o, p->zero, e);
      ngoal = ck_neg(p->terms, goal);
      no = ck_head(p->terms, ngoal);
      ip = pv_use_lemma(p, PV_INV_POS, &v, 1, NULL, 0, &gp, 1);
      nz = pv_scaled(p, pv_ne0(p, g), pv_num(p, -1), gp);
      li = pv_law(p, "inv", &g, 1, nz); /* g*inv g = 1 */
      pv_comb b;
      pv_comb_init(&b); /* e = inv g * (g*e) + e*(1 - g*inv g) */
      if (o == CK_EQ)
        pv_comb_add(&b, ig, r->yes);
      else
        pv_comb_add_product(&b, p->one, ip, r->yes);
      pv_comb_add(&b, e, li);
      yes = pv_comb_prove(p, &b, goal);
      pv_comb_init(&b);
      pv_comb_add_product(&b, p->one, ip, r->no);
      pv_comb_add(&b, no == CK_NE ? e : pv_neg(p, e), li);
      neg = pv_comb_prove(p, &b, ngoal);
      if (yes == PV_NONE || neg == PV_NONE)
        continue;
      r->c = goal;
      r->yes = yes;
      r->no = neg;
      more = true;
    }
    pv_poly_clear(&f);
  }
}

/* an index or counter, which no source file can name, in t */
static bool has_index(pv *p, ck_id t) {
  if (ck_head(p->terms, t) == CK_V)
    return ck_word_text(p->terms, ck_name(p->terms, t))[0] == '$';
  for (uint32_t i = 0, n = ck_nkids(p->terms, t); i < n; i++) {
    if (has_index(p, ck_kid(p->terms, t, i)))
      return true;
  }
  return false;
}

/* x is a counter of the prover's, by itself or with what is free of counters added */
static bool counted(pv *p, ck_id x) {
  pv_poly f;
  uint32_t n = 0;
  bool ok = true;
  pv_poly_init(&f);
  pv_poly_read(p, &f, x);
  for (uint32_t i = 0; i < f.count; i++) {
    for (uint32_t j = 0; j < f.monos[i].degree; j++) {
      ck_id a = f.monos[i].atoms[j];
      bool counter = ck_head(p->terms, a) == CK_V &&
                     !strncmp(ck_word_text(p->terms, ck_name(p->terms, a)), "$$x", 3);
      if (counter) {
        n++;
        ok = ok && f.monos[i].degree == 1;
      } else if (has_index(p, a) && ck_head(p->terms, a) != CK_V) {
        ok = false;
      }
    }
  }
  pv_poly_clear(&f);
  return ok && n > 0;
}

/* bounds of a counter divided become bounds of the counter: 0 <= R - x div d as 0 <= d*R + d-1 - x;
 * 0 <= R + x div d as 0 <= d*R + x */
static bool linear_cond(pv *p, pv_ctx cx, turned *r) {
  ck_id E = ck_kid(p->terms, r->c, 1);
  ck_id D = CK_BAD;
  ck_id x;
  ck_id d;
  ck_id R;
  ck_id e;
  ck_id goal;
  ck_id one = p->one;
  pv_poly f;
  bool plus = false;
  pv_thm dp;
  pv_thm yes;
  pv_thm no;
  if (ck_head(p->terms, r->c) != CK_LE)
    return false;
  pv_poly_init(&f);
  pv_poly_read(p, &f, E);
  for (uint32_t i = 0; i < f.count && D == CK_BAD; i++) {
    if (f.monos[i].degree == 1 && ck_head(p->terms, f.monos[i].atoms[0]) == CK_DIV &&
        (pv_is_one(p, f.monos[i].coef) || f.monos[i].coef == pv_num(p, -1))) {
      D = f.monos[i].atoms[0];
      plus = pv_is_one(p, f.monos[i].coef);
    }
  }
  pv_poly_clear(&f);
  if (D == CK_BAD)
    return false;
  x = ck_kid(p->terms, D, 0);
  d = ck_kid(p->terms, D, 1);
  R = pv_canon(p, plus ? pv_sub(p, E, D) : pv_add(p, E, D));
  if (pv_occurs(p, R, D) || !counted(p, x) || has_index(p, R) ||
      (dp = pv_follows(p, cx, pv_gt0(p, d))) == PV_NONE)
    return false;
  ck_id xd[2] = {x, d};
  pv_thm l = pv_law(p, "div", xd, 2, dp);
  pv_thm lo = pv_law(p, "mod>", xd, 2, dp);
  pv_thm hi = pv_law(p, "mod<", xd, 2, dp);
  pv_thm hi1 = pv_tighten(p, hi);
  pv_thm no1 = pv_tighten(p, r->no);
  e = pv_canon(p, plus ? pv_add(p, x, pv_mul(p, d, R))
                       : pv_sub(p, pv_add(p, pv_mul(p, d, R), pv_sub(p, d, one)), x));
  goal = pv_ge0(p, e);
  pv_comb b;
  pv_comb_init(&b); /* the law: x = d*D + mod, of value d*D + mod - x */
  pv_comb_add_product(&b, one, dp, r->yes);
  pv_comb_add(&b, one, plus ? lo : hi1);
  pv_comb_add(&b, plus ? pv_num(p, -1) : one, l);
  yes = pv_comb_prove(p, &b, goal);
  pv_comb_init(&b);
  pv_comb_add_product(&b, one, dp, no1);
  pv_comb_add(&b, one, plus ? hi : lo);
  pv_comb_add(&b, plus ? one : pv_num(p, -1), l);
  if (!plus) {
    pv_summand m = {one, NULL, 0};
    as_vec_push(&b.summands, &m);
  }
  no = pv_comb_prove(p, &b, ck_neg(p->terms, goal));
  if (yes == PV_NONE || no == PV_NONE)
    return false;
  r->c = goal;
  r->yes = yes;
  r->no = no;
  return true;
}

/* t = ite(c, u, v) with normal parts: condition in one form; what stands beside a zero taken out of
 * it */
static pv_eqn canon_cond(pv *p, pv_ctx cx, ck_id t) {
  ck_id c = ck_kid(p->terms, t, 0);
  ck_id u = ck_kid(p->terms, t, 1);
  ck_id v = ck_kid(p->terms, t, 2);
  ck_id m = p->one;
  ck_id x;
  ck_id y;
  ck_id I;
  ck_id w;
  turned r;
  if (!turn_cond(p, c, &r))
    return pv_same(t);
  for (int i = 0; i < 4; i++) {
    reduce_cond(p, cx, &r);
    if (!linear_cond(p, cx, &r))
      break;
  }
  x = r.turn ? v : u;
  y = r.turn ? u : v;
  if (pv_is_zero(p, y) && !pv_is_one(p, x)) {
    m = x;
    x = p->one;
  } else if (pv_is_zero(p, x) && !pv_is_one(p, y)) {
    m = y;
    y = p->one;
  }
  I = ck_ite(p->terms, r.c, x, y);
  w = pv_is_one(p, m) ? I : pv_canon(p, pv_mul(p, m, I));
  if (I == CK_BAD || w == t)
    return pv_same(t);
  pv_thm res[2];
  for (int i = 0; i < 2; i++) { /* i: c does not hold */
    bool first = (i == 0) != r.turn;
    pv_comb b;
    pv_thm l = pv_law(p, i ? "ite0" : "ite1", &t, 1, pv_hyp(p, i ? ck_neg(p->terms, c) : c));
    pv_thm li = pv_law(p, first ? "ite1" : "ite0", &I, 1, first ? r.yes : r.no);
    pv_comb_init(&b); /* t = old branch = m*val = m*I */
    pv_comb_add(&b, p->one, l);
    pv_comb_add(&b, pv_neg(p, m), li);
    res[i] = pv_comb_prove(p, &b, pv_eq(p, t, w));
  }
  pv_eqn e = {w, pv_cases(p, c, res[0], res[1])};
  if (e.by == PV_NONE)
    return pv_same(t);
  if (pv_follows(p, cx, r.c) != PV_NONE || pv_follows(p, cx, ck_neg(p->terms, r.c)) != PV_NONE)
    return pv_then(p, e, pv_norm(p, cx, w));
  pv_mark_normal(p, cx, I);
  return pv_then(p, e, pv_norm_poly(p, cx, w));
}

pv_eqn pv_norm_ite(pv *p, pv_ctx cx, ck_id t) {
  ck_id c = ck_kid(p->terms, t, 0);
  uint32_t np = 0;
  pv_thm prem[4];
  pv_eqn k[4];
  pv_eqn e = pv_same(t);
  ck_id part[4] = {ck_kid(p->terms, c, 0), ck_kid(p->terms, c, 1), ck_kid(p->terms, t, 1),
                   ck_kid(p->terms, t, 2)};
  pv_thm yes = pv_follows(p, cx, c);
  pv_thm no = yes == PV_NONE ? pv_follows(p, cx, ck_neg(p->terms, c)) : PV_NONE;
  if (yes != PV_NONE || no != PV_NONE) {
    e.to = part[yes != PV_NONE ? 2 : 3];
    e.by = pv_law(p, yes != PV_NONE ? "ite1" : "ite0", &t, 1, yes != PV_NONE ? yes : no);
    return e.by == PV_NONE ? pv_fail() : pv_then(p, e, pv_norm(p, cx, e.to));
  }
  for (int i = 0; i < 4; i++) {
    k[i] = pv_norm(p, cx, part[i]);
    if (k[i].by == PV_NONE)
      return pv_fail();
    if (k[i].by != PV_REFL)
      prem[np++] = k[i].by;
  }
  if (np) {
    ck_id c2 = pv_rel(p, ck_head(p->terms, c), k[0].to, k[1].to);
    e.to = ck_ite(p->terms, c2, k[2].to, k[3].to);
    e.by = pv_cong(p, t, e.to, prem, np);
    if (e.by == PV_NONE)
      return pv_fail();
  }
  if (k[2].to == k[3].to) {
    ck_id c2 = ck_kid(p->terms, e.to, 0);
    pv_thm a = pv_law(p, "ite1", &e.to, 1, pv_hyp(p, c2));
    pv_thm b = pv_law(p, "ite0", &e.to, 1, pv_hyp(p, ck_neg(p->terms, c2)));
    pv_eqn f = {k[2].to, pv_cases(p, c2, a, b)};
    return f.by == PV_NONE ? e : pv_then(p, e, f);
  }
  ck_op o = ck_head(p->terms, c);
  bool order = o == CK_LE || o == CK_LT;
  pv_eqn r = order && !(ck_is_int(p->terms, k[0].to) && ck_is_int(p->terms, k[1].to))
                 ? canon_ite(p, cx, e.to)
                 : canon_cond(p, cx, e.to);
  return r.by == PV_NONE ? e : pv_then(p, e, r);
}
