/* Integer relations from the context: 0 <= f by replacing one variable after the other by a bound
 * that the sign of its coefficient calls for.  Every replacement is one `arith` step; a quotient a
 * div b gets its bounds from the laws of division. */
#include "pv_norm.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_FACTS = 24, MAX_ATOMS = 40 };

static pv_thm nn(pv *p, pv_ctx cx, const pv_poly *f, int depth);
static pv_thm nn_term(pv *p, pv_ctx cx, ck_id t, int depth);

/* f = c*x + r, with c as large as possible (x may stay in c) */
static void divide_by_atom(pv *p, const pv_poly *f, ck_id x, pv_poly *c, pv_poly *r) {
  pv_poly_init(c);
  pv_poly_init(r);
  for (uint32_t i = 0; i < f->count; i++) {
    const pv_mono *m = &f->monos[i];
    uint32_t k = 0;
    while (k < m->degree && m->atoms[k] != x)
      k++;
    if (k == m->degree) {
      pv_poly_add_mono(p, r, m->coef, m->atoms, m->degree);
      continue;
    }
    ck_id *s = as_malloc((m->degree + 1) * sizeof *s);
    uint32_t n = 0;
    for (uint32_t j = 0; j < m->degree; j++) {
      if (j != k)
        s[n++] = m->atoms[j];
    }
    pv_poly_add_mono(p, c, m->coef, s, n);
    free(s);
  }
}

/* the strict integer fact a < b as a+1 <= b */
pv_thm pv_tighten(pv *p, pv_thm s) {
  ck_id f = pv_says(p, s);
  ck_id a = ck_kid(p->terms, f, 0);
  ck_id b = ck_kid(p->terms, f, 1);
  if (ck_head(p->terms, f) != CK_LT || !ck_is_int(p->terms, a) || !ck_is_int(p->terms, b))
    return s;
  return pv_int(p, pv_le(p, pv_add(p, a, p->one), b), s);
}

static uint32_t add_fact(pv_thm *out, uint32_t n, pv_thm s) {
  if (s != PV_NONE && n < MAX_FACTS)
    out[n++] = s;
  return n;
}

/* E where the order s says x <= E, CK_BAD if it says nothing of the kind; E is free of x */
static ck_id upper_of(pv *p, pv_thm s, ck_id x) {
  ck_id f = pv_says(p, s);
  ck_id e = CK_BAD;
  pv_poly v;
  uint32_t at = PV_NONE;
  bool strict = ck_head(p->terms, f) == CK_LT;
  pv_poly_init(&v);
  pv_poly_read(p, &v, pv_sub(p, ck_kid(p->terms, f, 1), ck_kid(p->terms, f, 0)));
  for (uint32_t i = 0; i < v.count; i++) {
    if (v.monos[i].degree == 1 && v.monos[i].atoms[0] == x && v.monos[i].coef == pv_num(p, -1))
      at = i;
  }
  if (at != PV_NONE) {
    e = pv_canon(p, pv_add(p, x, pv_sub(p, pv_poly_term(p, &v), strict ? p->one : p->zero)));
    if (ck_has_var(p->terms, e, x) || !ck_is_int(p->terms, e))
      e = CK_BAD;
  }
  pv_poly_clear(&v);
  return e;
}

/* an upper bound of a as a polynomial: each variable x with a fact x < E becomes E - 1; sizes with
 * a defining equation are expanded */
