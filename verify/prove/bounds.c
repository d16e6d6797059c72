/* Integer relations from the context: 0 <= f by replacing one variable after the other by a bound
 * that the sign of its coefficient calls for.  Every replacement is one `arith` step; a quotient a
 * div b gets its bounds from the laws of division. */
#include "pv_norm.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_FACTS = 24, MAX_ATOMS = 40 };

static pv_thm nn(pv *prover, pv_ctx ctx, const pv_poly *poly, int depth);
static pv_thm nn_term(pv *prover, pv_ctx ctx, ck_id term, int depth);

/* f = c*x + r, with c as large as possible (x may stay in c) */
static void divide_by_atom(pv *prover, const pv_poly *poly, ck_id x, pv_poly *c, pv_poly *rest) {
  pv_poly_init(c);
  pv_poly_init(rest);
  for (uint32_t i = 0; i < poly->count; i++) {
    const pv_mono *mono = &poly->monos[i];
    uint32_t k = 0;
    while (k < mono->degree && mono->atoms[k] != x)
      k++;
    if (k == mono->degree) {
      pv_poly_add_mono(prover, rest, mono->coef, mono->atoms, mono->degree);
      continue;
    }
    ck_id *s = as_malloc((mono->degree + 1) * sizeof *s);
    uint32_t n = 0;
    for (uint32_t j = 0; j < mono->degree; j++) {
      if (j != k)
        s[n++] = mono->atoms[j];
    }
    pv_poly_add_mono(prover, c, mono->coef, s, n);
    free(s);
  }
}

/* the strict integer fact a < b as a+1 <= b */
pv_thm pv_tighten(pv *prover, pv_thm thm) {
  ck_id formula = pv_says(prover, thm);
  ck_id a = ck_kid(prover->terms, formula, 0);
  ck_id b = ck_kid(prover->terms, formula, 1);
  if (ck_head(prover->terms, formula) != CK_LT || !ck_is_int(prover->terms, a) ||
      !ck_is_int(prover->terms, b))
    return thm;
  return pv_int(prover, pv_le(prover, pv_add(prover, a, prover->one), b), thm);
}

static uint32_t add_fact(pv_thm *out, uint32_t n, pv_thm thm) {
  if (thm != PV_NONE && n < MAX_FACTS)
    out[n++] = thm;
  return n;
}

/* E where the order s says x <= E, CK_BAD if it says nothing of the kind; E is free of x */
static ck_id upper_of(pv *prover, pv_thm thm, ck_id x) {
  ck_id formula = pv_says(prover, thm);
  ck_id e = CK_BAD;
  pv_poly value;
  uint32_t at = PV_NONE;
  bool strict = ck_head(prover->terms, formula) == CK_LT;
  pv_poly_init(&value);
  pv_poly_read(
      prover, &value,
      pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0)));
  for (uint32_t i = 0; i < value.count; i++) {
    if (value.monos[i].degree == 1 && value.monos[i].atoms[0] == x &&
        value.monos[i].coef == pv_num(prover, -1))
      at = i;
  }
  if (at != PV_NONE) {
    e = pv_canon(prover, pv_add(prover, x,
                                pv_sub(prover, pv_poly_term(prover, &value),
                                       strict ? prover->one : prover->zero)));
    if (ck_has_var(prover->terms, e, x) || !ck_is_int(prover->terms, e))
      e = CK_BAD;
  }
  pv_poly_clear(&value);
  return e;
}

/* an upper bound of a as a polynomial: each variable x with a fact x < E becomes E - 1; sizes with
 * a defining equation are expanded */
