/* Building nodes, with the rules of semantics/SEMANTICS.md sections 2 and 3. */
#include "graph_int.h"
#include "src/base/id.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool bad_input(as_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool bad_input(as_err *err, const char *fmt, ...) {
  char text[512];
  va_list args;
  va_start(args, fmt);
  int n = vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  return as_err_set(err, n < 0 ? AS_INTERNAL : AS_BAD_INPUT, "%s", text);
}

static const char *name_of(const as_graph *graph, as_node_id node) {
  return graph->node[node].name ? graph->node[node].name : "a constant";
}

static bool differ(const as_graph *graph, as_err *err, const char *what, as_size a, as_size b) {
  char *x = as_size_print(graph->sizes, a);
  char *y = as_size_print(graph->sizes, b);
  bad_input(err, "%s: extents `%s` and `%s` differ, and no `where` relation makes them equal", what,
            x, y);
  free(x);
  free(y);
  return false;
}

/* --- nodes */
static as_node_id push_node(as_graph *graph, as_node_kind kind, uint32_t block, const char *name,
                            as_err *err) {
  as_graph_mem *mem = as_gm(graph);
  uint32_t scope = kind == AS_N_STORE ? AS_NONE : block;
  if (name && (as_name_taken(graph, scope, name) || as_names_get(graph, block, name) != AS_NONE)) {
    bad_input(err, "`%s` is already defined", name);
    return AS_NONE;
  }
  as_grow(&graph->node, &mem->node_cap, graph->n, sizeof *graph->node);
  as_node_id id = graph->n++;
  as_node *node = &graph->node[id];
  memset(node, 0, sizeof *node);
  node->kind = kind;
  node->block = block;
  for (int i = 0; i < 4; i++)
    node->map[i] = -1;
  mpq_init(node->value);
  for (uint32_t k = 0; k < AS_MAX_ATTRS; k++)
    as_attr_init(&node->attr[k]);
  node->size = AS_SIZE_BAD;
  if (kind == AS_N_CONST || kind == AS_N_SIZE)
    return id;
  char fresh[24];
  node->is_named = name != NULL;
  if (name == NULL) {
    do
      snprintf(fresh, sizeof fresh, "t%u", ++mem->fresh);
    while (as_name_taken(graph, scope, fresh) ||
           as_names_get(graph, AS_SCOPE_TAKEN, fresh) != AS_NONE ||
           (graph->program && as_names_get(graph->program, AS_NONE, fresh) != AS_NONE));
    name = fresh;
  }
  node->name = as_names_put(graph, scope, name, id);
  return id;
}

static void to_block(as_graph *graph, uint32_t block, as_node_id id) {
  as_block *kernel = &graph->block[block];
  if ((kernel->n & (kernel->n - 1)) == 0)
    kernel->nodes =
        as_realloc(kernel->nodes, (kernel->n ? 2 * kernel->n : 1) * sizeof *kernel->nodes);
  kernel->nodes[kernel->n++] = id;
}

static void to_order(as_graph *graph, as_node_id id) {
  as_grow(&graph->order, &as_gm(graph)->order_cap, graph->n_order, sizeof *graph->order);
  graph->order[graph->n_order++] = id;
}

as_node_id as_graph_input(as_graph *graph, const char *name, as_dtype t, const as_size *dim,
                          uint32_t rank, as_err *err) {
  if (rank > AS_MAX_RANK) {
    bad_input(err, "`%s` has more than %d axes", name, AS_MAX_RANK);
    return AS_NONE;
  }
  as_node_id id = push_node(graph, AS_N_INPUT, AS_NONE, name, err);
  if (id == AS_NONE)
    return id;
  as_node *node = &graph->node[id];
  node->dtype = t;
  node->rank = rank;
  if (rank)
    memcpy(node->dim, dim, rank * sizeof *dim);
  as_grow(&graph->input, &as_gm(graph)->input_cap, graph->n_input, sizeof *graph->input);
  graph->input[graph->n_input++] = id;
  return id;
}