static ck_id upper_guess(pv *p, pv_ctx cx, ck_id a) {
  for (pv_ctx c = cx; c != 0; c = CX(p, c).parent) {
    ck_id f = CX(p, c).formula;
    ck_id x;
    ck_id e = CK_BAD;
    ck_op o = ck_head(p->terms, f);
    if ((o != CK_LT && o != CK_EQ && o != CK_LE) || CX(p, c).thm == PV_NONE)
      continue;
    x = ck_kid(p->terms, f, 0);
    if (ck_head(p->terms, x) == CK_V && o != CK_LE) {
      e = ck_kid(p->terms, f, 1);
      if (o == CK_LT)
        e = pv_sub(p, e, p->one);
    } else if (o != CK_EQ && x == p->zero) { /* 0 <= E - x */
      ck_id last = ck_kid(p->terms, f, 1);
      pv_poly v;
      pv_poly_init(&v);
      pv_poly_read(p, &v, last);
      for (uint32_t i = 0; i < v.count && e == CK_BAD; i++) {
        if (v.monos[i].degree == 1 && v.monos[i].coef == pv_num(p, -1) &&
            ck_head(p->terms, v.monos[i].atoms[0]) == CK_V &&
            ck_has_var(p->terms, a, v.monos[i].atoms[0])) {
          x = v.monos[i].atoms[0];
          e = upper_of(p, CX(p, c).thm, x);
        }
      }
      pv_poly_clear(&v);
    }
    if (e == CK_BAD || ck_head(p->terms, x) != CK_V || ck_sort(p->terms, x) != 'i' ||
        !ck_has_var(p->terms, a, x) || ck_has_var(p->terms, e, x) || !ck_is_int(p->terms, e))
      continue;
    a = pv_canon(p, ck_sub(p->terms, a, &x, &e, 1, NULL, 0));
  }
  return a;
}

static ck_id expand_sizes(pv *p, pv_ctx cx, ck_id a) {
  for (pv_ctx c = cx; c != 0; c = CX(p, c).parent) {
    ck_id f = CX(p, c).formula;
    if (ck_head(p->terms, f) != CK_EQ)
      continue;
    ck_id x = ck_kid(p->terms, f, 0);
    ck_id e = ck_kid(p->terms, f, 1);
    if (ck_head(p->terms, x) != CK_V || ck_sort(p->terms, x) != 'i' ||
        !ck_has_var(p->terms, a, x) || ck_has_var(p->terms, e, x) || !ck_is_int(p->terms, e))
      continue;
    a = pv_canon(p, ck_sub(p->terms, a, &x, &e, 1, NULL, 0));
  }
  return a;
}

/* a / b for a monomial b, CK_BAD if it does not divide */
ck_id pv_poly_quotient(pv *p, ck_id a, ck_id b) {
  pv_poly f;
  pv_poly g;
  pv_poly h;
  ck_id r = CK_BAD;
  pv_poly_init(&f);
  pv_poly_init(&g);
  pv_poly_init(&h);
  pv_poly_read(p, &f, a);
  pv_poly_read(p, &g, b);
  if (g.count == 1) {
    ck_id qi = pv_const_inv(p, g.monos[0].coef);
    bool ok = true;
    for (uint32_t i = 0; i < f.count && ok; i++) {
      ck_id *s = as_malloc((f.monos[i].degree + 1) * sizeof *s);
      int k =
          pv_mono_div(f.monos[i].atoms, f.monos[i].degree, g.monos[0].atoms, g.monos[0].degree, s);
      if (k < 0)
        ok = false;
      else
        pv_poly_add_mono(p, &h, pv_const_mul(p, f.monos[i].coef, qi), s, (uint32_t)k);
      free(s);
    }
    if (ok) {
      r = pv_poly_term(p, &h);
      if (!ck_is_int(p->terms, r))
        r = CK_BAD;
    }
  }
  pv_poly_clear(&f);
  pv_poly_clear(&g);
  pv_poly_clear(&h);
  return r;
}

/* what the monomial m equals by the equation f of integers; CK_BAD: f does not have it */
static ck_id solved(pv *p, ck_id f, ck_id m) {
  pv_poly v;
  pv_poly g;
  ck_id r = CK_BAD;
  if (!ck_is_int(p->terms, ck_kid(p->terms, f, 0)) || !ck_is_int(p->terms, ck_kid(p->terms, f, 1)))
    return r;
  pv_poly_init(&v);
  pv_poly_init(&g);
  pv_poly_read(p, &v, pv_sub(p, ck_kid(p->terms, f, 1), ck_kid(p->terms, f, 0)));
  pv_poly_read(p, &g, m);
  for (uint32_t i = 0; i < v.count && g.count == 1 && r == CK_BAD; i++) {
    ck_id c;
    if (v.monos[i].degree != g.monos[0].degree ||
        memcmp(v.monos[i].atoms, g.monos[0].atoms, g.monos[0].degree * sizeof *g.monos[0].atoms))
      continue;
    c = pv_const_mul(p, pv_num(p, -1), pv_const_inv(p, v.monos[i].coef)); /* c*v = 0: m = m + c*v */
    if (ck_is_int(p->terms, c))
      r = pv_canon(p, pv_add(p, m, pv_mul(p, c, pv_poly_term(p, &v))));
  }
  pv_poly_clear(&v);
  pv_poly_clear(&g);
  return r;
}

