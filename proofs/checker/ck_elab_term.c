/* Terms as the elaboration makes them, what is plain to see of them, and obligations
 * (proofs/CLAIM.md sections 1 and 3.3). */
#include "ck_elab.h"
#include <stdlib.h>

ck_id ck_sure(const ck_scope *s, ck_id t) {
  if (t == CK_BAD)
    ck_refuse(&s->E->job, s->at, "not well formed: %s", ck_error(s->E->T));
  if (ck_size(s->E->T) > CK_MAX_TERMS)
    ck_refuse(&s->E->job, s->at, "the meaning takes more than %d terms", CK_MAX_TERMS);
  return t;
}

ck_id ck_variable(const ck_scope *s, char what, uint32_t k) {
  char name[16];
  snprintf(name, sizeof name, "$%c%u", what, (unsigned)k);
  return ck_sure(s, ck_var(s->E->T, name, 'i'));
}

ck_id ck_state(const ck_scope *s) {
  return ck_sure(s, ck_var(s->E->T, "$s", 'r'));
}

ck_id ck_join(const ck_scope *s, ck_op op, ck_id a, ck_id b) {
  return ck_sure(s, ck_mk2(s->E->T, op, a, b));
}

bool ck_constant(const ck_scope *s, ck_id t, long value) {
  return ck_is(s->E->T, t, CK_Q) && mpq_cmp_si(*ck_q_value(s->E->T, t), value, 1) == 0;
}

/* the constant that a op b is */
static ck_id computed(const ck_scope *s, ck_op op, ck_id a, ck_id b) {
  const mpq_t *x = ck_q_value(s->E->T, a);
  const mpq_t *y = ck_q_value(s->E->T, b);
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
  ck_id t = ck_q(s->E->T, z);
  mpq_clear(z);
  return ck_sure(s, t);
}

ck_id ck_calculated(const ck_scope *s, ck_op op, ck_id a, ck_id b) {
  ck_terms *T = s->E->T;
  bool integers = ck_is_int(T, a) && ck_is_int(T, b);
  bool numbers = ck_is(T, a, CK_Q) && ck_is(T, b, CK_Q);
  long unit = op == CK_ADD ? 0 : 1;
  if (op == CK_MUL && integers && (ck_constant(s, a, 0) || ck_constant(s, b, 0)))
    return ck_int(T, 0);
  if (integers && ck_constant(s, b, unit))
    return op == CK_MOD ? ck_int(T, 0) : a;
  if (integers && (op == CK_ADD || op == CK_MUL) && ck_constant(s, a, unit))
    return b;
  bool divides = op == CK_DIV || op == CK_MOD;
  if (numbers && (op == CK_MUL || integers) && !(divides && mpq_sgn(*ck_q_value(T, b)) <= 0))
    return computed(s, op, a, b);
  return ck_join(s, op, a, b);
}

ck_id ck_minus(const ck_scope *s, ck_id a) {
  return ck_calculated(s, CK_MUL, ck_int(s->E->T, -1), a);
}

ck_id ck_choice(const ck_scope *s, ck_id relation, ck_id yes, ck_id no) {
  return ck_sure(s, ck_ite(s->E->T, relation, yes, no));
}

ck_id ck_larger(const ck_scope *s, ck_id a, ck_id b) {
  return ck_choice(s, ck_join(s, CK_LE, a, b), b, a);
}

ck_id ck_smaller(const ck_scope *s, ck_id a, ck_id b) {
  return ck_choice(s, ck_join(s, CK_LE, a, b), a, b);
}

ck_id ck_folded(const ck_scope *s, ck_id counter, ck_id bound, ck_id base, ck_id step) {
  ck_terms *T = s->E->T;
  ck_id bound_step = ck_sure(s, ck_close(T, step, (ck_id[]){counter, ck_state(s)}, 2));
  return ck_sure(s, ck_fold(T, 0, 1, (ck_id[]){bound, base, bound_step}));
}

ck_id ck_number(const ck_scope *s, const ck_token *number, bool negative) {
  char digits[CK_MAX_TOKEN + 1] = "";
  const char *exponent = strpbrk(number->text, "eE");
  long ten =
      exponent ? strtol(exponent + 1, NULL, 10) : 0; /* the number is its digits times 10^ten */
  bool point = false;
  if (ten > 1000 || ten < -1000)
    ck_refuse(&s->E->job, number, "exponent beyond 1000");
  size_t n = 0;
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
  if (ten < 0)
    mpq_div(value, value, power);
  else
    mpq_mul(value, value, power);
  if (negative)
    mpq_neg(value, value);
  ck_id t = ck_q(s->E->T, value);
  mpq_clear(value);
  mpq_clear(power);
  return ck_sure(s, t);
}

/* --- what is plain */
static const ck_poly *polynomial(const ck_scope *s, ck_id t) {
  const ck_poly *p = ck_poly_of(s->E->T, t);
  if (!p)
    ck_refuse(&s->E->job, s->at, "size expression too large");
  return p;
}

