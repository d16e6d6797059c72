/* muGraphs, docs/language.md. */
#include "expr_parse.h"
#include <stdlib.h>
#include <string.h>

static bool end_of_line(as_lexed *X) {
  return as_tok_want(X, AS_T_NL, "the end of the line");
}

static bool built(as_gparser *P, const as_token *t, as_node_id id, as_err *inner) {
  return id != AS_NONE || as_gp_report(P, t, inner);
}

static bool small_int(as_lexed *X, int *out) {
  const as_token *t = as_tok(X);
  if (!as_tok_want(X, AS_T_NUMBER, "an axis"))
    return false;
  if (t->len != 1)
    return as_lex_fail(X, t, "an axis is a number from 0 to %d", AS_MAX_RANK - 1);
  *out = t->s[0] - '0';
  return true;
}

static bool parse_map(as_gparser *P, int map[4]) {
  static const char *const words[] = {"x", "y", "z", "loop"};
  as_lexed *X = P->X;
  for (int i = 0; i < 4; i++)
    map[i] = -1;
  while (!as_tok_is(X, AS_T_NL)) {
    int w = -1;
    const as_token *t = as_tok(X);
    for (int i = 0; i < 4; i++) {
      if (as_tok_take_word(X, words[i]))
        w = i;
    }
    if (w < 0)
      return as_lex_fail(X, t, "expected x, y, z or loop");
    if (map[w] >= 0)
      return as_lex_fail(X, t, "`%s` is mapped twice", words[w]);
    if (!as_tok_want(X, AS_T_ARROW, "`->`") || !small_int(X, &map[w]))
      return false;
  }
  return end_of_line(X);
}

static bool load(as_gparser *P) {
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  as_size dim[AS_MAX_RANK];
  uint32_t rank;
  int map[4];
  as_err inner;
  as_err_init(&inner);
  if (as_tok_new_name(X, "the name of a tile") == NULL || !as_gp_dims(P, dim, &rank) ||
      !as_tok_want(X, '=', "`=`"))
    return false;
  as_node_id from = as_gp_ref(P, AS_NONE);
  if (from == AS_NONE || !parse_map(P, map))
    return false;
  if (P->g->node[from].rank != rank) {
    return as_lex_fail(X, t, "a tile of %u axes of `%s`, which has %u", rank,
                       P->g->node[from].name ? P->g->node[from].name : "a constant",
                       P->g->node[from].rank);
  }
  return built(P, t, as_graph_load(P->g, P->block, t->s, from, dim, map, &inner), &inner);
}

static bool store(as_gparser *P) {
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  as_size dim[AS_MAX_RANK];
  uint32_t rank;
  int map[4];
  as_err inner;
  as_err_init(&inner);
  if (as_tok_new_name(X, "the name of a tensor") == NULL || !as_gp_dims(P, dim, &rank) ||
      !as_tok_want(X, '=', "`=`"))
    return false;
  as_node_id of = as_gp_ref(P, P->block);
  if (of == AS_NONE || !parse_map(P, map))
    return false;
  if (P->g->node[of].rank != rank) {
    return as_lex_fail(X, t, "a tile of %u axes; the tensor stored has %u", rank,
                       P->g->node[of].rank);
  }
  for (uint32_t i = 0; i < rank; i++) {
    if (as_graph_same_size(P->g, dim[i], P->g->node[of].dim[i]))
      continue;
    char *a = as_size_print(P->g->sizes, dim[i]);
    char *b = as_size_print(P->g->sizes, P->g->node[of].dim[i]);
    as_lex_fail(X, t, "axis %u of the tile has extent `%s`; the tensor stored has `%s`", i, a, b);
    free(a);
    free(b);
    return false;
  }
  return built(P, t, as_graph_store(P->g, P->block, t->s, of, map, &inner), &inner);
}

static bool acc(as_gparser *P) {
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  const as_token *run = NULL;
  as_node_id of;
  as_node_id m = AS_NONE;
  as_node_id id;
  int axis = 0;
  as_acc_kind k;
  as_err inner;
  as_err_init(&inner);
  if (as_tok_new_name(X, "the name of an accumulator") == NULL)
    return false;
  if (as_tok_take(X, ',')) {
    run = as_tok(X);
    if (as_tok_new_name(X, "the name of a running value") == NULL)
      return false;
  }
  if (!as_tok_want(X, '=', "`=`"))
    return false;
  const as_token *w = as_tok(X);
  if (as_tok_take_word(X, "sum"))
    k = AS_ACC_SUM;
  else if (as_tok_take_word(X, "max"))
    k = AS_ACC_MAX;
  else if (as_tok_take_word(X, "concat"))
    k = AS_ACC_CONCAT;
  else
    return as_lex_fail(X, w, "expected sum, max or concat");
  if (run && k != AS_ACC_MAX)
    return as_lex_fail(X, run, "only a `max` accumulator has a running value");
  if ((of = as_gp_ref(P, P->block)) == AS_NONE)
    return false;
  if (k == AS_ACC_CONCAT &&
      (!as_tok_take_word(X, "axis") ? !as_lex_fail(X, as_tok(X), "expected `axis`")
                                    : !small_int(X, &axis)))
    return false;
  if (as_tok_word(X, "rescale")) {
    if (k != AS_ACC_SUM)
      return as_lex_fail(X, as_tok(X), "only a `sum` is rescaled");
    X->at++;
    k = AS_ACC_RESCALE;
    if ((m = as_gp_ref(P, P->block)) == AS_NONE)
      return false;
  }
  if (!end_of_line(X))
    return false;
  id = as_graph_acc(P->g, P->block, t->s, k, of, m, axis, &inner);
  if (!built(P, t, id, &inner))
    return false;
  return !run || built(P, run, as_graph_run(P->g, P->block, run->s, id, &inner), &inner);
}

