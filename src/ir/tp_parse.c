/* Tensor programs, docs/language.md. */
#include "expr_parse.h"
#include <stdlib.h>
#include <string.h>

static bool use_file(as_gparser *P, as_oplib *lib) {
  char *path = NULL;
  bool ok = as_gp_use(P->X, lib, &path);
  if (ok)
    as_graph_add_use(P->g, path);
  free(path);
  return ok;
}

static bool input(as_gparser *P) {
  static const struct {
    const char *name;
    as_dtype t;
  } types[] = {{"f16", AS_F16}, {"bf16", AS_BF16}, {"f32", AS_F32}};

  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  as_size dim[AS_MAX_RANK];
  uint32_t rank;
  int type = -1;
  if (as_tok_new_name(X, "the name of an input") == NULL || !as_tok_want(X, ':', "`:`"))
    return false;
  for (int i = 0; i < 3; i++) {
    if (as_tok_take_word(X, types[i].name))
      type = i;
  }
  if (type < 0)
    return as_lex_fail(X, as_tok(X), "expected an element type: f16, bf16 or f32");
  if (!as_gp_dims(P, dim, &rank))
    return false;
  if (as_names_get(P->g, AS_SCOPE_SIZE, t->s) != AS_NONE)
    return as_lex_fail(X, t, "`%s` is already defined", t->s);
  as_err inner;
  as_err_init(&inner);
  if (as_graph_input(P->g, t->s, types[type].t, dim, rank, &inner) == AS_NONE)
    return as_gp_report(P, t, &inner);
  return as_tok_want(X, AS_T_NL, "the end of the line");
}

static bool output(as_gparser *P) {
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  as_node_id id;
  if (t->kind == AS_T_NAME && as_tok_next(X)->kind == '=') {
    X->at += 2;
    id = as_gp_define(P, t);
  } else {
    id = as_gp_ref(P, AS_NONE);
  }
  if (id == AS_NONE)
    return false;
  as_err inner;
  as_err_init(&inner);
  if (!as_graph_output(P->g, id, &inner))
    return as_gp_report(P, t, &inner);
  return as_tok_want(X, AS_T_NL, "the end of the line");
}

static bool statement(as_gparser *P) {
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  if (as_tok_take_word(X, "sizes"))
    return as_gp_sizes(P);
  if (as_tok_take_word(X, "where"))
    return as_gp_where(P, false);
  if (as_tok_take_word(X, "input"))
    return input(P);
  if (as_tok_take_word(X, "output"))
    return output(P);
  if (as_tok_word(X, "use"))
    return as_lex_fail(X, t, "`use` stands before `program`");
  if (t->kind != AS_T_NAME || as_tok_next(X)->kind != '=')
    return as_lex_fail(X, t, "expected a statement: sizes, where, input, output or NAME = ...");
  X->at += 2;
  return as_gp_define(P, t) != AS_NONE && as_tok_want(X, AS_T_NL, "the end of the line");
}

static bool program(as_gparser *P, as_oplib *lib) {
  as_lexed *X = P->X;
  as_gp_reserve(P);
  while (as_tok_take_word(X, "use")) {
    if (!use_file(P, lib))
      return false;
  }
  if (!as_tok_take_word(X, "program")) {
    char *got = as_tok_text(as_tok(X));
    as_lex_fail(X, as_tok(X), "expected `program`, found %s", got);
    free(got);
    return false;
  }
  const char *name = as_tok_new_name(X, "the program's name");
  if (name == NULL || !as_tok_want(X, AS_T_NL, "the end of the line"))
    return false;
  P->g->name = as_arena_strdup(as_gm(P->g)->arena, name);
  while (!as_tok_is(X, AS_T_END)) {
    if (!statement(P))
      return false;
  }
  if (P->g->n_output == 0)
    return as_lex_fail(X, as_tok(X), "the program has no output (is the file cut short?)");
  for (uint32_t i = 0; i < P->g->n_fact; i++) { /* concrete sizes may be given after a relation */
    as_size_fact f = P->g->fact[i];
    as_err inner;
    as_err_init(&inner);
    if (!as_graph_where(P->g, f.lhs, f.rel, f.rhs, &inner))
      return as_gp_report(P, as_tok(X), &inner);
    P->g->n_fact--; /* it is there already */
  }
  return true;
}

as_graph *as_parse_tp(const char *file, const char *text, size_t len, as_sizes *S, as_oplib *lib,
                      as_err *err) {
  as_lexed X;
  as_arena *names = as_arena_new();
  as_graph *g = as_graph_new(S, lib, NULL, "");
  as_gparser P = {&X, g, AS_NONE};
  bool ok = as_lex(&X, file, text, len, names, err) && program(&P, lib);
  as_lexed_clear(&X);
  as_arena_free(names);
  if (ok)
    return g;
  as_graph_free(g);
  return NULL;
}
