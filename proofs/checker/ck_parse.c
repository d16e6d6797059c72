/* The cursor, and expressions: sizes, bodies, conditions, tensors. */
#include "ck_tree.h"
#include <stdlib.h>

/* --- the cursor */
void ck_wrong(ck_parser *p, const char *what) {
  ck_refuse(p->job, p->at, "%s", what);
  p->at = p->at->file->end;
}

bool ck_at(const ck_parser *p, const char *text) {
  return ck_token_is(p->at, text);
}

bool ck_before(const ck_parser *p, const char *text) {
  return p->at->kind != CK_T_END && !ck_at(p, text);
}

bool ck_accept(ck_parser *p, const char *text) {
  bool there = ck_at(p, text);
  p->at += there;
  return there;
}

void ck_expect(ck_parser *p, const char *text) {
  if (!ck_accept(p, text))
    ck_wrong(p, ck_keep_text(p->job, "'%s' expected", text));
}

bool ck_goes_on(ck_parser *p, const char *close) {
  if (ck_accept(p, ","))
    return true;
  ck_expect(p, close);
  return false;
}

void ck_line_end(ck_parser *p) {
  if (p->at->kind == CK_T_LINE_END)
    p->at++;
  else
    ck_wrong(p, "end of line expected");
}

static void nest(ck_parser *p) {
  if (!ck_within(p->job, p->at, CK_LIMIT_NESTING, ++p->nesting))
    p->at = p->at->file->end;
}

const ck_token *ck_new_name(ck_parser *p) {
  const ck_token *name = p->at;
  if (name->kind != CK_T_NAME)
    ck_wrong(p, "name expected");
  else if (ck_is_reserved(name))
    ck_wrong(p, "this word is reserved");
  else
    p->at++;
  return name;
}

const ck_token *ck_called_name(ck_parser *p) {
  bool word = ck_at(p, "sum") || ck_at(p, "max") || ck_at(p, "min") || ck_at(p, "div");
  return word ? p->at++ : ck_new_name(p);
}

long ck_small_number(ck_parser *p) {
  const ck_token *number = p->at;
  if (number->kind != CK_T_NUMBER || !number->whole)
    ck_wrong(p, "whole number expected");
  else if (ck_within(p->job, number, CK_LIMIT_DIGITS, strlen(number->text)))
    p->at++;
  return strtol(number->text, NULL, 10);
}

/* --- expressions.  A size is a body without real division, accesses, reductions, conditions and
 * functions other than max and min; of tensors are matrix products, items and calls of operators.
 */
static ck_expr *expr(ck_parser *p, ck_expr_kind kind, const ck_token *at) {
  ck_expr *x = ck_keep(p->job, sizeof *x);
  x->kind = kind;
  x->at = at;
  return x;
}

/* an expression that begins with, or follows, the one at its left */
static ck_expr *after(ck_parser *p, ck_expr_kind kind, const ck_token *at, ck_expr *left) {
  ck_expr *x = expr(p, kind, at);
  x->left = left;
  left->up = x;
  return x;
}

static void relation(ck_parser *p, ck_expr *x, ck_grammar g) {
  static const struct {
    const char *sign;
    ck_op op;
    bool swapped;
  } signs[] = {{"=", CK_EQ, false},  {"!=", CK_NE, false}, {"<", CK_LT, false},
               {"<=", CK_LE, false}, {">", CK_LT, true},   {">=", CK_LE, true}};

  enum { N_SIGNS = sizeof signs / sizeof *signs };

  size_t i = 0;
  x->kind = CK_X_RELATION;
  x->at = p->at;
  x->left = ck_parse_expr(p, g);
  while (i < N_SIGNS && !ck_accept(p, signs[i].sign))
    i++;
  if (i == N_SIGNS) {
    ck_wrong(p, "relation expected: = != < <= > >=");
    return;
  }
  x->op = signs[i].op;
  x->swapped = signs[i].swapped;
  x->right = ck_parse_expr(p, g);
}

static ck_expr *condition(ck_parser *p, int level);

/* "(" is a condition's if what follows its mate does not go on with a scalar or a relation */
static bool condition_in_parentheses(const ck_parser *p) {
  const ck_token *next = ck_at(p, "(") ? p->at->mate + 1 : NULL;
  bool sign = next && next->kind == CK_T_SIGN && strchr("+-*/=<>!", *next->text);
  return next && !sign && !ck_token_is(next, "div") && !ck_token_is(next, "mod");
}

