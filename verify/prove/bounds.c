/* Integer relations from the context: 0 <= f by replacing one variable after the other by a bound
 * that the sign of its coefficient calls for.  Every replacement is one `arith` step; a quotient a
 * div b gets its bounds from the laws of division. */
#include "pv_digits.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_FACTS = 24, MAX_ATOMS = 40 };

static pv_thm nn(pv *prover, pv_ctx ctx, const pv_poly *poly, int depth);
static pv_thm nn_term(pv *prover, pv_ctx ctx, ck_id term, int depth);

/* f = c*x + r, with c as large as possible (x may stay in c) */
static void divide_by_atom(pv *prover, const pv_poly *poly, ck_id atom, pv_poly *cofactor,
                           pv_poly *rest) {
  pv_poly_init(cofactor);
  pv_poly_init(rest);
  for (uint32_t i = 0; i < poly->count; i++) {
    const pv_mono *mono = &poly->monos[i];
    uint32_t at = 0;
    while (at < mono->degree && mono->atoms[at] != atom)
      at++;
    if (at == mono->degree) {
      pv_poly_add_mono(prover, rest, mono->coef, mono->atoms, mono->degree);
      continue;
    }
    ck_id *others = as_malloc((mono->degree + 1) * sizeof *others);
    uint32_t n = 0;
    for (uint32_t j = 0; j < mono->degree; j++) {
      if (j != at)
        others[n++] = mono->atoms[j];
    }
    pv_poly_add_mono(prover, cofactor, mono->coef, others, n);
    free(others);
  }
}

/* the strict integer fact a < b as a+1 <= b */
pv_thm pv_tighten(pv *prover, pv_thm thm) {
  if (thm == PV_NONE)
    return PV_NONE;
  ck_id formula = pv_says(prover, thm);
  ck_id left = ck_kid(prover->terms, formula, 0);
  ck_id right = ck_kid(prover->terms, formula, 1);
  if (ck_head(prover->terms, formula) != CK_LT || !ck_is_int(prover->terms, left) ||
      !ck_is_int(prover->terms, right))
    return thm;
  return pv_int(prover, pv_le(prover, pv_add(prover, left, prover->one), right), thm);
}

/* the greatest common divisor of the coefficients of integer atoms, where all are integers; the
 * constant is apart.  false: there is none above 1 */
static bool common_divisor(pv *prover, const pv_poly *value, mpz_t divisor, mpz_t constant) {
  mpz_set_ui(divisor, 0);
  mpz_set_ui(constant, 0);
  for (uint32_t i = 0; i < value->count; i++) {
    const pv_mono *mono = &value->monos[i];
    const mpq_t *coef = ck_q_value(prover->terms, mono->coef);
    if (mpz_cmp_ui(mpq_denref(*coef), 1) != 0)
      return false;
    for (uint32_t j = 0; j < mono->degree; j++) {
      if (!ck_is_int(prover->terms, mono->atoms[j]))
        return false;
    }
    if (mono->degree == 0)
      mpz_set(constant, mpq_numref(*coef));
    else
      mpz_gcd(divisor, divisor, mpq_numref(*coef));
  }
  return mpz_cmp_ui(divisor, 1) > 0 && !mpz_divisible_p(constant, divisor);
}

/* the value without its constant, over g */
static ck_id divided(pv *prover, const pv_poly *value, ck_id one_over_g) {
  pv_poly quotient;
  pv_poly_init(&quotient);
  for (uint32_t i = 0; i < value->count; i++) {
    const pv_mono *mono = &value->monos[i];
    ck_id coef = pv_const_mul(prover, mono->coef, one_over_g);
    if (mono->degree)
      pv_poly_add_mono(prover, &quotient, coef, mono->atoms, mono->degree);
  }
  ck_id term = pv_poly_term(prover, &quotient);
  pv_poly_clear(&quotient);
  return term;
}

/* From thm, 0 <= g*e + c: e + floor(c/g) + 1 is e + c/g and something positive, and as an integer
 * at least 1. */
