/* Which kernel stores what, and in which order kernels stand. */
#include "blocks_build.h"
#include <string.h>

/* the root that is this store, or this value that is cut; AS_NONE */
static uint32_t find_root(const tv_builder *b, bool is_store, uint32_t number) {
  for (uint32_t i = 0; i < b->roots.n; i++) {
    if (TV_ROOT(b, i)->is_store == is_store && TV_ROOT(b, i)->number == number)
      return i;
  }
  return AS_NONE;
}

static void need_root(tv_builder *b, tv_root *root, bool is_store, uint32_t number) {
  uint32_t other = find_root(b, is_store, number);
  if (other != AS_NONE)
    root->needs |= UINT64_C(1) << other;
}

/* the roots that are loaded where a value is tv_made */
static void add_needs(tv_builder *b, tv_root *root, uint32_t number, bool itself) {
  const tv_program *p = b->p;
  const tv_value *value = TV_VALUE(p, number);
  const tv_store *store;
  tv_renaming renaming;
  if (TV_CUT(p, number)->is && !itself) {
    need_root(b, root, false, number);
    return;
  }
  if (value->kind == TV_LOAD) {
    uint32_t source = value->source;
    if (tv_forwards(p, value, &store, &renaming))
      add_needs(b, root, store->value, false);
    else if (source != AS_NONE)
      need_root(b, root, true, source);
    return;
  }
  uint32_t most = p->most[number];
  if (most != AS_NONE && TV_CUT(p, most)->is && root->sums != TV_VALUE(p, most)->of)
    need_root(b, root, false, most);
  if (value->kind == TV_MOST) {
    add_needs(b, root, TV_VALUE(p, value->arg[0])->arg[0], false);
    return;
  }
  for (uint32_t i = 0; i < value->n_arg; i++)
    add_needs(b, root, value->arg[i], false);
}

/* what a root needs, what the others of its kernel need, and what these need */
static void find_all_needs(tv_builder *b) {
  for (uint32_t i = 0; i < b->roots.n; i++) {
    TV_ROOT(b, i)->all_needs = TV_ROOT(b, i)->needs;
    for (uint32_t k = 0; k < b->n; k++) {
      for (uint32_t j = 0; b->kernel[k].roots >> i & 1 && j < b->roots.n; j++) {
        if (b->kernel[k].roots >> j & 1)
          TV_ROOT(b, i)->all_needs |= TV_ROOT(b, j)->needs & ~b->kernel[k].roots;
      }
    }
  }
  for (uint32_t k = 0; k < b->roots.n; k++) {
    for (uint32_t i = 0; i < b->roots.n; i++) {
      if (TV_ROOT(b, i)->all_needs >> k & 1)
        TV_ROOT(b, i)->all_needs |= TV_ROOT(b, k)->all_needs;
    }
  }
}

bool tv_find_needs(tv_builder *b) {
  if (b->roots.n > 64)
    return as_err_set(b->p->err, AS_BAD_INPUT, "more than 64 tensors between kernels");
  for (uint32_t i = 0; i < b->roots.n; i++)
    add_needs(b, TV_ROOT(b, i), TV_ROOT(b, i)->value, !TV_ROOT(b, i)->is_store);
  find_all_needs(b);
  return true;
}

/* does one root need the other by way of a third, of another kernel? */
static bool is_between(const tv_builder *b, uint64_t own, uint32_t one, uint32_t other) {
  for (uint32_t i = 0; i < b->roots.n; i++) {
    bool outside = i != one && i != other && (own >> i & 1) == 0;
    uint64_t needs = TV_ROOT(b, i)->all_needs;
    if (outside && ((TV_ROOT(b, one)->all_needs >> i & 1 && needs >> other & 1) ||
                    (TV_ROOT(b, other)->all_needs >> i & 1 && needs >> one & 1)))
      return true;
  }
  return false;
}

/* a kernel loads nothing that it stores itself; what is cut in it, it has */
static bool loads_own(const tv_builder *b, uint32_t one, uint32_t other) {
  const tv_root *first = TV_ROOT(b, one);
  const tv_root *second = TV_ROOT(b, other);
  bool apart = first->sums == AS_NONE;
  return (first->needs >> other & 1 && (second->is_store || apart)) ||
         (second->needs >> one & 1 && (first->is_store || apart));
}

/* ---- what roots have in common */
static bool is_made_of(const tv_program *p, uint32_t number, uint32_t part) {
  const tv_value *value = TV_VALUE(p, number);
  const tv_store *store;
  tv_renaming renaming;
  if (number == part)
    return true;
  if (value->kind == TV_LOAD)
    return tv_forwards(p, value, &store, &renaming) && is_made_of(p, store->value, part);
  for (uint32_t i = 0; i < value->n_arg; i++) {
    if (is_made_of(p, value->arg[i], part))
      return true;
  }
  return false;
}