static ck_id upper_guess(pv *prover, pv_ctx ctx, ck_id a) {
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    ck_id x;
    ck_id e = CK_BAD;
    ck_op head = ck_head(prover->terms, formula);
    if ((head != CK_LT && head != CK_EQ && head != CK_LE) || pv_at(prover, link)->thm == PV_NONE)
      continue;
    x = ck_kid(prover->terms, formula, 0);
    if (ck_head(prover->terms, x) == CK_V && head != CK_LE) {
      e = ck_kid(prover->terms, formula, 1);
      if (head == CK_LT)
        e = pv_sub(prover, e, prover->one);
    } else if (head != CK_EQ && x == prover->zero) { /* 0 <= E - x */
      ck_id last = ck_kid(prover->terms, formula, 1);
      pv_poly value;
      pv_poly_init(&value);
      pv_poly_read(prover, &value, last);
      for (uint32_t i = 0; i < value.count && e == CK_BAD; i++) {
        if (value.monos[i].degree == 1 && value.monos[i].coef == pv_num(prover, -1) &&
            ck_head(prover->terms, value.monos[i].atoms[0]) == CK_V &&
            ck_has_var(prover->terms, a, value.monos[i].atoms[0])) {
          x = value.monos[i].atoms[0];
          e = upper_of(prover, pv_at(prover, link)->thm, x);
        }
      }
      pv_poly_clear(&value);
    }
    if (e == CK_BAD || ck_head(prover->terms, x) != CK_V || ck_sort(prover->terms, x) != 'i' ||
        !ck_has_var(prover->terms, a, x) || ck_has_var(prover->terms, e, x) ||
        !ck_is_int(prover->terms, e))
      continue;
    a = pv_canon(prover, ck_sub(prover->terms, a, &x, &e, 1, NULL, 0));
  }
  return a;
}

static ck_id expand_sizes(pv *prover, pv_ctx ctx, ck_id a) {
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    if (ck_head(prover->terms, formula) != CK_EQ)
      continue;
    ck_id x = ck_kid(prover->terms, formula, 0);
    ck_id e = ck_kid(prover->terms, formula, 1);
    if (ck_head(prover->terms, x) != CK_V || ck_sort(prover->terms, x) != 'i' ||
        !ck_has_var(prover->terms, a, x) || ck_has_var(prover->terms, e, x) ||
        !ck_is_int(prover->terms, e))
      continue;
    a = pv_canon(prover, ck_sub(prover->terms, a, &x, &e, 1, NULL, 0));
  }
  return a;
}

/* a / b for a monomial b, CK_BAD if it does not divide */
ck_id pv_poly_quotient(pv *prover, ck_id a, ck_id b) {
  pv_poly poly;
  pv_poly other;
  pv_poly product;
  ck_id r = CK_BAD;
  pv_poly_init(&poly);
  pv_poly_init(&other);
  pv_poly_init(&product);
  pv_poly_read(prover, &poly, a);
  pv_poly_read(prover, &other, b);
  if (other.count == 1) {
    ck_id qi = pv_const_inv(prover, other.monos[0].coef);
    bool ok = true;
    for (uint32_t i = 0; i < poly.count && ok; i++) {
      ck_id *s = as_malloc((poly.monos[i].degree + 1) * sizeof *s);
      int k = pv_mono_div(poly.monos[i].atoms, poly.monos[i].degree, other.monos[0].atoms,
                          other.monos[0].degree, s);
      if (k < 0)
        ok = false;
      else
        pv_poly_add_mono(prover, &product, pv_const_mul(prover, poly.monos[i].coef, qi), s,
                         (uint32_t)k);
      free(s);
    }
    if (ok) {
      r = pv_poly_term(prover, &product);
      if (!ck_is_int(prover->terms, r))
        r = CK_BAD;
    }
  }
  pv_poly_clear(&poly);
  pv_poly_clear(&other);
  pv_poly_clear(&product);
  return r;
}

/* what the monomial m equals by the equation f of integers; CK_BAD: f does not have it */
static ck_id solved(pv *prover, ck_id formula, ck_id m) {
  pv_poly value;
  pv_poly other;
  ck_id r = CK_BAD;
  if (!ck_is_int(prover->terms, ck_kid(prover->terms, formula, 0)) ||
      !ck_is_int(prover->terms, ck_kid(prover->terms, formula, 1)))
    return r;
  pv_poly_init(&value);
  pv_poly_init(&other);
  pv_poly_read(
      prover, &value,
      pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0)));
  pv_poly_read(prover, &other, m);
  for (uint32_t i = 0; i < value.count && other.count == 1 && r == CK_BAD; i++) {
    ck_id c;
    if (value.monos[i].degree != other.monos[0].degree ||
        memcmp(value.monos[i].atoms, other.monos[0].atoms,
               other.monos[0].degree * sizeof *other.monos[0].atoms))
      continue;
    c = pv_const_mul(prover, pv_num(prover, -1),
                     pv_const_inv(prover, value.monos[i].coef)); /* c*v = 0: m = m + c*v */
    if (ck_is_int(prover->terms, c))
      r = pv_canon(prover, pv_add(prover, m, pv_mul(prover, c, pv_poly_term(prover, &value))));
  }
  pv_poly_clear(&value);
  pv_poly_clear(&other);
  return r;
}

