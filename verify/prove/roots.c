/* Logarithms and square roots.  Both are inverses, so everything follows from one lemma each: exp
 * is one to one; a root is the only nonnegative number with its square.  Logarithms of products of
 * positive factors become sums, roots of products of nonnegative factors products; what stays
 * inside is primitive. */
#include "pv_folds.h"
#include <string.h>

enum { MAXF = 24 };

/* t = log u or sqrt u equals w: s proves exp w = u, or w*w = u with ge: 0 <= w */
static pv_thm log_is(pv *prover, ck_id u, ck_id w, pv_thm pos, pv_thm thm) {
  return pv_lemma_xy(prover, PV_LOG_OF, u, w, pos, thm);
}

static pv_thm sqrt_is(pv *prover, ck_id u, ck_id w, pv_thm nonneg, pv_thm thm) {
  return pv_lemma_xy(prover, PV_SQRT_OF, u, w, nonneg, thm);
}

/* u = 0 up to normal form: theorem a = b for closed terms that normalise alike */
static pv_thm same_normal(pv *prover, pv_ctx ctx, ck_id left, ck_id right) {
  pv_eqn left_normal = pv_norm(prover, ctx, left);
  pv_eqn right_normal = pv_norm(prover, ctx, right);
  if (left_normal.by == PV_NONE || right_normal.by == PV_NONE || left_normal.to != right_normal.to)
    return PV_NONE;
  pv_thm thm = pv_trans(prover, left_normal.by, pv_sym(prover, right_normal.by));
  return thm == PV_REFL ? pv_refl(prover, left) : thm;
}

/* log of one factor known to be positive, as a term whose exponential is that factor */
static ck_id log_factor(pv *prover, ck_id factor) {
  ck_op head = ck_head(prover->terms, factor);
  if (pv_is_one(prover, factor))
    return prover->zero;
  if (head == CK_EXP)
    return ck_kid(prover->terms, factor, 0);
  if (head == CK_INV)
    return pv_neg(prover, log_factor(prover, ck_kid(prover->terms, factor, 0)));
  return pv_log(prover, factor);
}

/* log(prod(k < n) u) = sum(k < n) log u for positive u, normal: the product is an exponential */
static pv_eqn log_of_prod(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id product = ck_kid(prover->terms, term, 0);
  ck_id n = ck_kid(prover->terms, product, 0);
  ck_id f;
  ck_id k;
  ck_id var = pv_int_var(prover, "$$k");
  if (!pv_is_prod(prover, product, &f))
    return pv_fail();
  pv_ctx_bind(prover, ctx, n, &k);
  ck_id body = ck_sub(prover->terms, f, &var, &k, 1, NULL, 0);
  pv_eqn power = pv_prod_by_log(prover, ctx, n, k, body);
  if (power.by == PV_NONE || pv_left(prover, power.by) != product)
    return pv_fail();
  ck_id sum = ck_kid(prover->terms, power.to, 0);
  pv_var_sub at = {pv_real_var(prover, "x"), sum};
  pv_thm positive = pv_use_lemma(prover, PV_EXP_POS, &at, 1, NULL, 0, NULL, 0);
  positive = PV_COMBINE(prover, pv_gt0(prover, product), prover->one, positive, pv_num(prover, -1),
                        power.by);
  pv_eqn eqn = {sum, log_is(prover, product, sum, positive, pv_sym(prover, power.by))};
  return eqn.by == PV_NONE ? eqn : pv_then(prover, eqn, pv_norm(prover, ctx, sum));
}

/* 0 < u, which is known, or from 0 <= u and a root of it that is positive */
static pv_thm positive_under(pv *prover, pv_ctx ctx, ck_id under, pv_thm root_pos) {
  pv_thm known = pv_positive(prover, ctx, under);
  pv_thm nonneg = known == PV_NONE ? pv_nonneg(prover, ctx, under) : PV_NONE;
  if (nonneg == PV_NONE || root_pos == PV_NONE)
    return known;
  pv_comb comb;
  pv_comb_init(&comb); /* root*root = u */
  pv_comb_add_product(&comb, prover->one, root_pos, root_pos);
  pv_comb_add(&comb, prover->one, pv_law1(prover, "sqrt2", under, nonneg));
  return pv_comb_prove(prover, &comb, pv_gt0(prover, under));
}

