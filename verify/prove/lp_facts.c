/* What takes part in a refutation: facts out of the context, of the atoms that these speak of, and
 * of products.  Only facts that are connected by shared atoms are taken. */
#include "pv_folds.h"
#include "pv_lp.h"
#include "pv_order.h"
#include <string.h>

static void push_fact(pv *prover, fact_list *known, const pv_poly *value, const pv_thm *premises,
                      uint32_t n, bool strict, bool eq) {
  if (known->count == MAX_COLS)
    return;
  fact *f = &known->fact[known->count++];
  pv_poly_init(&f->value);
  pv_poly_add(prover, &f->value, value, prover->one);
  f->count = n;
  f->strict = strict;
  f->eq = eq;
  for (uint32_t i = 0; i < n; i++)
    f->premises[i] = premises[i];
}

/* theorem s, an = <= or <, as a fact; those of integers tightened */
void pv_lp_push_thm(pv *prover, fact_list *known, pv_thm thm) {
  pv_poly value;
  ck_id formula;
  if (thm == PV_NONE)
    return;
  thm = pv_rounded(prover, pv_tighten(prover, thm));
  if (thm == PV_NONE)
    return;
  for (uint32_t i = 0; i < known->count; i++) {
    if (known->fact[i].count == 1 && known->fact[i].premises[0] == thm)
      return;
  }
  formula = pv_says(prover, thm);
  pv_poly_init(&value);
  pv_poly_read(
      prover, &value,
      pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0)));
  if (value.count || ck_head(prover->terms, formula) == CK_LT)
    push_fact(prover, known, &value, &thm, 1, ck_head(prover->terms, formula) == CK_LT,
              ck_head(prover->terms, formula) == CK_EQ);
  pv_poly_clear(&value);
}

static bool shares(const pv_poly *poly, const pv_poly *other) {
  for (uint32_t i = 0; i < poly->count; i++) {
    for (uint32_t j = 0; j < poly->monos[i].degree; j++) {
      for (uint32_t k = 0; k < other->count; k++) {
        if (pv_mono_has(&other->monos[k], poly->monos[i].atoms[j]))
          return true;
      }
    }
  }
  return false;
}

/* x # 0 for what is known not to be negative, or not to be positive, as an order */
static pv_thm apart(pv *prover, pv_ctx ctx, ck_id term, pv_thm nonzero) {
  bool integer = ck_is_int(prover->terms, term);
  pv_thm nonneg = integer ? pv_follows_int(prover, ctx, pv_ge0(prover, term))
                          : pv_fact_match(prover, ctx, CK_LE, term);
  if (nonneg != PV_NONE)
    return pv_positive_of_nonzero(prover, term, nonneg, nonzero);
  ck_id negated = pv_canon(prover, pv_neg(prover, term));
  nonneg = integer ? pv_follows_int(prover, ctx, pv_ge0(prover, negated))
                   : pv_fact_match(prover, ctx, CK_LE, negated);
  return nonneg == PV_NONE ? PV_NONE
                           : pv_positive_of_nonzero(prover, negated, nonneg,
                                                    pv_scaled(prover, pv_ne0(prover, negated),
                                                              pv_num(prover, -1), nonzero));
}

/* hypothesis s in normal form; while one is being brought there, as it stands, if it is of
 * integers: else this would not end */
static pv_thm said(pv *prover, pv_ctx ctx, pv_thm thm, ck_id *normal) {
  ck_id formula;
  if (!prover->fact_busy.n)
    return pv_fact_normal(prover, ctx, thm, normal);
  if (thm == PV_NONE ||
      (formula = pv_says(prover, thm),
       !ck_is_int(prover->terms, ck_kid(prover->terms, formula, 0))) ||
      !ck_is_int(prover->terms, ck_kid(prover->terms, formula, 1)) ||
      ck_head(prover->terms, formula) == CK_NE)
    return PV_NONE;
  *normal = pv_canon(
      prover, pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0)));
  return thm;
}

