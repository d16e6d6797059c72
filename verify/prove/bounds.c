/* Integer relations from the context: 0 <= f by replacing one variable after the other by a bound
 * that the sign of its coefficient calls for.  Every replacement is one `arith` step; a quotient a
 * div b gets its bounds from the laws of division. */
#include "pv.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_FACTS = 24, MAX_ATOMS = 40 };

static uint32_t nn(pv *p, uint32_t cx, const poly *f, int depth);
static uint32_t nn_term(pv *p, uint32_t cx, ck_id t, int depth);

/* f = c*x + r, with c as large as possible (x may stay in c) */
static void divide_by_atom(pv *p, const poly *f, ck_id x, poly *c, poly *r) {
  poly_init(c);
  poly_init(r);
  for (uint32_t i = 0; i < f->n; i++) {
    const mono *m = &f->m[i];
    uint32_t k = 0;
    while (k < m->n && m->a[k] != x)
      k++;
    if (k == m->n) {
      poly_push(p, r, m->q, m->a, m->n);
      continue;
    }
    ck_id *s = as_malloc((m->n + 1) * sizeof *s);
    uint32_t n = 0;
    for (uint32_t j = 0; j < m->n; j++) {
      if (j != k)
        s[n++] = m->a[j];
    }
    poly_push(p, c, m->q, s, n);
    free(s);
  }
}

/* the strict integer fact a < b as a+1 <= b */
uint32_t tight(pv *p, uint32_t s) {
  ck_id f = thm(p, s);
  ck_id a = ck_kid(p->T, f, 0);
  ck_id b = ck_kid(p->T, f, 1);
  if (ck_head(p->T, f) != CK_LT || !ck_is_int(p->T, a) || !ck_is_int(p->T, b))
    return s;
  return r_int(p, t_rel(p, CK_LE, t_add(p, a, p->one), b), s);
}

static uint32_t add_fact(uint32_t *out, uint32_t n, uint32_t s) {
  if (s != NO && n < MAX_FACTS)
    out[n++] = s;
  return n;
}

/* E where the order s says x <= E, CK_BAD if it says nothing of the kind; E is free of x */
static ck_id upper_of(pv *p, uint32_t s, ck_id x) {
  ck_id f = thm(p, s);
  ck_id e = CK_BAD;
  poly v;
  uint32_t at = NO;
  bool strict = ck_head(p->T, f) == CK_LT;
  poly_init(&v);
  poly_of(p, &v, t_sub(p, ck_kid(p->T, f, 1), ck_kid(p->T, f, 0)));
  for (uint32_t i = 0; i < v.n; i++) {
    if (v.m[i].n == 1 && v.m[i].a[0] == x && v.m[i].q == t_int(p, -1))
      at = i;
  }
  if (at != NO) {
    e = canon(p, t_add(p, x, t_sub(p, poly_term(p, &v), strict ? p->one : p->zero)));
    if (ck_has_var(p->T, e, x) || !ck_is_int(p->T, e))
      e = CK_BAD;
  }
  poly_clear(&v);
  return e;
}

/* an upper bound of a as a polynomial: each variable x with a fact x < E becomes E - 1; sizes with
 * a defining equation are expanded */
