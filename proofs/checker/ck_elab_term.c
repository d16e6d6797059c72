/* Terms as the elaboration makes them, what is plain to see of them, and obligations
 * (proofs/CLAIM.md sections 1 and 3.3). */
#include "ck_elab.h"
#include <stdlib.h>

ck_scope ck_scope_of(ck_elab *E, ck_side *side, const ck_token *at) {
  return (ck_scope){.job = &E->job, .T = E->T, .E = E, .side = side, .at = at};
}

ck_id ck_sure(const ck_scope *s, ck_id t) {
  if (t == CK_BAD)
    return ck_refuse(s->job, s->at, "not well formed: %s", ck_error(s->T));
  return ck_within(s->job, s->at, CK_LIMIT_TERMS, ck_size(s->T)) ? t : CK_BAD;
}

ck_id ck_variable(const ck_scope *s, char what, uint32_t k) {
  char name[16];
  snprintf(name, sizeof name, "$%c%u", what, k);
  return ck_var(s->T, name, 'i');
}

ck_id ck_state(const ck_scope *s) {
  return ck_var(s->T, "$s", 'r');
}

bool ck_constant(const ck_scope *s, ck_id t, long value) {
  return ck_is(s->T, t, CK_Q) && mpq_cmp_si(*ck_q_value(s->T, t), value, 1) == 0;
}

/* the constant that a op b is */
static ck_id computed(const ck_scope *s, ck_op op, ck_id a, ck_id b) {
  const mpq_t *x = ck_q_value(s->T, a);
  const mpq_t *y = ck_q_value(s->T, b);
  mpq_t z;
  mpq_init(z);
  if (op == CK_ADD)
    mpq_add(z, *x, *y);
  else if (op == CK_MUL)
    mpq_mul(z, *x, *y);
  else if (op == CK_DIV)
    mpz_fdiv_q(mpq_numref(z), mpq_numref(*x), mpq_numref(*y));
  else
    mpz_fdiv_r(mpq_numref(z), mpq_numref(*x), mpq_numref(*y));
  ck_id t = ck_q(s->T, z);
  mpq_clear(z);
  return t;
}

ck_id ck_calculated(const ck_scope *s, ck_op op, ck_id a, ck_id b) {
  bool integers = ck_is_int(s->T, a) && ck_is_int(s->T, b);
  bool numbers = ck_is(s->T, a, CK_Q) && ck_is(s->T, b, CK_Q);
  bool divides = op == CK_DIV || op == CK_MOD;
  long unit = op == CK_ADD ? 0 : 1;
  if (op == CK_MUL && integers && (ck_constant(s, a, 0) || ck_constant(s, b, 0)))
    return ZERO;
  if (integers && ck_constant(s, b, unit))
    return op == CK_MOD ? ZERO : a;
  if (integers && !divides && ck_constant(s, a, unit))
    return b;
  if (numbers && (op == CK_MUL || integers) && !(divides && mpq_sgn(*ck_q_value(s->T, b)) <= 0))
    return computed(s, op, a, b);
  return ck_mk2(s->T, op, a, b);
}

ck_id ck_minus(const ck_scope *s, ck_id a) {
  return ck_calculated(s, CK_MUL, ck_int(s->T, -1), a);
}

ck_id ck_folded(const ck_scope *s, ck_id counter, ck_id bound, ck_id base, ck_id step) {
  ck_id closed = ck_close(s->T, step, (ck_id[]){counter, ck_state(s)}, 2);
  return ck_fold(s->T, 0, 1, (ck_id[]){bound, base, closed});
}

