/* .sem files: recursive descent after docs/language.md. */
#include "builtin.h"
#include "expr_parse.h"
#include "oplib_int.h"
#include "src/base/hash.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  as_lexed *lexed;
  as_oplib *lib;
} sem_parser;

static as_expr *p_scalar(sem_parser *parser);
static as_expr *p_cond(sem_parser *parser);
static as_expr *p_prod(sem_parser *parser);

static as_expr *make_binary(sem_parser *parser, as_ekind kind, const as_token *token, as_expr *left,
                            as_expr *right) {
  if (left == NULL || right == NULL)
    return NULL;
  as_expr *expr = as_oplib_new_expr(parser->lib, kind, 2, token);
  expr->kid[0] = left;
  expr->kid[1] = right;
  return expr;
}

static as_expr *make_unary(sem_parser *parser, as_ekind kind, const as_token *token,
                           as_expr *left) {
  if (left == NULL)
    return NULL;
  as_expr *expr = as_oplib_new_expr(parser->lib, kind, 1, token);
  expr->kid[0] = left;
  return expr;
}

static as_expr *make_name(sem_parser *parser, const as_token *token) {
  as_expr *expr = as_oplib_new_expr(parser->lib, AS_E_NAME, 0, token);
  expr->name = as_arena_strdup(parser->lib->mem, token->s);
  return expr;
}

static as_expr *p_number(sem_parser *parser) {
  as_expr *expr = as_oplib_new_expr(parser->lib, AS_E_NUM, 0, as_tok(parser->lexed));
  return as_tok_number(parser->lexed, expr->num) ? expr : NULL;
}

/* --- size expressions of patterns, requires: the scalar tree restricted to + - * div mod max min
 */
static as_expr *p_size(sem_parser *parser);

static as_expr *p_size_factor(sem_parser *parser) {
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  as_expr *expr = NULL;
  if (!as_lex_enter(lexed))
    return NULL;
  if (as_tok_take(lexed, '-')) {
    expr = make_unary(parser, AS_E_NEG, token, p_size_factor(parser));
  } else if (as_tok_take(lexed, '(')) {
    expr = p_size(parser);
    if (expr && !as_tok_want(lexed, ')', "`)`"))
      expr = NULL;
  } else if (as_tok_is(lexed, AS_T_NUMBER)) {
    expr = p_number(parser);
    if (expr && mpz_cmp_ui(mpq_denref(expr->num), 1) != 0) {
      as_lex_fail(lexed, token, "a size must be an integer");
      expr = NULL;
    }
  } else if ((as_tok_word(lexed, "max") || as_tok_word(lexed, "min")) &&
             as_tok_next(lexed)->kind == '(') {
    as_expr *left;
    as_expr *right;
    lexed->at += 2;
    if ((left = p_size(parser)) != NULL && as_tok_want(lexed, ',', "`,`") &&
        (right = p_size(parser)) != NULL && as_tok_want(lexed, ')', "`)`"))
      expr = make_binary(parser, strcmp(token->s, "max") == 0 ? AS_E_MAX2 : AS_E_MIN2, token, left,
                         right);
  } else if (as_tok_new_name(lexed, "a size") != NULL) {
    expr = make_name(parser, token);
  }
  lexed->depth--;
  return expr;
}

static as_expr *p_size_product(sem_parser *parser) {
  as_expr *left = p_size_factor(parser);
  for (;;) {
    const as_token *token = as_tok(parser->lexed);
    as_ekind kind = token->kind == '*'                  ? AS_E_MUL
                    : as_tok_word(parser->lexed, "div") ? AS_E_IDIV
                                                        : AS_E_MOD;
    if (left == NULL || (token->kind != '*' && !as_tok_word(parser->lexed, "div") &&
                         !as_tok_word(parser->lexed, "mod")))
      return left;
    parser->lexed->at++;
    left = make_binary(parser, kind, token, left, p_size_factor(parser));
  }
}