bool ck_same(const ck_scope *s, ck_id a, ck_id b) {
  return ck_poly_eq(polynomial(s, a), polynomial(s, b));
}

bool ck_is_one(const ck_scope *s, ck_id t) {
  return ck_same(s, t, ck_int(s->E->T, 1));
}

/* of a relation whose value is a constant: 1 or 0; else -1 */
static int truth(const ck_scope *s, ck_id relation) {
  mpq_t value;
  mpq_init(value);
  bool known = ck_poly_const(ck_poly_val(s->E->T, relation), value);
  int sign = mpq_sgn(value);
  mpq_clear(value);
  if (!known)
    return -1;
  switch (ck_head(s->E->T, relation)) {
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
  ck_elab *E = s->E;
  ck_op op = ck_head(E->T, t);
  for (uint32_t i = 0; op == CK_V && i < E->n_sizes; i++) {
    if (E->size[i].variable == t && (large || E->size[i].stated))
      return ck_int(E->T, large ? large + (long)i : E->size[i].value);
  }
  bool relation = ck_is_rel(E->T, t);
  bool known =
      relation || op == CK_ITE || op == CK_ADD || op == CK_MUL || op == CK_DIV || op == CK_MOD;
  if (!known || ++*work > CK_MAX_WORK)
    return t;
  ck_id kid[3];
  for (uint32_t i = 0; i < ck_nkids(E->T, t); i++)
    kid[i] = at_sizes(s, ck_kid(E->T, t, i), large, work);
  if (relation)
    return ck_join(s, op, kid[0], kid[1]);
  if (op != CK_ITE)
    return ck_calculated(s, op, kid[0], kid[1]);
  int known_truth = truth(s, kid[0]);
  return known_truth < 0 ? t : kid[known_truth ? 1 : 2];
}

bool ck_false_as_stated(const ck_scope *s, ck_id relation) {
  uint32_t work = 0;
  return truth(s, at_sizes(s, relation, 0, &work)) == 0;
}

bool ck_one_at_large(const ck_scope *s, ck_id t) {
  uint32_t work = 0;
  for (long n = 1000; n < 1003; n++) {
    if (!ck_constant(s, at_sizes(s, t, n, &work), 1))
      return false;
  }
  return true;
}

/* the same relation, or one of the same kind between integers with the same value */
static bool implied(const ck_scope *s, ck_id relation, ck_id by) {
  ck_terms *T = s->E->T;
  if (relation == by || ck_head(T, relation) != ck_head(T, by))
    return relation == by;
  for (uint32_t i = 0; i < 2; i++) {
    if (!ck_is_int(T, ck_kid(T, relation, i)) || !ck_is_int(T, ck_kid(T, by, i)))
      return false;
  }
  return ck_poly_eq(ck_poly_val(T, relation), ck_poly_val(T, by));
}

bool ck_plain(const ck_scope *s, ck_id relation) {
  int known = truth(s, relation);
  if (known >= 0)
    return known;
  for (uint32_t i = 0; i < s->E->n_stated; i++) {
    if (implied(s, relation, s->E->stated[i].relation))
      return true;
  }
  for (const ck_place *p = s->place; p; p = p->up) {
    if (implied(s, relation, p->relation[0]) ||
        (p->variable != CK_BAD && implied(s, relation, p->relation[1])))
      return true;
  }
  return false;
}

/* a size of which 0 < N or 0 <= N is stated */
static bool is_size(const ck_scope *s, ck_id t) {
  for (uint32_t i = 0; i < s->E->n_sizes; i++) {
    if (s->E->size[i].variable == t)
      return s->E->size[i].least >= 0;
  }
  return false;
}

/* Sums of products of sizes, exponentials and squares with positive coefficients are not negative;
 * positive, if one is a number or of exponentials alone. */
static bool plainly_not_negative(const ck_scope *s, ck_id t, bool *positive) {
  const ck_poly *p = polynomial(s, t);
  *positive = false;
  for (uint32_t i = 0; i < ck_poly_len(p); i++) {
    ck_mono m = ck_poly_mono(p, i);
    bool exponentials = true;
    if (mpq_sgn(*ck_poly_coef(p, i)) < 0)
      return false;
    for (uint32_t j = 0; j < m.deg; j++) {
      bool exponential = ck_head(s->E->T, m.atoms[j]) == CK_EXP;
      bool square = !exponential && j + 1 < m.deg && m.atoms[j] == m.atoms[j + 1];
      exponentials = exponentials && exponential;
      if (!exponential && !square && !is_size(s, m.atoms[j]))
        return false;
      j += square;
    }
    *positive = *positive || exponentials;
  }
  return true;
}

static bool plainly_signed(const ck_scope *s, ck_op op, ck_id a, ck_id b) {
  bool positive;
  ck_id zero = ck_int(s->E->T, 0);
  if (op == CK_EQ || (op == CK_NE ? b : a) != zero)
    return false;
  bool ok = plainly_not_negative(s, op == CK_NE ? a : b, &positive);
  return ok && (op == CK_LE || positive);
}

/* --- obligations */
ck_place ck_under(const ck_scope *s, ck_id relation) {
  return (ck_place){.up = s->place, .variable = CK_BAD, .relation = {ck_sure(s, relation), CK_BAD}};
}

ck_place ck_with_index(const ck_scope *s, ck_id variable, ck_id extent) {
  ck_id zero = ck_int(s->E->T, 0);
  return (ck_place){
      .up = s->place,
      .variable = variable,
      .relation = {ck_join(s, CK_LE, zero, variable), ck_join(s, CK_LT, variable, extent)}};
}

/* writes what holds at the place to the obligation, outermost first */
static void collect(const ck_scope *s, ck_obligation *o, const ck_place *place) {
  if (!place)
    return;
  collect(s, o, place->up);
  uint32_t n = place->variable == CK_BAD ? 1 : 2;
  if (o->n_conditions + n > CK_MAX_CONDITIONS)
    ck_refuse(&s->E->job, s->at, "more than %d conditions hold here", CK_MAX_CONDITIONS);
  for (uint32_t i = 0; i < n; i++)
    o->conditions[o->n_conditions++] = place->relation[i];
  if (place->variable != CK_BAD)
    o->variables[o->n_variables++] = place->variable;
}

static bool occurs(const ck_scope *s, const ck_obligation *o, ck_id variable) {
  bool found = ck_has_var(s->E->T, o->relation, variable);
  for (uint32_t i = 0; i < o->n_conditions; i++)
    found = found || ck_has_var(s->E->T, o->conditions[i], variable);
  return found;
}

/* In a block the obligation holds for every block and iteration that it speaks of. */
static void for_all_blocks(const ck_scope *s, ck_obligation *o) {
  ck_obligation as_it_was = *o;
  for (uint32_t k = 0; s->block && k < 4; k++) {
    ck_id variable = ck_variable(s, 'b', k);
    if (!occurs(s, &as_it_was, variable))
      continue;
    ck_scope outside = *s;
    outside.place = NULL;
    ck_place range = ck_with_index(&outside, variable, s->block->extent[k]);
    collect(s, o, &range);
  }
}

void ck_require(const ck_scope *s, ck_op op, ck_id a, ck_id b) {
  ck_id relation = ck_join(s, op, a, b);
  ck_job *job = &s->E->job;
  ck_side *side = s->side;
  if (!side || ck_plain(s, relation) || plainly_signed(s, op, a, b))
    return;
  if (!s->place && ck_false_as_stated(s, relation)) {
    job->message->absurd = true;
    char *text = ck_show(s->E->T, relation);
    const char *kept = ck_keep_text(job, "%s", text);
    free(text);
    ck_refuse(job, s->at, "needed here, but false: %s", kept);
  }
  if (side->n_obligations == CK_MAX_OBLIGATIONS)
    ck_refuse(job, s->at, "more than %d obligations", CK_MAX_OBLIGATIONS);
  ck_obligation o = {.relation = relation, .at = s->at};
  ck_id variables[CK_MAX_CONDITIONS];
  ck_id conditions[CK_MAX_CONDITIONS];
  o.variables = variables;
  o.conditions = conditions;
  collect(s, &o, s->place);
  for_all_blocks(s, &o);
  o.variables = memcpy(ck_keep(job, (o.n_variables + 1) * sizeof *variables), variables,
                       o.n_variables * sizeof *variables);
  o.conditions = memcpy(ck_keep(job, (o.n_conditions + 1) * sizeof *conditions), conditions,
                        o.n_conditions * sizeof *conditions);
  side->obligations[side->n_obligations++] = o;
}

void ck_require_same(const ck_scope *s, ck_id a, ck_id b) {
  if (!ck_same(s, a, b))
    ck_require(s, CK_EQ, a, b);
}

void ck_require_extent(const ck_scope *s, ck_id e) {
  ck_require(s, CK_LE, ck_int(s->E->T, 0), e);
}

/* --- sizes */
uint32_t ck_visible_size(const ck_scope *s, const char *name) {
  const ck_elab *E = s->E;
  for (uint32_t i = 0; i < E->n_sizes; i++) {
    const ck_size_symbol *size = &E->size[i];
    if (strcmp(size->name, name) != 0)
      continue;
    bool inherited = size->of_given && (!s->side->candidate || s->side->mugraph || E->rule);
    return inherited || (s->side->candidate && size->of_candidate) ? i : E->n_sizes;
  }
  return E->n_sizes;
}

ck_id ck_group(const ck_scope *s, ck_id extent) {
  const ck_terms *T = s->E->T;
  bool group = ck_is(T, extent, CK_V) && strncmp(ck_word_text(T, ck_name(T, extent)), "..", 2) == 0;
  return group ? extent : CK_BAD;
}
