#include "expr_parse.h"
#include <stdlib.h>
#include <string.h>

/* open: an expression that is ill-formed at any sizes is AS_NO */
static bool report(as_lexed *X, const as_token *t, as_err *inner, bool open) {
  if (inner->file) { /* already placed, in another file */
    if (X->err && X->err->status == AS_OK)
      *X->err = *inner;
    else
      as_err_clear(inner);
    return false;
  }
  as_lex_fail(X, t, "%s", inner->text ? inner->text : "ill-formed");
  if (X->err && (inner->status == AS_INTERNAL || (inner->status == AS_NO && open)))
    X->err->status = inner->status;
  as_err_clear(inner);
  return false;
}

bool as_gp_report(as_gparser *P, const as_token *t, as_err *inner) {
  return report(P->X, t, inner, P->g->open);
}

bool as_gp_use(as_lexed *X, as_oplib *lib, char **path) {
  const as_token *t = as_tok(X);
  if (!as_tok_want(X, AS_T_STRING, "the path of a .sem file in quotes"))
    return false;
  char *name = as_format("%.*s", (int)t->len, t->s);
  char *whole;
  const char *slash = strrchr(X->file, '/');
  whole = name[0] == '/' || !slash ? as_strdup(name)
                                   : as_format("%.*s/%s", (int)(slash - X->file), X->file, name);
  as_err inner;
  as_err_init(&inner);
  bool ok = as_oplib_load(lib, whole, &inner);
  if (!ok)
    report(X, t, &inner, false);
  free(whole);
  ok = ok && as_tok_want(X, AS_T_NL, "the end of the line");
  if (ok)
    *path = name;
  else
    free(name);
  return ok;
}

void as_gp_reserve(as_gparser *P) {
  for (size_t i = 0; i < P->X->tok.n; i++) {
    const as_token *t = &AS_VEC_AT(&P->X->tok, as_token, i);
    if (t->kind != AS_T_NAME || as_names_get(P->g, AS_SCOPE_TAKEN, t->s) != AS_NONE)
      continue;
    as_names_put(P->g, AS_SCOPE_TAKEN, t->s, 0);
  }
}

/* --- sizes */
static as_size look(void *ctx, const char *name) {
  const as_gparser *P = ctx;
  as_size s = as_names_get(P->g, AS_SCOPE_SIZE, name);
  if (s == AS_NONE && P->g->program)
    s = as_names_get(P->g->program, AS_SCOPE_SIZE, name);
  return s == AS_NONE ? AS_SIZE_BAD : s;
}

as_size as_gp_size(as_gparser *P) {
  return as_parse_size(P->X, P->g->sizes, look, P);
}

bool as_gp_dims(as_gparser *P, as_size *dim, uint32_t *rank) {
  as_lexed *X = P->X;
  *rank = 0;
  if (!as_tok_want(X, '[', "`[`"))
    return false;
  if (as_tok_take(X, ']'))
    return true;
  do {
    const as_token *t = as_tok(X);
    if (*rank == AS_MAX_RANK)
      return as_lex_fail(X, t, "more than %d axes", AS_MAX_RANK);
    as_size s = as_gp_size(P);
    if (s == AS_SIZE_BAD)
      return false;
    if (!P->g->open && as_graph_decide(P->g, 0, AS_REL_LE, s) == AS_FAILS)
      return as_lex_fail(X, t, "a negative extent");
    dim[(*rank)++] = s;
  } while (as_tok_take(X, ','));
  return as_tok_want(X, ']', "`]` or `,`");
}

static bool integer(as_lexed *X, long *out) {
  const as_token *t = as_tok(X);
  mpq_t q;
  mpq_init(q);
  bool ok = as_tok_number(X, q);
  if (ok && (mpz_cmp_ui(mpq_denref(q), 1) != 0 || !mpz_fits_slong_p(mpq_numref(q)) ||
             mpz_get_si(mpq_numref(q)) > (long)1 << 40))
    ok = as_lex_fail(X, t, "a size must be an integer below 2^40");
  if (ok)
    *out = mpz_get_si(mpq_numref(q));
  mpq_clear(q);
  return ok;
}

