/* Names, scalars and expressions over tiles. */
#include "src/ir/oplib_int.h"
#include "tile_parse.h"
#include <stdlib.h>
#include <string.h>

bool as_tile_word_reserved(const char *word) {
  static const char *const words[] = {"tile",     "inout", "scratch", "for",  "to",   "step",
                                      "parallel", "carry", "next",    "make", "over", "else"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(words[i], word) == 0)
      return true;
  }
  return as_word_reserved(word);
}

const tile_name *tile_find(const tile_parser *parser, const char *name, tile_name *of_size) {
  for (size_t i = parser->scope.n; i-- > 0;) {
    const tile_name *known = &AS_VEC_AT(&parser->scope, tile_name, i);
    if (strcmp(known->name, name) == 0)
      return known;
  }
  as_size size = as_names_get(parser->sizes.graph, AS_SCOPE_SIZE, name);
  if (size == AS_NONE)
    return NULL;
  *of_size = (tile_name){name, AS_TILE_IS_SIZE, size, true};
  return of_size;
}

const char *tile_new_name(tile_parser *parser, const char *what) {
  as_lexed *lexed = tile_lexed(parser);
  const as_token *token = as_tok(lexed);
  tile_name of_size;
  const char *name = as_tok_new_name(lexed, what);
  if (name == NULL)
    return NULL;
  if (as_tile_word_reserved(name)) {
    as_lex_fail(lexed, token, "`%s` is a reserved word and cannot be %s", name, what);
    return NULL;
  }
  if (tile_find(parser, name, &of_size)) {
    as_lex_fail(lexed, token, "`%s` is already defined", name);
    return NULL;
  }
  if (parser->scope.n >= TILE_MOST_NAMES) {
    as_lex_fail(lexed, token, "more than %d names at a place", TILE_MOST_NAMES);
    return NULL;
  }
  return as_arena_strdup(parser->program->mem, name);
}

void tile_declare(tile_parser *parser, const char *name, as_tile_meaning meaning, uint32_t id,
                  bool integer) {
  as_vec_push(&parser->scope, &(tile_name){name, meaning, id, integer});
}

static bool fail_at(const tile_parser *parser, const as_expr *expr, const char *text,
                    const char *name) {
  as_lexed *lexed = tile_lexed(parser);
  return as_err_at(lexed->err, lexed->file, lexed->text, lexed->len, expr->line, expr->col, text,
                   name);
}

static as_tile_scalar *resolve(tile_parser *parser, const as_expr *expr);

/* up to what numbers of 64 bits are written modulo */
static bool whole_number(const as_expr *expr) {
  enum { MOST_BITS = 65 };

  return mpz_cmp_ui(mpq_denref(expr->num), 1) == 0 &&
         mpz_sizeinbase(mpq_numref(expr->num), 2) <= MOST_BITS;
}

static bool resolve_name(tile_parser *parser, const as_expr *expr, as_tile_scalar *made) {
  tile_name of_size;
  const tile_name *known = tile_find(parser, expr->name, &of_size);
  if (known == NULL)
    return fail_at(parser, expr, "unknown name `%s`", expr->name);
  bool access = expr->kind == AS_E_ACCESS;
  if (access && known->meaning == AS_TILE_IS_TENSOR)
    return fail_at(parser, expr, "`%s` is a tensor: only `load` reads it", expr->name);
  if (access != (known->meaning == AS_TILE_IS_TILE)) {
    return fail_at(parser, expr,
                   access ? "`%s` is no tile"
                          : "`%s` stands for no number here (an element of a "
                            "tile is written with its indices)",
                   expr->name);
  }
  made->meaning = known->meaning;
  made->id = known->id;
  made->integer = known->integer;
  return true;
}

