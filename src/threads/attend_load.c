/* Elements from memory that scores are changed by: masks and biases.  Each thread loads those of
 * its own scores, straight to registers; one that is the same along rows or keys is loaded once. */
#include "attend.h"
#include "src/base/id.h"
#include <string.h>

unsigned as_attend_element_first(const as_attend *T, unsigned element) {
  unsigned first = 0;
  while (T->element[first].load != T->element[element].load)
    first++;
  return first;
}

double as_attend_element_bytes(const as_attend_builder *B) {
  double bytes = 0;
  for (unsigned i = 0; i < B->T.n_element; i++) {
    as_node_id tensor = B->p->b->graph->node[B->T.element[i].load].arg[0];
    if (as_attend_element_first(&B->T, i) == i)
      bytes += as_block_tensor_type(B->p->b, tensor) == AS_F32 ? 4 : 2;
  }
  return bytes;
}

/* does every pair of elements along the axis begin at an even place? */
static bool has_pairs(const as_tg_tile *t, const as_tg_axis *along) {
  bool even = t->origin % 2 == 0 && along->live % 2 == 0;
  for (unsigned i = 0; i < t->n_axis; i++) {
    const as_tg_axis *a = &t->axis[i];
    if (a != along && (a->bits || a->grid >= 0 || a->loop_step))
      even = even && a->stride % 2 == 0;
  }
  return even && along->grid_step % 2 == 0 && along->loop_step % 2 == 0;
}

/* where the elements lie: as the scores, without the registers along which they are the same.  map:
 * their register for each register of the scores */
static as_lay lay_of(const as_attend_builder *B, const as_tg_tile *t, as_lay *map) {
  const char *names[AS_TG_AXES];
  uint32_t cols[AS_LAY_BITS];
  unsigned n_name = 0;
  unsigned kept = 0;
  for (unsigned i = 0; i < t->n_axis; i++) {
    if (t->axis[i].bits)
      names[n_name++] = t->axis[i].name;
  }
  as_lay l = as_lay_take(&B->score, names, n_name);
  unsigned n = as_lay_cols(&l, "reg", cols);
  for (unsigned i = 0; i < n; i++)
    kept += cols[i] != 0;
  *map = as_lay_new();
  as_lay_add_out(map, "reg", kept);
  as_lay_add_in(map, "reg");
  kept = 0;
  for (unsigned i = 0; i < n; i++) {
    as_lay_push(map, cols[i] ? 1u << kept : 0);
    if (cols[i])
      cols[kept++] = cols[i];
  }
  return as_lay_with(&l, "reg", cols, kept);
}

static bool load(as_attend_builder *B, as_tg_op *in, unsigned element) {
  unsigned which;
  uint32_t cols[AS_LAY_BITS];
  if (!as_attend_tile(B, B->T.element[element].load, &which))
    return false;
  const as_tg_tile *t = &B->g->tile[which];
  const as_tg_axis *key = as_tg_find_axis(t, B->T.key.name);
  const as_tg_axis *row = as_tg_find_axis(t, B->T.row.name);
  bool by_key = key && key->stride == 1;
  const as_tg_axis *along = by_key ? key : row && row->stride == 1 ? row : NULL;
  unsigned vec = by_key && has_pairs(t, key) ? 1 : 0;
  if (!along)
    return as_plan_fail(B->p, "elements of scores that follow each other along no axis");
  if (!vec && t->type != AS_F32)
    return as_plan_fail(B->p, "elements of scores of 16 bits that do not come in pairs");
  as_lay l = lay_of(B, t, &B->element_map[element]);
  unsigned n = as_lay_cols(&l, "reg", cols);
  as_tg_op *op = as_tg_add(B->g, in, AS_TG_LDG, 'c');
  op->v = B->element_value[element] = as_attend_value(B, "element", element);
  op->tile = (int)which;
  op->vec = (int)vec;
  memcpy(op->vaxis, along->name, sizeof op->vaxis);
  l = as_lay_with(&l, "u", cols + vec, n - vec);
  op->src = as_lay_with(&l, "reg", NULL, 0);
  as_attend_padding(t, op->pred);
  return true;
}

bool as_attend_elements(as_attend_builder *B, as_tg_op *in) {
  for (unsigned i = 0; i < B->T.n_element; i++) {
    if (as_attend_element_first(&B->T, i) == i && !load(B, in, i))
      return false;
  }
  return true;
}
