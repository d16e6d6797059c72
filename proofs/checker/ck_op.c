/* Operator specifications, and what a call of one denotes (semantics/SEMANTICS.md section 2): extents, the element term at index variables
 * $i0.., and the call's obligations.  A specification is read anew at each call, with what its names stand for there. */
#include "ck_read.h"
#include <stdlib.h>
#include <string.h>

struct ck_def { /* of an operator or a function */
  bool func, used, arbitrary; uint32_t n;          /* of a function: it has no definition; number of arguments */
  const ck_tok *name; const char *to;              /* the text begins before the name, with `op` or `func` */
  const ck_tok *let[CK_MAX_LETS]; uint32_t n_lets; /* definitions, the last one is out */
  ck_def *next;
};
/* A call of an operator: what its names stand for.  Names of tensors are entered as the arguments are matched.  In a size expression it is NULL. */
typedef struct { const char *name; uint32_t n; ck_id dim[CK_MAX_RANK], ix[CK_MAX_RANK]; bool at; } list; /* ..name; at: ix holds indices */
typedef struct {
  ck_def *op;
  ck_tensor *const *arg; const char *arg_name[CK_MAX_ARGS]; uint32_t n_args;
  struct { const char *name; ck_id val; } bind[CK_MAX_BINDS]; uint32_t nb, n_fixed; /* the first n_fixed are sizes and attributes, the others indices */
  list list[CK_MAX_DIMS]; uint32_t nl;
  uint32_t let; /* the definition being evaluated */
} call;
/* an axis of a shape: an extent (name: NULL), or a list ..name[@count]; at, end: place of the extent or count, NULL if there is none */
typedef struct { const char *name; const ck_tok *at, *end; } axis;

static ck_id scalar(ck_reader *R, call *c), product(ck_reader *R, call *c), integer(ck_reader *R, call *c);
static ck_id definition(ck_reader *R, const call *c, uint32_t which, const axis *d, uint32_t n_axes, const ck_id *ix, const ck_id *groups, uint32_t n);

/* --- names */
static ck_def *find_def(const ck_reader *R, const char *name, bool func) {
  for (ck_def *d = R->defs;; d = d->next) if (!d || (d->func == func && !strcmp(d->name->s, name))) return d;
}

static list *find_list(call *c, const char *name) {
  for (uint32_t i = 0;; i++) if (i == c->nl || !strcmp(c->list[i].name, name)) return i < c->nl ? &c->list[i] : NULL;
}

static ck_id *find_bind(call *c, const char *name) {
  for (uint32_t i = 0;; i++) if (i == c->nb || !strcmp(c->bind[i].name, name)) return i < c->nb ? &c->bind[i].val : NULL;
}

/* the name has no meaning yet in this operator */
static void fresh(ck_reader *R, call *c, const char *name) {
  bool taken = find_bind(c, name) != NULL;
  for (uint32_t i = 0; i < c->n_args; i++) taken = taken || !strcmp(c->arg_name[i], name);
  for (uint32_t i = 0; i < c->op->n_lets; i++) taken = taken || ck_tok_is(c->op->let[i], name);
  if (taken || c->nb == CK_MAX_BINDS) ck_die(R, c->op->name, taken ? "%s has two meanings" : "%s is one name too many", name);
}

static void add_bind(ck_reader *R, call *c, const char *name, ck_id val) { fresh(R, c, name), c->bind[c->nb].name = name, c->bind[c->nb++].val = val; }

static ck_id named(ck_reader *R, call *c) {
  const ck_tok *at = R->at;
  const char *s = ck_new_name(R);
  uint32_t i = c ? 0 : ck_visible_size(R, s);
  ck_id *bound = c ? find_bind(c, s) : i < R->n_sizes ? &R->size[i].var : NULL;
  if (!bound) ck_die(R, at, c ? "no size, attribute or index is called %s" : "no size is called %s", s);
  return *bound;
}

/* A group of axes meets only itself: equal products of extents are not equal extents.  Its index goes only where the whole group is. */
ck_id ck_group(const ck_reader *R, ck_id dim) {
  return ck_head(R->T, dim) == CK_V && !strncmp(ck_word_text(R->T, ck_name(R->T, dim)), "..", 2) ? dim : CK_BAD;
}

static void meet(ck_reader *R, const call *c, ck_id a, ck_id b) {
  if (ck_group(R, a) != ck_group(R, b)) ck_die(R, R->stmt, "%s: a group of axes can only meet itself", c->op->name->s);
}

