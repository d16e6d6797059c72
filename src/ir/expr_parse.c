#include "expr_parse.h"
#include "graph_types.h"
#include <stdlib.h>
#include <string.h>

/* open: an expression that is ill-formed at any sizes is AS_NO */
static bool report(as_lexed *lexed, const as_token *token, as_err *inner, bool open) {
  if (inner->file) { /* already placed, in another file */
    if (lexed->err && lexed->err->status == AS_OK)
      *lexed->err = *inner;
    else
      as_err_clear(inner);
    return false;
  }
  as_lex_fail(lexed, token, "%s", inner->text ? inner->text : "ill-formed");
  if (lexed->err && (inner->status == AS_INTERNAL || (inner->status == AS_NO && open)))
    lexed->err->status = inner->status;
  as_err_clear(inner);
  return false;
}

bool as_gp_report(as_gparser *parser, const as_token *token, as_err *inner) {
  return report(parser->lexed, token, inner, parser->graph->open);
}

bool as_gp_use(as_lexed *lexed, as_oplib *lib, char **path) {
  const as_token *token = as_tok(lexed);
  if (!as_tok_want(lexed, AS_T_STRING, "the path of a .sem file in quotes"))
    return false;
  char *name = as_format("%.*s", (int)token->len, token->s);
  char *whole;
  const char *slash = strrchr(lexed->file, '/');
  whole = name[0] == '/' || !slash
              ? as_strdup(name)
              : as_format("%.*s/%s", (int)(slash - lexed->file), lexed->file, name);
  as_err inner;
  as_err_init(&inner);
  if (as_oplib_reader(lib) == AS_READ_LIBRARY)
    as_oplib_read_as(lib, AS_READ_GIVEN);
  bool ok = as_oplib_load(lib, whole, &inner);
  if (!ok)
    report(lexed, token, &inner, false);
  free(whole);
  ok = ok && as_tok_want(lexed, AS_T_NL, "the end of the line");
  if (ok)
    *path = name;
  else
    free(name);
  return ok;
}

void as_gp_reserve(as_gparser *parser) {
  for (size_t i = 0; i < parser->lexed->tok.n; i++) {
    const as_token *token = &AS_VEC_AT(&parser->lexed->tok, as_token, i);
    if (token->kind != AS_T_NAME ||
        as_names_get(parser->graph, AS_SCOPE_TAKEN, token->s) != AS_NONE)
      continue;
    as_names_put(parser->graph, AS_SCOPE_TAKEN, token->s, 0);
  }
}

/* --- sizes */
static as_size look(void *ctx, const char *name) {
  const as_gparser *parser = ctx;
  as_size size = as_names_get(parser->graph, AS_SCOPE_SIZE, name);
  if (size == AS_NONE && parser->graph->program)
    size = as_names_get(parser->graph->program, AS_SCOPE_SIZE, name);
  return size == AS_NONE ? AS_SIZE_BAD : size;
}

as_size as_gp_size(as_gparser *parser) {
  return as_parse_size(parser->lexed, parser->graph->sizes, look, parser);
}

static as_size extent(as_gparser *parser) {
  const as_token *token = as_tok(parser->lexed);
  as_size size = as_gp_size(parser);
  if (size != AS_SIZE_BAD && !parser->graph->open &&
      as_graph_decide(parser->graph, 0, AS_REL_LE, size) == AS_FAILS) {
    as_lex_fail(parser->lexed, token, "a negative extent");
    return AS_SIZE_BAD;
  }
  return size;
}

bool as_gp_tile(as_gparser *parser, as_size *dim, as_size *whole, uint32_t *rank) {
  as_lexed *lexed = parser->lexed;
  *rank = 0;
  if (!as_tok_want(lexed, '[', "`[`"))
    return false;
  if (as_tok_take(lexed, ']'))
    return true;
  do {
    if (*rank == AS_MAX_RANK)
      return as_lex_fail(lexed, as_tok(lexed), "more than %d axes", AS_MAX_RANK);
    if ((dim[*rank] = extent(parser)) == AS_SIZE_BAD)
      return false;
    bool cut = whole != NULL && as_tok_take_word(lexed, "upto");
    if (whole)
      whole[*rank] = cut ? extent(parser) : AS_SIZE_BAD;
    if (cut && whole[*rank] == AS_SIZE_BAD)
      return false;
    ++*rank;
  } while (as_tok_take(lexed, ','));
  return as_tok_want(lexed, ']', "`]` or `,`");
}

