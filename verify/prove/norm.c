/* Normal form of a term with its proof: a polynomial over atoms (inputs at canonical indices,
 * primitive inverses, exponentials of one monomial, roots, connected sums of products, folds),
 * y*inv(y) cancelled where y # 0 is known, products of sizes folded by the stated relations. */
#include "pv_norm.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_NORM_DEPTH = 250, MAX_TREE = 400000 };

/* --- relations between sizes as rewrite rules: monomial -> term */
typedef struct {
  uint32_t n;
  ck_id a[8];
  ck_id to;
  pv_thm s;
} rule; /* s: product of a = to */

typedef struct {
  rule r[32];
  uint32_t n;
} rules;

static bool prover_var(pv *p, ck_id x) {
  return ck_head(p->terms, x) == CK_V &&
         !strncmp(ck_word_text(p->terms, ck_name(p->terms, x)), "$$", 2);
}

static bool has_prover_var(pv *p, const pv_mono *m) {
  for (uint32_t i = 0; i < m->degree; i++) {
    if (prover_var(p, m->atoms[i]))
      return true;
  }
  return false;
}

/* the first rule that applies to m, or PV_NONE */
static uint32_t find_rule(const rules *R, const pv_mono *m) {
  for (uint32_t i = 0; i < R->n; i++) {
    ck_id rest[64];
    int k;
    if (m->degree > 60 || (k = pv_mono_div(m->atoms, m->degree, R->r[i].a, R->r[i].n, rest)) < 0)
      continue;
    return i;
  }
  return PV_NONE;
}

static void simp(pv *p, pv_ctx cx, pv_poly *f, pv_comb *b, const rules *R);

/* does atom x occur in g again, besides as monomial `at`? */
static bool elsewhere(pv *p, const pv_poly *g, uint32_t at, ck_id x) {
  for (uint32_t i = 0; i < g->count; i++) {
    for (uint32_t j = 0; j < g->monos[i].degree; j++) {
      if (i != at && pv_occurs(p, g->monos[i].atoms[j], x))
        return true;
    }
  }
  return false;
}

/* number of the newest quotient variable in m ("$$q12") */
static long newest(pv *p, const pv_mono *m) {
  long n = 0;
  for (uint32_t i = 0; i < m->degree; i++) {
    const char *w =
        prover_var(p, m->atoms[i]) ? ck_word_text(p->terms, ck_name(p->terms, m->atoms[i])) : "";
    if (w[0] && w[2] == 'q' && atol(w + 3) > n)
      n = atol(w + 3);
  }
  return n;
}

/* indices, which no source file can name, go first, then other variables */
static int left_rank(pv *p, ck_id x) {
  return ck_head(p->terms, x) != CK_V                             ? 0
         : ck_word_text(p->terms, ck_name(p->terms, x))[0] == '$' ? 2
                                                                  : 1;
}

/* the monomial of g = 0 that becomes a left side: an atom alone (the greatest in rank and order),
 * else a product of integers of the highest degree; PV_NONE: none */
static uint32_t pick_left(pv *p, const pv_poly *g, bool ints) {
  uint32_t best = PV_NONE;
  for (uint32_t i = 0; i < g->count; i++) {
    const pv_mono *m = &g->monos[i];
    if (m->degree != 1 || (ints && !ck_is_int(p->terms, pv_const_inv(p, m->coef))) ||
        elsewhere(p, g, i, m->atoms[0]))
      continue;
    ck_id x = m->atoms[0];
    ck_id y = best == PV_NONE ? CK_BAD : g->monos[best].atoms[0];
    int rx = left_rank(p, x);
    int ry = y == CK_BAD ? -1 : left_rank(p, y);
    if (rx > ry || (rx == ry && pv_order(p, x, y) > 0))
      best = i;
  }
  for (uint32_t i = 0; i < g->count && ints; i++) {
    const pv_mono *m = &g->monos[i];
    if (m->degree < 2 || m->degree > 8 || !ck_is_int(p->terms, pv_const_inv(p, m->coef)))
      continue;
    if (best == PV_NONE ||
        (g->monos[best].degree > 1 &&
         (m->degree > g->monos[best].degree ||
          (m->degree == g->monos[best].degree && newest(p, m) > newest(p, &g->monos[best])))))
      best = i;
  }
  return best;
}

/* rules whose right side would become their left side again by the new one go */
static void drop_circular(pv *p, rules *R, const rule *r) {
  for (uint32_t i = R->n; i-- > 0;) {
    rule *o = &R->r[i];
    pv_poly g;
    pv_poly h;
    pv_poly t;
    bool back = false;
    pv_poly_init(&g);
    pv_poly_init(&h);
    pv_poly_read(p, &g, o->to);
    pv_poly_read(p, &h, r->to);
    for (uint32_t j = 0; j < g.count && !back; j++) {
      ck_id rest[64];
      int k = g.monos[j].degree > 64
                  ? -1
                  : pv_mono_div(g.monos[j].atoms, g.monos[j].degree, r->a, r->n, rest);
      if (k < 0)
        continue;
      pv_poly_init(&t);
      pv_poly_mul_mono(p, &t, &h, p->one, rest, (uint32_t)k);
      for (uint32_t l = 0; l < t.count; l++)
        back = back || (t.monos[l].degree <= 64 &&
                        pv_mono_div(t.monos[l].atoms, t.monos[l].degree, o->a, o->n, rest) >= 0);
      pv_poly_clear(&t);
    }
    pv_poly_clear(&g);
    pv_poly_clear(&h);
    if (back)
      R->r[i] = R->r[--R->n];
  }
}