/* an undecided condition between integers in the polynomial t */
static bool has_ite_atom(pv *prover, ck_id term) {
  ck_op head = ck_head(prover->terms, term);
  if (head == CK_ADD || head == CK_MUL)
    return has_ite_atom(prover, ck_kid(prover->terms, term, 0)) ||
           has_ite_atom(prover, ck_kid(prover->terms, term, 1));
  return head == CK_ITE && ck_is_int(prover->terms, term);
}

/* hypotheses of the context in normal form that are connected to those in F (all of them if `all`)
 */
void pv_lp_push_hyps(pv *prover, pv_ctx ctx, fact_list *F, bool all) {
  enum { MOST = 96 };

  bool plain = true;
  pv_thm thm[MOST];
  uint32_t n = 0;
  ck_id known[MOST];
  pv_poly value[MOST];
  bool taken[MOST] = {false};
  bool more = true;
  for (uint32_t i = 0; i < F->count; i++) {
    for (uint32_t j = 0; j < F->fact[i].value.count; j++) {
      for (uint32_t k = 0; k < F->fact[i].value.monos[j].degree; k++)
        plain = plain && ck_head(prover->terms, F->fact[i].value.monos[j].atoms[k]) != CK_ITE;
    }
  }
  for (pv_ctx link = ctx; link != 0 && n < MOST; link = pv_at(prover, link)->parent) {
    ck_op head = ck_head(prover->terms, pv_at(prover, link)->formula);
    ck_id normal;
    if (head == CK_ALL ||
        (thm[n] = said(prover, ctx, pv_at(prover, link)->thm, &normal)) == PV_NONE ||
        pv_is_const(prover, normal))
      continue;
    if (head == CK_NE && (thm[n] = apart(prover, ctx, normal, thm[n])) == PV_NONE)
      continue;
    if (plain && has_ite_atom(prover, normal))
      continue; /* undecided conditions that the goal does not have */
    uint32_t same = 0;
    while (same < n && known[same] != pv_says(prover, thm[n]))
      same++;
    if (same < n)
      continue;
    known[n] = pv_says(prover, thm[n]);
    pv_poly_init(&value[n]);
    pv_poly_read(prover, &value[n], normal);
    n++;
  }
  while (more) {
    more = false;
    uint32_t m = F->count;
    for (uint32_t i = 0; i < n && F->count < MAX_FACTS; i++) {
      bool hit = !taken[i] && all;
      for (uint32_t j = 0; j < m && !hit && !taken[i]; j++)
        hit = shares(&value[i], &F->fact[j].value);
      if (!hit)
        continue;
      taken[i] = more = true;
      pv_lp_push_thm(prover, F, thm[i]);
    }
  }
  for (uint32_t i = 0; i < n; i++)
    pv_poly_clear(&value[i]);
}

static pv_thm in_normal_form(pv *prover, pv_ctx ctx, pv_thm thm) {
  ck_id normal;
  return pv_fact_normal(prover, ctx, thm, &normal);
}

/* the counter's value at which the index is `place`; CK_BAD: none is found */
static ck_id element_number(pv *prover, ck_id index, ck_id counter, ck_id place) {
  ck_id slope;
  ck_id rest;
  if (!ck_has_var(prover->terms, index, counter) ||
      !pv_poly_linear(prover, index, counter, &slope, &rest) || slope == CK_BAD || rest == CK_BAD ||
      pv_is_zero(prover, slope))
    return CK_BAD;
  ck_id gap = pv_canon(prover, pv_sub(prover, place, rest));
  return pv_is_zero(prover, gap) ? gap : pv_poly_quotient(prover, gap, slope);
}

