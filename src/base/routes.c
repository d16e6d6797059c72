#include "routes.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>

void as_routes_init(as_routes *routes, uint32_t n_block, uint32_t n_node) {
  routes->n_block = n_block;
  routes->n_node = n_node;
  routes->block = as_calloc(n_block + 1, sizeof *routes->block);
  routes->node = as_calloc(n_node + 1, sizeof *routes->node);
}

void as_routes_clear(as_routes *routes) {
  free(routes->block);
  free(routes->node);
  memset(routes, 0, sizeof *routes);
}

static bool same(const char *left, const char *right) {
  return left && right ? strcmp(left, right) == 0 : left == right;
}

/* the first of the larger number that differs; that number: none does */
static uint32_t first_other(const char **left, uint32_t n_left, const char **right,
                            uint32_t n_right) {
  uint32_t n = n_left > n_right ? n_left : n_right;
  for (uint32_t i = 0; i < n; i++) {
    if (i >= n_left || i >= n_right || !same(left[i], right[i]))
      return i;
  }
  return n;
}

bool as_routes_same(const as_routes *left, const as_routes *right, uint32_t *number, bool *node) {
  uint32_t blocks = left->n_block > right->n_block ? left->n_block : right->n_block;
  uint32_t nodes = left->n_node > right->n_node ? left->n_node : right->n_node;
  *number = first_other(left->block, left->n_block, right->block, right->n_block);
  *node = *number == blocks;
  if (*node)
    *number = first_other(left->node, left->n_node, right->node, right->n_node);
  return *node && *number == nodes;
}

const char *as_route_find(const char *name) {
  static const char *const all[] = {AS_ROUTE_THREADS, AS_ROUTE_BLOCK,        AS_ROUTE_LIBRARY,
                                    AS_ROUTE_MEMORY,  AS_ROUTE_TENSOR_CORES, AS_ROUTE_REGISTERS};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (strcmp(all[i], name) == 0)
      return all[i];
  }
  return NULL;
}
