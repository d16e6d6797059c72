/* What a call of an operator denotes (semantics/SEMANTICS.md section 2): extents, the element term at index variables $i0.., and the
 * call's obligations.  The variables that this file makes have names with $, which no file can spell. */
#include "ck_read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { const char *name; ck_id val; } bind;
typedef struct { const char *name; uint32_t n; ck_id dim[CK_MAX_RANK], ix[CK_MAX_RANK]; bool at; } list; /* at: ix holds indices */
typedef struct {
  ck_op_def *op;
  ck_tensor *const *arg;
  bind b[CK_MAX_BINDS]; uint32_t nb, n_fixed; /* the first n_fixed are sizes and attributes, the others indices */
  list l[CK_MAX_DIMS]; uint32_t nl;
  uint32_t let;                               /* the definition being evaluated */
} call;
typedef struct kont { const ck_sx *cond, *leaf; const struct kont *yes, *no; } kont;

static ck_id eval(ck_reader *R, call *c, const ck_sx *e);
static ck_id eval_rel(ck_reader *R, call *c, const ck_sx *e);

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

ck_id ck_loop_var(ck_reader *R) { return ck_ok(R, ck_var(R->T, "$l", 'i')); }

/* --- arithmetic */
ck_id ck_two(ck_reader *R, ck_op op, ck_id a, ck_id b) { return ck_ok(R, ck_mk2(R->T, op, a, b)); }
static bool is_const(ck_reader *R, ck_id a, long v) { return ck_head(R->T, a) == CK_Q && mpq_cmp_si(*ck_q_value(R->T, a), v, 1) == 0; }
static bool both_q(ck_reader *R, ck_id a, ck_id b) { return ck_head(R->T, a) == CK_Q && ck_head(R->T, b) == CK_Q; }

/* of two constants; div and mod of integers */
static ck_id fold2(ck_reader *R, ck_op op, ck_id a, ck_id b) {
  mpq_t x, y;
  mpq_init(x), mpq_init(y);
  ck_get_q(R->T, a, x), ck_get_q(R->T, b, y);
  if (op == CK_ADD) mpq_add(x, x, y);
  else if (op == CK_MUL) mpq_mul(x, x, y);
  else (op == CK_DIV ? mpz_fdiv_q : mpz_fdiv_r)(mpq_numref(x), mpq_numref(x), mpq_numref(y));
  ck_id t = ck_q(R->T, x);
  mpq_clear(x), mpq_clear(y);
  return ck_ok(R, t);
}

ck_id ck_plus(ck_reader *R, ck_id a, ck_id b) {
  if (!ck_is_int(R->T, a) || !ck_is_int(R->T, b)) return ck_two(R, CK_ADD, a, b);
  return both_q(R, a, b) ? fold2(R, CK_ADD, a, b) : is_const(R, a, 0) ? b : is_const(R, b, 0) ? a : ck_two(R, CK_ADD, a, b);
}

ck_id ck_times(ck_reader *R, ck_id a, ck_id b) {
  if (both_q(R, a, b)) return fold2(R, CK_MUL, a, b);
  if (!ck_is_int(R->T, a) || !ck_is_int(R->T, b)) return ck_two(R, CK_MUL, a, b);
  return is_const(R, a, 1) || is_const(R, b, 0) ? b : is_const(R, b, 1) || is_const(R, a, 0) ? a : ck_two(R, CK_MUL, a, b);
}

ck_id ck_divmod(ck_reader *R, ck_op op, ck_id a, ck_id b) {
  bool ints = ck_is_int(R->T, a) && ck_is_int(R->T, b);
  if (ints && is_const(R, b, 1)) return op == CK_DIV ? a : ck_int(R->T, 0);
  return ints && both_q(R, a, b) && mpq_sgn(*ck_q_value(R->T, b)) > 0 ? fold2(R, op, a, b) : ck_two(R, op, a, b);
}

static ck_id minus(ck_reader *R, ck_id a) { return ck_times(R, ck_int(R->T, -1), a); }

