/* Tile programs as block graphs: each kernel with its stores, and the whole. */
#include "blocks_build.h"
#include "plain.h"
#include "src/base/str.h"
#include "src/base/trace.h"
#include "src/ir/graph_int.h"
#include <stdlib.h>
#include <string.h>

/* ---- names of what kernels store (malloc'ed) */
static char *fresh_name(const tv_builder *b, const char *base) {
  char *name = as_format("c_%s", base ? base : "sum");
  for (uint32_t i = 2; as_graph_find(b->graph, AS_NONE, name) != AS_NONE; i++) {
    free(name);
    name = as_format("c_%s_%u", base ? base : "sum", i);
  }
  return name;
}

/* what a result is called in the given program, or else one of its own where a tensor is stored
 * several times, or changed in place */
static char *name_of_store(const tv_builder *b, uint32_t number) {
  const tv_program *p = b->p;
  uint32_t tensor = TV_STORE(p, number)->stmt->tensor;
  for (uint32_t i = 0; i < p->given->n_output; i++) {
    if (p->result[i] == tensor && p->stored_by[tensor] == number)
      return as_strdup(p->given->node[p->given->output[i]].name);
  }
  const as_tile_tensor *of = &p->program->tensor[tensor];
  bool own = of->role == AS_TILE_SCRATCH && p->stored_by[tensor] == number &&
             as_size_find(b->graph->sizes, of->name) == AS_SIZE_BAD &&
             as_graph_find(b->graph, AS_NONE, of->name) == AS_NONE;
  return own ? as_strdup(of->name) : fresh_name(b, of->name);
}

/* ---- stores */
static bool store_root(tv_builder *b, const tv_root *root) {
  const tv_store *store = TV_STORE(b->p, root->number);
  tv_part part[AS_MAX_RANK];
  int map[4] = {-1, -1, -1, -1};
  as_node_id node = tv_make_value(b, root->value);
  if (node == AS_NONE)
    return false;
  if (!tv_place(b->p, store->stmt, part))
    return tv_fail(b->p, store->stmt, "not a tile of the loops around, lane by lane");
  for (uint32_t d = 0; d < store->stmt->n_place && node != AS_NONE; d++) {
    if (!part[d].has_lane)
      node = tv_apply(b, "expand_dims", node, AS_NONE, (int)d);
    if (!tv_map_part(b, &part[d], d, map))
      return tv_fail(b->p, store->stmt, "the loops divide the tensor in another order");
    if (!tv_divide(b, part[d].tile, d, map))
      return false;
  }
  if (node == AS_NONE)
    return false;
  char *name = name_of_store(b, root->number);
  node = as_graph_store(b->graph, b->block, name, node, map, b->p->err);
  free(name);
  b->stored[root->number] = node;
  return node != AS_NONE;
}

/* Along which axis the tiles of a value between kernels lie: one of the extent of other tiles along
 * that axis of the grid, the first where there is none. */
static int axis_for(const tv_builder *b, as_node_id id, int axis) {
  const as_node *node = &b->graph->node[id];
  for (uint32_t d = node->rank; d-- > 0;) {
    for (uint32_t i = 0; i < b->tiles[axis].n; i++) {
      if (b->tiles[axis].tile[i] == node->dim[d] && node->dim[d] != AS_SIZE_ONE)
        return (int)d;
    }
  }
  return 0;
}

