/* shift, open, close and simultaneous substitution (RULES.md section 1), memoised per call on (node, binders crossed). */
#include "ck_term_impl.h"
#include <stdlib.h>

typedef struct {
  ck_terms *T;
  enum { SHIFT, OPEN, CLOSE, SUB } what;
  uint32_t by;                           /* SHIFT */
  const ck_id *vars, *vals; uint32_t nv; /* OPEN: vals; CLOSE: vars; SUB: both */
  const ck_fsub *fs; uint32_t nf;        /* SUB */
  uint32_t *fkey, nkey;                  /* CLOSE, SUB: members of free sets that are replaced */
  ck_table done; uint32_t cap;           /* results so far */
  struct { uint64_t key; ck_id val; } *memo;
} walk;

static ck_id shift(ck_terms *T, ck_id t, uint32_t by);

/* Nothing of what the walk replaces occurs in t under d binders. */
static bool untouched(const walk *w, ck_id t, uint32_t d) {
  const ck_terms *T = w->T;
  if (w->what == SHIFT || w->what == OPEN) return ck_loose_max(T, t) <= d;
  for (uint32_t i = 0; i < w->nkey; i++) if (ck_set_has(T, T->node[t].fv, w->fkey[i])) return false;
  return true;
}

static ck_id run(walk *w, ck_id t, uint32_t d) {
  ck_terms *T = w->T;
  if (untouched(w, t, d)) return t;
  uint64_t key = (uint64_t)t << 32 | d;
  uint32_t hash = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32);
  for (uint32_t at = hash, i; (i = ck_table_next(&w->done, hash, &at)) != CK_BAD;)
    if (w->memo[i].key == key) return w->memo[i].val;
  ck_op op = ck_head(T, t);
  ck_id r = CK_BAD;
  if (op == CK_B) {
    uint32_t i = ck_index(T, t);
    if (w->what == SHIFT) r = ck_bound(T, i + w->by, ck_sort(T, t));
    else r = i - d < w->nv ? w->vals[i - d] : ck_bad(T, "bound variable out of range");
  } else if (op == CK_V) {
    for (uint32_t i = 0; i < w->nv && r == CK_BAD; i++)
      if (w->vars[i] == t) r = w->what == CLOSE ? ck_bound(T, d + i, ck_sort(T, t)) : shift(T, w->vals[i], d);
  } else {
    uint32_t n = ck_nkids(T, t);
    ck_id *k = ck_alloc(NULL, n * sizeof *k);
    bool ok = true;
    for (uint32_t i = 0; i < n && ok; i++) {
      k[i] = run(w, ck_kid(T, t, i), d + ck_kid_binders(T, t, i));
      ok = k[i] != CK_BAD;
    }
    const ck_fsub *f = NULL;
    for (uint32_t i = 0; ok && op == CK_APP && w->what == SUB && i < w->nf; i++)
      if (w->fs[i].name == ck_name(T, t) && w->fs[i].sig == ck_sig(T, t)) f = &w->fs[i];
    if (ok) r = f ? ck_sub(T, f->body, f->params, k, f->n, NULL, 0) : ck_rebuild(T, t, k); /* the arguments are substituted already */
    free(k);
  }
  CK_GROW(w->memo, w->cap, w->done.n + 1);
  w->memo[w->done.n].key = key, w->memo[w->done.n].val = r;
  ck_table_add(&w->done, hash);
  return r;
}

static ck_id walked(walk w, ck_id t) {
  if (t >= w.T->n) return CK_BAD;
  if (w.what == CLOSE || w.what == SUB) {
    w.fkey = ck_alloc(NULL, (w.nv + w.nf) * sizeof *w.fkey);
    for (uint32_t i = 0; i < w.nv; i++) w.fkey[w.nkey++] = 2 * w.vars[i];
    for (uint32_t i = 0; i < w.nf; i++) w.fkey[w.nkey++] = ck_function(w.T, w.fs[i].name, w.fs[i].sig);
  }
  ck_id r = run(&w, t, 0);
  free(w.fkey), free(w.memo);
  ck_table_free(&w.done);
  return r;
}

static ck_id shift(ck_terms *T, ck_id t, uint32_t by) { return by ? walked((walk){.T = T, .what = SHIFT, .by = by}, t) : t; }

ck_id ck_open(ck_terms *T, ck_id t, const ck_id *vals, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) if (!ck_is_closed(T, vals[i])) return ck_bad(T, "closed term expected");
  return walked((walk){.T = T, .what = OPEN, .vals = vals, .nv = n}, t);
}

ck_id ck_close(ck_terms *T, ck_id t, const ck_id *vars, uint32_t n) {
  if (t < T->n && !ck_is_closed(T, t)) return ck_bad(T, "closed term expected");
  return walked((walk){.T = T, .what = CLOSE, .vars = vars, .nv = n}, t);
}

ck_id ck_sub(ck_terms *T, ck_id t, const ck_id *vars, const ck_id *vals, uint32_t n, const ck_fsub *fs, uint32_t nf) {
  for (uint32_t i = 0; i < n; i++) if (vals[i] >= T->n) return CK_BAD;
  return walked((walk){.T = T, .what = SUB, .vars = vars, .vals = vals, .nv = n, .fs = fs, .nf = nf}, t);
}