static void add_rule(pv *p, pv_ctx cx, rules *R, pv_thm s) {
  if (R->n == 32 || s == PV_NONE)
    return;
  ck_id f = pv_says(p, s);
  ck_id D = pv_sub(p, ck_kid(p->terms, f, 1), ck_kid(p->terms, f, 0));
  bool ints = ck_is_int(p->terms, D);
  pv_poly g;
  pv_comb b;
  uint32_t left = 0;
  pv_thm red;
  rule r = {0};
  pv_poly_init(&g);
  pv_comb_init(&b);
  pv_poly_read(p, &g, D);
  simp(p, cx, &g, &b, R);
  ck_id D1 = pv_poly_term(p, &g);
  red = b.summands.n ? pv_comb_prove(p, &b, pv_eq(p, D, D1)) : (pv_comb_clear(&b), PV_REFL);
  if (g.count == 2 && ints && red != PV_NONE) { /* N = L*T: the product becomes N */
    for (uint32_t i = 0; i < 2 && !r.n; i++) {
      const pv_mono *m = &g.monos[i];
      const pv_mono *v = &g.monos[1 - i];
      bool single = v->degree == 0 || (v->degree == 1 && ck_head(p->terms, v->atoms[0]) == CK_V &&
                                       !prover_var(p, v->atoms[0]));
      if (m->degree >= 2 && m->degree <= 8 && single &&
          ck_is_int(p->terms, pv_const_inv(p, m->coef)) &&
          !(v->degree && pv_mono_has(m, v->atoms[0])) && !has_prover_var(p, m)) {
        r.n = m->degree;
        left = i;
      }
    }
  }
  if (!r.n && red != PV_NONE && (left = pick_left(p, &g, ints)) != PV_NONE)
    r.n = g.monos[left].degree;
  if (r.n && r.n <= 8) {
    pv_mono m = g.monos[left];
    ck_id c = pv_const_mul(p, pv_num(p, -1), pv_const_inv(p, m.coef));
    pv_poly to;
    memcpy(r.a, m.atoms, r.n * sizeof *r.a);
    pv_poly_init(&to);
    for (uint32_t i = 0; i < g.count; i++) {
      if (i != left)
        pv_poly_add_mono(p, &to, pv_const_mul(p, c, g.monos[i].coef), g.monos[i].atoms,
                         g.monos[i].degree);
    }
    r.to = pv_poly_term(p, &to);
    pv_poly_clear(&to);
    pv_comb_init(&b); /* left = to has the value -D1/q; D1 = D + (D1 - D) */
    pv_comb_add(&b, c, s);
    pv_comb_add(&b, c, red);
    r.s = pv_comb_prove(p, &b, pv_eq(p, pv_mono_term(p, p->one, r.a, r.n), r.to));
    if (r.s != PV_NONE) {
      drop_circular(p, R, &r);
      R->r[R->n++] = r;
    }
  }
  pv_poly_clear(&g);
}

/* a longer left side that a shorter rule reduces (D = L*T, E = L*T*H) becomes D*H */
static void complete(pv *p, rules *R) {
  for (uint32_t i = 0; i < R->n; i++) {
    rule *r = &R->r[i];
    for (uint32_t j = 0; j < R->n; j++) {
      const rule *q = &R->r[j];
      ck_id rest[8];
      int k;
      if (i == j || q->n > r->n || r->n < 2 || (q->n == r->n && j > i) ||
          ck_head(p->terms, q->to) != CK_V)
        continue;
      if ((k = pv_mono_div(r->a, r->n, q->a, q->n, rest)) < 0)
        continue;
      if (k == 0)
        continue;
      /* rest * (q: a = to): rest*to = r.to */
      ck_id c = pv_mono_term(p, p->one, rest, (uint32_t)k);
      pv_thm prem[2] = {r->s, q->s};
      pv_summand m[2] = {{p->one, &prem[0], 1}, {pv_neg(p, c), &prem[1], 1}};
      pv_mono nm = {p->one, (uint32_t)k + 1, rest};
      rest[k] = q->to;
      ck_id lhs = pv_mono_term(p, p->one, rest, nm.degree);
      pv_thm s = pv_arith(p, pv_eq(p, lhs, r->to), m, 2);
      if (s == PV_NONE)
        continue;
      pv_poly g;
      pv_poly_init(&g);
      pv_poly_read(p, &g, lhs);
      if (g.count == 1 && g.monos[0].degree <= 8) {
        r->n = g.monos[0].degree;
        memcpy(r->a, g.monos[0].atoms, r->n * sizeof *r->a);
        r->s = s;
      }
      pv_poly_clear(&g);
    }
  }
}