/* --- relations, and conditions: relations joined by `not`, `and`, `or`.  They choose what is evaluated next, so that each part is evaluated where
 * the parts before it are known. */
typedef struct kont { const ck_tok *from, *to; const struct kont *yes, *no; } kont; /* tokens of a condition, or of a value: yes is NULL */

ck_op ck_relop(ck_reader *R, bool *swap) {
  static const struct { const char *sign; ck_op op; bool swap; } rels[] = {
      {"=", CK_EQ, 0}, {"!=", CK_NE, 0}, {"<", CK_LT, 0}, {"<=", CK_LE, 0}, {">", CK_LT, 1}, {">=", CK_LE, 1}};
  size_t i = 0, n = sizeof rels / sizeof *rels;
  while (i < n && !ck_accept(R, rels[i].sign)) i++;
  if (i == n) ck_die(R, R->at, "relation expected: = != < <= > >=");
  return *swap = rels[i].swap, rels[i].op;
}

static ck_id relation(ck_reader *R, call *c) {
  bool swap;
  ck_id a = scalar(R, c);
  ck_op op = ck_relop(R, &swap);
  ck_id b = scalar(R, c);
  return ck_two(R, op, swap ? b : a, swap ? a : b);
}

static void ends(ck_reader *R, const ck_tok *to) { if (R->at != to) ck_die(R, R->at, "not understood here"); }

static ck_id choose(ck_reader *R, call *c, const kont *k) {
  const ck_tok *from = k->from, *to = k->to, *at;
  ck_id t, value[2];
  R->at = from, ck_enter(R);
  if (!k->yes) t = scalar(R, c), ends(R, to);
  else if ((at = ck_find("or", from, to)) < to) t = choose(R, c, &(kont){from, at, k->yes, &(kont){at + 1, to, k->yes, k->no}});
  else if ((at = ck_find("and", from, to)) < to) t = choose(R, c, &(kont){from, at, &(kont){at + 1, to, k->yes, k->no}, k->no});
  else if (ck_at(R, "not")) t = choose(R, c, &(kont){from + 1, to, k->no, k->yes});
  else if (ck_at(R, "(") && from->mate == to - 1) t = choose(R, c, &(kont){from + 1, to - 1, k->yes, k->no});
  else {
    ck_id rel = relation(R, c);
    ends(R, to);
    for (int i = 0; i < 2; i++) ck_push_cond(R, i ? ck_neg(R->T, rel) : rel), value[i] = choose(R, c, i ? k->no : k->yes), R->n_conds--;
    t = ck_if(R, rel, value[0], value[1]);
  }
  return R->depth--, t;
}

/* --- expressions */
static ck_id conditional(ck_reader *R, call *c) { /* if(condition, value, value) */
  ck_expect(R, "(");
  const ck_tok *from = R->at, *close = from[-1].mate, *yes = ck_find(",", from, close), *no = yes < close ? ck_find(",", yes + 1, close) : close;
  if (no == close) ck_die(R, R->at, "(condition, value, value) expected");
  ck_id t = choose(R, c, &(kont){from, yes, &(kont){yes + 1, no, NULL, NULL}, &(kont){no + 1, close, NULL, NULL}});
  return R->at = close + 1, t;
}

/* sum(k < n) body, and prod, max, min */
static ck_id reduction(ck_reader *R, call *c) {
  ck_terms *T = R->T;
  char kind = ck_at(R, "max") ? 'X' : *R->at->s; /* s p X m */
  R->at += 2;
  const char *k_name = ck_new_name(R);
  R->at++;
  ck_id n = integer(R, c), s = ck_var(T, "$s", 'r'), k = ck_ix(R, 'k', R->level++), zero = ck_int(T, 0);
  ck_expect(R, ")");
  if (kind == 'X' || kind == 'm') ck_require(R, CK_LT, zero, n);
  uint32_t nb = c->nb, n_conds = R->n_conds;
  add_bind(R, c, k_name, k), ck_push_index(R, k, n);
  ck_id f = product(R, c);
  c->nb = nb, R->n_conds = n_conds, R->n_ivars--, R->level--;
  if (kind == 's') return ck_fold1(R, k, n, s, zero, ck_two(R, CK_ADD, s, f));
  if (kind == 'p') return ck_fold1(R, k, n, s, ck_int(T, 1), ck_two(R, CK_MUL, s, f));
  return ck_fold1(R, k, n, s, ck_put(R, f, k, zero), kind == 'X' ? ck_larger(R, s, f) : ck_smaller(R, s, f));
}

