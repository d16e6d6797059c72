/* Terms of sizes, indices and elements as the reader builds them, and the obligations that a definition leaves (semantics/SEMANTICS.md section 2).
 * The variables that the reader makes have names with $, which no file can spell. */
#include "ck_read.h"
#include <stdlib.h>
#include <string.h>

ck_id ck_ok(ck_reader *R, ck_id t) {
  if (t == CK_BAD) ck_die(R, R->stmt, "not well formed: %s", ck_error(R->T));
  if (ck_size(R->T) > CK_MAX_TERMS) ck_die(R, R->stmt, "the meaning takes more than %d terms", CK_MAX_TERMS);
  return t;
}

ck_id ck_ix(ck_reader *R, char what, uint32_t k) {
  char name[16];
  snprintf(name, sizeof name, "$%c%u", what, (unsigned)k);
  return ck_ok(R, ck_var(R->T, name, 'i'));
}

/* --- arithmetic */
ck_id ck_two(ck_reader *R, ck_op op, ck_id a, ck_id b) { return ck_ok(R, ck_mk2(R->T, op, a, b)); }
bool ck_is_const(const ck_reader *R, ck_id a, long v) { return ck_head(R->T, a) == CK_Q && mpq_cmp_si(*ck_q_value(R->T, a), v, 1) == 0; }

ck_id ck_calc(ck_reader *R, ck_op op, ck_id a, ck_id b) {
  ck_terms *T = R->T;
  bool ints = ck_is_int(T, a) && ck_is_int(T, b), numbers = ck_head(T, a) == CK_Q && ck_head(T, b) == CK_Q;
  long unit = op == CK_ADD ? 0 : 1;
  if (ints && op == CK_MUL && (ck_is_const(R, a, 0) || ck_is_const(R, b, 0))) return ck_int(T, 0);
  if (ints && ck_is_const(R, b, unit)) return op == CK_MOD ? ck_int(T, 0) : a;
  if (ints && ck_is_const(R, a, unit) && op <= CK_MUL) return b;
  if (!numbers || (op != CK_MUL && !ints) || (op >= CK_DIV && mpq_sgn(*ck_q_value(T, b)) <= 0)) return ck_two(R, op, a, b);
  mpq_t x;
  mpq_init(x);
  const mpq_t *p = ck_q_value(T, a), *q = ck_q_value(T, b);
  if (op == CK_ADD) mpq_add(x, *p, *q);
  else if (op == CK_MUL) mpq_mul(x, *p, *q);
  else (op == CK_DIV ? mpz_fdiv_q : mpz_fdiv_r)(mpq_numref(x), mpq_numref(*p), mpq_numref(*q));
  ck_id t = ck_q(T, x);
  mpq_clear(x);
  return ck_ok(R, t);
}

ck_id ck_minus(ck_reader *R, ck_id a) { return ck_calc(R, CK_MUL, ck_int(R->T, -1), a); }
ck_id ck_if(ck_reader *R, ck_id rel, ck_id yes, ck_id no) { return ck_ok(R, ck_ite(R->T, rel, yes, no)); }
ck_id ck_smaller(ck_reader *R, ck_id a, ck_id b) { return ck_if(R, ck_two(R, CK_LE, a, b), a, b); }
ck_id ck_larger(ck_reader *R, ck_id a, ck_id b) { return ck_if(R, ck_two(R, CK_LE, a, b), b, a); }
ck_id ck_put(ck_reader *R, ck_id t, ck_id var, ck_id val) { return ck_ok(R, ck_sub(R->T, t, &var, &val, 1, NULL, 0)); }

ck_id ck_at_index(ck_reader *R, const ck_tensor *t, const ck_id *ix) {
  ck_id var[CK_MAX_RANK];
  for (uint32_t i = 0; i < t->rank; i++) var[i] = ck_ix(R, 'i', i);
  return ck_ok(R, ck_sub(R->T, t->elem, var, ix, t->rank, NULL, 0));
}

