/* Conditions of terms: comparisons of places (a tile's indices, the block, the iteration).  A
 * condition is a number, 0 or 1, so that `and` is a product, `not x` is 1 - x, and a choice is
 * c x + (1 - c) y; of a product of conditions on one affine form the strictest is left. */
#include "src/base/mem.h"
#include "term.h"
#include <stdlib.h>

#define MOST_CASES 6 /* conditions of which a comparison may be made */

static bool constant(const as_terms *t, as_poly p, mpq_t out) {
  if (!as_poly_monos(t, p)) {
    mpq_set_ui(out, 0, 1);
    return true;
  }
  const as_mono *m = as_poly_mono(t, p, 0);
  if (as_poly_monos(t, p) != 1 || m->n)
    return false;
  as_term_coef(t, m->coef, out);
  return true;
}

bool as_poly_total(const as_terms *t, as_poly p) {
  bool total = true;
  for (uint32_t i = 0; total && p != AS_POLY_NONE && i < as_poly_monos(t, p); i++) {
    const as_mono *m = as_poly_mono(t, p, i);
    for (uint32_t k = 0; total && k < m->n; k++) {
      const as_atom *a = as_term_atom(t, m->factor[k].atom);
      total = m->factor[k].power > 0 && a->kind != AS_ATOM_SQRT && a->kind != AS_ATOM_LOG &&
              as_poly_total(t, a->p) && as_poly_total(t, a->q);
    }
  }
  return total;
}

uint32_t as_poly_condition(const as_terms *t, as_poly p) {
  for (uint32_t i = 0; i < as_poly_monos(t, p); i++) {
    const as_mono *m = as_poly_mono(t, p, i);
    for (uint32_t k = 0; k < m->n; k++) {
      if (as_term_atom(t, m->factor[k].atom)->kind == AS_ATOM_COND)
        return m->factor[k].atom;
    }
  }
  return AS_TERM_NONE;
}

/* one monomial's factors but the condition */
static as_poly rest_of(as_terms *t, const as_mono *m, uint32_t condition) {
  mpq_t coef;
  mpq_init(coef);
  as_term_coef(t, m->coef, coef);
  as_poly r = as_poly_num(t, coef);
  mpq_clear(coef);
  for (uint32_t k = 0; k < m->n; k++) {
    if (m->factor[k].atom != condition)
      r = as_poly_mul(t, r, as_poly_power(t, m->factor[k].atom, m->factor[k].power));
  }
  return r;
}

typedef struct {
  uint32_t condition;
  bool is;
} known_side;

static as_poly where(as_terms *t, as_poly p, const void *arg) {
  const known_side *side = arg;
  return as_poly_where(t, p, side->condition, side->is);
}

as_poly as_poly_where(as_terms *t, as_poly p, uint32_t condition, bool is) {
  as_poly r = as_poly_int(t, 0);
  uint32_t n = as_poly_monos(t, p);
  for (uint32_t i = 0; i < n; i++) {
    const as_mono m = *as_poly_mono(t, p, i);
    bool has = false;
    for (uint32_t k = 0; k < m.n; k++)
      has = has || m.factor[k].atom == condition;
    if (is || !has)
      r = as_poly_add(t, r, rest_of(t, &m, condition));
  }
  as_poly_carry(t, p, r, where, &(known_side){condition, is});
  return r;
}

as_poly as_poly_choice(as_terms *t, as_poly condition, as_poly x, as_poly y) {
  as_poly otherwise = as_poly_add(t, as_poly_int(t, 1), as_poly_neg(t, condition));
  return as_poly_add(t, as_poly_mul(t, condition, x), as_poly_mul(t, otherwise, y));
}

/* whole coefficients, and places to the first power alone */
static bool is_affine(const as_terms *t, as_poly p) {
  bool ok = true;
  mpq_t coef;
  mpq_init(coef);
  for (uint32_t i = 0; ok && i < as_poly_monos(t, p); i++) {
    const as_mono *m = as_poly_mono(t, p, i);
    as_term_coef(t, m->coef, coef);
    ok = m->n <= 1 && !mpz_cmp_ui(mpq_denref(coef), 1);
    if (ok && m->n)
      ok = m->factor[0].power == 1 && as_term_atom(t, m->factor[0].atom)->kind == AS_ATOM_PLACE;
  }
  mpq_clear(coef);
  return ok;
}