ck_id ck_number(const ck_scope *s, const ck_expr *x) {
  const ck_token *number = x->at;
  char digits[CK_MAX_TOKEN + 1] = "";
  const char *exponent = strpbrk(number->text, "eE");
  long ten =
      exponent ? strtol(exponent + 1, NULL, 10) : 0; /* the number is its digits times 10^ten */
  bool point = false;
  size_t n = 0;
  if (!ck_within(s->job, number, CK_LIMIT_EXPONENT,
                 (uint64_t)(ten < -CK_MAX_EXPONENT ? CK_MAX_EXPONENT + 1 : labs(ten))))
    return CK_BAD;
  for (const char *c = number->text; *c && c != exponent; c++) {
    if (*c == '.') {
      point = true;
    } else {
      digits[n++] = *c;
      ten -= point;
    }
  }
  mpq_t value;
  mpq_t power;
  mpq_init(value);
  mpq_init(power);
  mpq_set_str(value, digits, 10);
  mpz_ui_pow_ui(mpq_numref(power), 10, (unsigned long)labs(ten));
  (ten < 0 ? mpq_div : mpq_mul)(value, value, power);
  if (x->negative)
    mpq_neg(value, value);
  ck_id t = ck_q(s->T, value);
  mpq_clear(value);
  mpq_clear(power);
  return t;
}

/* --- what is plain */
bool ck_same(const ck_scope *s, ck_id a, ck_id b) {
  const ck_poly *p = ck_poly_of(s->T, a);
  const ck_poly *q = ck_poly_of(s->T, b);
  if (!p || !q)
    ck_refuse(s->job, s->at, "size expression too large");
  return ck_poly_eq(p, q);
}

bool ck_is_one(const ck_scope *s, ck_id t) {
  return ck_same(s, t, ONE);
}

/* of a relation whose value is a constant: 1 or 0; else -1 */
static int truth(const ck_scope *s, ck_id relation) {
  mpq_t value;
  mpq_init(value);
  bool known = ck_poly_const(ck_poly_val(s->T, relation), value);
  int sign = mpq_sgn(value);
  mpq_clear(value);
  if (!known)
    return -1;
  switch (ck_head(s->T, relation)) {
  case CK_EQ:
    return sign == 0;
  case CK_NE:
    return sign != 0;
  case CK_LE:
    return sign >= 0;
  default:
    return sign > 0;
  }
}

/* t where sizes have values: the stated ones, or if large is not 0, large, large + 1, ..; constants
 * where it can be */
static ck_id at_sizes(const ck_scope *s, ck_id t, long large, uint32_t *work) {
  ck_op op = ck_head(s->T, t);
  const ck_size_symbol *size = ck_size_of(s->E, t);
  if (size && (large || size->stated))
    return ck_int(s->T, large ? large + (size - s->E->size) : size->value);
  bool relation = ck_is_rel(s->T, t);
  bool known =
      relation || op == CK_ITE || op == CK_ADD || op == CK_MUL || op == CK_DIV || op == CK_MOD;
  if (!known || ++*work > CK_MAX_STATED_VALUE)
    return t;
  ck_id kid[3];
  CK_BELOW(i, ck_nkids(s->T, t))
    kid[i] = at_sizes(s, KID(t, i), large, work);
  if (relation)
    return ck_mk2(s->T, op, kid[0], kid[1]);
  if (op != CK_ITE)
    return ck_calculated(s, op, kid[0], kid[1]);
  int known_truth = truth(s, kid[0]);
  return known_truth < 0 ? t : kid[known_truth ? 1 : 2];
}

bool ck_false_as_stated(const ck_scope *s, const ck_token *at, ck_id relation) {
  uint32_t work = 0;
  int known = truth(s, at_sizes(s, relation, 0, &work));
  return ck_within(s->job, at, CK_LIMIT_STATED_VALUE, work) && known == 0;
}

bool ck_one_at_large(const ck_scope *s, ck_id t) {
  for (long n = 1000; n < 1003; n++) {
    uint32_t work = 0;
    if (!ck_constant(s, at_sizes(s, t, n, &work), 1))
      return false;
  }
  return true;
}

/* the same relation, or one of the same kind between integers with the same value */
static bool implied(const ck_scope *s, ck_id relation, ck_id by) {
  if (relation == by || !ck_is(s->T, by, ck_head(s->T, relation)))
    return relation == by;
  CK_BELOW(i, 2) {
    if (!ck_is_int(s->T, KID(relation, i)) || !ck_is_int(s->T, KID(by, i)))
      return false;
  }
  return ck_poly_eq(ck_poly_val(s->T, relation), ck_poly_val(s->T, by));
}

