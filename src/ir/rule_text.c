/* Rewrite rules as text in canonical form. */
#include "graph_int.h"
#include "lex.h"
#include "rule.h"
#include <stdlib.h>
#include <string.h>

/* sizes and integers; the axes of groups have names of their own (with a dot) and are never printed
 */
static void p_symbols(as_str *out, const as_graph *graph, bool ints) {
  bool any = false;
  for (uint32_t i = 0; i < graph->n_own_size; i++) {
    as_size z = graph->own_size[i];
    long least = as_size_least(graph->sizes, z);
    long value = as_size_value(graph->sizes, z);
    if ((least == AS_SIZE_NO_LEAST) != ints)
      continue;
    as_str_printf(out, "%s%s",
                  any    ? ", "
                  : ints ? "ints "
                         : "sizes ",
                  as_size_name(graph->sizes, z));
    if (!ints && least != 0)
      as_str_printf(out, " >= %ld", least);
    if (value >= 0)
      as_str_printf(out, " = %ld", value);
    any = true;
  }
  if (any)
    as_str_add(out, "\n");
}

static void p_decl(as_str *out, const as_rule *rule) {
  static const char *const types[] = {"", " int", " bool"};
  const as_graph *graph = rule->decl;
  as_str_printf(out, "rule %s\n", rule->name);
  p_symbols(out, graph, false);
  p_symbols(out, graph, true);
  for (uint32_t i = 0; i < rule->n_group; i++)
    as_str_printf(out, "%s%s%s", i ? ", " : "axes ", rule->group[i],
                  i + 1 < rule->n_group ? "" : "\n");
  for (uint32_t i = 0; i < graph->n_input; i++) {
    const as_node *node = &graph->node[graph->input[i]];
    as_str_printf(out, "tensor %s", node->name);
    as_text_dims(out, graph, node->dim, node->rank);
    as_str_printf(out, "%s\n", types[rule->type[i]]);
  }
  as_text_where(out, graph);
  for (uint32_t i = 0; i < rule->n_assumption; i++) {
    const as_assumption *assumption = &rule->assumption[i];
    as_str_add(out, "assume ");
    as_text_nested(out, rule->assume, assumption->lhs);
    as_str_printf(out, " %s ", as_rel_text(assumption->rel));
    as_text_nested(out, rule->assume, assumption->rhs);
    as_str_add(out, "\n");
  }
}

static void p_side(as_str *out, const as_rule *rule, const as_graph *graph, const char *word) {
  if (rule->n_output == 1 &&
      strcmp(rule->output[0], "out") == 0) { /* one expression, read without statements: a tree */
    as_str_printf(out, "%s ", word);
    as_text_nested(out, graph, graph->output[0]);
    as_str_add(out, "\n");
    return;
  }
  as_str_printf(out, "%s\n", word);
  for (uint32_t i = 0; i < graph->n_order; i++) {
    const as_node *node = &graph->node[graph->order[i]];
    as_str_printf(out, "  %s = ", node->name);
    as_text_call(out, graph, node);
    as_str_add(out, "\n");
  }
  for (uint32_t i = 0; i < rule->n_output; i++) {
    const as_node *node = &graph->node[graph->output[i]];
    as_str_printf(out, "  output %s", rule->output[i]);
    if (node->name == NULL || strcmp(node->name, rule->output[i]) != 0) {
      as_str_add(out, " = ");
      as_text_ref(out, graph, graph->output[i]);
    }
    as_str_add(out, "\n");
  }
}

char *as_rule_print(const as_rule *rule) {
  as_str out;
  as_str_init(&out);
  if (rule->ill_formed)
    return as_format("# not printed: the right side is ill-formed: %s\n", rule->ill_formed);
  p_decl(&out, rule);
  p_side(&out, rule, rule->lhs, "lhs");
  p_side(&out, rule, rule->rhs, "rhs");
  if (rule->expect != AS_EXPECT_NOTHING)
    as_str_printf(&out, "expect %s\n", as_expect_word(rule->expect));
  return as_str_take(&out);
}
