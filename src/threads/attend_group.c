/* Chained products by warpgroups.  Rows lie in registers as they do for the products of a warp, so
 * that everything between the two products stays what it is; keys and values are read from the ring
 * through descriptors.  The products of one iteration's weights and values are issued behind the
 * next iteration's scores and go on while maxima and weights are made of these: tensor cores and
 * everything else are busy at the same time.  Their stage is given back when they are over, one
 * iteration later. */
#include "attend.h"
#include <string.h>

#define OWN_WARPS 2u /* bits: of a warpgroup */

static bool find_product(const as_attend_builder *B, const as_plan_axis *column,
                         const as_plan_axis *summed, const as_ring_stream *stream,
                         as_attend_group_product *out) {
  static const char *const types[] = {[AS_F16] = "f16", [AS_BF16] = "bf16", [AS_F32] = "f32"};
  bool found = false;
  for (unsigned i = 0; i < as_isa_count(B->p->isa); i++) {
    const as_isa_row *row = as_isa_nth(B->p->isa, i);
    const as_isa_product *x = &row->product;
    long lead;
    if (!x->is || as_isa_needs(row, "warps") != 1 << OWN_WARPS)
      continue;
    const as_isa_operand *first = as_isa_get_operand(row, x->first);
    unsigned covered = as_lay_out(as_isa_layout(row, x->result), x->column, NULL);
    as_group_operand operand = {row, x->column, column, summed, &stream->ring};
    if (!first || !as_lay_has_in(&first->lay, "reg") || strcmp(first->type, types[B->p->type]) ||
        covered > column->bits || (found && covered <= out->covered) ||
        !as_group_reads(&operand, x->second, &lead))
      continue;
    *out = (as_attend_group_product){row, column, summed, stream, covered, lead};
    found = true;
  }
  return found;
}

bool as_attend_group(as_attend_builder *B) {
  const as_attend *T = &B->T;
  return B->copies == 0 && B->warps >= OWN_WARPS && !T->column.padded &&
         find_product(B, &T->key, &T->depth, &B->stream[0], &B->score_group) &&
         find_product(B, &T->column, &T->key, &B->stream[1], &B->result_group);
}

bool as_attend_group_has_stages(const as_attend_builder *B) {
  return B->g->stages > 2 || B->p->trip <= 2;
}

/* u counts fragments along the summed axis, then copies along the columns */
static void multiply(as_attend_builder *B, as_tg_op *in, const as_attend_group_product *x, int sum,
                     int rows) {
  const as_lay *place = &x->stream->ring.place;
  unsigned steps = x->summed->bits - 4;
  unsigned copies = x->column->bits - x->covered;
  as_tg_op *op = as_tg_add(B->g, in, AS_TG_WGMMAR, 'c');
  op->instr = as_arena_strdup(B->g->mem, x->row->name);
  op->v = sum;
  op->a = rows;
  op->bufb = (int)x->stream->buf;
  op->lead = (int)x->lead;
  as_lay_add_out(&op->ga, "g", steps);
  as_lay_add_out(&op->gc, "g", copies);
  as_lay_add_out(&op->dst, "off", as_lay_out_bits(place));
  as_lay_add_in(&op->ga, "u");
  as_lay_add_in(&op->gc, "u");
  as_lay_add_in(&op->dst, "u");
  for (unsigned i = 0; i < steps; i++) {
    as_lay_push(&op->ga, 1u << i);
    as_lay_push(&op->gc, 0);
    as_lay_push(&op->dst, as_lay_at(place, x->summed->name, 16u << i));
  }
  for (unsigned i = 0; i < copies; i++) {
    as_lay_push(&op->ga, 0);
    as_lay_push(&op->gc, 1u << i);
    as_lay_push(&op->dst, as_lay_at(place, x->column->name, 1u << (x->covered + i)));
  }
  as_lay_add_in(&op->dst, "warp"); /* every warp reads all columns */
  for (unsigned i = 0; i < B->warps; i++)
    as_lay_push(&op->dst, 0);
}

static void multiply_values(as_attend_builder *B, as_tg_op *in, const int *operand) {
  const as_attend *T = &B->T;
  unsigned from = in->n_body;
  as_tg_add(B->g, in, AS_TG_WGFENCE, 'c');
  for (unsigned i = 0; i < T->n_sum; i++) {
    if (T->sum[i].product)
      multiply(B, in, &B->result_group, B->result_value[i], operand[i]);
  }
  for (unsigned i = from; i < in->n_body; i++)
    in->body[i]->delay = 1;
  as_tg_add(B->g, in, AS_TG_WGCOMMIT, 'c');
}

void as_attend_group_scores(as_attend_builder *B, as_tg_op *in, int score, int query,
                            const int *operand) {
  as_tg_add(B->g, in, AS_TG_WGFENCE, 'c');
  multiply(B, in, &B->score_group, score, query);
  as_tg_add(B->g, in, AS_TG_WGCOMMIT, 'c');
  multiply_values(B, in, operand);
  as_tg_add(B->g, in, AS_TG_WGWAIT, 'c')->count = 1;
}

void as_attend_group_land(as_attend_builder *B, as_tg_op *in) {
  as_tg_add(B->g, in, AS_TG_WGWAIT, 'c')->count = 0;
  as_tg_add(B->g, in, AS_TG_SYNCWARP, 'c');
  as_tg_op *back = as_tg_add(B->g, in, AS_TG_MBARRIVE, 'c'); /* of the iteration before */
  back->bar = 1;
  back->slot = -1;
  back->from = 1;
}

void as_attend_group_end(as_attend_builder *B) {
  as_tg_add(B->g, NULL, AS_TG_WGCOMMIT, 'c');
  as_tg_add(B->g, NULL, AS_TG_WGWAIT, 'c')->count = 0;
}