as_node_id as_graph_const(as_graph *graph, const mpq_t value) {
  char *text = mpq_get_str(NULL, 10, value);
  char *key = as_format("=%s", text); /* no name starts so */
  free(text);
  as_node_id id = as_names_get(graph, AS_NONE, key);
  if (id == AS_NONE) {
    id = push_node(graph, AS_N_CONST, AS_NONE, NULL, NULL);
    mpq_set(graph->node[id].value, value);
    graph->node[id].dtype = AS_F32;
    as_names_put(graph, AS_NONE, key, id);
  }
  free(key);
  return id;
}

as_node_id as_graph_size_const(as_graph *graph, as_size size) {
  long v;
  if (as_size_is_const(graph->sizes, size, &v)) {
    mpq_t value;
    mpq_init(value);
    mpq_set_si(value, v, 1);
    as_node_id c = as_graph_const(graph, value);
    mpq_clear(value);
    return c;
  }
  if (size == AS_SIZE_BAD)
    return AS_NONE;
  for (uint32_t i = 0; i < as_size_nmono(graph->sizes, size); i++) {
    as_size_mono mono = as_size_get_mono(graph->sizes, size, i);
    for (uint32_t k = 0; k < mono.n; k++) {
      if (!as_size_is_sym(graph->sizes, mono.atom[k]))
        return AS_NONE;
    }
  }
  char *key = as_format("=#%u", size);
  as_node_id id = as_names_get(graph, AS_NONE, key);
  if (id == AS_NONE) {
    id = push_node(graph, AS_N_SIZE, AS_NONE, NULL, NULL);
    graph->node[id].size = size;
    graph->node[id].dtype = AS_F32;
    as_names_put(graph, AS_NONE, key, id);
  }
  free(key);
  return id;
}

bool as_graph_is_output(const as_graph *graph, as_node_id id) {
  return as_id_among(graph->output, graph->n_output, id);
}

const as_graph *as_graph_given(const as_graph *graph) {
  while (graph->program)
    graph = graph->program;
  return graph;
}

bool as_graph_is_number(const as_node *node) {
  return node->kind == AS_N_CONST || node->kind == AS_N_SIZE;
}

as_node_id as_graph_copy_number(as_graph *graph, const as_node *number) {
  return number->kind == AS_N_SIZE ? as_graph_size_const(graph, number->size)
                                   : as_graph_const(graph, number->value);
}

uint32_t as_graph_block(as_graph *graph, const char *name, const as_size grid[3], as_size loop,
                        bool has_loop) {
  as_grow(&graph->block, &as_gm(graph)->block_cap, graph->n_block, sizeof *graph->block);
  as_block *block = &graph->block[graph->n_block];
  *block = (as_block){.name = as_arena_strdup(as_gm(graph)->arena, name),
                      .loop = has_loop ? loop : AS_SIZE_ONE,
                      .has_loop = has_loop};
  memcpy(block->grid, grid, sizeof block->grid);
  return graph->n_block++;
}

/* --- operators */
static bool reachable(const as_graph *graph, uint32_t block, as_node_id a, as_err *err) {
  if (a >= graph->n)
    return as_err_set(err, AS_INTERNAL, "node %u does not exist", a);
  const as_node *node = &graph->node[a];
  if (as_node_is_number(node))
    return true;
  uint32_t level = node->kind == AS_N_STORE ? AS_NONE : node->block;
  if (level == block)
    return true;
  return bad_input(err,
                   "`%s` belongs to another level: a block graph reads tensors through `load` only",
                   node->name);
}

/* flags of a node that reads `arg`; false when it would read both a final value and one that
 * changes with the loop */
static bool flags(const as_graph *graph, const as_node_id *arg, uint32_t nargs, as_node *out,
                  as_err *err) {
  as_node_id late = AS_NONE;
  as_node_id moving = AS_NONE;
  for (uint32_t i = 0; i < nargs; i++) {
    const as_node *node = &graph->node[arg[i]];
    if (node->after)
      late = arg[i];
    if (node->varying)
      moving = arg[i];
    out->reads_run = out->reads_run || node->reads_run;
  }
  out->after = late != AS_NONE;
  out->varying = moving != AS_NONE;
  if (late != AS_NONE && moving != AS_NONE) {
    return bad_input(err, "reads both the final value `%s` and `%s`, which changes with the loop",
                     name_of(graph, late), name_of(graph, moving));
  }
  return true;
}

