/* Equality of two terms: normal forms; then inverses eliminated by cross-multiplication; then
 * conditions split; then unequal atoms with the same head matched argument by argument. */
#include "pv.h"
#include <stdlib.h>

static uint32_t zero_thm(pv *p, uint32_t cx, ck_id D, uint32_t depth);

enum { MAX_SPLITS = 14, MAX_TIGHTENED = 6 };

/* D = 0 from D = e.t (e.s) and e.t = 0 (s) */
static uint32_t through(pv *p, ck_id D, eqn e, uint32_t s) {
  if (s == NO || e.s == NO)
    return NO;
  if (e.s == REFL)
    return s;
  ck_summand m[2] = {{p->one, &e.s, 1}, {p->one, &s, 1}};
  return r_arith(p, t_rel(p, CK_EQ, D, p->zero), m, 2);
}

/* --- inverses: multiply by P where inv(P) occurs and P # 0 */
static ck_id power(pv *p, ck_id x, uint32_t n) {
  ck_id r = p->one;
  for (; n; n--)
    r = t_mul(p, r, x);
  return r;
}

static uint32_t without_inverse(pv *p, uint32_t cx, ck_id D, ck_id y, uint32_t depth) {
  ck_id P = ck_kid(p->T, y, 0);
  uint32_t nz = nonzero(p, cx, P);
  uint32_t e = 0;
  uint32_t res = NO;
  poly f;
  if (nz == NO)
    return NO;
  poly_init(&f);
  poly_of(p, &f, D);
  uint32_t *deg = as_calloc(f.n + 1, sizeof *deg);
  for (uint32_t i = 0; i < f.n; i++) {
    for (uint32_t j = 0; j < f.m[i].n; j++)
      deg[i] += f.m[i].a[j] == y;
    if (deg[i] > e)
      e = deg[i];
  }
  if (e <= 4) {
    ck_id N = p->zero;
    ck_id c = p->zero;
    ck_id Py = t_mul(p, P, y);
    for (uint32_t i = 0; i < f.n; i++) {
      ck_id rest[64];
      uint32_t n = 0;
      if (f.m[i].n > 64) {
        e = 0;
        break;
      }
      for (uint32_t j = 0; j < f.m[i].n; j++) {
        if (f.m[i].a[j] != y)
          rest[n++] = f.m[i].a[j];
      }
      ck_id Q = mono_term(p, f.m[i].q, rest, n);
      ck_id S = p->zero;
      N = t_add(p, N, t_mul(p, power(p, P, e - deg[i]), Q));
      for (uint32_t r = 0; r < e - deg[i]; r++)
        S = t_add(p, S, power(p, Py, r));
      c = t_add(p, c, t_mul(p, t_mul(p, power(p, y, deg[i]), Q), S));
    }
    uint32_t s = e ? zero_thm(p, cx, N, depth + 1) : NO;
    uint32_t u = s == NO ? NO : r_law(p, "inv", &P, 1, nz);
    ck_summand m[2] = {{power(p, y, e), &s, 1}, {t_neg(p, c), &u, 1}};
    if (u != NO)
      res = r_arith(p, t_rel(p, CK_EQ, D, p->zero), m, 2);
  }
  free(deg);
  poly_clear(&f);
  return res;
}

/* --- conditions */
static ck_id find_cond(pv *p, ck_id t) {
  const ck_terms *T = p->T;
  if (ck_head(T, t) == CK_ITE && ck_is_closed(T, ck_kid(T, t, 0))) {
    ck_id c = ck_kid(T, t, 0);
    ck_id in = find_cond(p, ck_kid(T, c, 0));
    if (in == CK_BAD)
      in = find_cond(p, ck_kid(T, c, 1));
    return in == CK_BAD ? c : in;
  }
  for (uint32_t i = 0, n = ck_nkids(T, t); i < n; i++) {
    ck_id k = ck_kid(T, t, i);
    ck_id c = CK_BAD;
    if (ck_is_formula(T, k)) {
      c = find_cond(p, ck_kid(T, k, 0));
      if (c == CK_BAD)
        c = find_cond(p, ck_kid(T, k, 1));
    } else {
      c = find_cond(p, k);
    }
    if (c != CK_BAD)
      return c;
  }
  return CK_BAD;
}

