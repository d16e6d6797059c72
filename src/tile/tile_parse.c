/* The reader of tile programs: declarations, statements, loops (docs/tile.md). */
#include "tile_parse.h"
#include "src/ir/oplib_int.h"
#include <stdlib.h>
#include <string.h>

static const char *const roles[] = {"input", "inout", "output", "scratch"};
static const char *const types[] = {"f16", "bf16", "f32", "int"};

const char *as_tile_role_word(as_tile_role role) {
  return roles[role];
}

const char *as_tile_type_word(as_tile_type type) {
  return types[type];
}

static bool end_of_line(tile_parser *parser) {
  return as_tok_want(tile_lexed(parser), AS_T_NL, "the end of the line");
}

/* ---- tensors */
static bool initial_number(tile_parser *parser, as_tile_tensor *tensor) {
  as_lexed *lexed = tile_lexed(parser);
  const as_token *token = as_tok(lexed);
  if (tensor->role == AS_TILE_INPUT || tensor->role == AS_TILE_INOUT) {
    return as_lex_fail(lexed, token,
                       "an argument has the value that it is given: no other at the "
                       "start");
  }
  tensor->minus = as_tok_take(lexed, '-');
  as_expr *number = as_oplib_new_expr(parser->lib, AS_E_NUM, 0, token);
  tensor->initial = number;
  if (!as_tok_number(lexed, number->num))
    return false;
  if (tensor->type == AS_TILE_INT && mpz_cmp_ui(mpq_denref(number->num), 1) != 0)
    return as_lex_fail(lexed, token, "an `int` tensor starts with an integer");
  return true;
}

/* after its role; gives its number, AS_NONE with err */
static uint32_t tensor(tile_parser *parser, as_tile_role role, bool local) {
  as_lexed *lexed = tile_lexed(parser);
  as_tile_tensor made = {.role = role, .local = local};
  int type = -1;
  if ((made.name = tile_new_name(parser, "the name of a tensor")) == NULL ||
      !as_tok_want(lexed, ':', "`:`"))
    return AS_NONE;
  for (int i = 0; i < 4; i++) {
    if (as_tok_take_word(lexed, types[i]))
      type = i;
  }
  if (type < 0) {
    as_lex_fail(lexed, as_tok(lexed), "expected an element type: f16, bf16, f32 or int");
    return AS_NONE;
  }
  made.type = (as_tile_type)type;
  if (!as_gp_dims(&parser->sizes, made.dim, &made.rank) ||
      (as_tok_take(lexed, '=') && !initial_number(parser, &made)) || !end_of_line(parser))
    return AS_NONE;
  uint32_t number = (uint32_t)parser->tensors.n;
  as_vec_push(&parser->tensors, &made);
  tile_declare(parser, made.name, AS_TILE_IS_TENSOR, number, made.type == AS_TILE_INT);
  return number;
}

/* ---- statements */
static as_tile_stmt *new_stmt(tile_parser *parser, as_tile_stmt_kind kind, const as_token *token) {
  as_tile_stmt *made = as_arena_alloc(parser->program->mem, sizeof *made);
  made->kind = kind;
  made->line = token->line;
  return made;
}

/* the lanes stay known until the caller takes them out of scope */
static bool lanes(tile_parser *parser, as_tile_stmt *stmt) {
  as_lexed *lexed = tile_lexed(parser);
  if (!as_tok_want(lexed, '[', "`[` and the lanes"))
    return false;
  if (as_tok_take(lexed, ']'))
    return true;
  do {
    if (stmt->n_lane == AS_MAX_RANK)
      return as_lex_fail(lexed, as_tok(lexed), "more than %d axes", AS_MAX_RANK);
    as_tile_lane *lane = &stmt->lane[stmt->n_lane++];
    if ((lane->name = tile_new_name(parser, "the name of a lane")) == NULL ||
        !as_tok_want(lexed, '<', "`<`") ||
        (lane->extent = tile_integer(parser, "the extent of a tile")) == NULL)
      return false;
    lane->slot = parser->program->n_integers++;
    tile_declare(parser, lane->name, AS_TILE_IS_INTEGER, lane->slot, true);
  } while (as_tok_take(lexed, ','));
  return as_tok_want(lexed, ']', "`]` or `,`");
}