static ck_expr *simple_condition(ck_parser *p) {
  ck_expr *c = expr(p, CK_X_NOT, p->at);
  nest(p);
  if (ck_accept(p, "not")) {
    c->left = simple_condition(p);
  } else if (condition_in_parentheses(p)) {
    ck_expect(p, "(");
    c = condition(p, 0);
    ck_expect(p, ")");
  } else {
    relation(p, c, CK_BODY);
  }
  p->nesting--;
  return c;
}

/* c1 or (c2 or ..), at level 0; c1 and (c2 and ..), at level 1 */
static ck_expr *condition(ck_parser *p, int level) {
  const ck_token *at = p->at;
  nest(p);
  ck_expr *c = level ? simple_condition(p) : condition(p, 1);
  if (ck_accept(p, level ? "and" : "or")) {
    ck_expr *joined = expr(p, level ? CK_X_AND : CK_X_OR, at);
    joined->left = c;
    joined->right = condition(p, level);
    c = joined;
  }
  p->nesting--;
  return c;
}

/* if(condition, value, value) */
static ck_expr *conditional(ck_parser *p) {
  ck_expr *x = expr(p, CK_X_IF, p->at++);
  ck_expect(p, "(");
  x->condition = condition(p, 0);
  ck_expect(p, ",");
  x->left = ck_parse_expr(p, CK_BODY);
  ck_expect(p, ",");
  x->right = ck_parse_expr(p, CK_BODY);
  ck_expect(p, ")");
  return x;
}

static ck_expr *infix(ck_parser *p, ck_grammar g, int level);

/* sum(k < n) body; NULL: none begins here */
static ck_expr *reduction(ck_parser *p) {
  static const char *const words[] = {"sum", "prod", "max", "min"};
  int i = 0;
  while (i < 4 && !ck_at(p, words[i]))
    i++;
  if (i == 4 || !ck_token_is(p->at + 1, "(") || p->at[2].kind != CK_T_NAME ||
      !ck_token_is(p->at + 3, "<"))
    return NULL;
  ck_expr *x = expr(p, CK_X_SUM + i, p->at++);
  ck_expect(p, "(");
  x->name = ck_new_name(p)->text;
  ck_expect(p, "<");
  x->left = ck_parse_expr(p, CK_BODY);
  ck_expect(p, ")");
  x->right = infix(p, CK_BODY, 1);
  return x;
}

/* what no text has, as if it stood at that place */
static const ck_token *written(ck_parser *p, const ck_token *at, ck_token_kind kind,
                               const char *text) {
  ck_token *t = ck_keep(p->job, sizeof *t);
  *t = *at;
  t->kind = kind;
  t->whole = true;
  t->text = text;
  return t;
}

static ck_expr *written_number(ck_parser *p, const ck_token *at, long n) {
  ck_expr *x = expr(p, CK_X_NUMBER, NULL);
  x->at = written(p, at, CK_T_NUMBER, ck_keep_text(p->job, "%ld", labs(n)));
  x->negative = n < 0;
  return x;
}

static void give(ck_parser *p, ck_expr *call, const ck_token *at, const char *attribute,
                 ck_expr *value) {
  ck_decl *a = ck_add(p->job, &call->attributes, sizeof *a);
  a->at = written(p, at, CK_T_NAME, attribute);
  a->value = value;
}

/* [n, ..]: axes */
static void axes(ck_parser *p, ck_decl *a) {
  do {
    bool negative = ck_accept(p, "-");
    long axis = ck_small_number(p);
    if (!ck_within(p->job, p->at, CK_LIMIT_ARGUMENTS, a->n_axes + 1) ||
        !ck_within(p->job, p->at, CK_LIMIT_AXES, (uint64_t)axis + 1))
      return;
    a->axes[a->n_axes++] = negative ? -axis : axis;
  } while (ck_goes_on(p, "]"));
}

/* op(t, axis = [a, ..]): calls, each of the result of the one before (proofs/CLAIM.md section 5).
 * `transpose` exchanges until each axis is at its place, others take one axis after the other, such
 * that those still to come keep their numbers. */
static ck_expr *over_axes(ck_parser *p, const ck_expr *x, const ck_decl *list) {
  bool permutes = strcmp(x->name, "transpose") == 0;
  bool from_right = list->axes[0] < 0;
  long now[] = {0, 1, 2, 3, 4, 5, 6, 7};
  ck_expr *t = x->arguments.first;
  CK_BELOW(i, list->n_axes) {
    long number = list->axes[i];
    uint32_t k = i;
    while (permutes && k < list->n_axes && now[k] != number)
      k++;
    if (permutes ? k == list->n_axes
                 : i > 0 && (number <= list->axes[i - 1] || (number < 0) != from_right)) {
      ck_refuse(p->job, list->at, "axes in order, from one end, or a permutation expected");
      return t;
    }
    now[k] = now[i];
    if (permutes && k == i)
      continue;
    t = after(p, CK_X_CALL, x->at, t);
    t->name = permutes ? "swap_axes" : x->name;
    number = permutes ? (long)i : list->axes[from_right ? i : list->n_axes - 1 - i];
    give(p, t, list->at, permutes ? "first" : "axis", written_number(p, list->at, number));
    if (permutes)
      give(p, t, list->at, "second", written_number(p, list->at, k));
  }
  if (t == x->arguments.first)
    ck_refuse(p->job, list->at, "this permutation leaves every axis where it is");
  return t;
}

