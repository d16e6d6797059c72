/* muGraphs, docs/language.md. */
#include "expr_parse.h"
#include <stdlib.h>
#include <string.h>

static bool built(as_gparser *parser, const as_token *token, as_node_id id, as_err *inner) {
  return id != AS_NONE || as_gp_report(parser, token, inner);
}

static bool small_int(as_lexed *lexed, int *out) {
  const as_token *token = as_tok(lexed);
  if (!as_tok_want(lexed, AS_T_NUMBER, "an axis"))
    return false;
  if (token->len != 1)
    return as_lex_fail(lexed, token, "an axis is a number from 0 to %d", AS_MAX_RANK - 1);
  *out = token->s[0] - '0';
  return true;
}

static bool parse_map(as_gparser *parser, int map[4]) {
  static const char *const words[] = {"x", "y", "z", "loop"};
  as_lexed *lexed = parser->lexed;
  for (int i = 0; i < 4; i++)
    map[i] = -1;
  while (!as_tok_is(lexed, AS_T_NL)) {
    int w = -1;
    const as_token *token = as_tok(lexed);
    for (int i = 0; i < 4; i++) {
      if (as_tok_take_word(lexed, words[i]))
        w = i;
    }
    if (w < 0)
      return as_lex_fail(lexed, token, "expected x, y, z or loop");
    if (map[w] >= 0)
      return as_lex_fail(lexed, token, "`%s` is mapped twice", words[w]);
    if (!as_tok_want(lexed, AS_T_ARROW, "`->`") || !small_int(lexed, &map[w]))
      return false;
  }
  return as_tok_want_end(lexed);
}

/* extents of a tile, and of the tensor where it may be cut off */
typedef struct {
  as_size dim[AS_MAX_RANK];
  as_size upto[AS_MAX_RANK];
  uint32_t rank;
} tile_extents;

/* `NAME [extents] =`, behind the name of what is stored a type */
static bool tile_head(as_gparser *parser, const char *what, as_gp_memory *memory,
                      tile_extents *tile) {
  as_lexed *lexed = parser->lexed;
  return as_tok_new_name(lexed, what) != NULL && (memory == NULL || as_gp_typed(lexed, memory)) &&
         as_gp_tile(parser, tile->dim, tile->upto, &tile->rank) && as_tok_want(lexed, '=', "`=`");
}

static bool load(as_gparser *parser) {
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  tile_extents tile;
  int map[4];
  as_err inner;
  as_err_init(&inner);
  if (!tile_head(parser, "the name of a tile", NULL, &tile))
    return false;
  as_node_id from = as_gp_ref(parser, AS_NONE);
  if (from == AS_NONE || !parse_map(parser, map))
    return false;
  if (parser->graph->node[from].rank != tile.rank) {
    return as_lex_fail(lexed, token, "a tile of %u axes of `%s`, which has %u", tile.rank,
                       parser->graph->node[from].name ? parser->graph->node[from].name
                                                      : "a constant",
                       parser->graph->node[from].rank);
  }
  return built(parser, token,
               as_graph_load_upto(parser->graph, parser->block, token->s, from, tile.dim, tile.upto,
                                  map, &inner),
               &inner);
}

static bool store(as_gparser *parser) {
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  tile_extents tile;
  int map[4];
  as_err inner;
  as_err_init(&inner);
  as_gp_memory memory;
  if (!tile_head(parser, "the name of a tensor", &memory, &tile))
    return false;
  as_node_id of = as_gp_ref(parser, parser->block);
  if (of == AS_NONE || !parse_map(parser, map))
    return false;
  if (parser->graph->node[of].rank != tile.rank) {
    return as_lex_fail(lexed, token, "a tile of %u axes; the tensor stored has %u", tile.rank,
                       parser->graph->node[of].rank);
  }
  for (uint32_t i = 0; i < tile.rank; i++) {
    if (tile.upto[i] != AS_SIZE_BAD ||
        as_graph_same_size(parser->graph, tile.dim[i], parser->graph->node[of].dim[i]))
      continue;
    char *a = as_size_print(parser->graph->sizes, tile.dim[i]);
    char *b = as_size_print(parser->graph->sizes, parser->graph->node[of].dim[i]);
    as_lex_fail(lexed, token, "axis %u of the tile has extent `%s`; the tensor stored has `%s`", i,
                a, b);
    free(a);
    free(b);
    return false;
  }
  as_node_id id = as_graph_store_upto(parser->graph, parser->block, token->s, of, tile.dim,
                                      tile.upto, map, &inner);
  return built(parser, token, id, &inner) && as_gp_stated(parser, id, &memory);
}