/* the counter of a reduction is known in its body alone */
static bool resolve_reduction(tile_parser *parser, const as_expr *expr, as_tile_scalar *made) {
  tile_name of_size;
  if ((made->kid[0] = resolve(parser, expr->kid[0])) == NULL)
    return false;
  if (!made->kid[0]->integer)
    return fail_at(parser, expr->kid[0], "the bound of `%s` is no integer", expr->name);
  if (tile_find(parser, expr->name, &of_size))
    return fail_at(parser, expr, "`%s` is already defined", expr->name);
  made->meaning = AS_TILE_IS_INTEGER;
  made->id = parser->program->n_integers++;
  tile_declare(parser, expr->name, AS_TILE_IS_INTEGER, made->id, true);
  made->kid[1] = resolve(parser, expr->kid[1]);
  parser->scope.n--;
  made->integer = made->kid[1] && made->kid[1]->integer;
  return made->kid[1] != NULL;
}

static bool is_whole(const as_expr *expr, const as_tile_scalar *made) {
  uint32_t first = 0;
  switch (expr->kind) {
  case AS_E_NUM:
    return whole_number(expr);
  case AS_E_NAME:
  case AS_E_ACCESS:
    return made->integer;
  case AS_E_IF:
    first = 1; /* the condition is no number */
    break;
  case AS_E_ADD:
  case AS_E_SUB:
  case AS_E_MUL:
  case AS_E_NEG:
  case AS_E_IDIV:
  case AS_E_MOD:
  case AS_E_MAX2:
  case AS_E_MIN2:
  case AS_E_ABS:
    break;
  default:
    return false;
  }
  for (uint32_t i = first; i < made->n; i++) {
    if (!made->kid[i]->integer)
      return false;
  }
  return true;
}

static bool is_reduction(as_ekind kind) {
  return kind == AS_E_SUM || kind == AS_E_PROD || kind == AS_E_MAXR || kind == AS_E_MINR;
}

static as_tile_scalar *resolve(tile_parser *parser, const as_expr *expr) {
  if (expr == NULL)
    return NULL;
  as_tile_scalar *made = as_arena_alloc(parser->program->mem, sizeof *made);
  made->text = expr;
  made->n = expr->n;
  made->kid = as_arena_alloc(parser->program->mem, (expr->n + 1) * sizeof *made->kid);
  if ((expr->kind == AS_E_NAME || expr->kind == AS_E_ACCESS) && !resolve_name(parser, expr, made))
    return NULL;
  if (is_reduction(expr->kind))
    return resolve_reduction(parser, expr, made) ? made : NULL;
  for (uint32_t i = 0; i < expr->n; i++) {
    bool index = expr->kind == AS_E_ACCESS;
    if (index && expr->acc[i] != AS_IX_SCALAR) {
      fail_at(parser, expr, "the indices of `%s` are scalars here", expr->name);
      return NULL;
    }
    if ((made->kid[i] = resolve(parser, expr->kid[i])) == NULL)
      return NULL;
    bool whole = index || expr->kind == AS_E_IDIV || expr->kind == AS_E_MOD;
    if (whole && !made->kid[i]->integer) {
      fail_at(parser, expr->kid[i], "%s", "an integer is expected here");
      return NULL;
    }
  }
  made->integer = is_whole(expr, made);
  return made;
}

as_tile_scalar *tile_scalar(tile_parser *parser) {
  return resolve(parser, as_parse_scalar(tile_lexed(parser), parser->lib));
}

as_tile_scalar *tile_integer(tile_parser *parser, const char *what) {
  const as_token *token = as_tok(tile_lexed(parser));
  as_tile_scalar *scalar = tile_scalar(parser);
  if (scalar == NULL || scalar->integer)
    return scalar;
  as_lex_fail(tile_lexed(parser), token, "%s is no integer", what);
  return NULL;
}

as_tile_scalar *tile_condition(tile_parser *parser) {
  return resolve(parser, as_parse_condition(tile_lexed(parser), parser->lib));
}

