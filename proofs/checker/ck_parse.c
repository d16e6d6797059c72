/* The cursor, and scalars: size expressions, bodies, conditions. */
#include "ck_tree.h"
#include <stdlib.h>

/* --- the cursor */
bool ck_at(const ck_parser *p, const char *text) {
  return ck_token_is(p->at, text);
}

bool ck_accept(ck_parser *p, const char *text) {
  if (!ck_at(p, text))
    return false;
  p->at++;
  return true;
}

void ck_expect(ck_parser *p, const char *text) {
  if (!ck_accept(p, text))
    ck_refuse(p->job, p->at, "'%s' expected", text);
}

bool ck_list_goes_on(ck_parser *p, const char *close) {
  if (ck_accept(p, ","))
    return true;
  ck_expect(p, close);
  return false;
}

void ck_line_end(ck_parser *p) {
  if (p->at->kind != CK_T_LINE_END)
    ck_refuse(p->job, p->at, "end of line expected");
  p->at++;
}

void ck_nest(ck_parser *p) {
  if (++p->nesting > CK_MAX_NESTING)
    ck_refuse(p->job, p->at, "nested more than %d deep", CK_MAX_NESTING);
}

const ck_token *ck_new_name(ck_parser *p) {
  if (p->at->kind != CK_T_NAME)
    ck_refuse(p->job, p->at, "name expected");
  if (ck_is_reserved(p->at))
    ck_refuse(p->job, p->at, "this word is reserved");
  return p->at++;
}

const ck_token *ck_called_name(ck_parser *p) {
  bool word = ck_at(p, "sum") || ck_at(p, "max") || ck_at(p, "min") || ck_at(p, "div");
  return word ? p->at++ : ck_new_name(p);
}

long ck_small_number(ck_parser *p) {
  if (p->at->kind != CK_T_NUMBER || !p->at->whole)
    ck_refuse(p->job, p->at, "whole number expected");
  if (strlen(p->at->text) > 12)
    ck_refuse(p->job, p->at, "number too large");
  return strtol(p->at++->text, NULL, 10);
}

ck_op ck_relation_sign(ck_parser *p, bool *swapped) {
  static const struct {
    const char *sign;
    ck_op op;
    bool swapped;
  } signs[] = {{"=", CK_EQ, false},  {"!=", CK_NE, false}, {"<", CK_LT, false},
               {"<=", CK_LE, false}, {">", CK_LT, true},   {">=", CK_LE, true}};

  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    if (ck_accept(p, signs[i].sign)) {
      *swapped = signs[i].swapped;
      return signs[i].op;
    }
  }
  ck_refuse(p->job, p->at, "relation expected: = != < <= > >=");
}

/* --- scalars.  A size expression is a scalar without real division, accesses, reductions,
 * conditions and functions other than max and min. */
typedef enum { SIZE, BODY } grammar;

static ck_scalar *sum(ck_parser *p, grammar g);
static ck_scalar *product(ck_parser *p, grammar g);

static ck_scalar *scalar(ck_parser *p, ck_scalar_kind kind, const ck_token *at) {
  ck_scalar *x = ck_keep(p->job, sizeof *x);
  x->kind = kind;
  x->at = at;
  return x;
}

static ck_scalar *binary(ck_parser *p, ck_scalar_kind kind, const ck_token *at, ck_scalar *left,
                         ck_scalar *right) {
  ck_scalar *x = scalar(p, kind, at);
  x->left = left;
  x->right = right;
  return x;
}

static ck_relation *relation(ck_parser *p, grammar g) {
  ck_relation *r = ck_keep(p->job, sizeof *r);
  r->at = p->at;
  r->left = sum(p, g);
  r->op = ck_relation_sign(p, &r->swapped);
  r->right = sum(p, g);
  return r;
}

const ck_token *ck_written(ck_parser *p, const char *number) {
  ck_token *t = ck_keep(p->job, sizeof *t);
  *t = *p->at;
  t->kind = CK_T_NUMBER;
  t->whole = true;
  t->text = number;
  return t;
}

static ck_scalar *number(ck_parser *p, const char *digits) {
  return scalar(p, CK_S_NUMBER, ck_written(p, digits));
}