/* f(i) <= max(k < n) f(k), for the elements f(i) that the facts speak of */
static void element_facts(pv *prover, pv_ctx ctx, ck_id max, fact_list *known) {
  ck_id n = ck_kid(prover->terms, max, 0);
  ck_id counter;
  ck_id body;
  uint32_t n_facts = known->count;
  pv_ctx_bind(prover, ctx, n, &counter);
  body = pv_max_body(prover, max, counter);
  if (ck_head(prover->terms, body) != CK_APP)
    return;
  for (uint32_t i = 0; i < n_facts && known->count < MAX_COLS; i++) {
    for (uint32_t j = 0; j < known->fact[i].value.count; j++) {
      for (uint32_t l = 0; l < known->fact[i].value.monos[j].degree; l++) {
        ck_id atom = known->fact[i].value.monos[j].atoms[l];
        ck_id at = CK_BAD;
        if (ck_head(prover->terms, atom) != CK_APP ||
            ck_name(prover->terms, atom) != ck_name(prover->terms, body) ||
            ck_sig(prover->terms, atom) != ck_sig(prover->terms, body))
          continue;
        for (uint32_t arg_at = 0; arg_at < ck_nkids(prover->terms, body) && at == CK_BAD; arg_at++)
          at = element_number(prover, ck_kid(prover->terms, body, arg_at), counter,
                              ck_kid(prover->terms, atom, arg_at));
        if (at == CK_BAD || !ck_is_int(prover->terms, at) ||
            ck_has_var(prover->terms, at, counter) ||
            pv_index_canon(prover, ck_sub(prover->terms, body, &counter, &at, 1, NULL, 0)).to !=
                atom)
          continue;
        pv_thm premises[2] = {pv_follows(prover, ctx, pv_ge0(prover, at)), PV_NONE};
        if (premises[0] == PV_NONE ||
            (premises[1] = pv_follows(prover, ctx, pv_lt(prover, at, n))) == PV_NONE)
          continue;
        ck_fsub funs = pv_fun_sub(prover, "f", &counter, body);
        pv_var_sub vars[2] = {{pv_int_var(prover, "n"), n}, {pv_int_var(prover, "i"), at}};
        pv_lp_push_thm(
            prover, known,
            in_normal_form(prover, ctx,
                           pv_use_lemma(prover, PV_MAX_GE, vars, 2, &funs, 1, premises, 2)));
      }
    }
  }
}

/* a minimum, which is minus the maximum of what is turned round, is positive where all elements
 * are */
static void minimum_fact(pv *prover, pv_ctx ctx, ck_id max, fact_list *known) {
  ck_id n = ck_kid(prover->terms, max, 0);
  ck_id counter;
  pv_ctx inner = pv_ctx_bind(prover, ctx, n, &counter);
  ck_id body = pv_max_body(prover, max, counter);
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, body);
  bool turned = poly.count == 1 && pv_const_sign(prover, poly.monos[0].coef) < 0;
  pv_poly_clear(&poly);
  pv_thm n_pos = turned ? pv_follows(prover, ctx, pv_gt0(prover, n)) : PV_NONE;
  if (n_pos != PV_NONE)
    pv_lp_push_thm(prover, known, pv_max_below_zero(prover, inner, n, counter, body, n_pos));
}

/* u <= max2(u, 0), that maximum being ite(0 <= u, u, 0): equal, or 0 where u is negative */
static pv_thm below_relu(pv *prover, ck_id relu, ck_id under) {
  ck_id cond = ck_kid(prover->terms, relu, 0);
  ck_id not_cond = ck_neg(prover->terms, cond);
  ck_id goal = pv_le(prover, under, relu);
  pv_thm negative = pv_hyp(prover, not_cond);
  pv_thm same = pv_law1(prover, "ite1", relu, pv_hyp(prover, cond));
  pv_thm zero = pv_law1(prover, "ite0", relu, negative);
  ck_id minus_one = pv_num(prover, -1);
  return pv_cases(prover, cond, PV_COMBINE(prover, goal, minus_one, same),
                  PV_COMBINE(prover, goal, minus_one, zero, prover->one, negative));
}

