/* Condition 5: an instruction's fragments are bijections (register, lane) <-> indices, so that any
 * register contents are matrices a[phi_a], b[phi_b] with phi = layout o fragment^-1.  The product's
 * term has one index map; the directions that are folded (k, the kernel of gc, the steps) must lie
 * in one axis and be independent. */
#include "den.h"
#include <string.h>

bool as_den_fragment(as_algebra *A, const as_den *x, const as_lay *fragment, const as_lay *group,
                     unsigned steps, as_lay *out) {
  uint32_t cols[AS_LAY_BITS];
  as_lay back = as_lay_inverse(fragment);
  unsigned low = as_lay_in(fragment, "reg", NULL);
  unsigned own_warps = as_lay_in(fragment, "warp", NULL);
  as_lay r = as_lay_new();
  ENSURE(A, "a fragment that is no bijection",
         as_lay_injective(fragment) && !back.bad &&
             fragment->n_in == (as_lay_has_in(fragment, "warp") ? 3 : 2));
  for (unsigned i = 0; i < x->lay.n_out; i++)
    as_lay_add_out(&r, x->lay.out[i].name, x->lay.out[i].bits);
  unsigned at = 0;
  for (unsigned d = 0; d < back.n_in; d++) {
    as_lay_add_in(&r, back.in[d].name);
    for (unsigned i = 0; i < back.in[d].bits; i++, at++) {
      uint32_t h = back.col[at];
      as_lay_push(&r,
                  as_lay_at(&x->lay, "reg", as_lay_part(&back, "reg", h)) ^
                      as_lay_at(&x->lay, "lane", as_lay_part(&back, "lane", h)) ^
                      (own_warps ? as_lay_at(&x->lay, "warp", as_lay_part(&back, "warp", h)) : 0));
    }
  }
  as_lay_add_in(&r, "u");
  for (unsigned i = 0; i < as_lay_in_bits(group); i++)
    as_lay_push(&r, as_lay_at(&x->lay, "reg", group->col[i] << low));
  as_lay_add_in(&r, "warp");
  unsigned n = as_lay_cols(&x->lay, "warp", cols);
  ENSURE(A, "register groups", n >= own_warps);
  for (unsigned i = 0; i < n; i++) /* the instruction's own warps are among its indices */
    as_lay_push(&r, i < own_warps ? 0 : cols[i]);
  as_lay_add_in(&r, "s");
  n = as_lay_cols(&x->lay, "s", cols);
  for (unsigned i = 0; i < n || i < steps; i++)
    as_lay_push(&r, i < n ? cols[i] : 0);
  *out = r;
  return !r.bad;
}

/* columns of the accumulator: the instruction's own registers, then the copies that gc numbers */
static as_lay result_lay(const as_lay *joint, const as_lay *fragment, const as_lay *gc,
                         const as_isa_product *p) {
  uint32_t index[AS_LAY_BITS];
  uint32_t group[AS_LAY_BITS];
  uint32_t cols[AS_LAY_BITS];
  as_lay r = as_lay_new();
  unsigned ni = as_lay_cols(joint, p->row, index);
  unsigned nj = as_lay_cols(joint, p->column, index + ni);
  unsigned nu = as_lay_cols(joint, "u", group);
  as_lay copies = as_lay_inverse(gc);
  for (unsigned i = 0; i < joint->n_out; i++)
    as_lay_add_out(&r, joint->out[i].name, joint->out[i].bits);
  static const char *const dims[] = {"reg", "lane"};
  for (unsigned d = 0; d < 2; d++) {
    as_lay_add_in(&r, dims[d]);
    unsigned n = as_lay_cols(fragment, dims[d], cols);
    for (unsigned i = 0; i < n; i++)
      as_lay_push(&r, as_f2_sum(index, ni + nj, cols[i]));
    for (unsigned i = 0; d == 0 && i < as_lay_in_bits(&copies); i++)
      as_lay_push(&r, as_f2_sum(group, nu, copies.col[i]));
  }
  as_lay_add_in(&r, "warp");
  uint32_t own[AS_LAY_BITS]; /* the bits of the warp that are the instruction's own */
  unsigned n_own = as_lay_cols(fragment, "warp", own);
  unsigned n = as_lay_cols(joint, "warp", cols);
  for (unsigned i = 0; i < n; i++)
    as_lay_push(&r, cols[i] ^ (i < n_own ? as_f2_sum(index, ni + nj, own[i]) : 0));
  as_lay_add_in(&r, "s");
  r.bad = r.bad || n < n_own;
  return r;
}