/* NAME = a number, also one that is not whole, or a size expression; the first one also a list */
static void attribute(ck_parser *p, ck_list *to) {
  ck_decl *a = ck_add(p->job, to, sizeof *a);
  a->at = ck_new_name(p);
  ck_expect(p, "=");
  const ck_token *number = p->at + ck_at(p, "-");
  if (to->n == 1 && ck_accept(p, "["))
    axes(p, a);
  else if (number->kind == CK_T_NUMBER && !number->whole)
    a->value = ck_parse_number(p);
  else
    a->value = ck_parse_expr(p, CK_SIZE);
}

/* op(.., keepdims = 1) is op_keep(..), and keepdims = 0 is nothing */
static bool keeps_axes(ck_parser *p, ck_expr *x) {
  if (!ck_accept(p, "keepdims"))
    return false;
  ck_expect(p, "=");
  long keeps = ck_small_number(p);
  if (keeps > 1)
    ck_wrong(p, "0 or 1 expected");
  if (keeps == 1)
    x->name = ck_keep_text(p->job, "%s_keep", x->name);
  return true;
}

/* f(a, ..), of tensors f(a, .., attribute, ..) */
static ck_expr *call(ck_parser *p, ck_grammar g) {
  ck_expr *x = expr(p, CK_X_CALL, ck_called_name(p));
  uint32_t n_given = 0;
  x->name = x->at->text;
  ck_expect(p, "(");
  if (g == CK_TENSOR && ck_accept(p, ")"))
    return x;
  do {
    const ck_token *at = p->at;
    bool given = g == CK_TENSOR && at->kind == CK_T_NAME && ck_token_is(at + 1, "=");
    n_given += given;
    if (!given && n_given)
      ck_wrong(p, "tensors come before attributes");
    else if (!given)
      ck_link(&x->arguments, ck_parse_expr(p, g));
    else if (!keeps_axes(p, x))
      attribute(p, &x->attributes);
    if (g == CK_TENSOR)
      ck_within(p->job, at, CK_LIMIT_ARGUMENTS, given ? n_given : x->arguments.n);
  } while (ck_goes_on(p, ")"));
  bool of_sizes = x->arguments.n == 2 && (ck_token_is(x->at, "max") || ck_token_is(x->at, "min"));
  if (g == CK_SIZE && !of_sizes)
    ck_refuse(p->job, x->at, "no function of sizes is called %s", x->name);
  const ck_decl *first = x->attributes.first;
  if (!first || !first->n_axes)
    return x;
  if (!first->next && x->arguments.n == 1 && ck_token_is(first->at, "axis"))
    return over_axes(p, x, first);
  ck_refuse(p->job, first->at, "axis = [..] is the only attribute, of one tensor");
  return x;
}

/* one item of t[..]: `none`, [start]:[stop][:step], or a bare colon, which leaves its axis alone */
static ck_expr *item(ck_parser *p, ck_expr *t, uint32_t axis) {
  const ck_token *at = p->at;
  bool none = ck_accept(p, "none");
  ck_expr *x = after(p, none ? CK_X_CALL : CK_X_ITEM, at, t);
  ck_expr *start = none || ck_at(p, ":") ? NULL : ck_parse_expr(p, CK_SIZE);
  if (!none)
    ck_expect(p, ":");
  bool ends = none || ck_at(p, ":") || ck_at(p, ",") || ck_at(p, "]");
  ck_expr *stop = ends ? NULL : ck_parse_expr(p, CK_SIZE);
  ck_expr *step = !none && ck_accept(p, ":") ? ck_parse_expr(p, CK_SIZE) : NULL;
  x->axis = axis;
  give(p, x, at, "axis", written_number(p, at, axis));
  if (none) {
    x->name = "expand_dims";
  } else if (start || stop || step) {
    x->name = "slice";
    give(p, x, at, "start", start ? start : written_number(p, at, 0));
    give(p, x, at, "stop", stop);
    give(p, x, at, "step", step ? step : written_number(p, at, 1));
  }
  return x;
}

