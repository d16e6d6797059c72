/* Windows at places that data name, as equations.
 *
 * A sum over rounds that add to tile t[k] of a tensor has 1 where 0 <= a - w*t[k] and
 * a - w*t[k] < v, v <= w, and 0 elsewhere.  That is where t[k] = a div w, and a - w*t[k] < v, which
 * holds by itself where v = w.  As an equation it says what t[k] is in what is added: so the sum is
 * the one over the rounds that name the tile. */
#include "pv_folds.h"

/* a factor of a product that is 1 where `part` is not below 0, and 0 elsewhere */
typedef struct {
  ck_id atom;
  ck_id part;
  bool inverted; /* it is written as ite(0 <= -1 - part, 0, 1) */
} flag;

/* two flags: 0 <= low, 0 <= v - 1 - low */
typedef struct {
  flag lower;
  flag upper;
  ck_id a; /* low = a - w*t */
  ck_id w;
  ck_id t;
  bool cut; /* v is less than w */
} window;

static bool read_flag(pv *prover, ck_id atom, flag *found) {
  const ck_terms *terms = prover->terms;
  if (!ck_is(terms, atom, CK_ITE))
    return false;
  ck_id cond = ck_kid(terms, atom, 0);
  ck_id yes = ck_kid(terms, atom, 1);
  ck_id no = ck_kid(terms, atom, 2);
  bool flags =
      (yes == prover->one && no == prover->zero) || (yes == prover->zero && no == prover->one);
  if (!flags || ck_head(terms, cond) != CK_LE || ck_kid(terms, cond, 0) != prover->zero ||
      !ck_is_int(terms, ck_kid(terms, cond, 1)))
    return false;
  found->atom = atom;
  found->inverted = yes == prover->zero;
  found->part = ck_kid(terms, cond, 1);
  if (found->inverted)
    found->part = pv_canon(prover, pv_sub(prover, pv_num(prover, -1), found->part));
  return true;
}

/* the condition under which it is 1 */
static ck_id condition(pv *prover, const flag *of) {
  ck_id cond = ck_kid(prover->terms, of->atom, 0);
  return of->inverted ? ck_neg(prover->terms, cond) : cond;
}

/* 0 <= part, where it is 1 */
static pv_thm not_below(pv *prover, const flag *of) {
  pv_thm holds = pv_tighten(prover, pv_hyp(prover, condition(prover, of)));
  return pv_restate(prover, pv_ge0(prover, of->part), holds);
}

/* it is 1, from 0 <= part */
static pv_thm is_one(pv *prover, const flag *of, pv_thm nonneg) {
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, nonneg);
  if (of->inverted)
    pv_comb_add(&comb, prover->one, pv_by_value(prover, pv_gt0(prover, prover->one)));
  pv_thm holds = pv_comb_prove(prover, &comb, condition(prover, of));
  return pv_law1(prover, of->inverted ? "ite0" : "ite1", of->atom, holds);
}

/* it is 0, where its condition fails */
static pv_thm is_zero(pv *prover, const flag *of) {
  pv_thm fails = pv_hyp(prover, ck_neg(prover->terms, condition(prover, of)));
  return pv_law1(prover, of->inverted ? "ite1" : "ite0", of->atom, fails);
}

/* low = a - w*t, where t is read from a tensor and w a number above 1 */
static bool read_low(pv *prover, window *found) {
  ck_terms *terms = prover->terms;
  ck_id low = found->lower.part;
  bool read = false;
  pv_poly poly;
  pv_poly_init(&poly);
  pv_poly_read(prover, &poly, low);
  for (uint32_t i = 0; i < poly.count && !read; i++) {
    const pv_mono *mono = &poly.monos[i];
    if (mono->degree != 1 || !ck_is(terms, mono->atoms[0], CK_APP))
      continue;
    found->t = mono->atoms[0];
    found->w = pv_const_mul(prover, mono->coef, pv_num(prover, -1));
    found->a = pv_canon(prover, pv_add(prover, low, pv_mul(prover, found->w, found->t)));
    ck_id above_one = pv_const_add(prover, found->w, pv_num(prover, -1));
    read = pv_const_sign(prover, above_one) > 0 && ck_is_int(terms, found->w) &&
           ck_is_int(terms, found->a) && !pv_occurs(prover, found->a, found->t);
  }
  pv_poly_clear(&poly);
  return read;
}

/* the two atoms as the ends of a window */
static bool read_window(pv *prover, ck_id lower, ck_id upper, window *found) {
  if (!read_flag(prover, lower, &found->lower) || !read_flag(prover, upper, &found->upper))
    return false;
  ck_id last = pv_canon(prover, pv_add(prover, found->lower.part, found->upper.part));
  if (!pv_is_const(prover, last) || pv_const_sign(prover, last) < 0 || !read_low(prover, found))
    return false;
  ck_id width = pv_const_add(prover, last, prover->one);
  ck_id spare = pv_canon(prover, pv_sub(prover, found->w, width));
  found->cut = pv_const_sign(prover, spare) > 0;
  return pv_const_sign(prover, spare) >= 0;
}

/* a window among the atoms, one that is not cut off if there is one */
static bool find_window(pv *prover, const pv_mono *mono, window *found) {
  bool any = false;
  for (uint32_t i = 0; i < mono->degree; i++) {
    for (uint32_t j = 0; j < mono->degree; j++) {
      window one;
      if (i == j || !read_window(prover, mono->atoms[i], mono->atoms[j], &one) || (any && one.cut))
        continue;
      any = true;
      *found = one;
      if (!one.cut)
        return true;
    }
  }
  return any;
}