/* the message where an operator's fact never holds, or not at the concrete sizes; false */
static bool violates(const as_graph *graph, const as_opdef *op, const as_size_fact *fact,
                     const char *why, as_err *err) {
  static const char *const relation[] = {"=", "!=", "<=", "<"};
  char *left = as_size_print(graph->sizes, fact->lhs);
  char *right = as_size_print(graph->sizes, fact->rhs);
  if (why)
    bad_input(err, "`%s` requires `%s %s %s`, which %s", op->name, left, relation[fact->rel], right,
              why);
  else if (fact->rel == AS_REL_EQ)
    bad_input(err, "`%s`: extents differ: %s and %s", op->name, left, right);
  else
    bad_input(err, "`%s` requires %s %s %s", op->name, left, relation[fact->rel], right);
  free(left);
  free(right);
  return false;
}

static bool same_extents(const as_graph *graph, const as_opdef *op, const as_size_fact *fact,
                         as_err *err) {
  if (as_graph_same_size(graph, fact->lhs, fact->rhs))
    return true;
  char *what = as_format("`%s`", op->name);
  bool same = differ(graph, err, what, fact->lhs, fact->rhs);
  free(what);
  return same;
}

/* whether the concrete sizes, where there are any, satisfy a fact that is no equation */
static bool holds_concretely(const as_graph *graph, const as_size_fact *fact) {
  int64_t left;
  int64_t right;
  if (graph->program || !as_graph_concrete(graph, fact->lhs, &left) ||
      !as_graph_concrete(graph, fact->rhs, &right))
    return true;
  return fact->rel == AS_REL_NE   ? left != right
         : fact->rel == AS_REL_LE ? left <= right
                                  : left < right;
}

static bool obligation(const as_graph *graph, const as_opdef *op, const as_size_fact *fact,
                       as_err *err) {
  if (as_size_is_const(graph->sizes, fact->lhs, NULL) &&
      as_size_is_const(graph->sizes, fact->rhs, NULL)) /* false, or it would not be here */
    return violates(graph, op, fact, NULL, err);
  if (fact->rel == AS_REL_EQ)
    return same_extents(graph, op, fact, err);
  if (as_graph_decide(graph, fact->lhs, fact->rel, fact->rhs) == AS_FAILS)
    return violates(graph, op, fact, "never holds", err);
  return holds_concretely(graph, fact) ||
         violates(graph, op, fact, "the concrete sizes do not satisfy", err);
}

static bool obligations(const as_graph *graph, const as_opdef *op, const as_vec *facts,
                        as_err *err) {
  for (size_t i = 0; i < facts->n && !graph->open; i++) {
    if (!obligation(graph, op, &AS_VEC_AT(facts, as_size_fact, i), err))
      return false;
  }
  return true;
}

static bool shape(as_graph *graph, const as_opdef *op, const as_node_id *arg, uint32_t nargs,
                  const as_attr *attr, as_size *dim, uint32_t *rank, as_err *err) {
  as_size argdim[AS_MAX_ARGS][8];
  uint32_t argrank[AS_MAX_ARGS];
  for (uint32_t i = 0; i < nargs; i++) {
    memcpy(argdim[i], graph->node[arg[i]].dim, sizeof argdim[i]);
    argrank[i] = graph->node[arg[i]].rank;
  }
  as_match match;
  as_vec facts;
  as_vec_init(&facts, sizeof(as_size_fact));
  bool ok = as_opdef_match(graph->sizes, op, argdim, argrank, nargs, attr, &match, dim, rank,
                           &facts, err) &&
            obligations(graph, op, &facts, err);
  as_vec_clear(&facts);
  for (uint32_t i = 0; ok && !graph->open && i < *rank; i++) {
    if (as_graph_decide(graph, 0, AS_REL_LE, dim[i]) == AS_FAILS)
      ok = bad_input(err, "`%s` gives a negative extent", op->name);
  }
  return ok;
}

