/* Contexts: chains of hypotheses, hash-consed so that the same assumptions in the same order are
 * the same context. */
#include "pv_context.h"
#include "pv_terms.h"
#include <stdio.h>

ck_id pv_level_var(pv *prover, uint32_t level) {
  char s[24];
  snprintf(s, sizeof s, "$$x%u", level);
  return pv_int_var(prover, s);
}

ck_id pv_state_var(pv *prover, uint32_t level, uint32_t q) {
  char s[40];
  snprintf(s, sizeof s, "$$a%u.%u", level, q);
  return pv_real_var(prover, s);
}

/* step: proves the formula; from hypotheses of cx, or from the formula itself */
static pv_ctx extend(pv *prover, pv_ctx ctx, ck_id formula, pv_thm step, ck_id var) {
  uint64_t v;
  uint64_t key = step == PV_NONE ? ctx : ((uint64_t)1 << 32) | ctx;
  if (as_map_get(&prover->ctx_memo, AS_KEY(key, formula), &v))
    return (uint32_t)v;
  const pv_assumption *up = pv_at(prover, ctx);
  pv_assumption c = {ctx, formula,   step == PV_NONE ? pv_hyp(prover, formula) : step,
                     var, up->level, up->depth + 1};
  if (var != CK_BAD && var != up->var)
    c.level++;
  pv_ctx id = (uint32_t)prover->ctxs.n;
  as_vec_push(&prover->ctxs, &c);
  as_map_put(&prover->ctx_memo, AS_KEY(key, formula), id);
  return id;
}

pv_ctx pv_ctx_push(pv *prover, pv_ctx ctx, ck_id formula, ck_id var) {
  return extend(prover, ctx, formula, PV_NONE, var);
}

pv_ctx pv_ctx_know(pv *prover, pv_ctx ctx, pv_thm thm) {
  return pv_ctx_find(prover, ctx, pv_says(prover, thm)) != PV_NONE
             ? ctx
             : extend(prover, ctx, pv_says(prover, thm), thm, CK_BAD);
}

pv_ctx pv_ctx_bind(pv *prover, pv_ctx ctx, ck_id n, ck_id *k) {
  *k = pv_level_var(prover, pv_at(prover, ctx)->level + 1);
  ctx = pv_ctx_push(prover, ctx, pv_ge0(prover, *k), *k);
  return pv_ctx_push(prover, ctx, pv_lt(prover, *k, n), *k);
}

pv_ctx pv_ctx_strip(pv *prover, pv_ctx ctx, ck_id t) {
  while (pv_at(prover, ctx)->var != CK_BAD &&
         !ck_has_var(prover->terms, t, pv_at(prover, ctx)->var))
    ctx = pv_at(prover, ctx)->parent;
  return ctx;
}

pv_thm pv_ctx_find(pv *prover, pv_ctx ctx, ck_id formula) {
  for (; ctx != 0; ctx = pv_at(prover, ctx)->parent) {
    if (pv_at(prover, ctx)->formula == formula)
      return pv_at(prover, ctx)->thm;
  }
  return PV_NONE;
}

pv_ctx pv_orders_of(pv *prover, pv_ctx ctx) {
  if (ctx == 0)
    return 0;
  pv_assumption link = *pv_at(prover, ctx);
  pv_ctx before = pv_orders_of(prover, link.parent);
  ck_op head = ck_head(prover->terms, link.formula);
  bool order = head == CK_LE || head == CK_LT;
  return order && link.thm != PV_NONE ? pv_ctx_know(prover, before, link.thm) : before;
}
