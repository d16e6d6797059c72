/* Normal form of a term with its proof: a polynomial over atoms (inputs at canonical indices,
 * primitive inverses, exponentials of one monomial, roots, connected sums of products, folds),
 * y*inv(y) cancelled where y # 0 is known, products of sizes folded by the stated relations. */
#include "pv.h"
#include <stdlib.h>
#include <string.h>

static eqn same(ck_id t) {
  eqn e = {t, REFL};
  return e;
}

static eqn fail(void) {
  eqn e = {CK_BAD, NO};
  return e;
}

enum { MAX_NORM_DEPTH = 250, MAX_TREE = 400000 };

/* --- relations between sizes as rewrite rules: monomial -> term */
typedef struct {
  uint32_t n;
  ck_id a[8];
  ck_id to;
  uint32_t s;
} rule; /* s: product of a = to */

typedef struct {
  rule r[32];
  uint32_t n;
} rules;

static bool prover_var(pv *p, ck_id x) {
  return ck_head(p->T, x) == CK_V && !strncmp(ck_word_text(p->T, ck_name(p->T, x)), "$$", 2);
}

static bool has_prover_var(pv *p, const mono *m) {
  for (uint32_t i = 0; i < m->n; i++) {
    if (prover_var(p, m->a[i]))
      return true;
  }
  return false;
}

/* x is t or inside of it */
bool occurs(pv *p, ck_id t, ck_id x) {
  if (t == x)
    return true;
  for (uint32_t i = 0, n = ck_nkids(p->T, t); i < n; i++) {
    if (occurs(p, ck_kid(p->T, t, i), x))
      return true;
  }
  return false;
}

/* the first rule that applies to m, or NO */
static uint32_t find_rule(const rules *R, const mono *m) {
  for (uint32_t i = 0; i < R->n; i++) {
    ck_id rest[64];
    int k;
    if (m->n > 60 || (k = mono_div(m->a, m->n, R->r[i].a, R->r[i].n, rest)) < 0)
      continue;
    return i;
  }
  return NO;
}

static void simp(pv *p, uint32_t cx, poly *f, by *b, const rules *R);

/* does atom x occur in g again, besides as monomial `at`? */
static bool elsewhere(pv *p, const poly *g, uint32_t at, ck_id x) {
  for (uint32_t i = 0; i < g->n; i++) {
    for (uint32_t j = 0; j < g->m[i].n; j++) {
      if (i != at && occurs(p, g->m[i].a[j], x))
        return true;
    }
  }
  return false;
}

/* number of the newest quotient variable in m ("$$q12") */
static long newest(pv *p, const mono *m) {
  long n = 0;
  for (uint32_t i = 0; i < m->n; i++) {
    const char *w = prover_var(p, m->a[i]) ? ck_word_text(p->T, ck_name(p->T, m->a[i])) : "";
    if (w[0] && w[2] == 'q' && atol(w + 3) > n)
      n = atol(w + 3);
  }
  return n;
}

/* indices, which no source file can name, go first, then other variables */
static int left_rank(pv *p, ck_id x) {
  return ck_head(p->T, x) != CK_V ? 0 : ck_word_text(p->T, ck_name(p->T, x))[0] == '$' ? 2 : 1;
}

/* the monomial of g = 0 that becomes a left side: an atom alone (the greatest in rank and order),
 * else a product of integers of the highest degree; NO: none */
static uint32_t pick_left(pv *p, const poly *g, bool ints) {
  uint32_t best = NO;
  for (uint32_t i = 0; i < g->n; i++) {
    const mono *m = &g->m[i];
    if (m->n != 1 || (ints && !ck_is_int(p->T, q_inv(p, m->q))) || elsewhere(p, g, i, m->a[0]))
      continue;
    ck_id x = m->a[0];
    ck_id y = best == NO ? CK_BAD : g->m[best].a[0];
    int rx = left_rank(p, x);
    int ry = y == CK_BAD ? -1 : left_rank(p, y);
    if (rx > ry || (rx == ry && t_cmp(p, x, y) > 0))
      best = i;
  }
  for (uint32_t i = 0; i < g->n && ints; i++) {
    const mono *m = &g->m[i];
    if (m->n < 2 || m->n > 8 || !ck_is_int(p->T, q_inv(p, m->q)))
      continue;
    if (best == NO ||
        (g->m[best].n > 1 &&
         (m->n > g->m[best].n || (m->n == g->m[best].n && newest(p, m) > newest(p, &g->m[best])))))
      best = i;
  }
  return best;
}

