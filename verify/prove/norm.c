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
  uint32_t degree;
  ck_id atoms[8];
  ck_id to;
  pv_thm by;
} size_rule; /* s: product of a = to */

typedef struct {
  size_rule rule[32];
  uint32_t count;
} size_rules;

static bool prover_var(pv *prover, ck_id x) {
  return ck_head(prover->terms, x) == CK_V &&
         !strncmp(ck_word_text(prover->terms, ck_name(prover->terms, x)), "$$", 2);
}

static bool has_prover_var(pv *prover, const pv_mono *mono) {
  for (uint32_t i = 0; i < mono->degree; i++) {
    if (prover_var(prover, mono->atoms[i]))
      return true;
  }
  return false;
}

/* the first rule that applies to m, or PV_NONE */
static uint32_t find_rule(const size_rules *R, const pv_mono *mono) {
  for (uint32_t i = 0; i < R->count; i++) {
    ck_id rest[64];
    int k;
    if (mono->degree > 60 ||
        (k = pv_mono_div(mono->atoms, mono->degree, R->rule[i].atoms, R->rule[i].degree, rest)) < 0)
      continue;
    return i;
  }
  return PV_NONE;
}

static void simp(pv *prover, pv_ctx ctx, pv_poly *poly, pv_comb *comb, const size_rules *R);

/* does atom x occur in g again, besides as monomial `at`? */
static bool elsewhere(pv *prover, const pv_poly *other, uint32_t at, ck_id x) {
  for (uint32_t i = 0; i < other->count; i++) {
    for (uint32_t j = 0; j < other->monos[i].degree; j++) {
      if (i != at && pv_occurs(prover, other->monos[i].atoms[j], x))
        return true;
    }
  }
  return false;
}

/* number of the newest quotient variable in m ("$$q12") */
static long newest(pv *prover, const pv_mono *mono) {
  long n = 0;
  for (uint32_t i = 0; i < mono->degree; i++) {
    const char *w = prover_var(prover, mono->atoms[i])
                        ? ck_word_text(prover->terms, ck_name(prover->terms, mono->atoms[i]))
                        : "";
    if (w[0] && w[2] == 'q' && atol(w + 3) > n)
      n = atol(w + 3);
  }
  return n;
}

/* indices, which no source file can name, go first, then other variables */
static int left_rank(pv *prover, ck_id x) {
  return ck_head(prover->terms, x) != CK_V                                  ? 0
         : ck_word_text(prover->terms, ck_name(prover->terms, x))[0] == '$' ? 2
                                                                            : 1;
}

/* the monomial of g = 0 that becomes a left side: an atom alone (the greatest in rank and order),
 * else a product of integers of the highest degree; PV_NONE: none */
static uint32_t pick_left(pv *prover, const pv_poly *other, bool ints) {
  uint32_t best = PV_NONE;
  for (uint32_t i = 0; i < other->count; i++) {
    const pv_mono *mono = &other->monos[i];
    if (mono->degree != 1 ||
        (ints && !ck_is_int(prover->terms, pv_const_inv(prover, mono->coef))) ||
        elsewhere(prover, other, i, mono->atoms[0]))
      continue;
    ck_id x = mono->atoms[0];
    ck_id y = best == PV_NONE ? CK_BAD : other->monos[best].atoms[0];
    int rx = left_rank(prover, x);
    int ry = y == CK_BAD ? -1 : left_rank(prover, y);
    if (rx > ry || (rx == ry && pv_order(prover, x, y) > 0))
      best = i;
  }
  for (uint32_t i = 0; i < other->count && ints; i++) {
    const pv_mono *mono = &other->monos[i];
    if (mono->degree < 2 || mono->degree > 8 ||
        !ck_is_int(prover->terms, pv_const_inv(prover, mono->coef)))
      continue;
    if (best == PV_NONE || (other->monos[best].degree > 1 &&
                            (mono->degree > other->monos[best].degree ||
                             (mono->degree == other->monos[best].degree &&
                              newest(prover, mono) > newest(prover, &other->monos[best])))))
      best = i;
  }
  return best;
}

/* rules whose right side would become their left side again by the new one go */
static void drop_circular(pv *prover, size_rules *R, const size_rule *r) {
  for (uint32_t i = R->count; i-- > 0;) {
    size_rule *o = &R->rule[i];
    pv_poly other;
    pv_poly h;
    pv_poly t;
    bool back = false;
    pv_poly_init(&other);
    pv_poly_init(&h);
    pv_poly_read(prover, &other, o->to);
    pv_poly_read(prover, &h, r->to);
    for (uint32_t j = 0; j < other.count && !back; j++) {
      ck_id rest[64];
      int k = other.monos[j].degree > 64 ? -1
                                         : pv_mono_div(other.monos[j].atoms, other.monos[j].degree,
                                                       r->atoms, r->degree, rest);
      if (k < 0)
        continue;
      pv_poly_init(&t);
      pv_poly_mul_mono(prover, &t, &h, prover->one, rest, (uint32_t)k);
      for (uint32_t l = 0; l < t.count; l++)
        back = back || (t.monos[l].degree <= 64 && pv_mono_div(t.monos[l].atoms, t.monos[l].degree,
                                                               o->atoms, o->degree, rest) >= 0);
      pv_poly_clear(&t);
    }
    pv_poly_clear(&other);
    pv_poly_clear(&h);
    if (back)
      R->rule[i] = R->rule[--R->count];
  }
}