static const struct { const char *name; uint32_t n; ck_op op; } known[] = {
    {"exp", 1, CK_EXP}, {"log", 1, CK_LOG}, {"sqrt", 1, CK_SQRT}, {"inv", 1, CK_INV}, {"abs", 1, CK_ITE}, {"max", 2, CK_ITE}, {"min", 2, CK_ITE}};
enum { N_KNOWN = sizeof known / sizeof *known };
static uint32_t place_of(const char *name) { uint32_t i = 0; while (i < N_KNOWN && strcmp(known[i].name, name)) i++; return i; }

/* the value of the body of a function, or NULL's: it has none and is any function of reals */
static ck_id body(ck_reader *R, ck_def *g, const ck_id *arg) {
  call inner = {.op = g};
  const ck_tok *back = R->at;
  ck_id t = CK_BAD;
  R->at = g->name + 2;
  for (uint32_t i = 0; i < g->n; i++, R->at++) add_bind(R, &inner, ck_new_name(R), arg[i]);
  if (ck_accept(R, "=")) t = scalar(R, &inner);
  return R->at = back, t;
}

/* a known function, one with a definition, or one that is any function of reals */
static ck_id function(ck_reader *R, call *c) {
  const ck_tok *at = R->at;
  const char *f = ck_call_name(R);
  ck_id a[CK_MAX_ARGS], zero = ck_int(R->T, 0);
  uint32_t n = 0, i = place_of(f);
  char sig[CK_MAX_ARGS + 3], app[CK_MAX_NAME + 8];
  R->at++;
  do {
    if (n == CK_MAX_ARGS) ck_die(R, at, "too many arguments for %s", f);
    sig[n] = 'r', a[n++] = scalar(R, c);
  } while (ck_list_goes_on(R, ")"));
  ck_def *g = i < N_KNOWN || !c ? NULL : find_def(R, f, true);
  if ((i == N_KNOWN && !g) || (!c && known[i].n != 2)) ck_die(R, at, "no function %sis called %s", c ? "" : "of sizes ", f);
  if (n != (g ? g->n : known[i].n)) ck_die(R, at, "wrong number of arguments for %s", f);
  if (!g) {
    if (known[i].op == CK_LOG) ck_require(R, CK_LT, zero, a[0]);
    if (known[i].op == CK_SQRT) ck_require(R, CK_LE, zero, a[0]);
    if (known[i].op == CK_INV) ck_require(R, CK_NE, a[0], zero);
    if (known[i].op != CK_ITE) return ck_ok(R, ck_mk1(R->T, known[i].op, a[0]));
    return n == 1 ? ck_if(R, ck_two(R, CK_LE, zero, a[0]), a[0], ck_minus(R, a[0])) : (f[1] == 'a' ? ck_larger : ck_smaller)(R, a[0], a[1]);
  }
  g->used = g->used || R->side;
  ck_id value = body(R, g, a);
  if (value != CK_BAD) return value;
  g->arbitrary = true;
  memcpy(sig + n, ":r", 3), snprintf(app, sizeof app, "func.%s", f);
  return ck_ok(R, ck_app(R->T, app, sig, a, n));
}

/* the indices of an access, in [ ]; those of ~list are adapted to the extents of the tensor (NULL: a definition, which has none) */
static uint32_t indices(ck_reader *R, call *c, const ck_tensor *t, ck_id *ix, ck_id *groups) {
  uint32_t n = 0, others = 0;
  for (const ck_tok *i = R->at + 1, *close = R->at->mate; i < close; i = ck_find(",", i, close) + 1) {
    const list *l = ck_tok_is(i, "..") ? find_list(c, i[1].s) : NULL;
    others += l ? l->n : !ck_tok_is(i, "~");
  }
  R->at++;
  if (ck_accept(R, "]")) return 0;
  do {
    bool adapt = ck_accept(R, "~"), is_list = adapt || ck_accept(R, "..");
    const ck_tok *at = R->at;
    const list *l = is_list ? find_list(c, ck_new_name(R)) : NULL;
    if (is_list && (!l || !l->at)) ck_die(R, at, "no indices are bound to %s", at->s);
    if (adapt && (!t || t->rank < others || t->rank - others > l->n)) ck_die(R, at, "the tensor has too few or too many axes for ~%s", at->s);
    uint32_t take = adapt ? t->rank - others : l ? l->n : 1;
    if (adapt) others = t->rank + 1; /* at most one ~ */
    if (n + take > CK_MAX_RANK) ck_die(R, at, "too many indices");
    for (uint32_t i = l ? l->n - take : 0; l && i < l->n; i++, n++)
      groups[n] = ck_group(R, l->dim[i]), ix[n] = adapt && ck_is_one(R, t->dim[n]) && !ck_is_one(R, l->dim[i]) ? ck_int(R->T, 0) : l->ix[i];
    if (!l) groups[n] = CK_BAD, ix[n++] = integer(R, c);
  } while (ck_list_goes_on(R, "]"));
  return n;
}