static bool store_cut(tv_builder *b, const tv_root *root) {
  tv_cut *own = TV_CUT(b->p, root->value);
  const tv_value *value = TV_VALUE(b->p, root->value);
  int map[4] = {-1, -1, -1, -1};
  as_node_id node = tv_make_value(b, root->value);
  if (node == AS_NONE)
    return false;
  own->bare = b->graph->node[node].rank == 0 ? b->at->n_grid : 0;
  if (b->graph->node[node].rank == 0 && own->bare == 0)
    return tv_fail(b->p, value->stmt, "a number between two kernels");
  for (uint32_t i = 0; i < own->bare; i++) /* one for each block: an axis for each of the grid's */
    node = tv_apply(b, "expand_dims", node, AS_NONE, 0);
  if (node == AS_NONE)
    return false;
  for (uint32_t i = 0; i < TV_MOST_LOOPS; i++)
    own->axis[i] = -1;
  for (uint32_t i = 0; i < b->at->n_grid; i++) {
    map[i] = own->bare ? (int)i : axis_for(b, node, (int)i);
    own->axis[b->at->grid[i]] = map[i];
  }
  for (uint32_t d = 0; !b->again && d < b->graph->node[node].rank; d++)
    own->tile[d] = b->graph->node[node].dim[d];
  for (uint32_t d = 0; d < b->graph->node[node].rank; d++) {
    if (!tv_divide(b, own->tile[d], d, map))
      return false;
  }
  char *name = fresh_name(b, value->name);
  own->node = as_graph_store(b->graph, b->block, name, node, map, b->p->err);
  free(name);
  return own->node != AS_NONE;
}

static bool build_kernel(tv_builder *b, uint32_t number) {
  tv_kernel *k = &b->kernel[number];
  as_size grid[3] = {AS_SIZE_ONE, AS_SIZE_ONE, AS_SIZE_ONE};
  b->at = k;
  for (uint32_t i = 0; i < TV_MOST_LOOPS; i++)
    b->axis_of[i] = -1;
  for (uint32_t i = 0; i < k->n_grid; i++) {
    grid[i] = tv_substituted(b, TV_LOOP(b->p, k->grid[i])->count);
    b->axis_of[k->grid[i]] = (int)i;
  }
  if (k->divided)
    grid[k->n_grid] = k->to[0];
  for (int i = 0; i < 4; i++)
    b->tiles[i].n = 0;
  bool looped = k->sums != AS_NONE;
  as_size loop = looped ? tv_substituted(b, TV_LOOP(b->p, k->sums)->count) : AS_SIZE_ONE;
  char *name = as_format("k%u", b->graph->n_block);
  b->block = as_graph_block(b->graph, name, grid, loop, looped);
  free(name);
  as_vec_init(&b->made, sizeof(tv_made));
  as_vec_init(&b->shifts, sizeof(tv_shift));
  bool ok = true;
  for (uint32_t i = 0; ok && i < b->roots.n; i++) {
    const tv_root *root = TV_ROOT(b, i);
    if (k->roots >> i & 1)
      ok = root->is_store ? store_root(b, root) : store_cut(b, root);
  }
  as_vec_clear(&b->made);
  as_vec_clear(&b->shifts);
  if (ok && !b->again) {
    tv_find_other_tiles(b, k);
    tv_find_division(b, k);
  }
  return ok;
}

/* ---- the whole */

/* a relation of the program's sizes alone is the program's */
static bool is_about_own(const tv_builder *b, as_size size) {
  for (uint32_t i = 0; i < b->graph->n_own_size; i++) {
    if (as_size_mentions(b->graph->sizes, size, b->graph->own_size[i]))
      return true;
  }
  return false;
}

static bool add_sizes(tv_builder *b) {
  const as_graph *from = b->p->program->sizes;
  as_sizes *sizes = b->graph->sizes;
  for (uint32_t i = 0; i < from->n_own_size; i++) {
    as_size size = from->own_size[i];
    const char *name = as_size_name(sizes, size);
    if (as_names_get(b->p->given, AS_SCOPE_SIZE, name) == AS_NONE && tv_tied(b->p, size) == size &&
        !as_graph_declare(b->graph, name, as_size_least(sizes, size), as_size_value(sizes, size),
                          NULL, b->p->err))
      return false;
  }
  for (uint32_t i = 0; i < from->n_fact; i++) {
    const as_size_fact *fact = &from->fact[i];
    if ((is_about_own(b, fact->lhs) || is_about_own(b, fact->rhs)) &&
        !as_graph_where(b->graph, fact->lhs, fact->rel, fact->rhs, b->p->err))
      return false;
  }
  return true;
}