static pv_thm rounded_down(pv *prover, pv_thm thm, const pv_poly *value, const mpz_t divisor,
                           mpz_t constant) {
  mpq_t part;
  mpq_init(part);
  mpz_set(mpq_denref(part), divisor);
  mpz_set_ui(mpq_numref(part), 1);
  ck_id one_over_g = pv_rational(prover, part);
  mpz_set(mpq_numref(part), constant);
  mpq_canonicalize(part);
  mpz_fdiv_q(constant, constant, divisor);
  mpq_t next;
  mpq_init(next);
  mpq_set_z(next, constant);
  ck_id rounded = pv_add(prover, divided(prover, value, one_over_g), pv_rational(prover, next));
  mpq_sub(part, next, part);
  ck_id more = pv_const_add(prover, pv_rational(prover, part), prover->one);
  mpq_clears(part, next, NULL);
  pv_summand summands[2] = {{one_over_g, &thm, 1}, {more, NULL, 0}};
  pv_thm above = pv_arith(prover, pv_lt(prover, pv_num(prover, -1), rounded), summands, 2);
  return above == PV_NONE ? PV_NONE : pv_int(prover, pv_ge0(prover, rounded), above);
}

pv_thm pv_rounded(pv *prover, pv_thm thm) {
  ck_id formula = thm == PV_NONE ? CK_BAD : pv_says(prover, thm);
  if (formula == CK_BAD || ck_head(prover->terms, formula) != CK_LE)
    return thm;
  pv_poly value;
  mpz_t divisor;
  mpz_t constant;
  mpz_inits(divisor, constant, NULL);
  pv_poly_init(&value);
  pv_poly_read(
      prover, &value,
      pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0)));
  pv_thm rounded = common_divisor(prover, &value, divisor, constant)
                       ? rounded_down(prover, thm, &value, divisor, constant)
                       : PV_NONE;
  pv_poly_clear(&value);
  mpz_clears(divisor, constant, NULL);
  return rounded == PV_NONE ? thm : rounded;
}

static uint32_t add_fact(pv_thm *out, uint32_t n, pv_thm thm) {
  if (thm != PV_NONE && n < MAX_FACTS)
    out[n++] = thm;
  return n;
}

/* E where the order s says x <= E, CK_BAD if it says nothing of the kind; E is free of x */
static ck_id upper_of(pv *prover, pv_thm thm, ck_id var) {
  ck_id formula = pv_says(prover, thm);
  ck_id bound = CK_BAD;
  pv_poly value;
  uint32_t at = PV_NONE;
  bool strict = ck_head(prover->terms, formula) == CK_LT;
  pv_poly_init(&value);
  pv_poly_read(
      prover, &value,
      pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0)));
  for (uint32_t i = 0; i < value.count; i++) {
    if (value.monos[i].degree == 1 && value.monos[i].atoms[0] == var &&
        value.monos[i].coef == pv_num(prover, -1))
      at = i;
  }
  if (at != PV_NONE) {
    bound = pv_canon(prover, pv_add(prover, var,
                                    pv_sub(prover, pv_poly_term(prover, &value),
                                           strict ? prover->one : prover->zero)));
    if (ck_has_var(prover->terms, bound, var) || !ck_is_int(prover->terms, bound))
      bound = CK_BAD;
  }
  pv_poly_clear(&value);
  return bound;
}

/* an upper bound of a as a polynomial: each variable x with a fact x < E becomes E - 1; sizes with
 * a defining equation are expanded */
static ck_id upper_guess(pv *prover, pv_ctx ctx, ck_id term) {
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    ck_id var;
    ck_id bound = CK_BAD;
    ck_op head = ck_head(prover->terms, formula);
    if ((head != CK_LT && head != CK_EQ && head != CK_LE) || pv_at(prover, link)->thm == PV_NONE)
      continue;
    var = ck_kid(prover->terms, formula, 0);
    if (ck_head(prover->terms, var) == CK_V && head != CK_LE) {
      bound = ck_kid(prover->terms, formula, 1);
      if (head == CK_LT)
        bound = pv_sub(prover, bound, prover->one);
    } else if (head != CK_EQ && var == prover->zero) { /* 0 <= E - x */
      ck_id last = ck_kid(prover->terms, formula, 1);
      pv_poly value;
      pv_poly_init(&value);
      pv_poly_read(prover, &value, last);
      for (uint32_t i = 0; i < value.count && bound == CK_BAD; i++) {
        if (value.monos[i].degree == 1 && value.monos[i].coef == pv_num(prover, -1) &&
            ck_head(prover->terms, value.monos[i].atoms[0]) == CK_V &&
            ck_has_var(prover->terms, term, value.monos[i].atoms[0])) {
          var = value.monos[i].atoms[0];
          bound = upper_of(prover, pv_at(prover, link)->thm, var);
        }
      }
      pv_poly_clear(&value);
    }
    if (bound == CK_BAD || ck_head(prover->terms, var) != CK_V ||
        ck_sort(prover->terms, var) != 'i' || !ck_has_var(prover->terms, term, var) ||
        ck_has_var(prover->terms, bound, var) || !ck_is_int(prover->terms, bound))
      continue;
    term = pv_canon(prover, ck_sub(prover->terms, term, &var, &bound, 1, NULL, 0));
  }
  return term;
}