static as_expr *p_size(sem_parser *parser) {
  as_expr *left = p_size_product(parser);
  for (;;) {
    const as_token *token = as_tok(parser->lexed);
    if (left == NULL || (token->kind != '+' && token->kind != '-'))
      return left;
    parser->lexed->at++;
    left = make_binary(parser, token->kind == '+' ? AS_E_ADD : AS_E_SUB, token, left,
                       p_size_product(parser));
  }
}

/* --- scalars */
static bool p_access_item(sem_parser *parser, as_expr *expr) {
  as_lexed *lexed = parser->lexed;
  as_ixkind k = as_tok_take(lexed, AS_T_DOTS) ? AS_IX_LIST
                : as_tok_take(lexed, '~')     ? AS_IX_BCAST
                                              : AS_IX_SCALAR;
  as_expr *kid = NULL;
  const char *name = NULL;
  if (k != AS_IX_SCALAR) {
    if ((name = as_tok_new_name(lexed, "the name of a list of axes")) == NULL)
      return false;
    name = as_arena_strdup(parser->lib->mem, name);
  } else if ((kid = p_scalar(parser)) == NULL) {
    return false;
  }
  if (expr->n >= 8)
    return as_lex_fail(lexed, as_tok(lexed), "more than 8 indices");
  expr->kid[expr->n] = kid;
  expr->acc[expr->n] = k;
  expr->acc_name[expr->n++] = name;
  return true;
}

static as_expr *p_access(sem_parser *parser, const as_token *token) {
  as_expr *expr = as_oplib_new_expr(parser->lib, AS_E_ACCESS, 8, token);
  expr->n = 0;
  expr->name = as_arena_strdup(parser->lib->mem, token->s);
  expr->acc = as_arena_alloc(parser->lib->mem, 8 * sizeof *expr->acc);
  expr->acc_name = as_arena_alloc(parser->lib->mem, 8 * sizeof *expr->acc_name);
  if (as_tok_take(parser->lexed, ']'))
    return expr;
  do
    if (!p_access_item(parser, expr))
      return NULL;
  while (as_tok_take(parser->lexed, ','));
  return as_tok_want(parser->lexed, ']', "`]` or `,`") ? expr : NULL;
}

static as_expr *p_call(sem_parser *parser, const as_token *token) {
  static const struct {
    const char *name;
    as_ekind k;
    uint32_t n;
  } known[] = {{"exp", AS_E_EXP, 1}, {"log", AS_E_LOG, 1}, {"sqrt", AS_E_SQRT, 1},
               {"inv", AS_E_INV, 1}, {"abs", AS_E_ABS, 1}, {"max", AS_E_MAX2, 2},
               {"min", AS_E_MIN2, 2}};

  as_expr *arg[8];
  uint32_t n = 0;
  do {
    if (n == 8) {
      as_lex_fail(parser->lexed, as_tok(parser->lexed), "more than 8 arguments");
      return NULL;
    }
    if ((arg[n++] = p_scalar(parser)) == NULL)
      return NULL;
  } while (as_tok_take(parser->lexed, ','));
  if (!as_tok_want(parser->lexed, ')', "`)` or `,`"))
    return NULL;
  as_ekind kind = AS_E_CALL;
  uint32_t want = 0;
  const as_func *func = NULL;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(token->s, known[i].name) == 0) {
      kind = known[i].k;
      want = known[i].n;
    }
  }
  if (kind == AS_E_CALL) {
    if ((func = as_oplib_func(parser->lib, token->s)) == NULL) {
      as_lex_fail(parser->lexed, token,
                  "unknown function `%s` (a function is known from its definition on, and "
                  "definitions cannot be cyclic)",
                  token->s);
      return NULL;
    }
    want = func->n;
  }
  if (n != want) {
    as_lex_fail(parser->lexed, token, "`%s` takes %u argument%s, not %u", token->s, want,
                want == 1 ? "" : "s", n);
    return NULL;
  }
  as_expr *expr = as_oplib_new_expr(parser->lib, kind, n, token);
  memcpy(expr->kid, arg, n * sizeof *arg);
  expr->func = func;
  if (func)
    expr->name = func->name;
  return expr;
}