/* rules whose right side would become their left side again by the new one go */
static void drop_circular(pv *p, rules *R, const rule *r) {
  for (uint32_t i = R->n; i-- > 0;) {
    rule *o = &R->r[i];
    poly g;
    poly h;
    poly t;
    bool back = false;
    poly_init(&g);
    poly_init(&h);
    poly_of(p, &g, o->to);
    poly_of(p, &h, r->to);
    for (uint32_t j = 0; j < g.n && !back; j++) {
      ck_id rest[64];
      int k = g.m[j].n > 64 ? -1 : mono_div(g.m[j].a, g.m[j].n, r->a, r->n, rest);
      if (k < 0)
        continue;
      poly_init(&t);
      poly_mul_mono(p, &t, &h, p->one, rest, (uint32_t)k);
      for (uint32_t l = 0; l < t.n; l++)
        back = back || (t.m[l].n <= 64 && mono_div(t.m[l].a, t.m[l].n, o->a, o->n, rest) >= 0);
      poly_clear(&t);
    }
    poly_clear(&g);
    poly_clear(&h);
    if (back)
      R->r[i] = R->r[--R->n];
  }
}

static void add_rule(pv *p, uint32_t cx, rules *R, uint32_t s) {
  if (R->n == 32 || s == NO)
    return;
  ck_id f = thm(p, s);
  ck_id D = t_sub(p, ck_kid(p->T, f, 1), ck_kid(p->T, f, 0));
  bool ints = ck_is_int(p->T, D);
  poly g;
  by b;
  uint32_t left = 0;
  uint32_t red;
  rule r = {0};
  poly_init(&g);
  by_start(&b);
  poly_of(p, &g, D);
  simp(p, cx, &g, &b, R);
  ck_id D1 = poly_term(p, &g);
  red = b.sum.n ? by_end(p, &b, t_rel(p, CK_EQ, D, D1)) : (by_drop(&b), REFL);
  if (g.n == 2 && ints && red != NO) { /* N = L*T: the product becomes N */
    for (uint32_t i = 0; i < 2 && !r.n; i++) {
      const mono *m = &g.m[i];
      const mono *v = &g.m[1 - i];
      bool single =
          v->n == 0 || (v->n == 1 && ck_head(p->T, v->a[0]) == CK_V && !prover_var(p, v->a[0]));
      if (m->n >= 2 && m->n <= 8 && single && ck_is_int(p->T, q_inv(p, m->q)) &&
          !(v->n && mono_has(m, v->a[0])) && !has_prover_var(p, m)) {
        r.n = m->n;
        left = i;
      }
    }
  }
  if (!r.n && red != NO && (left = pick_left(p, &g, ints)) != NO)
    r.n = g.m[left].n;
  if (r.n && r.n <= 8) {
    mono m = g.m[left];
    ck_id c = q_mul(p, t_int(p, -1), q_inv(p, m.q));
    poly to;
    memcpy(r.a, m.a, r.n * sizeof *r.a);
    poly_init(&to);
    for (uint32_t i = 0; i < g.n; i++) {
      if (i != left)
        poly_push(p, &to, q_mul(p, c, g.m[i].q), g.m[i].a, g.m[i].n);
    }
    r.to = poly_term(p, &to);
    poly_clear(&to);
    by_start(&b); /* left = to has the value -D1/q; D1 = D + (D1 - D) */
    by_add(&b, c, s);
    by_add(&b, c, red);
    r.s = by_end(p, &b, t_rel(p, CK_EQ, mono_term(p, p->one, r.a, r.n), r.to));
    if (r.s != NO) {
      drop_circular(p, R, &r);
      R->r[R->n++] = r;
    }
  }
  poly_clear(&g);
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
          ck_head(p->T, q->to) != CK_V)
        continue;
      if ((k = mono_div(r->a, r->n, q->a, q->n, rest)) < 0)
        continue;
      if (k == 0)
        continue;
      /* rest * (q: a = to): rest*to = r.to */
      ck_id c = mono_term(p, p->one, rest, (uint32_t)k);
      uint32_t prem[2] = {r->s, q->s};
      ck_summand m[2] = {{p->one, &prem[0], 1}, {t_neg(p, c), &prem[1], 1}};
      mono nm = {p->one, (uint32_t)k + 1, rest};
      rest[k] = q->to;
      ck_id lhs = mono_term(p, p->one, rest, nm.n);
      uint32_t s = r_arith(p, t_rel(p, CK_EQ, lhs, r->to), m, 2);
      if (s == NO)
        continue;
      poly g;
      poly_init(&g);
      poly_of(p, &g, lhs);
      if (g.n == 1 && g.m[0].n <= 8) {
        r->n = g.m[0].n;
        memcpy(r->a, g.m[0].a, r->n * sizeof *r->a);
        r->s = s;
      }
      poly_clear(&g);
    }
  }
}

