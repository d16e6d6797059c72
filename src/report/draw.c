#include "draw.h"
#include "src/base/child.h"
#include "src/base/id.h"
#include "src/base/mem.h"
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

/* the attributes that differ from their defaults */
static void add_attrs(as_str *s, const as_graph *g, const as_node *n) {
  for (uint32_t k = 0; k < n->op->nattrs; k++) {
    const as_attr *a = &n->attr[k];
    const as_attr *d = n->op->attr_has_default[k] ? &n->op->attr_default[k] : NULL;
    if (d && d->is_size == a->is_size &&
        (a->is_size ? d->size == a->size : mpq_equal(d->num, a->num)))
      continue;
    char *v = a->is_size ? as_size_print(g->sizes, a->size) : mpq_get_str(NULL, 10, a->num);
    as_str_printf(s, "%s%s=%s", k ? ", " : "\\n", n->op->attr[k], v);
    free(v);
  }
}

static void add_map(as_str *s, const as_node *n, const char *what) {
  static const char axes[4][5] = {"x", "y", "z", "loop"};
  for (int i = 0; i < 4; i++) {
    if (n->map[i] >= 0)
      as_str_printf(s, "\\n%s %s -> %d", what, axes[i], n->map[i]);
  }
}

static void add_node(as_str *s, const as_graph *g, uint32_t i) {
  static const char *const acc[] = {"sum over the loop", "maximum over the loop",
                                    "rescaled sum over the loop", "concatenation over the loop"};
  const as_node *n = &g->node[i];
  as_str_printf(s, "  n%u [label=\"", i);
  if (!as_node_is_number(n)) {
    as_str_printf(s, "%s ", n->name ? n->name : "");
    add_dims(s, g, n);
  }
  const char *class = "value";
  switch (n->kind) {
  case AS_N_INPUT:
    class = "input";
    break;
  case AS_N_SIZE: {
    char *v = as_size_print(g->sizes, n->size);
    as_str_add(s, v);
    free(v);
    break;
  }
  case AS_N_CONST: {
    char *v = mpq_get_str(NULL, 10, n->value);
    as_str_add(s, v);
    free(v);
    break;
  }
  case AS_N_OP:
    as_str_printf(s, "\\n%s", n->op->name);
    add_attrs(s, g, n);
    break;
  case AS_N_LOAD:
    class = "load";
    add_map(s, n, "");
    break;
  case AS_N_ACC:
    class = "acc";
    as_str_printf(s, "\\n%s", acc[n->acc]);
    break;
  case AS_N_RUN:
    class = "acc";
    as_str_add(s, "\\nrunning maximum");
    break;
  case AS_N_STORE:
    class = "store";
    add_map(s, n, "");
    break;
  }
  for (uint32_t o = 0; o < g->n_output; o++) {
    if (g->output[o] == i)
      class = n->kind == AS_N_STORE ? "store output" : "output";
  }
  as_str_printf(s, "\", class=\"%s\"];\n", class);
}