as_node_id as_graph_op(as_graph *graph, uint32_t block, const char *name, const as_opdef *op,
                       const as_node_id *arg, uint32_t nargs, const as_attr *attr, as_err *err) {
  as_node tmp = {0};
  if (nargs > AS_MAX_ARGS || nargs != op->nargs) {
    bad_input(err, "`%s` takes %u tensor%s, not %u", op->name, op->nargs, op->nargs == 1 ? "" : "s",
              nargs);
    return AS_NONE;
  }
  for (uint32_t i = 0; i < nargs; i++) {
    if (!reachable(graph, block, arg[i], err))
      return AS_NONE;
  }
  if (block != AS_NONE && !flags(graph, arg, nargs, &tmp, err))
    return AS_NONE;
  if (!shape(graph, op, arg, nargs, attr, tmp.dim, &tmp.rank, err)) {
    if (err && err->status == AS_NO && !graph->open)
      err->status = AS_BAD_INPUT; /* only of a rule is it a finding */
    return AS_NONE;
  }
  as_node_id id = push_node(graph, AS_N_OP, block, name, err);
  if (id == AS_NONE)
    return id;
  as_node *node = &graph->node[id];
  node->op = op;
  node->nargs = nargs;
  node->rank = tmp.rank;
  memcpy(node->dim, tmp.dim, sizeof node->dim);
  node->varying = tmp.varying;
  node->after = tmp.after;
  node->reads_run = tmp.reads_run;
  bool typed = false; /* by the first argument that is neither a number nor of integers */
  bool integers = false;
  node->dtype = as_graph_type(graph);
  for (uint32_t i = 0; i < nargs; i++) {
    const as_node *from = &graph->node[arg[i]];
    node->arg[i] = arg[i];
    if (typed || as_node_is_number(from))
      continue;
    integers |= from->dtype == AS_INT;
    typed = from->dtype != AS_INT;
    if (typed)
      node->dtype = from->dtype;
  }
  if (integers && !typed)
    node->dtype = AS_INT;
  for (uint32_t i = 0; i < op->nattrs; i++) {
    as_attr_set(&node->attr[i], &attr[i]);
    if (attr[i].is_size || mpz_cmp_ui(mpq_denref(attr[i].num), 1) != 0 ||
        !mpz_fits_slong_p(mpq_numref(attr[i].num)))
      continue;
    node->attr[i].is_size = true; /* an integer has one form */
    node->attr[i].size = as_size_int(graph->sizes, mpz_get_si(mpq_numref(attr[i].num)));
  }
  if (block == AS_NONE)
    to_order(graph, id);
  else
    to_block(graph, block, id);
  return id;
}

/* --- block level */
static as_size extent(const as_block *block, int axis) {
  return axis < 3 ? block->grid[axis] : block->loop;
}

static void set_map(as_node *node, const as_block *block, const int map[4]) {
  for (int x = 0; x < 4; x++)
    node->map[x] = x < 3 && block->grid[x] == AS_SIZE_ONE ? -1 : map[x];
}

static bool map_ok(const as_block *block, const int map[4], uint32_t rank, const char *name,
                   as_err *err) {
  for (int x = 0; x < 4; x++) {
    if (map[x] < 0)
      continue;
    if ((uint32_t)map[x] >= rank)
      return bad_input(err, "`%s`: there is no axis %d", name, map[x]);
    if (x == 3 ? !block->has_loop : block->grid[x] == AS_SIZE_ONE && !block->one[x]) {
      return bad_input(err,
                       x == 3 ? "`%s`: the kernel has no loop"
                              : "`%s`: the grid has no axis %c (of extent other than 1)",
                       name, "xyz "[x]);
    }
  }
  return true;
}

/* --- tiles that are cut off */
static const char *const index_name[] = {"$x", "$y", "$z", "$l"}; /* no file can spell them */