/* an undecided condition in what theorem s says */
static ck_id cond_in(pv *p, uint32_t cx, uint32_t s) {
  ck_id nf;
  ck_id c = s == NO || fact_normal(p, cx, s, &nf) == NO ? CK_BAD : find_cond(p, nf);
  return c == CK_BAD || side(p, cx, c) != NO || side(p, cx, ck_neg(p->T, c)) != NO ? CK_BAD : c;
}

/* an undecided condition in what the hypotheses say of integers, clauses included at what t speaks
 * of.  Of reals it is not sought: that would lead to itself. */
static ck_id fact_cond(pv *p, uint32_t cx, ck_id t) {
  ck_id c = CK_BAD;
  uint32_t inst[4];
  uint32_t n = 0;
  for (uint32_t x = cx; x != 0 && c == CK_BAD; x = CX(p, x).parent) {
    ck_id f = CX(p, x).formula;
    ck_id says = f;
    ck_op o = ck_head(p->T, f);
    if (o == CK_ALL)
      says = ck_kid(p->T, f, ck_nkids(p->T, f) - 1); /* the conclusion */
    if (!ck_is_rel(p->T, says) || !ck_is_int(p->T, ck_kid(p->T, says, 0)))
      continue;
    if (o == CK_ALL) {
      n = clause_instances(p, cx, CX(p, x).step, t, inst, 4);
    } else if (o != CK_NE) {
      n = 1;
      inst[0] = CX(p, x).step;
    } else {
      n = 0;
    }
    for (uint32_t i = 0; i < n && c == CK_BAD; i++)
      c = cond_in(p, cx, inst[i]);
  }
  return c;
}

typedef uint32_t (*prover)(pv *p, uint32_t cx, ck_id D, uint32_t depth);

/* f(D) in cx, which is `old` with one hypothesis more: where that is a divisibility, with the
 * quotient as a variable */
static uint32_t under(pv *p, uint32_t old, uint32_t cx, ck_id D, uint32_t depth, prover f) {
  uint32_t in = NO;
  uint32_t back;
  ck_id q;
  for (uint32_t c = cx; c != old && in == NO; c = CX(p, c).parent) {
    if (ck_head(p->T, CX(p, c).formula) == CK_EQ)
      in = cx_quotient(p, cx, CX(p, c).step, &q, &back);
  }
  if (in == NO)
    return f(p, cx, D, depth);
  uint32_t s = f(p, cx_refresh(p, in), D, depth);
  ck_vsub v = {q, ck_kid(p->T, rhs_of(p, back), 1)};
  return r_inst(p, s, &v, 1, NULL, 0, &back, 1);
}

/* what D says, by cases on c; NO if c is decided already */
static uint32_t split_on(pv *p, uint32_t cx, ck_id c, ck_id D, uint32_t depth, prover f) {
  ck_id n;
  uint32_t a;
  uint32_t b;
  if (c == CK_BAD || cx_find(p, cx, c) != NO || depth >= MAX_SPLITS)
    return NO;
  n = ck_neg(p->T, c);
  if (cx_find(p, cx, n) != NO)
    return NO;
  a = under(p, cx, cx_assume(p, cx, c), D, depth + 1, f);
  b = a == NO ? NO : under(p, cx, cx_assume(p, cx, n), D, depth + 1, f);
  return b == NO ? NO : r_cases(p, c, a, b);
}

