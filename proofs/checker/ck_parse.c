/* Operator specifications: .sem text to ck_op_def, by recursive descent.  Names are resolved when an operator is called. */
#include "ck_read.h"
#include <string.h>

static ck_sx *sum(ck_reader *R);
static ck_sx *product(ck_reader *R);

static ck_sx *node(ck_reader *R, char kind, const ck_tok *at, ck_sx *a, ck_sx *b) {
  ck_sx *e = ck_keep(R, sizeof *e);
  e->kind = kind, e->at = at, e->num = CK_BAD, e->kid = a;
  if (a) a->next = b;
  for (ck_sx *k = a; k; k = k->next)
    if (k->depth >= e->depth) {
      if (k->depth >= CK_MAX_DEPTH) ck_die(R, R->f, at, "expression nested more than %d deep", CK_MAX_DEPTH);
      e->depth = (uint8_t)(k->depth + 1);
    }
  return e;
}

/* list of kids, by position */
static ck_sx *kids(ck_reader *R, ck_sx *e, const char *close, bool access) {
  ck_sx **end = &e->kid;
  if (!ck_accept(R, close)) do {
      const ck_tok *t = ck_cur(R);
      ck_sx *k;
      if (access && (ck_at(R, "..") || ck_at(R, "~"))) {
        k = node(R, ck_at(R, "~") ? 'T' : 'L', t, NULL, NULL);
        R->at++;
        k->name = ck_new_name(R);
      } else k = sum(R);
      if (k->depth >= e->depth) e->depth = (uint8_t)(k->depth + 1);
      *end = k, end = &k->next;
      if (!ck_at(R, ",")) { ck_expect(R, close); break; }
      R->at++;
    } while (true);
  if (e->depth > CK_MAX_DEPTH) ck_die(R, R->f, e->at, "expression nested more than %d deep", CK_MAX_DEPTH);
  return e;
}

static char relop(ck_reader *R, bool *swap) {
  static const struct { const char *s; char kind; bool swap; } rel[] = {
      {"=", '=', false}, {"!=", '#', false}, {"<", '<', false}, {"<=", '{', false}, {">", '<', true}, {">=", '{', true}};
  for (size_t i = 0; i < sizeof rel / sizeof *rel; i++)
    if (ck_accept(R, rel[i].s)) {
      *swap = rel[i].swap;
      return rel[i].kind;
    }
  ck_die_here(R, "relation expected: = != < <= > >=");
}

static ck_sx *relation(ck_reader *R) {
  const ck_tok *t = ck_cur(R);
  bool swap;
  ck_sx *a = sum(R);
  char kind = relop(R, &swap);
  ck_sx *b = sum(R);
  return swap ? node(R, kind, t, b, a) : node(R, kind, t, a, b);
}

/* whether the parenthesis here encloses a condition: then nothing of a scalar or of a relation follows the closing one */
static bool encloses_condition(const ck_reader *R) {
  static const char *const more[] = {"+", "-", "*", "/", "div", "mod", "=", "!=", "<", "<=", ">", ">="};
  uint32_t i = 0, depth = 0;
  do {
    const ck_tok *t = ck_peek(R, i++);
    if (ck_tok_is(R->f, t, "(") || ck_tok_is(R->f, t, "[")) depth++;
    if (ck_tok_is(R->f, t, ")") || ck_tok_is(R->f, t, "]")) depth--;
  } while (depth);
  for (size_t k = 0; k < sizeof more / sizeof *more; k++)
    if (ck_tok_is(R->f, ck_peek(R, i), more[k])) return false;
  return true;
}

/* level 0: or, 1: and, 2: not, relation, parenthesis */
static ck_sx *condition(ck_reader *R, int level) {
  const ck_tok *t = ck_cur(R);
  ck_sx *e;
  ck_enter(R);
  if (level < 2) {
    e = condition(R, level + 1);
    while (ck_accept(R, level ? "and" : "or")) e = node(R, level ? '&' : '|', t, e, condition(R, level + 1));
  } else if (ck_accept(R, "not")) e = node(R, '!', t, condition(R, 2), NULL);
  else if (ck_at(R, "(") && encloses_condition(R)) {
    R->at++;
    e = condition(R, 0);
    ck_expect(R, ")");
  } else e = relation(R);
  ck_leave(R);
  return e;
}