bool as_gp_sizes(as_gparser *P) {
  as_lexed *X = P->X;
  do {
    const as_token *t = as_tok(X);
    long least = P->g->open ? 0 : 1;
    long value = -1;
    as_err inner;
    as_err_init(&inner);
    if (as_tok_new_name(X, "the name of a size") == NULL)
      return false;
    if (as_tok_take(X, AS_T_GE) && !integer(X, &least))
      return false;
    if (as_tok_take(X, '=') && !integer(X, &value))
      return false;
    if (as_graph_find(P->g, AS_NONE, t->s) != AS_NONE)
      return as_lex_fail(X, t, "`%s` is already defined", t->s);
    if (!as_graph_declare(P->g, t->s, least, value, NULL, &inner))
      return as_gp_report(P, t, &inner);
  } while (as_tok_take(X, ','));
  return as_tok_want(X, AS_T_NL, "the end of the line");
}

static bool mentions_own(const as_graph *g, as_size a) {
  for (uint32_t i = 0; i < g->n_own_size; i++) {
    if (as_size_subst(g->sizes, a, g->own_size[i], 0) != a)
      return true;
  }
  return false;
}

bool as_gp_where(as_gparser *P, bool own) {
  as_lexed *X = P->X;
  do {
    const as_token *t = as_tok(X);
    as_size a;
    as_size b;
    as_rel rel;
    as_err inner;
    as_err_init(&inner);
    if (!as_parse_rel(X, P->g->sizes, look, P, &a, &rel, &b))
      return false;
    if (own && !mentions_own(P->g, a) && !mentions_own(P->g, b)) {
      return as_lex_fail(X, t,
                         "a relation of a muGraph must be about its own sizes: this one would "
                         "restrict the program");
    }
    if (!P->g->open && as_graph_decide(P->g, a, rel, b) == AS_FAILS)
      return as_lex_fail(X, t, "this relation never holds");
    if (!as_graph_where(P->g, a, rel, b, &inner))
      return as_gp_report(P, t, &inner);
  } while (as_tok_take(X, ','));
  return as_tok_want(X, AS_T_NL, "the end of the line");
}

/* --- operator calls */
static const as_opdef *find_op(as_gparser *P, const as_token *t, const char *name,
                               const char *sugar) {
  const as_opdef *op = as_oplib_find(P->g->lib, name);
  if (op)
    return op;
  const char *near = as_oplib_suggest(P->g->lib, name);
  if (sugar) {
    as_lex_fail(P->X, t, "operator `%s`, which `%s` stands for, is in no specification loaded",
                name, sugar);
  } else if (near) {
    as_lex_fail(P->X, t, "unknown operator `%s`; is `%s` meant?", name, near);
  } else {
    as_lex_fail(P->X, t, "unknown operator `%s`", name);
  }
  return NULL;
}

typedef struct {
  as_attr v[AS_MAX_ATTRS];
  bool given[AS_MAX_ATTRS];
} attrs;