static void add_rule(pv *prover, pv_ctx ctx, size_rules *R, pv_thm thm) {
  if (R->count == 32 || thm == PV_NONE)
    return;
  ck_id formula = pv_says(prover, thm);
  ck_id diff = pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0));
  bool ints = ck_is_int(prover->terms, diff);
  pv_poly other;
  pv_comb comb;
  uint32_t left = 0;
  pv_thm red;
  size_rule r = {0};
  pv_poly_init(&other);
  pv_comb_init(&comb);
  pv_poly_read(prover, &other, diff);
  simp(prover, ctx, &other, &comb, R);
  ck_id D1 = pv_poly_term(prover, &other);
  red = comb.summands.n ? pv_comb_prove(prover, &comb, pv_eq(prover, diff, D1))
                        : (pv_comb_clear(&comb), PV_REFL);
  if (other.count == 2 && ints && red != PV_NONE) { /* N = L*T: the product becomes N */
    for (uint32_t i = 0; i < 2 && !r.degree; i++) {
      const pv_mono *mono = &other.monos[i];
      const pv_mono *v = &other.monos[1 - i];
      bool single =
          v->degree == 0 || (v->degree == 1 && ck_head(prover->terms, v->atoms[0]) == CK_V &&
                             !prover_var(prover, v->atoms[0]));
      if (mono->degree >= 2 && mono->degree <= 8 && single &&
          ck_is_int(prover->terms, pv_const_inv(prover, mono->coef)) &&
          !(v->degree && pv_mono_has(mono, v->atoms[0])) && !has_prover_var(prover, mono)) {
        r.degree = mono->degree;
        left = i;
      }
    }
  }
  if (!r.degree && red != PV_NONE && (left = pick_left(prover, &other, ints)) != PV_NONE)
    r.degree = other.monos[left].degree;
  if (r.degree && r.degree <= 8) {
    pv_mono mono = other.monos[left];
    ck_id c = pv_const_mul(prover, pv_num(prover, -1), pv_const_inv(prover, mono.coef));
    pv_poly to;
    memcpy(r.atoms, mono.atoms, r.degree * sizeof *r.atoms);
    pv_poly_init(&to);
    for (uint32_t i = 0; i < other.count; i++) {
      if (i != left)
        pv_poly_add_mono(prover, &to, pv_const_mul(prover, c, other.monos[i].coef),
                         other.monos[i].atoms, other.monos[i].degree);
    }
    r.to = pv_poly_term(prover, &to);
    pv_poly_clear(&to);
    pv_comb_init(&comb); /* left = to has the value -D1/q; D1 = D + (D1 - D) */
    pv_comb_add(&comb, c, thm);
    pv_comb_add(&comb, c, red);
    r.by = pv_comb_prove(prover, &comb,
                         pv_eq(prover, pv_mono_term(prover, prover->one, r.atoms, r.degree), r.to));
    if (r.by != PV_NONE) {
      drop_circular(prover, R, &r);
      R->rule[R->count++] = r;
    }
  }
  pv_poly_clear(&other);
}

/* a longer left side that a shorter rule reduces (D = L*T, E = L*T*H) becomes D*H */
static void complete(pv *prover, size_rules *R) {
  for (uint32_t i = 0; i < R->count; i++) {
    size_rule *r = &R->rule[i];
    for (uint32_t j = 0; j < R->count; j++) {
      const size_rule *q = &R->rule[j];
      ck_id rest[8];
      int k;
      if (i == j || q->degree > r->degree || r->degree < 2 || (q->degree == r->degree && j > i) ||
          ck_head(prover->terms, q->to) != CK_V)
        continue;
      if ((k = pv_mono_div(r->atoms, r->degree, q->atoms, q->degree, rest)) < 0)
        continue;
      if (k == 0)
        continue;
      /* rest * (q: a = to): rest*to = r.to */
      ck_id c = pv_mono_term(prover, prover->one, rest, (uint32_t)k);
      pv_thm premises[2] = {r->by, q->by};
      pv_summand summand[2] = {{prover->one, &premises[0], 1},
                               {pv_neg(prover, c), &premises[1], 1}};
      pv_mono nm = {prover->one, (uint32_t)k + 1, rest};
      rest[k] = q->to;
      ck_id lhs = pv_mono_term(prover, prover->one, rest, nm.degree);
      pv_thm thm = pv_arith(prover, pv_eq(prover, lhs, r->to), summand, 2);
      if (thm == PV_NONE)
        continue;
      pv_poly other;
      pv_poly_init(&other);
      pv_poly_read(prover, &other, lhs);
      if (other.count == 1 && other.monos[0].degree <= 8) {
        r->degree = other.monos[0].degree;
        memcpy(r->atoms, other.monos[0].atoms, r->degree * sizeof *r->atoms);
        r->by = thm;
      }
      pv_poly_clear(&other);
    }
  }
}