/* if a <= b then yes else no; the larger of the two */
static ck_id if_le(ck_reader *R, ck_id a, ck_id b, ck_id yes, ck_id no) { return ck_ok(R, ck_ite(R->T, ck_two(R, CK_LE, a, b), yes, no)); }
ck_id ck_larger(ck_reader *R, ck_id a, ck_id b) { return if_le(R, a, b, b, a); }
ck_id ck_put(ck_reader *R, ck_id t, ck_id var, ck_id val) { return ck_ok(R, ck_sub(R->T, t, &var, &val, 1, NULL, 0)); }

ck_id ck_fold1(ck_reader *R, ck_id var, ck_id n, ck_id s, ck_id init, ck_id step) {
  ck_id kid[3] = {n, init, ck_ok(R, ck_close(R->T, step, (ck_id[]){var, s}, 2))};
  return ck_ok(R, ck_fold(R->T, 0, 1, kid));
}

bool ck_same(ck_reader *R, ck_id a, ck_id b) {
  const ck_poly *p = ck_poly_of(R->T, a), *q = ck_poly_of(R->T, b);
  if (!p || !q) ck_die_at(R, "size expression too large");
  return ck_poly_eq(p, q);
}

bool ck_is_group(const ck_reader *R, ck_id dim) {
  return ck_head(R->T, dim) == CK_V && !strncmp(ck_word_text(R->T, ck_name(R->T, dim)), "..", 2);
}

/* axes that meet: a group meets only itself, since equal products of extents are not equal extents */
static void meet(ck_reader *R, const call *c, ck_id a, ck_id b) {
  if (a != b && (ck_is_group(R, a) || ck_is_group(R, b))) ck_die_at(R, "%s: a group of axes can only meet itself", c->op->name);
}

bool ck_is_one(ck_reader *R, ck_id a) { return ck_same(R, a, ck_int(R->T, 1)); }

ck_id ck_at_index(ck_reader *R, const ck_tensor *t, const ck_id *ix) {
  ck_id var[CK_MAX_RANK];
  for (uint32_t i = 0; i < t->rank; i++) var[i] = ck_ix(R, 'i', i);
  return ck_ok(R, ck_sub(R->T, t->elem, var, ix, t->rank, NULL, 0));
}

/* --- obligations */
static bool implied(ck_reader *R, ck_id rel, ck_id by) {
  if (rel == by) return true;
  if (ck_head(R->T, rel) != ck_head(R->T, by)) return false;
  for (uint32_t i = 0; i < 2; i++) if (!ck_is_int(R->T, ck_kid(R->T, rel, i)) || !ck_is_int(R->T, ck_kid(R->T, by, i))) return false;
  const ck_poly *p = ck_poly_val(R->T, rel), *q = ck_poly_val(R->T, by);
  return p && q && ck_poly_eq(p, q);
}

/* whether a relation between constants holds: 1 or 0; -1 if it is not between constants */
int ck_truth(ck_reader *R, ck_id rel) {
  mpq_t v;
  mpq_init(v);
  const ck_poly *p = ck_poly_val(R->T, rel);
  bool known = p && ck_poly_const(p, v);
  int s = known ? mpq_sgn(v) : 0;
  ck_op op = ck_head(R->T, rel);
  mpq_clear(v);
  return !known ? -1 : op == CK_EQ ? s == 0 : op == CK_NE ? s != 0 : op == CK_LE ? s >= 0 : s > 0;
}

bool ck_trivial(ck_reader *R, ck_id rel, const ck_id *cond, uint32_t n_conds) {
  int truth = ck_truth(R, rel);
  if (truth >= 0) return truth;
  for (uint32_t i = 0; i < R->n_rels; i++) if (implied(R, rel, R->rel[i].rel)) return true;
  for (uint32_t i = 0; i < R->n_conds; i++) if (implied(R, rel, R->cond[i])) return true;
  for (uint32_t i = 0; i < n_conds; i++) if (implied(R, rel, cond[i])) return true;
  return false;
}

void ck_die_showing(ck_reader *R, const ck_file *f, const ck_tok *t, const char *what, ck_id rel) {
  char *s = ck_show(R->T, rel), text[200];
  snprintf(text, sizeof text, "%s", s);
  free(s);
  ck_die(R, f, t, "%s %s", what, text);
}

