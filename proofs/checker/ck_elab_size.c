/* Sizes and the relations between them (proofs/CLAIM.md section 2). */
#include "ck_elab.h"

static void state(const ck_scope *s, const ck_token *at, ck_id relation, const ck_token *where) {
  ck_elab *E = s->E;
  if (ck_within(s->job, at, CK_LIMIT_RELATIONS, E->n_stated + 1))
    E->stated[E->n_stated++] = (ck_stated){relation, s->side->candidate, where};
}

/* a size of the given program that the candidate declares too, and may not restrict */
static void declare_again(const ck_scope *s, const ck_size_line *line, const ck_size_symbol *size,
                          long least) {
  if (least > size->least)
    ck_refuse(s->job, line->at, "the given program has %s >= %ld", line->name, size->least);
  if (line->stated && size->stated && line->value != size->value)
    ck_refuse(s->job, line->at, "the given program has %s = %ld", line->name, size->value);
}

static void declare(const ck_scope *s, const ck_size_line *line) {
  ck_elab *E = s->E;
  long least = line->integer ? -1 : line->bounded ? line->least : E->rule ? 0 : 1;
  ck_id variable = ck_var(s->T, line->name, 'i');
  const ck_size_symbol *known = ck_size_of(E, variable);
  ck_size_symbol *size = E->size + (known ? known - E->size : E->n_sizes);
  if (line->stated && line->value < least) {
    ck_refuse(s->job, line->at, "the value of %s is less than its least value %ld", line->name,
              least);
  }
  if (ck_visible_size(s, line->name) || ck_find_tensor(s->side->tensors, line->name))
    ck_refuse(s->job, line->at, "%s is already defined", line->name);
  if (known)
    declare_again(s, line, known, least);
  else
    ck_within(s->job, line->at, CK_LIMIT_SIZES, E->n_sizes + 1);
  if (ck_refused(s->job))
    return;
  if (!known) {
    E->n_sizes++;
    *size = (ck_size_symbol){
        .name = line->name, .variable = variable, .least = least, .of_given = !s->side->candidate};
  }
  size->of_candidate = s->side->candidate;
  if (line->stated) {
    size->stated = true;
    size->value = line->value;
  }
  if (!known && least >= 0)
    state(s, line->at, least ? LT(ZERO, variable) : LE(ZERO, variable), NULL);
  if (!known && least > 1)
    state(s, line->at, LE(ck_int(s->T, least), variable), NULL);
}

void ck_declare_sizes(const ck_scope *s, ck_list lines) {
  CK_EACH(ck_size_line, line, lines)
    declare(s, line);
}

void ck_state_relations(const ck_scope *s, ck_list relations) {
  CK_EACH(ck_expr, r, relations) {
    s->E->steps = 0;
    ck_id relation = ck_relation_value(s, r);
    if (relation == CK_BAD)
      ck_refuse(s->job, r->at, "not well formed: %s", ck_error(s->T));
    if (relation == CK_BAD || ck_plain(s, relation))
      continue; /* refused; or it holds anyway, or is stated already */
    if (ck_false_as_stated(s, r->at, relation)) {
      ck_refuse(s->job, r->at, "this is false, always or at the stated sizes");
      s->job->message->absurd = true;
    }
    state(s, r->at, relation, s->side->candidate ? r->at : NULL);
  }
}

/* --- the candidate's relations */
/* a product of sizes and positive numbers; the candidate's own sizes in it can be 1; own: of those
 * only, and without numbers */
static bool is_product(const ck_scope *s, ck_id t, bool own) {
  if (ck_is(s->T, t, CK_MUL))
    return is_product(s, KID(t, 0), own) && is_product(s, KID(t, 1), own);
  const ck_size_symbol *size = ck_size_of(s->E, t);
  if (size)
    return size->of_given ? !own : size->least <= 1;
  return !own && ck_is(s->T, t, CK_Q) && mpq_sgn(*ck_q_value(s->T, t)) > 0;
}