static void attrs_init(attrs *A) {
  memset(A->given, 0, sizeof A->given);
  for (int i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_init(&A->v[i]);
}

static void attrs_clear(attrs *A) {
  for (int i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_clear(&A->v[i]);
}

static int attr_index(const as_opdef *op, const char *name) {
  for (uint32_t i = 0; i < op->nattrs; i++) {
    if (strcmp(op->attr[i], name) == 0)
      return (int)i;
  }
  return -1;
}

static as_node_id call(as_gparser *P, const as_token *t, const as_opdef *op, const as_node_id *arg,
                       uint32_t n, attrs *A) {
  for (uint32_t i = 0; i < op->nattrs; i++) {
    if (A->given[i])
      continue;
    if (!op->attr_has_default[i]) {
      as_lex_fail(P->X, t, "`%s` needs the attribute `%s`", op->name, op->attr[i]);
      return AS_NONE;
    }
    as_attr_set(&A->v[i], &op->attr_default[i]);
  }
  for (uint32_t i = 0; i < op->nattrs; i++) {
    as_attr *a = &A->v[i];
    if (a->is_size || mpz_cmp_ui(mpq_denref(a->num), 1) != 0 ||
        !mpz_fits_slong_p(mpq_numref(a->num)))
      continue;
    a->is_size = true;
    a->size = as_size_int(P->g->sizes, mpz_get_si(mpq_numref(a->num)));
  }
  as_err inner;
  as_err_init(&inner);
  as_node_id id = as_graph_op(P->g, P->block, NULL, op, arg, n, A->v, &inner);
  if (id == AS_NONE)
    as_gp_report(P, t, &inner);
  return id;
}

static as_node_id sugar(as_gparser *P, const as_token *t, const char *name, const char *shown,
                        const as_node_id *arg, uint32_t n) {
  const as_opdef *op = find_op(P, t, name, shown);
  if (op == NULL)
    return AS_NONE;
  attrs A;
  attrs_init(&A);
  as_node_id id = call(P, t, op, arg, n, &A);
  attrs_clear(&A);
  return id;
}

/* a call with integer attributes given by name */
static as_node_id with_sizes(as_gparser *P, const as_token *t, const char *name, as_node_id arg,
                             const char *const *names, const as_size *v, uint32_t n) {
  const as_opdef *op = find_op(P, t, name, "[ ]");
  if (op == NULL)
    return AS_NONE;
  attrs A;
  attrs_init(&A);
  as_node_id id = AS_NONE;
  bool ok = true;
  for (uint32_t i = 0; i < n && ok; i++) {
    int k = attr_index(op, names[i]);
    ok = k >= 0 || as_lex_fail(P->X, t, "operator `%s` has no attribute `%s`", name, names[i]);
    if (!ok)
      break;
    A.given[k] = true;
    A.v[k].size = v[i];
  }
  if (ok)
    id = call(P, t, op, &arg, 1, &A);
  attrs_clear(&A);
  return id;
}

/* one item of X[...]; *axis moves on */
static as_node_id index_item(as_gparser *P, as_node_id x, uint32_t *axis) {
  static const char *const names[] = {"axis", "start", "stop", "step"};
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  as_size at = as_size_int(P->g->sizes, (long)*axis);
  as_size v[4] = {at, 0, 0, AS_SIZE_ONE};
  (*axis)++;
  if (as_tok_take_word(X, "none"))
    return with_sizes(P, t, "expand_dims", x, names, v, 1);
  if (*axis > P->g->node[x].rank) {
    as_lex_fail(X, t, "more indices than axes (%u)", P->g->node[x].rank);
    return AS_NONE;
  }
  bool start = !as_tok_is(X, ':');
  bool stop;
  bool step;
  if (start && (v[1] = as_gp_size(P)) == AS_SIZE_BAD)
    return AS_NONE;
  if (!as_tok_want(X, ':', "`:` (axes are sliced, not indexed)"))
    return AS_NONE;
  stop = !as_tok_is(X, ':') && !as_tok_is(X, ',') && !as_tok_is(X, ']');
  v[2] = P->g->node[x].dim[*axis - 1];
  if (stop && (v[2] = as_gp_size(P)) == AS_SIZE_BAD)
    return AS_NONE;
  step = as_tok_take(X, ':');
  if (step && (v[3] = as_gp_size(P)) == AS_SIZE_BAD)
    return AS_NONE;
  return start || stop || step ? with_sizes(P, t, "slice", x, names, v, 4) : x;
}

static bool parse_attr(as_gparser *P, const as_opdef *op, attrs *A) {
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  int k = attr_index(op, t->s);
  if (k < 0) {
    as_nearest n = {t->s, NULL, 0};
    for (uint32_t i = 0; i < op->nattrs; i++)
      as_nearest_try(&n, op->attr[i]);
    return as_lex_fail(
        X, t, n.best ? "`%s` has no attribute `%s`; is `%s` meant?" : "`%s` has no attribute `%s`",
        op->name, t->s, n.best);
  }
  if (A->given[k])
    return as_lex_fail(X, t, "attribute `%s` twice", t->s);
  X->at += 2;
  A->given[k] = true;
  const as_token *v = as_tok(X);
  bool minus = v->kind == '-';
  if (minus)
    v++;
  bool number = v->kind == AS_T_NUMBER && (v[1].kind == ',' || v[1].kind == ')');
  if (!number)
    return (A->v[k].size = as_gp_size(P)) != AS_SIZE_BAD;
  if (minus)
    X->at++;
  A->v[k].is_size = false;
  if (!as_tok_number(X, A->v[k].num))
    return false;
  if (minus)
    mpq_neg(A->v[k].num, A->v[k].num);
  return true;
}

static as_node_id parse_call(as_gparser *P, const as_token *t) {
  as_lexed *X = P->X;
  const as_opdef *op = find_op(P, t, t->s, NULL);
  if (op == NULL)
    return AS_NONE;
  as_node_id arg[AS_MAX_ARGS];
  as_node_id id = AS_NONE;
  uint32_t n = 0;
  attrs A;
  attrs_init(&A);
  bool ok = true;
  bool named = false;
  if (!as_tok_is(X, ')')) {
    do {
      if (as_tok(X)->kind == AS_T_NAME && as_tok_next(X)->kind == '=') {
        named = true;
        ok = parse_attr(P, op, &A);
      } else if (named) {
        ok = as_lex_fail(X, as_tok(X), "tensors come first, attributes after");
      } else if (n == AS_MAX_ARGS) {
        ok = as_lex_fail(X, as_tok(X), "more than %d tensors", AS_MAX_ARGS);
      } else {
        ok = (arg[n++] = as_gp_expr(P)) != AS_NONE;
      }
    } while (ok && as_tok_take(X, ','));
  }
  if (ok && as_tok_want(X, ')', "`)` or `,`"))
    id = call(P, t, op, arg, n, &A);
  attrs_clear(&A);
  return id;
}

/* --- expressions */
as_node_id as_gp_ref(as_gparser *P, uint32_t scope) {
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  if (!as_tok_want(X, AS_T_NAME, "a tensor"))
    return AS_NONE;
  as_node_id id = as_graph_find(P->g, scope, t->s);
  if (id != AS_NONE)
    return id;
  if (as_word_reserved(t->s)) {
    as_lex_fail(X, t, "`%s` is a reserved word, not a tensor", t->s);
    return AS_NONE;
  }
  if (look(P, t->s) != AS_SIZE_BAD) {
    as_lex_fail(X, t, "`%s` is a size, not a tensor", t->s);
    return AS_NONE;
  }
  if (scope != AS_NONE && as_graph_find(P->g, AS_NONE, t->s) != AS_NONE) {
    as_lex_fail(
        X, t, "`%s` is a tensor at kernel level: a block graph reads it through `load` only", t->s);
    return AS_NONE;
  }
  for (const as_token *u = t; u->kind != AS_T_END; u++) {
    if (u->kind == AS_T_NAME && strcmp(u->s, t->s) == 0 && u[1].kind == '=' && u > t &&
        (u[-1].kind == AS_T_NL || u[-1].kind == AS_T_NAME)) {
      as_lex_fail(X, t,
                  "`%s` is used before its definition on line %d (definitions cannot be cyclic)",
                  t->s, u->line);
      return AS_NONE;
    }
  }
  if (t != X->tok.data && t[-1].kind == '=' && t - 2 >= (const as_token *)X->tok.data &&
      t[-2].kind == AS_T_NAME && strcmp(t[-2].s, t->s) == 0) {
    as_lex_fail(X, t, "`%s` is defined by itself", t->s);
    return AS_NONE;
  }
  as_lex_fail(X, t, "unknown tensor `%s`", t->s);
  return AS_NONE;
}

static as_node_id number_node(as_gparser *P, bool minus) {
  mpq_t q;
  mpq_init(q);
  as_node_id id = AS_NONE;
  if (as_tok_number(P->X, q)) {
    if (minus)
      mpq_neg(q, q);
    id = as_graph_const(P->g, q);
  }
  mpq_clear(q);
  return id;
}

static as_node_id atom(as_gparser *P) {
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  if (t->kind == AS_T_NUMBER)
    return number_node(P, false);
  if (as_tok_take(X, '(')) {
    as_node_id id = as_gp_expr(P);
    return id != AS_NONE && as_tok_want(X, ')', "`)`") ? id : AS_NONE;
  }
  if (t->kind == AS_T_NAME && as_tok_next(X)->kind == '(') {
    X->at += 2;
    return parse_call(P, t);
  }
  if (t->kind == AS_T_NAME &&
      as_graph_find(P->g, P->block, t->s) == AS_NONE) { /* a size stands for its number */
    as_size s = look(P, t->s);
    if (s != AS_SIZE_BAD) {
      X->at++;
      return as_graph_size_const(P->g, s);
    }
  }
  return as_gp_ref(P, P->block);
}

static as_node_id postfix(as_gparser *P) {
  as_node_id x = atom(P);
  if (x == AS_NONE || !as_tok_take(P->X, '['))
    return x;
  uint32_t axis = 0;
  do
    if ((x = index_item(P, x, &axis)) == AS_NONE)
      return x;
  while (as_tok_take(P->X, ','));
  return as_tok_want(P->X, ']', "`]` or `,`") ? x : AS_NONE;
}

static as_node_id unary(as_gparser *P) {
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  if (!as_lex_enter(X))
    return AS_NONE;
  as_node_id x;
  if (!as_tok_take(X, '-')) {
    x = postfix(P);
  } else if (as_tok_is(X, AS_T_NUMBER) && as_tok_next(X)->kind != '[') {
    x = number_node(P, true);
  } else if ((x = unary(P)) != AS_NONE) {
    x = sugar(P, t, "neg", "-", &x, 1);
  }
  X->depth--;
  return x;
}

static as_node_id infix(as_gparser *P, as_node_id (*next)(as_gparser *), const char *ops,
                        const char *const *names) {
  as_node_id arg[2];
  as_node_id x = next(P);
  for (;;) {
    const as_token *t = as_tok(P->X);
    const char *at = t->kind < 128 && t->kind > AS_T_STRING ? strchr(ops, t->kind) : NULL;
    if (x == AS_NONE || at == NULL)
      return x;
    P->X->at++;
    arg[0] = x;
    if ((arg[1] = next(P)) == AS_NONE)
      return AS_NONE;
    char shown[2] = {*at, 0};
    x = sugar(P, t, names[at - ops], shown, arg, 2);
  }
}

static as_node_id term(as_gparser *P) {
  static const char *const names[] = {"mul", "div", "matmul"};
  return infix(P, unary, "*/@", names);
}

as_node_id as_gp_expr(as_gparser *P) {
  static const char *const names[] = {"add", "sub"};
  return infix(P, term, "+-", names);
}

as_node_id as_gp_sub(as_gparser *P, const as_token *t, as_node_id a, as_node_id b) {
  return sugar(P, t, "sub", "-", (as_node_id[]){a, b}, 2);
}

as_node_id as_gp_define(as_gparser *P, const as_token *name) {
  as_graph *g = P->g;
  if (as_word_reserved(name->s)) {
    as_lex_fail(P->X, name, "`%s` is a reserved word", name->s);
    return AS_NONE;
  }
  if (as_name_taken(g, P->block, name->s)) {
    as_lex_fail(P->X, name, "`%s` is already defined", name->s);
    return AS_NONE;
  }
  uint32_t before = g->n;
  as_node_id id = as_gp_expr(P);
  if (id == AS_NONE)
    return id;
  if (as_node_is_number(&g->node[id])) {
    as_names_put(g, P->block, name->s, id);
    return id;
  }
  if (id < before && g->open) {
    as_names_put(g, P->block, name->s, id);
    return id;
  }
  if (id < before) {
    as_lex_fail(P->X, name, "`%s` would only be another name for `%s`", name->s, g->node[id].name);
    return AS_NONE;
  }
  as_err inner;
  as_err_init(&inner);
  if (!as_graph_rename(g, id, name->s, &inner)) {
    as_gp_report(P, name, &inner);
    return AS_NONE;
  }
  return id;
}