static const size_rules *rules_of(pv *prover, pv_ctx ctx) {
  uint64_t v;
  while (ctx != 0 && ck_head(prover->terms, pv_at(prover, ctx)->formula) != CK_EQ)
    ctx = pv_at(prover, ctx)->parent;
  if (ctx == 0)
    return NULL;
  if (as_map_get(&prover->misc_memo, AS_KEY(ctx, 2), &v))
    return (const size_rules *)(uintptr_t)v;
  size_rules *R = as_calloc(1, sizeof *R);
  pv_thm chain[64];
  uint32_t n = 0;
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    if (ck_head(prover->terms, pv_at(prover, link)->formula) == CK_EQ && n < 64)
      chain[n++] = pv_at(prover, link)->thm;
  }
  while (n-- > 0)
    add_rule(prover, ctx, R, chain[n]);
  complete(prover, R);
  as_map_put(&prover->misc_memo, AS_KEY(ctx, 2), (uint64_t)(uintptr_t)R);
  as_vec_push(&prover->owned, &R);
  for (uint32_t i = 0; i < R->count; i++) { /* right sides in normal form too: other rules may speak
                                           of what stands in their atoms */
    size_rule *r = &R->rule[i];
    pv_eqn eqn = pv_norm(prover, ctx, r->to);
    pv_thm thm = eqn.by == PV_NONE ? PV_NONE : pv_trans(prover, r->by, eqn.by);
    pv_poly other;
    bool back = false;
    if (thm == PV_NONE || eqn.by == PV_REFL)
      continue;
    pv_poly_init(&other);
    pv_poly_read(prover, &other, eqn.to);
    for (uint32_t j = 0; j < other.count && !back; j++)
      back = other.monos[j].degree > 64 || pv_mono_div(other.monos[j].atoms, other.monos[j].degree,
                                                       r->atoms, r->degree, (ck_id[64]){0}) >= 0;
    pv_poly_clear(&other);
    if (!back) {
      r->to = eqn.to;
      r->by = thm;
    }
  }
  return R;
}

/* --- simplification of a polynomial over normal atoms; every change is a summand of b */
static void drop(pv_poly *poly, uint32_t i) {
  free(poly->monos[i].atoms);
  poly->monos[i] = poly->monos[--poly->count];
}

/* replaces, in monomial i, the atoms `gone` by the term `to`; s proves (product of gone) = to */
static void replace(pv *prover, pv_poly *poly, uint32_t i, const ck_id *gone, uint32_t n, ck_id to,
                    pv_thm thm, pv_comb *comb) {
  pv_mono mono = poly->monos[i];
  ck_id *rest = as_malloc((mono.degree + 1) * sizeof *rest);
  int k = pv_mono_div(mono.atoms, mono.degree, gone, n, rest);
  pv_poly other;
  pv_poly h;
  ck_id q = mono.coef;
  pv_comb_add(comb, pv_mono_term(prover, q, rest, (uint32_t)k), thm);
  pv_poly_init(&other);
  pv_poly_init(&h);
  pv_poly_read(prover, &other, to);
  pv_poly_mul_mono(prover, &h, &other, q, rest, (uint32_t)k);
  drop(poly, i);
  pv_poly_add(prover, poly, &h, prover->one);
  pv_poly_clear(&other);
  pv_poly_clear(&h);
  free(rest);
}

static void sorted2(ck_id *g, ck_id a, ck_id b) {
  g[0] = a < b ? a : b;
  g[1] = a < b ? b : a;
}

/* inv(s)*inv(s) = inv(x) for s = sqrt(x), 0 <= x, s # 0 */
static pv_eqn inv_root_pair(pv *prover, pv_ctx ctx, ck_id iv) {
  ck_id s = ck_kid(prover->terms, iv, 0);
  ck_id x = ck_kid(prover->terms, s, 0);
  pv_thm nonzero = pv_nonzero(prover, ctx, s);
  pv_thm nonneg = nonzero == PV_NONE ? PV_NONE : pv_nonneg(prover, ctx, x);
  if (nonneg == PV_NONE)
    return pv_fail();
  pv_thm sq = pv_law(prover, "sqrt2", &x, 1, nonneg);
  pv_thm premises[2] = {nonzero, nonzero};
  pv_var_sub vars[2] = {{pv_real_var(prover, "x"), s}, {pv_real_var(prover, "y"), s}};
  pv_thm im = pv_use_lemma(prover, PV_INV_MUL, vars, 2, NULL, 0, premises, 2);
  ck_id ss = pv_mul(prover, s, s);
  ck_id ix = pv_inv(prover, x);
  pv_thm c = pv_cong(prover, pv_inv(prover, ss), ix, &sq, 1);
  pv_eqn eqn = {ix, pv_trans(prover, pv_sym(prover, im), c)};
  pv_eqn result = pv_norm(prover, ctx, ix);
  return eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, result);
}

static bool idempotent(pv *prover, ck_id x) {
  ck_id u = ck_kid(prover->terms, x, 1);
  ck_id v = ck_kid(prover->terms, x, 2);
  return (pv_is_zero(prover, u) || pv_is_one(prover, u)) &&
         (pv_is_zero(prover, v) || pv_is_one(prover, v));
}