as_size as_graph_find_block_index(const as_sizes *sizes, int axis) {
  return as_size_find(sizes, index_name[axis]);
}

as_size as_graph_block_index(as_sizes *sizes, int axis) {
  as_size index = as_graph_find_block_index(sizes, axis);
  if (index != AS_SIZE_BAD)
    return index;
  index = as_size_sym(sizes, index_name[axis]);
  as_size_set_least(sizes, index, 0);
  as_size_set_value(sizes, index, 0);
  return index;
}

bool as_graph_depends_on_index(const as_graph *graph, as_size extent, int axis) {
  as_size index = as_graph_find_block_index(graph->sizes, axis);
  return index != AS_SIZE_BAD && extent != AS_SIZE_BAD &&
         as_size_mentions(graph->sizes, extent, index);
}

enum { BLOCK_AXES = 4 }; /* three of the grid, and the iteration */

/* the indices of blocks and iterations that sizes speak of; how many there are */
static uint32_t block_indices(const as_sizes *sizes, as_size index[BLOCK_AXES]) {
  uint32_t n = 0;
  for (int axis = 0; axis < BLOCK_AXES; axis++) {
    as_size found = as_graph_find_block_index(sizes, axis);
    if (found != AS_SIZE_BAD)
      index[n++] = found;
  }
  return n;
}

static bool mentions_any(const as_sizes *sizes, as_size extent, const as_size *index, uint32_t n) {
  bool mentioned = false;
  for (uint32_t i = 0; i < n && extent != AS_SIZE_BAD && !mentioned; i++)
    mentioned = as_size_mentions(sizes, extent, index[i]);
  return mentioned;
}

bool as_graph_is_cut(const as_graph *graph, as_size extent) {
  as_size index[BLOCK_AXES];
  uint32_t n = block_indices(graph->sizes, index);
  return mentions_any(graph->sizes, extent, index, n);
}

bool as_graph_has_cut_tiles(const as_graph *graph, const as_block *block) {
  as_size index[BLOCK_AXES];
  uint32_t n = block_indices(graph->sizes, index);
  for (uint32_t i = 0; i < block->n && n > 0; i++) {
    const as_node *node = &graph->node[block->nodes[i]];
    for (uint32_t d = 0; d < node->rank; d++) {
      if (mentions_any(graph->sizes, node->dim[d], index, n))
        return true;
    }
  }
  return false;
}

as_node_id as_graph_cut_load(const as_graph *graph) {
  for (as_node_id id = 0; id < graph->n; id++) {
    for (uint32_t d = 0; graph->node[id].kind == AS_N_LOAD && d < graph->node[id].rank; d++) {
      if (graph->node[id].upto[d] != AS_SIZE_BAD)
        return id;
    }
  }
  return AS_NONE;
}

typedef struct {
  as_size number; /* of the tile of a block and iteration, along one axis */
  as_size count;  /* of all tiles */
} tile_place;

static tile_place place_along(const as_graph *graph, const as_block *block, const int map[4],
                              uint32_t d) {
  as_sizes *sizes = graph->sizes;
  tile_place place = {0, AS_SIZE_ONE};
  for (int axis = 0; axis < 4; axis++) {
    if (map[axis] != (int)d)
      continue;
    place.number = as_size_add(sizes, as_size_mul(sizes, place.number, extent(block, axis)),
                               as_graph_block_index(sizes, axis));
    place.count = as_size_mul(sizes, place.count, extent(block, axis));
  }
  return place;
}

/* the extent of the tile at that place, of those of extent `tile` that cover `whole`; AS_SIZE_BAD
 * with err if nothing says that they do, none of them empty */
static as_size cut_extent(as_graph *graph, const char *shown, as_size tile, as_size whole,
                          tile_place place, as_err *err) {
  as_sizes *sizes = graph->sizes;
  as_size most = as_size_sub(sizes, as_size_add(sizes, whole, tile), AS_SIZE_ONE);
  as_size count = as_size_div(sizes, most, tile);
  if (!as_graph_same_size(graph, place.count, count)) {
    char *needed = as_size_print(sizes, count);
    bad_input(err, "`%s`: no `where` relation makes the number of tiles `%s`", shown,
              needed ? needed : "that covers the tensor");
    free(needed);
    return AS_SIZE_BAD;
  }
  as_size before = as_size_mul(sizes, place.number, tile);
  return as_size_min(sizes, tile, as_size_sub(sizes, whole, before));
}

