/* Selection by meaning: which instruction, in which roles, fed by which load.  Matching is
 * unification of index names up to the commutativity of the product; a feeding load is found by
 * division of layouts. */
#include "lowering.h"
#include <string.h>

static const char *const type_names[] = {[AS_F16] = "f16", [AS_BF16] = "bf16", [AS_F32] = "f32"};

static double copies(unsigned bits, unsigned covered) {
  return bits > covered ? (double)(1u << (bits - covered)) : 1;
}

bool as_select_product(const as_isa *isa, unsigned wide_bits, unsigned batch_bits, as_dtype type,
                       as_select_way *out) {
  bool found = false;
  for (unsigned i = 0; i < as_isa_count(isa); i++) {
    const as_isa_row *row = as_isa_nth(isa, i);
    if (!row->product.is || as_isa_needs(row, "warps"))
      continue;
    const as_isa_operand *a = as_isa_get_operand(row, row->product.first);
    const as_isa_operand *b = as_isa_get_operand(row, row->product.second);
    const as_isa_operand *c = as_isa_get_operand(row, row->product.result);
    if (!a || !b || !c || strcmp(a->type, type_names[type]) || strcmp(b->type, type_names[type]) ||
        strcmp(c->type, "f32"))
      continue;
    unsigned rows = as_lay_out(&c->lay, row->product.row, NULL);
    unsigned cols = as_lay_out(&c->lay, row->product.column, NULL);
    for (unsigned way = 0; way < 2; way++) { /* the product commutes */
      bool wide_first = way == 0;
      unsigned first = wide_first ? wide_bits : batch_bits;
      unsigned second = wide_first ? batch_bits : wide_bits;
      double cost = row->cost * copies(first, rows) * copies(second, cols);
      if (!found || cost < out->cost)
        *out = (as_select_way){row, wide_first, cost};
      found = true;
    }
  }
  return found;
}

/* sub -> tile index of the row that lane `sub` names, if the load's elements run along the
 * contiguous axis: need o load^-1, plain linear algebra */
static bool divide(const as_lay *need, const as_lay *load, const char *contiguous, as_lay *out) {
  uint32_t frag[AS_LAY_BITS];
  uint32_t cols[AS_LAY_BITS];
  unsigned regs = as_lay_in(load, "reg", NULL);
  unsigned at;
  if (as_lay_in(need, "reg", NULL) < regs || !as_lay_injective(load))
    return false;
  as_lay_cols(need, "reg", frag);
  as_lay_cols(need, "lane", frag + regs);
  as_span s;
  as_span_of(&s, load->col, as_lay_in_bits(load));
  unsigned off_bits = as_lay_out(load, "off", NULL);
  unsigned width = as_lay_out(need, contiguous, &at);
  uint32_t low = ((1u << off_bits) - 1) << at;
  if (width < off_bits)
    return false;
  as_lay r = as_lay_new();
  for (unsigned i = 0; i < need->n_out; i++)
    as_lay_add_out(&r, need->out[i].name, need->out[i].bits);
  as_lay_add_in(&r, "lane");
  for (unsigned b = 0; b < as_lay_out_bits(load); b++) {
    uint64_t how;
    uint32_t image = 0;
    if (as_span_solve(&s, 1u << b, &how))
      image = as_f2_sum(frag, as_lay_in_bits(load), how);
    if (b < off_bits && image != 1u << (at + b))
      return false;
    if (b >= off_bits && (image & low))
      return false;
    if (b >= off_bits)
      cols[b - off_bits] = image;
  }
  for (unsigned b = 0; b + off_bits < as_lay_out_bits(load); b++)
    as_lay_push(&r, cols[b]);
  *out = r;
  return !r.bad;
}

bool as_select_feed(const as_isa *isa, const as_lay *need, const char *contiguous, as_feed *out) {
  unsigned best = 0;
  for (unsigned i = 0; i < as_isa_count(isa); i++) {
    const as_isa_row *row = as_isa_nth(isa, i);
    const as_lay *r = as_isa_layout(row, "r");
    as_lay position;
    if (!r || !as_isa_needs(row, "rows") || as_lay_out(r, "off", NULL) != 3)
      continue;
    unsigned regs = as_lay_in(r, "reg", NULL);
    uint32_t cols[AS_LAY_BITS];
    if (regs <= best || as_lay_cols(need, "reg", cols) < regs)
      continue;
    as_lay cut = as_lay_with(need, "reg", cols, regs);
    if (!divide(&cut, r, contiguous, &position))
      continue;
    best = regs;
    out->row = row;
    out->position = position;
  }
  return best > 0;
}

bool as_select_load(as_plan *p, as_tg *g, as_tg_op *in, const as_lay *lay, unsigned buf,
                    const as_ring_tile *ring, int v) {
  uint32_t cols[AS_LAY_BITS];
  as_feed f;
  const char *axes[AS_LAY_DIMS];
  unsigned n_axes = 0;
  for (unsigned i = 0; i < ring->content.n_out; i++)
    axes[n_axes++] = ring->content.out[i].name;
  as_lay need = as_lay_take(lay, axes, n_axes);
  if (need.bad || !as_select_feed(p->isa, &need, ring->col, &f))
    return as_plan_fail(p, "an operand that no matrix load gives from how its tile lies");
  unsigned used = as_lay_in(as_isa_layout(f.row, "r"), "reg", NULL);
  as_lay position = f.position;
  unsigned n = as_lay_cols(&need, "reg", cols);
  position = as_lay_with(&position, "u", cols + used, n - used);
  n = as_lay_cols(&need, "warp", cols);
  position = as_lay_with(&position, "warp", cols, n);
  n = as_lay_cols(&need, "s", cols);
  if (n)
    position = as_lay_with(&position, "s", cols, n);
  as_tg_op *op = as_tg_add(g, in, AS_TG_LDMATRIX, 'c');
  op->v = v;
  op->instr = as_arena_strdup(g->mem, f.row->name);
  op->buf = (int)buf;
  op->src = as_lay_after(&ring->place, &position);
  return !op->src.bad || as_plan_fail(p, "a tile too large");
}