static ck_id expand_sizes(pv *prover, pv_ctx ctx, ck_id term) {
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    ck_id formula = pv_at(prover, link)->formula;
    if (ck_head(prover->terms, formula) != CK_EQ)
      continue;
    ck_id var = ck_kid(prover->terms, formula, 0);
    ck_id value = ck_kid(prover->terms, formula, 1);
    if (ck_head(prover->terms, var) != CK_V || ck_sort(prover->terms, var) != 'i' ||
        !ck_has_var(prover->terms, term, var) || ck_has_var(prover->terms, value, var) ||
        !ck_is_int(prover->terms, value))
      continue;
    term = pv_canon(prover, ck_sub(prover->terms, term, &var, &value, 1, NULL, 0));
  }
  return term;
}

/* a / b for a monomial b, CK_BAD if it does not divide */
ck_id pv_poly_quotient(pv *prover, ck_id dividend, ck_id divisor) {
  pv_poly poly;
  pv_poly other;
  pv_poly product;
  ck_id result = CK_BAD;
  pv_poly_init(&poly);
  pv_poly_init(&other);
  pv_poly_init(&product);
  pv_poly_read(prover, &poly, dividend);
  pv_poly_read(prover, &other, divisor);
  if (other.count == 1) {
    ck_id inv_coef = pv_const_inv(prover, other.monos[0].coef);
    bool ok = true;
    for (uint32_t i = 0; i < poly.count && ok; i++) {
      ck_id *rest = as_malloc((poly.monos[i].degree + 1) * sizeof *rest);
      int degree = pv_mono_div(poly.monos[i].atoms, poly.monos[i].degree, other.monos[0].atoms,
                               other.monos[0].degree, rest);
      if (degree < 0)
        ok = false;
      else
        pv_poly_add_mono(prover, &product, pv_const_mul(prover, poly.monos[i].coef, inv_coef), rest,
                         (uint32_t)degree);
      free(rest);
    }
    if (ok) {
      result = pv_poly_term(prover, &product);
      if (!ck_is_int(prover->terms, result))
        result = CK_BAD;
    }
  }
  pv_poly_clear(&poly);
  pv_poly_clear(&other);
  pv_poly_clear(&product);
  return result;
}

/* what the monomial m equals by the equation f of integers; CK_BAD: f does not have it */
static ck_id solved(pv *prover, ck_id formula, ck_id monomial) {
  pv_poly value;
  pv_poly other;
  ck_id result = CK_BAD;
  if (!ck_is_int(prover->terms, ck_kid(prover->terms, formula, 0)) ||
      !ck_is_int(prover->terms, ck_kid(prover->terms, formula, 1)))
    return result;
  pv_poly_init(&value);
  pv_poly_init(&other);
  pv_poly_read(
      prover, &value,
      pv_sub(prover, ck_kid(prover->terms, formula, 1), ck_kid(prover->terms, formula, 0)));
  pv_poly_read(prover, &other, monomial);
  for (uint32_t i = 0; i < value.count && other.count == 1 && result == CK_BAD; i++) {
    ck_id scale;
    if (value.monos[i].degree != other.monos[0].degree ||
        memcmp(value.monos[i].atoms, other.monos[0].atoms,
               other.monos[0].degree * sizeof *other.monos[0].atoms))
      continue;
    scale = pv_const_mul(prover, pv_num(prover, -1),
                         pv_const_inv(prover, value.monos[i].coef)); /* c*v = 0: m = m + c*v */
    if (ck_is_int(prover->terms, scale))
      result = pv_canon(
          prover, pv_add(prover, monomial, pv_mul(prover, scale, pv_poly_term(prover, &value))));
  }
  pv_poly_clear(&value);
  pv_poly_clear(&other);
  return result;
}