/* --- expressions over tiles */
static as_tile_expr *new_expr(tile_parser *parser, as_tile_expr_kind kind, const as_token *token) {
  as_tile_expr *made = as_arena_alloc(parser->program->mem, sizeof *made);
  made->kind = kind;
  made->line = token->line;
  return made;
}

static const as_opdef *find_operator(tile_parser *parser, const as_token *token, const char *name) {
  const as_opdef *op = as_oplib_find(parser->lib, name);
  if (op)
    return op;
  const char *near = as_oplib_suggest(parser->lib, name);
  as_lex_fail(tile_lexed(parser), token,
              near ? "unknown operator `%s`; is `%s` meant?" : "unknown operator `%s`", name, near);
  return NULL;
}

/* an attribute by name, `NAME =` at the cursor */
static bool parse_attr(tile_parser *parser, as_tile_expr *call) {
  as_lexed *lexed = tile_lexed(parser);
  const as_token *token = as_tok(lexed);
  uint32_t k = 0;
  while (k < call->op->nattrs && strcmp(call->op->attr[k], token->s) != 0)
    k++;
  if (k == call->op->nattrs)
    return as_lex_fail(lexed, token, "`%s` has no attribute `%s`", call->op->name, token->s);
  as_tile_attr *attr = &call->attr[k];
  if (attr->scalar || attr->number)
    return as_lex_fail(lexed, token, "attribute `%s` twice", token->s);
  lexed->at += 2;
  as_tile_scalar *scalar = tile_scalar(parser);
  if (scalar == NULL)
    return false;
  bool number = scalar->text->kind == AS_E_NUM;
  if (scalar->integer)
    attr->scalar = scalar;
  else if (number)
    attr->number = &scalar->text->num;
  else
    return as_lex_fail(lexed, token, "attribute `%s` is neither an integer nor a number", token->s);
  return true;
}

static bool finish_call(tile_parser *parser, as_tile_expr *call, const as_token *token) {
  const as_opdef *op = call->op;
  as_lexed *lexed = tile_lexed(parser);
  if (call->n_arg != op->nargs) {
    return as_lex_fail(lexed, token, "`%s` takes %u tensor%s, not %u", op->name, op->nargs,
                       op->nargs == 1 ? "" : "s", call->n_arg);
  }
  for (uint32_t k = 0; k < op->nattrs; k++) {
    if (!call->attr[k].scalar && !call->attr[k].number && !op->attr_has_default[k])
      return as_lex_fail(lexed, token, "`%s` needs the attribute `%s`", op->name, op->attr[k]);
  }
  for (uint32_t i = 0; i < call->n_arg; i++)
    call->depth = call->arg[i]->depth >= call->depth ? call->arg[i]->depth + 1 : call->depth;
  if (call->depth > AS_TILE_MOST_LEVELS)
    return as_lex_fail(lexed, token, "more than %d calls within each other", AS_TILE_MOST_LEVELS);
  call->cache = parser->program->n_calls++;
  return true;
}

static bool parse_args(tile_parser *parser, as_tile_expr *call) {
  as_lexed *lexed = tile_lexed(parser);
  uint32_t n_given = 0;
  if (as_tok_take(lexed, ')'))
    return true;
  do {
    if (as_tok(lexed)->kind == AS_T_NAME && as_tok_next(lexed)->kind == '=') {
      if (n_given++ == AS_MAX_GIVEN)
        return as_lex_fail(lexed, as_tok(lexed), "more than %d attributes of a call", AS_MAX_GIVEN);
      if (!parse_attr(parser, call))
        return false;
      continue;
    }
    if (n_given)
      return as_lex_fail(lexed, as_tok(lexed), "tensors come first, attributes after");
    if (call->n_arg == AS_MAX_ARGS)
      return as_lex_fail(lexed, as_tok(lexed), "more than %d tensors", AS_MAX_ARGS);
    if ((call->arg[call->n_arg++] = tile_expr(parser)) == NULL)
      return false;
  } while (as_tok_take(lexed, ','));
  return as_tok_want(lexed, ')', "`)` or `,`");
}

