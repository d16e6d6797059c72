/* Scalar expressions (semantics/SEMANTICS.md section 2): what they denote, and what must hold for it to be defined.
 * The variables that the reader makes have names with $, which no file can spell. */
#include "ck_read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ck_id ck_ok(ck_reader *R, ck_id t) {
  if (t == CK_BAD) ck_die_at(R, "not well formed: %s", ck_error(R->T));
  if (ck_size(R->T) > CK_MAX_TERMS) ck_die_at(R, "the meaning takes more than %d terms", CK_MAX_TERMS);
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

/* a op b: of two constants, their value (div and mod: of integers); the unit of the operator is dropped */
static ck_id folded(ck_reader *R, ck_op op, ck_id a, ck_id b, long unit) {
  ck_terms *T = R->T;
  if (ck_is_int(T, a) && ck_is_int(T, b) && (op == CK_ADD || op == CK_MUL) && ck_is_const(R, a, unit)) return b;
  if (ck_is_int(T, a) && ck_is_int(T, b) && op != CK_MOD && ck_is_const(R, b, unit)) return a;
  if (ck_head(T, a) != CK_Q || ck_head(T, b) != CK_Q || (op == CK_ADD && !(ck_is_int(T, a) && ck_is_int(T, b)))) return ck_two(R, op, a, b);
  mpq_t x, y;
  mpq_init(x), mpq_init(y);
  ck_get_q(T, a, x), ck_get_q(T, b, y);
  if (op == CK_ADD) mpq_add(x, x, y);
  else if (op == CK_MUL) mpq_mul(x, x, y);
  else (op == CK_DIV ? mpz_fdiv_q : mpz_fdiv_r)(mpq_numref(x), mpq_numref(x), mpq_numref(y));
  ck_id t = ck_q(T, x);
  mpq_clear(x), mpq_clear(y);
  return ck_ok(R, t);
}

ck_id ck_plus(ck_reader *R, ck_id a, ck_id b) { return folded(R, CK_ADD, a, b, 0); }
ck_id ck_minus(ck_reader *R, ck_id a) { return ck_times(R, ck_int(R->T, -1), a); }

ck_id ck_times(ck_reader *R, ck_id a, ck_id b) {
  bool ints = ck_is_int(R->T, a) && ck_is_int(R->T, b);
  return ints && (ck_is_const(R, a, 0) || ck_is_const(R, b, 0)) ? ck_int(R->T, 0) : folded(R, CK_MUL, a, b, 1);
}

ck_id ck_divmod(ck_reader *R, ck_op op, ck_id a, ck_id b) {
  if (op == CK_MOD && ck_is_const(R, b, 1) && ck_is_int(R->T, a)) return ck_int(R->T, 0);
  bool positive = ck_head(R->T, b) == CK_Q && mpq_sgn(*ck_q_value(R->T, b)) > 0;
  return positive && ck_is_int(R->T, a) && ck_is_int(R->T, b) ? folded(R, op, a, b, 1) : ck_two(R, op, a, b);
}

ck_id ck_if(ck_reader *R, ck_id rel, ck_id yes, ck_id no) { return ck_ok(R, ck_ite(R->T, rel, yes, no)); }
static ck_id smaller(ck_reader *R, ck_id a, ck_id b) { return ck_if(R, ck_two(R, CK_LE, a, b), a, b); }
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

static const ck_poly *poly(ck_reader *R, const ck_poly *p) { return p ? p : (ck_die_at(R, "size expression too large"), p); }
bool ck_same(ck_reader *R, ck_id a, ck_id b) { return ck_poly_eq(poly(R, ck_poly_of(R->T, a)), poly(R, ck_poly_of(R->T, b))); }

bool ck_is_one(ck_reader *R, ck_id a) { return ck_same(R, a, ck_int(R->T, 1)); }

/* --- obligations */
int ck_truth(ck_reader *R, ck_id rel) {
  mpq_t v;
  mpq_init(v);
  bool known = ck_poly_const(ck_poly_val(R->T, rel), v);
  int s = mpq_sgn(v);
  ck_op op = ck_head(R->T, rel);
  mpq_clear(v);
  return !known ? -1 : op == CK_EQ ? s == 0 : op == CK_NE ? s != 0 : op == CK_LE ? s >= 0 : s > 0;
}

