/* Sums over a part of a range and the rest, over blocks, and over every so many elements. */
#include "pv_folds.h"

static pv_thm ge0(pv *prover, pv_ctx ctx, ck_id n) {
  return pv_follows(prover, ctx, pv_ge0(prover, n));
}

/* sum(k < n) f = sum(k < m) f + sum(k < n-m) f(m+k) */
pv_eqn pv_cut_sum_at(pv *prover, pv_ctx ctx, ck_id term, ck_id k, ck_id body, ck_id place) {
  ck_id n = ck_kid(prover->terms, term, 0);
  ck_id rest = pv_canon(prover, pv_sub(prover, n, place));
  ck_id both = pv_add(prover, place, rest);
  pv_thm premises[2] = {ge0(prover, ctx, place), ge0(prover, ctx, rest)};
  if (premises[0] == PV_NONE || premises[1] == PV_NONE)
    return pv_fail();
  pv_thm same_bound = pv_identity(prover, pv_eq(prover, n, both));
  ck_id rebound = pv_sum(prover, both, k, body);
  pv_thm renamed = term == rebound ? PV_REFL : pv_cong(prover, term, rebound, &same_bound, 1);
  pv_var_sub vars[2] = {{pv_int_var(prover, "m"), place},
                        (pv_var_sub){pv_int_var(prover, "n"), rest}};
  ck_fsub fun = pv_fun_sub(prover, "f", &k, body);
  pv_thm thm =
      pv_trans(prover, renamed, pv_use_lemma(prover, PV_SUM_CONCAT, vars, 2, &fun, 1, premises, 2));
  if (thm == PV_NONE)
    return pv_fail();
  pv_eqn eqn = {pv_right(prover, thm), thm};
  return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
}

pv_eqn pv_cut_sum(pv *prover, pv_ctx ctx, ck_id term, ck_id m) {
  ck_id k;
  pv_ctx_bind(prover, ctx, ck_kid(prover->terms, term, 0), &k);
  return pv_cut_sum_at(prover, ctx, term, k, pv_sum_body(prover, term, k), m);
}

/* sum(k < c*b) f = sum(g < c) sum(t < b) f(g*b + t); count: c */
static pv_thm in_blocks(pv *prover, pv_ctx ctx, ck_id term, ck_id k, ck_id body, ck_id block,
                        ck_id count) {
  ck_id n = ck_kid(prover->terms, term, 0);
  ck_id product = pv_mul(prover, count, block);
  pv_thm same_bound = pv_follows(prover, ctx, pv_eq(prover, n, product));
  pv_thm premises[2] = {ge0(prover, ctx, count), ge0(prover, ctx, block)};
  if (same_bound == PV_NONE || premises[0] == PV_NONE || premises[1] == PV_NONE)
    return PV_NONE;
  pv_thm renamed = n == product
                       ? PV_REFL
                       : pv_cong(prover, term, pv_sum(prover, product, k, body), &same_bound, 1);
  pv_var_sub vars[2] = {{pv_int_var(prover, "G"), count}, {pv_int_var(prover, "T"), block}};
  ck_fsub fun = pv_fun_sub(prover, "f", &k, body);
  return pv_trans(prover, renamed,
                  pv_use_lemma(prover, PV_SUM_SPLIT, vars, 2, &fun, 1, premises, 2));
}

/* the same, normal; whole: a guess of c, or CK_BAD */
pv_eqn pv_cut_sum_blocks(pv *prover, pv_ctx ctx, ck_id term, ck_id k, ck_id body, ck_id block,
                         ck_id whole) {
  ck_id n = ck_kid(prover->terms, term, 0);
  ck_id count = pv_size_quotient(prover, ctx, n, block);
  if (count == CK_BAD)
    count = whole != CK_BAD && pv_canon(prover, pv_mul(prover, whole, block)) == n ? whole : CK_BAD;
  if (count == CK_BAD || pv_is_one(prover, count) || pv_is_one(prover, block))
    return pv_fail();
  pv_thm thm = in_blocks(prover, ctx, term, k, body, block, count);
  if (thm == PV_NONE)
    return pv_fail();
  pv_eqn eqn = {pv_right(prover, thm), thm};
  return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
}

/* a sum over so many elements as their sum, one by one */
static pv_thm written_out(pv *prover, ck_id sum, uint32_t n) {
  ck_id k = pv_int_var(prover, "$$t");
  ck_id body = pv_sum_body(prover, sum, k);
  ck_id total = prover->zero;
  pv_comb comb;
  pv_comb_init(&comb);
  for (uint32_t i = 0; i < n; i++) {
    ck_id place = pv_num(prover, (long)i);
    ck_id up_to = pv_sum(prover, pv_num(prover, (long)i + 1), k, body);
    pv_thm nonneg = pv_by_value(prover, pv_ge0(prover, place));
    pv_comb_add(&comb, prover->one, pv_succ(prover, up_to, place, nonneg));
    total = pv_add(prover, total, pv_sum_body(prover, sum, place));
  }
  ck_id nothing = pv_sum(prover, prover->zero, k, body);
  pv_comb_add(&comb, prover->one, pv_zero(prover, nothing, pv_zero_le_zero(prover)));
  return pv_comb_prove(prover, &comb, pv_eq(prover, sum, total));
}

/* The inner sums are written out at once: a sum over blocks would become the sum that it is of. */
pv_eqn pv_deal_sum(pv *prover, pv_ctx ctx, ck_id term, uint32_t stride) {
  ck_id k;
  ck_id block = pv_num(prover, (long)stride);
  ck_id count = pv_size_quotient(prover, ctx, ck_kid(prover->terms, term, 0), block);
  if (count == CK_BAD)
    return pv_fail();
  pv_ctx_bind(prover, ctx, ck_kid(prover->terms, term, 0), &k);
  pv_thm thm = in_blocks(prover, ctx, term, k, pv_sum_body(prover, term, k), block, count);
  if (thm == PV_NONE)
    return pv_fail();
  ck_id blocks = pv_right(prover, thm);
  pv_thm dealt = written_out(prover, pv_sum_body(prover, blocks, k), stride);
  thm = pv_trans(prover, thm, pv_lift_sum(prover, count, k, dealt));
  if (thm == PV_NONE)
    return pv_fail();
  pv_eqn eqn = {pv_right(prover, thm), thm};
  return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
}