/* a maximum, its base as its elements are written at 0; CK_BAD: it is none */
static ck_id with_literal_base(pv *prover, ck_id atom) {
  ck_terms *terms = prover->terms;
  ck_id f;
  if (!ck_is(terms, atom, CK_FOLD) || ck_width(terms, atom) != 1 ||
      !ck_is(terms, ck_kid(terms, atom, 2), CK_ITE))
    return CK_BAD;
  ck_id k = pv_int_var(prover, "$$element");
  ck_id literal = pv_max(prover, ck_kid(terms, atom, 0), k, pv_max_body(prover, atom, k));
  if (!pv_is_max(prover, literal, &f) || ck_kid(terms, literal, 2) != ck_kid(terms, atom, 2))
    return CK_BAD;
  ck_id base = ck_kid(terms, literal, 1);
  return base == ck_kid(terms, atom, 1) || pv_index_canon(prover, base).to == ck_kid(terms, atom, 1)
             ? literal
             : CK_BAD;
}

/* what is known of an atom whatever the hypotheses */
static void atom_facts(pv *prover, pv_ctx ctx, ck_id atom, fact_list *known) {
  ck_op head = ck_head(prover->terms, atom);
  ck_id formula;
  if (head == CK_DIV || head == CK_MOD) {
    ck_id args[2] = {ck_kid(prover->terms, atom, 0), ck_kid(prover->terms, atom, 1)};
    ck_id rest = pv_sub(prover, args[0], pv_mul(prover, args[1], atom));
    pv_thm divisor_pos = pv_follows(prover, ctx, pv_gt0(prover, args[1]));
    if (divisor_pos == PV_NONE)
      return;
    pv_thm rest_low = pv_law(prover, "mod>", args, 2, divisor_pos);
    pv_thm rest_high = pv_law(prover, "mod<", args, 2, divisor_pos);
    pv_thm law = pv_law(prover, "div", args, 2, divisor_pos);
    if (head == CK_MOD) {
      pv_lp_push_thm(prover, known, rest_low);
      pv_lp_push_thm(prover, known, rest_high);
      return;
    }
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, rest_low);
    pv_comb_add(&comb, pv_num(prover, -1), law);
    pv_lp_push_thm(prover, known, pv_comb_prove(prover, &comb, pv_ge0(prover, rest)));
    pv_comb_init(&comb);
    pv_comb_add(&comb, prover->one, rest_high);
    pv_comb_add(&comb, prover->one, law);
    pv_lp_push_thm(prover, known, pv_comb_prove(prover, &comb, pv_lt(prover, rest, args[1])));
  } else if (head == CK_EXP || head == CK_INV) {
    pv_lp_push_thm(prover, known, pv_positive(prover, ctx, atom));
  } else if (pv_is_call(prover, atom, "sin") || pv_is_call(prover, atom, "cos")) {
    pv_lp_push_thm(prover, known, pv_unit_bound(prover, atom, false));
    pv_lp_push_thm(prover, known, pv_unit_bound(prover, atom, true));
  } else if (pv_under_relu(prover, atom) != CK_BAD && !ck_is_int(prover->terms, atom)) {
    pv_lp_push_thm(prover, known, pv_nonneg(prover, ctx, atom));
    pv_lp_push_thm(prover, known, below_relu(prover, atom, pv_under_relu(prover, atom)));
  } else if (head == CK_SQRT) {
    pv_lp_push_thm(prover, known, pv_nonneg(prover, ctx, atom));
  } else if ((formula = with_literal_base(prover, atom)) != CK_BAD) {
    pv_lp_push_thm(prover, known, in_normal_form(prover, ctx, pv_max_first(prover, ctx, formula)));
    element_facts(prover, ctx, formula, known);
    minimum_fact(prover, ctx, formula, known);
  }
}