static as_tile_expr *operator_call(tile_parser *parser, const as_token *token, const char *name,
                                   as_tile_expr *left, as_tile_expr *right) {
  as_tile_expr *call = new_expr(parser, AS_TILE_CALL, token);
  if ((call->op = find_operator(parser, token, name)) == NULL)
    return NULL;
  call->arg[call->n_arg++] = left;
  if (right)
    call->arg[call->n_arg++] = right;
  return finish_call(parser, call, token) ? call : NULL;
}

static as_tile_expr *named(tile_parser *parser, const as_token *token) {
  tile_name of_size;
  const tile_name *known = tile_find(parser, token->s, &of_size);
  if (known == NULL || known->meaning == AS_TILE_IS_TENSOR) {
    as_lex_fail(tile_lexed(parser), token,
                known ? "`%s` is a tensor: only `load` reads it" : "unknown tile `%s`", token->s);
    return NULL;
  }
  as_tile_expr *made = new_expr(parser, AS_TILE_NAMED, token);
  made->meaning = known->meaning;
  made->id = known->id;
  made->name = as_arena_strdup(parser->program->mem, token->s);
  return made;
}

static as_tile_expr *atom(tile_parser *parser) {
  as_lexed *lexed = tile_lexed(parser);
  const as_token *token = as_tok(lexed);
  if (token->kind == AS_T_NUMBER) {
    as_tile_expr *made = new_expr(parser, AS_TILE_NUMBER, token);
    as_expr *number = as_oplib_new_expr(parser->lib, AS_E_NUM, 0, token);
    made->number = number;
    return as_tok_number(lexed, number->num) ? made : NULL;
  }
  if (as_tok_take(lexed, '(')) {
    as_tile_expr *inner = tile_expr(parser);
    return inner && as_tok_want(lexed, ')', "`)`") ? inner : NULL;
  }
  if (!as_tok_want(lexed, AS_T_NAME, "a tile"))
    return NULL;
  if (as_tok_take(lexed, '(')) {
    as_tile_expr *call = new_expr(parser, AS_TILE_CALL, token);
    call->op = find_operator(parser, token, token->s);
    return call->op && parse_args(parser, call) && finish_call(parser, call, token) ? call : NULL;
  }
  return named(parser, token);
}

static as_tile_expr *unary(tile_parser *parser) {
  as_lexed *lexed = tile_lexed(parser);
  const as_token *token = as_tok(lexed);
  if (!as_lex_enter(lexed))
    return NULL;
  as_tile_expr *made = NULL;
  if (!as_tok_take(lexed, '-'))
    made = atom(parser);
  else if ((made = unary(parser)) != NULL)
    made = operator_call(parser, token, "neg", made, NULL);
  lexed->depth--;
  return made;
}

static as_tile_expr *infix(tile_parser *parser, as_tile_expr *(*next)(tile_parser *),
                           const char *symbols, const char *const *names) {
  as_tile_expr *left = next(parser);
  for (;;) {
    const as_token *token = as_tok(tile_lexed(parser));
    bool symbol = token->kind > AS_T_STRING && token->kind < 128;
    const char *at = symbol ? strchr(symbols, token->kind) : NULL;
    if (left == NULL || at == NULL)
      return left;
    tile_lexed(parser)->at++;
    as_tile_expr *right = next(parser);
    left = right ? operator_call(parser, token, names[at - symbols], left, right) : NULL;
  }
}

static as_tile_expr *term(tile_parser *parser) {
  static const char *const names[] = {"mul", "div", "matmul"};
  return infix(parser, unary, "*/@", names);
}

as_tile_expr *tile_expr(tile_parser *parser) {
  static const char *const names[] = {"add", "sub"};
  return infix(parser, term, "+-", names);
}
