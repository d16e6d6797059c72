/* Making, copying and freeing graphs; names, sizes, inputs, constants, outputs.  Nodes with rules
 * of their own are in graph_build.c. */
#include "graph_int.h"
#include <stdlib.h>
#include <string.h>

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
uint32_t as_names_get(const as_graph *g, uint32_t scope, const char *name) {
  const as_graph_mem *m = as_gm(g);
  uint32_t id = as_intern_find(&m->names, name);
  uint64_t named;
  if (id == AS_NONE || !as_map_get(&m->named, AS_KEY(scope, id), &named))
    return AS_NONE;
  return (uint32_t)named;
}

bool as_name_taken(const as_graph *g, uint32_t scope, const char *name) {
  return as_names_get(g, scope, name) != AS_NONE || as_names_get(g, AS_NONE, name) != AS_NONE ||
         as_names_get(g, AS_SCOPE_SIZE, name) != AS_NONE ||
         (g->program && as_names_get(g->program, AS_SCOPE_SIZE, name) != AS_NONE);
}

char *as_names_put(as_graph *g, uint32_t scope, const char *name, uint32_t id) {
  as_graph_mem *m = as_gm(g);
  uint32_t text = as_intern_string(&m->names, name);
  as_map_put(&m->named, AS_KEY(scope, text), id);
  return as_intern_text(&m->names, text);
}

static uint32_t scope_of(const as_node *n) {
  return n->kind == AS_N_STORE ? AS_NONE : n->block;
}

as_node_id as_graph_find(const as_graph *g, uint32_t block, const char *name) {
  return as_names_get(g, block, name);
}

bool as_graph_rename(as_graph *g, as_node_id n, const char *name, as_err *err) {
  uint32_t scope = scope_of(&g->node[n]);
  if (as_name_taken(g, scope, name))
    return as_err_set(err, AS_BAD_INPUT, "`%s` is already defined", name);
  as_names_put(g, scope, g->node[n].name, AS_NONE); /* the fresh name is free again */
  g->node[n].name = as_names_put(g, scope, name, n);
  return true;
}

void as_graph_add_use(as_graph *g, const char *path) {
  as_grow(&g->use, &as_gm(g)->use_cap, g->n_use, sizeof *g->use);
  g->use[g->n_use++] = as_arena_strdup(as_gm(g)->arena, path);
}

/* --- life */
static as_graph *empty(as_sizes *S, const as_oplib *lib, const as_graph *program,
                       const char *name) {
  as_graph *g = as_calloc(1, sizeof *g);
  as_graph_mem *m = as_calloc(1, sizeof *m);
  m->arena = as_arena_new();
  as_intern_init(&m->names, m->arena);
  as_map_init(&m->named, 2);
  g->mem = m;
  g->sizes = S;
  g->lib = lib;
  g->program = program;
  g->name = as_arena_strdup(m->arena, name);
  return g;
}

as_graph *as_graph_new(as_sizes *S, const as_oplib *lib, const as_graph *program,
                       const char *name) {
  as_graph *g = empty(S, lib, program, name);
  for (uint32_t i = 0; program && i < program->n_input; i++) {
    const as_node *n = &program->node[program->input[i]];
    as_graph_input(g, n->name, n->dtype, n->dim, n->rank, NULL);
  }
  return g;
}

static void *dup(const void *p, size_t n, size_t size) {
  if (n == 0)
    return NULL;
  return memcpy(as_malloc(n * size), p, n * size);
}

