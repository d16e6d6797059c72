#include "draw.h"
#include "child.h"
#include <stdlib.h>
#include <string.h>

static void add_dims(as_str *s, const as_graph *g, const as_node *n) {
  as_str_add(s, "[");
  for (uint32_t d = 0; d < n->rank; d++) {
    char *t = as_size_print(g->sizes, n->dim[d]);
    as_str_printf(s, "%s%s", d ? ", " : "", t);
    free(t);
  }
  as_str_add(s, "]");
}

static void add_map(as_str *s, const as_node *n, const char *what) {
  static const char axes[4][5] = {"x", "y", "z", "loop"};
  for (int i = 0; i < 4; i++)
    if (n->map[i] >= 0) as_str_printf(s, "\\n%s %s -> %d", what, axes[i], n->map[i]);
}

static void add_node(as_str *s, const as_graph *g, uint32_t i) {
  static const char *const acc[] = {"sum over the loop", "maximum over the loop", "rescaled sum over the loop", "concatenation over the loop"};
  const as_node *n = &g->node[i];
  as_str_printf(s, "  n%u [label=\"%s ", i, n->name ? n->name : "");
  add_dims(s, g, n);
  const char *colour = "white";
  switch (n->kind) {
  case AS_N_INPUT: colour = "#dbeafe"; break;
  case AS_N_SIZE: as_str_add(s, "\\na size"); break;
  case AS_N_CONST: {
    char *v = mpq_get_str(NULL, 10, n->value);
    as_str_printf(s, "\\n%s", v);
    free(v);
    break;
  }
  case AS_N_OP: as_str_printf(s, "\\n%s", n->op->name); break;
  case AS_N_LOAD: colour = "#dcfce7"; add_map(s, n, ""); break;
  case AS_N_ACC: colour = "#fef3c7"; as_str_printf(s, "\\n%s", acc[n->acc]); break;
  case AS_N_RUN: colour = "#fef3c7"; as_str_add(s, "\\nrunning maximum"); break;
  case AS_N_STORE: colour = "#fee2e2"; add_map(s, n, ""); break;
  }
  as_str_printf(s, "\", fillcolor=\"%s\"];\n", colour);
}

char *cli_dot(const as_graph *g) {
  as_str s;
  as_str_init(&s);
  as_str_add(&s, "digraph g {\n  rankdir=TB; bgcolor=\"transparent\";\n"
                 "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=11, color=\"#64748b\"];\n  edge [color=\"#64748b\"];\n");
  for (uint32_t i = 0; i < g->n; i++)
    if (g->node[i].block == AS_NONE) add_node(&s, g, i);
  for (uint32_t b = 0; b < g->n_block; b++) {
    const as_block *k = &g->block[b];
    as_str_printf(&s, "  subgraph cluster%u { label=\"kernel %s: grid", b, k->name);
    for (int a = 0; a < 3; a++) {
      char *t = as_size_print(g->sizes, k->grid[a]);
      if (k->grid[a] != AS_SIZE_ONE) as_str_printf(&s, " %c=%s", "xyz"[a], t);
      free(t);
    }
    if (k->has_loop) {
      char *t = as_size_print(g->sizes, k->loop);
      as_str_printf(&s, ", loop %s", t);
      free(t);
    }
    as_str_add(&s, "\"; fontname=\"Helvetica\"; fontsize=12; color=\"#334155\"; style=rounded;\n");
    for (uint32_t i = 0; i < g->n; i++)
      if (g->node[i].block == b) add_node(&s, g, i);
    as_str_add(&s, "  }\n");
  }
  for (uint32_t i = 0; i < g->n; i++)
    for (uint32_t a = 0; a < g->node[i].nargs; a++)
      if (g->node[i].arg[a] != AS_NONE) as_str_printf(&s, "  n%u -> n%u;\n", g->node[i].arg[a], i);
  as_str_add(&s, "}\n");
  return as_str_take(&s);
}

char *cli_svg(const as_graph *g) {
  if (g->n > 400) return NULL; /* no picture helps there */
  char *dot = cli_dot(g), *out, *argv[] = {"dot", "-Tsvg", NULL};
  size_t n;
  int rc = cli_child(argv, dot, strlen(dot), &out, &n, false);
  free(dot);
  char *svg = rc == 0 && n > 0 ? strstr(out, "<svg") : NULL;
  char *copy = svg ? as_strdup(svg) : NULL;
  free(out);
  return copy;
}