/* the same relation, or one of integers with the same difference of its sides */
static bool implied(ck_reader *R, ck_id rel, ck_id by) {
  if (rel == by) return true;
  if (ck_head(R->T, rel) != ck_head(R->T, by)) return false;
  for (uint32_t i = 0; i < 2; i++) if (!ck_is_int(R->T, ck_kid(R->T, rel, i)) || !ck_is_int(R->T, ck_kid(R->T, by, i))) return false;
  return ck_poly_eq(ck_poly_val(R->T, rel), ck_poly_val(R->T, by));
}

ck_id ck_value(ck_reader *R, ck_id t, long large) {
  ck_op op = ck_head(R->T, t);
  for (uint32_t i = 0; op == CK_V && i < R->n_sizes; i++)
    if (R->size[i].var == t && (large || R->size[i].stated)) return ck_int(R->T, large ? large + i : R->size[i].value);
  if ((op != CK_ITE && (op < CK_ADD || op > CK_MOD)) || ++R->work > CK_MAX_WORK) return t;
  if (op == CK_ITE) {
    int truth = ck_truth_at(R, ck_kid(R->T, t, 0), large);
    return truth < 0 ? t : ck_value(R, ck_kid(R->T, t, truth ? 1 : 2), large);
  }
  ck_id a = ck_value(R, ck_kid(R->T, t, 0), large), b = ck_value(R, ck_kid(R->T, t, 1), large);
  return op == CK_ADD ? ck_plus(R, a, b) : op == CK_MUL ? ck_times(R, a, b) : ck_divmod(R, op, a, b);
}

int ck_truth_at(ck_reader *R, ck_id rel, long large) {
  return ck_truth(R, ck_two(R, ck_head(R->T, rel), ck_value(R, ck_kid(R->T, rel, 0), large), ck_value(R, ck_kid(R->T, rel, 1), large)));
}

bool ck_trivial(ck_reader *R, ck_id rel) {
  int truth = ck_truth(R, rel);
  for (uint32_t i = 0; truth < 0 && i < R->n_rels; i++) if (implied(R, rel, R->rel[i].rel)) truth = 1;
  for (uint32_t i = 0; truth < 0 && i < R->n_conds; i++) if (implied(R, rel, R->cond[i])) truth = 1;
  return truth > 0;
}

void ck_die_showing(ck_reader *R, const ck_file *f, const ck_tok *t, const char *what, ck_id rel) {
  char *s = ck_show(R->T, rel), text[200];
  snprintf(text, sizeof text, "%s", s), free(s);
  ck_die(R, f, t, "%s %s", what, text);
}

static void push_cond(ck_reader *R, ck_id rel) {
  if (R->n_conds == CK_MAX_CONDS) ck_die_at(R, "more than %d conditions at once", CK_MAX_CONDS);
  R->cond[R->n_conds++] = ck_ok(R, rel);
}

