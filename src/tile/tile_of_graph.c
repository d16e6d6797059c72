/* MuGraphs of block graphs as tile programs: what as_tile_block_text reads back. */
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/ir/graph_int.h"
#include "src/ir/lex.h"
#include "tile.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const as_graph *graph;
  as_err *err;
  as_str out;
  as_intern taken; /* names of the graph, and those that were made */
  char *variable[4];
  char *lane[AS_MAX_RANK];
} writer;

static void add_size(writer *w, as_size size) {
  char *text = as_size_print(w->graph->sizes, size);
  as_str_add(&w->out, text);
  free(text);
}

/* a factor: in parentheses where it is a sum or a product */
static void add_factor(writer *w, as_size size) {
  bool plain =
      as_size_is_sym(w->graph->sizes, size) || as_size_is_const(w->graph->sizes, size, NULL);
  as_str_add(&w->out, plain ? "" : "(");
  add_size(w, size);
  as_str_add(&w->out, plain ? "" : ")");
}

/* a new name that begins so; malloc'ed */
static char *fresh(writer *w, const char *base) {
  char *name = as_strdup(base);
  for (uint32_t i = 2; as_intern_find(&w->taken, name) != AS_NONE || as_tile_word_reserved(name);
       i++) {
    free(name);
    name = as_format("%s%u", base, i);
  }
  as_intern_string(&w->taken, name);
  return name;
}

static void take_names(writer *w) {
  static const char *const bases[] = {"x", "y", "z", "l"};
  const as_graph *graph = w->graph;
  for (uint32_t i = 0; i < graph->n; i++) {
    if (graph->node[i].name)
      as_intern_string(&w->taken, graph->node[i].name);
  }
  const as_graph *both[2] = {graph->program, graph};
  for (int k = 0; k < 2; k++) {
    for (uint32_t i = 0; i < both[k]->n_own_size; i++)
      as_intern_string(&w->taken, as_size_name(graph->sizes, both[k]->own_size[i]));
  }
  for (int i = 0; i < 4; i++)
    w->variable[i] = fresh(w, bases[i]);
  for (int i = 0; i < AS_MAX_RANK; i++)
    w->lane[i] = fresh(w, "i");
}

static void drop_names(writer *w) {
  for (int i = 0; i < 4; i++)
    free(w->variable[i]);
  for (int i = 0; i < AS_MAX_RANK; i++)
    free(w->lane[i]);
  as_intern_clear(&w->taken);
}

/* ---- declarations */
static void add_sizes(writer *w) {
  const as_graph *both[2] = {w->graph->program, w->graph};
  for (int k = 0; k < 2; k++) {
    for (uint32_t i = 0; i < both[k]->n_own_size; i++) {
      as_size size = both[k]->own_size[i];
      long least = as_size_least(w->graph->sizes, size);
      long value = as_size_value(w->graph->sizes, size);
      as_str_printf(&w->out, "sizes %s", as_size_name(w->graph->sizes, size));
      if (least != 1)
        as_str_printf(&w->out, " >= %ld", least);
      if (value >= 0)
        as_str_printf(&w->out, " = %ld", value);
      as_str_add(&w->out, "\n");
    }
  }
  for (uint32_t i = 0; i < w->graph->n_fact; i++) {
    const as_size_fact *fact = &w->graph->fact[i];
    as_str_add(&w->out, "where ");
    add_size(w, fact->lhs);
    as_str_printf(&w->out, " %s ", as_rel_text(fact->rel));
    add_size(w, fact->rhs);
    as_str_add(&w->out, "\n");
  }
}

static void add_tensor(writer *w, const char *role, const char *name, const char *type,
                       const as_node *node) {
  as_str_printf(&w->out, "%s %s: %s", role, name, type);
  as_text_dims(&w->out, w->graph, node->dim, node->rank);
  as_str_add(&w->out, "\n");
}

static bool is_output(const as_graph *graph, as_node_id id) {
  for (uint32_t i = 0; i < graph->n_output; i++) {
    if (graph->output[i] == id)
      return true;
  }
  return false;
}

