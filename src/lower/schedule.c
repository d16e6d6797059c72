/* Statements by depth: each gets the least level above those it reads from shared memory; a barrier
 * stands between levels, none within one. Also decides how many lanes work on each result of a
 * reduction. */
#include "lo.h"
#include <stdlib.h>
#define NO UINT32_MAX

typedef struct {
  lo *L;
  lo_phase phase;
  int level;
} dep;

static void after(dep *d, int level) {
  if (level + 1 > d->level)
    d->level = level + 1;
}

static void dep_value(dep *d, uint32_t id) {
  const lo_val *v = &d->L->v[id];
  lo_phase p =
      v->kind == LV_ACC && (v->place == LP_FRAG || v->place == LP_LANES) ? LO_POST : v->phase;
  if (v->place == LP_GLOBAL || v->kind == LV_CONST || v->kind == LV_LOAD)
    return;
  if (p == d->phase)
    after(d, v->level);
}

static void dep_ref(void *arg, const lx *r) {
  dep_value(arg, r->val);
}

static void dep_operand(dep *d, uint32_t id) {
  const lo_val *v = &d->L->v[id];
  if (!v->need16)
    return;
  lo_phase p = v->kind == LV_ACC ? LO_POST : v->phase;
  if (p == d->phase)
    after(d, v->level16);
}

static void dep_alpha(dep *d, uint32_t acc) {
  if (acc != NO && d->L->v[acc].kind == LV_ACC && d->L->v[acc].run != NO && d->phase == LO_BODY)
    after(d, d->L->v[d->L->v[acc].run].level);
}

static int level_of(lo *L, const lo_stmt *s) {
  const lo_val *v = &L->v[s->val];
  dep d = {L, s->phase, 0};
  switch (s->kind) {
  case LS_MAP:
    lx_refs(v->body, dep_ref, &d);
    break;
  case LS_MAP16:
    if (v->kind == LV_MAP)
      lx_refs(v->body, dep_ref, &d);
    else
      dep_value(&d, v->kind == LV_RUN ? v->of : s->val);
    break;
  case LS_RED:
    lx_refs(v->body, dep_ref, &d);
    if (v->place == LP_LANES)
      dep_alpha(&d, v->fused_acc);
    break;
  case LS_MMA:
    dep_operand(&d, v->mma.a);
    dep_operand(&d, v->mma.b);
    if (v->place == LP_FRAG)
      dep_alpha(&d, v->fused_acc);
    break;
  case LS_ACC:
    lx_refs(v->body, dep_ref, &d);
    dep_alpha(&d, s->val);
    break;
  case LS_FINISH:
    break;
  }
  return d.level;
}

static void lanes(lo *L, const lo_unit *u, lo_val *v) {
  long outs = 1;
  long threads = 32L * u->warps;
  (void)L;
  for (int i = 0; i < v->rank; i++)
    outs *= v->dim[i];
  int g = 1;
  while (g < 32 && g < v->extent && (long)g * 2 * outs <= threads)
    g *= 2;
  while (g < 32 && v->place == LP_LANES && (outs * g + threads - 1) / threads > 16)
    g *= 2; /* registers */
  v->group = g;
}

bool lo_schedule(lo *L, lo_unit *u) {
  for (uint32_t i = 0; i < u->n_stmt; i++) {
    if (u->stmt[i].kind == LS_RED)
      lanes(L, u, &L->v[u->stmt[i].val]);
  }
  bool changed = true;
  for (uint32_t round = 0; changed; round++) {
    changed = false;
    if (round > u->n_stmt + 2) {
      return as_err_set(L->err, AS_INTERNAL,
                        "kernel %s: the statements depend on each other in a circle", u->name);
    }
    for (uint32_t i = 0; i < u->n_stmt; i++) {
      lo_stmt *s = &u->stmt[i];
      lo_val *v = &L->v[s->val];
      int l = level_of(L, s);
      int *at = s->kind == LS_MAP16 ? &v->level16 : &v->level;
      if (s->level != l || *at != l)
        changed = true;
      s->level = l;
      *at = l;
      if (v->kind == LV_RED && v->fused_acc != NO && s->kind == LS_RED && v->place != LP_LANES)
        L->v[v->fused_acc].level = l;
    }
  }
  for (uint32_t i = 0; i < u->n_stmt; i++) {
    if (u->stmt[i].level + 1 > u->levels[u->stmt[i].phase])
      u->levels[u->stmt[i].phase] = u->stmt[i].level + 1;
  }
  for (uint32_t i = 0; i < u->n_store; i++) {
    dep d = {L, LO_POST, 0};
    lx_refs(u->store[i].body, dep_ref, &d);
    u->store[i].level = d.level;
    if (d.level + 1 > u->levels[LO_POST])
      u->levels[LO_POST] = d.level + 1;
  }
  return true;
}