/* c with n = c*b under the equations of the context */
ck_id pv_size_quotient(pv *prover, pv_ctx ctx, ck_id n, ck_id b) {
  enum { FORMS = 8 };

  ck_id c = pv_poly_quotient(prover, n, b);
  ck_id form[FORMS];
  uint32_t nf = 0;
  if (c != CK_BAD)
    return c;
  form[nf++] = pv_canon(prover, n);
  form[nf++] = expand_sizes(prover, ctx, n);
  for (uint32_t i = 0; i < nf && c == CK_BAD; i++) {
    c = pv_poly_quotient(prover, form[i], b);
    for (pv_ctx x = ctx; x != 0 && c == CK_BAD; x = pv_at(prover, x)->parent) { /* L*T = 64 */
      ck_id formula = pv_at(prover, x)->formula;
      ck_id other;
      uint32_t j = 0;
      if (ck_head(prover->terms, formula) != CK_EQ ||
          (other = solved(prover, formula, form[i])) == CK_BAD)
        continue;
      while (j < nf && form[j] != other)
        j++;
      if (j == nf && nf < FORMS)
        form[nf++] = other;
    }
  }
  return c == CK_BAD ? pv_poly_quotient(prover, form[1], expand_sizes(prover, ctx, b)) : c;
}

/* a < c*b for some c, hence a div b < c */
static pv_thm div_upper(pv *prover, pv_ctx ctx, ck_id a, ck_id b, pv_thm divisor_pos, int depth) {
  ck_id u = pv_canon(prover, pv_add(prover, upper_guess(prover, ctx, a), prover->one));
  ck_id c = pv_size_quotient(prover, ctx, u, b);
  if (c == CK_BAD)
    return PV_NONE;
  pv_eqn cn = pv_norm(prover, ctx, c);
  if (cn.by != PV_NONE && ck_is_int(prover->terms, cn.to))
    c = cn.to;
  ck_id cb = pv_mul(prover, c, b);
  pv_thm d = nn_term(prover, ctx, pv_sub(prover, pv_sub(prover, cb, a), prover->one), depth + 1);
  if (d == PV_NONE)
    return PV_NONE;
  pv_summand summand[2] = {{prover->one, &d, 1}, {prover->one, NULL, 0}};
  pv_thm premises[2] = {pv_arith(prover, pv_lt(prover, a, cb), summand, 2), divisor_pos};
  pv_var_sub vars[3] = {
      {pv_int_var(prover, "a"), a}, {pv_int_var(prover, "b"), b}, {pv_int_var(prover, "c"), c}};
  return pv_use_lemma(prover, PV_DIV_HI, vars, 3, NULL, 0, premises, 2);
}

static uint32_t div_facts(pv *prover, pv_ctx ctx, ck_id x, int depth, pv_thm *out, uint32_t n) {
  ck_id a = ck_kid(prover->terms, x, 0);
  ck_id b = ck_kid(prover->terms, x, 1);
  ck_id ab[2] = {a, b};
  ck_id bx = pv_mul(prover, b, x);
  pv_thm divisor_pos = pv_follows(prover, ctx, pv_gt0(prover, b));
  pv_thm a0;
  if (divisor_pos == PV_NONE)
    return n;
  pv_var_sub vars[2] = {{pv_int_var(prover, "a"), a}, {pv_int_var(prover, "b"), b}};
  a0 = nn_term(prover, ctx, a, depth + 1);
  if (a0 != PV_NONE) {
    pv_thm premises[2] = {pv_restate(prover, pv_ge0(prover, a), a0), divisor_pos};
    n = add_fact(out, n, pv_use_lemma(prover, PV_DIV_LO, vars, 2, NULL, 0, premises, 2));
  }
  n = add_fact(out, n, div_upper(prover, ctx, a, b, divisor_pos, depth));
  pv_thm l = pv_law(prover, "div", ab, 2, divisor_pos);
  pv_thm lo = pv_law(prover, "mod>", ab, 2, divisor_pos);
  pv_thm hi = pv_law(prover, "mod<", ab, 2, divisor_pos);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, lo);
  pv_comb_add(&comb, pv_num(prover, -1), l);
  n = add_fact(out, n, pv_comb_prove(prover, &comb, pv_ge0(prover, pv_sub(prover, a, bx))));
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, hi);
  pv_comb_add(&comb, prover->one, l);
  return add_fact(out, n, pv_comb_prove(prover, &comb, pv_lt(prover, pv_sub(prover, a, bx), b)));
}

