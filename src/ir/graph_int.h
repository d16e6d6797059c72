/* Private part of as_graph.  May include: base, ir/graph.h.  Used by graph*.c and the parsers of
 * src/ir only. */
#ifndef AS_IR_GRAPH_INT_H
#define AS_IR_GRAPH_INT_H
#include "../base/intern.h"
#include "graph.h"
#include "src/base/str.h"

#define AS_SCOPE_SIZE 0xfffffffeu  /* sizes declared by the file */
#define AS_SCOPE_TAKEN 0xfffffffdu /* names that fresh ones must avoid */

typedef struct {
  as_arena *arena;
  as_intern names; /* in the arena */
  as_map named;    /* from a scope and a name to what has that name in it, AS_NONE: nothing again */
  uint32_t fresh;  /* last number tried for a fresh name */
  size_t node_cap;
  size_t order_cap;
  size_t input_cap;
  size_t output_cap;
  size_t block_cap;
  size_t fact_cap;
  size_t own_cap;
  size_t use_cap;
} as_graph_mem;

static inline as_graph_mem *as_gm(const as_graph *graph) {
  return graph->mem;
}

uint32_t as_names_get(const as_graph *graph, uint32_t scope,
                      const char *name); /* AS_NONE if absent */
bool as_name_taken(
    const as_graph *graph, uint32_t scope,
    const char *name); /* there, at kernel level, or by a size: nothing is shadowed */
/* gives the graph's own copy of the name */
char *as_names_put(as_graph *graph, uint32_t scope, const char *name, uint32_t id);
bool as_graph_rename(as_graph *graph, as_node_id n, const char *name,
                     as_err *err); /* a node with a fresh name gets its own */
void as_graph_add_use(as_graph *graph, const char *path);

typedef enum { AS_HOLDS, AS_FAILS, AS_OPEN } as_truth;

as_truth as_graph_decide(const as_graph *graph, as_size a, as_rel rel,
                         as_size b); /* from least sizes and relations */
/* text: a shape, a node's name or number, a call of named operands, a whole expression, the `where`
 * line */
void as_text_dims(as_str *s, const as_graph *graph, const as_size *dim, uint32_t rank);
void as_text_ref(as_str *s, const as_graph *graph, as_node_id id);
void as_text_call(as_str *s, const as_graph *graph, const as_node *n);
void as_text_nested(as_str *s, const as_graph *graph, as_node_id id);
void as_text_where(as_str *s, const as_graph *graph);
/* grows *array of items of `size` to hold one more */
void as_grow(void *array, size_t *cap, size_t n, size_t size);
#endif