static as_expr *p_reduction(sem_parser *parser, const as_token *token) {
  static const struct {
    const char *name;
    as_ekind k;
  } kinds[] = {{"sum", AS_E_SUM}, {"prod", AS_E_PROD}, {"max", AS_E_MAXR}, {"min", AS_E_MINR}};

  as_ekind kind = AS_E_SUM;
  for (size_t i = 0; i < 4; i++) {
    if (strcmp(token->s, kinds[i].name) == 0)
      kind = kinds[i].k;
  }
  const char *ix = as_tok_new_name(parser->lexed, "an index");
  if (ix == NULL || !as_tok_want(parser->lexed, '<', "`<`"))
    return NULL;
  ix = as_arena_strdup(parser->lib->mem, ix);
  as_expr *bound = p_scalar(parser);
  if (bound == NULL || !as_tok_want(parser->lexed, ')', "`)`"))
    return NULL;
  as_expr *expr = make_binary(parser, kind, token, bound, p_prod(parser));
  if (expr)
    expr->name = ix;
  return expr;
}

static as_expr *p_if(sem_parser *parser, const as_token *token) {
  as_lexed *lexed = parser->lexed;
  as_expr *c = NULL;
  as_expr *left = NULL;
  as_expr *right = NULL;
  if (!as_tok_want(lexed, '(', "`(`") || !(c = p_cond(parser)) || !as_tok_want(lexed, ',', "`,`") ||
      !(left = p_scalar(parser)) || !as_tok_want(lexed, ',', "`,`") ||
      !(right = p_scalar(parser)) || !as_tok_want(lexed, ')', "`)`"))
    return NULL;
  as_expr *expr = as_oplib_new_expr(parser->lib, AS_E_IF, 3, token);
  expr->kid[0] = c;
  expr->kid[1] = left;
  expr->kid[2] = right;
  return expr;
}

static bool word_in(const as_token *token, const char *const *words) {
  if (token->kind != AS_T_NAME)
    return false;
  for (; *words; words++) {
    if (strcmp(token->s, *words) == 0)
      return true;
  }
  return false;
}

static as_expr *p_atom(sem_parser *parser) {
  static const char *const reducing[] = {"sum", "prod", "max", "min", NULL};
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  if (token->kind == AS_T_NUMBER)
    return p_number(parser);
  if (as_tok_take(lexed, '(')) {
    as_expr *expr = p_scalar(parser);
    return expr && as_tok_want(lexed, ')', "`)`") ? expr : NULL;
  }
  if (token->kind != AS_T_NAME) {
    as_tok_want(lexed, AS_T_NAME, "a scalar expression");
    return NULL;
  }
  lexed->at++;
  if (strcmp(token->s, "if") == 0)
    return p_if(parser, token);
  if (as_tok_take(lexed, '(')) {
    const as_token *n = as_tok(lexed);
    if (word_in(token, reducing) && n->kind == AS_T_NAME && as_tok_next(lexed)->kind == '<')
      return p_reduction(parser, token);
    return p_call(parser, token);
  }
  if (as_word_reserved(token->s)) {
    as_lex_fail(lexed, token, "`%s` is a reserved word", token->s);
    return NULL;
  }
  if (as_tok_take(lexed, '['))
    return p_access(parser, token);
  return make_name(parser, token);
}

static as_expr *p_unary(sem_parser *parser) {
  const as_token *token = as_tok(parser->lexed);
  if (!as_lex_enter(parser->lexed))
    return NULL;
  as_expr *expr = as_tok_take(parser->lexed, '-')
                      ? make_unary(parser, AS_E_NEG, token, p_unary(parser))
                      : p_atom(parser);
  parser->lexed->depth--;
  return expr;
}

