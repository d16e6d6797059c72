/* Rewrite rules as text in canonical form. */
#include "graph_int.h"
#include "lex.h"
#include "rule.h"
#include <stdlib.h>
#include <string.h>

/* sizes and integers; the axes of groups have names of their own (with a dot) and are never printed
 */
static void p_symbols(as_str *s, const as_graph *g, bool ints) {
  bool any = false;
  for (uint32_t i = 0; i < g->n_own_size; i++) {
    as_size z = g->own_size[i];
    long least = as_size_least(g->sizes, z);
    long value = as_size_value(g->sizes, z);
    if ((least == AS_SIZE_NO_LEAST) != ints)
      continue;
    as_str_printf(s, "%s%s", any ? ", " : ints ? "ints " : "sizes ", as_size_name(g->sizes, z));
    if (!ints && least != 0)
      as_str_printf(s, " >= %ld", least);
    if (value >= 0)
      as_str_printf(s, " = %ld", value);
    any = true;
  }
  if (any)
    as_str_add(s, "\n");
}

static void p_decl(as_str *s, const as_rule *r) {
  static const char *const types[] = {"", " int", " bool"};
  const as_graph *g = r->decl;
  as_str_printf(s, "rule %s\n", r->name);
  p_symbols(s, g, false);
  p_symbols(s, g, true);
  for (uint32_t i = 0; i < r->n_group; i++)
    as_str_printf(s, "%s%s%s", i ? ", " : "axes ", r->group[i], i + 1 < r->n_group ? "" : "\n");
  for (uint32_t i = 0; i < g->n_input; i++) {
    const as_node *n = &g->node[g->input[i]];
    as_str_printf(s, "tensor %s", n->name);
    as_text_dims(s, g, n->dim, n->rank);
    as_str_printf(s, "%s\n", types[r->type[i]]);
  }
  as_text_where(s, g);
  for (uint32_t i = 0; i < r->n_assumption; i++) {
    const as_assumption *a = &r->assumption[i];
    as_str_add(s, "assume ");
    as_text_nested(s, r->assume, a->lhs);
    as_str_printf(s, " %s ", as_rel_text(a->rel));
    as_text_nested(s, r->assume, a->rhs);
    as_str_add(s, "\n");
  }
}

static void p_side(as_str *s, const as_rule *r, const as_graph *g, const char *word) {
  if (r->n_output == 1 &&
      strcmp(r->output[0], "out") == 0) { /* one expression, read without statements: a tree */
    as_str_printf(s, "%s ", word);
    as_text_nested(s, g, g->output[0]);
    as_str_add(s, "\n");
    return;
  }
  as_str_printf(s, "%s\n", word);
  for (uint32_t i = 0; i < g->n_order; i++) {
    const as_node *n = &g->node[g->order[i]];
    as_str_printf(s, "  %s = ", n->name);
    as_text_call(s, g, n);
    as_str_add(s, "\n");
  }
  for (uint32_t i = 0; i < r->n_output; i++) {
    const as_node *n = &g->node[g->output[i]];
    as_str_printf(s, "  output %s", r->output[i]);
    if (n->name == NULL || strcmp(n->name, r->output[i]) != 0) {
      as_str_add(s, " = ");
      as_text_ref(s, g, g->output[i]);
    }
    as_str_add(s, "\n");
  }
}

char *as_rule_print(const as_rule *r) {
  as_str s;
  as_str_init(&s);
  if (r->ill_formed)
    return as_format("# not printed: the right side is ill-formed: %s\n", r->ill_formed);
  p_decl(&s, r);
  p_side(&s, r, r->lhs, "lhs");
  p_side(&s, r, r->rhs, "rhs");
  if (r->expect != AS_EXPECT_NOTHING)
    as_str_printf(&s, "expect %s\n", as_expect_word(r->expect));
  return as_str_take(&s);
}