/* c with n = c*b under the equations of the context */
ck_id pv_size_quotient(pv *prover, pv_ctx ctx, ck_id n, ck_id divisor) {
  enum { FORMS = 8 };

  ck_id quotient = pv_poly_quotient(prover, n, divisor);
  ck_id form[FORMS];
  uint32_t n_forms = 0;
  if (quotient != CK_BAD)
    return quotient;
  form[n_forms++] = pv_canon(prover, n);
  form[n_forms++] = expand_sizes(prover, ctx, n);
  for (uint32_t i = 0; i < n_forms && quotient == CK_BAD; i++) {
    quotient = pv_poly_quotient(prover, form[i], divisor);
    for (pv_ctx link = ctx; link != 0 && quotient == CK_BAD;
         link = pv_at(prover, link)->parent) { /* L*T = 64 */
      ck_id formula = pv_at(prover, link)->formula;
      ck_id other;
      uint32_t known = 0;
      if (ck_head(prover->terms, formula) != CK_EQ ||
          (other = solved(prover, formula, form[i])) == CK_BAD)
        continue;
      while (known < n_forms && form[known] != other)
        known++;
      if (known == n_forms && n_forms < FORMS)
        form[n_forms++] = other;
    }
  }
  return quotient == CK_BAD ? pv_poly_quotient(prover, form[1], expand_sizes(prover, ctx, divisor))
                            : quotient;
}

/* a < c*b for some c, hence a div b < c */
static pv_thm div_upper(pv *prover, pv_ctx ctx, ck_id dividend, ck_id divisor, pv_thm divisor_pos,
                        int depth) {
  ck_id above = pv_canon(prover, pv_add(prover, upper_guess(prover, ctx, dividend), prover->one));
  ck_id quotient = pv_size_quotient(prover, ctx, above, divisor);
  if (quotient == CK_BAD)
    return PV_NONE;
  pv_eqn normal = pv_norm(prover, ctx, quotient);
  if (normal.by != PV_NONE && ck_is_int(prover->terms, normal.to))
    quotient = normal.to;
  ck_id product = pv_mul(prover, quotient, divisor);
  pv_thm slack = nn_term(prover, ctx,
                         pv_sub(prover, pv_sub(prover, product, dividend), prover->one), depth + 1);
  if (slack == PV_NONE)
    return PV_NONE;
  pv_summand summand[2] = {{prover->one, &slack, 1}, {prover->one, NULL, 0}};
  pv_thm premises[2] = {pv_arith(prover, pv_lt(prover, dividend, product), summand, 2),
                        divisor_pos};
  pv_var_sub vars[3] = {{pv_int_var(prover, "a"), dividend},
                        {pv_int_var(prover, "b"), divisor},
                        {pv_int_var(prover, "c"), quotient}};
  return pv_use_lemma(prover, PV_DIV_HI, vars, 3, NULL, 0, premises, 2);
}

static uint32_t div_facts(pv *prover, pv_ctx ctx, ck_id quotient, int depth, pv_thm *out,
                          uint32_t n) {
  ck_id dividend = ck_kid(prover->terms, quotient, 0);
  ck_id divisor = ck_kid(prover->terms, quotient, 1);
  ck_id args[2] = {dividend, divisor};
  ck_id product = pv_mul(prover, divisor, quotient);
  pv_thm divisor_pos = pv_follows(prover, ctx, pv_gt0(prover, divisor));
  pv_thm dividend_nonneg;
  if (divisor_pos == PV_NONE)
    return n;
  pv_var_sub vars[2] = {{pv_int_var(prover, "a"), dividend}, {pv_int_var(prover, "b"), divisor}};
  dividend_nonneg = nn_term(prover, ctx, dividend, depth + 1);
  if (dividend_nonneg != PV_NONE) {
    pv_thm premises[2] = {pv_restate(prover, pv_ge0(prover, dividend), dividend_nonneg),
                          divisor_pos};
    n = add_fact(out, n, pv_use_lemma(prover, PV_DIV_LO, vars, 2, NULL, 0, premises, 2));
  }
  n = add_fact(out, n, div_upper(prover, ctx, dividend, divisor, divisor_pos, depth));
  pv_thm law = pv_law(prover, "div", args, 2, divisor_pos);
  pv_thm rest_low = pv_law(prover, "mod>", args, 2, divisor_pos);
  pv_thm rest_high = pv_law(prover, "mod<", args, 2, divisor_pos);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, rest_low);
  pv_comb_add(&comb, pv_num(prover, -1), law);
  n = add_fact(out, n,
               pv_comb_prove(prover, &comb, pv_ge0(prover, pv_sub(prover, dividend, product))));
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, rest_high);
  pv_comb_add(&comb, prover->one, law);
  return add_fact(
      out, n,
      pv_comb_prove(prover, &comb, pv_lt(prover, pv_sub(prover, dividend, product), divisor)));
}