static ck_id upper_guess(pv *p, uint32_t cx, ck_id a) {
  for (uint32_t c = cx; c != 0; c = CX(p, c).parent) {
    ck_id f = CX(p, c).formula;
    ck_id x;
    ck_id e = CK_BAD;
    ck_op o = ck_head(p->T, f);
    if ((o != CK_LT && o != CK_EQ && o != CK_LE) || CX(p, c).step == NO)
      continue;
    x = ck_kid(p->T, f, 0);
    if (ck_head(p->T, x) == CK_V && o != CK_LE) {
      e = ck_kid(p->T, f, 1);
      if (o == CK_LT)
        e = t_sub(p, e, p->one);
    } else if (o != CK_EQ && x == p->zero) { /* 0 <= E - x */
      ck_id last = ck_kid(p->T, f, 1);
      poly v;
      poly_init(&v);
      poly_of(p, &v, last);
      for (uint32_t i = 0; i < v.n && e == CK_BAD; i++) {
        if (v.m[i].n == 1 && v.m[i].q == t_int(p, -1) && ck_head(p->T, v.m[i].a[0]) == CK_V &&
            ck_has_var(p->T, a, v.m[i].a[0])) {
          x = v.m[i].a[0];
          e = upper_of(p, CX(p, c).step, x);
        }
      }
      poly_clear(&v);
    }
    if (e == CK_BAD || ck_head(p->T, x) != CK_V || ck_sort(p->T, x) != 'i' ||
        !ck_has_var(p->T, a, x) || ck_has_var(p->T, e, x) || !ck_is_int(p->T, e))
      continue;
    a = canon(p, ck_sub(p->T, a, &x, &e, 1, NULL, 0));
  }
  return a;
}

static ck_id expand_sizes(pv *p, uint32_t cx, ck_id a) {
  for (uint32_t c = cx; c != 0; c = CX(p, c).parent) {
    ck_id f = CX(p, c).formula;
    if (ck_head(p->T, f) != CK_EQ)
      continue;
    ck_id x = ck_kid(p->T, f, 0);
    ck_id e = ck_kid(p->T, f, 1);
    if (ck_head(p->T, x) != CK_V || ck_sort(p->T, x) != 'i' || !ck_has_var(p->T, a, x) ||
        ck_has_var(p->T, e, x) || !ck_is_int(p->T, e))
      continue;
    a = canon(p, ck_sub(p->T, a, &x, &e, 1, NULL, 0));
  }
  return a;
}

/* a / b for a monomial b, CK_BAD if it does not divide */
ck_id poly_quotient(pv *p, ck_id a, ck_id b) {
  poly f;
  poly g;
  poly h;
  ck_id r = CK_BAD;
  poly_init(&f);
  poly_init(&g);
  poly_init(&h);
  poly_of(p, &f, a);
  poly_of(p, &g, b);
  if (g.n == 1) {
    ck_id qi = q_inv(p, g.m[0].q);
    bool ok = true;
    for (uint32_t i = 0; i < f.n && ok; i++) {
      ck_id *s = as_malloc((f.m[i].n + 1) * sizeof *s);
      int k = mono_div(f.m[i].a, f.m[i].n, g.m[0].a, g.m[0].n, s);
      if (k < 0)
        ok = false;
      else
        poly_push(p, &h, q_mul(p, f.m[i].q, qi), s, (uint32_t)k);
      free(s);
    }
    if (ok) {
      r = poly_term(p, &h);
      if (!ck_is_int(p->T, r))
        r = CK_BAD;
    }
  }
  poly_clear(&f);
  poly_clear(&g);
  poly_clear(&h);
  return r;
}

/* what the monomial m equals by the equation f of integers; CK_BAD: f does not have it */
static ck_id solved(pv *p, ck_id f, ck_id m) {
  poly v;
  poly g;
  ck_id r = CK_BAD;
  if (!ck_is_int(p->T, ck_kid(p->T, f, 0)) || !ck_is_int(p->T, ck_kid(p->T, f, 1)))
    return r;
  poly_init(&v);
  poly_init(&g);
  poly_of(p, &v, t_sub(p, ck_kid(p->T, f, 1), ck_kid(p->T, f, 0)));
  poly_of(p, &g, m);
  for (uint32_t i = 0; i < v.n && g.n == 1 && r == CK_BAD; i++) {
    ck_id c;
    if (v.m[i].n != g.m[0].n || memcmp(v.m[i].a, g.m[0].a, g.m[0].n * sizeof *g.m[0].a))
      continue;
    c = q_mul(p, t_int(p, -1), q_inv(p, v.m[i].q)); /* c*v = 0: m = m + c*v */
    if (ck_is_int(p->T, c))
      r = canon(p, t_add(p, m, t_mul(p, c, poly_term(p, &v))));
  }
  poly_clear(&v);
  poly_clear(&g);
  return r;
}