static const rules *rules_of(pv *p, uint32_t cx) {
  uint64_t v;
  while (cx != 0 && ck_head(p->T, CX(p, cx).formula) != CK_EQ)
    cx = CX(p, cx).parent;
  if (cx == 0)
    return NULL;
  if (map_get(&p->misc_memo, cx, 2, &v))
    return (const rules *)(uintptr_t)v;
  rules *R = as_calloc(1, sizeof *R);
  uint32_t chain[64];
  uint32_t n = 0;
  for (uint32_t c = cx; c != 0; c = CX(p, c).parent) {
    if (ck_head(p->T, CX(p, c).formula) == CK_EQ && n < 64)
      chain[n++] = CX(p, c).step;
  }
  while (n-- > 0)
    add_rule(p, cx, R, chain[n]);
  complete(p, R);
  map_put(&p->misc_memo, cx, 2, (uint64_t)(uintptr_t)R);
  as_vec_push(&p->owned, &R);
  for (uint32_t i = 0; i < R->n; i++) { /* right sides in normal form too: other rules may speak of
                                           what stands in their atoms */
    rule *r = &R->r[i];
    eqn e = norm(p, cx, r->to);
    uint32_t s = e.s == NO ? NO : eq_trans(p, r->s, e.s);
    poly g;
    bool back = false;
    if (s == NO || e.s == REFL)
      continue;
    poly_init(&g);
    poly_of(p, &g, e.t);
    for (uint32_t j = 0; j < g.n && !back; j++)
      back = g.m[j].n > 64 || mono_div(g.m[j].a, g.m[j].n, r->a, r->n, (ck_id[64]){0}) >= 0;
    poly_clear(&g);
    if (!back) {
      r->to = e.t;
      r->s = s;
    }
  }
  return R;
}

/* --- simplification of a polynomial over normal atoms; every change is a summand of b */
static void drop(poly *f, uint32_t i) {
  free(f->m[i].a);
  f->m[i] = f->m[--f->n];
}

/* replaces, in monomial i, the atoms `gone` by the term `to`; s proves (product of gone) = to */
static void replace(pv *p, poly *f, uint32_t i, const ck_id *gone, uint32_t n, ck_id to, uint32_t s,
                    by *b) {
  mono m = f->m[i];
  ck_id *rest = as_malloc((m.n + 1) * sizeof *rest);
  int k = mono_div(m.a, m.n, gone, n, rest);
  poly g;
  poly h;
  ck_id q = m.q;
  by_add(b, mono_term(p, q, rest, (uint32_t)k), s);
  poly_init(&g);
  poly_init(&h);
  poly_of(p, &g, to);
  poly_mul_mono(p, &h, &g, q, rest, (uint32_t)k);
  drop(f, i);
  poly_add(p, f, &h, p->one);
  poly_clear(&g);
  poly_clear(&h);
  free(rest);
}

static void sorted2(ck_id *g, ck_id a, ck_id b) {
  g[0] = a < b ? a : b;
  g[1] = a < b ? b : a;
}

/* inv(s)*inv(s) = inv(x) for s = sqrt(x), 0 <= x, s # 0 */
static eqn inv_root_pair(pv *p, uint32_t cx, ck_id iv) {
  ck_id s = ck_kid(p->T, iv, 0);
  ck_id x = ck_kid(p->T, s, 0);
  uint32_t nz = nonzero(p, cx, s);
  uint32_t ge = nz == NO ? NO : nonneg(p, cx, x);
  if (ge == NO)
    return fail();
  uint32_t sq = r_law(p, "sqrt2", &x, 1, ge);
  uint32_t prem[2] = {nz, nz};
  ck_vsub v[2] = {{ck_var(p->T, "x", 'r'), s}, {ck_var(p->T, "y", 'r'), s}};
  uint32_t im = r_lemma(p, L_INV_MUL, v, 2, NULL, 0, prem, 2);
  ck_id ss = t_mul(p, s, s);
  ck_id ix = t_op(p, CK_INV, x);
  uint32_t c = r_cong(p, t_op(p, CK_INV, ss), ix, &sq, 1);
  eqn e = {ix, eq_trans(p, eq_sym(p, im), c)};
  eqn r = norm(p, cx, ix);
  return e.s == NO ? fail() : eq_then(p, e, r);
}

static bool idempotent(pv *p, ck_id x) {
  ck_id u = ck_kid(p->T, x, 1);
  ck_id v = ck_kid(p->T, x, 2);
  return (is_zero(p, u) || is_one(p, u)) && (is_zero(p, v) || is_one(p, v));
}

/* x*x = x for x = ite(c, u, v) with u and v among 0 and 1 */
static uint32_t ite_squared(pv *p, ck_id x) {
  ck_id c = ck_kid(p->T, x, 0);
  ck_id f = t_rel(p, CK_EQ, t_mul(p, x, x), x);
  uint32_t half[2];
  for (int i = 0; i < 2; i++) { /* x = e: x*x - x = (x - e)*(x + e - 1) */
    uint32_t l = r_law(p, i ? "ite0" : "ite1", &x, 1, r_hyp(p, i ? ck_neg(p->T, c) : c));
    half[i] = r_arith1(p, f, t_sub(p, t_add(p, x, ck_kid(p->T, x, 1 + i)), p->one), l);
  }
  return r_cases(p, c, half[0], half[1]);
}