static bool grid(as_gparser *P, as_size g[3]) {
  as_lexed *X = P->X;
  do {
    const as_token *t = as_tok(X);
    int a = as_tok_take_word(X, "x")   ? 0
            : as_tok_take_word(X, "y") ? 1
            : as_tok_take_word(X, "z") ? 2
                                       : -1;
    if (a < 0)
      return as_lex_fail(X, t, "expected a grid axis: x, y or z");
    if (g[a] != AS_SIZE_BAD)
      return as_lex_fail(X, t, "grid axis %c twice", "xyz"[a]);
    if (!as_tok_want(X, '=', "`=`") || (g[a] = as_gp_size(P)) == AS_SIZE_BAD)
      return false;
    if (as_graph_decide(P->g, AS_SIZE_ONE, AS_REL_LE, g[a]) == AS_FAILS)
      return as_lex_fail(X, t, "an extent below 1");
  } while (as_tok_take(X, ','));
  return end_of_line(X);
}

static bool block_statement(as_gparser *P) {
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  if (as_tok_take_word(X, "load"))
    return load(P);
  if (as_tok_take_word(X, "acc"))
    return acc(P);
  if (as_tok_take_word(X, "store"))
    return store(P);
  if (t->kind == AS_T_END)
    return as_lex_fail(X, t, "the kernel has no `end` (is the file cut short?)");
  if (t->kind != AS_T_NAME || as_tok_next(X)->kind != '=')
    return as_lex_fail(X, t, "expected load, acc, store, end or NAME = ...");
  X->at += 2;
  return as_gp_define(P, t) != AS_NONE && end_of_line(X);
}

static bool kernel(as_gparser *P) {
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  as_size g[3] = {AS_SIZE_BAD, AS_SIZE_BAD, AS_SIZE_BAD};
  as_size loop = AS_SIZE_ONE;
  bool has_loop = false;
  if (as_tok_new_name(X, "the kernel's name") == NULL || !end_of_line(X))
    return false;
  for (uint32_t i = 0; i < P->g->n_block; i++) {
    if (strcmp(P->g->block[i].name, t->s) == 0)
      return as_lex_fail(X, t, "kernel `%s` twice", t->s);
  }
  if (as_tok_take_word(X, "grid") && !grid(P, g))
    return false;
  for (int i = 0; i < 3; i++) {
    if (g[i] == AS_SIZE_BAD)
      g[i] = AS_SIZE_ONE;
  }
  if (as_tok_take_word(X, "loop")) {
    has_loop = true;
    if (as_tok_new_name(X, "the loop's index") == NULL || !as_tok_want(X, '=', "`=`") ||
        (loop = as_gp_size(P)) == AS_SIZE_BAD || !end_of_line(X))
      return false;
  }
  P->block = as_graph_block(P->g, t->s, g, loop, has_loop);
  while (!as_tok_word(X, "end")) {
    if (!block_statement(P))
      return false;
  }
  P->block = AS_NONE;
  X->at++;
  return end_of_line(X);
}

static bool outputs(as_gparser *P) {
  const as_graph *p = P->g->program;
  const as_token *t = as_tok(P->X);
  as_err inner;
  as_err_init(&inner);
  for (uint32_t i = 0; i < p->n_output; i++) {
    const char *name = p->node[p->output[i]].name;
    as_node_id id = as_graph_find(P->g, AS_NONE, name);
    if (id == AS_NONE)
      return as_lex_fail(P->X, t, "the program's output `%s` is not defined", name);
    if (!as_graph_output(P->g, id, &inner))
      return as_gp_report(P, t, &inner);
  }
  return as_graph_valid(P->g, &inner) || as_gp_report(P, t, &inner);
}

static bool mugraph(as_gparser *P) {
  as_lexed *X = P->X;
  as_gp_reserve(P);
  if (!as_tok_take_word(X, "mugraph"))
    return as_lex_fail(X, as_tok(X), "expected `mugraph`");
  const char *name = as_tok_new_name(X, "the muGraph's name");
  if (name == NULL || !end_of_line(X))
    return false;
  P->g->name = as_arena_strdup(as_gm(P->g)->arena, name);
  bool head = true;
  while (!as_tok_is(X, AS_T_END)) {
    const as_token *t = as_tok(X);
    bool ok;
    bool sizes = as_tok_word(X, "sizes");
    bool where = as_tok_word(X, "where");
    if ((sizes || where) && !head)
      return as_lex_fail(X, t, "`%s` stands before the first kernel or operator", t->s);
    if (sizes || where) {
      X->at++;
      ok = sizes ? as_gp_sizes(P) : as_gp_where(P, true);
    } else if (as_tok_take_word(X, "kernel")) {
      head = false;
      ok = kernel(P);
    } else if (t->kind == AS_T_NAME && as_tok_next(X)->kind == '=') {
      head = false;
      X->at += 2;
      ok = as_gp_define(P, t) != AS_NONE && end_of_line(X);
    } else {
      ok = as_lex_fail(X, t, "expected sizes, where, kernel or NAME = ...");
    }
    if (!ok)
      return false;
  }
  return outputs(P);
}

as_graph *as_parse_mug(const char *file, const char *text, size_t len, const as_graph *program,
                       as_err *err) {
  as_lexed X;
  as_arena *names = as_arena_new();
  as_graph *g = as_graph_new(program->sizes, program->lib, program, "");
  as_gparser P = {&X, g, AS_NONE};
  bool ok = as_lex(&X, file, text, len, names, err) && mugraph(&P);
  as_lexed_clear(&X);
  as_arena_free(names);
  if (ok)
    return g;
  as_graph_free(g);
  return NULL;
}