/* c with n = c*b under the equations of the context */
ck_id size_quotient(pv *p, uint32_t cx, ck_id n, ck_id b) {
  enum { FORMS = 8 };

  ck_id c = poly_quotient(p, n, b);
  ck_id form[FORMS];
  uint32_t nf = 0;
  if (c != CK_BAD)
    return c;
  form[nf++] = canon(p, n);
  form[nf++] = expand_sizes(p, cx, n);
  for (uint32_t i = 0; i < nf && c == CK_BAD; i++) {
    c = poly_quotient(p, form[i], b);
    for (uint32_t x = cx; x != 0 && c == CK_BAD; x = CX(p, x).parent) { /* L*T = 64 */
      ck_id f = CX(p, x).formula;
      ck_id other;
      uint32_t j = 0;
      if (ck_head(p->T, f) != CK_EQ || (other = solved(p, f, form[i])) == CK_BAD)
        continue;
      while (j < nf && form[j] != other)
        j++;
      if (j == nf && nf < FORMS)
        form[nf++] = other;
    }
  }
  return c == CK_BAD ? poly_quotient(p, form[1], expand_sizes(p, cx, b)) : c;
}

/* a < c*b for some c, hence a div b < c */
static uint32_t div_upper(pv *p, uint32_t cx, ck_id a, ck_id b, uint32_t bp, int depth) {
  ck_id u = canon(p, t_add(p, upper_guess(p, cx, a), p->one));
  ck_id c = size_quotient(p, cx, u, b);
  if (c == CK_BAD)
    return NO;
  eqn cn = norm(p, cx, c);
  if (cn.s != NO && ck_is_int(p->T, cn.t))
    c = cn.t;
  ck_id cb = t_mul(p, c, b);
  uint32_t d = nn_term(p, cx, t_sub(p, t_sub(p, cb, a), p->one), depth + 1);
  if (d == NO)
    return NO;
  ck_summand m[2] = {{p->one, &d, 1}, {p->one, NULL, 0}};
  uint32_t prem[2] = {r_arith(p, t_rel(p, CK_LT, a, cb), m, 2), bp};
  ck_vsub v[3] = {
      {ck_var(p->T, "a", 'i'), a}, {ck_var(p->T, "b", 'i'), b}, {ck_var(p->T, "c", 'i'), c}};
  return r_lemma(p, L_DIV_HI, v, 3, NULL, 0, prem, 2);
}

static uint32_t div_facts(pv *p, uint32_t cx, ck_id x, int depth, uint32_t *out, uint32_t n) {
  ck_id a = ck_kid(p->T, x, 0);
  ck_id b = ck_kid(p->T, x, 1);
  ck_id ab[2] = {a, b};
  ck_id bx = t_mul(p, b, x);
  uint32_t bp = side(p, cx, t_rel(p, CK_LT, p->zero, b));
  uint32_t a0;
  if (bp == NO)
    return n;
  ck_vsub v[2] = {{ck_var(p->T, "a", 'i'), a}, {ck_var(p->T, "b", 'i'), b}};
  a0 = nn_term(p, cx, a, depth + 1);
  if (a0 != NO) {
    uint32_t prem[2] = {r_same(p, t_rel(p, CK_LE, p->zero, a), a0), bp};
    n = add_fact(out, n, r_lemma(p, L_DIV_LO, v, 2, NULL, 0, prem, 2));
  }
  n = add_fact(out, n, div_upper(p, cx, a, b, bp, depth));
  uint32_t l = r_law(p, "div", ab, 2, bp);
  uint32_t lo = r_law(p, "mod>", ab, 2, bp);
  uint32_t hi = r_law(p, "mod<", ab, 2, bp);
  by s;
  by_start(&s);
  by_add(&s, p->one, lo);
  by_add(&s, t_int(p, -1), l);
  n = add_fact(out, n, by_end(p, &s, t_rel(p, CK_LE, p->zero, t_sub(p, a, bx))));
  by_start(&s);
  by_add(&s, p->one, hi);
  by_add(&s, p->one, l);
  return add_fact(out, n, by_end(p, &s, t_rel(p, CK_LT, t_sub(p, a, bx), b)));
}