/* one change of monomial i; false: none */
static bool simp_mono(pv *p, uint32_t cx, poly *f, uint32_t i, by *b, const rules *R) {
  mono m = f->m[i];
  ck_id g[2];
  uint32_t hit = R ? find_rule(R, &m) : NO;
  if (hit != NO) {
    const rule *r = &R->r[hit];
    replace(p, f, i, r->a, r->n, r->to, r->s, b);
    return true;
  }
  for (uint32_t j = 0; j < m.n; j++) {
    ck_id x = m.a[j];
    ck_op o = ck_head(p->T, x);
    bool twice = j + 1 < m.n && m.a[j + 1] == x;
    if (o == CK_INV && mono_has(&m, ck_kid(p->T, x, 0))) {
      ck_id y = ck_kid(p->T, x, 0);
      uint32_t nz = nonzero(p, cx, y);
      if (nz == NO)
        continue;
      sorted2(g, x, y);
      replace(p, f, i, g, 2, p->one, r_law(p, "inv", &y, 1, nz), b);
      return true;
    }
    if (o == CK_ITE && twice && idempotent(p, x)) {
      sorted2(g, x, x);
      replace(p, f, i, g, 2, x, ite_squared(p, x), b);
      return true;
    }
    if (o == CK_SQRT && twice) {
      ck_id y = ck_kid(p->T, x, 0);
      uint32_t ge = nonneg(p, cx, y);
      if (ge == NO)
        continue;
      sorted2(g, x, x);
      replace(p, f, i, g, 2, y, r_law(p, "sqrt2", &y, 1, ge), b);
      return true;
    }
    if (o == CK_INV && ck_head(p->T, ck_kid(p->T, x, 0)) == CK_SQRT && twice) {
      eqn e = inv_root_pair(p, cx, x);
      if (e.s == NO)
        continue;
      sorted2(g, x, x);
      replace(p, f, i, g, 2, e.t, e.s, b);
      return true;
    }
  }
  return false;
}

static void simp(pv *p, uint32_t cx, poly *f, by *b, const rules *R) {
  for (uint32_t i = 0; i < f->n && !pv_spent(p);) {
    if (simp_mono(p, cx, f, i, b, R))
      i = 0;
    else
      i++;
  }
}

/* closes b as an equation from t to the polynomial f */
static eqn finish(pv *p, ck_id t, poly *f, by *b) {
  ck_id r = poly_term(p, f);
  eqn e = {r, REFL};
  poly_clear(f);
  if (r == t)
    by_drop(b);
  else
    e.s = by_end(p, b, t_rel(p, CK_EQ, t, r));
  return e.s == NO ? fail() : e;
}

eqn norm_poly(pv *p, uint32_t cx, ck_id t) {
  poly f;
  by b;
  poly_init(&f);
  by_start(&b);
  poly_of(p, &f, t);
  simp(p, cx, &f, &b, rules_of(p, cx));
  return finish(p, t, &f, &b);
}

/* --- polynomials: atoms first, then the products */
static eqn norm_mixed(pv *p, uint32_t cx, ck_id t) {
  poly f;
  poly g;
  by b;
  bool bad = false;
  poly_init(&f);
  poly_init(&g);
  by_start(&b);
  poly_of(p, &f, t);
  for (uint32_t i = 0; i < f.n && !bad; i++) {
    const mono *m = &f.m[i];
    ck_id done = m->q; /* product of what is replaced already */
    poly h;
    poly w;
    poly_init(&h);
    poly_init(&w);
    poly_push(p, &h, m->q, NULL, 0);
    for (uint32_t j = 0; j < m->n && !bad; j++) {
      eqn e = norm(p, cx, m->a[j]);
      if (e.s == NO) {
        bad = true;
        break;
      }
      if (e.s != REFL) {
        ck_id rest = mono_term(p, p->one, m->a + j + 1, m->n - j - 1);
        by_add(&b, t_mul(p, done, rest), e.s);
      }
      done = t_mul(p, done, e.t);
      poly_of(p, &w, e.t);
      poly acc;
      poly_init(&acc);
      if ((uint64_t)w.n * h.n > 4000)
        bad = true;
      for (uint32_t k = 0; k < w.n && !bad; k++) {
        poly one;
        poly_init(&one);
        poly_mul_mono(p, &one, &h, w.m[k].q, w.m[k].a, w.m[k].n);
        poly_add(p, &acc, &one, p->one);
        poly_clear(&one);
      }
      poly_clear(&h);
      h = acc;
    }
    poly_add(p, &g, &h, p->one);
    poly_clear(&h);
    poly_clear(&w);
  }
  poly_clear(&f);
  if (bad) {
    poly_clear(&g);
    by_drop(&b);
    return fail();
  }
  simp(p, cx, &g, &b, rules_of(p, cx));
  return finish(p, t, &g, &b);
}