static const rules *rules_of(pv *p, pv_ctx cx) {
  uint64_t v;
  while (cx != 0 && ck_head(p->terms, CX(p, cx).formula) != CK_EQ)
    cx = CX(p, cx).parent;
  if (cx == 0)
    return NULL;
  if (as_map_get(&p->misc_memo, AS_KEY(cx, 2), &v))
    return (const rules *)(uintptr_t)v;
  rules *R = as_calloc(1, sizeof *R);
  pv_thm chain[64];
  uint32_t n = 0;
  for (pv_ctx c = cx; c != 0; c = CX(p, c).parent) {
    if (ck_head(p->terms, CX(p, c).formula) == CK_EQ && n < 64)
      chain[n++] = CX(p, c).thm;
  }
  while (n-- > 0)
    add_rule(p, cx, R, chain[n]);
  complete(p, R);
  as_map_put(&p->misc_memo, AS_KEY(cx, 2), (uint64_t)(uintptr_t)R);
  as_vec_push(&p->owned, &R);
  for (uint32_t i = 0; i < R->n; i++) { /* right sides in normal form too: other rules may speak of
                                           what stands in their atoms */
    rule *r = &R->r[i];
    pv_eqn e = pv_norm(p, cx, r->to);
    pv_thm s = e.by == PV_NONE ? PV_NONE : pv_trans(p, r->s, e.by);
    pv_poly g;
    bool back = false;
    if (s == PV_NONE || e.by == PV_REFL)
      continue;
    pv_poly_init(&g);
    pv_poly_read(p, &g, e.to);
    for (uint32_t j = 0; j < g.count && !back; j++)
      back = g.monos[j].degree > 64 ||
             pv_mono_div(g.monos[j].atoms, g.monos[j].degree, r->a, r->n, (ck_id[64]){0}) >= 0;
    pv_poly_clear(&g);
    if (!back) {
      r->to = e.to;
      r->s = s;
    }
  }
  return R;
}

/* --- simplification of a polynomial over normal atoms; every change is a summand of b */
static void drop(pv_poly *f, uint32_t i) {
  free(f->monos[i].atoms);
  f->monos[i] = f->monos[--f->count];
}

/* replaces, in monomial i, the atoms `gone` by the term `to`; s proves (product of gone) = to */
static void replace(pv *p, pv_poly *f, uint32_t i, const ck_id *gone, uint32_t n, ck_id to,
                    pv_thm s, pv_comb *b) {
  pv_mono m = f->monos[i];
  ck_id *rest = as_malloc((m.degree + 1) * sizeof *rest);
  int k = pv_mono_div(m.atoms, m.degree, gone, n, rest);
  pv_poly g;
  pv_poly h;
  ck_id q = m.coef;
  pv_comb_add(b, pv_mono_term(p, q, rest, (uint32_t)k), s);
  pv_poly_init(&g);
  pv_poly_init(&h);
  pv_poly_read(p, &g, to);
  pv_poly_mul_mono(p, &h, &g, q, rest, (uint32_t)k);
  drop(f, i);
  pv_poly_add(p, f, &h, p->one);
  pv_poly_clear(&g);
  pv_poly_clear(&h);
  free(rest);
}

static void sorted2(ck_id *g, ck_id a, ck_id b) {
  g[0] = a < b ? a : b;
  g[1] = a < b ? b : a;
}

/* inv(s)*inv(s) = inv(x) for s = sqrt(x), 0 <= x, s # 0 */
static pv_eqn inv_root_pair(pv *p, pv_ctx cx, ck_id iv) {
  ck_id s = ck_kid(p->terms, iv, 0);
  ck_id x = ck_kid(p->terms, s, 0);
  pv_thm nz = pv_nonzero(p, cx, s);
  pv_thm ge = nz == PV_NONE ? PV_NONE : pv_nonneg(p, cx, x);
  if (ge == PV_NONE)
    return pv_fail();
  pv_thm sq = pv_law(p, "sqrt2", &x, 1, ge);
  pv_thm prem[2] = {nz, nz};
  pv_var_sub v[2] = {{pv_real_var(p, "x"), s}, {pv_real_var(p, "y"), s}};
  pv_thm im = pv_use_lemma(p, PV_INV_MUL, v, 2, NULL, 0, prem, 2);
  ck_id ss = pv_mul(p, s, s);
  ck_id ix = pv_inv(p, x);
  pv_thm c = pv_cong(p, pv_inv(p, ss), ix, &sq, 1);
  pv_eqn e = {ix, pv_trans(p, pv_sym(p, im), c)};
  pv_eqn r = pv_norm(p, cx, ix);
  return e.by == PV_NONE ? pv_fail() : pv_then(p, e, r);
}