/* Sums of products of sizes, exponentials and squares with positive coefficients are not negative;
 * positive, if one is a number or of exponentials alone. */
static bool plainly_not_negative(const ck_scope *s, ck_id t, bool *positive) {
  const ck_poly *p = ck_poly_of(s->T, t);
  *positive = false;
  if (!p)
    ck_refuse(s->job, s->at, "size expression too large");
  for (uint32_t i = 0; p && i < ck_poly_len(p); i++) {
    ck_mono m = ck_poly_mono(p, i);
    bool exponentials = true;
    if (mpq_sgn(*ck_poly_coef(p, i)) < 0)
      return false;
    CK_BELOW(j, m.deg) {
      const ck_size_symbol *size = ck_size_of(s->E, m.atoms[j]);
      bool exponential = ck_head(s->T, m.atoms[j]) == CK_EXP;
      bool square = !exponential && j + 1 < m.deg && m.atoms[j] == m.atoms[j + 1];
      exponentials = exponentials && exponential;
      if (!exponential && !square && !(size && size->least >= 0))
        return false;
      j += square;
    }
    *positive = *positive || exponentials;
  }
  return true;
}

/* 0 <= e, 0 < e or e # 0 */
static bool plainly_signed(const ck_scope *s, ck_id relation) {
  bool positive;
  ck_op op = ck_head(s->T, relation);
  bool differs = op == CK_NE;
  if (op == CK_EQ || KID(relation, differs) != ZERO)
    return false;
  bool ok = plainly_not_negative(s, KID(relation, !differs), &positive);
  return ok && (op == CK_LE || positive);
}

bool ck_plain(const ck_scope *s, ck_id relation) {
  int known = truth(s, relation);
  bool plain = known == 1;
  for (uint32_t i = 0; i < s->E->n_stated && known < 0 && !plain; i++)
    plain = implied(s, relation, s->E->stated[i].relation);
  for (const ck_place *p = s->place; p && known < 0 && !plain; p = p->up) {
    plain = implied(s, relation, p->relation[0]) ||
            (p->variable != CK_BAD && implied(s, relation, p->relation[1]));
  }
  return plain || plainly_signed(s, relation);
}

/* --- obligations */
ck_place ck_under(const ck_scope *s, ck_id relation) {
  return (ck_place){.up = s->place, .variable = CK_BAD, .relation = {relation, CK_BAD}};
}

ck_place ck_with_index(const ck_scope *s, ck_id variable, ck_id extent) {
  return (ck_place){
      .up = s->place, .variable = variable, .relation = {LE(ZERO, variable), LT(variable, extent)}};
}

/* writes what holds at the place to the obligation, outermost first */
static void collect(const ck_scope *s, ck_obligation *o, const ck_place *place) {
  if (!place)
    return;
  collect(s, o, place->up);
  uint32_t n = place->variable == CK_BAD ? 1 : 2;
  if (!ck_within(s->job, s->at, CK_LIMIT_CONDITIONS, o->n_conditions + n))
    return;
  CK_BELOW(i, n)
    o->conditions[o->n_conditions++] = place->relation[i];
  if (place->variable != CK_BAD)
    o->variables[o->n_variables++] = place->variable;
}

static bool occurs(const ck_scope *s, const ck_obligation *o, ck_id variable) {
  bool found = ck_has_var(s->T, o->relation, variable);
  CK_BELOW(i, o->n_conditions)
    found = found || ck_has_var(s->T, o->conditions[i], variable);
  return found;
}

/* In a block the obligation holds for every block and iteration that it speaks of. */
static void for_all_blocks(const ck_scope *s, ck_obligation *o) {
  ck_obligation as_it_was = *o;
  ck_scope outside = *s;
  outside.place = NULL;
  for (uint32_t k = 0; s->block && k < 4; k++) {
    ck_id variable = ck_variable(s, 'b', k);
    ck_place range = ck_with_index(&outside, variable, s->block->extent[k]);
    if (occurs(s, &as_it_was, variable))
      collect(s, o, &range);
  }
}

