/* Operator specifications: .sem text to ck_op_def.  Names are resolved when an operator is called. */
#include "ck_read.h"
#include <string.h>

enum { OR, AND, RELATION, SUM, PRODUCT, ATOM }; /* how tightly an expression binds; `not` binds as a relation */
static const struct { const char *sign; char kind; uint8_t level; bool swap, in_size; } infix[] = {
    {"or", '|', OR, 0, 0}, {"and", '&', AND, 0, 0}, {"=", '=', RELATION, 0, 1}, {"!=", '#', RELATION, 0, 1}, {"<", '<', RELATION, 0, 1},
    {"<=", '{', RELATION, 0, 1}, {">", '<', RELATION, 1, 1}, {">=", '{', RELATION, 1, 1}, {"+", '+', SUM, 0, 1}, {"-", '-', SUM, 0, 1},
    {"*", '*', PRODUCT, 0, 1}, {"/", '/', PRODUCT, 0, 0}, {"div", 'd', PRODUCT, 0, 1}, {"mod", 'm', PRODUCT, 0, 1}};

static ck_sx *expr(ck_reader *R, int level);
static bool is_condition(const ck_sx *e) { return strchr("|&!=#<{", e->kind) != NULL; }

/* a node with these kids (NULL: fewer); only | & ! and the first kid of ? are about conditions */
static ck_sx *node(ck_reader *R, char kind, const ck_tok *at, ck_sx *a, ck_sx *b) {
  ck_sx *e = ck_keep(R, sizeof *e);
  *e = (ck_sx){.kind = kind, .at = at, .num = CK_BAD, .kid = a};
  if (a) a->next = b;
  for (ck_sx *k = a; k; k = k->next) {
    if (is_condition(k) != (strchr("|&!", kind) || (kind == '?' && k == a))) ck_die(R, R->f, k->at, "a %s expected", is_condition(k) ? "number" : "relation");
    if (k->depth >= e->depth) e->depth = (uint8_t)(k->depth + 1);
  }
  if (e->depth > CK_MAX_DEPTH) ck_die(R, R->f, at, "expression nested more than %d deep", CK_MAX_DEPTH);
  return e;
}

/* the kids of a call or an access, up to `close` */
static ck_sx *kids(ck_reader *R, char kind, const ck_tok *at, const char *close) {
  ck_sx *first = NULL, **end = &first;
  if (ck_accept(R, close)) return node(R, kind, at, NULL, NULL);
  do {
    const ck_tok *t = ck_cur(R);
    if (kind == 'a' && (ck_accept(R, "..") || ck_accept(R, "~"))) {
      *end = node(R, R->f->text[t->off] == '~' ? 'T' : 'L', t, NULL, NULL);
      (*end)->name = ck_new_name(R);
    } else *end = expr(R, SUM);
    end = &(*end)->next;
  } while (ck_list_goes_on(R, close));
  return node(R, kind, at, first, first->next);
}

/* sum(i < n) body, and prod, max, min */
static ck_sx *reduction(ck_reader *R, const ck_tok *t) {
  char kind = ck_at(R, "sum") ? 'S' : ck_at(R, "prod") ? 'P' : ck_at(R, "max") ? 'X' : 'N';
  R->at += 2;
  const char *name = ck_new_name(R);
  ck_expect(R, "<");
  ck_sx *n = expr(R, SUM);
  ck_expect(R, ")");
  ck_sx *e = node(R, kind, t, n, expr(R, PRODUCT));
  e->name = name;
  return e;
}

static ck_sx *atom(ck_reader *R, int level) {
  const ck_tok *t = ck_cur(R);
  bool call = ck_tok_is(R->f, ck_peek(R, 1), "(") && (!R->size_only || ck_at(R, "max") || ck_at(R, "min"));
  ck_sx *e;
  if (t->kind == CK_T_NUM) {
    if (R->size_only && !t->whole) ck_die_here(R, "sizes are whole numbers");
    e = node(R, 'n', t, NULL, NULL);
    e->num = ck_number(R);
  } else if (ck_accept(R, "(")) {
    e = expr(R, R->size_only ? SUM : level); /* a condition only where one may stand */
    ck_expect(R, ")");
  } else if (!R->size_only && ck_accept(R, "if")) {
    ck_expect(R, "(");
    ck_sx *c = expr(R, OR);
    ck_expect(R, ",");
    ck_sx *yes = expr(R, SUM);
    ck_expect(R, ",");
    yes->next = expr(R, SUM);
    e = node(R, '?', t, c, yes), ck_expect(R, ")");
  } else if (call && !R->size_only && (ck_at(R, "sum") || ck_at(R, "prod") || ck_at(R, "max") || ck_at(R, "min")) && ck_peek(R, 2)->kind == CK_T_NAME &&
             ck_tok_is(R->f, ck_peek(R, 3), "<")) {
    e = reduction(R, t);
  } else {
    const char *name = call ? ck_call_name(R) : ck_new_name(R);
    if (R->size_only && !call) e = node(R, 'v', t, NULL, NULL);
    else if (ck_accept(R, "(")) e = kids(R, 'c', t, ")");
    else e = ck_accept(R, "[") ? kids(R, 'a', t, "]") : node(R, 'v', t, NULL, NULL);
    e->name = name;
  }
  return e;
}