as_graph *as_graph_copy(const as_graph *g) {
  as_graph *c = empty(g->sizes, g->lib, g->program, g->name);
  c->open = g->open;
  as_graph_mem *m = as_gm(c);
  const as_graph_mem *gm = as_gm(g);
  m->fresh = gm->fresh;
  c->n = g->n;
  m->node_cap = g->n;
  c->node = dup(g->node, g->n, sizeof *g->node);
  for (uint32_t i = 0; i < g->n; i++) {
    as_node *n = &c->node[i];
    n->name = n->name ? as_arena_strdup(m->arena, n->name) : NULL;
    mpq_init(n->value);
    mpq_set(n->value, g->node[i].value);
    for (uint32_t k = 0; k < AS_MAX_ATTRS; k++) {
      as_attr_init(&n->attr[k]);
      as_attr_set(&n->attr[k], &g->node[i].attr[k]);
    }
  }
  for (uint32_t i = 0; i < gm->named.count; i++) { /* of nodes, constants' aliases, sizes */
    const uint64_t *key = as_map_key(&gm->named, i);
    const char *name = as_intern_text(&gm->names, (uint32_t)key[1]);
    as_names_put(c, (uint32_t)key[0], name, (uint32_t)*as_map_value(&gm->named, i));
  }
#define COPY(field, count, cap)                                                                    \
  c->field = dup(g->field, c->count = g->count, sizeof *g->field), m->cap = g->count
  COPY(order, n_order, order_cap);
  COPY(input, n_input, input_cap);
  COPY(output, n_output, output_cap);
  COPY(block, n_block, block_cap);
  COPY(fact, n_fact, fact_cap);
  COPY(own_size, n_own_size, own_cap);
#undef COPY
  for (uint32_t i = 0; i < c->n_block; i++) {
    as_block *b = &c->block[i];
    b->name = as_arena_strdup(m->arena, b->name);
    b->nodes = dup(b->nodes, b->n, sizeof *b->nodes);
  }
  for (uint32_t i = 0; i < g->n_use; i++)
    as_graph_add_use(c, g->use[i]);
  return c;
}

void as_graph_free(as_graph *g) {
  if (g == NULL)
    return;
  for (uint32_t i = 0; i < g->n; i++) {
    mpq_clear(g->node[i].value);
    for (uint32_t k = 0; k < AS_MAX_ATTRS; k++)
      as_attr_clear(&g->node[i].attr[k]);
  }
  for (uint32_t i = 0; i < g->n_block; i++)
    free(g->block[i].nodes);
  free(g->node);
  free(g->order);
  free(g->input);
  free(g->output);
  free(g->block);
  free(g->fact);
  free(g->own_size);
  free(g->use);
  as_graph_mem *m = as_gm(g);
  as_map_clear(&m->named);
  as_intern_clear(&m->names);
  as_arena_free(m->arena);
  free(m);
  free(g);
}

/* --- sizes and relations */
bool as_graph_declare(as_graph *g, const char *name, long least, long value, as_size *out,
                      as_err *err) {
  const as_graph *p = g->program;
  if (as_names_get(g, AS_SCOPE_SIZE, name) != AS_NONE ||
      (p && as_names_get(p, AS_SCOPE_SIZE, name) != AS_NONE))
    return as_err_set(err, AS_BAD_INPUT, "size `%s` is already declared", name);
  if (value >= 0 && value < least)
    return as_err_set(err, AS_BAD_INPUT, "size `%s` is at least %ld, not %ld", name, least, value);
  as_size s = as_size_sym(g->sizes, name);
  as_size_set_least(g->sizes, s, least);
  as_size_set_value(g->sizes, s, value);
  as_names_put(g, AS_SCOPE_SIZE, name, s);
  as_grow(&g->own_size, &as_gm(g)->own_cap, g->n_own_size, sizeof *g->own_size);
  g->own_size[g->n_own_size++] = s;
  if (out)
    *out = s;
  return true;
}