static as_expr *p_prod(sem_parser *parser) {
  as_expr *left = p_unary(parser);
  for (;;) {
    const as_token *token = as_tok(parser->lexed);
    as_ekind kind = token->kind == '*'                  ? AS_E_MUL
                    : token->kind == '/'                ? AS_E_FDIV
                    : as_tok_word(parser->lexed, "div") ? AS_E_IDIV
                                                        : AS_E_MOD;
    if (left == NULL || (kind == AS_E_MOD && !as_tok_word(parser->lexed, "mod")))
      return left;
    parser->lexed->at++;
    left = make_binary(parser, kind, token, left, p_unary(parser));
  }
}

static as_expr *p_scalar(sem_parser *parser) {
  as_expr *left = p_prod(parser);
  for (;;) {
    const as_token *token = as_tok(parser->lexed);
    if (left == NULL || (token->kind != '+' && token->kind != '-'))
      return left;
    parser->lexed->at++;
    left =
        make_binary(parser, token->kind == '+' ? AS_E_ADD : AS_E_SUB, token, left, p_prod(parser));
  }
}

/* A parenthesis at the start of a catom is a condition's when the matching one is followed by no
 * scalar operator or relop. */
static bool opens_condition(const as_lexed *lexed) {
  static const char *const ops[] = {"div", "mod", NULL};
  const as_token *token = as_tok(lexed);
  if (token->kind != '(')
    return false;
  int open = 0;
  do {
    if (token->kind == '(')
      open++;
    if (token->kind == ')')
      open--;
    if (token->kind == AS_T_END)
      return false;
    token++;
  } while (open > 0);
  switch (token->kind) {
  case '+':
  case '-':
  case '*':
  case '/':
  case '=':
  case '<':
  case '>':
  case AS_T_LE:
  case AS_T_GE:
  case AS_T_NE:
    return false;
  default:
    return !word_in(token, ops);
  }
}

static as_expr *p_cond_atom(sem_parser *parser) {
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  as_expr *expr = NULL;
  if (!as_lex_enter(lexed))
    return NULL;
  if (as_tok_take_word(lexed, "not")) {
    expr = make_unary(parser, AS_E_NOT, token, p_cond_atom(parser));
  } else if (opens_condition(lexed)) {
    lexed->at++;
    expr = p_cond(parser);
    if (expr && !as_tok_want(lexed, ')', "`)`"))
      expr = NULL;
  } else {
    as_expr *left = p_scalar(parser);
    as_expr *right = NULL;
    as_rel rel;
    bool swap;
    const as_token *r = as_tok(lexed);
    if (left && as_tok_rel(lexed, &rel, &swap) && (right = p_scalar(parser)) != NULL) {
      expr = make_binary(parser, AS_E_REL, r, swap ? right : left, swap ? left : right);
      expr->rel = (int)rel;
      expr->swap = swap;
    }
  }
  lexed->depth--;
  return expr;
}

static as_expr *p_chain(sem_parser *parser, const char *word, as_ekind kind,
                        as_expr *(*next)(sem_parser *)) {
  as_expr *left = next(parser);
  while (left && as_tok_word(parser->lexed, word)) {
    const as_token *token = as_tok(parser->lexed);
    parser->lexed->at++;
    left = make_binary(parser, kind, token, left, next(parser));
  }
  return left;
}

static as_expr *p_cond_and(sem_parser *parser) {
  return p_chain(parser, "and", AS_E_AND, p_cond_atom);
}

static as_expr *p_cond(sem_parser *parser) {
  return p_chain(parser, "or", AS_E_OR, p_cond_and);
}

/* --- whole expressions.  A chain of operators nests to the left without a parenthesis, so that
 * brackets alone do not bound how deep a walk through an expression goes. */
enum { MOST_LEVELS = 4000 };

static bool is_within(const as_expr *expr, uint32_t levels) {
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->kid[i] && (levels == 0 || !is_within(expr->kid[i], levels - 1)))
      return false;
  }
  return true;
}