void ck_require(ck_reader *R, ck_id rel) {
  ck_ok(R, rel);
  if (ck_trivial(R, rel, NULL, 0)) return;
  if (!R->n_conds && ck_truth(R, rel) >= 0) ck_die_showing(R, R->at_file, R->at_tok, "needed here, but false:", rel);
  if (R->side->n_obligs == CK_MAX_OBLIGATIONS) ck_die_at(R, "more than %d obligations", CK_MAX_OBLIGATIONS);
  ck_oblig *o = &R->side->oblig[R->side->n_obligs++];
  o->n_vars = R->n_ivars, o->n_conds = R->n_conds, o->rel = rel;
  o->var = ck_keep(R, (o->n_vars + 1) * sizeof *o->var);
  o->cond = ck_keep(R, (o->n_conds + 1) * sizeof *o->cond);
  memcpy(o->var, R->ivar, o->n_vars * sizeof *o->var);
  memcpy(o->cond, R->cond, o->n_conds * sizeof *o->cond);
}

void ck_require_eq(ck_reader *R, ck_id a, ck_id b) { if (!ck_same(R, a, b)) ck_require(R, ck_two(R, CK_EQ, a, b)); }

/* sums of products of size symbols with coefficients >= 0 are plainly >= 0 */
void ck_require_extent(ck_reader *R, ck_id a) {
  const ck_poly *p = ck_poly_of(R->T, a);
  if (!p) ck_die_at(R, "size expression too large");
  bool plain = true;
  for (uint32_t i = 0; i < ck_poly_len(p) && plain; i++) {
    ck_mono m = ck_poly_mono(p, i);
    plain = mpq_sgn(*ck_poly_coef(p, i)) >= 0;
    for (uint32_t j = 0; j < m.deg; j++) {
      uint32_t k = 0;
      while (k < R->n_sizes && R->size[k].var != m.atoms[j]) k++;
      plain = plain && k < R->n_sizes && R->size[k].least >= 0; /* integers that rules declare have no least value */
    }
  }
  if (!plain) ck_require(R, ck_two(R, CK_LE, ck_int(R->T, 0), a));
}

static void push_cond(ck_reader *R, ck_id rel) {
  if (R->n_conds == CK_MAX_CONDS) ck_die_at(R, "more than %d conditions at once", CK_MAX_CONDS);
  R->cond[R->n_conds++] = ck_ok(R, rel);
}

static void push_index(ck_reader *R, ck_id var, ck_id extent) {
  push_cond(R, ck_two(R, CK_LE, ck_int(R->T, 0), var));
  push_cond(R, ck_two(R, CK_LT, var, extent));
  R->ivar[R->n_ivars++] = var;
}

void ck_require_all(ck_reader *R, const ck_tensor *t, ck_id rel) {
  for (uint32_t i = 0; i < t->rank; i++) push_index(R, ck_ix(R, 'i', i), t->dim[i]);
  ck_require(R, rel);
  R->n_conds = 0, R->n_ivars = 0;
}

/* --- names */
static list *find_list(call *c, const char *name) {
  for (uint32_t i = 0; i < c->nl; i++) if (!strcmp(c->l[i].name, name)) return &c->l[i];
  return NULL;
}

static bind *find_bind(call *c, const char *name) {
  for (uint32_t i = 0; i < c->nb; i++) if (!strcmp(c->b[i].name, name)) return &c->b[i];
  return NULL;
}

/* place of a size that the file being read can see; n_sizes: none */
uint32_t ck_visible_size(const ck_reader *R, const char *name) {
  uint32_t i = 0;
  while (i < R->n_sizes && strcmp(R->size[i].name, name)) i++;
  if (i == R->n_sizes) return i;
  return (R->side->cand ? R->size[i].in_cand || ((R->side->mug || R->rule) && R->size[i].in_spec) : R->size[i].in_spec) ? i : R->n_sizes;
}

static _Noreturn void die_sx(ck_reader *R, const call *c, const ck_sx *e, const char *what, const char *name) {
  ck_die(R, c ? c->op->f : R->f, e->at, "%s%s%s", what, name ? " " : "", name ? name : "");
}