/* --- atoms */
/* every kid that stands under no binder replaced by its normal form */
static eqn norm_kids(pv *p, uint32_t cx, ck_id t) {
  uint32_t n = ck_nkids(p->T, t);
  uint32_t np = 0;
  ck_id *kids = as_malloc((n + 1) * sizeof *kids);
  uint32_t *prem = as_malloc((n + 1) * sizeof *prem);
  eqn r = same(t);
  for (uint32_t i = 0; i < n; i++) {
    kids[i] = ck_kid(p->T, t, i);
    if (ck_kid_binders(p->T, t, i))
      continue;
    eqn e = norm(p, cx, kids[i]);
    if (e.s == NO) {
      r = fail();
      break;
    }
    kids[i] = e.t;
    if (e.s != REFL)
      prem[np++] = e.s;
  }
  if (r.s != NO && np) {
    r.t = ck_rebuild(p->T, t, kids);
    r.s = r_cong(p, t, r.t, prem, np);
    if (r.t == CK_BAD || r.s == NO)
      r = fail();
  }
  free(kids);
  free(prem);
  return r;
}

/* product of the factors f[0..n-1] in left order */
static ck_id product(pv *p, const ck_id *f, uint32_t n) {
  ck_id t = f[0];
  for (uint32_t i = 1; i < n; i++)
    t = t_mul(p, t, f[i]);
  return t;
}

/* all factors of w = product(f) nonzero: each by itself, or out of `whole`: w # 0 */
static bool factors_nonzero(pv *p, uint32_t cx, const ck_id *f, uint32_t n, uint32_t whole,
                            uint32_t *nz) {
  ck_vsub v[2] = {{ck_var(p->T, "x", 'r'), CK_BAD}, {ck_var(p->T, "y", 'r'), CK_BAD}};
  for (uint32_t i = n; i-- > 0;) {
    nz[i] = is_q(p, f[i]) ? r_const(p, t_rel(p, CK_NE, f[i], p->zero)) : nonzero(p, cx, f[i]);
    if (i == 0) {
      if (nz[0] == NO)
        nz[0] = whole;
    } else {
      v[0].term = product(p, f, i);
      v[1].term = f[i];
      if (nz[i] == NO && whole != NO)
        nz[i] = r_lemma(p, L_NZ_RIGHT, v, 2, NULL, 0, &whole, 1);
      whole = whole == NO ? NO : r_lemma(p, L_NZ_LEFT, v, 2, NULL, 0, &whole, 1);
    }
    if (nz[i] == NO)
      return false;
  }
  return true;
}

/* inv of an atom or constant: inv(q), inv(inv y) = y */
static eqn inv_factor(pv *p, ck_id x, uint32_t nz) {
  ck_id t = t_op(p, CK_INV, x);
  eqn e = same(t);
  if (is_q(p, x)) {
    e.t = q_inv(p, x);
    e.s = r_arith1(p, t_rel(p, CK_EQ, t, e.t), e.t, r_law(p, "inv", &x, 1, nz));
  }
  return e;
}

/* inv(product f) = product of inv(f_i), each simplified */
static eqn inv_product(pv *p, uint32_t cx, const ck_id *f, const uint32_t *nz, uint32_t n) {
  ck_id acc = f[0];
  ck_id cur;
  uint32_t accnz = nz[0];
  eqn e = inv_factor(p, f[0], nz[0]);
  eqn x;
  cur = e.t;
  uint32_t s = e.s; /* inv(acc) = cur */
  for (uint32_t i = 1; i < n; i++) {
    ck_vsub v[2] = {{ck_var(p->T, "x", 'r'), acc}, {ck_var(p->T, "y", 'r'), f[i]}};
    uint32_t prem[2] = {accnz, nz[i]};
    uint32_t im = r_lemma(p, L_INV_MUL, v, 2, NULL, 0, prem, 2);
    ck_id ifi = t_op(p, CK_INV, f[i]);
    x = inv_factor(p, f[i], nz[i]);
    ck_id next = t_mul(p, acc, f[i]);
    ck_summand m = {t_int(p, -1), prem, 2};
    by b;
    by_start(&b); /* inv(acc*f) = inv acc * inv f = cur * x */
    by_add(&b, p->one, im);
    by_add(&b, ifi, s);
    by_add(&b, cur, x.s);
    cur = t_mul(p, cur, x.t);
    s = by_end(p, &b, t_rel(p, CK_EQ, t_op(p, CK_INV, next), cur));
    accnz = r_arith(p, t_rel(p, CK_NE, next, p->zero), &m, 1);
    acc = next;
  }
  e.t = cur;
  e.s = s;
  if (s == NO)
    return fail();
  return eq_then(p, e, norm(p, cx, cur));
}