static const as_tile_tensor *place(tile_parser *parser, as_tile_stmt *stmt) {
  as_lexed *lexed = tile_lexed(parser);
  const as_token *token = as_tok(lexed);
  tile_name of_size;
  if (!as_tok_want(lexed, AS_T_NAME, "a tensor") || !as_tok_want(lexed, '[', "`[`"))
    return NULL;
  const tile_name *known = tile_find(parser, token->s, &of_size);
  if (known == NULL || known->meaning != AS_TILE_IS_TENSOR) {
    as_lex_fail(lexed, token, known ? "`%s` is no tensor" : "unknown tensor `%s`", token->s);
    return NULL;
  }
  stmt->tensor = known->id;
  if (!as_tok_take(lexed, ']')) {
    do {
      if (stmt->n_place == AS_MAX_RANK) {
        as_lex_fail(lexed, as_tok(lexed), "more than %d axes", AS_MAX_RANK);
        return NULL;
      }
      if ((stmt->place[stmt->n_place++] = tile_integer(parser, "a position")) == NULL)
        return NULL;
    } while (as_tok_take(lexed, ','));
    if (!as_tok_want(lexed, ']', "`]` or `,`"))
      return NULL;
  }
  const as_tile_tensor *of = &AS_VEC_AT(&parser->tensors, as_tile_tensor, stmt->tensor);
  if (of->rank == stmt->n_place)
    return of;
  as_lex_fail(lexed, token, "`%s` has %u axes, not %u", of->name, of->rank, stmt->n_place);
  return NULL;
}

/* gives a tile its name and slot */
static bool define(tile_parser *parser, as_tile_stmt *stmt, const char *name, bool integer) {
  stmt->name = name;
  stmt->slot = parser->program->n_tiles++;
  tile_declare(parser, name, AS_TILE_IS_TILE, stmt->slot, integer);
  return end_of_line(parser);
}

/* The tile's own name comes into scope behind the lanes' end: it is checked first, declared last.
 */
static as_tile_stmt *load(tile_parser *parser, const as_token *token) {
  as_lexed *lexed = tile_lexed(parser);
  as_tile_stmt *stmt = new_stmt(parser, AS_TILE_LOAD, token);
  const char *name = tile_new_name(parser, "the name of a tile");
  size_t before = parser->scope.n;
  const as_tile_tensor *from = NULL;
  bool ok = name && lanes(parser, stmt) && as_tok_want(lexed, '=', "`=`") &&
            (from = place(parser, stmt)) != NULL;
  if (ok && as_tok_take_word(lexed, "where")) {
    ok = (stmt->mask = tile_condition(parser)) != NULL;
    if (ok && as_tok_take_word(lexed, "else"))
      ok = (stmt->other = tile_scalar(parser)) != NULL;
  }
  parser->scope.n = before;
  if (!ok)
    return NULL;
  bool integer = from->type == AS_TILE_INT && (stmt->other == NULL || stmt->other->integer);
  return define(parser, stmt, name, integer) ? stmt : NULL;
}

/* `store X[..] = t over [..]`: all of a tile, whose extents are those of the lanes */
static bool whole_tile(tile_parser *parser, as_tile_stmt *stmt, bool *integers) {
  as_lexed *lexed = tile_lexed(parser);
  const as_token *token = as_tok(lexed);
  tile_name of_size;
  const tile_name *known = token->kind == AS_T_NAME && as_tok_next(lexed)->kind != '['
                               ? tile_find(parser, token->s, &of_size)
                               : NULL;
  if (known == NULL || known->meaning != AS_TILE_IS_TILE)
    return false;
  lexed->at++;
  stmt->whole_name = as_arena_strdup(parser->program->mem, token->s);
  stmt->whole = known->id;
  *integers = known->integer;
  return true;
}

static bool stored_value(tile_parser *parser, as_tile_stmt *stmt, bool *integers) {
  if (whole_tile(parser, stmt, integers))
    return true;
  stmt->value = tile_scalar(parser);
  *integers = stmt->value && stmt->value->integer;
  return stmt->value != NULL;
}

