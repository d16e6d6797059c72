/* Reading graphs off the enumerated tensors: for every tensor the few lightest sets of derivations
 * that compute it (a derivation shared by two operands counts once), by rounds until nothing
 * improves; then the outputs' sets together. */
#include "sg_space.h"
#include <stdlib.h>
#include <string.h>

#define MAX_SET 64

typedef struct {
  uint64_t weight;
  uint32_t n;
  uint32_t deriv[MAX_SET];
} set; /* sorted by the value that the derivation computes */

typedef struct {
  uint32_t n;
  set *s;
} sets;

#define VALUE(s, i) (&AS_VEC_AT(&(s)->values, sg_value, i))
#define DERIV(s, i) (&AS_VEC_AT(&(s)->derivs, sg_deriv, i))

/* false: too large, or one value would be computed in two ways */
static bool unite(const sg_space *s, const set *a, const set *b, set *out) {
  set r = {0, 0, {0}};
  for (uint32_t i = 0, j = 0; i < a->n || j < b->n;) {
    uint32_t va = i < a->n ? DERIV(s, a->deriv[i])->value : AS_NONE;
    uint32_t vb = j < b->n ? DERIV(s, b->deriv[j])->value : AS_NONE;
    uint32_t d;
    if (va == vb) {
      if (a->deriv[i] != b->deriv[j])
        return false;
      d = a->deriv[i++];
      j++;
    } else {
      d = va < vb ? a->deriv[i++] : b->deriv[j++];
    }
    if (r.n == MAX_SET)
      return false;
    r.deriv[r.n++] = d;
    r.weight += DERIV(s, d)->weight;
  }
  *out = r;
  return true;
}

static bool has_value(const sg_space *s, const set *a, uint32_t v) {
  for (uint32_t i = 0; i < a->n; i++) {
    if (DERIV(s, a->deriv[i])->value == v)
      return true;
  }
  return false;
}

static int compare(const set *a, const set *b) {
  if (a->weight != b->weight)
    return a->weight < b->weight ? -1 : 1;
  if (a->n != b->n)
    return a->n < b->n ? -1 : 1;
  for (uint32_t i = 0; i < a->n; i++) {
    if (a->deriv[i] != b->deriv[i])
      return a->deriv[i] < b->deriv[i] ? -1 : 1;
  }
  return 0;
}

/* keeps the `keep` smallest in order; true if it went in */
static bool offer(sets *k, const set *x, uint32_t keep) {
  uint32_t at = 0;
  while (at < k->n && compare(&k->s[at], x) < 0)
    at++;
  if (at == keep || (at < k->n && !compare(&k->s[at], x)))
    return false;
  uint32_t last = k->n < keep ? k->n++ : keep - 1;
  for (uint32_t i = last; i > at; i--)
    k->s[i] = k->s[i - 1];
  k->s[at] = *x;
  return true;
}

/* all choices of one set per operand */
static bool combine(const sg_space *s, const sets *all, const uint32_t *arg, uint32_t nargs,
                    const set *so_far, uint32_t avoid, uint32_t own, sets *into, uint32_t keep) {
  set u;
  bool changed = false;
  if (!nargs) {
    if (own == AS_NONE)
      return offer(into, so_far, keep);
    set me = {DERIV(s, own)->weight, 1, {own}};
    return unite(s, so_far, &me, &u) && offer(into, &u, keep);
  }
  for (uint32_t i = 0; i < all[arg[0]].n; i++) {
    const set *x = &all[arg[0]].s[i];
    if ((avoid != AS_NONE && has_value(s, x, avoid)) || !unite(s, so_far, x, &u))
      continue;
    if (into->n == keep && u.weight > into->s[keep - 1].weight)
      continue;
    changed |= combine(s, all, arg + 1, nargs - 1, &u, avoid, own, into, keep);
  }
  return changed;
}

/* derivations in an order in which they can be made: loads, then by dependence */
static void in_order(const sg_space *s, const set *x, uint32_t *out) {
  bool done[MAX_SET] = {false};
  uint32_t n = 0;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < x->n; i++) {
      const sg_deriv *d = DERIV(s, x->deriv[i]);
      bool ready = !done[i];
      for (uint32_t a = 0; a < d->nargs && ready; a++) {
        bool have = false;
        for (uint32_t j = 0; j < n && !have; j++)
          have = DERIV(s, out[j])->value == d->arg[a];
        ready = have;
      }
      if (!ready)
        continue;
      out[n++] = x->deriv[i];
      done[i] = more = true;
    }
  }
}

sg_recipe *sg_space_extract(sg_space *s, uint32_t keep, uint32_t *n) {
  uint32_t nv = (uint32_t)s->values.n;
  uint32_t per = keep < 6 ? 6 : keep;
  sets *all = as_calloc(nv + 1, sizeof *all);
  sets top = {0, as_malloc(keep * sizeof(set))};
  set empty = {0, 0, {0}};
  for (uint32_t v = 0; v < nv; v++)
    all[v].s = as_malloc(per * sizeof(set));
  for (bool changed = true, first = true; changed; first = false) {
    changed = false;
    for (uint32_t v = 0; v < nv; v++) {
      for (uint32_t i = 0; i < VALUE(s, v)->derivs.n; i++) {
        uint32_t d = AS_VEC_AT(&VALUE(s, v)->derivs, uint32_t, i);
        if (!first && !DERIV(s, d)->nargs)
          continue;
        changed |=
            combine(s, all, DERIV(s, d)->arg, DERIV(s, d)->nargs, &empty, v, d, &all[v], per);
      }
    }
  }
  combine(s, all, s->goal, s->part->n_output, &empty, AS_NONE, AS_NONE, &top, keep);
  sg_recipe *r = as_calloc(top.n + 1, sizeof *r);
  for (uint32_t i = 0; i < top.n; i++) {
    r[i].n = top.s[i].n;
    r[i].weight = top.s[i].weight;
    r[i].deriv = as_malloc((top.s[i].n + 1) * sizeof(uint32_t));
    r[i].n_goal = s->part->n_output;
    r[i].goal = as_malloc((r[i].n_goal + 1) * sizeof(uint32_t));
    memcpy(r[i].goal, s->goal, r[i].n_goal * sizeof(uint32_t));
    in_order(s, &top.s[i], r[i].deriv);
  }
  *n = top.n;
  for (uint32_t v = 0; v < nv; v++)
    free(all[v].s);
  free(all);
  free(top.s);
  return r;
}

void sg_recipe_clear(sg_recipe *r) {
  free(r->deriv);
  free(r->goal);
  memset(r, 0, sizeof *r);
}