/* an element of an earlier definition, or of an argument */
static ck_id access(ck_reader *R, call *c) {
  const ck_tok *at = R->at;
  const char *s = ck_new_name(R);
  ck_id ix[CK_MAX_RANK], groups[CK_MAX_RANK];
  uint32_t let = 0, k = 0;
  while (let < c->let && !ck_tok_is(c->op->let[let], s)) let++;
  while (k < c->n_args && strcmp(c->arg_name[k], s)) k++;
  if (let == c->let && k == c->n_args) ck_die(R, at, "no tensor or earlier definition is called %s", s);
  const ck_tensor *t = let < c->let ? NULL : c->arg[k];
  uint32_t n = indices(R, c, t, ix, groups);
  if (!t) return definition(R, c, let, NULL, 0, ix, groups, n);
  if (n != t->rank) ck_die(R, at, "wrong number of indices for %s", s);
  for (uint32_t j = 0; j < n; j++)
    if (groups[j] != ck_group(R, t->dim[j])) ck_die(R, at, "the index of a group of axes goes only where the whole group is: %s", s);
  for (uint32_t j = 0; j < n; j++) ck_require(R, CK_LE, ck_int(R->T, 0), ix[j]), ck_require(R, CK_LT, ix[j], t->dim[j]);
  return ck_at_index(R, t, ix);
}

static ck_id atom(ck_reader *R, call *c) {
  const ck_tok *t = R->at;
  bool name = t->kind == CK_T_NAME, reduces = ck_at(R, "sum") || ck_at(R, "prod") || ck_at(R, "max") || ck_at(R, "min");
  if (++R->work > CK_MAX_WORK) ck_die(R, R->stmt, "the operator takes more than %d steps to expand", CK_MAX_WORK);
  if (t->kind == CK_T_NUM) return c || t->whole ? ck_number(R) : (ck_die(R, t, "whole number expected"), CK_BAD);
  if (c && ck_accept(R, "if")) return conditional(R, c);
  if (c && reduces && ck_tok_is(t + 1, "(") && t[2].kind == CK_T_NAME && ck_tok_is(t + 3, "<")) return reduction(R, c);
  if (name && ck_tok_is(t + 1, "(")) return function(R, c);
  if (name && ck_tok_is(t + 1, "[") && c) return access(R, c);
  if (!ck_accept(R, "(")) return named(R, c);
  ck_id x = scalar(R, c);
  return ck_expect(R, ")"), x;
}

static ck_id unary(ck_reader *R, call *c) {
  ck_enter(R);
  ck_id t = ck_accept(R, "-") ? ck_minus(R, unary(R, c)) : atom(R, c);
  return R->depth--, t;
}

static ck_id product(ck_reader *R, call *c) {
  ck_id a = unary(R, c), zero = ck_int(R->T, 0);
  while (ck_at(R, "*") || (c && ck_at(R, "/")) || ck_at(R, "div") || ck_at(R, "mod")) {
    const ck_tok *at = R->at++;
    ck_id b = unary(R, c);
    if (*at->s == '*') a = ck_calc(R, CK_MUL, a, b);
    else if (*at->s == '/') ck_require(R, CK_NE, b, zero), a = ck_two(R, CK_MUL, a, ck_ok(R, ck_mk1(R->T, CK_INV, b)));
    else {
      if (!ck_is_int(R->T, a) || !ck_is_int(R->T, b)) ck_die(R, at, "div and mod are for integers");
      ck_require(R, CK_LT, zero, b), a = ck_calc(R, *at->s == 'd' ? CK_DIV : CK_MOD, a, b);
    }
  }
  return a;
}

static ck_id scalar(ck_reader *R, call *c) {
  ck_id a = product(R, c);
  for (bool less; (less = ck_at(R, "-")) || ck_at(R, "+");) {
    R->at++;
    ck_id b = product(R, c);
    a = ck_calc(R, CK_ADD, a, less ? ck_minus(R, b) : b);
  }
  return a;
}

