/* .sem files: recursive descent after docs/language.md. */
#include "oplib_int.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  as_lexed *lexed;
  as_oplib *lib;
} sem_parser;

static as_expr *p_scalar(sem_parser *P);
static as_expr *p_cond(sem_parser *P);
static as_expr *p_prod(sem_parser *P);

static as_expr *mk2(sem_parser *P, as_ekind kind, const as_token *token, as_expr *a, as_expr *b) {
  if (a == NULL || b == NULL)
    return NULL;
  as_expr *expr = as_oplib_new_expr(P->lib, kind, 2, token);
  expr->kid[0] = a;
  expr->kid[1] = b;
  return expr;
}

static as_expr *mk1(sem_parser *P, as_ekind kind, const as_token *token, as_expr *a) {
  if (a == NULL)
    return NULL;
  as_expr *expr = as_oplib_new_expr(P->lib, kind, 1, token);
  expr->kid[0] = a;
  return expr;
}

static as_expr *mk_name(sem_parser *P, const as_token *token) {
  as_expr *expr = as_oplib_new_expr(P->lib, AS_E_NAME, 0, token);
  expr->name = as_arena_strdup(P->lib->mem, token->s);
  return expr;
}

static as_expr *p_number(sem_parser *P) {
  as_expr *expr = as_oplib_new_expr(P->lib, AS_E_NUM, 0, as_tok(P->lexed));
  return as_tok_number(P->lexed, expr->num) ? expr : NULL;
}

/* --- size expressions of patterns, requires: the scalar tree restricted to + - * div mod max min
 */
static as_expr *p_size(sem_parser *P);

static as_expr *p_size_factor(sem_parser *P) {
  as_lexed *lexed = P->lexed;
  const as_token *token = as_tok(lexed);
  as_expr *expr = NULL;
  if (!as_lex_enter(lexed))
    return NULL;
  if (as_tok_take(lexed, '-')) {
    expr = mk1(P, AS_E_NEG, token, p_size_factor(P));
  } else if (as_tok_take(lexed, '(')) {
    expr = p_size(P);
    if (expr && !as_tok_want(lexed, ')', "`)`"))
      expr = NULL;
  } else if (as_tok_is(lexed, AS_T_NUMBER)) {
    expr = p_number(P);
    if (expr && mpz_cmp_ui(mpq_denref(expr->num), 1) != 0) {
      as_lex_fail(lexed, token, "a size must be an integer");
      expr = NULL;
    }
  } else if ((as_tok_word(lexed, "max") || as_tok_word(lexed, "min")) &&
             as_tok_next(lexed)->kind == '(') {
    as_expr *a;
    as_expr *b;
    lexed->at += 2;
    if ((a = p_size(P)) != NULL && as_tok_want(lexed, ',', "`,`") && (b = p_size(P)) != NULL &&
        as_tok_want(lexed, ')', "`)`"))
      expr = mk2(P, strcmp(token->s, "max") == 0 ? AS_E_MAX2 : AS_E_MIN2, token, a, b);
  } else if (as_tok_new_name(lexed, "a size") != NULL) {
    expr = mk_name(P, token);
  }
  lexed->depth--;
  return expr;
}

static as_expr *p_size_product(sem_parser *P) {
  as_expr *a = p_size_factor(P);
  for (;;) {
    const as_token *token = as_tok(P->lexed);
    as_ekind kind = token->kind == '*'             ? AS_E_MUL
                    : as_tok_word(P->lexed, "div") ? AS_E_IDIV
                                                   : AS_E_MOD;
    if (a == NULL ||
        (token->kind != '*' && !as_tok_word(P->lexed, "div") && !as_tok_word(P->lexed, "mod")))
      return a;
    P->lexed->at++;
    a = mk2(P, kind, token, a, p_size_factor(P));
  }
}