static ck_expr *access(ck_parser *p) {
  ck_expr *x = expr(p, CK_X_ACCESS, ck_new_name(p));
  ck_parse_parts(p, &x->indices, CK_INDICES);
  return x;
}

static ck_expr *atom(ck_parser *p, ck_grammar g) {
  const ck_token *t = p->at;
  ck_expr *x = NULL;
  if (g == CK_BODY)
    x = ck_at(p, "if") ? conditional(p) : reduction(p);
  if (x)
    return x;
  if (t->kind == CK_T_NUMBER) {
    if (g == CK_SIZE && !t->whole)
      ck_wrong(p, "whole number expected");
    else
      p->at++;
    x = expr(p, CK_X_NUMBER, t);
  } else if (t->kind == CK_T_NAME && ck_token_is(t + 1, "(")) {
    x = call(p, g);
  } else if (g == CK_BODY && t->kind == CK_T_NAME && ck_token_is(t + 1, "[")) {
    x = access(p);
  } else if (ck_accept(p, "(")) {
    x = ck_parse_expr(p, g);
    ck_expect(p, ")");
  } else {
    x = expr(p, CK_X_NAME, ck_new_name(p));
  }
  while (g == CK_TENSOR && ck_accept(p, "[")) {
    uint32_t axis = 0;
    do
      x = item(p, x, axis++);
    while (ck_goes_on(p, "]"));
  }
  return x;
}

/* A body nests by each operand; an expression of tensors by each parenthesis, argument and sign,
 * where the sign of a number is part of it. */
static ck_expr *unary(ck_parser *p, ck_grammar g) {
  bool minus = ck_at(p, "-");
  bool number =
      minus && g == CK_TENSOR && p->at[1].kind == CK_T_NUMBER && !ck_token_is(p->at + 2, "[");
  bool nests = minus || g != CK_TENSOR;
  ck_expr *x;
  if (nests)
    nest(p);
  if (number) {
    x = ck_parse_number(p);
  } else if (minus) {
    const ck_token *at = p->at++;
    ck_expr *operand = unary(p, g);
    x = g == CK_TENSOR ? after(p, CK_X_NEG, at, operand) : expr(p, CK_X_NEG, at);
    x->left = operand;
    x->name = "neg";
  } else {
    x = atom(p, g);
  }
  p->nesting -= nests;
  return x;
}

/* level 0: sums; level 1: products */
static ck_expr *infix(ck_parser *p, ck_grammar g, int level) {
  static const struct {
    int level;
    const char *sign;
    ck_expr_kind kind;
    int grammars;
    const char *called; /* between tensors */
  } signs[] = {{0, "+", CK_X_ADD, CK_SIZE | CK_BODY | CK_TENSOR, "add"},
               {0, "-", CK_X_SUB, CK_SIZE | CK_BODY | CK_TENSOR, "sub"},
               {1, "*", CK_X_MUL, CK_SIZE | CK_BODY | CK_TENSOR, "mul"},
               {1, "/", CK_X_QUOTIENT, CK_BODY | CK_TENSOR, "div"},
               {1, "@", CK_X_MATMUL, CK_TENSOR, "matmul"},
               {1, "div", CK_X_DIV, CK_SIZE | CK_BODY, ""},
               {1, "mod", CK_X_MOD, CK_SIZE | CK_BODY, ""}};

  enum { N_SIGNS = sizeof signs / sizeof *signs };

  ck_expr *x = level ? unary(p, g) : infix(p, g, 1);
  for (size_t i = 0; i < N_SIGNS;) {
    const ck_token *at = p->at;
    if (signs[i].level != level || !(signs[i].grammars & (int)g) || !ck_accept(p, signs[i].sign)) {
      i++;
      continue;
    }
    x = after(p, signs[i].kind, at, x);
    x->right = level ? unary(p, g) : infix(p, g, 1);
    x->name = signs[i].called;
    if (g == CK_TENSOR)
      ck_link(&x->arguments, x->right);
    i = 0;
  }
  return x;
}

ck_expr *ck_parse_expr(ck_parser *p, ck_grammar g) {
  if (g == CK_TENSOR)
    nest(p);
  ck_expr *x = infix(p, g, 0);
  p->nesting -= g == CK_TENSOR;
  return x;
}

ck_expr *ck_parse_number(ck_parser *p) {
  bool negative = ck_accept(p, "-");
  ck_expr *x = expr(p, CK_X_NUMBER, p->at);
  x->negative = negative;
  if (p->at->kind == CK_T_NUMBER)
    p->at++;
  else
    ck_wrong(p, "number expected");
  return x;
}

