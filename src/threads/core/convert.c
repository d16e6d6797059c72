/* Conversions of register layouts: which registers of which lanes hold what a register is to hold,
 * and how little has to move. */
#include "f2.h"
#include <string.h>

typedef struct {
  uint32_t reg[AS_LAY_BITS];
  uint32_t lane[AS_LAY_BITS];
  uint32_t warp[AS_LAY_BITS];
  unsigned regs;
  unsigned lanes;
  unsigned warps;
} parts;

static parts split(const as_lay *l) {
  parts p;
  memset(&p, 0, sizeof p);
  p.regs = as_lay_cols(l, "reg", p.reg);
  p.lanes = as_lay_cols(l, "lane", p.lane);
  p.warps = as_lay_cols(l, "warp", p.warp);
  return p;
}

static bool all_in(const as_span *s, const uint32_t *v, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    if (!as_span_has(s, v[i]))
      return false;
  }
  return true;
}

static unsigned differences(const uint32_t *a, unsigned na, const uint32_t *b, unsigned nb,
                            uint32_t *out) {
  unsigned n = na > nb ? na : nb;
  for (unsigned i = 0; i < n; i++)
    out[i] = (i < na ? a[i] : 0) ^ (i < nb ? b[i] : 0);
  return n;
}

static void solve_all(const as_span *s, const uint32_t *v, unsigned n, uint32_t *out) {
  for (unsigned i = 0; i < n; i++) {
    uint64_t how = 0;
    as_span_solve(s, v[i], &how);
    out[i] = (uint32_t)how;
  }
}

/* Round sigma gives lane d its register sigma ^ M d, from lane T d ^ C_lr sigma with T = C_ll +
 * C_lr M.  T must be invertible, or a lane would have to send two registers in one round: M maps
 * the kernel of C_ll to registers whose C_lr image completes C_ll. */
static bool choose_mix(as_conv *c, const parts *s, const parts *d, uint32_t *from_lane,
                       uint32_t *through) {
  uint32_t moved[AS_LAY_BITS];
  unsigned extra[AS_LAY_BITS];
  unsigned n_extra = 0;
  for (unsigned i = 0; i < d->lanes; i++)
    from_lane[i] = c->lane[i] >> s->regs;
  for (unsigned i = 0; i < d->regs; i++)
    moved[i] = c->reg[i] >> s->regs;
  as_span image;
  as_span_of(&image, from_lane, d->lanes);
  for (unsigned i = 0; i < d->regs; i++) {
    if (as_span_add(&image, moved[i]))
      extra[n_extra++] = i;
  }
  as_span seen;
  as_span kernel;
  as_span_init(&seen);
  as_span_init(&kernel);
  for (unsigned i = 0; i < d->lanes; i++) {
    uint64_t how = (uint64_t)1 << i;
    if (!as_span_reduce(&seen, from_lane[i], &how))
      as_span_add(&kernel, (uint32_t)how);
    as_span_add(&seen, from_lane[i]);
  }
  if (n_extra < kernel.rank)
    return false;
  for (unsigned i = 0; i < kernel.rank; i++) {
    unsigned pivot = 31u - (unsigned)__builtin_clz(kernel.vec[i]);
    c->mix[pivot] ^= (uint32_t)1 << extra[i];
  }
  for (unsigned i = 0; i < d->lanes; i++)
    through[i] = from_lane[i] ^ as_f2_sum(moved, d->regs, c->mix[i]);
  return as_f2_rank(through, d->lanes) == d->lanes;
}

static void count_rounds(as_conv *c, const parts *s, const parts *d, const uint32_t *through) {
  bool still = true;
  for (unsigned i = 0; i < d->lanes; i++)
    still = still && through[i] == (uint32_t)1 << i;
  for (unsigned i = 0; i < d->warps; i++)
    still = still && !(c->warp[i] >> s->regs);
  for (uint32_t sigma = 0; sigma < (uint32_t)1 << d->regs; sigma++) {
    if (!still || as_f2_sum(c->reg, d->regs, sigma) >> s->regs)
      c->rounds++;
  }
}

static bool by_shuffles(as_conv *c, const parts *s, const parts *d, const uint32_t *warp_diff,
                        unsigned n_warp) {
  uint32_t both[AS_LAY_BITS];
  uint32_t from_lane[AS_LAY_BITS];
  uint32_t through[AS_LAY_BITS];
  if (s->regs + s->lanes > 31 || d->regs > 16 || d->lanes > 5 || n_warp > 8)
    return false;
  memcpy(both, s->reg, s->regs * sizeof *both);
  memcpy(both + s->regs, s->lane, s->lanes * sizeof *both);
  as_span regs;
  as_span space;
  as_span_of(&regs, s->reg, s->regs);
  as_span_of(&space, both, s->regs + s->lanes);
  if (!all_in(&space, d->reg, d->regs) || !all_in(&space, d->lane, d->lanes) ||
      !all_in(&space, warp_diff, n_warp))
    return false;
  solve_all(&space, d->reg, d->regs, c->reg);
  solve_all(&space, d->lane, d->lanes, c->lane);
  solve_all(&space, warp_diff, n_warp, c->warp);
  for (unsigned i = 0; i < d->lanes && i < s->lanes; i++) { /* rather leave a lane bit in place */
    uint64_t how;
    if (as_span_solve(&regs, d->lane[i] ^ s->lane[i], &how))
      c->lane[i] = (uint32_t)how ^ (uint32_t)1 << (s->regs + i);
  }
  if (!choose_mix(c, s, d, from_lane, through))
    return false;
  count_rounds(c, s, d, through);
  return true;
}

as_conv as_lay_conversion(const as_lay *source, const as_lay *target) {
  as_conv c;
  uint32_t lane_diff[AS_LAY_BITS];
  uint32_t warp_diff[AS_LAY_BITS];
  memset(&c, 0, sizeof c);
  c.kind = AS_CONV_SHARED;
  if (source->bad || target->bad || source->n_out != target->n_out)
    return c;
  parts s = split(source);
  parts d = split(target);
  unsigned n_lane = differences(s.lane, s.lanes, d.lane, d.lanes, lane_diff);
  unsigned n_warp = differences(s.warp, s.warps, d.warp, d.warps, warp_diff);
  as_span regs;
  as_span_of(&regs, s.reg, s.regs);
  if (d.regs <= 32 && all_in(&regs, d.reg, d.regs)) {
    bool nothing = true;
    for (unsigned i = 0; i < n_lane; i++)
      nothing = nothing && !lane_diff[i];
    for (unsigned i = 0; i < n_warp; i++)
      nothing = nothing && !warp_diff[i];
    if (nothing || (all_in(&regs, lane_diff, n_lane) && all_in(&regs, warp_diff, n_warp))) {
      c.kind = nothing ? AS_CONV_RENAME : AS_CONV_SELECT;
      solve_all(&regs, d.reg, d.regs, c.reg);
      return c;
    }
  }
  if (by_shuffles(&c, &s, &d, warp_diff, n_warp))
    c.kind = AS_CONV_SHUFFLE;
  return c;
}
