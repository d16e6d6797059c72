/* Facts about functions that keep the order, for a refutation: exp u and exp v stand as u and v do,
 * logarithms and roots too; exp u and log v stand to 1 and 0 as u to 0 and v to 1; a bound of a
 * root is squared. */
#include "pv_folds.h"
#include "pv_lp.h"

enum { MOST_ATOMS = 6 };

typedef struct {
  ck_op head;
  pv_lemma_id weak;
  pv_lemma_id strict;
  int lowest; /* the argument: 0 <= it, 0 < it; -1: any */
} kept_order;

static const kept_order kinds[] = {{CK_EXP, PV_EXP_ORDER, PV_EXP_STRICT, -1},
                                   {CK_LOG, PV_LOG_ORDER, PV_LOG_STRICT, 1},
                                   {CK_SQRT, PV_SQRT_ORDER, PV_SQRT_STRICT, 0}};

typedef struct {
  pv *prover;
  pv_ctx ctx;
  fact_list *known;
  ck_id atom[MOST_ATOMS];
  uint32_t n_atoms;
} order_facts;

/* a theorem in normal form, if it says anything */
static void push_normal(order_facts *job, pv_thm thm) {
  ck_id normal;
  if (thm == PV_NONE || job->known->count >= MAX_FACTS)
    return;
  thm = pv_fact_normal(job->prover, job->ctx, thm, &normal);
  if (thm != PV_NONE && (!pv_is_const(job->prover, normal) ||
                         ck_head(job->prover->terms, pv_says(job->prover, thm)) == CK_LT))
    pv_lp_push_thm(job->prover, job->known, thm);
}

static void collect(order_facts *job, ck_op head) {
  const ck_terms *terms = job->prover->terms;
  job->n_atoms = 0;
  for (uint32_t i = 0; i < job->known->count; i++) {
    const pv_poly *value = &job->known->fact[i].value;
    for (uint32_t j = 0; j < value->count; j++) {
      for (uint32_t k = 0; k < value->monos[j].degree; k++) {
        ck_id atom = value->monos[j].atoms[k];
        uint32_t at = 0;
        while (at < job->n_atoms && job->atom[at] != atom)
          at++;
        if (at == job->n_atoms && at < MOST_ATOMS && ck_head(terms, atom) == head)
          job->atom[job->n_atoms++] = atom;
      }
    }
  }
}

/* f(low) < f(high), or <=, where the arguments are known to stand so */
static bool push_between(order_facts *job, const kept_order *kind, ck_id low, ck_id high) {
  pv *prover = job->prover;
  pv_thm least = PV_REFL;
  if (kind->lowest >= 0)
    least = kind->lowest ? pv_positive(prover, job->ctx, low) : pv_nonneg(prover, job->ctx, low);
  if (least == PV_NONE)
    return false;
  for (int weak = 0; weak < 2; weak++) {
    pv_thm ordered =
        pv_follows(prover, job->ctx, weak ? pv_le(prover, low, high) : pv_lt(prover, low, high));
    pv_lemma_id lemma = weak ? kind->weak : kind->strict;
    if (ordered == PV_NONE)
      continue;
    push_normal(job, least == PV_REFL ? pv_lemma_xy(prover, lemma, low, high, ordered, PV_REFL)
                                      : pv_lemma_xy(prover, lemma, low, high, least, ordered));
    return true;
  }
  return false;
}

/* 0 <= (p - q)*(p - q) and 0 <= (p + q)*(p + q) of two roots */
static void push_squares(order_facts *job, ck_id one_root, ck_id other) {
  pv *prover = job->prover;
  for (int minus = 0; minus < 2; minus++) {
    pv_var_sub vars = {pv_real_var(prover, "x"),
                       minus ? pv_sub(prover, one_root, other) : pv_add(prover, one_root, other)};
    push_normal(job, pv_use_lemma(prover, PV_SQUARE, &vars, 1, NULL, 0, NULL, 0));
  }
}

/* fact 0 < c*r + w for the root r of u: of a positive c, with v = -w/c >= 0, that v*v < u; of a
 * negative one, with v = -w/c, that u < v*v (which is (v - r)^2 + 2*r*(v - r) = v*v - r*r) */
static void push_squared_bound(order_facts *job, uint32_t at, ck_id root) {
  pv *prover = job->prover;
  const fact *bound = &job->known->fact[at];
  ck_id factor;
  ck_id addend;
  ck_id value = pv_poly_term(prover, &bound->value);
  if (bound->count != 1 || bound->eq || bound->premises[0] == PV_NONE ||
      !pv_poly_linear(prover, value, root, &factor, &addend) || !pv_is_const(prover, factor) ||
      pv_const_sign(prover, factor) == 0 || pv_is_zero(prover, addend))
    return;
  bool above = pv_const_sign(prover, factor) > 0;
  ck_id scale = pv_const_inv(prover, factor);
  ck_id limit = pv_canon(prover, pv_neg(prover, pv_mul(prover, scale, addend)));
  ck_id under = ck_kid(prover->terms, root, 0);
  pv_thm nonneg = pv_nonneg(prover, job->ctx, under);
  pv_thm lower = above               ? pv_follows(prover, job->ctx, pv_ge0(prover, limit))
                 : nonneg == PV_NONE ? PV_NONE
                                     : pv_law1(prover, "sqrt>", under, nonneg);
  if (nonneg == PV_NONE || lower == PV_NONE)
    return;
  ck_id low = above ? limit : root;
  ck_id high = above ? root : limit;
  pv_thm ordered = pv_scaled(prover, pv_rel(prover, bound->strict ? CK_LT : CK_LE, low, high),
                             above ? scale : pv_const_mul(prover, scale, pv_num(prover, -1)),
                             bound->premises[0]);
  ck_id square = pv_mul(prover, limit, limit);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, ordered, ordered);
  pv_comb_add_product(&comb, pv_num(prover, 2), ordered, lower);
  pv_comb_add(&comb, pv_num(prover, above ? 1 : -1), pv_law1(prover, "sqrt2", under, nonneg));
  push_normal(job, pv_comb_prove(prover, &comb,
                                 pv_rel(prover, bound->strict ? CK_LT : CK_LE,
                                        above ? square : under, above ? under : square)));
}