/* c with n = c*b under the equations of the context */
ck_id pv_size_quotient(pv *p, pv_ctx cx, ck_id n, ck_id b) {
  enum { FORMS = 8 };

  ck_id c = pv_poly_quotient(p, n, b);
  ck_id form[FORMS];
  uint32_t nf = 0;
  if (c != CK_BAD)
    return c;
  form[nf++] = pv_canon(p, n);
  form[nf++] = expand_sizes(p, cx, n);
  for (uint32_t i = 0; i < nf && c == CK_BAD; i++) {
    c = pv_poly_quotient(p, form[i], b);
    for (pv_ctx x = cx; x != 0 && c == CK_BAD; x = CX(p, x).parent) { /* L*T = 64 */
      ck_id f = CX(p, x).formula;
      ck_id other;
      uint32_t j = 0;
      if (ck_head(p->terms, f) != CK_EQ || (other = solved(p, f, form[i])) == CK_BAD)
        continue;
      while (j < nf && form[j] != other)
        j++;
      if (j == nf && nf < FORMS)
        form[nf++] = other;
    }
  }
  return c == CK_BAD ? pv_poly_quotient(p, form[1], expand_sizes(p, cx, b)) : c;
}

/* a < c*b for some c, hence a div b < c */
static pv_thm div_upper(pv *p, pv_ctx cx, ck_id a, ck_id b, pv_thm bp, int depth) {
  ck_id u = pv_canon(p, pv_add(p, upper_guess(p, cx, a), p->one));
  ck_id c = pv_size_quotient(p, cx, u, b);
  if (c == CK_BAD)
    return PV_NONE;
  pv_eqn cn = pv_norm(p, cx, c);
  if (cn.by != PV_NONE && ck_is_int(p->terms, cn.to))
    c = cn.to;
  ck_id cb = pv_mul(p, c, b);
  pv_thm d = nn_term(p, cx, pv_sub(p, pv_sub(p, cb, a), p->one), depth + 1);
  if (d == PV_NONE)
    return PV_NONE;
  pv_summand m[2] = {{p->one, &d, 1}, {p->one, NULL, 0}};
  pv_thm prem[2] = {pv_arith(p, pv_lt(p, a, cb), m, 2), bp};
  pv_var_sub v[3] = {{pv_int_var(p, "a"), a}, {pv_int_var(p, "b"), b}, {pv_int_var(p, "c"), c}};
  return pv_use_lemma(p, PV_DIV_HI, v, 3, NULL, 0, prem, 2);
}

static uint32_t div_facts(pv *p, pv_ctx cx, ck_id x, int depth, pv_thm *out, uint32_t n) {
  ck_id a = ck_kid(p->terms, x, 0);
  ck_id b = ck_kid(p->terms, x, 1);
  ck_id ab[2] = {a, b};
  ck_id bx = pv_mul(p, b, x);
  pv_thm bp = pv_follows(p, cx, pv_gt0(p, b));
  pv_thm a0;
  if (bp == PV_NONE)
    return n;
  pv_var_sub v[2] = {{pv_int_var(p, "a"), a}, {pv_int_var(p, "b"), b}};
  a0 = nn_term(p, cx, a, depth + 1);
  if (a0 != PV_NONE) {
    pv_thm prem[2] = {pv_restate(p, pv_ge0(p, a), a0), bp};
    n = add_fact(out, n, pv_use_lemma(p, PV_DIV_LO, v, 2, NULL, 0, prem, 2));
  }
  n = add_fact(out, n, div_upper(p, cx, a, b, bp, depth));
  pv_thm l = pv_law(p, "div", ab, 2, bp);
  pv_thm lo = pv_law(p, "mod>", ab, 2, bp);
  pv_thm hi = pv_law(p, "mod<", ab, 2, bp);
  pv_comb s;
  pv_comb_init(&s);
  pv_comb_add(&s, p->one, lo);
  pv_comb_add(&s, pv_num(p, -1), l);
  n = add_fact(out, n, pv_comb_prove(p, &s, pv_ge0(p, pv_sub(p, a, bx))));
  pv_comb_init(&s);
  pv_comb_add(&s, p->one, hi);
  pv_comb_add(&s, p->one, l);
  return add_fact(out, n, pv_comb_prove(p, &s, pv_lt(p, pv_sub(p, a, bx), b)));
}