static bool idempotent(pv *p, ck_id x) {
  ck_id u = ck_kid(p->terms, x, 1);
  ck_id v = ck_kid(p->terms, x, 2);
  return (pv_is_zero(p, u) || pv_is_one(p, u)) && (pv_is_zero(p, v) || pv_is_one(p, v));
}

/* x*x = x for x = ite(c, u, v) with u and v among 0 and 1 */
static pv_thm ite_squared(pv *p, ck_id x) {
  ck_id c = ck_kid(p->terms, x, 0);
  ck_id f = pv_eq(p, pv_mul(p, x, x), x);
  pv_thm half[2];
  for (uint32_t i = 0; i < 2; i++) { /* x = e: x*x - x = (x - e)*(x + e - 1) */
    pv_thm l = pv_law(p, i ? "ite0" : "ite1", &x, 1, pv_hyp(p, i ? ck_neg(p->terms, c) : c));
    half[i] = pv_scaled(p, f, pv_sub(p, pv_add(p, x, ck_kid(p->terms, x, 1 + i)), p->one), l);
  }
  return pv_cases(p, c, half[0], half[1]);
}

/* one change of monomial i; false: none */
static bool simp_mono(pv *p, pv_ctx cx, pv_poly *f, uint32_t i, pv_comb *b, const rules *R) {
  pv_mono m = f->monos[i];
  ck_id g[2];
  uint32_t hit = R ? find_rule(R, &m) : PV_NONE;
  if (hit != PV_NONE) {
    const rule *r = &R->r[hit];
    replace(p, f, i, r->a, r->n, r->to, r->s, b);
    return true;
  }
  for (uint32_t j = 0; j < m.degree; j++) {
    ck_id x = m.atoms[j];
    ck_op o = ck_head(p->terms, x);
    bool twice = j + 1 < m.degree && m.atoms[j + 1] == x;
    if (o == CK_INV && pv_mono_has(&m, ck_kid(p->terms, x, 0))) {
      ck_id y = ck_kid(p->terms, x, 0);
      pv_thm nz = pv_nonzero(p, cx, y);
      if (nz == PV_NONE)
        continue;
      sorted2(g, x, y);
      replace(p, f, i, g, 2, p->one, pv_law(p, "inv", &y, 1, nz), b);
      return true;
    }
    if (o == CK_ITE && twice && idempotent(p, x)) {
      sorted2(g, x, x);
      replace(p, f, i, g, 2, x, ite_squared(p, x), b);
      return true;
    }
    if (o == CK_SQRT && twice) {
      ck_id y = ck_kid(p->terms, x, 0);
      pv_thm ge = pv_nonneg(p, cx, y);
      if (ge == PV_NONE)
        continue;
      sorted2(g, x, x);
      replace(p, f, i, g, 2, y, pv_law(p, "sqrt2", &y, 1, ge), b);
      return true;
    }
    if (o == CK_INV && ck_head(p->terms, ck_kid(p->terms, x, 0)) == CK_SQRT && twice) {
      pv_eqn e = inv_root_pair(p, cx, x);
      if (e.by == PV_NONE)
        continue;
      sorted2(g, x, x);
      replace(p, f, i, g, 2, e.to, e.by, b);
      return true;
    }
  }
  return false;
}

static void simp(pv *p, pv_ctx cx, pv_poly *f, pv_comb *b, const rules *R) {
  for (uint32_t i = 0; i < f->count && !pv_spent(p);) {
    if (simp_mono(p, cx, f, i, b, R))
      i = 0;
    else
      i++;
  }
}

/* closes b as an equation from t to the polynomial f */
static pv_eqn finish(pv *p, ck_id t, pv_poly *f, pv_comb *b) {
  ck_id r = pv_poly_term(p, f);
  pv_eqn e = {r, PV_REFL};
  pv_poly_clear(f);
  if (r == t)
    pv_comb_clear(b);
  else
    e.by = pv_comb_prove(p, b, pv_eq(p, t, r));
  return e.by == PV_NONE ? pv_fail() : e;
}

pv_eqn pv_norm_poly(pv *p, pv_ctx cx, ck_id t) {
  pv_poly f;
  pv_comb b;
  pv_poly_init(&f);
  pv_comb_init(&b);
  pv_poly_read(p, &f, t);
  simp(p, cx, &f, &b, rules_of(p, cx));
  return finish(p, t, &f, &b);
}

