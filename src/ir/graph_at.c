/* A program under more relations of its sizes, and at given values of them. */
#include "expr_parse.h"

bool as_graph_relate(as_graph *graph, const char *file, const char *text, size_t len, as_err *err) {
  as_lexed lexed;
  as_arena *names = as_arena_new();
  as_gparser parser = {.lexed = &lexed, .graph = graph, .block = AS_NONE};
  bool ok = as_lex(&lexed, file, text, len, names, err);
  while (ok && !as_tok_is(&lexed, AS_T_END)) {
    ok = as_tok_take_word(&lexed, "where")
             ? as_gp_where(&parser, false)
             : as_lex_fail(&lexed, as_tok(&lexed), "expected a relation: where ...");
  }
  as_lexed_clear(&lexed);
  as_arena_free(names);
  return ok;
}

bool as_graph_size_at(const as_graph *graph, const int64_t *value, as_size *size, as_err *err) {
  as_sizes *sizes = graph->sizes;
  for (uint32_t i = 0; i < graph->n_own_size && *size != AS_SIZE_BAD; i++)
    *size = as_size_subst(sizes, *size, graph->own_size[i], as_size_int(sizes, value[i]));
  return *size != AS_SIZE_BAD ||
         as_err_set(err, AS_BAD_INPUT, "a size of %s has no value at these sizes", graph->name);
}

static bool node_at(const as_graph *graph, as_node *node, const int64_t *value, as_err *err) {
  for (uint32_t i = 0; i < node->rank; i++) {
    if (!as_graph_size_at(graph, value, &node->dim[i], err))
      return false;
  }
  for (uint32_t i = 0; node->kind == AS_N_OP && i < node->op->nattrs; i++) {
    if (node->attr[i].is_size && !as_graph_size_at(graph, value, &node->attr[i].size, err))
      return false;
  }
  long number;
  if (node->kind != AS_N_SIZE)
    return true;
  if (!as_graph_size_at(graph, value, &node->size, err))
    return false;
  if (as_size_is_const(graph->sizes, node->size, &number)) {
    node->kind = AS_N_CONST;
    mpq_set_si(node->value, number, 1);
  }
  return true;
}

bool as_graph_fix_sizes(as_graph *graph, const int64_t *value, as_err *err) {
  for (uint32_t i = 0; i < graph->n; i++) {
    if (!node_at(graph, &graph->node[i], value, err))
      return false;
  }
  for (uint32_t i = 0; i < graph->n_fact; i++) {
    if (!as_graph_size_at(graph, value, &graph->fact[i].lhs, err) ||
        !as_graph_size_at(graph, value, &graph->fact[i].rhs, err))
      return false;
  }
  graph->n_own_size = 0;
  return true;
}