/* is x a factor of a summand of t? */
static bool summand_of(pv *p, ck_id t, ck_id x) {
  ck_op o = ck_head(p->terms, t);
  return t == x || ((o == CK_ADD || o == CK_MUL) && (summand_of(p, ck_kid(p->terms, t, 0), x) ||
                                                     summand_of(p, ck_kid(p->terms, t, 1), x)));
}

/* facts about x: equations first */
static uint32_t facts_of(pv *p, pv_ctx cx, ck_id x, int depth, pv_thm *out) {
  uint32_t n = 0;
  for (int eqs = 1; eqs >= 0; eqs--) {
    for (pv_ctx c = cx; c != 0; c = CX(p, c).parent) {
      ck_id f = CX(p, c).formula;
      ck_op o = ck_head(p->terms, f);
      if ((o == CK_EQ) != (eqs == 1) || (o != CK_EQ && o != CK_LE && o != CK_LT))
        continue;
      if (ck_head(p->terms, x) == CK_V ? ck_has_var(p->terms, f, x)
                                       : summand_of(p, ck_kid(p->terms, f, 0), x) ||
                                             summand_of(p, ck_kid(p->terms, f, 1), x))
        n = add_fact(out, n, CX(p, c).thm);
    }
  }
  if (ck_head(p->terms, x) == CK_DIV)
    n = div_facts(p, cx, x, depth, out, n);
  if (ck_head(p->terms, x) == CK_MOD) {
    ck_id ab[2] = {ck_kid(p->terms, x, 0), ck_kid(p->terms, x, 1)};
    pv_thm bp = pv_follows(p, cx, pv_gt0(p, ab[1]));
    if (bp != PV_NONE) {
      n = add_fact(out, n, pv_law(p, "mod>", ab, 2, bp));
      n = add_fact(out, n, pv_law(p, "mod<", ab, 2, bp));
    }
  }
  return n;
}

/* c divided by the monomial M, into out */
static bool quotient_into(pv *p, const pv_poly *c, const ck_id *M, uint32_t nM, pv_poly *out) {
  pv_poly_init(out);
  for (uint32_t i = 0; i < c->count; i++) {
    ck_id *s = as_malloc((c->monos[i].degree + 1) * sizeof *s);
    int k = pv_mono_div(c->monos[i].atoms, c->monos[i].degree, M, nM, s);
    if (k >= 0)
      pv_poly_add_mono(p, out, c->monos[i].coef, s, (uint32_t)k);
    free(s);
    if (k < 0) {
      pv_poly_clear(out);
      return false;
    }
  }
  return true;
}

/* f = c*x + r, fact s with value v = q*M*x + w: c = c'*M, so f = (c'/q)*v + (r - (c'/q)*w); eq: any
 * sign of c'/q will do */