static ck_condition *condition(ck_parser *p);

/* "(" is a condition's if what follows its mate does not go on with a scalar or a relation */
static bool condition_in_parentheses(const ck_parser *p) {
  const ck_token *after = ck_at(p, "(") ? p->at->mate + 1 : NULL;
  return after && (ck_token_is(after, "and") || ck_token_is(after, "or") ||
                   ck_token_is(after, ",") || ck_token_is(after, ")"));
}

static ck_condition *simple_condition(ck_parser *p) {
  ck_condition *c = ck_keep(p->job, sizeof *c);
  ck_nest(p);
  if (ck_accept(p, "not")) {
    c->kind = CK_C_NOT;
    c->first = simple_condition(p);
  } else if (condition_in_parentheses(p)) {
    ck_expect(p, "(");
    c = condition(p);
    ck_expect(p, ")");
  } else {
    c->kind = CK_C_RELATION;
    c->relation = relation(p, BODY);
  }
  p->nesting--;
  return c;
}

/* c1 and (c2 and ..), at level 1; c1 or (c2 or ..), at level 0 */
static ck_condition *joined(ck_parser *p, int level) {
  ck_nest(p);
  ck_condition *first = level ? simple_condition(p) : joined(p, 1);
  if (ck_accept(p, level ? "and" : "or")) {
    ck_condition *c = ck_keep(p->job, sizeof *c);
    c->kind = level ? CK_C_AND : CK_C_OR;
    c->first = first;
    c->second = joined(p, level);
    first = c;
  }
  p->nesting--;
  return first;
}

static ck_condition *condition(ck_parser *p) {
  return joined(p, 0);
}

/* if(condition, value, value) */
static ck_scalar *conditional(ck_parser *p) {
  ck_scalar *x = scalar(p, CK_S_IF, p->at);
  ck_expect(p, "if");
  ck_expect(p, "(");
  x->condition = condition(p);
  ck_expect(p, ",");
  x->left = sum(p, BODY);
  ck_expect(p, ",");
  x->right = sum(p, BODY);
  ck_expect(p, ")");
  return x;
}

static ck_scalar_kind reduction_kind(const ck_token *t) {
  return ck_token_is(t, "sum")    ? CK_S_SUM
         : ck_token_is(t, "prod") ? CK_S_PROD
         : ck_token_is(t, "max")  ? CK_S_MAX
                                  : CK_S_MIN;
}

static bool reduction_begins(const ck_parser *p) {
  bool word = ck_at(p, "sum") || ck_at(p, "prod") || ck_at(p, "max") || ck_at(p, "min");
  return word && ck_token_is(p->at + 1, "(") && p->at[2].kind == CK_T_NAME &&
         ck_token_is(p->at + 3, "<");
}

/* sum(k < n) body */
static ck_scalar *reduction(ck_parser *p) {
  ck_scalar *x = scalar(p, reduction_kind(p->at), p->at);
  p->at++;
  ck_expect(p, "(");
  x->counter = ck_new_name(p)->text;
  ck_expect(p, "<");
  x->left = sum(p, BODY);
  ck_expect(p, ")");
  x->right = product(p, BODY);
  return x;
}

static ck_scalar *function_call(ck_parser *p, grammar g) {
  ck_scalar *x = scalar(p, CK_S_CALL, p->at);
  ck_scalar **end = &x->arguments;
  ck_called_name(p);
  ck_expect(p, "(");
  do {
    *end = sum(p, g);
    end = &(*end)->next;
    x->n++;
  } while (ck_list_goes_on(p, ")"));
  if (g == SIZE && !(x->n == 2 && (ck_token_is(x->at, "max") || ck_token_is(x->at, "min"))))
    ck_refuse(p->job, x->at, "no function of sizes is called %s", x->at->text);
  return x;
}

static ck_scalar *access(ck_parser *p) {
  ck_scalar *x = scalar(p, CK_S_ACCESS, p->at);
  ck_subscript **end = &x->indices;
  ck_new_name(p);
  ck_expect(p, "[");
  if (ck_accept(p, "]"))
    return x;
  do {
    ck_subscript *i = *end = ck_keep(p->job, sizeof *i);
    end = &i->next;
    x->n++;
    i->kind = ck_accept(p, "~") ? CK_I_FITTED : ck_accept(p, "..") ? CK_I_LIST : CK_I_ONE;
    i->at = p->at;
    if (i->kind == CK_I_ONE)
      i->value = sum(p, BODY);
    else
      i->list = ck_new_name(p)->text;
  } while (ck_list_goes_on(p, "]"));
  return x;
}

