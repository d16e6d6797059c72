/* Programs and muGraphs as text in canonical form. */
#include "graph_int.h"
#include "lex.h"
#include <stdlib.h>
#include <string.h>

static void p_size(as_str *out, const as_graph *graph, as_size a) {
  char *text = as_size_print(graph->sizes, a);
  as_str_add(out, text);
  free(text);
}

void as_text_dims(as_str *out, const as_graph *graph, const as_size *dim, uint32_t rank) {
  as_str_add(out, "[");
  for (uint32_t i = 0; i < rank; i++) {
    if (i)
      as_str_add(out, ", ");
    p_size(out, graph, dim[i]);
  }
  as_str_add(out, "]");
}

void as_text_ref(as_str *out, const as_graph *graph, as_node_id id) {
  const as_node *node = &graph->node[id];
  if (node->kind == AS_N_SIZE) {
    as_str_add(out, as_size_is_sym(graph->sizes, node->size) ? "" : "(");
    p_size(out, graph, node->size);
    as_str_add(out, as_size_is_sym(graph->sizes, node->size) ? "" : ")");
    return;
  }
  if (node->kind != AS_N_CONST) {
    as_str_add(out, node->name);
    return;
  }
  char *text = as_print_number(node->value);
  as_str_printf(out, mpq_sgn(node->value) < 0 || strchr(text, '/') ? "(%s)" : "%s", text);
  free(text);
}

static bool is_default(const as_graph *graph, const as_node *node, uint32_t i) {
  const as_attr *attr = &node->attr[i];
  if (!node->op->attr_has_default[i])
    return false;
  const as_attr *d = &node->op->attr_default[i];
  long value;
  if (!attr->is_size)
    return mpq_equal(attr->num, d->num);
  return as_size_is_const(graph->sizes, attr->size, &value) && mpq_cmp_si(d->num, value, 1) == 0;
}

typedef void print_ref(as_str *s, const as_graph *g, as_node_id id);

static void call(as_str *out, const as_graph *graph, const as_node *node, print_ref *ref,
                 bool nested) {
  static const struct {
    const char *name;
    char sign;
  } infix[] = {{"add", '+'}, {"sub", '-'}, {"mul", '*'}, {"div", '/'}};

  for (size_t i = 0; i < 4 && node->nargs == 2 && node->op->nattrs == 0; i++) {
    if (strcmp(node->op->name, infix[i].name) != 0)
      continue;
    if (nested)
      as_str_add(out, "(");
    ref(out, graph, node->arg[0]);
    as_str_printf(out, " %c ", infix[i].sign);
    ref(out, graph, node->arg[1]);
    if (nested)
      as_str_add(out, ")");
    return;
  }
  as_str_printf(out, "%s(", node->op->name);
  bool first = true;
  for (uint32_t i = 0; i < node->nargs; i++, first = false) {
    if (!first)
      as_str_add(out, ", ");
    ref(out, graph, node->arg[i]);
  }
  for (uint32_t i = 0; i < node->op->nattrs; i++) {
    if (is_default(graph, node, i))
      continue;
    as_str_printf(out, "%s%s=", first ? "" : ", ", node->op->attr[i]);
    first = false;
    if (node->attr[i].is_size) {
      p_size(out, graph, node->attr[i].size);
    } else {
      char *text = as_print_number(node->attr[i].num);
      as_str_add(out, text);
      free(text);
    }
  }
  as_str_add(out, ")");
}

void as_text_call(as_str *out, const as_graph *graph, const as_node *node) {
  call(out, graph, node, as_text_ref, false);
}

void as_text_nested(as_str *out, const as_graph *graph, as_node_id id) {
  const as_node *node = &graph->node[id];
  if (node->kind == AS_N_OP)
    call(out, graph, node, as_text_nested, true);
  else
    as_text_ref(out, graph, id);
}

static void p_relation(as_str *out, const as_graph *graph, const as_size_fact *fact) {
  p_size(out, graph, fact->lhs);
  as_str_printf(out, " %s ", as_rel_text(fact->rel));
  p_size(out, graph, fact->rhs);
}

char *as_print_relation(const as_graph *graph, uint32_t i) {
  as_str out;
  as_str_init(&out);
  p_relation(&out, graph, &graph->fact[i]);
  return as_str_take(&out);
}