static ck_sx *reduction(ck_reader *R, const ck_tok *t) {
  char kind = ck_at(R, "sum") ? 'S' : ck_at(R, "prod") ? 'P' : ck_at(R, "max") ? 'X' : 'N';
  R->at += 2;
  const char *name = ck_new_name(R);
  ck_expect(R, "<");
  ck_sx *n = sum(R);
  ck_expect(R, ")");
  ck_sx *e = node(R, kind, t, n, product(R));
  e->name = name;
  return e;
}

static ck_sx *atom(ck_reader *R) {
  const ck_tok *t = ck_cur(R);
  ck_sx *e;
  if (t->kind == CK_T_NUM) {
    if (R->size_only && !t->whole) ck_die_here(R, "sizes are whole numbers");
    e = node(R, 'n', t, NULL, NULL);
    e->num = ck_number(R);
  } else if (ck_accept(R, "(")) {
    e = sum(R);
    ck_expect(R, ")");
  } else if (R->size_only) {
    e = node(R, 'v', t, NULL, NULL);
    e->name = ck_new_name(R);
  } else if (ck_accept(R, "if")) {
    ck_expect(R, "(");
    ck_sx *c = condition(R, 0);
    ck_expect(R, ",");
    ck_sx *a = sum(R);
    ck_expect(R, ",");
    ck_sx *b = sum(R);
    ck_expect(R, ")");
    a->next = b;
    e = node(R, '?', t, c, a);
  } else if (ck_tok_is(R->f, ck_peek(R, 1), "(") && (ck_at(R, "sum") || ck_at(R, "prod") || ck_at(R, "max") || ck_at(R, "min")) &&
             ck_peek(R, 2)->kind == CK_T_NAME && ck_tok_is(R->f, ck_peek(R, 3), "<")) {
    e = reduction(R, t);
  } else {
    e = node(R, 'v', t, NULL, NULL);
    e->name = ck_tok_is(R->f, ck_peek(R, 1), "(") ? ck_call_name(R) : ck_new_name(R);
    if (ck_accept(R, "(")) e->kind = 'c', kids(R, e, ")", false);
    else if (ck_accept(R, "[")) e->kind = 'a', kids(R, e, "]", true);
  }
  return e;
}

static ck_sx *unary(ck_reader *R) {
  const ck_tok *t = ck_cur(R);
  ck_enter(R);
  ck_sx *e = ck_accept(R, "-") ? node(R, '_', t, unary(R), NULL) : atom(R);
  ck_leave(R);
  return e;
}

static ck_sx *product(ck_reader *R) {
  ck_sx *e = unary(R);
  while (ck_at(R, "*") || ck_at(R, "div") || ck_at(R, "mod") || (ck_at(R, "/") && !R->size_only)) {
    const ck_tok *t = &R->f->tok[R->at++];
    char kind = R->f->text[t->off]; /* * / d m */
    e = node(R, kind, t, e, unary(R));
  }
  return e;
}

static ck_sx *sum(ck_reader *R) {
  ck_sx *e = product(R);
  while (ck_at(R, "+") || ck_at(R, "-")) {
    const ck_tok *t = &R->f->tok[R->at++];
    e = node(R, R->f->text[t->off], t, e, product(R));
  }
  return e;
}

ck_sx *ck_parse_size(ck_reader *R) {
  R->size_only = true;
  ck_sx *e = sum(R);
  R->size_only = false;
  return e;
}

ck_sx *ck_parse_rel(ck_reader *R) {
  R->size_only = true;
  ck_sx *e = relation(R);
  R->size_only = false;
  return e;
}

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
      d->kind = 'b', d->b1 = ck_new_name(R);
      ck_expect(R, ",");
      d->b2 = ck_new_name(R);
      ck_expect(R, ")");
      ck_expect(R, "as");
      d->name = ck_new_name(R);
    } else d->kind = 's', d->size = ck_parse_size(R);
  } while (ck_accept(R, ","));
  ck_expect(R, "]");
}

static void attributes(ck_reader *R, ck_op_def *op) {
  do {
    if (op->n_attrs == CK_MAX_ARGS) ck_die_here(R, "more than %d attributes", CK_MAX_ARGS);
    op->attr[op->n_attrs] = ck_new_name(R);
    op->dflt[op->n_attrs] = CK_BAD;
    if (ck_accept(R, "=")) {
      bool neg = ck_accept(R, "-");
      ck_id x = ck_number(R);
      op->dflt[op->n_attrs] = neg ? ck_times(R, ck_int(R->T, -1), x) : x;
    }
    op->n_attrs++;
  } while (ck_accept(R, ","));
}