static unsigned fold_directions(const as_lay *joint, const as_lay *gc, const char *over,
                                uint32_t dir[AS_LAY_BITS]) {
  uint32_t group[AS_LAY_BITS];
  uint64_t kernel[AS_LAY_BITS];
  unsigned n = as_lay_cols(joint, over, dir);
  unsigned nu = as_lay_cols(joint, "u", group);
  unsigned nk = as_lay_kernel(gc, kernel);
  for (unsigned i = 0; i < nk && n < AS_LAY_BITS; i++)
    dir[n++] = as_f2_sum(group, nu, kernel[i]);
  if (n + as_lay_in(joint, "s", NULL) > AS_LAY_BITS)
    return AS_LAY_BITS + 1;
  return n + as_lay_cols(joint, "s", dir + n);
}

bool as_den_product(as_algebra *A, const as_isa_row *row, const as_lay *gc, as_poly term,
                    const as_lay *first, const as_lay *second, as_den *out) {
  const as_isa_product *p = &row->product;
  as_lay joint = as_lay_join(first, second);
  ENSURE(A, "operands whose common indices lie differently", !joint.bad);
  uint32_t dir[AS_LAY_BITS];
  unsigned n = fold_directions(&joint, gc, p->over, dir);
  ENSURE(A, "too many directions", n <= AS_LAY_BITS);
  as_lay lay = result_lay(&joint, as_isa_layout(row, p->result), gc, p);
  ENSURE(A, "too many registers", !lay.bad);
  as_den whole = {.term = term, .lay = lay, .old = -1, .run = AS_POLY_NONE};
  return as_den_fold(A, &whole, AS_ATOM_SUM, dir, n, &lay, out);
}

bool as_den_mma(as_algebra *A, const as_tg_op *op, unsigned steps, const as_den *a, const as_den *b,
                unsigned acc_bits, as_den *out) {
  const as_isa_row *row = as_isa_find(A->isa, op->instr);
  ENSURE(A, "no such product on this target", row && row->product.is);
  const as_isa_product *p = &row->product;
  const as_lay *fa = as_isa_layout(row, p->first);
  const as_lay *fb = as_isa_layout(row, p->second);
  const as_lay *fc = as_isa_layout(row, p->result);
  ENSURE(A, "no such product on this target",
         fa && fb && fc && !as_isa_needs(row, "warps") && !as_lay_has_in(fa, "warp"));
  unsigned la = as_lay_in(fa, "reg", NULL);
  unsigned lb = as_lay_in(fb, "reg", NULL);
  unsigned lc = as_lay_in(fc, "reg", NULL);
  unsigned nu = as_lay_in_bits(&op->ga);
  ENSURE(A, "register groups",
         !op->ga.bad && !op->gb.bad && !op->gc.bad && op->ga.n_in == 1 && op->gb.n_in == 1 &&
             op->gc.n_in == 1 && as_lay_in_bits(&op->gb) == nu && as_lay_in_bits(&op->gc) == nu);
  ENSURE(A, "register groups",
         as_lay_out_bits(&op->ga) + la <= as_lay_in(&a->lay, "reg", NULL) &&
             as_lay_out_bits(&op->gb) + lb <= as_lay_in(&b->lay, "reg", NULL) &&
             as_lay_out_bits(&op->gc) + lc == acc_bits);
  ENSURE(A, "a register group is not accumulated into", as_lay_surjective(&op->gc));
  as_lay ma;
  as_lay mb;
  if (!as_den_fragment(A, a, fa, &op->ga, steps, &ma) ||
      !as_den_fragment(A, b, fb, &op->gb, steps, &mb)) {
    ENSURE(A, "register groups", false);
  }
  return as_den_product(A, row, &op->gc, as_poly_mul(A->t, a->term, b->term), &ma, &mb, out);
}
