/* Thread-level fusion: which values exist in memory at all, where accumulators live, and the bodies
 * of what remains with everything else substituted.  Maps are recomputed where they are read
 * (registers), unless that would repeat costly work. */
#include "lo.h"
#include <stdlib.h>
#include <string.h>
#define NO UINT32_MAX
#define BIG_BODY 160 /* nodes beyond which a map is stored rather than repeated */

static long elems(const lo_val *v) {
  long n = 1;
  for (int i = 0; i < v->rank; i++)
    n *= v->dim[i];
  return n;
}

typedef struct {
  lo *L;
  uint32_t unit;
} walk;

static void mark(lo *L, uint32_t unit, uint32_t v);

static void mark_ref(void *arg, const lx *r) {
  walk *w = arg;
  mark(w->L, w->unit, r->val);
}

static void mark(lo *L, uint32_t unit, uint32_t id) {
  lo_val *v = &L->v[id];
  if (v->unit != unit || v->place == LP_GLOBAL)
    return;
  v->uses++;
  if (v->live)
    return;
  v->live = true;
  walk w = {L, unit};
  if (v->kind == LV_MAP || v->kind == LV_RED) {
    lx_refs(v->body, mark_ref, &w);
  } else if (v->kind == LV_ACC) {
    mark(L, unit, v->of);
    if (v->run != NO)
      mark(L, unit, v->run);
  } else if (v->kind == LV_RUN) {
    mark(L, unit, v->of);
  }
}

typedef struct {
  lo *L;
  lo_phase p;
} phase_walk;

static void phase_ref(void *arg, const lx *r) {
  phase_walk *w = arg;
  const lo_val *v = &w->L->v[r->val];
  lo_phase p = v->place == LP_GLOBAL || v->kind == LV_CONST ? LO_PRE
               : v->kind == LV_ACC                          ? LO_POST
                                                            : v->phase;
  if (p > w->p)
    w->p = p;
}

static bool phases(lo *L, lo_unit *u) {
  for (uint32_t i = 0; i < u->n; i++) {
    lo_val *v = &L->v[u->val[i]];
    v->phase = LO_PRE;
    if (v->kind == LV_LOAD) {
      for (int d = 0; d < v->rank; d++) {
        if (v->laxis[d])
          v->phase = LO_BODY;
      }
    } else if (v->kind == LV_RUN || v->kind == LV_ACC) {
      v->phase = LO_BODY;
    } else {
      phase_walk w = {L, LO_PRE};
      lx_refs(v->body, phase_ref, &w);
      v->phase = w.p;
    }
    if (v->kind == LV_ACC && L->v[v->of].phase == LO_POST) {
      return as_err_set(L->err, AS_BAD_INPUT,
                        "%s accumulates a value that is only known after the loop", v->name);
    }
  }
  return true;
}

/* a matrix product summed by one accumulator stays in the tensor cores' registers; a plain sum so
 * summed, in partial sums of the lanes */
static void place_accumulators(lo *L, lo_unit *u) {
  for (uint32_t i = 0; i < u->n; i++) {
    lo_val *v = &L->v[u->val[i]];
    if (!v->live || v->kind != LV_ACC)
      continue;
    lo_val *of = &L->v[v->of];
    bool sums = v->acc == AS_ACC_SUM || v->acc == AS_ACC_RESCALE;
    bool alone = of->kind == LV_RED && of->uses == 1 && of->unit == v->unit;
    v->place = LP_SMEM;
    if (v->acc == AS_ACC_RESCALE)
      L->v[v->run].need_alpha = true;
    if (sums && alone && of->mma.on) {
      of->place = v->place = LP_FRAG;
      of->phase = LO_BODY;
      of->fused_acc = u->val[i];
    } else if (sums && alone && of->red == LO_SUM && of->phase == LO_BODY) {
      of->place = v->place = LP_LANES;
      of->fused_acc = u->val[i];
    } else if (v->acc == AS_ACC_MAX && of->kind == LV_RED && of->unit == v->unit && !of->mma.on &&
               of->phase == LO_BODY && of->fused_acc == NO) {
      of->fused_acc = u->val[i];
    }
  }
}

typedef struct {
  lo *L;
  const lo_val *user;
} cost_walk;

static void store_costly(void *arg, const lx *r) {
  cost_walk *w = arg;
  lo_val *v = &w->L->v[r->val];
  if (v->kind != LV_MAP || v->place == LP_GLOBAL)
    return;
  if (w->user && lx_costly(v->body) && elems(w->user) * w->user->extent > 2 * elems(v))
    v->need32 = true;
  lx_refs(v->body, store_costly, arg);
}

static lx *inline_ref(lo *L, void *arg, lx *r) {
  (void)arg;
  lo_val *v = &L->v[r->val];
  if (v->kind == LV_CONST)
    return lx_num(L, v->num);
  if (v->kind == LV_RUN)
    return lx_ref(L, v->of, r->n, r->kid);
  if (v->kind != LV_MAP || v->place == LP_GLOBAL || v->need32)
    return r;
  return lx_subst(L, v->body, r->kid, r->n);
}

static lx *inlined(lo *L, lx *body, const lo_val *v, bool reduced) {
  long ext[9];
  for (int i = 0; i < v->rank; i++)
    ext[i] = v->dim[i];
  if (reduced)
    ext[v->rank] = v->extent;
  return lx_simplify(L, lx_map_refs(L, body, inline_ref, NULL), ext, v->rank + reduced);
}