/* do two roots need one sum, or a sum and the maximum that it is rescaled by? */
static bool share_sum(const tv_program *p, const tv_root *one, const tv_root *other) {
  for (uint32_t i = 0; i < p->values.n; i++) {
    const tv_value *value = TV_VALUE(p, i);
    if (value->kind != TV_TOTAL || value->of != one->sums)
      continue;
    bool both = true;
    for (int k = 0; k < 2 && both; k++) {
      uint32_t root = k ? other->value : one->value;
      const tv_value *most = TV_VALUE(p, root);
      both = most->kind == TV_MOST ? is_made_of(p, i, most->arg[0]) : is_made_of(p, root, i);
    }
    if (both)
      return true;
  }
  return false;
}

/* by its lanes the extents of the largest sum that a root is made of; NULL: none */
static const as_tile_stmt *largest_sum(const tv_program *p, const tv_root *root) {
  const as_tile_stmt *most = NULL;
  for (uint32_t i = 0; i < p->values.n; i++) {
    const tv_value *value = TV_VALUE(p, i);
    if (value->kind != TV_TOTAL || value->of != root->sums || !is_made_of(p, root->value, i))
      continue;
    if (most == NULL || tv_elements(p, value->shape) > tv_elements(p, most))
      most = value->shape;
  }
  return most;
}

static bool same_extents(const tv_program *p, const as_tile_stmt *one, const as_tile_stmt *other) {
  bool alike = one && other && one->n_lane == other->n_lane;
  for (uint32_t d = 0; alike && d < one->n_lane; d++)
    alike = tv_size(p, one->lane[d].extent) == tv_size(p, other->lane[d].extent);
  return alike;
}

/* Sums over one loop that have nothing in common are of one kernel where they have one shape: no
 * thread graph has results of several shapes, and a loop that reads its tiles again finds them in
 * the second-level cache. */
static bool sums_alike(const tv_builder *b, const tv_root *one, const tv_root *other) {
  return share_sum(b->p, one, other) ||
         same_extents(b->p, largest_sum(b->p, one), largest_sum(b->p, other));
}

/* tiles of the same extents are stored */
static bool stores_alike(const tv_builder *b, const tv_root *one, const tv_root *other) {
  if (!one->is_store || !other->is_store)
    return false;
  return same_extents(b->p, TV_STORE(b->p, one->number)->stmt, TV_STORE(b->p, other->number)->stmt);
}

static bool may_join(const tv_builder *b, const tv_kernel *k, uint32_t number, const uint32_t *grid,
                     uint32_t n) {
  const tv_root *root = TV_ROOT(b, number);
  if (k->sums != root->sums || k->n_grid != n ||
      (n && memcmp(k->grid, grid, n * sizeof *grid) != 0))
    return false;
  for (uint32_t i = 0; i < b->roots.n; i++) {
    if (k->roots >> i & 1 && (is_between(b, k->roots, number, i) || loads_own(b, number, i) ||
                              !(root->sums == AS_NONE ? stores_alike(b, root, TV_ROOT(b, i))
                                                      : sums_alike(b, root, TV_ROOT(b, i)))))
      return false;
  }
  return true;
}

bool tv_place_root(tv_builder *b, uint32_t number) {
  const tv_root *root = TV_ROOT(b, number);
  const as_tile_stmt *stmt =
      root->is_store ? TV_STORE(b->p, root->number)->stmt : TV_VALUE(b->p, root->value)->stmt;
  uint32_t grid[3];
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->p->loops.n; i++) { /* outer loops have smaller numbers */
    if ((root->loops >> i & 1) == 0)
      continue;
    if (n == 3)
      return tv_fail(b->p, stmt, "a kernel of more than three axes");
    grid[n++] = i;
  }
  for (uint32_t i = 0; i < b->n; i++) {
    if (may_join(b, &b->kernel[i], number, grid, n)) {
      b->kernel[i].roots |= UINT64_C(1) << number;
      find_all_needs(b);
      return true;
    }
  }
  tv_kernel *own = &b->kernel[b->n++];
  *own = (tv_kernel){.n_grid = n, .sums = root->sums, .roots = UINT64_C(1) << number};
  memcpy(own->grid, grid, n * sizeof *grid);
  return true;
}

bool tv_is_own(const tv_builder *b, bool is_store, uint32_t number) {
  uint32_t root = find_root(b, is_store, number);
  return root != AS_NONE && b->at->roots >> root & 1;
}

/* those that a kernel reads from come before it */
bool tv_order_kernel(tv_builder *b, uint32_t number) {
  tv_kernel *k = &b->kernel[number];
  uint64_t needs = 0;
  if (k->ordered)
    return true;
  if (k->visiting)
    return as_err_set(b->p->err, AS_BAD_INPUT, "kernels read each other's results");
  k->visiting = true;
  for (uint32_t i = 0; i < b->roots.n; i++)
    needs |= k->roots >> i & 1 ? TV_ROOT(b, i)->needs & ~k->roots : 0;
  for (uint32_t i = 0; i < b->n; i++) {
    if (b->kernel[i].roots & needs && !tv_order_kernel(b, i))
      return false;
  }
  k->ordered = true;
  b->order[b->n_order++] = number;
  return true;
}