static ck_id integer(ck_reader *R, call *c) {
  const ck_tok *at = R->at;
  ck_id n = scalar(R, c);
  if (!ck_is_int(R->T, n)) ck_die(R, at, "not an integer");
  return n;
}

ck_id ck_integer(ck_reader *R) { return R->work = 0, integer(R, NULL); }
ck_id ck_relation(ck_reader *R) { return R->work = 0, relation(R, NULL); }

/* --- specifications */
static void operator_def(ck_reader *R, ck_def *op) {
  op->name = R->at, ck_call_name(R);
  if (find_def(R, op->name->s, false)) ck_die(R, op->name, "operator %s is defined twice", op->name->s);
  do ck_skip_line(R);
  while (ck_at(R, "require"));
  for (bool out = false; !out; ck_skip_line(R)) {
    out = ck_at(R, "out");
    if (!out) ck_expect(R, "let");
    if (op->n_lets == CK_MAX_LETS) ck_die(R, R->at, "more than %d definitions", CK_MAX_LETS);
    for (uint32_t i = 0; i < op->n_lets; i++) if (ck_tok_is(op->let[i], R->at->s)) ck_die(R, R->at, "%s has two meanings", R->at->s);
    op->let[op->n_lets++] = R->at;
    out ? ck_expect(R, "out") : (void)ck_new_name(R);
    if (!ck_at(R, "[") || !ck_tok_is(R->at->mate + 1, "=")) ck_die(R, R->at, "[indices] = expected");
  }
}

static void function_def(ck_reader *R, ck_def *fn) {
  call c = {.op = fn};
  fn->name = R->stmt = R->at, fn->func = true, R->work = 0;
  const char *name = ck_new_name(R);
  if (place_of(name) < N_KNOWN) ck_die(R, fn->name, "%s is known to the checker and cannot be defined", name);
  if (find_def(R, name, true)) ck_die(R, fn->name, "function %s is defined twice", name);
  ck_expect(R, "(");
  do {
    if (fn->n++ == CK_MAX_ARGS) ck_die(R, R->at, "more than %d arguments", CK_MAX_ARGS);
    const char *arg = ck_new_name(R);
    add_bind(R, &c, arg, ck_ok(R, ck_var(R->T, arg, 'r')));
  } while (ck_list_goes_on(R, ")"));
  if (!ck_accept(R, "builtin")) ck_expect(R, "="), scalar(R, &c); /* what it names must be known; its obligations are those of its calls */
  ck_newline(R);
}

bool ck_rule_ends(const ck_reader *R) { return R->at->kind == CK_T_END || ck_at(R, "rule") || ck_at(R, "op") || ck_at(R, "func"); }

void ck_read_sem(ck_reader *R, const ck_file *f) {
  for (R->at = f->tok, R->depth = 0; ck_at(R, "use");) ck_skip_line(R); /* ck_claim.c has read them, where they count */
  while (R->at->kind != CK_T_END) {
    bool func = ck_accept(R, "func");
    if (func || ck_accept(R, "op")) {
      ck_def *d = ck_keep(R, sizeof *d);
      func ? function_def(R, d) : operator_def(R, d);
      d->to = R->at[-2].end, *(R->last_def ? &R->last_def->next : &R->defs) = d, R->last_def = d, R->n_defs++;
    } else if (R->rule && ck_accept(R, "rule")) {
      if (ck_at(R, R->rule) && R->rule_at) ck_die(R, R->at, "rule %s is defined twice", R->rule);
      if (ck_at(R, R->rule)) R->rule_at = R->at;
      do ck_skip_line(R); while (!ck_rule_ends(R));
    } else ck_die(R, R->at, "'func', 'op' (or in a file of rules 'rule') expected");
  }
}

void ck_relied(ck_reader *R, ck_claim *c) {
  c->relied = ck_keep(R, (R->n_defs + 1) * sizeof *c->relied);
  for (const ck_def *d = R->defs; d; d = d->next) {
    if (!d->used) continue;
    char *name = ck_keep(R, CK_MAX_NAME + 6);
    sprintf(name, "%s%s", d->func ? "func " : "", d->name->s), c->relied[c->n_relied].name = name;
    ck_sha256(d->name[-1].from, (size_t)(d->to - d->name[-1].from), c->relied[c->n_relied++].sha256);
  }
}

