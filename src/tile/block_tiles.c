/* Where the text has tiles of one size of the program, and nothing else depends on it: others. */
#include "blocks_build.h"
#include "src/base/str.h"
#include "src/ir/graph_int.h"
#include <stdlib.h>
#include <string.h>

static bool mentions(const tv_builder *b, as_size size, const as_size of[2]) {
  return as_size_mentions(b->graph->sizes, size, of[0]) ||
         as_size_mentions(b->graph->sizes, size, of[1]);
}

/* is a node's part in these sizes that its tiles lie along the grid's axis, and no other? */
static bool is_tiled_alone(const tv_builder *b, const as_node *node, int axis,
                           const as_size of[2]) {
  bool access = node->kind == AS_N_LOAD || node->kind == AS_N_STORE;
  for (uint32_t d = 0; access && d < node->rank; d++) {
    as_size tile = node->kind == AS_N_LOAD ? node->dim[d] : b->graph->node[node->arg[0]].dim[d];
    if (node->map[axis] != (int)d && mentions(b, tile, of))
      return false;
    if (node->map[axis] == (int)d && tile != of[1])
      return false;
  }
  for (uint32_t k = 0; node->kind == AS_N_OP && k < node->op->nattrs; k++) {
    if (node->attr[k].is_size && mentions(b, node->attr[k].size, of))
      return false;
  }
  for (uint32_t i = 0; node->kind == AS_N_OP && i < node->nargs; i++) {
    const as_node *arg = &b->graph->node[node->arg[i]];
    if (arg->kind == AS_N_SIZE && mentions(b, arg->size, of))
      return false;
  }
  return true;
}

/* A size of the program is the extent of tiles by what the text says; where nothing else depends on
 * it, the kernel can have others: the rows of a head as any columns of the product. */
void tv_find_other_tiles(tv_builder *b, tv_kernel *k) {
  const as_sizes *sizes = b->graph->sizes;
  const as_block *block = &b->graph->block[b->block];
  for (uint32_t axis = 0; axis < k->n_grid && !k->may_retile; axis++) {
    as_size of[2] = {block->grid[axis], b->tiles[axis].tile[0]};
    bool may =
        b->tiles[axis].n == 1 && as_size_is_sym(sizes, of[0]) && as_size_is_sym(sizes, of[1]);
    may = may && as_names_get(b->p->given, AS_SCOPE_SIZE, as_size_name(sizes, of[0])) != AS_NONE &&
          as_names_get(b->p->given, AS_SCOPE_SIZE, as_size_name(sizes, of[1])) != AS_NONE &&
          !mentions(b, block->loop, of);
    for (uint32_t other = 0; other < k->n_grid; other++)
      may = may && (other == axis || !mentions(b, block->grid[other], of));
    for (uint32_t i = 0; may && i < block->n; i++)
      may = is_tiled_alone(b, &b->graph->node[block->nodes[i]], (int)axis, of);
    k->may_retile = may;
    memcpy(k->from, of, sizeof of);
  }
}

bool tv_reduces(const as_opdef *op) {
  for (uint32_t i = 0; i < op->nlet; i++) {
    if (as_expr_reduces(op->let[i].body))
      return true;
  }
  return false;
}

/* the extent of the last axis of all that the kernel stores, a size of the program; AS_SIZE_BAD */
static as_size last_extent(const tv_builder *b, const as_block *block) {
  as_size extent = AS_SIZE_BAD;
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &b->graph->node[block->nodes[i]];
    if (node->kind == AS_N_OP && tv_reduces(node->op))
      return AS_SIZE_BAD;
    if (node->kind != AS_N_STORE)
      continue;
    const as_node *of = &b->graph->node[node->arg[0]];
    as_size last = of->rank ? of->dim[of->rank - 1] : AS_SIZE_BAD;
    if (last == AS_SIZE_BAD || (extent != AS_SIZE_BAD && extent != last))
      return AS_SIZE_BAD;
    extent = last;
  }
  return extent;
}

/* A kernel that goes element by element, or moves elements, needs no whole axis: the last one of
 * what it stores is divided by one more axis of the grid. */
void tv_find_division(tv_builder *b, tv_kernel *k) {
  const as_sizes *sizes = b->graph->sizes;
  const as_block *block = &b->graph->block[b->block];
  as_size extent = k->sums == AS_NONE && k->n_grid < 3 ? last_extent(b, block) : AS_SIZE_BAD;
  k->may_divide = AS_SIZE_BAD;
  if (extent == AS_SIZE_BAD || !as_size_is_sym(sizes, extent) ||
      as_names_get(b->p->given, AS_SCOPE_SIZE, as_size_name(sizes, extent)) == AS_NONE)
    return;
  for (uint32_t axis = 0; axis < k->n_grid; axis++) {
    if (as_size_mentions(sizes, block->grid[axis], extent))
      return;
  }
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &b->graph->node[block->nodes[i]];
    for (uint32_t j = 0; node->kind == AS_N_OP && j < node->nargs; j++) {
      const as_node *arg = &b->graph->node[node->arg[j]];
      if (arg->kind == AS_N_SIZE && as_size_mentions(sizes, arg->size, extent))
        return;
    }
  }
  k->may_divide = extent;
}

static char *fresh_size(const tv_builder *b, const char *base) {
  char *name = as_strdup(base);
  for (uint32_t i = 2; as_size_find(b->graph->sizes, name) != AS_SIZE_BAD; i++) {
    free(name);
    name = as_format("%s_%u", base, i);
  }
  return name;
}

/* a size of the program that is that product, by its name, or the product */
static as_size by_name(const tv_builder *b, as_size product) {
  const as_graph *given = b->p->given;
  for (uint32_t i = 0; i < given->n_own_size; i++) {
    if (as_graph_same_size(b->graph, given->own_size[i], product))
      return given->own_size[i];
  }
  return product;
}

bool tv_declare_others(tv_builder *b, tv_kernel *k) {
  static const char *const bases[2] = {"count", "tile"};
  as_sizes *sizes = b->graph->sizes;
  k->retiled = k->may_retile;
  k->divided = !k->may_retile;
  for (int i = 0; i < 2; i++) {
    char *name = fresh_size(b, bases[i]);
    long whole = k->divided ? as_size_value(sizes, k->may_divide) : -1;
    long value = k->retiled ? as_size_value(sizes, k->from[i]) : i == 0 ? 1 : whole;
    bool ok = as_graph_declare(b->graph, name, 1, value, &k->to[i], b->p->err);
    free(name);
    if (!ok)
      return false;
  }
  as_size whole =
      k->divided ? k->may_divide : by_name(b, as_size_mul(sizes, k->from[0], k->from[1]));
  return as_graph_where(b->graph, whole, AS_REL_EQ, as_size_mul(sizes, k->to[0], k->to[1]),
                        b->p->err);
}

bool tv_is_retiled(const tv_kernel *k) {
  return k->may_retile || k->may_divide != AS_SIZE_BAD;
}