/* is x a factor of a summand of t? */
static bool summand_of(pv *p, ck_id t, ck_id x) {
  ck_op o = ck_head(p->T, t);
  return t == x || ((o == CK_ADD || o == CK_MUL) &&
                    (summand_of(p, ck_kid(p->T, t, 0), x) || summand_of(p, ck_kid(p->T, t, 1), x)));
}

/* facts about x: equations first */
static uint32_t facts_of(pv *p, uint32_t cx, ck_id x, int depth, uint32_t *out) {
  uint32_t n = 0;
  for (int eqs = 1; eqs >= 0; eqs--) {
    for (uint32_t c = cx; c != 0; c = CX(p, c).parent) {
      ck_id f = CX(p, c).formula;
      ck_op o = ck_head(p->T, f);
      if ((o == CK_EQ) != (eqs == 1) || (o != CK_EQ && o != CK_LE && o != CK_LT))
        continue;
      if (ck_head(p->T, x) == CK_V
              ? ck_has_var(p->T, f, x)
              : summand_of(p, ck_kid(p->T, f, 0), x) || summand_of(p, ck_kid(p->T, f, 1), x))
        n = add_fact(out, n, CX(p, c).step);
    }
  }
  if (ck_head(p->T, x) == CK_DIV)
    n = div_facts(p, cx, x, depth, out, n);
  if (ck_head(p->T, x) == CK_MOD) {
    ck_id ab[2] = {ck_kid(p->T, x, 0), ck_kid(p->T, x, 1)};
    uint32_t bp = side(p, cx, t_rel(p, CK_LT, p->zero, ab[1]));
    if (bp != NO) {
      n = add_fact(out, n, r_law(p, "mod>", ab, 2, bp));
      n = add_fact(out, n, r_law(p, "mod<", ab, 2, bp));
    }
  }
  return n;
}

/* c divided by the monomial M, into out */
static bool quotient_into(pv *p, const poly *c, const ck_id *M, uint32_t nM, poly *out) {
  poly_init(out);
  for (uint32_t i = 0; i < c->n; i++) {
    ck_id *s = as_malloc((c->m[i].n + 1) * sizeof *s);
    int k = mono_div(c->m[i].a, c->m[i].n, M, nM, s);
    if (k >= 0)
      poly_push(p, out, c->m[i].q, s, (uint32_t)k);
    free(s);
    if (k < 0) {
      poly_clear(out);
      return false;
    }
  }
  return true;
}

/* f = c*x + r, fact s with value v = q*M*x + w: c = c'*M, so f = (c'/q)*v + (r - (c'/q)*w); eq: any
 * sign of c'/q will do */