bool as_graph_where(as_graph *g, as_size lhs, as_rel rel, as_size rhs, as_err *err) {
  int64_t a;
  int64_t b;
  char *x = as_size_print(g->sizes, lhs);
  char *y = as_size_print(g->sizes, rhs);
  bool ok = true;
  if (!g->open && as_graph_concrete(g, lhs, &a) && as_graph_concrete(g, rhs, &b)) {
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
  as_grow(&g->fact, &as_gm(g)->fact_cap, g->n_fact, sizeof *g->fact);
  g->fact[g->n_fact++] = (as_size_fact){lhs, rhs, rel};
  return true;
}

/* --- outputs */
bool as_graph_output(as_graph *g, as_node_id n, as_err *err) {
  const as_node *x = &g->node[n];
  if (!g->open && (scope_of(x) != AS_NONE || as_node_is_number(x)))
    return as_err_set(err, AS_BAD_INPUT, "only a tensor at kernel level can be an output");
  for (uint32_t i = 0; i < g->n_output && !g->open; i++) {
    if (g->output[i] == n)
      return as_err_set(err, AS_BAD_INPUT, "`%s` is an output twice", x->name);
  }
  const as_graph *p = g->program;
  if (p) {
    const as_node *want = NULL;
    for (uint32_t i = 0; i < p->n_output; i++) {
      if (strcmp(p->node[p->output[i]].name, x->name) == 0)
        want = &p->node[p->output[i]];
    }
    if (want == NULL)
      return as_err_set(err, AS_BAD_INPUT, "the program has no output `%s`", x->name);
    if (want->rank != x->rank) {
      return as_err_set(err, AS_BAD_INPUT, "output `%s` has rank %u; the program's has %u", x->name,
                        x->rank, want->rank);
    }
    for (uint32_t i = 0; i < x->rank; i++) {
      if (as_graph_same_size(g, x->dim[i], want->dim[i]))
        continue;
      char *a = as_size_print(g->sizes, x->dim[i]);
      char *b = as_size_print(g->sizes, want->dim[i]);
      as_err_set(err, AS_BAD_INPUT,
                 "output `%s`: axis %u has extent `%s`, the program's `%s`, and no relation makes "
                 "them equal",
                 x->name, i, a, b);
      free(a);
      free(b);
      return false;
    }
  }
  as_grow(&g->output, &as_gm(g)->output_cap, g->n_output, sizeof *g->output);
  g->output[g->n_output++] = n;
  return true;
}

uint32_t as_graph_kernels(const as_graph *g) {
  return g->n_order;
}

bool as_graph_valid(const as_graph *g, as_err *err) {
  if (g->n_output == 0)
    return as_err_set(err, AS_BAD_INPUT, "`%s` has no output", g->name);
  const as_graph *p = g->program;
  for (uint32_t i = 0; p && i < p->n_output; i++) {
    const char *name = p->node[p->output[i]].name;
    bool found = false;
    for (uint32_t j = 0; j < g->n_output; j++)
      found = found || strcmp(g->node[g->output[j]].name, name) == 0;
    if (!found) {
      return as_err_set(err, AS_BAD_INPUT, "`%s` does not define the program's output `%s`",
                        g->name, name);
    }
  }
  for (uint32_t b = 0; b < g->n_block; b++) {
    const as_block *k = &g->block[b];
    if (k->n == 0 || g->node[k->nodes[k->n - 1]].kind != AS_N_STORE) {
      return as_err_set(err, AS_BAD_INPUT, "kernel `%s` stores nothing, or not at its end",
                        k->name);
    }
    for (uint32_t i = 0; i < k->n; i++) {
      const as_node *n = &g->node[k->nodes[i]];
      if (n->kind != AS_N_STORE)
        continue;
      for (int x = 0; x < 3; x++) /* injective: every grid axis divides one axis of its own */
      {
        if (k->grid[x] != AS_SIZE_ONE && (n->map[x] < 0 || (uint32_t)n->map[x] >= n->rank)) {
          return as_err_set(err, AS_BAD_INPUT,
                            "`%s` would be written more than once: grid axis %c is not mapped",
                            n->name, "xyz"[x]);
        }
      }
    }
  }
  return true;
}