bool as_gp_dims(as_gparser *parser, as_size *dim, uint32_t *rank) {
  return as_gp_tile(parser, dim, NULL, rank);
}

static bool integer(as_lexed *lexed, long *out) {
  const as_token *token = as_tok(lexed);
  mpq_t value;
  mpq_init(value);
  bool ok = as_tok_number(lexed, value);
  if (ok && (mpz_cmp_ui(mpq_denref(value), 1) != 0 || !mpz_fits_slong_p(mpq_numref(value)) ||
             mpz_get_si(mpq_numref(value)) > (long)1 << 40))
    ok = as_lex_fail(lexed, token, "a size must be an integer below 2^40");
  if (ok)
    *out = mpz_get_si(mpq_numref(value));
  mpq_clear(value);
  return ok;
}

bool as_gp_sizes(as_gparser *parser) {
  as_lexed *lexed = parser->lexed;
  do {
    const as_token *token = as_tok(lexed);
    long least = parser->graph->open ? 0 : 1;
    long value = -1;
    as_err inner;
    as_err_init(&inner);
    if (as_tok_new_name(lexed, "the name of a size") == NULL)
      return false;
    if (as_tok_take(lexed, AS_T_GE) && !integer(lexed, &least))
      return false;
    bool ranged = as_tok_is(lexed, AS_T_LE);
    if (ranged && !parser->ranges)
      return as_lex_fail(lexed, as_tok(lexed), "only sizes of a program are left to run time");
    if ((as_tok_take(lexed, AS_T_LE) || as_tok_take(lexed, '=')) && !integer(lexed, &value))
      return false;
    if (as_graph_find(parser->graph, AS_NONE, token->s) != AS_NONE)
      return as_lex_fail(lexed, token, "`%s` is already defined", token->s);
    as_size size = as_size_find(parser->graph->sizes, token->s);
    bool fixed = size != AS_SIZE_BAD && !as_size_is_ranged(parser->graph->sizes, size) &&
                 as_size_value(parser->graph->sizes, size) >= 0; /* by the given program */
    if (!as_graph_declare(parser->graph, token->s, least, value, &size, &inner))
      return as_gp_report(parser, token, &inner);
    if (ranged && !fixed)
      as_size_set_ranged(parser->graph->sizes, size);
  } while (as_tok_take(lexed, ','));
  return as_tok_want(lexed, AS_T_NL, "the end of the line");
}

static bool mentions_own(const as_graph *graph, as_size a) {
  for (uint32_t i = 0; i < graph->n_own_size; i++) {
    if (as_size_subst(graph->sizes, a, graph->own_size[i], 0) != a)
      return true;
  }
  return false;
}

/* an integer that is at most 0 where the relation holds; AS_SIZE_BAD beyond 63 bits */
static as_size excess(as_sizes *sizes, as_size a, as_rel rel, as_size b) {
  as_size less = as_size_sub(sizes, a, b);
  as_size distance = as_size_max(sizes, less, as_size_sub(sizes, b, a));
  switch (rel) {
  case AS_REL_LE:
    return less;
  case AS_REL_LT:
    return as_size_add(sizes, less, AS_SIZE_ONE);
  case AS_REL_EQ:
    return distance;
  default:
    return as_size_sub(sizes, AS_SIZE_ONE, distance);
  }
}