static uint32_t by_fact(pv *p, uint32_t cx, const poly *f, const poly *c, const poly *r, ck_id x,
                        uint32_t s, int depth) {
  bool eqn_fact = ck_head(p->T, thm(p, s)) == CK_EQ;
  poly v;
  poly c1;
  poly g;
  poly w;
  uint32_t at = 0;
  uint32_t hits = 0;
  uint32_t res = NO;
  s = eqn_fact ? s : tight(p, s);
  if (s == NO)
    return NO;
  ck_id fm = thm(p, s);
  poly_init(&v);
  poly_init(&g);
  poly_init(&w);
  poly_of(p, &v, t_sub(p, ck_kid(p->T, fm, 1), ck_kid(p->T, fm, 0)));
  for (uint32_t i = 0; i < v.n; i++) {
    if (mono_has(&v.m[i], x)) {
      at = i;
      hits++;
    }
  }
  if (hits == 1) {
    mono m = v.m[at];
    ck_id *M = as_malloc((m.n + 1) * sizeof *M);
    int nM = mono_div(m.a, m.n, &x, 1, M);
    bool linear = true;
    for (int i = 0; i < nM; i++) {
      if (M[i] == x)
        linear = false;
    }
    if (linear && quotient_into(p, c, M, (uint32_t)nM, &c1)) {
      ck_id qi = q_inv(p, m.q);
      for (uint32_t i = 0; i < v.n; i++) {
        if (i != at)
          poly_push(p, &w, v.m[i].q, v.m[i].a, v.m[i].n);
      }
      poly_add(p, &g, r, p->one);
      poly d;
      poly_init(&d);
      poly_add(p, &d, &c1, qi); /* c'/q */
      for (uint32_t i = 0; i < w.n; i++) {
        poly t;
        poly_init(&t);
        poly_mul_mono(p, &t, &d, w.m[i].q, w.m[i].a, w.m[i].n);
        poly_add(p, &g, &t, t_int(p, -1));
        poly_clear(&t);
      }
      bool cst = d.n == 0 || (d.n == 1 && d.m[0].n == 0);
      uint32_t sign = REFL;
      if (!eqn_fact)
        sign = cst ? (d.n == 0 || q_sgn(p, d.m[0].q) >= 0 ? REFL : NO) : nn(p, cx, &d, depth + 1);
      uint32_t rest = sign == NO ? NO : nn(p, cx, &g, depth + 1);
      if (rest != NO) {
        by b;
        by_start(&b);
        by_add(&b, p->one, rest);
        if (eqn_fact || cst)
          by_add(&b, poly_term(p, &d), s);
        else
          by_add2(&b, p->one, sign, s);
        res = by_end(p, &b, t_rel(p, CK_LE, p->zero, poly_term(p, f)));
      }
      poly_clear(&d);
      poly_clear(&c1);
    }
    free(M);
  }
  poly_clear(&v);
  poly_clear(&g);
  poly_clear(&w);
  return res;
}

static bool inside_other(pv *p, const ck_id *atoms, uint32_t n, ck_id x) {
  if (ck_head(p->T, x) != CK_V)
    return false;
  for (uint32_t i = 0; i < n; i++) {
    if (atoms[i] != x && ck_has_var(p->T, atoms[i], x))
      return true;
  }
  return false;
}

static uint32_t nn_search(pv *p, uint32_t cx, const poly *f, int depth) {
  ck_id atoms[MAX_ATOMS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->n; i++) {
    for (uint32_t j = 0; j < f->m[i].n; j++) {
      uint32_t k = 0;
      while (k < n && atoms[k] != f->m[i].a[j])
        k++;
      if (k == n && n < MAX_ATOMS)
        atoms[n++] = f->m[i].a[j];
    }
  }
  for (uint32_t i = 1; i < n; i++) /* innermost counters first */
  {
    for (uint32_t j = i; j > 0 && t_cmp(p, atoms[j - 1], atoms[j]) > 0; j--) {
      ck_id x = atoms[j];
      atoms[j] = atoms[j - 1];
      atoms[j - 1] = x;
    }
  }
  for (int pass = 0; pass < 3;
       pass++) /* prover's counters, then quotients, then the other variables */
  {
    for (uint32_t i = n; i-- > 0;) {
      ck_id x = atoms[i];
      ck_op o = ck_head(p->T, x);
      uint32_t fact[MAX_FACTS];
      uint32_t nf;
      poly c;
      poly r;
      int kind = o == CK_V ? (!strncmp(ck_word_text(p->T, ck_name(p->T, x)), "$$", 2) ? 0 : 2) : 1;
      if (kind != pass || inside_other(p, atoms, n, x))
        continue;
      nf = facts_of(p, cx, x, depth, fact);
      divide_by_atom(p, f, x, &c, &r);
      uint32_t res = NO;
      for (uint32_t k = 0; k < nf && res == NO && p->fuel; k++)
        res = by_fact(p, cx, f, &c, &r, x, fact[k], depth);
      poly_clear(&c);
      poly_clear(&r);
      if (res != NO || !p->fuel)
        return res;
    }
  }
  return NO;
}