/* x*x = x for x = ite(c, u, v) with u and v among 0 and 1 */
static pv_thm ite_squared(pv *prover, ck_id x) {
  ck_id c = ck_kid(prover->terms, x, 0);
  ck_id formula = pv_eq(prover, pv_mul(prover, x, x), x);
  pv_thm halves[2];
  for (uint32_t i = 0; i < 2; i++) { /* x = e: x*x - x = (x - e)*(x + e - 1) */
    pv_thm l = pv_law(prover, i ? "ite0" : "ite1", &x, 1,
                      pv_hyp(prover, i ? ck_neg(prover->terms, c) : c));
    halves[i] = pv_scaled(
        prover, formula,
        pv_sub(prover, pv_add(prover, x, ck_kid(prover->terms, x, 1 + i)), prover->one), l);
  }
  return pv_cases(prover, c, halves[0], halves[1]);
}

/* one change of monomial i; false: none */
static bool simp_mono(pv *prover, pv_ctx ctx, pv_poly *poly, uint32_t i, pv_comb *comb,
                      const size_rules *R) {
  pv_mono mono = poly->monos[i];
  ck_id g[2];
  uint32_t hit = R ? find_rule(R, &mono) : PV_NONE;
  if (hit != PV_NONE) {
    const size_rule *r = &R->rule[hit];
    replace(prover, poly, i, r->atoms, r->degree, r->to, r->by, comb);
    return true;
  }
  for (uint32_t j = 0; j < mono.degree; j++) {
    ck_id x = mono.atoms[j];
    ck_op head = ck_head(prover->terms, x);
    bool twice = j + 1 < mono.degree && mono.atoms[j + 1] == x;
    if (head == CK_INV && pv_mono_has(&mono, ck_kid(prover->terms, x, 0))) {
      ck_id y = ck_kid(prover->terms, x, 0);
      pv_thm nonzero = pv_nonzero(prover, ctx, y);
      if (nonzero == PV_NONE)
        continue;
      sorted2(g, x, y);
      replace(prover, poly, i, g, 2, prover->one, pv_law(prover, "inv", &y, 1, nonzero), comb);
      return true;
    }
    if (head == CK_ITE && twice && idempotent(prover, x)) {
      sorted2(g, x, x);
      replace(prover, poly, i, g, 2, x, ite_squared(prover, x), comb);
      return true;
    }
    if (head == CK_SQRT && twice) {
      ck_id y = ck_kid(prover->terms, x, 0);
      pv_thm nonneg = pv_nonneg(prover, ctx, y);
      if (nonneg == PV_NONE)
        continue;
      sorted2(g, x, x);
      replace(prover, poly, i, g, 2, y, pv_law(prover, "sqrt2", &y, 1, nonneg), comb);
      return true;
    }
    if (head == CK_INV && ck_head(prover->terms, ck_kid(prover->terms, x, 0)) == CK_SQRT && twice) {
      pv_eqn eqn = inv_root_pair(prover, ctx, x);
      if (eqn.by == PV_NONE)
        continue;
      sorted2(g, x, x);
      replace(prover, poly, i, g, 2, eqn.to, eqn.by, comb);
      return true;
    }
  }
  return false;
}

static void simp(pv *prover, pv_ctx ctx, pv_poly *poly, pv_comb *comb, const size_rules *R) {
  for (uint32_t i = 0; i < poly->count && !pv_spent(prover);) {
    if (simp_mono(prover, ctx, poly, i, comb, R))
      i = 0;
    else
      i++;
  }
}

/* closes b as an equation from t to the polynomial f */
static pv_eqn finish(pv *prover, ck_id term, pv_poly *poly, pv_comb *comb) {
  ck_id r = pv_poly_term(prover, poly);
  pv_eqn eqn = {r, PV_REFL};
  pv_poly_clear(poly);
  if (r == term)
    pv_comb_clear(comb);
  else
    eqn.by = pv_comb_prove(prover, comb, pv_eq(prover, term, r));
  return eqn.by == PV_NONE ? pv_fail() : eqn;
}

pv_eqn pv_norm_poly(pv *prover, pv_ctx ctx, ck_id term) {
  pv_poly poly;
  pv_comb comb;
  pv_poly_init(&poly);
  pv_comb_init(&comb);
  pv_poly_read(prover, &poly, term);
  simp(prover, ctx, &poly, &comb, rules_of(prover, ctx));
  return finish(prover, term, &poly, &comb);
}