static void add_bind(ck_reader *R, call *c, const char *name, ck_id val) {
  bool taken = find_bind(c, name) != NULL;
  for (uint32_t i = 0; i < c->op->n_args; i++) taken = taken || !strcmp(c->op->arg[i].name, name);
  if (taken) ck_die(R, c->op->f, c->op->tok, "operator %s: %s has two meanings", c->op->name, name);
  if (c->nb == CK_MAX_BINDS) ck_die(R, c->op->f, c->op->tok, "more than %d names", CK_MAX_BINDS);
  c->b[c->nb++] = (bind){name, val};
}

static list *add_list(ck_reader *R, call *c, const char *name, uint32_t n, const ck_id *dim) {
  if (c->nl == CK_MAX_DIMS) ck_die(R, c->op->f, c->op->tok, "more than %d lists of axes", CK_MAX_DIMS);
  list *l = &c->l[c->nl++];
  *l = (list){.name = name, .n = n};
  memcpy(l->dim, dim, n * sizeof *dim);
  return l;
}

/* --- scalars */
static ck_id reduce(ck_reader *R, call *c, const ck_sx *e) {
  ck_terms *T = R->T;
  ck_id n = eval(R, c, e->kid), s = ck_var(T, "$s", 'r');
  if (!ck_is_int(T, n)) die_sx(R, c, e->kid, "the bound is not an integer", NULL);
  if (e->kind == 'X' || e->kind == 'N') ck_require(R, ck_two(R, CK_LT, ck_int(T, 0), n));
  uint32_t nb = c->nb, n_conds = R->n_conds;
  ck_id k = ck_ix(R, 'k', R->level++);
  add_bind(R, c, e->name, k);
  push_index(R, k, n);
  ck_id f = eval(R, c, e->kid->next), zero = ck_int(T, 0);
  c->nb = nb, R->n_conds = n_conds, R->n_ivars--, R->level--;
  if (e->kind == 'S') return ck_fold1(R, k, n, s, zero, ck_two(R, CK_ADD, s, f));
  if (e->kind == 'P') return ck_fold1(R, k, n, s, ck_int(T, 1), ck_two(R, CK_MUL, s, f));
  return ck_fold1(R, k, n, s, ck_put(R, f, k, zero), e->kind == 'X' ? ck_larger(R, s, f) : if_le(R, s, f, s, f));
}

static ck_id branch(ck_reader *R, call *c, const ck_sx *cond, const kont *yes, const kont *no);

static ck_id run(ck_reader *R, call *c, const kont *k) { return k->cond ? branch(R, c, k->cond, k->yes, k->no) : eval(R, c, k->leaf); }

static ck_id branch(ck_reader *R, call *c, const ck_sx *cond, const kont *yes, const kont *no) {
  kont inner = {.cond = cond->kid->next, .yes = yes, .no = no};
  if (cond->kind == '&') return branch(R, c, cond->kid, &inner, no);
  if (cond->kind == '|') return branch(R, c, cond->kid, yes, &inner);
  if (cond->kind == '!') return branch(R, c, cond->kid, no, yes);
  ck_id rel = eval_rel(R, c, cond), value[2];
  for (int i = 0; i < 2; i++) {
    push_cond(R, i ? ck_neg(R->T, rel) : rel);
    value[i] = run(R, c, i ? no : yes);
    R->n_conds--;
  }
  return ck_ok(R, ck_ite(R->T, rel, value[0], value[1]));
}