static void set_tile(as_node *node, const as_size *tile, const as_size *upto) {
  for (uint32_t d = 0; d < AS_MAX_RANK; d++) {
    bool cut = upto != NULL && d < node->rank && upto[d] != AS_SIZE_BAD;
    node->tile[d] = cut ? tile[d] : AS_SIZE_BAD;
    node->upto[d] = cut ? upto[d] : AS_SIZE_BAD;
  }
}

as_node_id as_graph_load(as_graph *graph, uint32_t block, const char *name, as_node_id from,
                         const as_size *tile, const int map[4], as_err *err) {
  return as_graph_load_upto(graph, block, name, from, tile, NULL, map, err);
}

/* the extents of the tiles of a tensor, along each of its axes */
static bool loaded_extents(as_graph *graph, uint32_t block, const char *shown,
                           const as_node *source, const as_size *tile, const as_size *upto,
                           const int map[4], as_size *dim, as_err *err) {
  for (uint32_t d = 0; d < source->rank; d++) {
    bool cut = upto != NULL && upto[d] != AS_SIZE_BAD;
    tile_place place = place_along(graph, &graph->block[block], map, d);
    as_size whole = cut ? upto[d] : as_size_mul(graph->sizes, place.count, tile[d]);
    if (!as_graph_same_size(graph, whole, source->dim[d])) {
      char *what = as_format("`%s`, axis %u of `%s` and its tiles", shown, d, source->name);
      differ(graph, err, what, source->dim[d], whole);
      free(what);
      return false;
    }
    dim[d] = cut ? cut_extent(graph, shown, tile[d], whole, place, err) : tile[d];
    if (dim[d] == AS_SIZE_BAD)
      return false;
  }
  return true;
}

as_node_id as_graph_load_upto(as_graph *graph, uint32_t block, const char *name, as_node_id from,
                              const as_size *tile, const as_size *upto, const int map[4],
                              as_err *err) {
  const as_block *kernel = &graph->block[block];
  const char *shown = name ? name : "load";
  if (!reachable(graph, AS_NONE, from, err))
    return AS_NONE;
  if (as_node_is_number(&graph->node[from])) {
    bad_input(err, "`%s`: a constant needs no load", shown);
    return AS_NONE;
  }
  if (graph->node[from].kind == AS_N_STORE && graph->node[from].block == block) {
    bad_input(err, "`%s`: a kernel cannot load what it stores itself", shown);
    return AS_NONE;
  }
  uint32_t rank = graph->node[from].rank;
  if (!map_ok(kernel, map, rank, shown, err))
    return AS_NONE;
  as_size dim[AS_MAX_RANK];
  if (!loaded_extents(graph, block, shown, &graph->node[from], tile, upto, map, dim, err))
    return AS_NONE;
  as_node_id id = push_node(graph, AS_N_LOAD, block, name, err);
  if (id == AS_NONE)
    return id;
  as_node *node = &graph->node[id];
  node->nargs = 1;
  node->arg[0] = from;
  node->rank = rank;
  node->dtype = graph->node[from].dtype;
  if (rank)
    memcpy(node->dim, dim, rank * sizeof *dim);
  set_tile(node, tile, upto);
  set_map(node, &graph->block[block], map);
  node->varying = map[3] >= 0;
  to_block(graph, block, id);
  return id;
}

static bool rescale_ok(const as_graph *graph, as_node_id of, as_node_id run, uint32_t block,
                       as_err *err) {
  if (run >= graph->n || graph->node[run].kind != AS_N_RUN || graph->node[run].block != block)
    return bad_input(err, "`rescale` names a running maximum of the same kernel");
  const as_node *m = &graph->node[run];
  const as_node *t = &graph->node[of];
  if (m->rank > t->rank) {
    return bad_input(err, "the running maximum `%s` has more axes than `%s`", m->name,
                     name_of(graph, of));
  }
  for (uint32_t i = 0; i < m->rank; i++) {
    if (!as_graph_same_size(graph, m->dim[i], t->dim[i]))
      return differ(graph, err, "rescale", m->dim[i], t->dim[i]);
  }
  return true;
}

