/* .sem files: recursive descent after docs/language.md. */
#include "oplib_int.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  as_lexed *X;
  as_oplib *L;
} parser;

static as_expr *p_scalar(parser *P);
static as_expr *p_cond(parser *P);
static as_expr *p_prod(parser *P);

static as_expr *mk2(parser *P, as_ekind k, const as_token *t, as_expr *a, as_expr *b) {
  if (a == NULL || b == NULL)
    return NULL;
  as_expr *e = as_oplib_new_expr(P->L, k, 2, t);
  e->kid[0] = a;
  e->kid[1] = b;
  return e;
}

static as_expr *mk1(parser *P, as_ekind k, const as_token *t, as_expr *a) {
  if (a == NULL)
    return NULL;
  as_expr *e = as_oplib_new_expr(P->L, k, 1, t);
  e->kid[0] = a;
  return e;
}

static as_expr *mk_name(parser *P, const as_token *t) {
  as_expr *e = as_oplib_new_expr(P->L, AS_E_NAME, 0, t);
  e->name = as_arena_strdup(P->L->mem, t->s);
  return e;
}

static as_expr *p_number(parser *P) {
  as_expr *e = as_oplib_new_expr(P->L, AS_E_NUM, 0, as_tok(P->X));
  return as_tok_number(P->X, e->num) ? e : NULL;
}

/* --- size expressions of patterns, requires: the scalar tree restricted to + - * div mod max min
 */
static as_expr *p_size(parser *P);

static as_expr *p_size_factor(parser *P) {
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  as_expr *e = NULL;
  if (!as_lex_enter(X))
    return NULL;
  if (as_tok_take(X, '-')) {
    e = mk1(P, AS_E_NEG, t, p_size_factor(P));
  } else if (as_tok_take(X, '(')) {
    e = p_size(P);
    if (e && !as_tok_want(X, ')', "`)`"))
      e = NULL;
  } else if (as_tok_is(X, AS_T_NUMBER)) {
    e = p_number(P);
    if (e && mpz_cmp_ui(mpq_denref(e->num), 1) != 0) {
      as_lex_fail(X, t, "a size must be an integer");
      e = NULL;
    }
  } else if ((as_tok_word(X, "max") || as_tok_word(X, "min")) && as_tok_next(X)->kind == '(') {
    as_expr *a;
    as_expr *b;
    X->at += 2;
    if ((a = p_size(P)) != NULL && as_tok_want(X, ',', "`,`") && (b = p_size(P)) != NULL &&
        as_tok_want(X, ')', "`)`"))
      e = mk2(P, strcmp(t->s, "max") == 0 ? AS_E_MAX2 : AS_E_MIN2, t, a, b);
  } else if (as_tok_new_name(X, "a size") != NULL) {
    e = mk_name(P, t);
  }
  X->depth--;
  return e;
}

static as_expr *p_size_product(parser *P) {
  as_expr *a = p_size_factor(P);
  for (;;) {
    const as_token *t = as_tok(P->X);
    as_ekind k = t->kind == '*' ? AS_E_MUL : as_tok_word(P->X, "div") ? AS_E_IDIV : AS_E_MOD;
    if (a == NULL || (t->kind != '*' && !as_tok_word(P->X, "div") && !as_tok_word(P->X, "mod")))
      return a;
    P->X->at++;
    a = mk2(P, k, t, a, p_size_factor(P));
  }
}

static as_expr *p_size(parser *P) {
  as_expr *a = p_size_product(P);
  for (;;) {
    const as_token *t = as_tok(P->X);
    if (a == NULL || (t->kind != '+' && t->kind != '-'))
      return a;
    P->X->at++;
    a = mk2(P, t->kind == '+' ? AS_E_ADD : AS_E_SUB, t, a, p_size_product(P));
  }
}

/* --- scalars */
static bool p_access_item(parser *P, as_expr *e) {
  as_lexed *X = P->X;
  as_ixkind k = as_tok_take(X, AS_T_DOTS) ? AS_IX_LIST
                : as_tok_take(X, '~')     ? AS_IX_BCAST
                                          : AS_IX_SCALAR;
  as_expr *kid = NULL;
  const char *name = NULL;
  if (k != AS_IX_SCALAR) {
    if ((name = as_tok_new_name(X, "the name of a list of axes")) == NULL)
      return false;
    name = as_arena_strdup(P->L->mem, name);
  } else if ((kid = p_scalar(P)) == NULL) {
    return false;
  }
  if (e->n >= 8)
    return as_lex_fail(X, as_tok(X), "more than 8 indices");
  e->kid[e->n] = kid;
  e->acc[e->n] = k;
  e->acc_name[e->n++] = name;
  return true;
}

