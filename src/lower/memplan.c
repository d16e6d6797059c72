/* Shared memory as dynamic storage allocation: buffers live over intervals of levels; larger ones
 * are placed first, each at the lowest offset (of the best-fitting gap) free during its life. */
#include "lo.h"
#include <stdlib.h>
#include <string.h>
#define NO UINT32_MAX

typedef struct {
  lo_smem *m;
  long bytes;
  const char *name;
  uint32_t order;
} buf;

typedef struct {
  lo *L;
  lo_unit *u;
  int base[3];
  int last;
} plan;

static void touch(lo_smem *m, int t) {
  if (!m->used)
    return;
  if (t < m->live_from)
    m->live_from = t;
  if (t > m->live_to)
    m->live_to = t;
}

typedef struct {
  plan *p;
  int t;
} touch_walk;

static void touch_ref(void *arg, const lx *r) {
  touch_walk *w = arg;
  touch(&w->p->L->v[r->val].sm, w->t);
}

static void touch_stmt(plan *p, const lo_stmt *s) {
  lo *L = p->L;
  lo_val *v = &L->v[s->val];
  int t = p->base[s->phase] + s->level;
  touch_walk w = {p, t};
  switch (s->kind) {
  case LS_MAP:
    touch(&v->sm, t);
    lx_refs(v->body, touch_ref, &w);
    break;
  case LS_MAP16:
    touch(&v->sm16, t);
    if (v->kind == LV_MAP)
      lx_refs(v->body, touch_ref, &w);
    else
      touch(v->kind == LV_RUN ? &L->v[v->of].sm : &v->sm, t);
    break;
  case LS_RED:
    touch(&v->sm, t);
    lx_refs(v->body, touch_ref, &w);
    break;
  case LS_MMA:
    touch(&v->sm, t);
    for (int j = 0; j < 2; j++) {
      lo_val *o = &L->v[j ? v->mma.b : v->mma.a];
      touch(o->need16 ? &o->sm16 : &o->sm, t);
    }
    break;
  case LS_ACC:
    lx_refs(v->body, touch_ref, &w);
    break;
  case LS_FINISH:
    touch(&v->sm, t);
    break;
  }
}

/* what the loop keeps or the pipeline fills lives through it */
static void lifetimes(plan *p) {
  lo *L = p->L;
  lo_unit *u = p->u;
  for (uint32_t i = 0; i < u->n; i++) {
    lo_val *v = &L->v[u->val[i]];
    lo_smem *m[3] = {&v->sm, &v->sm16, &v->alpha};
    for (int j = 0; j < 3; j++) {
      m[j]->live_from = p->last + 1;
      m[j]->live_to = -1;
    }
  }
  for (uint32_t i = 0; i < u->n_stmt; i++)
    touch_stmt(p, &u->stmt[i]);
  for (uint32_t i = 0; i < u->n_store; i++) {
    touch_walk w = {p, p->base[LO_POST] + u->store[i].level};
    lx_refs(u->store[i].body, touch_ref, &w);
  }
  int body0 = p->base[LO_BODY];
  int body1 = p->base[LO_POST] - 1;
  for (uint32_t i = 0; i < u->n; i++) {
    lo_val *v = &L->v[u->val[i]];
    if (v->kind == LV_LOAD) {
      touch(&v->sm, 0);
      if (v->phase == LO_BODY)
        touch(&v->sm, body1);
    }
    if (v->kind == LV_ACC && v->place == LP_SMEM) {
      touch(&v->sm, 0);
      touch(&v->sm, body1);
      touch(&v->alpha, 0);
      touch(&v->alpha, body1);
    }
    lo_smem *m[2] = {&v->sm, &v->sm16};
    for (int j = 0; j < 2; j++) {
      if (m[j]->used && m[j]->live_from < body0 && m[j]->live_to >= body0)
        touch(m[j], body1); /* read again in each iteration */
    }
  }
}

static int larger_first(const void *a, const void *b) {
  const buf *x = a;
  const buf *y = b;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static bool overlap_life(const lo_smem *a, const lo_smem *b) {
  return a->live_from <= b->live_to && b->live_from <= a->live_to;
}

static long place(const buf *b, int n, const buf *x) {
  long best = -1;
  long gap = -1;
  for (int c = -1; c < n;
       c++) { /* candidate offsets: zero and the end of each buffer alive at the same time */
    if (c >= 0 && !overlap_life(b[c].m, x->m))
      continue;
    long at = c < 0 ? 0 : b[c].m->offset + b[c].bytes;
    long next = -1;
    bool fits = true;
    for (int i = 0; i < n && fits; i++) {
      if (!overlap_life(b[i].m, x->m))
        continue;
      long o = b[i].m->offset;
      if (o < at + x->bytes && at < o + b[i].bytes)
        fits = false;
      if (o >= at && (next < 0 || o < next))
        next = o;
    }
    if (!fits)
      continue;
    long g = next < 0 ? (1L << 40) + at : next - at;
    if (best < 0 || g < gap) {
      best = at;
      gap = g;
    }
  }
  return best;
}

bool lo_memplan(lo *L, lo_unit *u) {
  plan p = {.L = L, .u = u};
  int n0 = u->levels[LO_PRE] ? u->levels[LO_PRE] : 1;
  int n1 = u->levels[LO_BODY] ? u->levels[LO_BODY] : 1;
  int n2 = u->levels[LO_POST] ? u->levels[LO_POST] : 1;
  p.base[LO_BODY] = n0;
  p.base[LO_POST] = n0 + n1;
  p.last = n0 + n1 + n2;
  lifetimes(&p);
  buf *b = as_calloc((size_t)u->n * 3 + 1, sizeof *b);
  int n = 0;
  long sum = 0;
  for (uint32_t i = 0; i < u->n; i++) {
    lo_val *v = &L->v[u->val[i]];
    lo_smem *m[3] = {&v->sm, &v->sm16, &v->alpha};
    for (int j = 0; j < 3; j++) {
      if (!m[j]->used || m[j]->live_to < 0)
        continue;
      b[n] = (buf){m[j], m[j]->bytes * m[j]->stages * m[j]->slabs, v->name, (uint32_t)n};
      sum += b[n++].bytes;
    }
  }
  qsort(b, (size_t)n, sizeof *b, larger_first);
  u->smem = 0;
  for (int i = 0; i < n; i++) {
    b[i].m->offset = place(b, i, &b[i]);
    if (b[i].m->offset + b[i].bytes > u->smem)
      u->smem = b[i].m->offset + b[i].bytes;
    as_str_printf(&L->notes, "%s: %s: bytes %ld..%ld, levels %d..%d\n", u->name, b[i].name,
                  b[i].m->offset, b[i].m->offset + b[i].bytes, b[i].m->live_from, b[i].m->live_to);
  }
  free(b);
  as_str_printf(&L->notes, "%s: shared memory %ld bytes planned for %ld bytes of tensors\n",
                u->name, u->smem, sum);
  long limit = L->o->target->shared_block;
  if (u->smem > limit) {
    return as_err_set(L->err, AS_NO,
                      "kernel %s needs %ld bytes of shared memory; a block may have %ld", u->name,
                      u->smem, limit);
  }
  return true;
}