/* --- polynomials: atoms first, then the products */
static pv_eqn norm_mixed(pv *p, pv_ctx cx, ck_id t) {
  pv_poly f;
  pv_poly g;
  pv_comb b;
  bool bad = false;
  pv_poly_init(&f);
  pv_poly_init(&g);
  pv_comb_init(&b);
  pv_poly_read(p, &f, t);
  for (uint32_t i = 0; i < f.count && !bad; i++) {
    const pv_mono *m = &f.monos[i];
    ck_id done = m->coef; /* product of what is replaced already */
    pv_poly h;
    pv_poly w;
    pv_poly_init(&h);
    pv_poly_init(&w);
    pv_poly_add_mono(p, &h, m->coef, NULL, 0);
    for (uint32_t j = 0; j < m->degree && !bad; j++) {
      pv_eqn e = pv_norm(p, cx, m->atoms[j]);
      if (e.by == PV_NONE) {
        bad = true;
        break;
      }
      if (e.by != PV_REFL) {
        ck_id rest = pv_mono_term(p, p->one, m->atoms + j + 1, m->degree - j - 1);
        pv_comb_add(&b, pv_mul(p, done, rest), e.by);
      }
      done = pv_mul(p, done, e.to);
      pv_poly_read(p, &w, e.to);
      pv_poly acc;
      pv_poly_init(&acc);
      if ((uint64_t)w.count * h.count > 4000)
        bad = true;
      for (uint32_t k = 0; k < w.count && !bad; k++) {
        pv_poly one;
        pv_poly_init(&one);
        pv_poly_mul_mono(p, &one, &h, w.monos[k].coef, w.monos[k].atoms, w.monos[k].degree);
        pv_poly_add(p, &acc, &one, p->one);
        pv_poly_clear(&one);
      }
      pv_poly_clear(&h);
      h = acc;
    }
    pv_poly_add(p, &g, &h, p->one);
    pv_poly_clear(&h);
    pv_poly_clear(&w);
  }
  pv_poly_clear(&f);
  if (bad) {
    pv_poly_clear(&g);
    pv_comb_clear(&b);
    return pv_fail();
  }
  simp(p, cx, &g, &b, rules_of(p, cx));
  return finish(p, t, &g, &b);
}

/* --- atoms */
/* every kid that stands under no binder replaced by its normal form */
static pv_eqn norm_kids(pv *p, pv_ctx cx, ck_id t) {
  uint32_t n = ck_nkids(p->terms, t);
  uint32_t np = 0;
  ck_id *kids = as_malloc((n + 1) * sizeof *kids);
  pv_thm *prem = as_malloc((n + 1) * sizeof *prem);
  pv_eqn r = pv_same(t);
  for (uint32_t i = 0; i < n; i++) {
    kids[i] = ck_kid(p->terms, t, i);
    if (ck_kid_binders(p->terms, t, i))
      continue;
    pv_eqn e = pv_norm(p, cx, kids[i]);
    if (e.by == PV_NONE) {
      r = pv_fail();
      break;
    }
    kids[i] = e.to;
    if (e.by != PV_REFL)
      prem[np++] = e.by;
  }
  if (r.by != PV_NONE && np) {
    r.to = ck_rebuild(p->terms, t, kids);
    r.by = pv_cong(p, t, r.to, prem, np);
    if (r.to == CK_BAD || r.by == PV_NONE)
      r = pv_fail();
  }
  free(kids);
  free(prem);
  return r;
}

/* product of the factors f[0..n-1] in left order */
static ck_id product(pv *p, const ck_id *f, uint32_t n) {
  ck_id t = f[0];
  for (uint32_t i = 1; i < n; i++)
    t = pv_mul(p, t, f[i]);
  return t;
}

/* all factors of w = product(f) nonzero: each by itself, or out of `whole`: w # 0 */
static bool factors_nonzero(pv *p, pv_ctx cx, const ck_id *f, uint32_t n, pv_thm whole,
                            pv_thm *nz) {
  pv_var_sub v[2] = {{pv_real_var(p, "x"), CK_BAD}, {pv_real_var(p, "y"), CK_BAD}};
  for (uint32_t i = n; i-- > 0;) {
    nz[i] = pv_is_const(p, f[i]) ? pv_by_value(p, pv_ne0(p, f[i])) : pv_nonzero(p, cx, f[i]);
    if (i == 0) {
      if (nz[0] == PV_NONE)
        nz[0] = whole;
    } else {
      v[0].term = product(p, f, i);
      v[1].term = f[i];
      if (nz[i] == PV_NONE && whole != PV_NONE)
        nz[i] = pv_use_lemma(p, PV_NZ_RIGHT, v, 2, NULL, 0, &whole, 1);
      whole = whole == PV_NONE ? PV_NONE : pv_use_lemma(p, PV_NZ_LEFT, v, 2, NULL, 0, &whole, 1);
    }
    if (nz[i] == PV_NONE)
      return false;
  }
  return true;
}

/* inv of an atom or constant: inv(q), inv(inv y) = y */
static pv_eqn inv_factor(pv *p, ck_id x, pv_thm nz) {
  ck_id t = pv_inv(p, x);
  pv_eqn e = pv_same(t);
  if (pv_is_const(p, x)) {
    e.to = pv_const_inv(p, x);
    e.by = pv_scaled(p, pv_eq(p, t, e.to), e.to, pv_law(p, "inv", &x, 1, nz));
  }
  return e;
}

