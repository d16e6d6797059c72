/* Normal form of a polynomial over atoms that are normal already.  Relations between sizes, and
 * what else the context has as equations, serve as rewrite rules from a monomial to a term; beside
 * them y*inv(y) cancels where y # 0 is known, roots are squared, and 0-1 conditions are idempotent.
 *
 * Example: under  D = L*T  the monomial L*T becomes D; under  D = 0 + 2*q  the atom D becomes 2*q.
 */
#include "pv_norm.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

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
static uint32_t find_rule(const size_rules *rules, const pv_mono *mono) {
  for (uint32_t i = 0; i < rules->count; i++) {
    ck_id rest[64];
    int degree;
    if (mono->degree > 60 || (degree = pv_mono_div(mono->atoms, mono->degree, rules->rule[i].atoms,
                                                   rules->rule[i].degree, rest)) < 0)
      continue;
    return i;
  }
  return PV_NONE;
}

static void simp(pv *prover, pv_ctx ctx, pv_poly *poly, pv_comb *comb, const size_rules *rules);

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

/* Monomials by degree, then by their atoms from the greatest on: an order that multiplication keeps
 * and in which nothing descends for ever, so that rewriting from greater to lesser ends. */
static int graded_order(pv *prover, const pv_mono *left, const pv_mono *right) {
  ck_id sorted[2][8];
  const pv_mono *mono[2] = {left, right};
  if (left->degree != right->degree)
    return left->degree < right->degree ? -1 : 1;
  for (int side = 0; side < 2; side++) {
    for (uint32_t i = 0; i < left->degree; i++) {
      uint32_t j = i;
      for (; j > 0 && pv_order(prover, sorted[side][j - 1], mono[side]->atoms[i]) < 0; j--)
        sorted[side][j] = sorted[side][j - 1];
      sorted[side][j] = mono[side]->atoms[i];
    }
  }
  for (uint32_t i = 0; i < left->degree; i++) {
    int order = pv_order(prover, sorted[0][i], sorted[1][i]);
    if (order)
      return order;
  }
  return 0;
}

/* an equation of reals (c*c + s*s = 1) as a rule from its greatest monomial, if none of that one's
 * atoms stands inside of another atom; PV_NONE: it is of no use */
static uint32_t pick_left_real(pv *prover, const pv_poly *poly) {
  uint32_t best = 0;
  for (uint32_t i = 0; i < poly->count; i++) {
    if (poly->monos[i].degree > 8)
      return PV_NONE;
    if (graded_order(prover, &poly->monos[i], &poly->monos[best]) > 0)
      best = i;
  }
  if (poly->count == 0 || poly->monos[best].degree < 2)
    return PV_NONE;
  for (uint32_t i = 0; i < poly->monos[best].degree; i++) {
    ck_id atom = poly->monos[best].atoms[i];
    for (uint32_t j = 0; j < poly->count; j++) {
      for (uint32_t k = 0; k < poly->monos[j].degree; k++) {
        ck_id other = poly->monos[j].atoms[k];
        if (other != atom && pv_occurs(prover, other, atom))
          return PV_NONE;
      }
    }
  }
  return best;
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
    ck_id atom = mono->atoms[0];
    ck_id best_atom = best == PV_NONE ? CK_BAD : other->monos[best].atoms[0];
    int rank = left_rank(prover, atom);
    int best_rank = best_atom == CK_BAD ? -1 : left_rank(prover, best_atom);
    if (rank > best_rank || (rank == best_rank && pv_order(prover, atom, best_atom) > 0))
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
  return best == PV_NONE && !ints ? pick_left_real(prover, other) : best;
}