/* is x a factor of a summand of t? */
static bool summand_of(pv *prover, ck_id term, ck_id x) {
  ck_op head = ck_head(prover->terms, term);
  return term == x || ((head == CK_ADD || head == CK_MUL) &&
                       (summand_of(prover, ck_kid(prover->terms, term, 0), x) ||
                        summand_of(prover, ck_kid(prover->terms, term, 1), x)));
}

/* facts about x: equations first */
static uint32_t facts_of(pv *prover, pv_ctx ctx, ck_id atom, int depth, pv_thm *out) {
  uint32_t n = 0;
  for (int eqs = 1; eqs >= 0; eqs--) {
    for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
      ck_id formula = pv_at(prover, link)->formula;
      ck_op head = ck_head(prover->terms, formula);
      if ((head == CK_EQ) != (eqs == 1) || (head != CK_EQ && head != CK_LE && head != CK_LT))
        continue;
      if (ck_head(prover->terms, atom) == CK_V
              ? ck_has_var(prover->terms, formula, atom)
              : summand_of(prover, ck_kid(prover->terms, formula, 0), atom) ||
                    summand_of(prover, ck_kid(prover->terms, formula, 1), atom))
        n = add_fact(out, n, pv_at(prover, link)->thm);
    }
  }
  if (ck_head(prover->terms, atom) == CK_DIV)
    n = div_facts(prover, ctx, atom, depth, out, n);
  if (ck_head(prover->terms, atom) == CK_MOD) {
    ck_id args[2] = {ck_kid(prover->terms, atom, 0), ck_kid(prover->terms, atom, 1)};
    pv_thm divisor_pos = pv_follows(prover, ctx, pv_gt0(prover, args[1]));
    if (divisor_pos != PV_NONE) {
      n = add_fact(out, n, pv_law(prover, "mod>", args, 2, divisor_pos));
      n = add_fact(out, n, pv_law(prover, "mod<", args, 2, divisor_pos));
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
static pv_thm by_fact(pv *prover, pv_ctx ctx, const pv_poly *poly, const pv_poly *cofactor,
                      const pv_poly *r, ck_id atom, pv_thm thm, int depth) {
  bool eqn_fact = ck_head(prover->terms, pv_says(prover, thm)) == CK_EQ;
  pv_poly value;
  pv_poly reduced;
  pv_poly other;
  pv_poly others;
  uint32_t at = 0;
  uint32_t hits = 0;
  pv_thm cases = PV_NONE;
  thm = eqn_fact ? thm : pv_tighten(prover, thm);
  if (thm == PV_NONE)
    return PV_NONE;
  ck_id says = pv_says(prover, thm);
  pv_poly_init(&value);
  pv_poly_init(&other);
  pv_poly_init(&others);
  pv_poly_read(prover, &value,
               pv_sub(prover, ck_kid(prover->terms, says, 1), ck_kid(prover->terms, says, 0)));
  for (uint32_t i = 0; i < value.count; i++) {
    if (pv_mono_has(&value.monos[i], atom)) {
      at = i;
      hits++;
    }
  }
  if (hits == 1) {
    pv_mono mono = value.monos[at];
    ck_id *factor = as_malloc((mono.degree + 1) * sizeof *factor);
    int n_factor = pv_mono_div(mono.atoms, mono.degree, &atom, 1, factor);
    bool linear = true;
    for (int i = 0; i < n_factor; i++) {
      if (factor[i] == atom)
        linear = false;
    }
    if (linear && quotient_into(prover, cofactor, factor, (uint32_t)n_factor, &reduced)) {
      ck_id inv_coef = pv_const_inv(prover, mono.coef);
      for (uint32_t i = 0; i < value.count; i++) {
        if (i != at)
          pv_poly_add_mono(prover, &others, value.monos[i].coef, value.monos[i].atoms,
                           value.monos[i].degree);
      }
      pv_poly_add(prover, &other, r, prover->one);
      pv_poly scale;
      pv_poly_init(&scale);
      pv_poly_add(prover, &scale, &reduced, inv_coef); /* c'/q */
      for (uint32_t i = 0; i < others.count; i++) {
        pv_poly shifted;
        pv_poly_init(&shifted);
        pv_poly_mul_mono(prover, &shifted, &scale, others.monos[i].coef, others.monos[i].atoms,
                         others.monos[i].degree);
        pv_poly_add(prover, &other, &shifted, pv_num(prover, -1));
        pv_poly_clear(&shifted);
      }
      bool constant = scale.count == 0 || (scale.count == 1 && scale.monos[0].degree == 0);
      pv_thm sign = PV_REFL;
      if (!eqn_fact)
        sign = constant
                   ? (scale.count == 0 || pv_const_sign(prover, scale.monos[0].coef) >= 0 ? PV_REFL
                                                                                          : PV_NONE)
                   : nn(prover, ctx, &scale, depth + 1);
      pv_thm rest = sign == PV_NONE ? PV_NONE : nn(prover, ctx, &other, depth + 1);
      if (rest != PV_NONE) {
        pv_comb comb;
        pv_comb_init(&comb);
        pv_comb_add(&comb, prover->one, rest);
        if (eqn_fact || constant)
          pv_comb_add(&comb, pv_poly_term(prover, &scale), thm);
        else
          pv_comb_add_product(&comb, prover->one, sign, thm);
        cases = pv_comb_prove(prover, &comb, pv_ge0(prover, pv_poly_term(prover, poly)));
      }
      pv_poly_clear(&scale);
      pv_poly_clear(&reduced);
    }
    free(factor);
  }
  pv_poly_clear(&value);
  pv_poly_clear(&other);
  pv_poly_clear(&others);
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
      uint32_t at = 0;
      while (at < n && atoms[at] != poly->monos[i].atoms[j])
        at++;
      if (at == n && n < MAX_ATOMS)
        atoms[n++] = poly->monos[i].atoms[j];
    }
  }
  for (uint32_t i = 1; i < n; i++) /* innermost counters first */
  {
    for (uint32_t j = i; j > 0 && pv_order(prover, atoms[j - 1], atoms[j]) > 0; j--) {
      ck_id atom = atoms[j];
      atoms[j] = atoms[j - 1];
      atoms[j - 1] = atom;
    }
  }
  for (int pass = 0; pass < 3;
       pass++) /* prover's counters, then quotients, then the other variables */
  {
    for (uint32_t i = n; i-- > 0;) {
      ck_id atom = atoms[i];
      ck_op head = ck_head(prover->terms, atom);
      pv_thm facts[MAX_FACTS];
      uint32_t n_facts;
      pv_poly cofactor;
      pv_poly rest;
      int kind = head == CK_V
                     ? (ck_word_text(prover->terms, ck_name(prover->terms, atom))[0] == '$' ? 0 : 2)
                     : 1;
      if (kind != pass || inside_other(prover, atoms, n, atom))
        continue;
      n_facts = facts_of(prover, ctx, atom, depth, facts);
      divide_by_atom(prover, poly, atom, &cofactor, &rest);
      pv_thm cases = PV_NONE;
      for (uint32_t at = 0; at < n_facts && cases == PV_NONE && prover->fuel; at++)
        cases = by_fact(prover, ctx, poly, &cofactor, &rest, atom, facts[at], depth);
      pv_poly_clear(&cofactor);
      pv_poly_clear(&rest);
      if (cases != PV_NONE || !prover->fuel)
        return cases;
    }
  }
  return PV_NONE;
}