/* inv(product f) = product of inv(f_i), each simplified */
static pv_eqn inv_product(pv *p, pv_ctx cx, const ck_id *f, const pv_thm *nz, uint32_t n) {
  ck_id acc = f[0];
  ck_id cur;
  pv_thm accnz = nz[0];
  pv_eqn e = inv_factor(p, f[0], nz[0]);
  pv_eqn x;
  cur = e.to;
  pv_thm s = e.by; /* inv(acc) = cur */
  for (uint32_t i = 1; i < n; i++) {
    pv_var_sub v[2] = {{pv_real_var(p, "x"), acc}, {pv_real_var(p, "y"), f[i]}};
    pv_thm prem[2] = {accnz, nz[i]};
    pv_thm im = pv_use_lemma(p, PV_INV_MUL, v, 2, NULL, 0, prem, 2);
    ck_id ifi = pv_inv(p, f[i]);
    x = inv_factor(p, f[i], nz[i]);
    ck_id next = pv_mul(p, acc, f[i]);
    pv_summand m = {pv_num(p, -1), prem, 2};
    pv_comb b;
    pv_comb_init(&b); /* inv(acc*f) = inv acc * inv f = cur * x */
    pv_comb_add(&b, p->one, im);
    pv_comb_add(&b, ifi, s);
    pv_comb_add(&b, cur, x.by);
    cur = pv_mul(p, cur, x.to);
    s = pv_comb_prove(p, &b, pv_eq(p, pv_inv(p, next), cur));
    accnz = pv_arith(p, pv_ne0(p, next), &m, 1);
    acc = next;
  }
  e.to = cur;
  e.by = s;
  if (s == PV_NONE)
    return pv_fail();
  return pv_then(p, e, pv_norm(p, cx, cur));
}

/* exponent of x in the monomial, inverses counted negative */
static int exponent(const pv_mono *m, ck_id x, ck_id ix) {
  int e = 0;
  for (uint32_t i = 0; i < m->degree; i++)
    e += m->atoms[i] == x ? 1 : m->atoms[i] == ix ? -1 : 0;
  return e;
}

/* factors of u: leading coefficient, common powers, the primitive rest; 0 if there is nothing to
 * take out */
uint32_t pv_poly_content(pv *p, ck_id u, ck_id *f, uint32_t max) {
  pv_poly g;
  uint32_t n = 0;
  ck_id lead = p->one;
  ck_id rest = u;
  ck_id first;
  pv_poly_init(&g);
  pv_poly_read(p, &g, u);
  first = u;
  while (ck_head(p->terms, first) == CK_ADD)
    first = ck_kid(p->terms, first, 0);
  {
    pv_poly h;
    pv_poly_init(&h);
    pv_poly_read(p, &h, first);
    if (h.count == 1)
      lead = h.monos[0].coef;
    pv_poly_clear(&h);
  }
  if (lead != p->one)
    f[n++] = lead;
  if (g.count == 1) {
    for (uint32_t i = 0; i < g.monos[0].degree && n < max; i++)
      f[n++] = g.monos[0].atoms[i];
    n = g.monos[0].degree + 1 > max ? 0 : n;
    rest = CK_BAD;
  } else {
    ck_id seen[32];
    uint32_t ns = 0;
    pv_poly q;
    pv_poly_init(&q);
    pv_poly_add(p, &q, &g, pv_const_inv(p, lead));
    for (uint32_t i = 0; i < g.count; i++) {
      for (uint32_t j = 0; j < g.monos[i].degree; j++) {
        ck_id x = g.monos[i].atoms[j];
        uint32_t k = 0;
        if (ck_head(p->terms, x) == CK_INV)
          x = ck_kid(p->terms, x, 0);
        while (k < ns && seen[k] != x)
          k++;
        if (k < ns || ns == 32)
          continue;
        seen[ns++] = x;
        ck_id ix = pv_inv(p, x);
        int lo = 1000;
        for (uint32_t l = 0; l < g.count; l++) {
          int e = exponent(&g.monos[l], x, ix);
          if (e < lo)
            lo = e;
        }
        for (; lo > 0 && n + 1 < max; lo--) {
          f[n++] = x;
          pv_poly h;
          pv_poly_init(&h);
          pv_poly_mul_mono(p, &h, &q, p->one, &ix, 1);
          pv_poly_clear(&q);
          q = h;
        }
        for (; lo < 0 && n + 1 < max; lo++) {
          f[n++] = ix;
          pv_poly h;
          pv_poly_init(&h);
          pv_poly_mul_mono(p, &h, &q, p->one, &x, 1);
          pv_poly_clear(&q);
          q = h;
        }
      }
    }
    rest = pv_poly_term(p, &q);
    pv_poly_clear(&q);
  }
  pv_poly_clear(&g);
  if (rest == CK_BAD)
    return n;
  if (n == 0)
    return 0;
  f[n++] = rest;
  return n;
}

uint32_t pv_normal_factors(pv *p, pv_ctx cx, ck_id u, ck_id *f, uint32_t max) {
  uint32_t n = pv_poly_content(p, u, f, max);
  if (n == 0) {
    f[0] = u;
    return 1;
  }
  if (ck_head(p->terms, u) ==
      CK_ADD) { /* the rest must be multiplied out: atoms times their inverses */
    pv_eqn r = pv_norm_poly(p, cx, f[n - 1]);
    if (r.by == PV_NONE) {
      f[0] = u;
      return 1;
    }
    f[n - 1] = r.to;
  }
  return n;
}