/* rules whose right side would become their left side again by the new one go */
static void drop_circular(pv *prover, size_rules *rules, const size_rule *rule) {
  for (uint32_t i = rules->count; i-- > 0;) {
    size_rule *old = &rules->rule[i];
    pv_poly other;
    pv_poly product;
    pv_poly shifted;
    bool back = false;
    pv_poly_init(&other);
    pv_poly_init(&product);
    pv_poly_read(prover, &other, old->to);
    pv_poly_read(prover, &product, rule->to);
    for (uint32_t j = 0; j < other.count && !back; j++) {
      ck_id rest[64];
      int degree = other.monos[j].degree > 64
                       ? -1
                       : pv_mono_div(other.monos[j].atoms, other.monos[j].degree, rule->atoms,
                                     rule->degree, rest);
      if (degree < 0)
        continue;
      pv_poly_init(&shifted);
      pv_poly_mul_mono(prover, &shifted, &product, prover->one, rest, (uint32_t)degree);
      for (uint32_t n_th = 0; n_th < shifted.count; n_th++)
        back = back || (shifted.monos[n_th].degree <= 64 &&
                        pv_mono_div(shifted.monos[n_th].atoms, shifted.monos[n_th].degree,
                                    old->atoms, old->degree, rest) >= 0);
      pv_poly_clear(&shifted);
    }
    pv_poly_clear(&other);
    pv_poly_clear(&product);
    if (back)
      rules->rule[i] = rules->rule[--rules->count];
  }
}

static void add_rule(pv *prover, pv_ctx ctx, size_rules *rules, pv_thm thm) {
  if (rules->count == 32 || thm == PV_NONE)
    return;
  ck_id formula = pv_says(prover, thm);
  ck_id diff = pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0));
  bool ints = ck_is_int(prover->terms, diff);
  pv_poly other;
  pv_comb comb;
  uint32_t left = 0;
  pv_thm reduced;
  size_rule rule = {0};
  pv_poly_init(&other);
  pv_comb_init(&comb);
  pv_poly_read(prover, &other, diff);
  simp(prover, ctx, &other, &comb, rules);
  ck_id reduced_diff = pv_poly_term(prover, &other);
  reduced = comb.summands.n ? pv_comb_prove(prover, &comb, pv_eq(prover, diff, reduced_diff))
                            : (pv_comb_clear(&comb), PV_REFL);
  if (other.count == 2 && ints && reduced != PV_NONE) { /* N = L*T: the product becomes N */
    for (uint32_t i = 0; i < 2 && !rule.degree; i++) {
      const pv_mono *mono = &other.monos[i];
      const pv_mono *single_mono = &other.monos[1 - i];
      bool single =
          single_mono->degree == 0 ||
          (single_mono->degree == 1 && ck_head(prover->terms, single_mono->atoms[0]) == CK_V &&
           !prover_var(prover, single_mono->atoms[0]));
      if (mono->degree >= 2 && mono->degree <= 8 && single &&
          ck_is_int(prover->terms, pv_const_inv(prover, mono->coef)) &&
          !(single_mono->degree && pv_mono_has(mono, single_mono->atoms[0])) &&
          !has_prover_var(prover, mono)) {
        rule.degree = mono->degree;
        left = i;
      }
    }
  }
  if (!rule.degree && reduced != PV_NONE && (left = pick_left(prover, &other, ints)) != PV_NONE)
    rule.degree = other.monos[left].degree;
  if (rule.degree && rule.degree <= 8) {
    pv_mono mono = other.monos[left];
    ck_id scale = pv_const_mul(prover, pv_num(prover, -1), pv_const_inv(prover, mono.coef));
    pv_poly to;
    memcpy(rule.atoms, mono.atoms, rule.degree * sizeof *rule.atoms);
    pv_poly_init(&to);
    for (uint32_t i = 0; i < other.count; i++) {
      if (i != left)
        pv_poly_add_mono(prover, &to, pv_const_mul(prover, scale, other.monos[i].coef),
                         other.monos[i].atoms, other.monos[i].degree);
    }
    rule.to = pv_poly_term(prover, &to);
    pv_poly_clear(&to);
    pv_comb_init(&comb); /* left = to has the value -D1/q; D1 = D + (D1 - D) */
    pv_comb_add(&comb, scale, thm);
    pv_comb_add(&comb, scale, reduced);
    rule.by = pv_comb_prove(
        prover, &comb,
        pv_eq(prover, pv_mono_term(prover, prover->one, rule.atoms, rule.degree), rule.to));
    if (rule.by != PV_NONE) {
      drop_circular(prover, rules, &rule);
      rules->rule[rules->count++] = rule;
    }
  }
  pv_poly_clear(&other);
}