static pv_thm by_fact(pv *p, pv_ctx cx, const pv_poly *f, const pv_poly *c, const pv_poly *r,
                      ck_id x, pv_thm s, int depth) {
  bool eqn_fact = ck_head(p->terms, pv_says(p, s)) == CK_EQ;
  pv_poly v;
  pv_poly c1;
  pv_poly g;
  pv_poly w;
  uint32_t at = 0;
  uint32_t hits = 0;
  pv_thm res = PV_NONE;
  s = eqn_fact ? s : pv_tighten(p, s);
  if (s == PV_NONE)
    return PV_NONE;
  ck_id fm = pv_says(p, s);
  pv_poly_init(&v);
  pv_poly_init(&g);
  pv_poly_init(&w);
  pv_poly_read(p, &v, pv_sub(p, ck_kid(p->terms, fm, 1), ck_kid(p->terms, fm, 0)));
  for (uint32_t i = 0; i < v.count; i++) {
    if (pv_mono_has(&v.monos[i], x)) {
      at = i;
      hits++;
    }
  }
  if (hits == 1) {
    pv_mono m = v.monos[at];
    ck_id *M = as_malloc((m.degree + 1) * sizeof *M);
    int nM = pv_mono_div(m.atoms, m.degree, &x, 1, M);
    bool linear = true;
    for (int i = 0; i < nM; i++) {
      if (M[i] == x)
        linear = false;
    }
    if (linear && quotient_into(p, c, M, (uint32_t)nM, &c1)) {
      ck_id qi = pv_const_inv(p, m.coef);
      for (uint32_t i = 0; i < v.count; i++) {
        if (i != at)
          pv_poly_add_mono(p, &w, v.monos[i].coef, v.monos[i].atoms, v.monos[i].degree);
      }
      pv_poly_add(p, &g, r, p->one);
      pv_poly d;
      pv_poly_init(&d);
      pv_poly_add(p, &d, &c1, qi); /* c'/q */
      for (uint32_t i = 0; i < w.count; i++) {
        pv_poly t;
        pv_poly_init(&t);
        pv_poly_mul_mono(p, &t, &d, w.monos[i].coef, w.monos[i].atoms, w.monos[i].degree);
        pv_poly_add(p, &g, &t, pv_num(p, -1));
        pv_poly_clear(&t);
      }
      bool cst = d.count == 0 || (d.count == 1 && d.monos[0].degree == 0);
      pv_thm sign = PV_REFL;
      if (!eqn_fact)
        sign = cst ? (d.count == 0 || pv_const_sign(p, d.monos[0].coef) >= 0 ? PV_REFL : PV_NONE)
                   : nn(p, cx, &d, depth + 1);
      pv_thm rest = sign == PV_NONE ? PV_NONE : nn(p, cx, &g, depth + 1);
      if (rest != PV_NONE) {
        pv_comb b;
        pv_comb_init(&b);
        pv_comb_add(&b, p->one, rest);
        if (eqn_fact || cst)
          pv_comb_add(&b, pv_poly_term(p, &d), s);
        else
          pv_comb_add_product(&b, p->one, sign, s);
        res = pv_comb_prove(p, &b, pv_ge0(p, pv_poly_term(p, f)));
      }
      pv_poly_clear(&d);
      pv_poly_clear(&c1);
    }
    free(M);
  }
  pv_poly_clear(&v);
  pv_poly_clear(&g);
  pv_poly_clear(&w);
  return res;
}

static bool inside_other(pv *p, const ck_id *atoms, uint32_t n, ck_id x) {
  if (ck_head(p->terms, x) != CK_V)
    return false;
  for (uint32_t i = 0; i < n; i++) {
    if (atoms[i] != x && ck_has_var(p->terms, atoms[i], x))
      return true;
  }
  return false;
}

static pv_thm nn_search(pv *p, pv_ctx cx, const pv_poly *f, int depth) {
  ck_id atoms[MAX_ATOMS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    for (uint32_t j = 0; j < f->monos[i].degree; j++) {
      uint32_t k = 0;
      while (k < n && atoms[k] != f->monos[i].atoms[j])
        k++;
      if (k == n && n < MAX_ATOMS)
        atoms[n++] = f->monos[i].atoms[j];
    }
  }
  for (uint32_t i = 1; i < n; i++) /* innermost counters first */
  {
    for (uint32_t j = i; j > 0 && pv_order(p, atoms[j - 1], atoms[j]) > 0; j--) {
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
      ck_op o = ck_head(p->terms, x);
      pv_thm fact[MAX_FACTS];
      uint32_t nf;
      pv_poly c;
      pv_poly r;
      int kind =
          o == CK_V ? (!strncmp(ck_word_text(p->terms, ck_name(p->terms, x)), "$$", 2) ? 0 : 2) : 1;
      if (kind != pass || inside_other(p, atoms, n, x))
        continue;
      nf = facts_of(p, cx, x, depth, fact);
      divide_by_atom(p, f, x, &c, &r);
      pv_thm res = PV_NONE;
      for (uint32_t k = 0; k < nf && res == PV_NONE && p->fuel; k++)
        res = by_fact(p, cx, f, &c, &r, x, fact[k], depth);
      pv_poly_clear(&c);
      pv_poly_clear(&r);
      if (res != PV_NONE || !p->fuel)
        return res;
    }
  }
  return PV_NONE;
}