char *as_report_dot(const as_graph *g) {
  if (g->n > 400)
    return NULL; /* no picture helps there */
  as_str s;
  as_str_init(&s);
  as_str_add(&s, "digraph g {\n  rankdir=TB; bgcolor=\"transparent\";\n"
                 "  node [shape=box, style=\"rounded,filled\", fillcolor=\"white\", "
                 "fontname=\"Helvetica\", fontsize=11, margin=\"0.14,0.06\", "
                 "color=\"#64748b\"];\n"
                 "  edge [color=\"#64748b\", arrowsize=0.7];\n  nodesep=0.2; ranksep=0.3;\n");
  for (uint32_t i = 0; i < g->n; i++) {
    if (g->node[i].block == AS_NONE)
      add_node(&s, g, i);
  }
  for (uint32_t b = 0; b < g->n_block; b++) {
    const as_block *k = &g->block[b];
    as_str_printf(&s, "  subgraph cluster%u { label=\"kernel %s: grid", b, k->name);
    for (int a = 0; a < 3; a++) {
      char *t = as_size_print(g->sizes, k->grid[a]);
      if (k->grid[a] != AS_SIZE_ONE)
        as_str_printf(&s, " %c=%s", "xyz"[a], t);
      free(t);
    }
    if (k->has_loop) {
      char *t = as_size_print(g->sizes, k->loop);
      as_str_printf(&s, ", loop %s", t);
      free(t);
    }
    as_str_add(&s, "\"; fontname=\"Helvetica\"; fontsize=12; color=\"#334155\"; style=rounded;\n");
    for (uint32_t i = 0; i < g->n; i++) {
      if (g->node[i].block == b)
        add_node(&s, g, i);
    }
    as_str_add(&s, "  }\n");
  }
  for (uint32_t i = 0; i < g->n; i++) {
    for (uint32_t a = 0; a < g->node[i].nargs; a++) {
      if (g->node[i].arg[a] != AS_NONE)
        as_str_printf(&s, "  n%u -> n%u;\n", g->node[i].arg[a], i);
    }
  }
  as_str_add(&s, "}\n");
  return as_str_take(&s);
}

/* copies one drawing without what a page has no use for: titles, comments, and names that other
 * drawings of the page have too */
static char *clean(const char *svg, const char *end) {
  as_str s;
  as_str_init(&s);
  for (const char *p = svg; p < end;) {
    const char *skip = strncmp(p, "<title>", 7) == 0 ? strstr(p, "</title>")
                       : strncmp(p, "<!--", 4) == 0  ? strstr(p, "-->")
                                                     : NULL;
    if (skip)
      p = skip + (p[1] == 't' ? 8 : 3);
    else if (strncmp(p, " id=\"", 5) == 0 && strchr(p + 5, '"'))
      p = strchr(p + 5, '"') + 1;
    else
      as_str_addn(&s, p++, 1);
  }
  double w = 0;
  char *size = s.s ? strstr(s.s, "width=\"") : NULL;
  char *view = s.s ? strstr(s.s, "viewBox=") : NULL;
  if (size == NULL || view == NULL || view < size || (w = strtod(size + 7, NULL)) <= 0)
    return as_str_take(&s);
  /* width and height give way to a width that shrinks with the page, but not until nothing can be
   * read */
  char *rest = as_strdup(view);
  char *out = as_format("%.*sstyle=\"width:%.0fpx;min-width:%.0fpx\" %s", (int)(size - s.s), s.s,
                        w * 4 / 3, w, rest);
  free(rest);
  as_str_clear(&s);
  return out;
}

enum { MOST_SECONDS = 30 }; /* of Graphviz, which large graphs can keep busy for ever */

void as_report_draw(const char *const *dot, size_t n, char **svg) {
  as_str all;
  as_str_init(&all);
  for (size_t i = 0; i < n; i++) {
    svg[i] = NULL;
    if (dot[i])
      as_str_add(&all, dot[i]);
  }
  if (all.n == 0)
    return;
  static const char *const argv[] = {"dot", "-Tsvg", NULL};
  as_child_result drawn;
  as_child_run(&(as_child){.argv = argv,
                           .input = all.s,
                           .input_len = all.n,
                           .seconds = MOST_SECONDS,
                           .errors = AS_CHILD_ERRORS_DROPPED},
               &drawn);
  bool good = drawn.end == AS_CHILD_EXITED && drawn.status == 0 && drawn.output.s;
  char *at = good ? strstr(drawn.output.s, "<svg") : NULL;
  for (size_t i = 0; i < n && at; i++) {
    if (dot[i] == NULL)
      continue;
    char *end = strstr(at, "</svg>");
    if (end == NULL)
      break;
    svg[i] = clean(at, end + 6);
    at = strstr(end, "<svg");
  }
  as_str_clear(&all);
  as_child_result_clear(&drawn);
}