as_node_id as_graph_acc(as_graph *graph, uint32_t block, const char *name, as_acc_kind kind,
                        as_node_id of, as_node_id run, int axis, as_err *err) {
  if (!reachable(graph, block, of, err))
    return AS_NONE;
  as_node t = graph->node[of]; /* its numbers are borrowed, not owned */
  if (!graph->block[block].has_loop) {
    bad_input(err, "an accumulator needs a loop");
    return AS_NONE;
  }
  if (as_node_is_number(&t)) {
    bad_input(err, "an accumulator of a constant");
    return AS_NONE;
  }
  if (t.after) {
    bad_input(err, "an accumulator's argument must not depend on a final value, as `%s` does",
              t.name);
    return AS_NONE;
  }
  for (uint32_t d = 0; d < t.rank; d++) {
    if (as_graph_depends_on_index(graph, t.dim[d], 3)) {
      bad_input(err, "`%s` has another extent in each iteration along axis %u", t.name, d);
      return AS_NONE;
    }
  }
  as_acc_operand operand = as_acc_rows[kind].operand;
  if (operand == AS_ACC_BY_MAXIMUM && !rescale_ok(graph, of, run, block, err))
    return AS_NONE;
  bool along_axis = operand == AS_ACC_ALONG_AXIS;
  if (along_axis && (axis < 0 || (uint32_t)axis >= t.rank)) {
    bad_input(err, "`%s` has no axis %d", t.name, axis);
    return AS_NONE;
  }
  as_size whole = along_axis ? as_size_mul(graph->sizes, graph->block[block].loop, t.dim[axis]) : 0;
  if (whole == AS_SIZE_BAD) {
    bad_input(err, "a size beyond 63 bits");
    return AS_NONE;
  }
  as_node_id id = push_node(graph, AS_N_ACC, block, name, err);
  if (id == AS_NONE)
    return id;
  as_node *node = &graph->node[id];
  node->acc = kind;
  node->axis = axis;
  node->nargs = operand == AS_ACC_BY_MAXIMUM ? 2 : 1;
  node->arg[0] = of;
  node->arg[1] = operand == AS_ACC_BY_MAXIMUM ? run : 0;
  node->rank = t.rank;
  node->dtype = t.dtype;
  memcpy(node->dim, t.dim, sizeof node->dim);
  if (along_axis)
    node->dim[axis] = whole;
  node->after = true;
  to_block(graph, block, id);
  return id;
}

as_node_id as_graph_run(as_graph *graph, uint32_t block, const char *name, as_node_id acc_max,
                        as_err *err) {
  if (!reachable(graph, block, acc_max, err))
    return AS_NONE;
  const as_node *node = &graph->node[acc_max];
  if (node->kind != AS_N_ACC || !as_acc_rows[node->acc].has_running_value) {
    bad_input(err, "only a `max` accumulator has a running value");
    return AS_NONE;
  }
  if (graph->node[node->arg[0]].reads_run) {
    bad_input(err, "the argument of `%s` reads a running value itself", node->name);
    return AS_NONE;
  }
  for (uint32_t i = 0; i < graph->block[block].n; i++) {
    const as_node *o = &graph->node[graph->block[block].nodes[i]];
    if (o->kind == AS_N_RUN && o->arg[0] == acc_max) {
      bad_input(err, "`%s` already has a running value, `%s`", node->name, o->name);
      return AS_NONE;
    }
  }
  as_node_id id = push_node(graph, AS_N_RUN, block, name, err);
  if (id == AS_NONE)
    return id;
  as_node *n = &graph->node[id];
  node = &graph->node[acc_max];
  n->nargs = 1;
  n->arg[0] = acc_max;
  n->rank = node->rank;
  n->dtype = node->dtype;
  memcpy(n->dim, node->dim, sizeof n->dim);
  n->varying = n->reads_run = true;
  to_block(graph, block, id);
  return id;
}