/* An expression of operators of this level and tighter ones; what binds equally tight groups to the left, and relations do not chain. */
static ck_sx *expr(ck_reader *R, int level) {
  const size_t n = sizeof infix / sizeof *infix;
  const ck_tok *t = ck_cur(R);
  ck_sx *e;
  ck_enter(R);
  if (ck_accept(R, "-")) e = node(R, '_', t, expr(R, ATOM), NULL);
  else if (level <= RELATION && !R->size_only && ck_accept(R, "not")) e = node(R, '!', t, expr(R, RELATION), NULL);
  else e = atom(R, level <= RELATION ? OR : SUM);
  R->depth--;
  for (size_t i = 0; i < n; i++) {
    const ck_tok *sign = ck_cur(R);
    if (infix[i].level < level || (R->size_only && !infix[i].in_size) || (infix[i].level > RELATION && is_condition(e)) || !ck_accept(R, infix[i].sign)) continue;
    ck_sx *b = expr(R, infix[i].level + 1);
    e = infix[i].swap ? node(R, infix[i].kind, t, b, e) : node(R, infix[i].kind, infix[i].level > RELATION ? sign : t, e, b);
    i = (size_t)-1; /* from the first again */
  }
  return e;
}

static ck_sx *of_sizes(ck_reader *R, int level) {
  R->size_only = true;
  ck_sx *e = expr(R, level);
  R->size_only = false;
  if (is_condition(e) != (level == RELATION)) ck_die_here(R, "relation expected: = != < <= > >=");
  return e;
}

ck_sx *ck_parse_size(ck_reader *R) { return of_sizes(R, SUM); }
ck_sx *ck_parse_rel(ck_reader *R) { return of_sizes(R, RELATION); }

static void shape(ck_reader *R, ck_targ *a, bool result) {
  ck_expect(R, "[");
  if (ck_accept(R, "]")) return;
  do {
    if (a->n == CK_MAX_DIMS) ck_die_here(R, "more than %d axes", CK_MAX_DIMS);
    ck_dim *d = &a->dim[a->n++];
    if (ck_accept(R, "..")) {
      d->kind = 'l', d->name = ck_new_name(R);
      if (ck_accept(R, "@")) d->size = ck_parse_size(R);
    } else if (result && ck_at(R, "broadcast") && ck_tok_is(R->f, ck_peek(R, 1), "(")) {
      R->at += 2;
      d->kind = 'b', d->b1 = ck_new_name(R), ck_expect(R, ",");
      d->b2 = ck_new_name(R), ck_expect(R, ")"), ck_expect(R, "as");
      d->name = ck_new_name(R);
    } else d->kind = 's', d->size = ck_parse_size(R);
  } while (ck_list_goes_on(R, "]"));
}

ck_id ck_signed_number(ck_reader *R) {
  bool negative = ck_accept(R, "-");
  ck_id x = ck_number(R);
  return negative ? ck_times(R, ck_int(R->T, -1), x) : x;
}

static void signature(ck_reader *R, ck_op_def *op) {
  ck_expect(R, "(");
  if (!ck_at(R, ";")) do {
    if (op->n_args == CK_MAX_ARGS) ck_die_here(R, "more than %d arguments", CK_MAX_ARGS);
    ck_targ *a = &op->arg[op->n_args++];
    a->name = ck_new_name(R);
    shape(R, a, false);
  } while (ck_accept(R, ","));
  if (ck_accept(R, ";")) do {
      if (op->n_attrs == CK_MAX_ARGS) ck_die_here(R, "more than %d attributes", CK_MAX_ARGS);
      op->attr[op->n_attrs] = ck_new_name(R);
      op->dflt[op->n_attrs++] = ck_accept(R, "=") ? ck_signed_number(R) : CK_BAD;
    } while (ck_accept(R, ","));
  ck_expect(R, ")"), ck_expect(R, "->");
  shape(R, &op->out, true), ck_newline(R);
}