static ck_id function(ck_reader *R, call *c, const ck_sx *e) {
  static const struct { const char *name; uint32_t n; ck_op op; } known[] = {
      {"exp", 1, CK_EXP}, {"log", 1, CK_LOG}, {"sqrt", 1, CK_SQRT}, {"inv", 1, CK_INV}, {"abs", 1, CK_ITE}, {"max", 2, CK_ITE}, {"min", 2, CK_ITE}};
  ck_id a[CK_MAX_ARGS];
  uint32_t n = 0;
  char sig[CK_MAX_ARGS + 3], name[CK_MAX_NAME + 8];
  for (const ck_sx *k = e->kid; k; k = k->next) {
    if (n == CK_MAX_ARGS) die_sx(R, c, e, "too many arguments", NULL);
    sig[n] = 'r', a[n++] = eval(R, c, k);
  }
  memcpy(sig + n, ":r", 3);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(known[i].name, e->name)) {
      if (n != known[i].n) die_sx(R, c, e, "wrong number of arguments for", e->name);
      if (known[i].op != CK_ITE) return ck_ok(R, ck_mk1(R->T, known[i].op, a[0]));
      if (n == 1) return if_le(R, ck_int(R->T, 0), a[0], a[0], minus(R, a[0]));
      return e->name[1] == 'a' ? ck_larger(R, a[0], a[1]) : if_le(R, a[0], a[1], a[0], a[1]);
    }
  ck_func_def *g = ck_find_func(R, e->name);
  if (!g) die_sx(R, c, e, "no function is called", e->name);
  if (n != g->n) die_sx(R, c, e, "wrong number of arguments for", e->name);
  uint32_t i = 0;
  while (i < c->op->n_fn && c->op->fn[i] != g) i++;
  if (i == CK_MAX_LETS) die_sx(R, c, e, "too many functions in one operator", NULL);
  if (i == c->op->n_fn) c->op->fn[c->op->n_fn++] = g;
  g->used = true;
  snprintf(name, sizeof name, "func.%s", g->name);
  return ck_ok(R, ck_app(R->T, name, sig, a, n));
}

/* the indices of an access; those of ~list are adapted to the extents of the tensor (NULL: a definition, which has none) */
static uint32_t indices(ck_reader *R, call *c, const ck_sx *e, const ck_tensor *t, ck_id *ix) {
  uint32_t n = 0, others = 0;
  for (const ck_sx *k = e->kid; k; k = k->next) {
    const list *l = k->kind == 's' ? NULL : find_list(c, k->name ? k->name : "");
    others += k->kind == 'L' && l ? l->n : k->kind != 'T';
  }
  for (const ck_sx *k = e->kid; k; k = k->next) {
    if (k->kind != 'L' && k->kind != 'T') {
      if (n == CK_MAX_RANK) die_sx(R, c, e, "too many indices", NULL);
      ix[n] = eval(R, c, k);
      if (!ck_is_int(R->T, ix[n])) die_sx(R, c, k, "this index is not an integer", NULL);
      n++;
      continue;
    }
    const list *l = find_list(c, k->name);
    if (!l || !l->at) die_sx(R, c, k, "no indices are bound to", k->name);
    uint32_t take = l->n;
    if (k->kind == 'T') {
      if (!t) die_sx(R, c, k, "a definition cannot be read with ~", NULL);
      if (t->rank < others || t->rank - others > l->n) die_sx(R, c, k, "the tensor has too few or too many axes for ~", k->name);
      take = t->rank - others, others = t->rank; /* at most one ~: a second one takes nothing */
    }
    for (uint32_t i = l->n - take; i < l->n; i++) {
      if (n == CK_MAX_RANK) die_sx(R, c, e, "too many indices", NULL);
      bool one = k->kind == 'T' && ck_is_one(R, t->dim[n]) && !ck_is_one(R, l->dim[i]);
      ix[n++] = one ? ck_int(R->T, 0) : l->ix[i];
    }
  }
  return n;
}

static ck_id read_let(ck_reader *R, call *c, const ck_sx *e, uint32_t which) {
  const ck_let *let = &c->op->let[which];
  ck_id ix[CK_MAX_RANK];
  uint32_t n = indices(R, c, e, NULL, ix), at = 0;
  call inner = *c;
  inner.nb = c->n_fixed, inner.let = which;
  for (uint32_t i = 0; i < inner.nl; i++) inner.l[i].at = false;
  for (uint32_t i = 0; i < let->n; i++) {
    list *l = let->ix[i].list ? find_list(&inner, let->ix[i].name) : NULL;
    uint32_t take = l ? l->n : 1;
    if (let->ix[i].list && (!l || l->at)) die_sx(R, c, e, "definition over an unknown or repeated list", let->ix[i].name);
    if (at + take > n) die_sx(R, c, e, "too few indices for", let->name);
    if (l) memcpy(l->ix, ix + at, take * sizeof *ix), l->at = true;
    else add_bind(R, &inner, let->ix[i].name, ix[at]);
    at += take;
  }
  if (at != n) die_sx(R, c, e, "too many indices for", let->name);
  return eval(R, &inner, let->body);
}

