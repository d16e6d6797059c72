/* Contexts: chains of hypotheses, hash-consed so that the same assumptions in the same order are
 * the same context. */
#include "pv_context.h"
#include "pv_terms.h"
#include <stdio.h>

ck_id pv_level_var(pv *p, uint32_t level) {
  char s[24];
  snprintf(s, sizeof s, "$$x%u", level);
  return pv_int_var(p, s);
}

ck_id pv_state_var(pv *p, uint32_t level, uint32_t q) {
  char s[40];
  snprintf(s, sizeof s, "$$a%u.%u", level, q);
  return pv_real_var(p, s);
}

/* step: proves the formula; from hypotheses of cx, or from the formula itself */
static pv_ctx extend(pv *p, pv_ctx cx, ck_id formula, pv_thm step, ck_id var) {
  uint64_t v;
  uint64_t key = step == PV_NONE ? cx : ((uint64_t)1 << 32) | cx;
  if (as_map_get(&p->ctx_memo, AS_KEY(key, formula), &v))
    return (uint32_t)v;
  pv_assumption *up = &CX(p, cx);
  pv_assumption c = {cx,  formula,   step == PV_NONE ? pv_hyp(p, formula) : step,
                     var, up->level, up->depth + 1};
  if (var != CK_BAD && var != up->var)
    c.level++;
  pv_ctx id = (uint32_t)p->ctxs.n;
  as_vec_push(&p->ctxs, &c);
  as_map_put(&p->ctx_memo, AS_KEY(key, formula), id);
  return id;
}

pv_ctx pv_ctx_push(pv *p, pv_ctx cx, ck_id formula, ck_id var) {
  return extend(p, cx, formula, PV_NONE, var);
}

pv_ctx pv_ctx_know(pv *p, pv_ctx cx, pv_thm s) {
  return pv_ctx_find(p, cx, pv_says(p, s)) != PV_NONE ? cx
                                                      : extend(p, cx, pv_says(p, s), s, CK_BAD);
}

pv_ctx pv_ctx_bind(pv *p, pv_ctx cx, ck_id n, ck_id *k) {
  *k = pv_level_var(p, CX(p, cx).level + 1);
  cx = pv_ctx_push(p, cx, pv_ge0(p, *k), *k);
  return pv_ctx_push(p, cx, pv_lt(p, *k, n), *k);
}

pv_ctx pv_ctx_strip(pv *p, pv_ctx cx, ck_id t) {
  while (CX(p, cx).var != CK_BAD && !ck_has_var(p->terms, t, CX(p, cx).var))
    cx = CX(p, cx).parent;
  return cx;
}

pv_thm pv_ctx_find(pv *p, pv_ctx cx, ck_id formula) {
  for (; cx != 0; cx = CX(p, cx).parent) {
    if (CX(p, cx).formula == formula)
      return CX(p, cx).thm;
  }
  return PV_NONE;
}