/* --- relations that are stated, and alternatives between them */
/* between sizes: if(r, 1, if(.., 1, 0)), a choice for each of the relations that `or` joins */
static ck_expr *either(ck_parser *p, ck_expr *r) {
  ck_expr *x = expr(p, CK_X_IF, r->at);
  nest(p);
  x->condition = r;
  x->left = written_number(p, p->at, 1);
  if (ck_accept(p, "or")) {
    ck_expr *other = expr(p, CK_X_RELATION, p->at);
    relation(p, other, CK_SIZE);
    x->right = either(p, other);
  } else {
    x->right = written_number(p, p->at, 0);
  }
  p->nesting--;
  return x;
}

/* the truth value of a relation between tensors */
static ck_expr *truth(ck_parser *p, const ck_expr *r) {
  static const char *const ops[] = {
      [CK_EQ] = "equal", [CK_NE] = "not_equal", [CK_LE] = "less_equal", [CK_LT] = "less"};
  ck_expr *x = expr(p, CK_X_CALL, r->at);
  x->name = ops[r->op];
  ck_link(&x->arguments, r->swapped ? r->right : r->left);
  ck_link(&x->arguments, r->swapped ? r->left : r->right);
  return x;
}

/* between tensors: logical_or(logical_or(a, b), ..) of truth values */
static ck_expr *any_of(ck_parser *p, const ck_expr *r) {
  ck_expr *any = truth(p, r);
  while (ck_accept(p, "or")) {
    ck_expr other = {.next = NULL};
    relation(p, &other, CK_TENSOR);
    if (!other.right)
      break;
    any = after(p, CK_X_CALL, r->at, any);
    any->name = "logical_or";
    ck_link(&any->arguments, truth(p, &other));
  }
  return any;
}

/* What `or` joins is the one relation 0 < alternatives. */
static void stated(ck_parser *p, ck_expr *r, ck_grammar g, bool with_or) {
  relation(p, r, g);
  if (!with_or || !ck_at(p, "or"))
    return;
  ck_expr *first = ck_keep(p->job, sizeof *first);
  *first = *r;
  r->right = g == CK_TENSOR ? any_of(p, first) : either(p, first);
  r->left = written_number(p, p->at, 0);
  r->op = CK_LT;
  r->swapped = false;
}

void ck_parse_relations(ck_parser *p, ck_list *to, ck_grammar g, bool with_or) {
  do
    stated(p, ck_add(p->job, to, sizeof(ck_expr)), g, with_or);
  while (ck_accept(p, ","));
}

ck_expr *ck_parse_condition(ck_parser *p) {
  return condition(p, 0);
}

ck_expr *ck_parse_access(ck_parser *p) {
  return access(p);
}

ck_expr *ck_choice(ck_parser *p, ck_expr *condition, ck_expr *yes, ck_expr *no) {
  ck_expr *x = expr(p, CK_X_IF, yes->at);
  x->condition = condition;
  x->left = yes;
  x->right = no;
  return x;
}

/* --- parts in brackets */
static void part(ck_parser *p, ck_part *a, ck_part_place where) {
  a->at = p->at;
  if (ck_accept(p, "..")) {
    a->kind = CK_P_LIST;
    a->name = ck_new_name(p)->text;
    if (where == CK_SHAPE && ck_accept(p, "@"))
      a->value = ck_parse_expr(p, CK_SIZE);
  } else if (where == CK_INDICES && ck_accept(p, "~")) {
    a->kind = CK_P_FITTED;
    a->name = ck_new_name(p)->text;
  } else if (where == CK_RESULT && ck_at(p, "broadcast") && ck_token_is(p->at + 1, "(")) {
    p->at++;
    ck_expect(p, "(");
    a->kind = CK_P_BROADCAST;
    a->first = ck_new_name(p)->text;
    ck_expect(p, ",");
    a->second = ck_new_name(p)->text;
    ck_expect(p, ")");
    ck_expect(p, "as");
    a->name = ck_new_name(p)->text;
  } else if (where == CK_LEFT) {
    a->name = ck_new_name(p)->text;
  } else {
    a->value = ck_parse_expr(p, where == CK_INDICES ? CK_BODY : CK_SIZE);
    if (where == CK_TILE && ck_accept(p, "upto"))
      a->whole = ck_parse_expr(p, CK_SIZE);
  }
}

void ck_parse_parts(ck_parser *p, ck_list *to, ck_part_place where) {
  ck_expect(p, "[");
  if (ck_accept(p, "]"))
    return;
  do
    part(p, ck_add(p->job, to, sizeof(ck_part)), where);
  while (ck_goes_on(p, "]"));
}