/* --- polynomials: atoms first, then the products */
static pv_eqn norm_mixed(pv *prover, pv_ctx ctx, ck_id term) {
  pv_poly poly;
  pv_poly other;
  pv_comb comb;
  bool bad = false;
  pv_poly_init(&poly);
  pv_poly_init(&other);
  pv_comb_init(&comb);
  pv_poly_read(prover, &poly, term);
  for (uint32_t i = 0; i < poly.count && !bad; i++) {
    const pv_mono *mono = &poly.monos[i];
    ck_id done = mono->coef; /* product of what is replaced already */
    pv_poly h;
    pv_poly w;
    pv_poly_init(&h);
    pv_poly_init(&w);
    pv_poly_add_mono(prover, &h, mono->coef, NULL, 0);
    for (uint32_t j = 0; j < mono->degree && !bad; j++) {
      pv_eqn eqn = pv_norm(prover, ctx, mono->atoms[j]);
      if (eqn.by == PV_NONE) {
        bad = true;
        break;
      }
      if (eqn.by != PV_REFL) {
        ck_id rest = pv_mono_term(prover, prover->one, mono->atoms + j + 1, mono->degree - j - 1);
        pv_comb_add(&comb, pv_mul(prover, done, rest), eqn.by);
      }
      done = pv_mul(prover, done, eqn.to);
      pv_poly_read(prover, &w, eqn.to);
      pv_poly acc;
      pv_poly_init(&acc);
      if ((uint64_t)w.count * h.count > 4000)
        bad = true;
      for (uint32_t k = 0; k < w.count && !bad; k++) {
        pv_poly one;
        pv_poly_init(&one);
        pv_poly_mul_mono(prover, &one, &h, w.monos[k].coef, w.monos[k].atoms, w.monos[k].degree);
        pv_poly_add(prover, &acc, &one, prover->one);
        pv_poly_clear(&one);
      }
      pv_poly_clear(&h);
      h = acc;
    }
    pv_poly_add(prover, &other, &h, prover->one);
    pv_poly_clear(&h);
    pv_poly_clear(&w);
  }
  pv_poly_clear(&poly);
  if (bad) {
    pv_poly_clear(&other);
    pv_comb_clear(&comb);
    return pv_fail();
  }
  simp(prover, ctx, &other, &comb, rules_of(prover, ctx));
  return finish(prover, term, &other, &comb);
}

/* --- atoms */
/* every kid that stands under no binder replaced by its normal form */
static pv_eqn norm_kids(pv *prover, pv_ctx ctx, ck_id term) {
  uint32_t n = ck_nkids(prover->terms, term);
  uint32_t np = 0;
  ck_id *kids = as_malloc((n + 1) * sizeof *kids);
  pv_thm *premises = as_malloc((n + 1) * sizeof *premises);
  pv_eqn result = pv_same(term);
  for (uint32_t i = 0; i < n; i++) {
    kids[i] = ck_kid(prover->terms, term, i);
    if (ck_kid_binders(prover->terms, term, i))
      continue;
    pv_eqn eqn = pv_norm(prover, ctx, kids[i]);
    if (eqn.by == PV_NONE) {
      result = pv_fail();
      break;
    }
    kids[i] = eqn.to;
    if (eqn.by != PV_REFL)
      premises[np++] = eqn.by;
  }
  if (result.by != PV_NONE && np) {
    result.to = ck_rebuild(prover->terms, term, kids);
    result.by = pv_cong(prover, term, result.to, premises, np);
    if (result.to == CK_BAD || result.by == PV_NONE)
      result = pv_fail();
  }
  free(kids);
  free(premises);
  return result;
}

/* product of the factors f[0..n-1] in left order */
static ck_id product(pv *prover, const ck_id *formula, uint32_t n) {
  ck_id term = formula[0];
  for (uint32_t i = 1; i < n; i++)
    term = pv_mul(prover, term, formula[i]);
  return term;
}

/* all factors of w = product(f) nonzero: each by itself, or out of `whole`: w # 0 */
static bool factors_nonzero(pv *prover, pv_ctx ctx, const ck_id *formula, uint32_t n, pv_thm whole,
                            pv_thm *nonzero) {
  pv_var_sub vars[2] = {{pv_real_var(prover, "x"), CK_BAD}, {pv_real_var(prover, "y"), CK_BAD}};
  for (uint32_t i = n; i-- > 0;) {
    nonzero[i] = pv_is_const(prover, formula[i]) ? pv_by_value(prover, pv_ne0(prover, formula[i]))
                                                 : pv_nonzero(prover, ctx, formula[i]);
    if (i == 0) {
      if (nonzero[0] == PV_NONE)
        nonzero[0] = whole;
    } else {
      vars[0].term = product(prover, formula, i);
      vars[1].term = formula[i];
      if (nonzero[i] == PV_NONE && whole != PV_NONE)
        nonzero[i] = pv_use_lemma(prover, PV_NZ_RIGHT, vars, 2, NULL, 0, &whole, 1);
      whole = whole == PV_NONE ? PV_NONE
                               : pv_use_lemma(prover, PV_NZ_LEFT, vars, 2, NULL, 0, &whole, 1);
    }
    if (nonzero[i] == PV_NONE)
      return false;
  }
  return true;
}

/* inv of an atom or constant: inv(q), inv(inv y) = y */
static pv_eqn inv_factor(pv *prover, ck_id x, pv_thm nonzero) {
  ck_id term = pv_inv(prover, x);
  pv_eqn eqn = pv_same(term);
  if (pv_is_const(prover, x)) {
    eqn.to = pv_const_inv(prover, x);
    eqn.by = pv_scaled(prover, pv_eq(prover, term, eqn.to), eqn.to,
                       pv_law(prover, "inv", &x, 1, nonzero));
  }
  return eqn;
}