void as_text_where(as_str *out, const as_graph *graph) {
  for (uint32_t i = 0; i < graph->n_fact; i++) {
    as_str_add(out, i ? ", " : "where ");
    p_relation(out, graph, &graph->fact[i]);
  }
  if (graph->n_fact)
    as_str_add(out, "\n");
}

static void p_head(as_str *out, const as_graph *graph) {
  for (uint32_t i = 0; i < graph->n_own_size; i++) {
    as_size z = graph->own_size[i];
    as_str_printf(out, "%s%s", i ? ", " : "sizes ", as_size_name(graph->sizes, z));
    if (as_size_least(graph->sizes, z) != 1)
      as_str_printf(out, " >= %ld", as_size_least(graph->sizes, z));
    if (as_size_value(graph->sizes, z) >= 0)
      as_str_printf(out, " %s %ld", as_size_is_ranged(graph->sizes, z) ? "<=" : "=",
                    as_size_value(graph->sizes, z));
  }
  if (graph->n_own_size)
    as_str_add(out, "\n");
  as_text_where(out, graph);
}

/* outputs can be printed at their definition when that keeps their order */
static bool outputs_in_place(const as_graph *graph) {
  for (uint32_t i = 0; i < graph->n_output; i++) {
    if (graph->node[graph->output[i]].kind != AS_N_OP ||
        (i && graph->output[i] <= graph->output[i - 1]))
      return false;
  }
  return true;
}

static void p_type(as_str *out, const as_node *node) {
  static const char *const words[] = {
      [AS_F16] = "f16", [AS_BF16] = "bf16", [AS_F32] = "f32", [AS_INT] = "int"};
  if (node->is_typed)
    as_str_printf(out, ": %s", words[node->memory]);
}

char *as_print_tp_alone(const as_graph *graph) {
  static const char *const types[] = {"f16", "bf16", "f32", "int"};
  as_str text;
  as_str_init(&text);
  as_str_printf(&text, "program %s\n", graph->name);
  p_head(&text, graph);
  for (uint32_t i = 0; i < graph->n_input; i++) {
    const as_node *node = &graph->node[graph->input[i]];
    as_str_printf(&text, "input %s: %s", node->name, types[node->dtype]);
    as_text_dims(&text, graph, node->dim, node->rank);
    as_str_add(&text, "\n");
  }
  bool in_place = outputs_in_place(graph);
  for (uint32_t i = 0; i < graph->n_order; i++) {
    const as_node *node = &graph->node[graph->order[i]];
    bool out = false;
    for (uint32_t k = 0; in_place && k < graph->n_output; k++)
      out = out || graph->output[k] == graph->order[i];
    as_str_printf(&text, "%s%s", out ? "output " : "", node->name);
    p_type(&text, node);
    as_str_add(&text, " = ");
    as_text_call(&text, graph, node);
    as_str_add(&text, "\n");
  }
  for (uint32_t i = 0; !in_place && i < graph->n_output; i++)
    as_str_printf(&text, "output %s\n", graph->node[graph->output[i]].name);
  return as_str_take(&text);
}

char *as_print_tp(const as_graph *graph) {
  as_str text;
  as_str_init(&text);
  for (uint32_t i = 0; i < graph->n_use; i++)
    as_str_printf(&text, "use \"%s\"\n", graph->use[i]);
  char *alone = as_print_tp_alone(graph);
  as_str_add(&text, alone);
  free(alone);
  return as_str_take(&text);
}

char *as_print_tp_using(const as_graph *graph) {
  uint32_t n;
  const as_source *source = as_oplib_sources(graph->lib, &n);
  as_str text;
  as_str_init(&text);
  for (uint32_t i = 0; i < n; i++) {
    if (source[i].reader == AS_READ_GIVEN)
      as_str_printf(&text, "use \"%s\"\n", source[i].name);
  }
  char *alone = as_print_tp_alone(graph);
  as_str_add(&text, alone);
  free(alone);
  return as_str_take(&text);
}