/* 0 <= low, or 0 <= w - 1 - low, from t = a div w */
static pv_thm end_of(pv *prover, const window *found, pv_thm named, bool upper) {
  ck_id part = upper ? found->upper.part : found->lower.part;
  ck_id sign = pv_num(prover, upper ? 1 : -1);
  pv_thm positive = pv_by_value(prover, pv_gt0(prover, found->w));
  pv_thm rest = pv_law2(prover, upper ? "mod<" : "mod>", found->a, found->w, positive);
  return PV_COMBINE(prover, pv_ge0(prover, part), prover->one, pv_tighten(prover, rest), sign,
                    pv_law2(prover, "div", found->a, found->w, positive),
                    pv_neg(prover, pv_mul(prover, sign, found->w)), named);
}

/* t = a div w, where both flags are 1 */
static pv_thm named_by(pv *prover, const window *found) {
  ck_id low = found->lower.part;
  ck_id whole = pv_add(prover, pv_mul(prover, found->w, found->t), low);
  ck_id both = pv_add(prover, low, found->upper.part);
  ck_id more = pv_canon(prover, pv_sub(prover, found->w, both));
  pv_thm premises[3] = {not_below(prover, &found->lower),
                        PV_COMBINE(prover, pv_lt(prover, low, found->w), prover->one,
                                   not_below(prover, &found->upper), prover->one,
                                   pv_by_value(prover, pv_gt0(prover, more))),
                        pv_identity(prover, pv_eq(prover, found->a, whole))};
  return pv_sym(prover, pv_divided(prover, found->a, found->w, found->t, low, premises));
}

/* lower*upper*rest = ite(t = a div w, rest, 0), or of upper*rest where that is cut off, with the
 * quotient for t; the choice stands in *to */
static pv_thm as_equation(pv *prover, const window *found, ck_id rest, ck_id *to) {
  ck_terms *terms = prover->terms;
  const ck_id atom[2] = {found->lower.atom, found->upper.atom};
  ck_id quotient = ck_mk2(terms, CK_DIV, found->a, found->w);
  ck_id equation = pv_eq(prover, found->t, quotient);
  ck_id differs = ck_neg(terms, equation);
  ck_id minus = pv_num(prover, -1);
  pv_thm named = pv_hyp(prover, equation);
  ck_id value = found->cut ? pv_mul(prover, atom[1], rest) : rest;
  pv_eqn said = pv_rewrite(prover, value, &found->t, &named, 1);
  *to = ck_ite(terms, equation, said.to, prover->zero);
  ck_id from = pv_mul(prover, atom[0], pv_mul(prover, atom[1], rest));
  ck_id claim = pv_eq(prover, from, *to);
  /* where it is named */
  pv_thm low = is_one(prover, &found->lower, end_of(prover, found, named, false));
  pv_thm high =
      found->cut ? PV_REFL : is_one(prover, &found->upper, end_of(prover, found, named, true));
  pv_thm there = PV_COMBINE(prover, claim, pv_mul(prover, atom[1], rest), low, rest, high,
                            prover->one, said.by, minus, pv_law1(prover, "ite1", *to, named));
  /* elsewhere an end is missed */
  pv_thm none = pv_law1(prover, "ite0", *to, pv_hyp(prover, differs));
  pv_thm below = PV_COMBINE(prover, claim, pv_mul(prover, atom[1], rest),
                            is_zero(prover, &found->lower), minus, none);
  pv_thm above = PV_COMBINE(prover, claim, pv_mul(prover, atom[0], rest),
                            is_zero(prover, &found->upper), minus, none);
  pv_thm absurd = PV_COMBINE(prover, pv_ne0(prover, prover->zero), prover->one,
                             pv_hyp(prover, differs), minus, named_by(prover, found));
  pv_thm both = pv_from_zero_differs(prover, claim, absurd);
  pv_thm inside = pv_cases(prover, condition(prover, &found->upper), both, above);
  pv_thm elsewhere = pv_cases(prover, condition(prover, &found->lower), inside, below);
  return pv_cases(prover, equation, there, elsewhere);
}

/* the monomial without the two flags and without its coefficient */
static ck_id without_flags(pv *prover, const pv_mono *mono, const window *found) {
  ck_id rest = prover->one;
  for (uint32_t i = mono->degree; i-- > 0;) {
    ck_id atom = mono->atoms[i];
    if (atom == found->lower.atom || atom == found->upper.atom)
      continue;
    rest = pv_is_one(prover, rest) ? atom : pv_mul(prover, atom, rest);
  }
  return rest;
}

pv_eqn pv_data_windows(pv *prover, ck_id body) {
  ck_id to = prover->zero;
  bool any = false;
  pv_comb comb;
  pv_poly poly;
  pv_poly_init(&poly);
  pv_comb_init(&comb);
  pv_poly_read(prover, &poly, body);
  for (uint32_t i = 0; i < poly.count; i++) {
    const pv_mono *mono = &poly.monos[i];
    window found;
    ck_id part;
    if (find_window(prover, mono, &found)) {
      pv_comb_add(&comb, mono->coef,
                  as_equation(prover, &found, without_flags(prover, mono, &found), &part));
      part = pv_mul(prover, mono->coef, part);
      any = true;
    } else {
      part = pv_mono_term(prover, mono->coef, mono->atoms, mono->degree);
    }
    to = pv_add(prover, to, part);
  }
  pv_poly_clear(&poly);
  if (!any) {
    pv_comb_clear(&comb);
    return pv_same(body);
  }
  pv_thm thm = pv_comb_prove(prover, &comb, pv_eq(prover, body, to));
  return thm == PV_NONE ? pv_same(body) : (pv_eqn){to, thm};
}