/* inv(product f) = product of inv(f_i), each simplified */
static pv_eqn inv_product(pv *prover, pv_ctx ctx, const ck_id *formula, const pv_thm *nonzero,
                          uint32_t n) {
  ck_id acc = formula[0];
  ck_id cur;
  pv_thm accnz = nonzero[0];
  pv_eqn eqn = inv_factor(prover, formula[0], nonzero[0]);
  pv_eqn x;
  cur = eqn.to;
  pv_thm thm = eqn.by; /* inv(acc) = cur */
  for (uint32_t i = 1; i < n; i++) {
    pv_var_sub vars[2] = {{pv_real_var(prover, "x"), acc}, {pv_real_var(prover, "y"), formula[i]}};
    pv_thm premises[2] = {accnz, nonzero[i]};
    pv_thm im = pv_use_lemma(prover, PV_INV_MUL, vars, 2, NULL, 0, premises, 2);
    ck_id ifi = pv_inv(prover, formula[i]);
    x = inv_factor(prover, formula[i], nonzero[i]);
    ck_id next = pv_mul(prover, acc, formula[i]);
    pv_summand summand = {pv_num(prover, -1), premises, 2};
    pv_comb comb;
    pv_comb_init(&comb); /* inv(acc*f) = inv acc * inv f = cur * x */
    pv_comb_add(&comb, prover->one, im);
    pv_comb_add(&comb, ifi, thm);
    pv_comb_add(&comb, cur, x.by);
    cur = pv_mul(prover, cur, x.to);
    thm = pv_comb_prove(prover, &comb, pv_eq(prover, pv_inv(prover, next), cur));
    accnz = pv_arith(prover, pv_ne0(prover, next), &summand, 1);
    acc = next;
  }
  eqn.to = cur;
  eqn.by = thm;
  if (thm == PV_NONE)
    return pv_fail();
  return pv_then(prover, eqn, pv_norm(prover, ctx, cur));
}

/* exponent of x in the monomial, inverses counted negative */
static int exponent(const pv_mono *mono, ck_id x, ck_id ix) {
  int e = 0;
  for (uint32_t i = 0; i < mono->degree; i++)
    e += mono->atoms[i] == x ? 1 : mono->atoms[i] == ix ? -1 : 0;
  return e;
}

/* factors of u: leading coefficient, common powers, the primitive rest; 0 if there is nothing to
 * take out */
uint32_t pv_poly_content(pv *prover, ck_id u, ck_id *formula, uint32_t max) {
  pv_poly other;
  uint32_t n = 0;
  ck_id lead = prover->one;
  ck_id rest = u;
  ck_id first;
  pv_poly_init(&other);
  pv_poly_read(prover, &other, u);
  first = u;
  while (ck_head(prover->terms, first) == CK_ADD)
    first = ck_kid(prover->terms, first, 0);
  {
    pv_poly h;
    pv_poly_init(&h);
    pv_poly_read(prover, &h, first);
    if (h.count == 1)
      lead = h.monos[0].coef;
    pv_poly_clear(&h);
  }
  if (lead != prover->one)
    formula[n++] = lead;
  if (other.count == 1) {
    for (uint32_t i = 0; i < other.monos[0].degree && n < max; i++)
      formula[n++] = other.monos[0].atoms[i];
    n = other.monos[0].degree + 1 > max ? 0 : n;
    rest = CK_BAD;
  } else {
    ck_id seen[32];
    uint32_t ns = 0;
    pv_poly q;
    pv_poly_init(&q);
    pv_poly_add(prover, &q, &other, pv_const_inv(prover, lead));
    for (uint32_t i = 0; i < other.count; i++) {
      for (uint32_t j = 0; j < other.monos[i].degree; j++) {
        ck_id x = other.monos[i].atoms[j];
        uint32_t k = 0;
        if (ck_head(prover->terms, x) == CK_INV)
          x = ck_kid(prover->terms, x, 0);
        while (k < ns && seen[k] != x)
          k++;
        if (k < ns || ns == 32)
          continue;
        seen[ns++] = x;
        ck_id ix = pv_inv(prover, x);
        int lo = 1000;
        for (uint32_t l = 0; l < other.count; l++) {
          int e = exponent(&other.monos[l], x, ix);
          if (e < lo)
            lo = e;
        }
        for (; lo > 0 && n + 1 < max; lo--) {
          formula[n++] = x;
          pv_poly h;
          pv_poly_init(&h);
          pv_poly_mul_mono(prover, &h, &q, prover->one, &ix, 1);
          pv_poly_clear(&q);
          q = h;
        }
        for (; lo < 0 && n + 1 < max; lo++) {
          formula[n++] = ix;
          pv_poly h;
          pv_poly_init(&h);
          pv_poly_mul_mono(prover, &h, &q, prover->one, &x, 1);
          pv_poly_clear(&q);
          q = h;
        }
      }
    }
    rest = pv_poly_term(prover, &q);
    pv_poly_clear(&q);
  }
  pv_poly_clear(&other);
  if (rest == CK_BAD)
    return n;
  if (n == 0)
    return 0;
  formula[n++] = rest;
  return n;
}

uint32_t pv_normal_factors(pv *prover, pv_ctx ctx, ck_id u, ck_id *formula, uint32_t max) {
  uint32_t n = pv_poly_content(prover, u, formula, max);
  if (n == 0) {
    formula[0] = u;
    return 1;
  }
  if (ck_head(prover->terms, u) ==
      CK_ADD) { /* the rest must be multiplied out: atoms times their inverses */
    pv_eqn result = pv_norm_poly(prover, ctx, formula[n - 1]);
    if (result.by == PV_NONE) {
      formula[0] = u;
      return 1;
    }
    formula[n - 1] = result.to;
  }
  return n;
}