/* exponent of x in the monomial, inverses counted negative */
static int exponent(const mono *m, ck_id x, ck_id ix) {
  int e = 0;
  for (uint32_t i = 0; i < m->n; i++)
    e += m->a[i] == x ? 1 : m->a[i] == ix ? -1 : 0;
  return e;
}

/* factors of u: leading coefficient, common powers, the primitive rest; 0 if there is nothing to
 * take out */
uint32_t poly_content(pv *p, ck_id u, ck_id *f, uint32_t max) {
  poly g;
  uint32_t n = 0;
  ck_id lead = p->one;
  ck_id rest = u;
  ck_id first;
  poly_init(&g);
  poly_of(p, &g, u);
  first = u;
  while (ck_head(p->T, first) == CK_ADD)
    first = ck_kid(p->T, first, 0);
  {
    poly h;
    poly_init(&h);
    poly_of(p, &h, first);
    if (h.n == 1)
      lead = h.m[0].q;
    poly_clear(&h);
  }
  if (lead != p->one)
    f[n++] = lead;
  if (g.n == 1) {
    for (uint32_t i = 0; i < g.m[0].n && n < max; i++)
      f[n++] = g.m[0].a[i];
    n = g.m[0].n + 1 > max ? 0 : n;
    rest = CK_BAD;
  } else {
    ck_id seen[32];
    uint32_t ns = 0;
    poly q;
    poly_init(&q);
    poly_add(p, &q, &g, q_inv(p, lead));
    for (uint32_t i = 0; i < g.n; i++) {
      for (uint32_t j = 0; j < g.m[i].n; j++) {
        ck_id x = g.m[i].a[j];
        uint32_t k = 0;
        if (ck_head(p->T, x) == CK_INV)
          x = ck_kid(p->T, x, 0);
        while (k < ns && seen[k] != x)
          k++;
        if (k < ns || ns == 32)
          continue;
        seen[ns++] = x;
        ck_id ix = t_op(p, CK_INV, x);
        int lo = 1000;
        for (uint32_t l = 0; l < g.n; l++) {
          int e = exponent(&g.m[l], x, ix);
          if (e < lo)
            lo = e;
        }
        for (; lo > 0 && n + 1 < max; lo--) {
          f[n++] = x;
          poly h;
          poly_init(&h);
          poly_mul_mono(p, &h, &q, p->one, &ix, 1);
          poly_clear(&q);
          q = h;
        }
        for (; lo < 0 && n + 1 < max; lo++) {
          f[n++] = ix;
          poly h;
          poly_init(&h);
          poly_mul_mono(p, &h, &q, p->one, &x, 1);
          poly_clear(&q);
          q = h;
        }
      }
    }
    rest = poly_term(p, &q);
    poly_clear(&q);
  }
  poly_clear(&g);
  if (rest == CK_BAD)
    return n;
  if (n == 0)
    return 0;
  f[n++] = rest;
  return n;
}

uint32_t normal_factors(pv *p, uint32_t cx, ck_id u, ck_id *f, uint32_t max) {
  uint32_t n = poly_content(p, u, f, max);
  if (n == 0) {
    f[0] = u;
    return 1;
  }
  if (ck_head(p->T, u) ==
      CK_ADD) { /* the rest must be multiplied out: atoms times their inverses */
    eqn r = norm_poly(p, cx, f[n - 1]);
    if (r.s == NO) {
      f[0] = u;
      return 1;
    }
    f[n - 1] = r.t;
  }
  return n;
}

