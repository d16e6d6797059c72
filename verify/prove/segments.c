/* Segments: tensors of the candidate that are the given program's, computed in another way (see
 * pv_defs.h). */
#include "pv_defs_int.h"
#include <string.h>

static const char *name_of(const pv_defs *d, uint32_t i) {
  return ck_word_text(d->p->terms, d->symbols[i].def->name);
}

/* whether a candidate may mean the given side's tensor: by its name, or, of the second inner call
 * of the statement that defines y (`y:2`), by `y_2` */
static bool is_called(const char *given, const char *candidate) {
  while (*given && (*given == *candidate || (*given == ':' && *candidate == '_'))) {
    given++;
    candidate++;
  }
  return *given == *candidate;
}

/* a tensor of the given side that has the name of kernel-level tensor i, and its parameters */
static uint32_t namesake(const pv_defs *d, uint32_t i) {
  const pv_symbol *x = &d->symbols[i];
  if (strncmp(name_of(d, i), "C.", 2) != 0)
    return PV_NONE;
  for (uint32_t j = 0; j < i && !d->symbols[j].def->candidate; j++) {
    if (is_called(name_of(d, j) + 2, name_of(d, i) + 2) &&
        pv_defs_same_parameters(d->symbols[j].def, x->def))
      return j;
  }
  return PV_NONE;
}

ck_id pv_defs_segment(pv_defs *d, uint32_t i) {
  const pv_symbol *x = &d->symbols[i];
  uint32_t j = x->like == i && x->def->candidate ? namesake(d, i) : PV_NONE;
  if (j == PV_NONE || d->symbols[j].like != j || d->symbols[j].both)
    return CK_BAD;
  return ck_mk2(d->p->terms, CK_EQ, pv_defs_applied(d, i), pv_defs_applied(d, j));
}

bool pv_defs_until(pv_defs *d, ck_id h, ck_id segment) {
  uint32_t last = pv_defs_number(d, ck_kid(d->p->terms, segment, 1)); /* the given side's */
  as_vec list;
  bool until = true;
  as_vec_init(&list, sizeof(uint32_t));
  pv_defs_symbols(d, h, &list);
  for (size_t i = 0; i < list.n; i++)
    until = until && AS_VEC_AT(&list, uint32_t, i) <= last;
  as_vec_clear(&list);
  return until;
}

/* what symbols become, anew, after tensors were joined or taken apart */
static void start_again(pv_defs *d) {
  for (uint32_t k = 0; k < 2 * d->n; k++) {
    pv_symbol *x = &d->symbols[k];
    x->both = false;
    if (x->joined != PV_NONE && !x->apart)
      x->like = namesake(d, k);
  }
  pv_defs_forget_shared(d);
  for (uint32_t k = 0; k < d->n; k++) {
    if (d->symbols[k].joined != PV_NONE && !d->symbols[k].apart)
      d->symbols[d->symbols[k].like].both = d->shared = true;
  }
}

void pv_defs_join(pv_defs *d, uint32_t i, pv_thm by) {
  d->symbols[i].joined = by;
  start_again(d);
}

static bool is_in(const as_vec *list, uint32_t number) {
  for (size_t i = 0; i < list->n; i++) {
    if (AS_VEC_AT(list, uint32_t, i) == number)
      return true;
  }
  return false;
}

/* a tile: a symbol of a kernel of the candidate, as `C1.t` */
static bool is_tile(const pv_defs *d, uint32_t i) {
  return name_of(d, i)[0] == 'C' && name_of(d, i)[1] != '.';
}

/* the tiles that what the relation says is computed from */
static void tiles_of(const pv_defs *d, ck_id relation, as_vec *list) {
  pv_defs_symbols(d, relation, list);
  for (size_t i = 0; i < list->n; i++) {
    const pv_symbol *x = &d->symbols[AS_VEC_AT(list, uint32_t, i)];
    for (uint32_t k = 0; k < x->n_parts; k++) {
      uint32_t number = AS_VEC_AT(&d->parts, uint32_t, x->first_part + k);
      if (is_tile(d, number) && !is_in(list, number))
        as_vec_push(list, &number);
    }
  }
}

bool pv_defs_part(pv_defs *d, ck_id relation) {
  as_vec tiles;
  bool any = false;
  as_vec_init(&tiles, sizeof(uint32_t));
  tiles_of(d, relation, &tiles);
  for (uint32_t i = 0; i < d->n; i++) {
    pv_symbol *x = &d->symbols[i];
    for (uint32_t k = 0; k < x->n_parts && x->joined != PV_NONE && !x->apart; k++) {
      uint32_t number = AS_VEC_AT(&d->parts, uint32_t, x->first_part + k);
      x->apart = is_tile(d, number) && is_in(&tiles, number);
      any |= x->apart;
    }
  }
  as_vec_clear(&tiles);
  if (any)
    start_again(d);
  return any;
}

void pv_defs_rejoin(pv_defs *d) {
  for (uint32_t i = 0; i < d->n; i++)
    d->symbols[i].apart = false;
  start_again(d);
}