static as_expr *p_size(sem_parser *P) {
  as_expr *a = p_size_product(P);
  for (;;) {
    const as_token *token = as_tok(P->lexed);
    if (a == NULL || (token->kind != '+' && token->kind != '-'))
      return a;
    P->lexed->at++;
    a = mk2(P, token->kind == '+' ? AS_E_ADD : AS_E_SUB, token, a, p_size_product(P));
  }
}

/* --- scalars */
static bool p_access_item(sem_parser *P, as_expr *expr) {
  as_lexed *lexed = P->lexed;
  as_ixkind k = as_tok_take(lexed, AS_T_DOTS) ? AS_IX_LIST
                : as_tok_take(lexed, '~')     ? AS_IX_BCAST
                                              : AS_IX_SCALAR;
  as_expr *kid = NULL;
  const char *name = NULL;
  if (k != AS_IX_SCALAR) {
    if ((name = as_tok_new_name(lexed, "the name of a list of axes")) == NULL)
      return false;
    name = as_arena_strdup(P->lib->mem, name);
  } else if ((kid = p_scalar(P)) == NULL) {
    return false;
  }
  if (expr->n >= 8)
    return as_lex_fail(lexed, as_tok(lexed), "more than 8 indices");
  expr->kid[expr->n] = kid;
  expr->acc[expr->n] = k;
  expr->acc_name[expr->n++] = name;
  return true;
}

static as_expr *p_access(sem_parser *P, const as_token *token) {
  as_expr *expr = as_oplib_new_expr(P->lib, AS_E_ACCESS, 8, token);
  expr->n = 0;
  expr->name = as_arena_strdup(P->lib->mem, token->s);
  expr->acc = as_arena_alloc(P->lib->mem, 8 * sizeof *expr->acc);
  expr->acc_name = as_arena_alloc(P->lib->mem, 8 * sizeof *expr->acc_name);
  if (as_tok_take(P->lexed, ']'))
    return expr;
  do
    if (!p_access_item(P, expr))
      return NULL;
  while (as_tok_take(P->lexed, ','));
  return as_tok_want(P->lexed, ']', "`]` or `,`") ? expr : NULL;
}

static as_expr *p_call(sem_parser *P, const as_token *token) {
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
      as_lex_fail(P->lexed, as_tok(P->lexed), "more than 8 arguments");
      return NULL;
    }
    if ((arg[n++] = p_scalar(P)) == NULL)
      return NULL;
  } while (as_tok_take(P->lexed, ','));
  if (!as_tok_want(P->lexed, ')', "`)` or `,`"))
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
    if ((func = as_oplib_func(P->lib, token->s)) == NULL) {
      as_lex_fail(P->lexed, token,
                  "unknown function `%s` (a function is known from its definition on, and "
                  "definitions cannot be cyclic)",
                  token->s);
      return NULL;
    }
    want = func->n;
  }
  if (n != want) {
    as_lex_fail(P->lexed, token, "`%s` takes %u argument%s, not %u", token->s, want,
                want == 1 ? "" : "s", n);
    return NULL;
  }
  as_expr *expr = as_oplib_new_expr(P->lib, kind, n, token);
  memcpy(expr->kid, arg, n * sizeof *arg);
  expr->func = func;
  if (func)
    expr->name = func->name;
  return expr;
}

static as_expr *p_reduction(sem_parser *P, const as_token *token) {
  static const struct {
    const char *name;
    as_ekind k;
  } kinds[] = {{"sum", AS_E_SUM}, {"prod", AS_E_PROD}, {"max", AS_E_MAXR}, {"min", AS_E_MINR}};

  as_ekind kind = AS_E_SUM;
  for (size_t i = 0; i < 4; i++) {
    if (strcmp(token->s, kinds[i].name) == 0)
      kind = kinds[i].k;
  }
  const char *ix = as_tok_new_name(P->lexed, "an index");
  if (ix == NULL || !as_tok_want(P->lexed, '<', "`<`"))
    return NULL;
  ix = as_arena_strdup(P->lib->mem, ix);
  as_expr *bound = p_scalar(P);
  if (bound == NULL || !as_tok_want(P->lexed, ')', "`)`"))
    return NULL;
  as_expr *expr = mk2(P, kind, token, bound, p_prod(P));
  if (expr)
    expr->name = ix;
  return expr;
}

