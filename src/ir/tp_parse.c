/* Tensor programs, docs/language.md. */
#include "expr_parse.h"
#include "graph_types.h"
#include <stdlib.h>
#include <string.h>

static bool use_file(as_gparser *parser, as_oplib *lib) {
  char *path = NULL;
  bool ok = as_gp_use(parser->lexed, lib, &path);
  if (ok)
    as_graph_add_use(parser->graph, path);
  free(path);
  return ok;
}

static bool input(as_gparser *parser) {
  static const struct {
    const char *name;
    as_dtype t;
  } types[] = {{"f16", AS_F16}, {"bf16", AS_BF16}, {"f32", AS_F32}, {"int", AS_INT}};

  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  as_size dim[AS_MAX_RANK];
  uint32_t rank;
  int type = -1;
  if (as_tok_new_name(lexed, "the name of an input") == NULL || !as_tok_want(lexed, ':', "`:`"))
    return false;
  for (int i = 0; i < 4; i++) {
    if (as_tok_take_word(lexed, types[i].name))
      type = i;
  }
  if (type < 0)
    return as_lex_fail(lexed, as_tok(lexed), "expected an element type: f16, bf16, f32 or int");
  if (!as_gp_dims(parser, dim, &rank))
    return false;
  if (as_names_get(parser->graph, AS_SCOPE_SIZE, token->s) != AS_NONE)
    return as_lex_fail(lexed, token, "`%s` is already defined", token->s);
  as_err inner;
  as_err_init(&inner);
  if (as_graph_input(parser->graph, token->s, types[type].t, dim, rank, &inner) == AS_NONE)
    return as_gp_report(parser, token, &inner);
  return as_tok_want(lexed, AS_T_NL, "the end of the line");
}

/* A type that is stated is that to which the program rounds what the statement computes; what it
 * computes on the way has 32 bits.  Of numbers and integers there is nothing to round. */
static bool state_types(as_gparser *parser, uint32_t before, as_node_id id,
                        const as_gp_memory *memory) {
  static const as_dtype wide = AS_F32;
  for (uint32_t i = before; memory->token && i < parser->graph->n; i++) {
    as_gp_memory of = {memory->token, i == id ? memory->type : wide};
    const as_node *node = &parser->graph->node[i];
    if (node->kind == AS_N_OP && node->dtype != AS_INT && !as_gp_stated(parser, i, &of))
      return false;
  }
  return true;
}

static bool at_definition(as_lexed *lexed) {
  int next = as_tok_next(lexed)->kind;
  return as_tok(lexed)->kind == AS_T_NAME && (next == '=' || next == ':');
}

/* NAME [: type] = expr */
static as_node_id definition(as_gparser *parser) {
  as_lexed *lexed = parser->lexed;
  const as_token *name = as_tok(lexed);
  as_gp_memory memory;
  uint32_t before = parser->graph->n;
  lexed->at++;
  if (!as_gp_typed(lexed, &memory) || !as_tok_want(lexed, '=', "`=`"))
    return AS_NONE;
  as_node_id id = as_gp_define(parser, name);
  return id != AS_NONE && state_types(parser, before, id, &memory) ? id : AS_NONE;
}

/* An output has the program's type. */
static bool has_own_type(as_gparser *parser, const as_token *token, as_node_id id) {
  const as_node *node = &parser->graph->node[id];
  return !node->is_typed || node->memory == as_graph_type(parser->graph) ||
         as_lex_fail(parser->lexed, token, "`%s` is an output, whose type is the program's",
                     node->name);
}

static bool output(as_gparser *parser) {
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  as_node_id id;
  if (at_definition(lexed)) {
    id = definition(parser);
  } else {
    id = as_gp_ref(parser, AS_NONE);
  }
  if (id == AS_NONE || !has_own_type(parser, token, id))
    return false;
  as_err inner;
  as_err_init(&inner);
  if (!as_graph_output(parser->graph, id, &inner))
    return as_gp_report(parser, token, &inner);
  return as_tok_want(lexed, AS_T_NL, "the end of the line");
}

static bool statement(as_gparser *parser) {
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  if (as_tok_take_word(lexed, "sizes"))
    return as_gp_sizes(parser);
  if (as_tok_take_word(lexed, "where"))
    return as_gp_where(parser, false);
  if (as_tok_take_word(lexed, "input"))
    return input(parser);
  if (as_tok_take_word(lexed, "output"))
    return output(parser);
  if (as_tok_word(lexed, "use"))
    return as_lex_fail(lexed, token, "`use` stands before `program`");
  if (!at_definition(lexed))
    return as_lex_fail(lexed, token,
                       "expected a statement: sizes, where, input, output or NAME = ...");
  return definition(parser) != AS_NONE && as_tok_want(lexed, AS_T_NL, "the end of the line");
}

static bool program(as_gparser *parser, as_oplib *lib) {
  as_lexed *lexed = parser->lexed;
  as_gp_reserve(parser);
  while (as_tok_take_word(lexed, "use")) {
    if (!use_file(parser, lib))
      return false;
  }
  if (!as_tok_take_word(lexed, "program")) {
    char *got = as_tok_text(as_tok(lexed));
    as_lex_fail(lexed, as_tok(lexed), "expected `program`, found %s", got);
    free(got);
    return false;
  }
  const char *name = as_tok_new_name(lexed, "the program's name");
  if (name == NULL || !as_tok_want(lexed, AS_T_NL, "the end of the line"))
    return false;
  parser->graph->name = as_arena_strdup(as_gm(parser->graph)->arena, name);
  while (!as_tok_is(lexed, AS_T_END)) {
    if (!statement(parser))
      return false;
  }
  if (parser->graph->n_output == 0)
    return as_lex_fail(lexed, as_tok(lexed), "the program has no output (is the file cut short?)");
  for (uint32_t i = 0; i < parser->graph->n_fact;
       i++) { /* concrete sizes may be given after a relation */
    as_size_fact fact = parser->graph->fact[i];
    as_err inner;
    as_err_init(&inner);
    if (!as_graph_where(parser->graph, fact.lhs, fact.rel, fact.rhs, &inner))
      return as_gp_report(parser, as_tok(lexed), &inner);
    parser->graph->n_fact--; /* it is there already */
  }
  return true;
}

as_graph *as_parse_tp(const char *file, const char *text, size_t len, as_sizes *sizes,
                      as_oplib *lib, as_err *err) {
  as_lexed lexed;
  as_arena *names = as_arena_new();
  as_graph *graph = as_graph_new(sizes, lib, NULL, "");
  as_gparser parser = {.lexed = &lexed, .graph = graph, .block = AS_NONE, .ranges = true};
  bool ok = as_lex(&lexed, file, text, len, names, err) && program(&parser, lib);
  as_lexed_clear(&lexed);
  as_arena_free(names);
  if (ok)
    return graph;
  as_graph_free(graph);
  return NULL;
}