static as_expr *whole(sem_parser *parser, as_expr *(*read)(sem_parser *)) {
  const as_token *token = as_tok(parser->lexed);
  as_expr *expr = read(parser);
  if (expr == NULL || is_within(expr, MOST_LEVELS))
    return expr;
  as_lex_fail(parser->lexed, token, "more than %d operators within each other", MOST_LEVELS);
  return NULL;
}

as_expr *as_parse_scalar(as_lexed *lexed, as_oplib *lib) {
  return whole(&(sem_parser){lexed, lib}, p_scalar);
}

as_expr *as_parse_condition(as_lexed *lexed, as_oplib *lib) {
  return whole(&(sem_parser){lexed, lib}, p_cond);
}

/* --- signatures */
static bool p_dim(sem_parser *parser, as_dim *dim, bool result) {
  as_lexed *lexed = parser->lexed;
  as_arena *mem = parser->lib->mem;
  *dim = (as_dim){0};
  if (as_tok_take(lexed, AS_T_DOTS)) {
    dim->kind = AS_D_LIST;
    const char *n = as_tok_new_name(lexed, "the name of a list of axes");
    if (n == NULL)
      return false;
    dim->name = as_arena_strdup(mem, n);
    if (result && as_tok_is(lexed, '@'))
      return as_lex_fail(lexed, as_tok(lexed), "`@` has no meaning in a result's shape");
    return !as_tok_take(lexed, '@') || (dim->count = whole(parser, p_size)) != NULL;
  }
  if (as_tok_word(lexed, "broadcast") && as_tok_next(lexed)->kind == '(') {
    if (!result)
      return as_lex_fail(lexed, as_tok(lexed), "`broadcast` is for results only");
    lexed->at += 2;
    dim->kind = AS_D_BCAST;
    const char *a = as_tok_new_name(lexed, "the name of a list of axes");
    if (a == NULL || !as_tok_want(lexed, ',', "`,`"))
      return false;
    const char *b = as_tok_new_name(lexed, "the name of a list of axes");
    if (b == NULL || !as_tok_want(lexed, ')', "`)`"))
      return false;
    if (!as_tok_take_word(lexed, "as"))
      return as_lex_fail(lexed, as_tok(lexed), "expected `as`");
    const char *o = as_tok_new_name(lexed, "the name of a list of axes");
    if (o == NULL)
      return false;
    dim->b1 = as_arena_strdup(mem, a);
    dim->b2 = as_arena_strdup(mem, b);
    dim->name = as_arena_strdup(mem, o);
    return true;
  }
  dim->kind = AS_D_SIZE;
  return (dim->size = whole(parser, p_size)) != NULL;
}

static bool p_shape(sem_parser *parser, as_dim **dim, uint32_t *n, bool result) {
  as_lexed *lexed = parser->lexed;
  as_dim d[8];
  *n = 0;
  if (!as_tok_want(lexed, '[', "`[`"))
    return false;
  if (!as_tok_is(lexed, ']')) {
    do {
      if (*n == 8)
        return as_lex_fail(lexed, as_tok(lexed), "more than 8 axes");
      if (!p_dim(parser, &d[(*n)++], result))
        return false;
    } while (as_tok_take(lexed, ','));
  }
  if (!as_tok_want(lexed, ']', "`]` or `,`"))
    return false;
  *dim = as_arena_alloc(parser->lib->mem, (*n ? *n : 1) * sizeof **dim);
  memcpy(*dim, d, *n * sizeof *d);
  return true;
}

static bool p_args(sem_parser *parser, as_opdef *op) {
  as_targ t[8];
  if (as_tok_is(parser->lexed, ';') || as_tok_is(parser->lexed, ')'))
    return true;
  do {
    if (op->nargs == 8)
      return as_lex_fail(parser->lexed, as_tok(parser->lexed), "more than 8 tensors");
    as_targ *arg = &t[op->nargs];
    const char *n = as_tok_new_name(parser->lexed, "the name of a tensor");
    if (n == NULL)
      return false;
    arg->name = as_arena_strdup(parser->lib->mem, n);
    if (!p_shape(parser, &arg->dim, &arg->n, false))
      return false;
    op->nargs++;
  } while (as_tok_take(parser->lexed, ','));
  op->arg = as_arena_alloc(parser->lib->mem, op->nargs * sizeof *t);
  memcpy(op->arg, t, op->nargs * sizeof *t);
  return true;
}

