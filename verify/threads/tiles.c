/* Condition 1: the tiles of a thread graph are the loads and stores of the block graph, element by
 * element: shapes, strides, origins of the block, what the loop moves, what is padding. */
#include "den.h"
#include <string.h>

typedef struct {
  long tile[AS_MAX_RANK];
  long whole[AS_MAX_RANK]; /* of the kernel-level tensor */
  const as_node *node;
  as_node_id id;
} shape;

static bool find_node(as_algebra *A, const as_tg_tile *t, shape *s) {
  const as_block *b = &A->b->graph->block[A->b->block];
  for (uint32_t i = 0; i < b->n; i++) {
    const as_node *n = &A->b->graph->node[b->nodes[i]];
    if (n->kind == (t->output ? AS_N_STORE : AS_N_LOAD) && !strcmp(n->name, t->name)) {
      s->node = n;
      s->id = b->nodes[i];
      return true;
    }
  }
  ENSURE(A, "a tile that the block graph does not have", false);
}

static bool read_shape(as_algebra *A, const as_tg_tile *t, shape *s, as_err *err) {
  if (!find_node(A, t, s))
    return false;
  const as_node *n = s->node;
  bool ok = t->output ? as_block_dims(A->b, n->arg[0], s->tile, err) &&
                            as_block_dims(A->b, s->id, s->whole, err)
                      : as_block_dims(A->b, s->id, s->tile, err) &&
                            as_block_dims(A->b, n->arg[0], s->whole, err);
  ENSURE(A, "a size of a tile", ok);
  ENSURE(A, "rank of a tile", t->n_axis == n->rank);
  return true;
}

static bool check_axis(as_algebra *A, const as_tg_tile *t, const shape *s, unsigned d, long stride,
                       const long grid[3], long loop) {
  const as_tg_axis *a = &t->axis[d];
  const as_node *n = s->node;
  int by = -1;
  for (int k = 0; k < 3; k++) {
    if (n->map[k] != (int)d)
      continue;
    ENSURE(A, "an axis that two grid axes divide", by < 0);
    by = k;
  }
  bool looped = !t->output && n->map[3] == (int)d;
  long parts = (by >= 0 ? grid[by] : 1) * (looped ? loop : 1);
  ENSURE(A, "tiles that do not make up their tensor", s->tile[d] * parts == s->whole[d]);
  ENSURE(A, "live extent of an axis", a->live == s->tile[d] && a->live <= 1L << a->bits);
  ENSURE(A, "stride of an axis", a->stride == stride);
  ENSURE(A, "block of a grid", a->grid == by);
  ENSURE(A, "origin of a block", a->grid_step == (by < 0 ? 0 : s->tile[d] * (looped ? loop : 1)));
  ENSURE(A, "the looped axis of a tile", a->loop_step == (looped ? s->tile[d] : 0));
  for (unsigned i = 0; i < d; i++)
    ENSURE(A, "a tile with an axis twice", strcmp(t->axis[i].name, a->name) != 0);
  int index = as_den_index(A, a->name);
  if (index < 0) {
    ENSURE(A, "too many axes", A->n_index < AS_MAX_INDEX);
    index = (int)A->n_index++;
    memcpy(A->index_name[index], a->name, AS_LAY_NAME);
    A->index_bits[index] = a->bits;
    A->index_live[index] = a->live;
  }
  ENSURE(A, "an axis with two extents",
         A->index_bits[index] == a->bits && A->index_live[index] == a->live);
  return true;
}

static bool check_tile(as_algebra *A, unsigned which, const long grid[3], long loop, as_err *err) {
  const as_tg_tile *t = &A->g->tile[which];
  shape s;
  int32_t index[AS_MAX_RANK];
  for (unsigned i = 0; i < which; i++)
    ENSURE(A, "two tiles of one name",
           strcmp(A->g->tile[i].name, t->name) != 0 || A->g->tile[i].output != t->output);
  if (!read_shape(A, t, &s, err))
    return false;
  as_block_place at;
  ENSURE(A, "a tensor that is not in memory",
         as_block_place_of(A->b, t->output ? s.id : s.node->arg[0], &at, err));
  ENSURE(A, "origin of a tensor", t->origin == at.origin);
  for (unsigned d = t->n_axis; d-- > 0;) {
    if (!check_axis(A, t, &s, d, at.stride[d], grid, loop))
      return false;
  }
  for (unsigned d = 0; d < t->n_axis; d++)
    index[d] = t->axis[d].live == 1 ? AS_INDEX_ZERO : as_den_index(A, t->axis[d].name);
  as_node_id tensor = t->output ? s.id : s.node->arg[0];
  ENSURE(A, "type of a tile", t->type == as_block_tensor_type(A->b, tensor));
  if (!t->output) {
    A->tile_term[which] = as_poly_load(A->t, s.id, index, t->n_axis);
    return true;
  }
  ENSURE(A, "what is stored is not understood",
         as_block_term(A->t, A->b, s.node->arg[0], index, &A->want[which], err));
  return true;
}

bool as_den_tiles(as_algebra *A, as_err *err) {
  const as_block *b = &A->b->graph->block[A->b->block];
  long grid[3];
  long loop = 1;
  unsigned outputs = 0;
  unsigned stores = 0;
  for (int k = 0; k < 3; k++)
    ENSURE(A, "a size of the grid", as_block_size(A->b, b->grid[k], &grid[k], err));
  memcpy(A->grid, grid, sizeof grid);
  if (b->has_loop)
    ENSURE(A, "a size of the loop", as_block_size(A->b, b->loop, &loop, err));
  ENSURE(A, "iterations", A->g->trip == loop);
  /* the first tiles are fetched before any iteration is counted: they must be there */
  ENSURE(A, "a loop of no iterations", loop >= 1);
  for (unsigned i = 0; i < A->g->n_tile; i++) {
    if (!check_tile(A, i, grid, loop, err))
      return false;
    outputs += A->g->tile[i].output;
  }
  for (uint32_t i = 0; i < b->n; i++)
    stores += A->b->graph->node[b->nodes[i]].kind == AS_N_STORE;
  ENSURE(A, "an output is not stored", outputs == stores);
  return true;
}