/* The lanes stand behind what speaks of them: they are read first, then the place and the value. */
static as_tile_stmt *store(tile_parser *parser, const as_token *token) {
  as_lexed *lexed = tile_lexed(parser);
  as_tile_stmt *stmt = new_stmt(parser, AS_TILE_STORE, token);
  size_t start = lexed->at;
  size_t before = parser->scope.n;
  size_t behind = 0;
  bool ok = true;
  while (!as_tok_is(lexed, AS_T_NL) && !as_tok_is(lexed, AS_T_END) && !as_tok_word(lexed, "over"))
    lexed->at++;
  if (as_tok_take_word(lexed, "over")) {
    ok = lanes(parser, stmt);
    behind = lexed->at;
  }
  lexed->at = start;
  const as_tile_tensor *to = ok ? place(parser, stmt) : NULL;
  bool integers = false;
  ok = to && as_tok_want(lexed, '=', "`=`") && stored_value(parser, stmt, &integers);
  if (ok && as_tok_word(lexed, "over"))
    lexed->at = behind;
  if (ok && as_tok_take_word(lexed, "where"))
    ok = (stmt->mask = tile_condition(parser)) != NULL;
  parser->scope.n = before;
  if (ok && to->role == AS_TILE_INPUT)
    ok = as_lex_fail(lexed, token, "`%s` is an input: it is never stored to", to->name);
  if (ok && to->type == AS_TILE_INT && !integers)
    ok = as_lex_fail(lexed, token, "`%s` holds integers", to->name);
  return ok && end_of_line(parser) ? stmt : NULL;
}

static as_tile_stmt *make(tile_parser *parser, const as_token *token) {
  as_tile_stmt *stmt = new_stmt(parser, AS_TILE_MAKE, token);
  const char *name = tile_new_name(parser, "the name of a tile");
  size_t before = parser->scope.n;
  bool ok = name && lanes(parser, stmt) && as_tok_want(tile_lexed(parser), '=', "`=`") &&
            (stmt->value = tile_scalar(parser)) != NULL;
  parser->scope.n = before;
  return ok && define(parser, stmt, name, stmt->value->integer) ? stmt : NULL;
}

static as_tile_stmt *let(tile_parser *parser, const as_token *token) {
  as_tile_stmt *stmt = new_stmt(parser, AS_TILE_LET, token);
  const char *name = tile_new_name(parser, "the name of a tile");
  if (name == NULL || !as_tok_want(tile_lexed(parser), '=', "`=`") ||
      (stmt->expr = tile_expr(parser)) == NULL)
    return NULL;
  return define(parser, stmt, name, false) ? stmt : NULL;
}

/* what comes next is carried; of integers it is a tile of such, by its name */
static as_tile_expr *carried_tile(tile_parser *parser, const char *name, bool integers) {
  as_lexed *lexed = tile_lexed(parser);
  const as_token *token = as_tok(lexed);
  tile_name of_size;
  const tile_name *known =
      integers && token->kind == AS_T_NAME ? tile_find(parser, token->s, &of_size) : NULL;
  if (integers && !(known && known->meaning == AS_TILE_IS_TILE && known->integer)) {
    as_lex_fail(lexed, token, "`%s` carries integers: the name of a tile of such is expected",
                name);
    return NULL;
  }
  return tile_expr(parser);
}

static bool carry(tile_parser *parser, as_vec *carries) {
  as_lexed *lexed = tile_lexed(parser);
  bool integers = as_tok_take_word(lexed, "int");
  as_tile_carry made = {.name = tile_new_name(parser, "the name of a tile"), .integers = integers};
  if (made.name == NULL || !as_tok_want(lexed, '=', "`=`") ||
      (made.first = carried_tile(parser, made.name, integers)) == NULL)
    return false;
  made.slot = parser->program->n_tiles++;
  as_vec_push(carries, &made);
  return end_of_line(parser);
}