static ck_id access(ck_reader *R, call *c, const ck_sx *e) {
  ck_id ix[CK_MAX_RANK];
  for (uint32_t i = 0; i < c->let; i++) if (!strcmp(c->op->let[i].name, e->name)) return read_let(R, c, e, i);
  for (uint32_t i = 0; i < c->op->n_args; i++)
    if (!strcmp(c->op->arg[i].name, e->name)) {
      const ck_tensor *t = c->arg[i];
      if (indices(R, c, e, t, ix) != t->rank) die_sx(R, c, e, "wrong number of indices for", e->name);
      for (uint32_t j = 0; j < t->rank; j++) {
        ck_require(R, ck_two(R, CK_LE, ck_int(R->T, 0), ix[j]));
        ck_require(R, ck_two(R, CK_LT, ix[j], t->dim[j]));
      }
      return ck_at_index(R, t, ix);
    }
  die_sx(R, c, e, "no tensor or earlier definition is called", e->name);
}

/* c NULL: a size expression of a program */
static ck_id eval(ck_reader *R, call *c, const ck_sx *e) {
  if (++R->work > CK_MAX_WORK) ck_die_at(R, "the operator takes more than %d steps to expand", CK_MAX_WORK);
  const ck_sx *x = e->kid, *y = x ? x->next : NULL;
  bind *b;
  ck_id a;
  switch (e->kind) {
  case 'n': return e->num;
  case 'v':
    if (!c) {
      uint32_t i = ck_visible_size(R, e->name);
      if (i == R->n_sizes) die_sx(R, c, e, "no size is called", e->name);
      return R->size[i].var;
    }
    b = find_bind(c, e->name);
    if (!b) die_sx(R, c, e, "no size, attribute or index is called", e->name);
    return b->val;
  case '_': return minus(R, eval(R, c, x));
  case '+': return a = eval(R, c, x), ck_plus(R, a, eval(R, c, y));
  case '-': return a = eval(R, c, x), ck_plus(R, a, minus(R, eval(R, c, y)));
  case '*': return a = eval(R, c, x), ck_times(R, a, eval(R, c, y));
  case '/': return a = eval(R, c, x), ck_two(R, CK_MUL, a, ck_ok(R, ck_mk1(R->T, CK_INV, eval(R, c, y))));
  case 'd':
  case 'm': {
    a = eval(R, c, x);
    ck_id m = eval(R, c, y);
    if (!ck_is_int(R->T, a) || !ck_is_int(R->T, m)) die_sx(R, c, e, "div and mod are for integers", NULL);
    ck_require(R, ck_two(R, CK_LT, ck_int(R->T, 0), m));
    return ck_divmod(R, e->kind == 'd' ? CK_DIV : CK_MOD, a, m);
  }
  case 'S': case 'P': case 'X': case 'N': return reduce(R, c, e);
  case '?': return branch(R, c, x, &(kont){.leaf = y}, &(kont){.leaf = y->next});
  case 'c': return function(R, c, e);
  case 'a': return access(R, c, e);
  default: die_sx(R, c, e, "not understood", NULL);
  }
}

static ck_id eval_rel(ck_reader *R, call *c, const ck_sx *e) {
  ck_op op = e->kind == '=' ? CK_EQ : e->kind == '#' ? CK_NE : e->kind == '<' ? CK_LT : CK_LE;
  ck_id a = eval(R, c, e->kid), b = eval(R, c, e->kid->next);
  return ck_two(R, op, a, b);
}

static ck_id eval_int(ck_reader *R, call *c, const ck_sx *e) {
  ck_id n = eval(R, c, e);
  if (!ck_is_int(R->T, n)) die_sx(R, c, e, "not an integer", NULL);
  return n;
}

ck_id ck_eval_size(ck_reader *R, const ck_sx *e) { return R->work = 0, eval_int(R, NULL, e); }
ck_id ck_eval_rel(ck_reader *R, const ck_sx *e) { return R->work = 0, eval_rel(R, NULL, e); }