/* what is known of the squares in a monomial */
static void square_facts(pv *prover, const pv_mono *mono, fact_list *known) {
  for (uint32_t i = 0; i + 1 < mono->degree; i++) {
    if (mono->atoms[i] != mono->atoms[i + 1])
      continue;
    bool integer = ck_is_int(prover->terms, mono->atoms[i]);
    pv_var_sub vars = {ck_var(prover->terms, integer ? "n" : "x", integer ? 'i' : 'r'),
                       mono->atoms[i]};
    pv_var_sub negated = {vars.var, pv_neg(prover, mono->atoms[i])};
    pv_lp_push_thm(
        prover, known,
        pv_use_lemma(prover, integer ? PV_INT_SQUARE : PV_SQUARE, &vars, 1, NULL, 0, NULL, 0));
    if (integer)
      pv_lp_push_thm(prover, known,
                     pv_use_lemma(prover, PV_INT_SQUARE, &negated, 1, NULL, 0, NULL, 0));
  }
}

/* the root of a monomial that is a square, coefficient aside; CK_BAD: it is none */
static ck_id square_root(pv *prover, const pv_mono *mono) {
  ck_id half[16];
  if (mono->degree == 0 || mono->degree % 2 || mono->degree > 32)
    return CK_BAD;
  for (uint32_t i = 0; i < mono->degree; i += 2) {
    if (mono->atoms[i] != mono->atoms[i + 1])
      return CK_BAD;
    half[i / 2] = mono->atoms[i];
  }
  return pv_mono_term(prover, prover->one, half, mono->degree / 2);
}

static bool has_monomial(pv *prover, const fact_list *known, uint32_t count, ck_id term) {
  pv_poly poly;
  bool found = false;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, term);
  for (uint32_t i = 0; i < count && !found; i++) {
    for (uint32_t j = 0; j < known->fact[i].value.count && !found; j++) {
      const pv_mono *mono = &known->fact[i].value.monos[j];
      found = pv_mono_same(mono, poly.monos[0].atoms, poly.monos[0].degree);
    }
  }
  pv_poly_clear(&poly);
  return found;
}

/* 0 <= (p - q)*(p - q) and 0 <= (p + q)*(p + q) where p*p, q*q and p*q are all there: sums of
 * squares in two variables, as p*p + q*q >= 2*p*q */
static void binomial_facts(pv *prover, fact_list *known) {
  enum { MOST = 6 };

  ck_id root[MOST];
  uint32_t n = 0;
  uint32_t count = known->count;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t j = 0; j < known->fact[i].value.count; j++) {
      ck_id found = square_root(prover, &known->fact[i].value.monos[j]);
      uint32_t k = 0;
      while (k < n && root[k] != found)
        k++;
      if (found != CK_BAD && k == n && n < MOST)
        root[n++] = found;
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = i + 1; j < n; j++) {
      if (!has_monomial(prover, known, count, pv_mul(prover, root[i], root[j])))
        continue;
      for (int minus = 0; minus < 2; minus++) {
        ck_id binomial =
            minus ? pv_sub(prover, root[i], root[j]) : pv_add(prover, root[i], root[j]);
        pv_var_sub vars = {pv_real_var(prover, "x"), binomial};
        pv_lp_push_thm(prover, known, pv_use_lemma(prover, PV_SQUARE, &vars, 1, NULL, 0, NULL, 0));
      }
    }
  }
}

void pv_lp_push_atoms(pv *prover, pv_ctx ctx, fact_list *known) {
  for (uint32_t i = 0, n = known->count; i < n; i++) {
    for (uint32_t j = 0; j < known->fact[i].value.count; j++)
      square_facts(prover, &known->fact[i].value.monos[j], known);
  }
  binomial_facts(prover, known);
  ck_id seen[64];
  uint32_t n = 0;
  for (uint32_t i = 0; i < known->count && known->count < MAX_FACTS + 20; i++) /* F grows */
  {
    for (uint32_t j = 0; j < known->fact[i].value.count; j++) {
      for (uint32_t k = 0; k < known->fact[i].value.monos[j].degree; k++) {
        ck_id x = known->fact[i].value.monos[j].atoms[k];
        uint32_t n_th = 0;
        while (n_th < n && seen[n_th] != x)
          n_th++;
        if (n_th < n || n == 64 || ck_head(prover->terms, x) == CK_V)
          continue;
        seen[n++] = x;
        atom_facts(prover, ctx, x, known);
      }
    }
  }
}