as_node_id as_graph_store(as_graph *graph, uint32_t block, const char *name, as_node_id of,
                          const int map[4], as_err *err) {
  return as_graph_store_upto(graph, block, name, of, NULL, NULL, map, err);
}

/* dim, the extents of the tile that is stored, become those of the tensor that all of them make */
static bool stored_extents(as_graph *graph, uint32_t block, const char *shown, const as_size *tile,
                           const as_size *upto, const int map[4], as_size *dim, uint32_t rank,
                           as_err *err) {
  for (uint32_t d = 0; d < rank; d++) {
    bool cut = upto != NULL && upto[d] != AS_SIZE_BAD;
    tile_place place = place_along(graph, &graph->block[block], map, d);
    if (!cut) {
      dim[d] = as_size_mul(graph->sizes, place.count, dim[d]);
      if (dim[d] == AS_SIZE_BAD)
        return bad_input(err, "`%s`: a size beyond 63 bits", shown);
      continue;
    }
    uint32_t on_grid = 0;
    for (int axis = 0; axis < 3; axis++)
      on_grid += map[axis] == (int)d;
    if (on_grid != 1)
      return bad_input(err, "`%s`: a tile is cut off along an axis that one grid axis divides",
                       shown);
    as_size needed = cut_extent(graph, shown, tile[d], upto[d], place, err);
    if (needed == AS_SIZE_BAD)
      return false;
    if (!as_graph_same_size(graph, needed, dim[d])) {
      char *what = as_format("`%s`, axis %u of the tile and of what is stored", shown, d);
      differ(graph, err, what, dim[d], needed);
      free(what);
      return false;
    }
    dim[d] = upto[d];
  }
  return true;
}

as_node_id as_graph_store_upto(as_graph *graph, uint32_t block, const char *name, as_node_id of,
                               const as_size *tile, const as_size *upto, const int map[4],
                               as_err *err) {
  const as_block *kernel = &graph->block[block];
  const char *shown = name ? name : "store";
  if (!reachable(graph, block, of, err))
    return AS_NONE;
  as_node t = graph->node[of]; /* its numbers are borrowed, not owned */
  if (as_node_is_number(&t)) {
    bad_input(err, "`%s`: a constant cannot be stored", shown);
    return AS_NONE;
  }
  if (t.varying) {
    bad_input(err, "`%s`: `%s` changes with the loop and cannot be stored; accumulate it", shown,
              t.name);
    return AS_NONE;
  }
  if (map[3] >= 0) {
    bad_input(err, "`%s`: a store is not mapped to the loop", shown);
    return AS_NONE;
  }
  if (!map_ok(kernel, map, t.rank, shown, err))
    return AS_NONE;
  for (int x = 0; x < 3; x++) {
    if (kernel->grid[x] == AS_SIZE_ONE && !kernel->one[x])
      continue;
    if (map[x] < 0) {
      bad_input(err, "`%s` would be written more than once: grid axis %c is not mapped", shown,
                "xyz"[x]);
      return AS_NONE;
    }
  }
  if (!stored_extents(graph, block, shown, tile, upto, map, t.dim, t.rank, err))
    return AS_NONE;
  as_node_id id = push_node(graph, AS_N_STORE, block, name, err);
  if (id == AS_NONE)
    return id;
  as_node *node = &graph->node[id];
  node->nargs = 1;
  node->arg[0] = of;
  node->rank = t.rank;
  node->dtype = t.dtype;
  memcpy(node->dim, t.dim, sizeof node->dim);
  set_tile(node, tile, upto);
  set_map(node, &graph->block[block], map);
  bool first = true;
  for (uint32_t i = 0; i < kernel->n; i++)
    first = first && graph->node[kernel->nodes[i]].kind != AS_N_STORE;
  to_block(graph, block, id);
  if (first)
    to_order(graph, id);
  return id;
}