static bool next(tile_parser *parser, as_tile_stmt *loop) {
  as_lexed *lexed = tile_lexed(parser);
  const as_token *token = as_tok(lexed);
  if (!as_tok_want(lexed, AS_T_NAME, "the name of a carried tile"))
    return false;
  for (uint32_t i = 0; i < loop->n_carry; i++) {
    as_tile_carry *carried = &loop->carry[i];
    if (strcmp(carried->name, token->s) != 0)
      continue;
    if (carried->next)
      return as_lex_fail(lexed, token, "`next %s` twice", token->s);
    return as_tok_want(lexed, '=', "`=`") &&
           (carried->next = carried_tile(parser, carried->name, carried->integers)) != NULL &&
           end_of_line(parser);
  }
  return as_lex_fail(lexed, token, "this loop carries no `%s`", token->s);
}

static void *keep(tile_parser *parser, as_vec *items, uint32_t *count) {
  size_t bytes = items->n * items->item;
  void *kept = as_arena_alloc(parser->program->mem, bytes + 1);
  if (bytes)
    memcpy(kept, items->data, bytes);
  *count = (uint32_t)items->n;
  as_vec_clear(items);
  return kept;
}

static bool carries(tile_parser *parser, as_tile_stmt *loop) {
  as_lexed *lexed = tile_lexed(parser);
  as_vec found;
  as_vec_init(&found, sizeof(as_tile_carry));
  bool ok = true;
  while (ok && as_tok_take_word(lexed, "carry"))
    ok = carry(parser, &found);
  loop->carry = keep(parser, &found, &loop->n_carry);
  if (ok && loop->n_carry && loop->parallel)
    ok = as_lex_fail(lexed, as_tok(lexed), "iterations of `parallel` carry nothing to each other");
  for (uint32_t i = 0; i < loop->n_carry; i++) {
    if (ok && strcmp(loop->carry[i].name, loop->name) == 0)
      ok = as_lex_fail(lexed, as_tok(lexed), "`%s` is already defined", loop->name);
    for (uint32_t k = 0; ok && k < i; k++) {
      if (strcmp(loop->carry[k].name, loop->carry[i].name) == 0)
        ok = as_lex_fail(lexed, as_tok(lexed), "`%s` is carried twice", loop->carry[i].name);
    }
    tile_declare(parser, loop->carry[i].name, AS_TILE_IS_TILE, loop->carry[i].slot,
                 loop->carry[i].integers);
  }
  return ok;
}

static bool body(tile_parser *parser, as_tile_stmt *loop, as_tile_stmt ***list, uint32_t *count);

static bool loop_ends(tile_parser *parser, as_tile_stmt *loop) {
  as_lexed *lexed = tile_lexed(parser);
  while (as_tok_take_word(lexed, "next")) {
    if (!next(parser, loop))
      return false;
  }
  for (uint32_t i = 0; i < loop->n_carry; i++) {
    if (loop->carry[i].next == NULL)
      return as_lex_fail(lexed, as_tok(lexed), "`next %s` is missing", loop->carry[i].name);
  }
  if (!as_tok_take_word(lexed, "end"))
    return as_lex_fail(lexed, as_tok(lexed), "expected `end` of the loop of line %d", loop->line);
  return end_of_line(parser);
}

static as_tile_stmt *loop(tile_parser *parser, const as_token *token, bool parallel) {
  as_lexed *lexed = tile_lexed(parser);
  as_tile_stmt *stmt = new_stmt(parser, AS_TILE_LOOP, token);
  stmt->parallel = parallel;
  if (!as_lex_enter(lexed) ||
      (stmt->name = tile_new_name(parser, "the variable of a loop")) == NULL ||
      !as_tok_want(lexed, '=', "`=`") ||
      (stmt->from = tile_integer(parser, "the start of a loop")) == NULL)
    return NULL;
  if (!as_tok_take_word(lexed, "to")) {
    as_lex_fail(lexed, as_tok(lexed), "expected `to`");
    return NULL;
  }
  if ((stmt->to = tile_integer(parser, "the end of a loop")) == NULL)
    return NULL;
  if (as_tok_take_word(lexed, "step") &&
      (stmt->step = tile_integer(parser, "the step of a loop")) == NULL)
    return NULL;
  if (!end_of_line(parser))
    return NULL;
  size_t before = parser->scope.n;
  bool ok = carries(parser, stmt);
  stmt->slot = parser->program->n_integers++;
  tile_declare(parser, stmt->name, AS_TILE_IS_INTEGER, stmt->slot, true);
  ok = ok && body(parser, stmt, &stmt->body, &stmt->n_body) && loop_ends(parser, stmt);
  parser->scope.n = before;
  for (uint32_t i = 0; i < stmt->n_carry; i++)
    tile_declare(parser, stmt->carry[i].name, AS_TILE_IS_TILE, stmt->carry[i].slot,
                 stmt->carry[i].integers);
  lexed->depth--;
  return ok ? stmt : NULL;
}