ck_id ck_fold1(ck_reader *R, ck_id var, ck_id n, ck_id s, ck_id init, ck_id step) {
  return ck_ok(R, ck_fold(R->T, 0, 1, (ck_id[]){n, init, ck_ok(R, ck_close(R->T, step, (ck_id[]){var, s}, 2))}));
}

/* --- what is known */
static const ck_poly *poly(ck_reader *R, const ck_poly *p) { return p ? p : (ck_die(R, R->stmt, "size expression too large"), p); }
bool ck_same(ck_reader *R, ck_id a, ck_id b) { return ck_poly_eq(poly(R, ck_poly_of(R->T, a)), poly(R, ck_poly_of(R->T, b))); }
bool ck_is_one(ck_reader *R, ck_id a) { return ck_same(R, a, ck_int(R->T, 1)); }

int ck_truth(ck_reader *R, ck_id rel) {
  mpq_t v;
  mpq_init(v);
  bool known = ck_poly_const(ck_poly_val(R->T, rel), v);
  int s = mpq_sgn(v);
  ck_op op = ck_head(R->T, rel);
  mpq_clear(v);
  return !known ? -1 : op == CK_EQ ? s == 0 : op == CK_NE ? s != 0 : op == CK_LE ? s >= 0 : s > 0;
}

ck_id ck_value(ck_reader *R, ck_id t, long large) {
  ck_op op = ck_head(R->T, t);
  ck_id kid[3];
  for (uint32_t i = 0; op == CK_V && i < R->n_sizes; i++)
    if (R->size[i].var == t && (large || R->size[i].stated)) return ck_int(R->T, large ? large + i : R->size[i].value);
  bool rel = ck_is_rel(R->T, t);
  if ((!rel && op != CK_ITE && (op < CK_ADD || op > CK_MOD)) || ++R->work > CK_MAX_WORK) return t;
  for (uint32_t i = 0; i < ck_nkids(R->T, t); i++) kid[i] = ck_value(R, ck_kid(R->T, t, i), large);
  if (op != CK_ITE) return rel ? ck_two(R, op, kid[0], kid[1]) : ck_calc(R, op, kid[0], kid[1]);
  int truth = ck_truth(R, kid[0]);
  return truth < 0 ? t : kid[truth ? 1 : 2];
}

/* the same relation, or one of integers with the same difference of its sides */
static bool implied(ck_reader *R, ck_id rel, ck_id by) {
  if (rel == by || ck_head(R->T, rel) != ck_head(R->T, by)) return rel == by;
  for (uint32_t i = 0; i < 2; i++) if (!ck_is_int(R->T, ck_kid(R->T, rel, i)) || !ck_is_int(R->T, ck_kid(R->T, by, i))) return false;
  return ck_poly_eq(ck_poly_val(R->T, rel), ck_poly_val(R->T, by));
}

bool ck_trivial(ck_reader *R, ck_id rel) {
  int truth = ck_truth(R, rel);
  for (uint32_t i = 0; truth < 0 && i < R->n_rels; i++) if (implied(R, rel, R->rel[i].rel)) truth = 1;
  for (uint32_t i = 0; truth < 0 && i < R->n_conds; i++) if (implied(R, rel, R->cond[i])) truth = 1;
  return truth > 0;
}

uint32_t ck_visible_size(const ck_reader *R, const char *name) {
  uint32_t i = 0;
  while (i < R->n_sizes && strcmp(R->size[i].name, name)) i++;
  bool given = i < R->n_sizes && R->size[i].in_spec && (!R->side->cand || R->side->mug || R->rule);
  return given || (i < R->n_sizes && R->side->cand && R->size[i].in_cand) ? i : R->n_sizes;
}

const char *ck_text_of(ck_reader *R, ck_id t) {
  enum { LONGEST = 200 };
  char *s = ck_show(R->T, t), *text = strncpy(ck_keep(R, LONGEST), s, LONGEST - 1);
  return free(s), text;
}