/* --- atoms with the same head: equal if their arguments are */
static uint32_t atoms_equal(pv *p, uint32_t cx, ck_id a, ck_id b, uint32_t depth) {
  const ck_terms *T = p->T;
  ck_op o = ck_head(T, a);
  uint32_t n = ck_nkids(T, a);
  uint32_t prem[16];
  uint32_t np = 0;
  if (o != ck_head(T, b) || n != ck_nkids(T, b) || n == 0 || n > 16)
    return NO;
  if (o == CK_APP && (ck_name(T, a) != ck_name(T, b) || ck_sig(T, a) != ck_sig(T, b)))
    return NO;
  if (is_sum(p, a) && is_sum(p, b) && ck_kid(T, a, 0) == ck_kid(T, b, 0)) {
    ck_id k;
    ck_id N = ck_kid(T, a, 0);
    uint32_t in = cx_bind(p, cx, N, &k);
    return lift_sum(p, N, k, prove_eq(p, in, sum_body(p, a, k), sum_body(p, b, k), depth + 1));
  }
  if (o == CK_FOLD || o == CK_ITE || o == CK_V)
    return NO;
  for (uint32_t i = 0; i < n; i++) {
    ck_id x = ck_kid(T, a, i);
    ck_id y = ck_kid(T, b, i);
    uint32_t s;
    if (x == y)
      continue;
    s = prove_eq(p, cx, x, y, depth + 1);
    if (s == NO)
      return NO;
    prem[np++] = s;
  }
  return r_cong(p, a, b, prem, np);
}

/* s with b(k) = a(k + s) for closed terms a and b that are alike up to arguments of functions;
 * CK_BAD: none is seen */
static ck_id shift_between(pv *p, ck_id a, ck_id b, ck_id k) {
  const ck_terms *T = p->T;
  ck_id s = CK_BAD;
  if (a == b || ck_head(T, a) != ck_head(T, b) || ck_nkids(T, a) != ck_nkids(T, b))
    return CK_BAD;
  for (uint32_t i = 0, n = ck_nkids(T, a); i < n && s == CK_BAD; i++) {
    ck_id x = ck_kid(T, a, i);
    ck_id y = ck_kid(T, b, i);
    if (ck_head(T, a) == CK_APP && x != y && ck_is_int(T, x) && ck_is_int(T, y)) {
      ck_id d = canon(p, t_sub(p, y, x));
      poly f;
      poly_init(&f);
      poly_of(p, &f, x);
      for (uint32_t j = 0; j < f.n; j++) {
        if (f.m[j].n == 1 && f.m[j].a[0] == k && is_one(p, f.m[j].q) && !ck_has_var(T, d, k))
          s = d;
      }
      poly_clear(&f);
    } else {
      s = shift_between(p, x, y, k);
    }
  }
  return s;
}

/* two sums of one body over different ranges, or of one that is ahead of the other: the longer one
 * cut, the other's start cut off */
static eqn cut_longer(pv *p, uint32_t cx, ck_id a, ck_id b) {
  eqn none = {CK_BAD, NO};
  eqn r = none;
  ck_id f;
  if (is_prod(p, a, &f) && is_prod(p, b, &f) && ck_kid(p->T, a, 2) == ck_kid(p->T, b, 2)) {
    r = cut_prod(p, cx, a, ck_kid(p->T, b, 0));
    if (r.s == NO)
      r = cut_prod(p, cx, b, ck_kid(p->T, a, 0));
    return r.s == REFL ? none : r;
  }
  if (!is_sum(p, a) || !is_sum(p, b))
    return none;
  if (ck_kid(p->T, a, 2) == ck_kid(p->T, b, 2)) {
    r = cut_sum(p, cx, a, ck_kid(p->T, b, 0));
    if (r.s == NO)
      r = cut_sum(p, cx, b, ck_kid(p->T, a, 0));
  } else {
    ck_id k;
    ck_id s;
    cx_bind(p, cx, ck_kid(p->T, a, 0), &k);
    if ((s = shift_between(p, sum_body(p, a, k), sum_body(p, b, k), k)) == CK_BAD || is_zero(p, s))
      return none;
    eqn end = norm(p, cx, t_sub(p, t_sub(p, ck_kid(p->T, a, 0), s), ck_kid(p->T, b, 0)));
    if (end.s == NO || !is_zero(p, end.t))
      return none; /* they must end together */
    r = cut_sum(p, cx, a, s);
    if (r.s == NO)
      r = cut_sum(p, cx, b, canon(p, t_neg(p, s)));
  }
  return r.s == REFL ? none : r;
}