/* Behind `=`: the word, the tile and what stands behind it. */
typedef struct {
  as_acc_kind kind;
  as_node_id of;
  as_node_id maximum;
  int axis;
} acc_line;

static bool wrong_acc_word(as_lexed *lexed) {
  as_str words;
  as_str_init(&words);
  for (uint32_t i = 0; i < as_n_acc_kinds; i++) {
    bool again = false;
    for (uint32_t j = 0; j < i; j++)
      again |= strcmp(as_acc_rows[i].word, as_acc_rows[j].word) == 0;
    if (!again)
      as_str_printf(&words, "%s%s", words.n ? " or " : "", as_acc_rows[i].word);
  }
  as_lex_fail(lexed, as_tok(lexed), "expected %s", words.s);
  as_str_clear(&words);
  return false;
}

/* The kind whose word is this one and whose tail comes next. */
static bool acc_kind(as_lexed *lexed, const char *word, as_acc_kind *kind) {
  const char *missing = NULL;
  const char *owner = NULL;
  bool found = false;
  for (uint32_t i = 0; i < as_n_acc_kinds; i++) {
    const as_acc_row *row = &as_acc_rows[i];
    bool next = row->tail && as_tok_word(lexed, row->tail);
    if (strcmp(row->word, word) != 0) {
      owner = next ? row->word : owner;
      continue;
    }
    if (next) {
      *kind = (as_acc_kind)i;
      lexed->at++;
      return true;
    }
    if (row->tail == NULL) {
      *kind = (as_acc_kind)i;
      found = true;
    } else {
      missing = row->tail;
    }
  }
  if (owner)
    return as_lex_fail(lexed, as_tok(lexed), "`%s` stands behind a `%s` only", as_tok(lexed)->s,
                       owner);
  return found || as_lex_fail(lexed, as_tok(lexed), "expected `%s`", missing);
}

static bool parse_acc_line(as_gparser *parser, acc_line *line) {
  as_lexed *lexed = parser->lexed;
  const char *word = NULL;
  for (uint32_t i = 0; i < as_n_acc_kinds && word == NULL; i++) {
    if (as_tok_take_word(lexed, as_acc_rows[i].word))
      word = as_acc_rows[i].word;
  }
  if (word == NULL)
    return wrong_acc_word(lexed);
  line->of = as_gp_ref(parser, parser->block);
  if (line->of == AS_NONE || !acc_kind(lexed, word, &line->kind))
    return false;
  switch (as_acc_rows[line->kind].operand) {
  case AS_ACC_ALONE:
    break;
  case AS_ACC_BY_MAXIMUM:
    line->maximum = as_gp_ref(parser, parser->block);
    if (line->maximum == AS_NONE)
      return false;
    break;
  case AS_ACC_ALONG_AXIS:
    if (!small_int(lexed, &line->axis))
      return false;
  }
  return as_tok_want_end(lexed);
}