static as_tile_stmt *alloc(tile_parser *parser, const as_token *token) {
  as_tile_stmt *stmt = new_stmt(parser, AS_TILE_ALLOC, token);
  stmt->tensor = tensor(parser, AS_TILE_SCRATCH, true);
  return stmt->tensor == AS_NONE ? NULL : stmt;
}

static as_tile_stmt *statement(tile_parser *parser) {
  as_lexed *lexed = tile_lexed(parser);
  const as_token *token = as_tok(lexed);
  if (as_tok_take_word(lexed, "for"))
    return loop(parser, token, false);
  if (as_tok_take_word(lexed, "parallel"))
    return loop(parser, token, true);
  if (as_tok_take_word(lexed, "load"))
    return load(parser, token);
  if (as_tok_take_word(lexed, "store"))
    return store(parser, token);
  if (as_tok_take_word(lexed, "make"))
    return make(parser, token);
  if (as_tok_take_word(lexed, "scratch"))
    return alloc(parser, token);
  if (token->kind == AS_T_NAME && as_tok_next(lexed)->kind == '=')
    return let(parser, token);
  as_lex_fail(lexed, token,
              "expected a statement: for, parallel, load, store, make, scratch or NAME = ...");
  return NULL;
}

static bool ends_here(const as_lexed *lexed, bool in_loop) {
  return as_tok_is(lexed, AS_T_END) ||
         (in_loop && (as_tok_word(lexed, "end") || as_tok_word(lexed, "next")));
}

static bool body(tile_parser *parser, as_tile_stmt *loop, as_tile_stmt ***list, uint32_t *count) {
  as_vec found;
  as_vec_init(&found, sizeof(as_tile_stmt *));
  bool ok = true;
  while (ok && !ends_here(tile_lexed(parser), loop != NULL)) {
    as_tile_stmt *stmt = statement(parser);
    ok = stmt != NULL;
    if (ok)
      as_vec_push(&found, &stmt);
  }
  *list = keep(parser, &found, count);
  return ok;
}

/* ---- the whole text */
static bool sizes(tile_parser *parser) {
  as_lexed *lexed = tile_lexed(parser);
  as_sizes *table = parser->sizes.graph->sizes;
  for (size_t i = lexed->at; AS_VEC_AT(&lexed->tok, as_token, i).kind != AS_T_NL; i++) {
    const as_token *token = &AS_VEC_AT(&lexed->tok, as_token, i);
    tile_name of_size;
    if (token->kind == AS_T_NAME && tile_find(parser, token->s, &of_size))
      return as_lex_fail(lexed, token, "`%s` is already defined", token->s);
  }
  uint32_t before = parser->sizes.graph->n_own_size;
  /* what a size of this name is to the other program that shares the table */
  as_vec known;
  as_vec_init(&known, sizeof(long));
  for (uint32_t i = 0; i < as_size_count(table); i++) {
    bool symbol = as_size_is_sym(table, i);
    long pair[2] = {symbol ? as_size_least(table, i) : 0, symbol ? as_size_value(table, i) : -1};
    as_vec_push(&known, &pair[0]);
    as_vec_push(&known, &pair[1]);
  }
  bool ok = as_gp_sizes(&parser->sizes);
  const as_graph *graph = parser->sizes.graph;
  for (uint32_t i = before; ok && i < graph->n_own_size; i++) {
    as_size size = graph->own_size[i];
    if (2 * (size_t)size >= known.n)
      continue;
    long least = AS_VEC_AT(&known, long, 2 * size);
    long value = AS_VEC_AT(&known, long, 2 * size + 1);
    long own = as_size_value(table, size);
    if (as_size_least(table, size) > least || (own >= 0 && value >= 0 && own != value))
      ok = as_lex_fail(lexed, as_tok(lexed), "size `%s` is declared otherwise by the given program",
                       as_size_name(table, size));
    as_size_set_least(table, size, least);
    as_size_set_value(table, size, own >= 0 ? own : value);
  }
  as_vec_clear(&known);
  return ok;
}