static pv_eqn norm_inv(pv *prover, pv_ctx ctx, ck_id term) {
  enum { MAXF = 24 };

  ck_id u = ck_kid(prover->terms, term, 0);
  ck_id formula[MAXF + 1];
  pv_thm nonzero[MAXF + 1];
  uint32_t n;
  if (pv_is_const(prover, u))
    return pv_is_zero(prover, u) ? pv_same(term)
                                 : inv_factor(prover, u, pv_by_value(prover, pv_ne0(prover, u)));
  if (ck_head(prover->terms, u) == CK_INV) { /* inv(inv y) */
    pv_var_sub vars = {pv_real_var(prover, "x"), ck_kid(prover->terms, u, 0)};
    pv_thm y = pv_nonzero(prover, ctx, vars.term);
    pv_eqn eqn = {vars.term, y == PV_NONE
                                 ? PV_NONE
                                 : pv_use_lemma(prover, PV_INV_INV, &vars, 1, NULL, 0, &y, 1)};
    return y == PV_NONE ? pv_same(term) : eqn;
  }
  if (ck_head(prover->terms, u) != CK_ADD && ck_head(prover->terms, u) != CK_MUL)
    return pv_same(term);
  n = pv_normal_factors(prover, ctx, u, formula, MAXF);
  if (n < 2)
    return pv_same(term);
  pv_thm whole;
  ck_id w = product(prover, formula, n);
  pv_eqn uw = pv_norm_poly(prover, ctx, w); /* w = u */
  if (uw.by == PV_NONE || uw.to != u)
    return pv_same(term);
  pv_thm nu = pv_nonzero(prover, ctx, u);
  whole = nu == PV_NONE ? PV_NONE
          : uw.by == PV_REFL
              ? nu
              : pv_arith(prover, pv_ne0(prover, w),
                         (pv_summand[]){{prover->one, &nu, 1}, {prover->one, &uw.by, 1}}, 2);
  if (!factors_nonzero(prover, ctx, formula, n, whole, nonzero))
    return pv_same(term);
  pv_thm back = uw.by == PV_REFL ? PV_REFL : pv_sym(prover, uw.by);
  pv_eqn eqn = {pv_inv(prover, w), PV_REFL};
  if (back != PV_REFL)
    eqn.by = pv_cong(prover, term, eqn.to, &back, 1);
  /* what was learnt about the factors stays known */
  for (uint32_t i = 0; i < n; i++) {
    as_map_put(
        &prover->rel_memo,
        AS_KEY(((uint64_t)pv_ctx_strip(prover, ctx, formula[i]) << 32) | pv_ne0(prover, formula[i]),
               1),
        nonzero[i]);
  }
  pv_eqn result = inv_product(prover, ctx, formula, nonzero, n);
  if (result.by == PV_NONE || eqn.by == PV_NONE)
    return pv_same(term);
  return pv_then(prover, eqn, result);
}

/* exp(x + y) = exp x * exp y; exp(-x) = inv(exp x); exp(2x) = exp x * exp x; exp 0 = 1; exp(log x)
 * = x */
static pv_eqn norm_exp(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id u = ck_kid(prover->terms, term, 0);
  ck_id v2[2];
  pv_poly poly;
  pv_eqn eqn = pv_same(term);
  if (pv_is_zero(prover, u)) {
    eqn.to = prover->one;
    eqn.by = pv_lemma(prover, PV_EXP0);
    return eqn;
  }
  if (ck_head(prover->terms, u) == CK_ADD) {
    v2[0] = ck_kid(prover->terms, u, 0);
    v2[1] = ck_kid(prover->terms, u, 1);
    eqn.to = pv_mul(prover, pv_exp(prover, v2[0]), pv_exp(prover, v2[1]));
    eqn.by = pv_law(prover, "exp+", v2, 2, PV_NONE);
    return eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
  }
  if (ck_head(prover->terms, u) == CK_LOG) {
    ck_id x = ck_kid(prover->terms, u, 0);
    pv_thm g = pv_positive(prover, ctx, x);
    if (g != PV_NONE) {
      eqn.to = x;
      eqn.by = pv_law(prover, "log", &x, 1, g);
    }
    return eqn;
  }
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, u);
  ck_id q = poly.count == 1 ? poly.monos[0].coef : prover->one;
  if (pv_const_sign(prover, q) < 0) {
    ck_id x = pv_canon(prover, pv_neg(prover, u));
    ck_id nx = pv_neg(prover, x);
    ck_id ex = pv_exp(prover, x);
    ck_id en = pv_exp(prover, nx);
    ck_id iex = pv_inv(prover, ex);
    pv_var_sub vars = {pv_real_var(prover, "x"), x};
    pv_thm en1 = pv_use_lemma(prover, PV_EXP_NEG, &vars, 1, NULL, 0, NULL, 0);
    pv_thm nonzero = pv_nonzero(prover, ctx, ex);
    pv_thm li = pv_law(prover, "inv", &ex, 1, nonzero);
    pv_thm same_arg = PV_REFL;
    if (nx != u) {
      pv_thm a = pv_identity(prover, pv_eq(prover, u, nx));
      same_arg = pv_cong(prover, term, en, &a, 1);
    }
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, same_arg);
    pv_comb_add(&comb, iex, en1);
    pv_comb_add(&comb, pv_neg(prover, en), li);
    eqn.to = iex;
    eqn.by = nonzero == PV_NONE ? (pv_comb_clear(&comb), PV_NONE)
                                : pv_comb_prove(prover, &comb, pv_eq(prover, term, iex));
    eqn = eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, iex));
  } else if (q != prover->one && ck_is_int(prover->terms, q) &&
             mpq_cmp_ui(*ck_q_value(prover->terms, q), 8, 1) <= 0) {
    ck_id x = pv_mono_term(prover, prover->one, poly.monos[0].atoms, poly.monos[0].degree);
    ck_id y = pv_canon(prover, pv_sub(prover, u, x));
    v2[0] = x;
    v2[1] = y;
    ck_id xy = pv_add(prover, x, y);
    pv_thm a = pv_identity(prover, pv_eq(prover, u, xy));
    pv_thm c = pv_cong(prover, term, pv_exp(prover, xy), &a, 1);
    pv_thm l = pv_law(prover, "exp+", v2, 2, PV_NONE);
    eqn.to = pv_mul(prover, pv_exp(prover, x), pv_exp(prover, y));
    eqn.by = pv_trans(prover, c, l);
    eqn = eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
  }
  pv_poly_clear(&poly);
  return eqn;
}