static as_expr *p_access(parser *P, const as_token *t) {
  as_expr *e = as_oplib_new_expr(P->L, AS_E_ACCESS, 8, t);
  e->n = 0;
  e->name = as_arena_strdup(P->L->mem, t->s);
  e->acc = as_arena_alloc(P->L->mem, 8 * sizeof *e->acc);
  e->acc_name = as_arena_alloc(P->L->mem, 8 * sizeof *e->acc_name);
  if (as_tok_take(P->X, ']'))
    return e;
  do
    if (!p_access_item(P, e))
      return NULL;
  while (as_tok_take(P->X, ','));
  return as_tok_want(P->X, ']', "`]` or `,`") ? e : NULL;
}

static as_expr *p_call(parser *P, const as_token *t) {
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
      as_lex_fail(P->X, as_tok(P->X), "more than 8 arguments");
      return NULL;
    }
    if ((arg[n++] = p_scalar(P)) == NULL)
      return NULL;
  } while (as_tok_take(P->X, ','));
  if (!as_tok_want(P->X, ')', "`)` or `,`"))
    return NULL;
  as_ekind k = AS_E_CALL;
  uint32_t want = 0;
  const as_func *f = NULL;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(t->s, known[i].name) == 0) {
      k = known[i].k;
      want = known[i].n;
    }
  }
  if (k == AS_E_CALL) {
    if ((f = as_oplib_func(P->L, t->s)) == NULL) {
      as_lex_fail(P->X, t,
                  "unknown function `%s` (a function is known from its definition on, and "
                  "definitions cannot be cyclic)",
                  t->s);
      return NULL;
    }
    want = f->n;
  }
  if (n != want) {
    as_lex_fail(P->X, t, "`%s` takes %u argument%s, not %u", t->s, want, want == 1 ? "" : "s", n);
    return NULL;
  }
  as_expr *e = as_oplib_new_expr(P->L, k, n, t);
  memcpy(e->kid, arg, n * sizeof *arg);
  e->func = f;
  if (f)
    e->name = f->name;
  return e;
}

static as_expr *p_reduction(parser *P, const as_token *t) {
  static const struct {
    const char *name;
    as_ekind k;
  } kinds[] = {{"sum", AS_E_SUM}, {"prod", AS_E_PROD}, {"max", AS_E_MAXR}, {"min", AS_E_MINR}};

  as_ekind k = AS_E_SUM;
  for (size_t i = 0; i < 4; i++) {
    if (strcmp(t->s, kinds[i].name) == 0)
      k = kinds[i].k;
  }
  const char *ix = as_tok_new_name(P->X, "an index");
  if (ix == NULL || !as_tok_want(P->X, '<', "`<`"))
    return NULL;
  ix = as_arena_strdup(P->L->mem, ix);
  as_expr *bound = p_scalar(P);
  if (bound == NULL || !as_tok_want(P->X, ')', "`)`"))
    return NULL;
  as_expr *e = mk2(P, k, t, bound, p_prod(P));
  if (e)
    e->name = ix;
  return e;
}

static as_expr *p_if(parser *P, const as_token *t) {
  as_lexed *X = P->X;
  as_expr *c = NULL;
  as_expr *a = NULL;
  as_expr *b = NULL;
  if (!as_tok_want(X, '(', "`(`") || !(c = p_cond(P)) || !as_tok_want(X, ',', "`,`") ||
      !(a = p_scalar(P)) || !as_tok_want(X, ',', "`,`") || !(b = p_scalar(P)) ||
      !as_tok_want(X, ')', "`)`"))
    return NULL;
  as_expr *e = as_oplib_new_expr(P->L, AS_E_IF, 3, t);
  e->kid[0] = c;
  e->kid[1] = a;
  e->kid[2] = b;
  return e;
}

static bool word_in(const as_token *t, const char *const *words) {
  if (t->kind != AS_T_NAME)
    return false;
  for (; *words; words++) {
    if (strcmp(t->s, *words) == 0)
      return true;
  }
  return false;
}