/* --- obligations */
void ck_push_cond(ck_reader *R, ck_id rel) {
  if (R->n_conds == CK_MAX_CONDS) ck_die(R, R->stmt, "more than %d conditions at once", CK_MAX_CONDS);
  R->cond[R->n_conds++] = ck_ok(R, rel);
}

void ck_push_index(ck_reader *R, ck_id var, ck_id extent) {
  ck_push_cond(R, ck_two(R, CK_LE, ck_int(R->T, 0), var));
  ck_push_cond(R, ck_two(R, CK_LT, var, extent));
  R->ivar[R->n_ivars++] = var;
}

/* a size with a least value; the integers that rules declare have none */
static bool is_size(const ck_reader *R, ck_id atom) {
  for (uint32_t k = 0; k < R->n_sizes; k++) if (R->size[k].var == atom) return R->size[k].least >= 0;
  return false;
}

/* Sums of products of sizes, squares and exponentials with coefficients >= 0 are plainly >= 0; positive: one is a number, or of exponentials alone. */
static bool plain(ck_reader *R, ck_id a, bool *positive) {
  const ck_poly *p = poly(R, ck_poly_of(R->T, a));
  bool all = true;
  *positive = false;
  for (uint32_t i = 0; i < ck_poly_len(p) && all; i++) {
    ck_mono m = ck_poly_mono(p, i);
    bool exps = true, exp, twice;
    all = mpq_sgn(*ck_poly_coef(p, i)) >= 0;
    for (uint32_t j = 0; j < m.deg && all; j += twice ? 2 : 1) {
      exp = ck_head(R->T, m.atoms[j]) == CK_EXP, twice = !exp && j + 1 < m.deg && m.atoms[j] == m.atoms[j + 1];
      exps = exps && exp, all = exp || twice || is_size(R, m.atoms[j]);
    }
    *positive = *positive || exps;
  }
  return all;
}

/* In a block the obligation holds for every block and iteration; one that does not depend on them, also if there are none. */
void ck_require(ck_reader *R, ck_op op, ck_id a, ck_id b) {
  ck_id rel = ck_two(R, op, a, b);
  uint32_t n_conds = R->n_conds, n_ivars = R->n_ivars;
  bool positive, of_zero = (op == CK_NE ? b : a) == ck_int(R->T, 0) && op != CK_EQ;
  if (!R->side || ck_trivial(R, rel) || (of_zero && plain(R, op == CK_NE ? a : b, &positive) && (op == CK_LE || positive))) return;
  if (!n_conds && !ck_truth(R, ck_value(R, rel, 0))) R->msg->absurd = true, ck_die(R, R->stmt, "needed here, but false: %s", ck_text_of(R, rel));
  if (R->side->n_obligs == CK_MAX_OBLIGATIONS) ck_die(R, R->stmt, "more than %d obligations", CK_MAX_OBLIGATIONS);
  for (uint32_t k = 0; R->side->in_block && k < 4; k++) {
    bool depends = ck_has_var(R->T, rel, ck_ix(R, 'b', k));
    for (uint32_t i = 0; i < n_conds; i++) depends = depends || ck_has_var(R->T, R->cond[i], ck_ix(R, 'b', k));
    if (depends) ck_push_index(R, ck_ix(R, 'b', k), R->grid[k]);
  }
  ck_oblig *o = &R->side->oblig[R->side->n_obligs++];
  *o = (ck_oblig){.n_vars = R->n_ivars, .n_conds = R->n_conds, .rel = rel};
  o->var = memcpy(ck_keep(R, (o->n_vars + 1) * sizeof *o->var), R->ivar, o->n_vars * sizeof *o->var);
  o->cond = memcpy(ck_keep(R, (o->n_conds + 1) * sizeof *o->cond), R->cond, o->n_conds * sizeof *o->cond);
  R->n_conds = n_conds, R->n_ivars = n_ivars;
}

void ck_require_eq(ck_reader *R, ck_id a, ck_id b) { if (!ck_same(R, a, b)) ck_require(R, CK_EQ, a, b); }
void ck_require_extent(ck_reader *R, ck_id a) { ck_require(R, CK_LE, ck_int(R->T, 0), a); }