/* exp(w) is not negative, and exp(w)*exp(w) = exp(w + w) = exp(log u) = u */
pv_thm pv_exp_of_half_log(pv *prover, ck_id half_log, ck_id under, pv_thm positive) {
  ck_id power = pv_exp(prover, half_log);
  pv_var_sub at = {pv_real_var(prover, "x"), half_log};
  pv_thm nonneg = pv_scaled(prover, pv_ge0(prover, power), prover->one,
                            pv_use_lemma(prover, PV_EXP_POS, &at, 1, NULL, 0, NULL, 0));
  ck_id halves[2] = {half_log, half_log};
  ck_id both = pv_add(prover, half_log, half_log);
  ck_id whole = pv_log(prover, under);
  pv_thm sum = pv_identity(prover, pv_eq(prover, both, whole));
  pv_thm joined = pv_cong(prover, pv_exp(prover, both), pv_exp(prover, whole), &sum, 1);
  pv_thm square = pv_trans(prover, pv_sym(prover, pv_law(prover, "exp+", halves, 2, PV_NONE)),
                           pv_trans(prover, joined, pv_law1(prover, "log", under, positive)));
  return pv_sym(prover, sqrt_is(prover, under, power, nonneg, square));
}

/* log(sqrt u) = log(u)/2 */
static pv_eqn log_of_root(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id root = ck_kid(prover->terms, term, 0);
  ck_id under = ck_kid(prover->terms, root, 0);
  pv_thm root_pos = pv_positive(prover, ctx, root);
  pv_thm under_pos = positive_under(prover, ctx, under, root_pos);
  if (root_pos == PV_NONE || under_pos == PV_NONE)
    return pv_fail();
  ck_id half = pv_const_inv(prover, pv_num(prover, 2));
  ck_id half_log = pv_mul(prover, half, pv_log(prover, under));
  pv_thm power = pv_exp_of_half_log(prover, half_log, under, under_pos);
  pv_eqn eqn = {half_log, log_is(prover, root, half_log, root_pos, power)};
  return eqn.by == PV_NONE ? eqn : pv_then(prover, eqn, pv_norm(prover, ctx, half_log));
}

pv_eqn pv_norm_log(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id arg = ck_kid(prover->terms, term, 0);
  if (ck_head(prover->terms, arg) == CK_SQRT) {
    pv_eqn half = log_of_root(prover, ctx, term);
    if (half.by != PV_NONE)
      return half;
  }
  if (ck_head(prover->terms, arg) == CK_FOLD) {
    pv_eqn sum = log_of_prod(prover, ctx, term);
    if (sum.by != PV_NONE)
      return sum;
  }
  ck_id factor[MAXF + 1];
  ck_id sum = CK_BAD;
  uint32_t n = pv_normal_factors(prover, ctx, arg, factor, MAXF);
  pv_thm pos;
  bool squares = false;
  if (pv_is_const(prover, arg) && !pv_is_one(prover, arg))
    return pv_same(term);
  for (uint32_t i = 0; i < n; i++) {
    ck_id negated = pv_neg(prover, factor[i]);
    bool twice = i + 1 < n && factor[i] == factor[i + 1];
    ck_id log;
    if (pv_positive(prover, ctx, factor[i]) != PV_NONE) {
      log = log_factor(prover, factor[i]);
    } else if (pv_is_const(prover, factor[i])) { /* the sign goes to a factor that is negative */
      if (factor[i] == pv_num(prover, -1))
        continue;
      log = pv_log(prover, pv_canon(prover, negated));
    } else if (twice) { /* twice that of the amount */
      ck_id amount = ck_ite(prover->terms, pv_ge0(prover, factor[i]), factor[i], negated);
      log = pv_mul(prover, pv_num(prover, 2), pv_log(prover, amount));
      squares = true;
      i++;
    } else if (pv_canon(prover, negated) != arg &&
               pv_follows(prover, ctx, pv_gt0(prover, pv_canon(prover, negated))) != PV_NONE) {
      log = pv_log(prover, negated); /* of negative factors there is an even number */
    } else {
      return pv_same(term);
    }
    sum = sum == CK_BAD ? log : pv_add(prover, sum, log);
  }
  if (sum == CK_BAD || sum == term || (pos = pv_positive(prover, ctx, arg)) == PV_NONE)
    return pv_same(term);
  /* factors of a sum (1 - 1/(1 + e) is e times 1/(1 + e)) are no normal form of it */
  bool as_it_is = !squares && ck_head(prover->terms, arg) != CK_ADD;
  pv_thm thm = as_it_is ? same_normal(prover, ctx, pv_exp(prover, sum), arg)
                        : pv_prove_eq(prover, ctx, pv_exp(prover, sum), arg, 0);
  pv_eqn eqn = {sum, log_is(prover, arg, sum, pos, thm)};
  return eqn.by == PV_NONE ? pv_same(term) : pv_then(prover, eqn, pv_norm(prover, ctx, sum));
}