/* a relation, or several joined by `or`: the least of what each exceeds 0 by is at most 0 */
static bool alternatives(as_gparser *parser, as_size *a, as_rel *rel, as_size *b) {
  as_lexed *lexed = parser->lexed;
  as_sizes *sizes = parser->graph->sizes;
  const as_token *token = as_tok(lexed);
  if (!as_parse_rel(lexed, sizes, look, parser, a, rel, b))
    return false;
  while (as_tok_take_word(lexed, "or")) {
    as_size first = excess(sizes, *a, *rel, *b);
    if (!as_parse_rel(lexed, sizes, look, parser, a, rel, b))
      return false;
    as_size second = excess(sizes, *a, *rel, *b);
    *a = first == AS_SIZE_BAD || second == AS_SIZE_BAD ? AS_SIZE_BAD
                                                       : as_size_min(sizes, first, second);
    *rel = AS_REL_LE;
    *b = 0;
    if (*a == AS_SIZE_BAD)
      return as_lex_fail(lexed, token, "a size beyond 63 bits");
  }
  return true;
}

bool as_gp_where(as_gparser *parser, bool own) {
  as_lexed *lexed = parser->lexed;
  do {
    const as_token *token = as_tok(lexed);
    as_size a;
    as_size b;
    as_rel rel;
    as_err inner;
    as_err_init(&inner);
    if (!alternatives(parser, &a, &rel, &b))
      return false;
    if (own && !mentions_own(parser->graph, a) && !mentions_own(parser->graph, b)) {
      return as_lex_fail(lexed, token,
                         "a relation of a muGraph must be about its own sizes: this one would "
                         "restrict the program");
    }
    if (!parser->graph->open && as_graph_decide(parser->graph, a, rel, b) == AS_FAILS)
      return as_lex_fail(lexed, token, "this relation never holds");
    if (!as_graph_where(parser->graph, a, rel, b, &inner))
      return as_gp_report(parser, token, &inner);
  } while (as_tok_take(lexed, ','));
  return as_tok_want(lexed, AS_T_NL, "the end of the line");
}

/* --- operator calls */
static const as_opdef *find_op(as_gparser *parser, const as_token *token, const char *name,
                               const char *sugar) {
  const as_opdef *op = as_oplib_find(parser->graph->lib, name);
  if (op)
    return op;
  const char *near = as_oplib_suggest(parser->graph->lib, name);
  if (sugar) {
    as_lex_fail(parser->lexed, token,
                "operator `%s`, which `%s` stands for, is in no specification loaded", name, sugar);
  } else if (near) {
    as_lex_fail(parser->lexed, token, "unknown operator `%s`; is `%s` meant?", name, near);
  } else {
    as_lex_fail(parser->lexed, token, "unknown operator `%s`", name);
  }
  return NULL;
}

typedef struct {
  as_attr v[AS_MAX_ATTRS];
  bool given[AS_MAX_ATTRS];
} named_attrs;