/* conditions around a place, outermost first */
static void print_conditions(const ck_scope *s, const ck_place *place) {
  if (!place)
    return;
  print_conditions(s, place->up);
  for (int i = 0; i < 2 && place->relation[i] != CK_BAD; i++)
    ck_print(s->E->listed, s->T, "  if ", place->relation[i], "\n");
}

void ck_list_dropped(const ck_scope *s, const char *why, const ck_token *at, ck_id relation) {
  if (!s->E->listed)
    return;
  fprintf(s->E->listed, "%s %s:%d ", why, at->file->name, at->line);
  ck_print(s->E->listed, s->T, "", relation, "\n");
  print_conditions(s, s->place);
}

/* What is plain is no obligation. */
static bool dropped(const ck_scope *s, ck_id relation) {
  bool plain = ck_plain(s, relation);
  if (plain)
    ck_list_dropped(s, "plain", s->at, relation);
  return plain;
}

void ck_require(const ck_scope *s, ck_id relation) {
  ck_side *side = s->side;
  ck_id variables[CK_MAX_CONDITIONS];
  ck_id conditions[CK_MAX_CONDITIONS];
  ck_obligation o = {NULL, variables, conditions, relation, 0, 0, s->at};
  if (!side || s->quiet || ck_refused(s->job) || ck_sure(s, relation) == CK_BAD ||
      dropped(s, relation))
    return;
  if (!s->place && ck_false_as_stated(s, s->at, relation)) {
    char *text = ck_show(s->T, relation);
    ck_refuse(s->job, s->at, "needed here, but false: %s", text);
    s->job->message->absurd = true;
    free(text);
    return;
  }
  collect(s, &o, s->place);
  for_all_blocks(s, &o);
  if (ck_within(s->job, s->at, CK_LIMIT_OBLIGATIONS, side->obligations.n + 1)) {
    ck_obligation *kept = ck_add(s->job, &side->obligations, sizeof *kept);
    *kept = o;
    kept->variables = ck_keep_ids(s->job, variables, o.n_variables);
    kept->conditions = ck_keep_ids(s->job, conditions, o.n_conditions);
  }
}

void ck_require_same(const ck_scope *s, ck_id a, ck_id b) {
  if (!ck_same(s, a, b))
    ck_require(s, EQ(a, b));
}

void ck_require_extent(const ck_scope *s, ck_id e) {
  ck_require(s, LE(ZERO, e));
}

/* for all variables: conditions imply the relation; the bare relation if there are neither */
ck_id ck_clause(const ck_scope *s, const ck_obligation *o) {
  ck_id kid[CK_MAX_CONDITIONS + 1];
  if (o->n_variables == 0 && o->n_conditions == 0)
    return o->relation;
  for (uint32_t i = 0; i <= o->n_conditions; i++) {
    ck_id part = i < o->n_conditions ? o->conditions[i] : o->relation;
    kid[i] = ck_close(s->T, part, o->variables, o->n_variables);
  }
  return ck_sure(s, ck_all(s->T, o->n_variables, kid, o->n_conditions + 1));
}

/* --- sizes */
const ck_size_symbol *ck_size_of(const ck_elab *E, ck_id variable) {
  const ck_size_symbol *size = E->size;
  while (size < E->size + E->n_sizes && size->variable != variable)
    size++;
  return size < E->size + E->n_sizes ? size : NULL;
}

const ck_size_symbol *ck_visible_size(const ck_scope *s, const char *name) {
  const ck_size_symbol *size = ck_size_of(s->E, ck_var(s->T, name, 'i'));
  if (!size)
    return NULL;
  bool inherited = size->of_given && (!s->side->candidate || s->side->mugraph || s->E->rule);
  return inherited || (s->side->candidate && size->of_candidate) ? size : NULL;
}

ck_id ck_group(const ck_scope *s, ck_id extent) {
  const ck_terms *T = s->T;
  bool group = ck_is(T, extent, CK_V) && strncmp(ck_word_text(T, ck_name(T, extent)), "..", 2) == 0;
  return group ? extent : CK_BAD;
}