static uint32_t by_atoms(pv *p, uint32_t cx, ck_id D, uint32_t depth) {
  ck_id at[24];
  uint32_t n = 0;
  uint32_t res = NO;
  poly f;
  poly_init(&f);
  poly_of(p, &f, D);
  for (uint32_t i = 0; i < f.n; i++) {
    for (uint32_t j = 0; j < f.m[i].n; j++) {
      ck_id x = f.m[i].a[j];
      uint32_t k = 0;
      while (k < n && at[k] != x)
        k++;
      if (k == n && n < 24 && ck_nkids(p->T, x))
        at[n++] = x;
    }
  }
  poly_clear(&f);
  for (uint32_t i = 0; i < n && res == NO; i++) {
    for (uint32_t j = i + 1; j < n && res == NO; j++) {
      eqn c = cut_longer(p, cx, at[i], at[j]);
      if (c.s != NO) {
        ck_id was = lhs_of(p, c.s);
        eqn r = rewrite(p, D, &was, &c.s, 1);
        if (r.s != NO && r.s != REFL)
          res = through(p, D, r, zero_thm(p, cx, r.t, depth + 1));
        if (res != NO)
          continue;
      }
      uint32_t s = atoms_equal(p, cx, at[i], at[j], depth);
      if (s == NO)
        continue;
      poly g;
      poly h;
      poly_init(&g);
      poly_init(&h); /* D with at[i] as at[j] */
      poly_of(p, &g, D);
      by b;
      by_start(&b);
      for (uint32_t l = 0; l < g.n; l++) {
        mono m = g.m[l];
        ck_id done[64];
        uint32_t nd = 0;
        if (m.n > 64)
          continue;
        for (uint32_t q = 0; q < m.n; q++) {
          if (m.a[q] == at[i]) {
            ck_id left = mono_term(p, m.q, done, nd);
            ck_id right = mono_term(p, p->one, m.a + q + 1, m.n - q - 1);
            by_add(&b, t_mul(p, left, right), s);
            done[nd++] = at[j];
          } else {
            done[nd++] = m.a[q];
          }
        }
        poly_push(p, &h, m.q, done, nd);
      }
      ck_id R = poly_term(p, &h);
      eqn e = {R, NO};
      e.s = by_end(p, &b, t_rel(p, CK_EQ, D, R));
      poly_clear(&g);
      poly_clear(&h);
      if (e.s != NO)
        res = through(p, D, e, zero_thm(p, cx, R, depth + 1));
    }
  }
  return res;
}

/* the first element of a sum over a few literal elements apart */
static uint32_t by_elements(pv *p, uint32_t cx, ck_id D, uint32_t depth) {
  enum { FEW = 8 };

  poly f;
  ck_id at = CK_BAD;
  uint32_t s = NO;
  poly_init(&f);
  poly_of(p, &f, D);
  for (uint32_t i = 0; i < f.n && at == CK_BAD; i++) {
    for (uint32_t j = 0; j < f.m[i].n && at == CK_BAD; j++) {
      ck_id x = f.m[i].a[j];
      ck_id n = is_sum(p, x) ? ck_kid(p->T, x, 0) : CK_BAD;
      if (n != CK_BAD && is_q(p, n) && mpq_cmp_ui(*ck_q_value(p->T, n), 1, 1) > 0 &&
          mpq_cmp_ui(*ck_q_value(p->T, n), FEW, 1) <= 0)
        at = x;
    }
  }
  poly_clear(&f);
  if (at == CK_BAD)
    return NO;
  eqn c = cut_sum(p, cx, at, p->one);
  if (c.s != NO && c.s != REFL) {
    ck_id was = lhs_of(p, c.s);
    eqn r = rewrite(p, D, &was, &c.s, 1);
    if (r.s != NO && r.s != REFL)
      s = through(p, D, r, zero_thm(p, cx, r.t, depth + 1));
  }
  return s;
}