static void attrs_init(named_attrs *attrs) {
  memset(attrs->given, 0, sizeof attrs->given);
  for (int i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_init(&attrs->v[i]);
}

static void attrs_clear(named_attrs *attrs) {
  for (int i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_clear(&attrs->v[i]);
}

static int attr_index(const as_opdef *op, const char *name) {
  for (uint32_t i = 0; i < op->nattrs; i++) {
    if (strcmp(op->attr[i], name) == 0)
      return (int)i;
  }
  return -1;
}

static as_node_id call(as_gparser *parser, const as_token *token, const as_opdef *op,
                       const as_node_id *arg, uint32_t n, named_attrs *attrs) {
  for (uint32_t i = 0; i < op->nattrs; i++) {
    if (attrs->given[i])
      continue;
    if (!op->attr_has_default[i]) {
      as_lex_fail(parser->lexed, token, "`%s` needs the attribute `%s`", op->name, op->attr[i]);
      return AS_NONE;
    }
    as_attr_set(&attrs->v[i], &op->attr_default[i]);
  }
  for (uint32_t i = 0; i < op->nattrs; i++) {
    as_attr *attr = &attrs->v[i];
    if (attr->is_size || mpz_cmp_ui(mpq_denref(attr->num), 1) != 0 ||
        !mpz_fits_slong_p(mpq_numref(attr->num)))
      continue;
    attr->is_size = true;
    attr->size = as_size_int(parser->graph->sizes, mpz_get_si(mpq_numref(attr->num)));
  }
  as_err inner;
  as_err_init(&inner);
  as_node_id id = as_graph_op(parser->graph, parser->block, NULL, op, arg, n, attrs->v, &inner);
  if (id == AS_NONE)
    as_gp_report(parser, token, &inner);
  return id;
}

static as_node_id sugar(as_gparser *parser, const as_token *token, const char *name,
                        const char *shown, const as_node_id *arg, uint32_t n) {
  const as_opdef *op = find_op(parser, token, name, shown);
  if (op == NULL)
    return AS_NONE;
  named_attrs attrs;
  attrs_init(&attrs);
  as_node_id id = call(parser, token, op, arg, n, &attrs);
  attrs_clear(&attrs);
  return id;
}

/* a call with integer attributes given by name */
as_node_id as_gp_with_sizes(as_gparser *parser, const as_token *token, const char *name,
                            as_node_id arg, const char *const *names, const as_size *v,
                            uint32_t n) {
  const as_opdef *op = find_op(parser, token, name, "[ ]");
  if (op == NULL)
    return AS_NONE;
  named_attrs attrs;
  attrs_init(&attrs);
  as_node_id id = AS_NONE;
  bool ok = true;
  for (uint32_t i = 0; i < n && ok; i++) {
    int k = attr_index(op, names[i]);
    ok = k >= 0 ||
         as_lex_fail(parser->lexed, token, "operator `%s` has no attribute `%s`", name, names[i]);
    if (!ok)
      break;
    attrs.given[k] = true;
    attrs.v[k].size = v[i];
  }
  if (ok)
    id = call(parser, token, op, &arg, 1, &attrs);
  attrs_clear(&attrs);
  return id;
}

/* one item of X[...]; *axis moves on */
static as_node_id index_item(as_gparser *parser, as_node_id x, uint32_t *axis) {
  static const char *const names[] = {"axis", "start", "stop", "step"};
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  as_size at = as_size_int(parser->graph->sizes, (long)*axis);
  as_size v[4] = {at, 0, 0, AS_SIZE_ONE};
  (*axis)++;
  if (as_tok_take_word(lexed, "none"))
    return as_gp_with_sizes(parser, token, "expand_dims", x, names, v, 1);
  if (*axis > parser->graph->node[x].rank) {
    as_lex_fail(lexed, token, "more indices than axes (%u)", parser->graph->node[x].rank);
    return AS_NONE;
  }
  bool start = !as_tok_is(lexed, ':');
  bool stop;
  bool step;
  if (start && (v[1] = as_gp_size(parser)) == AS_SIZE_BAD)
    return AS_NONE;
  if (!as_tok_want(lexed, ':', "`:` (axes are sliced, not indexed)"))
    return AS_NONE;
  stop = !as_tok_is(lexed, ':') && !as_tok_is(lexed, ',') && !as_tok_is(lexed, ']');
  v[2] = parser->graph->node[x].dim[*axis - 1];
  if (stop && (v[2] = as_gp_size(parser)) == AS_SIZE_BAD)
    return AS_NONE;
  step = as_tok_take(lexed, ':');
  if (step && (v[3] = as_gp_size(parser)) == AS_SIZE_BAD)
    return AS_NONE;
  return start || stop || step ? as_gp_with_sizes(parser, token, "slice", x, names, v, 4) : x;
}

static bool parse_attr(as_gparser *parser, const as_opdef *op, named_attrs *attrs) {
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  int k = attr_index(op, token->s);
  if (k < 0) {
    as_nearest nearest = {token->s, NULL, 0};
    for (uint32_t i = 0; i < op->nattrs; i++)
      as_nearest_try(&nearest, op->attr[i]);
    return as_lex_fail(lexed, token,
                       nearest.best ? "`%s` has no attribute `%s`; is `%s` meant?"
                                    : "`%s` has no attribute `%s`",
                       op->name, token->s, nearest.best);
  }
  if (attrs->given[k])
    return as_lex_fail(lexed, token, "attribute `%s` twice", token->s);
  lexed->at += 2;
  attrs->given[k] = true;
  const as_token *v = as_tok(lexed);
  bool minus = v->kind == '-';
  if (minus)
    v++;
  bool number = v->kind == AS_T_NUMBER && (v[1].kind == ',' || v[1].kind == ')');
  if (!number)
    return (attrs->v[k].size = as_gp_size(parser)) != AS_SIZE_BAD;
  if (minus)
    lexed->at++;
  attrs->v[k].is_size = false;
  if (!as_tok_number(lexed, attrs->v[k].num))
    return false;
  if (minus)
    mpq_neg(attrs->v[k].num, attrs->v[k].num);
  return true;
}

/* `keepdims = 1` makes a call of `sum` one of `sum_keep`, and so on */
static bool parse_keepdims(as_gparser *parser, const as_token *token, const as_opdef **op,
                           named_attrs *attrs) {
  as_lexed *lexed = parser->lexed;
  lexed->at += 2;
  const as_token *value = as_tok(lexed);
  bool one = value->kind == AS_T_NUMBER && value->len == 1 && *value->s == '1';
  if (!one && !(value->kind == AS_T_NUMBER && value->len == 1 && *value->s == '0'))
    return as_lex_fail(lexed, value, "`keepdims` is 0 or 1");
  lexed->at++;
  if (!one)
    return true;
  char *name = as_format("%s_keep", (*op)->name);
  const as_opdef *keeping = as_oplib_find(parser->graph->lib, name);
  bool ok = keeping != NULL ||
            as_lex_fail(lexed, token, "`%s` cannot keep its axes: there is no operator `%s`",
                        (*op)->name, name);
  free(name);
  named_attrs moved;
  attrs_init(&moved);
  for (uint32_t i = 0; ok && i < (*op)->nattrs; i++) {
    int k = attr_index(keeping, (*op)->attr[i]);
    if (!attrs->given[i])
      continue;
    ok = k >= 0 ||
         as_lex_fail(lexed, token, "`%s` has no attribute `%s`", keeping->name, (*op)->attr[i]);
    if (ok) {
      as_attr_set(&moved.v[k], &attrs->v[i]);
      moved.given[k] = true;
    }
  }
  attrs_clear(attrs);
  *attrs = moved;
  if (ok)
    *op = keeping;
  return ok;
}

/* what stands between the brackets of a call */
typedef struct {
  const as_opdef *op;
  as_node_id arg[AS_MAX_ARGS];
  uint32_t n;
  named_attrs attrs;
  as_gp_axes axes;  /* of a list of axes; then it is the only attribute */
  uint32_t n_given; /* attributes, as far as read */
} call_parts;

static bool parse_argument(as_gparser *parser, const as_token *token, call_parts *parts) {
  as_lexed *lexed = parser->lexed;
  const as_token *name = as_tok(lexed);
  if (name->kind != AS_T_NAME || as_tok_next(lexed)->kind != '=') {
    if (parts->n_given)
      return as_lex_fail(lexed, name, "tensors come first, attributes after");
    if (parts->n == AS_MAX_ARGS)
      return as_lex_fail(lexed, name, "more than %d tensors", AS_MAX_ARGS);
    return (parts->arg[parts->n++] = as_gp_expr(parser)) != AS_NONE;
  }
  if (parts->n_given++ == AS_MAX_GIVEN)
    return as_lex_fail(lexed, name, "more than %d attributes of a call", AS_MAX_GIVEN);
  if (attr_index(parts->op, name->s) < 0 && strcmp(name->s, "keepdims") == 0)
    return parse_keepdims(parser, token, &parts->op, &parts->attrs);
  if (name[2].kind == '[')
    return as_gp_parse_axes(parser, &parts->axes);
  return parse_attr(parser, parts->op, &parts->attrs);
}

static as_node_id parse_call(as_gparser *parser, const as_token *token) {
  as_lexed *lexed = parser->lexed;
  call_parts parts = {.op = find_op(parser, token, token->s, NULL)};
  if (parts.op == NULL)
    return AS_NONE;
  as_node_id id = AS_NONE;
  attrs_init(&parts.attrs);
  bool ok = true;
  if (!as_tok_is(lexed, ')')) {
    do
      ok = parse_argument(parser, token, &parts);
    while (ok && as_tok_take(lexed, ','));
  }
  ok = ok && as_tok_want(lexed, ')', "`)` or `,`");
  bool others = false;
  for (uint32_t i = 0; i < parts.op->nattrs; i++)
    others |= parts.attrs.given[i];
  if (ok && parts.axes.n > 0 && (others || parts.n != 1))
    as_lex_fail(lexed, parts.axes.at, "a list of axes is the only attribute, of one tensor");
  else if (ok && parts.axes.n > 0)
    id = as_gp_over_axes(parser, token, parts.op, parts.arg[0], &parts.axes);
  else if (ok)
    id = call(parser, token, parts.op, parts.arg, parts.n, &parts.attrs);
  attrs_clear(&parts.attrs);
  return id;
}

/* --- expressions */
as_node_id as_gp_ref(as_gparser *parser, uint32_t scope) {
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  if (!as_tok_want(lexed, AS_T_NAME, "a tensor"))
    return AS_NONE;
  as_node_id id = as_graph_find(parser->graph, scope, token->s);
  if (id != AS_NONE)
    return id;
  if (as_word_reserved(token->s)) {
    as_lex_fail(lexed, token, "`%s` is a reserved word, not a tensor", token->s);
    return AS_NONE;
  }
  if (look(parser, token->s) != AS_SIZE_BAD) {
    as_lex_fail(lexed, token, "`%s` is a size, not a tensor", token->s);
    return AS_NONE;
  }
  if (scope != AS_NONE && as_graph_find(parser->graph, AS_NONE, token->s) != AS_NONE) {
    as_lex_fail(lexed, token,
                "`%s` is a tensor at kernel level: a block graph reads it through `load` only",
                token->s);
    return AS_NONE;
  }
  for (const as_token *other = token; other->kind != AS_T_END; other++) {
    if (other->kind == AS_T_NAME && strcmp(other->s, token->s) == 0 && other[1].kind == '=' &&
        other > token && (other[-1].kind == AS_T_NL || other[-1].kind == AS_T_NAME)) {
      as_lex_fail(lexed, token,
                  "`%s` is used before its definition on line %d (definitions cannot be cyclic)",
                  token->s, other->line);
      return AS_NONE;
    }
  }
  if (token != lexed->tok.data && token[-1].kind == '=' &&
      token - 2 >= (const as_token *)lexed->tok.data && token[-2].kind == AS_T_NAME &&
      strcmp(token[-2].s, token->s) == 0) {
    as_lex_fail(lexed, token, "`%s` is defined by itself", token->s);
    return AS_NONE;
  }
  as_lex_fail(lexed, token, "unknown tensor `%s`", token->s);
  return AS_NONE;
}

static as_node_id number_node(as_gparser *parser, bool minus) {
  mpq_t value;
  mpq_init(value);
  as_node_id id = AS_NONE;
  if (as_tok_number(parser->lexed, value)) {
    if (minus)
      mpq_neg(value, value);
    id = as_graph_const(parser->graph, value);
  }
  mpq_clear(value);
  return id;
}

static as_node_id atom(as_gparser *parser) {
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  if (token->kind == AS_T_NUMBER)
    return number_node(parser, false);
  if (as_tok_take(lexed, '(')) {
    as_node_id id = as_gp_expr(parser);
    return id != AS_NONE && as_tok_want(lexed, ')', "`)`") ? id : AS_NONE;
  }
  if (token->kind == AS_T_NAME && as_tok_next(lexed)->kind == '(') {
    lexed->at += 2;
    return parse_call(parser, token);
  }
  if (token->kind == AS_T_NAME && as_graph_find(parser->graph, parser->block, token->s) ==
                                      AS_NONE) { /* a size stands for its number */
    as_size size = look(parser, token->s);
    if (size != AS_SIZE_BAD) {
      lexed->at++;
      return as_graph_size_const(parser->graph, size);
    }
  }
  return as_gp_ref(parser, parser->block);
}

static as_node_id postfix(as_gparser *parser) {
  as_node_id x = atom(parser);
  while (x != AS_NONE && as_tok_take(parser->lexed, '[')) {
    uint32_t axis = 0;
    do
      if ((x = index_item(parser, x, &axis)) == AS_NONE)
        return x;
    while (as_tok_take(parser->lexed, ','));
    if (!as_tok_want(parser->lexed, ']', "`]` or `,`"))
      return AS_NONE;
  }
  return x;
}

static as_node_id unary(as_gparser *parser) {
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  if (!as_lex_enter(lexed))
    return AS_NONE;
  as_node_id x;
  if (!as_tok_take(lexed, '-')) {
    x = postfix(parser);
  } else if (as_tok_is(lexed, AS_T_NUMBER) && as_tok_next(lexed)->kind != '[') {
    x = number_node(parser, true);
  } else if ((x = unary(parser)) != AS_NONE) {
    x = sugar(parser, token, "neg", "-", &x, 1);
  }
  lexed->depth--;
  return x;
}

static as_node_id infix(as_gparser *parser, as_node_id (*next)(as_gparser *), const char *ops,
                        const char *const *names) {
  as_node_id arg[2];
  as_node_id x = next(parser);
  for (;;) {
    const as_token *token = as_tok(parser->lexed);
    const char *at =
        token->kind < 128 && token->kind > AS_T_STRING ? strchr(ops, token->kind) : NULL;
    if (x == AS_NONE || at == NULL)
      return x;
    parser->lexed->at++;
    arg[0] = x;
    if ((arg[1] = next(parser)) == AS_NONE)
      return AS_NONE;
    char shown[2] = {*at, 0};
    x = sugar(parser, token, names[at - ops], shown, arg, 2);
  }
}

static as_node_id term(as_gparser *parser) {
  static const char *const names[] = {"mul", "div", "matmul"};
  return infix(parser, unary, "*/@", names);
}

as_node_id as_gp_expr(as_gparser *parser) {
  static const char *const names[] = {"add", "sub"};
  return infix(parser, term, "+-", names);
}

as_node_id as_gp_apply(as_gparser *parser, const as_token *token, const char *op, const char *shown,
                       as_node_id a, as_node_id b) {
  return sugar(parser, token, op, shown, (as_node_id[]){a, b}, 2);
}

bool as_gp_typed(as_lexed *lexed, as_gp_memory *memory) {
  static const char *const words[] = {[AS_F16] = "f16", [AS_BF16] = "bf16", [AS_F32] = "f32"};
  memory->token = NULL;
  if (!as_tok_take(lexed, ':'))
    return true;
  memory->token = as_tok(lexed);
  for (uint32_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (as_tok_take_word(lexed, words[i])) {
      memory->type = (as_dtype)i;
      return true;
    }
  }
  return as_lex_fail(lexed, memory->token, "expected f16, bf16 or f32");
}

bool as_gp_stated(as_gparser *parser, as_node_id id, const as_gp_memory *memory) {
  as_err inner;
  as_err_init(&inner);
  return memory->token == NULL || as_graph_state_type(parser->graph, id, memory->type, &inner) ||
         as_gp_report(parser, memory->token, &inner);
}

as_node_id as_gp_define(as_gparser *parser, const as_token *name) {
  as_graph *graph = parser->graph;
  if (as_word_reserved(name->s)) {
    as_lex_fail(parser->lexed, name, "`%s` is a reserved word", name->s);
    return AS_NONE;
  }
  if (as_name_taken(graph, parser->block, name->s)) {
    as_lex_fail(parser->lexed, name, "`%s` is already defined", name->s);
    return AS_NONE;
  }
  uint32_t before = graph->n;
  as_node_id id = as_gp_expr(parser);
  if (id == AS_NONE)
    return id;
  if (as_node_is_number(&graph->node[id])) {
    as_names_put(graph, parser->block, name->s, id);
    return id;
  }
  if (id < before && graph->open) {
    as_names_put(graph, parser->block, name->s, id);
    return id;
  }
  if (id < before) {
    as_lex_fail(parser->lexed, name, "`%s` would only be another name for `%s`", name->s,
                graph->node[id].name);
    return AS_NONE;
  }
  as_err inner;
  as_err_init(&inner);
  if (!as_graph_rename(graph, id, name->s, &inner)) {
    as_gp_report(parser, name, &inner);
    return AS_NONE;
  }
  return id;
}