static void definition(ck_reader *R, ck_op_def *op, const char *name) {
  if (op->n_lets == CK_MAX_LETS) ck_die_here(R, "more than %d definitions", CK_MAX_LETS);
  ck_let *l = &op->let[op->n_lets++];
  l->name = name, ck_expect(R, "[");
  if (!ck_accept(R, "]")) do {
      if (l->n == CK_MAX_DIMS) ck_die_here(R, "more than %d indices", CK_MAX_DIMS);
      l->ix[l->n].list = ck_accept(R, "..");
      l->ix[l->n++].name = ck_new_name(R);
    } while (ck_list_goes_on(R, "]"));
  ck_expect(R, "=");
  l->body = expr(R, SUM);
}

ck_op_def *ck_find_op(const ck_reader *R, const char *name) {
  ck_op_def *o = R->ops;
  while (o && strcmp(o->name, name)) o = o->next;
  return o;
}

ck_func_def *ck_find_func(const ck_reader *R, const char *name) {
  ck_func_def *g = R->funcs;
  while (g && strcmp(g->name, name)) g = g->next;
  return g;
}

/* the end of a definition's text, before the end of the line */
static uint32_t end_of_text(ck_reader *R) { const ck_tok *last = ck_cur(R) - 1; ck_newline(R); return last->off + last->len; }

static void operator_def(ck_reader *R, uint32_t from) {
  ck_op_def *op = ck_keep(R, sizeof *op);
  op->f = R->f, op->from = from, op->tok = ck_cur(R);
  op->name = ck_call_name(R);
  if (ck_find_op(R, op->name)) ck_die(R, R->f, op->tok, "operator %s is defined twice", op->name);
  for (signature(R, op); ck_accept(R, "require"); ck_newline(R)) do {
      if (op->n_reqs == CK_MAX_LETS) ck_die_here(R, "more than %d requirements", CK_MAX_LETS);
      op->req[op->n_reqs++] = ck_parse_rel(R);
    } while (ck_accept(R, ","));
  for (; ck_accept(R, "let"); ck_newline(R)) definition(R, op, ck_new_name(R));
  ck_expect(R, "out");
  definition(R, op, "out");
  op->to = end_of_text(R);
  *(R->last_op ? &R->last_op->next : &R->ops) = op, R->last_op = op;
}

static void function_def(ck_reader *R, uint32_t from) {
  ck_func_def *fn = ck_keep(R, sizeof *fn);
  static const char *const known[] = {"exp", "log", "sqrt", "inv", "abs"}; /* max and min are reserved words */
  const ck_tok *at = ck_cur(R);
  fn->f = R->f, fn->from = from, fn->name = ck_new_name(R);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(known[i], fn->name)) ck_die(R, R->f, at, "%s is known to the checker and cannot be defined", fn->name);
  if (ck_find_func(R, fn->name)) ck_die(R, R->f, at, "function %s is defined twice", fn->name);
  ck_expect(R, "(");
  do ck_new_name(R), fn->n++;
  while (fn->n < CK_MAX_ARGS && ck_accept(R, ","));
  ck_expect(R, ")");
  if (!ck_accept(R, "builtin")) ck_expect(R, "="), expr(R, SUM); /* for its syntax: in proofs the function is any function of reals */
  fn->to = end_of_text(R);
  fn->next = R->funcs, R->funcs = fn;
}

bool ck_rule_ends(const ck_reader *R) { return ck_cur(R)->kind == CK_T_END || ck_at(R, "rule") || ck_at(R, "op") || ck_at(R, "func"); }

static void skip_rule(ck_reader *R) {
  if (ck_at(R, R->rule)) {
    if (R->rule_at) ck_die_here(R, "rule %s is defined twice", R->rule);
    R->rule_at = R->at;
  }
  do while (ck_cur(R)->kind != CK_T_NL) R->at++;
  while (R->at++, !ck_rule_ends(R));
}

void ck_parse_sem(ck_reader *R, const ck_file *f) {
  for (R->f = f, R->at = 0, R->depth = 0; ck_accept(R, "use"); ck_newline(R)) R->at++; /* ck_claim.c has read it */
  while (ck_cur(R)->kind != CK_T_END) {
    uint32_t from = ck_cur(R)->off;
    if (ck_accept(R, "func")) function_def(R, from);
    else if (ck_accept(R, "op")) operator_def(R, from);
    else if (R->rule && ck_accept(R, "rule")) skip_rule(R);
    else ck_die_here(R, R->rule ? "'func', 'op' or 'rule' expected" : "'func' or 'op' expected");
  }
}