/* a rational whose square is q */
static ck_id q_root(pv *prover, ck_id square) {
  mpq_t value;
  ck_id root = CK_BAD;
  mpq_init(value);
  mpq_set(value, *ck_q_value(prover->terms, square));
  if (mpz_perfect_square_p(mpq_numref(value)) && mpz_perfect_square_p(mpq_denref(value))) {
    mpz_sqrt(mpq_numref(value), mpq_numref(value));
    mpz_sqrt(mpq_denref(value), mpq_denref(value));
    root = pv_rational(prover, value);
  }
  mpq_clear(value);
  return root;
}

/* root of one factor known not to be negative */
static ck_id root_factor(pv *prover, pv_ctx ctx, ck_id factor) {
  ck_op head = ck_head(prover->terms, factor);
  ck_id rational = pv_is_const(prover, factor) ? q_root(prover, factor) : CK_BAD;
  if (rational != CK_BAD)
    return rational;
  if (head == CK_EXP)
    return pv_exp(prover, pv_mul(prover, pv_const_inv(prover, pv_num(prover, 2)),
                                 ck_kid(prover->terms, factor, 0)));
  if (head == CK_INV && pv_positive(prover, ctx, ck_kid(prover->terms, factor, 0)) != PV_NONE)
    return pv_inv(prover, root_factor(prover, ctx, ck_kid(prover->terms, factor, 0)));
  return pv_sqrt(prover, factor);
}

/* |x| for an x of unknown sign, x where it is known not to be negative */
static ck_id amount(pv *prover, pv_ctx ctx, ck_id x) {
  return pv_nonneg(prover, ctx, x) != PV_NONE
             ? x
             : ck_ite(prover->terms, pv_ge0(prover, x), x, pv_neg(prover, x));
}

/* Monomials by degree, then by their atoms from the last one on: an order that multiplication
 * keeps, so that the greatest monomial of a square is the square of the greatest of its root. */
static int mono_order(const pv_mono *left, const pv_mono *right) {
  if (left->degree != right->degree)
    return left->degree < right->degree ? -1 : 1;
  for (uint32_t i = left->degree; i-- > 0;) {
    if (left->atoms[i] != right->atoms[i])
      return left->atoms[i] < right->atoms[i] ? -1 : 1;
  }
  return 0;
}

static const pv_mono *greatest(const pv_poly *poly) {
  const pv_mono *best = &poly->monos[0];
  for (uint32_t i = 1; i < poly->count; i++) {
    if (mono_order(&poly->monos[i], best) > 0)
      best = &poly->monos[i];
  }
  return best;
}

enum { MOST_ROOT_TERMS = 6, MOST_ROOT_DEGREE = 16 };

/* rest less (2*root + q*a)*q*a, and root plus q*a */
static void take_term(pv *prover, pv_poly *rest, pv_poly *root, ck_id q, const ck_id *atoms,
                      uint32_t n) {
  pv_poly doubled;
  pv_poly product;
  pv_poly_init(&doubled);
  pv_poly_init(&product);
  pv_poly_add(prover, &doubled, root, pv_num(prover, 2));
  pv_poly_add_mono(prover, &doubled, q, atoms, n);
  pv_poly_mul_mono(prover, &product, &doubled, q, atoms, n);
  pv_poly_add(prover, rest, &product, pv_num(prover, -1));
  pv_poly_add_mono(prover, root, q, atoms, n);
  pv_poly_clear(&doubled);
  pv_poly_clear(&product);
}