static bool p_attrs(sem_parser *parser, as_opdef *op) {
  as_lexed *lexed = parser->lexed;
  op->attr = as_arena_alloc(parser->lib->mem, AS_MAX_ATTRS * sizeof *op->attr);
  op->attr_default = as_arena_alloc(parser->lib->mem, AS_MAX_ATTRS * sizeof *op->attr_default);
  op->attr_has_default =
      as_arena_alloc(parser->lib->mem, AS_MAX_ATTRS * sizeof *op->attr_has_default);
  do {
    uint32_t i = op->nattrs;
    if (i == AS_MAX_ATTRS)
      return as_lex_fail(lexed, as_tok(lexed), "more than %d attributes", AS_MAX_ATTRS);
    const char *n = as_tok_new_name(lexed, "the name of an attribute");
    if (n == NULL)
      return false;
    op->attr[i] = as_arena_strdup(parser->lib->mem, n);
    as_oplib_keep_attr(parser->lib, &op->attr_default[i]);
    op->nattrs++;
    if (!as_tok_take(lexed, '='))
      continue;
    bool minus = as_tok_take(lexed, '-');
    mpq_t *value = &op->attr_default[i].num;
    if (!as_tok_number(lexed, *value))
      return false;
    if (minus)
      mpq_neg(*value, *value);
    op->attr_has_default[i] = true;
    op->attr_default[i].is_size =
        false; /* integers become sizes when a call takes the default: sizes have no table here */
  } while (as_tok_take(lexed, ','));
  return true;
}

static bool p_left(sem_parser *parser, as_let *let) {
  as_lexed *lexed = parser->lexed;
  as_ix index[8];
  if (!as_tok_want(lexed, '[', "`[`"))
    return false;
  if (!as_tok_is(lexed, ']')) {
    do {
      if (let->n == 8)
        return as_lex_fail(lexed, as_tok(lexed), "more than 8 indices");
      index[let->n].is_list = as_tok_take(lexed, AS_T_DOTS);
      const char *n = as_tok_new_name(lexed, "an index");
      if (n == NULL)
        return false;
      index[let->n++].name = as_arena_strdup(parser->lib->mem, n);
    } while (as_tok_take(lexed, ','));
  }
  let->ix = as_arena_alloc(parser->lib->mem, (let->n ? let->n : 1) * sizeof *index);
  memcpy(let->ix, index, let->n * sizeof *index);
  return as_tok_want(lexed, ']', "`]` or `,`") && as_tok_want(lexed, '=', "`=`") &&
         (let->body = whole(parser, p_scalar)) != NULL &&
         as_tok_want(lexed, AS_T_NL, "the end of the line");
}

static bool p_requires(sem_parser *parser, as_vec *req) {
  do {
    as_require require;
    as_rel rel;
    bool swap;
    as_expr *left = whole(parser, p_size);
    as_expr *right;
    if (left == NULL || !as_tok_rel(parser->lexed, &rel, &swap) ||
        (right = whole(parser, p_size)) == NULL)
      return false;
    require = (as_require){(int)rel, swap ? right : left, swap ? left : right};
    as_vec_push(req, &require);
  } while (as_tok_take(parser->lexed, ','));
  return as_tok_want(parser->lexed, AS_T_NL, "the end of the line");
}