void ck_show_functions(const ck_reader *R, FILE *out) {
  for (const ck_def *g = R->defs; g; g = g->next)
    if (g->used && g->arbitrary) fprintf(out, "%s may be any function that is defined everywhere.\n", g->name->s);
}

/* --- shapes */
/* enters the list, or finds it with the same axes */
static void match_list(ck_reader *R, call *c, const char *name, uint32_t n, const ck_id *dim) {
  list *l = find_list(c, name);
  if (!l && c->nl == CK_MAX_DIMS) ck_die(R, c->op->name, "more than %d lists of axes", CK_MAX_DIMS);
  if (!l) l = &c->list[c->nl++], *l = (list){.name = name, .n = n}, memcpy(l->dim, dim, n * sizeof *dim);
  if (l->n != n) ck_die(R, R->stmt, "%s: ..%s stands for %u axes and for %u", c->op->name->s, name, l->n, n);
  for (uint32_t i = 0; i < n; i++) meet(R, c, l->dim[i], dim[i]), ck_require_eq(R, l->dim[i], dim[i]);
}

/* an extent that is 1 for sizes as large as we like, and does not say so, would be broadcast by others */
static void not_one(ck_reader *R, const call *c, ck_id dim) {
  for (long n = 1000; ck_is_const(R, ck_value(R, dim, n), 1); n++) if (n == 1002) ck_die(R, R->stmt, "%s: an extent of 1 must be written so", c->op->name->s);
}

/* (a, b) as o: enters o */
static const char *broadcast(ck_reader *R, call *c) {
  ck_id dim[CK_MAX_RANK];
  ck_expect(R, "(");
  const list *a = find_list(c, ck_new_name(R));
  ck_expect(R, ",");
  const list *b = find_list(c, ck_new_name(R));
  ck_expect(R, ")"), ck_expect(R, "as");
  const char *name = ck_new_name(R);
  if (!a || !b || find_list(c, name)) ck_die(R, R->at, "broadcast of unknown lists, or as a known one");
  uint32_t n = a->n > b->n ? a->n : b->n;
  for (uint32_t i = 1; i <= n; i++) {
    ck_id x = i <= a->n ? a->dim[a->n - i] : b->dim[b->n - i], y = i <= b->n ? b->dim[b->n - i] : x;
    meet(R, c, x, y);
    if (!ck_is_one(R, x) && !ck_is_one(R, y) && !ck_same(R, x, y)) not_one(R, c, x), not_one(R, c, y), ck_require(R, CK_EQ, x, y);
    dim[n - i] = ck_is_one(R, x) ? y : x;
  }
  return match_list(R, c, name, n, dim), name;
}

/* the axes of [ .. ] of an argument, or of the result, where broadcast(a, b) as o makes the list o */
static uint32_t shape(ck_reader *R, call *c, axis d[CK_MAX_DIMS], bool result) {
  uint32_t n = 0;
  const ck_tok *close = R->at->mate;
  ck_expect(R, "[");
  if (ck_accept(R, "]")) return 0;
  do {
    if (n == CK_MAX_DIMS) ck_die(R, R->at, "more than %d axes", CK_MAX_DIMS);
    axis *a = &d[n++];
    *a = (axis){NULL, R->at, ck_find(",", R->at, close)};
    if (ck_accept(R, "..")) a->name = ck_new_name(R), a->at = ck_accept(R, "@") ? R->at : NULL;
    else if (result && ck_at(R, "broadcast") && ck_tok_is(R->at + 1, "(")) R->at++, a->name = broadcast(R, c), a->at = NULL;
    if (a->at) R->at = a->end;
  } while (ck_list_goes_on(R, "]"));
  return n;
}

/* the integer at that place, which is one of sizes and attributes alone; the cursor stays */
static ck_id extent(ck_reader *R, const call *c, const axis *d) {
  const ck_tok *back = R->at;
  call inner = *c;
  R->at = d->at, inner.n_args = 0;
  ck_id n = integer(R, &inner);
  ends(R, d->end);
  return R->at = back, n;
}

/* number of axes that ..a@e takes; negative: all but so many */
static long list_count(ck_reader *R, call *c, const axis *d, long rank) {
  ck_id e = extent(R, c, d);
  for (long v = -rank; v <= rank; v++) if (ck_is_const(R, e, v)) return v;
  ck_die(R, R->stmt, "%s: the axis must be a number that fits a tensor of %ld axes", c->op->name->s, rank);
}