/* is x a factor of a summand of t? */
static bool summand_of(pv *prover, ck_id term, ck_id x) {
  ck_op head = ck_head(prover->terms, term);
  return term == x || ((head == CK_ADD || head == CK_MUL) &&
                       (summand_of(prover, ck_kid(prover->terms, term, 0), x) ||
                        summand_of(prover, ck_kid(prover->terms, term, 1), x)));
}

/* facts about x: equations first */
static uint32_t facts_of(pv *prover, pv_ctx ctx, ck_id x, int depth, pv_thm *out) {
  uint32_t n = 0;
  for (int eqs = 1; eqs >= 0; eqs--) {
    for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
      ck_id formula = pv_at(prover, link)->formula;
      ck_op head = ck_head(prover->terms, formula);
      if ((head == CK_EQ) != (eqs == 1) || (head != CK_EQ && head != CK_LE && head != CK_LT))
        continue;
      if (ck_head(prover->terms, x) == CK_V
              ? ck_has_var(prover->terms, formula, x)
              : summand_of(prover, ck_kid(prover->terms, formula, 0), x) ||
                    summand_of(prover, ck_kid(prover->terms, formula, 1), x))
        n = add_fact(out, n, pv_at(prover, link)->thm);
    }
  }
  if (ck_head(prover->terms, x) == CK_DIV)
    n = div_facts(prover, ctx, x, depth, out, n);
  if (ck_head(prover->terms, x) == CK_MOD) {
    ck_id ab[2] = {ck_kid(prover->terms, x, 0), ck_kid(prover->terms, x, 1)};
    pv_thm divisor_pos = pv_follows(prover, ctx, pv_gt0(prover, ab[1]));
    if (divisor_pos != PV_NONE) {
      n = add_fact(out, n, pv_law(prover, "mod>", ab, 2, divisor_pos));
      n = add_fact(out, n, pv_law(prover, "mod<", ab, 2, divisor_pos));
    }
  }
  return n;
}