static bool p_body(sem_parser *parser, as_opdef *op, as_vec *req, as_vec *lets) {
  as_lexed *lexed = parser->lexed;
  while (as_tok_take_word(lexed, "require")) {
    if (!p_requires(parser, req))
      return false;
  }
  for (;;) {
    as_let let = {0};
    if (as_tok_take_word(lexed, "let")) {
      const char *n = as_tok_new_name(lexed, "a name");
      if (n == NULL)
        return false;
      let.name = as_arena_strdup(parser->lib->mem, n);
    } else if (as_tok_take_word(lexed, "out")) {
      let.name = "out";
    } else {
      return as_lex_fail(lexed, as_tok(lexed),
                         "operator `%s` has no definition: expected `let` or `out`", op->name);
    }
    if (!p_left(parser, &let))
      return false;
    as_vec_push(lets, &let);
    if (strcmp(let.name, "out") == 0)
      return true;
  }
}

static bool p_op(sem_parser *parser) {
  as_lexed *lexed = parser->lexed;
  static const char *const callable[] = {"sum", "max", "min", "div", NULL};
  const as_token *token = as_tok(lexed);
  as_opdef *op = as_arena_alloc(parser->lib->mem, sizeof *op);
  if (word_in(token, callable))
    lexed->at++;
  else if (as_tok_new_name(lexed, "the name of an operator") == NULL)
    return false;
  op->reader = parser->lib->reader;
  const as_opdef *old = as_oplib_op_of(parser->lib, op->reader, token->s);
  if (old) {
    return as_lex_fail(lexed, token, "operator `%s` is already defined at %s:%d", token->s,
                       old->file, old->line);
  }
  op->name = as_arena_strdup(parser->lib->mem, token->s);
  op->file = as_arena_strdup(parser->lib->mem, lexed->file);
  op->line = token->line;
  if (!as_tok_want(lexed, '(', "`(`") || !p_args(parser, op) ||
      (as_tok_take(lexed, ';') && !p_attrs(parser, op)) ||
      !as_tok_want(lexed, ')', "`)`, `,` or `;`") || !as_tok_want(lexed, AS_T_ARROW, "`->`") ||
      !p_shape(parser, &op->out, &op->nout, true) ||
      !as_tok_want(lexed, AS_T_NL, "the end of the line"))
    return false;
  as_vec req;
  as_vec lets;
  as_vec_init(&req, sizeof(as_require));
  as_vec_init(&lets, sizeof(as_let));
  bool ok = p_body(parser, op, &req, &lets);
  op->nreq = (uint32_t)req.n;
  op->nlet = (uint32_t)lets.n;
  op->req = as_arena_alloc(parser->lib->mem, (req.n + 1) * sizeof(as_require));
  op->let = as_arena_alloc(parser->lib->mem, (lets.n + 1) * sizeof(as_let));
  if (req.n)
    memcpy(op->req, req.data, req.n * sizeof(as_require));
  if (lets.n)
    memcpy(op->let, lets.data, lets.n * sizeof(as_let));
  as_vec_clear(&req);
  as_vec_clear(&lets);
  if (!ok || !as_sem_check(lexed, parser->lib, op))
    return false;
  char *text = as_opdef_print(op);
  const char *rest = text + strcspn(text, "(");
  as_sha256(text, strlen(text), op->sha256);
  as_sha256(rest, strlen(rest), op->sha256_unnamed);
  free(text);
  as_vec_push(&parser->lib->op, &op);
  return true;
}

/* names in a function's definition are its parameters */
static bool func_names(as_lexed *lexed, const as_func *func, const as_expr *expr) {
  as_token at = {.line = expr->line, .col = expr->col};
  switch (expr->kind) {
  case AS_E_NAME:
    for (uint32_t i = 0; i < func->n; i++) {
      if (strcmp(func->param[i], expr->name) == 0)
        return true;
    }
    return as_lex_fail(lexed, &at, "`%s` is not a parameter of `%s`", expr->name, func->name);
  case AS_E_ACCESS:
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR:
  case AS_E_IDIV:
  case AS_E_MOD:
    return as_lex_fail(lexed, &at,
                       "a function of numbers has no tensors, sums or integer division");
  default:
    break;
  }
  for (uint32_t i = 0; i < expr->n; i++) {
    if (!func_names(lexed, func, expr->kid[i]))
      return false;
  }
  return true;
}