/* divided by what all coefficients of places have in common, the rest rounded down: the same whole
 * numbers are not negative */
static as_poly reduced(as_terms *t, as_poly p) {
  mpz_t common;
  mpq_t coef;
  as_poly r = as_poly_int(t, 0);
  uint32_t n = as_poly_monos(t, p);
  mpz_init(common);
  mpq_init(coef);
  for (uint32_t i = 0; i < n; i++) {
    const as_mono *m = as_poly_mono(t, p, i);
    as_term_coef(t, m->coef, coef);
    if (m->n)
      mpz_gcd(common, common, mpq_numref(coef));
  }
  for (uint32_t i = 0; i < n; i++) {
    const as_mono m = *as_poly_mono(t, p, i);
    as_term_coef(t, m.coef, coef);
    mpz_fdiv_q(mpq_numref(coef), mpq_numref(coef), common);
    as_poly x = as_poly_num(t, coef);
    r = as_poly_add(t, r, m.n ? as_poly_mul(t, x, as_poly_power(t, m.factor[0].atom, 1)) : x);
  }
  mpz_clear(common);
  mpq_clear(coef);
  return r;
}

/* is the coefficient of the first place negative? */
static bool is_downward(const as_terms *t, as_poly p) {
  mpq_t coef;
  bool down = false;
  mpq_init(coef);
  for (uint32_t i = 0; i < as_poly_monos(t, p); i++) {
    const as_mono *m = as_poly_mono(t, p, i);
    if (!m->n)
      continue;
    as_term_coef(t, m->coef, coef);
    down = mpq_sgn(coef) < 0;
    break;
  }
  mpq_clear(coef);
  return down;
}

/* p has no condition */
static as_poly compare(as_terms *t, as_poly p) {
  mpq_t number;
  as_poly r;
  if (!is_affine(t, p))
    return AS_POLY_NONE;
  mpq_init(number);
  if (constant(t, p, number)) {
    r = as_poly_int(t, mpq_sgn(number) >= 0);
  } else {
    as_atom a = {.kind = AS_ATOM_COND, .q = AS_POLY_NONE};
    bool down = is_downward(t, p); /* p >= 0 iff not -p - 1 >= 0 */
    p = reduced(t, p);
    if (down)
      p = as_poly_add(t, as_poly_neg(t, p), as_poly_int(t, -1));
    a.p = p;
    r = as_poly_atom(t, &a);
    if (down)
      r = as_poly_add(t, as_poly_int(t, 1), as_poly_neg(t, r));
  }
  mpq_clear(number);
  return r;
}

typedef as_poly comparison(as_terms *t, as_poly p);

static as_poly by_cases(as_terms *t, comparison *f, as_poly p, unsigned depth) {
  uint32_t condition = as_poly_condition(t, p);
  if (condition == AS_TERM_NONE)
    return f(t, p);
  if (depth == MOST_CASES || as_terms_over(t))
    return AS_POLY_NONE;
  as_atom c = *as_term_atom(t, condition);
  as_poly is = by_cases(t, f, as_poly_where(t, p, condition, true), depth + 1);
  as_poly is_not = by_cases(t, f, as_poly_where(t, p, condition, false), depth + 1);
  if (is == AS_POLY_NONE || is_not == AS_POLY_NONE)
    return AS_POLY_NONE;
  return as_poly_choice(t, as_poly_atom(t, &c), is, is_not);
}

as_poly as_poly_at_least(as_terms *t, as_poly p) {
  return by_cases(t, compare, p, 0);
}

static as_poly equals(as_terms *t, as_poly p) {
  as_poly below = as_poly_at_least(t, p);
  as_poly above = as_poly_at_least(t, as_poly_neg(t, p));
  if (below == AS_POLY_NONE || above == AS_POLY_NONE)
    return AS_POLY_NONE;
  return as_poly_mul(t, below, above);
}

as_poly as_poly_equals(as_terms *t, as_poly p) {
  return by_cases(t, equals, p, 0);
}