static pv_eqn norm_inv(pv *p, pv_ctx cx, ck_id t) {
  enum { MAXF = 24 };

  ck_id u = ck_kid(p->terms, t, 0);
  ck_id f[MAXF + 1];
  pv_thm nz[MAXF + 1];
  uint32_t n;
  if (pv_is_const(p, u))
    return pv_is_zero(p, u) ? pv_same(t) : inv_factor(p, u, pv_by_value(p, pv_ne0(p, u)));
  if (ck_head(p->terms, u) == CK_INV) { /* inv(inv y) */
    pv_var_sub v = {pv_real_var(p, "x"), ck_kid(p->terms, u, 0)};
    pv_thm y = pv_nonzero(p, cx, v.term);
    pv_eqn e = {v.term,
                y == PV_NONE ? PV_NONE : pv_use_lemma(p, PV_INV_INV, &v, 1, NULL, 0, &y, 1)};
    return y == PV_NONE ? pv_same(t) : e;
  }
  if (ck_head(p->terms, u) != CK_ADD && ck_head(p->terms, u) != CK_MUL)
    return pv_same(t);
  n = pv_normal_factors(p, cx, u, f, MAXF);
  if (n < 2)
    return pv_same(t);
  pv_thm whole;
  ck_id w = product(p, f, n);
  pv_eqn uw = pv_norm_poly(p, cx, w); /* w = u */
  if (uw.by == PV_NONE || uw.to != u)
    return pv_same(t);
  pv_thm nu = pv_nonzero(p, cx, u);
  whole = nu == PV_NONE ? PV_NONE
          : uw.by == PV_REFL
              ? nu
              : pv_arith(p, pv_ne0(p, w), (pv_summand[]){{p->one, &nu, 1}, {p->one, &uw.by, 1}}, 2);
  if (!factors_nonzero(p, cx, f, n, whole, nz))
    return pv_same(t);
  pv_thm back = uw.by == PV_REFL ? PV_REFL : pv_sym(p, uw.by);
  pv_eqn e = {pv_inv(p, w), PV_REFL};
  if (back != PV_REFL)
    e.by = pv_cong(p, t, e.to, &back, 1);
  /* what was learnt about the factors stays known */
  for (uint32_t i = 0; i < n; i++) {
    as_map_put(&p->rel_memo,
               AS_KEY(((uint64_t)pv_ctx_strip(p, cx, f[i]) << 32) | pv_ne0(p, f[i]), 1), nz[i]);
  }
  pv_eqn r = inv_product(p, cx, f, nz, n);
  if (r.by == PV_NONE || e.by == PV_NONE)
    return pv_same(t);
  return pv_then(p, e, r);
}

/* exp(x + y) = exp x * exp y; exp(-x) = inv(exp x); exp(2x) = exp x * exp x; exp 0 = 1; exp(log x)
 * = x */
static pv_eqn norm_exp(pv *p, pv_ctx cx, ck_id t) {
  ck_id u = ck_kid(p->terms, t, 0);
  ck_id v2[2];
  pv_poly f;
  pv_eqn e = pv_same(t);
  if (pv_is_zero(p, u)) {
    e.to = p->one;
    e.by = pv_lemma(p, PV_EXP0);
    return e;
  }
  if (ck_head(p->terms, u) == CK_ADD) {
    v2[0] = ck_kid(p->terms, u, 0);
    v2[1] = ck_kid(p->terms, u, 1);
    e.to = pv_mul(p, pv_exp(p, v2[0]), pv_exp(p, v2[1]));
    e.by = pv_law(p, "exp+", v2, 2, PV_NONE);
    return e.by == PV_NONE ? pv_fail() : pv_then(p, e, pv_norm(p, cx, e.to));
  }
  if (ck_head(p->terms, u) == CK_LOG) {
    ck_id x = ck_kid(p->terms, u, 0);
    pv_thm g = pv_positive(p, cx, x);
    if (g != PV_NONE) {
      e.to = x;
      e.by = pv_law(p, "log", &x, 1, g);
    }
    return e;
  }
  pv_poly_init(&f);
  pv_poly_read(p, &f, u);
  ck_id q = f.count == 1 ? f.monos[0].coef : p->one;
  if (pv_const_sign(p, q) < 0) {
    ck_id x = pv_canon(p, pv_neg(p, u));
    ck_id nx = pv_neg(p, x);
    ck_id ex = pv_exp(p, x);
    ck_id en = pv_exp(p, nx);
    ck_id iex = pv_inv(p, ex);
    pv_var_sub v = {pv_real_var(p, "x"), x};
    pv_thm en1 = pv_use_lemma(p, PV_EXP_NEG, &v, 1, NULL, 0, NULL, 0);
    pv_thm nz = pv_nonzero(p, cx, ex);
    pv_thm li = pv_law(p, "inv", &ex, 1, nz);
    pv_thm same_arg = PV_REFL;
    if (nx != u) {
      pv_thm a = pv_identity(p, pv_eq(p, u, nx));
      same_arg = pv_cong(p, t, en, &a, 1);
    }
    pv_comb b;
    pv_comb_init(&b);
    pv_comb_add(&b, p->one, same_arg);
    pv_comb_add(&b, iex, en1);
    pv_comb_add(&b, pv_neg(p, en), li);
    e.to = iex;
    e.by = nz == PV_NONE ? (pv_comb_clear(&b), PV_NONE) : pv_comb_prove(p, &b, pv_eq(p, t, iex));
    e = e.by == PV_NONE ? pv_fail() : pv_then(p, e, pv_norm(p, cx, iex));
  } else if (q != p->one && ck_is_int(p->terms, q) &&
             mpq_cmp_ui(*ck_q_value(p->terms, q), 8, 1) <= 0) {
    ck_id x = pv_mono_term(p, p->one, f.monos[0].atoms, f.monos[0].degree);
    ck_id y = pv_canon(p, pv_sub(p, u, x));
    v2[0] = x;
    v2[1] = y;
    ck_id xy = pv_add(p, x, y);
    pv_thm a = pv_identity(p, pv_eq(p, u, xy));
    pv_thm c = pv_cong(p, t, pv_exp(p, xy), &a, 1);
    pv_thm l = pv_law(p, "exp+", v2, 2, PV_NONE);
    e.to = pv_mul(p, pv_exp(p, x), pv_exp(p, y));
    e.by = pv_trans(p, c, l);
    e = e.by == PV_NONE ? pv_fail() : pv_then(p, e, pv_norm(p, cx, e.to));
  }
  pv_poly_clear(&f);
  return e;
}