static bool no_builtin(as_lexed *lexed, const as_token *token, const as_func *func) {
  as_str known;
  as_str_init(&known);
  for (as_builtin i = 0; i < AS_N_BUILTINS; i++)
    as_str_printf(&known, "%s%s(x)", i ? ", " : "", as_builtin_rows[i].name);
  as_lex_fail(lexed, token, "there is no built-in `%s` of %u arguments (only %s)", func->name,
              func->n, known.s);
  as_str_clear(&known);
  return false;
}

static bool p_func(sem_parser *parser) {
  as_lexed *lexed = parser->lexed;
  static const char *const known[] = {"exp", "log", "sqrt", "inv", "abs", "broadcast", NULL};
  const as_token *token = as_tok(lexed);
  if (as_tok_new_name(lexed, "the name of a function") == NULL)
    return false;
  as_reader reader = parser->lib->reader;
  if (word_in(token, known) || as_oplib_func_of(parser->lib, reader, token->s))
    return as_lex_fail(lexed, token, "function `%s` is already defined", token->s);
  as_func *func = as_arena_alloc(parser->lib->mem, sizeof *func);
  func->reader = reader;
  func->file = as_arena_strdup(parser->lib->mem, lexed->file);
  func->name = as_arena_strdup(parser->lib->mem, token->s);
  func->param = as_arena_alloc(parser->lib->mem, 8 * sizeof *func->param);
  if (!as_tok_want(lexed, '(', "`(`"))
    return false;
  do {
    if (func->n == 8)
      return as_lex_fail(lexed, as_tok(lexed), "more than 8 parameters");
    const as_token *pt = as_tok(lexed);
    if (as_tok_new_name(lexed, "a parameter") == NULL)
      return false;
    for (uint32_t i = 0; i < func->n; i++) {
      if (strcmp(func->param[i], pt->s) == 0)
        return as_lex_fail(lexed, pt, "parameter `%s` twice", pt->s);
    }
    func->param[func->n++] = as_arena_strdup(parser->lib->mem, pt->s);
  } while (as_tok_take(lexed, ','));
  if (!as_tok_want(lexed, ')', "`)` or `,`"))
    return false;
  if (!as_tok_take_word(lexed, "builtin")) {
    if (!as_tok_want(lexed, '=', "`=` or `builtin`") ||
        (func->body = whole(parser, p_scalar)) == NULL || !func_names(lexed, func, func->body))
      return false;
  } else if (as_builtin_find(func->name, func->n) == AS_N_BUILTINS) {
    return no_builtin(lexed, token, func);
  }
  as_vec_push(&parser->lib->func, &func);
  return as_tok_want(lexed, AS_T_NL, "the end of the line");
}

bool as_sem_definition(as_lexed *lexed, as_oplib *lib) {
  sem_parser parser = {lexed, lib};
  if (as_tok_take_word(lexed, "op"))
    return p_op(&parser);
  if (as_tok_take_word(lexed, "func"))
    return p_func(&parser);
  return as_lex_fail(lexed, as_tok(lexed), "expected `op` or `func`");
}

bool as_oplib_parse(as_oplib *lib, const char *file, const char *text, size_t len, as_err *err) {
  as_lexed lexed;
  size_t ops = lib->op.n;
  size_t funcs = lib->func.n;
  as_arena *names = as_arena_new();
  bool ok = as_lex(&lexed, file, text, len, names, err);
  while (ok && !as_tok_is(&lexed, AS_T_END))
    ok = as_sem_definition(&lexed, lib);
  as_lexed_clear(&lexed);
  as_arena_free(names);
  if (!ok) {
    lib->op.n = ops;
    lib->func.n = funcs;
    return false;
  }
  char *name = as_arena_strdup(lib->mem, file);
  as_vec_push(&lib->file, &name);
  char *copy = as_arena_alloc(lib->mem, len + 1);
  if (len)
    memcpy(copy, text, len);
  as_vec_push(&lib->source, &(as_source){name, copy, len, lib->reader});
  return true;
}