static bool build(tv_builder *b) {
  b->graph = as_graph_new(b->p->given->sizes, b->p->given->lib, b->p->given, b->p->program->name);
  if (!add_sizes(b))
    return false;
  for (uint32_t i = 0; b->again && i < b->n; i++) {
    if (tv_is_retiled(&b->kernel[i]) && !tv_declare_others(b, &b->kernel[i]))
      return false;
  }
  for (uint32_t i = 0; i < b->p->stores.n; i++)
    b->stored[i] = AS_NONE;
  for (uint32_t i = 0; i < b->p->cuts.n; i++)
    TV_CUT(b->p, i)->node = AS_NONE;
  for (uint32_t i = 0; i < b->n_order; i++) {
    if (!build_kernel(b, b->order[i]))
      return false;
  }
  const as_graph *given = b->p->given;
  for (uint32_t i = 0; i < given->n_output; i++) {
    const char *name = given->node[given->output[i]].name;
    as_node_id node = as_graph_find(b->graph, AS_NONE, name);
    if (node == AS_NONE)
      return as_err_set(b->p->err, AS_BAD_INPUT, "no kernel makes `%s`", name);
    if (!as_graph_output(b->graph, node, b->p->err))
      return false;
  }
  return as_graph_valid(b->graph, b->p->err);
}

/* once as the text is, and again where tiles may be of other tv_extents */
static bool build_both(tv_builder *b) {
  if (!build(b))
    return false;
  for (uint32_t i = 0; i < b->n && !b->again; i++)
    b->again = tv_is_retiled(&b->kernel[i]);
  if (!b->again)
    return true;
  as_graph_free(b->graph);
  return build(b);
}

/* are tiles made element by element, or masked? */
static bool is_by_element(as_tile_stmt *const *body, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const as_tile_stmt *stmt = body[i];
    bool makes = stmt->value && stmt->value->text->kind != AS_E_NUM;
    if (makes || stmt->mask || is_by_element(stmt->body, stmt->n_body))
      return true;
  }
  return false;
}

/* The program; one of operators where its tiles are made element by element, which is said.  NULL
 * with err. */
static as_tile_program *read_program(const char *text, const as_graph *given, as_oplib *lib,
                                     bool *rewritten, as_err *err) {
  as_tile_program *program = as_tile_parse("tile", text, strlen(text), given->sizes, lib, err);
  *rewritten = program && is_by_element(program->body, program->n_body);
  if (!*rewritten)
    return program;
  char *plain = as_tile_plain(program, given, err);
  as_tile_free(program);
  if (plain)
    AS_TRACE(SEARCH, "as operators\n%s", plain);
  program = plain ? as_tile_parse("tile", plain, strlen(plain), given->sizes, lib, err) : NULL;
  free(plain);
  return program;
}

char *as_tile_blocks(const char *text, const as_graph *given, as_oplib *lib,
                     const as_tile_blocks_how *how, as_err *err) {
  tv_program p = {.how = how, .err = err, .given = as_graph_copy(given)};
  p.given->sizes = as_sizes_copy(given->sizes);
  as_tile_program *program = read_program(text, p.given, lib, &p.rewritten, err);
  p.program = program;
  tv_builder b = {.p = &p};
  as_vec_init(&b.roots, sizeof(tv_root));
  bool ok = program && tv_read(&p) && tv_plan(&p, &b.roots);
  b.kernel = as_calloc(b.roots.n + 1, sizeof *b.kernel);
  b.order = as_calloc(b.roots.n + 1, sizeof *b.order);
  b.stored = as_calloc(p.stores.n + 1, sizeof *b.stored);
  ok = ok && tv_find_needs(&b);
  for (uint32_t i = 0; ok && i < b.roots.n; i++)
    ok = tv_place_root(&b, i);
  for (uint32_t i = 0; ok && i < b.n; i++)
    ok = tv_order_kernel(&b, i);
  ok = ok && build_both(&b);
  char *out = ok ? as_print_mug(b.graph) : NULL;
  as_graph_free(b.graph);
  free(b.kernel);
  free(b.order);
  free(b.stored);
  as_vec_clear(&b.roots);
  tv_clear(&p);
  as_tile_free(program);
  as_sizes *sizes = p.given->sizes;
  as_graph_free(p.given);
  as_sizes_free(sizes);
  return out;
}