static pv_eqn norm_atom(pv *p, pv_ctx cx, ck_id t) {
  ck_op o = ck_head(p->terms, t);
  pv_eqn e;
  pv_eqn r;
  if (o == CK_ITE)
    return pv_norm_ite(p, cx, t);
  e = o == CK_V ? pv_same(t) : norm_kids(p, cx, t);
  if (e.by == PV_NONE)
    return e;
  switch (o) {
  case CK_INV:
    r = norm_inv(p, cx, e.to);
    break;
  case CK_EXP:
    r = norm_exp(p, cx, e.to);
    break;
  case CK_LOG:
    r = pv_norm_log(p, cx, e.to);
    break;
  case CK_SQRT:
    r = pv_norm_sqrt(p, cx, e.to);
    break;
  case CK_DIV:
  case CK_MOD:
    r = pv_norm_div(p, cx, e.to);
    break;
  case CK_FOLD:
    r = pv_norm_fold(p, cx, e.to);
    break;
  default:
    r = pv_same(e.to);
    break;
  }
  e = pv_then(p, e, r);
  return e;
}

/* what is found while a hypothesis is brought to normal form is found with less (side.c), and is
 * remembered apart */
static uint64_t memo_key(pv *p, pv_ctx cx, ck_id t) {
  return pv_ctx_strip(p, cx, t) | (p->fact_busy.n ? (uint64_t)1 << 32 : 0);
}

void pv_mark_normal(pv *p, pv_ctx cx, ck_id t) {
  if (!p->cut)
    as_map_put(&p->norm_memo, AS_KEY(t, memo_key(p, cx, t)), ((uint64_t)t << 32) | PV_REFL);
}

pv_eqn pv_norm(pv *p, pv_ctx cx, ck_id t) {
  uint64_t v;
  pv_eqn e;
  if (t == CK_BAD || pv_spent(p))
    return pv_fail();
  if (pv_is_const(p, t))
    return pv_same(t);
  if (pv_too_big(p, t))
    return pv_fail();
  cx = pv_ctx_strip(p, cx, t);
  if (as_map_get(&p->norm_memo, AS_KEY(t, memo_key(p, cx, t)), &v)) {
    e.to = (ck_id)(v >> 32);
    e.by = (uint32_t)v;
    return e;
  }
  if (p->depth >= MAX_NORM_DEPTH) {
    p->cut = p->too_deep = true;
    return pv_same(t);
  }
  bool cut = p->cut;
  ck_op o = ck_head(p->terms, t);
  p->cut = false;
  p->depth++;
  p->work += 300;
  if (o == CK_ADD || o == CK_MUL) {
    e = norm_mixed(p, cx, t);
  } else {
    e = norm_atom(p, cx, t);
    if (e.by != PV_NONE)
      e = pv_then(p, e,
                  pv_norm_poly(p, cx, e.to)); /* a size alone may be a left side of a relation */
  }
  p->depth--;
  if (e.by != PV_NONE && e.to == t)
    e.by = PV_REFL;
  if (e.by != PV_NONE && !p->cut) {
    as_map_put(&p->norm_memo, AS_KEY(t, memo_key(p, cx, t)), ((uint64_t)e.to << 32) | e.by);
    if (e.to != t)
      pv_mark_normal(p, cx, e.to);
  }
  p->cut = cut || p->cut;
  return e.by == PV_NONE ? pv_fail() : e;
}