static void add_tensors(writer *w) {
  static const char *const types[] = {"f16", "bf16", "f32"};
  const as_graph *graph = w->graph;
  for (uint32_t i = 0; i < graph->program->n_input; i++) {
    const as_node *node = &graph->program->node[graph->program->input[i]];
    add_tensor(w, "input", node->name, types[node->dtype], node);
  }
  for (as_node_id id = 0; id < graph->n; id++) {
    const as_node *node = &graph->node[id];
    if (node->kind == AS_N_STORE)
      add_tensor(w, is_output(graph, id) ? "output" : "scratch", node->name, "f32", node);
  }
}

/* ---- kernels */
static void add_lanes(writer *w, const as_node *tile) {
  as_str_add(&w->out, "[");
  for (uint32_t d = 0; d < tile->rank; d++) {
    as_str_printf(&w->out, "%s%s < ", d ? ", " : "", w->lane[d]);
    add_size(w, tile->dim[d]);
  }
  as_str_add(&w->out, "]");
}

/* the position of axis d: i, or number * s + i, in which the number of the tile is that of blocks
 * and iterations counted together, the last fastest: v, v * L + l, (v * W + w) * L + l */
static void add_position(writer *w, const as_block *block, const as_node *mapped,
                         const as_node *tile, uint32_t d) {
  uint32_t parts = 0;
  for (int a = 0; a < 4; a++)
    parts += mapped->map[a] == (int)d;
  for (uint32_t i = 1; i < parts; i++)
    as_str_add(&w->out, "(");
  uint32_t written = 0;
  for (int a = 0; a < 4; a++) {
    if (mapped->map[a] != (int)d)
      continue;
    if (written > 0) {
      as_str_add(&w->out, " * ");
      add_factor(w, a < 3 ? block->grid[a] : block->loop);
      as_str_add(&w->out, " + ");
    }
    as_str_printf(&w->out, written > 0 ? "%s)" : "%s", w->variable[a]);
    written++;
  }
  if (parts > 0) {
    as_str_add(&w->out, " * ");
    add_factor(w, tile->dim[d]);
    as_str_add(&w->out, " + ");
  }
  as_str_add(&w->out, w->lane[d]);
}

static void add_place(writer *w, const as_block *block, const char *tensor, const as_node *mapped,
                      const as_node *tile) {
  as_str_printf(&w->out, "%s[", tensor);
  for (uint32_t d = 0; d < tile->rank; d++) {
    as_str_add(&w->out, d ? ", " : "");
    add_position(w, block, mapped, tile, d);
  }
  as_str_add(&w->out, "]");
}

static void add_computed(writer *w, const as_block *block, const as_node *node, int depth) {
  as_str_printf(&w->out, "%*s", 2 * depth, "");
  if (node->kind == AS_N_LOAD) {
    as_str_printf(&w->out, "load %s", node->name);
    add_lanes(w, node);
    as_str_add(&w->out, " = ");
    add_place(w, block, w->graph->node[node->arg[0]].name, node, node);
  } else {
    as_str_printf(&w->out, "%s = ", node->name);
    as_text_call(&w->out, w->graph, node);
  }
  as_str_add(&w->out, "\n");
}

/* what stands before the loop: nothing that varies or is summed depends on the order */
static bool in_loop(const as_block *block, const as_node *node) {
  return block->has_loop && node->varying && !node->after;
}

static void add_statements(writer *w, const as_block *block, int depth, bool loop, bool after) {
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &w->graph->node[block->nodes[i]];
    bool computed = node->kind == AS_N_LOAD || node->kind == AS_N_OP;
    if (computed && in_loop(block, node) == loop && node->after == after)
      add_computed(w, block, node, depth);
  }
}

