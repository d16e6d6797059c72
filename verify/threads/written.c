/* How terms were written, beside their normal forms: what the lowering prints.  No comparison reads
 * it, so nothing that is proved or validated depends on it. */
#include "term.h"
#include <gmp.h>

static bool is_whole_coefficient(const as_terms *t, uint32_t coef) {
  mpq_t v;
  mpq_init(v);
  as_term_coef(t, coef, v);
  bool whole = !mpz_cmp_ui(mpq_denref(v), 1);
  mpq_clear(v);
  return whole;
}

bool as_poly_is_whole(const as_terms *t, as_poly p) {
  for (uint32_t i = 0; i < as_poly_monos(t, p); i++) {
    const as_mono *m = as_poly_mono(t, p, i);
    if (!is_whole_coefficient(t, m->coef))
      return false;
    for (uint32_t k = 0; k < m->n; k++) {
      as_atom_kind kind = as_term_atom(t, m->factor[k].atom)->kind;
      if ((kind != AS_ATOM_COND && kind != AS_ATOM_PLACE) || m->factor[k].power < 0)
        return false;
    }
  }
  return true;
}

/* a number, a whole number of places, or one load or fold: nothing that is computed by operations
 * on elements */
static bool is_leaf(const as_terms *t, as_poly p) {
  if (as_poly_is_number(t, p) || as_poly_is_whole(t, p))
    return true;
  const as_mono *m = as_poly_mono(t, p, 0);
  if (as_poly_monos(t, p) != 1 || m->n != 1 || m->factor[0].power != 1 ||
      as_term_atom(t, m->factor[0].atom)->kind >= AS_ATOM_EXP)
    return false;
  mpq_t coef;
  mpq_init(coef);
  as_term_coef(t, m->coef, coef);
  bool one = !mpq_cmp_ui(coef, 1, 1);
  mpq_clear(coef);
  return one;
}

/* Operands were made before what is made of them, and are leaves or were written then: so no chain
 * of operands comes back to p. */
void as_poly_write(as_terms *t, as_poly p, as_written written) {
  if (as_terms_over(t) || as_poly_written(t, p).op != AS_WRITTEN_NOT || is_leaf(t, p))
    return;
  for (unsigned i = 0; i < 3; i++) {
    as_poly kid = written.kid[i];
    if (kid == p)
      return;
    if (kid != AS_POLY_NONE && as_poly_written(t, kid).op == AS_WRITTEN_NOT && !is_leaf(t, kid))
      return;
  }
  as_poly_set_written(t, p, written);
}

void as_poly_carry(as_terms *t, as_poly p, as_poly r, as_poly_map *map, const void *arg) {
  as_written written = as_poly_written(t, p);
  if (written.op == AS_WRITTEN_NOT || as_terms_over(t) ||
      as_poly_written(t, r).op != AS_WRITTEN_NOT || is_leaf(t, r))
    return;
  for (unsigned i = 0; i < 3; i++) {
    if (written.kid[i] == AS_POLY_NONE)
      continue;
    written.kid[i] = map(t, written.kid[i], arg);
    if (written.kid[i] == AS_POLY_NONE)
      return;
  }
  as_poly_write(t, r, written);
}

/* p without the atom; itself where it does not have it */
static as_poly rest(as_terms *t, as_poly p, uint32_t atom, bool *had) {
  as_poly r = as_poly_without(t, p, atom);
  *had = r != AS_POLY_NONE && as_poly_monos(t, p) > 0;
  return *had ? r : p;
}

void as_poly_carry_without(as_terms *t, as_poly p, as_poly r, uint32_t atom) {
  as_written w = as_poly_written(t, p);
  bool first = false;
  bool second = false;
  if (as_terms_over(t) || is_leaf(t, r) || as_poly_written(t, r).op != AS_WRITTEN_NOT)
    return;
  switch (w.op) {
  case AS_WRITTEN_MUL: /* of one factor, the first that has it */
    w.kid[0] = rest(t, w.kid[0], atom, &first);
    if (!first)
      w.kid[1] = rest(t, w.kid[1], atom, &second);
    break;
  case AS_WRITTEN_DIV:
  case AS_WRITTEN_NEG:
    w.kid[0] = rest(t, w.kid[0], atom, &first);
    break;
  case AS_WRITTEN_ADD:
  case AS_WRITTEN_SUB:
    w.kid[0] = rest(t, w.kid[0], atom, &first);
    w.kid[1] = rest(t, w.kid[1], atom, &second);
    first = first || as_poly_monos(t, w.kid[0]) == 0;
    if (!first || (!second && as_poly_monos(t, w.kid[1])))
      return;
    break;
  case AS_WRITTEN_CHOOSE:
    w.kid[1] = rest(t, w.kid[1], atom, &first);
    w.kid[2] = rest(t, w.kid[2], atom, &second);
    if ((!first && as_poly_monos(t, w.kid[1])) || (!second && as_poly_monos(t, w.kid[2])))
      return;
    first = true;
    break;
  default:
    return;
  }
  if (first || second)
    as_poly_write(t, r, w);
}
