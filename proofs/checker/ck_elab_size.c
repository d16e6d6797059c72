/* Sizes and the relations between them (proofs/CLAIM.md section 2). */
#include "ck_elab.h"

static void state(const ck_scope *s, const ck_token *at, ck_id relation, const ck_token *where) {
  ck_elab *E = s->E;
  if (E->n_stated == CK_MAX_RELATIONS)
    ck_refuse(&E->job, at, "more than %d relations", CK_MAX_RELATIONS);
  E->stated[E->n_stated++] = (ck_stated){relation, s->side->candidate, where};
}

/* a size of the given program that the candidate declares too, and may not restrict */
static void declare_again(const ck_scope *s, const ck_size_line *line, ck_size_symbol *size,
                          long least) {
  if (least > size->least)
    ck_refuse(&s->E->job, line->at, "the given program has %s >= %ld", line->name, size->least);
  if (line->stated && size->stated && line->value != size->value)
    ck_refuse(&s->E->job, line->at, "the given program has %s = %ld", line->name, size->value);
}

static void declare(const ck_scope *s, const ck_size_line *line) {
  ck_elab *E = s->E;
  long least = line->integer ? -1 : line->bounded ? line->least : E->rule ? 0 : 1;
  uint32_t i = 0;
  if (line->stated && line->value < least) {
    ck_refuse(&E->job, line->at, "the value of %s is less than its least value %ld", line->name,
              least);
  }
  if (ck_visible_size(s, line->name) != E->n_sizes || ck_find_tensor(&s->side->tensors, line->name))
    ck_refuse(&E->job, line->at, "%s is already defined", line->name);
  while (i < E->n_sizes && strcmp(E->size[i].name, line->name) != 0)
    i++;
  if (i == CK_MAX_SIZES)
    ck_refuse(&E->job, line->at, "more than %d sizes", CK_MAX_SIZES);
  bool known = i < E->n_sizes;
  ck_size_symbol *size = &E->size[i];
  if (known)
    declare_again(s, line, size, least);
  size->of_candidate = s->side->candidate;
  if (line->stated) {
    size->stated = true;
    size->value = line->value;
  }
  if (known)
    return;
  E->n_sizes++;
  size->name = line->name;
  size->least = least;
  size->of_given = !s->side->candidate;
  size->variable = ck_sure(s, ck_var(E->T, line->name, 'i'));
  if (least >= 0)
    state(s, line->at, ck_join(s, least ? CK_LT : CK_LE, ck_int(E->T, 0), size->variable), NULL);
  if (least > 1)
    state(s, line->at, ck_join(s, CK_LE, ck_int(E->T, least), size->variable), NULL);
}

void ck_declare_sizes(const ck_scope *s, const ck_size_line *line) {
  for (; line; line = line->next)
    declare(s, line);
}

void ck_state_relations(const ck_scope *s, const ck_relation *r) {
  for (; r; r = r->next) {
    s->E->work = 0;
    ck_id relation = ck_relation_value(s, &(ck_names){.sizes = true}, r);
    if (ck_plain(s, relation))
      continue; /* holds anyway, or is stated already */
    if (ck_false_as_stated(s, relation)) {
      s->E->job.message->absurd = true;
      ck_refuse(&s->E->job, r->at, "this is false, always or at the stated sizes");
    }
    state(s, r->at, relation, s->side->candidate ? r->at : NULL);
  }
}

/* --- the candidate's relations */
/* a product of sizes and positive numbers; the candidate's own sizes in it can be 1; own: of those
 * only, and without numbers */
static bool is_product(const ck_elab *E, ck_id t, bool own) {
  if (ck_is(E->T, t, CK_MUL))
    return is_product(E, ck_kid(E->T, t, 0), own) && is_product(E, ck_kid(E->T, t, 1), own);
  for (uint32_t k = 0; k < E->n_sizes; k++) {
    if (E->size[k].variable == t)
      return E->size[k].of_given ? !own : E->size[k].least <= 1;
  }
  return !own && ck_is(E->T, t, CK_Q) && mpq_sgn(*ck_q_value(E->T, t)) > 0;
}

/* how often a size is a factor */
static uint32_t times(const ck_elab *E, ck_id t, ck_id size) {
  if (!ck_is(E->T, t, CK_MUL))
    return t == size;
  return times(E, ck_kid(E->T, t, 0), size) + times(E, ck_kid(E->T, t, 1), size);
}

/* 0 if a size in t, other than this one, can be 0; else 1 */
static long lowest(const ck_elab *E, ck_id t, ck_id but) {
  for (uint32_t k = 0; k < E->n_sizes; k++) {
    if (E->size[k].variable != but && E->size[k].least < 1 &&
        ck_has_var(E->T, t, E->size[k].variable))
      return 0;
  }
  return 1;
}

static bool share_a_size(const ck_elab *E, ck_id a, ck_id b) {
  for (uint32_t k = 0; k < E->n_sizes; k++) {
    if (ck_has_var(E->T, a, E->size[k].variable) && ck_has_var(E->T, b, E->size[k].variable))
      return true;
  }
  return false;
}

/* in no relation that the candidate added, but this one */
static bool nowhere_else(const ck_elab *E, ck_id size, uint32_t but) {
  for (uint32_t j = 0; j < E->n_stated; j++) {
    if (j != but && E->stated[j].where && ck_has_var(E->T, E->stated[j].relation, size))
      return false;
  }
  return true;
}

/* Relation number i holds for some value of the candidate's size c, whatever the sizes in the other
 * side are: c takes the value that the equation asks for, where the other factors beside it are 1;
 * or it is bounded from above, and can be as low as that. */
static bool can_be_met_by(const ck_elab *E, uint32_t i, const ck_size_symbol *c, bool left) {
  ck_id relation = E->stated[i].relation;
  ck_id own = ck_kid(E->T, relation, left ? 0 : 1);
  ck_id other = ck_kid(E->T, relation, left ? 1 : 0);
  if (!is_product(E, own, true) || !is_product(E, other, false) || share_a_size(E, own, other) ||
      c->least > lowest(E, other, c->variable))
    return false;
  if (ck_is(E->T, relation, CK_EQ)) {
    return times(E, own, c->variable) == 1 && lowest(E, own, c->variable) == 1 &&
           nowhere_else(E, c->variable, i);
  }
  return ck_is(E->T, relation, CK_LE) && left && own == c->variable;
}

void ck_leave_free(const ck_scope *s) {
  const ck_elab *E = s->E;
  for (uint32_t i = 0; i < E->n_stated; i++) {
    bool met = !E->stated[i].where;
    for (uint32_t k = 0; k < E->n_sizes && !met; k++)
      met = can_be_met_by(E, i, &E->size[k], true) || can_be_met_by(E, i, &E->size[k], false);
    if (!met) {
      ck_refuse(&s->E->job, E->stated[i].where,
                "this may restrict the sizes of the given program: `product = product of own "
                "sizes` and `own size <= product` do not");
    }
  }
}
