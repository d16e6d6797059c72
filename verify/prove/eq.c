/* Equality of two terms: normal forms; then inverses eliminated by cross-multiplication; then
 * conditions split; then unequal atoms with the same head matched argument by argument. */
#include "pv_folds.h"
#include "src/base/mem.h"
#include <stdlib.h>

static pv_thm zero_thm(pv *p, pv_ctx cx, ck_id D, uint32_t depth);

enum { MAX_SPLITS = 14, MAX_TIGHTENED = 6 };

/* D = 0 from D = e.t (e.s) and e.t = 0 (s) */
static pv_thm through(pv *p, ck_id D, pv_eqn e, pv_thm s) {
  if (s == PV_NONE || e.by == PV_NONE)
    return PV_NONE;
  if (e.by == PV_REFL)
    return s;
  pv_summand m[2] = {{p->one, &e.by, 1}, {p->one, &s, 1}};
  return pv_arith(p, pv_eq(p, D, p->zero), m, 2);
}

/* --- inverses: multiply by P where inv(P) occurs and P # 0 */
static ck_id power(pv *p, ck_id x, uint32_t n) {
  ck_id r = p->one;
  for (; n; n--)
    r = pv_mul(p, r, x);
  return r;
}

static pv_thm without_inverse(pv *p, pv_ctx cx, ck_id D, ck_id y, uint32_t depth) {
  ck_id P = ck_kid(p->terms, y, 0);
  pv_thm nz = pv_nonzero(p, cx, P);
  uint32_t e = 0;
  pv_thm res = PV_NONE;
  pv_poly f;
  if (nz == PV_NONE)
    return PV_NONE;
  pv_poly_init(&f);
  pv_poly_read(p, &f, D);
  uint32_t *deg = as_calloc(f.count + 1, sizeof *deg);
  for (uint32_t i = 0; i < f.count; i++) {
    for (uint32_t j = 0; j < f.monos[i].degree; j++)
      deg[i] += f.monos[i].atoms[j] == y;
    if (deg[i] > e)
      e = deg[i];
  }
  if (e <= 4) {
    ck_id N = p->zero;
    ck_id c = p->zero;
    ck_id Py = pv_mul(p, P, y);
    for (uint32_t i = 0; i < f.count; i++) {
      ck_id rest[64];
      uint32_t n = 0;
      if (f.monos[i].degree > 64) {
        e = 0;
        break;
      }
      for (uint32_t j = 0; j < f.monos[i].degree; j++) {
        if (f.monos[i].atoms[j] != y)
          rest[n++] = f.monos[i].atoms[j];
      }
      ck_id Q = pv_mono_term(p, f.monos[i].coef, rest, n);
      ck_id S = p->zero;
      N = pv_add(p, N, pv_mul(p, power(p, P, e - deg[i]), Q));
      for (uint32_t r = 0; r < e - deg[i]; r++)
        S = pv_add(p, S, power(p, Py, r));
      c = pv_add(p, c, pv_mul(p, pv_mul(p, power(p, y, deg[i]), Q), S));
    }
    pv_thm s = e ? zero_thm(p, cx, N, depth + 1) : PV_NONE;
    pv_thm u = s == PV_NONE ? PV_NONE : pv_law(p, "inv", &P, 1, nz);
    pv_summand m[2] = {{power(p, y, e), &s, 1}, {pv_neg(p, c), &u, 1}};
    if (u != PV_NONE)
      res = pv_arith(p, pv_eq(p, D, p->zero), m, 2);
  }
  free(deg);
  pv_poly_clear(&f);
  return res;
}