static bool declarations(tile_parser *parser) {
  as_lexed *lexed = tile_lexed(parser);
  for (;;) {
    if (as_tok_take_word(lexed, "sizes")) {
      if (!sizes(parser))
        return false;
      continue;
    }
    if (as_tok_take_word(lexed, "where")) {
      if (!as_gp_where(&parser->sizes, false))
        return false;
      continue;
    }
    int role = -1;
    for (int i = 0; i < 4; i++) {
      if (as_tok_take_word(lexed, roles[i]))
        role = i;
    }
    if (role < 0)
      return true;
    if (tensor(parser, (as_tile_role)role, false) == AS_NONE)
      return false;
  }
}

static bool has_result(const tile_parser *parser) {
  for (size_t i = 0; i < parser->tensors.n; i++) {
    as_tile_role role = AS_VEC_AT(&parser->tensors, as_tile_tensor, i).role;
    if (role == AS_TILE_OUTPUT || role == AS_TILE_INOUT)
      return true;
  }
  return false;
}

static bool program(tile_parser *parser) {
  as_lexed *lexed = tile_lexed(parser);
  while (as_tok_take_word(lexed, "use")) {
    char *path = NULL;
    if (!as_gp_use(lexed, parser->lib, &path))
      return false;
    as_graph_add_use(parser->sizes.graph, path);
    free(path);
  }
  if (!as_tok_take_word(lexed, "tile"))
    return as_lex_fail(lexed, as_tok(lexed), "expected `tile` and the program's name");
  const char *name = as_tok_new_name(lexed, "the program's name");
  if (name == NULL || !end_of_line(parser) || !declarations(parser))
    return false;
  parser->program->name = as_arena_strdup(parser->program->mem, name);
  if (!has_result(parser))
    return as_lex_fail(lexed, as_tok(lexed), "the program has no output and no inout tensor");
  return body(parser, NULL, &parser->program->body, &parser->program->n_body);
}

as_tile_program *as_tile_parse(const char *file, const char *text, size_t len, as_sizes *sizes,
                               as_oplib *lib, as_err *err) {
  as_lexed lexed;
  as_arena *mem = as_arena_new();
  as_tile_program *made = as_arena_alloc(mem, sizeof *made);
  *made = (as_tile_program){
      .mem = mem, .lib = lib, .name = "", .sizes = as_graph_new(sizes, lib, NULL, "")};
  tile_parser parser = {{&lexed, made->sizes, AS_NONE, false}, lib, made, {0}, {0}};
  as_vec_init(&parser.tensors, sizeof(as_tile_tensor));
  as_vec_init(&parser.scope, sizeof(tile_name));
  bool ok = as_lex(&lexed, file, text, len, mem, err) && program(&parser);
  made->tensor = keep(&parser, &parser.tensors, &made->n_tensor);
  as_vec_clear(&parser.scope);
  as_lexed_clear(&lexed);
  if (ok)
    return made;
  as_tile_free(made);
  return NULL;
}

void as_tile_free(as_tile_program *program) {
  if (program == NULL)
    return;
  as_graph_free(program->sizes);
  as_arena_free(program->mem);
}

bool as_tile_is_text(const char *text, size_t len) {
  size_t at = 0;
  while (at < len) {
    const char *line = text + at;
    size_t rest = len - at;
    const char *end = memchr(line, '\n', rest);
    size_t length = end ? (size_t)(end - line) : rest;
    size_t blank = 0;
    while (blank < length && (line[blank] == ' ' || line[blank] == '\t' || line[blank] == '\r'))
      blank++;
    bool skipped = blank == length || line[blank] == '#' ||
                   (length - blank > 4 && memcmp(line + blank, "use ", 4) == 0);
    if (!skipped)
      return length - blank > 5 && memcmp(line + blank, "tile ", 5) == 0;
    at += length + 1;
  }
  return false;
}