/* a longer left side that a shorter rule reduces (D = L*T, E = L*T*H) becomes D*H */
static void complete(pv *prover, size_rules *rules) {
  for (uint32_t i = 0; i < rules->count; i++) {
    size_rule *rule = &rules->rule[i];
    for (uint32_t j = 0; j < rules->count; j++) {
      const size_rule *q = &rules->rule[j];
      ck_id rest[8];
      int k;
      if (i == j || q->degree > rule->degree || rule->degree < 2 ||
          (q->degree == rule->degree && j > i) || ck_head(prover->terms, q->to) != CK_V)
        continue;
      if ((k = pv_mono_div(rule->atoms, rule->degree, q->atoms, q->degree, rest)) < 0)
        continue;
      if (k == 0)
        continue;
      /* rest * (q: a = to): rest*to = r.to */
      ck_id c = pv_mono_term(prover, prover->one, rest, (uint32_t)k);
      pv_thm premises[2] = {rule->by, q->by};
      pv_summand summand[2] = {{prover->one, &premises[0], 1},
                               {pv_neg(prover, c), &premises[1], 1}};
      pv_mono nm = {prover->one, (uint32_t)k + 1, rest};
      rest[k] = q->to;
      ck_id lhs = pv_mono_term(prover, prover->one, rest, nm.degree);
      pv_thm thm = pv_arith(prover, pv_eq(prover, lhs, rule->to), summand, 2);
      if (thm == PV_NONE)
        continue;
      pv_poly other;
      pv_poly_init(&other);
      pv_poly_read(prover, &other, lhs);
      if (other.count == 1 && other.monos[0].degree <= 8) {
        rule->degree = other.monos[0].degree;
        memcpy(rule->atoms, other.monos[0].atoms, rule->degree * sizeof *rule->atoms);
        rule->by = thm;
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
  size_rules *rules = as_calloc(1, sizeof *rules);
  pv_thm chain[64];
  uint32_t n = 0;
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    if (ck_head(prover->terms, pv_at(prover, link)->formula) == CK_EQ && n < 64)
      chain[n++] = pv_at(prover, link)->thm;
  }
  while (n-- > 0)
    add_rule(prover, ctx, rules, chain[n]);
  complete(prover, rules);
  as_map_put(&prover->misc_memo, AS_KEY(ctx, 2), (uint64_t)(uintptr_t)rules);
  as_vec_push(&prover->owned, &rules);
  for (uint32_t i = 0; i < rules->count; i++) { /* right sides in normal form too: other rules may
                                           speak of what stands in their atoms */
    size_rule *rule = &rules->rule[i];
    pv_eqn eqn = pv_norm(prover, ctx, rule->to);
    pv_thm thm = eqn.by == PV_NONE ? PV_NONE : pv_trans(prover, rule->by, eqn.by);
    pv_poly other;
    bool back = false;
    if (thm == PV_NONE || eqn.by == PV_REFL)
      continue;
    pv_poly_init(&other);
    pv_poly_read(prover, &other, eqn.to);
    for (uint32_t j = 0; j < other.count && !back; j++)
      back =
          other.monos[j].degree > 64 || pv_mono_div(other.monos[j].atoms, other.monos[j].degree,
                                                    rule->atoms, rule->degree, (ck_id[64]){0}) >= 0;
    pv_poly_clear(&other);
    if (!back) {
      rule->to = eqn.to;
      rule->by = thm;
    }
  }
  return rules;
}

/* --- simplification of a polynomial over normal atoms; every change is a summand of b */
static void drop(pv_poly *poly, uint32_t i) {
  poly->monos[i] = poly->monos[--poly->count];
}

/* replaces, in monomial i, the atoms `gone` by the term `to`; s proves (product of gone) = to */
static void replace(pv *prover, pv_poly *poly, uint32_t i, const ck_id *gone, uint32_t n, ck_id to,
                    pv_thm thm, pv_comb *comb) {
  pv_mono mono = poly->monos[i];
  ck_id *rest = as_malloc((mono.degree + 1) * sizeof *rest);
  int degree = pv_mono_div(mono.atoms, mono.degree, gone, n, rest);
  pv_poly other;
  pv_poly product;
  ck_id coef = mono.coef;
  pv_comb_add(comb, pv_mono_term(prover, coef, rest, (uint32_t)degree), thm);
  pv_poly_init(&other);
  pv_poly_init(&product);
  pv_poly_read(prover, &other, to);
  pv_poly_mul_mono(prover, &product, &other, coef, rest, (uint32_t)degree);
  drop(poly, i);
  pv_poly_add(prover, poly, &product, prover->one);
  pv_poly_clear(&other);
  pv_poly_clear(&product);
  free(rest);
}

static void sorted2(ck_id *g, ck_id a, ck_id b) {
  g[0] = a < b ? a : b;
  g[1] = a < b ? b : a;
}

/* inv(s)*inv(s) = inv(x) for s = sqrt(x), 0 <= x, s # 0 */
static pv_eqn inv_root_pair(pv *prover, pv_ctx ctx, ck_id inverse) {
  ck_id root = ck_kid(prover->terms, inverse, 0);
  ck_id square = ck_kid(prover->terms, root, 0);
  pv_thm nonzero = pv_nonzero(prover, ctx, root);
  pv_thm nonneg = nonzero == PV_NONE ? PV_NONE : pv_nonneg(prover, ctx, square);
  if (nonneg == PV_NONE)
    return pv_fail();
  pv_thm squared = pv_law(prover, "sqrt2", &square, 1, nonneg);
  pv_thm premises[2] = {nonzero, nonzero};
  pv_var_sub vars[2] = {{pv_real_var(prover, "x"), root}, {pv_real_var(prover, "y"), root}};
  pv_thm inv_product = pv_use_lemma(prover, PV_INV_MUL, vars, 2, NULL, 0, premises, 2);
  ck_id product = pv_mul(prover, root, root);
  ck_id inv_square = pv_inv(prover, square);
  pv_thm same_inverse = pv_cong(prover, pv_inv(prover, product), inv_square, &squared, 1);
  pv_eqn eqn = {inv_square, pv_trans(prover, pv_sym(prover, inv_product), same_inverse)};
  pv_eqn result = pv_norm(prover, ctx, inv_square);
  return eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, result);
}

static bool idempotent(pv *prover, ck_id x) {
  ck_id then = ck_kid(prover->terms, x, 1);
  ck_id otherwise = ck_kid(prover->terms, x, 2);
  return (pv_is_zero(prover, then) || pv_is_one(prover, then)) &&
         (pv_is_zero(prover, otherwise) || pv_is_one(prover, otherwise));
}

/* x*x = x for x = ite(c, u, v) with u and v among 0 and 1 */
static pv_thm ite_squared(pv *prover, ck_id x) {
  ck_id cond = ck_kid(prover->terms, x, 0);
  ck_id formula = pv_eq(prover, pv_mul(prover, x, x), x);
  pv_thm halves[2];
  for (uint32_t i = 0; i < 2; i++) { /* x = e: x*x - x = (x - e)*(x + e - 1) */
    pv_thm law = pv_law(prover, i ? "ite0" : "ite1", &x, 1,
                        pv_hyp(prover, i ? ck_neg(prover->terms, cond) : cond));
    halves[i] = pv_scaled(
        prover, formula,
        pv_sub(prover, pv_add(prover, x, ck_kid(prover->terms, x, 1 + i)), prover->one), law);
  }
  return pv_cases(prover, cond, halves[0], halves[1]);
}

/* one change of monomial i; false: none */
static bool simp_mono(pv *prover, pv_ctx ctx, pv_poly *poly, uint32_t i, pv_comb *comb,
                      const size_rules *rules) {
  pv_mono mono = poly->monos[i];
  ck_id pair[2];
  uint32_t hit = rules ? find_rule(rules, &mono) : PV_NONE;
  if (hit != PV_NONE) {
    const size_rule *rule = &rules->rule[hit];
    replace(prover, poly, i, rule->atoms, rule->degree, rule->to, rule->by, comb);
    return true;
  }
  for (uint32_t j = 0; j < mono.degree; j++) {
    ck_id atom = mono.atoms[j];
    ck_op head = ck_head(prover->terms, atom);
    bool twice = j + 1 < mono.degree && mono.atoms[j + 1] == atom;
    if (head == CK_INV && pv_mono_has(&mono, ck_kid(prover->terms, atom, 0))) {
      ck_id under = ck_kid(prover->terms, atom, 0);
      pv_thm nonzero = pv_nonzero(prover, ctx, under);
      if (nonzero == PV_NONE)
        continue;
      sorted2(pair, atom, under);
      replace(prover, poly, i, pair, 2, prover->one, pv_law(prover, "inv", &under, 1, nonzero),
              comb);
      return true;
    }
    if (head == CK_ITE && twice && idempotent(prover, atom)) {
      sorted2(pair, atom, atom);
      replace(prover, poly, i, pair, 2, atom, ite_squared(prover, atom), comb);
      return true;
    }
    if (twice && pv_is_call(prover, atom, "cos")) {
      pv_thm squared = pv_cosine_squared(prover, atom);
      sorted2(pair, atom, atom);
      replace(prover, poly, i, pair, 2, pv_right(prover, squared), squared, comb);
      return true;
    }
    if (head == CK_SQRT && twice) {
      ck_id under = ck_kid(prover->terms, atom, 0);
      pv_thm nonneg = pv_nonneg(prover, ctx, under);
      if (nonneg == PV_NONE)
        continue;
      sorted2(pair, atom, atom);
      replace(prover, poly, i, pair, 2, under, pv_law(prover, "sqrt2", &under, 1, nonneg), comb);
      return true;
    }
    if (head == CK_INV && ck_head(prover->terms, ck_kid(prover->terms, atom, 0)) == CK_SQRT &&
        twice) {
      pv_eqn eqn = inv_root_pair(prover, ctx, atom);
      if (eqn.by == PV_NONE)
        continue;
      sorted2(pair, atom, atom);
      replace(prover, poly, i, pair, 2, eqn.to, eqn.by, comb);
      return true;
    }
  }
  return false;
}

static void simp(pv *prover, pv_ctx ctx, pv_poly *poly, pv_comb *comb, const size_rules *rules) {
  for (uint32_t i = 0; i < poly->count && !pv_spent(prover);) {
    if (simp_mono(prover, ctx, poly, i, comb, rules))
      i = 0;
    else
      i++;
  }
}

/* closes b as an equation from t to the polynomial f */
static pv_eqn finish(pv *prover, ck_id term, pv_poly *poly, pv_comb *comb) {
  ck_id result = pv_poly_term(prover, poly);
  pv_eqn eqn = {result, PV_REFL};
  pv_poly_clear(poly);
  if (result == term)
    pv_comb_clear(comb);
  else
    eqn.by = pv_comb_prove(prover, comb, pv_eq(prover, term, result));
  return eqn.by == PV_NONE ? pv_fail() : eqn;
}

pv_eqn pv_norm_finish(pv *prover, pv_ctx ctx, ck_id term, pv_poly *poly, pv_comb *comb) {
  simp(prover, ctx, poly, comb, rules_of(prover, ctx));
  return finish(prover, term, poly, comb);
}

pv_eqn pv_norm_poly(pv *prover, pv_ctx ctx, ck_id term) {
  pv_poly poly;
  pv_comb comb;
  pv_poly_init(&poly);
  pv_comb_init(&comb);
  pv_poly_read(prover, &poly, term);
  return pv_norm_finish(prover, ctx, term, &poly, &comb);
}