static eqn norm_inv(pv *p, uint32_t cx, ck_id t) {
  enum { MAXF = 24 };

  ck_id u = ck_kid(p->T, t, 0);
  ck_id f[MAXF + 1];
  uint32_t nz[MAXF + 1];
  uint32_t n;
  if (is_q(p, u))
    return is_zero(p, u) ? same(t) : inv_factor(p, u, r_const(p, t_rel(p, CK_NE, u, p->zero)));
  if (ck_head(p->T, u) == CK_INV) { /* inv(inv y) */
    ck_vsub v = {ck_var(p->T, "x", 'r'), ck_kid(p->T, u, 0)};
    uint32_t y = nonzero(p, cx, v.term);
    eqn e = {v.term, y == NO ? NO : r_lemma(p, L_INV_INV, &v, 1, NULL, 0, &y, 1)};
    return y == NO ? same(t) : e;
  }
  if (ck_head(p->T, u) != CK_ADD && ck_head(p->T, u) != CK_MUL)
    return same(t);
  n = normal_factors(p, cx, u, f, MAXF);
  if (n < 2)
    return same(t);
  uint32_t whole;
  ck_id w = product(p, f, n);
  eqn uw = norm_poly(p, cx, w); /* w = u */
  if (uw.s == NO || uw.t != u)
    return same(t);
  uint32_t nu = nonzero(p, cx, u);
  whole = nu == NO       ? NO
          : uw.s == REFL ? nu
                         : r_arith(p, t_rel(p, CK_NE, w, p->zero),
                                   (ck_summand[]){{p->one, &nu, 1}, {p->one, &uw.s, 1}}, 2);
  if (!factors_nonzero(p, cx, f, n, whole, nz))
    return same(t);
  uint32_t back = uw.s == REFL ? REFL : eq_sym(p, uw.s);
  eqn e = {t_op(p, CK_INV, w), REFL};
  if (back != REFL)
    e.s = r_cong(p, t, e.t, &back, 1);
  /* what was learnt about the factors stays known */
  for (uint32_t i = 0; i < n; i++) {
    map_put(&p->rel_memo, ((uint64_t)cx_strip(p, cx, f[i]) << 32) | t_rel(p, CK_NE, f[i], p->zero),
            1, nz[i]);
  }
  eqn r = inv_product(p, cx, f, nz, n);
  if (r.s == NO || e.s == NO)
    return same(t);
  return eq_then(p, e, r);
}

/* exp(x + y) = exp x * exp y; exp(-x) = inv(exp x); exp(2x) = exp x * exp x; exp 0 = 1; exp(log x)
 * = x */
static eqn norm_exp(pv *p, uint32_t cx, ck_id t) {
  ck_id u = ck_kid(p->T, t, 0);
  ck_id v2[2];
  poly f;
  eqn e = same(t);
  if (is_zero(p, u)) {
    e.t = p->one;
    e.s = lemma(p, L_EXP0);
    return e;
  }
  if (ck_head(p->T, u) == CK_ADD) {
    v2[0] = ck_kid(p->T, u, 0);
    v2[1] = ck_kid(p->T, u, 1);
    e.t = t_mul(p, t_op(p, CK_EXP, v2[0]), t_op(p, CK_EXP, v2[1]));
    e.s = r_law(p, "exp+", v2, 2, NO);
    return e.s == NO ? fail() : eq_then(p, e, norm(p, cx, e.t));
  }
  if (ck_head(p->T, u) == CK_LOG) {
    ck_id x = ck_kid(p->T, u, 0);
    uint32_t g = positive(p, cx, x);
    if (g != NO) {
      e.t = x;
      e.s = r_law(p, "log", &x, 1, g);
    }
    return e;
  }
  poly_init(&f);
  poly_of(p, &f, u);
  ck_id q = f.n == 1 ? f.m[0].q : p->one;
  if (q_sgn(p, q) < 0) {
    ck_id x = canon(p, t_neg(p, u));
    ck_id nx = t_neg(p, x);
    ck_id ex = t_op(p, CK_EXP, x);
    ck_id en = t_op(p, CK_EXP, nx);
    ck_id iex = t_op(p, CK_INV, ex);
    ck_vsub v = {ck_var(p->T, "x", 'r'), x};
    uint32_t en1 = r_lemma(p, L_EXP_NEG, &v, 1, NULL, 0, NULL, 0);
    uint32_t nz = nonzero(p, cx, ex);
    uint32_t li = r_law(p, "inv", &ex, 1, nz);
    uint32_t same_arg = REFL;
    if (nx != u) {
      uint32_t a = r_arith0(p, t_rel(p, CK_EQ, u, nx));
      same_arg = r_cong(p, t, en, &a, 1);
    }
    by b;
    by_start(&b);
    by_add(&b, p->one, same_arg);
    by_add(&b, iex, en1);
    by_add(&b, t_neg(p, en), li);
    e.t = iex;
    e.s = nz == NO ? (by_drop(&b), NO) : by_end(p, &b, t_rel(p, CK_EQ, t, iex));
    e = e.s == NO ? fail() : eq_then(p, e, norm(p, cx, iex));
  } else if (q != p->one && ck_is_int(p->T, q) && mpq_cmp_ui(*ck_q_value(p->T, q), 8, 1) <= 0) {
    ck_id x = mono_term(p, p->one, f.m[0].a, f.m[0].n);
    ck_id y = canon(p, t_sub(p, u, x));
    v2[0] = x;
    v2[1] = y;
    ck_id xy = t_add(p, x, y);
    uint32_t a = r_arith0(p, t_rel(p, CK_EQ, u, xy));
    uint32_t c = r_cong(p, t, t_op(p, CK_EXP, xy), &a, 1);
    uint32_t l = r_law(p, "exp+", v2, 2, NO);
    e.t = t_mul(p, t_op(p, CK_EXP, x), t_op(p, CK_EXP, y));
    e.s = eq_trans(p, c, l);
    e = e.s == NO ? fail() : eq_then(p, e, norm(p, cx, e.t));
  }
  poly_clear(&f);
  return e;
}