static as_poly moved_atom(as_terms *t, uint32_t atom, int32_t index, as_poly with) {
  as_atom a = *as_term_atom(t, atom);
  if (a.kind == AS_ATOM_PLACE && a.n && a.index[0] == index)
    return with;
  if (a.kind == AS_ATOM_COND)
    return as_poly_at_least(t, as_poly_moved(t, a.p, index, with));
  return as_poly_uses_index(t, as_poly_atom(t, &a), index) ? AS_POLY_NONE : as_poly_atom(t, &a);
}

typedef struct {
  int32_t index;
  as_poly with;
} move;

static as_poly moved(as_terms *t, as_poly p, const void *arg) {
  const move *by = arg;
  return as_poly_moved(t, p, by->index, by->with);
}

as_poly as_poly_moved(as_terms *t, as_poly p, int32_t index, as_poly with) {
  as_poly r = as_poly_int(t, 0);
  uint32_t n = as_poly_monos(t, p);
  for (uint32_t i = 0; i < n; i++) {
    const as_mono m = *as_poly_mono(t, p, i);
    as_poly x = rest_of(t, &(as_mono){.coef = m.coef}, AS_TERM_NONE);
    for (uint32_t k = 0; k < m.n; k++) {
      as_poly f = moved_atom(t, m.factor[k].atom, index, with);
      if (f == AS_POLY_NONE || m.factor[k].power < 0)
        return AS_POLY_NONE;
      for (int power = 0; power < m.factor[k].power; power++)
        x = as_poly_mul(t, x, f);
    }
    r = as_poly_add(t, r, x);
  }
  as_poly_carry(t, p, r, moved, &(move){index, with});
  return r;
}

static as_poly to_power(as_terms *t, as_poly p, int power) {
  as_poly base = power < 0 ? as_poly_inv(t, p) : p;
  as_poly r = as_poly_int(t, 1);
  for (int i = 0; i < abs(power) && !as_terms_over(t); i++)
    r = as_poly_mul(t, r, base);
  return r;
}

/* a fold whose body has lost conditions, and perhaps all else */
static as_poly folded_again(as_terms *t, const as_atom *a, as_poly body) {
  bool nothing = a->kind == AS_ATOM_SUM && !as_poly_monos(t, body);
  bool alone = a->kind == AS_ATOM_MAX && !as_poly_uses_index(t, body, a->bound);
  return nothing || alone ? body : as_poly_fold(t, a->kind, a->bound, a->extent, body);
}

static as_poly decided_atom(as_terms *t, uint32_t atom, int power, const as_decided *known) {
  const as_atom a = *as_term_atom(t, atom);
  for (uint32_t i = 0; i < known->n; i++) {
    if (known->atom[i] == atom && known->is[i] >= 0)
      return to_power(t, as_poly_int(t, known->is[i]), power);
  }
  bool several = a.kind == AS_ATOM_ACC || a.kind == AS_ATOM_RUN || a.kind == AS_ATOM_OLD;
  if (a.kind < AS_ATOM_SUM || several || a.kind == AS_ATOM_PLACE || a.kind == AS_ATOM_COND)
    return as_poly_power(t, atom, power);
  as_poly p = as_poly_decided(t, a.p, known);
  as_poly q = a.q == AS_POLY_NONE ? a.q : as_poly_decided(t, a.q, known);
  if (as_terms_over(t) || (p == a.p && q == a.q))
    return as_poly_power(t, atom, power);
  bool fold = a.kind == AS_ATOM_SUM || a.kind == AS_ATOM_MAX;
  as_poly r = fold                     ? folded_again(t, &a, p)
              : a.kind == AS_ATOM_EXP  ? as_poly_exp(t, p)
              : a.kind == AS_ATOM_POLY ? p
                                       : as_poly_fn(t, a.kind, p, q);
  return to_power(t, r, power);
}

as_poly as_poly_decided(as_terms *t, as_poly p, const as_decided *known) {
  as_poly r = as_poly_int(t, 0);
  uint32_t n = as_poly_monos(t, p);
  for (uint32_t i = 0; i < n && !as_terms_over(t); i++) {
    const as_mono m = *as_poly_mono(t, p, i);
    as_poly x = rest_of(t, &(as_mono){.coef = m.coef}, AS_TERM_NONE);
    for (uint32_t k = 0; k < m.n; k++)
      x = as_poly_mul(t, x, decided_atom(t, m.factor[k].atom, m.factor[k].power, known));
    r = as_poly_add(t, r, x);
  }
  return r;
}