static as_expr *p_if(sem_parser *P, const as_token *token) {
  as_lexed *lexed = P->lexed;
  as_expr *c = NULL;
  as_expr *a = NULL;
  as_expr *b = NULL;
  if (!as_tok_want(lexed, '(', "`(`") || !(c = p_cond(P)) || !as_tok_want(lexed, ',', "`,`") ||
      !(a = p_scalar(P)) || !as_tok_want(lexed, ',', "`,`") || !(b = p_scalar(P)) ||
      !as_tok_want(lexed, ')', "`)`"))
    return NULL;
  as_expr *expr = as_oplib_new_expr(P->lib, AS_E_IF, 3, token);
  expr->kid[0] = c;
  expr->kid[1] = a;
  expr->kid[2] = b;
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

static as_expr *p_atom(sem_parser *P) {
  static const char *const reducing[] = {"sum", "prod", "max", "min", NULL};
  as_lexed *lexed = P->lexed;
  const as_token *token = as_tok(lexed);
  if (token->kind == AS_T_NUMBER)
    return p_number(P);
  if (as_tok_take(lexed, '(')) {
    as_expr *expr = p_scalar(P);
    return expr && as_tok_want(lexed, ')', "`)`") ? expr : NULL;
  }
  if (token->kind != AS_T_NAME) {
    as_tok_want(lexed, AS_T_NAME, "a scalar expression");
    return NULL;
  }
  lexed->at++;
  if (strcmp(token->s, "if") == 0)
    return p_if(P, token);
  if (as_tok_take(lexed, '(')) {
    const as_token *n = as_tok(lexed);
    if (word_in(token, reducing) && n->kind == AS_T_NAME && as_tok_next(lexed)->kind == '<')
      return p_reduction(P, token);
    return p_call(P, token);
  }
  if (as_word_reserved(token->s)) {
    as_lex_fail(lexed, token, "`%s` is a reserved word", token->s);
    return NULL;
  }
  if (as_tok_take(lexed, '['))
    return p_access(P, token);
  return mk_name(P, token);
}

static as_expr *p_unary(sem_parser *P) {
  const as_token *token = as_tok(P->lexed);
  if (!as_lex_enter(P->lexed))
    return NULL;
  as_expr *expr = as_tok_take(P->lexed, '-') ? mk1(P, AS_E_NEG, token, p_unary(P)) : p_atom(P);
  P->lexed->depth--;
  return expr;
}

static as_expr *p_prod(sem_parser *P) {
  as_expr *a = p_unary(P);
  for (;;) {
    const as_token *token = as_tok(P->lexed);
    as_ekind kind = token->kind == '*'             ? AS_E_MUL
                    : token->kind == '/'           ? AS_E_FDIV
                    : as_tok_word(P->lexed, "div") ? AS_E_IDIV
                                                   : AS_E_MOD;
    if (a == NULL || (kind == AS_E_MOD && !as_tok_word(P->lexed, "mod")))
      return a;
    P->lexed->at++;
    a = mk2(P, kind, token, a, p_unary(P));
  }
}

static as_expr *p_scalar(sem_parser *P) {
  as_expr *a = p_prod(P);
  for (;;) {
    const as_token *token = as_tok(P->lexed);
    if (a == NULL || (token->kind != '+' && token->kind != '-'))
      return a;
    P->lexed->at++;
    a = mk2(P, token->kind == '+' ? AS_E_ADD : AS_E_SUB, token, a, p_prod(P));
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

static as_expr *p_cond_atom(sem_parser *P) {
  as_lexed *lexed = P->lexed;
  const as_token *token = as_tok(lexed);
  as_expr *expr = NULL;
  if (!as_lex_enter(lexed))
    return NULL;
  if (as_tok_take_word(lexed, "not")) {
    expr = mk1(P, AS_E_NOT, token, p_cond_atom(P));
  } else if (opens_condition(lexed)) {
    lexed->at++;
    expr = p_cond(P);
    if (expr && !as_tok_want(lexed, ')', "`)`"))
      expr = NULL;
  } else {
    as_expr *a = p_scalar(P);
    as_expr *b = NULL;
    as_rel rel;
    bool swap;
    const as_token *r = as_tok(lexed);
    if (a && as_tok_rel(lexed, &rel, &swap) && (b = p_scalar(P)) != NULL) {
      expr = mk2(P, AS_E_REL, r, swap ? b : a, swap ? a : b);
      expr->rel = (int)rel;
      expr->swap = swap;
    }
  }
  lexed->depth--;
  return expr;
}

static as_expr *p_chain(sem_parser *P, const char *word, as_ekind kind,
                        as_expr *(*next)(sem_parser *)) {
  as_expr *a = next(P);
  while (a && as_tok_word(P->lexed, word)) {
    const as_token *token = as_tok(P->lexed);
    P->lexed->at++;
    a = mk2(P, kind, token, a, next(P));
  }
  return a;
}

static as_expr *p_cond_and(sem_parser *P) {
  return p_chain(P, "and", AS_E_AND, p_cond_atom);
}

static as_expr *p_cond(sem_parser *P) {
  return p_chain(P, "or", AS_E_OR, p_cond_and);
}

/* --- signatures */
static bool p_dim(sem_parser *P, as_dim *dim, bool result) {
  as_lexed *lexed = P->lexed;
  as_arena *mem = P->lib->mem;
  *dim = (as_dim){0};
  if (as_tok_take(lexed, AS_T_DOTS)) {
    dim->kind = AS_D_LIST;
    const char *n = as_tok_new_name(lexed, "the name of a list of axes");
    if (n == NULL)
      return false;
    dim->name = as_arena_strdup(mem, n);
    if (result && as_tok_is(lexed, '@'))
      return as_lex_fail(lexed, as_tok(lexed), "`@` has no meaning in a result's shape");
    return !as_tok_take(lexed, '@') || (dim->count = p_size(P)) != NULL;
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
  return (dim->size = p_size(P)) != NULL;
}

static bool p_shape(sem_parser *P, as_dim **dim, uint32_t *n, bool result) {
  as_lexed *lexed = P->lexed;
  as_dim d[8];
  *n = 0;
  if (!as_tok_want(lexed, '[', "`[`"))
    return false;
  if (!as_tok_is(lexed, ']')) {
    do {
      if (*n == 8)
        return as_lex_fail(lexed, as_tok(lexed), "more than 8 axes");
      if (!p_dim(P, &d[(*n)++], result))
        return false;
    } while (as_tok_take(lexed, ','));
  }
  if (!as_tok_want(lexed, ']', "`]` or `,`"))
    return false;
  *dim = as_arena_alloc(P->lib->mem, (*n ? *n : 1) * sizeof **dim);
  memcpy(*dim, d, *n * sizeof *d);
  return true;
}

static bool p_args(sem_parser *P, as_opdef *op) {
  as_targ t[8];
  if (as_tok_is(P->lexed, ';') || as_tok_is(P->lexed, ')'))
    return true;
  do {
    if (op->nargs == 8)
      return as_lex_fail(P->lexed, as_tok(P->lexed), "more than 8 tensors");
    as_targ *arg = &t[op->nargs];
    const char *n = as_tok_new_name(P->lexed, "the name of a tensor");
    if (n == NULL)
      return false;
    arg->name = as_arena_strdup(P->lib->mem, n);
    if (!p_shape(P, &arg->dim, &arg->n, false))
      return false;
    op->nargs++;
  } while (as_tok_take(P->lexed, ','));
  op->arg = as_arena_alloc(P->lib->mem, op->nargs * sizeof *t);
  memcpy(op->arg, t, op->nargs * sizeof *t);
  return true;
}

static bool p_attrs(sem_parser *P, as_opdef *op) {
  as_lexed *lexed = P->lexed;
  op->attr = as_arena_alloc(P->lib->mem, AS_MAX_ATTRS * sizeof *op->attr);
  op->attr_default = as_arena_alloc(P->lib->mem, AS_MAX_ATTRS * sizeof *op->attr_default);
  op->attr_has_default = as_arena_alloc(P->lib->mem, AS_MAX_ATTRS * sizeof *op->attr_has_default);
  do {
    uint32_t i = op->nattrs;
    if (i == AS_MAX_ATTRS)
      return as_lex_fail(lexed, as_tok(lexed), "more than %d attributes", AS_MAX_ATTRS);
    const char *n = as_tok_new_name(lexed, "the name of an attribute");
    if (n == NULL)
      return false;
    op->attr[i] = as_arena_strdup(P->lib->mem, n);
    as_oplib_keep_attr(P->lib, &op->attr_default[i]);
    op->nattrs++;
    if (!as_tok_take(lexed, '='))
      continue;
    bool minus = as_tok_take(lexed, '-');
    mpq_t *q = &op->attr_default[i].num;
    if (!as_tok_number(lexed, *q))
      return false;
    if (minus)
      mpq_neg(*q, *q);
    op->attr_has_default[i] = true;
    op->attr_default[i].is_size =
        false; /* integers become sizes when a call takes the default: sizes have no table here */
  } while (as_tok_take(lexed, ','));
  return true;
}

static bool p_left(sem_parser *P, as_let *let) {
  as_lexed *lexed = P->lexed;
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
      index[let->n++].name = as_arena_strdup(P->lib->mem, n);
    } while (as_tok_take(lexed, ','));
  }
  let->ix = as_arena_alloc(P->lib->mem, (let->n ? let->n : 1) * sizeof *index);
  memcpy(let->ix, index, let->n * sizeof *index);
  return as_tok_want(lexed, ']', "`]` or `,`") && as_tok_want(lexed, '=', "`=`") &&
         (let->body = p_scalar(P)) != NULL && as_tok_want(lexed, AS_T_NL, "the end of the line");
}

static bool p_requires(sem_parser *P, as_vec *req) {
  do {
    as_require require;
    as_rel rel;
    bool swap;
    as_expr *a = p_size(P);
    as_expr *b;
    if (a == NULL || !as_tok_rel(P->lexed, &rel, &swap) || (b = p_size(P)) == NULL)
      return false;
    require = (as_require){(int)rel, swap ? b : a, swap ? a : b};
    as_vec_push(req, &require);
  } while (as_tok_take(P->lexed, ','));
  return as_tok_want(P->lexed, AS_T_NL, "the end of the line");
}

static bool p_body(sem_parser *P, as_opdef *op, as_vec *req, as_vec *lets) {
  as_lexed *lexed = P->lexed;
  while (as_tok_take_word(lexed, "require")) {
    if (!p_requires(P, req))
      return false;
  }
  for (;;) {
    as_let let = {0};
    if (as_tok_take_word(lexed, "let")) {
      const char *n = as_tok_new_name(lexed, "a name");
      if (n == NULL)
        return false;
      let.name = as_arena_strdup(P->lib->mem, n);
    } else if (as_tok_take_word(lexed, "out")) {
      let.name = "out";
    } else {
      return as_lex_fail(lexed, as_tok(lexed),
                         "operator `%s` has no definition: expected `let` or `out`", op->name);
    }
    if (!p_left(P, &let))
      return false;
    as_vec_push(lets, &let);
    if (strcmp(let.name, "out") == 0)
      return true;
  }
}

static bool p_op(sem_parser *P) {
  as_lexed *lexed = P->lexed;
  static const char *const callable[] = {"sum", "max", "min", "div", NULL};
  const as_token *token = as_tok(lexed);
  as_opdef *op = as_arena_alloc(P->lib->mem, sizeof *op);
  if (word_in(token, callable))
    lexed->at++;
  else if (as_tok_new_name(lexed, "the name of an operator") == NULL)
    return false;
  const as_opdef *old = as_oplib_find(P->lib, token->s);
  if (old) {
    return as_lex_fail(lexed, token, "operator `%s` is already defined at %s:%d", token->s,
                       old->file, old->line);
  }
  op->name = as_arena_strdup(P->lib->mem, token->s);
  op->file = as_arena_strdup(P->lib->mem, lexed->file);
  op->line = token->line;
  if (!as_tok_want(lexed, '(', "`(`") || !p_args(P, op) ||
      (as_tok_take(lexed, ';') && !p_attrs(P, op)) || !as_tok_want(lexed, ')', "`)`, `,` or `;`") ||
      !as_tok_want(lexed, AS_T_ARROW, "`->`") || !p_shape(P, &op->out, &op->nout, true) ||
      !as_tok_want(lexed, AS_T_NL, "the end of the line"))
    return false;
  as_vec req;
  as_vec lets;
  as_vec_init(&req, sizeof(as_require));
  as_vec_init(&lets, sizeof(as_let));
  bool ok = p_body(P, op, &req, &lets);
  op->nreq = (uint32_t)req.n;
  op->nlet = (uint32_t)lets.n;
  op->req = as_arena_alloc(P->lib->mem, (req.n + 1) * sizeof(as_require));
  op->let = as_arena_alloc(P->lib->mem, (lets.n + 1) * sizeof(as_let));
  if (req.n)
    memcpy(op->req, req.data, req.n * sizeof(as_require));
  if (lets.n)
    memcpy(op->let, lets.data, lets.n * sizeof(as_let));
  as_vec_clear(&req);
  as_vec_clear(&lets);
  if (!ok || !as_sem_check(lexed, P->lib, op))
    return false;
  char *text = as_opdef_print(op);
  as_sha256(text, strlen(text), op->sha256);
  free(text);
  as_vec_push(&P->lib->op, &op);
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

static bool p_func(sem_parser *P) {
  as_lexed *lexed = P->lexed;
  static const char *const known[] = {"exp", "log", "sqrt", "inv", "abs", "broadcast", NULL};
  const as_token *token = as_tok(lexed);
  if (as_tok_new_name(lexed, "the name of a function") == NULL)
    return false;
  if (word_in(token, known) || as_oplib_func(P->lib, token->s))
    return as_lex_fail(lexed, token, "function `%s` is already defined", token->s);
  as_func *func = as_arena_alloc(P->lib->mem, sizeof *func);
  func->name = as_arena_strdup(P->lib->mem, token->s);
  func->param = as_arena_alloc(P->lib->mem, 8 * sizeof *func->param);
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
    func->param[func->n++] = as_arena_strdup(P->lib->mem, pt->s);
  } while (as_tok_take(lexed, ','));
  if (!as_tok_want(lexed, ')', "`)` or `,`"))
    return false;
  if (!as_tok_take_word(lexed, "builtin")) {
    if (!as_tok_want(lexed, '=', "`=` or `builtin`") || (func->body = p_scalar(P)) == NULL ||
        !func_names(lexed, func, func->body))
      return false;
  } else if (strcmp(func->name, "erf") != 0 || func->n != 1) {
    return as_lex_fail(lexed, token, "there is no built-in `%s` of %u arguments (only erf(x))",
                       func->name, func->n);
  }
  as_vec_push(&P->lib->func, &func);
  return as_tok_want(lexed, AS_T_NL, "the end of the line");
}

bool as_sem_definition(as_lexed *lexed, as_oplib *lib) {
  sem_parser P = {lexed, lib};
  if (as_tok_take_word(lexed, "op"))
    return p_op(&P);
  if (as_tok_take_word(lexed, "func"))
    return p_func(&P);
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
  return true;
}