/* --- muGraphs */
static void p_tile(as_str *out, const as_graph *graph, const as_node *node, const as_node *from,
                   const as_node *tile) {
  static const char *const words[] = {"x", "y", "z", "loop"};
  as_str_printf(out, "%s", node->name);
  p_type(out, node);
  as_str_add(out, " [");
  for (uint32_t i = 0; i < tile->rank; i++) {
    bool cut = node->upto[i] != AS_SIZE_BAD;
    as_str_add(out, i ? ", " : "");
    p_size(out, graph, cut ? node->tile[i] : tile->dim[i]);
    as_str_add(out, cut ? " upto " : "");
    if (cut)
      p_size(out, graph, node->upto[i]);
  }
  as_str_printf(out, "] = %s", from->name);
  for (int i = 0; i < 4; i++) {
    if (node->map[i] >= 0)
      as_str_printf(out, " %s -> %d", words[i], node->map[i]);
  }
}

static void p_acc(as_str *out, const as_graph *graph, const as_block *block, as_node_id id) {
  const as_node *node = &graph->node[id];
  as_str_printf(out, "acc %s", node->name);
  for (uint32_t i = 0; i < block->n; i++) {
    if (graph->node[block->nodes[i]].kind == AS_N_RUN && graph->node[block->nodes[i]].arg[0] == id)
      as_str_printf(out, ", %s", graph->node[block->nodes[i]].name);
  }
  const as_acc_row *row = &as_acc_rows[node->acc];
  as_str_printf(out, " = %s %s", row->word, graph->node[node->arg[0]].name);
  if (row->operand == AS_ACC_BY_MAXIMUM)
    as_str_printf(out, " %s %s", row->tail, graph->node[node->arg[1]].name);
  if (row->operand == AS_ACC_ALONG_AXIS)
    as_str_printf(out, " %s %d", row->tail, node->axis);
}

static int section(const as_node *node) { /* loads, body and accumulators, epilogue, stores */
  return node->kind == AS_N_LOAD                ? 0
         : node->kind == AS_N_STORE             ? 3
         : node->kind == AS_N_OP && node->after ? 2
                                                : 1;
}

static void p_block_node(as_str *out, const as_graph *graph, const as_block *block, as_node_id id) {
  const as_node *node = &graph->node[id];
  if (node->kind == AS_N_RUN)
    return; /* printed with its accumulator */
  as_str_add(out, "  ");
  if (node->kind == AS_N_LOAD) {
    as_str_add(out, "load ");
    p_tile(out, graph, node, &graph->node[node->arg[0]], node);
  } else if (node->kind == AS_N_STORE) {
    as_str_add(out, "store ");
    p_tile(out, graph, node, &graph->node[node->arg[0]], &graph->node[node->arg[0]]);
  } else if (node->kind == AS_N_ACC) {
    p_acc(out, graph, block, id);
  } else {
    as_str_printf(out, "%s = ", node->name);
    as_text_call(out, graph, node);
  }
  as_str_add(out, "\n");
}

static void p_block(as_str *out, const as_graph *graph, const as_block *block) {
  as_str_printf(out, "kernel %s\n", block->name);
  bool any = false;
  for (int i = 0; i < 3; i++) {
    if (block->grid[i] == AS_SIZE_ONE)
      continue;
    as_str_printf(out, "%s%c = ", any ? ", " : "  grid ", "xyz"[i]);
    p_size(out, graph, block->grid[i]);
    any = true;
  }
  if (any)
    as_str_add(out, "\n");
  if (block->has_loop) {
    as_str_add(out, "  loop l = ");
    p_size(out, graph, block->loop);
    as_str_add(out, "\n");
  }
  for (int part = 0; part < 4; part++) {
    for (uint32_t i = 0; i < block->n; i++) {
      if (section(&graph->node[block->nodes[i]]) == part)
        p_block_node(out, graph, block, block->nodes[i]);
    }
  }
  as_str_add(out, "end\n");
}

char *as_print_mug(const as_graph *graph) {
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "mugraph %s\n", graph->name);
  p_head(&out, graph);
  for (uint32_t i = 0; i < graph->n_order; i++) {
    const as_node *node = &graph->node[graph->order[i]];
    if (node->kind == AS_N_STORE) {
      p_block(&out, graph, &graph->block[node->block]);
      continue;
    }
    as_str_add(&out, node->name);
    p_type(&out, node);
    as_str_add(&out, " = ");
    as_text_call(&out, graph, node);
    as_str_add(&out, "\n");
  }
  return as_str_take(&out);
}