static as_expr *p_atom(parser *P) {
  static const char *const reducing[] = {"sum", "prod", "max", "min", NULL};
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  if (t->kind == AS_T_NUMBER)
    return p_number(P);
  if (as_tok_take(X, '(')) {
    as_expr *e = p_scalar(P);
    return e && as_tok_want(X, ')', "`)`") ? e : NULL;
  }
  if (t->kind != AS_T_NAME) {
    as_tok_want(X, AS_T_NAME, "a scalar expression");
    return NULL;
  }
  X->at++;
  if (strcmp(t->s, "if") == 0)
    return p_if(P, t);
  if (as_tok_take(X, '(')) {
    const as_token *n = as_tok(X);
    if (word_in(t, reducing) && n->kind == AS_T_NAME && as_tok_next(X)->kind == '<')
      return p_reduction(P, t);
    return p_call(P, t);
  }
  if (as_word_reserved(t->s)) {
    as_lex_fail(X, t, "`%s` is a reserved word", t->s);
    return NULL;
  }
  if (as_tok_take(X, '['))
    return p_access(P, t);
  return mk_name(P, t);
}

static as_expr *p_unary(parser *P) {
  const as_token *t = as_tok(P->X);
  if (!as_lex_enter(P->X))
    return NULL;
  as_expr *e = as_tok_take(P->X, '-') ? mk1(P, AS_E_NEG, t, p_unary(P)) : p_atom(P);
  P->X->depth--;
  return e;
}

static as_expr *p_prod(parser *P) {
  as_expr *a = p_unary(P);
  for (;;) {
    const as_token *t = as_tok(P->X);
    as_ekind k = t->kind == '*'             ? AS_E_MUL
                 : t->kind == '/'           ? AS_E_FDIV
                 : as_tok_word(P->X, "div") ? AS_E_IDIV
                                            : AS_E_MOD;
    if (a == NULL || (k == AS_E_MOD && !as_tok_word(P->X, "mod")))
      return a;
    P->X->at++;
    a = mk2(P, k, t, a, p_unary(P));
  }
}

static as_expr *p_scalar(parser *P) {
  as_expr *a = p_prod(P);
  for (;;) {
    const as_token *t = as_tok(P->X);
    if (a == NULL || (t->kind != '+' && t->kind != '-'))
      return a;
    P->X->at++;
    a = mk2(P, t->kind == '+' ? AS_E_ADD : AS_E_SUB, t, a, p_prod(P));
  }
}

/* A parenthesis at the start of a catom is a condition's when the matching one is followed by no
 * scalar operator or relop. */
static bool opens_condition(const as_lexed *X) {
  static const char *const ops[] = {"div", "mod", NULL};
  const as_token *t = as_tok(X);
  if (t->kind != '(')
    return false;
  int open = 0;
  do {
    if (t->kind == '(')
      open++;
    if (t->kind == ')')
      open--;
    if (t->kind == AS_T_END)
      return false;
    t++;
  } while (open > 0);
  switch (t->kind) {
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
    return !word_in(t, ops);
  }
}

static as_expr *p_cond_atom(parser *P) {
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  as_expr *e = NULL;
  if (!as_lex_enter(X))
    return NULL;
  if (as_tok_take_word(X, "not")) {
    e = mk1(P, AS_E_NOT, t, p_cond_atom(P));
  } else if (opens_condition(X)) {
    X->at++;
    e = p_cond(P);
    if (e && !as_tok_want(X, ')', "`)`"))
      e = NULL;
  } else {
    as_expr *a = p_scalar(P);
    as_expr *b = NULL;
    as_rel rel;
    bool swap;
    const as_token *r = as_tok(X);
    if (a && as_tok_rel(X, &rel, &swap) && (b = p_scalar(P)) != NULL) {
      e = mk2(P, AS_E_REL, r, swap ? b : a, swap ? a : b);
      e->rel = (int)rel;
      e->swap = swap;
    }
  }
  X->depth--;
  return e;
}

static as_expr *p_chain(parser *P, const char *word, as_ekind k, as_expr *(*next)(parser *)) {
  as_expr *a = next(P);
  while (a && as_tok_word(P->X, word)) {
    const as_token *t = as_tok(P->X);
    P->X->at++;
    a = mk2(P, k, t, a, next(P));
  }
  return a;
}

static as_expr *p_cond_and(parser *P) {
  return p_chain(P, "and", AS_E_AND, p_cond_atom);
}

static as_expr *p_cond(parser *P) {
  return p_chain(P, "or", AS_E_OR, p_cond_and);
}

