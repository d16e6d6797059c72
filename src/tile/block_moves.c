/* Moves that give axes of extent 1 other places, as one move. */
#include "blocks_build.h"
#include <string.h>

/* the extents that are not 1 */
static uint32_t without_ones(const as_size *dim, uint32_t rank, as_size *out) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < rank; d++) {
    if (dim[d] != AS_SIZE_ONE)
      out[n++] = dim[d];
  }
  return n;
}

static bool is_plain_index(const as_expr *index) {
  if (index == NULL || index->kind == AS_E_NAME || index->kind == AS_E_NUM)
    return true;
  bool plain = index->kind == AS_E_ADD || index->kind == AS_E_MUL || index->kind == AS_E_IDIV ||
               index->kind == AS_E_MOD;
  for (uint32_t i = 0; i < index->n && plain; i++)
    plain = is_plain_index(index->kid[i]);
  return plain;
}

/* Does a move give all elements in the same order, and other places to axes of extent 1 alone?  It
 * does where the others, which all differ, are in the same order.  (If it does not after all, what
 * is made of it is refuted.) */
static bool moves_ones(const tv_value *value, const tv_shaped *from, const as_size *dim,
                       uint32_t rank) {
  as_size before[AS_MAX_RANK];
  as_size after[AS_MAX_RANK];
  uint32_t n = without_ones(from->dim, from->rank, before);
  const as_expr *body = value->expr->op->let[0].body;
  if (n == 0 || without_ones(dim, rank, after) != n)
    return false;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < i; j++) {
      if (before[i] == before[j])
        return false;
    }
    if (before[i] != after[i])
      return false;
  }
  for (uint32_t i = 0; i < body->n; i++) {
    if (!is_plain_index(body->kid[i]))
      return false;
  }
  return true;
}

static as_node_id without_ones_of(tv_builder *b, as_node_id id) {
  uint32_t rank = b->graph->node[id].rank;
  for (uint32_t d = rank; d-- > 0 && id != AS_NONE;) {
    if (b->graph->node[id].dim[d] == AS_SIZE_ONE)
      id = tv_apply(b, "squeeze", id, AS_NONE, (int)d);
  }
  return id;
}

as_node_id tv_with_ones(tv_builder *b, const tv_shaped *value) {
  as_node_id node = value->node;
  for (uint32_t d = 0; value->bare && d < value->rank && node != AS_NONE; d++) {
    if (value->dim[d] == AS_SIZE_ONE)
      node = tv_apply(b, "expand_dims", node, AS_NONE, (int)d);
  }
  return node;
}

static tv_shaped shaped_node(const tv_builder *b, as_node_id node) {
  tv_shaped out = {.node = node};
  if (node == AS_NONE)
    return out;
  out.rank = b->graph->node[node].rank;
  memcpy(out.dim, b->graph->node[node].dim, sizeof out.dim);
  return out;
}

/* the shape that a move of one operand gives */
static bool shape_of_move(tv_builder *b, const tv_value *value, const tv_shaped *from,
                          const as_attr *attr, as_size *dim, uint32_t *rank) {
  as_size argdim[AS_MAX_ARGS][AS_MAX_RANK] = {{0}};
  as_match match;
  as_vec facts;
  as_err err;
  as_err_init(&err);
  as_vec_init(&facts, sizeof(as_size_fact));
  memcpy(argdim[0], from->dim, sizeof from->dim);
  bool fine =
      as_opdef_match(b->graph->sizes, value->expr->op, (const as_size(*)[AS_MAX_RANK])argdim,
                     &from->rank, 1, attr, &match, dim, rank, &facts, &err);
  as_vec_clear(&facts);
  as_err_clear(&err);
  return fine;
}

static tv_shaped moved(tv_builder *b, const tv_value *value, const as_attr *attr);

/* moves in a row are one */
tv_shaped tv_shape_value(tv_builder *b, uint32_t number) {
  const tv_value *value = TV_VALUE(b->p, number);
  bool loaded = TV_CUT(b->p, number)->is && !tv_is_own(b, false, number);
  if (loaded || !tv_is_move(value))
    return shaped_node(b, tv_make_value(b, number));
  as_attr attr[AS_MAX_ATTRS];
  for (uint32_t k = 0; k < value->expr->op->nattrs; k++)
    as_attr_init(&attr[k]);
  tv_shaped out = {.node = AS_NONE};
  if (tv_set_attributes(b, value, attr))
    out = moved(b, value, attr);
  for (uint32_t k = 0; k < value->expr->op->nattrs; k++)
    as_attr_clear(&attr[k]);
  return out;
}

static tv_shaped moved(tv_builder *b, const tv_value *value, const as_attr *attr) {
  tv_shaped from = tv_shape_value(b, value->arg[0]);
  tv_shaped out = {.bare = true};
  if (from.node == AS_NONE)
    return from;
  if (shape_of_move(b, value, &from, attr, out.dim, &out.rank) &&
      moves_ones(value, &from, out.dim, out.rank)) {
    out.node = from.bare ? from.node : without_ones_of(b, from.node);
    return out;
  }
  as_node_id arg = tv_with_ones(b, &from);
  return shaped_node(b, arg == AS_NONE ? AS_NONE
                                       : as_graph_op(b->graph, b->block, NULL, value->expr->op,
                                                     &arg, 1, attr, b->p->err));
}