/* 0 <= f as `0 <= canonical term of f` */
static pv_thm nn(pv *prover, pv_ctx ctx, const pv_poly *poly, int depth) {
  uint64_t known;
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
  if (as_map_get(&prover->rel_memo, AS_KEY(((uint64_t)ctx << 32) | goal, 3), &known)) {
    if (known == PV_NONE - 2) {
      prover->cut = true;
      return PV_NONE;
    }
    return (uint32_t)known;
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

/* that two integers differ, from a hypothesis that two with that difference do */
static pv_thm differ_as_known(pv *prover, pv_ctx ctx, ck_id formula) {
  const ck_terms *terms = prover->terms;
  ck_id apart = pv_sub(prover, ck_kid(terms, formula, 1), ck_kid(terms, formula, 0));
  ck_id difference[2] = {pv_canon(prover, apart), pv_canon(prover, pv_neg(prover, apart))};
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    ck_id known = pv_at(prover, link)->formula;
    if (ck_head(terms, known) != CK_NE || !ck_is_int(terms, ck_kid(terms, known, 0)) ||
        !ck_is_int(terms, ck_kid(terms, known, 1)))
      continue;
    ck_id there =
        pv_canon(prover, pv_sub(prover, ck_kid(terms, known, 1), ck_kid(terms, known, 0)));
    for (int i = 0; i < 2; i++) {
      if (there == difference[i])
        return pv_scaled(prover, formula, pv_num(prover, i ? -1 : 1), pv_at(prover, link)->thm);
    }
  }
  return PV_NONE;
}

/* f as 0 <= v or 0 <= v-1 */
pv_thm pv_follows_int(pv *prover, pv_ctx ctx, ck_id formula) {
  return pv_follows_int_within(prover, ctx, formula, 32);
}

pv_thm pv_follows_int_within(pv *prover, pv_ctx ctx, ck_id formula, uint32_t effort) {
  ck_op head = ck_head(prover->terms, formula);
  ck_id left = ck_kid(prover->terms, formula, 0);
  ck_id right = ck_kid(prover->terms, formula, 1);
  ck_id diff = pv_sub(prover, right, left);
  uint32_t fuel = prover->fuel;
  pv_thm thm = PV_NONE;
  if (prover->fuel < effort / 4)
    prover->fuel = effort;
  if (head == CK_LE) {
    pv_thm u = nn_term(prover, ctx, diff, 0);
    thm = pv_restate(prover, formula, u == PV_NONE ? pv_digits_nonneg(prover, ctx, diff) : u);
  } else if (head == CK_LT) {
    ck_id room = pv_sub(prover, diff, prover->one);
    pv_thm u = nn_term(prover, ctx, room, 0);
    if (u == PV_NONE)
      u = pv_digits_nonneg(prover, ctx, room);
    pv_summand summand[2] = {{prover->one, &u, 1}, {prover->one, NULL, 0}};
    if (u != PV_NONE)
      thm = pv_arith(prover, formula, summand, 2);
  } else if (head == CK_NE) {
    thm = differ_as_known(prover, ctx, formula);
    for (int i = 0; i < 2 && thm == PV_NONE; i++) {
      ck_id strict = pv_lt(prover, i ? right : left, i ? left : right);
      pv_thm u = pv_follows_int(prover, ctx, strict);
      if (u != PV_NONE)
        thm = pv_scaled(prover, formula, i ? pv_num(prover, -1) : prover->one, u);
    }
    if (thm == PV_NONE)
      thm = pv_digits_differ(prover, ctx, formula);
  } else if (head == CK_EQ) {
    ck_id canonical = pv_canon(prover, diff);
    if (canonical == prover->zero) {
      thm = pv_identity(prover, formula);
    } else {
      pv_eqn eqn = pv_norm(prover, ctx, diff);
      if (eqn.to == prover->zero && eqn.by != PV_NONE)
        thm = eqn.by == PV_REFL ? pv_identity(prover, formula)
                                : pv_scaled(prover, formula, pv_num(prover, -1), eqn.by);
      if (thm == PV_NONE) {
        pv_thm upward = nn_term(prover, ctx, diff, 0);
        pv_thm downward =
            upward == PV_NONE ? PV_NONE : nn_term(prover, ctx, pv_neg(prover, diff), 0);
        thm = pv_antisym(prover, pv_restate(prover, pv_le(prover, left, right), upward),
                         pv_restate(prover, pv_le(prover, right, left), downward));
      }
    }
  }
  prover->fuel = fuel;
  return thm;
}