/* --- signatures */
static bool p_dim(parser *P, as_dim *d, bool result) {
  as_lexed *X = P->X;
  as_arena *mem = P->L->mem;
  *d = (as_dim){0};
  if (as_tok_take(X, AS_T_DOTS)) {
    d->kind = AS_D_LIST;
    const char *n = as_tok_new_name(X, "the name of a list of axes");
    if (n == NULL)
      return false;
    d->name = as_arena_strdup(mem, n);
    if (result && as_tok_is(X, '@'))
      return as_lex_fail(X, as_tok(X), "`@` has no meaning in a result's shape");
    return !as_tok_take(X, '@') || (d->count = p_size(P)) != NULL;
  }
  if (as_tok_word(X, "broadcast") && as_tok_next(X)->kind == '(') {
    if (!result)
      return as_lex_fail(X, as_tok(X), "`broadcast` is for results only");
    X->at += 2;
    d->kind = AS_D_BCAST;
    const char *a = as_tok_new_name(X, "the name of a list of axes");
    if (a == NULL || !as_tok_want(X, ',', "`,`"))
      return false;
    const char *b = as_tok_new_name(X, "the name of a list of axes");
    if (b == NULL || !as_tok_want(X, ')', "`)`"))
      return false;
    if (!as_tok_take_word(X, "as"))
      return as_lex_fail(X, as_tok(X), "expected `as`");
    const char *o = as_tok_new_name(X, "the name of a list of axes");
    if (o == NULL)
      return false;
    d->b1 = as_arena_strdup(mem, a);
    d->b2 = as_arena_strdup(mem, b);
    d->name = as_arena_strdup(mem, o);
    return true;
  }
  d->kind = AS_D_SIZE;
  return (d->size = p_size(P)) != NULL;
}

static bool p_shape(parser *P, as_dim **dim, uint32_t *n, bool result) {
  as_lexed *X = P->X;
  as_dim d[8];
  *n = 0;
  if (!as_tok_want(X, '[', "`[`"))
    return false;
  if (!as_tok_is(X, ']')) {
    do {
      if (*n == 8)
        return as_lex_fail(X, as_tok(X), "more than 8 axes");
      if (!p_dim(P, &d[(*n)++], result))
        return false;
    } while (as_tok_take(X, ','));
  }
  if (!as_tok_want(X, ']', "`]` or `,`"))
    return false;
  *dim = as_arena_alloc(P->L->mem, (*n ? *n : 1) * sizeof **dim);
  memcpy(*dim, d, *n * sizeof *d);
  return true;
}

static bool p_args(parser *P, as_opdef *op) {
  as_targ t[8];
  if (as_tok_is(P->X, ';') || as_tok_is(P->X, ')'))
    return true;
  do {
    if (op->nargs == 8)
      return as_lex_fail(P->X, as_tok(P->X), "more than 8 tensors");
    as_targ *a = &t[op->nargs];
    const char *n = as_tok_new_name(P->X, "the name of a tensor");
    if (n == NULL)
      return false;
    a->name = as_arena_strdup(P->L->mem, n);
    if (!p_shape(P, &a->dim, &a->n, false))
      return false;
    op->nargs++;
  } while (as_tok_take(P->X, ','));
  op->arg = as_arena_alloc(P->L->mem, op->nargs * sizeof *t);
  memcpy(op->arg, t, op->nargs * sizeof *t);
  return true;
}

static bool p_attrs(parser *P, as_opdef *op) {
  as_lexed *X = P->X;
  op->attr = as_arena_alloc(P->L->mem, AS_MAX_ATTRS * sizeof *op->attr);
  op->attr_default = as_arena_alloc(P->L->mem, AS_MAX_ATTRS * sizeof *op->attr_default);
  op->attr_has_default = as_arena_alloc(P->L->mem, AS_MAX_ATTRS * sizeof *op->attr_has_default);
  do {
    uint32_t i = op->nattrs;
    if (i == AS_MAX_ATTRS)
      return as_lex_fail(X, as_tok(X), "more than %d attributes", AS_MAX_ATTRS);
    const char *n = as_tok_new_name(X, "the name of an attribute");
    if (n == NULL)
      return false;
    op->attr[i] = as_arena_strdup(P->L->mem, n);
    as_oplib_keep_attr(P->L, &op->attr_default[i]);
    op->nattrs++;
    if (!as_tok_take(X, '='))
      continue;
    bool minus = as_tok_take(X, '-');
    mpq_t *q = &op->attr_default[i].num;
    if (!as_tok_number(X, *q))
      return false;
    if (minus)
      mpq_neg(*q, *q);
    op->attr_has_default[i] = true;
    op->attr_default[i].is_size =
        false; /* integers become sizes when a call takes the default: sizes have no table here */
  } while (as_tok_take(X, ','));
  return true;
}