/* --- calls */
static void bind_attributes(ck_reader *R, call *c, const ck_attr_val *attr, uint32_t n) {
  const ck_op_def *op = c->op;
  for (uint32_t j = 0; j < n; j++) {
    uint32_t i = 0;
    while (i < op->n_attrs && strcmp(op->attr[i], attr[j].name)) i++;
    if (i == op->n_attrs) ck_die(R, R->at_file, attr[j].at, "%s has no attribute %s", op->name, attr[j].name);
    for (uint32_t k = 0; k < j; k++) if (!strcmp(attr[k].name, attr[j].name)) ck_die(R, R->at_file, attr[j].at, "attribute given twice");
  }
  for (uint32_t i = 0; i < op->n_attrs; i++) {
    ck_id v = op->dflt[i];
    for (uint32_t j = 0; j < n; j++) if (!strcmp(op->attr[i], attr[j].name)) v = attr[j].val;
    if (v == CK_BAD) ck_die_at(R, "%s needs the attribute %s", op->name, op->attr[i]);
    add_bind(R, c, op->attr[i], v);
  }
}

/* number of axes that ..a@e takes; negative e counts from the end */
static uint32_t list_count(ck_reader *R, call *c, const ck_dim *d, const ck_tensor *t) {
  ck_id e = eval_int(R, c, d->size);
  long rank = t->rank, v = -rank, n;
  while (v <= rank && !is_const(R, e, v)) v++;
  if (v > rank) ck_die_at(R, "%s: the axis must be a number that fits a tensor of %ld axes", c->op->name, rank);
  n = v < 0 ? v + rank : v;
  for (long i = v < 0 ? n : 0; i < (v < 0 ? rank : n); i++) /* the axes counted */
    if (ck_is_group(R, t->dim[i])) ck_die_at(R, "%s: an axis number cannot count across a group of axes", c->op->name);
  return (uint32_t)n;
}

static void match_list(ck_reader *R, call *c, const char *name, uint32_t n, const ck_id *dim) {
  list *l = find_list(c, name);
  if (!l) { add_list(R, c, name, n, dim); return; }
  if (l->n != n) ck_die_at(R, "%s: ..%s stands for %u axes and for %u", c->op->name, name, l->n, n);
  for (uint32_t i = 0; i < n; i++) meet(R, c, l->dim[i], dim[i]), ck_require_eq(R, l->dim[i], dim[i]);
}

static void match_arg(ck_reader *R, call *c, const ck_targ *p, const ck_tensor *t) {
  uint32_t take[CK_MAX_DIMS], used = 0, rest = CK_MAX_DIMS, at = 0;
  for (uint32_t i = 0; i < p->n; i++) {
    const ck_dim *d = &p->dim[i];
    const list *known = d->kind == 'l' && !d->size ? find_list(c, d->name) : NULL;
    take[i] = d->kind == 's' ? 1 : d->size ? list_count(R, c, d, t) : known ? known->n : 0;
    used += take[i];
    if (d->kind == 'l' && !d->size && !known) {
      if (rest != CK_MAX_DIMS) ck_die(R, c->op->f, c->op->tok, "two lists of unknown length in %s", p->name);
      rest = i;
    }
  }
  if (used > t->rank || (used < t->rank && rest == CK_MAX_DIMS))
    ck_die_at(R, "%s: argument %s cannot have %u axes", c->op->name, p->name, t->rank);
  if (rest != CK_MAX_DIMS) take[rest] = t->rank - used;
  for (uint32_t i = 0; i < p->n; i++) {
    const ck_dim *d = &p->dim[i];
    if (d->kind == 'l') match_list(R, c, d->name, take[i], t->dim + at);
    else if (ck_is_group(R, t->dim[at])) ck_die_at(R, "%s: a group of axes cannot be taken as one axis", c->op->name);
    else if (d->size->kind == 'v' && !find_bind(c, d->size->name)) add_bind(R, c, d->size->name, t->dim[at]);
    else ck_require_eq(R, eval_int(R, c, d->size), t->dim[at]);
    at += take[i];
  }
}