static bool acc(as_gparser *parser) {
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  const as_token *run = NULL;
  acc_line line = {.maximum = AS_NONE};
  as_err inner;
  as_err_init(&inner);
  if (as_tok_new_name(lexed, "the name of an accumulator") == NULL)
    return false;
  if (as_tok_take(lexed, ',')) {
    run = as_tok(lexed);
    if (as_tok_new_name(lexed, "the name of a running value") == NULL)
      return false;
  }
  if (!as_tok_want(lexed, '=', "`=`") || !parse_acc_line(parser, &line))
    return false;
  if (run && !as_acc_rows[line.kind].has_running_value)
    return as_lex_fail(lexed, run, "only a `max` accumulator has a running value");
  as_node_id id = as_graph_acc(parser->graph, parser->block, token->s, line.kind, line.of,
                               line.maximum, line.axis, &inner);
  if (!built(parser, token, id, &inner))
    return false;
  if (run == NULL)
    return true;
  id = as_graph_run(parser->graph, parser->block, run->s, id, &inner);
  return built(parser, run, id, &inner);
}

static bool grid(as_gparser *parser, as_size g[3]) {
  as_lexed *lexed = parser->lexed;
  do {
    const as_token *token = as_tok(lexed);
    int a = as_tok_take_word(lexed, "x")   ? 0
            : as_tok_take_word(lexed, "y") ? 1
            : as_tok_take_word(lexed, "z") ? 2
                                           : -1;
    if (a < 0)
      return as_lex_fail(lexed, token, "expected a grid axis: x, y or z");
    if (g[a] != AS_SIZE_BAD)
      return as_lex_fail(lexed, token, "grid axis %c twice", "xyz"[a]);
    if (!as_tok_want(lexed, '=', "`=`") || (g[a] = as_gp_size(parser)) == AS_SIZE_BAD)
      return false;
    if (as_graph_decide(parser->graph, AS_SIZE_ONE, AS_REL_LE, g[a]) == AS_FAILS)
      return as_lex_fail(lexed, token, "an extent below 1");
  } while (as_tok_take(lexed, ','));
  return as_tok_want_end(lexed);
}

static bool block_statement(as_gparser *parser) {
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  if (as_tok_take_word(lexed, "load"))
    return load(parser);
  if (as_tok_take_word(lexed, "acc"))
    return acc(parser);
  if (as_tok_take_word(lexed, "store"))
    return store(parser);
  if (token->kind == AS_T_END)
    return as_lex_fail(lexed, token, "the kernel has no `end` (is the file cut short?)");
  if (token->kind != AS_T_NAME || as_tok_next(lexed)->kind != '=')
    return as_lex_fail(lexed, token, "expected load, acc, store, end or NAME = ...");
  lexed->at += 2;
  return as_gp_define(parser, token) != AS_NONE && as_tok_want_end(lexed);
}

static bool kernel(as_gparser *parser) {
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  as_size g[3] = {AS_SIZE_BAD, AS_SIZE_BAD, AS_SIZE_BAD};
  as_size loop = AS_SIZE_ONE;
  bool has_loop = false;
  if (as_tok_new_name(lexed, "the kernel's name") == NULL || !as_tok_want_end(lexed))
    return false;
  for (uint32_t i = 0; i < parser->graph->n_block; i++) {
    if (strcmp(parser->graph->block[i].name, token->s) == 0)
      return as_lex_fail(lexed, token, "kernel `%s` twice", token->s);
  }
  if (as_tok_take_word(lexed, "grid") && !grid(parser, g))
    return false;
  bool one[3];
  for (int i = 0; i < 3; i++) {
    one[i] = g[i] == AS_SIZE_ONE;
    if (g[i] == AS_SIZE_BAD)
      g[i] = AS_SIZE_ONE;
  }
  if (as_tok_take_word(lexed, "loop")) {
    has_loop = true;
    const as_token *index = as_tok(lexed);
    if (as_tok_new_name(lexed, "the loop's index") == NULL)
      return false;
    if (as_name_taken(parser->graph, AS_NONE, index->s))
      return as_lex_fail(lexed, index, "`%s` is already defined", index->s);
    if (!as_tok_want(lexed, '=', "`=`") || (loop = as_gp_size(parser)) == AS_SIZE_BAD ||
        !as_tok_want_end(lexed))
      return false;
  }
  parser->block = as_graph_block(parser->graph, token->s, g, loop, has_loop);
  memcpy(parser->graph->block[parser->block].one, one, sizeof one);
  while (!as_tok_word(lexed, "end")) {
    if (!block_statement(parser))
      return false;
  }
  parser->block = AS_NONE;
  lexed->at++;
  return as_tok_want_end(lexed);
}

