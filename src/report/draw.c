#include "draw.h"
#include "src/base/child.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include "svg.h"
#include <stdlib.h>
#include <string.h>

static void add_dims(as_str *out, const as_graph *graph, const as_node *node) {
  as_str_add(out, "[");
  for (uint32_t axis = 0; axis < node->rank; axis++) {
    char *extent = as_size_print(graph->sizes, node->dim[axis]);
    as_str_printf(out, "%s%s", axis ? ", " : "", extent);
    free(extent);
  }
  as_str_add(out, "]");
}

/* the attributes that differ from their defaults */
static void add_attrs(as_str *out, const as_graph *graph, const as_node *node) {
  for (uint32_t k = 0; k < node->op->nattrs; k++) {
    const as_attr *value = &node->attr[k];
    const as_attr *attr = node->op->attr_has_default[k] ? &node->op->attr_default[k] : NULL;
    if (attr && attr->is_size == value->is_size &&
        (value->is_size ? attr->size == value->size : mpq_equal(attr->num, value->num)))
      continue;
    char *printed = value->is_size ? as_size_print(graph->sizes, value->size)
                                   : mpq_get_str(NULL, 10, value->num);
    as_str_printf(out, "%s%s=%s", k ? ", " : "\\n", node->op->attr[k], printed);
    free(printed);
  }
}

static void add_map(as_str *out, const as_node *node, const char *what) {
  static const char axes[4][5] = {"x", "y", "z", "loop"};
  for (int i = 0; i < 4; i++) {
    if (node->map[i] >= 0)
      as_str_printf(out, "\\n%s %s -> %d", what, axes[i], node->map[i]);
  }
}

static void add_accumulator(as_str *out, const as_acc_row *row) {
  as_str_printf(out, "\\n%s%s%s over the loop", row->word, row->tail ? ", " : "",
                row->tail ? row->tail : "");
}

static void add_node(as_str *out, const as_graph *graph, uint32_t i) {
  const as_node *node = &graph->node[i];
  as_str_printf(out, "  n%u [label=\"", i);
  if (!as_node_is_number(node)) {
    as_str_printf(out, "%s ", node->name ? node->name : "");
    add_dims(out, graph, node);
  }
  const char *class = "value";
  switch (node->kind) {
  case AS_N_INPUT:
    class = "input";
    break;
  case AS_N_SIZE: {
    char *value = as_size_print(graph->sizes, node->size);
    as_str_add(out, value);
    free(value);
    break;
  }
  case AS_N_CONST: {
    char *value = mpq_get_str(NULL, 10, node->value);
    as_str_add(out, value);
    free(value);
    break;
  }
  case AS_N_OP:
    as_str_printf(out, "\\n%s", node->op->name);
    add_attrs(out, graph, node);
    break;
  case AS_N_LOAD:
    class = "load";
    add_map(out, node, "");
    break;
  case AS_N_ACC:
    class = "acc";
    add_accumulator(out, &as_acc_rows[node->acc]);
    break;
  case AS_N_RUN:
    class = "acc";
    as_str_add(out, "\\nrunning maximum");
    break;
  case AS_N_STORE:
    class = "store";
    add_map(out, node, "");
    break;
  }
  for (uint32_t output = 0; output < graph->n_output; output++) {
    if (graph->output[output] == i)
      class = node->kind == AS_N_STORE ? "store output" : "output";
  }
  as_str_printf(out, "\", class=\"%s\"];\n", class);
}

/* The network simplex that places nodes stops after so many rounds a node.  Without a limit eight
 * layers of a transformer (524 labels) take 17.5 s; with this one 1.0 s, and no more room. */
#define ROUNDS "nslimit=3; nslimit1=3;"

char *as_report_dot(const as_graph *graph) {
  if (graph->n > 400)
    return NULL; /* no picture helps there */
  as_str out;
  as_str_init(&out);
  as_str_add(&out, "digraph g {\n  rankdir=TB; bgcolor=\"transparent\";\n"
                   "  node [shape=box, style=\"rounded,filled\", fillcolor=\"white\", "
                   "fontname=\"Helvetica\", fontsize=11, margin=\"0.14,0.06\", "
                   "color=\"#64748b\"];\n"
                   "  edge [color=\"#64748b\", arrowsize=0.7];\n  nodesep=0.2; ranksep=0.3;\n"
                   "  " ROUNDS "\n");
  for (uint32_t i = 0; i < graph->n; i++) {
    if (graph->node[i].block == AS_NONE)
      add_node(&out, graph, i);
  }
  for (uint32_t number = 0; number < graph->n_block; number++) {
    const as_block *block = &graph->block[number];
    as_str_printf(&out, "  subgraph cluster%u { label=\"kernel %s: grid", number, block->name);
    for (int axis = 0; axis < 3; axis++) {
      char *extent = as_size_print(graph->sizes, block->grid[axis]);
      if (block->grid[axis] != AS_SIZE_ONE)
        as_str_printf(&out, " %c=%s", "xyz"[axis], extent);
      free(extent);
    }
    if (block->has_loop) {
      char *extent = as_size_print(graph->sizes, block->loop);
      as_str_printf(&out, ", loop %s", extent);
      free(extent);
    }
    as_str_add(&out,
               "\"; fontname=\"Helvetica\"; fontsize=12; color=\"#334155\"; style=rounded;\n");
    for (uint32_t i = 0; i < graph->n; i++) {
      if (graph->node[i].block == number)
        add_node(&out, graph, i);
    }
    as_str_add(&out, "  }\n");
  }
  for (uint32_t i = 0; i < graph->n; i++) {
    for (uint32_t axis = 0; axis < graph->node[i].nargs; axis++) {
      if (graph->node[i].arg[axis] != AS_NONE)
        as_str_printf(&out, "  n%u -> n%u;\n", graph->node[i].arg[axis], i);
    }
  }
  as_str_add(&out, "}\n");
  return as_str_take(&out);
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
  const char *rest = good ? drawn.output.s : "";
  for (size_t i = 0; i < n; i++)
    svg[i] = dot[i] ? as_report_svg_next(&rest) : NULL;
  as_str_clear(&all);
  as_child_result_clear(&drawn);
}