static bool p_left(parser *P, as_let *l) {
  as_lexed *X = P->X;
  as_ix ix[8];
  if (!as_tok_want(X, '[', "`[`"))
    return false;
  if (!as_tok_is(X, ']')) {
    do {
      if (l->n == 8)
        return as_lex_fail(X, as_tok(X), "more than 8 indices");
      ix[l->n].is_list = as_tok_take(X, AS_T_DOTS);
      const char *n = as_tok_new_name(X, "an index");
      if (n == NULL)
        return false;
      ix[l->n++].name = as_arena_strdup(P->L->mem, n);
    } while (as_tok_take(X, ','));
  }
  l->ix = as_arena_alloc(P->L->mem, (l->n ? l->n : 1) * sizeof *ix);
  memcpy(l->ix, ix, l->n * sizeof *ix);
  return as_tok_want(X, ']', "`]` or `,`") && as_tok_want(X, '=', "`=`") &&
         (l->body = p_scalar(P)) != NULL && as_tok_want(X, AS_T_NL, "the end of the line");
}

static bool p_requires(parser *P, as_vec *req) {
  do {
    as_require r;
    as_rel rel;
    bool swap;
    as_expr *a = p_size(P);
    as_expr *b;
    if (a == NULL || !as_tok_rel(P->X, &rel, &swap) || (b = p_size(P)) == NULL)
      return false;
    r = (as_require){(int)rel, swap ? b : a, swap ? a : b};
    as_vec_push(req, &r);
  } while (as_tok_take(P->X, ','));
  return as_tok_want(P->X, AS_T_NL, "the end of the line");
}

static bool p_body(parser *P, as_opdef *op, as_vec *req, as_vec *lets) {
  as_lexed *X = P->X;
  while (as_tok_take_word(X, "require")) {
    if (!p_requires(P, req))
      return false;
  }
  for (;;) {
    as_let l = {0};
    if (as_tok_take_word(X, "let")) {
      const char *n = as_tok_new_name(X, "a name");
      if (n == NULL)
        return false;
      l.name = as_arena_strdup(P->L->mem, n);
    } else if (as_tok_take_word(X, "out")) {
      l.name = "out";
    } else {
      return as_lex_fail(X, as_tok(X), "operator `%s` has no definition: expected `let` or `out`",
                         op->name);
    }
    if (!p_left(P, &l))
      return false;
    as_vec_push(lets, &l);
    if (strcmp(l.name, "out") == 0)
      return true;
  }
}

static bool p_op(parser *P) {
  as_lexed *X = P->X;
  static const char *const callable[] = {"sum", "max", "min", "div", NULL};
  const as_token *t = as_tok(X);
  as_opdef *op = as_arena_alloc(P->L->mem, sizeof *op);
  if (word_in(t, callable))
    X->at++;
  else if (as_tok_new_name(X, "the name of an operator") == NULL)
    return false;
  const as_opdef *old = as_oplib_find(P->L, t->s);
  if (old) {
    return as_lex_fail(X, t, "operator `%s` is already defined at %s:%d", t->s, old->file,
                       old->line);
  }
  op->name = as_arena_strdup(P->L->mem, t->s);
  op->file = as_arena_strdup(P->L->mem, X->file);
  op->line = t->line;
  if (!as_tok_want(X, '(', "`(`") || !p_args(P, op) || (as_tok_take(X, ';') && !p_attrs(P, op)) ||
      !as_tok_want(X, ')', "`)`, `,` or `;`") || !as_tok_want(X, AS_T_ARROW, "`->`") ||
      !p_shape(P, &op->out, &op->nout, true) || !as_tok_want(X, AS_T_NL, "the end of the line"))
    return false;
  as_vec req;
  as_vec lets;
  as_vec_init(&req, sizeof(as_require));
  as_vec_init(&lets, sizeof(as_let));
  bool ok = p_body(P, op, &req, &lets);
  op->nreq = (uint32_t)req.n;
  op->nlet = (uint32_t)lets.n;
  op->req = as_arena_alloc(P->L->mem, (req.n + 1) * sizeof(as_require));
  op->let = as_arena_alloc(P->L->mem, (lets.n + 1) * sizeof(as_let));
  if (req.n)
    memcpy(op->req, req.data, req.n * sizeof(as_require));
  if (lets.n)
    memcpy(op->let, lets.data, lets.n * sizeof(as_let));
  as_vec_clear(&req);
  as_vec_clear(&lets);
  if (!ok || !as_sem_check(X, P->L, op))
    return false;
  char *text = as_opdef_print(op);
  as_sha256(text, strlen(text), op->sha256);
  free(text);
  as_vec_push(&P->L->op, &op);
  return true;
}