static bool outputs(as_gparser *parser) {
  const as_graph *program = parser->graph->program;
  const as_token *token = as_tok(parser->lexed);
  as_err inner;
  as_err_init(&inner);
  for (uint32_t i = 0; i < program->n_output; i++) {
    const char *name = program->node[program->output[i]].name;
    as_node_id id = as_graph_find(parser->graph, AS_NONE, name);
    if (id == AS_NONE)
      return as_lex_fail(parser->lexed, token, "the program's output `%s` is not defined", name);
    if (!as_graph_output(parser->graph, id, &inner))
      return as_gp_report(parser, token, &inner);
  }
  return as_graph_valid(parser->graph, &inner) || as_gp_report(parser, token, &inner);
}

/* NAME [: type] = expr, at kernel level */
static bool operator(as_gparser *parser, const as_token *name) {
  as_lexed *lexed = parser->lexed;
  as_gp_memory memory;
  lexed->at++;
  if (!as_gp_typed(lexed, &memory) || !as_tok_want(lexed, '=', "`=`"))
    return false;
  as_node_id id = as_gp_define(parser, name);
  if (id == AS_NONE || !as_tok_want_end(lexed))
    return false;
  if (memory.token && parser->graph->node[id].kind != AS_N_OP)
    return as_lex_fail(lexed, memory.token, "a number has no type in memory");
  return as_gp_stated(parser, id, &memory);
}

static bool mugraph(as_gparser *parser) {
  as_lexed *lexed = parser->lexed;
  as_gp_reserve(parser);
  if (!as_tok_take_word(lexed, "mugraph"))
    return as_lex_fail(lexed, as_tok(lexed), "expected `mugraph`");
  const char *name = as_tok_new_name(lexed, "the muGraph's name");
  if (name == NULL || !as_tok_want_end(lexed))
    return false;
  parser->graph->name = as_arena_strdup(as_gm(parser->graph)->arena, name);
  bool head = true;
  while (!as_tok_is(lexed, AS_T_END)) {
    const as_token *token = as_tok(lexed);
    bool ok;
    bool sizes = as_tok_word(lexed, "sizes");
    bool where = as_tok_word(lexed, "where");
    if ((sizes || where) && !head)
      return as_lex_fail(lexed, token, "`%s` stands before the first kernel or operator", token->s);
    if (sizes || where) {
      lexed->at++;
      ok = sizes ? as_gp_sizes(parser) : as_gp_where(parser, true);
    } else if (as_tok_take_word(lexed, "kernel")) {
      head = false;
      ok = kernel(parser);
    } else if (token->kind == AS_T_NAME &&
               (as_tok_next(lexed)->kind == '=' || as_tok_next(lexed)->kind == ':')) {
      head = false;
      ok = operator(parser, token);
    } else {
      ok = as_lex_fail(lexed, token, "expected sizes, where, kernel or NAME = ...");
    }
    if (!ok)
      return false;
  }
  return outputs(parser);
}

as_graph *as_parse_mug(const char *file, const char *text, size_t len, const as_graph *program,
                       as_err *err) {
  as_lexed lexed;
  as_arena *names = as_arena_new();
  as_graph *graph = as_graph_new(program->sizes, program->lib, program, "");
  as_gparser parser = {.lexed = &lexed, .graph = graph, .block = AS_NONE};
  bool ok = as_lex(&lexed, file, text, len, names, err) && mugraph(&parser);
  as_lexed_clear(&lexed);
  as_arena_free(names);
  if (ok)
    return graph;
  as_graph_free(graph);
  return NULL;
}