static list *broadcast(ck_reader *R, call *c, const ck_dim *d) {
  const list *a = find_list(c, d->b1), *b = find_list(c, d->b2);
  ck_id dim[CK_MAX_RANK];
  if (!a || !b || find_list(c, d->name)) ck_die(R, c->op->f, c->op->tok, "broadcast of unknown lists, or as a known one");
  uint32_t n = a->n > b->n ? a->n : b->n;
  for (uint32_t i = 1; i <= n; i++) {
    ck_id x = i <= a->n ? a->dim[a->n - i] : CK_BAD, y = i <= b->n ? b->dim[b->n - i] : CK_BAD;
    if (x != CK_BAD && y != CK_BAD) meet(R, c, x, y);
    if (x == CK_BAD || (y != CK_BAD && ck_is_one(R, x))) x = y, y = CK_BAD;
    if (y != CK_BAD && !ck_is_one(R, y)) ck_require_eq(R, x, y);
    dim[n - i] = x;
  }
  return add_list(R, c, d->name, n, dim);
}

/* extents of the result, and the index variables of out's left side */
static void result(ck_reader *R, call *c, ck_tensor *t) {
  const ck_op_def *op = c->op;
  const ck_let *out = &op->let[op->n_lets - 1];
  if (out->n != op->out.n) ck_die(R, op->f, op->tok, "%s: out has other axes than the result", op->name);
  for (uint32_t i = 0; i < out->n; i++) {
    const ck_dim *d = &op->out.dim[i];
    list *l = d->kind == 'l' ? find_list(c, d->name) : d->kind == 'b' ? broadcast(R, c, d) : NULL;
    if ((d->kind == 'l' && (!l || d->size)) || out->ix[i].list != (l != NULL) || (l && (l->at || strcmp(l->name, out->ix[i].name))))
      ck_die(R, op->f, op->tok, "%s: out's indices do not follow the result's axes", op->name);
    ck_id one = l ? CK_BAD : eval_int(R, c, d->size), *dim = l ? l->dim : &one;
    for (uint32_t k = 0; k < (l ? l->n : 1); k++) {
      if (t->rank == CK_MAX_RANK) ck_die_at(R, "%s: more than %d axes", op->name, CK_MAX_RANK);
      if (l) l->ix[k] = ck_ix(R, 'i', t->rank);
      t->dim[t->rank++] = dim[k];
    }
    if (l) l->at = true;
  }
  for (uint32_t i = 0; i < t->rank; i++) ck_require_extent(R, t->dim[i]);
}

ck_tensor *ck_call_op(ck_reader *R, const char *name, const ck_tok *at, ck_tensor *const *arg, uint32_t n_args, const ck_attr_val *attr, uint32_t n_attrs) {
  ck_op_def *op = ck_find_op(R, name);
  R->at_file = R->f, R->at_tok = at, R->work = 0;
  if (!op) ck_die(R, R->f, at, "no operator is called %s", name);
  if (n_args != op->n_args) ck_die(R, R->f, at, "%s takes %u tensors, not %u", name, op->n_args, n_args);
  op->used = true;
  call *c = ck_keep(R, sizeof *c);
  ck_tensor *t = ck_keep(R, sizeof *t);
  c->op = op, c->arg = arg, c->let = op->n_lets - 1;
  bind_attributes(R, c, attr, n_attrs);
  for (uint32_t i = 0; i < n_args; i++) match_arg(R, c, &op->arg[i], arg[i]);
  for (uint32_t i = 0; i < op->n_reqs; i++) ck_require(R, eval_rel(R, c, op->req[i]));
  result(R, c, t);
  c->n_fixed = c->nb;
  const ck_let *out = &op->let[op->n_lets - 1];
  for (uint32_t i = 0, k = 0; i < out->n; i++) {
    if (out->ix[i].list) k += find_list(c, out->ix[i].name)->n;
    else add_bind(R, c, out->ix[i].name, ck_ix(R, 'i', k++));
  }
  for (uint32_t i = 0; i < t->rank; i++) push_index(R, ck_ix(R, 'i', i), t->dim[i]);
  t->elem = eval(R, c, out->body);
  R->n_conds = 0, R->n_ivars = 0;
  for (uint32_t i = 0; i < n_args; i++) {
    t->varying = t->varying || arg[i]->varying || arg[i]->running;
    t->after = t->after || arg[i]->after;
  }
  return t;
}