static void need_ref(void *arg, const lx *r) {
  ((lo *)arg)->v[r->val].need32 = true;
}

/* values in order of definition, so that what is substituted is already final */
static void substitute(lo *L, lo_unit *u) {
  for (uint32_t i = 0; i < u->n; i++) {
    lo_val *v = &L->v[u->val[i]];
    if (!v->live)
      continue;
    if (v->kind == LV_MAP) {
      v->body = inlined(L, v->body, v, false);
      if (lx_size(v->body) > BIG_BODY && v->uses > 1)
        v->need32 = true;
    } else if (v->kind == LV_RED && !v->mma.on) {
      v->body = inlined(L, v->body, v, true);
    } else if (v->kind == LV_ACC) { /* what is added, at the accumulator's own indices */
      lx *ix[8];
      const lo_val *of = &L->v[v->of];
      for (int d = 0; d < of->rank; d++)
        ix[d] = lx_var(L, d);
      v->body = inlined(L, lx_ref(L, v->of, of->rank, ix), of, false);
    }
  }
}

static lo_stmt *stmt(lo *L, lo_unit *u, lo_skind k, uint32_t v, lo_phase p) {
  lo_stmt *s = as_arena_alloc(L->mem, (u->n_stmt + 1) * sizeof *s);
  if (u->n_stmt)
    memcpy(s, u->stmt, u->n_stmt * sizeof *s);
  u->stmt = s;
  s[u->n_stmt] = (lo_stmt){k, v, p, 0};
  return &s[u->n_stmt++];
}

static void statements(lo *L, lo_unit *u) {
  for (uint32_t i = 0; i < u->n; i++) {
    uint32_t id = u->val[i];
    const lo_val *v = &L->v[id];
    if (!v->live)
      continue;
    if (v->kind == LV_MAP && v->need32)
      stmt(L, u, LS_MAP, id, v->phase);
    if (v->kind == LV_RED)
      stmt(L, u, v->mma.on ? LS_MMA : LS_RED, id, v->phase);
    if (v->kind == LV_ACC) {
      bool fused = L->v[v->of].fused_acc == id;
      if (!fused)
        stmt(L, u, LS_ACC, id, LO_BODY);
      if (v->place == LP_FRAG || v->place == LP_LANES)
        stmt(L, u, LS_FINISH, id, LO_POST);
    }
    if (v->need16)
      stmt(L, u, LS_MAP16, id, v->kind == LV_ACC ? LO_POST : v->phase);
  }
}

bool lo_fuse(lo *L, lo_unit *u) {
  uint32_t id = (uint32_t)(u - L->u);
  for (uint32_t i = 0; i < u->n; i++) {
    if (L->v[u->val[i]].kind == LV_RED) {
      uint32_t before = u->n;
      lo_contraction(L, u, u->val[i]);
      i += u->n - before;
    }
  }
  if (!phases(L, u))
    return false;
  for (uint32_t i = 0; i < u->n_store; i++) {
    mark(L, id, u->store[i].val);
    const lo_val *v = &L->v[u->store[i].val];
    if (v->kind == LV_RUN || (v->phase == LO_BODY && v->kind != LV_ACC)) {
      return as_err_set(L->err, AS_BAD_INPUT, "%s varies with the loop and cannot be stored",
                        v->name);
    }
  }
  place_accumulators(L, u);
  for (uint32_t i = 0; i < u->n;
       i++) { /* what tensor cores read, and what would be repeated too often */
    lo_val *v = &L->v[u->val[i]];
    if (!v->live || v->kind != LV_RED)
      continue;
    if (!v->mma.on) {
      cost_walk w = {L, v};
      lx_refs(v->body, store_costly, &w);
      continue;
    }
    uint32_t op[2] = {v->mma.a, v->mma.b};
    for (int j = 0; j < 2; j++) {
      lo_val *o = &L->v[op[j]];
      bool direct = o->kind == LV_LOAD && L->v[o->src].dtype == v->mma.type;
      if (!direct)
        o->need16 = true;
    }
  }
  substitute(L, u);
  statements(L, u);
  for (uint32_t i = 0; i < u->n_store; i++) {
    lo_store *s = &u->store[i];
    const lo_val *v = &L->v[s->val];
    lx *ix[8];
    for (int d = 0; d < v->rank; d++)
      ix[d] = lx_var(L, d);
    s->body = inlined(L, lx_ref(L, s->val, v->rank, ix), v, false);
    lx_refs(s->body, need_ref, L);
  }
  for (uint32_t i = 0; i < u->n_stmt; i++) { /* whose value is read from shared memory */
    const lo_stmt *s = &u->stmt[i];
    lo_val *v = &L->v[s->val];
    if (s->kind == LS_MAP || (s->kind == LS_RED) || (s->kind == LS_MAP16 && v->kind == LV_MAP))
      lx_refs(v->body, need_ref, L);
    else if (s->kind == LS_MAP16)
      v->need32 = true;
    else if (s->kind == LS_ACC)
      lx_refs(v->body, need_ref, L);
    if (v->kind == LV_ACC)
      v->need32 = true;
  }
  for (uint32_t i = 0; i < u->n; i++) {
    if (L->v[u->val[i]].kind == LV_ACC && L->v[u->val[i]].live)
      L->v[u->val[i]].need32 = true;
  }
  return true;
}