static void push_kind(order_facts *job, const kept_order *kind) {
  pv *prover = job->prover;
  uint32_t n_facts = job->known->count;
  collect(job, kind->head);
  for (uint32_t i = 0; i < job->n_atoms; i++) {
    ck_id argument = ck_kid(prover->terms, job->atom[i], 0);
    ck_id neutral = kind->head == CK_EXP ? prover->zero : prover->one;
    if (kind->head != CK_SQRT && !push_between(job, kind, argument, neutral))
      push_between(job, kind, neutral, argument);
    for (uint32_t j = i + 1; j < job->n_atoms; j++) {
      ck_id other = ck_kid(prover->terms, job->atom[j], 0);
      if (!push_between(job, kind, argument, other))
        push_between(job, kind, other, argument);
      if (kind->head == CK_SQRT)
        push_squares(job, job->atom[i], job->atom[j]);
    }
    for (uint32_t k = 0; k < n_facts && kind->head == CK_SQRT; k++)
      push_squared_bound(job, k, job->atom[i]);
  }
}

/* an inverse in the fact, no power of it; CK_BAD: there is none */
static ck_id inverse_in(const pv *prover, const pv_poly *value) {
  ck_id inverse = CK_BAD;
  for (uint32_t j = 0; j < value->count && inverse == CK_BAD; j++) {
    for (uint32_t k = 0; k < value->monos[j].degree && inverse == CK_BAD; k++) {
      if (ck_head(prover->terms, value->monos[j].atoms[k]) == CK_INV)
        inverse = value->monos[j].atoms[k];
    }
  }
  for (uint32_t j = 0; j < value->count && inverse != CK_BAD; j++) {
    uint32_t power = 0;
    for (uint32_t k = 0; k < value->monos[j].degree; k++)
      power += value->monos[j].atoms[k] == inverse;
    inverse = power > 1 ? CK_BAD : inverse;
  }
  return inverse;
}

/* the fact 0 < c*inv p + d as 0 < c + d*p, p being positive */
static void push_cleared(order_facts *job, uint32_t at) {
  pv *prover = job->prover;
  const fact *inverted = &job->known->fact[at];
  ck_id inverse = inverse_in(prover, &inverted->value);
  ck_id factor;
  ck_id addend;
  if (inverse == CK_BAD || inverted->count != 1 || inverted->eq ||
      !pv_poly_linear(prover, pv_poly_term(prover, &inverted->value), inverse, &factor, &addend) ||
      pv_is_zero(prover, addend))
    return;
  ck_id under = ck_kid(prover->terms, inverse, 0);
  pv_thm positive = pv_positive(prover, job->ctx, under);
  if (positive == PV_NONE)
    return;
  pv_thm nonzero = pv_scaled(prover, pv_ne0(prover, under), pv_num(prover, -1), positive);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, inverted->premises[0], positive);
  pv_comb_add(&comb, factor, pv_law1(prover, "inv", under, nonzero));
  ck_id cleared = pv_add(prover, factor, pv_mul(prover, addend, under));
  push_normal(
      job, pv_comb_prove(prover, &comb,
                         pv_rel(prover, inverted->strict ? CK_LT : CK_LE, prover->zero, cleared)));
}

/* of a fact about sums over one range: that the same, turned, is not negative either, by its bodies
 */
static void push_turned_sums(order_facts *job) {
  pv *prover = job->prover;
  uint32_t n = job->known->count;
  for (uint32_t i = 0; i < n && job->known->count < MAX_FACTS; i++) {
    ck_id k;
    ck_id value = pv_poly_term(prover, &job->known->fact[i].value);
    if (ck_is_int(prover->terms, value) || pv_one_sum(prover, job->ctx, value, &k) == CK_BAD)
      continue;
    pv_lp_push_thm(prover, job->known,
                   pv_nonneg(prover, job->ctx, pv_canon(prover, pv_neg(prover, value))));
  }
}

static bool of_reals(const pv *prover, const fact_list *known) {
  for (uint32_t i = 0; i < known->count; i++) {
    const pv_poly *value = &known->fact[i].value;
    for (uint32_t j = 0; j < value->count; j++) {
      for (uint32_t k = 0; k < value->monos[j].degree; k++) {
        if (!ck_is_int(prover->terms, value->monos[j].atoms[k]))
          return true;
      }
    }
  }
  return false;
}

void pv_lp_push_order(pv *prover, pv_ctx ctx, fact_list *known) {
  order_facts job = {.prover = prover, .ctx = ctx, .known = known};
  if (!of_reals(prover, known))
    return;
  for (uint32_t i = 0; i < known->count && !prover->fact_busy.n; i++) /* what is cleared too */
    push_cleared(&job, i);
  if (!prover->fact_busy.n)
    push_turned_sums(&job);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !prover->fact_busy.n; i++)
    push_kind(&job, &kinds[i]);
}