/* c divided by the monomial M, into out */
static bool quotient_into(pv *prover, const pv_poly *c, const ck_id *M, uint32_t nM, pv_poly *out) {
  pv_poly_init(out);
  for (uint32_t i = 0; i < c->count; i++) {
    ck_id *s = as_malloc((c->monos[i].degree + 1) * sizeof *s);
    int k = pv_mono_div(c->monos[i].atoms, c->monos[i].degree, M, nM, s);
    if (k >= 0)
      pv_poly_add_mono(prover, out, c->monos[i].coef, s, (uint32_t)k);
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
static pv_thm by_fact(pv *prover, pv_ctx ctx, const pv_poly *poly, const pv_poly *c,
                      const pv_poly *r, ck_id x, pv_thm thm, int depth) {
  bool eqn_fact = ck_head(prover->terms, pv_says(prover, thm)) == CK_EQ;
  pv_poly value;
  pv_poly c1;
  pv_poly other;
  pv_poly w;
  uint32_t at = 0;
  uint32_t hits = 0;
  pv_thm cases = PV_NONE;
  thm = eqn_fact ? thm : pv_tighten(prover, thm);
  if (thm == PV_NONE)
    return PV_NONE;
  ck_id says = pv_says(prover, thm);
  pv_poly_init(&value);
  pv_poly_init(&other);
  pv_poly_init(&w);
  pv_poly_read(prover, &value,
               pv_sub(prover, ck_kid(prover->terms, says, 1), ck_kid(prover->terms, says, 0)));
  for (uint32_t i = 0; i < value.count; i++) {
    if (pv_mono_has(&value.monos[i], x)) {
      at = i;
      hits++;
    }
  }
  if (hits == 1) {
    pv_mono mono = value.monos[at];
    ck_id *M = as_malloc((mono.degree + 1) * sizeof *M);
    int nM = pv_mono_div(mono.atoms, mono.degree, &x, 1, M);
    bool linear = true;
    for (int i = 0; i < nM; i++) {
      if (M[i] == x)
        linear = false;
    }
    if (linear && quotient_into(prover, c, M, (uint32_t)nM, &c1)) {
      ck_id qi = pv_const_inv(prover, mono.coef);
      for (uint32_t i = 0; i < value.count; i++) {
        if (i != at)
          pv_poly_add_mono(prover, &w, value.monos[i].coef, value.monos[i].atoms,
                           value.monos[i].degree);
      }
      pv_poly_add(prover, &other, r, prover->one);
      pv_poly d;
      pv_poly_init(&d);
      pv_poly_add(prover, &d, &c1, qi); /* c'/q */
      for (uint32_t i = 0; i < w.count; i++) {
        pv_poly shifted;
        pv_poly_init(&shifted);
        pv_poly_mul_mono(prover, &shifted, &d, w.monos[i].coef, w.monos[i].atoms,
                         w.monos[i].degree);
        pv_poly_add(prover, &other, &shifted, pv_num(prover, -1));
        pv_poly_clear(&shifted);
      }
      bool cst = d.count == 0 || (d.count == 1 && d.monos[0].degree == 0);
      pv_thm sign = PV_REFL;
      if (!eqn_fact)
        sign =
            cst ? (d.count == 0 || pv_const_sign(prover, d.monos[0].coef) >= 0 ? PV_REFL : PV_NONE)
                : nn(prover, ctx, &d, depth + 1);
      pv_thm rest = sign == PV_NONE ? PV_NONE : nn(prover, ctx, &other, depth + 1);
      if (rest != PV_NONE) {
        pv_comb comb;
        pv_comb_init(&comb);
        pv_comb_add(&comb, prover->one, rest);
        if (eqn_fact || cst)
          pv_comb_add(&comb, pv_poly_term(prover, &d), thm);
        else
          pv_comb_add_product(&comb, prover->one, sign, thm);
        cases = pv_comb_prove(prover, &comb, pv_ge0(prover, pv_poly_term(prover, poly)));
      }
      pv_poly_clear(&d);
      pv_poly_clear(&c1);
    }
    free(M);
  }
  pv_poly_clear(&value);
  pv_poly_clear(&other);
  pv_poly_clear(&w);
  return cases;
}

static bool inside_other(pv *prover, const ck_id *atoms, uint32_t n, ck_id x) {
  if (ck_head(prover->terms, x) != CK_V)
    return false;
  for (uint32_t i = 0; i < n; i++) {
    if (atoms[i] != x && ck_has_var(prover->terms, atoms[i], x))
      return true;
  }
  return false;
}

static pv_thm nn_search(pv *prover, pv_ctx ctx, const pv_poly *poly, int depth) {
  ck_id atoms[MAX_ATOMS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < poly->count; i++) {
    for (uint32_t j = 0; j < poly->monos[i].degree; j++) {
      uint32_t k = 0;
      while (k < n && atoms[k] != poly->monos[i].atoms[j])
        k++;
      if (k == n && n < MAX_ATOMS)
        atoms[n++] = poly->monos[i].atoms[j];
    }
  }
  for (uint32_t i = 1; i < n; i++) /* innermost counters first */
  {
    for (uint32_t j = i; j > 0 && pv_order(prover, atoms[j - 1], atoms[j]) > 0; j--) {
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
      ck_op head = ck_head(prover->terms, x);
      pv_thm fact[MAX_FACTS];
      uint32_t nf;
      pv_poly c;
      pv_poly rest;
      int kind =
          head == CK_V
              ? (!strncmp(ck_word_text(prover->terms, ck_name(prover->terms, x)), "$$", 2) ? 0 : 2)
              : 1;
      if (kind != pass || inside_other(prover, atoms, n, x))
        continue;
      nf = facts_of(prover, ctx, x, depth, fact);
      divide_by_atom(prover, poly, x, &c, &rest);
      pv_thm cases = PV_NONE;
      for (uint32_t k = 0; k < nf && cases == PV_NONE && prover->fuel; k++)
        cases = by_fact(prover, ctx, poly, &c, &rest, x, fact[k], depth);
      pv_poly_clear(&c);
      pv_poly_clear(&rest);
      if (cases != PV_NONE || !prover->fuel)
        return cases;
    }
  }
  return PV_NONE;
}

/* 0 <= f as `0 <= canonical term of f` */
static pv_thm nn(pv *prover, pv_ctx ctx, const pv_poly *poly, int depth) {
  uint64_t v;
  ck_id term = pv_poly_term(prover, poly);
  ck_id goal = pv_ge0(prover, term);
  if (poly->count == 0 || (poly->count == 1 && poly->monos[0].degree == 0))
    return pv_by_value(prover, goal);
  if (depth > 12 || !prover->fuel) {
    prover->cut = true;
    return PV_NONE;
  }
  prover->fuel--;
  pv_thm thm = pv_ctx_find(prover, ctx, goal);
  if (thm != PV_NONE)
    return thm;
  if (as_map_get(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | goal, 3), &v)) {
    if (v == PV_NONE - 2) {
      prover->cut = true;
      return PV_NONE;
    }
    return (uint32_t)v;
  }
  as_map_put(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | goal, 3),
             PV_NONE - 2); /* being asked */
  bool cut = prover->cut;
  prover->cut = false;
  thm = nn_search(prover, ctx, poly, depth);
  as_map_put(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | goal, 3), thm);
  prover->cut = thm == PV_NONE && (cut || prover->cut);
  if (thm != PV_NONE)
    prover->cut = cut;
  return thm;
}