static void match_arg(ck_reader *R, call *c, const char *name, const axis *p, uint32_t n, const ck_tensor *t) {
  uint32_t take[CK_MAX_DIMS], used = 0, rest = n, at = 0;
  long count[CK_MAX_DIMS];
  for (uint32_t i = 0; i < n; i++) {
    const list *l = p[i].name && !p[i].at ? find_list(c, p[i].name) : NULL;
    bool open = p[i].name && !p[i].at && !l;
    if (open && rest < n) ck_die(R, c->op->name, "two lists of unknown length in %s", name);
    if (open) rest = i;
    count[i] = p[i].name && p[i].at ? list_count(R, c, &p[i], t->rank) : 0;
    used += take[i] = !p[i].name ? 1 : l ? l->n : (uint32_t)(count[i] < 0 ? count[i] + t->rank : count[i]);
  }
  if (used > t->rank || (used < t->rank && rest == n)) ck_die(R, R->stmt, "%s: argument %s cannot have %u axes", c->op->name->s, name, t->rank);
  if (rest < n) take[rest] = t->rank - used;
  for (uint32_t i = 0; i < n; at += take[i++]) {
    for (uint32_t k = 0; p[i].name && p[i].at && k < t->rank; k++) /* the axes counted: those taken, or those left */
      if (ck_group(R, t->dim[k]) != CK_BAD && (k >= at && k < at + take[i]) == (count[i] >= 0))
        ck_die(R, R->stmt, "%s: an axis number cannot count across a group of axes", c->op->name->s);
    if (p[i].name) match_list(R, c, p[i].name, take[i], t->dim + at);
    else if (ck_group(R, t->dim[at]) != CK_BAD) ck_die(R, R->stmt, "%s: a group of axes cannot be taken as one axis", c->op->name->s);
    else if (p[i].at->kind == CK_T_NAME && p[i].end == p[i].at + 1 && !find_bind(c, p[i].at->s)) add_bind(R, c, p[i].at->s, t->dim[at]);
    else ck_require_eq(R, extent(R, c, &p[i]), t->dim[at]);
  }
}

/* --- calls */
static void bind_attributes(ck_reader *R, call *c, const ck_attr *attr, uint32_t n) {
  uint32_t met = 0;
  do {
    const char *name = ck_new_name(R);
    ck_id v = CK_BAD;
    if (ck_accept(R, "=")) v = ck_number(R);
    for (uint32_t j = 0, given = 0; j < n; j++) {
      if (strcmp(name, attr[j].name)) continue;
      if (given++) ck_die(R, attr[j].at, "attribute given twice");
      v = attr[j].val, met |= 1u << j;
    }
    if (v == CK_BAD) ck_die(R, R->stmt, "%s needs the attribute %s", c->op->name->s, name);
    add_bind(R, c, name, v);
  } while (ck_accept(R, ","));
  for (uint32_t j = 0; j < n; j++) if (!(met >> j & 1)) ck_die(R, attr[j].at, "%s has no attribute %s", c->op->name->s, attr[j].name);
}

/* The element of a definition at these indices, which its left side [ .. ] names; groups: of each, the group of axes that it runs over, or CK_BAD.
 * d: for out, whose names follow the axes of the result; else NULL. */
static ck_id definition(ck_reader *R, const call *c, uint32_t which, const axis *d, uint32_t n_axes, const ck_id *ix, const ck_id *groups, uint32_t n) {
  call inner = *c;
  const ck_tok *back = R->at;
  uint32_t at = 0, k = 0;
  inner.nb = c->n_fixed, inner.let = which;
  for (uint32_t i = 0; i < inner.nl; i++) inner.list[i].at = false;
  R->at = c->op->let[which] + 1, ck_expect(R, "[");
  if (!ck_accept(R, "]")) do {
      const ck_tok *t = R->at;
      bool is_list = ck_accept(R, "..");
      const char *name = ck_new_name(R);
      list *l = is_list ? find_list(&inner, name) : NULL;
      uint32_t take = l ? l->n : 1;
      bool fits = !d || (k < n_axes && is_list == (d[k].name != NULL) && (!is_list || !strcmp(name, d[k].name)));
      if (!fits) ck_die(R, t, "out's indices do not follow the result's axes");
      if (is_list && (!l || l->at)) ck_die(R, t, "definition over an unknown or repeated list %s", name);
      if (at + take > n) ck_die(R, t, "too few indices for this definition");
      for (uint32_t i = 0; i < take; i++)
        if (groups[at + i] != (l ? ck_group(R, l->dim[i]) : CK_BAD)) ck_die(R, t, "the index of a group of axes goes only where the whole group is");
      if (l) memcpy(l->ix, ix + at, take * sizeof *ix), l->at = true;
      else add_bind(R, &inner, name, ix[at]);
      at += take, k++;
    } while (ck_list_goes_on(R, "]"));
  if (at != n || (d && k != n_axes)) ck_die(R, R->at, d ? "out's indices do not follow the result's axes" : "too many indices for this definition");
  ck_expect(R, "=");
  ck_id t = scalar(R, &inner);
  ck_newline(R);
  return R->at = back, t;
}