static void add_loop(writer *w, const as_block *block, int depth) {
  const as_graph *graph = w->graph;
  as_str carried;
  as_str_init(&carried);
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &graph->node[block->nodes[i]];
    if (node->kind != AS_N_ACC)
      continue;
    char *zeros = fresh(w, "zero");
    as_str_printf(&w->out, "%*smake %s", 2 * depth, "", zeros);
    add_lanes(w, node);
    as_str_add(&w->out, " = 0\n");
    as_str_printf(&carried, "%*scarry %s = %s\n", 2 * depth + 2, "", node->name, zeros);
    free(zeros);
  }
  as_str_printf(&w->out, "%*sfor %s = 0 to ", 2 * depth, "", w->variable[3]);
  add_size(w, block->loop);
  as_str_printf(&w->out, "\n%s", carried.s ? carried.s : "");
  as_str_clear(&carried);
  add_statements(w, block, depth + 1, true, false);
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &graph->node[block->nodes[i]];
    if (node->kind == AS_N_ACC)
      as_str_printf(&w->out, "%*snext %s = %s + %s\n", 2 * depth + 2, "", node->name, node->name,
                    graph->node[node->arg[0]].name);
  }
  as_str_printf(&w->out, "%*send\n", 2 * depth, "");
}

static bool expressible(writer *w, const as_block *block) {
  bool grid = false;
  for (int a = 0; a < 3; a++)
    grid = grid || block->grid[a] != AS_SIZE_ONE;
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &w->graph->node[block->nodes[i]];
    if (node->kind == AS_N_RUN || (node->kind == AS_N_ACC && node->acc != AS_ACC_SUM))
      return as_err_set(w->err, AS_BAD_INPUT, "kernel %s: a tile program carries sums alone",
                        block->name);
  }
  return grid || as_err_set(w->err, AS_BAD_INPUT, "kernel %s has no grid", block->name);
}

static bool add_kernel(writer *w, const as_block *block) {
  int depth = 0;
  if (!expressible(w, block))
    return false;
  for (int a = 0; a < 3; a++) {
    if (block->grid[a] == AS_SIZE_ONE)
      continue;
    as_str_printf(&w->out, "%*sparallel %s = 0 to ", 2 * depth++, "", w->variable[a]);
    add_size(w, block->grid[a]);
    as_str_add(&w->out, "\n");
  }
  add_statements(w, block, depth, false, false);
  if (block->has_loop)
    add_loop(w, block, depth);
  add_statements(w, block, depth, false, true);
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &w->graph->node[block->nodes[i]];
    if (node->kind != AS_N_STORE)
      continue;
    const as_node *tile = &w->graph->node[node->arg[0]];
    as_str_printf(&w->out, "%*sstore ", 2 * depth, "");
    add_place(w, block, node->name, node, tile);
    as_str_printf(&w->out, " = %s over ", tile->name);
    add_lanes(w, tile);
    as_str_add(&w->out, "\n");
  }
  while (depth-- > 0)
    as_str_printf(&w->out, "%*send\n", 2 * depth, "");
  return true;
}

char *as_tile_of_graph(const as_graph *graph, as_err *err) {
  as_node_id cut = as_graph_cut_load(graph);
  if (cut != AS_NONE) {
    as_err_set(err, AS_BAD_INPUT,
               "`%s` is cut off at the end of its tensor: lanes of a tile "
               "program are as many in each of its tiles",
               graph->node[cut].name);
    return NULL;
  }
  writer w = {.graph = graph, .err = err};
  as_str_init(&w.out);
  as_intern_init(&w.taken, NULL);
  take_names(&w);
  for (uint32_t i = 0; i < graph->program->n_use; i++)
    as_str_printf(&w.out, "use \"%s\"\n", graph->program->use[i]);
  as_str_printf(&w.out, "tile %s\n", graph->name);
  add_sizes(&w);
  add_tensors(&w);
  bool ok = true;
  for (uint32_t i = 0; ok && i < graph->n_order; i++) {
    const as_node *node = &graph->node[graph->order[i]];
    ok = node->kind == AS_N_STORE
             ? add_kernel(&w, &graph->block[node->block])
             : as_err_set(err, AS_BAD_INPUT, "`%s` is computed outside of kernels", node->name);
  }
  drop_names(&w);
  char *text = as_str_take(&w.out);
  if (ok)
    return text;
  free(text);
  return NULL;
}