/* the next term of the root: the first is the root of the greatest monomial, any other what the
 * greatest monomial that is left has beside twice the first */
static bool next_term(pv *prover, const pv_poly *rest, const pv_mono *first, ck_id *q, ck_id *atoms,
                      uint32_t *n) {
  const pv_mono *lead = greatest(rest);
  if (lead->degree > MOST_ROOT_DEGREE)
    return false;
  if (first) {
    int degree = pv_mono_div(lead->atoms, lead->degree, first->atoms, first->degree, atoms);
    *q = pv_const_mul(prover, lead->coef,
                      pv_const_inv(prover, pv_const_mul(prover, pv_num(prover, 2), first->coef)));
    *n = degree < 0 ? 0 : (uint32_t)degree;
    return degree >= 0;
  }
  *q = q_root(prover, lead->coef);
  *n = lead->degree / 2;
  bool even = lead->degree % 2 == 0 && *q != CK_BAD && pv_const_sign(prover, lead->coef) > 0;
  for (uint32_t i = 0; i < *n && even; i++) {
    even = lead->atoms[2 * i] == lead->atoms[2 * i + 1];
    atoms[i] = lead->atoms[2 * i];
  }
  return even;
}

/* the polynomial whose square the term is, as a*a + 2*a*b + b*b is that of a + b; CK_BAD: none */
static ck_id root_of_square(pv *prover, ck_id term) {
  pv_poly rest;
  pv_poly root;
  ck_id atoms[MOST_ROOT_DEGREE];
  ck_id first_atoms[MOST_ROOT_DEGREE];
  pv_mono first = {CK_BAD, 0, first_atoms};
  bool fits = true;
  pv_poly_init(&rest);
  pv_poly_init(&root);
  pv_poly_read(prover, &rest, term);
  fits = rest.count >= 3;
  for (uint32_t i = 0; i < MOST_ROOT_TERMS && fits && rest.count; i++) {
    ck_id q;
    uint32_t n;
    fits = next_term(prover, &rest, i ? &first : NULL, &q, atoms, &n);
    if (!fits)
      break;
    if (i == 0) {
      first.coef = q;
      first.degree = n;
      memcpy(first_atoms, atoms, n * sizeof *atoms);
    }
    take_term(prover, &rest, &root, q, atoms, n);
  }
  ck_id found = fits && rest.count == 0 ? pv_poly_term(prover, &root) : CK_BAD;
  pv_poly_clear(&rest);
  pv_poly_clear(&root);
  return found;
}

pv_eqn pv_norm_sqrt(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id arg = ck_kid(prover->terms, term, 0);
  ck_id factor[MAXF + 1];
  ck_id product = CK_BAD;
  uint32_t n = pv_normal_factors(prover, ctx, arg, factor, MAXF);
  for (uint32_t i = 0; i < n; i++) {
    ck_id root;
    bool twice = i + 1 < n && factor[i] == factor[i + 1];
    ck_id of_square = twice ? factor[i] : root_of_square(prover, factor[i]);
    if (of_square != CK_BAD) {
      root = amount(prover, ctx, of_square);
      i += twice;
    } else {
      if (pv_nonneg(prover, ctx, factor[i]) == PV_NONE)
        return pv_same(term);
      root = root_factor(prover, ctx, factor[i]);
    }
    product = product == CK_BAD ? root : pv_mul(prover, product, root);
  }
  if (product == term)
    return pv_same(term);
  pv_thm nonneg = pv_follows(prover, ctx, pv_ge0(prover, product));
  pv_thm thm = nonneg == PV_NONE
                   ? PV_NONE
                   : pv_prove_eq(prover, ctx, pv_mul(prover, product, product), arg, 0);
  pv_eqn eqn = {product, sqrt_is(prover, arg, product, nonneg, thm)};
  return eqn.by == PV_NONE ? pv_same(term) : pv_then(prover, eqn, pv_norm(prover, ctx, product));
}