static void signature(ck_reader *R, ck_op_def *op) {
  ck_expect(R, "(");
  do {
    if (op->n_args == CK_MAX_ARGS) ck_die_here(R, "more than %d arguments", CK_MAX_ARGS);
    ck_targ *a = &op->arg[op->n_args++];
    a->name = ck_new_name(R);
    shape(R, a, false);
  } while (ck_accept(R, ","));
  if (ck_accept(R, ";")) attributes(R, op);
  ck_expect(R, ")");
  ck_expect(R, "->");
  shape(R, &op->out, true);
  ck_newline(R);
}

static void definition(ck_reader *R, ck_op_def *op, bool is_out) {
  if (op->n_lets == CK_MAX_LETS) ck_die_here(R, "more than %d definitions", CK_MAX_LETS);
  ck_let *l = &op->let[op->n_lets++];
  if (is_out) l->name = "out";
  else l->name = ck_new_name(R);
  ck_expect(R, "[");
  if (!ck_accept(R, "]")) {
    do {
      if (l->n == CK_MAX_DIMS) ck_die_here(R, "more than %d indices", CK_MAX_DIMS);
      l->ix[l->n].list = ck_accept(R, "..");
      l->ix[l->n++].name = ck_new_name(R);
    } while (ck_accept(R, ","));
    ck_expect(R, "]");
  }
  ck_expect(R, "=");
  l->body = sum(R);
}

const ck_op_def *ck_find_op(const ck_reader *R, const char *name) {
  for (ck_op_def *o = R->ops; o; o = o->next)
    if (!strcmp(o->name, name)) return o;
  return NULL;
}

static void operator_def(ck_reader *R, uint32_t from) {
  ck_op_def *op = ck_keep(R, sizeof *op);
  op->f = R->f, op->from = from, op->tok = ck_cur(R);
  op->name = ck_call_name(R);
  if (ck_find_op(R, op->name)) ck_die(R, R->f, op->tok, "operator %s is defined twice", op->name);
  signature(R, op);
  while (ck_accept(R, "require")) {
    do {
      if (op->n_reqs == CK_MAX_LETS) ck_die_here(R, "more than %d requirements", CK_MAX_LETS);
      op->req[op->n_reqs++] = ck_parse_rel(R);
    } while (ck_accept(R, ","));
    ck_newline(R);
  }
  while (ck_accept(R, "let")) {
    definition(R, op, false);
    ck_newline(R);
  }
  ck_expect(R, "out");
  definition(R, op, true);
  op->to = ck_cur(R)[-1].off + ck_cur(R)[-1].len;
  ck_newline(R);
  if (R->last_op) R->last_op->next = op;
  else R->ops = op;
  R->last_op = op;
}

static void function_def(ck_reader *R, uint32_t from) {
  ck_func_def *fn = ck_keep(R, sizeof *fn);
  const ck_tok *at = ck_cur(R);
  static const char *const known[] = {"exp", "log", "sqrt", "inv", "abs", "max", "min"};
  fn->f = R->f, fn->from = from;
  fn->name = ck_new_name(R);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(known[i], fn->name)) ck_die(R, R->f, at, "%s is known to the checker and cannot be defined", fn->name);
  for (ck_func_def *g = R->funcs; g; g = g->next)
    if (!strcmp(g->name, fn->name)) ck_die(R, R->f, at, "function %s is defined twice", fn->name);
  ck_expect(R, "(");
  do ck_new_name(R), fn->n++;
  while (fn->n < CK_MAX_ARGS && ck_accept(R, ","));
  ck_expect(R, ")");
  if (!ck_accept(R, "builtin")) {
    ck_expect(R, "=");
    sum(R); /* for its syntax: in proofs the function is any function of reals */
  }
  fn->to = ck_cur(R)[-1].off + ck_cur(R)[-1].len;
  ck_newline(R);
  fn->next = R->funcs, R->funcs = fn;
}

void ck_parse_sem(ck_reader *R, const ck_file *f) {
  R->f = f, R->at = 0, R->depth = 0;
  while (ck_cur(R)->kind != CK_T_END) {
    uint32_t from = ck_cur(R)->off;
    if (ck_accept(R, "func")) function_def(R, from);
    else if (ck_accept(R, "op")) operator_def(R, from);
    else ck_die_here(R, "'func' or 'op' expected");
  }
}
