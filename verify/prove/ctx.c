/* Contexts: chains of hypotheses, hash-consed so that the same assumptions in the same order are
 * the same context. */
#include "pv.h"
#include <stdio.h>

ck_id cx_level_var(pv *p, uint32_t level) {
  char s[24];
  snprintf(s, sizeof s, "$$x%u", level);
  return ck_var(p->T, s, 'i');
}

ck_id cx_acc_var(pv *p, uint32_t level, uint32_t q) {
  char s[40];
  snprintf(s, sizeof s, "$$a%u.%u", level, q);
  return ck_var(p->T, s, 'r');
}

/* step: proves the formula; from hypotheses of cx, or from the formula itself */
static uint32_t extend(pv *p, uint32_t cx, ck_id formula, uint32_t step, ck_id var) {
  uint64_t v;
  uint64_t key = step == NO ? cx : ((uint64_t)1 << 32) | cx;
  if (map_get(&p->ctx_memo, key, formula, &v))
    return (uint32_t)v;
  pv_ctx *up = &CX(p, cx);
  pv_ctx c = {cx, formula, step == NO ? r_hyp(p, formula) : step, var, up->level, up->depth + 1};
  if (var != CK_BAD && var != up->var)
    c.level++;
  uint32_t id = (uint32_t)p->ctx.n;
  as_vec_push(&p->ctx, &c);
  map_put(&p->ctx_memo, key, formula, id);
  return id;
}

uint32_t cx_push(pv *p, uint32_t cx, ck_id formula, ck_id var) {
  return extend(p, cx, formula, NO, var);
}

uint32_t cx_know(pv *p, uint32_t cx, uint32_t s) {
  return cx_find(p, cx, thm(p, s)) != NO ? cx : extend(p, cx, thm(p, s), s, CK_BAD);
}

uint32_t cx_bind(pv *p, uint32_t cx, ck_id n, ck_id *k) {
  *k = cx_level_var(p, CX(p, cx).level + 1);
  cx = cx_push(p, cx, t_rel(p, CK_LE, p->zero, *k), *k);
  return cx_push(p, cx, t_rel(p, CK_LT, *k, n), *k);
}

uint32_t cx_strip(pv *p, uint32_t cx, ck_id t) {
  while (CX(p, cx).var != CK_BAD && !ck_has_var(p->T, t, CX(p, cx).var))
    cx = CX(p, cx).parent;
  return cx;
}

uint32_t cx_find(pv *p, uint32_t cx, ck_id formula) {
  for (; cx != 0; cx = CX(p, cx).parent) {
    if (CX(p, cx).formula == formula)
      return CX(p, cx).step;
  }
  return NO;
}