/* D = 0 for a normal D without conditions outside of folds */
static uint32_t leaf(pv *p, uint32_t cx, ck_id D, uint32_t depth) {
  ck_id goal = t_rel(p, CK_EQ, D, p->zero);
  ck_id c;
  uint32_t s = NO;
  if (ck_is_int(p->T, D))
    s = side(p, cx, goal);
  if (s == NO)
    s = by_atoms(p, cx, D, depth);
  if (s == NO && (depth > 0 || ck_is_int(p->T, D)))
    s = lp_prove_within(p, cx, goal);
  if (s == NO)
    s = from_false(p, goal, lp_contradiction(p, cx));
  if (s == NO)
    s = by_elements(p, cx, D, depth);
  if (s == NO && ((c = range_cond(p, cx, D)) != CK_BAD || (c = fact_cond(p, cx, D)) != CK_BAD)) {
    s = split_on(p, cx, c, D, depth, zero_thm);
  } else if (s == NO && p->tightened < MAX_TIGHTENED && depth < MAX_SPLITS) {
    uint32_t in;
    p->tightened++;
    if ((in = cx_tighten(p, cx)) != cx)
      s = zero_thm(p, in, D, depth + 1);
  }
  return s;
}

/* D = 0 */
static uint32_t zero_thm(pv *p, uint32_t cx, ck_id D, uint32_t depth) {
  eqn e;
  poly f;
  uint32_t s = NO;
  if (depth > MAX_SPLITS || pv_spent(p))
    return NO;
  e = norm(p, cx, D);
  if (e.s == NO)
    return NO;
  if (is_zero(p, e.t))
    return through(p, D, e, r_arith0(p, t_rel(p, CK_EQ, p->zero, p->zero)));
  poly_init(&f);
  poly_of(p, &f, e.t);
  for (uint32_t i = 0; i < f.n && s == NO; i++) {
    for (uint32_t j = 0; j < f.m[i].n && s == NO; j++) {
      ck_id y = f.m[i].a[j];
      if (ck_head(p->T, y) == CK_INV && depth < 5) {
        s = without_inverse(p, cx, e.t, y, depth);
        if (s == NO)
          i = f.n;
        break;
      }
    }
  }
  poly_clear(&f);
  ck_id c = find_cond(p, e.t);
  if (c != CK_BAD)
    s = split_on(p, cx, c, e.t, depth, zero_thm);
  if (s == NO && c == CK_BAD)
    s = leaf(p, cx, e.t, depth);
  return through(p, D, e, s);
}

uint32_t prove_eq(pv *p, uint32_t cx, ck_id a, ck_id b, uint32_t depth) {
  if (a == b)
    return eq_refl(p, a);
  eqn x = norm(p, cx, a);
  eqn y = norm(p, cx, b);
  uint32_t s = REFL;
  if (x.s == NO || y.s == NO)
    return NO;
  if (x.t != y.t) {
    ck_id D = t_sub(p, x.t, y.t);
    s = zero_thm(p, cx, D, depth);
    if (s == NO)
      return NO;
    s = r_arith1(p, t_rel(p, CK_EQ, x.t, y.t), p->one, s);
  }
  s = eq_trans(p, eq_trans(p, x.s, s), eq_sym(p, y.s));
  return s;
}

/* a relation other than an equation, by cases where its sides have conditions */
static uint32_t rel_cases(pv *p, uint32_t cx, ck_id f, uint32_t depth) {
  uint32_t s = side(p, cx, f);
  ck_id c;
  if (s != NO || depth > MAX_SPLITS || pv_spent(p))
    return s;
  eqn e = norm(p, cx, t_sub(p, ck_kid(p->T, f, 1), ck_kid(p->T, f, 0)));
  if (e.s == NO)
    return NO;
  if ((c = find_cond(p, e.t)) != CK_BAD)
    return split_on(p, cx, c, f, depth, rel_cases);
  s = by_clause(p, cx, f);
  if (s == NO)
    s = from_false(p, f, lp_contradiction(p, cx));
  if (s == NO && ((c = clause_cond(p, cx, f)) != CK_BAD || (c = range_cond(p, cx, e.t)) != CK_BAD ||
                  (c = fact_cond(p, cx, e.t)) != CK_BAD))
    s = split_on(p, cx, c, f, depth, rel_cases);
  return s;
}