/* --- conditions */
static ck_id find_cond(pv *p, ck_id t) {
  const ck_terms *T = p->terms;
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
static ck_id cond_in(pv *p, pv_ctx cx, pv_thm s) {
  ck_id nf;
  ck_id c = s == PV_NONE || pv_fact_normal(p, cx, s, &nf) == PV_NONE ? CK_BAD : find_cond(p, nf);
  return c == CK_BAD || pv_follows(p, cx, c) != PV_NONE ||
                 pv_follows(p, cx, ck_neg(p->terms, c)) != PV_NONE
             ? CK_BAD
             : c;
}

/* an undecided condition in what the hypotheses say of integers, clauses included at what t speaks
 * of.  Of reals it is not sought: that would lead to itself. */
static ck_id fact_cond(pv *p, pv_ctx cx, ck_id t) {
  ck_id c = CK_BAD;
  pv_thm inst[4];
  uint32_t n = 0;
  for (pv_ctx x = cx; x != 0 && c == CK_BAD; x = CX(p, x).parent) {
    ck_id f = CX(p, x).formula;
    ck_id says = f;
    ck_op o = ck_head(p->terms, f);
    if (o == CK_ALL)
      says = ck_kid(p->terms, f, ck_nkids(p->terms, f) - 1); /* the conclusion */
    if (!ck_is_rel(p->terms, says) || !ck_is_int(p->terms, ck_kid(p->terms, says, 0)))
      continue;
    if (o == CK_ALL) {
      n = pv_clause_instances(p, cx, CX(p, x).thm, t, inst, 4);
    } else if (o != CK_NE) {
      n = 1;
      inst[0] = CX(p, x).thm;
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
static pv_thm under(pv *p, pv_ctx old, pv_ctx cx, ck_id D, uint32_t depth, prover f) {
  pv_ctx in = PV_NONE;
  pv_thm back;
  ck_id q;
  for (pv_ctx c = cx; c != old && in == PV_NONE; c = CX(p, c).parent) {
    if (ck_head(p->terms, CX(p, c).formula) == CK_EQ)
      in = pv_ctx_quotient(p, cx, CX(p, c).thm, &q, &back);
  }
  if (in == PV_NONE)
    return f(p, cx, D, depth);
  pv_thm s = f(p, pv_ctx_refresh(p, in), D, depth);
  pv_var_sub v = {q, ck_kid(p->terms, pv_right(p, back), 1)};
  return pv_inst(p, s, &v, 1, NULL, 0, &back, 1);
}

/* what D says, by cases on c; PV_NONE if c is decided already */
static pv_thm split_on(pv *p, pv_ctx cx, ck_id c, ck_id D, uint32_t depth, prover f) {
  ck_id n;
  pv_thm a;
  pv_thm b;
  if (c == CK_BAD || pv_ctx_find(p, cx, c) != PV_NONE || depth >= MAX_SPLITS)
    return PV_NONE;
  n = ck_neg(p->terms, c);
  if (pv_ctx_find(p, cx, n) != PV_NONE)
    return PV_NONE;
  a = under(p, cx, pv_ctx_assume(p, cx, c), D, depth + 1, f);
  b = a == PV_NONE ? PV_NONE : under(p, cx, pv_ctx_assume(p, cx, n), D, depth + 1, f);
  return b == PV_NONE ? PV_NONE : pv_cases(p, c, a, b);
}

/* --- atoms with the same head: equal if their arguments are */
static pv_thm atoms_equal(pv *p, pv_ctx cx, ck_id a, ck_id b, uint32_t depth) {
  const ck_terms *T = p->terms;
  ck_op o = ck_head(T, a);
  uint32_t n = ck_nkids(T, a);
  pv_thm prem[16];
  uint32_t np = 0;
  if (o != ck_head(T, b) || n != ck_nkids(T, b) || n == 0 || n > 16)
    return PV_NONE;
  if (o == CK_APP && (ck_name(T, a) != ck_name(T, b) || ck_sig(T, a) != ck_sig(T, b)))
    return PV_NONE;
  if (pv_is_sum(p, a) && pv_is_sum(p, b) && ck_kid(T, a, 0) == ck_kid(T, b, 0)) {
    ck_id k;
    ck_id N = ck_kid(T, a, 0);
    pv_ctx in = pv_ctx_bind(p, cx, N, &k);
    return pv_lift_sum(p, N, k,
                       pv_prove_eq(p, in, pv_sum_body(p, a, k), pv_sum_body(p, b, k), depth + 1));
  }
  if (o == CK_FOLD || o == CK_ITE || o == CK_V)
    return PV_NONE;
  for (uint32_t i = 0; i < n; i++) {
    ck_id x = ck_kid(T, a, i);
    ck_id y = ck_kid(T, b, i);
    pv_thm s;
    if (x == y)
      continue;
    s = pv_prove_eq(p, cx, x, y, depth + 1);
    if (s == PV_NONE)
      return PV_NONE;
    prem[np++] = s;
  }
  return pv_cong(p, a, b, prem, np);
}

/* s with b(k) = a(k + s) for closed terms a and b that are alike up to arguments of functions;
 * CK_BAD: none is seen */
static ck_id shift_between(pv *p, ck_id a, ck_id b, ck_id k) {
  const ck_terms *T = p->terms;
  ck_id s = CK_BAD;
  if (a == b || ck_head(T, a) != ck_head(T, b) || ck_nkids(T, a) != ck_nkids(T, b))
    return CK_BAD;
  for (uint32_t i = 0, n = ck_nkids(T, a); i < n && s == CK_BAD; i++) {
    ck_id x = ck_kid(T, a, i);
    ck_id y = ck_kid(T, b, i);
    if (ck_head(T, a) == CK_APP && x != y && ck_is_int(T, x) && ck_is_int(T, y)) {
      ck_id d = pv_canon(p, pv_sub(p, y, x));
      pv_poly f;
      pv_poly_init(&f);
      pv_poly_read(p, &f, x);
      for (uint32_t j = 0; j < f.count; j++) {
        if (f.monos[j].degree == 1 && f.monos[j].atoms[0] == k && pv_is_one(p, f.monos[j].coef) &&
            !ck_has_var(T, d, k))
          s = d;
      }
      pv_poly_clear(&f);
    } else {
      s = shift_between(p, x, y, k);
    }
  }
  return s;
}

/* two sums of one body over different ranges, or of one that is ahead of the other: the longer one
 * cut, the other's start cut off */
static pv_eqn cut_longer(pv *p, pv_ctx cx, ck_id a, ck_id b) {
  pv_eqn none = {CK_BAD, PV_NONE};
  pv_eqn r = none;
  ck_id f;
  if (pv_is_prod(p, a, &f) && pv_is_prod(p, b, &f) &&
      ck_kid(p->terms, a, 2) == ck_kid(p->terms, b, 2)) {
    r = pv_cut_prod(p, cx, a, ck_kid(p->terms, b, 0));
    if (r.by == PV_NONE)
      r = pv_cut_prod(p, cx, b, ck_kid(p->terms, a, 0));
    return r.by == PV_REFL ? none : r;
  }
  if (!pv_is_sum(p, a) || !pv_is_sum(p, b))
    return none;
  if (ck_kid(p->terms, a, 2) == ck_kid(p->terms, b, 2)) {
    r = pv_cut_sum(p, cx, a, ck_kid(p->terms, b, 0));
    if (r.by == PV_NONE)
      r = pv_cut_sum(p, cx, b, ck_kid(p->terms, a, 0));
  } else {
    ck_id k;
    ck_id s;
    pv_ctx_bind(p, cx, ck_kid(p->terms, a, 0), &k);
    if ((s = shift_between(p, pv_sum_body(p, a, k), pv_sum_body(p, b, k), k)) == CK_BAD ||
        pv_is_zero(p, s))
      return none;
    pv_eqn end =
        pv_norm(p, cx, pv_sub(p, pv_sub(p, ck_kid(p->terms, a, 0), s), ck_kid(p->terms, b, 0)));
    if (end.by == PV_NONE || !pv_is_zero(p, end.to))
      return none; /* they must end together */
    r = pv_cut_sum(p, cx, a, s);
    if (r.by == PV_NONE)
      r = pv_cut_sum(p, cx, b, pv_canon(p, pv_neg(p, s)));
  }
  return r.by == PV_REFL ? none : r;
}

static pv_thm by_atoms(pv *p, pv_ctx cx, ck_id D, uint32_t depth) {
  ck_id at[24];
  uint32_t n = 0;
  pv_thm res = PV_NONE;
  pv_poly f;
  pv_poly_init(&f);
  pv_poly_read(p, &f, D);
  for (uint32_t i = 0; i < f.count; i++) {
    for (uint32_t j = 0; j < f.monos[i].degree; j++) {
      ck_id x = f.monos[i].atoms[j];
      uint32_t k = 0;
      while (k < n && at[k] != x)
        k++;
      if (k == n && n < 24 && ck_nkids(p->terms, x))
        at[n++] = x;
    }
  }
  pv_poly_clear(&f);
  for (uint32_t i = 0; i < n && res == PV_NONE; i++) {
    for (uint32_t j = i + 1; j < n && res == PV_NONE; j++) {
      pv_eqn c = cut_longer(p, cx, at[i], at[j]);
      if (c.by != PV_NONE) {
        ck_id was = pv_left(p, c.by);
        pv_eqn r = pv_rewrite(p, D, &was, &c.by, 1);
        if (r.by != PV_NONE && r.by != PV_REFL)
          res = through(p, D, r, zero_thm(p, cx, r.to, depth + 1));
        if (res != PV_NONE)
          continue;
      }
      pv_thm s = atoms_equal(p, cx, at[i], at[j], depth);
      if (s == PV_NONE)
        continue;
      pv_poly g;
      pv_poly h;
      pv_poly_init(&g);
      pv_poly_init(&h); /* D with at[i] as at[j] */
      pv_poly_read(p, &g, D);
      pv_comb b;
      pv_comb_init(&b);
      for (uint32_t l = 0; l < g.count; l++) {
        pv_mono m = g.monos[l];
        ck_id done[64];
        uint32_t nd = 0;
        if (m.degree > 64)
          continue;
        for (uint32_t q = 0; q < m.degree; q++) {
          if (m.atoms[q] == at[i]) {
            ck_id left = pv_mono_term(p, m.coef, done, nd);
            ck_id right = pv_mono_term(p, p->one, m.atoms + q + 1, m.degree - q - 1);
            pv_comb_add(&b, pv_mul(p, left, right), s);
            done[nd++] = at[j];
          } else {
            done[nd++] = m.atoms[q];
          }
        }
        pv_poly_add_mono(p, &h, m.coef, done, nd);
      }
      ck_id R = pv_poly_term(p, &h);
      pv_eqn e = {R, PV_NONE};
      e.by = pv_comb_prove(p, &b, pv_eq(p, D, R));
      pv_poly_clear(&g);
      pv_poly_clear(&h);
      if (e.by != PV_NONE)
        res = through(p, D, e, zero_thm(p, cx, R, depth + 1));
    }
  }
  return res;
}

/* the first element of a sum over a few literal elements apart */
static pv_thm by_elements(pv *p, pv_ctx cx, ck_id D, uint32_t depth) {
  enum { FEW = 8 };

  pv_poly f;
  ck_id at = CK_BAD;
  pv_thm s = PV_NONE;
  pv_poly_init(&f);
  pv_poly_read(p, &f, D);
  for (uint32_t i = 0; i < f.count && at == CK_BAD; i++) {
    for (uint32_t j = 0; j < f.monos[i].degree && at == CK_BAD; j++) {
      ck_id x = f.monos[i].atoms[j];
      ck_id n = pv_is_sum(p, x) ? ck_kid(p->terms, x, 0) : CK_BAD;
      if (n != CK_BAD && pv_is_const(p, n) && mpq_cmp_ui(*ck_q_value(p->terms, n), 1, 1) > 0 &&
          mpq_cmp_ui(*ck_q_value(p->terms, n), FEW, 1) <= 0)
        at = x;
    }
  }
  pv_poly_clear(&f);
  if (at == CK_BAD)
    return PV_NONE;
  pv_eqn c = pv_cut_sum(p, cx, at, p->one);
  if (c.by != PV_NONE && c.by != PV_REFL) {
    ck_id was = pv_left(p, c.by);
    pv_eqn r = pv_rewrite(p, D, &was, &c.by, 1);
    if (r.by != PV_NONE && r.by != PV_REFL)
      s = through(p, D, r, zero_thm(p, cx, r.to, depth + 1));
  }
  return s;
}

/* D = 0 for a normal D without conditions outside of folds */
static pv_thm leaf(pv *p, pv_ctx cx, ck_id D, uint32_t depth) {
  ck_id goal = pv_eq(p, D, p->zero);
  ck_id c;
  pv_thm s = PV_NONE;
  if (ck_is_int(p->terms, D))
    s = pv_follows(p, cx, goal);
  if (s == PV_NONE)
    s = by_atoms(p, cx, D, depth);
  if (s == PV_NONE && (depth > 0 || ck_is_int(p->terms, D)))
    s = pv_lp_prove_within(p, cx, goal);
  if (s == PV_NONE)
    s = pv_from_zero_below_zero(p, goal, pv_lp_contradiction(p, cx));
  if (s == PV_NONE)
    s = by_elements(p, cx, D, depth);
  if (s == PV_NONE &&
      ((c = pv_range_cond(p, cx, D)) != CK_BAD || (c = fact_cond(p, cx, D)) != CK_BAD)) {
    s = split_on(p, cx, c, D, depth, zero_thm);
  } else if (s == PV_NONE && p->tightened < MAX_TIGHTENED && depth < MAX_SPLITS) {
    pv_ctx in;
    p->tightened++;
    if ((in = pv_ctx_tighten(p, cx)) != cx)
      s = zero_thm(p, in, D, depth + 1);
  }
  return s;
}

/* D = 0 */
static pv_thm zero_thm(pv *p, pv_ctx cx, ck_id D, uint32_t depth) {
  pv_eqn e;
  pv_poly f;
  pv_thm s = PV_NONE;
  if (depth > MAX_SPLITS || pv_spent(p))
    return PV_NONE;
  e = pv_norm(p, cx, D);
  if (e.by == PV_NONE)
    return PV_NONE;
  if (pv_is_zero(p, e.to))
    return through(p, D, e, pv_identity(p, pv_eq(p, p->zero, p->zero)));
  pv_poly_init(&f);
  pv_poly_read(p, &f, e.to);
  for (uint32_t i = 0; i < f.count && s == PV_NONE; i++) {
    for (uint32_t j = 0; j < f.monos[i].degree && s == PV_NONE; j++) {
      ck_id y = f.monos[i].atoms[j];
      if (ck_head(p->terms, y) == CK_INV && depth < 5) {
        s = without_inverse(p, cx, e.to, y, depth);
        if (s == PV_NONE)
          i = f.count;
        break;
      }
    }
  }
  pv_poly_clear(&f);
  ck_id c = find_cond(p, e.to);
  if (c != CK_BAD)
    s = split_on(p, cx, c, e.to, depth, zero_thm);
  if (s == PV_NONE && c == CK_BAD)
    s = leaf(p, cx, e.to, depth);
  return through(p, D, e, s);
}

pv_thm pv_prove_eq(pv *p, pv_ctx cx, ck_id a, ck_id b, uint32_t depth) {
  if (a == b)
    return pv_refl(p, a);
  pv_eqn x = pv_norm(p, cx, a);
  pv_eqn y = pv_norm(p, cx, b);
  pv_thm s = PV_REFL;
  if (x.by == PV_NONE || y.by == PV_NONE)
    return PV_NONE;
  if (x.to != y.to) {
    ck_id D = pv_sub(p, x.to, y.to);
    s = zero_thm(p, cx, D, depth);
    if (s == PV_NONE)
      return PV_NONE;
    s = pv_scaled(p, pv_eq(p, x.to, y.to), p->one, s);
  }
  s = pv_trans(p, pv_trans(p, x.by, s), pv_sym(p, y.by));
  return s;
}

/* a relation other than an equation, by cases where its sides have conditions */
static pv_thm rel_cases(pv *p, pv_ctx cx, ck_id f, uint32_t depth) {
  pv_thm s = pv_follows(p, cx, f);
  ck_id c;
  if (s != PV_NONE || depth > MAX_SPLITS || pv_spent(p))
    return s;
  pv_eqn e = pv_norm(p, cx, pv_sub(p, ck_kid(p->terms, f, 1), ck_kid(p->terms, f, 0)));
  if (e.by == PV_NONE)
    return PV_NONE;
  if ((c = find_cond(p, e.to)) != CK_BAD)
    return split_on(p, cx, c, f, depth, rel_cases);
  s = pv_by_clause(p, cx, f);
  if (s == PV_NONE)
    s = pv_from_zero_below_zero(p, f, pv_lp_contradiction(p, cx));
  if (s == PV_NONE &&
      ((c = pv_clause_cond(p, cx, f)) != CK_BAD || (c = pv_range_cond(p, cx, e.to)) != CK_BAD ||
       (c = fact_cond(p, cx, e.to)) != CK_BAD))
    s = split_on(p, cx, c, f, depth, rel_cases);
  return s;
}

/* a variable that the hypotheses leave two or three values: the condition that it is less than the
 * greatest; CK_BAD: there is none */
static ck_id few_values(pv *p, pv_ctx cx) {
  enum { SPAN = 2 };

  for (pv_ctx h = cx; h != 0; h = CX(p, h).parent) {
    ck_id f = CX(p, h).formula;
    ck_id x;
    ck_id top;
    ck_id less;
    ck_op o = ck_head(p->terms, f);
    if ((o != CK_LE && o != CK_LT) || ck_head(p->terms, x = ck_kid(p->terms, f, 0)) != CK_V ||
        !pv_is_const(p, ck_kid(p->terms, f, 1)) || !ck_is_int(p->terms, f = ck_kid(p->terms, f, 1)))
      continue;
    top = o == CK_LE ? f : pv_const_add(p, f, pv_num(p, -1));
    less = pv_lt(p, x, top);
    if (pv_follows(p, cx, less) != PV_NONE || pv_follows(p, cx, ck_neg(p->terms, less)) != PV_NONE)
      continue;
    if (pv_follows(p, cx, pv_le(p, pv_const_add(p, top, pv_num(p, -SPAN)), x)) != PV_NONE)
      return less;
  }
  return CK_BAD;
}

static pv_thm goal_in(pv *p, pv_ctx cx, ck_id f, uint32_t depth) {
  pv_thm s;
  ck_id c;
  if ((s = pv_by_clause(p, cx, f)) != PV_NONE)
    return s;
  if (ck_head(p->terms, f) == CK_EQ && depth < 6 && (c = fact_cond(p, cx, p->zero)) != CK_BAD) {
    if (depth == 0) { /* conditions in what the indices are said to be: with most of the effort
                         without them, else by cases on them first */
      uint64_t most = p->max_work;
      p->max_work = p->work < most ? p->work + (most - p->work) / 4 * 3 : most;
      s = pv_prove_eq(p, cx, ck_kid(p->terms, f, 0), ck_kid(p->terms, f, 1), depth);
      p->max_work = most;
      if (s != PV_NONE)
        return s;
    }
    return split_on(p, cx, c, f, depth, goal_in);
  }
  if (depth < 6 && (c = few_values(p, cx)) != CK_BAD)
    return split_on(p, cx, c, f, depth, goal_in);
  if (ck_head(p->terms, f) == CK_EQ)
    return pv_prove_eq(p, cx, ck_kid(p->terms, f, 0), ck_kid(p->terms, f, 1), depth);
  return rel_cases(p, cx, f, depth);
}

/* divisibilities among the hypotheses first */
static pv_thm with_quotients(pv *p, pv_ctx cx, ck_id f, uint32_t depth) {
  for (pv_ctx c = cx; c != 0 && depth < 6; c = CX(p, c).parent) {
    ck_id q;
    ck_id nf;
    pv_thm back;
    pv_ctx in = PV_NONE;
    if (ck_head(p->terms, CX(p, c).formula) == CK_EQ &&
        pv_fact_normal(p, cx, CX(p, c).thm, &nf) != PV_NONE && !pv_is_zero(p, nf))
      in = pv_ctx_quotient(p, cx, CX(p, c).thm, &q, &back);
    if (in == PV_NONE)
      continue;
    pv_thm s = with_quotients(p, pv_ctx_derive(p, in), f, depth + 1);
    pv_var_sub v = {q, ck_kid(p->terms, pv_right(p, back), 1)};
    return pv_inst(p, s, &v, 1, NULL, 0, &back, 1);
  }
  return goal_in(p, cx, f, 0);
}

pv_thm pv_prove_goal(pv *p, pv_ctx cx, ck_id f) {
  pv_thm s = pv_ctx_find(p, cx, f);
  if (s != PV_NONE)
    return s;
  p->tightened = 0;
  return ck_head(p->terms, f) == CK_ALL || pv_too_big(p, f)
             ? PV_NONE
             : with_quotients(p, pv_ctx_derive(p, cx), f, 0);
}