/* clauses at the arguments that terms have, where they conclude an order or an equation */
void pv_lp_push_clauses(pv *prover, pv_ctx ctx, ck_id term, fact_list *known) {
  for (pv_ctx link = ctx; link != 0 && known->count < MAX_FACTS && !prover->fact_busy.n;
       link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    ck_id g;
    pv_thm inst[8];
    uint32_t n;
    if (ck_head(prover->terms, formula) != CK_ALL)
      continue;
    g = ck_kid(prover->terms, formula, ck_nkids(prover->terms, formula) - 1);
    if (ck_head(prover->terms, g) == CK_NE)
      continue;
    n = pv_clause_instances(prover, ctx, pv_at(prover, link)->thm, term, inst, 8);
    for (uint32_t i = 0; i < n; i++) {
      ck_id normal;
      pv_thm thm = pv_fact_normal(prover, ctx, inst[i], &normal);
      if (thm != PV_NONE &&
          (!pv_is_zero(prover, normal) || ck_head(prover->terms, pv_says(prover, thm)) == CK_LT))
        pv_lp_push_thm(prover, known, thm);
    }
  }
}

/* --- products: only those that bring no monomial of degree 2 that is not there already */
typedef struct {
  const pv_mono *mono[MAX_ROWS];
  uint32_t count;
} monos;

static bool known_mono(const monos *degree2, const pv_mono *mono) {
  for (uint32_t i = 0; i < degree2->count; i++) {
    if (pv_mono_same(degree2->mono[i], mono->atoms, mono->degree))
      return true;
  }
  return false;
}

/* the product of the highest monomials of f and g, which hardly ever cancels, is known */
static bool may_fit(const monos *degree2, const pv_poly *poly, const pv_poly *other) {
  const pv_mono *highest = &poly->monos[0];
  const pv_mono *other_highest = &other->monos[0];
  ck_id atoms[32];
  pv_mono mono;
  uint32_t i = 0;
  uint32_t j = 0;
  for (uint32_t k = 1; k < poly->count; k++) {
    if (poly->monos[k].degree > highest->degree)
      highest = &poly->monos[k];
  }
  for (uint32_t k = 1; k < other->count; k++) {
    if (other->monos[k].degree > other_highest->degree)
      other_highest = &other->monos[k];
  }
  mono.degree = highest->degree + other_highest->degree;
  mono.atoms = atoms;
  if (mono.degree > 32)
    return false;
  for (uint32_t k = 0; k < mono.degree; k++)
    atoms[k] = j == other_highest->degree ||
                       (i < highest->degree && highest->atoms[i] <= other_highest->atoms[j])
                   ? highest->atoms[i++]
                   : other_highest->atoms[j++];
  return mono.degree < 2 || known_mono(degree2, &mono);
}

/* degree2: the monomials of degree two and more that it may have; NULL: any */
static void push_product(pv *prover, fact_list *known, const monos *degree2, uint32_t i,
                         uint32_t j) {
  pv_poly prod;
  pv_poly shifted;
  pv_thm premises[2] = {known->fact[i].premises[0], known->fact[j].premises[0]};
  bool fits = true;
  pv_poly_init(&prod);
  pv_poly_init(&shifted);
  const pv_poly *other = &known->fact[j].value;
  for (uint32_t k = 0; k < other->count; k++) {
    pv_poly_mul_mono(prover, &shifted, &known->fact[i].value, other->monos[k].coef,
                     other->monos[k].atoms, other->monos[k].degree);
    pv_poly_add(prover, &prod, &shifted, prover->one);
  }
  for (uint32_t k = 0; k < prod.count && fits && degree2; k++)
    fits = prod.monos[k].degree < 2 || known_mono(degree2, &prod.monos[k]);
  if (fits && prod.count)
    push_fact(prover, known, &prod, premises, 2, known->fact[i].strict && known->fact[j].strict,
              false);
  pv_poly_clear(&prod);
  pv_poly_clear(&shifted);
}