static eqn norm_atom(pv *p, uint32_t cx, ck_id t) {
  ck_op o = ck_head(p->T, t);
  eqn e;
  eqn r;
  if (o == CK_ITE)
    return norm_ite(p, cx, t);
  e = o == CK_V ? same(t) : norm_kids(p, cx, t);
  if (e.s == NO)
    return e;
  switch (o) {
  case CK_INV:
    r = norm_inv(p, cx, e.t);
    break;
  case CK_EXP:
    r = norm_exp(p, cx, e.t);
    break;
  case CK_LOG:
    r = norm_log(p, cx, e.t);
    break;
  case CK_SQRT:
    r = norm_sqrt(p, cx, e.t);
    break;
  case CK_DIV:
  case CK_MOD:
    r = norm_div(p, cx, e.t);
    break;
  case CK_FOLD:
    r = norm_fold(p, cx, e.t);
    break;
  default:
    r = same(e.t);
    break;
  }
  e = eq_then(p, e, r);
  return e;
}

/* what is found while a hypothesis is brought to normal form is found with less (side.c), and is
 * remembered apart */
static uint64_t memo_key(pv *p, uint32_t cx, ck_id t) {
  return cx_strip(p, cx, t) | (p->fact_busy.n ? (uint64_t)1 << 32 : 0);
}

void norm_is(pv *p, uint32_t cx, ck_id t) {
  if (!p->cut)
    map_put(&p->norm_memo, t, memo_key(p, cx, t), ((uint64_t)t << 32) | REFL);
}

/* nodes of t written out as a tree, sums and products as polynomials, which is what walks over
 * terms cost; not counted beyond the bound */
static uint64_t tree_size(pv *p, ck_id t) {
  uint64_t n = 1;
  uint64_t v;
  ck_op o = ck_head(p->T, t);
  const ck_poly *f = o == CK_ADD || o == CK_MUL ? ck_poly_of(p->T, t) : NULL;
  if (ck_nkids(p->T, t) == 0)
    return 1;
  if (map_get(&p->misc_memo, t, 9, &v))
    return v;
  for (uint32_t i = 0, k = f ? ck_poly_len(f) : 0; i < k && n <= MAX_TREE; i++) {
    ck_mono m = ck_poly_mono(f, i);
    for (uint32_t j = 0; j < m.deg && n <= MAX_TREE; j++)
      n += tree_size(p, m.atoms[j]);
  }
  for (uint32_t i = 0, k = f ? 0 : ck_nkids(p->T, t); i < k && n <= MAX_TREE; i++)
    n += tree_size(p, ck_kid(p->T, t, i));
  if (n > MAX_TREE)
    n = MAX_TREE + 1;
  map_put(&p->misc_memo, t, 9, n);
  return n;
}

bool too_big(pv *p, ck_id t) {
  if (tree_size(p, t) <= MAX_TREE)
    return false;
  p->too_deep = true;
  return true;
}

eqn norm(pv *p, uint32_t cx, ck_id t) {
  uint64_t v;
  eqn e;
  if (t == CK_BAD || pv_spent(p))
    return fail();
  if (is_q(p, t))
    return same(t);
  if (too_big(p, t))
    return fail();
  cx = cx_strip(p, cx, t);
  if (map_get(&p->norm_memo, t, memo_key(p, cx, t), &v)) {
    e.t = (ck_id)(v >> 32);
    e.s = (uint32_t)v;
    return e;
  }
  if (p->depth >= MAX_NORM_DEPTH) {
    p->cut = p->too_deep = true;
    return same(t);
  }
  bool cut = p->cut;
  ck_op o = ck_head(p->T, t);
  p->cut = false;
  p->depth++;
  p->work += 300;
  if (o == CK_ADD || o == CK_MUL) {
    e = norm_mixed(p, cx, t);
  } else {
    e = norm_atom(p, cx, t);
    if (e.s != NO)
      e = eq_then(p, e, norm_poly(p, cx, e.t)); /* a size alone may be a left side of a relation */
  }
  p->depth--;
  if (e.s != NO && e.t == t)
    e.s = REFL;
  if (e.s != NO && !p->cut) {
    map_put(&p->norm_memo, t, memo_key(p, cx, t), ((uint64_t)e.t << 32) | e.s);
    if (e.t != t)
      norm_is(p, cx, e.t);
  }
  p->cut = cut || p->cut;
  return e.s == NO ? fail() : e;
}
