/* Making, copying and freeing graphs; names, sizes, inputs, constants, outputs.  Nodes with rules
 * of their own are in graph_build.c. */
#include "graph_int.h"
#include <stdlib.h>
#include <string.h>

const as_acc_row as_acc_rows[] = {
#define X(kind, word, tail, operand, runs, empty)                                                  \
  [AS_ACC_##kind] = {word, tail, operand, runs, empty},
    AS_ACC_KINDS(X)
#undef X
};
const uint32_t as_n_acc_kinds = sizeof as_acc_rows / sizeof *as_acc_rows;

void as_grow(void *array, size_t *cap, size_t n, size_t size) {
  if (n < *cap)
    return;
  void *p;
  memcpy(&p, array, sizeof p);
  *cap = *cap ? 2 * *cap : 8;
  p = as_realloc(p, *cap * size);
  memcpy(array, &p, sizeof p);
}

/* --- names */
uint32_t as_names_get(const as_graph *graph, uint32_t scope, const char *name) {
  const as_graph_mem *mem = as_gm(graph);
  uint32_t id = as_intern_find(&mem->names, name);
  uint64_t named;
  if (id == AS_NONE || !as_map_get(&mem->named, AS_KEY(scope, id), &named))
    return AS_NONE;
  return (uint32_t)named;
}

bool as_name_taken(const as_graph *graph, uint32_t scope, const char *name) {
  return as_names_get(graph, scope, name) != AS_NONE ||
         as_names_get(graph, AS_NONE, name) != AS_NONE ||
         as_names_get(graph, AS_SCOPE_SIZE, name) != AS_NONE ||
         (graph->program && as_names_get(graph->program, AS_SCOPE_SIZE, name) != AS_NONE);
}

char *as_names_put(as_graph *graph, uint32_t scope, const char *name, uint32_t id) {
  as_graph_mem *mem = as_gm(graph);
  uint32_t text = as_intern_string(&mem->names, name);
  as_map_put(&mem->named, AS_KEY(scope, text), id);
  return as_intern_text(&mem->names, text);
}

static uint32_t scope_of(const as_node *node) {
  return node->kind == AS_N_STORE ? AS_NONE : node->block;
}

as_node_id as_graph_find(const as_graph *graph, uint32_t block, const char *name) {
  return as_names_get(graph, block, name);
}

bool as_graph_rename(as_graph *graph, as_node_id node, const char *name, as_err *err) {
  uint32_t scope = scope_of(&graph->node[node]);
  if (as_name_taken(graph, scope, name))
    return as_err_set(err, AS_BAD_INPUT, "`%s` is already defined", name);
  as_names_put(graph, scope, graph->node[node].name, AS_NONE); /* the fresh name is free again */
  graph->node[node].name = as_names_put(graph, scope, name, node);
  graph->node[node].is_named = true;
  return true;
}

void as_graph_add_use(as_graph *graph, const char *path) {
  as_grow(&graph->use, &as_gm(graph)->use_cap, graph->n_use, sizeof *graph->use);
  graph->use[graph->n_use++] = as_arena_strdup(as_gm(graph)->arena, path);
}

/* --- life */
static as_graph *empty(as_sizes *sizes, const as_oplib *lib, const as_graph *program,
                       const char *name) {
  as_graph *graph = as_calloc(1, sizeof *graph);
  as_graph_mem *mem = as_calloc(1, sizeof *mem);
  mem->arena = as_arena_new();
  as_intern_init(&mem->names, mem->arena);
  as_map_init(&mem->named, 2);
  graph->mem = mem;
  graph->sizes = sizes;
  graph->lib = lib;
  graph->program = program;
  graph->name = as_arena_strdup(mem->arena, name);
  return graph;
}

as_graph *as_graph_new(as_sizes *sizes, const as_oplib *lib, const as_graph *program,
                       const char *name) {
  as_graph *graph = empty(sizes, lib, program, name);
  for (uint32_t i = 0; program && i < program->n_input; i++) {
    const as_node *node = &program->node[program->input[i]];
    as_node_id input = as_graph_input(graph, node->name, node->dtype, node->dim, node->rank, NULL);
    graph->node[input].is_index_tensor = node->is_index_tensor;
  }
  return graph;
}

static void *dup(const void *p, size_t n, size_t size) {
  if (n == 0)
    return NULL;
  return memcpy(as_malloc(n * size), p, n * size);
}

as_graph *as_graph_copy(const as_graph *graph) {
  as_graph *copy = empty(graph->sizes, graph->lib, graph->program, graph->name);
  copy->open = graph->open;
  as_graph_mem *mem = as_gm(copy);
  const as_graph_mem *gm = as_gm(graph);
  mem->fresh = gm->fresh;
  copy->n = graph->n;
  mem->node_cap = graph->n;
  copy->node = dup(graph->node, graph->n, sizeof *graph->node);
  for (uint32_t i = 0; i < graph->n; i++) {
    as_node *node = &copy->node[i];
    node->name = node->name ? as_arena_strdup(mem->arena, node->name) : NULL;
    mpq_init(node->value);
    mpq_set(node->value, graph->node[i].value);
    for (uint32_t k = 0; k < AS_MAX_ATTRS; k++) {
      as_attr_init(&node->attr[k]);
      as_attr_set(&node->attr[k], &graph->node[i].attr[k]);
    }
  }
  for (uint32_t i = 0; i < gm->named.count; i++) { /* of nodes, constants' aliases, sizes */
    const uint64_t *key = as_map_key(&gm->named, i);
    const char *name = as_intern_text(&gm->names, (uint32_t)key[1]);
    as_names_put(copy, (uint32_t)key[0], name, (uint32_t)*as_map_value(&gm->named, i));
  }
#define COPY(field, count, cap)                                                                    \
  copy->field = dup(graph->field, copy->count = graph->count, sizeof *graph->field),               \
  mem->cap = graph->count
  COPY(order, n_order, order_cap);
  COPY(input, n_input, input_cap);
  COPY(output, n_output, output_cap);
  COPY(block, n_block, block_cap);
  COPY(fact, n_fact, fact_cap);
  COPY(own_size, n_own_size, own_cap);
#undef COPY
  for (uint32_t i = 0; i < copy->n_block; i++) {
    as_block *kernel = &copy->block[i];
    kernel->name = as_arena_strdup(mem->arena, kernel->name);
    kernel->nodes = dup(kernel->nodes, kernel->n, sizeof *kernel->nodes);
  }
  for (uint32_t i = 0; i < graph->n_use; i++)
    as_graph_add_use(copy, graph->use[i]);
  return copy;
}

void as_graph_free(as_graph *graph) {
  if (graph == NULL)
    return;
  for (uint32_t i = 0; i < graph->n; i++) {
    mpq_clear(graph->node[i].value);
    for (uint32_t k = 0; k < AS_MAX_ATTRS; k++)
      as_attr_clear(&graph->node[i].attr[k]);
  }
  for (uint32_t i = 0; i < graph->n_block; i++)
    free(graph->block[i].nodes);
  free(graph->node);
  free(graph->order);
  free(graph->input);
  free(graph->output);
  free(graph->block);
  free(graph->fact);
  free(graph->own_size);
  free(graph->use);
  as_graph_mem *mem = as_gm(graph);
  as_map_clear(&mem->named);
  as_intern_clear(&mem->names);
  as_arena_free(mem->arena);
  free(mem);
  free(graph);
}

/* --- sizes and relations */
bool as_graph_declare(as_graph *graph, const char *name, long least, long value, as_size *out,
                      as_err *err) {
  const as_graph *program = graph->program;
  if (as_names_get(graph, AS_SCOPE_SIZE, name) != AS_NONE ||
      (program && as_names_get(program, AS_SCOPE_SIZE, name) != AS_NONE))
    return as_err_set(err, AS_BAD_INPUT, "size `%s` is already declared", name);
  if (value >= 0 && value < least)
    return as_err_set(err, AS_BAD_INPUT, "size `%s` is at least %ld, not %ld", name, least, value);
  as_size size = as_size_sym(graph->sizes, name);
  as_size_set_least(graph->sizes, size, least);
  as_size_set_value(graph->sizes, size, value);
  as_names_put(graph, AS_SCOPE_SIZE, name, size);
  as_grow(&graph->own_size, &as_gm(graph)->own_cap, graph->n_own_size, sizeof *graph->own_size);
  graph->own_size[graph->n_own_size++] = size;
  if (out)
    *out = size;
  return true;
}

bool as_graph_where(as_graph *graph, as_size lhs, as_rel rel, as_size rhs, as_err *err) {
  int64_t a;
  int64_t b;
  char *x = as_size_print(graph->sizes, lhs);
  char *y = as_size_print(graph->sizes, rhs);
  bool ok = true;
  if (!graph->open && as_graph_concrete(graph, lhs, &a) && as_graph_concrete(graph, rhs, &b)) {
    static const char *const text[] = {"=", "!=", "<=", "<"};
    ok = rel == AS_REL_EQ ? a == b : rel == AS_REL_NE ? a != b : rel == AS_REL_LE ? a <= b : a < b;
    if (!ok) {
      as_err_set(err, AS_BAD_INPUT, "the concrete sizes do not satisfy `%s %s %s`: %lld and %lld",
                 x, text[rel], y, (long long)a, (long long)b);
    }
  }
  free(x);
  free(y);
  if (!ok)
    return false;
  as_grow(&graph->fact, &as_gm(graph)->fact_cap, graph->n_fact, sizeof *graph->fact);
  graph->fact[graph->n_fact++] = (as_size_fact){lhs, rhs, rel};
  return true;
}

/* --- outputs */
bool as_graph_output(as_graph *graph, as_node_id node, as_err *err) {
  const as_node *x = &graph->node[node];
  if (!graph->open && (scope_of(x) != AS_NONE || as_node_is_number(x)))
    return as_err_set(err, AS_BAD_INPUT, "only a tensor at kernel level can be an output");
  for (uint32_t i = 0; i < graph->n_output && !graph->open; i++) {
    if (graph->output[i] == node)
      return as_err_set(err, AS_BAD_INPUT, "`%s` is an output twice", x->name);
  }
  const as_graph *program = graph->program;
  if (program) {
    const as_node *want = NULL;
    for (uint32_t i = 0; i < program->n_output; i++) {
      if (strcmp(program->node[program->output[i]].name, x->name) == 0)
        want = &program->node[program->output[i]];
    }
    if (want == NULL)
      return as_err_set(err, AS_BAD_INPUT, "the program has no output `%s`", x->name);
    if (want->rank != x->rank) {
      return as_err_set(err, AS_BAD_INPUT, "output `%s` has rank %u; the program's has %u", x->name,
                        x->rank, want->rank);
    }
    for (uint32_t i = 0; i < x->rank; i++) {
      if (as_graph_same_size(graph, x->dim[i], want->dim[i]))
        continue;
      char *a = as_size_print(graph->sizes, x->dim[i]);
      char *b = as_size_print(graph->sizes, want->dim[i]);
      as_err_set(err, AS_BAD_INPUT,
                 "output `%s`: axis %u has extent `%s`, the program's `%s`, and no relation makes "
                 "them equal",
                 x->name, i, a, b);
      free(a);
      free(b);
      return false;
    }
  }
  as_grow(&graph->output, &as_gm(graph)->output_cap, graph->n_output, sizeof *graph->output);
  graph->output[graph->n_output++] = node;
  return true;
}

uint32_t as_graph_kernels(const as_graph *graph) {
  bool *is_none = as_graph_no_kernels(graph);
  uint32_t n = 0;
  for (uint32_t i = 0; i < graph->n_order; i++)
    n += !is_none[graph->order[i]];
  free(is_none);
  return n;
}

bool as_graph_valid(const as_graph *graph, as_err *err) {
  if (graph->n_output == 0)
    return as_err_set(err, AS_BAD_INPUT, "`%s` has no output", graph->name);
  const as_graph *program = graph->program;
  for (uint32_t i = 0; program && i < program->n_output; i++) {
    const char *name = program->node[program->output[i]].name;
    bool found = false;
    for (uint32_t j = 0; j < graph->n_output; j++)
      found = found || strcmp(graph->node[graph->output[j]].name, name) == 0;
    if (!found) {
      return as_err_set(err, AS_BAD_INPUT, "`%s` does not define the program's output `%s`",
                        graph->name, name);
    }
  }
  for (uint32_t b = 0; b < graph->n_block; b++) {
    const as_block *k = &graph->block[b];
    if (k->n == 0 || graph->node[k->nodes[k->n - 1]].kind != AS_N_STORE) {
      return as_err_set(err, AS_BAD_INPUT, "kernel `%s` stores nothing, or not at its end",
                        k->name);
    }
    for (uint32_t i = 0; i < k->n; i++) {
      const as_node *node = &graph->node[k->nodes[i]];
      if (node->kind != AS_N_STORE)
        continue;
      for (int x = 0; x < 3; x++) /* injective: every grid axis divides one axis of its own */
      {
        if (k->grid[x] != AS_SIZE_ONE &&
            (node->map[x] < 0 || (uint32_t)node->map[x] >= node->rank)) {
          return as_err_set(err, AS_BAD_INPUT,
                            "`%s` would be written more than once: grid axis %c is not mapped",
                            node->name, "xyz"[x]);
        }
      }
    }
  }
  return true;
}

bool as_graph_is_mixed(const as_graph *graph) {
  const as_graph *program = graph->program ? graph->program : graph;
  as_dtype type = as_graph_type(graph);
  bool mixed = program->is_piece && program->mixed;
  for (uint32_t i = 0; i < graph->n_input && !program->is_piece; i++) {
    as_dtype other = graph->node[graph->input[i]].dtype;
    mixed = mixed || (other != type && other != AS_INT);
  }
  return mixed;
}

as_dtype as_graph_type(const as_graph *graph) {
  const as_graph *program = graph->program ? graph->program : graph;
  if (program->is_piece)
    return program->type;
  for (uint32_t i = 0; i < graph->n_input; i++) {
    as_dtype type = graph->node[graph->input[i]].dtype;
    if (type != AS_INT)
      return type;
  }
  return AS_F32;
}