void pv_lp_push_products(pv *prover, fact_list *known) {
  monos degree2;
  degree2.count = 0;
  uint32_t n = known->count;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < known->fact[i].value.count; j++) {
      const pv_mono *mono = &known->fact[i].value.monos[j];
      if (mono->degree >= 2 && degree2.count < MAX_ROWS && !known_mono(&degree2, mono))
        degree2.mono[degree2.count++] = mono;
    }
  }
  if (!degree2.count)
    return;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = i; j < n && known->count < MAX_COLS; j++) {
      if (!known->fact[i].eq && !known->fact[j].eq && known->fact[i].count == 1 &&
          known->fact[j].count == 1 &&
          may_fit(&degree2, &known->fact[i].value, &known->fact[j].value))
        push_product(prover, known, &degree2, i, j);
    }
  }
}

static bool linear(const pv_poly *poly) {
  for (uint32_t i = 0; i < poly->count; i++) {
    if (poly->monos[i].degree > 1)
      return false;
  }
  return true;
}

/* an atom that stands in a monomial of degree two */
static bool in_square(const fact_list *known, uint32_t n, ck_id atom) {
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < known->fact[i].value.count; j++) {
      const pv_mono *mono = &known->fact[i].value.monos[j];
      if (mono->degree == 2 && pv_mono_has(mono, atom))
        return true;
    }
  }
  return false;
}

void pv_lp_push_all_products(pv *prover, fact_list *known) {
  enum { MOST_LINEAR = 7 };

  uint32_t factor[MOST_LINEAR];
  uint32_t n_factors = 0;
  uint32_t n = known->count;
  for (uint32_t i = 0; i < n && n_factors < MOST_LINEAR; i++) {
    const fact *candidate = &known->fact[i];
    bool fits = !candidate->eq && candidate->count == 1 && linear(&candidate->value);
    for (uint32_t j = 0; j < candidate->value.count && fits; j++) {
      const pv_mono *mono = &candidate->value.monos[j];
      fits = mono->degree == 0 ||
             (!ck_is_int(prover->terms, mono->atoms[0]) && in_square(known, n, mono->atoms[0]));
    }
    if (fits && candidate->value.count)
      factor[n_factors++] = i;
  }
  for (uint32_t i = 0; i < n_factors; i++) {
    for (uint32_t j = i; j < n_factors && known->count < MAX_COLS; j++)
      push_product(prover, known, NULL, factor[i], factor[j]);
  }
}

/* equations that serve as rules, and so are 0 = 0 in normal form, as they stand: products may have
 * their left sides */
void pv_lp_push_rules(pv *prover, pv_ctx ctx, fact_list *known) {
  for (pv_ctx link = ctx; link != 0 && known->count < MAX_COLS;
       link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    ck_id normal;
    pv_poly value;
    bool product = false;
    if (ck_head(prover->terms, formula) != CK_EQ || prover->fact_busy.n ||
        pv_fact_normal(prover, ctx, pv_at(prover, link)->thm, &normal) == PV_NONE ||
        !pv_is_zero(prover, normal))
      continue;
    pv_poly_init(&value);
    pv_poly_read(
        prover, &value,
        pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0)));
    for (uint32_t i = 0; i < value.count; i++)
      product = product || value.monos[i].degree >= 2;
    pv_poly_clear(&value);
    if (product)
      pv_lp_push_thm(prover, known, pv_at(prover, link)->thm);
  }
}