/* a variable that the hypotheses leave two or three values: the condition that it is less than the
 * greatest; CK_BAD: there is none */
static ck_id few_values(pv *p, uint32_t cx) {
  enum { SPAN = 2 };

  for (uint32_t h = cx; h != 0; h = CX(p, h).parent) {
    ck_id f = CX(p, h).formula;
    ck_id x;
    ck_id top;
    ck_id less;
    ck_op o = ck_head(p->T, f);
    if ((o != CK_LE && o != CK_LT) || ck_head(p->T, x = ck_kid(p->T, f, 0)) != CK_V ||
        !is_q(p, ck_kid(p->T, f, 1)) || !ck_is_int(p->T, f = ck_kid(p->T, f, 1)))
      continue;
    top = o == CK_LE ? f : q_add(p, f, t_int(p, -1));
    less = t_rel(p, CK_LT, x, top);
    if (side(p, cx, less) != NO || side(p, cx, ck_neg(p->T, less)) != NO)
      continue;
    if (side(p, cx, t_rel(p, CK_LE, q_add(p, top, t_int(p, -SPAN)), x)) != NO)
      return less;
  }
  return CK_BAD;
}

static uint32_t goal_in(pv *p, uint32_t cx, ck_id f, uint32_t depth) {
  uint32_t s;
  ck_id c;
  if ((s = by_clause(p, cx, f)) != NO)
    return s;
  if (ck_head(p->T, f) == CK_EQ && depth < 6 && (c = fact_cond(p, cx, p->zero)) != CK_BAD) {
    if (depth == 0) { /* conditions in what the indices are said to be: with most of the effort
                         without them, else by cases on them first */
      uint64_t most = p->max_work;
      p->max_work = p->work < most ? p->work + (most - p->work) / 4 * 3 : most;
      s = prove_eq(p, cx, ck_kid(p->T, f, 0), ck_kid(p->T, f, 1), depth);
      p->max_work = most;
      if (s != NO)
        return s;
    }
    return split_on(p, cx, c, f, depth, goal_in);
  }
  if (depth < 6 && (c = few_values(p, cx)) != CK_BAD)
    return split_on(p, cx, c, f, depth, goal_in);
  if (ck_head(p->T, f) == CK_EQ)
    return prove_eq(p, cx, ck_kid(p->T, f, 0), ck_kid(p->T, f, 1), depth);
  return rel_cases(p, cx, f, depth);
}

/* divisibilities among the hypotheses first */
static uint32_t with_quotients(pv *p, uint32_t cx, ck_id f, uint32_t depth) {
  for (uint32_t c = cx; c != 0 && depth < 6; c = CX(p, c).parent) {
    ck_id q;
    ck_id nf;
    uint32_t back;
    uint32_t in = NO;
    if (ck_head(p->T, CX(p, c).formula) == CK_EQ && fact_normal(p, cx, CX(p, c).step, &nf) != NO &&
        !is_zero(p, nf))
      in = cx_quotient(p, cx, CX(p, c).step, &q, &back);
    if (in == NO)
      continue;
    uint32_t s = with_quotients(p, cx_derive(p, in), f, depth + 1);
    ck_vsub v = {q, ck_kid(p->T, rhs_of(p, back), 1)};
    return r_inst(p, s, &v, 1, NULL, 0, &back, 1);
  }
  return goal_in(p, cx, f, 0);
}

uint32_t prove_goal(pv *p, uint32_t cx, ck_id f) {
  uint32_t s = cx_find(p, cx, f);
  if (s != NO)
    return s;
  p->tightened = 0;
  return ck_head(p->T, f) == CK_ALL || too_big(p, f) ? NO
                                                     : with_quotients(p, cx_derive(p, cx), f, 0);
}