static ck_scalar *atom(ck_parser *p, grammar g) {
  const ck_token *t = p->at;
  bool body = g == BODY;
  if (t->kind == CK_T_NUMBER) {
    if (!body && !t->whole)
      ck_refuse(p->job, t, "whole number expected");
    return scalar(p, CK_S_NUMBER, p->at++);
  }
  if (body && ck_at(p, "if"))
    return conditional(p);
  if (body && reduction_begins(p))
    return reduction(p);
  if (t->kind == CK_T_NAME && ck_token_is(t + 1, "("))
    return function_call(p, g);
  if (body && t->kind == CK_T_NAME && ck_token_is(t + 1, "["))
    return access(p);
  if (!ck_accept(p, "("))
    return scalar(p, CK_S_NAME, ck_new_name(p));
  ck_scalar *x = sum(p, g);
  ck_expect(p, ")");
  return x;
}

static ck_scalar *unary(ck_parser *p, grammar g) {
  ck_scalar *x;
  ck_nest(p);
  if (ck_at(p, "-")) {
    x = scalar(p, CK_S_NEG, p->at++);
    x->left = unary(p, g);
  } else {
    x = atom(p, g);
  }
  p->nesting--;
  return x;
}

static ck_scalar *product(ck_parser *p, grammar g) {
  ck_scalar *x = unary(p, g);
  for (;;) {
    const ck_token *at = p->at;
    if (ck_accept(p, "*"))
      x = binary(p, CK_S_MUL, at, x, unary(p, g));
    else if (g == BODY && ck_accept(p, "/"))
      x = binary(p, CK_S_QUOTIENT, at, x, unary(p, g));
    else if (ck_accept(p, "div"))
      x = binary(p, CK_S_DIV, at, x, unary(p, g));
    else if (ck_accept(p, "mod"))
      x = binary(p, CK_S_MOD, at, x, unary(p, g));
    else
      return x;
  }
}

static ck_scalar *sum(ck_parser *p, grammar g) {
  ck_scalar *x = product(p, g);
  for (;;) {
    const ck_token *at = p->at;
    if (ck_accept(p, "+"))
      x = binary(p, CK_S_ADD, at, x, product(p, g));
    else if (ck_accept(p, "-"))
      x = binary(p, CK_S_SUB, at, x, product(p, g));
    else
      return x;
  }
}

ck_scalar *ck_parse_size(ck_parser *p) {
  return sum(p, SIZE);
}

ck_scalar *ck_parse_scalar(ck_parser *p) {
  return sum(p, BODY);
}

/* if(r, 1, if(.., 1, 0)), a choice for each of the relations that `or` joins */
static ck_scalar *either(ck_parser *p, ck_relation *r) {
  ck_nest(p);
  ck_scalar *x = binary(p, CK_S_IF, r->at, number(p, "1"), NULL);
  x->condition = ck_keep(p->job, sizeof *x->condition);
  x->condition->relation = r;
  x->right = ck_accept(p, "or") ? either(p, relation(p, SIZE)) : number(p, "0");
  p->nesting--;
  return x;
}

/* a relation, or of several that `or` joins: 0 < if(r, 1, ..) */
static ck_relation *stated(ck_parser *p) {
  ck_relation *r = relation(p, SIZE);
  if (!ck_at(p, "or"))
    return r;
  ck_relation *any = ck_keep(p->job, sizeof *any);
  *any = (ck_relation){.at = r->at, .op = CK_LT, .left = number(p, "0"), .right = either(p, r)};
  return any;
}

ck_relation *ck_parse_relations(ck_parser *p, bool with_or) {
  ck_relation *first = NULL;
  ck_relation **end = &first;
  do {
    *end = with_or ? stated(p) : relation(p, SIZE);
    end = &(*end)->next;
  } while (ck_accept(p, ","));
  return first;
}
