/* shift, open, close and simultaneous substitution (RULES.md section 1), memoised per call on (node, binders crossed). */
#include "ck_term_impl.h"
#include <stdlib.h>
#include <string.h>

typedef struct { uint64_t key; ck_id val; } slot;
typedef struct {
  slot *tab; uint32_t n, slots;
  ck_terms *T;
  enum { SHIFT, OPEN, CLOSE, SUB } what;
  uint32_t by;                                   /* SHIFT */
  const ck_id *vars, *vals; uint32_t nv;         /* OPEN: vals; CLOSE: vars; SUB: both */
  const ck_fsub *fs; uint32_t nf;                /* SUB */
  uint32_t *fkey, nkey;                          /* CLOSE, SUB: members of free sets that are replaced */
} walk;

static bool memo_get(const walk *w, uint64_t key, ck_id *val) {
  if (w->slots == 0) return false;
  for (uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40) & (w->slots - 1); w->tab[i].key != UINT64_MAX; i = (i + 1) & (w->slots - 1))
    if (w->tab[i].key == key) {
      *val = w->tab[i].val;
      return true;
    }
  return false;
}

static void memo_put(walk *w, uint64_t key, ck_id val) {
  if (2 * (w->n + 1) > w->slots) {
    slot *old = w->tab;
    uint32_t oldn = w->slots;
    w->slots = oldn ? 4 * oldn : 64;
    w->tab = ck_alloc(NULL, w->slots * sizeof(slot));
    memset(w->tab, 0xff, w->slots * sizeof(slot));
    w->n = 0;
    for (uint32_t i = 0; i < oldn; i++)
      if (old[i].key != UINT64_MAX) memo_put(w, old[i].key, old[i].val);
    free(old);
  }
  uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40) & (w->slots - 1);
  while (w->tab[i].key != UINT64_MAX) i = (i + 1) & (w->slots - 1);
  w->tab[i] = (slot){key, val};
  w->n++;
}

/* Nothing of what the walk replaces occurs in t under d binders. */
static bool untouched(const walk *w, ck_id t, uint32_t d) {
  const ck_terms *T = w->T;
  if (w->what == SHIFT || w->what == OPEN) return ck_loose_max(T, t) <= d;
  for (uint32_t i = 0; i < w->nkey; i++)
    if (ck_set_has(T, T->node[t].fv, w->fkey[i])) return false;
  return true;
}

static ck_id run(walk *w, ck_id t, uint32_t d) {
  ck_terms *T = w->T;
  if (untouched(w, t, d)) return t;
  uint64_t key = (uint64_t)t << 32 | d;
  ck_id r;
  if (memo_get(w, key, &r)) return r;
  ck_op op = ck_head(T, t);
  r = CK_BAD;
  if (op == CK_B) {
    uint32_t i = ck_index(T, t);
    if (w->what == SHIFT)
      r = ck_bound(T, i + w->by, ck_sort(T, t));
    else if (i - d < w->nv)
      r = w->vals[i - d];
    else
      ck_fail(T, "bound variable out of range");
  } else if (op == CK_V) {
    for (uint32_t i = 0; i < w->nv; i++)
      if (w->vars[i] == t) {
        r = w->what == CLOSE ? ck_bound(T, d + i, ck_sort(T, t)) : ck_shift(T, w->vals[i], d, 0);
        break;
      }
  } else {
    uint32_t n = ck_nkids(T, t);
    ck_id few[8], *k = n <= 8 ? few : ck_alloc(NULL, n * sizeof *k);
    bool ok = true;
    for (uint32_t i = 0; i < n && ok; i++) {
      k[i] = run(w, ck_kid(T, t, i), d + ck_kid_binders(T, t, i));
      ok = k[i] != CK_BAD;
    }
    const ck_fsub *f = NULL;
    for (uint32_t i = 0; ok && op == CK_APP && w->what == SUB && i < w->nf; i++)
      if (w->fs[i].name == ck_name(T, t) && w->fs[i].sig == ck_sig(T, t)) f = &w->fs[i];
    if (ok) r = f ? ck_sub(T, f->body, f->params, k, f->n, NULL, 0) : ck_rebuild(T, t, k); /* the arguments are substituted already */
    if (k != few) free(k);
  }
  memo_put(w, key, r);
  return r;
}

ck_id ck_shift(ck_terms *T, ck_id t, uint32_t by, uint32_t cut) {
  if (t >= T->n || by == 0) return t;
  walk w = {.T = T, .what = SHIFT, .by = by};
  ck_id r = run(&w, t, cut);
  free(w.tab);
  return r;
}

ck_id ck_open(ck_terms *T, ck_id t, const ck_id *vals, uint32_t n) {
  if (t >= T->n) return CK_BAD;
  for (uint32_t i = 0; i < n; i++)
    if (vals[i] >= T->n || !ck_is_closed(T, vals[i])) return ck_fail(T, "closed term expected"), CK_BAD;
  walk w = {.T = T, .what = OPEN, .vals = vals, .nv = n};
  ck_id r = run(&w, t, 0);
  free(w.tab);
  return r;
}

static ck_id with_keys(walk *w, ck_id t) {
  w->fkey = ck_alloc(NULL, (w->nv + w->nf) * sizeof *w->fkey);
  for (uint32_t i = 0; i < w->nv; i++) w->fkey[w->nkey++] = 2 * w->vars[i];
  for (uint32_t i = 0; i < w->nf; i++) w->fkey[w->nkey++] = ck_function(w->T, w->fs[i].name, w->fs[i].sig);
  ck_id r = run(w, t, 0);
  free(w->fkey);
  free(w->tab);
  return r;
}

ck_id ck_close(ck_terms *T, ck_id t, const ck_id *vars, uint32_t n) {
  if (t >= T->n) return CK_BAD;
  if (!ck_is_closed(T, t)) return ck_fail(T, "closed term expected"), CK_BAD;
  walk w = {.T = T, .what = CLOSE, .vars = vars, .nv = n};
  return with_keys(&w, t);
}

ck_id ck_sub(ck_terms *T, ck_id t, const ck_id *vars, const ck_id *vals, uint32_t n, const ck_fsub *fs, uint32_t nf) {
  if (t >= T->n) return CK_BAD;
  for (uint32_t i = 0; i < n; i++)
    if (vals[i] >= T->n) return CK_BAD;
  walk w = {.T = T, .what = SUB, .vars = vars, .vals = vals, .nv = n, .fs = fs, .nf = nf};
  return with_keys(&w, t);
}