/* 0 <= f as `0 <= canonical term of f` */
static pv_thm nn(pv *p, pv_ctx cx, const pv_poly *f, int depth) {
  uint64_t v;
  ck_id t = pv_poly_term(p, f);
  ck_id goal = pv_ge0(p, t);
  if (f->count == 0 || (f->count == 1 && f->monos[0].degree == 0))
    return pv_by_value(p, goal);
  if (depth > 12 || !p->fuel) {
    p->cut = true;
    return PV_NONE;
  }
  p->fuel--;
  pv_thm s = pv_ctx_find(p, cx, goal);
  if (s != PV_NONE)
    return s;
  if (as_map_get(&p->rel_memo, AS_KEY(((uint64_t)cx << 32) | goal, 3), &v)) {
    if (v == PV_NONE - 2) {
      p->cut = true;
      return PV_NONE;
    }
    return (uint32_t)v;
  }
  as_map_put(&p->rel_memo, AS_KEY(((uint64_t)cx << 32) | goal, 3), PV_NONE - 2); /* being asked */
  bool cut = p->cut;
  p->cut = false;
  s = nn_search(p, cx, f, depth);
  as_map_put(&p->rel_memo, AS_KEY(((uint64_t)cx << 32) | goal, 3), s);
  p->cut = s == PV_NONE && (cut || p->cut);
  if (s != PV_NONE)
    p->cut = cut;
  return s;
}

static pv_thm nn_term(pv *p, pv_ctx cx, ck_id t, int depth) {
  pv_poly f;
  pv_poly_init(&f);
  pv_poly_read(p, &f, t);
  pv_thm s = nn(p, cx, &f, depth);
  pv_poly_clear(&f);
  return s;
}

/* f as 0 <= v or 0 <= v-1 */
pv_thm pv_follows_int(pv *p, pv_ctx cx, ck_id f) {
  return pv_follows_int_within(p, cx, f, 32);
}

pv_thm pv_follows_int_within(pv *p, pv_ctx cx, ck_id f, uint32_t effort) {
  ck_op o = ck_head(p->terms, f);
  ck_id a = ck_kid(p->terms, f, 0);
  ck_id b = ck_kid(p->terms, f, 1);
  ck_id d = pv_sub(p, b, a);
  uint32_t fuel = p->fuel;
  pv_thm s = PV_NONE;
  if (p->fuel < effort / 4)
    p->fuel = effort;
  if (o == CK_LE) {
    s = pv_restate(p, f, nn_term(p, cx, d, 0));
  } else if (o == CK_LT) {
    pv_thm u = nn_term(p, cx, pv_sub(p, d, p->one), 0);
    pv_summand m[2] = {{p->one, &u, 1}, {p->one, NULL, 0}};
    if (u != PV_NONE)
      s = pv_arith(p, f, m, 2);
  } else if (o == CK_NE) {
    for (int i = 0; i < 2 && s == PV_NONE; i++) {
      ck_id g = pv_lt(p, i ? b : a, i ? a : b);
      pv_thm u = pv_follows_int(p, cx, g);
      if (u != PV_NONE)
        s = pv_scaled(p, f, i ? pv_num(p, -1) : p->one, u);
    }
  } else if (o == CK_EQ) {
    ck_id z = pv_canon(p, d);
    if (z == p->zero) {
      s = pv_identity(p, f);
    } else {
      pv_eqn e = pv_norm(p, cx, d);
      if (e.to == p->zero && e.by != PV_NONE)
        s = e.by == PV_REFL ? pv_identity(p, f) : pv_scaled(p, f, pv_num(p, -1), e.by);
      if (s == PV_NONE) {
        pv_thm x = nn_term(p, cx, d, 0);
        pv_thm y = x == PV_NONE ? PV_NONE : nn_term(p, cx, pv_neg(p, d), 0);
        s = pv_antisym(p, pv_restate(p, pv_le(p, a, b), x), pv_restate(p, pv_le(p, b, a), y));
      }
    }
  }
  p->fuel = fuel;
  return s;
}