void ck_push_index(ck_reader *R, ck_id var, ck_id extent) {
  push_cond(R, ck_two(R, CK_LE, ck_int(R->T, 0), var));
  push_cond(R, ck_two(R, CK_LT, var, extent));
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
  bool positive;
  if (ck_trivial(R, rel)) return;
  if (!R->side && plain(R, op == CK_NE ? a : b, &positive) && (op == CK_LE || positive)) return;
  if (!R->side) ck_die_showing(R, R->f, ck_cur(R), "a function must be plainly defined everywhere, as it is any function in proofs; needed here:", rel);
  if (!n_conds && ck_truth(R, rel) >= 0) ck_die_showing(R, R->at_file, R->at_tok, "needed here, but false:", rel);
  if (R->side->n_obligs == CK_MAX_OBLIGATIONS) ck_die_at(R, "more than %d obligations", CK_MAX_OBLIGATIONS);
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
void ck_require_index(ck_reader *R, ck_id i, ck_id extent) { ck_require(R, CK_LE, ck_int(R->T, 0), i), ck_require(R, CK_LT, i, extent); }

void ck_require_extent(ck_reader *R, ck_id a) {
  bool positive;
  if (!plain(R, a, &positive)) ck_require(R, CK_LE, ck_int(R->T, 0), a);
}

/* --- names */
ck_list *ck_find_list(ck_call *c, const char *name) {
  for (uint32_t i = 0;; i++) if (i == c->nl || !strcmp(c->list[i].name, name)) return i < c->nl ? &c->list[i] : NULL;
}

ck_id *ck_find_bind(ck_call *c, const char *name) {
  for (uint32_t i = 0;; i++) if (i == c->nb || !strcmp(c->bind[i].name, name)) return i < c->nb ? &c->bind[i].val : NULL;
}

void ck_add_bind(ck_reader *R, ck_call *c, const char *name, ck_id val) {
  bool taken = ck_find_bind(c, name) != NULL;
  for (uint32_t i = 0; i < c->n_args; i++) taken = taken || (c->arg_name[i] && !strcmp(c->arg_name[i], name));
  if (taken || c->nb == CK_MAX_BINDS) ck_die(R, c->op->f, c->op->tok, "operator %s: %s %s", c->op->name, name, taken ? "has two meanings" : "is one name too many");
  c->bind[c->nb].name = name, c->bind[c->nb++].val = val;
}

/* place of a size that the file being read can see; n_sizes: none */
uint32_t ck_visible_size(const ck_reader *R, const char *name) {
  uint32_t i = 0;
  while (i < R->n_sizes && strcmp(R->size[i].name, name)) i++;
  bool given = i < R->n_sizes && R->size[i].in_spec && (!R->side->cand || R->side->mug || R->rule);
  return given || (i < R->n_sizes && R->side->cand && R->size[i].in_cand) ? i : R->n_sizes;
}

void ck_die_word(ck_reader *R, const ck_tok *at, const char *what, const char *name) { ck_die(R, R->f, at, "%s %s", what, name); }

static ck_id name(ck_reader *R, ck_call *c) {
  const ck_tok *at = ck_cur(R);
  const char *s = ck_new_name(R);
  uint32_t i = c ? 0 : ck_visible_size(R, s);
  ck_id *bound = c ? ck_find_bind(c, s) : i < R->n_sizes ? &R->size[i].var : NULL;
  if (!bound) ck_die_word(R, at, c ? "no size, attribute or index is called" : "no size is called", s);
  return *bound;
}

/* --- conditions: relations joined by `not`, `and`, `or`.  They choose what is evaluated next, so that each part is evaluated where the parts
 * before it are known. */
typedef struct kont { uint32_t from, to; const struct kont *yes, *no; } kont; /* tokens of a condition, or of a value: yes is NULL */

ck_op ck_relop(ck_reader *R, bool *swap) {
  static const struct { const char *sign; ck_op op; bool swap; } rels[] = {
      {"=", CK_EQ, 0}, {"!=", CK_NE, 0}, {"<", CK_LT, 0}, {"<=", CK_LE, 0}, {">", CK_LT, 1}, {">=", CK_LE, 1}};
  size_t i = 0, n = sizeof rels / sizeof *rels;
  while (i < n && !ck_accept(R, rels[i].sign)) i++;
  if (i == n) ck_die_here(R, "relation expected: = != < <= > >=");
  return *swap = rels[i].swap, rels[i].op;
}

ck_id ck_relation(ck_reader *R, ck_call *c) {
  bool swap;
  if (!c) R->work = 0;
  ck_id a = ck_scalar(R, c);
  ck_op op = ck_relop(R, &swap);
  ck_id b = ck_scalar(R, c);
  return ck_two(R, op, swap ? b : a, swap ? a : b);
}

static ck_id choose(ck_reader *R, ck_call *c, const kont *k) {
  uint32_t from = k->from, to = k->to, at;
  ck_id value[2];
  R->at = from, ck_enter(R);
  if (!k->yes) value[0] = ck_scalar(R, c);
  else if ((at = ck_find(R, "or", from, to)) < to) value[0] = choose(R, c, &(kont){from, at, k->yes, &(kont){at + 1, to, k->yes, k->no}}), R->at = to;
  else if ((at = ck_find(R, "and", from, to)) < to) value[0] = choose(R, c, &(kont){from, at, &(kont){at + 1, to, k->yes, k->no}, k->no}), R->at = to;
  else if (ck_accept(R, "not")) value[0] = choose(R, c, &(kont){from + 1, to, k->no, k->yes}), R->at = to;
  else if (ck_at(R, "(") && R->f->tok[from].mate == to - 1) value[0] = choose(R, c, &(kont){from + 1, to - 1, k->yes, k->no}), R->at = to;
  else {
    ck_id rel = ck_relation(R, c);
    if (R->at != to) ck_die_here(R, "not understood in a condition");
    for (int i = 0; i < 2; i++) push_cond(R, i ? ck_neg(R->T, rel) : rel), value[i] = choose(R, c, i ? k->no : k->yes), R->n_conds--;
    value[0] = ck_if(R, rel, value[0], value[1]), R->at = to;
  }
  if (R->at != to) ck_die_here(R, "not understood in a condition or its values");
  return R->depth--, value[0];
}

/* --- expressions */
static ck_id conditional(ck_reader *R, ck_call *c) { /* if(condition, value, value) */
  if (!ck_at(R, "(")) ck_die_here(R, "'(' expected");
  uint32_t from = R->at + 1, close = ck_cur(R)->mate, yes = ck_find(R, ",", from, close), no = ck_find(R, ",", yes + 1, close);
  if (no >= close) ck_die_here(R, "(condition, value, value) expected");
  ck_id t = choose(R, c, &(kont){from, yes, &(kont){yes + 1, no, NULL, NULL}, &(kont){no + 1, close, NULL, NULL}});
  return R->at = close + 1, t;
}

static ck_id product(ck_reader *R, ck_call *c);

/* sum(k < n) body, and prod, max, min */
static ck_id reduction(ck_reader *R, ck_call *c) {
  ck_terms *T = R->T;
  char kind = ck_at(R, "max") ? 'X' : ck_cur(R)->s[0]; /* s p X m */
  R->at += 2;
  const char *k_name = ck_new_name(R);
  ck_expect(R, "<");
  ck_id n = ck_integer(R, c), s = ck_var(T, "$s", 'r'), k = ck_ix(R, 'k', R->level++), zero = ck_int(T, 0);
  ck_expect(R, ")");
  if (kind == 'X' || kind == 'm') ck_require(R, CK_LT, zero, n);
  uint32_t nb = c->nb, n_conds = R->n_conds;
  ck_add_bind(R, c, k_name, k), ck_push_index(R, k, n);
  ck_id f = product(R, c);
  c->nb = nb, R->n_conds = n_conds, R->n_ivars--, R->level--;
  if (kind == 's') return ck_fold1(R, k, n, s, zero, ck_two(R, CK_ADD, s, f));
  if (kind == 'p') return ck_fold1(R, k, n, s, ck_int(T, 1), ck_two(R, CK_MUL, s, f));
  return ck_fold1(R, k, n, s, ck_put(R, f, k, zero), kind == 'X' ? ck_larger(R, s, f) : smaller(R, s, f));
}

enum { N_KNOWN = 7 };
static const struct { const char *name; uint32_t n; ck_op op; } known[N_KNOWN] = {
    {"exp", 1, CK_EXP}, {"log", 1, CK_LOG}, {"sqrt", 1, CK_SQRT}, {"inv", 1, CK_INV}, {"abs", 1, CK_ITE}, {"max", 2, CK_ITE}, {"min", 2, CK_ITE}};
static uint32_t place_of(const char *name) { uint32_t i = 0; while (i < N_KNOWN && strcmp(known[i].name, name)) i++; return i; }
bool ck_known_function(const char *name) { return place_of(name) < N_KNOWN; }

/* a known function, or one that is any function of reals */
static ck_id function(ck_reader *R, ck_call *c) {
  const ck_tok *at = ck_cur(R);
  const char *f = ck_call_name(R);
  ck_id a[CK_MAX_ARGS], zero = ck_int(R->T, 0);
  uint32_t n = 0, i = place_of(f);
  char sig[CK_MAX_ARGS + 3], app[CK_MAX_NAME + 8];
  ck_expect(R, "(");
  do {
    if (n == CK_MAX_ARGS) ck_die_word(R, at, "too many arguments for", f);
    sig[n] = 'r', a[n++] = ck_scalar(R, c);
  } while (ck_list_goes_on(R, ")"));
  memcpy(sig + n, ":r", 3);
  ck_func_def *g = i < N_KNOWN || !c ? NULL : ck_find_func(R, f);
  if (i == N_KNOWN && !g) ck_die_word(R, at, "no function is called", f);
  if (n != (g ? g->n : known[i].n)) ck_die_word(R, at, "wrong number of arguments for", f);
  if (!g) {
    if (known[i].op == CK_LOG) ck_require(R, CK_LT, zero, a[0]);
    if (known[i].op == CK_SQRT) ck_require(R, CK_LE, zero, a[0]);
    if (known[i].op == CK_INV) ck_require(R, CK_NE, a[0], zero);
    if (known[i].op != CK_ITE) return ck_ok(R, ck_mk1(R->T, known[i].op, a[0]));
    return n == 1 ? ck_if(R, ck_two(R, CK_LE, zero, a[0]), a[0], ck_minus(R, a[0])) : f[1] == 'a' ? ck_larger(R, a[0], a[1]) : smaller(R, a[0], a[1]);
  }
  for (i = 0; i < c->op->n_fn && c->op->fn[i] != g;) i++;
  if (i == CK_MAX_LETS) ck_die_word(R, at, "one function too many:", f);
  if (i == c->op->n_fn) c->op->fn[c->op->n_fn++] = g;
  g->used = g->used || R->side;
  snprintf(app, sizeof app, "func.%s", f);
  return ck_ok(R, ck_app(R->T, app, sig, a, n));
}

/* the indices of an access, in [ ]; those of ~list are adapted to the extents of the tensor (NULL: a definition, which has none) */
static uint32_t indices(ck_reader *R, ck_call *c, const ck_tensor *t, ck_id *ix, ck_id *group) {
  uint32_t n = 0, others = 0, close = ck_cur(R)->mate;
  for (uint32_t i = R->at + 1; i < close; i = ck_find(R, ",", i, close) + 1) {
    const ck_list *l = ck_tok_is(&R->f->tok[i], "..") ? ck_find_list(c, R->f->tok[i + 1].s) : NULL;
    others += l ? l->n : !ck_tok_is(&R->f->tok[i], "~");
  }
  ck_expect(R, "[");
  if (ck_accept(R, "]")) return 0;
  do {
    bool adapt = ck_accept(R, "~"), is_list = adapt || ck_accept(R, "..");
    const ck_tok *at = ck_cur(R);
    const ck_list *l = is_list ? ck_find_list(c, ck_new_name(R)) : NULL;
    if (is_list && (!l || !l->at)) ck_die_word(R, at, "no indices are bound to", at->s);
    if (adapt && (!t || t->rank < others || t->rank - others > l->n)) ck_die_word(R, at, "the tensor has too few or too many axes for ~", at->s);
    uint32_t take = adapt ? t->rank - others : l ? l->n : 1;
    if (adapt) others = t->rank; /* at most one ~: a second one takes nothing */
    if (n + take > CK_MAX_RANK) ck_die(R, R->f, at, "too many indices");
    for (uint32_t i = l ? l->n - take : 0; l && i < l->n; i++, n++)
      group[n] = ck_group(R, l->dim[i]), ix[n] = adapt && ck_is_one(R, t->dim[n]) && !ck_is_one(R, l->dim[i]) ? ck_int(R->T, 0) : l->ix[i];
    if (!l) group[n] = CK_BAD, ix[n++] = ck_integer(R, c);
  } while (ck_list_goes_on(R, "]"));
  return n;
}

static ck_id access(ck_reader *R, ck_call *c) {
  const ck_tok *at = ck_cur(R);
  const char *s = ck_new_name(R);
  ck_id ix[CK_MAX_RANK], group[CK_MAX_RANK];
  for (uint32_t i = 0; c && i < c->let; i++)
    if (ck_tok_is(&c->op->f->tok[c->op->let[i]], s)) {
      uint32_t n = indices(R, c, NULL, ix, group);
      return ck_read_let(R, c, i, ix, group, n);
    }
  for (uint32_t i = 0; c && i < c->n_args; i++)
    if (!strcmp(c->arg_name[i], s)) {
      const ck_tensor *t = c->arg[i];
      if (indices(R, c, t, ix, group) != t->rank) ck_die_word(R, at, "wrong number of indices for", s);
      for (uint32_t j = 0; j < t->rank; j++)
        if (group[j] != ck_group(R, t->dim[j])) ck_die_word(R, at, "the index of a group of axes goes only where the whole group is:", s);
      for (uint32_t j = 0; j < t->rank; j++) ck_require_index(R, ix[j], t->dim[j]);
      return ck_at_index(R, t, ix);
    }
  ck_die_word(R, at, "no tensor or earlier definition is called", s);
}

static ck_id atom(ck_reader *R, ck_call *c) {
  const ck_tok *next = ck_peek(R, 1);
  bool reduces = ck_at(R, "sum") || ck_at(R, "prod") || ck_at(R, "max") || ck_at(R, "min");
  if (++R->work > CK_MAX_WORK) ck_die_at(R, "the operator takes more than %d steps to expand", CK_MAX_WORK);
  if (ck_cur(R)->kind == CK_T_NUM && (c || ck_cur(R)->whole)) return ck_number(R);
  if (c && ck_accept(R, "if")) return conditional(R, c);
  if (c && reduces && ck_tok_is(next, "(") && ck_peek(R, 2)->kind == CK_T_NAME && ck_tok_is(ck_peek(R, 3), "<")) return reduction(R, c);
  if (ck_tok_is(next, "(") && ck_cur(R)->kind == CK_T_NAME) return function(R, c);
  if (ck_tok_is(next, "[") && ck_cur(R)->kind == CK_T_NAME && c) return access(R, c);
  if (!ck_accept(R, "(")) return ck_cur(R)->kind == CK_T_NUM ? (ck_small_int(R), CK_BAD) : name(R, c);
  ck_id t = ck_scalar(R, c);
  return ck_expect(R, ")"), t;
}

static ck_id unary(ck_reader *R, ck_call *c) {
  ck_enter(R);
  ck_id t = ck_accept(R, "-") ? ck_minus(R, unary(R, c)) : atom(R, c);
  return R->depth--, t;
}

static ck_id product(ck_reader *R, ck_call *c) {
  ck_id a = unary(R, c), zero = ck_int(R->T, 0);
  while (ck_at(R, "*") || (c && ck_at(R, "/")) || ck_at(R, "div") || ck_at(R, "mod")) {
    const ck_tok *at = &R->f->tok[R->at++];
    ck_id b = unary(R, c);
    if (*at->s == '*') a = ck_times(R, a, b);
    else if (*at->s == '/') ck_require(R, CK_NE, b, zero), a = ck_two(R, CK_MUL, a, ck_ok(R, ck_mk1(R->T, CK_INV, b)));
    else {
      if (!ck_is_int(R->T, a) || !ck_is_int(R->T, b)) ck_die(R, R->f, at, "div and mod are for integers");
      ck_require(R, CK_LT, zero, b), a = ck_divmod(R, *at->s == 'd' ? CK_DIV : CK_MOD, a, b);
    }
  }
  return a;
}

ck_id ck_scalar(ck_reader *R, ck_call *c) {
  ck_id a = product(R, c);
  for (bool less; (less = ck_at(R, "-")) || ck_at(R, "+");) {
    R->at++;
    ck_id b = product(R, c);
    a = ck_plus(R, a, less ? ck_minus(R, b) : b);
  }
  return a;
}

ck_id ck_integer(ck_reader *R, ck_call *c) {
  const ck_tok *at = ck_cur(R);
  if (!c) R->work = 0;
  ck_id n = ck_scalar(R, c);
  if (!ck_is_int(R->T, n)) ck_die(R, R->f, at, "not an integer");
  return n;
}