static pv_thm nn_term(pv *prover, pv_ctx ctx, ck_id term, int depth) {
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, term);
  pv_thm thm = nn(prover, ctx, &poly, depth);
  pv_poly_clear(&poly);
  return thm;
}

/* f as 0 <= v or 0 <= v-1 */
pv_thm pv_follows_int(pv *prover, pv_ctx ctx, ck_id formula) {
  return pv_follows_int_within(prover, ctx, formula, 32);
}

pv_thm pv_follows_int_within(pv *prover, pv_ctx ctx, ck_id formula, uint32_t effort) {
  ck_op head = ck_head(prover->terms, formula);
  ck_id a = ck_kid(prover->terms, formula, 0);
  ck_id b = ck_kid(prover->terms, formula, 1);
  ck_id d = pv_sub(prover, b, a);
  uint32_t fuel = prover->fuel;
  pv_thm thm = PV_NONE;
  if (prover->fuel < effort / 4)
    prover->fuel = effort;
  if (head == CK_LE) {
    thm = pv_restate(prover, formula, nn_term(prover, ctx, d, 0));
  } else if (head == CK_LT) {
    pv_thm u = nn_term(prover, ctx, pv_sub(prover, d, prover->one), 0);
    pv_summand summand[2] = {{prover->one, &u, 1}, {prover->one, NULL, 0}};
    if (u != PV_NONE)
      thm = pv_arith(prover, formula, summand, 2);
  } else if (head == CK_NE) {
    for (int i = 0; i < 2 && thm == PV_NONE; i++) {
      ck_id g = pv_lt(prover, i ? b : a, i ? a : b);
      pv_thm u = pv_follows_int(prover, ctx, g);
      if (u != PV_NONE)
        thm = pv_scaled(prover, formula, i ? pv_num(prover, -1) : prover->one, u);
    }
  } else if (head == CK_EQ) {
    ck_id z = pv_canon(prover, d);
    if (z == prover->zero) {
      thm = pv_identity(prover, formula);
    } else {
      pv_eqn eqn = pv_norm(prover, ctx, d);
      if (eqn.to == prover->zero && eqn.by != PV_NONE)
        thm = eqn.by == PV_REFL ? pv_identity(prover, formula)
                                : pv_scaled(prover, formula, pv_num(prover, -1), eqn.by);
      if (thm == PV_NONE) {
        pv_thm x = nn_term(prover, ctx, d, 0);
        pv_thm y = x == PV_NONE ? PV_NONE : nn_term(prover, ctx, pv_neg(prover, d), 0);
        thm = pv_antisym(prover, pv_restate(prover, pv_le(prover, a, b), x),
                         pv_restate(prover, pv_le(prover, b, a), y));
      }
    }
  }
  prover->fuel = fuel;
  return thm;
}
