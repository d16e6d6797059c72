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
  char **running; /* by node: of a maximum, what it is after the iteration at hand */
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
      add_tensor(w, as_graph_is_output(graph, id) ? "output" : "scratch", node->name, "f32", node);
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

/* an element of what is computed outside of kernels: no tensor in memory, but a tile */
static void add_outer_element(writer *w, const as_block *block, const as_node *node) {
  as_str_printf(&w->out, "make %s", node->name);
  add_lanes(w, node);
  as_str_add(&w->out, " = ");
  add_place(w, block, w->graph->node[node->arg[0]].name, node, node);
}

static void add_computed(writer *w, const as_block *block, const as_node *node, int depth) {
  as_str_printf(&w->out, "%*s", 2 * depth, "");
  if (node->kind == AS_N_LOAD && w->graph->node[node->arg[0]].kind == AS_N_OP) {
    add_outer_element(w, block, node);
  } else if (node->kind == AS_N_LOAD) {
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

/* ---- loops.  Sums start at zero.  Where there is a maximum, which has no value over no
 * iterations, the first iteration stands before the loop, under names of its own. */

static bool keeps_maximum(const writer *w, const as_block *block) {
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &w->graph->node[block->nodes[i]];
    if (node->kind == AS_N_RUN || (node->kind == AS_N_ACC && node->acc != AS_ACC_SUM))
      return true;
  }
  return false;
}

/* the maximum that a sum is rescaled by */
static const as_node *maximum_of(const writer *w, const as_node *sum) {
  const as_node *by = &w->graph->node[sum->arg[1]];
  return by->kind == AS_N_RUN ? &w->graph->node[by->arg[0]] : by;
}

/* an element of a tile of the axes of another, or of the first of them */
static void add_element(writer *w, const char *name, const as_node *tile) {
  as_str_printf(&w->out, "%s[", name);
  for (uint32_t d = 0; d < tile->rank; d++)
    as_str_printf(&w->out, "%s%s", d ? ", " : "", w->lane[d]);
  as_str_add(&w->out, "]");
}

/* The names of what varies in the first iteration; of a running maximum that of its tile. By node;
 * NULL: its own. */
static char **first_names(writer *w, const as_block *block) {
  char **name = as_calloc(w->graph->n, sizeof *name);
  for (uint32_t i = 0; i < block->n; i++) {
    as_node_id id = block->nodes[i];
    const as_node *node = &w->graph->node[id];
    if (in_loop(block, node) && (node->kind == AS_N_LOAD || node->kind == AS_N_OP)) {
      char *wish = as_format("%s_first", node->name);
      name[id] = fresh(w, wish);
      free(wish);
    }
  }
  for (uint32_t i = 0; i < block->n; i++) {
    as_node_id id = block->nodes[i];
    const as_node *node = &w->graph->node[id];
    if (node->kind == AS_N_RUN) {
      as_node_id tile = w->graph->node[node->arg[0]].arg[0];
      name[id] = as_strdup(name[tile] ? name[tile] : w->graph->node[tile].name);
    }
  }
  return name;
}

static void exchange_names(as_graph *graph, char **name) {
  for (uint32_t i = 0; i < graph->n; i++) {
    if (name[i]) {
      char *own = graph->node[i].name;
      graph->node[i].name = name[i];
      name[i] = own;
    }
  }
}

static void add_first_iteration(writer *w, const as_block *block, int depth, char **name) {
  const as_graph *whole = w->graph;
  as_graph *renamed = as_graph_copy(whole);
  char *variable = w->variable[3];
  char zero[] = "0";
  exchange_names(renamed, name);
  w->graph = renamed;
  w->variable[3] = zero;
  add_statements(w, &renamed->block[block - whole->block], depth, true, false);
  w->variable[3] = variable;
  w->graph = whole;
  exchange_names(renamed, name);
  as_graph_free(renamed);
}

/* what an accumulator is after an iteration: the line that makes it, and its name (malloc'ed) */
static char *add_accumulated(writer *w, const as_node *acc, int depth) {
  const char *tile = w->graph->node[acc->arg[0]].name;
  char *wish = as_format("%s_next", acc->name);
  char *name = fresh(w, wish);
  free(wish);
  as_str_printf(&w->out, "%*smake %s", 2 * depth, "", name);
  add_lanes(w, acc);
  as_str_add(&w->out, " = ");
  if (acc->acc == AS_ACC_MAX) {
    as_str_add(&w->out, "max(");
    add_element(w, acc->name, acc);
    as_str_add(&w->out, ", ");
    add_element(w, tile, acc);
    as_str_add(&w->out, ")");
  } else {
    add_element(w, acc->name, acc);
    if (acc->acc == AS_ACC_RESCALE) {
      const as_node *maximum = maximum_of(w, acc);
      as_str_add(&w->out, " * exp(");
      add_element(w, maximum->name, maximum);
      as_str_add(&w->out, " - ");
      add_element(w, w->running[maximum - w->graph->node], maximum);
      as_str_add(&w->out, ")");
    }
    as_str_add(&w->out, " + ");
    add_element(w, tile, acc);
  }
  as_str_add(&w->out, "\n");
  return name;
}

/* the running maxima of an iteration, as soon as what they are the maximum of is there */
static void add_running(writer *w, const as_block *block, as_node_id tile, int depth) {
  for (uint32_t i = 0; i < block->n; i++) {
    as_node_id id = block->nodes[i];
    const as_node *node = &w->graph->node[id];
    if (node->kind != AS_N_ACC || node->acc != AS_ACC_MAX || node->arg[0] != tile)
      continue;
    w->running[id] = add_accumulated(w, node, depth);
    for (uint32_t k = 0; k < block->n; k++) {
      const as_node *run = &w->graph->node[block->nodes[k]];
      if (run->kind == AS_N_RUN && run->arg[0] == id)
        as_str_printf(&w->out, "%*s%s = %s\n", 2 * depth, "", run->name, w->running[id]);
    }
  }
}

static void add_peeled_loop(writer *w, const as_block *block, int depth) {
  const as_graph *graph = w->graph;
  char **first = first_names(w, block);
  as_str next;
  as_str_init(&next);
  w->running = as_calloc(graph->n, sizeof *w->running);
  add_first_iteration(w, block, depth, first);
  as_str_printf(&w->out, "%*sfor %s = 1 to ", 2 * depth, "", w->variable[3]);
  add_size(w, block->loop);
  as_str_add(&w->out, "\n");
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &graph->node[block->nodes[i]];
    const char *start = node->kind == AS_N_ACC ? first[node->arg[0]] : NULL;
    if (node->kind == AS_N_ACC)
      as_str_printf(&w->out, "%*scarry %s = %s\n", 2 * depth + 2, "", node->name,
                    start ? start : graph->node[node->arg[0]].name);
  }
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &graph->node[block->nodes[i]];
    if ((node->kind == AS_N_LOAD || node->kind == AS_N_OP) && in_loop(block, node))
      add_computed(w, block, node, depth + 1);
    if (node->kind == AS_N_LOAD || node->kind == AS_N_OP)
      add_running(w, block, block->nodes[i], depth + 1);
  }
  for (uint32_t i = 0; i < block->n; i++) {
    as_node_id id = block->nodes[i];
    const as_node *node = &graph->node[id];
    if (node->kind != AS_N_ACC)
      continue;
    char *name = w->running[id] ? as_strdup(w->running[id]) : add_accumulated(w, node, depth + 1);
    as_str_printf(&next, "%*snext %s = %s\n", 2 * depth + 2, "", node->name, name);
    free(name);
  }
  as_str_printf(&w->out, "%s%*send\n", next.s ? next.s : "", 2 * depth, "");
  as_str_clear(&next);
  for (uint32_t i = 0; i < graph->n; i++) {
    free(first[i]);
    free(w->running[i]);
  }
  free(first);
  free(w->running);
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
    if (node->kind == AS_N_ACC && node->acc == AS_ACC_CONCAT)
      return as_err_set(
          w->err, AS_BAD_INPUT,
          "kernel %s: `%s` joins the tiles of the iterations: no tile program carries "
          "what grows",
          block->name, node->name);
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
  if (block->has_loop && keeps_maximum(w, block))
    add_peeled_loop(w, block, depth);
  else if (block->has_loop)
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

/* What is computed outside of kernels is a tile that all of them see: of numbers alone, as there
 * are no tiles of whole tensors. */
static bool add_outer(writer *w, as_node_id id) {
  const as_node *node = &w->graph->node[id];
  bool plain = node->kind == AS_N_OP && !as_graph_is_output(w->graph, id);
  for (uint32_t i = 0; plain && i < node->nargs; i++) {
    as_node_kind of = w->graph->node[node->arg[i]].kind;
    plain = of == AS_N_OP || of == AS_N_CONST || of == AS_N_SIZE;
  }
  if (!plain)
    return as_err_set(w->err, AS_BAD_INPUT, "`%s` is computed outside of kernels", node->name);
  add_computed(w, NULL, node, 0);
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
    ok = node->kind == AS_N_STORE ? add_kernel(&w, &graph->block[node->block])
                                  : add_outer(&w, graph->order[i]);
  }
  drop_names(&w);
  char *text = as_str_take(&w.out);
  if (ok)
    return text;
  free(text);
  return NULL;
}