/* how often a size is a factor */
static uint32_t times(const ck_scope *s, ck_id t, ck_id size) {
  if (!ck_is(s->T, t, CK_MUL))
    return t == size;
  return times(s, KID(t, 0), size) + times(s, KID(t, 1), size);
}

/* 0 if a size in t, other than this one, can be 0; else 1 */
static long lowest(const ck_scope *s, ck_id t, ck_id but) {
  long least = 1;
  for (const ck_size_symbol *c = s->E->size; c < s->E->size + s->E->n_sizes; c++) {
    if (c->variable != but && c->least < 1 && ck_has_var(s->T, t, c->variable))
      least = 0;
  }
  return least;
}

static bool share_a_size(const ck_scope *s, ck_id a, ck_id b) {
  bool share = false;
  for (const ck_size_symbol *c = s->E->size; c < s->E->size + s->E->n_sizes; c++)
    share = share || (ck_has_var(s->T, a, c->variable) && ck_has_var(s->T, b, c->variable));
  return share;
}

/* in no relation that the candidate added, but this one */
static bool nowhere_else(const ck_scope *s, ck_id size, const ck_stated *but) {
  bool found = false;
  for (const ck_stated *r = s->E->stated; r < s->E->stated + s->E->n_stated; r++)
    found = found || (r != but && r->where && ck_has_var(s->T, r->relation, size));
  return !found;
}

/* (whole + tile - 1) div tile, the number of tiles that cover the whole: the whole.  It is at least
 * 1 where that is.  Of anything else itself. */
static ck_id covered(const ck_scope *s, ck_id t) {
  ck_id sum = ck_is(s->T, t, CK_DIV) ? KID(t, 0) : t;
  ck_id both = ck_is(s->T, sum, CK_ADD) ? KID(sum, 0) : t;
  if (sum == t || !ck_is(s->T, both, CK_ADD) || !ck_constant(s, KID(sum, 1), -1))
    return t;
  ck_id tile = KID(t, 1);
  if (!is_product(s, tile, false) || lowest(s, tile, CK_BAD) == 0)
    return t;
  return KID(both, 1) == tile ? KID(both, 0) : KID(both, 0) == tile ? KID(both, 1) : t;
}

/* The relation holds for some value of the candidate's size c, whatever the sizes in the other side
 * are: c takes the value that the equation asks for, where the other factors beside it are 1; or it
 * is bounded from above, and can be as low as that. */
static bool can_be_met_by(const ck_scope *s, const ck_stated *r, const ck_size_symbol *c,
                          bool left) {
  ck_id own = KID(r->relation, left ? 0 : 1);
  ck_id other = KID(r->relation, left ? 1 : 0);
  if (!is_product(s, own, true) || share_a_size(s, own, other))
    return false;
  if (ck_is(s->T, r->relation, CK_EQ))
    other = covered(s, other);
  if (!is_product(s, other, false) || c->least > lowest(s, other, c->variable))
    return false;
  if (ck_is(s->T, r->relation, CK_EQ)) {
    return times(s, own, c->variable) == 1 && lowest(s, own, c->variable) == 1 &&
           nowhere_else(s, c->variable, r);
  }
  return ck_is(s->T, r->relation, CK_LE) && left && own == c->variable;
}

void ck_leave_free(const ck_scope *s) {
  for (const ck_stated *r = s->E->stated; r < s->E->stated + s->E->n_stated; r++) {
    bool met = !r->where;
    for (uint32_t k = 0; k < s->E->n_sizes && !met; k++) {
      const ck_size_symbol *c = &s->E->size[k];
      met = can_be_met_by(s, r, c, true) || can_be_met_by(s, r, c, false);
    }
    if (!met) {
      ck_refuse(s->job, r->where,
                "this may restrict the sizes of the given program: `product = product of own "
                "sizes`, `number of tiles = product of own sizes` and `own size <= product` do "
                "not");
    }
  }
}