/* 0 <= f as `0 <= canonical term of f` */
static uint32_t nn(pv *p, uint32_t cx, const poly *f, int depth) {
  uint64_t v;
  ck_id t = poly_term(p, f);
  ck_id goal = t_rel(p, CK_LE, p->zero, t);
  if (f->n == 0 || (f->n == 1 && f->m[0].n == 0))
    return r_const(p, goal);
  if (depth > 12 || !p->fuel) {
    p->cut = true;
    return NO;
  }
  p->fuel--;
  uint32_t s = cx_find(p, cx, goal);
  if (s != NO)
    return s;
  if (map_get(&p->rel_memo, ((uint64_t)cx << 32) | goal, 3, &v)) {
    if (v == NO - 2) {
      p->cut = true;
      return NO;
    }
    return (uint32_t)v;
  }
  map_put(&p->rel_memo, ((uint64_t)cx << 32) | goal, 3, NO - 2); /* being asked */
  bool cut = p->cut;
  p->cut = false;
  s = nn_search(p, cx, f, depth);
  map_put(&p->rel_memo, ((uint64_t)cx << 32) | goal, 3, s);
  p->cut = s == NO && (cut || p->cut);
  if (s != NO)
    p->cut = cut;
  return s;
}

static uint32_t nn_term(pv *p, uint32_t cx, ck_id t, int depth) {
  poly f;
  poly_init(&f);
  poly_of(p, &f, t);
  uint32_t s = nn(p, cx, &f, depth);
  poly_clear(&f);
  return s;
}

/* f as 0 <= v or 0 <= v-1 */
uint32_t side_int(pv *p, uint32_t cx, ck_id f) {
  return side_int_within(p, cx, f, 32);
}

uint32_t side_int_within(pv *p, uint32_t cx, ck_id f, uint32_t effort) {
  ck_op o = ck_head(p->T, f);
  ck_id a = ck_kid(p->T, f, 0);
  ck_id b = ck_kid(p->T, f, 1);
  ck_id d = t_sub(p, b, a);
  uint32_t fuel = p->fuel;
  uint32_t s = NO;
  if (p->fuel < effort / 4)
    p->fuel = effort;
  if (o == CK_LE) {
    s = r_same(p, f, nn_term(p, cx, d, 0));
  } else if (o == CK_LT) {
    uint32_t u = nn_term(p, cx, t_sub(p, d, p->one), 0);
    ck_summand m[2] = {{p->one, &u, 1}, {p->one, NULL, 0}};
    if (u != NO)
      s = r_arith(p, f, m, 2);
  } else if (o == CK_NE) {
    for (int i = 0; i < 2 && s == NO; i++) {
      ck_id g = t_rel(p, CK_LT, i ? b : a, i ? a : b);
      uint32_t u = side_int(p, cx, g);
      if (u != NO)
        s = r_arith1(p, f, i ? t_int(p, -1) : p->one, u);
    }
  } else if (o == CK_EQ) {
    ck_id z = canon(p, d);
    if (z == p->zero) {
      s = r_arith0(p, f);
    } else {
      eqn e = norm(p, cx, d);
      if (e.t == p->zero && e.s != NO)
        s = e.s == REFL ? r_arith0(p, f) : r_arith1(p, f, t_int(p, -1), e.s);
      if (s == NO) {
        uint32_t x = nn_term(p, cx, d, 0);
        uint32_t y = x == NO ? NO : nn_term(p, cx, t_neg(p, d), 0);
        s = r_antisym(p, r_same(p, t_rel(p, CK_LE, a, b), x), r_same(p, t_rel(p, CK_LE, b, a), y));
      }
    }
  }
  p->fuel = fuel;
  return s;
}