/* names in a function's definition are its parameters */
static bool func_names(as_lexed *X, const as_func *f, const as_expr *e) {
  as_token at = {.line = e->line, .col = e->col};
  switch (e->kind) {
  case AS_E_NAME:
    for (uint32_t i = 0; i < f->n; i++) {
      if (strcmp(f->param[i], e->name) == 0)
        return true;
    }
    return as_lex_fail(X, &at, "`%s` is not a parameter of `%s`", e->name, f->name);
  case AS_E_ACCESS:
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR:
  case AS_E_IDIV:
  case AS_E_MOD:
    return as_lex_fail(X, &at, "a function of numbers has no tensors, sums or integer division");
  default:
    break;
  }
  for (uint32_t i = 0; i < e->n; i++) {
    if (!func_names(X, f, e->kid[i]))
      return false;
  }
  return true;
}

static bool p_func(parser *P) {
  as_lexed *X = P->X;
  static const char *const known[] = {"exp", "log", "sqrt", "inv", "abs", "broadcast", NULL};
  const as_token *t = as_tok(X);
  if (as_tok_new_name(X, "the name of a function") == NULL)
    return false;
  if (word_in(t, known) || as_oplib_func(P->L, t->s))
    return as_lex_fail(X, t, "function `%s` is already defined", t->s);
  as_func *f = as_arena_alloc(P->L->mem, sizeof *f);
  f->name = as_arena_strdup(P->L->mem, t->s);
  f->param = as_arena_alloc(P->L->mem, 8 * sizeof *f->param);
  if (!as_tok_want(X, '(', "`(`"))
    return false;
  do {
    if (f->n == 8)
      return as_lex_fail(X, as_tok(X), "more than 8 parameters");
    const as_token *pt = as_tok(X);
    if (as_tok_new_name(X, "a parameter") == NULL)
      return false;
    for (uint32_t i = 0; i < f->n; i++) {
      if (strcmp(f->param[i], pt->s) == 0)
        return as_lex_fail(X, pt, "parameter `%s` twice", pt->s);
    }
    f->param[f->n++] = as_arena_strdup(P->L->mem, pt->s);
  } while (as_tok_take(X, ','));
  if (!as_tok_want(X, ')', "`)` or `,`"))
    return false;
  if (!as_tok_take_word(X, "builtin")) {
    if (!as_tok_want(X, '=', "`=` or `builtin`") || (f->body = p_scalar(P)) == NULL ||
        !func_names(X, f, f->body))
      return false;
  } else if (strcmp(f->name, "erf") != 0 || f->n != 1) {
    return as_lex_fail(X, t, "there is no built-in `%s` of %u arguments (only erf(x))", f->name,
                       f->n);
  }
  as_vec_push(&P->L->func, &f);
  return as_tok_want(X, AS_T_NL, "the end of the line");
}

bool as_sem_definition(as_lexed *X, as_oplib *L) {
  parser P = {X, L};
  if (as_tok_take_word(X, "op"))
    return p_op(&P);
  if (as_tok_take_word(X, "func"))
    return p_func(&P);
  return as_lex_fail(X, as_tok(X), "expected `op` or `func`");
}

bool as_oplib_parse(as_oplib *L, const char *file, const char *text, size_t len, as_err *err) {
  as_lexed X;
  size_t ops = L->op.n;
  size_t funcs = L->func.n;
  as_arena *names = as_arena_new();
  bool ok = as_lex(&X, file, text, len, names, err);
  while (ok && !as_tok_is(&X, AS_T_END))
    ok = as_sem_definition(&X, L);
  as_lexed_clear(&X);
  as_arena_free(names);
  if (!ok) {
    L->op.n = ops;
    L->func.n = funcs;
    return false;
  }
  char *name = as_arena_strdup(L->mem, file);
  as_vec_push(&L->file, &name);
  char *copy = as_arena_alloc(L->mem, len + 1);
  if (len)
    memcpy(copy, text, len);
  as_vec_push(&L->source, &(as_source){name, copy, len});
  return true;
}