/* extents and element of the result, whose shape is at the cursor */
static void result(ck_reader *R, call *c, ck_tensor *t) {
  axis d[CK_MAX_DIMS];
  ck_id ix[CK_MAX_RANK], groups[CK_MAX_RANK];
  uint32_t n = shape(R, c, d, true);
  ck_newline(R);
  for (uint32_t i = 0; i < n; i++) {
    const list *l = d[i].name ? find_list(c, d[i].name) : NULL;
    if (d[i].name && (!l || d[i].at)) ck_die(R, R->stmt, "%s: ..%s is not known", c->op->name->s, d[i].name);
    ck_id one = l ? CK_BAD : extent(R, c, &d[i]);
    for (uint32_t k = 0; k < (l ? l->n : 1); k++, t->rank++) {
      if (t->rank == CK_MAX_RANK) ck_die(R, R->stmt, "%s: more than %d axes", c->op->name->s, CK_MAX_RANK);
      ix[t->rank] = ck_ix(R, 'i', t->rank), t->dim[t->rank] = l ? l->dim[k] : one;
    }
  }
  for (uint32_t i = 0; i < t->rank; i++) ck_require_extent(R, t->dim[i]), groups[i] = ck_group(R, t->dim[i]);
  c->n_fixed = c->nb;
  for (uint32_t i = 0; i < t->rank; i++) ck_push_index(R, ix[i], t->dim[i]);
  t->elem = definition(R, c, c->op->n_lets - 1, d, n, ix, groups, t->rank);
  R->n_conds = 0, R->n_ivars = 0;
}

ck_tensor *ck_call_op(ck_reader *R, const char *name, const ck_tok *at, ck_tensor *const *arg, uint32_t n_args, const ck_attr *attr, uint32_t n_attrs) {
  ck_def *op = find_def(R, name, false);
  const ck_tok *back = R->at;
  uint32_t k = 0;
  R->stmt = at, R->work = 0;
  if (!op) ck_die(R, at, "no operator is called %s", name);
  call *c = ck_keep(R, sizeof *c);
  ck_tensor *t = ck_keep(R, sizeof *t);
  op->used = true, c->op = op, c->arg = arg;
  R->at = op->name + 1, ck_expect(R, "(");
  const ck_tok *first = R->at, *close = R->at[-1].mate, *semicolon = ck_find(";", first, close);
  for (const ck_tok *i = first; i < semicolon; i = ck_find(",", i, semicolon) + 1) k++;
  if (k != n_args) ck_die(R, at, "%s takes %u tensors, not %u", name, k, n_args);
  if (semicolon < close) R->at = semicolon + 1, bind_attributes(R, c, attr, n_attrs), ends(R, close);
  else if (n_attrs) ck_die(R, attr->at, "%s has no attribute %s", name, attr->name);
  for (R->at = first; R->at < semicolon || ck_tok_is(R->at - 1, ",");) {
    axis d[CK_MAX_DIMS];
    const char *arg_name = ck_new_name(R);
    uint32_t n = shape(R, c, d, false);
    fresh(R, c, arg_name);
    match_arg(R, c, arg_name, d, n, arg[c->n_args]), c->arg_name[c->n_args++] = arg_name;
    if (R->at < semicolon) ck_expect(R, ",");
  }
  R->at = close + 1, ck_expect(R, "->");
  const ck_tok *at_result = R->at;
  for (ck_skip_line(R); ck_accept(R, "require"); ck_newline(R))
    do {
      ck_id rel = relation(R, c);
      ck_require(R, ck_head(R->T, rel), ck_kid(R->T, rel, 0), ck_kid(R->T, rel, 1));
    } while (ck_accept(R, ","));
  R->at = at_result;
  result(R, c, t);
  R->at = back;
  for (uint32_t i = 0; i < n_args; i++) {
    t->varying = t->varying || arg[i]->varying || arg[i]->run_arg;
    t->after = t->after || arg[i]->after;
  }
  return t;
}