static pv_eqn norm_atom(pv *prover, pv_ctx ctx, ck_id term) {
  ck_op head = ck_head(prover->terms, term);
  pv_eqn eqn;
  pv_eqn result;
  if (head == CK_ITE)
    return pv_norm_ite(prover, ctx, term);
  eqn = head == CK_V ? pv_same(term) : norm_kids(prover, ctx, term);
  if (eqn.by == PV_NONE)
    return eqn;
  switch (head) {
  case CK_INV:
    result = norm_inv(prover, ctx, eqn.to);
    break;
  case CK_EXP:
    result = norm_exp(prover, ctx, eqn.to);
    break;
  case CK_LOG:
    result = pv_norm_log(prover, ctx, eqn.to);
    break;
  case CK_SQRT:
    result = pv_norm_sqrt(prover, ctx, eqn.to);
    break;
  case CK_DIV:
  case CK_MOD:
    result = pv_norm_div(prover, ctx, eqn.to);
    break;
  case CK_FOLD:
    result = pv_norm_fold(prover, ctx, eqn.to);
    break;
  default:
    result = pv_same(eqn.to);
    break;
  }
  eqn = pv_then(prover, eqn, result);
  return eqn;
}

/* what is found while a hypothesis is brought to normal form is found with less (side.c), and is
 * remembered apart */
static uint64_t memo_key(pv *prover, pv_ctx ctx, ck_id term) {
  return pv_ctx_strip(prover, ctx, term) | (prover->fact_busy.n ? (uint64_t)1 << 32 : 0);
}

void pv_mark_normal(pv *prover, pv_ctx ctx, ck_id term) {
  if (!prover->cut)
    as_map_put(&prover->norm_memo, AS_KEY(term, memo_key(prover, ctx, term)),
               ((uint64_t)term << 32) | PV_REFL);
}

pv_eqn pv_norm(pv *prover, pv_ctx ctx, ck_id term) {
  uint64_t v;
  pv_eqn eqn;
  if (term == CK_BAD || pv_spent(prover))
    return pv_fail();
  if (pv_is_const(prover, term))
    return pv_same(term);
  if (pv_too_big(prover, term))
    return pv_fail();
  ctx = pv_ctx_strip(prover, ctx, term);
  if (as_map_get(&prover->norm_memo, AS_KEY(term, memo_key(prover, ctx, term)), &v)) {
    eqn.to = (ck_id)(v >> 32);
    eqn.by = (uint32_t)v;
    return eqn;
  }
  if (prover->depth >= MAX_NORM_DEPTH) {
    prover->cut = prover->too_deep = true;
    return pv_same(term);
  }
  bool cut = prover->cut;
  ck_op head = ck_head(prover->terms, term);
  prover->cut = false;
  prover->depth++;
  prover->work += 300;
  if (head == CK_ADD || head == CK_MUL) {
    eqn = norm_mixed(prover, ctx, term);
  } else {
    eqn = norm_atom(prover, ctx, term);
    if (eqn.by != PV_NONE)
      eqn = pv_then(
          prover, eqn,
          pv_norm_poly(prover, ctx, eqn.to)); /* a size alone may be a left side of a relation */
  }
  prover->depth--;
  if (eqn.by != PV_NONE && eqn.to == term)
    eqn.by = PV_REFL;
  if (eqn.by != PV_NONE && !prover->cut) {
    as_map_put(&prover->norm_memo, AS_KEY(term, memo_key(prover, ctx, term)),
               ((uint64_t)eqn.to << 32) | eqn.by);
    if (eqn.to != term)
      pv_mark_normal(prover, ctx, eqn.to);
  }
  prover->cut = cut || prover->cut;
  return eqn.by == PV_NONE ? pv_fail() : eqn;
}
